/* What the tests of covey::mpi share. A failed check on one rank ends the job, because the others would wait for it. */
#ifndef COVEY_MPI_TEST_SUPPORT_H
#define COVEY_MPI_TEST_SUPPORT_H

#include "internal.h"

#include <covey/hierarchy.h>
#include <stdio.h>

extern int rank, size; /* of MPI_COMM_WORLD */

void check_failed(const char *what, const char *file, int line);
#define CHECK(condition) ((condition) ? (void)0 : check_failed(#condition, __FILE__, __LINE__))

typedef struct test {
    const char *name;
    void (*run)(void);
} test;
int run_tests(int argc, char **argv, const test *tests, size_t count);
#define RUN_TESTS(argc, argv, tests) run_tests((argc), (argv), (tests), sizeof(tests) / sizeof *(tests))

/* The same numbers on all ranks. */
typedef struct random_numbers {
    uint64_t state;
} random_numbers;
uint32_t below(random_numbers *r, uint32_t end);

/* An allocator that counts calls and bytes, and fails once, at call number `fail_at`. */
typedef struct counting {
    size_t bytes;
    uint64_t calls, fail_at; /* 0: never */
} counting;
covey_allocator counting_allocator(counting *c);

/* Components: plain bytes; fields with a handle and a member that images leave out; a value that owns memory; a tag. */
typedef struct {
    int32_t x, y;
} Spot;
typedef struct {
    covey_entity other;
    void *cache;
    uint32_t number;
} Bond;
typedef struct {
    uint32_t length;
    char *text;
} Note;
typedef struct {
    uint32_t when;
} Stamp;
typedef struct {
    int32_t gone;
} Mood;
COVEY_COMPONENT_DECLARE(Spot);
COVEY_COMPONENT_DECLARE(Bond);
COVEY_COMPONENT_DECLARE(Note);
COVEY_COMPONENT_DECLARE(Stamp);
COVEY_COMPONENT_DECLARE(Mood); /* transient */
COVEY_TAG_DECLARE(Marked);
extern int notes; /* the number of existing notes */
Note make_note(uint32_t number);
extern const covey_type *const all_types[];

/* For worlds in which calls fail on purpose. */
void no_log(covey_result item, const char *text, void *context);

/* A world with a covey_mpi on all ranks. */
typedef struct fixture {
    counting memory;
    covey_world *world;
    covey_mpi *mpi;
} fixture;
void begin(fixture *f, const covey_mpi_desc *desc);
void begin_on(fixture *f, const covey_mpi_desc *desc, MPI_Comm comm);
void end(fixture *f);
/* Sends a handle from one rank to all. */
covey_entity shared(int owner, covey_entity e);
/* Reduces a number over all ranks. Yields while it waits, which MPI may not. */
int over_all(int own, MPI_Op op);
/* The path of a checkpoint of this job, the same on all ranks; and removing all its files, of up to 20 checkpoints. */
const char *checkpoint_path(void);
void remove_checkpoint(const char *name);

#endif
