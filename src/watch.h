/* What follows for the observers of a pool when a component was added, is set or is removed. */
#ifndef COVEY_WATCH_H
#define COVEY_WATCH_H

#include <covey/covey.h>

/* Before components get their places: asks for the memory that observers need; values of the pool may move. `anyway`:
 * whatever else the entities have by now; they may get components of other pools before the observers hear. */
covey_result covey__watch_prepare_many(covey_pool *pool, const covey_entity *entities, uint32_t count, bool anyway);
/* When the values are there, of the last components of a pool, or, in blocks, of any; listeners are not told. Without
 * ticks, they were changed earlier. */
void covey__watch_added_many(covey_pool *pool, const covey_entity *entities, uint32_t count, bool ticks);
/* Before a value is overwritten or, if that is the signal, patched; when it was: returns whether anybody's code has run. */
covey_result covey__watch_prepare_set(covey_pool *pool, covey_signal signal, covey_entity e);
bool covey__watch_set(covey_pool *pool, covey_signal signal, covey_entity e);
void *covey__found_again(covey_pool *pool, covey_entity e); /* by now; NULL (GONE) when it was taken away */
void covey__watch_cleared(covey_pool *pool);

bool covey__watch_valid(const covey_pool *pool, const char **why); /* also of a pool without one */

#endif
