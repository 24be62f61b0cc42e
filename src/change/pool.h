/* Pools: finding or creating the pool of a type, and clearing. */
#ifndef COVEY_POOL_H
#define COVEY_POOL_H

#include <covey/covey.h>

covey_pool *covey__pool_of_internal(covey_world *world, const covey_type *type); /* of an internal type */
covey_pool *covey__pool_of_disabled(covey_world *world); /* made if it is missing; NULL when an allocation fails */
/* Like covey_type_create, for an internal type: its hooks may have the world as context. */
const covey_type *covey__type_make_internal(covey_world *world, const covey_type *description);

void covey__pool_init(covey_pool *pool, covey_storage storage); /* initialises an empty storage */
void covey__pool_clear(covey_pool *pool);
void covey__pool_clear_untold(covey_pool *pool); /* the same when no listener hears of the removals */
void covey__pool_erase_all(covey_pool *pool);    /* erases all components; drops no value, calls no listener */
bool covey__may_be_set(covey_pool *pool, covey_signal signal,
                       covey_entity e); /* reserves memory for the event, or fails */

bool covey__pool_valid(const covey_world *world, const covey_pool *pool, const char **why);

#endif
