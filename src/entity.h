/* The table of entities: indices, generations, ranges. */
#ifndef COVEY_ENTITY_H
#define COVEY_ENTITY_H

#include <covey/covey.h>

covey__entity_page *covey__entity_page_of(const covey_world *world, uint32_t index); /* NULL if missing */
/* The first page of COVEY__BLOCK_PAGE indices, from one on, where the table has an index; or the end of the table. */
uint32_t covey__entities_next_page(const covey_world *world, uint32_t page);
const covey__range *covey__range_of(const covey_world *world, uint32_t index);
/* The same, and where the run of indices ends that this range issues. */
const covey__range *covey__range_run(const covey_world *world, uint32_t index, uint32_t *end);
/* Takes a free index out of what its range hands out. */
void covey__range_take(covey_world *world, covey__range *range, uint32_t index);
/* Hands out all indices from one on; none of them was used. */
static inline covey__range covey__range_from(uint32_t first) {
    return (covey__range){ .first = first, .end = COVEY_NONE, .fresh = first, .fresh_end = first, .free = COVEY_NONE };
}
bool covey__entities_reach(covey_world *world,
                           uint32_t index); /* makes its page if it is missing; false when an allocation fails */
void covey__entity_page_reset(covey__entity_page *page); /* none of its indices was ever used */
void covey__entities_free(covey_world *world);
/* Whether an index was ever used: it is alive, free, set aside or retired. */
static inline bool covey__was_used(const covey__entity_page *page, uint32_t index) {
    return page->generation[index % COVEY_PAGE_SIZE] != 0 || page->next[index % COVEY_PAGE_SIZE] == index;
}
uint32_t covey__entities_end(const covey_world *world);    /* one more than the highest living index */
bool covey__entities_never_used(const covey_world *world); /* no index was ever used or reserved */
/* Sets the generations of indices of one page, as an image has them; the other indices were never used. NULL when an
 * allocation fails. */
covey__entity_page *covey__entities_load(covey_world *world, uint32_t index, const uint32_t *generations,
                                         uint32_t count, bool past_caches);
/* Makes [fresh, fresh_end) of a range a run of unused indices of one page: FULL, MEMORY. */
covey_result covey__fresh_indices(covey_world *world, covey__range *range);
bool covey__ranges_reserve(covey_world *world,
                           uint32_t count);     /* room for this many more ranges; false when an allocation fails */
void covey__entities_reset(covey_world *world); /* forgets all indices and ranges; there must be no components */
bool covey__entities_clone(const covey_world *from, covey_world *to); /* false when memory is out */
/* Before entities are created: makes room in the queues of listeners. */
covey_result covey__entities_prepare(covey_world *world, uint32_t count);
/* Indices that are set aside: taken in the order of covey_create, but not alive. The handle is the one that the entity
 * will have. */
covey_entity covey__entity_set_aside(covey_world *world, covey_result *result); /* null, without a log: MEMORY, FULL */
void covey__entity_release(covey_world *world, covey_entity e); /* in the reverse order of setting aside */
void covey__entity_retire(covey_world *world, uint32_t index);  /* for good */
void covey__entity_enliven(covey_world *world, covey_entity e); /* tells listeners */
bool covey__is_set_aside(const covey__entity_page *page, uint32_t index);
bool covey__is_retired(const covey__entity_page *page, uint32_t index);

/* A fingerprint of an index: the sum of several tells which indices were summed, and how often. */
static inline uint64_t covey__fingerprint(uint32_t index) {
    uint64_t number = (index + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15);
    return (number ^ number >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
}

/* *set_aside is the sum of the fingerprints of all indices that are set aside. */
bool covey__entities_valid(const covey_world *world, uint64_t *set_aside, const char **why);

#endif
