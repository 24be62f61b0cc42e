/* Channels of events: sent directly and by command buffers, delivered, read, heard and cleared. */
#include <covey/events.h>

#include "sim.h"

#include <stdlib.h>

typedef struct one {
    uint32_t seed;
    covey_entity link;
} one;

typedef struct list {
    one *all;
    uint32_t count, capacity;
} list;

/* What the channel of a type should have. */
typedef struct channel {
    list sent, current;
    covey_connection heard;
    bool answers; /* the listener sends as many events as it gets, up to three */
    uint32_t calls;
} channel;

struct sim_events {
    sim *s;
    sim_side *side;
    channel channels[NAIVE_TYPES];
};

/* ---- Lists --------------------------------------------------------------------------------------------------------*/

static void append(list *to, one event) {
    if (to->count == to->capacity) {
        to->capacity = 2 * to->capacity + 16;
        to->all = realloc(to->all, to->capacity * sizeof *to->all);
        if (!to->all) abort();
    }
    to->all[to->count++] = event;
}

static void copy_list(list *to, const list *from) {
    to->count = 0;
    for (uint32_t i = 0; i < from->count; i++) append(to, from->all[i]);
}

static void free_lists(channel *c) {
    free(c->sent.all);
    free(c->current.all);
}

void sim_sent(sim *s, sim_side *side, uint32_t type, const naive_component *event) {
    sim_touch_type(s, type);
    sim_touch(s, SIM_EVENTS);
    if (sim_lies(s, SIM_LIE_EVENT_NOT_SENT)) return;
    append(&side->events->channels[type].sent, (one){ event->seed, event->link });
}

bool sim_events_can_be_copied(const sim_side *side) {
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) {
        const channel *c = &side->events->channels[t];
        if (!value_can_be_copied(t) && c->sent.count + c->current.count != 0) return false;
    }
    return true;
}

/* The channel of a type in the library, which is made if it is missing: NULL if memory fails. */
static covey_events *events_of(const sim_side *side, uint32_t type) {
    return covey_events_of_raw(side->world, value_types[type]);
}

/* ---- Comparing ----------------------------------------------------------------------------------------------------*/

/* The events in an array are these. */
static void check_values(sim *s, uint32_t type, const void *values, uint32_t count, const list *expected) {
    SIM_REQUIRE(s, count == expected->count, "%u events, not %u", count, expected->count);
    for (uint32_t i = 0; i < count && !value_is_tag(type); i++) {
        one got;
        const char *value = (const char *)values + (size_t)i * value_types[type]->size;
        SIM_REQUIRE(s, value_read(type, value, &got.seed, &got.link), "an event is damaged");
        bool same = got.seed == expected->all[i].seed && !sim_lies(s, SIM_LIE_EVENTS_REORDERED);
        if (value_has_link(type)) same = same && covey_same(got.link, expected->all[i].link);
        SIM_REQUIRE(s, same, "event %u is another one", i);
    }
}

static bool is_used(const channel *c) { return c->sent.count + c->current.count != 0; }

static void check(sim *s, sim_side *side) {
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) {
        const channel *c = &side->events->channels[t];
        if (!is_used(c)) continue;
        const covey_events *events = events_of(side, t);
        SIM_REQUIRE(s, covey_events_sent(events) == c->sent.count, "%u events were sent, not %u",
                    covey_events_sent(events), c->sent.count);
        check_values(s, t, covey_events_current_raw(events), covey_events_count(events), &c->current);
    }
}

/* ---- The part -----------------------------------------------------------------------------------------------------*/

static void begin(sim *s, sim_side *side) {
    side->events = calloc(1, sizeof *side->events);
    if (!side->events) abort();
    side->events->s = s;
    side->events->side = side;
}

/* The world ends the channels. */
static void end(sim *s, sim_side *side) {
    (void)s;
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) free_lists(&side->events->channels[t]);
    free(side->events);
}

/* It is not known what was sent. */
static void adopt(sim *s, sim_side *side) {
    (void)s;
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) {
        covey_events *events = events_of(side, t);
        if (events) covey_events_clear(events);
        side->events->channels[t].sent.count = side->events->channels[t].current.count = 0;
    }
}

static uint64_t in_force(const sim_side *side) {
    for (uint32_t t = 0; t < NAIVE_TYPES; t++)
        if (is_used(&side->events->channels[t])) return SIM_BIT(SIM_EVENTS);
    return 0;
}

static void *save(const sim_side *side) {
    channel *saved = calloc(NAIVE_TYPES, sizeof *saved);
    if (!saved) abort();
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) {
        copy_list(&saved[t].sent, &side->events->channels[t].sent);
        copy_list(&saved[t].current, &side->events->channels[t].current);
    }
    return saved;
}

static void restore(sim *s, sim_side *side, const void *state) {
    const channel *saved = state;
    (void)s;
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) {
        channel *c = &side->events->channels[t];
        c->sent.count = c->current.count = 0;
        if (!saved) continue;
        copy_list(&c->sent, &saved[t].sent);
        copy_list(&c->current, &saved[t].current);
    }
}

static void forget(void *state) {
    channel *saved = state;
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) free_lists(&saved[t]);
    free(saved);
}

const sim_part sim_part_events = { .begin = begin,
                                   .end = end,
                                   .check = check,
                                   .adopt = adopt,
                                   .in_force = in_force,
                                   .save = save,
                                   .restore = restore,
                                   .forget = forget };

/* ---- Operations ---------------------------------------------------------------------------------------------------*/

static void send_one(sim *s, sim_side *side, covey_events *events, uint32_t type) {
    naive_component event;
    const void *value = sim_value(s, side, type, 0, &event);
    bool sent = covey_events_send_raw(events, value_is_tag(type) ? NULL : value);
    if (!sent) sim_end_values(s, type, 1);
    if (sim_settle(s, side, sent, COVEY_OK)) sim_sent(s, side, type, &event);
}

static void send(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = sim_type(step->a), count = 1 + step->b % 4;
    sim_say(s, "events_send: %u of %s", count, value_types[type]->name);
    covey_events *events = events_of(side, type);
    if (!sim_settle(s, side, events != NULL, COVEY_OK)) return;
    for (uint32_t i = 0; i < count; i++) send_one(s, side, events, type);
}

/* The type of a channel that has events, if there is one. */
static uint32_t used_type(const sim_side *side, uint32_t n) {
    for (uint32_t i = 0; i < NAIVE_TYPES; i++)
        if (is_used(&side->events->channels[(n + i) % NAIVE_TYPES])) return (n + i) % NAIVE_TYPES;
    return sim_type(n);
}

static void deliver(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = used_type(side, step->a);
    channel *c = &side->events->channels[type];
    sim_say(s, "events_deliver: %u of %s", c->sent.count, value_types[type]->name);
    covey_events *events = events_of(side, type);
    if (!sim_settle(s, side, events != NULL, COVEY_OK)) return;
    list before = c->current;
    uint32_t calls = c->calls + (c->sent.count != 0 && c->heard.number != 0);
    if (sim_lies(s, SIM_LIE_DELIVERY_UNHEARD)) calls--;
    c->current = c->sent;
    c->sent = before;
    c->sent.count = 0;
    uint32_t delivered = covey_events_deliver(events);
    SIM_REQUIRE(s, delivered == covey_events_count(events), "%u events were delivered, and %u are current", delivered,
                covey_events_count(events));
    SIM_REQUIRE(s, c->calls == calls, "the listener of a channel was called %u times, not %u", c->calls, calls);
}

static void clear(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = used_type(side, step->a);
    channel *c = &side->events->channels[type];
    sim_say(s, "events_clear: %s", value_types[type]->name);
    covey_events *events = events_of(side, type);
    if (!sim_settle(s, side, events != NULL, COVEY_OK)) return;
    covey_events_clear(events);
    c->sent.count = 0;
    if (!sim_lies(s, SIM_LIE_EVENTS_KEPT)) c->current.count = 0;
}

/* The model has delivered already. */
static void hear(const covey_event *event, void *context) {
    sim_events *all = context;
    sim *s = all->s;
    uint32_t type = value_type_number(event->type);
    channel *c = &all->side->events->channels[type];
    SIM_REQUIRE(s, event->world == all->side->world && !event->entities, "an event of another world, or of an entity");
    check_values(s, type, event->values, event->count, &c->current);
    c->calls++;
    for (uint32_t i = 0; c->answers && i < event->count && i < 3; i++)
        send_one(s, all->side, events_of(all->side, type), type);
}

static void listen(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = step->b % 2 == 0 ? sim_type(step->a) : used_type(side, step->a);
    channel *c = &side->events->channels[type];
    if (c->heard.number != 0) {
        sim_say(s, "disconnect: the listener of the channel %s", value_types[type]->name);
        SIM_REQUIRE(s, covey_disconnect(side->world, c->heard), "the listener of a channel was not connected");
        c->heard = (covey_connection){ 0 };
        return;
    }
    sim_say(s, "events_connect: %s", value_types[type]->name);
    covey_events *events = events_of(side, type);
    if (!sim_settle(s, side, events != NULL, COVEY_OK)) return;
    covey_connection heard = covey_events_connect(events, hear, side->events);
    if (!sim_settle(s, side, heard.number != 0, COVEY_OK)) return;
    SIM_REQUIRE(s, covey_connected(side->world, heard), "the listener of a channel is not connected");
    c->heard = heard;
    c->answers = step->c % 3 == 0;
}

const sim_operation sim_event_operations[] = {
    { "events_send", SIM_EVENTS, 10, send },
    { "events_deliver", SIM_EVENTS, 8, deliver },
    { "events_clear", SIM_EVENTS, 1, clear },
    { "events_connect", SIM_EVENTS, 2, listen },
    { NULL, 0, 0, NULL },
};
