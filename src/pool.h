/* Pools: places for components, and what has to happen around them. */
#ifndef COVEY_POOL_H
#define COVEY_POOL_H

#include <covey/covey.h>

void covey__pool_init(covey_pool *pool, covey_storage storage); /* an empty storage, instead of whatever is there */
void covey__pool_clear(covey_pool *pool);
void covey__pool_forget(covey_pool *pool); /* empties it, whatever is there; no value is dropped, nobody is told */
/* The two halves of adding: a place without a value, for an entity that is alive; *source, which may lie in the pool,
 * follows when values move. */
covey_result covey__pool_place(covey_pool *pool, covey_entity e, const void **source, void **value);
/* Adds a value to a pool of the library's own; the caller reports. */
covey_result covey__pool_put(covey_pool *pool, covey_entity e, const void *value);
bool covey__may_be_set(covey_pool *pool, covey_entity e); /* there is memory to tell of it; or fails */

bool covey__pool_valid(const covey_world *world, const covey_pool *pool, const char **why);

#endif
