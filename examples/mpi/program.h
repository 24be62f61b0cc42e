/* What the models in this folder share: options, random numbers, a progress bar and a table of ranks. */
#ifndef EXAMPLES_MPI_PROGRAM_H
#define EXAMPLES_MPI_PROGRAM_H

#include <covey/mpi.h>

/* `--name TEXT`, `--name 2.5`, `--name 2` and `--name` among the arguments of the program. */
const char *text_option(int argc, char **argv, const char *name);
double number_option(int argc, char **argv, const char *name, double usual);
uint32_t whole_option(int argc, char **argv, const char *name, uint32_t usual);
bool has_option(int argc, char **argv, const char *name);

/* 64 random bits from the seed, the step and the number of an agent. They do not depend on the order of calls. */
static inline uint64_t random_of(uint64_t seed, uint64_t step, uint64_t number) {
    uint64_t x = seed ^ step * UINT64_C(0x9E3779B97F4A7C15) ^ number * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 30) * UINT64_C(0x94D049BB133111EB);
    x = (x ^ x >> 27) * UINT64_C(0xD6E8FEB86659FD93);
    return x ^ x >> 31;
}

/* Prints what failed and the report of the last collective call, and ends all ranks. `mpi` may be NULL. */
_Noreturn void fail(const covey_mpi *mpi, const char *what);

/* These print on the first rank only. print_ranks is collective. */
void show_progress(const covey_mpi *mpi, uint32_t step, uint32_t steps);
void print_ranks(const covey_mpi *mpi, const char *entities, double seconds);

#endif
