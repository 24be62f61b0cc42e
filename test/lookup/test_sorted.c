/* Sorted entries: what is filed is found, in order, after any filing; and memory for it is never short. */
#include "keyed.h"

#include "lookup/sorted.h"

static covey__sorted s;

/* ---- The engine --------------------------------------------------------------------------------------------------*/

static bool reserve(keyed *k, uint64_t count) {
    s.text_size = k->text_size;
    return covey__sorted_reserve(&k->memory, &s, count);
}
static bool reach(keyed *k, uint32_t index) { return covey__sorted_reach(&k->memory, &s, index, UINT32_MAX); }
static covey_entity entity(uint32_t index) { return covey__entity(index, index % COVEY_GENERATION_MAX); }
static void file(uint32_t index, const covey__lookup_key *key) { covey__sorted_file(&s, entity(index), key); }
static void unfile(uint32_t index) { covey__sorted_unfile(&s, index); }
static void clear(void) { covey__sorted_clear(&s); }
static void end(keyed *k) { covey__sorted_free(&k->memory, &s); }
static size_t bytes(void) { return covey__sorted_bytes(&s); }
static bool valid(const char **why) { return covey__sorted_valid(&s, why); }

/* The first filed index from this one on with a key; or the limit. */
static uint32_t next_with(const keyed *k, uint32_t key, uint32_t index) {
    index = (index + k->stride - 1) / k->stride * k->stride;
    while (index < k->limit && k->filed[index] != key) index += k->stride;
    return index < k->limit ? index : k->limit;
}

static void ask_index(keyed *k, uint32_t index) {
    uint32_t key = k->filed[index], other = test_below(&k->random, k->key_count);
    assert_int_equal(covey__sorted_is_filed(&s, index), key != KEYED_NONE);
    assert_int_equal(covey__sorted_has(&s, index, &k->keys[other]), key == other);
    if (key == KEYED_NONE) return;
    assert_true(covey__sorted_has(&s, index, &k->keys[key]));
    covey__lookup_key found = covey__sorted_key_of(&s, index);
    assert_int_equal(found.length, k->keys[key].length);
    if (k->text_size != 0) assert_memory_equal(found.text, k->keys[key].text, found.length);
    else assert_true(!found.text && found.bits == k->keys[key].bits);
}

/* Everything from a key and an index to another key. */
static void ask_range(keyed *k, uint32_t low, uint32_t index, uint32_t high) {
    covey__sorted_place place = covey__sorted_seek(&s, low == 0 && index == 0 ? NULL : &k->keys[low], index);
    uint32_t key = low, most = 1 + test_below(&k->random, COVEY_NODE_MOST);
    index = next_with(k, key, index);
    for (;;) {
        covey__sorted_run run = covey__sorted_next(&s, &place, high == k->key_count ? NULL : &k->keys[high], most);
        assert_true(run.count <= most);
        for (uint32_t i = 0; i < run.count; i++) {
            while (index == k->limit) index = next_with(k, ++key, 0);
            assert_true(key <= high && covey_same(run.entities[i], entity(index)));
            index = next_with(k, key, index + 1);
        }
        if (run.count == 0) break;
    }
    while (index == k->limit && ++key < k->key_count) index = next_with(k, key, 0);
    assert_true(index == k->limit || key > high);
    assert_int_equal(place.leaf, 0);
}

static uint32_t index_at(covey__sorted_place place) { return covey__sorted_at(&s, place).index; }

static void ask_last(const keyed *k, uint32_t below) {
    covey__sorted_place place = covey__sorted_last(&s, below == k->key_count ? NULL : &k->keys[below]);
    uint32_t index = k->limit;
    while (index == k->limit && below-- != 0) index = next_with(k, below, 0);
    assert_int_equal(place.leaf != 0, index != k->limit);
    if (place.leaf != 0) assert_int_equal(index_at(place), index);
}

static void ask_count(const keyed *k, uint32_t key) {
    uint32_t count = 0;
    for (uint32_t i = next_with(k, key, 0); i < k->limit; i = next_with(k, key, i + 1)) count++;
    assert_int_equal(covey__sorted_count(&s, &k->keys[key]), count);
}

/* One of a few keys on average: naive answers take long. */
static void ask(keyed *k) {
    uint32_t key = test_below(&k->random, k->key_count), high = key + test_below(&k->random, 3);
    assert_int_equal(s.count, k->count);
    ask_index(k, keyed_index(k));
    switch (test_below(&k->random, 8)) {
    case 0: ask_range(k, key, test_below(&k->random, k->limit), high < k->key_count ? high : k->key_count); break;
    case 1: ask_count(k, key); break;
    case 2: ask_last(k, test_below(&k->random, 3) == 0 ? k->key_count : key); break;
    default: break;
    }
}

static void check(keyed *k) {
    ask_range(k, 0, 0, k->key_count);
    for (uint32_t i = 0; i < k->limit; i += k->stride) ask_index(k, i);
}

static const keyed_engine engine = { reserve, reach, file, unfile, clear, end, bytes, valid, ask, check };

/* ---- Random programs ---------------------------------------------------------------------------------------------*/

static void test_random_filing(void **state) {
    (void)state;
    static const keyed_plan plans[] = {
        { 300, 1, 3, 0, 20000, 1, true },
        { 300, 1, 300, 0, 20000, 1, true },
        { 600, 97, 900, 0, 20000, 1, false },
        { 300, 1, 4, 5, 20000, 1, true },
        { 300, 3, 200, 8, 20000, 1, true },
        { 300, 1, 400, KEYED_TEXT, 20000, 1, false },
        { 5000, 2, KEYED_KEYS, 0, 40000, 1000, true },
        { 5000, 1, KEYED_KEYS, KEYED_TEXT, 40000, 1000, true },
    };
    for (uint32_t i = 0; i < sizeof plans / sizeof plans[0]; i++)
        for (uint32_t seed = 1; seed <= 3; seed++) keyed_run(&engine, &plans[i], seed);
}

/* ---- Growth ------------------------------------------------------------------------------------------------------*/

enum { MANY = 70 * COVEY_NODE_MOST };

static keyed empty;

/* Exactly as much memory as `count` entries need. */
static int setup(void **state) {
    (void)state;
    empty.memory.allocator = test_allocator(&empty.heap);
    s = (covey__sorted){ 0 };
    for (uint32_t i = 0; i < MANY; i++) assert_true(reach(&empty, i));
    return reserve(&empty, MANY) ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    end(&empty);
    assert_int_equal(empty.heap.blocks, 0);
    return 0;
}

#define SORTED_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static void is_valid(void) {
    const char *why = NULL;
    if (!valid(&why)) fail_msg("not valid: %s", why);
}

static void file_number(uint32_t index, uint64_t number) { file(index, &(covey__lookup_key){ number, NULL, 0 }); }

static void test_ascending_keys_fill_leaves(void **state) {
    (void)state;
    for (uint32_t i = 0; i < MANY; i++) file_number(i, i);
    is_valid();
    assert_true(s.leaf_numbers.end <= MANY / (COVEY_NODE_MOST - 1) + 1);
}

/* Half of the room of each leaf is used: there are as many as reserve makes. */
static void test_descending_keys_fit(void **state) {
    (void)state;
    for (uint32_t i = 0; i < MANY; i++) {
        file_number(i, MANY - i);
        if (i % COVEY_NODE_MOST == 0) is_valid();
    }
    is_valid();
    assert_true(s.leaf_numbers.end > s.leaf_numbers.capacity / 2);
}

/* What is left is spread over all leaves; what follows is filed at one place. */
static void test_memory_is_enough_when_others_are_unfiled(void **state) {
    (void)state;
    for (uint32_t i = 0; i < MANY; i++) file_number(i, (uint64_t)i << 32);
    for (uint32_t left = 2; left < 3 * COVEY_NODE_MOST; left++) {
        for (uint32_t i = 0; i < MANY; i++)
            if (i % left != 0) unfile(i);
        is_valid();
        for (uint32_t i = MANY; i-- != 0;)
            if (i % left != 0) file_number(i, ((uint64_t)left << 32) + i);
        is_valid();
        assert_int_equal(s.count, MANY);
    }
}

static void test_unused_nodes_are_used_again(void **state) {
    (void)state;
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < MANY; i++) file_number(i, i * 7919 % MANY);
        uint32_t leaves = s.leaf_numbers.end;
        for (uint32_t i = 0; i < MANY; i++) unfile(round == 0 ? i : MANY - 1 - i);
        is_valid();
        assert_int_equal(s.height, 0);
        for (uint32_t i = 0; i < MANY; i++) file_number(i, i * 7919 % MANY);
        assert_int_equal(s.leaf_numbers.end, leaves);
        clear();
        is_valid();
    }
}

/* ---- Keys --------------------------------------------------------------------------------------------------------*/

static void test_equal_keys_are_in_index_order(void **state) {
    (void)state;
    for (uint32_t i = 0; i < MANY; i++) file_number(i * 31 % MANY, i % 2);
    covey__lookup_key one = { 1, NULL, 0 };
    assert_int_equal(covey__sorted_count(&s, &one), MANY / 2);
    covey__sorted_place place = covey__sorted_seek(&s, &one, 0);
    uint32_t last = 0, count = 0;
    for (covey__sorted_run run; (run = covey__sorted_next(&s, &place, NULL, COVEY_NODE_MOST)).count != 0;)
        for (uint32_t i = 0; i < run.count; i++) {
            assert_true(count++ == 0 || run.entities[i].index > last);
            last = run.entities[i].index;
        }
    assert_int_equal(count, MANY / 2);
}

static uint32_t count_to(uint64_t low, uint64_t high) {
    covey__lookup_key from = { low, NULL, 0 }, to = { high, NULL, 0 };
    covey__sorted_place place = covey__sorted_seek(&s, &from, 0);
    uint32_t count = 0;
    for (covey__sorted_run run; (run = covey__sorted_next(&s, &place, &to, COVEY_NODE_MOST)).count != 0;)
        count += run.count;
    return count;
}

static void test_ranges_end_at_their_bound(void **state) {
    (void)state;
    for (uint32_t i = 0; i < MANY; i++) file_number(i, 2 * (MANY - i));
    for (uint32_t high = 1; high < MANY; high++) {
        assert_int_equal(count_to(0, 2 * high), high);
        assert_int_equal(count_to(high, 2 * high + 1), high - (high - 1) / 2);
        assert_int_equal(count_to(2 * high + 1, high), 0);
    }
    assert_int_equal(count_to(0, UINT64_MAX), MANY);
}

/* The greatest key is that of all NaN, which questions leave out. */
static void test_the_last_below_a_key(void **state) {
    (void)state;
    covey__lookup_key greatest = { UINT64_MAX, NULL, 0 };
    assert_int_equal(covey__sorted_last(&s, NULL).leaf, 0);
    for (uint32_t i = 0; i < MANY / 2; i++) file_number(i, UINT64_MAX);
    assert_int_equal(covey__sorted_last(&s, &greatest).leaf, 0);
    assert_int_equal(index_at(covey__sorted_last(&s, NULL)), 0);
    for (uint32_t i = MANY - 1; i >= MANY / 2; i--) file_number(i, i % 2);
    uint32_t odd = MANY / 2 + 1 - MANY / 2 % 2;
    assert_int_equal(index_at(covey__sorted_last(&s, &greatest)), odd);
}

static void test_filing_under_the_same_key_changes_nothing(void **state) {
    (void)state;
    for (uint32_t i = 0; i < MANY; i++) file_number(i, i % 5);
    covey__sorted_place before = covey__sorted_seek(&s, NULL, 0);
    file_number(17, 17 % 5);
    covey__sorted_place after = covey__sorted_seek(&s, NULL, 0);
    assert_true(before.leaf == after.leaf && before.position == after.position && s.count == MANY);
    unfile(MANY - 1);
    unfile(MANY - 1);
    unfile(9 * COVEY__BLOCK_PAGE); /* has no page */
    assert_int_equal(s.count, MANY - 1);
    is_valid();
}

static void test_a_new_generation_is_noted(void **state) {
    (void)state;
    for (uint32_t i = 0; i < MANY; i++) file_number(i, i % 5);
    covey_entity renewed = covey__entity(17, 3);
    covey__sorted_renew(&s, renewed);
    is_valid();
    uint32_t old = 0;
    covey__sorted_place place = covey__sorted_seek(&s, NULL, 0);
    for (covey__sorted_run run; (run = covey__sorted_next(&s, &place, NULL, COVEY_NODE_MOST)).count != 0;)
        for (uint32_t i = 0; i < run.count; i++) {
            bool is_old = covey_same(run.entities[i], entity(run.entities[i].index));
            assert_true(is_old || covey_same(run.entities[i], renewed));
            old += is_old;
        }
    assert_int_equal(old, MANY - 1);
}

static covey__lookup_key text_key(const char *text) { return (covey__lookup_key){ 0, text, (uint32_t)strlen(text) }; }

static void test_order_of_texts(void **state) {
    (void)state;
    static const char *const texts[] = { "",         "a",       "a\x01", "aa",   "b",       "bcdefgh",
                                         "bcdefgha", "bcdefgi", "\x7f",  "\x80", "\xff\xff" };
    enum { TEXTS = sizeof texts / sizeof texts[0] };
    s.text_size = 8;
    s.capacity = 0; /* now with texts */
    assert_true(covey__sorted_reserve(&empty.memory, &s, MANY));
    for (uint32_t i = TEXTS; i-- != 0;) {
        covey__lookup_key key = text_key(texts[i]);
        file(i, &key);
    }
    is_valid();
    covey__sorted_place place = covey__sorted_seek(&s, NULL, 0);
    uint32_t count = 0;
    for (covey__sorted_run run; (run = covey__sorted_next(&s, &place, NULL, COVEY_NODE_MOST)).count != 0;)
        for (uint32_t i = 0; i < run.count; i++) assert_int_equal(run.entities[i].index, count++);
    assert_int_equal(count, TEXTS);
    /* Asked for a text that is longer than the field: it comes after what it begins with. */
    covey__lookup_key longer = text_key("bcdefghab"), more = text_key("\xff\xff\xff\xff\xff\xff\xff\xff\xff");
    assert_int_equal(covey__sorted_count(&s, &longer), 0);
    assert_false(covey__sorted_has(&s, 6, &longer));
    assert_int_equal(index_at(covey__sorted_seek(&s, &longer, 0)), 7);
    assert_int_equal(index_at(covey__sorted_last(&s, &longer)), 6);
    assert_int_equal(covey__sorted_seek(&s, &more, 0).leaf, 0);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------*/

static void test_failed_allocations_change_nothing(void **state) {
    (void)state;
    keyed_fail(&engine, 0);
    keyed_fail(&engine, KEYED_TEXT);
}

static void test_too_many_indices_are_refused(void **state) {
    (void)state;
    uint64_t calls = empty.heap.calls;
    assert_false(reserve(&empty, UINT64_MAX));
    assert_false(reserve(&empty, UINT32_MAX));
    assert_int_equal(empty.heap.calls, calls);
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

/* Changes a number, and repairs it when the validator has found it. */
static void is_found32(uint32_t *number, uint32_t wrong, const char *expected) {
    const char *why = NULL;
    uint32_t right = *number;
    *number = wrong;
    assert_false(valid(&why));
    assert_string_equal(why, expected);
    assert_false(valid(NULL));
    *number = right;
    is_valid();
}

static void is_found64(uint64_t *number, uint64_t wrong, const char *expected) {
    const char *why = NULL;
    uint64_t right = *number;
    *number = wrong;
    assert_false(valid(&why));
    assert_string_equal(why, expected);
    *number = right;
    is_valid();
}

static void is_found_entity(covey_entity *entry, uint32_t wrong, const char *expected) {
    const char *why = NULL;
    covey_entity right = *entry;
    *entry = entity(wrong);
    assert_false(valid(&why));
    assert_string_equal(why, expected);
    *entry = right;
    is_valid();
}

static void test_the_validator_finds_faults(void **state) {
    (void)state;
    for (uint32_t i = 0; i < MANY; i++) file_number(i, 2 * i);
    for (uint32_t i = 0; i < 3 * COVEY_NODE_MOST; i++) unfile(i);
    file_number(0, 1);
    covey__sorted_place place = covey__sorted_seek(&s, NULL, 0);
    covey__sorted_node *leaf = &s.leaves[place.leaf - 1], *next = &s.leaves[leaf->next - 1];
    covey__sorted_branch *root = &s.branches[s.root - 1];
    covey__sorted_page *page = s.filed.at[0];
    is_found32(&s.count, s.count + 1, "lookup: the count of filed indices is wrong");
    is_found32(&s.capacity, 1, "lookup: more indices are filed than there is memory for");
    is_found32(&s.height, 0, "lookup: entries without a root, or a root without entries");
    is_found32(&s.branch_numbers.capacity, 0, "lookup: there is no memory for all branches");
    is_found32(&root->node.count, 1, "lookup: the root has one child");
    is_found32(&root->below[0], 0, "lookup: there are more or fewer entries than indices are filed");
    is_found32(&next->before, 0, "lookup: the nodes of a level are not the children of the one above");
    is_found32(&root->node.before, 1, "lookup: the nodes of a level are no list");
    is_found_entity(&leaf->entities[1], 0, "lookup: an entry has another key than its index is filed under");
    is_found_entity(&leaf->entities[1], 3, "lookup: an entry has an index that is not filed");
    is_found64(&leaf->keys[1], 77, "lookup: an entry has another key than its index is filed under");
    is_found64(&root->node.keys[0], 0, "lookup: a branch has another first entry for a node than the node has");
    is_found64(&page->filed[0], 0, "lookup: the count of filed indices is wrong");
    is_found32(&s.leaf_numbers.unused, 0, "lookup: a node is neither used nor in the list of unused ones");
    is_found32(&s.leaf_numbers.unused, place.leaf, "lookup: the list of unused nodes is broken");
    is_found32(&s.leaf_numbers.capacity, 1, "lookup: there are more nodes than there is memory for");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_filing),
        SORTED_TEST(test_ascending_keys_fill_leaves),
        SORTED_TEST(test_descending_keys_fit),
        SORTED_TEST(test_memory_is_enough_when_others_are_unfiled),
        SORTED_TEST(test_unused_nodes_are_used_again),
        SORTED_TEST(test_equal_keys_are_in_index_order),
        SORTED_TEST(test_ranges_end_at_their_bound),
        SORTED_TEST(test_the_last_below_a_key),
        SORTED_TEST(test_filing_under_the_same_key_changes_nothing),
        SORTED_TEST(test_a_new_generation_is_noted),
        SORTED_TEST(test_order_of_texts),
        cmocka_unit_test(test_failed_allocations_change_nothing),
        SORTED_TEST(test_too_many_indices_are_refused),
        SORTED_TEST(test_the_validator_finds_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
