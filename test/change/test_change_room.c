/* Calls that make several changes reserve memory for all of them together: for handles of destroyed entities, and for
 * members of groups. */
#include "fixture.h"

#include <covey/commands.h>
#include <covey/hierarchy.h>
#include <covey/image.h>

/* Two types that one call adds to different entities. */
typedef Value Left;
typedef Value Right;
COVEY_COMPONENT_DEFINE(Left, .as_bytes = true);
COVEY_COMPONENT_DEFINE(Right, .as_bytes = true, .storage = COVEY_STORAGE_SPARSE);

enum { EACH = 64, ALL = 2 * EACH }; /* an array that grows to EACH has no room for ALL */

static covey_world *source;
static covey_buffer image;
static covey_follower *follower;
static covey_reactive *set;
static covey_entity theirs[ALL];

static int room_setup(void **state) {
    image = (covey_buffer){ 0 };
    source = covey_world_create(NULL);
    if (!source || world_setup(state) != 0) return -1;
    follower = covey_follower_create(world);
    return follower ? 0 : -1;
}

static int room_teardown(void **state) {
    covey_buffer_free(&image);
    covey_follower_destroy(follower);
    covey_world_destroy(source);
    return world_teardown(state);
}

#define ROOM_TEST(test) cmocka_unit_test_setup_teardown(test, room_setup, room_teardown)

/* ---- Changes ------------------------------------------------------------------------------------------------------*/

static const covey_type *const both[] = { covey_id(Left), covey_id(Right), NULL };
static const covey_load_desc known = { .types = both };

static void create_theirs(void) {
    assert_true(covey_create_many(source, theirs, ALL));
    for (uint32_t i = 1; i < ALL; i++) assert_int_equal(covey_parent_set(source, theirs[i], theirs[0]), COVEY_OK);
}

/* One type for the first half of the entities of the source, the other type for the other half. */
static void give_theirs(const covey_type *first, const covey_type *second) {
    for (uint32_t i = 0; i < ALL; i++) {
        Value value = value_of(i);
        assert_non_null(covey_add_raw(source, theirs[i], i < EACH ? first : second, &value));
    }
    image.size = 0;
    assert_int_equal(covey_save_to_buffer(source, &image, NULL, NULL), COVEY_OK);
}

static covey_result follow(void) { return covey_follow_from_memory(follower, image.bytes, image.size, &known, NULL); }
static covey_result merge(void) { return covey_merge_from_memory(world, image.bytes, image.size, &known, NULL); }
static covey_result load(void) { return covey_load_from_memory(world, image.bytes, image.size, &known, NULL); }
static covey_result clone_tree(void) {
    bool done = !covey_is_null(covey_clone_tree_into(world, source, theirs[0], NULL));
    return done ? COVEY_OK : covey_world_result(world);
}
static covey_result create_many(void) {
    static covey_entity made[ALL];
    static Value values[ALL];
    bool done =
        covey_create_many_with(world, made, ALL, covey_with_array(Left, values), covey_with_array(Right, values));
    return done ? COVEY_OK : covey_world_result(world);
}
static covey_result replay(void) {
    covey_commands *commands = covey_commands_create(world, NULL);
    for (uint32_t i = 0; commands && i < ALL; i++) {
        Value value = value_of(i);
        covey_record_add_raw(commands, covey_record_create(commands), both[i % 2], &value);
    }
    covey_result result = commands ? covey_commands_replay(commands).result : COVEY_ERROR_MEMORY;
    covey_commands_destroy(commands);
    return result;
}

/* ---- Reactive sets ------------------------------------------------------------------------------------------------*/

static void make_set(void) {
    set = covey_reactive_create(
        world, &(covey_reactive_desc){ .added = { covey_id(Left), covey_id(Right) }, .keep_destroyed = true });
    assert_non_null(set);
}

/* Destroying all entities needs no memory, and the set has the handles of all. */
static void destroyed_are_kept(uint32_t count) {
    const covey_entity *handles;
    test_world_is_valid(world);
    assert_int_equal(covey_reactive_count(set), count);
    uint64_t calls = heap.calls;
    covey_destroy_all(world);
    assert_int_equal(heap.calls, calls);
    assert_int_equal(covey_reactive_destroyed(set, &handles), count);
    test_world_is_valid(world);
}

static void keep_destroyed(covey_result (*change)(void)) {
    create_theirs();
    give_theirs(covey_id(Left), covey_id(Right));
    make_set();
    assert_int_equal(change(), COVEY_OK);
    destroyed_are_kept(ALL);
}

static void merging_has_room(void **state) {
    (void)state;
    keep_destroyed(merge);
}

static void following_has_room(void **state) {
    (void)state;
    keep_destroyed(follow);
}

static void loading_has_room(void **state) {
    (void)state;
    keep_destroyed(load);
}

static void cloning_a_tree_has_room(void **state) {
    (void)state;
    keep_destroyed(clone_tree);
}

static void creating_many_has_room(void **state) {
    (void)state;
    keep_destroyed(create_many);
}

static void replaying_has_room(void **state) {
    (void)state;
    keep_destroyed(replay);
}

/* Entities that were known get the component that they lack. */
static void following_again_has_room(void **state) {
    (void)state;
    create_theirs();
    give_theirs(covey_id(Left), covey_id(Right));
    assert_int_equal(follow(), COVEY_OK);
    make_set();
    give_theirs(covey_id(Right), covey_id(Left));
    assert_int_equal(follow(), COVEY_OK);
    destroyed_are_kept(ALL);
}

/* ---- Groups -------------------------------------------------------------------------------------------------------*/

/* Half of the members join because they get one component, the other half because they get the other. */
static void groups_have_room(void **state) {
    (void)state;
    covey_group *group = covey_group_create(world, &(covey_group_desc){ .with = { covey_id(Left), covey_id(Right) } });
    assert_non_null(group);
    create_theirs();
    give_theirs(covey_id(Left), covey_id(Right));
    assert_int_equal(follow(), COVEY_OK);
    test_world_is_valid(world);
    give_theirs(covey_id(Right), covey_id(Left));
    assert_int_equal(follow(), COVEY_OK);
    test_world_is_valid(world);
    assert_int_equal(covey_group_count(group), ALL);
}

/* ---- Memory -------------------------------------------------------------------------------------------------------*/

/* Whatever allocation fails, the world is as before, and the next try succeeds. */
static void fail_in_turn(covey_result (*change)(void)) {
    create_theirs();
    give_theirs(covey_id(Left), covey_id(Right));
    make_set();
    uint64_t before = world_digest(world), at = 1;
    for (bool failed = true; failed; at++) {
        test_fail_at(&heap, at, at % 2 == 0);
        covey_result result = change();
        failed = heap.failed;
        test_fail_never(&heap);
        if (!failed) break;
        assert_int_equal(result, COVEY_ERROR_MEMORY);
        assert_true(world_digest(world) == before);
        assert_int_equal(covey_reactive_count(set), 0);
        test_world_is_valid(world);
    }
    assert_true(at > 3);
    destroyed_are_kept(ALL);
}

static void merging_fails_safely(void **state) {
    (void)state;
    fail_in_turn(merge);
}

static void following_fails_safely(void **state) {
    (void)state;
    fail_in_turn(follow);
}

static void cloning_a_tree_fails_safely(void **state) {
    (void)state;
    fail_in_turn(clone_tree);
}

static void creating_many_fails_safely(void **state) {
    (void)state;
    fail_in_turn(create_many);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ROOM_TEST(merging_has_room),
        ROOM_TEST(following_has_room),
        ROOM_TEST(loading_has_room),
        ROOM_TEST(cloning_a_tree_has_room),
        ROOM_TEST(creating_many_has_room),
        ROOM_TEST(replaying_has_room),
        ROOM_TEST(following_again_has_room),
        ROOM_TEST(groups_have_room),
        ROOM_TEST(merging_fails_safely),
        ROOM_TEST(following_fails_safely),
        ROOM_TEST(cloning_a_tree_fails_safely),
        ROOM_TEST(creating_many_fails_safely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
