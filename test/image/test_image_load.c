/* Worlds from bytes: a loaded world equals the saved one, and continues like it; observers are told of everything; and
 * a refused image changes nothing. */
#include "hearing.h"
#include "hostile.h"
#include "images.h"
#include "owned.h"

#include <covey/commands.h>
#include <covey/hierarchy.h>

/* ---- Two worlds ---------------------------------------------------------------------------------------------------*/

/* The first is saved; the second, that of the fixture, is what it is loaded into. */
static covey_world *origin;
static test_heap origin_heap;
static covey_buffer image, again;

static int load_setup(void **state) {
    image = again = (covey_buffer){ 0 };
    origin = image_world(&origin_heap);
    return owned_setup(state);
}

static int load_teardown(void **state) {
    covey_buffer_free(&image);
    covey_buffer_free(&again);
    covey_world_destroy(origin);
    return owned_teardown(state);
}

#define LOAD_TEST(test) cmocka_unit_test_setup_teardown(test, load_setup, load_teardown)

static const covey_load_desc known = { .types = image_types };

static void save(covey_world *of, covey_buffer *to) {
    to->size = 0;
    assert_int_equal(covey_save_to_buffer(of, to, NULL, NULL), COVEY_OK);
}

static void load(const covey_load_desc *desc) {
    covey_report report;
    covey_result result = covey_load_from_memory(world, image.bytes, image.size, desc, &report);
    if (result != COVEY_OK) fail_msg("%s (byte %llu)", report.text, (unsigned long long)report.offset);
    assert_int_equal(report.result, COVEY_OK);
    assert_int_equal(report.fault, COVEY_FAULT_NONE);
    test_world_is_valid(world);
}

static void save_and_load(void) {
    save(origin, &image);
    load(&known);
}

static void assert_bytes_again(void) {
    save(world, &again);
    assert_int_equal(again.size, image.size);
    assert_memory_equal(again.bytes, image.bytes, image.size);
}

/* The image is refused for this reason; the log is called once, and the world is unchanged. */
static covey_report fails_to_load(const covey_load_desc *desc, covey_result reason) {
    covey_report report;
    uint64_t digest = image_digest(world);
    uint32_t times = heard.times;
    memset(&report, 0xAA, sizeof report);
    assert_int_equal(covey_load_from_memory(world, image.bytes, image.size, desc, &report), reason);
    assert_int_equal(heard.times, times + 1);
    assert_failed(reason);
    assert_int_equal(report.result, reason);
    assert_non_null(strstr(heard.text, report.text));
    assert_int_equal(image_digest(world), digest);
    test_world_is_valid(world);
    return report;
}

/* ---- What it is ---------------------------------------------------------------------------------------------------*/

static void test_a_world_is_what_it_was(void **state) {
    (void)state;
    assert_true(image_fill(origin));
    save_and_load();
    assert_bytes_again();
    covey_clear(origin, Lost); /* which is transient */
    assert_int_equal(image_digest(world), image_digest(origin));
    assert_int_equal(heard.times, 0);
}

static void test_an_empty_world_can_be_saved_and_loaded(void **state) {
    (void)state;
    save_and_load();
    assert_bytes_again();
    assert_int_equal(covey_entity_count(world), 0);
    assert_same(covey_create(world), covey_create(origin));
}

/* So large that it is copied past the caches, and that pages of blocks are full; the last ones are not. */
static void test_a_large_world_is_what_it_was(void **state) {
    (void)state;
    uint32_t count = COVEY_NONE < 540000 ? COVEY_NONE - 1 : 540000;
    for (uint32_t i = 0; i < count; i++) {
        covey_entity e = covey_create(origin);
        Number number = image_number(i);
        assert_non_null(covey_add_value(origin, e, InPins, &number));
        assert_non_null(covey_add_value(origin, e, Blob, &number));
        if (i < count - count / 8 || i % 3 == 0) assert_non_null(covey_add_value(origin, e, InBlocks, &number));
    }
    save_and_load();
    assert_bytes_again();
    for (uint32_t i = 0; i < count; i++) {
        covey_entity e = covey__entity(i, 1);
        Number number = image_number(i);
        assert_memory_equal(covey_get(world, e, InPins), &number, sizeof number);
        assert_memory_equal(covey_get(world, e, Blob), &number, sizeof number);
        bool there = i < count - count / 8 || i % 3 == 0;
        assert_int_equal(covey_has(world, e, InBlocks), there);
        if (there) assert_memory_equal(covey_get(world, e, InBlocks), &number, sizeof number);
    }
    covey_entity fresh = covey_create(world);
    assert_int_equal(fresh.index, covey_is_null(fresh) ? 0 : count);
    for (uint32_t i = 0; i < count; i += 7) assert_true(covey_destroy(world, covey__entity(i, 1)));
    test_world_is_valid(world);

    /* The same with many that are free. */
    test_heap third_heap;
    covey_world *third = image_world(&third_heap);
    save(world, &image);
    assert_int_equal(covey_load_from_memory(third, image.bytes, image.size, &known, NULL), COVEY_OK);
    test_world_is_valid(third);
    save(third, &again);
    assert_int_equal(again.size, image.size);
    assert_memory_equal(again.bytes, image.bytes, image.size);
    covey_world_destroy(third);
}

static void create(uint32_t count) {
    for (uint32_t i = 0; i < count; i++) assert_false(covey_is_null(covey_create(origin)));
}

static void test_a_range_that_others_went_over_stays_reserved(void **state) {
    (void)state;
    covey_range range = covey_range_reserve(origin, 3, 2);
    create(8);
    save_and_load();
    assert_bytes_again();
    assert_int_equal(covey_create_in(world, range).index, 3);
    assert_int_equal(covey_create(world).index, 10);
}

/* What an image says is alive, where all but one are. */
static void test_the_dead_among_many_have_no_components(void **state) {
    (void)state;
    if (COVEY_NONE <= 128) return; /* the world would be too small */
    create(128);
    for (uint32_t i = 0; i < 128; i++) assert_non_null(covey_add(origin, covey__entity(i, 1), InBlocks, { i, ~i }));
    assert_true(covey_destroy(origin, (covey_entity){ 5, 1 }));
    save(origin, &image);
    const unsigned char mask[8] = { 0xDF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF };
    size_t at = 0;
    while (memcmp(image.bytes + at, mask, sizeof mask) != 0) at++;
    image.bytes[at] = 0xBF; /* index 5, and not 6 */
    image_mend(image.bytes, image.size);
    assert_int_equal(fails_to_load(&known, COVEY_ERROR_IMAGE).fault, COVEY_FAULT_ENTITY);
}

/* 0 as a generation says so. */
static void test_an_index_among_many_may_be_retired(void **state) {
    (void)state;
    uint32_t count = COVEY_NONE <= 40 ? COVEY_NONE - 1 : 40, index = count / 2;
    create(count);
    save(origin, &image);
    size_t generations = 16 + 16 + 12 + 8; /* behind the header, the world, three numbers and one run */
    assert_int_equal(image.bytes[generations + (size_t)index * 4], 1);
    image.bytes[generations + (size_t)index * 4] = 0;
    image.bytes[16 + 8] = (unsigned char)(count - 1); /* that are alive */
    image_mend(image.bytes, image.size);
    load(&known);
    assert_bytes_again();
    assert_int_equal(covey_entity_count(world), count - 1);
    assert_true(covey_is_null(covey_create_at(world, index)));
    assert_int_equal(covey_world_result(world), COVEY_ERROR_TAKEN);
}

static void test_handles_stay_valid_and_stale_ones_stay_stale(void **state) {
    (void)state;
    covey_entity alive = covey_create(origin), dead = covey_create(origin);
    assert_true(covey_destroy(origin, dead));
    covey_entity reborn = covey_create(origin);
    assert_int_equal(reborn.index, dead.index);
    save_and_load();
    assert_true(covey_alive(world, alive) && covey_alive(world, reborn));
    assert_false(covey_alive(world, dead));
    assert_null(covey_add(world, dead, InPack, { 1, 2 }));
}

/* Values, by their handles, in each storage. */
static void test_every_storage_is_loaded(void **state) {
    (void)state;
    assert_true(image_fill(origin));
    save_and_load();
    for (covey_entity e = { 0, 0 }; !covey_is_null(e = covey_entity_next(origin, e));) {
        for (uint32_t k = 0; k < NUMBER_TYPES; k++) {
            const Number *was = covey_get_raw(origin, e, number_types[k]);
            const Number *is = covey_get_raw(world, e, number_types[k]);
            assert_int_equal(!was, !is);
            if (was) assert_memory_equal(was, is, sizeof *was);
        }
        const Kinds *was = covey_get(origin, e, Kinds), *is = covey_get(world, e, Kinds);
        assert_int_equal(!was, !is);
        if (was) assert_true(was->i64 == is->i64 && was->spots[1].x == is->spots[1].x && is->flags[0]);
        assert_int_equal(covey_has(origin, e, PlainTag), covey_has(world, e, PlainTag));
        assert_int_equal(covey_has(origin, e, SparseTag), covey_has(world, e, SparseTag));
        assert_false(covey_has(world, e, Lost));
    }
    for (uint32_t k = 0; k < NUMBER_TYPES; k++) {
        const covey_pool *was = covey_pool_find_raw(origin, number_types[k]);
        const covey_pool *is = covey_pool_find_raw(world, number_types[k]);
        assert_int_equal((covey_pool_position_count)(is), (covey_pool_position_count)(was)); /* holes included */
        uint32_t a = covey_pool_next(was, 0), b = covey_pool_next(is, 0);
        for (; a != COVEY_NONE && a == b; a = covey_pool_next(was, a + 1), b = covey_pool_next(is, b + 1))
            assert_same(covey_pool_at(was, a), covey_pool_at(is, b));
        assert_int_equal(a, b);
    }
}

/* Where a type promises that nothing is left behind, a hole from an image has nothing in it, either. */
static void test_holes_are_zero(void **state) {
    (void)state;
    static const Number zero = { 0, 0 };
    covey_entity e[3];
    assert_true(covey_create_many(origin, e, 3));
    for (uint32_t i = 0; i < 3; i++) assert_non_null(covey_add(origin, e[i], InPlace, { 5, 6 }));
    assert_true(covey_remove(origin, e[1], InPlace));
    save_and_load();
    const Number *first = covey_get(world, e[0], InPlace);
    assert_memory_equal(first + 1, &zero, sizeof zero);
}

static void test_padding_and_lost_pointers_are_the_defaults(void **state) {
    (void)state;
    Kinds kinds = kinds_of(3, entity(0, 0));
    kinds.cache = &kinds;
    covey_entity e = covey_create(origin);
    assert_non_null(covey_add_value(origin, e, Kinds, &kinds));
    save_and_load();
    assert_null(covey_get(world, e, Kinds)->cache);
    assert_int_equal(covey_get(world, e, Kinds)->spots[1].x, 6);
}

static void test_free_indices_come_back_in_the_same_order(void **state) {
    (void)state;
    covey_entity e[20];
    assert_true(covey_create_many(origin, e, 20));
    static const uint32_t order[] = { 4, 17, 3, 9, 0, 12 };
    for (uint32_t i = 0; i < COUNT_OF(order); i++) assert_true(covey_destroy(origin, e[order[i]]));
    save_and_load();
    for (uint32_t i = 0; i < 12; i++) assert_same(covey_create(world), covey_create(origin));
}

static void test_reserved_ranges_and_retired_indices_stay_so(void **state) {
    (void)state;
    assert_true(image_fill(origin));
    save_and_load();
    covey_range range = { 40, 4 };
    for (uint32_t i = 0; i < 4; i++) assert_same(covey_create_in(world, range), covey_create_in(origin, range));
    assert_no_entity(covey_create_in(world, range));
    assert_failed(COVEY_ERROR_FULL);
    assert_no_entity(covey_create_at(world, 20));
    assert_failed(COVEY_ERROR_TAKEN);
    for (uint32_t i = 0; i < 50; i++) {
        covey_entity a = covey_create(world), b = covey_create(origin);
        assert_same(a, b);
        assert_true(a.index != 20 && (a.index < 40 || a.index >= 44));
    }
    test_world_is_valid(world);
}

static void change(covey_world *of, test_random *random) {
    covey_entity e = { 0, 0 };
    uint32_t wanted = test_below(random, covey_entity_count(of) + 1);
    for (uint32_t i = 0; i <= wanted; i++) e = covey_entity_next(of, e);
    const covey_type *type = number_types[test_below(random, NUMBER_TYPES)];
    Number number = image_number(test_next(random));
    switch (test_below(random, 12)) {
    case 0: covey_create(of); break;
    case 1: covey_destroy(of, e); break;
    case 2: covey_component_disable_raw(of, e, type); break;
    case 3:
        if (test_below(random, 4) == 0) covey_compact(of);
        break;
    case 4:
    case 5:
    case 6: covey_remove_raw(of, e, type); break;
    default: covey_set_raw(of, e, type, &number); break;
    }
}

static void test_the_same_calls_give_the_same_results(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 10; seed++) {
        test_random random = { seed };
        for (uint32_t i = 0; i < 200; i++) change(origin, &random);
        save_and_load();
        assert_bytes_again();
        test_random same = random;
        for (uint32_t i = 0; i < 200; i++) {
            change(origin, &random);
            change(world, &same);
        }
        assert_int_equal(world_digest(world), world_digest(origin));
        covey_world_desc desc = world_desc();
        test_world_is_valid(world);
        covey_world_destroy(world);
        world = covey_world_create(&desc);
    }
}

static void test_a_pool_that_was_converted_is_so_again(void **state) {
    (void)state;
    assert_true(image_fill(origin));
    assert_int_equal(covey_pool_convert(covey_pool_of(origin, InBlocks), COVEY_STORAGE_SPARSE), COVEY_OK);
    assert_int_equal(covey_pool_convert(covey_pool_of(origin, InPack), COVEY_STORAGE_BLOCK), COVEY_OK);
    save_and_load();
    assert_non_null((covey_pool_ids)(covey_pool_of(world, InBlocks)));
    assert_null((covey_pool_ids)(covey_pool_of(world, InPack)));
    assert_bytes_again();
}

static void test_a_pool_that_was_converted_to_pinned_is_so_again(void **state) {
    (void)state;
    assert_true(image_fill(origin));
    assert_int_equal(covey_pool_convert(covey_pool_of(origin, InBlocks), COVEY_STORAGE_PINNED), COVEY_OK);
    save_and_load();
    assert_int_equal(covey_pool_storage(covey_pool_of(world, InBlocks)), COVEY_STORAGE_PINNED);
    assert_bytes_again();
}

static void test_ticks_are_what_they_were(void **state) {
    (void)state;
    covey_entity e[3];
    assert_true(covey_create_many(origin, e, 3));
    for (uint32_t i = 0; i < 3; i++) {
        assert_non_null(covey_add(origin, e[i], InPins, { i, ~i }));
        covey_tick_advance(origin);
    }
    save_and_load();
    assert_int_equal(covey_tick(world), 4);
    for (uint32_t i = 0; i < 3; i++) assert_int_equal(covey_changed_at(world, e[i], InPins), i + 1);
}

static void test_the_time_of_a_world_does_not_go_back(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 10; i++) covey_tick_advance(world);
    covey_entity e = covey_create(origin);
    assert_non_null(covey_add(origin, e, InPins, { 1, ~1u }));
    save_and_load();
    assert_int_equal(covey_tick(world), 11);
    assert_int_equal(covey_changed_at(world, e, InPins), 1);
}

static void test_what_is_disabled_stays_so(void **state) {
    (void)state;
    covey_entity e[4];
    assert_true(covey_create_many(origin, e, 4));
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t k = 0; k < NUMBER_TYPES; k++) {
            Number number = image_number(i);
            assert_non_null(covey_add_raw(origin, e[i], number_types[k], &number));
            if (i % 2 == 0) assert_int_equal(covey_component_disable_raw(origin, e[i], number_types[k]), COVEY_OK);
        }
    assert_int_equal(covey_disable(origin, e[3]), COVEY_OK);
    save_and_load();
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t k = 0; k < NUMBER_TYPES; k++)
            assert_int_equal(covey_component_is_enabled_raw(world, e[i], number_types[k]), i % 2 != 0);
    assert_false(covey_is_enabled(world, e[3]));
    assert_true(covey_is_enabled(world, e[2]));
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { covey_id(InPack) } });
    assert_same(covey_view_first(&view), e[1]);
    assert_bytes_again();
}

static void test_names_and_trees_are_what_they_were(void **state) {
    (void)state;
    assert_true(image_fill(origin));
    save_and_load();
    covey_entity root = covey_find_child(world, entity(0, 0), "root");
    assert_same(root, covey_find_child(origin, entity(0, 0), "root"));
    assert_same(covey_find_path(world, root, "left"), covey_child_first(world, root));
    assert_same(covey_find_path(world, root, "right"), covey_child_last(world, root));
    assert_int_equal(covey_child_count(world, root), 2);
    assert_int_equal(covey_depth(world, covey_child_first(origin, covey_child_first(origin, root))), 2);
    assert_int_equal(covey_name_set(world, covey_create(world), "root"), COVEY_ERROR_PRESENT);
    assert_int_equal(covey_destroy_tree(world, root), 4);
}

static void test_resources_are_what_they_were(void **state) {
    (void)state;
    assert_true(image_fill(origin));
    save_and_load();
    assert_int_equal(covey_world_resource_count(world), 2);
    assert_ptr_equal(covey_world_resource(world, 0), covey_id(Settings));
    assert_int_equal(covey_resource_get(world, Settings)->number, 5);
    assert_int_equal(covey_resource_get(world, Blob)->number, 6);
    assert_false(covey_resource_has(world, Lost));
}

typedef Owned OwnedPin;
typedef Owned OwnedPlace;
COVEY_FIELDS_DEFINE(Owned, u32(number), u32(check));
COVEY_COMPONENT_DEFINE(Owned, .drop = drop_owned, .copy = copy_owned, .fields = &covey_fields_Owned);
COVEY_COMPONENT_DEFINE(OwnedPlace, .policy = COVEY_IN_PLACE, .drop = drop_owned, .fields = &covey_fields_Owned);
COVEY_COMPONENT_DEFINE(OwnedPin, .storage = COVEY_STORAGE_PINNED, .drop = drop_owned, .fields = &covey_fields_Owned);
static const covey_type *const owned_types[] = { covey_id(Owned), covey_id(OwnedPlace), covey_id(OwnedPin), NULL };

static void fill_owned(void) {
    for (uint32_t i = 0; i < 6; i++) {
        covey_entity e = covey_create(origin);
        for (uint32_t k = 0; k < 3; k++) {
            Owned value = { i * 3 + k, ~(i * 3 + k) };
            owned.alive++;
            assert_non_null(covey_add_raw(origin, e, owned_types[k], &value));
        }
    }
    owned.alive++;
    assert_non_null(covey_resource_set(origin, Owned, { 99, ~99u }));
}

/* They are dropped when their time comes, and not before. */
static void test_values_with_hooks_are_loaded(void **state) {
    (void)state;
    fill_owned();
    save(origin, &image);
    load(&(covey_load_desc){ .types = owned_types });
    owned.alive += 3 * 6 + 1;
    assert_bytes_again();
    covey_destroy_all(world);
    assert_int_equal(owned.alive, 3 * 6 + 1 + 1);
}

static void test_values_of_an_image_that_is_refused_are_not_dropped(void **state) {
    (void)state;
    fill_owned();
    assert_int_equal(covey_name_set(origin, covey_entity_next(origin, entity(0, 0)), "name"), COVEY_OK);
    save(origin, &image);
    image.bytes[image.size - 16 - 7 * 16 - 2] = '\0'; /* the last byte but one of the names */
    image_mend(image.bytes, image.size);
    covey_report report = fails_to_load(&(covey_load_desc){ .types = owned_types }, COVEY_ERROR_IMAGE);
    assert_int_equal(report.fault, COVEY_FAULT_NAME);
    assert_int_equal(owned.alive, 3 * 6 + 1);
    uint32_t count = covey_entity_count(world);
    assert_int_equal(
        covey_merge_from_memory(world, image.bytes, image.size, &(covey_load_desc){ .types = owned_types }, NULL),
        COVEY_ERROR_IMAGE);
    assert_int_equal(covey_entity_count(world), count);
    assert_int_equal(owned.alive, 3 * 6 + 1);
}

/* ---- Parts --------------------------------------------------------------------------------------------------------*/

static void test_types_that_the_world_has_met_are_known(void **state) {
    (void)state;
    covey_entity e = covey_create(origin);
    assert_non_null(covey_add(origin, e, InPack, { 4, ~4u }));
    save(origin, &image);
    covey_report report = fails_to_load(NULL, COVEY_ERROR_IMAGE);
    assert_int_equal(report.fault, COVEY_FAULT_TYPE);
    assert_non_null(strstr(report.text, "InPack"));
    assert_non_null(covey_pool_of(world, InPack));
    load(NULL);
    assert_int_equal(covey_get(world, e, InPack)->number, 4);
}

static void test_only_some_types_can_be_loaded(void **state) {
    (void)state;
    static const covey_type *const some[] = { covey_id(InPack), covey_id(Settings), NULL };
    assert_true(image_fill(origin));
    save(origin, &image);
    load(&(covey_load_desc){ .only = some });
    assert_int_equal(covey_entity_count(world), covey_entity_count(origin));
    assert_int_equal(covey_pool_count(covey_pool_find(world, InPack)),
                     covey_pool_count(covey_pool_find(origin, InPack)));
    assert_int_equal(covey_resource_get(world, Settings)->number, 5);
    assert_null(covey_pool_find(world, Kinds));
    assert_null(covey_resource_get(world, Blob));
    assert_false(covey_is_null(covey_find_child(world, entity(0, 0), "root")));
    assert_false(covey_is_enabled(world, entity(6, 1)));
}

static void test_transient_types_are_not_loaded(void **state) {
    (void)state;
    static const covey_type was = {
        .name = "Lost", .size = sizeof(Number), .align = 4, .fields = &covey_fields_Number
    };
    static const covey_type *const types[] = { covey_id(Lost), NULL };
    covey_entity e = covey_create(origin);
    assert_non_null(covey_add_raw(origin, e, &was, &(Number){ 1, 2 }));
    assert_non_null(covey_resource_set_raw(origin, &was, &(Number){ 1, 2 }));
    save(origin, &image);
    load(&(covey_load_desc){ .types = types });
    assert_false(covey_has(world, e, Lost));
    assert_false(covey_resource_has(world, Lost));
}

/* ---- Who watches --------------------------------------------------------------------------------------------------*/

static void fill_few(void) {
    covey_entity e[5];
    assert_true(covey_create_many(origin, e, 5));
    assert_true(covey_destroy(origin, e[1]));
    for (uint32_t i = 0; i < 5; i += 2) {
        assert_non_null(covey_add(origin, e[i], InPack, { 10 - i, ~(10 - i) }));
        assert_non_null(covey_add(origin, e[i], InBlocks, { i, ~i }));
    }
    assert_non_null(covey_add(origin, e[3], InBlocks, { 3, ~3u }));
}

static void test_listeners_hear_of_all_that_was_loaded(void **state) {
    (void)state;
    static ear entities = { .name = "e" }, pack = { .name = "p" }, blocks = { .name = "b" };
    listen_begin();
    listen(&entities, NULL, ENTITY_SIGNALS);
    listen(&pack, covey_id(InPack), COMPONENT_SIGNALS);
    listen(&blocks, covey_id(InBlocks), COMPONENT_SIGNALS);
    fill_few();
    save_and_load();
    assert_told("e*0 e*2 e*3 e*4 p+0 p+2 p+4 b+0 b+2 b+3 b+4");
}

static void test_listeners_may_take_spans(void **state) {
    (void)state;
    static ear entities = { .name = "e" }, pack = { .name = "p" };
    listen_begin();
    listen_to_spans(&entities, NULL, ENTITY_SIGNALS);
    listen_to_spans(&pack, covey_id(InPack), COMPONENT_SIGNALS);
    fill_few();
    save_and_load();
    assert_told("e*0,2,3,4 p+0,2,4");
}

static void end_it(const covey_event *event) { covey_destroy(event->world, event->entities[0]); }

static void test_listeners_may_change_what_was_loaded(void **state) {
    (void)state;
    static ear pack = { .name = "p", .act = end_it, .acts = 1 };
    listen_begin();
    listen(&pack, covey_id(InPack), COVEY_ON_ADD);
    fill_few();
    save(origin, &image);
    load(&known);
    assert_int_equal(covey_entity_count(world), 3);
}

static void test_queues_and_reactive_sets_hear_of_it(void **state) {
    (void)state;
    covey_queue *queue = covey_queue_create(world);
    covey_connect(world, &(covey_listener){ .type = covey_id(InPack), .signals = COMPONENT_SIGNALS, .queue = queue });
    covey_connect(world, &(covey_listener){ .signals = ENTITY_SIGNALS, .queue = queue });
    covey_reactive *set = covey_reactive_create(world, &(covey_reactive_desc){ .added = { covey_id(InBlocks) } });
    fill_few();
    save_and_load();
    assert_queued(queue, "*0 *2 *3 *4 +0 +2 +4");
    assert_int_equal(covey_reactive_count(set), 4);
    assert_true(covey_reactive_contains(set, entity(3, 1)));
    covey_destroy_all(world); /* for which there is room */
    covey_queue_destroy(queue);
    covey_reactive_destroy(set);
}

static void test_groups_have_who_belongs_to_them(void **state) {
    (void)state;
    covey_group *group =
        covey_group_create(world, &(covey_group_desc){ .own = { covey_id(InPack) }, .with = { covey_id(InBlocks) } });
    covey_group *blobs =
        covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Blob) }, .without = { covey_id(InPlace) } });
    assert_non_null(group);
    assert_non_null(blobs);
    assert_true(image_fill(origin));
    save_and_load();
    uint32_t members = 0, lonely = 0;
    for (covey_entity e = { 0, 0 }; !covey_is_null(e = covey_entity_next(world, e));) {
        bool member = covey_has(world, e, InPack) && covey_has(world, e, InBlocks) && covey_is_enabled(world, e) &&
                      covey_component_is_enabled(world, e, InBlocks);
        bool alone = covey_has(world, e, Blob) && !covey_has(world, e, InPlace) && covey_is_enabled(world, e);
        assert_int_equal(covey_group_contains(group, e), member);
        assert_int_equal(covey_group_contains(blobs, e), alone);
        members += member, lonely += alone;
    }
    assert_int_equal(covey_group_count(group), members);
    assert_int_equal(covey_group_count(blobs), lonely);
    assert_true(members != 0);
}

static void test_an_order_that_is_kept_is_kept(void **state) {
    (void)state;
    covey_order order = { .key = COVEY_KEY_U32, .offset = offsetof(Number, number), .descending = true };
    assert_int_equal(covey_pool_keep_sorted(covey_pool_of(world, InPack), &order), COVEY_OK);
    assert_true(image_fill(origin));
    save_and_load();
    const covey_pool *pool = covey_pool_of(world, InPack);
    for (uint32_t i = 1; i < covey_pool_count(pool); i++) {
        const Number *values = covey_pool_values_raw(pool);
        assert_true(values[i - 1].number >= values[i].number);
    }
}

static void test_a_world_may_keep_a_type_otherwise(void **state) {
    (void)state;
    assert_int_equal(covey_pool_convert(covey_pool_of(world, InBlocks), COVEY_STORAGE_SPARSE), COVEY_OK);
    assert_int_equal(covey_pool_convert(covey_pool_of(world, InPack), COVEY_STORAGE_BLOCK), COVEY_OK);
    assert_true(image_fill(origin));
    save_and_load();
    assert_non_null(covey_pool_ids(covey_pool_of(world, InBlocks)));
    for (covey_entity e = { 0, 0 }; !covey_is_null(e = covey_entity_next(origin, e));) {
        const Number *was = covey_get(origin, e, InBlocks), *is = covey_get(world, e, InBlocks);
        assert_int_equal(!was, !is);
        if (was) assert_int_equal(was->number, is->number);
        assert_int_equal(covey_component_is_enabled(world, e, InBlocks),
                         covey_component_is_enabled(origin, e, InBlocks));
    }
}

/* ---- Refusals -----------------------------------------------------------------------------------------------------*/

static void is_refused_now(void) {
    covey_report report = fails_to_load(&known, COVEY_ERROR_REFUSED);
    assert_int_equal(report.fault, COVEY_FAULT_NONE);
    assert_true(report.text[0] != '\0');
}

static void test_a_world_that_has_an_entity_is_not_loaded_into(void **state) {
    (void)state;
    assert_true(image_fill(origin));
    save(origin, &image);
    covey_entity e = covey_create(world);
    is_refused_now();
    assert_true(covey_destroy(world, e));
    load(&known); /* test_image_cleared has more of this */
}

static void test_a_world_with_a_resource_is_not_loaded_into(void **state) {
    (void)state;
    assert_true(image_fill(origin));
    save(origin, &image);
    assert_non_null(covey_resource_set(world, Settings, { 1, 2 }));
    is_refused_now();
    assert_true(covey_resource_remove(world, Settings));
    load(&known);
}

static void test_a_world_with_another_reserved_range_is_not_loaded_into(void **state) {
    (void)state;
    assert_true(image_fill(origin));
    save(origin, &image);
    assert_int_equal(covey_range_reserve(world, 30, 2).count, 2);
    is_refused_now();
}

static void test_a_world_with_ids_that_are_set_aside_is_not_loaded_into(void **state) {
    (void)state;
    assert_true(image_fill(origin));
    save(origin, &image);
    covey_commands *commands = covey_commands_create(world, NULL);
    assert_int_equal(covey_commands_reserve(commands, 3), COVEY_OK);
    is_refused_now();
    covey_commands_destroy(commands);
}

static void load_meanwhile(const covey_event *event) {
    covey_report report;
    assert_int_equal(covey_load_from_memory(event->world, image.bytes, image.size, &known, &report),
                     COVEY_ERROR_REFUSED);
    assert_true(report.text[0] != '\0');
}

static void test_listeners_cannot_load(void **state) {
    (void)state;
    static ear curious = { .name = "e", .act = load_meanwhile, .acts = 1 };
    assert_true(image_fill(origin));
    save(origin, &image);
    listen_begin();
    listen(&curious, NULL, COVEY_ON_CREATE);
    covey_create(world);
    assert_failed(COVEY_ERROR_REFUSED);
    assert_int_equal(covey_entity_count(world), 1);
}

static void test_what_is_no_image_is_refused(void **state) {
    (void)state;
    static const char *const texts[] = { "", "x", "{ \"entities\": [] }", "\x89PNG\r\n\x1A\n and so on" };
    for (uint32_t i = 0; i < COUNT_OF(texts); i++) {
        covey_report report;
        assert_int_equal(covey_load_from_memory(world, texts[i], strlen(texts[i]), NULL, &report), COVEY_ERROR_IMAGE);
        assert_int_equal(report.fault, COVEY_FAULT_NOT_AN_IMAGE);
        assert_int_equal(report.offset, 0);
    }
    assert_int_equal(covey_load_from_memory(world, NULL, 0, NULL, NULL), COVEY_ERROR_IMAGE);
}

static void test_each_fault_has_a_text_of_its_own(void **state) {
    (void)state;
    for (covey_fault a = COVEY_FAULT_NONE; a <= COVEY_FAULT_LIMIT; a++) {
        assert_string_not_equal(covey_fault_text(a), "an unknown fault");
        for (covey_fault b = COVEY_FAULT_NONE; b < a; b++)
            assert_string_not_equal(covey_fault_text(a), covey_fault_text(b));
    }
    assert_string_equal(covey_fault_text((covey_fault)99), "an unknown fault");
    assert_int_equal(COVEY_FAULT_LIMIT, 12); /* the numbers never change */
}

static void test_a_format_to_come_is_refused(void **state) {
    (void)state;
    assert_true(image_fill(origin));
    save(origin, &image);
    image.bytes[8] = COVEY_IMAGE_VERSION + 1;
    image_mend(image.bytes, image.size);
    covey_report report = fails_to_load(&known, COVEY_ERROR_IMAGE);
    assert_int_equal(report.fault, COVEY_FAULT_VERSION);
    assert_int_equal(report.offset, 8);
    assert_non_null(strstr(report.text, "2"));
}

static void test_after_a_refusal_another_image_can_be_loaded(void **state) {
    (void)state;
    assert_true(image_fill(origin));
    save(origin, &image);
    image.bytes[image.size - 16 - 17 * 16 - 3] ^= 1;
    assert_int_equal(fails_to_load(&known, COVEY_ERROR_IMAGE).fault, COVEY_FAULT_CHECKSUM);
    save(origin, &image);
    load(&known);
    assert_bytes_again();
}

/* ---- Limits and progress ------------------------------------------------------------------------------------------*/

static void test_there_may_be_a_limit_of_entities(void **state) {
    (void)state;
    covey_load_desc desc = known;
    assert_true(image_fill(origin));
    save(origin, &image);
    desc.limit_entities = 16; /* of 17; 12 are alive */
    covey_report report = fails_to_load(&desc, COVEY_ERROR_LIMIT);
    assert_int_equal(report.fault, COVEY_FAULT_LIMIT);
    desc.limit_entities = 17;
    load(&desc);
}

/* For each limit, the least that an image needs. */
static const struct bound {
    hostile_kind kind;
    uint32_t count, least;
    size_t limit; /* where it is in the description */
    const char *text;
} bounds[] = {
    { HOSTILE_TYPES, 50, 50, offsetof(covey_load_desc, limit_types), "50 types; limit_types allows 49" },
    { HOSTILE_BOTH, 50, 100, offsetof(covey_load_desc, limit_types), "100 types; limit_types allows 99" },
    { HOSTILE_RANGES, 50, 50, offsetof(covey_load_desc, limit_ranges), "50 reserved ranges; limit_ranges allows 49" },
    { HOSTILE_NAMES, 50, 50, offsetof(covey_load_desc, limit_names), "50 names; limit_names allows 49" },
    { HOSTILE_DEEP, 50, 49, offsetof(covey_load_desc, limit_depth),
      "49 ancestors of one entity; limit_depth allows 48" },
};

static void test_there_are_limits_of_what_nobody_expects(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(bounds); i++) {
        const struct bound *b = &bounds[i];
        covey_load_desc desc = { .unknown = COVEY_UNKNOWN_KEEP };
        uint64_t *limit = (uint64_t *)(void *)((char *)&desc + b->limit);
        image.size = 0;
        assert_true(hostile_make(&image, b->kind, b->count));
        *limit = b->least - 1;
        covey_report report = fails_to_load(&desc, COVEY_ERROR_LIMIT);
        assert_int_equal(report.fault, COVEY_FAULT_LIMIT);
        assert_non_null(strstr(report.text, b->text));
        assert_int_equal(covey_merge_from_memory(world, image.bytes, image.size, &desc, NULL), COVEY_ERROR_LIMIT);
        test_heap other;
        for (uint32_t k = 0; k < 3; k++) {
            covey_world *fresh = image_world(&other);
            *limit = k == 0 ? b->least : k == 1 ? 0 : UINT64_MAX;
            assert_int_equal(covey_load_from_memory(fresh, image.bytes, image.size, &desc, NULL), COVEY_OK);
            covey_world_destroy(fresh);
        }
    }
}

static void test_limits_have_defaults(void **state) {
    (void)state;
    covey_load_desc desc = { .unknown = COVEY_UNKNOWN_KEEP };
    image.size = 0;
    assert_true(hostile_make_vast(&image, 500)); /* 8 GB of 4 KB */
    bool addressed = sizeof(size_t) > 4;         /* so much memory */
    covey_report report = fails_to_load(&desc, addressed ? COVEY_ERROR_LIMIT : COVEY_ERROR_MEMORY);
    if (addressed) assert_non_null(strstr(report.text, "limit_bytes"));
    if (COVEY_NONE < 100000) return;
    image.size = 0;
    assert_true(hostile_make(&image, HOSTILE_RANGES, 16385));
    report = fails_to_load(&desc, COVEY_ERROR_LIMIT);
    assert_non_null(strstr(report.text, "limit_ranges allows 16384"));
    desc.limit_ranges = 16385;
    load(&desc);
}

static bool fits_into(uint64_t limit, size_t *most) {
    covey_load_desc desc = known;
    test_heap other;
    covey_world *fresh = image_world(&other);
    desc.limit_bytes = limit;
    size_t before = other.peak = other.bytes;
    covey_result result = covey_load_from_memory(fresh, image.bytes, image.size, &desc, NULL);
    assert_true(result == COVEY_OK || result == COVEY_ERROR_LIMIT);
    *most = other.peak - before;
    covey_world_destroy(fresh);
    return result == COVEY_OK;
}

/* With the smallest limit that is enough for the image, no more memory is in use at any time, except for some of the
 * call itself and for pools without components. */
static void limit_holds(void) {
    uint64_t low = 0, high = 1;
    size_t most;
    save(origin, &image);
    while (!fits_into(high, &most)) high *= 2;
    while (high - low > 1 + high / 64) {
        uint64_t middle = low + (high - low) / 2;
        if (fits_into(middle, &most)) high = middle;
        else low = middle;
    }
    assert_true(fits_into(high, &most));
    print_message("    %llu bytes are allowed, %zu needed\n", (unsigned long long)high, most);
    assert_true(most <= high + 16384);
}

static void add_all(covey_entity e, uint32_t number) {
    for (uint32_t k = 0; k < NUMBER_TYPES; k++) {
        Number value = image_number(number);
        assert_non_null(covey_add_raw(origin, e, number_types[k], &value));
        if (number % 2 == 0) assert_int_equal(covey_component_disable_raw(origin, e, number_types[k]), COVEY_OK);
    }
    Kinds kinds = kinds_of(number, e);
    assert_non_null(covey_add_value(origin, e, Kinds, &kinds));
    assert_true(covey_add_tag(origin, e, PlainTag) && covey_add_tag(origin, e, SparseTag));
    assert_int_equal(covey_disable(origin, e), COVEY_OK);
}

static void test_a_limit_of_memory_holds_for_what_a_game_has(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 300; i++) add_all(covey_create(origin), i);
    limit_holds();
}

static void test_a_limit_of_memory_holds_where_entities_are_far(void **state) {
    (void)state;
    uint32_t far = COVEY_NONE > 20000000 ? 20000000 : COVEY_NONE - 2;
    add_all(covey_create_at(origin, far), 1);
    add_all(covey_create_at(origin, far - 1), 2);
    limit_holds();
}

static void test_a_limit_of_memory_holds_where_entities_are_scattered(void **state) {
    (void)state;
    uint32_t step = COVEY_NONE > 20000000 ? 4096 : COVEY_NONE / 21;
    covey_entity before = { 0, 0 };
    for (uint32_t i = 0; i < 20; i++) {
        char name[] = { 'n', (char)('a' + i), '\0' };
        covey_entity e = covey_create_at(origin, i * step);
        add_all(e, i);
        assert_int_equal(covey_name_set(origin, e, name), COVEY_OK);
        if (i != 0) assert_int_equal(covey_parent_set(origin, e, before), COVEY_OK);
        before = e;
    }
    limit_holds();
}

static void test_a_limit_of_memory_holds_where_ticks_are_known(void **state) {
    (void)state;
    uint32_t step = COVEY_NONE > 20000000 ? 4096 : COVEY_NONE / 21;
    for (uint32_t i = 0; i < 20; i++)
        assert_non_null(covey_add(origin, covey_create_at(origin, i * step), InPins, { i, ~i }));
    limit_holds();
}

static void test_there_may_be_a_limit_of_memory(void **state) {
    (void)state;
    covey_load_desc desc = known;
    assert_true(image_fill(origin));
    save(origin, &image);
    desc.limit_bytes = 1000;
    covey_report report = fails_to_load(&desc, COVEY_ERROR_LIMIT);
    assert_int_equal(report.fault, COVEY_FAULT_LIMIT);
    limit_holds();
}

typedef struct progress {
    uint32_t calls, stop_at;
    uint64_t done;
} progress;

static bool note_progress(uint64_t done, uint64_t all, void *context) {
    progress *p = context;
    assert_true(done >= p->done && done <= all && all == image.size);
    p->done = done;
    return ++p->calls != p->stop_at;
}

typedef struct Page {
    uint8_t bytes[50000];
} Page;
COVEY_COMPONENT_DEFINE(Page, .as_bytes = true, .storage = COVEY_STORAGE_SPARSE);

static void test_loading_tells_how_far_it_is_and_can_be_cancelled(void **state) {
    (void)state;
    static const covey_type *const types[] = { covey_id(Page), NULL };
    static Page page;
    for (uint32_t i = 0; i < 60; i++) assert_non_null(covey_add_value(origin, covey_create(origin), Page, &page));
    save(origin, &image);
    progress heard_of = { .stop_at = 2 };
    covey_load_desc desc = { .types = types, .progress = note_progress, .progress_context = &heard_of };
    covey_report report = fails_to_load(&desc, COVEY_ERROR_CANCELLED);
    assert_int_equal(report.fault, COVEY_FAULT_NONE);
    assert_int_equal(heard_of.calls, 2);
    heard_of = (progress){ 0 };
    load(&desc);
    assert_true(heard_of.calls >= 2);
    assert_bytes_again();
}

/* ---- Order --------------------------------------------------------------------------------------------------------*/

enum { SCATTERED = 400, VISITED_MOST = 4 * SCATTERED };

/* Components come and go at random, so that no block and no array has them in the order of indices. */
static void scatter(covey_world *of, const covey_type *const *types, uint32_t type_count) {
    covey_entity e[SCATTERED];
    uint64_t state = 7;
    for (uint32_t i = 0; i < SCATTERED; i++) e[i] = covey_create(of);
    for (uint32_t i = 0; i < 20 * SCATTERED; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        covey_entity some = e[(state >> 33) % SCATTERED];
        const covey_type *type = types[(state >> 50) % type_count];
        if (covey_has_raw(of, some, type)) covey_remove_raw(of, some, type);
        else covey_add_raw(of, some, type, &(Number){ some.index, ~some.index });
    }
}

/* The entities of a view, in order. */
static uint32_t walk(const covey_view *view, bool rows, covey_entity *visited) {
    uint32_t count = 0;
    covey_iter it = covey_view_iter(view);
    covey_row row = { 0 };
    while (rows && covey_next_row(&it, &row)) visited[count++] = covey_row_entity(&it, row);
    while (!rows && covey_next(&it))
        for (uint32_t i = 0; i < it.count; i++) visited[count++] = covey_span_entity(&it, i);
    assert_true(count <= VISITED_MOST);
    return count;
}

/* What a peer does that makes an entity for each that it visits: the same handles in both worlds, for good. */
static void create_for_each(covey_world *of, const covey_view *view, bool rows, const covey_type *type) {
    static covey_entity visited[VISITED_MOST];
    uint32_t count = walk(view, rows, visited);
    for (uint32_t i = 0; i < count; i++) {
        if (i % 3 == 0) covey_destroy(of, visited[i]);
        covey_entity made = covey_create(of);
        covey_add_raw(of, made, type, &(Number){ visited[i].index, ~visited[i].index });
    }
}

static void assert_same_walks(const covey_view_desc *desc) {
    static covey_entity before[VISITED_MOST], after[VISITED_MOST];
    covey_view saved = covey_view_make(origin, desc), loaded = covey_view_make(world, desc);
    for (int rows = 0; rows < 2; rows++) {
        uint32_t count = walk(&saved, rows, before);
        assert_int_equal(walk(&loaded, rows, after), count);
        assert_memory_equal(before, after, count * sizeof *before);
    }
}

static void walk_the_same_after_loading(const covey_type *const *types, uint32_t count) {
    covey_view_desc one = { .with = { types[0] } }, all = { .with = { types[0] } };
    if (count == 2) all.with[1] = types[1];
    scatter(origin, types, count);
    save_and_load();
    for (int round = 0; round < 2; round++) {
        covey_view saved = covey_view_make(origin, &all), loaded = covey_view_make(world, &all);
        assert_same_walks(&one);
        assert_same_walks(&all);
        create_for_each(origin, &saved, round == 1, types[0]);
        create_for_each(world, &loaded, round == 1, types[0]);
    }
    assert_same_walks(&one);
    save(origin, &image);
    assert_bytes_again();
}

static void test_blocks_are_walked_in_the_same_order_after_loading(void **state) {
    (void)state;
    walk_the_same_after_loading((const covey_type *const[]){ covey_id(InBlocks) }, 1);
}

static void test_pins_are_walked_in_the_same_order_after_loading(void **state) {
    (void)state;
    walk_the_same_after_loading((const covey_type *const[]){ covey_id(InPins), covey_id(InBlocks) }, 2);
}

static void test_packed_arrays_are_walked_in_the_same_order_after_loading(void **state) {
    (void)state;
    walk_the_same_after_loading((const covey_type *const[]){ covey_id(InPack), covey_id(InBlocks) }, 2);
}

static void test_arrays_with_holes_are_walked_in_the_same_order_after_loading(void **state) {
    (void)state;
    walk_the_same_after_loading((const covey_type *const[]){ covey_id(InPlace), covey_id(InQueue) }, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        LOAD_TEST(test_a_world_is_what_it_was),
        LOAD_TEST(test_blocks_are_walked_in_the_same_order_after_loading),
        LOAD_TEST(test_pins_are_walked_in_the_same_order_after_loading),
        LOAD_TEST(test_packed_arrays_are_walked_in_the_same_order_after_loading),
        LOAD_TEST(test_arrays_with_holes_are_walked_in_the_same_order_after_loading),
        LOAD_TEST(test_an_empty_world_can_be_saved_and_loaded),
        LOAD_TEST(test_a_large_world_is_what_it_was),
        LOAD_TEST(test_a_range_that_others_went_over_stays_reserved),
        LOAD_TEST(test_the_dead_among_many_have_no_components),
        LOAD_TEST(test_an_index_among_many_may_be_retired),
        LOAD_TEST(test_handles_stay_valid_and_stale_ones_stay_stale),
        LOAD_TEST(test_every_storage_is_loaded),
        LOAD_TEST(test_holes_are_zero),
        LOAD_TEST(test_padding_and_lost_pointers_are_the_defaults),
        LOAD_TEST(test_free_indices_come_back_in_the_same_order),
        LOAD_TEST(test_reserved_ranges_and_retired_indices_stay_so),
        LOAD_TEST(test_the_same_calls_give_the_same_results),
        LOAD_TEST(test_a_pool_that_was_converted_is_so_again),
        LOAD_TEST(test_a_pool_that_was_converted_to_pinned_is_so_again),
        LOAD_TEST(test_ticks_are_what_they_were),
        LOAD_TEST(test_the_time_of_a_world_does_not_go_back),
        LOAD_TEST(test_what_is_disabled_stays_so),
        LOAD_TEST(test_names_and_trees_are_what_they_were),
        LOAD_TEST(test_resources_are_what_they_were),
        LOAD_TEST(test_values_with_hooks_are_loaded),
        LOAD_TEST(test_values_of_an_image_that_is_refused_are_not_dropped),
        LOAD_TEST(test_types_that_the_world_has_met_are_known),
        LOAD_TEST(test_only_some_types_can_be_loaded),
        LOAD_TEST(test_transient_types_are_not_loaded),
        LOAD_TEST(test_listeners_hear_of_all_that_was_loaded),
        LOAD_TEST(test_listeners_may_take_spans),
        LOAD_TEST(test_listeners_may_change_what_was_loaded),
        LOAD_TEST(test_queues_and_reactive_sets_hear_of_it),
        LOAD_TEST(test_groups_have_who_belongs_to_them),
        LOAD_TEST(test_an_order_that_is_kept_is_kept),
        LOAD_TEST(test_a_world_may_keep_a_type_otherwise),
        LOAD_TEST(test_a_world_that_has_an_entity_is_not_loaded_into),
        LOAD_TEST(test_a_world_with_a_resource_is_not_loaded_into),
        LOAD_TEST(test_a_world_with_another_reserved_range_is_not_loaded_into),
        LOAD_TEST(test_a_world_with_ids_that_are_set_aside_is_not_loaded_into),
        LOAD_TEST(test_listeners_cannot_load),
        LOAD_TEST(test_what_is_no_image_is_refused),
        LOAD_TEST(test_each_fault_has_a_text_of_its_own),
        LOAD_TEST(test_a_format_to_come_is_refused),
        LOAD_TEST(test_after_a_refusal_another_image_can_be_loaded),
        LOAD_TEST(test_there_may_be_a_limit_of_entities),
        LOAD_TEST(test_there_are_limits_of_what_nobody_expects),
        LOAD_TEST(test_limits_have_defaults),
        LOAD_TEST(test_there_may_be_a_limit_of_memory),
        LOAD_TEST(test_a_limit_of_memory_holds_for_what_a_game_has),
        LOAD_TEST(test_a_limit_of_memory_holds_where_entities_are_far),
        LOAD_TEST(test_a_limit_of_memory_holds_where_entities_are_scattered),
        LOAD_TEST(test_a_limit_of_memory_holds_where_ticks_are_known),
        LOAD_TEST(test_loading_tells_how_far_it_is_and_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
