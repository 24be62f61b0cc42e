/* The storage of a pool: its operations, for every kind of storage. Only storage*.c, the inline hot path of covey.h and
 * the loops of views know the kinds; sparse_set, block_store, slab and marks implement them. storage_place.h makes
 * places for components, and storage_erase.h frees them.
 *
 * Callers see one difference. A packed storage has an order of its own: the position of a component does not depend on
 * its index. The other kinds store components by index, in blocks of 64. */
#ifndef COVEY_STORAGE_H
#define COVEY_STORAGE_H

#include "storage/hook.h"
#include "storage/sparse_set.h"

#include <covey/covey.h>

/* ---- One component -----------------------------------------------------------------------------------------------*/

/* Whether a living entity has a component, by its index alone. The pool may be NULL: then it has none. */
static inline bool covey__has_index(const covey_pool *pool, uint32_t index) {
    if (!pool) return false;
    if (covey__in_blocks(pool)) return covey__block_has(&pool->block_store, index);
    return covey__set_has(&pool->sparse_set, index, pool->sparse_set.end);
}

/* Its value; the component must be present. */
static inline void *covey__value_of_index(const covey_pool *pool, uint32_t index) {
    if (covey__in_blocks(pool)) return covey__block_value(&pool->block_store, index, pool->size);
    return covey__value_at(&pool->sparse_set, covey__slot_position(*covey__slot_of(&pool->sparse_set, index)),
                           pool->size);
}

/* The values of a block, if those of its components follow each other and each is where its id says: then that of the
 * first id, present or not. Otherwise NULL, and if the pool is packed, also where a component is absent. */
const char *covey__storage_block_values(const covey_pool *pool, uint32_t first);

/* How its values move. */
static inline const covey__mover *covey__storage_mover(const covey_pool *pool) {
    return covey__in_blocks(pool) ? &pool->block_store.mover : &pool->sparse_set.mover;
}
/* Sets another mover. Returns the old one. */
covey__mover covey__storage_set_mover(covey_pool *pool, covey__mover mover);
/* Moves a value of the program into a place that has none; NULL stands for zero bytes. */
static inline void covey__storage_move_in(const covey_pool *pool, void *to, const void *value) {
    covey__move_in(covey__storage_mover(pool), to, value, pool->size);
}

/* Notes that values of some pool have moved, so that cached addresses are invalid. */
static inline void covey__values_moved(covey_world *world) {
    world->moves++;
    world->shifts++;
}

/* Drops a value, if its type has a drop hook. Hooks of internal types may change the world. */
static inline void covey__pool_drop_value(const covey_pool *pool, void *value) {
    if ((pool->uses & COVEY__USE_INTERNAL) != 0) pool->type->drop(value, pool->type->context);
    else covey__drop(pool->world, pool->type, value);
}

/* Drops the value of a component that is present. */
static inline void covey__pool_drop(const covey_pool *pool, covey_entity e) {
    if (pool->type->drop) covey__pool_drop_value(pool, covey__value_of_index(pool, e.index));
}

/* Remembers a value that may be an element of a packed storage; finds it again after the storage has grown. */
static inline covey__source covey__storage_source(const covey_pool *pool, const void *value) {
    if (!value || covey__in_blocks(pool)) return (covey__source){ value, false, 0 };
    return covey__set_source(&pool->sparse_set, value);
}
static inline const void *covey__storage_resolve(const covey_pool *pool, const covey__source *source) {
    return covey__set_resolve(&pool->sparse_set, source);
}

/* Whether adding an entity of this index may move the value. */
bool covey__storage_may_move(const covey_pool *pool, uint32_t index, const void *value);

/* ---- Many --------------------------------------------------------------------------------------------------------*/

/* The packed arrays of a pool; NULL if its components are by index. */
static inline covey_sparse_set *covey__packed(covey_pool *pool) {
    return covey__in_blocks(pool) ? NULL : &pool->sparse_set;
}
static inline const covey_sparse_set *covey__packed_in(const covey_pool *pool) {
    return covey__in_blocks(pool) ? NULL : &pool->sparse_set;
}

/* Whether a group can own a pool that is not packed: its values can be in any order within a block. */
static inline bool covey__storage_takes_group(const covey_pool *pool) {
    return covey__in_blocks(pool) && !pool->block_store.pinned && pool->size != 0;
}

/* Whether adding many components at once gives the same positions as adding them one by one. */
static inline bool covey__storage_adds_alike(const covey_pool *pool) { return covey__in_blocks(pool); }

/* Whether components can be reordered and removal leaves no holes. Groups and kept orders need both. */
static inline bool covey__storage_takes_any_order(const covey_pool *pool) {
    return !covey__in_blocks(pool) && pool->sparse_set.policy == COVEY_SWAP_AND_POP;
}

/* asked_for: the kind for a type that asks for this one, or for COVEY_STORAGE_DEFAULT. exists: whether a kind exists.
 * converts: whether pools of a kind can be converted. is_packed_in: whether a kind is packed. */
covey_storage covey__storage_asked_for(const covey_type *type, covey_storage storage);
static inline bool covey__storage_exists(covey_storage storage) {
    return storage >= COVEY_STORAGE_SPARSE && (uint32_t)storage <= COVEY_STORAGE_PINNED;
}
static inline bool covey__storage_converts(covey_storage storage) { return storage != COVEY_STORAGE_PINNED; }
static inline bool covey__is_packed_in(covey_storage storage) { return storage == COVEY_STORAGE_SPARSE; }

/* The occupancy mask of a block. */
uint64_t covey__storage_mask(const covey_pool *pool, uint32_t index);
/* The occupancy mask of the first block from *index on that is not empty. Sets *index to the first index of the block.
 * Returns 0 at the end. */
uint64_t covey__storage_next_mask(const covey_pool *pool, uint64_t *index);
uint64_t covey__storage_ids(const covey_pool *pool); /* no index from this one on has a component */

/* The position of a component that is present, and the index of the component at a position. */
static inline uint32_t covey__position_of(const covey_pool *pool, uint32_t index) {
    return covey__in_blocks(pool) ? index : covey__slot_position(*covey__slot_of(&pool->sparse_set, index));
}
static inline uint32_t covey__index_at(const covey_pool *pool, uint32_t position) {
    return covey__in_blocks(pool) ? position : pool->sparse_set.ids[position].index;
}

/* Returns which components of a block are picked, as a mask. */
typedef uint64_t covey__pick_fn(const covey_pool *pool, uint32_t first, uint64_t mask, const void *context);
/* Calls a function for each run of contiguous values, in the order of positions. NULL for `pick` means all
 * components. */
typedef void covey__run_fn(void *values, size_t count, void *context);
void covey__each_run(const covey_pool *pool, covey__pick_fn *pick, covey__run_fn *run, void *context);

/* ---- As a whole --------------------------------------------------------------------------------------------------*/

/* Initialises an empty storage of a kind. The old storage must have been freed. Also notes the uses that the kind
 * implies. */
void covey__storage_init(covey_pool *pool, covey_storage storage);
/* Decides what inline code may do to the storage: nothing while the pool is observed, or while erasing a value takes a
 * further step. */
void covey__storage_observe(covey_pool *pool);
void covey__storage_free(covey_pool *pool);
/* Frees a storage after its values were moved away. Zeroes the memory if the type asks for it. */
void covey__storage_end(covey_pool *pool);
void covey__storage_clear(covey_pool *pool); /* drops no value; zeroes values if the type asks for it */
covey_result covey__storage_reserve(covey_pool *pool, uint32_t count); /* if packed: room for this many in total */
/* Copies another storage of the same kind, bytes of values included, into an empty one. False when an allocation
 * fails. */
bool covey__storage_clone(const covey_pool *from, covey_pool *to);
/* Builds an empty storage by index: gives a block its occupancy mask; then gives all blocks memory for their values,
 * which the caller writes. False when an allocation fails: then the storage can only be cleared. */
bool covey__storage_put_mask(covey_pool *pool, uint32_t index, uint64_t mask);
bool covey__storage_shape(covey_pool *pool);
/* Values of all indices of `count` blocks will follow each other, from the block of an index on. */
void covey__storage_expect(covey_pool *pool, uint32_t index, uint32_t count);
void covey__storage_compact(covey_pool *pool);
void covey__storage_shrink(covey_pool *pool);
void covey__storage_take(covey_pool *pool, const covey_pool *from); /* takes over the storage of another pool */
static inline size_t covey__storage_bytes(const covey_pool *pool) {
    return covey__in_blocks(pool) ? pool->block_store.heap.bytes : pool->sparse_set.heap.bytes;
}
size_t covey__storage_bytes_as(const covey_pool *pool, covey_storage storage); /* after compacting and shrinking */
/* How many more bytes a pool in blocks, without an owner, would take if a group owned it; both figures after
 * compaction. */
size_t covey__storage_bytes_to_group(const covey_pool *pool);
/* Another kind of storage that supports how the pool is used. */
covey_storage covey__storage_alternative(const covey_pool *pool);
bool covey__storage_valid(const covey_pool *pool, const char **why);
/* The first of the pools that have the fewest components. */
const covey_pool *covey__smallest(covey_pool *const *pools, uint32_t count);

/* ---- Presence ----------------------------------------------------------------------------------------------------*/

/* Whether the presence index must mark the pool in the block of an index: where it has components or, if it is packed,
 * where its table has a page. */
bool covey__storage_is_present(const covey_pool *pool, uint32_t index);
/* Marks the pool in exactly these blocks. False when an allocation fails, which cannot happen where it was marked
 * before. */
bool covey__storage_mark_all(covey_pool *pool);
/* Adds a page for the index to the table of a packed storage, and marks all blocks that the page covers. */
covey_result covey__storage_reach(covey_pool *pool, uint32_t index);
void covey__storage_unmark(const covey_pool *pool);    /* before clearing; does nothing if packed: the pages stay */
bool covey__storage_is_marked(const covey_pool *pool); /* whether all marks are set */

bool covey__presence_valid(const covey_world *world, const char **why); /* no pool is marked where it has nothing */

/* Notes for assertion level 1 that values moved. `others`: components of several entities were added or removed. */
static inline void covey__pool_moved(covey_pool *pool, bool others) {
#if COVEY_ASSERT_LEVEL >= 1
    pool->moved++;
    pool->world->changes++;
    if (others) COVEY__TRACE(pool->world, pool->removed, COVEY_NONE);
#else
    (void)pool, (void)others;
#endif
}

#endif
