/* Structural change: how components are added and removed, whoever asks for it. They are added in four steps:
 *
 *     prepare   memory for observers                                      may fail
 *     place     a place in the storage, and then the value                may fail
 *     settle    the component goes to where groups and orders want it
 *     tell      queues, reactive sets and listeners hear of it
 *
 * and removed in these:
 *
 *     tell      and go on if it is still there
 *     leave     groups that ask for the component
 *     erase     the value is dropped, its place is freed
 *     join      groups that exclude the component
 *
 * One component: the slow halves that covey.h declares, covey__pool_place_slowly and covey__pool_settle, between which
 * inline code writes the value, covey__pool_add_slowly and covey__pool_remove_slowly. Commands are replayed by these.
 * Several entities, or several pools, in one go: a call lists its changes and takes each step for all of them. */
#ifndef COVEY_CHANGE_H
#define COVEY_CHANGE_H

#include "signal.h"
#include "storage_place.h"

#include <covey/covey.h>

/* ---- One ---------------------------------------------------------------------------------------------------------*/

/* Prepares and places, without a value, for an entity that is alive; *source, which may lie in the pool, follows when
 * values move. MEMORY, FULL, PRESENT: nothing has changed. */
covey_result covey__pool_place(covey_pool *pool, covey_entity e, const void **source, void **value);
/* Adds a value to a pool of the library's own, of which nobody is told; the caller reports. */
covey_result covey__pool_put(covey_pool *pool, covey_entity e, const void *value);
/* Adds a component without a value, which a function changes before anybody hears of it. */
void *covey__pool_add_changed(covey_pool *pool, covey_entity e, covey_change_fn *change, void *context);
/* Removes a component that is there when its removal was told. */
void covey__remove_announced(covey_pool *pool, covey_entity e);

/* ---- Several -----------------------------------------------------------------------------------------------------*/

/* Of the emission, the caller gives the pool, the signal, the entities and their number. The signal says what happens:
 * entities were created (no pool), components are added, or values were set, which the caller does. */
typedef struct covey__change {
    covey__emission told;
    covey__placing placing; /* of components that are added: of this, the caller gives the values */
} covey__change;

/* Gives all components their places and values, of which nobody has heard yet. The entities are alive, but for those of
 * a change that is the only one: DEAD. MEMORY, FULL, PRESENT, COPY: then nothing has changed, *culprit is the change that
 * failed, or NULL, and values are still the caller's. */
covey_result covey__changes_make(covey_world *world, covey__change *changes, uint32_t count,
                                 const covey__change **culprit);
/* Nothing fails from here on. `ticks`: the components were changed now. */
void covey__changes_settle(covey__change *changes, uint32_t count, bool ticks);
void covey__changes_tell(covey_world *world, covey__change *changes, uint32_t count);

/* For who places components in a way of its own: room in queues. `placed`: they are there, and their removal has its
 * room already. */
covey_result covey__changes_reserve_queues(covey_world *world, const covey__change *changes, uint32_t count,
                                           bool placed);

#endif
