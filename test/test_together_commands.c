/* Signals and command buffers: listeners are told of a replay like of direct calls, and use their own buffers. */
#include "news.h"

#include <covey/commands.h>
#include <covey/schedule.h>
#include <stdio.h>

typedef struct Owned {
    uint32_t number;
} Owned;
static uint32_t owners;

static void drop_owned(void *value, void *context) {
    (void)context, (void)value;
    assert_true(owners-- != 0);
}

COVEY_COMPONENT_DEFINE(Owned, .drop = drop_owned);

static covey_commands *commands, *others;

static int setup(void **state) {
    owners = 0;
    forget_news();
    if (world_setup(state) != 0) return -1;
    commands = covey_commands_create(world, &(covey_commands_desc){ .entities = 4 });
    others = covey_commands_create(world, &(covey_commands_desc){ .entities = 4 });
    return commands && others ? 0 : -1;
}

static int teardown(void **state) {
    test_world_is_valid(world);
    covey_commands_destroy(commands);
    covey_commands_destroy(others);
    int result = world_teardown(state);
    assert_int_equal(owners, 0);
    return result;
}
#define COMMANDS_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static void replay(covey_commands *buffer, covey_result result, uint32_t done, uint32_t skipped, uint32_t left) {
    covey_replay replayed = covey_commands_replay(buffer);
    assert_int_equal(replayed.result, result);
    assert_int_equal(replayed.done, done);
    assert_int_equal(replayed.skipped, skipped);
    assert_int_equal(replayed.left, left);
}

static void record_value(covey_commands *buffer, covey_entity e, const covey_type *type, uint32_t number) {
    Value value = value_of(number);
    assert_true(covey_record_add_raw(buffer, e, type, &value));
}

static void record_owned(covey_commands *buffer, covey_entity e, bool sets) {
    assert_true(sets ? covey_record_set(buffer, e, Owned, { 1 }) : covey_record_add(buffer, e, Owned, { 1 }));
    owners++;
}

/* ---- Who hears ----------------------------------------------------------------------------------------------------*/

static void test_replaying_is_heard(void **state) {
    (void)state;
    covey_queue *queue = covey_queue_create(world);
    covey_entity e = covey_record_create(commands);
    record_value(commands, e, covey_id(Packed), 1);
    record_value(commands, e, covey_id(Blocked), 2);
    Value value = value_of(3);
    covey_record_set_value(commands, e, Packed, &value);
    covey_record_set_value(commands, e, Ordered, &value);
    covey_record_remove(commands, e, Packed);
    covey_record_remove(commands, e, Packed);
    covey_record_destroy(commands, e);
    const covey_type *types[] = { NULL, covey_id(Packed), covey_id(Blocked), covey_id(Ordered) };
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        listen_to(types[i], types[i] ? OF_COMPONENTS : OF_ENTITIES, note_news, NULL);
        queue_up(queue, types[i], types[i] ? OF_COMPONENTS : OF_ENTITIES);
    }
    replay(commands, COVEY_OK, 8, 0, 0);
    assert_news("*0 +Pa0 +Bl0 =Pa0 +Or0 -Pa0 !0 -Bl0 -Or0 ");
    assert_queued_news(queue, "*0 +Pa0 +Bl0 =Pa0 +Or0 -Pa0 !0 -Bl0 -Or0 ");
}

static void test_reactive_sets_collect_what_is_replayed(void **state) {
    (void)state;
    covey_reactive *touched = covey_reactive_create(
        world, &(covey_reactive_desc){ .added = { covey_id(Packed) }, .set = { covey_id(Blocked) } });
    covey_entity e = covey_record_create(commands), other = create_with(covey_id(Blocked), 1);
    Value value = value_of(2);
    record_value(commands, e, covey_id(Packed), 1);
    covey_record_set_value(commands, other, Blocked, &value);
    replay(commands, COVEY_OK, 3, 0, 0);
    assert_int_equal(covey_reactive_count(touched), 2);
    assert_true(covey_reactive_contains(touched, e) && covey_reactive_contains(touched, other));
}

/* ---- Listeners with buffers ---------------------------------------------------------------------------------------*/

static void record_reply(const covey_event *event, void *context) {
    (void)context;
    covey_entity e = covey_record_create(others);
    assert_false(covey_is_null(e));
    record_value(others, e, covey_id(Ordered), event->entities->index);
}

static void test_listeners_record_into_another_buffer(void **state) {
    (void)state;
    listen_to(covey_id(Packed), COVEY_ON_ADD, record_reply, NULL);
    for (uint32_t i = 0; i < 3; i++) record_value(commands, covey_record_create(commands), covey_id(Packed), i);
    replay(commands, COVEY_OK, 6, 0, 0);
    replay(others, COVEY_OK, 6, 0, 0);
    assert_int_equal(covey_pool_count(covey_pool_of(world, Ordered)), 3);
}

static void replay_reply(const covey_event *event, void *context) {
    (void)context;
    covey_entity e = covey_record_create(others);
    record_value(others, e, covey_id(Ordered), event->entities->index);
    replay(others, COVEY_OK, 2, 0, 0);
    assert_true(covey_alive(world, e));
}

static void test_listeners_replay_another_buffer(void **state) {
    (void)state;
    listen_to(covey_id(Packed), COVEY_ON_ADD, replay_reply, NULL);
    listen_to(NULL, OF_ENTITIES, note_news, NULL);
    for (uint32_t i = 0; i < 3; i++) record_value(commands, covey_record_create(commands), covey_id(Packed), i);
    replay(commands, COVEY_OK, 6, 0, 0);
    assert_int_equal(covey_pool_count(covey_pool_of(world, Ordered)), 3);
    assert_news("*0 *4 *1 *5 *2 *6 ");
}

static void record_into_same(const covey_event *event, void *context) {
    (void)context;
    assert_no_entity(covey_record_create(commands));
    assert_false(covey_record_destroy(commands, *event->entities));
    assert_false(covey_record_remove(commands, *event->entities, Packed));
    assert_false(covey_record_add(commands, *event->entities, Ordered, { 1, 2 }));
    assert_int_equal(covey_commands_result(commands), COVEY_ERROR_REFUSED);
    assert_int_equal(covey_commands_reserve(commands, 20), COVEY_ERROR_REFUSED);
}

static void test_listeners_cannot_record_into_the_buffer_that_is_replayed(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 3; i++) record_value(commands, covey_record_create(commands), covey_id(Packed), i);
    listen_to(covey_id(Packed), COVEY_ON_ADD, record_into_same, NULL);
    listen_to(NULL, COVEY_ON_CREATE, record_into_same, NULL);
    covey_replay replayed = covey_commands_replay(commands);
    assert_true(replayed.result == COVEY_ERROR_REFUSED && replayed.done == 6 && replayed.left == 0);
    assert_int_equal(replayed.lost, 6 * 4);
    assert_int_equal(covey_entity_count(world), 3);
}

/* ---- What listeners undo ------------------------------------------------------------------------------------------*/

static void remove_at_once(const covey_event *event, void *context) {
    (void)context;
    assert_true(covey_remove(world, *event->entities, Owned));
}

static void test_a_value_that_a_listener_removes_at_once_was_added(void **state) {
    (void)state;
    covey_entity e = covey_create(world), other = covey_create(world);
    listen_to(covey_id(Owned), COVEY_ON_ADD, remove_at_once, NULL);
    record_owned(commands, e, false);
    record_owned(commands, other, true);
    record_owned(commands, e, true);
    covey_record_destroy(commands, other);
    replay(commands, COVEY_OK, 4, 0, 0);
    assert_int_equal(owners, 0);
    assert_false(covey_has(world, e, Owned));
}

static void destroy_at_once(const covey_event *event, void *context) {
    (void)context;
    assert_true(covey_destroy(world, *event->entities));
}

static void test_commands_about_an_entity_that_a_listener_destroys_at_once_are_skipped(void **state) {
    (void)state;
    covey_entity e = covey_record_create(commands), other = covey_record_create(commands);
    record_owned(commands, e, false);
    record_owned(commands, other, true);
    covey_record_destroy(commands, e);
    listen_to(NULL, COVEY_ON_CREATE, destroy_at_once, NULL);
    replay(commands, COVEY_OK, 2, 3, 0);
    assert_int_equal(owners, 0);
    assert_int_equal(covey_entity_count(world), 0);
    test_world_is_valid(world);
    assert_false(covey_same(covey_record_create(commands), e));
}

/* ---- Entities that end --------------------------------------------------------------------------------------------*/

static void replay_others(const covey_event *event, void *context) {
    (void)event, (void)context;
    replay(others, COVEY_OK, 2, 3, 0);
}

/* An entity that is being destroyed takes no component: it counts as dead. What it has may still be set and removed. */
static void test_what_is_to_be_added_to_a_dying_entity_is_skipped(void **state) {
    (void)state;
    covey_entity e = create_with(covey_id(Packed), 1), other = covey_create(world);
    Value value = value_of(7);
    record_owned(others, e, false);
    record_owned(others, e, true);
    covey_record_set_value(others, e, Packed, &value);
    record_owned(others, other, false);
    covey_record_destroy(others, e);
    covey_connection connection = listen_to(NULL, COVEY_ON_DESTROY, replay_others, NULL);
    listen_to(covey_id(Packed), COVEY_ON_SET, note_news, NULL); /* so that setting takes care */
    assert_true(covey_destroy(world, e));
    covey_disconnect(world, connection);
    assert_int_equal(owners, 1);
    char news[16];
    snprintf(news, sizeof news, "=Pa%u ", e.index);
    assert_news(news);
    assert_true(covey_has(world, other, Owned));
}

static void record_add_to_it(const covey_event *event, void *context) {
    (void)context;
    record_value(commands, *event->entities, covey_id(Packed), 1);
}

static void test_what_is_recorded_for_an_entity_that_ends_is_skipped_later(void **state) {
    (void)state;
    covey_connection connection = listen_to(NULL, COVEY_ON_DESTROY, record_add_to_it, NULL);
    assert_true(covey_destroy(world, covey_create(world)));
    covey_disconnect(world, connection);
    replay(commands, COVEY_OK, 0, 1, 0);
}

/* ---- Memory -------------------------------------------------------------------------------------------------------*/

/* Replays with every allocation failing in turn, for good, until none does; each time it goes on where it stopped. */
static void test_replaying_goes_on_when_memory_for_queues_is_back(void **state) {
    (void)state;
    uint32_t stops = 0, created = 0;
    covey_queue *queue = covey_queue_create(world);
    queue_up(queue, NULL, COVEY_ON_CREATE);
    queue_up(queue, NULL, COVEY_ON_DESTROY);
    queue_up(queue, covey_id(Packed), OF_COMPONENTS);
    for (uint64_t at = 1; at <= 12; at++) {
        for (; commands->taken != commands->id_count; created++)
            record_value(commands, covey_record_create(commands), covey_id(Packed), 1);
        test_fail_at(&heap, at, true);
        covey_replay replayed = covey_commands_replay(commands);
        test_fail_never(&heap);
        test_world_is_valid(world);
        assert_int_equal(replayed.result, replayed.left != 0 ? COVEY_ERROR_MEMORY : COVEY_OK);
        if (replayed.left != 0) {
            stops++;
            assert_int_equal(covey_commands_count(commands), replayed.left);
            assert_failed(COVEY_ERROR_MEMORY);
            replay(commands, COVEY_OK, replayed.left, 0, 0);
        }
        test_world_is_valid(world);
        assert_int_equal(covey_entity_count(world), created);
        assert_int_equal(covey_queue_count(queue), 2 * created);
    }
    assert_true(stops != 0);
    test_fail_at(&heap, 1, true);
    covey_destroy_all(world);
    test_fail_never(&heap);
    assert_int_equal(covey_queue_count(queue), 4 * created);
}

/* ---- Systems ------------------------------------------------------------------------------------------------------*/

/* Creates so many for each that it visits, and looks at no result. */
static void spawn(covey_job *job, void *context) {
    while (covey_next(&job->it))
        for (uint32_t i = 0; i < job->it.count; i++)
            for (uint32_t k = 0; k < *(uint32_t *)context; k++)
                covey_record_add(job->commands, covey_record_create(job->commands), Packed, { k, ~k });
}

static void run_spawning(bool exclusive, uint32_t creates, uint32_t wanted, covey_result result, uint32_t made) {
    covey_schedule *schedule = covey_schedule_create(world, &(covey_schedule_desc){ .threads = 2 });
    covey_system system = { .name = "spawn",
                            .run = spawn,
                            .context = &wanted,
                            .exclusive = exclusive,
                            .creates = creates,
                            .view = { .with = { covey_id(Blocked) } } };
    assert_int_equal(covey_system_add(schedule, &system), COVEY_OK);
    uint32_t before = covey_entity_count(world);
    assert_int_equal(covey_schedule_run(schedule), result);
    assert_int_equal(covey_entity_count(world), before + made);
    const char *lost = strstr(covey_schedule_failure(schedule), "of system spawn, piece 0, could not be recorded");
    assert_int_equal(lost != NULL, result != COVEY_OK);
    wanted = 0;
    assert_int_equal(covey_schedule_run(schedule), COVEY_OK);
    test_world_is_valid(world);
    covey_schedule_destroy(schedule);
}

static void test_a_system_creates_as_many_as_it_said(void **state) {
    (void)state;
    create_with(covey_id(Blocked), 1);
    run_spawning(false, 3, 3, COVEY_OK, 3);
    run_spawning(false, 3, 4, COVEY_ERROR_FULL, 3); /* the one that is lost is no OK */
    run_spawning(false, 0, 1, COVEY_ERROR_FULL, 0); /* also where nothing else was recorded */
    run_spawning(true, 0, 20, COVEY_OK, 20);        /* alone: it takes them from the world */
}

/* ---- Ends ---------------------------------------------------------------------------------------------------------*/

static void record_last(const covey_event *event, void *buffer) {
    covey_entity e = covey_record_create(buffer);
    assert_true(covey_record_destroy(buffer, *event->entities));
    if (!covey_is_null(e)) record_owned(buffer, e, false);
}

/* Listeners note_news of the end of all entities when a world ends: until then its buffers are there. */
static void test_listeners_record_while_the_world_ends(void **state) {
    (void)state;
    covey_world_desc desc = world_desc();
    covey_world *fixture = world;
    world = covey_world_create(&desc);
    covey_commands *last = covey_commands_create(world, &(covey_commands_desc){ .entities = 2 });
    listen_to(NULL, COVEY_ON_DESTROY, record_last, last);
    for (uint32_t i = 0; i < 5; i++) covey_create(world);
    covey_world_destroy(world);
    world = fixture;
    assert_int_equal(owners, 0);
}

static covey_result end_world(covey_world *from, void *data) {
    (void)data;
    if (from) expect_assert_failure(covey_world_destroy(from));
    return COVEY_OK;
}

static void test_a_recorded_function_must_not_destroy_the_world(void **state) {
    (void)state;
    if (COVEY_ASSERT_LEVEL == 0) skip();
    assert_true(covey_record_call(commands, end_world, NULL, 0));
    replay(commands, COVEY_OK, 1, 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        COMMANDS_TEST(test_replaying_is_heard),
        COMMANDS_TEST(test_a_system_creates_as_many_as_it_said),
        COMMANDS_TEST(test_reactive_sets_collect_what_is_replayed),
        COMMANDS_TEST(test_listeners_record_into_another_buffer),
        COMMANDS_TEST(test_listeners_replay_another_buffer),
        COMMANDS_TEST(test_listeners_cannot_record_into_the_buffer_that_is_replayed),
        COMMANDS_TEST(test_a_value_that_a_listener_removes_at_once_was_added),
        COMMANDS_TEST(test_commands_about_an_entity_that_a_listener_destroys_at_once_are_skipped),
        COMMANDS_TEST(test_what_is_to_be_added_to_a_dying_entity_is_skipped),
        COMMANDS_TEST(test_what_is_recorded_for_an_entity_that_ends_is_skipped_later),
        COMMANDS_TEST(test_replaying_goes_on_when_memory_for_queues_is_back),
        COMMANDS_TEST(test_listeners_record_while_the_world_ends),
        COMMANDS_TEST(test_a_recorded_function_must_not_destroy_the_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
