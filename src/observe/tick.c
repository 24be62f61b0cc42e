/* Change ticks: the time of a world and, for each component of a type with ticks, when it last changed. That is the
 * later of two ticks: the component's own, and the tick of its whole block. So a span over full blocks writes one
 * number for 64 values. A removed component leaves its tick behind; the next component at its index writes its own.
 *
 * Most queries ask for changes since the previous query, and since then a block has usually changed at one tick only.
 * So a block stores a mask of the ids that changed at its latest tick, and the tick of the change before. If the query
 * does not reach back to that, it reads no tick of a component. */
#include "observe/tick.h"

#include "memory/inner.h"
#include "storage/block_store.h"
#include "memory/lines.h"
#include "observe/filing.h"
#include "observe/observers.h"
#include "memory/pages.h"
#include "memory/result.h"
#include "memory/tick_page.h"

uint64_t covey_tick(const covey_world *world) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    return world->inner->tick;
}

uint64_t covey_tick_advance(covey_world *world) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    if (COVEY__IN_HOOK(world)) return world->inner->tick;
    return world->inner->tick++;
}

uint64_t covey_changed_at_raw(const covey_world *world, covey_entity e, const covey_type *type) {
    const covey_pool *pool = covey__pool_known(world, type);
    COVEY__USES(world, type, COVEY__ACCESS_READ);
    return pool && pool->type->ticks && covey_pool_has(pool, e) ? covey__ticks_of(pool, e.index) : 0;
}

/* ---- Pages -------------------------------------------------------------------------------------------------------*/

bool covey__ticks_reach(covey_pool *pool, uint32_t index) {
    covey_world *world = pool->world;
    covey__pages *ticks = &pool->observers->ticks;
    return COVEY__LIKELY(covey__has_tick_block(covey__page_at(ticks, index), covey__block_of(index))) ||
           covey__tick_pages_reach(&world->inner->heap, ticks, index, covey__block_limit(world));
}

static const covey__tick_page *tick_page_of(const covey_pool *pool, uint32_t index) {
    return pool->observers->ticks.at[index / COVEY__BLOCK_PAGE];
}

/* ---- Noting ------------------------------------------------------------------------------------------------------*/

void covey__ticks_share(covey_world *world) {
    if (COVEY__GET_WORD(world->inner->shared_tick) != world->inner->tick)
        COVEY__PUT_WORD(world->inner->shared_tick, world->inner->tick);
}

/* Several threads cannot change one mask, but all can write the same tick. Equal ticks mean that the mask is not
 * known. */
static COVEY__NOINLINE void note_shared(covey__tick_block *block, uint64_t now) {
    COVEY__PUT_WORD(block->latest, now);
    COVEY__PUT_WORD(block->before, now);
}

static void note_in_block(const covey_world *world, covey__tick_block *block, uint64_t ids) {
    uint64_t now = world->inner->tick;
    if (!COVEY__LIKELY(COVEY__GET_WORD(world->inner->shared_tick) != now)) {
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

static void note_at(const covey_world *world, covey__ticked at, uint32_t index) {
    *at.ticks = world->inner->tick;
    note_in_block(world, at.block, (uint64_t)1 << index % COVEY__BLOCK_IDS);
}

static COVEY__NOINLINE void note_among_few(const covey_world *world, const covey__tick_page *page, uint32_t index) {
    note_at(world, covey__ticked_at(page, index), index);
}

/* Lookups learn of the change, too. */
static COVEY__NOINLINE void note_in_filing(const covey_pool *pool, uint32_t first, uint64_t ids) {
    const covey__inner *inner = pool->world->inner;
    covey__filing_note(pool->observers->filing, first, ids, COVEY__GET_WORD(inner->shared_tick) == inner->tick);
}

static void note_change(const covey_pool *pool, uint32_t first, uint64_t ids) {
    if (!COVEY__LIKELY(!pool->observers->filing)) note_in_filing(pool, first, ids);
}

void covey__ticks_note(const covey_pool *pool, uint32_t index) {
    const covey__tick_page *page = tick_page_of(pool, index);
    note_change(pool, index, (uint64_t)1 << index % COVEY__BLOCK_IDS);
    if (COVEY__LIKELY(covey__tick_page_is_full(page))) note_at(pool->world, covey__ticked_in_full(page, index), index);
    else note_among_few(pool->world, page, index);
}

void covey__ticks_note_ids(const covey_pool *pool, uint32_t first, uint64_t ids) {
    covey__ticked at = covey__ticked_at(tick_page_of(pool, first), first);
    note_change(pool, first, ids);
    if (ids == UINT64_MAX) at.block->whole = pool->world->inner->tick;
    for (uint64_t left = ids != UINT64_MAX ? ids : 0; left != 0; left &= left - 1)
        at.ticks[covey__lowest_bit(left)] = pool->world->inner->tick;
    note_in_block(pool->world, at.block, ids);
}

void covey__ticks_note_run(const covey_pool *pool, uint32_t first, uint32_t count) {
    for (uint32_t i = 0, some; i < count; i += some) {
        uint32_t bit = (first + i) % COVEY__BLOCK_IDS;
        some = count - i < COVEY__BLOCK_IDS - bit ? count - i : COVEY__BLOCK_IDS - bit;
        covey__ticks_note_ids(pool, first + i - bit, UINT64_MAX >> (COVEY__BLOCK_IDS - some) << bit);
    }
}

/* Ticks may come in any order: a component in the mask may get an older tick. */
void covey__ticks_put(const covey_pool *pool, uint32_t index, uint64_t tick) {
    covey__ticked at = covey__ticked_at(tick_page_of(pool, index), index);
    covey__tick_block *block = at.block;
    uint64_t id = (uint64_t)1 << index % COVEY__BLOCK_IDS;
    note_change(pool, index, id);
    *at.ticks = tick;
    if (tick > block->latest) *block = (covey__tick_block){ tick, 0, block->latest, block->whole };
    if (tick == block->latest) block->newest |= id;
    else if (block->whole != block->latest) block->newest &= ~id;
    if (tick < block->latest && tick > block->before) block->before = tick;
}

/* ---- Asking ------------------------------------------------------------------------------------------------------*/

static uint64_t tick_at(covey__ticked at, uint32_t index) {
    const covey__tick_block *block = at.block;
    bool newest = (block->newest >> index % COVEY__BLOCK_IDS & 1) != 0;
    if (newest && COVEY__GET_WORD(block->before) != COVEY__GET_WORD(block->latest)) return block->latest;
    uint64_t own = *at.ticks;
    return block->whole > own ? block->whole : own;
}

static COVEY__NOINLINE uint64_t tick_among_few(const covey__tick_page *page, uint32_t index) {
    return tick_at(covey__ticked_at(page, index), index);
}

uint64_t covey__ticks_of(const covey_pool *pool, uint32_t index) {
    const covey__tick_page *page = tick_page_of(pool, index);
    if (!COVEY__LIKELY(covey__tick_page_is_full(page))) return tick_among_few(page, index);
    return tick_at(covey__ticked_in_full(page, index), index);
}

uint32_t covey__ticks_next_page(const covey_pool *pool, uint32_t page) {
    const covey__pages *ticks = &pool->observers->ticks;
    while (page < ticks->count && !ticks->at[page]) page++;
    return page;
}

/* Prefetches the blocks of a full page. Does not check whether the page is full, which would wait for its first
 * line. */
static void prefetch_blocks(const covey__tick_page *page) {
    for (size_t at = 0; page && at < sizeof *page + COVEY__PAGE_BLOCKS * sizeof *page->blocks; at += 64)
        covey__prefetch_line((const char *)page + at);
}

static COVEY__NOINLINE uint64_t few_blocks_since(const covey__tick_page *page, uint64_t since) {
    uint64_t found = 0;
    for (uint64_t left = page->there; left != 0; left &= left - 1) {
        uint32_t block = covey__lowest_bit(left);
        found |= (uint64_t)(COVEY__GET_WORD(page->blocks[page->places[block]].latest) > since) << block;
    }
    return found;
}

uint64_t covey__tick_blocks_since(const covey_pool *pool, uint32_t number, uint64_t since) {
    const covey__tick_page *page = covey__page_at(&pool->observers->ticks, number * COVEY__BLOCK_PAGE);
    uint64_t found = 0;
    prefetch_blocks(covey__page_at(&pool->observers->ticks, (number + 1) * COVEY__BLOCK_PAGE));
    if (!page) return 0;
    if (!COVEY__LIKELY(covey__tick_page_is_full(page))) return few_blocks_since(page, since);
    for (uint32_t block = 0; block < COVEY__PAGE_BLOCKS; block++)
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

COVEY_HOT uint64_t later_at(covey__ticked at, uint64_t ids, uint64_t since) {
    const covey__tick_block *block = at.block;
    if (COVEY__GET_WORD(block->latest) <= since) return 0;
    if (COVEY__GET_WORD(block->before) <= since) return block->newest & ids;
    return block->whole > since ? ids : compare_each(at.ticks, ids, since);
}

static COVEY__NOINLINE uint64_t later_among_few(const covey__tick_page *page, uint32_t first, uint64_t ids,
                                                uint64_t since) {
    bool there = covey__has_tick_block(page, covey__block_of(first));
    return there ? later_at(covey__ticked_at(page, first), ids, since) : 0;
}

uint64_t covey__ticks_since(const covey_pool *pool, uint32_t first, uint64_t ids, uint64_t since) {
    const covey__tick_page *page = ids != 0 ? covey__page_at(&pool->observers->ticks, first) : NULL;
    if (!page) return 0;
    if (!COVEY__LIKELY(covey__tick_page_is_full(page))) return later_among_few(page, first, ids, since);
    return later_at(covey__ticked_in_full(page, first), ids, since);
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

static bool valid_tick_block(const covey_world *world, covey__ticked at, const char **why) {
    const covey__tick_block *block = at.block;
    REQUIRE(block->latest <= world->inner->tick, "ticks: a block changed after the current tick");
    REQUIRE(block->whole <= block->latest && block->before <= block->latest,
            "ticks: a change is later than the latest tick of the block");
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++) {
        uint64_t tick = block->whole > at.ticks[i] ? block->whole : at.ticks[i];
        bool newest = (block->newest >> i & 1) != 0, known = block->before < block->latest;
        REQUIRE(tick <= block->latest, "ticks: a change is later than the latest tick of the block");
        REQUIRE(!known || newest == (tick == block->latest), "ticks: the mask of the newest ids is wrong");
        REQUIRE(!known || newest || tick <= block->before,
                "ticks: a change is between the last two ticks of the block");
    }
    return true;
}

static bool valid_tick_page(const covey_world *world, const covey__tick_page *page, const char **why) {
    if (!covey__tick_page_valid(page, why)) return false;
    for (uint64_t left = page->there; left != 0; left &= left - 1)
        if (!valid_tick_block(world, covey__ticked_at(page, covey__lowest_bit(left) * COVEY__BLOCK_IDS), why))
            return false;
    return true;
}

bool covey__ticks_valid(const covey_pool *pool, const char **why) {
    const covey__pages *ticks = &pool->observers->ticks;
    REQUIRE(pool->type->ticks || !ticks->at, "ticks: a type without ticks has pages");
    for (uint32_t i = 0; i < ticks->count; i++)
        if (ticks->at[i] && !valid_tick_page(pool->world, ticks->at[i], why)) return false;
    for (uint32_t i = covey_pool_next(pool, 0); pool->type->ticks && i != COVEY_NONE;
         i = covey_pool_next(pool, i + 1)) {
        uint32_t index = covey_pool_at(pool, i).index;
        bool there = covey__has_tick_block(covey__page_at(ticks, index), covey__block_of(index));
        REQUIRE(there && covey__ticks_of(pool, index) != 0, "ticks: a component has no tick");
    }
    return true;
}
