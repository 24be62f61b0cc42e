/* Iterations that begin where their iterator is: it has some kilobytes, which need not be copied. */
#ifndef COVEY_ITER_H
#define COVEY_ITER_H

#include <covey/covey.h>

void covey__iter_begin(covey_iter *it, const covey_view *view); /* as covey_view_iter */
void covey__iter_begin_group(covey_iter *it, const covey_group *group);
void covey__iter_part(const covey_iter *whole, uint32_t first, uint32_t end, covey_iter *part);

#endif
