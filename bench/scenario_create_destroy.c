/* Making entities, empty, with one and with three components, and destroying those with three. Entities are recycled:
 * what one run makes is destroyed before the next, outside of the timing, and the other way round. So are the ids of
 * `textbook`: they come from a stack, on which the lowest lies on top, as Covey hands out indices after destroying
 * all. */
#include "components.h"

#define BASELINE_T Vec2
#include "baselines.h"

#define TYPES 3

typedef struct fixture {
    covey_world *world;
    covey_entity *order, *made; /* handles to destroy; the same by index */
    uint32_t *free_ids;
    uint32_t n, next_id, free_count;
    textbook sets[TYPES];
    raw arrays[TYPES];
} fixture;

static void *open(const bench_scenario *scenario, uint32_t n) {
    bench_entities entities;
    bench_entities_open(&entities, scenario, n);
    fixture *f = bench_alloc(1, sizeof *f);
    *f = (fixture){ .world = entities.world, .order = entities.order, .made = entities.all, .n = n };
    f->free_ids = bench_alloc(n, sizeof *f->free_ids);
    for (int t = 0; t < TYPES; t++) f->arrays[t] = raw_make(n);
    return f;
}

static void close(void *context) {
    fixture *f = context;
    for (int t = 0; t < TYPES; t++) {
        textbook_free(&f->sets[t]);
        raw_free(&f->arrays[t]);
    }
    free(f->free_ids);
    free(f->order);
    free(f->made);
    covey_world_destroy(f->world);
    free(f);
}

/* ---- Creating -----------------------------------------------------------------------------------------------------*/

static void empty_covey(void *context) {
    fixture *f = context;
    covey_destroy_all(f->world);
}

static void empty_textbook(void *context) {
    fixture *f = context;
    for (int t = 0; t < TYPES; t++) textbook_clear(&f->sets[t]);
    for (uint32_t i = 0; i < f->n; i++) f->free_ids[i] = f->n - 1 - i;
    f->next_id = f->free_count = f->n;
}

/* The id that was freed last, or the next one that was never used. */
static inline uint32_t textbook_id(fixture *f) { return f->free_count ? f->free_ids[--f->free_count] : f->next_id++; }

static void empty_raw(void *context) {
    fixture *f = context;
    for (int t = 0; t < TYPES; t++) f->arrays[t].count = 0;
    f->next_id = f->free_count = 0;
}

static void renew_covey(void *context) {
    fixture *f = context;
    covey_world_destroy(f->world);
    f->world = covey_world_create(NULL);
    if (!f->world) bench_fail("no world");
}

static void renew_textbook(void *context) {
    fixture *f = context;
    f->next_id = f->free_count = 0;
}

BENCH_TIMED static uint64_t create0_covey(void *context) {
    fixture *f = context;
    covey_world *world = f->world;
    covey_entity *made = f->made;
    for (uint32_t i = 0, n = f->n; i < n; i++) made[i] = covey_create(world);
    return covey_entity_count(world);
}

BENCH_TIMED static uint64_t create0_textbook(void *context) {
    fixture *f = context;
    covey_entity *made = f->order;
    for (uint32_t i = 0, n = f->n; i < n; i++) made[i].index = textbook_id(f);
    return f->next_id - f->free_count;
}

BENCH_TIMED static uint64_t create1_covey(void *context) {
    fixture *f = context;
    covey_world *world = f->world;
    for (uint32_t i = 0; i < f->n; i++) {
        covey_entity e = covey_create(world);
        covey_add(world, e, Position, { 1, 2 });
    }
    return covey_entity_count(world);
}

BENCH_TIMED static uint64_t create1_textbook(void *context) {
    fixture *f = context;
    for (uint32_t i = 0; i < f->n; i++) {
        uint32_t id = textbook_id(f);
        textbook_add(&f->sets[0], id, (Vec2){ 1, 2 });
    }
    return f->next_id - f->free_count;
}

BENCH_TIMED static uint64_t create1_raw(void *context) {
    fixture *f = context;
    for (uint32_t i = 0; i < f->n; i++) {
        f->next_id++;
        raw_append(&f->arrays[0], (Vec2){ 1, 2 });
    }
    return f->next_id;
}

BENCH_TIMED static uint64_t create3_covey(void *context) {
    fixture *f = context;
    covey_world *world = f->world;
    covey_pool *positions = covey_pool_of(world, Position), *velocities = covey_pool_of(world, Velocity),
               *forces = covey_pool_of(world, Force);
    for (uint32_t i = 0; i < f->n; i++) {
        covey_entity e = covey_create(world);
        covey_pool_add(positions, e, Position, { 1, 2 });
        covey_pool_add(velocities, e, Velocity, { 3, 4 });
        covey_pool_add(forces, e, Force, { 5, 6 });
    }
    return covey_entity_count(world);
}

BENCH_TIMED static uint64_t create3_textbook(void *context) {
    fixture *f = context;
    for (uint32_t i = 0; i < f->n; i++) {
        uint32_t id = textbook_id(f);
        textbook_add(&f->sets[0], id, (Vec2){ 1, 2 });
        textbook_add(&f->sets[1], id, (Vec2){ 3, 4 });
        textbook_add(&f->sets[2], id, (Vec2){ 5, 6 });
    }
    return f->next_id - f->free_count;
}

BENCH_TIMED static uint64_t create3_raw(void *context) {
    fixture *f = context;
    for (uint32_t i = 0; i < f->n; i++) {
        f->next_id++;
        raw_append(&f->arrays[0], (Vec2){ 1, 2 });
        raw_append(&f->arrays[1], (Vec2){ 3, 4 });
        raw_append(&f->arrays[2], (Vec2){ 5, 6 });
    }
    return f->next_id;
}

/* ---- Destroying ---------------------------------------------------------------------------------------------------*/

/* Index i is made i-th whatever the order of the destruction was, so that all runs start alike. */
static void populate_covey(void *context) {
    fixture *f = context;
    covey_destroy_all(f->world);
    for (uint32_t i = 0; i < f->n; i++) {
        covey_entity e = covey_create_at(f->world, i);
        covey_add(f->world, e, Position, { 1, 2 });
        covey_add(f->world, e, Velocity, { 3, 4 });
        covey_add(f->world, e, Force, { 5, 6 });
        f->made[i] = e;
    }
    for (uint32_t i = 0; i < f->n; i++) f->order[i] = f->made[f->order[i].index];
}

static void populate_textbook(void *context) {
    empty_textbook(context);
    create3_textbook(context);
}

static void populate_raw(void *context) {
    fixture *f = context;
    empty_raw(f);
    for (int t = 0; t < TYPES; t++) raw_fill(&f->arrays[t], f->n, (Vec2){ 1, 2 });
}

BENCH_TIMED static uint64_t destroy3_covey(void *context) {
    fixture *f = context;
    for (uint32_t i = 0; i < f->n; i++) covey_destroy(f->world, f->order[i]);
    return covey_entity_count(f->world);
}

BENCH_TIMED static uint64_t destroy3_textbook(void *context) {
    fixture *f = context;
    for (uint32_t i = 0; i < f->n; i++) {
        uint32_t id = f->order[i].index;
        textbook_remove(&f->sets[0], id);
        textbook_remove(&f->sets[1], id);
        textbook_remove(&f->sets[2], id);
        f->free_ids[f->free_count++] = id;
    }
    return f->n - f->free_count;
}

BENCH_TIMED static uint64_t destroy3_raw(void *context) {
    fixture *f = context;
    for (uint32_t i = 0; i < f->n; i++) {
        uint32_t id = f->order[i].index;
        raw_swap_back(&f->arrays[0], id);
        raw_swap_back(&f->arrays[1], id);
        raw_swap_back(&f->arrays[2], id);
        f->free_ids[f->free_count++] = id;
    }
    return f->n - f->free_count;
}

/* ---- The scenarios ------------------------------------------------------------------------------------------------*/

#define CONTESTANTS(verb, before)                                                           \
    {                                                                                       \
        { .name = "covey", .prepare = before##_covey, .run = verb##_covey },                \
            { .name = "raw", .prepare = before##_raw, .run = verb##_raw },                  \
            { .name = "textbook", .prepare = before##_textbook, .run = verb##_textbook }, { \
            .name = NULL                                                                    \
        }                                                                                   \
    }

static const bench_contestant creating0[] = {
    { .name = "covey", .prepare = empty_covey, .run = create0_covey },
    { .name = "textbook", .prepare = empty_textbook, .run = create0_textbook },
    { .name = NULL },
};
static const bench_contestant creating0_fresh[] = {
    { .name = "covey", .prepare = renew_covey, .run = create0_covey },
    { .name = "textbook", .prepare = renew_textbook, .run = create0_textbook },
    { .name = NULL },
};
static const bench_contestant creating1[] = CONTESTANTS(create1, empty);
static const bench_contestant creating3[] = CONTESTANTS(create3, empty);
static const bench_contestant destroying3[] = CONTESTANTS(destroy3, populate);

#define SCENARIO(text, who, way, ...)                                                                               \
    {                                                                                                               \
        .name = text, .storage = BENCH_STORAGE_TEXT, .sizes = { 1000, 10000, 100000, 1000000 }, .contestants = who, \
        .open = open, .close = close, .order = way, .bars = {                                                       \
            __VA_ARGS__                                                                                             \
        }                                                                                                           \
    }

static const bench_scenario scenarios[] = {
    SCENARIO("create0", creating0, BENCH_ORDERED, BENCH_NS("textbook", 1.2, 0)),
    SCENARIO("create0_fresh", creating0_fresh, BENCH_ORDERED, BENCH_NS("textbook", 1.3, 0)),
    SCENARIO("create1", creating1, BENCH_ORDERED, BENCH_NO_BAR),
    SCENARIO("create3", creating3, BENCH_ORDERED, BENCH_BAR("textbook", BENCH_LIMIT(0, 1.9))),
    SCENARIO("destroy3_ordered", destroying3, BENCH_ORDERED, BENCH_BAR("textbook", BENCH_LIMIT(0, 1.2))),
    SCENARIO("destroy3_shuffled", destroying3, BENCH_SHUFFLED, BENCH_BAR("textbook", BENCH_LIMIT(0, 1.2)),
             BENCH_NS("raw", BENCH_LIMIT(0, 12), 0)),
};

const bench_suite BENCH_NAME(bench_create_destroy) = { scenarios, sizeof scenarios / sizeof *scenarios };
