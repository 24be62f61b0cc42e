/* Which entities and components are saved, if not all of them. */
#ifndef COVEY_IMAGE_FILTER_H
#define COVEY_IMAGE_FILTER_H

#include "image/image.h"
#include "memory/pages.h"

/* A bit for each of COVEY__BLOCK_PAGE indices. */
typedef struct covey__filter_page {
    uint64_t chosen[COVEY__PAGE_BLOCKS];
    uint64_t freed[COVEY__PAGE_BLOCKS];    /* left out, and the index is free in the image */
    uint64_t nameless[COVEY__PAGE_BLOCKS]; /* chosen, but saved without a name: another root of the image has it */
} covey__filter_page;

typedef struct covey__filter {
    const covey_world *world;
    uint64_t since;     /* of types with ticks, only components changed after this tick; 0: all */
    bool chooses;       /* some entities may be left out: `pages` has the choice */
    bool retires;       /* some entities that are left out had the last generation of their index */
    covey__pages pages; /* for indices with living entities */
    uint32_t count;     /* of chosen entities */
} covey__filter;

/* Calls the choose function once for each entity. False when an allocation fails. */
bool covey__filter_make(covey__filter *filter, covey__heap *heap, const covey_world *world,
                        const covey_save_desc *desc);
void covey__filter_free(covey__filter *filter, covey__heap *heap);

/* The entities of the block of an index that are alive and chosen. */
static inline uint64_t covey__filter_word(const covey__filter *filter, uint32_t index) {
    const covey__filter_page *page = covey__page_at(&filter->pages, index);
    return page ? page->chosen[index / COVEY__BLOCK_IDS % COVEY__PAGE_BLOCKS] : 0;
}
static inline bool covey__filter_has(const covey__filter *filter, uint32_t index) { /* it must be alive */
    return !filter->chooses || (covey__filter_word(filter, index) >> index % COVEY__BLOCK_IDS & 1) != 0;
}
bool covey__filter_names(const covey__filter *filter, uint32_t index); /* whether it keeps its name */
bool covey__filter_takes_all(const covey__filter *filter, const covey_pool *pool);
/* The components of a block that are saved; `mask` are those that it has. */
uint64_t covey__filter_mask(const covey__filter *filter, const covey_pool *pool, uint32_t first, uint64_t mask);
/* next: the first position from `from` on whose component is saved, or COVEY_NONE. count: how many are saved. */
uint32_t covey__filter_next(const covey__filter *filter, const covey_pool *pool, uint32_t from);
uint32_t covey__filter_count(const covey__filter *filter, const covey_pool *pool);
/* Lists indices of a packed pool that are saved, from position *from on, and advances *from. Returns how many; 0 at the
 * end. */
uint32_t covey__filter_ids(const covey__filter *filter, const covey_pool *pool, uint32_t *from, uint32_t *list,
                           uint32_t most);
/* Copies generations of indices from `first` on as they are in the image: entities that are left out were destroyed. */
void covey__filter_generations(const covey__filter *filter, uint32_t first, const uint32_t *from, uint32_t count,
                               uint32_t *to);

#endif
