#include "program.h"

#include <stdio.h>
#include <stdlib.h>

const char *text_option(int argc, char **argv, const char *name) {
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], name) == 0) return argv[i + 1];
    return NULL;
}

double number_option(int argc, char **argv, const char *name, double usual) {
    const char *text = text_option(argc, argv, name);
    return text ? strtod(text, NULL) : usual;
}

uint32_t whole_option(int argc, char **argv, const char *name, uint32_t usual) {
    const char *text = text_option(argc, argv, name);
    return text ? (uint32_t)strtoul(text, NULL, 10) : usual;
}

bool has_option(int argc, char **argv, const char *name) {
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0) return true;
    return false;
}

_Noreturn void fail(const covey_mpi *mpi, const char *what) {
    fprintf(stderr, "%s%s%s\n", what, mpi ? ": " : "", mpi ? covey_mpi_report(mpi)->text : "");
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

void show_progress(const covey_mpi *mpi, uint32_t step, uint32_t steps) {
    static uint32_t shown = UINT32_MAX;
    uint32_t marks = (uint32_t)((uint64_t)step * 40 / steps);
    if (marks == shown || covey_mpi_rank(mpi) != 0) return;
    shown = marks;
    fprintf(stderr, "\r[%-40.*s] step %u of %u", (int)marks, "########################################", step, steps);
    if (step == steps) fputc('\n', stderr);
}

void print_ranks(const covey_mpi *mpi, const char *entities, double seconds) {
    enum { COLUMNS = 6 };
    int size = covey_mpi_size(mpi), first = covey_mpi_rank(mpi) == 0;
    covey_mpi_stats s = covey_mpi_stats_of(mpi);
    double own[COLUMNS] = { covey_mpi_owned_count(mpi), (double)s.entities_sent, (double)s.ghosts_created,
                            (double)s.bytes_sent,       s.seconds_waited,        seconds };
    double *all = first ? malloc((size_t)size * sizeof own) : NULL;
    if (first && !all) fail(NULL, "no memory");
    MPI_Gather(own, COLUMNS, MPI_DOUBLE, all, COLUMNS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (first) printf("rank %8s  moved away  ghosts sent  bytes sent  waited s  of s\n", entities);
    for (const double *at = all; first && at < all + size * COLUMNS; at += COLUMNS)
        printf("%4d %8.0f %11.0f %12.0f %11.0f %9.3f %5.2f\n", (int)(at - all) / COLUMNS, at[0], at[1], at[2], at[3],
               at[4], at[5]);
    free(all);
}
