/* expect: Body.mass has no kind that can be shown like this */
/* errors: 1 */
#include <covey/fields.h>

typedef struct Body {
    double mass;
    uint8_t state;
} Body;

#ifdef FIXED
COVEY_FIELDS_DEFINE(Body, range(f64, mass, 0, 10), choice(u8, state, "still, moving"));
#else
COVEY_FIELDS_DEFINE(Body, choice(f64, mass, "light, heavy"), choice(u8, state, "still, moving"));
#endif
