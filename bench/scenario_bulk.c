/* Calls for many entities at once beside as many calls for one: each has a world of its own, and both are compared
 * before the clock starts. Entities are recycled: what one run creates is destroyed before the next, outside of the
 * timing, and the other way round. */
#include "bench.h"
#include "components.h"

#include <stdlib.h>

#define TYPES 3

static const covey_type *const types[TYPES] = { BENCH_ID(Position), BENCH_ID(Velocity), BENCH_ID(Force) };
static const Vec2 values[TYPES] = { { .x = 1, .y = 2 }, { .x = 3, .y = 4 }, { .x = 5, .y = 6 } };

typedef struct side {
    covey_world *world;
    covey_pool *pools[TYPES];
    covey_entity *made, *order; /* by index; in the order of the scenario */
} side;

typedef struct fixture {
    side many, single;
    uint32_t n;
    uint32_t *order; /* indices */
    Vec2 *values;    /* for the i-th of the order */
} fixture;

/* ---- Two worlds ---------------------------------------------------------------------------------------------------*/

static void open_side(side *s, uint32_t n) {
    s->world = covey_world_create(NULL);
    s->made = bench_alloc(n, sizeof *s->made);
    s->order = bench_alloc(n, sizeof *s->order);
    if (!s->world || !covey_create_many(s->world, s->made, n)) bench_fail("no memory for a world");
    for (int t = 0; t < TYPES; t++) {
        s->pools[t] = covey_pool_of_raw(s->world, types[t]);
        if (!s->pools[t]) bench_fail("no pool");
    }
}

static void set_order(const fixture *f, side *s) {
    for (uint32_t i = 0; i < f->n; i++) s->order[i] = s->made[f->order[i]];
}

static fixture *make_fixture(const bench_scenario *scenario, uint32_t n) {
    fixture *f = bench_alloc(1, sizeof *f);
    f->n = n;
    open_side(&f->many, n);
    open_side(&f->single, n);
    f->order = bench_alloc(n, sizeof *f->order);
    f->values = bench_alloc(n, sizeof *f->values);
    bench_positions(f->order, n, scenario->order);
    for (uint32_t i = 0; i < n; i++) f->values[i] = (Vec2){ .x = (float)(i % 64), .y = 2 };
    set_order(f, &f->many);
    set_order(f, &f->single);
    return f;
}

static void close_side(side *s) {
    covey_world_destroy(s->world);
    free(s->made);
    free(s->order);
}

static void close(void *context) {
    fixture *f = context;
    close_side(&f->many);
    close_side(&f->single);
    free(f->order);
    free(f->values);
    free(f);
}

static bool same_value(const fixture *f, int type, uint32_t i) {
    const Vec2 *one = covey_pool_get_raw(f->many.pools[type], f->many.made[i]);
    const Vec2 *two = covey_pool_get_raw(f->single.pools[type], f->single.made[i]);
    return one && two ? memcmp(one, two, sizeof *one) == 0 : !one && !two;
}

/* Ids may differ: those of entities that are created with their components may depend on the types. */
static void *open(const bench_scenario *scenario, uint32_t n) {
    fixture *f = make_fixture(scenario, n);
    bench_run_each(scenario, f);
    for (uint32_t i = 0; i < n; i++) {
        bool same = covey_alive(f->many.world, f->many.made[i]) == covey_alive(f->single.world, f->single.made[i]);
        for (int t = 0; t < TYPES; t++) same = same && same_value(f, t, i);
        if (!same) bench_fail("%s, n = %u: entity %u differs", scenario->name, n, i);
    }
    return f;
}

/* ---- Creating with three components -------------------------------------------------------------------------------*/

static void empty_many(void *context) { covey_destroy_all(((fixture *)context)->many.world); }
static void empty_single(void *context) { covey_destroy_all(((fixture *)context)->single.world); }

BENCH_TIMED static uint64_t create_copies(void *context) {
    const fixture *f = context;
    covey_world *world = f->many.world;
    covey_entity *made = f->many.made;
    (void)covey_create_many(world, made, f->n);
    (void)covey_add_copies(world, made, f->n, Position, &values[0]);
    (void)covey_add_copies(world, made, f->n, Velocity, &values[1]);
    (void)covey_add_copies(world, made, f->n, Force, &values[2]);
    return covey_entity_count(world);
}

BENCH_TIMED static uint64_t create_singly(void *context) {
    const fixture *f = context;
    covey_world *world = f->single.world;
    covey_entity *made = f->single.made;
    covey_pool *positions = f->single.pools[0], *velocities = f->single.pools[1], *forces = f->single.pools[2];
    for (uint32_t i = 0; i < f->n; i++) {
        covey_entity e = made[i] = covey_create(world);
        covey_pool_add(positions, e, Position, { .x = 1, .y = 2 });
        covey_pool_add(velocities, e, Velocity, { .x = 3, .y = 4 });
        covey_pool_add(forces, e, Force, { .x = 5, .y = 6 });
    }
    return covey_entity_count(world);
}

BENCH_TIMED static uint64_t create_with(void *context) {
    const fixture *f = context;
    covey_world *world = f->many.world;
    covey_entity *made = f->many.made;
    for (uint32_t i = 0; i < f->n; i++)
        made[i] = covey_create_with(world, covey_with(Position, { .x = 1, .y = 2 }),
                                    covey_with(Velocity, { .x = 3, .y = 4 }), covey_with(Force, { .x = 5, .y = 6 }));
    return covey_entity_count(world);
}

BENCH_TIMED static uint64_t create_many_with(void *context) {
    const fixture *f = context;
    (void)covey_create_many_with(f->many.world, f->many.made, f->n, covey_with_copies(Position, &values[0]),
                                 covey_with_copies(Velocity, &values[1]), covey_with_copies(Force, &values[2]));
    return covey_entity_count(f->many.world);
}

BENCH_TIMED static uint64_t create_arrays(void *context) {
    const fixture *f = context;
    covey_world *world = f->many.world;
    covey_entity *made = f->many.made;
    (void)covey_create_many(world, made, f->n);
    (void)covey_add_array(world, made, f->n, Position, f->values);
    (void)covey_add_array(world, made, f->n, Velocity, f->values);
    (void)covey_add_array(world, made, f->n, Force, f->values);
    return covey_entity_count(world);
}

BENCH_TIMED static uint64_t create_from_arrays(void *context) {
    const fixture *f = context;
    covey_world *world = f->single.world;
    covey_entity *made = f->single.made;
    covey_pool *positions = f->single.pools[0], *velocities = f->single.pools[1], *forces = f->single.pools[2];
    const Vec2 *each = f->values;
    for (uint32_t i = 0; i < f->n; i++) {
        covey_entity e = made[i] = covey_create(world);
        covey_pool_add_value(positions, e, Position, &each[i]);
        covey_pool_add_value(velocities, e, Velocity, &each[i]);
        covey_pool_add_value(forces, e, Force, &each[i]);
    }
    return covey_entity_count(world);
}

/* ---- Destroying those with three ----------------------------------------------------------------------------------*/

/* Index i is made i-th whatever the order of the destruction was, so that all runs start alike. */
static void populate(const fixture *f, side *s) {
    covey_destroy_all(s->world);
    for (uint32_t i = 0; i < f->n; i++) {
        s->made[i] = covey_create_at(s->world, i);
        for (int t = 0; t < TYPES; t++) covey_pool_add_raw(s->pools[t], s->made[i], &values[t]);
    }
    set_order(f, s);
}

static void populate_many(void *context) { populate(context, &((fixture *)context)->many); }
static void populate_single(void *context) { populate(context, &((fixture *)context)->single); }

static void populate_with(void *context) {
    fixture *f = context;
    empty_many(f);
    create_with(f);
    set_order(f, &f->many);
}

BENCH_TIMED static uint64_t destroy_many(void *context) {
    const fixture *f = context;
    return covey_destroy_many(f->many.world, f->many.order, f->n);
}

#define DESTROY_SINGLY(name, where)                                                      \
    BENCH_TIMED static uint64_t name(void *context) {                                    \
        const fixture *f = context;                                                      \
        covey_world *world = f->where.world;                                             \
        const covey_entity *order = f->where.order;                                      \
        uint64_t destroyed = 0;                                                          \
        for (uint32_t i = 0; i < f->n; i++) destroyed += covey_destroy(world, order[i]); \
        return destroyed;                                                                \
    }

DESTROY_SINGLY(destroy_singly, single)
DESTROY_SINGLY(destroy_made_with, many)

/* ---- Adding and clearing one component ----------------------------------------------------------------------------*/

static void clear_many(void *context) { covey_clear(((fixture *)context)->many.world, Position); }
static void clear_single(void *context) { covey_clear(((fixture *)context)->single.world, Position); }

BENCH_TIMED static uint64_t add_copies(void *context) {
    const fixture *f = context;
    (void)covey_add_copies(f->many.world, f->many.order, f->n, Position, &values[0]);
    return covey_pool_count(f->many.pools[0]);
}

BENCH_TIMED static uint64_t add_array(void *context) {
    const fixture *f = context;
    (void)covey_add_array(f->many.world, f->many.order, f->n, Position, f->values);
    return covey_pool_count(f->many.pools[0]);
}

#define SINGLY(name, statement)                       \
    BENCH_TIMED static uint64_t name(void *context) { \
        const fixture *f = context;                   \
        covey_pool *pool = f->single.pools[0];        \
        const covey_entity *order = f->single.order;  \
        const Vec2 *each = f->values;                 \
        uint32_t n = f->n;                            \
        for (uint32_t i = 0; i < n; i++) statement;   \
        (void)each;                                   \
        return covey_pool_count(pool);                \
    }

SINGLY(add_singly, (void)covey_pool_add(pool, order[i], Position, { .x = 1, .y = 2 }))
SINGLY(add_from_array, covey_pool_add_value(pool, order[i], Position, &each[i]))
SINGLY(remove_singly, covey_pool_remove(pool, order[i], Position))

static void fill_many(void *context) {
    clear_many(context);
    add_array(context);
}

static void fill_single(void *context) {
    clear_single(context);
    add_from_array(context);
}

BENCH_TIMED static uint64_t clear_at_once(void *context) {
    const fixture *f = context;
    covey_clear(f->many.world, Position);
    return covey_pool_count(f->many.pools[0]);
}

/* ---- The scenarios ------------------------------------------------------------------------------------------------*/

#define CONTESTANTS(before, many_run, single_run)                                                  \
    {                                                                                              \
        { .name = "covey", .prepare = before##_many, .run = many_run },                            \
            { .name = "single", .prepare = before##_single, .run = single_run }, { .name = NULL }, \
    }

static const bench_contestant creating[] = CONTESTANTS(empty, create_copies, create_singly);
static const bench_contestant creating_with[] = CONTESTANTS(empty, create_with, create_singly);
static const bench_contestant creating_many_with[] = CONTESTANTS(empty, create_many_with, create_singly);
static const bench_contestant creating_arrays[] = CONTESTANTS(empty, create_arrays, create_from_arrays);
static const bench_contestant destroying[] = CONTESTANTS(populate, destroy_many, destroy_singly);
static const bench_contestant destroying_made_with[] = {
    { .name = "covey", .prepare = populate_with, .run = destroy_made_with },
    { .name = "single", .prepare = populate_single, .run = destroy_singly },
    { .name = NULL },
};
static const bench_contestant adding_copies[] = CONTESTANTS(clear, add_copies, add_singly);
static const bench_contestant adding_array[] = CONTESTANTS(clear, add_array, add_from_array);
static const bench_contestant clearing[] = CONTESTANTS(fill, clear_at_once, remove_singly);

#define SCENARIO(text, who, way, most)                                                                           \
    {                                                                                                            \
        .name = text, .storage = BENCH_STORAGE_TEXT, .sizes = { 64, 1000, 100000, 1000000 }, .contestants = who, \
        .open = open, .close = close, .order = way, .bars = {                                                    \
            BENCH_BARS("single", most)                                                                           \
        }                                                                                                        \
    }

static const bench_scenario scenarios[] = {
    SCENARIO("create3_bulk", creating, BENCH_ORDERED, BENCH_LIMIT(0.5, 0.4)),
    SCENARIO("create3_bulk_array", creating_arrays, BENCH_ORDERED, 0),
    SCENARIO("create3_with", creating_with, BENCH_ORDERED, 2),
    SCENARIO("create3_many_with", creating_many_with, BENCH_ORDERED, BENCH_LIMIT(0.5, 0.4)),
    SCENARIO("destroy3_bulk", destroying, BENCH_ORDERED, 1),
    SCENARIO("destroy3_bulk_shuffled", destroying, BENCH_SHUFFLED, 0),
    SCENARIO("destroy3_with", destroying_made_with, BENCH_ORDERED, 0),
    SCENARIO("destroy3_with_shuffled", destroying_made_with, BENCH_SHUFFLED, 0),
    SCENARIO("add_copies_ordered", adding_copies, BENCH_ORDERED, 0),
    SCENARIO("add_copies_shuffled", adding_copies, BENCH_SHUFFLED, 1),
    SCENARIO("add_array_ordered", adding_array, BENCH_ORDERED, 0),
    SCENARIO("add_array_shuffled", adding_array, BENCH_SHUFFLED, 1),
    SCENARIO("clear", clearing, BENCH_ORDERED, 0),
};

const bench_suite BENCH_NAME(bench_bulk) = { scenarios, sizeof scenarios / sizeof *scenarios };
