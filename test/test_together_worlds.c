/* Clones of worlds that have everything, and listeners that change more than entities and components. */
#include "memory/inner.h"
#include "news.h"
#include "owned.h"

#include <covey/commands.h>
#include <covey/hierarchy.h>

COVEY_COMPONENT_DEFINE(Owned, .drop = drop_owned, .copy = copy_owned);

typedef Value Dated;
COVEY_COMPONENT_DEFINE(Dated, .ticks = true);

static const covey_entity none = { 0, 0 };

/* ---- A world that has everything ----------------------------------------------------------------------------------*/

enum { CROWD = 40, HANDED_OUT = 64 };
static covey_entity crowd[CROWD], handed_out[HANDED_OUT]; /* those of buffers, which never come alive in a clone */
static uint32_t handed_out_count;
static covey_commands *buffers[3];
static covey_queue *queue;
static covey_reactive *touched;
static covey_group *group;
static covey_range range;

static int setup(void **state) {
    owned = (owned_counts){ 0 };
    handed_out_count = 0;
    forget_news();
    return world_setup(state);
}

static void destroy_buffers(void) {
    while (world->inner->commands) covey_commands_destroy(world->inner->commands);
}

static int teardown(void **state) {
    destroy_buffers();
    int result = world_teardown(state);
    assert_int_equal(owned.alive, 0);
    return result;
}
#define WORLDS_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static void make_crowd(void) {
    range = covey_range_reserve(world, 100, 6);
    assert_true(covey_create_many(world, crowd, CROWD));
    for (uint32_t i = 0; i < CROWD; i++)
        for (uint32_t k = 0; k < COUNT_OF(storage_types); k++)
            if ((i * 7 + k) % 3 != 0) add_value(crowd[i], storage_types[k], i * 10 + k);
    for (uint32_t i = 0; i < CROWD; i += 4) {
        assert_non_null(covey_add(world, crowd[i], Owned, { i, ~i }));
        assert_true(covey_add_tag(world, crowd[i + 1], Marked));
        owned.alive++;
    }
    covey_destroy(world, covey_create_in(world, range));
    covey_create_in(world, range);
}

/* Free indices, and some that are retired. */
static void make_holes(void) {
    for (uint32_t i = 0; i < 3; i++) covey_destroy(world, last_life(covey_create(world)));
    for (uint32_t i = 0; i < CROWD; i += 5) covey_destroy(world, crowd[i]);
    for (uint32_t k = 0; k < COUNT_OF(storage_types); k++) remove_value(crowd[k + 11], storage_types[k]);
}

static void make_kin(void) {
    for (uint32_t i = 1; i < CROWD; i++) covey_parent_set(world, crowd[i], crowd[i / 3]);
    covey_name_set(world, crowd[1], "one");
    covey_name_set(world, crowd[4], "four");
    covey_name_set(world, crowd[13], "thirteen");
}

static void make_watchers(void) {
    covey_order order = { .key = COVEY_KEY_U32, .descending = true };
    assert_int_equal(covey_pool_keep_sorted(covey_pool_of(world, Packed), &order), COVEY_OK);
    group = covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Marked) } });
    queue = covey_queue_create(world);
    touched = covey_reactive_create(
        world, &(covey_reactive_desc){ .set = { covey_id(Blocked) }, .removed = { covey_id(Packed) } });
    queue_up(queue, NULL, OF_ENTITIES);
    queue_up(queue, covey_id(Packed), OF_COMPONENTS);
    listen_to(NULL, OF_ENTITIES, note_news, NULL);
    listen_to(covey_id(Blocked), OF_COMPONENTS, note_news, NULL);
    for (uint32_t i = 1; i < CROWD; i += 3) {
        Value value = value_of(i);
        if (covey_has(world, crowd[i], Blocked)) covey_set_value(world, crowd[i], Blocked, &value);
    }
    assert_true(covey_reactive_count(touched) != 0);
}

/* Some are disabled, and some were changed at another time than others. */
static void make_times(void) {
    for (uint32_t i = 1; i < CROWD; i += 6) {
        covey_disable(world, crowd[i]);
        covey_component_disable(world, crowd[i + 1], Ordered);
        covey_component_disable(world, crowd[i + 1], Blocked);
        if (covey_alive(world, crowd[i])) assert_non_null(covey_add(world, crowd[i], Dated, { i, i }));
        covey_tick_advance(world);
    }
}

static covey_entity hand_out(covey_commands *buffer) {
    covey_entity e = covey_record_create(buffer);
    assert_false(covey_is_null(e));
    handed_out[handed_out_count++] = e;
    return e;
}

/* One with ids that are ready, one with some that are recorded, and one with some that were, and are spent or ready
 * again. */
static void make_buffers(void) {
    for (uint32_t i = 0; i < COUNT_OF(buffers); i++)
        buffers[i] = covey_commands_create(world, &(covey_commands_desc){ .entities = 5 });
    covey_commands_reserve(buffers[0], 9);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(covey_record_add(buffers[1], hand_out(buffers[1]), Owned, { i, ~i }));
        owned.alive++;
    }
    for (uint32_t times = 0; times < 3; times++) {
        for (uint32_t i = 0; i < 2; i++) hand_out(buffers[2]);
        covey_commands_clear(buffers[2]);
    }
    hand_out(buffers[2]);
}

static void make_everything(void) {
    make_crowd();
    make_kin();
    make_holes();
    make_watchers();
    make_times();
    make_buffers();
    assert_non_null(covey_resource_set(world, Packed, { 5, 6 }));
    assert_non_null(covey_resource_set(world, Owned, { 7, ~7u }));
    owned.alive++;
    forget_news();
    test_world_is_valid(world);
}

/* ---- Clones -------------------------------------------------------------------------------------------------------*/

static void test_a_clone_of_everything(void **state) {
    (void)state;
    make_everything();
    uint32_t events = covey_queue_count(queue), marks = covey_reactive_count(touched);
    covey_world *twin = covey_world_clone(world, NULL);
    assert_non_null(twin);
    test_world_is_valid(twin);
    test_world_is_valid(world);
    assert_news("");
    assert_int_equal(covey_queue_count(queue), events);
    assert_int_equal(covey_reactive_count(touched), marks);
    for (uint32_t i = 0; i < CROWD; i++) {
        assert_int_equal(covey_alive(twin, crowd[i]), covey_alive(world, crowd[i]));
        assert_same(covey_parent(twin, crowd[i]), covey_parent(world, crowd[i]));
        assert_int_equal(covey_is_enabled(twin, crowd[i]), covey_is_enabled(world, crowd[i]));
        assert_int_equal(covey_changed_at(twin, crowd[i], Dated), covey_changed_at(world, crowd[i], Dated));
    }
    assert_same(covey_find_path(twin, none, "one/four/thirteen"), covey_find_path(world, none, "one/four/thirteen"));
    assert_same(covey_find_child(twin, crowd[1], "four"), crowd[4]);
    assert_int_equal(covey_resource_get(twin, Packed)->number, 5);
    assert_int_equal(covey_resource_get(twin, Owned)->number, 7);
    assert_int_equal(covey_world_group_count(twin), 0);
    covey_destroy_all(twin); /* no listener is told */
    assert_news("");
    test_world_is_valid(twin);
    covey_world_destroy(twin);
    covey_commands_destroy(buffers[1]);
    assert_int_equal(covey_queue_count(queue), events);
}

/* The clone never issues a handle that a buffer of the first world has reserved. */
static void test_handles_of_buffers_mean_nothing_in_a_clone(void **state) {
    (void)state;
    make_everything();
    covey_world *twin = covey_world_clone(world, NULL);
    for (uint32_t times = 0; times < 4; times++) {
        covey_entity made[60];
        assert_true(covey_create_many(twin, made, COUNT_OF(made)));
        for (uint32_t i = 0; i < handed_out_count; i++) assert_false(covey_alive(twin, handed_out[i]));
        covey_destroy_many(twin, made, COUNT_OF(made));
    }
    test_world_is_valid(twin);
    covey_world_destroy(twin);
}

/* Ids that buffers have set aside are free in the clone, as they are in the first world when its buffers end. */
static void test_a_clone_is_the_world_without_its_buffers(void **state) {
    (void)state;
    make_everything();
    covey_world *twin = covey_world_clone(world, NULL);
    destroy_buffers();
    assert_int_equal(world_digest(twin), world_digest(world));
    for (uint32_t i = 0; i < 120; i++) assert_same(covey_create(twin), covey_create(world));
    covey_world_destroy(twin);
}

static void change(covey_world *of, test_random *random) {
    covey_entity e = none, other = none;
    uint32_t wanted = test_below(random, covey_entity_count(of) + 1);
    for (uint32_t i = 0; i <= wanted; i++) other = e, e = covey_entity_next(of, e);
    const covey_type *type = storage_types[test_below(random, COUNT_OF(storage_types))];
    Value value = value_of(test_next(random));
    switch (test_below(random, 12)) {
    case 0: covey_create(of); break;
    case 1: covey_destroy(of, e); break;
    case 2: (void)covey_clone(of, e, &e, 1); break;
    case 3: covey_copy(of, e, other); break;
    case 4: covey_parent_set(of, e, other); break;
    case 5: covey_name_set(of, e, test_below(random, 2) == 0 ? "x" : "one"); break;
    case 6: covey_create_in(of, range); break;
    case 7:
    case 8: covey_remove_raw(of, e, type); break;
    default: covey_set_raw(of, e, type, &value); break;
    }
}

static void test_both_worlds_go_on_alike(void **state) {
    (void)state;
    make_everything();
    covey_group_destroy(group); /* has an order of its own */
    covey_world *twin = covey_world_clone(world, NULL);
    destroy_buffers();
    test_random mine = { 3 }, its = { 3 };
    for (uint32_t i = 0; i < 500; i++) {
        change(world, &mine);
        change(twin, &its);
        assert_int_equal(world_digest(twin), world_digest(world));
        forget_news();
    }
    test_world_is_valid(twin);
    covey_world_destroy(twin);
}

static void test_memory_is_out_anywhere_in_a_clone(void **state) {
    (void)state;
    make_everything();
    uint64_t digest = world_digest(world), at = 1;
    size_t bytes = heap.bytes;
    uint32_t alive = owned.alive;
    for (bool failed = true; failed; at++)
        for (int for_good = 0; for_good < 2; for_good++) {
            test_fail_at(&heap, at, for_good != 0);
            covey_world *twin = covey_world_clone(world, NULL);
            failed = heap.failed;
            test_fail_never(&heap);
            assert_int_equal(twin == NULL, failed);
            if (failed) assert_failed(COVEY_ERROR_MEMORY);
            else assert_int_equal(world_digest(twin), world_digest(twin));
            covey_world_destroy(twin);
            assert_int_equal(heap.bytes, bytes);
            assert_int_equal(owned.alive, alive);
            assert_int_equal(world_digest(world), digest);
            test_world_is_valid(world);
        }
    assert_true(at > 20);
}

static void test_a_clone_of_a_world_that_has_nothing_disabled_any_more(void **state) {
    (void)state;
    covey_entity e = create_with(covey_id(Blocked), 1);
    assert_int_equal(covey_component_disable(world, e, Blocked), COVEY_OK);
    assert_int_equal(covey_component_enable(world, e, Blocked), COVEY_OK);
    covey_shrink(world);
    covey_world *twin = covey_world_clone(world, NULL);
    test_world_is_valid(twin);
    covey_world_destroy(twin);
}

static void clone_world(const covey_event *event, void *context) {
    (void)context;
    covey_world *twin = covey_world_clone(world, NULL);
    test_world_is_valid(twin);
    assert_true(covey_alive(twin, *event->entities));
    assert_true(covey_destroy(twin, *event->entities)); /* there, no entity is being destroyed */
    covey_world_destroy(twin);
}

/* Also in the middle of a replay, when some of the recorded entities are alive and some are not. */
static void test_a_listener_clones_the_world(void **state) {
    (void)state;
    make_everything();
    covey_connection connection = listen_to(NULL, OF_ENTITIES, clone_world, NULL);
    assert_int_equal(covey_commands_replay(buffers[1]).done, 6);
    assert_true(covey_destroy(world, crowd[1]));
    assert_true(covey_clone(world, crowd[2], crowd, 2));
    covey_disconnect(world, connection);
}

/* ---- Listeners that change pools ----------------------------------------------------------------------------------*/

static uint32_t turn;

/* Everything that may be done to a pool while one of its components is told of. */
static void rearrange(const covey_event *event, void *context) {
    covey_pool *pool = context;
    covey_order order = { .key = COVEY_KEY_U32, .descending = turn % 2 == 0 };
    covey_group *made = NULL;
    switch (turn++ % 9) {
    case 0: (void)covey_pool_sort(pool, &order); break;
    case 1: (void)covey_pool_keep_sorted(pool, &order); break;
    case 2: (void)covey_pool_keep_sorted(pool, NULL); break;
    case 3: (void)covey_pool_convert(pool, COVEY_STORAGE_SPARSE); break;
    case 4: (void)covey_pool_convert(pool, COVEY_STORAGE_BLOCK); break;
    case 5: covey_compact(world); break;
    case 6: covey_shrink(world); break;
    case 7: made = covey_group_create(world, &(covey_group_desc){ .own = { event->type } }); break;
    default: covey_pool_reserve(pool, 100); break;
    }
    test_world_is_valid(world);
    if (turn % 2 == 0) covey_group_destroy(made);
    else if (made && turn % 5 != 0) covey_group_destroy(made);
    while (covey_world_group_count(world) > 1) covey_group_destroy(covey_world_group(world, 0));
}

static void change_pool(const covey_type *type) {
    covey_pool *pool = covey_pool_of_raw(world, type);
    covey_queue *events = covey_queue_create(world);
    covey_reactive *marks =
        covey_reactive_create(world, &(covey_reactive_desc){ .added = { type }, .set = { type }, .removed = { type } });
    uint32_t expected = 0;
    covey_entity e[20], made[3];
    assert_true(covey_create_many(world, e, COUNT_OF(e)));
    queue_up(events, type, OF_COMPONENTS);
    covey_connection connection = listen_to(type, OF_COMPONENTS, rearrange, pool);
    for (uint32_t i = 0; i < 600; i++) {
        covey_entity who = e[i * 7 % COUNT_OF(e)];
        Value value = value_of(i * 31 % 17);
        bool has = covey_has_raw(world, who, type);
        if (i % 3 == 0) expected += remove_value(who, type);
        else if (i % 10 == 1 && has) {
            assert_true(covey_clone(world, who, made, COUNT_OF(made)));
            assert_int_equal(covey_destroy_many(world, made, COUNT_OF(made)), COUNT_OF(made));
            expected += 2 * COUNT_OF(made);
        } else {
            const Value *set = covey_set_raw(world, who, type, &value);
            assert_non_null(set);
            assert_int_equal(set->check, ~value.number);
            assert_value(who, type, value.number);
            expected++;
        }
        test_world_is_valid(world);
        assert_int_equal(covey_queue_count(events), expected);
    }
    assert_true(covey_reactive_count(marks) != 0);
    covey_disconnect(world, connection);
}

static void test_listeners_sort_keep_convert_compact_shrink_and_group(void **state) {
    (void)state;
    for (turn = 0; turn < 3; turn++) {
        uint32_t first = turn;
        for_each_storage(change_pool);
        turn = first;
    }
}

static void clear_or_rearrange(const covey_event *event, void *pool) {
    turn++;
    if (turn % 3 == 0) covey_compact(world);
    if (turn % 3 == 1) covey_shrink(world);
    if (turn % 3 == 2) covey_pool_reserve(pool, 300);
    if (turn % 5 == 0) covey_destroy(world, *event->entities);
    if (turn % 7 == 0) covey_destroy(world, crowd[turn % CROWD]);
}

static void clear_pool(const covey_type *type) {
    turn = 0;
    assert_true(covey_create_many(world, crowd, CROWD));
    covey_queue *events = covey_queue_create(world);
    for (uint32_t i = 0; i < CROWD; i++) add_value(crowd[i], type, i);
    queue_up(events, type, COVEY_ON_REMOVE);
    covey_connection connection = listen_to(type, COVEY_ON_REMOVE, clear_or_rearrange, covey_pool_of_raw(world, type));
    covey_clear_raw(world, type);
    test_world_is_valid(world);
    assert_int_equal(covey_pool_count(covey_pool_of_raw(world, type)), 0);
    assert_int_equal(covey_queue_count(events), CROWD);
    covey_disconnect(world, connection);
}

static void test_listeners_compact_shrink_and_destroy_while_a_pool_is_cleared(void **state) {
    (void)state;
    for_each_storage(clear_pool);
}

static void sort_it(const covey_event *event, void *pool) {
    (void)event;
    covey_order order = { .key = COVEY_KEY_U32, .descending = turn++ % 3 == 0 };
    assert_int_equal(covey_pool_sort(pool, &order), COVEY_OK);
}

static void test_listeners_sort_a_pool_while_it_is_cleared(void **state) {
    (void)state;
    covey_pool *pool = covey_pool_of(world, Packed);
    for (uint32_t i = 0; i < 200; i++) create_with(covey_id(Packed), i * 37 % 200);
    covey_connection connection = listen_to(covey_id(Packed), COVEY_ON_REMOVE, sort_it, pool);
    covey_clear(world, Packed);
    assert_int_equal(covey_pool_count(pool), 0);
    covey_disconnect(world, connection);
}

/* Reactive sets keep the places for their marks. */
static void test_marks_have_a_place_after_compaction_and_shrinking(void **state) {
    (void)state;
    covey_entity e = create_with(covey_id(Blocked), 1);
    covey_reactive *set = covey_reactive_create(world, &(covey_reactive_desc){ .set = { covey_id(Blocked) } });
    for (uint32_t i = 0; i < 3; i++) {
        covey_reactive_clear(set);
        covey_compact(world);
        covey_shrink(world);
        test_fail_at(&heap, 1, true);
        assert_non_null(covey_patch(world, e, Blocked, NULL, NULL));
        test_fail_never(&heap);
        assert_true(covey_reactive_contains(set, e));
        covey_remove_raw(world, e, covey_reactive_type(set));
        test_world_is_valid(world);
        assert_non_null(covey_patch(world, e, Blocked, NULL, NULL));
        assert_int_equal(covey_reactive_count(set), 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLDS_TEST(test_a_clone_of_everything),
        WORLDS_TEST(test_handles_of_buffers_mean_nothing_in_a_clone),
        WORLDS_TEST(test_a_clone_is_the_world_without_its_buffers),
        WORLDS_TEST(test_both_worlds_go_on_alike),
        WORLDS_TEST(test_memory_is_out_anywhere_in_a_clone),
        WORLDS_TEST(test_a_clone_of_a_world_that_has_nothing_disabled_any_more),
        WORLDS_TEST(test_a_listener_clones_the_world),
        WORLDS_TEST(test_listeners_sort_keep_convert_compact_shrink_and_group),
        WORLDS_TEST(test_listeners_compact_shrink_and_destroy_while_a_pool_is_cleared),
        WORLDS_TEST(test_listeners_sort_a_pool_while_it_is_cleared),
        WORLDS_TEST(test_marks_have_a_place_after_compaction_and_shrinking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
