/* expect: Body.tint has no kind that can be shown like this */
#include <covey/fields.h>

struct Body {
    float turn, tint[2];
};

#ifdef FIXED
COVEY_FIELDS_DEFINE(Body, angle(f32, turn), array(f32, tint));
#else
COVEY_FIELDS_DEFINE(Body, angle(f32, turn), colour(f32, tint));
#endif
