/* Signals: how listeners are told. Connecting them is in listen.h. */
#ifndef COVEY_SIGNAL_H
#define COVEY_SIGNAL_H

#include "listeners.h"

#include <covey/covey.h>

/* One event, or many of a kind, of which listeners are being told. It is on the stack of the call that tells them; what
 * is still to be told is here, so that others may do it. */
typedef struct covey__emission {
    struct covey__emission *outer, *inner; /* those that began before and after it */
    covey_pool *pool;                      /* NULL: about entities */
    covey__listeners *listeners;
    covey_signal signal;
    const covey_entity *entities;
    uint32_t count;
    uint32_t listener, listener_count; /* the next to be told; how many there were in the beginning */
    uint32_t part, part_end;           /* the entities of whom all are told before others are */
    uint32_t at;                       /* the first of the entities of whom it has not been told */
    uint64_t ended; /* of a removal, of 64 at most: bit i when the component of entity i was removed meanwhile */
    struct covey__emission *together; /* the next of those that are told together */
} covey__emission;

/* An entity whose end is being announced. */
typedef struct covey__dying {
    struct covey__dying *outer;
    uint32_t index;
    uint32_t reached; /* the pools with lower numbers were told */
} covey__dying;

static inline covey__dying *covey__dying_of(const covey_world *world, uint32_t index) {
    covey__dying *dying = world->dying;
    while (dying && dying->index != index) dying = dying->outer;
    return dying;
}

static inline bool covey__takes_components(const covey_world *world, covey_entity e) {
    return covey_alive(world, e) && !covey__dying_of(world, e.index);
}

/* Before a change: asks for the memory that listeners need for it, and for the end of what is made. */
covey_result covey__listeners_prepare(covey__listeners *listeners, covey_signal signal, const covey_entity *entities,
                                      uint32_t count);
/* Tells the listeners of a pool, or, if that is NULL, of entities. Returns whether anybody's code has run. */
bool covey__emit(covey_world *world, covey_pool *pool, covey_signal signal, const covey_entity *entities,
                 uint32_t count);
/* Tells of several changes that were made before anybody was told of any: queues and reactive sets hear of all of them
 * first, and what ends meanwhile is told of as a whole. Of each, the pool, the signal, the entities and the next one are
 * there, and the rest is zero. */
void covey__emit_together(covey_world *world, covey__emission *first);
/* Tells of removals, of 64 at most. Returns which of them were made meanwhile: what is there now is another component. */
uint64_t covey__emit_removals(covey_pool *pool, const covey_entity *entities, uint32_t count);
/* Tells all that is still to be told of a component. */
void covey__tell_the_rest(covey_pool *pool, covey_entity e);
/* Before a component is removed of which that was done: whether its removal has been told of, too. */
bool covey__end_announced(covey_pool *pool, covey_entity e);
/* Tells of a component that is about to be removed. Returns whether it is still there to be removed. */
bool covey__announce_removal(covey_pool *pool, covey_entity e);
/* Tells of an entity that is about to be destroyed. Returns whether it is still there to be destroyed. */
bool covey__announce_end(covey_world *world, uint32_t index, uint32_t generation);

bool covey__listeners_valid(const covey_world *world, const covey_pool *pool, const covey__listeners *listeners,
                            const char **why);
bool covey__signals_valid(const covey_world *world, const char **why);

covey__listeners *covey__listeners_of(const covey_world *world, const covey_pool *pool); /* NULL: none */
/* When one was connected, which is noted first; or has left. */
void covey__listeners_note(covey__listeners *listeners, const covey__listener *listener);
void covey__listeners_changed(covey_world *world, covey_pool *pool, covey__listeners *listeners);

#endif
