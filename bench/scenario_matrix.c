/* Three ways to remove, in four orders: closing each gap at once (list), filling it with the last element (swap), and
 * marking it for one pass over all (ordered). Ids 0 to n - 1 have a vector of twelve bytes each. */
#include "bench.h"

#include <covey/sparse_set.h>

typedef struct Vec3 {
    float x, y, z;
} Vec3;

#define BASELINE_T Vec3
#include "baselines.h"

typedef Vec3 Swapped, Ordered;

COVEY_COMPONENT_DEFINE(Swapped, .storage = COVEY_STORAGE_SPARSE, .policy = COVEY_SWAP_AND_POP);
COVEY_COMPONENT_DEFINE(Ordered, .storage = COVEY_STORAGE_SPARSE, .policy = COVEY_ORDERED);

typedef struct fixture {
    bench_entities entities;
    covey_sparse_set *list;
    covey_pool *swapped, *ordered;
    textbook textbook;
    raw raw;
    Vec3 *values;
} fixture;

static void *open(const bench_scenario *scenario, uint32_t n) {
    fixture *f = bench_alloc(1, sizeof *f);
    bench_entities_open(&f->entities, scenario, n);
    f->list = covey_sparse_set_create(&(covey_sparse_set_desc){ .size = sizeof(Vec3), .align = _Alignof(Vec3) });
    f->swapped = covey_pool_of(f->entities.world, Swapped);
    f->ordered = covey_pool_of(f->entities.world, Ordered);
    if (!f->list || !f->swapped || !f->ordered) bench_fail("no pools");
    f->raw = raw_make(n);
    f->values = bench_alloc(n, sizeof *f->values);
    for (uint32_t i = 0; i < n; i++) f->values[i] = (Vec3){ 1, 2, 3 };
    return f;
}

static void close(void *context) {
    fixture *f = context;
    covey_sparse_set_destroy(f->list);
    bench_entities_close(&f->entities);
    textbook_free(&f->textbook);
    raw_free(&f->raw);
    free(f->values);
    free(f);
}

/* ---- Filling ------------------------------------------------------------------------------------------------------*/

static void fill_list(void *context) {
    fixture *f = context;
    covey_sparse_set_clear(f->list);
    if (covey_sparse_set_push_range(f->list, f->entities.all, f->entities.n, f->values)) bench_fail("no list");
}

static void fill_swap(void *context) {
    fixture *f = context;
    covey_clear(f->entities.world, Swapped);
    for (uint32_t i = 0; i < f->entities.n; i++) covey_pool_add(f->swapped, f->entities.all[i], Swapped, { 1, 2, 3 });
}

static void fill_ordered(void *context) {
    fixture *f = context;
    covey_clear(f->entities.world, Ordered);
    for (uint32_t i = 0; i < f->entities.n; i++) covey_pool_add(f->ordered, f->entities.all[i], Ordered, { 1, 2, 3 });
}

static void fill_textbook(void *context) {
    fixture *f = context;
    textbook_clear(&f->textbook);
    for (uint32_t i = 0; i < f->entities.n; i++) textbook_add(&f->textbook, i, (Vec3){ 1, 2, 3 });
}

static void fill_raw(void *context) {
    fixture *f = context;
    raw_fill(&f->raw, f->entities.n, (Vec3){ 1, 2, 3 });
}

/* ---- Removing: one loop, with another statement in it and another end each time -----------------------------------*/

#define RUN(name, container, statement, end, count)    \
    BENCH_TIMED static uint64_t name(void *context) {  \
        fixture *f = context;                          \
        const covey_entity *order = f->entities.order; \
        uint32_t n = f->entities.order_count;          \
        container;                                     \
        for (uint32_t i = 0; i < n; i++) {             \
            covey_entity e = order[i];                 \
            statement;                                 \
        }                                              \
        end;                                           \
        return count;                                  \
    }

RUN(run_list, covey_sparse_set *set = f->list, covey_sparse_set_erase_ordered(set, e), (void)0,
    covey_sparse_set_count(set))
RUN(run_swap, covey_pool *pool = f->swapped, covey_pool_remove(pool, e, Swapped), (void)0, covey_pool_count(pool))
RUN(run_ordered, covey_pool *pool = f->ordered, covey_pool_remove(pool, e, Ordered),
    covey_pool_compact(pool, NULL, NULL), covey_pool_count(pool))
RUN(run_textbook, textbook *set = &f->textbook, textbook_remove(set, e.index), (void)0, set->count)
RUN(run_raw_list, raw *array = &f->raw, raw_erase(array, e.index), (void)0, array->count)
RUN(run_raw_swap, raw *array = &f->raw, raw_swap_back(array, e.index), (void)0, array->count)
RUN(run_raw_ordered, raw *array = &f->raw, raw_mark(array, e.index), raw_compact(array), array->count)

/* ---- The scenarios ------------------------------------------------------------------------------------------------*/

static const bench_contestant listing[] = {
    { .name = "covey", .prepare = fill_list, .run = run_list },
    { .name = "raw", .prepare = fill_raw, .run = run_raw_list },
    { .name = "textbook", .prepare = fill_textbook, .run = run_textbook },
    { .name = NULL },
};
static const bench_contestant swapping[] = {
    { .name = "covey", .prepare = fill_swap, .run = run_swap },
    { .name = "raw", .prepare = fill_raw, .run = run_raw_swap },
    { .name = "textbook", .prepare = fill_textbook, .run = run_textbook },
    { .name = NULL },
};
static const bench_contestant ordering[] = {
    { .name = "covey", .prepare = fill_ordered, .run = run_ordered },
    { .name = "raw", .prepare = fill_raw, .run = run_raw_ordered },
    { .name = "textbook", .prepare = fill_textbook, .run = run_textbook },
    { .name = "swap", .prepare = fill_swap, .run = run_swap },
    { .name = NULL },
};

#define SCENARIO(text, who, way, some, most, once)                                                           \
    {                                                                                                        \
        .name = "matrix_" text, .storage = "sparse", .sizes = { 10000, 100000, 250000 }, .contestants = who, \
        .open = open, .close = close, .order = way, .percent = some, .once_from = once, .bars = {            \
            { "swap", 250000, most }                                                                         \
        }                                                                                                    \
    }

static const bench_scenario scenarios[] = {
    SCENARIO("list_reverse", listing, BENCH_REVERSED, 100, 0, 100000),
    SCENARIO("list_linear", listing, BENCH_ORDERED, 100, 0, 100000),
    SCENARIO("list_random", listing, BENCH_SHUFFLED, 100, 0, 100000),
    SCENARIO("list_random90", listing, BENCH_SHUFFLED, 90, 0, 100000),
    SCENARIO("swap_reverse", swapping, BENCH_REVERSED, 100, 0, 0),
    SCENARIO("swap_linear", swapping, BENCH_ORDERED, 100, 0, 0),
    SCENARIO("swap_random", swapping, BENCH_SHUFFLED, 100, 0, 0),
    SCENARIO("swap_random90", swapping, BENCH_SHUFFLED, 90, 0, 0),
    SCENARIO("ordered_reverse", ordering, BENCH_REVERSED, 100, 0, 0),
    SCENARIO("ordered_linear", ordering, BENCH_ORDERED, 100, 0, 0),
    SCENARIO("ordered_random", ordering, BENCH_SHUFFLED, 100, 0.6, 0),
    SCENARIO("ordered_random90", ordering, BENCH_SHUFFLED, 90, 0.9, 0),
};

const bench_suite bench_matrix = { scenarios, sizeof scenarios / sizeof *scenarios };
