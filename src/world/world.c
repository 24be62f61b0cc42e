/* Worlds: operations on all pools, and the calls that are not inline. */
#include "memory/inner.h"
#include "memory/alloc.h"
#include "change/change.h"
#include "memory/dependent.h"
#include "change/entity.h"
#include "memory/feature.h"
#include "observe/events.h"
#include "storage/marks.h"
#include "observe/observers.h"
#include "change/pool.h"
#include "storage/presence.h"
#include "memory/result.h"
#include "observe/signal.h"
#include "storage/sparse_set.h"
#include "storage/storage.h"
#include "storage/type.h"
#include "observe/notify.h"

#include <covey/commands.h>

#include <stdalign.h>

covey_world *covey_world_create(const covey_world_desc *desc) {
    covey_world_desc defaults = { 0 };
    if (!desc) desc = &defaults;
    covey__heap heap = { desc->allocator, 0, NULL };
    covey__whole_world *whole = covey__resize(&heap, NULL, 0, 1, sizeof *whole, alignof(covey__whole_world));
    if (!whole) return NULL;
    whole->world = (covey_world){
        .type_multiplier = UINT64_C(0x9E3779B97F4A7C15),
        .range = covey__range_from(desc->first_index < COVEY_NONE ? desc->first_index : COVEY_NONE),
        .emptying = { .block = COVEY__NO_BLOCK, .last = COVEY__NO_BLOCK },
        .recent = { .count = COVEY_NONE },
        .row = { .inlined = COVEY_NONE, .count = COVEY_NONE },
        .inner = &whole->inner,
    };
    whole->inner = (covey__inner){
        .pool_root = COVEY__NO_NODE,
        .reserved_root = COVEY__NO_NODE,
        .tick = 1,
        .heap = heap,
        .log = desc->log,
        .log_context = desc->log_context,
        .quiet = desc->quiet,
        .ids_in_order = desc->ids_in_order,
        .on_assert = desc->on_assert,
        .assert_context = desc->assert_context,
    };
    whole->inner.heap.budget = &whole->inner.budget;
    if (!covey__type_reserve(&whole->world)) {
        covey__free(&heap, whole, 1, sizeof *whole, alignof(covey__whole_world));
        return NULL;
    }
    return &whole->world;
}

/* Ends the features of a world that it uses, from the first to the last of these. */
static void end_features(covey_world *world, covey__feature_name first, covey__feature_name last) {
    for (covey__feature_name name = first; name <= last; name++)
        if (world->inner->features[name]) world->inner->features[name]->end(world);
}

static bool is_replaying(const covey_world *world) {
    const covey_commands *commands = world->inner->commands;
    while (commands && !commands->busy) commands = commands->next_of_world;
    return commands != NULL;
}

void covey_world_destroy(covey_world *world) {
    if (!world) return;
    if (COVEY__IN_HOOK(world)) return;
    bool replaying = is_replaying(world), busy = covey__dependents_busy(world);
    bool listening = world->inner->emission || covey__is_delivering(world);
    COVEY__CONTRACT(world, !listening, "a listener must not destroy the world: do it afterwards");
    COVEY__CONTRACT(world, listening || !replaying, "a recorded function must not destroy the world: do it afterwards");
    COVEY__CONTRACT(world, !busy,
                    "a world is destroyed while its schedule runs, its follower reads an image or its inspector "
                    "answers: do it afterwards");
    if (listening || replaying || busy) return;
    covey__dependents_end(world);
    covey__print_unprinted(world);
    if (world->inner->heard != 0) world->inner->signalling->destroy_all(world);
    end_features(world, COVEY__COMMANDS, COVEY__GROUPS);
    for (uint32_t i = 0; i < world->pool_count; i++) covey__pool_clear_untold(world->pools[i]);
    end_features(world, COVEY__RESOURCES, COVEY__NAMES);
    for (uint32_t i = 0; i < world->pool_count; i++) {
        covey__pool_free_observers(world->pools[i]);
        covey__storage_free(world->pools[i]);
        covey__free(&world->inner->heap, world->pools[i], 1, sizeof(covey_pool), alignof(covey_pool));
    }
    covey__free(&world->inner->heap, world->pools, world->inner->pool_capacity, sizeof *world->pools, alignof(void *));
    covey__free(&world->inner->heap, world->inner->groups, world->inner->group_capacity, sizeof *world->inner->groups,
                alignof(void *));
    covey__types_free(world);
    covey__entities_free(world);
    covey__presence_free(world);
    covey__heap heap = world->inner->heap;
    heap.budget = NULL; /* may be the world's */
    covey__free(&heap, world, 1, sizeof(covey__whole_world), alignof(covey__whole_world));
}

size_t covey_world_memory(const covey_world *world) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    size_t bytes = world->inner->heap.bytes;
    for (uint32_t i = 0; i < COVEY__FEATURES; i++) {
        const covey__feature *feature = world->inner->features[i];
        if (feature && feature->bytes) bytes += feature->bytes(world);
    }
    for (uint32_t i = 0; i < world->pool_count; i++) bytes += covey_pool_memory(world->pools[i]) - sizeof(covey_pool);
    return bytes;
}

uint32_t covey_world_pool_count(const covey_world *world) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    return world->pool_count;
}

covey_pool *covey_world_pool(const covey_world *world, uint32_t number) {
    return number < covey_world_pool_count(world) ? world->pools[number] : NULL;
}

/* Whether an ordered pool has no more holes than .compact_above allows. */
static bool puts_up_with_holes(const covey_pool *pool) {
    const covey_sparse_set *set = covey__packed_in(pool);
    if (!set || set->policy != COVEY_ORDERED) return false;
    return (uint64_t)set->holes * 100 <= (uint64_t)set->end * pool->type->compact_above;
}

void covey_compact(covey_world *world) {
    for (uint32_t i = 0; i < covey_world_pool_count(world); i++)
        if (!puts_up_with_holes(world->pools[i])) covey_pool_compact(world->pools[i], NULL, NULL);
    covey__kinds_trim(world);
}

void covey_shrink(covey_world *world) {
    for (uint32_t i = 0; i < covey_world_pool_count(world); i++) covey_pool_shrink(world->pools[i]);
    for (uint32_t i = 0; i < COVEY__FEATURES; i++) {
        const covey__feature *feature = world->inner->features[i];
        if (feature && feature->shrink) feature->shrink(world);
    }
}

/* ---- Components --------------------------------------------------------------------------------------------------*/

static COVEY__NOINLINE void *absent(covey_world *world, covey_entity e, const covey_type *type) {
    covey__fail_without(world, e, type);
    return NULL;
}

static inline void *present(covey_world *world, covey_entity e, const covey_type *type, const covey_pool *pool) {
    void *value = pool ? covey__pool_get(pool, e, type->size) : NULL;
    return value ? value : absent(world, e, type);
}

/* Replacing and patching in an observed pool, whose queues may need memory. */
static COVEY__NOINLINE bool replace_observed(covey_pool *pool, covey_entity e, void *value) {
    void *old = present(pool->world, e, pool->type, pool);
    if (!old || !covey__may_be_set(pool, COVEY_ON_SET, e)) return false;
    if (old != value) covey__exchange_values(covey__storage_mover(pool), old, value, pool->size);
    covey__observers_after_set(pool, COVEY_ON_SET, e);
    return true;
}

static COVEY__NOINLINE void *patch_observed(covey_pool *pool, covey_entity e, covey_change_fn *change, void *context) {
    void *value = present(pool->world, e, pool->type, pool);
    if (!value || !covey__may_be_set(pool, COVEY_ON_PATCH, e)) return NULL;
    covey__change_value(pool, change, value, context);
    bool called = covey__observers_after_set(pool, COVEY_ON_PATCH, e);
    COVEY__CHANGED(pool->world);
    return called ? covey__found_again(pool, e) : value;
}

bool covey_replace_raw(covey_world *world, covey_entity e, const covey_type *type, void *value) {
    covey_pool *pool = covey__pool_known(world, type);
    COVEY__CONTRACT(world, value || type->size == 0, "covey_replace needs a value to exchange");
    COVEY__USES(world, type, COVEY__ACCESS_WRITE);
    if (pool && pool->observers) return replace_observed(pool, e, value);
    void *old = present(world, e, type, pool);
    if (old && old != value) covey__swap_values(old, value, pool->size);
    return old != NULL;
}

void *covey_patch_raw(covey_world *world, covey_entity e, const covey_type *type, covey_change_fn *change,
                      void *context) {
    covey_pool *pool = covey__pool_known(world, type);
    COVEY__USES(world, type, COVEY__ACCESS_WRITE);
    if (pool && pool->observers) return patch_observed(pool, e, change, context);
    void *value = present(world, e, type, pool);
    if (value) covey__change_value(pool, change, value, context);
    return value;
}

void *covey_patch_or_add_raw(covey_world *world, covey_entity e, const covey_type *type, covey_change_fn *change,
                             void *context) {
    covey_pool *pool = covey__pool_to_change(world, e, type);
    if (!pool) return NULL;
    if (covey_pool_has(pool, e)) return covey_patch_raw(world, e, type, change, context);
    return covey__pool_add_changed(pool, e, change, context);
}

bool covey_take_raw(covey_world *world, covey_entity e, const covey_type *type, void *value) {
    covey_pool *pool = covey__pool_known(world, type);
    return pool && covey_pool_take_raw(pool, e, value);
}

uint32_t covey_remove_if_raw(covey_world *world, const covey_type *type, covey_condition_fn *remove, void *context) {
    covey_pool *pool = covey__pool_known(world, type);
    return pool ? covey_pool_remove_if(pool, remove, context) : 0;
}

bool covey_get_all_raw(const covey_world *world, covey_entity e, const covey_type *const *types, void **values) {
    COVEY__CONTRACT(NULL, world && types && values, "a call needs a world, a list of types and an array for each");
    bool all = covey_alive(world, e);
    uint32_t count = 0;
    for (; types[count]; count++) {
        values[count] = all ? covey_get_raw(world, e, types[count]) : NULL;
        all = all && values[count];
    }
    for (uint32_t i = 0; i < count && !all; i++) values[i] = NULL;
    return all;
}

bool covey_has_all_raw(const covey_world *world, covey_entity e, const covey_type *const *types) {
    COVEY__CONTRACT(NULL, world && types, "a call needs a world and a list of types");
    if (!covey_alive(world, e)) return false;
    while (*types && covey_has_raw(world, e, *types)) types++;
    return !*types;
}

bool covey_has_any_raw(const covey_world *world, covey_entity e, const covey_type *const *types) {
    COVEY__CONTRACT(NULL, world && types, "a call needs a world and a list of types");
    while (*types && !covey_has_raw(world, e, *types)) types++;
    return *types != NULL;
}

void covey_clear_raw(covey_world *world, const covey_type *type) {
    covey_pool *pool = covey__pool_known(world, type);
    if (pool) covey__pool_clear(pool);
}

/* Tags of reactive sets are not components. */
void covey_clear_components(covey_world *world) {
    for (uint32_t i = 0; i < covey_world_pool_count(world); i++)
        if (!covey__is_reactive(world->pools[i])) covey__pool_clear(world->pools[i]);
}

covey_entity covey_find_raw(const covey_world *world, const covey_type *type, const void *value,
                            covey_equal_fn *equal) {
    const covey_pool *pool = covey__pool_known(world, type);
    if (!pool) return (covey_entity){ 0, 0 };
    size_t size = pool->size;
    bool any = size == 0 || (!equal && !value);
    if (!any) COVEY__USES(world, type, COVEY__ACCESS_READ);
    for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1)) {
        const void *component = covey__pool_value_at(pool, at, size);
        if (any || (equal ? equal(component, value) : memcmp(component, value, size) == 0))
            return covey_pool_at(pool, at);
    }
    return (covey_entity){ 0, 0 };
}

bool covey_is_empty(const covey_world *world, covey_entity e) {
    return covey_alive(world, e) && covey_types_of(world, e, NULL, 0) == 0;
}

uint32_t covey_types_of(const covey_world *world, covey_entity e, const covey_type **types, uint32_t capacity) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    COVEY__NEEDS_ARRAY(world, types, capacity);
    uint32_t count = 0;
    for (covey__present p = covey__present_at(world, e.index, 0); covey__present_next(&p);) {
        if (covey__is_internal(p.pool) || !covey_pool_has(p.pool, e)) continue;
        if (count < capacity) types[count] = p.pool->type;
        count++;
    }
    return count;
}
