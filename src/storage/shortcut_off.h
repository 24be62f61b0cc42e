/* Switching shortcuts off. A shortcut is what the inline half of an add, a creation or a destroy may do without further
 * checks. One function of shortcut_on.c switches it on and checks all its conditions; code that ends a condition
 * switches it off by name. No other code writes pool->filling, world->row and world->emptying.
 *
 * This header includes nothing of the storage layer, so that the lowest files can use it; shortcut_on.c needs most of
 * them. */
#ifndef COVEY_SHORTCUT_OFF_H
#define COVEY_SHORTCUT_OFF_H

#include <covey/covey.h>

/* Fast add: switched off when the block being filled may be empty or have another chunk, or when the pool gets an
 * observer. The same ends rows. */
static inline void covey__fast_add_off(covey_pool *pool) {
    pool->filling.block = COVEY__NO_BLOCK;
    pool->world->row.count = pool->world->row.inlined = COVEY_NONE;
}

/* Rows: also switched off when the world gets a listener, or when the kind creates at another word or ends. Chunks that
 * move end them through world->moves. */
static inline void covey__fast_row_off(covey_world *world) { world->row.count = world->row.inlined = COVEY_NONE; }
/* Also forgets the kind that was created last. */
static inline void covey__recent_kind_off(covey_world *world) {
    covey__fast_row_off(world);
    world->recent.kind = NULL;
    world->recent.count = COVEY_NONE;
}

/* Fast destroy: switched off when entities get listeners or a listener is called, when a range is reserved, when a pool
 * gets the first component of a block, or when removing takes more than clearing a bit. Chunks that move end it through
 * world->moves. */
static inline void covey__fast_destroy_off(covey_world *world) { world->emptying.block = COVEY__NO_BLOCK; }
/* The same without a branch. */
static inline void covey__fast_destroy_off_if(covey_world *world, bool condition) {
    world->emptying.block |= 0 - (uint32_t)condition;
}

#endif
