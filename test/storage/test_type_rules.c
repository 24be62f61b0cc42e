/* The rules for types: each that is broken has a text of its own, which says what to do. */
#include "fixture.h"

#include <covey/fields.h>
#include <covey/image.h>

#include <stdio.h>

static void drop_nothing(void *value, void *context) {
    (void)value;
    (void)context;
}

static bool copy_nothing(void *to, const void *from, void *context) {
    (void)to;
    (void)from;
    (void)context;
    return true;
}

static void move_nothing(void *to, void *from, void *context) {
    (void)to;
    (void)from;
    (void)context;
}

#define FIELD(...)             \
    (const covey_field[]) {    \
        {                      \
            __VA_ARGS__, { 0 } \
        }                      \
    }
#define FIELDS(size, count, at) (&(const covey_fields){ size, count, at })

/* A struct of structs, so many deep. */
enum { DEEPEST = 9 };
static covey_fields deep[DEEPEST];
static covey_field deep_field[DEEPEST];
static const covey_fields *nested(uint32_t levels) {
    deep_field[0] = (covey_field){ "x", COVEY_KIND_U32, 0, 1, NULL, { 0 } };
    deep[0] = (covey_fields){ 4, 1, &deep_field[0] };
    for (uint32_t i = 1; i < levels; i++) {
        deep_field[i] = (covey_field){ "x", COVEY_KIND_NESTED, 0, 1, &deep[i - 1], { 0 } };
        deep[i] = (covey_fields){ 4, 1, &deep_field[i] };
    }
    return &deep[levels - 1];
}

static covey_field many[257];
static char many_names[257][4];
static const covey_fields *many_fields(void) {
    static const covey_fields fields = { 257, 257, many };
    for (uint32_t i = 0; i < COUNT_OF(many); i++) {
        many_names[i][0] = (char)('a' + i % 26);
        many_names[i][1] = (char)('a' + i / 26);
        many[i] = (covey_field){ many_names[i], COVEY_KIND_U8, i, 1, NULL, { 0 } };
    }
    return &fields;
}

typedef struct broken_rule {
    covey_type type;
    const char *text;
} broken_rule;

/* What the log gets of each way to meet a type is the name of the type, and the rule. */
static void assert_rule(const covey_type *type, const char *rule) {
    char text[256];
    covey_entity e = covey_create(world);
    snprintf(text, sizeof text, "type %s is refused: it %s", type->name ? type->name : "(no name)", rule);
    assert_null(covey_type_create(world, type));
    assert_failed(COVEY_ERROR_TYPE);
    assert_string_equal(heard.text, text);
    heard.text[0] = '\0';
    assert_null(covey_add_raw(world, e, type, NULL));
    assert_failed(COVEY_ERROR_TYPE);
    assert_string_equal(heard.text, text);
    heard.text[0] = '\0';
    assert_null(covey_resource_set_raw(world, type, NULL));
    assert_failed(COVEY_ERROR_TYPE);
    assert_string_equal(heard.text, text);
    snprintf(text, sizeof text, "a view could not be made: %s %s", type->name ? type->name : "(no name)", rule);
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { type } });
    assert_false(covey_view_valid(&view));
    assert_string_equal(heard.text, text);
    assert_int_equal(covey_world_pool_count(world), 0);
}

static void assert_rules(const broken_rule *rules, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) assert_rule(&rules[i].type, rules[i].text);
}

static void test_rules_of_names_layouts_and_storages_are_named(void **state) {
    (void)state;
    const broken_rule rules[] = {
        { { .size = 4, .align = 4 }, "has no name: set .name" },
        { { .name = "", .size = 4, .align = 4 }, "has no name: set .name" },
        { { .name = "covey.mine", .size = 4 },
          "has a name that begins with covey., which is reserved: choose another" },
        { { .name = "T", .size = 12, .align = 3 }, "has an .align that is no power of two up to 64: use alignof" },
        { { .name = "T", .size = 128, .align = 128 }, "has an .align that is no power of two up to 64: use alignof" },
        { { .name = "T", .size = 6, .align = 4 },
          "has a .size that is no multiple of its .align: use sizeof and alignof of one struct" },
        { { .name = "T", .size = 4, .policy = (covey_policy)4 },
          "has an unknown .policy: use a value of covey_policy" },
        { { .name = "T", .size = 4, .storage = (covey_storage)9 },
          "has an unknown .storage: use a value of covey_storage" },
        { { .name = "T", .size = 4, .storage = COVEY_STORAGE_BLOCK, .policy = COVEY_ORDERED },
          "has a .policy, which needs a sparse set: leave it out, or say .storage = COVEY_STORAGE_SPARSE" },
        { { .name = "T", .size = 4, .compact_above = 101 }, "has a .compact_above over 100: it is a percentage" },
    };
    assert_rules(rules, COUNT_OF(rules));
}

static void test_rules_of_tags_and_hooks_are_named(void **state) {
    (void)state;
    static const char zero[COVEY_MOVE_MAX + 1];
    static const covey_codec codec = { 0 };
    const char *hooks = "is a tag and has .drop, .copy or .move: leave hooks out";
    const char *copies = "has .defaults and .drop or .move, but no .copy: add the hook that copies the default";
    const broken_rule rules[] = {
        { { .name = "T", .drop = drop_nothing }, hooks },
        { { .name = "T", .copy = copy_nothing }, hooks },
        { { .name = "T", .move = move_nothing }, hooks },
        { { .name = "T", .zero_erased = true }, "is a tag and has .zero_erased: leave it out, there are no bytes" },
        { { .name = "T", .as_bytes = true }, "is a tag and has .as_bytes: leave it out, there are no bytes" },
        { { .name = "T", .codec = &codec }, "is a tag and has a .codec: leave it out, there is no value" },
        { { .name = "T", .defaults = zero }, "is a tag and has .defaults: leave them out, there is no value" },
        { { .name = "T", .size = COVEY_MOVE_MAX + 1, .move = move_nothing },
          "has a .move hook and more than COVEY_MOVE_MAX bytes: keep a large value behind a pointer" },
        { { .name = "T", .size = 4, .defaults = zero, .drop = drop_nothing }, copies },
        { { .name = "T", .size = 4, .defaults = zero, .move = move_nothing }, copies },
    };
    assert_rules(rules, COUNT_OF(rules));
}

static void test_rules_of_images_are_named(void **state) {
    (void)state;
    static const covey_codec codec = { 0 };
    const covey_fields *one = FIELDS(4, 1, FIELD("x", COVEY_KIND_U32, 0, 1, NULL));
    const char *hooked =
        "has .as_bytes and a hook, but its bytes are not all of its value: use .codec instead of .as_bytes";
    const broken_rule rules[] = {
        { { .name = "T", .size = 4, .as_bytes = true, .drop = drop_nothing }, hooked },
        { { .name = "T", .size = 4, .as_bytes = true, .copy = copy_nothing }, hooked },
        { { .name = "T", .size = 4, .as_bytes = true, .move = move_nothing }, hooked },
        { { .name = "T", .size = 4, .as_bytes = true, .fields = one }, "has .as_bytes and .fields: set one of them" },
        { { .name = "T", .size = 4, .as_bytes = true, .codec = &codec },
          "has .as_bytes and a .codec: set one of them" },
        { { .name = "T", .size = 4, .codec = &codec }, "has a .codec without .save or .load: set both" },
    };
    assert_rules(rules, COUNT_OF(rules));
}

static void test_rules_of_fields_are_named(void **state) {
    (void)state;
    const covey_field two[] = { { "x", COVEY_KIND_U32, 0, 1, NULL, { 0 } },
                                { "x", COVEY_KIND_U32, 4, 1, NULL, { 0 } } };
    const covey_field over[] = { { "x", COVEY_KIND_U32, 0, 1, NULL, { 0 } },
                                 { "y", COVEY_KIND_U32, 2, 1, NULL, { 0 } } };
    const char *nothing = "has .fields without any field: list the fields, or leave out .fields";
    const char *half = "has a field with only one of COVEY_KIND_NESTED and .nested: set both or none";
    const covey_fields *one = FIELDS(4, 1, FIELD("x", COVEY_KIND_U32, 0, 1, NULL));
    const struct {
        const covey_fields *fields;
        const char *text;
    } rules[] = {
        { FIELDS(4, 0, two), nothing },
        { many_fields(), "has more than 256 fields in a struct: nest some of them" },
        { nested(DEEPEST), "has structs nested more than 8 deep: flatten them" },
        { FIELDS(4, 1, FIELD(NULL, COVEY_KIND_U32, 0, 1, NULL)), "has a field without a name: set .name" },
        { FIELDS(4, 1, FIELD("", COVEY_KIND_U32, 0, 1, NULL)), "has a field without a name: set .name" },
        { FIELDS(4, 1, FIELD("x", (covey_kind)99, 0, 1, NULL)),
          "has a field of an unknown kind: use a value of covey_kind" },
        { FIELDS(4, 1, FIELD("x", COVEY_KIND_U32, 0, 0, NULL)),
          "has a field with a .count of 0: set it to 1 for a single value" },
        { FIELDS(4, 1, FIELD("x", COVEY_KIND_NESTED, 0, 1, NULL)), half },
        { FIELDS(4, 1, FIELD("x", COVEY_KIND_U32, 0, 1, one)), half },
        { FIELDS(8, 2, over), "has fields that overlap or are out of order: list them by .offset" },
        { FIELDS(8, 2, two), "has two fields with the same name: rename one" },
        { FIELDS(4, 1, FIELD("x", COVEY_KIND_U32, 1, 1, NULL)),
          "has a field that ends beyond its struct: check .offset and .count" },
    };
    for (uint32_t i = 0; i < COUNT_OF(rules); i++)
        assert_rule(&(covey_type){ .name = "T", .size = rules[i].fields->size, .fields = rules[i].fields },
                    rules[i].text);
    assert_rule(&(covey_type){ .name = "T", .size = 8, .fields = one },
                "has .fields of a struct whose size is not .size: describe the same struct");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_rules_of_names_layouts_and_storages_are_named),
        WORLD_TEST(test_rules_of_tags_and_hooks_are_named),
        WORLD_TEST(test_rules_of_images_are_named),
        WORLD_TEST(test_rules_of_fields_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
