/* Freeing the places of components: one, or many at once. A pool that has no component left in a block is not marked
 * there any more. No value is dropped. */
#ifndef COVEY_STORAGE_ERASE_H
#define COVEY_STORAGE_ERASE_H

#include "storage.h"
#include "stretch.h"

/* Frees the place of a component that is there. In order: those behind it move up. */
void covey__storage_erase(covey_pool *pool, covey_entity e, bool in_order);

/* Whether components can be erased without anybody's code: nobody hears of it, and values are not dropped. */
bool covey__storage_erases_quietly(const covey_pool *pool);
/* These are for such pools. Frees the places of those that are there; the same of the entities of a block, in which the
 * pool is present. */
void covey__storage_erase_many(covey_pool *pool, const covey_entity *entities, uint32_t count);
void covey__storage_erase_stretch(covey_pool *pool, const covey_entity *entities, const covey__stretch *s);

#endif
