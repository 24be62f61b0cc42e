/* What the programs of this directory share: the command line, files, and what they say on a terminal. */
#include "bench.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

void bench_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    fprintf(stderr, "%s: ", bench_program);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

/* ---- The command line ---------------------------------------------------------------------------------------------*/

bool bench_is(const char *argument, const char *name) { return strcmp(argument, name) == 0; }

const char *bench_value_of(char **arguments, int *at) {
    const char *name = arguments[*at], *value = arguments[++*at];
    if (!value) bench_fail("%s needs a value; --help shows the options", name);
    return value;
}

/* ---- Files --------------------------------------------------------------------------------------------------------*/

static void check_file(bool fine, const char *path) {
    if (!fine) bench_fail("cannot write %s: %s", path, strerror(errno));
}

FILE *bench_file_open(const char *path) {
    FILE *file = path ? fopen(path, "w") : NULL;
    check_file(file || !path, path);
    return file;
}

void bench_file_close(FILE *file, const char *path) {
    if (!file) return;
    bool written = !ferror(file);
    check_file(fclose(file) == 0 && written, path);
}

/* ---- The terminal -------------------------------------------------------------------------------------------------*/

const char *bench_color(const char *code) {
    const char *unwanted = getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) == 1 && !(unwanted && *unwanted) ? code : "";
}

void bench_print_met(bool met) {
    printf("%s%s%s", bench_color(met ? BENCH_GREEN : BENCH_RED), met ? "met" : "MISSED", bench_color(BENCH_PLAIN));
}

void bench_progress(const char *format, ...) {
    if (isatty(STDERR_FILENO) != 1) return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    fputs(" ...\033[K\r", stderr);
    fflush(stderr);
    va_end(arguments);
}

void bench_progress_end(void) {
    if (isatty(STDERR_FILENO) == 1) fputs("\033[K", stderr);
}

void bench_draw_chart(char chart[BENCH_CHART_WIDTH + 1], double ratio, double limit) {
    memset(chart, ' ', BENCH_CHART_WIDTH);
    chart[BENCH_CHART_WIDTH] = '\0';
    for (int i = 0; i < BENCH_CHART_WIDTH && i + 0.5 < ratio * BENCH_CHART_PER_TIME; i++) chart[i] = '#';
    if (ratio * BENCH_CHART_PER_TIME > BENCH_CHART_WIDTH) chart[BENCH_CHART_WIDTH - 1] = '+';
    int mark = (int)(limit * BENCH_CHART_PER_TIME);
    if (limit > 0 && mark < BENCH_CHART_WIDTH) chart[mark] = '|';
}
