/* Many entities that are created at once, before anybody hears of them. */
#ifndef COVEY_MANY_H
#define COVEY_MANY_H

#include <covey/covey.h>

/* The entities that as many calls of covey_create would make, or null handles; nobody hears of it. */
covey_result covey__entities_take(covey_world *world, covey_entity *entities, uint32_t count);
/* Undoes that: nothing else was created or destroyed since. Leaves null handles. */
void covey__entities_undo_create(covey_world *world, covey_entity *entities, uint32_t count);

#endif
