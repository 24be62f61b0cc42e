/* Parents and children: the tree, the order of children, and what happens to them. */
#include "memory/inner.h"
#include "tree/hierarchy.h"
#include "tree/name.h"
#include "tree/node.h"
#include "fixture.h"
#include "oom.h"

#include <covey/hierarchy.h>

static const covey_entity none = { 0, 0 };
enum { COUNT = 12 };
static covey_entity e[COUNT];

static int tree_setup(void **state) {
    int result = world_setup(state);
    for (uint32_t i = 0; i < COUNT; i++) e[i] = covey_create(world);
    return result;
}
#define TREE_TEST(test) cmocka_unit_test_setup_teardown(test, tree_setup, world_teardown)

static void set_parent(uint32_t child, uint32_t parent) {
    assert_int_equal(covey_parent_set(world, e[child], e[parent]), COVEY_OK);
}

/*      0         8
 *     / \        |
 *    1   2       9
 *   / \   \
 *  3   4   5
 *      |
 *      6                7, 10 and 11 are alone */
static void plant(void) {
    static const uint32_t parents[][2] = { { 1, 0 }, { 2, 0 }, { 3, 1 }, { 4, 1 }, { 5, 2 }, { 6, 4 }, { 9, 8 } };
    for (uint32_t i = 0; i < COUNT_OF(parents); i++) set_parent(parents[i][0], parents[i][1]);
}

/* These are the children, from either end. */
static void assert_children(uint32_t parent, const uint32_t *children, uint32_t count) {
    covey_entity forward = covey_child_first(world, e[parent]), backward = covey_child_last(world, e[parent]);
    assert_int_equal(covey_child_count(world, e[parent]), count);
    for (uint32_t i = 0; i < count; i++) {
        assert_same(forward, e[children[i]]);
        assert_same(backward, e[children[count - 1 - i]]);
        assert_same(covey_parent(world, forward), e[parent]);
        forward = covey_child_next(world, forward);
        backward = covey_child_previous(world, backward);
    }
    assert_no_entity(forward);
    assert_no_entity(backward);
}
#define CHILDREN(parent, ...) \
    assert_children(parent, (const uint32_t[]){ __VA_ARGS__ }, COUNT_OF(((const uint32_t[]){ __VA_ARGS__ })))

static void assert_root(uint32_t number) {
    assert_no_entity(covey_parent(world, e[number]));
    assert_no_entity(covey_child_next(world, e[number]));
    assert_no_entity(covey_child_previous(world, e[number]));
    assert_int_equal(covey_depth(world, e[number]), 0);
}

static void assert_refused(covey_result reason, covey_entity child, covey_entity parent) {
    uint64_t digest = world_digest(world);
    uint32_t times = heard.times;
    assert_int_equal(covey_parent_set(world, child, parent), reason);
    assert_failed(reason);
    assert_int_equal(heard.times, times + 1);
    assert_true(world_digest(world) == digest);
}

/* ---- Parents ------------------------------------------------------------------------------------------------------*/

static void test_an_entity_alone_is_a_root_without_children(void **state) {
    (void)state;
    assert_root(0);
    assert_int_equal(covey_child_count(world, e[0]), 0);
    assert_no_entity(covey_child_first(world, e[0]));
    assert_no_entity(covey_child_last(world, e[0]));
    assert_no_entity(covey_tree_next(world, e[0], e[0]));
}

static void test_children_come_in_the_order_in_which_they_were_added(void **state) {
    (void)state;
    plant();
    CHILDREN(0, 1, 2);
    CHILDREN(1, 3, 4);
    CHILDREN(2, 5);
    assert_int_equal(covey_child_count(world, e[6]), 0);
}

static void test_a_parent_set_again_makes_the_child_the_last_one(void **state) {
    (void)state;
    for (uint32_t i = 1; i < 5; i++) set_parent(i, 0);
    set_parent(2, 0);
    CHILDREN(0, 1, 3, 4, 2);
    set_parent(2, 0);
    CHILDREN(0, 1, 3, 4, 2);
    set_parent(1, 0);
    CHILDREN(0, 3, 4, 2, 1);
}

static void test_a_child_moves_to_another_parent_with_all_below_it(void **state) {
    (void)state;
    plant();
    set_parent(1, 8);
    CHILDREN(0, 2);
    CHILDREN(8, 9, 1);
    CHILDREN(1, 3, 4);
    assert_int_equal(covey_depth(world, e[6]), 3);
    set_parent(8, 5);
    assert_int_equal(covey_depth(world, e[6]), 6);
}

static void test_without_a_parent_it_becomes_a_root(void **state) {
    (void)state;
    plant();
    assert_int_equal(covey_parent_set(world, e[1], none), COVEY_OK);
    assert_root(1);
    CHILDREN(0, 2);
    CHILDREN(1, 3, 4);
    assert_int_equal(covey_depth(world, e[6]), 2);
    assert_int_equal(covey_parent_set(world, e[1], none), COVEY_OK);
    assert_int_equal(covey_parent_set(world, e[7], entity(3, 0)), COVEY_OK); /* null, too */
    assert_root(7);
}

static void test_no_entity_becomes_its_own_ancestor(void **state) {
    (void)state;
    assert_refused(COVEY_ERROR_CYCLE, e[7], e[7]);
    plant();
    assert_refused(COVEY_ERROR_CYCLE, e[0], e[0]);
    assert_refused(COVEY_ERROR_CYCLE, e[0], e[1]);
    assert_refused(COVEY_ERROR_CYCLE, e[0], e[6]);
    assert_refused(COVEY_ERROR_CYCLE, e[1], e[6]);
    set_parent(6, 0); /* up is fine */
    set_parent(4, 5);
}

static void test_the_dead_have_no_parents_and_no_children(void **state) {
    (void)state;
    plant();
    covey_entity dead = e[7], never = entity(COVEY_NONE - 1, 1);
    covey_destroy(world, dead);
    assert_refused(COVEY_ERROR_DEAD, dead, e[0]);
    assert_refused(COVEY_ERROR_DEAD, e[0], dead);
    assert_refused(COVEY_ERROR_DEAD, none, e[0]);
    assert_refused(COVEY_ERROR_DEAD, none, none);
    assert_refused(COVEY_ERROR_DEAD, e[0], never);
    const covey_entity absent[] = { dead, never, none, entity(0, 3) };
    for (uint32_t i = 0; i < COUNT_OF(absent); i++) {
        assert_no_entity(covey_parent(world, absent[i]));
        assert_no_entity(covey_child_first(world, absent[i]));
        assert_no_entity(covey_child_last(world, absent[i]));
        assert_no_entity(covey_child_next(world, absent[i]));
        assert_no_entity(covey_child_previous(world, absent[i]));
        assert_int_equal(covey_child_count(world, absent[i]), 0);
        assert_int_equal(covey_depth(world, absent[i]), 0);
        assert_false(covey_is_ancestor(world, absent[i], e[1]));
        assert_false(covey_is_ancestor(world, e[0], absent[i]));
        assert_no_entity(covey_tree_next(world, absent[i], e[1]));
        assert_no_entity(covey_tree_next(world, e[0], absent[i]));
        assert_int_equal(covey_destroy_tree(world, absent[i]), 0);
    }
}

static void test_parents_are_no_components(void **state) {
    (void)state;
    plant();
    assert_int_equal(covey_types_of(world, e[0], NULL, 0), 0);
    assert_true(covey_is_empty(world, e[1]));
}

/* ---- Places -------------------------------------------------------------------------------------------------------*/

static void move(uint32_t child, covey_entity before) {
    assert_int_equal(covey_child_move(world, e[child], before), COVEY_OK);
}

static void test_a_child_is_moved_among_its_siblings(void **state) {
    (void)state;
    for (uint32_t i = 1; i < 6; i++) set_parent(i, 0);
    move(4, e[2]);
    CHILDREN(0, 1, 4, 2, 3, 5);
    move(5, e[1]);
    CHILDREN(0, 5, 1, 4, 2, 3);
    move(5, e[3]);
    CHILDREN(0, 1, 4, 2, 5, 3);
    move(1, none);
    CHILDREN(0, 4, 2, 5, 3, 1);
    move(1, none);
    move(4, e[2]);
    move(5, e[5]);
    CHILDREN(0, 4, 2, 5, 3, 1);
}

static void test_only_among_siblings_there_is_a_place(void **state) {
    (void)state;
    plant();
    covey_destroy(world, e[7]);
    uint64_t digest = world_digest(world);
    assert_int_equal(covey_child_move(world, e[0], none), COVEY_ERROR_ABSENT);
    assert_int_equal(covey_child_move(world, e[0], e[8]), COVEY_ERROR_ABSENT);
    assert_int_equal(covey_child_move(world, e[1], e[5]), COVEY_ERROR_ABSENT);
    assert_int_equal(covey_child_move(world, e[1], e[0]), COVEY_ERROR_ABSENT);
    assert_failed(COVEY_ERROR_ABSENT);
    assert_int_equal(covey_child_move(world, e[1], e[7]), COVEY_ERROR_DEAD);
    assert_int_equal(covey_child_move(world, e[7], e[1]), COVEY_ERROR_DEAD);
    assert_failed(COVEY_ERROR_DEAD);
    assert_int_equal(heard.times, 6);
    assert_true(world_digest(world) == digest);
}

/* ---- Walks --------------------------------------------------------------------------------------------------------*/

static void test_depth_and_ancestors(void **state) {
    (void)state;
    static const uint32_t depths[COUNT] = { 0, 1, 1, 2, 2, 2, 3, 0, 0, 1, 0, 0 };
    plant();
    for (uint32_t i = 0; i < COUNT; i++) assert_int_equal(covey_depth(world, e[i]), depths[i]);
    assert_true(covey_is_ancestor(world, e[0], e[6]));
    assert_true(covey_is_ancestor(world, e[4], e[6]));
    assert_false(covey_is_ancestor(world, e[6], e[0]));
    assert_false(covey_is_ancestor(world, e[2], e[6]));
    assert_false(covey_is_ancestor(world, e[0], e[0]));
    assert_false(covey_is_ancestor(world, e[8], e[1]));
}

static void assert_walk(uint32_t root, const uint32_t *order, uint32_t count) {
    uint32_t at = 0;
    for (covey_entity i = e[root]; !covey_is_null(i); i = covey_tree_next(world, e[root], i), at++) {
        assert_true(at < count);
        assert_same(i, e[order[at]]);
    }
    assert_int_equal(at, count);
}
#define WALK(root, ...) \
    assert_walk(root, (const uint32_t[]){ __VA_ARGS__ }, COUNT_OF(((const uint32_t[]){ __VA_ARGS__ })))

static void test_parents_are_visited_before_their_children(void **state) {
    (void)state;
    plant();
    WALK(0, 0, 1, 3, 4, 6, 2, 5);
    WALK(1, 1, 3, 4, 6);
    WALK(6, 6);
    WALK(8, 8, 9);
    WALK(7, 7);
}

static void test_children_may_be_added_and_leaves_destroyed_on_the_way(void **state) {
    (void)state;
    plant();
    uint32_t visited = 0;
    for (covey_entity at = e[0], next; !covey_is_null(at); at = next, visited++) {
        if (covey_same(at, e[2])) set_parent(7, 2);
        if (covey_same(at, e[3])) assert_int_equal(covey_parent_set(world, e[10], e[4]), COVEY_OK);
        next = covey_tree_next(world, e[0], at);
        if (covey_child_count(world, at) == 0) covey_destroy(world, at);
    }
    assert_int_equal(visited, 9);
    assert_int_equal(covey_entity_count(world), COUNT - 5);
}

/* ---- Ends ---------------------------------------------------------------------------------------------------------*/

static void test_the_children_of_the_destroyed_become_roots(void **state) {
    (void)state;
    plant();
    covey_destroy(world, e[1]);
    CHILDREN(0, 2);
    assert_root(3);
    assert_root(4);
    CHILDREN(4, 6);
    assert_int_equal(covey_depth(world, e[6]), 1);
}

static void test_a_new_entity_at_an_old_index_has_no_family(void **state) {
    (void)state;
    plant();
    covey_destroy(world, e[1]);
    covey_entity next = covey_create_at(world, e[1].index);
    assert_no_entity(covey_parent(world, next));
    assert_int_equal(covey_child_count(world, next), 0);
    assert_int_equal(covey_parent_set(world, next, e[6]), COVEY_OK);
    assert_same(covey_child_first(world, e[6]), next);
}

static void test_an_entity_may_be_destroyed_for_the_last_time(void **state) {
    (void)state;
    covey_entity last = last_life(e[7]);
    assert_int_equal(covey_parent_set(world, e[1], last), COVEY_OK);
    assert_int_equal(covey_parent_set(world, last, e[2]), COVEY_OK);
    covey_destroy(world, last);
    assert_root(1);
    assert_int_equal(covey_child_count(world, e[2]), 0);
}

static void test_a_tree_is_destroyed_as_a_whole(void **state) {
    (void)state;
    plant();
    assert_int_equal(covey_destroy_tree(world, e[1]), 4);
    CHILDREN(0, 2);
    static const bool alive[COUNT] = { true, false, true, false, false, true, false, true, true, true, true, true };
    for (uint32_t i = 0; i < COUNT; i++) assert_int_equal(covey_alive(world, e[i]), alive[i]);
    assert_int_equal(covey_destroy_tree(world, e[7]), 1);
    assert_int_equal(covey_destroy_tree(world, e[0]), 3);
    assert_int_equal(covey_entity_count(world), 4);
}

static uint32_t order_of_ends[COUNT], ended;
typedef Value Mortal;
static void note_end(void *value, void *context) {
    (void)context;
    order_of_ends[ended++] = ((const Value *)value)->number;
}
COVEY_COMPONENT_DEFINE(Mortal, .drop = note_end);

static void test_children_are_destroyed_before_their_parents(void **state) {
    (void)state;
    static const uint32_t order[] = { 3, 6, 4, 1, 5, 2, 0 };
    plant();
    for (uint32_t i = 0; i < 7; i++) add_value(e[i], covey_id(Mortal), i);
    ended = 0;
    assert_int_equal(covey_destroy_tree(world, e[0]), 7);
    assert_int_equal(ended, 7);
    assert_memory_equal(order_of_ends, order, sizeof order);
}

static void test_everything_ends_in_any_order(void **state) {
    (void)state;
    plant();
    covey_destroy_many(world, e, 4);
    test_world_is_valid(world);
    covey_destroy_all(world);
    assert_int_equal(covey_entity_count(world), 0);
}

static void test_clearing_all_leaves_roots(void **state) {
    (void)state;
    plant();
    covey_clear_components(world);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_root(i);
        assert_int_equal(covey_child_count(world, e[i]), 0);
    }
    test_world_is_valid(world);
    set_parent(0, 6);
    CHILDREN(6, 0);
}

/* A loop over all pools sees their pool like any other. */
static void test_the_pool_of_nodes_may_be_converted_compacted_and_shrunk(void **state) {
    (void)state;
    plant();
    uint64_t digest = world_digest(world);
    covey_compact(world);
    covey_shrink(world);
    assert_int_equal(covey_pool_convert(world->inner->nodes, COVEY_STORAGE_SPARSE), COVEY_OK);
    test_world_is_valid(world);
    assert_true(world_digest(world) == digest);
    covey_destroy(world, e[1]);
    assert_root(3);
    set_parent(7, 0);
    CHILDREN(0, 2, 7);
    covey_clear_components(world);
    assert_root(7);
}

static void test_a_deep_chain_needs_no_stack(void **state) {
    (void)state;
    uint32_t length = COVEY_NONE - 100 < 100000 ? 900 : 100000, visited = 0;
    covey_entity root = covey_create(world), at = root;
    for (uint32_t i = 1; i < length; i++) {
        covey_entity child = covey_create(world);
        assert_int_equal(covey_parent_set(world, child, at), COVEY_OK);
        at = child;
    }
    assert_int_equal(covey_depth(world, at), length - 1);
    assert_int_equal(covey_parent_set(world, root, at), COVEY_ERROR_CYCLE);
    for (covey_entity i = root; !covey_is_null(i); i = covey_tree_next(world, root, i)) visited++;
    assert_int_equal(visited, length);
    covey_entity second = covey_child_first(world, root);
    covey_destroy(world, root);
    assert_int_equal(covey_destroy_tree(world, second), length - 1);
    assert_int_equal(covey_entity_count(world), COUNT);
}

/* From the highest index down, and up: each parent before its child, or behind it. */
static void test_a_deep_chain_ends_with_its_world(void **state) {
    (void)state;
    uint32_t length = COVEY_NONE - 100 < 100000 ? 900 : 100000;
    covey_entity at = covey_create(world), first = at;
    for (uint32_t i = 1; i < length; i++) {
        covey_entity other = covey_create(world);
        assert_int_equal(covey_parent_set(world, at, other), COVEY_OK);
        at = other;
    }
    assert_int_equal(covey_depth(world, first), length - 1);
    covey_destroy_all(world);
    assert_int_equal(covey_entity_count(world), 0);
}

/* ---- Order --------------------------------------------------------------------------------------------------------*/

static void add_packed(const uint32_t *order, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) add_value(e[order[i]], covey_id(Packed), order[i]);
}

static void assert_packed(const uint32_t *order, uint32_t count) {
    const Packed *values = covey_pool_values(covey_pool_of(world, Packed), Packed);
    assert_int_equal(covey_pool_position_count(covey_pool_of(world, Packed)), count);
    for (uint32_t i = 0; i < count; i++) assert_int_equal(values[i].number, order[i]);
}

static void test_a_pool_is_sorted_by_depth_and_equals_keep_their_order(void **state) {
    (void)state;
    static const uint32_t order[] = { 6, 5, 7, 3, 9, 2, 0, 4, 1, 11 }, sorted[] = { 7, 0, 11, 9, 2, 1, 5, 3, 4, 6 };
    plant();
    add_packed(order, COUNT_OF(order));
    assert_int_equal(covey_pool_sort_by_depth(covey_pool_of(world, Packed)), COVEY_OK);
    assert_packed(sorted, COUNT_OF(sorted));
    assert_int_equal(covey_pool_sort_by_depth(covey_pool_of(world, Packed)), COVEY_OK);
    assert_packed(sorted, COUNT_OF(sorted));
}

static void test_ancestors_need_not_be_in_the_pool(void **state) {
    (void)state;
    static const uint32_t order[] = { 6, 10, 5, 1 }, sorted[] = { 10, 1, 5, 6 };
    plant();
    add_packed(order, COUNT_OF(order));
    assert_int_equal(covey_pool_sort_by_depth(covey_pool_of(world, Packed)), COVEY_OK);
    assert_packed(sorted, COUNT_OF(sorted));
}

static void test_pools_without_an_order_of_their_own_refuse(void **state) {
    (void)state;
    plant();
    const covey_type *const types[] = { covey_id(Fixed), covey_id(Blocked), covey_id(Pinned) };
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        add_value(e[1], types[i], 1);
        assert_int_equal(covey_pool_sort_by_depth(covey_pool_of_raw(world, types[i])), COVEY_ERROR_REFUSED);
    }
    assert_failed(COVEY_ERROR_REFUSED);
    assert_int_equal(heard.times, 3);
}

static void test_tags_and_worlds_without_a_hierarchy_are_sorted_too(void **state) {
    (void)state;
    for (uint32_t i = COUNT; i-- != 0;) assert_true(covey_add_tag(world, e[i], Marked));
    covey_pool *pool = covey_pool_of(world, Marked);
    assert_int_equal(covey_pool_sort_by_depth(pool), COVEY_OK);
    assert_same(covey_pool_ids(pool)[0], e[COUNT - 1]);
    set_parent(11, 0);
    assert_int_equal(covey_pool_sort_by_depth(pool), COVEY_OK);
    assert_same(covey_pool_ids(pool)[COUNT - 1], e[11]);
}

static void test_a_long_pool_has_parents_before_children(void **state) {
    (void)state;
    test_random random = { 7 };
    covey_entity many[800];
    assert_true(covey_create_many(world, many, COUNT_OF(many)));
    for (uint32_t i = 1; i < COUNT_OF(many); i++) {
        uint32_t span = i < 20 ? i : 20, parent = test_below(&random, i / 2 + 1) % span;
        assert_int_equal(covey_parent_set(world, many[i], many[i - 1 - parent]), COVEY_OK);
    }
    for (uint32_t i = 0; i < COUNT_OF(many); i++) add_value(many[(i * 7) % 800], covey_id(Packed), i);
    covey_pool *pool = covey_pool_of(world, Packed);
    assert_int_equal(covey_pool_sort_by_depth(pool), COVEY_OK);
    for (uint32_t i = 1; i < covey_pool_position_count(pool); i++)
        assert_true(covey_depth(world, covey_pool_ids(pool)[i - 1]) <= covey_depth(world, covey_pool_ids(pool)[i]));
}

/* ---- Another world ------------------------------------------------------------------------------------------------*/

static void copy_entities(covey_world *to) {
    for (covey_entity i = covey_entity_next(world, none); !covey_is_null(i); i = covey_entity_next(world, i))
        assert_same(covey_create_at(to, i.index), i);
}

static void test_another_world_gets_the_same_places_and_names(void **state) {
    (void)state;
    plant();
    assert_int_equal(covey_name_set(world, e[1], "first"), COVEY_OK);
    assert_int_equal(covey_name_set(world, e[6], "second"), COVEY_OK);
    covey_world_desc desc = world_desc();
    for (uint64_t at = 1;; at++) {
        covey_world *to = covey_world_create(&desc);
        copy_entities(to);
        uint64_t empty = world_digest(to);
        test_fail_at(&heap, at, false);
        bool done = covey__hierarchy_clone(world, to) && covey__names_clone(world, to), failed = heap.failed;
        test_fail_never(&heap);
        assert_int_equal(done, !failed);
        test_world_is_valid(to);
        if (done) assert_true(world_digest(to) == world_digest(world));
        else {
            assert_int_equal(covey_world_result(to), COVEY_ERROR_MEMORY);
            covey_clear_components(to); /* parents stay when names fail */
            assert_true(world_digest(to) == empty);
        }
        covey_destroy_all(to);
        covey_world_destroy(to);
        if (done) break;
    }
}

/* ---- The validator ------------------------------------------------------------------------------------------------*/

static covey__node *node(uint32_t number) { return covey__node_of(world, e[number].index); }

static void test_the_validator_sees_wrong_nodes(void **state) {
    (void)state;
    plant();
    BREAK(covey_pool *, world->inner->nodes, covey_pool_of(world, Packed),
          "hierarchy: world->nodes is not the pool of nodes");
    BREAK(uint32_t, node(4)->self, e[3].index, "hierarchy: a node belongs to another entity");
    BREAK(uint32_t, node(0)->parent, e[7].index, "hierarchy: a parent has no node");
    BREAK(uint32_t, node(0)->next, e[8].index, "hierarchy: a root has siblings");
    BREAK(uint32_t, node(0)->previous, e[8].index, "hierarchy: a root has siblings");
    BREAK(uint32_t, node(3)->parent, e[2].index, "hierarchy: a child is in the list of another parent");
    BREAK(uint32_t, node(1)->first, e[7].index, "hierarchy: a child is in the list of another parent");
    BREAK(uint32_t, node(1)->first, e[4].index, "hierarchy: the list of children is broken backwards");
    BREAK(uint32_t, node(2)->previous, COVEY_NONE, "hierarchy: the list of children is broken backwards");
    BREAK(uint32_t, node(4)->next, e[3].index, "hierarchy: the list of children is broken backwards");
    BREAK(uint32_t, node(1)->last, e[3].index, "hierarchy: node->last is not the last child");
    BREAK(uint32_t, node(1)->count, 1, "hierarchy: node->count is not the number of children");
}

static void test_the_validator_sees_circles(void **state) {
    (void)state;
    set_parent(1, 0);
    set_parent(2, 1);
    covey__node saved[2] = { *node(0), *node(2) };
    node(0)->parent = e[2].index;
    node(2)->first = node(2)->last = e[0].index;
    node(2)->count = 1;
    assert_reason("hierarchy: the links have a cycle");
    *node(0) = saved[0];
    *node(2) = saved[1];
}

/* ---- Memory -------------------------------------------------------------------------------------------------------*/

static void empty_scene(scene *s) {
    s->world = covey_world_create(&(covey_world_desc){ .allocator = test_allocator(&s->heap) });
    assert_non_null(s->world);
    for (uint32_t i = 0; i < 8; i++) s->e[i] = covey_create(s->world);
    s->e[8] = covey_create_at(s->world, 40 * COVEY_PAGE_SIZE);
}

/* 0 has 1, 2 and 3, and 1 has 4. 7 and 8 have no nodes, and 8 is far away. */
static void family(scene *s) {
    static const uint32_t parents[][2] = { { 1, 0 }, { 2, 0 }, { 3, 0 }, { 4, 1 } };
    empty_scene(s);
    for (uint32_t i = 0; i < COUNT_OF(parents); i++)
        assert_int_equal(covey_parent_set(s->world, s->e[parents[i][0]], s->e[parents[i][1]]), COVEY_OK);
    for (uint32_t i = 0; i < 5; i++) assert_non_null(covey_add(s->world, s->e[(i * 3 + 4) % 5], Packed, { i, i }));
    covey_compact(s->world);
    covey_shrink(s->world);
}

static bool first_parent(scene *s) { return covey_parent_set(s->world, s->e[1], s->e[0]) == COVEY_OK; }
static bool far_parent(scene *s) { return covey_parent_set(s->world, s->e[7], s->e[8]) == COVEY_OK; }
static bool far_child(scene *s) { return covey_parent_set(s->world, s->e[8], s->e[4]) == COVEY_OK; }
static bool sort(scene *s) { return covey_pool_sort_by_depth(covey_pool_of(s->world, Packed)) == COVEY_OK; }

static bool known_parent(scene *s) { return covey_parent_set(s->world, s->e[1], s->e[3]) == COVEY_OK; }
static bool no_parent(scene *s) { return covey_parent_set(s->world, s->e[1], none) == COVEY_OK; }
static bool to_front(scene *s) { return covey_child_move(s->world, s->e[3], s->e[1]) == COVEY_OK; }
static bool destroy_parent(scene *s) { return covey_destroy(s->world, s->e[0]); }
static bool destroy_tree(scene *s) { return covey_destroy_tree(s->world, s->e[0]) == 5; }
static bool clear_components(scene *s) {
    covey_clear_components(s->world);
    return true;
}
static bool walk(scene *s) {
    uint32_t steps = 0;
    for (covey_entity i = s->e[0]; !covey_is_null(i); i = covey_tree_next(s->world, s->e[0], i)) steps++;
    return steps == 5 && covey_depth(s->world, s->e[4]) == 2 && covey_is_ancestor(s->world, s->e[0], s->e[4]);
}

static const operation operations[] = {
    { "covey_parent_set, the first", empty_scene, first_parent },
    { "covey_parent_set, both new", family, far_parent },
    { "covey_parent_set, the child new", family, far_child },
    { "covey_pool_sort_by_depth", family, sort },
};

static const operation free_operations[] = {
    { "covey_parent_set, both known", family, known_parent },
    { "covey_parent_set, null", family, no_parent },
    { "covey_parent_set, null, no hierarchy", empty_scene, no_parent },
    { "covey_child_move", family, to_front },
    { "covey_destroy, a parent", family, destroy_parent },
    { "covey_destroy_tree", family, destroy_tree },
    { "covey_clear_components, a hierarchy", family, clear_components },
    { "looking at a hierarchy", family, walk },
};

int main(void) {
    const struct CMUnitTest tests[] = {
        TREE_TEST(test_an_entity_alone_is_a_root_without_children),
        TREE_TEST(test_children_come_in_the_order_in_which_they_were_added),
        TREE_TEST(test_a_parent_set_again_makes_the_child_the_last_one),
        TREE_TEST(test_a_child_moves_to_another_parent_with_all_below_it),
        TREE_TEST(test_without_a_parent_it_becomes_a_root),
        TREE_TEST(test_no_entity_becomes_its_own_ancestor),
        TREE_TEST(test_the_dead_have_no_parents_and_no_children),
        TREE_TEST(test_parents_are_no_components),
        TREE_TEST(test_a_child_is_moved_among_its_siblings),
        TREE_TEST(test_only_among_siblings_there_is_a_place),
        TREE_TEST(test_depth_and_ancestors),
        TREE_TEST(test_parents_are_visited_before_their_children),
        TREE_TEST(test_children_may_be_added_and_leaves_destroyed_on_the_way),
        TREE_TEST(test_the_children_of_the_destroyed_become_roots),
        TREE_TEST(test_a_new_entity_at_an_old_index_has_no_family),
        TREE_TEST(test_an_entity_may_be_destroyed_for_the_last_time),
        TREE_TEST(test_a_tree_is_destroyed_as_a_whole),
        TREE_TEST(test_children_are_destroyed_before_their_parents),
        TREE_TEST(test_everything_ends_in_any_order),
        TREE_TEST(test_clearing_all_leaves_roots),
        TREE_TEST(test_the_pool_of_nodes_may_be_converted_compacted_and_shrunk),
        TREE_TEST(test_a_deep_chain_needs_no_stack),
        TREE_TEST(test_a_deep_chain_ends_with_its_world),
        TREE_TEST(test_a_pool_is_sorted_by_depth_and_equals_keep_their_order),
        TREE_TEST(test_ancestors_need_not_be_in_the_pool),
        TREE_TEST(test_pools_without_an_order_of_their_own_refuse),
        TREE_TEST(test_tags_and_worlds_without_a_hierarchy_are_sorted_too),
        TREE_TEST(test_a_long_pool_has_parents_before_children),
        TREE_TEST(test_another_world_gets_the_same_places_and_names),
        TREE_TEST(test_the_validator_sees_wrong_nodes),
        TREE_TEST(test_the_validator_sees_circles),
    };
    for (uint32_t i = 0; i < COUNT_OF(tests); i++) add_test(tests[i]);
    ADD_TRIALS(operations, COVEY_SWAP_AND_POP, FAILS_IN_TURN);
    ADD_TRIALS(free_operations, COVEY_SWAP_AND_POP, NEEDS_NO_MEMORY);
    return run_trials();
}
