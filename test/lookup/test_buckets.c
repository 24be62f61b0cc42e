/* Buckets: what is filed under a key is found, in order, after any filing; and memory for it is never short. */
#include "keyed.h"

#include "lookup/buckets.h"

static covey__buckets b;

/* ---- The engine --------------------------------------------------------------------------------------------------*/

static bool reserve(keyed *k, uint64_t count) {
    b.text_size = k->text_size;
    return covey__buckets_reserve(&k->memory, &b, count);
}
static bool reach(keyed *k, uint32_t index) { return covey__buckets_reach(&k->memory, &b, index, UINT32_MAX); }
static void file(uint32_t index, const covey__lookup_key *key) { covey__buckets_file(&b, index, key); }
static void unfile(uint32_t index) { covey__buckets_unfile(&b, index); }
static void clear(void) { covey__buckets_clear(&b); }
static void end(keyed *k) { covey__buckets_free(&k->memory, &b); }
static size_t bytes(void) { return covey__buckets_bytes(&b); }
static bool valid(const char **why) { return covey__buckets_valid(&b, why); }

static void ask_index(keyed *k, uint32_t index) {
    uint32_t key = k->filed[index], other = test_below(&k->random, k->key_count), record = covey__record_of(&b, index);
    assert_int_equal(record != COVEY__NO_RECORD, key != KEYED_NONE);
    if (key == KEYED_NONE) return;
    assert_true(covey__record_has_key(&b, record, &k->keys[key]));
    assert_int_equal(covey__record_has_key(&b, record, &k->keys[other]), key == other);
}

/* The indices with a key, from one on. */
static void ask_bucket(const keyed *k, uint32_t key, uint32_t from) {
    uint32_t record = covey__buckets_find(&b, &k->keys[key]), count = 0;
    for (uint32_t i = 0; i < k->limit; i += k->stride) count += k->filed[i] == key;
    assert_int_equal(record != COVEY__NO_RECORD, count != 0);
    if (count == 0) return;
    assert_int_equal(b.records[record].count, count);
    covey__bucket_run run = covey__bucket_from(&b, record, from);
    uint32_t place = 0;
    for (uint32_t i = (from + k->stride - 1) / k->stride * k->stride; i < k->limit; i += k->stride) {
        if (k->filed[i] != key) continue;
        assert_true(place < run.count && run.indices[place] == i);
        if (++place == run.count) {
            run = covey__bucket_from(&b, record, i + 1);
            place = 0;
        }
    }
    assert_int_equal(place, run.count);
}

static void ask(keyed *k) {
    assert_int_equal(b.count, k->count);
    ask_index(k, keyed_index(k));
    if (test_below(&k->random, 4) == 0)
        ask_bucket(k, test_below(&k->random, k->key_count), test_below(&k->random, k->limit));
}

static void check(keyed *k) {
    for (uint32_t key = 0; key < k->key_count; key++) ask_bucket(k, key, 0);
    for (uint32_t i = 0; i < k->limit; i += k->stride) ask_index(k, i);
}

static const keyed_engine engine = { reserve, reach, file, unfile, clear, end, bytes, valid, ask, check };

/* ---- Random programs ---------------------------------------------------------------------------------------------*/

static void test_random_filing(void **state) {
    (void)state;
    static const keyed_plan plans[] = {
        { 300, 1, 3, 0, 20000, 1, true },
        { 300, 1, 300, 0, 20000, 1, true },
        { 300, 1, 100, 0, 20000, 1, true },
        { 600, 97, 900, 0, 20000, 1, false },
        { 600, 1, 1, 0, 20000, 1, true },
        { 300, 1, 4, 5, 20000, 1, true },
        { 300, 3, 200, 8, 20000, 1, true },
        { 300, 1, 400, KEYED_TEXT, 20000, 1, false },
        { 3000, 2, 10, 0, 200000, 5000, true },
        { 3000, 2, 1, 0, 200000, 5000, true },
        { 3000, 1, KEYED_KEYS, KEYED_TEXT, 200000, 5000, true },
    };
    for (uint32_t i = 0; i < sizeof plans / sizeof plans[0]; i++)
        for (uint32_t seed = 1; seed <= 3; seed++) keyed_run(&engine, &plans[i], seed);
}

/* ---- Segments ----------------------------------------------------------------------------------------------------*/

enum { MANY = 30 * COVEY_PART_MOST };

static keyed empty;

/* Exactly as much memory as `count` indices need. */
static int setup(void **state) {
    (void)state;
    empty.memory.allocator = test_allocator(&empty.heap);
    b = (covey__buckets){ 0 };
    for (uint32_t i = 0; i < MANY; i++) assert_true(reach(&empty, i));
    return reserve(&empty, MANY) ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    end(&empty);
    assert_int_equal(empty.heap.blocks, 0);
    return 0;
}

#define BUCKETS_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static void is_valid(void) {
    const char *why = NULL;
    if (!valid(&why)) fail_msg("not valid: %s", why);
}

static void file_number(uint32_t index, uint64_t number) { file(index, &(covey__lookup_key){ number, NULL, 0 }); }

static uint32_t count_of(uint64_t number) {
    uint32_t record = covey__buckets_find(&b, &(covey__lookup_key){ number, NULL, 0 });
    return record != COVEY__NO_RECORD ? b.records[record].count : 0;
}

/* What is left in one bucket is spread over all its parts; the others go to buckets of another size. */
static void test_memory_is_enough_for_any_sizes(void **state) {
    (void)state;
    for (uint32_t size = 1; size <= 2 * COVEY_PART_MOST; size++) {
        for (uint32_t i = 0; i < MANY; i++) file_number(i, 0);
        is_valid();
        assert_int_equal(count_of(0), MANY);
        for (uint32_t i = 0; i < MANY; i++) {
            if (i % (size + 1) == 0) continue;
            file_number(i, 1 + i / size);
            if (size <= 5) is_valid();
        }
        is_valid();
        assert_int_equal(count_of(0), (MANY + size) / (size + 1));
        assert_int_equal(b.count, MANY);
    }
}

/* A bucket gets its first parts again and again, while there are few free words. */
static void test_lists_begin_and_end(void **state) {
    (void)state;
    for (uint32_t i = 0; i < MANY; i++) file_number(i, i % 30);
    for (uint32_t round = 0; round < 8 * 30; round++) {
        uint64_t key = round % 30, next = (round + 1) % 30;
        for (uint32_t i = 0; i < MANY; i++)
            if (i % 30 == next) file_number(i, key);
        is_valid();
        assert_int_equal(count_of(key), 2 * MANY / 30);
        assert_int_equal(count_of(next), 0);
        for (uint32_t i = 0; i < MANY; i++) file_number(i, i % 30);
        is_valid();
    }
}

static void test_unused_records_are_used_again(void **state) {
    (void)state;
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < MANY; i++) file_number(i, (uint64_t)i << 40);
        assert_int_equal(b.record_end, MANY);
        for (uint32_t i = 0; i < MANY; i++) unfile(round == 0 ? i : MANY - 1 - i);
        is_valid();
        assert_int_equal(b.count, 0);
        for (uint32_t i = 0; i < MANY; i++) file_number(i, i % 7);
        is_valid();
        clear();
        is_valid();
        assert_int_equal(count_of(3), 0);
    }
}

static void test_filing_under_the_same_key_changes_nothing(void **state) {
    (void)state;
    for (uint32_t i = 0; i < MANY; i++) file_number(i, i % 5);
    uint32_t end_before = b.word_end;
    file_number(17, 17 % 5);
    assert_int_equal(b.word_end, end_before);
    unfile(MANY - 1);
    unfile(MANY - 1);
    unfile(9 * COVEY__BLOCK_PAGE); /* has no page */
    assert_int_equal(b.count, MANY - 1);
    is_valid();
}

/* A text that is longer than the field is asked for. */
static void test_longer_texts_are_not_found(void **state) {
    (void)state;
    teardown(NULL);
    b = (covey__buckets){ .text_size = 4 };
    assert_true(covey__buckets_reserve(&empty.memory, &b, 1) && reach(&empty, 0));
    covey__lookup_key text = { 0, "abcd", 4 }, shorter = { 0, "abc", 3 }, longer = { 0, "abcde", 5 };
    file(0, &text);
    is_valid();
    assert_int_not_equal(covey__buckets_find(&b, &text), COVEY__NO_RECORD);
    assert_int_equal(covey__buckets_find(&b, &shorter), COVEY__NO_RECORD);
    assert_int_equal(covey__buckets_find(&b, &longer), COVEY__NO_RECORD);
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
static void is_found(uint32_t *number, uint32_t wrong, const char *expected) {
    const char *why = NULL;
    uint32_t right = *number;
    *number = wrong;
    assert_false(valid(&why));
    assert_string_equal(why, expected);
    assert_false(valid(NULL));
    *number = right;
    is_valid();
}

/* A bucket of one index, one of two, and one with parts. */
static void test_the_validator_finds_faults(void **state) {
    (void)state;
    for (uint32_t i = 3; i < MANY; i++) file_number(i, 7);
    file_number(0, 1);
    file_number(1, 2);
    file_number(2, 2);
    unfile(4);
    file_number(4, 3);
    unfile(4);
    covey__bucket *many = &b.records[covey__record_of(&b, 3)], *two = &b.records[covey__record_of(&b, 1)];
    uint32_t *list = &b.words[many->at], *pair = &b.words[two->at];
    is_found(&b.count, b.count + 1, "lookup: the count of filed indices is wrong");
    is_found(&b.capacity, 1, "lookup: more indices are filed than there is memory for");
    is_found(&b.record_unused, COVEY__NO_RECORD, "lookup: a record is neither used nor in the list of unused ones");
    is_found(&b.record_unused, covey__record_of(&b, 3), "lookup: the list of unused records is broken");
    is_found(&pair[0], 2, "lookup: the indices of a bucket are out of order");
    is_found(&pair[0], 0, "lookup: an index is in another bucket than it is filed in");
    is_found(&pair[-2], covey__record_of(&b, 3), "lookup: a segment belongs to another bucket");
    is_found(&pair[-1], 1, "lookup: a segment lacks room for its indices");
    is_found(&list[-1], 1 | (list[-1] & ~(UINT32_MAX >> 2)), "lookup: a list lacks room for its parts");
    is_found(&list[1], 4, "lookup: a part is empty, or too long");
    is_found(&many->count, many->count + 1, "lookup: the parts of a bucket have more or fewer indices than it counts");
    is_found(&b.word_end, b.word_end + 1, "lookup: segments overlap, or leave gaps");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_filing),
        BUCKETS_TEST(test_memory_is_enough_for_any_sizes),
        BUCKETS_TEST(test_lists_begin_and_end),
        BUCKETS_TEST(test_unused_records_are_used_again),
        BUCKETS_TEST(test_filing_under_the_same_key_changes_nothing),
        BUCKETS_TEST(test_longer_texts_are_not_found),
        cmocka_unit_test(test_failed_allocations_change_nothing),
        BUCKETS_TEST(test_too_many_indices_are_refused),
        BUCKETS_TEST(test_the_validator_finds_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
