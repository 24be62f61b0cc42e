/* The rules of iteration, which assertion level 1 checks: what changed since a span or a row began, and whether that
 * was allowed. A program at level 1 may use a library at level 0, which writes no traces; then only the numbers of
 * components are compared. */

#include "memory/inner.h"
#include "observe/observers.h"
#include "storage/storage.h"
#include "query/view.h"
#include "query/walk.h"

#include <stdio.h>

/* Columns that only remember changes: of the pool that gives the order, and of disabled entities. */
enum { LEAD = COVEY_TERMS, HIDDEN };

typedef struct source {
    const char *file;
    int line;
} source; /* of the call that is checked */

/* ---- Messages ----------------------------------------------------------------------------------------------------*/

/* What is said about a broken rule: the name of a pool comes after `before`, that of the view before `after`. */
typedef struct rule {
    const char *before, *between, *after;
} rule;

#define RECORD "record that into a command buffer"
static const rule span_rule = { "", " changed while a span of the ",
                                " was open: " RECORD ", or visit rows with covey_next_row" };
static const rule dead_span_rule = { "an entity", " was destroyed while a span of the ",
                                     " was open: " RECORD ", or visit rows with covey_next_row" };
static const rule group_span_rule = { "an entity", " joined or left while a span of the ",
                                      " was open: " RECORD ", or do it after the loop" };
static const rule lost_rule = { "another entity than the row's lost ", " while rows of the ",
                                " were visited: " RECORD ", or do it after the loop" };
static const rule order_rule = { "", " was cleared, converted or put in another order while rows of the ",
                                 " were visited: do it after the loop" };
static const rule place_rule = { "the row's entity moved in the order of ", ", which is followed, while rows of the ",
                                 " were visited: " RECORD ", or do it after the loop" };
static const rule group_place_rule = { "the row's entity", " moved among the members while rows of the ",
                                       " were visited: " RECORD ", or do it after the loop" };
static const rule dead_row_rule = { "another entity", " than the row's was destroyed while rows of the ",
                                    " were visited: " RECORD ", or do it after the loop" };
static const rule group_row_rule = { "another entity",
                                     " than the row's left, or one joined an inner group, while rows of the ",
                                     " were visited: " RECORD ", or do it after the loop" };

/* Appends to a text that has `used` characters, or would have them if it was long enough. */
static size_t append_text(char *text, size_t size, size_t used, const char *more) {
    size_t room = used < size ? size - used : 0;
    return used + (size_t)snprintf(text + size - room, room, "%s", more);
}

/* "view of Position, Velocity without Frozen". */
static void say_view(char *text, size_t size, const covey_iter *it) {
    const covey_view *view = it->walk.view;
    size_t used = append_text(text, size, 0, it->walk.group ? "group of " : "view of ");
    if (view->fields == 0) used = append_text(text, size, used, "all entities");
    for (uint32_t i = 0; i < covey__view_terms(view); i++) {
        used = append_text(text, size, used, i == view->fields ? " without " : i != 0 ? ", " : "");
        used = append_text(text, size, used, view->types[i]->name);
    }
}

static void broken(const covey_iter *it, const rule *broke, const covey_pool *pool, source by) {
    char view[200], text[512];
    say_view(view, sizeof view, it);
    snprintf(text, sizeof text, "%s%s%s%s%s", broke->before, pool ? pool->type->name : "", broke->between, view,
             broke->after);
    covey__contract_broken(it->walk.view->world, text, by.file, by.line);
}

/* ---- What is remembered ------------------------------------------------------------------------------------------*/

/* A pool of the iteration, or NULL. The pool may have been created after the iteration began. */
static const covey_pool *pool_at(const covey_iter *it, uint32_t i) {
    if (i == LEAD) return it->walk.lead;
    if (i == HIDDEN)
        return (it->walk.view->asks & COVEY__ASKS_ENTITIES) == 0 ? it->walk.view->world->inner->disabled : NULL;
    return COVEY__LIKELY(it->walk.columns[i].pool != NULL)
               ? it->walk.columns[i].pool
               : covey_pool_find_raw(it->walk.view->world, it->walk.view->types[i]);
}

/* Whether a pool has changed since it was remembered. */
static bool pool_differs(const covey__known *known, const covey_pool *pool) {
    if (!pool) return false;
    return pool->added.count != known->added || pool->removed.count != known->removed || pool->moved != known->moved ||
           covey_pool_count(pool) != known->count;
}

static void remember(covey__known *known, const covey_pool *pool) {
    known->added = pool ? pool->added.count : 0;
    known->removed = pool ? pool->removed.count : 0;
    known->moved = pool ? pool->moved : 0;
    known->count = pool ? covey_pool_count(pool) : 0;
}

/* A library at level 0 does not count changes: then every step checks. */
static void remember_all(covey_iter *it) {
    uint64_t changes = it->walk.view->world->changes;
    it->walk.changes = COVEY_ASSERT_LEVEL == 0 ? ~changes : changes;
    it->walk.destroyed = it->walk.view->world->destroyed.count;
    for (uint32_t i = 0; i < covey__view_terms(it->walk.view); i++) remember(&it->known[i], pool_at(it, i));
    remember(&it->known[LEAD], pool_at(it, LEAD));
    remember(&it->known[HIDDEN], pool_at(it, HIDDEN));
    if (!it->walk.group) return;
    it->known[LEAD].added = it->walk.group->front.joined;
    it->known[LEAD].removed = it->walk.group->left.count;
}

/* Whether all living entities match. */
static bool asks_for_nothing(const covey_view *view) { return view->with == 0 && view->any == 0; }

/* ---- Spans -------------------------------------------------------------------------------------------------------*/

static bool group_differs(const covey_iter *it) {
    const covey__known *known = &it->known[LEAD];
    return it->walk.group->front.joined != known->added || it->walk.group->left.count != known->removed;
}

/* The column whose pool has changed, or HIDDEN + 1. */
static uint32_t changed_column(const covey_iter *it) {
    for (uint32_t i = 0; i < covey__view_terms(it->walk.view); i++)
        if (pool_differs(&it->known[i], pool_at(it, i))) return i;
    for (uint32_t i = LEAD; i <= HIDDEN; i++)
        if (pool_differs(&it->known[i], pool_at(it, i))) return i;
    return HIDDEN + 1;
}

/* Finds a change of what an open span depends on. Reports one: a call often changes several pools. */
static void check_open(const covey_iter *it, source by) {
    bool dead = asks_for_nothing(it->walk.view) && it->walk.view->world->destroyed.count != it->walk.destroyed;
    uint32_t changed = changed_column(it);
    if (it->walk.group && group_differs(it)) broken(it, &group_span_rule, NULL, by);
    else if (changed <= HIDDEN) broken(it, &span_rule, pool_at(it, changed), by);
    else if (dead) broken(it, &dead_span_rule, NULL, by);
}

void covey__check_span(covey_iter *it, const char *file, int line) {
    if (!it) covey__contract_broken(NULL, "the iteration is NULL", file, line);
    covey__walk_decide(&it->walk);
    bool open = it->walk.visits == COVEY__VISITS_SPANS && it->count != 0;
    if (it->walk.mode == COVEY__MODE_NOTHING) return; /* the pools were not looked up */
    if (open) check_open(it, (source){ file, line });
    it->walk.visits = COVEY__VISITS_SPANS;
    remember_all(it);
}

/* ---- Excluded components -----------------------------------------------------------------------------------------*/

#if COVEY_ASSERT_LEVEL >= 2

static const rule got_rule = { "another entity than the row's got ", " and is still to be visited by the rows of the ",
                               ": " RECORD ", or do it after the loop" };

static bool is_there(const covey_iter *it, uint32_t i, uint32_t index) {
    bool asked = (it->walk.view->asks & COVEY__ASKS_COMPONENTS) != 0;
    return asked ? covey__has_index(pool_at(it, i), index) : covey__sees(pool_at(it, i), index);
}

/* Finds an excluded component that was added to an entity still to be visited. */
static void check_excluded_of(const covey_iter *it, uint32_t index, uint32_t own, source by) {
    if (index == own) return;
    for (uint32_t i = it->walk.view->fields; i < covey__view_terms(it->walk.view); i++)
        if (is_there(it, i, index)) broken(it, &got_rule, pool_at(it, i), by);
    if (is_there(it, HIDDEN, index)) broken(it, &got_rule, pool_at(it, HIDDEN), by);
}

static void check_excluded_ids(const covey_iter *it, uint32_t block, uint64_t ids, uint32_t own, source by) {
    for (; ids != 0; ids &= ids - 1)
        check_excluded_of(it, it->walk.first + block * COVEY__BLOCK_IDS + covey__lowest_bit(ids), own, by);
}

/* Compares handles: another entity, which is not on the list, may have the index now. */
static void check_excluded_list(const covey_iter *it, uint32_t own, source by) {
    for (uint32_t k = it->at + 1; k < it->stop; k++) check_excluded_of(it, covey__index(it->ids[k]), own, by);
}

/* The same for all matches still to be visited: the rest of the page, or of the list. */
static void check_excluded(const covey_iter *it, const covey_row *row, uint32_t own, source by) {
    bool blocks = it->walk.mode == COVEY__MODE_BLOCKS;
    uint64_t rows = blocks ? row->left & (row->left - 1) : it->walk.rest;
    uint64_t later = blocks ? row->blocks & (row->blocks - 1) : it->walk.blocks;
    if (it->walk.view->without == 0 && !pool_at(it, HIDDEN)) return;
    if (!blocks) check_excluded_list(it, own, by);
    if (it->walk.array) return;
    if (rows != 0) check_excluded_ids(it, blocks ? covey__lowest_bit(row->blocks) : it->block, rows, own, by);
    for (; later != 0; later &= later - 1)
        check_excluded_ids(it, covey__lowest_bit(later), it->matches[covey__lowest_bit(later)], own, by);
}

#else

static void check_excluded(const covey_iter *it, const covey_row *row, uint32_t own, source by) {
    (void)it, (void)row, (void)own, (void)by;
}

#endif

/* ---- Rows --------------------------------------------------------------------------------------------------------*/

/* Whether all changes since then were of this index. */
static bool only_of(const covey__trace *trace, uint32_t since, uint32_t index) {
    return trace->count == since || (trace->index == index && trace->before <= since);
}

/* Whether there are too few components, even if the row's entity had one that it lost. */
static bool are_missing(const covey__known *known, const covey_pool *pool, uint32_t index) {
    return (uint64_t)covey_pool_count(pool) + 1 < (uint64_t)known->count + covey__has_index(pool, index);
}

/* Finds components that other entities than the row's lost. */
static bool all_kept(const covey_iter *it, uint32_t i, uint32_t index, source by) {
    const covey_pool *pool = pool_at(it, i);
    const covey__known *known = &it->known[i];
    if (!pool_differs(known, pool)) return true;
    if (pool->removed.count != known->removed && pool->removed.index == COVEY_NONE) broken(it, &order_rule, pool, by);
    else if (!only_of(&pool->removed, known->removed, index) || are_missing(known, pool, index))
        broken(it, &lost_rule, pool, by);
    else return true;
    return false;
}

static bool terms_hold(const covey_iter *it, uint32_t index, source by) {
    const covey_view *view = it->walk.view;
    for (uint32_t i = 0; i < view->fields; i++) {
        bool optional = i >= view->with && i < (uint32_t)view->with + view->optional;
        if (!optional && !all_kept(it, i, index, by)) return false;
    }
    return all_kept(it, LEAD, index, by);
}

/* Finds out whether the entity of the row has moved among those to visit, and would be visited again. */
static void check_place(const covey_iter *it, uint32_t index, source by) {
    if (!it->walk.set || !it->walk.refills || !covey__set_has(it->walk.set, index, it->walk.end - 1)) return;
    uint32_t position = it->flat != 0 ? it->rows[0] + it->at : it->rows[it->at];
    if (covey__slot_position(*covey__slot_of(it->walk.set, index)) != position)
        broken(it, it->walk.lead ? &place_rule : &group_place_rule, it->walk.lead, by);
}

static void check_members(const covey_iter *it, uint32_t index, source by) {
    if (only_of(&it->walk.group->left, it->known[LEAD].removed, index)) check_place(it, index, by);
    else broken(it, &group_row_rule, NULL, by);
}

static void check_matches(const covey_iter *it, const covey_row *row, uint32_t index, source by) {
    const covey_view *view = it->walk.view;
    if (!terms_hold(it, index, by)) return;
    if (asks_for_nothing(view) && !only_of(&view->world->destroyed, it->walk.destroyed, index))
        broken(it, &dead_row_rule, NULL, by);
    check_excluded(it, row, index, by);
    check_place(it, index, by);
}

/* A row is { 0 } before the first match and after the last; in between, it belongs to this iteration. */
static bool is_of(const covey_iter *it, const covey_row *row) {
    if (!row->now) return row->left == 0 && row->blocks == 0;
    return it->walk.visits == COVEY__VISITS_ROWS &&
           (row->now == &it->walk.view->world->moves || row->now == it->walk.shifts);
}

void covey__check_row(covey_iter *it, const covey_row *row, const char *file, int line) {
    if (!it || !row) covey__contract_broken(NULL, "the iteration or the row is NULL", file, line);
    covey__walk_decide(&it->walk);
    if (row->left != 0 && it->walk.mode != COVEY__MODE_BLOCKS) it->at = covey__lowest_bit(row->left);
    const covey_world *world = it->walk.view->world;
    source by = { file, line };
    if (!is_of(it, row))
        covey__contract_broken(world, "a row that is not { 0 }, or of another iteration: covey_row row = { 0 };", file,
                               line);
    else if (row->now && it->walk.group) check_members(it, covey__row_index(it, *row), by);
    else if (row->now) check_matches(it, row, covey__row_index(it, *row), by);
    if (it->walk.mode != COVEY__MODE_NOTHING) remember_all(it);
}

/* ---- Fields ------------------------------------------------------------------------------------------------------*/

static bool is_field(const covey_view *view, uint32_t field, const covey_type *type) {
    if (field >= view->fields) return false;
    return COVEY__LIKELY(view->types[field] == type) || !type || strcmp(view->types[field]->name, type->name) == 0;
}

static COVEY__NOINLINE void break_field_type(const covey_iter *it, uint32_t field, const covey_type *type, source by) {
    const covey_view *view = it->walk.view;
    char name[200], text[512];
    say_view(name, sizeof name, it);
    snprintf(text, sizeof text, "field %u of the %s is %s, not %s", field, name,
             field < view->fields ? view->types[field]->name : "none", type ? type->name : "one of its fields");
    covey__contract_broken(view->world, text, by.file, by.line);
}

static COVEY__NOINLINE void no_span(const covey_iter *it, source by) {
    bool rows = it->walk.visits == COVEY__VISITS_ROWS;
    covey__contract_broken(it->walk.view->world,
                           rows ? "a field of a span, while rows are visited: use covey_row_field"
                                : "a field without a span: covey_next comes first",
                           by.file, by.line);
}

static COVEY__NOINLINE void no_row(const covey_iter *it, source by) {
    covey__contract_broken(it->walk.view->world,
                           it->count != 0 ? "a field of a row, while spans are visited: use covey_field"
                                          : "a field without a row: covey_next_row comes first",
                           by.file, by.line);
}

static COVEY__NOINLINE void was_removed(const covey_iter *it, uint32_t field, source by) {
    char text[200];
    snprintf(text, sizeof text, "%s was removed from the row's entity since its row began: read it before",
             it->walk.view->types[field]->name);
    covey__contract_broken(it->walk.view->world, text, by.file, by.line);
}

uint32_t covey__check_field(const covey_iter *it, uint32_t field, const covey_type *type, const char *file, int line) {
    if (!COVEY__LIKELY(it->count != 0)) no_span(it, (source){ file, line });
    if (!COVEY__LIKELY(is_field(it->walk.view, field, type))) break_field_type(it, field, type, (source){ file, line });
    return field;
}

/* Whether the row's entity has a component; it may be missing if the view does not require it. */
static bool is_kept(const covey_iter *it, uint32_t index, uint32_t field) {
    if (COVEY__LIKELY(it->walk.changes == it->walk.view->world->changes)) return true;
    return field >= it->walk.view->with || covey__has_index(pool_at(it, field), index);
}

uint32_t covey__check_row_field(const covey_iter *it, uint32_t index, uint32_t field, const covey_type *type,
                                const char *file, int line) {
    if (!COVEY__LIKELY(index != COVEY_NONE)) no_row(it, (source){ file, line });
    else if (!COVEY__LIKELY(is_kept(it, index, field))) was_removed(it, field, (source){ file, line });
    if (!COVEY__LIKELY(is_field(it->walk.view, field, type))) break_field_type(it, field, type, (source){ file, line });
    return field;
}
