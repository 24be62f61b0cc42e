/* Taking values out, removing those that a function chooses, and patching what may be absent. */
#include "hearing.h"
#include "owned.h"

COVEY_COMPONENT_DEFINE(Owned, .drop = drop_owned, .copy = copy_owned);
typedef Value Sorted;
COVEY_COMPONENT_DEFINE(Sorted, .storage = COVEY_STORAGE_SPARSE);
typedef Value Left;
typedef Value Right;
COVEY_COMPONENT_DEFINE(Left, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Right, .storage = COVEY_STORAGE_SPARSE);
typedef Value Blanked;
COVEY_COMPONENT_DEFINE(Blanked, .storage = COVEY_STORAGE_SPARSE, .zero_erased = true);

static covey_entity create_owner(uint32_t number) {
    covey_entity e = covey_create(world);
    assert_non_null(covey_add(world, e, Owned, { number, ~number }));
    owned.alive++;
    return e;
}

/* ---- Taking -------------------------------------------------------------------------------------------------------*/

static void take_one(const covey_type *type) {
    covey_entity first = create_with(type, 1), second = create_with(type, 2), third = create_with(type, 3);
    Value value = value_of(9);
    assert_true(covey_take_raw(world, second, type, &value));
    assert_int_equal(value.number, 2);
    assert_int_equal(value.check, ~2u);
    assert_null(get_value(second, type));
    assert_value(first, type, 1);
    assert_value(third, type, 3);
    assert_false(covey_take_raw(world, second, type, &value));
    assert_int_equal(value.number, 2); /* as it was */
    covey_pool *pool = covey_pool_find_raw(world, type);
    assert_true(covey_pool_take_raw(pool, third, &value));
    assert_int_equal(value.number, 3);
    assert_int_equal(covey_pool_count(pool), 1);
    assert_non_null(add_value(second, type, 4));
    test_world_is_valid(world);
}

static void test_a_value_is_taken_out(void **state) {
    (void)state;
    for_each_storage(take_one);
}

static void test_a_value_that_is_taken_is_not_dropped(void **state) {
    (void)state;
    covey_entity e = create_owner(7);
    Owned mine = { 0, 0 };
    assert_true(covey_take(world, e, Owned, &mine));
    assert_int_equal(owned.alive, 1);
    assert_int_equal(mine.number, 7);
    assert_non_null(covey_add_value(world, covey_create(world), Owned, &mine)); /* it may move on */
    covey_destroy_all(world);
    assert_int_equal(owned.alive, 0);
}

static void test_nothing_is_taken_where_nothing_is(void **state) {
    (void)state;
    Value value = value_of(9);
    covey_entity e = covey_create(world);
    assert_false(covey_take(world, e, Packed, &value)); /* a type that the world does not know */
    covey_entity other = create_with(covey_id(Packed), 1);
    assert_false(covey_take(world, e, Packed, &value));
    covey_destroy(world, other);
    assert_false(covey_take(world, other, Packed, &value));
    assert_false(covey_take(world, entity(0, 0), Packed, &value));
    assert_int_equal(value.number, 9);
    assert_int_equal(covey_world_result(world), COVEY_OK);
}

static void test_a_tag_is_taken_without_a_value(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    covey_add_tag(world, e, Marked);
    assert_true(covey_take_raw(world, e, covey_id(Marked), NULL));
    assert_false(covey_has(world, e, Marked));
}

static const Value *told_value;
static uint32_t told_number;
static void read_value(const covey_event *event) {
    told_value = event->values;
    told_number = told_value->number;
}

static void test_listeners_hear_of_a_removal_while_the_value_is_there(void **state) {
    (void)state;
    static ear a = { "a", read_value, 1, { 0 } };
    covey_entity e = create_with(covey_id(Packed), 5);
    listen_begin();
    listen(&a, covey_id(Packed), COMPONENT_SIGNALS);
    Value value = value_of(0);
    assert_true(covey_take(world, e, Packed, &value));
    assert_told("a-0");
    assert_int_equal(told_number, 5);
    assert_int_equal(value.number, 5);
}

static void remove_it(const covey_event *event) { covey_remove_raw(world, *event->entities, event->type); }

static void test_what_a_listener_removes_first_is_not_taken(void **state) {
    (void)state;
    static ear a = { "a", remove_it, 1, { 0 } }, b = { "b", NULL, 0, { 0 } };
    covey_entity e = create_with(covey_id(Packed), 5);
    listen_begin();
    listen(&b, covey_id(Packed), COMPONENT_SIGNALS);
    listen(&a, covey_id(Packed), COMPONENT_SIGNALS);
    Value value = value_of(9);
    assert_false(covey_take(world, e, Packed, &value));
    assert_told("a-0 b-0");
    assert_int_equal(value.number, 9);
    assert_false(covey_has(world, e, Packed));
}

static void test_a_value_is_taken_out_of_a_group(void **state) {
    (void)state;
    covey_group *group = covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Left), covey_id(Right) } });
    covey_entity e[6];
    for (uint32_t i = 0; i < 6; i++) {
        e[i] = create_with(covey_id(Left), i);
        assert_non_null(add_value(e[i], covey_id(Right), 10 + i));
    }
    Value value = value_of(0);
    assert_true(covey_take(world, e[2], Right, &value));
    assert_int_equal(value.number, 12);
    assert_int_equal(covey_group_count(group), 5);
    for (uint32_t i = 0; i < 6; i++) assert_value(e[i], covey_id(Left), i);
    covey_group_destroy(group);
}

static void test_what_a_taken_value_leaves_is_zero_if_the_type_says_so(void **state) {
    (void)state;
    covey_entity e = create_with(covey_id(Blanked), 3);
    const Value *at = get_value(e, covey_id(Blanked));
    Value value = value_of(0);
    assert_true(covey_take(world, e, Blanked, &value));
    assert_int_equal(value.number, 3);
    assert_int_equal(at->number | at->check, 0);
}

/* ---- Removing those that are chosen -------------------------------------------------------------------------------*/

typedef struct asked {
    uint32_t times, divisor;
    covey_entity last;
} asked;

static bool is_multiple(covey_entity e, const void *value, void *context) {
    asked *a = context;
    a->times++;
    a->last = e;
    assert_true(covey_alive(world, e));
    return ((const Value *)value)->number % a->divisor == 0;
}

static void remove_multiples(const covey_type *type) {
    enum { COUNT = 200 };
    covey_entity e[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) e[i] = create_with(type, i);
    for (uint32_t i = 0; i < COUNT; i += 7) remove_value(e[i], type);
    uint32_t there = 0, wanted = 0;
    for (uint32_t i = 0; i < COUNT; i++) there += i % 7 != 0, wanted += i % 7 != 0 && i % 3 == 0;
    asked a = { .divisor = 3 };
    assert_int_equal(covey_remove_if_raw(world, type, is_multiple, &a), wanted);
    assert_int_equal(a.times, there); /* each was asked about once */
    for (uint32_t i = 0; i < COUNT; i++) {
        bool stays = i % 7 != 0 && i % 3 != 0;
        assert_int_equal(get_value(e[i], type) != NULL, stays);
        if (stays) assert_value(e[i], type, i);
    }
    test_world_is_valid(world);
    a.divisor = 1;
    assert_int_equal(covey_pool_remove_if(covey_pool_find_raw(world, type), is_multiple, &a), there - wanted);
    assert_int_equal(covey_pool_count(covey_pool_find_raw(world, type)), 0);
    assert_int_equal(covey_entity_count(world), COUNT);
}

static void test_those_are_removed_for_which_a_function_says_so(void **state) {
    (void)state;
    for_each_storage(remove_multiples);
}

static void test_a_type_that_is_unknown_has_none_to_remove(void **state) {
    (void)state;
    asked a = { .divisor = 1 };
    assert_int_equal(covey_remove_if(world, Packed, is_multiple, &a), 0);
    assert_int_equal(covey_world_pool_count(world), 0);
}

static void test_those_that_are_chosen_are_dropped(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 10; i++) create_owner(i);
    asked a = { .divisor = 2 };
    assert_int_equal(covey_remove_if(world, Owned, is_multiple, &a), 5);
    assert_int_equal(owned.alive, 5);
}

static void test_an_order_that_is_kept_stays_when_some_are_removed(void **state) {
    (void)state;
    covey_pool *pool = covey_pool_of(world, Sorted);
    assert_int_equal(covey_pool_keep_sorted(pool, &(covey_order){ .key = COVEY_KEY_U32 }), COVEY_OK);
    for (uint32_t i = 0; i < 100; i++) create_with(covey_id(Sorted), i * 37 % 100);
    asked a = { .divisor = 4 };
    assert_int_equal(covey_remove_if(world, Sorted, is_multiple, &a), 25);
    assert_int_equal(a.times, 100);
    for (uint32_t i = 1; i < (covey_pool_position_count)(pool); i++)
        assert_true(covey_pool_value_at(pool, i - 1, Sorted)->number < covey_pool_value_at(pool, i, Sorted)->number);
}

static void test_groups_lose_those_that_are_removed(void **state) {
    (void)state;
    covey_group *inner = covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Left), covey_id(Right) } });
    covey_group *outer = covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Left) } });
    covey_group *without =
        covey_group_create(world, &(covey_group_desc){ .with = { covey_id(Blocked) }, .without = { covey_id(Left) } });
    assert_true(inner && outer && without);
    for (uint32_t i = 0; i < 150; i++) {
        covey_entity e = create_with(covey_id(Left), i);
        if (i % 2 == 0) add_value(e, covey_id(Right), i);
        add_value(e, covey_id(Blocked), i);
    }
    asked a = { .divisor = 3 };
    assert_int_equal(covey_remove_if(world, Left, is_multiple, &a), 50);
    assert_int_equal(a.times, 150);
    assert_int_equal(covey_group_count(outer), 100);
    assert_int_equal(covey_group_count(inner), 50);
    assert_int_equal(covey_group_count(without), 50);
}

static void test_components_that_are_disabled_are_asked_about_too(void **state) {
    (void)state;
    covey_entity e = create_with(covey_id(Blocked), 4), other = create_with(covey_id(Blocked), 8);
    assert_int_equal(covey_component_disable(world, e, Blocked), COVEY_OK);
    assert_int_equal(covey_disable(world, other), COVEY_OK);
    asked a = { .divisor = 4 };
    assert_int_equal(covey_remove_if(world, Blocked, is_multiple, &a), 2);
}

static void test_listeners_hear_of_each_that_is_removed(void **state) {
    (void)state;
    static ear a = { "a", NULL, 0, { 0 } };
    covey_entity e[5];
    for (uint32_t i = 0; i < 5; i++) e[i] = create_with(covey_id(Packed), i);
    listen_begin();
    listen(&a, covey_id(Packed), COVEY_ON_REMOVE);
    asked multiples = { .divisor = 2 };
    assert_int_equal(covey_remove_if(world, Packed, is_multiple, &multiples), 3);
    assert_told("a-4 a-2 a-0"); /* from the last to the first, as covey_clear */
    assert_value(e[1], covey_id(Packed), 1);
    assert_value(e[3], covey_id(Packed), 3);
}

static void remove_the_first(const covey_event *event) {
    (void)event;
    remove_value(entity(0, 1), covey_id(Packed));
}

static void test_those_that_a_listener_removes_are_not_counted(void **state) {
    (void)state;
    static ear a = { "a", remove_the_first, 1, { 0 } };
    for (uint32_t i = 0; i < 4; i++) create_with(covey_id(Packed), 2 * i);
    listen_begin();
    listen(&a, covey_id(Packed), COVEY_ON_REMOVE);
    asked even = { .divisor = 2 };
    assert_int_equal(covey_remove_if(world, Packed, is_multiple, &even), 3);
    assert_told("a-3 a-2 a-1 a-0");
    assert_int_equal(covey_pool_count(covey_pool_of(world, Packed)), 0);
}

static void add_another(const covey_event *event) {
    (void)event;
    create_with(covey_id(Left), 2);
}

/* In a pool that a group owns, an addition moves those that were not asked about yet. */
static void test_listeners_that_add_hide_nothing(void **state) {
    (void)state;
    static ear a = { "a", add_another, 20, { 0 } };
    covey_group *group = covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Left) } });
    for (uint32_t i = 0; i < 100; i++) create_with(covey_id(Left), 1);
    listen_begin();
    listen(&a, covey_id(Left), COVEY_ON_REMOVE);
    for (uint32_t pass = 0; pass < 2; pass++) {
        asked any = { .divisor = 1 };
        covey_remove_if(world, Left, is_multiple, &any);
    }
    assert_int_equal(covey_group_count(group), 0);
}

/* ---- Patching, or adding ------------------------------------------------------------------------------------------*/

static void add_five(void *value, void *context) {
    ((Value *)value)->number += 5;
    ((Value *)value)->check = ~((Value *)value)->number;
    *(uint32_t *)context += 1;
}

static void patch_or_add(const covey_type *type) {
    covey_entity e = covey_create(world);
    uint32_t calls = 0;
    Value *value = covey_patch_or_add_raw(world, e, type, add_five, &calls);
    assert_ptr_equal(value, get_value(e, type));
    assert_value(e, type, 5); /* from zero */
    assert_non_null(covey_patch_or_add_raw(world, e, type, add_five, &calls));
    assert_value(e, type, 10);
    assert_int_equal(calls, 2);
    assert_null(covey_patch_or_add_raw(world, entity(70, 1), type, add_five, &calls));
    assert_failed(COVEY_ERROR_DEAD);
    assert_int_equal(calls, 2);
}

static void test_patch_adds_what_is_absent_first(void **state) {
    (void)state;
    for_each_storage(patch_or_add);
}

static void test_without_a_function_it_is_added_or_told_of(void **state) {
    (void)state;
    static ear a = { "a", NULL, 0, { 0 } };
    listen_begin();
    listen(&a, covey_id(Packed), COMPONENT_SIGNALS);
    covey_entity e = covey_create(world);
    assert_non_null(covey_patch_or_add(world, e, Packed, NULL, NULL));
    assert_non_null(covey_patch_or_add(world, e, Packed, NULL, NULL));
    assert_told("a+0 a=0");
}

static void test_listeners_hear_of_an_addition_when_the_value_is_changed(void **state) {
    (void)state;
    static ear a = { "a", read_value, 1, { 0 } };
    uint32_t calls = 0;
    listen_begin();
    listen(&a, covey_id(Packed), COMPONENT_SIGNALS);
    covey_patch_or_add(world, covey_create(world), Packed, add_five, &calls);
    assert_told("a+0");
    assert_int_equal(told_number, 5);
}

static void test_groups_get_what_a_patch_adds(void **state) {
    (void)state;
    uint32_t calls = 0;
    covey_group *group = covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Left), covey_id(Right) } });
    covey_entity e = covey_create(world), other = create_with(covey_id(Left), 1);
    assert_non_null(covey_patch_or_add(world, e, Left, add_five, &calls));
    assert_non_null(covey_patch_or_add(world, e, Right, add_five, &calls));
    assert_int_equal(covey_group_count(group), 1);
    assert_same(covey_group_first(group), e);
    assert_value(e, covey_id(Left), 5);
    assert_value(e, covey_id(Right), 5);
    assert_value(other, covey_id(Left), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_a_value_is_taken_out),
        OWNED_TEST(test_a_value_that_is_taken_is_not_dropped),
        WORLD_TEST(test_nothing_is_taken_where_nothing_is),
        WORLD_TEST(test_a_tag_is_taken_without_a_value),
        WORLD_TEST(test_listeners_hear_of_a_removal_while_the_value_is_there),
        WORLD_TEST(test_what_a_listener_removes_first_is_not_taken),
        WORLD_TEST(test_a_value_is_taken_out_of_a_group),
        WORLD_TEST(test_what_a_taken_value_leaves_is_zero_if_the_type_says_so),
        WORLD_TEST(test_those_are_removed_for_which_a_function_says_so),
        WORLD_TEST(test_a_type_that_is_unknown_has_none_to_remove),
        OWNED_TEST(test_those_that_are_chosen_are_dropped),
        WORLD_TEST(test_an_order_that_is_kept_stays_when_some_are_removed),
        WORLD_TEST(test_groups_lose_those_that_are_removed),
        WORLD_TEST(test_components_that_are_disabled_are_asked_about_too),
        WORLD_TEST(test_listeners_hear_of_each_that_is_removed),
        WORLD_TEST(test_those_that_a_listener_removes_are_not_counted),
        WORLD_TEST(test_listeners_that_add_hide_nothing),
        WORLD_TEST(test_patch_adds_what_is_absent_first),
        WORLD_TEST(test_without_a_function_it_is_added_or_told_of),
        WORLD_TEST(test_listeners_hear_of_an_addition_when_the_value_is_changed),
        WORLD_TEST(test_groups_get_what_a_patch_adds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
