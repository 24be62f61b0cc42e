/* Images of some entities, and of what was changed since a tick. */
#include "fixture.h"
#include "images.h"
#include "texts.h"

#include <covey/hierarchy.h>

static covey_world *origin;
static test_heap origin_heap;
static covey_buffer image, again;

static int filter_setup(void **state) {
    texts = (text_ledger){ 0 };
    image = again = (covey_buffer){ 0 };
    origin = image_world(&origin_heap);
    return world_setup(state);
}

static int filter_teardown(void **state) {
    covey_buffer_free(&image);
    covey_buffer_free(&again);
    covey_world_destroy(origin);
    int result = world_teardown(state);
    assert_int_equal(texts.live, 0);
    return result;
}

#define FILTER_TEST(test) cmocka_unit_test_setup_teardown(test, filter_setup, filter_teardown)

static const covey_load_desc known = { .types = image_types };

/* Which entities are saved: bit i for index i. */
static uint64_t wanted;
static uint32_t asked;

static bool is_wanted(const covey_world *of, covey_entity e, void *context) {
    assert_ptr_equal(of, context);
    assert_true(covey_alive(of, e));
    asked++;
    return e.index < 64 && (wanted >> e.index & 1) != 0;
}

static void save_with(const covey_save_desc *desc) {
    covey_report report;
    image.size = 0;
    if (covey_save_to_buffer(origin, &image, desc, &report) != COVEY_OK) fail_msg("%s", report.text);
}

static void save_some(uint64_t which) {
    wanted = which;
    asked = 0;
    save_with(&(covey_save_desc){ .choose = is_wanted, .choose_context = origin });
}

static void load(void) {
    covey_report report;
    if (covey_load_from_memory(world, image.bytes, image.size, &known, &report) != COVEY_OK)
        fail_msg("%s (byte %llu)", report.text, (unsigned long long)report.offset);
    test_world_is_valid(world);
}

static void load_anew(void) {
    assert_int_equal(world_teardown(NULL), 0);
    assert_int_equal(world_setup(NULL), 0);
    load();
}

static void begin_anew(void) {
    assert_int_equal(filter_teardown(NULL), 0);
    assert_int_equal(filter_setup(NULL), 0);
}

/* ---- Entities -----------------------------------------------------------------------------------------------------*/

static void is_saved_where(covey_entity e, bool chosen) {
    assert_int_equal(covey_alive(world, e), chosen);
    for (uint32_t k = 0; k < NUMBER_TYPES && chosen; k++) {
        const Number *was = covey_get_raw(origin, e, number_types[k]), *is = covey_get_raw(world, e, number_types[k]);
        assert_int_equal(!was, !is);
        if (was) assert_memory_equal(was, is, sizeof *was);
        assert_int_equal(covey_component_is_enabled_raw(origin, e, number_types[k]),
                         covey_component_is_enabled_raw(world, e, number_types[k]));
    }
    if (!chosen) return;
    assert_int_equal(covey_has(origin, e, PlainTag), covey_has(world, e, PlainTag));
    assert_int_equal(covey_has(origin, e, Text), covey_has(world, e, Text));
    assert_int_equal(covey_is_enabled(origin, e), covey_is_enabled(world, e));
    if (covey_has(origin, e, Crew))
        assert_int_equal(covey_changed_at(origin, e, Crew), covey_changed_at(world, e, Crew));
}

/* The components that are there come in the order that they had. */
static void is_in_order(const covey_type *type) {
    const covey_pool *was = covey_pool_find_raw(origin, type), *is = covey_pool_find_raw(world, type);
    uint32_t at = covey_pool_next(is, 0);
    for (uint32_t from = covey_pool_next(was, 0); from != COVEY_NONE; from = covey_pool_next(was, from + 1)) {
        covey_entity e = covey_pool_at(was, from);
        if (!covey_alive(world, e)) continue;
        assert_same(covey_pool_at(is, at), e);
        at = covey_pool_next(is, at + 1);
    }
    assert_int_equal(at, COVEY_NONE);
}

static void test_only_chosen_entities_are_in_an_image(void **state) {
    (void)state;
    static const uint64_t choices[] = { 0, 1, UINT64_MAX, 0x5555555555555555, 0xFF, 0x3C0F0, ~UINT64_C(0x1400) };
    for (uint32_t i = 0; i < COUNT_OF(choices); i++) {
        uint32_t count = 0;
        assert_true(image_fill(origin) && text_fill(origin));
        save_some(choices[i]);
        load();
        for (covey_entity e = { 0, 0 }; !covey_is_null(e = covey_entity_next(origin, e));) {
            bool chosen = (choices[i] >> e.index & 1) != 0;
            is_saved_where(e, chosen);
            count += chosen;
        }
        assert_int_equal(covey_entity_count(world), count);
        for (uint32_t k = 0; k < NUMBER_TYPES; k++) is_in_order(number_types[k]);
        is_in_order(covey_id(TextInPlace));
        assert_int_equal(covey_save_to_buffer(world, &again, NULL, NULL), COVEY_OK);
        assert_int_equal(again.size, image.size);
        assert_memory_equal(again.bytes, image.bytes, image.size);
        begin_anew();
    }
}

/* A save to a buffer counts first; the function is asked once all the same. */
static void test_each_entity_is_asked_about_once(void **state) {
    (void)state;
    assert_true(image_fill(origin));
    save_some(1);
    assert_int_equal(asked, covey_entity_count(origin));
}

/* An entity that is left out counts as destroyed: its handle is not issued again. */
static void test_handles_of_what_is_left_out_stay_stale(void **state) {
    (void)state;
    covey_entity e[3], fresh[9];
    assert_true(covey_create_many(origin, e, 3));
    covey_entity last = covey_create(origin);
    last.generation = COVEY_GENERATION_MAX;
    origin->pages[last.index / COVEY_PAGE_SIZE]->generation[last.index % COVEY_PAGE_SIZE] = last.generation;
    save_some(2);
    load();
    assert_true(covey_create_many(world, fresh, 9));
    assert_false(covey_alive(world, e[0]) || covey_alive(world, e[2]) || covey_alive(world, last));
    assert_same(fresh[0], entity(0, e[0].generation + 2)); /* the lowest first */
    assert_same(fresh[1], entity(2, e[2].generation + 2));
    for (uint32_t i = 0; i < 9; i++) assert_int_not_equal(fresh[i].index, last.index); /* that index is retired */
}

/* Also entities whose component is disabled; a type that the world does not have leaves out no entity. */
static void test_entities_with_a_type_are_left_out(void **state) {
    (void)state;
    covey_entity e[200];
    static const covey_type unknown = { .name = "Unknown", .size = 4, .align = 4, .as_bytes = true };
    assert_true(covey_create_many(origin, e, 200));
    for (uint32_t i = 0; i < 200; i++) {
        assert_non_null(covey_add(origin, e[i], InPack, { i, ~i }));
        if (i % 3 == 0) assert_non_null(covey_add(origin, e[i], InPins, { i, ~i }));
        if (i % 5 == 0) assert_true(covey_add_tag(origin, e[i], PlainTag));
    }
    assert_int_equal(covey_component_disable(origin, e[3], InPins), COVEY_OK);
    assert_int_equal(covey_disable(origin, e[7]), COVEY_OK);
    const covey_type *nothing[] = { NULL }, *some[] = { covey_id(InPins), &unknown, covey_id(PlainTag), NULL };
    save_with(&(covey_save_desc){ .without = nothing });
    load();
    assert_int_equal(covey_entity_count(world), 200);
    save_with(&(covey_save_desc){ .without = some });
    load_anew();
    for (uint32_t i = 0; i < 200; i++) assert_int_equal(covey_alive(world, e[i]), i % 3 != 0 && i % 5 != 0);
    assert_false(covey_alive(world, e[3]));
    const covey_type *disabled[] = { covey_id(covey_disabled), NULL };
    save_with(&(covey_save_desc){ .without = disabled });
    load_anew();
    for (uint32_t i = 0; i < 200; i++) assert_int_equal(covey_alive(world, e[i]), i != 7);
}

/* The function is not asked about entities that their types leave out. */
static void test_a_list_and_a_function_leave_out_more(void **state) {
    (void)state;
    covey_entity e[4];
    assert_true(covey_create_many(origin, e, 4));
    assert_true(covey_add_tag(origin, e[1], PlainTag));
    const covey_type *without[] = { covey_id(PlainTag), NULL };
    wanted = 0x7;
    asked = 0;
    save_with(&(covey_save_desc){ .without = without, .choose = is_wanted, .choose_context = origin });
    assert_int_equal(asked, 3);
    load();
    assert_true(covey_alive(world, e[0]) && !covey_alive(world, e[1]));
    assert_true(covey_alive(world, e[2]) && !covey_alive(world, e[3]));
}

/* Each reserved range has its own free indices. */
static void test_ranges_issue_what_was_left_out_of_them(void **state) {
    (void)state;
    covey_range range = covey_range_reserve(origin, 70, 10);
    covey_entity e[100], in[5], last = entity(0, 0);
    const covey_type *without[] = { covey_id(PlainTag), NULL };
    for (uint32_t i = 0; i < 5; i++) in[i] = covey_create_in(origin, range);
    assert_true(covey_create_many(origin, e, 100)); /* around the range */
    for (uint32_t i = 0; i < 100; i += 2) assert_true(covey_add_tag(origin, e[i], PlainTag));
    assert_true(covey_add_tag(origin, in[1], PlainTag) && covey_add_tag(origin, in[3], PlainTag));
    save_with(&(covey_save_desc){ .without = without });
    load();
    assert_int_equal(covey_entity_count(world), 53);
    assert_int_equal(covey_create_in(world, range).index, in[1].index);
    assert_int_equal(covey_create_in(world, range).index, in[3].index);
    for (uint32_t i = 0; i < 100; i += 2) {
        covey_entity fresh = covey_create(world);
        assert_int_equal(fresh.index, e[i].index);
        assert_true(covey_is_null(last) || fresh.index > last.index);
        last = fresh;
    }
}

static covey_entity merged[8];

static void note(covey_entity before, covey_entity now, void *context) {
    (void)context;
    merged[before.index] = now;
}

static void test_handles_to_what_is_left_out_are_stale_or_null(void **state) {
    (void)state;
    covey_entity e[2];
    assert_true(covey_create_many(origin, e, 2));
    Kinds kinds = kinds_of(1, e[1]);
    assert_non_null(covey_add_value(origin, e[0], Kinds, &kinds));
    save_some(1);
    load();
    assert_same(covey_get(world, e[0], Kinds)->friend_of, e[1]);
    assert_false(covey_alive(world, e[1]));
    covey_load_desc desc = { .types = image_types, .merged = note };
    assert_int_equal(covey_merge_from_memory(world, image.bytes, image.size, &desc, NULL), COVEY_OK);
    assert_no_entity(covey_get(world, merged[0], Kinds)->friend_of);
}

/* ---- Parents and names --------------------------------------------------------------------------------------------*/

static void name(covey_entity e, const char *text, covey_entity parent) {
    assert_int_equal(covey_parent_set(origin, e, parent), COVEY_OK);
    assert_int_equal(covey_name_set(origin, e, text), COVEY_OK);
}

static void test_children_without_their_parent_are_roots(void **state) {
    (void)state;
    covey_entity e[5];
    assert_true(covey_create_many(origin, e, 5));
    name(e[0], "top", entity(0, 0));
    name(e[1], "middle", e[0]);
    name(e[2], "left", e[1]), name(e[3], "right", e[1]), name(e[4], "low", e[3]);
    save_some(0x1D); /* without the middle */
    load();
    assert_no_entity(covey_parent(world, e[2]));
    assert_no_entity(covey_parent(world, e[3]));
    assert_same(covey_parent(world, e[4]), e[3]);
    assert_int_equal(covey_child_count(world, e[0]), 0);
    assert_string_equal(covey_name(world, e[2]), "left");
    assert_same(covey_find_path(world, entity(0, 0), "right/low"), e[4]);
    begin_anew();
    assert_true(covey_create_many(origin, e, 5));
    name(e[1], "middle", e[0]), name(e[2], "left", e[0]), name(e[3], "right", e[0]);
    save_some(0x0B); /* without one of the children */
    load();
    assert_int_equal(covey_child_count(world, e[0]), 2);
    assert_same(covey_child_last(world, e[0]), e[3]);
}

static void test_a_name_that_a_root_has_is_left_out(void **state) {
    (void)state;
    covey_entity e[8], none = { 0, 0 };
    assert_true(covey_create_many(origin, e, 8));
    name(e[0], "it", e[7]), name(e[1], "it", e[6]), name(e[2], "it", e[5]); /* all parents are left out */
    name(e[3], "it", none);
    save_some(0x0F);
    load();
    assert_string_equal(covey_name(world, e[3]), "it"); /* it was a root */
    assert_null(covey_name(world, e[0]));
    assert_null(covey_name(world, e[1]));
    begin_anew();
    assert_true(covey_create_many(origin, e, 8));
    name(e[2], "it", e[7]), name(e[1], "it", e[6]), name(e[0], "that", e[5]), name(e[3], "it", none);
    save_some(0x07); /* without that root */
    load();
    assert_string_equal(covey_name(world, e[1]), "it"); /* the lowest index of the new roots */
    assert_null(covey_name(world, e[2]));
    assert_string_equal(covey_name(world, e[0]), "that");
}

/* ---- Types --------------------------------------------------------------------------------------------------------*/

static void test_what_cannot_be_saved_may_be_left_out(void **state) {
    (void)state;
    covey_entity e[2];
    covey_type type = { .name = "Opaque", .size = 4, .align = 4 };
    assert_true(covey_create_many(origin, e, 2));
    assert_non_null(covey_add_raw(origin, e[1], covey_type_create(origin, &type), NULL));
    assert_int_equal(covey_save_to_buffer(origin, &image, NULL, NULL), COVEY_ERROR_TYPE);
    save_some(1);
    load();
    assert_true(covey_alive(world, e[0]) && !covey_alive(world, e[1]));
}

/* ---- Changes ------------------------------------------------------------------------------------------------------*/

static void test_only_what_was_changed_later_is_in_an_image(void **state) {
    (void)state;
    covey_entity e[70];
    covey_image_info info;
    assert_true(covey_create_many(origin, e, 70));
    for (uint32_t i = 0; i < 70; i++) {
        assert_non_null(covey_add(origin, e[i], InPins, { i, ~i })); /* these have ticks */
        if (i % 2 == 0) assert_non_null(covey_add(origin, e[i], InPack, { i, ~i }));
    }
    uint64_t since = covey_tick(origin);
    covey_tick_advance(origin);
    static const uint32_t changed[] = { 3, 64, 69 };
    for (uint32_t i = 0; i < 3; i++) assert_non_null(covey_set(origin, e[changed[i]], InPins, { 1000, ~1000u }));
    assert_int_equal(covey_component_disable(origin, e[64], InPins), COVEY_OK);
    assert_int_equal(covey_component_disable(origin, e[5], InPins), COVEY_OK);
    save_with(&(covey_save_desc){ .changed_since = since });
    assert_true(covey_image_read_info(image.bytes, image.size, &info, NULL));
    assert_int_equal(info.since, since);
    assert_int_equal(info.entities, 70);
    load();
    assert_int_equal(covey_entity_count(world), 70);
    assert_int_equal(covey_pool_count(covey_pool_of(world, InPins)), 3);
    assert_int_equal(covey_pool_count(covey_pool_of(world, InPack)), 35);
    for (uint32_t i = 0; i < 3; i++) assert_int_equal(covey_get(world, e[changed[i]], InPins)->number, 1000);
    assert_false(covey_component_is_enabled(world, e[64], InPins));
    save_with(NULL);
    assert_true(covey_image_read_info(image.bytes, image.size, &info, NULL));
    assert_int_equal(info.since, 0);
}

static void test_both_filters_work_together(void **state) {
    (void)state;
    covey_entity e[4];
    assert_true(covey_create_many(origin, e, 4));
    for (uint32_t i = 0; i < 4; i++) assert_non_null(covey_add(origin, e[i], InPins, { i, ~i }));
    uint64_t since = covey_tick(origin);
    covey_tick_advance(origin);
    for (uint32_t i = 1; i < 3; i++) assert_non_null(covey_set(origin, e[i], InPins, { 7, ~7u }));
    wanted = 0x3;
    save_with(&(covey_save_desc){ .choose = is_wanted, .choose_context = origin, .changed_since = since });
    load();
    assert_int_equal(covey_entity_count(world), 2);
    assert_false(covey_has(world, e[0], InPins));
    assert_int_equal(covey_get(world, e[1], InPins)->number, 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FILTER_TEST(test_only_chosen_entities_are_in_an_image),
        FILTER_TEST(test_each_entity_is_asked_about_once),
        FILTER_TEST(test_handles_of_what_is_left_out_stay_stale),
        FILTER_TEST(test_entities_with_a_type_are_left_out),
        FILTER_TEST(test_a_list_and_a_function_leave_out_more),
        FILTER_TEST(test_ranges_issue_what_was_left_out_of_them),
        FILTER_TEST(test_handles_to_what_is_left_out_are_stale_or_null),
        FILTER_TEST(test_children_without_their_parent_are_roots),
        FILTER_TEST(test_a_name_that_a_root_has_is_left_out),
        FILTER_TEST(test_what_cannot_be_saved_may_be_left_out),
        FILTER_TEST(test_only_what_was_changed_later_is_in_an_image),
        FILTER_TEST(test_both_filters_work_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
