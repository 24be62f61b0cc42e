/* Programs run in a child process, so that a crash is a result. */
#ifndef COVEY_SIM_CHILD_H
#define COVEY_SIM_CHILD_H

#include "pairs.h"
#include "program.h"

/* How a program failed. Two failures are the same if their kinds are. */
typedef struct child_result {
    bool failed;
    uint64_t seed;
    uint32_t step;
    char kind[200]; /* the format of the message, a signal, or an exit code */
    char text[600];
} child_result;

typedef struct child_work {
    uint64_t first, count;  /* seeds */
    uint32_t steps;         /* of a program */
    const sim_program *one; /* or: this program only */
    bool quiet;             /* the child's own output is discarded */
    bool trace;
    unsigned seconds; /* that a program may take */
} child_work;

/* Runs programs until one fails. Adds what they met to `pairs`, if that is not NULL. */
child_result child_run(const child_work *work, sim_pairs *pairs);
/* Runs programs in this process; a failure aborts. For debuggers. */
void child_run_here(const child_work *work);

/* For the program that runs: the step that begins; and the end of a program that failed. */
void child_at_step(uint32_t step);
_Noreturn void child_fail(const char *kind, const char *format, ...) SIM_PRINTF(2, 3);

#endif
