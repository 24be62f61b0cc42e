/* What can be asked of a pool, whatever storage it has. */
#ifndef COVEY_STORAGE_H
#define COVEY_STORAGE_H

#include "sparse_set.h"

#include <covey/covey.h>

/* The component of an entity that is alive, by its index alone. The pool may be unknown: NULL has nothing. */
static inline bool covey__has_index(const covey_pool *pool, uint32_t index) {
    if (!pool) return false;
    if (covey__in_blocks(pool)) return covey__block_has(&pool->blocks, index);
    return covey__set_has(&pool->set, index, pool->set.end);
}

/* Its value; it is there. */
static inline void *covey__value_of_index(const covey_pool *pool, uint32_t index) {
    if (covey__in_blocks(pool)) return covey__block_value(&pool->blocks, index, pool->size);
    return covey__value_at(&pool->set, (uint32_t)*covey__slot_of(&pool->set, index), pool->size);
}

#endif
