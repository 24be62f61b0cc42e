/* Switching shortcuts on. */
#ifndef COVEY_SHORTCUT_ON_H
#define COVEY_SHORTCUT_ON_H

#include "shortcut.h"

/* The next components of a pool are likely to go to the block that got the last one, at this index. On if that is direct,
 * the pool has no observer and no entity is being destroyed. */
void covey__fast_add_on(covey_pool *pool, uint32_t index);
bool covey__fast_add_valid(const covey_pool *pool, const char **why);

/* The next entities to be destroyed are likely to lie in the block of the last one, which had this index. On if the one
 * before was next to it, nobody listens to entities, no listener is being called, no range is reserved, and removing is a
 * bit of a mask in each of the pools that are present. */
void covey__fast_destroy_on(covey_world *world, uint32_t index);
bool covey__fast_destroy_valid(const covey_world *world, const char **why);

#endif
