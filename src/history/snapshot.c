/* Snapshots as wholes: creating and destroying them, visiting their units. */
#include "history/snapshot.h"

#include "memory/alloc.h"

#include <stdalign.h>

const covey__pool_snapshot covey__empty_pool = { .storage = COVEY__EMPTY_STORAGE };

/* ---- Lists -------------------------------------------------------------------------------------------------------*/

static void visit_pool(covey__unit_store *store, covey__pool_snapshot *pool, covey__units_fn *visit, void *context) {
    covey__storage_snapshot_visit(store, &pool->storage, visit, context);
    visit(store, &pool->ends, context);
    visit(store, &pool->disabled, context);
    visit(store, &pool->ticks, context);
}

void covey__snapshot_visit(covey__unit_store *store, covey__snapshot *snapshot, covey__units_fn *visit, void *context) {
    visit(store, &snapshot->reserved, context);
    visit(store, &snapshot->entities, context);
    visit(store, &snapshot->kinds, context);
    for (uint32_t i = 0; i < snapshot->pool_count; i++) visit_pool(store, &snapshot->pools[i], visit, context);
    for (uint32_t i = 0; i < snapshot->group_count; i++)
        covey__set_snapshot_visit(store, &snapshot->groups[i].set, visit, context);
    for (uint32_t i = 0; i < snapshot->queue_count; i++) {
        visit(store, &snapshot->queues[i].events, context);
        visit(store, &snapshot->queues[i].values, context);
    }
    for (uint32_t i = 0; i < snapshot->channel_count; i++) {
        visit(store, &snapshot->channels[i].sent.values, context);
        visit(store, &snapshot->channels[i].current.values, context);
    }
    for (uint32_t i = 0; i < snapshot->commands_count; i++) visit(store, &snapshot->commands[i].ids, context);
    for (uint32_t i = 0; i < snapshot->follower_count; i++) {
        covey__set_snapshot_visit(store, &snapshot->followers[i].set, visit, context);
        visit(store, &snapshot->followers[i].values, context);
    }
    for (uint32_t i = 0; i < snapshot->resource_count; i++) visit(store, &snapshot->resources[i].value, context);
}

size_t covey__snapshot_table_bytes(const covey__snapshot *snapshot) {
    size_t bytes = sizeof *snapshot + snapshot->pool_count * sizeof *snapshot->pools;
    bytes += snapshot->group_count * sizeof *snapshot->groups + snapshot->queue_count * sizeof *snapshot->queues;
    bytes += snapshot->channel_count * sizeof *snapshot->channels;
    bytes += snapshot->commands_count * sizeof *snapshot->commands;
    bytes += snapshot->follower_count * sizeof *snapshot->followers;
    return bytes + snapshot->resource_count * sizeof *snapshot->resources;
}

/* ---- Destroying --------------------------------------------------------------------------------------------------*/

static void release_list(covey__unit_store *store, covey__units *list, void *context) {
    (void)context;
    covey__units_release(store, list);
}

/* The reverse of covey__make_parts. */
static void free_parts(covey__unit_store *store, void *parts, uint32_t count, size_t size) {
    covey__free(&store->heap, parts, count, size, alignof(uint64_t));
}

void covey__snapshot_destroy(covey__unit_store *store, covey__snapshot *snapshot) {
    covey__snapshot_visit(store, snapshot, release_list, NULL);
    free_parts(store, snapshot->pools, snapshot->pool_count, sizeof *snapshot->pools);
    free_parts(store, snapshot->groups, snapshot->group_count, sizeof *snapshot->groups);
    free_parts(store, snapshot->queues, snapshot->queue_count, sizeof *snapshot->queues);
    free_parts(store, snapshot->channels, snapshot->channel_count, sizeof *snapshot->channels);
    free_parts(store, snapshot->commands, snapshot->commands_count, sizeof *snapshot->commands);
    free_parts(store, snapshot->followers, snapshot->follower_count, sizeof *snapshot->followers);
    free_parts(store, snapshot->resources, snapshot->resource_count, sizeof *snapshot->resources);
    covey__free(&store->heap, snapshot, 1, sizeof *snapshot, alignof(covey__snapshot));
}

/* ---- Creating ----------------------------------------------------------------------------------------------------*/

bool covey__save_lacks_memory(covey__saving *s) {
    s->result = COVEY_ERROR_MEMORY;
    return false;
}

bool covey__save_cannot_copy(covey__saving *s, const covey_type *type) {
    s->result = COVEY_ERROR_COPY;
    s->culprit = type->name;
    return false;
}

void *covey__make_parts(covey__saving *s, uint32_t *count, uint32_t wanted, size_t size) {
    void *parts = covey__resize(&s->store->heap, NULL, 0, wanted, size, alignof(uint64_t));
    if (!parts && wanted != 0) covey__save_lacks_memory(s);
    if (!parts) return NULL;
    *count = wanted;
    return memset(parts, 0, wanted * size);
}

static bool save_all(covey__saving *s) {
    return covey__save_entities(s) && covey__save_pools(s) && covey__save_groups(s) && covey__save_queues(s) &&
           covey__save_channels(s) && covey__save_commands(s) && covey__save_followers(s) && covey__save_resources(s);
}

covey__snapshot *covey__snapshot_create(covey__unit_store *store, const covey__snapshot *before, covey_result *result,
                                        const char **culprit) {
    static const covey__snapshot empty;
    covey__snapshot *snapshot = covey__resize(&store->heap, NULL, 0, 1, sizeof *snapshot, alignof(covey__snapshot));
    covey__saving s = { store, store->world, before ? before : &empty, snapshot, COVEY_OK, NULL };
    if (snapshot) {
        *snapshot = (covey__snapshot){ 0 };
        save_all(&s);
    } else {
        covey__save_lacks_memory(&s);
    }
    *result = s.result;
    *culprit = s.culprit;
    if (s.result == COVEY_OK) return snapshot;
    if (snapshot) covey__snapshot_destroy(store, snapshot);
    return NULL;
}
