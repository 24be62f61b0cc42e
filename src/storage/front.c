/* Fronts: see front.h. */
#include "storage/front.h"

#include "memory/result.h"
#include "storage/block_store.h"
#include "storage/sparse_set.h"
#include "storage/storage_erase.h"

/* ---- Packed ------------------------------------------------------------------------------------------------------*/

/* Out of line, which shortens the common path: most entities that join are in the right place already. */
static COVEY__NOINLINE void exchange(covey_sparse_set *set, covey__slot *slot, covey__slot id, uint32_t position) {
    covey__set_exchange(set, slot, id, position);
}

/* Moves the component of an entity to a position. For assertion level 1, iterations of the pool are told who moved: an
 * entity that leaves goes to rows that were visited, and may be the one of the row; for one that joins, COVEY_NONE, it
 * may not. */
static inline void move_to(covey_pool *pool, covey__slot *slot, covey__slot id, uint32_t position, bool joins) {
    if (covey__slot_position(*slot) == position) return;
    if (joins) exchange(&pool->set, slot, id, position);
    else covey__set_exchange(&pool->set, slot, id, position);
    covey__pool_moved(pool, false);
    COVEY__TRACE(pool->world, pool->removed, joins ? COVEY_NONE : covey__slot_position(id));
}

/* In all pools except one, which may be NULL. */
static void move_all_to(covey__front *front, const covey_pool *but, uint32_t index, uint32_t position, bool joins) {
    for (uint32_t i = 0; i < front->pool_count; i++) {
        covey_pool *pool = front->pools[i];
        covey__slot *slot = covey__slot_of(&pool->set, index);
        if (pool != but) move_to(pool, slot, covey__set_id(&pool->set, covey__slot_position(*slot)), position, joins);
    }
}

uint32_t covey__front_hole(const covey_pool *pool, uint32_t index) {
    return covey__slot_position(*covey__slot_of(&pool->set, index));
}

uint32_t covey__front_pass_hole(covey__front *front, covey_pool *pool, uint32_t index, uint32_t hole) {
    if (hole >= front->count) return hole;
    uint32_t last = --front->count;
    move_all_to(front, pool, index, last, false);
    if (hole != last) covey__set_move(&pool->set, last, hole);
    return last;
}

/* The last component of a pool fills the hole. */
static inline void fill_hole(covey_sparse_set *set, covey__slot *slot, uint32_t hole) {
    uint32_t last = --set->end;
    if (hole != last) covey__set_move(set, last, hole);
    *slot = COVEY__SLOT_NULL;
    if (set->zero_vacated) memset((char *)set->data + (size_t)last * set->size, 0, set->size);
}

void covey__front_fill_hole(covey_pool *pool, uint32_t index, uint32_t hole) {
    fill_hole(&pool->set, covey__slot_of(&pool->set, index), hole);
}

/* ---- One front, packed -------------------------------------------------------------------------------------------*/

/* The number of other pools is passed as a constant if it is 1, so that the loops over them are unrolled. */
typedef struct others {
    covey_pool *const *pools;
    uint32_t count;
} others;

/* The slots of an entity's other components; false when one is missing. */
COVEY_HOT bool find_slots(others in, uint32_t index, covey__slot **slots) {
    for (uint32_t i = 0; i < in.count; i++) {
        const covey_sparse_set *set = &in.pools[i]->set;
        if (!covey__set_has(set, index, set->end)) return false;
        slots[i] = covey__slot_of(set, index);
    }
    return true;
}

COVEY_HOT void move_others(others in, covey__slot **slots, covey__slot id, uint32_t border, bool joins) {
    for (uint32_t i = 0; i < in.count; i++) move_to(in.pools[i], slots[i], id, border, joins);
}

/* Joins. The first entity behind the front moves to the end of the pool; returns where it was. */
COVEY_HOT uint32_t open_border(covey__front *front, covey_pool *pool, others in, covey__slot **slots, covey__slot id,
                               uint32_t end) {
    uint32_t border = front->count++;
    move_others(in, slots, id, border, true);
    if (border != end) {
        covey__set_move(&pool->set, border, end);
        covey__pool_moved(pool, true);
    }
    return border;
}

COVEY_HOT void *place_at_position(covey__front *front, covey_pool *pool, others in, uint32_t index,
                                  uint32_t generation) {
    covey_sparse_set *set = &pool->set;
    covey__slot *slots[COVEY_TERMS], *slot;
    uint32_t at = set->end;
    covey__slot id = COVEY__SLOT(index, generation);
    if (index / COVEY_PAGE_SIZE >= set->page_count || at >= covey__set_room(set)) return NULL;
    slot = covey__slot_of(set, index);
    if (*slot != COVEY__SLOT_NULL || !covey__is_current(pool->world, covey__entity(index, generation))) return NULL;
    if (pool->world->dying) return NULL;
    if (find_slots(in, index, slots)) at = open_border(front, pool, in, slots, id, at);
    set->end++;
    set->ids[at] = covey__entity(index, generation);
    *slot = COVEY__SLOT(at, generation);
    COVEY__TRACE(pool->world, pool->added, index);
    return (char *)set->data + (size_t)at * set->size;
}

/* Leaves. The last entity of the front fills the hole; returns where it was. */
COVEY_HOT uint32_t close_border(covey__front *front, covey_pool *pool, others in, covey__slot **slots, covey__slot id,
                                uint32_t hole) {
    uint32_t border = --front->count;
    move_others(in, slots, id, border, false);
    if (hole != border) covey__set_move(&pool->set, border, hole);
    return border;
}

COVEY_HOT void erase_at_position(covey__front *front, covey_pool *pool, others in, uint32_t index) {
    covey_sparse_set *set = &pool->set;
    covey__slot *slots[COVEY_TERMS], *slot = covey__slot_of(set, index);
    uint32_t hole = covey__slot_position(*slot);
    bool is_in = hole < front->count && find_slots(in, index, slots);
    if (is_in) hole = close_border(front, pool, in, slots, covey__set_id(set, hole), hole);
    fill_hole(set, slot, hole);
}

/* ---- One front, by block -----------------------------------------------------------------------------------------*/

/* The blocks of an index in the other pools; false if one of them does not have it. */
COVEY_HOT bool find_blocks(others in, uint32_t index, covey__block *found) {
    for (uint32_t i = 0; i < in.count; i++) {
        if (!covey__block_has(&in.pools[i]->blocks, index)) return false;
        found[i] = covey__block_in(&in.pools[i]->blocks, index);
    }
    return true;
}

/* Out of line, as `exchange` is. */
static COVEY__NOINLINE void exchange_in_block(covey_pool *pool, uint32_t index, uint32_t slot) {
    covey__block at = covey__block_in(&pool->blocks, index);
    covey__block_exchange(&pool->blocks, &at, index % COVEY__BLOCK_IDS, slot);
}

static COVEY__NOINLINE void move_in_block(covey_pool *pool, uint32_t index, uint32_t from, uint32_t to) {
    covey__block at = covey__block_in(&pool->blocks, index);
    covey__block_move(&pool->blocks, &at, from, to);
}

/* Moves the entity of an index to a slot in the other pools. Iterations are told of `who`. */
COVEY_HOT void move_in_others(others in, const covey__block *found, uint32_t index, uint32_t slot, uint32_t who) {
    for (uint32_t i = 0; i < in.count; i++) {
        covey_pool *pool = in.pools[i];
        if (found[i].map[index % COVEY__BLOCK_IDS] == slot) continue;
        if (who == COVEY_NONE) exchange_in_block(pool, index, slot);
        else covey__block_exchange(&pool->blocks, &found[i], index % COVEY__BLOCK_IDS, slot);
        covey__pool_moved(pool, false);
        COVEY__TRACE(pool->world, pool->removed, who);
    }
}

/* Joins. The first entity behind the front moves to the next free slot; returns where it was. */
COVEY_HOT uint32_t open_slot(covey__front *front, covey_pool *pool, others in, const covey__block *own,
                             const covey__block *found, uint32_t index) {
    uint32_t next = own->page->used[own->block], slot = (*covey__border_at(front, index))++;
    move_in_others(in, found, index, slot, COVEY_NONE);
    if (slot != next) {
        move_in_block(pool, index, slot, next);
        covey__pool_moved(pool, true);
    }
    front->count++;
    return slot;
}

COVEY_HOT void *place_in_block(covey__front *front, covey_pool *pool, others in, uint32_t index, uint32_t generation) {
    covey__block_store *blocks = &pool->blocks;
    covey__block found[COVEY_TERMS];
    if (index / COVEY__BLOCK_PAGE >= blocks->page_count || pool->world->dying) return NULL;
    if (!covey__is_current(pool->world, covey__entity(index, generation))) return NULL;
    covey__block own = covey__block_in(blocks, index);
    uint32_t bit = index % COVEY__BLOCK_IDS, slot = own.page->used[own.block];
    if (slot == own.page->capacity[own.block] || (own.page->masks[own.block] >> bit & 1) != 0) return NULL;
    if (find_blocks(in, index, found)) slot = open_slot(front, pool, in, &own, found, index);
    covey__block_take(blocks, &own, bit, slot);
    COVEY__TRACE(pool->world, pool->added, index);
    return own.data + (size_t)slot * blocks->size;
}

/* Leaves: the last entity of the front fills its slot, and the last entity of the block fills that one. */
COVEY_HOT void close_slot(covey__front *front, covey_pool *pool, others in, const covey__block *own,
                          const covey__block *found, uint32_t index, uint8_t *border) {
    uint32_t bit = index % COVEY__BLOCK_IDS, slot = own->map[bit], edge = --*border;
    uint32_t last = own->page->used[own->block] - 1u;
    front->count--;
    move_in_others(in, found, index, edge, index);
    if (slot != edge) covey__block_move(&pool->blocks, own, edge, slot);
    if (edge != last) covey__block_move(&pool->blocks, own, last, edge);
    covey__block_free_slot(&pool->blocks, own, bit);
}

COVEY_HOT bool erase_in_block(covey__front *front, covey_pool *pool, others in, uint32_t index) {
    uint8_t *border = covey__border_at(front, index);
    covey__block own = covey__block_in(&pool->blocks, index), found[COVEY_TERMS];
    if (own.page->used[own.block] == 1 || pool->blocks.zero_vacated) return false;
    if (!border || own.map[index % COVEY__BLOCK_IDS] >= *border) return false;
    if (!find_blocks(in, index, found)) return false;
    close_slot(front, pool, in, &own, found, index, border);
    return true;
}

/* ---- One front ---------------------------------------------------------------------------------------------------*/

static COVEY__NOINLINE void *place_packed(covey__front *front, covey_pool *pool, others in, uint32_t index,
                                          uint32_t generation) {
    if (!COVEY__LIKELY(in.count == 1)) return place_at_position(front, pool, in, index, generation);
    return place_at_position(front, pool, (others){ in.pools, 1 }, index, generation);
}

static COVEY__NOINLINE void *place_by_block(covey__front *front, covey_pool *pool, others in, uint32_t index,
                                            uint32_t generation) {
    if (!COVEY__LIKELY(in.count == 1)) return place_in_block(front, pool, in, index, generation);
    return place_in_block(front, pool, (others){ in.pools, 1 }, index, generation);
}

void *covey__front_place(covey__front *front, covey_pool *pool, covey_pool *const *others_of, uint32_t other_count,
                         uint32_t index, uint32_t generation) {
    others in = { others_of, other_count };
    return (front->by_block ? place_by_block : place_packed)(front, pool, in, index, generation);
}

static COVEY__NOINLINE void erase_packed(covey__front *front, covey_pool *pool, others in, uint32_t index) {
    if (COVEY__LIKELY(in.count == 1)) erase_at_position(front, pool, (others){ in.pools, 1 }, index);
    else erase_at_position(front, pool, in, index);
}

static COVEY__NOINLINE void erase_by_block(covey__front *front, covey_pool *pool, others in, uint32_t index) {
    bool erased = COVEY__LIKELY(in.count == 1) ? erase_in_block(front, pool, (others){ in.pools, 1 }, index)
                                               : erase_in_block(front, pool, in, index);
    if (COVEY__LIKELY(erased)) return;
    if (covey__front_has(front, index)) covey__front_leave(front, index);
    covey__storage_erase(pool, covey__entity(index, covey__generation_of(pool->world, index)), false);
}

void covey__front_erase(covey__front *front, covey_pool *pool, covey_pool *const *others_of, uint32_t other_count,
                        uint32_t index) {
    others in = { others_of, other_count };
    (front->by_block ? erase_by_block : erase_packed)(front, pool, in, index);
}

/* ---- Joining and leaving -----------------------------------------------------------------------------------------*/

bool covey__front_reach(covey__front *front, uint32_t index) {
    covey_world *world = front->pools[0]->world;
    if (!front->by_block) return true;
    return covey__pages_reach(&world->heap, &front->borders, index, covey__block_limit(world), COVEY__BORDER_BYTES) !=
           NULL;
}

static bool has_in_block(const covey__front *front, uint32_t index) {
    const uint8_t *border = covey__border_at(front, index);
    return border && covey__has_index(front->pools[0], index) &&
           covey__blocks_slot(&front->pools[0]->blocks, index) < *border;
}

bool covey__front_has(const covey__front *front, uint32_t index) {
    return front->by_block ? has_in_block(front, index) : covey__set_has(&front->pools[0]->set, index, front->count);
}

/* Moves the entity of an index to a slot of its block, in all pools. */
static void move_all_in_block(covey__front *front, uint32_t index, uint32_t slot, uint32_t who) {
    (void)who;
    for (uint32_t i = 0; i < front->pool_count; i++) {
        covey_pool *pool = front->pools[i];
        covey__block at = covey__block_in(&pool->blocks, index);
        if (at.map[index % COVEY__BLOCK_IDS] == slot) continue;
        covey__block_exchange(&pool->blocks, &at, index % COVEY__BLOCK_IDS, slot);
        covey__pool_moved(pool, false);
        COVEY__TRACE(pool->world, pool->removed, who);
    }
}

void covey__front_join(covey__front *front, uint32_t index) {
    if (front->by_block) move_all_in_block(front, index, (*covey__border_at(front, index))++, COVEY_NONE);
    else move_all_to(front, NULL, index, front->count, true);
    front->count++;
}

void covey__front_leave(covey__front *front, uint32_t index) {
    front->count--;
    if (front->by_block) move_all_in_block(front, index, --*covey__border_at(front, index), index);
    else move_all_to(front, NULL, index, front->count, false);
}

/* ---- Beginning and ending ----------------------------------------------------------------------------------------*/

covey__front covey__front_make(covey_pool *const *pools, uint32_t pool_count) {
    covey__front front = { .pool_count = pool_count,
                           .by_block = pool_count != 0 && covey__storage_takes_group(pools[0]) };
    for (uint32_t i = 0; i < pool_count; i++) front.pools[i] = pools[i];
    return front;
}

const char *covey__front_objection(const covey__front *front, const covey_pool *pool) {
    bool packed = covey__storage_takes_any_order(pool);
    if (packed || covey__storage_takes_group(pool))
        return packed != front->by_block ? NULL
                                         : "it is sparse, and others of the group are in blocks, or the other way "
                                           "round: define them with the same .storage";
    if (covey__packed_in(pool)) return "its policy is not COVEY_SWAP_AND_POP: define it without .policy";
    return pool->size == 0 ? "it is a tag, without values" : "its values never move: define it with another .storage";
}

/* Pools in blocks order their values from now on, and have borders wherever the first of them has a component. */
bool covey__front_prepare(covey__front *front) {
    const covey_pool *first = front->pools[0];
    if (!front->by_block) return true;
    for (uint32_t i = 0; i < front->pool_count; i++) {
        covey__pool_moved(front->pools[i], true);
        if (!covey__blocks_group(&front->pools[i]->blocks)) return false;
    }
    for (uint32_t index = covey_pool_next(first, 0); index != COVEY_NONE; index = covey_pool_next(first, index + 1))
        if (!covey__front_reach(front, index)) return false;
    return true;
}

void covey__front_free(covey__front *front) {
    if (front->by_block) covey__pages_free(&front->pools[0]->world->heap, &front->borders, COVEY__BORDER_BYTES);
}

void covey__front_release(covey_pool *pool) {
    if (covey__in_blocks(pool)) pool->blocks.grouped = false;
}

/* ---- As a whole --------------------------------------------------------------------------------------------------*/

/* The entity in the first slot of the first block that has a front. */
static covey_entity first_by_block(const covey__front *front) {
    const covey_pool *pool = front->pools[0];
    uint32_t block = 0;
    while (true) {
        const uint8_t *border = covey__border_at(front, block * COVEY__BLOCK_IDS);
        if (border && *border != 0) break;
        block += border ? 1 : COVEY__PAGE_BLOCKS;
    }
    covey__block b = covey__block_in(&pool->blocks, block * COVEY__BLOCK_IDS);
    uint32_t index = block * COVEY__BLOCK_IDS + b.ids[0];
    return covey__entity(index, covey__generation_of(pool->world, index));
}

covey_entity covey__front_first(const covey__front *front) {
    return front->by_block ? first_by_block(front) : front->pools[0]->set.ids[0];
}

static const covey_pool *smallest_of(const covey__front *front) {
    const covey_pool *found = front->pools[0];
    for (uint32_t i = 1; i < front->pool_count; i++)
        if (covey_pool_count(front->pools[i]) < covey_pool_count(found)) found = front->pools[i];
    return found;
}

static void walk_slots(const covey__block_page *page, uint32_t first, uint32_t block, covey__index_fn *visit,
                       void *context) {
    const uint8_t *ids = covey__slots_of(page, block);
    for (uint32_t slot = 0; slot < page->used[block]; slot++)
        visit(first + block * COVEY__BLOCK_IDS + ids[slot], context);
}

void covey__front_walk(const covey__front *front, covey__index_fn *visit, void *context) {
    const covey_pool *pool = smallest_of(front);
    for (uint32_t i = 0; front->by_block && i < pool->blocks.page_count; i++) {
        const covey__block_page *page = pool->blocks.pages[i];
        for (uint64_t left = page->summary; left != 0; left &= left - 1)
            walk_slots(page, i * COVEY__BLOCK_PAGE, covey__lowest_bit(left), visit, context);
    }
    for (uint32_t at = 0; !front->by_block && at < pool->set.end; at++) visit(pool->set.ids[at].index, context);
}

void covey__front_clear(covey__front *front) {
    for (uint32_t i = 0; i < front->pool_count; i++) covey__pool_moved(front->pools[i], false);
    for (uint32_t i = 0; i < front->borders.count; i++)
        if (front->borders.at[i]) memset(front->borders.at[i], 0, COVEY__BORDER_BYTES);
    front->count = 0;
}

void covey__front_count_again(covey__front *front, uint32_t count, covey__belongs_fn *belongs, const void *context) {
    const covey_pool *pool = front->pools[0];
    front->count = count;
    if (!front->by_block) return;
    for (uint32_t index = covey_pool_next(pool, 0); index != COVEY_NONE; index = covey_pool_next(pool, index + 1))
        if (belongs(context, index)) ++*covey__border_at(front, index);
}

void covey__front_shrink(covey__front *front) {
    const covey_pool *pool = front->pools[0];
    for (uint32_t page = 0; page < front->borders.count; page++) {
        uint32_t first = page * COVEY__BLOCK_PAGE, next = covey_pool_next(pool, first);
        bool empty = next == COVEY_NONE || next / COVEY__BLOCK_PAGE != page;
        if (empty && front->borders.at[page])
            covey__pages_drop(&pool->world->heap, &front->borders, page, COVEY__BORDER_BYTES);
    }
}

size_t covey__front_bytes(const covey__front *front) {
    return covey__pages_bytes(&front->borders, COVEY__BORDER_BYTES);
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

#define WRONG_MEMBER "group: an entity that does not match is a member, or one that matches is none"

/* The first positions of each pool have the same entities in the same order; no other entity belongs there. */
static bool valid_packed(const covey__front *front, covey__belongs_fn *belongs, const void *context, const char **why) {
    const covey_entity *first = front->pools[0]->set.ids;
    for (uint32_t i = 0; i < front->pool_count; i++) {
        const covey_sparse_set *set = &front->pools[i]->set;
        REQUIRE(set->end >= front->count, "group: it has more members than a pool has components");
        for (uint32_t at = 0; at < front->count; at++)
            REQUIRE(covey_same(set->ids[at], first[at]), "group: its members are in different orders in two pools");
    }
    for (uint32_t at = 0; at < front->pools[0]->set.end; at++)
        REQUIRE(belongs(context, first[at].index) == (at < front->count), WRONG_MEMBER);
    return true;
}

/* The same in one block. */
static bool valid_slot(const covey__front *front, covey__belongs_fn *belongs, const void *context, uint32_t index,
                       const char **why) {
    const uint8_t *border = covey__border_at(front, index);
    uint32_t slot = covey__blocks_slot(&front->pools[0]->blocks, index);
    REQUIRE(border, "group: a block has no border");
    REQUIRE(belongs(context, index) == (slot < *border), WRONG_MEMBER);
    for (uint32_t i = 1; i < front->pool_count && slot < *border; i++)
        REQUIRE(covey__blocks_slot(&front->pools[i]->blocks, index) == slot,
                "group: its members are in different orders in two pools");
    return true;
}

static bool valid_by_block(const covey__front *front, covey__belongs_fn *belongs, const void *context,
                           const char **why) {
    const covey_pool *pool = front->pools[0];
    uint32_t count = 0;
    for (uint32_t index = covey_pool_next(pool, 0); index != COVEY_NONE; index = covey_pool_next(pool, index + 1))
        if (!valid_slot(front, belongs, context, index, why)) return false;
    for (uint32_t i = 0; i < front->borders.count; i++)
        for (uint32_t block = 0; front->borders.at[i] && block < COVEY__PAGE_BLOCKS; block++)
            count += ((const uint8_t *)front->borders.at[i])[block];
    REQUIRE(count == front->count, "group: its number of members is wrong");
    return true;
}

bool covey__front_valid(const covey__front *front, covey__belongs_fn *belongs, const void *context, const char **why) {
    for (uint32_t i = 0; i < front->pool_count; i++)
        REQUIRE(!covey__front_objection(front, front->pools[i]), "group: it owns a pool that cannot be owned");
    return (front->by_block ? valid_by_block : valid_packed)(front, belongs, context, why);
}
