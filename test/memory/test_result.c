/* The numbers and texts of results, and the version: what programs and logs outside may depend on. */
#include "fixture.h"

static void test_the_numbers_of_results_are_pinned(void **state) {
    (void)state;
    assert_int_equal(COVEY_OK, 0);
    assert_int_equal(COVEY_ERROR_MEMORY, 1);
    assert_int_equal(COVEY_ERROR_DEAD, 2);
    assert_int_equal(COVEY_ERROR_PRESENT, 3);
    assert_int_equal(COVEY_ERROR_ABSENT, 4);
    assert_int_equal(COVEY_ERROR_FULL, 5);
    assert_int_equal(COVEY_ERROR_TAKEN, 6);
    assert_int_equal(COVEY_ERROR_RANGE, 7);
    assert_int_equal(COVEY_ERROR_TYPE, 8);
    assert_int_equal(COVEY_ERROR_LAYOUT, 9);
    assert_int_equal(COVEY_ERROR_COPY, 10);
    assert_int_equal(COVEY_ERROR_REFUSED, 11);
    assert_int_equal(COVEY_ERROR_CONFLICT, 12);
    assert_int_equal(COVEY_ERROR_GONE, 13);
    assert_int_equal(COVEY_ERROR_CYCLE, 14);
}

static void test_the_numbers_of_policies_and_storages_are_pinned(void **state) {
    (void)state;
    assert_int_equal(COVEY_SWAP_AND_POP, 0); /* REQ-43 */
    assert_int_equal(COVEY_IN_PLACE, 1);
    assert_int_equal(COVEY_SWAP_ONLY, 2);
    assert_int_equal(COVEY_ORDERED, 3);
    assert_int_equal(COVEY_STORAGE_DEFAULT, 0);
    assert_int_equal(COVEY_STORAGE_SPARSE, 1);
}

static void test_every_result_has_a_text_of_its_own(void **state) {
    (void)state;
    const char *unknown = covey_result_text((covey_result)(COVEY_ERROR_CANCELLED + 1));
    for (int i = COVEY_OK; i <= COVEY_ERROR_CANCELLED; i++) {
        const char *text = covey_result_text((covey_result)i);
        assert_non_null(text);
        assert_true(strlen(text) > 5);
        assert_string_not_equal(text, unknown);
        for (int k = COVEY_OK; k < i; k++) assert_string_not_equal(text, covey_result_text((covey_result)k));
    }
    assert_string_equal(covey_result_text(COVEY_ERROR_DEAD), "the handle is null, stale or was never issued");
}

static void test_a_number_that_is_no_result_has_a_text_too(void **state) {
    (void)state;
    assert_non_null(covey_result_text((covey_result)15));
    assert_non_null(covey_result_text((covey_result)255));
}

static void test_the_linked_library_has_the_version_of_the_header(void **state) {
    (void)state;
    assert_int_equal(covey_version(), COVEY_VERSION);
    assert_int_equal(COVEY_VERSION, COVEY_VERSION_MAJOR * 10000 + COVEY_VERSION_MINOR * 100 + COVEY_VERSION_PATCH);
}

static void test_a_library_on_top_fails_as_the_library_does(void **state) {
    (void)state;
    assert_int_equal(covey_world_fail(world, COVEY_ERROR_FILE, "no 100% of such a file"), COVEY_ERROR_FILE);
    assert_failed(COVEY_ERROR_FILE);
    assert_int_equal(heard.times, 1);
    assert_string_equal(heard.text, "no 100% of such a file");
    covey_world *silent = covey_world_create(NULL);
    assert_int_equal(covey_world_fail(silent, COVEY_ERROR_RANGE, "nobody hears"), COVEY_ERROR_RANGE);
    assert_int_equal(covey_world_result(silent), COVEY_ERROR_RANGE);
    covey_world_destroy(silent);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_numbers_of_results_are_pinned),
        cmocka_unit_test(test_the_numbers_of_policies_and_storages_are_pinned),
        cmocka_unit_test(test_every_result_has_a_text_of_its_own),
        cmocka_unit_test(test_a_number_that_is_no_result_has_a_text_too),
        cmocka_unit_test(test_the_linked_library_has_the_version_of_the_header),
        WORLD_TEST(test_a_library_on_top_fails_as_the_library_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
