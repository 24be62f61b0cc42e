/* expect: float\(x\) is not a word for a member of Body: use i8\(m\) */
#include <covey/fields.h>

typedef struct Body {
    double mass;
    float x;
    int32_t hits[4];
} Body;

#ifdef FIXED
COVEY_FIELDS_DEFINE(Body, f64(mass), f32(x), array(i32, hits));
#else
COVEY_FIELDS_DEFINE(Body, f64(mass), float(x), array(i32, hits));
#endif
