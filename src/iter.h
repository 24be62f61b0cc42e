/* Iterations that begin where their iterator is: it has some kilobytes, which need not be copied. */
#ifndef COVEY_ITER_H
#define COVEY_ITER_H

#include <covey/covey.h>

/* No more than so many entities match, by a look at the pools in which they must be. */
uint32_t covey__view_bound(const covey_view *view);
/* As covey_view_iter, for what matches now: nothing is added to a view that is empty while it is iterated. */
void covey__iter_begin(covey_iter *it, const covey_view *view);
void covey__iter_begin_group(covey_iter *it, const covey_group *group);
void covey__iter_part(const covey_iter *whole, uint32_t first, uint32_t end, covey_iter *part);

#endif
