/* Notifies the observers of a pool when a component is added, set or removed. observers.h says which observers a pool
 * has; signal.h calls those that are listeners. */
#ifndef COVEY_NOTIFY_H
#define COVEY_NOTIFY_H

#include <covey/covey.h>

/* Before components are placed: reserves the memory that observers need. Values of the pool may move. With `anyway`,
 * room in groups does not depend on the other components of the entities: they may get more before observers are
 * notified. */
covey_result covey__observers_prepare_add(covey_pool *pool, const covey_entity *entities, uint32_t count, bool anyway);
/* The same without room in queues. */
covey_result covey__observers_prepare_unqueued(covey_pool *pool, const covey_entity *entities, uint32_t count,
                                               bool anyway);
/* After the values are written: notes ticks, and moves the components to where the order and groups need them. In a
 * sparse pool, they are the last ones. Calls no listener. Without `ticks`, the components keep their ticks. */
void covey__observers_after_add(covey_pool *pool, const covey_entity *entities, uint32_t count, bool ticks);
/* Before a value is overwritten or patched: reserves memory in queues. */
covey_result covey__observers_prepare_set(covey_pool *pool, covey_signal signal, uint32_t count);
/* After that: notes the tick and emits the signal. Returns whether a listener was called. */
bool covey__observers_after_set(covey_pool *pool, covey_signal signal, covey_entity e);
/* The address of a value after listeners were called; NULL (GONE) if one of them removed the component. */
void *covey__found_again(covey_pool *pool, covey_entity e);
void covey__observers_after_clear(covey_pool *pool);

/* Also for pools without observers. */
bool covey__observers_valid(const covey_pool *pool, const char **why);

#endif
