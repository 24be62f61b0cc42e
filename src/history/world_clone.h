/* The steps of making a second world that clones of worlds and worlds of snapshots share. */
#ifndef COVEY_WORLD_CLONE_H
#define COVEY_WORLD_CLONE_H

#include <covey/covey.h>

/* The description of a second world: `desc`, or, for NULL, that of the first world. */
covey_world_desc covey__clone_desc(const covey_world *world, const covey_world_desc *desc);
/* Makes an empty pool for the type of a pool of another world; makes types again that were made at run time. Returns
 * NULL when an allocation fails. */
covey_pool *covey__clone_type(const covey_world *from, covey_world *to, const covey_pool *pool);
/* Binds further descriptors of types that both worlds have. False when an allocation fails. */
bool covey__clone_descriptors(const covey_world *from, covey_world *to);

#endif
