/* Queues, whose events are compared with what happened to the model. */
#include "sim.h"

#include <stdlib.h>

enum { QUEUES = 3, EVENTS = 4096 };

typedef struct event {
    covey_signal signal;
    covey_entity e;
    uint32_t type, seed;
} event;

typedef struct events {
    uint32_t number; /* of the queue; none has 0 */
    uint32_t count;
    event list[EVENTS];
} events;

/* A queue is connected to one type, or to entities. */
typedef struct queue {
    covey_queue *queue;
    uint32_t type, signals; /* NAIVE_TYPES: entities */
    bool values;
    events expected;
} queue;

struct sim_queues {
    queue *queues[QUEUES];
    uint32_t last;
};

static void expect(sim *s, queue *q, const sim_side *side, covey_signal signal, covey_entity e, uint32_t type) {
    /* A queue that does not name patches is told of them as sets. */
    if (signal == COVEY_ON_PATCH && (q->signals & COVEY_ON_PATCH) == 0) signal = COVEY_ON_SET;
    if (q->type != type || (q->signals & (uint32_t)signal) == 0 || q->expected.count == EVENTS) return;
    uint32_t seed = type < NAIVE_TYPES && q->values ? naive_component_of(side->naive, e, type)->seed : 0;
    if (q->values && sim_lies(s, SIM_LIE_EVENT_VALUE_WRONG)) seed++;
    if (sim_lies(s, SIM_LIE_EVENT_MISSING)) return;
    q->expected.list[q->expected.count++] = (event){ signal, e, type, seed };
}

static void told(sim *s, sim_side *side, covey_signal signal, covey_entity e, uint32_t type) {
    for (uint32_t i = 0; i < QUEUES; i++)
        if (side->queues->queues[i]) expect(s, side->queues->queues[i], side, signal, e, type);
}

static void empty(queue *q) {
    covey_queue_clear(q->queue);
    q->expected.count = 0;
}

/* Of events in another order, only the number is compared. */
static void check(sim *s, sim_side *side) {
    for (uint32_t i = 0; i < QUEUES; i++) {
        queue *q = side->queues->queues[i];
        if (q && q->expected.count < EVENTS)
            SIM_REQUIRE(s, covey_queue_count(q->queue) == q->expected.count, "a queue has %u events, not %u",
                        covey_queue_count(q->queue), q->expected.count);
        if (q && s->reordered) empty(q);
    }
}

static void adopt(sim *s, sim_side *side) {
    (void)s;
    for (uint32_t i = 0; i < QUEUES; i++)
        if (side->queues->queues[i]) empty(side->queues->queues[i]);
}

static void *save(const sim_side *side) {
    events *saved = calloc(QUEUES, sizeof *saved);
    if (!saved) abort();
    for (uint32_t i = 0; i < QUEUES; i++)
        if (side->queues->queues[i]) saved[i] = side->queues->queues[i]->expected;
    return saved;
}

/* A queue that did not exist then is empty. */
static void restore(sim *s, sim_side *side, const void *state) {
    const events *saved = state;
    (void)s;
    for (uint32_t i = 0; i < QUEUES; i++) {
        queue *q = side->queues->queues[i];
        if (!q) continue;
        if (saved && saved[i].number == q->expected.number) q->expected = saved[i];
        else q->expected.count = 0;
    }
}

static void begin(sim *s, sim_side *side) {
    (void)s;
    side->queues = calloc(1, sizeof *side->queues);
    if (!side->queues) abort();
}

/* The world ends the queues. */
static void end(sim *s, sim_side *side) {
    (void)s;
    for (uint32_t i = 0; i < QUEUES; i++) free(side->queues->queues[i]);
    free(side->queues);
}

static uint64_t in_force(const sim_side *side) {
    uint64_t features = 0;
    for (uint32_t i = 0; i < QUEUES; i++)
        if (side->queues->queues[i])
            features |= SIM_BIT(side->queues->queues[i]->values ? SIM_QUEUE_VALUES : SIM_QUEUE);
    return features;
}

const sim_part sim_part_queues = { .begin = begin,
                                   .end = end,
                                   .check = check,
                                   .adopt = adopt,
                                   .in_force = in_force,
                                   .told = told,
                                   .save = save,
                                   .restore = restore,
                                   .forget = free };

/* ---- Operations ---------------------------------------------------------------------------------------------------*/

/* A queue copies bytes, so not every type can have its values in one. */
static bool can_be_queued(uint32_t type) {
    const covey_type *t = value_types[type];
    return !t->drop && !t->copy && !t->move && !t->no_copy && !t->zero_erased;
}

static void create(sim *s, sim_side *side, const sim_step *step) {
    uint32_t at = 0;
    while (at < QUEUES && side->queues->queues[at]) at++;
    if (at == QUEUES) return;
    queue *q = calloc(1, sizeof *q);
    if (!q) abort();
    bool entities = step->a % 4 == 0;
    q->type = entities ? NAIVE_TYPES : sim_type(step->b);
    q->values = !entities && step->c % 2 == 0 && can_be_queued(q->type);
    q->signals = entities ? COVEY_ON_CREATE | COVEY_ON_DESTROY : COVEY_ON_ADD | COVEY_ON_SET | COVEY_ON_REMOVE;
    if (!entities && step->c % 4 < 2) q->signals |= COVEY_ON_PATCH;
    sim_say(s, "queue_create: %s%s", entities ? "entities" : value_types[q->type]->name, q->values ? ", values" : "");
    if (q->values) sim_touch(s, SIM_QUEUE_VALUES);
    q->queue = covey_queue_create(side->world);
    covey_listener listener = {
        .type = entities ? NULL : value_types[q->type], .signals = q->signals, .queue = q->queue, .values = q->values
    };
    bool connected = q->queue && covey_connect(side->world, &listener).number != 0;
    if (!sim_settle(s, side, connected, COVEY_OK)) {
        covey_queue_destroy(q->queue);
        free(q);
        return;
    }
    q->expected.number = ++side->queues->last;
    side->queues->queues[at] = q;
}

static void destroy(sim *s, sim_side *side, const sim_step *step) {
    queue **at = &side->queues->queues[step->a % QUEUES];
    if (!*at) return;
    sim_say(s, "queue_destroy: queue %u", step->a % QUEUES);
    covey_queue_destroy((*at)->queue);
    free(*at);
    *at = NULL;
}

/* Each event was expected, in any order. */
static void check_event(sim *s, queue *q, const covey_event *got) {
    uint32_t type = got->type ? value_type_number(got->type) : NAIVE_TYPES, seed = 0;
    covey_entity link;
    if (got->values) value_read(type, got->values, &seed, &link);
    for (uint32_t i = 0; i < q->expected.count; i++) {
        const event *x = &q->expected.list[i];
        if (x->signal != got->signal || x->type != type || !covey_same(x->e, *got->entities) || x->seed != seed)
            continue;
        memmove(&q->expected.list[i], &q->expected.list[i + 1], (--q->expected.count - i) * sizeof q->expected.list[0]);
        return;
    }
    sim_fail(s, "the queue has signal %d of %u:%u, which did not happen", got->signal, got->entities->index,
             got->entities->generation);
}

static void drain(sim *s, sim_side *side, const sim_step *step) {
    queue *q = side->queues->queues[step->a % QUEUES];
    covey_event got;
    if (!q || q->expected.count == EVENTS) return;
    uint32_t most = step->b % 3 == 0 ? step->c % 5 : EVENTS;
    sim_say(s, "queue_next: queue %u, %u events at most", step->a % QUEUES, most);
    while (most-- != 0 && covey_queue_next(q->queue, &got)) check_event(s, q, &got);
}

static void clear(sim *s, sim_side *side, const sim_step *step) {
    queue *q = side->queues->queues[step->a % QUEUES];
    if (!q) return;
    sim_say(s, "queue_clear: queue %u", step->a % QUEUES);
    empty(q);
}

const sim_operation sim_queue_operations[] = {
    { "queue_create", SIM_QUEUE, 6, create },
    { "queue_destroy", SIM_QUEUE, 1, destroy },
    { "queue_next", SIM_QUEUE, 10, drain },
    { "queue_clear", SIM_QUEUE, 1, clear },
    { NULL, 0, 0, NULL },
};
