/* Kinds in images: a world that was loaded creates the same entities as the one that was saved. Entities of a kind are
 * merged together. */
#include "churn.h"
#include "fixture.h"
#include "images.h"

#include <covey/hierarchy.h>
#include <stdlib.h>

enum { STEPS = 60, MOST = 300 };
static const covey_load_desc known = { .types = churn_types };
static covey_buffer image, again;

static int kinds_setup(void **state) { return world_setup(state); }

static int kinds_teardown(void **state) {
    covey_buffer_free(&image);
    covey_buffer_free(&again);
    return world_teardown(state);
}
#define KINDS_TEST(test) cmocka_unit_test_setup_teardown(test, kinds_setup, kinds_teardown)

static void save(covey_world *of, covey_buffer *to) {
    to->size = 0;
    assert_int_equal(covey_save_to_buffer(of, to, NULL, NULL), COVEY_OK);
}

static void load(covey_world *into, const covey_load_desc *desc) {
    covey_report report;
    (void)covey_load_from_memory(into, image.bytes, image.size, desc, &report);
    if (report.result != COVEY_OK) fail_msg("%s (byte %llu)", report.text, (unsigned long long)report.offset);
    test_world_is_valid(into);
}

static covey_world *loaded(test_heap *of, const covey_load_desc *desc) {
    covey_world *into = image_world(of);
    load(into, desc);
    return into;
}

/* The section of kinds; its kind is 0 if there is none. */
static covey_section find_section(void) {
    covey_section sections[64], none = { 0 };
    uint32_t count = covey_image_sections(image.bytes, image.size, sections, COUNT_OF(sections), NULL);
    assert_true(count != 0 && count <= COUNT_OF(sections));
    return sections[count - 1].kind == COVEY_SECTION_KINDS ? sections[count - 1] : none;
}

/* ---- Loading ------------------------------------------------------------------------------------------------------*/

static void test_a_loaded_world_creates_the_same_entities(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        test_heap first, second;
        covey_world *source = image_world(&first);
        for (uint64_t i = seed % 3; i < 3; i++) churn(source, seed + i, STEPS, MOST);
        save(source, &image);
        covey_world *twin = loaded(&second, &known);
        save(twin, &again);
        assert_int_equal(again.size, image.size);
        assert_memory_equal(again.bytes, image.bytes, image.size);
        assert_true(churn(source, seed + 100, STEPS, MOST) == churn(twin, seed + 100, STEPS, MOST));
        test_world_is_valid(twin);
        covey_world_destroy(source);
        covey_world_destroy(twin);
    }
}

/* Destroyed entities leave their generations, so handles differ, but not indices. */
static void test_a_used_world_gets_the_kinds_of_the_image(void **state) {
    (void)state;
    covey_entity e[60], same[60];
    test_heap other;
    covey_world *source = image_world(&other);
    assert_true(churn_fill(source));
    save(source, &image);
    assert_true(churn_fill(world));
    while (covey_entity_count(world) != 0) covey_destroy(world, covey_entity_next(world, (covey_entity){ 0, 0 }));
    load(world, &known);
    for (uint32_t mask = 0; mask < 8; mask++) {
        assert_true(churn_create(source, e, 60, mask) && churn_create(world, same, 60, mask));
        for (uint32_t i = 0; i < 60; i++) assert_int_equal(e[i].index, same[i].index);
    }
    test_world_is_valid(world);
    covey_world_destroy(source);
}

/* A world that cannot load an image keeps its candidates. */
static void test_a_world_that_refuses_an_image_keeps_its_kinds(void **state) {
    (void)state;
    covey_report report;
    assert_true(churn_fill(world));
    save(world, &image);
    while (covey_entity_count(world) != 0) covey_destroy(world, covey_entity_next(world, (covey_entity){ 0, 0 }));
    covey_world *twin = covey_world_clone(world, NULL);
    covey_section section = find_section();
    image.bytes[section.offset + section.bytes - 1] ^= 0xFF;
    image_mend(image.bytes, image.size);
    assert_int_equal(covey_load_from_memory(world, image.bytes, image.size, &known, &report), COVEY_ERROR_IMAGE);
    test_world_is_valid(world);
    assert_true(churn(world, 5, STEPS, MOST) == churn(twin, 5, STEPS, MOST));
    covey_world_destroy(twin);
}

/* ---- Calls that fail ----------------------------------------------------------------------------------------------*/

enum { ONE, MANY, CLONES, MERGED, WAYS };

/* Creates entities with two types in one of four ways; merging reads `image`. */
static bool create_in_a_way(covey_world *in, uint32_t way, covey_entity like) {
    covey_entity e[2];
    if (way == CLONES) return covey_clone(in, like, e, 2);
    if (way != MERGED) return churn_create(in, e, way == ONE ? 1 : 2, 3);
    return covey_merge_from_memory(in, image.bytes, image.size, &known, NULL) == COVEY_OK;
}

static void assert_same_image(covey_world *one, covey_world *other) {
    covey_buffer same = { 0 };
    save(one, &again);
    save(other, &same);
    assert_int_equal(again.size, same.size);
    assert_memory_equal(again.bytes, same.bytes, same.size);
    covey_buffer_free(&same);
}

/* The first entity that is counted in a large world makes more places for candidates, if the call succeeds. */
static void fail_in_a_way(uint32_t way) {
    enum { LARGE = 300 };
    covey_entity many[LARGE], first;
    test_heap own;
    covey_world *large = image_world(&own);
    assert_true(churn_create(large, &first, 1, 3) && churn_create(large, many, 1, 4) &&
                churn_create(large, many, 1, 8));
    assert_true(covey_create_many(large, many, LARGE));
    covey_world *twin = covey_world_clone(large, NULL);
    assert_non_null(twin);
    uint32_t failures = 0;
    for (bool done = false; !done; failures += !done) {
        assert_same_image(large, twin);
        test_fail_at(&own, failures + 1, false);
        done = create_in_a_way(large, way, first);
        test_fail_never(&own);
        test_world_is_valid(large);
    }
    assert_true(failures != 0);
    assert_true(create_in_a_way(twin, way, first));
    assert_same_image(large, twin);
    covey_world_destroy(twin);
    twin = covey_world_create(NULL); /* loading finds candidates at wrong places */
    assert_int_equal(covey_load_from_memory(twin, again.bytes, again.size, &known, NULL), COVEY_OK);
    covey_world_destroy(twin);
    covey_world_destroy(large);
}

static void test_calls_that_fail_change_no_candidates(void **state) {
    (void)state;
    covey_entity e;
    assert_true(churn_create(world, &e, 1, 3) && churn_create(world, &e, 1, 5));
    save(world, &image);
    for (uint32_t way = 0; way < WAYS; way++) fail_in_a_way(way);
}

/* ---- What is saved ------------------------------------------------------------------------------------------------*/

static void test_a_world_without_kinds_has_no_section(void **state) {
    (void)state;
    covey_entity e[60];
    assert_true(covey_create_many(world, e, 60));
    for (uint32_t i = 0; i < 60; i++) assert_true(covey_add_tag(world, e[i], ChurnA));
    save(world, &image);
    assert_int_equal(find_section().kind, 0);
    assert_true(churn_fill(world));
    save(world, &image);
    assert_int_equal(find_section().count, 2);
    covey_world_desc desc = { .ids_in_order = true };
    covey_world *other = covey_world_create(&desc);
    load(other, &known);
    image.size = 0;
    save(other, &image);
    assert_int_equal(find_section().kind, 0);
    covey_world_destroy(other);
}

static bool is_last(const covey_world *of, covey_entity e, void *context) {
    (void)of;
    return e.index == *(const uint32_t *)context;
}

/* Kinds with a type that is left out, and extents whose entities are, are left out. */
static void test_what_is_left_out_has_no_kinds(void **state) {
    (void)state;
    test_heap other;
    assert_int_equal(covey_create(world).index, 0);
    assert_true(churn_fill(world));
    const covey_type *without[] = { covey_id(ChurnB), NULL }, *only[] = { covey_id(ChurnA), covey_id(ChurnD), NULL };
    image.size = 0;
    assert_int_equal(covey_save_to_buffer(world, &image, &(covey_save_desc){ .without = without }, NULL), COVEY_OK);
    assert_int_equal(find_section().count, 1);
    uint32_t index = 0;
    image.size = 0;
    assert_int_equal(
        covey_save_to_buffer(world, &image, &(covey_save_desc){ .choose = is_last, .choose_context = &index }, NULL),
        COVEY_OK);
    assert_int_equal(find_section().count, 0);
    covey_world_destroy(loaded(&other, &known));
    save(world, &image);
    covey_load_desc desc = { .types = churn_types, .only = only };
    covey_world *twin = loaded(&other, &desc);
    save(twin, &image);
    assert_int_equal(find_section().count, 1);
    covey_world_destroy(twin);
    save(world, &image);
    desc = (covey_load_desc){ .types = only, .unknown = COVEY_UNKNOWN_SKIP };
    twin = loaded(&other, &desc);
    save(twin, &image);
    assert_int_equal(find_section().count, 1);
    covey_world_destroy(twin);
}

static void test_words_below_the_first_index_are_common(void **state) {
    (void)state;
    covey_entity e[200];
    assert_true(churn_create(world, e, 200, 1));
    save(world, &image);
    covey_world_desc desc = { .first_index = 100 };
    covey_world *other = covey_world_create(&desc);
    load(other, &known);
    covey_entity made[200];
    assert_true(churn_create(other, made, 200, 1));
    for (uint32_t i = 0; i < 200; i++) assert_true(made[i].index >= 100);
    test_world_is_valid(other);
    covey_world_destroy(other);
}

/* ---- Damage -------------------------------------------------------------------------------------------------------*/

/* Each number of the section becomes another one. */
static void test_every_number_is_checked(void **state) {
    (void)state;
    static const uint32_t numbers[] = { 0, 1, 2, 3, 31, 33, 63, 64, 65, 4096, 8192, 0x10000, 0x7FFFFFFF, 0xFFFFFFFF };
    assert_true(churn_fill(world));
    save(world, &image);
    covey_section section = find_section();
    for (size_t at = (size_t)section.offset; at < section.offset + section.bytes; at += 4)
        for (uint32_t i = 0; i < COUNT_OF(numbers) + 32; i++) {
            unsigned char before[4];
            covey_report report;
            memcpy(before, image.bytes + at, 4);
            for (uint32_t k = 0; k < 4 && i < COUNT_OF(numbers); k++)
                image.bytes[at + k] = (unsigned char)(numbers[i] >> 8 * k);
            if (i >= COUNT_OF(numbers)) image.bytes[at + (i - COUNT_OF(numbers)) / 8] ^= (unsigned char)(1 << i % 8);
            image_mend(image.bytes, image.size);
            const char *why = image_check_load(image.bytes, image.size, &known, &report);
            if (!why) why = image_check_merge(image.bytes, image.size, &known, &report);
            if (why) fail_msg("byte %zu, change %u: %s", at, i, why);
            memcpy(image.bytes + at, before, 4);
        }
}

static void test_a_section_of_any_length_is_checked(void **state) {
    (void)state;
    assert_true(churn_fill(world));
    save(world, &image);
    covey_section section = find_section();
    uint32_t sections = covey_image_sections(image.bytes, image.size, NULL, 0, NULL);
    for (size_t bytes = 0; bytes < section.bytes; bytes++) {
        covey_buffer shorter = { 0 };
        covey_report report;
        size_t tail = image.size - (size_t)(section.offset + section.bytes);
        shorter.bytes = malloc(image.size);
        assert_non_null(shorter.bytes);
        shorter.size = (size_t)section.offset + bytes + tail;
        memcpy(shorter.bytes, image.bytes, (size_t)section.offset + bytes);
        memcpy(shorter.bytes + section.offset + bytes, image.bytes + section.offset + section.bytes, tail);
        unsigned char *entry = shorter.bytes + shorter.size - 16 - 8;
        for (uint32_t k = 0; k < 8; k++) {
            entry[k] = (unsigned char)((uint64_t)bytes >> 8 * k);
            entry[8 + k] = (unsigned char)((uint64_t)shorter.size >> 8 * k);
        }
        image_mend(shorter.bytes, shorter.size);
        const char *why = image_check_load(shorter.bytes, shorter.size, &known, &report);
        if (why) fail_msg("%zu bytes: %s", bytes, why);
        assert_int_equal(report.fault, COVEY_FAULT_STRUCTURE);
        free(shorter.bytes);
    }
    assert_true(sections > 2);
}

/* ---- Merging ------------------------------------------------------------------------------------------------------*/

/* Counts neighbours, by index, that have different types. */
static uint32_t count_changes(const covey_world *of) {
    uint32_t changes = 0, before = UINT32_MAX;
    covey_entity e = covey_entity_next(of, (covey_entity){ 0, 0 });
    for (; !covey_is_null(e); e = covey_entity_next(of, e)) {
        uint32_t mask = 0;
        for (uint32_t i = 0; i < CHURN_TYPES; i++) mask |= (uint32_t)covey_has_raw(of, e, churn_types[i]) << i;
        changes += mask != before;
        before = mask;
    }
    return changes;
}

static void fill_mixed(covey_world *to) {
    covey_entity e;
    for (uint32_t i = 0; i < 200; i++) assert_true(churn_create(to, &e, 1, 1 + i % 3));
}

static void test_entities_of_a_kind_are_merged_together(void **state) {
    (void)state;
    test_heap other;
    covey_world *source = image_world(&other), *twin = covey_world_create(NULL);
    fill_mixed(source);
    save(source, &image);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(covey_merge_from_memory(world, image.bytes, image.size, &known, NULL), COVEY_OK);
        assert_int_equal(covey_merge_from_memory(twin, image.bytes, image.size, &known, NULL), COVEY_OK);
        test_world_is_valid(world);
    }
    assert_true(count_changes(world) < 200);
    assert_true(churn(world, 1, STEPS, MOST * 2) == churn(twin, 1, STEPS, MOST * 2));
    covey_world_destroy(source);
    covey_world_destroy(twin);
}

static void test_followed_entities_of_a_kind_are_together(void **state) {
    (void)state;
    test_heap other;
    covey_world *source = image_world(&other);
    covey_follower *follower = covey_follower_create(world);
    for (uint32_t i = 0; i < 5; i++) {
        covey_entity e[20];
        assert_true(churn_create(source, e, 20, 1) && churn_create(source, e, 20, 2));
        save(source, &image);
        assert_int_equal(covey_follow_from_memory(follower, image.bytes, image.size, &known, NULL), COVEY_OK);
        test_world_is_valid(world);
    }
    assert_int_equal(covey_entity_count(world), 200);
    assert_true(count_changes(world) < 100);
    covey_follower_destroy(follower);
    covey_world_destroy(source);
}

/* Children in turn of two types, which become kinds in the other world. */
static void test_the_entities_of_a_tree_are_together_in_another_world(void **state) {
    (void)state;
    test_heap other;
    covey_world *source = image_world(&other);
    covey_entity root = covey_create(source), e;
    for (uint32_t i = 0; i < 200; i++) {
        e = covey_create(source);
        assert_non_null(covey_add_raw(source, e, churn_types[i % 2], NULL));
        assert_int_equal(covey_parent_set(source, e, root), COVEY_OK);
    }
    assert_true(count_changes(source) > 200);
    assert_false(covey_is_null(covey_clone_tree_into(world, source, root, NULL)));
    test_world_is_valid(world);
    assert_int_equal(covey_entity_count(world), 201);
    assert_true(count_changes(world) < 60);
    for (uint32_t i = 0; i < 40; i++) assert_false(covey_is_null(covey_clone_into(world, source, e, NULL)));
    assert_true(count_changes(world) < 80);
    test_world_is_valid(world);
    covey_world_destroy(source);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        KINDS_TEST(test_a_loaded_world_creates_the_same_entities),
        KINDS_TEST(test_a_used_world_gets_the_kinds_of_the_image),
        KINDS_TEST(test_a_world_that_refuses_an_image_keeps_its_kinds),
        KINDS_TEST(test_calls_that_fail_change_no_candidates),
        KINDS_TEST(test_a_world_without_kinds_has_no_section),
        KINDS_TEST(test_what_is_left_out_has_no_kinds),
        KINDS_TEST(test_words_below_the_first_index_are_common),
        KINDS_TEST(test_every_number_is_checked),
        KINDS_TEST(test_a_section_of_any_length_is_checked),
        KINDS_TEST(test_entities_of_a_kind_are_merged_together),
        KINDS_TEST(test_followed_entities_of_a_kind_are_together),
        KINDS_TEST(test_the_entities_of_a_tree_are_together_in_another_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
