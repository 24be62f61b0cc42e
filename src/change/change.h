/* Structural change: how components are added and removed, for all calls. Adding has four steps:
 *
 *     prepare   memory for observers                                      may fail
 *     place     a place in the storage, and then the value                may fail
 *     settle    the component goes to where groups and orders want it
 *     emit      queues and reactive sets record the add, listeners are called
 *
 * Removing has these:
 *
 *     announce  listeners are called; continues if the component is still present
 *     leave     groups that ask for the component
 *     erase     the value is dropped, its place is freed
 *     join      groups that exclude the component
 *
 * One component: the slow halves that covey.h declares, covey__pool_place_slowly and covey__pool_settle, between which
 * inline code writes the value, covey__pool_add_slowly and covey__pool_remove_slowly. Commands are replayed by these.
 * Several entities, or several pools, in one go: a call lists its changes and takes each step for all of them. */
#ifndef COVEY_CHANGE_H
#define COVEY_CHANGE_H

#include "observe/signal.h"
#include "storage/storage_place.h"

#include <covey/covey.h>

/* ---- One ---------------------------------------------------------------------------------------------------------*/

/* Prepares and places a component of a living entity, without a value. *source may be the address of a value of the
 * pool, and is updated if that moves. MEMORY, FULL, PRESENT: nothing has changed. */
covey_result covey__pool_place(covey_pool *pool, covey_entity e, const void **source, void **value);
/* Adds a value to an internal pool. Calls no listener; the caller reports failures. */
covey_result covey__pool_put(covey_pool *pool, covey_entity e, const void *value);
/* Adds a component with its default, calls a function that changes the value, and then calls listeners. */
void *covey__pool_add_changed(covey_pool *pool, covey_entity e, covey_change_fn *change, void *context);
/* Removes a component whose removal is announced. The entity is alive, or was until now. */
void covey__remove_announced(covey_pool *pool, covey_entity e);

/* ---- Several -----------------------------------------------------------------------------------------------------*/

/* In the emission, the caller sets the pool, the signal, the entities and their number. The signal says what happens:
 * entities were created (no pool), components are added, or values were set by the caller. */
typedef struct covey__change {
    covey__emission told;
    covey__placing placing; /* for added components: the caller sets the values */
} covey__change;

/* Places all components with their values, before any observer is notified. The entities must be alive, unless there
 * is only one change: then DEAD is possible. After DEAD, MEMORY, FULL, PRESENT or COPY nothing has changed, *culprit
 * is the change that failed, or NULL, and the values still belong to the caller. */
covey_result covey__changes_make(covey_world *world, covey__change *changes, uint32_t count,
                                 const covey__change **culprit);
/* Nothing fails from here on. `ticks`: the components count as changed now. The last function returns whether a
 * listener was called. */
void covey__changes_settle(covey__change *changes, uint32_t count, bool ticks);
void covey__changes_settle_new(covey__change *changes, uint32_t count); /* of the same new entities */
bool covey__changes_emit(covey_world *world, covey__change *changes, uint32_t count);

/* For callers that place components themselves: memory for all observers, before they do. */
covey_result covey__changes_reserve(covey_world *world, const covey__change *changes, uint32_t count);
/* Only room in queues. `placed`: the components are placed, and room for their
 * removal exists. */
covey_result covey__changes_reserve_queues(covey_world *world, const covey__change *changes, uint32_t count,
                                           bool placed);

#endif
