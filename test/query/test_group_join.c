/* Groups: how entities join and leave, one by one. */
#include "observe/observers.h"
#include "groups.h"

/* ---- Coming and going ---------------------------------------------------------------------------------------------*/

#define NUMBER_OF_B(of) number_for(of, covey_id(B))

static B *literally(covey_entity to) { return covey_add(world, to, B, { NUMBER_OF_B(to), ~NUMBER_OF_B(to) }); }
static B *by_value(covey_entity to) {
    B value = value_of(NUMBER_OF_B(to));
    return covey_add_value(world, to, B, &value);
}
static B *by_pool(covey_entity to) {
    return covey_pool_add(covey_pool_of(world, B), to, B, { NUMBER_OF_B(to), ~NUMBER_OF_B(to) });
}
static B *by_value_and_pool(covey_entity to) {
    B value = value_of(NUMBER_OF_B(to));
    return covey_pool_add_value(covey_pool_of(world, B), to, B, &value);
}
static B *by_getting(covey_entity to) { return covey_get_or_add(world, to, B, { NUMBER_OF_B(to), ~NUMBER_OF_B(to) }); }
static B *by_setting(covey_entity to) { return covey_set(world, to, B, { NUMBER_OF_B(to), ~NUMBER_OF_B(to) }); }
static B *by_setting_a_value(covey_entity to) {
    static B value; /* gcc 12 takes the address that is returned for that of a local one */
    value = value_of(NUMBER_OF_B(to));
    return covey_set_value(world, to, B, &value);
}
static B *by_setting_in_the_pool(covey_entity to) {
    return covey_pool_set(covey_pool_of(world, B), to, B, { NUMBER_OF_B(to), ~NUMBER_OF_B(to) });
}
static B *by_array(covey_entity to) {
    B value = value_of(NUMBER_OF_B(to));
    return covey_add_array(world, &to, 1, B, &value) ? covey_get(world, to, B) : NULL;
}
static B *by_copies(covey_entity to) {
    B value = value_of(NUMBER_OF_B(to));
    return covey_add_copies(world, &to, 1, B, &value) ? covey_get(world, to, B) : NULL;
}
typedef B *join_fn(covey_entity to);
static join_fn *const joins[] = {
    literally, by_value, by_pool, by_value_and_pool, by_getting, by_setting, by_setting_a_value, by_setting_in_the_pool,
    by_array,  by_copies
};

/* All entities have every component that the shape may require, except B. Others have only B: a joining entity trades
 * places with one of them. */
static void prepare_joins(uint32_t shape) {
    make_group(&shapes[shape]);
    for (uint32_t i = 0; i < 7; i++) assert_non_null(give(covey_create(world), covey_id(B)));
    for (uint32_t k = 0; k < COUNT_OF(types); k++) {
        bool excluded = false;
        for (uint32_t i = 0; i < 4; i++) excluded |= shapes[shape].without[i] == types[k];
        if (types[k] != covey_id(B) && !excluded) give_to(0, COUNT, types[k]);
    }
    assert_int_equal(covey_group_count(first_group()), 0);
}

static void test_every_way_to_add_joins_and_returns_where_the_value_is_then(void **state) {
    (void)state;
    for (uint32_t shape = 0; shape < COUNT_OF(shapes); shape++) {
        prepare_joins(shape);
        for (uint32_t i = 0; i < COUNT; i++) {
            covey_entity own = e[(i * 31) % COUNT]; /* not in the order in which they have A */
            const B *value = joins[i % COUNT_OF(joins)](own);
            assert_number(value, own, covey_id(B));
            assert_ptr_equal(value, covey_get(world, own, B));
            assert_int_equal(covey_group_count(first_group()), i + 1);
            assert_true(covey_group_contains(first_group(), own));
            if (i % 9 == 0) check_all();
        }
        check_all();
        next_world();
    }
}

static void test_setting_a_member_again_changes_nothing_but_the_value(void **state) {
    (void)state;
    for (uint32_t shape = 0; shape < COUNT_OF(shapes); shape++) {
        prepare_joins(shape);
        for (uint32_t i = 0; i < COUNT; i++) literally(e[i]);
        uint64_t digest = world_digest(world);
        for (uint32_t i = 0; i < COUNT; i++) {
            assert_ptr_equal(by_setting(e[i]), covey_get(world, e[i], B));
            assert_ptr_equal(by_setting_a_value(e[i]), covey_get(world, e[i], B));
            assert_ptr_equal(by_getting(e[i]), covey_get(world, e[i], B));
            assert_null(literally(e[i]));
            assert_failed(COVEY_ERROR_PRESENT);
        }
        assert_int_equal(world_digest(world), digest);
        check_all();
        next_world();
    }
}

/* The value that is added lies in the pool itself, which moves it. */
static void test_a_value_of_the_pool_itself_is_added(void **state) {
    (void)state;
    make_group(&shapes[0]);
    give_to(0, COUNT, covey_id(A));
    literally(e[0]);
    for (uint32_t i = 1; i < COUNT; i++) {
        B *value = covey_add_value(world, e[i], B, covey_get(world, e[i - 1], B));
        assert_ptr_equal(value, covey_get(world, e[i], B));
        assert_int_equal(value->number, NUMBER_OF_B(e[0]));
        assert_int_equal(value->check, ~value->number);
    }
    assert_int_equal(covey_group_count(first_group()), COUNT);
}

static void test_tags_let_entities_join_and_leave(void **state) {
    (void)state;
    covey_group *marked =
        make_group(IN_BLOCKS ? &(covey_group_desc){ .own = { covey_id(A) }, .with = { covey_id(Marked) } }
                             : &(covey_group_desc){ .own = { covey_id(A), covey_id(Marked) } });
    covey_group *label = make_group(&(covey_group_desc){ .with = { covey_id(B), covey_id(Label) } });
    covey_group *none = make_group(&(covey_group_desc){ .own = { covey_id(C) }, .without = { covey_id(Label) } });
    give_to(0, COUNT, covey_id(A));
    give_to(0, COUNT, covey_id(B));
    give_to(0, COUNT, covey_id(C));
    for (uint32_t i = 5; i < COUNT; i += 3) assert_true(covey_add_tag(world, e[i], Marked));
    for (uint32_t i = 6; i < COUNT; i += 4) assert_true(covey_set_tag(world, e[i], Label));
    check_all();
    assert_int_equal(covey_group_count(marked), (COUNT - 5 + 2) / 3);
    assert_int_equal(covey_group_count(label), (COUNT - 6 + 3) / 4);
    assert_int_equal(covey_group_count(none), COUNT - (COUNT - 6 + 3) / 4);
    assert_true(covey_remove(world, e[5], Marked) && covey_remove(world, e[6], Label));
    assert_false(covey_group_contains(marked, e[5]) || covey_group_contains(label, e[6]));
    assert_true(covey_group_contains(none, e[6]));
    check_all();
}

static bool loses_a(covey_entity from) { return covey_remove(world, from, A); }
static bool loses_b_by_pool(covey_entity from) { return covey_pool_remove(covey_pool_of(world, B), from, B); }
static bool dies(covey_entity from) { return covey_destroy(world, from); }
static bool dies_with_others(covey_entity from) {
    return covey_destroy_many(world, (covey_entity[]){ from, from }, 2) == 1;
}
static bool gets_what_is_excluded(covey_entity to) {
    const covey_group *group = first_group();
    if (group->view.without == 0) return covey_remove(world, to, B);
    return give(to, group->view.types[group->view.with + to.index % group->view.without]) != NULL;
}
typedef bool leave_fn(covey_entity from);
static leave_fn *const leaves[] = { loses_a, loses_b_by_pool, dies, dies_with_others, gets_what_is_excluded };

static void test_every_way_to_leave(void **state) {
    (void)state;
    for (uint32_t shape = 0; shape < COUNT_OF(shapes); shape++) {
        prepare_joins(shape);
        for (uint32_t i = 0; i < COUNT; i++) literally(e[i]);
        for (uint32_t i = 0; i < COUNT; i++) {
            covey_entity own = e[(i * 47 + 11) % COUNT];
            assert_true(covey_group_contains(first_group(), own));
            assert_true(leaves[i % COUNT_OF(leaves)](own));
            assert_false(covey_group_contains(first_group(), own));
            assert_int_equal(covey_group_count(first_group()), COUNT - 1 - i);
            if (i % 9 == 0) check_all();
        }
        check_all();
        next_world();
    }
}

static void test_a_new_entity_at_the_index_of_a_dead_member_is_none(void **state) {
    (void)state;
    for (uint32_t shape = 0; shape < COUNT_OF(shapes); shape++) {
        prepare_joins(shape);
        for (uint32_t i = 0; i < 10; i++) literally(e[i]);
        for (uint32_t i = 0; i < 5; i++) assert_true(covey_destroy(world, e[i]));
        for (uint32_t i = 0; i < 5; i++) {
            covey_entity again = covey_create(world);
            assert_int_equal(again.index, e[i].index);
            assert_false(covey_group_contains(first_group(), again) || covey_group_contains(first_group(), e[i]));
            assert_true(give(again, covey_id(A)) && give(again, covey_id(B)));
            assert_false(covey_group_contains(first_group(), e[i]));
        }
        check_all();
        next_world();
    }
}

static void test_those_that_lose_all_that_is_excluded_join(void **state) {
    (void)state;
    static const covey_type *const excluded[] = { covey_id(X), covey_id(Y), covey_id(Kept) };
    for (uint32_t i = 0; i < 3; i++) {
        covey_group_desc desc = { .without = { covey_id(X), covey_id(Y), covey_id(Kept) } };
        const covey_type **asked = i == 0 ? desc.with : desc.own;
        asked[0] = covey_id(A);
        if (i == 2) desc.with[0] = covey_id(Blocked);
        scatter(excluded, 3, i);
        give_to(0, COUNT, covey_id(A));
        give_to(0, COUNT, covey_id(Blocked));
        covey_group *group = make_group(&desc);
        for (uint32_t k = 0; k < COUNT; k++)
            for (uint32_t n = 0; n < 3; n++) {
                uint32_t before = covey_group_count(group);
                bool was = covey_group_contains(group, e[k]);
                take(e[k], excluded[(n + k) % 3]);
                bool is = is_wanted(group, e[k]);
                assert_int_equal(covey_group_contains(group, e[k]), is);
                assert_int_equal(covey_group_count(group), before + (is && !was));
            }
        assert_int_equal(covey_group_count(group), COUNT);
        check_all();
        next_world();
    }
}

static const covey_group *watched_group;
static void no_member_when_dropped(void *value, void *context) {
    (void)value, (void)context;
    assert_int_equal(covey_group_count(watched_group), 0);
}
typedef Value Between;
COVEY_COMPONENT_DEFINE(Between, .drop = no_member_when_dropped);

/* What is excluded goes first, then one whose end looks at the group, then what the group asks for. */
static void test_one_that_dies_does_not_join_on_its_way(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        give_to(0, 5, covey_id(X));
        give_to(0, 5, covey_id(Between));
        give_to(0, 5, covey_id(A));
        covey_group_desc desc = { .without = { covey_id(X) } };
        *(i == 0 ? desc.own : desc.with) = covey_id(A);
        watched_group = make_group(&desc);
        for (uint32_t k = 0; k < 5; k++) assert_true(covey_destroy(world, e[k]));
        check_all();
        next_world();
    }
}

/* ---- Neighbours ---------------------------------------------------------------------------------------------------*/

/* Entities get a component one after the other, lose it in the same order, and get it again in the other one. Some lack
 * another component of the group, some were in the way before, and blocks move in between. */
static void change_neighbours(const covey_type *type, const covey_type *other, uint32_t variant) {
    for (uint32_t i = 0; i < COUNT; i += variant == 1 ? 7 : COUNT) take(e[i], other);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_non_null(give(e[i], type));
        if (i == COUNT / 2) covey_shrink(world);
        check_all();
    }
    for (uint32_t i = variant; i < COUNT; i += 1 + variant) {
        assert_true(take(e[i], type));
        check_all();
    }
    if (variant == 2) covey_compact(world);
    for (uint32_t i = COUNT; i-- != 0;) {
        if (!covey_has_raw(world, e[i], type)) assert_non_null(give(e[i], type));
        check_all();
    }
    assert_null(give(e[3], type)); /* it is there already */
    covey_destroy(world, e[COUNT - 1]);
    assert_null(give(e[COUNT - 1], type)); /* the block is noted, but the entity is gone */
    e[COUNT - 1] = covey_create(world);
    for (uint32_t i = 0; i < COUNT; i++) {
        take(e[i], type);
        if (!covey_has_raw(world, e[i], other)) give(e[i], other);
        check_all();
    }
    covey_shrink(world);
}

static void test_neighbours_join_and_leave_one_after_the_other(void **state) {
    (void)state;
    for (uint32_t owned = 2; owned <= 5; owned++)
        for (uint32_t variant = 0; variant < 3; variant++) {
            covey_group_desc desc = { 0 };
            for (uint32_t k = 0; k < owned; k++) desc.own[k] = types[k];
            make_group(&desc);
            for (uint32_t k = 0; k + 1 < owned; k++) give_to(0, COUNT, types[k]);
            change_neighbours(types[owned - 1], types[0], variant);
            covey_group_destroy(first_group());
            make_group(&desc);
            change_neighbours(types[owned - 1], types[owned - 2], variant);
            next_world();
        }
}

/* A row of the group, between entities that have some of its components. */
static void test_neighbours_are_created_as_members(void **state) {
    (void)state;
    for (uint32_t variant = 0; variant < 3; variant++) {
        make_group(&(covey_group_desc){ .own = { AB, covey_id(C) } });
        for (uint32_t i = 0; i < 150; i++) {
            covey_entity made =
                covey_create_with(world, covey_with(A, { 1, 0 }), covey_with(B, { 2, 0 }), covey_with(C, { 3, 0 }));
            for (uint32_t k = 0; k < 3; k++) {
                Value *value = covey_get_raw(world, made, types[k]);
                assert_non_null(value);
                assert_int_equal(value->number, k + 1);
                *value = value_of(number_for(made, types[k]));
            }
            if (variant == 1 && i % 11 == 5) take(made, covey_id(B));
            if (variant == 2 && i % 5 == 3) covey_destroy(world, made);
            if (i == 100) covey_shrink(world);
            check_all();
        }
        assert_int_equal(covey_group_count(first_group()), variant == 0 ? 150 : variant == 1 ? 136 : 120);
        next_world();
    }
}

/* Those that only an excluded component keeps from it join later, and that never asks for memory. */
static void test_shrinking_leaves_room_for_those_that_may_join(void **state) {
    (void)state;
    covey_group *group = make_group(&(covey_group_desc){ .with = { AB }, .without = { covey_id(X) } });
    give_to(0, COUNT, covey_id(A));
    give_to(0, COUNT, covey_id(X));
    give_to(0, COUNT, covey_id(B));
    covey_shrink(world);
    check_all();
    test_fail_at(&heap, 1, true);
    covey_clear(world, X);
    test_fail_never(&heap);
    assert_int_equal(covey_group_count(group), COUNT);
    check_all();
    size_t bytes = covey_world_memory(world);
    covey_clear(world, A);
    covey_shrink(world);
    assert_true(covey_world_memory(world) < bytes && group->members.heap.bytes == 0);
    check_all();
}

/* ---- New entities with all components -----------------------------------------------------------------------------*/

static covey_entity create_ab(uint32_t i, bool at_once) {
    if (at_once) return covey_create_with(world, covey_with(A, { i, i + 1 }), covey_with(B, { i, i + 2 }));
    covey_entity made = covey_create_for(world, A, B);
    covey_add(world, made, A, { i, i + 1 });
    covey_add(world, made, B, { i, i + 2 });
    return made;
}

/* Some entities that match no longer do, and some others have one component only: they lie behind the members. */
static uint64_t digest_when_made(bool at_once, bool disturbed) {
    next_world();
    covey_group *group = GROUP(.own = { AB });
    covey_entity made[300];
    for (uint32_t i = 0; i < COUNT_OF(made); i++) {
        made[i] = create_ab(i, at_once);
        assert_int_equal(covey_get(world, made[i], B)->check, i + 2);
        if (disturbed && i % 30 == 29) covey_destroy(world, made[i - i % 7]);
        if (disturbed && i % 50 == 49) covey_remove(world, made[i - 20], A);
        if (disturbed && i % 90 == 89) assert_non_null(covey_add(world, e[i / 90], A, { i, i }));
        test_world_is_valid(world);
    }
    assert_int_equal(covey_group_count(group), disturbed ? covey_pool_count(covey_pool_of(world, A)) - 3 : 300);
    return world_digest(world);
}

static void test_a_new_entity_with_all_components_joins_as_by_single_adds(void **state) {
    (void)state;
    assert_int_equal(digest_when_made(true, false), digest_when_made(false, false));
    assert_int_equal(digest_when_made(true, true), digest_when_made(false, true));
}

static void test_many_new_entities_join_at_once(void **state) {
    (void)state;
    covey_group *group = GROUP(.own = { AB }), *inner;
    covey_entity made[150];
    for (uint32_t i = 0; i < COUNT; i += 9) assert_non_null(covey_add(world, e[i], A, { i, i })); /* behind members */
    for (uint32_t round = 0; round < 3; round++) {
        A a = { round, 1 };
        B b[COUNT_OF(made)];
        for (uint32_t i = 0; i < COUNT_OF(made); i++) b[i] = (B){ i, round };
        assert_true(
            covey_create_many_with(world, made, COUNT_OF(made), covey_with_copies(A, &a), covey_with_array(B, b)));
        test_world_is_valid(world);
        assert_int_equal(covey_group_count(group), (round + 1) * COUNT_OF(made));
        for (uint32_t i = 0; i < COUNT_OF(made); i++) assert_int_equal(covey_get(world, made[i], B)->number, i);
        if (round == 1) covey_clear(world, X);
        if (round == 0) continue;
        covey_entity clones[70];
        assert_true(covey_clone(world, made[3], clones, COUNT_OF(clones)));
        test_world_is_valid(world);
        for (uint32_t i = 0; i < COUNT_OF(clones); i++) covey_destroy(world, clones[i]);
    }
    inner = GROUP(.own = { AB, covey_id(C) });
    for (uint32_t i = 0; i < 40; i++) create_ab(i, true);
    C c = { 5, 6 };
    assert_true(covey_create_many_with(world, made, 100, covey_with_default(A), covey_with_copies(C, &c),
                                       covey_with_default(B)));
    assert_int_equal(covey_group_count(inner), 100);
    test_world_is_valid(world);
}

/* A listener of one pool, or a component that is disabled, is enough for the slow way. */
static void count_added(const covey_event *event, void *context) { *(uint32_t *)context += event->count; }

static void test_other_observers_see_new_members(void **state) {
    (void)state;
    covey_group *group = GROUP(.own = { AB });
    uint32_t added = 0;
    for (uint32_t i = 0; i < 40; i++) create_ab(i, true);
    covey_connection heard_b = covey_connect(
        world,
        &(covey_listener){ .type = covey_id(B), .signals = COVEY_ON_ADD, .call = count_added, .context = &added });
    for (uint32_t i = 0; i < 10; i++) create_ab(i, true);
    assert_int_equal(added, 10);
    assert_true(covey_disconnect(world, heard_b));
    for (uint32_t i = 0; i < 10; i++) e[i] = create_ab(i, true);
    assert_int_equal(covey_component_disable(world, e[0], A), COVEY_OK);
    for (uint32_t i = 0; i < 10; i++) create_ab(i, true);
    assert_int_equal(added, 10);
    assert_int_equal(covey_group_count(group), 69);
    assert_int_equal(covey_disable(world, e[1]), COVEY_OK);
    for (uint32_t i = 0; i < 10; i++) create_ab(i, true);
    assert_int_equal(covey_group_count(group), 78);
    test_world_is_valid(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        GROUP_TEST(test_a_new_entity_with_all_components_joins_as_by_single_adds),
        GROUP_TEST(test_many_new_entities_join_at_once),
        GROUP_TEST(test_other_observers_see_new_members),
        GROUP_TEST(test_every_way_to_add_joins_and_returns_where_the_value_is_then),
        GROUP_TEST(test_setting_a_member_again_changes_nothing_but_the_value),
        GROUP_TEST(test_a_value_of_the_pool_itself_is_added),
        GROUP_TEST(test_tags_let_entities_join_and_leave),
        GROUP_TEST(test_every_way_to_leave),
        GROUP_TEST(test_a_new_entity_at_the_index_of_a_dead_member_is_none),
        GROUP_TEST(test_those_that_lose_all_that_is_excluded_join),
        GROUP_TEST(test_one_that_dies_does_not_join_on_its_way),
        GROUP_TEST(test_shrinking_leaves_room_for_those_that_may_join),
        GROUP_TEST(test_neighbours_join_and_leave_one_after_the_other),
        GROUP_TEST(test_neighbours_are_created_as_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
