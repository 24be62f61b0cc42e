/* What the sources that load images share: how far loading has come, and what is known of its parts. */
#ifndef COVEY_IMAGE_LOAD_H
#define COVEY_IMAGE_LOAD_H

#include "change/change.h"
#include "image/image.h"
#include "observe/signal.h"

enum { COVEY__PROGRESS_EVERY = 1 << 20 };

/* A pool of the image, and where it goes. */
typedef struct covey__part {
    covey__section_entry section;
    covey__described described;
    covey__plan plan;
    covey_pool *pool;
    covey_storage before; /* of the pool, if the image converted it; otherwise the default */
    uint32_t count, end, dead, blocks, disabled;
    const unsigned char *ids, *dead_ids, *holes, *masks, *disabled_masks, *ticks; /* in the image */
    uint32_t made;                                                                /* values that functions have made */
    covey_entity *entities; /* if the pool is observed: all that have the component */
    covey__links links;     /* in the tree of parts, by the names of their types */
} covey__part;

typedef struct covey__loading {
    covey_world *world;
    const covey_world *knows; /* types, by their names */
    const covey_load_desc *desc;
    const covey__entering *entering;
    bool is_kept;       /* there is one: */
    covey_world before; /* of the world as it was, the table of entities, if any index was used */
    covey_pool *aside;  /* the world's pools with holes and dead elements, as they were; room for: */
    uint32_t aside_count, aside_capacity;
    covey_sparse_set
        *raised; /* from handles of the image to those that entities got because theirs were used; or NULL */
    covey__entering raising; /* by that */
    covey_report *report;
    covey__image image;
    covey__heap heap; /* for what is needed only meanwhile */
    covey__part *parts;
    uint32_t part_count, part_capacity;
    uint32_t part_root;
    covey_entity *created; /* if somebody listens: all that are alive */
    uint32_t created_count;
    covey__change *changes; /* that they were, and what is added to pools that are observed */
    uint32_t change_count;
    uint64_t tick;  /* the world's, before */
    uint64_t since; /* the image has what was changed later; 0: all */
    uint64_t dense; /* the indices below are all alive */
    uint64_t told;
    covey__part *now; /* the pool whose values are read: */
    covey__reader values;
    size_t summed;
    uint32_t sum;
    bool sound, large;
} covey__loading;

static inline bool covey__is_fine(const covey__loading *l) { return l->report->result == COVEY_OK; }

/* image_load.c */
bool covey__out_of_memory(covey__loading *l); /* false: that is the reason, if there is none yet */
/* Whether as many bytes are left; otherwise LIMIT. Allocations fail without that, too, but not before some were made. */
bool covey__may_take(const covey__loading *l, covey__reader *reader, uint64_t bytes);
/* Codecs read the rest of a section. What they allocate is unknown: counts its bytes twice. False: LIMIT. */
bool covey__take_for_codecs(covey__loading *l, covey__reader *reader);
/* A limit of the caller's; 0 is the default. */
typedef struct covey__bound {
    const char *what, *name;
    uint64_t limit, usual;
} covey__bound;
bool covey__allows(covey__reader *reader, size_t offset, uint64_t count, covey__bound bound); /* so many? */
void covey__tell_progress(covey__loading *l, uint64_t done);
void covey__expect_end(const covey__loading *l, covey__reader *reader); /* of a section */

/* image_entities.c, image_pool.c */
void covey__load_entities(covey__loading *l, const covey__section_entry *section);
bool covey__table_keep(covey__loading *l); /* and begins a new one; false: no memory */
void covey__table_restore(covey__loading *l);
void covey__table_free(covey__loading *l);
void covey__load_pool(covey__loading *l, const covey__section_entry *section);
void covey__drop_part(const covey__loading *l, const covey__part *part); /* the values that functions have made */
/* The pool, which is empty again, gets the storage that it had before. */
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

/* Which ids of a block are meant, from a list of blocks and their masks. */
static inline uint32_t covey__block_at(const unsigned char *masks, uint32_t i, uint64_t *mask) {
    *mask = covey__u64_at(masks + (size_t)i * 12 + 4);
    return covey__u32_at(masks + (size_t)i * 12);
}

#endif
