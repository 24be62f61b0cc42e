/* expect: incompatible (pointer|return) type */
#include "../position.h"

#ifdef FIXED
typedef Position Wanted;
#else
typedef struct Wanted {
    float x, y;
} Wanted;
#endif

Wanted *get(covey_world *world, covey_entity e);

Wanted *get(covey_world *world, covey_entity e) { return covey_get(world, e, Position); }
