/* Descriptions of fields: what the words say, which descriptions are sound, and that types keep their own copy. */
#include "fixture.h"
#include "images.h"

/* ---- Kinds --------------------------------------------------------------------------------------------------------*/

static void test_kinds_have_sizes_and_names(void **state) {
    (void)state;
    enum { HANDLE = sizeof(covey_entity) };
    static const struct {
        covey_kind kind;
        uint32_t size;
        const char *name;
    } kinds[] = {
        { COVEY_KIND_I8, 1, "i8" },
        { COVEY_KIND_I16, 2, "i16" },
        { COVEY_KIND_I32, 4, "i32" },
        { COVEY_KIND_I64, 8, "i64" },
        { COVEY_KIND_U8, 1, "u8" },
        { COVEY_KIND_U16, 2, "u16" },
        { COVEY_KIND_U32, 4, "u32" },
        { COVEY_KIND_U64, 8, "u64" },
        { COVEY_KIND_F32, 4, "f32" },
        { COVEY_KIND_F64, 8, "f64" },
        { COVEY_KIND_BOOL, 1, "bool" },
        { COVEY_KIND_CHAR, 1, "char" },
        { COVEY_KIND_ENTITY, HANDLE, "entity" },
        { COVEY_KIND_NESTED, 0, "struct" },
        { COVEY_KIND_PADDING, 1, "padding" },
        { (covey_kind)0, 0, "?" },
        { (covey_kind)16, 0, "?" },
    };
    for (uint32_t i = 0; i < COUNT_OF(kinds); i++) {
        assert_int_equal(covey_kind_size(kinds[i].kind), kinds[i].size);
        assert_string_equal(covey_kind_name(kinds[i].kind), kinds[i].name);
        if (i < 15) assert_int_equal(kinds[i].kind, i + 1); /* the numbers never change */
    }
}

/* ---- Words --------------------------------------------------------------------------------------------------------*/

#define FIELD(member, kind, count, nested)                           \
    {                                                                \
#member, kind, offsetof(Kinds, member), count, nested, { 0 } \
    }

static void test_each_word_is_a_field(void **state) {
    (void)state;
    const covey_field expected[] = {
        FIELD(i8, COVEY_KIND_I8, 1, NULL),
        FIELD(i16, COVEY_KIND_I16, 1, NULL),
        FIELD(i32, COVEY_KIND_I32, 1, NULL),
        FIELD(i64, COVEY_KIND_I64, 1, NULL),
        FIELD(u8, COVEY_KIND_U8, 1, NULL),
        FIELD(u16, COVEY_KIND_U16, 1, NULL),
        FIELD(u32, COVEY_KIND_U32, 1, NULL),
        FIELD(u64, COVEY_KIND_U64, 1, NULL),
        FIELD(f32, COVEY_KIND_F32, 1, NULL),
        FIELD(f64, COVEY_KIND_F64, 1, NULL),
        FIELD(yes, COVEY_KIND_BOOL, 1, NULL),
        FIELD(letter, COVEY_KIND_CHAR, 1, NULL),
        FIELD(friend_of, COVEY_KIND_ENTITY, 1, NULL),
        FIELD(text, COVEY_KIND_CHAR, 10, NULL),
        FIELD(row, COVEY_KIND_I16, 3, NULL),
        FIELD(grid, COVEY_KIND_F32, 4, NULL),
        FIELD(spot, COVEY_KIND_NESTED, 1, &covey_fields_Spot),
        FIELD(cache, COVEY_KIND_PADDING, sizeof(void *), NULL),
        FIELD(spots, COVEY_KIND_NESTED, 2, &covey_fields_Spot),
        FIELD(flags, COVEY_KIND_BOOL, 3, NULL),
        FIELD(others, COVEY_KIND_ENTITY, 2, NULL),
    };
    assert_int_equal(covey_fields_Kinds.size, sizeof(Kinds));
    assert_int_equal(covey_fields_Kinds.count, COUNT_OF(expected));
    for (uint32_t i = 0; i < COUNT_OF(expected); i++) {
        const covey_field *field = &covey_fields_Kinds.at[i];
        assert_string_equal(field->name, expected[i].name);
        assert_int_equal(field->kind, expected[i].kind);
        assert_int_equal(field->offset, expected[i].offset);
        assert_int_equal(field->count, expected[i].count);
        assert_ptr_equal(field->nested, expected[i].nested);
        assert_int_equal(field->shown.as, COVEY_SHOW_PLAIN);
    }
}

typedef struct {
    float power, turn;
    uint32_t tint;
    uint8_t state;
    float mix[3];
} Lamp;
COVEY_FIELDS_DEFINE(Lamp, range(f32, power, 0, 2.5), angle(f32, turn), colour(u32, tint), choice(u8, state, "off, on"),
                    colour(f32, mix));

static void test_words_say_how_a_field_is_shown(void **state) {
    (void)state;
    const covey_field *at = covey_fields_Lamp.at;
    assert_int_equal(covey_fields_Lamp.count, 5);
    assert_int_equal(at[0].kind, COVEY_KIND_F32);
    assert_int_equal(at[0].shown.as, COVEY_SHOW_RANGE);
    assert_true(at[0].shown.least == 0 && at[0].shown.most == 2.5);
    assert_int_equal(at[1].shown.as, COVEY_SHOW_ANGLE);
    assert_int_equal(at[2].shown.as, COVEY_SHOW_COLOUR);
    assert_int_equal(at[2].kind, COVEY_KIND_U32);
    assert_int_equal(at[3].kind, COVEY_KIND_U8);
    assert_int_equal(at[3].shown.as, COVEY_SHOW_CHOICE);
    assert_string_equal(at[3].shown.names, "off, on");
    assert_int_equal(at[4].shown.as, COVEY_SHOW_COLOUR);
    assert_int_equal(at[4].count, 3);
    assert_int_equal(at[4].offset, offsetof(Lamp, mix));
}

typedef struct Cached {
    uint8_t first;
    void *cache[3];
    uint8_t last;
} Cached;
COVEY_FIELDS_DEFINE(Cached, u8(first), padding(void *, cache), u8(last));

static void test_padding_may_be_an_array(void **state) {
    (void)state;
    assert_int_equal(covey_fields_Cached.at[1].count, sizeof(void *[3]));
    assert_int_equal(covey_fields_Cached.at[2].offset, offsetof(Cached, last));
}

/* As many members as the macro takes. */
#define EIGHT(macro, p) \
    macro(p##0), macro(p##1), macro(p##2), macro(p##3), macro(p##4), macro(p##5), macro(p##6), macro(p##7)
typedef struct Long {
    uint8_t a0, a1, a2, a3, a4, a5, a6, a7, b0, b1, b2, b3, b4, b5, b6, b7, c0, c1, c2, c3, c4, c5, c6, c7;
    uint8_t d0, d1, d2, d3, d4, d5, d6, d7, e0, e1, e2, e3, e4, e5, e6, e7, f0, f1, f2, f3, f4, f5, f6, f7;
    uint8_t g0, g1, g2, g3, g4, g5, g6, g7, h0, h1, h2, h3, h4, h5, h6, h7;
} Long;
COVEY_FIELDS_DEFINE(Long, EIGHT(u8, a), EIGHT(u8, b), EIGHT(u8, c), EIGHT(u8, d), EIGHT(u8, e), EIGHT(u8, f),
                    EIGHT(u8, g), EIGHT(u8, h));

static void test_64_members_can_be_listed(void **state) {
    (void)state;
    assert_int_equal(covey_fields_Long.count, 64);
    assert_string_equal(covey_fields_Long.at[63].name, "h7");
    assert_int_equal(covey_fields_Long.at[63].offset, 63);
}

/* ---- Soundness ----------------------------------------------------------------------------------------------------*/

static const covey_type *make(const char *name, const covey_field *at, uint32_t count, uint32_t size) {
    covey_fields fields = { size, count, at };
    return covey_type_create(world, &(covey_type){ .name = name, .size = size, .align = 1, .fields = &fields });
}

static void is_sound(const char *name, const covey_field *at, uint32_t count, uint32_t size) {
    const covey_type *type = make(name, at, count, size);
    assert_non_null(type);
    assert_ptr_equal(covey_type_find(world, name), type);
}

static void is_unsound(const covey_field *at, uint32_t count, uint32_t size) {
    assert_null(make("Unsound", at, count, size));
    assert_failed(COVEY_ERROR_TYPE);
}

static void test_fields_lie_behind_each_other_and_in_the_struct(void **state) {
    (void)state;
    const covey_field good[] = { { "a", COVEY_KIND_U32, 0, 1, NULL, { 0 } },
                                 { "b", COVEY_KIND_U16, 4, 2, NULL, { 0 } } };
    const covey_field overlap[] = { { "a", COVEY_KIND_U32, 0, 1, NULL, { 0 } },
                                    { "b", COVEY_KIND_U16, 3, 2, NULL, { 0 } } };
    const covey_field turned[] = { { "b", COVEY_KIND_U16, 4, 2, NULL, { 0 } },
                                   { "a", COVEY_KIND_U32, 0, 1, NULL, { 0 } } };
    const covey_field huge[] = { { "a", COVEY_KIND_U64, 0, 0x20000001, NULL, { 0 } } };
    is_sound("Good", good, 2, 8);
    is_sound("Roomy", good, 2, 9);
    is_unsound(good, 2, 7);
    is_unsound(overlap, 2, 8);
    is_unsound(turned, 2, 8);
    is_unsound(huge, 1, 8); /* 32 bits are not enough for its bytes */
}

static void test_fields_have_names_of_their_own(void **state) {
    (void)state;
    const covey_field twice[] = { { "a", COVEY_KIND_U32, 0, 1, NULL, { 0 } },
                                  { "a", COVEY_KIND_U32, 4, 1, NULL, { 0 } } };
    const covey_field empty[] = { { "", COVEY_KIND_U32, 0, 1, NULL, { 0 } } };
    const covey_field nameless[] = { { NULL, COVEY_KIND_U32, 0, 1, NULL, { 0 } } };
    is_unsound(twice, 2, 8);
    is_unsound(empty, 1, 4);
    is_unsound(nameless, 1, 4);
}

static void test_fields_are_of_a_kind_and_have_elements(void **state) {
    (void)state;
    for (uint32_t kind = 0; kind < 20; kind++) {
        const covey_field field[] = { { "a", (covey_kind)kind, 0, 1, NULL, { 0 } } };
        bool sound = kind >= COVEY_KIND_I8 && kind <= COVEY_KIND_PADDING && kind != COVEY_KIND_NESTED;
        char name[] = { 'K', (char)('a' + kind), '\0' };
        if (sound) is_sound(name, field, 1, 8);
        else is_unsound(field, 1, 8);
    }
    const covey_field none[] = { { "a", COVEY_KIND_U32, 0, 0, NULL, { 0 } } };
    is_unsound(none, 1, 4);
    is_unsound(none, 0, 4);
}

static void test_only_structs_have_fields(void **state) {
    (void)state;
    const covey_field nested[] = { { "a", COVEY_KIND_NESTED, 0, 1, &covey_fields_Number, { 0 } } };
    const covey_field number[] = { { "a", COVEY_KIND_U64, 0, 1, &covey_fields_Number, { 0 } } };
    const covey_field array[] = { { "a", COVEY_KIND_NESTED, 4, 3, &covey_fields_Number, { 0 } } };
    is_sound("Nested", nested, 1, 8);
    is_unsound(number, 1, 8);
    is_sound("Array", array, 1, 28);
    is_unsound(array, 1, 27);
}

static void test_what_is_nested_is_sound_too(void **state) {
    (void)state;
    const covey_field inside[] = { { "x", COVEY_KIND_U32, 6, 1, NULL, { 0 } } };
    const covey_fields wrong = { 8, 1, inside };
    const covey_field nested[] = { { "a", COVEY_KIND_NESTED, 0, 1, &wrong, { 0 } } };
    is_unsound(nested, 1, 8);
}

static void test_structs_are_at_most_8_deep(void **state) {
    (void)state;
    covey_field at[9];
    covey_fields fields[9];
    for (uint32_t i = 0; i < 9; i++) {
        at[i] = (covey_field){ "deep", i == 0 ? COVEY_KIND_U8 : COVEY_KIND_NESTED, 0, 1, i == 0 ? NULL : &fields[i - 1],
                               { 0 } };
        fields[i] = (covey_fields){ 1, 1, &at[i] };
    }
    is_sound("Deep", fields[7].at, 1, 1);
    is_unsound(fields[8].at, 1, 1);
}

static void test_a_struct_has_at_most_256_fields(void **state) {
    (void)state;
    static char names[257][8];
    static covey_field at[257];
    for (uint32_t i = 0; i < 257; i++) {
        names[i][0] = (char)('a' + i % 26);
        names[i][1] = (char)('a' + i / 26);
        at[i] = (covey_field){ names[i], COVEY_KIND_U8, i, 1, NULL, { 0 } };
    }
    is_sound("Many", at, 256, 256);
    is_unsound(at, 257, 257);
}

static void test_fields_have_the_size_of_the_type(void **state) {
    (void)state;
    covey_type type = { .name = "Other", .size = 16, .align = 4, .fields = &covey_fields_Number };
    assert_null(covey_type_create(world, &type));
    assert_failed(COVEY_ERROR_TYPE);
    type.size = sizeof(Number);
    assert_non_null(covey_type_create(world, &type));
}

static void test_raw_types_have_no_fields_and_no_hooks(void **state) {
    (void)state;
    covey_type raw = { .name = "Raw", .size = sizeof(Number), .align = 4, .as_bytes = true };
    covey_type wrong[2] = { raw, raw };
    wrong[0].fields = &covey_fields_Number;
    wrong[1].size = 0;
    for (uint32_t i = 0; i < 2; i++) {
        assert_null(covey_type_create(world, &wrong[i]));
        assert_failed(COVEY_ERROR_TYPE);
    }
    assert_non_null(covey_type_create(world, &raw));
}

/* ---- Types --------------------------------------------------------------------------------------------------------*/

static void test_a_type_made_at_run_time_has_fields_of_its_own(void **state) {
    (void)state;
    char outer_name[] = "spot", inner_name[] = "x", choices[] = "off, on";
    covey_field inner[] = { { inner_name, COVEY_KIND_I32, 0, 2, NULL, { 0 } } };
    covey_fields inside = { 8, 1, inner };
    covey_field outer[] = { { outer_name, COVEY_KIND_NESTED, 0, 2, &inside, { 0 } },
                            { "b", COVEY_KIND_U8, 16, 1, NULL, { COVEY_SHOW_CHOICE, 0, 0, choices } } };
    covey_fields fields = { 20, 2, outer };
    unsigned char defaults[20] = { 1, 2, 3 };
    const covey_type *type = covey_type_create(
        world, &(covey_type){ .name = "Made", .size = 20, .align = 4, .fields = &fields, .defaults = defaults });
    assert_non_null(type);
    memset(choices, '?', 7), memset(outer_name, '?', 4), memset(inner_name, '?', 1), memset(inner, 0, sizeof inner);
    memset(outer, 0, sizeof outer), memset(&inside, 0, sizeof inside), memset(&fields, 0, sizeof fields);
    memset(defaults, 0, sizeof defaults);
    assert_int_equal(type->fields->size, 20);
    assert_int_equal(type->fields->count, 2);
    assert_string_equal(type->fields->at[0].name, "spot");
    assert_int_equal(type->fields->at[0].count, 2);
    assert_string_equal(type->fields->at[0].nested->at[0].name, "x");
    assert_int_equal(type->fields->at[0].nested->at[0].count, 2);
    assert_string_equal(type->fields->at[1].name, "b");
    assert_string_equal(type->fields->at[1].shown.names, "off, on");
    assert_int_equal(((const unsigned char *)type->defaults)[2], 3);
    assert_string_equal(type->name, "Made");
}

/* Two descriptions of a type of one name say the same, or one is refused. */
static void test_fields_are_part_of_the_layout(void **state) {
    (void)state;
    const covey_field a[] = { { "number", COVEY_KIND_U32, 0, 1, NULL, { 0 } },
                              { "check", COVEY_KIND_U32, 4, 1, NULL, { 0 } } };
    const covey_field others[][2] = {
        { { "number", COVEY_KIND_U32, 0, 1, NULL, { 0 } }, { "checks", COVEY_KIND_U32, 4, 1, NULL, { 0 } } },
        { { "number", COVEY_KIND_U32, 0, 1, NULL, { 0 } }, { "check", COVEY_KIND_F32, 4, 1, NULL, { 0 } } },
        { { "number", COVEY_KIND_U32, 0, 1, NULL, { 0 } }, { "check", COVEY_KIND_U16, 4, 2, NULL, { 0 } } },
        { { "number", COVEY_KIND_U16, 0, 1, NULL, { 0 } }, { "check", COVEY_KIND_U32, 4, 1, NULL, { 0 } } },
        { { "number", COVEY_KIND_U16, 0, 1, NULL, { 0 } }, { "check", COVEY_KIND_U16, 2, 1, NULL, { 0 } } },
    };
    const covey_fields same = { sizeof(Number), 2, a };
    covey_type type = { .name = "Two", .size = sizeof(Number), .align = 4, .fields = &covey_fields_Number };
    const covey_type *made = covey_type_create(world, &type);
    assert_non_null(made);
    type.fields = &same;
    assert_ptr_equal(covey_type_create(world, &type), made);
    for (uint32_t i = 0; i < COUNT_OF(others); i++) {
        covey_fields fields = { sizeof(Number), 2, others[i] };
        type.fields = &fields;
        assert_null(covey_type_create(world, &type));
        assert_failed(COVEY_ERROR_LAYOUT);
    }
    type.fields = NULL;
    assert_null(covey_type_create(world, &type));
    assert_failed(COVEY_ERROR_LAYOUT);
    type.as_bytes = true;
    assert_null(covey_type_create(world, &type));
    assert_failed(COVEY_ERROR_LAYOUT);
}

static void test_offsets_and_counts_are_part_of_the_layout(void **state) {
    (void)state;
    const covey_field near[] = { { "a", COVEY_KIND_U16, 0, 1, NULL, { 0 } },
                                 { "b", COVEY_KIND_U16, 2, 1, NULL, { 0 } } };
    const covey_field far[] = { { "a", COVEY_KIND_U16, 0, 1, NULL, { 0 } },
                                { "b", COVEY_KIND_U16, 4, 1, NULL, { 0 } } };
    const covey_field many[] = { { "a", COVEY_KIND_U16, 0, 1, NULL, { 0 } },
                                 { "b", COVEY_KIND_U16, 2, 2, NULL, { 0 } } };
    is_sound("Same", near, 2, 8);
    assert_null(make("Same", far, 2, 8));
    assert_failed(COVEY_ERROR_LAYOUT);
    assert_null(make("Same", many, 2, 8));
    assert_failed(COVEY_ERROR_LAYOUT);
}

static void test_nested_fields_are_part_of_the_layout(void **state) {
    (void)state;
    const covey_field one[] = { { "x", COVEY_KIND_U32, 0, 1, NULL, { 0 } } },
                      two[] = { { "y", COVEY_KIND_U32, 0, 1, NULL, { 0 } } };
    const covey_fields x = { 4, 1, one }, y = { 4, 1, two };
    const covey_field with_x[] = { { "a", COVEY_KIND_NESTED, 0, 1, &x, { 0 } } },
                      with_y[] = { { "a", COVEY_KIND_NESTED, 0, 1, &y, { 0 } } };
    is_sound("Same", with_x, 1, 4);
    assert_null(make("Same", with_y, 1, 4));
    assert_failed(COVEY_ERROR_LAYOUT);
    const covey_fields larger = { 8, 1, one };
    const covey_field halves[] = { { "x", COVEY_KIND_U16, 0, 1, NULL, { 0 } },
                                   { "y", COVEY_KIND_U16, 2, 1, NULL, { 0 } } };
    const covey_fields more = { 4, 2, halves };
    const covey_field with_larger[] = { { "a", COVEY_KIND_NESTED, 0, 1, &larger, { 0 } } },
                      with_more[] = { { "a", COVEY_KIND_NESTED, 0, 1, &more, { 0 } } };
    is_sound("Roomy", with_x, 1, 8);
    assert_null(make("Roomy", with_larger, 1, 8));
    assert_failed(COVEY_ERROR_LAYOUT);
    assert_null(make("Roomy", with_more, 1, 8));
    assert_failed(COVEY_ERROR_LAYOUT);
}

static void test_fields_that_come_later_are_another_layout(void **state) {
    (void)state;
    covey_type type = { .name = "Two", .size = sizeof(Number), .align = 4 };
    assert_non_null(covey_type_create(world, &type));
    type.fields = &covey_fields_Number;
    assert_null(covey_type_create(world, &type));
    assert_failed(COVEY_ERROR_LAYOUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_kinds_have_sizes_and_names),
        WORLD_TEST(test_each_word_is_a_field),
        WORLD_TEST(test_words_say_how_a_field_is_shown),
        WORLD_TEST(test_padding_may_be_an_array),
        WORLD_TEST(test_64_members_can_be_listed),
        WORLD_TEST(test_fields_lie_behind_each_other_and_in_the_struct),
        WORLD_TEST(test_fields_have_names_of_their_own),
        WORLD_TEST(test_fields_are_of_a_kind_and_have_elements),
        WORLD_TEST(test_only_structs_have_fields),
        WORLD_TEST(test_what_is_nested_is_sound_too),
        WORLD_TEST(test_structs_are_at_most_8_deep),
        WORLD_TEST(test_a_struct_has_at_most_256_fields),
        WORLD_TEST(test_fields_have_the_size_of_the_type),
        WORLD_TEST(test_raw_types_have_no_fields_and_no_hooks),
        WORLD_TEST(test_a_type_made_at_run_time_has_fields_of_its_own),
        WORLD_TEST(test_fields_are_part_of_the_layout),
        WORLD_TEST(test_offsets_and_counts_are_part_of_the_layout),
        WORLD_TEST(test_nested_fields_are_part_of_the_layout),
        WORLD_TEST(test_fields_that_come_later_are_another_layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
