/* Members of groups: the answer of a view, kept up to date. The members of a group that owns pools are a common prefix of them; a
 * group that owns none has a set of its own.
 *
 *     pool A   | members of (A, B, C) | other members of (A, B) | the rest |
 *     pool B   | the same             | the same                | the rest |
 *     pool C   | the same             | the rest                           |
 *              0                      inner->count              outer->count
 *
 * Pools in blocks have this picture in each block of 64 ids, with slots for positions and a border for each block.
 *
 * An entity joins from the outer to the inner group and leaves the other way round, so that each step swaps it with the
 * entity at one border, in all the pools at once. */
#include "observe/members.h"

#include "memory/alloc.h"
#include "storage/block_store.h"
#include "observe/observers.h"
#include "storage/sparse_set.h"
#include "storage/storage.h"
#include "storage/storage_erase.h"

#include <stdalign.h>

static uint32_t asked(const covey_group *group) { return group->view.with; }

/* Larger for an inner group than for its outer groups: it asks for more, or owns more. */
uint32_t covey__group_depth(const covey_group *group) { return covey__group_terms(group) + group->owned; }

static bool names(const covey_group *group, const covey_pool *pool, uint32_t first, uint32_t end) {
    while (first < end && group->pools[first] != pool) first++;
    return first < end;
}

bool covey__groups_share_pools(const covey_group *a, const covey_group *b) {
    for (uint32_t i = 0; i < a->owned; i++)
        if (names(b, a->pools[i], 0, b->owned)) return true;
    return false;
}

/* ---- Members ------------------------------------------------------------------------------------------------------*/

static uint32_t position_in(const covey_pool *pool, uint32_t index) {
    return covey__slot_position(*covey__slot_of(&pool->set, index));
}

bool covey__group_is_candidate(const covey_group *group, uint32_t index) {
    for (uint32_t i = 0; i < asked(group); i++)
        if (!covey__has_index(group->pools[i], index)) return false;
    return true;
}

/* Whether a candidate is kept out: it has an excluded component, or something is disabled. */
static bool is_kept_out(const covey_group *group, uint32_t index) {
    if (covey__has_index(group->world->disabled, index)) return true;
    for (uint32_t i = 0; i < asked(group); i++)
        if (covey__component_is_disabled(group->pools[i], index)) return true;
    for (uint32_t i = asked(group); i < covey__group_terms(group); i++)
        if (covey__sees(group->pools[i], index)) return true;
    return false;
}

/* For a group that owns pools in blocks. */
static bool has_member(const covey_group *group, uint32_t index) {
    const uint8_t *border = covey__border_at(group, index);
    return border && covey__has_index(group->pools[0], index) &&
           covey__blocks_slot(&group->pools[0]->blocks, index) < *border;
}

bool covey__group_asks_for(const covey_group *group, uint32_t index) {
    return covey__group_is_candidate(group, index) && !is_kept_out(group, index);
}

bool covey__group_has(const covey_group *group, uint32_t index) {
    if (group->in_blocks) return has_member(group, index);
    return covey__set_has(group->owned != 0 ? &group->pools[0]->set : &group->set, index, group->count);
}

/* Out of line, which shortens the common path: most entities that join are in the right place already. */
static COVEY__NOINLINE void exchange(covey_sparse_set *set, covey__slot *slot, covey__slot id, uint32_t position) {
    covey__set_exchange(set, slot, id, position);
}

/* Moves the component of an entity to a position of an owned pool. For assertion level 1, views of the pool are told
 * who moved: an entity that leaves goes to rows that were visited, and may be the one of the row; for one that joins,
 * COVEY_NONE, it may not. */
static inline void move_to(covey_pool *pool, covey__slot *slot, covey__slot id, uint32_t position, bool joins) {
    if (covey__slot_position(*slot) == position) return;
    if (joins) exchange(&pool->set, slot, id, position);
    else covey__set_exchange(&pool->set, slot, id, position);
    covey__pool_moved(pool, false);
    COVEY__TRACE(pool->world, pool->removed, joins ? COVEY_NONE : covey__slot_position(id));
}

/* The same in all owned pools, for a slot of a block. Views are told of `who`. */
static void move_in_blocks(covey_group *group, uint32_t index, uint32_t slot, uint32_t who) {
    (void)who;
    for (uint32_t i = 0; i < group->owned; i++) {
        covey_pool *pool = group->pools[i];
        covey__block at = covey__block_in(&pool->blocks, index);
        if (at.map[index % COVEY__BLOCK_IDS] == slot) continue;
        covey__block_exchange(&pool->blocks, &at, index % COVEY__BLOCK_IDS, slot);
        covey__pool_moved(pool, false);
        COVEY__TRACE(pool->world, pool->removed, who);
    }
}

/* In all owned pools except one, which may be NULL. */
static void move_all_to(covey_group *group, const covey_pool *but, uint32_t index, uint32_t position, bool joins) {
    for (uint32_t i = 0; i < group->owned; i++) {
        covey_pool *pool = group->pools[i];
        covey__slot *slot = covey__slot_of(&pool->set, index);
        if (pool != but) move_to(pool, slot, covey__set_id(&pool->set, covey__slot_position(*slot)), position, joins);
    }
}

#if COVEY_ASSERT_LEVEL >= 1
void covey__group_disturb_outer(const covey_group *group, uint32_t who) {
    for (uint32_t i = 0; i < group->world->group_count; i++) {
        covey_group *other = group->world->groups[i];
        if (covey__group_depth(other) < covey__group_depth(group) && covey__groups_share_pools(other, group))
            COVEY__TRACE(other->world, other->left, who);
    }
}
#endif

static void note_join(covey_group *group) {
#if COVEY_ASSERT_LEVEL >= 1
    group->joined++;
    group->world->changes++;
#endif
    covey__group_disturb_outer(group, COVEY_NONE);
}

static void note_leave(covey_group *group, uint32_t index) {
    COVEY__TRACE(group->world, group->left, index);
    covey__group_disturb_outer(group, index);
}

/* For an entity that has all terms and is no member yet. */
static void join(covey_group *group, uint32_t index) {
    if (group->owned == 0) {
        covey_entity e = covey__entity(index, covey__generation_of(group->world, index));
        covey__set_place(&group->set, e, true);
    }
    if (group->in_blocks) move_in_blocks(group, index, (*covey__border_at(group, index))++, COVEY_NONE);
    else move_all_to(group, NULL, index, group->count, true);
    group->count++;
    note_join(group);
}

/* For a member. */
static void leave(covey_group *group, uint32_t index) {
    note_leave(group, index);
    group->count--;
    if (group->in_blocks) move_in_blocks(group, index, --*covey__border_at(group, index), index);
    else move_all_to(group, NULL, index, group->count, false);
    if (group->owned == 0)
        covey_sparse_set_erase(&group->set, covey__entity(index, covey_sparse_set_current(&group->set, index)));
}

/* ---- Following changes --------------------------------------------------------------------------------------------*/

/* Whether the entity has all terms of the group except the one of this pool. */
static bool has_others(const covey_group *group, const covey_pool *pool, uint32_t index) {
    for (uint32_t i = 0; i < asked(group); i++)
        if (group->pools[i] != pool && !covey__has_index(group->pools[i], index)) return false;
    return true;
}

covey_result covey__group_reserve(covey_group *group, uint64_t more) {
    if (more <= covey__set_room(&group->set) - group->candidates) return COVEY_OK;
    if (more > COVEY_NONE - group->candidates) return COVEY_ERROR_FULL;
    return covey__set_prepare_spare(&group->set, group->candidates - group->set.end + (uint32_t)more);
}

static covey_result prepare(covey_group *group, uint32_t index, uint32_t count) {
    covey_result result = covey__set_prepare(&group->set, index, true);
    return result == COVEY_OK ? covey__group_reserve(group, count) : result;
}

/* The first pool of the group that does not have the index, or NULL. */
static const covey_pool *first_missing(const covey_group *group, uint32_t index) {
    uint32_t i = 0;
    while (i < asked(group) && covey__has_index(group->pools[i], index)) i++;
    return i < asked(group) ? group->pools[i] : NULL;
}

uint32_t covey__group_newcomers(const covey_group *group, const covey_pool *pool, const covey_entity *entities,
                                uint32_t count) {
    uint32_t newcomers = 0;
    if (!names(group, pool, 0, asked(group))) return 0;
    for (uint32_t i = 0; i < count; i++) newcomers += first_missing(group, entities[i].index) == pool;
    return newcomers;
}

bool covey__group_reach(covey_group *group, uint32_t index) {
    covey_world *world = group->world;
    return covey__pages_reach(&world->heap, &group->borders, index, covey__block_limit(world), COVEY__BORDER_BYTES) !=
           NULL;
}

covey_result covey__groups_prepare(covey_pool *pool, covey_entity e, uint32_t count, bool anyway) {
    const covey__observers *observers = pool->observers;
    covey_result result = COVEY_OK;
    for (uint32_t i = 0; i < observers->group_count && result == COVEY_OK; i++) {
        covey_group *group = observers->groups[i].group;
        bool may_join = group->owned == 0 && observers->groups[i].role == COVEY__ASKED;
        bool has_border = !group->in_blocks || pool != group->pools[0] || covey__group_reach(group, e.index);
        if (!has_border) result = COVEY_ERROR_MEMORY;
        if (may_join && (anyway || has_others(group, pool, e.index))) result = prepare(group, e.index, count);
    }
    return result;
}

/* The same for components that have settled: of several components added at once, the last one makes the entity
 * join. */
static bool has_settled_others(const covey_group *group, const covey_pool *pool, uint32_t index) {
    for (uint32_t i = 0; i < asked(group); i++)
        if (group->pools[i] != pool && group->pools[i]->observers->settling) return false;
    return has_others(group, pool, index);
}

/* The entity leaves the groups that exclude the pool. */
static void leave_excluding(const covey__observers *observers, uint32_t index) {
    for (uint32_t i = observers->group_count; i-- != 0;) {
        covey_group *group = observers->groups[i].group;
        if (observers->groups[i].role == COVEY__EXCLUDED && covey__group_has(group, index)) leave(group, index);
    }
}

void covey__groups_added(covey_pool *pool, uint32_t index) {
    const covey__observers *observers = pool->observers;
    if (observers->is_excluded) leave_excluding(observers, index);
    for (uint32_t i = 0; i < observers->group_count; i++) {
        covey_group *group = observers->groups[i].group;
        if (observers->groups[i].role == COVEY__EXCLUDED || !has_settled_others(group, pool, index)) continue;
        if (group->owned == 0) group->candidates++;
        if (!is_kept_out(group, index)) join(group, index);
    }
}

/* Leaves a group that does not own the pool. */
static void leave_asking(covey_group *group, const covey_pool *pool, uint32_t index) {
    if (!has_others(group, pool, index)) return;
    if (group->owned == 0) group->candidates--;
    if (covey__group_has(group, index)) leave(group, index);
}

void covey__groups_leaving(covey_pool *pool, uint32_t index) {
    const covey__observers *observers = pool->observers;
    for (uint32_t i = observers->group_count; i-- != 0;) {
        covey_group *group = observers->groups[i].group;
        if (observers->groups[i].role == COVEY__ASKED) leave_asking(group, pool, index);
        if (observers->groups[i].role == COVEY__OWNED && covey__group_has(group, index)) leave(group, index);
    }
}

/* Leaves a group that owns the pool, where the component is a hole already: the last member fills it, which leaves a
 * hole at the border. Returns its position. */
static uint32_t leave_owning(covey_group *group, covey_pool *pool, uint32_t index, uint32_t hole) {
    if (hole >= group->count) return hole;
    uint32_t last = --group->count;
    note_leave(group, index);
    move_all_to(group, pool, index, last, false);
    if (hole != last) covey__set_move(&pool->set, last, hole);
    return last;
}

/* The last component of a pool fills the hole. */
static inline void end_erasing(covey_sparse_set *set, covey__slot *slot, uint32_t hole) {
    uint32_t last = --set->end;
    if (hole != last) covey__set_move(set, last, hole);
    *slot = COVEY__SLOT_NULL;
    if (set->zero_erased) memset((char *)set->data + (size_t)last * set->size, 0, set->size);
}

void covey__groups_erase(covey_pool *pool, uint32_t index) {
    const covey__observers *observers = pool->observers;
    covey_sparse_set *set = &pool->set;
    uint32_t hole = position_in(pool, index);
    for (uint32_t i = observers->group_count; i-- != 0;) {
        covey_group *group = observers->groups[i].group;
        if (observers->groups[i].role == COVEY__OWNED) hole = leave_owning(group, pool, index, hole);
        else if (observers->groups[i].role == COVEY__ASKED) leave_asking(group, pool, index);
    }
    end_erasing(set, covey__slot_of(set, index), hole);
}

static void join_if_asked(covey_group *group, uint32_t index) {
    if (!covey__group_has(group, index) && covey__group_asks_for(group, index)) join(group, index);
}

/* Entities that are being destroyed do not join. Members had the component before, disabled. */
void covey__groups_left(covey_pool *pool, covey_entity e) {
    const covey__observers *observers = pool->observers;
    for (uint32_t i = 0; i < observers->group_count && covey_alive(pool->world, e); i++)
        if (observers->groups[i].role == COVEY__EXCLUDED) join_if_asked(observers->groups[i].group, e.index);
}

void covey__groups_review(covey_pool *pool, uint32_t index) {
    const covey__observers *observers = pool->observers;
    for (uint32_t i = observers->group_count; i-- != 0;) {
        covey_group *group = observers->groups[i].group;
        if (covey__group_has(group, index) && !covey__group_asks_for(group, index)) leave(group, index);
    }
    for (uint32_t i = 0; i < observers->group_count; i++) join_if_asked(observers->groups[i].group, index);
}

/* The smallest pool that has all members. */
const covey_pool *covey__group_smallest(const covey_group *group) {
    uint32_t end = group->owned != 0 ? group->owned : asked(group);
    const covey_pool *found = group->pools[0];
    for (uint32_t i = 1; i < end; i++)
        if (covey_pool_count(group->pools[i]) < covey_pool_count(found)) found = group->pools[i];
    return found;
}

/* The same in blocks, by their slots. */
static void collect_in_blocks(covey_group *group) {
    const covey__block_store *blocks = &covey__group_smallest(group)->blocks;
    for (uint32_t i = 0; i < blocks->page_count; i++) {
        const covey__block_page *page = blocks->pages[i];
        for (uint64_t left = page->summary; left != 0; left &= left - 1) {
            uint32_t block = covey__lowest_bit(left), first = i * COVEY__BLOCK_PAGE + block * COVEY__BLOCK_IDS;
            const uint8_t *ids = covey__slots_of(page, block);
            for (uint32_t slot = 0; slot < page->used[block]; slot++) join_if_asked(group, first + ids[slot]);
        }
    }
}

/* Adds all entities that match. Walking an owned pool changes it only before the current position, so that members of
 * an inner group, which come first, stay in place. */
void covey__group_collect_new(covey_group *group) {
    const covey_pool *pool = covey__group_smallest(group);
    group->candidates = 0;
    if (group->in_blocks) {
        collect_in_blocks(group);
        return;
    }
    for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1)) {
        covey_entity e = covey_pool_at(pool, at);
        if (!covey__group_is_candidate(group, e.index)) continue;
        if (group->owned == 0) group->candidates++;
        join_if_asked(group, e.index);
    }
}

static void clear_members(covey_group *group) {
    for (uint32_t i = 0; i < group->owned; i++) covey__pool_moved(group->pools[i], false);
    if (group->owned == 0) covey_sparse_set_clear(&group->set);
    for (uint32_t i = 0; i < group->borders.count; i++)
        if (group->borders.at[i]) memset(group->borders.at[i], 0, COVEY__BORDER_BYTES);
    group->count = group->candidates = 0;
    COVEY__TRACE(group->world, group->left, COVEY_NONE);
}

void covey__group_collect(covey_group *group) {
    clear_members(group);
    covey__group_collect_new(group);
}

/* Counts members that are in the first slots already. */
void covey__group_count_again(covey_group *group) {
    const covey_pool *pool = group->pools[0];
    clear_members(group);
    for (uint32_t index = covey_pool_next(pool, 0); index != COVEY_NONE; index = covey_pool_next(pool, index + 1)) {
        if (!covey__group_asks_for(group, index)) continue;
        ++*covey__border_at(group, index);
        group->count++;
    }
}

void covey__groups_cleared(covey_pool *pool) {
    const covey__observers *observers = pool->observers;
    for (uint32_t i = 0; i < observers->group_count; i++) {
        if (observers->groups[i].role == COVEY__EXCLUDED) covey__group_collect_new(observers->groups[i].group);
        else clear_members(observers->groups[i].group);
    }
}

/* ---- The usual case -----------------------------------------------------------------------------------------------*/

/* The number of further pools that the sole observer owns is passed as a constant if it is 1, so that the loops over
 * them are unrolled. */

/* The slots of an entity's other components; false when one is missing. */
COVEY_HOT bool find_others(const covey__observers *observers, uint32_t others, uint32_t index, covey__slot **slots) {
    for (uint32_t i = 0; i < others; i++) {
        const covey_sparse_set *set = &observers->others[i]->set;
        if (!covey__set_has(set, index, set->end)) return false;
        slots[i] = covey__slot_of(set, index);
    }
    return true;
}

COVEY_HOT void move_others(const covey__observers *observers, uint32_t others, covey__slot **slots, covey__slot id,
                           uint32_t border, bool joins) {
    for (uint32_t i = 0; i < others; i++) move_to(observers->others[i], slots[i], id, border, joins);
}

/* Joins. The first entity behind the members moves to the end of the pool; returns where it was. */
COVEY_HOT uint32_t open_border(covey_pool *pool, uint32_t others, covey__slot **slots, covey__slot id, uint32_t end) {
    covey_group *group = pool->observers->sole;
    uint32_t border = group->count++;
    move_others(pool->observers, others, slots, id, border, true);
    if (border != end) {
        covey__set_move(&pool->set, border, end);
        covey__pool_moved(pool, true);
    }
    note_join(group);
    return border;
}

COVEY_HOT void *place_among(covey_pool *pool, uint32_t others, uint32_t index, uint32_t generation) {
    covey_sparse_set *set = &pool->set;
    covey__slot *slots[COVEY_TERMS], *slot;
    uint32_t at = set->end;
    covey__slot id = COVEY__SLOT(index, generation);
    if (index / COVEY_PAGE_SIZE >= set->page_count || at >= covey__set_room(set)) return NULL;
    slot = covey__slot_of(set, index);
    if (*slot != COVEY__SLOT_NULL || !covey__is_current(pool->world, covey__entity(index, generation))) return NULL;
    if (pool->world->dying) return NULL;
    if (find_others(pool->observers, others, index, slots)) at = open_border(pool, others, slots, id, at);
    set->end++;
    set->ids[at] = covey__entity(index, generation);
    *slot = COVEY__SLOT(at, generation);
    COVEY__TRACE(pool->world, pool->added, index);
    return (char *)set->data + (size_t)at * set->size;
}

static COVEY__NOINLINE void *place_among_many(covey_pool *pool, uint32_t index, uint32_t generation) {
    return place_among(pool, pool->observers->other_count, index, generation);
}

/* ---- The same in blocks ------------------------------------------------------------------------------------------*/

/* The blocks of an index in the other pools; false if one of them does not have it. */
COVEY_HOT bool find_other_blocks(const covey__observers *observers, uint32_t others, uint32_t index,
                                 covey__block *found) {
    for (uint32_t i = 0; i < others; i++) {
        if (!covey__block_has(&observers->others[i]->blocks, index)) return false;
        found[i] = covey__block_in(&observers->others[i]->blocks, index);
    }
    return true;
}

/* Out of line, as `exchange` is. */
static COVEY__NOINLINE void exchange_in(covey_pool *pool, uint32_t index, uint32_t slot) {
    covey__block at = covey__block_in(&pool->blocks, index);
    covey__block_exchange(&pool->blocks, &at, index % COVEY__BLOCK_IDS, slot);
}

static COVEY__NOINLINE void make_way_in(covey_pool *pool, uint32_t index, uint32_t from, uint32_t to) {
    covey__block at = covey__block_in(&pool->blocks, index);
    covey__block_move(&pool->blocks, &at, from, to);
}

/* Moves the entity of an index to a slot in the other pools. */
COVEY_HOT void move_in_others(const covey__observers *observers, uint32_t others, const covey__block *in,
                              uint32_t index, uint32_t slot, uint32_t who) {
    for (uint32_t i = 0; i < others; i++) {
        covey_pool *pool = observers->others[i];
        if (in[i].map[index % COVEY__BLOCK_IDS] == slot) continue;
        if (who == COVEY_NONE) exchange_in(pool, index, slot);
        else covey__block_exchange(&pool->blocks, &in[i], index % COVEY__BLOCK_IDS, slot);
        covey__pool_moved(pool, false);
        COVEY__TRACE(pool->world, pool->removed, who);
    }
}

/* Joins. The first entity behind the members moves to the next free slot; returns where it was. */
COVEY_HOT uint32_t open_border_in(covey_pool *pool, uint32_t others, const covey__block *own, const covey__block *in,
                                  uint32_t index) {
    covey_group *group = pool->observers->sole;
    uint32_t next = own->page->used[own->block], slot = (*covey__border_at(group, index))++;
    move_in_others(pool->observers, others, in, index, slot, COVEY_NONE);
    if (slot != next) {
        make_way_in(pool, index, slot, next);
        covey__pool_moved(pool, true);
    }
    group->count++;
    note_join(group);
    return slot;
}

COVEY_HOT void *place_in_block(covey_pool *pool, uint32_t others, uint32_t index, uint32_t generation) {
    covey__block_store *blocks = &pool->blocks;
    covey__block in[COVEY_TERMS];
    if (index / COVEY__BLOCK_PAGE >= blocks->page_count || pool->world->dying) return NULL;
    if (!covey__is_current(pool->world, covey__entity(index, generation))) return NULL;
    covey__block own = covey__block_in(blocks, index);
    uint32_t bit = index % COVEY__BLOCK_IDS, slot = own.page->used[own.block];
    if (slot == own.page->capacity[own.block] || (own.page->masks[own.block] >> bit & 1) != 0) return NULL;
    if (find_other_blocks(pool->observers, others, index, in)) slot = open_border_in(pool, others, &own, in, index);
    covey__block_take(blocks, &own, bit, slot);
    COVEY__TRACE(pool->world, pool->added, index);
    return own.data + (size_t)slot * blocks->size;
}

/* For a member: the last member fills its slot, and the last entity of the block fills that one. */
COVEY_HOT void erase_member(covey_pool *pool, uint32_t others, const covey__block *own, const covey__block *in,
                            uint32_t index, uint8_t *border) {
    covey_group *group = pool->observers->sole;
    uint32_t bit = index % COVEY__BLOCK_IDS, slot = own->map[bit], edge = --*border;
    uint32_t last = own->page->used[own->block] - 1u;
    note_leave(group, index);
    group->count--;
    move_in_others(pool->observers, others, in, index, edge, index);
    if (slot != edge) covey__block_move(&pool->blocks, own, edge, slot);
    if (edge != last) covey__block_move(&pool->blocks, own, last, edge);
    covey__block_free_slot(&pool->blocks, own, bit);
}

/* Returns false if it is no member, or if its block would be empty. */
COVEY_HOT bool erase_in_block(covey_pool *pool, uint32_t others, uint32_t index) {
    uint8_t *border = covey__border_at(pool->observers->sole, index);
    covey__block own = covey__block_in(&pool->blocks, index), in[COVEY_TERMS];
    if (own.page->used[own.block] == 1 || pool->blocks.zero_erased) return false;
    if (!border || own.map[index % COVEY__BLOCK_IDS] >= *border) return false;
    if (!find_other_blocks(pool->observers, others, index, in)) return false;
    erase_member(pool, others, &own, in, index, border);
    return true;
}

static COVEY__NOINLINE void *place_in_many(covey_pool *pool, uint32_t index, uint32_t generation) {
    return place_in_block(pool, pool->observers->other_count, index, generation);
}

static COVEY__NOINLINE bool erase_in_many(covey_pool *pool, uint32_t index) {
    return erase_in_block(pool, pool->observers->other_count, index);
}

static COVEY__NOINLINE void erase_in_block_slowly(covey_pool *pool, uint32_t index, uint32_t generation) {
    if (has_member(pool->observers->sole, index)) leave(pool->observers->sole, index);
    covey__storage_erase(pool, covey__entity(index, generation), false);
}

/* ---- Both --------------------------------------------------------------------------------------------------------*/

/* The slow path: an error, or an allocation. */
static COVEY__NOINLINE void *place_slowly(covey_pool *pool, uint32_t index, uint32_t generation) {
    void *to = covey__pool_place_slowly(pool, index, generation);
    return to ? covey__pool_settle(pool, index, generation) : NULL;
}

static void *placed(covey_pool *pool, void *to, uint32_t index, uint32_t generation) {
    if (!COVEY__LIKELY(to != NULL)) return place_slowly(pool, index, generation);
    COVEY__CHANGED(pool->world);
    return to;
}

static COVEY__NOINLINE void *place_in_blocks(covey_pool *pool, uint32_t index, uint32_t generation) {
    bool pair = pool->observers->other_count == 1;
    void *to =
        COVEY__LIKELY(pair) ? place_in_block(pool, 1, index, generation) : place_in_many(pool, index, generation);
    return placed(pool, to, index, generation);
}

static COVEY__NOINLINE void *place_packed(covey_pool *pool, uint32_t index, uint32_t generation) {
    bool pair = pool->observers->other_count == 1;
    void *to =
        COVEY__LIKELY(pair) ? place_among(pool, 1, index, generation) : place_among_many(pool, index, generation);
    return placed(pool, to, index, generation);
}

/* Finds the final place of a component; its value may be written later. */
void *covey__group_place(covey_pool *pool, uint32_t index, uint32_t generation) {
    return (pool->observers->sole->in_blocks ? place_in_blocks : place_packed)(pool, index, generation);
}

/* Leaves. The last member fills the hole; returns where it was. */
COVEY_HOT uint32_t close_border(covey_pool *pool, uint32_t others, covey__slot **slots, covey__slot id, uint32_t hole) {
    covey_group *group = pool->observers->sole;
    uint32_t border = --group->count;
    note_leave(group, covey__slot_position(id));
    move_others(pool->observers, others, slots, id, border, false);
    if (hole != border) covey__set_move(&pool->set, border, hole);
    return border;
}

COVEY_HOT void erase_among(covey_pool *pool, uint32_t others, uint32_t index, uint32_t generation) {
    covey_sparse_set *set = &pool->set;
    covey__slot *slots[COVEY_TERMS], *slot = covey__slot_of(set, index);
    uint32_t hole = covey__slot_position(*slot);
    bool member = hole < pool->observers->sole->count && find_others(pool->observers, others, index, slots);
    if (member) hole = close_border(pool, others, slots, COVEY__SLOT(index, generation), hole);
    end_erasing(set, slot, hole);
}

static COVEY__NOINLINE void erase_among_many(covey_pool *pool, uint32_t index, uint32_t generation) {
    erase_among(pool, pool->observers->other_count, index, generation);
}

static COVEY__NOINLINE void erase_in_blocks(covey_pool *pool, uint32_t index, uint32_t generation) {
    bool pair = pool->observers->other_count == 1;
    bool erased = COVEY__LIKELY(pair) ? erase_in_block(pool, 1, index) : erase_in_many(pool, index);
    if (!COVEY__LIKELY(erased)) erase_in_block_slowly(pool, index, generation);
}

static COVEY__NOINLINE void erase_packed(covey_pool *pool, uint32_t index, uint32_t generation) {
    if (COVEY__LIKELY(pool->observers->other_count == 1)) erase_among(pool, 1, index, generation);
    else erase_among_many(pool, index, generation);
}

void covey__group_erase(covey_pool *pool, uint32_t index, uint32_t generation) {
    (pool->observers->sole->in_blocks ? erase_in_blocks : erase_packed)(pool, index, generation);
}

/* ---- Links between groups and pools -------------------------------------------------------------------------------*/

const covey_group *covey__pool_owner(const covey_pool *pool) {
    const covey_group *owner = NULL;
    for (uint32_t i = 0; pool->observers && i < pool->observers->group_count; i++) {
        if (pool->observers->groups[i].role == COVEY__OWNED) owner = pool->observers->groups[i].group;
    }
    return owner;
}

/* Where a group is inserted: behind its outer groups. */
static uint32_t place_of(const covey_world *world, const covey_group *group) {
    uint32_t at = 0;
    while (at < world->group_count && covey__group_depth(world->groups[at]) <= covey__group_depth(group)) at++;
    return at;
}

static bool make_room_in(covey_pool *pool) {
    covey__observers *observers = covey__pool_observers(pool);
    if (!observers) return false;
    if (observers->group_count < observers->group_capacity) return true;
    uint32_t capacity = covey__grown(observers->group_capacity, observers->group_count + 1, UINT32_MAX);
    covey__membership *links = covey__resize(&pool->world->heap, observers->groups, observers->group_capacity, capacity,
                                             sizeof *links, alignof(covey__membership));
    if (!links) return false;
    observers->groups = links;
    observers->group_capacity = capacity;
    return true;
}

/* Makes room for linking the group; false when an allocation fails. */
bool covey__group_make_room(covey_group *group) {
    covey_world *world = group->world;
    covey_group **groups =
        covey__reach(&world->heap, world->groups, &world->group_capacity, world->group_count, UINT32_MAX, NULL);
    if (!groups) return false;
    world->groups = groups;
    for (uint32_t i = 0; i < covey__group_terms(group); i++)
        if (!make_room_in(group->pools[i])) return false;
    return !world->disabled || make_room_in(world->disabled);
}

static void link_to(covey_group *group, covey_pool *pool, covey__role role) {
    covey__observers *observers = pool->observers;
    uint32_t at = observers->group_count++;
    for (; at != 0 && covey__group_depth(observers->groups[at - 1].group) > covey__group_depth(group); at--)
        observers->groups[at] = observers->groups[at - 1];
    observers->groups[at] = (covey__membership){ group, role };
    covey__pool_update_observers(pool);
}

void covey__group_unlink(const covey_group *group, covey_pool *pool) {
    covey__observers *observers = pool->observers;
    uint32_t at = 0;
    while (at < observers->group_count && observers->groups[at].group != group) at++;
    if (at == observers->group_count) return;
    observers->group_count--;
    for (; at < observers->group_count; at++) observers->groups[at] = observers->groups[at + 1];
    covey__pool_update_observers(pool);
}

void covey__group_link(covey_group *group) {
    covey_world *world = group->world;
    uint32_t at = place_of(world, group);
    for (uint32_t i = world->group_count++; i > at; i--) world->groups[i] = world->groups[i - 1];
    world->groups[at] = group;
    for (uint32_t i = 0; i < covey__group_terms(group); i++)
        link_to(group, group->pools[i],
                i < group->owned   ? COVEY__OWNED
                : i < asked(group) ? COVEY__ASKED
                                   : COVEY__EXCLUDED);
    if (world->disabled) link_to(group, world->disabled, COVEY__EXCLUDED);
}

bool covey__groups_room(covey_world *world, covey__observers **observers) {
    covey__heap *heap = &world->heap;
    uint32_t count = world->group_count;
    *observers = NULL;
    if (count == 0) return true;
    covey__membership *links = covey__resize(heap, NULL, 0, count, sizeof *links, alignof(covey__membership));
    if (!links) return false;
    *observers = covey__resize(heap, NULL, 0, 1, sizeof **observers, alignof(covey__observers));
    if (*observers) **observers = (covey__observers){ .groups = links, .group_capacity = count };
    else covey__free(heap, links, count, sizeof *links, alignof(covey__membership));
    return *observers != NULL;
}

/* From now on no group is a sole observer: disabled entities have to be checked as well. */
void covey__groups_exclude(covey_pool *pool, covey__observers *observers) {
    if (!observers) return;
    covey_world *world = pool->world;
    pool->observers = observers;
    for (uint32_t i = 0; i < world->group_count; i++) {
        covey_group *group = world->groups[i];
        link_to(group, pool, COVEY__EXCLUDED);
        for (uint32_t k = 0; k < covey__group_terms(group); k++) covey__pool_update_observers(group->pools[k]);
    }
}

void covey__groups_update(covey_pool *pool) {
    covey__pool_update_observers(pool);
    for (uint32_t i = 0; i < pool->observers->group_count; i++) {
        const covey_group *group = pool->observers->groups[i].group;
        for (uint32_t k = 0; k < covey__group_terms(group); k++) covey__pool_update_observers(group->pools[k]);
    }
}
