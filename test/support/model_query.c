/* Operations that only look. */
#include "model_world.h"

static void get(model *m) {
    const covey_type *type = model_pick_type(m);
    const oracle_pool *pool = oracle_pool_of(m->oracle, type);
    covey_entity e = model_pick_member(m, pool);
    const unsigned char *wanted = pool ? oracle_get(m->oracle, pool, e) : NULL;
    const void *value = covey_get_raw(m->world, e, type);
    REQUIRE(m, (value != NULL) == (wanted != NULL), "%u:%u and %s", e.index, e.generation, type->name);
    REQUIRE(m, !value || memcmp(value, wanted, type->size) == 0, "another value");
    REQUIRE(m, covey_has_raw(m->world, e, type) == (wanted != NULL), "has is not get");
    REQUIRE(m, covey_alive(m->world, e) == oracle_alive(m->oracle, e), "alive and not");
    const covey_pool *held = covey_pool_find_raw(m->world, type);
    REQUIRE(m, (held != NULL) == (pool != NULL), "a pool that should not be");
    if (!held) return;
    REQUIRE(m, covey_pool_get_raw(held, e) == value, "the pool has another address");
    REQUIRE(m, covey_pool_has(held, e) == (value != NULL), "the pool disagrees");
    REQUIRE(m, !value || covey_pool_get_unchecked_raw(held, e) == value, "unchecked is another address");
    uint32_t at = covey_pool_position(held, e), live = oracle_set_live(pool->set, e);
    if (live != COVEY_NONE && pool->set->by_index) live = e.index;
    REQUIRE(m, at == (value ? live : COVEY_NONE), "it is at %u", at);
    REQUIRE(m, (covey_pool_storage(held) != COVEY_STORAGE_SPARSE) == pool->set->by_index, "another storage");
}

/* Programs call it with a constant number, for which the compiler unrolls its loops. */
static bool get_all(const covey_world *world, covey_entity e, const covey__destination *into, uint32_t count) {
    switch (count) {
    case 0: return covey__get_all(world, e, into, 0);
    case 1: return covey__get_all(world, e, into, 1);
    case 2: return covey__get_all(world, e, into, 2);
    case 3: return covey__get_all(world, e, into, 3);
    default: return covey__get_all(world, e, into, 4);
    }
}

static void get_several(model *m, covey_entity e, const covey_type *const *types, uint32_t count, bool all) {
    covey__destination into[4];
    void *found[4], *raw[4];
    for (uint32_t i = 0; i < count; i++)
        into[i] = (covey__destination){ .type = types[i], .to = &found[i], .size = types[i]->size };
    REQUIRE(m, get_all(m->world, e, into, count) == all, "get_all: not %d", all);
    REQUIRE(m, covey_get_all_raw(m->world, e, types, raw) == all, "get_all_raw: not %d", all);
    for (uint32_t i = 0; i < count; i++) {
        void *wanted = all ? covey_get_raw(m->world, e, types[i]) : NULL;
        REQUIRE(m, found[i] == wanted && raw[i] == wanted, "get_all has another address of %s", types[i]->name);
    }
}

static void has_several(model *m) {
    const covey_type *types[5] = { NULL };
    uint32_t count = program_below(&m->program, 5), there = 0;
    covey_entity e = model_pick(m);
    for (uint32_t i = 0; i < count; i++) {
        types[i] = model_pick_type(m);
        const oracle_pool *pool = oracle_pool_of(m->oracle, types[i]);
        there += pool && oracle_has(m->oracle, pool, e);
    }
    bool all = oracle_alive(m->oracle, e) && there == count;
    REQUIRE(m, covey_has_all_raw(m->world, e, types) == all, "has_all: %u of %u", there, count);
    REQUIRE(m, covey_has_any_raw(m->world, e, types) == (there != 0), "has_any: %u of %u", there, count);
    get_several(m, e, types, count, all);
}

static void types_of(model *m) {
    const covey_type *types[ORACLE_POOLS] = { NULL };
    uint32_t capacity = program_below(&m->program, ORACLE_POOLS), count = 0;
    covey_entity e = model_pick(m);
    uint32_t written = covey_types_of(m->world, e, types, capacity);
    for (uint32_t i = 0; i < m->oracle->pool_count; i++) {
        if (!oracle_has(m->oracle, &m->oracle->pools[i], e)) continue;
        const covey_type *wanted = count < capacity ? m->oracle->pools[i].type : NULL;
        REQUIRE(m, types[count] == wanted, "type %u is another", count);
        count++;
    }
    REQUIRE(m, written == count, "%u types, not %u", written, count);
    REQUIRE(m, covey_is_empty(m->world, e) == (oracle_alive(m->oracle, e) && count == 0), "an empty one and not");
}

static bool first_byte_equal(const void *component, const void *value) {
    return *(const unsigned char *)component == *(const unsigned char *)value;
}

static bool is_equal(const oracle_set *set, uint32_t at, const void *value, bool by_byte) {
    if (set->ids[at].generation == 0) return false;
    if (!value) return true;
    const unsigned char *component = oracle_set_value(set, at);
    return by_byte ? first_byte_equal(component, value) : memcmp(component, value, set->size) == 0;
}

/* Equal bytes, an equal first byte, or, without a value, the first there is. */
static void find(model *m) {
    const covey_type *type = model_pick_type(m);
    const oracle_pool *pool = oracle_pool_of(m->oracle, type);
    uint32_t how = program_below(&m->program, 8), at = 0, end = pool ? pool->set->end : 0;
    const void *value = how == 0 ? NULL : m->value;
    bool by_byte = how > 4 && type->size != 0;
    value_make(type, program_byte(&m->program), m->value);
    while (at < end && !is_equal(pool->set, at, value, by_byte)) at++;
    covey_entity wanted = at < end ? pool->set->ids[at] : (covey_entity){ 0, 0 };
    covey_entity e = covey_find_raw(m->world, type, value, by_byte ? first_byte_equal : NULL);
    REQUIRE(m, covey_same(e, wanted), "%u:%u was found, not %u:%u", e.index, e.generation, wanted.index,
            wanted.generation);
}

/* The blocks of a pool, from one on: how many of each are there. */
static void compare_map(model *m, const covey_pool *held, const oracle_set *set, uint32_t first) {
    covey_block blocks[4];
    uint32_t counts[4] = { 0 }, behind = 0, end = covey_pool_map(held, first, blocks, 4);
    for (uint32_t i = 0; i < set->end; i++) {
        uint32_t block = set->ids[i].index / COVEY__BLOCK_IDS;
        if (set->ids[i].generation == 0) continue;
        behind += block >= end;
        if (block >= first && block - first < 4) counts[block - first]++;
    }
    REQUIRE(m, behind == 0, "%u components behind the map", behind);
    for (uint32_t i = 0; i < 4 && first < end && i < end - first; i++) {
        bool there = blocks[i].form > COVEY_BLOCK_EMPTY, sparse = blocks[i].form == COVEY_BLOCK_SPARSE;
        REQUIRE(m, blocks[i].count == counts[i], "%u in block %u, not %u", blocks[i].count, first + i, counts[i]);
        REQUIRE(m, there == (counts[i] != 0) && (!there || sparse != set->by_index), "another form of block %u",
                first + i);
    }
}

/* The first position from one on, and the entity there. */
static void pool_next(model *m) {
    const covey_type *type = model_pick_type(m);
    const oracle_pool *pool = oracle_pool_of(m->oracle, type);
    if (!pool) return;
    const oracle_set *set = pool->set;
    const covey_pool *held = covey_pool_find_raw(m->world, type);
    uint32_t from = program_below(&m->program, m->index_limit), i = 0;
    if (program_chance(&m->program, 16)) from = COVEY_NONE - program_below(&m->program, 3);
    while (i < set->end && ((set->by_index ? set->ids[i].index : i) < from || set->ids[i].generation == 0)) i++;
    uint32_t wanted = i == set->end ? COVEY_NONE : set->by_index ? set->ids[i].index : i;
    uint32_t next = covey_pool_next(held, from);
    compare_map(m, held, set, from / COVEY__BLOCK_IDS);
    covey_entity e = covey_pool_at(held, from);
    REQUIRE(m, next == wanted, "%u is next from %u on, not %u", next, from, wanted);
    REQUIRE(m, covey_same(e, wanted == from && i < set->end ? set->ids[i] : (covey_entity){ 0, 0 }), "%u:%u is at %u",
            e.index, e.generation, from);
}

static void entity_next(model *m) {
    covey_entity e = model_pick(m), next = covey_entity_next(m->world, e);
    covey_entity wanted = oracle_next(m->oracle, covey_is_null(e) ? 0 : (uint64_t)e.index + 1);
    REQUIRE(m, covey_same(next, wanted), "%u:%u is next, not %u:%u", next.index, next.generation, wanted.index,
            wanted.generation);
    REQUIRE(m, covey_entity_count(m->world) == m->oracle->alive, "%u entities", covey_entity_count(m->world));
}

static void type_find(model *m) {
    const covey_type *type = model_pick_type(m);
    const oracle_pool *pool = type->name ? oracle_pool_named(m->oracle, type->name) : NULL;
    const covey_type *found = covey_type_find(m->world, type->name ? type->name : "nobody");
    REQUIRE(m, found == (pool ? pool->type : NULL), "another type named %s", type->name ? type->name : "nobody");
}

const model_operation model_query_operations[] = {
    { "get", get, 12, true },
    { "has_all, has_any, get_all", has_several, 4, true },
    { "types_of, is_empty", types_of, 4, true },
    { "find", find, 3, true },
    { "pool_next, pool_at, pool_map", pool_next, 3, true },
    { "entity_next", entity_next, 4, true },
    { "type_find", type_find, 1, true },
    { NULL, NULL, 0, false },
};
