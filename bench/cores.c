/* Leaving the core that the program is pinned to, for scenarios with several threads. */
#define _GNU_SOURCE

#include "bench.h"

#if defined(__linux__)
#include <sched.h>

static cpu_set_t pinned;

void bench_use_all_cores(void) {
    cpu_set_t all;
    memset(&all, 0xff, sizeof all);
    if (sched_getaffinity(0, sizeof pinned, &pinned) == 0) sched_setaffinity(0, sizeof all, &all);
}

void bench_use_one_core(void) { sched_setaffinity(0, sizeof pinned, &pinned); }
#else
void bench_use_all_cores(void) {}
void bench_use_one_core(void) {}
#endif
