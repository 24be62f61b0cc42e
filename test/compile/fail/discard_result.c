/* expect: ignoring return value.*nodiscard|ignoring return value.*warn_unused_result */
#include "../position.h"

void sort(covey_pool *pool, const covey_order *order);

void sort(covey_pool *pool, const covey_order *order) {
#ifdef FIXED
    (void)covey_pool_sort(pool, order);
#else
    covey_pool_sort(pool, order);
#endif
}
