/* A second world that is like the first, and goes on like it. */
#include "owned.h"

#include <covey/hierarchy.h>

typedef Owned OwnedBlock;
typedef Owned Unique;
typedef Owned Ticked;
COVEY_COMPONENT_DEFINE(Owned, .policy = COVEY_ORDERED, .drop = drop_owned, .copy = copy_owned);
COVEY_COMPONENT_DEFINE(OwnedBlock, .drop = drop_owned, .copy = copy_owned);
COVEY_COMPONENT_DEFINE(Unique, .drop = drop_owned);
COVEY_COMPONENT_DEFINE(Ticked, .ticks = true);

static covey_entity held[40];

/* Every storage with holes, free and reserved indices, and an order that is kept. */
static void fill_world(void) {
    covey_range range = covey_range_reserve(world, 60, 5);
    for (uint32_t i = 0; i < COUNT_OF(held); i++) {
        held[i] = covey_create(world);
        for (uint32_t k = 0; k < COUNT_OF(storage_types); k++)
            if ((i * 7 + k) % 3 != 0) add_value(held[i], storage_types[k], i * 10 + k);
    }
    covey_create_in(world, range);
    for (uint32_t i = 0; i < COUNT_OF(held); i += 3) covey_destroy(world, held[i]);
    for (uint32_t k = 0; k < COUNT_OF(storage_types); k++) remove_value(held[k + 10], storage_types[k]);
}

/* The clone takes the place of the world, which ends. */
static void go_on_in(covey_world *twin) {
    covey_world_destroy(world);
    world = twin;
}

static void test_a_clone_has_the_same_entities_and_components(void **state) {
    (void)state;
    fill_world();
    uint64_t digest = world_digest(world);
    covey_world *twin = covey_world_clone(world, NULL);
    assert_non_null(twin);
    assert_int_equal(world_digest(twin), digest);
    assert_int_equal(world_digest(world), digest);
    test_world_is_valid(twin);
    assert_int_equal(covey_world_memory(world) + covey_world_memory(twin), heap.bytes);
    go_on_in(twin);
    assert_true(covey_alive(world, held[1]));
    assert_false(covey_alive(world, held[0]));
}

static void test_the_worlds_are_apart(void **state) {
    (void)state;
    fill_world();
    uint64_t digest = world_digest(world);
    covey_world *twin = covey_world_clone(world, NULL);
    covey_destroy_all(twin);
    covey_create(twin);
    covey_compact(twin);
    covey_shrink(twin);
    covey_world_destroy(twin);
    assert_int_equal(world_digest(world), digest);
}

/* The order of spans, which the digest does not see. */
static uint64_t span_digest(covey_world *of, const covey_type *type) {
    uint64_t digest = 0;
    covey_view view = covey_view_make(of, &(covey_view_desc){ .with = { type } });
    covey_iter it = covey_view_iter(&view);
    while (covey_next(&it))
        for (uint32_t i = 0; i < it.count; i++) {
            covey_entity e = covey_span_entity(&it, i);
            digest = (digest ^ e.index ^ (uint64_t)e.generation << 32) * UINT64_C(0x100000001B3);
        }
    return digest;
}

static void change(covey_world *of, test_random *random) {
    covey_entity e = { 0, 0 };
    uint32_t wanted = test_below(random, covey_entity_count(of) + 1);
    for (uint32_t i = 0; i <= wanted; i++) e = covey_entity_next(of, e);
    const covey_type *type = storage_types[test_below(random, COUNT_OF(storage_types))];
    Value value = value_of(test_next(random));
    switch (test_below(random, 12)) {
    case 0: covey_create(of); break;
    case 1: covey_destroy(of, e); break;
    case 2: (void)covey_clone(of, e, &e, 1); break;
    case 3:
        if (test_below(random, 4) == 0) covey_compact(of);
        break;
    case 4:
    case 5:
    case 6: covey_remove_raw(of, e, type); break;
    default: covey_set_raw(of, e, type, &value); break;
    }
}

static void test_the_same_calls_give_the_same_results(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 20; seed++) {
        test_random random = { seed };
        for (uint32_t i = 0; i < 300; i++) change(world, &random);
        covey_world *twin = covey_world_clone(world, NULL);
        test_random again = random;
        for (uint32_t i = 0; i < 300; i++) {
            change(world, &random);
            change(twin, &again);
            for (uint32_t k = 0; k < COUNT_OF(storage_types); k++)
                assert_int_equal(span_digest(world, storage_types[k]), span_digest(twin, storage_types[k]));
        }
        test_world_is_valid(twin);
        assert_int_equal(world_digest(world), world_digest(twin));
        go_on_in(twin);
    }
}

static void test_storage_and_order_stay_what_they_became(void **state) {
    (void)state;
    fill_world();
    covey_order order = { .key = COVEY_KEY_U32, .offset = offsetof(Value, number), .descending = true };
    assert_int_equal(covey_pool_convert(covey_pool_of(world, Blocked), COVEY_STORAGE_SPARSE), COVEY_OK);
    assert_int_equal(covey_pool_keep_sorted(covey_pool_of(world, Packed), &order), COVEY_OK);
    covey_world *twin = covey_world_clone(world, NULL);
    assert_int_equal((covey_pool_position_count)(covey_pool_of(twin, Blocked)),
                     (covey_pool_position_count)(covey_pool_of(world, Blocked)));
    go_on_in(twin);
    covey_entity most = create_with(covey_id(Packed), 4000);
    assert_same(covey_pool_at(covey_pool_of(world, Packed), 0), most);
}

static void test_groups_stay_behind(void **state) {
    (void)state;
    fill_world();
    covey_group *group = covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Packed) } });
    covey_world *twin = covey_world_clone(world, NULL);
    assert_int_equal(covey_world_group_count(twin), 0);
    assert_int_equal(covey_group_count(group), covey_pool_count(covey_pool_of(world, Packed)));
    go_on_in(twin);
    assert_non_null(covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Packed) } }));
}

static void test_types_made_at_run_time_are_made_again(void **state) {
    (void)state;
    covey_type description = { .name = "Made", .size = 4, .align = 4 };
    const covey_type *made = covey_type_create(world, &description);
    covey_entity e = covey_create(world);
    uint32_t number = 7;
    covey_add_raw(world, e, made, &number);
    covey_resource_set_raw(world, made, &number);
    covey_world *twin = covey_world_clone(world, NULL);
    const covey_type *again = covey_type_find(twin, "Made");
    assert_true(again && again != made && covey_world_resource(twin, 0) == again);
    go_on_in(twin);
    assert_int_equal(*(uint32_t *)covey_get_raw(world, e, again), 7);
    assert_int_equal(*(uint32_t *)covey_resource_get_raw(world, again), 7);
}

static void test_other_descriptors_of_a_type_are_known(void **state) {
    (void)state;
    static const covey_type twin_type = {
        .name = "Packed", .size = sizeof(Packed), .align = _Alignof(Packed), .storage = COVEY_STORAGE_SPARSE
    };
    covey_entity e = create_with(covey_id(Packed), 1);
    covey_pool_of_raw(world, &twin_type);
    covey_world *twin = covey_world_clone(world, NULL);
    assert_ptr_equal(covey__pool_search(twin, &twin_type), covey_pool_find(twin, Packed));
    go_on_in(twin);
    assert_value(e, &twin_type, 1);
}

static void test_values_are_copied_by_their_hook(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 10; i++) {
        covey_entity e = create_with(covey_id(Owned), i);
        add_value(e, covey_id(OwnedBlock), i);
        owned.alive += 2;
        if (i % 3 == 0) covey_remove(world, e, Owned);
    }
    Owned value = { 1, ~1u };
    covey_resource_set_value(world, Owned, &value);
    owned.alive++;
    uint32_t before = owned.alive;
    for (owned.fails_at = 1; owned.fails_at <= before; owned.fails_at++) {
        owned.copies = 0;
        assert_null(covey_world_clone(world, NULL));
        assert_failed(COVEY_ERROR_COPY);
        assert_int_equal(owned.alive, before);
        assert_int_equal(heap.bytes, covey_world_memory(world));
    }
    owned.fails_at = 0;
    covey_world *twin = covey_world_clone(world, NULL);
    assert_int_equal(owned.alive, 2 * before);
    go_on_in(twin);
    assert_int_equal(owned.alive, before);
    covey_compact(world);
}

static void test_what_cannot_be_copied_is_refused_before_any_hook_runs(void **state) {
    (void)state;
    covey_entity e = create_with(covey_id(OwnedBlock), 1);
    add_value(e, covey_id(Unique), 2);
    owned.alive += 2;
    assert_null(covey_world_clone(world, NULL));
    assert_failed(COVEY_ERROR_COPY);
    assert_non_null(strstr(heard.text, "Unique"));
    covey_remove(world, e, Unique);
    Unique value = { 3, ~3u };
    covey_resource_set_value(world, Unique, &value);
    owned.alive++;
    assert_null(covey_world_clone(world, NULL));
    assert_int_equal(owned.copies, 0);
    assert_int_equal(heard.times, 2);
    covey_resource_remove(world, Unique);
    go_on_in(covey_world_clone(world, NULL)); /* a pool without values is no obstacle */
}

static void test_a_clone_may_have_an_allocator_and_a_log_of_its_own(void **state) {
    (void)state;
    test_heap other = { 0 };
    fill_world();
    covey_world *twin = covey_world_clone(world, &(covey_world_desc){ .allocator = test_allocator(&other) });
    assert_int_equal(other.bytes, covey_world_memory(twin));
    assert_int_equal(heap.bytes, covey_world_memory(world));
    heard.times = 0;
    assert_null(covey_add(twin, entity(0, 0), Packed, { 0, 0 }));
    assert_int_equal(heard.times, 0);
    assert_int_equal(covey_world_result(world), COVEY_OK);
    covey_world_destroy(twin);
    assert_int_equal(other.bytes, 0);
    twin = covey_world_clone(world, NULL);
    assert_int_equal(covey_world_result(twin), COVEY_OK);
    assert_null(covey_add(twin, entity(0, 0), Packed, { 0, 0 }));
    assert_int_equal(heard.times, 1);
    covey_world_destroy(twin);
}

static void test_memory_runs_out_at_every_allocation(void **state) {
    (void)state;
    fill_world();
    covey_resource_set(world, Packed, { 1, 2 });
    covey_type_create(world, &(covey_type){ .name = "Made", .size = 4, .align = 4 });
    covey_order order = { .key = COVEY_KEY_INDEX };
    assert_int_equal(covey_pool_keep_sorted(covey_pool_of(world, Packed), &order), COVEY_OK);
    add_value(held[1], covey_id(OwnedBlock), 1);
    owned.alive++;
    for (uint32_t i = 0; i < 100; i++) /* a kind of entities */
        assert_true(
            covey_alive(world, covey_create_with(world, covey_with(Blocked, { i, i }), covey_with_tag(Marked))));
    static covey_type twins[40]; /* further descriptors of one type */
    for (uint32_t i = 0; i < COUNT_OF(twins); i++) {
        twins[i] = covey_type_Blocked;
        assert_ptr_equal(covey_pool_of_raw(world, &twins[i]), covey_pool_of(world, Blocked));
    }
    assert_int_equal(covey_parent_set(world, held[1], held[2]), COVEY_OK);
    assert_int_equal(covey_name_set(world, held[1], "one"), COVEY_OK);
    uint64_t digest = world_digest(world);
    covey_world *twin = NULL;
    for (uint64_t at = 1; !twin; at++) {
        test_fail_at(&heap, at, at % 2 == 0);
        twin = covey_world_clone(world, NULL);
        bool failed = heap.failed;
        test_fail_never(&heap);
        assert_int_equal(failed, twin == NULL);
        if (failed) assert_failed(COVEY_ERROR_MEMORY);
        if (failed) assert_int_equal(heap.bytes, covey_world_memory(world));
        assert_int_equal(world_digest(world), digest);
        assert_true(twin || owned.alive == 1);
    }
    assert_int_equal(world_digest(twin), digest);
    covey_world_destroy(twin);
}

static void test_an_empty_world_has_a_clone(void **state) {
    (void)state;
    go_on_in(covey_world_clone(world, NULL));
    assert_int_equal(covey_create(world).index, 0);
}

/* What is disabled is so in the clone, and what was changed was changed at the same tick. */
static void test_what_is_disabled_and_ticks_are_the_same(void **state) {
    (void)state;
    covey_entity e[4];
    for (uint32_t i = 0; i < 4; i++) {
        e[i] = covey_create(world);
        covey_tick_advance(world);
        covey_add(world, e[i], Ticked, { i, 0 });
        add_value(e[i], covey_id(Packed), i);
    }
    covey_disable(world, e[0]);
    covey_component_disable(world, e[1], Packed);
    covey_component_disable(world, e[2], Ticked);
    covey_world *twin = covey_world_clone(world, NULL);
    assert_non_null(twin);
    go_on_in(twin);
    covey_view packed = covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Packed) } });
    covey_view both = covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Packed), covey_id(Ticked) } });
    assert_int_equal(covey_view_count(&packed), 2);
    assert_int_equal(covey_view_count(&both), 1);
    assert_true(!covey_is_enabled(world, e[0]) && covey_is_enabled(world, e[1]));
    assert_true(!covey_component_is_enabled(world, e[1], Packed) && covey_component_is_enabled(world, e[1], Ticked));
    assert_int_equal(covey_tick(world), 5);
    for (uint32_t i = 0; i < 4; i++) assert_int_equal(covey_changed_at(world, e[i], Ticked), i + 2);
    assert_int_equal(covey_enable(world, e[0]), COVEY_OK);
    assert_int_equal(covey_component_enable(world, e[1], Packed), COVEY_OK);
    assert_int_equal(covey_view_count(&packed), 4);
    covey_set(world, e[3], Ticked, { 9, 9 });
    assert_int_equal(covey_changed_at(world, e[3], Ticked), 5);
}

static void test_scattered_ticks_are_the_same(void **state) {
    (void)state;
    covey_entity e[12];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) {
        e[i] = covey_create_at(world, i * i * COVEY__BLOCK_IDS % COVEY_NONE);
        covey_tick_advance(world);
        covey_add(world, e[i], Ticked, { i, 0 });
    }
    covey_world *twin = covey_world_clone(world, NULL);
    assert_non_null(twin);
    go_on_in(twin);
    for (uint32_t i = 0; i < COUNT_OF(e); i++) assert_int_equal(covey_changed_at(world, e[i], Ticked), i + 2);
}

/* A copy is changed when it is made, and enabled. */
static void test_copies_are_enabled_and_changed(void **state) {
    (void)state;
    covey_entity e = covey_create(world), to = covey_create(world), clone;
    covey_add(world, e, Ticked, { 1, 0 });
    covey_add(world, to, Ticked, { 2, 0 });
    covey_component_disable(world, e, Ticked);
    covey_disable(world, e);
    uint64_t before = covey_tick_advance(world);
    assert_true(covey_copy(world, e, to));
    assert_true(covey_clone(world, e, &clone, 1));
    assert_true(covey_changed_at(world, to, Ticked) > before && covey_changed_at(world, clone, Ticked) > before);
    assert_int_equal(covey_changed_at(world, e, Ticked), before);
    assert_true(covey_is_enabled(world, clone) && covey_component_is_enabled(world, clone, Ticked));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        OWNED_TEST(test_a_clone_has_the_same_entities_and_components),
        OWNED_TEST(test_the_worlds_are_apart),
        OWNED_TEST(test_the_same_calls_give_the_same_results),
        OWNED_TEST(test_storage_and_order_stay_what_they_became),
        OWNED_TEST(test_groups_stay_behind),
        OWNED_TEST(test_types_made_at_run_time_are_made_again),
        OWNED_TEST(test_other_descriptors_of_a_type_are_known),
        OWNED_TEST(test_values_are_copied_by_their_hook),
        OWNED_TEST(test_what_cannot_be_copied_is_refused_before_any_hook_runs),
        OWNED_TEST(test_a_clone_may_have_an_allocator_and_a_log_of_its_own),
        OWNED_TEST(test_memory_runs_out_at_every_allocation),
        OWNED_TEST(test_what_is_disabled_and_ticks_are_the_same),
        OWNED_TEST(test_scattered_ticks_are_the_same),
        OWNED_TEST(test_copies_are_enabled_and_changed),
        OWNED_TEST(test_an_empty_world_has_a_clone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
