/* Walking over an in-place pool in which removal has left holes: what stable addresses cost. */
#include "bench.h"

#include <stdlib.h>

typedef struct Stable {
    float x, y;
} Stable;
COVEY_COMPONENT_DEFINE(Stable, .policy = COVEY_IN_PLACE);

typedef struct fixture {
    bench_entities entities;
    covey_pool *pool;
    Stable *values;
} fixture;

/* All entities have the component; then the ones that are not among the first `order_count` of a shuffle lose it. */
static void *open(const bench_scenario *scenario, uint32_t n) {
    fixture *f = bench_alloc(1, sizeof *f);
    bench_entities_open(&f->entities, scenario, n);
    f->values = bench_alloc(n, sizeof *f->values);
    f->pool = covey_pool_of(f->entities.world, Stable);
    for (uint32_t i = 0; i < n; i++)
        if (!f->pool || !covey_pool_add(f->pool, f->entities.all[i], Stable, { 0, 0 })) bench_fail("no component");
    for (uint32_t i = f->entities.order_count; i < n; i++) covey_pool_remove(f->pool, f->entities.order[i], Stable);
    return f;
}

static void close(void *context) {
    fixture *f = context;
    bench_entities_close(&f->entities);
    free(f->values);
    free(f);
}

static inline void step(Stable *value) {
    value->x += 1;
    value->y += 1;
}

BENCH_TIMED static uint64_t walk_pool(void *context) {
    const fixture *f = context;
    const covey_pool *pool = f->pool;
    uint64_t count = 0;
    for (uint32_t i = covey_pool_next(pool, 0); i != COVEY_NONE; i = covey_pool_next(pool, i + 1)) {
        step(covey_pool_page(f->pool, i / COVEY_PAGE_SIZE, Stable) + i % COVEY_PAGE_SIZE);
        count++;
    }
    return count;
}

BENCH_TIMED static uint64_t walk_raw(void *context) {
    const fixture *f = context;
    uint32_t count = f->entities.order_count;
    for (uint32_t i = 0; i < count; i++) step(&f->values[i]);
    return count;
}

static const bench_contestant walking[] = {
    { .name = "covey", .run = walk_pool },
    { .name = "raw", .run = walk_raw },
    { .name = NULL },
};

#define SCENARIO(text, full)                                                                                          \
    {                                                                                                                 \
        .name = text, .storage = "sparse", .sizes = { 10000, 100000, 1000000 }, .contestants = walking, .open = open, \
        .close = close, .order = BENCH_SHUFFLED, .percent = full                                                      \
    }

static const bench_scenario scenarios[] = {
    SCENARIO("walk_holes0", 100),
    SCENARIO("walk_holes50", 50),
    SCENARIO("walk_holes90", 10),
};

const bench_suite bench_holes = { scenarios, sizeof scenarios / sizeof *scenarios };
