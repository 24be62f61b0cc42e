/* Erasing components: one, or many at once. Unmarks the pool in blocks where nothing is left. Drops no value. */
#ifndef COVEY_STORAGE_ERASE_H
#define COVEY_STORAGE_ERASE_H

#include "storage/sparse_set.h"
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

/* Erases a component from a direct block that keeps other components. Returns whether the component is in another
 * block. The directory covers the index. */
static inline bool covey__erase_bit(covey_pool *pool, uint32_t index) {
    covey__block_page *page = covey__block_page_of(&pool->block_store, index);
    uint32_t block = covey__block_of(index);
    uint64_t mask = page->masks[block], left = mask & ~((uint64_t)1 << index % COVEY__BLOCK_IDS);
    if (!COVEY__LIKELY(page->capacity[block] == COVEY__BLOCK_IDS && left != 0)) return left != mask;
    page->masks[block] = left;
    if (mask == UINT64_MAX) page->full &= ~((uint64_t)1 << block);
    pool->block_store.count -= (uint32_t)((left - mask) >> 63); /* 1 if the bit was set */
    if (left != mask) COVEY__TRACE(pool->world, pool->removed, index);
    return false;
}

/* These erase the components of a destroyed entity from those of 64 pools whose bit is set in `present`, where that is
 * quick and values are not dropped: from direct blocks that keep other components; and from sparse sets whose last
 * element moves into the gap. They return the bits of the remaining pools; *slots has those of plain pools that have a
 * component in another block. Where a block pool is marked, its directory covers the index. The first loop makes no
 * calls, so that the loads of several masks overlap, and does not branch on whether a component is present. */
static inline uint64_t covey__storage_erase_bits(covey_pool *const *pools, uint64_t present, uint32_t index,
                                                 uint64_t *slots) {
    uint64_t remaining = 0, found = 0;
    for (; present != 0; present &= present - 1) {
        uint32_t number = covey__lowest_bit(present);
        if (COVEY__LIKELY(pools[number]->plain)) found |= (uint64_t)covey__erase_bit(pools[number], index) << number;
        else remaining |= (uint64_t)1 << number;
    }
    *slots = found;
    return remaining;
}
/* Erases the components in plain pools that have one: in *slots of covey__storage_erase_bits. */
void covey__storage_erase_slots(covey_pool *const *pools, uint64_t slots, covey_entity e);
/* Which of these pools have a component of an index, if they are in blocks; the others may have one. A branch for each
 * would be mispredicted. *plain: whether all of them are. */
static inline uint64_t covey__storage_having(covey_pool *const *pools, uint64_t present, uint32_t index, bool *plain) {
    uint64_t found = 0;
    for (; present != 0; present &= present - 1) {
        uint32_t number = covey__lowest_bit(present);
        const covey_pool *pool = pools[number];
        found |= (uint64_t)(!covey__in_blocks(pool) || covey__has_index(pool, index)) << number;
        *plain &= pool->plain;
    }
    return found;
}
uint64_t covey__storage_erase_swapping(covey_world *world, covey_pool *const *pools, uint64_t present, covey_entity e);

#endif
