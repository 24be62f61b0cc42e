/* One percent of the entities has a component set; a reactive set collects them, and the program visits them. The bars
 * are a part of visiting all entities, and a multiple of making the changes without listeners. */
#include "bench.h"

#include <stdlib.h>

typedef struct Reading {
    float value, sum;
} Reading;
COVEY_COMPONENT_DEFINE(Reading);

typedef struct side {
    bench_entities entities;
    covey_pool *pool;
    covey_view all;
} side;

typedef struct fixture {
    side heard, unheard;
    covey_reactive *changed; /* of the side with listeners */
} fixture;

static void open_side(side *s, const bench_scenario *scenario, uint32_t n) {
    bench_entities_open(&s->entities, scenario, n);
    s->pool = covey_pool_of(s->entities.world, Reading);
    for (uint32_t i = 0; i < n; i++)
        if (!s->pool || !covey_pool_add(s->pool, s->entities.all[i], Reading, { 0, 0 })) bench_fail("no component");
    s->all = covey_view_make(s->entities.world, &(covey_view_desc){ .with = { covey_id(Reading) } });
}

static void *open(const bench_scenario *scenario, uint32_t n) {
    fixture *f = bench_alloc(1, sizeof *f);
    open_side(&f->heard, scenario, n);
    open_side(&f->unheard, scenario, n);
    f->changed = covey_reactive_create(
        f->heard.entities.world,
        &(covey_reactive_desc){ .set = { covey_id(Reading) }, .match = { .with = { covey_id(Reading) } } });
    if (!f->changed) bench_fail("no reactive set");
    return f;
}

static void close(void *context) {
    fixture *f = context;
    bench_entities_close(&f->heard.entities);
    bench_entities_close(&f->unheard.entities);
    free(f);
}

static inline void add_up(Reading *reading) { reading->sum += reading->value; }

BENCH_TIMED static void visit_all(const side *s) {
    covey_iter it = covey_view_iter(&s->all);
    while (covey_next(&it)) {
        Reading *readings = covey_field(&it, 0, Reading);
        for (uint32_t i = 0; i < it.count; i++) add_up(&readings[i]);
    }
}

BENCH_TIMED static void change_some(const side *s) {
    for (uint32_t i = 0; i < s->entities.order_count; i++)
        covey_pool_set(s->pool, s->entities.order[i], Reading, { 1, 0 });
}

BENCH_TIMED static uint64_t visit_changed(covey_reactive *changed) {
    uint64_t count = 0;
    covey_iter it = covey_reactive_iter(changed);
    covey_row row = { 0 };
    while (covey_next_row(&it, &row)) {
        add_up(covey_row_field(&it, row, 0, Reading));
        count++;
    }
    return count;
}

/* Both sides find the caches as a visit to all entities leaves them. */
static double react(void *context) {
    const fixture *f = context;
    visit_all(&f->heard);
    uint64_t start = bench_now();
    change_some(&f->heard);
    uint64_t count = visit_changed(f->changed);
    covey_reactive_clear(f->changed);
    uint64_t end = bench_now();
    if (count != f->heard.entities.order_count) bench_fail("%llu were visited", (unsigned long long)count);
    return (double)(end - start);
}

static double allow(void *context) {
    const fixture *f = context;
    uint64_t start = bench_now();
    visit_all(&f->unheard);
    uint64_t middle = bench_now();
    change_some(&f->unheard);
    uint64_t end = bench_now();
    return 0.02 * (double)(middle - start) + 2 * (double)(end - middle);
}

/* No more contestants: each finds its world as cold as the other finds its own. */
static const bench_contestant reacting[] = {
    { .name = "covey", .measure = react },   /* set, visit the changed, clear */
    { .name = "allowed", .measure = allow }, /* 2 % of visiting all, and twice the changes */
    { .name = NULL },
};

static const bench_scenario scenarios[] = {
    { .name = "reactive_1",
      .storage = "block",
      .sizes = { 10000, 100000, 1000000 },
      .contestants = reacting,
      .open = open,
      .close = close,
      .bars = { { "allowed", 1000000, 1.0 } },
      .order = BENCH_SHUFFLED,
      .percent = 1,
      .whole = true },
    { .name = "reactive_1_ordered",
      .storage = "block",
      .sizes = { 10000, 100000, 1000000 },
      .contestants = reacting,
      .open = open,
      .close = close,
      .order = BENCH_ORDERED,
      .percent = 1,
      .whole = true },
};

const bench_suite bench_reactive = { scenarios, sizeof scenarios / sizeof *scenarios };
