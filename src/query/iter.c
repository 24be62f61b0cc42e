/* Iterating: how an iteration begins, what happens to rows when values move, and questions about a view without a loop.
 * The steps from one span or row to the next are inline in covey/detail/iterate.h; batch.c finds the matches. */
#include "query/iter.h"

#include "query/at_once.h"
#include "query/batch.h"
#include "memory/bits.h"
#include "storage/block_store.h"
#include "change/entity.h"
#include "observe/guard.h"
#include "query/match.h"
#include "observe/filing.h"
#include "observe/observers.h"
#include "storage/storage.h"
#include "observe/tick.h"
#include "query/view.h"
#include "query/walk.h"

/* ---- Beginning ---------------------------------------------------------------------------------------------------*/

/* What an iterator begins with; all else is decided by its first step. */
COVEY_HOT void ask(covey_iter *it, const covey_view *view, const covey_group *group, const covey_pool *lead,
                   uint64_t tick) {
    it->count = it->at = it->stop = it->block = 0;
    it->left = 0;
    it->varies = it->slotted = it->ended = false;
    it->flat = 0;
    it->walk.view = view;
    it->walk.group = group;
    it->walk.lead = lead;
    it->walk.array = NULL;
    it->walk.since = tick;
    it->walk.end = 0;
    it->walk.blocks = 0;
    it->walk.mode = COVEY__MODE_UNDECIDED;
    it->walk.listed = false;
    it->walk.simple = group ? view->quick : view->plain && !lead && tick == 0;
    it->walk.by_id = it->walk.scatters = false;
    it->walk.visits = COVEY__VISITS_NOTHING;
}

/* Compilers put the iterator where the caller wants it, because there is one, and its address is not taken when calls
 * are inlined. Otherwise they would copy its empty lists. */
COVEY_HOT covey_iter iterate(const covey_view *view, const covey_group *group, const covey_pool *lead, uint64_t tick) {
    covey_iter it;
    ask(&it, view, group, lead, tick);
    return it;
}

uint32_t covey__view_bound(const covey_view *view) {
    uint32_t bound = view->world ? UINT32_MAX : 0;
    for (uint32_t i = 0; i < view->with && bound != 0; i++) {
        const covey_pool *pool = covey_pool_find_raw(view->world, view->types[i]);
        uint32_t count = pool ? covey_pool_count(pool) : 0;
        bound = count < bound ? count : bound;
    }
    return bound;
}

covey_iter covey_view_iter(const covey_view *view) {
    COVEY__NEEDS_VIEW(view);
    covey__check_view(view, false);
    return iterate(view, NULL, NULL, 0);
}

covey_iter covey_view_iter_since(const covey_view *view, uint64_t tick) {
    COVEY__NEEDS_VIEW(view);
    covey__check_view(view, false);
    return iterate(view, NULL, NULL, tick);
}

covey_iter covey_view_iter_by(const covey_view *view, const covey_pool *pool) {
    COVEY__NEEDS_VIEW(view);
    covey__check_view(view, false);
    COVEY__CONTRACT(view->world, pool && (!view->world || pool->world == view->world),
                    "the pool belongs to another world");
    return iterate(view, NULL, pool, 0);
}

static void begin_list(covey__walk *walk, const covey_entity *entities, uint32_t count) {
    walk->listed = true;
    walk->simple = false;
    walk->array = entities;
    walk->end = count;
    walk->refill = NULL;
}

covey_iter covey_view_iter_list(const covey_view *view, const covey_entity *entities, uint32_t count) {
    COVEY__NEEDS_VIEW(view);
    covey__check_view(view, false);
    covey_iter it;
    ask(&it, view, NULL, NULL, 0);
    begin_list(&it.walk, entities, count);
    return it;
}

covey_iter covey__view_iter_refilled(const covey_view *view, covey__refill_fn *refill, void *source) {
    covey__check_view(view, false);
    covey_iter it;
    ask(&it, view, NULL, NULL, 0);
    begin_list(&it.walk, NULL, 0);
    it.walk.refill = refill;
    it.walk.source = source;
    return it;
}

covey_iter covey_group_iter(const covey_group *group) {
    COVEY__CONTRACT(NULL, group, "a call needs a group");
    covey__check_view(&group->view, true);
    return iterate(&group->view, group, NULL, 0);
}

void covey__iter_begin(covey_iter *it, const covey_view *view, const covey_group *group) {
    ask(it, view, group, NULL, 0);
    covey__walk_decide(&it->walk);
    if (group || covey__view_bound(view) != 0) return;
    it->walk.mode = COVEY__MODE_NOTHING;
    it->walk.simple = false;
}

void covey__iter_to_ask(covey_iter *it, const covey_view *view) {
    ask(it, view, NULL, NULL, 0);
    covey__walk_decide(&it->walk);
    it->walk.ticked = 0;
}

/* ---- Parts -------------------------------------------------------------------------------------------------------*/

/* Whether the iteration follows positions of an array, rather than ids. */
static bool is_by_position(const covey__walk *walk) {
    return walk->mode == COVEY__MODE_ARRAY || walk->mode == COVEY__MODE_POSITIONS;
}

/* An upper bound for its end, by index or position. */
static uint32_t limit_of(const covey__walk *walk) {
    uint64_t ids = (uint64_t)walk->end * COVEY__BLOCK_PAGE;
    return is_by_position(walk) ? walk->end : ids < UINT32_MAX ? (uint32_t)ids : UINT32_MAX;
}

/* The blocks of ids that may have matches. Depends on components, not on reserved memory, so that equal worlds are cut
 * into equal parts. */
static uint32_t blocks_to_walk(const covey__walk *walk) {
    uint32_t end = UINT32_MAX;
    for (uint32_t i = 0; i < walk->view->with; i++) {
        const covey_pool *pool = walk->columns[i].pool;
        uint32_t held = covey__in_blocks(pool) ? covey__blocks_end(&pool->block_store) : end;
        if (held < end) end = held;
    }
    if (walk->lead && covey__in_blocks(walk->lead) && covey__blocks_end(&walk->lead->block_store) < end)
        end = covey__blocks_end(&walk->lead->block_store);
    if (end != UINT32_MAX) return end;
    uint32_t alive = covey__entities_end(walk->view->world);
    return alive / COVEY__BLOCK_IDS + (alive % COVEY__BLOCK_IDS != 0);
}

/* The first block that may have matches. */
static uint32_t first_block(const covey__walk *walk) {
    bool known = walk->lead && covey__in_blocks(walk->lead);
    uint32_t first = known ? covey__blocks_first(&walk->lead->block_store) : 0;
    for (uint32_t i = 0; i < walk->view->with; i++) {
        const covey_pool *pool = walk->columns[i].pool;
        if (!covey__in_blocks(pool)) continue;
        uint32_t held = covey__blocks_first(&pool->block_store);
        if (held > first) first = held;
        known = true;
    }
    if (!known) first = covey_entity_next(walk->view->world, (covey_entity){ 0, 0 }).index / (uint32_t)COVEY__BLOCK_IDS;
    return first;
}

static uint32_t ids_of_blocks(uint32_t blocks) {
    uint64_t ids = (uint64_t)blocks * COVEY__BLOCK_IDS;
    return ids < UINT32_MAX ? (uint32_t)ids : UINT32_MAX;
}

/* How an iteration walks, also before its first step. */
static covey__walk decided(const covey_iter *it) {
    covey__walk walk = it->walk;
    covey__walk_decide(&walk);
    return walk;
}

uint32_t covey_iter_length(const covey_iter *it) {
    COVEY__CONTRACT(NULL, it, "a call needs an iteration");
    covey__walk walk = decided(it);
    if (walk.mode == COVEY__MODE_NOTHING) return 0;
    return is_by_position(&walk) ? walk.end : ids_of_blocks(blocks_to_walk(&walk));
}

uint32_t covey__iter_first(const covey_iter *it) {
    covey__walk walk = decided(it);
    if (walk.mode == COVEY__MODE_NOTHING || is_by_position(&walk)) return 0;
    return ids_of_blocks(first_block(&walk));
}

/* The blocks, and pages, of ids that a part visits. */
static void cut_ids(covey__walk *walk, uint32_t first, uint32_t end) {
    walk->from = first / COVEY__BLOCK_IDS;
    walk->to = end / COVEY__BLOCK_IDS + (end % COVEY__BLOCK_IDS != 0);
    if (walk->next < first / COVEY__BLOCK_PAGE) walk->next = first / COVEY__BLOCK_PAGE;
    walk->end = end / COVEY__BLOCK_PAGE + (end % COVEY__BLOCK_PAGE != 0);
}

static void cut_walk(covey__walk *part, uint32_t first, uint32_t end) {
    uint32_t limit = limit_of(part);
    if (end > limit) end = limit;
    COVEY__CONTRACT(part->view->world, first % COVEY__BLOCK_IDS == 0 && (end % COVEY__BLOCK_IDS == 0 || end == limit),
                    "a part of an iteration must begin and end at multiples of 64");
    part->visits = COVEY__VISITS_NOTHING;
    part->simple = false;
    if (first >= end) part->mode = COVEY__MODE_NOTHING;
    else if (!is_by_position(part)) cut_ids(part, first, end);
    else part->next = first, part->end = end, part->shares = true;
}

covey_iter covey_iter_part(const covey_iter *whole, uint32_t first, uint32_t end) {
    COVEY__CONTRACT(NULL, whole, "a call needs an iteration");
    covey__walk walk = decided(whole);
    cut_walk(&walk, first, end);
    covey_iter it;
    ask(&it, walk.view, NULL, NULL, 0);
    it.walk = walk;
    return it;
}

void covey__iter_part(const covey_iter *whole, uint32_t first, uint32_t end, covey_iter *part) {
    uint32_t columns = covey__view_terms(whole->walk.view);
    if (columns < COVEY__ROW_CHUNKS) columns = COVEY__ROW_CHUNKS;
    ask(part, whole->walk.view, NULL, NULL, 0);
    memcpy(&part->walk, &whole->walk, offsetof(covey__walk, columns) + columns * sizeof(covey__column));
    cut_walk(&part->walk, first, end);
}

/* ---- Spans -------------------------------------------------------------------------------------------------------*/

bool covey__next_batch(covey_iter *it) {
    it->slotted = it->varies = false;
    if (it->walk.simple && covey__spans_at_once(it)) return it->count != 0;
    return covey__find_batch(it);
}

/* ---- Rows --------------------------------------------------------------------------------------------------------*/

uint64_t covey__next_row_page(covey_iter *it) {
    covey__page_list list;
    uint64_t blocks = covey__open_page(it, &list);
    if (blocks == 0 && it->walk.ticked != 0) covey__close_rows(it);
    return blocks;
}

/* Whether the last entity to visit is still at its position. */
static bool last_stays(const covey_iter *it) {
    return it->walk.end <= it->walk.set->end && it->walk.set->ids[it->walk.end - 1].index == it->walk.last;
}

/* Turns the remaining rows of the list back into matches of the page. */
static void put_rows_back(covey_iter *it) {
    uint32_t bit = it->rows[it->at] - it->walk.first;
    it->block = bit / COVEY__BLOCK_IDS;
    it->walk.rest = it->matches[it->block] & (UINT64_MAX - 1) << bit % COVEY__BLOCK_IDS;
    it->walk.blocks = it->walk.opened & (UINT64_MAX - 1) << it->block;
}

/* Values have moved since the rows were listed: lists the remaining rows again. If the entity of the row has left an
 * array, the last entity to visit may have taken its place. Then that entity comes next, and one fewer is left. */
static void begin_anew(covey_iter *it) {
    const covey_sparse_set *set = it->walk.set;
    bool slots = it->walk.mode == COVEY__MODE_SLOTS;
    if (it->flat != 0 && !slots) it->rows[it->at] = it->rows[0] + it->at;
    uint32_t position = it->rows[it->at];
    if (slots) covey__slots_anew(it);
    else if (!it->walk.array) put_rows_back(it);
    it->stop = 0;
    it->walk.most = 1; /* lists are short in loops that move values, so that few lookups are wasted */
    if (!set) return;
    bool stays = position < set->end && set->ids[position].index == covey__index(it->ids[it->at]);
    it->walk.next = position + 1;
    if (stays || !it->walk.refills || last_stays(it)) return;
    it->walk.next = position;
    it->walk.end--;
    covey__note_last(it);
}

/* The ids of a list of rows. */
static void note_ids(covey_iter *it) {
    const covey_entity *array = it->walk.array;
    const uint32_t *rows = it->rows;
    uint32_t count = it->stop;
    bool follow = array && count != 0 && rows[count - 1] - rows[0] == count - 1;
    if (follow) memcpy(it->ids, array + rows[0], count * sizeof *it->ids);
    for (uint32_t k = 0; !follow && k < count; k++) it->ids[k] = array ? array[rows[k]] : covey__entity(rows[k], 0);
}

static bool list_rows(covey_iter *it) {
    switch (it->walk.mode) {
    case COVEY__MODE_POSITIONS: return covey__next_position(it);
    case COVEY__MODE_ARRAY: return covey__list_rows_of_array(it);
    case COVEY__MODE_SLOTS: return covey__list_slots(it);
    default: return covey__list_rows_of_ids(it);
    }
}

uint64_t covey__rows_begin(covey_iter *it) {
    uint64_t blocks = 0;
    if (it->walk.simple && covey__rows_at_once(it, &blocks)) return blocks;
    it->stop = 0;
    if (it->walk.mode == COVEY__MODE_AT_ONCE) return 0;
    covey__walk_decide(&it->walk);
    if (it->walk.mode == COVEY__MODE_BLOCKS) return covey__next_row_page(it);
    covey__next_rows(it, false);
    return 0;
}

/* Decides how to go on after a list that was found at once, of which rows remain. */
static void decide_late(covey__walk *walk) {
    covey__walk was = *walk;
    covey__walk_decide(walk);
    walk->last = was.last;
    walk->next = walk->set ? was.next : walk->end;
    if (walk->set) {
        walk->begun = true;
        walk->end = was.end;
        return;
    }
    walk->first = was.first;
    walk->slot = was.slot;
    walk->slots = was.slots;
    for (uint32_t i = 0; i < walk->view->fields; i++) walk->columns[i].page = was.columns[i].page;
}

bool covey__next_rows(covey_iter *it, bool moved) {
    if (it->walk.mode == COVEY__MODE_NOTHING) return false;
    if (!moved && it->walk.along != 0) return covey__list_along(it);
    it->walk.along = 0;
    if (it->walk.mode == COVEY__MODE_AT_ONCE) decide_late(&it->walk);
    it->ended = false;
    if (moved) begin_anew(it);
    covey__walk_renew(&it->walk);
    if (it->walk.set && !it->walk.begun) {
        covey__array_begin(it);
        covey__note_last(it);
    }
    if (it->walk.set) it->walk.array = it->walk.set->ids;
    if (it->walk.shares) covey__ticks_share(it->walk.view->world);
    it->flat = 0;
    bool more = list_rows(it);
    if (it->flat == 0) note_ids(it);
    uint32_t longest = covey__longest_list(&it->walk);
    it->walk.most = it->walk.most * 2 < longest ? it->walk.most * 2 : longest;
    if (!more && it->walk.ticked != 0) covey__close_rows(it);
    return more;
}

/* The value of a present component, in a pool that may have disabled components or ticks. NULL if the term is optional
 * and the component is disabled. Notes a change if the field can be written. */
static COVEY__NOINLINE void *observed_value(const covey_iter *it, const covey_pool *pool, uint32_t index,
                                            uint32_t field) {
    const covey_view *view = it->walk.view;
    bool asked = field < view->with || (view->asks & COVEY__ASKS_COMPONENTS) != 0;
    if (!asked && covey__component_is_disabled(pool, index)) return NULL;
    if (pool->type->ticks && (view->reads >> field & 1) == 0) {
        covey__ticks_note(pool, index);
        if (pool->observers->filing && !covey__is_part(&it->walk)) covey__filing_open(pool, it, index, index, 1);
    }
    return covey__value_of_index(pool, index);
}

/* For a type that the world did not know when the iteration, or its page, began. */
static COVEY__NOINLINE void *late_value(const covey_iter *it, uint32_t index, uint32_t field) {
    const covey_pool *pool =
        covey__walk_is_old(&it->walk) ? covey_pool_find_raw(it->walk.view->world, it->walk.view->types[field]) : NULL;
    return covey__has_index(pool, index) ? observed_value(it, pool, index, field) : NULL;
}

void *covey__row_value(const covey_iter *it, uint32_t index, uint32_t field) {
    const covey_pool *pool = it->walk.columns[field].pool;
    if (!COVEY__LIKELY(pool != NULL)) return late_value(it, index, field);
    if (!covey__has_index(pool, index)) return NULL;
    bool slow = (pool->uses & COVEY__USE_SLOW_VALUES) != 0;
    return !COVEY__LIKELY(!slow) ? observed_value(it, pool, index, field) : covey__value_of_index(pool, index);
}

/* ---- Asking ------------------------------------------------------------------------------------------------------*/

static uint32_t count_positions(const covey_iter *it) {
    uint32_t count = 0;
    for (uint32_t at = 0; at < it->walk.end; at++) count += covey__matches_at(it, at);
    return count;
}

uint32_t covey_view_count(const covey_view *view) {
    COVEY__NEEDS_VIEW(view);
    covey_iter it;
    uint32_t count = 0;
    covey__iter_to_ask(&it, view);
    if (it.walk.mode == COVEY__MODE_NOTHING) return 0;
    if (it.walk.set) return count_positions(&it);
    it.walk.asks_more |= it.walk.looked_up != 0; /* values are not looked up: masks are enough */
    it.walk.looked_up = 0;
    for (uint64_t blocks = covey__next_row_page(&it); blocks != 0; blocks = covey__next_row_page(&it))
        for (; blocks != 0; blocks &= blocks - 1) count += covey__bits_in(it.matches[covey__lowest_bit(blocks)]);
    return count;
}

covey_entity covey_view_first(const covey_view *view) {
    COVEY__NEEDS_VIEW(view);
    covey_iter it;
    covey__iter_to_ask(&it, view);
    return covey__next_span(&it) ? covey_span_entity(&it, 0) : (covey_entity){ 0, 0 };
}

bool covey_view_contains(const covey_view *view, covey_entity e) {
    COVEY__NEEDS_VIEW(view);
    covey_iter it;
    covey__iter_to_ask(&it, view);
    return view->world && covey_alive(view->world, e) && covey__matches(&it, e.index);
}
