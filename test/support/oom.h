/* The harness of the tests that run out of memory: an operation is prepared and run again and again, and each of its
 * allocations fails in turn, once and for good, until none is left to fail. */
#ifndef COVEY_TEST_OOM_H
#define COVEY_TEST_OOM_H

#include "sets.h"

#include <covey/history.h>

/* A component that is owned: each value that is made is dropped once, or the harness complains. Numbers below 100. */
typedef struct Counted {
    uint32_t number;
} Counted;
typedef Counted CountedBlock;
typedef Counted CountedPinned;
COVEY_COMPONENT_DECLARE(Counted);
COVEY_COMPONENT_DECLARE(CountedBlock);
COVEY_COMPONENT_DECLARE(CountedPinned);
Counted counted_make(uint32_t number);
void counted_drop(void *value, void *context);

/* What an operation works on: a world, or a set under a policy. */
typedef struct scene {
    test_heap heap;
    covey_world *world;
    covey_history *history;
    covey_entity e[9];
    covey_range range;
    covey_policy policy;
    covey_sparse_set *set;
    size_t others; /* bytes of the heap that are of none of these, as scene_allocator counts them */
} scene;

typedef void prepare_fn(scene *s);
typedef bool run_fn(scene *s); /* whether the call succeeded; the scene keeps nothing of a call that failed */

typedef struct operation {
    const char *name;
    prepare_fn *prepare;
    run_fn *run;
} operation;

void scene_create(scene *s, prepare_fn *prepare, covey_policy policy);
void scene_destroy(scene *s); /* checks that all memory came back and every Counted was dropped */
void scene_is_valid(const scene *s);
/* The allocator of the scene, for what does not tell how many bytes it has. */
covey_allocator scene_allocator(scene *s);

/* The ways to try an operation. */
typedef enum trial_kind {
    /* It needs memory. A failed call says so and changes nothing that can be seen; the same call then succeeds, and
     * leads to what it leads to without failures. */
    FAILS_IN_TURN,
    /* It never asks for memory: with none to be had, it does what it always does. */
    NEEDS_NO_MEMORY,
    /* It gives memory back: it may ask for a smaller block, and does the same whatever the answer is. */
    SURVIVES_FAILURES,
    /* It needs memory, and asks for some that it can do without: a failed call is as above, and so is what any other
     * leads to. */
    FAILS_OR_DOES_WITHOUT
} trial_kind;

/* Makes a test of each operation. */
void add_trials(const operation *operations, size_t count, covey_policy policy, trial_kind kind);
#define ADD_TRIALS(operations, policy, kind) \
    add_trials(operations, sizeof operations / sizeof operations[0], (covey_policy)(policy), kind)
void add_test(struct CMUnitTest test);
int run_trials(void);

#endif
