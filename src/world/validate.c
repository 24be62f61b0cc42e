/* All invariants of a world, checked from scratch. Each module checks its own; this file calls them in order. Tests
 * call it after each step; programs may, too. */
#include "memory/inner.h"
#include "storage/block_store.h"
#include "change/commands.h"
#include "memory/dependent.h"
#include "change/enable.h"
#include "change/entity.h"
#include "image/follower.h"
#include "lookup/lookup.h"
#include "query/group.h"
#include "tree/hierarchy.h"
#include "history/history.h"
#include "observe/listeners.h"
#include "storage/marks.h"
#include "tree/name.h"
#include "observe/observers.h"
#include "change/pool.h"
#include "storage/presence.h"
#include "observe/events.h"
#include "observe/queue.h"
#include "query/reactive.h"
#include "change/resource.h"
#include "memory/result.h"
#include "storage/shortcut_on.h"
#include "observe/signal.h"
#include "storage/storage.h"
#include "storage/type.h"
#include "observe/notify.h"

#include <covey/commands.h>

/* The bytes of the world itself: everything except the storages of its pools. */
static size_t counted_world_bytes(const covey_world *world) {
    size_t bytes = sizeof(covey__whole_world) + covey__made_type_bytes(world) + covey__resource_bytes(world);
    bytes += world->page_count * sizeof *world->pages + world->inner->open_words * sizeof *world->inner->open;
    bytes += world->inner->pool_capacity * sizeof *world->pools;
    bytes += world->pool_count * sizeof(covey_pool) + world->inner->reserved_capacity * sizeof(covey__range);
    bytes += ((size_t)world->type_mask + 1) * sizeof *world->types + covey__presence_bytes(world) +
             covey__kinds_bytes(world);
    bytes += covey__names_bytes(world) + world->inner->borrowed;
    bytes +=
        world->inner->group_capacity * sizeof *world->inner->groups + world->inner->group_count * sizeof(covey_group);
    bytes += covey__queues_bytes(world) + covey__reactives_bytes(world) + covey__events_bytes(world);
    if (world->listeners) bytes += sizeof *world->listeners + covey__listeners_bytes(world->listeners);
    for (uint32_t i = 0; i < world->pool_count; i++) bytes += covey__observers_bytes(world->pools[i]);
    bytes += covey__fronts_bytes(world) + covey__lookups_bytes(world);
    for (uint32_t i = 0; i < world->page_count; i++)
        if (covey__entity_page_of(world, i * COVEY_PAGE_SIZE)) bytes += sizeof(covey__entity_page);
    return bytes;
}

bool covey_world_validate(const covey_world *world, const char **why) {
    uint64_t set_aside;
    REQUIRE(world, "world: NULL");
    if (!covey__types_valid(world, why) || !covey__disabled_valid(world, why)) return false;
    if (!covey__entities_valid(world, &set_aside, why)) return false;
    if (!covey__commands_all_valid(world, set_aside, why)) return false;
    REQUIRE(world->inner->heap.bytes == counted_world_bytes(world), "world: bytes that are not accounted for");
    for (uint32_t i = 0; i < world->pool_count; i++) {
        const covey_pool *pool = world->pools[i];
        if (!covey__pool_valid(world, pool, why) || !covey__fast_add_valid(pool, why)) return false;
        if (!covey__observers_valid(pool, why)) return false;
    }
    return covey__groups_valid(world, why) && covey__presence_valid(world, why) &&
           covey__fast_destroy_valid(world, why) && covey__fast_row_valid(world, why) &&
           covey__signals_valid(world, why) && covey__queues_valid(world, why) && covey__events_valid(world, why) &&
           covey__reactives_valid(world, why) && covey__hierarchy_valid(world, why) &&
           covey__lookups_valid(world, why) && covey__names_valid(world, why) && covey__resources_valid(world, why) &&
           covey__dependents_valid(world, why) && covey__followers_valid(world, why) &&
           covey__histories_valid(world, why);
}

void covey__changed(const covey_world *world) {
    const char *why = "";
    if (!covey_world_validate(world, &why)) covey__contract_broken(world, why, __FILE__, __LINE__);
}
