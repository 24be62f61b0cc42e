/* Erasing components: one, or many at once. Unmarks the pool in blocks where nothing is left. Drops no value. */
#ifndef COVEY_STORAGE_ERASE_H
#define COVEY_STORAGE_ERASE_H

#include "storage/storage.h"
#include "storage/stretch.h"

/* Erases a component that is present, without dropping its value. `in_order`: the components behind it move up, so that
 * order is kept. */
void covey__storage_erase(covey_pool *pool, covey_entity e, bool in_order);
/* Called after ids of a block were erased. If the block is empty, unmarks it in the presence index. The block is no
 * longer the one being filled. */
void covey__note_erased(covey_pool *pool, uint32_t index);

/* Drops and erases the components that are present: of any entities that are alive or were until now; or of those of a
 * block. If the pool has observers, they must need nothing more. */
void covey__storage_erase_many(covey_pool *pool, const covey_entity *entities, uint32_t count);
void covey__storage_erase_stretch(covey_pool *pool, const covey_entity *entities, const covey__stretch *s);
/* The same for any entities, alive or not. */
void covey__storage_erase_listed(covey_pool *pool, const covey_entity *entities, uint32_t count);

/* Erases the components of an entity from those of 64 pools whose bit is set in `present`, where that is quick: types
 * whose values are not dropped, in direct blocks that keep other components. Returns the bits of the remaining pools.
 * Where a block pool is marked, its directory covers the index. The loop makes no calls, so that the loads of several
 * masks overlap. */
static inline uint64_t covey__storage_erase_quickly(covey_pool *const *pools, uint64_t present, uint32_t index) {
    uint32_t number = index / COVEY__BLOCK_PAGE, block = covey__block_of(index);
    uint64_t bit = (uint64_t)1 << index % COVEY__BLOCK_IDS, remaining = 0;
    for (; present != 0; present &= present - 1) {
        covey_pool *pool = pools[covey__lowest_bit(present)];
        if (COVEY__LIKELY(pool->plain)) {
            covey__block_page *page = pool->block_store.pages[number];
            uint64_t mask = page->masks[block], left = mask & ~bit;
            if (COVEY__LIKELY(page->capacity[block] == COVEY__BLOCK_IDS && left != 0)) {
                page->masks[block] = left;
                pool->block_store.count -= (uint32_t)((left - mask) >> 63); /* 1 if the bit was set */
                if (left != mask) COVEY__TRACE(pool->world, pool->removed, index);
                continue;
            }
        }
        remaining |= present & (~present + 1);
    }
    return remaining;
}

#endif
