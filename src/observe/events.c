/* Channels: events that the program sends, delivers and reads. Each has two lists, which a delivery exchanges. */
#include "observe/events.h"

#include "memory/alloc.h"
#include "memory/result.h"
#include "storage/block_store.h"
#include "storage/hook.h"
#include "storage/sparse_set.h"
#include "storage/type.h"

#include <stdalign.h>
#include <stdio.h>

/* ---- Lists -------------------------------------------------------------------------------------------------------*/

static covey__event_list empty_list(const covey_type *type) {
    bool is_tag = type->size == 0;
    return (covey__event_list){ is_tag ? covey__nothing : NULL, 0, is_tag ? UINT32_MAX : 0 };
}

static void free_values(const covey_events *events, covey__event_list *list) {
    const covey_type *type = events->type;
    if (type->size != 0)
        covey__free(&events->world->inner->heap, list->values, list->capacity, type->size, covey__type_align(type));
}

static void wipe(const covey_type *type, char *values, uint32_t count) {
    if (type->zero_erased && count != 0) memset(values, 0, (size_t)count * type->size);
}

/* The events of a list in a larger array, or NULL. An array is resized in place if memcpy may move its events, and the
 * bytes that they leave behind need not be zeroed. */
static char *larger_values(const covey_events *events, const covey__event_list *list, uint32_t capacity) {
    const covey_type *type = events->type;
    covey__heap *heap = &events->world->inner->heap;
    size_t align = covey__type_align(type);
    if (!type->move && !type->zero_erased)
        return covey__resize(heap, list->values, list->capacity, capacity, type->size, align);
    char *values = covey__resize(heap, NULL, 0, capacity, type->size, align);
    if (!values) return NULL;
    covey__mover mover = covey__mover_of(events->world, type);
    if (list->count != 0) covey__relocate_many(&mover, values, list->values, list->count, type->size);
    wipe(type, list->values, list->count);
    covey__free(heap, list->values, list->capacity, type->size, align);
    return values;
}

bool covey__events_reserve(covey_events *events, covey__event_list *list, uint64_t count) {
    if (count <= list->capacity) return true;
    if (count > UINT32_MAX) return false;
    uint32_t capacity = covey__grown(list->capacity, (uint32_t)count, UINT32_MAX);
    char *values = larger_values(events, list, capacity);
    if (!values) return false;
    list->values = values;
    list->capacity = capacity;
    return true;
}

/* The list is empty before the hooks are called, which may read it. */
void covey__events_drop(const covey_events *events, covey__event_list *list) {
    const covey_type *type = events->type;
    uint32_t count = list->count;
    list->count = 0;
    for (uint32_t i = 0; type->drop && i < count; i++)
        covey__drop(events->world, type, list->values + (size_t)i * type->size);
    wipe(type, list->values, count);
}

/* ---- Channels ----------------------------------------------------------------------------------------------------*/

static void free_channel(covey_events *events) {
    covey__heap *heap = &events->world->inner->heap;
    covey__event_list *lists[] = { &events->sent, &events->current };
    for (uint32_t i = 0; i < 2; i++) {
        covey__events_drop(events, lists[i]);
        free_values(events, lists[i]);
    }
    covey__free(heap, events->listeners, events->listener_capacity, sizeof *events->listeners,
                alignof(covey__event_listener));
    covey__free(heap, events, 1, sizeof *events, alignof(covey_events));
}

static void end_channels(covey_world *world) {
    while (world->inner->channels) {
        covey_events *events = world->inner->channels;
        world->inner->channels = events->next;
        free_channel(events);
    }
}

/* Only lists without events: the others would have to move. */
static void shrink_channels(covey_world *world) {
    for (covey_events *events = world->inner->channels; events; events = events->next) {
        covey__event_list *lists[] = { &events->sent, &events->current };
        for (uint32_t i = 0; i < 2; i++) {
            if (lists[i]->count != 0) continue;
            free_values(events, lists[i]);
            *lists[i] = empty_list(events->type);
        }
    }
}

static covey_events *channel_named(const covey_world *world, const char *name) {
    covey_events *events = world->inner->channels;
    while (events && strcmp(events->type->name, name) != 0) events = events->next;
    return events;
}

static covey_events *make_channel(covey_world *world, const covey_type *type) {
    static const covey__feature channels = { .end = end_channels, .shrink = shrink_channels };
    covey_events *events = covey__resize(&world->inner->heap, NULL, 0, 1, sizeof *events, alignof(covey_events));
    if (!events) {
        covey__fail(world, COVEY_ERROR_MEMORY, "the channel %s could not be made: an allocation failed", type->name);
        return NULL;
    }
    *events = (covey_events){ .sent = empty_list(type),
                              .current = empty_list(type),
                              .type = type,
                              .world = world,
                              .next = world->inner->channels };
    world->inner->channels = events;
    world->inner->features[COVEY__EVENTS] = &channels;
    COVEY__CHANGED(world);
    return events;
}

covey_events *covey_events_of_raw(covey_world *world, const covey_type *type) {
    COVEY__CONTRACT(NULL, world && type, "a call needs a world and a type");
    for (covey_events *events = world->inner->channels; events; events = events->next)
        if (events->type == type) return events;
    if (!covey__type_valid(type)) {
        covey__fail_type(world, type);
        return NULL;
    }
    covey_events *named = channel_named(world, type->name);
    if (named && covey__type_same_layout(named->type, type)) return named;
    if (COVEY__IN_HOOK(world)) return NULL;
    if (!named) return make_channel(world, type);
    covey__fail(world, COVEY_ERROR_LAYOUT,
                "the channel %s is refused: one of this name has events of another layout; rename either", type->name);
    return NULL;
}

covey_events *covey__typed_events(const covey_events *events, const covey_type *type, const char *file, int line) {
    char text[256];
    if (!events) covey__contract_broken(NULL, "the channel is NULL: covey_events_of failed", file, line);
    COVEY__ASSUME(events != NULL);
    if (events->type != type && strcmp(events->type->name, type->name) != 0) {
        snprintf(text, sizeof text, "the channel is of %s, not of %s", events->type->name, type->name);
        covey__contract_broken(events->world, text, file, line);
    }
    return (covey_events *)(uintptr_t)events;
}

/* ---- Sending -----------------------------------------------------------------------------------------------------*/

bool covey__send_grow(covey_events *events) {
    if (covey__events_reserve(events, &events->sent, (uint64_t)events->sent.count + 1)) return true;
    covey__fail(events->world, COVEY_ERROR_MEMORY, "an event could not be sent in %s: an allocation failed",
                events->type->name);
    return false;
}

bool covey__send_moved(covey_events *events, const void *value) {
    covey__event_list *sent = &events->sent;
    if (sent->count == sent->capacity && !covey__send_grow(events)) return false;
    covey__mover mover = covey__mover_of(events->world, events->type);
    covey__move_in(&mover, sent->values + (size_t)sent->count * events->type->size, value, events->type->size);
    sent->count++;
    COVEY__CHANGED(events->world);
    return true;
}

/* ---- Listening ---------------------------------------------------------------------------------------------------*/

/* Removes disconnected listeners from the array. */
static void sweep(covey_events *events) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < events->listener_count; i++)
        if (events->listeners[i].number != 0) events->listeners[kept++] = events->listeners[i];
    events->listener_count = kept;
}

static bool reserve_listener(covey_events *events) {
    if (!events->delivering) sweep(events);
    if (events->listener_count < events->listener_capacity) return true;
    uint32_t capacity = covey__grown(events->listener_capacity, events->listener_count + 1, UINT32_MAX);
    covey__event_listener *listeners =
        covey__resize(&events->world->inner->heap, events->listeners, events->listener_capacity, capacity,
                      sizeof *listeners, alignof(covey__event_listener));
    if (!listeners) return false;
    events->listeners = listeners;
    events->listener_capacity = capacity;
    return true;
}

covey_connection covey_events_connect(covey_events *events, covey_listener_fn *call, void *context) {
    COVEY__CONTRACT(NULL, events, "a call needs a channel of events");
    covey_world *world = events->world;
    COVEY__CONTRACT(world, call, "a listener of a channel needs a function");
    if (COVEY__IN_HOOK(world)) return (covey_connection){ 0 };
    if (!reserve_listener(events)) {
        covey__fail(world, COVEY_ERROR_MEMORY, "a listener could not be connected to the channel %s: %s",
                    events->type->name, covey__reason(COVEY_ERROR_MEMORY));
        return (covey_connection){ 0 };
    }
    uint64_t number = ++world->inner->connections;
    events->listeners[events->listener_count++] = (covey__event_listener){ number, call, context };
    COVEY__CHANGED(world);
    return (covey_connection){ .world = world, .number = number };
}

/* ---- Delivering --------------------------------------------------------------------------------------------------*/

/* Whether a list may be emptied now. */
static bool may_empty(const covey_events *events) {
    COVEY__CONTRACT(events->world, !events->delivering,
                    "a listener must not deliver or clear the channel that calls it: do it afterwards");
    return !COVEY__IN_HOOK(events->world) && !events->delivering;
}

/* A listener may connect others, which moves the array, and disconnect any, which stay in it. */
static void call_listeners(covey_events *events) {
    uint32_t connected = events->listener_count;
    const covey_event event = {
        .world = events->world,
        .type = events->type,
        .values = events->type->size != 0 ? events->current.values : NULL,
        .count = events->current.count,
    };
    for (uint32_t i = 0; i < connected; i++) {
        covey__event_listener listener = events->listeners[i];
        if (listener.number != 0) listener.call(&event, listener.context);
    }
}

uint32_t covey_events_deliver(covey_events *events) {
    COVEY__CONTRACT(NULL, events, "a call needs a channel of events");
    if (!may_empty(events)) return 0;
    covey__events_drop(events, &events->current);
    covey__event_list emptied = events->current;
    events->current = events->sent;
    events->sent = emptied;
    events->delivering = true;
    if (events->current.count != 0) call_listeners(events);
    events->delivering = false;
    sweep(events);
    COVEY__CHANGED(events->world);
    return events->current.count;
}

void covey_events_run(struct covey_job *job, void *events) {
    (void)job;
    covey_events_deliver(events);
}

void covey_events_clear(covey_events *events) {
    COVEY__CONTRACT(NULL, events, "a call needs a channel of events");
    if (!may_empty(events)) return;
    covey__events_drop(events, &events->sent);
    covey__events_drop(events, &events->current);
    COVEY__CHANGED(events->world);
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

size_t covey__events_bytes(const covey_world *world) {
    size_t bytes = 0;
    for (const covey_events *events = world->inner->channels; events; events = events->next)
        bytes += sizeof *events + events->listener_capacity * sizeof *events->listeners +
                 ((size_t)events->sent.capacity + events->current.capacity) * events->type->size;
    return bytes;
}

static bool valid_list(const covey_type *type, const covey__event_list *list, const char **why) {
    REQUIRE(list->count <= list->capacity, "events: the count is larger than the capacity");
    REQUIRE(!list->values == (list->capacity == 0), "events: there is room without memory, or memory without room");
    REQUIRE(type->size != 0 || list->capacity == UINT32_MAX, "events: a tag needs room");
    return true;
}

bool covey__events_valid(const covey_world *world, const char **why) {
    for (const covey_events *events = world->inner->channels; events; events = events->next) {
        REQUIRE(events->world == world && channel_named(world, events->type->name) == events,
                "events: a channel of another world, or two of one name");
        if (!valid_list(events->type, &events->sent, why) || !valid_list(events->type, &events->current, why))
            return false;
        REQUIRE(events->listener_count <= events->listener_capacity, "events: more listeners than there is room for");
        for (uint32_t i = 0; i < events->listener_count; i++)
            REQUIRE(events->listeners[i].number <= world->inner->connections && events->listeners[i].call,
                    "events: a listener without a function, or a connection that was not made");
    }
    return true;
}
