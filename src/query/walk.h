/* What an iteration knows of the pools of its view: which they are, and which of them have disabled components or ticks. */
#ifndef COVEY_WALK_H
#define COVEY_WALK_H

#include <covey/covey.h>

/* Finds the pools of terms whose types the world did not know, what may be disabled in them, and what has ticks. */
void covey__walk_find_pools(covey__walk *walk);
/* Notes which terms, and whether the lead pool, can have disabled components, for views that skip these. */
void covey__walk_find_hidden(covey__walk *walk);
/* Whether the world has got new types since then, which may be terms of the view. */
bool covey__walk_is_old(const covey__walk *walk);
/* The blocks of a page that are visited: at the edges of a part, some belong to other parts. */
static inline uint64_t covey__walk_blocks(const covey__walk *walk, uint32_t page) {
    uint32_t first = page * COVEY__PAGE_BLOCKS, last = first + COVEY__PAGE_BLOCKS - 1;
    uint64_t blocks = UINT64_MAX;
    if (walk->from > first) blocks <<= walk->from - first;
    if (walk->to <= last) blocks &= ((uint64_t)1 << (walk->to - first)) - 1;
    return blocks;
}
/* Finds the pools again if so. */
void covey__walk_renew(covey__walk *walk);

#endif
