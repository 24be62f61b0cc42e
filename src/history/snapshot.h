/* Snapshots: the state of a world, as units that several snapshots share (storage/unit.h).
 *
 *     part of a snapshot            unit                                              file
 *     entities                      page of the table                                 entity_snapshot.c
 *     kinds                         one for all (change/kind_pack.h)                  entity_snapshot.c
 *     storages of pools             see storage/storage_snapshot.h                    pool_snapshot.c
 *     disabled components, ticks    page                                              pool_snapshot.c
 *     values with hooks, names      as other values; never shared, or as records      value_snapshot.c
 *     marks of reactive sets        as other storages; destroyed entities: one unit   reactive_snapshot.c
 *     members of groups             as a sparse set                                   group_snapshot.c
 *     events of queues              one unit of events, one of values                 queue_snapshot.c
 *     events of channels            one for those that were sent, one for current ones  channel_snapshot.c
 *     ids of command buffers        one for each buffer                               entity_snapshot.c
 *     followers                     as a sparse set with values                       follower_snapshot.c
 *     resources                     one for each                                      resource_snapshot.c
 *
 * A snapshot is restored in two steps, by rollback.c. The first prepares: it allocates all memory, makes all copies and
 * changes nothing visible. The second cannot fail. Each file above saves its part, prepares it and restores it. */
#ifndef COVEY_SNAPSHOT_H
#define COVEY_SNAPSHOT_H

#include "memory/copier.h"
#include "storage/storage_snapshot.h"
#include "storage/unit.h"

#include <covey/covey.h>
#include <covey/events.h>

/* ---- Parts -------------------------------------------------------------------------------------------------------*/

typedef struct covey__pool_snapshot {
    covey__storage_snapshot storage;
    bool is_ordered; /* COVEY_USE_ORDER */
    bool keeps_order;
    covey_order order; /* in which the pool was kept */
    uint64_t reactive; /* the number of the reactive set; 0: no set, or one that is free for reuse */
    uint32_t ended;    /* destroyed entities that the reactive set keeps: */
    covey__units ends; /* their handles */
    covey__units disabled, ticks;
} covey__pool_snapshot;

typedef struct covey__group_snapshot {
    uint32_t pools[COVEY_TERMS]; /* numbers */
    uint32_t owned, with, terms;
    uint32_t count, candidates;
    covey__set_snapshot set;
} covey__group_snapshot;

typedef struct covey__queue_snapshot {
    uint64_t number;
    uint32_t count;
    uint32_t stride; /* bytes of a copy of a value; 0: the queue keeps none */
    covey__units events, values;
} covey__queue_snapshot;

/* Events of a channel. Copies that a hook has made are never shared. */
typedef struct covey__list_snapshot {
    uint32_t count;
    covey__units values; /* none for tags */
} covey__list_snapshot;

typedef struct covey__channel_snapshot {
    const covey_events *of;
    covey__list_snapshot sent, current;
} covey__channel_snapshot;

typedef struct covey__commands_snapshot {
    uint64_t number;
    uint32_t spent, count; /* ids that are used up; all ids */
    covey__units ids;
} covey__commands_snapshot;

typedef struct covey__follower_snapshot {
    uint64_t number;
    covey__set_snapshot set; /* handles of the source, */
    covey__units values;     /* and of the entities here that belong to them */
} covey__follower_snapshot;

typedef struct covey__resource_snapshot {
    const covey_type *type;
    covey__units value;
} covey__resource_snapshot;

typedef struct covey__snapshot {
    uint64_t number; /* how many the history had saved before */
    uint64_t tick;
    uint32_t alive, reserved_count, reserved_root;
    covey__range range;
    covey__units reserved;
    covey__units entities;
    covey__units kinds;
    covey__pool_snapshot *pools; /* by number */
    covey__group_snapshot *groups;
    covey__queue_snapshot *queues;
    covey__channel_snapshot *channels;
    covey__commands_snapshot *commands;
    covey__follower_snapshot *followers;
    covey__resource_snapshot *resources;
    uint32_t pool_count, group_count, queue_count, channel_count, commands_count, follower_count, resource_count;
} covey__snapshot;

extern const covey__pool_snapshot covey__empty_pool; /* of a pool that is newer than the snapshot */

void covey__snapshot_destroy(covey__unit_store *store, covey__snapshot *snapshot);
void covey__snapshot_visit(covey__unit_store *store, covey__snapshot *snapshot, covey__units_fn *visit, void *context);
size_t covey__snapshot_table_bytes(const covey__snapshot *snapshot); /* without lists and units */

/* ---- Saving ------------------------------------------------------------------------------------------------------*/

typedef struct covey__saving {
    covey__unit_store *store;
    const covey_world *world;
    const covey__snapshot *before; /* units are shared with it; an empty one for the first */
    covey__snapshot *snapshot;
    covey_result result;
    const char *culprit; /* the name of a type that cannot be copied; or NULL */
} covey__saving;

/* Both note a result and return false. */
bool covey__save_lacks_memory(covey__saving *s);
bool covey__save_cannot_copy(covey__saving *s, const covey_type *type);

/* Creates a snapshot of the state of a world. NULL on failure: *culprit is the name of a type, or NULL. `before` is
 * NULL for the first. */
covey__snapshot *covey__snapshot_create(covey__unit_store *store, const covey__snapshot *before, covey_result *result,
                                        const char **culprit);
/* An array of zeroed parts, and its count; NULL for none, or when an allocation fails, which is noted. */
void *covey__make_parts(covey__saving *s, uint32_t *count, uint32_t wanted, size_t size);

bool covey__save_entities(covey__saving *s);
bool covey__save_commands(covey__saving *s);
bool covey__save_pools(covey__saving *s);
bool covey__save_groups(covey__saving *s);
bool covey__save_queues(covey__saving *s);
bool covey__save_channels(covey__saving *s);
bool covey__save_followers(covey__saving *s);
bool covey__save_resources(covey__saving *s);

/* ---- Restoring ---------------------------------------------------------------------------------------------------*/

/* What preparing has made for a pool. */
typedef struct covey__pool_plan {
    const covey__pool_snapshot *snapshot;
    covey__storage_plan storage;
    covey_pool fresh; /* has the storage that the pool will have, if it is converted */
    bool converts;
    covey__units values; /* values that hooks have copied, and names: they move into the pool */
} covey__pool_plan;

/* Copies of the events of a channel, made by the hook of their type; they move into the channel. */
typedef struct covey__channel_plan {
    covey__unit *sent, *current;
} covey__channel_plan;

typedef struct covey__rollback {
    covey__unit_store *store; /* of the history; its world may be another one */
    covey_world *world;
    const covey__snapshot *snapshot;
    covey__pool_plan *pools;    /* by number */
    covey__set_plan *groups;    /* for the members of each group */
    covey__set_plan *followers; /* for each follower */
    uint32_t follower_count;
    covey__channel_plan *channels; /* for each channel */
    uint32_t channel_count;
    covey__copier copier;
    struct covey__resources *resources;
    struct covey__kinds *kinds; /* those of the snapshot, until they are restored; then the old ones */
    covey_result result;
    const char *reason; /* a name, or a sentence; NULL: the text of the result */
} covey__rollback;

/* Notes a result other than COVEY_OK. Returns whether it was COVEY_OK. */
bool covey__rollback_did(covey__rollback *r, covey_result result);
bool covey__rollback_fails(covey__rollback *r, covey_result result, const char *reason); /* false */
bool covey__rollback_lacks_memory(covey__rollback *r);                                   /* false */

/* Gives a world the state of a snapshot. The world is that of the store; or another one that has entities reserved and
 * the pools of that time, empty and of the same kinds. On failure the world is unchanged, and *reason is a name or a
 * sentence, or NULL. */
covey_result covey__snapshot_restore(covey__unit_store *store, const covey__snapshot *snapshot, covey_world *world,
                                     const char **reason);

bool covey__prepare_kinds(covey__rollback *r);
void covey__restore_entities(covey__rollback *r);
void covey__restore_commands(const covey__rollback *r);

bool covey__prepare_pool(covey__rollback *r, covey_pool *pool);
void covey__restore_pool(covey__rollback *r, covey_pool *pool);
void covey__restore_order(const covey__rollback *r, covey_pool *pool); /* when all pools are restored */
void covey__undo_pool(covey__rollback *r, covey_pool *pool);           /* after preparing, instead of restoring */
void covey__free_pool_plan(covey__rollback *r, covey__pool_plan *plan);

bool covey__prepare_groups(covey__rollback *r);
void covey__restore_groups(const covey__rollback *r);
bool covey__prepare_queues(covey__rollback *r);
void covey__restore_queues(const covey__rollback *r);
bool covey__make_channel_plans(covey__rollback *r);
void covey__free_channel_plans(covey__rollback *r);
bool covey__prepare_channels(covey__rollback *r);
void covey__restore_channels(const covey__rollback *r);
bool covey__prepare_followers(covey__rollback *r);
void covey__restore_followers(covey__rollback *r);
bool covey__prepare_resources(covey__rollback *r);

#endif
