/* Held pools: the same verbs without the lookup, the packed arrays themselves, their order, and their memory. */
#include "fixture.h"

#include <stdio.h>

/* ---- Pools --------------------------------------------------------------------------------------------------------*/

static void test_a_pool_is_made_once(void **state) {
    (void)state;
    assert_null(covey_pool_find_raw(world, covey_id(Packed)));
    covey_pool *pool = covey_pool_of(world, Packed);
    assert_non_null(pool);
    assert_ptr_equal(covey_pool_of(world, Packed), pool);
    assert_ptr_equal(covey_pool_find_raw(world, covey_id(Packed)), pool);
    assert_ptr_equal(covey_pool_type(pool), covey_id(Packed));
    assert_ptr_equal(covey_pool_world(pool), world);
}

static void test_pools_are_numbered_in_the_order_of_their_types(void **state) {
    (void)state;
    assert_int_equal(covey_world_pool_count(world), 0);
    assert_null(covey_world_pool(world, 0));
    covey_pool *kept = covey_pool_of(world, Kept), *packed = covey_pool_of(world, Packed);
    covey_pool_of(world, Kept);
    assert_int_equal(covey_world_pool_count(world), 2);
    assert_ptr_equal(covey_world_pool(world, 0), kept);
    assert_ptr_equal(covey_world_pool(world, 1), packed);
    assert_null(covey_world_pool(world, 2));
    assert_null(covey_world_pool(world, UINT32_MAX));
}

static void test_an_empty_pool_has_nothing(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(storage_types); i++) {
        covey_pool *pool = covey_pool_of_raw(world, storage_types[i]);
        assert_int_equal(covey_pool_count(pool), 0);
        assert_int_equal((covey_pool_position_count)(pool), 0);
        assert_null((covey_pool_ids)(pool));
        assert_int_equal(covey_pool_next(pool, 0), COVEY_NONE);
        assert_null((covey_pool_page_raw)(pool, 0));
        assert_false(covey_pool_has(pool, entity(0, 1)));
        covey_pool_compact(pool, NULL, NULL);
        covey_pool_shrink(pool);
    }
}

static void test_a_held_pool_stays_valid_while_other_types_appear(void **state) {
    (void)state;
    covey_pool *pool = covey_pool_of(world, Packed);
    covey_entity e = create_with(covey_id(Packed), 5);
    const Packed *value = covey_pool_get(pool, e, Packed);
    for (uint32_t i = 0; i < 100; i++) {
        char name[32];
        snprintf(name, sizeof name, "other %u", i);
        const covey_type *type = covey_type_create(world, &(covey_type){ .name = name, .size = 4, .align = 4 });
        covey_add_raw(world, e, type, NULL);
        assert_ptr_equal(covey_pool_get(pool, e, Packed), value);
    }
    assert_ptr_equal(covey_pool_of(world, Packed), pool);
    assert_int_equal(value->number, 5);
}

/* ---- The verbs ----------------------------------------------------------------------------------------------------*/

static void test_the_verbs_of_a_pool_do_what_those_of_the_world_do(void **state) {
    (void)state;
    covey_pool *pool = covey_pool_of(world, Packed);
    covey_entity e = covey_create(world), f = covey_create(world), g = covey_create(world);
    Packed value = { 3, 4 };
    assert_int_equal(covey_pool_add(pool, e, Packed, { 1, 2 })->check, 2);
    assert_int_equal(covey_pool_add_value(pool, f, Packed, &value)->check, 4);
    assert_null(covey_pool_add(pool, e, Packed, { 5, 6 }));
    assert_failed(COVEY_ERROR_PRESENT);
    assert_ptr_equal(covey_pool_get(pool, e, Packed), covey_get(world, e, Packed));
    assert_int_equal(covey_pool_set(pool, e, Packed, { 7, 8 })->number, 7);
    assert_int_equal(covey_pool_set_value(pool, g, Packed, &value)->number, 3);
    assert_true(covey_pool_has(pool, g));
    assert_true(covey_pool_remove(pool, f, Packed));
    assert_false(covey_pool_remove(pool, f, Packed));
    assert_false(covey_has(world, f, Packed));
    assert_null(covey_pool_get(pool, f, Packed));
    assert_int_equal(covey_pool_count(pool), 2);
}

static void verbs(const covey_type *type) {
    covey_pool *pool = covey_pool_of_raw(world, type);
    covey_entity e[20];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) {
        Value value = value_of(i);
        e[i] = covey_create(world);
        assert_non_null(covey_pool_add_raw(pool, e[i], &value));
    }
    for (uint32_t i = 0; i < COUNT_OF(e); i += 2) assert_true(covey_pool_remove_raw(pool, e[i]));
    for (uint32_t i = 0; i < COUNT_OF(e); i++) {
        Value *value = covey_pool_get_raw(pool, e[i]);
        assert_int_equal(covey_pool_has(pool, e[i]), i % 2);
        if (i % 2 == 0) assert_null(value);
        else assert_ptr_equal(covey_pool_get_unchecked_raw(pool, e[i]), value);
    }
    for (uint32_t i = 0; i < COUNT_OF(e); i++) {
        Value value = value_of(100 + i);
        assert_non_null(covey_pool_set_raw(pool, e[i], &value));
        assert_value(e[i], type, 100 + i);
    }
    assert_int_equal(covey_pool_count(pool), COUNT_OF(e));
}
static void test_the_verbs_of_a_pool_work_with_every_policy(void **state) {
    (void)state;
    for_each_storage(verbs);
}

static void test_an_unchecked_get_finds_what_a_checked_one_finds(void **state) {
    (void)state;
    covey_entity e = create_with(covey_id(Packed), 1), f = create_with(covey_id(Fixed), 2),
                 g = create_with(covey_id(Blocked), 3);
    covey_pool *packed = covey_pool_of(world, Packed), *fixed = covey_pool_of(world, Fixed);
    assert_ptr_equal(covey_pool_get_unchecked(packed, e, Packed), covey_get(world, e, Packed));
    assert_ptr_equal(covey_pool_get_unchecked(fixed, f, Fixed), covey_get(world, f, Fixed));
    assert_ptr_equal(covey_pool_get_unchecked(covey_pool_of(world, Blocked), g, Blocked), covey_get(world, g, Blocked));
}

/* ---- Broken contracts ---------------------------------------------------------------------------------------------*/

typedef Value Other; /* of the same size, so that only the type tells them apart */
COVEY_COMPONENT_DEFINE(Other, .storage = COVEY_STORAGE_SPARSE);

static void test_a_pool_used_with_another_type_breaks_a_contract(void **state) {
    (void)state;
    if (COVEY_ASSERT_LEVEL < 1) skip();
    covey_pool *pool = covey_pool_of(world, Packed);
    covey_entity e = create_with(covey_id(Packed), 1), f = covey_create(world);
    Other value = { 1, 2 };
    expect_assert_failure((void)covey_pool_get(pool, e, Other));
    expect_assert_failure((void)covey_pool_add(pool, f, Other, { 1, 2 }));
    expect_assert_failure((void)covey_pool_add_value(pool, f, Other, &value));
    expect_assert_failure((void)covey_pool_set(pool, e, Other, { 1, 2 }));
    expect_assert_failure((void)covey_pool_set_value(pool, e, Other, &value));
    expect_assert_failure((void)covey_pool_remove(pool, e, Other));
    expect_assert_failure((void)covey_pool_get_unchecked(pool, e, Other));
    expect_assert_failure((void)covey_pool_values(pool, Other));
    expect_assert_failure((void)covey_pool_page(pool, 0, Other));
    assert_value(e, covey_id(Packed), 1);
    assert_false(covey_has(world, f, Packed));
}

static void test_a_pool_may_be_used_through_another_descriptor_of_its_name(void **state) {
    (void)state;
    static const covey_type again = {
        .name = "Packed", .size = sizeof(Packed), .align = _Alignof(Packed), .storage = COVEY_STORAGE_SPARSE
    };
    covey_pool *pool = covey_pool_of_raw(world, &again);
    covey_entity e = create_with(&again, 1);
    assert_int_equal(covey_pool_get(pool, e, Packed)->number, 1);
}

static void get_unchecked_what_is_absent(const covey_type *type) {
    covey_pool *pool = covey_pool_of_raw(world, type);
    covey_entity stale = create_with(type, 1), absent = covey_create(world);
    covey_destroy(world, stale);
    expect_assert_failure((void)covey_pool_get_unchecked_raw(pool, absent));
    expect_assert_failure((void)covey_pool_get_unchecked_raw(pool, stale));
}
static void test_an_unchecked_get_of_an_absent_component_breaks_a_costly_contract(void **state) {
    (void)state;
    if (COVEY_ASSERT_LEVEL < 2) skip();
    for_each_storage(get_unchecked_what_is_absent);
}

/* ---- The packed arrays --------------------------------------------------------------------------------------------*/

static bool leaves_holes(const covey_type *type) {
    return type->policy == COVEY_IN_PLACE || type->policy == COVEY_ORDERED;
}

static void walk(const covey_type *type) {
    covey_pool *pool = covey_pool_of_raw(world, type);
    covey_entity e[200];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) e[i] = create_with(type, i);
    for (uint32_t i = 0; i < COUNT_OF(e); i += 3) remove_value(e[i], type);
    uint32_t seen = 0;
    for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1), seen++) {
        const Value *there = covey_pool_value_at_raw(pool, at);
        assert_same(covey_pool_at(pool, at), e[there->number]);
        assert_ptr_equal(covey_pool_get_raw(pool, e[there->number]), there);
        assert_int_not_equal(there->number % 3, 0);
    }
    assert_int_equal(seen, covey_pool_count(pool));
    assert_int_equal(seen, 133);
    assert_no_entity(covey_pool_at(pool, COUNT_OF(e)));
    assert_no_entity(covey_pool_at(pool, COVEY_NONE));
    assert_no_entity(covey_pool_at(pool, UINT32_MAX));
    assert_int_equal(covey_pool_next(pool, COUNT_OF(e)), COVEY_NONE);
    assert_int_equal(covey_pool_next(pool, COVEY_NONE), COVEY_NONE);
}
static void test_every_component_is_met_once_by_position(void **state) {
    (void)state;
    for_each_storage(walk);
    covey_entity e = create_with(covey_id(Packed), 7);
    assert_int_equal(covey_pool_value_at(covey_pool_of(world, Packed), 0, Packed)->number, 7);
    assert_same(covey_pool_at(covey_pool_of(world, Packed), 0), e);
}

static void holes_are_nobody(const covey_type *type) {
    covey_entity e[3];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) e[i] = create_with(type, i);
    remove_value(e[1], type);
    bool gap = leaves_holes(type) || type->storage >= COVEY_STORAGE_BLOCK;
    assert_same(covey_pool_at(covey_pool_find_raw(world, type), 1), gap ? entity(0, 0) : e[2]);
    if (!gap) assert_no_entity(covey_pool_at(covey_pool_find_raw(world, type), 2));
}
static void test_nobody_is_at_a_position_that_was_left(void **state) {
    (void)state;
    for_each_storage(holes_are_nobody);
}

static void arrays(const covey_type *type) {
    covey_pool *pool = covey_pool_of_raw(world, type);
    covey_entity e[30];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) e[i] = create_with(type, i);
    for (uint32_t i = 0; i < COUNT_OF(e); i += 3) remove_value(e[i], type);
    assert_int_equal(covey_pool_count(pool), 20);
    assert_int_equal((covey_pool_position_count)(pool), leaves_holes(type) ? 30 : 20);
    uint32_t seen = 0;
    for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1), seen++) {
        covey_entity id = (covey_pool_ids)(pool)[at];
        Value *there = type->policy == COVEY_IN_PLACE
                           ? (Value *)(covey_pool_page_raw)(pool, at / COVEY_PAGE_SIZE) + at % COVEY_PAGE_SIZE
                           : (Value *)(covey_pool_values_raw)(pool) + at;
        assert_ptr_equal(covey_pool_get_raw(pool, id), there);
        assert_same(id, e[there->number]);
        assert_int_not_equal(there->number % 3, 0);
    }
    assert_int_equal(seen, 20); /* REQ-2, REQ-5, REQ-51 */
}
static void test_value_i_belongs_to_id_i(void **state) {
    (void)state;
    for_each_policy(arrays);
}

static void test_the_arrays_are_typed(void **state) {
    (void)state;
    covey_entity e = create_with(covey_id(Packed), 7), f = create_with(covey_id(Fixed), 8);
    assert_int_equal(covey_pool_values(covey_pool_of(world, Packed), Packed)[0].number, 7);
    assert_same((covey_pool_ids)(covey_pool_of(world, Packed))[0], e);
    assert_int_equal(covey_pool_page(covey_pool_of(world, Fixed), 0, Fixed)[0].number, 8);
    assert_same((covey_pool_ids)(covey_pool_of(world, Fixed))[0], f);
}

static void test_in_place_values_lie_in_pages(void **state) {
    (void)state;
    covey_pool *pool = covey_pool_of(world, Fixed);
    uint32_t count = 2 * COVEY_PAGE_SIZE + 1;
    for (uint32_t i = 0; i < count; i++) create_with(covey_id(Fixed), i);
    assert_null(covey_pool_values(pool, Fixed));
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(covey_pool_page(pool, i / COVEY_PAGE_SIZE, Fixed)[i % COVEY_PAGE_SIZE].number, i);
    assert_null(covey_pool_page(pool, 3, Fixed));
    assert_null(covey_pool_page(pool, UINT32_MAX, Fixed));
    covey_pool *packed = covey_pool_of(world, Packed);
    create_with(covey_id(Packed), 1);
    assert_null(covey_pool_page(packed, 0, Packed));
}

static void test_in_place_addresses_last_from_add_to_remove(void **state) {
    (void)state;
    enum { COUNT = 60 };
    covey_entity e[COUNT];
    Fixed *where[COUNT] = { NULL };
    test_random random = { 1 };
    for (uint32_t i = 0; i < COUNT; i++) e[i] = covey_create(world);
    for (uint32_t step = 0; step < 2000; step++) {
        uint32_t i = test_below(&random, COUNT);
        if (where[i]) {
            assert_true(covey_remove(world, e[i], Fixed));
            where[i] = NULL;
        } else {
            where[i] = covey_add(world, e[i], Fixed, { i, ~i });
        }
        if (step % 50 == 0) covey_compact(world);
        if (step % 70 == 0) covey_shrink(world);
        for (uint32_t k = 0; k < COUNT; k++) {
            assert_ptr_equal(covey_get(world, e[k], Fixed), where[k]); /* REQ-52 */
            if (where[k]) assert_int_equal(where[k]->number, k);
        }
    }
}

static void test_in_place_fills_the_hole_made_last(void **state) {
    (void)state;
    covey_entity e[6];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) e[i] = create_with(covey_id(Fixed), i);
    const Fixed *at[6];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) at[i] = covey_get(world, e[i], Fixed);
    covey_remove(world, e[1], Fixed);
    covey_remove(world, e[4], Fixed);
    covey_remove(world, e[3], Fixed);
    assert_ptr_equal(add_value(covey_create(world), covey_id(Fixed), 9), at[3]);
    assert_ptr_equal(add_value(covey_create(world), covey_id(Fixed), 9), at[4]);
    assert_ptr_equal(add_value(covey_create(world), covey_id(Fixed), 9), at[1]);
}

static void test_swap_and_pop_fills_the_hole_with_the_last(void **state) {
    (void)state;
    covey_entity e[4];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) e[i] = create_with(covey_id(Packed), i);
    covey_pool *pool = covey_pool_of(world, Packed);
    covey_remove(world, e[1], Packed);
    const uint32_t order[] = { 0, 3, 2 };
    for (uint32_t i = 0; i < COUNT_OF(order); i++) {
        assert_same((covey_pool_ids)(pool)[i], e[order[i]]);
        assert_int_equal(covey_pool_values(pool, Packed)[i].number, order[i]);
    }
}

/* ---- Order --------------------------------------------------------------------------------------------------------*/

static void swap_two(const covey_type *type) {
    covey_entity e = create_with(type, 1), f = create_with(type, 2), g = create_with(type, 3),
                 absent = covey_create(world);
    covey_pool *pool = covey_pool_find_raw(world, type);
    bool fixed = type->policy == COVEY_IN_PLACE;
    assert_int_equal(covey_pool_swap(pool, e, g), fixed ? COVEY_ERROR_REFUSED : COVEY_OK);
    assert_same((covey_pool_ids)(pool)[0], fixed ? e : g);
    assert_same((covey_pool_ids)(pool)[2], fixed ? g : e);
    assert_value(e, type, 1);
    assert_value(g, type, 3);
    assert_int_equal(covey_pool_swap(pool, f, f), fixed ? COVEY_ERROR_REFUSED : COVEY_OK);
    uint64_t before = world_digest(world);
    covey_remove_raw(world, absent, type);
    covey_result refused = fixed ? COVEY_ERROR_REFUSED : COVEY_ERROR_ABSENT;
    assert_int_equal(covey_pool_swap(pool, e, absent), refused);
    assert_int_equal(covey_pool_swap(pool, absent, e), refused);
    assert_int_equal(covey_pool_swap(pool, e, entity(f.index, 3)), refused);
    assert_failed(refused);
    assert_int_equal(world_digest(world), before);
    remove_value(g, type); /* kept behind the live ones by swap only */
    assert_int_equal(covey_pool_swap(pool, e, g), refused);
}
static void test_swap_exchanges_two_positions(void **state) {
    (void)state;
    for_each_policy(swap_two);
}

static void test_compacting_an_ordered_pool_keeps_the_order(void **state) {
    (void)state;
    enum { COUNT = 200 };
    covey_entity e[COUNT];
    covey_pool *pool = covey_pool_of(world, Ordered);
    for (uint32_t i = 0; i < COUNT; i++) e[i] = create_with(covey_id(Ordered), i);
    test_random random = { 7 };
    for (uint32_t i = 0; i < COUNT; i++)
        if (test_below(&random, 3) == 0) covey_remove(world, e[i], Ordered);
    covey_remove(world, e[COUNT - 1], Ordered);
    uint32_t left = covey_pool_count(pool);
    covey_pool_compact(pool, NULL, NULL);
    assert_int_equal((covey_pool_position_count)(pool), left);
    uint32_t previous = 0;
    for (uint32_t i = 0; i < left; i++) { /* REQ-54 */
        const Ordered *value = &covey_pool_values(pool, Ordered)[i];
        assert_true(i == 0 || value->number > previous);
        assert_same((covey_pool_ids)(pool)[i], e[value->number]);
        previous = value->number;
    }
    uint64_t before = world_digest(world);
    covey_pool_compact(pool, NULL, NULL);
    assert_int_equal(world_digest(world), before);
}

static void test_an_ordered_pool_appends_and_leaves_its_holes_until_it_is_compacted(void **state) {
    (void)state;
    covey_pool *pool = covey_pool_of(world, Ordered);
    covey_entity e = create_with(covey_id(Ordered), 1), f = create_with(covey_id(Ordered), 2);
    covey_remove(world, e, Ordered);
    covey_add(world, e, Ordered, { 3, 3 });
    assert_int_equal((covey_pool_position_count)(pool), 3);
    assert_int_equal(covey_pool_count(pool), 2);
    assert_int_equal(covey_pool_next(pool, 0), 1);
    covey_compact(world);
    assert_same((covey_pool_ids)(pool)[0], f);
    assert_same((covey_pool_ids)(pool)[1], e);
}

static void empty_and_compact(const covey_type *type) {
    covey_entity e[150];
    covey_pool *pool = covey_pool_of_raw(world, type);
    for (uint32_t i = 0; i < COUNT_OF(e); i++) e[i] = create_with(type, i);
    for (uint32_t i = 0; i < COUNT_OF(e); i++) remove_value(e[i], type);
    covey_pool_compact(pool, NULL, NULL);
    assert_int_equal((covey_pool_position_count)(pool), 0);
    covey_pool_shrink(pool);
    assert_int_equal(covey_pool_memory(pool), sizeof(covey_pool));
    for (uint32_t i = 0; i < COUNT_OF(e); i++) assert_non_null(add_value(e[i], type, i));
    for (uint32_t i = 0; i < COUNT_OF(e); i++) assert_value(e[i], type, i);
}
static void test_a_pool_that_lost_everything_compacts_to_nothing(void **state) {
    (void)state;
    for_each_storage(empty_and_compact);
}

static void test_compacting_in_place_drops_only_trailing_holes(void **state) {
    (void)state;
    covey_entity e[8];
    const Fixed *at[8];
    covey_pool *pool = covey_pool_of(world, Fixed);
    for (uint32_t i = 0; i < COUNT_OF(e); i++) e[i] = create_with(covey_id(Fixed), i);
    for (uint32_t i = 0; i < COUNT_OF(e); i++) at[i] = covey_get(world, e[i], Fixed);
    const uint32_t removed[] = { 6, 1, 7, 3 };
    for (uint32_t i = 0; i < COUNT_OF(removed); i++) covey_remove(world, e[removed[i]], Fixed);
    covey_pool_compact(pool, NULL, NULL);
    assert_int_equal((covey_pool_position_count)(pool), 6);
    assert_int_equal(covey_pool_count(pool), 4);
    for (uint32_t i = 0; i < COUNT_OF(e); i++)
        assert_ptr_equal(covey_get(world, e[i], Fixed), i == 1 || i == 3 || i > 5 ? NULL : at[i]);
    assert_ptr_equal(add_value(e[7], covey_id(Fixed), 7), at[3]); /* the holes that are left keep their order */
    assert_ptr_equal(add_value(e[6], covey_id(Fixed), 6), at[1]);
}

static void test_compacting_swap_only_forgets_the_dead(void **state) {
    (void)state;
    covey_pool *pool = covey_pool_of(world, Kept);
    covey_entity e[40];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) e[i] = create_with(covey_id(Kept), i);
    for (uint32_t i = 10; i < COUNT_OF(e); i++) covey_remove(world, e[i], Kept);
    covey_pool_shrink(pool);
    size_t before = covey_pool_memory(pool);
    assert_int_equal(covey_sparse_set_position_count(&pool->set), 40);
    covey_pool_compact(pool, NULL, NULL);
    assert_int_equal(covey_sparse_set_position_count(&pool->set), 10);
    covey_pool_shrink(pool);
    assert_true(covey_pool_memory(pool) <= before - 30 * (sizeof(Kept) + sizeof(covey_entity)));
    for (uint32_t i = 0; i < COUNT_OF(e); i++)
        if (i < 10) assert_value(e[i], covey_id(Kept), i);
        else assert_false(covey_has(world, e[i], Kept));
}

/* ---- Memory -------------------------------------------------------------------------------------------------------*/

static void reserve(const covey_type *type) {
    enum { COUNT = 50 };
    covey_entity e[COUNT];
    covey_pool *pool = covey_pool_of_raw(world, type);
    for (uint32_t i = 0; i < COUNT; i++) e[i] = covey_create(world);
    for (uint32_t i = 0; i < COUNT; i++) add_value(e[i], type, i); /* the table has its pages, now */
    covey_clear_raw(world, type);
    assert_int_equal(covey_pool_reserve(pool, COUNT), COVEY_OK);
    uint64_t calls = heap.calls;
    for (uint32_t i = 0; i < COUNT; i++) assert_non_null(add_value(e[i], type, i));
    assert_int_equal(heap.calls, calls);
    assert_int_equal(covey_pool_reserve(pool, 1), COVEY_OK); /* never shrinks */
    assert_int_equal(heap.calls, calls);
    for (uint32_t i = 0; i < COUNT; i++) assert_value(e[i], type, i);
}
static void test_reserved_adds_need_no_memory(void **state) {
    (void)state;
    for_each_policy(reserve);
}

static void reserve_and_churn(const covey_type *type) {
    enum { COUNT = COVEY_PAGE_SIZE };
    covey_entity e[COUNT];
    covey_pool *pool = covey_pool_of_raw(world, type);
    assert_int_equal(covey_pool_reserve(pool, COUNT), COVEY_OK);
    for (uint32_t i = 0; i < COUNT; i++) e[i] = create_with(type, i);
    uint64_t calls = heap.calls;
    for (uint32_t i = 0; i < COUNT; i++) {
        remove_value(e[i], type);
        if (type->policy == COVEY_ORDERED) covey_pool_compact(pool, NULL, NULL);
        assert_non_null(add_value(e[i], type, i));
    }
    assert_int_equal(heap.calls, calls);
}
static void test_a_full_reserved_pool_needs_no_memory_to_add_what_it_lost(void **state) {
    (void)state;
    for_each_storage(reserve_and_churn);
}

static void test_reserving_more_than_can_exist_fails(void **state) {
    (void)state;
    if (COVEY_NONE == UINT32_MAX) skip();
    covey_pool *pool = covey_pool_of(world, Packed);
    assert_int_equal(covey_pool_reserve(pool, COVEY_NONE), COVEY_OK);
    assert_int_equal(covey_pool_reserve(pool, COVEY_NONE + 1u), COVEY_ERROR_RANGE);
    assert_failed(COVEY_ERROR_RANGE);
}

static void test_reserving_fails_when_memory_is_out(void **state) {
    (void)state;
    covey_entity e = create_with(covey_id(Packed), 1);
    covey_pool *pool = covey_pool_of(world, Packed);
    test_fail_at(&heap, 1, true);
    assert_int_equal(covey_pool_reserve(pool, 100), COVEY_ERROR_MEMORY);
    assert_failed(COVEY_ERROR_MEMORY);
    assert_non_null(strstr(heard.text, "Packed"));
    test_fail_never(&heap);
    assert_value(e, covey_id(Packed), 1);
}

static void fill_the_world(const covey_type *type) {
    while (!covey_is_null(covey_create(world))) {
    }
    for (uint32_t i = 0; i < COVEY_NONE; i++) assert_non_null(add_value(entity(i, 1), type, i));
    for (uint32_t i = 0; i < 5; i++) {
        assert_true(remove_value(entity(i, 1), type));
        if (type->policy == COVEY_ORDERED) covey_compact(world);
        assert_non_null(add_value(entity(i, 1), type, i + 1));
        assert_value(entity(i, 1), type, i + 1);
    }
    assert_int_equal(covey_pool_count(covey_pool_find_raw(world, type)), COVEY_NONE);
}
static void test_every_entity_of_a_full_world_can_lose_a_component_and_get_it_back(void **state) {
    (void)state;
    if (COVEY_INDEX_BITS > 12) skip();
    for_each_storage(fill_the_world);
}

static void memory(const covey_type *type) {
    covey_pool *pool = covey_pool_of_raw(world, type);
    covey_entity e[100];
    assert_true(covey_create_many(world, e, COUNT_OF(e)));
    assert_true(covey_add_tag(world, e[0], Marked)); /* which pools are near these entities is the world's to keep */
    size_t outside = heap.bytes - covey_pool_memory(pool);
    for (uint32_t i = 0; i < COUNT_OF(e); i++) {
        add_value(e[i], type, i);
        assert_int_equal(covey_pool_memory(pool) + outside, heap.bytes);
    }
    size_t full = covey_pool_memory(pool);
    for (uint32_t i = 10; i < COUNT_OF(e); i++) remove_value(e[i], type);
    assert_int_equal(covey_pool_memory(pool), full); /* removing returns nothing */
    covey_pool_compact(pool, NULL, NULL);
    assert_int_equal(covey_pool_memory(pool), full);
    covey_pool_shrink(pool);
    assert_true(covey_pool_memory(pool) < full);
    assert_int_equal(covey_pool_memory(pool) + outside, heap.bytes);
    for (uint32_t i = 0; i < 10; i++) assert_value(e[i], type, i);
    test_world_is_valid(world);
    for (uint32_t i = 10; i < COUNT_OF(e); i++) assert_non_null(add_value(e[i], type, i));
}
static void test_a_pool_counts_its_bytes_and_gives_them_back(void **state) {
    (void)state;
    for_each_policy(memory);
}

static void test_shrinking_a_pool_gives_back_pages_of_the_table(void **state) {
    (void)state;
    covey_pool *pool = covey_pool_of(world, Packed);
    covey_entity low = create_with(covey_id(Packed), 1), high = covey_create_at(world, 100 * COVEY_PAGE_SIZE);
    covey_pool_shrink(pool);
    size_t before = covey_pool_memory(pool);
    covey_add(world, high, Packed, { 2, 2 });
    covey_remove(world, high, Packed);
    assert_true(covey_pool_memory(pool) > before);
    covey_pool_shrink(pool);
    assert_int_equal(covey_pool_memory(pool), before);
    assert_value(low, covey_id(Packed), 1);
    assert_false(covey_has(world, high, Packed));
    assert_non_null(covey_add(world, high, Packed, { 3, 3 }));
}

static void test_a_far_index_costs_a_pool_one_page_and_its_directory(void **state) {
    (void)state;
    uint32_t far = COVEY_NONE < 1000000 ? COVEY_NONE - 1 : 1000000; /* REQ-27 */
    covey_pool *pool = covey_pool_of(world, Packed);
    size_t before = covey_pool_memory(pool);
    covey_add(world, covey_create_at(world, far), Packed, { 1, 1 });
    covey_pool_shrink(pool);
    size_t directory = (far / COVEY_PAGE_SIZE + 1) * sizeof(void *), page = COVEY_PAGE_SIZE * sizeof(covey__slot);
    assert_int_equal(covey_pool_memory(pool) - before, directory + page + sizeof(Packed) + sizeof(covey_entity));
}

/* ---- Alignment ----------------------------------------------------------------------------------------------------*/

typedef struct Wide32 {
    _Alignas(32) uint32_t number;
} Wide32;
typedef struct Wide64 {
    _Alignas(64) uint32_t number;
} Wide64;
typedef Wide64 FixedWide64;
typedef Wide64 BlockedWide64;
COVEY_COMPONENT_DEFINE(Wide32, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Wide64, .policy = COVEY_ORDERED);
COVEY_COMPONENT_DEFINE(FixedWide64, .policy = COVEY_IN_PLACE);
COVEY_COMPONENT_DEFINE(BlockedWide64);

static void test_over_aligned_components_stay_aligned(void **state) {
    (void)state;
    covey_entity e[70];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) {
        e[i] = covey_create(world);
        assert_non_null(covey_add(world, e[i], Wide32, { i }));
        assert_non_null(covey_add(world, e[i], Wide64, { i }));
        assert_non_null(covey_add(world, e[i], FixedWide64, { i }));
        assert_non_null(covey_add(world, e[i], BlockedWide64, { i }));
        if (i % 7 == 6) covey_destroy(world, e[i - 3]);
        if (i % 20 == 19) covey_compact(world);
        if (i % 30 == 29) covey_shrink(world);
    }
    for (uint32_t i = 0; i < COUNT_OF(e); i++) {
        if (!covey_alive(world, e[i])) continue;
        assert_int_equal((uintptr_t)covey_get(world, e[i], Wide32) % 32, 0);
        assert_int_equal((uintptr_t)covey_get(world, e[i], Wide64) % 64, 0);
        assert_int_equal((uintptr_t)covey_get(world, e[i], FixedWide64) % 64, 0);
        assert_int_equal((uintptr_t)covey_get(world, e[i], BlockedWide64) % 64, 0);
        assert_int_equal(covey_get(world, e[i], Wide32)->number, i);
        assert_int_equal(covey_get(world, e[i], Wide64)->number, i);
        assert_int_equal(covey_get(world, e[i], FixedWide64)->number, i);
        assert_int_equal(covey_get(world, e[i], BlockedWide64)->number, i);
    }
}

static void test_over_aligned_components_stay_aligned_with_the_c_library(void **state) {
    (void)state;
    covey_world *plain = covey_world_create(NULL);
    for (uint32_t i = 0; i < 70; i++) {
        covey_entity e = covey_create(plain);
        assert_int_equal((uintptr_t)covey_add(plain, e, Wide32, { i }) % 32, 0);
        assert_int_equal((uintptr_t)covey_add(plain, e, Wide64, { i }) % 64, 0);
        assert_int_equal((uintptr_t)covey_add(plain, e, FixedWide64, { i }) % 64, 0);
        assert_int_equal((uintptr_t)covey_add(plain, e, BlockedWide64, { i }) % 64, 0);
    }
    covey_shrink(plain);
    covey_world_destroy(plain);
}

static void find_positions(const covey_type *type) {
    covey_entity e[5];
    for (uint32_t i = 0; i < 5; i++) e[i] = create_with(type, i);
    remove_value(e[1], type);
    const covey_pool *pool = covey_pool_find_raw(world, type);
    for (uint32_t p = covey_pool_next(pool, 0); p != COVEY_NONE; p = covey_pool_next(pool, p + 1))
        assert_int_equal(covey_pool_position(pool, covey_pool_at(pool, p)), p);
    assert_int_equal(covey_pool_position(pool, e[1]), COVEY_NONE);
    assert_int_equal(covey_pool_position(pool, covey_create(world)), COVEY_NONE);
    covey_destroy(world, e[2]);
    assert_int_equal(covey_pool_position(pool, e[2]), COVEY_NONE);
    assert_int_equal(covey_pool_position(pool, entity(0, 0)), COVEY_NONE);
    assert_int_equal(covey_pool_position(pool, entity(COVEY_NONE - 1, 1)), COVEY_NONE);
}

static void test_the_position_of_an_entity_is_where_its_component_is(void **state) {
    (void)state;
    for_each_storage(find_positions);
}

static void test_a_pool_knows_the_innermost_group_that_owns_it(void **state) {
    (void)state;
    const covey_pool *packed = covey_pool_of(world, Packed), *blocked = covey_pool_of(world, Blocked);
    assert_null(covey_pool_owner(packed));
    covey_group *outer =
        covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Packed) }, .with = { covey_id(Blocked) } });
    assert_ptr_equal(covey_pool_owner(packed), outer);
    assert_null(covey_pool_owner(blocked));
    assert_int_equal(covey_group_owned(outer), 1);
    covey_group *inner = covey_group_create(
        world, &(covey_group_desc){ .own = { covey_id(Packed), covey_id(Marked) }, .with = { covey_id(Blocked) } });
    assert_ptr_equal(covey_pool_owner(packed), inner);
    assert_int_equal(covey_group_owned(inner), 2);
    covey_group_destroy(inner);
    assert_ptr_equal(covey_pool_owner(packed), outer);
    covey_group_destroy(outer);
    assert_null(covey_pool_owner(packed));
    covey_group *free = covey_group_create(world, &(covey_group_desc){ .with = { covey_id(Packed) } });
    assert_int_equal(covey_group_owned(free), 0);
    assert_null(covey_pool_owner(packed));
}

static void test_a_pool_knows_its_storage(void **state) {
    (void)state;
    covey_pool *packed = covey_pool_of(world, Packed);
    assert_int_equal(covey_pool_storage(packed), COVEY_STORAGE_SPARSE);
    assert_int_equal(covey_pool_storage(covey_pool_of(world, Fixed)), COVEY_STORAGE_SPARSE);
    assert_int_equal(covey_pool_storage(covey_pool_of(world, Blocked)), COVEY_STORAGE_BLOCK);
    assert_int_equal(covey_pool_storage(covey_pool_of(world, Pinned)), COVEY_STORAGE_PINNED);
    assert_int_equal(covey_pool_convert(packed, COVEY_STORAGE_BLOCK), COVEY_OK);
    assert_int_equal(covey_pool_storage(packed), COVEY_STORAGE_BLOCK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_a_pool_is_made_once),
        WORLD_TEST(test_pools_are_numbered_in_the_order_of_their_types),
        WORLD_TEST(test_an_empty_pool_has_nothing),
        WORLD_TEST(test_a_held_pool_stays_valid_while_other_types_appear),
        WORLD_TEST(test_the_verbs_of_a_pool_do_what_those_of_the_world_do),
        WORLD_TEST(test_the_verbs_of_a_pool_work_with_every_policy),
        WORLD_TEST(test_an_unchecked_get_finds_what_a_checked_one_finds),
        WORLD_TEST(test_a_pool_used_with_another_type_breaks_a_contract),
        WORLD_TEST(test_a_pool_may_be_used_through_another_descriptor_of_its_name),
        WORLD_TEST(test_an_unchecked_get_of_an_absent_component_breaks_a_costly_contract),
        WORLD_TEST(test_every_component_is_met_once_by_position),
        WORLD_TEST(test_nobody_is_at_a_position_that_was_left),
        WORLD_TEST(test_value_i_belongs_to_id_i),
        WORLD_TEST(test_the_arrays_are_typed),
        WORLD_TEST(test_in_place_values_lie_in_pages),
        WORLD_TEST(test_in_place_addresses_last_from_add_to_remove),
        WORLD_TEST(test_in_place_fills_the_hole_made_last),
        WORLD_TEST(test_swap_and_pop_fills_the_hole_with_the_last),
        WORLD_TEST(test_swap_exchanges_two_positions),
        WORLD_TEST(test_compacting_an_ordered_pool_keeps_the_order),
        WORLD_TEST(test_an_ordered_pool_appends_and_leaves_its_holes_until_it_is_compacted),
        WORLD_TEST(test_a_pool_that_lost_everything_compacts_to_nothing),
        WORLD_TEST(test_compacting_in_place_drops_only_trailing_holes),
        WORLD_TEST(test_compacting_swap_only_forgets_the_dead),
        WORLD_TEST(test_reserved_adds_need_no_memory),
        WORLD_TEST(test_a_full_reserved_pool_needs_no_memory_to_add_what_it_lost),
        WORLD_TEST(test_reserving_more_than_can_exist_fails),
        WORLD_TEST(test_reserving_fails_when_memory_is_out),
        WORLD_TEST(test_every_entity_of_a_full_world_can_lose_a_component_and_get_it_back),
        WORLD_TEST(test_a_pool_counts_its_bytes_and_gives_them_back),
        WORLD_TEST(test_shrinking_a_pool_gives_back_pages_of_the_table),
        WORLD_TEST(test_a_far_index_costs_a_pool_one_page_and_its_directory),
        WORLD_TEST(test_over_aligned_components_stay_aligned),
        WORLD_TEST(test_over_aligned_components_stay_aligned_with_the_c_library),
        WORLD_TEST(test_the_position_of_an_entity_is_where_its_component_is),
        WORLD_TEST(test_a_pool_knows_its_storage),
        WORLD_TEST(test_a_pool_knows_the_innermost_group_that_owns_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
