/* The observers of a pool: everything that is notified when components are added and removed. A pool has a
 * covey__observers while it is in a group, is kept sorted, has listeners, or has had disabled components; and
 * always if its type has ticks or a move hook. Inline code then leaves adds and removals to the slow halves. notify.h
 * notifies observers. */
#ifndef COVEY_OBSERVERS_H
#define COVEY_OBSERVERS_H

#include "memory/inner.h"
#include "memory/pages.h"
#include "storage/front.h"
#include "storage/order.h"
#include "storage/storage.h"
#include "storage/stretch.h"

#include <covey/covey.h>

/* ---- Listeners ---------------------------------------------------------------------------------------------------*/

typedef struct covey__listener {
    uint64_t number;         /* of its connection; 0 once that has ended */
    uint32_t signals;        /* its signals; 0 once the connection has ended. COVEY_ON_SET implies COVEY_ON_PATCH */
    covey_listener_fn *call; /* exactly one of call, queue and tags is set */
    covey_queue *queue;
    covey_pool *tags;        /* the marks of a reactive set */
    covey_decide_fn *decide; /* decides what the reactive set marks; or NULL */
    void *context;
    bool spans;
    bool values;       /* the queue keeps copies of values */
    bool patch_is_set; /* only sets were asked for: patches are reported as sets */
} covey__listener;

/* The listeners of a pool, or of entities, in the order of connection. */
typedef struct covey__listeners {
    covey__listener *all;
    uint32_t count, capacity;
    uint32_t signals;  /* the signals of all listeners, */
    uint32_t called;   /* of functions, */
    uint32_t queued;   /* of queues, */
    uint32_t decided;  /* and of reactive sets with a decide function */
    uint32_t emitting; /* active emissions: while there are any, the array may grow, but no listener leaves it */
} covey__listeners;

void covey__listeners_free(covey_world *world, covey__listeners *listeners);
size_t covey__listeners_bytes(const covey__listeners *listeners);

/* ---- Groups ------------------------------------------------------------------------------------------------------*/

/* What a pool is to a group. */
typedef enum covey__role { COVEY__OWNED, COVEY__ASKED, COVEY__EXCLUDED } covey__role;

/* A group, which keeps its members up to date in members.c. */
struct covey_group {
    covey_world *world;
    covey_view view; /* its fields: first those that are owned */
    covey_pool *pools[COVEY_TERMS];
    covey__front front;       /* the members, in the pools that it owns: the first of its pools */
    covey_sparse_set members; /* of a group that owns nothing */
    bool left_whole;          /* it is the only observer of all its pools, and they drop no values: entities that lose
                                 all their components leave it as a whole */
    uint64_t first_bits;      /* which of the first 64 pools it owns */
    uint32_t candidates;      /* owning nothing: members, and entities that only an excluded pool keeps from it */
    covey__trace left;        /* at assertion level 1: who left */
};

/* The number of pools that a group owns. */
static inline uint32_t covey__group_owned(const covey_group *group) { return group->front.pool_count; }

/* The number of members. */
static inline uint32_t covey__group_count(const covey_group *group) {
    return covey__group_owned(group) != 0 ? group->front.count : group->members.end;
}

/* Whether an add to one of its pools may need memory for the group. */
static inline bool covey__group_needs_memory(const covey_group *group, covey__role role) {
    if (covey__group_owned(group) == 0) return role != COVEY__EXCLUDED;
    return role == COVEY__OWNED && covey__front_needs_memory(&group->front);
}

/* The number of its terms: fields and excluded types. */
static inline uint32_t covey__group_terms(const covey_group *group) {
    return (uint32_t)group->view.fields + group->view.without;
}

typedef struct covey__membership {
    covey_group *group;
    covey__role role; /* what the pool is to the group */
} covey__membership;

/* ---- The observers of a pool --------------------------------------------------------------------------------------*/

typedef struct covey__observers {
    covey__membership *groups; /* from the outer to the inner */
    uint32_t group_count, group_capacity;
    bool needs_memory; /* an add may: for a group that is not packed, or for keeping order */
    bool is_excluded;  /* of a group */
    bool is_owned;     /* by a group */
    bool keeps_order;
    bool settling;                   /* some components are placed, but the groups are not notified yet */
    bool is_cleared;                 /* the pool is being cleared */
    covey_group *sole;               /* the only observer, if it owns all its pools and excludes none; or NULL */
    covey_pool *others[COVEY_TERMS]; /* the other pools that it owns */
    uint32_t other_count;
    covey__near near; /* where components were added to it, or removed from it */
    covey_order order;
    covey__listeners listeners;
    covey_pool
        *sole_tags; /* the tags of the only listener, if it is a reactive set that collects values set; or NULL */
    covey__pages
        disabled;       /* which components are disabled: a bit for each index; no table before the first is disabled */
    covey__pages ticks; /* when components were changed; pages of covey__tick_page */
    struct covey__filing *filing; /* what its lookups have to file; NULL: it has none */
} covey__observers;

/* Pools of types with ticks or a move hook are always observed: their changes go out of line. */
static inline bool covey__type_is_observed(const covey_type *type) { return type->ticks || type->move; }

static inline bool covey__has_listeners(const covey_pool *pool) {
    return pool->observers && pool->observers->listeners.count != 0;
}

bool covey__group_is_left_whole(const covey_group *group); /* finds it out */
/* The group that an entity leaves as a whole with its components, if the pool is in one. */
static inline covey_group *covey__group_left_whole(const covey_pool *pool) {
    covey_group *group = pool->observers ? pool->observers->sole : NULL;
    return group && group->left_whole ? group : NULL;
}

/* Whether nothing but listeners observes a pool: when they were told of a removal, erasing needs no further step. */
static inline bool covey__only_listeners(const covey_pool *pool) {
    const covey__observers *observers = pool->observers;
    return !observers || (observers->group_count == 0 && !observers->keeps_order && !observers->disabled.at &&
                          !observers->filing);
}

static inline bool covey__is_cleared(const covey_pool *pool) { return pool->observers && pool->observers->is_cleared; }
#define COVEY__IS_CLEARED "a listener must not clear or convert the pool that is being cleared: do it afterwards"

covey__observers *
covey__pool_observers(covey_pool *pool);             /* makes one if there is none; NULL when an allocation fails */
void covey__pool_unobserve(covey_pool *pool);        /* frees it if no observer is left */
void covey__pool_update(covey_pool *pool);           /* sets the flags that inline code reads */
void covey__pool_update_observers(covey_pool *pool); /* after observers have changed */
void covey__observers_shrink(covey_pool *pool);
/* Keeps a pool sorted from now on, or no longer for NULL. */
static inline void covey__keep_order(covey_pool *pool, const covey_order *order) {
    pool->observers->keeps_order = order != NULL;
    if (order) pool->observers->order = *order;
    if (order) pool->world->inner->ordering = &covey__ordering_of_pools;
    covey__pool_update_observers(pool);
}
void covey__observers_free(covey_world *world, covey__observers *observers);
void covey__pool_free_observers(covey_pool *pool); /* unconditionally, when the world ends */
size_t covey__observers_bytes(const covey_pool *pool);

/* What changes of a pool call. The world has it from its first group on, so that a program that makes no group does not
 * contain members.c. members.h describes the functions. */
typedef struct covey__grouping {
    void *(*place)(covey_pool *pool, uint32_t index, uint32_t generation);
    void (*erase)(covey_pool *pool, uint32_t index, uint32_t generation);
    covey_result (*prepare)(covey_pool *pool, const covey_entity *entities, uint32_t count, bool anyway);
    covey_result (*reserve)(covey_group *group, uint64_t more);
    bool (*reach)(covey_group *group, uint32_t index);
    uint32_t (*newcomers)(const covey_group *group, const covey_pool *pool, const covey_entity *entities,
                          uint32_t count);
    void (*added_many)(covey_pool *pool, const covey_entity *entities, uint32_t count);
    void (*join_new)(covey_group *group, uint32_t index);
    void (*join_all)(covey_group *group, const covey_entity *entities, uint32_t count);
    void (*leaving)(covey_pool *pool, uint32_t index);
    void (*leave_and_erase)(covey_pool *pool, uint32_t index);
    void (*left)(covey_pool *pool, covey_entity e);
    void (*erase_listed)(covey_pool *pool, const covey_entity *entities, uint32_t count);
    void (*erase_whole)(covey_group *group, covey_entity e);
    void (*erase_many)(covey_group *group, const covey_entity *entities, uint32_t count, const covey__stretch *s);
    void (*cleared)(covey_pool *pool);
    void (*exclude)(covey_pool *pool, covey__observers *observers);
} covey__grouping;

/* ---- Disabled components ------------------------------------------------------------------------------------------*/

#define COVEY__DISABLED_BYTES (COVEY__PAGE_BLOCKS * sizeof(uint64_t)) /* of a page */

/* Which of the 64 ids of a block have a disabled component. The pool may be NULL. */
static inline uint64_t covey__disabled_mask(const covey_pool *pool, uint32_t index) {
    const uint64_t *page = pool && pool->observers ? covey__page_at(&pool->observers->disabled, index) : NULL;
    return page ? page[covey__block_of(index)] : 0;
}

static inline bool covey__component_is_disabled(const covey_pool *pool, uint32_t index) {
    return covey__disabled_mask(pool, index) >> index % COVEY__BLOCK_IDS & 1;
}

/* Whether a living entity has the component and it is not disabled. */
static inline bool covey__sees(const covey_pool *pool, uint32_t index) {
    return covey__has_index(pool, index) && !covey__component_is_disabled(pool, index);
}

static inline bool covey__may_hide(const covey_pool *pool) {
    return pool && pool->observers && pool->observers->disabled.at;
}

#endif
