/* Counts the steps of the library: each stretch of code without a branch is one. For programs that link covey_counted, a
 * second build of the library in which the compiler has each of these stretches call a function (trace-pc). Steps are the
 * same on every run, and nothing is forgotten: what is not counted is what the C library does in one call, such as memcpy,
 * which is in proportion to the bytes that it is given. */
#ifndef COVEY_TEST_STEPS_H
#define COVEY_TEST_STEPS_H

#include <stdint.h>

uint64_t steps_taken(void); /* since the program began */

#endif
