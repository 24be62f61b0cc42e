/* Signals: how listeners are called. Each step has one verb:
 *
 *     emit       a signal: record it, then call the functions. An emission is on the stack of the call that emits it.
 *     record     an event in queues and reactive sets. They come first: no function runs between reserving their
 *                memory and using it.
 *     call       one function, for one entity or a span
 *     finish     make the remaining calls of active emissions about an entity or component, before it ends
 *     announce   a removal or destruction, before it is made: finish, then emit
 *
 * Listeners are re-entrant: a function that is called may change the world and so begin further emissions. Because
 * emissions are finished before their subject ends, every listener is called once for every change, in the order of the
 * changes. */
#include "observe/signal.h"

#include "memory/inner.h"
#include "observe/filing.h"
#include "storage/hook.h"
#include "storage/marks.h"
#include "storage/presence.h"
#include "observe/queue.h"
#include "memory/result.h"
#include "storage/shortcut_off.h"
#include "storage/storage.h"

enum { NESTED_MAX = 1000 }; /* each takes some of the stack */

enum { BACKWARDS = COVEY_ON_REMOVE | COVEY_ON_DESTROY }; /* the last connected listener is called first */

/* ---- Calling -----------------------------------------------------------------------------------------------------*/

static bool is_present(const covey__emission *emission, const covey_world *world, covey_entity e) {
    return emission->pool ? covey_pool_has(emission->pool, e) : covey_alive(world, e);
}

/* How many entities one call covers from `at` on: they are present, with contiguous values; up to `most`. */
static uint32_t span_to_call(const covey__emission *emission, const covey_world *world, uint32_t most, void **values) {
    const covey_pool *pool = emission->pool;
    const covey_entity *entities = emission->entities + emission->at;
    uint32_t run = 0;
    *values = NULL;
    for (; run < most && is_present(emission, world, entities[run]); run++) {
        if (!pool) continue;
        char *value = covey__value_of_index(pool, entities[run].index);
        if (run == 0) *values = value;
        else if (value != (char *)*values + (size_t)run * pool->size) break;
    }
    return run;
}

/* Calls a function once, for the next entities. */
static void call_function(covey_world *world, covey__emission *emission, const covey__listener *listener) {
    covey_listener_fn *call = listener->call;
    void *context = listener->context; /* a function that is called may connect others, which moves the array */
    covey_event event = {
        .world = world,
        .signal = covey__heard_as(listener, emission->signal),
        .type = emission->pool ? emission->pool->type : NULL,
        .entities = emission->entities + emission->at,
    };
    event.count = span_to_call(emission, world, listener->spans ? emission->part_end - emission->at : 1, &event.values);
    emission->at += event.count != 0 ? event.count : 1;
    if (event.count == 0) return;
    world->inner->nested++;
    COVEY__CONTRACT(world, world->inner->nested <= NESTED_MAX,
                    "listeners are called 1,000 deep: one of them makes the change that it listens to");
    call(&event, context);
    world->inner->nested--;
}

/* Many entities are emitted in parts. A listener that removes the entity it is called for makes the remaining calls of
 * the part happen inside its own, and those use the stack. */
enum { PART = 256 };

static void begin_part(covey__emission *emission, uint32_t first) {
    emission->part = emission->at = first;
    emission->part_end = emission->count - first < PART ? emission->count : first + PART;
    emission->listener = 0;
}

/* Calls the next listener for the part. Returns false when all were called. */
static bool call_next(covey_world *world, covey__emission *emission) {
    while (emission->listener < emission->listener_count) {
        bool backwards = (emission->signal & BACKWARDS) != 0;
        uint32_t number = backwards ? emission->listener_count - 1 - emission->listener : emission->listener;
        const covey__listener *listener = &emission->listeners->all[number];
        bool hears = listener->call && (listener->signals & (uint32_t)emission->signal) != 0;
        if (hears && emission->at < emission->part_end) {
            call_function(world, emission, listener);
            return true;
        }
        emission->listener++;
        emission->at = emission->part;
    }
    return false;
}

/* Makes all remaining calls of an emission. */
static void call_all(covey_world *world, covey__emission *emission) {
    for (;;) {
        while (call_next(world, emission)) continue;
        if (emission->part_end == emission->count) return;
        begin_part(emission, emission->part_end);
    }
}

/* ---- Recording ---------------------------------------------------------------------------------------------------*/

/* Whether a reactive set collects an entity. */
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

/* Queues with .values keep a copy of the current value; a tag has none. */
static void record_event(const covey__listener *listener, const covey_pool *pool, covey_signal signal, covey_entity e) {
    const void *value = listener->values && pool->size != 0 ? covey__value_of_index(pool, e.index) : NULL;
    covey__queue_push(listener->queue, pool, signal, e, value);
}

/* Decide functions are the only code of the program that runs here. They are hooks, and cannot change the world. */
static void record(const covey__listeners *listeners, const covey_pool *pool, covey_signal signal,
                   const covey_entity *entities, uint32_t count) {
    for (uint32_t i = 0; i < listeners->count; i++) {
        const covey__listener *listener = &listeners->all[i];
        if (listener->call || (listener->signals & (uint32_t)signal) == 0) continue;
        for (uint32_t k = 0; k < count; k++) {
            if (listener->queue) record_event(listener, pool, covey__heard_as(listener, signal), entities[k]);
            else if (is_collected(listener, pool, signal, &entities[k]))
                covey__reactive_mark(listener->tags, entities[k].index);
        }
    }
}

/* ---- Emitting ----------------------------------------------------------------------------------------------------*/

static bool has_disconnected(const covey__listeners *listeners) {
    for (uint32_t i = 0; i < listeners->count; i++)
        if (listeners->all[i].number == 0) return true;
    return false;
}

/* The number of an entity in an emission; emission->count if all listeners were called for it, or if its announced
 * removal is made. Most often it is the entity of the current call. */
static uint32_t number_in(const covey__emission *emission, covey_entity e) {
    uint32_t at = emission->part;
    if (emission->at > at && covey_same(emission->entities[emission->at - 1], e)) at = emission->at - 1;
    while (at < emission->count && !covey_same(emission->entities[at], e)) at++;
    bool over = emission->signal == COVEY_ON_REMOVE && at < emission->count && (emission->ended >> at & 1) != 0;
    return over ? emission->count : at;
}

/* Makes the remaining calls of an emission about an entity. */
static void finish_emission(covey_world *world, covey__emission *emission, const covey_pool *pool, covey_entity e) {
    uint32_t at = pool && emission->pool != pool ? emission->count : number_in(emission, e);
    while (at < emission->count && at >= emission->part) {
        if (call_next(world, emission)) continue;
        if (at < emission->part_end) return;
        begin_part(emission, emission->part_end);
    }
}

/* Finishes the active emissions up to `last`, the oldest first, about a component of an entity or, if `pool` is NULL,
 * about the entity and all its components. Emissions that begin meanwhile are behind `last`, and end before this
 * continues. */
static void finish_active(covey_world *world, const covey__emission *last, const covey_pool *pool, covey_entity e) {
    covey__emission *emission = last ? world->inner->first : NULL;
    for (; emission; emission = emission != last ? emission->inner : NULL) finish_emission(world, emission, pool, e);
}

/* Links an emission, so that nested calls can finish it. */
static void begin_emission(covey_world *world, covey__emission *emission, covey__listeners *listeners) {
    emission->listeners = listeners;
    emission->listener_count = listeners->count;
    emission->outer = world->inner->emission;
    emission->inner = NULL;
    if (emission->outer) emission->outer->inner = emission;
    else world->inner->first = emission;
    begin_part(emission, 0);
    world->inner->emission = emission;
    covey__fast_destroy_off(world); /* the next entity to be destroyed may be the one of this emission */
    listeners->emitting++;
}

/* Calls the functions of an emission; `outer` began before it. Earlier emissions about the value are finished first. */
static void run_emission(covey_world *world, covey__emission *emission, const covey__emission *outer) {
    if ((emission->signal & (COVEY_ON_SET | COVEY_ON_PATCH)) != 0)
        finish_active(world, outer, emission->pool, *emission->entities);
    call_all(world, emission);
}

/* Emissions end in the reverse order of their beginning. */
static void end_emission(covey_world *world, const covey__emission *emission) {
    covey__listeners *listeners = emission->listeners;
    listeners->emitting--;
    world->inner->emission = emission->outer;
    if (listeners->emitting == 0 && has_disconnected(listeners))
        covey__listeners_changed(world, emission->pool, listeners);
}

/* Calls the listeners that are functions. Returns which of the announced removals they have made. */
static COVEY__NOINLINE uint64_t emit_to_functions(covey_world *world, covey_pool *pool, covey__listeners *listeners,
                                                  covey_signal signal, const covey_entity *entities, uint32_t count) {
    covey__emission emission = { .pool = pool, .signal = signal, .entities = entities, .count = count };
    begin_emission(world, &emission, listeners);
    run_emission(world, &emission, emission.outer);
    end_emission(world, &emission);
    return emission.ended;
}

static bool emit(covey_world *world, covey_pool *pool, covey__listeners *listeners, covey_signal signal,
                 const covey_entity *entities, uint32_t count) {
    record(listeners, pool, signal, entities, count);
    if ((listeners->called & (uint32_t)signal) == 0) return false;
    emit_to_functions(world, pool, listeners, signal, entities, count);
    return true;
}

static uint64_t emit_removals(covey_pool *pool, covey__listeners *listeners, const covey_entity *entities,
                              uint32_t count) {
    record(listeners, pool, COVEY_ON_REMOVE, entities, count);
    if ((listeners->called & COVEY_ON_REMOVE) == 0) return 0;
    return emit_to_functions(pool->world, pool, listeners, COVEY_ON_REMOVE, entities, count);
}

/* The listeners of an emission; NULL if none of them listens to its signal. */
static covey__listeners *listeners_for(const covey_world *world, const covey__emission *emission) {
    covey__listeners *listeners = covey__listeners_of(world, emission->pool);
    return listeners && (listeners->signals & (uint32_t)emission->signal) != 0 ? listeners : NULL;
}

static bool emit_together(covey_world *world, covey__emission *first) {
    covey__emission *outer = world->inner->emission;
    bool called = false;
    for (covey__emission *e = first; e; e = e->together) {
        covey__listeners *listeners = listeners_for(world, e);
        if (!listeners) continue;
        record(listeners, e->pool, e->signal, e->entities, e->count);
        if ((listeners->called & (uint32_t)e->signal) == 0) continue;
        e->listeners = listeners;
        called = true;
    }
    if (!called) return false;
    for (covey__emission *e = first; e; e = e->together)
        if (e->listeners) begin_emission(world, e, e->listeners);
    for (covey__emission *e = first; e; e = e->together)
        if (e->listeners) run_emission(world, e, outer);
    while (world->inner->emission != outer) end_emission(world, world->inner->emission);
    return true;
}

/* ---- Announcing --------------------------------------------------------------------------------------------------*/

static void finish_emissions(covey_pool *pool, covey_entity e) {
    finish_active(pool->world, pool->world->inner->emission, pool, e);
}

/* The active emission that announces the removal of a component; NULL for none. */
static covey__emission *announced_removal(const covey_pool *pool, covey_entity e) {
    covey__emission *emission = pool->world->inner->emission;
    for (; emission; emission = emission->outer)
        if (emission->signal == COVEY_ON_REMOVE && emission->pool == pool && number_in(emission, e) != emission->count)
            break;
    return emission;
}

static bool end_announced(covey_pool *pool, covey_entity e) {
    covey__emission *removal = announced_removal(pool, e);
    const covey__dying *dying = covey__dying_of(pool->world, e.index);
    if (removal) removal->ended |= (uint64_t)1 << number_in(removal, e);
    return removal || (dying && pool->number < dying->reached);
}

static bool announce_removal(covey_pool *pool, covey_entity e) {
    finish_emissions(pool, e);
    if (!covey_pool_has(pool, e)) return false;
    if (end_announced(pool, e)) return true;
    return covey__emit_removals(pool, &e, 1) == 0 && covey_pool_has(pool, e);
}

/* The first pool from this number on that has a component of the entity, and listeners to removals. */
static covey_pool *next_to_announce(const covey_world *world, covey_entity e, uint32_t number) {
    for (covey__present p = covey__present_at(world, e.index, number); covey__present_next(&p);) {
        bool listened = p.pool->observers && (p.pool->observers->listeners.signals & COVEY_ON_REMOVE) != 0;
        if (listened && covey_pool_has(p.pool, e)) return p.pool;
    }
    return NULL;
}

/* Sends adds to the block of an entity out of line while it is being destroyed: they must be refused for it. */
static void stop_fast_adds(const covey_world *world, uint32_t index) {
    for (covey__present p = covey__present_at(world, index, 0); covey__present_next(&p);)
        if (p.pool->filling.block == index / COVEY__BLOCK_IDS) covey__fast_add_off(p.pool);
}

/* Records the entity as destroyed in reactive sets that have collected it and keep destroyed entities. */
static void record_destroyed(const covey_world *world, covey_entity e) {
    for (covey__present p = covey__present_at(world, e.index, 0); covey__present_next(&p);)
        if (p.pool->ended && covey_pool_has(p.pool, e)) covey__ended_push(p.pool, e);
}

/* Announces the removal of the components of an entity that are still to be announced. */
static void announce_rest(covey_world *world, covey_entity e, covey__dying *dying) {
    for (covey_pool *pool; (pool = next_to_announce(world, e, dying->reached)) != NULL;) {
        dying->reached = pool->number + 1;
        if (!announced_removal(pool, e)) covey__emit_removals(pool, &e, 1);
    }
}

/* Emits the destruction of an entity, and then the removal of each of its components. */
static void emit_destruction(covey_world *world, covey_entity e) {
    covey__dying dying = { world->dying, e.index, 0 };
    stop_fast_adds(world, e.index);
    world->dying = &dying;
    covey__emit(world, NULL, COVEY_ON_DESTROY, &e, 1);
    announce_rest(world, e, &dying);
    world->dying = dying.outer;
}

static bool announce_destruction(covey_world *world, uint32_t index, uint32_t generation) {
    covey_entity e = covey__entity(index, generation);
    if (covey__dying_of(world, e.index)) return false;
    finish_active(world, world->inner->emission, NULL, e);
    if (!covey_alive(world, e)) return false;
    bool listened = world->listeners && (world->listeners->signals & COVEY_ON_DESTROY) != 0;
    if (listened || next_to_announce(world, e, 0)) emit_destruction(world, e);
    record_destroyed(world, e);
    covey__target_ending(world, e);
    return true;
}

/* ---- One after another -------------------------------------------------------------------------------------------*/

static void record_removals(covey_pool *pool, const covey_entity *entities, uint32_t count) {
    const covey__listeners *listeners = &pool->observers->listeners;
    uint32_t part = listeners->count == 1 ? count : 1; /* a queue may have several events of each removal */
    for (uint32_t i = 0; i < count; i += part) record(listeners, pool, COVEY_ON_REMOVE, entities + i, part);
}

static void record_ended(const covey__told *told, covey_entity e) {
    for (uint32_t i = 0; i < told->count; i++)
        if (told->pools[i]->ended && covey__has_index(told->pools[i], e.index)) covey__ended_push(told->pools[i], e);
}

static void record_destruction(covey_world *world, covey_entity e, const covey__told *told) {
    const covey__listeners *listeners = world->listeners;
    if (listeners && (listeners->signals & COVEY_ON_DESTROY) != 0) record(listeners, NULL, COVEY_ON_DESTROY, &e, 1);
    for (uint32_t i = 0; i < told->count; i++)
        if (covey__has_index(told->pools[i], e.index)) covey__record_removals(told->pools[i], &e, 1);
    record_ended(told, e);
    covey__target_ending(world, e);
}

/* Whether the list may lack a pool: it is of another block, or a listener has connected or added something. */
static bool is_outdated(const covey_world *world, covey_entity e, const covey__told *told, uint64_t present) {
    covey__present p = covey__present_at(world, e.index, 0);
    return told->connections != world->inner->connections || p.end - p.bits > 1 || (p.left & ~present) != 0;
}

static void announce_destruction_to(covey_world *world, covey_entity e, const covey__told *told, uint64_t present) {
    covey__dying dying = { world->dying, e.index, 0 };
    bool outdated = is_outdated(world, e, told, present);
    stop_fast_adds(world, e.index);
    world->dying = &dying;
    if (world->listeners) {
        covey__emit(world, NULL, COVEY_ON_DESTROY, &e, 1);
        outdated = outdated || is_outdated(world, e, told, present);
    }
    for (uint32_t i = 0; i < told->count && !outdated; i++) {
        covey_pool *pool = told->pools[i];
        if (!covey__has_index(pool, e.index)) continue;
        dying.reached = pool->number + 1;
        covey__emit_removals(pool, &e, 1);
        outdated = is_outdated(world, e, told, present);
    }
    if (outdated) announce_rest(world, e, &dying);
    world->dying = dying.outer;
    if (outdated) record_destroyed(world, e);
    else record_ended(told, e);
    covey__target_ending(world, e);
}

static void begin_series(covey__emission *emission, covey_pool *pool, covey_signal signal) {
    *emission = (covey__emission){ .pool = pool, .signal = signal };
    begin_emission(pool->world, emission, &pool->observers->listeners);
}

/* Records the next event. What is connected to the pool meanwhile hears of it. */
static void record_next(covey__emission *emission, const covey_entity *e) {
    emission->entities = e;
    emission->count = 1;
    emission->listener_count = emission->listeners->count;
    emission->ended = 0;
    begin_part(emission, 0);
    covey__fast_destroy_off(emission->pool->world);
    record(emission->listeners, emission->pool, emission->signal, e, 1);
}

static bool remove_in_series(covey__emission *emission, const covey_entity *e) {
    record_next(emission, e);
    while (call_next(emission->pool->world, emission)) continue;
    return emission->ended == 0 && covey_pool_has(emission->pool, *e);
}

static bool set_in_series(covey__emission *emission, const covey_entity *e) {
    covey_world *world = emission->pool->world;
    record_next(emission, e);
    if ((emission->listeners->called & COVEY_ON_SET) == 0) return false;
    finish_active(world, emission->outer, emission->pool, *e);
    while (call_next(world, emission)) continue;
    return true;
}

static void end_series(covey__emission *emission) { end_emission(emission->pool->world, emission); }

const covey__signalling covey__signalling_of_worlds = {
    .destroy_all = covey_destroy_all,
    .emit = emit,
    .emit_removals = emit_removals,
    .emit_together = emit_together,
    .announce_removal = announce_removal,
    .announce_destruction = announce_destruction,
    .announce_destruction_to = announce_destruction_to,
    .finish_emissions = finish_emissions,
    .end_announced = end_announced,
    .record_removals = record_removals,
    .record_destruction = record_destruction,
    .begin_series = begin_series,
    .remove_in_series = remove_in_series,
    .set_in_series = set_in_series,
    .end_series = end_series,
    .prepare_events = covey__prepare_events,
    .prepare_marks = covey__prepare_marks,
    .reserve_in_queue = covey__queue_reserve,
};

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

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
    heard += world->inner->target_lookups;
    REQUIRE(heard == world->inner->heard, "listeners: world->heard is not the number of listeners");
    REQUIRE(world->inner->emission || !world->dying, "entities: world->dying is set, but no emission is active");
    return true;
}
