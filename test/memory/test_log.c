/* Logs that are told of failed calls beside the log that a world was made with. */
#include "fixture.h"

#include <covey/image.h>
#include <stdio.h>

typedef struct hearer {
    covey_log_listener listener;
    uint32_t times;
    covey_result result;
    char text[256];
    covey_world *leaves; /* the world from which it disconnects itself */
} hearer;

static uint32_t called; /* hearers in all: to see the order */
static hearer *order[8];

static void hear(covey_result item, const char *text, void *context) {
    hearer *h = context;
    h->times++;
    h->result = item;
    snprintf(h->text, sizeof h->text, "%s", text);
    if (called < COUNT_OF(order)) order[called] = h;
    called++;
    if (h->leaves) assert_true(covey_log_disconnect(h->leaves, &h->listener));
}

static void join(hearer *h) {
    *h = (hearer){ .listener = { .log = hear, .context = h } };
    called = 0;
    covey_log_connect(world, &h->listener);
}

static void fail_once(void) { assert_null(covey_add(world, entity(7, 7), Blocked, { 1, 2 })); }

static void test_all_hear_of_a_failure_in_their_order(void **state) {
    (void)state;
    hearer a, b;
    join(&a);
    join(&b);
    uint32_t before = heard.times;
    fail_once();
    assert_int_equal(heard.times, before + 1); /* the log of the description is still called */
    assert_int_equal(a.times, 1);
    assert_int_equal(b.times, 1);
    assert_int_equal(a.result, COVEY_ERROR_DEAD);
    assert_string_equal(a.text, heard.text);
    assert_true(called == 2 && order[0] == &a && order[1] == &b);
}

static void test_one_that_has_left_hears_nothing(void **state) {
    (void)state;
    hearer a, b, c;
    join(&a), join(&b), join(&c);
    assert_true(covey_log_disconnect(world, &b.listener));
    assert_false(covey_log_disconnect(world, &b.listener));
    fail_once();
    assert_true(a.times == 1 && b.times == 0 && c.times == 1);
    covey_log_connect(world, &b.listener); /* and may come back */
    fail_once();
    assert_true(a.times == 2 && b.times == 1 && c.times == 2);
    assert_true(covey_log_disconnect(world, &a.listener) && covey_log_disconnect(world, &c.listener));
    fail_once();
    assert_true(a.times == 2 && b.times == 2 && c.times == 2);
}

static void test_one_may_leave_while_it_is_told(void **state) {
    (void)state;
    hearer a, b;
    join(&a), join(&b);
    a.leaves = world;
    fail_once();
    fail_once();
    assert_true(a.times == 1 && b.times == 2);
}

static void test_a_world_without_a_log_can_be_heard(void **state) {
    (void)state;
    covey_world_desc desc = world_desc();
    desc.log = NULL;
    world_teardown(NULL);
    world = covey_world_create(&desc);
    hearer a;
    join(&a);
    fail_once();
    assert_int_equal(a.times, 1);
    covey_world_destroy(world);
    assert_int_equal(world_setup(NULL), 0);
}

static void test_a_clone_does_not_have_it(void **state) {
    (void)state;
    hearer a;
    join(&a);
    covey_world *twin = covey_world_clone(world, NULL);
    uint32_t before = heard.times;
    assert_null(covey_add(twin, entity(7, 7), Blocked, { 1, 2 }));
    assert_int_equal(heard.times, before + 1);
    assert_int_equal(a.times, 0);
    covey_world_destroy(twin);
}

/* What fails inside of a call that says so itself is told once. */
static void test_loading_says_one_sentence(void **state) {
    (void)state;
    hearer a;
    join(&a);
    uint32_t before = heard.times;
    assert_int_not_equal(covey_load_from_memory(world, "nonsense", 8, NULL, NULL), COVEY_OK);
    assert_int_equal(a.times, 1);
    assert_int_equal(heard.times, before + 1);
    fail_once();
    assert_int_equal(a.times, 2);
    assert_int_not_equal(covey_save_to_file(world, "/nowhere/at/all", NULL, NULL), COVEY_OK);
    assert_int_equal(a.times, 3);
    fail_once();
    assert_int_equal(a.times, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_all_hear_of_a_failure_in_their_order),
        WORLD_TEST(test_one_that_has_left_hears_nothing),
        WORLD_TEST(test_one_may_leave_while_it_is_told),
        WORLD_TEST(test_a_world_without_a_log_can_be_heard),
        WORLD_TEST(test_a_clone_does_not_have_it),
        WORLD_TEST(test_loading_says_one_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
