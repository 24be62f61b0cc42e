/* A program at assertion level 1 with a library at level 0, as an installed one is: what is found without traces. */
#define _POSIX_C_SOURCE 200809L
#include <covey/covey.h>

/* cmocka needs these before its own header. */
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>
#include <unistd.h>

typedef struct Place {
    float x, y;
} Place;
typedef Place Packed;
COVEY_COMPONENT_DEFINE(Place);
COVEY_COMPONENT_DEFINE(Packed, .storage = COVEY_STORAGE_SPARSE);

static char broken[512];
static jmp_buf back;
static void note_broken(const char *what, const char *file, int line, void *context) {
    (void)file, (void)line, (void)context;
    snprintf(broken, sizeof broken, "%s", what);
    longjmp(back, 1);
}

static covey_world *world;
static covey_entity e[10];
static covey_view view;
static covey_iter it;
static covey_row row;

static int setup(void **state) {
    (void)state;
    broken[0] = '\0';
    row = (covey_row){ 0 };
    world = covey_world_create(&(covey_world_desc){ .on_assert = note_broken });
    if (!world || !covey_create_many(world, e, 10)) return -1;
    for (uint32_t i = 0; i < 9; i++)
        if (!covey_add(world, e[i], Place, { 1, 2 }) || !covey_add(world, e[i], Packed, { 1, 2 })) return -1;
    view = covey_view_of(world, Place, Packed);
    it = covey_view_iter(&view);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    covey_world_destroy(world);
    return 0;
}

static void step_span(void) { (void)covey_next(&it); }
static void step_row(void) { (void)covey_next_row(&it, &row); }

/* Runs a step that must break a contract, with these words. */
static void assert_broken(void (*step)(void), const char *words) {
    if (setjmp(back) == 0) step();
    assert_non_null(strstr(broken, words));
}

static void add_one(void) { covey_add(world, e[9], Packed, { 1, 2 }); }
static void remove_one(void) { covey_remove(world, e[5], Place); }
static void destroy_one(void) { covey_destroy(world, e[5]); }
static void destroy_many(void) { covey_destroy_many(world, e + 4, 3); }
static void clear(void) { covey_clear(world, Place); }

static void test_a_structural_change_in_a_span(void **state) {
    static void (*const changes[])(void) = { add_one, remove_one, destroy_one, destroy_many, clear };
    for (uint32_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        assert_true(covey_next(&it));
        changes[i]();
        assert_broken(step_span, " changed while a span of the view of Place, Packed was open");
        teardown(state);
        assert_int_equal(setup(state), 0);
    }
}

static void test_another_entity_that_loses_a_component_while_rows_are_visited(void **state) {
    static void (*const changes[])(void) = { remove_one, destroy_one, destroy_many, clear };
    for (uint32_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        assert_true(covey_next_row(&it, &row));
        changes[i]();
        assert_broken(step_row, "another entity than the row's lost Place");
        teardown(state);
        assert_int_equal(setup(state), 0);
    }
}

/* What an installed library says: the program finds nothing out before the next line crashes. */
static void test_failures_are_printed(void **state) {
    char text[256] = "";
    int ends[2], before = dup(STDERR_FILENO);
    (void)state;
    assert_true(before >= 0 && pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0);
    covey_result result = covey_pool_sort(covey_pool_of(world, Place), &(covey_order){ .key = COVEY_KEY_F32 });
    assert_true(dup2(before, STDERR_FILENO) >= 0 && read(ends[0], text, sizeof text - 1) > 0);
    close(before), close(ends[0]), close(ends[1]);
    assert_int_equal(result, COVEY_ERROR_REFUSED);
    assert_string_equal(
        text, "covey: Place could not be sorted: it is in blocks, which are in the order of indices: define it "
              "with .storage = COVEY_STORAGE_SPARSE\n");
}

static void test_what_a_row_may_do(void **state) {
    (void)state;
    uint32_t rows = 0;
    while (covey_next_row(&it, &row)) {
        covey_entity own = covey_row_entity(&it, row), other = covey_create(world);
        assert_non_null(covey_add(world, other, Place, { 3, 4 }));
        if (rows % 3 == 0) assert_true(covey_remove(world, own, Packed));
        else if (rows % 3 == 1) assert_true(covey_destroy(world, own));
        else assert_true(covey_remove(world, own, Place) && covey_add(world, own, Place, { 5, 6 }));
        rows++;
    }
    assert_int_equal(rows, 9);
    assert_string_equal(broken, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_structural_change_in_a_span, setup, teardown),
        cmocka_unit_test_setup_teardown(test_another_entity_that_loses_a_component_while_rows_are_visited, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_what_a_row_may_do, setup, teardown),
        cmocka_unit_test_setup_teardown(test_failures_are_printed, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
