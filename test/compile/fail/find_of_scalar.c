/* expect: invalid operands to binary -|not pointers to compatible types */
#include "../position.h"

#ifdef FIXED
typedef Position Given;
#else
typedef float Given;
#endif

covey_entity use(covey_world *world);

covey_entity use(covey_world *world) {
    Given given[1] = { 0 };
    return covey_find(world, Position, given, NULL);
}
