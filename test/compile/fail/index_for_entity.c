/* expect: incompatible type */
#include "../position.h"

#ifdef FIXED
typedef covey_entity Given;
#else
typedef uint32_t Given;
#endif

bool has(covey_world *world, Given e);

bool has(covey_world *world, Given e) { return covey_has(world, e, Position); }
