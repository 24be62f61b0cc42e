/* The hierarchy: links between entities. */
#ifndef COVEY_INTERNAL_HIERARCHY_H
#define COVEY_INTERNAL_HIERARCHY_H

#include <covey/covey.h>

/* Makes an entity the last child of another. No check: neither is above the other, and the child has no parent. False
 * when memory is out. */
bool covey__hierarchy_link(covey_world *world, covey_entity child, covey_entity parent);
bool covey__hierarchy_is_sound(const covey_world *world); /* nobody is above itself; O(nodes) */
/* Gives the entities of another world, which are alive here, too, the places that they have there. The node pool is
 * empty or unknown here. False when memory is out: then nobody has a place. */
bool covey__hierarchy_clone(const covey_world *from, covey_world *to);

bool covey__hierarchy_valid(const covey_world *world, const char **why);

#endif
