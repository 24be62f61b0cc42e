/* expect: invalid operands to binary -|not pointers to compatible types */
#include "../position.h"

#ifdef FIXED
typedef Position Wanted;
#else
typedef struct Wanted {
    float x, y;
} Wanted;
#endif

bool get(covey_world *world, covey_entity e);

bool get(covey_world *world, covey_entity e) {
    Wanted *position;
    return covey_get_all(world, e, covey_into(Position, position));
}
