/* The sparse set on its own, whatever its policy: membership, generations, values and order. REQ-15 to REQ-26, REQ-31
 * to REQ-37, and what went wrong in its ancestors. test_policies.c has what differs from policy to policy, and
 * test_set_memory.c pages and bytes. */
#include "sets.h"

/* ---- Membership (REQ-15 to REQ-24) --------------------------------------------------------------------------------*/

enum { KEYS = 40 };
typedef struct oracle {
    uint32_t generation[KEYS]; /* 0 when absent */
    uint32_t value[KEYS];
    uint32_t count;
} oracle;

/* Some indices in the first page, some in others. */
static uint32_t key(uint32_t number) { return number * (COVEY_NONE > 4000 ? 97 : 25); }

static void agrees(const covey_sparse_set *set, const oracle *truth) {
    test_set_is_valid(set);
    assert_int_equal(covey_sparse_set_count(set), truth->count);
    for (uint32_t i = 0; i < KEYS; i++) {
        for (uint32_t generation = 1; generation <= 3; generation++) {
            bool there = truth->generation[i] == generation;
            assert_int_equal(covey_sparse_set_live(set, id_of(key(i), generation)), there);
            if (there) assert_int_equal(number_of(set, id_of(key(i), generation)), truth->value[i]);
        }
    }
}

static void random_step(covey_sparse_set *set, oracle *truth, test_random *random) {
    uint32_t i = test_below(random, KEYS), generation = 1 + test_below(random, 3), value = test_next(random);
    covey_entity e = id_of(key(i), generation);
    uint32_t dice = test_below(random, 100);
    if (dice < 55) {
        covey_result expected = truth->generation[i] ? COVEY_ERROR_PRESENT : COVEY_OK;
        assert_int_equal(covey_sparse_set_push(set, e, &value), expected);
        if (expected != COVEY_OK) return;
        truth->generation[i] = generation;
        truth->value[i] = value;
        truth->count++;
    } else if (dice < 95) {
        bool live = truth->generation[i] == generation;
        bool removed = covey_sparse_set_live(set, e) && covey_sparse_set_remove(set, e);
        assert_int_equal(removed, live);
        if (!live) return;
        truth->generation[i] = 0;
        truth->count--;
    } else if (dice < 97) {
        covey_sparse_set_compact(set);
    } else if (dice < 99) {
        covey_sparse_set_shrink(set);
    } else {
        covey_sparse_set_clear(set);
        memset(truth, 0, sizeof *truth);
    }
}

POLICY_TEST(a_random_program_does_what_a_plain_array_does) {
    (void)heap;
    test_random random = { 16 };
    oracle truth = { 0 };
    for (uint64_t steps = test_scaled(4000); steps-- != 0;) {
        random_step(set, &truth, &random);
        agrees(set, &truth);
    }
}

POLICY_TEST(pushing_an_element_twice_is_refused_and_changes_nothing) {
    (void)heap;
    push_number(set, id(1), 10);
    push_number(set, id(2), 20);
    uint32_t other = 99;
    assert_int_equal(covey_sparse_set_push(set, id(1), &other), COVEY_ERROR_PRESENT);
    assert_int_equal(covey_sparse_set_push_to(set, id(1), &other, false), COVEY_ERROR_PRESENT);
    assert_int_equal(covey_sparse_set_push_to(set, id(1), &other, true), COVEY_ERROR_PRESENT);
    assert_int_equal(covey_sparse_set_count(set), 2);
    assert_int_equal(covey_sparse_set_position_count(set), 2);
    assert_int_equal(number_of(set, id(1)), 10);
}

POLICY_TEST(removing_an_element_twice_does_nothing_the_second_time) {
    (void)heap;
    push_number(set, id(1), 10);
    push_number(set, id(2), 20);
    assert_true(covey_sparse_set_remove(set, id(1)));
    assert_false(covey_sparse_set_remove(set, id(1)));
    assert_int_equal(covey_sparse_set_count(set), 1);
    assert_int_equal(number_of(set, id(2)), 20);
}

POLICY_TEST(an_empty_set_answers_every_question) {
    assert_int_equal(covey_sparse_set_position_count(set), 0);
    assert_int_equal(covey_sparse_set_count(set), 0);
    assert_true(covey_sparse_set_contiguous(set));
    assert_int_equal(covey_sparse_set_next(set, 0), COVEY_NONE);
    assert_int_equal(covey_sparse_set_find(set, id(0)), COVEY_NONE);
    assert_null(covey_sparse_set_get(set, id(0)));
    assert_null(covey_sparse_set_value_at(set, 0));
    assert_null(covey_sparse_set_page(set, 0));
    assert_true(covey_is_null(covey_sparse_set_at(set, 0)));
    assert_false(covey_sparse_set_remove(set, id(0)));
    covey_sparse_set_clear(set);
    covey_sparse_set_compact(set);
    covey_sparse_set_shrink(set);
    assert_int_equal(heap->bytes, sizeof(covey_sparse_set));
}

POLICY_TEST(ids_that_cannot_exist_are_refused) {
    covey_entity refused[] = { id_of(0, 0), id_of(5, 0), id_of(COVEY_NONE, 1), id_of(UINT32_MAX, 1) };
    uint64_t calls = heap->calls;
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(covey_sparse_set_push(set, refused[i], NULL), COVEY_ERROR_RANGE);
        assert_int_equal(covey_sparse_set_push_range(set, &refused[i], 1, NULL), COVEY_ERROR_RANGE);
        assert_false(covey_sparse_set_contains(set, refused[i]));
        assert_false(covey_sparse_set_remove(set, refused[i]));
    }
    if (COVEY_GENERATION_MAX != UINT32_MAX)
        assert_int_equal(covey_sparse_set_push(set, id_of(1, COVEY_GENERATION_MAX + 1u), NULL), COVEY_ERROR_RANGE);
    assert_int_equal(heap->calls, calls);
    push_number(set, id_of(1, COVEY_GENERATION_MAX), 1);
    assert_true(covey_sparse_set_live(set, id_of(1, COVEY_GENERATION_MAX)));
}

static void descriptions_that_make_no_sense_are_refused(void **state) {
    (void)state;
    static const covey_sparse_set_desc refused[] = {
        { .size = 4, .align = 3 },                                  /* no power of two */
        { .size = 128, .align = 128 },                              /* too large */
        { .size = 6, .align = 4 },                                  /* does not divide the size */
        { .size = 4, .policy = (covey_policy)(COVEY_ORDERED + 1) }, /* unknown */
    };
    for (uint32_t i = 0; i < 4; i++) assert_null(covey_sparse_set_create(&refused[i]));
    covey_sparse_set_destroy(NULL);
}

/* ---- Generations (REQ-31 to REQ-37) -------------------------------------------------------------------------------*/

_Static_assert(sizeof(covey__slot) == sizeof(covey_entity), "position and generation fit in one word");

/* REQ-17 */
static void a_walk_takes_as_many_steps_as_there_are_elements(void **state) {
    (void)state;
    covey_sparse_set *set = covey_sparse_set_create(NULL);
    for (uint32_t i = 1; i <= 10; i++)
        assert_int_equal(covey_sparse_set_push(set, covey__entity(COVEY_NONE - i * 3, 1), NULL), COVEY_OK);
    uint32_t steps = 0;
    for (uint32_t p = covey_sparse_set_next(set, 0); p != COVEY_NONE; p = covey_sparse_set_next(set, p + 1)) steps++;
    assert_int_equal(steps, 10);
    assert_int_equal(covey_sparse_set_position_count(set), 10);
    covey_sparse_set_destroy(set);
}

/* REQ-32 */
static void position_and_generation_lie_in_one_word(void **state) {
    (void)state;
    covey_sparse_set *set = covey_sparse_set_create(NULL);
    covey_sparse_set_push(set, (covey_entity){ 5, 1 }, NULL);
    covey_sparse_set_push(set, (covey_entity){ 2, 3 }, NULL);
    uint32_t shift = COVEY_INDEX_BITS + COVEY_GENERATION_BITS <= 32 ? COVEY_INDEX_BITS : 32;
    assert_true(*covey__slot_of(set, 2) == (UINT64_C(3) << shift | 1));
    assert_true(covey__word((covey_entity){ 2, 3 }) == COVEY__SLOT(2, 3));
    assert_true(covey_same(covey__entity_of(COVEY__SLOT(2, 3)), (covey_entity){ 2, 3 }));
    assert_true(covey_sparse_set_contains(set, (covey_entity){ 2, 3 }));
    assert_false(covey_sparse_set_contains(set, (covey_entity){ 2, 1 }));
    covey_sparse_set_destroy(set);
}

static void zeroed_memory_is_a_null_handle(void **state) {
    (void)state;
    covey_entity e;
    memset(&e, 0, sizeof e);
    assert_true(covey_is_null(e));
}

/* An ancestor cleared the mapping before it compared generations, and lost the live value. */
POLICY_TEST(a_stale_id_neither_finds_nor_harms_the_element_that_came_after) {
    (void)heap;
    push_number(set, id(7), 1);
    push_number(set, id(8), 2);
    covey_sparse_set_erase(set, id(7));
    push_number(set, id_of(7, 3), 33);
    covey_entity stale[] = { id(7), id_of(7, 2) };
    for (uint32_t i = 0; i < 2; i++) {
        assert_false(covey_sparse_set_contains(set, stale[i]));
        assert_null(covey_sparse_set_get(set, stale[i]));
        assert_false(covey_sparse_set_remove(set, stale[i]));
        assert_int_equal(covey_sparse_set_push(set, stale[i], NULL), COVEY_ERROR_PRESENT);
    }
    assert_int_equal(number_of(set, id_of(7, 3)), 33);
    assert_int_equal(covey_sparse_set_count(set), 2);
}

/* An ancestor left the old element behind, without a mapping. */
POLICY_TEST(a_newer_generation_leaves_no_orphan) {
    (void)heap;
    push_number(set, id(7), 1);
    assert_int_equal(covey_sparse_set_push(set, id_of(7, 2), NULL), COVEY_ERROR_PRESENT);
    covey_entity newer = id_of(7, 2);
    assert_int_equal(covey_sparse_set_push_range(set, &newer, 1, NULL), COVEY_ERROR_PRESENT);
    assert_int_equal(covey_sparse_set_position_count(set), 1);
    assert_int_equal(covey_sparse_set_current(set, 7), 1);
    assert_null(covey_sparse_set_get(set, newer));
    assert_int_equal(number_of(set, id(7)), 1);
}

POLICY_TEST(moving_elements_keeps_their_generations) {
    (void)heap;
    for (uint32_t i = 0; i < 9; i++) push_number(set, id_of(i, 1 + i % 3), i);
    assert_int_equal(covey_sparse_set_swap(set, id_of(0, 1), id_of(8, 3)), COVEY_OK);
    covey_sparse_set_erase(set, id_of(1, 2));
    covey_sparse_set_erase(set, id_of(4, 2));
    covey_sparse_set_compact(set);
    for (uint32_t i = 0; i < 9; i++) {
        if (i == 1 || i == 4) continue;
        assert_int_equal(covey_sparse_set_current(set, i), 1 + i % 3);
        assert_int_equal(number_of(set, id_of(i, 1 + i % 3)), i);
    }
}

/* ---- Looking inside (REQ-2, REQ-4, REQ-5, REQ-26) -----------------------------------------------------------------*/

static void ids_and_values_are_the_packed_arrays_themselves(void **state) {
    (void)state;
    test_heap heap = { 0 };
    covey_sparse_set *set = set_create(&heap, 4, COVEY_SWAP_AND_POP);
    for (uint32_t i = 0; i < 20; i++) push_number(set, id(i), 100 + i);
    for (uint32_t i = 0; i < 20; i += 3) covey_sparse_set_erase(set, id(i));
    const covey_entity *ids = covey_sparse_set_ids(set);
    uint32_t *values = covey_sparse_set_values(set);
    for (uint32_t i = 0; i < covey_sparse_set_position_count(set); i++) {
        assert_int_equal(values[i], 100 + ids[i].index);
        assert_int_equal(covey_sparse_set_find(set, ids[i]), i);
        assert_true(covey_same(covey_sparse_set_at(set, i), ids[i]));
        assert_ptr_equal(covey_sparse_set_value_at(set, i), &values[i]);
        assert_ptr_equal(covey_sparse_set_get(set, ids[i]), &values[i]);
    }
    values[0] = 7;
    assert_int_equal(number_of(set, ids[0]), 7);
    set_finish(set, &heap);
}

static void in_place_values_lie_in_pages(void **state) {
    (void)state;
    test_heap heap = { 0 };
    covey_sparse_set *set = set_create(&heap, 4, COVEY_IN_PLACE);
    uint32_t count = COVEY_PAGE_SIZE < 300 ? 2 * COVEY_PAGE_SIZE + 1 : COVEY_PAGE_SIZE + 1;
    for (uint32_t i = 0; i < count; i++) push_number(set, id(i), i);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *page = covey_sparse_set_page(set, i / COVEY_PAGE_SIZE);
        assert_non_null(page);
        assert_ptr_equal(covey_sparse_set_value_at(set, i), &page[i % COVEY_PAGE_SIZE]);
    }
    assert_null(covey_sparse_set_values(set));
    assert_null(covey_sparse_set_page(set, (count - 1) / COVEY_PAGE_SIZE + 1));
    assert_null(covey_sparse_set_page(set, UINT32_MAX));
    set_finish(set, &heap);
}

POLICY_TEST(a_set_of_ids_only_has_no_bytes_of_values) {
    test_heap own = { 0 };
    covey_sparse_set *tags = set_create(&own, 0, covey_sparse_set_policy(set));
    (void)heap;
    for (uint32_t i = 0; i < 30; i++) assert_int_equal(covey_sparse_set_push(tags, id(i), NULL), COVEY_OK);
    for (uint32_t i = 0; i < 30; i += 2) covey_sparse_set_erase(tags, id(i));
    assert_int_equal(covey_sparse_set_swap(tags, id(1), id(29)), COVEY_OK);
    covey_sparse_set_compact(tags);
    covey_sparse_set_shrink(tags);
    for (uint32_t i = 0; i < 30; i++) {
        assert_int_equal(covey_sparse_set_live(tags, id(i)), i % 2 == 1);
        assert_int_equal(covey_sparse_set_get(tags, id(i)) != NULL, i % 2 == 1); /* it has an address, too */
    }
    size_t pages = 30 / COVEY_PAGE_SIZE + 1, marks = covey_sparse_set_policy(set) == COVEY_ORDERED ? 8 : 0;
    size_t bytes = sizeof *tags + pages * (COVEY_PAGE_SIZE * sizeof(covey__slot) + sizeof(void *));
    assert_int_equal(own.bytes, bytes + covey_sparse_set_position_count(tags) * sizeof(covey_entity) + marks);
    set_finish(tags, &own);
}

/* ---- Values -------------------------------------------------------------------------------------------------------*/

static void values_of_every_alignment_are_aligned(void **state) {
    (void)state;
    for (int policy = COVEY_SWAP_AND_POP; policy <= COVEY_ORDERED; policy++) {
        for (uint32_t align = 1; align <= 64; align *= 2) {
            test_heap heap = { 0 };
            covey_sparse_set_desc desc = { 3 * align, align, (covey_policy)policy, false, test_allocator(&heap) };
            covey_sparse_set *set = covey_sparse_set_create(&desc);
            assert_non_null(set);
            char value[3 * 64];
            for (uint32_t i = 0; i < 20; i++) {
                memset(value, (int)i, sizeof value);
                assert_int_equal(covey_sparse_set_push(set, id(i), value), COVEY_OK);
            }
            covey_sparse_set_erase(set, id(4));
            covey_sparse_set_compact(set);
            covey_sparse_set_shrink(set);
            for (uint32_t i = 0; i < 20; i++) {
                const char *bytes = covey_sparse_set_get(set, id(i));
                if (i == 4) continue;
                assert_int_equal((uintptr_t)bytes % align, 0);
                memset(value, (int)i, sizeof value);
                assert_memory_equal(bytes, value, 3 * align);
            }
            set_finish(set, &heap);
        }
    }
}

POLICY_TEST(no_value_is_zero_bytes) {
    (void)heap;
    push_number(set, id(0), 77);
    covey_sparse_set_erase(set, id(0));
    covey_entity range[] = { id(1), id(2), id_of(0, 2) };
    assert_int_equal(covey_sparse_set_push(set, id(3), NULL), COVEY_OK);
    assert_int_equal(covey_sparse_set_push_range(set, range, 3, NULL), COVEY_OK);
    assert_int_equal(number_of(set, id(3)), 0);
    for (uint32_t i = 0; i < 3; i++) assert_int_equal(number_of(set, range[i]), 0);
}

POLICY_TEST(a_value_inside_the_set_may_be_pushed_while_it_grows) {
    (void)heap;
    push_number(set, id(0), 1);
    for (uint32_t i = 1; i < 70; i++) {
        assert_int_equal(covey_sparse_set_push(set, id(i), covey_sparse_set_get(set, id(i - 1))), COVEY_OK);
        ++*(uint32_t *)covey_sparse_set_get(set, id(i));
    }
    for (uint32_t i = 0; i < 70; i++) assert_int_equal(number_of(set, id(i)), i + 1);
}

static void values_inside_the_set_may_be_pushed_as_a_range_while_it_grows(void **state) {
    (void)state;
    static const covey_policy policies[] = { COVEY_SWAP_AND_POP, COVEY_SWAP_ONLY, COVEY_ORDERED };
    for (uint32_t p = 0; p < 3; p++) {
        test_heap heap = { 0 };
        covey_sparse_set *set = set_create(&heap, 4, policies[p]);
        covey_entity range[40];
        for (uint32_t i = 0; i < 40; i++) {
            push_number(set, id(i), i);
            range[i] = id(40 + i);
        }
        assert_int_equal(covey_sparse_set_push_range(set, range, 40, covey_sparse_set_values(set)), COVEY_OK);
        for (uint32_t i = 0; i < 40; i++) assert_int_equal(number_of(set, range[i]), i);
        set_finish(set, &heap);
    }
}

/* ---- Many at once -------------------------------------------------------------------------------------------------*/

POLICY_TEST(a_range_is_pushed_to_the_back_in_order) {
    (void)heap;
    push_number(set, id(0), 0);
    push_number(set, id(1), 1);
    push_number(set, id(2), 2);
    covey_sparse_set_erase(set, id(1));
    covey_entity range[] = { id(9), id(7), id(COVEY_PAGE_SIZE * 5) };
    uint32_t values[] = { 90, 70, 50 }, first = covey_sparse_set_position_count(set);
    if (covey_sparse_set_policy(set) == COVEY_SWAP_ONLY) first = covey_sparse_set_count(set);
    assert_int_equal(covey_sparse_set_push_range(set, range, 3, values), COVEY_OK);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(covey_sparse_set_find(set, range[i]), first + i);
        assert_int_equal(number_of(set, range[i]), values[i]);
    }
    assert_int_equal(covey_sparse_set_push_range(set, range, 0, NULL), COVEY_OK);
    assert_int_equal(covey_sparse_set_count(set), 5);
}

/* All that can be seen of a set, so that two moments compare. */
typedef struct snapshot {
    covey_entity ids[16];
    uint32_t values[16];
    uint32_t size, count, head;
} snapshot;

static snapshot snapshot_of(const covey_sparse_set *set) {
    snapshot s;
    memset(&s, 0, sizeof s);
    s.size = covey_sparse_set_position_count(set);
    s.count = covey_sparse_set_count(set);
    s.head = covey_sparse_set_head(set);
    for (uint32_t i = 0; i < s.size; i++) {
        s.ids[i] = covey_sparse_set_at(set, i);
        if (s.ids[i].generation != 0) s.values[i] = *(uint32_t *)covey_sparse_set_value_at(set, i);
    }
    return s;
}

POLICY_TEST(a_range_with_one_bad_id_is_refused_as_a_whole) {
    (void)heap;
    for (uint32_t i = 0; i < 5; i++) push_number(set, id(i), i);
    covey_sparse_set_erase(set, id(3)); /* absent, or kept as a dead element */
    covey_sparse_set_erase(set, id(1));
    uint32_t kept = covey_sparse_set_policy(set) == COVEY_SWAP_ONLY ? 2 : 1;
    const struct {
        covey_entity ids[4];
        covey_result result;
    } cases[] = {
        { { id(10), id_of(3, kept), id(11), id(0) }, COVEY_ERROR_PRESENT },              /* live */
        { { id(10), id_of(3, kept), id(11), id_of(0, 2) }, COVEY_ERROR_PRESENT },        /* live, another generation */
        { { id(10), id_of(3, kept), id(11), id(10) }, COVEY_ERROR_PRESENT },             /* twice */
        { { id(10), id_of(3, kept), id(11), id_of(3, kept) }, COVEY_ERROR_PRESENT },     /* twice, kept */
        { { id_of(3, 1), id_of(1, 2), id_of(3, 2), id(11) }, COVEY_ERROR_PRESENT },      /* twice, in two generations */
        { { id(10), id_of(3, kept), id(11), id(COVEY_NONE) }, COVEY_ERROR_RANGE },       /* cannot exist */
        { { id(10), id_of(3, kept), id_of(1, kept), id_of(12, 0) }, COVEY_ERROR_RANGE }, /* a hole */
    };
    snapshot before = snapshot_of(set);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t values[4] = { 1, 2, 3, 4 };
        assert_int_equal(covey_sparse_set_push_range(set, cases[i].ids, 4, values), cases[i].result);
        snapshot after = snapshot_of(set);
        assert_memory_equal(&before, &after, sizeof before);
        assert_false(covey_sparse_set_contains(set, id(10)));
        assert_int_equal(covey_sparse_set_contains(set, id_of(3, 2)), kept == 2);
        test_set_is_valid(set);
    }
}

static void a_range_takes_dead_and_new_elements_alike(void **state) {
    (void)state;
    test_heap heap = { 0 };
    covey_sparse_set *set = set_create(&heap, 4, COVEY_SWAP_ONLY);
    for (uint32_t i = 0; i < 6; i++) push_number(set, id(i), i);
    for (uint32_t i = 1; i < 6; i += 2) covey_sparse_set_erase(set, id(i));
    covey_entity range[] = { id(20), id_of(5, 2), id(21), id_of(1, 3) };
    uint32_t values[] = { 200, 50, 210, 10 };
    assert_int_equal(covey_sparse_set_push_range(set, range, 4, values), COVEY_OK);
    assert_int_equal(covey_sparse_set_count(set), 7);
    assert_int_equal(covey_sparse_set_position_count(set), 8); /* 3 is still behind the live ones */
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(covey_sparse_set_find(set, range[i]), 3 + i);
        assert_int_equal(number_of(set, range[i]), values[i]);
    }
    set_finish(set, &heap);
}

POLICY_TEST(removing_a_range_counts_what_was_there) {
    (void)heap;
    for (uint32_t i = 0; i < 6; i++) push_number(set, id(i), i);
    covey_entity range[] = { id(1), id(1), id_of(2, 2), id(40), id(5), id_of(0, 0) };
    assert_int_equal(covey_sparse_set_remove_range(set, range, 6), 2);
    assert_int_equal(covey_sparse_set_count(set), 4);
    assert_int_equal(covey_sparse_set_remove_range(set, range, 0), 0);
}

/* ---- Order --------------------------------------------------------------------------------------------------------*/

POLICY_TEST(swapping_exchanges_positions_and_values) {
    (void)heap;
    for (uint32_t i = 0; i < 5; i++) push_number(set, id(i), 10 * i);
    assert_int_equal(covey_sparse_set_swap(set, id(1), id(4)), COVEY_OK);
    assert_int_equal(covey_sparse_set_find(set, id(1)), 4);
    assert_int_equal(covey_sparse_set_find(set, id(4)), 1);
    assert_int_equal(covey_sparse_set_swap(set, id(2), id(2)), COVEY_OK);
    for (uint32_t i = 0; i < 5; i++) assert_int_equal(number_of(set, id(i)), 10 * i);
    assert_int_equal(covey_sparse_set_swap(set, id(1), id(9)), COVEY_ERROR_ABSENT);
    assert_int_equal(covey_sparse_set_swap(set, id_of(9, 0), id(1)), COVEY_ERROR_ABSENT);
    assert_int_equal(covey_sparse_set_swap(set, id(1), id_of(2, 2)), COVEY_ERROR_ABSENT);
}

static void a_live_and_a_dead_element_cannot_be_swapped(void **state) {
    (void)state;
    test_heap heap = { 0 };
    covey_sparse_set *set = set_create(&heap, 4, COVEY_SWAP_ONLY);
    for (uint32_t i = 0; i < 5; i++) push_number(set, id(i), i);
    covey_sparse_set_erase(set, id(4));
    covey_sparse_set_erase(set, id(3));
    assert_int_equal(covey_sparse_set_swap(set, id(0), id_of(3, 2)), COVEY_ERROR_REFUSED);
    assert_int_equal(covey_sparse_set_swap(set, id_of(3, 2), id(0)), COVEY_ERROR_REFUSED);
    assert_int_equal(covey_sparse_set_swap(set, id_of(3, 2), id_of(4, 2)), COVEY_OK);
    assert_int_equal(covey_sparse_set_find(set, id_of(4, 2)), 3);
    set_finish(set, &heap);
}

/* ---- Clones, order, generations and borders -----------------------------------------------------------------------*/

static void assert_printed(const covey_sparse_set *set, const char *words) {
    char text[200];
    assert_int_equal(covey_sparse_set_print(text, sizeof text, set), (int)strlen(words));
    assert_string_equal(text, words);
}

POLICY_TEST(a_clone_goes_its_own_way) {
    push_first(set, 6);
    set_run(set, "erase 2, erase 4");
    set_text_of before = set_text(set);
    covey_sparse_set *clone = covey_sparse_set_clone(set);
    assert_non_null(clone);
    assert_set(clone, before.at);
    assert_stamped(clone);
    test_set_is_valid(clone);
    set_run(clone, "erase 5, push 9");
    assert_set(set, before.at);
    assert_true(covey_sparse_set_live(clone, id(9)) && !covey_sparse_set_live(set, id(9)));
    set_run(set, "push 2v2, erase 0");
    assert_true(covey_sparse_set_live(clone, id(0)));
    assert_true(covey_sparse_set_memory(set) + covey_sparse_set_memory(clone) == heap->bytes);
    covey_sparse_set_destroy(clone);
}

static void a_set_is_printed(void **state) {
    (void)state;
    test_heap heap = { 0 };
    static const char *const texts[] = { "[ 10:1 13:1 12:1 ]", "[ 10:1 - 12:1 13:1 ]", "[ 10:1 13:1 12:1 | 11:2 ]",
                                         "[ 10:1 - 12:1 13:1 ]" };
    for (int policy = COVEY_SWAP_AND_POP; policy <= COVEY_ORDERED; policy++) {
        covey_sparse_set *set = set_create(&heap, 4, (covey_policy)policy);
        char text[8];
        assert_printed(set, "[ ]");
        set_run(set, "push 10..13, erase 11");
        assert_printed(set, texts[policy]);
        assert_int_equal(covey_sparse_set_print(text, sizeof text, set), (int)strlen(texts[policy]));
        assert_true(strlen(text) == 7 && strncmp(text, texts[policy], 7) == 0);
        assert_int_equal(covey_sparse_set_print(NULL, 0, set), (int)strlen(texts[policy]));
        set_finish(set, &heap);
    }
}

static int compare_backwards(covey_entity a, const void *a_value, covey_entity b, const void *b_value, void *context) {
    (void)a_value, (void)b_value, (void)context;
    return a.index > b.index ? -1 : a.index < b.index;
}

POLICY_TEST(a_set_is_sorted) {
    (void)heap;
    covey_policy policy = covey_sparse_set_policy(set);
    set_run(set, "push 13, push 11, push 15, push 10");
    if (policy == COVEY_IN_PLACE) {
        assert_int_equal(covey_sparse_set_sort(set, NULL), COVEY_ERROR_REFUSED);
        assert_int_equal(covey_sparse_set_sort_as(set, set), COVEY_ERROR_REFUSED);
        assert_printed(set, "[ 13:1 11:1 15:1 10:1 ]");
        return;
    }
    assert_int_equal(covey_sparse_set_sort(set, NULL), COVEY_OK);
    assert_printed(set, "[ 10:1 11:1 13:1 15:1 ]");
    assert_int_equal(covey_sparse_set_sort(set, &(covey_order){ .compare_entities = compare_backwards }), COVEY_OK);
    assert_printed(set, "[ 15:1 13:1 11:1 10:1 ]");
    assert_int_equal(covey_sparse_set_sort(set, &(covey_order){ .from = 1, .count = 2 }), COVEY_OK);
    assert_printed(set, "[ 15:1 11:1 13:1 10:1 ]");
    assert_int_equal(covey_sparse_set_sort(set, &(covey_order){ .from = 2, .count = 3 }), COVEY_ERROR_RANGE);
    assert_int_equal(covey_sparse_set_sort(set, &(covey_order){ .key = COVEY_KEY_U64 }), COVEY_ERROR_RANGE);
    assert_int_equal(covey_sparse_set_sort(set, &(covey_order){ .key = COVEY_KEY_U32 }), COVEY_OK);
    assert_stamped(set);
    set_run(set, "erase 11");
    if (policy == COVEY_ORDERED) {
        assert_int_equal(covey_sparse_set_sort(set, NULL), COVEY_ERROR_REFUSED);
        covey_sparse_set_compact(set);
    }
    assert_int_equal(covey_sparse_set_sort(set, NULL), COVEY_OK); /* the dead of swap only stay behind */
    assert_printed(set, policy == COVEY_SWAP_ONLY ? "[ 10:1 13:1 15:1 | 11:2 ]" : "[ 10:1 13:1 15:1 ]");
    assert_stamped(set);
}

POLICY_TEST(a_set_is_sorted_as_another) {
    (void)heap;
    if (covey_sparse_set_policy(set) == COVEY_IN_PLACE) return;
    test_heap of_other = { 0 };
    covey_sparse_set *other = set_create(&of_other, 0, COVEY_IN_PLACE); /* any set will do, holes and all */
    set_run(set, "push 10..15");
    set_run(other, "push 14, push 30, push 11, push 12, erase 30");
    assert_int_equal(covey_sparse_set_bump(other, id_of(12, 2)), COVEY_OK); /* another element than 12:1 */
    assert_int_equal(covey_sparse_set_sort_as(set, other), COVEY_OK);
    assert_printed(set, "[ 14:1 11:1 10:1 12:1 13:1 15:1 ]");
    assert_stamped(set);
    set_finish(other, &of_other);
}

POLICY_TEST(an_element_gets_another_generation) {
    (void)heap;
    push_first(set, 4);
    uint32_t at = covey_sparse_set_find(set, id(2));
    const void *value = covey_sparse_set_get(set, id(2));
    assert_int_equal(covey_sparse_set_bump(set, id_of(2, 3)), COVEY_OK);
    assert_false(covey_sparse_set_contains(set, id(2)));
    assert_int_equal(covey_sparse_set_find(set, id_of(2, 3)), at);
    assert_ptr_equal(covey_sparse_set_get(set, id_of(2, 3)), value);
    assert_int_equal(covey_sparse_set_current(set, 2), 3);
    assert_int_equal(covey_sparse_set_bump(set, id_of(2, 1)), COVEY_OK); /* back again, and to what it is */
    assert_int_equal(covey_sparse_set_bump(set, id_of(2, 1)), COVEY_OK);
    assert_int_equal(covey_sparse_set_bump(set, id(7)), COVEY_ERROR_ABSENT);
    assert_int_equal(covey_sparse_set_bump(set, id(COVEY_NONE - 1)), COVEY_ERROR_ABSENT);
    assert_int_equal(covey_sparse_set_bump(set, id_of(2, 0)), COVEY_ERROR_RANGE);
    assert_stamped(set);
}

POLICY_TEST(the_border_moves) {
    (void)heap;
    push_first(set, 4);
    if (covey_sparse_set_policy(set) != COVEY_SWAP_ONLY) {
        assert_int_equal(covey_sparse_set_move_border(set, 2), COVEY_ERROR_REFUSED);
        return;
    }
    assert_int_equal(covey_sparse_set_move_border(set, 1), COVEY_OK);
    assert_printed(set, "[ 0:1 | 1:1 2:1 3:1 ]");
    assert_true(covey_sparse_set_contains(set, id(2)) && !covey_sparse_set_live(set, id(2)));
    assert_int_equal(covey_sparse_set_count(set), 1);
    assert_int_equal(covey_sparse_set_head(set), 1);
    assert_int_equal(covey_sparse_set_move_border(set, 3), COVEY_OK);
    assert_true(covey_sparse_set_live(set, id(2)) && !covey_sparse_set_live(set, id(3)));
    assert_int_equal(covey_sparse_set_move_border(set, 5), COVEY_ERROR_RANGE);
    push_stamped(set, id_of(3, 2)); /* a kept element is added again as usual */
    assert_printed(set, "[ 0:1 1:1 2:1 3:2 ]");
    assert_int_equal(covey_sparse_set_move_border(set, 0), COVEY_OK);
    assert_printed(set, "[ | 0:1 1:1 2:1 3:2 ]");
}

POLICY_TEST(capacity_is_what_needs_no_memory) {
    assert_int_equal(covey_sparse_set_capacity(set), 0);
    assert_int_equal(covey_sparse_set_reserve(set, 20), COVEY_OK);
    assert_true(covey_sparse_set_capacity(set) >= 20);
    push_stamped(set, id(0)); /* makes the page of the table */
    uint32_t capacity = covey_sparse_set_capacity(set), most = capacity < COVEY_PAGE_SIZE ? capacity : COVEY_PAGE_SIZE;
    uint64_t calls = heap->calls;
    for (uint32_t i = 1; i < most; i++) push_stamped(set, id(i));
    assert_int_equal(heap->calls, calls);
    covey_sparse_set_clear(set);
    covey_sparse_set_shrink(set);
    assert_int_equal(covey_sparse_set_capacity(set), 0);
}

/* REQ-40, for any array. */
static void the_last_takes_the_place_of_what_is_removed(void **state) {
    (void)state;
    struct {
        uint32_t number;
        char letter;
    } array[] = { { 1, 'a' }, { 2, 'b' }, { 3, 'c' } };
    uint32_t count = covey_swap_remove(array, 3, 0, sizeof *array);
    assert_true(count == 2 && array[0].number == 3 && array[0].letter == 'c' && array[1].number == 2);
    assert_int_equal(covey_swap_remove(array, count, 2, sizeof *array), 2);
    assert_true(array[0].number == 3 && array[1].number == 2);
    count = covey_swap_remove(array, count, 1, sizeof *array);
    assert_true(count == 1 && array[0].number == 3);
    assert_int_equal(covey_swap_remove(array, count, 0, sizeof *array), 0);
    assert_int_equal(covey_swap_remove(array, 0, 0, sizeof *array), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clone_goes_its_own_way),
        cmocka_unit_test(a_set_is_printed),
        cmocka_unit_test(a_set_is_sorted),
        cmocka_unit_test(a_set_is_sorted_as_another),
        cmocka_unit_test(an_element_gets_another_generation),
        cmocka_unit_test(the_border_moves),
        cmocka_unit_test(capacity_is_what_needs_no_memory),
        cmocka_unit_test(the_last_takes_the_place_of_what_is_removed),
        cmocka_unit_test(a_random_program_does_what_a_plain_array_does),
        cmocka_unit_test(pushing_an_element_twice_is_refused_and_changes_nothing),
        cmocka_unit_test(removing_an_element_twice_does_nothing_the_second_time),
        cmocka_unit_test(an_empty_set_answers_every_question),
        cmocka_unit_test(ids_that_cannot_exist_are_refused),
        cmocka_unit_test(descriptions_that_make_no_sense_are_refused),
        cmocka_unit_test(a_walk_takes_as_many_steps_as_there_are_elements),
        cmocka_unit_test(position_and_generation_lie_in_one_word),
        cmocka_unit_test(zeroed_memory_is_a_null_handle),
        cmocka_unit_test(a_stale_id_neither_finds_nor_harms_the_element_that_came_after),
        cmocka_unit_test(a_newer_generation_leaves_no_orphan),
        cmocka_unit_test(moving_elements_keeps_their_generations),
        cmocka_unit_test(ids_and_values_are_the_packed_arrays_themselves),
        cmocka_unit_test(in_place_values_lie_in_pages),
        cmocka_unit_test(a_set_of_ids_only_has_no_bytes_of_values),
        cmocka_unit_test(values_of_every_alignment_are_aligned),
        cmocka_unit_test(no_value_is_zero_bytes),
        cmocka_unit_test(a_value_inside_the_set_may_be_pushed_while_it_grows),
        cmocka_unit_test(values_inside_the_set_may_be_pushed_as_a_range_while_it_grows),
        cmocka_unit_test(a_range_is_pushed_to_the_back_in_order),
        cmocka_unit_test(a_range_with_one_bad_id_is_refused_as_a_whole),
        cmocka_unit_test(a_range_takes_dead_and_new_elements_alike),
        cmocka_unit_test(removing_a_range_counts_what_was_there),
        cmocka_unit_test(swapping_exchanges_positions_and_values),
        cmocka_unit_test(a_live_and_a_dead_element_cannot_be_swapped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
