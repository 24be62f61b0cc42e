/* Shared by the sources that load images: the state of a load, and of its pools. */
#ifndef COVEY_IMAGE_LOAD_H
#define COVEY_IMAGE_LOAD_H

#include "change/change.h"
#include "image/image.h"
#include "observe/signal.h"

enum { COVEY__PROGRESS_EVERY = 1 << 20 };

/* A pool of the image, and the pool of the world that it is loaded into. */
typedef struct covey__part {
    covey__section_entry section;
    size_t ids_at; /* where the description of its type ends */
    covey__described described;
    covey__plan plan;
    covey_pool *pool;
    covey_storage before; /* the pool's storage, if loading converted it; otherwise COVEY_STORAGE_DEFAULT */
    uint32_t count, end, dead, blocks, disabled;
    /* In the image. */
    const unsigned char *ids, *dead_ids, *holes, *masks, *disabled_masks, *ticks;
    uint32_t made;          /* values that the codec has completed */
    covey_entity *entities; /* if the pool is observed: all entities with the component */
    covey__links links;     /* in the tree of parts, by the names of their types */
} covey__part;

typedef struct covey__loading {
    covey_world *world;
    const covey_world *knows; /* the world whose types are known */
    const covey_load_desc *desc;
    const covey__entering *entering;
    bool is_kept;                      /* whether `before` is set: */
    covey__whole_world before;         /* the old table of entities, if any index was used before; */
    struct covey__kinds *kinds_before; /* and the old kinds, */
    size_t kinds_bytes;                /* which take so many bytes */
    covey_pool *aside;                 /* old storages of pools with holes or dead elements; */
    uint32_t aside_count, aside_capacity;
    covey_sparse_set *raised; /* maps handles of the image that were issued here before to new ones; or NULL */
    covey__entering raising;  /* maps by `raised` */
    covey_report *report;
    covey__image image;
    covey__heap heap; /* for memory that is freed when loading ends */
    covey__part *parts;
    uint32_t part_count, part_capacity;
    uint32_t part_root;
    covey_entity *created; /* if there are listeners: all entities */
    uint32_t created_count;
    covey__change *changes; /* to be reported: created entities, and components of observed pools */
    uint32_t change_count;
    uint64_t tick;  /* the world's tick before loading */
    uint64_t since; /* the image has only changes after this tick; 0: all */
    uint64_t dense; /* all indices below this one are alive */
    uint64_t told;
    covey__part *now; /* the pool whose values are being read; the rest is about it */
    covey__reader values;
    size_t summed;
    uint32_t sum;
    bool sound, large;
} covey__loading;

static inline bool covey__is_fine(const covey__loading *l) { return l->report->result == COVEY_OK; }

/* image_load.c */
bool covey__out_of_memory(covey__loading *l); /* reports MEMORY, unless there is a failure already; returns false */
/* Whether this many bytes are left of the limit; otherwise reports LIMIT. A check before many allocations, so that none
 * is made in vain. */
bool covey__may_take(const covey__loading *l, covey__reader *reader, uint64_t bytes);
/* Called before codecs read the rest of a section. Counts its bytes twice, because the memory that codecs allocate is
 * unknown. False: LIMIT. */
bool covey__take_for_codecs(covey__loading *l, covey__reader *reader);
/* A limit of the caller and its default, which 0 stands for. */
typedef struct covey__bound {
    const char *what, *name;
    uint64_t limit, usual;
} covey__bound;
bool covey__allows(covey__reader *reader, size_t offset, uint64_t count, covey__bound bound); /* false: LIMIT */
void covey__tell_progress(covey__loading *l, uint64_t done);
void covey__expect_end(const covey__loading *l, covey__reader *reader); /* refuses extra bytes in a section */

/* image_entities.c, image_kinds.c, image_pool.c */
void covey__load_entities(covey__loading *l, const covey__section_entry *section);
bool covey__table_keep(covey__loading *l); /* and begins an empty one; false: MEMORY */
void covey__table_restore(covey__loading *l);
void covey__table_free(covey__loading *l);
void covey__load_kinds(covey__loading *l, const covey__section_entry *section);
/* Reads the type of a pool, and finds or makes the pool; then loads its components. */
void covey__open_pool(covey__loading *l, const covey__section_entry *section);
void covey__load_pool(covey__loading *l, covey__part *part);
void covey__drop_part(const covey__loading *l, const covey__part *part); /* drops values that codecs have made */
/* Gives a pool, which must be empty, the storage that it had before. */
void covey__part_convert_back(const covey__part *p);
void covey__load_resource(covey__loading *l, const covey__section_entry *section);

static inline covey__entity_page *covey__page_of(const covey_world *world, uint32_t index) {
    return world->pages[index / COVEY_PAGE_SIZE];
}

static inline uint32_t *covey__generation_at(const covey_world *world, uint32_t index) {
    return &covey__page_of(world, index)->generation[index % COVEY_PAGE_SIZE];
}

static inline bool covey__is_known(const covey_world *world, uint64_t index) {
    return index / COVEY_PAGE_SIZE < world->page_count && index < COVEY_NONE;
}

static inline bool covey__is_alive(const covey_world *world, uint64_t index) {
    return covey__is_known(world, index) && (*covey__generation_at(world, (uint32_t)index) & 1) != 0;
}

static inline covey_entity covey__entity_at(const covey_world *world, uint32_t index) {
    return covey__entity(index, *covey__generation_at(world, index));
}

/* Entry i of a list of blocks and masks in the image: returns the block, and sets *mask. */
static inline uint32_t covey__block_at(const unsigned char *masks, uint32_t i, uint64_t *mask) {
    *mask = covey__u64_at(masks + (size_t)i * 12 + 4);
    return covey__u32_at(masks + (size_t)i * 12);
}

#endif
