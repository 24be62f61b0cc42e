/* Views, by four ways to the same answer: random worlds are walked span by span, row by row, by asking
 * covey_view_contains about every entity, and by a naive loop over covey_has and covey_get. All of them find the same
 * entities, in the order that the header promises, and each field of each row is where covey_get finds it.
 *
 * A failure names the seed of its world: COVEY_TEST_SEED=<seed> makes that world alone. */
#include "mixed.h"
#include "views.h"

#include <stdio.h>
#include <stdlib.h>

/* Ways in which the naive loop may be wrong, for the test that shows that it would be noticed. */
typedef enum lie {
    TRUTH,
    IGNORES_WITHOUT,
    IGNORES_DISABLED,
    NEEDS_OPTIONAL,
    NEEDS_ALL_OF_ANY,
    MISSES_THE_LAST,
    FOLLOWS_THE_LARGEST,
    GOES_BACKWARDS,
    GOES_BY_INDEX,
    LISTS_ONCE,
    IGNORES_TICKS,
    SHIFTS_FIELDS,
    NOTES_NOTHING,
    FORGETS_WHO_MOVED,
    LOSES_A_PART,
    LIES
} lie;

typedef enum way { BY_VIEW, BY_POOL, BY_LIST, BY_TICK, BY_GROUP } way;

typedef struct list {
    covey_entity *ids;
    uint32_t count, capacity;
} list;

/* One way through a view of a random world. */
typedef struct walk {
    mixed_world mixed;
    lie lie;
    covey_view_desc desc;
    covey_view view;
    way way;
    const covey_type *lead; /* in whose order; NULL: that of indices, of the list, or of a group that owns nothing */
    list listed;
    uint64_t since;
    const covey_group *group;
    bool stays; /* rows change, but do not leave */
    list wanted, visited, gained;
    covey_world *twin; /* another world, for as long as it is compared */
    jmp_buf stop;
    char text[300];
} walk;

static void differ(walk *w, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(w->text, sizeof w->text, format, arguments);
    va_end(arguments);
    longjmp(w->stop, 1);
}
#define REQUIRE(w, holds, ...) ((holds) ? (void)0 : differ((w), __VA_ARGS__))

static void append(list *to, covey_entity e) {
    if (to->count == to->capacity) {
        to->capacity = to->capacity * 2 + 64;
        to->ids = realloc(to->ids, to->capacity * sizeof *to->ids);
        if (!to->ids) abort();
    }
    to->ids[to->count++] = e;
}

static uint32_t find(const list *in, covey_entity e) {
    for (uint32_t i = 0; i < in->count; i++)
        if (covey_same(in->ids[i], e)) return i;
    return COVEY_NONE;
}

static uint32_t count_of(const covey_type *const *types) {
    uint32_t count = 0;
    while (count < COVEY_TERMS && types[count]) count++;
    return count;
}

static bool is_named(const covey_type *const *types, const covey_type *type) {
    for (uint32_t i = 0; i < count_of(types); i++)
        if (types[i] == type) return true;
    return false;
}

/* ---- The naive loop -----------------------------------------------------------------------------------------------*/

/* Whether the view sees a component of an entity. */
static bool sees(const walk *w, const covey_type *type, covey_entity e) {
    if (w->desc.include_disabled || w->lie == IGNORES_DISABLED) return covey_has_raw(world, e, type);
    return covey_component_is_enabled_raw(world, e, type);
}

static uint32_t count_seen(const walk *w, const covey_type *const *types, covey_entity e) {
    uint32_t seen = 0;
    for (uint32_t i = 0; i < count_of(types); i++) seen += sees(w, types[i], e);
    return seen;
}

static bool is_too_old(const walk *w, covey_entity e) {
    if (w->way != BY_TICK || w->since == 0 || count_of(w->desc.changed) == 0 || w->lie == IGNORES_TICKS) return false;
    for (uint32_t i = 0; i < count_of(w->desc.changed); i++)
        if (covey_changed_at_raw(world, e, w->desc.changed[i]) > w->since) return false;
    return true;
}

static bool asks_for_disabled(const covey_view_desc *desc) {
    const covey_type *tag = covey_id(covey_disabled);
    return desc->include_disabled || is_named(desc->with, tag) || is_named(desc->optional, tag) ||
           is_named(desc->any, tag) || is_named(desc->without, tag);
}

static bool matches(const walk *w, covey_entity e) {
    const covey_view_desc *desc = &w->desc;
    uint32_t any = count_of(desc->any), needed = w->lie == NEEDS_ALL_OF_ANY ? any : any != 0;
    if (!covey_alive(world, e)) return false;
    if (w->lie != IGNORES_DISABLED && !covey_is_enabled(world, e) && !asks_for_disabled(desc)) return false;
    if (count_seen(w, desc->with, e) != count_of(desc->with) || count_seen(w, desc->any, e) < needed) return false;
    if (w->lie == NEEDS_OPTIONAL && count_seen(w, desc->optional, e) != count_of(desc->optional)) return false;
    return w->lie == IGNORES_WITHOUT || count_seen(w, desc->without, e) == 0;
}

/* Whether a walk that began now would visit the entity. */
static bool is_on_walk(const walk *w, covey_entity e) {
    if (w->way == BY_POOL && !sees(w, w->lead, e)) return false;
    return matches(w, e) && !is_too_old(w, e);
}

/* The sparse pool that is followed, or NULL. */
static const covey_pool *followed(const walk *w) {
    const covey_pool *pool = w->lead && w->lie != GOES_BY_INDEX ? covey_pool_find_raw(world, w->lead) : NULL;
    return pool && !covey__in_blocks(pool) ? pool : NULL;
}

/* The smallest of the required pools; the first of several. */
static const covey_type *find_lead(const walk *w) {
    const covey_type *lead = NULL;
    uint32_t best = 0;
    for (uint32_t i = 0; i < count_of(w->desc.with); i++) {
        const covey_pool *pool = covey_pool_find_raw(world, w->desc.with[i]);
        uint32_t count = pool ? covey_pool_count(pool) : 0;
        if (!pool) return NULL;
        if (lead && (w->lie == FOLLOWS_THE_LARGEST ? count <= best : count >= best)) continue;
        lead = w->desc.with[i];
        best = count;
    }
    return lead;
}

static void want(walk *w, covey_entity e) {
    bool again = w->way == BY_LIST && w->lie == LISTS_ONCE && find(&w->wanted, e) != COVEY_NONE;
    if (is_on_walk(w, e) && !again) append(&w->wanted, e);
}

/* All that the walk should visit, in order. */
static void want_all(walk *w) {
    const covey_pool *pool = followed(w);
    w->wanted.count = 0;
    if (w->way == BY_LIST)
        for (uint32_t i = 0; i < w->listed.count; i++) want(w, w->listed.ids[i]);
    else if (pool)
        for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1))
            want(w, covey_pool_at(pool, at));
    else
        for (uint32_t i = 0; i < w->mixed.count; i++) want(w, w->mixed.all[i]);
    list *wanted = &w->wanted;
    if (w->lie == MISSES_THE_LAST && wanted->count != 0) wanted->count--;
    for (uint32_t i = 0; i < wanted->count / 2 && w->lie == GOES_BACKWARDS && pool; i++) {
        covey_entity e = wanted->ids[i];
        wanted->ids[i] = wanted->ids[wanted->count - 1 - i];
        wanted->ids[wanted->count - 1 - i] = e;
    }
}

/* ---- Choosing -----------------------------------------------------------------------------------------------------*/

/* Up to five terms, most of them types of the world; now and then none. Often all of them must be there. */
static void choose_view(walk *w) {
    mixed_world *s = &w->mixed;
    covey_view_desc *desc = &w->desc;
    uint32_t used[4] = { 0 }, reads = 0, changed = 0, terms = 0, tagged = mixed_below(s, 24);
    bool plain = mixed_chance(s, 40);
    const covey_type **const kinds[4] = { desc->with, desc->optional, desc->any, desc->without };
    static const uint8_t odds[10] = { 0, 0, 0, 0, 1, 2, 2, 3, 9, 9 };
    *desc = (covey_view_desc){ .include_disabled = s->hides && mixed_chance(s, 10) };
    for (uint32_t i = 0, first = mixed_below(s, s->type_count); i < s->type_count && terms < 5; i++) {
        const covey_type *type = s->types[(first + i) % s->type_count];
        uint32_t kind = odds[mixed_below(s, 10)];
        if (plain) kind = mixed_chance(s, 80) ? 0 : 9;
        if (kind == 9) continue;
        kinds[kind][used[kind]++] = type;
        terms++;
        if (kind != 3 && mixed_chance(s, 40)) desc->read[reads++] = type;
        if (kind == 0 && type->ticks && mixed_chance(s, 70)) desc->changed[changed++] = type;
    }
    if (s->hides && tagged < 4) kinds[tagged][used[tagged]] = covey_id(covey_disabled);
    w->view = covey_view_make(world, desc);
    REQUIRE(w, covey_view_valid(&w->view), "the view is not valid");
}

static void choose_list(walk *w) {
    mixed_world *s = &w->mixed;
    uint32_t count = mixed_below(s, 3) == 0 ? s->count : mixed_below(s, 40);
    w->listed.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool stale = s->stale_count != 0 && mixed_chance(s, 10), next = mixed_chance(s, 50) && i < s->count;
        append(&w->listed, stale ? s->stale[mixed_below(s, s->stale_count)] : next ? s->all[i] : mixed_entity(s));
    }
}

static void choose_way(walk *w, way chosen) {
    w->way = chosen;
    w->lead = NULL;
    w->since = 0;
    w->group = NULL;
    if (chosen == BY_TICK) w->since = covey_tick(world) - mixed_below(&w->mixed, 4) % covey_tick(world);
    bool by_changes = w->since != 0 && count_of(w->desc.changed) != 0;
    if (chosen == BY_VIEW || (chosen == BY_TICK && !by_changes)) w->lead = find_lead(w);
    if (chosen == BY_LIST) choose_list(w);
    if (chosen == BY_POOL) w->lead = mixed_type(&w->mixed);
}

static covey_iter begin(const walk *w) {
    switch (w->way) {
    case BY_POOL: return covey_view_iter_by(&w->view, covey_pool_find_raw(world, w->lead));
    case BY_LIST: return covey_view_iter_list(&w->view, w->listed.ids, w->listed.count);
    case BY_TICK: return covey_view_iter_since(&w->view, w->since);
    case BY_GROUP: return covey_group_iter(w->group);
    default: return covey_view_iter(&w->view);
    }
}

/* ---- Walking ------------------------------------------------------------------------------------------------------*/

static uint32_t fields_of(const walk *w) {
    return count_of(w->desc.with) + count_of(w->desc.optional) + count_of(w->desc.any);
}

static const covey_type *type_of(const walk *w, uint32_t field) {
    uint32_t with = count_of(w->desc.with), optional = count_of(w->desc.optional);
    if (field < with) return w->desc.with[field];
    return field < with + optional ? w->desc.optional[field - with] : w->desc.any[field - with - optional];
}

static void check_cell(walk *w, uint32_t field, covey_entity e, const void *at) {
    const covey_type *type = type_of(w, field);
    const char *value = sees(w, type, e) ? covey_get_raw(world, e, type) : NULL;
    REQUIRE(w, (at != NULL) == (value != NULL), "field %u, %s, of %u:%u is there and not", field, type->name, e.index,
            e.generation);
    if (!at || type->size == 0) return;
    if (w->lie == SHIFTS_FIELDS) value += type->size;
    REQUIRE(w, at == (const void *)value, "field %u, %s, of %u:%u is elsewhere", field, type->name, e.index,
            e.generation);
    REQUIRE(w, mixed_is_value(e, type, at), "field %u, %s, of %u:%u has another value", field, type->name, e.index,
            e.generation);
}

static void go_by_spans(walk *w, covey_iter *it) {
    while (covey_next(it)) {
        REQUIRE(w, it->count != 0, "a span without rows");
        for (uint32_t row = 0; row < it->count; row++) {
            covey_entity e = covey_span_entity(it, row);
            append(&w->visited, e);
            for (uint32_t i = 0; i < fields_of(w); i++) {
                const char *at = span_field(it, i);
                check_cell(w, i, e, at ? at + (size_t)row * type_of(w, i)->size : NULL);
            }
        }
    }
    REQUIRE(w, it->count == 0 && !covey_next(it), "spans go on after their end");
}

static void go_by_rows(walk *w, covey_iter *it) {
    covey_row row = { 0 };
    while (covey_next_row(it, &row)) {
        covey_entity e = covey_row_entity(it, row);
        append(&w->visited, e);
        for (uint32_t i = 0; i < fields_of(w); i++) check_cell(w, i, e, row_field(it, row, i));
    }
    REQUIRE(w, !covey_next_row(it, &row), "rows go on after their end");
}

static void visit_all_spans(walk *w) {
    covey_iter it = begin(w);
    w->visited.count = 0;
    go_by_spans(w, &it);
}

static void visit_all_rows(walk *w) {
    covey_iter it = begin(w);
    w->visited.count = 0;
    go_by_rows(w, &it);
}

/* Cut into parts of random lengths, some of them empty, which are walked span by span or row by row. */
static void visit_parts(walk *w) {
    covey_iter whole = begin(w);
    uint32_t length = covey_iter_length(&whole);
    w->visited.count = 0;
    for (uint32_t first = 0, end; first < length; first = end) {
        end = first + COVEY__BLOCK_IDS * mixed_below(&w->mixed, 2 + length / COVEY__BLOCK_IDS);
        if (end > length) end = length;
        covey_iter part = covey_iter_part(&whole, first, end);
        if (mixed_chance(&w->mixed, 50)) go_by_spans(w, &part);
        else go_by_rows(w, &part);
        if (w->lie == LOSES_A_PART && end != first) end += COVEY__BLOCK_IDS;
    }
}

static void compare_visits(walk *w, const char *form) {
    const list *wanted = &w->wanted, *visited = &w->visited;
    for (uint32_t i = 0; i < wanted->count && i < visited->count; i++)
        REQUIRE(w, covey_same(wanted->ids[i], visited->ids[i]), "%s: visit %u is of %u:%u, not of %u:%u", form, i,
                visited->ids[i].index, visited->ids[i].generation, wanted->ids[i].index, wanted->ids[i].generation);
    REQUIRE(w, wanted->count == visited->count, "%s: %u were visited, not %u", form, visited->count, wanted->count);
}

/* What was handed out to be written was changed now, and nothing else was. */
static void check_ticks(walk *w, const char *form) {
    static bool was_visited[1 << 16];
    uint64_t now = covey_tick(world);
    bool ticks = false;
    for (uint32_t i = 0; i < w->mixed.type_count; i++) ticks |= w->mixed.types[i]->ticks;
    if (!ticks) return;
    memset(was_visited, 0, sizeof was_visited);
    for (uint32_t i = 0; i < w->visited.count; i++) was_visited[w->visited.ids[i].index] = true;
    for (uint32_t k = 0; k < w->mixed.type_count; k++) {
        const covey_type *type = w->mixed.types[k];
        const covey_view_desc *desc = &w->desc;
        bool field = is_named(desc->with, type) || is_named(desc->optional, type) || is_named(desc->any, type);
        bool written = field && !is_named(desc->read, type) && w->lie != NOTES_NOTHING;
        for (uint32_t i = 0; i < w->mixed.count && type->ticks; i++) {
            covey_entity e = w->mixed.all[i];
            bool noted = covey_changed_at_raw(world, e, type) == now;
            bool wanted = written && was_visited[e.index] && sees(w, type, e);
            REQUIRE(w, noted == wanted, "%s: %s of %u:%u %s changed", form, type->name, e.index, e.generation,
                    noted ? "was" : "was not");
        }
    }
}

static void walk_form(walk *w, void (*visit_all)(walk *w), const char *form) {
    covey_tick_advance(world);
    want_all(w);
    visit_all(w);
    compare_visits(w, form);
    check_ticks(w, form);
}

static void walk_both(walk *w) {
    walk_form(w, visit_all_spans, "spans");
    walk_form(w, visit_all_rows, "rows");
    walk_form(w, visit_parts, "parts");
}

/* ---- Asking -------------------------------------------------------------------------------------------------------*/

static void check_contained(walk *w, covey_entity e) {
    bool contained = covey_view_contains(&w->view, e);
    REQUIRE(w, contained == matches(w, e), "%u:%u is contained and not", e.index, e.generation);
}

/* Out of line: gcc for s390x takes values that are inlined here for clobbered by the longjmp of an assertion. */
static COVEY__NOINLINE void ask(walk *w) {
    choose_way(w, BY_VIEW);
    want_all(w);
    covey_entity first = covey_view_first(&w->view), wanted = { 0, 0 };
    if (w->wanted.count != 0) wanted = w->wanted.ids[0];
    REQUIRE(w, covey_view_count(&w->view) == w->wanted.count, "%u are counted, not %u", covey_view_count(&w->view),
            w->wanted.count);
    REQUIRE(w, covey_same(first, wanted), "%u:%u is the first, not %u:%u", first.index, first.generation, wanted.index,
            wanted.generation);
    for (uint32_t i = 0; i < w->mixed.count; i++) check_contained(w, w->mixed.all[i]);
    for (uint32_t i = 0; i < w->mixed.stale_count; i++) check_contained(w, w->mixed.stale[i]);
    check_contained(w, (covey_entity){ 0, 0 });
}

/* ---- Groups -------------------------------------------------------------------------------------------------------*/

/* What a group is about, as a view: what it owns, then what else it asks for. */
static void take_group(walk *w, uint32_t number) {
    const covey_group_desc *desc = &w->mixed.group_descs[number];
    uint32_t own = count_of(desc->own);
    w->group = w->mixed.groups[number];
    w->view = *covey_group_view(w->group);
    w->desc = (covey_view_desc){ .with = { NULL } };
    memcpy(w->desc.with, desc->own, own * sizeof *desc->own);
    memcpy(w->desc.with + own, desc->with, count_of(desc->with) * sizeof *desc->with);
    memcpy(w->desc.without, desc->without, count_of(desc->without) * sizeof *desc->without);
    w->way = BY_GROUP;
    w->lead = own != 0 ? desc->own[0] : NULL;
}

static int by_index(const void *a, const void *b) {
    uint32_t left = ((const covey_entity *)a)->index, right = ((const covey_entity *)b)->index;
    return left < right ? -1 : left > right;
}

/* A group that owns nothing has an order of its own: by spans and by rows it is the same. */
static COVEY__NOINLINE void walk_loose_group(walk *w) {
    covey_tick_advance(world);
    visit_all_spans(w);
    check_ticks(w, "spans of a group");
    list spans = w->visited;
    w->visited = (list){ 0 };
    covey_tick_advance(world);
    visit_all_rows(w);
    check_ticks(w, "rows of a group");
    bool same = spans.count == w->visited.count;
    for (uint32_t i = 0; i < spans.count && same; i++) same = covey_same(spans.ids[i], w->visited.ids[i]);
    free(spans.ids);
    REQUIRE(w, same, "spans and rows of a group are not the same");
    covey_entity first = covey_group_first(w->group);
    REQUIRE(w, w->visited.count == 0 ? covey_is_null(first) : covey_same(first, w->visited.ids[0]),
            "%u:%u is the first", first.index, first.generation);
    want_all(w);
    if (w->visited.count != 0) qsort(w->visited.ids, w->visited.count, sizeof *w->visited.ids, by_index);
    compare_visits(w, "a group");
}

static void walk_groups(walk *w) {
    for (uint32_t i = 0; i < w->mixed.group_count; i++) {
        take_group(w, i);
        if (w->lead) walk_both(w);
        else walk_loose_group(w);
        REQUIRE(w, covey_group_count(w->group) == w->wanted.count, "%u members, not %u", covey_group_count(w->group),
                w->wanted.count);
    }
}

/* ---- Rows that change ---------------------------------------------------------------------------------------------*/

/* Whether what is added or removed leaves the order alone that is followed, but for what the row's entity does. */
static bool may_change(const walk *w) {
    const covey_type *const *const kinds[] = { w->desc.with, w->desc.any };
    if (w->way == BY_GROUP) return w->mixed.group_count == 1;
    for (uint32_t i = 0; i < 2 * COVEY_TERMS; i++) {
        const covey_type *type = kinds[i / COVEY_TERMS][i % COVEY_TERMS];
        if (type && mixed_is_bound(&w->mixed, type)) return false;
    }
    return !w->lead || !mixed_is_bound(&w->mixed, w->lead);
}

/* Removes and adds components of the row's entity, disables it or destroys it. If it stays, nothing moves in the pool
 * that the view follows. */
static void change_row(walk *w, covey_entity e) {
    mixed_world *s = &w->mixed;
    if (!w->stays && mixed_chance(s, 25)) {
        covey_destroy(world, e);
        return;
    }
    if (s->hides && mixed_chance(s, 20)) covey_disable(world, e);
    for (uint32_t i = 0; i < s->type_count; i++) {
        const covey_type *type = s->types[i];
        if (!mixed_chance(s, 30) || (w->stays && type == w->lead)) continue;
        if (mixed_give(e, type)) continue;
        if (s->hides && mixed_chance(s, 20)) covey_component_disable_raw(world, e, type);
        else covey_remove_raw(world, e, type);
        if (w->way != BY_GROUP && mixed_chance(s, 10) && mixed_give(e, type)) append(&w->gained, e);
    }
}

/* Another entity, old or new, gets components that the view does not exclude. */
static void change_other(walk *w) {
    mixed_world *s = &w->mixed;
    bool create = mixed_chance(s, 60);
    covey_entity e = create ? covey_create(world) : mixed_entity(s);
    if (!covey_alive(world, e)) return;
    bool was_on_walk = is_on_walk(w, e);
    for (uint32_t i = 0; i < s->type_count; i++)
        if (!is_named(w->desc.without, s->types[i]) && mixed_chance(s, create ? 70 : 30)) mixed_give(e, s->types[i]);
    if (create || !was_on_walk) append(&w->gained, e);
}

/* Where an entity is in the pool that is followed, from a position on; or its index. */
static uint32_t place_of(const walk *w, covey_entity e, uint32_t from) {
    const covey_pool *pool = followed(w);
    if (!pool) return e.index;
    uint32_t at = covey_pool_next(pool, from);
    while (at != COVEY_NONE && !covey_same(covey_pool_at(pool, at), e)) at = covey_pool_next(pool, at + 1);
    return at;
}

/* The first entity that is still to be visited, in the present order, from this place on; or null. The entity that was
 * swapped into the place of a removed row comes next. */
static covey_entity next_wanted(const walk *w, uint32_t place) {
    const covey_pool *pool = followed(w);
    covey_entity next = { 0, 0 };
    if (pool) {
        uint32_t at = covey_pool_next(pool, place);
        while (at != COVEY_NONE && find(&w->wanted, covey_pool_at(pool, at)) == COVEY_NONE)
            at = covey_pool_next(pool, at + 1);
        return at != COVEY_NONE ? covey_pool_at(pool, at) : next;
    }
    for (uint32_t i = 0; i < w->wanted.count; i++)
        if (covey_is_null(next) || w->wanted.ids[i].index < next.index) next = w->wanted.ids[i];
    return next;
}

static void remove_from(list *of, uint32_t at) {
    for (of->count--; at < of->count; at++) of->ids[at] = of->ids[at + 1];
}

/* Each entity that matched at the beginning comes exactly once. An entity that matches since then may come or not: at
 * most once for each component that it was given. */
static void follow(walk *w, covey_entity e, uint32_t *place) {
    uint32_t at = find(&w->wanted, e);
    if (at == COVEY_NONE) {
        uint32_t since = find(&w->gained, e);
        REQUIRE(w, since != COVEY_NONE, "rows that change: %u:%u is visited out of turn", e.index, e.generation);
        remove_from(&w->gained, since);
    } else if (w->way != BY_GROUP || w->lead) {
        covey_entity next = next_wanted(w, *place);
        REQUIRE(w, covey_same(next, e), "rows that change: %u:%u is visited, not %u:%u", e.index, e.generation,
                next.index, next.generation);
    }
    if (at != COVEY_NONE && w->lie != FORGETS_WHO_MOVED) remove_from(&w->wanted, at);
    *place = place_of(w, e, *place);
    REQUIRE(w, *place != COVEY_NONE, "rows that change: %u:%u lies behind what was visited", e.index, e.generation);
}

static void walk_changing(walk *w) {
    mixed_world *s = &w->mixed;
    uint32_t place = 0, often = 1 + mixed_below(s, 60), turns = 0;
    if (!may_change(w) || w->way == BY_LIST || w->mixed.count > 1000) return;
    covey_tick_advance(world);
    want_all(w);
    w->gained.count = 0;
    w->stays = mixed_chance(s, 30);
    uint32_t most = w->wanted.count;
    covey_iter it = begin(w);
    covey_row row = { 0 };
    while (covey_next_row(&it, &row)) {
        covey_entity e = covey_row_entity(&it, row);
        REQUIRE(w, matches(w, e), "rows that change: %u:%u is visited and does not match", e.index, e.generation);
        follow(w, e, &place);
        for (uint32_t i = 0; i < fields_of(w); i++) check_cell(w, i, e, row_field(&it, row, i));
        bool few = covey_entity_count(world) < 1200 && turns++ < 2 * most + 50;
        if (few && !w->stays && mixed_chance(s, often)) change_other(w);
        if (few && mixed_chance(s, often)) change_row(w, e);
        if (few && !w->stays && mixed_chance(s, often)) change_other(w);
    }
    mixed_list(s);
    REQUIRE(w, w->wanted.count == 0, "rows that change: %u were not visited, %u:%u first", w->wanted.count,
            w->wanted.ids[0].index, w->wanted.ids[0].generation);
    const char *why = "";
    REQUIRE(w, covey_world_validate(world, &why), "rows that change: the world is not valid: %s", why);
}

/* ---- Twins --------------------------------------------------------------------------------------------------------*/

/* Exchanges the world and its twin. */
static void turn_to_twin(walk *w) {
    covey_world *before = world;
    world = w->twin;
    w->twin = before;
    w->view = covey_view_make(world, &w->desc);
}

/* A world that was loaded, or cloned, is walked in the order of the one that was saved. The program goes on in it. */
static void walk_twin(walk *w) {
    bool load = mixed_chance(&w->mixed, 50);
    w->twin = load ? mixed_load(&w->mixed) : covey_world_clone(world, NULL);
    REQUIRE(w, w->twin != NULL, "no twin");
    choose_view(w);
    choose_way(w, BY_VIEW);
    visit_all_spans(w);
    w->wanted.count = 0;
    for (uint32_t i = 0; i < w->visited.count; i++) append(&w->wanted, w->visited.ids[i]);
    turn_to_twin(w);
    visit_all_spans(w);
    compare_visits(w, load ? "a world that was loaded" : "a clone");
    covey_world_destroy(w->twin);
    w->twin = NULL;
    mixed_list(&w->mixed);
}

/* ---- Programs -----------------------------------------------------------------------------------------------------*/

static bool is_known(const covey_type *type) { return covey_pool_find_raw(world, type) != NULL; }

static void walk_view(walk *w) {
    choose_view(w);
    ask(w);
    for (way by = BY_VIEW; by <= BY_TICK; by++) {
        if (by != BY_VIEW && mixed_chance(&w->mixed, 50)) continue;
        choose_way(w, by);
        if (by == BY_POOL && !is_known(w->lead)) continue;
        walk_both(w);
    }
}

static void change_while_walking(walk *w) {
    if (w->mixed.group_count != 0 && mixed_chance(&w->mixed, 60)) {
        take_group(w, 0);
    } else {
        choose_view(w);
        choose_way(w, mixed_chance(&w->mixed, 75) ? BY_VIEW : mixed_chance(&w->mixed, 50) ? BY_POOL : BY_TICK);
        if (w->way == BY_POOL && !is_known(w->lead)) return;
    }
    walk_changing(w);
}

static void walk_world(walk *w, uint64_t seed) {
    mixed_begin(&w->mixed, seed);
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t k = 0; k < 3; k++) walk_view(w);
        walk_groups(w);
        for (uint32_t k = 0; k < 2; k++) change_while_walking(w);
        if (w->mixed.group_count == 0 && mixed_chance(&w->mixed, 25)) walk_twin(w);
        mixed_change(&w->mixed);
    }
}

/* Returns whether all ways agreed; if not, `text` says where they did not. */
static bool agree(uint64_t seed, lie told, char *text, size_t size) {
    static walk w;
    assert_int_equal(world_setup(NULL), 0);
    w = (walk){ .lie = told };
    if (setjmp(w.stop) == 0) walk_world(&w, seed);
    snprintf(text, size, "%s", w.text);
    mixed_end(&w.mixed);
    covey_world_destroy(w.twin);
    free(w.listed.ids);
    free(w.wanted.ids);
    free(w.visited.ids);
    free(w.gained.ids);
    world_teardown(NULL);
    return text[0] == '\0';
}

static void test_all_ways_through_a_view_agree(void **state) {
    (void)state;
    char text[300];
    const char *replay = getenv("COVEY_TEST_SEED");
    uint64_t seed = replay ? strtoull(replay, NULL, 10) : 1, worlds = replay ? 1 : test_scaled(2000);
    for (uint64_t end = seed + worlds; seed < end; seed++)
        if (!agree(seed, TRUTH, text, sizeof text))
            fail_msg("COVEY_TEST_SEED=%llu: %s", (unsigned long long)seed, text);
}

static void test_every_lie_is_noticed(void **state) {
    static const char *const lies[LIES] = {
        [IGNORES_WITHOUT] = "ignores what a view excludes",
        [IGNORES_DISABLED] = "ignores what is disabled",
        [NEEDS_OPTIONAL] = "needs what is optional",
        [NEEDS_ALL_OF_ANY] = "needs all where any will do",
        [MISSES_THE_LAST] = "misses the last",
        [FOLLOWS_THE_LARGEST] = "follows the largest pool",
        [GOES_BACKWARDS] = "goes backwards through a sparse pool",
        [GOES_BY_INDEX] = "goes by index through a sparse pool",
        [LISTS_ONCE] = "visits each of a list once",
        [IGNORES_TICKS] = "ignores when a value was changed",
        [SHIFTS_FIELDS] = "expects the value of the next one",
        [NOTES_NOTHING] = "does not note what was handed out to be written",
        [FORGETS_WHO_MOVED] = "waits for those again that were visited",
        [LOSES_A_PART] = "leaves out what is between two parts",
    };
    (void)state;
    char text[300];
    for (lie told = TRUTH + 1; told < LIES; told++) {
        bool noticed = false;
        for (uint64_t seed = 1; seed <= 60 && !noticed; seed++) noticed = !agree(seed, told, text, sizeof text);
        if (!noticed) fail_msg("nobody noticed: the naive loop %s", lies[told]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_lie_is_noticed),
        cmocka_unit_test(test_all_ways_through_a_view_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
