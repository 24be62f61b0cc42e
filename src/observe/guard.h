/* Systems that use what they did not declare, which assertion level 2 finds: the checks that are not about one type alone.
 * COVEY__USES of covey.h is about one. Without a guard they cost a look at the world. */
#ifndef COVEY_GUARD_H
#define COVEY_GUARD_H

#include <covey/covey.h>

#if COVEY_ASSERT_LEVEL >= 2
/* Before a view, or the view of a group, is iterated: uses all its fields, and writes those that are not only read. */
void covey__check_view(const covey_view *view, bool of_group);
/* Before a value is set, replaced or patched that is there: where somebody listens, more than the value changes. */
void covey__check_set(const covey_pool *pool, covey_signal signal);
/* Before all components and resources are copied. */
void covey__check_world(const covey_world *world);
#else
static inline void covey__check_view(const covey_view *view, bool of_group) { (void)view, (void)of_group; }
static inline void covey__check_set(const covey_pool *pool, covey_signal signal) { (void)pool, (void)signal; }
static inline void covey__check_world(const covey_world *world) { (void)world; }
#endif

#endif
