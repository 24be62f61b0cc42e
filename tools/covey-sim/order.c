#include "order.h"

#include "value.h"

#include <math.h>
#include <stdlib.h>

typedef enum kind {
    BY_INDEX,
    BY_SEED,
    BY_SIGNED_SEED,
    BY_F32,
    BY_F64,
    BY_I64,
    BY_ENTITY_KEY,
    BY_COMPARING,
    BY_COMPARING_ENTITIES,
    KINDS
} kind;

static const char *const names[KINDS] = { "index", "u32",        "i32",       "an f32 function",   "an f64 function",
                                          "i64",   "entity key", "comparing", "comparing entities" };

static bool saw_damage;

bool sim_order_saw_damage(void) { return saw_damage; }

/* ---- Ranks --------------------------------------------------------------------------------------------------------*/

/* Numbers with signs, equal zeros and NaN, and how they are ordered. */
enum { NUMBERS = 8, LAST = INT32_MAX };
static const float numbers[NUMBERS] = { 0.0f, -0.0f, 1.5f, -1.5f, NAN, INFINITY, -INFINITY, 1e-40f };
static const int64_t number_ranks[NUMBERS] = { 0, 0, 2, -2, LAST, 3, -3, 1 };

static uint32_t few_of(uint32_t seed) { return seed % 8; }

static uint32_t few_of_entity(covey_entity e, uint32_t seed) {
    uint32_t index = e.index, generation = e.generation;
    return few_of(seed) ^ (index + generation) % 4;
}

static int64_t ascending_rank(const sim_order *order, covey_entity e, uint32_t seed) {
    switch ((kind)order->kind) {
    case BY_INDEX: return e.index;
    case BY_SEED:
    case BY_SIGNED_SEED: return seed;
    case BY_F32:
    case BY_F64: return number_ranks[seed % NUMBERS];
    case BY_I64: return (int64_t)(seed % 16) - 8;
    case BY_ENTITY_KEY:
    case BY_COMPARING_ENTITIES: return few_of_entity(e, seed);
    default: return few_of(seed);
    }
}

/* NaN comes last in both directions. */
static int64_t rank_of(const sim_order *order, const naive_world *naive, covey_entity e) {
    int64_t rank = ascending_rank(order, e, naive_component_of(naive, e, order->type)->seed);
    bool is_nan = (order->kind == BY_F32 || order->kind == BY_F64) && rank == LAST;
    return order->descending && !is_nan ? -rank : rank;
}

/* ---- Functions for the library ------------------------------------------------------------------------------------*/

/* The context of a function: the number of the type. */
static const uint32_t type_numbers[NAIVE_TYPES] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                                                    12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23 };

static uint32_t seed_of(const void *value, void *context) {
    uint32_t seed;
    covey_entity link;
    if (!value_read(*(const uint32_t *)context, value, &seed, &link)) saw_damage = true;
    return seed;
}

static void write_f32(void *key, const void *value, void *context) {
    memcpy(key, &numbers[seed_of(value, context) % NUMBERS], sizeof numbers[0]);
}

static void write_f64(void *key, const void *value, void *context) {
    double number = (double)numbers[seed_of(value, context) % NUMBERS];
    memcpy(key, &number, sizeof number);
}

static void write_i64(void *key, const void *value, void *context) {
    int64_t number = (int64_t)(seed_of(value, context) % 16) - 8;
    memcpy(key, &number, sizeof number);
}

static void write_entity_u64(void *key, covey_entity e, const void *value, void *context) {
    uint64_t number = (uint64_t)few_of_entity(e, seed_of(value, context)) << 33;
    memcpy(key, &number, sizeof number);
}

static int compare(const void *a, const void *b, void *context) {
    return (int)few_of(seed_of(a, context)) - (int)few_of(seed_of(b, context));
}

static int compare_entities(covey_entity a, const void *a_value, covey_entity b, const void *b_value, void *context) {
    return (int)few_of_entity(a, seed_of(a_value, context)) - (int)few_of_entity(b, seed_of(b_value, context));
}

/* ---- Orders -------------------------------------------------------------------------------------------------------*/

sim_order sim_order_pick(uint32_t n, uint32_t type) {
    sim_order order = { .kind = n % KINDS, .type = type, .descending = n / KINDS % 3 == 0 };
    bool in_value = order.kind == BY_SEED || order.kind == BY_SIGNED_SEED;
    if (in_value && value_is_tag(type)) order.kind = BY_INDEX;
    return order;
}

const char *sim_order_name(const sim_order *order) { return names[order->kind]; }

bool sim_order_is_same(const sim_order *a, const sim_order *b) {
    return a->kind == b->kind && a->type == b->type && a->descending == b->descending;
}

bool sim_order_reads_values(const sim_order *order) { return order->kind != BY_INDEX; }

covey_order sim_order_describe(const sim_order *order) {
    covey_order described = { .descending = order->descending,
                              .context = (void *)(uintptr_t)&type_numbers[order->type],
                              .offset = value_seed_offset(order->type) };
    switch ((kind)order->kind) {
    case BY_SEED: described.key = COVEY_KEY_U32; break;
    case BY_SIGNED_SEED: described.key = COVEY_KEY_I32; break;
    case BY_F32: described.key = COVEY_KEY_F32, described.key_of = write_f32; break;
    case BY_F64: described.key = COVEY_KEY_F64, described.key_of = write_f64; break;
    case BY_I64: described.key = COVEY_KEY_I64, described.key_of = write_i64; break;
    case BY_ENTITY_KEY: described.key = COVEY_KEY_U64, described.key_of_entity = write_entity_u64; break;
    case BY_COMPARING: described.compare = compare; break;
    case BY_COMPARING_ENTITIES: described.compare_entities = compare_entities; break;
    default: break;
    }
    return described;
}

void sim_order_spoil(covey_order *order, uint32_t n, uint32_t type) {
    covey_order wrong = { .context = order->context };
    switch (n % 4) {
    case 0: wrong.compare = compare, wrong.compare_entities = compare_entities; break;
    case 1: wrong.key = COVEY_KEY_U32, wrong.offset = value_types[type]->size; break;
    case 2: wrong.key = (covey_key)(COVEY_KEY_U64 + 1); break;
    default: wrong.key_of = write_i64; break; /* without the kind of the key */
    }
    *order = wrong;
}

/* ---- Sorting lists ------------------------------------------------------------------------------------------------*/

typedef struct ranked {
    int64_t rank;
    covey_entity e;
} ranked;

/* By insertion: stable. */
static void sort_ranked(ranked *list, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        ranked moved = list[i];
        uint32_t to = i;
        for (; to != 0 && list[to - 1].rank > moved.rank; to--) list[to] = list[to - 1];
        list[to] = moved;
    }
}

static ranked *allocate_ranked(uint32_t count) {
    ranked *list = malloc((count + 1) * sizeof *list);
    if (!list) abort();
    return list;
}

static void sort_and_free(ranked *sorted, covey_entity *list, uint32_t count) {
    sort_ranked(sorted, count);
    for (uint32_t i = 0; i < count; i++) list[i] = sorted[i].e;
    free(sorted);
}

void sim_order_sort(const sim_order *order, const naive_world *naive, covey_entity *list, uint32_t count) {
    ranked *sorted = allocate_ranked(count);
    for (uint32_t i = 0; i < count; i++) sorted[i] = (ranked){ rank_of(order, naive, list[i]), list[i] };
    sort_and_free(sorted, list, count);
}

bool sim_order_is_kept(const sim_order *order, const naive_world *naive, const covey_entity *list, uint32_t count) {
    for (uint32_t i = 1; i < count; i++)
        if (rank_of(order, naive, list[i - 1]) > rank_of(order, naive, list[i])) return false;
    return true;
}

void sim_order_follow(covey_entity *list, uint32_t count, const covey_entity *leaders, uint32_t leader_count) {
    ranked *sorted = allocate_ranked(count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = 0;
        while (at < leader_count && !covey_same(leaders[at], list[i])) at++;
        sorted[i] = (ranked){ at, list[i] };
    }
    sort_and_free(sorted, list, count);
}

static uint32_t depth_of(const naive_world *naive, covey_entity e) {
    uint32_t depth = 0;
    for (e = naive_find(naive, e)->parent; !covey_is_null(e); e = naive_find(naive, e)->parent) depth++;
    return depth;
}

void sim_order_sort_by_depth(const naive_world *naive, covey_entity *list, uint32_t count) {
    ranked *sorted = allocate_ranked(count);
    for (uint32_t i = 0; i < count; i++) sorted[i] = (ranked){ depth_of(naive, list[i]), list[i] };
    sort_and_free(sorted, list, count);
}
