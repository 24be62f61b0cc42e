#include "steps.h"

static uint64_t taken;

/* The name that compilers call. libFuzzer has a function of this name, which does nothing: there, the linker lets calls
 * go to the other one. */
#if defined(STEPS_WRAPPED)
#define COUNT __wrap___sanitizer_cov_trace_pc
#else
#define COUNT __sanitizer_cov_trace_pc
#endif

void COUNT(void);

void COUNT(void) { taken++; }

uint64_t steps_taken(void) { return taken; }
