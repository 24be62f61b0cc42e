/* Groups: making and ending them; members.h keeps them up to date. */
#ifndef COVEY_GROUP_H
#define COVEY_GROUP_H

#include <covey/covey.h>

size_t covey__fronts_bytes(const covey_world *world); /* of their borders, which are the world's bytes */

bool covey__groups_valid(const covey_world *world, const char **why);

#endif
