/* The inspector: lookups, who points at an entity, and the cells of a grid. */
#include "client.h"

#include <covey/fields.h>
#include <covey/hierarchy.h>
#include <covey/lookup.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

typedef struct Owned {
    covey_entity owner;
    int32_t since;
} Owned;
COVEY_FIELDS_DEFINE(Owned, entity(owner), i32(since));
COVEY_COMPONENT_DEFINE(Owned, .fields = &covey_fields_Owned, .ticks = true);

typedef struct Edge {
    covey_entity one, other;
} Edge;
typedef struct Spot {
    double at[3];
    float x, y;
    Edge edge;
    char label[8];
} Spot;
COVEY_FIELDS_DEFINE(Edge, entity(one), entity(other));
COVEY_FIELDS_DEFINE(Spot, array(f64, at), f32(x), f32(y), nested(Edge, edge), array(character, label));
COVEY_COMPONENT_DEFINE(Spot, .fields = &covey_fields_Spot, .ticks = true);

static covey_lookup *look_up(covey_lookup_desc desc) {
    covey_lookup *lookup = covey_lookup_create(world, &desc);
    assert_non_null(lookup);
    return lookup;
}

static covey_lookup *look_up_owners(covey_target_end end) {
    return look_up((covey_lookup_desc){ .type = covey_id(Owned), .field = "owner", .when_target_ends = end });
}

/* ---- Lookups ------------------------------------------------------------------------------------------------------*/

static void assert_lookup(uint32_t number, const char *type, const char *fields, const char *kind, const char *finds) {
    json_t *all = get_json("lookups"), *one = element(all, "lookups", number);
    char text[100] = "";
    for (size_t i = 0; i < json_array_size(member(one, "fields")); i++) {
        strcat(text, i == 0 ? "" : " ");
        strcat(text, json_string_value(element(one, "fields", i)));
    }
    assert_string_equal(text_of(one, "type"), type);
    assert_string_equal(text, fields);
    assert_string_equal(text_of(one, "kind"), kind);
    assert_string_equal(text_of(one, "finds"), finds);
    assert_int_equal(number_of(one, "bytes"), covey_lookup_memory(covey_world_lookup(world, number)));
    json_decref(all);
}

static void test_lookups_are_listed(void **state) {
    (void)state;
    json_t *none = get_json("lookups");
    assert_int_equal(json_array_size(member(none, "lookups")), 0);
    json_decref(none);
    look_up_owners(COVEY_TARGET_DESTROY);
    look_up((covey_lookup_desc){ .type = covey_id(Owned), .field = "since", .ordered = true });
    look_up((covey_lookup_desc){ .type = covey_id(Spot), .field = "edge.other" });
    look_up((covey_lookup_desc){ .type = covey_id(Spot), .field = "label" });
    look_up((covey_lookup_desc){ .type = covey_id(Spot), .place = { "at" }, .cell = 4 });
    look_up((covey_lookup_desc){ .type = covey_id(Spot), .place = { "y", "x" }, .cell = 0.5 });
    assert_lookup(0, "Owned", "owner", "entity", "values");
    assert_lookup(1, "Owned", "since", "i32", "ranges");
    assert_lookup(2, "Spot", "edge.other", "entity", "values");
    assert_lookup(3, "Spot", "label", "char", "values");
    assert_lookup(4, "Spot", "at[0] at[1] at[2]", "f64", "places");
    assert_lookup(5, "Spot", "y x", "f32", "places");
    json_t *all = get_json("lookups");
    assert_string_equal(text_of(element(all, "lookups", 0), "when_target_ends"), "destroy");
    assert_string_equal(text_of(element(all, "lookups", 2), "when_target_ends"), "keep");
    assert_true(json_is_null(member(element(all, "lookups", 1), "when_target_ends")));
    assert_true(json_is_null(member(element(all, "lookups", 1), "cell")));
    assert_true(fabs(json_number_value(member(element(all, "lookups", 4), "cell")) - 4) < 1e-4);
    json_decref(all);
}

/* The inspector asks, which files what has changed. */
static void test_elements_are_those_of_now(void **state) {
    (void)state;
    covey_entity owner = covey_create(world), e[100];
    look_up_owners(COVEY_TARGET_KEEP);
    for (uint32_t i = 0; i < 100; i++) {
        e[i] = covey_create(world);
        assert_non_null(covey_add(world, e[i], Owned, { .owner = i % 4 == 0 ? (covey_entity){ 0, 0 } : owner }));
    }
    json_t *all = get_json("lookups");
    assert_int_equal(number_of(element(all, "lookups", 0), "count"), 75);
    json_decref(all);
    covey_remove(world, e[1], Owned);
    all = get_json("lookups");
    assert_int_equal(number_of(element(all, "lookups", 0), "count"), 74);
    json_decref(all);
}

static void test_a_listing_takes_several_polls(void **state) {
    (void)state;
    inspect_close();
    inspect_open(&(covey_inspect_desc){ .budget = 1e-9 });
    for (uint32_t i = 0; i < 30; i++) look_up((covey_lookup_desc){ .type = covey_id(Owned), .field = "since" });
    json_t *all = get_json("lookups");
    assert_int_equal(json_array_size(member(all, "lookups")), 30);
    json_decref(all);
}

/* ---- Sources ------------------------------------------------------------------------------------------------------*/

static json_t *ask_entity(covey_entity e) {
    char path[60];
    snprintf(path, sizeof path, "entity?e=%u:%u", e.index, e.generation);
    return get_json(path);
}

static void test_an_entity_shows_who_points_at_it(void **state) {
    (void)state;
    covey_entity owner = covey_create(world), other = covey_create(world), e[50];
    look_up((covey_lookup_desc){ .type = covey_id(Owned), .field = "since" });
    look_up_owners(COVEY_TARGET_KEEP);
    look_up((covey_lookup_desc){ .type = covey_id(Spot), .field = "edge.one" });
    for (uint32_t i = 0; i < 50; i++) {
        e[i] = covey_create(world);
        assert_non_null(covey_add(world, e[i], Owned, { .owner = i < 30 ? owner : other }));
    }
    assert_int_equal(covey_name_set(world, e[2], "third"), COVEY_OK);
    json_t *answer = ask_entity(owner), *sources = member(answer, "sources"), *first = element(answer, "sources", 0);
    assert_int_equal(json_array_size(sources), 2);
    assert_int_equal(number_of(first, "lookup"), 1);
    assert_string_equal(text_of(first, "type"), "Owned");
    assert_string_equal(text_of(first, "field"), "owner");
    assert_int_equal(number_of(first, "count"), 30);
    assert_int_equal(json_array_size(member(first, "first")), 20);
    for (uint32_t i = 0; i < 20; i++) {
        char handle[40];
        snprintf(handle, sizeof handle, "%u:%u", e[i].index, e[i].generation);
        assert_string_equal(text_of(element(first, "first", i), "e"), handle);
    }
    assert_string_equal(text_of(element(first, "first", 2), "name"), "third");
    assert_int_equal(number_of(element(answer, "sources", 1), "count"), 0);
    json_decref(answer);
    covey_set(world, e[0], Owned, { .owner = other });
    answer = ask_entity(owner);
    assert_int_equal(number_of(element(answer, "sources", 0), "count"), 29);
    json_decref(answer);
    covey_destroy(world, owner); /* its sources keep the handle */
    answer = ask_entity(owner);
    assert_true(json_is_false(member(answer, "alive")));
    assert_int_equal(number_of(element(answer, "sources", 0), "count"), 29);
    json_decref(answer);
}

/* An inspector that may only read still files what has changed. */
static void test_a_world_that_is_only_read(void **state) {
    (void)state;
    inspect_close();
    inspect_open(&(covey_inspect_desc){ .write = false });
    covey_entity owner = covey_create(world), e = covey_create(world);
    look_up_owners(COVEY_TARGET_KEEP);
    assert_non_null(covey_add(world, e, Owned, { .owner = owner }));
    uint64_t digest = world_digest(world);
    json_t *answer = ask_entity(owner);
    assert_int_equal(number_of(element(answer, "sources", 0), "count"), 1);
    json_decref(answer);
    assert_int_equal(world_digest(world), digest);
    test_world_is_valid(world);
}

/* ---- Cells --------------------------------------------------------------------------------------------------------*/

enum { MANY = COVEY_INDEX_BITS < 16 ? 900 : 3000 };

static uint32_t column_of(uint32_t i) { return i * 7919u % 60; }
static uint32_t row_of(uint32_t i) { return i * 104729u % 50; }

/* The middles of cells, around zero. */
static void spread(double cell) {
    for (uint32_t i = 0; i < MANY; i++) {
        double x = cell * ((double)column_of(i) - 30), y = cell * ((double)row_of(i) - 25);
        assert_non_null(covey_add(world, covey_create(world), Spot,
                                  { .at = { x, y, cell * (i % 3) }, .x = (float)x, .y = (float)y }));
    }
    assert_non_null(covey_add(world, covey_create(world), Spot, { .at = { NAN, 0, 0 }, .x = NAN }));
}

static json_t *ask_cells(uint32_t lookup, uint32_t limit) {
    char path[80];
    snprintf(path, sizeof path, "cells?lookup=%u&limit=%u", lookup, limit);
    return get_json(path);
}

static int64_t floor_of(int64_t number, int64_t merged) {
    return number >= 0 ? number / merged : -((merged - 1 - number) / merged);
}

/* How many entities a scan finds in a bin. */
static uint32_t scan(int64_t column, int64_t row, int64_t level, int64_t merged) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < MANY; i++)
        count += floor_of((int64_t)column_of(i) - 30, merged) == column &&
                 floor_of((int64_t)row_of(i) - 25, merged) == row && (level < 0 || floor_of(i % 3, merged) == level);
    return count;
}

static void assert_cells(uint32_t lookup, uint32_t limit, uint32_t dimensions, bool merges) {
    json_t *answer = ask_cells(lookup, limit), *cells = member(answer, "cells"), *cell;
    int64_t merged = number_of(answer, "merged"), sum = 0, most = 0;
    size_t i;
    assert_true(json_array_size(cells) <= limit);
    assert_int_equal(merged > 1, merges);
    json_array_foreach(cells, i, cell) {
        int64_t number[4];
        assert_int_equal(json_array_size(cell), dimensions + 1);
        for (uint32_t k = 0; k <= dimensions; k++) number[k] = json_integer_value(json_array_get(cell, k));
        int64_t count = number[dimensions];
        assert_int_equal(count, scan(number[0], number[1], dimensions == 3 ? number[2] : -1, merged));
        sum += count;
        most = count > most ? count : most;
    }
    assert_int_equal(sum, MANY);
    assert_int_equal(number_of(answer, "entities"), MANY);
    assert_int_equal(number_of(answer, "most"), most);
    json_decref(answer);
}

static void look_up_places(void) {
    look_up((covey_lookup_desc){ .type = covey_id(Spot), .place = { "x", "y" }, .cell = 2.5 });
    look_up((covey_lookup_desc){ .type = covey_id(Spot), .place = { "at" }, .cell = 2.5 });
}

static void test_cells_are_counted(void **state) {
    (void)state;
    look_up_places();
    spread(2.5);
    for (uint32_t lookup = 0; lookup < 2; lookup++) {
        uint32_t dimensions = lookup == 0 ? 2 : 3;
        assert_cells(lookup, 10000, dimensions, false);
        assert_cells(lookup, 100, dimensions, true);
        assert_cells(lookup, 8, dimensions, true);
    }
    inspect_close();
    inspect_open(&(covey_inspect_desc){ .budget = 1e-9 });
    assert_cells(0, 10000, 2, false);
    assert_cells(1, 200, 3, true);
}

/* Cells at the ends of space merge into four. */
static void test_cells_that_are_far_away_merge(void **state) {
    (void)state;
    look_up((covey_lookup_desc){ .type = covey_id(Spot), .place = { "x", "y" }, .cell = 1e-6 });
    for (uint32_t i = 0; i < 64; i++) {
        float x = (i % 8 < 4 ? -1e30f : 1e30f) / (float)(1 + i % 8), y = (i / 8 < 4 ? -1e-3f : 1e-3f) * (float)(i / 8);
        assert_non_null(covey_add(world, covey_create(world), Spot, { .x = x, .y = y }));
    }
    json_t *answer = ask_cells(0, 0); /* at least eight */
    assert_true(json_array_size(member(answer, "cells")) <= 8);
    assert_int_equal(number_of(answer, "entities"), 64);
    json_decref(answer);
}

static void test_what_has_no_cells_is_refused(void **state) {
    (void)state;
    assert_refused("GET", "cells", NULL, 409, "ABSENT");
    look_up_owners(COVEY_TARGET_KEEP);
    assert_refused("GET", "cells", NULL, 409, "REFUSED");
    assert_refused("GET", "cells?lookup=1", NULL, 409, "ABSENT");
    assert_refused("GET", "cells?lookup=x", NULL, 422, "ARGUMENT");
    assert_refused("GET", "cells?lookup=0&limit=10001", NULL, 422, "ARGUMENT");
    assert_refused("POST", "cells?lookup=0", "{}", 405, "METHOD");
    look_up_places();
    json_t *answer = ask_cells(1, 100);
    assert_int_equal(json_array_size(member(answer, "cells")), 0);
    json_decref(answer);
}

/* Another lookup may be at the same address: it is not mistaken for the one that was asked about. */
static void test_a_lookup_that_ends_while_its_cells_are_counted(void **state) {
    (void)state;
    inspect_close();
    inspect_open(&(covey_inspect_desc){ .budget = 1e-9 });
    look_up_places();
    spread(2.5);
    for (uint32_t i = 0; i < 40; i++) {
        int socket = client_connect();
        client_ask(socket, "GET", "cells?lookup=0", NULL);
        for (uint32_t polls = 0; polls < i; polls++) poll_for(1);
        covey_lookup_destroy(covey_world_lookup(world, 0));
        look_up_owners(COVEY_TARGET_KEEP);
        reply r = client_reply(socket);
        assert_true(r.status == 200 || r.status == 409);
        reply_free(&r);
        close(socket);
        while (covey_world_lookup_count(world) > 0) covey_lookup_destroy(covey_world_lookup(world, 0));
        look_up_places();
        test_world_is_valid(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        INSPECT_TEST(test_lookups_are_listed),
        INSPECT_TEST(test_elements_are_those_of_now),
        INSPECT_TEST(test_a_listing_takes_several_polls),
        INSPECT_TEST(test_an_entity_shows_who_points_at_it),
        INSPECT_TEST(test_a_world_that_is_only_read),
        INSPECT_TEST(test_cells_are_counted),
        INSPECT_TEST(test_cells_that_are_far_away_merge),
        INSPECT_TEST(test_what_has_no_cells_is_refused),
        INSPECT_TEST(test_a_lookup_that_ends_while_its_cells_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
