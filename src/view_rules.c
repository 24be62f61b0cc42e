/* The rules of iteration, which assertion level 2 checks: what changed since a span, or a row, began, and whether
 * that was allowed. At lower levels there is nothing to do. */

#include "observers.h"
#include "storage.h"
#include "view.h"

#include <stdio.h>

#if COVEY_ASSERT_LEVEL >= 2

/* Columns that only remember changes: of the pool that gives the order, and of disabled entities. */
enum { LEAD = COVEY_TERMS, HIDDEN, COLUMNS };

/* A pool of the iteration, or NULL. The world may have got its type since. */
static const covey_pool *pool_at(const covey_iter *it, uint32_t i) {
    if (i == LEAD) return it->walk.lead;
    if (i == HIDDEN) return (it->walk.view->asks & COVEY__ASKS_ENTITIES) == 0 ? it->walk.view->world->disabled : NULL;
    if (i >= covey__view_terms(it->walk.view)) return NULL;
    return it->walk.columns[i].pool ? it->walk.columns[i].pool
                                    : covey_pool_find_raw(it->walk.view->world, it->walk.view->types[i]);
}

static void remember_pools(covey_iter *it) {
    it->walk.destroyed = it->walk.view->world->destroyed.count;
    for (uint32_t i = 0; i < COLUMNS; i++) {
        const covey_pool *pool = pool_at(it, i);
        it->walk.columns[i].added = pool ? pool->added.count : 0;
        it->walk.columns[i].removed = pool ? pool->removed.count : 0;
        it->walk.columns[i].moved = pool ? pool->moved : 0;
    }
    if (!it->walk.group) return;
    it->walk.columns[LEAD].added = it->walk.group->joined;
    it->walk.columns[LEAD].removed = it->walk.group->left.count;
}

static void broken(const covey_iter *it, const covey_pool *pool, const char *rule) {
    char text[200];
    snprintf(text, sizeof text, "%s: %s", pool ? pool->type->name : "entities", rule);
    covey__contract_broken(it->walk.view->world, text, __FILE__, __LINE__);
}

/* Whether all living entities match. */
static bool asks_for_nothing(const covey_view *view) { return view->with == 0 && view->any == 0; }

static void check_span(const covey_iter *it) {
    const covey__column *members = &it->walk.columns[LEAD];
    if (it->walk.group && (it->walk.group->joined != members->added || it->walk.group->left.count != members->removed))
        broken(it, NULL, "one joined or left a group while a span of it was open");
    for (uint32_t i = 0; i < COLUMNS; i++) {
        const covey__column *column = &it->walk.columns[i];
        const covey_pool *pool = pool_at(it, i);
        if (pool && (pool->added.count != column->added || pool->removed.count != column->removed ||
                     pool->moved != column->moved))
            broken(it, pool, "the pool changed while a span of a view with it was open");
    }
    if (asks_for_nothing(it->walk.view) && it->walk.view->world->destroyed.count != it->walk.destroyed)
        broken(it, NULL, "one was destroyed while a span of a view was open");
}

/* Whether all changes since then were of this index. */
static bool only_of(const covey__trace *trace, uint32_t since, uint32_t index) {
    uint32_t count = trace->count - since;
    return count == 0 || (trace->index == index && trace->run >= count);
}

static bool is_there(const covey_iter *it, uint32_t i, uint32_t index) {
    bool asked = (it->walk.view->asks & COVEY__ASKS_COMPONENTS) != 0;
    return asked ? covey__has_index(pool_at(it, i), index) : covey__sees(pool_at(it, i), index);
}

/* Finds an excluded component that was added to an entity still to be visited. */
static void check_excluded_of(const covey_iter *it, uint32_t index) {
    for (uint32_t i = it->walk.view->fields; i < COLUMNS; i++)
        if (i != LEAD && index != it->walk.id && is_there(it, i, index))
            broken(it, pool_at(it, i), "another entity than the row's got it and is still to be visited");
}

static void check_excluded_ids(const covey_iter *it, uint32_t block, uint64_t ids) {
    for (; ids != 0; ids &= ids - 1)
        check_excluded_of(it, it->walk.first + block * COVEY__BLOCK_IDS + covey__lowest_bit(ids));
}

/* By id: another entity may have the index by now, which is not on the list. */
static void check_excluded_list(const covey_iter *it) {
    for (uint32_t k = it->at + 1; k < it->stop; k++) check_excluded_of(it, it->ids[k]);
}

/* The same for all matches still to be visited: the rest of the page, or of the list. */
static void check_excluded(const covey_iter *it, covey_row row) {
    bool blocks = it->walk.mode == COVEY__MODE_BLOCKS;
    uint64_t rows = blocks ? row.left & (row.left - 1) : it->walk.rest;
    uint64_t later = blocks ? row.blocks & (row.blocks - 1) : it->walk.blocks;
    if (it->walk.view->without == 0 && !pool_at(it, HIDDEN)) return;
    if (!blocks) check_excluded_list(it);
    if (it->walk.array) return;
    if (rows != 0) check_excluded_ids(it, blocks ? covey__lowest_bit(row.blocks) : it->block, rows);
    for (; later != 0; later &= later - 1)
        check_excluded_ids(it, covey__lowest_bit(later), it->matches[covey__lowest_bit(later)]);
}

/* Finds out whether the entity of the row has moved among those to visit, and would be visited again. */
static void check_place(const covey_iter *it, covey_row row) {
    uint32_t index = covey__row_index(it, row);
    if (!it->walk.set || !it->walk.refills || !covey__set_has(it->walk.set, index, it->walk.end - 1)) return;
    if (covey__slot_position(*covey__slot_of(it->walk.set, index)) != it->rows[it->at])
        broken(it, it->walk.lead, "the row's entity has another place in the order that is followed");
}

/* Finds components that other entities than the row's lost. */
static void check_lost(const covey_iter *it, uint32_t i) {
    const covey_pool *pool = pool_at(it, i);
    if (!pool || pool->removed.count == it->walk.columns[i].removed) return;
    if (pool->removed.index == COVEY_NONE)
        broken(it, pool, "the pool was cleared, converted or put in another order while rows were visited");
    else if (!only_of(&pool->removed, it->walk.columns[i].removed, it->walk.id))
        broken(it, pool, "another entity than the row's lost it while rows were visited");
}

static void check_row(const covey_iter *it, covey_row row) {
    const covey_view *view = it->walk.view;
    if (it->walk.group) {
        if (!only_of(&it->walk.group->left, it->walk.columns[LEAD].removed, it->walk.id))
            broken(it, NULL, "another one than the row's left a group while its rows were visited");
        check_place(it, row);
        return;
    }
    for (uint32_t i = 0; i < COLUMNS; i++) {
        bool optional = i >= view->with && i < (uint32_t)view->with + view->optional;
        if (i < view->fields ? !optional : i == LEAD) check_lost(it, i);
    }
    if (asks_for_nothing(view) && !only_of(&view->world->destroyed, it->walk.destroyed, it->walk.id))
        broken(it, NULL, "another one than the row's was destroyed while rows were visited");
    check_excluded(it, row);
    check_place(it, row);
}

void covey__span_begins(covey_iter *it) { remember_pools(it); }

void covey__span_ends(const covey_iter *it) {
    if (it->count != 0) check_span(it);
}

void covey__row_begins(covey_iter *it, covey_row row) {
    remember_pools(it);
    it->walk.id = covey__row_index(it, row);
}

void covey__row_ends(const covey_iter *it, covey_row row) {
    if (row.now) check_row(it, row);
}

#else

/* For programs at level 2 with a library below it. */
void covey__span_begins(covey_iter *it) { (void)it; }
void covey__span_ends(const covey_iter *it) { (void)it; }
void covey__row_begins(covey_iter *it, covey_row row) { it->walk.id = covey__row_index(it, row); }
void covey__row_ends(const covey_iter *it, covey_row row) { (void)it, (void)row; }

#endif
