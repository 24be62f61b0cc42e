/* Finds the pool of a type, or creates it. */
#ifndef COVEY_POOL_OF_H
#define COVEY_POOL_OF_H

#include <covey/covey.h>

covey_pool *covey__pool_of_internal(covey_world *world, const covey_type *type); /* of a type of the library's own */
covey_pool *covey__pool_of_disabled(covey_world *world); /* made if it is missing; NULL when an allocation fails */
/* As covey_type_create, for a type of the library's own: its hooks may have the world as context. */
const covey_type *covey__type_make_internal(covey_world *world, const covey_type *description);

#endif
