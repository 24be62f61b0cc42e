/* scenario_add_remove.c once more, in block storage. */
#define BENCH_BLOCK
#include "scenario_add_remove.c"
