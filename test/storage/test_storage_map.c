/* The map of a pool: what it says about each 64 indices, against a naive count. */
#include "fixture.h"

enum { MANY = 800, BLOCKS = 1024 };

static const struct {
    covey_storage storage;
    covey_policy policy;
    uint32_t size;
} kinds[] = {
    { COVEY_STORAGE_SPARSE, COVEY_SWAP_AND_POP, 8 }, { COVEY_STORAGE_SPARSE, COVEY_IN_PLACE, 8 },
    { COVEY_STORAGE_SPARSE, COVEY_SWAP_ONLY, 8 },    { COVEY_STORAGE_SPARSE, COVEY_ORDERED, 20 },
    { COVEY_STORAGE_BLOCK, COVEY_SWAP_AND_POP, 8 },  { COVEY_STORAGE_BLOCK, COVEY_SWAP_AND_POP, 40 },
    { COVEY_STORAGE_BLOCK, COVEY_SWAP_AND_POP, 0 },  { COVEY_STORAGE_PINNED, COVEY_SWAP_AND_POP, 8 },
};

static covey_pool *make_pool(uint32_t kind) {
    covey_type type = {
        .name = "Made", .size = kinds[kind].size, .storage = kinds[kind].storage, .policy = kinds[kind].policy
    };
    covey_pool *pool = covey_pool_of_raw(world, covey_type_create(world, &type));
    assert_non_null(pool);
    return pool;
}

static bool give(covey_pool *pool, covey_entity e) { return covey_pool_add_raw(pool, e, NULL) != NULL; }

static uint32_t count_naively(const covey_pool *pool, uint32_t block) {
    uint32_t count = 0;
    for (uint32_t i = block * COVEY__BLOCK_IDS; i < (block + 1) * COVEY__BLOCK_IDS; i++) {
        covey_entity e = covey_entity_at(world, i);
        count += !covey_is_null(e) && covey_pool_has(pool, e);
    }
    return count;
}

static void check_block(const covey_pool *pool, uint32_t number, covey_block block) {
    bool sparse = covey_pool_storage(pool) == COVEY_STORAGE_SPARSE, tag = pool->size == 0;
    assert_int_equal(block.count, count_naively(pool, number));
    if (block.count == 0) {
        assert_true(block.form == COVEY_BLOCK_ABSENT || block.form == COVEY_BLOCK_EMPTY);
        assert_int_equal(block.slots, 0);
        return;
    }
    assert_int_equal(block.form == COVEY_BLOCK_SPARSE, sparse);
    if (block.form == COVEY_BLOCK_FULL) assert_int_equal(block.count, COVEY__BLOCK_IDS);
    if (block.form == COVEY_BLOCK_DIRECT) assert_true(block.count < COVEY__BLOCK_IDS);
    if (sparse || tag) assert_int_equal(block.slots, 0);
    else assert_true(block.slots >= block.count && block.slots <= COVEY__BLOCK_IDS);
    if (block.form == COVEY_BLOCK_DIRECT && !tag) assert_int_equal(block.slots, COVEY__BLOCK_IDS);
    if (covey_pool_storage(pool) == COVEY_STORAGE_PINNED) assert_int_not_equal(block.form, COVEY_BLOCK_COMPACT);
}

/* All at once, and in parts: the same. Returns how many components there are. */
static uint32_t check_map(const covey_pool *pool, covey_block *blocks) {
    uint32_t count = covey_pool_map(pool, 0, NULL, 0), components = 0;
    assert_true(count <= BLOCKS);
    assert_int_equal(covey_pool_map(pool, 0, blocks, BLOCKS), count);
    for (uint32_t i = 0; i < count; i++) {
        covey_block part[3] = { { 99, 99, 99 }, { 99, 99, 99 }, { 99, 99, 99 } };
        check_block(pool, i, blocks[i]);
        components += blocks[i].count;
        assert_int_equal(covey_pool_map(pool, i, part, 2), count);
        assert_memory_equal(&part[0], &blocks[i], sizeof part[0]);
        if (i + 1 < count) assert_memory_equal(&part[1], &blocks[i + 1], sizeof part[1]);
        else assert_int_equal(part[1].form, 99); /* nothing behind the last */
        assert_int_equal(part[2].form, 99);
    }
    assert_int_equal(covey_pool_map(pool, count + 5, blocks + BLOCKS - 1, 1), count);
    assert_int_equal(covey_pool_map(pool, UINT32_MAX, blocks + BLOCKS - 1, 1), count);
    assert_int_equal(components, covey_pool_count(pool));
    return components;
}

static void test_a_map_says_who_is_there(void **state) {
    (void)state;
    for (uint32_t kind = 0; kind < COUNT_OF(kinds); kind++) {
        test_random random = { kind + 1 };
        covey_pool *pool = make_pool(kind);
        covey_entity e[MANY];
        static covey_block blocks[BLOCKS];
        assert_int_equal(check_map(pool, blocks), 0); /* nothing at all */
        assert_true(covey_create_many(world, e, MANY));
        for (uint32_t i = 0; i < 2000; i++) {
            covey_entity any = e[test_below(&random, i < 1000 ? MANY : MANY / 4)];
            if (test_below(&random, 3) != 0) give(pool, any);
            else covey_pool_remove_raw(pool, any);
            if (i % 50 == 0) check_map(pool, blocks);
        }
        covey_pool_compact(pool, NULL, NULL);
        check_map(pool, blocks);
        covey_pool_shrink(pool);
        check_map(pool, blocks);
        covey_clear_raw(world, covey_pool_type(pool));
        assert_int_equal(check_map(pool, blocks), 0);
        world_teardown(NULL);
        assert_int_equal(world_setup(NULL), 0);
    }
}

static void test_each_form_has_its_number(void **state) {
    (void)state;
    covey_pool *pool = covey_pool_of(world, Blocked);
    covey_entity e[MANY];
    static covey_block blocks[BLOCKS];
    assert_true(covey_create_many(world, e, MANY));
    give(pool, e[200]); /* block 3: one of many */
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++) give(pool, e[i]);
    for (uint32_t i = 0; i < 40; i++) give(pool, e[COVEY__BLOCK_IDS + i]); /* behind a full block */
    covey_pool_map(pool, 0, blocks, BLOCKS);
    assert_int_equal(blocks[0].form, COVEY_BLOCK_FULL);
    assert_int_equal(blocks[1].form, COVEY_BLOCK_DIRECT);
    assert_int_equal(blocks[2].form, COVEY_BLOCK_EMPTY);
    assert_int_equal(blocks[3].form, COVEY_BLOCK_COMPACT);
    assert_int_equal(blocks[3].count, 1);
    covey_pool *sparse = covey_pool_of(world, Packed);
    give(sparse, e[200]);
    covey_pool_map(sparse, 0, blocks, BLOCKS);
    assert_int_equal(blocks[3].form, COVEY_BLOCK_SPARSE);
    assert_int_equal(COVEY_BLOCK_ABSENT, 0);
    assert_int_equal(COVEY_BLOCK_EMPTY, 1);
    assert_int_equal(COVEY_BLOCK_COMPACT, 2);
    assert_int_equal(COVEY_BLOCK_DIRECT, 3);
    assert_int_equal(COVEY_BLOCK_FULL, 4);
    assert_int_equal(COVEY_BLOCK_SPARSE, 5);
}

/* Pages that are missing between others. */
static void test_what_was_never_there_is_absent(void **state) {
    (void)state;
    static covey_block blocks[BLOCKS];
    uint32_t page = COVEY__BLOCK_PAGE > COVEY_PAGE_SIZE ? COVEY__BLOCK_PAGE : COVEY_PAGE_SIZE, far = 3 * page;
    if (page < 64) page = 64, far = 192;
    covey_entity e = covey_create_at(world, far);
    assert_true(give(covey_pool_of(world, Blocked), e) && give(covey_pool_of(world, Packed), e));
    const covey_pool *pools[] = { covey_pool_find(world, Blocked), covey_pool_find(world, Packed) };
    for (uint32_t i = 0; i < COUNT_OF(pools); i++) {
        uint32_t count = covey_pool_map(pools[i], 0, blocks, COUNT_OF(blocks));
        assert_true(count > far / COVEY__BLOCK_IDS && count <= COUNT_OF(blocks));
        assert_int_equal(blocks[0].form, COVEY_BLOCK_ABSENT);
        assert_int_equal(blocks[far / COVEY__BLOCK_IDS].count, 1);
    }
}

static void test_a_reactive_set_and_a_group_have_maps(void **state) {
    (void)state;
    static covey_block blocks[BLOCKS];
    covey_reactive *set = covey_reactive_create(world, &(covey_reactive_desc){ .added = { covey_id(Blocked) } });
    assert_non_null(set);
    assert_non_null(covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Blocked) } }));
    for (uint32_t i = 0; i < 70; i++) give(covey_pool_of(world, Blocked), covey_create(world));
    for (uint32_t i = 0; i < covey_world_pool_count(world); i++) {
        const covey_pool *pool = covey_world_pool(world, i);
        covey_pool_map(pool, 0, blocks, BLOCKS);
        assert_int_equal(blocks[0].count, COVEY__BLOCK_IDS);
        assert_int_equal(blocks[1].count, 6);
        if (pool->size != 0) assert_true(blocks[0].form == COVEY_BLOCK_COMPACT && blocks[0].slots == COVEY__BLOCK_IDS);
        else assert_int_equal(blocks[0].form, COVEY_BLOCK_FULL);
    }
    covey_reactive_destroy(set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_a_map_says_who_is_there),
        WORLD_TEST(test_each_form_has_its_number),
        WORLD_TEST(test_what_was_never_there_is_absent),
        WORLD_TEST(test_a_reactive_set_and_a_group_have_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
