/* What the user sees: a table as it grows, and the same rows as CSV. */
#include "bench.h"

static struct {
    FILE *csv;
    const char *csv_path;
    uint32_t bars, met;
    uint32_t cells; /* scenarios of the table */
    double worst;   /* the largest ratio of them to its limit */
    double worst_ratio;
    const bench_scenario *worst_cell;
} report;

/* ---- The pieces of a row ------------------------------------------------------------------------------------------*/

static void print_ns(double ns) {
    int decimals = ns < 100 ? 3 : 0;
    printf(" %11.*f", decimals, ns);
}

/* In nanoseconds if the bar has any, otherwise as a ratio. */
static void print_verdict(const bench_bar *bar, double ratio, double baseline_min) {
    double limit = bar->limit + bar->ns / baseline_min, unit = bar->ns > 0 ? baseline_min : 1;
    bool met = ratio <= limit;
    report.bars++;
    report.met += met;
    printf("  %.2f of at most %.2f%s: ", ratio * unit, limit * unit, bar->ns > 0 ? " ns" : "");
    bench_print_met(met);
}

static void note_cell(const bench_scenario *scenario, double ratio, double limit) {
    report.cells++;
    if (report.worst_cell && ratio / limit <= report.worst) return;
    report.worst = ratio / limit;
    report.worst_ratio = ratio;
    report.worst_cell = scenario;
}

static void print_row(const bench_scenario *scenario, uint32_t n, bench_time product, const char *baseline,
                      double baseline_min) {
    char chart[BENCH_CHART_WIDTH + 1];
    double ratio = product.min / baseline_min;
    const bench_bar *bar = bench_bar_of(scenario, n, baseline);
    bench_draw_chart(chart, ratio, bar ? bar->limit + bar->ns / baseline_min : 0);
    printf("%-27s %-7s %8u", scenario->name, scenario->storage, n);
    print_ns(product.min);
    print_ns(product.median);
    printf("  %-8s", baseline);
    print_ns(baseline_min);
    printf(" %10.2f  %s", ratio, chart);
    if (bar) print_verdict(bar, ratio, baseline_min);
    if (bar && scenario->in_table) note_cell(scenario, ratio, bar->limit);
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
    if (report.worst_cell)
        printf("the worst of %u calls for many: %s, %s: %.2f of the loop, %.2f of its bar\n", report.cells,
               report.worst_cell->name, report.worst_cell->storage, report.worst_ratio, report.worst);
    return report.met == report.bars;
}
