/* Balanced trees: what is put is there, in order, whatever the order of puts and takes; and searches are short. */
#include "support.h"

#include "memory/balanced.h"

enum { NODES = 600 };

static covey__links all[NODES];
static uint32_t keys[NODES]; /* may be equal: then the numbers decide */
static bool there[NODES];
static uint32_t root, count;

static covey__links *links_of(const void *context, uint32_t node) {
    (void)context;
    return &all[node];
}

static bool is_before(const void *context, uint32_t a, uint32_t b) {
    (void)context;
    return keys[a] != keys[b] ? keys[a] < keys[b] : a < b;
}

static bool exists(const void *context, uint32_t node) {
    (void)context;
    return node < NODES && there[node];
}

static const covey__tree tree = { links_of, is_before, NULL };

static int setup(void **state) {
    (void)state;
    root = COVEY__NO_NODE;
    count = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        all[i] = (covey__links){ 7, 7, 7, 77 };
        keys[i] = i;
        there[i] = false;
    }
    return 0;
}

#define TREE_TEST(test) cmocka_unit_test_setup(test, setup)

static void put(uint32_t node) {
    there[node] = true;
    root = covey__tree_put(&tree, root, node);
    count++;
}

static void take(uint32_t node) {
    root = covey__tree_take(&tree, root, node);
    there[node] = false;
    count--;
}

static uint32_t steps_to(uint32_t node) {
    uint32_t steps = 1;
    for (uint32_t at = root; at != node; steps++) {
        assert_true(exists(NULL, at));
        at = is_before(NULL, node, at) ? all[at].left : all[at].right;
    }
    return steps;
}

static bool is_valid(void) {
    uint32_t found = 0;
    return covey__tree_valid(&tree, root, exists, NODES, &found) && found == count;
}

/* Valid, each node is found, and in no more than twice the logarithm. */
static void check(void) {
    uint32_t most = 0;
    for (uint32_t left = count; left != 0; left /= 2) most += 2;
    assert_true(is_valid());
    for (uint32_t i = 0; i < NODES; i++) {
        if (there[i]) assert_true(steps_to(i) <= most);
        assert_int_equal(all[i].note, 77);
    }
}

static void test_an_empty_tree_is_valid(void **state) {
    (void)state;
    check();
    put(3);
    check();
    take(3);
    assert_int_equal(root, COVEY__NO_NODE);
}

static void test_nodes_in_order_make_no_list(void **state) {
    (void)state;
    for (uint32_t i = 0; i < NODES; i++) put(i);
    check();
    for (uint32_t i = 0; i < NODES - 1; i++) {
        take(i);
        if (i % 50 == 0) check();
    }
    check();
}

static void test_nodes_from_the_last_to_the_first_make_none_either(void **state) {
    (void)state;
    for (uint32_t i = NODES; i-- != 0;) put(i);
    check();
    for (uint32_t i = NODES; i-- != 1;) {
        take(i);
        if (i % 50 == 0) check();
    }
    check();
}

static void test_nodes_of_one_key_are_told_apart(void **state) {
    (void)state;
    for (uint32_t i = 0; i < NODES; i++) keys[i] = 1;
    for (uint32_t i = 0; i < NODES; i++) put(i * 7 % NODES); /* NODES is no multiple of 7 */
    check();
    for (uint32_t i = 0; i < NODES; i += 2) take(i);
    check();
}

static void test_any_order_of_puts_and_takes(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        test_random random = { seed };
        setup(NULL);
        for (uint32_t i = 0; i < NODES; i++) keys[i] = test_below(&random, 1 + (uint32_t)seed * 20);
        for (uint32_t step = 0; step < 3000; step++) {
            uint32_t node = test_below(&random, NODES);
            if (there[node]) take(node);
            else put(node);
            if (step % 100 == 0) check();
        }
        check();
    }
}

static void test_the_validator_sees_what_is_wrong(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 20; i++) put(i);
    for (uint32_t i = 0; i < 20; i++) {
        covey__links whole = all[i];
        all[i].level++;
        assert_false(is_valid());
        all[i] = whole;
        all[i].level = 0;
        assert_false(is_valid());
        all[i] = whole;
        all[i].left = root;
        assert_false(is_valid());
        all[i] = whole;
        all[i].right = i;
        assert_false(is_valid());
        all[i] = whole;
        all[i].right = NODES;
        assert_false(is_valid());
        all[i] = whole;
        there[i] = false;
        assert_false(is_valid());
        there[i] = true;
        keys[i] = i < 10 ? 100 : 0;
        assert_false(is_valid());
        keys[i] = i;
    }
    uint32_t found = 0;
    assert_false(covey__tree_valid(&tree, root, exists, 19, &found));
    check();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TREE_TEST(test_an_empty_tree_is_valid),
        TREE_TEST(test_nodes_in_order_make_no_list),
        TREE_TEST(test_nodes_from_the_last_to_the_first_make_none_either),
        TREE_TEST(test_nodes_of_one_key_are_told_apart),
        TREE_TEST(test_any_order_of_puts_and_takes),
        TREE_TEST(test_the_validator_sees_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
