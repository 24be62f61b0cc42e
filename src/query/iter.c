/* Iterating: how an iteration begins, what happens to rows when values move, and questions about a view without a loop.
 * The steps from one span or row to the next are inline in covey/detail/iterate.h; batch.c finds the matches. */
#include "query/iter.h"

#include "query/batch.h"
#include "memory/bits.h"
#include "storage/block_store.h"
#include "change/entity.h"
#include "observe/guard.h"
#include "query/match.h"
#include "observe/observers.h"
#include "storage/storage.h"
#include "observe/tick.h"
#include "query/view.h"

/* ---- Beginning ---------------------------------------------------------------------------------------------------*/

static void begin_walk(covey__walk *walk, const covey_view *view) {
    memset(walk, 0, offsetof(covey__walk, columns));
    walk->view = view;
    walk->to = COVEY__NO_BLOCK;
    for (uint32_t i = 0; i < COVEY__ROW_CHUNKS || i < covey__view_terms(view); i++)
        walk->columns[i] = (covey__column){ .page = &covey__no_page };
    if (!view->world) return;
    walk->shifts = &view->world->shifts;
    covey__walk_find_pools(walk);
}

static bool all_known(const covey__walk *walk) {
    for (uint32_t i = 0; i < walk->view->with; i++)
        if (!walk->columns[i].pool) return false;
    return walk->view->world != NULL;
}

/* The smallest required pool, or NULL. */
static const covey_pool *smallest(const covey__walk *walk) {
    const covey_pool *found = NULL;
    for (uint32_t i = 0; i < walk->view->with; i++) {
        const covey_pool *pool = walk->columns[i].pool;
        if (!found || covey_pool_count(pool) < covey_pool_count(found)) found = pool;
    }
    return found;
}

/* The end of the pages to walk: the earliest end of a required pool. */
static uint32_t pages_to_walk(const covey__walk *walk) {
    uint32_t end = covey__block_limit(walk->view->world);
    if (walk->lead && walk->lead->blocks.end_page < end) end = walk->lead->blocks.end_page;
    for (uint32_t i = 0; i < walk->view->with; i++) {
        const covey_pool *pool = walk->columns[i].pool;
        if (covey__in_blocks(pool) && pool->blocks.end_page < end) end = pool->blocks.end_page;
    }
    return end;
}

/* The most spans in a batch. Ticks are noted when a span is handed out. */
static uint32_t longest_list(const covey__walk *walk) {
    return walk->ticked != 0 ? 1 : walk->view->fields > COVEY__FEW ? COVEY__PART : COVEY__BATCH;
}

/* The first page that may have matches. */
static uint32_t first_to_walk(const covey__walk *walk) {
    uint32_t first = walk->lead ? walk->lead->blocks.first_page : 0;
    for (uint32_t i = 0; i < walk->view->with; i++) {
        const covey_pool *pool = walk->columns[i].pool;
        if (covey__in_blocks(pool) && pool->blocks.first_page > first) first = pool->blocks.first_page;
    }
    return first;
}

static void walk_ids(covey__walk *walk) {
    const covey_view *view = walk->view;
    uint32_t sparse = 0;
    for (uint32_t i = 0; i < view->with; i++) sparse |= (uint32_t)!covey__in_blocks(walk->columns[i].pool) << i;
    walk->plans = view->with == view->fields;
    walk->next = first_to_walk(walk);
    walk->end = pages_to_walk(walk);
    walk->asks_more |= walk->lead || view->with == 0 || view->without != 0 || !walk->plans;
    walk->mode = !walk->plans || walk->ticked != 0 ? COVEY__MODE_IDS
                 : sparse != 0                     ? COVEY__MODE_MIXED
                                                   : COVEY__MODE_BLOCKS;
    walk->looked_up = walk->plans ? sparse : 0;
    walk->direct = walk->plans ? ((1u << view->with) - 1) & ~sparse : 0;
    walk->most = longest_list(walk);
}

/* Notes which fields have to be looked up: those that are not parallel to the array. */
static void walk_array(covey__walk *walk) {
    const covey_view *view = walk->view;
    bool plain = view->with == view->fields && walk->ticked == 0 && !walk->hides && walk->changed == 0;
    walk->mode = plain ? COVEY__MODE_ARRAY : COVEY__MODE_POSITIONS;
    walk->array = walk->set->ids;
    walk->looked_up = plain ? ((1u << view->fields) - 1) & ~walk->direct : 0;
    for (uint32_t i = view->fields; plain && !walk->group && i < covey__view_terms(view); i++)
        walk->excluded |= (uint32_t)(walk->columns[i].pool != NULL) << i;
    walk->most = longest_list(walk);
}

/* Walks the blocks that have members. Looks up fields that the group does not own. */
static void walk_group_blocks(covey__walk *walk) {
    walk->mode = COVEY__MODE_SLOTS;
    walk->end = walk->group->front.borders.count;
    walk->direct = (1u << covey__group_owned(walk->group)) - 1;
    walk->looked_up = ((1u << walk->view->fields) - 1) & ~walk->direct;
    walk->most = longest_list(walk);
}

static void walk_set(covey__walk *walk, const covey_pool *lead) {
    walk->lead = lead;
    walk->set = &lead->set;
    walk->end = lead->set.end;
    walk->refills = lead->set.policy == COVEY_SWAP_AND_POP || lead->set.policy == COVEY_SWAP_ONLY;
    for (uint32_t i = 0; i < walk->view->with; i++) walk->direct |= (uint32_t)(walk->columns[i].pool == lead) << i;
    walk_array(walk);
}

static void walk_by(covey__walk *walk, const covey_pool *lead) {
    if (!lead || covey__in_blocks(lead)) walk_ids(walk);
    else walk_set(walk, lead);
}

/* Walks by id, because ticks are stored by id and tell which blocks have changes. */
static void walk_changes(covey__walk *walk) {
    walk_ids(walk);
    walk->next = covey__page_from(walk, walk->next);
}

static void begin_since(covey__walk *walk, const covey_view *view, uint64_t tick) {
    begin_walk(walk, view);
    if (!all_known(walk)) return;
    walk->since = tick;
    walk->changed = tick != 0 ? view->changed : 0;
    walk->asks_more |= walk->changed != 0;
    if (walk->changed != 0) walk_changes(walk);
    else walk_by(walk, smallest(walk));
}

/* A separate function that never takes the address of the iterator, so that compilers do not copy its empty lists. */
static COVEY__NOINLINE covey_iter iterate(const covey__walk *walk) {
    covey_iter it;
    it.count = it.at = it.stop = it.block = 0;
    it.left = 0;
    it.varies = it.slotted = false;
    it.walk = *walk;
    return it;
}

/* Like iterate, for an iterator of the caller. */
static void start(covey_iter *it) {
    it->count = it->at = it->stop = it->block = 0;
    it->left = 0;
    it->varies = it->slotted = false;
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

void covey__iter_begin(covey_iter *it, const covey_view *view) {
    start(it);
    if (covey__view_bound(view) != 0) {
        begin_since(&it->walk, view, 0);
        return;
    }
    memset(&it->walk, 0, offsetof(covey__walk, columns));
    it->walk.view = view;
}

covey_iter covey_view_iter_since(const covey_view *view, uint64_t tick) {
    COVEY__NEEDS_VIEW(view);
    covey__walk walk;
    covey__check_view(view, false);
    begin_since(&walk, view, tick);
    return iterate(&walk);
}

covey_iter covey__view_iter_to_ask(const covey_view *view) {
    covey__walk walk;
    begin_since(&walk, view, 0);
    return iterate(&walk);
}

covey_iter covey_view_iter(const covey_view *view) {
    COVEY__NEEDS_VIEW(view);
    covey__walk walk;
    covey__check_view(view, false);
    begin_since(&walk, view, 0);
    return iterate(&walk);
}

covey_iter covey_view_iter_by(const covey_view *view, const covey_pool *pool) {
    COVEY__NEEDS_VIEW(view);
    covey__walk walk;
    covey__check_view(view, false);
    begin_walk(&walk, view);
    COVEY__CONTRACT(view->world, pool && (!view->world || pool->world == view->world),
                    "the pool belongs to another world");
    if (!all_known(&walk)) return iterate(&walk);
    walk.lead = pool;
    covey__walk_find_hidden(&walk);
    walk_by(&walk, pool);
    return iterate(&walk);
}

covey_iter covey_view_iter_list(const covey_view *view, const covey_entity *entities, uint32_t count) {
    COVEY__NEEDS_VIEW(view);
    covey__walk walk;
    covey__check_view(view, false);
    begin_walk(&walk, view);
    if (!all_known(&walk)) return iterate(&walk);
    walk.mode = COVEY__MODE_POSITIONS;
    walk.array = entities;
    walk.end = count;
    return iterate(&walk);
}

static void begin_group(covey__walk *walk, const covey_group *group) {
    begin_walk(walk, &group->view);
    walk->hides = false; /* disabled entities are not members */
    walk->group = group;
    if (group->front.by_block) {
        walk_group_blocks(walk);
        return;
    }
    walk->set = covey__group_owned(group) != 0 ? &group->pools[0]->set : &group->members;
    walk->direct = (1u << covey__group_owned(group)) - 1;
    walk->end = covey_group_count(group);
    walk->refills = true;
    walk_array(walk);
}

covey_iter covey_group_iter(const covey_group *group) {
    COVEY__CONTRACT(NULL, group, "a call needs a group");
    covey__walk walk;
    covey__check_view(&group->view, true);
    begin_group(&walk, group);
    return iterate(&walk);
}

void covey__iter_begin_group(covey_iter *it, const covey_group *group) {
    start(it);
    begin_group(&it->walk, group);
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
        uint32_t held = covey__in_blocks(pool) ? covey__blocks_end(&pool->blocks) : end;
        if (held < end) end = held;
    }
    if (walk->lead && covey__in_blocks(walk->lead) && covey__blocks_end(&walk->lead->blocks) < end)
        end = covey__blocks_end(&walk->lead->blocks);
    if (end != UINT32_MAX) return end;
    uint32_t alive = covey__entities_end(walk->view->world);
    return alive / COVEY__BLOCK_IDS + (alive % COVEY__BLOCK_IDS != 0);
}

/* The first block that may have matches. */
static uint32_t first_block(const covey__walk *walk) {
    bool known = walk->lead && covey__in_blocks(walk->lead);
    uint32_t first = known ? covey__blocks_first(&walk->lead->blocks) : 0;
    for (uint32_t i = 0; i < walk->view->with; i++) {
        const covey_pool *pool = walk->columns[i].pool;
        if (!covey__in_blocks(pool)) continue;
        uint32_t held = covey__blocks_first(&pool->blocks);
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

uint32_t covey_iter_length(const covey_iter *it) {
    COVEY__CONTRACT(NULL, it, "a call needs an iteration");
    if (it->walk.mode == COVEY__MODE_NOTHING) return 0;
    return is_by_position(&it->walk) ? it->walk.end : ids_of_blocks(blocks_to_walk(&it->walk));
}

uint32_t covey__iter_first(const covey_iter *it) {
    if (it->walk.mode == COVEY__MODE_NOTHING || is_by_position(&it->walk)) return 0;
    return ids_of_blocks(first_block(&it->walk));
}

/* The blocks, and pages, of ids that a part visits. */
static void cut_ids(covey__walk *walk, uint32_t first, uint32_t end) {
    walk->from = first / COVEY__BLOCK_IDS;
    walk->to = end / COVEY__BLOCK_IDS + (end % COVEY__BLOCK_IDS != 0);
    if (walk->next < first / COVEY__BLOCK_PAGE) walk->next = first / COVEY__BLOCK_PAGE;
    walk->end = end / COVEY__BLOCK_PAGE + (end % COVEY__BLOCK_PAGE != 0);
}

static void cut_walk(const covey__walk *whole, uint32_t first, uint32_t end, covey__walk *part) {
    uint32_t limit = limit_of(whole), columns = covey__view_terms(whole->view);
    if (columns < COVEY__ROW_CHUNKS) columns = COVEY__ROW_CHUNKS;
    if (end > limit) end = limit;
    COVEY__CONTRACT(whole->view->world, first % COVEY__BLOCK_IDS == 0 && (end % COVEY__BLOCK_IDS == 0 || end == limit),
                    "a part of an iteration must begin and end at multiples of 64");
    memcpy(part, whole, offsetof(covey__walk, columns) + columns * sizeof(covey__column));
    if (first >= end) part->mode = COVEY__MODE_NOTHING;
    else if (!is_by_position(part)) cut_ids(part, first, end);
    else part->next = first, part->end = end, part->shares = true;
}

covey_iter covey_iter_part(const covey_iter *whole, uint32_t first, uint32_t end) {
    COVEY__CONTRACT(NULL, whole, "a call needs an iteration");
    covey__walk walk;
    cut_walk(&whole->walk, first, end, &walk);
    return iterate(&walk);
}

void covey__iter_part(const covey_iter *whole, uint32_t first, uint32_t end, covey_iter *part) {
    start(part);
    cut_walk(&whole->walk, first, end, &part->walk);
}

/* ---- Rows --------------------------------------------------------------------------------------------------------*/

uint64_t covey__next_row_page(covey_iter *it) {
    covey__page_list list;
    return covey__open_page(it, &list);
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
    uint32_t position = it->rows[it->at];
    if (it->walk.mode == COVEY__MODE_SLOTS) covey__slots_anew(it);
    else if (!it->walk.array) put_rows_back(it);
    it->stop = 0;
    it->walk.most = 1; /* lists are short in loops that move values, so that few lookups are wasted */
    if (!set) return;
    bool stays = position < set->end && set->ids[position].index == it->ids[it->at];
    it->walk.next = position + 1;
    if (stays || !it->walk.refills || last_stays(it)) return;
    it->walk.next = position;
    it->walk.end--;
    covey__note_last(it);
}

static bool list_rows(covey_iter *it) {
    switch (it->walk.mode) {
    case COVEY__MODE_POSITIONS: return covey__next_position(it);
    case COVEY__MODE_ARRAY: return covey__list_positions(it);
    case COVEY__MODE_SLOTS: return covey__list_slots(it);
    default: return covey__list_ids(it);
    }
}

bool covey__next_rows(covey_iter *it, bool moved) {
    if (it->walk.mode == COVEY__MODE_NOTHING) return false;
    if (moved) begin_anew(it);
    covey__walk_renew(&it->walk);
    if (it->walk.set && !it->walk.begun) {
        covey__array_begin(it);
        covey__note_last(it);
    }
    if (it->walk.set) it->walk.array = it->walk.set->ids;
    if (it->walk.shares) covey__ticks_share(it->walk.view->world);
    bool more = list_rows(it);
    for (uint32_t k = 0; k < it->stop; k++)
        it->ids[k] = it->walk.array ? it->walk.array[it->rows[k]].index : it->rows[k];
    uint32_t longest = longest_list(&it->walk);
    it->walk.most = it->walk.most * 2 < longest ? it->walk.most * 2 : longest;
    return more;
}

/* The value of a present component, in a pool that may have disabled components or ticks. NULL if the term is optional
 * and the component is disabled. Notes a change if the field can be written. */
static COVEY__NOINLINE void *observed_value(const covey_iter *it, const covey_pool *pool, uint32_t index,
                                            uint32_t field) {
    const covey_view *view = it->walk.view;
    bool asked = field < view->with || (view->asks & COVEY__ASKS_COMPONENTS) != 0;
    if (!asked && covey__component_is_disabled(pool, index)) return NULL;
    if (pool->type->ticks && (view->reads >> field & 1) == 0) covey__ticks_note(pool, index);
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
    covey_iter it = covey__view_iter_to_ask(view);
    uint32_t count = 0;
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
    covey_iter it = covey__view_iter_to_ask(view);
    it.walk.ticked = 0; /* nothing is written */
    return covey__next_span(&it) ? covey_span_entity(&it, 0) : (covey_entity){ 0, 0 };
}

bool covey_view_contains(const covey_view *view, covey_entity e) {
    COVEY__NEEDS_VIEW(view);
    covey__walk walk;
    begin_walk(&walk, view);
    covey_iter it = iterate(&walk);
    return view->world && covey_alive(view->world, e) && covey__matches(&it, e.index);
}
