/* Kinds in snapshots and clones: afterwards, the same calls give the same indices. */
#include "churn.h"
#include "fixture.h"
#include "images.h"

#include <covey/hierarchy.h>
#include <covey/history.h>

enum { STEPS = 60, MOST = 300 };

static void assert_alike(covey_world *a, covey_world *b, uint64_t seed) {
    test_world_is_valid(b);
    assert_true(image_digest(a) == image_digest(b));
    assert_true(churn(a, seed, STEPS, MOST) == churn(b, seed, STEPS, MOST));
    test_world_is_valid(a);
    test_world_is_valid(b);
}

/* Internal pools between the others: types have other numbers in a clone. */
static void mix_pools(covey_world *of) {
    assert_non_null(covey_pool_of(of, ChurnD));
    assert_int_equal(covey_parent_set(of, covey_create(of), covey_create(of)), COVEY_OK);
    assert_non_null(covey_pool_of(of, ChurnB));
    assert_int_equal(covey_name_set(of, covey_create(of), "name"), COVEY_OK);
    assert_non_null(covey_reactive_create(of, &(covey_reactive_desc){ .added = { covey_id(ChurnA) } }));
}

static void test_a_clone_creates_the_same_entities(void **state) {
    (void)state;
    mix_pools(world);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        churn(world, seed, STEPS, MOST);
        covey_world *twin = covey_world_clone(world, NULL);
        assert_non_null(twin);
        assert_alike(world, twin, seed + 100);
        covey_world_destroy(twin);
    }
}

static void test_a_clone_may_have_ids_in_order(void **state) {
    (void)state;
    assert_true(churn_fill(world));
    covey_world_desc desc = { .ids_in_order = true };
    covey_world *twin = covey_world_clone(world, &desc), *third = covey_world_clone(twin, NULL);
    assert_true(twin && third);
    covey_entity e[50];
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(churn_create(third, e, 50, 1));
        for (uint32_t k = 1; k < 50; k++) assert_true(e[k - 1].index < e[k].index);
    }
    test_world_is_valid(third);
    covey_world_destroy(twin);
    covey_world_destroy(third);
}

static void test_a_restored_world_creates_the_same_entities(void **state) {
    (void)state;
    mix_pools(world);
    covey_history *history = covey_history_create(world, 4);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        churn(world, seed, STEPS, MOST);
        assert_true(covey_history_save(history));
        uint64_t saved = image_digest(world), digest = churn(world, seed + 100, STEPS, MOST);
        covey_world *twin = covey_history_world(history, 0, NULL);
        assert_non_null(twin);
        test_world_is_valid(twin);
        assert_true(image_digest(twin) == saved);
        assert_true(churn(twin, seed + 100, STEPS, MOST) == digest);
        covey_world_destroy(twin);
        for (uint32_t i = 0; i < 2; i++) {
            assert_true(covey_history_restore(history, 0));
            test_world_is_valid(world);
            assert_true(image_digest(world) == saved);
            assert_true(churn(world, seed + 100, STEPS, MOST) == digest);
        }
    }
    covey_history_destroy(history);
}

/* The first kind comes after the snapshot. */
static void test_a_snapshot_without_kinds_is_restored(void **state) {
    (void)state;
    covey_history *history = covey_history_create(world, 1);
    assert_true(covey_history_save(history));
    uint64_t digest = churn(world, 1, STEPS, MOST);
    assert_true(covey_history_restore(history, 0));
    test_world_is_valid(world);
    assert_true(churn(world, 1, STEPS, MOST) == digest);
    covey_history_destroy(history);
}

static void test_unchanged_kinds_take_no_memory_in_the_next_snapshot(void **state) {
    (void)state;
    assert_true(churn_fill(world));
    covey_history *history = covey_history_create(world, 3);
    assert_true(covey_history_save(history) && covey_history_save(history));
    size_t before = covey_history_memory(history);
    covey_history_destroy(history);
    covey_world_desc desc = world_desc();
    desc.ids_in_order = true;
    covey_world *other = covey_world_create(&desc);
    assert_true(churn_fill(other));
    history = covey_history_create(other, 3);
    assert_true(covey_history_save(history));
    size_t one = covey_history_memory(history);
    assert_true(covey_history_save(history));
    assert_true(covey_history_memory(history) - one < 4096 && before > one);
    covey_history_destroy(history);
    covey_world_destroy(other);
}

/* A range that is reserved among the indices of a kind issues them. */
static void test_a_range_takes_words_from_a_kind(void **state) {
    (void)state;
    covey_entity e[50];
    assert_true(churn_create(world, e, 50, 1));
    uint32_t first = e[49].index + 1;
    covey_range range = covey_range_reserve(world, first, 5);
    assert_int_equal(range.count, 5);
    test_world_is_valid(world);
    for (uint32_t i = 0; i < 5; i++) assert_same(covey_create_in(world, range), entity(first + i, 1));
    covey_world *twin = covey_world_clone(world, NULL);
    assert_non_null(twin);
    assert_alike(world, twin, 7);
    covey_world_destroy(twin);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_a_clone_creates_the_same_entities),
        WORLD_TEST(test_a_clone_may_have_ids_in_order),
        WORLD_TEST(test_a_restored_world_creates_the_same_entities),
        WORLD_TEST(test_a_snapshot_without_kinds_is_restored),
        WORLD_TEST(test_unchanged_kinds_take_no_memory_in_the_next_snapshot),
        WORLD_TEST(test_a_range_takes_words_from_a_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
