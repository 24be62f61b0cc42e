/* Edits, and undoing them. */
#include "stage.h"

#include <stdio.h>
#include <stdlib.h>

static covey_entity e;

static void begin(void) {
    stage_types();
    e = covey_create(world);
}

/* Makes an edit. Returns its number for undo; 0: it cannot be undone. */
static int64_t edit(const char *body) {
    json_t *answer = ask_json("POST", "edit", body, 200);
    assert_true(json_is_true(member(answer, "ok")));
    int64_t number = json_integer_value(member(answer, "undo"));
    json_decref(answer);
    test_world_is_valid(world);
    return number;
}

static void undo(int64_t number) {
    char body[64];
    snprintf(body, sizeof body, "{\"undo\":%lld}", (long long)number);
    json_decref(ask_json("POST", "undo", body, 200));
    test_world_is_valid(world);
}

static void assert_not_undone(int64_t number, const char *code) {
    char body[64];
    snprintf(body, sizeof body, "{\"undo\":%lld}", (long long)number);
    assert_refused("POST", "undo", body, 409, code);
}

/* Asserts that an edit is refused, and changes nothing. */
static void assert_wrong(const char *body, int status, const char *code) {
    uint64_t before = world_digest(world);
    assert_refused("POST", "edit", body, status, code);
    assert_true(world_digest(world) == before);
}

/* ---- Values -------------------------------------------------------------------------------------------------------*/

static void test_a_value_is_set_and_taken_back(void **state) {
    (void)state;
    begin();
    covey_add(world, e, Position, { 1, 2 });
    int64_t first = edit("{\"do\":\"set\",\"e\":\"0:1\",\"type\":\"Position\",\"path\":\"x\",\"value\":5.5}");
    assert_true(covey_get(world, e, Position)->x == 5.5f && covey_get(world, e, Position)->y == 2);
    int64_t second = edit("{\"do\":\"set\",\"e\":\"0:1\",\"type\":\"Position\",\"value\":{\"y\":-1}}");
    assert_true(covey_get(world, e, Position)->x == 5.5f && covey_get(world, e, Position)->y == -1);
    undo(second);
    undo(first);
    assert_true(covey_get(world, e, Position)->x == 1 && covey_get(world, e, Position)->y == 2);
    assert_not_undone(first, "ABSENT");
    assert_not_undone(99, "ABSENT");
}

static void test_a_float_that_json_writes_as_an_integer_is_set_as_a_string(void **state) {
    (void)state;
    begin();
    covey_add(world, e, Position, { 1, 2 });
    edit("{\"do\":\"set\",\"e\":\"0:1\",\"type\":\"Position\",\"path\":\"x\",\"value\":\"100000000000000000000\"}");
    assert_true(covey_get(world, e, Position)->x == 1e20f);
    edit("{\"do\":\"set\",\"e\":\"0:1\",\"type\":\"Position\",\"path\":\"x\",\"value\":\"-3.4e+38\"}");
    assert_true(covey_get(world, e, Position)->x == -3.4e38f);
    json_t *wrong = ask_json("POST", "edit", "{\"value\":100000000000000000000}", 400);
    assert_non_null(strstr(text_of(member(wrong, "error"), "text"), "send it as a string, such as \"1e20\""));
    json_decref(wrong);
}

static void test_what_something_else_has_changed_is_not_taken_back(void **state) {
    (void)state;
    begin();
    covey_add(world, e, Position, { 1, 2 });
    int64_t number = edit("{\"do\":\"set\",\"e\":\"0:1\",\"type\":\"Position\",\"path\":\"x\",\"value\":5}");
    covey_get(world, e, Position)->x = 6;
    assert_not_undone(number, "CONFLICT");
    assert_true(covey_get(world, e, Position)->x == 6);
    covey_get(world, e, Position)->x = 5;
    covey_get(world, e, Position)->y = 7; /* another field */
    undo(number);
    assert_true(covey_get(world, e, Position)->x == 1 && covey_get(world, e, Position)->y == 7);
    number = edit("{\"do\":\"set\",\"e\":\"0:1\",\"type\":\"Position\",\"path\":\"x\",\"value\":5}");
    covey_remove(world, e, Position);
    assert_not_undone(number, "ABSENT");
    covey_destroy(world, e);
    assert_not_undone(number, "DEAD");
}

static void heard_set(const covey_event *event, void *context) {
    (void)event;
    ++*(int *)context;
}

static void test_who_listens_hears_of_an_edit(void **state) {
    (void)state;
    int times = 0;
    begin();
    covey_add(world, e, Health, { 1, 2, false, 0 });
    covey_connect(world, &(covey_listener){
                             .type = covey_id(Health), .signals = COVEY_ON_SET, .call = heard_set, .context = &times });
    covey_tick_advance(world);
    int64_t number = edit("{\"do\":\"set\",\"e\":\"0:1\",\"type\":\"Health\",\"path\":\"points\",\"value\":5}");
    assert_int_equal(times, 1);
    assert_int_equal(covey_changed_at(world, e, Health), 2);
    undo(number);
    assert_int_equal(times, 2);
}

/* Sets a field of Everything. Returns NULL if the edit is refused. */
static void set_field(const char *path, const char *value, const char *code) {
    char body[512];
    snprintf(body, sizeof body, "{\"do\":\"set\",\"e\":\"0:1\",\"type\":\"Everything\",\"path\":\"%s\",\"value\":%s}",
             path, value);
    if (code) assert_wrong(body, strcmp(code, "DEAD") == 0 ? 409 : 422, code);
    else {
        int64_t number = edit(body);
        json_t *answer = get_json_with("entities?limit=1&columns=Everything", "query", "#0", 200);
        json_decref(answer);
        undo(number);
        assert_int_equal(edit(body), number + 1);
    }
}

static void test_every_kind_of_field_is_checked_for_range(void **state) {
    (void)state;
    begin();
    Everything zero = { 0 };
    covey_add_value(world, e, Everything, &zero);
    static const struct {
        const char *path, *value, *code;
    } tries[] = {
        { "i8", "-128", NULL },
        { "i8", "127", NULL },
        { "i8", "-129", "VALUE" },
        { "i8", "128", "VALUE" },
        { "i8", "1.0", NULL },
        { "i8", "1.5", "VALUE" },
        { "i8", "true", "VALUE" },
        { "i8", "\"12\"", NULL },
        { "i8", "\"12x\"", "VALUE" },
        { "i8", "\"\"", "VALUE" },
        { "i8", "null", "VALUE" },
        { "i8", "[1]", "VALUE" },
        { "i8", "1e300", "VALUE" },
        { "i16", "-32768", NULL },
        { "i16", "32768", "VALUE" },
        { "i32", "-2147483648", NULL },
        { "i32", "2147483648", "VALUE" },
        { "i64", "\"-9223372036854775808\"", NULL },
        { "i64", "\"-9223372036854775809\"", "VALUE" },
        { "i64", "\"9223372036854775808\"", "VALUE" },
        { "i64", "9007199254740993", NULL },
        { "u8", "255", NULL },
        { "u8", "256", "VALUE" },
        { "u8", "-1", "VALUE" },
        { "u8", "-0.0", NULL },
        { "u16", "65535", NULL },
        { "u16", "65536", "VALUE" },
        { "u32", "4294967295", NULL },
        { "u32", "4294967296", "VALUE" },
        { "u64", "\"18446744073709551615\"", NULL },
        { "u64", "\"18446744073709551616\"", "VALUE" },
        { "u64", "\"-1\"", "VALUE" },
        { "f32", "0.1", NULL },
        { "f32", "3", NULL },
        { "f32", "1e39", "VALUE" },
        { "f32", "\"inf\"", NULL },
        { "f32", "\"-inf\"", NULL },
        { "f32", "\"nan\"", NULL },
        { "f32", "\"0x10\"", "VALUE" },
        { "f32", "\"much\"", "VALUE" },
        { "f32", "\"1.5\"", NULL },
        { "f32", "\" 1\"", "VALUE" },
        { "f64", "1e308", NULL },
        { "boolean", "true", NULL },
        { "boolean", "1", "VALUE" },
        { "letter", "\"x\"", NULL },
        { "letter", "\"\"", NULL },
        { "letter", "\"xy\"", "VALUE" },
        { "letter", "5", "VALUE" },
        { "text", "\"short\"", NULL },
        { "text", "\"14 characters.\"", NULL },
        { "text", "\"15 characters..\"", "VALUE" },
        { "text", "7", "VALUE" },
        { "text[3]", "\"x\"", NULL },
        { "owner", "\"0:1\"", NULL },
        { "owner", "null", NULL },
        { "owner", "\"0:3\"", "DEAD" },
        { "owner", "\"zero\"", "VALUE" },
        { "owner", "0", "VALUE" },
        { "part.count", "9", NULL },
        { "part", "{\"count\":3}", NULL },
        { "part", "{\"count\":-3}", "VALUE" },
        { "part", "{\"nothing\":3}", "VALUE" },
        { "part", "{\"unused\":3}", "VALUE" },
        { "part", "3", "VALUE" },
        { "parts[2].kind", "-3", NULL },
        { "parts", "[{},{\"kind\":1},{}]", NULL },
        { "parts", "[{},{}]", "VALUE" },
        { "grid", "[1,2,3,4]", NULL },
        { "grid[2]", "5", NULL },
        { "grid", "[1,2,3]", "VALUE" },
        { "grid", "[1,2,3,\"x\"]", "VALUE" },
        { "", "{\"i8\":1,\"part\":{\"kind\":2},\"text\":\"a\"}", NULL },
        { "", "{\"i8\":1,\"i16\":100000}", "VALUE" },
        { "", "7", "VALUE" },
        { "", "{\"part.count\":1}", "VALUE" },
        { "secret", "1", "PATH" },
        { "parts[3].kind", "1", "PATH" },
        { "parts.kind", "1", "PATH" },
        { "nothing", "1", "PATH" },
        { "i8.x", "1", "PATH" },
        { ".i8", "1", "PATH" },
        { "i8.", "1", "PATH" },
        { "[0]", "1", "PATH" },
        { "grid[", "1", "PATH" },
        { "grid[99999999999999999999]", "1", "PATH" },
    };
    for (uint32_t i = 0; i < COUNT_OF(tries); i++) set_field(tries[i].path, tries[i].value, tries[i].code);
    const Everything *now = covey_get(world, e, Everything);
    assert_int_equal(now->i8, 1);
    assert_int_equal(now->i64, 9007199254740993);
    assert_true(now->u64 == UINT64_MAX);
    assert_true(now->f32 == 1.5f);
    assert_string_equal(now->text, "a");
    assert_int_equal(now->parts[2].kind, -3);
    assert_true(now->grid[1][0] == 5);
}

static void test_bytes_are_written_only_where_a_type_says_so(void **state) {
    (void)state;
    begin();
    covey_add(world, e, Blob, { { 1, 2, 3 } });
    covey_add_raw(world, e, &odd_name, NULL);
    int64_t number = edit("{\"do\":\"set\",\"e\":\"0:1\",\"type\":\"Blob\",\"value\":\"FFFFFFFF0000000001010101\"}");
    assert_true(covey_get(world, e, Blob)->bytes[0] == UINT32_MAX && covey_get(world, e, Blob)->bytes[2] == 0x01010101);
    undo(number);
    assert_true(covey_get(world, e, Blob)->bytes[0] == 1 && covey_get(world, e, Blob)->bytes[2] == 3);
    assert_wrong("{\"do\":\"set\",\"e\":\"0:1\",\"type\":\"Blob\",\"value\":\"FFFFFFFF00000000010101\"}", 422, "VALUE");
    assert_wrong("{\"do\":\"set\",\"e\":\"0:1\",\"type\":\"Blob\",\"value\":\"FFFFFFFF000000000101010x\"}", 422,
                 "VALUE");
    assert_wrong("{\"do\":\"set\",\"e\":\"0:1\",\"type\":\"Blob\",\"value\":5}", 422, "VALUE");
    assert_wrong("{\"do\":\"set\",\"e\":\"0:1\",\"type\":\"a \\\"type\\\".x\",\"value\":\"00000000\"}", 422, "TYPE");
}

/* A type without components. */
typedef struct {
    float gravity;
} Sky;
COVEY_FIELDS_DEFINE(Sky, f32(gravity));
COVEY_COMPONENT_DEFINE(Sky, .fields = &covey_fields_Sky);

static void test_resources_are_set_whose_type_has_no_pool(void **state) {
    (void)state;
    begin();
    assert_non_null(covey_resource_set(world, Sky, { 9.5f }));
    int64_t number = edit("{\"do\":\"resource\",\"type\":\"Sky\",\"path\":\"gravity\",\"value\":1.5}");
    assert_true(covey_resource_get(world, Sky)->gravity == 1.5f);
    undo(number);
    assert_true(covey_resource_get(world, Sky)->gravity == 9.5f);
}

static void test_resources_are_set(void **state) {
    (void)state;
    begin();
    assert_non_null(covey_resource_set(world, Position, { 3, 4 }));
    int64_t number = edit("{\"do\":\"resource\",\"type\":\"Position\",\"path\":\"y\",\"value\":9}");
    assert_true(covey_resource_get(world, Position)->y == 9);
    undo(number);
    assert_true(covey_resource_get(world, Position)->y == 4);
    assert_wrong("{\"do\":\"resource\",\"type\":\"Health\",\"path\":\"points\",\"value\":9}", 409, "ABSENT");
    assert_wrong("{\"do\":\"resource\",\"type\":\"Position\",\"path\":\"z\",\"value\":9}", 422, "PATH");
}

/* ---- Components ---------------------------------------------------------------------------------------------------*/

static void test_components_are_added_and_removed(void **state) {
    (void)state;
    begin();
    int64_t added = edit("{\"do\":\"add\",\"e\":\"0:1\",\"type\":\"Position\",\"value\":{\"x\":3}}");
    assert_true(covey_get(world, e, Position)->x == 3 && covey_get(world, e, Position)->y == 0);
    assert_wrong("{\"do\":\"add\",\"e\":\"0:1\",\"type\":\"Position\"}", 409, "PRESENT");
    undo(added);
    assert_false(covey_has(world, e, Position));
    assert_wrong("{\"do\":\"add\",\"e\":\"0:1\",\"type\":\"Position\",\"value\":{\"x\":\"far\"}}", 422, "VALUE");
    assert_wrong("{\"do\":\"remove\",\"e\":\"0:1\",\"type\":\"Position\"}", 409, "ABSENT");
    edit("{\"do\":\"add\",\"e\":\"0:1\",\"type\":\"Frozen\"}");
    int64_t removed = edit("{\"do\":\"remove\",\"e\":\"0:1\",\"type\":\"Frozen\"}");
    assert_false(covey_has(world, e, Frozen));
    undo(removed);
    assert_true(covey_has(world, e, Frozen));
    covey_add(world, e, Health, { 5, 6, true, 0 });
    covey_component_disable(world, e, Health);
    removed = edit("{\"do\":\"remove\",\"e\":\"0:1\",\"type\":\"Health\"}");
    undo(removed);
    assert_int_equal(covey_get(world, e, Health)->points, 5);
    assert_false(covey_component_is_enabled(world, e, Health));
    removed = edit("{\"do\":\"remove\",\"e\":\"0:1\",\"type\":\"Health\"}");
    covey_add(world, e, Health, { 7, 7, true, 0 });
    assert_not_undone(removed, "PRESENT");
}

static void test_a_value_that_owns_something_does_not_come_back(void **state) {
    (void)state;
    begin();
    named_alive = 1;
    Named named = { calloc(1, 4) };
    covey_add_value(world, e, Named, &named);
    assert_wrong("{\"do\":\"set\",\"e\":\"0:1\",\"type\":\"Named\",\"value\":\"0000000000000000\"}", 422, "TYPE");
    assert_int_equal(edit("{\"do\":\"remove\",\"e\":\"0:1\",\"type\":\"Named\"}"), 0);
    assert_int_equal(named_alive, 0);
    assert_true(edit("{\"do\":\"add\",\"e\":\"0:1\",\"type\":\"Named\"}") != 0);
    assert_null(covey_get(world, e, Named)->text);
}

static void test_entities_and_components_are_disabled(void **state) {
    (void)state;
    begin();
    covey_add(world, e, Position, { 1, 2 });
    int64_t off = edit("{\"do\":\"disable\",\"e\":\"0:1\"}");
    assert_false(covey_is_enabled(world, e));
    assert_int_equal(edit("{\"do\":\"disable\",\"e\":\"0:1\"}"), 0); /* it is disabled already */
    undo(off);
    assert_true(covey_is_enabled(world, e));
    off = edit("{\"do\":\"disable\",\"e\":\"0:1\",\"type\":\"Position\"}");
    assert_false(covey_component_is_enabled(world, e, Position));
    int64_t on = edit("{\"do\":\"enable\",\"e\":\"0:1\",\"type\":\"Position\"}");
    assert_not_undone(off, "CONFLICT");
    undo(on);
    assert_false(covey_component_is_enabled(world, e, Position));
    undo(off);
    assert_true(covey_component_is_enabled(world, e, Position));
    assert_wrong("{\"do\":\"disable\",\"e\":\"0:1\",\"type\":\"Health\"}", 409, "ABSENT");
}

/* ---- Entities -----------------------------------------------------------------------------------------------------*/

static void test_an_entity_is_duplicated_with_all_below_it(void **state) {
    (void)state;
    begin();
    covey_entity tank = covey_create(world), gun = covey_create(world), copy, gun_copy;
    covey_parent_set(world, tank, e);
    covey_parent_set(world, gun, tank);
    covey_name_set(world, tank, "tank");
    covey_name_set(world, gun, "gun");
    covey_add(world, tank, Position, { 1, 2 });
    covey_add(world, gun, Everything, { .owner = tank });
    covey_add(world, tank, Everything, { .owner = e });
    covey_component_disable(world, tank, Position);
    json_t *answer = ask_json("POST", "edit", "{\"do\":\"duplicate\",\"e\":\"1:1\"}", 200);
    unsigned index = 0, generation = 0;
    assert_int_equal(sscanf(text_of(answer, "e"), "%u:%u", &index, &generation), 2);
    copy = covey_entity_make(index, generation);
    assert_true(json_is_null(member(answer, "undo")));
    json_decref(answer);
    test_world_is_valid(world);
    assert_int_equal(covey_entity_count(world), 5);
    assert_false(covey_same(copy, tank));
    assert_true(covey_same(covey_parent(world, copy), e));
    assert_null(covey_name(world, copy));
    assert_string_equal(covey_name(world, tank), "tank");
    assert_true(covey_get(world, copy, Position)->x == 1 && covey_get(world, copy, Position)->y == 2);
    assert_false(covey_component_is_enabled(world, copy, Position));
    gun_copy = covey_child_first(world, copy);
    assert_string_equal(covey_name(world, gun_copy), "gun");
    assert_true(covey_same(covey_get(world, gun_copy, Everything)->owner, copy)); /* of the copy, not of the original */
    assert_true(covey_same(covey_get(world, copy, Everything)->owner, e));
    edit("{\"do\":\"duplicate\",\"e\":\"0:1\"}"); /* a root */
    assert_int_equal(covey_entity_count(world), 10);
    assert_wrong("{\"do\":\"duplicate\",\"e\":\"99:1\"}", 409, "DEAD");
    assert_wrong("{\"do\":\"duplicate\"}", 422, "ARGUMENT");
    covey_entity large = covey_create(world); /* one poll makes the copy */
    for (int i = 0; i < 9999; i++) {
        covey_entity below = covey_create(world);
        if (covey_is_null(below) || covey_parent_set(world, below, large) != COVEY_OK) return; /* few indices */
    }
    char body[64];
    snprintf(body, sizeof body, "{\"do\":\"duplicate\",\"e\":\"%u:%u\"}", large.index, large.generation);
    edit(body);
    covey_parent_set(world, covey_create(world), large);
    assert_wrong(body, 422, "LIMIT");
}

static void test_entities_are_created_and_destroyed(void **state) {
    (void)state;
    begin();
    json_t *answer = ask_json("POST", "edit", "{\"do\":\"create\",\"name\":\"tank\",\"parent\":\"0:1\"}", 200);
    assert_string_equal(text_of(answer, "e"), "1:1");
    json_decref(answer);
    assert_string_equal(covey_name(world, covey_child_first(world, e)), "tank");
    assert_int_equal(edit("{\"do\":\"create\"}"), 0);
    assert_int_equal(covey_entity_count(world), 3);
    assert_refused("POST", "edit", "{\"do\":\"create\",\"name\":\"tank\",\"parent\":\"0:1\"}", 409, "PRESENT");
    assert_refused("POST", "edit", "{\"do\":\"create\",\"name\":\"a/b\"}", 409, "RANGE");
    assert_wrong("{\"do\":\"create\",\"parent\":\"0:3\"}", 409, "DEAD");
    assert_wrong("{\"do\":\"create\",\"name\":5}", 422, "VALUE");
    assert_wrong("{\"do\":\"create\",\"name\":\"a\\u0000b\"}", 400, "JSON");
    assert_int_equal(covey_entity_count(world), 3);
    edit("{\"do\":\"destroy\",\"e\":\"2:1\"}");
    assert_wrong("{\"do\":\"destroy\",\"e\":\"2:1\"}", 409, "DEAD");
    edit("{\"do\":\"destroy\",\"e\":\"0:1\",\"tree\":true}");
    assert_int_equal(covey_entity_count(world), 0);
}

static void test_entities_are_renamed(void **state) {
    (void)state;
    begin();
    int64_t first = edit("{\"do\":\"rename\",\"e\":\"0:1\",\"name\":\"tank\"}");
    int64_t second = edit("{\"do\":\"rename\",\"e\":\"0:1\",\"name\":\"tree\"}");
    assert_string_equal(covey_name(world, e), "tree");
    assert_not_undone(first, "CONFLICT");
    undo(second);
    assert_string_equal(covey_name(world, e), "tank");
    undo(first);
    assert_null(covey_name(world, e));
    covey_name_set(world, covey_create(world), "taken");
    assert_wrong("{\"do\":\"rename\",\"e\":\"0:1\",\"name\":\"taken\"}", 409, "PRESENT");
    assert_wrong("{\"do\":\"rename\",\"e\":\"0:1\",\"name\":\"..\"}", 409, "RANGE");
    edit("{\"do\":\"rename\",\"e\":\"0:1\",\"name\":\"\xc3\xa4 <b>\"}");
    assert_string_equal(covey_name(world, e), "\xc3\xa4 <b>");
    edit("{\"do\":\"rename\",\"e\":\"0:1\",\"name\":null}");
    assert_null(covey_name(world, e));
}

static void test_entities_get_other_parents(void **state) {
    (void)state;
    begin();
    covey_entity a = covey_create(world), b = covey_create(world), c = covey_create(world);
    covey_parent_set(world, a, e);
    covey_parent_set(world, b, e);
    int64_t number = edit("{\"do\":\"parent\",\"e\":\"1:1\",\"parent\":\"3:1\"}");
    assert_same(covey_parent(world, a), c);
    undo(number);
    assert_same(covey_parent(world, a), e);
    assert_same(covey_child_first(world, e), a); /* before its sibling again */
    number = edit("{\"do\":\"parent\",\"e\":\"1:1\",\"parent\":null}");
    assert_no_entity(covey_parent(world, a));
    covey_parent_set(world, a, b);
    assert_not_undone(number, "CONFLICT");
    assert_wrong("{\"do\":\"parent\",\"e\":\"0:1\",\"parent\":\"1:1\"}", 409, "CYCLE");
    assert_wrong("{\"do\":\"parent\",\"e\":\"0:1\",\"parent\":\"9:1\"}", 409, "DEAD");
    assert_wrong("{\"do\":\"parent\",\"e\":\"0:1\",\"parent\":7}", 422, "ARGUMENT");
}

/* ---- Several entities at once ------------------------------------------------------------------------------------*/

static covey_entity crowd[4]; /* 1 to 4; the third has no Health */

static void make_crowd(void) {
    begin();
    for (uint32_t i = 0; i < 4; i++) crowd[i] = covey_create(world);
    for (uint32_t i = 0; i < 4; i++)
        if (i != 2) covey_add(world, crowd[i], Health, { (int32_t)i, 0, false, 0 });
}

static int32_t points_of(uint32_t i) { return covey_get(world, crowd[i], Health)->points; }

/* Makes an edit of several entities, of which it leaves some. Returns its number for undo. */
static int64_t edit_several(const char *body, int64_t done, int64_t left) {
    json_t *answer = ask_json("POST", "edit", body, 200);
    assert_int_equal(number_of(answer, "done"), done);
    assert_int_equal(number_of(answer, "left"), left);
    int64_t number = json_integer_value(member(answer, "undo"));
    json_decref(answer);
    test_world_is_valid(world);
    return number;
}

static void test_several_entities_are_edited_and_taken_back_at_once(void **state) {
    (void)state;
    make_crowd();
    static const char set[] = "{\"do\":\"set\",\"e\":[\"1:1\",\"2:1\",\"3:1\",\"4:1\",\"0:2\"],\"type\":\"Health\","
                              "\"path\":\"points\",\"value\":50}";
    int64_t number = edit_several(set, 3, 2);
    assert_int_equal(points_of(0), 50);
    assert_int_equal(points_of(1), 50);
    assert_int_equal(points_of(3), 50);
    assert_false(covey_has(world, crowd[2], Health));
    undo(number);
    assert_int_equal(points_of(0), 0);
    assert_int_equal(points_of(1), 1);
    assert_int_equal(points_of(3), 3);
    assert_not_undone(number, "ABSENT");
    number = edit_several("{\"do\":\"add\",\"e\":[\"1:1\",\"2:1\",\"3:1\"],\"type\":\"Frozen\"}", 3, 0);
    assert_true(covey_has(world, crowd[2], Frozen));
    undo(number);
    assert_false(covey_has(world, crowd[2], Frozen));
    number = edit_several("{\"do\":\"remove\",\"e\":[\"1:1\",\"2:1\"],\"type\":\"Health\"}", 2, 0);
    undo(number);
    assert_int_equal(points_of(1), 1);
    number = edit_several("{\"do\":\"parent\",\"e\":[\"1:1\",\"2:1\"],\"parent\":\"0:1\"}", 2, 0);
    assert_int_equal(covey_child_count(world, e), 2);
    undo(number);
    assert_int_equal(covey_child_count(world, e), 0);
    number = edit_several("{\"do\":\"disable\",\"e\":[\"1:1\",\"2:1\"]}", 2, 0);
    assert_int_equal(edit_several("{\"do\":\"disable\",\"e\":[\"1:1\",\"2:1\"]}", 2, 0), 0); /* they are already */
    undo(number);
    assert_true(covey_is_enabled(world, crowd[0]));
    assert_int_equal(edit_several("{\"do\":\"destroy\",\"e\":[\"1:1\",\"2:1\",\"1:1\"]}", 2, 1), 0);
    assert_false(covey_alive(world, crowd[1]));
}

/* Undoing leaves the entities that something else has changed since. */
static void test_several_are_taken_back_as_far_as_nothing_else_has_changed_them(void **state) {
    (void)state;
    make_crowd();
    static const char set[] = "{\"do\":\"set\",\"e\":[\"1:1\",\"2:1\",\"4:1\"],\"type\":\"Health\",\"path\":\"points\","
                              "\"value\":50}";
    int64_t number = edit_several(set, 3, 0);
    covey_destroy(world, crowd[0]);
    covey_get(world, crowd[1], Health)->points = 7;
    char body[64];
    snprintf(body, sizeof body, "{\"undo\":%lld}", (long long)number);
    json_t *answer = ask_json("POST", "undo", body, 200);
    assert_int_equal(number_of(answer, "left"), 2);
    json_decref(answer);
    assert_int_equal(points_of(1), 7);
    assert_int_equal(points_of(3), 3);
    number = edit_several(set, 2, 1);
    covey_destroy(world, crowd[1]);
    covey_destroy(world, crowd[3]);
    assert_not_undone(number, "DEAD");
}

static void test_what_is_no_edit_of_several_is_refused(void **state) {
    (void)state;
    make_crowd();
    assert_wrong("{\"do\":\"destroy\",\"e\":[]}", 422, "LIMIT");
    assert_wrong("{\"do\":\"destroy\",\"e\":[\"0:2\",\"1:2\"]}", 409, "DEAD");
    assert_wrong("{\"do\":\"destroy\",\"e\":[7,null]}", 422, "ARGUMENT");
    assert_wrong("{\"do\":\"duplicate\",\"e\":[\"1:1\"]}", 422, "ARGUMENT");
    assert_wrong("{\"do\":\"rename\",\"e\":[\"1:1\"],\"name\":\"x\"}", 422, "ARGUMENT");
    assert_wrong("{\"do\":\"set\",\"e\":[\"1:1\",\"2:1\"],\"type\":\"Health\",\"path\":\"points\",\"value\":\"x\"}",
                 422, "VALUE");
    char body[8192] = "{\"do\":\"enable\",\"e\":[";
    for (int i = 0; i < 501; i++) strcat(body, i == 0 ? "\"1:1\"" : ",\"1:1\"");
    strcat(body, "]}");
    assert_wrong(body, 422, "LIMIT");
}

/* ---- Requests -----------------------------------------------------------------------------------------------------*/

static void test_what_is_no_edit_is_refused(void **state) {
    (void)state;
    begin();
    assert_wrong("{}", 422, "ARGUMENT");
    assert_wrong("{\"do\":\"explode\"}", 422, "ARGUMENT");
    assert_wrong("{\"do\":5}", 422, "ARGUMENT");
    assert_wrong("[]", 400, "JSON");
    assert_wrong("5", 400, "JSON");
    assert_wrong("", 400, "JSON");
    assert_wrong("{\"do\":\"set\"", 400, "JSON");
    assert_wrong("{\"do\":\"set\",\"do\":\"add\"}", 400, "JSON");
    assert_wrong("{\"do\":\"destroy\"} {}", 400, "JSON");
    assert_wrong("{\"do\":\"destroy\",\"e\":\"\xff\"}", 400, "JSON");
    assert_wrong("{\"do\":\"destroy\"}", 422, "ARGUMENT");
    assert_wrong("{\"do\":\"destroy\",\"e\":null}", 422, "ARGUMENT");
    assert_wrong("{\"do\":\"destroy\",\"e\":\"null\"}", 422, "ARGUMENT");
    assert_wrong("{\"do\":\"destroy\",\"e\":\"0\"}", 422, "ARGUMENT");
    assert_wrong("{\"do\":\"destroy\",\"e\":\"0:2\"}", 409, "DEAD");
    assert_wrong("{\"do\":\"destroy\",\"e\":\"99999999999:1\"}", 422, "ARGUMENT");
    assert_wrong("{\"do\":\"add\",\"e\":\"0:1\"}", 422, "ARGUMENT");
    assert_wrong("{\"do\":\"add\",\"e\":\"0:1\",\"type\":\"Nothing\"}", 422, "TYPE");
    assert_wrong("{\"do\":\"add\",\"e\":\"0:1\",\"type\":\"covey.disabled\"}", 422, "TYPE");
    assert_refused("POST", "undo", "{\"undo\":\"1\"}", 422, "ARGUMENT");
    assert_refused("POST", "undo", "{\"undo\":-1}", 422, "ARGUMENT");
    assert_refused("POST", "undo", "{}", 422, "ARGUMENT");
}

static void test_nobody_edits_without_write(void **state) {
    (void)state;
    begin();
    inspect_close();
    inspect_open(&(covey_inspect_desc){ 0 });
    assert_wrong("{\"do\":\"destroy\",\"e\":\"0:1\"}", 403, "READ_ONLY");
    assert_refused("POST", "undo", "{\"undo\":1}", 403, "READ_ONLY");
}

static void test_old_edits_are_forgotten(void **state) {
    (void)state;
    begin();
    covey_add(world, e, Health, { 0, 0, false, 0 });
    int64_t first = edit("{\"do\":\"set\",\"e\":\"0:1\",\"type\":\"Health\",\"path\":\"points\",\"value\":1}"),
            last = 0;
    for (int i = 2; i < 80; i++) {
        char body[128];
        snprintf(body, sizeof body,
                 "{\"do\":\"set\",\"e\":\"0:1\",\"type\":\"Health\",\"path\":\"points\",\"value\":%d}", i);
        last = edit(body);
    }
    assert_not_undone(first, "ABSENT");
    assert_not_undone(last - 64, "ABSENT");
    for (int64_t i = last; i > last - 64; i--) undo(i);
    assert_int_equal(covey_get(world, e, Health)->points, 79 - 64);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        INSPECT_TEST(test_a_value_is_set_and_taken_back),
        INSPECT_TEST(test_a_float_that_json_writes_as_an_integer_is_set_as_a_string),
        INSPECT_TEST(test_what_something_else_has_changed_is_not_taken_back),
        INSPECT_TEST(test_who_listens_hears_of_an_edit),
        INSPECT_TEST(test_every_kind_of_field_is_checked_for_range),
        INSPECT_TEST(test_bytes_are_written_only_where_a_type_says_so),
        INSPECT_TEST(test_resources_are_set),
        INSPECT_TEST(test_resources_are_set_whose_type_has_no_pool),
        INSPECT_TEST(test_components_are_added_and_removed),
        INSPECT_TEST(test_a_value_that_owns_something_does_not_come_back),
        INSPECT_TEST(test_entities_and_components_are_disabled),
        INSPECT_TEST(test_an_entity_is_duplicated_with_all_below_it),
        INSPECT_TEST(test_entities_are_created_and_destroyed),
        INSPECT_TEST(test_entities_are_renamed),
        INSPECT_TEST(test_entities_get_other_parents),
        INSPECT_TEST(test_several_entities_are_edited_and_taken_back_at_once),
        INSPECT_TEST(test_several_are_taken_back_as_far_as_nothing_else_has_changed_them),
        INSPECT_TEST(test_what_is_no_edit_of_several_is_refused),
        INSPECT_TEST(test_what_is_no_edit_is_refused),
        INSPECT_TEST(test_nobody_edits_without_write),
        INSPECT_TEST(test_old_edits_are_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
