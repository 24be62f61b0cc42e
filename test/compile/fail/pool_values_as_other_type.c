/* expect: incompatible (pointer|return) type */
#include "../position.h"

#ifdef FIXED
typedef Position Wanted;
#else
typedef struct Wanted {
    float x, y;
} Wanted;
#endif

Wanted *values(covey_pool *pool);

Wanted *values(covey_pool *pool) { return covey_pool_values(pool, Position); }
