/* What an order that is kept is good for: a random half of the components is removed from a pool, which then is joined
 * with one that has all entities by index. Ordered pools against pools that swap and pop. */
#include "bench.h"

#include <stdlib.h>

typedef struct Vec2 {
    float x, y;
} Vec2;

typedef Vec2 OrderedHalf, OrderedAll, SwappedHalf, SwappedAll;

COVEY_COMPONENT_DEFINE(OrderedHalf, .storage = COVEY_STORAGE_SPARSE, .policy = COVEY_ORDERED);
COVEY_COMPONENT_DEFINE(OrderedAll, .storage = COVEY_STORAGE_SPARSE, .policy = COVEY_ORDERED);
COVEY_COMPONENT_DEFINE(SwappedHalf, .storage = COVEY_STORAGE_SPARSE, .policy = COVEY_SWAP_AND_POP);
COVEY_COMPONENT_DEFINE(SwappedAll, .storage = COVEY_STORAGE_SPARSE, .policy = COVEY_SWAP_AND_POP);

/* A world whose pools have the same policy. */
typedef struct side {
    bench_entities entities; /* `order`: those that lose the component first */
    covey_pool *half, *all;
    covey_view view;
} side;

typedef struct fixture {
    side ordered, swapped;
} fixture;

/* ---- Filling ------------------------------------------------------------------------------------------------------*/

static void open_side(side *s, const bench_scenario *scenario, uint32_t n, const covey_type *half,
                      const covey_type *all) {
    bench_entities_open(&s->entities, scenario, n);
    s->half = covey_pool_of_raw(s->entities.world, half);
    s->all = covey_pool_of_raw(s->entities.world, all);
    s->view = covey_view_make(s->entities.world, &(covey_view_desc){ .with = { half, all } });
    if (!s->half || !s->all || !covey_view_valid(&s->view)) bench_fail("no pools");
}

static fixture *make_fixture(const bench_scenario *scenario, uint32_t n) {
    fixture *f = bench_alloc(1, sizeof *f);
    open_side(&f->ordered, scenario, n, covey_id(OrderedHalf), covey_id(OrderedAll));
    open_side(&f->swapped, scenario, n, covey_id(SwappedHalf), covey_id(SwappedAll));
    return f;
}

static void close(void *context) {
    fixture *f = context;
    bench_entities_close(&f->ordered.entities);
    bench_entities_close(&f->swapped.entities);
    free(f);
}

/* All entities, by index. */
static void fill(side *s, covey_pool *pool) {
    for (uint32_t i = 0; i < s->entities.n; i++) {
        Vec2 value = { (float)(i % 64), 1 };
        if (!covey_pool_add_raw(pool, s->entities.all[i], &value)) bench_fail("no component");
    }
}

static void fill_ordered(void *context) {
    side *s = &((fixture *)context)->ordered;
    covey_clear(s->entities.world, OrderedHalf);
    fill(s, s->half);
}

static void fill_swapped(void *context) {
    side *s = &((fixture *)context)->swapped;
    covey_clear(s->entities.world, SwappedHalf);
    fill(s, s->half);
}

static fixture *checked(fixture *f, const bench_scenario *scenario) {
    const side *one = &f->ordered, *two = &f->swapped;
    bench_run_each(scenario, f);
    for (uint32_t i = 0; i < one->entities.n; i++) {
        const Vec2 *ordered = covey_pool_get(one->half, one->entities.all[i], OrderedHalf);
        const Vec2 *swapped = covey_pool_get(two->half, two->entities.all[i], SwappedHalf);
        bool same = !ordered == !swapped && (!ordered || memcmp(ordered, swapped, sizeof *ordered) == 0);
        if (!same) bench_fail("%s, n = %u: the values of entity %u differ", scenario->name, one->entities.n, i);
    }
    for (uint32_t i = 1; i < covey_pool_position_count(one->half); i++)
        if (covey_pool_ids(one->half)[i - 1].index > covey_pool_ids(one->half)[i].index)
            bench_fail("%s, n = %u: position %u is not in order", scenario->name, one->entities.n, i);
    return f;
}

/* ---- Removing -----------------------------------------------------------------------------------------------------*/

static void *open_remove(const bench_scenario *scenario, uint32_t n) {
    return checked(make_fixture(scenario, n), scenario);
}

#define REMOVE(name, world_of, T)                                              \
    BENCH_TIMED static uint64_t name(void *context) {                          \
        const fixture *f = context;                                            \
        covey_pool *pool = f->world_of.half;                                   \
        const covey_entity *order = f->world_of.entities.order;                \
        uint32_t n = f->world_of.entities.order_count;                         \
        for (uint32_t i = 0; i < n; i++) covey_pool_remove(pool, order[i], T); \
        covey_pool_compact(pool, NULL, NULL);                                  \
        return covey_pool_count(pool);                                         \
    }

REMOVE(remove_ordered, ordered, OrderedHalf)
REMOVE(remove_swapped, swapped, SwappedHalf)

/* ---- Joining ------------------------------------------------------------------------------------------------------*/

static void *open_join(const bench_scenario *scenario, uint32_t n) {
    fixture *f = make_fixture(scenario, n);
    fill_ordered(f);
    fill_swapped(f);
    remove_ordered(f);
    remove_swapped(f);
    fill(&f->ordered, f->ordered.all);
    fill(&f->swapped, f->swapped.all);
    return checked(f, scenario);
}

static inline void step(Vec2 *a, const Vec2 *b) {
    a->x += b->x;
    a->y += b->y;
}

#define JOIN_SPANS(name, world_of, A, B)                                \
    BENCH_TIMED static uint64_t name(void *context) {                   \
        const fixture *f = context;                                     \
        uint64_t matches = 0;                                           \
        covey_iter it = covey_view_iter(&f->world_of.view);             \
        while (covey_next(&it)) {                                       \
            A *a = covey_field(&it, 0, A);                              \
            const B *b = covey_field(&it, 1, B);                        \
            for (uint32_t i = 0; i < it.count; i++) step(&a[i], &b[i]); \
            matches += it.count;                                        \
        }                                                               \
        return matches;                                                 \
    }

#define JOIN_ROWS(name, world_of, A, B)                                             \
    BENCH_TIMED static uint64_t name(void *context) {                               \
        const fixture *f = context;                                                 \
        uint64_t matches = 0;                                                       \
        covey_iter it = covey_view_iter(&f->world_of.view);                         \
        covey_row row = { 0 };                                                      \
        while (covey_next_row(&it, &row)) {                                         \
            step(covey_row_field(&it, row, 0, A), covey_row_field(&it, row, 1, B)); \
            matches++;                                                              \
        }                                                                           \
        return matches;                                                             \
    }

JOIN_SPANS(spans_ordered, ordered, OrderedHalf, OrderedAll)
JOIN_SPANS(spans_swapped, swapped, SwappedHalf, SwappedAll)
JOIN_ROWS(rows_ordered, ordered, OrderedHalf, OrderedAll)
JOIN_ROWS(rows_swapped, swapped, SwappedHalf, SwappedAll)

/* ---- The scenarios ------------------------------------------------------------------------------------------------*/

static const bench_contestant removing[] = {
    { .name = "covey", .prepare = fill_ordered, .run = remove_ordered },
    { .name = "swap", .prepare = fill_swapped, .run = remove_swapped },
    { .name = NULL },
};
static const bench_contestant joining_spans[] = {
    { .name = "covey", .run = spans_ordered },
    { .name = "swap", .run = spans_swapped },
    { .name = NULL },
};
static const bench_contestant joining_rows[] = {
    { .name = "covey", .run = rows_ordered },
    { .name = "swap", .run = rows_swapped },
    { .name = NULL },
};

#define SCENARIO(text, who, filled, most)                                                                    \
    {                                                                                                        \
        .name = text, .storage = "sparse", .sizes = { 100000, 1000000 }, .contestants = who, .open = filled, \
        .close = close, .order = BENCH_SHUFFLED, .percent = 50, .bars = {                                    \
            { "swap", 1000000, most }                                                                        \
        }                                                                                                    \
    }

static const bench_scenario scenarios[] = {
    SCENARIO("ordered_half_remove", removing, open_remove, 1.2),
    SCENARIO("ordered_half_join_spans", joining_spans, open_join, 0),
    SCENARIO("ordered_half_join_rows", joining_rows, open_join, 0.25),
};

const bench_suite bench_ordered = { scenarios, sizeof scenarios / sizeof *scenarios };
