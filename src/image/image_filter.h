/* Which entities and components are saved, if not all of them. */
#ifndef COVEY_IMAGE_FILTER_H
#define COVEY_IMAGE_FILTER_H

#include "image/image.h"
#include "memory/pages.h"

/* Bits of COVEY__BLOCK_PAGE indices. */
typedef struct covey__filter_page {
    uint64_t chosen[COVEY__PAGE_BLOCKS];
    uint64_t freed[COVEY__PAGE_BLOCKS]; /* those that are left out, and whose index is free in the image */
    uint64_t nameless
        [COVEY__PAGE_BLOCKS]; /* of those that are chosen: whose name another root has that is in the image, too */
} covey__filter_page;

typedef struct covey__filter {
    const covey_world *world;
    uint64_t since;     /* components of types with ticks that were changed later; 0: all */
    bool chooses;       /* some may be left out: the pages say who is */
    bool retires;       /* some that are left out had the last generation of their index */
    covey__pages pages; /* where entities are alive */
    uint32_t count;     /* of entities that are chosen */
} covey__filter;

/* Asks the choose function about each entity, once. False: memory is out. */
bool covey__filter_make(covey__filter *filter, covey__heap *heap, const covey_world *world,
                        const covey_save_desc *desc);
void covey__filter_free(covey__filter *filter, covey__heap *heap);

/* Of the 64 indices around one, those that are alive and chosen. */
static inline uint64_t covey__filter_word(const covey__filter *filter, uint32_t index) {
    const covey__filter_page *page = covey__page_at(&filter->pages, index);
    return page ? page->chosen[index / 64 % COVEY__PAGE_BLOCKS] : 0;
}
static inline bool covey__filter_has(const covey__filter *filter, uint32_t index) { /* an entity that is alive */
    return !filter->chooses || (covey__filter_word(filter, index) >> index % 64 & 1) != 0;
}
bool covey__filter_names(const covey__filter *filter, uint32_t index); /* whether it keeps its name */
bool covey__filter_takes_all(const covey__filter *filter, const covey_pool *pool);
/* Of components of a block, those that are saved. */
uint64_t covey__filter_mask(const covey__filter *filter, const covey_pool *pool, uint32_t first, uint64_t mask);
/* The first position from one on whose component is saved, or COVEY_NONE; how many there are. */
uint32_t covey__filter_next(const covey__filter *filter, const covey_pool *pool, uint32_t from);
uint32_t covey__filter_count(const covey__filter *filter, const covey_pool *pool);
/* Lists the indices that are saved of a packed pool, from a position on, which it moves on; 0 at the end. */
uint32_t covey__filter_ids(const covey__filter *filter, const covey_pool *pool, uint32_t *from, uint32_t *list,
                           uint32_t most);
/* Generations of indices from one on, as the image has them. */
void covey__filter_generations(const covey__filter *filter, uint32_t first, const uint32_t *from, uint32_t count,
                               uint32_t *to);

#endif
