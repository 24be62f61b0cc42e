/* The naive order: two values are compared as the numbers that they are, and sorted by insertion. */
#include "oracle.h"

#include <stdlib.h>

static uint32_t width_of(covey_key key) {
    switch (key) {
    case COVEY_KEY_INDEX: return 0;
    case COVEY_KEY_F32: return sizeof(float);
    case COVEY_KEY_F64: return sizeof(double);
    case COVEY_KEY_I32: return sizeof(int32_t);
    case COVEY_KEY_I64: return sizeof(int64_t);
    case COVEY_KEY_U32: return sizeof(uint32_t);
    case COVEY_KEY_U64: return sizeof(uint64_t);
    }
    return UINT32_MAX;
}

bool oracle_order_valid(const covey_order *order, uint32_t size, uint32_t count) {
    uint32_t width = width_of(order->key);
    bool compares = order->compare || order->compare_entities, makes = order->key_of || order->key_of_entity;
    if (width == UINT32_MAX || (compares && makes)) return false;
    if ((order->compare && order->compare_entities) || (order->key_of && order->key_of_entity)) return false;
    if (order->from > count || (uint64_t)order->from + order->count > count) return false;
    if (compares || (makes && order->key != COVEY_KEY_INDEX)) return true;
    return !makes && (order->key == COVEY_KEY_INDEX || (uint64_t)order->offset + width <= size);
}

/* ---- Two values ---------------------------------------------------------------------------------------------------*/

/* What is not a number comes last, in either direction. */
static bool is_less_f64(double a, double b, bool descending) {
    if (a != a || b != b) return a == a;
    return descending ? b < a : a < b;
}

#define DEFINE_IS_LESS(name, type)                                    \
    static bool name(const void *a, const void *b, bool descending) { \
        type left, right;                                             \
        memcpy(&left, a, sizeof left);                                \
        memcpy(&right, b, sizeof right);                              \
        return descending ? right < left : left < right;              \
    }
DEFINE_IS_LESS(is_less_i32, int32_t)
DEFINE_IS_LESS(is_less_i64, int64_t)
DEFINE_IS_LESS(is_less_u32, uint32_t)
DEFINE_IS_LESS(is_less_u64, uint64_t)

static bool is_less(covey_key key, const void *a, const void *b, bool descending) {
    float floats[2];
    double doubles[2];
    switch (key) {
    case COVEY_KEY_F32:
        memcpy(&floats[0], a, sizeof floats[0]);
        memcpy(&floats[1], b, sizeof floats[1]);
        return is_less_f64((double)floats[0], (double)floats[1], descending);
    case COVEY_KEY_F64:
        memcpy(&doubles[0], a, sizeof doubles[0]);
        memcpy(&doubles[1], b, sizeof doubles[1]);
        return is_less_f64(doubles[0], doubles[1], descending);
    case COVEY_KEY_I32: return is_less_i32(a, b, descending);
    case COVEY_KEY_I64: return is_less_i64(a, b, descending);
    case COVEY_KEY_U64: return is_less_u64(a, b, descending);
    case COVEY_KEY_INDEX:
    case COVEY_KEY_U32: break;
    }
    return is_less_u32(a, b, descending);
}

static bool is_before_by_function(const covey_order *order, const void *a, covey_entity a_id, const void *b,
                                  covey_entity b_id) {
    int result = order->compare ? order->compare(a, b, order->context)
                                : order->compare_entities(a_id, a, b_id, b, order->context);
    return order->descending ? result > 0 : result < 0;
}

static const void *key_of(const covey_order *order, const void *value, covey_entity e, uint64_t *made) {
    if (order->key_of) order->key_of(made, value, order->context);
    else if (order->key_of_entity) order->key_of_entity(made, e, value, order->context);
    else return (const char *)value + order->offset;
    return made;
}

bool oracle_order_is_before(const covey_order *order, const void *a, covey_entity a_id, const void *b,
                            covey_entity b_id) {
    uint64_t left = 0, right = 0;
    if (order->compare || order->compare_entities) return is_before_by_function(order, a, a_id, b, b_id);
    if (order->key == COVEY_KEY_INDEX) return order->descending ? b_id.index < a_id.index : a_id.index < b_id.index;
    return is_less(order->key, key_of(order, a, a_id, &left), key_of(order, b, b_id, &right), order->descending);
}

/* ---- Sets ---------------------------------------------------------------------------------------------------------*/

static bool is_before(const oracle_set *set, const covey_order *order, uint32_t a, uint32_t b) {
    return oracle_order_is_before(order, oracle_set_value(set, a), set->ids[a], oracle_set_value(set, b), set->ids[b]);
}

bool oracle_set_is_sorted(const oracle_set *set, const covey_order *order) {
    for (uint32_t i = 1; i < set->end; i++)
        if (is_before(set, order, i, i - 1)) return false;
    return true;
}

/* Takes the element out and puts it in again before others. */
static void move_up(oracle_set *set, uint32_t from, uint32_t to) {
    for (; from > to; from--) oracle_set_swap(set, from, from - 1);
}

void oracle_set_sort(oracle_set *set, const covey_order *order) {
    uint32_t first = order->from, end = order->count != 0 ? first + order->count : set->end;
    bool unstable = set->fault == ORACLE_SORTS_UNSTABLY;
    for (uint32_t i = first; i < end; i++) {
        uint32_t at = i;
        while (at != first && (is_before(set, order, i, at - 1) || (unstable && !is_before(set, order, at - 1, i))))
            at--;
        move_up(set, i, at);
    }
}

void oracle_set_sort_as(oracle_set *set, oracle_set *other) {
    uint32_t next = 0;
    for (uint32_t i = 0; i < other->end; i++) {
        covey_entity e = other->ids[i];
        uint32_t at = e.generation != 0 ? oracle_set_live(set, e) : COVEY_NONE;
        if (at != COVEY_NONE) move_up(set, at, next++);
    }
}

bool oracle_set_follow(oracle_set *set, const covey_entity *ids) {
    for (uint32_t i = 0; i < set->end; i++) {
        if (covey_same(ids[i], set->ids[i])) continue;
        uint32_t at = oracle_set_live(set, ids[i]);
        if (at == COVEY_NONE || at < i) return false;
        oracle_set_swap(set, i, at);
    }
    return true;
}
