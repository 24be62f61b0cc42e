/* The listeners of a pool, or of entities. */
#ifndef COVEY_LISTENERS_H
#define COVEY_LISTENERS_H

#include <covey/covey.h>

typedef struct covey__listener {
    uint64_t number;         /* of its connection; 0 once that has ended */
    uint32_t signals;        /* its signals; 0 once the connection has ended. Set implies patch */
    covey_listener_fn *call; /* exactly one of the next three */
    covey_queue *queue;
    covey_pool *tags;        /* the marks of a reactive set, */
    covey_decide_fn *decide; /* and the function that decides what it marks; or NULL */
    void *context;
    bool spans;
    bool values;       /* a queue that keeps copies of them */
    bool patch_is_set; /* it asked for sets only, and is told of patches as sets */
} covey__listener;

/* The signals that a listener gets if it asks for these. */
static inline void covey__listener_hears(covey__listener *listener, uint32_t signals) {
    listener->patch_is_set = (signals & COVEY_ON_SET) != 0 && (signals & COVEY_ON_PATCH) == 0;
    listener->signals = signals | (listener->patch_is_set ? COVEY_ON_PATCH : 0);
}

/* The signal that it is told for this one. */
static inline covey_signal covey__heard_as(const covey__listener *listener, covey_signal signal) {
    return signal == COVEY_ON_PATCH && listener->patch_is_set ? COVEY_ON_SET : signal;
}

/* Listeners in the order of connection. */
typedef struct covey__listeners {
    covey__listener *all;
    uint32_t count, capacity;
    uint32_t signals;        /* signals of all of them: */
    uint32_t called, queued; /* for which functions are called; that queues keep; */
    uint32_t decided;        /* for which a function decides what a reactive set marks */
    uint32_t emitting;       /* pending emissions: the array may grow, but no listener leaves it */
} covey__listeners;

void covey__listeners_free(covey_world *world, covey__listeners *listeners);
size_t covey__listeners_bytes(const covey__listeners *listeners);

#endif
