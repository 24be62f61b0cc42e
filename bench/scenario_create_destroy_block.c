/* scenario_create_destroy.c once more, in block storage. */
#define BENCH_BLOCK
#include "scenario_create_destroy.c"
