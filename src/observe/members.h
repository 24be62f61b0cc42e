/* Members of groups: what changes of a pool mean for the groups that name it. */
#ifndef COVEY_MEMBERS_H
#define COVEY_MEMBERS_H

#include "observe/observers.h"

#include <covey/covey.h>

/* Called before `count` components are placed, for each of them. `anyway`: whatever other components its entity has by
 * now. */
covey_result covey__groups_prepare(covey_pool *pool, covey_entity e, uint32_t count, bool anyway);
/* Room for `more` candidates of a group that owns no pools: they become members when an excluded component is removed,
 * and removing never fails. */
covey_result covey__group_reserve(covey_group *group, uint64_t more);
/* How many entities may become candidates because they get the component of a pool, and possibly others in the same
 * call. An entity counts for one pool only, the first of the group that it is missing in. */
uint32_t covey__group_newcomers(const covey_group *group, const covey_pool *pool, const covey_entity *entities,
                                uint32_t count);
void covey__groups_added(covey_pool *pool, uint32_t index);
void covey__groups_added_many(covey_pool *pool, const covey_entity *entities, uint32_t count);
/* For a group that is the only observer of its pools: an entity whose components were appended last to all of them. */
void covey__group_join_new(covey_group *group, uint32_t index);
void covey__group_join_all(covey_group *group, const covey_entity *entities,
                           uint32_t count); /* appended in this order */
void covey__groups_leaving(covey_pool *pool, uint32_t index);
void covey__groups_erase(covey_pool *pool, uint32_t index); /* of an owned pool: leaving and erasing in one */
void covey__groups_left(covey_pool *pool, covey_entity e);
/* Whether the pool's only observer is a group that owns it, and it drops nothing; then covey__group_erase_listed erases
 * the components of any entities from it, alive or not. */
static inline bool covey__group_erases(const covey_pool *pool) {
    return pool->observers && pool->observers->sole && !pool->type->drop;
}
void covey__group_erase_listed(covey_pool *pool, const covey_entity *entities, uint32_t count);
/* Erases the components of destroyed entities in all pools of a group that they leave as a whole. With a stretch, they
 * are in one block. */
void covey__group_erase_whole(covey_group *group, covey_entity e);
void covey__group_erase_many(covey_group *group, const covey_entity *entities, uint32_t count, const covey__stretch *s);
void covey__groups_cleared(covey_pool *pool);
/* Updates membership after a component was enabled or disabled. */
void covey__groups_review(covey_pool *pool, uint32_t index);
/* Room to link all groups to a new pool: false when an allocation fails. Without groups, there are no observers. */
bool covey__groups_room(covey_world *world, covey__observers **observers);
void covey__groups_exclude(covey_pool *pool, covey__observers *observers); /* links them to it */
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
