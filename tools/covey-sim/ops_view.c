/* Views: by spans and by rows, counted, filtered by ticks, along lists; rows whose bodies change the world. */
#include "views.h"

static bool is_picked(const picked_view *p, uint32_t type) {
    for (uint32_t i = 0; i < p->with_count; i++)
        if (p->with[i] == type) return true;
    for (uint32_t i = 0; i < p->without_count; i++)
        if (p->without[i] == type) return true;
    return false;
}

static void pick_terms(picked_view *p, uint32_t *types, uint32_t *count, uint32_t wanted, uint32_t n) {
    for (uint32_t i = 0; i < wanted; i++) {
        uint32_t type = sim_type(sim_mix(n, i));
        if (!is_picked(p, type)) types[(*count)++] = type;
    }
}

/* Reads everything, unless `writes`. Begins with a type, unless that is NAIVE_TYPES. */
static picked_view pick_view_from(uint32_t first, uint32_t n, bool writes) {
    picked_view p = { .sees_disabled = n % 4 == 0 };
    if (first < NAIVE_TYPES) p.with[p.with_count++] = first;
    pick_terms(&p, p.with, &p.with_count, n / 4 % (4 - p.with_count), n);
    pick_terms(&p, p.without, &p.without_count, n / 16 % 3, n + 1000);
    pick_terms(&p, p.optional, &p.optional_count, n / 64 % 2, n + 2000);
    for (uint32_t i = 0; i < p.with_count; i++) p.desc.with[i] = value_types[p.with[i]];
    for (uint32_t i = 0; i < p.without_count; i++) p.desc.without[i] = value_types[p.without[i]];
    for (uint32_t i = 0; i < p.optional_count; i++) p.desc.optional[i] = value_types[p.optional[i]];
    uint32_t read = 0;
    for (uint32_t i = 0; i < p.with_count && !writes; i++) p.desc.read[read++] = value_types[p.with[i]];
    for (uint32_t i = 0; i < p.optional_count && !writes; i++) p.desc.read[read++] = value_types[p.optional[i]];
    p.desc.include_disabled = p.sees_disabled;
    return p;
}

picked_view pick_view(uint32_t n, bool writes) { return pick_view_from(NAIVE_TYPES, n, writes); }

void touch_view(sim *s, const picked_view *p) {
    for (uint32_t i = 0; i < p->with_count; i++) sim_touch_type(s, p->with[i]);
    for (uint32_t i = 0; i < p->without_count; i++) sim_touch_type(s, p->without[i]);
}

bool sees(const picked_view *p, const naive_entity *n, uint32_t type) {
    return n->at[type].present && (p->sees_disabled || !n->at[type].disabled);
}

bool matches(const picked_view *p, const naive_entity *n) {
    if (n->disabled && !p->sees_disabled) return false;
    for (uint32_t i = 0; i < p->with_count; i++)
        if (!sees(p, n, p->with[i])) return false;
    for (uint32_t i = 0; i < p->without_count; i++)
        if (sees(p, n, p->without[i])) return false;
    return true;
}

static uint32_t count_matches(const picked_view *p, const naive_world *naive) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < naive->count; i++) count += matches(p, &naive->list[i]);
    return count;
}

/* ---- Visits -------------------------------------------------------------------------------------------------------*/

static void check_field(sim *s, const sim_side *side, covey_entity e, uint32_t type, const void *field) {
    const void *value = covey_get_raw(side->world, e, value_types[type]);
    bool tag = value_is_tag(type);
    SIM_REQUIRE(s, tag ? (field != NULL) == (value != NULL) : field == value, "the field %s of %u is elsewhere",
                value_types[type]->name, e.index);
}

/* One visit: the entity matches, and was not visited before. */
static void check_visit(sim *s, sim_side *side, const picked_view *p, covey_entity e, uint32_t *visits) {
    const naive_entity *n = naive_find(side->naive, e);
    SIM_REQUIRE(s, n && matches(p, n), "%u:%u is visited, but does not match", e.index, e.generation);
    SIM_REQUIRE(s, visits[n - side->naive->list]++ == 0, "%u:%u is visited twice", e.index, e.generation);
}

static void mark_fields(sim *s, sim_side *side, const picked_view *p, covey_entity e) {
    for (uint32_t i = 0; i < p->with_count; i++) sim_marked(s, side, e, p->with[i]);
    for (uint32_t i = 0; i < p->optional_count; i++) {
        const naive_entity *n = naive_find(side->naive, e);
        if (sees(p, n, p->optional[i])) sim_marked(s, side, e, p->optional[i]);
    }
}

enum { VISITS = 4096 };
static uint32_t visits[VISITS];

static bool begin_visits(const sim_side *side) {
    memset(visits, 0, sizeof visits);
    return side->naive->count <= VISITS;
}

static void walk_spans(sim *s, sim_side *side, const picked_view *p, covey_iter *it, bool writes, uint32_t *count) {
    while (covey_next(it)) {
        const unsigned char *fields[4];
        for (uint32_t f = 0; f < p->with_count; f++) fields[f] = covey_field_raw(it, f);
        for (uint32_t row = 0; row < it->count; row++, ++*count) {
            covey_entity e = covey_span_entity(it, row);
            check_visit(s, side, p, e, visits);
            for (uint32_t f = 0; f < p->with_count; f++)
                check_field(s, side, e, p->with[f], fields[f] + (size_t)row * value_types[p->with[f]]->size);
            if (writes) mark_fields(s, side, p, e);
        }
    }
}

static void spans(sim *s, sim_side *side, const sim_step *step) {
    bool writes = step->b % 4 == 0;
    picked_view p = pick_view(step->a, writes);
    covey_view view = covey_view_make(side->world, &p.desc);
    uint32_t wanted = count_matches(&p, side->naive), count = 0;
    if (!begin_visits(side)) return;
    sim_say(s, "spans: %u with, %u without, %u optional, %s", p.with_count, p.without_count, p.optional_count,
            writes ? "writes" : "reads");
    touch_view(s, &p);
    wanted += sim_lies(s, SIM_LIE_VISIT_EXPECTED);
    SIM_REQUIRE(s, covey_view_count(&view) == wanted, "covey_view_count: %u, not %u", covey_view_count(&view), wanted);
    covey_iter it = covey_view_iter(&view);
    walk_spans(s, side, &p, &it, writes, &count);
    SIM_REQUIRE(s, count == wanted, "%u visits, not %u", count, wanted);
}

/* In parts of 64 indices or positions, as threads would. */
static void parts(sim *s, sim_side *side, const sim_step *step) {
    picked_view p = pick_view(step->a, false);
    covey_view view = covey_view_make(side->world, &p.desc);
    covey_iter whole = covey_view_iter(&view);
    uint32_t wanted = count_matches(&p, side->naive), count = 0, length = covey_iter_length(&whole);
    if (!begin_visits(side) || length > 100000) return;
    sim_say(s, "parts of an iteration of length %u", length);
    touch_view(s, &p);
    uint32_t size = 64 * (1 + step->b % 4);
    for (uint32_t first = 0; first < length; first += size) {
        covey_iter part = covey_iter_part(&whole, first, first + size < length ? first + size : length);
        walk_spans(s, side, &p, &part, false, &count);
    }
    SIM_REQUIRE(s, count == wanted, "%u visits, not %u", count, wanted);
}

static bool changed_after(const picked_view *p, const naive_entity *n, uint64_t tick, uint32_t type) {
    return matches(p, n) && n->at[type].tick > tick;
}

static void since(sim *s, sim_side *side, const sim_step *step) {
    static const char *const ticked[] = { "BlockTag", "BlockTick", "SparseTick", "SparseLink", "Ordered" };
    uint32_t type = value_type_number(&(covey_type){ .name = ticked[step->b % 5] }), wanted = 0, count = 0;
    picked_view p = { .with = { type }, .with_count = 1 };
    p.desc.with[0] = p.desc.read[0] = p.desc.changed[0] = value_types[type];
    uint64_t tick = side->naive->tick > step->c % 4 ? side->naive->tick - step->c % 4 : 0;
    covey_view view = covey_view_make(side->world, &p.desc);
    if (!begin_visits(side)) return;
    sim_say(s, "since tick %llu: %s", (unsigned long long)tick, value_types[type]->name);
    sim_touch_type(s, type);
    for (uint32_t i = 0; i < side->naive->count; i++) wanted += changed_after(&p, &side->naive->list[i], tick, type);
    wanted += sim_lies(s, SIM_LIE_SINCE_EXPECTED);
    covey_iter it = covey_view_iter_since(&view, tick);
    walk_spans(s, side, &p, &it, false, &count);
    SIM_REQUIRE(s, count == wanted, "%u visits, not %u", count, wanted);
}

/* ---- Rows that change the world -----------------------------------------------------------------------------------*/

/* Whether the entity of the row may become so: it must not move in a pool of the view that a group owns. */
static bool may_become(const sim_side *side, const picked_view *p, const naive_entity *after) {
    return sim_groups_permit(side, naive_find(side->naive, after->e), after, p->with, p->with_count);
}

/* Disables the entity of the row, or a component of it, which counts as removing it. */
static void disable_row(sim *s, sim_side *side, const picked_view *p, covey_entity e, uint32_t type, bool whole) {
    naive_entity *n = naive_find(side->naive, e), after = *n;
    if (!whole && !n->at[type].present) return;
    *(whole ? &after.disabled : &after.at[type].disabled) = true;
    if (!may_become(side, p, &after)) return;
    sim_touch(s, SIM_DISABLE);
    covey_result result =
        whole ? covey_disable(side->world, e) : covey_component_disable_raw(side->world, e, value_types[type]);
    if (sim_settle_result(s, result, COVEY_OK)) *n = after;
}

/* Changes the entity of the row: the library first, then the model, as single calls do. */
static void change_row(sim *s, sim_side *side, const picked_view *p, covey_entity e, uint32_t n) {
    uint32_t mixed = sim_mix(n, e.index), how = sim_mix(n, e.index + 7) % 8;
    uint32_t type = mixed % 2 ? sim_type(mixed / 2) : sim_owned_type(side, mixed / 2);
    naive_entity after = *naive_find(side->naive, e);
    bool present = after.at[type].present;
    after.at[type] = (naive_component){ .present = !present };
    if (how == 0 && !sim_is_target(side, e)) {
        SIM_REQUIRE(s, covey_destroy(side->world, e), "the entity of a row cannot be destroyed");
        sim_destroyed(s, side, e);
    } else if (how < 3) {
        disable_row(s, side, p, e, type, how == 1);
    } else if (how < 6 && may_become(side, p, &after)) {
        if (present) sim_remove(s, side, e, type);
        else if (how == 3) sim_add(s, side, e, type);
    }
}

static void rows(sim *s, sim_side *side, const sim_step *step) {
    bool changes = step->b % 2 == 0 && side->again.number == 0;
    picked_view p = pick_view_from(step->b % 4 == 0 ? sim_owned_type(side, step->b / 4) : NAIVE_TYPES, step->a, false);
    covey_view view = covey_view_make(side->world, &p.desc);
    uint32_t wanted = count_matches(&p, side->naive), count = 0;
    sim_say(s, "rows: %u with, %u without%s", p.with_count, p.without_count, changes ? ", and changes them" : "");
    touch_view(s, &p);
    covey_iter it = covey_view_iter(&view);
    covey_row row = { 0 };
    while (covey_next_row(&it, &row)) {
        covey_entity e = covey_row_entity(&it, row);
        const naive_entity *n = naive_find(side->naive, e);
        SIM_REQUIRE(s, n && matches(&p, n), "%u:%u is visited, but does not match", e.index, e.generation);
        for (uint32_t f = 0; f < p.with_count; f++)
            check_field(s, side, e, p.with[f], covey_row_field_raw(&it, row, f));
        count++;
        if (changes) change_row(s, side, &p, e, step->c);
        if (s->nested != 0) return;
    }
    wanted += sim_lies(s, SIM_LIE_ROW_EXPECTED);
    SIM_REQUIRE(s, count == wanted, "%u visits, not %u", count, wanted);
}

static void list(sim *s, sim_side *side, const sim_step *step) {
    picked_view p = pick_view(step->a, false);
    covey_view view = covey_view_make(side->world, &p.desc);
    uint32_t listed = step->b % 30, wanted = 0, count = 0;
    for (uint32_t i = 0; i < listed; i++) {
        s->batch[i] = sim_any(side, sim_mix(step->c, i));
        const naive_entity *n = naive_find(side->naive, s->batch[i]);
        wanted += n && matches(&p, n);
    }
    sim_say(s, "a list of %u", listed);
    touch_view(s, &p);
    covey_iter it = covey_view_iter_list(&view, s->batch, listed);
    covey_row row = { 0 };
    while (covey_next_row(&it, &row)) count++;
    SIM_REQUIRE(s, count == wanted, "%u visits, not %u", count, wanted);
}

const sim_operation sim_view_operations[] = {
    { "spans", SIM_SPANS, 16, spans }, { "parts", SIM_SPANS, 4, parts }, { "since", SIM_TICKS, 8, since },
    { "rows", SIM_ROWS, 16, rows },    { "list", SIM_ROWS, 4, list },    { NULL, 0, 0, NULL },
};
