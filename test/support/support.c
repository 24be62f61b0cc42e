#include "support.h"

void test_world_is_valid(const covey_world *world) {
    const char *why = NULL;
    if (!covey_world_validate(world, &why)) fail_msg("the world is not valid: %s", why);
}

void test_set_is_valid(const covey_sparse_set *set) {
    const char *why = NULL;
    if (!covey_sparse_set_validate(set, &why)) fail_msg("the set is not valid: %s", why);
}
