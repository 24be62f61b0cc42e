/* Views. */
#ifndef COVEY_VIEW_H
#define COVEY_VIEW_H

#include <covey/covey.h>

static inline uint32_t covey__view_terms(const covey_view *view) { return (uint32_t)view->fields + view->without; }

/* Finds the pools of the terms that the world knows by now. */
void covey__view_find_pools(covey_view *view);

#endif
