/* The hierarchy: links between entities. */
#ifndef COVEY_INTERNAL_HIERARCHY_H
#define COVEY_INTERNAL_HIERARCHY_H

#include <covey/covey.h>

/* Makes an entity the last child of another. No check: neither is above the other, and the child has no parent. False
 * when memory is out. */
bool covey__hierarchy_link(covey_world *world, covey_entity child, covey_entity parent);
/* In two steps: nodes for both, which may link nowhere; false when memory is out. Then an entity that has a node becomes
 * the last child of another, or, for COVEY_NONE, a root. Links may go round in between. */
bool covey__hierarchy_prepare(covey_world *world, covey_entity child, covey_entity parent);
void covey__hierarchy_move(covey_world *world, uint32_t child, uint32_t parent);
/* Whether nobody is above itself; then *depth is the most that are above one. O(nodes). */
bool covey__hierarchy_is_sound(const covey_world *world, uint32_t *depth);
/* Gives the entities of another world, which are alive here, too, the places that they have there. The node pool is
 * empty or unknown here. False when memory is out: then nobody has a place. */
bool covey__hierarchy_clone(const covey_world *from, covey_world *to);

/* Makes the node pool, if there is none. False when that failed, which has been reported. */
bool covey__hierarchy_open(covey_world *world);

bool covey__hierarchy_valid(const covey_world *world, const char **why);

#endif
