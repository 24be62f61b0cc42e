/* Runs a program, and changes the model as the library should have changed. */
#include "child.h"
#include "sim_image.h"

#include <covey/hierarchy.h>

#include <stdarg.h>
#include <stdlib.h>

const sim_part *const sim_parts[SIM_PARTS] = { &sim_part_listeners, &sim_part_reactives, &sim_part_queues,
                                               &sim_part_groups,    &sim_part_buffers,   &sim_part_followers,
                                               &sim_part_files,     &sim_part_schedules, &sim_part_storages,
                                               &sim_part_lookups,   &sim_part_events,    &sim_part_histories };

/* ---- Words --------------------------------------------------------------------------------------------------------*/

void sim_say(sim *s, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->said, sizeof s->said, format, arguments);
    va_end(arguments);
    if (s->trace) printf("%3u world %u: %s\n", s->at, s->step ? s->step->world : 0, s->said);
}

static const char *operation_name(const sim *s) {
    return s->step ? sim_operation_at(s->step->operation)->name : "the end";
}

void sim_fail(sim *s, const char *format, ...) {
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    child_fail(format, "step %u, %s (%s): %s", s->at, operation_name(s), s->said, text);
}

void sim_fail_for(sim *s, const char *what, const char *which) {
    child_fail(what, "step %u, %s (%s): %s: %s", s->at, operation_name(s), s->said, which, what);
}

bool sim_settle_result(sim *s, covey_result result, covey_result expected) {
    if (s->nested != 0) return result == COVEY_OK;
    if (expected == COVEY_OK && sim_lies(s, SIM_LIE_RESULT_WRONG)) expected = COVEY_ERROR_LIMIT;
    if (result == COVEY_ERROR_MEMORY && s->heap.failed) {
        sim_touch(s, SIM_MEMORY_FAILS);
        s->refused = true;
        return false;
    }
    SIM_REQUIRE(s, result == expected, "the result is \"%s\", not \"%s\"", covey_result_text(result),
                covey_result_text(expected));
    return result == COVEY_OK;
}

bool sim_settle(sim *s, sim_side *side, bool succeeded, covey_result expected) {
    return sim_settle_result(s, succeeded ? COVEY_OK : covey_world_result(side->world), expected);
}

void sim_touch(sim *s, sim_feature feature) { s->touched |= SIM_BIT(feature); }

/* ---- Features -----------------------------------------------------------------------------------------------------*/

static uint64_t storage_feature(const covey_type *type) {
    static const sim_feature policies[] = { SIM_SPARSE, SIM_IN_PLACE, SIM_SWAP_ONLY, SIM_ORDERED };
    if (type->storage == COVEY_STORAGE_PINNED) return SIM_BIT(SIM_PINNED);
    if (type->storage == COVEY_STORAGE_SPARSE || type->policy != COVEY_SWAP_AND_POP)
        return SIM_BIT(policies[type->policy]);
    return SIM_BIT(SIM_BLOCKS);
}

static uint64_t type_features(uint32_t number) {
    const covey_type *type = value_types[number];
    uint64_t features = storage_feature(type);
    if (value_is_tag(number)) features |= SIM_BIT(SIM_TAGS);
    if (value_has_link(number)) features |= SIM_BIT(SIM_LINKS);
    if (type->ticks) features |= SIM_BIT(SIM_TICKS);
    if (type->drop) features |= SIM_BIT(SIM_DROP);
    if (type->move) features |= SIM_BIT(SIM_MOVE);
    return features;
}

void sim_touch_type(sim *s, uint32_t type) { s->touched |= type_features(type); }

static uint64_t entity_features(const naive_entity *n) {
    uint64_t features = 0;
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) {
        if (n->at[t].present) features |= type_features(t);
        if (n->at[t].disabled) features |= SIM_BIT(SIM_DISABLE);
    }
    if (!covey_is_null(n->parent)) features |= SIM_BIT(SIM_TREE);
    if (n->name[0]) features |= SIM_BIT(SIM_NAMES);
    if (n->disabled) features |= SIM_BIT(SIM_DISABLE);
    return features;
}

static uint64_t features_in_force(const sim_side *side) {
    uint64_t features = side->through;
    for (uint32_t i = 0; i < SIM_PARTS; i++)
        if (sim_parts[i]->in_force) features |= sim_parts[i]->in_force(side);
    for (uint32_t i = 0; i < side->naive->count; i++) features |= entity_features(&side->naive->list[i]);
    for (uint32_t t = 0; t < NAIVE_TYPES; t++)
        if (side->naive->resources[t].present) features |= SIM_BIT(SIM_RESOURCE);
    return features;
}

/* ---- Operands -----------------------------------------------------------------------------------------------------*/

uint32_t sim_mix(uint32_t a, uint32_t b) {
    uint32_t h = (a ^ b * 0x9E3779B9u) * 0x85EBCA6Bu;
    return (h ^ h >> 15) * 0xC2B2AE35u;
}

sim_side *sim_side_of(sim *s) { return &s->sides[s->step->world]; }

sim_side *sim_other_side(sim *s) {
    uint32_t other = s->step->other;
    return &s->sides[other != s->step->world ? other : (other + 1) % SIM_WORLDS];
}

uint32_t sim_type(uint32_t n) { return n % NAIVE_TYPES; }

covey_entity sim_living(sim_side *side, uint32_t n) {
    return side->naive->count != 0 ? side->naive->list[n % side->naive->count].e : COVEY_NULL;
}

covey_entity sim_any(sim_side *side, uint32_t n) {
    if (n % 32 == 0) return COVEY_NULL;
    if (n % 32 < 3 && side->stale_count != 0) return side->stale[n / 32 % side->stale_count];
    return sim_living(side, n / 32);
}

covey_entity sim_member(sim_side *side, uint32_t type, uint32_t n) {
    uint32_t count = naive_count(side->naive, type);
    if (count == 0 || n % 16 == 0) return sim_any(side, n);
    uint32_t left = n / 16 % count;
    for (uint32_t i = 0; i < side->naive->count; i++)
        if (side->naive->list[i].at[type].present && left-- == 0) return side->naive->list[i].e;
    return COVEY_NULL;
}

uint32_t sim_pick_batch(sim *s, sim_side *side, uint32_t type, bool has, uint32_t n, uint32_t most) {
    uint32_t kept = 0, count = side->naive->count;
    if (most > SIM_BATCH) most = SIM_BATCH;
    for (uint32_t i = 0; i < count && kept < most; i++) {
        const naive_entity *entity = &side->naive->list[(i + n) % count];
        if (sim_mix(n, i) % 4 != 0 && entity->at[type].present == has) s->batch[kept++] = entity->e;
    }
    return kept;
}

bool sim_is_crowded(const sim_side *side) { return side->naive->count >= SIM_MOST; }

void *sim_value(sim *s, sim_side *side, uint32_t type, uint32_t k, naive_component *component) {
    void *value = s->values + (size_t)k * VALUE_BYTES;
    *component = (naive_component){ .seed = ++s->seeds, .present = true };
    if (value_has_link(type)) component->link = sim_any(side, sim_mix(s->seeds, s->at));
    if (value_is_tag(type)) component->seed = 0;
    value_make(type, component->seed, component->link, value);
    return value;
}

void sim_end_values(sim *s, uint32_t type, uint32_t count) {
    for (uint32_t k = 0; k < count; k++) {
        void *value = s->values + (size_t)k * VALUE_BYTES;
        bool owns = value_types[type]->drop != NULL;
        if (owns && sim_lies(s, SIM_LIE_VALUE_NOT_ENDED)) continue;
        value_end(type, value);
        if (owns && sim_lies(s, SIM_LIE_VALUE_ENDED_TWICE)) value_end(type, value);
    }
}

/* ---- The model ----------------------------------------------------------------------------------------------------*/

static void tell_parts(sim *s, sim_side *side, covey_signal signal, covey_entity e, uint32_t type) {
    for (uint32_t i = 0; i < SIM_PARTS; i++)
        if (sim_parts[i]->told) sim_parts[i]->told(s, side, signal, e, type);
}

void sim_created(sim *s, sim_side *side, covey_entity e) {
    for (uint32_t i = 0; i < side->naive->count; i++)
        SIM_REQUIRE(s, side->naive->list[i].e.index != e.index, "the new entity has an index that is in use");
    naive_insert(side->naive, e);
    if (sim_lies(s, SIM_LIE_STALE_LIVES)) sim_is_stale(s, side, e);
    tell_parts(s, side, COVEY_ON_CREATE, e, NAIVE_TYPES);
}

void sim_check_order(sim *s, const sim_side *side, uint32_t count) {
    if (side != &s->sides[SIM_IN_ORDER]) return;
    for (uint32_t i = 1; i < count; i++) {
        bool ascends = s->batch[i - 1].index < s->batch[i].index;
        SIM_REQUIRE(s, ascends && !sim_lies(s, SIM_LIE_ID_OUT_OF_ORDER), "the ids of new entities do not ascend");
    }
}

void sim_is_stale(sim *s, sim_side *side, covey_entity e) {
    side->stale[side->stale_count < SIM_STALE ? side->stale_count++ : s->at % SIM_STALE] = e;
}

void sim_left(sim *s, sim_side *side, covey_entity e) {
    const naive_entity *n = naive_find(side->naive, e);
    SIM_REQUIRE(s, n, "the model has no such entity");
    sim_is_stale(s, side, e);
    tell_parts(s, side, COVEY_ON_DESTROY, e, NAIVE_TYPES);
    for (uint32_t t = 0; t < NAIVE_TYPES; t++)
        if (n->at[t].present) tell_parts(s, side, COVEY_ON_REMOVE, e, t);
    if (!sim_lies(s, SIM_LIE_DESTRUCTION_FORGOTTEN)) naive_erase(side->naive, e);
}

void sim_destroyed(sim *s, sim_side *side, covey_entity e) {
    sim_left(s, side, e);
    sim_target_ended(s, side, e);
}

static naive_component *mark(sim *s, sim_side *side, covey_entity e, uint32_t type, const naive_component *component) {
    naive_component *to = &naive_find(side->naive, e)->at[type];
    bool disabled = to->present && to->disabled;
    uint32_t before = to->seed;
    *to = *component;
    to->present = true;
    to->disabled = disabled;
    to->tick = value_has_ticks(type) ? side->naive->tick + sim_lies(s, SIM_LIE_TICK_LATE) : 0;
    if (!covey_is_null(to->link) && sim_lies(s, SIM_LIE_LINK_LOST)) to->link = COVEY_NULL;
    if (to->seed != before && sim_lies(s, SIM_LIE_VALUE_KEPT)) to->seed = before;
    return to;
}

void sim_added(sim *s, sim_side *side, covey_entity e, uint32_t type, const naive_component *component) {
    naive_component *added = mark(s, side, e, type, component);
    added->disabled = false;
    added->present = !sim_lies(s, SIM_LIE_ADDITION_FORGOTTEN);
    tell_parts(s, side, COVEY_ON_ADD, e, type);
}

void sim_was_set(sim *s, sim_side *side, covey_entity e, uint32_t type, const naive_component *component) {
    mark(s, side, e, type, component);
    tell_parts(s, side, COVEY_ON_SET, e, type);
}

void sim_was_patched(sim *s, sim_side *side, covey_entity e, uint32_t type, const naive_component *component) {
    mark(s, side, e, type, component);
    tell_parts(s, side, COVEY_ON_PATCH, e, type);
}

void sim_removed(sim *s, sim_side *side, covey_entity e, uint32_t type) {
    tell_parts(s, side, COVEY_ON_REMOVE, e, type);
    if (!sim_lies(s, SIM_LIE_REMOVAL_FORGOTTEN)) naive_find(side->naive, e)->at[type] = (naive_component){ 0 };
}

void sim_cleared(sim *s, sim_side *side, uint32_t type) {
    for (uint32_t i = 0; i < side->naive->count; i++)
        if (side->naive->list[i].at[type].present && !sim_lies(s, SIM_LIE_CLEAR_MISSES_ONE))
            sim_removed(s, side, side->naive->list[i].e, type);
}

void sim_marked(sim *s, sim_side *side, covey_entity e, uint32_t type) {
    naive_component *component = naive_component_of(side->naive, e, type);
    (void)s;
    if (component && value_has_ticks(type)) component->tick = side->naive->tick;
}

/* ---- Taking the model from the library ----------------------------------------------------------------------------*/

static void adopt_component(sim *s, const sim_side *side, naive_entity *n, uint32_t type) {
    const void *value = covey_get_raw(side->world, n->e, value_types[type]);
    naive_component *component = &n->at[type];
    if (!value) return;
    SIM_REQUIRE(s, value_read(type, value, &component->seed, &component->link), "%s of %u is damaged",
                value_types[type]->name, n->e.index);
    component->present = true;
    component->disabled = !covey_component_is_enabled_raw(side->world, n->e, value_types[type]);
    component->tick = covey_changed_at_raw(side->world, n->e, value_types[type]);
}

static void adopt_entity(sim *s, sim_side *side, covey_entity e) {
    naive_entity *n = naive_insert(side->naive, e);
    const char *name = covey_name(side->world, e);
    n->disabled = !covey_is_enabled(side->world, e);
    n->parent = covey_parent(side->world, e);
    if (name) snprintf(n->name, sizeof n->name, "%s", name);
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) adopt_component(s, side, n, t);
}

static void adopt_children(sim_side *side, covey_entity parent) {
    covey_entity child = covey_child_first(side->world, parent);
    for (; !covey_is_null(child); child = covey_child_next(side->world, child))
        naive_append_child(side->naive, naive_find(side->naive, child), parent);
}

static void adopt_resource(sim *s, sim_side *side, uint32_t type) {
    naive_component *resource = &side->naive->resources[type];
    const void *value = covey_resource_get_raw(side->world, value_types[type]);
    if (!value) return;
    resource->present = true;
    SIM_REQUIRE(s, value_read(type, value, &resource->seed, &resource->link), "a resource is damaged");
}

void sim_adopt(sim *s, sim_side *side) {
    naive_destroy(side->naive);
    side->naive = naive_create();
    side->naive->tick = covey_tick(side->world);
    covey_entity e = covey_entity_next(side->world, COVEY_NULL);
    for (; !covey_is_null(e); e = covey_entity_next(side->world, e)) adopt_entity(s, side, e);
    for (uint32_t i = 0; i < side->naive->count; i++) adopt_children(side, side->naive->list[i].e);
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) adopt_resource(s, side, t);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < side->stale_count; i++)
        if (!covey_alive(side->world, side->stale[i])) side->stale[kept++] = side->stale[i];
    side->stale_count = kept;
    for (uint32_t i = 0; i < SIM_PARTS; i++)
        if (sim_parts[i]->adopt) sim_parts[i]->adopt(s, side);
}

/* ---- Worlds -------------------------------------------------------------------------------------------------------*/

static void ignore(covey_result item, const char *text, void *context) { (void)item, (void)text, (void)context; }

static void broken(const char *what, const char *file, int line, void *context) {
    char where[200];
    snprintf(where, sizeof where, "a contract is broken at %s:%d", file, line);
    sim_fail_for(context, what, where);
}

covey_world_desc sim_world_desc(sim *s) {
    uint32_t world = s->step ? s->step->world : s->at;
    return (covey_world_desc){ .allocator = test_allocator(&s->heap),
                               .log = ignore,
                               .on_assert = broken,
                               .assert_context = s,
                               .ids_in_order = world == SIM_IN_ORDER };
}

covey_world *sim_world_create(sim *s) {
    covey_world_desc desc = sim_world_desc(s);
    return covey_world_create(&desc);
}

static void side_begin(sim *s, sim_side *side, covey_world *world, naive_world *naive) {
    side->world = world;
    side->naive = naive ? naive : naive_create();
    for (uint32_t i = 0; i < SIM_PARTS; i++) sim_parts[i]->begin(s, side);
    if (!naive) sim_adopt(s, side);
}

/* Histories end first: they are the last part. */
static void side_end(sim *s, sim_side *side) {
    for (uint32_t i = SIM_PARTS; i-- != 0;) sim_parts[i]->end(s, side);
    covey_world_destroy(side->world);
    naive_destroy(side->naive);
    *side = (sim_side){ 0 };
}

void sim_replace_world(sim *s, sim_side *side, covey_world *world, naive_world *naive) {
    uint64_t through = side->through;
    side_end(s, side);
    side_begin(s, side, world, naive);
    side->through = through;
}

/* ---- Steps --------------------------------------------------------------------------------------------------------*/

static void begin_step(sim *s, const sim_step *step) {
    s->step = step;
    s->nested = 0;
    s->refused = false;
    s->reordered = false;
    s->touched = 0;
    s->said[0] = '\0';
    s->heap.failed = false;
    if (step->fail != 0) test_fail_at(&s->heap, step->fail % SIM_FAIL_ON, step->fail >= SIM_FAIL_ON);
}

static void end_step(sim *s, sim_side *side, uint64_t in_force) {
    test_fail_never(&s->heap);
    if (ledger_fail_copy(0)) sim_touch(s, SIM_COPY_FAILS);
    if (s->heap.failed) sim_touch(s, SIM_MEMORY_FAILS);
    for (uint32_t i = 0; i < SIM_WORLDS; i++) {
        if (s->sides[i].nested != 0) sim_adopt(s, &s->sides[i]);
        s->sides[i].nested = 0;
        bool concerned = i == s->step->world || i == s->step->other || s->at % 16 == 0;
        if (concerned) sim_compare(s, &s->sides[i]);
    }
    sim_pairs_count(s->touched, in_force);
    side->through |= s->touched;
}

/* A step in which an allocation fails: the world and the model before it. */
typedef struct failing {
    const covey_world *world;
    naive_world *naive;
    sim_before before;
} failing;

static void failing_begin(sim *s, const sim_side *side, failing *f) {
    f->world = side->world;
    f->naive = naive_copy(side->naive);
    sim_before_begin(s, side->world, &f->before);
}

/* If a call failed and the model is as it was, so is the world: also free indices, positions and holes. */
static void failing_end(sim *s, const sim_side *side, failing *f) {
    bool unchanged = side->world == f->world && s->refused && naive_is_same(side->naive, f->naive);
    naive_destroy(f->naive);
    sim_before_end(s, side->world, &f->before, unchanged ? COVEY_ERROR_MEMORY : COVEY_OK);
}

static void run_step(sim *s, const sim_step *step) {
    const sim_operation *operation = sim_operation_at(step->operation);
    failing f;
    begin_step(s, step);
    sim_side *side = sim_side_of(s);
    uint64_t in_force = features_in_force(side);
    if (step->fail != 0) failing_begin(s, side, &f);
    operation->run(s, side, step);
    if (step->fail != 0) failing_end(s, side, &f);
    if (s->said[0]) sim_touch(s, operation->feature); /* it did something */
    end_step(s, sim_side_of(s), in_force);
}

static void end_run(sim *s) {
    s->step = NULL;
    snprintf(s->said, sizeof s->said, "all worlds are destroyed");
    for (uint32_t i = 0; i < SIM_WORLDS; i++) side_end(s, &s->sides[i]);
    if (ledger_fault()) sim_fail_for(s, ledger_fault(), "a hook");
    s->honest = 0; /* this comes once */
    if (sim_lies(s, SIM_LIE_BLOCK_KEPT)) test_allocator(&s->heap).fn(&s->heap, NULL, 0, 64, 64);
    SIM_REQUIRE(s, s->heap.blocks == 0, "%zu blocks of memory were not freed", s->heap.blocks);
    SIM_REQUIRE(s, ledger_live() == 0, "%u values were never dropped", ledger_live());
}

void sim_run(const sim_program *program, bool trace) {
    static sim running;
    sim *s = &running;
    *s = (sim){ 0 };
    s->trace = trace;
    s->honest = (uint32_t)(program->seed % 3);
    ledger_reset();
    sim_pairs_program();
    for (s->at = 0; s->at < SIM_WORLDS; s->at++) side_begin(s, &s->sides[s->at], sim_world_create(s), naive_create());
    for (s->at = 0; s->at < program->count; s->at++) {
        child_at_step(s->at);
        run_step(s, &program->steps[s->at]);
    }
    end_run(s);
}
