/* expect: invalid operands to binary -|not pointers to compatible types */
#include "../position.h"

#ifdef FIXED
typedef Position Given;
#else
typedef struct Given {
    float x, y;
} Given;
#endif

bool use(covey_world *world, const covey_entity *entities);

bool use(covey_world *world, const covey_entity *entities) {
    Given given = { 1, 2 };
    return covey_add_copies(world, entities, 2, Position, &given);
}
