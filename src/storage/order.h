/* Orders: the keys by which components are compared, and inserting components into sorted pools. */
#ifndef COVEY_ORDER_H
#define COVEY_ORDER_H

#include "memory/inner.h"

#include <covey/covey.h>

/* Floats as bits: for negative ones all bits are flipped, for the others the sign. -0 equals 0, and NaN is greater than
 * any other key. */
static inline uint64_t covey__key_of_f32(const void *at, uint64_t flip) {
    uint32_t bits, sign = (uint32_t)1 << 31;
    memcpy(&bits, at, sizeof bits);
    if ((bits & ~sign) > UINT32_C(0x7F800000)) return UINT32_MAX;
    if (bits == sign) bits = 0;
    return (uint32_t)(bits ^ ((bits & sign) != 0 ? UINT32_MAX : sign) ^ (uint32_t)flip);
}

static inline uint64_t covey__key_of_f64(const void *at, uint64_t flip) {
    uint64_t bits, sign = (uint64_t)1 << 63;
    memcpy(&bits, at, sizeof bits);
    if ((bits & ~sign) > UINT64_C(0x7FF0000000000000)) return UINT64_MAX;
    if (bits == sign) bits = 0;
    return bits ^ ((bits & sign) != 0 ? UINT64_MAX : sign) ^ flip;
}

static inline uint64_t covey__key_of_32(const void *at, uint64_t flip, uint32_t sign) {
    uint32_t number;
    memcpy(&number, at, sizeof number);
    return number ^ sign ^ (uint32_t)flip;
}

static inline uint64_t covey__key_of_64(const void *at, uint64_t flip, uint64_t sign) {
    uint64_t number;
    memcpy(&number, at, sizeof number);
    return number ^ sign ^ flip;
}

/* The key of a number as an unsigned number; reversed if `flip` has all bits. */
static inline uint64_t covey__key_at(covey_key kind, const void *at, uint64_t flip) {
    switch (kind) {
    case COVEY_KEY_F32: return covey__key_of_f32(at, flip);
    case COVEY_KEY_F64: return covey__key_of_f64(at, flip);
    case COVEY_KEY_I32: return covey__key_of_32(at, flip, (uint32_t)1 << 31);
    case COVEY_KEY_I64: return covey__key_of_64(at, flip, (uint64_t)1 << 63);
    case COVEY_KEY_U64: return covey__key_of_64(at, flip, 0);
    case COVEY_KEY_INDEX:
    case COVEY_KEY_U32: break;
    }
    return covey__key_of_32(at, flip, 0);
}

static inline uint64_t covey__flip_of(const covey_order *order) { return order->descending ? UINT64_MAX : 0; }

/* A component: its value and its entity. */
typedef struct covey__item {
    const void *value;
    covey_entity entity;
} covey__item;

/* The key of a component, from its value, its entity or a function. */
static inline uint64_t covey__key_of(const covey_order *order, covey__item item) {
    uint64_t made = 0;
    uint32_t index = item.entity.index;
    if (order->key == COVEY_KEY_INDEX) return covey__key_of_32(&index, covey__flip_of(order), 0);
    if (order->key_of) order->key_of(&made, item.value, order->context);
    else if (order->key_of_entity) order->key_of_entity(&made, item.entity, item.value, order->context);
    else return covey__key_at(order->key, (const char *)item.value + order->offset, covey__flip_of(order));
    return covey__key_at(order->key, &made, covey__flip_of(order));
}

/* Whether a function compares components, which then have no keys. */
static inline bool covey__order_compares(const covey_order *order) { return order->compare || order->compare_entities; }

/* For such an order. */
static inline bool covey__compares_before(const covey_order *order, covey__item a, covey__item b) {
    covey__item first = order->descending ? b : a, second = order->descending ? a : b;
    if (order->compare) return order->compare(first.value, second.value, order->context) < 0;
    return order->compare_entities(first.entity, first.value, second.entity, second.value, order->context) < 0;
}

/* Moves a component of a packed pool to its place; all components before it are sorted. */
void covey__order_insert(covey_pool *pool, const covey_order *order, uint32_t index);
/* What changes of a pool that is kept sorted call. The world has it from the first such pool on (covey__keep_order). */
typedef struct covey__ordering {
    /* Moves the last components of the pool to their places: one merge or, if an allocation fails, one after the
     * other. */
    void (*insert_many)(covey_pool *pool, const covey_order *order, const covey_entity *entities, uint32_t count);
    /* Room for `count` more components and for one value that waits while others move. MEMORY, FULL. */
    covey_result (*prepare)(covey_pool *pool, uint32_t count);
} covey__ordering;
extern const covey__ordering covey__ordering_of_pools;

static inline void covey__order_insert_many(covey_pool *pool, const covey_order *order, const covey_entity *entities,
                                            uint32_t count) {
    pool->world->inner->ordering->insert_many(pool, order, entities, count);
}
static inline covey_result covey__order_prepare(covey_pool *pool, uint32_t count) {
    return pool->world->inner->ordering->prepare(pool, count);
}

#endif
