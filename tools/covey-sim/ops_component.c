/* Components of one entity. */
#include "sim.h"

static covey_result may_add(const sim_side *side, covey_entity e, uint32_t type) {
    if (!naive_find(side->naive, e)) return COVEY_ERROR_DEAD;
    return naive_component_of(side->naive, e, type) ? COVEY_ERROR_PRESENT : COVEY_OK;
}

/* A value that the library did not take over is the caller's. It was taken over if a listener removed it at once. */
static void end_refused(sim *s, const sim_side *side, uint32_t type, bool succeeded) {
    if (!succeeded && covey_world_result(side->world) != COVEY_ERROR_GONE) sim_end_values(s, type, 1);
}

static const char *name_of(uint32_t type) { return value_types[type]->name; }

void sim_add(sim *s, sim_side *side, covey_entity e, uint32_t type) {
    covey_result expected = may_add(side, e, type);
    naive_component component;
    void *value = sim_value(s, side, type, 0, &component);
    bool added = covey_add_raw(side->world, e, value_types[type], value) != NULL;
    end_refused(s, side, type, added);
    if (sim_settle(s, side, added, expected) && s->nested == 0) sim_added(s, side, e, type, &component);
}

void sim_remove(sim *s, sim_side *side, covey_entity e, uint32_t type) {
    bool present = naive_component_of(side->naive, e, type) != NULL;
    bool removed = covey_remove_raw(side->world, e, value_types[type]);
    if (s->nested != 0) return;
    SIM_REQUIRE(s, removed == present, "remove returns %d", removed);
    if (removed) sim_removed(s, side, e, type);
}

static void add(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = sim_type(step->b);
    covey_entity e = sim_any(side, step->a);
    sim_say(s, "add: %s to %u:%u", name_of(type), e.index, e.generation);
    sim_touch_type(s, type);
    sim_add(s, side, e, type);
}

static void set(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = sim_type(step->b);
    covey_entity e = step->c % 2 ? sim_any(side, step->a) : sim_member(side, type, step->a);
    covey_result expected = may_add(side, e, type);
    naive_component component;
    void *value = sim_value(s, side, type, 0, &component);
    sim_say(s, "set: %s of %u:%u", name_of(type), e.index, e.generation);
    sim_touch_type(s, type);
    bool done = covey_set_raw(side->world, e, value_types[type], value) != NULL;
    end_refused(s, side, type, done);
    if (!sim_settle(s, side, done, expected == COVEY_ERROR_PRESENT ? COVEY_OK : expected) || s->nested != 0) return;
    if (expected == COVEY_OK) sim_added(s, side, e, type, &component);
    else sim_was_set(s, side, e, type, &component);
}

static void replace(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = sim_type(step->b), seed;
    covey_entity e = sim_member(side, type, step->a), link;
    const naive_component *now = naive_component_of(side->naive, e, type);
    naive_component component, before = now ? *now : (naive_component){ 0 };
    void *value = sim_value(s, side, type, 0, &component);
    sim_say(s, "replace: %s of %u:%u", name_of(type), e.index, e.generation);
    sim_touch_type(s, type);
    bool done = covey_replace_raw(side->world, e, value_types[type], value);
    bool whole = value_read(type, value, &seed, &link);
    sim_end_values(s, type, 1); /* the old value, or the refused one */
    covey_result expected = now ? COVEY_OK : naive_find(side->naive, e) ? COVEY_ERROR_ABSENT : COVEY_ERROR_DEAD;
    if (!sim_settle(s, side, done, expected) || s->nested != 0) return;
    SIM_REQUIRE(s, whole && seed == before.seed, "replace returns another value than the old one");
    sim_was_set(s, side, e, type, &component);
}

typedef struct rewriting {
    uint32_t type;
    naive_component component;
} rewriting;

static void rewrite(void *value, void *context) {
    const rewriting *r = context;
    value_write(r->type, value, r->component.seed, r->component.link);
}

static rewriting begin_rewriting(sim *s, sim_side *side, uint32_t type) {
    rewriting r = { .type = type };
    sim_value(s, side, type, 0, &r.component);
    sim_end_values(s, type, 1);
    return r;
}

static void patch(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = sim_type(step->b);
    covey_entity e = sim_member(side, type, step->a);
    bool present = naive_component_of(side->naive, e, type) != NULL;
    rewriting r = begin_rewriting(s, side, type);
    sim_say(s, "patch: %s of %u:%u", name_of(type), e.index, e.generation);
    sim_touch_type(s, type);
    bool done = covey_patch_raw(side->world, e, value_types[type], rewrite, &r) != NULL;
    if (s->nested != 0) return;
    if (!done && present) sim_settle(s, side, false, COVEY_OK); /* only memory may fail */
    SIM_REQUIRE(s, present || !done, "patch of an absent component succeeds");
    if (done) sim_was_patched(s, side, e, type, &r.component);
}

static void get_or_add(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = sim_type(step->b);
    covey_entity e = sim_any(side, step->a);
    covey_result expected = may_add(side, e, type);
    naive_component component;
    void *value = sim_value(s, side, type, 0, &component);
    sim_say(s, "get_or_add: %s of %u:%u", name_of(type), e.index, e.generation);
    sim_touch_type(s, type);
    bool done = covey_get_or_add_raw(side->world, e, value_types[type], value) != NULL;
    if (expected == COVEY_ERROR_PRESENT) sim_end_values(s, type, 1);
    else end_refused(s, side, type, done);
    if (!sim_settle(s, side, done, expected == COVEY_ERROR_PRESENT ? COVEY_OK : expected) || s->nested != 0) return;
    if (expected == COVEY_OK) sim_added(s, side, e, type, &component);
}

static void remove_component(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = sim_type(step->b);
    covey_entity e = sim_member(side, type, step->a);
    sim_say(s, "remove: %s of %u:%u", name_of(type), e.index, e.generation);
    sim_touch_type(s, type);
    sim_remove(s, side, e, type);
}

static void take(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = sim_type(step->b), seed;
    covey_entity e = sim_member(side, type, step->a), link;
    const naive_component *now = naive_component_of(side->naive, e, type);
    sim_say(s, "take: %s of %u:%u", name_of(type), e.index, e.generation);
    sim_touch_type(s, type);
    bool taken = covey_take_raw(side->world, e, value_types[type], s->values);
    bool whole = taken && value_read(type, s->values, &seed, &link);
    if (taken) sim_end_values(s, type, 1);
    if (s->nested != 0) return;
    SIM_REQUIRE(s, taken == (now != NULL), "take returns %d", taken);
    SIM_REQUIRE(s, !taken || (whole && seed == now->seed), "take returns another value");
    if (taken) sim_removed(s, side, e, type);
}

/* Removes values whose seeds have a remainder. */
static bool has_remainder(covey_entity e, const void *value, void *context) {
    const uint32_t *wanted = context;
    uint32_t seed;
    covey_entity link;
    value_read(wanted[0], value, &seed, &link);
    return (seed + e.index) % 3 == wanted[1];
}

static void remove_if(sim *s, sim_side *side, const sim_step *step) {
    uint32_t wanted[2] = { sim_type(step->b), step->a % 3 };
    sim_say(s, "remove_if: %s, remainder %u", name_of(wanted[0]), wanted[1]);
    sim_touch_type(s, wanted[0]);
    covey_remove_if_raw(side->world, value_types[wanted[0]], has_remainder, wanted);
    for (uint32_t i = 0; i < side->naive->count && s->nested == 0; i++) {
        const naive_entity *n = &side->naive->list[i];
        if (n->at[wanted[0]].present && (n->at[wanted[0]].seed + n->e.index) % 3 == wanted[1])
            sim_removed(s, side, n->e, wanted[0]);
    }
}

static void clear(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = sim_type(step->b);
    sim_say(s, "clear: %s", name_of(type));
    sim_touch_type(s, type);
    covey_clear_raw(side->world, value_types[type]);
    if (s->nested == 0) sim_cleared(s, side, type);
}

/* Removes all components, and names, parents and what is disabled. */
static void clear_components(sim *s, sim_side *side, const sim_step *step) {
    if (step->a % 4 != 0) return;
    sim_say(s, "clear_components");
    covey_clear_components(side->world);
    for (uint32_t t = 0; t < NAIVE_TYPES && s->nested == 0; t++) sim_cleared(s, side, t);
    for (uint32_t i = 0; i < side->naive->count; i++) {
        naive_entity *n = &side->naive->list[i];
        n->parent = COVEY_NULL;
        n->name[0] = '\0';
        n->disabled = false;
    }
}

/* Every second time a type that the other world has as a resource: for merges. */
static uint32_t pick_resource(sim *s, uint32_t n) {
    const sim_side *other = sim_other_side(s);
    uint32_t type = sim_type(n / 2);
    for (uint32_t i = 0; i < NAIVE_TYPES && n % 2 == 0; i++)
        if (other->naive->resources[(type + i) % NAIVE_TYPES].present) return (type + i) % NAIVE_TYPES;
    return type;
}

static void resource_set(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = pick_resource(s, step->b);
    naive_component component;
    void *value = sim_value(s, side, type, 0, &component);
    sim_say(s, "resource_set: %s", name_of(type));
    sim_touch_type(s, type);
    bool done = covey_resource_set_raw(side->world, value_types[type], value) != NULL;
    if (!done) sim_end_values(s, type, 1);
    if (!sim_settle(s, side, done, COVEY_OK) || sim_lies(s, SIM_LIE_RESOURCE_KEPT)) return;
    side->naive->resources[type] = component;
}

static void resource_remove(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = sim_type(step->b);
    bool present = side->naive->resources[type].present, takes = step->a % 2 == 0;
    sim_say(s, "resource_%s: %s", takes ? "take" : "remove", name_of(type));
    sim_touch_type(s, type);
    bool done = takes ? covey_resource_take_raw(side->world, value_types[type], s->values)
                      : covey_resource_remove_raw(side->world, value_types[type]);
    if (done && takes) sim_end_values(s, type, 1);
    SIM_REQUIRE(s, done == present, "it returns %d", done);
    side->naive->resources[type] = (naive_component){ 0 };
}

const sim_operation sim_component_operations[] = {
    { "add", SIM_ADD, 120, add },
    { "set", SIM_SET, 40, set },
    { "replace", SIM_SET, 10, replace },
    { "patch", SIM_PATCH, 20, patch },
    { "get_or_add", SIM_ADD, 10, get_or_add },
    { "remove", SIM_REMOVE, 40, remove_component },
    { "take", SIM_TAKE, 10, take },
    { "remove_if", SIM_REMOVE_IF, 6, remove_if },
    { "clear", SIM_CLEAR, 4, clear },
    { "clear_components", SIM_CLEAR, 2, clear_components },
    { "resource_set", SIM_RESOURCE, 6, resource_set },
    { "resource_remove", SIM_RESOURCE, 3, resource_remove },
    { NULL, 0, 0, NULL },
};
