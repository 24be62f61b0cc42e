/* The words of cmocka that our tests use can fail: with cmocka itself, and with our own (test/cmocka), which `make
 * test-portable` uses. */
#include "support.h"

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

static int zero = 0, one = 1;
static const char letters[] = "abc";

/* ---- Each of these fails ------------------------------------------------------------------------------------------*/

#define FAILING(name, ...)           \
    static void name(void **state) { \
        (void)state;                 \
        __VA_ARGS__;                 \
    }

static void nothing(void) {}
static int cannot(void **state) { return (void)state, -1; }
static int is_fine(void **state) { return (void)state, 0; }
static int gives_up(void **state) {
    (void)state;
    fail();
    return 0;
}

FAILING(true_fails, assert_true(zero))
FAILING(false_fails, assert_false(one))
FAILING(null_fails, assert_null(letters))
FAILING(non_null_fails, assert_non_null(zero ? letters : NULL))
FAILING(int_equal_fails, assert_int_equal(zero, one))
FAILING(int_equal_sees_all_bits, assert_int_equal(UINT64_C(1) << 32, zero))
FAILING(int_equal_sees_signs, assert_int_equal(-one, UINT32_MAX))
FAILING(int_not_equal_fails, assert_int_not_equal(one, one))
FAILING(ptr_equal_fails, assert_ptr_equal(letters, letters + 1))
FAILING(ptr_not_equal_fails, assert_ptr_not_equal(letters, letters))
FAILING(below_range_fails, assert_in_range(zero, 1, 2))
FAILING(above_range_fails, assert_in_range(3, 1, 2))
FAILING(string_equal_fails, assert_string_equal(letters, "ab"))
FAILING(string_not_equal_fails, assert_string_not_equal(letters, "abc"))
FAILING(memory_equal_fails, assert_memory_equal(letters, "abd", 3))
FAILING(memory_not_equal_fails, assert_memory_not_equal(letters, "abd", 2))
FAILING(fail_fails, fail())
FAILING(fail_msg_fails, fail_msg("%d", one))
FAILING(an_assertion_that_nobody_expects_fails, mock_assert(zero, "zero", __FILE__, __LINE__))
FAILING(an_assertion_that_does_not_come_fails, expect_assert_failure(nothing()))
FAILING(passes, nothing())

static const struct CMUnitTest failing[] = {
    cmocka_unit_test(true_fails),
    cmocka_unit_test(false_fails),
    cmocka_unit_test(null_fails),
    cmocka_unit_test(non_null_fails),
    cmocka_unit_test(int_equal_fails),
    cmocka_unit_test(int_equal_sees_all_bits),
    cmocka_unit_test(int_equal_sees_signs),
    cmocka_unit_test(int_not_equal_fails),
    cmocka_unit_test(ptr_equal_fails),
    cmocka_unit_test(ptr_not_equal_fails),
    cmocka_unit_test(below_range_fails),
    cmocka_unit_test(above_range_fails),
    cmocka_unit_test(string_equal_fails),
    cmocka_unit_test(string_not_equal_fails),
    cmocka_unit_test(memory_equal_fails),
    cmocka_unit_test(memory_not_equal_fails),
    cmocka_unit_test(fail_fails),
    cmocka_unit_test(fail_msg_fails),
    cmocka_unit_test(an_assertion_that_nobody_expects_fails),
    cmocka_unit_test(an_assertion_that_does_not_come_fails),
    cmocka_unit_test_setup_teardown(passes, cannot, NULL),
    cmocka_unit_test_setup_teardown(passes, gives_up, NULL),
    cmocka_unit_test_setup_teardown(passes, is_fine, gives_up),
};

/* ---- And these do not ---------------------------------------------------------------------------------------------*/

static void words_that_hold_pass(void **state) {
    (void)state;
    assert_true(one);
    assert_false(zero);
    assert_null(zero ? letters : NULL);
    assert_non_null(letters);
    assert_int_equal(one, 1);
    assert_int_not_equal(zero, one);
    assert_ptr_equal(letters, &letters[0]);
    assert_ptr_not_equal(letters, NULL);
    assert_in_range(one, 1, 1);
    assert_string_equal(letters, "abc");
    assert_string_not_equal(letters, "abcd");
    assert_memory_equal(letters, "abd", 2);
    assert_memory_not_equal(letters, "abd", 3);
    mock_assert(one, "one", __FILE__, __LINE__);
}

static void an_assertion_that_is_expected_passes(void **state) {
    (void)state;
    expect_assert_failure(mock_assert(zero, "zero", __FILE__, __LINE__));
}

static int remember(void **state) {
    *state = &one;
    return 0;
}

static void the_state_comes_from_the_setup(void **state) { assert_ptr_equal(*state, &one); }

static int check_memory(void **state) { return *state == &zero ? 0 : -1; }

static void the_state_goes_through_a_test(void **state) {
    assert_ptr_equal(*state, &one);
    *state = &zero;
}

static void a_test_that_is_skipped_does_not_fail(void **state) {
    (void)state;
    skip();
    fail();
}

static const struct CMUnitTest passing[] = {
    cmocka_unit_test(words_that_hold_pass),
    cmocka_unit_test(an_assertion_that_is_expected_passes),
    cmocka_unit_test_setup(the_state_comes_from_the_setup, remember),
    cmocka_unit_test_setup_teardown(the_state_goes_through_a_test, remember, check_memory),
    cmocka_unit_test(a_test_that_is_skipped_does_not_fail),
    { NULL, passes, NULL, NULL, NULL }, /* is passed over */
};

int main(void) {
    int failed = cmocka_run_group_tests(failing, NULL, NULL);
    if (failed != COUNT_OF(failing)) print_error("only %d of %d failed\n", failed, COUNT_OF(failing));
    return cmocka_run_group_tests(passing, NULL, NULL) != 0 || failed != COUNT_OF(failing);
}
