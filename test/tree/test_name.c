/* Names: unique among siblings, found by name and by path, and lost at the right time. */
#include "memory/inner.h"
#include "tree/name.h"
#include "fixture.h"
#include "hostile.h"
#include "oom.h"

#include <covey/hierarchy.h>
#include <stdio.h>
#include <stdlib.h>

static const covey_entity none = { 0, 0 };
enum { COUNT = 8 };
static covey_entity e[COUNT];

static int name_setup(void **state) {
    int result = world_setup(state);
    for (uint32_t i = 0; i < COUNT; i++) e[i] = covey_create(world);
    return result;
}
#define NAME_TEST(test) cmocka_unit_test_setup_teardown(test, name_setup, world_teardown)

static void call(uint32_t number, const char *name) {
    assert_int_equal(covey_name_set(world, e[number], name), COVEY_OK);
}
static void set_parent(uint32_t child, uint32_t parent) {
    assert_int_equal(covey_parent_set(world, e[child], e[parent]), COVEY_OK);
}
static void assert_called(uint32_t number, const char *name) {
    assert_non_null(covey_name(world, e[number]));
    assert_string_equal(covey_name(world, e[number]), name);
    assert_same(covey_find_child(world, covey_parent(world, e[number]), name), e[number]);
}

static covey__name *name(uint32_t number) { return covey_pool_get_raw(world->inner->names->pool, e[number]); }

static void assert_refused(covey_result reason, covey_entity of, const char *name) {
    uint64_t digest = world_digest(world);
    uint32_t times = heard.times;
    assert_int_equal(covey_name_set(world, of, name), reason);
    assert_failed(reason);
    assert_int_equal(heard.times, times + 1);
    assert_true(world_digest(world) == digest);
}

/* 0 ship, with 1 turret, which has 2 gun and 3 without a name; 4 is a root called sun, 5 has no name. */
static void build(void) {
    call(0, "ship");
    call(1, "turret");
    call(2, "gun");
    call(4, "sun");
    set_parent(1, 0);
    set_parent(2, 1);
    set_parent(3, 1);
}

/* ---- Naming -------------------------------------------------------------------------------------------------------*/

static void test_an_entity_has_no_name_until_it_gets_one(void **state) {
    (void)state;
    assert_null(covey_name(world, e[0]));
    assert_no_entity(covey_find_child(world, none, "ship"));
    call(0, "ship");
    assert_called(0, "ship");
    assert_no_entity(covey_find_child(world, none, "shi"));
    assert_no_entity(covey_find_child(world, none, "ships"));
    assert_no_entity(covey_find_child(world, none, ""));
    assert_no_entity(covey_find_child(world, e[0], "ship"));
    assert_true(covey_is_empty(world, e[0]));
}

static void test_a_name_is_changed_and_taken_away(void **state) {
    (void)state;
    call(0, "ship");
    call(0, "a much longer name than before");
    assert_called(0, "a much longer name than before");
    assert_no_entity(covey_find_child(world, none, "ship"));
    call(0, covey_name(world, e[0]));
    assert_called(0, "a much longer name than before");
    call(0, covey_name(world, e[0]) + 2);
    assert_called(0, "much longer name than before");
    call(0, NULL);
    assert_null(covey_name(world, e[0]));
    call(0, "ship");
    call(0, "");
    assert_null(covey_name(world, e[0]));
    call(0, NULL);
    call(1, "");
    assert_no_entity(covey_find_child(world, none, "ship"));
}

static void test_the_text_is_copied(void **state) {
    (void)state;
    char text[] = "ship";
    call(0, text);
    text[0] = 'c';
    assert_called(0, "ship");
    call(1, "\xC3\xA9t\xC3\xA9 \x01 *");
    assert_called(1, "\xC3\xA9t\xC3\xA9 \x01 *");
}

static void test_the_dead_have_no_names(void **state) {
    (void)state;
    build();
    covey_destroy(world, e[5]);
    assert_refused(COVEY_ERROR_DEAD, e[5], "x");
    assert_refused(COVEY_ERROR_DEAD, e[5], NULL);
    assert_refused(COVEY_ERROR_DEAD, none, "x");
    assert_null(covey_name(world, e[5]));
    assert_null(covey_name(world, none));
    assert_no_entity(covey_find_child(world, e[5], "x"));
    assert_no_entity(covey_find_path(world, e[5], ""));
    covey_destroy(world, e[4]);
    assert_no_entity(covey_find_child(world, none, "sun"));
    covey_entity next = covey_create_at(world, e[4].index);
    assert_null(covey_name(world, next));
}

static void test_what_means_something_in_a_path_is_no_name(void **state) {
    (void)state;
    assert_refused(COVEY_ERROR_RANGE, e[0], "a/b");
    assert_refused(COVEY_ERROR_RANGE, e[0], "/");
    assert_refused(COVEY_ERROR_RANGE, e[0], "#1:1");
    assert_refused(COVEY_ERROR_RANGE, e[0], "..");
    call(0, "a#1:1");
    call(1, "...");
    call(2, ".");
}

static void test_a_name_has_a_length(void **state) {
    (void)state;
    static char text[65537];
    memset(text, 'n', sizeof text - 1);
    assert_refused(COVEY_ERROR_RANGE, e[0], text);
    text[65535] = '\0';
    call(0, text);
    assert_called(0, text);
    assert_int_equal(covey_path_print(NULL, 0, world, e[0]), 65535);
}

/* ---- Siblings -----------------------------------------------------------------------------------------------------*/

static void test_names_are_unique_among_siblings(void **state) {
    (void)state;
    build();
    assert_refused(COVEY_ERROR_PRESENT, e[3], "gun");
    assert_refused(COVEY_ERROR_PRESENT, e[5], "ship"); /* roots are siblings */
    call(3, "ship");
    call(5, "gun");
    assert_called(2, "gun");
    assert_called(5, "gun");
    call(2, NULL);
    assert_refused(COVEY_ERROR_PRESENT, e[2], "ship");
    call(2, "gun");
}

static void assert_stays(covey_entity child, covey_entity parent) {
    uint64_t digest = world_digest(world);
    assert_int_equal(covey_parent_set(world, child, parent), COVEY_ERROR_PRESENT);
    assert_failed(COVEY_ERROR_PRESENT);
    assert_true(world_digest(world) == digest);
}

static void test_a_name_goes_along_to_another_parent_where_it_is_free(void **state) {
    (void)state;
    build();
    set_parent(2, 0);
    assert_called(2, "gun");
    assert_no_entity(covey_find_child(world, e[1], "gun"));
    call(3, "gun");
    assert_stays(e[3], e[0]);
    call(5, "gun");
    assert_stays(e[2], none);
    assert_stays(e[5], e[1]);
    assert_int_equal(covey_parent_set(world, e[2], e[0]), COVEY_OK); /* no sibling has the name there */
    assert_int_equal(covey_parent_set(world, e[5], none), COVEY_OK);
}

static void test_children_of_the_destroyed_keep_names_that_are_free(void **state) {
    (void)state;
    build();
    call(3, "sun");
    covey_destroy(world, e[1]);
    assert_called(2, "gun");
    assert_called(4, "sun");
    assert_null(covey_name(world, e[3])); /* a root had it already */
    assert_no_entity(covey_parent(world, e[3]));
}

static void test_of_two_that_become_roots_the_first_keeps_the_name(void **state) {
    (void)state;
    build();
    call(5, "tower");
    call(6, "gun");
    set_parent(6, 5);
    covey_destroy(world, e[5]);
    covey_destroy(world, e[1]);
    assert_called(6, "gun");
    assert_null(covey_name(world, e[2]));
}

/* Whichever of its name and its place goes first. */
static void test_a_child_may_inherit_the_name_of_its_parent(void **state) {
    (void)state;
    set_parent(1, 0);
    call(0, "same");
    call(1, "same");
    covey_destroy(world, e[0]);
    assert_called(1, "same");
    covey_entity last = last_life(e[7]);
    call(1, NULL);
    assert_int_equal(covey_name_set(world, last, "same"), COVEY_OK);
    assert_int_equal(covey_parent_set(world, e[1], last), COVEY_OK);
    call(1, "same");
    covey_destroy(world, last);
    assert_called(1, "same");
}

static void test_a_child_may_inherit_the_name_also_when_names_came_first(void **state) {
    (void)state;
    call(0, "same");
    set_parent(1, 0);
    call(1, "same");
    covey_destroy(world, e[0]);
    assert_called(1, "same");
}

static void test_clearing_all_ends_all_names(void **state) {
    (void)state;
    build();
    covey_clear_components(world);
    for (uint32_t i = 0; i < COUNT; i++) assert_null(covey_name(world, e[i]));
    assert_no_entity(covey_find_child(world, none, "ship"));
    test_world_is_valid(world);
    build();
    assert_called(2, "gun");
}

/* Their pool may be found by its name and cleared, as any other. */
static void test_when_only_places_are_cleared_names_stay_unique_among_roots(void **state) {
    (void)state;
    build();
    call(3, "sun");
    covey_clear_raw(world, covey_type_find(world, "covey.node"));
    test_world_is_valid(world);
    assert_called(0, "ship");
    assert_called(1, "turret");
    assert_called(2, "gun");
    assert_called(4, "sun");
    assert_null(covey_name(world, e[3]));
}

static void test_names_survive_compaction_shrinking_and_conversion(void **state) {
    (void)state;
    build();
    uint64_t digest = world_digest(world);
    covey_compact(world);
    covey_shrink(world);
    assert_int_equal(covey_pool_convert(world->inner->names->pool, COVEY_STORAGE_SPARSE), COVEY_OK);
    test_world_is_valid(world);
    assert_true(world_digest(world) == digest);
    assert_called(2, "gun");
    call(0, NULL);
    assert_called(1, "turret");
    covey_destroy_tree(world, e[0]);
    assert_called(4, "sun");
}

static void test_many_names_are_found_and_their_memory_is_returned(void **state) {
    (void)state;
    covey_entity many[700];
    char text[32];
    assert_true(covey_create_many(world, many, COUNT_OF(many)));
    for (uint32_t i = 0; i < COUNT_OF(many); i++) {
        snprintf(text, sizeof text, "number %u", i);
        assert_int_equal(covey_name_set(world, many[i], text), COVEY_OK);
    }
    test_world_is_valid(world);
    for (uint32_t i = 0; i < COUNT_OF(many); i++) {
        snprintf(text, sizeof text, "number %u", i);
        assert_same(covey_find_child(world, none, text), many[i]);
        if (i % 100 != 0) assert_int_equal(covey_name_set(world, many[i], NULL), COVEY_OK);
    }
    size_t before = covey_world_memory(world);
    covey_shrink(world);
    assert_true(covey_world_memory(world) < before);
    assert_same(covey_find_child(world, none, "number 300"), many[300]);
    covey_destroy_all(world);
    covey_shrink(world);
    assert_null(world->inner->names->buckets);
    assert_no_entity(covey_find_child(world, none, "number 300"));
    assert_int_equal(covey_name_set(world, covey_create(world), "again"), COVEY_OK);
}

/* ---- Paths --------------------------------------------------------------------------------------------------------*/

static covey_entity find(covey_entity from, const char *path) { return covey_find_path(world, from, path); }

static void test_a_path_leads_from_names_to_names(void **state) {
    (void)state;
    build();
    assert_same(find(none, "ship"), e[0]);
    assert_same(find(none, "ship/turret/gun"), e[2]);
    assert_same(find(e[0], "turret/gun"), e[2]);
    assert_same(find(e[1], "gun"), e[2]);
    assert_same(find(e[1], ""), e[1]);
    assert_no_entity(find(none, ""));
    const char *const nowhere[] = { "turret", "ship/gun", "ship/turret/gun/x", "/ship", "ship/", "ship//turret", "/" };
    for (uint32_t i = 0; i < COUNT_OF(nowhere); i++) assert_no_entity(find(none, nowhere[i]));
}

static void test_two_dots_lead_to_the_parent(void **state) {
    (void)state;
    build();
    assert_same(find(e[2], ".."), e[1]);
    assert_same(find(e[2], "../.."), e[0]);
    assert_same(find(e[0], "turret/../turret/gun"), e[2]);
    assert_no_entity(find(e[0], ".."));
    assert_no_entity(find(e[2], "../../../sun"));
    assert_no_entity(find(none, ".."));
}

static void test_those_without_a_name_are_found_by_their_handle(void **state) {
    (void)state;
    build();
    char text[64];
    snprintf(text, sizeof text, "ship/turret/#%u:%u", e[3].index, e[3].generation);
    assert_same(find(none, text), e[3]);
    assert_same(find(e[1], strrchr(text, '#')), e[3]);
    assert_no_entity(find(e[0], strrchr(text, '#')));
    assert_no_entity(find(none, strrchr(text, '#')));
    snprintf(text, sizeof text, "#%u:%u", e[5].index, e[5].generation);
    assert_same(find(none, text), e[5]);
    assert_no_entity(find(e[0], text));
    covey_destroy(world, e[5]);
    assert_no_entity(find(none, text));
    const char *const nobody[] = {
        "#",     "#:",    "#0",    "#0:",   "#:1",           "#a:1",          "#0:1x",
        "#0:x1", "# 0:1", "#-1:1", "#+0:1", "#4294967296:1", "#0:4294967297", "#99999999999999999999999:1",
        "#0:1:1"
    };
    for (uint32_t i = 0; i < COUNT_OF(nobody); i++) assert_no_entity(find(none, nobody[i]));
}

static void assert_path(uint32_t number, const char *wanted) {
    char text[64];
    assert_int_equal(covey_path_print(text, sizeof text, world, e[number]), strlen(wanted));
    assert_string_equal(text, wanted);
    assert_same(find(none, text), e[number]);
}

static void test_the_path_of_an_entity_leads_back_to_it(void **state) {
    (void)state;
    build();
    assert_path(0, "ship");
    assert_path(2, "ship/turret/gun");
    char text[64];
    snprintf(text, sizeof text, "ship/turret/#%u:%u", e[3].index, e[3].generation);
    assert_path(3, text);
    call(0, NULL);
    snprintf(text, sizeof text, "#%u:%u/turret/gun", e[0].index, e[0].generation);
    assert_path(2, text);
}

static void test_a_path_that_is_too_long_is_cut_and_its_length_told(void **state) {
    (void)state;
    build();
    for (size_t size = 0; size < 20; size++) {
        char text[24];
        memset(text, '?', sizeof text);
        assert_int_equal(covey_path_print(size != 0 ? text : NULL, size, world, e[2]), 15);
        if (size != 0) assert_int_equal(strlen(text), size - 1 < 15 ? size - 1 : 15);
        if (size != 0) assert_int_equal(strncmp(text, "ship/turret/gun", strlen(text)), 0);
        assert_int_equal(text[size < 16 ? size : 16], '?');
    }
    char text[4] = "x";
    assert_int_equal(covey_path_print(text, sizeof text, world, none), 0);
    assert_string_equal(text, "");
}

/* ---- As text, and the validator -----------------------------------------------------------------------------------*/

static void write_page(const char *text, void *context) {
    char *page = context;
    assert_true(strlen(page) + strlen(text) < 4096);
    strcat(page, text);
}

static void test_a_world_prints_names_and_parents(void **state) {
    (void)state;
    char page[4096] = "";
    build();
    add_value(e[2], covey_id(Packed), 1);
    covey_world_print(world, write_page, page);
    assert_non_null(strstr(page, "  0:1 ship\n"));
    assert_non_null(strstr(page, "  2:1 gun, child of 1:1  Packed\n"));
    assert_non_null(strstr(page, "  3:1, child of 1:1\n"));
    assert_non_null(strstr(page, "  5:1\n"));
}

/* ---- Texts of one hash --------------------------------------------------------------------------------------------*/

static void write_number(char text[12], uint32_t number) { snprintf(text, 12, "%u", number); }

/* Two texts of one hash. Among 2^18, as there are 2^32 hashes, there are some. */
static void find_pair(char one[12], char other[12]) {
    enum { TABLE = 1 << 20 };
    uint32_t *table = calloc(TABLE, sizeof *table);
    assert_non_null(table);
    for (uint32_t number = 1; number < TABLE / 2; number++) {
        write_number(one, number);
        uint32_t hash = hostile_hash(one, strlen(one)), at = hash % TABLE;
        for (; table[at] != 0; at = (at + 1) % TABLE) {
            write_number(other, table[at]);
            if (hostile_hash(other, strlen(other)) != hash) continue;
            free(table);
            return;
        }
        table[at] = number;
    }
    fail_msg("no two texts of one hash");
}

static void test_names_of_one_hash_are_told_apart(void **state) {
    (void)state;
    char one[12], other[12];
    find_pair(one, other);
    call(0, one);
    assert_no_entity(covey_find_child(world, none, other));
    call(1, other);
    assert_int_equal(name(0)->hash, name(1)->hash);
    assert_called(0, one);
    assert_called(1, other);
    set_parent(0, 1);
    assert_called(0, one);
    assert_no_entity(covey_find_child(world, none, one));
    call(2, one);
    assert_called(1, other);
    assert_called(2, one);
    assert_true(covey_destroy(world, e[1])); /* its child becomes a root, and a root has that name */
    assert_null(covey_name(world, e[0]));
    assert_no_entity(covey_find_child(world, none, other));
    assert_called(2, one);
}

/* As many as there are indices in the hard configuration, in one bucket; those that remain are found all the time. */
static void test_names_that_share_a_bucket_come_and_go(void **state) {
    (void)state;
    enum { MANY = 500 };
    covey_buffer image = { 0 };
    assert_true(hostile_make(&image, HOSTILE_NAMES, MANY));
    covey_destroy_all(world);
    covey_world *full = covey_world_create(NULL);
    covey_load_desc keep = { .unknown = COVEY_UNKNOWN_KEEP };
    assert_int_equal(covey_load_from_memory(full, image.bytes, image.size, &keep, NULL), COVEY_OK);
    test_random random = { 5 };
    for (uint32_t step = 0; step < 4 * MANY; step++) {
        covey_entity there = covey_entity_at(full, test_below(&random, MANY));
        const char *text = covey_name(full, there);
        covey_entity here = covey_find_child(world, none, text);
        if (covey_is_null(here)) assert_int_equal(covey_name_set(world, covey_create(world), text), COVEY_OK);
        else if (step % 3 == 0) assert_true(covey_destroy(world, here));
        else assert_string_equal(covey_name(world, here), text);
        if (step % 100 == 0) test_world_is_valid(world);
        if (covey_entity_count(world) == MANY) covey_destroy_all(world);
    }
    covey_world_destroy(full);
    covey_buffer_free(&image);
}

static void test_the_validator_sees_wrong_names(void **state) {
    (void)state;
    build();
    covey__names *names = world->inner->names;
    uint32_t *bucket = &names->buckets[name(2)->hash & (names->bucket_count - 1)];
    BREAK(uint32_t, name(2)->self, e[0].index, "name: it belongs to another entity");
    BREAK(char, name(2)->text[1], '\0', "name: its length is wrong");
    BREAK(char, name(2)->text[1], 'o', "name: its hash is wrong");
    BREAK(uint32_t, name(2)->hash, name(2)->hash + 1, "name: its hash is wrong");
    BREAK(uint32_t, *bucket, e[5].index, "name: a bucket leads to an entity without a name");
    BREAK(uint32_t, name(2)->links.right, e[2].index, "name: a bucket is out of order");
    BREAK(uint16_t, name(2)->links.level, 2, "name: a bucket is out of order");
    BREAK(uint32_t, name(2)->parent, e[5].index, "name: its parent is not the parent of the entity");
    *bucket = COVEY__NO_NODE;
    assert_reason("name: it is not in its bucket");
    *bucket = e[2].index;
    assert_int_equal(names->bucket_count, 8);
    BREAK(size_t, world->inner->heap.bytes, world->inner->heap.bytes + 1, "world: bytes that are not accounted for");
}

static void test_the_validator_sees_two_of_one_name(void **state) {
    (void)state;
    call(0, "one");
    call(1, "two");
    memcpy(name(1)->text, "one", 3);
    covey__name_moved(world, e[1].index); /* its text is the same now: hash and bucket are right */
    assert_reason("name: two siblings have the same name");
    memcpy(name(1)->text, "two", 3);
    covey__name_moved(world, e[1].index);
}

/* ---- Memory -------------------------------------------------------------------------------------------------------*/

static void empty_scene(scene *s) {
    s->world = covey_world_create(&(covey_world_desc){ .allocator = test_allocator(&s->heap) });
    assert_non_null(s->world);
    for (uint32_t i = 0; i < 8; i++) s->e[i] = covey_create(s->world);
    s->e[8] = covey_create_at(s->world, 40 * COVEY_PAGE_SIZE);
}

/* 0 to 7 have names, which fill the table. 1 and 2 are children of 0, and 3 of 4; 2 has the name of a root. */
static void named_scene(scene *s) {
    static const char *const names[] = { "a", "b", "d", "a", "c", "d", "e", "f" };
    empty_scene(s);
    covey_parent_set(s->world, s->e[1], s->e[0]);
    covey_parent_set(s->world, s->e[2], s->e[0]);
    covey_parent_set(s->world, s->e[3], s->e[4]);
    for (uint32_t i = 0; i < 8; i++) assert_int_equal(covey_name_set(s->world, s->e[i], names[i]), COVEY_OK);
    covey_shrink(s->world);
}

static bool set(scene *s, uint32_t number, const char *text) {
    return covey_name_set(s->world, s->e[number], text) == COVEY_OK;
}
static bool name_first(scene *s) { return set(s, 0, "first"); }
static bool name_another(scene *s) { return set(s, 8, "another"); }
static bool rename_one(scene *s) { return set(s, 1, "a longer name"); }

static bool name_the_same(scene *s) { return set(s, 1, "b"); }
static bool take_name(scene *s) { return set(s, 1, NULL); }
static bool take_along(scene *s) { return covey_parent_set(s->world, s->e[1], s->e[4]) == COVEY_OK; }
static bool become_roots(scene *s) { return covey_destroy(s->world, s->e[0]) && !covey_name(s->world, s->e[2]); }
static bool destroy_tree(scene *s) { return covey_destroy_tree(s->world, s->e[0]) == 3; }
static bool clear_components(scene *s) {
    covey_clear_components(s->world);
    return true;
}
static bool look(scene *s) {
    char text[16];
    return covey_same(covey_find_path(s->world, none, "c/a"), s->e[3]) &&
           covey_path_print(text, sizeof text, s->world, s->e[3]) == 3 &&
           covey_same(covey_find_child(s->world, s->e[0], "b"), s->e[1]);
}
static bool shrink(scene *s) {
    for (uint32_t i = 0; i < 8; i++) set(s, i, NULL);
    covey_shrink(s->world);
    return true;
}

static const operation operations[] = {
    { "covey_name_set, the first", empty_scene, name_first },
    { "covey_name_set, one more", named_scene, name_another },
    { "covey_name_set, a new name", named_scene, rename_one },
};
static const operation free_operations[] = {
    { "covey_name_set, the same", named_scene, name_the_same },
    { "covey_name_set, NULL", named_scene, take_name },
    { "covey_parent_set, with a name", named_scene, take_along },
    { "covey_destroy, and a name is lost", named_scene, become_roots },
    { "covey_destroy_tree, with names", named_scene, destroy_tree },
    { "covey_clear_components, with names", named_scene, clear_components },
    { "looking for names", named_scene, look },
};
static const operation shrinking_operations[] = { { "covey_shrink, names", named_scene, shrink } };

int main(void) {
    const struct CMUnitTest tests[] = {
        NAME_TEST(test_an_entity_has_no_name_until_it_gets_one),
        NAME_TEST(test_a_name_is_changed_and_taken_away),
        NAME_TEST(test_the_text_is_copied),
        NAME_TEST(test_the_dead_have_no_names),
        NAME_TEST(test_what_means_something_in_a_path_is_no_name),
        NAME_TEST(test_a_name_has_a_length),
        NAME_TEST(test_names_are_unique_among_siblings),
        NAME_TEST(test_a_name_goes_along_to_another_parent_where_it_is_free),
        NAME_TEST(test_children_of_the_destroyed_keep_names_that_are_free),
        NAME_TEST(test_of_two_that_become_roots_the_first_keeps_the_name),
        NAME_TEST(test_a_child_may_inherit_the_name_of_its_parent),
        NAME_TEST(test_a_child_may_inherit_the_name_also_when_names_came_first),
        NAME_TEST(test_clearing_all_ends_all_names),
        NAME_TEST(test_when_only_places_are_cleared_names_stay_unique_among_roots),
        NAME_TEST(test_names_survive_compaction_shrinking_and_conversion),
        NAME_TEST(test_many_names_are_found_and_their_memory_is_returned),
        NAME_TEST(test_a_path_leads_from_names_to_names),
        NAME_TEST(test_two_dots_lead_to_the_parent),
        NAME_TEST(test_those_without_a_name_are_found_by_their_handle),
        NAME_TEST(test_the_path_of_an_entity_leads_back_to_it),
        NAME_TEST(test_a_path_that_is_too_long_is_cut_and_its_length_told),
        NAME_TEST(test_a_world_prints_names_and_parents),
        NAME_TEST(test_names_of_one_hash_are_told_apart),
        NAME_TEST(test_names_that_share_a_bucket_come_and_go),
        NAME_TEST(test_the_validator_sees_wrong_names),
        NAME_TEST(test_the_validator_sees_two_of_one_name),
    };
    for (uint32_t i = 0; i < COUNT_OF(tests); i++) add_test(tests[i]);
    ADD_TRIALS(operations, COVEY_SWAP_AND_POP, FAILS_IN_TURN);
    ADD_TRIALS(free_operations, COVEY_SWAP_AND_POP, NEEDS_NO_MEMORY);
    ADD_TRIALS(shrinking_operations, COVEY_SWAP_AND_POP, SURVIVES_FAILURES);
    return run_trials();
}
