/* What the tests share: cmocka, the tools that do without it, and validators that fail the running test. */
#ifndef COVEY_TEST_SUPPORT_H
#define COVEY_TEST_SUPPORT_H

#include "tools.h"

#include <covey/sparse_set.h>

/* cmocka needs these before its own header. */
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* Fails the running test with the validator's reason. */
void test_world_is_valid(const covey_world *world);
void test_set_is_valid(const covey_sparse_set *set);

#endif
