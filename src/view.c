/* Views: which entities have what. An iteration walks block by block through the ids, 64 at a time, where masks answer;
 * or one entity after the other, through the ids of a sparse set or a list. Rows come in batches of up to 64, as bits
 * of a word; spans are runs of rows whose values follow each other in every column. */
#include "view.h"

#include "bits.h"
#include "block_store.h"
#include "lines.h"
#include "observers.h"
#include "result.h"
#include "storage.h"
#include "tick.h"
#include "type.h"
#include "view_rules.h"

/* ---- Making ------------------------------------------------------------------------------------------------------*/

static uint32_t term_count(const covey_type *const *types) {
    uint32_t count = 0;
    while (count < COVEY_TERMS && types[count]) count++;
    return count;
}

static uint32_t find_term(const covey_view *view, uint32_t count, const covey_type *type) {
    for (uint32_t i = 0; i < count; i++)
        if (view->types[i] == type || strcmp(view->types[i]->name, type->name) == 0) return i;
    return COVEY_TERMS;
}

/* Appends terms; returns their number, or NULL's reason when there are too many or one is there already. */
static const char *append_terms(covey_view *view, uint32_t *count, const covey_type *const *types, uint8_t *number) {
    *number = (uint8_t)term_count(types);
    if (*count + *number > COVEY_TERMS) return "it has more than 16 terms";
    for (uint32_t i = 0; i < *number; i++) {
        if (types[i] == covey_id(covey_disabled)) view->asks |= COVEY__ASKS_ENTITIES;
        else if (!covey__type_valid(types[i]) && !covey__pool_bound(view->world, types[i]))
            return "a type's description is incomplete or contradicts itself";
        if (find_term(view, *count, types[i]) != COVEY_TERMS) return "a type is named twice";
        view->types[(*count)++] = types[i];
    }
    return NULL;
}

static const char *note_reads(covey_view *view, const covey_type *const *types) {
    for (uint32_t i = 0; i < term_count(types); i++) {
        uint32_t field = types[i]->name ? find_term(view, view->fields, types[i]) : COVEY_TERMS;
        if (field == COVEY_TERMS) return "a type that is read has no field";
        view->reads |= (uint16_t)(1u << field);
    }
    return NULL;
}

static const char *note_changed(covey_view *view, const covey_type *const *types) {
    for (uint32_t i = 0; i < term_count(types); i++) {
        uint32_t field = types[i]->name ? find_term(view, view->with, types[i]) : COVEY_TERMS;
        if (field == COVEY_TERMS) return "a type whose changes are asked for need not be there";
        if (!view->types[field]->ticks) return "a type whose changes are asked for has no ticks";
        view->changed |= (uint16_t)(1u << field);
    }
    return NULL;
}

covey_view covey_view_make(covey_world *world, const covey_view_desc *desc) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    covey_view view = { .world = world };
    if (!desc) return view;
    if (desc->disabled) view.asks = COVEY__ASKS_ENTITIES | COVEY__ASKS_COMPONENTS;
    uint32_t count = 0;
    const char *wrong = append_terms(&view, &count, desc->with, &view.with);
    if (!wrong) wrong = append_terms(&view, &count, desc->optional, &view.optional);
    if (!wrong) wrong = append_terms(&view, &count, desc->any, &view.any);
    view.fields = (uint8_t)count;
    if (!wrong) wrong = append_terms(&view, &count, desc->without, &view.without);
    if (!wrong) wrong = note_reads(&view, desc->read);
    if (!wrong) wrong = note_changed(&view, desc->changed);
    if (!wrong) return view;
    covey__fail(world, COVEY_ERROR_TYPE, "a view could not be made: %s", wrong);
    return (covey_view){ 0 };
}

bool covey_view_valid(const covey_view *view) { return view->world != NULL; }

uint32_t covey_view_fields(const covey_view *view) { return view->fields; }

const covey_type *covey_view_type(const covey_view *view, uint32_t field) {
    return field < view->fields ? view->types[field] : NULL;
}

bool covey_view_reads(const covey_view *view, uint32_t field) {
    return field < view->fields && (view->reads >> field & 1) != 0;
}

/* ---- Matching one ------------------------------------------------------------------------------------------------*/

/* Whether the component of an index counts as there. That something may be disabled is handed down as a constant, so
 * that the question vanishes where nothing is. */
COVEY_HOT bool has(const covey_pool *pool, uint32_t index, bool hides) {
    return covey__has_index(pool, index) && !(hides && covey__is_off(pool, index));
}

COVEY_HOT bool has_terms(const covey_iter *it, uint32_t index, bool hides) {
    const covey_view *view = it->view;
    const covey__column *column = it->columns;
    for (uint32_t i = 0; i < view->with; i++, column++)
        if (!has(column->pool, index, hides)) return false;
    column += view->optional;
    bool any = view->any == 0;
    for (uint32_t i = 0; i < view->any; i++, column++) any |= has(column->pool, index, hides);
    for (uint32_t i = 0; i < view->without && any; i++, column++)
        if (has(column->pool, index, hides)) return false;
    return any;
}

static bool is_hidden(const covey_iter *it, uint32_t index) {
    return covey__has_index(it->hidden, index) || covey__is_off(it->lead, index);
}

/* Of one that has all that is asked for. */
static bool has_changed(const covey_iter *it, uint32_t index) {
    for (uint32_t left = it->changed; left != 0; left &= left - 1)
        if (covey__ticks_of(it->columns[covey__lowest_bit(left)].pool, index) > it->since) return true;
    return it->changed == 0;
}

static COVEY__NOINLINE bool matches_closely(const covey_iter *it, uint32_t index) {
    return has_terms(it, index, it->hides) && !(it->hides && is_hidden(it, index)) && has_changed(it, index);
}

static bool matches(const covey_iter *it, uint32_t index) {
    return COVEY__LIKELY(!it->hides && it->changed == 0) ? has_terms(it, index, false) : matches_closely(it, index);
}

/* ---- Beginning ---------------------------------------------------------------------------------------------------*/

static const covey__block_page no_page; /* of a pool that does not reach so far, or is not in blocks */

/* A number that grows when the world meets a type, or the first component of a type is disabled. */
static uint32_t known_to(const covey_world *world) { return world->pool_count + world->hiding; }

/* Whether it has since the iteration began: the types may be those of the view. */
static bool has_met_types(const covey_iter *it) { return it->pools != known_to(it->view->world); }

/* What may be disabled of that which the view is about, if it does not ask. */
static void find_hidden(covey_iter *it) {
    const covey_world *world = it->view->world;
    bool components = world->hiding != 0 && (it->view->asks & COVEY__ASKS_COMPONENTS) == 0;
    it->hidden = (it->view->asks & COVEY__ASKS_ENTITIES) == 0 ? world->disabled : NULL;
    it->hides = it->hidden || (components && covey__may_hide(it->lead));
    for (uint32_t i = 0; components && i < covey__view_terms(it->view); i++)
        it->hides |= covey__may_hide(it->columns[i].pool);
    it->asks_more |= it->hides;
}

static void find_ticks(covey_iter *it) {
    for (uint32_t i = 0; i < it->view->fields; i++) {
        bool written = (it->view->reads >> i & 1) == 0, ticks = it->columns[i].pool && it->columns[i].pool->type->ticks;
        it->ticked |= (uint16_t)((written && ticks) << i);
    }
}

/* The pools of terms whose types the world did not know. */
static void find_pools(covey_iter *it) {
    const covey_view *view = it->view;
    it->pools = known_to(view->world);
    for (uint32_t i = 0; i < covey__view_terms(view); i++)
        if (!it->columns[i].pool) it->columns[i].pool = covey_pool_find_raw(view->world, view->types[i]);
    find_hidden(it);
    find_ticks(it);
}

static covey_iter begin(const covey_view *view) {
    static const uint64_t never = 0;
    covey_iter it;
    memset(&it, 0, offsetof(covey_iter, columns));
    it.view = view;
    it.moves = view->world ? &view->world->moves : &never;
    it.slow = UINT64_MAX;
    for (uint32_t i = 0; i < 4 || i < covey__view_terms(view); i++) it.columns[i] = (covey__column){ .page = &no_page };
    if (view->world) find_pools(&it);
    return it;
}

static bool all_known(const covey_iter *it) {
    for (uint32_t i = 0; i < it->view->with; i++)
        if (!it->columns[i].pool) return false;
    return it->view->world != NULL;
}

/* The smallest of the pools in which entities must be, or NULL. */
static const covey_pool *smallest(const covey_iter *it) {
    const covey_pool *found = NULL;
    for (uint32_t i = 0; i < it->view->with; i++) {
        const covey_pool *pool = it->columns[i].pool;
        if (!found || covey_pool_count(pool) < covey_pool_count(found)) found = pool;
    }
    return found;
}

/* The number of pages to walk: of the shortest directory of those in which entities must be. */
static uint32_t pages_to_walk(const covey_iter *it) {
    uint32_t end = covey__block_limit(it->view->world);
    if (it->lead && it->lead->blocks.page_count < end) end = it->lead->blocks.page_count;
    for (uint32_t i = 0; i < it->view->with; i++) {
        const covey_pool *pool = it->columns[i].pool;
        if (covey__in_blocks(pool) && pool->blocks.page_count < end) end = pool->blocks.page_count;
    }
    return end;
}

static void walk_ids(covey_iter *it) {
    const covey_view *view = it->view;
    it->walk = COVEY__WALK_IDS;
    it->end = pages_to_walk(it);
    it->simple = view->with == view->fields;
    for (uint32_t i = 0; i < view->with; i++) it->simple &= covey__in_blocks(it->columns[i].pool);
    it->quick = it->simple && it->ticked == 0;
    it->slow = it->quick ? 0 : UINT64_MAX;
    it->asks_more = !it->simple || it->lead || view->with == 0 || view->without != 0 || it->hides;
}

static void walk_set(covey_iter *it, const covey_pool *lead, bool backwards) {
    it->walk = COVEY__WALK_SET;
    it->lead = lead;
    it->set = &lead->set;
    it->end = lead->set.end;
    it->backwards = backwards;
}

covey_iter covey_view_iter(const covey_view *view) {
    covey_iter it = begin(view);
    if (!all_known(&it)) return it;
    const covey_pool *lead = smallest(&it);
    if (!lead || covey__in_blocks(lead)) walk_ids(&it);
    else walk_set(&it, lead, true);
    return it;
}

covey_iter covey_view_iter_since(const covey_view *view, uint64_t tick) {
    covey_iter it = covey_view_iter(view);
    it.since = tick;
    it.changed = tick != 0 ? view->changed : 0;
    it.asks_more |= it.changed != 0;
    return it;
}

covey_iter covey_view_iter_by(const covey_view *view, const covey_pool *pool) {
    covey_iter it = begin(view);
    COVEY__CONTRACT(view->world, pool && (!view->world || pool->world == view->world), "the pool is not of the world");
    if (!all_known(&it)) return it;
    it.lead = pool;
    find_hidden(&it);
    if (covey__in_blocks(pool)) walk_ids(&it);
    else walk_set(&it, pool, false);
    return it;
}

covey_iter covey_view_iter_list(const covey_view *view, const covey_entity *entities, uint32_t count) {
    covey_iter it = begin(view);
    if (!all_known(&it)) return it;
    it.walk = COVEY__WALK_LIST;
    it.list = entities;
    it.end = count;
    return it;
}

/* Rows look a field up, and note that it was handed out, if it has ticks and is written: it ends what is known. */
static uint8_t owned_fields(const covey_group *group, uint32_t ticked) {
    uint32_t first = ticked != 0 ? covey__lowest_bit(ticked) : COVEY_TERMS;
    return (uint8_t)(first < group->owned ? first : group->owned);
}

covey_iter covey_group_iter(const covey_group *group) {
    COVEY__CONTRACT(NULL, group, "a call needs a group");
    covey_iter it = begin(&group->view);
    it.walk = COVEY__WALK_GROUP;
    it.group = group;
    it.set = group->owned != 0 ? &group->pools[0]->set : &group->set;
    it.owned = owned_fields(group, it.ticked);
    it.end = covey_group_count(group);
    it.backwards = true;
    return it;
}

/* ---- Walking ids -------------------------------------------------------------------------------------------------*/

static const covey__block_page *page_of(const covey_pool *pool, uint32_t page) {
    bool there = pool && covey__in_blocks(pool) && page < pool->blocks.page_count;
    return there ? pool->blocks.pages[page] : &no_page;
}

/* Asks for what match_pages will read. */
static void prefetch_page(const covey__block_page *page) {
    for (size_t at = 0; at < offsetof(covey__block_page, chunks); at += 64)
        covey__prefetch_line((const char *)page + at);
}

/* The pages of the pools in blocks that entities must be in. */
typedef struct page_list {
    const covey__block_page *pages[COVEY_TERMS];
    uint32_t count;
} page_list;

/* Goes on to a page. Returns the blocks in which there may be matches. */
static uint64_t open_page(covey_iter *it, uint32_t page, page_list *list) {
    const covey_view *view = it->view;
    uint64_t blocks = UINT64_MAX >> (64 - COVEY__PAGE_BLOCKS), any = 0;
    list->count = 0;
    for (uint32_t i = 0; i < view->with; i++) {
        covey__column *column = &it->columns[i];
        if (!covey__in_blocks(column->pool)) continue;
        column->page = list->pages[list->count++] = page_of(column->pool, page);
        blocks &= column->page->summary;
        prefetch_page(page_of(column->pool, page + 1));
    }
    if (it->lead) blocks &= page_of(it->lead, page)->summary;
    const covey__column *column = &it->columns[view->with + view->optional];
    for (uint32_t i = 0; i < view->any; i++, column++) {
        bool sparse = column->pool && !covey__in_blocks(column->pool);
        any |= sparse ? UINT64_MAX : page_of(column->pool, page)->summary;
    }
    it->first = page * COVEY__BLOCK_PAGE;
    return view->any != 0 ? blocks & any : blocks;
}

/* The living among 64 ids. */
static uint64_t alive_mask(const covey_world *world, uint32_t first) {
    uint64_t mask = 0;
    for (uint32_t i = 0; i < 64; i++) mask |= (uint64_t)(covey__generation_of(world, first + i) & 1) << i;
    return mask;
}

/* Those of some ids that are in a pool of any storage. */
static uint64_t members(const covey_pool *pool, uint32_t first, uint64_t ids) {
    if (!pool) return 0;
    if (covey__in_blocks(pool)) return page_of(pool, first / COVEY__BLOCK_PAGE)->masks[covey__block_of(first)] & ids;
    uint64_t found = 0;
    for (uint64_t left = ids; left != 0; left &= left - 1)
        found |= (uint64_t)covey__has_index(pool, first + covey__lowest_bit(left)) << covey__lowest_bit(left);
    return found;
}

/* Those of them that count as there. */
COVEY_HOT uint64_t seen(const covey_pool *pool, uint32_t first, uint64_t ids, bool hides) {
    if (hides) ids &= ~covey__off_mask(pool, first);
    return members(pool, first, ids);
}

/* Those of some ids that are enabled themselves, and so are their components that must be there. */
static uint64_t enabled(const covey_iter *it, uint32_t first, uint64_t ids) {
    ids &= ~members(it->hidden, first, ids);
    for (uint32_t i = 0; i < it->view->with; i++) ids &= ~covey__off_mask(it->columns[i].pool, first);
    return ids;
}

/* Those of some ids that match of which any of the wanted components was changed. */
static uint64_t changed(const covey_iter *it, uint32_t first, uint64_t ids) {
    uint64_t found = 0;
    for (uint32_t left = it->changed; left != 0; left &= left - 1)
        found |= covey__ticks_since(it->columns[covey__lowest_bit(left)].pool, first, ids, it->since);
    return found;
}

/* What is left of the ids of a block that are in all the block pools of a view: looks into its other pools. */
COVEY_HOT uint64_t match_block(const covey_iter *it, uint32_t first, uint64_t ids, bool hides) {
    const covey_view *view = it->view;
    const covey__column *columns = it->columns;
    uint64_t any = 0;
    if (it->lead) ids &= seen(it->lead, first, ids, hides);
    else if (view->with == 0 && view->any == 0) ids &= alive_mask(view->world, first);
    if (hides) ids = enabled(it, first, ids);
    for (uint32_t i = 0; i < view->with; i++)
        if (!covey__in_blocks(columns[i].pool)) ids &= members(columns[i].pool, first, ids);
    columns += view->with + view->optional;
    for (uint32_t i = 0; i < view->any; i++) any |= seen(columns[i].pool, first, ids, hides);
    if (view->any != 0) ids &= any;
    columns += view->any;
    for (uint32_t i = 0; i < view->without; i++) ids &= ~seen(columns[i].pool, first, ids, hides);
    return ids;
}

static COVEY__NOINLINE uint64_t match_block_closely(const covey_iter *it, uint32_t first, uint64_t ids) {
    ids = match_block(it, first, ids, it->hides);
    return it->changed != 0 ? changed(it, first, ids) : ids;
}

static uint64_t matches_of_block(const covey_iter *it, uint32_t first, uint64_t ids) {
    bool plainly = COVEY__LIKELY(!it->hides && it->changed == 0);
    return plainly ? match_block(it, first, ids, false) : match_block_closely(it, first, ids);
}

/* Finds what so many pages have in common: a constant where it is small, so that the loop over them vanishes. */
static inline void match_pages(uint64_t *restrict matches, const covey__block_page *const *pages, uint32_t count) {
    for (uint32_t block = 0; block < COVEY__PAGE_BLOCKS; block++) {
        uint64_t ids = UINT64_MAX;
        for (uint32_t i = 0; i < count; i++) ids &= pages[i]->masks[block];
        matches[block] = ids;
    }
}

static void match_blocks(covey_iter *it, const page_list *list) {
    switch (list->count) {
    case 1: match_pages(it->matches, list->pages, 1); break;
    case 2: match_pages(it->matches, list->pages, 2); break;
    case 3: match_pages(it->matches, list->pages, 3); break;
    default: match_pages(it->matches, list->pages, list->count); break;
    }
}

/* The blocks of the next page in which there may be matches; 0 at the end. */
static uint64_t next_page_of_ids(covey_iter *it) {
    page_list list;
    while (it->next < it->end) {
        uint64_t blocks = open_page(it, it->next++, &list);
        if (blocks == 0) continue;
        match_blocks(it, &list);
        for (uint64_t left = it->asks_more ? blocks : 0; left != 0; left &= left - 1) {
            uint32_t block = covey__lowest_bit(left);
            it->matches[block] = matches_of_block(it, it->first + block * 64, it->matches[block]);
        }
        return blocks;
    }
    return 0;
}

/* ---- Spans of blocks ---------------------------------------------------------------------------------------------*/

static uint32_t ones_from(uint64_t bits, uint32_t first) {
    uint64_t gap = ~(bits >> first);
    return gap != 0 ? covey__lowest_bit(gap) : 64;
}

/* How many values follow each other in a block, from this bit on, which is there: at most `most`. */
static uint32_t run_in_block(const covey__block_page *page, uint32_t block, uint32_t bit, uint32_t most) {
    if (page->capacity[block] == 64) return most;
    const uint8_t *slot = page->chunks[block].map + bit;
    uint32_t run = 1;
    while (run < most && slot[run] == slot[0] + run) run++;
    return run;
}

static inline void open_span(covey_iter *it, uint32_t id, uint32_t count) {
    it->id = id;
    it->count = count;
    it->bits = NULL;
    it->entities = NULL;
}

/* Goes on to the next block with matches, if there are none left in this one. */
static bool reach_block(covey_iter *it) {
    while (it->left == 0) {
        if (it->blocks == 0) it->blocks = next_page_of_ids(it);
        if (it->blocks == 0) return false;
        it->block = covey__lowest_bit(it->blocks);
        it->blocks &= it->blocks - 1;
        it->left = it->matches[it->block];
    }
    return true;
}

/* Full blocks, one after the other, as far as their values are joined in every column. False when the next block is not
 * full, or not direct in every column, or is of another page. The usual case, and kept short. */
static inline bool next_full_span(covey_iter *it) {
    uint64_t blocks = it->blocks, joined = (blocks & (blocks - 1)) >> 1, direct = UINT64_MAX;
    if (it->left != 0 || blocks == 0) return false;
    uint32_t first = covey__lowest_bit(blocks), last = first;
    if (it->matches[first] != UINT64_MAX) return false;
    covey__column *end = it->columns + it->view->fields;
    for (covey__column *column = it->columns; column < end; column++) {
        const covey__block_page *page = column->page;
        column->at = page->chunks[first].data;
        direct &= page->direct;
        joined &= page->joined;
    }
    if ((direct >> first & 1) == 0) return false;
    while ((joined >> last & 1) != 0 && it->matches[last + 1] == UINT64_MAX) last++;
    blocks &= (UINT64_MAX - 1) << last;
    it->blocks = blocks;
    open_span(it, it->first + first * 64, (last - first + 1) * 64);
    for (covey__column *column = it->columns; column < end && blocks != 0; column++)
        covey__prefetch(column->page->chunks[covey__lowest_bit(blocks)].data);
    return true;
}

/* Compact blocks that hold the same ids in the same slots are a span as a whole. */
static bool open_compact_span(covey_iter *it) {
    const uint8_t *ids = NULL;
    uint32_t block = it->block, used = 0;
    if (it->view->fields == 0) return false;
    for (uint32_t i = 0; i < it->view->fields; i++) {
        const covey__column *column = &it->columns[i];
        const covey__block_page *page = column->page;
        uint32_t capacity = page->capacity[block];
        if (capacity == 64 || page->masks[block] != it->left) return false;
        const uint8_t *own = (const uint8_t *)page->chunks[block].data + (size_t)capacity * column->pool->size;
        used = page->used[block];
        if (ids && memcmp(ids, own, used) != 0) return false;
        ids = own;
    }
    for (uint32_t i = 0; i < it->view->fields; i++) it->columns[i].at = it->columns[i].page->chunks[block].data;
    open_span(it, it->first + block * 64, used);
    it->bits = ids;
    it->left = 0;
    return true;
}

static void take_from_block(covey_iter *it, uint32_t bit, uint32_t run) {
    open_span(it, it->first + it->block * 64 + bit, run);
    it->left &= bit + run == 64 ? 0 : UINT64_MAX << (bit + run);
}

static bool next_partial_span(covey_iter *it) {
    uint32_t block = it->block;
    if (open_compact_span(it)) return true;
    uint32_t bit = covey__lowest_bit(it->left), run = ones_from(it->left, bit);
    for (uint32_t i = 0; i < it->view->fields; i++) {
        covey__column *column = &it->columns[i];
        const covey__block_page *page = column->page;
        run = run_in_block(page, block, bit, run);
        column->at = page->chunks[block].data + page->chunks[block].map[bit] * (size_t)column->pool->size;
    }
    take_from_block(it, bit, run);
    return true;
}

/* How far one column goes from an id on: values that follow each other, or ids without any; at most `most`. */
COVEY_HOT uint32_t run_of_ids(covey__column *column, uint32_t id, uint32_t most, bool hides) {
    const covey_pool *pool = column->pool;
    uint32_t run = 1;
    column->at = has(pool, id, hides) ? covey__value_of_index(pool, id) : NULL;
    if (!column->at) {
        while (run < most && !has(pool, id + run, hides)) run++;
        return run;
    }
    while (run < most && has(pool, id + run, hides) &&
           covey__value_of_index(pool, id + run) == column->at + (size_t)run * pool->size)
        run++;
    return run;
}

static COVEY__NOINLINE bool next_span_simple(covey_iter *it) {
    if (it->left == 0 && it->blocks == 0) it->blocks = next_page_of_ids(it);
    return next_full_span(it) || (reach_block(it) && next_partial_span(it));
}

COVEY_HOT bool open_span_of_ids(covey_iter *it, bool hides) {
    if (!reach_block(it)) return false;
    uint32_t bit = covey__lowest_bit(it->left), run = ones_from(it->left, bit);
    uint32_t id = it->first + it->block * 64 + bit;
    for (uint32_t i = 0; i < it->view->fields; i++) run = run_of_ids(&it->columns[i], id, run, hides);
    take_from_block(it, bit, run);
    return true;
}

static COVEY__NOINLINE bool next_span_closely(covey_iter *it) { return open_span_of_ids(it, true); }

static bool next_span_of_ids(covey_iter *it) {
    return COVEY__LIKELY(!it->hides) ? open_span_of_ids(it, false) : next_span_closely(it);
}

/* ---- Walking an array --------------------------------------------------------------------------------------------*/

static const covey_entity *array_of(const covey_iter *it) { return it->set ? it->set->ids : it->list; }

static bool is_there(const covey_iter *it, uint32_t at) {
    if (!it->set) return covey_alive(it->view->world, it->list[at]);
    return it->set->holes == 0 || !covey__is_hole(it->set, at);
}

/* How far one sparse column goes along an array of ids: as far as its own ids are the same. */
static uint32_t run_in_set(const covey_sparse_set *set, const covey_entity *entities, uint32_t at, uint32_t most) {
    uint32_t run = 1;
    if (most > set->end - at) most = set->end - at;
    if (set->paged && most > COVEY_PAGE_SIZE - at % COVEY_PAGE_SIZE) most = COVEY_PAGE_SIZE - at % COVEY_PAGE_SIZE;
    if (set->ids + at == entities) return most; /* the array that is walked, and its holes are known */
    while (run < most && covey_same(set->ids[at + run], entities[run]) &&
           (set->holes == 0 || !covey__is_hole(set, at + run)))
        run++;
    return run;
}

/* How many from the first on have a component that is enabled, or none: the first has one. */
static uint32_t run_enabled(const covey_pool *pool, const covey_entity *entities, uint32_t most) {
    uint32_t run = 1;
    while (run < most && !covey__is_off(pool, entities[run].index)) run++;
    return run;
}

/* How far a column goes along an array, as run_of_ids does along consecutive ids. */
COVEY_HOT uint32_t run_along(covey__column *column, const covey_entity *entities, uint32_t most, bool hides) {
    const covey_pool *pool = column->pool;
    uint32_t run = 1;
    column->at = has(pool, entities->index, hides) ? covey__value_of_index(pool, entities->index) : NULL;
    if (!column->at) {
        while (run < most && !has(pool, entities[run].index, hides)) run++;
        return run;
    }
    if (!covey__in_blocks(pool)) {
        if (hides) most = run_enabled(pool, entities, most);
        return run_in_set(&pool->set, entities, (uint32_t)*covey__slot_of(&pool->set, entities->index), most);
    }
    while (run < most && has(pool, entities[run].index, hides) &&
           covey__value_of_index(pool, entities[run].index) == column->at + (size_t)run * pool->size)
        run++;
    return run;
}

static COVEY__NOINLINE uint32_t run_of_array(covey__column *column, const covey_entity *entities, uint32_t most) {
    return run_along(column, entities, most, false);
}

static uint32_t run_without(const covey_iter *it, const covey_entity *entities, uint32_t most) {
    const covey__column *columns = &it->columns[it->view->fields];
    for (uint32_t i = 0; i < it->view->without; i++) {
        uint32_t run = 0;
        while (run < most && !covey__has_index(columns[i].pool, entities[run].index)) run++;
        most = run;
    }
    return most;
}

/* How many positions from this one on are not holes, or not of the dead: at most `most`. */
static uint32_t run_there(const covey_iter *it, uint32_t at, uint32_t most) {
    uint32_t run = 1;
    if (it->set && it->set->holes == 0) return most;
    while (run < most && is_there(it, at + run)) run++;
    return run;
}

/* The same where something may be disabled, or changes are asked for: as far as all match. */
static COVEY__NOINLINE uint32_t run_closely(covey_iter *it, uint32_t at, uint32_t most) {
    const covey_entity *entities = array_of(it) + at;
    uint32_t end = run_there(it, at, most), run = 1;
    while (run < end && matches(it, entities[run].index)) run++;
    for (uint32_t i = 0; i < it->view->fields; i++) run = run_along(&it->columns[i], entities, run, it->hides);
    return run;
}

static uint32_t run_at(covey_iter *it, uint32_t at, uint32_t most) {
    const covey_entity *entities = array_of(it) + at;
    if (!COVEY__LIKELY(!it->hides && it->changed == 0)) return run_closely(it, at, most);
    uint32_t run = run_without(it, entities, run_there(it, at, most));
    for (uint32_t i = 0; i < it->view->fields; i++) run = run_of_array(&it->columns[i], entities, run);
    return run;
}

/* A span is found in steps that grow, so that a short one costs little and a long one not much more than once. */
static bool next_span_of_array(covey_iter *it) {
    for (; it->next < it->end; it->next++) {
        uint32_t at = it->next, end = it->end - at, most = 4, run = 0;
        if (!is_there(it, at) || !matches(it, array_of(it)[at].index)) continue;
        do {
            most = most < end / 8 ? most * 8 : end;
            run = run_at(it, at, most);
        } while (run == most && most != end);
        open_span(it, 0, run);
        it->entities = array_of(it) + at;
        it->next += run;
        return true;
    }
    return false;
}

/* How many members, from this one on, have the values that no group owns side by side. */
static uint32_t run_of_members(covey_iter *it, uint32_t at, uint32_t most) {
    for (uint32_t i = it->group->owned; i < it->view->fields; i++)
        most = run_of_array(&it->columns[i], it->set->ids + at, most);
    return most;
}

/* All members at once, unless the group does not own all the fields. */
static bool next_span_of_group(covey_iter *it) {
    uint32_t at = it->next, end = it->end - at, owned = it->group->owned;
    uint32_t most = owned == it->view->fields ? end : 4, run = end;
    if (end == 0) return false;
    for (uint32_t i = 0; i < owned; i++) {
        const covey_pool *pool = it->columns[i].pool;
        it->columns[i].at = (char *)pool->set.data + (size_t)at * pool->size;
    }
    while (owned != it->view->fields) {
        most = most < end / 8 ? most * 8 : end;
        run = run_of_members(it, at, most);
        if (run != most || most == end) break;
    }
    open_span(it, 0, run);
    it->entities = it->set->ids + at;
    it->next += run;
    return true;
}

/* ---- Rows --------------------------------------------------------------------------------------------------------*/

/* The positions that match among the next ones, as many as the blocks of a page have bits. One by one through a list:
 * an entity may be there twice and have changed when it was visited first. */
static uint64_t next_page_of_array(covey_iter *it) {
    uint64_t found = 0;
    uint32_t most = it->walk == COVEY__WALK_LIST ? 1 : COVEY__BLOCK_PAGE;
    while (found == 0 && it->next < it->end) {
        uint32_t count = it->end - it->next < most ? it->end - it->next : most;
        it->first = it->backwards ? it->end - 1 - it->next : it->next;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t at = it->backwards ? it->first - i : it->first + i;
            bool match = is_there(it, at) && matches(it, array_of(it)[at].index);
            if (i % 64 == 0) it->matches[i / 64] = 0;
            it->matches[i / 64] |= (uint64_t)match << i % 64;
            found |= (uint64_t)match << i / 64;
        }
        it->next += count;
    }
    return found;
}

/* The next members of a group, from the last on: all match. */
static uint64_t next_page_of_group(covey_iter *it) {
    uint32_t left = it->end - it->next, count = left < COVEY__BLOCK_PAGE ? left : COVEY__BLOCK_PAGE;
    uint32_t blocks = (count + 63) / 64;
    if (count == 0) return 0;
    for (uint32_t i = 0; i < blocks; i++) it->matches[i] = UINT64_MAX;
    it->matches[blocks - 1] >>= blocks * 64 - count;
    it->first = it->end - 1 - it->next;
    it->next += count;
    return UINT64_MAX >> (64 - blocks);
}

static uint64_t next_page(covey_iter *it) {
    if (it->walk != COVEY__WALK_NOTHING && has_met_types(it)) find_pools(it);
    switch (it->walk) {
    case COVEY__WALK_IDS: return next_page_of_ids(it);
    case COVEY__WALK_GROUP: return next_page_of_group(it);
    default: return next_page_of_array(it);
    }
}

/* What is left of these blocks of the page, from the first with matches on; or of a later page. */
uint64_t covey__next_blocks(covey_iter *it, uint64_t blocks) {
    for (;; blocks &= blocks - 1) {
        if (blocks == 0) blocks = next_page(it);
        if (blocks == 0 || it->matches[covey__lowest_bit(blocks)] != 0) return blocks;
    }
}

/* The value of a component that is there, of a pool in which some may be disabled, or have ticks: NULL if it need not be
 * there and is disabled. Notes a change if it may be written. */
static COVEY__NOINLINE void *watched_value(const covey_iter *it, const covey_pool *pool, uint32_t index,
                                           uint32_t field) {
    const covey_view *view = it->view;
    bool asked = field < view->with || (view->asks & COVEY__ASKS_COMPONENTS) != 0;
    if (!asked && covey__is_off(pool, index)) return NULL;
    if (pool->type->ticks && (view->reads >> field & 1) == 0) covey__ticks_note(pool, index);
    return covey__value_of_index(pool, index);
}

/* Of a type that the world did not know when the iteration began, or when the page did. */
static COVEY__NOINLINE void *late_value(const covey_iter *it, uint32_t index, uint32_t field) {
    const covey_pool *pool = has_met_types(it) ? covey_pool_find_raw(it->view->world, it->view->types[field]) : NULL;
    return covey__has_index(pool, index) ? watched_value(it, pool, index, field) : NULL;
}

void *covey__row_value(const covey_iter *it, uint32_t number, uint32_t field) {
    covey_entity e = covey__numbered(it, number);
    const covey_pool *pool = it->columns[field].pool;
    COVEY__COSTLY_CONTRACT(it->view->world, e.index == it->id, COVEY__ROW_GONE);
    if (!COVEY__LIKELY(pool != NULL)) return late_value(it, e.index, field);
    if (!covey__has_index(pool, e.index)) return NULL;
    bool closely = (pool->uses & COVEY__USE_CLOSELY) != 0;
    return !COVEY__LIKELY(!closely) ? watched_value(it, pool, e.index, field) : covey__value_of_index(pool, e.index);
}

/* ---- Next --------------------------------------------------------------------------------------------------------*/

/* Notes a change of each value of a column that the span hands out. A span by `bits` is all of its block. */
static void note_span(const covey_iter *it, const covey_pool *pool) {
    if (it->bits) covey__ticks_note_block(pool, it->id);
    else if (!it->entities) covey__ticks_note_run(pool, it->id, it->count);
    for (uint32_t row = 0; it->entities && row < it->count; row++) covey__ticks_note(pool, it->entities[row].index);
}

static bool next_span(covey_iter *it);

static COVEY__NOINLINE bool next_noted_span(covey_iter *it) {
    uint32_t ticked = it->ticked;
    it->ticked = 0;
    bool more = next_span(it);
    it->ticked = (uint16_t)ticked;
    for (; more && ticked != 0; ticked &= ticked - 1) {
        const covey__column *column = &it->columns[covey__lowest_bit(ticked)];
        if (column->at) note_span(it, column->pool);
    }
    return more;
}

static COVEY__NOINLINE bool next_span(covey_iter *it) {
    if (!COVEY__LIKELY(it->ticked == 0)) return next_noted_span(it);
    switch (it->walk) {
    case COVEY__WALK_NOTHING: return false;
    case COVEY__WALK_IDS: return it->simple ? next_span_simple(it) : next_span_of_ids(it);
    case COVEY__WALK_GROUP: return next_span_of_group(it);
    default: return next_span_of_array(it);
    }
}

bool covey_next(covey_iter *it) {
    if (it->count != 0) covey__check_span(it);
    bool more = it->quick ? next_full_span(it) || next_span_simple(it) : next_span(it);
    if (more) covey__remember_pools(it);
    else it->count = 0;
    return more;
}

uint32_t covey__check_field(const covey_iter *it, uint32_t field, const covey_type *type, const char *file, int line) {
    const covey_view *view = it->view;
    bool right =
        field < view->fields && (view->types[field] == type || strcmp(view->types[field]->name, type->name) == 0);
    if (!right) covey__contract_broken(view->world, "the field is not of this type", file, line);
    return field;
}

/* ---- Asking ------------------------------------------------------------------------------------------------------*/

uint32_t covey_view_count(const covey_view *view) {
    covey_iter it = covey_view_iter(view);
    uint32_t count = 0;
    for (uint64_t blocks = next_page(&it); blocks != 0; blocks = next_page(&it))
        for (; blocks != 0; blocks &= blocks - 1) count += covey__bits_in(it.matches[covey__lowest_bit(blocks)]);
    return count;
}

covey_entity covey_view_first(const covey_view *view) {
    covey_iter it = covey_view_iter(view);
    it.ticked = 0; /* nobody writes */
    return covey_next(&it) ? covey_span_entity(&it, 0) : (covey_entity){ 0, 0 };
}

bool covey_view_contains(const covey_view *view, covey_entity e) {
    covey_iter it = begin(view);
    return view->world && covey_alive(view->world, e) && matches(&it, e.index);
}
