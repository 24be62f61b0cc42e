#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#endif

#include "scheduled.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

covey_schedule *schedule_on(uint32_t threads) {
    covey_schedule *schedule = covey_schedule_create(world, &(covey_schedule_desc){ .threads = threads });
    assert_non_null(schedule);
    assert_int_equal(covey_schedule_threads(schedule), threads);
    return schedule;
}

static void assert_well(const covey_schedule *schedule, covey_result result) {
    if (result != COVEY_OK) fail_msg("%s", covey_schedule_failure(schedule));
}

void add_system(covey_schedule *schedule, covey_system system) {
    assert_well(schedule, covey_system_add(schedule, &system));
}

void run_well(covey_schedule *schedule) {
    assert_well(schedule, covey_schedule_run(schedule));
    assert_string_equal(covey_schedule_failure(schedule), "");
}

void assert_says(const covey_schedule *schedule, const char *words) {
    if (!strstr(covey_schedule_failure(schedule), words))
        fail_msg("\"%s\" does not say \"%s\"", covey_schedule_failure(schedule), words);
}

/* ---- A crowd ------------------------------------------------------------------------------------------------------*/

covey_entity crowd[CROWD];

void make_crowd(void) {
    for (uint32_t i = 0; i < CROWD; i++) crowd[i] = create_with(covey_id(Packed), i);
}

covey_system over_crowd(const char *name, covey_system_fn *run, void *context) {
    return (covey_system){ .name = name,
                           .run = run,
                           .context = context,
                           .split = true,
                           .piece = 64,
                           .view = { .with = { covey_id(Packed) }, .read = { covey_id(Packed) } } };
}

static void record_in_second(covey_job *job, void *context) {
    (void)context;
    nap(job->piece);
    for (covey_row row = { 0 }; covey_next_row(&job->it, &row);)
        if (job->piece == 1) covey_record_set(job->commands, covey_row_entity(&job->it, row), Blocked, { 1, ~1u });
}

void add_recorder(covey_schedule *schedule) {
    covey_view_desc view = { .with = { covey_id(Packed) } };
    for (uint32_t i = 0; i < 200; i++) create_with(covey_id(Packed), i);
    add_system(schedule,
               (covey_system){ .name = "record", .run = record_in_second, .split = true, .piece = 64, .view = view });
}

/* ---- Pauses -------------------------------------------------------------------------------------------------------*/

/* Windows rounds down to milliseconds: no nap there is shorter. */
void nap_for(uint32_t microseconds) {
#if defined(_WIN32)
    if (microseconds < 1000) microseconds = 1000;
#endif
    struct timespec time = { .tv_sec = (time_t)(microseconds / 1000000),
                             .tv_nsec = (long)(microseconds % 1000000) * 1000 };
    nanosleep(&time, NULL);
}

void nap(uint32_t number) {
    number *= 2654435761u;
    switch (number >> 29) {
    case 0:
    case 1: break;
    case 2: nap_for(1 + (number >> 20) % 50); break;
    default: sched_yield();
    }
}

static void nap_at_piece(const char *system, uint32_t piece, void *context) {
    uint32_t number = piece * 31;
    (void)context;
    while (*system) number = number * 31 + (unsigned char)*system++;
    nap(number);
}

/* The first piece sleeps long enough that several threads are worth it the next time. */
static void begin_piece(const char *system, uint32_t piece, void *context) {
    if (piece == 0) nap_for(1);
    else nap_at_piece(system, piece, context);
}

covey_profiler sleepy_profiler(void) { return (covey_profiler){ .begin = begin_piece, .end = nap_at_piece }; }

/* ---- Pools --------------------------------------------------------------------------------------------------------*/

static void run_in_reverse(void *pool, uint32_t count, covey_task_fn *task, void *context) {
    (void)pool;
    while (count-- != 0) task(context, count);
}

covey_jobs pool_in_reverse(void) { return (covey_jobs){ .run = run_in_reverse, .threads = 3 }; }

typedef struct call {
    pthread_t thread;
    covey_task_fn *task;
    void *context;
    uint32_t number, nap;
} call;

static void *make_call(void *started) {
    const call *c = started;
    nap(c->nap);
    c->task(c->context, c->number);
    return NULL;
}

static void run_on_threads(void *pool, uint32_t count, covey_task_fn *task, void *context) {
    uint32_t seed = (uint32_t)(uintptr_t)pool;
    call *calls = calloc(count, sizeof *calls);
    if (!calls) abort();
    for (uint32_t i = 0; i < count; i++) {
        calls[i] = (call){ .task = task, .context = context, .number = i, .nap = seed * 7 + i };
        if (pthread_create(&calls[i].thread, NULL, make_call, &calls[i]) != 0) abort();
    }
    for (uint32_t i = 0; i < count; i++) pthread_join(calls[i].thread, NULL);
    free(calls);
}

covey_jobs pool_of_threads(uint32_t seed) {
    return (covey_jobs){ .run = run_on_threads, .pool = (void *)(uintptr_t)(seed + 1), .threads = 3 };
}

/* ---- Text ---------------------------------------------------------------------------------------------------------*/

void write_page(const char *text, void *context) {
    page *to = context;
    size_t length = strlen(text);
    assert_true(to->length + length < sizeof to->text);
    memcpy(to->text + to->length, text, length + 1);
    to->length += length;
}
