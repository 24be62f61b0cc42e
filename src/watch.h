/* What follows when a component was added or is removed. A pool has a watch while a group is about it, it is
 * kept sorted, somebody listens, or components of it were disabled; and always, if its type has ticks. The inline code
 * then leaves adds and removals to the slow halves, which call these. */
#ifndef COVEY_WATCH_H
#define COVEY_WATCH_H

#include "pages.h"
#include "signal.h"

#include <covey/covey.h>

typedef enum covey__role { COVEY__OWNED, COVEY__ASKED, COVEY__EXCLUDED } covey__role;

typedef struct covey__membership {
    covey_group *group;
    covey__role role; /* what the pool is to the group */
} covey__membership;

typedef struct covey__watch {
    covey__membership *groups; /* from the outer to the inner */
    uint32_t group_count, group_capacity;
    bool needs_memory; /* an add may: for a group that owns nothing, or for keeping order */
    bool is_excluded;  /* of a group */
    bool is_owned;     /* by a group */
    bool keeps_order;
    bool settling;                   /* components have places that the groups have not heard of */
    bool is_cleared;                 /* right now */
    covey_group *sole;               /* the only watcher, if it owns all its pools and excludes none; or NULL */
    covey_pool *others[COVEY_TERMS]; /* the pools that it owns besides */
    uint32_t other_count;
    covey_order order;
    covey__listeners listeners;
    covey_pool
        *touched;       /* the tags of the only listener, if that is a reactive set that hears of values set; or NULL */
    covey__pages off;   /* which components are disabled: a bit for each index; no table while none ever was */
    covey__pages ticks; /* when components were changed: of covey__tick_page */
} covey__watch;

static inline bool covey__is_cleared(const covey_pool *pool) { return pool->watch && pool->watch->is_cleared; }
#define COVEY__IS_CLEARED "a listener must not clear or convert the pool that is being cleared"

covey__watch *covey__pool_watch(covey_pool *pool); /* makes one if there is none; NULL when memory is out */
void covey__pool_unwatch(covey_pool *pool);        /* frees it if nobody needs it */
void covey__pool_update(covey_pool *pool);         /* tells the inline code what it may do */
void covey__pool_update_watch(covey_pool *pool);   /* when the watchers have changed */
covey_result covey__watch_prepare(covey_pool *pool, covey_entity e); /* before a component gets a place */
covey_result covey__watch_prepare_many(covey_pool *pool, const covey_entity *entities, uint32_t count);
/* The same where they get components of other pools, too, before the watchers hear of any. */
covey_result covey__watch_prepare_copies(covey_pool *pool, const covey_entity *entities, uint32_t count);
void covey__watch_added(covey_pool *pool, uint32_t index);  /* when its value is there; listeners are not told */
void covey__watch_placed(covey_pool *pool, uint32_t index); /* the same without a tick */
covey_result covey__watch_prepare_set(covey_pool *pool, covey_entity e); /* before a value is overwritten */
bool covey__watch_set(covey_pool *pool, covey_entity e);      /* when it was; returns whether anybody's code has run */
void covey__watch_take_out(covey_pool *pool, covey_entity e); /* instead of dropping and erasing it */
void *covey__found_again(covey_pool *pool, covey_entity e);   /* by now; NULL (GONE) when it was taken away */
void covey__watch_cleared(covey_pool *pool);
void covey__watch_shrink(covey_pool *pool);
void covey__watch_free(covey_world *world, covey__watch *watch);
void covey__pool_end_watch(covey_pool *pool); /* whoever needs it: when the world ends */
size_t covey__watch_bytes(const covey_pool *pool);

bool covey__watch_valid(const covey_pool *pool, const char **why); /* also of a pool without one */

#endif
