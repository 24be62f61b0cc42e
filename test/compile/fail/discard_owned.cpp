/* expect: ignoring return value.*nodiscard */
#include <covey/covey.h>

void make();

void make() {
#ifdef FIXED
    covey_world_destroy(covey_world_create(nullptr));
#else
    covey_world_create(nullptr);
#endif
}
