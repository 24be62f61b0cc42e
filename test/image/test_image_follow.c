/* Worlds that follow a source, image by image. */
#include "following.h"
#include "hearing.h"
#include "owned.h"

#include <covey/hierarchy.h>

/* ---- Entities and components --------------------------------------------------------------------------------------*/

static void test_a_second_image_updates_what_the_first_has_made(void **state) {
    (void)state;
    covey_entity local = covey_create(world), e[4], first[4];
    assert_true(covey_create_many(source, e, 4));
    for (uint32_t i = 0; i < 4; i++) assert_non_null(covey_add(source, e[i], InPack, { i, ~i }));
    follow();
    for (uint32_t i = 0; i < 4; i++) first[i] = here(e[i]);
    is_like_source(1);
    covey_destroy(source, e[1]);
    covey_remove(source, e[2], InPack);
    assert_non_null(covey_set(source, e[3], InPack, { 33, ~33u }));
    assert_non_null(covey_add(source, e[0], InBlocks, { 5, ~5u }));
    covey_entity fresh = covey_create(source); /* at the index of the one that is gone */
    assert_int_equal(fresh.index, e[1].index);
    follow();
    is_like_source(1);
    for (uint32_t i = 0; i < 4; i++)
        if (i != 1) assert_same(here(e[i]), first[i]);
    assert_false(covey_alive(world, first[1]));
    assert_no_entity(here(e[1]));
    assert_true(covey_alive(world, here(fresh)) && covey_alive(world, local));
}

static void test_everything_is_followed(void **state) {
    (void)state;
    assert_true(image_fill(source) && text_fill(source));
    for (uint32_t i = 0; i < 3; i++) {
        follow();
        is_like_source(0);
    }
    assert_int_equal(covey_resource_get(world, Settings)->number, 5);
    assert_non_null(covey_resource_set(source, Settings, { 9, ~9u }));
    assert_true(covey_resource_remove(source, Blob));
    follow();
    assert_int_equal(covey_resource_get(world, Settings)->number, 9);
    assert_true(covey_resource_has(world, Blob)); /* resources are never removed */
    covey_destroy_all(source);
    follow();
    assert_int_equal(covey_entity_count(world), 0);
}

static void test_who_was_destroyed_here_is_made_again(void **state) {
    (void)state;
    covey_entity e = covey_create(source);
    assert_non_null(covey_add(source, e, InPack, { 1, ~1u }));
    follow();
    covey_entity first = here(e);
    assert_true(covey_destroy(world, first));
    assert_no_entity(here(e));
    follow();
    assert_false(covey_same(here(e), first));
    is_like_source(0);
}

/* ---- What is this world's own -------------------------------------------------------------------------------------*/

static void test_components_of_other_types_stay(void **state) {
    (void)state;
    covey_entity e = covey_create(source);
    assert_non_null(covey_add(source, e, InPack, { 1, ~1u }));
    follow();
    assert_non_null(covey_add(world, here(e), InQueue, { 7, ~7u }));
    assert_true(covey_add_tag(world, here(e), SparseTag));
    follow();
    assert_int_equal(covey_get(world, here(e), InQueue)->number, 7);
    assert_true(covey_has(world, here(e), SparseTag));
    assert_non_null(covey_add(source, covey_create(source), InQueue, { 1, ~1u })); /* from now on, the source has it */
    follow();
    assert_false(covey_has(world, here(e), InQueue));
    assert_true(covey_has(world, here(e), SparseTag));
}

static void test_kept_types_are_only_added(void **state) {
    (void)state;
    static const covey_type *const kept[] = { covey_id(InPack), covey_id(Text), covey_id(Settings), NULL };
    covey_load_desc desc = { .types = image_types, .keep = kept };
    covey_entity e = covey_create(source), other = covey_create(source);
    Text text = text_make("theirs", NULL, 0), more = text_make("more", NULL, 0), mine = text_make("mine", NULL, 0);
    assert_non_null(covey_add(source, e, InPack, { 1, ~1u }));
    assert_non_null(covey_add_value(source, e, Text, &text));
    assert_non_null(covey_resource_set(source, Settings, { 1, ~1u }));
    save_with(NULL);
    follow_with(&desc);
    assert_int_equal(covey_get(world, here(e), InPack)->number, 1);
    assert_non_null(covey_set(world, here(e), InPack, { 2, ~2u }));
    assert_non_null(covey_set_value(world, here(e), Text, &mine));
    assert_non_null(covey_resource_set(world, Settings, { 3, ~3u }));
    assert_non_null(covey_add_value(source, other, Text, &more));
    save_with(NULL);
    follow_with(&desc);
    assert_int_equal(covey_get(world, here(e), InPack)->number, 2);
    assert_memory_equal(text_of(covey_get(world, here(e), Text))->text, "mine", 4);
    assert_memory_equal(text_of(covey_get(world, here(other), Text))->text, "more", 4);
    assert_int_equal(covey_resource_get(world, Settings)->number, 3);
    covey_remove(source, e, InPack);
    save_with(NULL);
    follow_with(&desc);
    assert_true(covey_has(world, here(e), InPack));
    covey_remove(world, here(e), InPack);
}

/* ---- Changes only -------------------------------------------------------------------------------------------------*/

static void test_an_image_of_changes_leaves_the_rest(void **state) {
    (void)state;
    covey_entity e[3];
    assert_true(covey_create_many(source, e, 3));
    for (uint32_t i = 0; i < 3; i++) {
        assert_non_null(covey_add(source, e[i], InPins, { i, ~i })); /* with ticks */
        assert_non_null(covey_add(source, e[i], InPack, { i, ~i }));
    }
    follow();
    uint64_t since = covey_tick(source);
    covey_tick_advance(source);
    assert_non_null(covey_set(source, e[1], InPins, { 11, ~11u }));
    covey_remove(source, e[2], InPack);
    covey_destroy(source, e[0]);
    save_with(&(covey_save_desc){ .changed_since = since });
    follow_with(&known);
    is_like_source(0);
    assert_int_equal(covey_get(world, here(e[2]), InPins)->number, 2);
}

static bool is_first(const covey_world *of, covey_entity e, void *context) {
    (void)of, (void)context;
    return e.index == 0;
}

/* What leaves the area of interest is gone here. */
static void test_an_image_of_some_entities_is_all_that_is_followed(void **state) {
    (void)state;
    covey_entity e[2];
    assert_true(covey_create_many(source, e, 2));
    follow();
    covey_entity away = here(e[1]);
    save_with(&(covey_save_desc){ .choose = is_first });
    follow_with(&known);
    assert_int_equal(covey_entity_count(world), 1);
    assert_false(covey_alive(world, away));
    follow();
    is_like_source(0);
}

/* ---- Places -------------------------------------------------------------------------------------------------------*/

static void is_named(covey_entity e, const char *text) { assert_int_equal(covey_name_set(source, e, text), COVEY_OK); }

static void is_child(covey_entity child, covey_entity parent) {
    assert_int_equal(covey_parent_set(source, child, parent), COVEY_OK);
}

static void test_parents_and_names_follow(void **state) {
    (void)state;
    covey_entity e[4];
    assert_true(covey_create_many(source, e, 4));
    is_child(e[1], e[0]), is_child(e[2], e[0]), is_child(e[3], e[2]);
    is_named(e[0], "a"), is_named(e[1], "b"), is_named(e[2], "c");
    follow();
    is_like_source(0);
    is_named(e[1], "x"), is_named(e[2], "b"), is_named(e[0], NULL), is_named(e[3], "new");
    assert_int_equal(covey_child_move(source, e[2], e[1]), COVEY_OK);
    follow();
    is_like_source(0);
    is_named(e[2], "x2"), is_named(e[1], "b"), is_named(e[2], "x");   /* names change places */
    is_child(e[2], none), is_child(e[0], e[3]), is_child(e[1], e[2]); /* what was above is below */
    follow();
    is_like_source(0);
    assert_no_entity(covey_parent(world, here(e[2])));
}

static void test_places_of_this_world_stay(void **state) {
    (void)state;
    covey_entity e[3], mine[2];
    assert_true(covey_create_many(source, e, 3) && covey_create_many(world, mine, 2));
    is_child(e[1], e[0]);
    is_named(e[1], "it"), is_named(e[2], "root");
    follow();
    assert_int_equal(covey_parent_set(world, here(e[2]), mine[0]), COVEY_OK);
    assert_int_equal(covey_parent_set(world, mine[1], here(e[0])), COVEY_OK);
    assert_int_equal(covey_name_set(world, mine[1], "taken"), COVEY_OK);
    is_named(e[1], "taken");
    follow();
    assert_same(covey_parent(world, here(e[2])), mine[0]); /* a root of the source */
    assert_same(covey_parent(world, mine[1]), here(e[0]));
    assert_string_equal(covey_name(world, mine[1]), "taken");
    assert_null(covey_name(world, here(e[1])));
    assert_same(covey_child_last(world, here(e[0])), here(e[1]));
}

/* A change of parent that would make an entity its own ancestor is ignored. */
static void test_nobody_becomes_its_own_ancestor(void **state) {
    (void)state;
    covey_entity e[2], mine = covey_create(world);
    assert_true(covey_create_many(source, e, 2));
    follow();
    assert_int_equal(covey_parent_set(world, mine, here(e[1])), COVEY_OK);
    assert_int_equal(covey_parent_set(world, here(e[0]), mine), COVEY_OK);
    is_child(e[1], e[0]);
    follow();
    assert_same(covey_parent(world, here(e[1])), here(e[0]));
    assert_no_entity(covey_parent(world, here(e[0])));
    assert_same(covey_parent(world, mine), here(e[1]));
}

/* ---- Who hears of it ----------------------------------------------------------------------------------------------*/

static uint32_t created, destroyed, added, set, removed;

static void count_event(const covey_event *event, void *context) {
    (void)context;
    created += event->signal == COVEY_ON_CREATE;
    destroyed += event->signal == COVEY_ON_DESTROY;
    added += event->signal == COVEY_ON_ADD;
    set += event->signal == COVEY_ON_SET;
    removed += event->signal == COVEY_ON_REMOVE;
}

static void heard_of(uint32_t of_created, uint32_t of_destroyed, uint32_t of_added, uint32_t of_set,
                     uint32_t of_removed) {
    assert_int_equal(created, of_created);
    assert_int_equal(destroyed, of_destroyed);
    assert_int_equal(added, of_added);
    assert_int_equal(set, of_set);
    assert_int_equal(removed, of_removed);
    created = destroyed = added = set = removed = 0;
}

static void test_observers_hear_of_what_changes_and_of_nothing_else(void **state) {
    (void)state;
    covey_entity e[3];
    created = destroyed = added = set = removed = 0;
    covey_connect(world, &(covey_listener){ .signals = COVEY_ON_CREATE | COVEY_ON_DESTROY, .call = count_event });
    covey_connect(world, &(covey_listener){ .type = covey_id(InPins),
                                            .signals = COVEY_ON_ADD | COVEY_ON_SET | COVEY_ON_REMOVE,
                                            .call = count_event });
    assert_true(covey_create_many(source, e, 3));
    assert_non_null(covey_add(source, e[0], InPins, { 1, ~1u }));
    assert_non_null(covey_add(source, e[1], InPins, { 2, ~2u }));
    follow();
    heard_of(3, 0, 2, 0, 0);
    follow();
    heard_of(0, 0, 0, 0, 0);
    uint64_t tick = covey_changed_at(world, here(e[0]), InPins);
    covey_tick_advance(world);
    assert_non_null(covey_set(source, e[1], InPins, { 3, ~3u }));
    follow();
    heard_of(0, 0, 0, 1, 0);
    assert_int_equal(covey_changed_at(world, here(e[0]), InPins), tick);
    assert_int_equal(covey_changed_at(world, here(e[1]), InPins), covey_tick(world));
    covey_remove(source, e[0], InPins);
    covey_destroy(source, e[1]);
    follow();
    heard_of(0, 1, 0, 0, 2);
}

static covey_result inner;

static void follow_inside(const covey_event *event, void *context) {
    (void)event, (void)context;
    inner = covey_follow_from_memory(follower, image.bytes, image.size, &known, NULL);
}

static void test_a_listener_cannot_follow(void **state) {
    (void)state;
    inner = COVEY_OK;
    covey_connect(world, &(covey_listener){ .signals = COVEY_ON_CREATE, .call = follow_inside });
    covey_create(source);
    follow();
    assert_int_equal(inner, COVEY_ERROR_REFUSED);
    is_like_source(0);
}

/* One that owns a pool in an array, one that owns a pool in blocks, and one that owns none. */
static void make_groups(void) {
    covey_group_desc packed = { .own = { covey_id(InPack) }, .with = { covey_id(InBlocks) } };
    covey_group_desc blocks = { .own = { covey_id(InBlocks) }, .with = { covey_id(InQueue) } };
    covey_group_desc loose = { .with = { covey_id(InShelf), covey_id(InPlace) }, .without = { covey_id(InPins) } };
    assert_non_null(covey_group_create(world, &packed));
    assert_non_null(covey_group_create(world, &blocks));
    assert_non_null(covey_group_create(world, &loose));
}

/* ---- All or nothing -----------------------------------------------------------------------------------------------*/

static void change_all(void) {
    covey_entity e = covey_entity_next(source, none), parent = none;
    for (uint32_t i = 0; !covey_is_null(e); i++) {
        covey_entity next = covey_entity_next(source, e);
        char text[16] = { (char)('a' + i % 26), (char)('a' + i / 26), '\0' };
        if (i % 5 == 4) covey_destroy(source, e);
        else {
            covey_set(source, e, InPack, { i, ~i });
            covey_set(source, e, InQueue, { i * 3, ~(i * 3) });
            if (i % 3 == 0) covey_remove(source, e, InBlocks);
            else covey_set(source, e, InBlocks, { i, ~i });
            if (i % 4 == 1) covey_component_disable(source, e, InPack);
            if (i % 2 == 0) covey_name_set(source, e, text);
            if (!covey_is_null(parent)) covey_parent_set(source, e, parent);
            parent = i % 3 == 0 ? e : parent;
        }
        e = next;
    }
    for (uint32_t i = 0; i < 4; i++) covey_add(source, covey_create(source), InPack, { 100 + i, 7 });
}

static void test_all_or_nothing_when_memory_is_out(void **state) {
    (void)state;
    covey_queue *queue = covey_queue_create(world);
    for (uint32_t i = 0; i < NUMBER_TYPES; i++)
        covey_connect(world, &(covey_listener){ .type = number_types[i],
                                                .signals = COVEY_ON_ADD | COVEY_ON_SET | COVEY_ON_REMOVE,
                                                .queue = queue });
    make_groups();
    assert_true(image_fill(source) && text_fill(source));
    follow();
    change_all();
    save_with(NULL);
    covey_event event;
    while (covey_queue_next(queue, &event)) {
    }
    uint64_t digest = image_digest(world);
    uint32_t failures = 0, live = texts.live;
    for (uint32_t at = 1;; at++) {
        test_fail_at(&heap, at, at % 2 == 0);
        covey_result result = covey_follow_from_memory(follower, image.bytes, image.size, &known, NULL);
        bool failed = heap.failed;
        test_fail_never(&heap);
        test_world_is_valid(world);
        if (result == COVEY_OK) {
            assert_true(!failed || at > 1); /* some memory can be done without */
            break;
        }
        assert_int_equal(result, COVEY_ERROR_MEMORY);
        assert_int_equal(image_digest(world), digest);
        assert_int_equal(texts.live, live);
        assert_false(covey_queue_next(queue, &event));
        failures++;
    }
    assert_true(failures > 20);
    is_like_source(0);
}

static void test_a_damaged_image_changes_nothing(void **state) {
    (void)state;
    assert_true(image_fill(source) && text_fill(source));
    follow();
    change_all();
    save_with(NULL);
    uint64_t digest = image_digest(world);
    for (size_t bit = 0; bit < image.size * 8; bit += 37) {
        image.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        assert_int_equal(covey_follow_from_memory(follower, image.bytes, image.size, &known, NULL), COVEY_ERROR_IMAGE);
        image.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        if (bit % 11 == 0) assert_int_equal(image_digest(world), digest);
    }
    assert_int_equal(image_digest(world), digest);
    follow_with(&known);
    is_like_source(0);
}

/* ---- Random sources -----------------------------------------------------------------------------------------------*/

static void test_random_sources_are_followed(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= test_scaled(60); seed++) {
        test_random random = { seed };
        covey_entity e[40] = { { 0, 0 } };
        if (seed % 4 != 0) make_groups();
        for (uint32_t round = 0; round < 12; round++) {
            for (uint32_t i = test_below(&random, 60); i != 0; i--) change_source(&random, e, 40);
            save_with(NULL);
            if (test_below(&random, 3) == 0) {
                test_fail_at(&heap, 1 + test_below(&random, 80), test_below(&random, 2) == 0);
                (void)covey_follow_from_memory(follower, image.bytes, image.size, &known, NULL);
                test_fail_never(&heap);
                test_world_is_valid(world);
            }
            follow_with(&known);
            is_like_source(0);
        }
        assert_int_equal(follow_teardown(NULL), 0);
        assert_int_equal(follow_setup(NULL), 0);
    }
}

/* ---- Followers ----------------------------------------------------------------------------------------------------*/

static void test_followers_of_two_sources_do_not_meet(void **state) {
    (void)state;
    covey_follower *second = covey_follower_create(world);
    covey_entity e = covey_create(source);
    follow();
    assert_int_equal(covey_follow_from_memory(second, image.bytes, image.size, &known, NULL), COVEY_OK);
    assert_int_equal(covey_entity_count(world), 2);
    covey_destroy(source, e);
    follow();
    assert_int_equal(covey_entity_count(world), 1);
    assert_true(covey_alive(world, covey_follower_find(second, e)));
    covey_follower_destroy(second);
    assert_int_equal(covey_entity_count(world), 1);
    covey_follower_destroy(NULL);
}

static void test_a_follower_needs_memory(void **state) {
    (void)state;
    for (uint32_t at = 1; at <= 2; at++) {
        test_fail_at(&heap, at, false);
        assert_null(covey_follower_create(world));
        assert_failed(COVEY_ERROR_MEMORY);
        test_fail_never(&heap);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FOLLOW_TEST(test_a_second_image_updates_what_the_first_has_made),
        FOLLOW_TEST(test_everything_is_followed),
        FOLLOW_TEST(test_who_was_destroyed_here_is_made_again),
        FOLLOW_TEST(test_components_of_other_types_stay),
        FOLLOW_TEST(test_kept_types_are_only_added),
        FOLLOW_TEST(test_an_image_of_changes_leaves_the_rest),
        FOLLOW_TEST(test_an_image_of_some_entities_is_all_that_is_followed),
        FOLLOW_TEST(test_parents_and_names_follow),
        FOLLOW_TEST(test_places_of_this_world_stay),
        FOLLOW_TEST(test_nobody_becomes_its_own_ancestor),
        FOLLOW_TEST(test_observers_hear_of_what_changes_and_of_nothing_else),
        FOLLOW_TEST(test_a_listener_cannot_follow),
        FOLLOW_TEST(test_all_or_nothing_when_memory_is_out),
        FOLLOW_TEST(test_a_damaged_image_changes_nothing),
        FOLLOW_TEST(test_random_sources_are_followed),
        FOLLOW_TEST(test_followers_of_two_sources_do_not_meet),
        FOLLOW_TEST(test_a_follower_needs_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
