/* The memory program: command line, and the two tables it makes. */
#include "memory.h"

#include <stdlib.h>

const char bench_program[] = "covey-memory";

static const char help[] =
    "usage: covey-memory [options]\n"
    "\n"
    "Measures the bytes of block pools against the formulas of memory_model.h, for 16 sizes of a component and 10\n"
    "utilisations. Bars are for 1000000 entities, and for a second table with 1000.\n"
    "\n"
    "  --entities N   make the first table with so many entities; 1000000 unless given\n"
    "  --sparse       print only the bytes of a sparse pool\n"
    "  --strict       exit with 1 when a bar is missed\n"
    "  --csv FILE     write the rows of both tables to this file\n"
    "  --svg FILE     draw the first table to this file\n"
    "  --help         print this and end\n";

typedef struct options {
    bool sparse, strict, help;
    const char *csv, *svg;
    uint32_t entities;
} options;

/* ---- The command line ---------------------------------------------------------------------------------------------*/

static uint32_t parse_count(const char *name, const char *text) {
    char *end = NULL;
    unsigned long long count = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || count < 1 || count > COVEY_NONE)
        bench_fail("%s needs a number from 1 to %u, not %s", name, COVEY_NONE, text);
    return (uint32_t)count;
}

static options parse(char **arguments) {
    options o = { .entities = MEMORY_MANY < COVEY_NONE ? MEMORY_MANY : COVEY_NONE };
    for (int i = 1; arguments[i]; i++) {
        const char *argument = arguments[i];
        if (bench_is(argument, "--strict")) o.strict = true;
        else if (bench_is(argument, "--sparse")) o.sparse = true;
        else if (bench_is(argument, "--help")) o.help = true;
        else if (bench_is(argument, "--entities")) o.entities = parse_count(argument, bench_value_of(arguments, &i));
        else if (bench_is(argument, "--csv")) o.csv = bench_value_of(arguments, &i);
        else if (bench_is(argument, "--svg")) o.svg = bench_value_of(arguments, &i);
        else bench_fail("unknown option %s; --help shows the options", argument);
    }
    return o;
}

/* ---- The run ------------------------------------------------------------------------------------------------------*/

static void write_csv(FILE *csv, const memory_table *many, const memory_table *few) {
    memory_write_csv_head(csv);
    memory_write_csv(csv, many);
    memory_write_csv(csv, few);
}

static void print_sparse(const options *o) { memory_print_sparse(o->entities, memory_measure_sparse(o->entities)); }

/* Files are opened first: a name that is wrong shows before the work. Returns whether all bars were met. */
static bool run(const options *o) {
    static memory_table many, few;
    FILE *csv = bench_file_open(o->csv), *svg = bench_file_open(o->svg);
    memory_measure(&few, MEMORY_FEW);
    memory_measure(&many, o->entities);
    if (csv) write_csv(csv, &many, &few);
    if (svg) memory_write_svg(svg, &many);
    bench_file_close(csv, o->csv);
    bench_file_close(svg, o->svg);
    memory_print_table(&many);
    bool met = memory_print_summary(&many, &few);
    print_sparse(o);
    return met;
}

int main(int argc, char **argv) {
    (void)argc;
    options o = parse(argv);
    if (o.help) fputs(help, stdout);
    else if (o.sparse) print_sparse(&o);
    else if (!run(&o) && o.strict) return 1;
    return 0;
}
