/* Tries all programs over a subject, breadth first: all of one step, all of two steps, and so on.
 *
 * A program need not be continued from a state that another program has reached before: equal states have equal
 * futures. The state is everything on which the library's answers can depend (each test says why its key has all of
 * it), and what the specification knows. States are remembered by 128 bits of a hash. */
#ifndef COVEY_TEST_WALK_H
#define COVEY_TEST_WALK_H

#include "arena.h"

typedef struct walk walk;

typedef struct walk_subject {
    char name[64];
    uint32_t steps; /* the longest program */
    arena *memory;  /* of the library */
    void *spec;     /* the state of the specification: plain bytes */
    size_t spec_size;
    uint32_t operations;
    void (*begin)(walk *w); /* makes the first state */
    /* Does one operation, in the library and in the specification, and compares what it returns. */
    void (*apply)(walk *w, uint32_t operation);
    void (*check)(walk *w); /* compares everything that can be observed */
    void (*key)(walk *w);   /* calls walk_key for all that is in the library's state */
    void (*describe)(uint32_t operation, char *text, size_t size);
    void *context;
} walk_subject;

struct walk {
    const walk_subject *subject;
    uint64_t key[2];
    struct walk_state *states;
    uint32_t count, at;       /* states so far; the one whose programs are continued */
    uint32_t *table, buckets; /* the number of a state + 1, by its key */
    uint32_t operation, failing;
    uint64_t applied;
};

void walk_key(walk *w, const void *bytes, size_t size);
/* Prints the program that led here and what is wrong with it, and ends the test. */
void walk_require(walk *w, bool holds, const char *what);
/* Prints what was tried. */
void walk_run(const walk_subject *subject);

#endif
