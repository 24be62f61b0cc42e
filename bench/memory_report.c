/* What the user sees of the bytes: a table, a summary with its bars, and the rows as CSV. */
#include "memory.h"

memory_number memory_grouped(uint64_t number) {
    char digits[24];
    memory_number grouped = { "" };
    size_t count = (size_t)snprintf(digits, sizeof digits, "%llu", (unsigned long long)number), at = 0;
    for (size_t i = 0; i < count; i++) {
        if (i != 0 && (count - i) % 3 == 0) grouped.text[at++] = ',';
        grouped.text[at++] = digits[i];
    }
    return grouped;
}

/* ---- The table ----------------------------------------------------------------------------------------------------*/

/* Each class has a mark, too, for those who see no colours. */
static const struct {
    const char *color, *mark, *meaning;
} classes[] = {
    [MEMORY_BELOW_ALL] = { BENCH_GREEN, " ", "below all three" },
    [MEMORY_WITHIN] = { BENCH_YELLOW, "+", "at most 1.05" },
    [MEMORY_OVER] = { BENCH_RED, "!", "over" },
};

static void print_cell(const memory_cell *cell) {
    memory_class class = memory_class_of(cell);
    printf("%s%7.3f%s%s", bench_color(classes[class].color), memory_ratio(cell), classes[class].mark,
           bench_color(BENCH_PLAIN));
}

static void print_legend(void) {
    printf("%6s ", "");
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        printf("  %s%s %s%s", bench_color(classes[i].color), classes[i].mark, classes[i].meaning,
               bench_color(BENCH_PLAIN));
    putchar('\n');
}

void memory_print_sparse(uint32_t n, size_t bytes) {
    printf("A sparse pool of %s components of 8 bytes takes %.2f bytes for each; handles have %zu bytes\n",
           memory_grouped(n).text, (double)bytes / n, sizeof(covey_entity));
}

void memory_print_table(const memory_table *table) {
    printf("Bytes of a block pool after compact, as a multiple of the smallest of linear, bitmask and sparse\n"
           "N = %s entities; down: bytes of a component; across: the share of the entities that have one\n\n       ",
           memory_grouped(table->n).text);
    for (uint32_t i = 0; i < MEMORY_SHARES; i++) printf("%7.1f ", table->cells[0][i].utilisation);
    putchar('\n');
    for (uint32_t i = 0; i < MEMORY_SIZES; i++) {
        printf("%6u ", table->cells[i][0].size);
        for (uint32_t j = 0; j < MEMORY_SHARES; j++) print_cell(&table->cells[i][j]);
        putchar('\n');
    }
    print_legend();
    putchar('\n');
}

/* ---- The summary --------------------------------------------------------------------------------------------------*/

typedef struct summary {
    uint32_t bars, met;
} summary;

typedef double figure(const memory_cell *cell);

static double ordered_ratio(const memory_cell *cell) {
    return (double)cell->ordered.filled / (double)memory_smallest(cell);
}

static double shuffled_ratio(const memory_cell *cell) {
    return (double)cell->shuffled.filled / (double)memory_smallest(cell);
}

static double peak_ratio(const memory_cell *cell) {
    double ordered = (double)cell->ordered.peak / (double)cell->ordered.filled;
    double shuffled = (double)cell->shuffled.peak / (double)cell->shuffled.filled;
    return ordered > shuffled ? ordered : shuffled;
}

/* The bytes that compact leaves unused. */
static double left_bytes(const memory_cell *cell) {
    size_t ordered = cell->ordered.compact - cell->ordered.shrunk;
    size_t shuffled = cell->shuffled.compact - cell->shuffled.shrunk;
    return (double)(ordered > shuffled ? ordered : shuffled);
}

static const memory_cell *worst(const memory_table *table, figure *of) {
    const memory_cell *found = &table->cells[0][0];
    for (uint32_t i = 0; i < MEMORY_SIZES; i++)
        for (uint32_t j = 0; j < MEMORY_SHARES; j++)
            if (of(&table->cells[i][j]) > of(found)) found = &table->cells[i][j];
    return found;
}

static uint32_t count_below_all(const memory_table *table) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < MEMORY_SIZES; i++)
        for (uint32_t j = 0; j < MEMORY_SHARES; j++) count += memory_class_of(&table->cells[i][j]) == MEMORY_BELOW_ALL;
    return count;
}

static void print_verdict(summary *s, const char *bar, bool met) {
    s->bars++;
    s->met += met;
    printf("  %s: ", bar);
    bench_print_met(met);
}

static void print_name(const char *what, uint32_t n) { printf("%-34s %9s ", what, memory_grouped(n).text); }

/* A limit of 0 is none. */
static void print_worst(summary *s, const char *what, const memory_table *table, figure *of, double limit) {
    char chart[BENCH_CHART_WIDTH + 1], bar[32] = "";
    const memory_cell *cell = worst(table, of);
    double ratio = of(cell);
    bench_draw_chart(chart, ratio, limit);
    print_name(what, table->n);
    printf("%8.3f  %s  size %3u, utilisation %.1f", ratio, chart, cell->size, cell->utilisation);
    snprintf(bar, sizeof bar, "at most %.2f", limit);
    if (limit > 0) print_verdict(s, bar, ratio <= limit);
    puts(limit > 0 ? "" : "  no bar");
}

static void print_below_all(summary *s, const memory_table *table, uint32_t least) {
    char bar[32];
    uint32_t count = count_below_all(table);
    print_name("cells below all three", table->n);
    printf("%8u  of %-*u", count, BENCH_CHART_WIDTH + 24, MEMORY_SIZES * MEMORY_SHARES);
    snprintf(bar, sizeof bar, "at least %u", least);
    if (least > 0) print_verdict(s, bar, count >= least);
    puts(least > 0 ? "" : "  no bar");
}

bool memory_print_summary(const memory_table *many, const memory_table *few) {
    summary s = { 0, 0 };
    bool bars = many->n == MEMORY_MANY;
    printf("%-34s %9s %8s  %-*s  %s\n", "the worst of all cells", "n", "ratio", BENCH_CHART_WIDTH, "1.0 is ########",
           "where");
    print_worst(&s, "after compact", many, memory_ratio, bars ? MEMORY_CLOSE : 0);
    print_below_all(&s, many, bars ? 120 : 0);
    print_worst(&s, "filled in order of ids", many, ordered_ratio, bars ? 1.5 : 0);
    print_worst(&s, "filled in shuffled order", many, shuffled_ratio, bars ? 2 : 0);
    print_worst(&s, "after compact", few, memory_ratio, 1.25);
    print_worst(&s, "peak during compact, to as filled", many, peak_ratio, 0);
    printf("%u bars, %u met; shrink after compact returns at most %.0f bytes more\n", s.bars, s.met,
           left_bytes(worst(many, left_bytes)));
    return s.met == s.bars;
}

/* ---- CSV ----------------------------------------------------------------------------------------------------------*/

void memory_write_csv_head(FILE *csv) {
    fputs("size,utilisation,n,bytes_filled,bytes_compact,linear,bitmask,sparse,ratio\n", csv);
}

static void write_row(FILE *csv, const memory_cell *cell) {
    const memory_model *m = &cell->model;
    fprintf(csv, "%u,%.1f,%u,%zu,%zu,%llu,%llu,%llu,%.4f\n", cell->size, cell->utilisation, cell->n,
            cell->shuffled.filled, memory_compact_bytes(cell), (unsigned long long)m->linear,
            (unsigned long long)m->bitmask, (unsigned long long)m->sparse, memory_ratio(cell));
}

void memory_write_csv(FILE *csv, const memory_table *table) {
    for (uint32_t i = 0; i < MEMORY_SIZES; i++)
        for (uint32_t j = 0; j < MEMORY_SHARES; j++) write_row(csv, &table->cells[i][j]);
}
