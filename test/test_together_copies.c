/* Signals and copies: which listeners are told of copies and clones, in which order, and what they do to them
 * meanwhile. */
#include "news.h"
#include "owned.h"

COVEY_COMPONENT_DEFINE(Owned, .drop = drop_owned, .copy = copy_owned);

static int setup(void **state) {
    owned = (owned_counts){ 0 };
    forget_news();
    if (world_setup(state) != 0) return -1;
    covey_world_desc desc = world_desc();
    desc.ids_in_order = true; /* tests name clones by their indices */
    covey_world_destroy(world);
    world = covey_world_create(&desc);
    return world ? 0 : -1;
}

static int teardown(void **state) {
    int result = world_teardown(state);
    assert_int_equal(owned.alive, 0);
    return result;
}
#define COPIES_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

enum { CLONES = 100 };
static covey_entity model, clones[CLONES];

static void make_model(void) {
    model = create_with(covey_id(Packed), 1);
    add_value(model, covey_id(Blocked), 2);
}

/* ---- Who hears ----------------------------------------------------------------------------------------------------*/

static void test_copying_tells_of_what_is_added_and_of_what_is_set(void **state) {
    (void)state;
    make_model();
    covey_entity to = create_with(covey_id(Blocked), 3);
    listen_to(covey_id(Packed), OF_COMPONENTS, note_news, NULL);
    listen_to(covey_id(Blocked), OF_COMPONENTS, note_news, NULL);
    assert_true(covey_copy(world, model, to));
    assert_news("+Pa1 =Bl1 ");
    assert_true(covey_copy(world, model, to));
    assert_news("=Pa1 =Bl1 ");
}

static void test_cloning_tells_of_entities_first(void **state) {
    (void)state;
    make_model();
    listen_to(NULL, OF_ENTITIES, note_news, NULL);
    listen_to(covey_id(Packed), OF_COMPONENTS, note_news, NULL);
    listen_to(covey_id(Blocked), OF_COMPONENTS, note_news, NULL);
    assert_true(covey_clone(world, model, clones, 2));
    assert_news("*1 *2 +Pa1 +Pa2 +Bl1 +Bl2 ");
}

static void count_calls(const covey_event *event, void *calls) {
    (void)event;
    ++*(uint32_t *)calls;
}

static void test_listeners_that_take_spans_are_called_once_for_many_clones(void **state) {
    (void)state;
    make_model();
    uint32_t of_entities = 0, of_values = 0, one_by_one = 0;
    covey_connect(world, &(covey_listener){
                             .signals = COVEY_ON_CREATE, .call = count_calls, .context = &of_entities, .spans = true });
    covey_connect(world, &(covey_listener){ .type = covey_id(Packed),
                                            .signals = COVEY_ON_ADD,
                                            .call = count_calls,
                                            .context = &of_values,
                                            .spans = true });
    covey_connect(world,
                  &(covey_listener){
                      .type = covey_id(Packed), .signals = COVEY_ON_ADD, .call = count_calls, .context = &one_by_one });
    assert_true(covey_clone(world, model, clones, 20));
    assert_int_equal(of_entities, 1);
    assert_int_equal(of_values, 1);
    assert_int_equal(one_by_one, 20);
}

static void test_reactive_sets_collect_copies(void **state) {
    (void)state;
    make_model();
    covey_reactive *added = covey_reactive_create(world, &(covey_reactive_desc){ .added = { covey_id(Packed) } });
    covey_reactive *set = covey_reactive_create(world, &(covey_reactive_desc){ .set = { covey_id(Packed) } });
    assert_true(covey_clone(world, model, clones, 3));
    assert_int_equal(covey_reactive_count(added), 3);
    assert_int_equal(covey_reactive_count(set), 0);
    assert_true(covey_copy(world, model, clones[1]));
    assert_int_equal(covey_reactive_count(set), 1);
    assert_true(covey_reactive_contains(set, clones[1]));
}

static void copy_to_dying(const covey_event *event, void *context) {
    (void)context;
    assert_false(covey_copy(world, model, *event->entities));
    assert_failed(COVEY_ERROR_DEAD);
    assert_true(covey_clone(world, *event->entities, clones, 1)); /* from it is fine */
    assert_true(covey_copy(world, *event->entities, clones[0]));
}

static void test_a_dying_entity_takes_no_copy_and_can_be_copied(void **state) {
    (void)state;
    make_model();
    covey_entity e = create_with(covey_id(Ordered), 7);
    covey_connection connection = listen_to(NULL, COVEY_ON_DESTROY, copy_to_dying, NULL);
    assert_true(covey_destroy(world, e));
    covey_disconnect(world, connection);
    assert_value(clones[0], covey_id(Ordered), 7);
    assert_false(covey_has(world, clones[0], Packed));
}

/* ---- Queues -------------------------------------------------------------------------------------------------------*/

static void test_a_queue_hears_of_a_set_that_is_a_copy(void **state) {
    (void)state;
    make_model();
    covey_entity to = create_with(covey_id(Packed), 3);
    covey_queue *queue = covey_queue_create(world);
    queue_up(queue, covey_id(Packed), COVEY_ON_SET);
    for (uint32_t i = 0; i < 40; i++) {
        assert_true(covey_copy(world, model, to));
        test_world_is_valid(world);
    }
    assert_int_equal(covey_queue_count(queue), 40);
}

/* One queue for everything, connected in as many ways as there are. */
static void queue_everything(covey_queue *queue) {
    static const uint32_t component_signals[] = { COVEY_ON_ADD, COVEY_ON_SET, COVEY_ON_REMOVE };
    for (uint32_t i = 0; i < COUNT_OF(storage_types); i++)
        for (uint32_t k = 0; k < COUNT_OF(component_signals); k++)
            queue_up(queue, storage_types[i], component_signals[k]);
    queue_up(queue, covey_id(Packed), COVEY_ON_ADD);
    for (uint32_t i = 0; i < 3; i++) queue_up(queue, NULL, COVEY_ON_CREATE);
    queue_up(queue, NULL, COVEY_ON_DESTROY);
}

static void test_a_queue_has_room_for_all_that_a_clone_brings_and_for_its_end(void **state) {
    (void)state;
    covey_queue *queue = covey_queue_create(world);
    queue_everything(queue);
    model = covey_create(world);
    for (uint32_t i = 0; i < COUNT_OF(storage_types); i++) add_value(model, storage_types[i], i);
    covey_queue_clear(queue);
    assert_true(covey_clone(world, model, clones, CLONES));
    test_world_is_valid(world);
    assert_int_equal(covey_queue_count(queue), CLONES * (3 + COUNT_OF(storage_types) + 1));
    test_fail_at(&heap, 1, true);
    assert_int_equal(covey_destroy_many(world, clones, CLONES), CLONES);
    test_fail_never(&heap);
    test_world_is_valid(world);
    assert_int_equal(covey_queue_count(queue), CLONES * (3 + 2 * COUNT_OF(storage_types) + 2));
}

/* One connection for each signal is as good as one for all. */
static void test_a_queue_may_be_connected_more_than_once(void **state) {
    (void)state;
    covey_queue *queue = covey_queue_create(world);
    queue_everything(queue);
    for (uint32_t i = 0; i < 30; i++) {
        covey_entity e = create_with(covey_id(Packed), i);
        add_value(e, covey_id(Blocked), i);
        test_world_is_valid(world);
    }
    covey_destroy_all(world);
    assert_int_equal(covey_queue_count(queue), 30 * (3 + 1 + 3 + 2));
}

static bool clone_many(void) { return covey_clone(world, model, clones, 10); }

static bool copy_once(void) { return covey_copy(world, model, clones[0]); }

static void fails_in_turn(bool (*run)(void), covey_queue *queue, uint32_t events) {
    uint64_t at = 1;
    for (bool failed = true; failed; at++) {
        uint64_t digest = world_digest(world);
        uint32_t count = covey_queue_count(queue);
        covey_shrink(world);
        test_fail_at(&heap, at, true);
        bool done = run();
        failed = heap.failed;
        test_fail_never(&heap);
        assert_int_equal(done, !failed);
        test_world_is_valid(world);
        assert_int_equal(covey_queue_count(queue), failed ? count : count + events);
        if (failed) assert_int_equal(world_digest(world), digest);
    }
    assert_true(at > 2);
}

static void test_copies_that_nobody_could_be_told_of_are_not_made(void **state) {
    (void)state;
    covey_queue *queue = covey_queue_create(world);
    queue_everything(queue);
    model = covey_create(world);
    for (uint32_t i = 0; i < COUNT_OF(storage_types); i++) add_value(model, storage_types[i], i);
    covey_queue_clear(queue);
    fails_in_turn(clone_many, queue, 10 * (3 + COUNT_OF(storage_types) + 1));
    for (uint32_t i = 0; i < 3; i++) remove_value(clones[0], storage_types[i]);
    covey_queue_destroy(queue); /* so that nothing is left of the room it had */
    queue = covey_queue_create(world);
    queue_everything(queue);
    fails_in_turn(copy_once, queue, COUNT_OF(storage_types) + 1);
}

/* ---- Listeners that interfere -------------------------------------------------------------------------------------*/

static void destroy_second(const covey_event *event, void *context) {
    (void)context;
    if (covey_same(*event->entities, clones[0])) assert_true(covey_destroy(world, clones[1]));
}

static void hear_all(covey_queue *queue) {
    const covey_type *types[] = { NULL, covey_id(Packed), covey_id(Blocked) };
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        uint32_t signals = types[i] ? OF_COMPONENTS : OF_ENTITIES;
        listen_to(types[i], signals, note_news, NULL);
        queue_up(queue, types[i], signals);
    }
}

/* A clone that ends while others note_news of its beginning: all that was still to be told of it is told before. */
static void test_a_listener_destroys_a_clone_when_it_hears_of_another(void **state) {
    (void)state;
    make_model();
    covey_queue *queue = covey_queue_create(world);
    covey_reactive *added = covey_reactive_create(world, &(covey_reactive_desc){ .added = { covey_id(Blocked) } });
    listen_to(NULL, COVEY_ON_CREATE, destroy_second, NULL);
    hear_all(queue);
    assert_true(covey_clone(world, model, clones, 3));
    test_world_is_valid(world);
    assert_news("*1 *2 *3 +Pa1 +Pa2 +Pa3 +Bl1 +Bl2 +Bl3 !2 -Pa2 -Bl2 ");
    assert_queued_news(queue, "*1 *2 *3 +Pa1 +Pa2 +Pa3 +Bl1 +Bl2 +Bl3 !2 -Pa2 -Bl2 ");
    assert_true(covey_alive(world, clones[0]) && !covey_alive(world, clones[1]) && covey_alive(world, clones[2]));
    assert_int_equal(covey_reactive_count(added), 2);
}

static void remove_block(const covey_event *event, void *context) {
    (void)context;
    covey_remove(world, *event->entities, Blocked);
}

static void test_a_listener_removes_a_component_that_is_still_to_be_told_of(void **state) {
    (void)state;
    make_model();
    covey_queue *queue = covey_queue_create(world);
    listen_to(covey_id(Packed), COVEY_ON_ADD, remove_block, NULL);
    hear_all(queue);
    assert_true(covey_clone(world, model, clones, 1));
    test_world_is_valid(world);
    assert_news("*1 +Bl1 -Bl1 +Pa1 ");
    assert_queued_news(queue, "*1 +Pa1 +Bl1 -Bl1 ");
    covey_entity to = covey_create(world);
    forget_news();
    assert_true(covey_copy(world, model, to));
    assert_news("+Bl2 -Bl2 +Pa2 ");
}

static void destroy_source(const covey_event *event, void *context) {
    (void)event, (void)context;
    covey_destroy(world, model);
}

static void test_a_listener_destroys_what_is_copied(void **state) {
    (void)state;
    make_model();
    covey_add(world, model, Owned, { 5, ~5u });
    owned.alive++;
    listen_to(NULL, COVEY_ON_CREATE, destroy_source, NULL);
    listen_to(covey_id(Owned), OF_COMPONENTS, note_news, NULL);
    assert_true(covey_clone(world, model, clones, 2));
    assert_news("-Ow0 +Ow1 +Ow2 ");
    assert_false(covey_alive(world, model));
    assert_int_equal(covey_get(world, clones[1], Owned)->number, 5);
    assert_value(clones[0], covey_id(Packed), 1);
    assert_int_equal(owned.alive, 2);
}

static void destroy_all(const covey_event *event, void *context) {
    (void)event, (void)context;
    covey_destroy_all(world);
}

static void test_a_listener_destroys_everything(void **state) {
    (void)state;
    make_model();
    covey_add(world, model, Owned, { 5, ~5u });
    owned.alive++;
    covey_queue *queue = covey_queue_create(world);
    listen_to(covey_id(Packed), COVEY_ON_ADD, destroy_all, NULL);
    hear_all(queue);
    assert_true(covey_clone(world, model, clones, 2));
    test_world_is_valid(world);
    assert_int_equal(covey_entity_count(world), 0);
    assert_int_equal(owned.alive, 0);
    assert_queued_news(queue, "*1 *2 +Pa1 +Pa2 +Bl1 +Bl2 !2 -Pa2 -Bl2 !1 -Pa1 -Bl1 !0 -Pa0 -Bl0 ");
}

static void connect_queue(const covey_event *event, void *queue) {
    if (!covey_same(*event->entities, clones[0])) return;
    queue_up(queue, covey_id(Packed), COVEY_ON_ADD | COVEY_ON_REMOVE);
}

/* A listener that is connected meanwhile is not told of it, and has room for what follows. */
static void test_a_queue_that_is_connected_while_clones_are_told_of(void **state) {
    (void)state;
    make_model();
    covey_queue *queue = covey_queue_create(world);
    listen_to(NULL, COVEY_ON_CREATE, connect_queue, queue);
    assert_true(covey_clone(world, model, clones, 10));
    test_world_is_valid(world);
    assert_int_equal(covey_queue_count(queue), 0);
    covey_destroy_many(world, clones, 10);
    assert_int_equal(covey_queue_count(queue), 10);
}

static void disconnect(const covey_event *event, void *connection) {
    (void)event;
    covey_disconnect(world, *(covey_connection *)connection);
}

static void test_a_listener_that_is_disconnected_while_clones_are_told_of(void **state) {
    (void)state;
    make_model();
    covey_connection connection = { 0 };
    listen_to(NULL, COVEY_ON_CREATE, disconnect, &connection);
    connection = listen_to(covey_id(Packed), OF_COMPONENTS, note_news, NULL);
    assert_true(covey_clone(world, model, clones, 2));
    assert_news("");
    test_world_is_valid(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        COPIES_TEST(test_copying_tells_of_what_is_added_and_of_what_is_set),
        COPIES_TEST(test_cloning_tells_of_entities_first),
        COPIES_TEST(test_listeners_that_take_spans_are_called_once_for_many_clones),
        COPIES_TEST(test_reactive_sets_collect_copies),
        COPIES_TEST(test_a_dying_entity_takes_no_copy_and_can_be_copied),
        COPIES_TEST(test_a_queue_hears_of_a_set_that_is_a_copy),
        COPIES_TEST(test_a_queue_has_room_for_all_that_a_clone_brings_and_for_its_end),
        COPIES_TEST(test_a_queue_may_be_connected_more_than_once),
        COPIES_TEST(test_copies_that_nobody_could_be_told_of_are_not_made),
        COPIES_TEST(test_a_listener_destroys_a_clone_when_it_hears_of_another),
        COPIES_TEST(test_a_listener_removes_a_component_that_is_still_to_be_told_of),
        COPIES_TEST(test_a_listener_destroys_what_is_copied),
        COPIES_TEST(test_a_listener_destroys_everything),
        COPIES_TEST(test_a_queue_that_is_connected_while_clones_are_told_of),
        COPIES_TEST(test_a_listener_that_is_disconnected_while_clones_are_told_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
