/* Sorting, and pools that are kept sorted. */
#ifndef COVEY_SORT_H
#define COVEY_SORT_H

#include "storage/sparse_set_sort.h"

/* Sorts a pool, as covey_pool_sort does, by keys of 32 bits that a function makes for all components at once. */
covey_result covey__pool_sort_by(covey_pool *pool, covey__keys_fn *keys);
void covey__pool_sort_again(covey_pool *pool); /* one that is kept sorted; quick only if there is memory */

#endif
