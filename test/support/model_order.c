/* Operations on the order of pools. */
#include "model_world.h"

#include <math.h>

/* ---- Orders -------------------------------------------------------------------------------------------------------*/

static char has_bytes; /* the context of orders of values that have any: it outlives the world, and its types */

/* The first byte of a value, without what little differences there are, so that many are equal. */
static uint32_t rank_of(const void *value, void *context) { return context ? *(const unsigned char *)value / 8u : 0; }

static int compare(const void *a, const void *b, void *context) {
    uint32_t left = rank_of(a, context), right = rank_of(b, context);
    return left < right ? -3 : left > right;
}

static void write_u32(void *key, const void *value, void *context) {
    uint32_t number = rank_of(value, context) * UINT32_C(0x8000001);
    memcpy(key, &number, sizeof number);
}

static void write_i64(void *key, const void *value, void *context) {
    int64_t number = (int64_t)rank_of(value, context) - 16;
    memcpy(key, &number, sizeof number);
}

static void write_f32(void *key, const void *value, void *context) {
    float numbers[] = { 0.0f, -0.0f, 1.5f, -1.5f, NAN, INFINITY, -INFINITY, 1e-40f };
    memcpy(key, &numbers[rank_of(value, context) % 8], sizeof numbers[0]);
}

/* For entities, the number of uses of their index counts as well. */
static uint32_t rank_of_entity(covey_entity e, const void *value, void *context) {
    uint32_t index = e.index, generation = e.generation;
    return rank_of(value, context) ^ (index + generation) % 4;
}

static int compare_entities(covey_entity a, const void *a_value, covey_entity b, const void *b_value, void *context) {
    uint32_t left = rank_of_entity(a, a_value, context), right = rank_of_entity(b, b_value, context);
    return left < right ? -1 : left > right ? 5 : 0;
}

static void write_entity_u64(void *key, covey_entity e, const void *value, void *context) {
    uint64_t number = (uint64_t)rank_of_entity(e, value, context) << 33 | (uint32_t)e.index % 2;
    memcpy(key, &number, sizeof number);
}

static void pick_key_in_value(model *m, covey_order *order, uint32_t size) {
    order->key = (covey_key)(1 + program_below(&m->program, 6));
    bool wide = order->key == COVEY_KEY_F64 || order->key == COVEY_KEY_I64 || order->key == COVEY_KEY_U64;
    uint32_t width = wide ? 8 : 4;
    if (size >= width) order->offset = program_below(&m->program, size - width + 1);
    else order->key = COVEY_KEY_INDEX;
}

static void pick_key_function(model *m, covey_order *order) {
    static const covey_key kinds[] = { COVEY_KEY_U32, COVEY_KEY_I64, COVEY_KEY_F32 };
    static covey_key_fn *const functions[] = { write_u32, write_i64, write_f32 };
    uint32_t which = program_below(&m->program, 3);
    order->key = kinds[which];
    order->key_of = functions[which];
}

covey_order model_pick_order(model *m, const covey_type *type, uint32_t count) {
    covey_order order = { .context = type->size != 0 ? &has_bytes : NULL };
    uint32_t how = program_below(&m->program, 16);
    if (how < 6) pick_key_in_value(m, &order, type->size);
    else if (how < 8) pick_key_function(m, &order);
    else if (how == 8) order.key = COVEY_KEY_U64, order.key_of_entity = write_entity_u64;
    else if (how < 11) order.compare = compare;
    else if (how == 11) order.compare_entities = compare_entities;
    else if (how == 12) order.key = (covey_key)(1 + program_below(&m->program, 8)); /* a kind that is none, or at 0 */
    else if (how == 13) order.offset = UINT32_MAX - program_below(&m->program, 8), order.key = COVEY_KEY_I32;
    order.descending = program_chance(&m->program, 96);
    if (program_chance(&m->program, 4)) order.compare = compare, order.key_of = write_u32; /* one too many */
    if (program_chance(&m->program, 40)) order.from = program_below(&m->program, count + 1);
    if (program_chance(&m->program, 40)) order.count = program_below(&m->program, count - order.from + 3);
    return order;
}

/* ---- Pools --------------------------------------------------------------------------------------------------------*/

bool model_is_bound(const model *m, const oracle_pool *pool) {
    return pool->set->kept || oracle_is_owned(m->oracle, pool);
}

static bool is_too_costly(model *m) { return m->options->crowd >= 1000 && program_below(&m->program, 16) != 0; }

static bool can_be_sorted(const oracle_pool *pool) {
    return !pool->set->by_index && pool->set->policy != COVEY_IN_PLACE && pool->set->hole_count == 0;
}

static void check_order(model *m, const oracle_pool *pool) {
    const covey_pool *held = covey_pool_find_raw(m->world, pool->type);
    const covey_entity *ids = covey_pool_ids(held);
    REQUIRE(m, covey_pool_position_count(held) == pool->set->end, "%u %s, not %u", covey_pool_position_count(held),
            pool->type->name, pool->set->end);
    for (uint32_t i = 0; i < pool->set->end; i++)
        REQUIRE(m, covey_same(ids[i], pool->set->ids[i]), "%s %u is of %u:%u, not of %u:%u", pool->type->name, i,
                ids[i].index, ids[i].generation, pool->set->ids[i].index, pool->set->ids[i].generation);
}

static bool settle_result(model *m, covey_result result, covey_result expected) {
    bool done = model_settle(m, result == COVEY_OK, expected);
    REQUIRE(m, done || result == m->result, "another result than the world's");
    return done;
}

static oracle_pool *pick_sorted(model *m) {
    return is_too_costly(m) ? NULL : oracle_pool_of(m->oracle, model_pick_type(m));
}

static void pool_sort(model *m) {
    const oracle_pool *pool = pick_sorted(m);
    if (!pool) return;
    covey_order order = model_pick_order(m, pool->type, pool->set->end);
    bool by_index = program_chance(&m->program, 16);
    if (by_index) order = (covey_order){ .key = COVEY_KEY_INDEX };
    covey_result expected = oracle_order_valid(&order, pool->type->size, pool->set->end) ? COVEY_OK : COVEY_ERROR_RANGE;
    if (!can_be_sorted(pool) || model_is_bound(m, pool)) expected = COVEY_ERROR_REFUSED;
    covey_result result = covey_pool_sort(covey_pool_find_raw(m->world, pool->type), by_index ? NULL : &order);
    if (!settle_result(m, result, expected)) return;
    oracle_set_sort(pool->set, &order);
    check_order(m, pool);
}

static void pool_sort_as(model *m) {
    const oracle_pool *pool = pick_sorted(m), *other = oracle_pool_of(m->oracle, model_pick_type(m));
    if (!pool || !other) return;
    covey_result expected = can_be_sorted(pool) && !model_is_bound(m, pool) ? COVEY_OK : COVEY_ERROR_REFUSED;
    covey_result result =
        covey_pool_sort_as(covey_pool_find_raw(m->world, pool->type), covey_pool_find_raw(m->world, other->type));
    if (!settle_result(m, result, expected)) return;
    if (pool != other) oracle_set_sort_as(pool->set, other->set);
    check_order(m, pool);
}

static covey_result may_keep(model *m, const oracle_pool *pool, const covey_order *order) {
    if (oracle_is_owned(m->oracle, pool)) return COVEY_ERROR_REFUSED;
    if (!can_be_sorted(pool) || pool->set->policy != COVEY_SWAP_AND_POP) return COVEY_ERROR_REFUSED;
    bool all = order->from == 0 && order->count == 0;
    return all && oracle_order_valid(order, pool->type->size, pool->set->end) ? COVEY_OK : COVEY_ERROR_RANGE;
}

static void pool_keep_sorted(model *m) {
    const oracle_pool *pool = pick_sorted(m);
    if (!pool) return;
    covey_order order = model_pick_order(m, pool->type, pool->set->end);
    covey_result result = covey_pool_keep_sorted(covey_pool_find_raw(m->world, pool->type), &order);
    if (!settle_result(m, result, may_keep(m, pool, &order))) return;
    oracle_set_sort(pool->set, &order);
    pool->set->kept = true;
    pool->set->order = order;
    check_order(m, pool);
}

static void pool_keep_sorted_end(model *m) {
    const oracle_pool *pool = pick_sorted(m);
    if (!pool) return;
    REQUIRE(m, covey_pool_keep_sorted(covey_pool_find_raw(m->world, pool->type), NULL) == COVEY_OK, "it is kept on");
    pool->set->kept = false;
}

/* ---- After a step -------------------------------------------------------------------------------------------------*/

/* Only a key that is changed in place breaks the order; the operation that does so keeps the pool sorted again. */
static void keep_again(model *m, const oracle_pool *pool) {
    check_order(m, pool);
    if (oracle_set_is_sorted(pool->set, &pool->set->order)) return;
    covey_result result = covey_pool_keep_sorted(covey_pool_find_raw(m->world, pool->type), &pool->set->order);
    REQUIRE(m, result == COVEY_OK, "%s is not kept again: %s", pool->type->name, covey_result_text(result));
    oracle_set_sort(pool->set, &pool->set->order);
}

static void follow_library(model *m, const oracle_pool *pool) {
    const covey_pool *held = covey_pool_find_raw(m->world, pool->type);
    REQUIRE(m, covey_pool_position_count(held) == pool->set->end, "%u %s, not %u", covey_pool_position_count(held),
            pool->type->name, pool->set->end);
    REQUIRE(m, oracle_set_follow(pool->set, covey_pool_ids(held)), "other entities have a %s", pool->type->name);
}

void model_catch_up(model *m) {
    for (uint32_t i = 0; i < m->oracle->pool_count; i++) {
        const oracle_pool *pool = &m->oracle->pools[i];
        if (pool->set->kept) keep_again(m, pool);
        else if (m->oracle->group_count != 0 && !pool->set->by_index && oracle_is_owned(m->oracle, pool))
            follow_library(m, pool);
    }
}

const model_operation model_order_operations[] = {
    { "pool_sort", pool_sort, 6, false },
    { "pool_sort_as", pool_sort_as, 3, false },
    { "pool_keep_sorted", pool_keep_sorted, 4, false },
    { "pool_keep_sorted, to end it", pool_keep_sorted_end, 2, true },
    { NULL, NULL, 0, false },
};
