/* expect: a value of Position needs braces.*covey_add_value\(world, e, Position, &variable\) */
#include <covey/covey.h>

typedef struct {
    float x, y;
} Position;
COVEY_COMPONENT_DEFINE(Position);

#ifdef FIXED
#define VALUE \
    { 1, 2 }
#else
static const Position here = { 1, 2 };
#define VALUE here
#endif

Position *add(covey_world *world, covey_entity e) { return covey_add(world, e, Position, VALUE); }
