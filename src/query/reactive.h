/* Reactive sets: pools of tags that mark entities to which something happened. */
#ifndef COVEY_REACTIVE_H
#define COVEY_REACTIVE_H

#include <covey/covey.h>

struct covey_reactive {
    covey_world *world;
    covey_reactive *next;
    covey_pool *tags;
    covey_view match;
    covey_decide_fn *decide; /* decides which entities it collects; NULL: all */
    void *context;
    uint64_t number; /* unique, as that of a queue; changes with each reuse */
    bool used;       /* otherwise free for reuse: pools live as long as their world */
};

size_t covey__reactives_bytes(const covey_world *world);

bool covey__reactives_valid(const covey_world *world, const char **why);

#endif
