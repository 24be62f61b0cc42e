#include "cmocka.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

typedef enum outcome { PASSED, SKIPPED, FAILED } outcome;

/* The way out of the running test or fixture, and how it ended. */
static jmp_buf way_out;
static outcome end;

static _Noreturn void leave(outcome how) {
    end = how;
    longjmp(way_out, 1);
}

bool own_expects;
jmp_buf own_alarm;

_Noreturn void own_fail(const char *file, int line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: ", file, line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    leave(FAILED);
}

_Noreturn void own_skip(void) { leave(SKIPPED); }

void own_compare(uintmax_t a, uintmax_t b, bool equal, const char *text, const char *file, int line) {
    if ((a == b) == equal) return;
    own_fail(file, line, "%#" PRIxMAX " %s %#" PRIxMAX ": %s", a, equal ? "is not" : "is", b, text);
}

void own_range(uintmax_t value, uintmax_t low, uintmax_t high, const char *text, const char *file, int line) {
    if (low <= value && value <= high) return;
    own_fail(file, line, "%" PRIuMAX " is not from %" PRIuMAX " to %" PRIuMAX ": %s", value, low, high, text);
}

void own_strings(const char *a, const char *b, bool equal, const char *file, int line) {
    if ((strcmp(a, b) == 0) == equal) return;
    own_fail(file, line, "\"%s\" %s \"%s\"", a, equal ? "is not" : "is", b);
}

void own_bytes(const void *a, const void *b, size_t size, bool equal, const char *file, int line) {
    if ((memcmp(a, b, size) == 0) == equal) return;
    own_fail(file, line, "%s of %zu bytes", equal ? "a difference" : "no difference", size);
}

void mock_assert(int holds, const char *what, const char *file, int line) {
    if (holds) return;
    if (own_expects) longjmp(own_alarm, 1);
    own_fail(file, line, "assertion failed: %s", what);
}

/* ---- Running ------------------------------------------------------------------------------------------------------*/

static outcome run_fixture(CMFixtureFunction fixture, void **state) {
    if (setjmp(way_out) != 0) return end;
    return !fixture || fixture(state) == 0 ? PASSED : FAILED;
}

static outcome run_function(CMUnitTestFunction function, void **state) {
    if (setjmp(way_out) != 0) return end;
    function(state);
    return PASSED;
}

/* The fixture is torn down whatever the test did, but not when it was not set up. */
static outcome run_test(const struct CMUnitTest *test) {
    void *state = test->initial_state;
    own_expects = false;
    if (run_fixture(test->setup_func, &state) != PASSED) return FAILED;
    outcome how = run_function(test->test_func, &state);
    own_expects = false;
    return run_fixture(test->teardown_func, &state) == PASSED ? how : FAILED;
}

int own_run(const struct CMUnitTest *tests, size_t count, CMFixtureFunction setup, CMFixtureFunction teardown) {
    static const char *const words[] = { "ok", "skipped", "FAILED" };
    int outcomes[3] = { 0 };
    if (setup || teardown) abort();
    for (const struct CMUnitTest *test = tests; test < tests + count; test++) {
        if (!test->name) continue;
        printf("%s\n", test->name);
        fflush(stdout); /* if it crashes, this is the culprit */
        outcome how = run_test(test);
        printf("    %s\n", words[how]);
        outcomes[how]++;
    }
    printf("tests: %d passed, %d skipped, %d failed\n", outcomes[PASSED], outcomes[SKIPPED], outcomes[FAILED]);
    return outcomes[FAILED];
}
