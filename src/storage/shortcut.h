/* Shortcuts: what the inline halves of add and destroy may do without further checks. Each is switched on in one
 * function (shortcut_on.h), which checks all conditions, and switched off by name wherever one of them ends. No other
 * code writes pool->filling and world->emptying. */
#ifndef COVEY_SHORTCUT_H
#define COVEY_SHORTCUT_H

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
