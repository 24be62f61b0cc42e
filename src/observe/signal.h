/* Signals: how listeners are called. listeners.h says who listens; signal.c explains the steps. */
#ifndef COVEY_SIGNAL_H
#define COVEY_SIGNAL_H

#include "observe/listeners.h"

#include <covey/covey.h>

/* One event, or many of one kind, and how far its listeners have been called. It is on the stack of the call that emits
 * it, and linked, so that nested calls can finish it. */
typedef struct covey__emission {
    struct covey__emission *outer, *inner; /* the emissions that began before and after it */
    covey_pool *pool;                      /* NULL: about entities */
    covey__listeners *listeners;
    covey_signal signal;
    const covey_entity *entities;
    uint32_t count;
    uint32_t listener, listener_count; /* the next listener; how many there were at the beginning */
    uint32_t part, part_end;           /* entities for which all listeners are called before the next part begins */
    uint32_t at;                       /* the first entity for which the listener was not called */
    uint64_t ended; /* of at most 64 removals: bit i is set when a listener has removed the component of entity i */
    struct covey__emission *together; /* the next emission of covey__emit_together */
} covey__emission;

/* Field by field: an emission is large, and compilers clear large structures slowly. The rest is set when it begins. */
static inline void covey__emission_make(covey__emission *emission, covey_pool *pool, covey_signal signal,
                                        const covey_entity *entities, uint32_t count) {
    emission->pool = pool;
    emission->listeners = NULL;
    emission->signal = signal;
    emission->entities = entities;
    emission->count = count;
    emission->ended = 0;
    emission->together = NULL;
}

/* An entity whose destruction is being announced. */
typedef struct covey__dying {
    struct covey__dying *outer;
    uint32_t index;
    uint32_t reached; /* pools with lower numbers are done */
} covey__dying;

static inline covey__dying *covey__dying_of(const covey_world *world, uint32_t index) {
    covey__dying *dying = world->dying;
    while (dying && dying->index != index) dying = dying->outer;
    return dying;
}

static inline bool covey__takes_components(const covey_world *world, covey_entity e) {
    return covey_alive(world, e) && !covey__dying_of(world, e.index);
}

/* Emits a signal to the listeners of a pool or, for NULL, of entities. Returns whether a function was called. */
bool covey__emit(covey_world *world, covey_pool *pool, covey_signal signal, const covey_entity *entities,
                 uint32_t count);
/* Emits several changes that were all made before: queues and reactive sets record all of them before a function is
 * called. The caller sets the pool, the signal, the entities, their number and `together`; the rest is zero. Returns
 * whether a function was called. */
bool covey__emit_together(covey_world *world, covey__emission *first);
/* Emits COVEY_ON_REMOVE for at most 64 entities. Returns which components listeners have removed themselves: if such an
 * entity has a component now, it is a new one. */
uint64_t covey__emit_removals(covey_pool *pool, const covey_entity *entities, uint32_t count);

/* Announces the removal of a component of a living entity. Returns whether the component is still present. */
bool covey__announce_removal(covey_pool *pool, covey_entity e);
/* Announces the destruction of an entity, and with it the removal of its components: they can be erased after that
 * without another announcement. Returns whether the entity is still alive. */
bool covey__announce_destruction(covey_world *world, uint32_t index, uint32_t generation);
/* The two halves of covey__announce_removal, for callers that emit many removals together. Finishes all active
 * emissions about a component; */
void covey__finish_emissions(covey_pool *pool, covey_entity e);
/* then, if an active emission announces its removal, marks it as made there and returns true. */
bool covey__end_announced(covey_pool *pool, covey_entity e);

/* ---- One after another -------------------------------------------------------------------------------------------
 *
 * For calls that change many entities. If no function is called, only hooks run between one change and the next. So the
 * events of many changes can be recorded first, in the order of the single calls, and the changes made afterwards, pool
 * by pool. Otherwise each change is announced and made before the next one, as in single calls, but what to look at is
 * found out once. */

/* Whether removing from a pool, or destroying entities, calls functions. */
static inline bool covey__removal_calls(const covey_pool *pool) {
    return pool->observers && (pool->observers->listeners.called & COVEY_ON_REMOVE) != 0;
}
static inline bool covey__destruction_calls(const covey_world *world) {
    return world->listeners && (world->listeners->called & COVEY_ON_DESTROY) != 0;
}
/* Whether functions are called, or anything is recorded, about a pool when entities are destroyed. */
static inline bool covey__destruction_is_told(const covey_pool *pool) {
    return pool->ended || (pool->observers && (pool->observers->listeners.signals & COVEY_ON_REMOVE) != 0);
}

/* The pools, by number, to which that applies among those that are present in some blocks. The list holds as long as
 * there are the same connections, and no other pool is present in the block of an entity. */
enum { COVEY__MOST_TOLD = 16 };
typedef struct covey__told {
    covey_pool *pools[COVEY__MOST_TOLD];
    uint32_t count;
    uint64_t connections;
} covey__told;

/* Record the removal of components that are present; and the destruction of an entity, with the removal of its
 * components. No function is called. */
void covey__record_removals(covey_pool *pool, const covey_entity *entities, uint32_t count);
void covey__record_destruction(covey_world *world, covey_entity e, const covey__told *told);

/* The same as covey__announce_destruction for a living entity, while no emission is active. `present`: which of the
 * first 64 pools were present when the list was made. */
void covey__announce_destruction_to(covey_world *world, covey_entity e, const covey__told *told, uint64_t present);

/* Emits removals from one pool, or sets, one after another, in one emission: begin, emit each, end. A removal is
 * announced: whether the component is still present. A set was made: whether a function was called. */
void covey__series_begin(covey__emission *emission, covey_pool *pool, covey_signal signal);
bool covey__series_remove(covey__emission *emission, const covey_entity *e);
bool covey__series_set(covey__emission *emission, const covey_entity *e);
void covey__series_end(covey__emission *emission);

bool covey__signals_valid(const covey_world *world, const char **why);

#endif
