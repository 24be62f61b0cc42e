/* expect: invalid operands to binary -|not pointers to compatible types */
#include "../position.h"

#ifdef FIXED
typedef Position Given;
#else
typedef struct Given {
    float x, y;
} Given;
#endif

bool use(covey_world *world, covey_entity e);

bool use(covey_world *world, covey_entity e) {
    Given given = { 1, 2 };
    return covey_replace(world, e, Position, &given);
}
