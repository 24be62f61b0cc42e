/* Signals: how listeners are called. listen.h connects them. */
#ifndef COVEY_SIGNAL_H
#define COVEY_SIGNAL_H

#include "observe/listeners.h"

#include <covey/covey.h>

/* One event, or many of a kind, that listeners are being told about. It is on the stack of the call that tells them,
 * and linked, so that nested calls can tell the rest of it. */
typedef struct covey__emission {
    struct covey__emission *outer, *inner; /* the emissions that began before and after it */
    covey_pool *pool;                      /* NULL: about entities */
    covey__listeners *listeners;
    covey_signal signal;
    const covey_entity *entities;
    uint32_t count;
    uint32_t listener, listener_count; /* the next listener; how many there were at the beginning */
    uint32_t part, part_end; /* the part of the entities that all listeners are told of before the next part */
    uint32_t at;             /* the first entity that the listener was not told of */
    uint64_t ended; /* of a removal, at most 64: bit i is set when the component of entity i was removed meanwhile */
    struct covey__emission *together; /* the next emission that is told together with it */
} covey__emission;

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

/* Before a change: reserves the memory that listeners need for it, and for its end. */
covey_result covey__listeners_prepare(covey__listeners *listeners, covey_signal signal, const covey_entity *entities,
                                      uint32_t count);
/* Calls the listeners of a pool or, for NULL, of entities. Returns whether code of the program has run. */
bool covey__emit(covey_world *world, covey_pool *pool, covey_signal signal, const covey_entity *entities,
                 uint32_t count);
/* Tells of several changes that were made before any was told: queues and reactive sets get all of them first, and what
 * ends meanwhile is told completely. The pool, the signal, the entities and the next one of each are set; the rest is
 * zero. */
void covey__emit_together(covey_world *world, covey__emission *first);
/* Tells of removals, at most 64. Returns which of them were made meanwhile: what is there now is another component. */
uint64_t covey__emit_removals(covey_pool *pool, const covey_entity *entities, uint32_t count);
/* Tells all pending emissions about a component. */
void covey__tell_the_rest(covey_pool *pool, covey_entity e);
/* After that, before the component is removed: whether its removal has been told as well. */
bool covey__end_announced(covey_pool *pool, covey_entity e);
/* Tells that a component is about to be removed. Returns whether it is still present. */
bool covey__announce_removal(covey_pool *pool, covey_entity e);
/* Tells that an entity is about to be destroyed. Returns whether it is still alive. */
bool covey__announce_end(covey_world *world, uint32_t index, uint32_t generation);

bool covey__listeners_valid(const covey_world *world, const covey_pool *pool, const covey__listeners *listeners,
                            const char **why);
bool covey__signals_valid(const covey_world *world, const char **why);

covey__listeners *covey__listeners_of(const covey_world *world, const covey_pool *pool); /* NULL: none */
/* After a listener was connected (and noted), or removed. */
void covey__listeners_note(covey__listeners *listeners, const covey__listener *listener);
void covey__listeners_changed(covey_world *world, covey_pool *pool, covey__listeners *listeners);

#endif
