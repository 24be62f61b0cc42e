/* Those who are told of the changes of a pool, or of entities. */
#ifndef COVEY_LISTENERS_H
#define COVEY_LISTENERS_H

#include <covey/covey.h>

typedef struct covey__listener {
    uint64_t number;         /* of its connection; 0 once that has ended */
    uint32_t signals;        /* that it hears; none once the connection has ended. Whoever hears of sets, of patches */
    covey_listener_fn *call; /* one of these three */
    covey_queue *queue;
    covey_pool *tags;        /* of a reactive set, */
    covey_decide_fn *decide; /* and what decides whom it marks; or NULL */
    void *context;
    bool spans;
    bool values;       /* a queue that keeps copies of them */
    bool patch_is_set; /* it did not ask for patches, and hears of them as of values that were set */
} covey__listener;

/* The signals that a listener hears if it asks for these. */
static inline void covey__listener_hears(covey__listener *listener, uint32_t signals) {
    listener->patch_is_set = (signals & COVEY_ON_SET) != 0 && (signals & COVEY_ON_PATCH) == 0;
    listener->signals = signals | (listener->patch_is_set ? COVEY_ON_PATCH : 0);
}

/* As what it hears a signal. */
static inline covey_signal covey__heard_as(const covey__listener *listener, covey_signal signal) {
    return signal == COVEY_ON_PATCH && listener->patch_is_set ? COVEY_ON_SET : signal;
}

/* Those of a pool, or of all entities, in the order in which they were connected. */
typedef struct covey__listeners {
    covey__listener *all;
    uint32_t count, capacity;
    uint32_t signals;        /* that any of them hears: */
    uint32_t called, queued; /* those for which a function is called; that queues keep; */
    uint32_t decided;        /* for which a function decides whom a reactive set marks */
    uint32_t emitting;       /* emissions under way: the array may grow, but nobody leaves it */
} covey__listeners;

void covey__listeners_free(covey_world *world, covey__listeners *listeners);
size_t covey__listeners_bytes(const covey__listeners *listeners);

#endif
