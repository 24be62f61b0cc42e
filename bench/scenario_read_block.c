/* scenario_read.c once more, in block storage. */
#define BENCH_BLOCK
#include "scenario_read.c"
