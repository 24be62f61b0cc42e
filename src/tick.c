/* Change ticks: a world's time, and for each component of a type with ticks when it was changed last. A component was
 * changed at the later of two ticks: its own, and that of its block as a whole; so a span over full blocks notes one
 * number for 64 values. A component that is removed leaves its tick behind; the next one at its index notes its own. */
#include "tick.h"

#include "block_store.h"
#include "pages.h"
#include "watch.h"

uint64_t covey_tick(const covey_world *world) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    return world->tick;
}

uint64_t covey_tick_advance(covey_world *world) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    return world->tick++;
}

uint64_t covey_changed_at_raw(const covey_world *world, covey_entity e, const covey_type *type) {
    const covey_pool *pool = covey__pool_known(world, type);
    return pool && pool->type->ticks && covey_pool_has(pool, e) ? covey__ticks_of(pool, e.index) : 0;
}

/* ---- Pages -------------------------------------------------------------------------------------------------------*/

bool covey__ticks_reach(covey_pool *pool, uint32_t index) {
    covey_world *world = pool->world;
    return covey__pages_reach(&world->heap, &pool->watch->ticks, index, covey__block_limit(world),
                              sizeof(covey__tick_page)) != NULL;
}

static covey__tick_page *page_of(const covey_pool *pool, uint32_t index) {
    return pool->watch->ticks.at[index / COVEY__BLOCK_PAGE];
}

/* ---- Noting ------------------------------------------------------------------------------------------------------*/

void covey__ticks_note(const covey_pool *pool, uint32_t index) {
    covey__tick_page *page = page_of(pool, index);
    page->latest[covey__block_of(index)] = page->each[index % COVEY__BLOCK_PAGE] = pool->world->tick;
}

void covey__ticks_put(const covey_pool *pool, uint32_t index, uint64_t tick) {
    covey__tick_page *page = page_of(pool, index);
    uint64_t *latest = &page->latest[covey__block_of(index)];
    page->each[index % COVEY__BLOCK_PAGE] = tick;
    if (tick > *latest) *latest = tick;
}

void covey__ticks_note_block(const covey_pool *pool, uint32_t index) {
    covey__tick_page *page = page_of(pool, index);
    page->latest[covey__block_of(index)] = page->whole[covey__block_of(index)] = pool->world->tick;
}

void covey__ticks_note_run(const covey_pool *pool, uint32_t first, uint32_t count) {
    for (uint32_t i = 0; i < count;) {
        bool whole = (first + i) % 64 == 0 && count - i >= 64;
        (whole ? covey__ticks_note_block : covey__ticks_note)(pool, first + i);
        i += whole ? 64 : 1;
    }
}

/* ---- Asking ------------------------------------------------------------------------------------------------------*/

uint64_t covey__ticks_of(const covey_pool *pool, uint32_t index) {
    const covey__tick_page *page = page_of(pool, index);
    uint64_t whole = page->whole[covey__block_of(index)], own = page->each[index % COVEY__BLOCK_PAGE];
    return whole > own ? whole : own;
}

uint64_t covey__ticks_since(const covey_pool *pool, uint32_t first, uint64_t ids, uint64_t since) {
    const covey__tick_page *page = ids != 0 ? page_of(pool, first) : NULL;
    uint32_t block = covey__block_of(first);
    if (!page || page->latest[block] <= since) return 0;
    if (page->whole[block] > since) return ids;
    const uint64_t *each = page->each + first % COVEY__BLOCK_PAGE;
    uint64_t found = 0;
    for (uint64_t left = ids; left != 0; left &= left - 1)
        found |= (uint64_t)(each[covey__lowest_bit(left)] > since) << covey__lowest_bit(left);
    return found;
}
