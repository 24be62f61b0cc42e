/* The interpreter for sets on their own. */
#include "model.h"
#include "program.h"

#include <stdio.h>
#include <stdlib.h>

enum { SET_BATCH = 40, SET_BYTES = 64 };

typedef struct set_model {
    program program;
    const model_options *options;
    covey_sparse_set *set;
    oracle_set *oracle;
    uint32_t base, spread; /* the indices that are used */
    uint32_t rarity;       /* of operations that end or close everything */
    covey_entity batch[SET_BATCH];
    unsigned char array[SET_BATCH * SET_BYTES];
} set_model;

#define REQUIRE(m, holds, ...) PROGRAM_REQUIRE(&(m)->program, holds, __VA_ARGS__)

/* ---- Choosing -----------------------------------------------------------------------------------------------------*/

static uint32_t pick_generation(program *p) {
    uint32_t how = program_below(p, 32);
    if (how == 0) return 0;
    if (how == 1) return program_number(p);
    if (how < 4) return COVEY_GENERATION_MAX;
    return 1 + how % 3;
}

static covey_entity pick(set_model *m) {
    program *p = &m->program;
    if (program_below(p, 64) == 0) return covey__entity(COVEY_NONE, pick_generation(p));
    uint32_t index = m->base + program_below(p, m->spread);
    return covey__entity(index, pick_generation(p));
}

/* Live, dead or a hole, most often. */
static covey_entity pick_member(set_model *m) {
    uint32_t positions = oracle_set_positions(m->oracle);
    uint32_t how = program_below(&m->program, 64);
    if (positions == 0 || how < 10) return pick(m);
    if (how == 10) {
        uint32_t index = program_number(&m->program);
        return covey__entity(index, program_number(&m->program));
    }
    return m->oracle->ids[program_below(&m->program, positions)];
}

/* Adding above the wanted number turns into removing. */
static bool is_crowded(const set_model *m) { return oracle_set_positions(m->oracle) >= m->options->crowd; }

static void make_value(set_model *m, unsigned char *value) {
    uint32_t seed = program_byte(&m->program);
    for (uint32_t i = 0; i < m->oracle->size; i++) value[i] = (unsigned char)(seed * 167 + i * 13 + 1);
}

/* Bytes of the caller, of elements before `end`, or none; m->array is a copy. */
static const void *choose_values(set_model *m, uint32_t count, uint32_t end) {
    uint32_t how = program_below(&m->program, 8), size = m->oracle->size;
    if (how == 0) memset(m->array, 0, sizeof m->array);
    for (uint32_t i = 0; i < count && how != 0; i++) make_value(m, m->array + (size_t)i * size);
    if (how != 1 || count == 0 || end < count || size == 0) return how == 0 ? NULL : m->array;
    uint32_t first = program_below(&m->program, end - count + 1);
    if (m->set->paged && first / COVEY_PAGE_SIZE != (first + count - 1) / COVEY_PAGE_SIZE) return m->array;
    const void *inside = covey_sparse_set_value_at(m->set, first);
    memcpy(m->array, inside, (size_t)count * size);
    return inside;
}

/* ---- Adding -------------------------------------------------------------------------------------------------------*/

static bool settle(set_model *m, covey_result actual, covey_result expected) {
    if (m->program.heap.failed && actual == COVEY_ERROR_MEMORY) expected = actual;
    REQUIRE(m, actual == expected, "the result is \"%s\", not \"%s\"", covey_result_text(actual),
            covey_result_text(expected));
    return actual == COVEY_OK;
}

static covey_result may_push(set_model *m, uint32_t count, bool force_back) {
    uint32_t needed = 0;
    covey_result result = oracle_set_may_push(m->oracle, m->batch, count);
    for (uint32_t i = 0; i < count && result == COVEY_OK; i++)
        needed += oracle_set_needs_position(m->oracle, m->batch[i], force_back);
    return needed > COVEY_NONE - oracle_set_positions(m->oracle) ? COVEY_ERROR_FULL : result;
}

static void remove_one(set_model *m);

static void push(set_model *m) {
    if (is_crowded(m)) {
        remove_one(m);
        return;
    }
    uint32_t how = program_below(&m->program, 4);
    bool simple = how < 2, force_back = simple ? m->oracle->policy != COVEY_IN_PLACE : how == 2;
    covey_entity e = m->batch[0] = pick(m);
    const void *value = choose_values(m, 1, oracle_set_positions(m->oracle));
    covey_result expected = may_push(m, 1, force_back);
    covey_result result =
        simple ? covey_sparse_set_push(m->set, e, value) : covey_sparse_set_push_to(m->set, e, value, force_back);
    if (settle(m, result, expected)) oracle_set_push(m->oracle, e, m->array, force_back);
}

static uint32_t pick_batch(set_model *m, bool clean) {
    uint32_t count = program_below(&m->program, m->options->crowd < 1000 ? 8 : SET_BATCH), kept = 0;
    if (clean && is_crowded(m)) count = 0;
    for (uint32_t i = 0; i < count; i++) {
        m->batch[kept] = pick(m);
        kept += !clean || oracle_set_may_push(m->oracle, m->batch, kept + 1) == COVEY_OK;
    }
    return kept;
}

static void push_range(set_model *m) {
    uint32_t count = pick_batch(m, program_chance(&m->program, 200));
    const void *array = choose_values(m, count, m->oracle->end);
    covey_result expected = may_push(m, count, true);
    if (!settle(m, covey_sparse_set_push_range(m->set, m->batch, count, array), expected)) return;
    for (uint32_t i = 0; i < count; i++)
        oracle_set_push(m->oracle, m->batch[i], m->array + (size_t)i * m->oracle->size, true);
}

/* ---- Removing -----------------------------------------------------------------------------------------------------*/

static void remove_one(set_model *m) {
    covey_entity e = pick_member(m);
    uint32_t at = oracle_set_find(m->oracle, e);
    bool removed = covey_sparse_set_remove(m->set, e);
    REQUIRE(m, removed == (at != COVEY_NONE), "%u:%u was %sremoved", e.index, e.generation, removed ? "" : "not ");
    if (removed) oracle_set_erase(m->oracle, at);
}

static void erase(set_model *m) {
    covey_entity e = pick_member(m);
    uint32_t at = oracle_set_find(m->oracle, e);
    if (at == COVEY_NONE) return;
    covey_sparse_set_erase(m->set, e);
    oracle_set_erase(m->oracle, at);
}

static void remove_range(set_model *m) {
    uint32_t count = program_below(&m->program, 8), wanted = 0;
    for (uint32_t i = 0; i < count; i++) m->batch[i] = pick_member(m);
    uint32_t removed = covey_sparse_set_remove_range(m->set, m->batch, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = oracle_set_find(m->oracle, m->batch[i]);
        if (at == COVEY_NONE) continue;
        oracle_set_erase(m->oracle, at);
        wanted++;
    }
    REQUIRE(m, removed == wanted, "%u were removed, not %u", removed, wanted);
}

static void erase_ordered(set_model *m) {
    covey_entity e = pick_member(m);
    uint32_t at = oracle_set_find(m->oracle, e);
    bool offered = m->oracle->policy == COVEY_SWAP_AND_POP || m->oracle->policy == COVEY_ORDERED;
    bool removed = covey_sparse_set_erase_ordered(m->set, e);
    REQUIRE(m, removed == (offered && at != COVEY_NONE), "%u:%u: %d", e.index, e.generation, removed);
    if (removed) oracle_set_erase_ordered(m->oracle, at);
}

static void clear(set_model *m) {
    if (program_below(&m->program, m->rarity) != 0) return;
    covey_sparse_set_clear(m->set);
    oracle_set_clear(m->oracle);
}

/* ---- Order and memory ---------------------------------------------------------------------------------------------*/

static void swap(set_model *m) {
    covey_entity a = pick_member(m), b = pick_member(m);
    uint32_t left = oracle_set_find(m->oracle, a), right = oracle_set_find(m->oracle, b);
    covey_result expected = COVEY_OK;
    if (left == COVEY_NONE || right == COVEY_NONE) expected = COVEY_ERROR_ABSENT;
    else if ((left < m->oracle->end) != (right < m->oracle->end)) expected = COVEY_ERROR_REFUSED;
    if (settle(m, covey_sparse_set_swap(m->set, a, b), expected)) oracle_set_swap(m->oracle, left, right);
}

static void compact(set_model *m) {
    if (program_below(&m->program, m->rarity) != 0) return;
    covey_sparse_set_compact(m->set);
    oracle_set_compact(m->oracle);
}

static void reserve(set_model *m) {
    uint32_t count = program_below(&m->program, 300);
    if (COVEY_INDEX_BITS < 32 && program_chance(&m->program, 64)) count += COVEY_NONE;
    settle(m, covey_sparse_set_reserve(m->set, count), count > COVEY_NONE ? COVEY_ERROR_RANGE : COVEY_OK);
}

static void shrink(set_model *m) { covey_sparse_set_shrink(m->set); }

/* The first byte of a value, and the generation, so that many are equal. */
static int compare_ids(covey_entity a, const void *a_value, covey_entity b, const void *b_value, void *context) {
    uint32_t left = a.generation, right = b.generation;
    if (*(const uint32_t *)context != 0)
        left += *(const unsigned char *)a_value, right += *(const unsigned char *)b_value;
    return left < right ? -1 : left > right;
}

static covey_order pick_order(set_model *m) {
    uint32_t end = m->oracle->end, how = program_below(&m->program, 4);
    covey_order order = { .descending = program_chance(&m->program, 96) };
    if (how == 0) order.compare_entities = compare_ids, order.context = &m->oracle->size;
    if (how == 1) order.key = (covey_key)(1 + program_below(&m->program, 8)); /* a kind that is none, or too large */
    if (how == 2) order.key = COVEY_KEY_U32, order.offset = program_below(&m->program, 16);
    if (program_chance(&m->program, 40)) order.from = program_below(&m->program, end + 2);
    if (program_chance(&m->program, 40)) order.count = program_below(&m->program, end + 2);
    return order;
}

static bool may_be_sorted(const set_model *m) {
    return m->oracle->policy != COVEY_IN_PLACE && m->oracle->hole_count == 0;
}

static void sort(set_model *m) {
    if (m->options->crowd >= 1000 && program_below(&m->program, 16) != 0) return;
    covey_order order = pick_order(m);
    bool valid = oracle_order_valid(&order, m->oracle->size, m->oracle->end);
    covey_result expected = !may_be_sorted(m) ? COVEY_ERROR_REFUSED : valid ? COVEY_OK : COVEY_ERROR_RANGE;
    if (settle(m, covey_sparse_set_sort(m->set, &order), expected)) oracle_set_sort(m->oracle, &order);
}

/* A clone is like the set. It loses some, gets another order, and the set follows it; or it takes the set's place. */
static void clone(set_model *m) {
    if (m->options->crowd >= 1000 && program_below(&m->program, 16) != 0) return;
    covey_sparse_set *twin = covey_sparse_set_clone(m->set);
    bool failed = m->program.heap.failed;
    test_fail_never(&m->program.heap);
    REQUIRE(m, twin || failed, "no clone");
    if (!twin) return;
    program_compare_set(&m->program, twin, m->oracle);
    oracle_set *other = oracle_set_copy(m->oracle);
    covey_entity lost = pick_member(m);
    if (oracle_set_find(other, lost) != COVEY_NONE) {
        oracle_set_erase(other, oracle_set_find(other, lost));
        covey_sparse_set_erase(twin, lost);
    }
    covey_order order = { .compare_entities = compare_ids, .context = &m->oracle->size, .descending = true };
    if (covey_sparse_set_sort(twin, &order) == COVEY_OK) oracle_set_sort(other, &order);
    bool follows = settle(m, covey_sparse_set_sort_as(m->set, twin), may_be_sorted(m) ? COVEY_OK : COVEY_ERROR_REFUSED);
    if (follows) oracle_set_sort_as(m->oracle, other);
    program_compare_set(&m->program, twin, other);
    bool moves = program_chance(&m->program, 128);
    covey_sparse_set_destroy(moves ? m->set : twin);
    oracle_set_destroy(moves ? m->oracle : other);
    if (moves) m->set = twin, m->oracle = other;
}

static void bump(set_model *m) {
    covey_entity e = pick_member(m);
    if (program_chance(&m->program, 200)) e = covey__entity(e.index, pick_generation(&m->program));
    uint32_t at = e.index < COVEY_NONE ? oracle_set_where(m->oracle, e.index) : COVEY_NONE;
    bool storable = e.index < COVEY_NONE && e.generation != 0 && e.generation <= COVEY_GENERATION_MAX;
    covey_result expected = !storable ? COVEY_ERROR_RANGE : at == COVEY_NONE ? COVEY_ERROR_ABSENT : COVEY_OK;
    if (settle(m, covey_sparse_set_bump(m->set, e), expected)) m->oracle->ids[at] = e;
}

static void move_border(set_model *m) {
    uint32_t positions = oracle_set_positions(m->oracle), count = program_below(&m->program, positions + 2);
    covey_result expected = count > positions ? COVEY_ERROR_RANGE : COVEY_OK;
    if (m->oracle->policy != COVEY_SWAP_ONLY) expected = COVEY_ERROR_REFUSED;
    if (!settle(m, covey_sparse_set_move_border(m->set, count), expected)) return;
    m->oracle->end = count;
    m->oracle->dead = positions - count;
}

static void print(set_model *m) {
    char text[16], all[4096];
    int length = covey_sparse_set_print(NULL, 0, m->set);
    REQUIRE(m, covey_sparse_set_print(text, sizeof text, m->set) == length, "another length in a short text");
    REQUIRE(m, length >= 3 && strlen(text) == (length < 15 ? (size_t)length : 15), "another text when it is short");
    covey_sparse_set_print(all, sizeof all, m->set);
    REQUIRE(m, strncmp(all, text, strlen(text)) == 0, "the short text is no part of the whole one");
    REQUIRE(m, covey_sparse_set_capacity(m->set) >= oracle_set_positions(m->oracle), "more elements than capacity");
}

/* ---- Looking ------------------------------------------------------------------------------------------------------*/

static void look(set_model *m) {
    covey_entity e = pick_member(m);
    uint32_t at = oracle_set_find(m->oracle, e), where = oracle_set_where(m->oracle, e.index);
    const unsigned char *value = covey_sparse_set_get(m->set, e);
    REQUIRE(m, covey_sparse_set_find(m->set, e) == at, "%u:%u was found elsewhere", e.index, e.generation);
    REQUIRE(m, covey_sparse_set_contains(m->set, e) == (at != COVEY_NONE), "contained and not");
    REQUIRE(m, covey_sparse_set_live(m->set, e) == (at < m->oracle->end), "live and not");
    REQUIRE(m, covey_sparse_set_current(m->set, e.index) == (where < COVEY_NONE ? m->oracle->ids[where].generation : 0),
            "another generation of %u", e.index);
    REQUIRE(m, (value != NULL) == (at != COVEY_NONE), "a value of an absentee");
    REQUIRE(m, !value || memcmp(value, oracle_set_value(m->oracle, at), m->oracle->size) == 0, "another value");
}

static void walk(set_model *m) {
    const covey_entity *ids = covey_sparse_set_ids(m->set);
    uint32_t from = program_below(&m->program, 64), at = covey_sparse_set_next(m->set, from);
    for (uint32_t i = from; i < m->oracle->end; i++) {
        if (m->oracle->ids[i].generation == 0) continue;
        REQUIRE(m, at == i && covey_same(ids[at], m->oracle->ids[i]), "position %u is next, not %u", at, i);
        at = covey_sparse_set_next(m->set, at + 1);
    }
    REQUIRE(m, at == COVEY_NONE, "there is one more, at %u", at);
}

static void look_at_values(set_model *m) {
    uint32_t positions = oracle_set_positions(m->oracle), at = program_below(&m->program, positions + 1);
    const char *all = covey_sparse_set_values(m->set);
    const char *page = covey_sparse_set_page(m->set, at / COVEY_PAGE_SIZE);
    const char *value = covey_sparse_set_value_at(m->set, at);
    bool paged = m->oracle->policy == COVEY_IN_PLACE && m->oracle->size != 0;
    REQUIRE(m, (value != NULL) == (at < positions), "a value where there is none");
    if (!value) return;
    REQUIRE(m, (all == NULL) == paged && (page != NULL) == paged, "pages and not");
    size_t offset = (size_t)(paged ? at % COVEY_PAGE_SIZE : at) * m->oracle->size;
    REQUIRE(m, value == (paged ? page : all) + offset, "the value at %u lies elsewhere", at);
}

/* ---- Running ------------------------------------------------------------------------------------------------------*/

typedef struct operation {
    const char *name;
    void (*run)(set_model *m);
    uint32_t weight;
    bool quiet;
} operation;

static const operation operations[] = {
    { "push", push, 48, false },
    { "push_range", push_range, 6, false },
    { "remove", remove_one, 20, true },
    { "erase", erase, 8, true },
    { "remove_range", remove_range, 3, true },
    { "erase_ordered", erase_ordered, 4, true },
    { "clear", clear, 1, true },
    { "swap", swap, 8, true },
    { "compact", compact, 2, true },
    { "reserve", reserve, 1, false },
    { "shrink", shrink, 2, false },
    { "get", look, 12, true },
    { "next", walk, 3, true },
    { "values", look_at_values, 3, true },
    { "sort", sort, 3, false },
    { "clone, sort_as", clone, 2, false },
    { "bump", bump, 3, true },
    { "move_border", move_border, 1, true },
    { "print, capacity", print, 1, true },
};

static const operation *choose_operation(program *p) {
    static const size_t count = sizeof operations / sizeof operations[0];
    uint32_t total = 0, at = 0;
    for (size_t i = 0; i < count; i++) total += operations[i].weight;
    uint32_t weight = program_below(p, total);
    while (weight >= operations[at].weight) weight -= operations[at++].weight;
    return &operations[at];
}

/* What lies behind the end and was in use before the step. */
static void check_erased(set_model *m, uint32_t before) {
    uint32_t capacity = m->set->id_capacity < m->set->data_capacity ? m->set->id_capacity : m->set->data_capacity;
    if (!m->oracle->zero_erased || m->oracle->size == 0) return;
    for (uint32_t at = covey_sparse_set_position_count(m->set); at < before && at < capacity; at++) {
        const unsigned char *value = covey__value_at(m->set, at, m->oracle->size);
        for (uint32_t i = 0; i < m->oracle->size; i++) REQUIRE(m, value[i] == 0, "the erased value %u is not zero", at);
    }
}

static void validate(set_model *m) {
    const char *why = "";
    REQUIRE(m, covey_sparse_set_validate(m->set, &why), "the set is not valid: %s", why);
}

static void step(set_model *m) {
    program *p = &m->program;
    const operation *chosen = choose_operation(p);
    program_begin_step(p, chosen->name);
    uint64_t calls = p->heap.calls;
    uint32_t before = covey_sparse_set_position_count(m->set);
    chosen->run(m);
    test_fail_never(&p->heap);
    REQUIRE(m, !chosen->quiet || p->heap.calls == calls, "it allocates");
    REQUIRE(m, covey_sparse_set_memory(m->set) == p->heap.bytes, "%zu bytes counted, %zu out",
            covey_sparse_set_memory(m->set), p->heap.bytes);
    check_erased(m, before);
    if (p->step % m->options->validate_every == 0) validate(m);
    if (p->heap.failed || p->step % m->options->compare_every == 0) program_compare_set(p, m->set, m->oracle);
}

static void start(set_model *m) {
    static const uint32_t sizes[] = { 0, 1, 8, 12, 64 }, aligns[] = { 0, 1, 8, 4, 64 };
    program *p = &m->program;
    uint32_t kind = program_below(p, 5);
    covey_sparse_set_desc desc = { .size = sizes[kind], .align = aligns[kind], .policy = m->options->policy };
    desc.zero_erased = program_chance(p, 100);
    desc.allocator = test_allocator(&p->heap);
    m->oracle = oracle_set_create(&desc, m->options->fault);
    program_begin_step(p, "sparse_set_create");
    m->set = covey_sparse_set_create(&desc);
    test_fail_never(&p->heap);
    REQUIRE(m, m->set || (p->heap.failed && p->heap.bytes == 0), "no set");
    if (!m->set) m->set = covey_sparse_set_create(&desc);
}

/* Few indices, so that they meet often. */
static void choose_setting(set_model *m) {
    program *p = &m->program;
    uint64_t spread = m->options->crowd + program_below(p, m->options->crowd) + 1;
    m->spread = spread < COVEY_NONE ? (uint32_t)spread : COVEY_NONE;
    m->rarity = m->options->crowd < 1000 ? 1 : 16;
    m->base = program_chance(p, 16) ? program_below(p, 5000) : 0;
    if (m->options->far || m->base > COVEY_NONE - m->spread) m->base = COVEY_NONE - m->spread;
}

static void run(set_model *m) {
    start(m);
    choose_setting(m);
    while (m->program.step < m->options->steps && !program_has_ended(&m->program)) {
        m->program.step++;
        step(m);
    }
    m->program.operation = "sparse_set_destroy";
    validate(m);
    program_compare_set(&m->program, m->set, m->oracle);
    covey_sparse_set_destroy(m->set);
    m->set = NULL;
    REQUIRE(m, m->program.heap.bytes == 0 && m->program.heap.blocks == 0, "%zu bytes are lost", m->program.heap.bytes);
}

model_report model_run_set(const model_options *options) {
    model_report report = { .agreed = true };
    set_model *m = calloc(1, sizeof *m);
    if (!m) abort();
    program_init(&m->program, options->data, options->size, options->seed);
    m->options = options;
    if (setjmp(m->program.stop) == 0) run(m);
    else report.agreed = false;
    report.steps = m->program.step;
    snprintf(report.text, sizeof report.text, "step %llu, %s: %s", (unsigned long long)report.steps,
             m->program.operation, m->program.message);
    covey_sparse_set_destroy(m->set);
    if (m->oracle) oracle_set_destroy(m->oracle);
    free(m);
    return report;
}
