/* The components of the scenarios: eight bytes each. A scenario file is compiled once for each storage: BENCH_STORAGE
 * says which, and Position, Velocity and Force then are the components of that storage. */
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

typedef Vec2 BlockPosition, BlockVelocity, BlockForce;

COVEY_COMPONENT_DECLARE(BlockPosition);
COVEY_COMPONENT_DECLARE(BlockVelocity);
COVEY_COMPONENT_DECLARE(BlockForce);

#ifdef BENCH_BLOCK
#define Position BlockPosition
#define Velocity BlockVelocity
#define Force BlockForce
#define BENCH_STORAGE "block"
#define BENCH_LIMIT(most) 0 /* no bars yet */
#else
#define BENCH_STORAGE "sparse"
#define BENCH_LIMIT(most) most
#endif

#endif
