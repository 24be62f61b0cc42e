/* Finds the pool of a type, or creates it. */
#include "change/pool_of.h"

#include "memory/alloc.h"
#include "memory/hash.h"
#include "observe/members.h"
#include "observe/observers.h"
#include "change/pool.h"
#include "memory/result.h"
#include "storage/type.h"

#include <stdalign.h>

covey_pool *covey_pool_find_raw(const covey_world *world, const covey_type *type) {
    return covey__pool_known(world, type);
}

static covey_pool *pool_create(covey_world *world, const covey_type *type) {
    uint32_t number = world->pool_count;
    covey_pool **pools = covey__reach(&world->heap, world->pools, &world->pool_capacity, number, UINT32_MAX, NULL);
    if (!pools) return NULL;
    world->pools = pools;
    covey_pool *pool = covey__resize(&world->heap, NULL, 0, 1, sizeof *pool, alignof(covey_pool));
    if (!pool) return NULL;
    *pool = (covey_pool){
        .world = world,
        .type = type,
        .name_hash = covey__hash(type->name, strlen(type->name), 0),
        .size = type->size,
        .number = number,
        .uses = (uint8_t)((covey__type_is_internal(type) ? COVEY__USE_INTERNAL : 0) |
                          (type->drop || type->move ? COVEY__USE_SLOW_SET : 0)),
    };
    covey__pool_init(pool, covey__type_storage(type));
    if (covey__type_is_observed(type) && !covey__pool_observers(pool)) {
        covey__free(&world->heap, pool, 1, sizeof *pool, alignof(covey_pool));
        return NULL;
    }
    if (covey__type_is_observed(type)) covey__pool_update_observers(pool);
    world->pools[world->pool_count++] = pool;
    covey__pool_name(world, number);
    covey__types_met(world);
    return pool;
}

/* The pool of a type whose address is new to the world: the pool of that name, or a new one. */
static covey_pool *meet(covey_world *world, const covey_type *type) {
    covey_pool *pool = covey__pool_named(world, type->name);
    if (pool && !covey__type_same_layout(pool->type, type)) {
        covey__fail(world, COVEY_ERROR_LAYOUT,
                    "type %s is refused: a type of this name has another layout; rename one, or describe both alike",
                    type->name);
        return NULL;
    }
    if (!covey__type_reserve(world) || (!pool && !(pool = pool_create(world, type)))) {
        covey__fail(world, COVEY_ERROR_MEMORY, "a pool of %s could not be created: an allocation failed", type->name);
        return NULL;
    }
    covey__type_bind(world, type, pool);
    return pool;
}

covey_pool *covey__pool_of_internal(covey_world *world, const covey_type *type) {
    covey_pool *pool = covey__pool_bound(world, type);
    return pool ? pool : meet(world, type);
}

const covey_type covey_type_covey_disabled = { .name = "covey.disabled", .align = 1, .storage = COVEY_STORAGE_BLOCK };

/* Links the groups to the pool before anything is added. */
covey_pool *covey__pool_of_disabled(covey_world *world) {
    if (world->disabled) return world->disabled;
    covey__observers *observers;
    if (!covey__groups_room(world, &observers)) {
        covey__fail(world, COVEY_ERROR_MEMORY, "a pool of %s could not be created: an allocation failed",
                    covey_type_covey_disabled.name);
        return NULL;
    }
    world->disabled = covey__pool_of_internal(world, &covey_type_covey_disabled);
    if (world->disabled) covey__groups_exclude(world->disabled, observers);
    else if (observers) covey__observers_free(world, observers);
    return world->disabled;
}

covey_pool *covey_pool_of_raw(covey_world *world, const covey_type *type) {
    COVEY__CONTRACT(NULL, world && type, "a call needs a world and a type");
    covey_pool *pool = covey__pool_bound(world, type);
    if (pool) return pool;
    if (COVEY__IN_HOOK(world)) return NULL;
    if (covey__type_valid(type)) return meet(world, type);
    if (type == covey_id(covey_disabled)) return covey__pool_of_disabled(world);
    covey__fail_type(world, type);
    return NULL;
}

/* The pool of a type whose address is not the first that its search finds: bound elsewhere, or new to the world. */
covey_pool *covey__pool_meet(covey_world *world, uint32_t index, uint32_t generation, const covey_type *type) {
    covey_entity e = covey__entity(index, generation);
    if (covey_alive(world, e)) return covey_pool_of_raw(world, type);
    covey__fail(world, COVEY_ERROR_DEAD, "%s could not be added to %u:%u: %s", type->name ? type->name : "(no name)",
                e.index, e.generation, covey__reason(COVEY_ERROR_DEAD));
    return NULL;
}

/* ---- Types that are made at run time ------------------------------------------------------------------------------*/

typedef covey_pool *pool_fn(covey_world *world, const covey_type *type);

/* Copies a description into the world, and creates its pool. */
static const covey_type *make(covey_world *world, const covey_type *description, pool_fn *pool_of) {
    struct covey__made_type *made = covey__type_copy(world, description);
    if (!made) return NULL;
    if (pool_of(world, covey__type_of_copy(made))) return covey__type_kept(world, made);
    covey__type_copy_free(world, made);
    return NULL;
}

const covey_type *covey_type_create(covey_world *world, const covey_type *description) {
    COVEY__CONTRACT(NULL, world && description, "a call needs a world and a type");
    covey_pool *known = covey__type_valid(description) ? covey__pool_like(world, description) : NULL;
    if (known) return known->type;
    return COVEY__IN_HOOK(world) ? NULL : make(world, description, covey_pool_of_raw);
}

const covey_type *covey__type_make_internal(covey_world *world, const covey_type *description) {
    return make(world, description, covey__pool_of_internal);
}
