/* What the tests of schedules share: pools of threads as a program may bring them, pauses at bad moments, and text. */
#ifndef COVEY_TEST_SCHEDULED_H
#define COVEY_TEST_SCHEDULED_H

#include "fixture.h"

#include <covey/schedule.h>

/* A schedule of the fixture's world, on so many threads. The test destroys it. */
covey_schedule *schedule_on(uint32_t threads);
/* These succeed, or the test fails with the sentence of the schedule. */
void add_system(covey_schedule *schedule, covey_system system);
void run_well(covey_schedule *schedule);
/* The schedule says why, in these words. */
void assert_says(const covey_schedule *schedule, const char *words);

/* Entities with a Packed, whose number is that of their place here. */
enum { CROWD = 300, CROWD_PIECES = (CROWD + 63) / 64 };
extern covey_entity crowd[CROWD];
void make_crowd(void);
/* A system that reads them, in CROWD_PIECES pieces. */
covey_system over_crowd(const char *name, covey_system_fn *run, void *context);

/* Adds a system "record", and 200 entities for it: it has four pieces, and its second one records commands. */
void add_recorder(covey_schedule *schedule);

/* Gives way to other threads, for a moment that depends on a number: not at all, as a yield, or asleep. */
void nap(uint32_t number);
void nap_for(uint32_t microseconds);

/* Pools of the program. */
covey_jobs pool_in_reverse(void);          /* all calls on the calling thread, the last number first */
covey_jobs pool_of_threads(uint32_t seed); /* a new thread for each call, which begins late */

/* A profiler that naps where pieces begin and end, so that threads are overtaken there. */
covey_profiler sleepy_profiler(void);

/* What was written, as one text. */
typedef struct page {
    char text[16384];
    size_t length;
} page;
void write_page(const char *text, void *page);

#endif
