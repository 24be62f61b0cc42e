/* Destroying entities with three components in a world that has many more pools, and in one that has two more. The
 * other pools have components on a few entities behind those that are destroyed. */
#include "components.h"
#include "bench.h"

#include <stdlib.h>

#define MANY_POOLS 300
#define FEW_POOLS 5
#define OUR_POOLS 3
#define OTHERS 64        /* entities that are never destroyed */
#define OTHERS_OF_EACH 4 /* how many of them have a component of each other pool */

typedef struct herd {
    covey_world *world;
    covey_entity *made; /* by index, which is the order in which they are destroyed */
    uint32_t n;
} herd;

typedef struct fixture {
    herd many, few;
} fixture;

/* ---- Before a run -------------------------------------------------------------------------------------------------*/

static covey_pool *other_pool(covey_world *world, uint32_t number) {
    char name[32];
    snprintf(name, sizeof name, "Other%u", number);
    covey_type description = {
        .name = name, .size = sizeof(Vec2), .align = _Alignof(Vec2), .storage = BENCH_COVEY_STORAGE
    };
    const covey_type *type = covey_type_create(world, &description);
    covey_pool *pool = type ? covey_pool_of_raw(world, type) : NULL;
    if (!pool) bench_fail("no pool");
    return pool;
}

/* The other pools are older, so that the numbers of ours are the highest. */
static herd make_herd(const bench_scenario *scenario, uint32_t n, uint32_t pools) {
    bench_entities entities;
    bench_entities_open(&entities, scenario, n);
    free(entities.order);
    covey_entity others[OTHERS];
    if (!covey_create_many(entities.world, others, OTHERS)) bench_fail("no memory for entities");
    for (uint32_t p = 0; p < pools - OUR_POOLS; p++) {
        covey_pool *pool = other_pool(entities.world, p);
        for (uint32_t k = 0; k < OTHERS_OF_EACH; k++)
            if (!covey_pool_add_raw(pool, others[(p + k) % OTHERS], NULL)) bench_fail("no component");
    }
    return (herd){ entities.world, entities.all, n };
}

static void *open(const bench_scenario *scenario, uint32_t n) {
    fixture *f = bench_alloc(1, sizeof *f);
    *f = (fixture){ make_herd(scenario, n, MANY_POOLS), make_herd(scenario, n, FEW_POOLS) };
    return f;
}

static void free_herd(herd *h) {
    covey_world_destroy(h->world);
    free(h->made);
}

static void close(void *context) {
    fixture *f = context;
    free_herd(&f->many);
    free_herd(&f->few);
    free(f);
}

static void populate(herd *h) {
    covey_destroy_many(h->world, h->made, h->n);
    for (uint32_t i = 0; i < h->n; i++) {
        covey_entity e = covey_create_at(h->world, i);
        covey_add(h->world, e, Position, { 1, 2 });
        covey_add(h->world, e, Velocity, { 3, 4 });
        covey_add(h->world, e, Force, { 5, 6 });
        h->made[i] = e;
    }
}

static void populate_many(void *context) { populate(&((fixture *)context)->many); }
static void populate_few(void *context) { populate(&((fixture *)context)->few); }

/* ---- The runs -----------------------------------------------------------------------------------------------------*/

#define RUN(name, herd_of)                                                                               \
    BENCH_TIMED static uint64_t name(void *context) {                                                    \
        const fixture *f = context;                                                                      \
        for (uint32_t i = 0; i < f->herd_of.n; i++) covey_destroy(f->herd_of.world, f->herd_of.made[i]); \
        return covey_entity_count(f->herd_of.world);                                                     \
    }

RUN(destroy_many, many)
RUN(destroy_few, few)

/* ---- The scenarios ------------------------------------------------------------------------------------------------*/

static const bench_contestant destroying[] = {
    { .name = "covey", .prepare = populate_many, .run = destroy_many },
    { .name = "pools5", .prepare = populate_few, .run = destroy_few },
    { .name = NULL },
};

static const bench_scenario scenarios[] = { {
    .name = "destroy3_300pools",
    .storage = BENCH_STORAGE_TEXT,
    .sizes = { 1000, 100000, 1000000 },
    .contestants = destroying,
    .open = open,
    .close = close,
    .order = BENCH_ORDERED,
    .bars = { BENCH_BAR("pools5", BENCH_LIMIT(0, 1.5)) },
} };

const bench_suite BENCH_NAME(bench_destroy_pools) = { scenarios, sizeof scenarios / sizeof *scenarios };
