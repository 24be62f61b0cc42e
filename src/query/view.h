/* Views. */
#ifndef COVEY_VIEW_H
#define COVEY_VIEW_H

#include <covey/covey.h>

static inline uint32_t covey__view_terms(const covey_view *view) { return (uint32_t)view->fields + view->without; }

/* Like covey_view_iter, for asking which entities match: no value is used, so a system need not declare it. */
covey_iter covey__view_iter_to_ask(const covey_view *view);

#endif
