/* Every invariant of a world, checked from scratch. Each module checks its own; here is the order in which it happens.
 * Tests call this after each step; so may anybody. */
#include "block_store.h"
#include "commands.h"
#include "enable.h"
#include "entity.h"
#include "group.h"
#include "hierarchy.h"
#include "history.h"
#include "listeners.h"
#include "marks.h"
#include "name.h"
#include "observers.h"
#include "pool.h"
#include "presence.h"
#include "queue.h"
#include "reactive.h"
#include "resource.h"
#include "result.h"
#include "signal.h"
#include "storage.h"
#include "type.h"
#include "watch.h"

#include <covey/commands.h>

/* What a pool knows of the block that is being filled. */
static bool validate_filling(const covey_world *world, const covey_pool *pool, const char **why) {
    const covey__filling *filling = &pool->filling;
    if (filling->block == COVEY_NONE) return true;
    uint32_t index = filling->block * 64, block = covey__block_of(index);
    REQUIRE(!covey__packed_in(pool) && covey__blocks_have_page(&pool->blocks, index / COVEY__BLOCK_PAGE),
            "filling: a block that does not exist");
    const covey__block_page *page = covey__block_page_of(&pool->blocks, index);
    REQUIRE(page->capacity[block] == 64 && page->masks[block] != 0, "filling: a block that is not direct, or empty");
    REQUIRE(filling->mask == &page->masks[block] && filling->data == page->chunks[block].data,
            "filling: the parts of another block");
    REQUIRE(filling->generations == &world->pages[index / COVEY_PAGE_SIZE]->generation[index % COVEY_PAGE_SIZE],
            "filling: the entities of another block");
    return true;
}

/* What the world knows of the block in which an entity was destroyed last. */
static bool validate_emptying(const covey_world *world, const char **why) {
    const covey__emptying *emptying = &world->emptying;
    uint32_t index = emptying->block * 64, block = covey__block_of(index), found = 0;
    if (emptying->block == COVEY_NONE || emptying->moves != world->moves) return true;
    REQUIRE(emptying->page == covey__entity_page_of(world, index), "emptying: the entities of another block");
    for (uint32_t i = 0; i < world->pool_count; i++) {
        const covey_pool *pool = world->pools[i];
        bool unmarked = covey__is_reactive(pool) && covey__block_next(&pool->blocks, index) / 64 != emptying->block;
        if (!covey__storage_is_present(pool, index) || unmarked) continue;
        REQUIRE(found < emptying->count && emptying->pools[found] == pool, "emptying: a pool is missing");
        REQUIRE(pool->plain, "emptying: a pool whose values need care");
        const covey__block_page *page = covey__block_page_of(&pool->blocks, index);
        REQUIRE(page->capacity[block] == 64, "emptying: a block that is not direct");
        REQUIRE(emptying->masks[found] == &page->masks[block], "emptying: the mask of another block");
        found++;
    }
    REQUIRE(found == emptying->count, "emptying: a pool that has nothing there");
    return true;
}

/* What the world itself takes: everything but the insides of its pools. */
static size_t counted_world_bytes(const covey_world *world) {
    size_t bytes = sizeof *world + covey__made_type_bytes(world) + covey__resource_bytes(world);
    bytes += world->page_count * sizeof *world->pages + world->pool_capacity * sizeof *world->pools;
    bytes += world->pool_count * sizeof(covey_pool) + world->reserved_capacity * sizeof(covey__range);
    bytes += ((size_t)world->type_mask + 1) * sizeof *world->types + covey__presence_bytes(world);
    bytes += covey__names_bytes(world) + world->borrowed;
    bytes += world->group_capacity * sizeof *world->groups + world->group_count * sizeof(covey_group);
    bytes += covey__queues_bytes(world) + covey__reactives_bytes(world);
    if (world->listeners) bytes += sizeof *world->listeners + covey__listeners_bytes(world->listeners);
    for (uint32_t i = 0; i < world->pool_count; i++) bytes += covey__watch_bytes(world->pools[i]);
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
    REQUIRE(world->heap.bytes == counted_world_bytes(world), "world: bytes that are not accounted for");
    for (uint32_t i = 0; i < world->pool_count; i++) {
        const covey_pool *pool = world->pools[i];
        if (!covey__pool_valid(world, pool, why) || !validate_filling(world, pool, why)) return false;
        if (!covey__watch_valid(pool, why)) return false;
    }
    return covey__groups_valid(world, why) && covey__presence_valid(world, why) && validate_emptying(world, why) &&
           covey__signals_valid(world, why) && covey__queues_valid(world, why) && covey__reactives_valid(world, why) &&
           covey__hierarchy_valid(world, why) && covey__names_valid(world, why) && covey__resources_valid(world, why) &&
           covey__histories_valid(world, why);
}

void covey__changed(const covey_world *world) {
    const char *why = "";
    if (!covey_world_validate(world, &why)) covey__contract_broken(world, why, __FILE__, __LINE__);
}
