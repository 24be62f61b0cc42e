/* Switching shortcuts on: for adding to, or destroying, neighbours one after the other. */
#include "storage/shortcut_on.h"

#include "memory/inner.h"
#include "storage/block_store.h"
#include "memory/lines.h"
#include "storage/marks.h"
#include "storage/presence.h"
#include "memory/result.h"
#include "storage/storage.h"
#include "storage/type.h"

/* ---- Adding ------------------------------------------------------------------------------------------------------*/

/* The generations of the entities of a block. */
static const uint32_t *generations_of(const covey_world *world, uint32_t block) {
    return world->pages[block * COVEY__BLOCK_IDS / COVEY_PAGE_SIZE]->generation +
           block * COVEY__BLOCK_IDS % COVEY_PAGE_SIZE;
}

/* The shortcuts do not note when a block becomes full; leaving the block does. */
static void note_full(covey_pool *pool, uint32_t index) {
    if (!covey__in_blocks(pool) || !covey__blocks_have_page(&pool->block_store, index / COVEY__BLOCK_PAGE)) return;
    covey__block_page *page = covey__block_page_of(&pool->block_store, index);
    uint32_t block = covey__block_of(index);
    bool full = page->capacity[block] == COVEY__BLOCK_IDS && page->masks[block] == UINT64_MAX;
    page->full |= (uint64_t)full << block;
}

void covey__fast_add_on(covey_pool *pool, uint32_t index) {
    if (pool->filling.block != COVEY__NO_BLOCK) note_full(pool, pool->filling.block * COVEY__BLOCK_IDS);
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

/* ---- Creating ----------------------------------------------------------------------------------------------------*/

/* Finds where a column has the components of a word. */
static void find_column(covey_pool *pool, uint32_t first, covey__row_column *column) {
    covey_sparse_set *set = &pool->sparse_set;
    column->pool = pool;
    column->copies_bytes = !pool->type->copy && covey__type_can_copy(pool->type);
    column->mask = NULL;
    column->used = NULL;
    if (!covey__in_blocks(pool)) {
        column->slots = covey__slot_of(set, first);
        column->end = &set->end;
        return;
    }
    covey__block_page *page = covey__block_page_of(&pool->block_store, first);
    uint32_t block = covey__block_of(first);
    column->mask = &page->masks[block];
    column->data = page->chunks[block].data;
    if (page->capacity[block] == COVEY__BLOCK_IDS) return;
    column->used = &page->used[block];
    column->front = column->used;
    column->ordered = &page->ordered;
    column->map = covey__block_in(&pool->block_store, first).map;
    column->capacity = page->capacity[block];
}

/* Whether inline code knows a column. */
static bool is_inlined(const covey__row_column *column) {
    return column->mask ? !column->used : column->pool->sparse_set.row_room != 0;
}

static covey__row_column *column_of(covey__row *row, uint32_t count, const covey_pool *pool) {
    for (uint32_t i = 0; i < count; i++)
        if (row->columns[i].pool == pool) return &row->columns[i];
    return NULL;
}

/* Lets entities join a front where they lie, if they have all of its components. */
static void join_front(covey__row *row, uint32_t count, covey__front *front) {
    for (uint32_t i = 0; i < front->pool_count; i++)
        if (!column_of(row, count, front->pools[i])) return;
    uint8_t *border = front->by_block ? covey__border_at(front, row->first) : NULL;
    for (uint32_t i = 0; i < front->pool_count; i++) {
        covey__row_column *column = column_of(row, count, front->pools[i]);
        column->front = border;
        column->end = &front->count;
    }
    row->groups[row->joined++] = (covey__row_group){ &front->count, &front->joined, border };
}

/* How many slots each column has, if all are compact blocks of one front, and copy bytes; otherwise 0. */
static uint32_t room_in_front(const covey__row *row, uint32_t count) {
    uint32_t room = row->joined == 1 && row->groups->border ? COVEY__MAPPED_WHOLE : 0;
    for (uint32_t i = 0; i < count && room != 0; i++) {
        const covey__row_column *column = &row->columns[i];
        if (!column->copies_bytes || column->front != row->groups->border) return 0;
        if (column->capacity < room) room = column->capacity;
    }
    return room;
}

void covey__fast_row_on(covey_world *world, uint32_t index, covey__front *const *fronts) {
    const covey__recent_kind *recent = &world->recent;
    covey__row *row = &world->row;
    bool inlined = true;
    for (uint32_t i = 0; row->count != COVEY_NONE && i < row->count; i++) note_full(row->columns[i].pool, row->first);
    covey__fast_row_off(world);
    row->first = index - index % COVEY__BLOCK_IDS;
    row->joined = 0;
    if (recent->cursor->at != row->first || recent->cursor->issues != UINT64_MAX) return;
    for (uint32_t i = 0; i < recent->count; i++) {
        row->columns[i].type = recent->types[i];
        find_column(recent->pools[i], row->first, &row->columns[i]);
        inlined = inlined && is_inlined(&row->columns[i]);
    }
    for (uint32_t i = 0; i < recent->count; i++)
        if (fronts[i] && fronts[i]->pools[0] == recent->pools[i]) join_front(row, recent->count, fronts[i]);
    row->room = room_in_front(row, recent->count);
    covey__entity_page *page = world->pages[index / COVEY_PAGE_SIZE];
    row->free = &page->free[index % COVEY_PAGE_SIZE / 64];
    row->generations = &page->generation[row->first % COVEY_PAGE_SIZE];
    row->moves = world->moves;
    row->count = recent->count;
    if (inlined) row->inlined = recent->count;
}

static bool valid_column(const covey__row *row, const covey__row_column *column, const char **why) {
    const covey_pool *pool = column->pool;
    const covey_sparse_set *set = &pool->sparse_set;
    uint32_t block = covey__block_of(row->first);
    bool same = pool->type == column->type || covey__pool_search(pool->world, column->type) == pool;
    REQUIRE(same, "row: the pool of another type");
    REQUIRE(!pool->observers || pool->adding == COVEY__ADD_TO_GROUP, "row: an observer is not told");
    REQUIRE(covey__in_blocks(pool) == (column->mask != NULL), "row: the place of another storage");
    if (!column->mask) {
        REQUIRE(row->first / COVEY_PAGE_SIZE < set->page_count && covey__set_page(set, row->first / COVEY_PAGE_SIZE) &&
                    column->slots == covey__slot_of(set, row->first),
                "row: the slots of other entities");
        return true;
    }
    REQUIRE(covey__blocks_have_page(&pool->block_store, row->first / COVEY__BLOCK_PAGE), "row: a block without a page");
    const covey__block_page *page = covey__block_page_of(&pool->block_store, row->first);
    bool direct = page->capacity[block] == COVEY__BLOCK_IDS;
    REQUIRE(page->masks[block] != 0, "row: an empty block");
    REQUIRE(column->used == (direct ? NULL : &page->used[block]), "row: a block that has become direct, or compact");
    REQUIRE(column->mask == &page->masks[block] && column->data == page->chunks[block].data,
            "row: the parts of another block");
    return true;
}

bool covey__fast_row_valid(const covey_world *world, const char **why) {
    const covey__row *row = &world->row;
    if (row->count == COVEY_NONE || row->moves != world->moves) return true;
    REQUIRE(!world->listeners, "row: a listener is not told");
    REQUIRE(row->count == world->recent.count && row->first == world->recent.cursor->at &&
                world->recent.cursor->issues == UINT64_MAX,
            "row: indices of another kind");
    const covey__entity_page *page = world->pages[row->first / COVEY_PAGE_SIZE];
    REQUIRE(row->free == &page->free[row->first % COVEY_PAGE_SIZE / 64] &&
                row->generations == &page->generation[row->first % COVEY_PAGE_SIZE],
            "row: the indices of another word");
    for (uint32_t i = 0; i < row->count; i++)
        if (!valid_column(row, &row->columns[i], why)) return false;
    return true;
}

/* ---- Destroying --------------------------------------------------------------------------------------------------*/

/* Whether destroying calls no listener. While a listener is called, any entity may be the one it is called for. */
static bool is_unheard(const covey_world *world) {
    return !world->inner->emission && !world->listeners && world->inner->target_lookups == 0;
}

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
