/* expect: a member of Body is missing|a member of Body before hits is missing */
#include <covey/fields.h>

typedef struct Body {
    double mass;
    int64_t age;
    int32_t hits[4];
} Body;

#ifdef FIXED
COVEY_FIELDS_DEFINE(Body, f64(mass), i64(age), array(i32, hits));
#else
COVEY_FIELDS_DEFINE(Body, f64(mass), array(i32, hits));
#endif
