/* Creating many entities at once, before listeners are called. */
#ifndef COVEY_MANY_H
#define COVEY_MANY_H

#include "change/kind.h"

/* Creates entities that will have these types, or sets null handles; NULL: the same entities as covey_create. Calls no
 * listener. covey__entities_made follows when they have their components. */
covey_result covey__entities_take(covey_world *world, const covey__kind_key *key, covey_entity *entities,
                                  uint32_t count);
void covey__entities_made(covey_world *world, const covey__kind_key *key, const covey_entity *entities, uint32_t count);
/* Undoes it if nothing was created or destroyed since. Sets null handles. */
void covey__entities_undo_create(covey_world *world, covey_entity *entities, uint32_t count);

/* Says why entities could not be created with components. The culprit is the name of one of these, or NULL. */
void covey__say_not_created(covey_world *world, covey_result result, uint32_t count, const char *culprit);

#endif
