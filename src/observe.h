/* What follows for the observers of a pool when a component was added, is set or is removed. */
#ifndef COVEY_OBSERVE_H
#define COVEY_OBSERVE_H

#include <covey/covey.h>

/* Before components get their places: asks for the memory that observers need; values of the pool may move. `anyway`:
 * whatever else the entities have by now; they may get components of other pools before the observers hear. */
covey_result covey__observers_prepare_add(covey_pool *pool, const covey_entity *entities, uint32_t count, bool anyway);
/* When the values are there, of the last components of a pool, or, in blocks, of any; listeners are not told. Without
 * ticks, they were changed earlier. */
void covey__observers_after_add(covey_pool *pool, const covey_entity *entities, uint32_t count, bool ticks);
/* Before a value is overwritten or, if that is the signal, patched; when it was: returns whether anybody's code has run. */
covey_result covey__observers_prepare_set(covey_pool *pool, covey_signal signal, covey_entity e);
bool covey__observers_after_set(covey_pool *pool, covey_signal signal, covey_entity e);
void *covey__found_again(covey_pool *pool, covey_entity e); /* by now; NULL (GONE) when it was taken away */
void covey__observers_after_clear(covey_pool *pool);

bool covey__observers_valid(const covey_pool *pool, const char **why); /* also of a pool without one */

#endif
