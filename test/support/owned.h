/* A component that owns something: its hooks count, and fail on request. */
#ifndef COVEY_TEST_OWNED_H
#define COVEY_TEST_OWNED_H

#include "fixture.h"

typedef struct Owned {
    uint32_t number, check; /* check is ~number */
} Owned;

typedef struct owned_counts {
    uint32_t alive, copies;
    uint32_t fails_at; /* the copy with this number fails; 0: none does */
} owned_counts;
extern owned_counts owned;

covey_drop_fn drop_owned;
covey_copy_fn copy_owned;

/* A world; in the end, nothing that was owned is left. */
int owned_setup(void **state);
int owned_teardown(void **state);
#define OWNED_TEST(test) cmocka_unit_test_setup_teardown(test, owned_setup, owned_teardown)

#endif
