/* How an iteration walks through its entities: by ids, by positions of a set or list, or by the blocks of a group. */
#ifndef COVEY_WALK_H
#define COVEY_WALK_H

#include <covey/covey.h>

/* Decides it, and finds the pools of the view, unless that is done. */
void covey__walk_decide(covey__walk *walk);
/* The most spans in a batch. Ticks are noted when a span is handed out. */
uint32_t covey__longest_list(const covey__walk *walk);

/* Whether it is a part, so that other threads may write other parts at the same time. */
static inline bool covey__is_part(const covey__walk *walk) {
    return walk->shares || walk->from != 0 || walk->to != COVEY__NO_BLOCK;
}

#endif
