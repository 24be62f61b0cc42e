/* Groups: their members, what they visit, and their descriptions. */
#include "memory/inner.h"
#include "observe/observers.h"
#include "storage/block_store.h"
#include "storage/sparse_set.h"
#include <covey/fields.h>
#include "groups.h"

#include <stdio.h>

/* ---- Shapes -------------------------------------------------------------------------------------------------------*/

static void test_a_group_has_those_that_are_there_already(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(shapes); i++) {
        scatter_for(&shapes[i], i);
        uint32_t count = covey_group_count(make_group(&shapes[i]));
        assert_true(count != 0 && count < COUNT);
        next_world();
    }
}

static void test_a_group_gets_those_that_come_later(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(shapes); i++) {
        assert_int_equal(covey_world_pool_count(world), 0); /* nor does the world know the types */
        make_group(&shapes[i]);
        assert_no_entity(covey_group_first(first_group()));
        scatter_for(&shapes[i], i);
        check_all();
        assert_true(covey_group_count(first_group()) != 0 && covey_group_count(first_group()) < COUNT);
        next_world();
    }
}

static void test_a_group_of_which_some_pools_are_not_there_yet(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(shapes); i++) {
        scatter(types, 1, i); /* only A */
        make_group(&shapes[i]);
        assert_int_equal(covey_group_count(first_group()), 0);
        scatter(types + 1, COUNT_OF(types) - 1, i);
        check_all();
        assert_true(covey_group_count(first_group()) != 0);
        next_world();
    }
}

static void test_a_group_owns_one_two_three_or_five_types(void **state) {
    (void)state;
    static const uint32_t numbers[] = { 1, 2, 3, 5 };
    for (uint32_t i = 0; i < 2 * COUNT_OF(numbers); i++) {
        covey_group_desc desc = { .own = { NULL } };
        uint32_t owned = numbers[i / 2];
        memcpy(desc.own, types, owned * sizeof *types);
        if (i % 2 == 0) make_group(&desc);
        scatter(types, 5, 77 + i);
        if (i % 2 != 0) make_group(&desc);
        check_all();
        assert_int_equal(first_group()->front.pool_count, owned);
        covey_iter it = covey_group_iter(first_group());
        assert_true(covey_next(&it));
        if (IN_BLOCKS) {
            next_world();
            continue;
        }
        assert_int_equal(it.count, covey_group_count(first_group()));
        const A *a = covey_field(&it, 0, A);
        assert_ptr_equal(a, covey_pool_values(covey_pool_of(world, A), A));
        if (owned > 1) assert_ptr_equal(covey_field(&it, 1, B), covey_pool_values(covey_pool_of(world, B), B));
        assert_same(covey_span_entity(&it, 0), covey_pool_ids(covey_pool_of(world, A))[0]);
        assert_false(covey_next(&it));
        next_world();
    }
}

static void with_one_storage(const covey_type *type) {
    for (uint32_t i = 0; i < COUNT; i++) e[i] = covey_create(world);
    scatter((const covey_type *[]){ AB, type, covey_id(X) }, 4, 3);
    covey_group *alone = make_group(&(covey_group_desc){ .with = { type } });
    covey_group *both = make_group(&(covey_group_desc){ .with = { covey_id(A), type }, .without = { covey_id(X) } });
    covey_group *without = make_group(&(covey_group_desc){ .with = { AB }, .without = { type } });
    covey_group *owning = make_group(&(covey_group_desc){ .own = { AB }, .with = { type } });
    assert_true(covey_group_count(alone) > covey_group_count(both));
    assert_true(covey_group_count(without) != 0 && covey_group_count(owning) != 0);
    for (uint32_t i = 0; i < COUNT; i += 2) {
        if (!take(e[i], type)) assert_non_null(give(e[i], type));
        if (i % 3 == 0 && !take(e[i], covey_id(X))) assert_non_null(give(e[i], covey_id(X)));
    }
    check_all();
    covey_clear_raw(world, type);
    assert_int_equal(covey_group_count(alone) + covey_group_count(owning), 0);
    check_all();
}

static void test_groups_that_do_not_own_go_with_every_storage(void **state) {
    (void)state;
    world_teardown(NULL);
    world_setup(NULL);
    for_each_storage(with_one_storage);
}

/* A type by another address, but of the same name, is the same. */
static void test_a_group_by_another_address_of_a_type(void **state) {
    (void)state;
    static const covey_type twin = { .name = "A", .size = sizeof(Value), .align = _Alignof(Value), OWNED };
    give_to(0, 20, covey_id(A));
    make_group(&(covey_group_desc){ .own = { &twin, covey_id(B) } });
    give_to(10, 30, covey_id(B));
    check_all();
    assert_int_equal(covey_group_count(first_group()), 10);
}

/* ---- Finding ------------------------------------------------------------------------------------------------------*/

static void test_a_group_is_found_by_its_description(void **state) {
    (void)state;
    scatter(types, COUNT_OF(types), 7);
    for (uint32_t shape = 0; shape < COUNT_OF(shapes); shape++) {
        assert_null(covey_group_find(world, &shapes[shape]));
        covey_group *group = covey_group_create(world, &shapes[shape]);
        assert_non_null(group);
        assert_ptr_equal(covey_group_find(world, &shapes[shape]), group);
        assert_int_equal(covey_world_group_count(world), 1);
        for (uint32_t other = 0; other < COUNT_OF(shapes); other++)
            if (other != shape) assert_null(covey_group_find(world, &shapes[other]));
        covey_group_destroy(group);
        assert_null(covey_group_find(world, &shapes[shape]));
    }
    check_all();
}

/* Fields have numbers, so their order is a part of the description; what is excluded has none. */
static void test_which_descriptions_are_the_same(void **state) {
    (void)state;
    covey_group *group = make_group(&(covey_group_desc){ .own = { AB }, .without = { covey_id(X), covey_id(Y) } });
    const covey_group_desc same[] = {
        { .own = { AB }, .without = { covey_id(X), covey_id(Y) } },
        { .own = { AB }, .without = { covey_id(Y), covey_id(X) } },
    };
    const covey_group_desc others[] = {
        { .own = { covey_id(B), covey_id(A) }, .without = { covey_id(X), covey_id(Y) } },
        { .own = { AB }, .without = { covey_id(X), covey_id(X) } },
        { .own = { AB }, .without = { covey_id(X) } },
        { .own = { AB }, .with = { covey_id(X) }, .without = { covey_id(Y) } },
        { .own = { covey_id(A) }, .with = { covey_id(B) }, .without = { covey_id(X), covey_id(Y) } },
        { .own = { AB }, .without = { covey_id(X), covey_id(E) } },
        { .own = { NULL } },
    };
    for (uint32_t i = 0; i < COUNT_OF(same); i++) assert_ptr_equal(covey_group_find(world, &same[i]), group);
    for (uint32_t i = 0; i < COUNT_OF(others); i++) assert_null(covey_group_find(world, &others[i]));
    assert_null(covey_group_create(world, &others[0])); /* it cannot be made beside the other one, either */
    assert_failed(COVEY_ERROR_CONFLICT);
    /* Types are what their names say, whatever their addresses are. */
    covey_type again = *covey_id(A);
    assert_ptr_equal(covey_group_find(world, &(covey_group_desc){ .own = { &again, covey_id(B) },
                                                                  .without = { covey_id(X), covey_id(Y) } }),
                     group);
}

/* ---- As a view ----------------------------------------------------------------------------------------------------*/

static void test_a_group_tells_what_it_is_about(void **state) {
    (void)state;
    give_to(0, 40, covey_id(A));
    give_to(5, 30, covey_id(B));
    give_to(10, 20, covey_id(X));
    const covey_group_desc desc = { .own = { covey_id(A) }, .with = { covey_id(B) }, .without = { covey_id(X) } };
    covey_group *group = make_group(&desc);
    const covey_view *view = covey_group_view(group);
    assert_int_equal(covey_view_fields(view), 2);
    assert_ptr_equal(covey_view_type(view, 0), covey_id(A));
    assert_ptr_equal(covey_view_type(view, 1), covey_id(B));
    assert_null(covey_view_type(view, 2));
    assert_int_equal(covey_view_count(view), covey_group_count(group));
    for (uint32_t i = 0; i < 40; i++)
        assert_int_equal(covey_view_contains(view, e[i]), covey_group_contains(group, e[i]));
}

/* ---- Text ---------------------------------------------------------------------------------------------------------*/

static void test_a_group_as_text(void **state) {
    (void)state;
    static const struct {
        covey_group_desc desc;
        const char *text;
    } texts[] = {
        { { .own = { covey_id(C) } }, "own C" },
        { { .own = { AB } }, "own A, B" },
        { { .own = { AB }, .without = { covey_id(X), covey_id(Y) } }, "own A, B without X, Y" },
        { { .own = { AB }, .with = { covey_id(Blocked) }, .without = { covey_id(X) } },
          "own A, B with Blocked without X" },
        { { .with = { covey_id(Blocked), covey_id(A) } }, "with Blocked, A" },
        { { .with = { covey_id(A) }, .without = { covey_id(Label) } }, "with A without Label" },
    };
    for (uint32_t i = 0; i < COUNT_OF(texts); i++) {
        covey_group *group = make_group(&texts[i].desc);
        int length = (int)strlen(texts[i].text);
        for (size_t size = 0; size < 50; size++) {
            char text[64];
            memset(text, '#', sizeof text);
            assert_int_equal(covey_group_print(text, size, group), length);
            size_t written = size == 0 ? 0 : size - 1 < (size_t)length ? size - 1 : (size_t)length;
            assert_memory_equal(text, texts[i].text, written);
            if (size != 0) assert_int_equal(text[written], '\0');
            assert_int_equal(text[size], '#');
        }
        assert_int_equal(covey_group_print(NULL, 0, group), length);
        covey_group_destroy(group);
    }
}

/* ---- Changing what is visited -------------------------------------------------------------------------------------*/

static const covey_group *visited_group;
static uint32_t visits[1000]; /* by index */

static void row_dies(covey_entity own) { assert_true(covey_destroy(world, own)); }
static void row_loses_the_first(covey_entity own) { assert_true(take(own, visited_group->view.types[0])); }
static void row_loses_the_last(covey_entity own) {
    assert_true(take(own, visited_group->view.types[visited_group->view.with - 1]));
}
static void row_loses_and_regains(covey_entity own) {
    row_loses_the_last(own);
    assert_non_null(give(own, visited_group->view.types[visited_group->view.with - 1]));
}
static void row_gets_what_is_excluded(covey_entity own) {
    if (visited_group->view.without != 0) give(own, visited_group->view.types[visited_group->view.with]);
}
static void row_gets_and_loses_what_is_excluded(covey_entity own) {
    row_gets_what_is_excluded(own);
    if (visited_group->view.without != 0) take(own, visited_group->view.types[visited_group->view.with]);
}
static void row_makes_another(covey_entity own) {
    (void)own;
    covey_entity fresh = covey_create(world);
    for (uint32_t i = 0; i < visited_group->view.with; i++) assert_non_null(give(fresh, visited_group->view.types[i]));
}
static void row_dies_and_makes_another(covey_entity own) {
    row_makes_another(own);
    row_dies(own);
}
typedef void row_fn(covey_entity own);
static row_fn *const row_changes[] = { row_dies,
                                       row_loses_the_first,
                                       row_loses_the_last,
                                       row_loses_and_regains,
                                       row_gets_what_is_excluded,
                                       row_gets_and_loses_what_is_excluded,
                                       row_makes_another,
                                       row_dies_and_makes_another };

/* Changes each so manieth row; all that were members before are visited once. */
static void visit(const covey_group *group, row_fn *change, uint32_t step) {
    bool member[1000] = { false };
    uint32_t rows = 0;
    memset(visits, 0, sizeof visits);
    visited_group = group;
    for (uint32_t i = 0; i < COUNT; i++) member[e[i].index] = covey_group_contains(group, e[i]);
    covey_iter it = covey_group_iter(group);
    covey_row row = { 0 };
    for (; covey_next_row(&it, &row); rows++) {
        covey_entity own = covey_row_entity(&it, row);
        visits[own.index]++;
        for (uint32_t field = 0; field < group->view.fields; field++) {
            const covey_type *type = group->view.types[field];
            assert_number(covey_row_field_raw(&it, row, field), own, type);
        }
        if (rows % step == 0) change(own);
    }
    assert_true(rows != 0);
    for (uint32_t i = 0; i < COUNT; i++) assert_int_equal(visits[e[i].index], member[e[i].index]);
    check_all();
}

static void test_the_entity_of_a_row_may_change_and_all_others_are_visited_once(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(shapes) * COUNT_OF(row_changes) * 3; i++) {
        uint32_t shape = i / 3 / COUNT_OF(row_changes);
        row_fn *change = row_changes[i / 3 % COUNT_OF(row_changes)];
        scatter(types, COUNT_OF(types), i);
        for (uint32_t k = 0; k < 16 && shapes[shape].without[k]; k++) covey_clear_raw(world, shapes[shape].without[k]);
        visit(make_group(&shapes[shape]), change, i % 3 + 1);
        next_world();
    }
}

/* What happens to the row's entity in an outer group is no harm; it leaves an inner one only together with this. */
static void row_loses_c(covey_entity own) { take(own, covey_id(C)); }
static void row_loses_d(covey_entity own) { take(own, covey_id(D)); }
static void test_rows_of_groups_that_are_nested(void **state) {
    (void)state;
    static row_fn *const changes[] = { row_dies, row_loses_the_first, row_loses_the_last, row_loses_c, row_loses_d };
    for (uint32_t i = 0; i < 3 * 3 * COUNT_OF(changes); i++) {
        scatter(types, 5, i);
        covey_group *nested[3] = {
            make_group(&(covey_group_desc){ .own = { AB } }),
            make_group(&(covey_group_desc){ .own = { AB, covey_id(C) } }),
            make_group(&(covey_group_desc){ .own = { AB, covey_id(C), covey_id(D) } }),
        };
        row_fn *change = changes[i / 9];
        bool stays = (change == row_loses_c && i % 3 < 1) || (change == row_loses_d && i % 3 < 2);
        if (!stays) visit(nested[i % 3], change, i / 3 % 3 + 1);
        next_world();
    }
}

static void test_values_of_all_members_can_be_written_in_spans_and_rows(void **state) {
    (void)state;
    covey_group *group = make_group(&shapes[9]); /* own A, B with Blocked, Label */
    scatter(types, COUNT_OF(types), 1);
    covey_iter it = covey_group_iter(group);
    while (covey_next(&it))
        for (uint32_t i = 0; i < it.count; i++) {
            covey_field(&it, 0, A)[i].number = covey_field(&it, 1, B)[i].number + 1;
            covey_field(&it, 2, Blocked)[i].number = covey_span_entity(&it, i).index;
            assert_non_null(covey_field(&it, 3, Label));
        }
    covey_row row = { 0 };
    uint32_t rows = 0;
    it = covey_group_iter(group);
    for (; covey_next_row(&it, &row); rows++) {
        covey_entity own = covey_row_entity(&it, row);
        assert_int_equal(covey_row_field(&it, row, 0, A)->number, number_for(own, covey_id(B)) + 1);
        assert_int_equal(covey_row_field(&it, row, 2, Blocked)->number, own.index);
        covey_row_field(&it, row, 1, B)->number = 3;
        assert_int_equal(covey_get(world, own, B)->number, 3);
    }
    assert_int_equal(rows, covey_group_count(group));
    for (uint32_t i = 0; i < COUNT; i++)
        if (!covey_group_contains(group, e[i]) && covey_has(world, e[i], A))
            assert_value(e[i], covey_id(A), number_for(e[i], covey_id(A)));
}

/* ---- The validator ------------------------------------------------------------------------------------------------*/

#if !IN_BLOCKS
static void test_the_validator_sees_wrong_groups_that_own(void **state) {
    (void)state;
    give_to(0, 10, covey_id(A));
    give_to(5, 20, covey_id(B));
    give_to(5, 8, covey_id(C));
    covey_group *outer = make_group(&shapes[0]), *inner = make_group(&shapes[5]);
    covey_pool *a = covey_pool_of(world, A), *b = covey_pool_of(world, B), *c = covey_pool_of(world, C);
    BREAK(covey_world *, outer->world, NULL, "group: of another world");
    BREAK(covey__role, b->observers->groups[1].role, COVEY__EXCLUDED, "group: a pool that does not know it");
    BREAK(uint8_t, c->sparse_set.policy, COVEY_SWAP_ONLY, "group: it owns a pool that cannot be owned");
    BREAK(uint32_t, inner->front.count, 4, "group: it has more members than a pool has components");
    BREAK(uint32_t, outer->front.count, 6, "group: its members are in different orders in two pools");
    BREAK(uint32_t, outer->front.count, 4,
          "group: an entity that does not match is a member, or one that matches is none");
    BREAK(uint32_t, inner->front.count, 2,
          "group: an entity that does not match is a member, or one that matches is none");
    covey_sparse_set_swap(&b->sparse_set, b->sparse_set.ids[3], b->sparse_set.ids[4]);
    assert_reason("group: its members are in different orders in two pools");
    covey_sparse_set_swap(&b->sparse_set, b->sparse_set.ids[3], b->sparse_set.ids[4]);
    covey_sparse_set_swap(&a->sparse_set, a->sparse_set.ids[4], a->sparse_set.ids[5]);
    covey_sparse_set_swap(&b->sparse_set, b->sparse_set.ids[4], b->sparse_set.ids[5]);
    assert_reason("group: its members are in different orders in two pools");
    covey_sparse_set_swap(&a->sparse_set, a->sparse_set.ids[4], a->sparse_set.ids[5]);
    covey_sparse_set_swap(&b->sparse_set, b->sparse_set.ids[4], b->sparse_set.ids[5]);
    BREAK(uint32_t, world->inner->group_capacity, world->inner->group_capacity + 1,
          "world: bytes that are not accounted for");
    BREAK(uint8_t, a->adding, COVEY__ADD_ONLY, "observers: inline adds or removals bypass them");
    BREAK(uint8_t, a->sparse_set.removal, COVEY__REMOVE_GROUPED, "observers: inline adds or removals bypass them");
    covey__membership turned[2] = { a->observers->groups[1], a->observers->groups[0] };
    break_world(a->observers->groups, turned, sizeof turned, "observers: an inner group is listed before an outer one");
}

#endif

#if IN_BLOCKS
static void test_the_validator_sees_wrong_groups_in_blocks(void **state) {
    (void)state;
    give_to(0, 10, covey_id(A));
    give_to(5, 20, covey_id(B));
    give_to(5, 8, covey_id(C));
    covey_group *outer = make_group(&shapes[0]), *inner = make_group(&shapes[5]);
    covey_pool *a = covey_pool_of(world, A), *b = covey_pool_of(world, B);
    uint8_t *border = covey__border_at(&outer->front, 0);
    BREAK(bool, b->block_store.grouped, false, "pool: wrongly marked as owned by a group, or not marked");
    BREAK(uint32_t, outer->front.count, 4, "group: its number of members is wrong");
    BREAK(uint8_t, *border, 4, "group: an entity that does not match is a member, or one that matches is none");
    BREAK(uint8_t, *covey__border_at(&inner->front, 0), 2,
          "group: an entity that does not match is a member, or one that matches is none");
    BREAK(uint8_t, border[1], 1, "group: its number of members is wrong");
    covey__block of_a = covey__block_in(&a->block_store, 5), of_b = covey__block_in(&b->block_store, 5);
    uint32_t slot = covey__blocks_slot(&b->block_store, 5);
    covey__block_exchange(&b->block_store, &of_b, 5, slot == 0 ? 1 : 0);
    assert_reason("group: its members are in different orders in two pools");
    covey__block_exchange(&a->block_store, &of_a, 5, slot == 0 ? 1 : 0);
    assert_reason("group: its members are in different orders in two pools"); /* not so in C */
    covey__block_exchange(&a->block_store, &of_a, 5, slot);
    covey__block_exchange(&b->block_store, &of_b, 5, slot);
    test_world_is_valid(world);
    BREAK(uint32_t, outer->front.borders.count, 0, "world: bytes that are not accounted for");
    BREAK(bool, a->observers->needs_memory, false, "observers: needs_memory is wrong");
}
#endif

static void test_the_validator_sees_wrong_groups_that_own_nothing(void **state) {
    (void)state;
    give_to(0, 40, covey_id(A));
    give_to(5, 30, covey_id(X));
    covey_group *group = make_group(&(covey_group_desc){ .with = { covey_id(A) }, .without = { covey_id(X) } });
    BREAK(uint32_t, group->candidates, 41, "group: its number of candidates is wrong");
    BREAK(size_t, group->members.heap.bytes, 1, "group: bytes that are not accounted for");
    BREAK(uint32_t, group->members.holes, 1, "set: a hole under a policy that makes none");
    covey_sparse_set_erase(&group->members, e[33]);
    assert_reason("group: an entity that does not match is a member, or one that matches is none");
    assert_int_equal(covey_sparse_set_push(&group->members, e[33], NULL), COVEY_OK);
    test_world_is_valid(world);
    assert_int_equal(covey_sparse_set_push(&group->members, e[50], NULL), COVEY_OK);
    assert_reason("group: a member is in none of its pools");
    covey_sparse_set_erase(&group->members, e[50]);
    test_world_is_valid(world);
    for (uint32_t i = 0; i < 40; i++)
        if (i < 5 || i >= 30) assert_non_null(give(e[i], covey_id(X)));
    covey_sparse_set_shrink(&group->members);
    assert_reason("group: a candidate has no page in the set of members");
    for (uint32_t i = 0; i < 40; i++) assert_int_equal(covey__set_prepare(&group->members, e[i].index, true), COVEY_OK);
    assert_reason("group: the set of members has no room for all candidates");
    assert_int_equal(covey_sparse_set_reserve(&group->members, 40), COVEY_OK);
    test_world_is_valid(world);
}

#if !IN_BLOCKS
static void test_the_validator_sees_wrong_watches(void **state) {
    (void)state;
    scatter(types, COUNT_OF(types), 7);
    make_group(&(covey_group_desc){ .own = { covey_id(A) }, .with = { covey_id(B) }, .without = { covey_id(X) } });
    make_group(&(covey_group_desc){ .with = { covey_id(Blocked), covey_id(B) }, .without = { covey_id(X) } });
    covey_pool *a = covey_pool_of(world, A), *b = covey_pool_of(world, B), *c = covey_pool_of(world, C);
    covey_pool *x = covey_pool_of(world, X), *blocked = covey_pool_of(world, Blocked);
    BREAK(bool, a->sparse_set.observed, false, "observers: the observed flag of the set is wrong");
    BREAK(bool, c->sparse_set.observed, true, "observers: the observed flag of the set is wrong");
    BREAK(uint8_t, a->uses, 0, "observers: COVEY_USE_GROUP is wrong");
    BREAK(uint8_t, b->uses, COVEY_USE_GROUP, "observers: COVEY_USE_GROUP is wrong");
    BREAK(uint32_t, x->observers->group_count, 0, "observers: the structure remains, but no observer is left");
    BREAK(bool, blocked->plain, true, "observers: inline adds or removals bypass them");
    BREAK(uint32_t, a->sparse_set.room, 1, "observers: inline adds or removals bypass them");
    BREAK(uint8_t, b->sparse_set.removal, COVEY__REMOVE_SWAPPING, "observers: inline adds or removals bypass them");
    BREAK(bool, a->observers->needs_memory, true, "observers: needs_memory is wrong");
    BREAK(bool, b->observers->needs_memory, false, "observers: needs_memory is wrong");
    BREAK(bool, x->observers->needs_memory, true, "observers: needs_memory is wrong");
    BREAK(bool, blocked->observers->keeps_order, true,
          "observers: the pool is kept in order, but its storage cannot be ordered");
}

#endif

/* ---- By chance ----------------------------------------------------------------------------------------------------*/

/* Groups come and go among changes of everything. */
static void test_groups_among_random_changes(void **state) {
    (void)state;
    test_random random = { 2024 };
    uint64_t steps = test_scaled(20000);
    for (uint64_t step = 0; step < steps; step++) {
        uint32_t kind = test_below(&random, 100), groups = covey_world_group_count(world);
        change_something(&random);
        if (kind == 0 && groups < 8) {
            bool shape = test_below(&random, 2) == 0;
            uint32_t family = test_below(&random, FAMILIES), member = test_below(&random, family_size(family));
            (void)covey_group_create(world, shape ? &shapes[test_below(&random, COUNT_OF(shapes))]
                                                  : &families[family][member]);
        }
        if (kind == 1 && groups > 3) covey_group_destroy(covey_world_group(world, test_below(&random, groups)));
        if (kind == 2 && groups != 0)
            (void)covey_group_sort(covey_world_group(world, test_below(&random, groups)), 0,
                                   &(covey_order){ .key = COVEY_KEY_U32, .descending = step % 2 == 0 });
        if (kind == 3) {
            covey_pool *pool = covey_pool_of_raw(world, types[test_below(&random, COUNT_OF(types))]);
            (void)covey_pool_convert(pool, test_below(&random, 2) == 0 ? COVEY_STORAGE_BLOCK : COVEY_STORAGE_SPARSE);
        }
        if (kind < 10) check_all();
    }
    check_all();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        GROUP_TEST(test_a_group_tells_what_it_is_about),
        GROUP_TEST(test_a_group_has_those_that_are_there_already),
        GROUP_TEST(test_a_group_gets_those_that_come_later),
        GROUP_TEST(test_a_group_of_which_some_pools_are_not_there_yet),
        GROUP_TEST(test_a_group_owns_one_two_three_or_five_types),
        GROUP_TEST(test_groups_that_do_not_own_go_with_every_storage),
        GROUP_TEST(test_a_group_by_another_address_of_a_type),
        GROUP_TEST(test_the_entity_of_a_row_may_change_and_all_others_are_visited_once),
        GROUP_TEST(test_rows_of_groups_that_are_nested),
        GROUP_TEST(test_values_of_all_members_can_be_written_in_spans_and_rows),
        GROUP_TEST(test_a_group_as_text),
        GROUP_TEST(test_a_group_is_found_by_its_description),
        GROUP_TEST(test_which_descriptions_are_the_same),
        GROUP_TEST(test_the_validator_sees_wrong_groups_that_own_nothing),
        GROUP_TEST(test_groups_among_random_changes),
#if IN_BLOCKS
        GROUP_TEST(test_the_validator_sees_wrong_groups_in_blocks),
#else
        GROUP_TEST(test_the_validator_sees_wrong_groups_that_own),
        GROUP_TEST(test_the_validator_sees_wrong_watches),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
