/* The components of the scenarios: eight bytes each, in sparse storage. */
#ifndef BENCH_COMPONENTS_H
#define BENCH_COMPONENTS_H

#include <covey/covey.h>

typedef struct Vec2 {
    float x, y;
} Vec2;

typedef Vec2 Position, Velocity, Force;

COVEY_COMPONENT_DECLARE(Position);
COVEY_COMPONENT_DECLARE(Velocity);
COVEY_COMPONENT_DECLARE(Force);

#endif
