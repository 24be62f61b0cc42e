/* expect: needs braces, .* use the call that ends in _value */
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

Position *add(covey_world *world) { return covey_resource_set(world, Position, VALUE); }
