/* The first step of a loop over little: it finds all matches at once. */
#ifndef COVEY_AT_ONCE_H
#define COVEY_AT_ONCE_H

#include <covey/covey.h>

/* Hands out all matches as spans. Returns false if these are not found at once: then it is to be decided how the
 * iteration walks. */
bool covey__spans_at_once(covey_iter *it);
/* The same for rows. Rows of blocks are those of *blocks on a page; the others are on a list. */
bool covey__rows_at_once(covey_iter *it, uint64_t *blocks);

#endif
