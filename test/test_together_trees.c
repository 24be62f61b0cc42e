/* Signals and hierarchies: what listeners see of an entity that ends, and what they do to its tree meanwhile. */
#include "news.h"

#include <covey/hierarchy.h>

static const covey_entity none = { 0, 0 };

static int setup(void **state) {
    forget_news();
    return world_setup(state);
}
#define TREES_TEST(test) cmocka_unit_test_setup_teardown(test, setup, world_teardown)

/* 0 has 1 and 4; 1 has 2 and 3; 5 has 6. */
static covey_entity tree[7];
enum { ROOT, LEFT, LEFT_FIRST, LEFT_SECOND, RIGHT, OTHER, OTHER_CHILD };

static void plant(void) {
    static const uint32_t parents[] = { 7, 0, 1, 1, 0, 7, 5 };
    assert_true(covey_create_many(world, tree, COUNT_OF(tree)));
    for (uint32_t i = 0; i < COUNT_OF(tree); i++)
        if (parents[i] != 7) assert_int_equal(covey_parent_set(world, tree[i], tree[parents[i]]), COVEY_OK);
    assert_int_equal(covey_name_set(world, tree[LEFT], "left"), COVEY_OK);
}

static bool is_alive(uint32_t number) { return covey_alive(world, tree[number]); }

/* ---- What is seen -------------------------------------------------------------------------------------------------*/

static void look_around(const covey_event *event, void *context) {
    covey_entity e = *event->entities;
    (void)context;
    if (!covey_same(e, tree[LEFT])) return;
    assert_string_equal(covey_name(world, e), "left");
    assert_same(covey_parent(world, e), tree[ROOT]);
    assert_int_equal(covey_child_count(world, e), 2);
    assert_same(covey_child_first(world, e), tree[LEFT_FIRST]);
    assert_same(covey_find_path(world, none, "#0:1/left"), e);
}

static void test_who_ends_still_has_its_name_and_its_place(void **state) {
    (void)state;
    plant();
    assert_non_null(add_value(tree[LEFT], covey_id(Packed), 1));
    listen_to(NULL, COVEY_ON_DESTROY, look_around, NULL);
    listen_to(covey_id(Packed), COVEY_ON_REMOVE, look_around, NULL);
    assert_true(covey_destroy(world, tree[LEFT]));
    assert_no_entity(covey_parent(world, tree[LEFT_FIRST]));
    assert_int_equal(covey_child_count(world, tree[ROOT]), 1);
}

static void change_place(const covey_event *event, void *context) {
    covey_entity e = *event->entities;
    (void)context;
    assert_int_equal(covey_parent_set(world, e, tree[OTHER]), COVEY_ERROR_DEAD);
    assert_int_equal(covey_parent_set(world, tree[OTHER], e), COVEY_ERROR_DEAD);
    assert_int_equal(covey_parent_set(world, e, none), COVEY_ERROR_DEAD);
    assert_int_equal(covey_name_set(world, e, "dying"), COVEY_ERROR_DEAD);
    assert_int_equal(covey_name_set(world, e, NULL), COVEY_ERROR_DEAD);
}

static void test_who_ends_takes_no_parent_no_child_and_no_name(void **state) {
    (void)state;
    plant();
    listen_to(NULL, COVEY_ON_DESTROY, change_place, NULL);
    assert_true(covey_destroy(world, tree[LEFT]));
    assert_int_equal(heard.times, 5);
}

static void adopt(const covey_event *event, void *context) {
    covey_entity child;
    (void)context;
    while (!covey_is_null(child = covey_child_first(world, *event->entities)))
        assert_int_equal(covey_parent_set(world, child, tree[OTHER]), COVEY_OK);
}

static void test_children_of_who_ends_may_be_given_to_another(void **state) {
    (void)state;
    plant();
    covey_connection connection = listen_to(NULL, COVEY_ON_DESTROY, adopt, NULL);
    assert_true(covey_destroy(world, tree[LEFT]));
    covey_disconnect(world, connection);
    assert_int_equal(covey_child_count(world, tree[OTHER]), 3);
    assert_same(covey_parent(world, tree[LEFT_SECOND]), tree[OTHER]);
}

/* ---- Trees that end -----------------------------------------------------------------------------------------------*/

static void test_a_tree_ends_from_its_leaves_on(void **state) {
    (void)state;
    plant();
    listen_to(NULL, OF_ENTITIES, note_news, NULL);
    assert_int_equal(covey_destroy_tree(world, tree[ROOT]), 5);
    assert_news("!2 !3 !1 !4 !0 ");
}

static void destroy_below(const covey_event *event, void *context) {
    uint32_t *destroyed = context;
    *destroyed += covey_destroy_tree(world, *event->entities);
}

/* What is below it ends; itself, that is under way already. */
static void test_a_listener_destroys_the_tree_of_who_ends(void **state) {
    (void)state;
    uint32_t destroyed = 0;
    plant();
    listen_to(NULL, COVEY_ON_DESTROY, destroy_below, &destroyed);
    assert_true(covey_destroy(world, tree[ROOT]));
    assert_int_equal(destroyed, 4);
    assert_int_equal(covey_entity_count(world), 2);
}

static void destroy_root(const covey_event *event, void *context) {
    (void)event, (void)context;
    covey_destroy_tree(world, tree[ROOT]);
}

static void test_a_listener_destroys_the_tree_around_who_ends(void **state) {
    (void)state;
    plant();
    listen_to(NULL, COVEY_ON_DESTROY, destroy_root, NULL);
    assert_true(covey_destroy(world, tree[LEFT_FIRST]));
    for (uint32_t i = ROOT; i <= RIGHT; i++) assert_false(is_alive(i));
    assert_true(is_alive(OTHER) && is_alive(OTHER_CHILD));
}

/* When this one ends, something else happens to another one. */
typedef struct plan {
    uint32_t when, who, to;
} plan;

static void move(const covey_event *event, void *context) {
    const plan *p = context;
    if (covey_same(*event->entities, tree[p->when])) covey_parent_set(world, tree[p->who], tree[p->to]);
}

static void destroy(const covey_event *event, void *context) {
    const plan *p = context;
    if (covey_same(*event->entities, tree[p->when])) assert_true(covey_destroy(world, tree[p->who]));
}

static void test_who_is_moved_out_of_a_tree_that_ends_stays(void **state) {
    (void)state;
    static plan p = { LEFT_FIRST, LEFT, OTHER };
    plant();
    listen_to(NULL, COVEY_ON_DESTROY, move, &p);
    assert_int_equal(covey_destroy_tree(world, tree[ROOT]), 3);
    assert_true(is_alive(LEFT) && is_alive(LEFT_SECOND) && is_alive(OTHER) && is_alive(OTHER_CHILD));
    assert_same(covey_parent(world, tree[LEFT]), tree[OTHER]);
}

static void test_who_is_moved_into_a_tree_that_ends_ends_with_it(void **state) {
    (void)state;
    static plan p = { LEFT_FIRST, OTHER, RIGHT };
    plant();
    listen_to(NULL, COVEY_ON_DESTROY, move, &p);
    assert_int_equal(covey_destroy_tree(world, tree[ROOT]), 7);
    assert_int_equal(covey_entity_count(world), 0);
}

/* Those that listeners destroy are not counted. */
static void test_a_listener_destroys_others_of_the_tree(void **state) {
    (void)state;
    for (uint32_t when = LEFT_FIRST; when <= RIGHT; when++)
        for (uint32_t who = ROOT; who <= RIGHT; who++) {
            plan p = { when, who, 0 };
            plant();
            if (when == LEFT_SECOND && who == LEFT_FIRST) p.who = RIGHT; /* that one has ended by then */
            if (when == RIGHT && who != ROOT) p.who = ROOT;
            if (when == p.who) p.who = ROOT;
            covey_connection connection = listen_to(NULL, COVEY_ON_DESTROY, destroy, &p);
            uint32_t left = covey_entity_count(world), destroyed = covey_destroy_tree(world, tree[ROOT]);
            test_world_is_valid(world);
            assert_false(is_alive(ROOT));
            assert_true(is_alive(OTHER) && is_alive(OTHER_CHILD));
            if (p.who != ROOT && p.who != LEFT) assert_int_equal(destroyed, 4);
            if (p.who != ROOT && p.who != LEFT) assert_int_equal(covey_entity_count(world), left - 5);
            covey_disconnect(world, connection);
            covey_destroy_all(world);
            world_teardown(NULL);
            assert_int_equal(world_setup(NULL), 0);
        }
}

/* The end of a chain without listeners calls no function; a long one takes no longer. */
static void test_a_long_chain_ends(void **state) {
    enum { LENGTH = COVEY_NONE < 5000 ? 1000 : 5000 };
    static covey_entity chain[LENGTH];
    (void)state;
    assert_true(covey_create_many(world, chain, LENGTH));
    for (uint32_t i = 1; i < LENGTH; i++) covey_parent_set(world, chain[i], chain[i - 1]);
    assert_int_equal(covey_destroy_tree(world, chain[0]), LENGTH);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TREES_TEST(test_who_ends_still_has_its_name_and_its_place),
        TREES_TEST(test_who_ends_takes_no_parent_no_child_and_no_name),
        TREES_TEST(test_children_of_who_ends_may_be_given_to_another),
        TREES_TEST(test_a_tree_ends_from_its_leaves_on),
        TREES_TEST(test_a_listener_destroys_the_tree_of_who_ends),
        TREES_TEST(test_a_listener_destroys_the_tree_around_who_ends),
        TREES_TEST(test_who_is_moved_out_of_a_tree_that_ends_stays),
        TREES_TEST(test_who_is_moved_into_a_tree_that_ends_ends_with_it),
        TREES_TEST(test_a_listener_destroys_others_of_the_tree),
        TREES_TEST(test_a_long_chain_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
