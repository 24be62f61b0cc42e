/* Freeing the places of components. */
#include "storage/storage_erase.h"

#include "storage/block_store.h"
#include "storage/marks.h"
#include "storage/presence.h"

void covey__note_erased(covey_pool *pool, uint32_t index) {
    if (!covey__block_is_empty(&pool->block_store, index)) return;
    covey__presence_unmark(pool->world, pool->number, index);
    covey__fast_add_off(pool);
}

void covey__storage_erase(covey_pool *pool, covey_entity e, bool in_order) {
    if (covey__is_reactive(pool)) {
        covey__reactive_unmark(pool, e.index);
    } else if (covey__in_blocks(pool)) {
        covey__blocks_erase(&pool->block_store, e.index);
        covey__note_erased(pool, e.index);
    } else if (in_order) {
        covey_sparse_set_erase_ordered(&pool->sparse_set, e);
    } else {
        covey_sparse_set_erase(&pool->sparse_set, e);
    }
}

void covey__storage_erase_slots(covey_pool *const *pools, uint64_t slots, covey_entity e) {
    uint32_t index = e.index, block = covey__block_of(index);
    uint64_t bit = (uint64_t)1 << index % COVEY__BLOCK_IDS;
    for (; slots != 0; slots &= slots - 1) {
        covey_pool *pool = pools[covey__lowest_bit(slots)];
        covey__block_page *page = covey__block_page_of(&pool->block_store, index);
        uint64_t left = page->masks[block] & ~bit;
        COVEY__TRACE(pool->world, pool->removed, index);
        if (!COVEY__LIKELY(left != 0)) covey__pool_remove_slowly(pool, index, e.generation);
        else if (COVEY__LIKELY(pool->size == 8)) covey__block_erase_slot(&pool->block_store, page, index, left, 8);
        else covey__block_erase_slot(&pool->block_store, page, index, left, pool->size);
    }
}

static bool swaps(const covey_pool *pool) {
    return !covey__in_blocks(pool) && pool->sparse_set.removal == COVEY__REMOVE_SWAPPING;
}

/* Returns how many components it erased. */
COVEY_HOT uint32_t erase_one_swapping(covey_sparse_set *set, covey_entity e) {
    uint64_t at = covey__position(set, e);
    if (!COVEY__LIKELY(at < set->end)) return 0;
    size_t last = --set->end, size = set->size;
    covey__slot moved = covey__set_id(set, (uint32_t)last);
    uint32_t index = covey__slot_position(moved);
    set->ids[at] = covey__entity(index, covey__slot_generation(moved));
    *covey__slot_of(set, index) = moved ^ index ^ (covey__slot)at;
    *covey__slot_of(set, e.index) = COVEY__SLOT_NULL; /* the last element, if it moved into the gap */
    if (at != last) covey__copy((char *)set->data + at * size, (char *)set->data + last * size, size);
    return 1;
}

uint64_t covey__storage_erase_swapping(covey_world *world, covey_pool *const *pools, uint64_t present, covey_entity e) {
    uint64_t remaining = 0;
    uint32_t count = 0;
    for (; present != 0; present &= present - 1) {
        covey_pool *pool = pools[covey__lowest_bit(present)];
        if (!swaps(pool)) {
            remaining |= present & (~present + 1);
            continue;
        }
        uint32_t erased = erase_one_swapping(&pool->sparse_set, e);
        if (erased != 0) COVEY__TRACE(world, pool->removed, e.index);
        count += erased;
    }
    world->shifts += count;
    return remaining;
}

/* ---- Many --------------------------------------------------------------------------------------------------------*/

/* Whether erasing from a packed storage is a swap of bytes, or a mark. */
static bool is_simple(const covey_sparse_set *set, covey_policy policy) {
    return set->policy == policy && !set->mover.type && !set->zero_erased;
}

static inline void drop_at(covey_pool *pool, size_t at, size_t size) {
    covey__pool_drop_value(pool, (char *)pool->sparse_set.data + at * size);
}

/* Like covey__pool_remove, with the loop invariants in registers. */
COVEY_HOT void erase_swapping(covey_pool *pool, const covey_entity *entities, uint32_t count, size_t size, bool drops) {
    covey_sparse_set *set = &pool->sparse_set;
    const uintptr_t *pages = set->pages;
    covey_entity *ids = set->ids;
    char *data = set->data;
    uint32_t end = set->end, before = end;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = covey__position_in(pages, set->page_count, entities[i]);
        if (at >= end) continue;
        COVEY__TRACE(pool->world, pool->removed, entities[i].index);
        if (drops) drop_at(pool, (size_t)at, size);
        covey__slot moved = covey__set_id(set, --end);
        uint32_t index = covey__slot_position(moved);
        ids[at] = covey__entity(index, covey__slot_generation(moved));
        *covey__slot_in(pages, index) = moved ^ index ^ (covey__slot)at;
        *covey__slot_in(pages, entities[i].index) = COVEY__SLOT_NULL; /* the last element, if it moved into the hole */
        if (at != end) memcpy(data + at * size, data + end * size, size);
        if (drops) set->end = end; /* hooks may read the pool */
    }
    *set->shifts += before - end;
    set->end = end;
}

COVEY_HOT void erase_marking(covey_pool *pool, const covey_entity *entities, uint32_t count, bool drops) {
    covey_sparse_set *set = &pool->sparse_set;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = covey__position(set, entities[i]);
        if (at >= set->end) continue;
        COVEY__TRACE(pool->world, pool->removed, entities[i].index);
        if (drops) drop_at(pool, (size_t)at, set->size);
        set->marks[at / 64] |= (uint64_t)1 << at % 64;
        set->holes++;
        ++*set->shifts;
        *covey__slot_of(set, entities[i].index) = COVEY__SLOT_NULL;
    }
}

static void erase_packed(covey_pool *pool, const covey_entity *entities, uint32_t count) {
    covey_sparse_set *set = &pool->sparse_set;
    bool drops = pool->type->drop != NULL;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = covey__position(set, entities[i]);
        if (at >= set->end) continue;
        COVEY__TRACE(pool->world, pool->removed, entities[i].index);
        if (drops) covey__pool_drop_value(pool, covey__value_at(set, (size_t)at, set->size));
        covey_sparse_set_erase(set, entities[i]);
    }
}

static void erase_by_index(covey_pool *pool, const covey_entity *entities, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (!covey__block_has(&pool->block_store, entities[i].index)) continue;
        COVEY__TRACE(pool->world, pool->removed, entities[i].index);
        covey__pool_drop(pool, entities[i]);
        covey__storage_erase(pool, entities[i], false);
    }
}

/* Whether erasing a component from a direct block that keeps others clears a bit, and that is all. */
static bool clears_bits(const covey_pool *pool) {
    const covey__block_store *blocks = &pool->block_store;
    return covey__in_blocks(pool) && !covey__is_reactive(pool) && !blocks->mover.type && !blocks->zero_erased;
}

/* Most blocks are direct and keep other components. */
COVEY_HOT void erase_bits(covey_pool *pool, const covey_entity *entities, uint32_t count, bool may_be_dead,
                          bool drops) {
    covey__block_store *blocks = &pool->block_store;
    uint32_t erased = 0, reach = blocks->page_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = covey__index(entities[i]), block = covey__block_of(index);
        if (index / COVEY__BLOCK_PAGE >= reach) continue;
        if (may_be_dead && covey__generation_of(pool->world, index) != covey__generation(entities[i])) continue;
        covey__block_page *page = covey__block_page_of(blocks, index);
        uint64_t mask = page->masks[block], left = mask & ~((uint64_t)1 << index % COVEY__BLOCK_IDS);
        if (left == mask) continue;
        if (!COVEY__LIKELY(left != 0 && page->capacity[block] == COVEY__BLOCK_IDS)) {
            if (drops) erase_by_index(pool, &entities[i], 1);
            else covey__pool_remove(pool, entities[i], pool->size);
            continue;
        }
        COVEY__TRACE(pool->world, pool->removed, index);
        if (drops)
            covey__pool_drop_value(pool, page->chunks[block].data + index % COVEY__BLOCK_IDS * (size_t)pool->size);
        if (mask == UINT64_MAX) page->full &= ~((uint64_t)1 << block);
        page->masks[block] = left;
        if (drops) blocks->count--; /* hooks may read the pool */
        else erased++;
    }
    blocks->count -= erased;
}

/* A separate function, so that the loop keeps its variables in registers. */
static COVEY__NOINLINE void erase_bits_listed(covey_pool *pool, const covey_entity *entities, uint32_t count) {
    erase_bits(pool, entities, count, true, false);
}

static void erase_in_blocks(covey_pool *pool, const covey_entity *entities, uint32_t count) {
    if (pool->plain) erase_bits(pool, entities, count, false, false);
    else if (pool->type->drop && clears_bits(pool)) erase_bits(pool, entities, count, false, true);
    else erase_by_index(pool, entities, count);
}

void covey__storage_erase_many(covey_pool *pool, const covey_entity *entities, uint32_t count) {
    const covey_sparse_set *set = &pool->sparse_set;
    bool drops = pool->type->drop != NULL;
    if (covey__in_blocks(pool)) erase_in_blocks(pool, entities, count);
    else if (is_simple(set, COVEY_ORDERED)) erase_marking(pool, entities, count, drops);
    else if (!is_simple(set, COVEY_SWAP_AND_POP)) erase_packed(pool, entities, count);
    else if (drops) erase_swapping(pool, entities, count, set->size, true);
    else if (set->size == 8) erase_swapping(pool, entities, count, 8, false);
    else erase_swapping(pool, entities, count, set->size, false);
}

void covey__storage_erase_listed(covey_pool *pool, const covey_entity *entities, uint32_t count) {
    if (pool->plain) erase_bits_listed(pool, entities, count);
    else if (!covey__in_blocks(pool)) covey__storage_erase_many(pool, entities, count);
    else if (pool->type->drop && clears_bits(pool)) erase_bits(pool, entities, count, true, true);
    else
        for (uint32_t i = 0; i < count; i++)
            if (covey_alive(pool->world, entities[i])) erase_by_index(pool, &entities[i], 1);
}

/* Whether the entity has one of the components of its block whose bits are set. */
static bool is_among(uint64_t bits, covey_entity e) { return (bits >> e.index % COVEY__BLOCK_IDS & 1) != 0; }

static void drop_stretch(covey_pool *pool, const covey_entity *entities, const covey__stretch *s, uint64_t bits) {
    for (uint32_t i = 0; i < s->count; i++)
        if (is_among(bits, entities[i])) covey__pool_drop(pool, entities[i]);
}

void covey__storage_erase_stretch(covey_pool *pool, const covey_entity *entities, const covey__stretch *s) {
    uint32_t index = entities->index;
    if (!covey__in_blocks(pool)) {
        covey__storage_erase_many(pool, entities, s->count);
        return;
    }
    if (covey__block_is_empty(&pool->block_store, index)) return;
    uint64_t bits = s->bits & covey__block_page_of(&pool->block_store, index)->masks[covey__block_of(index)];
    if (bits == 0) return;
    if (pool->block_store.mover.type) { /* the hook must not move values that were dropped */
        erase_by_index(pool, entities, s->count);
        return;
    }
    for (uint32_t i = 0; i < s->count; i++)
        if (is_among(bits, entities[i])) COVEY__TRACE(pool->world, pool->removed, entities[i].index);
    if (covey__is_reactive(pool)) {
        covey__reactive_unmark_bits(pool, index, bits);
        return;
    }
    if (pool->type->drop) drop_stretch(pool, entities, s, bits);
    covey__blocks_erase_bits(&pool->block_store, index, bits);
    covey__note_erased(pool, index);
}
