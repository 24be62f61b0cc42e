/* expect: invalid operands to binary -|not pointers to compatible types */
#include "../position.h"

#ifdef FIXED
typedef Position Given;
#else
typedef float Given;
#endif

bool use(covey_world *world, covey_entity e);

bool use(covey_world *world, covey_entity e) {
    Given given[1] = { 0 };
    return covey_replace(world, e, Position, given);
}
