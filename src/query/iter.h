/* Iterations that are initialised in place: an iterator has some kilobytes, which are not copied. */
#ifndef COVEY_ITER_H
#define COVEY_ITER_H

#include <covey/covey.h>

/* An upper bound for the number of matches, from the required pools. */
uint32_t covey__view_bound(const covey_view *view);
/* Like covey_view_iter, for what matches now: an empty view stays empty during the iteration. */
void covey__iter_begin(covey_iter *it, const covey_view *view);
void covey__iter_begin_group(covey_iter *it, const covey_group *group);
/* The index of the first block that may have matches, or position 0: what is before it need not be walked. It depends on
 * what is present, as covey_iter_length does, and may be beyond that. */
uint32_t covey__iter_first(const covey_iter *it);
void covey__iter_part(const covey_iter *whole, uint32_t first, uint32_t end, covey_iter *part);

#endif
