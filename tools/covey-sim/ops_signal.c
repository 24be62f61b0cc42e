/* Listeners, which keep a mirror of what they are told; listeners that change the world. */
#include "sim.h"

#include <stdlib.h>

enum { MIRRORS = 6, MIRRORED = 4096, CHANGES_IN_A_STEP = 3 };

typedef struct mirrored {
    covey_entity e;
    uint32_t seed;
} mirrored;

/* What a listener knows from events alone: the entities with the component and their values; or the existing
 * entities. */
typedef struct mirror {
    sim *s;
    covey_connection connection;
    uint32_t type; /* NAIVE_TYPES: entities */
    uint32_t count;
    mirrored list[MIRRORED];
} mirror;

struct sim_listeners {
    mirror *mirrors[MIRRORS];
    uint32_t next;          /* chooses what the re-entrant listener does */
    uint32_t calls_between; /* it acts at one of so many calls */
    sim *s;
    sim_side *side;
};

/* ---- Mirrors ------------------------------------------------------------------------------------------------------*/

static mirrored *find_mirrored(mirror *m, covey_entity e) {
    for (uint32_t i = 0; i < m->count; i++)
        if (covey_same(m->list[i].e, e)) return &m->list[i];
    return NULL;
}

static uint32_t seed_in(mirror *m, const covey_event *event, uint32_t k) {
    uint32_t seed = 0;
    covey_entity link;
    if (m->type == NAIVE_TYPES) return 0;
    const unsigned char *values = event->values;
    bool whole = value_read(m->type, values + (size_t)k * value_types[m->type]->size, &seed, &link);
    SIM_REQUIRE(m->s, whole, "a listener gets a damaged %s", value_types[m->type]->name);
    return seed;
}

static void hear_one(mirror *m, const covey_event *event, uint32_t k) {
    if (sim_lies(m->s, SIM_LIE_EVENT_UNHEARD)) return;
    covey_entity e = event->entities[k];
    mirrored *known = find_mirrored(m, e);
    bool begins = event->signal == COVEY_ON_ADD || event->signal == COVEY_ON_CREATE;
    /* A listener may set the component that is being removed. Others are told of the removal first, then of the set. */
    if (!known && event->signal == COVEY_ON_SET && m->s->nested != 0) return;
    SIM_REQUIRE(m->s, begins == !known, "a listener is told of signal %d of %u:%u, which it %s", event->signal, e.index,
                e.generation, known ? "knows" : "does not know");
    if (begins) {
        if (m->count < MIRRORED) m->list[m->count++] = (mirrored){ e, seed_in(m, event, k) };
    } else if (event->signal == COVEY_ON_SET || event->signal == COVEY_ON_PATCH) {
        if (!sim_lies(m->s, SIM_LIE_VALUE_UNHEARD)) known->seed = seed_in(m, event, k);
    } else *known = m->list[--m->count];
}

static void hear(const covey_event *event, void *context) {
    for (uint32_t k = 0; k < event->count; k++) hear_one(context, event, k);
}

/* From the model, without events: when the listener is connected, and after a restore. */
static void fill_mirror(mirror *m, const naive_world *naive) {
    m->count = 0;
    for (uint32_t i = 0; i < naive->count; i++) {
        const naive_entity *n = &naive->list[i];
        bool known = m->type == NAIVE_TYPES || n->at[m->type].present;
        if (known) m->list[m->count++] = (mirrored){ n->e, m->type == NAIVE_TYPES ? 0 : n->at[m->type].seed };
    }
}

static void check_mirror(sim *s, const sim_side *side, mirror *m) {
    uint32_t count = m->type == NAIVE_TYPES ? side->naive->count : naive_count(side->naive, m->type);
    const char *what = m->type == NAIVE_TYPES ? "entities" : value_types[m->type]->name;
    SIM_REQUIRE(s, m->count == count, "a listener knows %u of %s, not %u", m->count, what, count);
    for (uint32_t i = 0; i < m->count; i++) {
        const naive_entity *n = naive_find(side->naive, m->list[i].e);
        SIM_REQUIRE(s, n, "a listener of %s was not told of the end of %u", what, m->list[i].e.index);
        if (m->type == NAIVE_TYPES) continue;
        SIM_REQUIRE(s, n->at[m->type].present, "a listener was not told that %u lost %s", n->e.index, what);
        SIM_REQUIRE(s, n->at[m->type].seed == m->list[i].seed, "a listener knows another %s of %u", what, n->e.index);
    }
}

void sim_mirrors_renew(sim_side *side) {
    for (uint32_t i = 0; i < MIRRORS; i++) {
        mirror *m = side->listeners->mirrors[i];
        for (uint32_t k = 0; m && m->type < NAIVE_TYPES && k < m->count; k++) {
            const naive_component *now = naive_component_of(side->naive, m->list[k].e, m->type);
            if (now) m->list[k].seed = now->seed;
        }
    }
}

static mirror **free_mirror(sim_side *side) {
    for (uint32_t i = 0; i < MIRRORS; i++)
        if (!side->listeners->mirrors[i]) return &side->listeners->mirrors[i];
    return NULL;
}

static void connect_mirror(sim *s, sim_side *side, const sim_step *step) {
    mirror **at = free_mirror(side);
    bool entities = step->a % 4 == 0;
    uint32_t type = entities ? NAIVE_TYPES : sim_type(step->b);
    if (!at) return;
    sim_say(s, "connect: a listener of %s", entities ? "entities" : value_types[type]->name);
    mirror *m = calloc(1, sizeof *m);
    if (!m) abort();
    m->s = s;
    m->type = type;
    covey_listener listener = { .type = entities ? NULL : value_types[type],
                                .signals = entities ? COVEY_ON_CREATE | COVEY_ON_DESTROY
                                                    : COVEY_ON_ADD | COVEY_ON_SET | COVEY_ON_REMOVE,
                                .call = hear,
                                .context = m,
                                .spans = step->c % 2 == 0 };
    if (!entities && step->c % 4 < 2) listener.signals |= COVEY_ON_PATCH;
    m->connection = covey_connect(side->world, &listener);
    if (!sim_settle(s, side, m->connection.number != 0, COVEY_OK)) {
        free(m);
        return;
    }
    fill_mirror(m, side->naive);
    *at = m;
}

static void end_mirror(sim_side *side, mirror **at) {
    if (!*at) return;
    covey_disconnect(side->world, (*at)->connection);
    free(*at);
    *at = NULL;
}

static void disconnect_mirror(sim *s, sim_side *side, const sim_step *step) {
    mirror **at = &side->listeners->mirrors[step->a % MIRRORS];
    if (!*at) return;
    sim_say(s, "disconnect: a listener");
    end_mirror(side, at);
}

/* ---- A listener that changes the world ----------------------------------------------------------------------------*/

/* Any entity: the model may not know who lives. */
static covey_entity pick_living(const covey_world *world, uint32_t n) {
    uint32_t count = covey_entity_count(world);
    covey_entity e = covey_entity_next(world, COVEY_NULL);
    for (uint32_t i = 0; count != 0 && i < n % count; i++) e = covey_entity_next(world, e);
    return e;
}

static void add_meanwhile(sim *s, sim_side *side, covey_entity e, uint32_t type) {
    unsigned char _Alignas(64) value[VALUE_BYTES];
    value_make(type, ++s->seeds, COVEY_NULL, value);
    bool added = covey_set_raw(side->world, e, value_types[type], value) != NULL;
    if (!added && covey_world_result(side->world) != COVEY_ERROR_GONE) value_end(type, value);
}

static void act(const covey_event *event, void *context) {
    sim_listeners *l = context;
    sim *s = l->s;
    uint32_t n = sim_mix(++l->next, event->entities->index);
    if (l->next % l->calls_between != 0 || l->side->nested >= CHANGES_IN_A_STEP) return;
    s->nested++;
    l->side->nested++;
    sim_touch(s, SIM_REENTRANT);
    covey_entity e = n % 3 == 0 ? *event->entities : pick_living(event->world, n / 16);
    uint32_t type = n % 2 && event->type ? value_type_number(event->type) : sim_type(n / 64);
    if (type >= NAIVE_TYPES) type = 0;
    switch (n / 4 % 6) {
    case 0: covey_destroy(event->world, e); break;
    case 1: covey_remove_raw(event->world, e, value_types[type]); break;
    case 2: covey_create(event->world); break;
    case 3: sim_command_meanwhile(s, l->side, e, n / 128); break;
    default: add_meanwhile(s, l->side, e, type); break;
    }
}

static void connect_reentrant(sim *s, sim_side *side, const sim_step *step) {
    sim_listeners *l = side->listeners;
    bool entities = step->a % 3 == 0;
    uint32_t type = sim_type(step->b);
    if (side->again.number != 0 || step->c % 4 == 0) {
        if (side->again.number == 0) return;
        sim_say(s, "disconnect: the listener that changes the world");
        covey_disconnect(side->world, side->again);
        side->again = (covey_connection){ 0 };
        return;
    }
    sim_say(s, "connect: a listener of %s that changes the world", entities ? "entities" : value_types[type]->name);
    l->calls_between = 1 + step->c / 4 % 3;
    covey_listener listener = { .type = entities ? NULL : value_types[type],
                                .signals = entities ? COVEY_ON_CREATE | COVEY_ON_DESTROY
                                                    : COVEY_ON_ADD | COVEY_ON_SET | COVEY_ON_REMOVE,
                                .call = act,
                                .context = l };
    side->again = covey_connect(side->world, &listener);
    sim_settle(s, side, side->again.number != 0, COVEY_OK);
}

/* ---- The part -----------------------------------------------------------------------------------------------------*/

static void begin(sim *s, sim_side *side) {
    side->listeners = calloc(1, sizeof *side->listeners);
    if (!side->listeners) abort();
    side->listeners->s = s;
    side->listeners->side = side;
}

static void end(sim *s, sim_side *side) {
    (void)s;
    covey_disconnect(side->world, side->again);
    for (uint32_t i = 0; i < MIRRORS; i++) end_mirror(side, &side->listeners->mirrors[i]);
    free(side->listeners);
}

static void check(sim *s, sim_side *side) {
    for (uint32_t i = 0; i < MIRRORS; i++)
        if (side->listeners->mirrors[i]) check_mirror(s, side, side->listeners->mirrors[i]);
}

static uint64_t in_force(const sim_side *side) {
    uint64_t features = side->again.number != 0 ? SIM_BIT(SIM_REENTRANT) : 0;
    for (uint32_t i = 0; i < MIRRORS; i++)
        if (side->listeners->mirrors[i]) features |= SIM_BIT(SIM_LISTENER);
    return features;
}

/* Listeners are not told of a restore. */
static void restore(sim *s, sim_side *side, const void *saved) {
    (void)s, (void)saved;
    for (uint32_t i = 0; i < MIRRORS; i++)
        if (side->listeners->mirrors[i]) fill_mirror(side->listeners->mirrors[i], side->naive);
}

const sim_part sim_part_listeners = {
    .begin = begin, .end = end, .check = check, .in_force = in_force, .restore = restore
};

const sim_operation sim_signal_operations[] = {
    { "connect", SIM_LISTENER, 8, connect_mirror },
    { "disconnect", SIM_LISTENER, 3, disconnect_mirror },
    { "connect_reentrant", SIM_REENTRANT, 3, connect_reentrant },
    { NULL, 0, 0, NULL },
};
