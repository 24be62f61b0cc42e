/* Which entities match a view. An iteration finds the pools of its view once, and again when the world has new types.
 * Occupancy masks then match a page of ids at a time; the other pools are asked about the ids that remain. */
#include "query/match.h"

#include "memory/inner.h"
#include "memory/bits.h"
#include "storage/block_store.h"
#include "change/entity.h"
#include "memory/lines.h"
#include "observe/observers.h"
#include "observe/tick.h"
#include "query/view.h"

enum { FEW = 8 }; /* up to this many blocks of a page are matched one by one */

/* ---- The pools of a view ------------------------------------------------------------------------------------------*/

bool covey__walk_is_old(const covey__walk *walk) { return walk->pools != covey__pools_known(walk->view->world); }

void covey__walk_find_hidden(covey__walk *walk) {
    const covey_world *world = walk->view->world;
    bool components = world->inner->hiding != 0 && (walk->view->asks & COVEY__ASKS_COMPONENTS) == 0;
    walk->hidden = (walk->view->asks & COVEY__ASKS_ENTITIES) == 0 ? world->inner->disabled : NULL;
    walk->hides = walk->hidden || (components && covey__may_hide(walk->lead));
    for (uint32_t i = 0; components && i < covey__view_terms(walk->view); i++)
        walk->hides |= covey__may_hide(walk->columns[i].pool);
    walk->asks_more |= walk->hides;
}

/* Notes which fields have ticks and can be written. */
static void find_ticks(covey__walk *walk) {
    for (uint32_t i = 0; i < walk->view->fields; i++) {
        bool written = (walk->view->reads >> i & 1) == 0,
             ticks = walk->columns[i].pool && walk->columns[i].pool->type->ticks;
        walk->ticked |= (uint16_t)((written && ticks) << i);
    }
}

void covey__walk_find_pools(covey__walk *walk) {
    const covey_view *view = walk->view;
    walk->pools = covey__pools_known(view->world);
    for (uint32_t i = 0; i < covey__view_terms(view); i++)
        if (!walk->columns[i].pool) walk->columns[i].pool = covey_pool_find_raw(view->world, view->types[i]);
    covey__walk_find_hidden(walk);
    find_ticks(walk);
}

void covey__walk_renew(covey__walk *walk) {
    if (covey__walk_is_old(walk)) covey__walk_find_pools(walk);
}

/* ---- Matching one ------------------------------------------------------------------------------------------------*/

COVEY_HOT bool has_terms(const covey_iter *it, uint32_t index, bool hides) {
    const covey_view *view = it->walk.view;
    const covey__column *column = it->walk.columns;
    for (uint32_t i = 0; i < view->with; i++, column++)
        if (!covey__counts(column->pool, index, hides)) return false;
    column += view->optional;
    bool any = view->any == 0;
    for (uint32_t i = 0; i < view->any; i++, column++) any |= covey__counts(column->pool, index, hides);
    for (uint32_t i = 0; i < view->without && any; i++, column++)
        if (covey__counts(column->pool, index, hides)) return false;
    return any;
}

static bool is_hidden(const covey_iter *it, uint32_t index) {
    return covey__has_index(it->walk.hidden, index) || covey__component_is_disabled(it->walk.lead, index);
}

static COVEY__NOINLINE bool matches_slowly(const covey_iter *it, uint32_t index) {
    return has_terms(it, index, true) && !is_hidden(it, index);
}

bool covey__matches(const covey_iter *it, uint32_t index) {
    return COVEY__LIKELY(!it->walk.hides) ? has_terms(it, index, false) : matches_slowly(it, index);
}

/* ---- Matching a page ---------------------------------------------------------------------------------------------*/

static const covey__block_page *page_or_none(const covey_pool *pool, uint32_t page) {
    return pool && covey__in_blocks(pool) ? covey__pool_page(pool, page) : &covey__zeros.blocks;
}

void covey__prefetch_page(const covey_pool *pool, uint32_t page) {
    const char *first = (const char *)covey__pool_page(pool, page);
    for (size_t at = 0; at < offsetof(covey__block_page, chunks); at += 64) covey__prefetch_line(first + at);
}

/* Points the columns to a page. Returns the blocks that all required pools in blocks have. */
static uint64_t point_to_page(covey_iter *it, uint32_t page, covey__page_list *list) {
    uint64_t blocks = covey__walk_blocks(&it->walk, page), full = blocks;
    uint32_t count = 0;
    for (uint32_t i = 0; i < it->walk.view->with; i++) {
        covey__column *column = &it->walk.columns[i];
        if (!covey__in_blocks(column->pool)) continue;
        const covey__block_page *found = page_or_none(column->pool, page);
        column->page = list->pages[count++] = found;
        blocks &= found->summary;
        full &= found->full;
        if (page + 1 < it->walk.end) covey__prefetch_page(column->pool, page + 1);
    }
    list->count = count;
    list->full = full & blocks;
    it->walk.first = page * COVEY__BLOCK_PAGE;
    return blocks;
}

/* Which of these blocks of a page may have matches, by the other terms. */
static uint64_t blocks_of_others(const covey_iter *it, uint32_t page, uint64_t blocks) {
    const covey_view *view = it->walk.view;
    uint64_t any = 0;
    if (it->walk.lead) blocks &= page_or_none(it->walk.lead, page)->summary;
    const covey__column *column = &it->walk.columns[view->with + view->optional];
    for (uint32_t i = 0; i < view->any; i++, column++) {
        bool sparse = column->pool && !covey__in_blocks(column->pool);
        any |= sparse ? UINT64_MAX : page_or_none(column->pool, page)->summary;
    }
    return view->any != 0 ? blocks & any : blocks;
}

/* Which ids of a block are alive. */
static uint64_t alive_mask(const covey_world *world, uint32_t first) {
    uint64_t mask = 0;
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++) mask |= (uint64_t)(covey__generation_of(world, first + i) & 1) << i;
    return mask;
}

/* Which of some ids are in a pool of any storage. */
static uint64_t members(const covey_pool *pool, uint32_t first, uint64_t ids) {
    if (!pool) return 0;
    if (covey__in_blocks(pool))
        return page_or_none(pool, first / COVEY__BLOCK_PAGE)->masks[covey__block_of(first)] & ids;
    uint64_t found = 0;
    for (uint64_t left = ids; left != 0; left &= left - 1)
        found |= (uint64_t)covey__has_index(pool, first + covey__lowest_bit(left)) << covey__lowest_bit(left);
    return found;
}

/* Which of some ids are in a pool and not hidden. */
COVEY_HOT uint64_t seen(const covey_pool *pool, uint32_t first, uint64_t ids, bool hides) {
    if (hides) ids &= ~covey__disabled_mask(pool, first);
    return members(pool, first, ids);
}

/* Which of some ids are enabled, with all their required components. */
static uint64_t enabled(const covey_iter *it, uint32_t first, uint64_t ids) {
    ids &= ~members(it->walk.hidden, first, ids);
    for (uint32_t i = 0; i < it->walk.view->with; i++) ids &= ~covey__disabled_mask(it->walk.columns[i].pool, first);
    return ids;
}

/* Which of some ids had one of the wanted components changed. A component that was removed counts, too. */
static uint64_t changed(const covey_iter *it, uint32_t first, uint64_t ids) {
    uint64_t found = 0;
    for (uint32_t left = it->walk.changed; left != 0 && found != ids; left &= left - 1)
        found |=
            covey__ticks_since(it->walk.columns[covey__lowest_bit(left)].pool, first, ids & ~found, it->walk.since);
    return found;
}

/* Whether all ids of one page are in another page. */
static bool is_within(const covey__block_page *a, const covey__block_page *b) {
    uint64_t outside = 0;
    for (uint32_t block = 0; block < COVEY__PAGE_BLOCKS; block++) outside |= a->masks[block] & ~b->masks[block];
    return outside == 0;
}

/* Whether the view excludes a whole page: masks tell that faster than ticks. */
static bool is_excluded(const covey_iter *it, uint32_t page) {
    const covey_view *view = it->walk.view;
    const covey__column *columns = it->walk.columns, *without = columns + view->with + view->optional + view->any;
    if (it->walk.hides || view->with == 0 || !covey__in_blocks(columns->pool)) return false;
    for (uint32_t i = 0; i < view->without; i++)
        if (page_or_none(without[i].pool, page) != &covey__zeros.blocks &&
            is_within(page_or_none(columns->pool, page), page_or_none(without[i].pool, page)))
            return true;
    return false;
}

/* Which blocks of a page may have changes. */
static uint64_t changed_blocks(const covey_iter *it, uint32_t page) {
    uint64_t found = 0;
    if (is_excluded(it, page)) return 0;
    for (uint32_t left = it->walk.changed; left != 0; left &= left - 1)
        found |= covey__tick_blocks_since(it->walk.columns[covey__lowest_bit(left)].pool, page, it->walk.since);
    return found;
}

/* Filters ids of a block that are in all block pools of a view by its other pools. Skips required pools whose values
 * are looked up anyway, unless the view asks for changes. */
COVEY_HOT uint64_t match_block(const covey_iter *it, uint32_t first, uint64_t ids, bool hides) {
    const covey_view *view = it->walk.view;
    const covey__column *columns = it->walk.columns;
    uint64_t any = 0;
    if (it->walk.lead) ids &= seen(it->walk.lead, first, ids, hides);
    else if (view->with == 0 && view->any == 0) ids &= alive_mask(view->world, first);
    if (hides) ids = enabled(it, first, ids);
    for (uint32_t i = 0; i < view->with && (it->walk.looked_up == 0 || it->walk.changed != 0); i++)
        if (!covey__in_blocks(columns[i].pool)) ids &= members(columns[i].pool, first, ids);
    columns += view->with + view->optional;
    for (uint32_t i = 0; i < view->any; i++) any |= seen(columns[i].pool, first, ids, hides);
    if (view->any != 0) ids &= any;
    columns += view->any;
    for (uint32_t i = 0; i < view->without; i++) ids &= ~seen(columns[i].pool, first, ids, hides);
    return ids;
}

/* Which of some ids are in no pool in blocks that the view excludes. */
static uint64_t not_excluded(const covey_iter *it, uint32_t first, uint64_t ids) {
    const covey_view *view = it->walk.view;
    const covey__column *columns = it->walk.columns + view->with + view->optional + view->any;
    for (uint32_t i = 0; i < view->without; i++)
        if (columns[i].pool && covey__in_blocks(columns[i].pool))
            ids &= ~seen(columns[i].pool, first, ids, it->walk.hides);
    return ids;
}

/* Excluded masks come first, because they cost one load; then ticks, because most ids have not changed. The ids that
 * remain may have to be looked up in sparse pools. */
static COVEY__NOINLINE uint64_t match_block_slowly(const covey_iter *it, uint32_t first, uint64_t ids) {
    if (it->walk.changed != 0) ids = changed(it, first, not_excluded(it, first, ids));
    return ids != 0 ? match_block(it, first, ids, it->walk.hides) : 0;
}

static uint64_t matches_of_block(const covey_iter *it, uint32_t first, uint64_t ids) {
    bool plainly = COVEY__LIKELY(!it->walk.hides && it->walk.changed == 0);
    return plainly ? match_block(it, first, ids, false) : match_block_slowly(it, first, ids);
}

/* Intersects the masks of pages. Small counts are passed as constants, so that the loop is unrolled. */
static inline void match_pages(uint64_t *restrict matches, const covey__block_page *const *pages, uint32_t count) {
    for (uint32_t block = 0; block < COVEY__PAGE_BLOCKS; block++) {
        uint64_t ids = UINT64_MAX;
        for (uint32_t i = 0; i < count; i++) ids &= pages[i]->masks[block];
        matches[block] = ids;
    }
}

/* The same for some blocks only. */
static void match_some(covey_iter *it, const covey__page_list *list, uint64_t blocks) {
    for (; blocks != 0; blocks &= blocks - 1) {
        uint32_t block = covey__lowest_bit(blocks);
        it->matches[block] = UINT64_MAX;
        for (uint32_t i = 0; i < list->count; i++) it->matches[block] &= list->pages[i]->masks[block];
    }
}

/* Matches blocks of a page; those that are full need no masks. */
static void match_blocks(covey_iter *it, const covey__page_list *list, uint64_t blocks) {
    uint64_t others = blocks & ~list->full;
    if (covey__bits_in(others) <= FEW) {
        for (uint64_t left = blocks & list->full; left != 0; left &= left - 1)
            it->matches[covey__lowest_bit(left)] = UINT64_MAX;
        match_some(it, list, others);
        return;
    }
    switch (list->count) {
    case 1: match_pages(it->matches, list->pages, 1); break;
    case 2: match_pages(it->matches, list->pages, 2); break;
    case 3: match_pages(it->matches, list->pages, 3); break;
    default: match_pages(it->matches, list->pages, list->count); break;
    }
}

/* Which of some blocks have matches. Without a branch, because it would often be mispredicted. */
static uint64_t with_matches(const covey_iter *it, uint64_t blocks) {
    uint64_t found = 0;
    for (uint64_t left = blocks; left != 0; left &= left - 1) {
        uint32_t block = covey__lowest_bit(left);
        found |= (uint64_t)(it->matches[block] != 0) << block;
    }
    return found;
}

static uint32_t page_with_changes(const covey__walk *walk, uint32_t page) {
    uint32_t first = walk->end;
    for (uint32_t left = walk->changed; left != 0; left &= left - 1) {
        uint32_t next = covey__ticks_next_page(walk->columns[covey__lowest_bit(left)].pool, page);
        if (next < first) first = next;
    }
    return first;
}

uint32_t covey__page_from(const covey__walk *walk, uint32_t page) {
    if (walk->view->with == 0) page = covey__entities_next_page(walk->view->world, page);
    for (uint32_t i = 0; i < walk->view->with; i++) {
        const covey_pool *pool = walk->columns[i].pool;
        if (covey__in_blocks(pool)) page = covey__blocks_next_page(&pool->block_store, page);
    }
    return walk->changed != 0 ? page_with_changes(walk, page) : page;
}

uint64_t covey__match_page(covey_iter *it, const covey__page_list *list, uint64_t blocks) {
    match_blocks(it, list, blocks);
    return list->count > 1 ? list->full | with_matches(it, blocks & ~list->full) : blocks;
}

/* The matches of a page by components in blocks alone. */
static uint64_t open_plainly(covey_iter *it, uint32_t page, covey__page_list *list) {
    uint64_t blocks = point_to_page(it, page, list);
    return blocks != 0 ? covey__match_page(it, list, blocks) : 0;
}

/* The same by all that the view asks for. */
static uint64_t open_asking_more(covey_iter *it, uint32_t page, covey__page_list *list) {
    const covey__walk *walk = &it->walk;
    uint64_t blocks = walk->changed != 0 ? changed_blocks(it, page) : UINT64_MAX;
    bool exists = walk->view->with != 0 || covey__entities_next_page(walk->view->world, page) == page;
    if (blocks == 0 || !exists) return 0;
    blocks &= point_to_page(it, page, list);
    blocks = blocks_of_others(it, page, blocks);
    match_blocks(it, list, blocks);
    list->full = 0;
    for (uint64_t left = blocks; left != 0; left &= left - 1) {
        uint32_t block = covey__lowest_bit(left);
        it->matches[block] = matches_of_block(it, walk->first + block * COVEY__BLOCK_IDS, it->matches[block]);
    }
    return with_matches(it, blocks);
}

/* There may be millions of unused indices between entities: after a page without matches, pages that do not exist are
 * skipped. */
uint64_t covey__open_page(covey_iter *it, covey__page_list *list) {
    covey__walk *walk = &it->walk;
    covey__walk_renew(walk);
    while (walk->next < walk->end) {
        uint32_t page = walk->next++;
        uint64_t blocks = walk->asks_more ? open_asking_more(it, page, list) : open_plainly(it, page, list);
        if (blocks != 0) return blocks;
        walk->next = covey__page_from(walk, page + 1);
    }
    return 0;
}
