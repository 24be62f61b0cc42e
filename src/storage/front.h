/* A front: the components of some entities lie first, in the same order, in each of several pools. A group keeps its
 * members there, and decides who they are; the front decides where they lie.
 *
 *     packed pools      | front            | the rest |       positions below `count`
 *     pools in blocks   | front | the rest | front | the rest |       the first slots of each block: `borders`
 *
 * Fronts that share a pool are nested: the inner one lies first. An entity joins from the outer front to the inner one,
 * and leaves the other way round, so that each step exchanges it with the entity at one border, in all pools at
 * once. */
#ifndef COVEY_FRONT_H
#define COVEY_FRONT_H

#include "memory/pages.h"
#include "storage/block_store.h"
#include "storage/storage.h"
#include "storage/stretch.h"

#include <covey/covey.h>

typedef struct covey__front {
    covey_pool *pools[COVEY_TERMS];
    uint32_t pool_count;
    uint32_t count;       /* entities in the front */
    uint32_t joined;      /* at assertion level 1: how many joined */
    bool by_block;        /* the pools are in blocks; otherwise they are packed */
    covey__pages borders; /* by block: a byte for each block, the number of its entities in the front */
} covey__front;

/* The other pools of a front. */
typedef struct covey__others {
    covey_pool *const *pools;
    uint32_t count;
} covey__others;

/* The block in which a pool's components joined or left last: entities with neighbouring indices are often changed one
 * after the other. While `moves` is the world's number, nothing that this points to has moved. */
enum { COVEY__NEAR_OTHERS = 3 };
typedef struct covey__near {
    uint32_t number; /* of the block: an index / COVEY__BLOCK_IDS, or COVEY__NO_BLOCK */
    uint32_t last;   /* of the block in which a component was changed last */
    uint32_t other_count;
    uint64_t moves;
    uint8_t *border, *used;
    uint64_t *mask;
    uint32_t capacity;
    covey__block own, others[COVEY__NEAR_OTHERS]; /* the block in the pool, and in the other pools of the front */
} covey__near;
#define COVEY__NEAR_NONE \
    { .number = COVEY__NO_BLOCK, .last = COVEY__NO_BLOCK }

#define COVEY__BORDER_BYTES (COVEY__PAGE_BLOCKS * sizeof(uint8_t)) /* of a page */

/* By block: how many entities of a block are in the front; NULL where no pool has anything. */
static inline uint8_t *covey__border_at(const covey__front *front, uint32_t index) {
    uint8_t *page = covey__page_at(&front->borders, index);
    return page ? page + covey__block_of(index) : NULL;
}

/* ---- Moving ------------------------------------------------------------------------------------------------------*/

/* Out of line, which shortens the common path: most entities that join are in the right place already. */
void covey__front_exchange(covey_sparse_set *set, covey__slot *slot, covey__slot id, uint32_t position);
void covey__front_exchange_in_block(covey_pool *pool, uint32_t index, uint32_t slot);
void covey__front_move_in_block(covey_pool *pool, uint32_t index, uint32_t from, uint32_t to);

/* Moves the component of an entity to a position. For assertion level 1, iterations of the pool are told who moved: an
 * entity that leaves goes to rows that were visited, and may be the one of the row; for one that joins, COVEY_NONE, it
 * may not. */
static inline void covey__front_move(covey_pool *pool, covey__slot *slot, covey__slot id, uint32_t position,
                                     bool joins) {
    if (covey__slot_position(*slot) == position) return;
    if (joins) covey__front_exchange(&pool->sparse_set, slot, id, position);
    else covey__set_exchange(&pool->sparse_set, slot, id, position);
    covey__pool_moved(pool, false);
    COVEY__TRACE(pool->world, pool->removed, joins ? COVEY_NONE : covey__slot_position(id));
}

/* Notes the block of a member, if members are in blocks. */
void covey__near_find(covey__near *near, const covey__front *front, const covey_pool *pool, covey__others in,
                      uint32_t index);

/* ---- Beginning and ending ----------------------------------------------------------------------------------------*/

/* An empty front of these pools. */
covey__front covey__front_make(covey_pool *const *pools, uint32_t pool_count);
/* Why a pool cannot be in the front, and what helps; or NULL. */
const char *covey__front_objection(const covey__front *front, const covey_pool *pool);
/* Makes the pools ready and reserves memory for all their entities. False when an allocation fails: then end it. */
bool covey__front_prepare(covey__front *front);
void covey__front_free(covey__front *front);
/* Called for a pool that is in no front any more. */
void covey__front_release(covey_pool *pool);

/* ---- Joining and leaving -----------------------------------------------------------------------------------------*/

/* Whether joining may need memory; reserves it for the block of an index, before a component of the first pool is
 * placed. False when an allocation fails. */
static inline bool covey__front_needs_memory(const covey__front *front) { return front->by_block; }
bool covey__front_reach(covey__front *front, uint32_t index);

bool covey__front_has(const covey__front *front, uint32_t index);
void covey__front_join(covey__front *front, uint32_t index);     /* one that has all components, and is not in it */
void covey__front_join_new(covey__front *front, uint32_t index); /* one whose components were appended last */
/* The same for many, which were appended to all pools in this order. */
void covey__front_join_many(covey__front *front, const covey_entity *entities, uint32_t count);
void covey__front_leave(covey__front *front, uint32_t index); /* one that is in it */

/* Erases the components that entities have in the pools of the front, pool by pool. An entity of the front leaves it as
 * a whole, with one swap for each pool. The result is that of erasing them one by one. The pools must be in no other
 * front, and drop nothing; the entities are alive or were until now. With a stretch, they are in one block. */
void covey__front_erase_one(covey__front *front, covey_entity e);
void covey__front_erase_many(covey__front *front, const covey_entity *entities, uint32_t count);
void covey__front_erase_stretch(covey__front *front, const covey_entity *entities, const covey__stretch *s);

/* Erasing a component of a packed pool that is in several fronts: begins with its position, passes the hole from the
 * inner fronts to the outer ones, where each front moves it to its border, and ends by filling it. */
uint32_t covey__front_hole(const covey_pool *pool, uint32_t index);
uint32_t covey__front_pass_hole(covey__front *front, covey_pool *pool, uint32_t index, uint32_t hole);
void covey__front_fill_hole(covey_pool *pool, uint32_t index, uint32_t hole);

/* ---- As a whole --------------------------------------------------------------------------------------------------*/

covey_entity covey__front_first(const covey__front *front); /* there must be one */
void covey__front_clear(covey__front *front);

/* Calls a function for each component of the smallest pool, in the order in which they lie: by position, or by slot in
 * each block. The function may let the entity join the front, which exchanges it with an earlier one. */
typedef void covey__index_fn(uint32_t index, void *context);
void covey__front_walk(const covey__front *front, covey__index_fn *visit, void *context);

/* Whether an entity belongs to the front. */
typedef bool covey__belongs_fn(const void *context, uint32_t index);
/* Finds the borders of an empty front whose `count` entities lie where they belong already, as after a rollback. */
void covey__front_count_again(covey__front *front, uint32_t count, covey__belongs_fn *belongs, const void *context);
/* Frees memory that no entity needs; the bytes that are in use. */
void covey__front_shrink(covey__front *front);
size_t covey__front_bytes(const covey__front *front);
/* Without a front for a pool that is in none. */
bool covey__near_valid(const covey__near *near, const covey__front *front, const covey_pool *pool, covey__others in,
                       const char **why);
bool covey__front_valid(const covey__front *front, covey__belongs_fn *belongs, const void *context, const char **why);

#endif
