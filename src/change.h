/* Structural change of several entities, or of several pools, in one go. A call lists its changes;
 * then come four steps:
 *
 *     covey__changes_make      all that can fail: memory for observers, places, values; all or nothing
 *     (the call)               what cannot fail and is its own
 *     covey__changes_settle    components go to where groups and orders want them
 *     covey__changes_tell      queues, reactive sets and listeners hear of all of it */
#ifndef COVEY_CHANGE_H
#define COVEY_CHANGE_H

#include "signal.h"
#include "storage_place.h"

#include <covey/covey.h>

/* Of the emission, the caller gives the pool, the signal, the entities and their number. The signal says what happens:
 * entities were created (no pool), components are added, or values were set, which the caller does. */
typedef struct covey__change {
    covey__emission told;
    covey__placing placing; /* of components that are added: of this, the caller gives the values */
} covey__change;

/* Gives all components their places and values, of which nobody has heard yet. The entities are alive, but for those of
 * a change that is the only one: DEAD. MEMORY, FULL, PRESENT, COPY: then nothing has changed, and *culprit is the change
 * that failed, or NULL. */
covey_result covey__changes_make(covey_world *world, covey__change *changes, uint32_t count,
                                 const covey__change **culprit);
/* Takes them back; values that hooks have made are dropped, others are still the caller's. */
void covey__changes_unmake(covey__change *changes, uint32_t count);
/* Nothing fails from here on. `ticks`: the components were changed now. */
void covey__changes_settle(covey__change *changes, uint32_t count, bool ticks);
void covey__changes_tell(covey_world *world, covey__change *changes, uint32_t count);

/* For who places components in a way of its own: room in queues. `placed`: they are there, and their removal has its
 * room already. */
covey_result covey__changes_reserve_queues(covey_world *world, const covey__change *changes, uint32_t count,
                                           bool placed);

#endif
