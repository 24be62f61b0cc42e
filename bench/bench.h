/* What a scenario is, what the harness makes of it, and the small things that scenarios share. */
#ifndef BENCH_H
#define BENCH_H

#include <covey/covey.h>

#include <stdio.h>

/* A function whose time is taken: on its own, so that the compiler treats all contestants alike, and at the start of a
 * cache line, so that none is lucky with its place. */
#define BENCH_TIMED __attribute__((noinline, aligned(64)))

/* One way to do what the scenario is about. All contestants of a scenario return the same number from `run`, such as a
 * sum or the elements left, which shows that they did the same work. */
typedef struct bench_contestant {
    const char *name;
    void (*prepare)(void *fixture);   /* before each run, not timed; optional */
    uint64_t (*run)(void *fixture);   /* timed */
    double (*measure)(void *fixture); /* instead of both: takes the time itself, returns nanoseconds */
} bench_contestant;

/* A limit for the time, at one size: a multiple of the baseline's, nanoseconds, or the sum of both. */
typedef struct bench_bar {
    const char *baseline;
    uint32_t n;
    double limit; /* times the baseline */
    double ns;    /* and so many nanoseconds for each operation; both 0: no bar */
} bench_bar;

/* A bar at 100,000; at 100,000 and at 1,000,000; none. */
#define BENCH_BAR(against, most) \
    { .baseline = against, .n = 100000, .limit = most }
#define BENCH_BARS(against, most) \
    BENCH_BAR(against, most), { .baseline = against, .n = 1000000, .limit = most }
#define BENCH_NO_BAR BENCH_BAR(NULL, 0)
/* Bars in nanoseconds at 100,000 and at 1,000,000; 0: none there. */
#define BENCH_NS(beside, small, large) \
    { .baseline = beside, .n = 100000, .ns = small }, { .baseline = beside, .n = 1000000, .ns = large }
/* Bars that a macro takes as one argument, in parentheses. */
#define BENCH_UNPACK(...) __VA_ARGS__

typedef enum bench_order { BENCH_ORDERED, BENCH_REVERSED, BENCH_SHUFFLED } bench_order;

#define BENCH_MAX_SIZES 5
#define BENCH_MAX_BARS 4
#define BENCH_MAX_CONTESTANTS 12

typedef struct bench_scenario bench_scenario;
struct bench_scenario {
    const char *name, *storage;
    uint32_t sizes[BENCH_MAX_SIZES];     /* up to the first 0 */
    const bench_contestant *contestants; /* the product first, then its baselines, up to one without a name */
    void *(*open)(const bench_scenario *scenario, uint32_t n);
    void (*close)(void *fixture);
    void *(*part)(void *fixture, size_t contestant); /* optional: what a contestant gets instead of the fixture */
    bench_bar bars[BENCH_MAX_BARS];
    bench_order order;  /* for `open`: of the handles that all contestants walk over */
    uint32_t percent;   /* for `open`: of the entities that take part; 0 means all */
    uint32_t once_from; /* from this size on one repetition is enough; 0 means never */
    bool whole;         /* times are of a whole run, not of one operation */
    bool short_time;    /* one of many alike: few repetitions are enough */
    bool in_table;      /* the report ends with the worst ratio of these */
    bool per_result;    /* times are for each of what `run` counts, and returns */
};

typedef struct bench_suite {
    const bench_scenario *scenarios;
    size_t count;
} bench_suite;

/* All suites of the program, up to a NULL. */
extern const bench_suite *const bench_suites[];

/* Scenarios that a table describes: the first call fills them in. They come last. */
bench_suite bench_many_suite(void);

/* Some are there for both storages, and for several sizes of components: see components.h. */
extern const bench_suite bench_holes, bench_latency, bench_matrix, bench_sort, bench_ordered, bench_reactive,
    bench_ticks, bench_lookup, bench_commands, bench_events, bench_image, bench_history, bench_split, bench_hostile,
    bench_kinds, bench_loops, bench_games, bench_cpp;
extern const bench_suite bench_add_remove_sparse_8, bench_add_remove_sparse_16, bench_add_remove_sparse_64,
    bench_add_remove_sparse_128, bench_add_remove_block_8, bench_add_remove_block_16, bench_add_remove_block_64,
    bench_add_remove_block_128;
extern const bench_suite bench_iterate_sparse_8, bench_iterate_sparse_16, bench_iterate_sparse_64,
    bench_iterate_sparse_128, bench_iterate_block_8, bench_iterate_block_16, bench_iterate_block_64,
    bench_iterate_block_128;
extern const bench_suite bench_matches_sparse_8, bench_matches_block_8, bench_group_sparse_8, bench_group_block_8;
extern const bench_suite bench_read_sparse_8, bench_read_block_8, bench_churn_sparse_8, bench_churn_block_8;
extern const bench_suite bench_create_destroy_sparse_8, bench_create_destroy_block_8;
extern const bench_suite bench_bulk_sparse_8, bench_bulk_block_8;
extern const bench_suite bench_schedule_sparse_8, bench_schedule_block_8;
extern const bench_suite bench_destroy_pools_sparse_8, bench_destroy_pools_block_8;
extern const bench_suite bench_group_end_sparse_8, bench_group_end_block_8;

/* ---- Measuring ----------------------------------------------------------------------------------------------------*/

typedef struct bench_time {
    double min, median; /* nanoseconds for each operation */
} bench_time;

/* Measures all contestants of a scenario, interleaved, for at least so long. Ends the program when they disagree about
 * the result. */
void bench_measure(const bench_scenario *scenario, uint32_t n, double least_ns, bench_time *times);

/* Runs every contestant once. Ends the program when they disagree about the result. */
void bench_check(const bench_scenario *scenario, uint32_t n);

/* The bar for a baseline at this size, or NULL. */
const bench_bar *bench_bar_of(const bench_scenario *scenario, uint32_t n, const char *baseline);

uint64_t bench_now(void); /* nanoseconds */
size_t bench_contestant_count(const bench_scenario *scenario);

/* Between the two, the program may use all cores, whatever it is pinned to. Of scenarios, by turns. */
void bench_use_all_cores(void);
void bench_use_one_core(void);

/* Runs every contestant once, so that `open` can compare what they have done. */
void bench_run_each(const bench_scenario *scenario, void *fixture);

/* ---- Fixtures -----------------------------------------------------------------------------------------------------*/

/* A world with entities 0 to n - 1, and the handles of the entities that take part, in the order of the scenario. */
typedef struct bench_entities {
    covey_world *world;
    covey_entity *all, *order;
    uint32_t n, order_count;
} bench_entities;

void bench_entities_open(bench_entities *entities, const bench_scenario *scenario, uint32_t n);
void bench_entities_close(bench_entities *entities);

/* Zeroed memory whose pages are there; ends the program when there is none. */
void *bench_alloc(size_t count, size_t size);
/* A random number below the limit: the same numbers in every run that starts with the same state. */
uint32_t bench_random(uint64_t *state, uint32_t limit);
void bench_shuffle(covey_entity *entities, uint32_t count);
/* The numbers from 0 on, in this order: as they are, or shuffled. */
void bench_positions(uint32_t *positions, uint32_t n, bench_order order);

/* ---- Reporting ----------------------------------------------------------------------------------------------------*/

void bench_print_machine(void);

/* Opens the CSV file (none for NULL) and prints the head of the table; adds a scenario's rows to both; ends both. */
void bench_report_open(const char *csv_path);
void bench_report_add(const bench_scenario *scenario, uint32_t n, const bench_time *times);
/* Returns whether every bar was met. */
bool bench_report_close(void);

/* ---- What programs share ------------------------------------------------------------------------------------------*/

extern const char bench_program[]; /* each program defines its own name */

/* Says what went wrong, as printf does, and ends the program with 2. */
_Noreturn void bench_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

bool bench_is(const char *argument, const char *name);
/* The argument behind an option; ends the program when there is none. */
const char *bench_value_of(char **arguments, int *at);

/* A file to write, none for NULL. Both end the program when they fail; closing also when a write before has failed. */
FILE *bench_file_open(const char *path);
void bench_file_close(FILE *file, const char *path);

#define BENCH_PLAIN "\033[0m"
#define BENCH_GREEN "\033[32m"
#define BENCH_YELLOW "\033[33m"
#define BENCH_RED "\033[1;31m"

/* The code for a terminal that wants colours; nothing for a file, or where NO_COLOR is set. */
const char *bench_color(const char *code);
void bench_print_met(bool met);

/* Says on a terminal what goes on, in a line that what comes next overwrites; empties that line. */
void bench_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
void bench_progress_end(void);

#define BENCH_CHART_WIDTH 32
#define BENCH_CHART_PER_TIME 8 /* columns for a ratio of 1 */

/* The ratio as a line of marks: 8 for 1.0; a plus where it goes on; a bar across where the limit is. */
void bench_draw_chart(char chart[BENCH_CHART_WIDTH + 1], double ratio, double limit);

#endif
