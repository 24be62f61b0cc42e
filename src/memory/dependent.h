/* Objects that use a world and must be destroyed before it: what covey_world_destroy does to those that are left. */
#ifndef COVEY_DEPENDENT_H
#define COVEY_DEPENDENT_H

#include <covey/covey.h>

bool covey__dependents_busy(const covey_world *world); /* whether one of them uses the world now */
void covey__dependents_end(covey_world *world);        /* reports those that are left, and detaches them */
bool covey__dependents_valid(const covey_world *world, const char **why);

#endif
