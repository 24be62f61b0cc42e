/* expect: undeclared.*needs_COVEY_COMPONENT_DEFINE_of_Velocity|needs_COVEY_COMPONENT_DEFINE_of_Velocity.*undeclared */
#include "../position.h"

typedef struct Velocity {
    float x, y;
} Velocity;

#ifdef FIXED
COVEY_COMPONENT_DECLARE(Velocity);
#endif

Velocity *get(covey_world *world, covey_entity e);

Velocity *get(covey_world *world, covey_entity e) { return covey_get(world, e, Velocity); }
