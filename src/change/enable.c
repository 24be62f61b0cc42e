/* Enabling and disabling. A disabled entity has an internal tag; all groups exclude it, and so do views that do not
 * ask for disabled entities. A disabled component has a bit in a table of its pool. */
#include "change/enable.h"

#include "memory/inner.h"
#include "storage/block_store.h"
#include "observe/members.h"
#include "observe/observers.h"
#include "memory/pages.h"
#include "change/pool.h"
#include "memory/result.h"
#include "storage/storage.h"
#include "storage/type.h"

#include <stdalign.h>

static covey_result fail_to(covey_world *world, covey_result result, covey_entity e, const char *what) {
    return covey__fail(world, result, "%u:%u could not %s: %s", e.index, e.generation, what, covey__reason(result));
}

/* ---- Entities ----------------------------------------------------------------------------------------------------*/

covey_result covey_disable(covey_world *world, covey_entity e) {
    if (COVEY__IN_HOOK(world)) return COVEY_ERROR_REFUSED;
    if (!covey_alive(world, e)) return fail_to(world, COVEY_ERROR_DEAD, e, "be disabled");
    covey_pool *pool = covey__pool_of_disabled(world);
    bool disabled = pool && (covey__has_index(pool, e.index) || covey_pool_add_raw(pool, e, NULL));
    return disabled ? COVEY_OK : covey_world_result(world);
}

covey_result covey_enable(covey_world *world, covey_entity e) {
    if (COVEY__IN_HOOK(world)) return COVEY_ERROR_REFUSED;
    if (!covey_alive(world, e)) return fail_to(world, COVEY_ERROR_DEAD, e, "be enabled");
    if (world->inner->disabled) covey_pool_remove_raw(world->inner->disabled, e);
    return COVEY_OK;
}

bool covey_is_enabled(const covey_world *world, covey_entity e) {
    return covey_alive(world, e) && !covey__has_index(world->inner->disabled, e.index);
}

/* ---- Components --------------------------------------------------------------------------------------------------*/

/* The page of bits for an index. With the first page, the pool becomes observed. */
uint64_t *covey__disabled_reach(covey_pool *pool, uint32_t index) {
    covey_world *world = pool->world;
    covey__observers *observers = covey__pool_observers(pool);
    if (!observers) return NULL;
    bool first = !observers->disabled.at;
    uint64_t *page = covey__pages_reach(&world->inner->heap, &observers->disabled, index, covey__block_limit(world),
                                        COVEY__DISABLED_BYTES);
    if (page && first) {
        world->inner->hiding++;
        covey__groups_update(pool);
    } else if (!page) {
        covey__pool_unobserve(pool);
    }
    return page;
}

/* The pool that has a component, or NULL. */
static covey_pool *pool_with(const covey_world *world, covey_entity e, const covey_type *type) {
    covey_pool *pool = covey__pool_known(world, type);
    return pool && covey_pool_has(pool, e) ? pool : NULL;
}

covey_result covey_component_disable_raw(covey_world *world, covey_entity e, const covey_type *type) {
    if (COVEY__IN_HOOK(world)) return COVEY_ERROR_REFUSED;
    covey_pool *pool = pool_with(world, e, type);
    if (!pool) return covey__fail_without(world, e, type);
    if (covey__component_is_disabled(pool, e.index)) return COVEY_OK;
    uint64_t *page = covey__disabled_reach(pool, e.index);
    if (!page) return fail_to(world, COVEY_ERROR_MEMORY, e, "get a disabled component");
    page[covey__block_of(e.index)] |= (uint64_t)1 << e.index % COVEY__BLOCK_IDS;
    COVEY__TRACE(pool->world, pool->removed, e.index);
    covey__groups_review(pool, e.index);
    COVEY__CHANGED(world);
    return COVEY_OK;
}

covey_result covey_component_enable_raw(covey_world *world, covey_entity e, const covey_type *type) {
    if (COVEY__IN_HOOK(world)) return COVEY_ERROR_REFUSED;
    covey_pool *pool = pool_with(world, e, type);
    if (!pool) return covey__fail_without(world, e, type);
    if (!covey__component_is_disabled(pool, e.index)) return COVEY_OK;
    uint64_t *page = covey__page_at(&pool->observers->disabled, e.index);
    page[covey__block_of(e.index)] &= ~((uint64_t)1 << e.index % COVEY__BLOCK_IDS);
    COVEY__TRACE(pool->world, pool->added, e.index);
    covey__groups_review(pool, e.index);
    COVEY__CHANGED(world);
    return COVEY_OK;
}

bool covey_component_is_enabled_raw(const covey_world *world, covey_entity e, const covey_type *type) {
    const covey_pool *pool = pool_with(world, e, type);
    return pool && !covey__component_is_disabled(pool, e.index);
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

bool covey__disabled_valid(const covey_world *world, const char **why) {
    uint32_t hiding = 0;
    REQUIRE(world->inner->disabled == covey__pool_bound(world, &covey_type_covey_disabled),
            "disabled: world->disabled is not the pool of covey.disabled");
    for (uint32_t i = 0; i < world->pool_count; i++) hiding += covey__may_hide(world->pools[i]);
    REQUIRE(hiding == world->inner->hiding,
            "disabled: world->hiding is not the number of pools with disabled components");
    REQUIRE(world->inner->tick != 0, "ticks: no tick");
    return true;
}
