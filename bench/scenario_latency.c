/* The slowest single add of many to a pool that starts empty: what growing costs when it happens. */
#include "components.h"

#define BASELINE_T Position
#include "baselines.h"

typedef struct fixture {
    uint32_t n;
    covey_entity *entities;
} fixture;

static void *open(const bench_scenario *scenario, uint32_t n) {
    (void)scenario;
    fixture *f = bench_alloc(1, sizeof *f);
    *f = (fixture){ n, bench_alloc(n, sizeof *f->entities) };
    return f;
}

static void close(void *context) {
    fixture *f = context;
    free(f->entities);
    free(f);
}

/* The longest time between two looks at the clock, with one statement between them. */
#define SLOWEST(statement)                                  \
    uint64_t slowest = 0, before = bench_now();             \
    for (uint32_t i = 0; i < n; i++) {                      \
        covey_entity e = entities[i];                       \
        statement;                                          \
        uint64_t now = bench_now();                         \
        if (now - before > slowest) slowest = now - before; \
        before = now;                                       \
    }                                                       \
    return (double)slowest

BENCH_TIMED static double slowest_of_pool(covey_pool *pool, const covey_entity *entities, uint32_t n) {
    SLOWEST((void)covey_pool_add(pool, e, Position, { 1, 2 }));
}

BENCH_TIMED static double slowest_of_textbook(textbook *set, const covey_entity *entities, uint32_t n) {
    SLOWEST(textbook_add(set, e.index, (Position){ 1, 2 }));
}

static double measure_covey(void *context) {
    fixture *f = context;
    covey_world *world = covey_world_create(NULL);
    if (!world || !covey_create_many(world, f->entities, f->n)) bench_fail("no memory for a world");
    covey_pool *pool = covey_pool_of(world, Position);
    if (!pool) bench_fail("no pool");
    double slowest = slowest_of_pool(pool, f->entities, f->n);
    covey_world_destroy(world);
    return slowest;
}

static double measure_textbook(void *context) {
    fixture *f = context;
    textbook set = { 0 };
    double slowest = slowest_of_textbook(&set, f->entities, f->n);
    textbook_free(&set);
    return slowest;
}

static const bench_contestant adding[] = {
    { .name = "covey", .measure = measure_covey },
    { .name = "textbook", .measure = measure_textbook },
    { .name = NULL },
};

static const bench_scenario scenarios[] = { {
    .name = "latency_add",
    .storage = "sparse",
    .sizes = { 1000000 },
    .contestants = adding,
    .open = open,
    .close = close,
    .whole = true,
} };

const bench_suite bench_latency = { scenarios, sizeof scenarios / sizeof *scenarios };
