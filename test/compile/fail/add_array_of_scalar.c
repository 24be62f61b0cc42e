/* expect: invalid operands to binary -|not pointers to compatible types */
#include "../position.h"

#ifdef FIXED
typedef Position Given;
#else
typedef float Given;
#endif

bool use(covey_world *world, const covey_entity *entities);

bool use(covey_world *world, const covey_entity *entities) {
    Given given[2] = { 0 };
    return covey_add_array(world, entities, 2, Position, given);
}
