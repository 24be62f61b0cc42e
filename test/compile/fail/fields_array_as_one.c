/* expect: invalid operands to binary -|not pointers to compatible types */
#include <covey/fields.h>

typedef struct Body {
    int32_t hits[4];
} Body;

#ifdef FIXED
COVEY_FIELDS_DEFINE(Body, array(i32, hits));
#else
COVEY_FIELDS_DEFINE(Body, i32(hits));
#endif
