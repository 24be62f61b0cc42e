/* The shortest program that still fails in the same way. */
#ifndef COVEY_SIM_SHRINK_H
#define COVEY_SIM_SHRINK_H

#include "child.h"

/* Leaves out steps, then makes numbers smaller, for as long as the program fails with the same kind. Returns how many
 * programs were tried. */
uint32_t sim_shrink(sim_program *program, const char *kind, unsigned seconds);

#endif
