/* Histories: the last snapshots of a world. */
#ifndef COVEY_INTERNAL_HISTORY_H
#define COVEY_INTERNAL_HISTORY_H

#include "history/snapshot.h"

#include <covey/covey.h>

#include <covey/history.h>

struct covey_history {
    covey_world *world;
    covey_history *next, *previous; /* of the world */
    covey__snapshot **snapshots;    /* the newest is the last */
    uint32_t count, table, capacity;
    uint64_t saved; /* how many snapshots it has saved in its life */
    covey__unit_store store;
};

/* The snapshot that many back from the newest; NULL if there are not as many. */
static inline covey__snapshot *covey__history_at(const covey_history *history, uint32_t back) {
    return back < history->count ? history->snapshots[history->count - 1 - back] : NULL;
}
#define COVEY__NO_SNAPSHOT "the history has no snapshot so far back: ask covey_history_count"

bool covey__histories_valid(const covey_world *world, const char **why);

#endif
