/* expect: undeclared.*needs_COVEY_COMPONENT_DEFINE_of_Velocity|needs_COVEY_COMPONENT_DEFINE_of_Velocity.*undeclared */
#include "../position.h"

typedef struct Velocity {
    float x, y;
} Velocity;

#ifdef FIXED
COVEY_COMPONENT_DECLARE(Velocity);
#endif

bool has(covey_world *world, covey_entity e);

bool has(covey_world *world, covey_entity e) { return covey_has(world, e, Velocity); }
