/* Switching shortcuts on. */
#ifndef COVEY_SHORTCUT_ON_H
#define COVEY_SHORTCUT_ON_H

#include "storage/shortcut.h"

/* Called after a component was added at this index: the next ones are likely to go to the same block. Switches on if
 * that is direct, the pool has no observer and no entity is being destroyed. */
void covey__fast_add_on(covey_pool *pool, uint32_t index);
bool covey__fast_add_valid(const covey_pool *pool, const char **why);

/* Called after the entity of this index was destroyed: the next ones are likely to be in the same block. Switches on if
 * the one before was its neighbour, entities have no listeners, no listener is being called, no range is reserved, and
 * removing is one bit of a mask in each pool that is present. */
void covey__fast_destroy_on(covey_world *world, uint32_t index);
bool covey__fast_destroy_valid(const covey_world *world, const char **why);

#endif
