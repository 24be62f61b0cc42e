/* Two shared libraries with a descriptor each share one pool; a third, whose layout differs, is refused. */
#include "library.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

DSO_DECLARE(left);
DSO_DECLARE(right);
DSO_DECLARE(wide);

static covey_world *world;

static int setup(void **state) {
    (void)state;
    world = covey_world_create(NULL);
    return world ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    const char *why = NULL;
    if (!covey_world_validate(world, &why)) fail_msg("the world is not valid: %s", why);
    covey_world_destroy(world);
    return 0;
}

static void test_each_library_has_a_descriptor_of_its_own(void **state) {
    (void)state;
    assert_ptr_not_equal(left_type(), right_type());
    assert_string_equal(left_type()->name, right_type()->name);
}

static void test_what_one_library_adds_the_other_sees(void **state) {
    (void)state;
    covey_entity e = covey_create(world), f = covey_create(world);
    assert_true(left_add(world, e, 1, 2));
    assert_int_equal(right_y(world, e), 2);
    assert_true(right_add(world, f, 3, 4));
    assert_int_equal(left_y(world, f), 4);
    assert_false(right_add(world, e, 5, 6));
    assert_int_equal(covey_world_result(world), COVEY_ERROR_PRESENT);
    assert_int_equal(covey_world_pool_count(world), 1);
    assert_ptr_equal(covey_pool_find_raw(world, left_type()), covey_pool_find_raw(world, right_type()));
}

static void test_a_library_removes_what_another_added(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    left_add(world, e, 1, 2);
    assert_true(right_remove(world, e)); /* before the right library ever added anything */
    assert_false(left_has(world, e));
    assert_int_equal(left_y(world, e), -1);
}

static void test_a_library_with_another_layout_is_refused(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    left_add(world, e, 1, 2);
    assert_false(wide_add(world, e, 3, 4));
    assert_int_equal(covey_world_result(world), COVEY_ERROR_LAYOUT);
    assert_false(wide_has(world, e));
    assert_int_equal(wide_y(world, e), -1);
    assert_false(wide_remove(world, e));
    assert_int_equal(right_y(world, e), 2);
}

static void test_worlds_differ_in_whose_layout_they_know(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    assert_true(wide_add(world, e, 3, 4));
    assert_false(left_add(world, e, 1, 2));
    assert_int_equal(covey_world_result(world), COVEY_ERROR_LAYOUT);
    assert_int_equal(wide_y(world, e), 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_each_library_has_a_descriptor_of_its_own, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_one_library_adds_the_other_sees, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_library_removes_what_another_added, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_library_with_another_layout_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_worlds_differ_in_whose_layout_they_know, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
