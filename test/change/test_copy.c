/* Copies of entities: every component, or nothing at all. */
#include "owned.h"

typedef Owned OwnedToo;
typedef Owned Unique;
typedef Owned Secret;
COVEY_COMPONENT_DEFINE(Owned, .storage = COVEY_STORAGE_SPARSE, .drop = drop_owned, .copy = copy_owned);
COVEY_COMPONENT_DEFINE(OwnedToo, .drop = drop_owned, .copy = copy_owned);
COVEY_COMPONENT_DEFINE(Unique, .drop = drop_owned);
COVEY_COMPONENT_DEFINE(Secret, .no_copy = true);

static void own(covey_entity e, const covey_type *type, uint32_t number) {
    assert_non_null(add_value(e, type, number));
    owned.alive++;
}

/* ---- One entity ---------------------------------------------------------------------------------------------------*/

static void copy_with(const covey_type *type) {
    covey_entity from = create_with(type, 1), to = covey_create(world), with = create_with(type, 2);
    assert_true(covey_copy(world, from, to));
    assert_value(to, type, 1);
    assert_true(covey_copy(world, from, with)); /* overwritten */
    assert_value(with, type, 1);
    assert_value(from, type, 1);
    assert_int_equal(covey_pool_count(covey_pool_find_raw(world, type)), 3);
}
static void test_a_copy_adds_what_is_missing_and_overwrites_the_rest(void **state) {
    (void)state;
    for_each_storage(copy_with);
    covey_entity from = create_with(covey_id(Packed), 1), to = create_with(covey_id(Blocked), 2);
    add_value(from, covey_id(Pinned), 3);
    covey_add_tag(world, from, Marked);
    assert_true(covey_copy(world, from, to));
    assert_value(to, covey_id(Packed), 1);
    assert_value(to, covey_id(Pinned), 3);
    assert_value(to, covey_id(Blocked), 2); /* what `from` lacks stays */
    assert_true(covey_has(world, to, Marked));
}

static void test_an_entity_is_its_own_copy(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    own(e, covey_id(Unique), 1);
    assert_true(covey_copy(world, e, e));
    assert_value(e, covey_id(Unique), 1);
}

static void test_the_dead_are_not_copied(void **state) {
    (void)state;
    covey_entity e = covey_create(world), dead = covey_create(world), clones[2] = { e, e };
    covey_destroy(world, dead);
    assert_false(covey_copy(world, dead, e));
    assert_failed(COVEY_ERROR_DEAD);
    assert_false(covey_copy(world, e, dead));
    assert_false(covey_copy(world, dead, dead));
    assert_false(covey_clone(world, dead, clones, 2));
    assert_failed(COVEY_ERROR_DEAD);
    assert_no_entity(clones[0]);
    assert_no_entity(clones[1]);
    assert_int_equal(heard.times, 4);
}

static void test_an_entity_without_components_has_copies(void **state) {
    (void)state;
    covey_entity e = covey_create(world), to = covey_create(world), clones[3];
    assert_true(covey_copy(world, e, to));
    assert_true(covey_clone(world, e, clones, 3));
    assert_true(covey_is_empty(world, clones[2]));
    assert_true(covey_clone(world, e, NULL, 0));
}

static void test_owners_are_copied_by_their_hook(void **state) {
    (void)state;
    covey_entity from = covey_create(world), to = covey_create(world);
    own(from, covey_id(Owned), 1);
    own(from, covey_id(OwnedToo), 2);
    own(to, covey_id(OwnedToo), 3);
    assert_true(covey_copy(world, from, to));
    assert_int_equal(owned.copies, 2);
    assert_int_equal(owned.alive, 4); /* the old value of `to` was dropped */
    assert_value(to, covey_id(Owned), 1);
    assert_value(to, covey_id(OwnedToo), 2);
}

static void refuses(covey_entity from, covey_entity to) {
    covey_entity clones[3], next = covey_create(world);
    covey_destroy(world, next);
    uint64_t before = world_digest(world);
    uint32_t living = owned.alive;
    assert_false(covey_copy(world, from, to));
    assert_failed(COVEY_ERROR_COPY);
    assert_false(covey_clone(world, from, clones, 3));
    assert_failed(COVEY_ERROR_COPY);
    assert_no_entity(clones[2]);
    assert_int_equal(world_digest(world), before);
    assert_int_equal(owned.alive, living);
}

static void test_what_cannot_be_copied_is_refused_before_any_hook_runs(void **state) {
    (void)state;
    covey_entity from = covey_create(world), to = covey_create(world);
    own(from, covey_id(Owned), 1);
    own(from, covey_id(Unique), 2);
    refuses(from, to);
    covey_remove(world, from, Unique);
    add_value(from, covey_id(Secret), 3);
    refuses(from, to);
    assert_non_null(strstr(heard.text, "Secret"));
    assert_int_equal(owned.copies, 0);
    Secret secret = { 0, 0 };
    assert_false(covey_add_copies(world, &to, 1, Secret, &secret));
    assert_failed(COVEY_ERROR_COPY);
}

static void test_nothing_changes_when_a_hook_says_no(void **state) {
    (void)state;
    covey_entity from = covey_create(world), to = covey_create(world);
    for (uint32_t i = 0; i < COUNT_OF(storage_types); i++) add_value(from, storage_types[i], i);
    own(from, covey_id(Owned), 1);
    own(from, covey_id(OwnedToo), 2);
    own(to, covey_id(Owned), 3);
    for (uint32_t at = 1; at <= 6; at++) { /* a copy has two, three clones have six */
        covey_entity clones[3];
        uint64_t before = world_digest(world);
        owned.copies = 0, owned.fails_at = at;
        assert_false(at <= 2 ? covey_copy(world, from, to) : covey_clone(world, from, clones, 3));
        assert_failed(COVEY_ERROR_COPY);
        assert_int_equal(world_digest(world), before);
        assert_int_equal(owned.alive, 3);
        test_world_is_valid(world);
    }
    owned.fails_at = 0;
    assert_true(covey_copy(world, from, to));
}

static void test_in_place_a_copy_fills_a_hole_and_clones_append(void **state) {
    (void)state;
    covey_entity a = create_with(covey_id(Fixed), 1), b = create_with(covey_id(Fixed), 2), to = covey_create(world);
    const Fixed *hole = covey_get(world, a, Fixed);
    covey_remove(world, a, Fixed);
    covey_entity clone;
    assert_true(covey_clone(world, b, &clone, 1));
    assert_int_equal((covey_pool_position_count)(covey_pool_of(world, Fixed)), 3);
    assert_true(covey_copy(world, b, to));
    assert_ptr_equal(covey_get(world, to, Fixed), hole);
    assert_value(to, covey_id(Fixed), 2);
    assert_value(clone, covey_id(Fixed), 2);
}

/* ---- Clones -------------------------------------------------------------------------------------------------------*/

enum { MANY = 70 };

static void clone_with(const covey_type *type) {
    covey_entity e = create_with(type, 5), clones[MANY], gone = covey_create(world);
    covey_destroy(world, gone);
    assert_true(covey_clone(world, e, clones, 1));
    assert_int_equal(clones[0].index, gone.index);
    assert_true(covey_clone(world, e, clones + 1, MANY - 1));
    for (uint32_t i = 0; i < MANY; i++) assert_value(clones[i], type, 5);
    assert_int_equal(covey_entity_count(world), MANY + 1);
    get_value(clones[3], type)->number = 9;
    assert_value(clones[4], type, 5);
    get_value(clones[3], type)->number = 5;
}
static void test_clones_have_copies_of_everything(void **state) {
    (void)state;
    for_each_storage(clone_with);
    covey_entity e = create_with(covey_id(Packed), 1), clones[3];
    own(e, covey_id(Owned), 2);
    own(e, covey_id(OwnedToo), 3);
    covey_add_tag(world, e, Marked);
    assert_true(covey_clone(world, e, clones, 3));
    assert_int_equal(owned.alive, 8);
    for (uint32_t i = 0; i < 3; i++) {
        assert_value(clones[i], covey_id(Owned), 2);
        assert_value(clones[i], covey_id(OwnedToo), 3);
        assert_true(covey_has(world, clones[i], Marked));
    }
}

static void test_clones_fail_when_indices_are_out(void **state) {
    (void)state;
    if (COVEY_NONE > 100000) skip();
    covey_entity e = create_with(covey_id(Packed), 1);
    covey_entity *clones = test_malloc((COVEY_NONE + 1) * sizeof *clones);
    uint64_t before = world_digest(world);
    assert_false(covey_clone(world, e, clones, COVEY_NONE));
    assert_failed(COVEY_ERROR_FULL);
    assert_int_equal(world_digest(world), before);
    assert_true(covey_clone(world, e, clones, COVEY_NONE - 1));
    test_free(clones);
}

/* ---- Order and groups ---------------------------------------------------------------------------------------------*/

static void test_kept_order_is_kept(void **state) {
    (void)state;
    covey_entity e[3], clones[4], to = covey_create(world);
    for (uint32_t i = 0; i < 3; i++) e[i] = create_with(covey_id(Packed), 2 - i);
    covey_pool *pool = covey_pool_of(world, Packed);
    covey_order order = { .key = COVEY_KEY_U32, .offset = offsetof(Packed, number) };
    assert_int_equal(covey_pool_keep_sorted(pool, &order), COVEY_OK);
    assert_true(covey_copy(world, e[2], to));
    assert_true(covey_clone(world, e[1], clones, 4));
    for (uint32_t at = 1; at < (covey_pool_position_count)(pool); at++)
        assert_true(covey_pool_values(pool, Packed)[at - 1].number <= covey_pool_values(pool, Packed)[at].number);
}

typedef Value Beside;
COVEY_COMPONENT_DEFINE(Beside, .storage = COVEY_STORAGE_SPARSE);

static void test_groups_take_copies_in_once(void **state) {
    (void)state;
    covey_group_desc owning = { .own = { covey_id(Packed), covey_id(Beside) } };
    covey_group_desc asking = { .with = { covey_id(Packed), covey_id(Blocked) }, .without = { covey_id(Marked) } };
    covey_group_desc marked = { .with = { covey_id(Beside), covey_id(Marked) } };
    covey_group *groups[3] = { covey_group_create(world, &owning), covey_group_create(world, &asking),
                               covey_group_create(world, &marked) };
    covey_entity e = create_with(covey_id(Packed), 1), to = create_with(covey_id(Beside), 2), clones[MANY];
    create_with(covey_id(Packed), 7);
    add_value(e, covey_id(Beside), 3);
    add_value(e, covey_id(Blocked), 4);
    assert_true(covey_copy(world, e, to));
    assert_true(covey_clone(world, e, clones, MANY));
    test_world_is_valid(world);
    assert_int_equal(covey_group_count(groups[0]), MANY + 2);
    assert_int_equal(covey_group_count(groups[1]), MANY + 2);
    covey_add_tag(world, e, Marked);
    assert_true(covey_copy(world, e, to)); /* leaves the one, and joins the other */
    assert_true(covey_clone(world, e, clones, 2));
    test_world_is_valid(world);
    assert_int_equal(covey_group_count(groups[1]), MANY);
    assert_int_equal(covey_group_count(groups[2]), 4);
}

static void test_the_librarys_own_components_are_not_copied(void **state) {
    (void)state;
    covey_entity e = create_with(covey_id(Blocked), 1), to = covey_create(world), clone;
    /* as one of the library's own would be */
    covey_pool *pool = covey_pool_of(world, Packed);
    add_value(e, covey_id(Packed), 2);
    pool->uses |= COVEY__USE_INTERNAL;
    assert_true(covey_copy(world, e, to) && covey_clone(world, e, &clone, 1));
    assert_false(covey_has(world, to, Packed) || covey_has(world, clone, Packed));
    assert_true(covey_has(world, to, Blocked) && covey_has(world, clone, Blocked));
    pool->uses &= (uint8_t)~COVEY__USE_INTERNAL;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        OWNED_TEST(test_a_copy_adds_what_is_missing_and_overwrites_the_rest),
        OWNED_TEST(test_an_entity_is_its_own_copy),
        OWNED_TEST(test_the_dead_are_not_copied),
        OWNED_TEST(test_an_entity_without_components_has_copies),
        OWNED_TEST(test_owners_are_copied_by_their_hook),
        OWNED_TEST(test_what_cannot_be_copied_is_refused_before_any_hook_runs),
        OWNED_TEST(test_nothing_changes_when_a_hook_says_no),
        OWNED_TEST(test_in_place_a_copy_fills_a_hole_and_clones_append),
        OWNED_TEST(test_clones_have_copies_of_everything),
        OWNED_TEST(test_clones_fail_when_indices_are_out),
        OWNED_TEST(test_kept_order_is_kept),
        OWNED_TEST(test_groups_take_copies_in_once),
        OWNED_TEST(test_the_librarys_own_components_are_not_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
