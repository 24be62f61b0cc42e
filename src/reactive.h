/* Reactive sets: pools of tags that mark the entities of which something was heard. */
#ifndef COVEY_REACTIVE_H
#define COVEY_REACTIVE_H

#include <covey/covey.h>

struct covey_reactive {
    covey_world *world;
    covey_reactive *next;
    covey_pool *tags;
    covey_view match;
    covey_decide_fn *decide; /* whom it collects; NULL: all of whom it hears */
    void *context;
    uint64_t number; /* as that of a queue; another one each time that it is used again */
    bool used;       /* or to be used again: pools live as long as their world */
};

void covey__reactives_free(covey_world *world);
size_t covey__reactives_bytes(const covey_world *world);

bool covey__reactives_valid(const covey_world *world, const char **why);

#endif
