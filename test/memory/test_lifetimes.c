/* What was made from a world ends before it or, where it belongs to the world, with it: each kind of object, in both
 * orders. Sanitizers find what is used or freed twice, and the allocator what is not freed. */
#include "fixture.h"

#include <covey/commands.h>
#include <covey/history.h>
#include <covey/image.h>
#include <covey/schedule.h>
#include <string.h>

static covey_world *made;
static char broken[256];
static uint32_t broken_times;

static void note_broken(const char *what, const char *file, int line, void *context) {
    (void)file, (void)line, (void)context;
    broken_times++;
    strncpy(broken, what, sizeof broken - 1);
}

static void make_world(void) {
    covey_world_desc desc = world_desc();
    desc.on_assert = note_broken;
    broken_times = 0;
    made = covey_world_create(&desc);
    assert_non_null(made);
    assert_non_null(covey_add(made, covey_create(made), Blocked, { 1, ~1u }));
}

/* Contracts are checked at assertion level 1. */
static void assert_broken(const char *words) {
    if (COVEY_ASSERT_LEVEL >= 1) {
        assert_int_equal(broken_times, 1);
        assert_non_null(strstr(broken, words));
    }
    broken_times = 0;
}

static void end_world(void) {
    covey_world_destroy(made);
    assert_int_equal(broken_times, 0);
}

static int nothing_is_left(void **state) {
    (void)state;
    assert_int_equal(heap.bytes, 0);
    assert_int_equal(heap.blocks, 0);
    return 0;
}
#define LIFETIME_TEST(test) cmocka_unit_test_setup_teardown(test, no_world, nothing_is_left)

static int no_world(void **state) {
    (void)state;
    heap = (test_heap){ 0 };
    return 0;
}

/* ---- What belongs to the world ------------------------------------------------------------------------------------*/

static covey_group *make_group(void) {
    return covey_group_create(made, &(covey_group_desc){ .with = { covey_id(Blocked), covey_id(Packed) } });
}

static covey_reactive *make_reactive(void) {
    return covey_reactive_create(made,
                                 &(covey_reactive_desc){ .added = { covey_id(Blocked) }, .keep_destroyed = true });
}

static covey_queue *make_queue(void) {
    covey_queue *queue = covey_queue_create(made);
    covey_listener listener = { .type = covey_id(Blocked), .signals = COVEY_ON_REMOVE, .queue = queue };
    assert_true(covey_connect(made, &listener).number != 0);
    return queue;
}

static covey_commands *make_commands(void) {
    covey_commands *commands = covey_commands_create(made, NULL);
    assert_false(covey_is_null(covey_record_create(commands)));
    return commands;
}

static covey_history *make_history(void) {
    covey_history *history = covey_history_create(made, 2);
    assert_true(covey_history_save(history));
    return history;
}

#define BELONGS_TO_THE_WORLD(thing)                                    \
    static void test_a_##thing##_ends_before_its_world(void **state) { \
        (void)state;                                                   \
        make_world();                                                  \
        covey_##thing##_destroy(make_##thing());                       \
        end_world();                                                   \
    }                                                                  \
    static void test_a_##thing##_ends_with_its_world(void **state) {   \
        (void)state;                                                   \
        make_world();                                                  \
        assert_non_null(make_##thing());                               \
        end_world();                                                   \
    }
BELONGS_TO_THE_WORLD(group)
BELONGS_TO_THE_WORLD(reactive)
BELONGS_TO_THE_WORLD(queue)
BELONGS_TO_THE_WORLD(commands)
BELONGS_TO_THE_WORLD(history)

/* ---- Schedules ----------------------------------------------------------------------------------------------------*/

static uint32_t dropped, ran;

static void count_drop(void *context) { ++*(uint32_t *)context; }

static void create_one(covey_job *job, void *context) {
    (void)context;
    ran++;
    covey_record_create(job->commands);
}

static const covey_system creating = { .name = "create",
                                       .run = create_one,
                                       .creates = 4,
                                       .context = &dropped,
                                       .drop = count_drop,
                                       .view = { .with = { covey_id(Blocked) } },
                                       .split = true };

static covey_schedule *make_schedule(void) {
    covey_schedule *schedule = covey_schedule_create(made, &(covey_schedule_desc){ .threads = 2 });
    dropped = ran = 0;
    assert_int_equal(covey_system_add(schedule, &creating), COVEY_OK);
    assert_int_equal(covey_schedule_run(schedule), COVEY_OK);
    assert_true(ran != 0);
    return schedule;
}

static void test_a_schedule_ends_before_its_world(void **state) {
    (void)state;
    make_world();
    covey_schedule_destroy(make_schedule());
    assert_int_equal(dropped, 1);
    end_world();
}

static void test_a_schedule_that_is_left_lets_go_of_its_world(void **state) {
    (void)state;
    make_world();
    covey_schedule *schedule = make_schedule();
    covey_world_destroy(made);
    assert_broken("covey_schedule_destroy first");
    assert_int_equal(dropped, 1);
    ran = 0;
    assert_int_equal(covey_schedule_run(schedule), COVEY_ERROR_REFUSED);
    assert_int_equal(covey_system_add(schedule, &creating), COVEY_ERROR_REFUSED);
    assert_int_equal(covey_phase_add(schedule, &(covey_phase){ .name = "late" }), COVEY_ERROR_REFUSED);
    assert_false(covey_system_remove(schedule, "create") || covey_schedule_skip(schedule));
    assert_int_equal(covey_schedule_stats(schedule, NULL, 0), 0);
    assert_int_equal(ran, 0);
    covey_schedule_destroy(schedule);
    assert_int_equal(dropped, 1);
    assert_int_equal(broken_times, 0);
}

static void destroy_world(covey_job *job, void *context) {
    (void)context;
    covey_world_destroy(job->world);
}

static void test_a_system_cannot_destroy_the_world(void **state) {
    (void)state;
    make_world();
    covey_schedule *schedule = covey_schedule_create(made, NULL);
    covey_system_add(schedule, &(covey_system){ .name = "end", .run = destroy_world, .exclusive = true });
    assert_int_equal(covey_schedule_run(schedule), COVEY_OK);
    assert_broken("while its schedule runs");
    assert_int_equal(covey_entity_count(made), 1);
    covey_schedule_destroy(schedule);
    end_world();
}

/* ---- Followers ----------------------------------------------------------------------------------------------------*/

static covey_buffer an_image(void) {
    covey_buffer image = { 0 };
    covey_world *source = covey_world_create(NULL);
    covey_create(source);
    assert_int_equal(covey_save_to_buffer(source, &image, NULL, NULL), COVEY_OK);
    covey_world_destroy(source);
    return image;
}

static void test_a_follower_ends_before_its_world(void **state) {
    (void)state;
    make_world();
    covey_follower *follower = covey_follower_create(made), *second = covey_follower_create(made);
    covey_follower_destroy(follower);
    covey_follower_destroy(second);
    end_world();
}

static covey_follower *left;

static void find_in_left(const covey_event *event, void *context) {
    (void)event, (void)context;
    assert_true(covey_is_null(covey_follower_find(left, entity(0, 1))));
}

/* Also with listeners to the end of its entities. */
static void test_a_follower_that_is_left_lets_go_of_its_world(void **state) {
    (void)state;
    covey_report report;
    covey_buffer image = an_image();
    make_world();
    left = covey_follower_create(made);
    assert_int_equal(covey_follow_from_memory(left, image.bytes, image.size, NULL, NULL), COVEY_OK);
    covey_connect(made, &(covey_listener){ .signals = COVEY_ON_DESTROY, .call = find_in_left });
    covey_world_destroy(made);
    assert_broken("covey_follower_destroy first");
    assert_int_equal(covey_follow_from_memory(left, image.bytes, image.size, NULL, &report), COVEY_ERROR_REFUSED);
    assert_int_equal(report.result, COVEY_ERROR_REFUSED);
    assert_non_null(strstr(report.text, "its world was destroyed"));
    find_in_left(NULL, NULL);
    covey_follower_destroy(left);
    covey_buffer_free(&image);
}

static void destroy_made(covey_entity before, covey_entity now, void *context) {
    (void)before, (void)now, (void)context;
    covey_world_destroy(made);
}

static void test_a_world_that_follows_is_not_destroyed(void **state) {
    (void)state;
    covey_buffer image = an_image();
    make_world();
    covey_follower *follower = covey_follower_create(made);
    covey_load_desc desc = { .merged = destroy_made };
    assert_int_equal(covey_follow_from_memory(follower, image.bytes, image.size, &desc, NULL), COVEY_OK);
    assert_broken("its follower reads an image");
    covey_follower_destroy(follower);
    covey_buffer_free(&image);
    end_world();
}

/* ---- Objects of other libraries -----------------------------------------------------------------------------------*/

static uint32_t ended;

static void note_end(covey_dependent *dependent) {
    assert_int_equal(covey_entity_count(dependent->world), 1); /* nothing has ended yet */
    ended++;
}

static void test_dependents_hear_of_the_end_only_if_they_are_left(void **state) {
    (void)state;
    covey_dependent all[3];
    make_world();
    ended = 0;
    for (uint32_t i = 0; i < COUNT_OF(all); i++) {
        all[i] = (covey_dependent){ .left = "one is left", .ended = i == 1 ? note_end : NULL };
        covey_dependent_attach(made, &all[i]);
        test_world_is_valid(made);
    }
    covey_dependent_detach(&all[2]);
    covey_dependent_detach(&all[0]);
    covey_dependent_detach(&all[0]);
    test_world_is_valid(made);
    covey_world *clone = covey_world_clone(made, NULL);
    covey_world_destroy(clone);
    assert_int_equal(ended + broken_times, 0);
    covey_world_destroy(made);
    assert_broken("one is left");
    assert_int_equal(ended, 1);
    assert_null(all[1].world);
    covey_dependent_detach(&all[1]);
    covey_dependent_detach(NULL);
}

static void test_a_world_is_not_destroyed_while_a_dependent_is_busy(void **state) {
    (void)state;
    covey_dependent one = { .left = "one is left", .busy = true };
    make_world();
    covey_dependent_attach(made, &one);
    covey_world_destroy(made);
    assert_broken("do it afterwards");
    assert_int_equal(covey_entity_count(made), 1);
    covey_dependent_detach(&one);
    end_world();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        LIFETIME_TEST(test_a_group_ends_before_its_world),
        LIFETIME_TEST(test_a_group_ends_with_its_world),
        LIFETIME_TEST(test_a_reactive_ends_before_its_world),
        LIFETIME_TEST(test_a_reactive_ends_with_its_world),
        LIFETIME_TEST(test_a_queue_ends_before_its_world),
        LIFETIME_TEST(test_a_queue_ends_with_its_world),
        LIFETIME_TEST(test_a_commands_ends_before_its_world),
        LIFETIME_TEST(test_a_commands_ends_with_its_world),
        LIFETIME_TEST(test_a_history_ends_before_its_world),
        LIFETIME_TEST(test_a_history_ends_with_its_world),
        LIFETIME_TEST(test_a_schedule_ends_before_its_world),
        LIFETIME_TEST(test_a_schedule_that_is_left_lets_go_of_its_world),
        LIFETIME_TEST(test_a_system_cannot_destroy_the_world),
        LIFETIME_TEST(test_a_follower_ends_before_its_world),
        LIFETIME_TEST(test_a_follower_that_is_left_lets_go_of_its_world),
        LIFETIME_TEST(test_a_world_that_follows_is_not_destroyed),
        LIFETIME_TEST(test_dependents_hear_of_the_end_only_if_they_are_left),
        LIFETIME_TEST(test_a_world_is_not_destroyed_while_a_dependent_is_busy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
