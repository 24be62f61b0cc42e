/* Schedules and their threads: threads that cannot be started, begin late or are overtaken at bad moments, thread pools
 * of the program, and which threads call allocators. This program starts threads itself: its covey__thread_start
 * replaces that of the library. */
#include "schedule/threads.h"
#include "scheduled.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { ENTITIES = 300, PIECES = (ENTITIES + 63) / 64 };

/* ---- Starting -----------------------------------------------------------------------------------------------------*/

static uint32_t can_start = UINT32_MAX; /* threads */
static bool late;

static void *begin(void *started) {
    covey__thread *thread = started;
    if (late) nap_for(500);
    thread->run(thread->context);
    return NULL;
}

#if defined(_WIN32)
static DWORD WINAPI begin_here(void *started) {
    begin(started);
    return 0;
}

static bool start(covey__thread *thread) {
    return (thread->handle = CreateThread(NULL, 0, begin_here, thread, 0, NULL)) != NULL;
}
#else
static bool start(covey__thread *thread) { return pthread_create(&thread->handle, NULL, begin, thread) == 0; }
#endif

bool covey__thread_start(covey__thread *thread) {
    if (can_start == 0) return false;
    can_start--;
    return start(thread);
}

/* ---- Work ---------------------------------------------------------------------------------------------------------*/

/* Numbers that grow by one in each run, in three systems that wait for each other, and their sum. */
typedef struct work {
    uint64_t total, main_total;
    atomic_uint faults;
    atomic_bool busy[COVEY_THREADS]; /* by the number of a thread */
    uint32_t threads;
    covey_entity all[ENTITIES];
} work;
static work shared;
static _Thread_local bool is_main; /* whether this thread runs schedules */

/* A thread does one thing at a time. */
static void enter(const covey_job *job) {
    if (job->thread >= shared.threads || atomic_exchange(&shared.busy[job->thread], true))
        atomic_fetch_add(&shared.faults, 1);
    if (job->run % 16 == 1) nap_for(50);
}

static void leave(const covey_job *job) { atomic_store(&shared.busy[job->thread], false); }

static void count_up(covey_job *job, void *context) {
    (void)context;
    enter(job);
    while (covey_next(&job->it)) {
        Value *values = covey_field(&job->it, 0, Packed);
        for (uint32_t i = 0; i < job->it.count; i++) values[i] = value_of(values[i].number + 1);
    }
    leave(job);
}

static void copy_over(covey_job *job, void *context) {
    (void)context;
    enter(job);
    while (covey_next(&job->it)) {
        const Value *from = covey_field_const(&job->it, 0, Packed);
        Value *to = covey_field(&job->it, 1, Blocked);
        for (uint32_t i = 0; i < job->it.count; i++) to[i] = from[i];
    }
    leave(job);
}

static void sum_up(covey_job *job, void *context) {
    uint64_t *sum = job->scratch;
    (void)context;
    enter(job);
    while (covey_next(&job->it)) {
        const Value *values = covey_field_const(&job->it, 0, Blocked);
        for (uint32_t i = 0; i < job->it.count; i++) *sum += values[i].number;
    }
    leave(job);
}

/* What all of them read at once, on the thread that runs the schedule. */
static void sum_on_main(covey_job *job, void *context) {
    uint64_t sum = 0;
    (void)context;
    if (!is_main || job->pieces != 1) atomic_fetch_add(&shared.faults, 1);
    enter(job);
    while (covey_next(&job->it)) {
        const Value *values = covey_field_const(&job->it, 0, Packed);
        for (uint32_t i = 0; i < job->it.count; i++) sum += values[i].number;
    }
    shared.main_total = sum;
    leave(job);
}

/* Waits for all: the two sums must be there, and equal. */
static void compare_on_main(covey_job *job, void *context) {
    (void)context;
    enter(job);
    if (!is_main || shared.main_total != shared.total) atomic_fetch_add(&shared.faults, 1);
    leave(job);
}

static void add_sums(void *total, const void *scratch, void *context) {
    (void)context;
    *(uint64_t *)total += *(const uint64_t *)scratch;
}

static covey_schedule *make_work(const covey_schedule_desc *desc) {
    memset(&shared, 0, sizeof shared);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        shared.all[i] = create_with(covey_id(Packed), 0);
        assert_non_null(add_value(shared.all[i], covey_id(Blocked), 0));
    }
    covey_schedule *schedule = covey_schedule_create(world, desc);
    assert_non_null(schedule);
    shared.threads = covey_schedule_threads(schedule);
    add_system(schedule,
               (covey_system){
                   .name = "count", .run = count_up, .split = true, .piece = 64, .view.with = { covey_id(Packed) } });
    add_system(schedule, (covey_system){ .name = "copy",
                                         .run = copy_over,
                                         .split = true,
                                         .piece = 64,
                                         .view = { .with = { covey_id(Packed), covey_id(Blocked) },
                                                   .read = { covey_id(Packed) } } });
    add_system(schedule, (covey_system){ .name = "sum",
                                         .run = sum_up,
                                         .split = true,
                                         .piece = 64,
                                         .scratch = sizeof(uint64_t),
                                         .merge = add_sums,
                                         .total = &shared.total,
                                         .view = { .with = { covey_id(Blocked) }, .read = { covey_id(Blocked) } } });
    add_system(schedule, (covey_system){ .name = "main sum",
                                         .run = sum_on_main,
                                         .main_thread = true,
                                         .view = { .with = { covey_id(Packed) }, .read = { covey_id(Packed) } } });
    add_system(schedule,
               (covey_system){
                   .name = "compare", .run = compare_on_main, .main_thread = true, .after = { "sum", "main sum" } });
    return schedule;
}

/* In a world of its own. */
static void do_work(const covey_schedule_desc *desc, uint64_t runs) {
    assert_int_equal(world_setup(NULL), 0);
    covey_schedule *schedule = make_work(desc);
    for (uint64_t run = 1; run <= runs; run++) {
        run_well(schedule);
        assert_int_equal(shared.total, run * ENTITIES);
    }
    for (uint32_t i = 0; i < ENTITIES; i++) assert_value(shared.all[i], covey_id(Blocked), (uint32_t)runs);
    assert_int_equal(atomic_load(&shared.faults), 0);
    covey_schedule_destroy(schedule);
    world_teardown(NULL);
}

/* ---- Tests --------------------------------------------------------------------------------------------------------*/

static void it_goes_on_with_the_threads_that_there_are(void **state) {
    (void)state;
    static const char *const says[] = { "only 1 of 4 threads could be started: the schedule continues with these",
                                        "only 2 of 4 threads could be started: the schedule continues with these",
                                        "only 3 of 4 threads could be started: the schedule continues with these" };
    for (uint32_t started = 0; started <= 3; started++) {
        covey_schedule_desc desc = { .threads = 4 };
        can_start = started;
        assert_int_equal(world_setup(NULL), 0);
        covey_schedule *schedule = covey_schedule_create(world, &desc);
        assert_non_null(schedule);
        assert_int_equal(covey_schedule_threads(schedule), started + 1);
        assert_int_equal(heard.times, started < 3);
        if (started < 3) assert_string_equal(heard.text, says[started]);
        covey_schedule_destroy(schedule);
        world_teardown(NULL);
        can_start = started;
        do_work(&desc, 5);
    }
    can_start = UINT32_MAX;
}

static void threads_that_begin_late_are_not_waited_for(void **state) {
    (void)state;
    late = true;
    for (uint32_t i = 0; i < 20; i++) {
        covey_schedule_desc desc = { .threads = 2 + i % 3 };
        do_work(&desc, i % 3);
    }
    late = false;
}

/* Few runs are on several threads unless they take some time: the profiler's naps see to it. */
static void runs_are_right_with_threads_that_are_overtaken(void **state) {
    (void)state;
    for (uint32_t threads = 2; threads <= 4; threads++) {
        covey_schedule_desc desc = { .threads = threads, .profiler = sleepy_profiler() };
        do_work(&desc, test_scaled(10000) / 3 + 1);
    }
}

static void runs_are_right_on_pools_of_the_program(void **state) {
    (void)state;
    covey_schedule_desc reverse = { .jobs = pool_in_reverse(), .profiler = sleepy_profiler() };
    do_work(&reverse, test_scaled(1000));
    for (uint32_t seed = 0; seed < 4; seed++) {
        covey_schedule_desc each = { .jobs = pool_of_threads(seed), .profiler = sleepy_profiler() };
        do_work(&each, test_scaled(500));
    }
}

/* ---- The main thread ----------------------------------------------------------------------------------------------*/

/* Two that wait until both have begun, which only two threads can do; and one that conflicts with the first. */
static struct { atomic_bool main_began, other_began, main_ended, clashed, timed_out; } meeting;

static void wait_until(atomic_bool *flag) {
    for (uint32_t i = 0; !atomic_load(flag) && i < 100000; i++) nap_for(100);
    if (!atomic_load(flag)) atomic_store(&meeting.timed_out, true);
}

static void meet_on_main(covey_job *job, void *context) {
    (void)context;
    if (!is_main || job->thread != 0) atomic_fetch_add(&shared.faults, 1);
    atomic_store(&meeting.main_began, true);
    wait_until(&meeting.other_began);
    nap_for(1000);
    atomic_store(&meeting.main_ended, true);
}

static void meet_elsewhere(covey_job *job, void *context) {
    (void)job, (void)context;
    if (is_main) atomic_fetch_add(&shared.faults, 1);
    atomic_store(&meeting.other_began, true);
    wait_until(&meeting.main_began);
}

static void come_afterwards(covey_job *job, void *context) {
    (void)job, (void)context;
    if (!atomic_load(&meeting.main_ended)) atomic_store(&meeting.clashed, true);
}

static void do_nothing(covey_job *job, void *context) { (void)job, (void)context; }

static void others_run_beside_a_system_of_the_main_thread(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 40; i++) {
        late = i % 2 != 0;
        covey_schedule *schedule = covey_schedule_create(world, &(covey_schedule_desc){ .threads = 2 + i % 3 });
        covey_system other = { .name = "beside", .run = meet_elsewhere, .writes = { covey_id(Blocked) } };
        memset(&shared, 0, sizeof shared);
        memset(&meeting, 0, sizeof meeting);
        if (i % 4 >= 2) add_system(schedule, other); /* the main thread leaves it to others */
        add_system(
            schedule,
            (covey_system){ .name = "main", .run = meet_on_main, .main_thread = true, .reads = { covey_id(Packed) } });
        add_system(schedule, (covey_system){ .name = "clash", .run = come_afterwards, .writes = { covey_id(Packed) } });
        if (i % 4 < 2) add_system(schedule, other);
        run_well(schedule);
        assert_false(atomic_load(&meeting.timed_out));
        assert_false(atomic_load(&meeting.clashed));
        assert_int_equal(atomic_load(&shared.faults), 0);
        covey_schedule_destroy(schedule);
    }
    late = false;
}

/* One that is not due is finished by any thread. */
static void a_system_of_the_main_thread_that_is_off_is_waited_for_by_nobody(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        covey_schedule_desc desc = { .threads = 2 };
        if (i != 0) desc = (covey_schedule_desc){ .jobs = i == 1 ? pool_in_reverse() : pool_of_threads(i) };
        covey_schedule *schedule = covey_schedule_create(world, &desc);
        memset(&meeting, 0, sizeof meeting);
        atomic_store(&meeting.main_ended, true);
        add_system(schedule, (covey_system){ .name = "one", .run = do_nothing });
        add_system(schedule, (covey_system){ .name = "off",
                                             .run = meet_on_main,
                                             .main_thread = true,
                                             .disabled = true,
                                             .writes = { covey_id(Packed) } });
        add_system(schedule, (covey_system){ .name = "then", .run = come_afterwards, .reads = { covey_id(Packed) } });
        run_well(schedule);
        assert_false(atomic_load(&meeting.main_began));
        covey_schedule_destroy(schedule);
    }
}

/* ---- Ticks --------------------------------------------------------------------------------------------------------*/

typedef Value Noted;
COVEY_COMPONENT_DEFINE(Noted, .ticks = true);

static bool is_due(uint32_t number, uint64_t run) { return (number + run) % 3 == 0; }

static void note_some(covey_job *job, void *context) {
    (void)context;
    for (covey_row row = { 0 }; covey_next_row(&job->it, &row);) {
        covey_entity e = covey_row_entity(&job->it, row);
        uint32_t number = covey_row_field_const(&job->it, row, 0, Packed)->number;
        if (is_due(number, job->run)) covey_patch(job->world, e, Noted, NULL, NULL);
        if (number % 64 == 0) nap(job->piece);
    }
}

/* The pieces are those of an array in no order, so that each has ids of every block. */
static void no_change_is_lost_where_threads_meet(void **state) {
    (void)state;
    covey_entity all[ENTITIES];
    assert_true(covey_create_many(world, all, ENTITIES));
    for (uint32_t i = 0; i < ENTITIES; i++) {
        uint32_t number = i * 7 % ENTITIES;
        covey_add(world, all[number], Packed, { number, ~number });
        covey_add(world, all[i], Noted, { i, ~i });
    }
    covey_schedule *schedule =
        covey_schedule_create(world, &(covey_schedule_desc){ .threads = 4, .profiler = sleepy_profiler() });
    add_system(schedule, (covey_system){ .name = "note",
                                         .run = note_some,
                                         .split = true,
                                         .piece = 64,
                                         .writes = { covey_id(Noted) },
                                         .view = { .with = { covey_id(Packed) }, .read = { covey_id(Packed) } } });
    covey_view view = covey_view_make(
        world,
        &(covey_view_desc){ .with = { covey_id(Noted) }, .read = { covey_id(Noted) }, .changed = { covey_id(Noted) } });
    for (uint64_t run = 1; run <= test_scaled(300); run++) {
        uint64_t before = covey_tick_advance(world);
        uint32_t found = 0;
        run_well(schedule);
        for (covey_iter it = covey_view_iter_since(&view, before); covey_next(&it);) found += it.count;
        assert_int_equal(found, ENTITIES / 3);
    }
    assert_true(covey_world_validate(world, NULL));
    covey_schedule_destroy(schedule);
}

/* ---- Allocators ---------------------------------------------------------------------------------------------------*/

/* An allocator that notes when two threads are in it. */
typedef struct narrow {
    atomic_bool busy;
    atomic_uint faults, calls;
} narrow;

static void *allocate_alone(void *context, void *ptr, size_t old_size, size_t new_size, size_t align) {
    narrow *n = context;
    if (atomic_exchange(&n->busy, true)) atomic_fetch_add(&n->faults, 1);
    unsigned calls = atomic_fetch_add(&n->calls, 1);
    nap(calls);
    covey_allocator allocator = test_allocator(&heap);
    void *found = allocator.fn(allocator.context, ptr, old_size, new_size, align);
    atomic_store(&n->busy, false);
    return found;
}

static void record_many(covey_job *job, void *context) {
    (void)context;
    for (covey_row row = { 0 }; covey_next_row(&job->it, &row);)
        for (uint32_t i = 0; i < 20; i++) {
            covey_record_set(job->commands, covey_row_entity(&job->it, row), Blocked, { i, ~i });
            if (i == 10) nap(job->piece);
        }
}

static covey_schedule *make_recording(const covey_schedule_desc *desc) {
    covey_schedule *schedule = covey_schedule_create(world, desc);
    assert_non_null(schedule);
    add_system(schedule, (covey_system){ .name = "record",
                                         .run = record_many,
                                         .split = true,
                                         .piece = 64,
                                         .view = { .with = { covey_id(Packed) }, .read = { covey_id(Packed) } } });
    return schedule;
}

/* The C library, which any thread may call. */
static void a_world_without_an_allocator_needs_none(void **state) {
    (void)state;
    world = covey_world_create(NULL);
    for (uint32_t i = 0; i < ENTITIES; i++) create_with(covey_id(Packed), i);
    covey_schedule *schedule = make_recording(&(covey_schedule_desc){ .threads = 3, .profiler = sleepy_profiler() });
    for (uint32_t run = 0; run < 5; run++) run_well(schedule);
    covey_schedule_destroy(schedule);
    covey_world_destroy(world);
}

static void one_thread_at_a_time_calls_the_allocator(void **state) {
    (void)state;
    narrow n = { 0 };
    for (uint32_t i = 0; i < ENTITIES; i++) create_with(covey_id(Packed), i);
    covey_schedule_desc desc = { .threads = 4, .allocator = { allocate_alone, &n }, .profiler = sleepy_profiler() };
    covey_schedule *schedule = make_recording(&desc);
    for (uint32_t run = 0; run < 5; run++) run_well(schedule);
    assert_true(atomic_load(&n.calls) > 2 * PIECES);
    assert_int_equal(atomic_load(&n.faults), 0);
    covey_schedule_destroy(schedule);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_goes_on_with_the_threads_that_there_are),
        cmocka_unit_test(threads_that_begin_late_are_not_waited_for),
        cmocka_unit_test(runs_are_right_with_threads_that_are_overtaken),
        cmocka_unit_test(runs_are_right_on_pools_of_the_program),
        cmocka_unit_test(a_world_without_an_allocator_needs_none),
        WORLD_TEST(others_run_beside_a_system_of_the_main_thread),
        WORLD_TEST(a_system_of_the_main_thread_that_is_off_is_waited_for_by_nobody),
        WORLD_TEST(no_change_is_lost_where_threads_meet),
        WORLD_TEST(one_thread_at_a_time_calls_the_allocator),
    };
    is_main = true;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
