/* expect: no member named .?weight */
#include <covey/fields.h>

typedef struct Body {
    double mass;
} Body;

#ifdef FIXED
COVEY_FIELDS_DEFINE(Body, f64(mass));
#else
COVEY_FIELDS_DEFINE(Body, f64(weight));
#endif
