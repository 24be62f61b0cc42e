/* expect: invalid operands to binary -|not pointers to compatible types */
#include "../position.h"

#ifdef FIXED
typedef Position Given;
#else
typedef struct Given {
    float x, y;
} Given;
#endif

covey_entity use(covey_world *world);

covey_entity use(covey_world *world) {
    Given given = { 1, 2 };
    return covey_find(world, Position, &given, NULL);
}
