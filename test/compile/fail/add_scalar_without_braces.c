/* expect: a value of Health needs braces.*covey_add_value\(world, e, Health, &variable\) */
#include <covey/covey.h>

typedef int Health;
COVEY_COMPONENT_DEFINE(Health);

Health *add(covey_world *world, covey_entity e, int points);

Health *add(covey_world *world, covey_entity e, int points) {
#ifdef FIXED
    return covey_add(world, e, Health, { points });
#else
    return covey_add(world, e, Health, points);
#endif
}
