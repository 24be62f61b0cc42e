/* GET events: what was added, set and removed, by type and second. Listeners are connected while somebody asks: who does
 * not look pays nothing. */
#include "inspector.h"

#define SECOND UINT64_C(1000000000)

/* ---- Listening -----------------------------------------------------------------------------------------------------*/

static void hear(const covey_event *event, void *context) {
    inspect__ear *ear = context;
    uint32_t kind = event->signal == COVEY_ON_ADD || event->signal == COVEY_ON_CREATE ? INSPECT__ADDED
                    : event->signal == COVEY_ON_SET                                   ? INSPECT__SET
                                                                                      : INSPECT__REMOVED;
    atomic_fetch_add_explicit(&ear->now[kind], event->count, memory_order_relaxed);
}

/* One more ear behind the others, for a type or, for NULL, for entities. */
static bool listen_to(covey_inspector *inspector, const covey_type *type) {
    inspect__ear *ear = inspect__zeroed(inspector, sizeof *ear), **end = &inspector->watching.events.ears;
    if (!ear) return false;
    covey_listener listener = { .type = type, .call = hear, .context = ear, .spans = true };
    listener.signals = type ? COVEY_ON_ADD | COVEY_ON_SET | COVEY_ON_REMOVE : COVEY_ON_CREATE | COVEY_ON_DESTROY;
    ear->type = type;
    ear->connection = covey_connect(inspector->dependent.world, &listener);
    if (ear->connection.number == 0) {
        inspect__free(inspector, ear, sizeof *ear);
        return false;
    }
    while (*end) end = &(*end)->next;
    *end = ear;
    return true;
}

/* To the types that the world has met since. */
static bool listen_to_new(covey_inspector *inspector) {
    inspect__events *events = &inspector->watching.events;
    for (; events->pools < covey_world_pool_count(inspector->dependent.world); events->pools++) {
        const covey_type *type = covey_pool_type(covey_world_pool(inspector->dependent.world, events->pools));
        if (!inspect__is_internal(type) && !listen_to(inspector, type)) return false;
    }
    return true;
}

void inspect__events_end(covey_inspector *inspector) {
    inspect__events *events = &inspector->watching.events;
    while (events->ears) {
        inspect__ear *ear = events->ears;
        events->ears = ear->next;
        covey_disconnect(inspector->dependent.world, ear->connection);
        inspect__free(inspector, ear, sizeof *ear);
    }
    events->pools = 0;
}

static uint64_t second_of(const covey_inspector *inspector, uint64_t now) {
    return (now - inspector->watching.opened_at) / SECOND;
}

static bool begin(covey_inspector *inspector, uint64_t now) {
    inspect__events *events = &inspector->watching.events;
    events->first = events->second = second_of(inspector, now);
    if (listen_to(inspector, NULL) && listen_to_new(inspector)) return true;
    inspect__events_end(inspector);
    return false;
}

/* ---- Seconds -------------------------------------------------------------------------------------------------------*/

static void end_second(inspect__ear *ear, uint64_t second) {
    for (uint32_t kind = 0; kind < INSPECT__KINDS; kind++)
        ear->seconds[second % INSPECT__SECONDS][kind] =
            atomic_exchange_explicit(&ear->now[kind], 0, memory_order_relaxed);
}

/* Between two polls more than one may have passed: what happened counts for the first. */
static void turn_to(inspect__events *events, uint64_t second) {
    if (second - events->second > INSPECT__SECONDS) { /* what was counted is too old to be asked for */
        for (inspect__ear *ear = events->ears; ear; ear = ear->next) end_second(ear, events->second);
        events->first = events->second = second;
    }
    for (; events->second < second; events->second++)
        for (inspect__ear *ear = events->ears; ear; ear = ear->next) end_second(ear, events->second);
}

void inspect__events_attend(covey_inspector *inspector, uint64_t now) {
    inspect__events *events = &inspector->watching.events;
    if (!events->ears) return;
    if (inspect__is_over(events->asked_at, now)) {
        inspect__events_end(inspector);
        return;
    }
    turn_to(events, second_of(inspector, now));
    listen_to_new(inspector); /* what memory is out for is tried again */
}

/* ---- The answer ----------------------------------------------------------------------------------------------------*/

static void put_type(inspect__json *json, const inspect__ear *ear, uint64_t second) {
    const uint32_t *counts = ear->seconds[second % INSPECT__SECONDS];
    if (counts[INSPECT__ADDED] == 0 && counts[INSPECT__SET] == 0 && counts[INSPECT__REMOVED] == 0) return;
    inspect__json_object(json, NULL);
    inspect__json_text(json, "type", ear->type->name);
    inspect__json_u64(json, "added", counts[INSPECT__ADDED]);
    inspect__json_u64(json, "set", counts[INSPECT__SET]);
    inspect__json_u64(json, "removed", counts[INSPECT__REMOVED]);
    inspect__json_end_object(json);
}

static void put_second(inspect__json *json, const inspect__events *events, uint64_t second) {
    const uint32_t *entities = events->ears->seconds[second % INSPECT__SECONDS];
    inspect__json_object(json, NULL);
    inspect__json_u64(json, "at", second);
    inspect__json_u64(json, "created", entities[INSPECT__ADDED]);
    inspect__json_u64(json, "destroyed", entities[INSPECT__REMOVED]);
    inspect__json_array(json, "types");
    for (const inspect__ear *ear = events->ears->next; ear; ear = ear->next) put_type(json, ear, second);
    inspect__json_end_array(json);
    inspect__json_end_object(json);
}

bool inspect__answer_events(inspect__request *request, covey_world *world) {
    covey_inspector *inspector = request->inspector;
    inspect__events *events = &inspector->watching.events;
    inspect__json *json = &request->json;
    uint64_t now = inspect__now();
    (void)world;
    if (!events->ears && !begin(inspector, now))
        return inspect__refuse_result(request, COVEY_ERROR_MEMORY, "there is no memory for listening to events");
    events->asked_at = now;
    turn_to(events, second_of(inspector, now));
    uint64_t oldest = events->second > INSPECT__SECONDS ? events->second - INSPECT__SECONDS : 0;
    inspect__json_object(json, NULL);
    inspect__json_array(json, "seconds");
    for (uint64_t second = events->first > oldest ? events->first : oldest; second < events->second; second++)
        put_second(json, events, second);
    inspect__json_end_array(json);
    inspect__json_end_object(json);
    return true;
}
