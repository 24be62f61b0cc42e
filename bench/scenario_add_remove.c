/* Adding a component to every entity, and removing it from every entity. */
#include "components.h"

#define BASELINE_T Position
#include "baselines.h"

typedef struct fixture {
    bench_entities entities;
    covey_pool *pool;
    textbook textbook;
    raw raw;
} fixture;

static void *open(const bench_scenario *scenario, uint32_t n) {
    fixture *f = bench_alloc(1, sizeof *f);
    bench_entities_open(&f->entities, scenario, n);
    f->pool = covey_pool_of(f->entities.world, Position);
    if (!f->pool) bench_fail("no pool");
    f->raw = raw_make(n);
    return f;
}

static void close(void *context) {
    fixture *f = context;
    bench_entities_close(&f->entities);
    textbook_free(&f->textbook);
    raw_free(&f->raw);
    free(f);
}

/* ---- Before a run -------------------------------------------------------------------------------------------------*/

static void clear_covey(void *context) {
    fixture *f = context;
    covey_clear(f->entities.world, Position);
}

static void clear_textbook(void *context) {
    fixture *f = context;
    textbook_clear(&f->textbook);
}

static void clear_raw(void *context) {
    fixture *f = context;
    f->raw.count = 0;
}

static void fill_covey(void *context) {
    fixture *f = context;
    clear_covey(f);
    for (uint32_t i = 0; i < f->entities.n; i++)
        covey_pool_add(f->pool, f->entities.all[i], Position, { .x = 1, .y = 2 });
}

static void fill_textbook(void *context) {
    fixture *f = context;
    clear_textbook(f);
    for (uint32_t i = 0; i < f->entities.n; i++) textbook_add(&f->textbook, i, (Position){ .x = 1, .y = 2 });
}

static void fill_raw(void *context) {
    fixture *f = context;
    raw_fill(&f->raw, f->entities.n, (Position){ .x = 1, .y = 2 });
}

/* ---- The runs: one loop, with another statement in it each time ---------------------------------------------------*/

#define RUN(name, container, statement, count)         \
    BENCH_TIMED static uint64_t name(void *context) {  \
        fixture *f = context;                          \
        const covey_entity *order = f->entities.order; \
        uint32_t n = f->entities.order_count;          \
        container;                                     \
        for (uint32_t i = 0; i < n; i++) {             \
            covey_entity e = order[i];                 \
            statement;                                 \
        }                                              \
        return count;                                  \
    }

RUN(add_pool, covey_pool *pool = f->pool, (void)covey_pool_add(pool, e, Position, { .x = 1, .y = 2 }),
    covey_pool_count(pool))
RUN(add_textbook, textbook *set = &f->textbook, textbook_add(set, e.index, (Position){ .x = 1, .y = 2 }), set->count)
RUN(add_raw, raw *array = &f->raw, (void)e; raw_append(array, (Position){ .x = 1, .y = 2 }), array->count)

RUN(remove_pool, covey_pool *pool = f->pool, covey_pool_remove(pool, e, Position), covey_pool_count(pool))
RUN(remove_textbook, textbook *set = &f->textbook, textbook_remove(set, e.index), set->count)
RUN(remove_raw, raw *array = &f->raw, raw_swap_back(array, e.index), array->count)

#if BENCH_SIZE == 8
RUN(add_world, covey_world *world = f->entities.world, (void)covey_add(world, e, Position, { .x = 1, .y = 2 }),
    covey_pool_count(f->pool))
RUN(remove_world, covey_world *world = f->entities.world, covey_remove(world, e, Position), covey_pool_count(f->pool))
#endif

/* ---- The scenarios ------------------------------------------------------------------------------------------------*/

#define BASELINES(verb, before)                                                         \
    { .name = "raw", .prepare = before##_raw, .run = verb##_raw },                      \
        { .name = "textbook", .prepare = before##_textbook, .run = verb##_textbook }, { \
        .name = NULL                                                                    \
    }

static const bench_contestant adding[] = { { .name = "covey", .prepare = clear_covey, .run = add_pool },
                                           BASELINES(add, clear) };
static const bench_contestant removing[] = { { .name = "covey", .prepare = fill_covey, .run = remove_pool },
                                             BASELINES(remove, fill) };
#if BENCH_SIZE == 8
static const bench_contestant adding_world[] = { { .name = "covey", .prepare = clear_covey, .run = add_world },
                                                 BASELINES(add, clear) };
static const bench_contestant removing_world[] = { { .name = "covey", .prepare = fill_covey, .run = remove_world },
                                                   BASELINES(remove, fill) };
#endif

#if BENCH_SIZE == 8
#define SIZES \
    { 1000, 10000, 100000, 1000000 }
#else
#define SIZES \
    { 1000, 100000, 1000000 }
#define BY_SIZE BENCH_BAR("textbook", BENCH_SIZE == 16 ? 0 : BENCH_LIMIT(0, 2.5))
#endif

#define SCENARIO(text, who, way, ...)                                                                                  \
    {                                                                                                                  \
        .name = BENCH_SCENARIO(text), .storage = BENCH_STORAGE_TEXT, .sizes = SIZES, .contestants = who, .open = open, \
        .close = close, .order = way, .bars = {                                                                        \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define MOST(sparse, block) BENCH_BAR("textbook", BENCH_LIMIT(sparse, block))

static const bench_scenario scenarios[] = {
#if BENCH_SIZE == 8
    SCENARIO("add_ordered", adding, BENCH_ORDERED, MOST(3, 3)),
    SCENARIO("add_shuffled", adding, BENCH_SHUFFLED, MOST(3, 4.5),
             BENCH_NS("raw", BENCH_LIMIT(6, 7), BENCH_LIMIT(12, 14))),
    SCENARIO("remove_ordered", removing, BENCH_ORDERED, MOST(3, 1.3)),
    SCENARIO("remove_shuffled", removing, BENCH_SHUFFLED, MOST(3, 1)),
    SCENARIO("remove_reversed", removing, BENCH_REVERSED, MOST(3, 0)),
    SCENARIO("add_ordered_world", adding_world, BENCH_ORDERED, MOST(4, 0)),
    SCENARIO("add_shuffled_world", adding_world, BENCH_SHUFFLED, MOST(4, 0)),
    SCENARIO("remove_ordered_world", removing_world, BENCH_ORDERED, MOST(4, 0)),
    SCENARIO("remove_shuffled_world", removing_world, BENCH_SHUFFLED, MOST(4, 0)),
    SCENARIO("remove_reversed_world", removing_world, BENCH_REVERSED, MOST(4, 0)),
#else
    SCENARIO("add_ordered", adding, BENCH_ORDERED, BY_SIZE),
    SCENARIO("add_shuffled", adding, BENCH_SHUFFLED, BY_SIZE),
    SCENARIO("remove_ordered", removing, BENCH_ORDERED, BY_SIZE),
    SCENARIO("remove_shuffled", removing, BENCH_SHUFFLED, BY_SIZE),
#endif
};

const bench_suite BENCH_NAME(bench_add_remove) = { scenarios, sizeof scenarios / sizeof *scenarios };
