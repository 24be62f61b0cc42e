/* expect: Position is not a tag, it has a value: use the call without _tag */
#include "../position.h"

COVEY_TAG_DECLARE(Frozen);

#ifdef FIXED
#define ADDED Frozen
#else
#define ADDED Position
#endif

bool add(covey_world *world, covey_entity e);

bool add(covey_world *world, covey_entity e) { return covey_add_tag(world, e, ADDED); }
