/* Iterating: how it begins, what becomes of rows when values move, and what can be asked of a view without a loop. The
 * steps from one span, or row, to the next are inline in covey.h; batch.c finds who comes. */
#include "batch.h"
#include "bits.h"
#include "block_store.h"
#include "match.h"
#include "observers.h"
#include "storage.h"
#include "tick.h"
#include "view.h"

/* ---- Beginning ---------------------------------------------------------------------------------------------------*/

/* A number that grows when the world meets a type, or the first component of a type is disabled. */
static uint32_t known_to(const covey_world *world) { return world->pool_count + world->hiding; }

/* Whether it has since the iteration began: the types may be those of the view. */
static bool has_met_types(const covey_iter *it) { return it->pools != known_to(it->view->world); }

/* Finds out which terms can be disabled, for views that skip what is disabled. */
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

/* Into an iterator that the caller returns: it is large, and is not copied. */
static void begin(covey_iter *it, const covey_view *view) {
    memset(it, 0, offsetof(covey_iter, columns));
    it->view = view;
    for (uint32_t i = 0; i < COVEY__ROW_CHUNKS || i < covey__view_terms(view); i++)
        it->columns[i] = (covey__column){ .page = &covey__no_page };
    if (!view->world) return;
    it->shifts = &view->world->shifts;
    find_pools(it);
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

/* The spans of a list at most. Ticks are noted when a span is handed out. */
static uint32_t longest_list(const covey_iter *it) {
    return it->ticked != 0 ? 1 : it->view->fields > COVEY__FEW ? COVEY__PART : COVEY__BATCH;
}

static void walk_ids(covey_iter *it) {
    const covey_view *view = it->view;
    uint32_t sparse = 0;
    for (uint32_t i = 0; i < view->with; i++) sparse |= (uint32_t)!covey__in_blocks(it->columns[i].pool) << i;
    it->sorts = view->with == view->fields;
    it->end = pages_to_walk(it);
    it->asks_more |= it->lead || view->with == 0 || view->without != 0 || !it->sorts;
    it->mode = !it->sorts || it->ticked != 0 ? COVEY__MODE_IDS : sparse != 0 ? COVEY__MODE_MIXED : COVEY__MODE_BLOCKS;
    it->looked_up = it->sorts ? sparse : 0;
    it->direct = it->sorts ? ((1u << view->with) - 1) & ~sparse : 0;
    it->most = longest_list(it);
}

/* Looks up what does not lie beside the array. */
static void walk_array(covey_iter *it) {
    const covey_view *view = it->view;
    bool plain = view->with == view->fields && it->ticked == 0 && !it->hides && it->changed == 0;
    it->mode = plain ? COVEY__MODE_ARRAY : COVEY__MODE_POSITIONS;
    it->array = it->set->ids;
    it->looked_up = plain ? ((1u << view->fields) - 1) & ~it->direct : 0;
    for (uint32_t i = view->fields; plain && !it->group && i < covey__view_terms(view); i++)
        it->excluded |= (uint32_t)(it->columns[i].pool != NULL) << i;
    it->most = longest_list(it);
}

static void walk_set(covey_iter *it, const covey_pool *lead) {
    it->lead = lead;
    it->set = &lead->set;
    it->end = lead->set.end;
    it->refills = lead->set.policy == COVEY_SWAP_AND_POP || lead->set.policy == COVEY_SWAP_ONLY;
    for (uint32_t i = 0; i < it->view->with; i++) it->direct |= (uint32_t)(it->columns[i].pool == lead) << i;
    walk_array(it);
}

static void walk_by(covey_iter *it, const covey_pool *lead) {
    if (!lead || covey__in_blocks(lead)) walk_ids(it);
    else walk_set(it, lead);
}

static void begin_since(covey_iter *it, const covey_view *view, uint64_t tick) {
    begin(it, view);
    if (!all_known(it)) return;
    it->since = tick;
    it->changed = tick != 0 ? view->changed : 0;
    it->asks_more |= it->changed != 0;
    walk_by(it, smallest(it));
}

covey_iter covey_view_iter_since(const covey_view *view, uint64_t tick) {
    covey_iter it;
    begin_since(&it, view, tick);
    return it;
}

covey_iter covey_view_iter(const covey_view *view) {
    covey_iter it;
    begin_since(&it, view, 0);
    return it;
}

covey_iter covey_view_iter_by(const covey_view *view, const covey_pool *pool) {
    covey_iter it;
    begin(&it, view);
    COVEY__CONTRACT(view->world, pool && (!view->world || pool->world == view->world), "the pool is not of the world");
    if (!all_known(&it)) return it;
    it.lead = pool;
    find_hidden(&it);
    walk_by(&it, pool);
    return it;
}

covey_iter covey_view_iter_list(const covey_view *view, const covey_entity *entities, uint32_t count) {
    covey_iter it;
    begin(&it, view);
    if (!all_known(&it)) return it;
    it.mode = COVEY__MODE_POSITIONS;
    it.array = entities;
    it.end = count;
    return it;
}

covey_iter covey_group_iter(const covey_group *group) {
    COVEY__CONTRACT(NULL, group, "a call needs a group");
    covey_iter it;
    begin(&it, &group->view);
    it.hides = false; /* who is disabled is no member */
    it.group = group;
    it.set = group->owned != 0 ? &group->pools[0]->set : &group->set;
    it.direct = (1u << group->owned) - 1;
    it.end = covey_group_count(group);
    it.refills = true;
    walk_array(&it);
    return it;
}

void covey__iter_renew(covey_iter *it) {
    if (has_met_types(it)) find_pools(it);
}

uint64_t covey__next_row_page(covey_iter *it) {
    covey__page_list list;
    covey__iter_renew(it);
    return covey__next_page(it, &list);
}

void covey__note_last(covey_iter *it) { it->last = it->end != 0 ? it->set->ids[it->end - 1].index : COVEY_NONE; }

void covey__array_begin(covey_iter *it) {
    it->array = it->set->ids;
    if (it->end > it->set->end) it->end = it->set->end;
    covey__note_last(it);
}

uint32_t covey__check_field(const covey_iter *it, uint32_t field, const covey_type *type, const char *file, int line) {
    const covey_view *view = it->view;
    bool right =
        field < view->fields && (view->types[field] == type || strcmp(view->types[field]->name, type->name) == 0);
    if (!right) covey__contract_broken(view->world, "the field is not of this type", file, line);
    return field;
}

/* ---- Rows --------------------------------------------------------------------------------------------------------*/

/* Whether the last of those to visit is still where it was. */
static bool last_stays(const covey_iter *it) {
    return it->end <= it->set->end && it->set->ids[it->end - 1].index == it->last;
}

/* The rows of the list that are still to come are matches of the page again. */
static void put_back(covey_iter *it) {
    uint32_t bit = it->rows[it->at] - it->first;
    it->block = bit / COVEY__BLOCK_IDS;
    it->rest = it->matches[it->block] & (UINT64_MAX - 1) << bit % COVEY__BLOCK_IDS;
    it->blocks = it->opened & (UINT64_MAX - 1) << it->block;
}

/* Values have moved since the rows were listed, so that those to come are listed again. If the row's entity has left an
 * array, the last of those to visit may have taken its place: then it comes next, and there is one less. */
static void begin_anew(covey_iter *it) {
    const covey_sparse_set *set = it->set;
    uint32_t position = it->rows[it->at];
    if (!it->array) put_back(it);
    it->stop = 0;
    it->most = 1; /* lists are short where values move, so that few rows are looked up in vain */
    if (!set) return;
    bool stays = position < set->end && set->ids[position].index == it->ids[it->at];
    it->next = position + 1;
    if (stays || !it->refills || last_stays(it)) return;
    it->next = position;
    it->end--;
    covey__note_last(it);
}

static bool list_rows(covey_iter *it) {
    switch (it->mode) {
    case COVEY__MODE_POSITIONS: return covey__next_position(it);
    case COVEY__MODE_ARRAY: return covey__list_positions(it);
    default: return covey__list_ids(it);
    }
}

bool covey__next_rows(covey_iter *it, bool moved) {
    if (it->mode == COVEY__MODE_NOTHING) return false;
    if (moved) begin_anew(it);
    covey__iter_renew(it);
    if (it->set && it->next == 0) covey__array_begin(it);
    if (it->set) it->array = it->set->ids;
    bool more = list_rows(it);
    for (uint32_t k = 0; k < it->stop; k++) it->ids[k] = it->array ? it->array[it->rows[k]].index : it->rows[k];
    uint32_t longest = longest_list(it);
    it->most = it->most * 2 < longest ? it->most * 2 : longest;
    return more;
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

void *covey__row_value(const covey_iter *it, uint32_t index, uint32_t field) {
    const covey_pool *pool = it->columns[field].pool;
    if (!COVEY__LIKELY(pool != NULL)) return late_value(it, index, field);
    if (!covey__has_index(pool, index)) return NULL;
    bool closely = (pool->uses & COVEY__USE_CLOSELY) != 0;
    return !COVEY__LIKELY(!closely) ? watched_value(it, pool, index, field) : covey__value_of_index(pool, index);
}

/* ---- Asking ------------------------------------------------------------------------------------------------------*/

static uint32_t count_positions(const covey_iter *it) {
    uint32_t count = 0;
    for (uint32_t at = 0; at < it->end; at++) count += covey__matches_at(it, at);
    return count;
}

uint32_t covey_view_count(const covey_view *view) {
    covey_iter it = covey_view_iter(view);
    uint32_t count = 0;
    if (it.mode == COVEY__MODE_NOTHING) return 0;
    if (it.set) return count_positions(&it);
    it.asks_more |= it.looked_up != 0; /* which need not be: masks are enough */
    it.looked_up = 0;
    for (uint64_t blocks = covey__next_row_page(&it); blocks != 0; blocks = covey__next_row_page(&it))
        for (; blocks != 0; blocks &= blocks - 1) count += covey__bits_in(it.matches[covey__lowest_bit(blocks)]);
    return count;
}

covey_entity covey_view_first(const covey_view *view) {
    covey_iter it = covey_view_iter(view);
    it.ticked = 0; /* nobody writes */
    return covey__next_span(&it) ? covey_span_entity(&it, 0) : (covey_entity){ 0, 0 };
}

bool covey_view_contains(const covey_view *view, covey_entity e) {
    covey_iter it;
    begin(&it, view);
    return view->world && covey_alive(view->world, e) && covey__matches(&it, e.index);
}
