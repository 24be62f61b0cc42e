/* Events that are sent, delivered and read, beside a growing array of the program's own; and the same recorded in a
 * command buffer. */
#include "bench.h"

#include <covey/events.h>
#include <stdlib.h>

typedef struct Hit {
    covey_entity target;
    float damage;
    uint32_t kind;
} Hit;
COVEY_COMPONENT_DEFINE(Hit);

/* Two growing arrays, by hand. */
typedef struct array {
    Hit *all;
    uint32_t count, capacity;
} array;

typedef struct fixture {
    covey_world *world;
    covey_events *hits;
    covey_commands *commands;
    array sent, current;
    uint64_t sum;
    uint32_t n;
} fixture;

static void add_hits(const covey_event *event, void *sum) {
    const Hit *hit = event->values;
    uint64_t added = 0;
    for (uint32_t i = 0; i < event->count; i++) added += hit[i].target.index + hit[i].kind;
    *(uint64_t *)sum += added;
}

static void *open(const bench_scenario *scenario, uint32_t n) {
    (void)scenario;
    fixture *f = bench_alloc(1, sizeof *f);
    *f = (fixture){ .world = covey_world_create(NULL), .n = n };
    f->hits = f->world ? covey_events_of(f->world, Hit) : NULL;
    f->commands = f->world ? covey_commands_create(f->world, NULL) : NULL;
    if (!f->hits || !f->commands) bench_fail("no channel");
    return f;
}

static void close(void *context) {
    fixture *f = context;
    covey_world_destroy(f->world);
    free(f->sent.all);
    free(f->current.all);
    free(f);
}

/* ---- The runs -----------------------------------------------------------------------------------------------------*/

static uint64_t sum_of(const Hit *hit, uint32_t count) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) sum += hit[i].target.index + hit[i].kind;
    return sum;
}

BENCH_TIMED static uint64_t send(void *context) {
    fixture *f = context;
    covey_events *hits = f->hits;
    for (uint32_t i = 0; i < f->n; i++) covey_events_send(hits, Hit, { { i, 1 }, 2, i });
    covey_events_deliver(hits);
    return sum_of(covey_events_current(hits, Hit), covey_events_count(hits));
}

BENCH_TIMED static uint64_t record(void *context) {
    fixture *f = context;
    for (uint32_t i = 0; i < f->n; i++) covey_record_send(f->commands, Hit, { { i, 1 }, 2, i });
    if (covey_commands_replay(f->commands).result != COVEY_OK) bench_fail("a replay failed");
    covey_events_deliver(f->hits);
    return sum_of(covey_events_current(f->hits, Hit), covey_events_count(f->hits));
}

static void begin(void *context) {
    fixture *f = context;
    f->sum = 0;
}

BENCH_TIMED static uint64_t send_to_listener(void *context) {
    fixture *f = context;
    covey_events *hits = f->hits;
    covey_connection heard = covey_events_connect(hits, add_hits, &f->sum);
    for (uint32_t i = 0; i < f->n; i++) covey_events_send(hits, Hit, { { i, 1 }, 2, i });
    covey_events_deliver(hits);
    covey_disconnect(f->world, heard);
    return f->sum;
}

static void grow(array *to) {
    to->capacity = 2 * to->capacity + 16;
    to->all = realloc(to->all, to->capacity * sizeof *to->all);
    if (!to->all) bench_fail("no memory");
}

BENCH_TIMED static uint64_t by_hand(void *context) {
    fixture *f = context;
    array *sent = &f->sent;
    for (uint32_t i = 0; i < f->n; i++) {
        if (sent->count == sent->capacity) grow(sent);
        sent->all[sent->count++] = (Hit){ { i, 1 }, 2, i };
    }
    array before = f->current;
    f->current = f->sent;
    f->sent = before;
    f->sent.count = 0;
    return sum_of(f->current.all, f->current.count);
}

/* ---- The scenarios ------------------------------------------------------------------------------------------------*/

#define CONTESTANTS(...)                                                                         \
    {                                                                                            \
        { __VA_ARGS__ }, { .name = "array", .prepare = begin, .run = by_hand }, { .name = NULL } \
    }

static const bench_contestant sending[] = CONTESTANTS(.name = "covey", .prepare = begin, .run = send);
static const bench_contestant listening[] = CONTESTANTS(.name = "covey", .prepare = begin, .run = send_to_listener);
static const bench_contestant recording[] = CONTESTANTS(.name = "covey", .prepare = begin, .run = record);

#define SCENARIO(text, who, most)                                                                                  \
    {                                                                                                              \
        .name = text, .storage = "-", .sizes = { 1000, 100000 }, .contestants = who, .open = open, .close = close, \
        .bars = {                                                                                                  \
            BENCH_BAR("array", most)                                                                               \
        }                                                                                                          \
    }

static const bench_scenario scenarios[] = {
    SCENARIO("events", sending, 1.5),
    SCENARIO("events_listener", listening, 1.5),
    SCENARIO("events_recorded", recording, 0),
};

const bench_suite bench_events = { scenarios, sizeof scenarios / sizeof *scenarios };
