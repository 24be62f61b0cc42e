/* Switching shortcuts on: shortcut_off.h says what they are. */
#ifndef COVEY_SHORTCUT_ON_H
#define COVEY_SHORTCUT_ON_H

#include "storage/front.h"
#include "storage/shortcut_off.h"

/* Called after a component was added at this index: the next adds are likely to go to the same block. Switches the fast
 * add on if the block is direct, the pool has no observer and no entity is being destroyed. */
void covey__fast_add_on(covey_pool *pool, uint32_t index);
bool covey__fast_add_valid(const covey_pool *pool, const char **why);

/* Called after an entity of the recent kind was created at this index: the next ones are likely to be in the same word.
 * Switches rows on if each component lies in a direct block, or at the end of a set. Their pools have no observers,
 * except for groups that own them: by pool, the front of its group, or NULL. */
void covey__fast_row_on(covey_world *world, uint32_t index, covey__front *const *fronts);
static inline bool covey__row_is_on(const covey_world *world, uint32_t index) {
    const covey__row *row = &world->row;
    return row->count != COVEY_NONE && row->first == index / 64 * 64 && row->moves == world->moves;
}
bool covey__fast_row_valid(const covey_world *world, const char **why);

/* Called after the entity of this index was destroyed: the next one is likely to be in the same block. Switches the
 * fast destroy on if the entity destroyed before was near, entities have no listeners, no listener is being
 * called, no range is reserved, and a removal clears one bit of a mask in each pool that is present. */
void covey__fast_destroy_on(covey_world *world, uint32_t index);
/* Whether the next index is likely to be near this one, as this one is near the one before. In no order, few are.
 * Otherwise covey__fast_destroy_skip is enough. */
static inline bool covey__is_beside_destroyed(const covey_world *world, uint32_t index) {
    enum { NEAR = 8 };
    return index - world->emptying.last + NEAR <= 2 * NEAR || index / COVEY__BLOCK_IDS == world->emptying.block;
}
static inline void covey__fast_destroy_skip(covey_world *world, uint32_t index) {
    world->emptying.last = index;
    covey__fast_destroy_off(world);
}
bool covey__fast_destroy_valid(const covey_world *world, const char **why);

#endif
