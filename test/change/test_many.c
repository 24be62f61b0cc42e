/* Many entities at once: the same as one by one, or nothing at all. */
#include "memory/inner.h"
#include "fixture.h"

#include <covey/group.h>
#include <covey/sort.h>
#include <stdio.h>

typedef Value Extra;
COVEY_COMPONENT_DEFINE(Extra);

enum { MANY = 9 };

static void values_of(Value *values, uint32_t count, uint32_t first) {
    for (uint32_t i = 0; i < count; i++) values[i] = value_of(first + i);
}

/* ---- An array of values -------------------------------------------------------------------------------------------*/

static void add_array(const covey_type *type) {
    covey_entity e[MANY];
    Value values[MANY];
    create_with(type, 50); /* not into an empty pool only */
    assert_true(covey_create_many(world, e, MANY));
    values_of(values, MANY, 0);
    assert_true(covey_add_array_raw(world, e, MANY, type, values));
    for (uint32_t i = 0; i < MANY; i++) assert_value(e[i], type, i);
    covey_pool *pool = covey_pool_find_raw(world, type);
    assert_int_equal(covey_pool_count(pool), MANY + 1);
    for (uint32_t i = 0; i < MANY; i++) assert_same(covey_pool_at(pool, i + 1), e[i]); /* e[i] has index i + 1 */
}
static void test_an_array_of_values_goes_to_as_many_entities(void **state) {
    (void)state;
    for_each_storage(add_array);
    covey_entity e[2] = { covey_create(world), covey_create(world) };
    Packed values[2] = { { 1, 1 }, { 2, 2 } };
    assert_true(covey_add_array(world, e, 2, Packed, values));
    assert_int_equal(covey_get(world, e[1], Packed)->number, 2);
}

static void add_array_over_removed(const covey_type *type) {
    covey_entity e[MANY];
    Value values[MANY];
    for (uint32_t i = 0; i < MANY; i++) e[i] = create_with(type, 90 + i);
    for (uint32_t i = 0; i < MANY; i += 2) remove_value(e[i], type);
    covey_entity some[] = { e[4], e[0], covey_create(world), e[8] };
    values_of(values, COUNT_OF(some), 0);
    assert_true(covey_add_array_raw(world, some, COUNT_OF(some), type, values));
    for (uint32_t i = 0; i < COUNT_OF(some); i++) assert_value(some[i], type, i);
    for (uint32_t i = 1; i < MANY; i += 2) assert_value(e[i], type, 90 + i);
    assert_false(covey_has_raw(world, e[2], type));
    assert_false(covey_has_raw(world, e[6], type));
    test_world_is_valid(world);
}
static void test_an_array_goes_to_entities_that_lost_the_component(void **state) {
    (void)state;
    for_each_storage(add_array_over_removed);
}

static void test_in_place_an_array_is_appended_behind_the_holes(void **state) {
    (void)state;
    covey_entity e = create_with(covey_id(Fixed), 1), f = create_with(covey_id(Fixed), 2), g = covey_create(world);
    const Fixed *hole = covey_get(world, e, Fixed);
    covey_remove(world, e, Fixed);
    Fixed value = value_of(3);
    assert_true(covey_add_array(world, &g, 1, Fixed, &value));
    assert_int_equal((covey_pool_position_count)(covey_pool_of(world, Fixed)), 3);
    assert_ptr_equal(add_value(e, covey_id(Fixed), 4), hole); /* which a single add then fills */
    assert_value(f, covey_id(Fixed), 2);
}

static void test_an_array_of_nothing_is_zero_bytes(void **state) {
    (void)state;
    covey_entity e[2] = { covey_create(world), covey_create(world) };
    assert_true(covey_add_array_raw(world, e, 2, covey_id(Kept), NULL));
    assert_int_equal(covey_get(world, e[1], Kept)->check, 0);
    assert_true(covey_add_array_raw(world, e, 2, covey_id(Marked), NULL));
    assert_true(covey_has(world, e[0], Marked) && covey_has(world, e[1], Marked));
}

static void test_no_entities_are_a_success(void **state) {
    (void)state;
    assert_true(covey_add_array_raw(world, NULL, 0, covey_id(Packed), NULL));
    assert_true(covey_add_copies_raw(world, NULL, 0, covey_id(Packed), NULL));
    assert_int_equal(covey_entity_count(world), 0);
}

/* ---- All or nothing -----------------------------------------------------------------------------------------------*/

static void assert_nothing_added(const covey_entity *entities, uint32_t count, const covey_type *type,
                                 covey_result why) {
    Value values[2 * MANY];
    values_of(values, count, 0);
    uint64_t before = world_digest(world);
    assert_false(covey_add_array_raw(world, entities, count, type, values));
    assert_failed(why);
    assert_int_equal(world_digest(world), before);
    test_world_is_valid(world);
    world->inner->result = heard.result = COVEY_OK;
    assert_false(covey_add_copies_raw(world, entities, count, type, values));
    assert_failed(why);
    assert_int_equal(world_digest(world), before);
    test_world_is_valid(world);
}

/* Some of the entities never had the component, some lost it: swap only keeps those behind the live ones. */
static void mixed_entities(covey_entity *e, const covey_type *type) {
    for (uint32_t i = 0; i < MANY; i++) e[i] = i % 2 ? covey_create(world) : create_with(type, 70 + i);
    for (uint32_t i = 0; i < MANY; i += 2) remove_value(e[i], type);
    create_with(type, 80);
}

static void one_is_dead(const covey_type *type) {
    covey_entity e[MANY];
    mixed_entities(e, type);
    for (uint32_t at = 0; at < MANY; at += 4) { /* the first, one in the middle, the last */
        covey_entity list[MANY];
        memcpy(list, e, sizeof list);
        list[at] = entity(e[at].index, e[at].generation + 1);
        assert_nothing_added(list, MANY, type, COVEY_ERROR_DEAD);
        list[at] = entity(0, 0);
        assert_nothing_added(list, MANY, type, COVEY_ERROR_DEAD);
    }
}
static void test_nothing_is_added_when_one_is_dead(void **state) {
    (void)state;
    for_each_storage(one_is_dead);
}

static void one_has_it(const covey_type *type) {
    covey_entity e[MANY];
    mixed_entities(e, type);
    for (uint32_t at = 0; at < MANY; at += 4) {
        assert_non_null(add_value(e[at], type, 99));
        assert_nothing_added(e, MANY, type, COVEY_ERROR_PRESENT);
        assert_value(e[at], type, 99);
        remove_value(e[at], type);
    }
    Value values[MANY];
    values_of(values, MANY, 0);
    assert_true(covey_add_array_raw(world, e, MANY, type, values));
}
static void test_nothing_is_added_when_one_has_it(void **state) {
    (void)state;
    for_each_storage(one_has_it);
}

static void one_comes_twice(const covey_type *type) {
    covey_entity e[MANY], list[MANY + 1];
    mixed_entities(e, type);
    for (uint32_t at = 0; at < MANY; at++) {
        memcpy(list, e, sizeof e);
        list[MANY] = e[at];
        assert_nothing_added(list, MANY + 1, type, COVEY_ERROR_PRESENT);
    }
    for (uint32_t i = 0; i < MANY; i++) assert_non_null(add_value(e[i], type, i));
}
static void test_nothing_is_added_when_one_comes_twice(void **state) {
    (void)state;
    for_each_storage(one_comes_twice);
}

static void memory_is_out(const covey_type *type) {
    covey_entity e[MANY];
    mixed_entities(e, type);
    if (type->storage == COVEY_STORAGE_PINNED) covey_clear(world, Pinned); /* or there is room for 64 */
    covey_shrink(world);
    uint64_t at = 1;
    for (;; at++) {
        Value values[MANY];
        values_of(values, MANY, 0);
        uint64_t before = world_digest(world);
        test_fail_at(&heap, at, true);
        bool done = covey_add_array_raw(world, e, MANY, type, values);
        test_fail_never(&heap);
        if (done) break;
        assert_failed(COVEY_ERROR_MEMORY);
        assert_int_equal(world_digest(world), before);
        test_world_is_valid(world);
        covey_shrink(world);
    }
    assert_true(at > 1);
    for (uint32_t i = 0; i < MANY; i++) assert_value(e[i], type, i);
}
static void test_nothing_is_added_when_memory_is_out(void **state) {
    (void)state;
    for_each_storage(memory_is_out);
}

/* ---- Copies of one value ------------------------------------------------------------------------------------------*/

static void add_copies(const covey_type *type) {
    covey_entity e[MANY];
    mixed_entities(e, type);
    Value value = value_of(7);
    assert_true(covey_add_copies_raw(world, e, MANY, type, &value));
    for (uint32_t i = 0; i < MANY; i++) assert_value(e[i], type, 7);
    test_world_is_valid(world);
}
static void test_each_entity_gets_a_copy_of_the_value(void **state) {
    (void)state;
    for_each_storage(add_copies);
    covey_entity e = covey_create(world);
    Packed value = { 1, 2 };
    assert_true(covey_add_copies(world, &e, 1, Packed, &value));
    assert_int_equal(covey_get(world, e, Packed)->check, 2);
}

/* A value that owns something: copies are numbered, and one of them may be refused. */
typedef struct ledger {
    uint32_t copies, refused_copy, drops;
    bool dropped[64];
} ledger;
static ledger book;

static bool book_copy(void *to, const void *from, void *context) {
    assert_ptr_equal(context, &book);
    assert_int_equal(((const Value *)from)->number, 1000);
    if (++book.copies == book.refused_copy) return false;
    *(Value *)to = value_of(book.copies);
    return true;
}

static void book_drop(void *value, void *context) {
    assert_ptr_equal(context, &book);
    uint32_t number = ((const Value *)value)->number;
    if (number >= COUNT_OF(book.dropped)) return; /* no copy */
    assert_true(number <= book.copies && !book.dropped[number]);
    book.dropped[number] = true;
    book.drops++;
}

#define BOOKED(hook, ...)                                                                                       \
    {                                                                                                           \
        .name = "Booked", .size = sizeof(Value), .align = _Alignof(Value), .drop = book_drop, .context = &book, \
        .copy = hook, __VA_ARGS__                                                                               \
    }
static const covey_type booked_types[] = {
    BOOKED(book_copy, .storage = COVEY_STORAGE_SPARSE), BOOKED(book_copy, .policy = COVEY_IN_PLACE),
    BOOKED(book_copy, .policy = COVEY_SWAP_ONLY),       BOOKED(book_copy, .policy = COVEY_ORDERED),
    BOOKED(book_copy, .storage = COVEY_STORAGE_BLOCK),  BOOKED(book_copy, .storage = COVEY_STORAGE_PINNED),
};

static void start_over(void **state) {
    world_teardown(state);
    assert_int_equal(world_setup(state), 0);
    book = (ledger){ 0 };
}

static void test_copies_are_made_by_the_hook_and_the_caller_keeps_the_value(void **state) {
    for (uint32_t k = 0; k < COUNT_OF(booked_types); k++) {
        start_over(state);
        const covey_type *type = &booked_types[k];
        covey_entity e[MANY];
        assert_true(covey_create_many(world, e, MANY));
        Value original = value_of(1000);
        assert_true(covey_add_copies_raw(world, e, MANY, type, &original));
        assert_int_equal(book.copies, MANY);
        assert_int_equal(book.drops, 0);
        for (uint32_t i = 0; i < MANY; i++) assert_value(e[i], type, i + 1);
        covey_clear_raw(world, type);
        assert_int_equal(book.drops, MANY);
    }
}

static void test_when_a_copy_is_refused_those_made_are_dropped_once_and_nothing_is_added(void **state) {
    for (uint32_t k = 0; k < COUNT_OF(booked_types); k++) {
        for (uint32_t refused = 1; refused <= MANY; refused++) {
            start_over(state);
            const covey_type *type = &booked_types[k];
            covey_entity e[MANY];
            mixed_entities(e, type);
            book = (ledger){ .refused_copy = refused };
            Value original = value_of(1000);
            uint64_t before = world_digest(world);
            assert_false(covey_add_copies_raw(world, e, MANY, type, &original));
            assert_failed(COVEY_ERROR_COPY);
            assert_int_equal(book.copies, refused);
            assert_int_equal(book.drops, refused - 1);
            assert_int_equal(world_digest(world), before);
            test_world_is_valid(world);
            book = (ledger){ 0 };
            assert_true(covey_add_copies_raw(world, e, MANY, type, &original));
            for (uint32_t i = 0; i < MANY; i++) assert_value(e[i], type, i + 1);
            covey_clear_raw(world, type);
            book = (ledger){ 0 };
        }
    }
}

static void test_copies_for_a_list_that_is_wrong_are_dropped_once(void **state) {
    for (uint32_t k = 0; k < COUNT_OF(booked_types); k++) {
        const covey_type *type = &booked_types[k];
        covey_entity e[MANY];
        Value original = value_of(1000);
        for (uint32_t at = 1; at < MANY; at++) {
            start_over(state);
            mixed_entities(e, type);
            covey_entity right = e[at];
            book = (ledger){ 0 };
            uint64_t before = world_digest(world);
            e[at] = e[0];
            assert_false(covey_add_copies_raw(world, e, MANY, type, &original));
            assert_failed(COVEY_ERROR_PRESENT);
            e[at] = entity(right.index, right.generation + 1);
            assert_false(covey_add_copies_raw(world, e, MANY, type, &original));
            assert_failed(COVEY_ERROR_DEAD);
            assert_int_equal(book.drops, book.copies);
            assert_int_equal(world_digest(world), before);
            test_world_is_valid(world);
        }
    }
}

static void test_a_type_with_drop_and_no_copy_is_not_copied(void **state) {
    static const covey_type owned[] = { BOOKED(NULL, .storage = COVEY_STORAGE_SPARSE),
                                        BOOKED(NULL, .storage = COVEY_STORAGE_BLOCK),
                                        BOOKED(NULL, .storage = COVEY_STORAGE_PINNED) };
    for (uint32_t k = 0; k < COUNT_OF(owned); k++) {
        start_over(state);
        covey_entity e[2] = { covey_create(world), covey_create(world) };
        Value values[2] = { value_of(1000), value_of(1000) };
        covey_pool_of_raw(world, &owned[k]);
        uint64_t before = world_digest(world);
        assert_false(covey_add_copies_raw(world, e, 2, &owned[k], &values[0]));
        assert_failed(COVEY_ERROR_COPY);
        assert_int_equal(world_digest(world), before);
        assert_int_equal(book.drops, 0);
        assert_true(covey_add_array_raw(world, e, 2, &owned[k], values)); /* moving is fine */
    }
}

static void test_an_array_moves_without_the_copy_hook(void **state) {
    for (uint32_t k = 0; k < COUNT_OF(booked_types); k++) {
        start_over(state);
        covey_entity e[2] = { covey_create(world), covey_create(world) };
        Value values[2] = { value_of(1000), value_of(1000) };
        assert_true(covey_add_array_raw(world, e, 2, &booked_types[k], values));
        assert_int_equal(book.copies, 0);
    }
}

/* ---- Values that lie in the pool ----------------------------------------------------------------------------------*/

static void from_the_pool(const covey_type *type) {
    covey_entity e[MANY], f[MANY], g[MANY];
    for (uint32_t i = 0; i < MANY; i++) e[i] = create_with(type, i);
    assert_true(covey_create_many(world, f, MANY) && covey_create_many(world, g, MANY));
    covey_shrink(world); /* so that the pool must grow */
    assert_true(covey_add_copies_raw(world, g, MANY, type, get_value(e[3], type)));
    covey_shrink(world);
    uint32_t count = type->policy == COVEY_IN_PLACE && COVEY_PAGE_SIZE < MANY ? COVEY_PAGE_SIZE : MANY;
    if (type->storage >= COVEY_STORAGE_BLOCK) count = 1; /* there are no arrays in blocks */
    assert_true(covey_add_array_raw(world, f, count, type, get_value(e[0], type)));
    for (uint32_t i = 0; i < MANY; i++) {
        assert_value(e[i], type, i);
        assert_value(g[i], type, 3);
        if (i < count) assert_value(f[i], type, i);
    }
}
static void test_the_values_may_lie_in_the_pool_that_grows_for_them(void **state) {
    (void)state;
    for_each_storage(from_the_pool);
}

/* All of them have their places before the group learns of the first. */
static void array_with_group(const covey_type *type) {
    covey_entity e[5 * MANY];
    Value values[5 * MANY];
    values_of(values, COUNT_OF(e), 0);
    assert_true(covey_create_many(world, e, COUNT_OF(e)));
    for (uint32_t i = 0; i < COUNT_OF(e); i++) assert_true(covey_add_tag(world, e[i], Marked));
    covey_group *group = covey_group_create(world, &(covey_group_desc){ .with = { type, covey_id(Marked) } });
    assert_non_null(group);
    assert_true(covey_add_array_raw(world, e, COUNT_OF(e), type, values));
    assert_int_equal(covey_group_count(group), COUNT_OF(e));
    test_world_is_valid(world);
}
static void test_a_group_has_room_for_all_that_are_added_at_once(void **state) {
    (void)state;
    for_each_storage(array_with_group);
}

/* ---- Whole blocks, in any order -----------------------------------------------------------------------------------*/

enum { CROWD = 300 };
static covey_entity crowd[CROWD];

/* As many as the smallest configuration has indices for. */
static uint32_t crowd_count(void) { return COVEY_NONE < 2 * CROWD ? COVEY_NONE / 4 : CROWD; }

/* By index; backwards; each 7th, round and round. */
static uint32_t numbered(uint32_t order, uint32_t i, uint32_t count) {
    return order == 0 ? i : order == 1 ? count - 1 - i : i * 7 % count;
}

static void add_in_order(const covey_type *type, uint32_t order, bool some_are_there) {
    uint32_t count = crowd_count() - (crowd_count() % 7 == 0), added = 0;
    covey_entity all[CROWD];
    Value values[CROWD];
    assert_true(covey_create_many(world, all, count));
    for (uint32_t i = 0; i < count && some_are_there; i += 5) add_value(all[i], type, 1000 + i);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = numbered(order, i, count);
        if (some_are_there && number % 5 == 0) continue;
        crowd[added] = all[number];
        values[added++] = value_of(number);
    }
    assert_true(covey_add_array_raw(world, crowd, added, type, values));
    for (uint32_t i = 0; i < count; i++) assert_value(all[i], type, some_are_there && i % 5 == 0 ? 1000 + i : i);
    test_world_is_valid(world);
    uint64_t before = world_digest(world);
    assert_false(covey_add_copies_raw(world, crowd, added, type, values));
    assert_failed(COVEY_ERROR_PRESENT);
    assert_int_equal(world_digest(world), before);
    assert_int_equal(covey_destroy_many(world, crowd, added), added);
    assert_int_equal(covey_destroy_many(world, crowd, added), 0);
    test_world_is_valid(world);
    covey_destroy_all(world);
    assert_int_equal(covey_entity_count(world), 0);
}

static void add_by_index(const covey_type *type) { add_in_order(type, 0, false); }
static void add_by_index_around_others(const covey_type *type) { add_in_order(type, 0, true); }
static void add_backwards(const covey_type *type) { add_in_order(type, 1, false); }
static void add_backwards_around_others(const covey_type *type) { add_in_order(type, 1, true); }
static void add_mixed(const covey_type *type) { add_in_order(type, 2, false); }
static void add_mixed_around_others(const covey_type *type) { add_in_order(type, 2, true); }
static void test_entities_come_in_any_order(void **state) {
    (void)state;
    for_each_storage(add_by_index);
    for_each_storage(add_by_index_around_others);
    for_each_storage(add_backwards);
    for_each_storage(add_backwards_around_others);
    for_each_storage(add_mixed);
    for_each_storage(add_mixed_around_others);
}

static void memory_is_out_for_a_crowd(const covey_type *type) {
    uint32_t count = crowd_count();
    Value value = value_of(9);
    covey_entity all[CROWD];
    assert_true(covey_create_many(world, all, count));
    for (uint32_t i = 0; i < count; i++) crowd[i] = all[count % 7 != 0 ? i * 7 % count : i];
    for (uint32_t i = 0; i < count; i += 9) add_value(all[i], type, i);
    uint32_t lacking = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!covey_has_raw(world, crowd[i], type)) crowd[lacking++] = crowd[i];
    covey_shrink(world);
    for (uint64_t at = 1;; at++) {
        uint64_t before = world_digest(world);
        test_fail_at(&heap, at, true);
        bool done = covey_add_copies_raw(world, crowd, lacking, type, &value);
        test_fail_never(&heap);
        if (done) break;
        assert_failed(COVEY_ERROR_MEMORY);
        assert_int_equal(world_digest(world), before);
        test_world_is_valid(world);
        covey_shrink(world);
    }
    for (uint32_t i = 0; i < lacking; i++) assert_value(crowd[i], type, 9);
}
static void test_nothing_is_added_to_a_crowd_when_memory_is_out(void **state) {
    (void)state;
    for_each_storage(memory_is_out_for_a_crowd);
}

static void one_of_a_crowd_is_wrong(const covey_type *type) {
    uint32_t count = crowd_count();
    covey_entity all[CROWD];
    Value value = value_of(9);
    assert_true(covey_create_many(world, all, count));
    for (uint32_t i = 0; i < count; i++) crowd[i] = all[count % 7 != 0 ? i * 7 % count : i];
    for (uint32_t at = 0; at < count; at += count / 4) {
        covey_entity right = crowd[at];
        uint64_t before = world_digest(world);
        crowd[at] = crowd[(at + count / 2) % count];
        assert_false(covey_add_copies_raw(world, crowd, count, type, &value));
        assert_failed(COVEY_ERROR_PRESENT);
        crowd[at] = entity(right.index, right.generation + 1);
        assert_false(covey_add_copies_raw(world, crowd, count, type, &value));
        assert_failed(COVEY_ERROR_DEAD);
        crowd[at] = entity(COVEY_NONE - 1, 1);
        assert_false(covey_add_copies_raw(world, crowd, count, type, &value));
        assert_failed(COVEY_ERROR_DEAD);
        crowd[at] = right;
        test_world_is_valid(world);
        if (covey_pool_find_raw(world, type)) assert_int_equal(covey_pool_count(covey_pool_find_raw(world, type)), 0);
        (void)before;
    }
}
static void test_nothing_is_added_to_a_crowd_when_one_is_wrong(void **state) {
    (void)state;
    for_each_storage(one_of_a_crowd_is_wrong);
}

/* ---- Destroying in any order --------------------------------------------------------------------------------------*/

static covey_type other_types[70];
static char other_names[70][16];

/* So many pools that those of the components are not among the first 64. */
static void meet_others(void) {
    for (uint32_t i = 0; i < COUNT_OF(other_types); i++) {
        snprintf(other_names[i], sizeof other_names[i], "Other%u", i);
        other_types[i] = (covey_type){ .name = other_names[i], .storage = COVEY_STORAGE_SPARSE };
        assert_non_null(covey_pool_of_raw(world, &other_types[i]));
    }
}

/* Which of the types present in most blocks the entities have; whether all are destroyed in one call. */
typedef struct ending {
    const covey_type *types[5];
    bool with_others, at_once;
} ending;

static uint64_t digest_when_destroyed(void **state, const ending *how) {
    start_over(state);
    if (how->with_others) meet_others();
    uint32_t count = crowd_count() - (crowd_count() % 7 == 0), listed = 0, destroyed = 0;
    covey_entity all[CROWD], list[CROWD];
    assert_true(covey_create_many(world, all, count));
    for (uint32_t k = 0; how->types[k]; k++)
        for (uint32_t i = 0; i < count; i++)
            if (i % (k + 2) != 0) assert_non_null(add_value(all[i], how->types[k], i));
    if (how->with_others) covey_add_raw(world, all[3], &other_types[9], NULL);
    for (uint32_t i = 0; i < count; i++)
        if (i % 5 != 0) list[listed++] = all[i * 101 % count]; /* each in another block than the one before */
    list[listed / 2] = list[0];
    list[listed / 3] = entity(all[0].index, all[0].generation + 1);
    list[listed / 4] = entity(COVEY_NONE - 1, 1);
    if (how->at_once) destroyed = covey_destroy_many(world, list, listed);
    else
        for (uint32_t i = 0; i < listed; i++) destroyed += covey_destroy(world, list[i]);
    assert_int_equal(destroyed, listed - 3);
    test_world_is_valid(world);
    return world_digest(world);
}

static void test_scattered_entities_end_as_they_would_one_by_one(void **state) {
    ending ways[] = {
        { .types = { covey_id(Packed), covey_id(Ordered), covey_id(Blocked) } },
        { .types = { covey_id(Packed), covey_id(Blocked) }, .with_others = true },
        { .types = { covey_id(Packed), covey_id(Kept), covey_id(Fixed) } }, /* not by pools: these take more care */
        { .types = { NULL } },
    };
    for (uint32_t i = 0; i < COUNT_OF(ways); i++) {
        uint64_t singly = digest_when_destroyed(state, &ways[i]);
        ways[i].at_once = true;
        assert_int_equal(digest_when_destroyed(state, &ways[i]), singly);
    }
}

/* ---- Entities with components -------------------------------------------------------------------------------------*/

/* More than a block has, and more than there is room for at first. */
static uint64_t digest_when_created(void **state, bool at_once) {
    start_over(state);
    covey_world_desc desc = world_desc();
    desc.ids_in_order = true;
    covey_world_destroy(world);
    world = covey_world_create(&desc);
    for (uint32_t i = 0; i < 150; i++) {
        Packed copied = value_of(i);
        if (at_once) {
            assert_true(covey_alive(world, covey_create_with(world, covey_with(Blocked, { i, i + 1 }),
                                                             covey_with(Packed, { i, 7 }), covey_with_tag(Marked),
                                                             covey_with_copies(Ordered, &copied))));
            continue;
        }
        covey_entity e = covey_create(world);
        covey_add(world, e, Blocked, { i, i + 1 });
        covey_add(world, e, Packed, { i, 7 });
        covey_add_tag(world, e, Marked);
        covey_add_value(world, e, Ordered, &copied);
    }
    test_world_is_valid(world);
    return world_digest(world);
}
static void test_entities_are_created_with_what_single_calls_would_add(void **state) {
    uint64_t singly = digest_when_created(state, false);
    assert_int_equal(digest_when_created(state, true), singly);
}

static void test_an_entity_is_not_created_without_memory_for_its_components(void **state) {
    (void)state;
    covey_entity first = covey_create_with(world, covey_with(Packed, { 3, 4 }), covey_with(Blocked, { 1, 2 }),
                                           covey_with(Ordered, { 5, 6 }));
    covey_destroy(world, covey_create(world)); /* an index is at hand, and no place */
    covey_remove(world, first, Blocked);
    covey_shrink(world);
    uint64_t at = 1;
    for (;; at++) {
        uint64_t before = world_digest(world);
        test_fail_at(&heap, at, true);
        covey_entity e = covey_create_with(world, covey_with(Packed, { 5, 6 }), covey_with(Blocked, { 7, 8 }),
                                           covey_with(Ordered, { 9, 10 }));
        test_fail_never(&heap);
        if (!covey_is_null(e)) break;
        assert_failed(COVEY_ERROR_MEMORY);
        assert_int_equal(world_digest(world), before);
        test_world_is_valid(world);
        covey_shrink(world);
    }
    assert_true(at > 3); /* each of them needs some */
}

static void test_a_pool_that_is_kept_sorted_takes_created_entities(void **state) {
    (void)state;
    covey_pool *pool = covey_pool_of(world, Packed);
    assert_int_equal(covey_pool_keep_sorted(pool, &(covey_order){ .key = COVEY_KEY_U32 }), COVEY_OK);
    for (uint32_t i = 0; i < 100; i++) {
        covey_entity e =
            i % 3 != 0
                ? covey_create_with(world, covey_with(Packed, { i * 37 % 101, 1 }), covey_with_tag(Marked))
                : covey_create_with(world, covey_with(Blocked, { i, 2 }), covey_with(Packed, { i * 37 % 101, 1 }));
        assert_true(covey_has(world, e, Packed));
    }
    const Value *values = (covey_pool_values_raw)(pool);
    for (uint32_t i = 1; i < 100; i++) assert_true(values[i - 1].number < values[i].number);
}

static void test_created_entities_join_the_groups_that_they_complete(void **state) {
    (void)state;
    covey_group *blocks =
        covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Blocked), covey_id(Extra) } });
    assert_non_null(blocks);
    uint32_t joined = 0;
    for (uint32_t i = 0; i < 150; i++) {
        covey_entity e;
        switch (i % 4) {
        case 0: e = covey_create_with(world, covey_with(Blocked, { i, 1 }), covey_with(Extra, { i, 2 })); break;
        case 1: e = covey_create_with(world, covey_with(Blocked, { i, 1 }), covey_with_tag(Marked)); break;
        case 2:
            e = covey_create_with(world, covey_with(Extra, { i, 2 }), covey_with(Pinned, { i, 3 }),
                                  covey_with(Blocked, { i, 1 }));
            break;
        default: e = covey_create_with(world, covey_with(Extra, { i, 2 })); break;
        }
        assert_true(covey_alive(world, e));
        joined += i % 2 == 0;
        assert_int_equal(covey_group_count(blocks), joined);
        if (i % 20 == 0) test_world_is_valid(world);
    }
}

/* The entity would be a member of a group, whose structure needs memory, too. */
static void test_a_member_of_a_group_is_not_created_without_memory(void **state) {
    (void)state;
    for (uint32_t blocks = 0; blocks < 2; blocks++) {
        covey_group_desc desc = { .own = { blocks ? covey_id(Blocked) : covey_id(Packed) },
                                  .with = { blocks ? covey_id(Extra) : covey_id(Marked) } };
        start_over(state);
        covey_group *group = covey_group_create(world, &desc);
        assert_non_null(group);
        bool made = false;
        for (uint64_t at = 1; !made; at++) {
            uint64_t before = world_digest(world);
            test_fail_at(&heap, at, true);
            covey_entity e = blocks
                                 ? covey_create_with(world, covey_with(Blocked, { 5, 6 }), covey_with(Extra, { 7, 8 }))
                                 : covey_create_with(world, covey_with(Packed, { 5, 6 }), covey_with_tag(Marked));
            test_fail_never(&heap);
            made = !covey_is_null(e);
            assert_int_equal(covey_group_count(group), made);
            if (!made) assert_int_equal(world_digest(world), before);
            test_world_is_valid(world);
            covey_shrink(world);
        }
    }
}

/* Copies that the hook made before another component found no memory. */
static void test_copies_of_an_entity_that_is_not_created_are_dropped(void **state) {
    for (uint32_t k = 0; k < COUNT_OF(booked_types); k++)
        for (uint64_t at = 1;; at++) {
            start_over(state);
            Value value = value_of(1000), other = value_of(6);
            covey_component components[] = { { .type = &booked_types[k], .value = &value },
                                             { .type = covey_id(Fixed), .values = &other },
                                             { .type = covey_id(Blocked), .values = &other },
                                             { .type = NULL } };
            test_fail_at(&heap, at, true);
            covey_entity e = covey_create_with_raw(world, components);
            test_fail_never(&heap);
            test_world_is_valid(world);
            if (!covey_is_null(e)) break;
            assert_int_equal(book.copies, book.drops);
        }
}

/* Whole blocks of neighbours, of which one has the component, is dead, or comes twice. */
static void add_to_blocks(const covey_type *type) {
    enum { ALL = 256 };
    for (uint32_t wrong = 0; wrong < 4; wrong++)
        for (uint32_t at = 0; at < ALL; at += 51) {
            covey_entity e[ALL];
            static Value values[ALL];
            covey_world_desc desc = world_desc();
            covey_world_destroy(world);
            world = covey_world_create(&desc);
            values_of(values, ALL, 0);
            assert_true(covey_create_many(world, e, ALL));
            if (wrong == 1) add_value(e[at], type, 7);
            if (wrong == 2) covey_destroy(world, e[at]);
            if (wrong == 3) e[at] = e[(at + 100) % ALL];
            assert_int_equal(covey_add_array_raw(world, e, ALL, type, values), wrong == 0);
            covey_pool *pool = covey_pool_of_raw(world, type);
            assert_int_equal(covey_pool_count(pool), wrong == 0 ? ALL : wrong == 1);
            test_world_is_valid(world);
        }
}
static void test_nothing_is_added_to_blocks_when_one_is_wrong(void **state) {
    (void)state;
    for_each_storage(add_to_blocks);
}

static void test_an_entity_is_created_with_a_value_of_the_pool_that_grows(void **state) {
    (void)state;
    covey_entity e = covey_create_with(world, covey_with(Packed, { 1, 2 }));
    covey_shrink(world);
    e = covey_create_with(world, covey_with_copies(Packed, covey_get(world, e, Packed)));
    assert_int_equal(covey_get(world, e, Packed)->check, 2);
    covey_shrink(world);
    e = covey_create_with(world, covey_with_array(Packed, covey_get(world, e, Packed)));
    assert_int_equal(covey_get(world, e, Packed)->number, 1);
}

static void test_a_list_of_components_that_is_wrong_creates_nothing(void **state) {
    (void)state;
    covey_destroy(world, covey_create_with(world, covey_with(Packed, { 1, 2 }), covey_with_tag(Marked)));
    uint64_t before = world_digest(world);
    assert_no_entity(covey_create_with(world, covey_with(Packed, { 1, 2 }), covey_with(Packed, { 3, 4 })));
    assert_failed(COVEY_ERROR_PRESENT);
    Packed two[2] = { { 1, 2 }, { 3, 4 } };
    assert_no_entity(covey_create_with(world, covey_with_tag(Marked),
                                       { .type = covey_id(Packed), .values = two, .count = 2, .size = sizeof *two }));
    assert_failed(COVEY_ERROR_RANGE);
#define FOUR_TAGS covey_with_tag(Marked), covey_with_tag(Marked), covey_with_tag(Marked), covey_with_tag(Marked)
    assert_no_entity(
        covey_create_with(world, FOUR_TAGS, FOUR_TAGS, FOUR_TAGS, FOUR_TAGS, covey_with(Packed, { 1, 2 })));
    assert_failed(COVEY_ERROR_RANGE);
    assert_int_equal(world_digest(world), before);
    test_world_is_valid(world);
}

static void test_an_entity_is_created_with_components(void **state) {
    (void)state;
    covey_entity e =
        covey_create_with(world, covey_with(Packed, { 1, 2 }), covey_with(Blocked, { 3, 4 }), covey_with_tag(Marked));
    assert_true(covey_alive(world, e));
    assert_int_equal(covey_get(world, e, Packed)->check, 2);
    assert_int_equal(covey_get(world, e, Blocked)->number, 3);
    assert_true(covey_has(world, e, Marked));
}

static void test_many_are_created_with_copies_and_arrays(void **state) {
    (void)state;
    uint32_t count = crowd_count();
    static Pinned each[CROWD];
    for (uint32_t i = 0; i < count; i++) each[i] = value_of(i);
    Blocked start = value_of(7);
    assert_true(covey_create_many_with(world, crowd, count, covey_with_copies(Blocked, &start),
                                       covey_with_array(Pinned, each), covey_with_tag(Marked)));
    assert_int_equal(covey_entity_count(world), count);
    for (uint32_t i = 0; i < count; i++) {
        assert_value(crowd[i], covey_id(Blocked), 7);
        assert_value(crowd[i], covey_id(Pinned), i);
        assert_true(covey_has(world, crowd[i], Marked));
    }
    test_world_is_valid(world);
}

static void assert_not_created(uint32_t count, const covey_component *components, covey_result why) {
    for (uint32_t i = 0; i < count; i++) crowd[i] = entity(1, 1);
    uint64_t before = world_digest(world);
    assert_false(covey_create_many_with_raw(world, crowd, count, components));
    assert_failed(why);
    for (uint32_t i = 0; i < count; i++) assert_no_entity(crowd[i]);
    assert_int_equal(world_digest(world), before);
    test_world_is_valid(world);
    world->inner->result = heard.result = COVEY_OK;
}

/* Neither is known before: the first description in the list is what the second is compared with. */
/* Some words of the table are free, and others have holes. */
static void test_many_are_created_in_words_and_in_holes(void **state) {
    enum { COUNT = 400 };
    start_over(state);
    covey_world_desc desc = world_desc();
    desc.ids_in_order = true;
    covey_world_destroy(world);
    world = covey_world_create(&desc);
    uint32_t count = COVEY_NONE < 2 * COUNT ? COVEY_NONE / 4 : COUNT, made = 0;
    covey_entity all[COUNT], created[COUNT];
    Packed each[COUNT];
    Blocked same = value_of(7);
    assert_true(covey_create_many(world, all, count));
    for (uint32_t i = 0; i < count; i++)
        if (i / 64 % 2 == 1 || i % 64 % 5 == 0) made += covey_destroy(world, all[i]);
    for (uint32_t i = 0; i < made; i++) each[i] = value_of(i);
    assert_true(covey_create_many_with(world, created, made, covey_with_copies(Blocked, &same),
                                       covey_with_array(Packed, each)));
    for (uint32_t i = 0; i < made; i++) assert_value(created[i], covey_id(Packed), i);
    for (uint32_t i = 0; i < made; i++) assert_value(created[i], covey_id(Blocked), 7);
    for (uint32_t i = 0; i < count; i++) assert_false(covey_has(world, all[i], Blocked));
    test_world_is_valid(world);
}

static void test_a_type_and_its_twin_are_one_component(void **state) {
    (void)state;
    static const covey_type first = { .name = "New", .size = 4, .align = 4, .as_bytes = true };
    static const covey_type twin = { .name = "New", .size = 4, .align = 4, .as_bytes = true };
    static const covey_type clash = { .name = "New", .size = 8, .align = 4, .as_bytes = true };
    assert_no_entity(covey_create_with(world, { .type = &first }, { .type = &twin }));
    assert_failed(COVEY_ERROR_PRESENT);
    assert_ptr_equal(covey_pool_find_raw(world, &first), covey_pool_find_raw(world, &twin));
    assert_no_entity(covey_create_with(world, { .type = &first }, { .type = &clash }));
    assert_failed(COVEY_ERROR_LAYOUT);
    assert_int_equal(covey_entity_count(world), 0);
    assert_true(covey_has_raw(world, covey_create_with(world, { .type = &twin }), &first));
    test_world_is_valid(world);
}

static void test_what_cannot_be_created_leaves_nothing_behind(void **state) {
    (void)state;
    static const covey_type nameless = { .size = 4 }, uncopied = BOOKED(NULL, .storage = COVEY_STORAGE_SPARSE);
    Value value = value_of(1000);
    covey_pool_of(world, Packed);
    covey_pool_of(world, Blocked);
    covey_pool_of_raw(world, &uncopied);
    assert_not_created(
        2, (covey_component[]){ covey_with_copies(Packed, &value), { .type = &nameless, .size = 4 }, { 0 } },
        COVEY_ERROR_TYPE);
    assert_not_created(
        2, (covey_component[]){ covey_with_copies(Packed, &value), covey_with_copies(Packed, &value), { 0 } },
        COVEY_ERROR_PRESENT);
    assert_not_created(
        2, (covey_component[]){ covey_with_copies(Blocked, &value), covey_with_copies(Blocked, &value), { 0 } },
        COVEY_ERROR_PRESENT);
    assert_not_created(2, (covey_component[]){ covey_with(Packed, { 1, 2 }), { 0 } }, COVEY_ERROR_RANGE);
    assert_not_created(2, (covey_component[]){ { .type = &uncopied, .value = &value, .size = sizeof value }, { 0 } },
                       COVEY_ERROR_COPY);
    covey_component many[COVEY_TERMS + 2] = { { 0 } };
    for (uint32_t i = 0; i <= COVEY_TERMS; i++) many[i] = (covey_component)covey_with_tag(Marked);
    covey_pool_of(world, Marked);
    assert_not_created(1, many, COVEY_ERROR_RANGE);
}

static void test_a_hook_that_refuses_leaves_nothing_behind(void **state) {
    for (uint32_t k = 0; k < COUNT_OF(booked_types); k++)
        for (uint32_t refused = 1; refused <= 3; refused++) {
            start_over(state);
            Value original = value_of(1000), moved = value_of(5);
            covey_pool_of_raw(world, &booked_types[k]);
            covey_pool_of(world, Packed);
            covey_pool_of(world, Blocked);
            book = (ledger){ .refused_copy = refused };
            Value values[3] = { moved, moved, moved };
            assert_not_created(
                3,
                (covey_component[]){ covey_with_array(Blocked, values),
                                     { .type = &booked_types[k], .value = &original, .size = sizeof(Value) },
                                     covey_with_array(Packed, values),
                                     { 0 } },
                COVEY_ERROR_COPY);
            assert_int_equal(book.drops, refused - 1);
        }
}

static void destroy_created(const covey_event *event, void *context) {
    (void)context;
    covey_destroy(event->world, *event->entities);
}

static void test_an_entity_that_a_listener_destroys_at_once_is_gone(void **state) {
    (void)state;
    covey_connect(world,
                  &(covey_listener){ .type = covey_id(Packed), .signals = COVEY_ON_ADD, .call = destroy_created });
    assert_no_entity(covey_create_with(world, covey_with(Blocked, { 1, 2 }), covey_with(Packed, { 3, 4 })));
    assert_failed(COVEY_ERROR_GONE);
    assert_int_equal(covey_entity_count(world), 0);
    assert_true(covey_create_many_with(world, crowd, 3, covey_with_copies(Packed, &(Packed){ 0 })));
    assert_int_equal(covey_entity_count(world), 0);
}

static void count_all(const covey_event *event, void *context) {
    uint32_t *told = context;
    assert_true(covey_has(event->world, *event->entities, Blocked) &&
                covey_has(event->world, *event->entities, Packed));
    told[event->signal == COVEY_ON_CREATE] += event->count;
}

static void test_nobody_hears_of_an_entity_before_it_is_whole(void **state) {
    (void)state;
    uint32_t told[2] = { 0, 0 };
    covey_group *group =
        covey_group_create(world, &(covey_group_desc){ .with = { covey_id(Packed), covey_id(Blocked) } });
    covey_queue *queue = covey_queue_create(world);
    assert_true(group && queue);
    covey_connect(world, &(covey_listener){ .signals = COVEY_ON_CREATE, .call = count_all, .context = told });
    covey_connect(world, &(covey_listener){
                             .type = covey_id(Blocked), .signals = COVEY_ON_ADD, .call = count_all, .context = told });
    covey_connect(world, &(covey_listener){
                             .type = covey_id(Packed), .signals = COVEY_ON_ADD | COVEY_ON_REMOVE, .queue = queue });
    assert_true(covey_create_many_with(world, crowd, 5, covey_with_copies(Packed, &(Packed){ 0 }),
                                       covey_with_copies(Blocked, &(Blocked){ 0 })));
    assert_int_equal(told[0], 5);
    assert_int_equal(told[1], 5);
    assert_int_equal(covey_queue_count(queue), 5);
    assert_int_equal(covey_group_count(group), 5);
}

/* ---- Removing and reading ----------------------------------------------------------------------------------------*/

/* Two of three have the component; the list has one of the others twice, and one that is dead. */
static uint32_t list_crowd(const covey_type *type, uint32_t order, covey_entity *all, uint32_t count) {
    assert_true(covey_create_many(world, all, count));
    covey_entity dead = covey_create(world);
    assert_true(covey_destroy(world, dead));
    for (uint32_t i = 0; i < count; i++) {
        crowd[i] = all[numbered(order, i, count)];
        if (i % 3 != 0) add_value(all[i], type, i);
    }
    crowd[count / 2] = dead;
    crowd[count / 3] = crowd[count / 3 + 1];
    return count;
}

static void gather_in_order(const covey_type *type, uint32_t order) {
    covey_entity all[CROWD];
    Value values[CROWD];
    uint32_t positions[CROWD], found = 0;
    uint32_t count = list_crowd(type, order, all, crowd_count() - (crowd_count() % 7 == 0));
    uint32_t told = covey_gather_raw(world, crowd, count, type, values, positions);
    for (uint32_t i = 0; i < count; i++) {
        if (!covey_has_raw(world, crowd[i], type)) continue;
        assert_true(found < told);
        assert_int_equal(positions[found], i);
        assert_memory_equal(&values[found], get_value(crowd[i], type), sizeof(Value));
        found++;
    }
    assert_int_equal(told, found);
    assert_int_equal(covey_gather_raw(world, crowd, count, type, NULL, positions), found);
    assert_int_equal(covey_gather_raw(world, crowd, count, type, values, NULL), found);
    covey_destroy_all(world);
    assert_int_equal(covey_gather_raw(world, crowd, count, type, values, positions), 0);
}

static void gather(const covey_type *type) {
    for (uint32_t order = 0; order < 3; order++) gather_in_order(type, order);
}
static void test_values_of_a_list_are_gathered_in_its_order(void **state) {
    (void)state;
    for_each_storage(gather);
    assert_int_equal(covey_gather(world, crowd, 0, Packed, (Packed *)NULL, NULL), 0);
}

static void remove_in_order(const covey_type *type, uint32_t order) {
    covey_entity all[CROWD];
    uint32_t count = list_crowd(type, order, all, crowd_count() - (crowd_count() % 7 == 0)), there = 0;
    covey_pool *pool = covey_pool_find_raw(world, type);
    for (uint32_t i = 0; i < count; i++) there += covey_has_raw(world, all[i], type);
    uint32_t removed = covey_remove_many_raw(world, crowd, count / 2, type);
    test_world_is_valid(world);
    assert_int_equal(covey_pool_count(pool), there - removed);
    for (uint32_t i = 0; i < count / 2; i++) assert_false(covey_has_raw(world, crowd[i], type));
    for (uint32_t i = 0; i < count; i++)
        if (covey_has_raw(world, all[i], type)) assert_value(all[i], type, i);
    assert_int_equal(covey_remove_many_raw(world, crowd, count / 2, type), 0);
    assert_int_equal(covey_remove_many_raw(world, all, count, type), there - removed);
    assert_int_equal(covey_pool_count(pool), 0);
    test_world_is_valid(world);
    covey_destroy_all(world);
}

/* Handles that are far from each other, and whose indices others have now. */
static void remove_from_stale(const covey_type *type) {
    covey_entity stale[4], fresh[4];
    for (uint32_t i = 0; i < 4; i++) stale[i] = covey_create_at(world, i * 200);
    covey_destroy_many(world, stale, 4);
    for (uint32_t i = 0; i < 4; i++) {
        Value value = value_of(i);
        fresh[i] = covey_create_at(world, i * 200);
        assert_non_null(covey_add_raw(world, fresh[i], type, &value));
    }
    assert_int_equal(covey_remove_many_raw(world, stale, 4, type), 0);
    for (uint32_t i = 0; i < 4; i++) assert_true(covey_has_raw(world, fresh[i], type));
    covey_destroy_all(world);
}

static void test_stale_handles_in_a_list_lose_nothing(void **state) {
    (void)state;
    for_each_storage(remove_from_stale);
}

static void remove_many(const covey_type *type) {
    for (uint32_t order = 0; order < 3; order++) remove_in_order(type, order);
}
static void test_many_lose_a_component_and_the_others_keep_it(void **state) {
    (void)state;
    for_each_storage(remove_many);
    assert_int_equal(covey_remove_many(world, crowd, 0, Packed), 0);
}

/* ---- Setting ------------------------------------------------------------------------------------------------------*/

static void set_array(const covey_type *type) {
    covey_entity e[200], shuffled[200];
    static Value values[200];
    assert_true(covey_create_many(world, e, 200));
    values_of(values, 200, 0);
    assert_true(covey_add_array_raw(world, e, 200, type, values));
    values_of(values, 200, 1000);
    assert_int_equal(covey_set_array_raw(world, e, 200, type, values), 200);
    for (uint32_t i = 0; i < 200; i++) assert_value(e[i], type, 1000 + i);
    /* In another order, with one that has none, one that is gone, one that is null, and one that comes twice. */
    for (uint32_t i = 0; i < 200; i++) shuffled[i] = e[i * 37 % 200];
    remove_value(shuffled[7], type);
    covey_destroy(world, shuffled[8]);
    shuffled[9] = COVEY_NULL;
    shuffled[10] = shuffled[11];
    values_of(values, 200, 2000);
    assert_int_equal(covey_set_array_raw(world, shuffled, 200, type, values), 197);
    for (uint32_t i = 11; i < 200; i++) assert_value(shuffled[i], type, 2000 + i);
    assert_false(covey_has_raw(world, shuffled[7], type));
    assert_value(e[9 * 37 % 200], type, 1000 + 9 * 37 % 200);
    test_world_is_valid(world);
}
static void test_an_array_is_set_where_there_is_a_component(void **state) {
    (void)state;
    for_each_storage(set_array);
    assert_int_equal(covey_set_array(world, crowd, 0, Packed, (Packed *)NULL), 0);
    static const covey_type stranger = { .name = "stranger", .size = 4, .align = 4 };
    covey_entity e = covey_create(world);
    assert_int_equal(covey_set_array_raw(world, &e, 1, &stranger, &(int32_t){ 1 }), 0);
    static const covey_type tag = { .name = "tag", .align = 1 };
    assert_true(covey_add_raw(world, e, &tag, NULL));
    assert_int_equal(covey_set_array_raw(world, &e, 1, &tag, NULL), 1);
}

static void test_an_array_that_is_set_is_heard_of(void **state) {
    (void)state;
    covey_entity e[3];
    assert_true(covey_create_many(world, e, 3));
    Packed values[3] = { { 1, 1 }, { 2, 2 }, { 3, 3 } };
    assert_true(covey_add_array(world, e, 2, Packed, values));
    covey_queue *queue = covey_queue_create(world);
    covey_connect(world, &(covey_listener){ .type = covey_id(Packed), .signals = COVEY_ON_SET, .queue = queue });
    assert_int_equal(covey_set_array(world, e, 3, Packed, values), 2);
    assert_int_equal(covey_queue_count(queue), 2);
}

/* What a listener does while an array is set, and what it and a second one have heard. */
typedef struct meddling {
    covey_entity *e;
    covey_connection second;
    uint32_t calls, heard;
    bool nests;
} meddling;

static void hear(const covey_event *event, void *context) {
    meddling *m = context;
    assert_int_equal(event->count, 1);
    m->heard = m->heard * 31 + ((const Packed *)event->values)->number;
}

/* The second one sets a component, the third loses its own, and the fifth that of the next. */
static void meddle(const covey_event *event, void *context) {
    meddling *m = context;
    hear(event, context);
    if (m->nests) return;
    uint32_t call = m->calls++;
    m->nests = true;
    if (call == 1) covey_set(world, m->e[0], Packed, { 77, 77 });
    if (call == 2) covey_remove(world, *event->entities, Packed);
    if (call == 4) covey_remove(world, m->e[5], Packed);
    if (call == 6)
        m->second = covey_connect(
            world, &(covey_listener){ .type = covey_id(Packed), .signals = COVEY_ON_SET, .call = hear, .context = m });
    if (call == 8) covey_disconnect(world, m->second);
    if (call == 10) covey_set(world, *event->entities, Packed, { 78, 78 });
    m->nests = false;
}

/* Sets components of 20 entities, as one call or one by one; the last one is destroyed before. */
static meddling meddle_with(covey_entity *e, bool together, uint32_t *set) {
    Packed values[20];
    meddling m = { .e = e };
    assert_true(covey_create_many(world, e, 20));
    for (uint32_t i = 0; i < 20; i++) values[i] = (Packed){ i, i };
    assert_true(covey_add_array(world, e, 20, Packed, values));
    for (uint32_t i = 0; i < 20; i++) values[i] = (Packed){ i + 100, i };
    covey_connection first = covey_connect(
        world, &(covey_listener){ .type = covey_id(Packed), .signals = COVEY_ON_SET, .call = meddle, .context = &m });
    covey_destroy(world, e[19]);
    *set = together ? covey_set_array(world, e, 20, Packed, values) : 0;
    for (uint32_t i = 0; i < 20 && !together; i++)
        if (covey_has(world, e[i], Packed)) {
            covey_set_value(world, e[i], Packed, &values[i]);
            ++*set;
        }
    covey_disconnect(world, first);
    test_world_is_valid(world);
    return m;
}

static void test_a_listener_may_change_the_world_while_an_array_is_set(void **state) {
    (void)state;
    covey_entity e[2][20];
    uint32_t set[2];
    meddling m[2];
    for (uint32_t k = 0; k < 2; k++) {
        m[k] = meddle_with(e[k], k == 0, &set[k]);
        for (uint32_t i = 0; i < 20 && k == 1; i++) {
            const Packed *a = covey_get(world, e[0][i], Packed), *b = covey_get(world, e[1][i], Packed);
            assert_int_equal(a != NULL, b != NULL);
            if (a) assert_memory_equal(a, b, sizeof *a);
        }
    }
    assert_int_equal(set[0], set[1]);
    assert_int_equal(m[0].calls, m[1].calls);
    assert_int_equal(m[0].heard, m[1].heard);
    assert_true(m[0].calls > 15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_values_of_a_list_are_gathered_in_its_order),
        WORLD_TEST(test_stale_handles_in_a_list_lose_nothing),
        WORLD_TEST(test_many_lose_a_component_and_the_others_keep_it),
        WORLD_TEST(test_an_array_is_set_where_there_is_a_component),
        WORLD_TEST(test_an_array_that_is_set_is_heard_of),
        WORLD_TEST(test_a_listener_may_change_the_world_while_an_array_is_set),
        WORLD_TEST(test_entities_come_in_any_order),
        WORLD_TEST(test_nothing_is_added_to_a_crowd_when_memory_is_out),
        WORLD_TEST(test_nothing_is_added_to_a_crowd_when_one_is_wrong),
        WORLD_TEST(test_scattered_entities_end_as_they_would_one_by_one),
        WORLD_TEST(test_entities_are_created_with_what_single_calls_would_add),
        WORLD_TEST(test_an_entity_is_not_created_without_memory_for_its_components),
        WORLD_TEST(test_a_pool_that_is_kept_sorted_takes_created_entities),
        WORLD_TEST(test_created_entities_join_the_groups_that_they_complete),
        WORLD_TEST(test_nothing_is_added_to_blocks_when_one_is_wrong),
        WORLD_TEST(test_a_member_of_a_group_is_not_created_without_memory),
        WORLD_TEST(test_copies_of_an_entity_that_is_not_created_are_dropped),
        WORLD_TEST(test_an_entity_is_created_with_a_value_of_the_pool_that_grows),
        WORLD_TEST(test_a_list_of_components_that_is_wrong_creates_nothing),
        WORLD_TEST(test_an_entity_is_created_with_components),
        WORLD_TEST(test_many_are_created_with_copies_and_arrays),
        WORLD_TEST(test_many_are_created_in_words_and_in_holes),
        WORLD_TEST(test_a_type_and_its_twin_are_one_component),
        WORLD_TEST(test_what_cannot_be_created_leaves_nothing_behind),
        WORLD_TEST(test_a_hook_that_refuses_leaves_nothing_behind),
        WORLD_TEST(test_an_entity_that_a_listener_destroys_at_once_is_gone),
        WORLD_TEST(test_nobody_hears_of_an_entity_before_it_is_whole),
        WORLD_TEST(test_an_array_of_values_goes_to_as_many_entities),
        WORLD_TEST(test_an_array_goes_to_entities_that_lost_the_component),
        WORLD_TEST(test_in_place_an_array_is_appended_behind_the_holes),
        WORLD_TEST(test_an_array_of_nothing_is_zero_bytes),
        WORLD_TEST(test_no_entities_are_a_success),
        WORLD_TEST(test_nothing_is_added_when_one_is_dead),
        WORLD_TEST(test_nothing_is_added_when_one_has_it),
        WORLD_TEST(test_nothing_is_added_when_one_comes_twice),
        WORLD_TEST(test_nothing_is_added_when_memory_is_out),
        WORLD_TEST(test_each_entity_gets_a_copy_of_the_value),
        WORLD_TEST(test_copies_are_made_by_the_hook_and_the_caller_keeps_the_value),
        WORLD_TEST(test_when_a_copy_is_refused_those_made_are_dropped_once_and_nothing_is_added),
        WORLD_TEST(test_copies_for_a_list_that_is_wrong_are_dropped_once),
        WORLD_TEST(test_a_type_with_drop_and_no_copy_is_not_copied),
        WORLD_TEST(test_an_array_moves_without_the_copy_hook),
        WORLD_TEST(test_the_values_may_lie_in_the_pool_that_grows_for_them),
        WORLD_TEST(test_a_group_has_room_for_all_that_are_added_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
