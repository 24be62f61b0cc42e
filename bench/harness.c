/* Measuring: every repetition runs all contestants of a scenario one after another, so that they share the noise of the
 * machine, and each keeps its minimum and median. */
#include "bench.h"

#include <stdlib.h>
#include <time.h>

#define SAMPLE_NS 1e6 /* a sample repeats short runs until it takes about this long */
#define MAX_ROUNDS 100000
#define MANY_REPETITIONS 25
#define FEW_REPETITIONS 11
#define MANY_UP_TO 100000

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

uint32_t bench_operations(const bench_scenario *scenario, uint32_t n) {
    if (scenario->whole) return 1;
    return scenario->percent ? (uint32_t)((uint64_t)n * scenario->percent / 100) : n;
}

static uint32_t repetitions(const bench_scenario *scenario, uint32_t n) {
    if (scenario->once_from && n >= scenario->once_from) return 1;
    return n <= MANY_UP_TO ? MANY_REPETITIONS : FEW_REPETITIONS;
}

/* ---- One contestant ------------------------------------------------------------------------------------------------*/

/* The nanoseconds of so many runs. Runs that need no preparation are timed as one stretch. */
static double time_rounds(const bench_contestant *contestant, void *fixture, uint32_t rounds, uint64_t *result) {
    if (contestant->measure) return contestant->measure(fixture);
    uint64_t total = 0;
    if (!contestant->prepare) {
        uint64_t start = bench_now();
        for (uint32_t i = 0; i < rounds; i++) *result = contestant->run(fixture);
        return (double)(bench_now() - start);
    }
    for (uint32_t i = 0; i < rounds; i++) {
        contestant->prepare(fixture);
        uint64_t start = bench_now();
        *result = contestant->run(fixture);
        total += bench_now() - start;
    }
    return (double)total;
}

/* Runs a contestant for the first time, which brings its memory in, and finds how many rounds make a sample. */
static uint32_t warm_up(const bench_contestant *contestant, void *fixture, uint64_t *result) {
    time_rounds(contestant, fixture, 1, result);
    if (contestant->measure) return 1;
    uint32_t rounds = 1;
    while (rounds < MAX_ROUNDS && time_rounds(contestant, fixture, rounds, result) < SAMPLE_NS * 0.75) rounds *= 2;
    return rounds;
}

/* ---- All of them ---------------------------------------------------------------------------------------------------*/

static void check_results(const bench_scenario *scenario, uint32_t n, const uint64_t *results, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (results[i] != results[0])
            bench_fail("%s, n = %u: %s has the result %llu, but %s has %llu", scenario->name, n,
                       scenario->contestants[i].name, (unsigned long long)results[i], scenario->contestants[0].name,
                       (unsigned long long)results[0]);
}

static int compare_doubles(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static bench_time summarize(double *samples, uint32_t count) {
    qsort(samples, count, sizeof *samples, compare_doubles);
    double median = (samples[(count - 1) / 2] + samples[count / 2]) / 2;
    return (bench_time){ samples[0], median };
}

void bench_measure(const bench_scenario *scenario, uint32_t n, bench_time *times) {
    size_t count = bench_contestant_count(scenario);
    uint32_t repeat = repetitions(scenario, n), rounds[BENCH_MAX_CONTESTANTS];
    uint64_t results[BENCH_MAX_CONTESTANTS] = { 0 };
    double *samples[BENCH_MAX_CONTESTANTS];
    void *fixture = scenario->open(scenario, n);
    for (size_t i = 0; i < count; i++) {
        samples[i] = bench_alloc(repeat, sizeof **samples);
        rounds[i] = repeat == 1 ? 1 : warm_up(&scenario->contestants[i], fixture, &results[i]);
    }
    for (uint32_t r = 0; r < repeat; r++)
        for (size_t k = 0; k < count; k++) {
            size_t i = (k + r) % count; /* nobody always comes after the same one */
            double ns = time_rounds(&scenario->contestants[i], fixture, rounds[i], &results[i]);
            samples[i][r] = ns / rounds[i] / bench_operations(scenario, n);
        }
    check_results(scenario, n, results, count);
    for (size_t i = 0; i < count; i++) {
        times[i] = summarize(samples[i], repeat);
        free(samples[i]);
    }
    scenario->close(fixture);
}
