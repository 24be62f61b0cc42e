/* Lookups: what is found by a value is what a scan finds, whatever has changed it. */
#include "fixture.h"
#include "scan.h"

#include <covey/commands.h>
#include <covey/enable.h>
#include <covey/sort.h>
#include <covey/tick.h>
#include <float.h>
#include <math.h>
#include <stdio.h>

typedef struct Inner {
    covey_entity who;
    uint32_t part;
    float far_off[4];
} Inner;
COVEY_FIELDS_DEFINE(Inner, entity(who), u32(part), array(f32, far_off));

typedef struct Kinds {
    covey_entity target;
    int64_t i64;
    uint64_t u64;
    double f64;
    Inner inner;
    Inner inners[2];
    int32_t i32;
    uint32_t u32;
    float f32;
    int16_t i16;
    uint16_t u16;
    int8_t i8;
    uint8_t u8;
    bool flag;
    char letter;
    char text[6];
    char longest[300];
} Kinds;
COVEY_FIELDS_DEFINE(Kinds, entity(target), i64(i64), u64(u64), f64(f64), nested(Inner, inner),
                    nested_array(Inner, inners), i32(i32), u32(u32), f32(f32), i16(i16), u16(u16), i8(i8), u8(u8),
                    boolean(flag), character(letter), array(character, text), array(character, longest));
typedef Kinds Block;
typedef Kinds Pin;
typedef Kinds Sparse;
typedef Kinds Place;
typedef Kinds Shelf;
typedef Kinds Ranked;
#define FIELDS .fields = &covey_fields_Kinds
COVEY_COMPONENT_DEFINE(Block, FIELDS, .ticks = true);
COVEY_COMPONENT_DEFINE(Pin, FIELDS, .ticks = true, .storage = COVEY_STORAGE_PINNED);
COVEY_COMPONENT_DEFINE(Sparse, FIELDS, .ticks = true, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Place, FIELDS, .ticks = true, .policy = COVEY_IN_PLACE);
COVEY_COMPONENT_DEFINE(Shelf, FIELDS, .ticks = true, .policy = COVEY_SWAP_ONLY);
COVEY_COMPONENT_DEFINE(Ranked, FIELDS, .ticks = true, .policy = COVEY_ORDERED);
COVEY_COMPONENT_DEFINE(Kinds, FIELDS); /* no ticks */
COVEY_TAG_DEFINE(Bare, .ticks = true); /* no fields */
typedef struct Padded {
    float x;
    uint32_t between;
    float z;
    uint8_t unused, more[3];
} Padded;
COVEY_FIELDS_DEFINE(Padded, f32(x), u32(between), f32(z), padding(uint8_t, unused), array(u8, more));
COVEY_COMPONENT_DEFINE(Padded, .fields = &covey_fields_Padded, .ticks = true);
COVEY_TAG_DEFINE(Other);

static const covey_type *const types[] = { covey_id(Block), covey_id(Pin),   covey_id(Sparse),
                                           covey_id(Place), covey_id(Shelf), covey_id(Ranked) };

enum { COUNT = 3 * COVEY_FOUND + 8 };
static covey_entity e[COUNT];
static test_random chance;

/* Each storage, in a world of its own, with some entities. */
static void for_each_type(void (*test)(const covey_type *type)) {
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        assert_int_equal(world_setup(NULL), 0);
        chance = (test_random){ i + 1 };
        for (uint32_t k = 0; k < COUNT; k++) e[k] = covey_create(world);
        test(types[i]);
        world_teardown(NULL);
    }
}
#define TYPE_TEST(name)                              \
    static void name##_with(const covey_type *type); \
    static void name(void **state) {                 \
        (void)state;                                 \
        for_each_type(name##_with);                  \
    }                                                \
    static void name##_with(const covey_type *type)

static uint32_t below(uint32_t limit) { return test_below(&chance, limit); }

/* ---- The fields --------------------------------------------------------------------------------------------------*/

typedef struct field {
    const char *name;
    covey_kind kind;
    size_t offset, size;
} field;
#define FIELD(member, kind) \
    { #member, COVEY_KIND_##kind, offsetof(Kinds, member), 0 }
static const field fields[] = {
    FIELD(target, ENTITY),
    FIELD(i64, I64),
    FIELD(u64, U64),
    FIELD(f64, F64),
    FIELD(inner.who, ENTITY),
    FIELD(inner.part, U32),
    FIELD(i32, I32),
    FIELD(u32, U32),
    FIELD(f32, F32),
    FIELD(i16, I16),
    FIELD(u16, U16),
    FIELD(i8, I8),
    FIELD(u8, U8),
    FIELD(flag, BOOL),
    FIELD(letter, CHAR),
    { "text", COVEY_KIND_CHAR, offsetof(Kinds, text), 6 },
};

static scan scan_field(const covey_type *type, const field *f, bool ordered) {
    covey_lookup_desc desc = { .type = type, .field = f->name, .ordered = ordered };
    return scan_create(world, desc, f->kind, f->offset, f->size);
}

/* A lookup of each field; and an ordered one, except for entities. */
static scan scans[2 * COUNT_OF(fields)];
static uint32_t scan_count;

static void look_up_everything(const covey_type *type) {
    scan_count = 0;
    for (uint32_t i = 0; i < COUNT_OF(fields); i++)
        for (uint32_t ordered = 0; ordered < (fields[i].kind == COVEY_KIND_ENTITY ? 1 : 2); ordered++)
            scans[scan_count++] = scan_field(type, &fields[i], ordered != 0);
}

/* A target, a number, an ordered number and an ordered text. */
static void look_up_some(const covey_type *type) {
    scan_count = 0;
    scans[scan_count++] = scan_field(type, &fields[0], false);
    scans[scan_count++] = scan_field(type, &fields[6], false);
    scans[scan_count++] = scan_field(type, &fields[8], true);
    scans[scan_count++] = scan_field(type, &fields[15], true);
}

static void all_scanned(void) {
    for (uint32_t i = 0; i < scan_count; i++) assert_scanned(&scans[i]);
}

static Kinds random_kinds(void) {
    static const int64_t numbers[] = { 0, 1, -1, INT64_MIN, INT64_MAX, INT64_C(1) << 40, 7, -40000 };
    static const double reals[] = { 0.0, -0.0, 1.5, -1.5, NAN, -NAN, INFINITY, -INFINITY, 0.1, 1e-300, DBL_MAX };
    static const char texts[][6] = { "",         "a",      "ab", "abcde", { 'a', 'b', 'c', 'd', 'e', 'f' },
                                     "\xff\x01", "a\0zzz", "b",  "abc",   { 'a', 'b', 'c', 'd', 'e', 'g' } };
    int64_t n = numbers[below(COUNT_OF(numbers))];
    Kinds k = { .i64 = n, .u64 = (uint64_t)n, .i32 = (int32_t)n, .u32 = (uint32_t)n, .i16 = (int16_t)n };
    if (below(4) != 0) k.target = e[below(12)];
    if (below(4) != 0) k.inner.who = e[below(COUNT)];
    k.inner.part = below(5);
    k.f64 = reals[below(COUNT_OF(reals))];
    k.f32 = (float)reals[below(COUNT_OF(reals) - 2)];
    k.u16 = (uint16_t)n;
    k.i8 = (int8_t)((int)below(9) * 31 - 124);
    k.u8 = (uint8_t)(below(9) * 31);
    k.flag = below(2) != 0;
    k.letter = (char)('A' + below(4));
    memcpy(k.text, texts[below(COUNT_OF(texts))], sizeof k.text);
    return k;
}

static Kinds *give_random(covey_entity to, const covey_type *type) {
    Kinds k = random_kinds();
    Kinds *at = covey_add_raw(world, to, type, &k);
    assert_non_null(at);
    return at;
}

static void give_all(const covey_type *type, uint32_t step) {
    for (uint32_t i = 0; i < COUNT; i += step) give_random(e[i], type);
}

/* ---- Making ------------------------------------------------------------------------------------------------------*/

#define DESC(...) (&(covey_lookup_desc){ __VA_ARGS__ })

static void is_refused(const covey_lookup_desc *desc, covey_result result, const char *why) {
    char text[256];
    assert_null(covey_lookup_create(world, desc));
    assert_failed(result);
    snprintf(text, sizeof text, "a lookup of %s could not be made: %s", desc->type->name, why);
    assert_string_equal(heard.text, text);
}

static void test_what_is_refused_says_why(void **state) {
    (void)state;
    const covey_type *type = covey_id(Block);
    is_refused(DESC(.type = covey_id(Kinds), .field = "i32"), COVEY_ERROR_TYPE,
               "the type has no .ticks, so changes of its values are not known");
    is_refused(DESC(.type = covey_id(Bare), .field = "i32"), COVEY_ERROR_TYPE, "the type has no .fields");
    is_refused(DESC(.type = type), COVEY_ERROR_RANGE, "it needs .field or .place, and not both");
    is_refused(DESC(.type = type, .field = "i32", .place = { "f32", "f64" }, .cell = 1), COVEY_ERROR_RANGE,
               "it needs .field or .place, and not both");
    is_refused(DESC(.type = type, .field = "i33"), COVEY_ERROR_TYPE, "the type has no .field of this name");
    is_refused(DESC(.type = type, .field = "inner."), COVEY_ERROR_TYPE, "the type has no .field of this name");
    is_refused(DESC(.type = type, .field = "inner.what"), COVEY_ERROR_TYPE, "the type has no .field of this name");
    is_refused(DESC(.type = type, .field = "i32.what"), COVEY_ERROR_TYPE, "the type has no .field of this name");
    is_refused(DESC(.type = type, .field = "inners.who"), COVEY_ERROR_TYPE, "the type has no .field of this name");
    is_refused(DESC(.type = type, .field = "inner.far_off"), COVEY_ERROR_TYPE,
               ".field is an array: name a single value, or a text");
    is_refused(DESC(.type = type, .field = "inners"), COVEY_ERROR_TYPE,
               ".field is an array: name a single value, or a text");
    is_refused(DESC(.type = type, .field = "inner"), COVEY_ERROR_TYPE,
               ".field is a struct or padding: name a number, a boolean, an entity or a text");
    is_refused(DESC(.type = covey_id(Padded), .field = "unused"), COVEY_ERROR_TYPE,
               ".field is a struct or padding: name a number, a boolean, an entity or a text");
    is_refused(DESC(.type = type, .field = "longest"), COVEY_ERROR_TYPE,
               ".field is a text of more than COVEY_TEXT_MAX bytes");
    is_refused(DESC(.type = type, .field = "i32", .cell = 1), COVEY_ERROR_RANGE, ".cell is for places");
    is_refused(DESC(.type = type, .field = "i32", .when_target_ends = COVEY_TARGET_REMOVE), COVEY_ERROR_RANGE,
               ".when_target_ends is for fields with an entity");
    is_refused(DESC(.type = type, .field = "target", .when_target_ends = (covey_target_end)4), COVEY_ERROR_RANGE,
               ".when_target_ends is none of its constants");
    is_refused(DESC(.type = type, .field = "target", .ordered = true), COVEY_ERROR_RANGE,
               ".ordered is for numbers and texts: entities have no order");
}

/* The world says why, and not the lookup. */
static void test_a_type_that_the_world_refuses_has_no_lookup(void **state) {
    (void)state;
    static const covey_type wrong = {
        .name = "Wrong", .size = sizeof(Padded), .align = 3, .fields = &covey_fields_Padded, .ticks = true
    };
    assert_null(covey_lookup_create(world, DESC(.type = &wrong, .field = "x")));
    assert_failed(COVEY_ERROR_TYPE);
    assert_non_null(strstr(heard.text, "type Wrong is refused"));
}

static void test_what_is_refused_of_a_place_says_why(void **state) {
    (void)state;
    const covey_type *type = covey_id(Block);
    is_refused(DESC(.type = type, .place = { "f32", "f64" }), COVEY_ERROR_RANGE,
               "a .place needs a .cell, the side of its cells");
    is_refused(DESC(.type = type, .place = { "f32", "f64" }, .cell = -1), COVEY_ERROR_RANGE,
               "a .place needs a .cell, the side of its cells");
    is_refused(DESC(.type = type, .place = { "f32", "f64" }, .cell = NAN), COVEY_ERROR_RANGE,
               "a .place needs a .cell, the side of its cells");
    is_refused(DESC(.type = type, .place = { "f32", "f64" }, .cell = INFINITY), COVEY_ERROR_RANGE,
               "a .place needs a .cell, the side of its cells");
    is_refused(DESC(.type = type, .place = { "f32", "f64" }, .cell = 1, .ordered = true), COVEY_ERROR_RANGE,
               ".ordered and .when_target_ends are for a .field");
    is_refused(DESC(.type = type, .place = { "f32", "f64" }, .cell = 1, .when_target_ends = COVEY_TARGET_REMOVE),
               COVEY_ERROR_RANGE, ".ordered and .when_target_ends are for a .field");
    is_refused(DESC(.type = type, .place = { "f32", "f65" }, .cell = 1), COVEY_ERROR_TYPE,
               "the type has no field with a name in .place");
    is_refused(DESC(.type = type, .place = { "f32", "flag" }, .cell = 1), COVEY_ERROR_TYPE,
               "a field of .place is no number");
    is_refused(DESC(.type = type, .place = { "target", "f32" }, .cell = 1), COVEY_ERROR_TYPE,
               "a field of .place is no number");
    is_refused(DESC(.type = type, .place = { "f32", "inner.far_off" }, .cell = 1), COVEY_ERROR_TYPE,
               ".place is one array, or single numbers");
    is_refused(DESC(.type = type, .place = { "inner.far_off", "f32" }, .cell = 1), COVEY_ERROR_TYPE,
               ".place is one array, or single numbers");
    is_refused(DESC(.type = type, .place = { "inner.far_off" }, .cell = 1), COVEY_ERROR_TYPE,
               "an array in .place has more than three numbers");
    is_refused(DESC(.type = type, .place = { "f32" }, .cell = 1), COVEY_ERROR_TYPE,
               "a .place has two or three numbers");
}

static void test_a_lookup_says_what_it_is_of(void **state) {
    (void)state;
    covey_lookup *lookup = covey_lookup_create(world, DESC(.type = covey_id(Block), .field = "i32"));
    size_t bytes = covey_lookup_memory(lookup);
    assert_ptr_equal(covey_lookup_type(lookup), covey_id(Block));
    for (uint32_t i = 0; i < 700; i++)
        assert_non_null(covey_add_raw(world, covey_create(world), covey_id(Block), NULL));
    assert_true(covey_lookup_memory(lookup) > bytes);
    assert_true(covey_world_memory(world) > covey_lookup_memory(lookup));
    covey_lookup_destroy(lookup);
    covey_lookup_destroy(NULL);
}

/* Made from names that are gone afterwards. */
static covey_lookup *make_from(covey_lookup_desc desc) {
    char names[4][20] = { "" };
    snprintf(names[0], sizeof names[0], "%s", desc.field ? desc.field : "");
    if (desc.field) desc.field = names[0];
    for (uint32_t i = 0; i < 3 && desc.place[i]; i++) {
        snprintf(names[i + 1], sizeof names[i + 1], "%s", desc.place[i]);
        desc.place[i] = names[i + 1];
    }
    covey_lookup *lookup = covey_lookup_create(world, &desc);
    memset(names, 'x', sizeof names);
    assert_non_null(lookup);
    return lookup;
}

static void assert_texts(const char *a, const char *b) {
    assert_int_equal(!a, !b);
    if (a) assert_string_equal(a, b);
}

static void assert_descs(covey_lookup_desc a, const covey_lookup_desc *b) {
    assert_ptr_equal(a.type, b->type);
    assert_texts(a.field, b->field);
    for (uint32_t i = 0; i < 3; i++) assert_texts(a.place[i], b->place[i]);
    assert_int_equal(a.ordered, b->ordered);
    assert_int_equal(a.when_target_ends, b->when_target_ends);
    assert_true(a.cell >= b->cell && a.cell <= b->cell * 1.00001);
}

static void test_a_world_says_which_lookups_it_has(void **state) {
    (void)state;
    const covey_lookup_desc descs[] = {
        { .type = covey_id(Block), .field = "inner.who", .when_target_ends = COVEY_TARGET_CLEAR },
        { .type = covey_id(Sparse), .field = "text", .ordered = true },
        { .type = covey_id(Block), .place = { "f32", "f64", "inner.part" }, .cell = 2.5 },
        { .type = covey_id(Block), .field = "i32" },
    };
    covey_lookup *made[COUNT_OF(descs)];
    assert_int_equal(covey_world_lookup_count(world), 0);
    for (uint32_t i = 0; i < COUNT_OF(descs); i++) made[i] = make_from(descs[i]);
    for (uint32_t i = 0; i < COUNT_OF(descs); i++) {
        assert_ptr_equal(covey_world_lookup(world, i), made[i]);
        assert_descs(covey_lookup_description(made[i]), &descs[i]);
    }
    assert_null(covey_world_lookup(world, COUNT_OF(descs)));
    covey_lookup_destroy(made[1]);
    assert_int_equal(covey_world_lookup_count(world), 3);
    assert_ptr_equal(covey_world_lookup(world, 1), made[2]);
    covey_lookup_desc again = covey_lookup_description(made[2]);
    again.cell = 2.5;
    assert_descs(covey_lookup_description(make_from(again)), &descs[2]);
}

/* What a lookup of a number, an entity or a text cannot be asked. */
static void cannot_be_asked(covey_lookup *lookup, const char *why) {
    char text[256];
    snprintf(text, sizeof text, "a lookup of %s could not be asked: %s", covey_lookup_type(lookup)->name, why);
    assert_failed(COVEY_ERROR_REFUSED);
    assert_string_equal(heard.text, text);
    heard = (test_heard){ 0 };
}

static void test_what_cannot_be_answered_finds_nothing(void **state) {
    (void)state;
    const covey_type *type = covey_id(Block);
    covey_lookup *number = covey_lookup_create(world, DESC(.type = type, .field = "i32"));
    covey_lookup *place = covey_lookup_create(world, DESC(.type = type, .place = { "f32", "f64" }, .cell = 1));
    covey_entity one = covey_create(world), none;
    double zero[2] = { 0 }, distance;
    assert_non_null(covey_add_raw(world, one, type, NULL));
    assert_found(covey_lookup_range(number, NULL, NULL), NULL, 0);
    cannot_be_asked(number, "it knows no order: create it with .ordered");
    assert_no_entity(covey_lookup_first(number));
    cannot_be_asked(number, "it knows no order: create it with .ordered");
    assert_no_entity(covey_lookup_last(number));
    cannot_be_asked(number, "it knows no order: create it with .ordered");
    assert_found(covey_lookup_find_below(number, one), NULL, 0);
    cannot_be_asked(number, "only an entity field has targets");
    assert_found(covey_lookup_in_box(number, zero, zero), NULL, 0);
    cannot_be_asked(number, "it has no .place");
    assert_found(covey_lookup_near(number, zero, 1), NULL, 0);
    cannot_be_asked(number, "it has no .place");
    assert_false(covey_lookup_cell(number, one, (int32_t[3]){ 0 }));
    cannot_be_asked(number, "it has no .place");
    assert_int_equal(covey_lookup_nearest(number, zero, 1, &none, &distance, 1), 0);
    cannot_be_asked(number, "it has no .place");
    covey_pairs pairs = covey_lookup_pairs(number, 1);
    cannot_be_asked(number, "it has no .place");
    assert_false(covey_pairs_next(&pairs));
    assert_found(covey_lookup_find(place, &(int32_t){ 0 }), NULL, 0);
    cannot_be_asked(place, "it finds places: ask for a box or for what is near a point");
    assert_int_equal(covey_lookup_count(place, &(int32_t){ 0 }), 0);
    cannot_be_asked(place, "it finds places: ask for a box or for what is near a point");
    assert_found(covey_lookup_range(place, NULL, NULL), NULL, 0);
    cannot_be_asked(place, "it finds places: ask for a box or for what is near a point");
    assert_found(covey_lookup_find_below(place, one), NULL, 0);
    cannot_be_asked(place, "only an entity field has targets");
    assert_no_entity(covey_lookup_first(place));
    assert_failed(COVEY_ERROR_REFUSED);
}

/* ---- Each kind of field ------------------------------------------------------------------------------------------*/

TYPE_TEST(test_each_field_before_and_after_there_are_components) {
    look_up_everything(type);
    all_scanned();
    give_all(type, 3);
    all_scanned();
    for (uint32_t i = 0; i < scan_count; i++) covey_lookup_destroy(scans[i].lookup);
    look_up_everything(type);
    all_scanned();
    for (uint32_t i = 0; i < scan_count; i += 2) covey_lookup_destroy(scans[i].lookup);
    for (uint32_t i = 0; i < COUNT; i += 6) *(Kinds *)covey_patch_raw(world, e[i], type, NULL, NULL) = random_kinds();
    for (uint32_t i = 1; i < scan_count; i += 2) assert_scanned(&scans[i]);
}

TYPE_TEST(test_all_nan_are_one_value_that_is_in_no_range) {
    scan plain = scan_field(type, &fields[3], false), ordered = scan_field(type, &fields[8], true);
    static const uint64_t nan_bits[] = { 0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001,
                                         0xffffffffffffffff };
    double nan;
    for (uint32_t i = 0; i < 8; i++) {
        Kinds k = { .f32 = i % 2 != 0 ? NAN : (float)i };
        memcpy(&k.f64, &nan_bits[i % 4], sizeof k.f64);
        assert_non_null(covey_add_raw(world, e[i], type, &k));
    }
    memcpy(&nan, &nan_bits[2], sizeof nan);
    assert_found(covey_lookup_find(plain.lookup, &nan), e, 8);
    assert_int_equal(covey_lookup_count(plain.lookup, &(double){ -NAN }), 8);
    assert_int_equal(covey_lookup_count(ordered.lookup, &(float){ NAN }), 4);
    assert_int_equal(find_all(covey_lookup_range(ordered.lookup, NULL, NULL))->count, 4);
    assert_found(covey_lookup_range(ordered.lookup, &(float){ NAN }, NULL), NULL, 0);
    assert_found(covey_lookup_range(ordered.lookup, NULL, &(float){ NAN }), NULL, 0);
    assert_same(covey_lookup_first(ordered.lookup), e[0]);
    assert_same(covey_lookup_last(ordered.lookup), e[6]);
    for (uint32_t i = 0; i < 8; i += 2) assert_true(covey_remove_raw(world, e[i], type));
    assert_no_entity(covey_lookup_first(ordered.lookup));
    assert_no_entity(covey_lookup_last(ordered.lookup));
}

TYPE_TEST(test_minus_zero_is_zero) {
    scan plain = scan_field(type, &fields[3], false), ordered = scan_field(type, &fields[8], true);
    for (uint32_t i = 0; i < 6; i++)
        assert_non_null(covey_add_raw(world, e[i], type,
                                      &(Kinds){ .f64 = i % 2 != 0 ? -0.0 : 0.0, .f32 = i % 2 != 0 ? 0.0f : -0.0f }));
    assert_found(covey_lookup_find(plain.lookup, &(double){ -0.0 }), e, 6);
    assert_found(covey_lookup_find(plain.lookup, &(double){ 0.0 }), e, 6);
    assert_found(covey_lookup_find(ordered.lookup, &(float){ -0.0f }), e, 6);
    assert_found(covey_lookup_range(ordered.lookup, &(float){ 0.0f }, &(float){ -0.0f }), e, 6);
    assert_same(covey_lookup_last(ordered.lookup), e[0]);
}

/* A text that is longer than the field lies behind all that begin like it. */
TYPE_TEST(test_a_range_from_a_text_that_is_too_long) {
    scan ordered = scan_field(type, &fields[15], true);
    static const char *const texts[] = { "abcde", "abcdef", "abcdeg", "b" };
    for (uint32_t i = 0; i < 4; i++) {
        Kinds k = { 0 };
        memcpy(k.text, texts[i], strlen(texts[i]));
        assert_non_null(covey_add_raw(world, e[i], type, &k));
    }
    assert_found(covey_lookup_range(ordered.lookup, "abcdefg", NULL), e + 2, 2);
    assert_found(covey_lookup_range(ordered.lookup, NULL, "abcdefg"), e, 2);
}

/* Numbers that do not follow each other in the struct, and those of every width. */
static void test_a_place_of_any_two_numbers(void **state) {
    (void)state;
    covey_entity near = covey_create(world), far = covey_create(world);
    covey_lookup *floats = covey_lookup_create(world, DESC(.type = covey_id(Padded), .place = { "x", "z" }, .cell = 1));
    covey_lookup *whole =
        covey_lookup_create(world, DESC(.type = covey_id(Block), .place = { "u32", "u64" }, .cell = 10));
    covey_lookup *small =
        covey_lookup_create(world, DESC(.type = covey_id(Block), .place = { "u8", "u16" }, .cell = 10));
    assert_non_null(covey_add(world, near, Padded, { .x = 3, .between = 100, .z = 4 }));
    assert_non_null(covey_add(world, far, Padded, { .x = 30, .between = 3, .z = 40 }));
    assert_non_null(covey_add(world, near, Block, { .u32 = 3, .u64 = 4, .u8 = 3, .u16 = 4 }));
    assert_non_null(covey_add(world, far, Block, { .u32 = 30, .u64 = 40, .u8 = 30, .u16 = 40 }));
    assert_found(covey_lookup_near(floats, (double[]){ 3, 4 }, 2), &near, 1);
    assert_found(covey_lookup_near(whole, (double[]){ 30, 40 }, 2), &far, 1);
    assert_found(covey_lookup_near(small, (double[]){ 3, 4 }, 2), &near, 1);
}

/* ---- Questions of a drop hook ------------------------------------------------------------------------------------*/

/* The lookups that the hook asks, and the entity that ends. */
typedef struct questions {
    covey_lookup *order, *target, *place;
    covey_entity root, other;
    uint32_t calls;
} questions;
static questions hooked;

static void assert_only_other(covey_search search) {
    const found *all = find_all(search);
    assert_int_equal(all->count, 1);
    assert_same(all->e[0], hooked.other);
}

static void ask_everything(void *value, void *context) {
    double here[2] = { 1, 1 }, distance;
    covey_entity nearest[2];
    (void)value;
    (void)context;
    if (!hooked.place) return;
    hooked.calls++;
    assert_same(covey_lookup_first(hooked.order), hooked.other);
    assert_same(covey_lookup_last(hooked.order), hooked.other);
    assert_only_other(covey_lookup_find_below(hooked.target, hooked.root));
    assert_only_other(covey_lookup_near(hooked.place, here, 1));
    assert_int_equal(covey_lookup_nearest(hooked.place, here, 5, nearest, &distance, 1), 1);
    assert_same(nearest[0], hooked.other);
    covey_pairs pairs = covey_lookup_pairs(hooked.place, 1);
    assert_false(covey_pairs_next(&pairs));
}

/* Its pool is the first, so that its value is dropped while the other components are still filed. */
static void test_a_drop_hook_does_not_find_the_entity_that_ends(void **state) {
    (void)state;
    static const covey_type asking = { .name = "asking", .size = 4, .align = 4, .drop = ask_everything };
    for (uint32_t last = 0; last < 2; last++) {
        covey_entity root = covey_create(world), one[2] = { covey_create(world), covey_create(world) };
        hooked = (questions){ .root = root, .other = one[1 - last] };
        for (uint32_t i = 0; i < 2; i++) {
            assert_non_null(covey_add_raw(world, one[i], &asking, &(uint32_t){ 1 }));
            Kinds k = { .target = root, .i32 = 7, .f32 = 1, .f64 = 1 };
            assert_non_null(covey_add_raw(world, one[i], covey_id(Block), &k));
        }
        hooked.order = covey_lookup_create(world, DESC(.type = covey_id(Block), .field = "i32", .ordered = true));
        hooked.target = covey_lookup_create(world, DESC(.type = covey_id(Block), .field = "target"));
        hooked.place = covey_lookup_create(world, DESC(.type = covey_id(Block), .place = { "f32", "f64" }, .cell = 1));
        assert_true(covey_destroy(world, one[last]));
        assert_int_equal(hooked.calls, 1);
        hooked.place = NULL;
        covey_destroy_all(world);
    }
}

TYPE_TEST(test_texts_of_every_length) {
    scan plain = scan_field(type, &fields[15], false), ordered = scan_field(type, &fields[15], true);
    static const char *const texts[] = { "", "a", "ab", "abcde", "abcdef" };
    for (uint32_t i = 0; i < 5; i++) {
        Kinds k = { 0 };
        memcpy(k.text, texts[i], strlen(texts[i]));
        assert_non_null(covey_add_raw(world, e[i], type, &k));
    }
    for (uint32_t i = 0; i < 5; i++) {
        assert_found(covey_lookup_find(plain.lookup, texts[i]), &e[i], 1);
        assert_found(covey_lookup_find(ordered.lookup, texts[i]), &e[i], 1);
        assert_found(covey_lookup_range(ordered.lookup, texts[i], NULL), &e[i], 5 - i);
        assert_found(covey_lookup_range(ordered.lookup, NULL, texts[i]), e, i + 1);
    }
    assert_int_equal(covey_lookup_count(plain.lookup, "abcdefg"), 0);
    assert_int_equal(covey_lookup_count(ordered.lookup, "abcdefg"), 0);
    assert_found(covey_lookup_find(plain.lookup, "abcdefghijklmnop"), NULL, 0);
    assert_found(covey_lookup_find(ordered.lookup, "abcdefghijklmnop"), NULL, 0);
    assert_found(covey_lookup_find(plain.lookup, "abc"), NULL, 0);
    assert_found(covey_lookup_range(ordered.lookup, "abcdefg", NULL), NULL, 0);
    assert_found(covey_lookup_range(ordered.lookup, NULL, "abcdefg"), e, 5);
    assert_found(covey_lookup_range(ordered.lookup, "abc", "abcdefz"), &e[3], 2);
    assert_same(covey_lookup_first(ordered.lookup), e[0]);
    assert_same(covey_lookup_last(ordered.lookup), e[4]);
}

TYPE_TEST(test_targets_that_are_null_or_stale) {
    scan of = scan_field(type, &fields[0], false);
    covey_entity target = e[50], null = COVEY_NULL;
    for (uint32_t i = 0; i < 9; i++)
        assert_non_null(covey_add_raw(world, e[i], type, &(Kinds){ .target = i % 3 == 0 ? null : target }));
    assert_int_equal(covey_lookup_size(of.lookup), 6);
    assert_int_equal(covey_lookup_count(of.lookup, &null), 0);
    assert_found(covey_lookup_find(of.lookup, &null), NULL, 0);
    assert_found(covey_lookup_find_below(of.lookup, null), NULL, 0);
    assert_true(covey_destroy(world, target));
    assert_int_equal(covey_lookup_count(of.lookup, &target), 6);
    covey_entity again = covey_create_at(world, target.index);
    assert_false(covey_is_null(again));
    assert_int_equal(covey_lookup_count(of.lookup, &again), 0);
    assert_int_equal(find_all(covey_lookup_find(of.lookup, &target))->count, 6);
    assert_scanned(&of);
}

/* ---- Ranges ------------------------------------------------------------------------------------------------------*/

TYPE_TEST(test_ranges_without_bounds_and_without_entities) {
    scan of = scan_field(type, &fields[6], true);
    assert_no_entity(covey_lookup_first(of.lookup));
    assert_no_entity(covey_lookup_last(of.lookup));
    assert_found(covey_lookup_range(of.lookup, NULL, NULL), NULL, 0);
    for (uint32_t i = 0; i < 20; i++)
        assert_non_null(covey_add_raw(world, e[19 - i], type, &(Kinds){ .i32 = (int32_t)(i / 2) * 10 - 50 }));
    static const int32_t below_all[] = { -100, -51 }, between[] = { -19, -11 }, some[] = { -25, -5 };
    covey_entity two_values[] = { e[12], e[13], e[10], e[11] };
    assert_found(covey_lookup_range(of.lookup, &below_all[0], &below_all[1]), NULL, 0);
    assert_found(covey_lookup_range(of.lookup, &between[0], &between[1]), NULL, 0);
    assert_found(covey_lookup_range(of.lookup, &some[1], &some[0]), NULL, 0);
    assert_found(covey_lookup_range(of.lookup, &(int32_t){ 41 }, NULL), NULL, 0);
    assert_found(covey_lookup_range(of.lookup, &some[0], &some[1]), two_values, 4);
    assert_found(covey_lookup_range(of.lookup, &(int32_t){ -20 }, &(int32_t){ -10 }), two_values, 4);
    assert_same(covey_lookup_first(of.lookup), e[18]);
    assert_same(covey_lookup_last(of.lookup), e[0]);
    assert_scanned(&of);
}

static const uint32_t many = COVEY_INDEX_BITS > 16 ? 1000 : 800;

/* More than are found at a time, of one value and of several. */
TYPE_TEST(test_a_thousand_entities_are_found_in_several_steps) {
    scan plain = scan_field(type, &fields[6], false), ordered = scan_field(type, &fields[6], true);
    for (uint32_t i = 0; i < many - COUNT; i++) covey_create(world);
    for (covey_entity at = covey_entity_next(world, COVEY_NULL); !covey_is_null(at); at = covey_entity_next(world, at))
        assert_non_null(covey_add_raw(world, at, type, &(Kinds){ .i32 = (int32_t)(at.index % 3) }));
    covey_search search = covey_lookup_find(plain.lookup, &(int32_t){ 1 });
    uint32_t steps = 0;
    while (covey_search_next(&search)) steps++;
    assert_true(steps >= many / 3 / COVEY_FOUND);
    assert_int_equal(covey_lookup_size(plain.lookup), many);
    assert_scanned(&plain);
    assert_scanned(&ordered);
}

/* ---- What changes values -----------------------------------------------------------------------------------------*/

static void change_to(void *value, void *context) { *(Kinds *)value = *(const Kinds *)context; }
static bool is_odd(covey_entity of, const void *value, void *context) {
    (void)value, (void)context;
    return of.index % 2 != 0;
}

typedef void change_fn(const covey_type *type);

static void do_add(const covey_type *type) {
    for (uint32_t i = 0; i < COUNT; i += 3)
        if (!covey_has_raw(world, e[i], type)) give_random(e[i], type);
}
static void do_set(const covey_type *type) {
    for (uint32_t i = 0; i < COUNT; i += 5) {
        Kinds k = random_kinds();
        assert_non_null(covey_set_raw(world, e[i], type, &k));
    }
}
static void do_replace(const covey_type *type) {
    for (uint32_t i = 0; i < COUNT; i += 3) {
        Kinds k = random_kinds();
        covey_replace_raw(world, e[i], type, &k);
    }
}
static void do_patch(const covey_type *type) {
    for (uint32_t i = 0; i < COUNT; i += 4) {
        Kinds k = random_kinds();
        covey_patch_raw(world, e[i], type, change_to, &k);
    }
}
static void do_patch_after_writing(const covey_type *type) {
    for (uint32_t i = 0; i < COUNT; i += 4) {
        Kinds *at = covey_get_raw(world, e[i], type);
        if (at) *at = random_kinds();
        covey_patch_raw(world, e[i], type, NULL, NULL);
    }
}
static void do_patch_or_add(const covey_type *type) {
    for (uint32_t i = 0; i < COUNT; i += 7) {
        Kinds k = random_kinds();
        assert_non_null(covey_patch_or_add_raw(world, e[i], type, change_to, &k));
    }
}
static void do_get_or_add(const covey_type *type) {
    for (uint32_t i = 0; i < COUNT; i += 7) {
        Kinds k = random_kinds();
        assert_non_null(covey_get_or_add_raw(world, e[i], type, &k));
    }
}
static void do_add_array(const covey_type *type) {
    static Kinds values[COUNT];
    covey_entity absent[COUNT];
    uint32_t count = 0;
    for (uint32_t i = 0; i < COUNT; i += 2)
        if (!covey_has_raw(world, e[i], type)) absent[count++] = e[i];
    for (uint32_t i = 0; i < count; i++) values[i] = random_kinds();
    assert_true(covey_add_array_raw(world, absent, count, type, values));
}
static void do_add_copies(const covey_type *type) {
    covey_entity absent[COUNT];
    uint32_t count = 0;
    for (uint32_t i = 0; i < COUNT; i++)
        if (!covey_has_raw(world, e[i], type)) absent[count++] = e[i];
    Kinds k = random_kinds();
    assert_true(covey_add_copies_raw(world, absent, count, type, &k));
}
static void do_spans(const covey_type *type) {
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { type } });
    covey_iter it = covey_view_iter(&view);
    while (covey_next(&it)) {
        Kinds *k = covey_field_raw(&it, 0);
        for (uint32_t i = 0; i < it.count; i++)
            if (i % 3 == 0) k[i] = random_kinds();
    }
}
static void do_rows(const covey_type *type) {
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { type } });
    covey_iter it = covey_view_iter(&view);
    covey_row row = { 0 };
    while (covey_next_row(&it, &row))
        if (below(3) == 0) *(Kinds *)covey_row_field_raw(&it, row, 0) = random_kinds();
}
static void do_list(const covey_type *type) {
    covey_view view = covey_view_make(world, &(covey_view_desc){ .optional = { type } });
    covey_entity some[] = { e[70], e[3], e[6], e[66], e[9], e[3] };
    covey_iter it = covey_view_iter_list(&view, some, COUNT_OF(some));
    while (covey_next(&it)) {
        Kinds *k = covey_field_raw(&it, 0);
        for (uint32_t i = 0; k && i < it.count; i++) k[i] = random_kinds();
    }
}
static void do_rows_of_a_list(const covey_type *type) {
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { type } });
    covey_entity some[] = { e[70], e[3], e[6], e[66], e[9], e[3] };
    covey_iter it = covey_view_iter_list(&view, some, COUNT_OF(some));
    covey_row row = { 0 };
    while (covey_next_row(&it, &row)) *(Kinds *)covey_row_field_raw(&it, row, 0) = random_kinds();
}
static void do_remove(const covey_type *type) {
    for (uint32_t i = 0; i < COUNT; i += 6) covey_remove_raw(world, e[i], type);
}
static void do_take(const covey_type *type) {
    Kinds taken;
    for (uint32_t i = 0; i < COUNT; i += 9) covey_take_raw(world, e[i], type, &taken);
}
static void do_remove_if(const covey_type *type) { covey_remove_if_raw(world, type, is_odd, NULL); }
static void do_remove_many(const covey_type *type) { covey_remove_many_raw(world, e, COUNT / 2, type); }
static void do_remove_scattered(const covey_type *type) {
    for (uint32_t i = 0; i < COUNT - 40; i += 40) {
        covey_entity some[] = { e[i + 30], e[i], e[i + 15], e[i + 3] };
        covey_remove_many_raw(world, some, 4, type);
    }
}
static void do_clear(const covey_type *type) { covey_clear_raw(world, type); }
static void do_clear_all(const covey_type *type) {
    (void)type;
    covey_clear_components(world);
}
static void do_disable(const covey_type *type) {
    for (uint32_t i = 0; i < COUNT; i += 9) {
        assert_int_equal(covey_disable(world, e[i]), COVEY_OK);
        if (covey_has_raw(world, e[i + 1], type))
            assert_int_equal(covey_component_disable_raw(world, e[i + 1], type), COVEY_OK);
    }
}
static void do_enable(const covey_type *type) {
    for (uint32_t i = 0; i < COUNT; i++) {
        covey_enable(world, e[i]);
        if (covey_has_raw(world, e[i], type)) covey_component_enable_raw(world, e[i], type);
    }
}
static void do_convert(const covey_type *type) {
    covey_pool *pool = covey_pool_find_raw(world, type);
    static const covey_storage storages[] = { COVEY_STORAGE_SPARSE, COVEY_STORAGE_BLOCK, COVEY_STORAGE_PINNED };
    for (uint32_t i = 0; i < 3; i++) {
        bool converts = pool && covey_pool_convert(pool, storages[i]) == COVEY_OK;
        do_spans(type);
        if (converts) all_scanned();
    }
}
static void do_sort(const covey_type *type) {
    covey_pool *pool = covey_pool_find_raw(world, type);
    covey_order order = { .key = COVEY_KEY_I32, .offset = offsetof(Kinds, i32), .descending = true };
    if (!pool || covey_pool_sort(pool, &order) != COVEY_OK) return;
    do_spans(type);
}
static void do_compact(const covey_type *type) {
    (void)type;
    covey_compact(world);
}
static void do_shrink(const covey_type *type) {
    (void)type;
    covey_shrink(world);
}
static void do_destroy(const covey_type *type) {
    (void)type;
    for (uint32_t i = 1; i < COUNT; i += 50) {
        assert_true(covey_destroy(world, e[i]));
        e[i] = covey_create(world);
        assert_false(covey_is_null(e[i]));
    }
}
static void do_destroy_many(const covey_type *type) {
    (void)type;
    assert_int_equal(covey_destroy_many(world, e + 100, 70), 70);
    for (uint32_t i = 100; i < 170; i++) assert_false(covey_is_null(e[i] = covey_create(world)));
}
static void do_copy(const covey_type *type) {
    for (uint32_t i = 0; i + 4 < COUNT; i += 12)
        if (covey_has_raw(world, e[i], type)) assert_true(covey_copy(world, e[i], e[i + 4]));
}
static void do_clone(const covey_type *type) {
    covey_entity clones[3];
    (void)type;
    assert_true(covey_clone(world, e[3], clones, 3));
    assert_true(covey_destroy(world, clones[1]));
}
static void do_create_with(const covey_type *type) {
    Kinds k = random_kinds();
    covey_entity made = covey_create_with_raw(world, (covey_component[]){ { .type = type, .value = &k }, { 0 } });
    assert_false(covey_is_null(made));
}
static void do_commands(const covey_type *type) {
    covey_commands *commands = covey_commands_create(world, NULL);
    Kinds k = random_kinds();
    covey_entity made = covey_record_create(commands);
    assert_true(covey_record_add_raw(commands, made, type, &k));
    for (uint32_t i = 0; i < COUNT; i += 11) {
        k = random_kinds();
        assert_true(covey_record_set_raw(commands, e[i], type, &k));
    }
    for (uint32_t i = 0; i < COUNT; i += 25) assert_true(covey_record_remove_raw(commands, e[i], type));
    covey_commands_replay(commands);
    covey_commands_destroy(commands);
}

static change_fn *const changes[] = { do_add,
                                      do_set,
                                      do_replace,
                                      do_patch,
                                      do_patch_after_writing,
                                      do_patch_or_add,
                                      do_get_or_add,
                                      do_add_array,
                                      do_spans,
                                      do_rows,
                                      do_list,
                                      do_rows_of_a_list,
                                      do_remove,
                                      do_take,
                                      do_remove_if,
                                      do_add,
                                      do_compact,
                                      do_set,
                                      do_remove_many,
                                      do_remove_scattered,
                                      do_disable,
                                      do_spans,
                                      do_rows,
                                      do_convert,
                                      do_sort,
                                      do_enable,
                                      do_shrink,
                                      do_destroy,
                                      do_add,
                                      do_copy,
                                      do_clone,
                                      do_rows,
                                      do_destroy_many,
                                      do_create_with,
                                      do_commands,
                                      do_add,
                                      do_spans,
                                      do_compact,
                                      do_clear,
                                      do_add_copies,
                                      do_patch,
                                      do_shrink,
                                      do_clear_all,
                                      do_add_array };

TYPE_TEST(test_every_change_is_seen) {
    look_up_some(type);
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < COUNT_OF(changes); i++) {
            changes[i](type);
            all_scanned();
        }
}

/* Nothing is asked until several things have happened. */
TYPE_TEST(test_changes_that_nobody_asks_about_until_later) {
    look_up_some(type);
    for (uint32_t i = 0; i < 100; i++) {
        changes[below(COUNT_OF(changes))](type);
        if (below(4) == 0) all_scanned();
    }
    all_scanned();
}

TYPE_TEST(test_a_lookup_without_entities_shrinks) {
    scan plain = scan_field(type, &fields[6], false), ordered = scan_field(type, &fields[6], true);
    give_all(type, 1);
    size_t bytes = covey_lookup_memory(ordered.lookup);
    covey_clear_raw(world, type);
    covey_shrink(world);
    assert_true(covey_lookup_memory(ordered.lookup) < bytes);
    give_all(type, 2);
    assert_scanned(&plain);
    assert_scanned(&ordered);
}

/* ---- Loops that write --------------------------------------------------------------------------------------------*/

/* How many have a number, as found by the lookup, which is asked while the loop has them in hand. */
static void is_counted(const scan *of, int32_t number, uint32_t count) {
    assert_int_equal(covey_lookup_count(of->lookup, &number), count);
}

TYPE_TEST(test_questions_in_a_loop_over_spans) {
    scan of = scan_field(type, &fields[6], false);
    assert_true(covey_add_copies_raw(world, e, COUNT, type, &(Kinds){ .i32 = -1 }));
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { type } });
    covey_iter it = covey_view_iter(&view);
    uint32_t written = 0;
    while (covey_next(&it)) {
        Kinds *k = covey_field_raw(&it, 0);
        is_counted(&of, -1, COUNT - written);
        for (uint32_t i = 0; i < it.count; i++, written++) {
            k[i].i32 = (int32_t)written;
            is_counted(&of, (int32_t)written, 1);
            is_counted(&of, -1, COUNT - written - 1);
        }
        test_world_is_valid(world);
    }
    assert_int_equal(written, COUNT);
    assert_scanned(&of);
}

TYPE_TEST(test_questions_in_a_loop_over_rows) {
    scan of = scan_field(type, &fields[6], false);
    assert_true(covey_add_copies_raw(world, e, COUNT, type, &(Kinds){ .i32 = -1 }));
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { type } });
    covey_iter it = covey_view_iter(&view);
    covey_row row = { 0 };
    uint32_t written = 0;
    while (covey_next_row(&it, &row)) {
        Kinds *k = covey_row_field_raw(&it, row, 0);
        is_counted(&of, -1, COUNT - written);
        k->i32 = 5;
        is_counted(&of, 5, 1);
        k->i32 = 1000 + (int32_t)written++;
        is_counted(&of, 5, 0);
        is_counted(&of, 999 + (int32_t)written, 1);
        if (written % 5 == 0) {
            assert_true(covey_remove_raw(world, covey_row_entity(&it, row), type));
            is_counted(&of, 999 + (int32_t)written, 0);
        }
        test_world_is_valid(world);
    }
    assert_int_equal(written, COUNT);
    assert_scanned(&of);
}

/* Loops over the same type, one in another, up to four deep. */
static uint32_t write_nested(const scan *of, const covey_type *type, uint32_t depth) {
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { type } });
    covey_iter it = covey_view_iter(&view);
    covey_row row = { 0 };
    uint32_t asked = 0;
    while (covey_next_row(&it, &row)) {
        Kinds *k = covey_row_field_raw(&it, row, 0);
        int32_t number = 100 * (int32_t)depth + (int32_t)below(100);
        if (depth < 4) asked += write_nested(of, type, depth + 1);
        k->i32 = number;
        is_counted(of, -7, 0);
        assert_true(covey_lookup_count(of->lookup, &number) != 0);
        k->i32 = -7;
        is_counted(of, -7, 1);
        k->i32 = number;
        asked++;
    }
    return asked;
}

TYPE_TEST(test_questions_in_loops_one_in_another) {
    scan of = scan_field(type, &fields[6], false);
    assert_true(covey_add_copies_raw(world, e, 5, type, &(Kinds){ .i32 = -1 }));
    assert_int_equal(write_nested(&of, type, 1), 5 + 25 + 125 + 625);
    assert_scanned(&of);
}

/* What may happen after a loop was left. */
typedef void afterwards_fn(const covey_type *type);
static void move_another_pool(const covey_type *type) {
    (void)type;
    for (uint32_t i = 0; i < 3; i++) assert_non_null(covey_add(world, e[i], Packed, { i, i }));
    for (uint32_t i = 0; i < 3; i++) assert_true(covey_remove(world, e[i], Packed));
}
static void remove_the_last(const covey_type *type) {
    for (uint32_t i = COUNT / 4; i < COUNT; i++) assert_true(covey_remove_raw(world, e[i], type));
}
static void remove_the_first(const covey_type *type) { assert_true(covey_remove_raw(world, e[0], type)); }
static void remove_and_compact(const covey_type *type) {
    for (uint32_t i = 0; i < COUNT; i += 3) assert_true(covey_remove_raw(world, e[i], type));
    covey_compact(world);
}
static void convert(const covey_type *type) {
    covey_pool *pool = covey_pool_find_raw(world, type);
    covey_storage other = type->storage == COVEY_STORAGE_SPARSE ? COVEY_STORAGE_BLOCK : COVEY_STORAGE_SPARSE;
    covey_result result = covey_pool_convert(pool, other); /* those with a policy stay in a set */
    assert_true(result == COVEY_OK || result == COVEY_ERROR_REFUSED);
}

TYPE_TEST(test_what_a_loop_wrote_last_is_found_after_it_was_left) {
    static afterwards_fn *const ways[] = { move_another_pool, remove_the_last, remove_the_first, remove_and_compact,
                                           convert };
    scan of = scan_field(type, &fields[6], false);
    for (uint32_t way = 0; way < COUNT_OF(ways); way++) {
        covey_clear_raw(world, type);
        assert_true(covey_add_copies_raw(world, e, COUNT, type, &(Kinds){ .i32 = -1 }));
        covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { type } });
        covey_iter it = covey_view_iter(&view);
        assert_true(covey_next(&it));
        Kinds *k = covey_field_raw(&it, 0);
        is_counted(&of, -1, COUNT);
        for (uint32_t i = 0; i < it.count; i++) k[i].i32 = 40;
        ways[way](type);
        assert_scanned(&of);
        test_world_is_valid(world);
    }
}

/* Loops that were left with a break do not end the attention for the one that goes on. */
TYPE_TEST(test_questions_in_a_loop_after_others_were_left) {
    scan of = scan_field(type, &fields[6], false);
    assert_true(covey_add_copies_raw(world, e, COUNT, type, &(Kinds){ .i32 = -1 }));
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { type } });
    static covey_iter left[9];
    for (uint32_t i = 0; i < COUNT_OF(left); i++) {
        covey_row row = { 0 };
        left[i] = covey_view_iter(&view);
        for (uint32_t k = 0; k <= i; k++) assert_true(covey_next_row(&left[i], &row));
        ((Kinds *)covey_row_field_raw(&left[i], row, 0))->i32 = 500 + (int32_t)i;
        is_counted(&of, 500 + (int32_t)i, 1);
    }
    for (uint32_t left_at = 0; left_at < 3; left_at++) {
        covey_iter outer = covey_view_iter(&view);
        covey_row row = { 0 };
        for (uint32_t i = 0; i < 50; i++) assert_true(covey_next_row(&outer, &row));
        Kinds *k = covey_row_field_raw(&outer, row, 0);
        covey_row inner_row = { 0 };
        left[left_at] = covey_view_iter(&view);
        assert_true(covey_next_row(&left[left_at], &inner_row));
        ((Kinds *)covey_row_field_raw(&left[left_at], inner_row, 0))->i32 = 600;
        is_counted(&of, 600, 1);
        k->i32 = 700;
        is_counted(&of, 700, 1);
        k->i32 = 701;
        is_counted(&of, 700, 0);
        k->i32 = -1;
        ((Kinds *)covey_get_raw(world, covey_row_entity(&left[left_at], inner_row), type))->i32 = -1;
        is_counted(&of, 600, 0);
    }
    assert_scanned(&of);
}

/* ---- Changes while a search goes on ------------------------------------------------------------------------------*/

/* What a search finds when entities behind and before its place change, end, and begin. */
static void search_and_change(const covey_type *type, const scan *of, covey_search search) {
    covey_entity last = COVEY_NULL;
    uint32_t rounds = 0, next = COVEY_FOUND + 10;
    while (covey_search_next(&search)) {
        for (uint32_t i = 0; i < search.count; i++) {
            const Kinds *k = covey_get_raw(world, search.entities[i], type);
            assert_true(k && k->i32 == 3); /* it has the value now */
            assert_true(covey_is_null(last) || search.entities[i].index > last.index);
            last = search.entities[i];
        }
        assert_true(next + 2 < COUNT);
        ((Kinds *)covey_patch_raw(world, last, type, NULL, NULL))->i32 = 4; /* the place is still known */
        assert_true(covey_destroy(world, e[next]));
        ((Kinds *)covey_patch_raw(world, e[next + 1], type, NULL, NULL))->i32 = 4;
        covey_remove_raw(world, e[next + 2], type);
        covey_shrink(world);
        next += 20;
        rounds++;
    }
    assert_int_equal(rounds, 4);
    assert_scanned(of);
}

TYPE_TEST(test_the_world_may_change_while_a_value_is_searched) {
    for (uint32_t ordered = 0; ordered < 2; ordered++) {
        scan of = scan_field(type, &fields[6], ordered != 0);
        covey_clear_raw(world, type);
        for (uint32_t i = 0; i < COUNT; i++)
            if (!covey_alive(world, e[i])) e[i] = covey_create_at(world, e[i].index);
        assert_true(covey_add_copies_raw(world, e, COUNT, type, &(Kinds){ .i32 = 3 }));
        search_and_change(type, &of, covey_lookup_find(of.lookup, &(int32_t){ 3 }));
    }
}

TYPE_TEST(test_the_world_may_change_while_a_range_is_searched) {
    scan of = scan_field(type, &fields[15], true);
    for (uint32_t i = 0; i < COUNT; i++) {
        Kinds k = { 0 };
        snprintf(k.text, sizeof k.text, "%05u", (COUNT - i) / 2);
        assert_non_null(covey_add_raw(world, e[i], type, &k));
    }
    char low[8] = "00010", high[16];
    snprintf(high, sizeof high, "%05u", COUNT / 2 - 1);
    covey_search search = covey_lookup_range(of.lookup, low, high), copy;
    assert_true(covey_search_next(&search));
    copy = search; /* a search is a value */
    memset(&search, 0xee, sizeof search);
    assert_int_equal(copy.count, COVEY_FOUND);
    uint32_t sum = copy.count;
    for (uint32_t i = 0; i < copy.count; i++) assert_true(covey_destroy(world, copy.entities[i]));
    covey_compact(world);
    covey_shrink(world);
    while (covey_search_next(&copy)) {
        for (uint32_t i = 0; i < copy.count; i++) assert_true(covey_destroy(world, copy.entities[i]));
        sum += copy.count;
    }
    assert_int_equal(sum, 2 * (COUNT / 2 - 10));
    assert_scanned(&of);
}

TYPE_TEST(test_a_search_goes_on_after_everything_is_gone) {
    scan plain = scan_field(type, &fields[6], false), ordered = scan_field(type, &fields[6], true);
    for (uint32_t way = 0; way < 3; way++) {
        assert_true(covey_add_copies_raw(world, e, COUNT, type, &(Kinds){ .i32 = 3 }));
        covey_search one = covey_lookup_find(plain.lookup, &(int32_t){ 3 });
        covey_search two = covey_lookup_range(ordered.lookup, NULL, NULL);
        assert_true(covey_search_next(&one) && covey_search_next(&two));
        if (way == 0) covey_clear_raw(world, type);
        if (way == 1) covey_clear_components(world);
        if (way == 2) covey_destroy_all(world);
        covey_shrink(world);
        assert_false(covey_search_next(&one) || covey_search_next(&two));
        assert_scanned(&plain);
    }
}

/* ---- Below a target ----------------------------------------------------------------------------------------------*/

static void relate(const covey_type *type, covey_entity source, covey_entity target) {
    assert_non_null(covey_set_raw(world, source, type, &(Kinds){ .target = target }));
}

/* Each before its own, in index order among those of one target. */
static void list_below(const covey_type *type, covey_entity root, covey_entity target, found *list) {
    for (uint32_t i = 0; i < COUNT; i++) {
        const Kinds *k = covey_get_raw(world, e[i], type);
        if (!k || !covey_same(k->target, target) || covey_same(e[i], root)) continue;
        list->e[list->count++] = e[i];
        list_below(type, root, e[i], list);
    }
}

static void assert_below(const covey_type *type, const scan *of, covey_entity root) {
    static found list;
    list.count = 0;
    list_below(type, root, root, &list);
    assert_found(covey_lookup_find_below(of->lookup, root), list.e, list.count);
}

TYPE_TEST(test_below_chains) {
    scan of = scan_field(type, &fields[0], false);
    for (uint32_t i = 1; i < COUNT; i++) relate(type, e[i], e[i - 1]);
    assert_found(covey_lookup_find_below(of.lookup, e[0]), e + 1, COUNT - 1);
    assert_found(covey_lookup_find_below(of.lookup, e[150]), e + 151, COUNT - 151);
    assert_found(covey_lookup_find_below(of.lookup, e[COUNT - 1]), NULL, 0);
    for (uint32_t i = 0; i + 1 < COUNT; i++) relate(type, e[i], e[i + 1]);
    covey_remove_raw(world, e[COUNT - 1], type);
    assert_below(type, &of, e[COUNT - 1]);
    assert_below(type, &of, e[5]);
}

TYPE_TEST(test_below_trees) {
    scan of = scan_field(type, &fields[0], false);
    for (uint32_t round = 0; round < 10; round++) {
        uint32_t width = 1 + below(20);
        for (uint32_t i = 1; i < COUNT; i++) {
            relate(type, e[i], e[below(i < width ? i : width)]);
            if (below(3) == 0) relate(type, e[i], e[i - 1 - below(i < width ? i : width)]);
            if (below(9) == 0) covey_remove_raw(world, e[i], type);
        }
        for (uint32_t i = 0; i < COUNT; i += 7) assert_below(type, &of, e[i]);
    }
}

TYPE_TEST(test_below_circles) {
    scan of = scan_field(type, &fields[0], false);
    relate(type, e[0], e[0]);
    assert_found(covey_lookup_find_below(of.lookup, e[0]), NULL, 0);
    relate(type, e[1], e[0]);
    assert_found(covey_lookup_find_below(of.lookup, e[0]), &e[1], 1);
    for (uint32_t i = 0; i < 100; i++) relate(type, e[i], e[(i + 1) % 100]);
    for (uint32_t i = 100; i < COUNT; i++) relate(type, e[i], e[i % 10]);
    for (uint32_t i = 0; i < COUNT; i += 9) assert_below(type, &of, e[i]);
    relate(type, e[150], e[160]);
    relate(type, e[160], e[150]);
    assert_below(type, &of, e[150]);
    assert_below(type, &of, e[0]);
}

/* The entity that has the index of the target now is another one. */
TYPE_TEST(test_below_a_stale_target) {
    scan of = scan_field(type, &fields[0], false);
    covey_entity old = e[10];
    assert_true(covey_destroy(world, old));
    e[10] = covey_create_at(world, old.index);
    relate(type, e[4], old);
    relate(type, e[10], old);
    relate(type, e[3], e[10]);
    covey_entity wanted[] = { e[4], e[10], e[3] };
    assert_found(covey_lookup_find_below(of.lookup, old), wanted, 3);
    assert_found(covey_lookup_find_below(of.lookup, e[10]), &e[3], 1);
}

static bool is_below(const covey_type *type, covey_entity of, covey_entity root) {
    for (uint32_t steps = 0; steps < COUNT; steps++) {
        const Kinds *k = covey_get_raw(world, of, type);
        if (!k || !covey_alive(world, of)) return false;
        if (covey_same(k->target, root)) return true;
        of = k->target;
    }
    return false;
}

/* Whatever happens, a walk ends, and finds only what is below the target at that time. */
TYPE_TEST(test_the_world_may_change_while_a_walk_goes_on) {
    scan of = scan_field(type, &fields[0], false);
    for (uint32_t round = 0; round < 30; round++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            if (!covey_alive(world, e[i])) e[i] = covey_create(world);
            if (covey_is_null(e[i])) return; /* handles have run out in the hard configuration */
        }
        for (uint32_t i = 1; i < COUNT; i++) relate(type, e[i], e[below(i < 5 ? i : 5)]);
        covey_search search = covey_lookup_find_below(of.lookup, e[0]);
        uint32_t steps = 0;
        while (covey_search_next(&search)) {
            assert_true(++steps < COUNT);
            for (uint32_t i = 0; i < search.count; i++) assert_true(is_below(type, search.entities[i], e[0]));
            covey_entity last = search.entities[search.count - 1];
            switch (round % 5) {
            case 0: relate(type, last, e[COUNT - 1]); break;
            case 1: covey_remove_raw(world, last, type); break;
            case 2: covey_destroy(world, last); break;
            case 3:
                for (uint32_t i = 0; i < 5 && steps < 3; i++) relate(type, e[1 + below(COUNT - 1)], e[below(COUNT)]);
                break;
            case 4:
                for (uint32_t i = 0; i < 2; i++) covey_destroy(world, e[1 + below(COUNT - 1)]);
                break;
            }
        }
        assert_scanned(&of);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_what_is_refused_says_why),
        WORLD_TEST(test_a_type_that_the_world_refuses_has_no_lookup),
        WORLD_TEST(test_what_is_refused_of_a_place_says_why),
        WORLD_TEST(test_a_place_of_any_two_numbers),
        WORLD_TEST(test_a_drop_hook_does_not_find_the_entity_that_ends),
        WORLD_TEST(test_a_lookup_says_what_it_is_of),
        WORLD_TEST(test_a_world_says_which_lookups_it_has),
        WORLD_TEST(test_what_cannot_be_answered_finds_nothing),
        cmocka_unit_test(test_each_field_before_and_after_there_are_components),
        cmocka_unit_test(test_all_nan_are_one_value_that_is_in_no_range),
        cmocka_unit_test(test_minus_zero_is_zero),
        cmocka_unit_test(test_texts_of_every_length),
        cmocka_unit_test(test_a_range_from_a_text_that_is_too_long),
        cmocka_unit_test(test_targets_that_are_null_or_stale),
        cmocka_unit_test(test_ranges_without_bounds_and_without_entities),
        cmocka_unit_test(test_a_thousand_entities_are_found_in_several_steps),
        cmocka_unit_test(test_every_change_is_seen),
        cmocka_unit_test(test_changes_that_nobody_asks_about_until_later),
        cmocka_unit_test(test_a_lookup_without_entities_shrinks),
        cmocka_unit_test(test_questions_in_a_loop_over_spans),
        cmocka_unit_test(test_questions_in_a_loop_over_rows),
        cmocka_unit_test(test_questions_in_loops_one_in_another),
        cmocka_unit_test(test_questions_in_a_loop_after_others_were_left),
        cmocka_unit_test(test_what_a_loop_wrote_last_is_found_after_it_was_left),
        cmocka_unit_test(test_the_world_may_change_while_a_value_is_searched),
        cmocka_unit_test(test_the_world_may_change_while_a_range_is_searched),
        cmocka_unit_test(test_a_search_goes_on_after_everything_is_gone),
        cmocka_unit_test(test_below_chains),
        cmocka_unit_test(test_below_trees),
        cmocka_unit_test(test_below_circles),
        cmocka_unit_test(test_below_a_stale_target),
        cmocka_unit_test(test_the_world_may_change_while_a_walk_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
