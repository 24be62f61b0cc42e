/* The inspector: events of components for each second, and the log of failed calls. */
#include "client.h"

#include <pthread.h>
#include <stdio.h>

/* ---- Events -------------------------------------------------------------------------------------------------------*/

typedef struct totals {
    int64_t created, destroyed, added, set, removed;
} totals;

/* The sums of a type over all seconds of an answer. */
static totals sum_of(const json_t *answer, const char *type) {
    totals sum = { 0 };
    size_t i, k;
    json_t *second, *found;
    json_array_foreach(member(answer, "seconds"), i, second) {
        sum.created += number_of(second, "created");
        sum.destroyed += number_of(second, "destroyed");
        json_array_foreach(member(second, "types"), k, found) {
            if (strcmp(text_of(found, "type"), type) != 0) continue;
            sum.added += number_of(found, "added");
            sum.set += number_of(found, "set");
            sum.removed += number_of(found, "removed");
        }
    }
    return sum;
}

static void test_events_are_counted_while_somebody_asks(void **state) {
    (void)state;
    covey_entity e[100];
    covey_pool_of(world, Blocked);
    create_with(covey_id(Packed), 1); /* before the first request: not counted */
    json_decref(get_json("events"));
    assert_true(covey_create_many(world, e, 100));
    for (uint32_t i = 0; i < 100; i++) add_value(e[i], covey_id(Blocked), i);
    for (uint32_t i = 0; i < 30; i++) covey_set(world, e[i], Blocked, { i, ~i });
    for (uint32_t i = 0; i < 20; i++) covey_patch(world, e[i], Blocked, NULL, NULL);
    for (uint32_t i = 0; i < 10; i++) remove_value(e[i], covey_id(Blocked));
    for (uint32_t i = 0; i < 5; i++) covey_destroy(world, e[50 + i]);
    poll_for(20); /* a poll finds new types */
    for (uint32_t i = 0; i < 7; i++) add_value(e[i], covey_id(Pinned), i);
    poll_for(50);
    for (uint32_t i = 7; i < 9; i++) add_value(e[i], covey_id(Pinned), i);
    poll_for(1100); /* the second is over */
    json_t *answer = get_json("events");
    assert_in_range(json_array_size(member(answer, "seconds")), 1, 2);
    totals blocked = sum_of(answer, "Blocked"), pinned = sum_of(answer, "Pinned"), packed = sum_of(answer, "Packed");
    assert_int_equal(blocked.created, 100);
    assert_int_equal(blocked.destroyed, 5);
    assert_int_equal(blocked.added, 100);
    assert_int_equal(blocked.set, 50);
    assert_int_equal(blocked.removed, 15);
    assert_int_equal(pinned.added, 2); /* the first ones were added before the listener was connected */
    assert_int_equal(packed.added, 0);
    json_decref(answer);
}

static void test_listeners_leave_when_nobody_asks(void **state) {
    (void)state;
    create_with(covey_id(Blocked), 1);
    size_t bytes = covey_world_memory(world);
    size_t before = inspector_bytes();
    json_decref(get_json("events"));
    assert_true(covey_world_memory(world) > bytes && inspector_bytes() > before);
    poll_for(5500);
    assert_int_equal(covey_world_memory(world), bytes);
    assert_true(inspector_bytes() <= before + 65536); /* connections keep some memory */
    json_decref(get_json("events"));
    inspect_close(); /* disconnects the listeners at once */
    assert_int_equal(covey_world_memory(world), bytes);
}

static void test_internal_types_are_not_listened_to(void **state) {
    (void)state;
    covey_reactive *set = covey_reactive_create(world, &(covey_reactive_desc){ .added = { covey_id(Blocked) } });
    assert_non_null(set);
    create_with(covey_id(Blocked), 1);
    assert_int_equal(covey_disable(world, covey_entity_at(world, 0)), COVEY_OK);
    uint32_t times = heard.times;
    json_decref(get_json("events"));
    assert_int_equal(heard.times, times); /* nothing was refused */
    inspect_close();
    covey_reactive_destroy(set);
}

/* ---- The log ------------------------------------------------------------------------------------------------------*/

static void fail_about(uint32_t index) { assert_null(covey_add(world, entity(index, 7), Blocked, { 1, 2 })); }

static void test_failed_calls_are_kept(void **state) {
    (void)state;
    json_t *answer = get_json("log");
    assert_int_equal(json_array_size(member(answer, "lines")), 0);
    json_decref(answer);
    for (uint32_t i = 0; i < 3; i++) fail_about(500 + i);
    fail_about(502); /* the same once more */
    answer = get_json("log");
    assert_int_equal(number_of(answer, "count"), 3);
    assert_int_equal(json_array_size(member(answer, "lines")), 3);
    const json_t *line = json_array_get(member(answer, "lines"), 2);
    assert_int_equal(number_of(line, "number"), 3);
    assert_string_equal(text_of(line, "code"), "DEAD");
    assert_string_equal(text_of(line, "text"), heard.text);
    assert_int_equal(number_of(line, "times"), 2);
    json_decref(answer);
    answer = get_json("log?since=2");
    assert_int_equal(json_array_size(member(answer, "lines")), 1);
    assert_int_equal(number_of(json_array_get(member(answer, "lines"), 0), "number"), 3);
    json_decref(answer);
    answer = get_json("log?since=99999999999");
    assert_int_equal(json_array_size(member(answer, "lines")), 0);
    json_decref(answer);
    assert_refused("GET", "log?since=-1", NULL, 422, "ARGUMENT");
}

static void test_the_oldest_lines_go(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 1000; i++) fail_about(i);
    json_t *answer = get_json("log");
    assert_int_equal(number_of(answer, "count"), 1000);
    assert_int_equal(json_array_size(member(answer, "lines")), 256);
    assert_int_equal(number_of(json_array_get(member(answer, "lines"), 0), "number"), 745);
    json_decref(answer);
    uint32_t times = heard.times;
    inspect_close();
    fail_about(1);
    assert_int_equal(heard.times, times + 1); /* the program's own log gets it, too */
}

static void *fail_often(void *context) {
    for (uint32_t i = 0; i < 500; i++) covey_world_fail(context, COVEY_ERROR_RANGE, i % 2 ? "odd" : "even");
    return NULL;
}

static void test_calls_may_fail_on_any_thread(void **state) {
    (void)state;
    pthread_t threads[3];
    covey_world *silent = covey_world_create(NULL); /* the log of the fixture is for one thread */
    covey_inspector *other = covey_inspect_open(silent, NULL);
    assert_non_null(other);
    for (uint32_t i = 0; i < 3; i++) assert_int_equal(pthread_create(&threads[i], NULL, fail_often, silent), 0);
    for (uint32_t i = 0; i < 200; i++) covey_inspect_poll(other);
    for (uint32_t i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    covey_inspect_close(other);
    covey_world_destroy(silent);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        INSPECT_TEST(test_events_are_counted_while_somebody_asks),
        INSPECT_TEST(test_listeners_leave_when_nobody_asks),
        INSPECT_TEST(test_internal_types_are_not_listened_to),
        INSPECT_TEST(test_failed_calls_are_kept),
        INSPECT_TEST(test_the_oldest_lines_go),
        INSPECT_TEST(test_calls_may_fail_on_any_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
