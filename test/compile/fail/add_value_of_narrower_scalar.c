/* expect: invalid operands to binary -|not pointers to compatible types */
#include "../position.h"

typedef int32_t Health;
COVEY_COMPONENT_DECLARE(Health);

#ifdef FIXED
typedef int32_t Given;
#else
typedef uint8_t Given;
#endif

void use(covey_world *world, covey_entity e);

void use(covey_world *world, covey_entity e) {
    Given given = 1;
    covey_add_value(world, e, Health, &given);
}
