/* Images that are loaded into worlds which had entities before: the handles issued before name no entity now. */
#include "fixture.h"
#include "images.h"
#include "texts.h"

#include <covey/commands.h>
#include <covey/hierarchy.h>

static covey_world *source;
static test_heap source_heap;
static covey_buffer image;

static int cleared_setup(void **state) {
    texts = (text_ledger){ 0 };
    image = (covey_buffer){ 0 };
    source = image_world(&source_heap);
    return world_setup(state);
}

static int cleared_teardown(void **state) {
    covey_buffer_free(&image);
    covey_world_destroy(source);
    int result = world_teardown(state);
    assert_int_equal(texts.live, 0);
    assert_false(texts.broken);
    return result;
}

#define CLEARED_TEST(test) cmocka_unit_test_setup_teardown(test, cleared_setup, cleared_teardown)

static const covey_entity none = { 0, 0 };

/* Entities that got another handle by loading. */
static struct { covey_entity before, now; } pairs[128];
static uint32_t pair_count;

static void note(covey_entity before, covey_entity now, void *context) {
    (void)context;
    pairs[pair_count].before = before;
    pairs[pair_count++].now = now;
}

static covey_entity here(covey_entity e) {
    for (uint32_t i = 0; i < pair_count; i++)
        if (covey_same(pairs[i].before, e)) return pairs[i].now;
    return e;
}

static const covey_load_desc known = { .types = image_types, .merged = note };

static void save(void) {
    image.size = 0;
    assert_int_equal(covey_save_to_buffer(source, &image, NULL, NULL), COVEY_OK);
}

static void load(void) {
    covey_report report;
    pair_count = 0;
    if (covey_load_from_memory(world, image.bytes, image.size, &known, &report) != COVEY_OK)
        fail_msg("%s (byte %llu)", report.text, (unsigned long long)report.offset);
    test_world_is_valid(world);
    assert_int_equal(covey_world_memory(world), heap.bytes);
}

static void refuses(covey_result reason, const char *text) {
    covey_report report;
    assert_int_equal(covey_load_from_memory(world, image.bytes, image.size, &known, &report), reason);
    assert_failed(reason);
    if (!strstr(report.text, text)) fail_msg("\"%s\" does not say \"%s\"", report.text, text);
    test_world_is_valid(world);
}

static void is_like_source(void) {
    assert_int_equal(covey_entity_count(world), covey_entity_count(source));
    for (covey_entity e = none; !covey_is_null(e = covey_entity_next(source, e));) {
        covey_entity twin = here(e);
        assert_int_equal(twin.index, e.index);
        assert_true(covey_alive(world, twin));
        for (uint32_t k = 0; k < NUMBER_TYPES; k++) {
            const Number *was = covey_get_raw(source, e, number_types[k]),
                         *is = covey_get_raw(world, twin, number_types[k]);
            assert_int_equal(!was, !is);
            if (was) assert_memory_equal(was, is, sizeof *was);
        }
        const Kinds *kinds = covey_get(source, e, Kinds), *its = covey_get(world, twin, Kinds);
        assert_int_equal(!kinds, !its);
        if (kinds && covey_alive(source, kinds->friend_of)) assert_same(its->friend_of, here(kinds->friend_of));
        if (kinds && !covey_alive(source, kinds->friend_of)) assert_false(covey_alive(world, its->friend_of));
        const Text *text = covey_get(source, e, Text), *other = covey_get(world, twin, Text);
        for (uint32_t i = 0; text && i < text_of(text)->link_count; i++)
            if (covey_alive(source, text_of(text)->links[i]))
                assert_same(text_of(other)->links[i], here(text_of(text)->links[i]));
        assert_same(covey_parent(world, twin), here(covey_parent(source, e)));
        assert_int_equal(covey_is_enabled(world, twin), covey_is_enabled(source, e));
        if (covey_name(source, e)) assert_string_equal(covey_name(world, twin), covey_name(source, e));
    }
}

/* ---- Handles ------------------------------------------------------------------------------------------------------*/

static void test_handles_from_before_never_name_an_entity_of_the_image(void **state) {
    (void)state;
    covey_entity old[6], e[4];
    assert_true(covey_create_many(world, old, 6));
    covey_destroy_all(world);
    assert_true(covey_create_many(source, e, 4));
    covey_destroy(source, e[1]);
    e[1] = covey_create(source); /* was alive twice there: its handle is a new one here, too */
    save();
    load();
    assert_int_equal(covey_entity_count(world), 4);
    for (uint32_t i = 0; i < 6; i++) assert_false(covey_alive(world, old[i]));
    assert_int_equal(pair_count, 3);
    assert_same(here(e[0]), entity(0, 3));
    assert_same(here(e[1]), e[1]);
    assert_true(covey_alive(world, e[1]));
    covey_entity more[3];
    assert_true(covey_create_many(world, more, 3));
    for (uint32_t i = 0; i < 6; i++)
        for (uint32_t k = 0; k < 3; k++) assert_false(covey_same(old[i], more[k]));
    assert_same(more[0], entity(4, 3));
    assert_same(more[1], entity(5, 3));
    assert_same(more[2], entity(6, 1));
}

static void test_free_indices_of_the_image_and_of_the_world_come_back(void **state) {
    (void)state;
    covey_entity e[5], old[8], more[7];
    assert_true(covey_create_many(source, e, 5));
    covey_destroy(source, e[1]), covey_destroy(source, e[3]);
    assert_true(covey_create_many(world, old, 8));
    covey_destroy_all(world);
    save();
    load();
    assert_true(covey_create_many(world, more, 7));
    static const uint32_t expected[] = { 1, 3, 5, 6, 7, 8, 9 };
    for (uint32_t i = 0; i < 7; i++) assert_int_equal(more[i].index, expected[i]);
}

static void test_everything_is_loaded_again_and_again(void **state) {
    (void)state;
    assert_true(image_fill(source) && text_fill(source));
    save();
    for (uint32_t i = 0; i < 3; i++) {
        load();
        assert_int_equal(pair_count != 0, i != 0);
        is_like_source();
        if (COVEY_GENERATION_MAX < 7) return; /* few lives */
        covey_destroy_all(world);
        while (covey_world_resource_count(world) != 0) covey_resource_remove_raw(world, covey_world_resource(world, 0));
    }
}

static void test_an_index_without_a_generation_left_is_refused(void **state) {
    (void)state;
    covey_entity e = last_life(covey_create(world));
    assert_true(covey_destroy(world, e));
    covey_create(source);
    save();
    uint64_t digest = world_digest(world);
    refuses(COVEY_ERROR_IMAGE, "no generation left");
    assert_int_equal(world_digest(world), digest);
    covey_destroy_all(source);
    covey_entity free_there = covey_create_at(source, 3);
    (void)free_there;
    save();
    load(); /* where the index is free in the image, it stays retired */
    assert_int_equal(covey_create(world).index, 1);
}

/* A stale handle in a field of the image must not name an entity of this world. */
static void test_handles_of_nobody_stay_stale(void **state) {
    (void)state;
    covey_entity old = covey_create(world), e = covey_create(source), friends[2] = { entity(0, 3), entity(9, 1) };
    covey_destroy(world, old);
    for (uint32_t i = 0; i < 2; i++) {
        Kinds kinds = kinds_of(1, friends[i]);
        assert_non_null(covey_set_value(source, e, Kinds, &kinds));
        save();
        load();
        assert_same(here(e), entity(0, 3 + 2 * i));
        assert_false(covey_alive(world, covey_get(world, here(e), Kinds)->friend_of));
        if (COVEY_GENERATION_MAX < 7) return;
        covey_destroy_all(world);
    }
}

/* ---- What stays ---------------------------------------------------------------------------------------------------*/

static uint32_t heard_created, heard_added;

static void count_event(const covey_event *event, void *context) {
    (void)context;
    heard_created += event->signal == COVEY_ON_CREATE;
    heard_added += event->signal == COVEY_ON_ADD;
    assert_true(covey_alive(world, event->entities[0]));
}

static void test_groups_listeners_and_orders_stay(void **state) {
    (void)state;
    heard_created = heard_added = 0;
    covey_group_desc owns = { .own = { covey_id(InPack) }, .with = { covey_id(InBlocks) } };
    covey_group_desc in_blocks = { .own = { covey_id(InBlocks) }, .with = { covey_id(InPlace) } };
    covey_group *group = covey_group_create(world, &owns);
    assert_non_null(covey_group_create(world, &in_blocks));
    covey_reactive *reactive = covey_reactive_create(world, &(covey_reactive_desc){ .added = { covey_id(InPins) } });
    assert_int_equal(covey_pool_keep_sorted(covey_pool_of(world, Blob), &(covey_order){ .key = COVEY_KEY_U32 }),
                     COVEY_OK);
    assert_true(group && reactive && image_fill(world));
    covey_destroy_all(world);
    covey_resource_remove(world, Settings), covey_resource_remove(world, Blob), covey_resource_remove(world, Lost);
    covey_connect(world, &(covey_listener){ .signals = COVEY_ON_CREATE, .call = count_event });
    covey_connect(world, &(covey_listener){ .type = covey_id(InPins), .signals = COVEY_ON_ADD, .call = count_event });
    if (COVEY_GENERATION_MAX < 7) return; /* the fill has used up a life of some indices */
    assert_true(image_fill(source));
    save();
    load();
    is_like_source();
    uint32_t members = 0;
    for (covey_entity e = none; !covey_is_null(e = covey_entity_next(world, e));)
        members += covey_has(world, e, InPack) && covey_has(world, e, InBlocks) && covey_is_enabled(world, e) &&
                   covey_component_is_enabled(world, e, InBlocks);
    assert_int_equal(covey_group_count(group), members);
    assert_true(members != 0);
    assert_int_equal(heard_created, covey_entity_count(world));
    assert_int_equal(heard_added, covey_pool_count(covey_pool_of(world, InPins)));
}

static void test_a_world_that_has_something_is_refused(void **state) {
    (void)state;
    covey_create(source);
    save();
    covey_entity e = covey_create(world);
    refuses(COVEY_ERROR_REFUSED, "entities or resources");
    covey_destroy(world, e);
    assert_non_null(covey_resource_set(world, Settings, { 1, 2 }));
    refuses(COVEY_ERROR_REFUSED, "entities or resources");
    covey_resource_remove(world, Settings);
    covey_commands *commands = covey_commands_create(world, NULL);
    assert_int_equal(covey_commands_reserve(commands, 3), COVEY_OK);
    refuses(COVEY_ERROR_REFUSED, "command buffer");
    covey_commands_destroy(commands);
    load();
}

/* ---- All or nothing -----------------------------------------------------------------------------------------------*/

/* Destroyed one by one, entities leave holes in some pools and dead elements in others. */
static void use(void) {
    covey_entity e[12];
    assert_true(covey_create_many(world, e, 12));
    for (uint32_t i = 0; i < 12; i++) {
        assert_non_null(covey_add(world, e[i], InShelf, { i, ~i }));
        assert_non_null(covey_add(world, e[i], InPlace, { i, ~i }));
        assert_non_null(covey_add(world, e[i], InQueue, { i, ~i }));
    }
    covey_range range = covey_range_reserve(world, 40, 4);
    covey_entity inside = covey_create_in(world, range);
    assert_true(covey_alive(world, inside));
    covey_destroy(world, inside), covey_destroy(world, e[7]), covey_destroy(world, e[2]);
    for (uint32_t i = 0; i < 12; i++) covey_destroy(world, e[i]);
}

/* An image of what `use` leaves, with holes and dead elements. */
static covey_buffer used(void) {
    covey_buffer bytes = { 0 };
    static const covey_type *const types[] = { covey_id(InShelf), covey_id(InPlace), covey_id(InQueue), NULL };
    covey_save_desc desc = { .types = types };
    assert_int_equal(covey_save_to_buffer(world, &bytes, &desc, NULL), COVEY_OK);
    return bytes;
}

/* Whether the image of the world is the same now. */
static bool is_used_so(const covey_buffer *before) {
    covey_buffer now = used();
    bool same = now.size == before->size && memcmp(now.bytes, before->bytes, now.size) == 0;
    covey_buffer_free(&now);
    return same;
}

static void test_all_or_nothing_when_memory_is_out(void **state) {
    (void)state;
    assert_true(image_fill(source) && text_fill(source));
    save();
    use();
    uint64_t digest = image_digest(world);
    covey_buffer before = used();
    uint32_t failures = 0;
    for (uint32_t at = 1;; at++) {
        test_fail_at(&heap, at, at % 2 == 0);
        pair_count = 0;
        covey_result result = covey_load_from_memory(world, image.bytes, image.size, &known, NULL);
        test_fail_never(&heap);
        test_world_is_valid(world);
        if (result == COVEY_OK) break;
        assert_int_equal(result, COVEY_ERROR_MEMORY);
        assert_int_equal(pair_count, 0);
        assert_int_equal(image_digest(world), digest);
        assert_true(is_used_so(&before));
        failures++;
    }
    assert_true(failures > 20);
    covey_buffer_free(&before);
    is_like_source();
}

static void test_a_damaged_image_changes_nothing(void **state) {
    (void)state;
    assert_true(image_fill(source) && text_fill(source));
    save();
    use();
    uint64_t digest = image_digest(world);
    covey_buffer before = used();
    for (size_t bit = 0; bit < image.size * 8; bit += 29) {
        image.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        assert_int_equal(covey_load_from_memory(world, image.bytes, image.size, &known, NULL), COVEY_ERROR_IMAGE);
        image.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        if (bit % 7 == 0) assert_int_equal(image_digest(world), digest);
    }
    assert_int_equal(image_digest(world), digest);
    assert_true(is_used_so(&before));
    covey_buffer_free(&before);
    load();
    is_like_source();
}

/* ---- Random worlds ------------------------------------------------------------------------------------------------*/

static void live(test_random *random, covey_world *of, covey_entity *seen, uint32_t *count) {
    for (uint32_t i = test_below(random, 80); i != 0; i--) {
        covey_entity e = none;
        for (uint32_t k = test_below(random, 20) + 1; k != 0; k--) e = covey_entity_next(of, e);
        if (test_below(random, 3) == 0 && !covey_is_null(e)) covey_destroy(of, e);
        else if (test_below(random, 8) == 0) e = covey_create_at(of, test_below(random, 90));
        else e = covey_create(of);
        if (!covey_alive(of, e)) continue;
        const covey_type *type = number_types[test_below(random, NUMBER_TYPES)];
        Number number = image_number(i);
        covey_set_raw(of, e, type, &number);
        if (test_below(random, 3) == 0) covey_set(of, e, Kinds, { .friend_of = e, .i32 = (int32_t)i });
        if (seen && *count < 512) seen[(*count)++] = e;
    }
}

static void test_random_worlds_are_loaded_into(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= test_scaled(300); seed++) {
        test_random random = { seed };
        covey_entity seen[512];
        uint32_t count = 0;
        covey_report report;
        covey_group_desc packed = { .own = { covey_id(InPack) }, .with = { covey_id(InBlocks) } };
        covey_group_desc blocks = { .own = { covey_id(InBlocks) }, .with = { covey_id(InPlace) } };
        if (seed % 2 == 0) assert_true(covey_group_create(world, &packed) && covey_group_create(world, &blocks));
        live(&random, world, seen, &count);
        if (test_below(&random, 2) == 0) covey_destroy_all(world);
        if (test_below(&random, 2) == 0) live(&random, world, seen, &count);
        covey_destroy_all(world);
        live(&random, source, NULL, NULL);
        save();
        pair_count = 0;
        covey_result result = covey_load_from_memory(world, image.bytes, image.size, &known, &report);
        test_world_is_valid(world);
        if (result == COVEY_OK) is_like_source();
        else assert_non_null(strstr(report.text, "no generation left"));
        for (uint32_t i = 0; i < count; i++) assert_false(covey_alive(world, seen[i]));
        live(&random, world, NULL, NULL);
        test_world_is_valid(world);
        for (uint32_t i = 0; i < count; i++) assert_false(covey_alive(world, seen[i]));
        assert_int_equal(cleared_teardown(NULL), 0);
        assert_int_equal(cleared_setup(NULL), 0);
    }
}

/* ---- What was there before ----------------------------------------------------------------------------------------*/

typedef Number Ticking;
COVEY_COMPONENT_DEFINE(Ticking, .ticks = true, .as_bytes = true);

static void write_all(covey_world *to) {
    covey_view view = covey_view_of(to, Ticking);
    covey_iter it = covey_view_iter(&view);
    while (covey_next(&it)) {
    }
}

/* A span over a whole block notes one tick for all of it. */
static void test_ticks_from_before_count_for_nothing(void **state) {
    (void)state;
    covey_entity e[64];
    assert_true(covey_create_many_with(world, e, 64, covey_with_default(Ticking)));
    for (uint32_t i = 0; i < 5; i++) covey_tick_advance(world);
    write_all(world);
    covey_destroy_all(world);
    covey_add_default(source, covey_create(source), Ticking);
    save();
    load();
    covey_entity loaded = covey_entity_next(world, none);
    assert_int_equal(covey_changed_at(world, loaded, Ticking), 1);
}

/* Whatever allocation fails, pools are in the storage in which they were. */
static void test_a_load_that_fails_converts_no_pool(void **state) {
    (void)state;
    covey_pool *there = covey_pool_of(source, Ticking), *pool = covey_pool_of(world, Ticking);
    assert_int_equal(covey_pool_convert(there, COVEY_STORAGE_SPARSE), COVEY_OK);
    for (uint32_t i = 0; i < 10; i++) covey_add_default(source, covey_create(source), Ticking);
    save();
    for (uint64_t at = 1; covey_pool_storage(pool) == COVEY_STORAGE_BLOCK; at++) {
        test_fail_at(&heap, at, true);
        covey_result result = covey_load_from_memory(world, image.bytes, image.size, &known, NULL);
        test_fail_never(&heap);
        test_world_is_valid(world);
        assert_int_equal(covey_pool_storage(pool), result == COVEY_OK ? COVEY_STORAGE_SPARSE : COVEY_STORAGE_BLOCK);
        assert_true(result == COVEY_OK || result == COVEY_ERROR_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CLEARED_TEST(test_handles_from_before_never_name_an_entity_of_the_image),
        CLEARED_TEST(test_free_indices_of_the_image_and_of_the_world_come_back),
        CLEARED_TEST(test_ticks_from_before_count_for_nothing),
        CLEARED_TEST(test_a_load_that_fails_converts_no_pool),
        CLEARED_TEST(test_everything_is_loaded_again_and_again),
        CLEARED_TEST(test_an_index_without_a_generation_left_is_refused),
        CLEARED_TEST(test_handles_of_nobody_stay_stale),
        CLEARED_TEST(test_groups_listeners_and_orders_stay),
        CLEARED_TEST(test_a_world_that_has_something_is_refused),
        CLEARED_TEST(test_all_or_nothing_when_memory_is_out),
        CLEARED_TEST(test_a_damaged_image_changes_nothing),
        CLEARED_TEST(test_random_worlds_are_loaded_into),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
