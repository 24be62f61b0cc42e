/* Those who are told of the changes of a pool, or of entities. */
#ifndef COVEY_LISTENERS_H
#define COVEY_LISTENERS_H

#include <covey/covey.h>

typedef struct covey__listener {
    uint64_t number;         /* of its connection; 0 once that has ended */
    uint32_t signals;        /* that it hears; none once the connection has ended */
    covey_listener_fn *call; /* one of these three */
    covey_queue *queue;
    covey_pool *tags; /* of a reactive set */
    void *context;
    bool spans;
} covey__listener;

/* Those of a pool, or of all entities, in the order in which they were connected. */
typedef struct covey__listeners {
    covey__listener *all;
    uint32_t count, capacity;
    uint32_t signals;        /* that any of them hears: */
    uint32_t called, queued; /* those for which a function is called; that queues keep */
    uint32_t emitting;       /* emissions under way: the array may grow, but nobody leaves it */
} covey__listeners;

void covey__listeners_free(covey_world *world, covey__listeners *listeners);
size_t covey__listeners_bytes(const covey__listeners *listeners);

#endif
