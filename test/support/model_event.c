/* Programs that send events of the types of the world, and deliver them: held against lists of bytes. */
#include "model_world.h"

#include <covey/events.h>

#include <stdlib.h>

enum { CHANNELS = 4, MOST = 48 };

typedef struct list {
    unsigned char values[MOST][VALUE_BYTES];
    uint32_t count;
} list;

typedef struct channel {
    covey_events *events;
    const covey_type *type; /* whose hooks the events have */
    covey_connection heard;
    list sent, current;
} channel;

typedef struct channels {
    channel all[CHANNELS];
    covey_commands *commands;
    model *of;
    uint32_t calls;
} channels;

static channels *state_of(const model *m) { return m->state; }

static channel *pick_channel(model *m) { return &state_of(m)->all[program_below(&m->program, CHANNELS)]; }

/* ---- Comparing ----------------------------------------------------------------------------------------------------*/

static void has_values(model *m, const channel *c, const void *array, uint32_t count) {
    const char *value = array;
    REQUIRE(m, count == c->current.count, "%u current events, not %u", count, c->current.count);
    for (uint32_t i = 0; i < count && c->type->size != 0; i++, value += c->type->size)
        REQUIRE(m, memcmp(value, c->current.values[i], c->type->size) == 0, "another event");
}

static void compare_channel(model *m, const channel *c) {
    if (!c->events) return;
    REQUIRE(m, covey_events_sent(c->events) == c->sent.count, "%u events were sent, not %u",
            covey_events_sent(c->events), c->sent.count);
    has_values(m, c, covey_events_current_raw(c->events), covey_events_count(c->events));
}

/* ---- Operations ---------------------------------------------------------------------------------------------------*/

/* Events are compared as bytes, so no hook may move them. */
static void make(model *m) {
    channel *c = pick_channel(m);
    const covey_type *type = model_pick_type(m);
    const oracle_pool *pool = oracle_pool_of(m->oracle, type);
    if (c->events || !pool || pool->type->move) return;
    covey_events *events = covey_events_of_raw(m->world, pool->type);
    if (!model_settle(m, events != NULL, COVEY_OK)) return;
    for (uint32_t i = 0; i < CHANNELS; i++)
        if (state_of(m)->all[i].events == events) return;
    c->events = events;
    c->type = pool->type;
}

/* The oracle may forget one. */
static void note_sent(model *m, channel *c) {
    if (m->oracle->fault == ORACLE_LOSES_EVENTS && m->program.step % 16 == 5) return;
    memcpy(c->sent.values[c->sent.count++], m->value, VALUE_BYTES);
}

static void send(model *m) {
    channel *c = pick_channel(m);
    if (!c->events || c->sent.count == MOST) return;
    value_make(c->type, program_byte(&m->program), m->value);
    value_own(c->type, m->value);
    bool sent = covey_events_send_raw(c->events, m->value);
    if (!sent) value_disown(c->type, m->value);
    if (model_settle(m, sent, COVEY_OK)) note_sent(m, c);
}

/* Recorded, and replayed; what fails is discarded. */
static void record(model *m) {
    channel *c = pick_channel(m);
    covey_commands **commands = &state_of(m)->commands;
    if (!c->events || c->sent.count == MOST) return;
    if (!*commands) {
        *commands = covey_commands_create(m->world, NULL);
        if (!model_settle(m, *commands != NULL, COVEY_OK)) return;
    }
    value_make(c->type, program_byte(&m->program), m->value);
    bool recorded = covey_record_send_raw(*commands, c->type, m->value);
    if (recorded) value_own(c->type, m->value);
    covey_replay replay = covey_commands_replay(*commands);
    REQUIRE(m, recorded == (replay.lost == 0) && replay.done + replay.left == recorded, "a replay of another buffer");
    covey_commands_clear(*commands);
    if (model_settle(m, replay.result == COVEY_OK, COVEY_OK)) note_sent(m, c);
}

/* The lists of the model have changed places by then. */
static void hear(const covey_event *event, void *context) {
    channels *all = context;
    model *m = all->of;
    for (uint32_t i = 0; i < CHANNELS; i++) {
        const channel *c = &all->all[i];
        if (c->events && c->type == event->type) has_values(m, c, event->values, event->count);
    }
    all->calls++;
}

static void listen(model *m) {
    channel *c = pick_channel(m);
    if (!c->events) return;
    state_of(m)->of = m;
    if (c->heard.number != 0) {
        REQUIRE(m, covey_disconnect(m->world, c->heard), "the listener of a channel was not connected");
        c->heard = (covey_connection){ 0 };
        return;
    }
    covey_connection heard = covey_events_connect(c->events, hear, m->state);
    if (model_settle(m, heard.number != 0, COVEY_OK)) c->heard = heard;
}

static void deliver(model *m) {
    channel *c = pick_channel(m);
    if (!c->events) return;
    uint32_t calls = state_of(m)->calls + (c->sent.count != 0 && c->heard.number != 0);
    c->current = c->sent;
    c->sent.count = 0;
    uint32_t count = covey_events_deliver(c->events);
    REQUIRE(m, count == c->current.count, "%u events were delivered, not %u", count, c->current.count);
    REQUIRE(m, state_of(m)->calls == calls, "the listener of a channel was called %u times, not %u", state_of(m)->calls,
            calls);
}

static void clear_one(model *m) {
    channel *c = pick_channel(m);
    if (!c->events || program_below(&m->program, 4) != 0) return;
    covey_events_clear(c->events);
    c->sent.count = c->current.count = 0;
}

/* ---- The subject --------------------------------------------------------------------------------------------------*/

static void begin(model *m) {
    m->state = calloc(1, sizeof(channels));
    REQUIRE(m, m->state, "no memory");
}

static void check(model *m) { (void)m; }

static void compare(model *m) {
    for (uint32_t i = 0; i < CHANNELS; i++) compare_channel(m, &state_of(m)->all[i]);
}

static void end(model *m) { (void)m; } /* the world ends channels and buffers */

static void forget(model *m) { free(m->state); }

/* A clone has none. */
static void leave(model *m) { memset(m->state, 0, sizeof(channels)); }

static size_t memory(const model *m) {
    return state_of(m)->commands ? covey_commands_memory(state_of(m)->commands) : 0;
}

static void count_list(const channel *c, const list *of, uint32_t *live) {
    for (uint32_t i = 0; c->events && c->type->drop && i < of->count; i++) {
        uint32_t token;
        memcpy(&token, of->values[i], sizeof token);
        if (token < VALUE_TOKENS) live[token]++;
    }
}

static void count_tokens(const model *m, uint32_t *live) {
    for (uint32_t i = 0; i < CHANNELS; i++) {
        const channel *c = &state_of(m)->all[i];
        count_list(c, &c->sent, live);
        count_list(c, &c->current, live);
    }
}

static const model_operation operations[] = {
    { "events_of", make, 2, false },
    { "events_send", send, 12, false },
    { "record_send", record, 6, false },
    { "events_connect", listen, 1, false },
    { "events_deliver", deliver, 4, true },
    { "events_clear", clear_one, 1, true },
    { NULL, NULL, 0, false },
};

const struct model_subject model_events = {
    .operations = operations,
    .begin = begin,
    .check = check,
    .compare = compare,
    .end = end,
    .forget = forget,
    .memory = memory,
    .count_tokens = count_tokens,
    .leave = leave,
};
