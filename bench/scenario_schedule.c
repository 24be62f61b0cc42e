/* Systems of a schedule, on one thread and on two. These scenarios use all cores, whatever the program is pinned to. */
#include "components.h"
#include "bench.h"

#include <covey/schedule.h>
#include <stdlib.h>

enum { SYSTEMS = 100 };

typedef struct fixture {
    bench_entities entities;
    covey_schedule *one, *two; /* the same systems, on so many threads */
    covey_view view;
    covey_commands *commands;
} fixture;

/* ---- What systems do: functions that are called by bodies, and by hand --------------------------------------------*/

BENCH_TIMED static void move_all(covey_iter *it) {
    while (covey_next(it)) {
        Position *p = covey_field(it, 0, Position);
        const Velocity *v = covey_field_const(it, 1, Velocity);
        for (uint32_t i = 0; i < it->count; i++) {
            p[i].x += v[i].x * 0.01f;
            p[i].y += v[i].y * 0.01f;
        }
    }
}

/* Twenty floating-point operations for each component. */
BENCH_TIMED static void compute_all(covey_iter *it) {
    while (covey_next(it)) {
        Position *p = covey_field(it, 0, Position);
        const Velocity *v = covey_field_const(it, 1, Velocity);
        for (uint32_t i = 0; i < it->count; i++) {
            float x = p[i].x, y = p[i].y;
            for (int k = 0; k < 10; k++) {
                x = x * 0.9f + v[i].x;
                y = y * 0.9f + v[i].y;
            }
            p[i] = (Position){ .x = x, .y = y };
        }
    }
}

BENCH_TIMED static void damp_all(covey_iter *it) {
    while (covey_next(it)) {
        Vec2 *v = covey_field_raw(it, 0);
        for (uint32_t i = 0; i < it->count; i++) v[i] = (Vec2){ .x = v[i].x * 0.9f + 1, .y = v[i].y * 0.9f + 2 };
    }
}

/* Records an add for each whose position says so: one in ten, at random. */
BENCH_TIMED static void record_all(covey_iter *it, covey_commands *commands) {
    while (covey_next(it)) {
        const Position *p = covey_field_const(it, 0, Position);
        for (uint32_t i = 0; i < it->count; i++)
            if (p[i].x < 0.1f) covey_record_add(commands, covey_span_entity(it, i), Force, { .x = 1, .y = 2 });
    }
}

static void nothing(covey_job *job, void *context) {
    (void)context;
    while (covey_next(&job->it)) {
    }
}
static void move(covey_job *job, void *context) {
    (void)context;
    move_all(&job->it);
}
static void compute(covey_job *job, void *context) {
    (void)context;
    compute_all(&job->it);
}
static void damp(covey_job *job, void *context) {
    (void)context;
    damp_all(&job->it);
}
static void record(covey_job *job, void *context) {
    (void)context;
    record_all(&job->it, job->commands);
}

/* ---- Fixtures -----------------------------------------------------------------------------------------------------*/

static void need(bool done) {
    if (!done) bench_fail("a schedule could not be made");
}

static covey_schedule *open_schedule(covey_world *world, uint32_t threads) {
    covey_schedule *schedule = covey_schedule_create(world, &(covey_schedule_desc){ .threads = threads });
    need(schedule != NULL);
    return schedule;
}

static fixture *open_all(const bench_scenario *scenario, uint32_t n) {
    fixture *f = bench_alloc(1, sizeof *f);
    uint64_t random = n;
    bench_use_all_cores();
    bench_entities_open(&f->entities, scenario, n);
    covey_world *world = f->entities.world;
    for (uint32_t i = 0; i < n; i++) {
        Position p = { .x = (float)bench_random(&random, 1000) / 1000, .y = 1 };
        need(covey_add_value(world, f->entities.all[i], Position, &p) != NULL);
        need(covey_add(world, f->entities.all[i], Velocity, { .x = 1, .y = 2 }) != NULL);
    }
    f->one = open_schedule(world, 1);
    f->two = open_schedule(world, 2);
    f->view = covey_view_make(world, &(covey_view_desc){ .with = { BENCH_ID(Position), BENCH_ID(Velocity) },
                                                         .read = { BENCH_ID(Velocity) } });
    f->commands = covey_commands_create(world, NULL);
    need(f->commands != NULL);
    return f;
}

static void close(void *context) {
    fixture *f = context;
    covey_schedule_destroy(f->one);
    covey_schedule_destroy(f->two);
    bench_entities_close(&f->entities);
    bench_use_one_core();
    free(f);
}

static void add_system(fixture *f, const covey_system *system) {
    need(covey_system_add(f->one, system) == COVEY_OK && covey_system_add(f->two, system) == COVEY_OK);
}

static const covey_view_desc moving = { .with = { BENCH_ID(Position), BENCH_ID(Velocity) },
                                        .read = { BENCH_ID(Velocity) } };

static void *open_moving(const bench_scenario *scenario, uint32_t n) {
    fixture *f = open_all(scenario, n);
    add_system(f, &(covey_system){ .name = "move", .run = move, .split = true, .view = moving });
    return f;
}

static void *open_computing(const bench_scenario *scenario, uint32_t n) {
    fixture *f = open_all(scenario, n);
    add_system(f, &(covey_system){ .name = "compute", .run = compute, .split = true, .view = moving });
    return f;
}

static void *open_recording(const bench_scenario *scenario, uint32_t n) {
    fixture *f = open_all(scenario, n);
    add_system(f, &(covey_system){ .name = "record",
                                   .run = record,
                                   .split = true,
                                   .view = { .with = { BENCH_ID(Position) }, .read = { BENCH_ID(Position) } } });
    return f;
}

static char names[SYSTEMS][8];

static const char *name_of(int i) {
    snprintf(names[i], sizeof names[i], "s%d", i);
    return names[i];
}

/* Systems over a component that all entities have lost. */
static void *open_empty(const bench_scenario *scenario, uint32_t n) {
    fixture *f = open_all(scenario, n);
    need(covey_add(f->entities.world, f->entities.all[0], Spin, { .x = 1 }) != NULL);
    covey_remove(f->entities.world, f->entities.all[0], Spin);
    for (int i = 0; i < SYSTEMS; i++)
        add_system(f, &(covey_system){ .name = name_of(i),
                                       .run = nothing,
                                       .view = { .with = { BENCH_ID(Spin), BENCH_ID(Position) } } });
    return f;
}

static void *open_small(const bench_scenario *scenario, uint32_t n) {
    fixture *f = open_all(scenario, n);
    for (int i = 0; i < 10; i++)
        add_system(f, &(covey_system){ .name = name_of(i), .run = move, .split = true, .view = moving });
    return f;
}

#define TYPE(text) \
    { .name = text, .size = sizeof(Vec2), .align = _Alignof(Vec2), .storage = BENCH_COVEY_STORAGE }
static const covey_type apart[8] = { TYPE("apart0"), TYPE("apart1"), TYPE("apart2"), TYPE("apart3"),
                                     TYPE("apart4"), TYPE("apart5"), TYPE("apart6"), TYPE("apart7") };

static void *open_apart(const bench_scenario *scenario, uint32_t n) {
    fixture *f = open_all(scenario, n);
    for (int i = 0; i < 8; i++) {
        for (uint32_t k = 0; k < n; k++)
            need(covey_add_raw(f->entities.world, f->entities.all[k], &apart[i], NULL) != NULL);
        add_system(f, &(covey_system){ .name = name_of(i), .run = damp, .view = { .with = { &apart[i] } } });
    }
    return f;
}

/* ---- The runs -----------------------------------------------------------------------------------------------------*/

static uint64_t run(covey_schedule *schedule) {
    if (covey_schedule_run(schedule) != COVEY_OK) bench_fail("a run failed: %s", covey_schedule_failure(schedule));
    return 0;
}

static uint64_t run_one(void *context) { return run(((fixture *)context)->one); }
static uint64_t run_two(void *context) { return run(((fixture *)context)->two); }

static uint64_t move_by_hand(void *context) {
    const fixture *f = context;
    covey_iter it = covey_view_iter(&f->view);
    move_all(&it);
    return 0;
}

static uint64_t record_by_hand(void *context) {
    const fixture *f = context;
    covey_iter it = covey_view_iter(&f->view);
    record_all(&it, f->commands);
    if (covey_commands_replay(f->commands).result != COVEY_OK) bench_fail("a replay failed");
    return 0;
}

static void clear_forces(void *context) {
    const fixture *f = context;
    covey_clear(f->entities.world, Force);
}

static double measure_60(void *context) {
    (void)context;
    return 60 * SYSTEMS;
}

static const bench_contestant idle[] = { { .name = "covey", .run = run_one },
                                         { .name = "60 ns", .measure = measure_60 },
                                         { .name = NULL } };
static const bench_contestant against_hand[] = { { .name = "covey", .run = run_one },
                                                 { .name = "by hand", .run = move_by_hand },
                                                 { .name = NULL } };
static const bench_contestant two_threads[] = { { .name = "covey", .run = run_two },
                                                { .name = "one", .run = run_one },
                                                { .name = NULL } };
static const bench_contestant recorders[] = { { .name = "covey", .prepare = clear_forces, .run = run_two },
                                              { .name = "one", .prepare = clear_forces, .run = run_one },
                                              { .name = "by hand", .prepare = clear_forces, .run = record_by_hand },
                                              { .name = NULL } };

#define SCENARIO(text, size, who, begin, against, most)                                                    \
    {                                                                                                      \
        .name = text, .storage = BENCH_STORAGE_TEXT, .sizes = { size }, .contestants = who, .open = begin, \
        .close = close, .bars = {                                                                          \
            { .baseline = against, .n = size, .limit = most }                                              \
        }                                                                                                  \
    }

static const bench_scenario scenarios[] = {
    SCENARIO("schedule_overhead", SYSTEMS, idle, open_empty, "60 ns", 1),
    SCENARIO("schedule_one", 1000000, against_hand, open_moving, "by hand", 1.03),
    SCENARIO("schedule_two_compute", 1000000, two_threads, open_computing, "one", 0.55),
    SCENARIO("schedule_two_memory", 1000000, two_threads, open_moving, "one", 0.8),
    SCENARIO("schedule_parallel", 100000, two_threads, open_apart, "one", 0.6),
    SCENARIO("schedule_small", 1000, two_threads, open_small, "one", 1.2),
    SCENARIO("schedule_commands", 100000, recorders, open_recording, "by hand", 0.75),
};

const bench_suite BENCH_NAME(bench_schedule) = { scenarios, sizeof scenarios / sizeof *scenarios };
