/* Inserting components into sorted pools: one by bisection, many by one merge. */
#include "storage/order.h"

#include "memory/inner.h"
#include "memory/alloc.h"
#include "storage/hook.h"
#include "storage/sparse_set.h"
#include "storage/storage.h"

#include <stdalign.h>

static covey__item item_at(const covey_sparse_set *set, uint32_t at) {
    return (covey__item){ covey__value_at(set, at, set->size), set->ids[at] };
}

static bool belongs_before(const covey_order *order, covey__item a, covey__item b) {
    if (covey__order_compares(order)) return covey__compares_before(order, a, b);
    return covey__key_of(order, a) < covey__key_of(order, b);
}

/* Moves a value to an earlier position, and those between by one. It waits behind the last element meanwhile, where
 * room was reserved. */
static void rotate(covey_sparse_set *set, uint32_t from, uint32_t to) {
    size_t size = set->size;
    char *place = (char *)set->data + to * size, *value = (char *)set->data + from * size;
    char *waiting = (char *)set->data + set->end * size;
    if (set->end == set->data_capacity) {
        for (; value != place; value -= size) covey__exchange_values(&set->mover, value, value - size, size);
        return;
    }
    covey__relocate(&set->mover, waiting, value, size);
    covey__relocate_many(&set->mover, place + size, place, from - to, size);
    covey__relocate(&set->mover, place, waiting, size);
    if (set->zero_erased) memset(waiting, 0, size);
}

/* Where a component belongs among those before a position: behind its equals. */
static uint32_t place_of(const covey_order *order, const covey_sparse_set *set, covey__item added, uint32_t end) {
    uint32_t low = 0, high = end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (belongs_before(order, added, item_at(set, middle))) high = middle;
        else low = middle + 1;
    }
    return low;
}

void covey__order_insert(covey_pool *pool, const covey_order *order, uint32_t index) {
    covey_sparse_set *set = &pool->sparse_set;
    uint32_t at = covey__slot_position(*covey__slot_of(set, index));
    covey__hook hook = covey__hook_begin(pool->world, "function of an order", pool->type);
    uint32_t low = place_of(order, set, item_at(set, at), at);
    covey__hook_end(hook);
    if (low == at) return;
    covey_entity e = set->ids[at];
    memmove(set->ids + low + 1, set->ids + low, (at - low) * sizeof *set->ids);
    set->ids[low] = e;
    for (uint32_t i = low; i <= at; i++) covey__set_put(set, i, covey__set_id(set, i));
    if (set->size != 0) rotate(set, at, low);
    covey__pool_moved(pool, true);
}

/* ---- Many at once ------------------------------------------------------------------------------------------------*/

/* New components at the end of a pool: their positions are sorted, the components wait in separate memory, and are
 * merged with the others from the back. */
typedef struct tail {
    const covey_order *order;
    covey_sparse_set *set;
    uint32_t first, count;
    uint32_t *sorted, *scratch; /* positions; as many again */
    covey__slot *ids;
    char *values;
} tail;

/* Merges two runs of positions that follow each other. Of equals, those of the first run come first. */
static void merge_runs(const tail *t, uint32_t *to, const uint32_t *from, uint32_t middle, uint32_t end) {
    uint32_t left = 0, right = middle;
    for (uint32_t i = 0; i < end; i++) {
        bool take_right = left == middle;
        if (!take_right && right < end)
            take_right = belongs_before(t->order, item_at(t->set, from[right]), item_at(t->set, from[left]));
        to[i] = from[take_right ? right++ : left++];
    }
}

static void sort_tail(tail *t) {
    for (uint32_t i = 0; i < t->count; i++) t->sorted[i] = t->first + i;
    for (uint64_t width = 1; width < t->count; width *= 2) {
        for (uint64_t at = 0; at < t->count; at += 2 * width) {
            uint64_t left = t->count - at, middle = width < left ? width : left,
                     end = 2 * width < left ? 2 * width : left;
            merge_runs(t, t->scratch + at, t->sorted + at, (uint32_t)middle, (uint32_t)end);
        }
        uint32_t *other = t->sorted;
        t->sorted = t->scratch;
        t->scratch = other;
    }
}

/* Moves the components between two positions towards the end by a number of places. */
static void move_up(covey_sparse_set *set, uint32_t from, uint32_t end, uint32_t by) {
    size_t size = set->size;
    char *data = set->data;
    if (from == end) return;
    memmove(set->ids + from + by, set->ids + from, (end - from) * sizeof *set->ids);
    covey__relocate_many(&set->mover, data + (from + by) * size, data + from * size, end - from, size);
    for (uint32_t i = from + by; i < end + by; i++) covey__set_put(set, i, covey__set_id(set, i));
}

static void merge_tail(const tail *t) {
    covey_sparse_set *set = t->set;
    size_t size = set->size;
    uint32_t before = t->first, left = t->count;
    for (uint32_t i = 0; i < left; i++) {
        t->ids[i] = covey__set_id(set, t->sorted[i]);
        covey__relocate(&set->mover, t->values + i * size, covey__value_at(set, t->sorted[i], size), size);
    }
    for (; left != 0; left--) {
        char *value = t->values + (left - 1) * size;
        uint32_t to = place_of(t->order, set, (covey__item){ value, covey__entity_of(t->ids[left - 1]) }, before);
        move_up(set, to, before, left);
        before = to;
        covey__set_put(set, before + left - 1, t->ids[left - 1]);
        covey__relocate(&set->mover, covey__value_at(set, before + left - 1, size), value, size);
    }
}

/* False when an allocation fails. */
static bool merge_last(covey_pool *pool, const covey_order *order, uint32_t count) {
    covey__heap *heap = &pool->world->inner->heap;
    covey_sparse_set *set = &pool->sparse_set;
    char none, *values = set->size ? covey__resize(heap, NULL, 0, count, set->size, set->align) : &none;
    uint32_t *positions = covey__resize(heap, NULL, 0, count, 2 * sizeof *positions, alignof(uint32_t));
    covey__slot *ids = covey__resize(heap, NULL, 0, count, sizeof *ids, alignof(covey__slot));
    bool done = values && positions && ids;
    if (done) {
        tail t = { order, set, set->end - count, count, positions, positions + count, ids, values };
        covey__hook hook = covey__hook_begin(pool->world, "function of an order", pool->type);
        sort_tail(&t);
        merge_tail(&t);
        covey__hook_end(hook);
        if (set->zero_erased) memset(values, 0, count * (size_t)set->size);
    }
    covey__free(heap, ids, count, sizeof *ids, alignof(covey__slot));
    covey__free(heap, positions, count, 2 * sizeof *positions, alignof(uint32_t));
    if (set->size) covey__free(heap, values, count, set->size, set->align);
    return done;
}

static void insert_many(covey_pool *pool, const covey_order *order, const covey_entity *entities, uint32_t count) {
    bool last = count > 1 && covey__slot_position(*covey__slot_of(&pool->sparse_set, entities->index)) ==
                                 pool->sparse_set.end - count;
    if (last && merge_last(pool, order, count)) {
        covey__pool_moved(pool, true);
        return;
    }
    for (uint32_t i = 0; i < count; i++) covey__order_insert(pool, order, entities[i].index);
}

static covey_result prepare(covey_pool *pool, uint32_t count) {
    uint32_t left = COVEY_NONE - pool->sparse_set.end;
    if (count > left) return COVEY_ERROR_FULL;
    return covey__set_prepare_spare(&pool->sparse_set, count < left ? count + 1 : count);
}

const covey__ordering covey__ordering_of_pools = { .insert_many = insert_many, .prepare = prepare };
