/* Change ticks: noting changes of single components or whole blocks, and finding changes since a tick. */
#ifndef COVEY_TICK_H
#define COVEY_TICK_H

#include <covey/covey.h>

bool covey__ticks_reach(covey_pool *pool,
                        uint32_t index); /* before a component is placed; false when an allocation fails */
void covey__ticks_put(const covey_pool *pool, uint32_t index, uint64_t tick); /* sets the tick of a new component */
void covey__ticks_note(const covey_pool *pool, uint32_t index); /* for a present component, like the next ones */
void covey__ticks_note_run(const covey_pool *pool, uint32_t first, uint32_t count); /* for consecutive ids */
void covey__ticks_note_ids(const covey_pool *pool, uint32_t first, uint64_t ids);   /* for some or all ids of a block */
/* From now until the tick advances, several threads may note ids of one block, because they visit parts of an array. */
void covey__ticks_share(covey_world *world);
uint64_t covey__ticks_of(const covey_pool *pool, uint32_t index);
/* The first existing page from this one on; the number of pages if there is none. */
uint32_t covey__ticks_next_page(const covey_pool *pool, uint32_t page);
/* Which blocks of a page have an id that changed after a tick. Components that were removed since count, too. */
uint64_t covey__tick_blocks_since(const covey_pool *pool, uint32_t number, uint64_t since);
/* Which of some ids of a block changed after a tick. */
uint64_t covey__ticks_since(const covey_pool *pool, uint32_t first, uint64_t ids, uint64_t since);

bool covey__ticks_valid(const covey_pool *pool, const char **why);

#endif
