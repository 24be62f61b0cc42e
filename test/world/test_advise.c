/* Advice: what it foretells is what comes true. */
#include "fixture.h"

#include <stdio.h>

/* ---- Fillings -----------------------------------------------------------------------------------------------------*/

enum { MANY = 700 };

static void give(covey_pool *pool, covey_entity e) { assert_non_null(covey_pool_add_raw(pool, e, NULL)); }

static void fill_nothing(covey_pool *pool) { (void)pool; }
static void fill_one(covey_pool *pool) { give(pool, covey_create(world)); }
static void fill_far(covey_pool *pool) { give(pool, covey_create_at(world, 220 * COVEY_PAGE_SIZE + 3)); }
static void fill_all(covey_pool *pool) {
    for (uint32_t i = 0; i < MANY; i++) give(pool, covey_create(world));
}
/* In any order, and some are removed again, so that there are holes, and blocks larger than their content. */
static void fill_part(covey_pool *pool, uint32_t one_of) {
    test_random random = { one_of };
    covey_entity e[MANY];
    assert_true(covey_create_many(world, e, MANY));
    for (uint32_t i = 0; i < MANY; i++) {
        covey_entity any = e[test_below(&random, MANY)];
        if (test_below(&random, one_of) == 0 && !covey_pool_has(pool, any)) give(pool, any);
    }
    for (uint32_t i = 0; i < MANY; i += 3) covey_pool_remove_raw(pool, e[i]);
}
static void fill_half(covey_pool *pool) { fill_part(pool, 2); }
static void fill_few(covey_pool *pool) { fill_part(pool, 40); }
static void fill_and_empty(covey_pool *pool) {
    fill_half(pool);
    covey_clear_raw(world, covey_pool_type(pool));
}
static void fill_ends(covey_pool *pool) {
    fill_few(pool);
    fill_far(pool);
}

typedef void fill_fn(covey_pool *pool);
static fill_fn *const fillings[] = { fill_nothing, fill_one, fill_far,  fill_all,
                                     fill_half,    fill_few, fill_ends, fill_and_empty };

static const uint32_t sizes[] = { 0, 1, 4, 12, 16, 20, 100, 3000 };

static const struct {
    covey_storage storage;
    covey_policy policy;
} kinds[] = {
    { COVEY_STORAGE_SPARSE, COVEY_SWAP_AND_POP }, { COVEY_STORAGE_SPARSE, COVEY_IN_PLACE },
    { COVEY_STORAGE_SPARSE, COVEY_SWAP_ONLY },    { COVEY_STORAGE_SPARSE, COVEY_ORDERED },
    { COVEY_STORAGE_BLOCK, COVEY_SWAP_AND_POP },  { COVEY_STORAGE_PINNED, COVEY_SWAP_AND_POP },
};

static covey_pool *make_pool(uint32_t size, covey_storage storage, covey_policy policy) {
    covey_type type = { .name = "Made", .size = size, .storage = storage, .policy = policy };
    covey_pool *pool = covey_pool_of_raw(world, covey_type_create(world, &type));
    assert_non_null(pool);
    return pool;
}

static covey_advice advice_for(covey_pool *pool) {
    covey_advice advice[8];
    uint32_t count = covey_world_advise(world, advice, COUNT_OF(advice));
    assert_true(count <= COUNT_OF(advice));
    for (uint32_t i = 0; i < count; i++)
        if (advice[i].pool == pool) return advice[i];
    fail_msg("no advice for the pool");
    return advice[0];
}

static void new_world(void) {
    world_teardown(NULL);
    assert_int_equal(world_setup(NULL), 0);
}

/* ---- Bytes --------------------------------------------------------------------------------------------------------*/

/* Another pool with the same entities, of a type that says so. */
static size_t bytes_if_pinned(covey_pool *pool) {
    covey_type type = { .name = "Again", .size = pool->size, .storage = COVEY_STORAGE_PINNED };
    covey_pool *again = covey_pool_of_raw(world, covey_type_create(world, &type));
    for (uint32_t p = covey_pool_next(pool, 0); p != COVEY_NONE; p = covey_pool_next(pool, p + 1))
        give(again, covey_pool_at(pool, p));
    covey_pool_shrink(again);
    return covey_pool_memory(again);
}

/* Follows the advice, and returns what the pool takes then. */
static size_t follow(const covey_advice *advice) {
    if (advice->best != advice->storage && (advice->uses & COVEY_USE_STABLE) != 0) return bytes_if_pinned(advice->pool);
    assert_int_equal(covey_pool_convert(advice->pool, advice->best), COVEY_OK);
    covey_pool_compact(advice->pool, NULL, NULL);
    covey_pool_shrink(advice->pool);
    return covey_pool_memory(advice->pool);
}

static void check_advice(covey_pool *pool, covey_policy policy) {
    covey_advice advice = advice_for(pool);
    assert_int_equal(advice.storage, pool->storage);
    assert_int_equal(advice.bytes, covey_pool_memory(pool));
    bool order = policy == COVEY_SWAP_ONLY || policy == COVEY_ORDERED;
    bool stable = policy == COVEY_IN_PLACE || pool->storage == COVEY_STORAGE_PINNED;
    assert_int_equal(advice.uses, (order ? COVEY_USE_ORDER : 0) | (stable ? COVEY_USE_STABLE : 0));
    if (order) assert_int_equal(advice.best, COVEY_STORAGE_SPARSE);
    if (stable) assert_true(advice.best == advice.storage || advice.best == COVEY_STORAGE_PINNED);
    if (!stable) assert_int_not_equal(advice.best, COVEY_STORAGE_PINNED);
    size_t bytes = follow(&advice);
    bool estimated = advice.storage == COVEY_STORAGE_SPARSE && advice.best == COVEY_STORAGE_BLOCK;
    if (!estimated) assert_int_equal(bytes, advice.best_bytes); /* exactly */
    size_t apart = bytes > advice.best_bytes ? bytes - advice.best_bytes : advice.best_bytes - bytes;
    assert_true(apart <= advice.best_bytes / 100 + 16 * 72); /* what compaction finds too little to be worth it */
}

static void test_what_is_foretold_comes_true(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(kinds) * COUNT_OF(sizes) * COUNT_OF(fillings); i++) {
        uint32_t kind = i % COUNT_OF(kinds), size = sizes[i / COUNT_OF(kinds) % COUNT_OF(sizes)];
        covey_pool *pool = make_pool(size, kinds[kind].storage, kinds[kind].policy);
        fillings[i / COUNT_OF(kinds) / COUNT_OF(sizes)](pool);
        check_advice(pool, kinds[kind].policy);
        new_world();
    }
}

/* The one that is advised is the smaller of the two that the pool may have. */
static void test_the_best_is_the_smallest(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 2 * COUNT_OF(sizes) * COUNT_OF(fillings); i++) {
        covey_storage storage = i % 2 == 0 ? COVEY_STORAGE_SPARSE : COVEY_STORAGE_BLOCK;
        covey_pool *pool = make_pool(sizes[i / 2 % COUNT_OF(sizes)], storage, COVEY_SWAP_AND_POP);
        fillings[i / 2 / COUNT_OF(sizes)](pool);
        covey_advice advice = advice_for(pool);
        advice.best = advice.best == COVEY_STORAGE_SPARSE ? COVEY_STORAGE_BLOCK : COVEY_STORAGE_SPARSE;
        assert_true(follow(&advice) + advice.best_bytes / 100 >= advice.best_bytes);
        new_world();
    }
}

/* Followed once, there is nothing left to say. */
static void test_advice_that_was_followed_is_quiet(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 2 * COUNT_OF(fillings); i++) {
        covey_pool *pool = make_pool(16, i % 2 == 0 ? COVEY_STORAGE_SPARSE : COVEY_STORAGE_BLOCK, COVEY_SWAP_AND_POP);
        fillings[i / 2](pool);
        covey_advice advice = advice_for(pool);
        follow(&advice);
        advice = advice_for(pool);
        assert_int_equal(advice.best, advice.storage);
        assert_int_equal(advice.best_bytes, advice.bytes);
        char text[200];
        covey_advice_print(text, sizeof text, &advice);
        assert_non_null(strstr(text, "the least of all storages"));
        new_world();
    }
}

/* ---- Uses ---------------------------------------------------------------------------------------------------------*/

static void test_a_pool_whose_components_were_swapped_keeps_its_order(void **state) {
    (void)state;
    covey_pool *pool = covey_pool_of(world, Packed);
    covey_entity first = create_with(covey_id(Packed), 1), far = covey_create_at(world, 200 * COVEY_PAGE_SIZE);
    assert_non_null(add_value(far, covey_id(Packed), 2));
    covey_pool_shrink(pool);
    assert_int_equal(advice_for(pool).uses, 0);
    assert_int_not_equal(covey_pool_swap(pool, first, (covey_entity){ 0, 0 }), COVEY_OK);
    assert_int_equal(advice_for(pool).uses, 0);
    assert_int_equal(covey_pool_swap(pool, first, far), COVEY_OK);
    assert_int_equal(advice_for(pool).uses, COVEY_USE_ORDER);
    assert_int_equal(advice_for(pool).best, COVEY_STORAGE_SPARSE);
}

static void test_ids_is_the_range_that_is_covered(void **state) {
    (void)state;
    covey_entity far = covey_create_at(world, 200 * COVEY_PAGE_SIZE);
    for (uint32_t i = 0; i < COUNT_OF(storage_types); i++) {
        covey_pool *pool = covey_pool_of_raw(world, storage_types[i]);
        assert_int_equal(advice_for(pool).ids, 0);
        assert_non_null(add_value(far, storage_types[i], 1));
        covey_pool_shrink(pool);
        assert_in_range(advice_for(pool).ids, far.index + 1, far.index + 4096);
    }
}

/* ---- Many, and words ----------------------------------------------------------------------------------------------*/

static void test_no_more_is_written_than_there_is_room_for(void **state) {
    (void)state;
    covey_advice advice[4];
    assert_int_equal(covey_world_advise(world, NULL, 0), 0);
    for (uint32_t i = 0; i < 3; i++) create_with(policy_types[i], i);
    assert_int_equal(covey_world_advise(world, NULL, 0), 3);
    memset(advice, 0xEE, sizeof advice);
    assert_int_equal(covey_world_advise(world, advice, 2), 3);
    assert_ptr_equal(advice[0].pool, covey_world_pool(world, 0));
    assert_ptr_equal(advice[1].pool, covey_world_pool(world, 1));
    assert_int_equal(*(unsigned char *)&advice[2], 0xEE);
    assert_int_equal(covey_world_advise(world, advice, 4), 3);
    assert_ptr_equal(advice[2].pool, covey_world_pool(world, 2));
    assert_int_equal(*(unsigned char *)&advice[3], 0xEE);
}

static void assert_words(covey_pool *pool, const char *call) {
    char text[300], saved[40], small[10];
    covey_advice advice = advice_for(pool);
    int length = covey_advice_print(text, sizeof text, &advice);
    assert_int_equal(length, strlen(text));
    assert_int_equal(strncmp(text, covey_pool_type(pool)->name, strlen(covey_pool_type(pool)->name)), 0);
    if (!strstr(text, call)) fail_msg("not \"%s\" but \"%s\"", call, text);
    snprintf(saved, sizeof saved, "would save %zu", advice.bytes - advice.best_bytes);
    assert_non_null(strstr(text, saved));
    assert_int_equal(covey_advice_print(NULL, 0, &advice), length);
    assert_int_equal(covey_advice_print(small, sizeof small, &advice), length);
    assert_int_equal(strncmp(small, text, sizeof small - 1), 0);
    assert_int_equal(small[sizeof small - 1], '\0');
}

static void test_the_words_name_the_call_to_make(void **state) {
    (void)state;
    covey_pool *pool = make_pool(8, COVEY_STORAGE_SPARSE, COVEY_SWAP_AND_POP);
    fill_all(pool);
    assert_words(pool, "covey_pool_convert(pool, COVEY_STORAGE_BLOCK)");
    new_world();
    pool = make_pool(8, COVEY_STORAGE_SPARSE, COVEY_ORDERED);
    fill_half(pool);
    assert_words(pool, "covey_pool_compact and covey_pool_shrink");
    new_world();
    pool = make_pool(8, COVEY_STORAGE_SPARSE, COVEY_IN_PLACE);
    fill_all(pool);
    assert_words(pool, ".storage = COVEY_STORAGE_PINNED in its type");
}

/* A block has room for four at least, which is much for one large value. */
static void test_blocks_are_told_when_a_set_is_smaller(void **state) {
    (void)state;
    covey_pool *pool = make_pool(3000, COVEY_STORAGE_BLOCK, COVEY_SWAP_AND_POP);
    fill_one(pool);
    assert_words(pool, "covey_pool_convert(pool, COVEY_STORAGE_SPARSE)");
}

/* ---- Views --------------------------------------------------------------------------------------------------------*/

typedef Value Left;
typedef Value Right;
COVEY_COMPONENT_DEFINE(Left);
COVEY_COMPONENT_DEFINE(Right);

/* All entities have the one, and those that a function chooses the other. */
static covey_view scattered(uint32_t count, bool (*chosen)(uint32_t i)) {
    for (uint32_t i = 0; i < count; i++) {
        covey_entity e = covey_create(world);
        assert_non_null(covey_add(world, e, Left, { i, ~i }));
        if (chosen(i)) assert_non_null(covey_add(world, e, Right, { i, ~i }));
    }
    return covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Left), covey_id(Right) } });
}

static uint32_t count_spans(covey_iter it) {
    uint32_t spans = 0;
    while (covey_next(&it)) spans++;
    return spans;
}

static void assert_line(const covey_view_advice *advice, const char *line) {
    char text[200], shorter[10];
    int length = covey_view_advice_print(text, sizeof text, advice);
    assert_string_equal(text, line);
    assert_int_equal(covey_view_advice_print(shorter, sizeof shorter, advice), length);
    assert_memory_equal(shorter, line, sizeof shorter - 1);
    assert_int_equal(covey_view_advice_print(NULL, 0, advice), length);
}

static bool every_second(uint32_t i) { return i % 2 == 0; }
static bool all(uint32_t i) { return i != UINT32_MAX; }
static bool none(uint32_t i) { return i == UINT32_MAX; }

static void test_a_view_of_scattered_entities_would_gain_by_a_group(void **state) {
    (void)state;
    covey_view view = scattered(640, every_second);
    covey_compact(world);
    covey_view_advice advice = covey_view_advise(&view);
    assert_ptr_equal(advice.view, &view);
    assert_int_equal(advice.matches, 320);
    assert_int_equal(advice.spans, count_spans(covey_view_iter(&view)));
    assert_int_equal(advice.group_spans, 10);
    char line[200];
    snprintf(line, sizeof line,
             "Left, Right: 320 matches in 320 spans; a group that owns them (covey_group_create) would have 10, and "
             "take %zu bytes more",
             advice.group_bytes);
    assert_line(&advice, line);
    size_t before = covey_pool_memory(covey_pool_of(world, Left)) + covey_pool_memory(covey_pool_of(world, Right));
    covey_group *group = covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Left), covey_id(Right) } });
    assert_non_null(group);
    assert_int_equal(count_spans(covey_group_iter(group)), advice.group_spans);
    covey_compact(world);
    size_t after = covey_pool_memory(covey_pool_of(world, Left)) + covey_pool_memory(covey_pool_of(world, Right));
    assert_int_equal(after, before + advice.group_bytes);
    advice = covey_view_advise(&view); /* they are owned by now */
    assert_int_equal(advice.group_spans, 0);
    assert_int_equal(advice.matches, 320);
}

static bool every_twentieth(uint32_t i) { return i % 20 == 0; }

static void test_where_few_match_a_group_gains_if_the_pools_become_sparse(void **state) {
    (void)state;
    covey_view view = scattered(640, every_twentieth);
    covey_compact(world);
    covey_view_advice advice = covey_view_advise(&view);
    assert_int_equal(advice.matches, 32);
    assert_true(advice.group_converts);
    assert_int_equal(advice.group_spans, 1);
    char line[200];
    snprintf(line, sizeof line,
             "Left, Right: 32 matches in 32 spans; a group that owns them (covey_group_create), with .storage = "
             "COVEY_STORAGE_SPARSE in their types, would have 1, and take %zu bytes more",
             advice.group_bytes);
    assert_line(&advice, line);
    covey_pool *left = covey_pool_of(world, Left), *right = covey_pool_of(world, Right);
    assert_int_equal(covey_pool_convert(left, COVEY_STORAGE_SPARSE), COVEY_OK);
    assert_int_equal(covey_pool_convert(right, COVEY_STORAGE_SPARSE), COVEY_OK);
    covey_group *group = covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Left), covey_id(Right) } });
    assert_non_null(group);
    assert_int_equal(count_spans(covey_group_iter(group)), advice.group_spans);
}

static void test_a_view_of_all_would_not(void **state) {
    (void)state;
    covey_view view = scattered(640, all);
    covey_view_advice advice = covey_view_advise(&view);
    assert_int_equal(advice.matches, 640);
    assert_true(advice.spans <= advice.group_spans);
    char line[200];
    snprintf(line, sizeof line, "Left, Right: 640 matches in %u spans; a group would not have fewer", advice.spans);
    assert_line(&advice, line);
}

static void test_views_that_no_group_can_be_about(void **state) {
    (void)state;
    covey_view view = scattered(100, none);
    covey_view_advice advice = covey_view_advise(&view);
    assert_int_equal(advice.matches + advice.spans + advice.group_spans, 0); /* Right is not known */
    assert_line(&advice, "Left, Right: 0 matches in 0 spans");
    view = covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Left) }, .optional = { covey_id(Right) } });
    assert_int_equal(covey_view_advise(&view).group_spans, 0);
    assert_int_equal(covey_view_advise(&view).matches, 100);
    view = covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Left), covey_id(Pinned) } });
    assert_non_null(covey_add(world, covey_entity_at(world, 3), Pinned, { 1, 2 }));
    assert_int_equal(covey_view_advise(&view).matches, 1);
    assert_int_equal(covey_view_advise(&view).group_spans, 0);
    view = covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Packed) } });
    assert_non_null(covey_add(world, covey_entity_at(world, 3), Packed, { 1, 2 }));
    assert_int_equal(covey_view_advise(&view).group_spans, 1);
    view = (covey_view){ 0 };
    assert_int_equal(covey_view_advise(&view).matches, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_what_is_foretold_comes_true),
        WORLD_TEST(test_the_best_is_the_smallest),
        WORLD_TEST(test_advice_that_was_followed_is_quiet),
        WORLD_TEST(test_a_pool_whose_components_were_swapped_keeps_its_order),
        WORLD_TEST(test_ids_is_the_range_that_is_covered),
        WORLD_TEST(test_no_more_is_written_than_there_is_room_for),
        WORLD_TEST(test_the_words_name_the_call_to_make),
        WORLD_TEST(test_blocks_are_told_when_a_set_is_smaller),
        WORLD_TEST(test_a_view_of_scattered_entities_would_gain_by_a_group),
        WORLD_TEST(test_where_few_match_a_group_gains_if_the_pools_become_sparse),
        WORLD_TEST(test_a_view_of_all_would_not),
        WORLD_TEST(test_views_that_no_group_can_be_about),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
