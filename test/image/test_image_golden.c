/* Images that are in the tree: those of format 1 can be loaded for ever, hold what they held, and are what is written
 * today on every machine. A new one is written by
 *
 *     build/dev/test/test_image_golden test/golden
 *
 * which leaves those that are there as they are. */
#include "churn.h"
#include "fixture.h"
#include "images.h"
#include "texts.h"

#include <covey/hierarchy.h>
#include <stdio.h>
#include <stdlib.h>

static bool is_little_endian(void) { return *(const unsigned char *)&(uint16_t){ 1 } == 1; }

/* ---- Worlds -------------------------------------------------------------------------------------------------------*/

/* A struct as it was, and as it is. */
typedef struct Before {
    uint16_t hits;
    uint8_t gone;
    Spot spot, spots[2];
    char text[4];
} Before;
typedef struct After {
    char text[4];
    int64_t hits;
    double fresh;
    Spot spots[2], spot;
} After;
COVEY_FIELDS_DEFINE(Before, u16(hits), u8(gone), nested(Spot, spot), nested_array(Spot, spots), array(character, text));
COVEY_FIELDS_DEFINE(After, array(character, text), i64(hits), f64(fresh), nested_array(Spot, spots),
                    nested(Spot, spot));
static const After fresh = { .fresh = 2.5 };
static const covey_type before_type = {
    .name = "Changing", .size = sizeof(Before), .align = _Alignof(Before), .fields = &covey_fields_Before
};
static const covey_type after_type = { .name = "Changing",
                                       .size = sizeof(After),
                                       .align = _Alignof(After),
                                       .fields = &covey_fields_After,
                                       .defaults = &fresh };

static void fill_nothing(covey_world *to) { (void)to; }

/* All kinds of sections, every storage and policy, and fields of every kind. Raw types have a file of their own. */
static void fill_everything(covey_world *to) { assert_true(image_fill(to)); }

static void fill_changing(covey_world *to) {
    Before value = { 65535, 1, { -1, true, 2 }, { { 3, false, 4 }, { -5, true, 6 } }, "old" };
    assert_non_null(covey_add_raw(to, covey_create(to), &before_type, &value));
    assert_non_null(covey_resource_set_raw(to, &before_type, &value));
}

static void fill_raw(covey_world *to) {
    covey_entity e[3];
    assert_true(covey_create_many(to, e, 3));
    for (uint32_t i = 0; i < 3; i++) assert_non_null(covey_add(to, e[2 - i], Blob, { i, ~i }));
    assert_non_null(covey_resource_set(to, Blob, { 100, ~100u }));
}

/* More than a block, holes in all of them, and pools that were converted. */
static void fill_blocks(covey_world *to) {
    covey_entity e[150];
    assert_true(covey_create_many(to, e, 150));
    for (uint32_t i = 0; i < 150; i++) {
        if (i % 5 != 1) assert_non_null(covey_add(to, e[i], InBlocks, { i, ~i }));
        if (i % 50 == 7) assert_non_null(covey_add(to, e[i], InPack, { i * 2, ~(i * 2) }));
        if (i >= 64 && i < 128) assert_true(covey_add_tag(to, e[i], PlainTag));
        if (i % 40 == 0) assert_int_equal(covey_component_disable(to, e[i], InBlocks), COVEY_OK);
    }
    for (uint32_t i = 100; i < 150; i += 9) assert_true(covey_destroy(to, e[i]));
    assert_int_equal(covey_pool_convert(covey_pool_of(to, InPack), COVEY_STORAGE_BLOCK), COVEY_OK);
}

/* Values that functions have written, with and without fields. */
static void fill_texts(covey_world *to) { assert_true(text_fill(to)); }

/* Two kinds and candidates. Which indices belong to a kind depends on the constants of a program. */
static void fill_kinds(covey_world *to) { assert_true(churn_fill(to)); }
enum { USUAL_CONSTANTS = COVEY_PAGE_SIZE == 1024 };

/* ---- Files --------------------------------------------------------------------------------------------------------*/

typedef struct golden {
    const char *name;
    void (*fill)(covey_world *to);
    const covey_type *const *types; /* that are saved */
    bool of_little_endian, of_usual_constants;
} golden;

static const covey_type *const portable[] = { covey_id(Kinds),
                                              covey_id(InBlocks),
                                              covey_id(InPins),
                                              covey_id(InPack),
                                              covey_id(InPlace),
                                              covey_id(InShelf),
                                              covey_id(InQueue),
                                              covey_id(PlainTag),
                                              covey_id(Settings),
                                              covey_id(SparseTag),
                                              NULL };

static const golden files[] = {
    { "nothing", fill_nothing, NULL, false, false },   { "everything", fill_everything, portable, false, false },
    { "changing", fill_changing, NULL, false, false }, { "raw", fill_raw, NULL, true, false },
    { "blocks", fill_blocks, NULL, false, false },     { "texts", fill_texts, NULL, false, false },
    { "kinds", fill_kinds, NULL, false, true },
};
enum { NOTHING, EVERYTHING, CHANGING, RAW, BLOCKS, TEXTS, KINDS };

static void write_image(const golden *g, covey_buffer *to) {
    test_heap other;
    covey_world *full = image_world(&other);
    g->fill(full);
    to->size = 0;
    assert_int_equal(covey_save_to_buffer(full, to, &(covey_save_desc){ .types = g->types }, NULL), COVEY_OK);
    covey_world_destroy(full);
}

static void path_of(char *path, size_t size, const char *folder, const golden *g, int version) {
    snprintf(path, size, "%s/format%d_%s.covey", folder, version, g->name);
}

static unsigned char file[1 << 16];
static size_t file_size;

static void read_file(uint32_t number, int version) {
    char path[1024];
    path_of(path, sizeof path, COVEY_GOLDEN, &files[number], version);
    FILE *from = fopen(path, "rb");
    if (!from) fail_msg("%s is not there", path);
    file_size = fread(file, 1, sizeof file, from);
    fclose(from);
}

static covey_report load_file(uint32_t number, const covey_load_desc *desc) {
    covey_report report;
    read_file(number, COVEY_IMAGE_VERSION);
    (void)covey_load_from_memory(world, file, file_size, desc, &report);
    return report;
}

/* Loaded, and saved again to the bytes of today. */
static void go_through_version(covey_world *into, uint32_t number, int version, const covey_load_desc *desc) {
    covey_buffer again = { 0 };
    covey_report report;
    read_file(number, version);
    (void)covey_load_from_memory(into, file, file_size, desc, &report);
    if (report.result != COVEY_OK) fail_msg("%s of version %d: %s", files[number].name, version, report.text);
    test_world_is_valid(into);
    assert_int_equal(covey_save_to_buffer(into, &again, NULL, NULL), COVEY_OK);
    read_file(number, COVEY_IMAGE_VERSION);
    assert_int_equal(again.size, file_size);
    assert_memory_equal(again.bytes, file, file_size);
    covey_buffer_free(&again);
}

/* Images of all versions. The world is that of the last. */
static void go_through(uint32_t number, const covey_load_desc *desc) {
    for (int version = 1; version < COVEY_IMAGE_VERSION; version++) {
        test_heap other;
        covey_world *into = image_world(&other);
        go_through_version(into, number, version, desc);
        covey_world_destroy(into);
    }
    go_through_version(world, number, COVEY_IMAGE_VERSION, desc);
}

static const covey_load_desc known = { .types = image_types };

/* ---- Tests --------------------------------------------------------------------------------------------------------*/

static void test_what_is_written_today_is_what_was_written_then(void **state) {
    (void)state;
    covey_buffer today = { 0 };
    for (uint32_t i = 0; i < COUNT_OF(files); i++) {
        if (files[i].of_little_endian && !is_little_endian()) continue;
        if (files[i].of_usual_constants && !USUAL_CONSTANTS) continue;
        read_file(i, COVEY_IMAGE_VERSION);
        write_image(&files[i], &today);
        assert_int_equal(today.size, file_size);
        assert_memory_equal(today.bytes, file, file_size);
    }
    covey_buffer_free(&today);
}

static void test_an_image_of_nothing_is_loaded(void **state) {
    (void)state;
    go_through(NOTHING, NULL);
    assert_int_equal(covey_entity_count(world), 0);
    assert_int_equal(covey_tick(world), 1);
}

static void assert_number(covey_entity e, const covey_type *type, uint32_t number) {
    const Number *value = covey_get_raw(world, e, type);
    assert_non_null(value);
    assert_true(value->number == number && value->check == ~number);
}

static void test_an_image_with_everything_is_loaded(void **state) {
    (void)state;
    go_through(EVERYTHING, &known);
    static const uint32_t alive[] = { 0, 1, 3, 4, 6, 7, 8, 10, 11, 12, 13, 41 };
    assert_int_equal(covey_entity_count(world), COUNT_OF(alive));
    for (uint32_t i = 0; i < COUNT_OF(alive); i++) assert_true(covey_alive(world, entity(alive[i], 1)));
    assert_int_equal(covey_tick(world), 7);

    assert_number(entity(1, 1), covey_id(InBlocks), 10);
    assert_number(entity(0, 1), covey_id(InPins), 1);
    assert_number(entity(8, 1), covey_id(InPack), 82);
    assert_number(entity(13, 1), covey_id(InPlace), 133);
    assert_number(entity(3, 1), covey_id(InShelf), 34);
    assert_number(entity(11, 1), covey_id(InQueue), 115);
    assert_int_equal(covey_pool_position_count(covey_pool_of(world, InQueue)), 9);
    assert_int_equal(covey_pool_count(covey_pool_of(world, InQueue)), 5);
    assert_true(covey_has(world, entity(1, 1), PlainTag) && !covey_has(world, entity(0, 1), PlainTag));
    assert_true(covey_has(world, entity(0, 1), SparseTag) && !covey_has(world, entity(3, 1), SparseTag));
    assert_int_equal(covey_changed_at(world, entity(4, 1), Kinds), 2);

    assert_false(covey_is_enabled(world, entity(6, 1)) || covey_is_enabled(world, entity(13, 1)));
    assert_false(covey_component_is_enabled(world, entity(1, 1), InBlocks));
    assert_false(covey_component_is_enabled(world, entity(10, 1), Kinds));
    assert_same(covey_find_path(world, entity(10, 1), "right"), entity(12, 1));
    assert_same(covey_parent(world, entity(4, 1)), entity(11, 1));
    assert_int_equal(covey_resource_get(world, Settings)->number, 5);

    assert_same(covey_create(world), entity(2, 3));
    assert_same(covey_create(world), entity(5, 3));
    assert_no_entity(covey_create_at(world, 20));
    assert_same(covey_create_in(world, (covey_range){ 40, 4 }), entity(40, 3));
}

static void test_fields_of_every_kind_are_loaded(void **state) {
    (void)state;
    go_through(EVERYTHING, &known);
    const Kinds *k = covey_get(world, entity(7, 1), Kinds);
    assert_non_null(k);
    assert_true(k->i8 == -7 && k->i16 == -21 && k->i32 == -490000 && k->i64 == -INT64_C(35000000000));
    assert_true(k->u8 == 7 && k->u16 == 1799 && k->u32 == 490007 && k->u64 == UINT64_C(35000000007));
    assert_true(k->f32 > 1.7f && k->f32 < 1.8f && k->f64 > 0.87 && k->f64 < 0.88);
    assert_true(!k->yes && k->letter == 'h' && covey_same(k->friend_of, entity(6, 1)));
    assert_string_equal(k->text, "n7");
    assert_true(k->row[0] == 7 && k->row[1] == -7 && k->row[2] == 3);
    assert_true(k->grid[0][1] > 6.9f && k->grid[0][1] < 7.1f && k->grid[1][0] > 2.9f && k->grid[1][0] < 3.1f);
    assert_true(k->spot.x == 7 && k->spot.on && k->spot.y == 8);
    assert_true(k->spots[0].x == -7 && !k->spots[0].on && k->spots[1].x == 14 && k->spots[1].on && k->spots[1].y == 8);
    assert_true(k->flags[0] && !k->flags[1] && !k->flags[2] && covey_same(k->others[0], entity(6, 1)));
    assert_null(k->cache);
}

static void test_everything_can_be_kept_by_a_program_that_knows_nothing(void **state) {
    (void)state;
    go_through(EVERYTHING, &(covey_load_desc){ .unknown = COVEY_UNKNOWN_KEEP });
    assert_non_null(covey_type_find(world, "Kinds"));
}

static void test_a_type_that_has_changed_since_is_loaded(void **state) {
    (void)state;
    const covey_type *types[] = { &after_type, NULL };
    assert_int_equal(load_file(CHANGING, &(covey_load_desc){ .types = types }).result, COVEY_OK);
    const After *both[] = { covey_get_raw(world, entity(0, 1), &after_type),
                            covey_resource_get_raw(world, &after_type) };
    for (uint32_t i = 0; i < 2; i++) {
        assert_string_equal(both[i]->text, "old");
        assert_true(both[i]->hits == 65535 && both[i]->fresh > 2.4 && both[i]->fresh < 2.6);
        assert_true(both[i]->spot.x == -1 && both[i]->spot.on && both[i]->spot.y == 2);
        assert_true(both[i]->spots[0].x == 3 && both[i]->spots[1].x == -5 && both[i]->spots[1].y == 6);
    }
}

static void test_raw_values_are_for_machines_of_their_byte_order(void **state) {
    (void)state;
    if (!is_little_endian()) {
        assert_int_equal(load_file(RAW, &known).fault, COVEY_FAULT_TYPE);
        return;
    }
    go_through(RAW, &known);
    for (uint32_t i = 0; i < 3; i++) assert_number(entity(2 - i, 1), covey_id(Blob), i);
    assert_int_equal(covey_resource_get(world, Blob)->number, 100);
}

static void test_blocks_and_converted_pools_are_loaded(void **state) {
    (void)state;
    go_through(BLOCKS, &known);
    assert_int_equal(covey_entity_count(world), 144);
    for (uint32_t i = 0; i < 150; i++) {
        covey_entity e = covey__entity(i, 1);
        bool alive = i < 100 || (i - 100) % 9 != 0;
        assert_int_equal(covey_alive(world, e), alive);
        assert_int_equal(covey_has(world, e, InBlocks), alive && i % 5 != 1);
        assert_int_equal(covey_has(world, e, PlainTag), alive && i >= 64 && i < 128);
        if (covey_has(world, e, InBlocks)) assert_number(e, covey_id(InBlocks), i);
        if (alive && i % 50 == 7) assert_number(e, covey_id(InPack), i * 2);
        if (covey_has(world, e, InBlocks))
            assert_int_equal(covey_component_is_enabled(world, e, InBlocks), i % 40 != 0);
    }
    assert_null((covey_pool_ids)(covey_pool_of(world, InPack)));
}

static void test_texts_are_loaded(void **state) {
    (void)state;
    go_through(TEXTS, &(covey_load_desc){ .types = text_types });
    const Crew *crew = covey_get(world, entity(4, 1), Crew);
    assert_int_equal(crew->rank, 4);
    assert_int_equal(crew->score, -4);
    assert_same(crew->captain, entity(4, 1));
    assert_string_equal(text_of(&crew->motto)->text, "ahoy");
    const text_place *text = text_of(covey_get(world, entity(8, 1), Text));
    assert_int_equal(text->length, 1);
    assert_int_equal(text->text[0], 'a');
    assert_int_equal(text->link_count, 2);
    assert_same(text->links[0], entity(0, 1));
    assert_same(text->links[1], entity(8, 1));
    assert_null(covey_get(world, entity(2, 1), TextInPlace));
    assert_string_equal(text_of(covey_resource_get(world, TextResource))->text, "world");
}

/* With other constants, new entities may get any index. */
static void test_kinds_are_loaded(void **state) {
    (void)state;
    covey_entity a[3], b;
    if (USUAL_CONSTANTS) go_through_version(world, KINDS, COVEY_IMAGE_VERSION, &known);
    else assert_int_equal(load_file(KINDS, &known).result, COVEY_OK);
    test_world_is_valid(world);
    assert_true(churn_create(world, a, 3, 1) && churn_create(world, &b, 1, 6));
    if (!USUAL_CONSTANTS) return;
    assert_same(a[0], entity(130, 3));
    assert_same(a[2], entity(144, 3));
    assert_same(b, entity(67, 3));
}

/* ---- Writing them -------------------------------------------------------------------------------------------------*/

static int write_files(const char *folder) {
    covey_buffer image = { 0 };
    for (uint32_t i = 0; i < COUNT_OF(files); i++) {
        char path[1024];
        path_of(path, sizeof path, folder, &files[i], COVEY_IMAGE_VERSION);
        FILE *there = fopen(path, "rb");
        if (there) {
            fclose(there);
            continue;
        }
        write_image(&files[i], &image);
        FILE *to = fopen(path, "wb");
        bool written = to && fwrite(image.bytes, 1, image.size, to) == image.size;
        if (!to || fclose(to) != 0 || !written) return EXIT_FAILURE;
        printf("%s: %zu bytes\n", path, image.size);
    }
    covey_buffer_free(&image);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_what_is_written_today_is_what_was_written_then),
        WORLD_TEST(test_an_image_of_nothing_is_loaded),
        WORLD_TEST(test_an_image_with_everything_is_loaded),
        WORLD_TEST(test_fields_of_every_kind_are_loaded),
        WORLD_TEST(test_everything_can_be_kept_by_a_program_that_knows_nothing),
        WORLD_TEST(test_a_type_that_has_changed_since_is_loaded),
        WORLD_TEST(test_raw_values_are_for_machines_of_their_byte_order),
        WORLD_TEST(test_blocks_and_converted_pools_are_loaded),
        WORLD_TEST(test_texts_are_loaded),
        WORLD_TEST(test_kinds_are_loaded),
    };
    if (argc > 1) return write_files(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
