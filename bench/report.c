/* What the user sees: a table as it grows, and the same rows as CSV. */
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define CHART_WIDTH 32
#define CHART_PER_TIME 8 /* columns for a ratio of 1 */

static struct {
    FILE *csv;
    const char *csv_path;
    bool color, progress;
    uint32_t bars, met;
} report;

/* ---- The pieces of a row ------------------------------------------------------------------------------------------*/

/* The ratio as a line of marks: 8 for 1.0; a plus where it goes on; a bar across where the limit is. */
static void draw_chart(char chart[CHART_WIDTH + 1], double ratio, double limit) {
    memset(chart, ' ', CHART_WIDTH);
    chart[CHART_WIDTH] = '\0';
    for (int i = 0; i < CHART_WIDTH && i + 0.5 < ratio * CHART_PER_TIME; i++) chart[i] = '#';
    if (ratio * CHART_PER_TIME > CHART_WIDTH) chart[CHART_WIDTH - 1] = '+';
    int mark = (int)(limit * CHART_PER_TIME);
    if (limit > 0 && mark < CHART_WIDTH) chart[mark] = '|';
}

static void print_ns(double ns) {
    int decimals = ns < 100 ? 3 : 0;
    printf(" %11.*f", decimals, ns);
}

static void print_verdict(double ratio, double limit) {
    bool met = ratio <= limit;
    report.bars++;
    report.met += met;
    const char *color = !report.color ? "" : met ? "\033[32m" : "\033[1;31m";
    printf("  %.2f of at most %.2f: %s%s%s", ratio, limit, color, met ? "met" : "MISSED",
           report.color ? "\033[0m" : "");
}

static double limit_of(const bench_scenario *scenario, uint32_t n, const char *baseline) {
    bool applies = scenario->bar.n == n && scenario->bar.limit > 0 && !strcmp(scenario->bar.baseline, baseline);
    return applies ? scenario->bar.limit : 0;
}

static void print_row(const bench_scenario *scenario, uint32_t n, bench_time product, const char *baseline,
                      double baseline_min) {
    char chart[CHART_WIDTH + 1];
    double ratio = product.min / baseline_min, limit = limit_of(scenario, n, baseline);
    draw_chart(chart, ratio, limit);
    printf("%-25s %-7s %8u", scenario->name, scenario->storage, n);
    print_ns(product.min);
    print_ns(product.median);
    printf("  %-8s", baseline);
    print_ns(baseline_min);
    printf(" %10.2f  %s", ratio, chart);
    if (limit > 0) print_verdict(ratio, limit);
    putchar('\n');
    if (report.csv)
        fprintf(report.csv, "%s,%s,%u,%.4f,%.4f,%s,%.4f,%.4f\n", scenario->name, scenario->storage, n, product.min,
                product.median, baseline, baseline_min, ratio);
}

/* ---- The report ---------------------------------------------------------------------------------------------------*/

static void check_csv(bool fine) {
    if (!fine) bench_fail("cannot write %s: %s", report.csv_path, strerror(errno));
}

void bench_report_open(const char *csv_path) {
    report.color = isatty(STDOUT_FILENO) == 1;
    report.progress = isatty(STDERR_FILENO) == 1;
    report.csv_path = csv_path;
    if (csv_path) {
        report.csv = fopen(csv_path, "w");
        check_csv(report.csv != NULL);
        fputs("scenario,storage,n,ns_min,ns_median,baseline,baseline_ns_min,ratio\n", report.csv);
    }
    printf("%-25s %-7s %8s %11s %11s  %-8s %11s %10s  %-*s\n", "scenario", "storage", "n", "ns_min", "ns_median",
           "baseline", "base_ns_min", "ratio", CHART_WIDTH, "1.0 is ########");
    fflush(stdout);
}

void bench_report_progress(const bench_scenario *scenario, uint32_t n) {
    if (!report.progress) return;
    fprintf(stderr, "%s, n = %u ...\033[K\r", scenario->name, n);
    fflush(stderr);
}

void bench_report_add(const bench_scenario *scenario, uint32_t n, const bench_time *times) {
    if (report.progress) fputs("\033[K", stderr);
    for (size_t i = 1; i < bench_contestant_count(scenario); i++)
        print_row(scenario, n, times[0], scenario->contestants[i].name, times[i].min);
    fflush(stdout);
    if (report.csv) fflush(report.csv);
}

bool bench_report_close(void) {
    if (report.csv) {
        bool written = !ferror(report.csv);
        check_csv(fclose(report.csv) == 0 && written);
    }
    printf("%u bars, %u met\n", report.bars, report.met);
    return report.met == report.bars;
}
