/* Views. */
#ifndef COVEY_VIEW_H
#define COVEY_VIEW_H

#include <covey/covey.h>

static inline uint32_t covey__view_terms(const covey_view *view) { return (uint32_t)view->fields + view->without; }

/* As covey_view_iter, for questions about who is there: no value is used, which a system would have to declare. */
covey_iter covey__view_iter_to_ask(const covey_view *view);

#endif
