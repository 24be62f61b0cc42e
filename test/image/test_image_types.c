/* Types that have changed since an image was written, types that the program does not know, and types that an image
 * cannot have. */
#include "churn.h"
#include "fixture.h"
#include "images.h"
#include "texts.h"

#include <stdio.h>

static covey_world *origin;
static test_heap origin_heap;
static covey_buffer image, again;

static int types_setup(void **state) {
    image = again = (covey_buffer){ 0 };
    origin = image_world(&origin_heap);
    return world_setup(state);
}

static int types_teardown(void **state) {
    covey_buffer_free(&image);
    covey_buffer_free(&again);
    covey_world_destroy(origin);
    return world_teardown(state);
}

#define TYPES_TEST(test) cmocka_unit_test_setup_teardown(test, types_setup, types_teardown)

static void begin_anew(void) {
    assert_int_equal(types_teardown(NULL), 0);
    assert_int_equal(types_setup(NULL), 0);
}

static void save(covey_world *of, covey_buffer *to) {
    to->size = 0;
    assert_int_equal(covey_save_to_buffer(of, to, NULL, NULL), COVEY_OK);
}

static covey_report try_to_load(const covey_load_desc *desc) {
    covey_report report;
    (void)covey_load_from_memory(world, image.bytes, image.size, desc, &report);
    test_world_is_valid(world);
    return report;
}

/* A component of one description is saved, and loaded as one of another. The entity is 0:1. */
static covey_report change_type(const covey_type *was, const void *value, const covey_type *is) {
    const covey_type *types[] = { is, NULL };
    const covey_type *made = covey_type_create(origin, was);
    assert_non_null(made);
    assert_non_null(covey_add_raw(origin, covey_create(origin), made, value));
    assert_non_null(covey_resource_set_raw(origin, made, value));
    save(origin, &image);
    return try_to_load(&(covey_load_desc){ .types = types });
}

static void is_refused(const covey_type *was, const void *value, const covey_type *is, covey_fault fault,
                       const char *culprit) {
    covey_report report = change_type(was, value, is);
    assert_int_equal(report.result, COVEY_ERROR_IMAGE);
    assert_int_equal(report.fault, fault);
    if (!strstr(report.text, culprit)) fail_msg("\"%s\" does not name %s", report.text, culprit);
    assert_int_equal(covey_entity_count(world), 0);
    assert_int_equal(heard.times, 1);
}

static const void *is_taken(const covey_type *was, const void *value, const covey_type *is) {
    covey_report report = change_type(was, value, is);
    if (report.result != COVEY_OK) fail_msg("%s", report.text);
    const void *component = covey_get_raw(world, entity(0, 1), is);
    assert_non_null(component);
    assert_memory_equal(covey_resource_get_raw(world, is), component, is->size);
    return component;
}

/* ---- Numbers that have become wider -------------------------------------------------------------------------------*/

typedef struct kind_row {
    covey_kind kind;
    int bits;
    bool is_integer, is_signed;
} kind_row;
static const kind_row rows[] = {
    { COVEY_KIND_I8, 8, true, true },
    { COVEY_KIND_I16, 16, true, true },
    { COVEY_KIND_I32, 32, true, true },
    { COVEY_KIND_I64, 64, true, true },
    { COVEY_KIND_U8, 8, true, false },
    { COVEY_KIND_U16, 16, true, false },
    { COVEY_KIND_U32, 32, true, false },
    { COVEY_KIND_U64, 64, true, false },
    { COVEY_KIND_F32, 32, false, true },
    { COVEY_KIND_F64, 64, false, true },
    { COVEY_KIND_BOOL, 8, false, false },
    { COVEY_KIND_CHAR, 8, false, false },
    { COVEY_KIND_ENTITY, 8 * sizeof(covey_entity), false, false },
};

/* Whether every number of one kind is one of the other. */
static bool holds_all(kind_row was, kind_row is) {
    if (was.kind == is.kind) return true;
    if (!was.is_integer || !is.is_integer) return false;
    if (was.is_signed && !is.is_signed) return false;
    return is.bits - is.is_signed >= was.bits - was.is_signed && is.bits > was.bits;
}

static void write_number(kind_row row, int64_t number, void *to) {
    for (int i = 0; i < row.bits / 8; i++) {
        bool little = *(const unsigned char *)&(uint16_t){ 1 } == 1;
        ((unsigned char *)to)[little ? i : row.bits / 8 - 1 - i] = (unsigned char)((uint64_t)number >> 8 * i);
    }
}

static void change_kind(kind_row was, kind_row is, int64_t number) {
    covey_field a[] = { { "n", was.kind, 0, 3, NULL, { 0 } } }, b[] = { { "n", is.kind, 0, 3, NULL, { 0 } } };
    covey_fields before = { (uint32_t)was.bits / 8 * 3, 1, a }, after = { (uint32_t)is.bits / 8 * 3, 1, b };
    covey_type from = { .name = "Changed", .size = before.size, .align = 1, .fields = &before };
    covey_type to = { .name = "Changed", .size = after.size, .align = 1, .fields = &after };
    unsigned char value[24], expected[24];
    for (uint32_t i = 0; i < 3; i++) {
        write_number(was, number, value + i * (uint32_t)was.bits / 8);
        write_number(is, number, expected + i * (uint32_t)is.bits / 8);
    }
    if (!holds_all(was, is)) is_refused(&from, value, &to, COVEY_FAULT_FIELD, "n");
    else assert_memory_equal(is_taken(&from, value, &to), expected, after.size);
    covey_world_destroy(world); /* it may know `to`, which ends here */
    covey_world_desc desc = world_desc();
    heard = (test_heard){ 0 };
    world = covey_world_create(&desc);
    covey_world_destroy(origin);
    origin = image_world(&origin_heap);
}

static void test_integers_may_become_wider_and_nothing_else_may_change(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(rows); i++)
        for (uint32_t k = 0; k < COUNT_OF(rows); k++) {
            change_kind(rows[i], rows[k], 1);
            if (!rows[i].is_integer) continue;
            int64_t most = rows[i].bits == 64 ? INT64_MAX : ((int64_t)1 << (rows[i].bits - rows[i].is_signed)) - 1;
            change_kind(rows[i], rows[k], most);
            if (rows[i].is_signed) change_kind(rows[i], rows[k], -most - 1);
            if (rows[i].is_signed) change_kind(rows[i], rows[k], -1);
        }
}

/* ---- Structs that have changed ------------------------------------------------------------------------------------*/

typedef struct Old {
    uint16_t hits;
    uint8_t gone;
    float speed;
    Spot spot, spots[2];
    char text[4];
    bool asleep;
} Old;
COVEY_FIELDS_DEFINE(Old, u16(hits), u8(gone), f32(speed), nested(Spot, spot), nested_array(Spot, spots),
                    array(character, text), boolean(asleep));

typedef struct NewSpot {
    uint16_t y;
    int64_t x; /* wider, and behind y */
    int32_t z; /* new */
} NewSpot;
typedef struct New {
    bool asleep;
    NewSpot spots[2];
    int32_t hits; /* wider */
    uint8_t fresh;
    float speed;
    NewSpot spot;
    double also_fresh;
    char text[4];
} New;
COVEY_FIELDS_DEFINE(NewSpot, u16(y), i64(x), i32(z));
COVEY_FIELDS_DEFINE(New, boolean(asleep), nested_array(NewSpot, spots), i32(hits), u8(fresh), f32(speed),
                    nested(NewSpot, spot), f64(also_fresh), array(character, text));

static const Old old_value = { .hits = 65000,
                               .gone = 3,
                               .speed = 1.5f,
                               .spot = { -7, true, 9 },
                               .spots = { { 1, true, 2 }, { -3, false, 4 } },
                               .text = "abc",
                               .asleep = true };
static const covey_type old_type = {
    .name = "Shape", .size = sizeof(Old), .align = _Alignof(Old), .fields = &covey_fields_Old
};

static void assert_kept_fields(const New *value) {
    assert_true(value->asleep && value->hits == 65000 && value->speed > 1.4f && value->speed < 1.6f);
    assert_true(value->spot.x == -7 && value->spot.y == 9);
    assert_true(value->spots[0].x == 1 && value->spots[0].y == 2 && value->spots[1].x == -3 && value->spots[1].y == 4);
    assert_string_equal(value->text, "abc");
}

static void test_fields_are_found_by_their_names(void **state) {
    (void)state;
    static const covey_type type = {
        .name = "Shape", .size = sizeof(New), .align = _Alignof(New), .fields = &covey_fields_New
    };
    const New *value = is_taken(&old_type, &old_value, &type);
    assert_kept_fields(value);
    assert_true(value->fresh == 0 && value->also_fresh == 0 && value->spot.z == 0 && value->spots[1].z == 0);
}

/* Those that stay lie side by side here, and did not in the image: once by themselves, once in arrays. */
static void test_fields_may_leave_from_between_and_from_structs_in_arrays(void **state) {
    (void)state;
    static const covey_field three[] = { { "a", COVEY_KIND_U8, 0, 1, NULL, { 0 } },
                                         { "b", COVEY_KIND_U8, 1, 1, NULL, { 0 } },
                                         { "c", COVEY_KIND_U8, 2, 1, NULL, { 0 } } };
    static const covey_field two[] = { { "a", COVEY_KIND_U8, 0, 1, NULL, { 0 } },
                                       { "c", COVEY_KIND_U8, 1, 1, NULL, { 0 } } };
    static const covey_fields whole = { 3, 3, three }, rest = { 2, 2, two };
    static const covey_fields pair = { 2, 2, three }, first = { 1, 1, three };
    static const covey_field pairs[] = { { "p", COVEY_KIND_NESTED, 0, 3, &pair, { 0 } } };
    static const covey_field firsts[] = { { "p", COVEY_KIND_NESTED, 0, 3, &first, { 0 } } };
    static const covey_fields with_pairs = { 6, 1, pairs }, with_firsts = { 3, 1, firsts };
    static const unsigned char value[6] = { 1, 2, 3, 4, 5, 6 };
    static const covey_type from = { .name = "Shape", .size = 3, .align = 1, .fields = &whole };
    static const covey_type to = { .name = "Shape", .size = 2, .align = 1, .fields = &rest };
    static const covey_type from_array = { .name = "Shape", .size = 6, .align = 1, .fields = &with_pairs };
    static const covey_type to_array = { .name = "Shape", .size = 3, .align = 1, .fields = &with_firsts };
    const unsigned char *loaded = is_taken(&from, value, &to);
    assert_true(loaded[0] == 1 && loaded[1] == 3);
    begin_anew();
    loaded = is_taken(&from_array, value, &to_array);
    assert_true(loaded[0] == 1 && loaded[1] == 3 && loaded[2] == 5);
}

static void test_fields_that_an_image_lacks_have_the_defaults(void **state) {
    (void)state;
    static const New defaults = {
        .fresh = 8, .also_fresh = 2.5, .spot = { 1, 2, 33 }, .spots = { { 0, 0, 5 }, { 0, 0, 6 } }, .hits = 1
    };
    static const covey_type type = {
        .name = "Shape", .size = sizeof(New), .align = _Alignof(New), .fields = &covey_fields_New, .defaults = &defaults
    };
    const New *value = is_taken(&old_type, &old_value, &type);
    assert_kept_fields(value);
    assert_true(value->fresh == 8 && value->also_fresh > 2 && value->spot.z == 33);
    assert_true(value->spots[0].z == 5 && value->spots[1].z == 6);
}

static void test_a_type_may_have_none_of_the_fields_any_more(void **state) {
    (void)state;
    static const Number defaults = { 12, 13 };
    static const covey_type type = {
        .name = "Shape", .size = sizeof(Number), .align = 4, .fields = &covey_fields_Number, .defaults = &defaults
    };
    const Number *value = is_taken(&old_type, &old_value, &type);
    assert_true(value->number == 12 && value->check == 13);
}

static void test_a_type_may_become_a_tag_and_a_tag_a_type(void **state) {
    (void)state;
    static const covey_type tag = { .name = "Shape" };
    static const Number defaults = { 3, 4 };
    static const covey_type type = {
        .name = "Shape", .size = sizeof(Number), .align = 4, .fields = &covey_fields_Number, .defaults = &defaults
    };
    is_taken(&old_type, &old_value, &tag);
    begin_anew();
    const Number *value = is_taken(&tag, NULL, &type);
    assert_true(value->number == 3 && value->check == 4);
}

typedef struct field_change {
    covey_field was, is;
} field_change;

static void test_a_field_that_has_changed_is_named(void **state) {
    (void)state;
    static const covey_field x[] = { { "x", COVEY_KIND_U32, 0, 1, NULL, { 0 } } },
                             y[] = { { "x", COVEY_KIND_F32, 0, 1, NULL, { 0 } } };
    static const covey_fields inner = { 4, 1, x }, changed = { 4, 1, y };
    static const field_change changes[] = {
        { { "apples", COVEY_KIND_U32, 0, 1, NULL, { 0 } }, { "apples", COVEY_KIND_U32, 0, 2, NULL, { 0 } } },
        { { "apples", COVEY_KIND_U32, 0, 2, NULL, { 0 } }, { "apples", COVEY_KIND_U32, 0, 1, NULL, { 0 } } },
        { { "apples", COVEY_KIND_NESTED, 0, 1, &inner, { 0 } }, { "apples", COVEY_KIND_U32, 0, 1, NULL, { 0 } } },
        { { "apples", COVEY_KIND_U32, 0, 1, NULL, { 0 } }, { "apples", COVEY_KIND_NESTED, 0, 1, &inner, { 0 } } },
        { { "apples", COVEY_KIND_NESTED, 0, 2, &inner, { 0 } }, { "apples", COVEY_KIND_NESTED, 0, 1, &inner, { 0 } } },
        { { "apples", COVEY_KIND_U32, 0, 1, NULL, { 0 } }, { "apples", COVEY_KIND_F32, 0, 1, NULL, { 0 } } },
    };
    static const unsigned char value[8] = { 1 };
    for (uint32_t i = 0; i <= COUNT_OF(changes); i++) {
        bool deep = i == COUNT_OF(changes); /* inside of an array of structs */
        covey_field before = deep ? (covey_field){ "tree", COVEY_KIND_NESTED, 0, 2, &inner, { 0 } } : changes[i].was;
        covey_field after = deep ? (covey_field){ "tree", COVEY_KIND_NESTED, 0, 2, &changed, { 0 } } : changes[i].is;
        covey_fields was = { 8, 1, &before }, is = { 8, 1, &after };
        covey_type from = { .name = "Basket", .size = 8, .align = 4, .fields = &was };
        covey_type to = { .name = "Basket", .size = 8, .align = 4, .fields = &is };
        is_refused(&from, value, &to, COVEY_FAULT_FIELD, deep ? "field x " : "field apples ");
        assert_non_null(strstr(heard.text, "Basket"));
        begin_anew();
    }
}

/* What was padding is a field that the image lacks; what has become padding is gone. */
static void test_padding_may_become_a_field_and_a_field_padding(void **state) {
    (void)state;
    static const covey_field hidden[] = { { "a", COVEY_KIND_PADDING, 0, 4, NULL, { 0 } },
                                          { "b", COVEY_KIND_U32, 4, 1, NULL, { 0 } } };
    static const covey_field shown[] = { { "a", COVEY_KIND_U32, 0, 1, NULL, { 0 } },
                                         { "b", COVEY_KIND_PADDING, 4, 4, NULL, { 0 } } };
    static const covey_fields was = { 8, 2, hidden }, is = { 8, 2, shown };
    static const uint32_t value[2] = { 5, 6 }, defaults[2] = { 70, 80 };
    static const covey_type from = { .name = "Half", .size = 8, .align = 4, .fields = &was };
    static const covey_type to = { .name = "Half", .size = 8, .align = 4, .fields = &is, .defaults = defaults };
    const uint32_t *loaded = is_taken(&from, value, &to);
    assert_true(loaded[0] == 70 && loaded[1] == 80);
}

/* ---- Structs of which nothing is written --------------------------------------------------------------------------*/

static void test_a_struct_that_is_all_padding_is_saved_as_a_tag(void **state) {
    (void)state;
    static const covey_field hidden[] = { { "a", COVEY_KIND_PADDING, 0, 8, NULL, { 0 } } };
    static const covey_fields nothing = { 8, 1, hidden };
    static const uint32_t value[2] = { 5, 6 }, defaults[2] = { 7, 8 };
    static const covey_type type = {
        .name = "Hidden", .size = 8, .align = 4, .zero_erased = true, .fields = &nothing, .defaults = defaults
    };
    const uint32_t *loaded = is_taken(&type, value, &type);
    assert_true(loaded[0] == 7 && loaded[1] == 8);
}

static void test_a_nested_struct_may_be_all_padding(void **state) {
    (void)state;
    static const covey_field hidden[] = { { "a", COVEY_KIND_PADDING, 0, 8, NULL, { 0 } } };
    static const covey_fields nothing = { 8, 1, hidden };
    static const covey_field outer[] = { { "cache", COVEY_KIND_NESTED, 0, 1, &nothing, { 0 } },
                                         { "caches", COVEY_KIND_NESTED, 8, 2, &nothing, { 0 } },
                                         { "n", COVEY_KIND_U64, 24, 1, NULL, { 0 } } };
    static const covey_fields fields = { 32, 3, outer };
    static const uint64_t value[4] = { 1, 2, 3, 4 };
    static const covey_type type = { .name = "Outer", .size = 32, .align = 8, .fields = &fields };
    const uint64_t *loaded = is_taken(&type, value, &type);
    assert_true(loaded[0] == 0 && loaded[1] == 0 && loaded[2] == 0 && loaded[3] == 4);
}

/* ---- Raw types ----------------------------------------------------------------------------------------------------*/

static const covey_type raw_type = { .name = "Shape", .size = 8, .align = 4, .as_bytes = true };
static const covey_type number_type = { .name = "Shape", .size = 8, .align = 4, .fields = &covey_fields_Number };
static const Number some_number = { 1, 2 };

static void test_raw_types_stay_raw_and_keep_their_size(void **state) {
    (void)state;
    static const covey_type longer = { .name = "Shape", .size = 12, .align = 4, .as_bytes = true };
    static const covey_type silent = { .name = "Shape", .size = 8, .align = 4 };
    const Number *value = is_taken(&raw_type, &some_number, &raw_type);
    assert_true(value->number == 1 && value->check == 2);
    begin_anew();
    is_refused(&raw_type, &some_number, &longer, COVEY_FAULT_TYPE, "Shape");
    begin_anew();
    is_refused(&raw_type, &some_number, &number_type, COVEY_FAULT_TYPE, "Shape");
    begin_anew();
    is_refused(&number_type, &some_number, &raw_type, COVEY_FAULT_TYPE, "Shape");
    begin_anew();
    is_refused(&number_type, &some_number, &silent, COVEY_FAULT_TYPE, "Shape");
}

static void test_raw_values_of_the_other_byte_order_are_refused(void **state) {
    (void)state;
    const covey_type *types[] = { &raw_type, NULL };
    assert_non_null(covey_add_raw(origin, covey_create(origin), &raw_type, &some_number));
    save(origin, &image);
    covey_section section;
    assert_true(covey_image_section(image.bytes, image.size, 2, &section, NULL));
    unsigned char *encoding = image.bytes + section.offset + 2 + strlen("Shape");
    assert_int_equal(*encoding, section.encoding);
    *encoding = (unsigned char)(COVEY_ENCODING_BYTES_LITTLE + COVEY_ENCODING_BYTES_BIG - *encoding);
    image_mend(image.bytes, image.size);
    covey_report report = try_to_load(&(covey_load_desc){ .types = types });
    assert_int_equal(report.fault, COVEY_FAULT_TYPE);
    assert_non_null(strstr(report.text, "byte order"));
    report = try_to_load(&(covey_load_desc){ .unknown = COVEY_UNKNOWN_KEEP });
    assert_int_equal(report.fault, COVEY_FAULT_TYPE);
    assert_non_null(strstr(report.text, "byte order"));
    report = try_to_load(&(covey_load_desc){ .unknown = COVEY_UNKNOWN_SKIP });
    assert_int_equal(report.result, COVEY_OK);
}

/* ---- Storages, policies and ticks ---------------------------------------------------------------------------------*/

/* Every storage and policy, loaded as every other one. */
static void test_storage_and_policy_may_change(void **state) {
    (void)state;
    static const covey_type kinds[] = {
        { .storage = COVEY_STORAGE_BLOCK },
        { .storage = COVEY_STORAGE_PINNED, .zero_erased = true },
        { .storage = COVEY_STORAGE_SPARSE },
        { .policy = COVEY_IN_PLACE },
        { .policy = COVEY_SWAP_ONLY },
        { .policy = COVEY_ORDERED, .zero_erased = true },
        { .storage = COVEY_STORAGE_BLOCK, .ticks = true },
        { .storage = COVEY_STORAGE_SPARSE, .ticks = true },
    };
    for (uint32_t a = 0; a < COUNT_OF(kinds); a++)
        for (uint32_t b = 0; b < COUNT_OF(kinds); b++) {
            covey_type was = kinds[a], is = kinds[b];
            was.name = is.name = "Thing";
            was.size = is.size = sizeof(Number);
            was.align = is.align = 4;
            was.fields = is.fields = &covey_fields_Number;
            const covey_type *types[] = { &is, NULL }, *made = covey_type_create(origin, &was);
            covey_entity e[9];
            assert_true(covey_create_many(origin, e, 9));
            for (uint32_t i = 0; i < 9; i++) {
                Number number = image_number(i);
                covey_tick_advance(origin);
                assert_non_null(covey_add_raw(origin, e[(i * 5) % 9], made, &number));
            }
            for (uint32_t i = 2; i < 9; i += 3) covey_remove_raw(origin, e[i], made);
            assert_int_equal(covey_component_disable_raw(origin, e[4], made), COVEY_OK);
            save(origin, &image);
            covey_report report = try_to_load(&(covey_load_desc){ .types = types });
            if (report.result != COVEY_OK) fail_msg("%u to %u: %s", a, b, report.text);
            const covey_type *here = covey_type_find(world, "Thing");
            for (uint32_t i = 0; i < 9; i++) {
                const Number *before = covey_get_raw(origin, e[i], made);
                const Number *after = covey_get_raw(world, e[i], here);
                assert_int_equal(!before, !after);
                if (!before) continue;
                assert_memory_equal(before, after, sizeof(Number));
                assert_int_equal(covey_component_is_enabled_raw(world, e[i], here), i != 4);
                uint64_t tick = !is.ticks   ? 0
                                : was.ticks ? covey_changed_at_raw(origin, e[i], made)
                                            : covey_tick(origin);
                assert_int_equal(covey_changed_at_raw(world, e[i], here), tick);
            }
            covey_world_destroy(world);
            covey_world_destroy(origin);
            covey_world_desc desc = world_desc();
            world = covey_world_create(&desc);
            origin = image_world(&origin_heap);
        }
}

/* ---- Types that the program does not know -------------------------------------------------------------------------*/

static void test_unknown_types_are_refused_by_name(void **state) {
    (void)state;
    assert_true(image_fill(origin) && text_fill(origin) && churn_fill(origin));
    save(origin, &image);
    for (uint32_t i = 0; image_types[i]; i++) {
        const covey_type *types[20];
        uint32_t count = 0;
        for (uint32_t k = 0; image_types[k]; k++)
            if (k != i) types[count++] = image_types[k];
        types[count] = NULL;
        covey_report report = try_to_load(&(covey_load_desc){ .types = types });
        assert_int_equal(report.result, COVEY_ERROR_IMAGE);
        assert_int_equal(report.fault, COVEY_FAULT_TYPE);
        assert_non_null(strstr(report.text, image_types[i]->name));
        assert_int_equal(covey_entity_count(world), 0);
        begin_anew();
        assert_true(image_fill(origin) && text_fill(origin) && churn_fill(origin));
        save(origin, &image);
    }
}

static void test_unknown_types_can_be_left_out(void **state) {
    (void)state;
    static const covey_type *const some[] = { covey_id(InPack), NULL };
    assert_true(image_fill(origin));
    save(origin, &image);
    assert_int_equal(try_to_load(&(covey_load_desc){ .types = some, .unknown = COVEY_UNKNOWN_SKIP }).result, COVEY_OK);
    assert_int_equal(covey_entity_count(world), covey_entity_count(origin));
    assert_int_equal(covey_pool_count(covey_pool_of(world, InPack)), covey_pool_count(covey_pool_of(origin, InPack)));
    assert_null(covey_type_find(world, "Kinds"));
    assert_int_equal(covey_world_resource_count(world), 0);
}

static void test_unknown_types_can_be_kept_and_saved_again(void **state) {
    (void)state;
    assert_true(image_fill(origin));
    save(origin, &image);
    assert_int_equal(try_to_load(&(covey_load_desc){ .unknown = COVEY_UNKNOWN_KEEP }).result, COVEY_OK);
    save(world, &again);
    assert_int_equal(again.size, image.size);
    assert_memory_equal(again.bytes, image.bytes, image.size);
    const covey_type *kept = covey_type_find(world, "InPack");
    assert_non_null(kept);
    assert_ptr_not_equal(kept, covey_id(InPack));
    assert_int_equal(covey_pool_count(covey_pool_of_raw(world, kept)), covey_pool_count(covey_pool_of(origin, InPack)));
    const covey_pool *numbers = covey_pool_of(origin, InPack);
    covey_entity e = covey_pool_at(numbers, 0);
    assert_memory_equal(covey_get_raw(world, e, kept), covey_get(origin, e, InPack), sizeof(Number));
    assert_non_null(covey_add_raw(world, covey_create(world), kept, &(Number){ 1, 2 }));
    assert_int_equal(covey_world_resource_count(world), 2);
}

/* As a C compiler would have laid them out: those of the structs here. */
static void test_kept_types_have_the_layout_of_structs(void **state) {
    (void)state;
    Kinds kinds = kinds_of(9, entity(1, 2));
    assert_non_null(covey_add_value(origin, covey_create(origin), Kinds, &kinds));
    save(origin, &image);
    assert_int_equal(try_to_load(&(covey_load_desc){ .unknown = COVEY_UNKNOWN_KEEP }).result, COVEY_OK);
    const covey_type *kept = covey_type_find(world, "Kinds");
    assert_true(kept->ticks);
    assert_int_equal(kept->align, _Alignof(double) > 4 ? 8 : kept->align);
    const covey_fields *fields = kept->fields;
    assert_int_equal(fields->count, covey_fields_Kinds.count - 1); /* but for the pointer */
    for (uint32_t i = 0, k = 0; i < fields->count; i++, k++) {
        if (covey_fields_Kinds.at[k].kind == COVEY_KIND_PADDING) k++;
        const covey_field *made = &fields->at[i], *was = &covey_fields_Kinds.at[k];
        assert_string_equal(made->name, was->name);
        assert_int_equal(made->kind, was->kind);
        assert_int_equal(made->count, was->count);
        if (k < 17 && _Alignof(double) == 8) assert_int_equal(made->offset, was->offset);
        if (was->nested) assert_int_equal(made->nested->size, sizeof(Spot));
    }
}

static void test_what_was_kept_can_be_loaded_by_a_program_that_knows_it(void **state) {
    (void)state;
    assert_true(image_fill(origin));
    covey_clear(origin, Lost);
    save(origin, &image);
    covey_world_desc desc = world_desc();
    covey_world *between = covey_world_create(&desc);
    covey_load_desc keep = { .unknown = COVEY_UNKNOWN_KEEP };
    assert_int_equal(covey_load_from_memory(between, image.bytes, image.size, &keep, NULL), COVEY_OK);
    save(between, &image);
    covey_world_destroy(between);
    assert_int_equal(try_to_load(&(covey_load_desc){ .types = image_types }).result, COVEY_OK);
    assert_int_equal(image_digest(world), image_digest(origin));
}

/* A type of the call that the world cannot take. */
static void test_types_that_the_world_knows_otherwise_are_refused(void **state) {
    (void)state;
    static const covey_type wrong = { .name = "Shape", .size = 8, .align = 3, .as_bytes = true };
    const covey_type *types[] = { &number_type, NULL }, *wrong_types[] = { &wrong, NULL };
    assert_non_null(covey_add_raw(origin, covey_create(origin), &number_type, &some_number));
    save(origin, &image);
    assert_non_null(covey_pool_of_raw(world, &old_type));
    covey_report report = try_to_load(&(covey_load_desc){ .types = types });
    assert_int_equal(report.fault, COVEY_FAULT_TYPE);
    assert_non_null(strstr(report.text, "Shape"));
    begin_anew();
    assert_non_null(covey_resource_set_raw(origin, &raw_type, &some_number));
    save(origin, &image);
    report = try_to_load(&(covey_load_desc){ .types = wrong_types });
    assert_int_equal(report.fault, COVEY_FAULT_TYPE);
    assert_non_null(strstr(report.text, "Shape"));
    assert_int_equal(covey_world_resource_count(world), 0);
}

/* ---- Types that an image cannot have ------------------------------------------------------------------------------*/

/* The offset of the section with a pool, or resource, of this name. */
static size_t find_section(covey_section_kind kind, const char *name) {
    covey_section section;
    for (uint32_t i = 0; covey_image_section(image.bytes, image.size, i, &section, NULL); i++)
        if (section.kind == kind && strcmp(section.name, name) == 0) return (size_t)section.offset;
    fail_msg("no section of %s", name);
    return 0;
}

static void is_impossible(covey_section_kind kind, const char *name, size_t at, unsigned char byte, covey_fault fault) {
    assert_true(image_fill(origin));
    save(origin, &image);
    image.bytes[find_section(kind, name) + at] = byte;
    image_mend(image.bytes, image.size);
    covey_report report = try_to_load(&(covey_load_desc){ .types = image_types, .unknown = COVEY_UNKNOWN_KEEP });
    if (report.fault != fault) fail_msg("%s, byte %zu: %u, %s", name, at, report.fault, report.text);
    assert_int_equal(covey_entity_count(world), 0);
    begin_anew();
}

static void test_descriptions_that_cannot_be_are_refused(void **state) {
    (void)state;
    enum { ENCODING = 2 + 6, STORAGE, POLICY, FLAGS, COMPACT, STORED, COUNT, NAME = COUNT + 2, KIND = NAME + 2 + 6 };
    static const struct {
        size_t at;
        unsigned char byte;
    } wrong[] = {
        { 2, '\0' },      { ENCODING, 5 }, { ENCODING, 255 }, { STORAGE, 0 }, { STORAGE, 4 }, { POLICY, 4 },
        { POLICY, 1 },    { FLAGS, 8 },    { COMPACT, 101 },  { STORED, 0 },  { STORED, 4 },  { COUNT, 0 },
        { COUNT + 1, 2 }, { NAME + 2, 0 }, { KIND, 0 },       { KIND, 15 },   { KIND, 16 },
    };
    for (uint32_t i = 0; i < COUNT_OF(wrong); i++)
        is_impossible(COVEY_SECTION_POOL, "InPins", wrong[i].at, wrong[i].byte, COVEY_FAULT_STRUCTURE);
    for (uint32_t i = 0; i < 4; i++) /* a field without elements; one with far too many */
        is_impossible(COVEY_SECTION_POOL, "InPins", KIND + 1 + i, i == 0 ? 0 : 255,
                      i == 3   ? COVEY_FAULT_LIMIT
                      : i == 0 ? COVEY_FAULT_STRUCTURE
                               : COVEY_FAULT_FIELD);
}

static void test_an_image_has_a_type_once(void **state) {
    (void)state;
    assert_true(image_fill(origin));
    save(origin, &image);
    memcpy(image.bytes + find_section(COVEY_SECTION_POOL, "InPack") + 2, "InPins", 6);
    image_mend(image.bytes, image.size);
    covey_report report = try_to_load(&(covey_load_desc){ .types = image_types });
    assert_int_equal(report.fault, COVEY_FAULT_STRUCTURE);
    assert_non_null(strstr(report.text, "InPins twice"));
}

static void test_an_image_has_a_resource_once(void **state) {
    (void)state;
    static const covey_type one = { .name = "One", .size = 4, .align = 4, .as_bytes = true };
    static const covey_type two = { .name = "Two", .size = 4, .align = 4, .as_bytes = true };
    const covey_type *types[] = { &one, &two, NULL };
    assert_non_null(covey_resource_set_raw(origin, &one, NULL));
    assert_non_null(covey_resource_set_raw(origin, &two, NULL));
    save(origin, &image);
    memcpy(image.bytes + find_section(COVEY_SECTION_RESOURCE, "Two") + 2, "One", 3);
    image_mend(image.bytes, image.size);
    covey_report report = try_to_load(&(covey_load_desc){ .types = types });
    assert_int_equal(report.fault, COVEY_FAULT_STRUCTURE);
    assert_non_null(strstr(report.text, "One twice"));
}

static void test_the_library_s_own_types_cannot_be_smuggled_in(void **state) {
    (void)state;
    static const covey_type spy = { .name = "coveyXspies", .size = 4, .align = 4, .as_bytes = true };
    assert_non_null(covey_add_raw(origin, covey_create(origin), &spy, NULL));
    save(origin, &image);
    memcpy(image.bytes + find_section(COVEY_SECTION_POOL, "coveyXspies") + 2, "covey.names", 11);
    image_mend(image.bytes, image.size);
    for (covey_unknown unknown = COVEY_UNKNOWN_REFUSE; unknown <= COVEY_UNKNOWN_KEEP; unknown++)
        assert_int_equal(try_to_load(&(covey_load_desc){ .unknown = unknown }).fault, COVEY_FAULT_STRUCTURE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TYPES_TEST(test_integers_may_become_wider_and_nothing_else_may_change),
        TYPES_TEST(test_fields_are_found_by_their_names),
        TYPES_TEST(test_fields_may_leave_from_between_and_from_structs_in_arrays),
        TYPES_TEST(test_fields_that_an_image_lacks_have_the_defaults),
        TYPES_TEST(test_a_type_may_have_none_of_the_fields_any_more),
        TYPES_TEST(test_a_type_may_become_a_tag_and_a_tag_a_type),
        TYPES_TEST(test_a_field_that_has_changed_is_named),
        TYPES_TEST(test_padding_may_become_a_field_and_a_field_padding),
        TYPES_TEST(test_a_struct_that_is_all_padding_is_saved_as_a_tag),
        TYPES_TEST(test_a_nested_struct_may_be_all_padding),
        TYPES_TEST(test_raw_types_stay_raw_and_keep_their_size),
        TYPES_TEST(test_raw_values_of_the_other_byte_order_are_refused),
        TYPES_TEST(test_storage_and_policy_may_change),
        TYPES_TEST(test_unknown_types_are_refused_by_name),
        TYPES_TEST(test_unknown_types_can_be_left_out),
        TYPES_TEST(test_unknown_types_can_be_kept_and_saved_again),
        TYPES_TEST(test_kept_types_have_the_layout_of_structs),
        TYPES_TEST(test_what_was_kept_can_be_loaded_by_a_program_that_knows_it),
        TYPES_TEST(test_types_that_the_world_knows_otherwise_are_refused),
        TYPES_TEST(test_descriptions_that_cannot_be_are_refused),
        TYPES_TEST(test_an_image_has_a_type_once),
        TYPES_TEST(test_an_image_has_a_resource_once),
        TYPES_TEST(test_the_library_s_own_types_cannot_be_smuggled_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
