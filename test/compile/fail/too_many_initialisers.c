/* expect: excess elements in struct initializer */
#include "../position.h"

void add(covey_world *world, covey_entity e);

void add(covey_world *world, covey_entity e) {
#ifdef FIXED
    covey_set(world, e, Position, { 1, 2 });
#else
    covey_set(world, e, Position, { 1, 2, 3 });
#endif
}
