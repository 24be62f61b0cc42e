/* A change of a component is noted for it alone, or for all of its block, whichever costs less. */
#ifndef COVEY_TICK_H
#define COVEY_TICK_H

#include <covey/covey.h>

bool covey__ticks_reach(covey_pool *pool, uint32_t index); /* before a component gets a place; false: memory is out */
void covey__ticks_put(const covey_pool *pool, uint32_t index, uint64_t tick); /* that of a component that is new */
void covey__ticks_note(const covey_pool *pool, uint32_t index); /* of a component that is there, as all of these */
void covey__ticks_note_run(const covey_pool *pool, uint32_t first, uint32_t count); /* of so many ids in a row */
void covey__ticks_note_block(const covey_pool *pool, uint32_t index);               /* of all in the block */
uint64_t covey__ticks_of(const covey_pool *pool, uint32_t index);
/* Those of the ids of a block that were changed after a tick. */
uint64_t covey__ticks_since(const covey_pool *pool, uint32_t first, uint64_t ids, uint64_t since);

bool covey__ticks_valid(const covey_pool *pool, const char **why);

#endif
