/* Handles that know their world. */
#include <covey/handle.h>

#include "fixture.h"

static void test_the_verbs_do_what_their_namesakes_do(void **state) {
    (void)state;
    covey_handle h = covey_handle_create(world);
    assert_true(covey_handle_alive(h) && covey_handle_is_empty(h));
    assert_int_equal(covey_handle_add(h, Packed, { 1, 2 })->number, 1);
    assert_null(covey_handle_add(h, Packed, { 1, 2 }));
    assert_failed(COVEY_ERROR_PRESENT);
    Blocked value = { 3, 4 };
    assert_int_equal(covey_handle_add_value(h, Blocked, &value)->number, 3);
    assert_true(covey_handle_add_tag(h, Marked) && covey_handle_set_tag(h, Marked));
    assert_int_equal(covey_handle_set(h, Packed, { 5, 6 })->number, 5);
    value.number = 7;
    assert_int_equal(covey_handle_set_value(h, Blocked, &value)->number, 7);
    assert_int_equal(covey_handle_get(h, Packed)->number, 5);
    assert_ptr_equal(covey_handle_get(h, Packed), covey_get(world, h.entity, Packed));
    assert_int_equal(covey_handle_get_or_add(h, Fixed, { 8, 9 })->number, 8);
    value.number = 10;
    assert_true(covey_handle_replace(h, Blocked, &value));
    assert_int_equal(covey_handle_patch(h, Blocked, NULL, NULL)->number, 10);
    assert_true(covey_handle_has(h, Marked) && covey_handle_has_all(h, Marked, Fixed));
    assert_true(covey_handle_has_any(h, Kept, Fixed));
    assert_true(covey_handle_remove(h, Fixed) && !covey_handle_remove(h, Fixed));
    assert_non_null(covey_handle_patch_or_add(h, Fixed, NULL, NULL));
    Fixed taken = { 1, 1 };
    assert_true(covey_handle_take(h, Fixed, &taken) && !covey_handle_take(h, Fixed, &taken));
    assert_int_equal(taken.number, 0);
    covey_handle clone = covey_handle_clone(h);
    assert_int_equal(covey_handle_get(clone, Blocked)->number, 10);
    assert_false(covey_handle_same(clone, h));
    assert_true(covey_handle_destroy(h) && !covey_handle_destroy(h));
    assert_false(covey_handle_alive(h));
    assert_null(covey_handle_get(h, Packed));
}

static void test_a_zeroed_handle_is_null(void **state) {
    (void)state;
    covey_handle none = { 0 };
    assert_false(covey_handle_alive(none));
    covey_handle made = covey_handle_make(world, entity(0, 0));
    assert_false(covey_handle_alive(made));
    assert_false(covey_handle_has(made, Packed));
    assert_false(covey_handle_same(none, made));
}

static uint32_t calls;
static covey_handle next_handle(covey_handle h) { return calls++, h; }

static void test_a_handle_is_evaluated_once(void **state) {
    (void)state;
    covey_handle h = covey_handle_create(world);
    calls = 0;
    covey_handle_add(next_handle(h), Packed, { 1, 2 });
    covey_handle_set(next_handle(h), Packed, { 1, 2 });
    covey_handle_get(next_handle(h), Packed)->number = 3;
    assert_true(covey_handle_has(next_handle(h), Packed));
    assert_true(covey_handle_remove(next_handle(h), Packed));
    assert_int_equal(calls, 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_the_verbs_do_what_their_namesakes_do),
        WORLD_TEST(test_a_zeroed_handle_is_null),
        WORLD_TEST(test_a_handle_is_evaluated_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
