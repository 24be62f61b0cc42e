/* Looking components up at random, and walking over all of them. */
#include "components.h"

#define BASELINE_T Position
#include "baselines.h"

/* An array of structs; one field of each is read. */
typedef struct aos {
    char before[24];
    Position value;
    char after[64 - 24 - sizeof(Position)];
} aos;

typedef struct fixture {
    bench_entities entities;
    covey_pool *pool;
    bench_entities held_entities; /* of a second world with the same components: */
    covey_pool *held;             /* no two contestants share memory that is in a cache */
    textbook textbook, second;    /* the second component: only where a scenario has two */
    raw raw;
    bool *present; /* what `raw` has in place of a lookup */
    hash hash;
    option *options;
    aos *structs;
} fixture;

static void add_everywhere(fixture *f, covey_entity e) {
    Position value = { (float)e.index, 2 };
    bool added = covey_pool_add_value(f->pool, e, Position, &value) &&
                 covey_pool_add_value(f->held, f->held_entities.all[e.index], Position, &value);
    if (!added) bench_fail("no component");
    textbook_add(&f->textbook, e.index, value);
    f->raw.values[e.index] = value;
    f->present[e.index] = true;
    hash_add(&f->hash, e.index, value);
    f->options[e.index] = (option){ true, value };
    f->structs[e.index].value = value;
}

/* Entities that do not have the component are as many, and as random, as the scenario wants. */
static void fill(fixture *f, uint32_t percent) {
    uint32_t n = f->entities.n, count = (uint32_t)((uint64_t)n * percent / 100);
    covey_entity *chosen = bench_alloc(n, sizeof *chosen);
    memcpy(chosen, f->entities.all, n * sizeof *chosen);
    if (percent < 100) {
        bench_shuffle(chosen, n);
        bench_shuffle(chosen, n); /* not the order of the lookups */
    }
    for (uint32_t i = 0; i < count; i++) add_everywhere(f, chosen[i]);
    free(chosen);
}

static fixture *open_percent(const bench_scenario *scenario, uint32_t n, uint32_t percent) {
    fixture *f = bench_alloc(1, sizeof *f);
    bench_entities_open(&f->entities, scenario, n);
    bench_entities_open(&f->held_entities, scenario, n);
    f->pool = covey_pool_of(f->entities.world, Position);
    f->held = covey_pool_of(f->held_entities.world, Position);
    if (!f->pool || !f->held) bench_fail("no pool");
    f->raw = raw_make(n);
    f->present = bench_alloc(n, sizeof *f->present);
    f->hash = hash_make(n);
    f->options = bench_alloc(n, sizeof *f->options);
    f->structs = bench_alloc(n, sizeof *f->structs);
    textbook_add(&f->textbook, n - 1, (Position){ 0, 0 }); /* its table reaches every id that it is asked for */
    textbook_remove(&f->textbook, n - 1);
    fill(f, percent);
    return f;
}

static void *open_full(const bench_scenario *scenario, uint32_t n) { return open_percent(scenario, n, 100); }
static void *open_half(const bench_scenario *scenario, uint32_t n) { return open_percent(scenario, n, 50); }

static void *open_two(const bench_scenario *scenario, uint32_t n) {
    fixture *f = open_percent(scenario, n, 100);
    for (uint32_t i = 0; i < n; i++) {
        Velocity value = { (float)i, 3 };
        if (!covey_add_value(f->entities.world, f->entities.all[i], Velocity, &value) ||
            !covey_add_value(f->held_entities.world, f->held_entities.all[i], Velocity, &value))
            bench_fail("no component");
        textbook_add(&f->second, i, value);
    }
    return f;
}

/* Half of the entities have one, and the other half is asked. */
static void *open_others(const bench_scenario *scenario, uint32_t n) {
    fixture *f = open_percent(scenario, n, 0);
    for (uint32_t i = f->entities.order_count; i < n; i++) add_everywhere(f, f->entities.order[i]);
    return f;
}

static void close(void *context) {
    fixture *f = context;
    bench_entities_close(&f->entities);
    bench_entities_close(&f->held_entities);
    textbook_free(&f->textbook);
    textbook_free(&f->second);
    raw_free(&f->raw);
    free(f->present);
    free(f->hash.slots);
    free(f->options);
    free(f->structs);
    free(f);
}

/* ---- Looking up ---------------------------------------------------------------------------------------------------*/

#define RUN_IN(name, asked, container, statement)     \
    BENCH_TIMED static uint64_t name(void *context) { \
        const fixture *f = context;                   \
        const covey_entity *order = f->asked.order;   \
        uint32_t n = f->asked.order_count;            \
        uint64_t sum = 0;                             \
        container;                                    \
        for (uint32_t i = 0; i < n; i++) {            \
            covey_entity e = order[i];                \
            statement;                                \
        }                                             \
        return sum;                                   \
    }
#define RUN(name, container, statement) RUN_IN(name, entities, container, statement)

/* The value as an integer: a chain of additions of floats would be slower than the lookups and hide them. */
static inline uint64_t bits_of(const Position *value) {
    uint64_t bits;
    memcpy(&bits, value, sizeof bits);
    return bits;
}

#define GET(found)                        \
    do {                                  \
        const Position *value = found;    \
        if (value) sum += bits_of(value); \
    } while (0)

RUN(get_pool, const covey_pool *pool = f->pool, GET(covey_pool_get(pool, e, Position)))
RUN_IN(get_held, held_entities, const covey_pool *pool = f->held, GET(covey_pool_get(pool, e, Position)))
RUN(get_world, const covey_world *world = f->entities.world, GET(covey_get(world, e, Position)))
RUN(get_textbook, const textbook *set = &f->textbook, GET(textbook_get(set, e.index)))
RUN(get_raw, const Position *values = f->raw.values, GET(&values[e.index]))
RUN(get_hash, const hash *table = &f->hash, GET(hash_get(table, e.index)))
RUN(get_option, const option *options = f->options, GET(options[e.index].present ? &options[e.index].value : NULL))
RUN(get_aos, const aos *structs = f->structs, GET(&structs[e.index].value))

RUN_IN(get_unchecked, held_entities, const covey_pool *pool = f->held, GET(covey_pool_get_unchecked(pool, e, Position)))

#define GET_TWO(first, second)                                            \
    do {                                                                  \
        const Position *one = first;                                      \
        const Velocity *two = second;                                     \
        if (one && two) sum += bits_of(one) + bits_of((const Vec2 *)two); \
    } while (0)

#define GET_ALL(world)                                                                     \
    do {                                                                                   \
        Position *one;                                                                     \
        Velocity *two;                                                                     \
        if (covey_get_all(world, e, covey_into(Position, one), covey_into(Velocity, two))) \
            sum += bits_of(one) + bits_of((const Vec2 *)two);                              \
    } while (0)

RUN(get_all, const covey_world *world = f->entities.world, GET_ALL(world))
RUN_IN(get_each, held_entities, const covey_world *world = f->held_entities.world,
       GET_TWO(covey_get(world, e, Position), covey_get(world, e, Velocity)))
RUN(get_two_textbook, , GET_TWO(textbook_get(&f->textbook, e.index), textbook_get(&f->second, e.index)))

/* No contestant branches on the answer. */
RUN(has_pool, const covey_pool *pool = f->pool, sum += covey_pool_has(pool, e))
RUN_IN(has_held, held_entities, const covey_pool *pool = f->held, sum += covey_pool_has(pool, e))
RUN(has_world, const covey_world *world = f->entities.world, sum += covey_has(world, e, Position))
RUN(has_unknown, const covey_world *world = f->entities.world, sum += covey_has(world, e, Heat))
RUN(has_textbook, const textbook *set = &f->textbook, sum += textbook_find(set, e.index) != TEXTBOOK_NONE)
RUN(has_raw, const bool *present = f->present, sum += present[e.index])
RUN(has_hash, const hash *table = &f->hash, sum += hash_has(table, e.index))
RUN(has_option, const option *options = f->options, sum += options[e.index].present)

#if !BENCH_BLOCK
/* ---- Walking ------------------------------------------------------------------------------------------------------*/

static inline void step(Position *value) {
    value->x += 1;
    value->y += 1;
}

BENCH_TIMED static uint64_t iterate_pool(void *context) {
    const fixture *f = context;
    Position *values = covey_pool_values(f->pool, Position);
    uint32_t n = covey_pool_count(f->pool);
    for (uint32_t i = 0; i < n; i++) step(&values[i]);
    return n;
}

BENCH_TIMED static uint64_t iterate_raw(void *context) {
    const fixture *f = context;
    Position *values = f->raw.values;
    uint32_t n = f->entities.n;
    for (uint32_t i = 0; i < n; i++) step(&values[i]);
    return n;
}

BENCH_TIMED static uint64_t iterate_textbook(void *context) {
    const fixture *f = context;
    Position *values = f->textbook.data;
    uint32_t n = f->textbook.count;
    for (uint32_t i = 0; i < n; i++) step(&values[i]);
    return n;
}

BENCH_TIMED static uint64_t iterate_hash(void *context) {
    const fixture *f = context;
    uint64_t n = 0;
    for (uint32_t i = 0; i <= f->hash.mask; i++) {
        if (f->hash.slots[i].key == HASH_EMPTY) continue;
        step(&f->hash.slots[i].value);
        n++;
    }
    return n;
}

BENCH_TIMED static uint64_t iterate_option(void *context) {
    const fixture *f = context;
    uint64_t n = 0;
    for (uint32_t i = 0; i < f->entities.n; i++) {
        if (!f->options[i].present) continue;
        step(&f->options[i].value);
        n++;
    }
    return n;
}

BENCH_TIMED static uint64_t iterate_aos(void *context) {
    const fixture *f = context;
    for (uint32_t i = 0; i < f->entities.n; i++) step(&f->structs[i].value);
    return f->entities.n;
}
#endif

/* ---- The scenarios ------------------------------------------------------------------------------------------------*/

#define GET_BASELINES                                                                 \
    { .name = "raw", .run = get_raw }, { .name = "textbook", .run = get_textbook },   \
        { .name = "hash", .run = get_hash }, { .name = "option", .run = get_option }, \
        { .name = "aos", .run = get_aos }, {                                          \
        .name = NULL                                                                  \
    }
#define HAS_BASELINES                                                                   \
    { .name = "raw", .run = has_raw }, { .name = "textbook", .run = has_textbook },     \
        { .name = "hash", .run = has_hash }, { .name = "option", .run = has_option }, { \
        .name = NULL                                                                    \
    }

static const bench_contestant getting[] = { { .name = "covey", .run = get_pool }, GET_BASELINES };
static const bench_contestant getting_world[] = { { .name = "covey", .run = get_world },
                                                  { .name = "pool", .run = get_held },
                                                  GET_BASELINES };
static const bench_contestant getting_unchecked[] = {
    { .name = "covey", .run = get_unchecked },
    { .name = "raw", .run = get_raw },
    { .name = "textbook", .run = get_textbook },
    { .name = NULL },
};
static const bench_contestant getting_two[] = {
    { .name = "covey", .run = get_all },
    { .name = "single", .run = get_each },
    { .name = "textbook", .run = get_two_textbook },
    { .name = NULL },
};
static const bench_contestant having[] = { { .name = "covey", .run = has_pool }, HAS_BASELINES };
static const bench_contestant having_world[] = { { .name = "covey", .run = has_world },
                                                 { .name = "pool", .run = has_held },
                                                 HAS_BASELINES };
static const bench_contestant having_unknown[] = {
    { .name = "covey", .run = has_unknown },
    { .name = "has_world", .run = has_world },
    { .name = NULL },
};
#if !BENCH_BLOCK
static const bench_contestant iterating[] = {
    { .name = "covey", .run = iterate_pool },
    { .name = "raw", .run = iterate_raw },
    { .name = "textbook", .run = iterate_textbook },
    { .name = "hash", .run = iterate_hash },
    { .name = "option", .run = iterate_option },
    { .name = "aos", .run = iterate_aos },
    { .name = NULL },
};
#endif

#define SCENARIO(text, who, filled, some, ...)                                                                      \
    {                                                                                                               \
        .name = text, .storage = BENCH_STORAGE_TEXT, .sizes = { 1000, 10000, 100000, 1000000 }, .contestants = who, \
        .open = filled, .close = close, .order = BENCH_SHUFFLED, .percent = some, .bars = {                         \
            __VA_ARGS__                                                                                             \
        }                                                                                                           \
    }

static const bench_scenario scenarios[] = {
    SCENARIO("get", getting, open_full, 100, BENCH_BAR("textbook", BENCH_LIMIT(1.8, 2.6)), BENCH_NS("raw", 3, 10)),
    SCENARIO("get_unchecked", getting_unchecked, open_full, 100,
             BENCH_NS("raw", BENCH_LIMIT(0, 1.2), BENCH_LIMIT(0, 2.2))),
    SCENARIO("get_two_world", getting_two, open_two, 100, BENCH_NS("textbook", 5.5, 0), BENCH_BAR("single", 1)),
    SCENARIO("get_world", getting_world, open_full, 100, BENCH_BAR("textbook", BENCH_LIMIT(3, 3.5)),
             BENCH_BARS("pool", 1.3)),
    SCENARIO("has", having, open_half, 100, BENCH_BAR("textbook", BENCH_LIMIT(1.8, 2.1))),
    SCENARIO("has_world", having_world, open_half, 100, BENCH_BARS("pool", 1.3)),
    SCENARIO("has_unknown", having_unknown, open_others, 50, BENCH_BAR("has_world", 1.5),
             BENCH_NS("has_world", 1.3, 0)),
#if !BENCH_BLOCK /* which has no array to walk over */
    SCENARIO("iterate1_arrays", iterating, open_full, 100, BENCH_NO_BAR),
#endif
};

const bench_suite BENCH_NAME(bench_read) = { scenarios, sizeof scenarios / sizeof *scenarios };
