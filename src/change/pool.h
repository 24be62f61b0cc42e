/* Pools: places for components, and what has to happen around them. */
#ifndef COVEY_POOL_H
#define COVEY_POOL_H

#include <covey/covey.h>

void covey__pool_init(covey_pool *pool, covey_storage storage); /* initialises an empty storage */
void covey__pool_clear(covey_pool *pool);
void covey__pool_erase_all(covey_pool *pool); /* erases all components; drops no value, tells no listener */
bool covey__may_be_set(covey_pool *pool, covey_signal signal, covey_entity e); /* makes room for its events; or fails */

bool covey__pool_valid(const covey_world *world, const covey_pool *pool, const char **why);

#endif
