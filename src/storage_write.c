#include "storage_write.h"

#include "block_store.h"
#include "sparse_set.h"
#include "storage.h"

/* The values of neighbours that all have one lie in order, if those of the block do. */
static bool are_in_order(const covey__block_page *page, uint32_t block, covey__stretch stretch, uint64_t found) {
    return stretch.in_order && found == stretch.bits && (page->ordered >> block & 1) != 0;
}

static uint64_t write_block(covey_pool *pool, const covey_entity *entities, covey__stretch stretch,
                            const char *values) {
    const covey__block_store *blocks = &pool->blocks;
    uint32_t first = entities->index;
    size_t size = pool->size;
    if (!covey__blocks_have_page(blocks, first / COVEY__BLOCK_PAGE)) return 0;
    const covey__block_page *page = covey__block_page_of(blocks, first);
    uint32_t block = covey__block_of(first);
    uint64_t found = page->masks[block] & stretch.bits;
    if (are_in_order(page, block, stretch, found)) {
        memcpy(covey__block_value(blocks, first, size), values, stretch.count * size);
        return found;
    }
    for (uint32_t i = 0; i < stretch.count; i++)
        if ((found >> entities[i].index % 64 & 1) != 0)
            covey__copy(covey__block_value(blocks, entities[i].index, size), values + i * size, size);
    return found;
}

static uint64_t write_set(covey_pool *pool, const covey_entity *entities, covey__stretch stretch, const char *values) {
    covey__lookup lookup = covey__lookup_in(pool->world, pool);
    size_t size = pool->size;
    uint64_t found = 0;
    for (uint32_t i = 0; i < stretch.count; i++) {
        void *to = covey__lookup_get(&lookup, entities[i], size);
        if (!to) continue;
        covey__copy(to, values + i * size, size);
        found |= (uint64_t)1 << entities[i].index % 64;
    }
    return found;
}

uint64_t covey__storage_write(covey_pool *pool, const covey_entity *entities, covey__stretch stretch,
                              const char *values) {
    return (covey__in_blocks(pool) ? write_block : write_set)(pool, entities, stretch, values);
}
