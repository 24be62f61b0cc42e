/* Sorting, and pools that are kept in an order. */
#ifndef COVEY_SORT_H
#define COVEY_SORT_H

#include <covey/covey.h>

/* Sorts a pool, as covey_pool_sort does, by keys of 32 bits that a function makes for all components at once. */
typedef void covey__keys_fn(const covey_pool *pool, uint64_t *keys, uint32_t count);
covey_result covey__pool_sort_by(covey_pool *pool, covey__keys_fn *keys);
void covey__pool_sort_again(covey_pool *pool); /* one that is kept in an order; quick only if there is memory */

#endif
