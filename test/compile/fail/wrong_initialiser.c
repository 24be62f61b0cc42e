/* expect: has no member named .z|does not refer to any field */
#include "../position.h"

void add(covey_world *world, covey_entity e);

void add(covey_world *world, covey_entity e) {
#ifdef FIXED
    covey_add(world, e, Position, { .y = 1 });
#else
    covey_add(world, e, Position, { .z = 1 });
#endif
}
