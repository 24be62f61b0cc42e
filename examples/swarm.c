/* A swarm of a million birds: five systems, run by a schedule on all cores, and the same work on plain arrays for
 * comparison. Prints the time of each system, the memory of each pool, and what Covey advises. `make run` runs it.
 *
 *     swarm [--entities N] [--frames N] [--threads N] [--trace FILE] [--inspect] [--help] */
#include "swarm.h"

#include <covey/fields.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Fields, for the page of --inspect. A type that is a plain number has one field. */
COVEY_FIELDS_DEFINE(Vector, f32(x), f32(y));
static const covey_field points[] = { { "points", COVEY_KIND_F32, 0, 1, NULL, { 0 } } };
static const covey_fields fields_of_number = { sizeof(float), 1, points };

COVEY_COMPONENT_DEFINE(Position, .fields = &covey_fields_Vector);
COVEY_COMPONENT_DEFINE(Velocity, .fields = &covey_fields_Vector);
COVEY_COMPONENT_DEFINE(Energy, .fields = &fields_of_number);
/* The advice at the end says whether this storage is a good choice. */
COVEY_COMPONENT_DEFINE(Sick, .fields = &fields_of_number, .storage = COVEY_STORAGE_SPARSE);
COVEY_TAG_DEFINE(Frozen);

void die(const char *what, const char *why) {
    fprintf(stderr, "swarm: %s: %s\n", what, why);
    exit(EXIT_FAILURE);
}

/* Stops the program when a call on the world has failed. */
static void need(const covey_world *world, bool done, const char *what) {
    if (!done) die(what, covey_result_text(covey_world_result(world)));
}

/* ---- Creating birds -----------------------------------------------------------------------------------------------*/

/* The next of a series of random numbers, from 0 to 1. */
static float draw(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (float)(*state >> 40) / (float)(1 << 24);
}

Bird hatch(uint32_t index, uint32_t frame) {
    uint64_t state = ((uint64_t)frame << 32 | index) * UINT64_C(0x9E3779B97F4A7C15);
    Bird bird = { .sick = 1 };
    bird.position.x = draw(&state);
    bird.position.y = draw(&state);
    bird.velocity.x = draw(&state) / 500 - 0.001f;
    bird.velocity.y = draw(&state) / 500 - 0.001f;
    bird.energy = 1 + draw(&state) * 1000;
    if (draw(&state) < 1 / 2.f) bird.flags |= HAS_ENERGY;
    if (draw(&state) < 1 / 50.f) bird.flags |= IS_FROZEN;
    if (draw(&state) < 1 / 500.f) bird.flags |= IS_SICK;
    return bird;
}

static void put_into_world(covey_world *world, const Bird *bird) {
    covey_entity e = covey_create(world);
    bool done = covey_add_value(world, e, Position, &bird->position) != NULL;
    done = done && covey_add_value(world, e, Velocity, &bird->velocity);
    if (bird->flags & HAS_ENERGY) done = done && covey_add_value(world, e, Energy, &bird->energy);
    if (bird->flags & IS_SICK) done = done && covey_add_value(world, e, Sick, &bird->sick);
    if (bird->flags & IS_FROZEN) done = done && covey_add_tag(world, e, Frozen);
    need(world, done, "adding a bird");
}

/* ---- Systems: each runs on a piece of its birds, and several pieces run at the same time -------------------------*/

/* Spans: the values of many birds lie one after the other, and the body is a loop over an array. */
static void wind(covey_job *job, void *swarm) {
    Velocity gust = ((const Swarm *)swarm)->gust;
    while (covey_next(&job->it)) {
        Velocity *v = covey_field(&job->it, 0, Velocity);
        for (uint32_t i = 0; i < job->it.count; i++) add(&v[i], gust);
    }
}

/* An excluded tag: a span ends before a bird that has it. */
static void move(covey_job *job, void *swarm) {
    (void)swarm;
    while (covey_next(&job->it)) {
        Position *p = covey_field(&job->it, 0, Position);
        const Velocity *v = covey_field(&job->it, 1, Velocity);
        for (uint32_t i = 0; i < job->it.count; i++) add(&p[i], v[i]);
    }
}

/* Rows: one bird at a time, for birds that are scattered. Other threads are at work, so structural changes are
 * recorded; they are made before `renew` begins. */
static void weaken(covey_job *job, void *swarm) {
    covey_row row = { 0 };
    (void)swarm;
    while (covey_next_row(&job->it, &row)) {
        if (tire(covey_row_field(&job->it, row, 0, Energy), *covey_row_field(&job->it, row, 1, Velocity))) continue;
        covey_entity e = covey_row_entity(&job->it, row);
        bool done = covey_record_remove(job->commands, e, Energy) && covey_record_set_tag(job->commands, e, Frozen);
        if (!done) job->result = covey_commands_result(job->commands);
    }
}

/* The smallest pool leads the iteration, whatever its storage is. An optional field is NULL if the bird does not have
 * it. */
static void ail(covey_job *job, void *swarm) {
    covey_row row = { 0 };
    (void)swarm;
    while (covey_next_row(&job->it, &row))
        suffer(covey_row_field(&job->it, row, 0, Sick), covey_row_field(&job->it, row, 1, Energy));
}

/* A bird that left the field is destroyed, and a new one is created with the lowest free index. An exclusive
 * system runs alone, and changes the structure of the world directly. */
static void renew(covey_job *job, void *swarm) {
    covey_row row = { 0 };
    while (covey_next_row(&job->it, &row)) {
        if (!is_outside(*covey_row_field(&job->it, row, 0, Position))) continue;
        covey_entity e = covey_row_entity(&job->it, row);
        Bird bird = hatch(e.index, ((const Swarm *)swarm)->frame);
        covey_destroy(job->world, e);
        put_into_world(job->world, &bird);
    }
}

/* What systems read and write decides which wait for each other: `move` and `weaken` may run at the same time, because
 * both only read velocities, and `ail` waits for `weaken`, because both write energies. */
static covey_schedule *make_schedule(Swarm *s, uint32_t threads) {
    covey_schedule *schedule = covey_schedule_create(s->world, &(covey_schedule_desc){ .threads = threads });
    need(s->world, schedule != NULL, "making a schedule");
    covey_view_desc winds = { .with = { covey_id(Velocity) } }, renews = { .with = { covey_id(Position) } };
    covey_view_desc moves = { .with = { covey_ids(Position, Velocity) },
                              .without = { covey_id(Frozen) },
                              .read = { covey_id(Velocity) } };
    covey_view_desc weakens = { .with = { covey_ids(Energy, Velocity) }, .read = { covey_id(Velocity) } };
    covey_view_desc ails = { .with = { covey_id(Sick) }, .optional = { covey_id(Energy) } };
    covey_system systems[] = {
        { .name = "wind", .run = wind, .context = s, .view = winds, .split = true },
        { .name = "move", .run = move, .context = s, .view = moves, .split = true },
        { .name = "weaken", .run = weaken, .context = s, .view = weakens, .split = true },
        { .name = "ail", .run = ail, .context = s, .view = ails, .split = true },
        { .name = "renew", .run = renew, .context = s, .view = renews, .exclusive = true },
    };
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
        if (covey_system_add(schedule, &systems[i]) != COVEY_OK)
            die("adding a system", covey_schedule_failure(schedule));
    return schedule;
}

/* ---- Options -----------------------------------------------------------------------------------------------------*/

typedef struct {
    uint32_t entities, frames, threads; /* no frames: 60; with the page, until Ctrl-C */
    const char *trace;
    bool inspect;
} Options;

static uint32_t parse_number(const char *option, const char *text, uint32_t least, uint32_t most) {
    char *rest = NULL;
    unsigned long long number = text && text[0] >= '0' && text[0] <= '9' ? strtoull(text, &rest, 10) : 0;
    if (!rest || *rest || number < least || number > most) die(option, "a number in its range is missing (see --help)");
    return (uint32_t)number;
}

static const char help[] =
    "usage: swarm [--entities N] [--frames N] [--threads N] [--trace FILE] [--inspect] [--help]\n\n"
    "  --entities N   how many birds, from 10 to 100000000 (default 1000000)\n"
    "  --frames N     how often each system runs, from 1 to 100000 (default 60)\n"
    "  --threads N    how many threads, from 1 to 64; 0, the default: one for each core\n"
    "  --trace FILE   writes what happened in the last frames, for https://ui.perfetto.dev\n"
    "  --inspect      goes on until Ctrl-C, with a page in the browser that looks into the world\n";

static Options parse(int argc, char **argv) {
    Options o = { .entities = 1000000 };
    for (int i = 1; i < argc; i += 2) {
        const char *value = argv[i + 1];
        if (strcmp(argv[i], "--help") == 0) exit(puts(help) == EOF);
        else if (strcmp(argv[i], "--inspect") == 0) o.inspect = true, i--; /* has no value */
        else if (strcmp(argv[i], "--entities") == 0) o.entities = parse_number(argv[i], value, 10, 100000000);
        else if (strcmp(argv[i], "--frames") == 0) o.frames = parse_number(argv[i], value, 1, 100000);
        else if (strcmp(argv[i], "--threads") == 0) o.threads = parse_number(argv[i], value, 0, COVEY_THREADS);
        else if (strcmp(argv[i], "--trace") == 0 && value) o.trace = value;
        else die(argv[i], "unknown option, or its value is missing (see --help)");
    }
    if (o.frames == 0 && !o.inspect) o.frames = 60;
    return o;
}

/* ---- Frames ------------------------------------------------------------------------------------------------------*/

enum { SYSTEMS = 5, TRACED = 4 };

static double now_ns(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void keep_least(double *least, double ns, uint32_t entities) {
    double each = entities != 0 ? ns / entities : 0;
    if (each > 0 && (*least == 0 || each < *least)) *least = each;
}

/* Runs and measures one frame. The last row is the whole frame. */
static void run_on_world(covey_schedule *schedule, Row *rows, bool alone) {
    covey_system_stats stats[SYSTEMS];
    double start = now_ns();
    if (covey_schedule_run(schedule) != COVEY_OK) die("running", covey_schedule_failure(schedule));
    double all = now_ns() - start;
    covey_schedule_stats(schedule, stats, SYSTEMS); /* systems run in the order of the rows */
    for (uint32_t i = 0; i < SYSTEMS; i++) {
        rows[i].entities = stats[i].entities;
        keep_least(alone ? &rows[i].alone_ns : &rows[i].together_ns, stats[i].last, stats[i].entities);
    }
    keep_least(alone ? &rows[SYSTEMS].alone_ns : &rows[SYSTEMS].together_ns, all, rows[SYSTEMS].entities);
}

static void run_on_arrays(Swarm *s, Row *rows) {
    double begin = now_ns(), start = begin, end = begin;
    for (uint32_t i = 0; i < SYSTEMS; i++, start = end) {
        rows[i].on_arrays(s);
        end = now_ns();
        keep_least(&rows[i].arrays_ns, end - start, rows[i].entities);
    }
    keep_least(&rows[SYSTEMS].arrays_ns, end - begin, rows[SYSTEMS].entities);
}

/* The first half of the frames runs on one thread, to measure the speedup of the others. Alternating would distort the
 * times: a core waits for data that another core has written. */
static void run_frames(Swarm *s, const Options *o, covey_schedule *alone, covey_schedule *together) {
    Row rows[SYSTEMS + 1] = {
        { "wind", "spans", "Velocity", wind_on_arrays, 0, 0, 0, 0 },
        { "move", "spans", "Position, Velocity, not Frozen", move_on_arrays, 0, 0, 0, 0 },
        { "weaken", "rows", "Energy, Velocity; some freeze", weaken_on_arrays, 0, 0, 0, 0 },
        { "ail", "rows", "Sick, optionally Energy", ail_on_arrays, 0, 0, 0, 0 },
        { "renew", "rows", "Position; some die, others come", renew_on_arrays, 0, 0, 0, 0 },
        { "frame", "", "all of these", NULL, s->n, 0, 0, 0 },
    };
    uint32_t threads = covey_schedule_threads(together), traced = threads == 1 ? TRACED : 2 * TRACED;
    for (s->frame = 1; s->frame <= o->frames; s->frame++) {
        uint32_t left = o->frames - s->frame + 1;
        bool is_alone = threads == 1 || s->frame <= o->frames / 2;
        s->gust = s->frame % 2 == 0 ? (Velocity){ 1e-4f, 5e-5f } : (Velocity){ -1e-4f, -5e-5f };
        if (o->trace && (s->frame == 1 || left == traced)) covey_schedule_trace(together, TRACED);
        run_on_world(is_alone && threads != 1 ? alone : together, rows, is_alone);
        run_on_arrays(s, rows);
        print_progress(s->frame, o->frames);
    }
    print_rows(rows, SYSTEMS + 1, threads);
}

static void write_text(const char *text, void *file) { fputs(text, file); }

static void write_trace(const covey_schedule *schedule, const char *name) {
    FILE *file = fopen(name, "w");
    if (!file) die(name, "the file could not be opened");
    covey_schedule_print_trace(schedule, write_text, file);
    bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed) die(name, "the trace could not be written");
    printf("\n%s has a trace of the last frames: open it with https://ui.perfetto.dev\n", name);
}

/* ---- The report --------------------------------------------------------------------------------------------------*/

static void follow_advice(covey_world *world) {
    covey_advice advice[16];
    size_t before = covey_world_memory(world);
    uint32_t count = covey_world_advise(world, advice, 16);
    for (uint32_t i = 0; i < count; i++)
        if (advice[i].best != advice[i].storage)
            need(world, covey_pool_convert(advice[i].pool, advice[i].best) == COVEY_OK, "converting a pool");
    covey_compact(world);
    covey_shrink(world);
    printf("\nWith this advice followed, the world takes %zu bytes instead of %zu.\n", covey_world_memory(world),
           before);
}

/* Runs the frames in the world and on arrays, and measures both. */
static void compare(Swarm *s, const Options *o) {
    make_arrays(s);
    covey_schedule *alone = make_schedule(s, 1), *together = make_schedule(s, o->threads);
    run_frames(s, o, alone, together);
    check(s);
    if (o->trace) write_trace(together, o->trace);
    covey_schedule_destroy(together);
    covey_schedule_destroy(alone);
    print_memory(s->world);
    follow_advice(s->world);
    check(s);
    free_arrays(s);
}

static void inspect(Swarm *s, const Options *o) {
    covey_schedule *schedule = make_schedule(s, o->threads);
    inspect_swarm(s, schedule, o->frames);
    covey_schedule_destroy(schedule);
}

int main(int argc, char **argv) {
    Options o = parse(argc, argv);
    Swarm s = { .world = covey_world_create(NULL), .n = o.entities };
    if (!s.world) die("starting", "no memory");
    for (uint32_t i = 0; i < s.n; i++) {
        Bird bird = hatch(i, 0);
        put_into_world(s.world, &bird);
    }
    if (o.inspect) inspect(&s, &o);
    else compare(&s, &o);
    if (fflush(stdout) != 0) die("printing", "the output could not be written");
    covey_world_destroy(s.world);
    return EXIT_SUCCESS;
}
