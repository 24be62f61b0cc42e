/* expect: invalid operands to binary -|not pointers to compatible types */
#include <covey/fields.h>

typedef struct Body {
    double mass;
    int32_t hits;
} Body;

#ifdef FIXED
COVEY_FIELDS_DEFINE(Body, f64(mass), i32(hits));
#else
COVEY_FIELDS_DEFINE(Body, f64(mass), i16(hits));
#endif
