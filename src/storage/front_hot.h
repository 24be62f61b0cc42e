/* The usual case of fronts: a pool is in one front and has no other observer, so that a component goes to its final
 * place at once. Inline in members.c, whose hot path it is. */
#ifndef COVEY_FRONT_HOT_H
#define COVEY_FRONT_HOT_H

#include "storage/block_store.h"
#include "storage/front.h"
#include "storage/sparse_set.h"

/* ---- Packed ------------------------------------------------------------------------------------------------------*/

/* The slots of an entity's other components; false when one is missing. */
COVEY_HOT bool covey__front_slots(covey__others in, uint32_t index, covey__slot **slots) {
    for (uint32_t i = 0; i < in.count; i++) {
        const covey_sparse_set *set = &in.pools[i]->sparse_set;
        if (!covey__set_has(set, index, set->end)) return false;
        slots[i] = covey__slot_of(set, index);
    }
    return true;
}

COVEY_HOT void covey__front_move_others(covey__others in, covey__slot **slots, covey__slot id, uint32_t border,
                                        bool joins) {
    for (uint32_t i = 0; i < in.count; i++) covey__front_move(in.pools[i], slots[i], id, border, joins);
}

/* Joins. The first entity behind the front moves to the end of the pool; returns where it was. */
COVEY_HOT uint32_t covey__front_open(covey__front *front, covey_pool *pool, covey__others in, covey__slot **slots,
                                     covey__slot id, uint32_t end) {
    uint32_t border = front->count++;
    covey__front_move_others(in, slots, id, border, true);
    if (border != end) {
        covey__set_move(&pool->sparse_set, border, end);
        covey__pool_moved(pool, true);
    }
    return border;
}

COVEY_HOT void *covey__front_place_packed(covey__front *front, covey_pool *pool, covey__others in, uint32_t index,
                                          uint32_t generation) {
    covey_sparse_set *set = &pool->sparse_set;
    covey__slot *slots[COVEY_TERMS], *slot;
    uint32_t at = set->end;
    covey__slot id = COVEY__SLOT(index, generation);
    if (index / COVEY_PAGE_SIZE >= set->page_count || at >= set->row_room) return NULL;
    slot = covey__slot_of(set, index);
    if (*slot != COVEY__SLOT_NULL || !covey__is_current(pool->world, covey__entity(index, generation))) return NULL;
    if (pool->world->dying) return NULL;
    if (covey__front_slots(in, index, slots)) at = covey__front_open(front, pool, in, slots, id, at);
    set->end++;
    set->ids[at] = covey__entity(index, generation);
    *slot = COVEY__SLOT(at, generation);
    COVEY__TRACE(pool->world, pool->added, index);
    return (char *)set->data + (size_t)at * set->size;
}

/* Leaves. The last entity of the front fills the hole; returns where it was. */
COVEY_HOT uint32_t covey__front_close(covey__front *front, covey_pool *pool, covey__others in, covey__slot **slots,
                                      covey__slot id, uint32_t hole) {
    uint32_t border = --front->count;
    covey__front_move_others(in, slots, id, border, false);
    if (hole != border) covey__set_move(&pool->sparse_set, border, hole);
    return border;
}

COVEY_HOT void covey__front_erase_packed(covey__front *front, covey_pool *pool, covey__others in, uint32_t index) {
    covey_sparse_set *set = &pool->sparse_set;
    covey__slot *slots[COVEY_TERMS], *slot = covey__slot_of(set, index);
    uint32_t hole = covey__slot_position(*slot);
    bool is_in = hole < front->count && covey__front_slots(in, index, slots);
    if (is_in) hole = covey__front_close(front, pool, in, slots, covey__set_id(set, hole), hole);
    covey__set_fill_hole(set, slot, hole);
}

/* ---- By block ----------------------------------------------------------------------------------------------------*/

/* The blocks of an index in the other pools; false if one of them does not have it. */
COVEY_HOT bool covey__front_blocks(covey__others in, uint32_t index, covey__block *found) {
    for (uint32_t i = 0; i < in.count; i++) {
        if (!covey__block_has(&in.pools[i]->block_store, index)) return false;
        found[i] = covey__block_in(&in.pools[i]->block_store, index);
    }
    return true;
}

/* Whether the components of an index join or leave in the same block as those before. */
COVEY_HOT bool covey__is_near(const covey__near *near, const covey_pool *pool, uint32_t index) {
    return near->number == index / COVEY__BLOCK_IDS && near->moves == pool->world->moves;
}

/* Notes the block of a member when it is changed for the second time in a row. */
COVEY_HOT void covey__near_note(covey__near *near, const covey__front *front, const covey_pool *pool, covey__others in,
                                uint32_t index) {
    uint32_t number = index / COVEY__BLOCK_IDS;
    if (COVEY__LIKELY(near->last != number)) near->last = number;
    else covey__near_find(near, front, pool, in, index);
}

/* Moves the entity of an index, which joins, to a slot in the other pools. */
COVEY_HOT void covey__front_move_in_others(covey__others in, const covey__block *found, uint32_t index, uint32_t slot) {
    for (uint32_t i = 0; i < in.count; i++) {
        covey_pool *pool = in.pools[i];
        if (found[i].map[index % COVEY__BLOCK_IDS] == slot) continue;
        covey__front_exchange_in_block(pool, index, slot);
        covey__pool_moved(pool, false);
        COVEY__TRACE(pool->world, pool->removed, COVEY_NONE);
    }
}

/* Joins. The first entity behind the front moves to the next free slot; returns where it was. */
COVEY_HOT uint32_t covey__front_open_slot(covey__front *front, covey_pool *pool, covey__others in,
                                          const covey__block *own, const covey__block *found, uint32_t index) {
    uint32_t next = own->page->used[own->block], slot = (*covey__border_at(front, index))++;
    covey__front_move_in_others(in, found, index, slot);
    if (slot != next) {
        covey__front_move_in_block(pool, index, slot, next);
        covey__pool_moved(pool, true);
    }
    front->count++;
    return slot;
}

COVEY_HOT void *covey__front_place_by_block(covey__front *front, covey_pool *pool, covey__others in, uint32_t index,
                                            uint32_t generation) {
    covey__block_store *blocks = &pool->block_store;
    covey__block found[COVEY_TERMS];
    if (index / COVEY__BLOCK_PAGE >= blocks->page_count || pool->world->dying) return NULL;
    if (!covey__is_current(pool->world, covey__entity(index, generation))) return NULL;
    covey__block own = covey__block_in(blocks, index);
    uint32_t bit = index % COVEY__BLOCK_IDS, slot = own.page->used[own.block];
    if (slot == own.page->capacity[own.block] || (own.page->masks[own.block] >> bit & 1) != 0) return NULL;
    if (covey__front_blocks(in, index, found)) slot = covey__front_open_slot(front, pool, in, &own, found, index);
    covey__block_take(blocks, &own, bit, slot);
    COVEY__TRACE(pool->world, pool->added, index);
    return own.data + (size_t)slot * blocks->size;
}

/* Whether a block has a bit, in this slot. */
COVEY_HOT bool covey__block_has_at(const covey__block *b, uint32_t bit, uint32_t slot) {
    return (b->page->masks[b->block] >> bit & 1) != 0 && b->map[bit] == slot;
}

/* The same in all other pools. Without a loop, which would take registers. */
COVEY_HOT bool covey__near_others_have(const covey__near *near, uint32_t bit, uint32_t slot) {
    return (near->other_count < 1 || covey__block_has_at(&near->others[0], bit, slot)) &&
           (near->other_count < 2 || covey__block_has_at(&near->others[1], bit, slot)) &&
           (near->other_count < 3 || covey__block_has_at(&near->others[2], bit, slot));
}

/* The most common case, near the component before: the entity's other components are the first ones behind the front,
 * and nothing else is behind it in the pool. What is noted is read once, because compilers cannot know that writing to
 * a block does not change it. */
COVEY_HOT void *covey__front_append_near(covey__front *front, covey_pool *pool, const covey__near *near, uint32_t index,
                                         uint32_t generation) {
    uint32_t bit = index % COVEY__BLOCK_IDS;
    if (!covey__is_near(near, pool, index) || pool->world->dying) return NULL;
    if (!covey__is_current(pool->world, covey__entity(index, generation))) return NULL;
    uint8_t *border = near->border, *used = near->used, slot = *used;
    if (slot != *border || slot == near->capacity || !covey__near_others_have(near, bit, slot)) return NULL;
    uint64_t *masks = near->mask, mask = *masks, one = (uint64_t)1 << bit;
    if ((mask & one) != 0) return NULL;
    *masks = mask | one;
    *border = *used = (uint8_t)(slot + 1);
    if (!COVEY__LIKELY(mask < one)) near->own.page->ordered &= ~((uint64_t)1 << near->own.block);
    char *value = near->own.data + (size_t)slot * pool->block_store.size;
    uint8_t *map = near->own.map;
    near->own.ids[slot] = (uint8_t)bit;
    map[bit] = slot;
    front->count++;
    pool->block_store.count++;
    COVEY__TRACE(pool->world, pool->added, index);
    COVEY__ASSUME(value != NULL);
    return value;
}

/* A member leaves: the last one of the front fills its slot, the same in all pools, and the last entity of the block
 * fills that one. */
COVEY_HOT void covey__front_close_slot(covey__front *front, covey_pool *pool, covey__others in, const covey__block *own,
                                       const covey__block *found, uint32_t index, uint8_t *border) {
    uint32_t bit = index % COVEY__BLOCK_IDS, slot = own->map[bit], edge = *border - 1u, moved = own->ids[edge];
    uint32_t last = own->page->used[own->block] - 1u;
    *border = (uint8_t)edge;
    front->count--;
    if (slot != edge) {
        for (uint32_t i = 0; i < in.count; i++) {
            covey__block_swap(&in.pools[i]->block_store, &found[i], bit, slot, moved, edge);
            covey__pool_moved(in.pools[i], false);
            COVEY__TRACE(pool->world, in.pools[i]->removed, index);
        }
        covey__block_move(&pool->block_store, own, edge, slot); /* counts a shift for all of them */
    }
    if (edge != last) covey__block_move(&pool->block_store, own, last, edge);
    covey__block_free_slot(&pool->block_store, own, bit);
}

/* Whether a component of a block is that of a member, and not the last one of the block. */
COVEY_HOT bool covey__front_leaves(const covey_pool *pool, const covey__block *own, uint32_t index,
                                   const uint8_t *border) {
    if (own->page->used[own->block] == 1 || pool->block_store.zero_erased) return false;
    return border && own->map[index % COVEY__BLOCK_IDS] < *border;
}

COVEY_HOT bool covey__front_erase_by_block(covey__front *front, covey_pool *pool, covey__near *near, covey__others in,
                                           uint32_t index) {
    if (covey__is_near(near, pool, index)) {
        if (!covey__front_leaves(pool, &near->own, index, near->border)) return false;
        covey__front_close_slot(front, pool, in, &near->own, near->others, index, near->border);
        return true;
    }
    uint8_t *border = covey__border_at(front, index);
    covey__block own = covey__block_in(&pool->block_store, index), found[COVEY_TERMS];
    if (!covey__front_leaves(pool, &own, index, border)) return false;
    for (uint32_t i = 0; i < in.count; i++) found[i] = covey__block_in(&in.pools[i]->block_store, index);
    covey__near_note(near, front, pool, in, index);
    covey__front_close_slot(front, pool, in, &own, found, index, border);
    return true;
}

/* ---- Either ------------------------------------------------------------------------------------------------------*/

/* Places a component, in the front if the entity has the others. NULL: that needs memory, or is an error. */
COVEY_HOT void *covey__front_place(covey__front *front, covey_pool *pool, covey__others in, uint32_t index,
                                   uint32_t generation) {
    return front->by_block ? covey__front_place_by_block(front, pool, in, index, generation)
                           : covey__front_place_packed(front, pool, in, index, generation);
}

/* Erases a component. False: it is not in the front, or something else has to be done as well. */
COVEY_HOT bool covey__front_erase(covey__front *front, covey_pool *pool, covey__near *near, covey__others in,
                                  uint32_t index) {
    if (front->by_block) return covey__front_erase_by_block(front, pool, near, in, index);
    covey__front_erase_packed(front, pool, in, index);
    return true;
}

/* Joins, if the entity has all other components, after it was added to one pool. */
COVEY_HOT void covey__front_join_packed(covey__front *front, covey_pool *pool, covey__others in, uint32_t index) {
    covey__slot *slots[COVEY_TERMS];
    if (!covey__front_slots(in, index, slots)) return;
    covey__slot *own = covey__slot_of(&pool->sparse_set, index);
    covey__slot id = covey__set_id(&pool->sparse_set, covey__slot_position(*own));
    covey__front_move_others(in, slots, id, front->count, true);
    covey__front_move(pool, own, id, front->count++, true);
}

COVEY_HOT void covey__front_join_in_block(covey__front *front, covey_pool *pool, covey__others in, uint32_t index) {
    covey__block found[COVEY_TERMS];
    if (!covey__front_blocks(in, index, found)) return;
    covey__block own = covey__block_in(&pool->block_store, index);
    uint32_t bit = index % COVEY__BLOCK_IDS, slot = (*covey__border_at(front, index))++;
    covey__front_move_in_others(in, found, index, slot);
    front->count++;
    if (own.map[bit] == slot) return;
    covey__block_exchange(&pool->block_store, &own, bit, slot);
    covey__pool_moved(pool, true);
}

/* The same for many, of which some may lack another component. */
static inline void covey__front_join_added(covey__front *front, covey_pool *pool, covey__others in,
                                           const covey_entity *entities, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (front->by_block) covey__front_join_in_block(front, pool, in, entities[i].index);
        else covey__front_join_packed(front, pool, in, entities[i].index);
}

#endif
