/* What the two files of the swarm share: systems, and functions that print tables. */
#ifndef SWARM_H
#define SWARM_H

#include <covey/covey.h>

struct Swarm;

typedef struct System {
    const char *name, *loop, *about;
    uint32_t (*on_world)(struct Swarm *s); /* returns how many entities it visited */
    void (*on_arrays)(struct Swarm *s);
    uint32_t visited;           /* in the last frame */
    double world_ns, arrays_ns; /* for each of them, in the fastest frame; 0 while none was measured */
} System;

void print_progress(uint32_t frame, uint32_t frames); /* a bar on stderr, where that is a terminal */
void print_systems(const System *systems, uint32_t count);
void print_memory(const covey_world *world);

#endif
