/* Which storage would be best for a pool: counted from where its components are, not estimated. */
#include "bits.h"
#include "block_store.h"
#include "pool.h"
#include "reactive.h"
#include "slab.h"
#include "storage.h"

#include <stdio.h>

/* Where the components of a pool are, in numbers. */
typedef struct covey__census {
    uint64_t components, ids; /* ids: up to the last that is there */
    uint64_t set_pages;       /* pages that the table of a sparse set would have */
    uint64_t block_pages, blocks;
    uint64_t chunks[17]; /* blocks that would have a chunk of this capacity, by its quarter */
} covey__census;

/* Which of 64 ids are there. */
static uint64_t mask_of(const covey_pool *pool, uint32_t first) {
    if (covey__in_blocks(pool)) {
        if (first / COVEY__BLOCK_PAGE >= pool->blocks.page_count) return 0;
        return covey__block_page_of(&pool->blocks, first)->masks[covey__block_of(first)];
    }
    uint64_t mask = 0;
    for (uint32_t i = 0; i < 64; i++) mask |= (uint64_t)covey__has_index(pool, first + i) << i;
    return mask;
}

static uint64_t ids_of(const covey_pool *pool) {
    if (covey__in_blocks(pool)) return (uint64_t)pool->blocks.page_count * COVEY__BLOCK_PAGE;
    return (uint64_t)pool->set.page_count * COVEY_PAGE_SIZE;
}

/* Pages of both kinds are multiples of 64 ids, or parts of them: counts those that the block is the first to need. */
static void count_pages(covey__census *census, uint64_t first, uint64_t mask, uint64_t *set_end, uint64_t *block_end) {
    if (first >= *block_end) {
        census->block_pages++;
        *block_end = (first / COVEY__BLOCK_PAGE + 1) * COVEY__BLOCK_PAGE;
    }
    for (; mask != 0; mask &= mask - 1) {
        uint64_t index = first + covey__lowest_bit(mask);
        census->ids = index + 1;
        if (index < *set_end) continue;
        census->set_pages++;
        *set_end = (index / COVEY_PAGE_SIZE + 1) * COVEY_PAGE_SIZE;
    }
}

static covey__census census_of(const covey_pool *pool, const covey__block_store *shape) {
    covey__census census = { 0 };
    uint64_t set_end = 0, block_end = 0;
    for (uint64_t first = 0; first < ids_of(pool); first += 64) {
        uint64_t mask = mask_of(pool, (uint32_t)first);
        if (mask == 0) continue;
        uint32_t count = covey__bits_in(mask);
        census.components += count;
        census.blocks++;
        census.chunks[covey__fitting_capacity(shape, count) / 4]++;
        count_pages(&census, first, mask, &set_end, &block_end);
    }
    return census;
}

static uint64_t divided(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

/* The positions that a pool takes as a sparse set. In place, holes between components stay. */
static uint64_t positions_of(const covey_pool *pool, const covey__census *census) {
    if (pool->type->policy != COVEY_IN_PLACE) return census->components;
    uint32_t end = pool->set.end;
    while (end != 0 && covey__is_hole(&pool->set, end - 1)) end--;
    return end;
}

static size_t bytes_as_set(const covey_pool *pool, const covey__census *census) {
    uint64_t positions = positions_of(pool, census), pages = divided(positions, COVEY_PAGE_SIZE);
    uint64_t bytes = census->set_pages * COVEY_PAGE_SIZE * sizeof(covey__slot);
    bytes += divided(census->ids, COVEY_PAGE_SIZE) * sizeof(uintptr_t) + positions * sizeof(covey_entity);
    if (pool->type->policy == COVEY_ORDERED) bytes += divided(positions, 64) * sizeof(uint64_t);
    if (pool->type->policy != COVEY_IN_PLACE) bytes += positions * pool->size;
    else if (pool->size != 0) bytes += pages * (COVEY_PAGE_SIZE * (uint64_t)pool->size + sizeof(void *));
    return (size_t)bytes;
}

/* Chunks that are there are counted; others would come one by one, and, unless they are pinned, be compacted. */
static size_t bytes_of_chunks(const covey_pool *pool, const covey__block_store *shape, const covey__census *census) {
    if (pool->size == 0) return 0;
    if (covey__in_blocks(pool)) return covey__blocks_chunk_bytes_compacted(&pool->blocks);
    if (shape->pinned) return covey__slabs_bytes_grown(shape, 64, census->blocks);
    size_t bytes = 0;
    for (uint32_t i = 1; i <= 16; i++) bytes += covey__slabs_bytes_packed(shape, i * 4, census->chunks[i]);
    return bytes;
}

static size_t bytes_as(const covey_pool *pool, covey_storage storage) {
    covey_pool other = *pool;
    covey__pool_init(&other, storage == COVEY_STORAGE_SPARSE ? COVEY_STORAGE_BLOCK : storage);
    covey__census census = census_of(pool, &other.blocks);
    if (storage == COVEY_STORAGE_SPARSE) return sizeof *pool + bytes_as_set(pool, &census);
    uint64_t pages = census.block_pages * sizeof(covey__block_page);
    pages += divided(census.ids, COVEY__BLOCK_PAGE) * sizeof(void *);
    return sizeof *pool + (size_t)pages + bytes_of_chunks(pool, &other.blocks, &census);
}

static covey_advice advice_for(covey_pool *pool) {
    covey_advice advice = {
        .pool = pool,
        .storage = (covey_storage)pool->storage,
        .best = (covey_storage)pool->storage,
        .uses = pool->uses & (COVEY_USE_ORDER | COVEY_USE_STABLE | COVEY_USE_GROUP),
        .bytes = covey_pool_memory(pool),
        .best_bytes = bytes_as(pool, (covey_storage)pool->storage),
        .ids = ids_of(pool),
    };
    if (covey__is_reactive(pool)) advice.best_bytes = advice.bytes; /* what is unused is reserved */
    if ((pool->uses & (COVEY_USE_ORDER | COVEY_USE_GROUP | COVEY__USE_REACTIVE)) != 0) return advice;
    bool stable = (pool->uses & COVEY_USE_STABLE) != 0;
    covey_storage other = stable                                  ? COVEY_STORAGE_PINNED
                          : pool->storage == COVEY_STORAGE_SPARSE ? COVEY_STORAGE_BLOCK
                                                                  : COVEY_STORAGE_SPARSE;
    size_t bytes = bytes_as(pool, other);
    if (bytes >= advice.best_bytes) return advice;
    advice.best = other;
    advice.best_bytes = bytes;
    return advice;
}

uint32_t covey_world_advise(const covey_world *world, covey_advice *advice, uint32_t capacity) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    for (uint32_t i = 0; i < world->pool_count && i < capacity; i++) advice[i] = advice_for(world->pools[i]);
    return world->pool_count;
}

int covey_advice_print(char *text, size_t size, const covey_advice *advice) {
    static const char *const names[] = { "DEFAULT", "SPARSE", "BLOCK", "PINNED" };
    const char *type = covey_pool_type(advice->pool)->name, *best = names[advice->best];
    size_t saved = advice->bytes > advice->best_bytes ? advice->bytes - advice->best_bytes : 0;
    if (saved == 0) return snprintf(text, size, "%s: %zu bytes, the least of all storages", type, advice->bytes);
    if (advice->best == advice->storage)
        return snprintf(text, size, "%s: %zu bytes; covey_pool_compact and covey_pool_shrink would save %zu", type,
                        advice->bytes, saved);
    if ((advice->uses & COVEY_USE_STABLE) != 0)
        return snprintf(text, size, "%s: %zu bytes; .storage = COVEY_STORAGE_%s in its type would save %zu", type,
                        advice->bytes, best, saved);
    return snprintf(text, size, "%s: %zu bytes; covey_pool_convert(pool, COVEY_STORAGE_%s) would save %zu", type,
                    advice->bytes, best, saved);
}
