/* The memory of a pool's components in another storage: computed exactly from their indices, not estimated. */
#include "storage/storage.h"

#include "memory/bits.h"
#include "storage/block_store.h"
#include "storage/slab.h"

/* What the memory of a pool depends on. */
typedef struct counts {
    uint64_t components, ids; /* ids: the last index plus 1 */
    uint64_t set_pages;       /* pages that the table of a sparse set would have */
    uint64_t block_pages, blocks;
    uint64_t chunks[COVEY__FITS]; /* blocks that would have a chunk of a capacity, by covey__fit_number */
} counts;

/* Counts the pages that this block needs and no earlier one did. A page of a set may be larger or smaller than a
 * block. */
static void count_pages(counts *census, uint64_t first, uint64_t mask, uint64_t *set_end, uint64_t *block_end) {
    if (first >= *block_end) {
        census->block_pages++;
        *block_end = (first / COVEY__BLOCK_PAGE + 1) * COVEY__BLOCK_PAGE;
    }
    census->ids = first + covey__highest_bit(mask) + 1;
    for (; mask != 0; mask &= mask - 1) {
        uint64_t index = first + covey__lowest_bit(mask);
        if (COVEY_PAGE_SIZE >= COVEY__BLOCK_IDS) mask = 0; /* the others are in the same page */
        if (index < *set_end) continue;
        census->set_pages++;
        *set_end = (index / COVEY_PAGE_SIZE + 1) * COVEY_PAGE_SIZE;
    }
}

static counts census_of(const covey_pool *pool, const covey__block_store *shape) {
    counts census = { 0 };
    uint64_t first = 0, set_end = 0, block_end = 0;
    for (uint64_t mask; (mask = covey__storage_next_mask(pool, &first)) != 0; first += COVEY__BLOCK_IDS) {
        uint32_t count = covey__bits_in(mask);
        census.components += count;
        census.blocks++;
        census.chunks[covey__fit_number(covey__fitting_capacity(shape, count))]++;
        count_pages(&census, first, mask, &set_end, &block_end);
    }
    return census;
}

static uint64_t divided(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

/* The positions that a pool takes as a sparse set. In place, holes between components stay. */
static uint64_t positions_of(const covey_pool *pool, const counts *census) {
    if (pool->type->policy != COVEY_IN_PLACE) return census->components;
    uint32_t end = pool->set.end;
    while (end != 0 && covey__is_hole(&pool->set, end - 1)) end--;
    return end;
}

static size_t bytes_as_set(const covey_pool *pool, const counts *census) {
    uint64_t positions = positions_of(pool, census), pages = divided(positions, COVEY_PAGE_SIZE);
    uint64_t bytes = census->set_pages * COVEY_PAGE_SIZE * sizeof(covey__slot);
    bytes += divided(census->ids, COVEY_PAGE_SIZE) * sizeof(uintptr_t) + positions * sizeof(covey_entity);
    if (pool->type->policy == COVEY_ORDERED) bytes += divided(positions, 64) * sizeof(uint64_t);
    if (pool->type->policy != COVEY_IN_PLACE) bytes += positions * pool->size;
    else if (pool->size != 0) bytes += pages * (COVEY_PAGE_SIZE * (uint64_t)pool->size + sizeof(void *));
    return (size_t)bytes;
}

/* The bytes of chunks: those that exist, if the pool is in blocks; otherwise as if taken one by one if pinned, and
 * compacted if not. */
static size_t bytes_of_chunks(const covey_pool *pool, const covey__block_store *shape, const counts *census) {
    if (pool->size == 0) return 0;
    if (covey__in_blocks(pool)) return covey__blocks_chunk_bytes_compacted(&pool->blocks);
    if (shape->pinned) return covey__slabs_bytes_grown(shape, COVEY__BLOCK_IDS, census->blocks);
    size_t bytes = 0;
    for (uint32_t i = 1; i < COVEY__FITS; i++)
        bytes += covey__slabs_bytes_packed(shape, covey__fit_capacity(i), census->chunks[i]);
    return bytes;
}

size_t covey__storage_bytes_as(const covey_pool *pool, covey_storage storage) {
    covey_pool other = *pool;
    covey__storage_init(&other, storage == COVEY_STORAGE_SPARSE ? COVEY_STORAGE_BLOCK : storage);
    counts census = census_of(pool, &other.blocks);
    if (storage == COVEY_STORAGE_SPARSE) return bytes_as_set(pool, &census);
    uint64_t pages = census.block_pages * sizeof(covey__block_page);
    pages += divided(census.ids, COVEY__BLOCK_PAGE) * sizeof(void *);
    return (size_t)pages + bytes_of_chunks(pool, &other.blocks, &census);
}

size_t covey__storage_bytes_to_group(const covey_pool *pool) {
    covey__block_store grouped = pool->blocks;
    grouped.grouped = true;
    size_t now = covey__blocks_chunk_bytes_packed(&pool->blocks), then = covey__blocks_chunk_bytes_packed(&grouped);
    return then > now ? then - now : 0;
}

covey_storage covey__storage_alternative(const covey_pool *pool) {
    if ((pool->uses & COVEY_USE_STABLE) != 0) return COVEY_STORAGE_PINNED;
    return covey__in_blocks(pool) ? COVEY_STORAGE_SPARSE : COVEY_STORAGE_BLOCK;
}
