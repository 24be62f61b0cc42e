/* expect: invalid operands to binary -|not pointers to compatible types */
#include "../position.h"

#ifdef FIXED
typedef Position Given;
#else
typedef struct Given {
    float x, y;
} Given;
#endif

void use(covey_world *world);

void use(covey_world *world) {
    Given given = { 1, 2 };
    covey_resource_set_value(world, Position, &given);
}
