/* Which entities changed since the last visit? Some entities have a component changed, and the program visits them by
 * their ticks; against the same by hand, an array of ticks that are compared one by one. */
#include "bench.h"

#include <covey/enable.h>
#include <covey/tick.h>
#include <stdlib.h>

typedef struct Gauge {
    float value, sum;
} Gauge;
typedef Gauge SparseGauge;
COVEY_COMPONENT_DEFINE(Gauge, .ticks = true);
COVEY_COMPONENT_DEFINE(SparseGauge, .ticks = true, .storage = COVEY_STORAGE_SPARSE);

typedef struct fixture {
    bench_entities entities;
    const covey_type *type;
    covey_pool *pool;
    covey_view view;
    uint64_t seen, count; /* the tick of the last look, and who changes between two */
    /* by hand: */
    Gauge *gauges;
    uint64_t *ticks, now;
} fixture;

enum { STRIDE = 7919 }; /* a prime, so that multiples of it are all indices in no order */

/* Components in the order of entities, or in none. */
static void *open_in(const bench_scenario *scenario, uint32_t n, bool shuffled) {
    fixture *f = bench_alloc(1, sizeof *f);
    bench_entities_open(&f->entities, scenario, n);
    f->type = scenario->storage[0] == 'b' ? covey_id(Gauge) : covey_id(SparseGauge);
    f->pool = covey_pool_of_raw(f->entities.world, f->type);
    for (uint32_t i = 0; i < n; i++) {
        covey_entity e = f->entities.all[shuffled ? (uint64_t)i * STRIDE % n : i];
        if (!covey_add_raw(f->entities.world, e, f->type, &(Gauge){ 1, 0 })) bench_fail("no component");
    }
    covey_view_desc desc = { .with = { f->type }, .read = { f->type }, .changed = { f->type } };
    f->view = covey_view_make(f->entities.world, &desc);
    f->seen = covey_tick_advance(f->entities.world);
    f->count = f->entities.order_count;
    f->gauges = bench_alloc(n, sizeof *f->gauges);
    f->ticks = bench_alloc(n, sizeof *f->ticks);
    for (uint32_t i = 0; i < n; i++) f->ticks[i] = 0;
    f->now = 0;
    return f;
}

static void *open(const bench_scenario *scenario, uint32_t n) { return open_in(scenario, n, false); }
static void *open_shuffled(const bench_scenario *scenario, uint32_t n) { return open_in(scenario, n, true); }

static void close(void *context) {
    fixture *f = context;
    bench_entities_close(&f->entities);
    free(f->gauges);
    free(f->ticks);
    free(f);
}

/* Before each run: the next changes. */
static void change(void *context) {
    fixture *f = context;
    f->seen = covey_tick_advance(f->entities.world);
    for (uint32_t i = 0; i < f->count; i++)
        if (!covey_patch_raw(f->entities.world, f->entities.order[i], f->type, NULL, NULL)) bench_fail("no change");
}

static void change_by_hand(void *context) {
    fixture *f = context;
    f->now++;
    for (uint32_t i = 0; i < f->count; i++) f->ticks[f->entities.order[i].index] = f->now;
}

BENCH_TIMED static uint64_t visit_spans(void *context) {
    const fixture *f = context;
    uint64_t count = 0;
    covey_iter it = covey_view_iter_since(&f->view, f->seen);
    while (covey_next(&it)) {
        Gauge *gauges = covey_field_raw(&it, 0);
        for (uint32_t i = 0; i < it.count; i++) gauges[i].sum += gauges[i].value;
        count += it.count;
    }
    return count;
}

BENCH_TIMED static uint64_t visit_rows(void *context) {
    const fixture *f = context;
    uint64_t count = 0;
    covey_iter it = covey_view_iter_since(&f->view, f->seen);
    for (covey_row row = { 0 }; covey_next_row(&it, &row); count++) {
        Gauge *gauge = covey_row_field_raw(&it, row, 0);
        gauge->sum += gauge->value;
    }
    return count;
}

BENCH_TIMED static uint64_t compare_all(void *context) {
    const fixture *f = context;
    uint64_t count = 0, before = f->now - 1;
    for (uint32_t i = 0; i < f->entities.n; i++)
        if (f->ticks[i] > before) {
            f->gauges[i].sum += f->gauges[i].value;
            count++;
        }
    return count;
}

static const bench_contestant looking[] = {
    { .name = "covey", .prepare = change, .run = visit_spans },
    { .name = "rows", .prepare = change, .run = visit_rows },
    { .name = "by_hand", .prepare = change_by_hand, .run = compare_all },
    { .name = NULL },
};

/* The entities that change are chosen at random. */
#define ROW(NAME, STORAGE, PERCENT, OPEN, ...)                                                                       \
    {                                                                                                                \
        .name = NAME, .storage = STORAGE, .sizes = { 10000, 100000, 1000000 }, .contestants = looking, .open = OPEN, \
        .close = close, .order = BENCH_SHUFFLED, .percent = PERCENT, .whole = true, .bars = {                        \
            __VA_ARGS__                                                                                              \
        }                                                                                                            \
    }

static const bench_scenario scenarios[] = {
    ROW("ticks_1", "block", 1, open, BENCH_BARS("by_hand", 0.6)),
    ROW("ticks_10", "block", 10, open, BENCH_BARS("by_hand", 1)),
    ROW("ticks_100", "block", 0, open, BENCH_BARS("by_hand", 1.2)),
    ROW("ticks_1_sparse", "sparse", 1, open, BENCH_BARS("by_hand", 0.6)),
    ROW("ticks_10_sparse", "sparse", 10, open, BENCH_NO_BAR),
    ROW("ticks_100_sparse", "sparse", 0, open, BENCH_NO_BAR),
    ROW("ticks_1_shuffled", "sparse", 1, open_shuffled, BENCH_BARS("by_hand", 0.6)),
    ROW("ticks_10_shuffled", "sparse", 10, open_shuffled, BENCH_NO_BAR),
    ROW("ticks_100_shuffled", "sparse", 0, open_shuffled, BENCH_NO_BAR),
};

const bench_suite bench_ticks = { scenarios, sizeof scenarios / sizeof *scenarios };
