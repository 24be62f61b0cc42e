/* Fronts: see front.h. */
#include "storage/front.h"

#include "memory/inner.h"
#include "memory/result.h"
#include "storage/block_store.h"
#include "storage/sparse_set.h"
#include "storage/stretch.h"
#include "storage/storage_erase.h"

/* ---- Out of line -------------------------------------------------------------------------------------------------*/

void covey__front_exchange(covey_sparse_set *set, covey__slot *slot, covey__slot id, uint32_t position) {
    covey__set_exchange(set, slot, id, position);
}

void covey__front_exchange_in_block(covey_pool *pool, uint32_t index, uint32_t slot) {
    covey__block at = covey__block_in(&pool->block_store, index);
    covey__block_exchange(&pool->block_store, &at, index % COVEY__BLOCK_IDS, slot);
}

void covey__front_move_in_block(covey_pool *pool, uint32_t index, uint32_t from, uint32_t to) {
    covey__block at = covey__block_in(&pool->block_store, index);
    covey__block_move(&pool->block_store, &at, from, to);
}

void covey__near_find(covey__near *near, const covey__front *front, const covey_pool *pool, covey__others in,
                      uint32_t index) {
    if (!front->by_block || in.count > COVEY__NEAR_OTHERS) return;
    near->number = index / COVEY__BLOCK_IDS;
    near->moves = pool->world->moves;
    near->own = covey__block_in(&pool->block_store, index);
    near->used = &near->own.page->used[near->own.block];
    near->mask = &near->own.page->masks[near->own.block];
    near->capacity = near->own.page->capacity[near->own.block];
    near->border = covey__border_at(front, index);
    near->other_count = in.count;
    for (uint32_t i = 0; i < in.count; i++) near->others[i] = covey__block_in(&in.pools[i]->block_store, index);
}

/* ---- Packed ------------------------------------------------------------------------------------------------------*/

/* In all pools except one, which may be NULL. */
static void move_all_to(covey__front *front, const covey_pool *but, uint32_t index, uint32_t position, bool joins) {
    for (uint32_t i = 0; i < front->pool_count; i++) {
        covey_pool *pool = front->pools[i];
        covey__slot *slot = covey__slot_of(&pool->sparse_set, index);
        if (pool != but)
            covey__front_move(pool, slot, covey__set_id(&pool->sparse_set, covey__slot_position(*slot)), position,
                              joins);
    }
}

uint32_t covey__front_hole(const covey_pool *pool, uint32_t index) {
    return covey__slot_position(*covey__slot_of(&pool->sparse_set, index));
}

uint32_t covey__front_pass_hole(covey__front *front, covey_pool *pool, uint32_t index, uint32_t hole) {
    if (hole >= front->count) return hole;
    uint32_t last = --front->count;
    move_all_to(front, pool, index, last, false);
    if (hole != last) covey__set_move(&pool->sparse_set, last, hole);
    return last;
}

void covey__front_fill_hole(covey_pool *pool, uint32_t index, uint32_t hole) {
    covey__set_fill_hole(&pool->sparse_set, covey__slot_of(&pool->sparse_set, index), hole);
}

/* ---- Joining and leaving -----------------------------------------------------------------------------------------*/

bool covey__front_reach(covey__front *front, uint32_t index) {
    covey_world *world = front->pools[0]->world;
    if (!front->by_block || covey__border_at(front, index)) return true;
    return covey__pages_reach(&world->inner->heap, &front->borders, index, covey__block_limit(world),
                              COVEY__BORDER_BYTES) != NULL;
}

static bool has_in_block(const covey__front *front, uint32_t index) {
    const uint8_t *border = covey__border_at(front, index);
    return border && covey__has_index(front->pools[0], index) &&
           covey__blocks_slot(&front->pools[0]->block_store, index) < *border;
}

bool covey__front_has(const covey__front *front, uint32_t index) {
    return front->by_block ? has_in_block(front, index)
                           : covey__set_has(&front->pools[0]->sparse_set, index, front->count);
}

/* Moves the entity of an index to a slot of its block, in all pools. */
static void move_all_in_block(covey__front *front, uint32_t index, uint32_t slot, uint32_t who) {
    (void)who;
    for (uint32_t i = 0; i < front->pool_count; i++) {
        covey_pool *pool = front->pools[i];
        covey__block at = covey__block_in(&pool->block_store, index);
        if (at.map[index % COVEY__BLOCK_IDS] == slot) continue;
        covey__block_exchange(&pool->block_store, &at, index % COVEY__BLOCK_IDS, slot);
        covey__pool_moved(pool, false);
        COVEY__TRACE(pool->world, pool->removed, who);
    }
}

void covey__front_join(covey__front *front, uint32_t index) {
    if (front->by_block) move_all_in_block(front, index, (*covey__border_at(front, index))++, COVEY_NONE);
    else move_all_to(front, NULL, index, front->count, true);
    front->count++;
}

/* Whether all components of an entity are the first ones behind the front, and the last ones. */
static bool is_last_behind(const covey__front *front, uint32_t index) {
    const uint8_t *border = front->by_block ? covey__border_at(front, index) : NULL;
    for (uint32_t i = 0; i < front->pool_count; i++) {
        const covey_pool *pool = front->pools[i];
        uint32_t block = covey__block_of(index);
        uint32_t end = border ? covey__block_page_of(&pool->block_store, index)->used[block] : pool->sparse_set.end;
        if (end != (border ? *border : front->count) + 1) return false;
    }
    return true;
}

void covey__front_join_new(covey__front *front, uint32_t index) {
    if (!COVEY__LIKELY(is_last_behind(front, index))) {
        covey__front_join(front, index);
        return;
    }
    if (front->by_block) ++*covey__border_at(front, index);
    front->count++;
}

/* Moves the border of a block behind entities whose components were appended last, in the same order in all pools.
 * False if others lie in between. */
static bool join_stretch(covey__front *front, uint32_t index, uint32_t count) {
    uint8_t *border = covey__border_at(front, index);
    for (uint32_t i = 0; i < front->pool_count; i++) {
        const covey__block_page *page = covey__block_page_of(&front->pools[i]->block_store, index);
        if (page->used[covey__block_of(index)] != *border + count) return false;
    }
    *border = (uint8_t)(*border + count);
    front->count += count;
    return true;
}

static void join_by_block(covey__front *front, const covey_entity *entities, uint32_t count) {
    for (uint32_t i = 0; i < count;) {
        covey__stretch s = covey__next_stretch(front->pools[0]->world, entities + i, count - i);
        if (!s.in_order || !join_stretch(front, entities[i].index, s.count))
            for (uint32_t k = 0; k < s.count; k++) covey__front_join(front, entities[i + k].index);
        i += s.count;
    }
}

void covey__front_join_many(covey__front *front, const covey_entity *entities, uint32_t count) {
    if (front->by_block) {
        join_by_block(front, entities, count);
        return;
    }
    bool behind = true;
    for (uint32_t i = 0; i < front->pool_count; i++)
        behind = behind && front->pools[i]->sparse_set.end == front->count + count;
    if (behind) front->count += count;
    for (uint32_t i = 0; i < count && !behind; i++) covey__front_join(front, entities[i].index);
}

void covey__front_leave(covey__front *front, uint32_t index) {
    front->count--;
    if (front->by_block) move_all_in_block(front, index, --*covey__border_at(front, index), index);
    else move_all_to(front, NULL, index, front->count, false);
}

/* ---- Leaving as a whole ------------------------------------------------------------------------------------------*/

/* How an entity leaves packed pools: the last entity of the front moves into its hole, the same in all pools. */
typedef struct leaving {
    uint32_t hole, border; /* COVEY_NONE: it is not in the front */
    covey__slot moved;     /* the id of the last entity of the front */
} leaving;

enum { LEAVING = 64 };

/* Moves an element to a position whose element is no longer needed. */
COVEY_HOT void move_packed(const covey_sparse_set *set, covey__slot moved, size_t from, size_t to, size_t size) {
    uint32_t index = covey__slot_position(moved);
    char *data = set->data;
    set->ids[to] = covey__entity_of(moved);
    *covey__slot_of(set, index) = moved ^ index ^ (covey__slot)to;
    covey__copy(data + to * size, data + from * size, size);
}

/* Erases the component of an entity from one pool, which has it: the last element of the pool fills the hole. */
COVEY_HOT void fill_packed(covey_sparse_set *set, uint32_t index, uint32_t hole, size_t size) {
    uint32_t last = --set->end;
    if (hole != last) move_packed(set, covey__set_id(set, last), last, hole, size);
    *covey__slot_of(set, index) = COVEY__SLOT_NULL;
    if (set->zero_erased) memset((char *)set->data + last * size, 0, size);
}

COVEY_HOT void erase_packed(covey_pool *pool, covey_entity e, const leaving *l, size_t size) {
    covey_sparse_set *set = &pool->sparse_set;
    uint64_t hole = l->border;
    if (hole == COVEY_NONE) hole = covey__position(set, e);
    else if (l->hole != l->border) move_packed(set, l->moved, l->border, l->hole, size);
    if (hole >= set->end) return;
    COVEY__TRACE(pool->world, pool->removed, e.index);
    fill_packed(set, e.index, (uint32_t)hole, size);
}

/* The first pool, which tells who is in the front. */
COVEY_HOT leaving find_leaving(covey__front *front, covey_entity e) {
    const covey_sparse_set *set = &front->pools[0]->sparse_set;
    uint64_t hole = covey__position(set, e);
    if (hole >= front->count) return (leaving){ COVEY_NONE, COVEY_NONE, 0 };
    front->count--;
    return (leaving){ (uint32_t)hole, front->count, covey__set_id(set, front->count) };
}

COVEY_HOT void erase_first(covey__front *front, const covey_entity *entities, uint32_t count, leaving *l, size_t size) {
    for (uint32_t i = 0; i < count; i++) {
        l[i] = find_leaving(front, entities[i]);
        erase_packed(front->pools[0], entities[i], &l[i], size);
    }
}

COVEY_HOT void erase_next(covey_pool *pool, const covey_entity *entities, uint32_t count, const leaving *l,
                          size_t size) {
    for (uint32_t i = 0; i < count; i++) erase_packed(pool, entities[i], &l[i], size);
}

static void erase_all_packed(covey__front *front, const covey_entity *entities, uint32_t count) {
    leaving l[LEAVING];
    covey__set_shifts(&front->pools[0]->sparse_set);
    if (front->pools[0]->size == 8) erase_first(front, entities, count, l, 8);
    else erase_first(front, entities, count, l, front->pools[0]->size);
    for (uint32_t i = 1; i < front->pool_count; i++) {
        if (front->pools[i]->size == 8) erase_next(front->pools[i], entities, count, l, 8);
        else erase_next(front->pools[i], entities, count, l, front->pools[i]->size);
    }
}

/* In one pool in blocks: the slot of an entity that leaves is filled by the last one of the front, and that by the last
 * one of the block. */
static void erase_in_block(covey_pool *pool, uint32_t index, uint32_t edge) {
    covey__block own = covey__block_in(&pool->block_store, index);
    uint32_t slot = own.map[index % COVEY__BLOCK_IDS], last = own.page->used[own.block] - 1u;
    COVEY__TRACE(pool->world, pool->removed, index);
    if (slot < edge) covey__block_move(&pool->block_store, &own, edge, slot);
    if (last == 0) {
        covey__storage_erase(pool, covey__entity(index, 0), false);
        return;
    }
    if (edge < last) covey__block_move(&pool->block_store, &own, last, edge);
    covey__block_free_slot(&pool->block_store, &own, index % COVEY__BLOCK_IDS);
    if (pool->block_store.zero_erased) memset(own.data + (size_t)last * pool->size, 0, pool->size);
}

static void erase_by_block(covey__front *front, uint32_t index) {
    uint8_t *border = covey__border_at(front, index);
    bool is_in = border && *border != 0 && covey__front_has(front, index);
    uint32_t edge = is_in ? --*border : COVEY__BLOCK_IDS;
    front->count -= is_in;
    for (uint32_t i = 0; i < front->pool_count; i++) {
        covey_pool *pool = front->pools[i];
        if (is_in) erase_in_block(pool, index, edge);
        else if (covey__has_index(pool, index)) {
            COVEY__TRACE(pool->world, pool->removed, index);
            covey__storage_erase(pool, covey__entity(index, 0), false);
        }
    }
}

void covey__front_erase_one(covey__front *front, covey_entity e) {
    if (front->by_block) {
        erase_by_block(front, e.index);
        return;
    }
    leaving l = find_leaving(front, e);
    covey__set_shifts(&front->pools[0]->sparse_set);
    for (uint32_t i = 0; i < front->pool_count; i++) {
        covey_pool *pool = front->pools[i];
        if (COVEY__LIKELY(pool->size == 8)) erase_packed(pool, e, &l, 8);
        else erase_packed(pool, e, &l, pool->size);
    }
}

void covey__front_erase_many(covey__front *front, const covey_entity *entities, uint32_t count) {
    for (uint32_t i = 0; i < count && front->by_block; i++) erase_by_block(front, entities[i].index);
    for (uint32_t i = 0; i < count && !front->by_block; i += LEAVING)
        erase_all_packed(front, entities + i, count - i < LEAVING ? count - i : LEAVING);
}

/* Whether a stretch has all components that the pools have in its block. */
static bool covers(const covey__front *front, uint32_t index, const covey__stretch *s) {
    uint64_t others = 0;
    for (uint32_t i = 0; i < front->pool_count; i++)
        others |= covey__block_is_empty(&front->pools[i]->block_store, index)
                      ? 0
                      : covey__block_page_of(&front->pools[i]->block_store, index)->masks[covey__block_of(index)];
    return (others & ~s->bits) == 0;
}

void covey__front_erase_stretch(covey__front *front, const covey_entity *entities, const covey__stretch *s) {
    uint32_t index = entities->index;
    if (!front->by_block || !covers(front, index, s)) {
        covey__front_erase_many(front, entities, s->count);
        return;
    }
    uint8_t *border = covey__border_at(front, index);
    if (border) {
        front->count -= *border;
        *border = 0;
    }
    for (uint32_t i = 0; i < front->pool_count; i++) covey__storage_erase_stretch(front->pools[i], entities, s);
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
        if (!covey__blocks_group(&front->pools[i]->block_store)) return false;
    }
    for (uint32_t index = covey_pool_next(first, 0); index != COVEY_NONE; index = covey_pool_next(first, index + 1))
        if (!covey__front_reach(front, index)) return false;
    return true;
}

void covey__front_free(covey__front *front) {
    if (front->by_block) covey__pages_free(&front->pools[0]->world->inner->heap, &front->borders, COVEY__BORDER_BYTES);
}

void covey__front_release(covey_pool *pool) {
    if (covey__in_blocks(pool)) pool->block_store.grouped = false;
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
    covey__block b = covey__block_in(&pool->block_store, block * COVEY__BLOCK_IDS);
    uint32_t index = block * COVEY__BLOCK_IDS + b.ids[0];
    return covey__entity(index, covey__generation_of(pool->world, index));
}

covey_entity covey__front_first(const covey__front *front) {
    return front->by_block ? first_by_block(front) : front->pools[0]->sparse_set.ids[0];
}

static void walk_slots(const covey__block_page *page, uint32_t first, uint32_t block, covey__index_fn *visit,
                       void *context) {
    const uint8_t *ids = covey__slots_of(page, block);
    for (uint32_t slot = 0; slot < page->used[block]; slot++)
        visit(first + block * COVEY__BLOCK_IDS + ids[slot], context);
}

void covey__front_walk(const covey__front *front, covey__index_fn *visit, void *context) {
    const covey_pool *pool = covey__smallest(front->pools, front->pool_count);
    for (uint32_t i = 0; front->by_block && i < pool->block_store.page_count; i++) {
        const covey__block_page *page = pool->block_store.pages[i];
        for (uint64_t left = page->summary; left != 0; left &= left - 1)
            walk_slots(page, i * COVEY__BLOCK_PAGE, covey__lowest_bit(left), visit, context);
    }
    for (uint32_t at = 0; !front->by_block && at < pool->sparse_set.end; at++)
        visit(pool->sparse_set.ids[at].index, context);
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
            covey__pages_drop(&pool->world->inner->heap, &front->borders, page, COVEY__BORDER_BYTES);
    }
}

size_t covey__front_bytes(const covey__front *front) {
    return covey__pages_bytes(&front->borders, COVEY__BORDER_BYTES);
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

#define WRONG_MEMBER "group: an entity that does not match is a member, or one that matches is none"

/* The first positions of each pool have the same entities in the same order; no other entity belongs there. */
static bool valid_packed(const covey__front *front, covey__belongs_fn *belongs, const void *context, const char **why) {
    const covey_entity *first = front->pools[0]->sparse_set.ids;
    for (uint32_t i = 0; i < front->pool_count; i++) {
        const covey_sparse_set *set = &front->pools[i]->sparse_set;
        REQUIRE(set->end >= front->count, "group: it has more members than a pool has components");
        for (uint32_t at = 0; at < front->count; at++)
            REQUIRE(covey_same(set->ids[at], first[at]), "group: its members are in different orders in two pools");
    }
    for (uint32_t at = 0; at < front->pools[0]->sparse_set.end; at++)
        REQUIRE(belongs(context, first[at].index) == (at < front->count), WRONG_MEMBER);
    return true;
}

/* The same in one block. */
static bool valid_slot(const covey__front *front, covey__belongs_fn *belongs, const void *context, uint32_t index,
                       const char **why) {
    const uint8_t *border = covey__border_at(front, index);
    uint32_t slot = covey__blocks_slot(&front->pools[0]->block_store, index);
    REQUIRE(border, "group: a block has no border");
    REQUIRE(belongs(context, index) == (slot < *border), WRONG_MEMBER);
    for (uint32_t i = 1; i < front->pool_count && slot < *border; i++)
        REQUIRE(covey__blocks_slot(&front->pools[i]->block_store, index) == slot,
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

static bool same_block(const covey__block *noted, const covey_pool *pool, uint32_t index) {
    if (covey__block_is_empty(&pool->block_store, index)) return false;
    covey__block b = covey__block_in(&pool->block_store, index);
    return noted->page == b.page && noted->block == b.block && noted->data == b.data && noted->ids == b.ids &&
           noted->map == b.map;
}

bool covey__near_valid(const covey__near *near, const covey__front *front, const covey_pool *pool, covey__others in,
                       const char **why) {
    uint32_t index = near->number * COVEY__BLOCK_IDS;
    if (near->number == COVEY__NO_BLOCK || near->moves != pool->world->moves) return true;
    REQUIRE(front && front->by_block && near->other_count == in.count, "near: a front with other pools");
    REQUIRE(same_block(&near->own, pool, index), "near: another block");
    const covey__block_page *page = near->own.page;
    REQUIRE(near->used == &page->used[near->own.block] && near->mask == &page->masks[near->own.block] &&
                near->capacity == page->capacity[near->own.block],
            "near: parts of another block");
    REQUIRE(near->border && near->border == covey__border_at(front, index), "near: the border of another block");
    for (uint32_t i = 0; i < in.count; i++)
        REQUIRE(same_block(&near->others[i], in.pools[i], index), "near: another block in another pool");
    return true;
}
