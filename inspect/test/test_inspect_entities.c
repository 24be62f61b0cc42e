/* Queries, lists, trees, single entities, resources and values. */
#include "stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Six entities: 0 and 1 stand, 2 moves nowhere, 3 is frozen, 4 is disabled, 5 has no components. */
static covey_entity crowd[6];

static void make_crowd(void) {
    stage_types();
    assert_true(covey_create_many(world, crowd, 6));
    for (uint32_t i = 0; i < 5; i++) covey_add(world, crowd[i], Position, { (float)i, -0.5f * (float)i });
    for (uint32_t i = 1; i < 4; i++)
        covey_add(world, crowd[i], Health, { (int32_t)i * 10 - 20, (uint8_t)(250 + i), i == 2, 0 });
    covey_add_tag(world, crowd[3], Frozen);
    covey_disable(world, crowd[4]);
    covey_name_set(world, crowd[0], "tank");
    covey_name_set(world, crowd[1], "red Tank 01");
    covey_name_set(world, crowd[2], "tree");
    covey_parent_set(world, crowd[1], crowd[0]);
    covey_parent_set(world, crowd[3], crowd[0]);
}

/* ---- Queries ------------------------------------------------------------------------------------------------------*/

static void test_queries_for_components(void **state) {
    (void)state;
    make_crowd();
    stage_assert_found("", "0 1 2 3 4 5");
    stage_assert_found("  ", "0 1 2 3 4 5");
    stage_assert_found("Position", "0 1 2 3 4");
    stage_assert_found("!Position", "5");
    stage_assert_found("Position, Health", "1 2 3");
    stage_assert_found("Position,!Health", "0 4");
    stage_assert_found(" Position ,Health, ! Frozen ", "1 2");
    stage_assert_found("Frozen", "3");
    stage_assert_found("Frozen|Health", "1 2 3");
    stage_assert_found("!Frozen | Health", "0 4 5");
    stage_assert_found("?Health, Frozen", "3");
    stage_assert_found("?Frozen", "0 1 2 3 4 5");
    stage_assert_found("Everything", "");
    stage_assert_found("disabled", "4");
    stage_assert_found("!disabled, Position", "0 1 2 3");
    stage_assert_found("\"Position\", Health", "1 2 3");
}

static void test_queries_for_values(void **state) {
    (void)state;
    make_crowd();
    stage_assert_found("Position.x < 2", "0 1");
    stage_assert_found("Position.x <= 2", "0 1 2");
    stage_assert_found("Position.x>2", "3 4");
    stage_assert_found("Position.x >= 2.5", "3 4");
    stage_assert_found("Position.y == -0.5", "1");
    stage_assert_found("Position.y = -5e-1", "1");
    stage_assert_found("Position.x != 2, Health", "1 3");
    stage_assert_found("Health.points < 0", "1");
    stage_assert_found("Health.points < -10.5", "");
    stage_assert_found("Health.points > -10.5", "1 2 3");
    stage_assert_found("Health.armour >= 252", "2 3");
    stage_assert_found("Health.armour > -1", "1 2 3");
    stage_assert_found("Health.armour < 18446744073709551615", "1 2 3");
    stage_assert_found("Health.cursed == true", "2");
    stage_assert_found("Health.cursed != true", "1 3");
    stage_assert_found("\"Position\".x == 3", "3");
}

static void test_queries_for_every_kind_of_field(void **state) {
    (void)state;
    make_crowd();
    Everything all = { -1,
                       -2,
                       -3,
                       INT64_MIN,
                       1,
                       2,
                       3,
                       UINT64_MAX,
                       0.1f,
                       0.1,
                       true,
                       'q',
                       "a text",
                       crowd[2],
                       { 7, -7, 0 },
                       { { 1, 1, 0 }, { 2, 2, 0 }, { 3, 3, 0 } },
                       { { 1, 2 }, { 3, 4 } },
                       NULL };
    covey_add_value(world, crowd[5], Everything, &all);
    static const char *const right[] = { "i8 == -1",
                                         "i16 < -1",
                                         "i32 <= -3",
                                         "i64 == -9223372036854775808",
                                         "i64 < -9223372036854775807",
                                         "u8 = 1",
                                         "u16 > 1",
                                         "u32 >= 3",
                                         "u64 == 18446744073709551615",
                                         "u64 > 18446744073709551614",
                                         "f32 == 0.1",
                                         "f64 == 0.1",
                                         "f64 != 0.10001",
                                         "boolean == true",
                                         "boolean != false",
                                         "letter == \"q\"",
                                         "letter != \"r\"",
                                         "text == \"a text\"",
                                         "text != \"a\"",
                                         "text ~ \"TEXT\"",
                                         "text ~ \"text a\"",
                                         "owner == 2:1",
                                         "owner = \"2:1\"",
                                         "owner != null",
                                         "part.count == 7",
                                         "part.kind < 0",
                                         "parts[0].count == 1",
                                         "parts[2].kind == 3",
                                         "grid[3] == 4" };
    static const char *const wrong[] = { "i8 == 255",           "i64 > 0",           "u64 < 0",         "u64 == -1",
                                         "f32 > 0.1",           "boolean == false",  "letter == \"Q\"", "text == \"a\"",
                                         "text ~ \"texts\"",    "text ~ \"b text\"", "owner == 3:1",    "owner == null",
                                         "parts[1].count != 2", "grid[0] != 1" };
    char query[128];
    for (uint32_t i = 0; i < COUNT_OF(right); i++) {
        snprintf(query, sizeof query, "Everything.%s", right[i]);
        stage_assert_found(query, "5");
    }
    for (uint32_t i = 0; i < COUNT_OF(wrong); i++) {
        snprintf(query, sizeof query, "Everything.%s", wrong[i]);
        stage_assert_found(query, "");
    }
}

static void test_queries_for_names(void **state) {
    (void)state;
    make_crowd();
    stage_assert_found("name", "0 1 2");
    stage_assert_found("!name", "3 4 5");
    stage_assert_found("name == \"tank\"", "0");
    stage_assert_found("name = \"Tank\"", "");
    stage_assert_found("name != \"tank\"", "1 2 3 4 5");
    stage_assert_found("name ~ \"tank\"", "0 1");
    stage_assert_found("name ~ \"01 RED\"", "1");
    covey_name_set(world, crowd[5], "say \"hi\" \\o");
    stage_assert_found("name == \"say \\\"hi\\\" \\\\o\"", "5");
}

static void test_queries_for_parents_and_single_entities(void **state) {
    (void)state;
    make_crowd();
    stage_assert_found("parent = 0:1", "1 3");
    stage_assert_found("parent == \"0:1\", Frozen", "3");
    stage_assert_found("parent", "1 3");
    stage_assert_found("!parent", "0 2 4 5");
    stage_assert_found("parent = null", "0 2 4 5");
    stage_assert_found("parent != null", "1 3");
    stage_assert_found("root", "0 2");
    stage_assert_found("#3", "3");
    stage_assert_found("#3:1", "3");
    stage_assert_found("#3:1, !Frozen", "");
    stage_assert_found("#900", "");
    covey_destroy(world, crowd[2]);
    crowd[2] = covey_create(world);
    stage_assert_found("#2:1", "");
    stage_assert_found("#2", "2");
    stage_assert_found("#2:3", "2");
}

static void test_what_is_wrong_with_a_query_is_said_where_it_is(void **state) {
    (void)state;
    make_crowd();
    stage_assert_wrong("Posiiton", 0, 8);
    stage_assert_wrong("Position, Velocity", 10, 8);
    stage_assert_wrong("Position.z < 1", 9, 1);
    stage_assert_wrong("Position.x.y < 1", 11, 1);
    stage_assert_wrong("Position.x", 0, 10);
    stage_assert_wrong("Position.x <", 12, 1);
    stage_assert_wrong("Position.x < abc", 13, 3);
    stage_assert_wrong("Position.x < 1.2.3", 13, 5);
    stage_assert_wrong("Position.x < \"a\"", 13, 3);
    stage_assert_wrong("Position.x ~ 1", 13, 1);
    stage_assert_wrong("Everything.text < \"a\"", 18, 3);
    stage_assert_wrong("Everything.text == 1", 19, 1);
    stage_assert_wrong("Everything.parts == 1", 20, 1);
    stage_assert_wrong("Everything.parts[3].count == 1", 16, 3);
    stage_assert_wrong("Everything.parts[x].count == 1", 16, 9);
    stage_assert_wrong("Everything.i8[0] == 1", 13, 3);
    stage_assert_wrong("Everything.part == 1", 19, 1);
    stage_assert_wrong("Everything.secret == 1", 11, 6);
    stage_assert_wrong("Everything.boolean == 1", 22, 1);
    stage_assert_wrong("Everything.owner < 1:1", 19, 3);
    stage_assert_wrong("Blob.bytes == 1", 5, 5);
    stage_assert_wrong("Position Health", 9, 6);
    stage_assert_wrong("Position,", 9, 1);
    stage_assert_wrong(",Position", 0, 1);
    stage_assert_wrong("Position,,Health", 9, 1);
    stage_assert_wrong("!", 1, 1);
    stage_assert_wrong("!Position.x < 1", 1, 10);
    stage_assert_wrong("#", 0, 1);
    stage_assert_wrong("#x", 0, 2);
    stage_assert_wrong("#1:2:3", 0, 6);
    stage_assert_wrong("name ~ \"tank", 7, 5);
    stage_assert_wrong("name < \"tank\"", 0, 6);
    stage_assert_wrong("name == 5", 8, 1);
    stage_assert_wrong("parent > 1:1", 0, 8);
    stage_assert_wrong("parent = tank", 9, 4);
    stage_assert_wrong("Position | ", 11, 1);
    stage_assert_wrong("Position | Health.points", 11, 13);
    stage_assert_wrong("\"Position", 0, 9);
    stage_assert_wrong("\"Nothing\"", 0, 9);
}

static void assert_says(const char *query, const char *words) {
    json_t *answer = get_json_with("entities", "query", query, 422);
    const char *text = text_of(member(answer, "error"), "text");
    if (!strstr(text, words)) print_message("%s: %s\n", query, text);
    assert_non_null(strstr(text, words));
    assert_true(words[0] == ';' || !strstr(text, "did you mean"));
    json_decref(answer);
}

static void test_what_was_probably_meant_is_said(void **state) {
    (void)state;
    char longest[80];
    stage_types();
    assert_says("Posiiton", "; did you mean Position?");
    assert_says("Position, !postion", "; did you mean Position?");
    assert_says("Healht.points < 3", "; did you mean Health?");
    assert_says("Health.point < 3", "; did you mean points?");
    assert_says("Everything.parts[1].conut == 1", "; did you mean count?");
    assert_says("Position | Halth", "; did you mean Health?");
    assert_says("\"Frozem\"", "; did you mean Frozen?");
    assert_says("\"Position\".z < 1", "no such field");
    assert_says("Nothing", "no component type of this name");
    assert_says("P", "no component type of this name");
    assert_says("Position.", "a field needs a comparison");
    assert_says("Everything.part.x == 1", "no such field");
    assert_says("Everything.secet == 1", "no such field"); /* padding cannot be meant */
    memset(longest, 'P', sizeof longest - 1);
    for (size_t length = 62; length < sizeof longest; length++) {
        longest[length] = '\0';
        assert_says(longest, "no component type of this name");
        longest[length] = 'P';
    }
}

static void test_queries_have_limits(void **state) {
    (void)state;
    char query[1200] = "Frozen";
    stage_types();
    for (int i = 0; i < 31; i++) strcat(query, ",Frozen");
    stage_assert_found(query, "");
    strcat(query, ",Frozen");
    stage_assert_wrong(query, strlen(query) - 6, 1);
    strcpy(query, "Frozen");
    for (int i = 0; i < 15; i++) strcat(query, "|Frozen");
    stage_assert_found(query, "");
    strcat(query, "|Frozen");
    stage_assert_wrong(query, strlen(query) - 6, 6);
    memset(query, ' ', 1100);
    query[1100] = '\0';
    stage_assert_wrong(query, 1023, 1);
}

static void test_a_type_with_an_odd_name_is_put_in_quotes(void **state) {
    (void)state;
    stage_types();
    covey_entity e = covey_create(world);
    covey_add_raw(world, e, &odd_name, NULL);
    stage_assert_found("\"a \\\"type\\\".x\"", "0");
    json_t *answer = get_json("types"), *types = member(answer, "types");
    assert_string_equal(text_of(json_array_get(types, json_array_size(types) - 1), "name"), odd_name.name);
    json_decref(answer);
}

/* ---- Lists --------------------------------------------------------------------------------------------------------*/

enum { MANY = COVEY_INDEX_BITS < 16 ? 1000 : 30000 };

static void test_pages_of_a_long_list(void **state) {
    (void)state;
    stage_types();
    static covey_entity many[MANY];
    assert_true(covey_create_many(world, many, MANY));
    for (uint32_t i = 0; i < MANY; i += 3) covey_add(world, many[i], Position, { (float)i, 0 });
    static const uint32_t offsets[] = { 0, 1, 99, MANY / 3 - 10, 200 };
    for (uint32_t k = 0; k < COUNT_OF(offsets); k++) {
        char path[128];
        snprintf(path, sizeof path, "entities?query=Position&columns=Position.x,Position&offset=%u&limit=7",
                 offsets[k]);
        json_t *answer = get_json(path), *rows = member(answer, "rows"), *row;
        while (json_is_false(member(answer, "complete"))) { /* the first answer may come before all are counted */
            json_decref(answer);
            answer = get_json(path);
            rows = member(answer, "rows");
        }
        size_t i;
        assert_int_equal(number_of(answer, "count"), (MANY + 2) / 3);
        assert_int_equal(number_of(answer, "offset"), offsets[k]);
        assert_int_equal(json_array_size(rows), 7);
        json_array_foreach(rows, i, row) {
            uint32_t expected = (offsets[k] + (uint32_t)i) * 3;
            assert_int_equal(strtoul(text_of(row, "e"), NULL, 10), expected);
            assert_true(json_number_value(member(member(row, "values"), "Position.x")) == expected);
            assert_true(json_number_value(member(member(member(row, "values"), "Position"), "x")) == expected);
        }
        json_decref(answer);
    }
}

static void test_a_list_ends_where_it_ends(void **state) {
    (void)state;
    make_crowd();
    json_t *answer = get_json("entities?offset=4&limit=100");
    assert_int_equal(json_array_size(member(answer, "rows")), 2);
    json_decref(answer);
    answer = get_json("entities?offset=4000000000");
    assert_int_equal(json_array_size(member(answer, "rows")), 0);
    assert_int_equal(number_of(answer, "count"), 6);
    json_decref(answer);
    answer = get_json("entities?limit=0");
    assert_int_equal(json_array_size(member(answer, "rows")), 0);
    json_decref(answer);
    assert_refused("GET", "entities?limit=501", NULL, 422, "ARGUMENT");
    assert_refused("GET", "entities?limit=-1", NULL, 422, "ARGUMENT");
    assert_refused("GET", "entities?limit=", NULL, 422, "ARGUMENT");
    assert_refused("GET", "entities?offset=4294967296", NULL, 422, "ARGUMENT");
    assert_refused("GET", "entities?columns=Nothing", NULL, 422, "COLUMN");
    assert_refused("GET", "entities?columns=Position.z", NULL, 422, "COLUMN");
}

static void test_rows_in_the_order_of_a_field(void **state) {
    (void)state;
    make_crowd(); /* Position: 0 to 4; Health: 1, 2, 3 */
    covey_set(world, crowd[2], Position, { -2.5f, NAN });
    stage_assert_sorted("Position.x", "2 0 1 3 4");
    stage_assert_sorted("-Position.x", "4 3 1 0 2");
    stage_assert_sorted("Position.y", "4 3 1 0 2"); /* what is not a number comes last, */
    stage_assert_sorted("-Position.y", "0 1 3 4 2");
    stage_assert_sorted("Health.points", "1 2 3 0 4"); /* as an absent component does */
    stage_assert_sorted("-Health.points", "3 2 1 0 4");
    stage_assert_sorted("-Health.cursed", "2 1 3 0 4"); /* equal values are in index order */
    stage_assert_sorted("Position.x&offset=1&limit=3", "0 1 3");
    stage_assert_sorted("-Position.x&offset=4&limit=500", "2");
    stage_assert_sorted("Position.x&offset=9", "");
    stage_assert_sorted("Position.x&limit=0", "");
    stage_assert_sorted("", "0 1 2 3 4");
    json_t *answer = get_json("entities?sort=Position.x&limit=2");
    assert_int_equal(number_of(answer, "count"), 6);
    json_decref(answer);
    assert_refused("GET", "entities?sort=Position", NULL, 422, "SORT");
    assert_refused("GET", "entities?sort=Frozen", NULL, 422, "SORT");
    assert_refused("GET", "entities?sort=-Position.z", NULL, 422, "SORT");
    assert_refused("GET", "entities?sort=Everything.text", NULL, 422, "SORT");
    assert_refused("GET", "entities?sort=Everything.owner", NULL, 422, "SORT");
}

/* Large integers, which a double would round, and numbers of each sign. */
static void test_the_order_of_a_field_is_exact(void **state) {
    (void)state;
    static const char *const sorts[] = { "Everything.i64", "Everything.u64", "Everything.i8", "Everything.f64",
                                         "Everything.f32" };
    make_crowd();
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t rank = (i * 3 + 1) % 5; /* 1 4 2 0 3 */
        Everything all = { .i8 = (int8_t)(rank * 50 - 100),
                           .i64 = (int64_t)(rank + (UINT64_C(1) << 62)) * (rank == 0 ? -1 : 1),
                           .u64 = UINT64_MAX - 4 + rank,
                           .f32 = rank == 2 ? -0.0f : (float)rank - 2,
                           .f64 = rank == 4 ? (double)INFINITY : (double)rank * 1e300 - 1e300 };
        covey_add_value(world, crowd[i], Everything, &all);
    }
    for (uint32_t i = 0; i < COUNT_OF(sorts); i++) stage_assert_sorted(sorts[i], "3 0 2 4 1");
}

/* Beyond the rows that a sorted list has, there are none. */
static void test_the_first_of_many_in_the_order_of_a_field(void **state) {
    (void)state;
    stage_types();
    static covey_entity many[MANY];
    assert_true(covey_create_many(world, many, MANY));
    for (uint32_t i = 0; i < MANY; i++) covey_add(world, many[i], Position, { (float)(i * 7919u % MANY), 0 });
    static const uint32_t offsets[] = { 0, 130, 9998, 10000, MANY - 1 };
    for (uint32_t k = 0; k < COUNT_OF(offsets); k++) {
        char path[128];
        snprintf(path, sizeof path, "entities?sort=-Position.x&columns=Position.x&offset=%u&limit=3", offsets[k]);
        json_t *answer = get_json(path), *row;
        size_t i, left = MANY < 10000 ? MANY : 10000;
        left = offsets[k] < left ? left - offsets[k] : 0;
        assert_int_equal(number_of(answer, "count"), MANY);
        assert_true(json_is_true(member(answer, "complete")));
        assert_int_equal(json_array_size(member(answer, "rows")), left < 3 ? left : 3);
        json_array_foreach(member(answer, "rows"), i, row) assert_true(
            json_number_value(member(member(row, "values"), "Position.x")) == MANY - 1 - offsets[k] - (double)i);
        json_decref(answer);
    }
}

static void test_what_a_row_has(void **state) {
    (void)state;
    make_crowd();
    json_t *answer = get_json("entities?query=%233&columns=Frozen,Health,Everything,Frozen"),
           *row = json_array_get(member(answer, "rows"), 0);
    json_t *types = get_json("types"), *number;
    assert_string_equal(text_of(row, "e"), "3:1");
    assert_true(json_is_null(member(row, "name")));
    assert_true(json_is_true(member(row, "enabled")));
    const char *expected[] = { "Position", "Health", "Frozen" };
    size_t i;
    assert_int_equal(json_array_size(member(row, "types")), 3);
    json_array_foreach(member(row, "types"), i, number) assert_string_equal(
        text_of(json_array_get(member(types, "types"), (size_t)json_integer_value(number)), "name"), expected[i]);
    json_t *values = member(row, "values");
    assert_true(json_is_true(member(values, "Frozen")));
    assert_int_equal(number_of(member(values, "Health"), "points"), 10);
    assert_null(json_object_get(member(values, "Health"), "unused"));
    assert_true(json_is_null(member(values, "Everything")));
    json_decref(answer);
    json_decref(types);
}

/* Counts are updated while a client asks for them. */
static void test_a_list_is_live(void **state) {
    (void)state;
    make_crowd();
    stage_assert_found("Position", "0 1 2 3 4");
    covey_remove(world, crowd[0], Position);
    covey_add(world, crowd[5], Position, { 0, 0 });
    stage_assert_found("Position", "1 2 3 4 5");
    covey_destroy_all(world);
    stage_assert_found("Position", "");
    stage_assert_found("", "");
    covey_create(world);
    stage_assert_found("", "0");
}

static void test_more_queries_than_are_kept(void **state) {
    (void)state;
    make_crowd();
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 40; i++) {
            char query[32];
            snprintf(query, sizeof query, "Position.x == %u", i);
            char expected[8] = "";
            if (i < 5) snprintf(expected, sizeof expected, "%u", i);
            stage_assert_found(query, expected);
        }
}

/* ---- Trees --------------------------------------------------------------------------------------------------------*/

static void test_roots_and_children(void **state) {
    (void)state;
    make_crowd();
    json_t *answer = get_json("tree"), *rows = member(answer, "rows");
    assert_int_equal(number_of(answer, "count"), 2);
    assert_string_equal(text_of(json_array_get(rows, 0), "name"), "tank");
    assert_int_equal(number_of(json_array_get(rows, 0), "children"), 2);
    assert_string_equal(text_of(json_array_get(rows, 1), "name"), "tree");
    json_decref(answer);
    answer = get_json("tree?parent=0:1");
    rows = member(answer, "rows");
    assert_int_equal(number_of(answer, "count"), 2);
    assert_string_equal(text_of(json_array_get(rows, 0), "e"), "1:1");
    assert_string_equal(text_of(json_array_get(rows, 1), "e"), "3:1");
    json_decref(answer);
    answer = get_json("tree?parent=0:1&offset=1&limit=1");
    assert_string_equal(text_of(json_array_get(member(answer, "rows"), 0), "e"), "3:1");
    json_decref(answer);
    assert_refused("GET", "tree?parent=x", NULL, 422, "ARGUMENT");
    assert_refused("GET", "tree?parent=0:3", NULL, 409, "DEAD");
}

static void test_many_children_by_pages(void **state) {
    (void)state;
    covey_entity parent = covey_create(world), last = parent;
    for (uint32_t i = 1; i < 900; i++) {
        last = covey_create(world);
        assert_int_equal(covey_parent_set(world, last, parent), COVEY_OK);
    }
    json_t *answer = get_json("tree?parent=0:1&offset=898"), *row = json_array_get(member(answer, "rows"), 0);
    assert_int_equal(number_of(answer, "count"), 899);
    assert_int_equal(strtoul(text_of(row, "e"), NULL, 10), last.index);
    json_decref(answer);
    answer = get_json("tree?parent=0:1&offset=5000");
    assert_int_equal(json_array_size(member(answer, "rows")), 0);
    json_decref(answer);
}

/* ---- One entity ---------------------------------------------------------------------------------------------------*/

static json_t *component(const json_t *entity, const char *type) {
    size_t i;
    json_t *found;
    json_array_foreach(member(entity, "components"), i,
                       found) if (strcmp(text_of(found, "type"), type) == 0) return found;
    fail_msg("there is no %s", type);
    return NULL;
}

static void test_all_about_an_entity(void **state) {
    (void)state;
    make_crowd();
    covey_component_disable(world, crowd[1], Health);
    json_t *answer = get_json("entity?e=1:1");
    assert_true(json_is_true(member(answer, "alive")));
    assert_string_equal(text_of(answer, "name"), "red Tank 01");
    assert_string_equal(text_of(answer, "path"), "tank/red Tank 01");
    assert_string_equal(text_of(answer, "parent"), "0:1");
    assert_int_equal(json_array_size(member(answer, "components")), 2);
    assert_true(json_is_false(member(component(answer, "Health"), "enabled")));
    assert_true(json_is_true(member(component(answer, "Position"), "enabled")));
    assert_int_equal(number_of(component(answer, "Health"), "tick"), 1);
    assert_int_equal(number_of(member(component(answer, "Health"), "value"), "points"), -10);
    json_decref(answer);
    answer = get_json("entity?e=0:1");
    assert_int_equal(number_of(member(answer, "children"), "count"), 2);
    assert_string_equal(text_of(json_array_get(member(member(answer, "children"), "first"), 1), "e"), "3:1");
    json_decref(answer);
    answer = get_json("entity?e=4:1");
    assert_true(json_is_false(member(answer, "enabled")));
    json_decref(answer);
    answer = get_json("entity?e=4:3");
    assert_true(json_is_false(member(answer, "alive")));
    json_decref(answer);
    assert_refused("GET", "entity", NULL, 422, "ARGUMENT");
    assert_refused("GET", "entity?e=null", NULL, 422, "ARGUMENT");
    assert_refused("GET", "entity?e=4", NULL, 422, "ARGUMENT");
}

/* Asserts what differs in a component of the entities of an answer, and how many of them have it. */
static void assert_differs(const json_t *answer, const char *type, int64_t count, const char *paths) {
    char found[256] = "";
    size_t i, k;
    json_t *component, *path;
    json_array_foreach(member(answer, "components"), i, component) {
        if (strcmp(text_of(component, "type"), type) != 0) continue;
        assert_int_equal(number_of(component, "count"), count);
        json_array_foreach(member(component, "differs"), k, path) snprintf(
            found + strlen(found), sizeof found - strlen(found), k == 0 ? "%s" : " %s", json_string_value(path));
        assert_string_equal(found, paths);
        return;
    }
    assert_int_equal(count, 0);
}

static void test_what_several_entities_have_in_common(void **state) {
    (void)state;
    make_crowd();
    Everything all = { .i8 = 1, .text = "a text", .part = { 7, 1, 0 } };
    covey_add_value(world, crowd[1], Everything, &all);
    all.parts[2].kind = 5;
    all.part.count = 8;
    all.part.unused = 9; /* padding */
    all.grid[1][0] = 4;
    strcpy(all.text, "b text");
    covey_add_value(world, crowd[2], Everything, &all);
    covey_component_disable(world, crowd[2], Health);
    json_t *answer = get_json("several?e=1:1,2:1,9:1");
    assert_int_equal(number_of(answer, "alive"), 2);
    assert_int_equal(number_of(answer, "enabled"), 2);
    assert_differs(answer, "Position", 2, "x y");
    assert_differs(answer, "Health", 2, "points armour cursed");
    assert_differs(answer, "Everything", 2, "text part.count parts[2].kind grid[2]");
    json_t *position = element(answer, "components", 0), *health = element(answer, "components", 1);
    assert_true(json_number_value(member(member(position, "value"), "x")) == 1);
    assert_int_equal(number_of(health, "enabled"), 1);
    json_decref(answer);
    answer = get_json("several?e=1:1,1:1,4:1");
    assert_int_equal(number_of(answer, "enabled"), 2);
    assert_differs(answer, "Health", 2, "");
    assert_differs(answer, "Frozen", 0, "");
    json_decref(answer);
    answer = get_json("several?e=9:9");
    assert_int_equal(number_of(answer, "alive"), 0);
    json_decref(answer);
    assert_refused("GET", "several", NULL, 422, "LIMIT");
    assert_refused("GET", "several?e=1:1,x", NULL, 422, "ARGUMENT");
    char path[8192] = "several?e=0:1";
    for (int i = 0; i < 499; i++) strcat(path, ",1000:1");
    json_decref(get_json(path));
    assert_refused("GET", strcat(path, ",0:1"), NULL, 422, "LIMIT");
}

static void test_every_kind_of_field_as_json(void **state) {
    (void)state;
    stage_types();
    covey_entity e = covey_create(world);
    Everything all = { -128,
                       -32768,
                       INT32_MIN,
                       INT64_MIN,
                       255,
                       65535,
                       UINT32_MAX,
                       UINT64_MAX,
                       0.1f,
                       1e300,
                       true,
                       'q',
                       "14 characters.",
                       e,
                       { 7, -7, 0 },
                       { { 1, 1, 0 }, { 2, 2, 0 }, { 3, 3, 0 } },
                       { { 1, 2 }, { 3, 4 } },
                       &all };
    covey_add_value(world, e, Everything, &all);
    covey_add(world, e, Blob, { { 0, 0x01010101, 0xffffffff } });
    json_t *answer = get_json("entity?e=0:1"), *value = member(component(answer, "Everything"), "value");
    assert_int_equal(number_of(value, "i8"), -128);
    assert_int_equal(number_of(value, "i32"), INT32_MIN);
    assert_string_equal(text_of(value, "i64"), "-9223372036854775808");
    assert_int_equal(number_of(value, "u32"), UINT32_MAX);
    assert_string_equal(text_of(value, "u64"), "18446744073709551615");
    assert_true((float)json_real_value(member(value, "f32")) == 0.1f);
    assert_true(json_real_value(member(value, "f64")) == 1e300);
    assert_true(json_is_true(member(value, "boolean")));
    assert_string_equal(text_of(value, "letter"), "q");
    assert_string_equal(text_of(value, "text"), "14 characters.");
    assert_string_equal(text_of(value, "owner"), "0:1");
    assert_int_equal(number_of(member(value, "part"), "kind"), -7);
    assert_int_equal(number_of(json_array_get(member(value, "parts"), 2), "count"), 3);
    assert_int_equal(json_array_size(member(value, "grid")), 4);
    assert_null(json_object_get(value, "secret"));
    assert_string_equal(text_of(component(answer, "Blob"), "hex"), "0000000001010101ffffffff");
    json_decref(answer);
}

static void test_numbers_that_json_does_not_have(void **state) {
    (void)state;
    stage_types();
    covey_entity e = covey_create(world);
    static const float zero = 0;
    Everything all = { .f32 = 1 / zero, .f64 = (double)(-1 / zero), .i64 = 9007199254740992, .u64 = 9007199254740993u };
    covey_add_value(world, e, Everything, &all);
    covey_add(world, e, Position, { zero / zero, 0 });
    json_t *answer = get_json("entity?e=0:1"), *value = member(component(answer, "Everything"), "value");
    assert_string_equal(text_of(value, "f32"), "inf");
    assert_string_equal(text_of(value, "f64"), "-inf");
    assert_int_equal(number_of(value, "i64"), 9007199254740992);
    assert_string_equal(text_of(value, "u64"), "9007199254740993");
    assert_string_equal(text_of(member(component(answer, "Position"), "value"), "x"), "nan");
    assert_true(json_is_null(member(value, "owner")));
    json_decref(answer);
}

static void test_resources_and_watched_values(void **state) {
    (void)state;
    make_crowd();
    assert_non_null(covey_resource_set(world, Position, { 3, 4 }));
    json_t *answer = get_json("resources"), *resource = json_array_get(member(answer, "resources"), 0);
    assert_string_equal(text_of(resource, "type"), "Position");
    assert_true(json_number_value(member(member(resource, "value"), "y")) == 4);
    json_decref(answer);
    answer = get_json("values?watch=3:1.Position.x,3:1.Health.points,3:3.Health.points,x,,3:1.Nothing,3:1.Position");
    json_t *values = member(answer, "values");
    assert_int_equal(json_array_size(values), 7);
    assert_true(json_number_value(json_array_get(values, 0)) == 3);
    assert_true(json_number_value(json_array_get(values, 1)) == 10);
    for (size_t i = 2; i < 6; i++) assert_true(json_is_null(json_array_get(values, i)));
    assert_true(json_is_object(json_array_get(values, 6)));
    json_decref(answer);
    answer = get_json("values");
    assert_int_equal(json_array_size(member(answer, "values")), 0);
    json_decref(answer);
}

/* ---- Completion ---------------------------------------------------------------------------------------------------*/

static void assert_completes(const char *query, int at, int from, int to, const char *words) {
    char path[64], found[1024] = "";
    snprintf(path, sizeof path, "complete?at=%d", at);
    json_t *answer = get_json_with(path, "query", query, 200), *word;
    size_t i;
    json_array_foreach(member(answer, "words"), i, word) {
        if (i > 0) strcat(found, " ");
        strcat(found, text_of(word, "text"));
    }
    if (strcmp(found, words) != 0) print_message("%s: %s\n", query, found);
    assert_string_equal(found, words);
    assert_int_equal(number_of(answer, "from"), from);
    assert_int_equal(number_of(answer, "to"), to);
    json_decref(answer);
}

static void test_words_are_completed(void **state) {
    (void)state;
    stage_types();
    assert_completes("pos", 3, 0, 3, "Position");
    assert_completes("Health, f", 9, 8, 9, "Frozen");
    assert_completes("Position.", 9, 9, 9, "x y");
    assert_completes("Position.y", 10, 9, 10, "y");
    assert_completes("Everything.part.", 16, 16, 16, "count kind");
    assert_completes("Everything.parts[1].k", 21, 20, 21, "kind");
    assert_completes("Everything.parts.", 17, 0, 17, ""); /* an array: an element has to be named first */
    assert_completes("!Fro, Position", 4, 1, 4, "Frozen");
    assert_completes("na", 2, 0, 2, "Named name");
    assert_completes("disa", 4, 0, 4, "disabled");
    assert_completes("name ~ \"Pos", 11, 8, 11, "");
    assert_completes("zzz", 3, 0, 3, "");
    assert_completes("Pos < 1", 2, 0, 3, "Position");
    assert_refused("GET", "complete?query=a&at=2", NULL, 422, "ARGUMENT");
    json_t *answer = get_json("complete");
    assert_true(json_array_size(member(answer, "words")) >= 10);
    json_decref(answer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        INSPECT_TEST(test_queries_for_components),
        INSPECT_TEST(test_queries_for_values),
        INSPECT_TEST(test_queries_for_every_kind_of_field),
        INSPECT_TEST(test_queries_for_names),
        INSPECT_TEST(test_queries_for_parents_and_single_entities),
        INSPECT_TEST(test_what_is_wrong_with_a_query_is_said_where_it_is),
        INSPECT_TEST(test_what_was_probably_meant_is_said),
        INSPECT_TEST(test_queries_have_limits),
        INSPECT_TEST(test_a_type_with_an_odd_name_is_put_in_quotes),
        INSPECT_TEST(test_pages_of_a_long_list),
        INSPECT_TEST(test_a_list_ends_where_it_ends),
        INSPECT_TEST(test_rows_in_the_order_of_a_field),
        INSPECT_TEST(test_the_order_of_a_field_is_exact),
        INSPECT_TEST(test_the_first_of_many_in_the_order_of_a_field),
        INSPECT_TEST(test_what_a_row_has),
        INSPECT_TEST(test_a_list_is_live),
        INSPECT_TEST(test_more_queries_than_are_kept),
        INSPECT_TEST(test_roots_and_children),
        INSPECT_TEST(test_many_children_by_pages),
        INSPECT_TEST(test_all_about_an_entity),
        INSPECT_TEST(test_what_several_entities_have_in_common),
        INSPECT_TEST(test_every_kind_of_field_as_json),
        INSPECT_TEST(test_numbers_that_json_does_not_have),
        INSPECT_TEST(test_resources_and_watched_values),
        INSPECT_TEST(test_words_are_completed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
