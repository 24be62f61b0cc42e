/* Iterations that are initialised in place, because an iterator has some kilobytes. */
#ifndef COVEY_ITER_H
#define COVEY_ITER_H

#include <covey/covey.h>

/* An upper bound for the number of matches, from the required pools. */
uint32_t covey__view_bound(const covey_view *view);
/* Like covey_view_iter, or covey_group_iter, for entities that match now: if none does, the iteration stays empty. It
 * is decided how it walks. */
void covey__iter_begin(covey_iter *it, const covey_view *view, const covey_group *group);
/* Like covey_view_iter_list, for a list of which some entities are found at a time. */
covey_iter covey__view_iter_refilled(const covey_view *view, covey__refill_fn *refill, void *source);
/* Like covey_view_iter, for asking which entities match: no value is used, so a system need not declare it, and no
 * ticks are noted. */
void covey__iter_to_ask(covey_iter *it, const covey_view *view);
/* The first index of the first block that may have matches, or position 0. Like covey_iter_length, it depends on
 * present components only, and may be larger than the length. */
uint32_t covey__iter_first(const covey_iter *it);
void covey__iter_part(const covey_iter *whole, uint32_t first, uint32_t end, covey_iter *part);

#endif
