/* Shortcuts: what the inline halves of add and destroy may do without asking again. Each is switched on in one function
 * (shortcut_on.h), which knows all that must hold, and switched off by name wherever one of those things ends. Nobody else
 * writes pool->filling and world->emptying. */
#ifndef COVEY_SHORTCUT_H
#define COVEY_SHORTCUT_H

#include <covey/covey.h>

/* Fast add: off when the block that is filled may be empty or another chunk, or when the pool gets an observer. */
static inline void covey__fast_add_off(covey_pool *pool) { pool->filling.block = COVEY__NO_BLOCK; }

/* Fast destroy: off when somebody listens to entities or a listener is called, when a range is reserved, when a pool gets
 * the first component of a block or needs more than a bit to be cleared. Chunks that move end it through world->moves. */
static inline void covey__fast_destroy_off(covey_world *world) { world->emptying.block = COVEY__NO_BLOCK; }
/* The same without a branch. */
static inline void covey__fast_destroy_off_if(covey_world *world, bool condition) {
    world->emptying.block |= 0 - (uint32_t)condition;
}

#endif
