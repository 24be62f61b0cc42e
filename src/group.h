/* Groups: what the changes of a pool mean for those that name it. */
#ifndef COVEY_GROUP_H
#define COVEY_GROUP_H

#include "watch.h"

#include <covey/covey.h>

struct covey_group {
    covey_world *world;
    covey_view view; /* its fields: first those that are owned */
    covey_pool *pools[COVEY_TERMS];
    uint32_t owned;       /* so many of the pools */
    uint32_t count;       /* owning: the members are at the positions below, in each owned pool */
    covey_sparse_set set; /* owning nothing: the members */
    uint32_t candidates;  /* owning nothing: members, and those that only an excluded pool keeps from it */
    covey__trace left;    /* at assertion level 2: who did; how many joined */
    uint32_t joined;
};

/* Before `count` components get their places; this is one of them. `anyway`: whatever else its entity has by now. */
covey_result covey__groups_prepare(covey_pool *pool, covey_entity e, uint32_t count, bool anyway);
void covey__groups_added(covey_pool *pool, uint32_t index);
void covey__groups_leaving(covey_pool *pool, uint32_t index);
void covey__groups_erase(covey_pool *pool, uint32_t index); /* of an owned pool: leaving and erasing in one */
void covey__groups_left(covey_pool *pool, covey_entity e);
void covey__groups_cleared(covey_pool *pool);
/* Joins and leaves when what a component counts as has changed, and not whether it is there. */
void covey__groups_review(covey_pool *pool, uint32_t index);
/* Room to link all groups to a pool that is to come: false when memory is out. No watch is needed without groups. */
bool covey__groups_room(covey_world *world, covey__watch **watch);
void covey__groups_exclude(covey_pool *pool, covey__watch *watch); /* links them to it */
void covey__groups_update(covey_pool *pool);   /* the watches of all pools that are in a group with this one */
void covey__group_collect(covey_group *group); /* anew; there is room for all candidates */
void covey__groups_shrink(covey_world *world);
size_t covey__groups_bytes(const covey_world *world); /* of their sets */
bool covey__group_asks_for(const covey_group *group,
                           uint32_t index); /* all it asks for, the entity of this index has */
bool covey__group_has(const covey_group *group, uint32_t index);
bool covey__group_is_candidate(const covey_group *group, uint32_t index);
const covey_group *covey__pool_owner(const covey_pool *pool); /* the innermost group that owns it, or NULL */
/* Tells assertion level 2 that members change places, and with them those of the groups around: because of the entity
 * of an index, or COVEY_NONE. */
#if COVEY_ASSERT_LEVEL >= 2
void covey__group_disturb_outer(const covey_group *group, uint32_t who);
#else
static inline void covey__group_disturb_outer(const covey_group *group, uint32_t who) { (void)group, (void)who; }
#endif

uint32_t covey__group_depth(const covey_group *group); /* larger for an inner group than for those around it */
bool covey__groups_valid(const covey_world *world, const char **why);

#endif
