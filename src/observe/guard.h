/* Checks at assertion level 2 that a system uses only what it declared, for calls that use several types or notify
 * listeners. COVEY__USES checks one type. Without a guard, a check reads one field of the world. */
#ifndef COVEY_GUARD_H
#define COVEY_GUARD_H

#include <covey/covey.h>

#if COVEY_ASSERT_LEVEL >= 2
/* Before a view, or the view of a group, is iterated: it reads all its fields, and writes those that are not in
 * .read. */
void covey__check_view(const covey_view *view, bool of_group);
/* Before a present value is set, replaced or patched: in a pool with listeners, more than the value changes. */
void covey__check_set(const covey_pool *pool, covey_signal signal);
/* Before all components and resources are copied. */
void covey__check_world(const covey_world *world);
#else
static inline void covey__check_view(const covey_view *view, bool of_group) { (void)view, (void)of_group; }
static inline void covey__check_set(const covey_pool *pool, covey_signal signal) { (void)pool, (void)signal; }
static inline void covey__check_world(const covey_world *world) { (void)world; }
#endif

#endif
