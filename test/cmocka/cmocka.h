/* A small cmocka of our own: the words of it that our tests use, for targets which no packaged cmocka was built for.
 * With COVEY_OWN_CMOCKA the tests find this file instead of the real one. */
#ifndef COVEY_TEST_CMOCKA_H
#define COVEY_TEST_CMOCKA_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Tests --------------------------------------------------------------------------------------------------------*/

typedef void (*CMUnitTestFunction)(void **state);
typedef int (*CMFixtureFunction)(void **state); /* returns 0 when it went well */

struct CMUnitTest {
    const char *name;
    CMUnitTestFunction test_func;
    CMFixtureFunction setup_func, teardown_func;
    void *initial_state;
};

#define cmocka_unit_test(test) \
    { #test, test, NULL, NULL, NULL }
#define cmocka_unit_test_setup(test, setup) \
    { #test, test, setup, NULL, NULL }
#define cmocka_unit_test_setup_teardown(test, setup, teardown) \
    { #test, test, setup, teardown, NULL }

/* Runs tests, passes over those without a name, and ends with a line "tests: 3 passed, 1 skipped, 0 failed". Returns
 * how many failed. Our groups have no fixtures: both are NULL. */
#define cmocka_run_group_tests(tests, setup, teardown) \
    own_run((tests), sizeof(tests) / sizeof((tests)[0]), (setup), (teardown))
int own_run(const struct CMUnitTest *tests, size_t count, CMFixtureFunction setup, CMFixtureFunction teardown);

/* ---- Words of a test ----------------------------------------------------------------------------------------------*/

#define OWN_HERE __FILE__, __LINE__

/* Ends the running test. */
_Noreturn void own_fail(const char *file, int line, const char *format, ...)
#if defined(__MINGW32__)
    __attribute__((format(gnu_printf, 3, 4))) /* "printf" has no %zu there */
#elif defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
_Noreturn void own_skip(void);
#define fail_msg(...) own_fail(OWN_HERE, __VA_ARGS__)
#define fail() own_fail(OWN_HERE, "failed")
#define skip() own_skip()

#define print_message(...) printf(__VA_ARGS__)
#define print_error(...) fprintf(stderr, __VA_ARGS__)
#define test_malloc(size) malloc(size)
#define test_calloc(count, size) calloc((count), (size))
#define test_free(block) free(block)

#define OWN_REQUIRE(holds, ...) ((holds) ? (void)0 : own_fail(OWN_HERE, __VA_ARGS__))
#define assert_true(value) OWN_REQUIRE((value), "not true: %s", #value)
#define assert_false(value) OWN_REQUIRE(!(value), "true: %s", #value)
#define assert_null(pointer) OWN_REQUIRE((pointer) == NULL, "not NULL: %s", #pointer)
#define assert_non_null(pointer) OWN_REQUIRE((pointer) != NULL, "NULL: %s", #pointer)

/* Integers of any type, and pointers, as numbers. */
void own_compare(uintmax_t a, uintmax_t b, bool equal, const char *text, const char *file, int line);
#define OWN_NUMBERS(type, a, b, equal) \
    own_compare((uintmax_t)(type)(a), (uintmax_t)(type)(b), (equal), #a ", " #b, OWN_HERE)
#define assert_int_equal(a, b) OWN_NUMBERS(uintmax_t, a, b, true)
#define assert_int_not_equal(a, b) OWN_NUMBERS(uintmax_t, a, b, false)
#define assert_ptr_equal(a, b) OWN_NUMBERS(uintptr_t, a, b, true)
#define assert_ptr_not_equal(a, b) OWN_NUMBERS(uintptr_t, a, b, false)

void own_range(uintmax_t value, uintmax_t low, uintmax_t high, const char *text, const char *file, int line);
#define assert_in_range(value, low, high) \
    own_range((uintmax_t)(value), (uintmax_t)(low), (uintmax_t)(high), #value, OWN_HERE)

void own_strings(const char *a, const char *b, bool equal, const char *file, int line);
#define assert_string_equal(a, b) own_strings((a), (b), true, OWN_HERE)
#define assert_string_not_equal(a, b) own_strings((a), (b), false, OWN_HERE)

void own_bytes(const void *a, const void *b, size_t size, bool equal, const char *file, int line);
#define assert_memory_equal(a, b, size) own_bytes((a), (b), (size), true, OWN_HERE)
#define assert_memory_not_equal(a, b, size) own_bytes((a), (b), (size), false, OWN_HERE)

/* ---- Assertions of the code under test ----------------------------------------------------------------------------*/

/* What an assertion handler calls: jumps back to expect_assert_failure, or ends the test when that was not waiting. */
void mock_assert(int holds, const char *what, const char *file, int line);

extern bool own_expects; /* expect_assert_failure waits */
extern jmp_buf own_alarm;

#define expect_assert_failure(call)                               \
    do {                                                          \
        own_expects = true;                                       \
        if (setjmp(own_alarm) == 0) {                             \
            call;                                                 \
            own_expects = false;                                  \
            own_fail(OWN_HERE, "no assertion failed: %s", #call); \
        }                                                         \
        own_expects = false;                                      \
    } while (0)

#endif
