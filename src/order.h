/* Orders: the keys by which components are compared, and pools that are kept in one. */
#ifndef COVEY_ORDER_H
#define COVEY_ORDER_H

#include <covey/covey.h>

/* Floats by their bits: the more the larger, once those of negative ones are turned around. -0 counts as 0, and what is
 * not a number as more than any, which no other key is. */
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

/* The key of a number as one without a sign, the other way round if `flip` has all bits. */
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

/* The key of a component, whatever it comes from. */
static inline uint64_t covey__key_of(const covey_order *order, const void *value, uint32_t index) {
    uint64_t made = 0;
    if (order->key == COVEY_KEY_INDEX) return covey__key_of_32(&index, covey__flip_of(order), 0);
    if (!order->key_of) return covey__key_at(order->key, (const char *)value + order->offset, covey__flip_of(order));
    order->key_of(&made, value, order->context);
    return covey__key_at(order->key, &made, covey__flip_of(order));
}

static inline int covey__compare_values(const covey_order *order, const void *a, const void *b) {
    return order->descending ? order->compare(b, a, order->context) : order->compare(a, b, order->context);
}

/* Puts a component of a pool that is kept in order, before which all are sorted, in its place. */
void covey__sort_insert(covey_pool *pool, uint32_t index);
/* The same for the last components of the pool: one merge, or, without memory for it, one after the other. */
void covey__sort_insert_many(covey_pool *pool, const covey_entity *entities, uint32_t count);

#endif
