/* Clones a world. Storages are copied with all positions, so that both worlds behave alike; then copy hooks copy the
 * values of types that have one. */
#include "history/world_clone.h"

#include "memory/inner.h"
#include "storage/block_store.h"
#include "change/commands.h"
#include "change/entity.h"
#include "change/kind_pack.h"
#include "observe/guard.h"
#include "tree/hierarchy.h"
#include "storage/marks.h"
#include "tree/name.h"
#include "observe/observers.h"
#include "memory/pages.h"
#include "change/pool.h"
#include "change/resource.h"
#include "memory/result.h"
#include "storage/storage.h"
#include "memory/tick_page.h"
#include "storage/type.h"

/* Listeners, queues and reactive sets are not cloned. Nodes and names are made again. */
static bool stays_behind(const covey_pool *pool) {
    const covey_world *world = pool->world;
    if (covey__is_reactive(pool) || pool == world->inner->nodes) return true;
    return world->inner->names && pool == world->inner->names->pool;
}

/* ---- Types -------------------------------------------------------------------------------------------------------*/

covey_pool *covey__clone_type(const covey_world *from, covey_world *to, const covey_pool *pool) {
    covey_type description = *pool->type;
    bool internal = covey__is_internal(pool);
    const covey_type *type = pool->type;
    if (covey__type_is_made(from, type)) {
        if (internal && description.context == from) description.context = to;
        type = internal ? covey__type_make_internal(to, &description) : covey_type_create(to, &description);
    }
    if (!type) return NULL;
    if (pool == from->inner->disabled) return covey__pool_of_disabled(to);
    return internal ? covey__pool_of_internal(to, type) : covey_pool_of_raw(to, type);
}

bool covey__clone_descriptors(const covey_world *from, covey_world *to) {
    for (uint32_t i = 0; i <= from->type_mask; i++) {
        const covey__type_entry *entry = &from->types[i];
        if (!entry->type || entry->type == entry->pool->type || stays_behind(entry->pool)) continue;
        covey_pool *twin = covey__pool_named(to, entry->type->name);
        if (!twin) continue;
        if (!covey__type_reserve(to)) return false;
        covey__type_bind(to, entry->type, twin);
    }
    return true;
}

/* ---- Pools -------------------------------------------------------------------------------------------------------*/

static void drop_before(const covey_pool *pool, uint32_t end) {
    const covey_type *type = pool->type;
    for (uint32_t at = covey_pool_next(pool, 0); at < end && type->drop; at = covey_pool_next(pool, at + 1))
        covey__pool_drop_value(pool, covey_pool_value_at_raw(pool, at));
}

/* The bytes of all values were copied; copy hooks now make the live values. After a failure there are none. */
static bool copy_values(const covey_pool *from, covey_pool *to) {
    const covey_type *type = to->type;
    if (!type->copy) return true;
    for (uint32_t at = covey_pool_next(from, 0); at != COVEY_NONE; at = covey_pool_next(from, at + 1)) {
        const void *value = covey__pool_value_at(from, at, from->size);
        if (covey__copy_value(from->world, type, covey_pool_value_at_raw(to, at), value)) continue;
        drop_before(to, at);
        return false;
    }
    return true;
}

static bool keep_order(const covey_pool *from, covey_pool *to) {
    if (!from->observers || !from->observers->keeps_order) return true;
    if (!covey__pool_observers(to)) return false;
    covey__keep_order(to, &from->observers->order);
    return true;
}

static covey_result clone_storage(const covey_pool *from, covey_pool *to) {
    covey__pool_init(to, (covey_storage)from->storage);
    bool cloned = covey__storage_clone(from, to);
    covey_result result = !cloned ? COVEY_ERROR_MEMORY : !copy_values(from, to) ? COVEY_ERROR_COPY : COVEY_OK;
    if (result != COVEY_OK) covey__pool_erase_all(to); /* its bytes are no values */
    return result;
}

static bool clone_pages(covey_world *to, covey__pages *twin, const covey__pages *pages, size_t size) {
    for (uint32_t i = 0; i < pages->count; i++) {
        if (!pages->at[i]) continue;
        void *page = covey__pages_reach(&to->inner->heap, twin, i * COVEY__BLOCK_PAGE, covey__block_limit(to), size);
        if (!page) return false;
        memcpy(page, pages->at[i], size);
    }
    return true;
}

static bool clone_ticks(covey_world *to, covey__pages *twin, const covey__pages *ticks) {
    for (uint32_t i = 0; i < ticks->count; i++) {
        const covey__tick_page *from = ticks->at[i];
        if (!from) continue;
        covey__tick_page *page =
            covey__tick_pages_reach_room(&to->inner->heap, twin, i, covey__block_limit(to), from->room);
        if (!page) return false;
        covey__tick_page_copy(page, from);
    }
    return true;
}

/* Clones disabled components and ticks. */
static bool clone_visibility(const covey_pool *from, covey_pool *to) {
    if (!from->observers || (!from->observers->disabled.at && !from->observers->ticks.at)) return true;
    covey__observers *observers = covey__pool_observers(to);
    if (!observers) return false;
    bool cloned = clone_pages(to->world, &observers->disabled, &from->observers->disabled, COVEY__DISABLED_BYTES) &&
                  clone_ticks(to->world, &observers->ticks, &from->observers->ticks);
    to->world->inner->hiding += observers->disabled.at != NULL;
    covey__pool_update_observers(to);
    covey__pool_unobserve(to); /* frees observers that have no pages */
    return cloned;
}

static covey_result clone_pool(const covey_world *from, covey_world *to, const covey_pool *pool) {
    covey_pool *twin = covey__clone_type(from, to, pool);
    if (!twin) return COVEY_ERROR_MEMORY;
    covey_result result = clone_storage(pool, twin);
    if (result != COVEY_OK) return result;
    if (!keep_order(pool, twin) || !clone_visibility(pool, twin) || !covey__storage_mark_all(twin)) {
        drop_before(twin, COVEY_NONE);
        covey__pool_erase_all(twin);
        return COVEY_ERROR_MEMORY;
    }
    twin->uses |= pool->uses & COVEY_USE_ORDER;
    return COVEY_OK;
}

/* ---- Worlds ------------------------------------------------------------------------------------------------------*/

/* The name of a type that has values and cannot be copied; or NULL. */
static const char *find_uncopyable(const covey_world *world) {
    for (uint32_t i = 0; i < world->pool_count; i++) {
        const covey_pool *pool = world->pools[i];
        if (covey_pool_count(pool) != 0 && !stays_behind(pool) && !covey__type_can_copy(pool->type))
            return pool->type->name;
    }
    for (uint32_t i = 0; i < covey_world_resource_count(world); i++)
        if (!covey__type_can_copy(covey_world_resource(world, i))) return covey_world_resource(world, i)->name;
    return NULL;
}

static covey_result clone_all(const covey_world *from, covey_world *to) {
    covey_result result = covey__entities_clone(from, to) ? COVEY_OK : COVEY_ERROR_MEMORY;
    if (result == COVEY_OK) covey__commands_leave_clone(from, to);
    to->inner->tick = from->inner->tick;
    for (uint32_t i = 0; i < from->pool_count && result == COVEY_OK; i++)
        if (!stays_behind(from->pools[i])) result = clone_pool(from, to, from->pools[i]);
    if (result == COVEY_OK && !covey__kinds_clone(from, to)) result = COVEY_ERROR_MEMORY;
    if (result == COVEY_OK && !covey__clone_descriptors(from, to)) result = COVEY_ERROR_MEMORY;
    if (result == COVEY_OK) result = covey__resources_clone(from, to);
    if (result == COVEY_OK && (!covey__hierarchy_clone(from, to) || !covey__names_clone(from, to)))
        result = COVEY_ERROR_MEMORY;
    return result;
}

static covey_world *refuse_clone(covey_world *world, covey_result result, const char *culprit) {
    covey__fail(world, result, "the world could not be cloned: %s%s%s", culprit ? culprit : "", culprit ? ": " : "",
                covey__reason(result));
    return NULL;
}

covey_world_desc covey__clone_desc(const covey_world *world, const covey_world_desc *desc) {
    if (desc) return *desc;
    return (covey_world_desc){
        .allocator = world->inner->heap.allocator,
        .log = world->inner->log,
        .log_context = world->inner->log_context,
        .quiet = world->inner->quiet,
        .ids_in_order = world->inner->ids_in_order,
        .on_assert = world->inner->on_assert,
        .assert_context = world->inner->assert_context,
    };
}

covey_world *covey_world_clone(covey_world *world, const covey_world_desc *desc) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    covey_world_desc wanted = covey__clone_desc(world, desc);
    const char *uncopyable = find_uncopyable(world);
    if (uncopyable) return refuse_clone(world, COVEY_ERROR_COPY, uncopyable);
    covey__check_world(world);
    covey_world *twin = covey_world_create(&wanted);
    if (twin) covey__silence(twin, true); /* the first world logs failures */
    covey_result result = twin ? clone_all(world, twin) : COVEY_ERROR_MEMORY;
    if (result != COVEY_OK) {
        covey_world_destroy(twin);
        return refuse_clone(world, result, NULL);
    }
    covey__silence(twin, false);
    COVEY__CHANGED(twin);
    return twin;
}
