#ifndef POSITION_H
#define POSITION_H

#include <covey/covey.h>

typedef struct Position {
    float x, y;
} Position;

COVEY_COMPONENT_DECLARE(Position);

#endif
