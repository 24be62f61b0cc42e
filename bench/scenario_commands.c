/* Recording changes and replaying them, against making them at once. */
#include "components.h"
#include "bench.h"

#include <covey/commands.h>
#include <stdlib.h>

typedef struct fixture {
    bench_entities entities;
    covey_commands *commands;
} fixture;

static void *open(const bench_scenario *scenario, uint32_t n) {
    fixture *f = bench_alloc(1, sizeof *f);
    bench_entities_open(&f->entities, scenario, n);
    f->commands = covey_commands_create(f->entities.world, NULL);
    if (!f->commands) bench_fail("no command buffer");
    return f;
}

static void close(void *context) {
    fixture *f = context;
    bench_entities_close(&f->entities);
    free(f);
}

/* ---- Before a run -------------------------------------------------------------------------------------------------*/

static void clear(void *context) {
    fixture *f = context;
    covey_clear_components(f->entities.world);
}

static void fill(void *context) {
    fixture *f = context;
    covey_world *world = f->entities.world;
    clear(f);
    for (uint32_t i = 0; i < f->entities.n; i++) covey_add(world, f->entities.all[i], Position, { .x = 1, .y = 2 });
}

/* All indices are free. */
static void empty(void *context) {
    fixture *f = context;
    covey_destroy_all(f->entities.world);
}

/* What comes and goes in turn. */
static void fill_velocities(void *context) {
    fixture *f = context;
    covey_world *world = f->entities.world;
    clear(f);
    for (uint32_t i = 0; i < f->entities.n; i++) covey_add(world, f->entities.all[i], Velocity, { .x = 1, .y = 2 });
}

/* ---- The runs: one loop, with another statement in it each time ---------------------------------------------------*/

static uint64_t count(const fixture *f) {
    const covey_pool *positions = covey_pool_find(f->entities.world, Position);
    const covey_pool *velocities = covey_pool_find(f->entities.world, Velocity);
    return (uint64_t)(positions ? covey_pool_count(positions) : 0) + (velocities ? covey_pool_count(velocities) : 0) +
           covey_entity_count(f->entities.world);
}

#define RUN(name, statement, end)                                  \
    BENCH_TIMED static uint64_t name(void *context) {              \
        fixture *f = context;                                      \
        const covey_entity *order = f->entities.order;             \
        uint32_t n = f->entities.order_count;                      \
        covey_world *world = f->entities.world;                    \
        covey_commands *commands = f->commands;                    \
        (void)world, (void)commands, (void)order;                  \
        for (uint32_t i = 0; i < n; i++) {                         \
            covey_entity e = order[i];                             \
            (void)e;                                               \
            statement;                                             \
        }                                                          \
        if (end.result != COVEY_OK) bench_fail("a replay failed"); \
        return count(f);                                           \
    }

#define AT_ONCE ((covey_replay){ .result = COVEY_OK })
#define LATER covey_commands_replay(commands)

RUN(add_at_once, (void)covey_add(world, e, Position, { .x = 1, .y = 2 }), AT_ONCE)
RUN(add_later, covey_record_add(commands, e, Position, { .x = 1, .y = 2 }), LATER)
RUN(remove_at_once, covey_remove(world, e, Position), AT_ONCE)
RUN(remove_later, covey_record_remove(commands, e, Position), LATER)
RUN(create_at_once, covey_create(world), AT_ONCE)
RUN(create_later, covey_record_create(commands), LATER)
RUN(
    mix_at_once,
    {
        (void)covey_add(world, e, Position, { .x = 1, .y = 2 });
        covey_remove(world, e, Velocity);
        (void)covey_set(world, e, Force, { .x = 3, .y = 4 });
    },
    AT_ONCE)
RUN(
    mix_later,
    {
        covey_record_add(commands, e, Position, { .x = 1, .y = 2 });
        covey_record_remove(commands, e, Velocity);
        covey_record_set(commands, e, Force, { .x = 3, .y = 4 });
    },
    LATER)

/* ---- The scenarios ------------------------------------------------------------------------------------------------*/

#define CONTESTANTS(before, verb)                                             \
    {                                                                         \
        { .name = "covey", .prepare = before, .run = verb##_later },          \
            { .name = "direct", .prepare = before, .run = verb##_at_once }, { \
            .name = NULL                                                      \
        }                                                                     \
    }

static const bench_contestant adding[] = CONTESTANTS(clear, add);
static const bench_contestant removing[] = CONTESTANTS(fill, remove);
static const bench_contestant creating[] = CONTESTANTS(empty, create);
static const bench_contestant mixing[] = CONTESTANTS(fill_velocities, mix);

#define SCENARIO(text, who, way, most)                                                                            \
    {                                                                                                             \
        .name = text, .storage = BENCH_STORAGE_TEXT, .sizes = { 1000, 100000 }, .contestants = who, .open = open, \
        .close = close, .order = way, .bars = {                                                                   \
            BENCH_BAR("direct", most)                                                                             \
        }                                                                                                         \
    }

static const bench_scenario scenarios[] = {
    SCENARIO("command_add", adding, BENCH_ORDERED, 2.5),
    SCENARIO("command_add_shuffled", adding, BENCH_SHUFFLED, 2.5),
    SCENARIO("command_remove", removing, BENCH_ORDERED, 2.5),
    SCENARIO("command_remove_shuffled", removing, BENCH_SHUFFLED, 2.5),
    SCENARIO("command_mixed", mixing, BENCH_ORDERED, 0),
    SCENARIO("command_create", creating, BENCH_ORDERED, 0),
};

const bench_suite bench_commands = { scenarios, sizeof scenarios / sizeof *scenarios };
