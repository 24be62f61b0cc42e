/* Members of groups: the answer of a view, kept up to date. The members of a group that owns pools are a common prefix of them; a
 * group that owns none has a set of its own.
 *
 *     pool A   | members of (A, B, C) | other members of (A, B) | the rest |
 *     pool B   | the same             | the same                | the rest |
 *     pool C   | the same             | the rest                           |
 *              0                      inner->count              outer->count
 *
 * An entity joins from the outer to the inner group and leaves the other way round, so that each step swaps it with the
 * entity at one border, in all the pools at once. */
#include "members.h"

#include "alloc.h"
#include "observers.h"
#include "sparse_set.h"
#include "storage.h"

#include <stdalign.h>

static uint32_t asked(const covey_group *group) { return group->view.with; }

/* Larger for an inner group than for those around it: it asks for more, or owns more of the same. */
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

/* Whether a candidate is no member: for what it has besides, or because something is disabled. */
static bool is_kept_out(const covey_group *group, uint32_t index) {
    if (covey__has_index(group->world->disabled, index)) return true;
    for (uint32_t i = 0; i < asked(group); i++)
        if (covey__is_off(group->pools[i], index)) return true;
    for (uint32_t i = asked(group); i < covey__group_terms(group); i++)
        if (covey__sees(group->pools[i], index)) return true;
    return false;
}

bool covey__group_asks_for(const covey_group *group, uint32_t index) {
    return covey__group_is_candidate(group, index) && !is_kept_out(group, index);
}

bool covey__group_has(const covey_group *group, uint32_t index) {
    return covey__set_has(group->owned != 0 ? &group->pools[0]->set : &group->set, index, group->count);
}

/* Out of line for those that join: often they are where they belong, and the way past this is shorter then. */
static COVEY__NOINLINE void exchange(covey_sparse_set *set, covey__slot *slot, covey__slot id, uint32_t position) {
    covey__set_exchange(set, slot, id, position);
}

/* Moves the component of an entity to a position of an owned pool. At assertion level 2, views that visit the pool hear
 * whose move it is: who leaves goes to where rows have been, and may be theirs; who joins, as COVEY_NONE, may not. */
static inline void move_to(covey_pool *pool, covey__slot *slot, covey__slot id, uint32_t position, bool joins) {
    if (covey__slot_position(*slot) == position) return;
    if (joins) exchange(&pool->set, slot, id, position);
    else covey__set_exchange(&pool->set, slot, id, position);
    covey__pool_moved(pool, false);
    COVEY__TRACE(pool->removed, joins ? COVEY_NONE : covey__slot_position(id));
}

/* In all owned pools but one, which may be NULL. */
static void move_all_to(covey_group *group, const covey_pool *but, uint32_t index, uint32_t position, bool joins) {
    for (uint32_t i = 0; i < group->owned; i++) {
        covey_pool *pool = group->pools[i];
        covey__slot *slot = covey__slot_of(&pool->set, index);
        if (pool != but) move_to(pool, slot, covey__set_id(&pool->set, covey__slot_position(*slot)), position, joins);
    }
}

#if COVEY_ASSERT_LEVEL >= 2
void covey__group_disturb_outer(const covey_group *group, uint32_t who) {
    for (uint32_t i = 0; i < group->world->group_count; i++) {
        covey_group *other = group->world->groups[i];
        if (covey__group_depth(other) < covey__group_depth(group) && covey__groups_share_pools(other, group))
            COVEY__TRACE(other->left, who);
    }
}
#endif

static void note_join(covey_group *group) {
#if COVEY_ASSERT_LEVEL >= 2
    group->joined++;
#endif
    covey__group_disturb_outer(group, COVEY_NONE);
}

static void note_leave(covey_group *group, uint32_t index) {
    COVEY__TRACE(group->left, index);
    covey__group_disturb_outer(group, index);
}

/* Of one that it asks for, and that is not a member yet. */
static void join(covey_group *group, uint32_t index) {
    if (group->owned == 0) {
        covey_entity e = covey__entity(index, covey__generation_of(group->world, index));
        covey__set_place(&group->set, e, true);
    }
    move_all_to(group, NULL, index, group->count++, true);
    note_join(group);
}

/* Of a member. */
static void leave(covey_group *group, uint32_t index) {
    note_leave(group, index);
    move_all_to(group, NULL, index, --group->count, false);
    if (group->owned == 0)
        covey_sparse_set_erase(&group->set, covey__entity(index, covey_sparse_set_current(&group->set, index)));
}

/* ---- Following changes --------------------------------------------------------------------------------------------*/

/* Whether the entity has all that the group asks for but for this pool's. */
static bool has_others(const covey_group *group, const covey_pool *pool, uint32_t index) {
    for (uint32_t i = 0; i < asked(group); i++)
        if (group->pools[i] != pool && !covey__has_index(group->pools[i], index)) return false;
    return true;
}

/* Room for more candidates, so that they may become members when they lose an excluded component: losing never fails. */
static covey_result prepare(covey_group *group, uint32_t index, uint32_t count) {
    covey_result result = covey__set_prepare(&group->set, index, true);
    if (result != COVEY_OK || count <= covey__set_room(&group->set) - group->candidates) return result;
    if (count > COVEY_NONE - group->candidates) return COVEY_ERROR_FULL;
    return covey__set_prepare_spare(&group->set, group->candidates - group->set.end + count);
}

covey_result covey__groups_prepare(covey_pool *pool, covey_entity e, uint32_t count, bool anyway) {
    const covey__watch *watch = pool->watch;
    covey_result result = COVEY_OK;
    for (uint32_t i = 0; i < watch->group_count && result == COVEY_OK; i++) {
        covey_group *group = watch->groups[i].group;
        bool may_join = group->owned == 0 && watch->groups[i].role == COVEY__ASKED;
        if (may_join && (anyway || has_others(group, pool, e.index))) result = prepare(group, e.index, count);
    }
    return result;
}

/* The same, as far as the groups have heard: of several components that are added at once, the last lets it join. */
static bool has_settled_others(const covey_group *group, const covey_pool *pool, uint32_t index) {
    for (uint32_t i = 0; i < asked(group); i++)
        if (group->pools[i] != pool && group->pools[i]->watch->settling) return false;
    return has_others(group, pool, index);
}

/* An entity is no longer welcome where the pool is excluded. */
static void leave_excluding(const covey__watch *watch, uint32_t index) {
    for (uint32_t i = watch->group_count; i-- != 0;) {
        covey_group *group = watch->groups[i].group;
        if (watch->groups[i].role == COVEY__EXCLUDED && covey__group_has(group, index)) leave(group, index);
    }
}

void covey__groups_added(covey_pool *pool, uint32_t index) {
    const covey__watch *watch = pool->watch;
    if (watch->is_excluded) leave_excluding(watch, index);
    for (uint32_t i = 0; i < watch->group_count; i++) {
        covey_group *group = watch->groups[i].group;
        if (watch->groups[i].role == COVEY__EXCLUDED || !has_settled_others(group, pool, index)) continue;
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
    const covey__watch *watch = pool->watch;
    for (uint32_t i = watch->group_count; i-- != 0;)
        if (watch->groups[i].role == COVEY__ASKED) leave_asking(watch->groups[i].group, pool, index);
}

/* Leaves a group that owns the pool, in which the entity's component is a hole already: the last member fills it, and
 * leaves one at the border. Returns where. */
static uint32_t leave_owning(covey_group *group, covey_pool *pool, uint32_t index, uint32_t hole) {
    if (hole >= group->count) return hole;
    uint32_t last = --group->count;
    note_leave(group, index);
    move_all_to(group, pool, index, last, false);
    if (hole != last) covey__set_move(&pool->set, last, hole);
    return last;
}

/* The last component of a pool fills what is left of one that goes. */
static inline void end_erasing(covey_sparse_set *set, covey__slot *slot, uint32_t hole) {
    uint32_t last = --set->end;
    if (hole != last) covey__set_move(set, last, hole);
    *slot = COVEY__SLOT_NULL;
    if (set->zero_vacated) memset((char *)set->data + (size_t)last * set->size, 0, set->size);
}

void covey__groups_erase(covey_pool *pool, uint32_t index) {
    const covey__watch *watch = pool->watch;
    covey_sparse_set *set = &pool->set;
    uint32_t hole = position_in(pool, index);
    for (uint32_t i = watch->group_count; i-- != 0;) {
        covey_group *group = watch->groups[i].group;
        if (watch->groups[i].role == COVEY__OWNED) hole = leave_owning(group, pool, index, hole);
        else if (watch->groups[i].role == COVEY__ASKED) leave_asking(group, pool, index);
    }
    end_erasing(set, covey__slot_of(set, index), hole);
}

static void join_if_asked(covey_group *group, uint32_t index) {
    if (!covey__group_has(group, index) && covey__group_asks_for(group, index)) join(group, index);
}

/* Those that die do not join. Who is a member already had it, and disabled. */
void covey__groups_left(covey_pool *pool, covey_entity e) {
    const covey__watch *watch = pool->watch;
    for (uint32_t i = 0; i < watch->group_count && covey_alive(pool->world, e); i++)
        if (watch->groups[i].role == COVEY__EXCLUDED) join_if_asked(watch->groups[i].group, e.index);
}

void covey__groups_review(covey_pool *pool, uint32_t index) {
    const covey__watch *watch = pool->watch;
    for (uint32_t i = watch->group_count; i-- != 0;) {
        covey_group *group = watch->groups[i].group;
        if (covey__group_has(group, index) && !covey__group_asks_for(group, index)) leave(group, index);
    }
    for (uint32_t i = 0; i < watch->group_count; i++) join_if_asked(watch->groups[i].group, index);
}

/* The smallest pool in which all members are. */
const covey_pool *covey__group_smallest(const covey_group *group) {
    uint32_t end = group->owned != 0 ? group->owned : asked(group);
    const covey_pool *found = group->pools[0];
    for (uint32_t i = 1; i < end; i++)
        if (covey_pool_count(group->pools[i]) < covey_pool_count(found)) found = group->pools[i];
    return found;
}

/* Lets all join that it asks for. An owned pool that is walked changes only before where the walk is. */
void covey__group_collect_new(covey_group *group) {
    const covey_pool *pool = covey__group_smallest(group);
    group->candidates = 0;
    for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1)) {
        covey_entity e = covey_pool_at(pool, at);
        if (!covey__group_is_candidate(group, e.index)) continue;
        if (group->owned == 0) group->candidates++;
        join_if_asked(group, e.index);
    }
}

static void forget_members(covey_group *group) {
    for (uint32_t i = 0; i < group->owned; i++) covey__pool_moved(group->pools[i], false);
    if (group->owned == 0) covey_sparse_set_clear(&group->set);
    group->count = group->candidates = 0;
    COVEY__TRACE(group->left, COVEY_NONE);
}

void covey__group_collect(covey_group *group) {
    forget_members(group);
    covey__group_collect_new(group);
}

void covey__groups_cleared(covey_pool *pool) {
    const covey__watch *watch = pool->watch;
    for (uint32_t i = 0; i < watch->group_count; i++) {
        if (watch->groups[i].role == COVEY__EXCLUDED) covey__group_collect_new(watch->groups[i].group);
        else forget_members(watch->groups[i].group);
    }
}

/* ---- The usual case -----------------------------------------------------------------------------------------------*/

/* The number of pools that a sole watcher owns besides the one at hand is handed down as a constant where it is one, so
 * that the loops over them vanish. */

/* The slots of an entity's other components; false when one is missing. */
COVEY_HOT bool find_others(const covey__watch *watch, uint32_t others, uint32_t index, covey__slot **slots) {
    for (uint32_t i = 0; i < others; i++) {
        const covey_sparse_set *set = &watch->others[i]->set;
        if (!covey__set_has(set, index, set->end)) return false;
        slots[i] = covey__slot_of(set, index);
    }
    return true;
}

COVEY_HOT void move_others(const covey__watch *watch, uint32_t others, covey__slot **slots, covey__slot id,
                           uint32_t border, bool joins) {
    for (uint32_t i = 0; i < others; i++) move_to(watch->others[i], slots[i], id, border, joins);
}

/* Joins. The first that is not a member makes way to the end of the pool; returns where it was. */
COVEY_HOT uint32_t open_border(covey_pool *pool, uint32_t others, covey__slot **slots, covey__slot id, uint32_t end) {
    covey_group *group = pool->watch->sole;
    uint32_t border = group->count++;
    move_others(pool->watch, others, slots, id, border, true);
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
    if (find_others(pool->watch, others, index, slots)) at = open_border(pool, others, slots, id, at);
    set->end++;
    set->ids[at] = covey__entity(index, generation);
    *slot = COVEY__SLOT(at, generation);
    COVEY__TRACE(pool->added, index);
    return (char *)set->data + (size_t)at * set->size;
}

static COVEY__NOINLINE void *place_among_many(covey_pool *pool, uint32_t index, uint32_t generation) {
    return place_among(pool, pool->watch->other_count, index, generation);
}

/* What could not be done at once: an error, or memory is needed. */
static COVEY__NOINLINE void *place_slowly(covey_pool *pool, uint32_t index, uint32_t generation) {
    void *to = covey__pool_place_slowly(pool, index, generation);
    return to ? covey__pool_settle(pool, index, generation) : NULL;
}

/* Finds a place for a component, where it will stay; its value may follow. */
void *covey__group_place(covey_pool *pool, uint32_t index, uint32_t generation) {
    bool pair = pool->watch->other_count == 1;
    void *to =
        COVEY__LIKELY(pair) ? place_among(pool, 1, index, generation) : place_among_many(pool, index, generation);
    if (!COVEY__LIKELY(to != NULL)) return place_slowly(pool, index, generation);
    COVEY__CHANGED(pool->world);
    return to;
}

/* Leaves. The last member fills the hole; returns where it was. */
COVEY_HOT uint32_t close_border(covey_pool *pool, uint32_t others, covey__slot **slots, covey__slot id, uint32_t hole) {
    covey_group *group = pool->watch->sole;
    uint32_t border = --group->count;
    note_leave(group, covey__slot_position(id));
    move_others(pool->watch, others, slots, id, border, false);
    if (hole != border) covey__set_move(&pool->set, border, hole);
    return border;
}

COVEY_HOT void erase_among(covey_pool *pool, uint32_t others, uint32_t index, uint32_t generation) {
    covey_sparse_set *set = &pool->set;
    covey__slot *slots[COVEY_TERMS], *slot = covey__slot_of(set, index);
    uint32_t hole = covey__slot_position(*slot);
    bool member = hole < pool->watch->sole->count && find_others(pool->watch, others, index, slots);
    if (member) hole = close_border(pool, others, slots, COVEY__SLOT(index, generation), hole);
    end_erasing(set, slot, hole);
}

static COVEY__NOINLINE void erase_among_many(covey_pool *pool, uint32_t index, uint32_t generation) {
    erase_among(pool, pool->watch->other_count, index, generation);
}

void covey__group_erase(covey_pool *pool, uint32_t index, uint32_t generation) {
    if (COVEY__LIKELY(pool->watch->other_count == 1)) erase_among(pool, 1, index, generation);
    else erase_among_many(pool, index, generation);
}

/* ---- Links between groups and pools -------------------------------------------------------------------------------*/

const covey_group *covey__pool_owner(const covey_pool *pool) {
    const covey_group *owner = NULL;
    for (uint32_t i = 0; pool->watch && i < pool->watch->group_count; i++) {
        if (pool->watch->groups[i].role == COVEY__OWNED) owner = pool->watch->groups[i].group;
    }
    return owner;
}

/* Where a group goes: behind those that may be around it. */
static uint32_t place_of(const covey_world *world, const covey_group *group) {
    uint32_t at = 0;
    while (at < world->group_count && covey__group_depth(world->groups[at]) <= covey__group_depth(group)) at++;
    return at;
}

static bool make_room_in(covey_pool *pool) {
    covey__watch *watch = covey__pool_watch(pool);
    if (!watch) return false;
    if (watch->group_count < watch->group_capacity) return true;
    uint32_t capacity = covey__grown(watch->group_capacity, watch->group_count + 1, UINT32_MAX);
    covey__membership *links = covey__resize(&pool->world->heap, watch->groups, watch->group_capacity, capacity,
                                             sizeof *links, alignof(covey__membership));
    if (!links) return false;
    watch->groups = links;
    watch->group_capacity = capacity;
    return true;
}

/* Makes room where the group will be linked; false when memory is out. */
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
    covey__watch *watch = pool->watch;
    uint32_t at = watch->group_count++;
    for (; at != 0 && covey__group_depth(watch->groups[at - 1].group) > covey__group_depth(group); at--)
        watch->groups[at] = watch->groups[at - 1];
    watch->groups[at] = (covey__membership){ group, role };
    covey__pool_update_watch(pool);
}

void covey__group_unlink(const covey_group *group, covey_pool *pool) {
    covey__watch *watch = pool->watch;
    uint32_t at = 0;
    while (at < watch->group_count && watch->groups[at].group != group) at++;
    if (at == watch->group_count) return;
    watch->group_count--;
    for (; at < watch->group_count; at++) watch->groups[at] = watch->groups[at + 1];
    covey__pool_update_watch(pool);
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

bool covey__groups_room(covey_world *world, covey__watch **watch) {
    covey__heap *heap = &world->heap;
    uint32_t count = world->group_count;
    *watch = NULL;
    if (count == 0) return true;
    covey__membership *links = covey__resize(heap, NULL, 0, count, sizeof *links, alignof(covey__membership));
    if (!links) return false;
    *watch = covey__resize(heap, NULL, 0, 1, sizeof **watch, alignof(covey__watch));
    if (*watch) **watch = (covey__watch){ .groups = links, .group_capacity = count };
    else covey__free(heap, links, count, sizeof *links, alignof(covey__membership));
    return *watch != NULL;
}

/* From now on no group has pools of which it is all that has to know: who is disabled has to be asked as well. */
void covey__groups_exclude(covey_pool *pool, covey__watch *watch) {
    if (!watch) return;
    covey_world *world = pool->world;
    pool->watch = watch;
    for (uint32_t i = 0; i < world->group_count; i++) {
        covey_group *group = world->groups[i];
        link_to(group, pool, COVEY__EXCLUDED);
        for (uint32_t k = 0; k < covey__group_terms(group); k++) covey__pool_update_watch(group->pools[k]);
    }
}

void covey__groups_update(covey_pool *pool) {
    covey__pool_update_watch(pool);
    for (uint32_t i = 0; i < pool->watch->group_count; i++) {
        const covey_group *group = pool->watch->groups[i].group;
        for (uint32_t k = 0; k < covey__group_terms(group); k++) covey__pool_update_watch(group->pools[k]);
    }
}
