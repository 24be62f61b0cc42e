/* Change ticks: a world's time, and for each component of a type with ticks when it was changed last. A component was
 * changed at the later of two ticks: its own, and that of its block as a whole; so a span over full blocks notes one
 * number for 64 values. A component that is removed leaves its tick behind; the next one at its index notes its own. */
#include "tick.h"

#include "block_store.h"
#include "observers.h"
#include "pages.h"
#include "result.h"

uint64_t covey_tick(const covey_world *world) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    return world->tick;
}

uint64_t covey_tick_advance(covey_world *world) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    if (COVEY__IN_HOOK(world)) return world->tick;
    return world->tick++;
}

uint64_t covey_changed_at_raw(const covey_world *world, covey_entity e, const covey_type *type) {
    const covey_pool *pool = covey__pool_known(world, type);
    COVEY__USES(world, type, COVEY__ACCESS_READ);
    return pool && pool->type->ticks && covey_pool_has(pool, e) ? covey__ticks_of(pool, e.index) : 0;
}

/* ---- Pages -------------------------------------------------------------------------------------------------------*/

bool covey__ticks_reach(covey_pool *pool, uint32_t index) {
    covey_world *world = pool->world;
    return covey__pages_reach(&world->heap, &pool->observers->ticks, index, covey__block_limit(world),
                              sizeof(covey__tick_page)) != NULL;
}

static covey__tick_page *page_of(const covey_pool *pool, uint32_t index) {
    return pool->observers->ticks.at[index / COVEY__BLOCK_PAGE];
}

/* ---- Noting ------------------------------------------------------------------------------------------------------*/

/* Threads that iterate parts of a sparse pool may have ids of the same block, and then write the same tick. */
void covey__ticks_note(const covey_pool *pool, uint32_t index) {
    covey__tick_page *page = page_of(pool, index);
    page->each[index % COVEY__BLOCK_PAGE] = pool->world->tick;
    COVEY__PUT_WORD(page->some[index % COVEY__BLOCK_PAGE / COVEY__TICK_GROUP], pool->world->tick);
    COVEY__PUT_WORD(page->latest[covey__block_of(index)], pool->world->tick);
}

void covey__ticks_put(const covey_pool *pool, uint32_t index, uint64_t tick) {
    covey__tick_page *page = page_of(pool, index);
    uint64_t *latest = &page->latest[covey__block_of(index)];
    uint64_t *some = &page->some[index % COVEY__BLOCK_PAGE / COVEY__TICK_GROUP];
    page->each[index % COVEY__BLOCK_PAGE] = tick;
    if (tick > *some) *some = tick;
    if (tick > *latest) *latest = tick;
}

void covey__ticks_note_block(const covey_pool *pool, uint32_t index) {
    covey__tick_page *page = page_of(pool, index);
    page->latest[covey__block_of(index)] = page->whole[covey__block_of(index)] = pool->world->tick;
}

void covey__ticks_note_run(const covey_pool *pool, uint32_t first, uint32_t count) {
    for (uint32_t i = 0; i < count;) {
        bool whole = (first + i) % COVEY__BLOCK_IDS == 0 && count - i >= COVEY__BLOCK_IDS;
        (whole ? covey__ticks_note_block : covey__ticks_note)(pool, first + i);
        i += whole ? COVEY__BLOCK_IDS : 1;
    }
}

/* ---- Asking ------------------------------------------------------------------------------------------------------*/

uint64_t covey__ticks_of(const covey_pool *pool, uint32_t index) {
    const covey__tick_page *page = page_of(pool, index);
    uint64_t whole = page->whole[covey__block_of(index)], own = page->each[index % COVEY__BLOCK_PAGE];
    return whole > own ? whole : own;
}

uint32_t covey__ticks_first_page(const covey_pool *pool) {
    const covey__pages *ticks = &pool->observers->ticks;
    uint32_t page = 0;
    while (page < ticks->count && !ticks->at[page]) page++;
    return page;
}

/* Which of a group of ticks are later than one. Without a branch. */
static uint64_t later_than(const uint64_t *ticks, uint64_t since) {
#define LATER(I) (uint64_t)(ticks[I] > since) << (I)
    return LATER(0) | LATER(1) | LATER(2) | LATER(3) | LATER(4) | LATER(5) | LATER(6) | LATER(7);
#undef LATER
}

/* Which groups of a block have a tick that is later. */
static uint64_t later_groups(const uint64_t *some, uint64_t since) {
    uint64_t found = 0;
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS / COVEY__TICK_GROUP; i++)
        found |= (uint64_t)(COVEY__GET_WORD(some[i]) > since) << i;
    return found;
}

uint64_t covey__tick_blocks_since(const covey_pool *pool, uint32_t number, uint64_t since) {
    const covey__tick_page *page = covey__page_at(&pool->observers->ticks, number * COVEY__BLOCK_PAGE);
    uint64_t found = 0;
    for (uint32_t block = 0; page && block < COVEY__PAGE_BLOCKS; block++)
        found |= (uint64_t)(COVEY__GET_WORD(page->latest[block]) > since) << block;
    return found;
}

uint64_t covey__ticks_since(const covey_pool *pool, uint32_t first, uint64_t ids, uint64_t since) {
    const covey__tick_page *page = ids != 0 ? covey__page_at(&pool->observers->ticks, first) : NULL;
    uint32_t block = covey__block_of(first);
    if (!page || COVEY__GET_WORD(page->latest[block]) <= since) return 0;
    if (page->whole[block] > since) return ids;
    const uint64_t *each = page->each + block * COVEY__BLOCK_IDS;
    const uint64_t *some = page->some + block * COVEY__BLOCK_IDS / COVEY__TICK_GROUP;
    uint64_t found = 0;
    for (uint64_t left = later_groups(some, since); left != 0; left &= left - 1) {
        uint32_t first_of_group = covey__lowest_bit(left) * COVEY__TICK_GROUP;
        found |= later_than(each + first_of_group, since) << first_of_group;
    }
    return found & ids;
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

static bool valid_tick_page(const covey_world *world, const covey__tick_page *page, const char **why) {
    for (uint32_t i = 0; i < COVEY__BLOCK_PAGE; i++) {
        uint64_t latest = page->latest[i / COVEY__BLOCK_IDS];
        REQUIRE(page->each[i] <= page->some[i / COVEY__TICK_GROUP], "ticks: a change after the last of its group");
        REQUIRE(page->some[i / COVEY__TICK_GROUP] <= latest && page->whole[i / COVEY__BLOCK_IDS] <= latest,
                "ticks: a change after the last");
        REQUIRE(latest <= world->tick, "ticks: a change that is to come");
    }
    return true;
}

bool covey__ticks_valid(const covey_pool *pool, const char **why) {
    const covey__pages *ticks = &pool->observers->ticks;
    REQUIRE(pool->type->ticks || !ticks->at, "ticks: of a type without");
    for (uint32_t i = 0; i < ticks->count; i++)
        if (ticks->at[i] && !valid_tick_page(pool->world, ticks->at[i], why)) return false;
    for (uint32_t i = covey_pool_next(pool, 0); pool->type->ticks && i != COVEY_NONE;
         i = covey_pool_next(pool, i + 1)) {
        uint32_t index = covey_pool_at(pool, i).index;
        REQUIRE(covey__page_at(ticks, index) && covey__ticks_of(pool, index) != 0, "ticks: a component without");
    }
    return true;
}
