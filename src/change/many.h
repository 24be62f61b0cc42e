/* Creating many entities at once, before listeners are called. */
#ifndef COVEY_MANY_H
#define COVEY_MANY_H

#include <covey/covey.h>

/* Creates the same entities as that many calls of covey_create, or sets null handles. Calls no listener. */
covey_result covey__entities_take(covey_world *world, covey_entity *entities, uint32_t count);
/* Undoes it if nothing was created or destroyed since. Sets null handles. */
void covey__entities_undo_create(covey_world *world, covey_entity *entities, uint32_t count);

#endif
