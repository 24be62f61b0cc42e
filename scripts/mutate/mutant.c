/* The mutant that is switched on, and which were reached. Linked into each program of the mutated tree. */
#include "mutant.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef COVEY_MUTANTS
#define COVEY_MUTANTS 100000
#endif

unsigned covey_mutant;
unsigned char covey_mutants_reached[COVEY_MUTANTS];

/* One write appends all at once, also if several processes end. */
static void tell(void) {
    const char *path = getenv("COVEY_REACHED");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0644) : -1;
    if (file < 0) return;
    if (write(file, covey_mutants_reached, sizeof covey_mutants_reached) < 0) abort();
    close(file);
}

__attribute__((constructor)) static void choose(void) {
    const char *number = getenv("COVEY_MUTANT");
    if (number) covey_mutant = (unsigned)strtoul(number, NULL, 10);
    atexit(tell);
}
