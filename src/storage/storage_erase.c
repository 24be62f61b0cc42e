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

static bool swaps(const covey_pool *pool) {
    return !covey__in_blocks(pool) && pool->sparse_set.removal == COVEY__REMOVE_SWAPPING;
}

/* Returns how many components it erased. */
COVEY_HOT uint32_t erase_swapping(covey_sparse_set *set, covey_entity e) {
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
        uint32_t erased = erase_swapping(&pool->sparse_set, e);
        if (erased != 0) COVEY__TRACE(world, pool->removed, e.index);
        count += erased;
    }
    world->shifts += count;
    return remaining;
}

/* ---- Many --------------------------------------------------------------------------------------------------------*/

bool covey__storage_erases_quietly(const covey_pool *pool) {
    if (covey__in_blocks(pool)) return pool->plain || covey__is_reactive(pool);
    return pool->sparse_set.removal == COVEY__REMOVE_SWAPPING || pool->sparse_set.removal == COVEY__REMOVE_MARKING;
}

/* Like covey__pool_remove, with the loop invariants in registers. */
static inline void erase_many_swapping(covey_pool *pool, const covey_entity *entities, uint32_t count, size_t size) {
    covey_sparse_set *set = &pool->sparse_set;
    const uintptr_t *pages = set->pages;
    covey_entity *ids = set->ids;
    char *data = set->data;
    uint32_t end = set->end;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = covey__position_in(pages, set->page_count, entities[i]);
        if (at >= end) continue;
        COVEY__TRACE(pool->world, pool->removed, entities[i].index);
        covey__slot moved = covey__set_id(set, --end);
        uint32_t index = covey__slot_position(moved);
        ids[at] = covey__entity(index, covey__slot_generation(moved));
        *covey__slot_in(pages, index) = moved ^ index ^ (covey__slot)at;
        *covey__slot_in(pages, entities[i].index) = COVEY__SLOT_NULL; /* the last element, if it moved into the hole */
        if (at != end) memcpy(data + at * size, data + end * size, size);
    }
    *set->shifts += set->end - end;
    set->end = end;
}

void covey__storage_erase_many(covey_pool *pool, const covey_entity *entities, uint32_t count) {
    if (swaps(pool) && pool->size == 8) erase_many_swapping(pool, entities, count, 8);
    else if (swaps(pool)) erase_many_swapping(pool, entities, count, pool->size);
    else
        for (uint32_t i = 0; i < count; i++) covey__pool_remove(pool, entities[i], pool->size);
}

void covey__storage_erase_stretch(covey_pool *pool, const covey_entity *entities, const covey__stretch *s) {
    uint32_t index = entities->index;
    if (!pool->plain) {
        covey__storage_erase_many(pool, entities, s->count);
        return;
    }
    uint64_t bits = s->bits & covey__block_page_of(&pool->block_store, index)->masks[covey__block_of(index)];
    for (uint32_t i = 0; i < s->count; i++)
        if ((bits >> entities[i].index % COVEY__BLOCK_IDS & 1) != 0)
            COVEY__TRACE(pool->world, pool->removed, entities[i].index);
    if (bits == 0) return;
    covey__blocks_erase_bits(&pool->block_store, index, bits);
    covey__note_erased(pool, index);
}

/* Erases the components of the first entities of a list that are in one block. Returns how many entities it handled; a
 * dead one has no components. */
static uint32_t erase_neighbours(covey_pool *pool, const covey_entity *entities, uint32_t left) {
    covey__stretch s = covey__next_stretch(pool->world, entities, left);
    if (s.count != 0 && !covey__block_is_empty(&pool->block_store, entities->index))
        covey__storage_erase_stretch(pool, entities, &s);
    return s.count != 0 ? s.count : 1;
}

void covey__storage_erase_listed(covey_pool *pool, const covey_entity *entities, uint32_t count) {
    if (!pool->plain) {
        covey__storage_erase_many(pool, entities, count);
        return;
    }
    for (uint32_t i = 0; i < count;) {
        bool together = covey__has_neighbour(entities + i, count - i);
        if (!together && covey_alive(pool->world, entities[i])) covey__pool_remove(pool, entities[i], pool->size);
        i += together ? erase_neighbours(pool, entities + i, count - i) : 1;
    }
}
