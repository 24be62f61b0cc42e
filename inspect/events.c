/* GET events: how many components were added, set and removed, by type and second. Listeners are connected only while
 * clients ask for events: otherwise this costs nothing. */
#include "inspector.h"

#define SECOND UINT64_C(1000000000)

/* ---- Listening ----------------------------------------------------------------------------------------------------*/

static void count_event(const covey_event *event, void *context) {
    inspect__counter *counter = context;
    uint32_t kind = event->signal == COVEY_ON_ADD || event->signal == COVEY_ON_CREATE ? INSPECT__ADDED
                    : event->signal == COVEY_ON_SET                                   ? INSPECT__SET
                                                                                      : INSPECT__REMOVED;
    atomic_fetch_add_explicit(&counter->now[kind], event->count, memory_order_relaxed);
}

/* Appends a counter for a type, or for entities if the type is NULL. */
static bool listen_to(covey_inspector *inspector, const covey_type *type) {
    inspect__counter *counter = inspect__zeroed(inspector, sizeof *counter),
                     **end = &inspector->watching.events.counters;
    if (!counter) return false;
    covey_listener listener = { .type = type, .call = count_event, .context = counter, .spans = true };
    listener.signals = type ? COVEY_ON_ADD | COVEY_ON_SET | COVEY_ON_REMOVE : COVEY_ON_CREATE | COVEY_ON_DESTROY;
    counter->type = type;
    counter->connection = covey_connect(inspector->dependent.world, &listener);
    if (counter->connection.number == 0) {
        inspect__free(inspector, counter, sizeof *counter);
        return false;
    }
    while (*end) end = &(*end)->next;
    *end = counter;
    return true;
}

/* Adds counters for the types that are new in the world. */
static bool listen_to_new_types(covey_inspector *inspector) {
    inspect__events *events = &inspector->watching.events;
    for (; events->pools < covey_world_pool_count(inspector->dependent.world); events->pools++) {
        const covey_type *type = covey_pool_type(covey_world_pool(inspector->dependent.world, events->pools));
        if (!inspect__is_internal(type) && !listen_to(inspector, type)) return false;
    }
    return true;
}

void inspect__events_end(covey_inspector *inspector) {
    inspect__events *events = &inspector->watching.events;
    while (events->counters) {
        inspect__counter *counter = events->counters;
        events->counters = counter->next;
        covey_disconnect(inspector->dependent.world, counter->connection);
        inspect__free(inspector, counter, sizeof *counter);
    }
    events->pools = 0;
}

static uint64_t second_of(const covey_inspector *inspector, uint64_t now) {
    return (now - inspector->watching.opened_at) / SECOND;
}

static bool begin(covey_inspector *inspector, uint64_t now) {
    inspect__events *events = &inspector->watching.events;
    events->first = events->second = second_of(inspector, now);
    if (listen_to(inspector, NULL) && listen_to_new_types(inspector)) return true;
    inspect__events_end(inspector);
    return false;
}

/* ---- Seconds ------------------------------------------------------------------------------------------------------*/

static void end_second(inspect__counter *counter, uint64_t second) {
    for (uint32_t kind = 0; kind < INSPECT__KINDS; kind++)
        counter->seconds[second % INSPECT__SECONDS][kind] =
            atomic_exchange_explicit(&counter->now[kind], 0, memory_order_relaxed);
}

/* Ends the current second, and those that passed since. Events between two polls count for the first of them. */
static void advance_to(inspect__events *events, uint64_t second) {
    if (second - events->second > INSPECT__SECONDS) { /* all counts are too old to be shown */
        for (inspect__counter *counter = events->counters; counter; counter = counter->next)
            end_second(counter, events->second);
        events->first = events->second = second;
    }
    for (; events->second < second; events->second++)
        for (inspect__counter *counter = events->counters; counter; counter = counter->next)
            end_second(counter, events->second);
}

void inspect__events_update(covey_inspector *inspector, uint64_t now) {
    inspect__events *events = &inspector->watching.events;
    if (!events->counters) return;
    if (inspect__is_idle(events->asked_at, now)) {
        inspect__events_end(inspector);
        return;
    }
    advance_to(events, second_of(inspector, now));
    listen_to_new_types(inspector); /* without memory, the next poll tries again */
}

/* ---- The answer ---------------------------------------------------------------------------------------------------*/

static void put_type(inspect__json *json, const inspect__counter *counter, uint64_t second) {
    const uint32_t *counts = counter->seconds[second % INSPECT__SECONDS];
    if (counts[INSPECT__ADDED] == 0 && counts[INSPECT__SET] == 0 && counts[INSPECT__REMOVED] == 0) return;
    inspect__json_object(json, NULL);
    inspect__json_text(json, "type", counter->type->name);
    inspect__json_u64(json, "added", counts[INSPECT__ADDED]);
    inspect__json_u64(json, "set", counts[INSPECT__SET]);
    inspect__json_u64(json, "removed", counts[INSPECT__REMOVED]);
    inspect__json_end_object(json);
}

static void put_second(inspect__json *json, const inspect__events *events, uint64_t second) {
    const uint32_t *entities = events->counters->seconds[second % INSPECT__SECONDS];
    inspect__json_object(json, NULL);
    inspect__json_u64(json, "at", second);
    inspect__json_u64(json, "created", entities[INSPECT__ADDED]);
    inspect__json_u64(json, "destroyed", entities[INSPECT__REMOVED]);
    inspect__json_array(json, "types");
    for (const inspect__counter *counter = events->counters->next; counter; counter = counter->next)
        put_type(json, counter, second);
    inspect__json_end_array(json);
    inspect__json_end_object(json);
}

bool inspect__answer_events(inspect__request *request, covey_world *world) {
    covey_inspector *inspector = request->inspector;
    inspect__events *events = &inspector->watching.events;
    inspect__json *json = &request->json;
    uint64_t now = inspect__now();
    (void)world;
    if (!events->counters && !begin(inspector, now))
        return inspect__refuse_result(request, COVEY_ERROR_MEMORY, "there is no memory to count events");
    events->asked_at = now;
    advance_to(events, second_of(inspector, now));
    uint64_t oldest = events->second > INSPECT__SECONDS ? events->second - INSPECT__SECONDS : 0;
    inspect__json_object(json, NULL);
    inspect__json_array(json, "seconds");
    for (uint64_t second = events->first > oldest ? events->first : oldest; second < events->second; second++)
        put_second(json, events, second);
    inspect__json_end_array(json);
    inspect__json_end_object(json);
    return true;
}
