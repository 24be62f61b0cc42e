/* expect: use covey.hpp, or the call that ends in _value, with the address of a variable */
#include "../position.h"

void add(covey_world *world, covey_entity e);

void add(covey_world *world, covey_entity e) {
#ifdef FIXED
    const Position here = { 1, 2 };
    covey_add_value(world, e, Position, &here);
#else
    covey_add(world, e, Position, { 1, 2 });
#endif
}
