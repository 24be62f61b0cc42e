/* Signals: how the listeners of a pool, or of entities, are called. An emission is what is still to be told to which
 * listener, on the stack of the call that caused it; listeners are re-entrant and may cause others. Before something
 * ends, all pending emissions about it are told: so every listener is called once for every change, in the order in
 * which changes happened. */
#include "observe/signal.h"

#include "memory/alloc.h"
#include "memory/bits.h"
#include "storage/hook.h"
#include "observe/listeners.h"
#include "storage/marks.h"
#include "observe/observers.h"
#include "storage/presence.h"
#include "observe/queue.h"
#include "memory/result.h"
#include "storage/shortcut.h"
#include "storage/storage.h"

#include <stdalign.h>

enum { NESTED_MAX = 1000 }; /* each takes some of the stack */

enum { BACKWARDS = COVEY_ON_REMOVE | COVEY_ON_DESTROY }; /* the last connected listener is called first */

covey__listeners *covey__listeners_of(const covey_world *world, const covey_pool *pool) {
    if (pool) return pool->observers ? &pool->observers->listeners : NULL;
    return world->listeners;
}

/* ---- Telling -----------------------------------------------------------------------------------------------------*/

static bool is_there(const covey__emission *emission, const covey_world *world, covey_entity e) {
    return emission->pool ? covey_pool_has(emission->pool, e) : covey_alive(world, e);
}

/* How many entities from `at` on are present, with contiguous values, up to `most`. */
static uint32_t run_of(const covey__emission *emission, const covey_world *world, uint32_t most, void **values) {
    const covey_pool *pool = emission->pool;
    const covey_entity *entities = emission->entities + emission->at;
    uint32_t run = 0;
    *values = NULL;
    for (; run < most && is_there(emission, world, entities[run]); run++) {
        if (!pool) continue;
        char *value = covey__value_of_index(pool, entities[run].index);
        if (run == 0) *values = value;
        else if (value != (char *)*values + (size_t)run * pool->size) break;
    }
    return run;
}

/* Calls a listener for the entities that it was not told of, as many as one call takes. */
static void call(covey_world *world, covey__emission *emission, covey__listener listener) {
    covey_event event = {
        .world = world,
        .signal = covey__heard_as(&listener, emission->signal),
        .type = emission->pool ? emission->pool->type : NULL,
        .entities = emission->entities + emission->at,
    };
    event.count = run_of(emission, world, listener.spans ? emission->part_end - emission->at : 1, &event.values);
    emission->at += event.count != 0 ? event.count : 1;
    if (event.count == 0) return;
    world->nested++;
    COVEY__CONTRACT(world, world->nested <= NESTED_MAX,
                    "listeners are called 1,000 deep: one of them causes the change that it is told of");
    listener.call(&event, listener.context);
    world->nested--;
}

/* Tells of many entities in parts: a listener that removes the entity it is called for makes the rest of the part be
 * told inside of its call, and those calls use the stack. */
enum { PART = 256 };

static void begin_part(covey__emission *emission, uint32_t first) {
    emission->part = emission->at = first;
    emission->part_end = emission->count - first < PART ? emission->count : first + PART;
    emission->listener = 0;
}

/* Calls the next listener for the part; false when all were called. */
static bool tell_of_part(covey_world *world, covey__emission *emission) {
    while (emission->listener < emission->listener_count) {
        bool backwards = (emission->signal & BACKWARDS) != 0;
        uint32_t number = backwards ? emission->listener_count - 1 - emission->listener : emission->listener;
        const covey__listener *listener = &emission->listeners->all[number];
        bool hears = listener->call && (listener->signals & (uint32_t)emission->signal) != 0;
        if (hears && emission->at < emission->part_end) {
            call(world, emission, *listener);
            return true;
        }
        emission->listener++;
        emission->at = emission->part;
    }
    return false;
}

static void tell_all(covey_world *world, covey__emission *emission) {
    for (;;) {
        while (tell_of_part(world, emission)) continue;
        if (emission->part_end == emission->count) return;
        begin_part(emission, emission->part_end);
    }
}

/* Whether a reactive set collects an entity that it is told of. */
static bool is_collected(const covey__listener *listener, const covey_pool *pool, covey_signal signal,
                         const covey_entity *e) {
    if (!listener->decide) return true;
    covey_event event = {
        .world = pool->world,
        .signal = covey__heard_as(listener, signal),
        .type = pool->type,
        .entities = e,
        .values = covey__value_of_index(pool, e->index),
        .count = 1,
    };
    covey__hook hook = covey__hook_begin(pool->world, "decide function of a reactive set", pool->type);
    bool collected = listener->decide(&event, listener->context);
    covey__hook_end(hook);
    return collected;
}

/* Queues with values keep copies of the current values; tags have none. */
static void keep_event(const covey__listener *listener, const covey_pool *pool, covey_signal signal, covey_entity e) {
    const void *value = listener->values && pool->size != 0 ? covey__value_of_index(pool, e.index) : NULL;
    covey__queue_push(listener->queue, pool, signal, e, value);
}

/* Queues and reactive sets are told first, so that no code of the program runs between reserving their memory and using
 * it, except for decide functions, which change nothing. */
static void tell_keepers(const covey__listeners *listeners, const covey_pool *pool, covey_signal signal,
                         const covey_entity *entities, uint32_t count) {
    for (uint32_t i = 0; i < listeners->count; i++) {
        const covey__listener *listener = &listeners->all[i];
        if (listener->call || (listener->signals & (uint32_t)signal) == 0) continue;
        for (uint32_t k = 0; k < count; k++) {
            if (listener->queue) keep_event(listener, pool, covey__heard_as(listener, signal), entities[k]);
            else if (is_collected(listener, pool, signal, &entities[k]))
                covey__reactive_mark(listener->tags, entities[k].index);
        }
    }
}

void covey__listeners_note(covey__listeners *listeners, const covey__listener *listener) {
    listeners->signals |= listener->signals;
    if (listener->call) listeners->called |= listener->signals;
    if (listener->queue) listeners->queued |= listener->signals;
    if (listener->decide) listeners->decided |= listener->signals;
}

/* Removes listeners whose connection has ended from the array. */
static void sweep(covey_world *world, covey__listeners *listeners) {
    uint32_t kept = 0;
    listeners->signals = listeners->called = listeners->queued = listeners->decided = 0;
    for (uint32_t i = 0; i < listeners->count; i++) {
        if (listeners->all[i].number == 0) {
            world->heard -= !listeners->all[i].tags;
            continue;
        }
        covey__listeners_note(listeners, &listeners->all[i]);
        listeners->all[kept++] = listeners->all[i];
    }
    listeners->count = kept;
}

/* After a listener was connected or removed. */
void covey__listeners_changed(covey_world *world, covey_pool *pool, covey__listeners *listeners) {
    if (listeners->emitting == 0) sweep(world, listeners);
    covey__fast_destroy_off(world);
    if (pool) {
        covey__pool_update_observers(pool);
        covey__pool_unobserve(pool);
    } else if (listeners->count == 0) {
        covey__listeners_free(world, listeners);
        covey__free(&world->heap, listeners, 1, sizeof *listeners, alignof(covey__listeners));
        world->listeners = NULL;
    }
}

static bool has_gone(const covey__listeners *listeners) {
    for (uint32_t i = 0; i < listeners->count; i++)
        if (listeners->all[i].number == 0) return true;
    return false;
}

/* The number of an entity in an emission; none if all were told of it before, or if the announced removal is done. Most
 * often it is the entity that is being told. */
static uint32_t place_in(const covey__emission *emission, covey_entity e) {
    uint32_t at = emission->part;
    if (emission->at > at && covey_same(emission->entities[emission->at - 1], e)) at = emission->at - 1;
    while (at < emission->count && !covey_same(emission->entities[at], e)) at++;
    bool over = emission->signal == COVEY_ON_REMOVE && at < emission->count && (emission->ended >> at & 1) != 0;
    return over ? emission->count : at;
}

/* Tells the rest of an emission about an entity. */
static void tell_of_entity(covey_world *world, covey__emission *emission, const covey_pool *pool, covey_entity e) {
    uint32_t at = pool && emission->pool != pool ? emission->count : place_in(emission, e);
    while (at < emission->count && at >= emission->part) {
        if (tell_of_part(world, emission)) continue;
        if (at < emission->part_end) return;
        begin_part(emission, emission->part_end);
    }
}

/* Tells all pending emissions about a component of an entity or, if `pool` is NULL, about anything of the entity: the
 * oldest first. Emissions that begin meanwhile are behind the last, and have ended when this continues. */
static void tell_the_rest(covey_world *world, const covey__emission *last, const covey_pool *pool, covey_entity e) {
    covey__emission *emission = last ? world->first : NULL;
    for (; emission; emission = emission != last ? emission->inner : NULL) tell_of_entity(world, emission, pool, e);
}

/* Links an emission, so that nested calls can tell the rest of it. */
static void begin_emission(covey_world *world, covey__emission *emission, covey__listeners *listeners) {
    emission->listeners = listeners;
    emission->listener_count = listeners->count;
    emission->outer = world->emission;
    emission->inner = NULL;
    if (emission->outer) emission->outer->inner = emission;
    else world->first = emission;
    begin_part(emission, 0);
    world->emission = emission;
    covey__fast_destroy_off(world); /* the next entity to be destroyed may be the one of this emission */
    listeners->emitting++;
}

/* Tells an emission; `outer` began before it. */
static void tell_emission(covey_world *world, covey__emission *emission, const covey__emission *outer) {
    if ((emission->signal & (COVEY_ON_SET | COVEY_ON_PATCH)) != 0)
        tell_the_rest(world, outer, emission->pool, *emission->entities);
    tell_all(world, emission);
}

/* Emissions end in the reverse order of their beginning. */
static void end_emission(covey_world *world, const covey__emission *emission) {
    covey__listeners *listeners = emission->listeners;
    listeners->emitting--;
    world->emission = emission->outer;
    if (listeners->emitting == 0 && has_gone(listeners)) covey__listeners_changed(world, emission->pool, listeners);
}

/* Calls the listeners that are functions. Returns which of the announced removals were made meanwhile. */
static COVEY__NOINLINE uint64_t call_all(covey_world *world, covey_pool *pool, covey__listeners *listeners,
                                         covey_signal signal, const covey_entity *entities, uint32_t count) {
    covey__emission emission = { .pool = pool, .signal = signal, .entities = entities, .count = count };
    begin_emission(world, &emission, listeners);
    tell_emission(world, &emission, emission.outer);
    end_emission(world, &emission);
    return emission.ended;
}

bool covey__emit(covey_world *world, covey_pool *pool, covey_signal signal, const covey_entity *entities,
                 uint32_t count) {
    covey__listeners *listeners = covey__listeners_of(world, pool);
    if (!listeners || (listeners->signals & (uint32_t)signal) == 0) return false;
    tell_keepers(listeners, pool, signal, entities, count);
    if ((listeners->called & (uint32_t)signal) == 0) return false;
    call_all(world, pool, listeners, signal, entities, count);
    return true;
}

uint64_t covey__emit_removals(covey_pool *pool, const covey_entity *entities, uint32_t count) {
    covey__listeners *listeners = covey__listeners_of(pool->world, pool);
    if (!listeners || (listeners->signals & COVEY_ON_REMOVE) == 0) return 0;
    tell_keepers(listeners, pool, COVEY_ON_REMOVE, entities, count);
    if ((listeners->called & COVEY_ON_REMOVE) == 0) return 0;
    return call_all(pool->world, pool, listeners, COVEY_ON_REMOVE, entities, count);
}

/* The listeners of an emission, if any of them gets its signal. */
static covey__listeners *hearers_of(const covey_world *world, const covey__emission *emission) {
    covey__listeners *listeners = covey__listeners_of(world, emission->pool);
    return listeners && (listeners->signals & (uint32_t)emission->signal) != 0 ? listeners : NULL;
}

void covey__emit_together(covey_world *world, covey__emission *first) {
    covey__emission *outer = world->emission;
    for (covey__emission *e = first; e; e = e->together) {
        const covey__listeners *listeners = hearers_of(world, e);
        if (listeners) tell_keepers(listeners, e->pool, e->signal, e->entities, e->count);
    }
    for (covey__emission *e = first; e; e = e->together) {
        covey__listeners *listeners = hearers_of(world, e);
        if (listeners && (listeners->called & (uint32_t)e->signal) != 0) begin_emission(world, e, listeners);
    }
    for (covey__emission *e = first; e; e = e->together)
        if (e->listeners) tell_emission(world, e, outer);
    while (world->emission != outer) end_emission(world, world->emission);
}

/* ---- Ending ------------------------------------------------------------------------------------------------------*/

void covey__tell_the_rest(covey_pool *pool, covey_entity e) {
    tell_the_rest(pool->world, pool->world->emission, pool, e);
}

/* The pending emission about the removal of a component; NULL for none. */
static covey__emission *removal_of(const covey_pool *pool, covey_entity e) {
    covey__emission *emission = pool->world->emission;
    for (; emission; emission = emission->outer)
        if (emission->signal == COVEY_ON_REMOVE && emission->pool == pool && place_in(emission, e) != emission->count)
            break;
    return emission;
}

bool covey__end_announced(covey_pool *pool, covey_entity e) {
    covey__emission *removal = removal_of(pool, e);
    const covey__dying *dying = covey__dying_of(pool->world, e.index);
    if (removal) removal->ended |= (uint64_t)1 << place_in(removal, e);
    return removal || (dying && pool->number < dying->reached);
}

bool covey__announce_removal(covey_pool *pool, covey_entity e) {
    covey_world *world = pool->world;
    if (!covey_alive(world, e)) return true; /* all was told when its end was announced */
    covey__tell_the_rest(pool, e);
    if (!covey_pool_has(pool, e)) return false;
    if (covey__end_announced(pool, e)) return true;
    return covey__emit_removals(pool, &e, 1) == 0 && covey_pool_has(pool, e);
}

/* The first pool from this number on that has a component of the entity and listeners for removals. */
static covey_pool *next_to_announce(const covey_world *world, covey_entity e, uint32_t number) {
    for (covey__present p = covey__present_at(world, e.index, number); covey__present_next(&p);) {
        bool hears = p.pool->observers && (p.pool->observers->listeners.signals & COVEY_ON_REMOVE) != 0;
        if (hears && covey_pool_has(p.pool, e)) return p.pool;
    }
    return NULL;
}

/* While the entity is being destroyed, adds to its block go out of line. */
static void stop_filling(const covey_world *world, uint32_t index) {
    for (covey__present p = covey__present_at(world, index, 0); covey__present_next(&p);)
        if (p.pool->filling.block == index / 64) covey__fast_add_off(p.pool);
}

/* Moves the entity to the destroyed ones of reactive sets that have collected it and keep these. */
static void keep_destroyed(const covey_world *world, covey_entity e) {
    for (covey__present p = covey__present_at(world, e.index, 0); covey__present_next(&p);)
        if (p.pool->ended && covey_pool_has(p.pool, e)) covey__ended_push(p.pool, e);
}

/* Tells listeners that an entity is about to be destroyed, and then about the removal of its components. */
static void tell_of_end(covey_world *world, covey_entity e) {
    covey__dying dying = { world->dying, e.index, 0 };
    stop_filling(world, e.index);
    world->dying = &dying;
    covey__emit(world, NULL, COVEY_ON_DESTROY, &e, 1);
    for (covey_pool *pool = next_to_announce(world, e, 0); pool; pool = next_to_announce(world, e, dying.reached)) {
        dying.reached = pool->number + 1;
        if (!removal_of(pool, e)) covey__emit_removals(pool, &e, 1);
    }
    world->dying = dying.outer;
}

bool covey__announce_end(covey_world *world, uint32_t index, uint32_t generation) {
    covey_entity e = covey__entity(index, generation);
    if (covey__dying_of(world, e.index)) return false;
    tell_the_rest(world, world->emission, NULL, e);
    if (!covey_alive(world, e)) return false;
    bool heard = world->listeners && (world->listeners->signals & COVEY_ON_DESTROY) != 0;
    if (heard || next_to_announce(world, e, 0)) tell_of_end(world, e);
    keep_destroyed(world, e);
    return true;
}

/* ---- Memory ------------------------------------------------------------------------------------------------------*/

/* How many events of a change a queue gets, with those that will follow when the entity or component ends. */
static uint32_t events_for(const covey__listeners *listeners, const covey_queue *queue, covey_signal signal) {
    uint32_t signals = (uint32_t)signal, events = 0;
    if (signal == COVEY_ON_ADD) signals |= COVEY_ON_REMOVE;
    if (signal == COVEY_ON_CREATE) signals |= COVEY_ON_DESTROY;
    for (uint32_t i = 0; i < listeners->count; i++)
        if (listeners->all[i].queue == queue) events += covey__bits_in(listeners->all[i].signals & signals);
    return events;
}

covey_result covey__listeners_prepare(covey__listeners *listeners, covey_signal signal, const covey_entity *entities,
                                      uint32_t count) {
    covey_result result = COVEY_OK;
    for (uint32_t i = 0; i < listeners->count && result == COVEY_OK; i++) {
        const covey__listener *listener = &listeners->all[i];
        if (listener->queue) {
            uint64_t events = (uint64_t)events_for(listeners, listener->queue, signal) * count;
            if (!covey__queue_reserve(listener->queue, events)) result = COVEY_ERROR_MEMORY;
        } else if (listener->tags && signal == COVEY_ON_ADD) {
            for (uint32_t k = 0; k < count && result == COVEY_OK; k++)
                result = covey__reactive_reserve(listener->tags, entities[k].index);
            if (result == COVEY_OK && listener->tags->ended) result = covey__ended_reserve(listener->tags, count);
        }
    }
    return result;
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

/* Makes room for the marks of a reactive set. */
static bool valid_reserved(const covey_pool *pool, const covey_pool *tags, const char **why) {
    for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1)) {
        uint32_t index = covey_pool_at(pool, at).index;
        REQUIRE(covey__reactive_is_reserved(tags, index), "reactive set: no place for a mark");
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
            REQUIRE(listeners->emitting != 0 && listener->signals == 0, "listeners: one that has gone");
            continue;
        }
        signals |= listener->signals;
        REQUIRE(listener->number <= world->connections, "listeners: a connection that was never made");
        REQUIRE(!listener->call + !listener->queue + !listener->tags == 2, "listeners: one that is told in two ways");
        REQUIRE(!listener->decide || listener->tags, "listeners: one that decides and has no reactive set");
        REQUIRE((listener->signals & COVEY_ON_SET) == 0 || (listener->signals & COVEY_ON_PATCH) != 0,
                "listeners: one that hears of sets and not of patches");
        REQUIRE(!listener->queue || has_source(listener->queue, pool, listener),
                "listeners: a queue that does not know of it");
        if (listener->tags && !valid_reserved(pool, listener->tags, why)) return false;
    }
    REQUIRE((signals & ~listeners->signals) == 0 && (called & ~listeners->called) == 0 &&
                (queued & ~listeners->queued) == 0 && (decided & ~listeners->decided) == 0,
            "listeners: a signal that is not sent");
    REQUIRE(listeners->emitting != 0 || signals == listeners->signals, "listeners: a signal that nobody hears");
    return true;
}

static uint32_t count_heard(const covey__listeners *listeners) {
    uint32_t heard = 0;
    for (uint32_t i = 0; listeners && i < listeners->count; i++) heard += !listeners->all[i].tags;
    return heard;
}

bool covey__signals_valid(const covey_world *world, const char **why) {
    uint32_t heard = count_heard(world->listeners);
    if (world->listeners && !covey__listeners_valid(world, NULL, world->listeners, why)) return false;
    for (uint32_t i = 0; i < world->pool_count; i++) {
        if (world->pools[i]->observers) heard += count_heard(&world->pools[i]->observers->listeners);
        heard += world->pools[i]->ended != NULL;
    }
    REQUIRE(heard == world->heard, "listeners: their number is not what was counted");
    REQUIRE(world->emission || !world->dying, "entities: one that dies without a word");
    return true;
}
