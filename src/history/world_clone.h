/* What making a second world takes, whatever its state comes from. */
#ifndef COVEY_WORLD_CLONE_H
#define COVEY_WORLD_CLONE_H

#include <covey/covey.h>

/* What a second world is to be like: as a description says, or, for NULL, as the first. */
covey_world_desc covey__clone_desc(const covey_world *world, const covey_world_desc *desc);
/* An empty pool for the type of a pool of another world; a type that was made at run time is made again. NULL: no memory. */
covey_pool *covey__clone_type(const covey_world *from, covey_world *to, const covey_pool *pool);
/* Other descriptors of the types that both have. False: no memory. */
bool covey__clone_descriptors(const covey_world *from, covey_world *to);

#endif
