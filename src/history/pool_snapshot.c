/* Saves and restores pools: their storage, and what observers know of their components. A pool that was converted since
 * gets its old storage again. */
#include "memory/inner.h"
#include "history/snapshot.h"

#include "change/pool.h"
#include "history/reactive_snapshot.h"
#include "history/value_snapshot.h"
#include "memory/pages.h"
#include "memory/tick_page.h"
#include "observe/filing.h"
#include "observe/observers.h"
#include "query/sort.h"
#include "storage/block_store.h"
#include "storage/marks.h"
#include "storage/shortcut_off.h"
#include "storage/storage.h"
#include "storage/type.h"

/* ---- Saving ------------------------------------------------------------------------------------------------------*/

static bool save_disabled(covey__saving *s, const covey__units *before, covey__units *list, const covey__pages *pages) {
    if (!covey__units_create(s->store, list, pages->count)) return false;
    for (uint32_t i = 0; i < pages->count; i++)
        if (pages->at[i] && !covey__unit_save(s->store, before, list, i, pages->at[i], COVEY__DISABLED_BYTES))
            return false;
    return true;
}

static bool save_ticks(covey__saving *s, const covey__units *before, covey__units *list, const covey__pages *ticks) {
    if (!covey__units_create(s->store, list, ticks->count)) return false;
    for (uint32_t i = 0; i < ticks->count; i++)
        if (ticks->at[i] &&
            !covey__unit_save(s->store, before, list, i, ticks->at[i], covey__tick_page_bytes(ticks->at[i])))
            return false;
    return true;
}

static bool save_observers(covey__saving *s, const covey__observers *observers, const covey__pool_snapshot *before,
                           covey__pool_snapshot *snapshot) {
    snapshot->keeps_order = observers->keeps_order;
    snapshot->order = observers->order;
    return (save_disabled(s, &before->disabled, &snapshot->disabled, &observers->disabled) &&
            save_ticks(s, &before->ticks, &snapshot->ticks, &observers->ticks)) ||
           covey__save_lacks_memory(s);
}

static bool save_storage(covey__saving *s, const covey_pool *pool, const covey__storage_snapshot *before,
                         covey__storage_snapshot *snapshot) {
    bool bytes = covey__saves_bytes(pool);
    if (!covey__storage_save(s->store, pool, bytes, before, snapshot)) return covey__save_lacks_memory(s);
    return bytes || covey__save_values(s, pool, &before->values, &snapshot->values);
}

static bool save_pool(covey__saving *s, const covey_pool *pool, covey__pool_snapshot *snapshot) {
    const covey__pool_snapshot *before =
        pool->number < s->before->pool_count ? &s->before->pools[pool->number] : &covey__empty_pool;
    if (!covey__is_internal(pool) && covey_pool_count(pool) != 0 && !covey__type_can_copy(pool->type))
        return covey__save_cannot_copy(s, pool->type);
    snapshot->is_ordered = (pool->uses & COVEY_USE_ORDER) != 0;
    if (pool->observers && !save_observers(s, pool->observers, before, snapshot)) return false;
    if (covey__is_reactive(pool) && !covey__save_reactive(s, pool, before, snapshot)) return false;
    return save_storage(s, pool, &before->storage, &snapshot->storage);
}

bool covey__save_pools(covey__saving *s) {
    covey__snapshot *snapshot = s->snapshot;
    const covey_world *world = s->world;
    snapshot->pools = covey__make_parts(s, &snapshot->pool_count, world->pool_count, sizeof *snapshot->pools);
    for (uint32_t i = 0; i < world->pool_count && s->result == COVEY_OK; i++)
        save_pool(s, world->pools[i], &snapshot->pools[i]);
    return s->result == COVEY_OK;
}

/* ---- Preparing ---------------------------------------------------------------------------------------------------*/

/* In another world than the history's, pools have other numbers. */
static const covey__pool_snapshot *snapshot_of(const covey__rollback *r, const covey_pool *pool) {
    const covey_world *saved = r->store->world;
    const covey_pool *known = r->world == saved ? pool : covey__pool_named(saved, pool->type->name);
    return known->number < r->snapshot->pool_count ? &r->snapshot->pools[known->number] : &covey__empty_pool;
}

/* The pool whose storage is written. */
static covey_pool *target_of(covey_pool *pool, covey__pool_plan *plan) { return plan->converts ? &plan->fresh : pool; }

static bool prepare_disabled(covey__rollback *r, covey__pages *pages, const covey__units *units) {
    covey_world *world = r->world;
    for (uint32_t i = 0; i < units->count; i++)
        if (units->at[i] && !covey__pages_reach(&world->inner->heap, pages, i * COVEY__BLOCK_PAGE,
                                                covey__block_limit(world), COVEY__DISABLED_BYTES))
            return covey__rollback_lacks_memory(r);
    return true;
}

static bool prepare_ticks(covey__rollback *r, covey__pages *ticks, const covey__units *units) {
    covey_world *world = r->world;
    for (uint32_t i = 0; i < units->count; i++) {
        const covey__tick_page *saved = units->at[i] ? (void *)covey__unit_bytes(units->at[i]) : NULL;
        if (saved &&
            !covey__tick_pages_reach_room(&world->inner->heap, ticks, i, covey__block_limit(world), saved->room))
            return covey__rollback_lacks_memory(r);
    }
    return true;
}

/* Memory for filing what will be restored. Pages of ticks are saved wherever there are components. */
static bool prepare_lookups(covey__rollback *r, covey_pool *pool, const covey__pool_snapshot *snapshot) {
    const covey__looking *looking = r->world->inner->looking;
    if (!pool->observers->filing) return true;
    if (!looking->reserve(pool, snapshot->storage.count)) return covey__rollback_lacks_memory(r);
    for (uint32_t i = 0; i < snapshot->ticks.count; i++)
        if (snapshot->ticks.at[i] && !looking->reach(pool, i * COVEY__BLOCK_PAGE))
            return covey__rollback_lacks_memory(r);
    return true;
}

static bool prepare_observers(covey__rollback *r, covey_pool *pool, const covey__pool_snapshot *snapshot) {
    covey__observers *observers = pool->observers;
    return prepare_disabled(r, &observers->disabled, &snapshot->disabled) &&
           prepare_ticks(r, &observers->ticks, &snapshot->ticks) && prepare_lookups(r, pool, snapshot) &&
           covey__prepare_marks_of(r, pool, snapshot);
}

static bool prepare_conversion(covey__rollback *r, covey_pool *pool, covey__pool_plan *plan) {
    if (pool->observers && (pool->observers->is_owned || pool->observers->keeps_order))
        return covey__rollback_fails(
            r, COVEY_ERROR_REFUSED,
            "a pool that had another storage is owned by a group or kept sorted: end that first");
    plan->fresh = *pool;
    covey__pool_init(&plan->fresh, plan->snapshot->storage.kind);
    plan->converts = true;
    return true;
}

static bool prepare_storage(covey__rollback *r, covey_pool *pool, covey__pool_plan *plan) {
    const covey__storage_snapshot *storage = &plan->snapshot->storage;
    bool converts = plan->snapshot != &covey__empty_pool && storage->kind != (covey_storage)pool->storage;
    if (converts && !prepare_conversion(r, pool, plan)) return false;
    return covey__rollback_did(
        r, covey__storage_prepare_restore(&r->store->heap, &plan->storage, target_of(pool, plan), storage));
}

bool covey__prepare_pool(covey__rollback *r, covey_pool *pool) {
    covey__pool_plan *plan = &r->pools[pool->number];
    plan->snapshot = snapshot_of(r, pool);
    if (covey__is_reactive(pool)) {
        plan->snapshot = covey__reactive_snapshot_of(pool, plan->snapshot);
        return covey__rollback_did(r, covey__marks_prepare_restore(pool, &plan->snapshot->storage));
    }
    return prepare_storage(r, pool, plan) && (covey__saves_bytes(pool) || covey__prepare_values(r, pool, plan)) &&
           (!pool->observers || prepare_observers(r, pool, plan->snapshot));
}

void covey__undo_pool(covey__rollback *r, covey_pool *pool) {
    covey__pool_plan *plan = &r->pools[pool->number];
    covey__undo_values(r, pool, plan);
    if (plan->converts) {
        covey__storage_free(&plan->fresh);
        covey__storage_mark_all(pool);
    } else {
        covey__storage_undo_prepare(&plan->storage, pool);
    }
}

void covey__free_pool_plan(covey__rollback *r, covey__pool_plan *plan) {
    covey__units_release(r->store, &plan->values);
    covey__storage_plan_free(&r->store->heap, &plan->storage);
}

/* ---- Restoring ---------------------------------------------------------------------------------------------------*/

static void restore_disabled(const covey__pages *pages, const covey__units *units) {
    for (uint32_t i = 0; i < pages->count; i++) {
        const covey__unit *unit = covey__unit_at(units, i);
        if (!pages->at[i]) continue;
        if (unit) memcpy(pages->at[i], covey__unit_bytes(unit), COVEY__DISABLED_BYTES);
        else memset(pages->at[i], 0, COVEY__DISABLED_BYTES);
    }
}

static void restore_ticks(const covey__pages *ticks, const covey__units *units) {
    for (uint32_t i = 0; i < ticks->count; i++) {
        const covey__unit *unit = covey__unit_at(units, i);
        if (!ticks->at[i]) continue;
        if (unit) covey__tick_page_copy(ticks->at[i], (void *)covey__unit_bytes(unit));
        else covey__tick_page_clear(ticks->at[i]);
    }
}

/* Replaces the storage by the restored one. */
static void convert(covey_pool *pool, const covey__pool_plan *plan) {
    covey_pool old = *pool;
    covey__storage_take(pool, &plan->fresh);
    if (pool->observers) covey__pool_update_observers(pool);
    else covey__pool_update(pool);
    covey__storage_end(&old);
    covey__storage_mark_all(pool);
}

static void restore_storage(covey__rollback *r, covey_pool *pool, covey__pool_plan *plan) {
    bool bytes = covey__saves_bytes(pool);
    covey__storage_restore(&r->copier, &plan->storage, target_of(pool, plan), bytes, &plan->snapshot->storage);
    if (plan->converts) convert(pool, plan);
    if (!bytes) covey__restore_values(pool, &plan->values);
}

void covey__restore_pool(covey__rollback *r, covey_pool *pool) {
    covey__pool_plan *plan = &r->pools[pool->number];
    const covey__pool_snapshot *snapshot = plan->snapshot;
    covey__fast_add_off(pool);
    covey__pool_moved(pool, true);
    if (covey__is_reactive(pool)) {
        covey__restore_reactive(pool, snapshot);
        return;
    }
    restore_storage(r, pool, plan);
    if (snapshot != &covey__empty_pool)
        pool->uses = (uint8_t)((pool->uses & ~COVEY_USE_ORDER) | (snapshot->is_ordered ? COVEY_USE_ORDER : 0));
    if (!pool->observers) return;
    restore_disabled(&pool->observers->disabled, &snapshot->disabled);
    restore_ticks(&pool->observers->ticks, &snapshot->ticks);
    if (pool->observers->filing) r->world->inner->looking->restored(pool);
}

static bool is_same_order(const covey_order *a, const covey_order *b) {
    return a->key == b->key && a->offset == b->offset && a->key_of == b->key_of && a->compare == b->compare &&
           a->key_of_entity == b->key_of_entity && a->compare_entities == b->compare_entities &&
           a->context == b->context && a->descending == b->descending;
}

/* Sorts a pool that was kept in another order, or in none. */
void covey__restore_order(const covey__rollback *r, covey_pool *pool) {
    const covey__pool_snapshot *snapshot = r->pools[pool->number].snapshot;
    if (!pool->observers || !pool->observers->keeps_order) return;
    if (snapshot->keeps_order && is_same_order(&snapshot->order, &pool->observers->order)) return;
    covey__pool_sort_again(pool);
    pool->uses |= COVEY_USE_ORDER;
}
