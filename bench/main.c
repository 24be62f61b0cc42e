/* The benchmark program: command line, and the run through the scenarios. */
#include "contenders.h"

#include <limits.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

const char bench_program[] = "covey-bench";

static const char help[] =
    "usage: covey-bench [options]\n"
    "\n"
    "Measures Covey against plain containers in the same process. Times are nanoseconds for each operation.\n"
    "\n"
    "  --quick        only scenarios that have a bar, at the sizes where they have it; three times\n"
    "  --strict       exit with 1 when a bar is missed\n"
    "  --filter TEXT  only scenarios whose names contain the text\n"
    "  --size N       only at this number of entities\n"
    "  --csv FILE     write the rows to this file, too\n"
    "  --list         print the scenarios and end\n"
    "  --check        run all once at their smallest size, without taking times: do they agree?\n"
    "  --contender F  load a shared object, whose contenders are measured in versus_* (bench/contender.h)\n"
    "  --help         print this and end\n";

typedef struct options {
    bool quick, strict, list, check, help;
    const char *filter, *csv;
    uint32_t size; /* 0: all */
} options;

/* ---- The command line ---------------------------------------------------------------------------------------------*/

static uint32_t number_of(const char *text) {
    char *end = NULL;
    unsigned long number = strtoul(text, &end, 10);
    if (end == text || *end || number == 0 || number > UINT32_MAX) bench_fail("%s is no number of entities", text);
    return (uint32_t)number;
}

static options parse(char **arguments) {
    options o = { .filter = "" };
    for (int i = 1; arguments[i]; i++) {
        const char *argument = arguments[i];
        if (bench_is(argument, "--quick")) o.quick = true;
        else if (bench_is(argument, "--strict")) o.strict = true;
        else if (bench_is(argument, "--list")) o.list = true;
        else if (bench_is(argument, "--check")) o.check = true;
        else if (bench_is(argument, "--contender")) bench_contenders_load(bench_value_of(arguments, &i));
        else if (bench_is(argument, "--help")) o.help = true;
        else if (bench_is(argument, "--filter")) o.filter = bench_value_of(arguments, &i);
        else if (bench_is(argument, "--size")) o.size = number_of(bench_value_of(arguments, &i));
        else if (bench_is(argument, "--csv")) o.csv = bench_value_of(arguments, &i);
        else bench_fail("unknown option %s; --help shows the options", argument);
    }
    return o;
}

/* ---- The run ------------------------------------------------------------------------------------------------------*/

static bool has_bar(const bench_scenario *scenario, uint32_t n) {
    for (size_t i = 1; i < bench_contestant_count(scenario); i++)
        if (bench_bar_of(scenario, n, scenario->contestants[i].name)) return true;
    return false;
}

static bool wants(const options *o, const bench_scenario *scenario, uint32_t n) {
    if (!strstr(scenario->name, o->filter) || (o->size && o->size != n)) return false;
    return !o->quick || has_bar(scenario, n);
}

static void list_scenario(const bench_scenario *scenario, uint32_t n) {
    printf("%-27s %-7s %8u ", scenario->name, scenario->storage, n);
    for (size_t i = 1; i < bench_contestant_count(scenario); i++) {
        const char *baseline = scenario->contestants[i].name;
        const bench_bar *bar = bench_bar_of(scenario, n, baseline);
        printf(" %s", baseline);
        if (bar) printf(bar->ns > 0 ? " (at most %.2f, and %.0f ns)" : " (at most %.2f)", bar->limit, bar->ns);
    }
    printf("\n");
}

/* A shared machine is slow for seconds at a time, and a fixture may be unlucky with its place in memory. So the short
 * run goes through all scenarios several times, and each contestant keeps the best of its minima. */
enum { QUICK_PASSES = 3 };

/* How long a scenario is measured in a pass: as a whole, longer than most disturbances last. */
#define SCENARIO_NS 6e8
#define QUICK_SCENARIO_NS 3e8

static struct {
    bench_time (*times)[BENCH_MAX_CONTESTANTS]; /* of each scenario and size, in the order of the run */
    uint32_t pass, passes, next;
    double scenario_ns;
} progress;

static bench_time better(bench_time known, bench_time now) { return known.min < now.min ? known : now; }

static void run_scenario(const bench_scenario *scenario, uint32_t n) {
    bench_time now[BENCH_MAX_CONTESTANTS], *times = progress.times[progress.next++];
    bench_progress("pass %u of %u: %s, n = %u", progress.pass, progress.passes, scenario->name, n);
    bench_measure(scenario, n, scenario->short_time ? 0 : progress.scenario_ns, now);
    for (size_t i = 0; i < bench_contestant_count(scenario); i++)
        times[i] = progress.pass == 1 ? now[i] : better(times[i], now[i]);
    if (progress.pass == progress.passes) bench_report_add(scenario, n, times);
}

typedef void visit_fn(const bench_scenario *scenario, uint32_t n);

/* Calls a function for every scenario and size that the options select; returns how many these were. */
static uint32_t each_of(const bench_suite *suite, const options *o, visit_fn *visit) {
    uint32_t count = 0;
    for (size_t i = 0; i < suite->count; i++) {
        const bench_scenario *scenario = &suite->scenarios[i];
        for (const uint32_t *n = scenario->sizes; *n; n++) {
            if (!wants(o, scenario, *n)) continue;
            visit(scenario, *n);
            count++;
            if (o->check) break;
        }
    }
    return count;
}

static uint32_t each(const options *o, visit_fn *visit) {
    uint32_t count = 0;
    for (const bench_suite *const *suite = bench_suites; *suite; suite++) count += each_of(*suite, o, visit);
    bench_suite contenders = bench_contenders_suite(), many = bench_many_suite();
    count += each_of(&contenders, o, visit);
    return count + each_of(&many, o, visit);
}

static void ignore_scenario(const bench_scenario *scenario, uint32_t n) { (void)scenario, (void)n; }

/* Returns whether all bars were met. */
static bool run(const options *o) {
    uint32_t count = each(o, ignore_scenario);
    if (count == 0) bench_fail("no scenario fits; --list shows them");
    bench_print_machine();
    bench_report_open(o->csv);
    progress.times = bench_alloc(count, sizeof *progress.times);
    progress.passes = o->quick ? QUICK_PASSES : 1;
    progress.scenario_ns = o->quick ? QUICK_SCENARIO_NS : SCENARIO_NS;
    for (progress.pass = 1; progress.pass <= progress.passes; progress.pass++) {
        progress.next = 0;
        each(o, run_scenario);
    }
    free(progress.times);
    return bench_report_close();
}

/* Memory that was freed stays with the program, so that runs after the first find it mapped: page faults would be
 * measured with whatever allocates, and are the system's. The same for all contestants. */
static void keep_memory(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
}

int main(int argc, char **argv) {
    (void)argc;
    options o = parse(argv);
    keep_memory();
    if (o.help) fputs(help, stdout);
    else if (o.list) each(&o, list_scenario);
    else if (o.check) printf("%u scenarios, all contestants agree\n", each(&o, bench_check));
    else if (!run(&o) && o.strict) return 1;
    return 0;
}
