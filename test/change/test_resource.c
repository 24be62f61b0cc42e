/* Resources: one value of a type for the whole world. */
#include "memory/inner.h"
#include "fixture.h"

#include <stdio.h>

#include <covey/history.h>

typedef struct Clock {
    uint32_t now, rate;
} Clock;
typedef struct Grid {
    _Alignas(64) uint32_t cell[16];
} Grid;
typedef struct Handle {
    uint32_t number;
} Handle;
typedef Handle First;
typedef Handle Second;

static uint32_t dropped[8], drops;

static void drop_handle(void *value, void *context) {
    (void)context;
    assert_true(drops < COUNT_OF(dropped));
    dropped[drops++] = ((const Handle *)value)->number;
}

COVEY_COMPONENT_DEFINE(Clock);
COVEY_COMPONENT_DEFINE(Grid);
COVEY_COMPONENT_DEFINE(First, .drop = drop_handle);
COVEY_COMPONENT_DEFINE(Second, .drop = drop_handle);
COVEY_TAG_DEFINE(Paused);
static const covey_type clock_twin = { .name = "Clock", .size = sizeof(Clock), .align = _Alignof(Clock) };
static const covey_type clock_clash = { .name = "Clock", .size = 4, .align = 4 };

static void test_a_world_has_one_value_of_a_type(void **state) {
    (void)state;
    assert_null(covey_resource_get(world, Clock));
    assert_false(covey_resource_has(world, Clock));
    Clock *clock = covey_resource_set(world, Clock, { .now = 1, .rate = 60 });
    assert_ptr_equal(covey_resource_get(world, Clock), clock);
    assert_int_equal(clock->rate, 60);
    Clock other = { 2, 30 };
    assert_ptr_equal(covey_resource_set_value(world, Clock, &other), clock); /* overwritten where it is */
    assert_int_equal(clock->rate, 30);
    assert_true(covey_resource_has(world, Clock));
    assert_true(covey_resource_remove(world, Clock));
    assert_false(covey_resource_remove(world, Clock));
    assert_null(covey_resource_get(world, Clock));
}

static void test_its_address_stays_while_others_come_and_go(void **state) {
    (void)state;
    const Clock *clock = covey_resource_set(world, Clock, { 1, 2 });
    const Grid *grid = covey_resource_set(world, Grid, { { 7 } });
    char names[40][8];
    covey_type many[40];
    for (uint32_t i = 0; i < 40; i++) {
        names[i][0] = (char)('A' + i / 26), names[i][1] = (char)('a' + i % 26), names[i][2] = '\0';
        many[i] = (covey_type){ .name = names[i], .size = 4, .align = 4 };
        assert_non_null(covey_resource_set_raw(world, &many[i], &i));
    }
    for (uint32_t i = 0; i < 40; i++) assert_int_equal(*(uint32_t *)covey_resource_get_raw(world, &many[i]), i);
    for (uint32_t i = 0; i < 40; i++) assert_true(covey_resource_remove_raw(world, &many[i]));
    assert_ptr_equal(covey_resource_get(world, Clock), clock);
    assert_ptr_equal(covey_resource_get(world, Grid), grid);
    assert_int_equal((uintptr_t)grid % 64, 0);
    assert_int_equal(grid->cell[0], 7);
}

static void test_a_tag_has_an_address_and_null_is_zero_bytes(void **state) {
    (void)state;
    assert_true(covey_resource_set_tag(world, Paused));
    assert_non_null(covey_resource_get(world, Paused));
    assert_true(covey_resource_remove(world, Paused));
    const Clock *clock = covey_resource_set_raw(world, covey_id(Clock), NULL);
    assert_int_equal(clock->now + clock->rate, 0);
}

static void test_types_are_matched_by_address_then_by_name(void **state) {
    (void)state;
    const Clock *clock = covey_resource_set(world, Clock, { 1, 2 });
    assert_ptr_equal(covey_resource_get_raw(world, &clock_twin), clock);
    assert_null(covey_resource_get_raw(world, &clock_clash));
    assert_null(covey_resource_set_raw(world, &clock_clash, NULL));
    assert_failed(COVEY_ERROR_LAYOUT);
    assert_null(covey_resource_set_raw(world, &(covey_type){ .name = "Odd", .size = 3, .align = 2 }, NULL));
    assert_failed(COVEY_ERROR_TYPE);
    assert_null(covey_resource_set_raw(world, &(covey_type){ .name = "covey.own", .size = 4 }, NULL));
    assert_failed(COVEY_ERROR_TYPE);
    assert_int_equal(covey_world_resource_count(world), 1);
}

static void test_components_of_the_same_type_are_something_else(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    covey_resource_set(world, Clock, { 1, 2 });
    assert_null(covey_get(world, e, Clock));
    assert_int_equal(covey_world_pool_count(world), 0);
    covey_add(world, e, Clock, { 3, 4 });
    assert_int_equal(covey_resource_get(world, Clock)->now, 1);
    covey_destroy_all(world);
    covey_clear_components(world);
    assert_true(covey_resource_has(world, Clock));
}

static void test_values_are_dropped_when_overwritten_or_removed(void **state) {
    (void)state;
    drops = 0;
    First *first = covey_resource_set(world, First, { 1 });
    covey_resource_set_value(world, First, first); /* itself: nothing happens */
    assert_int_equal(drops, 0);
    covey_resource_set(world, First, { 2 });
    assert_true(drops == 1 && dropped[0] == 1);
    covey_resource_remove(world, First);
    assert_true(drops == 2 && dropped[1] == 2);
}

static void test_a_value_is_taken_and_not_dropped(void **state) {
    (void)state;
    drops = 0;
    First mine = { 9 };
    assert_false(covey_resource_take(world, First, &mine));
    covey_resource_set(world, First, { 1 });
    covey_resource_set(world, Clock, { 2, 3 });
    assert_true(covey_resource_take(world, First, &mine));
    assert_int_equal(mine.number, 1);
    assert_int_equal(drops, 0);
    assert_null(covey_resource_get(world, First));
    assert_int_equal(covey_resource_get(world, Clock)->rate, 3);
    assert_false(covey_resource_take(world, First, &mine));
    covey_resource_set_tag(world, Paused);
    assert_true(covey_resource_take_raw(world, covey_id(Paused), NULL));
    assert_int_equal(covey_world_resource_count(world), 1);
}

static void test_a_world_drops_them_behind_components_the_last_first(void **state) {
    (void)state;
    covey_world *mine = covey_world_create(NULL);
    drops = 0;
    covey_resource_set(mine, First, { 1 });
    covey_resource_set(mine, Second, { 2 });
    covey_add(mine, covey_create(mine), First, { 3 });
    covey_world_destroy(mine);
    assert_int_equal(drops, 3);
    assert_true(dropped[0] == 3 && dropped[1] == 2 && dropped[2] == 1);
}

static void test_they_are_listed_in_the_order_in_which_they_were_set(void **state) {
    (void)state;
    assert_int_equal(covey_world_resource_count(world), 0);
    assert_null(covey_world_resource(world, 0));
    covey_resource_set(world, Grid, { { 0 } });
    covey_resource_set(world, Clock, { 0, 0 });
    covey_resource_set_tag(world, Paused);
    covey_resource_set(world, Grid, { { 1 } });
    assert_int_equal(covey_world_resource_count(world), 3);
    assert_ptr_equal(covey_world_resource(world, 0), covey_id(Grid));
    covey_resource_remove(world, Grid);
    assert_ptr_equal(covey_world_resource(world, 0), covey_id(Clock));
    assert_ptr_equal(covey_world_resource(world, 1), covey_id(Paused));
    assert_null(covey_world_resource(world, 2));
}

static void test_an_object_of_the_program_is_a_resource(void **state) {
    (void)state;
    Handle ours = { 7 }, other = { 8 };
    drops = 0;
    assert_true(covey_resource_refer(world, First, &ours));
    assert_ptr_equal(covey_resource_get(world, First), &ours);
    assert_true(covey_resource_has(world, First));
    assert_int_equal(covey_world_resource_count(world), 0); /* of values */
    assert_null(covey_resource_set(world, First, { 9 }));
    assert_failed(COVEY_ERROR_PRESENT);
    assert_false(covey_resource_take(world, First, &other)); /* it is not the world's */
    assert_int_equal(other.number, 8);
    assert_true(covey_resource_refer(world, First, &other)); /* another one */
    assert_ptr_equal(covey_resource_get(world, First), &other);
    assert_non_null(covey_resource_set(world, Second, { 3 }));
    assert_false(covey_resource_refer(world, Second, &ours));
    assert_failed(COVEY_ERROR_PRESENT);
    assert_true(covey_resource_remove(world, Second));
    assert_non_null(covey_resource_set(world, Clock, { 3, 4 }));
    covey_world *twin = covey_world_clone(world, NULL);
    assert_non_null(twin);
    assert_false(covey_resource_has(twin, First)); /* copies of the world know nothing of it */
    assert_int_equal(covey_resource_get(twin, Clock)->rate, 4);
    covey_world_destroy(twin);
    drops = 0;
    test_world_is_valid(world);
    assert_true(covey_resource_remove(world, First));
    assert_false(covey_resource_remove(world, First));
    assert_false(covey_resource_has(world, First));
    assert_int_equal(drops, 0);
    assert_true(covey_resource_refer(world, First, &ours)); /* and is there when the world ends */
}

/* A rollback brings a value back that was removed since. */
static void test_a_reference_hides_a_value_that_comes_back(void **state) {
    (void)state;
    Clock ours = { 1, 2 }, taken = { 0, 0 };
    covey_history *history = covey_history_create(world, 2);
    assert_non_null(covey_resource_set(world, Clock, { 3, 4 }));
    assert_true(covey_history_save(history));
    assert_true(covey_resource_remove(world, Clock));
    assert_true(covey_resource_refer(world, Clock, &ours));
    assert_true(covey_history_restore(history, 0));
    assert_ptr_equal(covey_resource_get(world, Clock), &ours);
    assert_false(covey_resource_take(world, Clock, &taken));
    test_world_is_valid(world);
    assert_true(covey_resource_remove(world, Clock));
    assert_true(covey_resource_take(world, Clock, &taken));
    assert_int_equal(taken.rate, 4);
    assert_int_equal(ours.rate, 2);
    covey_history_destroy(history);
}

static void test_references_are_matched_by_name_too(void **state) {
    (void)state;
    Clock clock = { 1, 2 }, late;
    assert_true(covey_resource_refer_raw(world, &clock_twin, &clock));
    assert_ptr_equal(covey_resource_get(world, Clock), &clock);
    assert_null(covey_resource_set_raw(world, &clock_clash, &late));
    assert_failed(COVEY_ERROR_LAYOUT);
    assert_false(covey_resource_refer_raw(world, &clock_clash, &late));
    assert_failed(COVEY_ERROR_LAYOUT);
    assert_false(covey_resource_refer_raw(world, &(covey_type){ .size = 4, .align = 4 }, &late));
    assert_failed(COVEY_ERROR_TYPE);
}

static void test_a_reference_needs_memory_once(void **state) {
    (void)state;
    Clock clock = { 1, 2 };
    size_t bytes = covey_world_memory(world);
    test_fail_at(&heap, 1, true);
    assert_false(covey_resource_refer(world, Clock, &clock));
    assert_failed(COVEY_ERROR_MEMORY);
    assert_int_equal(covey_world_memory(world), bytes);
    assert_null(covey_resource_get(world, Clock));
    test_fail_never(&heap);
    assert_true(covey_resource_refer(world, Clock, &clock));
    test_fail_at(&heap, 1, true);
    assert_true(covey_resource_refer(world, Clock, &clock));
    assert_true(covey_resource_remove(world, Clock));
    assert_true(covey_resource_refer(world, Clock, &clock));
    test_fail_never(&heap);
}

static void test_a_world_without_any_pays_nothing(void **state) {
    (void)state;
    size_t bytes = covey_world_memory(world);
    uint64_t calls = heap.calls;
    assert_null(covey_resource_get(world, Clock));
    assert_false(covey_resource_remove(world, Clock));
    assert_int_equal(covey_world_memory(world), bytes);
    assert_int_equal(heap.calls, calls);
}

static void test_the_caller_keeps_the_value_when_memory_is_out(void **state) {
    (void)state;
    drops = 0;
    First value = { 5 };
    for (uint64_t at = 1; at <= 2; at++) {
        test_fail_at(&heap, at, false);
        assert_null(covey_resource_set_value(world, First, &value));
        test_fail_never(&heap);
        assert_failed(COVEY_ERROR_MEMORY);
        assert_int_equal(covey_world_resource_count(world), 0);
        test_world_is_valid(world);
        assert_int_equal(drops, 0);
        if (at == 2) break; /* the array is there by now: only the value is missing */
    }
    assert_non_null(covey_resource_set_value(world, First, &value));
    test_fail_at(&heap, 1, true);
    covey_resource_set(world, First, { 6 }); /* overwriting needs no memory */
    assert_true(covey_resource_remove(world, First));
    test_fail_never(&heap);
    assert_int_equal(drops, 2);
}

static void collect(const char *text, void *context) { strncat(context, text, 500 - strlen(context)); }

static void test_a_world_prints_a_line_for_each(void **state) {
    (void)state;
    char text[512] = "";
    covey_resource_set(world, Clock, { 0, 0 });
    covey_resource_set_tag(world, Paused);
    covey_world_print(world, collect, text);
    assert_non_null(strstr(text, "\n  Clock: a resource of 8 bytes\n  Paused: a resource of 0 bytes\n"));
}

/* The array begins with its count and capacity; the value of each follows its type. */
/* More than are looked at by address: the others are found by name, also when some in between are gone. */
static void test_many_are_found_by_name(void **state) {
    (void)state;
    enum { MANY = 60 };
    const covey_type *types[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        char name[16];
        snprintf(name, sizeof name, "many%u", i * 37 % MANY);
        types[i] = covey_type_create(world, &(covey_type){ .name = name, .size = 4, .align = 4 });
        assert_non_null(covey_resource_set_raw(world, types[i], &i));
    }
    for (uint32_t step = 0; step < MANY; step++) {
        uint32_t gone = step * 7 % MANY; /* from the middle, the front and the end */
        assert_int_equal(*(uint32_t *)covey_resource_get_raw(world, types[gone]), gone);
        assert_true(covey_resource_remove_raw(world, types[gone]));
        assert_false(covey_resource_has_raw(world, types[gone]));
        test_world_is_valid(world);
        for (uint32_t i = 0, before = 0; i < covey_world_resource_count(world); i++) {
            const covey_type *type = covey_world_resource(world, i), other = *type; /* found by its name */
            uint32_t value = *(uint32_t *)covey_resource_get_raw(world, &other);
            assert_ptr_equal(types[value], type);
            assert_true(i == 0 || value > before); /* in their order */
            before = value;
        }
    }
    assert_int_equal(covey_world_resource_count(world), 0);
}

static void test_the_validator_knows_them(void **state) {
    (void)state;
    static const covey_type other = { .name = "Other", .size = sizeof(Clock), .align = _Alignof(Clock) };
    covey_resource_set(world, Clock, { 0, 0 });
    covey_resource_set_raw(world, &other, NULL);
    struct {
        uint32_t count, capacity, root;
        struct {
            const covey_type *type;
            void *value;
            covey__links links;
        } at[2];
    } *resources = (void *)world->inner->resources;
    BREAK(void *, resources->at[0].value, NULL, "resources: a resource has no value");
    BREAK(void *, resources->at[1].value, (char *)resources->at[1].value + 2, "resources: a value is misaligned");
    BREAK(const covey_type *, resources->at[1].type, covey_id(Clock),
          "resources: two have one name, or the tree is out of order");
    BREAK(uint32_t, resources->root, 1 - resources->root, "resources: two have one name, or the tree is out of order");
    BREAK(uint32_t, resources->capacity, resources->capacity + 1, "world: bytes that are not accounted for");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_a_world_has_one_value_of_a_type),
        WORLD_TEST(test_its_address_stays_while_others_come_and_go),
        WORLD_TEST(test_a_tag_has_an_address_and_null_is_zero_bytes),
        WORLD_TEST(test_types_are_matched_by_address_then_by_name),
        WORLD_TEST(test_components_of_the_same_type_are_something_else),
        WORLD_TEST(test_values_are_dropped_when_overwritten_or_removed),
        WORLD_TEST(test_a_value_is_taken_and_not_dropped),
        WORLD_TEST(test_a_world_drops_them_behind_components_the_last_first),
        WORLD_TEST(test_they_are_listed_in_the_order_in_which_they_were_set),
        WORLD_TEST(test_an_object_of_the_program_is_a_resource),
        WORLD_TEST(test_a_reference_hides_a_value_that_comes_back),
        WORLD_TEST(test_references_are_matched_by_name_too),
        WORLD_TEST(test_a_reference_needs_memory_once),
        WORLD_TEST(test_a_world_without_any_pays_nothing),
        WORLD_TEST(test_the_caller_keeps_the_value_when_memory_is_out),
        WORLD_TEST(test_a_world_prints_a_line_for_each),
        WORLD_TEST(test_many_are_found_by_name),
        WORLD_TEST(test_the_validator_knows_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
