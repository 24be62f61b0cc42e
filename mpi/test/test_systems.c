/* Exchanges as systems of a schedule: the results do not depend on the number of threads, exchanges are in the same
 * order on all ranks, and bytes and waiting time are counted. */
#include "support.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>

enum { ENTITIES = 100, STEPS = 10 };

static _Thread_local bool is_main;

static void nap(uint32_t microseconds) { thrd_sleep(&(struct timespec){ .tv_nsec = (long)microseconds * 1000 }, NULL); }

/* ---- A model -------------------------------------------------------------------------------------------------------
 *
 * Entities walk on a ring of places. Each rank owns a part of the ring, and has ghosts of the entities of both
 * neighbours. Ranks count what they see, and sums over all ranks change how entities walk. All numbers are integers;
 * random numbers depend on seed and step. */

enum { PLACES = 40 };

typedef struct model {
    fixture f;
    uint64_t seed;
    uint32_t step;
    int64_t sum;   /* over all ranks */
    uint64_t seen; /* the sum of what this rank saw of ghosts, in all steps */
    bool ghosts, sum_first, rarely;
    covey_mpi_partition *partition; /* NULL: a body migrates */
    uint32_t strayed;               /* bodies that make collective calls, on another thread */
    covey_entity *leaving;
    int *targets;
} model;

static int owner_of(int32_t x) { return (int)(x * size / PLACES); }

static uint32_t draw(const model *m, uint32_t number) {
    random_numbers random = { m->seed * 1000003 + m->step * 7919 + number };
    below(&random, 2);
    return below(&random, 1u << 30);
}

/* Moves entities by at most one place; y is their number, and stays. */
static void walk_one(const model *m, Spot *spot) {
    uint32_t by = (draw(m, (uint32_t)spot->y) + (uint32_t)m->sum) % 3;
    spot->x = (int32_t)(((uint32_t)spot->x + by + PLACES - 1) % PLACES);
}

static uint64_t mix(uint64_t a, uint64_t b) { return (a ^ b) * UINT64_C(0x9E3779B97F4A7C15) + (a >> 29); }

static covey_view_desc own_spots(bool written) {
    covey_view_desc desc = { .with = { covey_id(Spot) }, .without = { covey_id(covey_ghost) } };
    if (!written) desc.read[0] = covey_id(Spot);
    return desc;
}

static void walk(covey_job *job, void *context) {
    while (covey_next(&job->it))
        for (uint32_t i = 0; i < job->it.count; i++) walk_one(context, &covey_field(&job->it, 0, Spot)[i]);
}

static void exchange(covey_job *job, void *context) {
    model *m = context;
    uint32_t count = 0;
    while (covey_next(&job->it))
        for (uint32_t i = 0; i < job->it.count; i++) {
            int to = owner_of(covey_field_const(&job->it, 0, Spot)[i].x);
            if (to == rank) continue;
            m->leaving[count] = covey_span_entity(&job->it, i);
            m->targets[count++] = to;
        }
    job->result = covey_mpi_migrate(m->f.mpi, m->leaving, m->targets, count);
}

/* The sum of all places. */
static void sum_spots(covey_job *job, void *context) {
    model *m = context;
    int64_t sum = 0;
    m->strayed += !is_main;
    while (covey_next(&job->it))
        for (uint32_t i = 0; i < job->it.count; i++) sum += covey_field_const(&job->it, 0, Spot)[i].x;
    job->result = covey_mpi_reduce_i64(m->f.mpi, COVEY_MPI_SUM, &sum, 1);
    m->sum = sum;
}

/* Counts in Stamp, which only the migration reads. */
static void stamp(covey_job *job, void *context) {
    const model *m = context;
    if (job->piece == 0) nap(draw(m, 1) % 300);
    while (covey_next(&job->it)) {
        Stamp *stamps = covey_field(&job->it, 0, Stamp);
        for (uint32_t i = 0; i < job->it.count; i++) stamps[i].when = stamps[i].when * 5 + m->step;
    }
}

/* Reads all ghosts. */
static void look(covey_job *job, void *context) {
    model *m = context;
    uint64_t sum = 0;
    while (covey_next(&job->it))
        for (uint32_t i = 0; i < job->it.count; i++) {
            const Spot *spot = &covey_field_const(&job->it, 0, Spot)[i];
            sum += mix((uint64_t)spot->x, (uint64_t)spot->y);
        }
    m->seen = mix(m->seen, sum);
}

static uint32_t near(const covey_world *world, covey_entity e, int *ranks, void *context) {
    int32_t x = covey_get(world, e, Spot)->x;
    (void)context;
    ranks[0] = owner_of((x + 3) % PLACES);
    ranks[1] = owner_of((x + PLACES - 3) % PLACES);
    return ranks[0] == ranks[1] ? 1 : 2;
}

static int place(const covey_world *world, covey_entity e, void *context) {
    (void)context;
    return owner_of(covey_get(world, e, Spot)->x);
}

static bool each_second(const covey_world *world, void *context) {
    (void)world;
    return ((model *)context)->step % 2 == 0;
}

static void begin_model(model *m, uint64_t seed) {
    *m = (model){ .seed = seed, .ghosts = seed % 4 != 0, .sum_first = seed % 3 == 0, .rarely = seed % 5 == 0 };
    /* Split systems are cut from the first index to the last, so that guests from distant ranges would make many
     * pieces. */
    begin(&m->f, &(covey_mpi_desc){ .range_size = COVEY_INDEX_BITS < 16 ? 0 : 1024 });
    m->leaving = calloc(ENTITIES, sizeof *m->leaving);
    m->targets = calloc(ENTITIES, sizeof *m->targets);
    static const covey_type *const types[] = { covey_id(Spot), NULL };
    covey_mpi_partition_desc ring = { .type = covey_id(Spot), .place = place };
    if (seed % 2 != 0) m->partition = covey_mpi_partition_create(m->f.mpi, &ring);
    CHECK(seed % 2 == 0 || m->partition);
    if (m->ghosts)
        CHECK(covey_mpi_ghosts_define(m->f.mpi, &(covey_mpi_ghosts_desc){ .types = types, .near = near }) == COVEY_OK);
    for (int32_t i = 0; i < ENTITIES; i++) {
        int32_t x = (int32_t)(draw(m, (uint32_t)i) % PLACES);
        if (owner_of(x) != rank) continue;
        covey_entity e = covey_create(m->f.world);
        CHECK(covey_add(m->f.world, e, Spot, { x, i }) && covey_add(m->f.world, e, Stamp, { (uint32_t)i }));
    }
}

static void end_model(model *m) {
    free(m->leaving);
    free(m->targets);
    covey_mpi_partition_destroy(m->partition);
    CHECK(m->strayed == 0);
    end(&m->f);
}

/* ---- By hand and by a schedule -----------------------------------------------------------------------------------*/

static void do_by_hand(model *m, covey_view_desc desc, covey_system_fn *body) {
    covey_view view = covey_view_make(m->f.world, &desc);
    covey_job job = { .world = m->f.world };
    job.it = covey_view_iter(&view);
    body(&job, m);
    CHECK(job.result == COVEY_OK);
}

static void step_by_hand(model *m) {
    covey_view_desc stamps = { .with = { covey_id(Stamp) } };
    covey_view_desc ghosts = { .with = { covey_id(Spot), covey_id(covey_ghost) }, .read = { covey_id(Spot) } };
    do_by_hand(m, own_spots(true), walk);
    do_by_hand(m, own_spots(false), exchange);
    if (m->sum_first) do_by_hand(m, own_spots(false), sum_spots);
    if (m->ghosts && !(m->rarely && m->step % 2 != 0)) CHECK(covey_mpi_ghosts_refresh(m->f.mpi) == COVEY_OK);
    do_by_hand(m, stamps, stamp);
    if (!m->sum_first) do_by_hand(m, own_spots(false), sum_spots);
    do_by_hand(m, ghosts, look);
}

static void add(covey_schedule *schedule, covey_system system) {
    if (covey_system_add(schedule, &system) == COVEY_OK) return;
    fprintf(stderr, "%s\n", covey_schedule_failure(schedule));
    CHECK(!"added");
}

static void add_exchange(covey_schedule *schedule, const covey_mpi_system *system) {
    if (covey_mpi_system_add(schedule, system) == COVEY_OK) return;
    fprintf(stderr, "%s\n", covey_schedule_failure(schedule));
    CHECK(!"added");
}

static void add_sum(covey_schedule *schedule, model *m) {
    covey_system system = { .name = "sum_spots", .run = sum_spots, .context = m, .view = own_spots(false) };
    if (m->ghosts && !m->sum_first) system.after[0] = "ghosts";
    add_exchange(schedule, &(covey_mpi_system){ .mpi = m->f.mpi, .system = system });
}

static void add_ghosts(covey_schedule *schedule, model *m) {
    covey_system system = { .name = "ghosts", .context = m, .when = m->rarely ? each_second : NULL };
    add_exchange(schedule, &(covey_mpi_system){ .mpi = m->f.mpi, .ghosts = true, .system = system });
}

static void add_all(covey_schedule *schedule, model *m) {
    covey_view_desc ghosts = { .with = { covey_id(Spot), covey_id(covey_ghost) },
                               .read = { covey_id(Spot), covey_id(covey_ghost) } };
    covey_system stamps = {
        .name = "stamp", .run = stamp, .context = m, .split = true, .piece = 64, .view = { .with = { covey_id(Stamp) } }
    };
    covey_system walks = {
        .name = "walk", .run = walk, .context = m, .split = true, .piece = 64, .view = own_spots(true)
    };
    add(schedule, walks);
    covey_mpi_system exchanges = { .mpi = m->f.mpi, .partition = m->partition, .system = { .name = "exchange" } };
    if (!m->partition)
        exchanges.system = (covey_system){
            .name = "exchange", .run = exchange, .context = m, .exclusive = true, .view = own_spots(false)
        };
    add_exchange(schedule, &exchanges);
    if (m->sum_first) add_sum(schedule, m);
    if (m->ghosts) add_ghosts(schedule, m);
    if (m->ghosts) stamps.before[0] = "ghosts";
    if (!m->ghosts || m->seed % 2 == 0) add(schedule, stamps);
    if (!m->sum_first) add_sum(schedule, m);
    if (m->ghosts && m->seed % 2 != 0) add(schedule, stamps);
    covey_system looks = { .name = "look", .run = look, .context = m, .view = ghosts };
    if (m->ghosts) looks.after[0] = "ghosts";
    add(schedule, looks);
}

/* A thread pool of the program: each call on a new thread, none on the thread that runs the schedule. */
typedef struct call {
    thrd_t thread;
    covey_task_fn *task;
    void *context;
    uint32_t number;
} call;

static int make_call(void *context) {
    const call *c = context;
    c->task(c->context, c->number);
    return 0;
}

static void run_elsewhere(void *pool, uint32_t count, covey_task_fn *task, void *context) {
    call calls[8];
    (void)pool;
    for (uint32_t i = 0; i < count; i++) {
        calls[i] = (call){ .task = task, .context = context, .number = i };
        CHECK(thrd_create(&calls[i].thread, make_call, &calls[i]) == thrd_success);
    }
    for (uint32_t i = 0; i < count; i++) thrd_join(calls[i].thread, NULL);
}

enum { BY_HAND = 0, ON_A_POOL = 4 }; /* or the number of threads */

typedef struct outcome {
    uint64_t digest, seen;
    int64_t sum;
    uint32_t owned;
} outcome;

static outcome play(uint64_t seed, uint32_t manner) {
    static const covey_type *const types[] = { covey_id(Spot), covey_id(Stamp), NULL };
    static model m;
    begin_model(&m, seed);
    covey_schedule_desc desc = { .threads = manner };
    if (manner == ON_A_POOL) desc = (covey_schedule_desc){ .jobs = { run_elsewhere, NULL, 3 } };
    covey_schedule *schedule = manner != BY_HAND ? covey_schedule_create(m.f.world, &desc) : NULL;
    if (schedule) add_all(schedule, &m);
    for (; m.step < STEPS; m.step++) {
        if (!schedule) step_by_hand(&m);
        else if (covey_schedule_run(schedule) != COVEY_OK) CHECK(!covey_schedule_failure(schedule));
    }
    outcome o = { .seen = m.seen, .sum = m.sum, .owned = covey_mpi_owned_count(m.f.mpi) };
    CHECK(covey_mpi_digest(m.f.mpi, types, &o.digest) == COVEY_OK);
    covey_schedule_destroy(schedule);
    end_model(&m);
    return o;
}

static bool is_same(outcome a, outcome b) {
    return a.digest == b.digest && a.seen == b.seen && a.sum == b.sum && a.owned == b.owned;
}

static void test_threads_show_nowhere(void) {
    for (uint64_t seed = 1; seed <= 12; seed++) {
        outcome wanted = play(seed, BY_HAND);
        for (uint32_t manner = 1; manner <= ON_A_POOL; manner++) CHECK(is_same(play(seed, manner), wanted));
    }
    CHECK(!is_same(play(1, BY_HAND), play(2, BY_HAND)));
}

/* ---- Beside each other -------------------------------------------------------------------------------------------*/

static struct { atomic_bool main_began, other_began, main_ended, clashed, timed_out; } meeting;

static void wait_until(atomic_bool *flag) {
    for (uint32_t i = 0; !atomic_load(flag) && i < 100000; i++) nap(100);
    if (!atomic_load(flag)) atomic_store(&meeting.timed_out, true);
}

/* An exchange that ends when another system has begun, which has to be on another thread. */
static void meet_in_exchange(covey_job *job, void *context) {
    const fixture *f = context;
    int64_t one = 1;
    atomic_store(&meeting.main_began, is_main);
    wait_until(&meeting.other_began);
    job->result = covey_mpi_reduce_i64(f->mpi, COVEY_MPI_SUM, &one, 1);
    CHECK(one == size);
    atomic_store(&meeting.main_ended, true);
}

static void meet_beside(covey_job *job, void *context) {
    (void)job;
    (void)context;
    atomic_store(&meeting.other_began, !is_main);
    wait_until(&meeting.main_began);
}

static void come_afterwards(covey_job *job, void *context) {
    (void)job;
    (void)context;
    if (!atomic_load(&meeting.main_ended)) atomic_store(&meeting.clashed, true);
}

static void check_meeting(covey_schedule *schedule) {
    CHECK(covey_schedule_run(schedule) == COVEY_OK);
    CHECK(atomic_load(&meeting.main_began) && atomic_load(&meeting.other_began));
    CHECK(!atomic_load(&meeting.timed_out) && !atomic_load(&meeting.clashed));
    covey_schedule_destroy(schedule);
}

static void test_others_run_beside_an_exchange(void) {
    fixture f;
    begin(&f, NULL);
    memset(&meeting, 0, sizeof meeting);
    covey_schedule *schedule = covey_schedule_create(f.world, &(covey_schedule_desc){ .threads = 2 });
    add_exchange(
        schedule,
        &(covey_mpi_system){
            .mpi = f.mpi,
            .system = { .name = "sum_spots", .run = meet_in_exchange, .context = &f, .reads = { covey_id(Spot) } } });
    add(schedule, (covey_system){ .name = "clash", .run = come_afterwards, .writes = { covey_id(Spot) } });
    add(schedule, (covey_system){ .name = "beside", .run = meet_beside, .writes = { covey_id(Stamp) } });
    check_meeting(schedule);
    end(&f);
}

/* The transfer of ghosts ends when another system has begun that writes what ghosts have. */
static void hold_transfer(const char *system, uint32_t piece, void *context) {
    (void)piece;
    (void)context;
    if (strcmp(system, "ghosts.transfer") != 0) return;
    atomic_store(&meeting.main_began, is_main);
    wait_until(&meeting.other_began);
}

static void note_transfer(const char *system, uint32_t piece, void *context) {
    (void)piece;
    (void)context;
    if (strcmp(system, "ghosts.transfer") == 0) atomic_store(&meeting.main_ended, true);
}

static void test_others_run_while_ghosts_are_on_their_way(void) {
    model m;
    begin_model(&m, 1);
    memset(&meeting, 0, sizeof meeting);
    covey_schedule_desc desc = { .threads = 2, .profiler = { hold_transfer, note_transfer, NULL } };
    covey_schedule *schedule = covey_schedule_create(m.f.world, &desc);
    add_ghosts(schedule, &m);
    add(schedule, (covey_system){ .name = "after", .run = come_afterwards, .after = { "ghosts" } });
    add(schedule,
        (covey_system){ .name = "beside", .run = meet_beside, .writes = { covey_id(Spot) }, .before = { "ghosts" } });
    check_meeting(schedule);
    end_model(&m);
}

/* ---- Order -------------------------------------------------------------------------------------------------------*/

/* Two sums, each behind a system that takes longer on some ranks. Only the order of adding decides which is first. */
typedef struct sum {
    const fixture *f;
    int64_t value, wanted;
} sum;

static void reduce_sum(covey_job *job, void *context) {
    sum *s = context;
    int64_t value = s->value;
    job->result = covey_mpi_reduce_i64(s->f->mpi, COVEY_MPI_SUM, &value, 1);
    CHECK(value == s->wanted);
}

static void take_time(covey_job *job, void *context) {
    nap(((uint32_t)job->run + (uint32_t)(uintptr_t)context + (uint32_t)rank) % 3 * 700);
}

static void test_exchanges_have_one_order(void) {
    static const char *const names[2][2] = { { "wait for a", "a" }, { "wait for b", "b" } };
    const covey_type *const types[] = { covey_id(Spot), covey_id(Stamp) };
    fixture f;
    begin(&f, NULL);
    sum sums[2] = { { &f, 1, size }, { &f, 10, 10 * size } };
    covey_schedule *schedule = covey_schedule_create(f.world, &(covey_schedule_desc){ .threads = 3 });
    for (uint32_t i = 0; i < 2; i++) {
        add(schedule,
            (covey_system){
                .name = names[i][0], .run = take_time, .context = (void *)(uintptr_t)(i * 2), .writes = { types[i] } });
        add_exchange(
            schedule,
            &(covey_mpi_system){
                .mpi = f.mpi,
                .system = { .name = names[i][1], .run = reduce_sum, .context = &sums[i], .reads = { types[i] } } });
    }
    for (uint32_t i = 0; i < 12; i++) CHECK(covey_schedule_run(schedule) == COVEY_OK);
    covey_schedule_destroy(schedule);
    end(&f);
}

/* ---- Traces ------------------------------------------------------------------------------------------------------*/

static const covey_system_stats *stats_of(covey_schedule *schedule, const char *name) {
    static covey_system_stats all[16];
    uint32_t count = covey_schedule_stats(schedule, all, 16);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(all[i].name, name) == 0) return &all[i];
    CHECK(!"there");
    return NULL;
}

static void check_event(covey_schedule *schedule, const char *name) {
    static covey_trace_event events[1024];
    uint32_t count = covey_schedule_traced(schedule, 0, events, 1024), found = 0;
    for (uint32_t i = 0; i < count && i < 1024; i++) {
        if (strcmp(events[i].system, name) != 0) continue;
        CHECK(events[i].thread == 0 && events[i].bytes == stats_of(schedule, name)->bytes);
        CHECK(events[i].blocked <= (double)(events[i].end - events[i].begin) * 1.01 + 1000); /* two clocks */
        found++;
    }
    CHECK(found == 1);
}

static void test_a_trace_has_bytes_and_waiting_time(void) {
    model m;
    begin_model(&m, 1);
    covey_schedule *schedule = covey_schedule_create(m.f.world, &(covey_schedule_desc){ .threads = 2 });
    add_all(schedule, &m);
    covey_mpi_stats before = covey_mpi_stats_of(m.f.mpi);
    for (; m.step < 5; m.step++) {
        covey_schedule_trace(schedule, 1);
        CHECK(covey_schedule_run(schedule) == COVEY_OK);
    }
    covey_mpi_stats now = covey_mpi_stats_of(m.f.mpi);
    static const char *const names[] = { "exchange", "ghosts.pack", "ghosts.transfer", "ghosts", "sum_spots" };
    uint64_t bytes = 0;
    double blocked = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bytes += stats_of(schedule, names[i])->bytes_total;
        blocked += stats_of(schedule, names[i])->blocked_total;
        check_event(schedule, names[i]);
    }
    CHECK(bytes == now.bytes_sent + now.bytes_received - before.bytes_sent - before.bytes_received);
    CHECK(blocked > 0.999 * 1e9 * (now.seconds_waited - before.seconds_waited) &&
          blocked < 1.001 * 1e9 * (now.seconds_waited - before.seconds_waited));
    CHECK((stats_of(schedule, "exchange")->bytes_total > 0) == (size > 1));
    CHECK((stats_of(schedule, "ghosts.transfer")->bytes_total > 0) == (size > 1));
    CHECK(stats_of(schedule, "walk")->bytes_total == 0 && stats_of(schedule, "stamp")->blocked_total == 0);
    CHECK(stats_of(schedule, "ghosts.transfer")->blocked > 0 && stats_of(schedule, "exchange")->blocked > 0);
    covey_schedule_destroy(schedule);
    end_model(&m);
}

/* ---- Failures ----------------------------------------------------------------------------------------------------*/

static void run_nothing(covey_job *job, void *context) {
    (void)job;
    (void)context;
}

static void drop_nothing(void *context) { ++*(int *)context; }

static void test_wrong_descriptions_are_refused(void) {
    fixture f;
    int dropped = 0;
    char name[300];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    begin(&f, NULL);
    covey_schedule *schedule = covey_schedule_create(f.world, &(covey_schedule_desc){ .threads = 1 });
#define REFUSE(result, ...) \
    CHECK(covey_mpi_system_add(schedule, &(covey_mpi_system){ .mpi = f.mpi, __VA_ARGS__ }) == (result))
#define GIVEN .context = &dropped, .drop = drop_nothing
    REFUSE(COVEY_ERROR_TYPE, .system = { .run = run_nothing, GIVEN });
    REFUSE(COVEY_ERROR_TYPE, .system = { .name = "x", GIVEN });
    REFUSE(COVEY_ERROR_TYPE, .ghosts = true, .system = { .name = "x", .run = run_nothing, GIVEN });
    REFUSE(COVEY_ERROR_TYPE, .system = { .name = "x", .run = run_nothing, .split = true, GIVEN });
    covey_mpi_partition *p = covey_mpi_partition_create(f.mpi, &(covey_mpi_partition_desc){ .place = place });
    CHECK(p);
    REFUSE(COVEY_ERROR_TYPE, .partition = p, .system = { .name = "x", .run = run_nothing, GIVEN });
    REFUSE(COVEY_ERROR_TYPE, .partition = p, .ghosts = true, .system = { .name = "x", GIVEN });
    covey_mpi_partition_destroy(p);
    REFUSE(COVEY_ERROR_RANGE, .ghosts = true, .system = { .name = name, GIVEN });
    covey_mpi_system full = { .mpi = f.mpi, .system = { .name = "x", .run = run_nothing, GIVEN } };
    for (uint32_t i = 0; i < COVEY_TERMS; i++) full.system.resource_writes[i] = covey_id(Spot);
    CHECK(covey_mpi_system_add(schedule, &full) == COVEY_ERROR_RANGE);
    add(schedule, (covey_system){ .name = "g.transfer", .run = run_nothing });
    REFUSE(COVEY_ERROR_PRESENT, .ghosts = true, .system = { .name = "g", GIVEN });
    CHECK(covey_schedule_stats(schedule, NULL, 0) == 1 && dropped == 0);
    CHECK(covey_system_remove(schedule, "g.transfer"));
    REFUSE(COVEY_OK, .ghosts = true, .system = { .name = "g", GIVEN });
    CHECK(covey_system_remove(schedule, "g") && covey_system_remove(schedule, "g.pack") && dropped == 0);
    covey_schedule_destroy(schedule);
    CHECK(dropped == 1);
    end(&f);
}

static void test_adding_survives_failed_allocations(void) {
    for (uint32_t ghosts = 0; ghosts < 2; ghosts++)
        for (uint64_t at = 1, failed = 1; failed != 0; at++) {
            fixture f;
            begin(&f, NULL);
            covey_schedule *schedule = covey_schedule_create(f.world, &(covey_schedule_desc){ .threads = 1 });
            covey_mpi_system system = { .mpi = f.mpi, .ghosts = ghosts != 0, .system = { .name = "x" } };
            if (!ghosts) system.system.run = run_nothing;
            f.memory.fail_at = f.memory.calls + at;
            failed = covey_mpi_system_add(schedule, &system) != COVEY_OK;
            CHECK(failed == (f.memory.calls >= f.memory.fail_at));
            CHECK(covey_schedule_stats(schedule, NULL, 0) == (failed ? 0 : ghosts ? 3 : 1));
            f.memory.fail_at = 0;
            CHECK(!failed || covey_mpi_system_add(schedule, &system) == COVEY_OK);
            covey_schedule_destroy(schedule);
            end(&f);
        }
}

/* Allocations of the schedule itself are not tested: see docs/mpi.md. */
static bool refresh_fails_at(uint64_t at, int on) {
    model m;
    counting apart = { 0 };
    begin_model(&m, 1);
    covey_schedule_desc desc = { .threads = 2, .allocator = counting_allocator(&apart) };
    covey_schedule *schedule = covey_schedule_create(m.f.world, &desc);
    add_ghosts(schedule, &m);
    CHECK(covey_schedule_run(schedule) == COVEY_OK);
    m.step = 1;
    do_by_hand(&m, own_spots(true), walk);
    for (int32_t i = 0; i < 20; i++) { /* new ghosts */
        covey_entity e = covey_create(m.f.world);
        CHECK(covey_add(m.f.world, e, Spot, { PLACES / size * rank, 1000 + i }));
    }
    if (rank == on) m.f.memory.fail_at = m.f.memory.calls + at;
    covey_result result = covey_schedule_run(schedule);
    bool fired = m.f.memory.fail_at != 0 && m.f.memory.calls >= m.f.memory.fail_at;
    MPI_Bcast(&fired, (int)sizeof fired, MPI_BYTE, on, MPI_COMM_WORLD);
    CHECK(result == (fired ? COVEY_ERROR_MEMORY : COVEY_OK)); /* on all ranks */
    CHECK(!fired || covey_mpi_report(m.f.mpi)->result == COVEY_ERROR_MEMORY);
    m.f.memory.fail_at = 0;
    CHECK(covey_schedule_run(schedule) == COVEY_OK);
    covey_schedule_destroy(schedule);
    CHECK(apart.bytes == 0);
    end_model(&m);
    return fired;
}

static void test_a_refresh_that_fails_on_one_rank_fails_on_all(void) {
    for (int on = 0; on < size && on < 2; on++)
        for (uint64_t at = 1; refresh_fails_at(at, on); at++) {
        }
}

static void fail_once(covey_job *job, void *context) {
    if (job->run == *(const uint64_t *)context) job->result = COVEY_ERROR_LIMIT;
}

/* A hash of the ghosts after some steps. One of the steps may have failed. */
static uint64_t seen_after(uint64_t seed, uint64_t fails_in, bool fails) {
    model m;
    begin_model(&m, seed);
    covey_schedule *schedule = covey_schedule_create(m.f.world, &(covey_schedule_desc){ .threads = 2 });
    add_all(schedule, &m);
    covey_system failing = { .name = "fails", .run = fail_once, .context = &fails_in, .before = { "ghosts" } };
    if (fails) add(schedule, failing);
    for (; m.step < 6; m.step++) {
        covey_result result = covey_schedule_run(schedule);
        CHECK(result == (fails && m.step == fails_in ? COVEY_ERROR_LIMIT : COVEY_OK));
        if (m.step == fails_in) m.sum = 0; /* in one of them, it was not added up */
        if (m.step <= fails_in + 1) m.seen = 0;
    }
    uint64_t seen = m.seen;
    covey_schedule_destroy(schedule);
    end_model(&m);
    return seen;
}

/* A system beside the transfer fails on all ranks: the refresh is cancelled, and the next one works. In the second
 * case the next run has no refresh. */
static void test_a_run_that_fails_ends_its_refresh(void) {
    for (uint64_t fails_in = 1; fails_in <= 2; fails_in++) {
        uint64_t seed = fails_in == 1 ? 1 : 5, wanted = seen_after(seed, fails_in, false);
        CHECK(seen_after(seed, fails_in, true) == wanted && (wanted != 0 || size == 1));
    }
}

/* An exchange between packing and applying: all ranks report it, and a refresh outside the schedule works. */
static void test_exchanges_within_a_refresh_end_it(void) {
    model m;
    begin_model(&m, 1);
    covey_schedule *schedule = covey_schedule_create(m.f.world, &(covey_schedule_desc){ .threads = 2 });
    add_ghosts(schedule, &m);
    add_exchange(schedule, &(covey_mpi_system){ .mpi = m.f.mpi,
                                                .system = { .name = "sum_spots",
                                                            .run = sum_spots,
                                                            .context = &m,
                                                            .view = own_spots(false),
                                                            .before = { "ghosts" } } });
    CHECK(covey_schedule_run(schedule) == COVEY_ERROR_REFUSED);
    CHECK(strstr(covey_mpi_report(m.f.mpi)->text, "cancelled by another collective call"));
    CHECK(covey_mpi_ghosts_refresh(m.f.mpi) == COVEY_OK);
    covey_schedule_destroy(schedule);
    end_model(&m);
}

static void test_ghosts_of_which_nothing_was_said_are_refused(void) {
    fixture f;
    begin(&f, NULL);
    covey_schedule *schedule = covey_schedule_create(f.world, &(covey_schedule_desc){ .threads = 2 });
    add_exchange(schedule, &(covey_mpi_system){ .mpi = f.mpi, .ghosts = true, .system = { .name = "ghosts" } });
    for (uint32_t i = 0; i < 2; i++) {
        CHECK(covey_schedule_run(schedule) == COVEY_ERROR_REFUSED);
        CHECK(strstr(covey_mpi_report(f.mpi)->text, "call covey_mpi_ghosts_define first"));
        CHECK(strstr(covey_schedule_failure(schedule), "system ghosts failed"));
    }
    covey_schedule_destroy(schedule);
    end(&f);
}

int main(int argc, char **argv) {
    static const test tests[] = {
        { "threads_show_nowhere", test_threads_show_nowhere },
        { "others_run_beside_an_exchange", test_others_run_beside_an_exchange },
        { "others_run_while_ghosts_are_on_their_way", test_others_run_while_ghosts_are_on_their_way },
        { "exchanges_have_one_order", test_exchanges_have_one_order },
        { "a_trace_has_bytes_and_waiting_time", test_a_trace_has_bytes_and_waiting_time },
        { "wrong_descriptions_are_refused", test_wrong_descriptions_are_refused },
        { "adding_survives_failed_allocations", test_adding_survives_failed_allocations },
        { "a_refresh_that_fails_on_one_rank_fails_on_all", test_a_refresh_that_fails_on_one_rank_fails_on_all },
        { "a_run_that_fails_ends_its_refresh", test_a_run_that_fails_ends_its_refresh },
        { "exchanges_within_a_refresh_end_it", test_exchanges_within_a_refresh_end_it },
        { "ghosts_of_which_nothing_was_said_are_refused", test_ghosts_of_which_nothing_was_said_are_refused },
    };
    is_main = true;
    return RUN_TESTS(argc, argv, tests);
}
