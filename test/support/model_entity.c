/* Operations on entities. */
#include "model_world.h"

static void check_new(model *m, covey_entity e, covey_entity wanted) {
    REQUIRE(m, covey_same(e, wanted), "the entity is %u:%u, not %u:%u", e.index, e.generation, wanted.index,
            wanted.generation);
    REQUIRE(m, covey_alive(m->world, e), "the new entity %u:%u is not alive", e.index, e.generation);
    model_remember(m, e);
}

void model_destroy(model *m, covey_entity e) {
    values.world = m->world;
    values.dying = e;
    bool destroyed = covey_destroy(m->world, e);
    values.world = NULL;
    REQUIRE(m, destroyed == oracle_destroy(m->oracle, e), "%u:%u was %sdestroyed", e.index, e.generation,
            destroyed ? "" : "not ");
    REQUIRE(m, !covey_alive(m->world, e), "%u:%u is still alive", e.index, e.generation);
}

static void destroy(model *m) { model_destroy(m, model_pick(m)); }

static bool is_crowded(const model *m) { return m->oracle->alive >= m->options->crowd; }

covey_entity model_create(model *m) {
    covey_result expected = oracle_can_create(m->oracle, 0, 1) == 1 ? COVEY_OK : COVEY_ERROR_FULL;
    covey_entity e = covey_create(m->world);
    if (model_settle(m, !covey_is_null(e), expected)) check_new(m, e, oracle_create(m->oracle, 0));
    return e;
}

/* Makes room where there are too many. */
static void create(model *m) {
    if (is_crowded(m)) destroy(m);
    else model_create(m);
}

static void create_many(model *m) {
    uint32_t most = m->options->crowd < 1000 ? 12 : MODEL_BATCH, count = program_below(&m->program, most);
    if (is_crowded(m)) count = 0;
    covey_result expected = oracle_can_create(m->oracle, 0, count) == count ? COVEY_OK : COVEY_ERROR_FULL;
    bool created = model_settle(m, covey_create_many(m->world, m->batch, count), expected);
    for (uint32_t i = 0; i < count; i++) {
        if (created) check_new(m, m->batch[i], oracle_create(m->oracle, 0));
        else REQUIRE(m, covey_is_null(m->batch[i]), "handle %u of a failed call is not null", i);
    }
}

/* Near the indices in use, or where the handles of history were. */
static uint32_t pick_index(model *m) {
    program *p = &m->program;
    uint32_t how = program_below(p, 16);
    if (how == 0) return COVEY_NONE + (COVEY_INDEX_BITS < 32 ? program_below(p, 9) : 0);
    if (how < 8) return m->history[program_below(p, MODEL_HISTORY)].index % m->index_limit;
    if (how < 12) return (oracle_next_index(m->oracle, 0) + program_below(p, 8)) % m->index_limit;
    return program_below(p, m->index_limit);
}

static void create_at(model *m) {
    uint32_t index = pick_index(m);
    if (is_crowded(m)) index = COVEY_NONE;
    covey_result expected = oracle_may_create_at(m->oracle, index);
    covey_entity e = covey_create_at(m->world, index);
    if (model_settle(m, !covey_is_null(e), expected)) check_new(m, e, oracle_create_at(m->oracle, index));
}

/* A generation from two before the one that comes next to five behind it; now and then any. */
static void create_exact(model *m) {
    uint32_t index = pick_index(m), generation = oracle_generation_at(m->oracle, index) + program_below(&m->program, 8);
    if (program_chance(&m->program, 16)) generation = program_number(&m->program);
    if (is_crowded(m)) index = COVEY_NONE;
    covey_entity wanted = covey__entity(index, generation);
    covey_result expected = oracle_may_create_exact(m->oracle, wanted);
    if (!model_settle(m, covey_create_exact(m->world, &wanted, 1, COVEY_EXACT_NEW), expected)) return;
    check_new(m, wanted, oracle_create_exact(m->oracle, wanted));
}

void model_create_again(model *m, uint32_t count) {
    covey_result expected = COVEY_OK;
    for (uint32_t i = 0; i < count && expected == COVEY_OK; i++) {
        expected = oracle_may_create_again(m->oracle, m->batch[i]);
        for (uint32_t j = 0; j < i && expected == COVEY_OK; j++)
            if (m->batch[j].index == m->batch[i].index) expected = COVEY_ERROR_TAKEN;
    }
    if (!model_settle(m, covey_create_exact(m->world, m->batch, count, COVEY_EXACT_AGAIN), expected)) return;
    for (uint32_t i = 0; i < count; i++) check_new(m, m->batch[i], oracle_create_exact(m->oracle, m->batch[i]));
}

/* Some entities that were alive once, and now and then arbitrary ones; one may come twice. */
static void create_again(model *m) {
    uint32_t count = program_below(&m->program, 4);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = pick_index(m), generation = oracle_generation_at(m->oracle, index);
        if (program_chance(&m->program, 4)) generation += program_below(&m->program, 6);
        if (is_crowded(m)) index = COVEY_NONE;
        m->batch[i] = covey__entity(index, generation);
    }
    model_create_again(m, count);
}

static void entity_at(model *m) {
    uint32_t index = pick_index(m), generation = covey_generation_at(m->world, index);
    covey_entity e = covey_entity_at(m->world, index);
    bool alive = oracle_state_of(m->oracle, index) == ORACLE_ALIVE;
    REQUIRE(m, generation == oracle_generation_at(m->oracle, index), "%u is the generation of %u", generation, index);
    REQUIRE(m, covey_same(e, alive ? covey__entity(index, generation) : (covey_entity){ 0, 0 }), "%u:%u is at %u",
            e.index, e.generation, index);
}

static void reserve_range(model *m) {
    program *p = &m->program;
    uint32_t first = pick_index(m), count = program_below(p, 20);
    if (program_chance(p, 16)) count = program_number(p);
    if ((uint64_t)first + count > m->index_limit) first = COVEY_NONE - 5; /* too far out to be filled */
    if (m->oracle->range_count == ORACLE_RANGES) count = 0;
    covey_result expected = oracle_may_reserve(m->oracle, first, count);
    if (expected == COVEY_OK && first >= m->index_limit) return;
    covey_range range = covey_range_reserve(m->world, first, count);
    if (!model_settle(m, range.count != 0, expected)) return;
    REQUIRE(m, range.first == first && range.count == count, "another range");
    oracle_reserve(m->oracle, first, count);
}

static void create_in(model *m) {
    const oracle_range *chosen = &m->oracle->ranges[program_below(&m->program, m->oracle->range_count)];
    covey_range range = { chosen->first, chosen->end - chosen->first };
    if (program_chance(&m->program, 16)) range.count++;
    uint32_t number = oracle_range_number(m->oracle, range);
    covey_result expected = COVEY_ERROR_ABSENT;
    if (number != 0) expected = oracle_can_create(m->oracle, number, 1) == 1 ? COVEY_OK : COVEY_ERROR_FULL;
    covey_entity e = covey_create_in(m->world, range);
    if (model_settle(m, !covey_is_null(e), expected)) check_new(m, e, oracle_create(m->oracle, number));
}

static void destroy_many(model *m) {
    uint32_t count = model_pick_batch(m, NULL), wanted = 0;
    uint32_t destroyed = covey_destroy_many(m->world, m->batch, count);
    for (uint32_t i = 0; i < count; i++) wanted += oracle_destroy(m->oracle, m->batch[i]);
    REQUIRE(m, destroyed == wanted, "%u were destroyed, not %u", destroyed, wanted);
}

static void destroy_all(model *m) {
    if (program_below(&m->program, m->rarity) != 0) return;
    covey_destroy_all(m->world);
    oracle_destroy_all(m->oracle);
    REQUIRE(m, covey_entity_count(m->world) == 0, "%u entities are left", covey_entity_count(m->world));
}

const model_operation model_entity_operations[] = {
    { "create", create, 26, false },
    { "create_many", create_many, 4, false },
    { "create_at", create_at, 8, false },
    { "create_exact", create_exact, 4, false },
    { "create_again", create_again, 4, false },
    { "entity_at, generation_at", entity_at, 3, true },
    { "range_reserve", reserve_range, 2, false },
    { "create_in", create_in, 6, false },
    { "destroy", destroy, 20, true },
    { "destroy_many", destroy_many, 3, true },
    { "destroy_all", destroy_all, 1, true },
    { NULL, NULL, 0, false },
};
