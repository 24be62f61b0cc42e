/* Measuring: every repetition runs all contestants of a scenario one after another, so that they share the noise of the
 * machine, and each keeps its minimum and median. */
#include "bench.h"

#include <stdlib.h>
#include <time.h>

#define SAMPLE_NS 5e4 /* a sample repeats a run until it takes at least so long: shorter than most disturbances */
#define MAX_ROUNDS 100000
#define MANY_REPETITIONS 25 /* at least, up to MANY_UP_TO elements */
#define FEW_REPETITIONS 11  /* at least, beyond */
#define MANY_UP_TO 100000
#define MAX_REPETITIONS 2000
#define SCENARIO_MOST_NS 15e9 /* repetitions end when a scenario took so long, however few they are */

uint64_t bench_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

size_t bench_contestant_count(const bench_scenario *scenario) {
    size_t count = 0;
    while (scenario->contestants[count].name) count++;
    return count;
}

const bench_bar *bench_bar_of(const bench_scenario *scenario, uint32_t n, const char *baseline) {
    for (const bench_bar *bar = scenario->bars; bar < scenario->bars + BENCH_MAX_BARS; bar++)
        if (bar->n == n && bar->limit + bar->ns > 0 && strcmp(bar->baseline, baseline) == 0) return bar;
    return NULL;
}

static void *part_of(const bench_scenario *scenario, void *fixture, size_t contestant) {
    return scenario->part ? scenario->part(fixture, contestant) : fixture;
}

void bench_run_each(const bench_scenario *scenario, void *fixture) {
    for (size_t i = 0; i < bench_contestant_count(scenario); i++) {
        const bench_contestant *contestant = &scenario->contestants[i];
        void *part = part_of(scenario, fixture, i);
        if (contestant->prepare) contestant->prepare(part);
        contestant->run(part);
    }
}

static uint64_t operations(const bench_scenario *scenario, uint32_t n, uint64_t result) {
    if (scenario->whole) return 1;
    if (scenario->per_result) return result;
    return scenario->percent ? (uint64_t)n * scenario->percent / 100 : n;
}

static bool is_once(const bench_scenario *scenario, uint32_t n) {
    return scenario->once_from && n >= scenario->once_from;
}

/* ---- One contestant -----------------------------------------------------------------------------------------------*/

typedef struct runner {
    const bench_contestant *contestant;
    void *fixture;
    uint32_t rounds; /* runs in a sample */
    uint64_t result;
    double *samples; /* nanoseconds of a run */
} runner;

static uint64_t prepare(const runner *r) {
    if (r->contestant->prepare) r->contestant->prepare(r->fixture);
    return bench_now();
}

/* The nanoseconds of the runs of a sample. Runs that need no preparation are timed as one stretch. */
static double time_rounds(runner *r) {
    uint64_t start = prepare(r), total = 0;
    for (uint32_t i = 0; i < r->rounds; i++) {
        r->result = r->contestant->run(r->fixture);
        if (!r->contestant->prepare) continue;
        total += bench_now() - start;
        if (i + 1 < r->rounds) start = prepare(r);
    }
    return (double)(r->contestant->prepare ? total : bench_now() - start);
}

/* The nanoseconds of a run. */
static double take_sample(runner *r) {
    if (r->contestant->measure) return r->contestant->measure(r->fixture);
    return time_rounds(r) / r->rounds;
}

/* Runs a contestant for the first time, which brings its memory in, and finds how many runs make a sample. */
static uint32_t warm_up(runner *r) {
    while (take_sample(r) * r->rounds < SAMPLE_NS && r->rounds < MAX_ROUNDS && !r->contestant->measure) r->rounds *= 2;
    return r->rounds;
}

/* ---- All of them --------------------------------------------------------------------------------------------------*/

/* Returns how many samples each contestant has. */
static uint32_t take_samples(runner *runners, size_t count, uint32_t least, double least_ns) {
    /* All take as many runs as the fastest needs: each finds the caches as the others left them, equally often. */
    uint32_t rounds = 1;
    for (size_t i = 0; i < count; i++) {
        uint32_t wanted = warm_up(&runners[i]);
        if (wanted > rounds) rounds = wanted;
    }
    for (size_t i = 0; i < count; i++) runners[i].rounds = rounds;
    uint64_t start = bench_now();
    double elapsed = 0;
    uint32_t taken = 0;
    while (elapsed < SCENARIO_MOST_NS && (taken < least || (taken < MAX_REPETITIONS && elapsed < least_ns))) {
        for (size_t i = 0; i < count; i++) {
            runner *r = &runners[(i + taken) % count]; /* the order changes, so that none always follows the same one */
            r->samples[taken] = take_sample(r);
        }
        taken++;
        elapsed = (double)(bench_now() - start);
    }
    return taken;
}

static uint32_t take_one_sample(runner *runners, size_t count) {
    for (size_t i = 0; i < count; i++) runners[i].samples[0] = time_rounds(&runners[i]);
    return 1;
}

static void check_results(const bench_scenario *scenario, uint32_t n, const runner *runners, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (runners[i].result != runners[0].result)
            bench_fail("%s, n = %u: %s has the result %llu, but %s has %llu", scenario->name, n,
                       runners[i].contestant->name, (unsigned long long)runners[i].result, runners[0].contestant->name,
                       (unsigned long long)runners[0].result);
}

static int compare_doubles(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static bench_time summarize(double *samples, uint32_t count, uint64_t operations) {
    qsort(samples, count, sizeof *samples, compare_doubles);
    double median = (samples[(count - 1) / 2] + samples[count / 2]) / 2;
    return (bench_time){ samples[0] / (double)operations, median / (double)operations };
}

void bench_measure(const bench_scenario *scenario, uint32_t n, double least_ns, bench_time *times) {
    runner runners[BENCH_MAX_CONTESTANTS];
    size_t count = bench_contestant_count(scenario);
    void *fixture = scenario->open(scenario, n);
    for (size_t i = 0; i < count; i++)
        runners[i] = (runner){ &scenario->contestants[i], part_of(scenario, fixture, i), 1, 0,
                               bench_alloc(MAX_REPETITIONS, sizeof(double)) };
    uint32_t least = n <= MANY_UP_TO && !scenario->short_time ? MANY_REPETITIONS : FEW_REPETITIONS;
    uint32_t taken =
        is_once(scenario, n) ? take_one_sample(runners, count) : take_samples(runners, count, least, least_ns);
    check_results(scenario, n, runners, count);
    for (size_t i = 0; i < count; i++) {
        times[i] = summarize(runners[i].samples, taken, operations(scenario, n, runners[i].result));
        free(runners[i].samples);
    }
    scenario->close(fixture);
}

void bench_check(const bench_scenario *scenario, uint32_t n) {
    runner runners[BENCH_MAX_CONTESTANTS];
    size_t count = bench_contestant_count(scenario);
    void *fixture = scenario->open(scenario, n);
    for (size_t i = 0; i < count; i++) {
        runners[i] = (runner){ &scenario->contestants[i], part_of(scenario, fixture, i), 1, 0, NULL };
        take_sample(&runners[i]);
    }
    check_results(scenario, n, runners, count);
    scenario->close(fixture);
}
