/* Restores a snapshot in two steps: prepares all parts, which can fail and changes nothing visible; then restores them,
 * which cannot fail. Storages are written in place: where the ids of a part are unchanged, only its values are. */
#include "memory/inner.h"
#include "history/snapshot.h"

#include "change/kind.h"
#include "change/resource.h"
#include "history/reactive_snapshot.h"
#include "history/value_snapshot.h"
#include "image/follower.h"
#include "memory/alloc.h"
#include "memory/lines.h"
#include "storage/shortcut_off.h"
#include "storage/storage.h"

#include <stdalign.h>

bool covey__rollback_fails(covey__rollback *r, covey_result result, const char *reason) {
    r->result = result;
    r->reason = reason;
    return false;
}

bool covey__rollback_did(covey__rollback *r, covey_result result) {
    return result == COVEY_OK || covey__rollback_fails(r, result, NULL);
}

bool covey__rollback_lacks_memory(covey__rollback *r) { return covey__rollback_fails(r, COVEY_ERROR_MEMORY, NULL); }

/* ---- Plans -------------------------------------------------------------------------------------------------------*/

static covey__set_plan *make_set_plans(covey__rollback *r, uint32_t count) {
    covey__set_plan *plans = covey__resize(&r->store->heap, NULL, 0, count, sizeof *plans, alignof(covey__set_plan));
    for (uint32_t i = 0; i < count && plans; i++) plans[i] = (covey__set_plan){ NULL, 0 };
    if (!plans && count != 0) covey__rollback_lacks_memory(r);
    return plans;
}

static void free_set_plans(covey__rollback *r, covey__set_plan *plans, uint32_t count) {
    for (uint32_t i = 0; i < count && plans; i++) covey__set_plan_free(&r->store->heap, &plans[i]);
    covey__free(&r->store->heap, plans, plans ? count : 0, sizeof *plans, alignof(covey__set_plan));
}

static bool make_plans(covey__rollback *r) {
    uint32_t pools = r->world->pool_count;
    for (const covey_follower *f = r->world->inner->followers; f; f = f->next) r->follower_count++;
    r->pools = covey__resize(&r->store->heap, NULL, 0, pools, sizeof *r->pools, alignof(covey__pool_plan));
    for (uint32_t i = 0; i < pools && r->pools; i++) r->pools[i] = (covey__pool_plan){ .snapshot = &covey__empty_pool };
    if (!r->pools && pools != 0) return covey__rollback_lacks_memory(r);
    r->groups = make_set_plans(r, r->world->inner->group_count);
    r->followers = make_set_plans(r, r->follower_count);
    return r->result == COVEY_OK && covey__make_channel_plans(r);
}

static void free_plans(covey__rollback *r) {
    uint32_t pools = r->pools ? r->world->pool_count : 0;
    for (uint32_t i = 0; i < pools; i++) covey__free_pool_plan(r, &r->pools[i]);
    covey__free(&r->store->heap, r->pools, pools, sizeof *r->pools, alignof(covey__pool_plan));
    free_set_plans(r, r->groups, r->world->inner->group_count);
    free_set_plans(r, r->followers, r->follower_count);
    covey__free_channel_plans(r);
}

/* ---- The two steps -----------------------------------------------------------------------------------------------*/

static bool prepare_all(covey__rollback *r) {
    covey_world *world = r->world;
    for (uint32_t i = 0; i < world->pool_count; i++)
        if (!covey__prepare_pool(r, world->pools[i])) return false;
    for (uint32_t i = 0; i < world->pool_count; i++)
        if (world->pools[i]->ended && !covey__prepare_ended(r, world->pools[i])) return false;
    return covey__prepare_groups(r) && covey__prepare_queues(r) && covey__prepare_channels(r) &&
           covey__prepare_followers(r) && covey__prepare_resources(r) && covey__prepare_kinds(r);
}

/* After preparing has failed. */
static void undo_all(covey__rollback *r) {
    for (uint32_t i = 0; i < r->world->pool_count; i++) covey__undo_pool(r, r->world->pools[i]);
    covey__resources_end(r->world, &r->resources);
    covey__fast_destroy_off(r->world);
    covey__values_moved(r->world);
}

/* Groups follow their pools, in the order in which these are kept. */
static void restore_all(covey__rollback *r) {
    covey_world *world = r->world;
    for (uint32_t i = 0; i < world->pool_count; i++) covey__end_values(world->pools[i]);
    covey__restore_entities(r);
    for (uint32_t i = 0; i < world->pool_count; i++) covey__restore_pool(r, world->pools[i]);
    covey__restore_followers(r);
    covey__copier_finish(&r->copier);
    for (uint32_t i = 0; i < world->pool_count; i++) covey__restore_order(r, world->pools[i]);
    covey__restore_groups(r);
    covey__restore_queues(r);
    covey__restore_channels(r);
    covey__restore_commands(r);
    covey__resources_replace(world, r->resources);
    covey__fast_destroy_off(world);
    covey__values_moved(world);
}

static bool is_large(const covey__rollback *r) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < r->snapshot->pool_count; i++)
        bytes += (size_t)r->snapshot->pools[i].storage.count * r->store->world->pools[i]->size;
    return bytes > COVEY_CACHE_BYTES;
}

covey_result covey__snapshot_restore(covey__unit_store *store, const covey__snapshot *snapshot, covey_world *world,
                                     const char **reason) {
    covey__rollback r = { .store = store, .world = world, .snapshot = snapshot };
    r.copier.is_large = is_large(&r);
    if (make_plans(&r)) {
        if (prepare_all(&r)) restore_all(&r);
        else undo_all(&r);
    }
    free_plans(&r);
    covey__kinds_free(&world->inner->heap, r.kinds);
    *reason = r.reason;
    return r.result;
}
