/* Entities with three components are saved and restored. The bar is a multiple of copying as many bytes as the snapshot
 * has, with one memcpy between two arrays whose pages are resident. Both read from memory what is larger than a
 * cache. */
#include "bench.h"

#include <covey/history.h>
#include <stdlib.h>

typedef struct Spot {
    float x, y, z;
} Spot;
typedef struct Motion {
    float x, y, z;
} Motion;
typedef struct Health {
    uint32_t points, most;
} Health;
COVEY_COMPONENT_DEFINE(Spot);
COVEY_COMPONENT_DEFINE(Motion);
COVEY_COMPONENT_DEFINE(Health);
typedef Spot SparseSpot;
typedef Motion SparseMotion;
typedef Health SparseHealth;
COVEY_COMPONENT_DEFINE(SparseSpot, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(SparseMotion, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(SparseHealth, .storage = COVEY_STORAGE_SPARSE);

enum { LARGE = 16 << 20, SWEPT = 128 << 20 };

typedef struct fixture {
    bench_entities entities;
    covey_pool *health;
    covey_history *history;
    char *from, *to;
    size_t bytes;    /* of a snapshot */
    char *elsewhere; /* for sweeping the caches */
} fixture;

static void save(const fixture *f) {
    if (!covey_history_save(f->history)) bench_fail("not saved");
}

static covey_pool *fill(const fixture *f, const covey_type *type) {
    covey_pool *pool = covey_pool_of_raw(f->entities.world, type);
    for (uint32_t i = 0; i < f->entities.n; i++)
        if (!pool || !covey_pool_add_raw(pool, f->entities.all[i], NULL)) bench_fail("no component");
    return pool;
}

/* Pages of zeros may be one page that is there many times. */
static char *array_of(size_t bytes) { return memset(bench_alloc(bytes, 1), 1, bytes); }

static void *open(const bench_scenario *scenario, uint32_t n) {
    fixture *f = bench_alloc(1, sizeof *f);
    bool sparse = strcmp(scenario->storage, "sparse") == 0;
    bench_entities_open(&f->entities, scenario, n);
    fill(f, sparse ? covey_id(SparseSpot) : covey_id(Spot));
    fill(f, sparse ? covey_id(SparseMotion) : covey_id(Motion));
    f->health = fill(f, sparse ? covey_id(SparseHealth) : covey_id(Health));
    f->history = covey_history_create(f->entities.world, 2);
    if (!f->history) bench_fail("no history");
    size_t empty = covey_history_memory(f->history);
    save(f);
    f->bytes = covey_history_memory(f->history) - empty;
    f->from = array_of(f->bytes);
    f->to = array_of(f->bytes);
    if (f->bytes > LARGE) f->elsewhere = array_of(SWEPT);
    return f;
}

static void close(void *context) {
    fixture *f = context;
    bench_entities_close(&f->entities);
    free(f->from);
    free(f->to);
    free(f->elsewhere);
    free(f);
}

/* Neither contestant finds in a cache what the other one, or it itself, has left there. */
static void sweep(const fixture *f) {
    if (f->elsewhere) memset(f->elsewhere, f->elsewhere[0] + 1, SWEPT);
}

BENCH_TIMED static double copy(void *context) {
    const fixture *f = context;
    sweep(f);
    uint64_t start = bench_now();
    memcpy(f->to, f->from, f->bytes);
    return (double)(bench_now() - start);
}

/* The same entities have the same components. */
BENCH_TIMED static double restore(void *context) {
    const fixture *f = context;
    sweep(f);
    uint64_t start = bench_now();
    bool restored = covey_history_restore(f->history, 0);
    uint64_t end = bench_now();
    if (!restored) bench_fail("not restored");
    return (double)(end - start);
}

BENCH_TIMED static double save_again(void *context) {
    const fixture *f = context;
    sweep(f);
    uint64_t start = bench_now();
    save(f);
    return (double)(bench_now() - start);
}

static double save_changed(void *context) {
    const fixture *f = context;
    for (uint32_t i = 0; i < f->entities.order_count; i++)
        ((Health *)covey_pool_get_raw(f->health, f->entities.order[i]))->points++;
    return save_again(context);
}

static const bench_contestant restoring[] = {
    { .name = "covey", .measure = restore },
    { .name = "memcpy", .measure = copy },
    { .name = NULL },
};

static const bench_contestant saving[] = {
    { .name = "covey", .measure = save_again },
    { .name = "memcpy", .measure = copy },
    { .name = NULL },
};

static const bench_contestant saving_changed[] = {
    { .name = "covey", .measure = save_changed },
    { .name = "memcpy", .measure = copy },
    { .name = NULL },
};

#define SCENARIO(text, storage_text, who, ...)                                                                        \
    {                                                                                                                 \
        .name = text, .storage = storage_text, .sizes = { 10000, 100000, 1000000 }, .contestants = who, .open = open, \
        .close = close, .whole = true, __VA_ARGS__                                                                    \
    }

static const bench_scenario scenarios[] = {
    SCENARIO("history_restore", "block", restoring, .bars = { { "memcpy", 1000000, 1.43 } }),
    SCENARIO("history_restore", "sparse", restoring, .bars = { { "memcpy", 1000000, 1.43 } }),
    SCENARIO("history_save_same", "block", saving, .order = BENCH_ORDERED),
    SCENARIO("history_save_same", "sparse", saving, .order = BENCH_ORDERED),
    SCENARIO("history_save_1", "block", saving_changed, .order = BENCH_SHUFFLED, .percent = 1),
    SCENARIO("history_save_1_ordered", "block", saving_changed, .order = BENCH_ORDERED, .percent = 1),
};

const bench_suite bench_history = { scenarios, sizeof scenarios / sizeof *scenarios };
