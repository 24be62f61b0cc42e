/* Programs that disable and enable, and have types with ticks: flags and numbers of the oracle, one for each entity and
 * component. */
#include "model_world.h"

static const covey_type ticking[] = {
    { .name = "TickBlock", .size = 8, .align = 4, .ticks = true, .as_bytes = true },
    { .name = "TickSparse", .size = 16, .align = 4, .storage = COVEY_STORAGE_SPARSE, .ticks = true, .as_bytes = true },
    { .name = "TickPinned", .size = 4, .align = 4, .storage = COVEY_STORAGE_PINNED, .ticks = true, .as_bytes = true },
    { .name = "TickFixed", .size = 12, .align = 4, .policy = COVEY_IN_PLACE, .ticks = true, .as_bytes = true },
    { .name = "TickQueue", .size = 8, .align = 8, .policy = COVEY_ORDERED, .ticks = true, .as_bytes = true },
    { .name = "TickFlag", .ticks = true },
    { .name = "TickPair", .size = 8, .align = 4, .storage = COVEY_STORAGE_SPARSE, .ticks = true, .as_bytes = true },
};
enum { TICKING = sizeof ticking / sizeof ticking[0] };

bool model_is_about_visibility(const model *m) {
    const struct model_subject *subject = m->options->subject;
    return subject == &model_visible || subject == &model_all || subject == &model_history;
}

void model_touch(model *m, const covey_type *type, covey_entity e) {
    oracle_touch(m->oracle, oracle_pool_of(m->oracle, type), e);
}

/* ---- Enabling -----------------------------------------------------------------------------------------------------*/

/* In some programs only components are disabled: groups may then own their pools alone for longer. */
static bool spares_entities(const model *m) { return m->type_count % 2 == 0; }

static void toggle_entity(model *m, covey_entity e, bool disabled) {
    if (spares_entities(m)) return;
    covey_result expected = oracle_alive(m->oracle, e) ? COVEY_OK : COVEY_ERROR_DEAD;
    covey_result result = disabled ? covey_disable(m->world, e) : covey_enable(m->world, e);
    if (model_settle(m, result == COVEY_OK, expected)) oracle_disable(m->oracle, e, disabled);
}

static void toggle_component(model *m, const covey_type *type, covey_entity e, bool disabled) {
    const oracle_pool *pool = oracle_pool_of(m->oracle, type);
    bool there = pool && oracle_has(m->oracle, pool, e);
    covey_result expected = there ? COVEY_OK : oracle_alive(m->oracle, e) ? COVEY_ERROR_ABSENT : COVEY_ERROR_DEAD;
    covey_result result =
        disabled ? covey_component_disable_raw(m->world, e, type) : covey_component_enable_raw(m->world, e, type);
    if (model_settle(m, result == COVEY_OK, expected)) oracle_disable_component(m->oracle, pool, e, disabled);
}

void model_toggle(model *m, const covey_type *type, covey_entity e, bool disabled) {
    if (type) toggle_component(m, type, e, disabled);
    else toggle_entity(m, e, disabled);
}

static void disable(model *m) { toggle_entity(m, model_pick(m), true); }

static covey_entity pick_disabled(model *m) {
    covey_entity e = model_pick(m);
    for (uint32_t i = 0; i < 16 && oracle_is_enabled(m->oracle, e); i++) e = model_pick(m);
    return e;
}

static void enable(model *m) { toggle_entity(m, pick_disabled(m), false); }

static void disable_neighbours(model *m) {
    uint32_t count = model_pick_neighbours(m, NULL);
    for (uint32_t i = 0; i < count; i++) toggle_entity(m, m->batch[i], true);
}

static void enable_neighbours(model *m) {
    uint32_t count = model_pick_neighbours(m, NULL);
    for (uint32_t i = 0; i < count; i++) toggle_entity(m, m->batch[i], false);
}

/* The tag itself: as covey_disable, but for one that has it. */
static void add_tag(model *m) {
    if (spares_entities(m)) return;
    covey_entity e = model_pick(m);
    bool alive = oracle_alive(m->oracle, e), disabled = alive && !oracle_is_enabled(m->oracle, e);
    covey_result expected = !alive ? COVEY_ERROR_DEAD : disabled ? COVEY_ERROR_PRESENT : COVEY_OK;
    if (model_settle(m, covey_add_tag(m->world, e, covey_disabled), expected)) oracle_disable(m->oracle, e, true);
}

static void remove_tag(model *m) {
    covey_entity e = pick_disabled(m);
    bool there = oracle_alive(m->oracle, e) && !oracle_is_enabled(m->oracle, e);
    REQUIRE(m, covey_remove_raw(m->world, e, covey_id(covey_disabled)) == there, "the tag was removed and not");
    if (there) oracle_disable(m->oracle, e, false);
}

static void clear_tag(model *m) {
    if (program_below(&m->program, m->rarity) != 0) return;
    covey_clear(m->world, covey_disabled);
    oracle_enable_all(m->oracle);
}

static void component_disable(model *m) {
    const covey_type *type = model_pick_type(m);
    toggle_component(m, type, model_pick_member(m, oracle_pool_of(m->oracle, type)), true);
}

static void component_enable(model *m) {
    const covey_type *type = model_pick_type(m);
    oracle_pool *pool = oracle_pool_of(m->oracle, type);
    covey_entity e = model_pick_member(m, pool);
    for (uint32_t i = 0; pool && i < 16 && oracle_component_is_enabled(m->oracle, pool, e); i++)
        e = model_pick_member(m, pool);
    toggle_component(m, type, e, false);
}

static void component_disable_neighbours(model *m) {
    const covey_type *type = model_pick_type(m);
    const oracle_pool *pool = oracle_pool_of(m->oracle, type);
    uint32_t count = model_pick_neighbours(m, NULL);
    for (uint32_t i = 0; pool && i < count; i++)
        if (oracle_has(m->oracle, pool, m->batch[i])) toggle_component(m, type, m->batch[i], true);
}

/* ---- Ticks --------------------------------------------------------------------------------------------------------*/

static void advance(model *m) {
    REQUIRE(m, covey_tick_advance(m->world) == m->oracle->tick, "another tick");
    m->oracle->tick++;
}

/* Types of the program, each once: those with ticks may be asked about, and any may be read. */
static void pick_since(model *m, covey_view_desc *desc) {
    uint32_t with = 0, reads = 0, changed = 0;
    *desc = (covey_view_desc){ .include_disabled = program_chance(&m->program, 32) };
    for (uint32_t i = 0; i < m->type_count && with < COVEY_TERMS; i++) {
        const covey_type *type = m->types[i];
        bool again = false;
        for (uint32_t k = 0; k < with && type->name; k++) again = again || strcmp(desc->with[k]->name, type->name) == 0;
        if (again || !oracle_type_valid(type) || !program_chance(&m->program, type->ticks ? 128 : 32)) continue;
        desc->with[with++] = type;
        if (program_chance(&m->program, 128)) desc->read[reads++] = type;
        if (type->ticks && program_chance(&m->program, 200)) desc->changed[changed++] = type;
    }
}

static bool was_changed(model *m, const covey_view_desc *desc, covey_entity e, uint64_t since) {
    for (uint32_t i = 0; i < COVEY_TERMS && desc->changed[i]; i++)
        if (oracle_changed_at(m->oracle, oracle_pool_of(m->oracle, desc->changed[i]), e) > since) return true;
    return !desc->changed[0];
}

static void want(model *m, const covey_view_desc *desc, covey_entity e, uint64_t since) {
    if (oracle_view_matches(m->oracle, desc, e) && was_changed(m, desc, e, since)) model_append(&m->wanted, e);
}

/* By index, unless all are wanted. */
static void want_since(model *m, const covey_view_desc *desc, uint64_t since) {
    const oracle_pool *lead = since != 0 && desc->changed[0] ? NULL : oracle_view_lead(m->oracle, desc);
    m->wanted.count = m->visited.count = 0;
    for (uint32_t i = 0; lead && i < lead->set->end; i++) want(m, desc, lead->set->ids[i], since);
    covey_entity e = lead ? (covey_entity){ 0, 0 } : oracle_next(m->oracle, 0);
    for (; !covey_is_null(e); e = oracle_next(m->oracle, (uint64_t)e.index + 1)) want(m, desc, e, since);
}

static void visit(model *m, const covey_view_desc *desc, covey_entity e) {
    uint32_t number = m->visited.count;
    REQUIRE(m, number < m->wanted.count && covey_same(m->wanted.ids[number], e), "visit %u since then is of %u:%u",
            number, e.index, e.generation);
    model_append(&m->visited, e);
    for (uint32_t i = 0; i < COVEY_TERMS && desc->with[i]; i++)
        if (!oracle_view_is_read_only(desc, i)) model_touch(m, desc->with[i], e);
}

static void visit_spans(model *m, const covey_view_desc *desc, covey_iter *it) {
    while (covey_next(it))
        for (uint32_t row = 0; row < it->count; row++) {
            covey_entity e = covey_span_entity(it, row);
            visit(m, desc, e);
            for (uint32_t i = 0; i < COVEY_TERMS && desc->with[i]; i++)
                model_check_field(m, desc->with[i], e,
                                  (const char *)covey_field_raw(it, i) + (size_t)row * desc->with[i]->size);
        }
}

static void visit_rows(model *m, const covey_view_desc *desc, covey_iter *it) {
    covey_row row = { 0 };
    while (covey_next_row(it, &row)) {
        covey_entity e = covey_row_entity(it, row);
        visit(m, desc, e);
        for (uint32_t i = 0; i < COVEY_TERMS && desc->with[i]; i++)
            model_check_field(m, desc->with[i], e, covey_row_field_raw(it, row, i));
    }
}

static bool is_too_costly(model *m) { return m->options->crowd >= 1000 && program_below(&m->program, 16) != 0; }

static void since(model *m) {
    covey_view_desc desc;
    if (is_too_costly(m)) return;
    pick_since(m, &desc);
    uint64_t tick = m->oracle->tick - program_below(&m->program, 5);
    if (tick > m->oracle->tick) tick = 0;
    covey_view view = covey_view_make(m->world, &desc);
    REQUIRE(m, covey_view_valid(&view), "a view is not valid");
    want_since(m, &desc, tick);
    covey_iter it = covey_view_iter_since(&view, tick);
    if (program_chance(&m->program, 128)) visit_spans(m, &desc, &it);
    else visit_rows(m, &desc, &it);
    REQUIRE(m, m->visited.count == m->wanted.count, "%u were visited since %llu, not %u", m->visited.count,
            (unsigned long long)tick, m->wanted.count);
}

/* ---- The subject --------------------------------------------------------------------------------------------------*/

static void begin(model *m) { REQUIRE(m, covey_tick(m->world) == 1, "time does not start at 1"); }

/* Most types of the program have ticks. */
static void choose_types(model *m) {
    for (uint32_t i = 0; i < 3; i++) m->types[m->type_count++] = &ticking[program_below(&m->program, TICKING)];
}

static void check(model *m) {
    if (m->program.step == 1) choose_types(m);
    REQUIRE(m, covey_tick(m->world) == m->oracle->tick, "another tick");
    covey_entity e = model_pick(m);
    REQUIRE(m, covey_is_enabled(m->world, e) == oracle_is_enabled(m->oracle, e), "%u:%u is enabled and not", e.index,
            e.generation);
}

static void compare_component(model *m, const oracle_pool *pool, covey_entity e) {
    bool enabled = oracle_component_is_enabled(m->oracle, pool, e);
    uint64_t tick = oracle_changed_at(m->oracle, pool, e), found = covey_changed_at_raw(m->world, e, pool->type);
    REQUIRE(m, covey_component_is_enabled_raw(m->world, e, pool->type) == enabled, "the %s of %u:%u is enabled and not",
            pool->type->name, e.index, e.generation);
    REQUIRE(m, found == tick, "the %s of %u:%u was changed at %llu, not %llu", pool->type->name, e.index, e.generation,
            (unsigned long long)found, (unsigned long long)tick);
}

static void compare(model *m) {
    for (uint32_t i = 0; i < m->oracle->alive; i++) {
        covey_entity e = m->oracle->roll[i];
        REQUIRE(m, covey_is_enabled(m->world, e) == oracle_is_enabled(m->oracle, e), "%u:%u is enabled and not",
                e.index, e.generation);
        for (uint32_t k = 0; k < m->oracle->pool_count; k++) compare_component(m, &m->oracle->pools[k], e);
    }
}

static void nothing(model *m) { (void)m; }

static const model_operation operations[] = {
    { "disable", disable, 6, false },
    { "enable", enable, 6, true },
    { "disable, neighbours", disable_neighbours, 1, false },
    { "enable, neighbours", enable_neighbours, 2, true },
    { "add_tag of what is disabled", add_tag, 2, false },
    { "remove of what is disabled", remove_tag, 2, true },
    { "clear of what is disabled", clear_tag, 1, true },
    { "component_disable", component_disable, 8, false },
    { "component_enable", component_enable, 8, true },
    { "component_disable, neighbours", component_disable_neighbours, 1, false },
    { "tick_advance", advance, 6, true },
    { "view, since", since, 8, true },
    { NULL, NULL, 0, false },
};

const struct model_subject model_visible = {
    .operations = operations,
    .begin = begin,
    .check = check,
    .compare = compare,
    .end = nothing,
    .forget = nothing,
};
