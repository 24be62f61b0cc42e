/* Sorting packed arrays: those of one sparse set, or of several that have the same entities in the same order. */
#ifndef COVEY_SPARSE_SET_SORT_H
#define COVEY_SPARSE_SET_SORT_H

#include "storage/storage.h"

#include <covey/covey.h>

/* What is sorted: the first `count` elements of the sets, which hold the same entities in the same order. */
typedef struct covey__sort {
    covey__heap *heap;      /* for scratch */
    const covey_pool *pool; /* has the values that are compared; NULL: those of the only set are */
    covey_sparse_set *sets[COVEY_TERMS];
    uint32_t set_count, count;
} covey__sort;

/* A whole pool, which must be packed. */
covey__sort covey__sort_of(covey_pool *pool);

/* Why a pool cannot be sorted, and what helps; or NULL. */
const char *covey__sort_objection(const covey_pool *pool);
/* What is wrong with an order for `count` values of this size; or NULL. */
const char *covey__order_fault(const covey_order *order, uint32_t size, uint32_t count);

/* Makes the keys of all components of a pool at once. */
typedef void covey__keys_fn(const covey_pool *pool, uint64_t *keys, uint32_t count);
/* Sorts the part that the order names; by keys that a function makes, unless that is NULL. Only MEMORY: then nothing
 * has moved. */
covey_result covey__sets_sort(const covey__sort *sort, const covey_order *order, covey__keys_fn *make_keys);
/* Moves what is in another pool to the front, in the order of that pool. Only MEMORY. */
covey_result covey__sets_sort_as(const covey__sort *sort, const covey_pool *other);

#endif
