/* What observers do when a component was added, is set or is removed. */
#ifndef COVEY_OBSERVE_H
#define COVEY_OBSERVE_H

#include <covey/covey.h>

/* Before components are placed: reserves the memory that observers need; values of the pool may move. `anyway`:
 * whatever other components the entities have by now, because they may get more before observers are told. */
covey_result covey__observers_prepare_add(covey_pool *pool, const covey_entity *entities, uint32_t count, bool anyway);
/* After the values are written, of the last components of a pool or, in blocks, of any; does not call listeners.
 * Without `ticks`, the components keep their ticks. */
void covey__observers_after_add(covey_pool *pool, const covey_entity *entities, uint32_t count, bool ticks);
/* Before a value is overwritten or patched; and after that, which returns whether code of the program has run. */
covey_result covey__observers_prepare_set(covey_pool *pool, covey_signal signal, uint32_t count);
bool covey__observers_after_set(covey_pool *pool, covey_signal signal, covey_entity e);
void *covey__found_again(covey_pool *pool, covey_entity e); /* the current address; NULL (GONE) if it was removed */
void covey__observers_after_clear(covey_pool *pool);

bool covey__observers_valid(const covey_pool *pool, const char **why); /* also for pools without observers */

#endif
