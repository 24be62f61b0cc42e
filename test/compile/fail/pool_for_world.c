/* expect: incompatible pointer type */
#include "../position.h"

#ifdef FIXED
typedef covey_world Given;
#else
typedef covey_pool Given;
#endif

Position *get(Given *given, covey_entity e);

Position *get(Given *given, covey_entity e) { return covey_get(given, e, Position); }
