/* Copies of entities and trees in another world. */
#include "images.h"
#include "owned.h"
#include "texts.h"

#include <covey/hierarchy.h>

COVEY_COMPONENT_DEFINE(Owned, .drop = drop_owned, .copy = copy_owned);

static covey_world *other;
static test_heap other_heap;

static int into_setup(void **state) {
    texts = (text_ledger){ 0 };
    other = image_world(&other_heap);
    return owned_setup(state);
}

static int into_teardown(void **state) {
    covey_world_destroy(other);
    int result = owned_teardown(state);
    assert_int_equal(texts.live, 0);
    assert_false(texts.broken);
    return result;
}

#define INTO_TEST(test) cmocka_unit_test_setup_teardown(test, into_setup, into_teardown)

static const covey_entity none = { 0, 0 };

static struct { covey_entity from, to; } pairs[128];
static uint32_t pair_count;

static void note(covey_entity from, covey_entity to, void *context) {
    assert_ptr_equal(context, &pair_count);
    pairs[pair_count].from = from;
    pairs[pair_count++].to = to;
}

static const covey_clone_desc noting = { .cloned = note, .cloned_context = &pair_count };
static const covey_clone_desc keeping = { .keep_outside = true, .cloned = note, .cloned_context = &pair_count };

static covey_entity there(covey_entity e) {
    for (uint32_t i = 0; i < pair_count; i++)
        if (covey_same(pairs[i].from, e)) return pairs[i].to;
    return none;
}

static covey_entity clone_tree(covey_world *to, covey_world *from, covey_entity root, const covey_clone_desc *desc) {
    pair_count = 0;
    covey_entity made = covey_clone_tree_into(to, from, root, desc);
    assert_true(covey_alive(to, made));
    test_world_is_valid(to);
    return made;
}

static void add_owned(covey_world *to, covey_entity e, uint32_t number) {
    assert_non_null(covey_add(to, e, Owned, { number, ~number }));
    owned.alive++;
}

static Kinds *add_kinds(covey_world *to, covey_entity e, covey_entity friend_of) {
    Kinds kinds = kinds_of(e.index + 1, friend_of);
    assert_non_null(covey_set_value(to, e, Kinds, &kinds));
    return covey_get(to, e, Kinds);
}

/* ---- One entity ---------------------------------------------------------------------------------------------------*/

static void test_an_entity_is_copied_with_its_components(void **state) {
    (void)state;
    covey_entity outside = covey_create(world), e = covey_create(world);
    for (uint32_t i = 0; i < 3; i++) covey_create(other);
    add_owned(world, e, 7);
    add_kinds(world, e, e)->others[1] = outside;
    Text text = text_make("words", NULL, 0);
    assert_non_null(covey_add_value(world, e, Text, &text));
    assert_true(covey_add_tag(world, e, PlainTag));
    assert_int_equal(covey_name_set(world, e, "name"), COVEY_OK);
    assert_int_equal(covey_disable(world, e), COVEY_OK);
    assert_int_equal(covey_component_disable(world, e, PlainTag), COVEY_OK);
    pair_count = 0;
    covey_entity copy = covey_clone_into(other, world, e, &noting);
    test_world_is_valid(other);
    assert_int_equal(copy.index, 3);
    assert_int_equal(pair_count, 1);
    assert_same(there(e), copy);
    assert_int_equal(covey_get(other, copy, Owned)->number, 7);
    assert_int_equal(owned.alive, 2);
    assert_same(covey_get(other, copy, Kinds)->friend_of, copy);
    assert_no_entity(covey_get(other, copy, Kinds)->others[1]);
    assert_memory_equal(text_of(covey_get(other, copy, Text))->text, "words", 5);
    assert_int_not_equal(covey_get(other, copy, Text)->place, covey_get(world, e, Text)->place);
    assert_false(covey_is_enabled(other, copy));
    assert_false(covey_component_is_enabled(other, copy, PlainTag));
    assert_null(covey_name(other, copy));
    assert_int_equal(covey_entity_count(world), 2);
    covey_entity second = covey_clone_into(other, world, e, &keeping);
    assert_same(covey_get(other, second, Kinds)->others[1], outside);
    assert_same(covey_get(other, second, Kinds)->friend_of, second);
}

static void test_the_dead_and_what_cannot_be_copied_are_refused(void **state) {
    (void)state;
    covey_entity e = covey_create(other), dead = covey_create(other);
    covey_destroy(other, dead);
    assert_no_entity(covey_clone_into(world, other, dead, NULL));
    assert_failed(COVEY_ERROR_DEAD);
    assert_no_entity(covey_clone_tree_into(world, other, dead, NULL));
    assert_failed(COVEY_ERROR_DEAD);
    add_owned(other, e, 1);
    assert_non_null(covey_add(other, e, Blob, { 1, 2 })); /* no_copy */
    assert_no_entity(covey_clone_into(world, other, e, NULL));
    assert_failed(COVEY_ERROR_COPY);
    assert_non_null(strstr(heard.text, "Blob"));
    assert_int_equal(owned.copies, 0); /* before any hook was called */
    covey_remove(other, e, Blob);
    owned.fails_at = owned.copies + 1;
    assert_no_entity(covey_clone_into(world, other, e, NULL));
    assert_failed(COVEY_ERROR_COPY);
    assert_int_equal(owned.alive, 1);
    assert_int_equal(covey_entity_count(world), 0);
}

static void move_never(void *to, void *from, void *context) {
    (void)to, (void)from, (void)context;
    fail_msg("a value was moved");
}

static void test_values_that_a_hook_moves_are_refused(void **state) {
    (void)state;
    static const covey_type type = {
        .name = "Moved", .size = 8, .align = 4, .drop = drop_owned, .copy = copy_owned, .move = move_never
    };
    covey_entity e = covey_create(other);
    Owned *made = covey_add_raw(other, e, &type, NULL);
    *made = (Owned){ 3, ~3u };
    owned.alive++;
    assert_no_entity(covey_clone_into(world, other, e, NULL));
    assert_failed(COVEY_ERROR_REFUSED);
    assert_non_null(strstr(heard.text, "Moved: a hook moves its values"));
    assert_int_equal(owned.copies, 0);
    assert_int_equal(owned.alive, 1);
    assert_int_equal(covey_entity_count(world), 0);
}

static void test_types_made_at_run_time_are_made_there(void **state) {
    (void)state;
    covey_type description = { .name = "Mana", .size = 4, .align = 4, .as_bytes = true };
    const covey_type *type = covey_type_create(world, &description);
    covey_entity e = covey_create(world);
    assert_non_null(covey_add_raw(world, e, type, &(uint32_t){ 44 }));
    covey_entity copy = covey_clone_into(other, world, e, NULL);
    const covey_type *its = covey_type_find(other, "Mana");
    assert_ptr_not_equal(its, type);
    assert_int_equal(*(uint32_t *)covey_get_raw(other, copy, its), 44);
    description.size = description.align = 8;
    covey_world *third = image_world(&(test_heap){ 0 });
    assert_non_null(covey_pool_of_raw(third, covey_type_create(third, &description)));
    assert_no_entity(covey_clone_into(third, world, e, NULL));
    assert_int_equal(covey_world_result(third), COVEY_ERROR_LAYOUT);
    covey_world_destroy(third);
}

/* ---- Trees --------------------------------------------------------------------------------------------------------*/

/* Two levels below the root, and one that is not of the tree. */
static void plant(covey_entity e[6]) {
    static const char *const names[] = { "root", "left", "right", "leaf", "twig" };
    static const uint32_t parents[] = { 0, 0, 0, 1, 1 };
    assert_true(covey_create_many(world, e, 6));
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(covey_name_set(world, e[i], names[i]), COVEY_OK);
        if (i != 0) assert_int_equal(covey_parent_set(world, e[i], e[parents[i]]), COVEY_OK);
        add_owned(world, e[i], i);
    }
    assert_int_equal(covey_child_move(world, e[4], e[3]), COVEY_OK);
    add_kinds(world, e[0], e[4]);
    add_kinds(world, e[4], e[0]);
    add_kinds(world, e[2], e[5]);
    add_kinds(world, e[5], e[0]);
}

static void test_a_tree_is_copied_with_parents_names_and_handles(void **state) {
    (void)state;
    covey_entity e[6];
    plant(e);
    for (uint32_t i = 0; i < 4; i++) covey_create(other);
    covey_entity root = clone_tree(other, world, e[0], &noting);
    assert_int_equal(pair_count, 5);
    assert_same(root, there(e[0]));
    assert_no_entity(covey_parent(other, root));
    assert_int_equal(covey_child_count(other, root), 2);
    assert_same(covey_child_first(other, there(e[1])), there(e[4]));
    assert_same(covey_child_last(other, there(e[1])), there(e[3]));
    assert_same(covey_find_path(other, none, "root/left/leaf"), there(e[3]));
    assert_same(covey_get(other, root, Kinds)->friend_of, there(e[4]));
    assert_same(covey_get(other, there(e[4]), Kinds)->friend_of, root);
    assert_no_entity(covey_get(other, there(e[2]), Kinds)->friend_of);
    for (uint32_t i = 0; i < 5; i++) assert_int_equal(covey_get(other, there(e[i]), Owned)->number, i);
    assert_int_equal(owned.alive, 10);
    assert_int_equal(covey_entity_count(other), 4 + 5);
    covey_entity second = clone_tree(other, world, e[0], NULL);
    assert_null(covey_name(other, second)); /* a root has that name */
    assert_string_equal(covey_name(other, covey_child_first(other, second)), "left");
}

static void test_a_branch_is_copied_as_a_root(void **state) {
    (void)state;
    covey_entity e[6];
    plant(e);
    covey_entity branch = clone_tree(other, world, e[1], &noting);
    assert_int_equal(pair_count, 3);
    assert_no_entity(covey_parent(other, branch));
    assert_string_equal(covey_name(other, branch), "left");
    assert_no_entity(covey_get(other, there(e[4]), Kinds)->friend_of); /* the root is outside now */
}

static void test_a_tree_is_copied_within_its_world(void **state) {
    (void)state;
    covey_entity e[6];
    plant(e);
    covey_entity root = clone_tree(world, world, e[0], &keeping);
    assert_false(covey_same(root, e[0]));
    assert_same(covey_get(world, root, Kinds)->friend_of, there(e[4]));
    assert_same(covey_get(world, there(e[2]), Kinds)->friend_of, e[5]);
    assert_same(covey_get(world, e[0], Kinds)->friend_of, e[4]);
    assert_int_equal(covey_entity_count(world), 6 + 5);
    assert_int_equal(covey_destroy_tree(world, e[0]), 5);
    assert_int_equal(covey_child_count(world, root), 2);
}

static void test_kept_values_are_copied(void **state) {
    (void)state;
    covey_buffer image = { 0 };
    covey_world *third = image_world(&(test_heap){ 0 });
    assert_true(text_fill(third));
    assert_int_equal(covey_save_to_buffer(third, &image, NULL, NULL), COVEY_OK);
    covey_world_destroy(third);
    covey_load_desc keep = { .unknown = COVEY_UNKNOWN_KEEP };
    assert_int_equal(covey_load_from_memory(other, image.bytes, image.size, &keep, NULL), COVEY_OK);
    covey_entity copy = covey_clone_into(world, other, entity(4, 1), NULL);
    test_world_is_valid(world);
    test_world_is_valid(other);
    assert_int_equal(covey_world_memory(world), heap.bytes);
    assert_int_equal(covey_world_memory(other), other_heap.bytes);
    const covey_type *a = covey_type_find(other, "Crew"), *b = covey_type_find(world, "Crew");
    const covey_unknown_value *was = covey_unknown_value_of(a, covey_get_raw(other, entity(4, 1), a)),
                              *is = covey_unknown_value_of(b, covey_get_raw(world, copy, b));
    assert_int_equal(was->size, is->size);
    assert_memory_equal(was->bytes, is->bytes, is->size);
    covey_buffer_free(&image);
}

/* ---- Who hears of it, and memory ----------------------------------------------------------------------------------*/

static uint32_t created, added;

static void count_event(const covey_event *event, void *context) {
    (void)context;
    created += event->signal == COVEY_ON_CREATE;
    added += event->signal == COVEY_ON_ADD;
}

static void test_observers_hear_of_copies(void **state) {
    (void)state;
    covey_entity e[6];
    created = added = 0;
    plant(e);
    covey_connect(other, &(covey_listener){ .signals = COVEY_ON_CREATE, .call = count_event });
    covey_connect(other, &(covey_listener){ .type = covey_id(Owned), .signals = COVEY_ON_ADD, .call = count_event });
    clone_tree(other, world, e[0], NULL);
    assert_int_equal(created, 5);
    assert_int_equal(added, 5);
}

static void test_all_or_nothing(void **state) {
    (void)state;
    covey_entity e[6];
    plant(e);
    uint64_t digest = image_digest(other);
    uint32_t failures = 0, copies = owned.copies;
    for (uint32_t at = 1; at <= 5; at++) { /* hooks that fail */
        owned.fails_at = owned.copies + at;
        assert_no_entity(covey_clone_tree_into(other, world, e[0], NULL));
        assert_int_equal(covey_world_result(other), COVEY_ERROR_COPY);
        assert_int_equal(owned.alive, 5);
    }
    assert_int_equal(owned.copies, copies + 1 + 2 + 3 + 4 + 5);
    for (uint32_t at = 1;; at++) {
        test_fail_at(&other_heap, at, at % 2 == 0);
        covey_entity made = covey_clone_tree_into(other, world, e[0], NULL);
        test_fail_never(&other_heap);
        test_world_is_valid(other);
        if (!covey_is_null(made)) break;
        assert_int_equal(covey_world_result(other), COVEY_ERROR_MEMORY);
        assert_int_equal(image_digest(other), digest);
        assert_int_equal(covey_entity_count(other), 0);
        assert_int_equal(owned.alive, 5);
        failures++;
    }
    assert_true(failures > 20);
    assert_int_equal(owned.alive, 10);
}

/* ---- Random trees -------------------------------------------------------------------------------------------------*/

static void is_same_place(covey_entity root, covey_entity e) {
    covey_entity twin = there(e), child = covey_child_first(world, e), its = covey_child_first(other, twin);
    for (; !covey_is_null(child); child = covey_child_next(world, child), its = covey_child_next(other, its))
        assert_same(its, there(child));
    assert_no_entity(its);
    if (!covey_same(e, root)) assert_same(covey_parent(other, twin), there(covey_parent(world, e)));
    for (uint32_t k = 0; k < NUMBER_TYPES - 1; k++) { /* the last is not to be copied */
        const Number *was = covey_get_raw(world, e, number_types[k]), *is = covey_get_raw(other, twin, number_types[k]);
        assert_int_equal(!was, !is);
        if (was) assert_memory_equal(was, is, sizeof *was);
    }
    const Kinds *kinds = covey_get(world, e, Kinds);
    if (kinds) assert_same(covey_get(other, twin, Kinds)->friend_of, there(kinds->friend_of));
}

static void test_random_trees_are_copied(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= test_scaled(100); seed++) {
        test_random random = { seed };
        covey_entity e[60];
        uint32_t count = 2 + test_below(&random, 58);
        assert_true(covey_create_many(world, e, count));
        for (uint32_t i = 1; i < count; i++) {
            Number number = image_number(i);
            if (test_below(&random, 5) != 0) covey_parent_set(world, e[i], e[test_below(&random, i)]);
            covey_set_raw(world, e[i], number_types[test_below(&random, NUMBER_TYPES - 1)], &number);
            if (test_below(&random, 2) == 0) add_kinds(world, e[i], e[test_below(&random, count)]);
        }
        for (uint32_t round = 0; round < 2; round++) {
            covey_entity root = e[test_below(&random, count)];
            uint32_t before = covey_entity_count(other), size = 0;
            clone_tree(other, world, root, &noting);
            for (covey_entity at = root; !covey_is_null(at); at = covey_tree_next(world, root, at), size++)
                is_same_place(root, at);
            assert_int_equal(size, pair_count);
            assert_int_equal(covey_entity_count(other), before + size);
        }
        assert_int_equal(into_teardown(NULL), 0);
        assert_int_equal(into_setup(NULL), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        INTO_TEST(test_an_entity_is_copied_with_its_components),
        INTO_TEST(test_the_dead_and_what_cannot_be_copied_are_refused),
        INTO_TEST(test_values_that_a_hook_moves_are_refused),
        INTO_TEST(test_types_made_at_run_time_are_made_there),
        INTO_TEST(test_a_tree_is_copied_with_parents_names_and_handles),
        INTO_TEST(test_a_branch_is_copied_as_a_root),
        INTO_TEST(test_a_tree_is_copied_within_its_world),
        INTO_TEST(test_kept_values_are_copied),
        INTO_TEST(test_observers_hear_of_copies),
        INTO_TEST(test_all_or_nothing),
        INTO_TEST(test_random_trees_are_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
