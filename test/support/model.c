/* The interpreter for worlds: chooses operations and operands, and compares whole states. */
#include "model_world.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- Choosing -----------------------------------------------------------------------------------------------------*/

static covey_entity any_handle(program *p) {
    uint32_t index = program_number(p);
    return covey__entity(index, program_number(p));
}

static covey_entity odd_handle(model *m) {
    program *p = &m->program;
    covey_entity e = m->history[program_below(p, MODEL_HISTORY)];
    switch (program_below(p, 9)) {
    case 0: return (covey_entity){ 0, 0 };
    case 1: return covey__entity(e.index, 0);
    case 2: return covey__entity(e.index, e.generation + 1);
    case 3: return covey__entity(e.index, e.generation + 2);
    case 4: return any_handle(p);
    case 5: return covey__entity(COVEY_NONE - program_below(p, 3), e.generation);
    case 6: return covey__entity(program_below(p, m->index_limit), 1);
    default: return e;
    }
}

covey_entity model_pick(model *m) {
    bool odd = m->oracle->alive == 0 || program_chance(&m->program, 32);
    return odd ? odd_handle(m) : m->oracle->roll[program_below(&m->program, m->oracle->alive)];
}

covey_entity model_pick_member(model *m, const oracle_pool *pool) {
    if (!pool || pool->set->end == 0 || program_chance(&m->program, 80)) return model_pick(m);
    covey_entity e = pool->set->ids[program_below(&m->program, pool->set->end)];
    return covey_is_null(e) ? model_pick(m) : e;
}

const covey_type *model_pick_type(model *m) { return m->types[program_below(&m->program, m->type_count)]; }

uint32_t model_pick_neighbours(model *m, const oracle_pool *without) {
    uint32_t most = program_below(&m->program, 65), kept = 0;
    covey_entity e = oracle_next(m->oracle, program_below(&m->program, m->index_limit));
    for (; kept < most && !covey_is_null(e); e = oracle_next(m->oracle, (uint64_t)e.index + 1))
        if (!without || !oracle_has(m->oracle, without, e)) m->batch[kept++] = e;
    return kept;
}

uint32_t model_pick_batch(model *m, const oracle_pool *without) {
    if (without && program_chance(&m->program, 64)) return model_pick_neighbours(m, without);
    uint32_t limit = m->options->crowd < 1000 ? 8 : 64, count = program_below(&m->program, limit + 1), kept = 0;
    bool clean = program_chance(&m->program, 160);
    for (uint32_t i = 0; i < count; i++) {
        covey_entity e = model_pick(m);
        bool twice = false;
        for (uint32_t k = 0; k < kept && clean; k++) twice = twice || covey_same(m->batch[k], e);
        if (clean && (twice || !oracle_alive(m->oracle, e) || (without && oracle_has(m->oracle, without, e)))) continue;
        m->batch[kept++] = e;
    }
    return kept;
}

void model_remember(model *m, covey_entity e) { m->history[program_below(&m->program, MODEL_HISTORY)] = e; }

/* ---- Results ------------------------------------------------------------------------------------------------------*/

bool model_settle(model *m, bool succeeded, covey_result expected) {
    covey_result actual = succeeded ? COVEY_OK : covey_world_result(m->world);
    if (m->program.heap.failed && actual == COVEY_ERROR_MEMORY) expected = actual;
    REQUIRE(m, actual == expected, "the result is \"%s\", not \"%s\"", covey_result_text(actual),
            covey_result_text(expected));
    if (succeeded) return true;
    m->result = actual;
    m->failures++;
    return false;
}

oracle_pool *model_meet(model *m, const covey_type *type) {
    oracle_pool *pool = oracle_pool_of(m->oracle, type);
    return pool ? pool : oracle_pool_meet(m->oracle, type);
}

void model_meet_anyway(model *m, const covey_type *type) {
    if (model_pool_count(m) == m->oracle->pool_count || !oracle_type_valid(type)) return;
    if (!oracle_pool_named(m->oracle, type->name)) oracle_pool_meet(m->oracle, type);
}

static void hear(covey_result item, const char *text, void *context) {
    model *m = context;
    m->messages += item != COVEY_OK && text[0] != '\0';
}

/* ---- Comparing ----------------------------------------------------------------------------------------------------*/

static void compare_entities(model *m) {
    covey_entity e = { 0, 0 }, wanted = { 0, 0 };
    uint64_t index = 0;
    REQUIRE(m, covey_entity_count(m->world) == m->oracle->alive, "%u entities, not %u", covey_entity_count(m->world),
            m->oracle->alive);
    do {
        e = covey_entity_next(m->world, e);
        wanted = oracle_next(m->oracle, index);
        REQUIRE(m, covey_same(e, wanted), "entity %u:%u, not %u:%u", e.index, e.generation, wanted.index,
                wanted.generation);
        REQUIRE(m, covey_is_null(e) || covey_alive(m->world, e), "%u:%u is not alive", e.index, e.generation);
        index = (uint64_t)e.index + 1;
    } while (!covey_is_null(e));
}

static void compare_addresses(model *m, const covey_sparse_set *set, const oracle_set *oracle) {
    for (uint32_t i = 0; i < oracle->end; i++)
        REQUIRE(m, oracle->ids[i].generation == 0 || covey_sparse_set_value_at(set, i) == oracle->addresses[i],
                "the value at %u has moved", i);
}

static void compare_walk(model *m, const covey_pool *pool, const oracle_set *oracle) {
    uint32_t at = covey_pool_next(pool, 0);
    for (uint32_t i = 0; i < oracle->end; i++) {
        if (oracle->ids[i].generation == 0) continue;
        REQUIRE(m, at == i && covey_same(covey_pool_ids(pool)[at], oracle->ids[i]), "component %u, not %u", at, i);
        REQUIRE(m, covey_same(covey_pool_at(pool, at), oracle->ids[i]), "another entity at %u", at);
        const void *value = covey_pool_get_raw(pool, oracle->ids[i]);
        REQUIRE(m, covey_pool_value_at_raw(pool, at) == value, "another value at %u", at);
        at = covey_pool_next(pool, at + 1);
    }
    REQUIRE(m, at == COVEY_NONE, "one component too many, at %u", at);
}

static void see_forms(model *m, const covey__block_store *blocks) {
    for (uint32_t i = 0; i < blocks->page_count; i++)
        for (uint32_t block = 0; block < COVEY__PAGE_BLOCKS; block++)
            if (blocks->pages[i]->masks[block] != 0)
                m->block_forms |= (uint64_t)1 << blocks->pages[i]->capacity[block] % 64;
}

static void compare_block(model *m, const covey_pool *pool, covey_entity e, const unsigned char *wanted) {
    const covey_type *type = covey_pool_type(pool);
    covey_entity found = covey_pool_at(pool, e.index);
    const void *value = covey_pool_value_at_raw(pool, e.index);
    REQUIRE(m, covey_same(found, e), "%u:%u, not %u:%u", found.index, found.generation, e.index, e.generation);
    REQUIRE(m, covey_pool_has(pool, e) && covey_pool_get_raw(pool, e) == value, "%u:%u has another value", e.index,
            e.generation);
    REQUIRE(m, (uintptr_t)value % (type->align ? type->align : 1) == 0, "a misaligned value of %u", e.index);
    REQUIRE(m, memcmp(value, wanted, type->size) == 0, "the value of %u:%u is wrong", e.index, e.generation);
}

/* No arrays; every component, in the order of indices. */
static void compare_blocks(model *m, const covey_pool *pool, const oracle_set *oracle) {
    uint32_t at = covey_pool_next(pool, 0);
    REQUIRE(m, covey_pool_count(pool) == oracle->end, "%u components, not %u", covey_pool_count(pool), oracle->end);
    REQUIRE(m,
            (covey_pool_position_count)(pool) == 0 && !(covey_pool_ids)(pool) && !(covey_pool_values_raw)(pool) &&
                !(covey_pool_page_raw)(pool, 0),
            "a block pool with arrays");
    for (uint32_t i = 0; i < oracle->end; i++) {
        REQUIRE(m, at == oracle->ids[i].index, "index %u, not %u", at, oracle->ids[i].index);
        compare_block(m, pool, oracle->ids[i], oracle_set_value(oracle, i));
        REQUIRE(m, !oracle->pinned || covey_pool_value_at_raw(pool, at) == oracle->addresses[i],
                "the pinned value of %u has moved", at);
        at = covey_pool_next(pool, at + 1);
    }
    REQUIRE(m, at == COVEY_NONE, "one component too many, at %u", at);
    if (!oracle->pinned) see_forms(m, &pool->block_store);
}

static void compare_pool(model *m, uint32_t number, covey_pool *pool) {
    const oracle_pool *wanted = &m->oracle->pools[number];
    REQUIRE(m, covey_pool_type(pool) == wanted->type, "pool %u is of %s", number, covey_pool_type(pool)->name);
    REQUIRE(m, covey_pool_find_raw(m->world, wanted->type) == pool, "pool %u is not found", number);
    REQUIRE(m, covey_pool_world(pool) == m->world, "pool %u is of another world", number);
    if (wanted->set->by_index) {
        compare_blocks(m, pool, wanted->set);
        return;
    }
    REQUIRE(m,
            covey_pool_count(pool) == oracle_set_count(wanted->set) &&
                covey_pool_position_count(pool) == wanted->set->end,
            "pool %u has another size", number);
    program_compare_set(&m->program, &pool->sparse_set, wanted->set);
    compare_walk(m, pool, wanted->set);
    if (wanted->set->policy == COVEY_IN_PLACE) compare_addresses(m, &pool->sparse_set, wanted->set);
}

uint32_t model_pool_count(const model *m) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < covey_world_pool_count(m->world); i++)
        count += strncmp(covey_pool_type(covey_world_pool(m->world, i))->name, "covey.", 6) != 0;
    return count;
}

/* Those of the library's own are left to the subjects. */
static void compare_pools(model *m) {
    uint32_t found = 0;
    REQUIRE(m, model_pool_count(m) == m->oracle->pool_count, "%u pools, not %u", model_pool_count(m),
            m->oracle->pool_count);
    REQUIRE(m, !covey_world_pool(m->world, covey_world_pool_count(m->world)), "a pool behind the last");
    for (uint32_t i = 0; i < covey_world_pool_count(m->world); i++) {
        covey_pool *pool = covey_world_pool(m->world, i);
        if (strncmp(covey_pool_type(pool)->name, "covey.", 6) != 0) compare_pool(m, found++, pool);
    }
}

static void count_tokens(const oracle_pool *pool, uint32_t *live) {
    for (uint32_t i = 0; i < pool->set->end; i++) {
        uint32_t token;
        if (pool->set->ids[i].generation == 0) continue;
        memcpy(&token, oracle_set_value(pool->set, i), sizeof token);
        if (token < VALUE_TOKENS) live[token]++;
    }
}

static void compare_ledger(model *m) {
    uint32_t live[VALUE_TOKENS] = { 0 };
    for (uint32_t i = 0; i < m->oracle->pool_count; i++)
        if (m->oracle->pools[i].type->drop) count_tokens(&m->oracle->pools[i], live);
    const struct model_subject *subject = m->options->subject;
    if (subject && subject->count_tokens) subject->count_tokens(m, live);
    for (uint32_t i = 1; i < VALUE_TOKENS; i++)
        REQUIRE(m, live[i] == values.live[i], "%u values with token %u live, not %u", values.live[i], i, live[i]);
}

static void compare(model *m) {
    compare_entities(m);
    compare_pools(m);
    model_compare_groups(m);
    compare_ledger(m);
    if (m->options->subject) m->options->subject->compare(m);
}

/* ---- Running ------------------------------------------------------------------------------------------------------*/

/* New operations come last, and the ordinary ones keep their weights: the inputs of the corpus keep their meaning. */
static const model_operation *const tables[] = { model_entity_operations, model_component_operations,
                                                 model_query_operations,  model_view_operations,
                                                 model_later_operations,  model_group_operations,
                                                 model_order_operations };
enum { VIEWS = 3, GROUPS = 5, TABLES = sizeof tables / sizeof tables[0] };

static uint32_t total_weight(const model_operation *const *from, uint32_t count) {
    uint32_t total = 0;
    for (uint32_t i = 0; i < count; i++)
        for (const model_operation *operation = from[i]; operation->name; operation++) total += operation->weight;
    return total;
}

/* One of some tables. */
static const model_operation *pick_from(model *m, const model_operation *const *from, uint32_t count) {
    uint32_t weight = program_below(&m->program, total_weight(from, count));
    for (uint32_t i = 0;; i++)
        for (const model_operation *operation = from[i]; operation->name; operation++) {
            if (weight < operation->weight) return operation;
            weight -= operation->weight;
        }
}

const model_operation *model_pick_operation(model *m, const model_operation *operations) {
    return pick_from(m, &operations, 1);
}

static bool is_turn_of(const model *m, uint32_t every) { return every != 0 && m->program.step % every == 0; }

static const model_operation *pick_operation(model *m) {
    const model_options *options = m->options;
    if (is_turn_of(m, options->subject_every)) return pick_from(m, &options->subject->operations, 1);
    if (is_turn_of(m, options->many_every)) return model_pick_operation(m, model_many_operations);
    if (is_turn_of(m, options->view_every)) return pick_from(m, tables + VIEWS, 1);
    if (is_turn_of(m, options->group_every)) return pick_from(m, tables + GROUPS, TABLES - GROUPS);
    return pick_from(m, tables, options->bare ? 1 : GROUPS);
}

static void validate(model *m) {
    const char *why = "";
    REQUIRE(m, covey_world_validate(m->world, &why), "the world is not valid: %s", why);
}

static size_t counted_bytes(const model *m) {
    const struct model_subject *subject = m->options->subject;
    return covey_world_memory(m->world) + (subject && subject->memory ? subject->memory(m) : 0);
}

static void step(model *m) {
    program *p = &m->program;
    const model_operation *operation = pick_operation(m);
    program_begin_step(p, operation->name);
    m->failures = m->messages = 0;
    m->may_allocate = m->behind = false;
    uint64_t calls = p->heap.calls;
    operation->run(m);
    test_fail_never(&p->heap);
    REQUIRE(m, !operation->quiet || m->may_allocate || p->heap.calls == calls, "it allocates");
    REQUIRE(m, covey_world_result(m->world) == m->result, "the result is left at \"%s\"",
            covey_result_text(covey_world_result(m->world)));
    REQUIRE(m, m->messages == m->failures, "%u messages about %u failures", m->messages, m->failures);
    size_t bytes = counted_bytes(m);
    REQUIRE(m, bytes == p->heap.bytes, "%zu bytes counted, %zu out", bytes, p->heap.bytes);
    REQUIRE(m, !values.broken, "a value was dropped that was not alive");
    model_catch_up(m);
    model_compare_kinds(m);
    if (m->options->subject) m->options->subject->check(m);
    bool compares = p->heap.failed || p->step % m->options->compare_every == 0;
    if (is_turn_of(m, m->options->image_every)) {
        model_save_and_load(m);
        compares = true;
    }
    if (p->step % m->options->validate_every == 0) validate(m);
    if (compares) compare(m);
}

/* Pinned types are those that the last values of a byte stand for. With groups, most types can be owned. */
static const covey_type *choose_type(model *m) {
    enum { OTHERS = VALUE_TYPES - 8 };
    static const uint8_t owned[] = { 0,  1,  5,  6,  7,  8,  11, 23,   /* sparse, swap and pop */
                                     15, 16, 17, 18, 19, 20, 21, 25 }; /* in blocks */
    if (m->options->group_every != 0 && program_chance(&m->program, 176))
        return value_types[owned[program_below(&m->program, sizeof owned)]];
    if (m->options->view_every != 0) return value_types[program_below(&m->program, VALUE_TYPES)];
    uint32_t byte = program_byte(&m->program);
    return value_types[byte < 248 ? byte % OTHERS : OTHERS + byte - 248];
}

static void choose_setting(model *m) {
    program *p = &m->program;
    bool large = m->options->crowd >= 1000;
    uint32_t limit = m->options->crowd * 2, pages = program_byte(p) < 16 ? 40 : 3;
    if (!large && program_chance(p, 64)) limit += pages * COVEY_PAGE_SIZE;
    m->index_limit = limit < COVEY_NONE ? limit : COVEY_NONE;
    m->rarity = large ? 16 : m->options->group_every != 0 ? 8 : program_chance(p, 96) ? 40 : 1;
    bool many = large || m->options->view_every != 0 || m->options->group_every != 0;
    m->type_count = 1 + program_below(p, many ? 6 : 4);
    for (uint32_t i = 0; i < m->type_count; i++) m->types[i] = choose_type(m);
}

static void start(model *m) {
    covey_world_desc desc = { .allocator = test_allocator(&m->program.heap), .log = hear, .log_context = m };
    program_begin_step(&m->program, "world_create");
    m->world = covey_world_create(&desc);
    test_fail_never(&m->program.heap);
    REQUIRE(m, m->world || (m->program.heap.failed && m->program.heap.bytes == 0), "no world");
    if (!m->world) m->world = covey_world_create(&desc);
    if (m->options->subject) m->options->subject->begin(m);
}

static void finish(model *m) {
    m->program.operation = "world_destroy";
    validate(m);
    compare(m);
    if (m->options->image_every != 0) model_save_and_load(m);
    if (m->options->subject) m->options->subject->end(m);
    covey_world_destroy(m->world);
    m->world = NULL;
    for (uint32_t i = 1; i < VALUE_TOKENS; i++) REQUIRE(m, values.live[i] == 0, "values with token %u are lost", i);
    REQUIRE(m, !values.broken, "a value was dropped twice");
    REQUIRE(m, m->program.heap.bytes == 0 && m->program.heap.blocks == 0, "%zu bytes are lost", m->program.heap.bytes);
}

static void run(model *m) {
    start(m);
    choose_setting(m);
    while (m->program.step < m->options->steps && !program_has_ended(&m->program)) {
        m->program.step++;
        step(m);
    }
    finish(m);
}

model_report model_run_world(const model_options *options) {
    model_report report = { .agreed = true };
    model *m = calloc(1, sizeof *m);
    if (!m) abort();
    values = (value_ledger){ .copy_fails_in = 0 };
    program_init(&m->program, options->data, options->size, options->seed);
    m->options = options;
    m->oracle = oracle_world_create(options->fault);
    if (setjmp(m->program.stop) == 0) run(m);
    else report.agreed = false;
    report.steps = m->program.step;
    report.block_forms = m->block_forms;
    snprintf(report.text, sizeof report.text, "step %llu, %s: %s", (unsigned long long)report.steps,
             m->program.operation, m->program.message);
    values.world = NULL;
    covey_world_destroy(m->world);
    covey_world_destroy(m->twin);
    covey_buffer_free(&m->image);
    covey_buffer_free(&m->again);
    if (options->subject) options->subject->forget(m);
    oracle_world_destroy(m->oracle);
    free(m->wanted.ids);
    free(m->visited.ids);
    free(m->turns.due);
    free(m);
    return report;
}
