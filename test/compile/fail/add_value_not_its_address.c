/* expect: COVEY__EXPECTS_POINTER_TO */
#include "../position.h"

void add(covey_world *world, covey_entity e);

void add(covey_world *world, covey_entity e) {
    Position position = { 1, 2 };
#ifdef FIXED
    covey_add_value(world, e, Position, &position);
#else
    covey_add_value(world, e, Position, position);
#endif
}
