/* Notes what the pools are like when a span begins, and tells at its end what was not allowed. */
#ifndef COVEY_VIEW_RULES_H
#define COVEY_VIEW_RULES_H

#include <covey/covey.h>

#if COVEY_ASSERT_LEVEL >= 2
void covey__remember_pools(covey_iter *it);
void covey__check_span(const covey_iter *it);
#else
static inline void covey__remember_pools(covey_iter *it) { (void)it; }
static inline void covey__check_span(const covey_iter *it) { (void)it; }
#endif

#endif
