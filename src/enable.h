/* Disabled components: a bit for each index. */
#ifndef COVEY_ENABLE_H
#define COVEY_ENABLE_H

#include "pages.h"
#include "storage.h"
#include "watch.h"

#include <covey/covey.h>

#define COVEY__OFF_BYTES (COVEY__PAGE_BLOCKS * sizeof(uint64_t)) /* of a page */
uint64_t *covey__off_reach(covey_pool *pool, uint32_t index);    /* the page of bits; NULL when memory is out */
covey_pool *covey__pool_of_disabled(covey_world *world);         /* made if it is not there; NULL when memory is out */

/* Which of the 64 ids of a block have a component that is disabled. The pool may be unknown. */
static inline uint64_t covey__off_mask(const covey_pool *pool, uint32_t index) {
    const uint64_t *page = pool && pool->watch ? covey__page_at(&pool->watch->off, index) : NULL;
    return page ? page[covey__block_of(index)] : 0;
}

static inline bool covey__is_off(const covey_pool *pool, uint32_t index) {
    return covey__off_mask(pool, index) >> index % 64 & 1;
}

/* Whether an entity that is alive has a component that is not disabled. */
static inline bool covey__sees(const covey_pool *pool, uint32_t index) {
    return covey__has_index(pool, index) && !covey__is_off(pool, index);
}

static inline bool covey__may_hide(const covey_pool *pool) { return pool && pool->watch && pool->watch->off.at; }

bool covey__disabled_valid(const covey_world *world, const char **why);

#endif
