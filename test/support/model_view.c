/* Operations on views: a random view, iterated in a random way, visits what a look at every entity finds. */
#include "model_world.h"

#include <stdlib.h>

typedef enum way { WAY_VIEW, WAY_POOL, WAY_LIST } way;

/* An iteration of a random view. */
typedef struct tour {
    covey_view_desc desc;
    covey_view view;
    way way;
    const oracle_pool *lead; /* whose order is followed; NULL: that of indices, or of the list */
    uint32_t listed;         /* entities of m->batch */
    covey_iter it;
} tour;

/* ---- Lists --------------------------------------------------------------------------------------------------------*/

void model_append(model_list *list, covey_entity e) {
    if (list->count == list->capacity) {
        list->capacity = list->capacity * 2 + 64;
        list->ids = realloc(list->ids, list->capacity * sizeof *list->ids);
        if (!list->ids) abort();
    }
    list->ids[list->count++] = e;
}

bool model_is_in(const model_list *list, covey_entity e) {
    for (uint32_t i = 0; i < list->count; i++)
        if (covey_same(list->ids[i], e)) return true;
    return false;
}

void model_expect(model *m, const model_list *list) {
    model_turns *turns = &m->turns;
    if (turns->capacity < m->oracle->index_count) {
        turns->capacity = m->oracle->index_count;
        turns->due = realloc(turns->due, turns->capacity * sizeof *turns->due);
        if (!turns->due) abort();
    }
    if (turns->capacity != 0) memset(turns->due, 0, turns->capacity * sizeof *turns->due);
    for (uint32_t i = 0; i < list->count; i++) turns->due[list->ids[i].index] = true;
    turns->count = list->count;
}

/* An index that is due is not used again before its entity was visited. */
bool model_is_due(const model *m, covey_entity e) {
    return e.generation != 0 && e.index < m->turns.capacity && m->turns.due[e.index];
}

bool model_take_turn(model *m, covey_entity e) {
    if (!model_is_due(m, e)) return false;
    m->turns.due[e.index] = false;
    m->turns.count--;
    return true;
}

/* ---- Choosing -----------------------------------------------------------------------------------------------------*/

static bool is_named(const covey_type *const *types, uint32_t count, const covey_type *type) {
    for (uint32_t i = 0; i < count; i++)
        if (types[i]->name && strcmp(types[i]->name, type->name) == 0) return true;
    return false;
}

/* Every type of the program may be a term of any kind. Now and then the description is wrong. */
static void pick_desc(model *m, covey_view_desc *desc) {
    program *p = &m->program;
    const covey_type **const kinds[] = { desc->with, desc->with, desc->optional, desc->any, desc->without };
    const covey_type *named[VALUE_TYPES + VALUE_DESCRIPTIONS];
    uint32_t used[4] = { 0 }, count = 0, reads = 0;
    static const uint32_t slot[] = { 0, 0, 1, 2, 3 };
    bool careless = program_chance(p, 12);
    *desc = (covey_view_desc){ .with = { NULL } };
    for (uint32_t i = 0; i < m->type_count; i++) {
        const covey_type *type = m->types[i];
        uint32_t kind = program_below(p, 7);
        bool wrong = !oracle_type_valid(type) || is_named(named, count, type);
        if (kind > 4 || (wrong && !careless) || used[slot[kind]] == COVEY_TERMS) continue;
        if (!wrong) named[count++] = type;
        kinds[kind][used[slot[kind]]++] = type;
        if ((kind != 4 || careless) && reads < COVEY_TERMS && program_chance(p, 64)) desc->read[reads++] = type;
    }
    if (!model_is_about_visibility(m)) return;
    uint32_t kind = program_below(p, 20);
    desc->include_disabled = kind == 19;
    if (kind < 5 && used[slot[kind]] < COVEY_TERMS) kinds[kind][used[slot[kind]]++] = covey_id(covey_disabled);
}

static void check_view(model *m, const tour *t, bool valid) {
    const covey_view *view = &t->view;
    uint32_t fields = valid ? oracle_view_fields(&t->desc) : 0;
    REQUIRE(m, covey_view_valid(view) == valid, "a view is valid and not");
    REQUIRE(m, covey_view_fields(view) == fields, "%u fields, not %u", covey_view_fields(view), fields);
    REQUIRE(m, !covey_view_type(view, fields), "a field behind the last");
    for (uint32_t i = 0; i < fields; i++) {
        REQUIRE(m, covey_view_type(view, i) == oracle_view_type(&t->desc, i), "field %u is of another type", i);
        REQUIRE(m, covey_view_is_read_only(view, i) == oracle_view_is_read_only(&t->desc, i),
                "field %u is read and not", i);
    }
}

static void pick_list(model *m, tour *t) {
    bool many = program_chance(&m->program, 48);
    t->listed = many ? program_below(&m->program, MODEL_BATCH) : model_pick_batch(m, NULL);
    for (uint32_t i = 0; many && i < t->listed; i++) m->batch[i] = model_pick(m);
}

static void pick_way(model *m, tour *t) {
    uint32_t how = program_below(&m->program, 8);
    t->way = how < 4 || (how < 6 && m->oracle->pool_count == 0) ? WAY_VIEW : how < 6 ? WAY_POOL : WAY_LIST;
    if (t->way == WAY_POOL) t->lead = &m->oracle->pools[program_below(&m->program, m->oracle->pool_count)];
    else if (t->way == WAY_VIEW) t->lead = oracle_view_lead(m->oracle, &t->desc);
    else pick_list(m, t);
}

static void begin(model *m, tour *t) {
    if (t->way == WAY_VIEW) t->it = covey_view_iter(&t->view);
    else if (t->way == WAY_LIST) t->it = covey_view_iter_list(&t->view, m->batch, t->listed);
    else t->it = covey_view_iter_by(&t->view, covey_pool_find_raw(m->world, t->lead->type));
}

/* Makes a view. A wrong description gives one that matches nothing, which is used all the same. */
static bool pick_tour(model *m, tour *t) {
    *t = (tour){ .lead = NULL };
    pick_desc(m, &t->desc);
    bool valid = oracle_view_valid(&t->desc);
    if (program_chance(&m->program, 24)) {
        const char *why = NULL;
        t->view = covey_view_make_const(m->world, &t->desc, &why);
        REQUIRE(m, covey_view_valid(&t->view) == valid && (why == NULL) == valid, "a view of a reader: %s", why);
        for (uint32_t i = 0; valid && i < t->view.fields; i++) t->desc.read[i] = t->view.types[i];
    } else {
        t->view = covey_view_make(m->world, &t->desc);
        model_settle(m, covey_view_valid(&t->view), valid ? COVEY_OK : COVEY_ERROR_TYPE);
    }
    check_view(m, t, valid);
    pick_way(m, t);
    m->wanted.count = m->visited.count = 0;
    return valid;
}

/* ---- What is wanted -----------------------------------------------------------------------------------------------*/

/* Whether an iteration that began now would visit the entity. */
static bool is_on_tour(model *m, const tour *t, covey_entity e) {
    bool led = t->way == WAY_LIST || !t->lead || oracle_view_sees(m->oracle, &t->desc, t->lead->type, e);
    return led && oracle_view_matches(m->oracle, &t->desc, e);
}

static void want(model *m, const tour *t, covey_entity e) {
    if (is_on_tour(m, t, e)) model_append(&m->wanted, e);
}

static bool is_sparse_lead(const oracle_pool *lead) { return lead && !lead->set->by_index; }

static int by_age(const void *a, const void *b) {
    covey_entity left = *(const covey_entity *)a, right = *(const covey_entity *)b;
    if (left.generation != right.generation) return left.generation < right.generation ? 1 : -1;
    return left.index < right.index ? -1 : left.index > right.index;
}

static void want_all(model *m, const tour *t, bool rows) {
    const covey_entity *ids = t->way == WAY_LIST ? m->batch : is_sparse_lead(t->lead) ? t->lead->set->ids : NULL;
    uint32_t count = t->way == WAY_LIST ? t->listed : ids ? t->lead->set->end : 0;
    bool backwards = rows && m->oracle->fault == ORACLE_VIEWS_ROWS_BACKWARD;
    m->wanted.count = m->visited.count = 0;
    for (uint32_t i = 0; i < count; i++) want(m, t, ids[backwards ? count - 1 - i : i]);
    if (t->way == WAY_LIST || ids) return;
    covey_entity e = oracle_next(m->oracle, 0);
    for (; !covey_is_null(e); e = oracle_next(m->oracle, (uint64_t)e.index + 1)) want(m, t, e);
    if (!rows && m->oracle->fault == ORACLE_VIEWS_BLOCKS_BY_AGE && m->wanted.count != 0)
        qsort(m->wanted.ids, m->wanted.count, sizeof *m->wanted.ids, by_age);
}

static void compare_visits(model *m) {
    const model_list *wanted = &m->wanted, *visited = &m->visited;
    REQUIRE(m, visited->count == wanted->count, "%u entities were visited, not %u", visited->count, wanted->count);
    for (uint32_t i = 0; i < wanted->count; i++)
        REQUIRE(m, covey_same(visited->ids[i], wanted->ids[i]), "visit %u is of %u:%u, not of %u:%u", i,
                visited->ids[i].index, visited->ids[i].generation, wanted->ids[i].index, wanted->ids[i].generation);
}

void model_check_field(model *m, const covey_type *type, covey_entity e, const void *at) {
    const oracle_pool *pool = oracle_pool_of(m->oracle, type);
    const void *wanted = pool ? oracle_get(m->oracle, pool, e) : NULL;
    REQUIRE(m, (at != NULL) == (wanted != NULL), "%u:%u and its %s", e.index, e.generation, type->name);
    if (!at) return;
    REQUIRE(m, memcmp(at, wanted, type->size) == 0, "the %s of %u:%u is wrong", type->name, e.index, e.generation);
    REQUIRE(m, type->size == 0 || at == covey_get_raw(m->world, e, type), "another address");
}

/* What the view does not see is not there; what it hands out may be written, unless it says otherwise. */
static void check_field(model *m, const tour *t, uint32_t field, covey_entity e, const void *at) {
    const covey_type *type = oracle_view_type(&t->desc, field);
    bool seen = oracle_view_sees(m->oracle, &t->desc, type, e);
    REQUIRE(m, (at != NULL) == seen, "%u:%u and its %s, as the view sees it", e.index, e.generation, type->name);
    if (!seen || type == covey_id(covey_disabled)) return;
    model_check_field(m, type, e, at);
    if (!oracle_view_is_read_only(&t->desc, field)) model_touch(m, type, e);
}

/* ---- Spans --------------------------------------------------------------------------------------------------------*/

static void visit_span(model *m, const tour *t) {
    const covey_iter *it = &t->it;
    REQUIRE(m, it->count != 0, "a span of nothing");
    for (uint32_t row = 0; row < it->count; row++) {
        covey_entity e = covey_span_entity(it, row);
        model_append(&m->visited, e);
        for (uint32_t i = 0; i < covey_view_fields(&t->view); i++) {
            const char *at = covey_field_raw(it, i);
            check_field(m, t, i, e, at ? at + (size_t)row * covey_view_type(&t->view, i)->size : NULL);
        }
    }
}

static bool is_too_costly(model *m) {
    return m->options->crowd >= 1000 && m->options->view_every == 0 && program_below(&m->program, 16) != 0;
}

static void walk_spans(model *m, tour *t, bool valid) {
    if (valid) want_all(m, t, false);
    begin(m, t);
    while (covey_next(&t->it)) visit_span(m, t);
    REQUIRE(m, !covey_next(&t->it) && t->it.count == 0, "an iteration goes on after its end");
    compare_visits(m);
}

/* ---- Rows ---------------------------------------------------------------------------------------------------------*/

static void check_row(model *m, const tour *t, covey_row row, covey_entity e) {
    REQUIRE(m, covey_same(covey_row_entity(&t->it, row), e), "the row is of another entity");
    for (uint32_t i = 0; i < covey_view_fields(&t->view); i++)
        check_field(m, t, i, e, covey_row_field_raw(&t->it, row, i));
}

static void walk_rows(model *m, tour *t, bool valid) {
    covey_row row = { 0 };
    if (valid) want_all(m, t, true);
    begin(m, t);
    while (covey_next_row(&t->it, &row)) {
        covey_entity e = covey_row_entity(&t->it, row);
        model_append(&m->visited, e);
        check_row(m, t, row, e);
    }
    REQUIRE(m, !covey_next_row(&t->it, &row), "an iteration goes on after its end");
    compare_visits(m);
}

/* Both forms visit the same, in the same order. */
static void spans(model *m) {
    tour t;
    if (is_too_costly(m)) return;
    bool valid = pick_tour(m, &t);
    walk_spans(m, &t, valid);
    walk_rows(m, &t, valid);
}

static void rows(model *m) {
    tour t;
    if (is_too_costly(m)) return;
    bool valid = pick_tour(m, &t);
    walk_rows(m, &t, valid);
    walk_spans(m, &t, valid);
}

/* ---- Questions ----------------------------------------------------------------------------------------------------*/

static void ask(model *m) {
    tour t;
    if (is_too_costly(m)) return;
    bool valid = pick_tour(m, &t);
    t.way = WAY_VIEW;
    t.lead = oracle_view_lead(m->oracle, &t.desc);
    if (valid) want_all(m, &t, false);
    uint32_t count = covey_view_count(&t.view);
    covey_entity first = covey_view_first(&t.view), wanted = { 0, 0 };
    if (m->wanted.count != 0) wanted = m->wanted.ids[0];
    REQUIRE(m, count == m->wanted.count, "%u are counted, not %u", count, m->wanted.count);
    REQUIRE(m, covey_same(first, wanted), "%u:%u is the first, not %u:%u", first.index, first.generation, wanted.index,
            wanted.generation);
    for (uint32_t i = 0; i < 8; i++) {
        covey_entity e = model_pick(m);
        bool contained = valid && oracle_view_matches(m->oracle, &t.desc, e);
        REQUIRE(m, covey_view_contains(&t.view, e) == contained, "%u:%u is contained and not", e.index, e.generation);
    }
}

/* ---- Rows that change ---------------------------------------------------------------------------------------------*/

static bool has(model *m, const covey_type *type, covey_entity e) {
    const oracle_pool *pool = oracle_pool_of(m->oracle, type);
    return pool && oracle_has(m->oracle, pool, e);
}

/* The row's entity loses or gets components, any of them, or its life. Not the same one twice: an entity that lost its
 * place in a pool in place may get another one. */
static void change_row(model *m, covey_entity e) {
    if (program_chance(&m->program, 48)) {
        model_destroy(m, e);
        return;
    }
    bool toggles = model_is_about_visibility(m);
    if (toggles && program_chance(&m->program, 48)) model_toggle(m, NULL, e, true);
    for (uint32_t i = 0; i < m->type_count; i++) {
        const covey_type *type = m->types[i];
        if (!program_chance(&m->program, 64) || !oracle_type_valid(type) || is_named(m->types, i, type)) continue;
        if (!has(m, type, e)) model_add(m, type, e);
        else if (toggles && program_chance(&m->program, 128)) model_toggle(m, type, e, true);
        else model_remove(m, type, e);
    }
}

/* Another entity, old or new, gets a component that the view does not exclude. What was not on the tour before may or
 * may not be visited. */
static void change_other(model *m, const tour *t, model_list *gained) {
    bool old = m->oracle->alive >= m->options->crowd || program_chance(&m->program, 64);
    covey_entity other = old ? model_pick(m) : model_create(m);
    const covey_type *type = model_pick_type(m);
    if (!old) model_append(gained, other);
    bool there = has(m, type, other), toggles = there && model_is_about_visibility(m);
    if (!oracle_alive(m->oracle, other) || !oracle_type_valid(type) || (there && !toggles)) return;
    for (uint32_t i = 0; i < COVEY_TERMS && t->desc.without[i]; i++)
        if (t->desc.without[i]->name && strcmp(t->desc.without[i]->name, type->name) == 0) return;
    if (!is_on_tour(m, t, other)) model_append(gained, other);
    if (toggles) model_toggle(m, type, other, false);
    else model_add(m, type, other);
}

/* In a list, the entities that were wanted at the beginning come in order and once. One that stopped matching can only
 * be an entity that was visited and is listed again. */
static bool is_next_of_list(model *m, const tour *t, uint32_t *next, covey_entity e) {
    const model_list *wanted = &m->wanted;
    while (*next < wanted->count && !is_on_tour(m, t, wanted->ids[*next])) ++*next;
    if (*next == wanted->count || !covey_same(wanted->ids[*next], e)) return false;
    ++*next;
    return true;
}

/* The first entity that is due in the present order, from the last row's place on: the entity that was swapped into the
 * place of a removed row comes next. */
static covey_entity next_due(const model *m, const tour *t, uint32_t *place) {
    bool sparse = is_sparse_lead(t->lead);
    const covey_entity *ids = sparse ? t->lead->set->ids : m->wanted.ids;
    uint32_t end = sparse ? t->lead->set->end : m->wanted.count, at = *place;
    while (at < end && !model_is_due(m, ids[at])) at++;
    if (!sparse) *place = at; /* nothing moves */
    return at < end ? ids[at] : (covey_entity){ 0, 0 };
}

/* Goes on to a row: its place in a sparse pool lies not before that of the last one. */
static void reach(model *m, const tour *t, covey_entity e, uint32_t *place) {
    const oracle_set *set = t->lead->set;
    while (*place < set->end && !covey_same(set->ids[*place], e)) ++*place;
    REQUIRE(m, *place < set->end, "%u:%u lies before what was visited", e.index, e.generation);
}

/* Each entity that was wanted at the beginning comes once, in its turn; others only if they got a component since. */
static void follow(model *m, const tour *t, uint32_t *place, covey_entity e, const model_list *gained) {
    REQUIRE(m, is_on_tour(m, t, e), "%u:%u is visited and does not match", e.index, e.generation);
    bool due = t->way == WAY_LIST ? is_next_of_list(m, t, place, e) : model_is_due(m, e);
    if (due && t->way != WAY_LIST) {
        covey_entity next = next_due(m, t, place);
        REQUIRE(m, covey_same(next, e), "%u:%u is visited, not %u:%u", e.index, e.generation, next.index,
                next.generation);
        model_take_turn(m, e);
    }
    REQUIRE(m, due || model_is_in(gained, e), "%u:%u is visited out of turn", e.index, e.generation);
    if (t->way != WAY_LIST && is_sparse_lead(t->lead)) reach(m, t, e, place);
}

/* How many of the wanted entities were not visited. */
static uint32_t count_missed(model *m, const tour *t, uint32_t next) {
    if (t->way != WAY_LIST) return m->turns.count;
    while (next < m->wanted.count && !is_on_tour(m, t, m->wanted.ids[next])) next++;
    return m->wanted.count - next;
}

/* Whether nothing that happens puts a pool in another order that entities must be in. */
static bool is_free_to_change(model *m, const tour *t) {
    const covey_type *const *const kinds[] = { t->desc.with, t->desc.any };
    for (uint32_t i = 0; i < 2 * COVEY_TERMS; i++) {
        const covey_type *type = kinds[i / COVEY_TERMS][i % COVEY_TERMS];
        const oracle_pool *pool = type ? oracle_pool_of(m->oracle, type) : NULL;
        if (pool && model_is_bound(m, pool)) return false;
    }
    return !t->lead || !model_is_bound(m, t->lead);
}

static void changing_rows(model *m) {
    tour t;
    covey_row row = { 0 };
    uint32_t place = 0;
    if (is_too_costly(m)) return;
    if (pick_tour(m, &t)) want_all(m, &t, false);
    model_expect(m, &m->wanted);
    begin(m, &t);
    model_list *gained = &m->visited;
    uint32_t often = 1 + program_below(&m->program, m->options->crowd < 1000 ? 64 : 16);
    if (!is_free_to_change(m, &t)) often = 0;
    while (covey_next_row(&t.it, &row)) {
        covey_entity e = covey_row_entity(&t.it, row);
        follow(m, &t, &place, e, gained);
        check_row(m, &t, row, e);
        if (gained->count < 200 && program_chance(&m->program, often)) change_other(m, &t, gained);
        if (program_chance(&m->program, 2 * often)) change_row(m, e);
        bool stayed = is_on_tour(m, &t, e); /* an entity that left may come back elsewhere */
        if (gained->count < 200 && program_chance(&m->program, often)) change_other(m, &t, gained);
        if (stayed) check_row(m, &t, row, e);
    }
    uint32_t missed = count_missed(m, &t, place);
    REQUIRE(m, missed == 0, "%u entities were not visited", missed);
}

const model_operation model_view_operations[] = {
    { "view, spans and rows", spans, 2, true },
    { "view, rows and spans", rows, 1, true },
    { "view, count, first, contains", ask, 1, true },
    { "view, rows that change", changing_rows, 3, false },
    { NULL, NULL, 0, false },
};
