/* Change ticks: a world's time, and for each component of a type with ticks when it was changed last. A component was
 * changed at the later of two ticks: its own, and that of its block as a whole; so a span over full blocks notes one
 * number for 64 values. A component that is removed leaves its tick behind; the next one at its index notes its own.
 *
 * Who asks for changes mostly asks for those since the last time, when no block was changed at more than one tick. So a
 * block knows who was changed at its latest tick, as a mask, and when it was changed before: if that is not asked for, no
 * tick of a component is read. */
#include "tick.h"

#include "block_store.h"
#include "lines.h"
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

static covey__tick_block *block_of(const covey_pool *pool, uint32_t index) {
    return &page_of(pool, index)->blocks[covey__block_of(index)];
}

/* ---- Noting ------------------------------------------------------------------------------------------------------*/

void covey__ticks_share(covey_world *world) {
    if (COVEY__GET_WORD(world->shared_tick) != world->tick) COVEY__PUT_WORD(world->shared_tick, world->tick);
}

/* A mask cannot be changed by several threads, but all can write the same tick: then it is not known who changed. */
static COVEY__NOINLINE void note_shared(covey__tick_block *block, uint64_t now) {
    COVEY__PUT_WORD(block->latest, now);
    COVEY__PUT_WORD(block->before, now);
}

static void note_in_block(const covey_world *world, covey__tick_block *block, uint64_t ids) {
    uint64_t now = world->tick;
    if (!COVEY__LIKELY(COVEY__GET_WORD(world->shared_tick) != now)) {
        note_shared(block, now);
        return;
    }
    if (block->latest != now) {
        block->before = block->latest;
        block->newest = 0;
        block->latest = now;
    }
    block->newest |= ids;
}

void covey__ticks_note(const covey_pool *pool, uint32_t index) {
    page_of(pool, index)->each[index % COVEY__BLOCK_PAGE] = pool->world->tick;
    note_in_block(pool->world, block_of(pool, index), (uint64_t)1 << index % COVEY__BLOCK_IDS);
}

void covey__ticks_note_ids(const covey_pool *pool, uint32_t first, uint64_t ids) {
    covey__tick_block *block = block_of(pool, first);
    uint64_t *each = page_of(pool, first)->each + first % COVEY__BLOCK_PAGE;
    if (ids == UINT64_MAX) block->whole = pool->world->tick;
    for (uint64_t left = ids != UINT64_MAX ? ids : 0; left != 0; left &= left - 1)
        each[covey__lowest_bit(left)] = pool->world->tick;
    note_in_block(pool->world, block, ids);
}

void covey__ticks_note_run(const covey_pool *pool, uint32_t first, uint32_t count) {
    for (uint32_t i = 0, some; i < count; i += some) {
        uint32_t bit = (first + i) % COVEY__BLOCK_IDS;
        some = count - i < COVEY__BLOCK_IDS - bit ? count - i : COVEY__BLOCK_IDS - bit;
        covey__ticks_note_ids(pool, first + i - bit, UINT64_MAX >> (COVEY__BLOCK_IDS - some) << bit);
    }
}

/* In the order of time, or not: then a component that was noted is older now. */
void covey__ticks_put(const covey_pool *pool, uint32_t index, uint64_t tick) {
    covey__tick_block *block = block_of(pool, index);
    uint64_t id = (uint64_t)1 << index % COVEY__BLOCK_IDS;
    page_of(pool, index)->each[index % COVEY__BLOCK_PAGE] = tick;
    if (tick > block->latest) *block = (covey__tick_block){ tick, 0, block->latest, block->whole };
    if (tick == block->latest) block->newest |= id;
    else if (block->whole != block->latest) block->newest &= ~id;
    if (tick < block->latest && tick > block->before) block->before = tick;
}

/* ---- Asking ------------------------------------------------------------------------------------------------------*/

uint64_t covey__ticks_of(const covey_pool *pool, uint32_t index) {
    const covey__tick_block *block = block_of(pool, index);
    bool newest = (block->newest >> index % COVEY__BLOCK_IDS & 1) != 0;
    if (newest && COVEY__GET_WORD(block->before) != COVEY__GET_WORD(block->latest)) return block->latest;
    uint64_t own = page_of(pool, index)->each[index % COVEY__BLOCK_PAGE];
    return block->whole > own ? block->whole : own;
}

uint32_t covey__ticks_next_page(const covey_pool *pool, uint32_t page) {
    const covey__pages *ticks = &pool->observers->ticks;
    while (page < ticks->count && !ticks->at[page]) page++;
    return page;
}

static void prefetch_blocks(const covey__tick_page *page) {
    for (size_t at = 0; page && at < sizeof page->blocks; at += 64) covey__prefetch_line((const char *)page + at);
}

uint64_t covey__tick_blocks_since(const covey_pool *pool, uint32_t number, uint64_t since) {
    const covey__tick_page *page = covey__page_at(&pool->observers->ticks, number * COVEY__BLOCK_PAGE);
    uint64_t found = 0;
    prefetch_blocks(covey__page_at(&pool->observers->ticks, (number + 1) * COVEY__BLOCK_PAGE));
    for (uint32_t block = 0; page && block < COVEY__PAGE_BLOCKS; block++)
        found |= (uint64_t)(COVEY__GET_WORD(page->blocks[block].latest) > since) << block;
    return found;
}

/* Which of eight ticks are later than one. Without a branch. */
static uint64_t later_than(const uint64_t *ticks, uint64_t since) {
#define LATER(I) (uint64_t)(ticks[I] > since) << (I)
    return LATER(0) | LATER(1) | LATER(2) | LATER(3) | LATER(4) | LATER(5) | LATER(6) | LATER(7);
#undef LATER
}

static COVEY__NOINLINE uint64_t compare_each(const uint64_t *each, uint64_t ids, uint64_t since) {
    uint64_t found = 0;
    for (uint32_t bit = 0; bit < COVEY__BLOCK_IDS; bit += 8)
        if ((ids >> bit & 0xff) != 0) found |= later_than(each + bit, since) << bit;
    return found & ids;
}

uint64_t covey__ticks_since(const covey_pool *pool, uint32_t first, uint64_t ids, uint64_t since) {
    const covey__tick_page *page = ids != 0 ? covey__page_at(&pool->observers->ticks, first) : NULL;
    if (!page) return 0;
    const covey__tick_block *block = &page->blocks[covey__block_of(first)];
    if (COVEY__GET_WORD(block->latest) <= since) return 0;
    if (COVEY__GET_WORD(block->before) <= since) return block->newest & ids;
    return block->whole > since ? ids : compare_each(page->each + first % COVEY__BLOCK_PAGE, ids, since);
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

static bool valid_tick_block(const covey_world *world, const covey__tick_block *block, const uint64_t *each,
                             const char **why) {
    REQUIRE(block->latest <= world->tick, "ticks: a change that is to come");
    REQUIRE(block->whole <= block->latest && block->before <= block->latest, "ticks: a change after the last");
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++) {
        uint64_t tick = block->whole > each[i] ? block->whole : each[i];
        bool newest = (block->newest >> i & 1) != 0, known = block->before < block->latest;
        REQUIRE(tick <= block->latest, "ticks: a change after the last");
        REQUIRE(!known || newest == (tick == block->latest), "ticks: others are the newest");
        REQUIRE(!known || newest || tick <= block->before, "ticks: a change between the last two");
    }
    return true;
}

static bool valid_tick_page(const covey_world *world, const covey__tick_page *page, const char **why) {
    for (uint32_t i = 0; i < COVEY__PAGE_BLOCKS; i++)
        if (!valid_tick_block(world, &page->blocks[i], page->each + i * COVEY__BLOCK_IDS, why)) return false;
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
