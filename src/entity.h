/* The table of entities: indices, generations, ranges. */
#ifndef COVEY_ENTITY_H
#define COVEY_ENTITY_H

#include <covey/covey.h>

covey__entity_page *covey__entity_page_of(const covey_world *world, uint32_t index); /* NULL when it is missing */
const covey__range *covey__range_of(const covey_world *world, uint32_t index);
/* All indices from one on, of which none was used. */
static inline covey__range covey__range_from(uint32_t first) {
    return (covey__range){ .first = first, .end = COVEY_NONE, .fresh = first, .fresh_end = first, .free = COVEY_NONE };
}
bool covey__entities_reach(covey_world *world, uint32_t index); /* makes its page, if it is missing; false: no memory */
void covey__entity_page_reset(covey__entity_page *page);        /* none of its indices was ever used */
void covey__entities_free(covey_world *world);
/* Whether an index is alive, free, set aside or retired: anything but never used. */
static inline bool covey__was_used(const covey__entity_page *page, uint32_t index) {
    return page->generation[index % COVEY_PAGE_SIZE] != 0 || page->next[index % COVEY_PAGE_SIZE] == index;
}
uint32_t covey__entities_end(const covey_world *world);    /* the index behind the last one that is alive */
bool covey__entities_never_used(const covey_world *world); /* no index was ever used or reserved */
/* Gives indices of one page, from one on, generations that an image has; the others are as if never used. NULL when memory
 * is out. */
covey__entity_page *covey__entities_load(covey_world *world, uint32_t index, const uint32_t *generations,
                                         uint32_t count, bool past_caches);
/* Makes [fresh, fresh_end) of a range a run of unused indices of one page: FULL, MEMORY. */
covey_result covey__fresh_indices(covey_world *world, covey__range *range);
bool covey__ranges_reserve(covey_world *world, uint32_t count); /* room for so many more; the same */
void covey__entities_reset(covey_world *world); /* as if none was ever used or reserved; no component is there */
bool covey__entities_clone(const covey_world *from, covey_world *to); /* false when memory is out */
/* Before entities are made: the memory that listeners need. */
covey_result covey__entities_prepare(covey_world *world, uint32_t count);
/* Indices that are set aside: taken as covey_create does, and not alive. The handle is the one that the entity gets. */
covey_entity covey__entity_set_aside(covey_world *world, covey_result *result); /* null, without a log: MEMORY, FULL */
void covey__entity_release(covey_world *world, covey_entity e);                 /* those set aside last come first */
void covey__entity_retire(covey_world *world, uint32_t index);                  /* its generations are used up */
void covey__entity_enliven(covey_world *world, covey_entity e);                 /* tells listeners */
bool covey__is_set_aside(const covey__entity_page *page, uint32_t index);

/* A number for an index: the sum of several tells which indices they are of, and how often. */
static inline uint64_t covey__fingerprint(uint32_t index) {
    uint64_t number = (index + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15);
    return (number ^ number >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
}

/* *set_aside is the sum of the fingerprints of all indices that are set aside. */
bool covey__entities_valid(const covey_world *world, uint64_t *set_aside, const char **why);

#endif
