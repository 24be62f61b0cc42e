/* Components that test_cpp.c defines and test_cpp.cpp uses. */
#ifndef COVEY_TEST_CPP_H
#define COVEY_TEST_CPP_H

#include <covey/covey.h>

typedef struct Position {
    float x, y;
} Position;
COVEY_COMPONENT_DECLARE(Position);
COVEY_TAG_DECLARE(Frozen);

#endif
