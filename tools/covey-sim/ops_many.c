/* Calls for many entities. */
#include "sim.h"

typedef struct many_values {
    naive_component components[SIM_BATCH];
    unsigned char packed[SIM_BATCH * VALUE_BYTES]; /* an array of values of the type's size */
} many_values;

static const char *name_of(uint32_t type) { return value_types[type]->name; }

/* Values side by side. Those with a move hook are made in place. */
static _Alignas(64) many_values many;

static void *value_at(uint32_t type, uint32_t k) { return many.packed + (size_t)k * value_types[type]->size; }

static void make_values(sim *s, sim_side *side, uint32_t type, uint32_t count) {
    for (uint32_t k = 0; k < count; k++) {
        naive_component *component = &many.components[k];
        *component = (naive_component){ .seed = value_is_tag(type) ? 0 : ++s->seeds, .present = true };
        if (value_has_link(type)) component->link = sim_any(side, sim_mix(s->seeds, k));
        value_make_packed(type, component->seed, component->link, value_at(type, k));
    }
}

static void end_values(uint32_t type, uint32_t from, uint32_t count) {
    for (uint32_t k = from; k < count; k++) value_end(type, value_at(type, k));
}

/* PRESENT is expected if an entity has the component, or is listed twice; spoilt lists have one of these. */
static covey_result spoil(sim *s, sim_side *side, uint32_t type, uint32_t *count, uint32_t n) {
    if (*count < 2 || n % 6 != 0) return COVEY_OK;
    if (n / 6 % 3 == 0) s->batch[*count - 1] = s->batch[0];
    else if (n / 6 % 3 == 1) {
        if (side->stale_count == 0) return COVEY_OK;
        s->batch[*count / 2] = side->stale[n % side->stale_count];
        return COVEY_ERROR_DEAD;
    } else {
        covey_entity e = sim_member(side, type, n);
        if (!naive_component_of(side->naive, e, type)) return COVEY_OK;
        s->batch[*count / 2] = e;
    }
    return COVEY_ERROR_PRESENT;
}

static void add_array(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = sim_type(step->b), count = sim_pick_batch(s, side, type, false, step->a, step->c % 40);
    if (count == 0) return;
    covey_result expected = spoil(s, side, type, &count, step->c / 40);
    make_values(s, side, type, count);
    sim_say(s, "add_array: %s to %u from %u on", name_of(type), count, s->batch[0].index);
    sim_touch_type(s, type);
    bool done = covey_add_array_raw(side->world, s->batch, count, value_types[type], many.packed);
    if (!done) end_values(type, 0, count);
    if (!sim_settle(s, side, done, expected)) return;
    for (uint32_t i = 0; i < count && s->nested == 0; i++) sim_added(s, side, s->batch[i], type, &many.components[i]);
}

/* The n-th copy fails, now and then. Returns the result that is expected. */
static covey_result copies_fail(uint32_t type, uint32_t count, uint32_t n, covey_result otherwise) {
    if (!value_can_be_copied(type)) return COVEY_ERROR_COPY;
    if (!value_types[type]->copy || n % 4 != 0 || count == 0 || otherwise != COVEY_OK) return otherwise;
    ledger_fail_copy(1 + n / 4 % count);
    return COVEY_ERROR_COPY;
}

static void add_copies(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = sim_type(step->b), count = sim_pick_batch(s, side, type, false, step->a, step->c % 40);
    if (count == 0) return;
    covey_result expected = spoil(s, side, type, &count, step->c / 40);
    if (expected == COVEY_ERROR_DEAD && !value_can_be_copied(type)) return; /* which of both is told is not promised */
    expected = copies_fail(type, count, step->c / 80, expected);
    make_values(s, side, type, 1);
    naive_component component = many.components[0];
    sim_say(s, "add_copies: %s to %u from %u on", name_of(type), count, s->batch[0].index);
    sim_touch_type(s, type);
    bool done = covey_add_copies_raw(side->world, s->batch, count, value_types[type], many.packed);
    end_values(type, 0, 1);
    if (!sim_settle(s, side, done, expected)) return;
    for (uint32_t i = 0; i < count && s->nested == 0; i++) sim_added(s, side, s->batch[i], type, &component);
}

static void remove_many(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = sim_type(step->b), count = sim_pick_batch(s, side, type, true, step->a, step->c % 40);
    if (count == 0) return;
    if (step->c % 5 == 0) s->batch[count - 1] = sim_any(side, step->c);
    sim_say(s, "remove_many: %s of %u from %u on", name_of(type), count, s->batch[0].index);
    sim_touch_type(s, type);
    covey_remove_many_raw(side->world, s->batch, count, value_types[type]);
    for (uint32_t i = 0; i < count && s->nested == 0; i++)
        if (naive_component_of(side->naive, s->batch[i], type)) sim_removed(s, side, s->batch[i], type);
}

/* Values of entities without the component stay with the caller. */
static void set_array(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = sim_type(step->b), count = sim_pick_batch(s, side, type, true, step->a, step->c % 40);
    if (count == 0 || side->again.number != 0) return;
    if (step->c % 5 == 0) s->batch[count - 1] = sim_any(side, step->c);
    for (uint32_t i = 0; i + 1 < count; i++)
        if (covey_same(s->batch[i], s->batch[count - 1])) return;
    bool has[SIM_BATCH];
    for (uint32_t i = 0; i < count; i++) has[i] = naive_component_of(side->naive, s->batch[i], type) != NULL;
    make_values(s, side, type, count);
    sim_say(s, "set_array: %s of %u from %u on", name_of(type), count, s->batch[0].index);
    sim_touch_type(s, type);
    uint32_t done = covey_set_array_raw(side->world, s->batch, count, value_types[type], many.packed);
    bool failed = done == 0 && s->heap.failed && covey_world_result(side->world) == COVEY_ERROR_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        if (failed || !has[i]) end_values(type, i, i + 1);
        else if (s->nested == 0) sim_was_set(s, side, s->batch[i], type, &many.components[i]);
    }
}

/* ---- Creating with components -------------------------------------------------------------------------------------*/

enum { WITH_MOST = 4 };
static _Alignas(64) unsigned char with_values[WITH_MOST][SIM_BATCH * VALUE_BYTES];

typedef struct with_plan {
    covey_component components[WITH_MOST + 1];
    naive_component naive[WITH_MOST][SIM_BATCH];
    uint32_t types[WITH_MOST], count, entities;
    bool copies[WITH_MOST];
    covey_result expected;
} with_plan;

static uint32_t owned_by_caller(const with_plan *p, uint32_t k) { return p->copies[k] ? 1 : p->entities; }

/* `n` decides whether a copy is made, and fails. */
static void plan_component(sim *s, sim_side *side, with_plan *p, uint32_t type, uint32_t n) {
    uint32_t k = p->count;
    for (uint32_t i = 0; i < k; i++)
        if (p->types[i] == type) return;
    p->types[k] = type;
    p->copies[k] = n / 64 % 2 == 0 && value_can_be_copied(type);
    make_values(s, side, type, owned_by_caller(p, k));
    for (uint32_t i = 0; i < owned_by_caller(p, k); i++) {
        p->naive[k][i] = many.components[i];
        value_relocate(type, with_values[k] + (size_t)i * value_types[type]->size, value_at(type, i));
    }
    p->components[k] = (covey_component){ .type = value_types[type],
                                          .values = p->copies[k] ? NULL : with_values[k],
                                          .value = p->copies[k] ? with_values[k] : NULL };
    if (value_is_tag(type)) p->components[k].values = p->components[k].value = NULL;
    if (p->copies[k]) p->expected = copies_fail(type, p->entities, n / 128, p->expected);
    p->count++;
}

static void end_plan(const with_plan *p, bool taken_over) {
    for (uint32_t k = 0; k < p->count; k++)
        for (uint32_t i = 0; i < owned_by_caller(p, k); i++)
            if (p->copies[k] || !taken_over)
                value_end(p->types[k], with_values[k] + (size_t)i * value_types[p->types[k]]->size);
}

/* One entity can be created by other calls, which return null if a listener has destroyed it at once. */
static bool call_with(covey_world *world, covey_entity *batch, const with_plan *p, bool by_many) {
    if (by_many || p->entities != 1) return covey_create_many_with_raw(world, batch, p->entities, p->components);
    *batch = covey__create_with(world, p->components, p->count);
    return !covey_is_null(*batch) || covey_world_result(world) == COVEY_ERROR_GONE;
}

static with_plan plan;

static void make_planned(sim *s, sim_side *side, bool by_many) {
    uint32_t entities = plan.entities;
    sim_say(s, "%u entities with %u types: %s and others", entities, plan.count, name_of(plan.types[0]));
    for (uint32_t k = 0; k < plan.count; k++) sim_touch_type(s, plan.types[k]);
    bool done = call_with(side->world, s->batch, &plan, by_many);
    end_plan(&plan, done);
    if (!sim_settle(s, side, done, plan.expected) || s->nested != 0 || covey_is_null(s->batch[0])) return;
    sim_check_order(s, side, entities);
    for (uint32_t i = 0; i < entities; i++) sim_created(s, side, s->batch[i]);
    for (uint32_t k = 0; k < plan.count; k++)
        for (uint32_t i = 0; i < entities; i++)
            sim_added(s, side, s->batch[i], plan.types[k], &plan.naive[k][plan.copies[k] ? 0 : i]);
}

static void plan_any(sim *s, sim_side *side, uint32_t n) { plan_component(s, side, &plan, sim_type(n), n); }

static void make_with(sim *s, sim_side *side, const sim_step *step, uint32_t entities) {
    if (sim_is_crowded(side) || entities == 0) return;
    plan = (with_plan){ .entities = entities };
    for (uint32_t k = 0; k < 1 + step->b % WITH_MOST; k++) plan_any(s, side, sim_mix(step->a, k));
    make_planned(s, side, step->c % 2 == 0);
}

static void create_many_with(sim *s, sim_side *side, const sim_step *step) {
    sim_touch(s, SIM_MANY);
    make_with(s, side, step, step->c % 20);
}

static void create_one_with(sim *s, sim_side *side, const sim_step *step) { make_with(s, side, step, 1); }

/* Whether a component is a bit and bytes in a block. */
static bool is_plain(uint32_t type) {
    const covey_type *t = value_types[type];
    bool in_blocks = t->storage == COVEY_STORAGE_PINNED || (t->storage == COVEY_STORAGE_DEFAULT && t->policy == 0);
    return in_blocks && !t->drop && !t->ticks;
}

static uint32_t plain_type(uint32_t n) {
    uint32_t type = sim_type(n);
    while (!is_plain(type)) type = sim_type(type + 1);
    return type;
}

enum { MOVED = 64 }; /* no copy is made */

static void create_in_turn(sim *s, sim_side *side, const sim_step *step) {
    for (uint32_t i = 0; i < step->c % 40 && !sim_is_crowded(side) && !s->heap.failed; i++) {
        plan = (with_plan){ .entities = 1 };
        plan_component(s, side, &plan, plain_type(step->a), MOVED);
        if (i % 2 == 1) plan_component(s, side, &plan, plain_type(step->b), MOVED);
        make_planned(s, side, false);
    }
}

const sim_operation sim_many_operations[] = {
    { "add_array", SIM_MANY, 15, add_array },          { "add_copies", SIM_MANY, 20, add_copies },
    { "remove_many", SIM_MANY, 6, remove_many },       { "set_array", SIM_MANY, 6, set_array },
    { "create_with", SIM_WITH, 10, create_one_with },  { "create_many_with", SIM_WITH, 15, create_many_with },
    { "create_in_turn", SIM_WITH, 6, create_in_turn }, { NULL, 0, 0, NULL },
};
