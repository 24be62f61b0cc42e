/* expect: a member of Body is missing */
#include <covey/fields.h>

typedef struct Body {
    double mass;
    int32_t hits[4];
} Body;

#ifdef FIXED
COVEY_FIELDS_DEFINE(Body, f64(mass), array(i32, hits));
#else
COVEY_FIELDS_DEFINE(Body, f64(mass));
#endif
