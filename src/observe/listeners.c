/* Who listens: connections of functions, queues and reactive sets to a pool or to entities, and the memory that
 * listeners need before a change. signal.c calls them. */
#include "observe/listeners.h"

#include "memory/inner.h"
#include "memory/alloc.h"
#include "memory/bits.h"
#include "storage/marks.h"
#include "observe/events.h"
#include "observe/queue.h"
#include "memory/result.h"
#include "storage/shortcut_off.h"

#include <stdalign.h>

enum { ENTITY_SIGNALS = COVEY_ON_CREATE | COVEY_ON_DESTROY };

/* ---- The arrays --------------------------------------------------------------------------------------------------*/

void covey__listeners_note(covey__listeners *listeners, const covey__listener *listener) {
    listeners->signals |= listener->signals;
    if (listener->call) listeners->called |= listener->signals;
    if (listener->queue) listeners->queued |= listener->signals;
    if (listener->decide) listeners->decided |= listener->signals;
}

/* Removes disconnected listeners from the array, and computes the masks again. */
static void sweep(covey_world *world, covey__listeners *listeners) {
    uint32_t kept = 0;
    listeners->signals = listeners->called = listeners->queued = listeners->decided = 0;
    for (uint32_t i = 0; i < listeners->count; i++) {
        if (listeners->all[i].number == 0) {
            world->inner->heard -= !listeners->all[i].tags;
            continue;
        }
        covey__listeners_note(listeners, &listeners->all[i]);
        listeners->all[kept++] = listeners->all[i];
    }
    listeners->count = kept;
}

void covey__listeners_changed(covey_world *world, covey_pool *pool, covey__listeners *listeners) {
    if (listeners->emitting == 0) sweep(world, listeners);
    covey__fast_destroy_off(world);
    covey__fast_row_off(world);
    if (pool) {
        covey__pool_update_observers(pool);
        covey__pool_unobserve(pool);
    } else if (listeners->count == 0) {
        covey__listeners_free(world, listeners);
        covey__free(&world->inner->heap, listeners, 1, sizeof *listeners, alignof(covey__listeners));
        world->listeners = NULL;
    }
}

/* ---- Connecting --------------------------------------------------------------------------------------------------*/

/* The listeners of a pool, or of entities; made if there are none. */
static covey__listeners *reach_listeners(covey_world *world, covey_pool *pool) {
    if (pool) return covey__pool_observers(pool) ? &pool->observers->listeners : NULL;
    if (world->listeners) return world->listeners;
    world->listeners =
        covey__resize(&world->inner->heap, NULL, 0, 1, sizeof *world->listeners, alignof(covey__listeners));
    if (world->listeners) *world->listeners = (covey__listeners){ 0 };
    return world->listeners;
}

/* Reserves the memory that a new listener needs for the removal of components that are present. */
static bool prepare_for_present(covey_pool *pool, const covey__listener *listener) {
    bool reserved = true;
    if (listener->queue) return covey__queue_attach(listener->queue, pool, listener);
    for (uint32_t at = 0; listener->tags && reserved && (at = covey_pool_next(pool, at)) != COVEY_NONE; at++)
        reserved = covey__reactive_reserve(listener->tags, covey_pool_at(pool, at).index) == COVEY_OK;
    if (listener->tags && listener->tags->ended && reserved)
        reserved = covey__ended_reserve(listener->tags, 0) == COVEY_OK;
    return reserved;
}

static bool reserve_listener(covey_world *world, covey__listeners *listeners) {
    if (listeners->count < listeners->capacity) return true;
    uint32_t capacity = covey__grown(listeners->capacity, listeners->count + 1, UINT32_MAX);
    covey__listener *all = covey__resize(&world->inner->heap, listeners->all, listeners->capacity, capacity,
                                         sizeof *all, alignof(covey__listener));
    if (!all) return false;
    listeners->all = all;
    listeners->capacity = capacity;
    return true;
}

/* Ends all connections to a pool, or to entities, without calling listeners. */
static void listen_no_more(covey_world *world, covey_pool *pool) {
    for (covey__listeners *listeners = covey__listeners_of(world, pool); listeners && listeners->count != 0;
         listeners = covey__listeners_of(world, pool))
        covey__unlisten(world, pool, listeners->all[0].number);
}

static void end_listeners(covey_world *world) {
    for (uint32_t i = 0; i < world->pool_count; i++) listen_no_more(world, world->pools[i]);
    listen_no_more(world, NULL);
}

void covey__signals_on(covey_world *world) {
    static const covey__feature listeners = { .end = end_listeners };
    world->inner->features[COVEY__LISTENERS] = &listeners;
    world->inner->signalling = &covey__signalling_of_worlds;
}

bool covey__listen(covey_world *world, covey_pool *pool, const covey__listener *listener) {
    covey__listeners *listeners = reach_listeners(world, pool);
    if (!listeners) return false;
    covey__signals_on(world);
    bool ready = reserve_listener(world, listeners) && prepare_for_present(pool, listener);
    if (ready) {
        listeners->all[listeners->count++] = *listener;
        covey__listeners_note(listeners, listener);
        world->inner->heard += !listener->tags;
    }
    covey__listeners_changed(world, pool, listeners);
    return ready;
}

static covey__listener *listener_numbered(const covey__listeners *listeners, uint64_t number) {
    for (uint32_t i = 0; listeners && number != 0 && i < listeners->count; i++)
        if (listeners->all[i].number == number) return &listeners->all[i];
    return NULL;
}

void covey__unlisten(covey_world *world, covey_pool *pool, uint64_t number) {
    covey__listeners *listeners = covey__listeners_of(world, pool);
    covey__listener *listener = listener_numbered(listeners, number);
    if (listener->queue) covey__queue_detach(listener->queue, number);
    listener->number = listener->signals = 0;
    listener->call = NULL;
    listener->queue = NULL; /* the queue may be destroyed before the array is swept */
    covey__listeners_changed(world, pool, listeners);
}

static covey_connection refuse_listener(covey_world *world, covey_result result, const char *why) {
    covey__fail(world, result, "a listener could not be connected: %s", why);
    return (covey_connection){ 0 };
}

/* Whether values can be copied as bytes. */
static bool is_bytes(const covey_type *type) {
    return !type->drop && !type->copy && !type->move && !type->no_copy && !type->zero_erased;
}

covey_connection covey_connect(covey_world *world, const covey_listener *listener) {
    COVEY__CONTRACT(NULL, world && listener, "a call needs a world and a listener");
    COVEY__CONTRACT(world, !listener->queue || listener->queue->world == world,
                    "the queue belongs to another world: create it in the world that it listens to");
    if (COVEY__IN_HOOK(world)) return (covey_connection){ 0 };
    uint32_t allowed = listener->type ? COVEY__COMPONENT_SIGNALS : ENTITY_SIGNALS;
    if (listener->signals == 0 || (listener->signals & ~allowed) != 0)
        return refuse_listener(
            world, COVEY_ERROR_RANGE,
            "its .signals must be of components if it has a .type, otherwise of entities, and not 0");
    if (!listener->call == !listener->queue)
        return refuse_listener(world, COVEY_ERROR_RANGE, "it needs .call or .queue, and not both");
    if (listener->values && (!listener->queue || !listener->type))
        return refuse_listener(world, COVEY_ERROR_RANGE,
                               ".values needs a .queue and a .type: queues copy values of components");
    covey_pool *pool = listener->type ? covey_pool_of_raw(world, listener->type) : NULL;
    if (listener->type && !pool) return (covey_connection){ 0 };
    if (pool && covey__is_reactive(pool))
        return refuse_listener(world, COVEY_ERROR_REFUSED,
                               "reactive sets send no signals: ask covey_reactive_contains instead");
    if (listener->values && !is_bytes(pool->type))
        return refuse_listener(
            world, COVEY_ERROR_COPY,
            "a queue copies bytes, and the type has hooks, .no_copy or .zero_erased: leave .values out");
    covey__listener made = {
        .number = world->inner->connections + 1,
        .call = listener->call,
        .queue = listener->queue,
        .context = listener->context,
        .spans = listener->spans,
        .values = listener->values,
    };
    covey__listener_hears(&made, listener->signals);
    if (!covey__listen(world, pool, &made))
        return refuse_listener(world, COVEY_ERROR_MEMORY, covey__reason(COVEY_ERROR_MEMORY));
    world->inner->connections++;
    COVEY__CHANGED(world);
    return (covey_connection){ world, pool, made.number };
}

bool covey_connected(const covey_world *world, covey_connection connection) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    COVEY__CONTRACT(world, !connection.world || connection.world == world, "the connection is of another world");
    if (connection.world != world) return false;
    return listener_numbered(covey__listeners_of(world, connection.pool), connection.number) ||
           covey__event_listener_numbered(world, connection.number);
}

bool covey_disconnect(covey_world *world, covey_connection connection) {
    if (COVEY__IN_HOOK(world)) return false;
    if (!covey_connected(world, connection)) return false;
    covey__event_listener *listener = covey__event_listener_numbered(world, connection.number);
    if (listener) listener->number = 0; /* its channel removes it later */
    else covey__unlisten(world, connection.pool, connection.number);
    COVEY__CHANGED(world);
    return true;
}

/* ---- Queues -------------------------------------------------------------------------------------------------------*/

void covey_queue_destroy(covey_queue *queue) {
    if (!queue) return;
    covey_world *world = queue->world;
    if (COVEY__IN_HOOK(world)) return;
    covey_queue **link = &world->inner->queues;
    while (*link != queue) link = &(*link)->next;
    *link = queue->next;
    while (queue->source_count != 0) {
        covey__source_of_events source = queue->sources[queue->source_count - 1];
        covey__unlisten(world, (covey_pool *)(uintptr_t)source.pool, source.number);
    }
    covey__queue_free(queue);
    COVEY__CHANGED(world);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------*/

/* How many events a queue gets for one entity: for the change, and for the destruction or removal that ends it. */
static uint32_t events_for(const covey__listeners *listeners, const covey_queue *queue, covey_signal signal) {
    uint32_t signals = (uint32_t)signal, events = 0;
    if (signal == COVEY_ON_ADD) signals |= COVEY_ON_REMOVE;
    if (signal == COVEY_ON_CREATE) signals |= COVEY_ON_DESTROY;
    for (uint32_t i = 0; i < listeners->count; i++)
        if (listeners->all[i].queue == queue) events += covey__bits_in(listeners->all[i].signals & signals);
    return events;
}

covey_result covey__prepare_events(const covey__listeners *listeners, covey_signal signal, uint32_t count) {
    for (uint32_t i = 0; i < listeners->count; i++) {
        covey_queue *queue = listeners->all[i].queue;
        if (queue && !covey__queue_reserve(queue, (uint64_t)events_for(listeners, queue, signal) * count))
            return COVEY_ERROR_MEMORY;
    }
    return COVEY_OK;
}

covey_result covey__prepare_marks(const covey__listeners *listeners, const covey_entity *entities, uint32_t count) {
    covey_result result = COVEY_OK;
    for (uint32_t i = 0; i < listeners->count && result == COVEY_OK; i++) {
        covey_pool *tags = listeners->all[i].tags;
        for (uint32_t k = 0; tags && k < count && result == COVEY_OK; k++)
            if (!COVEY__LIKELY(covey__reactive_has_page(tags, entities[k].index)))
                result = covey__reactive_reserve(tags, entities[k].index);
        if (tags && tags->ended && result == COVEY_OK) result = covey__ended_reserve(tags, count);
    }
    return result;
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

/* Whether a reactive set can mark every entity of a pool without allocating. */
static bool valid_reserved(const covey_pool *pool, const covey_pool *tags, const char **why) {
    for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1)) {
        uint32_t index = covey_pool_at(pool, at).index;
        REQUIRE(covey__reactive_is_reserved(tags, index), "reactive set: no memory is reserved for a mark");
    }
    return true;
}

static bool has_source(const covey_queue *queue, const covey_pool *pool, const covey__listener *listener) {
    for (uint32_t i = 0; i < queue->source_count; i++)
        if (queue->sources[i].number == listener->number)
            return queue->sources[i].pool == pool && queue->sources[i].signals == listener->signals;
    return false;
}

bool covey__listeners_valid(const covey_world *world, const covey_pool *pool, const covey__listeners *listeners,
                            const char **why) {
    uint32_t signals = 0, called = 0, queued = 0, decided = 0;
    for (uint32_t i = 0; i < listeners->count; i++) {
        const covey__listener *listener = &listeners->all[i];
        called |= listener->call ? listener->signals : 0;
        queued |= listener->queue ? listener->signals : 0;
        decided |= listener->decide ? listener->signals : 0;
        if (listener->number == 0) {
            REQUIRE(listeners->emitting != 0 && listener->signals == 0,
                    "listeners: a disconnected listener remains, but no emission is active");
            continue;
        }
        signals |= listener->signals;
        REQUIRE(listener->number <= world->inner->connections,
                "listeners: a connection number is larger than the last one issued");
        REQUIRE(!listener->call + !listener->queue + !listener->tags == 2,
                "listeners: not exactly one of call, queue and tags is set");
        REQUIRE(!listener->decide || listener->tags, "listeners: a decide function without a reactive set");
        REQUIRE((listener->signals & COVEY_ON_SET) == 0 || (listener->signals & COVEY_ON_PATCH) != 0,
                "listeners: COVEY_ON_SET without COVEY_ON_PATCH");
        REQUIRE(!listener->queue || has_source(listener->queue, pool, listener),
                "listeners: the queue does not list the listener as a source");
        if (listener->tags && !valid_reserved(pool, listener->tags, why)) return false;
    }
    REQUIRE((signals & ~listeners->signals) == 0 && (called & ~listeners->called) == 0 &&
                (queued & ~listeners->queued) == 0 && (decided & ~listeners->decided) == 0,
            "listeners: the masks lack a signal of a listener");
    REQUIRE(listeners->emitting != 0 || signals == listeners->signals,
            "listeners: the masks have a signal of no listener");
    return true;
}
