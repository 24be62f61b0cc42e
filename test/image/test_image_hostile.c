/* Damaged images, and images made to do damage: each one is refused and the world is unchanged; or its content is
 * possible, and then the world is valid and goes through an image unchanged. */
#include "churn.h"
#include "fixture.h"
#include "images.h"
#include "texts.h"

#include <stdlib.h>

/* ---- An image with everything in it -------------------------------------------------------------------------------*/

static covey_buffer image;

static int image_setup(void **state) {
    test_heap other;
    covey_world *full = image_world(&other);
    texts = (text_ledger){ 0 };
    bool done = image_fill(full) && text_fill(full) && churn_fill(full);
    if (!done || covey_save_to_buffer(full, &image, NULL, NULL) != COVEY_OK) return -1;
    covey_world_destroy(full);
    return world_setup(state);
}

static int image_teardown(void **state) {
    covey_buffer_free(&image);
    return world_teardown(state);
}

#define IMAGE_TEST(test) cmocka_unit_test_setup_teardown(test, image_setup, image_teardown)

static const covey_load_desc known = { .types = image_types };

static void test_the_image_has_every_kind_of_section(void **state) {
    (void)state;
    covey_image_info info;
    bool seen[COVEY_SECTION_KINDS + 1] = { false };
    covey_section all[64], none = { 0 };
    assert_true(covey_image_read_info(image.bytes, image.size, &info, NULL));
    assert_in_range(info.sections, 6, COUNT_OF(all) - 1);
    memset(all, 0, sizeof all);
    assert_int_equal(covey_image_sections(image.bytes, image.size, all, COUNT_OF(all), NULL), info.sections);
    for (uint32_t i = 0; i < info.sections; i++) {
        covey_section section;
        memset(&section, 0, sizeof section);
        assert_true(covey_image_section(image.bytes, image.size, i, &section, NULL));
        assert_int_equal(section.offset, all[i].offset);
        assert_int_equal(section.count, all[i].count);
        assert_string_equal(section.name, all[i].name);
        seen[section.kind] = true;
    }
    assert_int_equal(all[info.sections].kind, none.kind);
    memset(all, 0, sizeof all);
    assert_int_equal(covey_image_sections(image.bytes, image.size, all, 2, NULL), info.sections); /* as many as fit */
    assert_true(all[1].kind == COVEY_SECTION_ENTITIES && all[2].kind == none.kind);
    covey_report report;
    assert_int_equal(covey_image_sections(image.bytes, image.size - 1, all, 2, &report), 0);
    assert_int_equal(report.fault, COVEY_FAULT_SIZE);
    for (uint32_t kind = COVEY_SECTION_WORLD; kind <= COVEY_SECTION_KINDS; kind++) assert_true(seen[kind]);
}

/* ---- Damage -------------------------------------------------------------------------------------------------------*/

/* In a block of exactly that size, so that AddressSanitizer sees reads beyond it. */
static covey_result load_copy(size_t size, covey_report *report) {
    unsigned char *copy = malloc(size + (size == 0));
    assert_non_null(copy);
    memcpy(copy, image.bytes, size);
    uint32_t heard_before = heard.times;
    covey_result result = covey_load_from_memory(world, copy, size, &known, report);
    free(copy);
    assert_int_equal(heard.times, heard_before + (result != COVEY_OK));
    return result;
}

static void is_refused(size_t size) {
    covey_report report;
    assert_int_equal(load_copy(size, &report), COVEY_ERROR_IMAGE);
    assert_failed(COVEY_ERROR_IMAGE);
    assert_int_not_equal(report.fault, COVEY_FAULT_NONE);
    assert_true(report.text[0] != '\0' && report.offset <= size);
    assert_non_null(strstr(heard.text, report.text));
}

static void test_an_image_that_is_cut_off_anywhere_is_refused(void **state) {
    (void)state;
    uint64_t digest = image_digest(world);
    for (size_t size = 0; size < image.size; size++) {
        is_refused(size);
        assert_int_equal(image_digest(world), digest);
    }
    test_world_is_valid(world);
    assert_int_equal(load_copy(image.size, NULL), COVEY_OK);
}

static void test_an_image_with_something_behind_it_is_refused(void **state) {
    (void)state;
    assert_true(covey_save_to_buffer(world, &image, NULL, NULL) == COVEY_OK);
    is_refused(image.size);
}

static void test_a_flip_of_any_bit_is_refused(void **state) {
    (void)state;
    uint64_t digest = image_digest(world);
    for (size_t bit = 0; bit < image.size * 8; bit++) {
        image.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        is_refused(image.size);
        image.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        assert_int_equal(image_digest(world), digest);
    }
    test_world_is_valid(world);
    assert_int_equal(load_copy(image.size, NULL), COVEY_OK);
}

static void test_what_is_refused_does_not_change_a_world_it_is_merged_into(void **state) {
    (void)state;
    assert_true(image_fill(world) && text_fill(world));
    uint64_t digest = image_digest(world);
    for (size_t bit = 0; bit < image.size * 8; bit += 11) {
        image.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        uint32_t times = heard.times;
        assert_int_equal(covey_merge_from_memory(world, image.bytes, image.size, &known, NULL), COVEY_ERROR_IMAGE);
        assert_int_equal(heard.times, times + 1);
        image.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        if (bit % 7 == 0) assert_int_equal(image_digest(world), digest);
    }
    for (size_t size = 0; size < image.size; size += 5)
        assert_int_equal(covey_merge_from_memory(world, image.bytes, size, &known, NULL), COVEY_ERROR_IMAGE);
    assert_int_equal(image_digest(world), digest);
}

/* ---- Hostility ----------------------------------------------------------------------------------------------------*/

/* Changes some bytes as an attacker would, and corrects the checksums. */
static void change(test_random *random, unsigned char *bytes, size_t size) {
    static const uint32_t odd[] = { 0, 1, 2, 3, 63, 64, 65, 255, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF };
    for (uint32_t changes = 1 + test_below(random, 3); changes != 0; changes--) {
        size_t at = 16 + test_below(random, (uint32_t)size - 16 - 8);
        uint32_t number = odd[test_below(random, COUNT_OF(odd))];
        switch (test_below(random, 6)) {
        case 0: bytes[at] = (unsigned char)test_next(random); break;
        case 1: bytes[at] ^= (unsigned char)(1u << test_below(random, 8)); break;
        case 2: bytes[at] = (unsigned char)(bytes[at] + 1); break;
        case 3: bytes[at] = (unsigned char)(bytes[at] - 1); break;
        case 4: memcpy(bytes + at, bytes + 16 + test_below(random, (uint32_t)size - 16 - 8), 4); break;
        default: memcpy(bytes + at, &number, at % 4 == 0 ? 4 : 1); break;
        }
    }
    image_mend(bytes, size);
}

typedef const char *check_fn(const void *bytes, size_t size, const covey_load_desc *desc, covey_report *report);

/* Each fault is seen, so that the changes reach what they should, and some images are taken. */
static void try_changes(check_fn *check, uint64_t times, const covey_load_desc *desc) {
    uint32_t seen[COVEY_FAULT_LIMIT + 1] = { 0 };
    unsigned char *bytes = malloc(image.size);
    assert_non_null(bytes);
    for (uint64_t seed = 1; seed <= times; seed++) {
        test_random random = { seed };
        covey_report report;
        memcpy(bytes, image.bytes, image.size);
        change(&random, bytes, image.size);
        const char *why = check(bytes, image.size, desc, &report);
        if (why) fail_msg("change %llu: %s", (unsigned long long)seed, why);
        seen[report.fault]++;
    }
    free(bytes);
    static const covey_fault expected[] = { COVEY_FAULT_NONE,   COVEY_FAULT_SIZE,  COVEY_FAULT_STRUCTURE,
                                            COVEY_FAULT_ENTITY, COVEY_FAULT_VALUE, COVEY_FAULT_PARENT,
                                            COVEY_FAULT_NAME };
    for (uint32_t i = 0; i < COUNT_OF(expected); i++)
        if (times >= 2000 && seen[expected[i]] == 0) fail_msg("no image had this: %s", covey_fault_text(expected[i]));
}

static void test_hostile_images_do_no_harm(void **state) {
    (void)state;
    try_changes(image_check_load, test_scaled(15000), &known);
}

static void test_hostile_images_of_unknown_types_do_no_harm(void **state) {
    (void)state;
    covey_load_desc desc = { .unknown = COVEY_UNKNOWN_KEEP };
    try_changes(image_check_load, test_scaled(10000), &desc);
    desc.unknown = COVEY_UNKNOWN_SKIP;
    desc.types = image_types;
    try_changes(image_check_load, test_scaled(4000), &desc);
}

static void test_hostile_images_do_no_harm_to_worlds_that_they_are_merged_into(void **state) {
    (void)state;
    covey_load_desc desc = { .types = image_types, .unknown = COVEY_UNKNOWN_KEEP };
    try_changes(image_check_merge, test_scaled(4000), &desc);
}

static void test_hostile_images_do_no_harm_to_worlds_that_follow(void **state) {
    (void)state;
    covey_load_desc desc = { .types = image_types, .unknown = COVEY_UNKNOWN_KEEP };
    try_changes(image_check_follow, test_scaled(3000), &desc);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IMAGE_TEST(test_the_image_has_every_kind_of_section),
        IMAGE_TEST(test_an_image_that_is_cut_off_anywhere_is_refused),
        IMAGE_TEST(test_an_image_with_something_behind_it_is_refused),
        IMAGE_TEST(test_a_flip_of_any_bit_is_refused),
        IMAGE_TEST(test_what_is_refused_does_not_change_a_world_it_is_merged_into),
        IMAGE_TEST(test_hostile_images_do_no_harm),
        IMAGE_TEST(test_hostile_images_of_unknown_types_do_no_harm),
        IMAGE_TEST(test_hostile_images_do_no_harm_to_worlds_that_they_are_merged_into),
        IMAGE_TEST(test_hostile_images_do_no_harm_to_worlds_that_follow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
