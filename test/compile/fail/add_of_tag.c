/* expect: is a tag, without a value: use the call that ends in _tag */
#include "../position.h"

COVEY_TAG_DECLARE(Frozen);

void add(covey_world *world, covey_entity e);

void add(covey_world *world, covey_entity e) {
#ifdef FIXED
    if (!covey_add_tag(world, e, Frozen)) return;
#else
    covey_add(world, e, Frozen, { 0 });
#endif
}
