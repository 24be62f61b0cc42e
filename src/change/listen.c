/* Connecting listeners: functions, queues and reactive sets. */
#include "change/listen.h"

#include "memory/alloc.h"
#include "observe/listeners.h"
#include "storage/marks.h"
#include "observe/observers.h"
#include "observe/queue.h"
#include "memory/result.h"
#include "observe/signal.h"

#include <stdalign.h>

enum { ENTITY_SIGNALS = COVEY_ON_CREATE | COVEY_ON_DESTROY };

/* The listeners of a pool, or of entities; made if there are none. */
static covey__listeners *reach_listeners(covey_world *world, covey_pool *pool) {
    if (pool) return covey__pool_observers(pool) ? &pool->observers->listeners : NULL;
    if (world->listeners) return world->listeners;
    world->listeners = covey__resize(&world->heap, NULL, 0, 1, sizeof *world->listeners, alignof(covey__listeners));
    if (world->listeners) *world->listeners = (covey__listeners){ 0 };
    return world->listeners;
}

static bool prepare_for_all(covey_pool *pool, const covey__listener *listener) {
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
    covey__listener *all = covey__resize(&world->heap, listeners->all, listeners->capacity, capacity, sizeof *all,
                                         alignof(covey__listener));
    if (!all) return false;
    listeners->all = all;
    listeners->capacity = capacity;
    return true;
}

bool covey__listen(covey_world *world, covey_pool *pool, const covey__listener *listener) {
    covey__listeners *listeners = reach_listeners(world, pool);
    if (!listeners) return false;
    bool ready = reserve_listener(world, listeners) && prepare_for_all(pool, listener);
    if (ready) {
        listeners->all[listeners->count++] = *listener;
        covey__listeners_note(listeners, listener);
        world->heard += !listener->tags;
    }
    covey__listeners_changed(world, pool, listeners);
    return ready;
}

static covey__listener *find(const covey__listeners *listeners, uint64_t number) {
    for (uint32_t i = 0; listeners && number != 0 && i < listeners->count; i++)
        if (listeners->all[i].number == number) return &listeners->all[i];
    return NULL;
}

void covey__unlisten(covey_world *world, covey_pool *pool, uint64_t number) {
    covey__listeners *listeners = covey__listeners_of(world, pool);
    covey__listener *listener = find(listeners, number);
    if (listener->queue) covey__queue_detach(listener->queue, number);
    listener->number = listener->signals = 0;
    listener->call = NULL;
    listener->queue = NULL; /* the queue may be destroyed before the array is swept */
    covey__listeners_changed(world, pool, listeners);
}

void covey__listen_no_more(covey_world *world, covey_pool *pool) {
    for (covey__listeners *listeners = covey__listeners_of(world, pool); listeners && listeners->count != 0;
         listeners = covey__listeners_of(world, pool))
        covey__unlisten(world, pool, listeners->all[0].number);
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
                    "the queue is of another world: create it in the world that it listens to");
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
        .number = world->connections + 1,
        .call = listener->call,
        .queue = listener->queue,
        .context = listener->context,
        .spans = listener->spans,
        .values = listener->values,
    };
    covey__listener_hears(&made, listener->signals);
    if (!covey__listen(world, pool, &made))
        return refuse_listener(world, COVEY_ERROR_MEMORY, covey__reason(COVEY_ERROR_MEMORY));
    world->connections++;
    COVEY__CHANGED(world);
    return (covey_connection){ world, pool, made.number };
}

bool covey_connected(const covey_world *world, covey_connection connection) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    COVEY__CONTRACT(world, !connection.world || connection.world == world, "the connection is of another world");
    if (connection.world != world) return false;
    return find(covey__listeners_of(world, connection.pool), connection.number) != NULL;
}

bool covey_disconnect(covey_world *world, covey_connection connection) {
    if (COVEY__IN_HOOK(world)) return false;
    if (!covey_connected(world, connection)) return false;
    covey__unlisten(world, connection.pool, connection.number);
    COVEY__CHANGED(world);
    return true;
}

/* ---- Queues -------------------------------------------------------------------------------------------------------*/

void covey_queue_destroy(covey_queue *queue) {
    if (!queue) return;
    covey_world *world = queue->world;
    if (COVEY__IN_HOOK(world)) return;
    covey_queue **link = &world->queues;
    while (*link != queue) link = &(*link)->next;
    *link = queue->next;
    while (queue->source_count != 0) {
        covey__source_of_events source = queue->sources[queue->source_count - 1];
        covey__unlisten(world, (covey_pool *)(uintptr_t)source.pool, source.number);
    }
    covey__queue_free(queue);
    COVEY__CHANGED(world);
}
