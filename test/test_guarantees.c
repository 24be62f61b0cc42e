/* What docs/guarantees.md promises of addresses, positions and iterations, for every storage. */
#include "fixture.h"

typedef Value Other;
COVEY_COMPONENT_DEFINE(Other);

static const covey_type *const types[] = { covey_id(Packed),  covey_id(Fixed),   covey_id(Kept),
                                           covey_id(Ordered), covey_id(Blocked), covey_id(Pinned) };

/* ---- Scenes -------------------------------------------------------------------------------------------------------*/

enum { COUNT = 150 }; /* three blocks, the last not full */
static covey_entity e[COUNT];
static covey_pool *pool;
static struct {
    const Value *at;
    uint32_t position;
} before[COUNT];

static uint32_t position_of(covey_entity of) {
    for (uint32_t p = covey_pool_next(pool, 0); p != COVEY_NONE; p = covey_pool_next(pool, p + 1))
        if (covey_same(covey_pool_at(pool, p), of)) return p;
    return COVEY_NONE;
}

static void note(void) {
    for (uint32_t i = 0; i < COUNT; i++) {
        before[i].at = covey_pool_get_raw(pool, e[i]);
        before[i].position = position_of(e[i]);
    }
}

/* Two of three have the component, so that blocks have room. */
static bool has_at_first(uint32_t i) { return i % 3 != 2; }

static void fill_world(const covey_type *type) {
    assert_true(covey_create_many(world, e, COUNT));
    pool = covey_pool_of_raw(world, type);
    for (uint32_t i = 0; i < COUNT; i++) {
        if (has_at_first(i)) add_value(e[i], type, i);
        if (i % 2 == 0) covey_add(world, e[i], Other, { i, ~i });
    }
    note();
}

static bool is_stable(const covey_type *type) { return type == covey_id(Fixed) || type == covey_id(Pinned); }
static bool is_block(const covey_type *type) { return type == covey_id(Blocked) || type == covey_id(Pinned); }
static bool is_swapping(const covey_type *type) { return type == covey_id(Packed) || type == covey_id(Kept); }

typedef bool which_fn(uint32_t i);
static bool all(uint32_t i) { return i < COUNT; }

/* Those that had it have the same value; addresses, or positions, of some of them are the same. */
static void values_stay(which_fn *which) {
    for (uint32_t i = 0; i < COUNT; i++)
        if (before[i].at && which(i)) assert_value(e[i], covey_pool_type(pool), i);
}
static void addresses_stay(which_fn *which) {
    values_stay(which);
    for (uint32_t i = 0; i < COUNT; i++)
        if (before[i].at && which(i)) assert_ptr_equal(covey_pool_get_raw(pool, e[i]), before[i].at);
}
static void positions_stay(which_fn *which) {
    for (uint32_t i = 0; i < COUNT; i++)
        if (before[i].at && which(i)) assert_int_equal(position_of(e[i]), before[i].position);
}
static void all_stay(void) {
    addresses_stay(all);
    positions_stay(all);
}

static void for_each_type(void (*test)(const covey_type *type)) {
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        print_message("    %s\n", types[i]->name);
        fill_world(types[i]);
        test(types[i]);
        world_teardown(NULL);
        assert_int_equal(world_setup(NULL), 0);
    }
}
#define FOR_EACH_TYPE(name)                      \
    static void name##_type(const covey_type *); \
    static void name(void **state) {             \
        (void)state;                             \
        for_each_type(name##_type);              \
    }                                            \
    static void name##_type(const covey_type *type)

/* ---- What never matters -------------------------------------------------------------------------------------------*/

FOR_EACH_TYPE(test_other_pools_and_new_entities_move_nothing) {
    covey_entity more[100];
    assert_true(covey_create_many(world, more, COUNT_OF(more)));
    assert_false(covey_is_null(covey_create_at(world, 200 * COVEY_PAGE_SIZE)));
    for (uint32_t i = 0; i < COUNT_OF(more); i++) assert_non_null(covey_add(world, more[i], Other, { i, ~i }));
    all_stay();
    for (uint32_t i = 0; i < COUNT; i++) covey_remove(world, e[i], Other);
    for (uint32_t i = 0; i < COUNT_OF(more); i++) assert_true(covey_destroy(world, more[i]));
    all_stay();
    covey_pool *other = covey_pool_of(world, Other);
    assert_int_equal(covey_pool_convert(other, COVEY_STORAGE_SPARSE), COVEY_OK);
    covey_pool_compact(other, NULL, NULL);
    covey_pool_shrink(other);
    covey_clear(world, Other);
    all_stay();
    assert_true(type->size == sizeof(Value));
}

static void change_nothing(void *value, void *context) {
    (void)context;
    ((Value *)value)->check = ~((Value *)value)->number;
}

FOR_EACH_TYPE(test_writing_moves_nothing) {
    for (uint32_t i = 0; i < COUNT; i++) {
        Value value = value_of(i), same = value;
        if (!has_at_first(i)) continue;
        assert_ptr_equal(covey_set_raw(world, e[i], type, &value), before[i].at);
        assert_true(covey_replace_raw(world, e[i], type, &same));
        assert_int_equal(same.number, i);
        assert_ptr_equal(covey_patch_raw(world, e[i], type, change_nothing, NULL), before[i].at);
        assert_ptr_equal(covey_get_or_add_raw(world, e[i], type, &value), before[i].at);
    }
    all_stay();
}

FOR_EACH_TYPE(test_looking_moves_nothing) {
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { type }, .optional = { covey_id(Other) } });
    covey_iter it = covey_view_iter(&view);
    while (covey_next(&it)) continue;
    it = covey_view_iter(&view);
    for (covey_row row = { 0 }; covey_next_row(&it, &row);) continue;
    covey_advice advice[4];
    covey_world_advise(world, advice, 4);
    covey_view_count(&view);
    covey_world_validate(world, NULL);
    all_stay();
}

FOR_EACH_TYPE(test_a_call_that_fails_moves_nothing) {
    covey_entity nobody = { COVEY_NONE, 1 };
    assert_null(add_value(e[0], type, 5));
    assert_null(add_value(nobody, type, 5));
    assert_false(remove_value(e[2], type));
    assert_int_not_equal(covey_pool_swap(pool, e[0], e[2]), COVEY_OK);
    assert_int_equal(covey_pool_convert(pool, (covey_storage)7), COVEY_ERROR_RANGE);
    all_stay();
}

/* ---- Adding and removing ------------------------------------------------------------------------------------------*/

static bool behind_first_block(uint32_t i) { return e[i].index >= COVEY__BLOCK_IDS; }

FOR_EACH_TYPE(test_adding) {
    for (uint32_t i = COVEY__BLOCK_IDS; i < COUNT; i++)
        if (!has_at_first(i)) assert_non_null(add_value(e[i], type, i));
    positions_stay(all);
    if (is_stable(type)) addresses_stay(all);
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++)
        if (!has_at_first(i)) assert_non_null(add_value(e[i], type, i));
    positions_stay(all);
    if (is_stable(type)) addresses_stay(all);
    values_stay(all);
}

/* Every third entity of 12 blocks has one, so that none of them is direct; then all of the first eight get one. */
static void test_adding_to_blocks_moves_those_around_only(void **state) {
    (void)state;
    covey_entity many[768];
    const Value *at[COUNT_OF(many)];
    assert_true(covey_create_many(world, many, COUNT_OF(many)));
    for (uint32_t i = 0; i < COUNT_OF(many); i += 3) add_value(many[i], covey_id(Blocked), i);
    for (uint32_t i = 0; i < COUNT_OF(many); i++) at[i] = covey_get(world, many[i], Blocked);
    for (uint32_t i = 0; i < 512; i++)
        if (i % 3 != 0) assert_non_null(add_value(many[i], covey_id(Blocked), i));
    for (uint32_t i = 512; i < COUNT_OF(many); i++) assert_ptr_equal(covey_get(world, many[i], Blocked), at[i]);
}

static bool not_seven(uint32_t i) { return i != 7; }
static bool not_seven_nor_last(uint32_t i) { return i != 7 && i != COUNT - 2; }

FOR_EACH_TYPE(test_removing) {
    assert_true(has_at_first(7) && has_at_first(COUNT - 2) && !has_at_first(COUNT - 1));
    assert_true(remove_value(e[7], type));
    before[7].at = NULL;
    if (is_block(type)) addresses_stay(behind_first_block);
    if (is_stable(type) || type == covey_id(Ordered)) addresses_stay(not_seven);
    if (is_swapping(type)) addresses_stay(not_seven_nor_last);
    positions_stay(is_swapping(type) ? not_seven_nor_last : not_seven);
    if (is_swapping(type)) assert_int_equal(position_of(e[COUNT - 2]), before[7].position);
    values_stay(all);
}

static bool odd(uint32_t i) { return i % 2 != 0; }

/* Until its own component is removed, whatever happens to the others. */
FOR_EACH_TYPE(test_stable_addresses) {
    if (!is_stable(type)) return;
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < COUNT; i += 2) remove_value(e[i], type);
        covey_compact(world);
        covey_shrink(world);
        addresses_stay(odd);
        for (uint32_t i = 0; i < COUNT; i += 2) assert_non_null(add_value(e[i], type, i));
        for (uint32_t i = 0; i < 200; i++) create_with(type, i);
        assert_int_equal(covey_pool_reserve(pool, 800), COVEY_OK);
        addresses_stay(odd);
    }
    for (uint32_t i = 0; i < COUNT; i += 2) assert_true(covey_destroy(world, e[i]));
    addresses_stay(odd);
}

FOR_EACH_TYPE(test_destroying) {
    assert_true(covey_destroy(world, e[7]));
    before[7].at = NULL;
    if (is_block(type)) addresses_stay(behind_first_block);
    if (is_stable(type) || type == covey_id(Ordered)) addresses_stay(not_seven);
    if (is_swapping(type)) addresses_stay(not_seven_nor_last);
    values_stay(all);
}

/* ---- Pools as a whole ---------------------------------------------------------------------------------------------*/

static bool not_the_two(uint32_t i) { return i != 0 && i != 4; }

FOR_EACH_TYPE(test_swapping) {
    covey_result result = covey_pool_swap(pool, e[0], e[4]);
    assert_int_equal(result, is_block(type) || is_stable(type) ? COVEY_ERROR_REFUSED : COVEY_OK);
    if (result != COVEY_OK) return;
    addresses_stay(not_the_two);
    positions_stay(not_the_two);
    assert_ptr_equal(get_value(e[0], type), before[4].at);
    assert_int_equal(position_of(e[4]), before[0].position);
}

FOR_EACH_TYPE(test_reserving_and_shrinking) {
    assert_int_equal(covey_pool_reserve(pool, 500), COVEY_OK);
    positions_stay(all);
    if (is_stable(type) || is_block(type)) addresses_stay(all);
    note();
    covey_pool_shrink(pool);
    positions_stay(all);
    if (is_stable(type) || is_block(type)) addresses_stay(all);
    values_stay(all);
}

FOR_EACH_TYPE(test_compacting) {
    covey_pool_compact(pool, NULL, NULL); /* without holes */
    positions_stay(all);
    if (type != covey_id(Blocked)) addresses_stay(all);
    for (uint32_t i = 0; i < COUNT; i += 5) remove_value(e[i], type);
    note();
    covey_pool_compact(pool, NULL, NULL);
    if (type != covey_id(Ordered)) positions_stay(all);
    if (type != covey_id(Ordered) && type != covey_id(Blocked)) addresses_stay(all);
    values_stay(all);
    uint32_t last = 0; /* the order stays */
    for (uint32_t i = 0; i < COUNT && type == covey_id(Ordered); i++) {
        if (!before[i].at) continue;
        assert_true(i == 1 || position_of(e[i]) == last + 1);
        last = position_of(e[i]);
    }
}

/* What moved was told of, with both addresses; all else stays. */
static uint32_t told;
static bool was_moved[COUNT];
static void hear_of_move(covey_entity who, const void *from, void *to, void *context) {
    uint32_t i = 0;
    assert_ptr_equal(context, &told);
    while (!covey_same(e[i], who)) i++;
    assert_ptr_equal(before[i].at, from);
    assert_ptr_equal(get_value(who, pool->type), to); /* the world may be read meanwhile */
    assert_true(covey_pool_next(pool, position_of(who)) == position_of(who));
    uint32_t seen = 0;
    for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1)) seen++;
    assert_int_equal(
        seen, covey_view_count(&(covey_view){ .world = world, .types = { pool->type }, .with = 1, .fields = 1 }));
    was_moved[i] = true;
    told++;
}
static bool was_not_moved(uint32_t i) { return !was_moved[i]; }

FOR_EACH_TYPE(test_packing) {
    told = 0;
    memset(was_moved, 0, sizeof was_moved);
    assert_int_equal(covey_pool_compact(pool, hear_of_move, &told),
                     type == covey_id(Fixed) ? COVEY_OK : COVEY_ERROR_REFUSED);
    all_stay(); /* refused, or without holes */
    for (uint32_t i = 0; i < COUNT; i += 5) remove_value(e[i], type);
    note();
    uint32_t holes = (covey_pool_position_count)(pool)-covey_pool_count(pool);
    assert_int_equal(covey_pool_compact(pool, hear_of_move, &told),
                     type == covey_id(Fixed) ? COVEY_OK : COVEY_ERROR_REFUSED);
    addresses_stay(was_not_moved);
    values_stay(all);
    if (type != covey_id(Fixed)) {
        assert_int_equal(told, 0);
        return;
    }
    assert_true(told != 0 && told <= holes && (covey_pool_position_count)(pool) == covey_pool_count(pool));
    add_value(e[0], type, 0); /* there is no hole that it could fill */
    assert_int_equal(position_of(e[0]), covey_pool_count(pool) - 1);
    remove_value(e[1], type);
    note();
    assert_int_equal(covey_pool_compact(pool, hear_of_move, &told), COVEY_OK);
    assert_int_equal((covey_pool_position_count)(pool), covey_pool_count(pool));
}

FOR_EACH_TYPE(test_clearing) {
    const covey_entity *ids = (covey_pool_ids)(pool);
    const void *values = (covey_pool_values_raw)(pool);
    covey_clear_raw(world, type);
    assert_int_equal(covey_pool_count(pool), 0);
    assert_ptr_equal((covey_pool_ids)(pool), ids);
    assert_ptr_equal((covey_pool_values_raw)(pool), values);
    for (uint32_t i = 0; i < COUNT; i++) assert_true(covey_alive(world, e[i]) && !get_value(e[i], type));
}

/* ---- Iterations ---------------------------------------------------------------------------------------------------*/

static uint32_t seen[COUNT];

static uint32_t number_of(covey_entity of) {
    for (uint32_t i = 0; i < COUNT; i++)
        if (e[i].index == of.index) return i;
    return COUNT;
}

static void all_seen_once(void) {
    for (uint32_t i = 0; i < COUNT; i++) assert_int_equal(seen[i], before[i].at ? 1 : 0);
}

/* Visits rows, whose fields are where they are now, while something happens. */
static void visit_rows(const covey_type *type, void (*happens)(covey_entity own, const covey_type *type)) {
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { type }, .optional = { covey_id(Other) } });
    covey_iter it = covey_view_iter(&view);
    memset(seen, 0, sizeof seen);
    for (covey_row row = { 0 }; covey_next_row(&it, &row);) {
        covey_entity own = covey_row_entity(&it, row);
        uint32_t number = number_of(own);
        if (number == COUNT) continue; /* new: whether these are visited is not promised */
        seen[number]++;
        happens(own, type);
        if (!covey_pool_has(pool, own)) continue;
        assert_ptr_equal(covey__row_value(&it, covey__row_index(&it, row), 0), get_value(own, type));
        assert_ptr_equal(covey_row_field(&it, row, 1, Other), covey_get(world, own, Other));
        assert_value(own, type, number);
    }
    all_seen_once();
    test_world_is_valid(world);
}

static void make_others(covey_entity own, const covey_type *type) {
    (void)own;
    for (uint32_t i = 0; i < 3; i++) create_with(type, i);
}
static void give_others(covey_entity own, const covey_type *type) {
    uint32_t other = (number_of(own) / 3 * 3 + 2) % COUNT;
    if (!get_value(e[other], type)) add_value(e[other], type, other);
}
static void lose_own(covey_entity own, const covey_type *type) { assert_true(remove_value(own, type)); }
static void destroy_own(covey_entity own, const covey_type *type) {
    (void)type;
    assert_true(covey_destroy(world, own));
}
static void regain_own(covey_entity own, const covey_type *type) {
    Value kept = *get_value(own, type);
    covey_entity lost = own;
    assert_true(remove_value(lost, type) && add_value(lost, type, kept.number));
}
static void give_other_pool(covey_entity own, const covey_type *type) {
    (void)type;
    if (!covey_remove(world, own, Other)) assert_non_null(covey_add(world, own, Other, { 1, ~1u }));
}
static void tidy_up(covey_entity own, const covey_type *type) {
    (void)own, (void)type;
    assert_int_equal(covey_pool_reserve(pool, 400), COVEY_OK);
    covey_pool_shrink(pool);
    covey_compact(world); /* no pool has holes */
}

FOR_EACH_TYPE(test_rows_go_on_while_others_are_made) { visit_rows(type, make_others); }
FOR_EACH_TYPE(test_rows_go_on_while_other_pools_change) { visit_rows(type, give_other_pool); }
FOR_EACH_TYPE(test_rows_go_on_while_pools_are_tidied) { visit_rows(type, tidy_up); }
FOR_EACH_TYPE(test_rows_go_on_when_they_lose_their_own) { visit_rows(type, lose_own); }
FOR_EACH_TYPE(test_rows_go_on_when_they_die) { visit_rows(type, destroy_own); }

static void visit_and_forget(const covey_type *type, void (*happens)(covey_entity own, const covey_type *type),
                             which_fn *expected) {
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { type } });
    covey_iter it = covey_view_iter(&view);
    memset(seen, 0, sizeof seen);
    for (covey_row row = { 0 }; covey_next_row(&it, &row);) {
        covey_entity own = covey_row_entity(&it, row);
        seen[number_of(own)]++;
        happens(own, type);
    }
    for (uint32_t i = 0; i < COUNT; i++)
        if (expected(i)) assert_int_equal(seen[i], 1);
    values_stay(all);
}
FOR_EACH_TYPE(test_rows_go_on_when_they_lose_and_regain_their_own) { visit_and_forget(type, regain_own, has_at_first); }
FOR_EACH_TYPE(test_rows_go_on_while_others_get_it) { visit_and_forget(type, give_others, has_at_first); }

/* The arrays of a span stay while values of any component are written, and other pools change. */
FOR_EACH_TYPE(test_spans_go_on_while_values_are_written) {
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { type } });
    covey_iter it = covey_view_iter(&view);
    memset(seen, 0, sizeof seen);
    while (covey_next(&it)) {
        Value *values = covey_field_raw(&it, 0);
        for (uint32_t i = 0; i < it.count; i++) {
            uint32_t number = number_of(covey_span_entity(&it, i));
            Value value = value_of(number);
            assert_ptr_equal(covey_set_raw(world, e[number], type, &value), values + i);
            create_with(covey_id(Other), 1);
            covey_remove(world, e[number], Other);
            assert_int_equal(values[i].number, number);
            seen[number]++;
        }
    }
    all_seen_once();
    all_stay();
}

FOR_EACH_TYPE(test_a_walk_over_all_entities_goes_on_when_they_die) {
    uint32_t met = 0;
    for (covey_entity at = covey_entity_next(world, entity(0, 0)); !covey_is_null(at);
         at = covey_entity_next(world, at), met++)
        assert_true(covey_destroy(world, at));
    assert_int_equal(met, COUNT);
    assert_int_equal(covey_pool_count(pool), 0);
    assert_null(get_value(e[0], type));
}

/* ---- Order --------------------------------------------------------------------------------------------------------*/

static bool is_sortable(const covey_type *type) { return !is_block(type) && type != covey_id(Fixed); }

static bool from_the_fourth(uint32_t i) { return i >= 4; }

FOR_EACH_TYPE(test_sorting) {
    const covey_order by_number = { .key = COVEY_KEY_U32 };
    assert_int_equal(covey_pool_sort(pool, &by_number), is_sortable(type) ? COVEY_OK : COVEY_ERROR_REFUSED);
    all_stay(); /* refused, or sorted already */
    if (!is_sortable(type)) return;
    assert_int_equal(covey_pool_swap(pool, e[0], e[3]), COVEY_OK);
    assert_int_equal(covey_pool_sort(pool, &(covey_order){ .key = COVEY_KEY_U32, .count = 3 }), COVEY_OK);
    addresses_stay(from_the_fourth); /* what has its place stays */
    positions_stay(all);
    assert_int_equal(covey_pool_sort(pool, &(covey_order){ .key = COVEY_KEY_U32, .descending = true }), COVEY_OK);
    values_stay(all);
    for (uint32_t i = 0; i < COUNT; i++)
        if (before[i].at) assert_int_equal(position_of(e[i]), covey_pool_count(pool) - 1 - before[i].position);
    assert_int_equal(covey_pool_sort(pool, &(covey_order){ .key = COVEY_KEY_U64, .offset = 4 }), COVEY_ERROR_RANGE);
}

FOR_EACH_TYPE(test_sorting_as_another_pool) {
    covey_pool *other = covey_pool_of(world, Other); /* even ones, by index */
    assert_int_equal(covey_pool_sort_as(pool, other), is_sortable(type) ? COVEY_OK : COVEY_ERROR_REFUSED);
    values_stay(all);
    if (!is_sortable(type)) return;
    uint32_t at = 0;
    for (uint32_t i = 0; i < COUNT; i += 2)
        if (before[i].at) assert_int_equal(position_of(e[i]), at++);
    for (uint32_t i = 1; i < COUNT; i += 2)
        if (before[i].at) assert_int_equal(position_of(e[i]), at++);
}

/* From then on the pool is sorted after each call; what lies before a change does not move, but for growing. */
FOR_EACH_TYPE(test_keeping_order) {
    const covey_order by_number = { .key = COVEY_KEY_U32 };
    bool keeps = type == covey_id(Packed);
    assert_int_equal(covey_pool_keep_sorted(pool, &by_number), keeps ? COVEY_OK : COVEY_ERROR_REFUSED);
    all_stay();
    if (!keeps) return;
    for (uint32_t i = 0; i < COUNT; i++) {
        if (has_at_first(i)) continue;
        const Value *added = add_value(e[i], type, i);
        assert_ptr_equal(added, get_value(e[i], type)); /* the final address */
    }
    for (uint32_t i = 0; i < COUNT; i++) assert_int_equal(position_of(e[i]), i);
    note();
    for (uint32_t i = 10; i < COUNT; i += 2) assert_true(remove_value(e[i], type));
    for (uint32_t i = 0; i < 10; i++) assert_ptr_equal(get_value(e[i], type), before[i].at);
    for (uint32_t i = 11; i < COUNT; i += 2) assert_int_equal(position_of(e[i]), 10 + (i - 11) / 2);
    assert_int_equal(covey_pool_sort(pool, &by_number), COVEY_ERROR_REFUSED);
    assert_int_equal(covey_pool_sort_as(pool, covey_pool_of(world, Other)), COVEY_ERROR_REFUSED);
    assert_int_equal(covey_pool_swap(pool, e[0], e[1]), COVEY_ERROR_REFUSED);
    assert_int_equal(covey_pool_convert(pool, COVEY_STORAGE_BLOCK), COVEY_ERROR_REFUSED);
    assert_int_equal(covey_pool_keep_sorted(pool, &(covey_order){ .count = 2 }), COVEY_ERROR_RANGE);
    assert_int_equal(covey_pool_keep_sorted(pool, NULL), COVEY_OK);
    assert_int_equal(covey_pool_sort(pool, NULL), COVEY_OK);
}

/* Removing the row's entity from a pool that is kept sorted shifts only what was visited. */
static void test_rows_of_a_kept_pool_may_lose_their_own(void **state) {
    (void)state;
    fill_world(covey_id(Packed));
    assert_int_equal(covey_pool_keep_sorted(pool, &(covey_order){ .key = COVEY_KEY_U32 }), COVEY_OK);
    visit_rows(covey_id(Packed), lose_own);
}

typedef Value Lazy;
COVEY_COMPONENT_DEFINE(Lazy, .policy = COVEY_ORDERED, .compact_above = 50);

static void test_compaction_waits_for_holes(void **state) {
    (void)state;
    fill_world(covey_id(Lazy)); /* 100 */
    for (uint32_t i = 0, removed = 0; removed < 50; i++) removed += remove_value(e[i], covey_id(Lazy));
    note();
    covey_compact(world);
    all_stay();
    assert_int_equal((covey_pool_position_count)(pool), 100);
    assert_true(remove_value(e[COUNT - 2], covey_id(Lazy)));
    covey_compact(world);
    assert_int_equal((covey_pool_position_count)(pool), 49);
    before[COUNT - 2].at = NULL;
    values_stay(all);
}

/* ---- Groups -------------------------------------------------------------------------------------------------------*/

typedef Value Second;
typedef Value Third;
COVEY_COMPONENT_DEFINE(Second, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Third, .storage = COVEY_STORAGE_SPARSE);

/* Packed and Second are owned; Other is in blocks, and excluded. All entities have Packed, every third also Second. */
static covey_group *fill_group(void) {
    assert_true(covey_create_many(world, e, COUNT));
    pool = covey_pool_of(world, Packed);
    for (uint32_t i = 0; i < COUNT; i++) {
        add_value(e[i], covey_id(Packed), i);
        if (i % 3 == 0) add_value(e[i], covey_id(Second), i);
    }
    covey_group *group = covey_group_create(
        world, &(covey_group_desc){ .own = { covey_id(Packed), covey_id(Second) }, .without = { covey_id(Other) } });
    assert_non_null(group);
    note();
    return group;
}

static bool is_member(uint32_t i) {
    return covey_has_all(world, e[i], Packed, Second) && !covey_has(world, e[i], Other);
}

/* The members, and no other entities, come first in both pools, in the same order. */
static void group_is_right(const covey_group *group) {
    covey_pool *second = covey_pool_of(world, Second);
    uint32_t count = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        bool member = is_member(i);
        assert_int_equal(covey_group_contains(group, e[i]), member);
        if (!member) continue;
        count++;
        assert_true(position_of(e[i]) < covey_group_count(group));
        assert_same(covey_pool_at(second, position_of(e[i])), e[i]);
    }
    assert_int_equal(covey_group_count(group), count);
    if (count != 0) assert_same(covey_group_first(group), (covey_pool_ids)(pool)[0]);
    else assert_no_entity(covey_group_first(group));
    values_stay(all);
    test_world_is_valid(world);
}

static void test_a_change_of_one_pool_moves_values_of_all_that_a_group_owns(void **state) {
    (void)state;
    covey_group *group = fill_group();
    group_is_right(group);
    uint32_t count = covey_group_count(group);
    covey_entity stranger = (covey_pool_ids)(pool)[count + 5]; /* has no Second; so it joins with it */
    covey_entity displaced = (covey_pool_ids)(pool)[count];
    Value *added = add_value(stranger, covey_id(Second), 7);
    assert_ptr_equal(added, covey_get(world, stranger, Second)); /* the final address */
    assert_int_equal(position_of(stranger), count);
    assert_int_equal(position_of(displaced), count + 5);
    assert_true(remove_value(stranger, covey_id(Second)));
    group_is_right(group);
    covey_entity first = covey_group_first(group), last = (covey_pool_ids)(pool)[count - 1];
    assert_non_null(covey_add(world, first, Other, { 1, ~1u })); /* it leaves: in Packed, too */
    assert_int_equal(position_of(first), count - 1);
    assert_int_equal(position_of(last), 0);
    assert_true(covey_remove(world, first, Other));
    assert_true(covey_group_contains(group, first));
    group_is_right(group);
}

static void test_what_is_no_matter_to_a_group_moves_nothing(void **state) {
    (void)state;
    covey_group *group = fill_group();
    for (uint32_t i = 0; i < COUNT; i++)
        if (!is_member(i)) assert_non_null(covey_add(world, e[i], Other, { i, ~i }));
    for (uint32_t i = 0; i < COUNT; i++) assert_non_null(add_value(e[i], covey_id(Third), i));
    all_stay();
    covey_group *listed = covey_group_create(world, &(covey_group_desc){ .with = { covey_id(Packed) } });
    assert_int_equal(covey_group_count(listed), COUNT); /* owns nothing */
    assert_int_equal(covey_group_sort(listed, 0, &(covey_order){ .descending = true }), COVEY_OK);
    assert_same(covey_group_first(listed), e[COUNT - 1]);
    all_stay();
    covey_group_destroy(listed);
    covey_group_destroy(group);
    all_stay();
    assert_int_equal(covey_world_group_count(world), 0);
}

static void test_pools_of_a_group_refuse_other_orders(void **state) {
    (void)state;
    covey_group *group = fill_group();
    assert_int_equal(covey_pool_sort(pool, NULL), COVEY_ERROR_REFUSED);
    assert_int_equal(covey_pool_sort_as(pool, covey_pool_of(world, Other)), COVEY_ERROR_REFUSED);
    assert_int_equal(covey_pool_keep_sorted(pool, &(covey_order){ 0 }), COVEY_ERROR_REFUSED);
    assert_int_equal(covey_pool_swap(pool, e[0], e[1]), COVEY_ERROR_REFUSED);
    assert_int_equal(covey_pool_convert(pool, COVEY_STORAGE_BLOCK), COVEY_ERROR_REFUSED);
    assert_null(covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Packed), covey_id(Third) } }));
    assert_failed(COVEY_ERROR_CONFLICT);
    assert_null(covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Pinned) } }));
    assert_failed(COVEY_ERROR_REFUSED);
    assert_null(covey_group_create(world, &(covey_group_desc){ .without = { covey_id(Other) } }));
    assert_failed(COVEY_ERROR_TYPE);
    all_stay();
    group_is_right(group);
}

static bool is_no_member(uint32_t i) { return !is_member(i); }

static void test_sorting_a_group_moves_its_members_only(void **state) {
    (void)state;
    covey_group *group = fill_group();
    const covey_order down = { .key = COVEY_KEY_U32, .descending = true };
    assert_int_equal(covey_group_sort(group, 1, &down), COVEY_OK);
    addresses_stay(is_no_member);
    positions_stay(is_no_member);
    for (uint32_t i = 0; i < COUNT; i += 3) assert_int_equal(position_of(e[i]), (COUNT - 1) / 3 - i / 3);
    group_is_right(group);
    assert_int_equal(covey_group_sort(group, 2, &down), COVEY_ERROR_RANGE); /* excluded: no field */
    covey_group *inner =
        covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Packed), covey_id(Second), covey_id(Third) },
                                                       .without = { covey_id(Other) } });
    assert_non_null(inner);
    assert_int_equal(covey_group_sort(group, 0, &down), COVEY_ERROR_REFUSED);
    assert_int_equal(covey_group_sort(inner, 0, &down), COVEY_OK);
    assert_ptr_equal(covey_world_group(world, 0), group); /* the outer one */
    assert_ptr_equal(covey_world_group(world, 1), inner);
}

static void test_a_group_that_owns_all_is_one_span(void **state) {
    (void)state;
    covey_group *group = fill_group();
    covey_iter it = covey_group_iter(group);
    assert_true(covey_next(&it));
    assert_int_equal(it.count, covey_group_count(group));
    assert_ptr_equal(covey_field(&it, 0, Packed), covey_pool_values(pool, Packed));
    assert_ptr_equal(covey_field(&it, 1, Second), covey_pool_values(covey_pool_of(world, Second), Second));
    for (uint32_t i = 0; i < it.count; i++) covey_field(&it, 0, Packed)[i].check ^= 1; /* values may be written */
    for (uint32_t i = 0; i < it.count; i++) covey_field(&it, 0, Packed)[i].check ^= 1;
    add_value(e[0], covey_id(Third), 1); /* pools that it does not name may change */
    assert_false(covey_next(&it));
    all_stay();
}

/* Rows from the first to the last; each is visited once, whatever happens to its entity, and to those who join. */
static void visit_members(covey_group *group, void (*happens)(covey_entity own, const covey_type *type)) {
    bool expected[COUNT];
    uint32_t last = COVEY_NONE;
    for (uint32_t i = 0; i < COUNT; i++) expected[i] = is_member(i);
    memset(seen, 0, sizeof seen);
    covey_iter it = covey_group_iter(group);
    for (covey_row row = { 0 }; covey_next_row(&it, &row);) {
        covey_entity own = covey_row_entity(&it, row);
        assert_true(last == COVEY_NONE || position_of(own) >= last); /* the same, if the last row left */
        last = position_of(own);
        seen[number_of(own)]++;
        assert_ptr_equal(covey_row_field(&it, row, 1, Second), covey_get(world, own, Second));
        happens(own, covey_id(Second));
    }
    for (uint32_t i = 0; i < COUNT; i++) assert_int_equal(seen[i], expected[i] ? 1 : 0);
    test_world_is_valid(world);
}

static void let_another_join(covey_entity own, const covey_type *type) {
    uint32_t other = number_of(own) + 1;
    assert_non_null(add_value(e[other], type, other));
}
static void exclude_own(covey_entity own, const covey_type *type) {
    (void)type;
    assert_non_null(covey_add(world, own, Other, { 1, ~1u }));
}

static void test_rows_of_a_group_may_leave_it_and_die(void **state) {
    (void)state;
    covey_group *group = fill_group();
    visit_members(group, let_another_join);
    group_is_right(group);
    visit_members(group, exclude_own);
    assert_int_equal(covey_group_count(group), 0);
    covey_clear(world, Other);
    group_is_right(group);
    visit_members(group, lose_own);
    assert_int_equal(covey_group_count(group), 0);
    for (uint32_t i = 0; i < COUNT; i += 2) add_value(e[i], covey_id(Second), i);
    visit_members(group, destroy_own);
    assert_int_equal(covey_entity_count(world), COUNT / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_other_pools_and_new_entities_move_nothing),
        WORLD_TEST(test_writing_moves_nothing),
        WORLD_TEST(test_looking_moves_nothing),
        WORLD_TEST(test_a_call_that_fails_moves_nothing),
        WORLD_TEST(test_adding),
        WORLD_TEST(test_adding_to_blocks_moves_those_around_only),
        WORLD_TEST(test_removing),
        WORLD_TEST(test_stable_addresses),
        WORLD_TEST(test_destroying),
        WORLD_TEST(test_swapping),
        WORLD_TEST(test_reserving_and_shrinking),
        WORLD_TEST(test_compacting),
        WORLD_TEST(test_packing),
        WORLD_TEST(test_clearing),
        WORLD_TEST(test_rows_go_on_while_others_are_made),
        WORLD_TEST(test_rows_go_on_while_other_pools_change),
        WORLD_TEST(test_rows_go_on_while_pools_are_tidied),
        WORLD_TEST(test_rows_go_on_when_they_lose_their_own),
        WORLD_TEST(test_rows_go_on_when_they_die),
        WORLD_TEST(test_rows_go_on_when_they_lose_and_regain_their_own),
        WORLD_TEST(test_rows_go_on_while_others_get_it),
        WORLD_TEST(test_spans_go_on_while_values_are_written),
        WORLD_TEST(test_a_walk_over_all_entities_goes_on_when_they_die),
        WORLD_TEST(test_sorting),
        WORLD_TEST(test_sorting_as_another_pool),
        WORLD_TEST(test_keeping_order),
        WORLD_TEST(test_rows_of_a_kept_pool_may_lose_their_own),
        WORLD_TEST(test_compaction_waits_for_holes),
        WORLD_TEST(test_a_change_of_one_pool_moves_values_of_all_that_a_group_owns),
        WORLD_TEST(test_what_is_no_matter_to_a_group_moves_nothing),
        WORLD_TEST(test_pools_of_a_group_refuse_other_orders),
        WORLD_TEST(test_sorting_a_group_moves_its_members_only),
        WORLD_TEST(test_a_group_that_owns_all_is_one_span),
        WORLD_TEST(test_rows_of_a_group_may_leave_it_and_die),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
