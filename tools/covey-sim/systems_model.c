#include "systems.h"

static bool is_seen(const member *m, const naive_entity *n, uint32_t type) {
    return n->at[type].present && (m->sees_disabled || !n->at[type].disabled);
}

bool system_visits(const member *m, const naive_entity *n) {
    if (!m->visits || (n->disabled && !m->sees_disabled)) return false;
    for (uint32_t i = 0; i < m->with; i++)
        if (!is_seen(m, n, m->fields[i])) return false;
    for (uint32_t i = 0; i < m->without_count; i++)
        if (is_seen(m, n, m->without[i])) return false;
    return true;
}

static uint32_t model_number(const sim_side *side, const member *m, const naive_entity *n) {
    const naive_component *resource = m->resource != NO_TYPE ? &side->naive->resources[m->resource] : NULL;
    uint32_t number = system_chain(m->salt, (uint32_t)m->of->run * 64 + n->e.index);
    for (uint32_t f = 0; f < m->field_count; f++)
        if (is_seen(m, n, m->fields[f])) number = system_chain(number, n->at[m->fields[f]].seed);
    if (m->reads != NO_TYPE && n->at[m->reads].present) number = system_chain(number, n->at[m->reads].seed);
    if (resource && resource->present) number = system_chain(number, resource->seed);
    return number;
}

static void model_fields(sim *s, sim_side *side, const member *m, naive_entity *n, uint32_t number) {
    for (uint32_t f = 0; f < m->field_count; f++) {
        uint32_t type = m->fields[f];
        if (m->is_read[f] || !is_seen(m, n, type)) continue;
        if (!value_is_tag(type) && !m->frozen[f]) n->at[type].seed = system_seed(number, f);
        sim_marked(s, side, n->e, type);
    }
}

static void model_visits(sim *s, sim_side *side, member *m) {
    m->entry_count = 0;
    for (uint32_t i = 0; i < side->naive->count; i++) {
        naive_entity *n = &side->naive->list[i];
        if (!system_visits(m, n)) continue;
        if (sim_lies(s, SIM_LIE_BODY_VISITS_LESS)) continue;
        uint32_t number = model_number(side, m, n);
        model_fields(s, side, m, n, number);
        m->expected.numbers += number;
        m->expected.count += m->desc.merge && sim_lies(s, SIM_LIE_TOTAL_WRONG) ? 2 : 1;
        m->visits_expected++;
        if (m->entry_count < ENTRIES) m->entries[m->entry_count++] = (entry){ n->e, number };
    }
}

static void model_body(sim *s, sim_side *side, member *m) {
    naive_component *resource = m->resource != NO_TYPE ? &side->naive->resources[m->resource] : NULL;
    for (uint32_t f = 0; f < m->field_count; f++) sim_touch_type(s, m->fields[f]);
    m->expected = (sum){ 0 };
    model_visits(s, side, m);
    if (sim_lies(s, SIM_LIE_BODY_TWICE)) model_visits(s, side, m);
    if (!system_writes_resource(m) || !resource->present || value_is_tag(m->resource)) return;
    resource->seed = system_seed(resource->seed, m->salt);
}

static void model_value(sim *s, sim_side *side, covey_entity e, uint32_t type, naive_component component) {
    if (naive_component_of(side->naive, e, type)) sim_was_set(s, side, e, type, &component);
    else sim_added(s, side, e, type, &component);
}

/* The entity that the visit created in this turn, or NULL: a piece creates only so many. */
static const made *find_made(const member *m, covey_entity by) {
    uint32_t count = atomic_load(&m->made_count);
    for (uint32_t i = 0; i < count && i < MADE; i++)
        if (m->made[i].turn == m->turn && covey_same(m->made[i].by, by)) return &m->made[i];
    return NULL;
}

static void model_creation(sim *s, sim_side *side, const member *m, covey_entity by, uint32_t number) {
    deeds d = system_deeds(m, number);
    const made *child = d.creates ? find_made(m, by) : NULL;
    if (!child) return;
    sim_created(s, side, child->e);
    model_value(s, side, child->e, d.create_type, system_value(by, d.create_type, number));
}

/* What a visit recorded, or did at once. Returns false if a command fails. */
static bool model_deeds(sim *s, sim_side *side, const member *m, covey_entity e, uint32_t number) {
    deeds d = system_deeds(m, number);
    bool direct = system_is_direct(m);
    bool alive = naive_find(side->naive, e) != NULL;
    if (d.sets && alive) model_value(s, side, e, d.set_type, system_value(e, d.set_type, number));
    if (d.removes && alive && naive_component_of(side->naive, e, d.remove_type)) sim_removed(s, side, e, d.remove_type);
    if (d.adds && alive) {
        if (!direct && naive_component_of(side->naive, e, d.add_type)) return false;
        model_value(s, side, e, d.add_type, system_value(e, d.add_type, number));
    }
    if (d.destroys && alive) sim_destroyed(s, side, e);
    if (!direct) model_creation(s, side, m, e, number);
    return true;
}

static bool model_commands(sim *s, sim_side *side, member *m) {
    if (sim_lies(s, SIM_LIE_SYSTEM_NOT_REPLAYED)) return true;
    for (uint32_t i = 0; i < m->entry_count; i++)
        if (!model_deeds(s, side, m, m->entries[i].e, m->entries[i].number)) return false;
    /* At once, the world may have visited in another order: a new entity can have the index of one that is gone. */
    for (uint32_t i = 0; i < m->entry_count && system_is_direct(m); i++)
        model_creation(s, side, m, m->entries[i].e, m->entries[i].number);
    return true;
}

static bool is_due(sim *s, const sim_side *side, member *m) {
    if (!m->on || (m->desc.once && m->asked != 0)) return false;
    uint64_t number = m->asked++;
    if (m->desc.every > 1 && number % m->desc.every != 0 && !sim_lies(s, SIM_LIE_TURN_TOO_EARLY)) return false;
    m->turn++;
    if (system_is_permitted(m, side->naive->count)) return true;
    if (m->desc.once) m->asked = 0;
    return false;
}

/* The systems between two sync points. */
static prediction model_stage(sim *s, sim_side *side, member **members, uint32_t count) {
    prediction out = { COVEY_OK, false };
    for (uint32_t i = 0; i < count; i++) members[i]->due = is_due(s, side, members[i]);
    for (uint32_t i = 0; i < count; i++)
        if (members[i]->due) model_body(s, side, members[i]);
    for (uint32_t i = 0; i < count && !out.is_open; i++)
        if (members[i]->due) out.is_open = !model_commands(s, side, members[i]) || atomic_load(&members[i]->lost) != 0;
    for (uint32_t i = 0; i < count; i++)
        if (members[i]->due && atomic_load(&members[i]->failed) == members[i]->turn) out.result = COVEY_ERROR_LIMIT;
    return out;
}

static bool ends_run(const prediction *out) { return out->is_open || out->result != COVEY_OK; }

static prediction model_stages(sim *s, sim_side *side, member **order, uint32_t count) {
    prediction out = { COVEY_OK, false };
    for (uint32_t first = 0, end; first < count && !ends_run(&out); first = end) {
        end = first + 1;
        while (end < count && !order[first]->desc.exclusive && !order[end]->desc.exclusive) end++;
        out = model_stage(s, side, order + first, end - first);
    }
    return out;
}

/* How often a phase runs. */
static uint32_t count_steps(phase *p, double seconds) {
    const covey_phase *desc = &p->desc;
    uint32_t steps = 0, most = desc->most != 0 ? desc->most : 8;
    if (desc->once && p->asked != 0) return 0;
    if (p->asked++ % (desc->every != 0 ? desc->every : 1) != 0) return 0;
    if (desc->step == 0) return 1;
    for (p->passed += seconds; p->passed >= desc->step && steps < most; steps++) p->passed -= desc->step;
    if (p->passed >= desc->step) p->passed = 0;
    return steps;
}

static bool precedes(const member *a, const member *b) {
    return a->phase < b->phase || strcmp(b->after, a->name) == 0 || strcmp(a->before, b->name) == 0;
}

uint32_t schedule_order(const sim_schedules *h, member **order) {
    bool placed[SYSTEMS] = { false };
    uint32_t count = 0;
    for (uint32_t i = 0; i < h->count; i++) {
        bool waits = placed[i];
        for (uint32_t k = 0; k < h->count && !waits; k++)
            waits = !placed[k] && k != i && precedes(h->systems[k], h->systems[i]);
        if (waits) continue;
        placed[i] = true;
        order[count++] = h->systems[i];
        i = UINT32_MAX; /* from the first one again */
    }
    return count;
}

static const member *find_member(const sim_schedules *h, const char *name) {
    for (uint32_t i = 0; i < h->count; i++)
        if (strcmp(h->systems[i]->name, name) == 0) return h->systems[i];
    return NULL;
}

static bool is_unknown(const sim_schedules *h, const char *name) { return name[0] && !find_member(h, name); }

bool schedule_has_plan(const sim_schedules *h) {
    for (uint32_t i = 0; i < h->count; i++)
        if (is_unknown(h, h->systems[i]->after) || is_unknown(h, h->systems[i]->before)) return false;
    return true;
}

/* The systems of the first phase, in the reverse order. */
static void reverse_systems(member **order, uint32_t count) {
    uint32_t end = 1;
    while (end < count && order[end]->phase == order[0]->phase) end++;
    for (uint32_t i = 0; i < end / 2; i++) {
        member *first = order[i];
        order[i] = order[end - 1 - i];
        order[end - 1 - i] = first;
    }
}

prediction schedule_predict(sim *s, sim_side *side, double seconds) {
    sim_schedules *h = side->schedules;
    member *order[SYSTEMS];
    uint32_t count = schedule_order(h, order);
    if (count > 1 && sim_lies(s, SIM_LIE_ORDER_REVERSED)) reverse_systems(order, count);
    prediction out = { schedule_has_plan(h) ? COVEY_OK : COVEY_ERROR_ABSENT, false };
    for (uint32_t first = 0, end; first < count && !ends_run(&out); first = end) {
        phase *p = &h->phases[order[first]->phase];
        for (end = first + 1; end < count && order[end]->phase == order[first]->phase;) end++;
        uint32_t steps = count_steps(p, seconds) + sim_lies(s, SIM_LIE_PHASE_TOO_OFTEN);
        for (; steps != 0 && !ends_run(&out); steps--) out = model_stages(s, side, order + first, end - first);
        p->passed += steps * p->desc.step;
    }
    return out;
}
