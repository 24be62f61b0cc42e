/* Reactive sets with every option. */
#include "sim.h"

#include <stdlib.h>

enum { SETS = 4, MARKS = 4096 };

typedef struct marks {
    uint32_t number; /* of the set; none has 0 */
    uint32_t count, destroyed_count;
    covey_entity list[MARKS], destroyed[MARKS];
} marks;

typedef struct reactive {
    covey_reactive *set;
    uint32_t added, was_set, patched, removed; /* a bit for each type */
    bool keep_destroyed;
    covey_entity dying; /* the entity that is being destroyed */
    marks marks;
} reactive;

struct sim_reactives {
    reactive *sets[SETS];
    uint32_t last;
};

/* ---- The model ----------------------------------------------------------------------------------------------------*/

static uint32_t find_mark(const marks *m, covey_entity e) {
    uint32_t i = 0;
    while (i < m->count && !covey_same(m->list[i], e)) i++;
    return i;
}

static void collect(marks *m, covey_entity e) {
    if (find_mark(m, e) == m->count && m->count < MARKS) m->list[m->count++] = e;
}

static bool has_type_of(const naive_entity *n, uint32_t types) {
    for (uint32_t t = 0; t < NAIVE_TYPES; t++)
        if ((types >> t & 1) != 0 && n->at[t].present) return true;
    return false;
}

static void lose(sim *s, reactive *r, const naive_entity *n) {
    uint32_t at = find_mark(&r->marks, n->e);
    bool marked = at < r->marks.count;
    if (marked && !sim_lies(s, SIM_LIE_MARK_KEPT)) r->marks.list[at] = r->marks.list[--r->marks.count];
    bool kept = r->keep_destroyed && (marked || has_type_of(n, r->removed)) && r->marks.destroyed_count < MARKS;
    if (kept && !sim_lies(s, SIM_LIE_DESTROYED_FORGOTTEN)) r->marks.destroyed[r->marks.destroyed_count++] = n->e;
    r->dying = n->e;
}

static void tell(sim *s, reactive *r, const sim_side *side, covey_signal signal, covey_entity e, uint32_t type) {
    uint32_t bit = type < NAIVE_TYPES ? (uint32_t)1 << type : 0;
    if (signal != COVEY_ON_REMOVE) r->dying = COVEY_NULL; /* its handle may be created again */
    switch (signal) {
    case COVEY_ON_ADD:
        if ((r->added & bit) && !sim_lies(s, SIM_LIE_MARK_FORGOTTEN)) collect(&r->marks, e);
        break;
    case COVEY_ON_SET:
        if (r->was_set & bit) collect(&r->marks, e);
        break;
    case COVEY_ON_PATCH:
        if ((r->was_set | r->patched) & bit) collect(&r->marks, e);
        break;
    case COVEY_ON_REMOVE:
        if ((r->removed & bit) && !covey_same(r->dying, e)) collect(&r->marks, e);
        break;
    case COVEY_ON_CREATE: r->dying = COVEY_NULL; break; /* maybe under the handle of the last one that died */
    case COVEY_ON_DESTROY: lose(s, r, naive_find(side->naive, e)); break;
    default: break;
    }
}

static void told(sim *s, sim_side *side, covey_signal signal, covey_entity e, uint32_t type) {
    for (uint32_t i = 0; i < SETS; i++)
        if (side->reactives->sets[i]) tell(s, side->reactives->sets[i], side, signal, e, type);
}

/* ---- Against the library ------------------------------------------------------------------------------------------*/

static bool is_listed(const covey_entity *list, uint32_t count, covey_entity e) {
    for (uint32_t i = 0; i < count; i++)
        if (covey_same(list[i], e)) return true;
    return false;
}

static void check_set(sim *s, const reactive *r) {
    const covey_entity *destroyed;
    uint32_t count = covey_reactive_destroyed(r->set, &destroyed);
    SIM_REQUIRE(s, covey_reactive_count(r->set) == r->marks.count, "a reactive set has %u entities, not %u",
                covey_reactive_count(r->set), r->marks.count);
    for (uint32_t i = 0; i < r->marks.count; i++)
        SIM_REQUIRE(s, covey_reactive_contains(r->set, r->marks.list[i]), "a reactive set lacks %u",
                    r->marks.list[i].index);
    SIM_REQUIRE(s, count == r->marks.destroyed_count, "a reactive set has %u destroyed entities, not %u", count,
                r->marks.destroyed_count);
    for (uint32_t i = 0; i < count; i++)
        SIM_REQUIRE(s, is_listed(r->marks.destroyed, count, destroyed[i]), "%u:%u was not destroyed in the set",
                    destroyed[i].index, destroyed[i].generation);
}

static void check(sim *s, sim_side *side) {
    for (uint32_t i = 0; i < SETS; i++)
        if (side->reactives->sets[i]) check_set(s, side->reactives->sets[i]);
}

static void adopt_set(const sim_side *side, reactive *r) {
    const covey_entity *destroyed;
    r->marks.count = 0;
    for (uint32_t i = 0; i < side->naive->count; i++)
        if (covey_reactive_contains(r->set, side->naive->list[i].e)) collect(&r->marks, side->naive->list[i].e);
    r->marks.destroyed_count = covey_reactive_destroyed(r->set, &destroyed);
    if (r->marks.destroyed_count > MARKS) r->marks.destroyed_count = MARKS;
    for (uint32_t i = 0; i < r->marks.destroyed_count; i++) r->marks.destroyed[i] = destroyed[i];
}

static void adopt(sim *s, sim_side *side) {
    (void)s;
    for (uint32_t i = 0; i < SETS; i++)
        if (side->reactives->sets[i]) adopt_set(side, side->reactives->sets[i]);
}

/* ---- Histories ----------------------------------------------------------------------------------------------------*/

static void *save(const sim_side *side) {
    marks *saved = calloc(SETS, sizeof *saved);
    if (!saved) abort();
    for (uint32_t i = 0; i < SETS; i++)
        if (side->reactives->sets[i]) saved[i] = side->reactives->sets[i]->marks;
    return saved;
}

/* A set that did not exist then is empty. */
static void restore(sim *s, sim_side *side, const void *state) {
    const marks *saved = state;
    (void)s;
    for (uint32_t i = 0; i < SETS; i++) {
        reactive *r = side->reactives->sets[i];
        if (!r) continue;
        r->dying = COVEY_NULL;
        if (saved && saved[i].number == r->marks.number) r->marks = saved[i];
        else r->marks = (marks){ .number = r->marks.number };
    }
}

static void begin(sim *s, sim_side *side) {
    (void)s;
    side->reactives = calloc(1, sizeof *side->reactives);
    if (!side->reactives) abort();
}

static void end_set(reactive **at) {
    if (!*at) return;
    covey_reactive_destroy((*at)->set);
    free(*at);
    *at = NULL;
}

/* Half of the sets end with the world. */
static void end(sim *s, sim_side *side) {
    (void)s;
    for (uint32_t i = 0; i < SETS; i++) {
        if (i % 2 == 0) end_set(&side->reactives->sets[i]);
        else free(side->reactives->sets[i]);
    }
    free(side->reactives);
}

static uint64_t in_force(const sim_side *side) {
    uint64_t features = 0;
    for (uint32_t i = 0; i < SETS; i++)
        if (side->reactives->sets[i])
            features |= SIM_BIT(side->reactives->sets[i]->keep_destroyed ? SIM_KEEP_DESTROYED : SIM_REACTIVE);
    return features;
}

const sim_part sim_part_reactives = { .begin = begin,
                                      .end = end,
                                      .check = check,
                                      .adopt = adopt,
                                      .in_force = in_force,
                                      .told = told,
                                      .save = save,
                                      .restore = restore,
                                      .forget = free };

/* ---- Operations ---------------------------------------------------------------------------------------------------*/

/* Up to three types. */
static uint32_t pick_types(const covey_type **types, uint32_t n) {
    uint32_t bits = 0, count = 0;
    for (uint32_t i = 0; i < n % 4; i++) {
        uint32_t type = sim_type(sim_mix(n, i));
        if ((bits >> type & 1) == 0) types[count++] = value_types[type];
        bits |= (uint32_t)1 << type;
    }
    return bits;
}

static void create(sim *s, sim_side *side, const sim_step *step) {
    uint32_t at = 0;
    while (at < SETS && side->reactives->sets[at]) at++;
    if (at == SETS) return;
    reactive *r = calloc(1, sizeof *r);
    if (!r) abort();
    covey_reactive_desc desc = { .keep_destroyed = step->c % 2 == 0 };
    r->added = pick_types(desc.added, step->a);
    r->was_set = pick_types(desc.set, step->b);
    r->patched = pick_types(desc.patched, step->c);
    r->removed = pick_types(desc.removed, sim_mix(step->a, step->b));
    r->keep_destroyed = desc.keep_destroyed;
    sim_say(s, "reactive_create: added %x, set %x, patched %x, removed %x%s", r->added, r->was_set, r->patched,
            r->removed, r->keep_destroyed ? ", keep_destroyed" : "");
    if (r->keep_destroyed) sim_touch(s, SIM_KEEP_DESTROYED);
    r->set = covey_reactive_create(side->world, &desc);
    if (!sim_settle(s, side, r->set != NULL, COVEY_OK)) {
        free(r);
        return;
    }
    r->marks.number = ++side->reactives->last;
    side->reactives->sets[at] = r;
}

static void destroy(sim *s, sim_side *side, const sim_step *step) {
    reactive **at = &side->reactives->sets[step->a % SETS];
    if (!*at) return;
    sim_say(s, "reactive_destroy: set %u", step->a % SETS);
    end_set(at);
}

static void clear(sim *s, sim_side *side, const sim_step *step) {
    reactive *r = side->reactives->sets[step->a % SETS];
    if (!r) return;
    sim_say(s, "reactive_clear: set %u", step->a % SETS);
    covey_reactive_clear(r->set);
    r->marks = (marks){ .number = r->marks.number };
}

static void listen(sim *s, sim_side *side, const sim_step *step) {
    reactive *r = side->reactives->sets[step->a % SETS];
    uint32_t type = sim_type(step->b), signals = 1 + step->c % 7, bit = (uint32_t)1 << type;
    if (!r) return;
    sim_say(s, "reactive_listen: set %u, %s, signals %u", step->a % SETS, value_types[type]->name, signals);
    sim_touch_type(s, type);
    if (!sim_settle_result(s, covey_reactive_listen_raw(r->set, value_types[type], signals), COVEY_OK)) return;
    if (signals & COVEY_ON_ADD) r->added |= bit;
    if (signals & COVEY_ON_SET) r->was_set |= bit;
    if (signals & COVEY_ON_REMOVE) r->removed |= bit;
}

const sim_operation sim_reactive_operations[] = {
    { "reactive_create", SIM_REACTIVE, 8, create },
    { "reactive_destroy", SIM_REACTIVE, 1, destroy },
    { "reactive_clear", SIM_REACTIVE, 3, clear },
    { "reactive_listen", SIM_REACTIVE, 2, listen },
    { NULL, 0, 0, NULL },
};
