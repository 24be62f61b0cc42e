/* Pools that are kept in an order: each component goes to its place when it is added. */
#include "order.h"

#include "observers.h"
#include "sparse_set.h"
#include "storage.h"

static bool belongs_before(const covey_pool *pool, uint32_t a, uint32_t b) {
    const covey_order *order = &pool->watch->order;
    const void *left = covey__value_at(&pool->set, a, pool->size), *right = covey__value_at(&pool->set, b, pool->size);
    if (order->compare) return covey__compare_values(order, left, right) < 0;
    return covey__key_of(order, left, pool->set.ids[a].index) < covey__key_of(order, right, pool->set.ids[b].index);
}

/* Moves a value to a position before it, and those between by one. It waits behind the last element meanwhile, where a
 * position is left. */
static void rotate(covey_sparse_set *set, uint32_t from, uint32_t to) {
    size_t size = set->size;
    char *place = (char *)set->data + to * size, *value = (char *)set->data + from * size;
    char *waiting = (char *)set->data + set->end * size;
    if (set->end == set->data_capacity) {
        for (; value != place; value -= size) covey__swap_bytes(value, value - size, size);
        return;
    }
    memcpy(waiting, value, size);
    memmove(place + size, place, (from - to) * size);
    memcpy(place, waiting, size);
    if (set->zero_vacated) memset(waiting, 0, size);
}

void covey__sort_insert(covey_pool *pool, uint32_t index) {
    covey_sparse_set *set = &pool->set;
    uint32_t at = covey__slot_position(*covey__slot_of(set, index)), low = 0, high = at;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (belongs_before(pool, at, middle)) high = middle;
        else low = middle + 1;
    }
    if (low == at) return;
    covey_entity e = set->ids[at];
    memmove(set->ids + low + 1, set->ids + low, (at - low) * sizeof *set->ids);
    set->ids[low] = e;
    for (uint32_t i = low; i <= at; i++) covey__set_put(set, i, covey__set_id(set, i));
    if (set->size != 0) rotate(set, at, low);
    covey__pool_moved(pool, true);
}
