/* expect: invalid operands to binary -|not pointers to compatible types */
#include "../position.h"

#ifdef FIXED
typedef Position Given;
#else
typedef struct Given {
    float x, y;
} Given;
#endif

void use(covey_pool *pool, covey_entity e);

void use(covey_pool *pool, covey_entity e) {
    Given given = { 1, 2 };
    covey_pool_add_value(pool, e, Position, &given);
}
