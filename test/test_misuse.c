/* Calls that break a contract, in a program whose assertion handler returns, and without assertions: they are refused,
 * and the world stays as it was. test_contracts.c is about what the assertions say. */
#include "fixture.h"

#include <covey/commands.h>
#include <covey/fields.h>
#include <covey/lookup.h>
#include <covey/schedule.h>

static uint32_t broken; /* contracts */
static void note_broken(const char *what, const char *file, int line, void *context) {
    (void)what, (void)file, (void)line, (void)context;
    broken++;
}

/* The fixture's world, with a handler that returns. */
static int setup(void **state) {
    covey_world_desc desc = world_desc();
    (void)state;
    heap = (test_heap){ 0 };
    heard = (test_heard){ 0 };
    broken = 0;
    desc.allocator = test_allocator(&heap);
    desc.on_assert = note_broken;
    world = covey_world_create(&desc);
    return world ? 0 : -1;
}
#define MISUSE_TEST(test) cmocka_unit_test_setup_teardown(test, setup, world_teardown)

/* So many contracts were broken since the last time, if the library finds that. */
static void assert_broken(uint32_t times) {
    assert_int_equal(broken, COVEY_ASSERT_LEVEL >= 1 ? times : 0);
    broken = 0;
}

/* ---- Arrays and listeners -----------------------------------------------------------------------------------------*/

static void test_no_entities_are_created_without_an_array_for_them(void **state) {
    (void)state;
    assert_false(covey_create_many(world, NULL, 3));
    assert_failed(COVEY_ERROR_RANGE);
    assert_false(covey_create_many_with(world, NULL, 3, covey_with_default(Blocked)));
    assert_failed(COVEY_ERROR_RANGE);
    assert_int_equal(covey_entity_count(world), 0);
    assert_true(covey_create_many(world, NULL, 0));
}

static void count_failure(covey_result result, const char *text, void *context) {
    (void)result, (void)text;
    ++*(uint32_t *)context;
}

static void test_a_log_listener_that_is_connected_twice_is_called_once(void **state) {
    (void)state;
    uint32_t calls = 0, others = 0;
    covey_log_listener listener = { .log = count_failure, .context = &calls };
    covey_log_listener other = { .log = count_failure, .context = &others };
    covey_log_connect(world, &listener);
    covey_log_connect(world, &other);
    covey_log_connect(world, &listener);
    assert_broken(1);
    (void)covey_pool_of_raw(world, &(covey_type){ .name = "wrong", .size = 3, .align = 2 });
    assert_int_equal(calls, 1);
    assert_int_equal(others, 1);
    assert_true(covey_log_disconnect(world, &listener));
    assert_true(covey_log_disconnect(world, &other));
}

static void destroy_the_world(const covey_event *event, void *context) {
    (void)event;
    ++*(uint32_t *)context;
    covey_world_destroy(world);
}

static void test_a_listener_does_not_destroy_the_world(void **state) {
    (void)state;
    uint32_t calls = 0;
    covey_connect(world, &(covey_listener){ .signals = COVEY_ON_CREATE, .call = destroy_the_world, .context = &calls });
    assert_true(covey_alive(world, covey_create(world)));
    assert_int_equal(calls, 1);
    assert_broken(1);
}

/* ---- While a buffer is replayed -----------------------------------------------------------------------------------*/

static covey_commands *commands;

static covey_result meddle(covey_world *with, void *data) {
    (void)data;
    if (!with) return COVEY_OK;
    assert_false(covey_commands_skip(commands));
    covey_commands_clear(commands);
    assert_int_equal(covey_commands_replay(commands).result, COVEY_ERROR_REFUSED);
    covey_commands_destroy(commands);
    covey_world_destroy(world);
    assert_broken(5);
    assert_int_equal(covey_commands_reserve(commands, 3), COVEY_ERROR_REFUSED);
    return COVEY_OK;
}

static void test_a_buffer_that_is_replayed_is_neither_cleared_nor_replayed_again(void **state) {
    (void)state;
    covey_commands *idle = covey_commands_create(world, NULL);
    commands = covey_commands_create(world, NULL);
    covey_entity e = covey_record_create(commands);
    assert_true(covey_record_call(commands, meddle, NULL, 0));
    assert_true(covey_record_add(commands, e, Packed, { 7, 7 }));
    covey_replay replay = covey_commands_replay(commands);
    assert_int_equal(replay.result, COVEY_OK);
    assert_int_equal(replay.done, 3);
    assert_int_equal(covey_get(world, e, Packed)->number, 7);
    covey_commands_destroy(commands);
    covey_commands_destroy(idle);
}

/* ---- In hooks -----------------------------------------------------------------------------------------------------*/

static covey_entity refused[2];
static bool calls;

/* A program without assertions does not find calls from hooks. */
static void change_the_world(void *value, void *context) {
    (void)value, (void)context;
    if (COVEY_ASSERT_LEVEL == 0 || !calls) return;
    assert_false(covey_create_many(world, refused, 2));
    assert_no_entity(refused[0]);
    assert_no_entity(refused[1]);
    assert_false(covey_create_many_with(world, refused, 2, covey_with_default(Blocked)));
    assert_no_entity(covey_record_create(commands));
    assert_false(covey_commands_skip(commands));
    covey_commands_clear(commands);
    assert_int_equal(covey_commands_count(commands), 1);
    covey_world_destroy(world);
    assert_true(broken >= 5);
}

static void test_a_hook_does_not_change_the_world(void **state) {
    (void)state;
    static const covey_type meddling = { .name = "meddling", .size = 4, .align = 4, .drop = change_the_world };
    covey_entity e = covey_create(world);
    assert_non_null(covey_add_raw(world, e, &meddling, &(uint32_t){ 1 }));
    commands = covey_commands_create(world, NULL);
    covey_entity recorded = covey_record_create(commands);
    calls = true;
    assert_true(covey_remove_raw(world, e, &meddling));
    calls = false;
    assert_int_equal(covey_entity_count(world), 1);
    assert_int_equal(covey_commands_replay(commands).done, 1);
    assert_true(covey_alive(world, recorded));
    covey_commands_destroy(commands);
}

/* ---- While targets end --------------------------------------------------------------------------------------------*/

typedef struct Owner {
    covey_entity of;
} Owner;
COVEY_FIELDS_DEFINE(Owner, entity(of));
COVEY_COMPONENT_DEFINE(Owner, .fields = &covey_fields_Owner, .ticks = true);

static void destroy_lookup(const covey_event *event, void *context) {
    (void)event;
    covey_lookup_destroy(context);
}

static void test_a_lookup_lives_while_the_sources_of_its_targets_are_dealt_with(void **state) {
    (void)state;
    covey_entity target = covey_create(world), sources[2];
    covey_lookup *lookup = covey_lookup_create(
        world, &(covey_lookup_desc){ .type = covey_id(Owner), .field = "of", .when_target_ends = COVEY_TARGET_REMOVE });
    for (uint32_t i = 0; i < 2; i++) {
        sources[i] = covey_create(world);
        assert_non_null(covey_add(world, sources[i], Owner, { target }));
    }
    covey_connect(world,
                  &(covey_listener){
                      .type = covey_id(Owner), .signals = COVEY_ON_REMOVE, .call = destroy_lookup, .context = lookup });
    assert_true(covey_destroy(world, target));
    assert_broken(2);
    for (uint32_t i = 0; i < 2; i++) assert_false(covey_has(world, sources[i], Owner));
    assert_int_equal(covey_lookup_count(lookup, &target), 0);
}

/* ---- While a schedule runs ----------------------------------------------------------------------------------------*/

static covey_schedule *schedule;

static void run_again(covey_job *job, void *context) {
    (void)job, (void)context;
    assert_int_equal(covey_schedule_run(schedule), COVEY_ERROR_REFUSED);
    assert_false(covey_schedule_skip(schedule));
    assert_broken(1);
}

static void test_a_schedule_does_not_run_inside_itself(void **state) {
    (void)state;
    schedule = covey_schedule_create(world, &(covey_schedule_desc){ .threads = 1 });
    assert_int_equal(
        covey_system_add(schedule, &(covey_system){ .name = "again", .run = run_again, .exclusive = true }), COVEY_OK);
    assert_int_equal(covey_schedule_run(schedule), COVEY_OK);
    covey_schedule_destroy(schedule);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        MISUSE_TEST(test_no_entities_are_created_without_an_array_for_them),
        MISUSE_TEST(test_a_log_listener_that_is_connected_twice_is_called_once),
        MISUSE_TEST(test_a_listener_does_not_destroy_the_world),
        MISUSE_TEST(test_a_buffer_that_is_replayed_is_neither_cleared_nor_replayed_again),
        MISUSE_TEST(test_a_hook_does_not_change_the_world),
        MISUSE_TEST(test_a_lookup_lives_while_the_sources_of_its_targets_are_dealt_with),
        MISUSE_TEST(test_a_schedule_does_not_run_inside_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
