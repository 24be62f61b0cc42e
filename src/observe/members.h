/* Members of groups: what changes of a pool mean for the groups that name it. */
#ifndef COVEY_MEMBERS_H
#define COVEY_MEMBERS_H

#include "memory/inner.h"
#include "observe/observers.h"

#include <covey/covey.h>

/* Called before components are placed. `anyway`: whatever other components their entities have by now. */
static inline covey_result covey__groups_prepare(covey_pool *pool, const covey_entity *entities, uint32_t count,
                                                 bool anyway) {
    if (pool->observers->group_count == 0) return COVEY_OK;
    return pool->world->inner->grouping->prepare(pool, entities, count, anyway);
}
/* Room for `more` candidates of a group that owns no pools: they become members when an excluded component is removed,
 * and removing never fails. */
static inline covey_result covey__group_reserve(covey_group *group, uint64_t more) {
    return group->world->inner->grouping->reserve(group, more);
}
/* Room for a new member of a group that owns pools. False when an allocation fails. */
static inline bool covey__group_reach(covey_group *group, uint32_t index) {
    return group->world->inner->grouping->reach(group, index);
}
/* How many entities may become candidates because they get the component of a pool, and possibly others in the same
 * call. An entity counts for one pool only, the first of the group that it is missing in. */
static inline uint32_t covey__group_newcomers(const covey_group *group, const covey_pool *pool,
                                              const covey_entity *entities, uint32_t count) {
    return group->world->inner->grouping->newcomers(group, pool, entities, count);
}
void covey__groups_added(covey_pool *pool, uint32_t index);
static inline void covey__groups_added_many(covey_pool *pool, const covey_entity *entities, uint32_t count) {
    if (pool->observers->group_count != 0) pool->world->inner->grouping->added_many(pool, entities, count);
}
/* For a group that is the only observer of its pools: an entity whose components were appended last to all of them; */
static inline void covey__group_join_new(covey_group *group, uint32_t index) {
    group->world->inner->grouping->join_new(group, index);
}
/* and many, which were appended in this order. */
static inline void covey__group_join_all(covey_group *group, const covey_entity *entities, uint32_t count) {
    group->world->inner->grouping->join_all(group, entities, count);
}
static inline void covey__groups_leaving(covey_pool *pool, uint32_t index) {
    if (pool->observers->group_count != 0) pool->world->inner->grouping->leaving(pool, index);
}
/* Of an owned pool: leaving and erasing in one. */
static inline void covey__groups_erase(covey_pool *pool, uint32_t index) {
    pool->world->inner->grouping->leave_and_erase(pool, index);
}
static inline void covey__groups_left(covey_pool *pool, covey_entity e) {
    if (pool->observers->group_count != 0) pool->world->inner->grouping->left(pool, e);
}
/* Whether the pool's only observer is a group that owns it, and it drops nothing; then covey__group_erase_listed erases
 * the components of any entities from it, alive or not. */
static inline bool covey__group_erases(const covey_pool *pool) {
    return pool->observers && pool->observers->sole && !pool->type->drop;
}
static inline void covey__group_erase_listed(covey_pool *pool, const covey_entity *entities, uint32_t count) {
    pool->world->inner->grouping->erase_listed(pool, entities, count);
}
/* Erases the components of destroyed entities in all pools of a group that they leave as a whole. With a stretch, they
 * are in one block. */
static inline void covey__group_erase_whole(covey_group *group, covey_entity e) {
    group->world->inner->grouping->erase_whole(group, e);
}
static inline void covey__group_erase_many(covey_group *group, const covey_entity *entities, uint32_t count,
                                           const covey__stretch *s) {
    group->world->inner->grouping->erase_many(group, entities, count, s);
}
static inline void covey__groups_cleared(covey_pool *pool) {
    if (pool->observers->group_count != 0) pool->world->inner->grouping->cleared(pool);
}
/* Updates membership after a component was enabled or disabled. */
void covey__groups_review(covey_pool *pool, uint32_t index);
/* Room to link all groups to a new pool: false when an allocation fails. Without groups, there are no observers. */
bool covey__groups_room(covey_world *world, covey__observers **observers);
static inline void covey__groups_exclude(covey_pool *pool, covey__observers *observers) { /* links them to it */
    if (observers) pool->world->inner->grouping->exclude(pool, observers);
}
void covey__groups_update(covey_pool *pool);   /* the observers of all pools that are in a group with this one */
void covey__group_collect(covey_group *group); /* from the beginning; there is room for all candidates */
/* For a group that owns pools: `count` members lie in front already, as after a rollback. */
void covey__group_count_again(covey_group *group, uint32_t count);
bool covey__group_asks_for(const covey_group *group,
                           uint32_t index);                   /* whether the entity of this index has all terms */
bool covey__group_matches(const void *group, uint32_t index); /* the same, as a covey__belongs_fn */
bool covey__group_has(const covey_group *group, uint32_t index);
bool covey__group_is_candidate(const covey_group *group, uint32_t index);
const covey_group *covey__pool_owner(const covey_pool *pool); /* the innermost group that owns it, or NULL */
uint32_t covey__group_depth(const covey_group *group);        /* larger for an inner group than for its outer groups */
/* Makes room for linking a group, which can fail; links it; unlinks it from a pool. */
bool covey__group_make_room(covey_group *group);
void covey__group_link(covey_group *group);
uint64_t covey__group_find_bits(const covey_group *group); /* which of the first 64 pools it owns */
void covey__group_unlink(const covey_group *group, covey_pool *pool);
bool covey__groups_share_pools(const covey_group *a, const covey_group *b); /* owned by both */
const covey_pool *covey__group_smallest(const covey_group *group); /* the smallest of the pools that members have */
void covey__group_collect_new(covey_group *group);                 /* the same of a group without members */

/* Notes for assertion level 1 that members of this group and its outer groups changed places: because of the entity of
 * an index, or COVEY_NONE. */
#if COVEY_ASSERT_LEVEL >= 1
void covey__group_disturb_outer(const covey_group *group, uint32_t who);
#else
static inline void covey__group_disturb_outer(const covey_group *group, uint32_t who) { (void)group, (void)who; }
#endif

#endif
