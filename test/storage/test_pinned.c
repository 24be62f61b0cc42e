/* Pinned storage: the address of a value is the same from the add to the remove, whatever happens to others. */
#include "fixture.h"

typedef struct Large {
    uint32_t number, rest[24];
} Large;
typedef struct Aligned {
    _Alignas(64) uint32_t number;
} Aligned;
typedef Value Wiped;
typedef Value Owned;
COVEY_COMPONENT_DEFINE(Large, .storage = COVEY_STORAGE_PINNED);
COVEY_COMPONENT_DEFINE(Aligned, .storage = COVEY_STORAGE_PINNED);
COVEY_COMPONENT_DEFINE(Wiped, .storage = COVEY_STORAGE_PINNED, .zero_erased = true);
COVEY_TAG_DEFINE(Label, .storage = COVEY_STORAGE_PINNED);

static uint32_t drops[300]; /* of the value with each number */
static void count_drop(void *value, void *context) {
    const Value *dropped = value;
    (void)context;
    assert_true(dropped->number < COUNT_OF(drops) && dropped->check == ~dropped->number);
    drops[dropped->number]++;
}
static bool copy_until_asked_to_stop(void *to, const void *from, void *context) {
    uint32_t *left = context;
    if ((*left)-- == 0) return false;
    memcpy(to, from, sizeof(Value));
    return true;
}
static uint32_t copies;
COVEY_COMPONENT_DEFINE(Owned, .storage = COVEY_STORAGE_PINNED, .drop = count_drop, .copy = copy_until_asked_to_stop,
                       .context = &copies);

static int pinned_setup(void **state) {
    memset(drops, 0, sizeof drops);
    copies = 1000;
    return world_setup(state);
}
#define PINNED_TEST(test) cmocka_unit_test_setup_teardown(test, pinned_setup, world_teardown)

enum { MANY = 900 };

/* ---- Addresses ----------------------------------------------------------------------------------------------------*/

static void test_addresses_last_while_everything_else_grows(void **state) {
    (void)state;
    covey_entity e[MANY];
    const Value *where[MANY];
    assert_true(covey_create_many(world, e, MANY));
    for (uint32_t k = 0; k < MANY; k++) {
        uint32_t i = k * 7 % MANY;
        where[i] = add_value(e[i], covey_id(Pinned), i);
        assert_non_null(where[i]);
        assert_non_null(covey_add(world, e[i], Large, { .number = i }));
        add_value(e[i], covey_id(Blocked), i);
        add_value(e[i], covey_id(Packed), i);
        for (uint32_t n = k % 9; n <= k; n += 9)
            assert_ptr_equal(get_value(e[n * 7 % MANY], covey_id(Pinned)), where[n * 7 % MANY]);
    }
    for (uint32_t i = 0; i < MANY; i++) assert_value(e[i], covey_id(Pinned), i);
}

static void test_addresses_last_through_compaction_and_shrinking(void **state) {
    (void)state;
    covey_entity e[MANY];
    const Value *where[MANY];
    assert_true(covey_create_many(world, e, MANY));
    for (uint32_t i = 0; i < MANY; i++) where[i] = add_value(e[i], covey_id(Pinned), i);
    for (uint32_t i = 0; i < MANY; i++)
        if (i % 50 != 7) assert_true(covey_remove(world, e[i], Pinned)); /* one or two of 64 stay */
    covey_compact(world);
    covey_shrink(world);
    for (uint32_t i = 7; i < MANY; i += 50) {
        assert_ptr_equal(get_value(e[i], covey_id(Pinned)), where[i]);
        assert_value(e[i], covey_id(Pinned), i);
    }
    covey_compact(world);
    for (uint32_t i = 0; i < MANY; i++) /* next to the others, where there is an array already */
        if (i % 50 != 7) assert_non_null(add_value(e[i], covey_id(Pinned), i));
    for (uint32_t i = 7; i < MANY; i += 50) assert_ptr_equal(get_value(e[i], covey_id(Pinned)), where[i]);
}

static void test_addresses_last_while_others_come_and_go(void **state) {
    (void)state;
    covey_entity e[MANY];
    const Value *where[MANY] = { NULL };
    test_random random = { 17 };
    assert_true(covey_create_many(world, e, MANY));
    for (uint32_t step = 0; step < 30000; step++) {
        uint32_t i = test_below(&random, MANY), kind = test_below(&random, 3000);
        if (where[i]) {
            assert_ptr_equal(get_value(e[i], covey_id(Pinned)), where[i]);
            assert_value(e[i], covey_id(Pinned), i);
            assert_true(covey_remove(world, e[i], Pinned));
            where[i] = NULL;
        } else if (i % COVEY__BLOCK_IDS < 3 || step / 3000 % 2 == 0) { /* so that blocks become empty, too */
            where[i] = add_value(e[i], covey_id(Pinned), i);
        }
        if (kind < 2) covey_compact(world);
        if (kind == 2) covey_shrink(world);
        if (kind < 10) test_world_is_valid(world);
    }
    for (uint32_t i = 0; i < MANY; i++) assert_ptr_equal(get_value(e[i], covey_id(Pinned)), where[i]);
}

static void test_values_of_one_block_lie_in_the_order_of_indices(void **state) {
    (void)state;
    covey_entity e[COVEY__BLOCK_IDS];
    assert_true(covey_create_many(world, e, COVEY__BLOCK_IDS));
    const Aligned *one = covey_add(world, e[63], Aligned, { 63 });
    for (uint32_t i = 0; i < 63; i++) assert_non_null(covey_add(world, e[i], Aligned, { i }));
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++) {
        const Aligned *value = covey_get(world, e[i], Aligned);
        assert_ptr_equal(value, one - 63 + i);
        assert_int_equal((uintptr_t)value % 64, 0);
        assert_int_equal(value->number, i);
    }
}

/* ---- Types --------------------------------------------------------------------------------------------------------*/

static void test_a_policy_and_pinned_storage_are_no_type(void **state) {
    (void)state;
    covey_type type = { .name = "Both", .size = 4, .align = 4, .storage = COVEY_STORAGE_PINNED };
    for (covey_policy policy = COVEY_IN_PLACE; policy <= COVEY_ORDERED; policy++) {
        type.policy = policy;
        assert_null(covey_type_create(world, &type));
        assert_failed(COVEY_ERROR_TYPE);
    }
    type.policy = COVEY_SWAP_AND_POP;
    assert_non_null(covey_type_create(world, &type));
}

static void test_pinned_blocks_are_another_layout_than_others(void **state) {
    (void)state;
    covey_type type = { .name = "Pinned", .size = sizeof(Value), .align = _Alignof(Value) };
    assert_non_null(covey_pool_of(world, Pinned));
    for (covey_storage storage = COVEY_STORAGE_DEFAULT; storage <= COVEY_STORAGE_PINNED; storage++) {
        type.storage = storage;
        const covey_type *found = covey_type_create(world, &type);
        if (storage == COVEY_STORAGE_PINNED) assert_ptr_equal(found, covey_id(Pinned));
        else assert_null(found);
    }
    assert_failed(COVEY_ERROR_LAYOUT);
}

static void test_a_pinned_pool_has_no_arrays_and_no_order_to_change(void **state) {
    (void)state;
    covey_entity e = create_with(covey_id(Pinned), 1), f = create_with(covey_id(Pinned), 2);
    covey_pool *pool = covey_pool_of(world, Pinned);
    assert_int_equal((covey_pool_position_count)(pool), 0);
    assert_int_equal(covey_pool_count(pool), 2);
    assert_null((covey_pool_ids)(pool));
    assert_null((covey_pool_values_raw)(pool));
    assert_null((covey_pool_page_raw)(pool, 0));
    assert_int_equal(covey_pool_swap(pool, e, f), COVEY_ERROR_REFUSED);
    assert_failed(COVEY_ERROR_REFUSED);
    assert_value(e, covey_id(Pinned), 1);
    assert_value(f, covey_id(Pinned), 2);
    assert_int_equal(covey_pool_next(pool, 0), e.index);
    assert_int_equal(covey_pool_reserve(pool, 500), COVEY_OK);
}

static void test_pinned_tags(void **state) {
    (void)state;
    covey_entity e[200];
    assert_true(covey_create_many(world, e, COUNT_OF(e)));
    for (uint32_t i = 0; i < COUNT_OF(e); i += 3) assert_true(covey_add_tag(world, e[i], Label));
    covey_compact(world);
    covey_shrink(world);
    for (uint32_t i = 0; i < COUNT_OF(e); i++) assert_int_equal(covey_has(world, e[i], Label), i % 3 == 0);
    assert_int_equal(covey_pool_of(world, Label)->block_store.slab_count, 0);
    for (uint32_t i = 0; i < COUNT_OF(e); i += 6) assert_true(covey_remove(world, e[i], Label));
    assert_same(covey_first(world, Label), e[3]);
    assert_int_equal(covey_pool_count(covey_pool_of(world, Label)), 33);
}

/* ---- Hooks --------------------------------------------------------------------------------------------------------*/

static void test_erased_pinned_values_are_zero(void **state) {
    (void)state;
    covey_entity e[COVEY__BLOCK_IDS];
    Value *where[COVEY__BLOCK_IDS];
    assert_true(covey_create_many(world, e, COVEY__BLOCK_IDS));
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++) where[i] = add_value(e[i], covey_id(Wiped), i + 1);
    for (uint32_t i = 0; i < 63; i++) {
        assert_true(i % 2 ? covey_remove(world, e[i], Wiped) : covey_destroy(world, e[i]));
        assert_true(where[i]->number == 0 && where[i]->check == 0);
    }
    assert_value(e[63], covey_id(Wiped), 64);
    assert_true(covey_remove(world, e[63], Wiped)); /* the slab is kept */
    assert_true(where[63]->number == 0 && where[63]->check == 0);
}

static void test_pinned_values_are_dropped_once(void **state) {
    (void)state;
    enum { COUNT = 200 };
    covey_entity e[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) e[i] = create_with(covey_id(Owned), i);
    for (uint32_t i = 0; i < 70; i++) assert_true(covey_remove(world, e[i], Owned));
    for (uint32_t i = 70; i < 140; i++) assert_true(covey_destroy(world, e[i]));
    Value over = value_of(250);
    assert_non_null(covey_set_value(world, e[150], Owned, &over));
    covey_compact(world);
    for (uint32_t i = 0; i < COUNT; i++) assert_int_equal(drops[i], i < 140 || i == 150);
    covey_clear(world, Owned);
    for (uint32_t i = 0; i < COUNT; i++) assert_int_equal(drops[i], 1);
    assert_int_equal(drops[250], 1);
}

/* ---- Many at once -------------------------------------------------------------------------------------------------*/

static void test_bulk_calls_leave_pinned_values_where_they_are(void **state) {
    (void)state;
    enum { COUNT = 200 };
    covey_entity e[COUNT];
    Value values[COUNT];
    assert_true(covey_create_many(world, e, COUNT));
    for (uint32_t i = 0; i < COUNT; i++) values[i] = value_of(i);
    const Value *first = add_value(e[0], covey_id(Pinned), 0), *last = add_value(e[199], covey_id(Pinned), 199);
    assert_true(covey_add_array(world, e + 1, 99, Pinned, values + 1));
    assert_true(covey_add_copies(world, e + 100, 99, Pinned, first)); /* a value of the pool itself */
    assert_ptr_equal(get_value(e[0], covey_id(Pinned)), first);
    assert_ptr_equal(get_value(e[199], covey_id(Pinned)), last);
    for (uint32_t i = 0; i < COUNT; i++) assert_value(e[i], covey_id(Pinned), i < 100 ? i : i == 199 ? 199 : 0);
    assert_false(covey_add_array(world, e + 1, 5, Pinned, values));
    assert_failed(COVEY_ERROR_PRESENT);
}

static void test_a_copy_that_fails_takes_the_others_back(void **state) {
    (void)state;
    covey_entity e[100];
    assert_true(covey_create_many(world, e, COUNT_OF(e)));
    const Value *first = add_value(e[0], covey_id(Owned), 5);
    copies = 80; /* past the end of the first block */
    assert_false(covey_add_copies(world, e + 1, 99, Owned, first));
    assert_failed(COVEY_ERROR_COPY);
    assert_int_equal(drops[5], 80);
    assert_int_equal(covey_pool_count(covey_pool_of(world, Owned)), 1);
    assert_ptr_equal(get_value(e[0], covey_id(Owned)), first);
    assert_value(e[0], covey_id(Owned), 5);
}

/* The values are equal: how often they were dropped is the sum of the drops of all. */
static void test_entities_in_no_order_get_and_lose_values_that_are_owned(void **state) {
    (void)state;
    enum { COUNT = 199 };
    covey_entity e[COUNT], list[COUNT];
    assert_true(covey_create_many(world, e, COUNT));
    for (uint32_t i = 0; i < COUNT; i++) list[i] = e[i * 70 % COUNT];
    Value value = value_of(5);
    const covey_pool *pool = covey_pool_of(world, Owned);
    for (uint32_t made = 0; made < COUNT; made += 33) {
        copies = made;
        drops[5] = 0;
        assert_false(covey_add_copies(world, list, COUNT, Owned, &value));
        assert_failed(COVEY_ERROR_COPY);
        assert_int_equal(drops[5], made);
        assert_int_equal(covey_pool_count(pool), 0);
        test_world_is_valid(world);
    }
    copies = COUNT;
    drops[5] = 0;
    assert_true(covey_add_copies(world, list, COUNT, Owned, &value));
    for (uint32_t i = 0; i < COUNT; i++) assert_value(e[i], covey_id(Owned), 5);
    assert_int_equal(copies, 0);
    assert_int_equal(covey_remove_many(world, list, 80, Owned), 80);
    assert_int_equal(drops[5], 80);
    assert_int_equal(covey_destroy_many(world, list, 150), 150);
    assert_int_equal(drops[5], 150);
    assert_int_equal(covey_pool_count(pool), COUNT - 150);
    for (uint32_t i = 0; i < COUNT; i++) assert_int_equal(covey_has(world, list[i], Owned), i >= 150);
    test_world_is_valid(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        PINNED_TEST(test_addresses_last_while_everything_else_grows),
        PINNED_TEST(test_addresses_last_through_compaction_and_shrinking),
        PINNED_TEST(test_addresses_last_while_others_come_and_go),
        PINNED_TEST(test_values_of_one_block_lie_in_the_order_of_indices),
        PINNED_TEST(test_a_policy_and_pinned_storage_are_no_type),
        PINNED_TEST(test_pinned_blocks_are_another_layout_than_others),
        PINNED_TEST(test_a_pinned_pool_has_no_arrays_and_no_order_to_change),
        PINNED_TEST(test_pinned_tags),
        PINNED_TEST(test_erased_pinned_values_are_zero),
        PINNED_TEST(test_pinned_values_are_dropped_once),
        PINNED_TEST(test_bulk_calls_leave_pinned_values_where_they_are),
        PINNED_TEST(test_a_copy_that_fails_takes_the_others_back),
        PINNED_TEST(test_entities_in_no_order_get_and_lose_values_that_are_owned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
