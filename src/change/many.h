/* Many entities that are created at once, before listeners are told. */
#ifndef COVEY_MANY_H
#define COVEY_MANY_H

#include <covey/covey.h>

/* Creates the entities that as many calls of covey_create would, or sets null handles; tells no listener. */
covey_result covey__entities_take(covey_world *world, covey_entity *entities, uint32_t count);
/* Undoes that, if nothing was created or destroyed since. Sets null handles. */
void covey__entities_undo_create(covey_world *world, covey_entity *entities, uint32_t count);

#endif
