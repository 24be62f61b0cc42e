/* Who listens to a pool or to entities: connecting and disconnecting, and memory that listeners need before a change.
 * observers.h has the structures; signal.h says how listeners are called. */
#ifndef COVEY_LISTENERS_H
#define COVEY_LISTENERS_H

#include "observe/observers.h"

#include <covey/covey.h>

typedef struct covey__signalling covey__signalling; /* signal.h */
extern const covey__signalling covey__signalling_of_worlds;

#define COVEY__COMPONENT_SIGNALS ((uint32_t)(COVEY_ON_ADD | COVEY_ON_SET | COVEY_ON_PATCH | COVEY_ON_REMOVE))

/* Sets the signals of a listener that asks for these. */
static inline void covey__listener_hears(covey__listener *listener, uint32_t signals) {
    listener->patch_is_set = (signals & COVEY_ON_SET) != 0 && (signals & COVEY_ON_PATCH) == 0;
    listener->signals = signals | (listener->patch_is_set ? COVEY_ON_PATCH : 0);
}

/* The signal that a listener gets when this one is emitted. */
static inline covey_signal covey__heard_as(const covey__listener *listener, covey_signal signal) {
    return signal == COVEY_ON_PATCH && listener->patch_is_set ? COVEY_ON_SET : signal;
}

/* The listeners of a pool or, for NULL, of entities; NULL if there are none. */
static inline covey__listeners *covey__listeners_of(const covey_world *world, const covey_pool *pool) {
    if (pool) return pool->observers ? &pool->observers->listeners : NULL;
    return world->listeners;
}
/* Adds the signals of a connected listener to the masks. */
void covey__listeners_note(covey__listeners *listeners, const covey__listener *listener);
/* After a listener was connected and noted, or disconnected: updates everything that depends on it. */
void covey__listeners_changed(covey_world *world, covey_pool *pool, covey__listeners *listeners);

bool covey__listen(covey_world *world, covey_pool *pool, const covey__listener *listener); /* false: no memory */
void covey__unlisten(covey_world *world, covey_pool *pool, uint64_t number);
/* Before listeners are told of anything: lets changes reach signal.c and listeners.c, which call them. */
void covey__signals_on(covey_world *world);

/* Before a change: reserves the memory that queues need for it, and for the removal or destruction that ends it; before
 * components are added, the memory that reactive sets need for both. Called through covey__signalling. */
covey_result covey__prepare_events(const covey__listeners *listeners, covey_signal signal, uint32_t count);
covey_result covey__prepare_marks(const covey__listeners *listeners, const covey_entity *entities, uint32_t count);

bool covey__listeners_valid(const covey_world *world, const covey_pool *pool, const covey__listeners *listeners,
                            const char **why);

#endif
