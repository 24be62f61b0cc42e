/* Disabled entities and components, and ticks. */
#include "sim.h"

static const char *name_of(uint32_t type) { return value_types[type]->name; }

/* ---- Entities -----------------------------------------------------------------------------------------------------*/

static void disable(sim *s, sim_side *side, const sim_step *step) {
    covey_entity e = sim_any(side, step->a);
    naive_entity *n = naive_find(side->naive, e);
    sim_say(s, "disable: %u:%u", e.index, e.generation);
    if (sim_settle_result(s, covey_disable(side->world, e), n ? COVEY_OK : COVEY_ERROR_DEAD))
        n->disabled = n->disabled || !sim_lies(s, SIM_LIE_STILL_ENABLED);
}

/* Most often a disabled entity. */
static covey_entity pick_disabled(sim_side *side, uint32_t n) {
    for (uint32_t i = 0; i < side->naive->count && n % 4 != 0; i++) {
        const naive_entity *entity = &side->naive->list[(n / 4 + i) % side->naive->count];
        if (entity->disabled) return entity->e;
    }
    return sim_any(side, n / 4);
}

static void enable(sim *s, sim_side *side, const sim_step *step) {
    covey_entity e = pick_disabled(side, step->a);
    naive_entity *n = naive_find(side->naive, e);
    sim_say(s, "enable: %u:%u", e.index, e.generation);
    if (sim_settle_result(s, covey_enable(side->world, e), n ? COVEY_OK : COVEY_ERROR_DEAD)) n->disabled = false;
}

/* The tag of disabled entities does what the calls do. */
static void add_tag(sim *s, sim_side *side, const sim_step *step) {
    covey_entity e = sim_any(side, step->a);
    naive_entity *n = naive_find(side->naive, e);
    sim_say(s, "add the tag covey_disabled: %u:%u", e.index, e.generation);
    covey_result expected = !n ? COVEY_ERROR_DEAD : n->disabled ? COVEY_ERROR_PRESENT : COVEY_OK;
    if (sim_settle(s, side, covey_add_tag(side->world, e, covey_disabled), expected)) n->disabled = true;
}

static void remove_tag(sim *s, sim_side *side, const sim_step *step) {
    covey_entity e = pick_disabled(side, step->a);
    naive_entity *n = naive_find(side->naive, e);
    sim_say(s, "remove the tag covey_disabled: %u:%u", e.index, e.generation);
    SIM_REQUIRE(s, covey_has(side->world, e, covey_disabled) == (n && n->disabled), "another entity has the tag");
    bool removed = covey_remove(side->world, e, covey_disabled);
    SIM_REQUIRE(s, removed == (n && n->disabled), "remove returns %d", removed);
    if (n) n->disabled = false;
}

static void clear_tags(sim *s, sim_side *side, const sim_step *step) {
    if (step->a % 4 != 0) return;
    sim_say(s, "clear the tag covey_disabled");
    covey_clear(side->world, covey_disabled);
    for (uint32_t i = 0; i < side->naive->count; i++) side->naive->list[i].disabled = false;
}

/* ---- Components ---------------------------------------------------------------------------------------------------*/

static covey_result may_disable(const sim_side *side, covey_entity e, uint32_t type) {
    if (!naive_find(side->naive, e)) return COVEY_ERROR_DEAD;
    return naive_component_of(side->naive, e, type) ? COVEY_OK : COVEY_ERROR_ABSENT;
}

static void component_disable(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = sim_type(step->b);
    covey_entity e = sim_member(side, type, step->a);
    sim_say(s, "component_disable: %s of %u:%u", name_of(type), e.index, e.generation);
    sim_touch_type(s, type);
    covey_result result = covey_component_disable_raw(side->world, e, value_types[type]);
    if (sim_settle_result(s, result, may_disable(side, e, type)))
        naive_component_of(side->naive, e, type)->disabled = !sim_lies(s, SIM_LIE_COMPONENT_ENABLED);
}

static void component_enable(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = sim_type(step->b);
    covey_entity e = sim_member(side, type, step->a);
    for (uint32_t i = 0; i < side->naive->count && step->c % 4 != 0; i++)
        if (side->naive->list[i].at[type].disabled) e = side->naive->list[i].e;
    sim_say(s, "component_enable: %s of %u:%u", name_of(type), e.index, e.generation);
    sim_touch_type(s, type);
    covey_result result = covey_component_enable_raw(side->world, e, value_types[type]);
    if (sim_settle_result(s, result, may_disable(side, e, type)))
        naive_component_of(side->naive, e, type)->disabled = false;
}

/* ---- Ticks --------------------------------------------------------------------------------------------------------*/

static void tick_advance(sim *s, sim_side *side, const sim_step *step) {
    (void)step;
    sim_say(s, "tick_advance from %llu", (unsigned long long)side->naive->tick);
    uint64_t ended = covey_tick_advance(side->world);
    SIM_REQUIRE(s, ended == side->naive->tick, "tick %llu ended", (unsigned long long)ended);
    side->naive->tick += !sim_lies(s, SIM_LIE_TICK_STAYS);
}

/* compare.c looks at components that are present. */
static void changed_at(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = sim_type(step->b);
    covey_entity e = sim_any(side, step->a);
    const naive_component *component = naive_component_of(side->naive, e, type);
    sim_say(s, "changed_at: %s of %u:%u", name_of(type), e.index, e.generation);
    sim_touch_type(s, type);
    uint64_t tick = covey_changed_at_raw(side->world, e, value_types[type]), wanted = component ? component->tick : 0;
    SIM_REQUIRE(s, tick == wanted, "it was changed at tick %llu, not %llu", (unsigned long long)tick,
                (unsigned long long)wanted);
}

typedef struct gathered {
    uint32_t positions[SIM_BATCH];
    _Alignas(64) unsigned char values[SIM_BATCH * VALUE_BYTES];
} gathered;

/* Any entities, with or without the component, also dead ones and some twice; often in index order. */
static uint32_t pick_list(sim *s, sim_side *side, const sim_step *step) {
    uint32_t count = step->a % 60, living = side->naive->count;
    for (uint32_t i = 0; i < count; i++)
        s->batch[i] = step->c % 2 && i < living ? side->naive->list[i].e : sim_any(side, sim_mix(step->a, i));
    return count;
}

static void check_gathered(sim *s, const sim_side *side, uint32_t type, const gathered *g, uint32_t k, uint32_t at) {
    const naive_component *wanted = naive_component_of(side->naive, s->batch[at], type);
    uint32_t seed;
    covey_entity link;
    SIM_REQUIRE(s, g->positions[k] == at, "value %u is that of entity %u, not %u", k, g->positions[k], at);
    SIM_REQUIRE(s, value_read(type, g->values + (size_t)k * value_types[type]->size, &seed, &link), "it is damaged");
    SIM_REQUIRE(s, seed == wanted->seed && covey_same(link, wanted->link), "value %u is another one", k);
}

/* Half of the time a type with ticks. */
static uint32_t pick_type(uint32_t n) {
    uint32_t type = sim_type(n / 2);
    while (n % 2 != 0 && !value_has_ticks(type)) type = (type + 1) % NAIVE_TYPES;
    return type;
}

static void gather(sim *s, sim_side *side, const sim_step *step) {
    static gathered g;
    uint32_t type = pick_type(step->b), count = pick_list(s, side, step), wanted = 0;
    uint64_t tick =
        step->c / 2 % 4 ? side->naive->tick - (step->c / 8 % 3 < side->naive->tick ? step->c / 8 % 3 : 0) : 0;
    if (value_types[type]->drop || value_types[type]->move) return; /* bytes are not all of such a value */
    sim_say(s, "gather: %s of %u, since tick %llu", name_of(type), count, (unsigned long long)tick);
    sim_touch_type(s, type);
    uint32_t found =
        tick == 0
            ? covey_gather_raw(side->world, s->batch, count, value_types[type], g.values, g.positions)
            : covey_gather_since_raw(side->world, s->batch, count, value_types[type], tick, g.values, g.positions);
    for (uint32_t i = 0; i < count; i++) {
        const naive_component *component = naive_component_of(side->naive, s->batch[i], type);
        if (!component) continue;
        bool old = tick != 0 && value_has_ticks(type) && component->tick <= tick;
        if (old && !sim_lies(s, SIM_LIE_OLD_GATHERED)) continue;
        SIM_REQUIRE(s, wanted < found, "%u are found, not more", found);
        check_gathered(s, side, type, &g, wanted++, i);
    }
    SIM_REQUIRE(s, found == wanted, "%u are found, not %u", found, wanted);
}

const sim_operation sim_visible_operations[] = {
    { "disable", SIM_DISABLE, 8, disable },
    { "enable", SIM_DISABLE, 6, enable },
    { "add_tag_disabled", SIM_DISABLE, 3, add_tag },
    { "remove_tag_disabled", SIM_DISABLE, 3, remove_tag },
    { "clear_disabled", SIM_DISABLE, 1, clear_tags },
    { "component_disable", SIM_DISABLE, 12, component_disable },
    { "component_enable", SIM_DISABLE, 6, component_enable },
    { "tick_advance", SIM_TICKS, 12, tick_advance },
    { "changed_at", SIM_TICKS, 3, changed_at },
    { "gather", SIM_TICKS, 8, gather },
    { NULL, 0, 0, NULL },
};
