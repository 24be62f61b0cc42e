/* Images that are added to worlds with entities of their own. */
#include "hearing.h"
#include "images.h"
#include "owned.h"

#include <covey/hierarchy.h>

static covey_world *origin;
static test_heap origin_heap;
static covey_buffer image;

static int merge_setup(void **state) {
    image = (covey_buffer){ 0 };
    origin = image_world(&origin_heap);
    return owned_setup(state);
}

static int merge_teardown(void **state) {
    covey_buffer_free(&image);
    covey_world_destroy(origin);
    return owned_teardown(state);
}

#define MERGE_TEST(test) cmocka_unit_test_setup_teardown(test, merge_setup, merge_teardown)

/* The handles of an entity before and after the merge. */
static struct { covey_entity before, now; } pairs[64];
static uint32_t pair_count;

static void note_merged(covey_entity before, covey_entity now, void *context) {
    assert_ptr_equal(context, &pair_count);
    pairs[pair_count].before = before;
    pairs[pair_count++].now = now;
}

static covey_entity now(covey_entity before) {
    for (uint32_t i = 0; i < pair_count; i++)
        if (covey_same(pairs[i].before, before)) return pairs[i].now;
    return entity(0, 0);
}

static const covey_load_desc known = { .types = image_types, .merged = note_merged, .merged_context = &pair_count };

static void save(void) {
    image.size = 0;
    assert_int_equal(covey_save_to_buffer(origin, &image, NULL, NULL), COVEY_OK);
}

static void merge_with(const covey_load_desc *desc) {
    covey_report report;
    pair_count = 0;
    covey_result result = covey_merge_from_memory(world, image.bytes, image.size, desc, &report);
    if (result != COVEY_OK) fail_msg("%s (byte %llu)", report.text, (unsigned long long)report.offset);
    assert_int_equal(report.result, COVEY_OK);
    test_world_is_valid(world);
    assert_int_equal(covey_world_memory(world), heap.bytes);
}

static void save_and_merge(void) {
    save();
    merge_with(&known);
}

static covey_report fails_to_merge(const covey_load_desc *desc, covey_result reason) {
    covey_report report;
    uint64_t digest = image_digest(world);
    uint32_t times = heard.times;
    assert_int_equal(covey_merge_from_memory(world, image.bytes, image.size, desc, &report), reason);
    assert_int_equal(heard.times, times + 1);
    assert_failed(reason);
    assert_int_equal(report.result, reason);
    assert_true(report.text[0] != '\0');
    assert_int_equal(image_digest(world), digest);
    test_world_is_valid(world);
    return report;
}

/* ---- Entities and handles -----------------------------------------------------------------------------------------*/

static void test_entities_get_the_handles_that_are_next(void **state) {
    (void)state;
    covey_entity e[6];
    assert_true(covey_create_many(world, e, 6));
    assert_true(covey_destroy(world, e[4]) && covey_destroy(world, e[1]));
    assert_true(covey_create_many(origin, e, 4) && covey_destroy(origin, e[2]));
    save_and_merge();
    assert_int_equal(pair_count, 3);
    assert_int_equal(covey_entity_count(world), 4 + 3);
    static const uint32_t indices[] = { 1, 4, 6 };
    for (uint32_t i = 0; i < 3; i++) assert_int_equal(pairs[i].now.index, indices[i]);
    assert_same(pairs[2].before, e[3]);
}

static void test_components_and_all_else_come_along(void **state) {
    (void)state;
    assert_true(image_fill(origin));
    for (uint32_t i = 0; i < 7; i++) covey_create(world);
    save_and_merge();
    uint32_t seen = 0;
    for (covey_entity e = { 0, 0 }; !covey_is_null(e = covey_entity_next(origin, e)); seen++) {
        covey_entity here = now(e);
        assert_true(covey_alive(world, here));
        for (uint32_t k = 0; k < NUMBER_TYPES; k++) {
            const Number *was = covey_get_raw(origin, e, number_types[k]);
            const Number *is = covey_get_raw(world, here, number_types[k]);
            assert_int_equal(!was, !is);
            if (was) assert_memory_equal(was, is, sizeof *was);
            assert_int_equal(covey_component_is_enabled_raw(origin, e, number_types[k]),
                             covey_component_is_enabled_raw(world, here, number_types[k]));
        }
        assert_int_equal(covey_has(origin, e, PlainTag), covey_has(world, here, PlainTag));
        assert_int_equal(covey_has(origin, e, SparseTag), covey_has(world, here, SparseTag));
        assert_int_equal(covey_is_enabled(origin, e), covey_is_enabled(world, here));
        assert_same(covey_parent(world, here), now(covey_parent(origin, e)));
        assert_same(covey_child_next(world, here), now(covey_child_next(origin, e)));
        const char *name = covey_name(origin, e);
        if (name) assert_string_equal(covey_name(world, here), name);
        else assert_null(covey_name(world, here));
    }
    assert_int_equal(seen, pair_count);
}

/* In all shapes: one, an array, and inside of structs; those that are not alive in the image become null. */
typedef struct Link {
    uint32_t weight;
    covey_entity to;
} Link;
typedef struct Links {
    covey_entity one, many[3];
    Link link, links[2];
} Links;
COVEY_FIELDS_DEFINE(Link, u32(weight), entity(to));
COVEY_FIELDS_DEFINE(Links, entity(one), array(entity, many), nested(Link, link), nested_array(Link, links));
COVEY_COMPONENT_DEFINE(Links, .fields = &covey_fields_Links);
static const covey_type *const link_types[] = { covey_id(Links), NULL };

static void test_handles_in_fields_become_the_new_ones(void **state) {
    (void)state;
    covey_entity a = covey_create(origin), b = covey_create(origin), dead = covey_create(origin);
    assert_true(covey_destroy(origin, dead));
    Links links = { .one = b, .many = { a, dead, { 77, 3 } }, .link = { 5, a }, .links = { { 6, b }, { 7, dead } } };
    assert_non_null(covey_add_value(origin, a, Links, &links));
    assert_non_null(covey_resource_set_value(origin, Links, &links));
    for (uint32_t i = 0; i < 5; i++) covey_create(world);
    save();
    covey_load_desc desc = known;
    desc.types = link_types;
    merge_with(&desc);
    const Links *both[] = { covey_get(world, now(a), Links), covey_resource_get(world, Links) };
    for (uint32_t i = 0; i < 2; i++) {
        assert_same(both[i]->one, now(b));
        assert_same(both[i]->many[0], now(a));
        assert_same(both[i]->many[1], entity(0, 0));
        assert_same(both[i]->many[2], entity(0, 0));
        assert_same(both[i]->link.to, now(a));
        assert_same(both[i]->links[0].to, now(b));
        assert_same(both[i]->links[1].to, entity(0, 0));
        assert_true(both[i]->link.weight == 5 && both[i]->links[0].weight == 6 && both[i]->links[1].weight == 7);
    }
}

static void test_an_image_can_be_merged_again_and_again(void **state) {
    (void)state;
    assert_true(image_fill(origin));
    save();
    uint32_t alive = covey_entity_count(origin);
    for (uint32_t i = 1; i <= 5; i++) {
        merge_with(&known);
        assert_int_equal(covey_entity_count(world), i * alive);
        assert_int_equal(covey_pool_count(covey_pool_of(world, InPlace)),
                         i * covey_pool_count(covey_pool_of(origin, InPlace)));
    }
}

static void test_an_image_of_the_world_itself_can_be_merged_into_it(void **state) {
    (void)state;
    assert_true(image_fill(world));
    uint32_t alive = covey_entity_count(world);
    covey_clear(world, Lost);
    image.size = 0;
    assert_int_equal(covey_save_to_buffer(world, &image, NULL, NULL), COVEY_OK);
    merge_with(&known);
    assert_int_equal(covey_entity_count(world), 2 * alive);
}

/* ---- What is there already ----------------------------------------------------------------------------------------*/

static void test_ticks_are_those_of_now(void **state) {
    (void)state;
    covey_entity e = covey_create(origin);
    assert_non_null(covey_add(origin, e, InPins, { 1, ~1u }));
    for (uint32_t i = 0; i < 5; i++) covey_tick_advance(origin);
    for (uint32_t i = 0; i < 3; i++) covey_tick_advance(world);
    save_and_merge();
    assert_int_equal(covey_tick(world), 4);
    assert_int_equal(covey_changed_at(world, now(e), InPins), 4);
}

static void test_resources_that_the_world_has_stay(void **state) {
    (void)state;
    assert_non_null(covey_resource_set(world, Settings, { 1, 2 }));
    assert_true(image_fill(origin));
    save_and_merge();
    assert_int_equal(covey_resource_get(world, Settings)->number, 1);
    assert_int_equal(covey_resource_get(world, Blob)->number, 6);
}

static void test_names_that_siblings_have_are_not_given(void **state) {
    (void)state;
    covey_entity mine = covey_create(world);
    assert_int_equal(covey_name_set(world, mine, "root"), COVEY_OK);
    assert_true(image_fill(origin));
    covey_entity root = covey_find_child(origin, entity(0, 0), "root");
    save_and_merge();
    assert_same(covey_find_child(world, entity(0, 0), "root"), mine);
    assert_null(covey_name(world, now(root)));
    assert_string_equal(covey_name(world, now(covey_child_first(origin, root))), "left");
}

static void test_unknown_types_are_refused_skipped_or_kept(void **state) {
    (void)state;
    assert_true(image_fill(origin));
    save();
    assert_int_equal(fails_to_merge(NULL, COVEY_ERROR_IMAGE).fault, COVEY_FAULT_TYPE);
    merge_with(&(covey_load_desc){ .unknown = COVEY_UNKNOWN_SKIP });
    assert_null(covey_type_find(world, "InPack"));
    merge_with(&(covey_load_desc){ .unknown = COVEY_UNKNOWN_KEEP });
    const covey_type *kept = covey_type_find(world, "InPack");
    assert_int_equal(covey_pool_count(covey_pool_of_raw(world, kept)), covey_pool_count(covey_pool_of(origin, InPack)));
    assert_int_equal(covey_world_resource_count(world), 2);
    merge_with(NULL); /* by now they are known */
    assert_int_equal(covey_pool_count(covey_pool_of_raw(world, kept)),
                     2 * covey_pool_count(covey_pool_of(origin, InPack)));
}

static void test_only_some_types_can_be_merged(void **state) {
    (void)state;
    static const covey_type *const some[] = { covey_id(InPack), NULL };
    assert_true(image_fill(origin));
    save();
    merge_with(&(covey_load_desc){ .only = some });
    assert_int_equal(covey_pool_count(covey_pool_of(world, InPack)), covey_pool_count(covey_pool_of(origin, InPack)));
    assert_null(covey_pool_find(world, Kinds));
    assert_int_equal(covey_world_resource_count(world), 0);
}

/* ---- Who watches --------------------------------------------------------------------------------------------------*/

static void test_who_listens_hears_of_it(void **state) {
    (void)state;
    static ear entities = { .name = "e" }, pack = { .name = "p" }, blocks = { .name = "b" };
    covey_entity e[3];
    assert_true(covey_create_many(origin, e, 3));
    assert_non_null(covey_add(origin, e[0], InPack, { 0, 0 }));
    assert_non_null(covey_add(origin, e[2], InPack, { 2, 2 }));
    assert_non_null(covey_add(origin, e[1], InBlocks, { 1, 1 }));
    covey_create(world);
    listen_begin();
    listen(&entities, NULL, ENTITY_SIGNALS);
    listen(&pack, covey_id(InPack), COMPONENT_SIGNALS);
    listen(&blocks, covey_id(InBlocks), COMPONENT_SIGNALS);
    covey_queue *queue = covey_queue_create(world);
    covey_connect(world, &(covey_listener){ .type = covey_id(InPack), .signals = COMPONENT_SIGNALS, .queue = queue });
    covey_reactive *set = covey_reactive_create(world, &(covey_reactive_desc){ .added = { covey_id(InPack) } });
    save_and_merge();
    assert_told("e*1 e*2 e*3 p+1 p+3 b+2");
    assert_queued(queue, "+1 +3");
    assert_int_equal(covey_reactive_count(set), 2);
    covey_destroy_all(world);
    covey_queue_destroy(queue);
}

static void merge_meanwhile(const covey_event *event) {
    assert_int_equal(covey_merge_from_memory(event->world, image.bytes, image.size, &known, NULL), COVEY_OK);
}

/* As they may create entities, which are told of at once. */
static void test_listeners_may_merge(void **state) {
    (void)state;
    static ear first = { .name = "a", .act = merge_meanwhile, .acts = 1 }, second = { .name = "b" };
    covey_entity e[2];
    assert_true(covey_create_many(origin, e, 2));
    assert_non_null(covey_add(origin, e[1], InPack, { 1, 1 }));
    save();
    listen_begin();
    pair_count = 0;
    listen(&first, NULL, COVEY_ON_CREATE);
    listen(&second, NULL, COVEY_ON_CREATE);
    first.acts = 1;
    covey_create(world);
    assert_told("a*0 a*1 a*2 b*1 b*2 b*0");
    assert_int_equal(covey_entity_count(world), 3);
    assert_int_equal(covey_pool_count(covey_pool_of(world, InPack)), 1);
}

static void test_groups_and_orders_have_what_is_merged(void **state) {
    (void)state;
    covey_order order = { .key = COVEY_KEY_U32, .offset = offsetof(Number, number) };
    covey_group *group =
        covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Blob) }, .with = { covey_id(InPlace) } });
    assert_int_equal(covey_pool_keep_sorted(covey_pool_of(world, InPack), &order), COVEY_OK);
    assert_true(image_fill(world) && image_fill(origin));
    uint32_t before = covey_group_count(group);
    save_and_merge();
    assert_int_equal(covey_group_count(group), 2 * before);
    const Number *values = covey_pool_values_raw(covey_pool_of(world, InPack));
    for (uint32_t i = 1; i < covey_pool_count(covey_pool_of(world, InPack)); i++)
        assert_true(values[i - 1].number <= values[i].number);
}

/* ---- Values with hooks --------------------------------------------------------------------------------------------*/

COVEY_FIELDS_DEFINE(Owned, u32(number), u32(check));
COVEY_COMPONENT_DEFINE(Owned, .drop = drop_owned, .copy = copy_owned, .fields = &covey_fields_Owned);
static const covey_type *const owned_types[] = { covey_id(Owned), NULL };

static void fill_owned(uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        owned.alive++;
        assert_non_null(covey_add(origin, covey_create(origin), Owned, { i, ~i }));
    }
    owned.alive++;
    assert_non_null(covey_resource_set(origin, Owned, { 99, ~99u }));
}

static void test_values_with_hooks_move_over(void **state) {
    (void)state;
    fill_owned(5);
    save();
    merge_with(&(covey_load_desc){ .types = owned_types });
    owned.alive += 5 + 1;
    assert_int_equal(owned.copies, 0);
    merge_with(&(covey_load_desc){ .types = owned_types }); /* its resource is not taken */
    owned.alive += 5;
}

/* ---- Refusals -----------------------------------------------------------------------------------------------------*/

/* Few indices are left. */
static void test_a_world_that_is_full_is_as_it_was(void **state) {
    (void)state;
    if (COVEY_NONE > 100000) return;
    fill_owned(40);
    save();
    uint32_t alive = owned.alive;
    for (uint32_t i = 0; i < COVEY_NONE - 30; i++) assert_false(covey_is_null(covey_create(world)));
    covey_report report = fails_to_merge(&(covey_load_desc){ .types = owned_types }, COVEY_ERROR_FULL);
    assert_int_equal(report.fault, COVEY_FAULT_NONE);
    assert_int_equal(owned.alive, alive);
}

static void test_limits_hold_for_merging_too(void **state) {
    (void)state;
    assert_true(image_fill(origin) && image_fill(world));
    save();
    covey_load_desc desc = known;
    desc.limit_entities = 3;
    assert_int_equal(fails_to_merge(&desc, COVEY_ERROR_LIMIT).fault, COVEY_FAULT_LIMIT);
    desc.limit_entities = 0;
    desc.limit_bytes = 500;
    assert_int_equal(fails_to_merge(&desc, COVEY_ERROR_LIMIT).fault, COVEY_FAULT_LIMIT);
}

static bool stop(uint64_t done, uint64_t all, void *context) {
    (void)done, (void)all, (void)context;
    return false;
}

typedef struct Page {
    uint8_t bytes[600000];
} Page;
COVEY_COMPONENT_DEFINE(Page, .as_bytes = true, .storage = COVEY_STORAGE_SPARSE);

static void test_merging_can_be_cancelled(void **state) {
    (void)state;
    static const covey_type *const types[] = { covey_id(Page), NULL };
    static Page page;
    for (uint32_t i = 0; i < 4; i++) assert_non_null(covey_add_value(origin, covey_create(origin), Page, &page));
    save();
    assert_true(image_fill(world));
    fails_to_merge(&(covey_load_desc){ .types = types, .progress = stop }, COVEY_ERROR_CANCELLED);
}

/* Another resource of the image has found its place by then. */
static void test_a_resource_of_another_layout_is_in_the_way(void **state) {
    (void)state;
    static const covey_type other = { .name = "Blob", .size = 4, .align = 4, .as_bytes = true };
    covey_create(origin);
    assert_non_null(covey_resource_set(origin, Settings, { 1, 2 }));
    assert_non_null(covey_resource_set(origin, Blob, { 1, 2 }));
    save();
    assert_non_null(covey_resource_set_raw(world, &other, NULL));
    fails_to_merge(&known, COVEY_ERROR_LAYOUT);
    assert_false(covey_resource_has(world, Settings));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        MERGE_TEST(test_entities_get_the_handles_that_are_next),
        MERGE_TEST(test_components_and_all_else_come_along),
        MERGE_TEST(test_handles_in_fields_become_the_new_ones),
        MERGE_TEST(test_an_image_can_be_merged_again_and_again),
        MERGE_TEST(test_an_image_of_the_world_itself_can_be_merged_into_it),
        MERGE_TEST(test_ticks_are_those_of_now),
        MERGE_TEST(test_resources_that_the_world_has_stay),
        MERGE_TEST(test_names_that_siblings_have_are_not_given),
        MERGE_TEST(test_unknown_types_are_refused_skipped_or_kept),
        MERGE_TEST(test_only_some_types_can_be_merged),
        MERGE_TEST(test_who_listens_hears_of_it),
        MERGE_TEST(test_listeners_may_merge),
        MERGE_TEST(test_groups_and_orders_have_what_is_merged),
        MERGE_TEST(test_values_with_hooks_move_over),
        MERGE_TEST(test_a_world_that_is_full_is_as_it_was),
        MERGE_TEST(test_limits_hold_for_merging_too),
        MERGE_TEST(test_merging_can_be_cancelled),
        MERGE_TEST(test_a_resource_of_another_layout_is_in_the_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
