/* Members of groups: which entities match, kept up to date. The members of a group that owns pools are a front of them
 * (storage/front.h); a group that owns none has a set of its own.
 *
 *     pool A   | members of (A, B, C) | other members of (A, B) | the rest |
 *     pool B   | the same             | the same                | the rest |
 *     pool C   | the same             | the rest                           |
 *              0                      inner front               outer front */
#include "observe/members.h"

#include "memory/inner.h"
#include "memory/alloc.h"
#include "observe/observers.h"
#include "storage/front_hot.h"
#include "storage/sparse_set.h"
#include "storage/storage_erase.h"
#include "storage/storage.h"

#include <stdalign.h>

static uint32_t asked(const covey_group *group) { return group->view.with; }

/* Larger for an inner group than for its outer groups: it asks for more, or owns more. */
uint32_t covey__group_depth(const covey_group *group) { return covey__group_terms(group) + covey__group_owned(group); }

static bool names(const covey_group *group, const covey_pool *pool, uint32_t first, uint32_t end) {
    while (first < end && group->pools[first] != pool) first++;
    return first < end;
}

bool covey__groups_share_pools(const covey_group *a, const covey_group *b) {
    for (uint32_t i = 0; i < covey__group_owned(a); i++)
        if (names(b, a->pools[i], 0, covey__group_owned(b))) return true;
    return false;
}

/* ---- Members ------------------------------------------------------------------------------------------------------*/

bool covey__group_is_candidate(const covey_group *group, uint32_t index) {
    for (uint32_t i = 0; i < asked(group); i++)
        if (!covey__has_index(group->pools[i], index)) return false;
    return true;
}

/* Whether a candidate is kept out: it has an excluded component, or something is disabled. */
static bool is_kept_out(const covey_group *group, uint32_t index) {
    if (covey__has_index(group->world->inner->disabled, index)) return true;
    for (uint32_t i = 0; i < asked(group); i++)
        if (covey__component_is_disabled(group->pools[i], index)) return true;
    for (uint32_t i = asked(group); i < covey__group_terms(group); i++)
        if (covey__sees(group->pools[i], index)) return true;
    return false;
}

bool covey__group_asks_for(const covey_group *group, uint32_t index) {
    return covey__group_is_candidate(group, index) && !is_kept_out(group, index);
}

bool covey__group_has(const covey_group *group, uint32_t index) {
    if (covey__group_owned(group) != 0) return covey__front_has(&group->front, index);
    return covey__set_has(&group->members, index, group->members.end);
}

#if COVEY_ASSERT_LEVEL >= 1
void covey__group_disturb_outer(const covey_group *group, uint32_t who) {
    for (uint32_t i = 0; i < group->world->inner->group_count; i++) {
        covey_group *other = group->world->inner->groups[i];
        if (covey__group_depth(other) < covey__group_depth(group) && covey__groups_share_pools(other, group))
            COVEY__TRACE(other->world, other->left, who);
    }
}
#endif

static void note_join(covey_group *group) {
#if COVEY_ASSERT_LEVEL >= 1
    group->front.joined++;
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
    covey_entity e = covey__entity(index, covey__generation_of(group->world, index));
    if (covey__group_owned(group) != 0) covey__front_join(&group->front, index);
    else covey__set_place(&group->members, e, true);
    note_join(group);
}

/* For a member. */
static void leave(covey_group *group, uint32_t index) {
    covey_sparse_set *members = &group->members;
    note_leave(group, index);
    if (covey__group_owned(group) != 0) covey__front_leave(&group->front, index);
    else covey_sparse_set_erase(members, covey__entity(index, covey_sparse_set_current(members, index)));
}

static void join_new(covey_group *group, uint32_t index) {
    covey__front_join_new(&group->front, index);
    note_join(group);
}

static void join_all(covey_group *group, const covey_entity *entities, uint32_t count) {
    covey__front_join_many(&group->front, entities, count);
    for (uint32_t i = 0; i < count; i++) note_join(group);
}

/* ---- Following changes --------------------------------------------------------------------------------------------*/

/* Whether the entity has all terms of the group except the one of this pool. */
static bool has_others(const covey_group *group, const covey_pool *pool, uint32_t index) {
    for (uint32_t i = 0; i < asked(group); i++)
        if (group->pools[i] != pool && !covey__has_index(group->pools[i], index)) return false;
    return true;
}

static covey_result reserve(covey_group *group, uint64_t more) {
    if (more <= covey__set_room(&group->members) - group->candidates) return COVEY_OK;
    if (more > COVEY_NONE - group->candidates) return COVEY_ERROR_FULL;
    return covey__set_prepare_spare(&group->members, group->candidates - group->members.end + (uint32_t)more);
}

static covey_result prepare(covey_group *group, uint32_t index, uint32_t count) {
    covey_result result = covey__set_prepare(&group->members, index, true);
    return result == COVEY_OK ? reserve(group, count) : result;
}

/* The first pool of the group that does not have the index, or NULL. */
static const covey_pool *first_missing(const covey_group *group, uint32_t index) {
    uint32_t i = 0;
    while (i < asked(group) && covey__has_index(group->pools[i], index)) i++;
    return i < asked(group) ? group->pools[i] : NULL;
}

static uint32_t newcomers(const covey_group *group, const covey_pool *pool, const covey_entity *entities,
                          uint32_t count) {
    uint32_t newcomers = 0;
    if (!names(group, pool, 0, asked(group))) return 0;
    for (uint32_t i = 0; i < count; i++) newcomers += first_missing(group, entities[i].index) == pool;
    return newcomers;
}

static covey_result prepare_one(covey_pool *pool, covey_entity e, uint32_t count, bool anyway) {
    const covey__observers *observers = pool->observers;
    covey_result result = COVEY_OK;
    for (uint32_t i = 0; i < observers->group_count && result == COVEY_OK; i++) {
        covey_group *group = observers->groups[i].group;
        bool may_join = covey__group_owned(group) == 0 && observers->groups[i].role == COVEY__ASKED;
        bool is_first = covey__group_owned(group) != 0 && pool == group->pools[0];
        if (is_first && !covey__front_reach(&group->front, e.index)) result = COVEY_ERROR_MEMORY;
        if (may_join && (anyway || has_others(group, pool, e.index))) result = prepare(group, e.index, count);
    }
    return result;
}

/* The only observer of its pools needs memory by page, and only for the first of them. */
static covey_result prepare_sole(covey_group *group, const covey_entity *entities, uint32_t count) {
    covey__front *front = &group->front;
    for (uint32_t i = 0; i < count && covey__front_needs_memory(front); i++) {
        uint32_t index = entities[i].index;
        if (!covey__border_at(front, index) && !covey__front_reach(front, index)) return COVEY_ERROR_MEMORY;
    }
    return COVEY_OK;
}

static covey_result groups_prepare(covey_pool *pool, const covey_entity *entities, uint32_t count, bool anyway) {
    covey_group *sole = pool->observers->sole;
    covey_result result = COVEY_OK;
    if (sole) return pool == sole->pools[0] ? prepare_sole(sole, entities, count) : COVEY_OK;
    for (uint32_t i = 0; i < count && result == COVEY_OK; i++) result = prepare_one(pool, entities[i], count, anyway);
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
        if (covey__group_owned(group) == 0) group->candidates++;
        if (!is_kept_out(group, index)) join(group, index);
    }
}

static void added_many(covey_pool *pool, const covey_entity *entities, uint32_t count) {
    covey_group *group = pool->observers->sole;
    bool settling = false;
    for (uint32_t i = 0; group && i < asked(group); i++)
        settling = settling || group->pools[i]->observers->settling || !group->pools[i]->observers->sole;
    if (!group || settling) {
        for (uint32_t i = 0; i < count; i++) covey__groups_added(pool, entities[i].index);
        return;
    }
    uint32_t before = group->front.count;
    covey__front_join_added(&group->front, pool,
                            (covey__others){ pool->observers->others, pool->observers->other_count }, entities, count);
    for (uint32_t i = before; i < group->front.count; i++) note_join(group);
}

/* Leaves a group that does not own the pool. */
static void leave_asking(covey_group *group, const covey_pool *pool, uint32_t index) {
    if (!has_others(group, pool, index)) return;
    if (covey__group_owned(group) == 0) group->candidates--;
    if (covey__group_has(group, index)) leave(group, index);
}

static void leaving(covey_pool *pool, uint32_t index) {
    const covey__observers *observers = pool->observers;
    for (uint32_t i = observers->group_count; i-- != 0;) {
        covey_group *group = observers->groups[i].group;
        if (observers->groups[i].role == COVEY__ASKED) leave_asking(group, pool, index);
        if (observers->groups[i].role == COVEY__OWNED && covey__group_has(group, index)) leave(group, index);
    }
}

static void leave_and_erase(covey_pool *pool, uint32_t index) {
    const covey__observers *observers = pool->observers;
    uint32_t hole = covey__front_hole(pool, index);
    for (uint32_t i = observers->group_count; i-- != 0;) {
        covey_group *group = observers->groups[i].group;
        if (observers->groups[i].role == COVEY__ASKED) leave_asking(group, pool, index);
        if (observers->groups[i].role != COVEY__OWNED) continue;
        uint32_t count = group->front.count;
        hole = covey__front_pass_hole(&group->front, pool, index, hole);
        if (group->front.count != count) note_leave(group, index);
    }
    covey__front_fill_hole(pool, index, hole);
}

static void join_if_asked(covey_group *group, uint32_t index) {
    if (!covey__group_has(group, index) && covey__group_asks_for(group, index)) join(group, index);
}

/* Entities that are being destroyed do not join. Members had the component before, disabled. */
static void left(covey_pool *pool, covey_entity e) {
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

const covey_pool *covey__group_smallest(const covey_group *group) {
    return covey__smallest(group->pools, asked(group));
}

/* Makes an entity a member if it matches. */
static void collect_one(uint32_t index, void *context) {
    covey_group *group = context;
    if (!covey__group_is_candidate(group, index)) return;
    if (covey__group_owned(group) == 0) group->candidates++;
    join_if_asked(group, index);
}

/* Adds all entities that match. Walking an owned pool changes it only before the current place, so that members of an
 * inner group, which come first, stay in place. */
void covey__group_collect_new(covey_group *group) {
    group->candidates = 0;
    if (covey__group_owned(group) != 0) {
        covey__front_walk(&group->front, collect_one, group);
        return;
    }
    const covey_pool *pool = covey__group_smallest(group);
    for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1))
        collect_one(covey__index_at(pool, at), group);
}

static void clear_members(covey_group *group) {
    covey__front_clear(&group->front);
    if (covey__group_owned(group) == 0) covey_sparse_set_clear(&group->members);
    group->candidates = 0;
    COVEY__TRACE(group->world, group->left, COVEY_NONE);
}

void covey__group_collect(covey_group *group) {
    clear_members(group);
    covey__group_collect_new(group);
}

bool covey__group_matches(const void *group, uint32_t index) { return covey__group_asks_for(group, index); }

void covey__group_count_again(covey_group *group, uint32_t count) {
    clear_members(group);
    covey__front_count_again(&group->front, count, covey__group_matches, group);
}

static void cleared(covey_pool *pool) {
    const covey__observers *observers = pool->observers;
    for (uint32_t i = 0; i < observers->group_count; i++) {
        if (observers->groups[i].role == COVEY__EXCLUDED) covey__group_collect_new(observers->groups[i].group);
        else clear_members(observers->groups[i].group);
    }
}

/* ---- The only observer of a pool ---------------------------------------------------------------------------------*/

/* The number of further pools that the group owns is passed as a constant if it is 1, so that loops over them are
 * unrolled. */

/* Notes for assertion level 1 who joined or left a front, which had `count` entities before. */
static inline void note_change(covey_group *group, uint32_t count, uint32_t index) {
#if COVEY_ASSERT_LEVEL >= 1
    if (group->front.count > count) note_join(group);
    if (group->front.count < count) note_leave(group, index);
#else
    (void)group, (void)count, (void)index;
#endif
}

/* The slow path: an error, or an allocation. A block that gets memory is likely to get its next components soon. */
static COVEY__NOINLINE void *place_slowly(covey_pool *pool, uint32_t index, uint32_t generation) {
    covey__observers *observers = pool->observers;
    void *to = covey__pool_place_slowly(pool, index, generation);
    if (!to) return NULL;
    to = covey__pool_settle(pool, index, generation);
    covey__others in = { observers->others, observers->other_count };
    covey__near_find(&observers->near, &observers->sole->front, pool, in, index);
    return to;
}

COVEY_HOT void *place(covey_pool *pool, uint32_t others, uint32_t index, uint32_t generation) {
    const covey__observers *observers = pool->observers;
    covey__front *front = &observers->sole->front;
    covey__others in = { observers->others, others };
    uint32_t count = front->count;
    void *to = covey__front_place(front, pool, in, index, generation);
    if (!COVEY__LIKELY(to != NULL)) return place_slowly(pool, index, generation);
    note_change(observers->sole, count, index);
    COVEY__CHANGED(pool->world);
    return to;
}

static COVEY__NOINLINE void *place_in_many(covey_pool *pool, uint32_t index, uint32_t generation) {
    return place(pool, pool->observers->other_count, index, generation);
}

/* In a function of its own, the usual case saves no registers. */
static COVEY__NOINLINE void *place_anywhere(covey_pool *pool, uint32_t index, uint32_t generation) {
    if (!COVEY__LIKELY(pool->observers->other_count == 1)) return place_in_many(pool, index, generation);
    return place(pool, 1, index, generation);
}

static COVEY__NOINLINE void *place_near(covey_pool *pool, uint32_t index, uint32_t generation) {
    const covey__observers *observers = pool->observers;
    covey__front *front = &observers->sole->front;
    uint32_t count = front->count;
    void *to = covey__front_append_near(front, pool, &observers->near, index, generation);
    if (!COVEY__LIKELY(to != NULL)) return place_anywhere(pool, index, generation);
    note_change(observers->sole, count, index);
    COVEY__CHANGED(pool->world);
    return to;
}

/* Finds the final place of a component; its value may be written later. */
static void *group_place(covey_pool *pool, uint32_t index, uint32_t generation) {
    bool near = pool->observers->near.number == index / COVEY__BLOCK_IDS;
    return near ? place_near(pool, index, generation) : place_anywhere(pool, index, generation);
}

static COVEY__NOINLINE void erase_slowly(covey_pool *pool, uint32_t index, uint32_t generation) {
    covey_group *group = pool->observers->sole;
    if (covey__group_has(group, index)) leave(group, index);
    covey__storage_erase(pool, covey__entity(index, generation), false);
}

COVEY_HOT void erase(covey_pool *pool, uint32_t others, uint32_t index, uint32_t generation) {
    covey__observers *observers = pool->observers;
    covey__front *front = &observers->sole->front;
    uint32_t count = front->count;
    covey__others in = { observers->others, others };
    bool erased = covey__front_erase(front, pool, &observers->near, in, index);
    if (!COVEY__LIKELY(erased)) erase_slowly(pool, index, generation);
    else note_change(observers->sole, count, index);
}

static COVEY__NOINLINE void erase_in_many(covey_pool *pool, uint32_t index, uint32_t generation) {
    erase(pool, pool->observers->other_count, index, generation);
}

static void group_erase(covey_pool *pool, uint32_t index, uint32_t generation) {
    if (COVEY__LIKELY(pool->observers->other_count == 1)) erase(pool, 1, index, generation);
    else erase_in_many(pool, index, generation);
}

COVEY_HOT void erase_listed(covey_pool *pool, uint32_t others, const covey_entity *entities, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (!covey_pool_has(pool, entities[i])) continue;
        COVEY__TRACE(pool->world, pool->removed, entities[i].index);
        erase(pool, others, entities[i].index, entities[i].generation);
    }
}

static void group_erase_listed(covey_pool *pool, const covey_entity *entities, uint32_t count) {
    if (COVEY__LIKELY(pool->observers->other_count == 1)) erase_listed(pool, 1, entities, count);
    else erase_listed(pool, pool->observers->other_count, entities, count);
}

#if COVEY_ASSERT_LEVEL >= 1
static void note_leaving(covey_group *group, const covey_entity *entities, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (covey__group_has(group, entities[i].index)) note_leave(group, entities[i].index);
}
#else
static void note_leaving(covey_group *group, const covey_entity *entities, uint32_t count) {
    (void)group, (void)entities, (void)count;
}
#endif

static void erase_whole(covey_group *group, covey_entity e) {
    note_leaving(group, &e, 1);
    covey__front_erase_one(&group->front, e);
}

static void erase_many(covey_group *group, const covey_entity *entities, uint32_t count, const covey__stretch *s) {
    note_leaving(group, entities, count);
    if (s) covey__front_erase_stretch(&group->front, entities, s);
    else covey__front_erase_many(&group->front, entities, count);
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
    while (at < world->inner->group_count && covey__group_depth(world->inner->groups[at]) <= covey__group_depth(group))
        at++;
    return at;
}

static bool make_room_in(covey_pool *pool) {
    covey__observers *observers = covey__pool_observers(pool);
    if (!observers) return false;
    if (observers->group_count < observers->group_capacity) return true;
    uint32_t capacity = covey__grown(observers->group_capacity, observers->group_count + 1, UINT32_MAX);
    covey__membership *links = covey__resize(&pool->world->inner->heap, observers->groups, observers->group_capacity,
                                             capacity, sizeof *links, alignof(covey__membership));
    if (!links) return false;
    observers->groups = links;
    observers->group_capacity = capacity;
    return true;
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

uint64_t covey__group_find_bits(const covey_group *group) {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < covey__group_owned(group); i++)
        if (group->pools[i]->number < 64) bits |= (uint64_t)1 << group->pools[i]->number;
    return bits;
}

void covey__group_link(covey_group *group) {
    covey_world *world = group->world;
    group->first_bits = covey__group_find_bits(group);
    uint32_t at = place_of(world, group);
    for (uint32_t i = world->inner->group_count++; i > at; i--) world->inner->groups[i] = world->inner->groups[i - 1];
    world->inner->groups[at] = group;
    for (uint32_t i = 0; i < covey__group_terms(group); i++)
        link_to(group, group->pools[i],
                i < covey__group_owned(group) ? COVEY__OWNED
                : i < asked(group)            ? COVEY__ASKED
                                              : COVEY__EXCLUDED);
    if (world->inner->disabled) link_to(group, world->inner->disabled, COVEY__EXCLUDED);
}

bool covey__groups_room(covey_world *world, covey__observers **observers) {
    covey__heap *heap = &world->inner->heap;
    uint32_t count = world->inner->group_count;
    *observers = NULL;
    if (count == 0) return true;
    covey__membership *links = covey__resize(heap, NULL, 0, count, sizeof *links, alignof(covey__membership));
    if (!links) return false;
    *observers = covey__resize(heap, NULL, 0, 1, sizeof **observers, alignof(covey__observers));
    if (*observers)
        **observers = (covey__observers){ .groups = links, .group_capacity = count, .near = COVEY__NEAR_NONE };
    else covey__free(heap, links, count, sizeof *links, alignof(covey__membership));
    return *observers != NULL;
}

/* From now on no group is a sole observer: disabled entities have to be checked as well. */
static void exclude(covey_pool *pool, covey__observers *observers) {
    if (!observers) return;
    covey_world *world = pool->world;
    pool->observers = observers;
    for (uint32_t i = 0; i < world->inner->group_count; i++) {
        covey_group *group = world->inner->groups[i];
        link_to(group, pool, COVEY__EXCLUDED);
        for (uint32_t k = 0; k < covey__group_terms(group); k++) covey__pool_update_observers(group->pools[k]);
    }
}

static bool reach(covey_group *group, uint32_t index) { return covey__front_reach(&group->front, index); }

static const covey__grouping grouping = {
    .place = group_place,
    .erase = group_erase,
    .prepare = groups_prepare,
    .reserve = reserve,
    .reach = reach,
    .newcomers = newcomers,
    .added_many = added_many,
    .join_new = join_new,
    .join_all = join_all,
    .leaving = leaving,
    .leave_and_erase = leave_and_erase,
    .left = left,
    .erase_listed = group_erase_listed,
    .erase_whole = erase_whole,
    .erase_many = erase_many,
    .cleared = cleared,
    .exclude = exclude,
};

/* Makes room for linking the group; false when an allocation fails. */
bool covey__group_make_room(covey_group *group) {
    covey_world *world = group->world;
    world->inner->grouping = &grouping;
    covey_group **groups = covey__reach(&world->inner->heap, world->inner->groups, &world->inner->group_capacity,
                                        world->inner->group_count, UINT32_MAX, NULL);
    if (!groups) return false;
    world->inner->groups = groups;
    for (uint32_t i = 0; i < covey__group_terms(group); i++)
        if (!make_room_in(group->pools[i])) return false;
    return !world->inner->disabled || make_room_in(world->inner->disabled);
}

void covey__groups_update(covey_pool *pool) {
    covey__pool_update_observers(pool);
    for (uint32_t i = 0; i < pool->observers->group_count; i++) {
        const covey_group *group = pool->observers->groups[i].group;
        for (uint32_t k = 0; k < covey__group_terms(group); k++) covey__pool_update_observers(group->pools[k]);
    }
}
