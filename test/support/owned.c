#include "owned.h"

owned_counts owned;

void drop_owned(void *value, void *context) {
    (void)context;
    assert_int_equal(((const Owned *)value)->check, ~((const Owned *)value)->number);
    assert_true(owned.alive-- != 0);
}

bool copy_owned(void *to, const void *from, void *context) {
    (void)context;
    if (++owned.copies == owned.fails_at) return false;
    memcpy(to, from, sizeof(Owned));
    owned.alive++;
    return true;
}

int owned_setup(void **state) {
    owned = (owned_counts){ 0 };
    return world_setup(state);
}

int owned_teardown(void **state) {
    int result = world_teardown(state);
    assert_int_equal(owned.alive, 0);
    return result;
}
