/* Messages: each says what was refused, why, and what to do. */
#include "fixture.h"

#include <covey/hierarchy.h>
#include <covey/history.h>

#define DEAD "the handle is null, stale or was never issued: check it with covey_alive"

static void assert_message(covey_result result, const char *text) {
    assert_failed(result);
    assert_string_equal(heard.text, text);
}

static void test_components(void **state) {
    (void)state;
    covey_entity e = covey_create(world), stale = covey_create(world);
    covey_destroy(world, stale);
    assert_null(add_value(stale, covey_id(Packed), 1));
    assert_message(COVEY_ERROR_DEAD, "Packed could not be added to 1:1: " DEAD);
    add_value(e, covey_id(Packed), 1);
    assert_null(add_value(e, covey_id(Packed), 2));
    assert_message(COVEY_ERROR_PRESENT,
                   "Packed could not be added to 0:1: it exists already: use covey_set to overwrite it");
    assert_null(covey_patch(world, e, Fixed, NULL, NULL));
    assert_message(COVEY_ERROR_ABSENT, "0:1 has no Fixed: add it first, or check with covey_has");
    assert_null(covey_patch(world, stale, Fixed, NULL, NULL));
    assert_message(COVEY_ERROR_DEAD, "1:1 has no Fixed: the handle is null or stale: check it with covey_alive");
}

static void test_entities(void **state) {
    (void)state;
    covey_create(world);
    assert_no_entity(covey_create_at(world, 0));
    assert_message(COVEY_ERROR_TAKEN, "no entity could be created at index 0: it is in use; choose another index");
    covey_range_reserve(world, 0, 4);
    assert_message(COVEY_ERROR_TAKEN, "4 indices from 0 on could not be reserved: one of them was used or reserved "
                                      "before; reserve ranges first, or further up");
    assert_no_entity(covey_create_in(world, (covey_range){ 8, 4 }));
    assert_message(COVEY_ERROR_ABSENT, "no entity could be created in the range of 4 indices from 8 on: it is not "
                                       "reserved; call covey_range_reserve first");
}

static void test_pools(void **state) {
    (void)state;
    covey_entity a = create_with(covey_id(Blocked), 1), b = create_with(covey_id(Blocked), 2);
    covey_pool *blocked = covey_pool_of(world, Blocked);
    assert_int_equal(covey_pool_swap(blocked, a, b), COVEY_ERROR_REFUSED);
    assert_message(COVEY_ERROR_REFUSED,
                   "two Blocked could not be swapped: it needs a sparse pool that may move values, "
                   "without an owning group and not kept sorted");
    covey_pool *ordered = covey_pool_of(world, Ordered);
    assert_int_equal(covey_pool_convert(ordered, COVEY_STORAGE_BLOCK), COVEY_ERROR_REFUSED);
    assert_message(COVEY_ERROR_REFUSED,
                   "Ordered could not change its storage: its type has a .policy, which only sparse sets have");
    assert_int_equal(covey_pool_convert(ordered, (covey_storage)9), COVEY_ERROR_RANGE);
    assert_message(COVEY_ERROR_RANGE,
                   "Ordered could not change its storage: there is no such storage: use a value of covey_storage");
    covey_pool *packed = covey_pool_of(world, Packed);
    assert_int_equal(covey_pool_keep_sorted(packed, &(covey_order){ .count = 1 }), COVEY_ERROR_RANGE);
    assert_message(COVEY_ERROR_RANGE,
                   "Packed could not be sorted: only a whole pool can be kept sorted: leave .from and .count out");
    assert_int_equal(covey_pool_keep_sorted(packed, &(covey_order){ 0 }), COVEY_OK);
    assert_int_equal(covey_pool_convert(packed, COVEY_STORAGE_BLOCK), COVEY_ERROR_REFUSED);
    assert_message(COVEY_ERROR_REFUSED, "Packed could not change its storage: it is kept sorted: end that with "
                                        "covey_pool_keep_sorted");
    (void)covey_pool_keep_sorted(packed, NULL);
}

static void test_trees_and_names(void **state) {
    (void)state;
    covey_entity a = covey_create(world), b = covey_create(world);
    assert_int_equal(covey_parent_set(world, b, a), COVEY_OK);
    assert_int_equal(covey_parent_set(world, a, b), COVEY_ERROR_CYCLE);
    assert_message(COVEY_ERROR_CYCLE,
                   "0:1 could not become a child of 1:1: it would be its own ancestor: move the parent "
                   "out of its tree first");
    assert_int_equal(covey_child_move(world, a, COVEY_NULL), COVEY_ERROR_ABSENT);
    assert_message(
        COVEY_ERROR_ABSENT,
        "0:1 could not be moved among its siblings: it has no parent, or the other entity is not its sibling");
    assert_int_equal(covey_name_set(world, a, "x/y"), COVEY_ERROR_RANGE);
    assert_message(COVEY_ERROR_RANGE,
                   "0:1 could not be named x/y: a name must not begin with #, have a / in it, be .. or "
                   "be too long");
    covey_entity c = covey_create(world);
    covey_name_set(world, a, "root");
    assert_int_equal(covey_name_set(world, c, "root"), COVEY_ERROR_PRESENT);
    assert_message(COVEY_ERROR_PRESENT, "2:1 could not be named root: a sibling has this name: choose another");
    covey_name_set(world, b, "twin");
    covey_name_set(world, c, "twin");
    assert_int_equal(covey_parent_set(world, c, a), COVEY_ERROR_PRESENT);
    assert_message(COVEY_ERROR_PRESENT,
                   "2:1 could not become a child of 0:1: a sibling there has its name: rename one of them first");
}

static void test_listeners_and_histories(void **state) {
    (void)state;
    covey_connect(world, &(covey_listener){ .signals = COVEY_ON_CREATE });
    assert_message(COVEY_ERROR_RANGE, "a listener could not be connected: it needs .call or .queue, and not both");
    covey_connect(world, &(covey_listener){ .type = covey_id(Packed), .signals = COVEY_ON_CREATE });
    assert_message(COVEY_ERROR_RANGE,
                   "a listener could not be connected: its .signals must be of components if it has a "
                   ".type, otherwise of entities, and not 0");
    assert_null(covey_history_create(world, 0));
    assert_message(COVEY_ERROR_RANGE, "a history of 0 snapshots could not be created: it keeps 1 snapshot or more");
    covey_history *history = covey_history_create(world, 2);
    assert_false(covey_history_restore(history, 0));
    assert_message(COVEY_ERROR_ABSENT, "a snapshot could not be restored: the history has no snapshot so far back: ask "
                                       "covey_history_count");
    assert_null(covey_history_world(history, 0, NULL));
    assert_message(COVEY_ERROR_ABSENT,
                   "a snapshot could not become a world: the history has no snapshot so far back: ask "
                   "covey_history_count");
    covey_history_destroy(history);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_components),
        WORLD_TEST(test_entities),
        WORLD_TEST(test_pools),
        WORLD_TEST(test_trees_and_names),
        WORLD_TEST(test_listeners_and_histories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
