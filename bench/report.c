/* What the user sees: a table as it grows, and the same rows as CSV. */
#include "bench.h"

static struct {
    FILE *csv;
    const char *csv_path;
    uint32_t bars, met;
} report;

/* ---- The pieces of a row ------------------------------------------------------------------------------------------*/

static void print_ns(double ns) {
    int decimals = ns < 100 ? 3 : 0;
    printf(" %11.*f", decimals, ns);
}

static void print_verdict(double ratio, double limit) {
    bool met = ratio <= limit;
    report.bars++;
    report.met += met;
    printf("  %.2f of at most %.2f: ", ratio, limit);
    bench_print_met(met);
}

static void print_row(const bench_scenario *scenario, uint32_t n, bench_time product, const char *baseline,
                      double baseline_min) {
    char chart[BENCH_CHART_WIDTH + 1];
    double ratio = product.min / baseline_min, limit = bench_limit(scenario, n, baseline);
    bench_draw_chart(chart, ratio, limit);
    printf("%-27s %-7s %8u", scenario->name, scenario->storage, n);
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

void bench_report_open(const char *csv_path) {
    report.csv_path = csv_path;
    report.csv = bench_file_open(csv_path);
    if (report.csv) fputs("scenario,storage,n,ns_min,ns_median,baseline,baseline_ns_min,ratio\n", report.csv);
    printf("%-27s %-7s %8s %11s %11s  %-8s %11s %10s  %-*s\n", "scenario", "storage", "n", "ns_min", "ns_median",
           "baseline", "base_ns_min", "ratio", BENCH_CHART_WIDTH, "1.0 is ########");
    fflush(stdout);
}

void bench_report_add(const bench_scenario *scenario, uint32_t n, const bench_time *times) {
    bench_progress_end();
    for (size_t i = 1; i < bench_contestant_count(scenario); i++)
        print_row(scenario, n, times[0], scenario->contestants[i].name, times[i].min);
    fflush(stdout);
    if (report.csv) fflush(report.csv);
}

bool bench_report_close(void) {
    bench_file_close(report.csv, report.csv_path);
    printf("%u bars, %u met\n", report.bars, report.met);
    return report.met == report.bars;
}
