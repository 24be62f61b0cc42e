/* Switching shortcuts on: for adding to, or destroying, neighbours one after the other. */
#include "storage/shortcut_on.h"

#include "memory/inner.h"
#include "storage/block_store.h"
#include "memory/lines.h"
#include "storage/presence.h"
#include "memory/result.h"
#include "storage/storage.h"

/* ---- Adding ------------------------------------------------------------------------------------------------------*/

/* The generations of the entities of a block. */
static const uint32_t *generations_of(const covey_world *world, uint32_t block) {
    return world->pages[block * COVEY__BLOCK_IDS / COVEY_PAGE_SIZE]->generation +
           block * COVEY__BLOCK_IDS % COVEY_PAGE_SIZE;
}

/* Adding id by id does not note when a block becomes full. */
static void note_filled(covey_pool *pool) {
    const covey__filling *filling = &pool->filling;
    if (filling->block == COVEY__NO_BLOCK || *filling->mask != UINT64_MAX) return;
    uint32_t index = filling->block * COVEY__BLOCK_IDS;
    covey__block_page_of(&pool->block_store, index)->full |= (uint64_t)1 << covey__block_of(index);
}

void covey__fast_add_on(covey_pool *pool, uint32_t index) {
    note_filled(pool);
    covey__block_page *page = covey__block_page_of(&pool->block_store, index);
    uint32_t block = covey__block_of(index);
    bool fast = page->capacity[block] == COVEY__BLOCK_IDS && COVEY_PAGE_SIZE >= COVEY__BLOCK_IDS && !pool->observers &&
                !pool->world->dying;
    pool->filling = (covey__filling){
        .block = fast ? index / COVEY__BLOCK_IDS : COVEY__NO_BLOCK,
        .mask = &page->masks[block],
        .data = page->chunks[block].data,
        .generations = generations_of(pool->world, index / COVEY__BLOCK_IDS),
    };
}

bool covey__fast_add_valid(const covey_pool *pool, const char **why) {
    const covey__filling *filling = &pool->filling;
    if (filling->block == COVEY__NO_BLOCK) return true;
    uint32_t index = filling->block * COVEY__BLOCK_IDS, block = covey__block_of(index);
    REQUIRE(!covey__packed_in(pool) && covey__blocks_have_page(&pool->block_store, index / COVEY__BLOCK_PAGE),
            "filling: a block that does not exist");
    const covey__block_page *page = covey__block_page_of(&pool->block_store, index);
    REQUIRE(page->capacity[block] == COVEY__BLOCK_IDS && page->masks[block] != 0,
            "filling: a block that is not direct, or empty");
    REQUIRE(filling->mask == &page->masks[block] && filling->data == page->chunks[block].data,
            "filling: the parts of another block");
    REQUIRE(filling->generations == generations_of(pool->world, filling->block),
            "filling: the entities of another block");
    REQUIRE(!pool->observers, "filling: an observer is not told");
    return true;
}

/* ---- Destroying --------------------------------------------------------------------------------------------------*/

/* Whether destroying calls no listener. While a listener is called, any entity may be the one it is called for. */
static bool is_unheard(const covey_world *world) { return !world->inner->emission && !world->listeners; }

/* A reactive set is marked in the presence index wherever it may collect entities. Its first mark in a block switches
 * the shortcut off. */
static bool is_unmarked(const covey_pool *pool, uint32_t index) {
    return pool->plain && covey__block_page_of(&pool->block_store, index)->masks[covey__block_of(index)] == 0;
}

/* Notes the masks of the pools that are present; false if removing from one takes more than clearing a bit. */
static bool find_masks(covey_world *world, uint32_t index) {
    covey__emptying *emptying = &world->emptying;
    uint32_t block = covey__block_of(index), count = 0;
    for (covey__present p = covey__present_at(world, index, 0); covey__present_next(&p);) {
        if (is_unmarked(p.pool, index)) continue;
        if (!p.pool->plain || count == COVEY__EMPTYING_POOLS) return false;
        covey__block_page *page = covey__block_page_of(&p.pool->block_store, index);
        if (page->capacity[block] != COVEY__BLOCK_IDS) return false;
        emptying->masks[count] = &page->masks[block];
        emptying->pools[count++] = p.pool;
        covey__prefetch_line(page->chunks[block].data); /* soon to be freed */
    }
    emptying->count = count;
    return true;
}

void covey__fast_destroy_on(covey_world *world, uint32_t index) {
    covey__emptying *emptying = &world->emptying;
    bool beside = covey__is_beside_destroyed(world, index); /* scattered destroys do not benefit */
    covey__fast_destroy_skip(world, index);
    if (!beside || COVEY_PAGE_SIZE < COVEY__BLOCK_IDS || world->inner->reserved_count != 0 || !is_unheard(world))
        return;
    if (!find_masks(world, index)) return;
    emptying->page = world->pages[index / COVEY_PAGE_SIZE];
    emptying->moves = world->moves;
    emptying->block = index / COVEY__BLOCK_IDS;
}

bool covey__fast_destroy_valid(const covey_world *world, const char **why) {
    const covey__emptying *emptying = &world->emptying;
    uint32_t index = emptying->block * COVEY__BLOCK_IDS, block = covey__block_of(index), found = 0;
    if (emptying->block == COVEY__NO_BLOCK || emptying->moves != world->moves) return true;
    REQUIRE(is_unheard(world), "emptying: a listener is not told");
    REQUIRE(world->inner->reserved_count == 0, "emptying: indices of another range");
    REQUIRE(emptying->page == world->pages[index / COVEY_PAGE_SIZE], "emptying: the entities of another block");
    for (covey__present p = covey__present_at(world, index, 0); covey__present_next(&p);) {
        if (is_unmarked(p.pool, index)) continue;
        REQUIRE(found < emptying->count && emptying->pools[found] == p.pool, "emptying: a pool is missing");
        REQUIRE(p.pool->plain, "emptying: a pool that is not plain");
        const covey__block_page *page = covey__block_page_of(&p.pool->block_store, index);
        REQUIRE(page->capacity[block] == COVEY__BLOCK_IDS, "emptying: a block that is not direct");
        REQUIRE(emptying->masks[found] == &page->masks[block], "emptying: the mask of another block");
        found++;
    }
    REQUIRE(found == emptying->count, "emptying: a pool that has nothing there");
    return true;
}
