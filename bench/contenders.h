/* Scenarios in which contenders from shared objects are measured beside Covey: see contender.h. */
#ifndef BENCH_CONTENDERS_H
#define BENCH_CONTENDERS_H

#include "bench.h"
#include "contender.h"

#define BENCH_COVEY_CONTENDERS 4
extern const contender bench_covey_contenders[BENCH_COVEY_CONTENDERS]; /* the product first */

/* Loads a shared object, whose contenders take part from now on; ends the program when that fails. */
void bench_contenders_load(const char *path);
/* The scenarios: none while nothing was loaded. */
bench_suite bench_contenders_suite(void);

#endif
