/* Looking at a snapshot in a world of its own. */
#include "owned.h"

#include <covey/commands.h>
#include <covey/hierarchy.h>
#include <covey/history.h>
#include <stdalign.h>

typedef Owned OwnedBlock;
typedef Value Ticked;
typedef Value Late;
COVEY_COMPONENT_DEFINE(Owned, .policy = COVEY_ORDERED, .drop = drop_owned, .copy = copy_owned);
COVEY_COMPONENT_DEFINE(OwnedBlock, .drop = drop_owned, .copy = copy_owned);
COVEY_COMPONENT_DEFINE(Ticked, .ticks = true);
COVEY_COMPONENT_DEFINE(Late);

static covey_history *history;
static covey_entity held[40];
static covey_commands *commands; /* or NULL */

static int history_setup(void **state) {
    int result = owned_setup(state);
    history = result == 0 ? covey_history_create(world, 4) : NULL;
    return history ? result : -1;
}

static int history_teardown(void **state) {
    covey_history_destroy(history);
    return owned_teardown(state);
}
#define HISTORY_TEST(test) cmocka_unit_test_setup_teardown(test, history_setup, history_teardown)

/* Every storage with holes, free and reserved indices, owners, ticks, a tree with names, and something disabled. */
static void fill_world(void) {
    covey_range range = covey_range_reserve(world, 60, 5);
    for (uint32_t i = 0; i < COUNT_OF(held); i++) {
        held[i] = covey_create(world);
        for (uint32_t k = 0; k < COUNT_OF(storage_types); k++)
            if ((i * 7 + k) % 3 != 0) add_value(held[i], storage_types[k], i * 10 + k);
        if (i % 4 == 1) add_value(held[i], covey_id(Ticked), i);
        covey_tick_advance(world);
    }
    covey_create_in(world, range);
    for (uint32_t i = 0; i < COUNT_OF(held); i += 3) covey_destroy(world, held[i]);
    for (uint32_t k = 0; k < COUNT_OF(storage_types); k++) remove_value(held[k + 10], storage_types[k]);
    for (uint32_t i = 2; i < COUNT_OF(held); i += 3)
        assert_int_equal(covey_parent_set(world, held[i], held[1]), COVEY_OK);
    assert_int_equal(covey_name_set(world, held[1], "ship"), COVEY_OK);
    assert_int_equal(covey_name_set(world, held[2], "gun"), COVEY_OK);
    assert_int_equal(covey_disable(world, held[4]), COVEY_OK);
    assert_int_equal(covey_component_disable_raw(world, held[7], covey_id(Blocked)), COVEY_OK);
}

static void give_owned(covey_entity e, uint32_t number) {
    Owned value = { number, ~number };
    owned.alive += 2;
    assert_non_null(covey_add_raw(world, e, covey_id(Owned), &value));
    assert_non_null(covey_add_raw(world, e, covey_id(OwnedBlock), &value));
}

static void save(void) { assert_true(covey_history_save(history)); }

static covey_world *look(uint32_t back) {
    uint64_t digest = world_digest(world);
    size_t bytes = covey_world_memory(world), kept = covey_history_memory(history);
    covey_world *twin = covey_history_world(history, back, NULL);
    assert_non_null(twin);
    test_world_is_valid(twin);
    test_world_is_valid(world);
    assert_int_equal(world_digest(world), digest);
    assert_int_equal(covey_world_memory(world), bytes);
    assert_int_equal(covey_history_memory(history), kept);
    size_t recorded = commands ? covey_commands_memory(commands) : 0;
    assert_int_equal(covey_world_memory(twin) + bytes + kept + recorded, heap.bytes);
    assert_int_equal(covey_world_result(twin), COVEY_OK);
    return twin;
}

static void looks_like(uint32_t back, uint64_t digest) {
    covey_world *twin = look(back);
    assert_int_equal(world_digest(twin), digest);
    covey_world_destroy(twin);
}

static void change_everything(void) {
    covey_destroy_all(world);
    covey_compact(world);
    covey_shrink(world);
    for (uint32_t i = 0; i < 7; i++) assert_non_null(covey_add(world, covey_create(world), Late, { i, ~i }));
}

static void test_a_past_state_is_there_beside_the_present(void **state) {
    (void)state;
    uint64_t digests[3];
    save();
    digests[2] = world_digest(world);
    fill_world();
    save();
    digests[1] = world_digest(world);
    for (uint32_t i = 1; i < COUNT_OF(held); i += 6) covey_destroy(world, held[i]);
    save();
    digests[0] = world_digest(world);
    change_everything();
    for (uint32_t back = 0; back < 3; back++) looks_like(back, digests[back]);
    assert_int_equal(covey_history_count(history), 3); /* and may be looked at again, or restored */
    looks_like(1, digests[1]);
    assert_true(covey_history_restore(history, 1));
    looks_like(0, digests[1]);
}

static void test_values_names_and_places_are_those_of_then(void **state) {
    (void)state;
    fill_world();
    uint64_t changed = covey_changed_at(world, held[1], Ticked), tick = covey_tick(world);
    uint32_t children = covey_child_count(world, held[1]);
    assert_non_null(covey_resource_set_raw(world, covey_id(Packed), &(Value){ 5, ~5u }));
    save();
    change_everything();
    assert_non_null(covey_resource_set_raw(world, covey_id(Packed), &(Value){ 6, ~6u }));
    covey_world *twin = look(0);
    assert_string_equal(covey_name(twin, held[1]), "ship");
    assert_same(covey_find_path(twin, (covey_entity){ 0, 0 }, "ship/gun"), held[2]);
    assert_int_equal(covey_child_count(twin, held[1]), children);
    assert_same(covey_parent(twin, held[2]), held[1]);
    assert_false(covey_is_enabled(twin, held[4]));
    assert_false(covey_component_is_enabled(twin, held[7], Blocked));
    assert_int_equal(covey_changed_at(twin, held[1], Ticked), changed);
    assert_int_equal(covey_tick(twin), tick);
    assert_int_equal(((Value *)covey_resource_get_raw(twin, covey_id(Packed)))->number, 5);
    assert_int_equal(covey_world_pool_count(twin) < covey_world_pool_count(world), true); /* Late was not known */
    covey_world_destroy(twin);
}

/* The same calls give the same results in it as in a world that was restored. */
static void test_it_goes_on_as_the_world_did(void **state) {
    (void)state;
    fill_world();
    save();
    covey_world *twin = look(0);
    covey_world *both[] = { world, twin };
    for (uint32_t w = 0; w < 2; w++) {
        for (uint32_t i = 0; i < 30; i++) {
            covey_entity e = covey_create(both[w]);
            for (uint32_t k = 0; k < COUNT_OF(storage_types); k++) {
                Value value = value_of(i);
                if ((i + k) % 2) assert_non_null(covey_add_raw(both[w], e, storage_types[k], &value));
            }
        }
        covey_destroy(both[w], held[1]);
        covey_compact(both[w]);
        test_world_is_valid(both[w]);
    }
    assert_int_equal(world_digest(twin), world_digest(world));
    covey_world_destroy(twin);
}

static void test_owners_are_copied_and_dropped(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 20; i++) give_owned(covey_create(world), i);
    save();
    uint32_t alive = owned.alive;
    covey_world *twin = look(0);
    assert_int_equal(owned.alive, alive + 40);
    covey_world_destroy(twin);
    assert_int_equal(owned.alive, alive);
    for (uint32_t fails = 1; fails <= 40; fails++) {
        owned.copies = 0;
        owned.fails_at = fails;
        assert_null(covey_history_world(history, 0, NULL));
        assert_failed(COVEY_ERROR_COPY);
        assert_non_null(strstr(heard.text, "Owned"));
        assert_int_equal(owned.alive, alive);
    }
    owned.fails_at = 0;
    covey_world_destroy(look(0));
}

static void test_groups_and_listeners_stay_behind(void **state) {
    (void)state;
    fill_world();
    assert_non_null(covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Packed) } }));
    covey_queue *queue = covey_queue_create(world);
    covey_listener listener = { .type = covey_id(Blocked), .signals = COVEY_ON_REMOVE, .queue = queue };
    assert_true(covey_connect(world, &listener).number != 0);
    assert_non_null(covey_reactive_create(world, &(covey_reactive_desc){ .added = { covey_id(Pinned) } }));
    commands = covey_commands_create(world, &(covey_commands_desc){ .entities = 3 });
    save();
    covey_world *twin = look(0);
    assert_int_equal(covey_world_group_count(twin), 0);
    assert_int_equal(covey_entity_count(twin), covey_entity_count(world));
    uint32_t events = covey_queue_count(queue);
    covey_destroy_all(twin);
    assert_int_equal(covey_queue_count(queue), events);
    covey_world_destroy(twin);
    covey_commands_destroy(commands);
    commands = NULL;
}

static int compare_numbers(const void *a, const void *b, void *context) {
    (void)context;
    uint32_t x = ((const Value *)a)->number, y = ((const Value *)b)->number;
    return x < y ? -1 : x > y;
}

static void test_an_order_that_was_kept_is_kept(void **state) {
    (void)state;
    fill_world();
    assert_int_equal(
        covey_pool_keep_sorted(covey_pool_find(world, Packed), &(covey_order){ .compare = compare_numbers }), COVEY_OK);
    save();
    covey_world *twin = look(0);
    Value value = value_of(33);
    covey_entity e = covey_create(twin);
    assert_non_null(covey_add_raw(twin, e, covey_id(Packed), &value));
    const covey_pool *pool = covey_pool_find(twin, Packed);
    const Value *values = covey_pool_values(pool, Packed);
    for (uint32_t i = 1; i < covey_pool_position_count(pool); i++)
        assert_true(values[i - 1].number <= values[i].number);
    test_world_is_valid(twin);
    covey_world_destroy(twin);
}

static void test_the_storage_is_that_of_then(void **state) {
    (void)state;
    fill_world();
    covey_pool *pool = covey_pool_find(world, Blocked);
    assert_int_equal(covey_pool_convert(pool, COVEY_STORAGE_SPARSE), COVEY_OK);
    uint64_t digest = world_digest(world);
    save();
    assert_int_equal(covey_pool_convert(pool, COVEY_STORAGE_BLOCK), COVEY_OK);
    covey_world *twin = look(0);
    assert_int_equal(covey_pool_storage(covey_pool_find(twin, Blocked)), COVEY_STORAGE_SPARSE);
    assert_int_equal(world_digest(twin), digest);
    covey_world_destroy(twin);
}

static void test_types_made_at_run_time_are_made_again(void **state) {
    (void)state;
    const covey_type *made =
        covey_type_create(world, &(covey_type){ .name = "Made", .size = sizeof(Value), .align = alignof(Value) });
    const covey_type *alone = covey_type_create(world, &(covey_type){ .name = "Alone", .size = 4, .align = 4 });
    covey_entity e = covey_create(world);
    Value value = value_of(9);
    uint32_t number = 77;
    assert_non_null(covey_add_raw(world, e, made, &value));
    assert_non_null(covey_resource_set_raw(world, alone, &number));
    save();
    covey_world *twin = look(0);
    covey_history_destroy(history);
    covey_world_destroy(world);
    world = twin;
    history = covey_history_create(world, 1);
    const covey_type *again = covey_type_find(world, "Made");
    assert_non_null(again);
    assert_int_equal(((Value *)covey_get_raw(world, e, again))->number, 9);
    assert_int_equal(*(uint32_t *)covey_resource_get_raw(world, covey_world_resource(world, 0)), 77);
}

static void test_one_that_is_not_there_is_refused(void **state) {
    (void)state;
    covey_snapshot_info info = { 0, 1, 2, 3 };
    assert_null(covey_history_world(history, 0, NULL));
    assert_failed(COVEY_ERROR_ABSENT);
    assert_false(covey_history_info(history, 0, &info));
    save();
    assert_null(covey_history_world(history, 1, NULL));
    assert_failed(COVEY_ERROR_ABSENT);
    assert_false(covey_history_info(history, UINT32_MAX, &info));
    assert_int_equal(info.entities, 2); /* untouched */
}

static void test_a_description_is_followed(void **state) {
    (void)state;
    fill_world();
    save();
    test_heap other = { 0 };
    covey_world *twin =
        covey_history_world(history, 0, &(covey_world_desc){ .allocator = test_allocator(&other), .first_index = 900 });
    assert_non_null(twin);
    assert_int_equal(covey_world_memory(twin), other.bytes);
    assert_int_equal(world_digest(twin), world_digest(world));
    uint32_t before = heard.times;
    assert_null(covey_add(twin, entity(7, 7), Blocked, { 1, 2 })); /* has no log */
    assert_int_equal(heard.times, before);
    covey_world_destroy(twin);
    assert_int_equal(other.bytes, 0);
}

static void test_snapshots_tell_about_themselves(void **state) {
    (void)state;
    covey_snapshot_info first, second;
    assert_int_equal(covey_history_capacity(history), 4);
    fill_world();
    uint64_t tick = covey_tick(world);
    uint32_t entities = covey_entity_count(world);
    save();
    assert_true(covey_history_info(history, 0, &first));
    assert_int_equal(first.tick, tick);
    assert_int_equal(first.entities, entities);
    covey_tick_advance(world);
    get_value(held[1], covey_id(Packed))->number++;
    covey_create(world);
    save();
    assert_true(covey_history_info(history, 0, &second));
    assert_int_equal(second.tick, tick + 1);
    assert_int_equal(second.entities, entities + 1);
    assert_true(covey_history_info(history, 1, &first));
    assert_int_equal(first.entities, entities);
    size_t before = covey_history_memory(history); /* to drop the newest frees what only that has */
    assert_true(second.bytes != 0 && second.bytes < before);
    assert_true(covey_history_restore(history, 1));
    assert_int_equal(covey_history_memory(history), before - second.bytes);
}

static uint64_t number_of(uint32_t back) {
    covey_snapshot_info info;
    assert_true(covey_history_info(history, back, &info));
    return info.number;
}

static void test_snapshots_are_numbered_for_good(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        save();
        assert_int_equal(number_of(0), i);
    }
    assert_int_equal(number_of(3), 2); /* the oldest of four */
    assert_true(covey_history_restore(history, 2));
    assert_int_equal(number_of(0), 3);
    save();
    assert_int_equal(number_of(0), 6); /* 4 and 5 are destroyed, and their handles are not issued again */
    assert_int_equal(number_of(1), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        HISTORY_TEST(test_a_past_state_is_there_beside_the_present),
        HISTORY_TEST(test_values_names_and_places_are_those_of_then),
        HISTORY_TEST(test_it_goes_on_as_the_world_did),
        HISTORY_TEST(test_owners_are_copied_and_dropped),
        HISTORY_TEST(test_groups_and_listeners_stay_behind),
        HISTORY_TEST(test_an_order_that_was_kept_is_kept),
        HISTORY_TEST(test_the_storage_is_that_of_then),
        HISTORY_TEST(test_types_made_at_run_time_are_made_again),
        HISTORY_TEST(test_one_that_is_not_there_is_refused),
        HISTORY_TEST(test_a_description_is_followed),
        HISTORY_TEST(test_snapshots_tell_about_themselves),
        HISTORY_TEST(test_snapshots_are_numbered_for_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
