/* Worlds and entities as text. */
#include "fixture.h"

#include <covey/advice.h>
#include <inttypes.h>
#include <stdio.h>

static void test_a_handle_prints_as_index_and_generation(void **state) {
    (void)state;
    char text[32], last[32];
    assert_int_equal(covey_entity_print(text, sizeof text, entity(5, 3)), 3);
    assert_string_equal(text, "5:3");
    snprintf(last, sizeof last, "%" PRIu32 ":%" PRIu32, COVEY_NONE, COVEY_GENERATION_MAX);
    covey_entity_print(text, sizeof text, entity(COVEY_NONE, COVEY_GENERATION_MAX));
    assert_string_equal(text, last);
}

static void test_a_null_handle_prints_as_null(void **state) {
    (void)state;
    char text[32];
    assert_int_equal(covey_entity_print(text, sizeof text, entity(0, 0)), 4);
    assert_string_equal(text, "null");
    covey_entity_print(text, sizeof text, entity(7, 0));
    assert_string_equal(text, "null");
}

static void test_a_text_that_is_too_long_is_cut_and_its_length_told(void **state) {
    (void)state;
    char text[4] = { 'x', 'x', 'x', 'x' };
    assert_int_equal(covey_entity_print(text, 3, entity(123, 45)), 6);
    assert_string_equal(text, "12");
    assert_int_equal(text[3], 'x');
    assert_int_equal(covey_entity_print(NULL, 0, entity(123, 45)), 6);
    assert_int_equal(covey_entity_print(NULL, 0, entity(0, 0)), 4);
}

typedef struct page {
    char text[4096];
    size_t length;
} page;

static void write_page(const char *text, void *context) {
    page *out = context;
    size_t length = strlen(text);
    assert_true(out->length + length < sizeof out->text);
    memcpy(out->text + out->length, text, length + 1);
    out->length += length;
}

static void test_an_empty_world_prints_one_line(void **state) {
    (void)state;
    page out = { .length = 0 };
    char expected[128];
    snprintf(expected, sizeof expected, "world: 0 entities, 0 pools, %zu bytes\n", covey_world_memory(world));
    covey_world_print(world, write_page, &out);
    assert_string_equal(out.text, expected);
}

static void test_a_world_prints_a_line_for_each_pool_and_each_entity(void **state) {
    (void)state;
    covey_entity e = create_with(covey_id(Packed), 1), f = create_with(covey_id(Kept), 2), g = covey_create(world);
    assert_true(covey_add_tag(world, e, Marked));
    create_with(covey_id(Ordered), 3);
    covey_destroy(world, f);
    covey_create(world);
    covey_clear(world, Ordered);
    (void)g;
    page out = { .length = 0 };
    covey_world_print(world, write_page, &out);
    char expected[1024];
    snprintf(expected, sizeof expected,
             "world: 4 entities, 4 pools, %zu bytes\n"
             "  Packed: 1 of 8 bytes, %zu bytes in all\n"
             "  Kept: 0 of 8 bytes, %zu bytes in all\n"
             "  Marked: 1 of 0 bytes, %zu bytes in all\n"
             "  Ordered: 0 of 8 bytes, %zu bytes in all\n"
             "  0:1  Packed, Marked\n"
             "  1:3\n"
             "  2:1\n"
             "  3:1\n",
             covey_world_memory(world), covey_pool_memory(covey_pool_of(world, Packed)),
             covey_pool_memory(covey_pool_of(world, Kept)), covey_pool_memory(covey_pool_of(world, Marked)),
             covey_pool_memory(covey_pool_of(world, Ordered)));
    assert_string_equal(out.text, expected);
}

static char all_lines[1 << 16];
static void write_all(const char *text, void *context) {
    (void)context;
    assert_true(strlen(all_lines) + strlen(text) < sizeof all_lines);
    strcat(all_lines, text);
}

static void test_a_world_prints_a_line_for_each_kind(void **state) {
    (void)state;
    char expected[128];
    covey_entity_kind kinds[2];
    for (uint32_t i = 0; i < 100; i++) {
        covey_create_with(world, covey_with(Packed, { i, i }), covey_with_tag(Marked));
        covey_create_with(world, covey_with(Packed, { i, i }));
    }
    assert_int_equal(covey_world_kinds(world, kinds, 2), 2);
    all_lines[0] = '\0';
    covey_world_print(world, write_all, NULL);
    for (uint32_t i = 0; i < 2; i++) {
        snprintf(expected, sizeof expected, "  kind Packed%s: %u entities in %u blocks\n",
                 kinds[i].type_count == 2 ? ", Marked" : "", kinds[i].entities, kinds[i].blocks);
        assert_non_null(strstr(all_lines, expected));
    }
}

static void test_a_long_name_is_printed_whole(void **state) {
    (void)state;
    char name[400];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    const covey_type *type = covey_type_create(world, &(covey_type){ .name = name, .size = 4, .align = 4 });
    covey_entity e = covey_create(world);
    covey_add_raw(world, e, type, NULL);
    page out = { .length = 0 };
    covey_world_print(world, write_page, &out);
    assert_non_null(strstr(out.text, name));
    assert_non_null(strstr(strstr(out.text, name) + 1, name));
    assert_null(covey_add_raw(world, e, type, NULL)); /* the log cuts what does not fit */
    assert_failed(COVEY_ERROR_PRESENT);
}

static void test_a_world_prints_to_stdout_without_a_writer(void **state) {
    (void)state;
    create_with(covey_id(Packed), 1);
    covey_world_print(world, NULL, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_a_handle_prints_as_index_and_generation),
        WORLD_TEST(test_a_null_handle_prints_as_null),
        WORLD_TEST(test_a_text_that_is_too_long_is_cut_and_its_length_told),
        WORLD_TEST(test_an_empty_world_prints_one_line),
        WORLD_TEST(test_a_world_prints_a_line_for_each_pool_and_each_entity),
        WORLD_TEST(test_a_world_prints_a_line_for_each_kind),
        WORLD_TEST(test_a_long_name_is_printed_whole),
        WORLD_TEST(test_a_world_prints_to_stdout_without_a_writer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
