/* How the storage of a pool is filled, block by block. */
#include "storage/storage.h"

#include "memory/bits.h"
#include "storage/block_store.h"

/* Tags have no values that could be in another order. */
static covey_block_form form_of(const covey__block_page *page, uint32_t block, bool tag) {
    if (page->masks[block] == 0) return COVEY_BLOCK_EMPTY;
    if (!tag && (page->direct >> block & 1) == 0) return COVEY_BLOCK_COMPACT;
    return page->masks[block] == UINT64_MAX ? COVEY_BLOCK_FULL : COVEY_BLOCK_DIRECT;
}

static uint8_t slots_of(const covey__block_store *blocks, const covey__block_page *page, uint32_t block) {
    uint32_t capacity = blocks->size != 0 && page->masks[block] != 0 ? page->capacity[block] : 0;
    return (uint8_t)(capacity == COVEY__MAPPED_WHOLE ? COVEY__BLOCK_IDS : capacity);
}

static covey_block block_in(const covey__block_store *blocks, uint32_t index) {
    const covey__block_page *page = covey__block_page_of(blocks, index);
    uint32_t block = covey__block_of(index);
    if (!covey__blocks_have_page(blocks, index / COVEY__BLOCK_PAGE)) return (covey_block){ COVEY_BLOCK_ABSENT, 0, 0 };
    return (covey_block){ (uint8_t)form_of(page, block, blocks->size == 0), (uint8_t)covey__bits_in(page->masks[block]),
                          slots_of(blocks, page, block) };
}

static covey_block part_of_table(const covey_pool *pool, uint32_t index) {
    if (!covey__storage_is_present(pool, index)) return (covey_block){ COVEY_BLOCK_ABSENT, 0, 0 };
    uint32_t count = covey__bits_in(covey__storage_mask(pool, index));
    return (covey_block){ (uint8_t)(count == 0 ? COVEY_BLOCK_EMPTY : COVEY_BLOCK_SPARSE), (uint8_t)count, 0 };
}

uint32_t covey_pool_map(const covey_pool *pool, uint32_t first, covey_block *blocks, uint32_t capacity) {
    COVEY__NEEDS_POOL(pool);
    COVEY__CONTRACT(pool->world, blocks || capacity == 0, "a call needs a place for blocks");
    uint32_t count = (uint32_t)((covey__storage_ids(pool) + COVEY__BLOCK_IDS - 1) / COVEY__BLOCK_IDS);
    for (uint32_t i = 0; i < capacity && first < count; i++, first++) {
        uint32_t index = first * COVEY__BLOCK_IDS;
        blocks[i] = covey__in_blocks(pool) ? block_in(&pool->blocks, index) : part_of_table(pool, index);
    }
    return count;
}
