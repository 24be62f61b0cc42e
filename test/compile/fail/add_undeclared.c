/* expect: undeclared.*needs_COVEY_COMPONENT_DEFINE_of_Velocity|needs_COVEY_COMPONENT_DEFINE_of_Velocity.*undeclared */
#include "../position.h"

typedef struct Velocity {
    float x, y;
} Velocity;

#ifdef FIXED
COVEY_COMPONENT_DECLARE(Velocity);
#endif

void add(covey_world *world, covey_entity e);

void add(covey_world *world, covey_entity e) { covey_add(world, e, Velocity, { 1, 2 }); }
