/* The presence index: which pools destroying an entity has to visit. */
#include "memory/inner.h"
#include "storage/presence.h"
#include "fixture.h"

#include <stdio.h>

typedef Value Wiped;
COVEY_COMPONENT_DEFINE(Wiped, .zero_erased = true);
COVEY_TAG_DEFINE(Label);

/* Large enough for another page of bits, in every configuration. */
#define FAR (COVEY__BLOCK_PAGE * 3 + 5)

static bool marked(const covey_pool *pool, uint32_t index) {
    uint32_t at = index / COVEY__BLOCK_PAGE, word = pool->number / 64;
    const covey__presence_page *page = at < world->inner->presence_count ? world->inner->presence_pages[at] : NULL;
    if (!page || page->words <= word) return false;
    return page->bits[covey__block_of(index) * page->words + word] >> pool->number % 64 & 1;
}

/* In how many blocks a pool is marked. */
static uint32_t marks_of(const covey_pool *pool) {
    uint32_t count = 0;
    for (uint32_t block = 0; block < world->inner->presence_count * COVEY__PAGE_BLOCKS; block++)
        count += marked(pool, block * COVEY__BLOCK_IDS);
    return count;
}

/* ---- Many pools ---------------------------------------------------------------------------------------------------*/

enum { POOLS = 400 };
static uint32_t drops[POOLS]; /* of values of each pool */
static const covey_type *made[POOLS];

static void count_drop(void *value, void *context) {
    const Value *dropped = value;
    uint32_t number = (uint32_t)((uint32_t *)context - drops);
    assert_int_equal(dropped->check, ~dropped->number);
    drops[number]++;
}

/* Storages and policies take turns; half of the types count what is dropped. */
static const covey_type *make_type(uint32_t number) {
    static const covey_storage storages[] = { COVEY_STORAGE_BLOCK, COVEY_STORAGE_SPARSE, COVEY_STORAGE_PINNED };
    char name[32];
    snprintf(name, sizeof name, "Made %u", number);
    covey_type type = {
        .name = name, .size = sizeof(Value), .align = _Alignof(Value), .storage = storages[number % 3]
    };
    if (number % 3 == 1) type.policy = (covey_policy)(number / 3 % 4);
    if (number % 2 == 0) type.drop = count_drop, type.context = &drops[number];
    made[number] = covey_type_create(world, &type);
    assert_non_null(made[number]);
    return made[number];
}

static int many_setup(void **state) {
    memset(drops, 0, sizeof drops);
    memset(made, 0, sizeof made);
    return world_setup(state);
}
#define MANY_TEST(test) cmocka_unit_test_setup_teardown(test, many_setup, world_teardown)

static covey_pool *pool_of(uint32_t number) { return covey_pool_find_raw(world, made[number]); }

/* ---- Where pools are present --------------------------------------------------------------------------------------*/

static bool add_one(covey_entity e, const covey_type *type) {
    return covey_add_raw(world, e, type, type->size ? &(Value){ 1, ~1u } : NULL) != NULL;
}
static bool remove_one(covey_entity e, const covey_type *type) { return covey_remove_raw(world, e, type); }

static const covey_type *const block_types[] = { covey_id(Blocked), covey_id(Pinned), covey_id(Wiped),
                                                 covey_id(Label) };

static void test_a_block_pool_is_present_where_a_block_holds_anything(void **state) {
    (void)state;
    for (uint32_t k = 0; k < COUNT_OF(block_types); k++) {
        const covey_type *type = block_types[k];
        covey_entity low = covey_create_at(world, 3 + k), beside = covey_create_at(world, 63 - k),
                     high = covey_create_at(world, FAR + k);
        const covey_pool *pool = covey_pool_of_raw(world, type);
        assert_int_equal(marks_of(pool), 0);
        assert_true(add_one(low, type) && add_one(beside, type) && add_one(high, type));
        assert_int_equal(marks_of(pool), 2);
        assert_true(marked(pool, 0) && marked(pool, FAR));
        assert_true(remove_one(low, type));
        assert_true(marked(pool, 0)); /* the other one */
        assert_true(remove_one(beside, type));
        assert_false(marked(pool, 0));
        assert_true(covey_destroy(world, high));
        assert_int_equal(marks_of(pool), 0);
        assert_true(add_one(low, type) && add_one(beside, type));
        assert_true(covey_destroy(world, beside));
        assert_true(marked(pool, 0));
        covey_clear_raw(world, type);
        assert_int_equal(marks_of(pool), 0);
        assert_true(covey_destroy(world, low));
    }
}

static void sparse_marks(const covey_type *type) {
    covey_pool *pool = covey_pool_of_raw(world, type);
    covey_entity low = covey_create_at(world, 1), beside = covey_create_at(world, 40),
                 high = covey_create_at(world, FAR);
    uint32_t blocks = COVEY_PAGE_SIZE < COVEY__BLOCK_IDS ? 1 : COVEY_PAGE_SIZE / COVEY__BLOCK_IDS; /* of a page */
    assert_true(add_one(low, type) && add_one(beside, type) && add_one(high, type));
    assert_int_equal(marks_of(pool), 2 * blocks);
    for (uint32_t i = 0; i < blocks; i++) assert_true(marked(pool, i * COVEY__BLOCK_IDS));
    assert_true(marked(pool, FAR));
    assert_true(remove_one(low, type) && covey_destroy(world, high));
    covey_pool_compact(pool, NULL, NULL);
    assert_int_equal(marks_of(pool), 2 * blocks); /* the table still has its pages */
    covey_pool_shrink(pool);
    assert_int_equal(marks_of(pool), blocks);
    assert_true(marked(pool, 0));
    covey_clear_raw(world, type);
    covey_pool_shrink(pool);
    assert_int_equal(marks_of(pool), 0);
    assert_true(add_one(beside, type)); /* the page comes back, and its marks */
    assert_true(marked(pool, 0));
    assert_true(covey_destroy(world, beside) && covey_pool_count(pool) == 0);
}

static void test_a_sparse_pool_is_present_where_its_table_has_a_page(void **state) {
    (void)state;
    for_each_policy(sparse_marks);
}

static void test_pools_are_present_at_the_highest_index(void **state) {
    (void)state;
    covey_entity e = covey_create_at(world, COVEY_NONE - 1);
    const covey_pool *blocked = covey_pool_of(world, Blocked), *packed = covey_pool_of(world, Packed);
    assert_true(add_one(e, covey_id(Blocked)) && add_one(e, covey_id(Packed)));
    assert_true(marked(blocked, COVEY_NONE - 1) && marked(packed, COVEY_NONE - 1));
    assert_int_equal(marks_of(blocked), 1);
    assert_true(covey_destroy(world, e));
    assert_int_equal(covey_pool_count(blocked) + covey_pool_count(packed), 0);
    assert_int_equal(marks_of(blocked), 0);
}

/* ---- Destroying ---------------------------------------------------------------------------------------------------*/

/* Components in pools all over: first and last bits of words, and words without any between them. */
static void test_destroying_finds_every_component_among_many_pools(void **state) {
    (void)state;
    const uint32_t numbers[] = { 0, 1, 2, 62, 63, 64, 65, 127, 128, 191, 300, 301, 302, 399 };
    for (uint32_t i = 0; i < POOLS; i++) make_type(i);
    covey_entity e = covey_create(world), other = covey_create(world), far = covey_create_at(world, FAR);
    for (uint32_t k = 0; k < COUNT_OF(numbers); k++) {
        assert_non_null(add_value(e, made[numbers[k]], k));
        if (k % 2 == 0) assert_non_null(add_value(other, made[numbers[k]], 100 + k));
        if (k % 3 == 0) assert_non_null(add_value(far, made[numbers[k]], 200 + k));
    }
    assert_int_equal(covey_types_of(world, e, NULL, 0), COUNT_OF(numbers));
    assert_true(covey_destroy(world, e));
    for (uint32_t i = 0, k = 0; i < POOLS; i++) {
        bool had = k < COUNT_OF(numbers) && numbers[k] == i;
        assert_int_equal(drops[i], had && i % 2 == 0);
        assert_int_equal(covey_pool_count(pool_of(i)), had ? (k % 2 == 0) + (k % 3 == 0) : 0);
        assert_int_equal(marks_of(pool_of(i)) != 0, had && (k % 2 == 0 || k % 3 == 0 || i % 3 == 1));
        k += had;
    }
    for (uint32_t k = 0; k < COUNT_OF(numbers); k++) {
        if (k % 2 == 0) assert_value(other, made[numbers[k]], 100 + k);
        if (k % 3 == 0) assert_value(far, made[numbers[k]], 200 + k);
    }
}

/* The bits of a page have a word for 64 pools, and more once a component of a later pool comes. */
static void test_pools_that_come_later_are_found_as_well(void **state) {
    (void)state;
    covey_entity e = covey_create(world), far = covey_create_at(world, FAR);
    const size_t far_page = FAR / COVEY__BLOCK_PAGE;
    for (uint32_t i = 0; i < POOLS; i++) {
        make_type(i);
        if (i % 37 == 0) assert_non_null(add_value(e, made[i], i));
        if (i % 100 == 0) assert_non_null(add_value(far, made[i], i));
        if (i % 20 == 0) test_world_is_valid(world);
        assert_int_equal(world->inner->presence_pages[0]->words, i / 37 * 37 / 64 + 1);
        assert_int_equal(world->inner->presence_pages[far_page]->words, i / 100 * 100 / 64 + 1);
    }
    for (uint32_t i = 0; i < POOLS; i += 37) assert_value(e, made[i], i);
    assert_true(covey_destroy(world, e));
    for (uint32_t i = 0; i < POOLS; i++) {
        assert_int_equal(drops[i], i % 37 == 0 && i % 2 == 0);
        assert_int_equal(covey_pool_count(pool_of(i)), i % 100 == 0);
    }
    covey_entity again = covey_create(world); /* at the index of the one that went */
    assert_int_equal(covey_types_of(world, again, NULL, 0), 0);
}

/* Components come and go in 130 pools; what each entity has is known. */
static void test_random_components_in_many_pools(void **state) {
    (void)state;
    enum { ENTITIES = 150, TYPES = 130 };
    static bool has[ENTITIES][TYPES];
    covey_entity e[ENTITIES];
    test_random random = { 5 };
    memset(has, 0, sizeof has);
    for (uint32_t i = 0; i < TYPES; i++) make_type(i);
    assert_true(covey_create_many(world, e, ENTITIES));
    for (uint32_t step = 0; step < 20000; step++) {
        uint32_t i = test_below(&random, ENTITIES), k = test_below(&random, TYPES), kind = test_below(&random, 400);
        if (has[i][k]) assert_true(remove_value(e[i], made[k]));
        else assert_non_null(add_value(e[i], made[k], i * TYPES + k));
        has[i][k] = !has[i][k];
        if (kind == 0) covey_shrink(world);
        if (kind == 1) covey_pool_compact(pool_of(k), NULL, NULL);
        if (kind == 2) {
            covey_clear_raw(world, made[k]);
            for (uint32_t n = 0; n < ENTITIES; n++) has[n][k] = false;
        }
        if (kind < 4) test_world_is_valid(world);
        if (kind != 5 || e[i].generation >= COVEY_GENERATION_MAX) continue;
        uint32_t before = drops[0], owned = has[i][0];
        assert_true(covey_destroy(world, e[i]));
        assert_int_equal(drops[0], before + owned);
        memset(has[i], 0, sizeof has[i]);
        e[i] = covey_create(world);
        assert_int_equal(covey_types_of(world, e[i], NULL, 0), 0);
    }
    for (uint32_t i = 0; i < ENTITIES; i++)
        for (uint32_t k = 0; k < TYPES; k++) {
            assert_int_equal(covey_has_raw(world, e[i], made[k]), has[i][k]);
            if (has[i][k]) assert_value(e[i], made[k], i * TYPES + k);
        }
    covey_destroy_all(world);
    for (uint32_t k = 0; k < TYPES; k++) assert_int_equal(covey_pool_count(pool_of(k)), 0);
}

/* ---- Memory -------------------------------------------------------------------------------------------------------*/

static void test_the_bits_belong_to_the_world(void **state) {
    (void)state;
    covey_pool *pool = covey_pool_of(world, Label);
    covey_entity e = covey_create(world);
    size_t outside = covey_world_memory(world) - covey_pool_memory(pool);
    assert_true(covey_add_tag(world, e, Label));
    size_t with = covey_world_memory(world) - covey_pool_memory(pool);
    size_t page = sizeof(covey__presence_page) + COVEY__PAGE_BLOCKS * sizeof(uint64_t);
    assert_int_equal(with - outside, world->inner->presence_count * sizeof(void *) + page);
    assert_int_equal(covey_world_memory(world), heap.bytes);
}

/* 70 pools; none is present; then one of the last three becomes present, which takes a second word. */
static void marks_in_turn(uint32_t number, bool many) {
    bool done = false;
    for (uint64_t at = 1; !done; at++) {
        for (uint32_t i = 0; i < 70; i++) make_type(i);
        covey_entity e[2] = { covey_create(world), covey_create_at(world, FAR) };
        assert_non_null(add_value(e[0], made[0], 1));
        const covey_pool *pool = pool_of(number);
        Value values[2] = { value_of(2), value_of(3) };
        test_fail_at(&heap, at, at % 2 == 0);
        done = many ? covey_add_array_raw(world, e, 2, made[number], values) : add_value(e[1], made[number], 2) != NULL;
        assert_int_equal(done, !heap.failed);
        test_fail_never(&heap);
        bool page = !covey__in_blocks(pool) && pool->sparse_set.page_count != 0; /* tables may have grown */
        if (!done && !page) assert_int_equal(marks_of(pool), 0);
        if (done) assert_true(marked(pool, FAR));
        assert_value(e[0], made[0], 1);
        assert_int_equal(covey_world_memory(world), heap.bytes);
        test_world_is_valid(world); /* exact where pages are */
        assert_int_equal(covey_destroy_many(world, e, 2), 2);
        world_teardown(NULL);
        assert_int_equal(many_setup(NULL), 0);
    }
}

static void test_marking_that_fails_leaves_no_trace(void **state) {
    (void)state;
    for (uint32_t number = 67; number < 70; number++) {
        marks_in_turn(number, false);
        marks_in_turn(number, true);
    }
}

/* One of them has it already, so none gets it. */
static void test_a_bulk_call_that_fails_takes_its_marks_back(void **state) {
    (void)state;
    const covey_type *const types[] = { covey_id(Blocked), covey_id(Pinned), covey_id(Label) };
    covey_entity e[3] = { covey_create(world), covey_create_at(world, FAR), covey_create_at(world, 70) };
    for (uint32_t k = 0; k < COUNT_OF(types); k++) {
        const covey_pool *pool = covey_pool_of_raw(world, types[k]);
        assert_true(add_one(e[2], types[k]));
        assert_false(covey_add_array_raw(world, e, 3, types[k], NULL));
        assert_failed(COVEY_ERROR_PRESENT);
        assert_int_equal(marks_of(pool), 1);
        assert_true(marked(pool, 70));
    }
}

/* ---- The validator ------------------------------------------------------------------------------------------------*/

static void test_the_validator_sees_wrong_bits(void **state) {
    (void)state;
    covey_entity e = covey_create(world), far = covey_create_at(world, FAR);
    assert_true(add_one(e, covey_id(Blocked)) && add_one(e, covey_id(Packed)) && add_one(far, covey_id(Label)));
    assert_non_null(covey_pool_of(world, Ordered));
    uint64_t *bits = world->inner->presence_pages[0]->bits,
             *beyond = world->inner->presence_pages[FAR / COVEY__BLOCK_PAGE]->bits;
    beyond += covey__block_of(FAR);
    assert_int_equal(bits[0], 3); /* the first two pools */
    assert_int_equal(*beyond, 4);
    BREAK(uint64_t, bits[0], 2, "presence: a pool is not marked in a block where it has components");
    BREAK(uint64_t, bits[0], 1, "presence: a pool is not marked in a block where it has components");
    BREAK(uint64_t, bits[0], 7, "presence: a pool is marked where it has nothing");
    BREAK(uint64_t, bits[0], 11, "presence: a pool is marked where it has nothing"); /* sparse */
    BREAK(uint64_t, bits[0], 3 | (uint64_t)1 << 4, "presence: a mark of a pool that does not exist");
    BREAK(uint64_t, bits[0], 3 | (uint64_t)1 << 63, "presence: a mark of a pool that does not exist");
    BREAK(uint64_t, *beyond, 0, "presence: a pool is not marked in a block where it has components");
    BREAK(uint64_t, *beyond, 5, "presence: a pool is marked where it has nothing");
    BREAK(uint32_t, world->inner->presence_count, world->inner->presence_count - 1,
          "world: bytes that are not accounted for");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_a_block_pool_is_present_where_a_block_holds_anything),
        WORLD_TEST(test_a_sparse_pool_is_present_where_its_table_has_a_page),
        WORLD_TEST(test_pools_are_present_at_the_highest_index),
        MANY_TEST(test_destroying_finds_every_component_among_many_pools),
        MANY_TEST(test_pools_that_come_later_are_found_as_well),
        MANY_TEST(test_random_components_in_many_pools),
        WORLD_TEST(test_the_bits_belong_to_the_world),
        MANY_TEST(test_marking_that_fails_leaves_no_trace),
        WORLD_TEST(test_a_bulk_call_that_fails_takes_its_marks_back),
        WORLD_TEST(test_the_validator_sees_wrong_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
