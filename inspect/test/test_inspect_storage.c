/* The inspector: the storage of pools, and kinds of entities, compared with what the library reports. */
#include "client.h"

#include <stdio.h>

static covey_entity held[500];

/* Sparse with holes, blocks of all forms, a tag, and a group. */
static void fill_world(void) {
    assert_true(covey_create_many(world, held, COUNT_OF(held)));
    for (uint32_t i = 0; i < COUNT_OF(held); i++) {
        if (i < 200 || i % 7 == 0) add_value(held[i], covey_id(Blocked), i);
        if (i % 3 == 0) add_value(held[i], covey_id(Ordered), i);
        if (i % 2 == 0) add_value(held[i], covey_id(Packed), i);
        if (i % 50 == 0) assert_true(covey_add_tag(world, held[i], Marked));
    }
    for (uint32_t i = 0; i < COUNT_OF(held); i += 9) remove_value(held[i], covey_id(Ordered));
}

static json_t *find_pool(const json_t *answer, const char *type) {
    size_t i;
    json_t *pool;
    json_array_foreach(member(answer, "pools"), i, pool) if (strcmp(text_of(pool, "type"), type) == 0) return pool;
    fail_msg("no pool %s", type);
    return NULL;
}

static void test_each_pool_is_listed_with_what_it_takes(void **state) {
    (void)state;
    fill_world();
    json_t *answer = get_json("storage");
    assert_int_equal(json_array_size(member(answer, "pools")), covey_world_pool_count(world));
    assert_int_equal(number_of(answer, "bytes"), covey_world_memory(world));
    for (uint32_t i = 0; i < covey_world_pool_count(world); i++) {
        covey_pool *pool = covey_world_pool(world, i);
        covey_advice advice = covey_pool_advise(pool);
        const covey_type *type = covey_pool_type(pool);
        const json_t *found = json_array_get(member(answer, "pools"), i);
        uint32_t entities = covey_entity_count(world), count = covey_pool_count(pool);
        char text[512];
        assert_string_equal(text_of(found, "type"), type->name);
        assert_int_equal(number_of(found, "count"), count);
        assert_int_equal(number_of(found, "bytes"), covey_pool_memory(pool));
        assert_int_equal(number_of(found, "linear"), entities * (type->size + 1));
        assert_int_equal(number_of(found, "bitmask"), entities * type->size + (entities + 7) / 8);
        assert_int_equal(number_of(found, "sparse"), 8 * entities + count * type->size);
        assert_int_equal(number_of(found, "best_bytes"), advice.best_bytes);
        assert_int_equal(number_of(found, "ids"), advice.ids);
        assert_int_equal(number_of(found, "uses"), advice.uses);
        covey_advice_print(text, sizeof text, &advice);
        assert_string_equal(text_of(found, "advice"), text);
    }
    json_decref(answer);
}

static uint32_t count_spans(const covey_type *type) {
    covey_view_desc desc = { .with = { type }, .read = { type }, .include_disabled = true };
    covey_view view = covey_view_make(world, &desc);
    return covey_view_advise(&view).spans;
}

static void test_holes_spans_and_forms_are_counted(void **state) {
    (void)state;
    fill_world();
    json_t *answer = get_json("storage");
    const json_t *ordered = find_pool(answer, "Ordered"), *blocked = find_pool(answer, "Blocked");
    covey_pool *pool = covey_pool_find(world, Ordered);
    assert_int_equal(number_of(ordered, "holes"), covey_pool_position_count(pool) - covey_pool_count(pool));
    assert_true(number_of(ordered, "holes") > 0);
    assert_string_equal(text_of(ordered, "kind"), "sparse");
    assert_string_equal(text_of(ordered, "policy"), "ordered");
    assert_true(json_is_null(member(ordered, "blocks")));
    assert_int_equal(number_of(ordered, "spans"), count_spans(covey_id(Ordered)));
    assert_int_equal(number_of(blocked, "spans"), count_spans(covey_id(Blocked)));
    assert_true(json_is_false(member(blocked, "spans_more")));
    static covey_block blocks[4096];
    uint32_t forms[6] = { 0 }, count = covey_pool_map(covey_pool_find(world, Blocked), 0, blocks, COUNT_OF(blocks));
    for (uint32_t i = 0; i < count; i++) forms[blocks[i].form]++;
    const json_t *found = member(blocked, "blocks");
    assert_int_equal(number_of(found, "empty"), forms[COVEY_BLOCK_EMPTY]);
    assert_int_equal(number_of(found, "compact"), forms[COVEY_BLOCK_COMPACT]);
    assert_int_equal(number_of(found, "direct"), forms[COVEY_BLOCK_DIRECT]);
    assert_int_equal(number_of(found, "full"), forms[COVEY_BLOCK_FULL]);
    assert_true(number_of(found, "full") >= 3);
    assert_true(number_of(found, "slots") >= covey_pool_count(covey_pool_find(world, Blocked)));
    assert_true(json_is_false(member(blocked, "group")));
    json_decref(answer);
    assert_non_null(covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Packed) } }));
    answer = get_json("storage");
    assert_true(json_is_true(member(find_pool(answer, "Packed"), "group")));
    json_decref(answer);
}

/* ---- Kinds --------------------------------------------------------------------------------------------------------*/

static const covey_type *const kind_types[] = { covey_id(Packed),  covey_id(Fixed),  covey_id(Kept),  covey_id(Ordered),
                                                covey_id(Blocked), covey_id(Pinned), covey_id(Marked) };
enum {
    KINDS = (1 << 7) - 1,                      /* every set of these types, except the empty one */
    LEAST = COVEY_GENERATION_BITS > 8 ? 20 : 4 /* entities of a kind; the hard configuration has few indices */
};

/* Creates `count` entities with the types whose bits are set. */
static void create_kind(const covey_type *const *types, uint32_t set, uint32_t count) {
    static const Value value = { 0, 0 };
    covey_component components[8] = { { .type = NULL } };
    uint32_t n = 0;
    for (uint32_t i = 0; set >> i != 0; i++)
        if ((set >> i & 1) != 0)
            components[n++] = (covey_component){ .type = types[i], .value = types[i]->size ? &value : NULL };
    assert_true(covey_create_many_with_raw(world, held, count, components));
}

/* Creates entities of many kinds, which have one of three sizes. */
static void fill_kinds(void) {
    for (uint32_t set = 1; set <= KINDS; set++) create_kind(kind_types, set, LEAST + set % 3);
    assert_int_equal(covey_world_kinds(world, NULL, 0), KINDS);
}

static bool has_types(const json_t *found, const covey_entity_kind *kind) {
    size_t i;
    json_t *name;
    if (json_array_size(member(found, "types")) != kind->type_count) return false;
    json_array_foreach(member(found, "types"), i, name) {
        if (strcmp(json_string_value(name), kind->types[i]->name) != 0) return false;
    }
    return true;
}

static void check_kind(const json_t *found) {
    static covey_entity_kind kinds[KINDS];
    uint32_t count = covey_world_kinds(world, kinds, KINDS), i = 0;
    while (i < count && !has_types(found, &kinds[i])) i++;
    assert_true(i < count);
    assert_int_equal(number_of(found, "entities"), kinds[i].entities);
    assert_int_equal(number_of(found, "blocks"), kinds[i].blocks);
    assert_true(json_number_value(member(found, "full")) == kinds[i].entities / (64.0 * kinds[i].blocks));
}

static void test_a_world_may_have_no_kinds(void **state) {
    (void)state;
    fill_world();
    json_t *answer = get_json("storage");
    assert_int_equal(number_of(member(answer, "kinds"), "count"), 0);
    assert_int_equal(json_array_size(member(member(answer, "kinds"), "rows")), 0);
    json_decref(answer);
}

static void test_kinds_are_listed_by_entities(void **state) {
    (void)state;
    fill_kinds();
    json_t *answer = get_json("storage?limit=500"), *rows = member(member(answer, "kinds"), "rows"), *row;
    size_t i;
    assert_int_equal(json_array_size(rows), KINDS);
    json_array_foreach(rows, i, row) {
        check_kind(row);
        if (i != 0) assert_true(number_of(row, "entities") <= number_of(json_array_get(rows, i - 1), "entities"));
        for (size_t k = 0; k < i; k++)
            assert_false(json_equal(member(row, "types"), member(json_array_get(rows, k), "types")));
    }
    json_decref(answer);
}

static void check_page(const json_t *all, const char *path, size_t offset, size_t count) {
    json_t *answer = get_json(path), *kinds = member(answer, "kinds"), *row;
    size_t i;
    assert_int_equal(number_of(kinds, "count"), KINDS);
    assert_int_equal(number_of(kinds, "offset"), offset);
    assert_int_equal(json_array_size(member(kinds, "rows")), count);
    json_array_foreach(member(kinds, "rows"), i, row) assert_true(json_equal(row, json_array_get(all, offset + i)));
    json_decref(answer);
}

static void test_kinds_are_listed_in_pages(void **state) {
    (void)state;
    fill_kinds();
    json_t *answer = get_json("storage?limit=500"), *all = member(member(answer, "kinds"), "rows");
    check_page(all, "storage", 0, 100);
    check_page(all, "storage?offset=100", 100, KINDS - 100);
    check_page(all, "storage?offset=7&limit=3", 7, 3);
    check_page(all, "storage?limit=0", 0, 0);
    check_page(all, "storage?offset=4294967295&limit=500", 4294967295u, 0);
    json_decref(answer);
    assert_refused("GET", "storage?limit=501", NULL, 422, "ARGUMENT");
    assert_refused("GET", "storage?limit=-1", NULL, 422, "ARGUMENT");
    assert_refused("GET", "storage?offset=4294967296", NULL, 422, "ARGUMENT");
    assert_refused("GET", "storage?offset=x", NULL, 422, "ARGUMENT");
}

static void test_kinds_may_have_types_with_any_name(void **state) {
    (void)state;
    static char endless[2001];
    memset(endless, 'n', sizeof endless - 1);
    static const covey_type odd[] = { { .name = "a \"type\"\\</script>\n\x01", .size = 4, .align = 4 },
                                      { .name = "no UTF-8: \xff\xc3", .size = 4, .align = 4 },
                                      { .name = endless, .size = 4, .align = 4 } };
    const covey_type *const types[] = { &odd[0], &odd[1], &odd[2] };
    create_kind(types, 7, LEAST);
    json_t *answer = get_json("storage"), *found = element(member(answer, "kinds"), "rows", 0);
    assert_string_equal(json_string_value(element(found, "types", 0)), odd[0].name);
    assert_string_equal(json_string_value(element(found, "types", 1)), "no UTF-8: \xef\xbf\xbd\xef\xbf\xbd");
    assert_string_equal(json_string_value(element(found, "types", 2)), endless);
    json_decref(answer);
}

/* An answer may take several polls, and pools may be added in between. */
static void test_a_small_budget_gives_the_same_answer(void **state) {
    (void)state;
    fill_world();
    for (uint32_t set = 1; set < 4; set++) create_kind(kind_types, set, LEAST);
    json_t *whole = get_json("storage");
    assert_int_equal(number_of(member(whole, "kinds"), "count"), 3);
    inspect_close();
    inspect_open(&(covey_inspect_desc){ .budget = 1e-9 });
    json_t *parts = get_json("storage");
    assert_true(json_equal(whole, parts));
    json_decref(whole);
    json_decref(parts);
}

/* ---- The map ------------------------------------------------------------------------------------------------------*/

static void check_map(const covey_pool *pool, uint32_t from, uint32_t count) {
    static covey_block blocks[4096];
    char path[128];
    uint32_t all = covey_pool_map(pool, from, blocks, COUNT_OF(blocks));
    uint32_t expected = from < all ? all - from : 0;
    if (expected > count) expected = count;
    snprintf(path, sizeof path, "map?type=%s&from=%u&count=%u", covey_pool_type(pool)->name, from, count);
    reply r = ask("GET", path, NULL);
    char type[64];
    assert_int_equal(r.status, 200);
    assert_string_equal(reply_header(&r, "Content-Type", type, sizeof type), "application/octet-stream");
    assert_int_equal(r.length, 2 * expected);
    for (uint32_t i = 0; i < expected; i++) {
        assert_int_equal((uint8_t)r.body[2 * i], blocks[i].form);
        assert_int_equal((uint8_t)r.body[2 * i + 1], blocks[i].count);
    }
    reply_free(&r);
}

static void test_a_map_has_two_bytes_for_each_block(void **state) {
    (void)state;
    fill_world();
    for (uint32_t i = 0; i < 2; i++) {
        for (uint32_t k = 0; k < covey_world_pool_count(world); k++) {
            const covey_pool *pool = covey_world_pool(world, k);
            check_map(pool, 0, 1000000);
            check_map(pool, 1, 3);
            check_map(pool, 3, 0);
            check_map(pool, 4000000000u, 10);
        }
        inspect_close();
        inspect_open(&(covey_inspect_desc){ .budget = 1e-9, .write = true });
    }
}

static void test_maps_of_what_is_not_there_are_refused(void **state) {
    (void)state;
    covey_pool_of(world, Blocked);
    assert_refused("GET", "map", NULL, 422, "ARGUMENT");
    assert_refused("GET", "map?type=Nobody", NULL, 409, "ABSENT");
    assert_refused("GET", "map?type=Blocked&from=x", NULL, 422, "ARGUMENT");
    assert_refused("GET", "map?type=Blocked&count=1000001", NULL, 422, "ARGUMENT");
}

/* ---- Changes ------------------------------------------------------------------------------------------------------*/

static void test_advice_can_be_followed(void **state) {
    (void)state;
    fill_world();
    covey_pool *pool = covey_pool_find(world, Packed);
    covey_advice advice = covey_pool_advise(pool);
    assert_int_equal(advice.best, COVEY_STORAGE_BLOCK);
    json_t *listed = get_json("storage");
    assert_string_equal(text_of(find_pool(listed, "Packed"), "do"), "convert");
    assert_string_equal(text_of(find_pool(listed, "Packed"), "best"), "block");
    json_decref(listed);
    json_t *answer = ask_json("POST", "storage", "{\"type\":\"Packed\",\"do\":\"convert\",\"storage\":\"block\"}", 200);
    assert_int_equal(number_of(answer, "before"), advice.bytes);
    assert_int_equal(number_of(answer, "after"), covey_pool_memory(pool));
    assert_true(number_of(answer, "after") < number_of(answer, "before"));
    assert_string_equal(text_of(answer, "kind"), "block");
    assert_int_equal(covey_pool_storage(pool), COVEY_STORAGE_BLOCK);
    json_decref(answer);
    for (uint32_t i = 0; i < COUNT_OF(held); i += 2) assert_value(held[i], covey_id(Packed), i);
}

static void test_pools_are_compacted_and_shrunk(void **state) {
    (void)state;
    fill_world();
    json_decref(ask_json("POST", "storage", "{\"type\":\"Ordered\",\"do\":\"compact\"}", 200));
    covey_pool *pool = covey_pool_find(world, Ordered);
    assert_int_equal(covey_pool_position_count(pool), covey_pool_count(pool));
    assert_int_equal(covey_pool_reserve(pool, 1000), COVEY_OK);
    json_t *answer = ask_json("POST", "storage", "{\"type\":\"Ordered\",\"do\":\"shrink\"}", 200);
    assert_true(number_of(answer, "after") + 1000 < number_of(answer, "before"));
    json_decref(answer);
}

static void test_changes_that_cannot_be_are_refused(void **state) {
    (void)state;
    fill_world();
    uint64_t digest = world_digest(world);
    assert_refused("POST", "storage", "{}", 422, "ARGUMENT");
    assert_refused("POST", "storage", "{\"type\":5}", 422, "ARGUMENT");
    assert_refused("POST", "storage", "{\"type\":\"Nobody\",\"do\":\"shrink\"}", 409, "ABSENT");
    assert_refused("POST", "storage", "{\"type\":\"Packed\"}", 422, "ARGUMENT");
    assert_refused("POST", "storage", "{\"type\":\"Packed\",\"do\":\"burn\"}", 422, "ARGUMENT");
    assert_refused("POST", "storage", "{\"type\":\"Packed\",\"do\":\"convert\"}", 422, "ARGUMENT");
    assert_refused("POST", "storage", "{\"type\":\"Packed\",\"do\":\"convert\",\"storage\":\"paper\"}", 422,
                   "ARGUMENT");
    assert_refused("POST", "storage", "{\"type\":\"Ordered\",\"do\":\"convert\",\"storage\":\"block\"}", 409,
                   "REFUSED");
    inspect_close();
    inspect_open(&(covey_inspect_desc){ .write = false });
    assert_refused("POST", "storage", "{\"type\":\"Packed\",\"do\":\"shrink\"}", 403, "READ_ONLY");
    assert_int_equal(world_digest(world), digest);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        INSPECT_TEST(test_each_pool_is_listed_with_what_it_takes),
        INSPECT_TEST(test_holes_spans_and_forms_are_counted),
        INSPECT_TEST(test_a_world_may_have_no_kinds),
        INSPECT_TEST(test_kinds_are_listed_by_entities),
        INSPECT_TEST(test_kinds_are_listed_in_pages),
        INSPECT_TEST(test_kinds_may_have_types_with_any_name),
        INSPECT_TEST(test_a_small_budget_gives_the_same_answer),
        INSPECT_TEST(test_a_map_has_two_bytes_for_each_block),
        INSPECT_TEST(test_maps_of_what_is_not_there_are_refused),
        INSPECT_TEST(test_advice_can_be_followed),
        INSPECT_TEST(test_pools_are_compacted_and_shrunk),
        INSPECT_TEST(test_changes_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
