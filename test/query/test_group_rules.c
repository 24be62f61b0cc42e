/* Groups: which may be there together, and what pools may still do. */
#include "memory/inner.h"
#include "observe/observers.h"
#include "storage/sparse_set.h"
#include <covey/fields.h>
#include "groups.h"

#include <stdio.h>

/* ---- Nested -------------------------------------------------------------------------------------------------------*/

static void test_nested_groups_are_made_in_any_order(void **state) {
    (void)state;
    for (uint32_t family = 0; family < FAMILIES; family++) {
        uint32_t orders = 1;
        for (uint32_t i = 2; i <= family_size(family); i++) orders *= i;
        for (uint32_t order = 0; order < orders; order++) {
            covey_group *made[MEMBERS];
            test_random random = { family * 100 + order };
            if (order % 2 == 0) scatter(types, COUNT_OF(types), order);
            make_family(family, order, made);
            for (uint32_t step = 0; step < 300; step++) {
                change_something(&random);
                if (step % 30 == 0) check_all();
            }
            check_all();
            next_world();
        }
    }
}

static void test_a_group_that_ends_leaves_the_others_as_they_are(void **state) {
    (void)state;
    for (uint32_t i = 0; i < FAMILIES * MEMBERS; i++) {
        uint32_t family = i / MEMBERS, size = family_size(family);
        covey_group *made[MEMBERS];
        test_random random = { i };
        scatter(types, COUNT_OF(types), i);
        make_family(family, i, made);
        for (uint32_t k = 0; k < size; k++) {
            uint64_t digest = world_digest(world);
            covey_group_destroy(made[(i + k) % size]);
            assert_int_equal(world_digest(world), digest);
            assert_int_equal(covey_world_group_count(world), size - 1 - k);
            check_all();
            for (uint32_t step = 0; step < 60; step++) change_something(&random);
            check_all();
        }
        next_world();
    }
}

static void test_groups_are_listed_from_the_outer_to_the_inner(void **state) {
    (void)state;
    for (uint32_t order = 0; order < 24; order++) {
        covey_group *made[MEMBERS];
        make_family(7, order, made);
        assert_int_equal(covey_world_group_count(world), 4);
        for (uint32_t i = 0; i < 4; i++) assert_ptr_equal(covey_world_group(world, i), made[i]);
        assert_null(covey_world_group(world, 4));
        next_world();
    }
    assert_int_equal(covey_world_group_count(world), 0);
    assert_null(covey_world_group(world, 0));
}

/* ---- What is refused ----------------------------------------------------------------------------------------------*/

/* The group is not made, for this reason, in these words, and nothing changes. */
static void assert_not_made(const covey_group_desc *desc, covey_result reason, const char *words) {
    uint64_t digest = world_digest(world);
    uint32_t groups = covey_world_group_count(world);
    assert_null(covey_group_create(world, desc));
    assert_failed(reason);
    assert_string_equal(heard.text, words);
    assert_int_equal(world_digest(world), digest);
    assert_int_equal(covey_world_group_count(world), groups);
    check_all();
}

static void test_groups_in_the_way_of_each_other(void **state) {
    (void)state;
#define NOT_MADE(mine, other) \
    "a group (" mine ") could not be made: nest it in this group, which owns one of its pools: " other
    scatter(types, COUNT_OF(types), 4);
    make_group(&(covey_group_desc){ .own = { AB, covey_id(C) }, .without = { covey_id(X) } });
    assert_not_made(&(covey_group_desc){ .own = { AB, covey_id(D) } }, COVEY_ERROR_CONFLICT,
                    NOT_MADE("own A, B, D", "own A, B, C without X"));
    assert_not_made(&(covey_group_desc){ .own = { AB, covey_id(C) }, .without = { covey_id(X) } }, COVEY_ERROR_CONFLICT,
                    NOT_MADE("own A, B, C without X", "own A, B, C without X"));
    assert_not_made(&(covey_group_desc){ .own = { covey_id(C), AB }, .without = { covey_id(X) } }, COVEY_ERROR_CONFLICT,
                    NOT_MADE("own C, A, B without X", "own A, B, C without X"));
    assert_not_made(&(covey_group_desc){ .own = { AB, covey_id(C) }, .without = { covey_id(Y) } }, COVEY_ERROR_CONFLICT,
                    NOT_MADE("own A, B, C without Y", "own A, B, C without X"));
    assert_not_made(&(covey_group_desc){ .own = { covey_id(C) }, .with = { covey_id(D) } }, COVEY_ERROR_CONFLICT,
                    NOT_MADE("own C with D", "own A, B, C without X"));
    assert_not_made(&(covey_group_desc){ .own = { AB, covey_id(C) }, .with = { covey_id(X) } }, COVEY_ERROR_CONFLICT,
                    NOT_MADE("own A, B, C with X", "own A, B, C without X"));
    make_group(&(covey_group_desc){ .own = { AB, covey_id(C) } }); /* around it */
    assert_not_made(&(covey_group_desc){ .own = { covey_id(A) }, .with = { covey_id(Blocked) } }, COVEY_ERROR_CONFLICT,
                    NOT_MADE("own A with Blocked", "own A, B, C"));
    make_group(&(covey_group_desc){ .own = { covey_id(D), covey_id(E) } }); /* beside it */
    assert_not_made(&(covey_group_desc){ .own = { AB, covey_id(C), covey_id(D) } }, COVEY_ERROR_CONFLICT,
                    NOT_MADE("own A, B, C, D", "own D, E"));
    make_group(&(covey_group_desc){ .own = { AB, covey_id(C), covey_id(D), covey_id(E) }, .without = { covey_id(X) } });
    assert_int_equal(covey_world_group_count(world), 4);
}

static void test_groups_that_own_nothing_are_in_nobodys_way(void **state) {
    (void)state;
    scatter(types, COUNT_OF(types), 4);
    for (uint32_t i = 0; i < 3; i++) make_group(&(covey_group_desc){ .with = { AB } });
    make_group(&(covey_group_desc){ .own = { AB } });
    make_group(&(covey_group_desc){ .with = { covey_id(B), covey_id(C) }, .without = { covey_id(A) } });
    make_group(&(covey_group_desc){ .own = { covey_id(C) }, .without = { covey_id(A) } });
    assert_int_equal(covey_world_group_count(world), 6);
    test_random random = { 6 };
    for (uint32_t step = 0; step < 300; step++) change_something(&random);
    check_all();
}

static void assert_not_owned(const covey_type *type, const char *words) {
    assert_not_made(&(covey_group_desc){ .own = { covey_id(A), type } }, COVEY_ERROR_REFUSED, words);
    if (!strstr(words, "others")) assert_not_made(&(covey_group_desc){ .own = { type } }, COVEY_ERROR_REFUSED, words);
}

#define POLICY "its policy is not COVEY_SWAP_AND_POP: define it without .policy; ask for it with .with"
#define OTHER_STORAGE                                                                                         \
    "it is sparse, and others of the group are in blocks, or the other way round: define them with the same " \
    ".storage; ask for it with .with"

static void test_which_pools_are_not_owned(void **state) {
    (void)state;
    scatter(types, COUNT_OF(types), 4);
    assert_not_owned(covey_id(Pinned), "a group cannot own Pinned: its values never move: define it with another "
                                       ".storage; ask for it with .with");
    assert_not_owned(covey_id(Fixed), "a group cannot own Fixed: " POLICY);
    assert_not_owned(covey_id(Kept), "a group cannot own Kept: " POLICY);
    assert_not_owned(covey_id(Ordered), "a group cannot own Ordered: " POLICY);
    assert_not_owned(covey_id(Label), "a group cannot own Label: it is a tag, without values; ask for it with .with");
    if (IN_BLOCKS) assert_not_owned(covey_id(Packed), "a group cannot own Packed: " OTHER_STORAGE);
    else assert_not_owned(covey_id(Y), "a group cannot own Y: " OTHER_STORAGE);
}

#if !IN_BLOCKS
static void test_a_pool_that_is_kept_in_order_is_not_owned(void **state) {
    (void)state;
    scatter(types, COUNT_OF(types), 4);
    assert_int_equal(covey_pool_keep_sorted(covey_pool_of(world, A), &(covey_order){ .key = COVEY_KEY_INDEX }),
                     COVEY_OK);
    assert_not_made(
        &(covey_group_desc){ .own = { covey_id(B), covey_id(A) } }, COVEY_ERROR_REFUSED,
        "a group cannot own A: it is kept sorted: end that with covey_pool_keep_sorted; ask for it with .with");
    make_group(&(covey_group_desc){ .own = { covey_id(B) }, .with = { covey_id(A) } });
    assert_int_equal(covey_pool_keep_sorted(covey_pool_of(world, A), NULL), COVEY_OK);
    make_group(&(covey_group_desc){ .own = { covey_id(B), covey_id(A) } });
}
#endif

static void test_a_pool_is_owned_with_others_once_it_is_stored_as_they_are(void **state) {
    (void)state;
    covey_pool *pool = IN_BLOCKS ? covey_pool_of(world, Packed) : covey_pool_of(world, Blocked);
    covey_storage was = (covey_storage)pool->storage, other = IN_BLOCKS ? COVEY_STORAGE_BLOCK : COVEY_STORAGE_SPARSE;
    scatter(types, COUNT_OF(types), 4);
    assert_int_equal(covey_pool_convert(pool, other), COVEY_OK);
    make_group(&(covey_group_desc){ .own = { covey_pool_type(pool), covey_id(A) } });
    assert_int_equal(covey_pool_convert(pool, was), COVEY_ERROR_REFUSED);
    covey_group_destroy(first_group());
    assert_int_equal(covey_pool_convert(pool, was), COVEY_OK);
    check_all();
}

static void test_descriptions_that_make_no_group(void **state) {
    (void)state;
    static const char *const number =
        "a group could not be made: it asks for no type, or for more than 16; ask for 1 to 16";
    static const char *const terms = "a view could not be made: it has more than 16 terms: ask for fewer types";
    static const char *const twice = "a view could not be made: A is in .with twice: name it once";
    static const char *const neither = "a view could not be made: A is in .with and in .without: nothing could match";
    static char names[COVEY_TERMS + 1][16];
    static covey_type many[COVEY_TERMS + 1];
    for (uint32_t i = 0; i < COUNT_OF(many); i++) {
        snprintf(names[i], sizeof names[i], "Many %u", i);
        many[i] = (covey_type){ .name = names[i], .storage = COVEY_STORAGE_SPARSE };
    }
    covey_group_desc desc = { .own = { NULL } };
    assert_not_made(&desc, COVEY_ERROR_TYPE, number);
    desc.without[0] = covey_id(A);
    assert_not_made(&desc, COVEY_ERROR_TYPE, number);
    desc = (covey_group_desc){ .with = { &many[COVEY_TERMS] } };
    for (uint32_t i = 0; i < COVEY_TERMS; i++) desc.own[i] = &many[i];
    assert_not_made(&desc, COVEY_ERROR_TYPE, number);
    desc.with[0] = NULL;
    desc.without[0] = &many[COVEY_TERMS];
    assert_not_made(&desc, COVEY_ERROR_TYPE, terms);
    assert_not_made(&(covey_group_desc){ .own = { covey_id(A), covey_id(A) } }, COVEY_ERROR_TYPE, twice);
    assert_not_made(&(covey_group_desc){ .own = { covey_id(A) }, .with = { covey_id(A) } }, COVEY_ERROR_TYPE, twice);
    assert_not_made(&(covey_group_desc){ .own = { covey_id(A) }, .without = { covey_id(A) } }, COVEY_ERROR_TYPE,
                    neither);
    static const covey_type nameless = { .size = 4, .align = 4 }, other = { .name = "A", .size = 4, .align = 4 };
    assert_not_made(&(covey_group_desc){ .own = { &nameless } }, COVEY_ERROR_TYPE,
                    "a view could not be made: (no name) has no name: set .name");
    assert_int_equal(covey_world_pool_count(world), 0);
    give_to(0, 5, covey_id(A));
    assert_not_made(&(covey_group_desc){ .with = { &other } }, COVEY_ERROR_LAYOUT,
                    "type A is refused: a type of this name has another layout; rename one, or describe both alike");
    desc.without[0] = NULL;
    make_group(&desc); /* 16 of them */
    assert_ptr_equal(covey_group_find(world, &desc), first_group());
    for (uint32_t i = 0; i < COVEY_TERMS; i++) assert_non_null(give(e[3], &many[i]));
    assert_int_equal(covey_group_count(first_group()), 1);
    check_all();
    covey_group_destroy(NULL);
    covey_group_destroy(first_group());
    memcpy(desc.with, desc.own, sizeof desc.with);
    memset(desc.own, 0, sizeof desc.own);
    make_group(&desc); /* that owns none of them */
    assert_int_equal(covey_group_count(first_group()), 1);
    covey_group_destroy(first_group());
    covey_destroy_all(world);
}

#if !IN_BLOCKS
static void test_the_order_of_an_owned_pool_is_the_groups(void **state) {
    (void)state;
    covey_order by_number = { .key = COVEY_KEY_U32 };
    scatter(types, COUNT_OF(types), 8);
    make_group(&(covey_group_desc){ .own = { AB }, .with = { covey_id(C) }, .without = { covey_id(X) } });
    uint64_t digest = world_digest(world);
    covey_entity a = covey_group_first(first_group()), b = covey_pool_ids(covey_pool_of(world, A))[1];
    for (uint32_t i = 0; i < 2; i++) {
        covey_pool *pool = i == 0 ? covey_pool_of(world, A) : covey_pool_of(world, B);
        assert_int_equal(covey_pool_swap(pool, a, b), COVEY_ERROR_REFUSED);
        assert_int_equal(covey_pool_sort(pool, &by_number), COVEY_ERROR_REFUSED);
        assert_non_null(strstr(heard.text, "its order is that of the group own A, B with C without X"));
        assert_int_equal(covey_pool_sort_as(pool, covey_pool_of(world, C)), COVEY_ERROR_REFUSED);
        assert_int_equal(covey_pool_keep_sorted(pool, &by_number), COVEY_ERROR_REFUSED);
        assert_int_equal(covey_pool_keep_sorted(pool, NULL), COVEY_OK); /* it was not kept */
        assert_int_equal(covey_pool_convert(pool, COVEY_STORAGE_BLOCK), COVEY_ERROR_REFUSED);
        assert_int_equal(covey_pool_convert(pool, COVEY_STORAGE_PINNED), COVEY_ERROR_REFUSED);
        covey_advice advice[COUNT_OF(types)];
        covey_world_advise(world, advice, COUNT_OF(types));
        assert_int_equal(advice[pool->number].uses & COVEY_USE_GROUP, COVEY_USE_GROUP);
        assert_int_equal(advice[pool->number].best, COVEY_STORAGE_SPARSE);
    }
    assert_int_equal(world_digest(world), digest);
    check_all();
}

#endif

/* What is asked for and not owned, or excluded, is free in every way. */
static void test_a_pool_that_is_not_owned_keeps_its_freedom(void **state) {
    (void)state;
    static const covey_storage storages[] = { COVEY_STORAGE_BLOCK, COVEY_STORAGE_SPARSE, COVEY_STORAGE_BLOCK,
                                              COVEY_STORAGE_SPARSE };
    test_random random = { 4 };
    covey_order by_number = { .key = COVEY_KEY_U32 };
    scatter(types, COUNT_OF(types), 9);
    make_group(&(covey_group_desc){ .own = { covey_id(A) }, .with = { covey_id(B) }, .without = { covey_id(X) } });
    make_group(&(covey_group_desc){ .with = { covey_id(B), covey_id(D) }, .without = { covey_id(C), covey_id(X) } });
    static const covey_type *const freed[] = { covey_id(B), covey_id(C), covey_id(D), covey_id(X) };
    for (uint32_t i = 0; i < COUNT_OF(storages) * COUNT_OF(freed); i++) {
        covey_pool *pool = covey_pool_of_raw(world, freed[i % COUNT_OF(freed)]);
        assert_int_equal(covey_pool_convert(pool, storages[i / COUNT_OF(freed)]), COVEY_OK);
        check_all();
        for (uint32_t step = 0; step < 40; step++) change_something(&random);
        check_all();
    }
    for (uint32_t i = 0; i < COUNT_OF(freed); i++) {
        covey_pool *pool = covey_pool_of_raw(world, freed[i]);
        assert_int_equal(covey_pool_swap(pool, covey_pool_at(pool, 0), covey_pool_at(pool, 1)), COVEY_OK);
        assert_int_equal(covey_pool_sort_as(pool, covey_pool_of(world, A)), COVEY_OK);
        assert_int_equal(covey_pool_sort(pool, &by_number), COVEY_OK);
        assert_int_equal(covey_pool_keep_sorted(pool, &by_number), COVEY_OK);
        check_all();
    }
    for (uint32_t step = 0; step < 200; step++) change_something(&random);
    check_all();
    for (uint32_t i = 0; i < COUNT_OF(freed); i++) {
        covey_pool *pool = covey_pool_of_raw(world, freed[i]);
        assert_int_equal(covey_pool_convert(pool, COVEY_STORAGE_BLOCK), COVEY_ERROR_REFUSED); /* it is kept in order */
        assert_int_equal(covey_pool_keep_sorted(pool, NULL), COVEY_OK);
        assert_non_null(pool->observers); /* still for the groups */
    }
    for (uint32_t step = 0; step < 200; step++) change_something(&random);
    check_all();
    assert_int_equal(covey_pool_convert(covey_pool_of(world, B), COVEY_STORAGE_PINNED), COVEY_OK);
    for (uint32_t step = 0; step < 200; step++) change_something(&random);
    check_all();
}

/* ---- Ending -------------------------------------------------------------------------------------------------------*/

#if !IN_BLOCKS
static void test_pools_are_free_again_when_their_last_group_ends(void **state) {
    (void)state;
    for (uint32_t shape = 0; shape < COUNT_OF(shapes); shape++) {
        scatter_for(&shapes[shape], shape);
        covey_pool *a = covey_pool_of(world, A), *y = covey_pool_of(world, Y);
        uint8_t removal = a->sparse_set.removal;
        bool plain = y->plain;
        uint64_t bytes = covey_world_memory(world);
        covey_group *group = make_group(&shapes[shape]);
        assert_true(a->observers && a->sparse_set.room == 0 && a->sparse_set.removal != COVEY__REMOVE_SWAPPING);
        covey_group_destroy(group);
        for (uint32_t i = 0; i < covey_world_pool_count(world); i++) {
            assert_null(covey_world_pool(world, i)->observers);
            assert_int_equal(covey_world_pool(world, i)->uses & COVEY_USE_GROUP, 0);
        }
        assert_int_equal(a->sparse_set.room, a->sparse_set.id_capacity < a->sparse_set.data_capacity
                                                 ? a->sparse_set.id_capacity
                                                 : a->sparse_set.data_capacity);
        assert_true(a->sparse_set.room != 0 && a->sparse_set.removal == removal && y->plain == plain);
        assert_int_equal(covey_world_memory(world),
                         bytes + world->inner->group_capacity * sizeof *world->inner->groups);
        check_all();
        covey_entity first = covey_pool_ids(a)[0], second = covey_pool_ids(a)[1];
        assert_int_equal(covey_pool_swap(a, first, second), COVEY_OK);
        make_group(&shapes[shape]);
        next_world();
    }
}

static void test_pools_that_another_group_is_about_stay_watched(void **state) {
    (void)state;
    scatter(types, COUNT_OF(types), 2);
    covey_group *own = make_group(&shapes[0]);
    covey_group *other = make_group(&(covey_group_desc){ .with = { covey_id(B), covey_id(C) } });
    covey_group_destroy(own);
    assert_null(covey_pool_of(world, A)->observers);
    assert_true(covey_pool_of(world, B)->observers && covey_pool_of(world, B)->sparse_set.room == 0);
    assert_int_equal(covey_pool_of(world, B)->uses & COVEY_USE_GROUP, 0);
    assert_int_equal(covey_pool_sort(covey_pool_of(world, B), NULL), COVEY_OK);
    test_random random = { 3 };
    for (uint32_t step = 0; step < 200; step++) change_something(&random);
    check_all();
    covey_group_destroy(other);
    assert_null(covey_pool_of(world, B)->observers);
}

static void test_a_pool_that_is_kept_in_order_stays_so_when_a_group_ends(void **state) {
    (void)state;
    scatter(types, COUNT_OF(types), 2);
    covey_pool *a = covey_pool_of(world, A);
    covey_group *group = make_group(&(covey_group_desc){ .with = { AB } });
    assert_int_equal(covey_pool_keep_sorted(a, &(covey_order){ .key = COVEY_KEY_U32 }), COVEY_OK);
    covey_group_destroy(group);
    assert_true(a->observers && a->observers->keeps_order);
    for (uint32_t i = 0; i < COUNT; i += 3)
        if (!take(e[i], covey_id(A))) give(e[i], covey_id(A));
    for (uint32_t i = 1; i < covey_pool_count(a); i++)
        assert_true(covey_pool_values(a, A)[i - 1].number <= covey_pool_values(a, A)[i].number);
    assert_int_equal(covey_pool_keep_sorted(a, NULL), COVEY_OK);
    assert_null(a->observers);
}

#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        GROUP_TEST(test_nested_groups_are_made_in_any_order),
        GROUP_TEST(test_a_group_that_ends_leaves_the_others_as_they_are),
        GROUP_TEST(test_groups_are_listed_from_the_outer_to_the_inner),
        GROUP_TEST(test_groups_in_the_way_of_each_other),
        GROUP_TEST(test_groups_that_own_nothing_are_in_nobodys_way),
        GROUP_TEST(test_which_pools_are_not_owned),
        GROUP_TEST(test_a_pool_is_owned_with_others_once_it_is_stored_as_they_are),
        GROUP_TEST(test_descriptions_that_make_no_group),
        GROUP_TEST(test_a_pool_that_is_not_owned_keeps_its_freedom),
#if !IN_BLOCKS
        GROUP_TEST(test_a_pool_that_is_kept_in_order_is_not_owned),
        GROUP_TEST(test_the_order_of_an_owned_pool_is_the_groups),
        GROUP_TEST(test_pools_are_free_again_when_their_last_group_ends),
        GROUP_TEST(test_pools_that_another_group_is_about_stay_watched),
        GROUP_TEST(test_a_pool_that_is_kept_in_order_stays_so_when_a_group_ends),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
