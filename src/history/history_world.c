/* Makes a second world with the state of a snapshot: creates the pools of that time, and restores the snapshot there.
 * */
#include "memory/inner.h"
#include "history/history.h"

#include "change/entity.h"
#include "tree/hierarchy.h"
#include "storage/marks.h"
#include "tree/name.h"
#include "observe/observers.h"
#include "change/pool.h"
#include "memory/result.h"
#include "storage/type.h"
#include "history/world_clone.h"

typedef struct making {
    covey_history *history;
    const covey__snapshot *snapshot;
    covey_world *twin;
} making;

/* The pool of the same type in the twin; NULL for pools that are not copied. */
static covey_pool *twin_of(const making *m, const covey_pool *pool) {
    return covey__is_reactive(pool) ? NULL : covey__pool_named(m->twin, pool->type->name);
}

static bool make_pool(const making *m, const covey_pool *pool) {
    const covey_world *from = m->history->world;
    if (covey__is_reactive(pool)) return true;
    if (pool == from->inner->nodes) return covey__hierarchy_open(m->twin);
    if (from->inner->names && pool == from->inner->names->pool) return covey__names_open(m->twin);
    return covey__clone_type(from, m->twin, pool) != NULL;
}

/* Gives a pool the storage and the observers of that time. */
static bool prepare_pool(covey_pool *twin, const covey__pool_snapshot *snapshot) {
    covey__pool_init(twin, snapshot->storage.kind);
    bool observed = snapshot->disabled.count != 0 || snapshot->ticks.count != 0 || snapshot->keeps_order;
    return !observed || covey__pool_observers(twin);
}

static bool make_pools(const making *m) {
    covey_pool *const *pools = m->history->world->pools;
    for (uint32_t i = 0; i < m->snapshot->pool_count; i++)
        if (!make_pool(m, pools[i])) return false;
    for (uint32_t i = 0; i < m->snapshot->pool_count; i++) {
        covey_pool *twin = twin_of(m, pools[i]);
        if (twin && !prepare_pool(twin, &m->snapshot->pools[i])) return false;
    }
    return covey__clone_descriptors(m->history->world, m->twin);
}

static bool make_entities(const making *m) {
    for (uint32_t i = 0; i < m->snapshot->entities.count; i++)
        if (m->snapshot->entities.at[i] && !covey__entities_reach(m->twin, i * COVEY_PAGE_SIZE)) return false;
    return covey__ranges_reserve(m->twin, m->snapshot->reserved_count);
}

/* Counts a pool with disabled components, and keeps a pool in order that was kept then. */
static void finish_pool(const making *m, covey_pool *twin, const covey__pool_snapshot *snapshot) {
    if (!twin->observers) return;
    m->twin->inner->hiding += covey__may_hide(twin);
    covey__keep_order(twin, snapshot->keeps_order ? &snapshot->order : NULL);
    covey__pool_unobserve(twin);
}

/* Also finishes pools after a failure: the twin must be valid when it is destroyed. */
static covey_result make_state(const making *m, const char **reason) {
    covey_result result = COVEY_ERROR_MEMORY;
    if (make_pools(m) && make_entities(m))
        result = covey__snapshot_restore(&m->history->store, m->snapshot, m->twin, reason);
    for (uint32_t i = 0; i < m->snapshot->pool_count; i++) {
        covey_pool *twin = twin_of(m, m->history->world->pools[i]);
        if (twin) finish_pool(m, twin, &m->snapshot->pools[i]);
    }
    return result;
}

static covey_world *refuse_world(covey_history *history, covey_result result, const char *reason) {
    covey__fail(history->world, result, "a snapshot could not become a world: %s",
                reason ? reason : covey__reason(result));
    return NULL;
}

covey_world *covey_history_world(covey_history *history, uint32_t back, const covey_world_desc *desc) {
    COVEY__CONTRACT(NULL, history, "a call needs a history");
    if (COVEY__IN_HOOK(history->world)) return NULL;
    const covey__snapshot *snapshot = covey__history_at(history, back);
    if (!snapshot) return refuse_world(history, COVEY_ERROR_ABSENT, COVEY__NO_SNAPSHOT);
    covey_world_desc wanted = covey__clone_desc(history->world, desc);
    making m = { history, snapshot, covey_world_create(&wanted) };
    const char *reason = NULL;
    if (!m.twin) return refuse_world(history, COVEY_ERROR_MEMORY, NULL);
    covey__silence(m.twin, true); /* the first world logs failures */
    covey_result result = make_state(&m, &reason);
    covey__silence(m.twin, false);
    if (result != COVEY_OK) {
        covey_world_destroy(m.twin);
        return refuse_world(history, result, reason);
    }
    m.twin->inner->result = COVEY_OK;
    COVEY__CHANGED(m.twin);
    return m.twin;
}
