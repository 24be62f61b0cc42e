/* The memory of a sparse set: pages of its table, growth, and what comes back. REQ-19, REQ-20, REQ-27 to REQ-30 and
 * REQ-69. */
#include "sets.h"

enum { WORD = sizeof(covey__slot) }; /* bytes of a slot, and of an id */

#define FAR_INDEX (COVEY_NONE > 1000000 ? 1000000 : COVEY_NONE - 1)

/* ---- Paging (REQ-27 to REQ-30) ------------------------------------------------------------------------------------*/

/* The blocks of a set of ids only that is not empty: itself, its ids, the table, and pages. */
static size_t pages_of(const test_heap *heap) { return heap->blocks - 3; }

static void a_page_is_made_when_an_index_of_it_is_first_used(void **state) {
    (void)state;
    test_heap heap = { 0 };
    covey_sparse_set *set = set_create(&heap, 0, COVEY_SWAP_AND_POP);
    const struct {
        uint32_t index;
        size_t pages;
    } steps[] = { { 0, 1 }, { COVEY_PAGE_SIZE - 1, 1 }, { COVEY_PAGE_SIZE, 2 }, { FAR_INDEX, 3 } };
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(covey_sparse_set_push(set, id(steps[i].index), NULL), COVEY_OK);
        assert_int_equal(pages_of(&heap), steps[i].pages);
    }
    set_finish(set, &heap);
}

static void one_far_index_costs_one_page_and_a_directory(void **state) {
    (void)state;
    test_heap heap = { 0 };
    covey_sparse_set *set = set_create(&heap, 0, COVEY_SWAP_AND_POP);
    assert_int_equal(covey_sparse_set_reserve(set, 1), COVEY_OK);
    size_t before = heap.bytes;
    assert_int_equal(covey_sparse_set_push(set, id(FAR_INDEX), NULL), COVEY_OK);
    size_t directory = (FAR_INDEX / COVEY_PAGE_SIZE + 1) * sizeof(void *);
    assert_int_equal(heap.bytes - before, COVEY_PAGE_SIZE * WORD + directory);
    set_finish(set, &heap);
}

static void the_last_index_there_is_can_be_used(void **state) {
    (void)state;
    test_heap heap = { 0 };
    covey_sparse_set *set = set_create(&heap, 4, COVEY_SWAP_AND_POP);
    push_number(set, id(COVEY_NONE - 1), 5);
    assert_int_equal(number_of(set, id(COVEY_NONE - 1)), 5);
    assert_int_equal(pages_of(&heap), 1 + 1); /* and one block for values */
    assert_true(covey_sparse_set_remove(set, id(COVEY_NONE - 1)));
    covey_sparse_set_shrink(set);
    assert_int_equal(heap.bytes, sizeof(covey_sparse_set));
    set_finish(set, &heap);
}

static void a_fresh_page_holds_nothing_but_the_element(void **state) {
    (void)state;
    test_heap heap = { 0 };
    covey_sparse_set *set = set_create(&heap, 0, COVEY_SWAP_AND_POP);
    uint32_t used = 2 * COVEY_PAGE_SIZE + 1;
    assert_int_equal(covey_sparse_set_push(set, id(used), NULL), COVEY_OK);
    for (uint32_t index = 0; index < 4 * COVEY_PAGE_SIZE; index++) {
        for (uint32_t generation = 0; generation <= 3; generation++) {
            bool there = index == used && generation == 1;
            assert_int_equal(covey_sparse_set_contains(set, id_of(index, generation)), there);
        }
        assert_int_equal(covey_sparse_set_current(set, index), index == used ? 1 : 0);
    }
    set_finish(set, &heap);
}

static void nothing_can_be_found_by(const covey_sparse_set *set, covey_entity e) {
    assert_false(covey_sparse_set_contains(set, e));
    assert_false(covey_sparse_set_live(set, e));
    assert_int_equal(covey_sparse_set_find(set, e), COVEY_NONE);
    assert_null(covey_sparse_set_get(set, e));
}

POLICY_TEST(questions_about_any_id_are_answered_without_memory) {
    push_number(set, id(1), 1);
    push_number(set, id(2), 2);
    covey_sparse_set_erase(set, id(2));
    uint64_t calls = heap->calls;
    static const uint32_t indices[] = {
        0, 3, COVEY_PAGE_SIZE, 7 * COVEY_PAGE_SIZE, FAR_INDEX, COVEY_NONE - 1, COVEY_NONE, UINT32_MAX
    };
    for (uint32_t i = 0; i < 8; i++) {
        for (uint32_t generation = 0; generation <= 3; generation++)
            nothing_can_be_found_by(set, id_of(indices[i], generation));
        nothing_can_be_found_by(set, id_of(indices[i], UINT32_MAX));
        assert_int_equal(covey_sparse_set_current(set, indices[i]), 0);
        if (indices[i] > 1) assert_true(covey_is_null(covey_sparse_set_at(set, indices[i])));
    }
    assert_int_equal(heap->calls, calls);
}

static void growing_asks_for_memory_rarely(void **state) {
    (void)state;
#ifndef COVEY_GROW /* with it, growth is what the configuration says */
    test_heap heap = { 0 };
    covey_sparse_set *set = set_create(&heap, 4, COVEY_SWAP_AND_POP);
    for (uint32_t i = 0; i < 100000; i++) push_number(set, id(i), i);
    uint64_t pages = 100000 / COVEY_PAGE_SIZE + 1;
    assert_true(heap.calls < pages + 3 * 17 + 1); /* three arrays that double */
    set_finish(set, &heap);
#endif
}

/* ---- Room ---------------------------------------------------------------------------------------------------------*/

POLICY_TEST(a_cleared_set_is_empty_and_keeps_its_memory) {
    for (uint32_t i = 0; i < 20; i++) push_number(set, id(i), i);
    for (uint32_t i = 0; i < 20; i += 4) covey_sparse_set_erase(set, id(i));
    size_t bytes = heap->bytes;
    uint64_t calls = heap->calls;
    covey_sparse_set_clear(set);
    assert_int_equal(covey_sparse_set_position_count(set), 0);
    assert_int_equal(covey_sparse_set_count(set), 0);
    for (uint32_t i = 0; i < 20; i++) assert_int_equal(covey_sparse_set_current(set, i), 0);
    test_set_is_valid(set);
    for (uint32_t i = 0; i < 20; i++) push_number(set, id(i), i);
    assert_int_equal(heap->bytes, bytes);
    assert_int_equal(heap->calls, calls);
}

POLICY_TEST(adds_within_a_reserve_need_no_memory_but_pages) {
    assert_int_equal(covey_sparse_set_push(set, id(0), NULL), COVEY_OK);
    assert_int_equal(covey_sparse_set_reserve(set, COVEY_PAGE_SIZE), COVEY_OK);
    uint64_t calls = heap->calls;
    assert_int_equal(covey_sparse_set_reserve(set, COVEY_PAGE_SIZE - 1), COVEY_OK);
    assert_int_equal(covey_sparse_set_reserve(set, 0), COVEY_OK);
    for (uint32_t i = 1; i < COVEY_PAGE_SIZE; i++) push_number(set, id(i), i);
    assert_int_equal(heap->calls, calls);
    if (COVEY_NONE != UINT32_MAX) assert_int_equal(covey_sparse_set_reserve(set, COVEY_NONE + 1u), COVEY_ERROR_RANGE);
}

/* Ancestors never gave a page back. */
POLICY_TEST(shrinking_gives_empty_pages_and_spare_room_back) {
    uint32_t stride = COVEY_PAGE_SIZE;
    for (uint32_t i = 0; i < 50; i++) push_number(set, id(i * stride), i);
    covey_sparse_set_shrink(set);
    size_t full = heap->bytes;
    for (uint32_t i = 1; i < 50; i++) covey_sparse_set_erase(set, id(i * stride));
    covey_sparse_set_compact(set);
    covey_sparse_set_shrink(set);
    assert_int_equal(number_of(set, id(0)), 0);
    test_set_is_valid(set);
    bool keeps = covey_sparse_set_policy(set) == COVEY_SWAP_ONLY; /* the elements, and with them their pages */
    size_t marks = covey_sparse_set_policy(set) == COVEY_ORDERED ? 8 : 0, value = 4;
    if (covey_sparse_set_policy(set) == COVEY_IN_PLACE) value = COVEY_PAGE_SIZE * 4 + sizeof(void *);
    if (!keeps)
        assert_int_equal(heap->bytes, sizeof *set + sizeof(void *) + COVEY_PAGE_SIZE * WORD + WORD + value + marks);
    else assert_int_equal(heap->bytes, full);
    covey_sparse_set_clear(set);
    covey_sparse_set_shrink(set);
    assert_int_equal(heap->bytes, sizeof *set);
    for (uint32_t i = 0; i < 50; i++) push_number(set, id(i * stride), i);
}

POLICY_TEST(a_shrunken_set_takes_no_more_than_its_formula) {
    const uint32_t size = 4, range = COVEY_NONE > 20000 ? 20000 : 1000; /* ids below it */
    uint64_t pages = (range + COVEY_PAGE_SIZE - 1) / COVEY_PAGE_SIZE, n = pages * COVEY_PAGE_SIZE;
    for (uint32_t percent = 10; percent <= 100; percent += 30) {
        covey_sparse_set_clear(set);
        uint64_t used = 0;
        for (uint32_t i = 0; i < range; i++) {
            if (i * 7 % 100 >= percent) continue;
            push_number(set, id(i), i);
            used++;
        }
        covey_sparse_set_shrink(set);
        uint64_t bound =
            (uint64_t)WORD * n + (WORD + size) * used + COVEY_PAGE_SIZE * size + sizeof(void *) * pages + sizeof *set;
        if (covey_sparse_set_policy(set) == COVEY_ORDERED) bound += used / 8 + 8;
        if (covey_sparse_set_policy(set) == COVEY_IN_PLACE) bound += sizeof(void *) * (used / COVEY_PAGE_SIZE + 1);
        assert_true(heap->bytes <= bound);
    }
}

POLICY_TEST(churn_does_not_use_up_memory) {
    test_random random = { 7 };
    push_number(set, id(60), 60);
    for (uint32_t i = 0; i < 60; i++) push_number(set, id(i), i);
    assert_int_equal(covey_sparse_set_reserve(set, 128), COVEY_OK);
    uint64_t calls = heap->calls;
    for (uint64_t steps = test_scaled(4000); steps-- != 0;) {
        covey_entity e = id(test_below(&random, 60));
        if (!covey_sparse_set_live(set, e)) push_number(set, e, 1);
        else covey_sparse_set_erase(set, e);
        if (steps % 32 == 0) covey_sparse_set_compact(set);
    }
    assert_int_equal(heap->calls, calls);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_is_made_when_an_index_of_it_is_first_used),
        cmocka_unit_test(one_far_index_costs_one_page_and_a_directory),
        cmocka_unit_test(the_last_index_there_is_can_be_used),
        cmocka_unit_test(a_fresh_page_holds_nothing_but_the_element),
        cmocka_unit_test(questions_about_any_id_are_answered_without_memory),
        cmocka_unit_test(growing_asks_for_memory_rarely),
        cmocka_unit_test(a_cleared_set_is_empty_and_keeps_its_memory),
        cmocka_unit_test(adds_within_a_reserve_need_no_memory_but_pages),
        cmocka_unit_test(shrinking_gives_empty_pages_and_spare_room_back),
        cmocka_unit_test(a_shrunken_set_takes_no_more_than_its_formula),
        cmocka_unit_test(churn_does_not_use_up_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
