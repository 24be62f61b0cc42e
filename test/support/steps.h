/* Counts the steps of the library: each stretch of code without a branch is one step. For programs that link
 * covey_counted, a second build of the library in which the compiler has each stretch call a function (trace-pc). Steps
 * are the same in every run. Only the work of the C library inside one call is not counted, such as memcpy, which is
 * proportional to its bytes. */
#ifndef COVEY_TEST_STEPS_H
#define COVEY_TEST_STEPS_H

#include <stdint.h>

uint64_t steps_taken(void); /* since the program began */

#endif
