/* The storage of a pool: what everything else needs of it, whatever kind it is. Only storage*.c, the inline hot path of
 * covey.h and the loops of views know the kinds, with sparse_set, block_store, slab and marks below them. Places are made
 * in storage_place.h and freed in storage_erase.h.
 *
 * Storages differ in one way that their users see. A packed one has its components in an order of its own, at positions
 * without regard to indices; the other ones have them by index, in blocks of 64. */
#ifndef COVEY_STORAGE_H
#define COVEY_STORAGE_H

#include "hook.h"
#include "sparse_set.h"

#include <covey/covey.h>

/* ---- One component -----------------------------------------------------------------------------------------------*/

/* The component of an entity that is alive, by its index alone. The pool may be unknown: NULL has nothing. */
static inline bool covey__has_index(const covey_pool *pool, uint32_t index) {
    if (!pool) return false;
    if (covey__in_blocks(pool)) return covey__block_has(&pool->blocks, index);
    return covey__set_has(&pool->set, index, pool->set.end);
}

/* Its value; it is there. */
static inline void *covey__value_of_index(const covey_pool *pool, uint32_t index) {
    if (covey__in_blocks(pool)) return covey__block_value(&pool->blocks, index, pool->size);
    return covey__value_at(&pool->set, covey__slot_position(*covey__slot_of(&pool->set, index)), pool->size);
}

/* How its values move. */
static inline const covey__mover *covey__storage_mover(const covey_pool *pool) {
    return covey__in_blocks(pool) ? &pool->blocks.mover : &pool->set.mover;
}
/* Another one; returns what it was. */
covey__mover covey__storage_set_mover(covey_pool *pool, covey__mover mover);
/* A value that the program hands over goes to a place without one; NULL stands for zero bytes. */
static inline void covey__storage_move_in(const covey_pool *pool, void *to, const void *value) {
    covey__move_in(covey__storage_mover(pool), to, value, pool->size);
}

/* Values of any pools are elsewhere, so that nobody may use what they remember. */
static inline void covey__values_moved(covey_world *world) {
    world->moves++;
    world->shifts++;
}

/* Drops a value of a type that has a hook. Those of the library's own types may change the world. */
static inline void covey__pool_drop_value(const covey_pool *pool, void *value) {
    if ((pool->uses & COVEY__USE_INTERNAL) != 0) pool->type->drop(value, pool->type->context);
    else covey__drop(pool->world, pool->type, value);
}

/* Drops its value; it is there. */
static inline void covey__pool_drop(const covey_pool *pool, covey_entity e) {
    if (pool->type->drop) covey__pool_drop_value(pool, covey__value_of_index(pool, e.index));
}

/* A value that may lie in a packed storage: covey__set_resolve finds it when room was made there. */
static inline covey__source covey__storage_source(const covey_pool *pool, const void *value) {
    if (!value || covey__in_blocks(pool)) return (covey__source){ value, false, 0 };
    return covey__set_source(&pool->set, value);
}

/* Whether a value lies where it may move when an entity of this index gets a place in the pool. */
bool covey__storage_may_move(const covey_pool *pool, uint32_t index, const void *value);

/* ---- Many --------------------------------------------------------------------------------------------------------*/

/* The packed arrays of a pool; NULL if its components are by index. */
static inline covey_sparse_set *covey__packed(covey_pool *pool) { return covey__in_blocks(pool) ? NULL : &pool->set; }
static inline const covey_sparse_set *covey__packed_in(const covey_pool *pool) {
    return covey__in_blocks(pool) ? NULL : &pool->set;
}

/* Whether a group can own the pool, if it is not packed: values may have any order in a block, and there are values. */
static inline bool covey__storage_takes_group(const covey_pool *pool) {
    return covey__in_blocks(pool) && !pool->blocks.pinned && pool->size != 0;
}
/* Before it does, and after that. False when memory is out. */
bool covey__storage_group(covey_pool *pool);
void covey__storage_ungroup(covey_pool *pool);

/* Whether components that are added together end where those end that are added one after the other. */
static inline bool covey__storage_adds_alike(const covey_pool *pool) { return covey__in_blocks(pool); }

/* Whether the components can be put in any order, and never leave holes: what groups and kept orders need. */
static inline bool covey__storage_takes_any_order(const covey_pool *pool) {
    return !covey__in_blocks(pool) && pool->set.policy == COVEY_SWAP_AND_POP;
}

/* The kind that a type gets when it asks for one, or, with COVEY_STORAGE_DEFAULT, for none; whether there is such a kind;
 * whether a pool may be converted from it and to it, as far as its values may move; whether it is packed. */
covey_storage covey__storage_asked_for(const covey_type *type, covey_storage storage);
static inline bool covey__storage_exists(covey_storage storage) {
    return storage >= COVEY_STORAGE_SPARSE && (uint32_t)storage <= COVEY_STORAGE_PINNED;
}
static inline bool covey__storage_converts(covey_storage storage) { return storage != COVEY_STORAGE_PINNED; }
static inline bool covey__is_packed_in(covey_storage storage) { return storage == COVEY_STORAGE_SPARSE; }

/* Which of the 64 ids of a block are there. */
uint64_t covey__storage_mask(const covey_pool *pool, uint32_t index);
/* The same of the first block from the one of *index on that may have any; moves *index there. 0 at the end. */
uint64_t covey__storage_next_mask(const covey_pool *pool, uint64_t *index);
uint64_t covey__storage_ids(const covey_pool *pool); /* no id from here on is there */

/* The index of the component at a position. */
static inline uint32_t covey__index_at(const covey_pool *pool, uint32_t position) {
    return covey__in_blocks(pool) ? position : pool->set.ids[position].index;
}

/* Calls a function for each array of values that follow each other, in the order of positions. */
typedef void covey__run_fn(void *values, size_t count, void *context);
void covey__each_run(const covey_pool *pool, covey__run_fn *run, void *context);

/* ---- As a whole --------------------------------------------------------------------------------------------------*/

/* An empty storage of a kind, in the place of whatever is there. Also notes which uses the kind stands for. */
void covey__storage_init(covey_pool *pool, covey_storage storage);
void covey__storage_free(covey_pool *pool);
void covey__storage_end(covey_pool *pool); /* the same when its values live elsewhere now: what they leave is zeroed */
void covey__storage_clear(covey_pool *pool); /* no value is dropped; vacated memory is zeroed if the type says so */
covey_result covey__storage_reserve(covey_pool *pool, uint32_t count); /* room for so many in all, if it is packed */
/* Makes an empty storage of the same kind its twin, bytes of values included. False when memory is out. */
bool covey__storage_clone(const covey_pool *from, covey_pool *to);
void covey__storage_compact(covey_pool *pool);
void covey__storage_shrink(covey_pool *pool);
void covey__storage_take(covey_pool *pool, const covey_pool *from); /* that of another pool, which is then forgotten */
static inline size_t covey__storage_bytes(const covey_pool *pool) {
    return covey__in_blocks(pool) ? pool->blocks.heap.bytes : pool->set.heap.bytes;
}
size_t covey__storage_bytes_as(const covey_pool *pool, covey_storage storage); /* compacted and shrunk, in that kind */
/* What it would take more if a group owned it, compacted then and now: of a pool in blocks that none owns. */
size_t covey__storage_bytes_to_group(const covey_pool *pool);
/* The kind that might suit the components as well. */
covey_storage covey__storage_alternative(const covey_pool *pool);
bool covey__storage_valid(const covey_pool *pool, const char **why);

/* ---- Presence ----------------------------------------------------------------------------------------------------*/

/* Whether the pool belongs into the presence index in the block of an index: where it has components, or, if it is
 * packed, a page of its table. */
bool covey__storage_is_present(const covey_pool *pool, uint32_t index);
/* Marks all of these blocks, and no others. False when memory is out; needs none where the pool was marked before. */
bool covey__storage_mark_all(covey_pool *pool);
/* A page for the index in the table of a packed storage, and the marks of all blocks that it covers. */
covey_result covey__storage_reach(covey_pool *pool, uint32_t index);
void covey__storage_unmark(const covey_pool *pool); /* before it is cleared: a packed one keeps its pages, and marks */
bool covey__storage_is_marked(const covey_pool *pool); /* everywhere where it should be */

bool covey__presence_valid(const covey_world *world, const char **why); /* no pool is marked where it has nothing */

/* Tells assertion level 2 that values moved, or that components of others than one entity changed. */
static inline void covey__pool_moved(covey_pool *pool, bool others) {
#if COVEY_ASSERT_LEVEL >= 2
    pool->moved++;
    if (others) COVEY__TRACE(pool->removed, COVEY_NONE);
#else
    (void)pool, (void)others;
#endif
}

#endif
