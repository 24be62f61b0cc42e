/* The verbs of a world: what they do to a component, what they return, and that they refuse stale handles. */
#include "memory/inner.h"
#include "fixture.h"

static const covey_entity none = { 0, 0 };

/* ---- Worlds -------------------------------------------------------------------------------------------------------*/

static void test_a_world_takes_exactly_the_memory_it_says(void **state) {
    (void)state;
    assert_int_equal(covey_world_memory(world), heap.bytes);
    for (uint32_t i = 0; i < 200; i++) {
        covey_entity e = create_with(storage_types[i % COUNT_OF(storage_types)], i);
        if (i % 3 == 0) assert_true(covey_add_tag(world, e, Marked));
        assert_int_equal(covey_world_memory(world), heap.bytes);
    }
    covey_type_create(world, &(covey_type){ .name = "made", .size = 3, .align = 1 });
    covey_range_reserve(world, COVEY_NONE - 10, 5);
    covey_destroy_all(world);
    covey_compact(world);
    covey_shrink(world);
    assert_int_equal(covey_world_memory(world), heap.bytes);
}

static void test_a_world_that_cannot_be_made_is_null(void **state) {
    (void)state;
    covey_world_desc desc = world_desc();
    size_t bytes = heap.bytes;
    for (uint64_t at = 1; at <= 2; at++) {
        test_fail_at(&heap, at, true);
        assert_null(covey_world_create(&desc));
        assert_int_equal(heap.bytes, bytes);
    }
    test_fail_never(&heap);
}

static void test_a_world_with_all_defaults_uses_the_c_library(void **state) {
    (void)state;
    covey_world *plain = covey_world_create(NULL);
    covey_entity e = covey_create(plain);
    covey_add(plain, e, Packed, { 1, 2 });
    assert_null(covey_add(plain, e, Packed, { 3, 4 })); /* without a log */
    assert_int_equal(covey_world_result(plain), COVEY_ERROR_PRESENT);
    assert_true(covey_world_memory(plain) > 0);
    covey_world_destroy(plain);
    covey_world_destroy(NULL);
}

/* ---- The verbs ----------------------------------------------------------------------------------------------------*/

static void test_add_returns_where_the_value_is(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    Packed *added = covey_add(world, e, Packed, { 1, 2 });
    assert_ptr_equal(added, covey_get(world, e, Packed));
    assert_int_equal(added->number, 1);
    assert_int_equal(added->check, 2);
    Fixed value = { .number = 3 };
    assert_int_equal(covey_add_value(world, e, Fixed, &value)->number, 3);
    assert_ptr_not_equal(covey_get(world, e, Fixed), &value);
}

static void test_add_with_fields_left_out_zeroes_them(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    const Packed *added = covey_add(world, e, Packed, { .check = 7 });
    assert_int_equal(added->number, 0);
    assert_int_equal(added->check, 7);
}

static void test_add_raw_without_a_value_adds_zero_bytes(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(storage_types); i++) {
        for (uint32_t round = 0; round < 2; round++) { /* the second time over the bytes of the first */
            covey_entity e = covey_create(world);
            Value *value = covey_add_raw(world, e, storage_types[i], NULL);
            assert_int_equal(value->number | value->check, 0);
            *value = value_of(9);
            assert_non_null(covey_set_raw(world, e, storage_types[i], NULL));
            assert_int_equal(get_value(e, storage_types[i])->check, 0);
            *get_value(e, storage_types[i]) = value_of(9);
            remove_value(e, storage_types[i]);
        }
    }
}

static void add_twice(const covey_type *type) {
    covey_entity e = create_with(type, 1);
    uint64_t before = world_digest(world);
    assert_null(add_value(e, type, 2));
    assert_failed(COVEY_ERROR_PRESENT);
    assert_int_equal(world_digest(world), before);
    assert_int_equal(covey_pool_count(covey_pool_find_raw(world, type)), 1); /* REQ-11 */
    assert_value(e, type, 1);
}
static void test_add_fails_when_the_component_is_there(void **state) {
    (void)state;
    for_each_storage(add_twice);
}

static void set_both_ways(const covey_type *type) {
    covey_entity e = covey_create(world);
    Value one = value_of(1), two = value_of(2);
    assert_non_null(covey_set_raw(world, e, type, &one));
    assert_value(e, type, 1);
    const Value *where = covey_set_raw(world, e, type, &two);
    assert_ptr_equal(where, get_value(e, type));
    assert_value(e, type, 2);
    assert_int_equal(covey_pool_count(covey_pool_find_raw(world, type)), 1);
}
static void test_set_adds_or_overwrites(void **state) {
    (void)state;
    for_each_storage(set_both_ways);
    covey_entity e = covey_create(world);
    assert_int_equal(covey_set(world, e, Packed, { 1, 2 })->check, 2);
    Packed value = { 3, 4 };
    assert_int_equal(covey_set_value(world, e, Packed, &value)->check, 4);
}

static void replace_exchanges(const covey_type *type) {
    covey_entity e = create_with(type, 1), f = covey_create(world);
    Value value = value_of(2);
    assert_true(covey_replace_raw(world, e, type, &value));
    assert_int_equal(value.number, 1);
    assert_value(e, type, 2);
    assert_false(covey_replace_raw(world, f, type, &value));
    assert_failed(COVEY_ERROR_ABSENT);
    assert_int_equal(value.number, 1);
    assert_true(covey_replace_raw(world, e, type, get_value(e, type))); /* with itself */
    assert_value(e, type, 2);
}
static void test_replace_exchanges_the_values(void **state) {
    (void)state;
    for_each_storage(replace_exchanges);
    covey_entity e = covey_create(world);
    covey_add(world, e, Packed, { 1, 1 });
    Packed value = { 2, 2 };
    assert_true(covey_replace(world, e, Packed, &value));
    assert_int_equal(value.number, 1);
}

static void test_replace_exchanges_values_of_any_size(void **state) {
    (void)state;
    unsigned char given[200], wanted[200];
    const covey_type *big = covey_type_create(world, &(covey_type){ .name = "big", .size = sizeof given, .align = 1 });
    for (uint32_t i = 0; i < sizeof given; i++) {
        given[i] = (unsigned char)i;
        wanted[i] = (unsigned char)(255 - i);
    }
    covey_entity e = covey_create(world);
    covey_add_raw(world, e, big, wanted);
    assert_true(covey_replace_raw(world, e, big, given));
    assert_memory_equal(given, wanted, sizeof given);
    assert_int_equal(*(unsigned char *)covey_get_raw(world, e, big), 0);
}

static void get_or_add(const covey_type *type) {
    covey_entity e = covey_create(world);
    Value one = value_of(1), two = value_of(2);
    assert_non_null(covey_get_or_add_raw(world, e, type, &one));
    assert_value(e, type, 1);
    assert_ptr_equal(covey_get_or_add_raw(world, e, type, &two), get_value(e, type));
    assert_value(e, type, 1);
}
static void test_get_or_add_adds_only_what_is_absent(void **state) {
    (void)state;
    for_each_storage(get_or_add);
    covey_entity e = covey_create(world);
    assert_int_equal(covey_get_or_add(world, e, Packed, { 1, 2 })->number, 1);
    assert_int_equal(covey_get_or_add(world, e, Packed, { 3, 4 })->number, 1);
}

static void add_to_number(void *value, void *context) { ((Value *)value)->number += *(const uint32_t *)context; }

static void patch(const covey_type *type) {
    covey_entity e = create_with(type, 1), f = covey_create(world);
    uint32_t more = 41;
    assert_ptr_equal(covey_patch_raw(world, e, type, add_to_number, &more), get_value(e, type));
    assert_int_equal(get_value(e, type)->number, 42);
    assert_ptr_equal(covey_patch_raw(world, e, type, NULL, NULL), get_value(e, type));
    assert_int_equal(get_value(e, type)->number, 42);
    assert_null(covey_patch_raw(world, f, type, add_to_number, &more));
    assert_failed(COVEY_ERROR_ABSENT);
}
static void test_patch_calls_a_function_on_a_component_that_is_there(void **state) {
    (void)state;
    for_each_storage(patch);
    covey_entity e = covey_create(world);
    uint32_t more = 1;
    covey_add(world, e, Packed, { 1, 2 });
    assert_int_equal(covey_patch(world, e, Packed, add_to_number, &more)->number, 2);
}

static void test_get_all_returns_all_or_none(void **state) {
    (void)state;
    covey_entity e = covey_create(world), other = covey_create(world);
    covey_add(world, e, Packed, { 1, 1 });
    covey_add(world, e, Fixed, { 2, 2 });
    covey_add(world, e, Blocked, { 3, 3 });
    covey_add(world, other, Packed, { 1, 1 });
    Packed *packed = NULL;
    const Fixed *fixed = NULL;
    Blocked *blocked = NULL;
    assert_true(
        covey_get_all(world, e, covey_into(Packed, packed), covey_into(Fixed, fixed), covey_into(Blocked, blocked)));
    assert_ptr_equal(packed, covey_get(world, e, Packed));
    assert_ptr_equal(fixed, covey_get(world, e, Fixed));
    assert_ptr_equal(blocked, covey_get(world, e, Blocked));
    assert_false(covey_get_all(world, other, covey_into(Packed, packed), covey_into(Fixed, fixed)));
    assert_null(packed);
    assert_null(fixed);
    assert_true(covey_destroy(world, e));
    assert_false(covey_get_all(world, e, covey_into(Blocked, blocked)));
    assert_null(blocked);
    Kept *unknown;
    assert_false(covey_get_all(world, other, covey_into(Packed, packed), covey_into(Kept, unknown)));
    assert_true(!packed && !unknown);
    const covey_type *const no_types[] = { NULL };
    void *no_values[1];
    assert_true(covey_get_all_raw(world, other, no_types, no_values));
    assert_false(covey_get_all_raw(world, e, no_types, no_values));
}

static void test_has_all_and_has_any_ask_for_several(void **state) {
    (void)state;
    covey_entity e = covey_create(world), empty = covey_create(world);
    covey_add(world, e, Packed, { 1, 1 });
    covey_add(world, e, Fixed, { 1, 1 });
    assert_true(covey_has_all(world, e, Packed, Fixed));
    assert_false(covey_has_all(world, e, Packed, Kept));
    assert_false(covey_has_all(world, e, Kept, Packed));
    assert_true(covey_has_any(world, e, Kept, Fixed));
    assert_false(covey_has_any(world, e, Kept, Ordered, Marked));
    assert_false(covey_has_any(world, empty, Packed, Fixed));
    const covey_type *const no_types[] = { NULL };
    assert_true(covey_has_all_raw(world, empty, no_types));
    assert_false(covey_has_any_raw(world, empty, no_types));
}

static void has_what_was_added(const covey_type *type) {
    covey_entity with = create_with(type, 1), without = covey_create(world);
    assert_true(covey_has_raw(world, with, type));
    assert_false(covey_has_raw(world, without, type));
    assert_null(get_value(without, type));
    assert_false(remove_value(without, type));
    assert_int_equal(covey_pool_count(covey_pool_find_raw(world, type)), 1);
    for (uint32_t i = 2; i < 4 * COVEY_PAGE_SIZE && i < COVEY_NONE; i++)
        assert_false(covey_has_raw(world, entity(i, 1), type));
}
static void test_an_entity_has_only_what_was_added(void **state) {
    (void)state;
    for_each_storage(has_what_was_added);
}

static void remove_and_add(const covey_type *type) {
    covey_entity e[6];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) e[i] = create_with(type, i);
    for (uint32_t i = 0; i < COUNT_OF(e); i += 2) {
        assert_true(remove_value(e[i], type));
        assert_false(remove_value(e[i], type));
        assert_null(get_value(e[i], type));
    }
    assert_int_equal(covey_pool_count(covey_pool_find_raw(world, type)), 3);
    for (uint32_t i = 1; i < COUNT_OF(e); i += 2) assert_value(e[i], type, i);
    for (uint32_t i = 0; i < COUNT_OF(e); i += 2) assert_non_null(add_value(e[i], type, 10 + i));
    for (uint32_t i = 0; i < COUNT_OF(e); i++) assert_value(e[i], type, i % 2 ? i : 10 + i);
    test_world_is_valid(world);
}
static void test_a_removed_component_can_be_added_again(void **state) {
    (void)state;
    for_each_storage(remove_and_add);
}

static void test_removing_and_destroying_never_ask_for_memory(void **state) {
    (void)state;
    covey_entity e[100];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) {
        e[i] = covey_create(world);
        for (uint32_t k = 0; k < COUNT_OF(storage_types); k++) add_value(e[i], storage_types[k], i);
    }
    uint64_t calls = heap.calls;
    for (uint32_t i = 0; i < 50; i++) remove_value(e[i], storage_types[i % COUNT_OF(storage_types)]);
    for (uint32_t i = 0; i < 50; i++) covey_destroy(world, e[2 * i]);
    covey_clear(world, Kept);
    covey_clear_components(world);
    covey_destroy_all(world);
    assert_int_equal(heap.calls, calls);
}

static void test_clear_takes_one_type_from_all_entities(void **state) {
    (void)state;
    covey_entity e[5];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) {
        e[i] = covey_create(world);
        for (uint32_t k = 0; k < COUNT_OF(storage_types); k++) add_value(e[i], storage_types[k], i);
    }
    for (uint32_t k = 0; k < COUNT_OF(storage_types); k++) {
        remove_value(e[2], storage_types[k]);
        covey_clear_raw(world, storage_types[k]);
        assert_int_equal(covey_pool_count(covey_pool_find_raw(world, storage_types[k])), 0);
        assert_int_equal((covey_pool_position_count)(covey_pool_find_raw(world, storage_types[k])), 0);
        for (uint32_t i = 0; i < COUNT_OF(e); i++) {
            assert_false(covey_has_raw(world, e[i], storage_types[k]));
            if (i != 2) assert_int_equal(covey_types_of(world, e[i], NULL, 0), COUNT_OF(storage_types) - 1 - k);
        }
        test_world_is_valid(world);
    }
    assert_int_equal(covey_entity_count(world), 5);
    for (uint32_t i = 0; i < COUNT_OF(e); i++) assert_non_null(add_value(e[i], covey_id(Kept), i));
}

static void test_clear_components_leaves_the_entities(void **state) {
    (void)state;
    covey_entity e = create_with(covey_id(Packed), 1), f = create_with(covey_id(Kept), 2);
    assert_true(covey_add_tag(world, e, Marked));
    covey_clear_components(world);
    assert_true(covey_is_empty(world, e) && covey_is_empty(world, f));
    assert_int_equal(covey_entity_count(world), 2);
}

/* ---- Finding ------------------------------------------------------------------------------------------------------*/

static bool same_parity(const void *component, const void *value) {
    return ((const Value *)component)->number % 2 == ((const Value *)value)->number % 2;
}

static void find(const covey_type *type) {
    covey_entity e[6];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) e[i] = create_with(type, i / 2); /* 0 0 1 1 2 2 */
    Value one = value_of(1), two = value_of(2), nine = value_of(9);
    assert_same(covey_find_raw(world, type, &one, NULL), e[2]);
    assert_same(covey_find_raw(world, type, &one, same_parity), e[2]);
    assert_same(covey_find_raw(world, type, &two, same_parity), e[0]);
    assert_no_entity(covey_find_raw(world, type, &nine, NULL));
    /* In front of what is looked for there are holes now, and behind the live ones what was removed. */
    remove_value(e[2], type);
    remove_value(e[0], type);
    remove_value(e[5], type);
    assert_same(covey_find_raw(world, type, &one, NULL), e[3]);
    assert_same(covey_find_raw(world, type, &two, NULL), e[4]);
    remove_value(e[3], type);
    /* The bytes may be there still, the component is not. */
    assert_no_entity(covey_find_raw(world, type, &one, NULL));
    covey_clear_raw(world, type);
    assert_no_entity(covey_find_raw(world, type, &two, NULL));
}
static void test_find_gives_the_first_entity_with_this_value(void **state) {
    (void)state;
    for_each_storage(find);
    covey_entity e = covey_create(world);
    Packed value = { 1, 2 };
    covey_add_value(world, e, Packed, &value);
    assert_same(covey_find(world, Packed, &value, NULL), e);
}

static void test_find_gives_the_first_entity_with_a_tag(void **state) {
    (void)state;
    assert_no_entity(covey_find_raw(world, covey_id(Marked), NULL, NULL));
    covey_create(world);
    covey_entity e = covey_create(world), f = covey_create(world);
    assert_true(covey_add_tag(world, f, Marked));
    assert_true(covey_add_tag(world, e, Marked));
    assert_same(covey_find_raw(world, covey_id(Marked), NULL, NULL), f);
    covey_remove(world, f, Marked);
    assert_same(covey_find_raw(world, covey_id(Marked), NULL, NULL), e);
}

static void test_first_gives_the_first_entity_that_has_the_component(void **state) {
    (void)state;
    assert_no_entity(covey_first(world, Packed));
    assert_no_entity(covey_first(world, Marked));
    covey_entity e = covey_create(world), f = covey_create(world);
    covey_add(world, f, Packed, { 7, 7 });
    covey_add(world, e, Packed, { 0, 0 });
    assert_true(covey_add_tag(world, e, Marked));
    assert_same(covey_first(world, Packed), f);
    assert_same(covey_first(world, Marked), e);
}

static void test_set_tag_is_content_with_a_tag_that_is_there(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    assert_true(covey_set_tag(world, e, Marked));
    assert_true(covey_set_tag(world, e, Marked));
    assert_false(covey_add_tag(world, e, Marked));
    assert_true(covey_has(world, e, Marked));
    covey_destroy(world, e);
    assert_false(covey_set_tag(world, e, Marked));
}

static void test_an_empty_entity_is_alive_and_has_no_component(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    assert_true(covey_is_empty(world, e));
    assert_true(covey_add_tag(world, e, Marked));
    assert_false(covey_is_empty(world, e));
    covey_remove(world, e, Marked);
    assert_true(covey_is_empty(world, e));
    covey_destroy(world, e);
    assert_false(covey_is_empty(world, e));
    assert_false(covey_is_empty(world, none));
}

static void test_types_of_an_entity_come_in_the_order_the_world_met_them(void **state) {
    (void)state;
    covey_pool_of(world, Ordered);
    covey_entity e = covey_create(world);
    covey_add(world, e, Fixed, { 1, 1 });
    assert_true(covey_add_tag(world, e, Marked));
    covey_add(world, e, Ordered, { 1, 1 });
    const covey_type *types[4] = { NULL };
    assert_int_equal(covey_types_of(world, e, NULL, 0), 3);
    assert_int_equal(covey_types_of(world, e, types, 2), 3);
    assert_null(types[2]);
    assert_int_equal(covey_types_of(world, e, types, 4), 3);
    assert_ptr_equal(types[0], covey_id(Ordered));
    assert_ptr_equal(types[1], covey_id(Fixed));
    assert_ptr_equal(types[2], covey_id(Marked));
    assert_null(types[3]);
}

/* ---- Values that lie in the pool ----------------------------------------------------------------------------------*/

static void add_from_the_pool(const covey_type *type) {
    covey_entity first = create_with(type, 77);
    for (uint32_t i = 0; i < 200; i++) { /* the pool grows more than once on the way */
        covey_entity e = covey_create(world);
        assert_non_null(covey_add_raw(world, e, type, get_value(first, type)));
        assert_value(e, type, 77);
        e = covey_create(world);
        assert_non_null(covey_set_raw(world, e, type, get_value(first, type)));
        assert_value(e, type, 77);
        e = covey_create(world);
        assert_non_null(covey_get_or_add_raw(world, e, type, get_value(first, type)));
        assert_value(e, type, 77);
    }
    assert_value(first, type, 77);
}
static void test_a_value_may_lie_in_the_pool_that_grows_for_it(void **state) {
    (void)state;
    for_each_storage(add_from_the_pool);
}

static void set_from_the_pool(const covey_type *type) {
    covey_entity e = create_with(type, 1), f = create_with(type, 2);
    assert_ptr_equal(covey_set_raw(world, e, type, get_value(e, type)), get_value(e, type));
    assert_value(e, type, 1);
    covey_set_raw(world, e, type, get_value(f, type));
    assert_value(e, type, 2);
    assert_value(f, type, 2);
}
static void test_a_component_is_set_from_itself_or_its_neighbour(void **state) {
    (void)state;
    for_each_storage(set_from_the_pool);
}

/* ---- Handles of no entity -----------------------------------------------------------------------------------------*/

static void assert_dead(void) {
    assert_failed(COVEY_ERROR_DEAD);
    world->inner->result = heard.result = COVEY_OK;
}

static void fail_change(void *value, void *context) {
    (void)value, (void)context;
    fail_msg("patched a component of nobody");
}

/* Every function of sections 6 to 9 that takes a handle. */
static void assert_refused_everywhere(covey_entity e, const covey_type *type) {
    covey_pool *pool = covey_pool_of_raw(world, type);
    uint64_t before = world_digest(world);
    Value value = value_of(66);
    const covey_type *found[1] = { NULL };
    covey_entity alive = covey_entity_next(world, none), list[] = { alive, e };
    if (covey_has_raw(world, alive, type)) list[0] = e;

    assert_false(covey_alive(world, e));
    assert_false(covey_has_raw(world, e, type));
    assert_false(covey_has_all_raw(world, e, (const covey_type *[]){ type, NULL }));
    assert_false(covey_has_all_raw(world, e, (const covey_type *[]){ type, covey_id(Marked), NULL }));
    assert_false(covey_has_all_raw(world, e, (const covey_type *const[]){ NULL }));
    assert_false(covey_has_any_raw(world, e, (const covey_type *[]){ type, covey_id(Marked), NULL }));
    assert_false(covey_is_empty(world, e));
    assert_int_equal(covey_types_of(world, e, found, 1), 0);
    assert_null(get_value(e, type));
    assert_false(remove_value(e, type));
    assert_false(covey_destroy(world, e));
    assert_int_equal(covey_destroy_many(world, &e, 1), 0);
    assert_null(covey_add_raw(world, e, type, &value));
    assert_dead();
    assert_null(covey_set_raw(world, e, type, &value));
    assert_dead();
    assert_null(covey_get_or_add_raw(world, e, type, &value));
    assert_dead();
    assert_false(covey_replace_raw(world, e, type, &value));
    assert_dead();
    assert_null(covey_patch_raw(world, e, type, fail_change, NULL));
    assert_dead();
    assert_false(covey_add_array_raw(world, list, 2, type, (Value[]){ value, value }));
    assert_dead();
    assert_false(covey_add_copies_raw(world, list, 2, type, &value));
    assert_dead();

    assert_false(covey_pool_has(pool, e));
    assert_null(covey_pool_get_raw(pool, e));
    assert_false(covey_pool_remove_raw(pool, e));
    assert_null(covey_pool_add_raw(pool, e, &value));
    assert_dead();
    assert_null(covey_pool_set_raw(pool, e, &value));
    assert_dead();
    assert_int_not_equal(covey_pool_swap(pool, e, e), COVEY_OK);

    assert_int_equal(value.number, 66);
    assert_int_equal(world_digest(world), before);
}

static void refuse_handles_of_nobody(const covey_type *type) {
    covey_entity free_index = create_with(type, 1), reused = create_with(type, 2), living = create_with(type, 3);
    assert_true(covey_add_tag(world, living, Marked));
    covey_destroy(world, reused);
    covey_entity next = create_with(type, 4); /* has the component that the stale handle had */
    assert_int_equal(next.index, reused.index);
    covey_destroy(world, free_index);
    const covey_entity nobody[] = {
        none,
        entity(living.index, 0),
        free_index,
        entity(free_index.index, free_index.generation + 1),
        entity(free_index.index, free_index.generation + 2),
        reused,
        entity(reused.index, reused.generation + 1),
        entity(next.index, next.generation + 1),
        entity(next.index, UINT32_MAX),
        entity(living.index + 1, 1),
        entity(COVEY_PAGE_SIZE, 1),
        entity(COVEY_NONE - 1, 1),
        entity(COVEY_NONE, 1),
        entity(UINT32_MAX, 1),
        entity(UINT32_MAX, UINT32_MAX),
    };
    for (uint32_t i = 0; i < COUNT_OF(nobody); i++) assert_refused_everywhere(nobody[i], type);
    assert_value(next, type, 4); /* REQ-31; no stale remove made a live value unreachable */
    assert_value(living, type, 3);
}
static void test_handles_of_nobody_are_refused_everywhere(void **state) {
    (void)state;
    for_each_storage(refuse_handles_of_nobody);
}

static void refuse_in_an_empty_world(const covey_type *type) {
    covey_create(world);
    covey_entity e = covey_create(world);
    covey_destroy(world, e);
    assert_null(add_value(e, type, 1));
    assert_dead();
    assert_int_equal(covey_world_pool_count(world), 0); /* not even the pool was made */
    assert_non_null(strstr(heard.text, type->name));
}
static void test_adding_to_nobody_makes_no_pool(void **state) {
    (void)state;
    for_each_storage(refuse_in_an_empty_world);
}

static void follow_an_index(const covey_type *type) {
    covey_entity old[8];
    uint32_t count = 0;
    for (uint32_t round = 0; round < COUNT_OF(old); round++) {
        covey_entity e = create_with(type, round);
        for (uint32_t i = 0; i < count; i++) {
            assert_null(get_value(old[i], type));
            assert_false(remove_value(old[i], type));
        }
        assert_value(e, type, round);
        if (round % 2) remove_value(e, type); /* swap only keeps it behind the live ones */
        covey_destroy(world, e);
        assert_null(get_value(e, type));
        old[count++] = e;
    }
}
static void test_an_index_that_is_used_again_starts_without_components(void **state) {
    (void)state;
    for_each_storage(follow_an_index);
}

/* ---- What failed, and why -----------------------------------------------------------------------------------------*/

static bool copy_refuses(void *to, const void *from, void *context) {
    (void)to, (void)from, (void)context;
    return false;
}
typedef Value Uncopied;
COVEY_COMPONENT_DEFINE(Uncopied, .copy = copy_refuses);

static void expect_result(covey_result reason, const char *named) {
    assert_failed(reason);
    if (!strstr(heard.text, named)) fail_msg("'%s' does not name '%s'", heard.text, named);
}

static void test_the_world_tells_why_a_call_failed_and_the_log_hears_it(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    assert_int_equal(covey_world_result(world), COVEY_OK);
    assert_int_equal(heard.times, 0);
    test_fail_at(&heap, 1, true);
    assert_null(covey_add(world, e, Packed, { 1, 1 }));
    expect_result(COVEY_ERROR_MEMORY, "Packed");
    test_fail_never(&heap);
    covey_add(world, e, Packed, { 1, 1 });
    assert_null(covey_add(world, none, Packed, { 1, 1 }));
    expect_result(COVEY_ERROR_DEAD, "Packed");
    assert_null(covey_add(world, e, Packed, { 1, 1 }));
    expect_result(COVEY_ERROR_PRESENT, "Packed");
    assert_null(covey_patch(world, e, Fixed, NULL, NULL));
    expect_result(COVEY_ERROR_ABSENT, "Fixed");
    assert_no_entity(covey_create_at(world, e.index));
    expect_result(COVEY_ERROR_TAKEN, "index 0");
    assert_no_entity(covey_create_at(world, COVEY_NONE));
    expect_result(COVEY_ERROR_RANGE, "too large");
    assert_null(covey_type_create(world, &(covey_type){ .name = "Odd", .size = 3, .align = 2 }));
    expect_result(COVEY_ERROR_TYPE, "Odd");
    assert_null(covey_type_create(world, &(covey_type){ .name = "Packed", .size = 1, .align = 1 }));
    expect_result(COVEY_ERROR_LAYOUT, "Packed");
    Uncopied value = { 1, 1 };
    assert_false(covey_add_copies(world, &e, 1, Uncopied, &value));
    expect_result(COVEY_ERROR_COPY, "Uncopied");
    assert_int_equal(covey_pool_swap(covey_pool_of(world, Fixed), e, e), COVEY_ERROR_REFUSED);
    expect_result(COVEY_ERROR_REFUSED, "Fixed");
    covey_range_reserve(world, 1, COVEY_NONE - 1);
    assert_no_entity(covey_create(world));
    expect_result(COVEY_ERROR_FULL, "no entity");
    assert_int_equal(heard.times, 11);
}

static void test_a_success_leaves_the_reason_of_the_last_failure(void **state) {
    (void)state;
    assert_null(covey_add(world, none, Packed, { 1, 1 }));
    covey_entity e = covey_create(world);
    covey_add(world, e, Packed, { 1, 1 });
    covey_destroy(world, e);
    assert_int_equal(covey_world_result(world), COVEY_ERROR_DEAD);
    assert_int_equal(heard.times, 1);
}

static void test_a_question_that_finds_nothing_is_no_failure(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    covey_pool_of(world, Packed);
    assert_null(covey_get(world, e, Packed));
    assert_null(covey_get(world, none, Packed));
    assert_false(covey_has(world, none, Packed));
    assert_false(covey_remove(world, e, Packed));
    assert_false(covey_remove(world, none, Packed));
    assert_false(covey_destroy(world, none));
    assert_null(covey_pool_find_raw(world, covey_id(Fixed)));
    assert_int_equal(covey_world_result(world), COVEY_OK);
    assert_int_equal(heard.times, 0);
}

/* As in a program whose files disagree about a struct. */
static void test_a_value_of_another_size_breaks_a_contract(void **state) {
    (void)state;
    if (COVEY_ASSERT_LEVEL < 1) skip();
    covey_entity e = create_with(covey_id(Packed), 1), f = covey_create(world);
    char byte = 0;
    expect_assert_failure(covey__get_sized(world, e, covey_id(Packed), sizeof byte));
    expect_assert_failure(covey__add(world, f, covey_id(Packed), &byte, sizeof byte, false));
    expect_assert_failure(covey__set(world, e, covey_id(Packed), &byte, sizeof byte, false));
    expect_assert_failure(covey__remove_sized(world, e, covey_id(Packed), sizeof byte));
    assert_value(e, covey_id(Packed), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_a_world_takes_exactly_the_memory_it_says),
        WORLD_TEST(test_a_world_that_cannot_be_made_is_null),
        WORLD_TEST(test_a_world_with_all_defaults_uses_the_c_library),
        WORLD_TEST(test_add_returns_where_the_value_is),
        WORLD_TEST(test_add_with_fields_left_out_zeroes_them),
        WORLD_TEST(test_add_raw_without_a_value_adds_zero_bytes),
        WORLD_TEST(test_add_fails_when_the_component_is_there),
        WORLD_TEST(test_set_adds_or_overwrites),
        WORLD_TEST(test_replace_exchanges_the_values),
        WORLD_TEST(test_replace_exchanges_values_of_any_size),
        WORLD_TEST(test_get_or_add_adds_only_what_is_absent),
        WORLD_TEST(test_patch_calls_a_function_on_a_component_that_is_there),
        WORLD_TEST(test_get_all_returns_all_or_none),
        WORLD_TEST(test_has_all_and_has_any_ask_for_several),
        WORLD_TEST(test_an_entity_has_only_what_was_added),
        WORLD_TEST(test_a_removed_component_can_be_added_again),
        WORLD_TEST(test_removing_and_destroying_never_ask_for_memory),
        WORLD_TEST(test_clear_takes_one_type_from_all_entities),
        WORLD_TEST(test_clear_components_leaves_the_entities),
        WORLD_TEST(test_find_gives_the_first_entity_with_this_value),
        WORLD_TEST(test_find_gives_the_first_entity_with_a_tag),
        WORLD_TEST(test_first_gives_the_first_entity_that_has_the_component),
        WORLD_TEST(test_set_tag_is_content_with_a_tag_that_is_there),
        WORLD_TEST(test_an_empty_entity_is_alive_and_has_no_component),
        WORLD_TEST(test_types_of_an_entity_come_in_the_order_the_world_met_them),
        WORLD_TEST(test_a_value_may_lie_in_the_pool_that_grows_for_it),
        WORLD_TEST(test_a_component_is_set_from_itself_or_its_neighbour),
        WORLD_TEST(test_handles_of_nobody_are_refused_everywhere),
        WORLD_TEST(test_adding_to_nobody_makes_no_pool),
        WORLD_TEST(test_an_index_that_is_used_again_starts_without_components),
        WORLD_TEST(test_the_world_tells_why_a_call_failed_and_the_log_hears_it),
        WORLD_TEST(test_a_success_leaves_the_reason_of_the_last_failure),
        WORLD_TEST(test_a_question_that_finds_nothing_is_no_failure),
        WORLD_TEST(test_a_value_of_another_size_breaks_a_contract),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
