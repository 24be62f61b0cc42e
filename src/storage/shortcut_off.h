/* Switching shortcuts off. A shortcut is what the inline half of an add or a destroy may do without further checks. One
 * function of shortcut_on.c switches it on and checks all its conditions; code that ends a condition switches it off by
 * name. No other code writes pool->filling and world->emptying.
 *
 * This header includes nothing of the storage layer, so that the lowest files can use it; shortcut_on.c needs most of
 * them. */
#ifndef COVEY_SHORTCUT_OFF_H
#define COVEY_SHORTCUT_OFF_H

#include <covey/covey.h>

/* Fast add: switched off when the block being filled may be empty or have another chunk, or when the pool gets an
 * observer. */
static inline void covey__fast_add_off(covey_pool *pool) { pool->filling.block = COVEY__NO_BLOCK; }

/* Fast destroy: switched off when entities get listeners or a listener is called, when a range is reserved, when a pool
 * gets the first component of a block, or when removing takes more than clearing a bit. Chunks that move end it through
 * world->moves. */
static inline void covey__fast_destroy_off(covey_world *world) { world->emptying.block = COVEY__NO_BLOCK; }
/* The same without a branch. */
static inline void covey__fast_destroy_off_if(covey_world *world, bool condition) {
    world->emptying.block |= 0 - (uint32_t)condition;
}

#endif
