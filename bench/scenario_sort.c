/* Sorting a pool of components of eight bytes by a float in them, against what a user would do without: sort keys with
 * qsort, and put ids, values and the table from indices to positions into that order. Entities are in the pool in a
 * random order. */
#include "components.h"
#include "bench.h"

#include <stdlib.h>

typedef struct pair {
    float key;
    uint32_t at;
} pair;

typedef struct fixture {
    bench_entities entities; /* `order`: of the pool before it is sorted */
    Vec2 *unsorted;          /* the values in this order */
    covey_pool *pool, *other;
    covey_entity *ids, *sorted_ids; /* what the baseline has: a packed array, and one to put the result into */
    Vec2 *values, *sorted_values;
    uint32_t *positions; /* by index */
    pair *pairs;
} fixture;

/* ---- The baseline -------------------------------------------------------------------------------------------------*/

/* Equal elements keep their order, as in Covey. */
static int compare_pairs(const void *a, const void *b) {
    const pair *left = a, *right = b;
    if (left->key != right->key) return left->key < right->key ? -1 : 1;
    return left->at < right->at ? -1 : 1;
}

static void apply(fixture *f) {
    covey_entity *ids = f->sorted_ids;
    Vec2 *values = f->sorted_values;
    for (uint32_t i = 0; i < f->entities.n; i++) {
        uint32_t from = f->pairs[i].at;
        ids[i] = f->ids[from];
        values[i] = f->values[from];
        f->positions[ids[i].index] = i;
    }
    f->sorted_ids = f->ids;
    f->sorted_values = f->values;
    f->ids = ids;
    f->values = values;
}

BENCH_TIMED static uint64_t run_qsort(void *context) {
    fixture *f = context;
    uint32_t n = f->entities.n;
    for (uint32_t i = 0; i < n; i++) f->pairs[i] = (pair){ f->values[i].x, i };
    qsort(f->pairs, n, sizeof *f->pairs, compare_pairs);
    apply(f);
    return f->ids[n / 2].index;
}

static void restore_qsort(void *context) {
    fixture *f = context;
    uint32_t n = f->entities.n;
    memcpy(f->ids, f->entities.order, n * sizeof *f->ids);
    memcpy(f->values, f->unsorted, n * sizeof *f->values);
    for (uint32_t i = 0; i < n; i++) f->positions[f->ids[i].index] = i;
}

/* ---- Covey --------------------------------------------------------------------------------------------------------*/

BENCH_TIMED static uint64_t run_sort(void *context) {
    fixture *f = context;
    covey_order order = { .key = COVEY_KEY_F32, .offset = offsetof(Position, x) };
    if (covey_pool_sort(f->pool, &order) != COVEY_OK) bench_fail("not sorted");
    return covey_pool_ids(f->pool)[f->entities.n / 2].index;
}

BENCH_TIMED static uint64_t run_sort_as(void *context) {
    fixture *f = context;
    if (covey_pool_sort_as(f->pool, f->other) != COVEY_OK) bench_fail("not sorted");
    return covey_pool_ids(f->pool)[f->entities.n / 2].index;
}

static void restore_covey(void *context) {
    fixture *f = context;
    covey_clear(f->entities.world, Position);
    if (!covey_add_array(f->entities.world, f->entities.order, f->entities.n, Position, f->unsorted))
        bench_fail("no components");
}

/* ---- Fixtures -----------------------------------------------------------------------------------------------------*/

static fixture *make_fixture(const bench_scenario *scenario, uint32_t n) {
    fixture *f = bench_alloc(1, sizeof *f);
    bench_entities_open(&f->entities, scenario, n);
    f->pool = covey_pool_of(f->entities.world, Position);
    if (!f->pool) bench_fail("no pool");
    f->unsorted = bench_alloc(n, sizeof *f->unsorted);
    f->ids = bench_alloc(n, sizeof *f->ids);
    f->sorted_ids = bench_alloc(n, sizeof *f->sorted_ids);
    f->values = bench_alloc(n, sizeof *f->values);
    f->sorted_values = bench_alloc(n, sizeof *f->sorted_values);
    f->positions = bench_alloc(n, sizeof *f->positions);
    f->pairs = bench_alloc(n, sizeof *f->pairs);
    return f;
}

static void close(void *context) {
    fixture *f = context;
    bench_entities_close(&f->entities);
    free(f->unsorted);
    free(f->ids);
    free(f->sorted_ids);
    free(f->values);
    free(f->sorted_values);
    free(f->positions);
    free(f->pairs);
    free(f);
}

static fixture *checked(fixture *f, const bench_scenario *scenario) {
    bench_run_each(scenario, f);
    for (uint32_t i = 0; i < f->entities.n; i++) {
        covey_entity e = covey_pool_ids(f->pool)[i];
        const Vec2 *value = covey_pool_get(f->pool, e, Position);
        bool same = covey_same(e, f->ids[i]) && f->positions[e.index] == i &&
                    value == covey_pool_values(f->pool, Position) + i &&
                    memcmp(value, &f->values[i], sizeof *value) == 0;
        if (!same) bench_fail("%s, n = %u: position %u differs", scenario->name, f->entities.n, i);
    }
    return f;
}

/* Keys from -1000 to 1000; whose value it is can be told from the rest. */
static void draw_values(fixture *f) {
    uint64_t state = f->entities.n;
    for (uint32_t i = 0; i < f->entities.n; i++) {
        float drawn = (float)bench_random(&state, 1u << 24) / (1u << 24);
        f->unsorted[i] = (Vec2){ .x = (drawn - 0.5f) * 2000, .y = (float)i };
    }
}

static void *open_random(const bench_scenario *scenario, uint32_t n) {
    fixture *f = make_fixture(scenario, n);
    draw_values(f);
    return checked(f, scenario);
}

static int compare_values(const void *a, const void *b) {
    float left = ((const Vec2 *)a)->x, right = ((const Vec2 *)b)->x;
    return (left > right) - (left < right);
}

/* Sorted, but for a hundredth of the values, which have changed places in pairs. */
static void *open_almost(const bench_scenario *scenario, uint32_t n) {
    fixture *f = make_fixture(scenario, n);
    draw_values(f);
    qsort(f->unsorted, n, sizeof *f->unsorted, compare_values);
    for (uint32_t i = 0; i + 1 < n / 100; i += 2) { /* their places are random: the indices of a random order */
        Vec2 *one = &f->unsorted[f->entities.order[i].index], *two = &f->unsorted[f->entities.order[i + 1].index];
        Vec2 moved = *one;
        *one = *two;
        *two = moved;
    }
    return checked(f, scenario);
}

/* The other pool is in the order of the keys, which is a random one: both contestants have the same to do. */
static void *open_as(const bench_scenario *scenario, uint32_t n) {
    fixture *f = make_fixture(scenario, n);
    draw_values(f);
    restore_qsort(f);
    run_qsort(f);
    f->other = covey_pool_of(f->entities.world, Velocity);
    if (!f->other || !covey_add_array(f->entities.world, f->ids, n, Velocity, f->values)) bench_fail("no components");
    return checked(f, scenario);
}

/* ---- The scenarios ------------------------------------------------------------------------------------------------*/

static const bench_contestant sorting[] = {
    { .name = "covey", .prepare = restore_covey, .run = run_sort },
    { .name = "qsort", .prepare = restore_qsort, .run = run_qsort },
    { .name = NULL },
};
static const bench_contestant sorting_as[] = {
    { .name = "covey", .prepare = restore_covey, .run = run_sort_as },
    { .name = "qsort", .prepare = restore_qsort, .run = run_qsort },
    { .name = NULL },
};

#define SCENARIO(text, who, filled, most)                                                                    \
    {                                                                                                        \
        .name = text, .storage = "sparse", .sizes = { 100000, 1000000 }, .contestants = who, .open = filled, \
        .close = close, .order = BENCH_SHUFFLED, .bars = {                                                   \
            BENCH_BAR("qsort", most)                                                                         \
        }                                                                                                    \
    }

static const bench_scenario scenarios[] = {
    SCENARIO("sort_float", sorting, open_random, 0.35),
    SCENARIO("sort_almost", sorting, open_almost, 0.06),
    SCENARIO("sort_as", sorting_as, open_as, 0.15),
};

const bench_suite bench_sort = { scenarios, sizeof scenarios / sizeof *scenarios };
