/* What docs/coming_from.md says that users of other libraries write here, where no other test does it. */
#include "fixture.h"

typedef Value A;
typedef Value B;
typedef Value Solid;
COVEY_COMPONENT_DEFINE(A);
COVEY_COMPONENT_DEFINE(B, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Solid, .policy = COVEY_IN_PLACE);
COVEY_TAG_DEFINE(Sorted, .storage = COVEY_STORAGE_SPARSE);
COVEY_TAG_DEFINE(Touched);

static uint32_t signals[8], signal_count;
static void note_signal(const covey_event *event, void *context) {
    (void)context;
    signals[signal_count++] = (uint32_t)event->signal;
}

/* EnTT: patch<entt::entity>(e). */
static void test_a_tag_that_is_set_is_added_and_then_set(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    covey_listener listener = { .type = covey_id(Touched),
                                .signals = COVEY_ON_ADD | COVEY_ON_SET,
                                .call = note_signal };
    assert_true(covey_connected(world, covey_connect(world, &listener)));
    signal_count = 0;
    for (int i = 0; i < 3; i++) assert_true(covey_set_tag(world, e, Touched));
    assert_int_equal(signal_count, 3);
    assert_true(signals[0] == COVEY_ON_ADD && signals[1] == COVEY_ON_SET && signals[2] == COVEY_ON_SET);
}

static void solid_key(void *key, covey_entity e, const void *value, void *context) {
    (void)value, (void)context;
    *(uint32_t *)key = covey_get(world, e, Solid)->number;
}

/* EnTT: sort<Solid>(less), with in_place_delete. */
static void test_in_place_components_in_the_order_of_a_tag(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 10; i++) {
        covey_entity e = covey_create(world);
        assert_true(covey_add(world, e, Solid, { i * 7 % 10, 0 }) && covey_add_tag(world, e, Sorted));
    }
    assert_int_equal(covey_pool_sort(covey_pool_of(world, Solid), &(covey_order){ .key = COVEY_KEY_U32 }),
                     COVEY_ERROR_REFUSED);
    covey_order order = { .key = COVEY_KEY_U32, .key_of_entity = solid_key };
    assert_int_equal(covey_pool_sort(covey_pool_of(world, Sorted), &order), COVEY_OK);
    covey_view view = covey_view_of(world, Solid);
    covey_iter it = covey_view_iter_by(&view, covey_pool_of(world, Sorted));
    uint32_t next = 0;
    for (covey_row row = { 0 }; covey_next_row(&it, &row); next++)
        assert_int_equal(covey_row_field(&it, row, 0, Solid)->number, next);
    assert_int_equal(next, 10);
}

/* ECR: create(id). */
static void test_an_id_that_was_used_before(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    covey_destroy(world, e);
    assert_false(covey_create_exact(world, &e, 1, COVEY_EXACT_NEW));
    assert_true(covey_create_exact(world, &e, 1, COVEY_EXACT_AGAIN) && covey_alive(world, e));
}

static void add_one(void *value, void *context) {
    (void)context;
    ((A *)value)->number++;
}

/* ECR: view:patch(f). */
static void test_all_components_of_a_view_are_patched(void **state) {
    (void)state;
    covey_listener listener = { .type = covey_id(A), .signals = COVEY_ON_PATCH, .call = note_signal };
    assert_true(covey_connected(world, covey_connect(world, &listener)));
    for (uint32_t i = 0; i < 5; i++) assert_non_null(covey_add(world, covey_create(world), A, { i, 0 }));
    signal_count = 0;
    covey_view view = covey_view_of(world, A);
    covey_iter it = covey_view_iter(&view);
    for (covey_row row = { 0 }; covey_next_row(&it, &row);)
        assert_non_null(covey_patch(world, covey_row_entity(&it, row), A, add_one, NULL));
    assert_int_equal(signal_count, 5);
    assert_int_equal(covey_get(world, covey_view_first(&view), A)->number, 1);
}

static bool unless_paused(const covey_event *event, void *context) {
    (void)event;
    return !*(const bool *)context;
}

/* ECR: an observer that pauses and goes on. */
static void test_a_reactive_set_that_pauses(void **state) {
    (void)state;
    bool paused = false;
    covey_reactive *moved = covey_reactive_create(
        world, &(covey_reactive_desc){ .added = { covey_id(A) }, .decide = unless_paused, .context = &paused });
    assert_non_null(moved);
    covey_entity e[3] = { covey_create(world), covey_create(world), covey_create(world) };
    for (uint32_t i = 0; i < 3; i++) {
        paused = i == 1;
        assert_non_null(covey_add(world, e[i], A, { i, 0 }));
    }
    assert_true(covey_reactive_contains(moved, e[0]) && covey_reactive_contains(moved, e[2]));
    assert_false(covey_reactive_contains(moved, e[1]));
    covey_reactive_destroy(moved);
}

/* toecs: remove_set::<(A, B)>(e). */
static void test_several_components_are_removed(void **state) {
    (void)state;
    covey_entity e = covey_create_with(world, covey_with(A, { 1, 1 }), covey_with(B, { 2, 2 }));
    assert_true(covey_remove(world, e, A) && covey_remove(world, e, B));
    assert_false(covey_remove(world, e, A));
    assert_true(covey_is_empty(world, e));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_a_tag_that_is_set_is_added_and_then_set),
        WORLD_TEST(test_in_place_components_in_the_order_of_a_tag),
        WORLD_TEST(test_an_id_that_was_used_before),
        WORLD_TEST(test_all_components_of_a_view_are_patched),
        WORLD_TEST(test_a_reactive_set_that_pauses),
        WORLD_TEST(test_several_components_are_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
