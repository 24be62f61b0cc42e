/* The hierarchy: linking entities to parents. */
#ifndef COVEY_INTERNAL_HIERARCHY_H
#define COVEY_INTERNAL_HIERARCHY_H

#include <covey/covey.h>

/* Makes an entity the last child of another. Not checked: neither is an ancestor of the other, and the child has no
 * parent. False when an allocation fails. */
bool covey__hierarchy_link(covey_world *world, covey_entity child, covey_entity parent);
/* The same in two steps. The first makes nodes for both; false when an allocation fails. The second makes an entity
 * with a node the last child of another or, for COVEY_NONE, a root. In between, links may have cycles. */
bool covey__hierarchy_prepare(covey_world *world, covey_entity child, covey_entity parent);
void covey__hierarchy_move(covey_world *world, uint32_t child, uint32_t parent);
/* Whether the tree has no cycle; *depth is then the largest depth. O(nodes). */
bool covey__hierarchy_is_sound(const covey_world *world, uint32_t *depth);
/* Copies the nodes of another world. Its entities are alive in both worlds, and `to` has no nodes. False when an
 * allocation fails: `to` then has no nodes. */
bool covey__hierarchy_clone(const covey_world *from, covey_world *to);

/* Makes the node pool if there is none. False when that fails, which is reported. */
bool covey__hierarchy_open(covey_world *world);

bool covey__hierarchy_valid(const covey_world *world, const char **why);

#endif
