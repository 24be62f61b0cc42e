/* What removal does to a sparse set under each policy, compared with naive lists. REQ-38 to REQ-55; test_traces.c has
 * the recorded traces of a reference implementation. */
#include "sets.h"

static void the_policies_have_the_numbers_of_the_reference(void **state) {
    (void)state;
    assert_int_equal(COVEY_SWAP_AND_POP, 0);
    assert_int_equal(COVEY_IN_PLACE, 1);
    assert_int_equal(COVEY_SWAP_ONLY, 2);
    covey_sparse_set *set = covey_sparse_set_create(NULL);
    assert_non_null(set);
    assert_int_equal(covey_sparse_set_policy(set), COVEY_SWAP_AND_POP);
    covey_sparse_set_destroy(set);
}

/* ---- Swap and pop (REQ-39 to REQ-42) ------------------------------------------------------------------------------*/

static void swap_back_moves_exactly_one_element(void **state) {
    (void)state;
    for (uint32_t removed = 0; removed < 9; removed++) {
        test_heap heap = { 0 };
        covey_sparse_set *set = set_create(&heap, 4, COVEY_SWAP_AND_POP);
        push_first(set, 9);
        assert_true(covey_sparse_set_remove(set, id(removed)));
        assert_int_equal(covey_sparse_set_count(set), 8);
        for (uint32_t i = 0; i < 8; i++) {
            uint32_t index = i == removed ? 8 : i;
            assert_true(covey_same(covey_sparse_set_at(set, i), id(index)));
            assert_int_equal(stamp_at(set, i), stamp_of(index));
        }
        set_finish(set, &heap);
    }
}

static void the_only_element_can_be_removed_and_added_again(void **state) {
    (void)state;
    for (int policy = COVEY_SWAP_AND_POP; policy <= COVEY_ORDERED; policy++) {
        test_heap heap = { 0 };
        covey_sparse_set *set = set_create(&heap, 4, (covey_policy)policy);
        for (uint32_t i = 0; i < 3; i++) {
            push_stamped(set, id(5));
            assert_int_equal(covey_sparse_set_count(set), 1);
            assert_true(covey_sparse_set_remove(set, id(5)));
            assert_int_equal(covey_sparse_set_count(set), 0);
            assert_int_equal(covey_sparse_set_next(set, 0), COVEY_NONE);
            assert_false(covey_sparse_set_contains(set, id(5)));
            test_set_is_valid(set);
        }
        set_finish(set, &heap);
    }
}

/* Only its position is released; the value there stays. */
static void removing_the_last_element_touches_no_other(void **state) {
    (void)state;
    test_heap heap = { 0 };
    covey_sparse_set *set = set_create(&heap, 4, COVEY_SWAP_AND_POP);
    push_first(set, 5);
    uint32_t *values = covey_sparse_set_values(set);
    assert_true(covey_sparse_set_remove(set, id(4)));
    assert_set(set, "[0 1 2 3] head=null");
    for (uint32_t i = 0; i < 5; i++) assert_int_equal(values[i], stamp_of(i));
    set_finish(set, &heap);
}

/* ---- Shifting removal (REQ-38) ------------------------------------------------------------------------------------*/

typedef struct list {
    uint32_t at[64];
    uint32_t count;
} list;

static void list_erase(list *l, uint32_t position) {
    l->count--;
    memmove(l->at + position, l->at + position + 1, (l->count - position) * sizeof l->at[0]);
}

static void check_list(const covey_sparse_set *set, const list *l) {
    assert_int_equal(covey_sparse_set_count(set), l->count);
    uint32_t p = covey_sparse_set_next(set, 0);
    for (uint32_t i = 0; i < l->count; i++, p = covey_sparse_set_next(set, p + 1)) {
        assert_int_not_equal(p, COVEY_NONE);
        assert_int_equal(covey_sparse_set_at(set, p).index, l->at[i]);
        assert_int_equal(stamp_at(set, p), stamp_of(l->at[i]));
    }
    assert_int_equal(p, COVEY_NONE);
}

static void erase_ordered_does_what_erasing_from_a_list_does(void **state) {
    (void)state;
    static const covey_policy policies[] = { COVEY_SWAP_AND_POP, COVEY_ORDERED };
    for (uint32_t round = 0; round < test_scaled(200); round++) {
        test_random random = { round };
        test_heap heap = { 0 };
        covey_sparse_set *set = set_create(&heap, 4, policies[round % 2]);
        list l = { .count = 20 };
        for (uint32_t i = 0; i < l.count; i++) l.at[i] = i;
        push_first(set, l.count);
        while (l.count != 0) {
            uint32_t position = test_below(&random, l.count);
            assert_true(covey_sparse_set_erase_ordered(set, id(l.at[position])));
            assert_false(covey_sparse_set_erase_ordered(set, id(l.at[position])));
            list_erase(&l, position);
            check_list(set, &l);
            test_set_is_valid(set);
        }
        set_finish(set, &heap);
    }
}

static void erase_ordered_keeps_the_order_around_holes(void **state) {
    (void)state;
    test_heap heap = { 0 };
    covey_sparse_set *set = set_create(&heap, 4, COVEY_ORDERED);
    set_run(set, "push 0..6, erase 2, erase 5");
    assert_true(covey_sparse_set_erase_ordered(set, id(1)));
    check_list(set, &(list){ { 0, 3, 4, 6 }, 4 });
    covey_sparse_set_erase(set, id(0));
    assert_true(covey_sparse_set_erase_ordered(set, id(6)));
    check_list(set, &(list){ { 3, 4 }, 2 });
    set_finish(set, &heap);
}

static void erase_ordered_is_not_for_in_place_and_swap_only(void **state) {
    (void)state;
    static const covey_policy policies[] = { COVEY_IN_PLACE, COVEY_SWAP_ONLY };
    for (uint32_t i = 0; i < 2; i++) {
        test_heap heap = { 0 };
        covey_sparse_set *set = set_create(&heap, 4, policies[i]);
        push_first(set, 3);
        assert_false(covey_sparse_set_erase_ordered(set, id(1)));
        assert_true(covey_sparse_set_live(set, id(1)));
        set_finish(set, &heap);
    }
}

/* ---- Ordered (REQ-54) ---------------------------------------------------------------------------------------------*/

static void marks_and_one_compaction_keep_the_order_of_a_list(void **state) {
    (void)state;
    for (uint32_t round = 0; round < test_scaled(300); round++) {
        test_random random = { 1000 + round };
        test_heap heap = { 0 };
        covey_sparse_set *set = set_create(&heap, 4, COVEY_ORDERED);
        list l = { .count = 0 };
        uint32_t next = 0;
        for (uint32_t steps = 0; steps < 120; steps++) {
            uint32_t dice = test_below(&random, 10);
            if (dice < 5 && l.count < 60) {
                l.at[l.count++] = next;
                push_stamped(set, id(next++));
            } else if (dice < 9 && l.count != 0) {
                uint32_t position = test_below(&random, l.count);
                assert_true(covey_sparse_set_remove(set, id(l.at[position])));
                list_erase(&l, position);
            } else {
                covey_sparse_set_compact(set);
                assert_true(covey_sparse_set_contiguous(set));
                assert_int_equal(covey_sparse_set_position_count(set), l.count);
            }
            check_list(set, &l);
            test_set_is_valid(set);
        }
        set_finish(set, &heap);
    }
}

static void compaction_of_a_set_with_only_holes_leaves_it_empty(void **state) {
    (void)state;
    static const covey_policy policies[] = { COVEY_IN_PLACE, COVEY_ORDERED };
    for (uint32_t i = 0; i < 2; i++) {
        test_heap heap = { 0 };
        covey_sparse_set *set = set_create(&heap, 4, policies[i]);
        covey_sparse_set_compact(set);
        set_run(set, "push 0..4, erase 3, erase 0, erase 4, erase 1, erase 2, compact");
        assert_set(set, "[] head=null");
        push_stamped(set, id(3));
        assert_set(set, "[3] head=null");
        set_finish(set, &heap);
    }
}

/* ---- In place (REQ-49 to REQ-52) ----------------------------------------------------------------------------------*/

static void in_place_values_never_move(void **state) {
    (void)state;
    enum { INDICES = 3 * COVEY_PAGE_SIZE < 300 ? 3 * COVEY_PAGE_SIZE : 300 };
    void *address[INDICES] = { NULL };
    test_heap heap = { 0 };
    test_random random = { 52 };
    covey_sparse_set *set = set_create(&heap, 4, COVEY_IN_PLACE);
    assert_null(covey_sparse_set_values(set));
    for (uint64_t steps = test_scaled(5000); steps-- != 0;) {
        uint32_t index = test_below(&random, INDICES);
        if (address[index]) {
            assert_true(covey_sparse_set_remove(set, id(index)));
            address[index] = NULL;
        } else {
            push_stamped(set, id(index));
            address[index] = covey_sparse_set_get(set, id(index));
        }
        if (steps % 64 == 0) covey_sparse_set_shrink(set);
        for (uint32_t i = 0; i < INDICES; i++) {
            assert_ptr_equal(covey_sparse_set_get(set, id(i)), address[i]);
            if (address[i]) assert_int_equal(*(uint32_t *)address[i], stamp_of(i));
        }
    }
    set_finish(set, &heap);
}

static void a_walk_never_meets_a_hole(void **state) {
    (void)state;
    static const covey_policy policies[] = { COVEY_IN_PLACE, COVEY_ORDERED };
    for (uint32_t i = 0; i < 2; i++) {
        for (uint32_t mask = 0; mask < 1u << 6; mask++) {
            test_heap heap = { 0 };
            covey_sparse_set *set = set_create(&heap, 4, policies[i]);
            push_first(set, 6);
            for (uint32_t bit = 0; bit < 6; bit++)
                if ((mask >> bit & 1) != 0) covey_sparse_set_erase(set, id(bit));
            uint32_t met = 0;
            for (uint32_t p = covey_sparse_set_next(set, 0); p != COVEY_NONE; p = covey_sparse_set_next(set, p + 1))
                met |= 1u << covey_sparse_set_at(set, p).index;
            assert_int_equal(met, ~mask & 0x3F);
            set_finish(set, &heap);
        }
    }
}

/* In place, a push needs no memory while there is a hole; with an index for every position there is always one. */
static void a_hole_is_filled_without_memory(void **state) {
    (void)state;
    test_heap heap = { 0 };
    covey_sparse_set *set = set_create(&heap, 4, COVEY_IN_PLACE);
    assert_int_equal(covey_sparse_set_reserve(set, 6), COVEY_OK);
    push_first(set, 6);
    for (uint32_t i = 0; i < 6; i++) {
        covey_sparse_set_erase(set, id(i));
        uint64_t calls = heap.calls;
        push_stamped(set, id(i));
        assert_int_equal(heap.calls, calls);
    }
    set_finish(set, &heap);
}

/* ---- Vacated places (REQ-41) --------------------------------------------------------------------------------------*/

static uint32_t bytes_left_behind(covey_policy policy, bool zero_erased) {
    test_heap heap = { 0 };
    covey_sparse_set_desc desc = { 4, 4, policy, zero_erased, test_allocator(&heap) };
    covey_sparse_set *set = covey_sparse_set_create(&desc);
    assert_non_null(set);
    push_first(set, 5);
    uint32_t *values = policy == COVEY_IN_PLACE ? covey_sparse_set_page(set, 0) : covey_sparse_set_values(set);
    uint32_t erased = policy == COVEY_IN_PLACE || policy == COVEY_ORDERED ? 1 : 4;
    covey_sparse_set_erase(set, id(1));
    uint32_t left = values[erased];
    assert_stamped(set);
    set_finish(set, &heap);
    return left;
}

static void erased_places_are_zeroed_where_asked_for(void **state) {
    (void)state;
    for (int policy = COVEY_SWAP_AND_POP; policy <= COVEY_ORDERED; policy++) {
        assert_int_equal(bytes_left_behind((covey_policy)policy, true), 0);
        assert_int_not_equal(bytes_left_behind((covey_policy)policy, false), 0);
    }
}

typedef void change(covey_sparse_set *set);
static void erase_ordered_first(covey_sparse_set *set) { covey_sparse_set_erase_ordered(set, id(0)); }
static void clear(covey_sparse_set *set) { covey_sparse_set_clear(set); }
static void erase_and_compact(covey_sparse_set *set) {
    covey_sparse_set_erase(set, id(0));
    covey_sparse_set_compact(set);
}

static void shifts_compaction_and_clear_zero_what_they_leave_behind(void **state) {
    (void)state;
    static const struct {
        change *run;
        covey_policy policy;
    } cases[] = { { erase_ordered_first, COVEY_SWAP_AND_POP },
                  { erase_ordered_first, COVEY_ORDERED },
                  { erase_and_compact, COVEY_ORDERED },
                  { erase_and_compact, COVEY_IN_PLACE },
                  { clear, COVEY_SWAP_AND_POP },
                  { clear, COVEY_SWAP_ONLY },
                  { clear, COVEY_ORDERED },
                  { clear, COVEY_IN_PLACE } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        test_heap heap = { 0 };
        covey_sparse_set_desc desc = { 4, 4, cases[i].policy, true, test_allocator(&heap) };
        covey_sparse_set *set = covey_sparse_set_create(&desc);
        assert_non_null(set);
        push_first(set, 5);
        const uint32_t *values[5];
        for (uint32_t at = 0; at < 5; at++) values[at] = covey_sparse_set_value_at(set, at);
        cases[i].run(set);
        for (uint32_t at = covey_sparse_set_position_count(set); at < 5; at++) assert_int_equal(*values[at], 0);
        assert_stamped(set);
        set_finish(set, &heap);
    }
}

/* ---- Swap only (REQ-45 to REQ-48) ---------------------------------------------------------------------------------*/

static void swap_only_reuses_the_place_of_an_index_it_keeps(void **state) {
    (void)state;
    test_heap heap = { 0 };
    covey_sparse_set *set = set_create(&heap, 4, COVEY_SWAP_ONLY);
    push_first(set, 6);
    for (uint32_t round = 0; round < 20; round++) {
        covey_sparse_set_erase(set, id_of(round % 6, covey_sparse_set_current(set, round % 6)));
        push_stamped(set, id_of(round % 6, covey_sparse_set_current(set, round % 6)));
        assert_int_equal(covey_sparse_set_position_count(set), 6);
        assert_int_equal(covey_sparse_set_count(set), 6);
        assert_stamped(set);
        test_set_is_valid(set);
    }
    set_finish(set, &heap);
}

static void swap_only_takes_another_generation_than_the_one_it_keeps(void **state) {
    (void)state;
    test_heap heap = { 0 };
    covey_sparse_set *set = set_create(&heap, 4, COVEY_SWAP_ONLY);
    set_run(set, "push 0..2, erase 1");
    assert_set(set, "[0 2 | 1:v1] head=2");
    push_stamped(set, id_of(1, COVEY_GENERATION_MAX));
    assert_true(covey_sparse_set_live(set, id_of(1, COVEY_GENERATION_MAX)));
    assert_false(covey_sparse_set_contains(set, id_of(1, 2)));
    assert_int_equal(covey_sparse_set_position_count(set), 3);
    set_finish(set, &heap);
}

static void the_generation_after_the_last_is_the_first(void **state) {
    (void)state;
    test_heap heap = { 0 };
    covey_sparse_set *set = set_create(&heap, 4, COVEY_SWAP_ONLY);
    push_stamped(set, id_of(7, COVEY_GENERATION_MAX));
    covey_sparse_set_erase(set, id_of(7, COVEY_GENERATION_MAX));
    assert_int_equal(covey_sparse_set_current(set, 7), 1);
    assert_false(covey_sparse_set_live(set, id(7)));
    set_finish(set, &heap);
}

/* Any value of the set may be given to push, that of an element it keeps behind the live ones, too. */
static void swap_only_takes_the_value_of_an_element_it_keeps(void **state) {
    (void)state;
    test_heap heap = { 0 };
    covey_sparse_set *set = set_create(&heap, 4, COVEY_SWAP_ONLY);
    set_run(set, "push 0..4, erase 4, erase 3");
    assert_set(set, "[0 1 2 | 3:v1 4:v1] head=3");
    assert_int_equal(covey_sparse_set_push(set, id_of(4, 2), covey_sparse_set_get(set, id_of(4, 2))), COVEY_OK);
    assert_set(set, "[0 1 2 4:v1 | 3:v1] head=4");
    assert_int_equal(*(uint32_t *)covey_sparse_set_get(set, id_of(4, 2)), stamp_of(4));
    assert_int_equal(covey_sparse_set_push(set, id(9), covey_sparse_set_get(set, id_of(3, 2))), COVEY_OK);
    assert_set(set, "[0 1 2 4:v1 9 | 3:v1] head=5");
    assert_int_equal(*(uint32_t *)covey_sparse_set_get(set, id(9)), stamp_of(3));
    set_finish(set, &heap);
}

/* ---- The end of the positions -------------------------------------------------------------------------------------*/

#if COVEY_INDEX_BITS <= 12

static covey_sparse_set *full_set_create(test_heap *heap, covey_policy policy) {
    covey_sparse_set *set = set_create(heap, 4, policy);
    push_first(set, COVEY_NONE);
    assert_int_equal(covey_sparse_set_position_count(set), COVEY_NONE);
    return set;
}

static void a_set_holds_every_index_there_is(void **state) {
    (void)state;
    for (int policy = COVEY_SWAP_AND_POP; policy <= COVEY_ORDERED; policy++) {
        test_heap heap = { 0 };
        covey_sparse_set *set = full_set_create(&heap, (covey_policy)policy);
        assert_int_equal(covey_sparse_set_find(set, id(COVEY_NONE - 1)), COVEY_NONE - 1);
        assert_int_equal(covey_sparse_set_next(set, COVEY_NONE - 1), COVEY_NONE - 1);
        assert_int_equal(covey_sparse_set_next(set, COVEY_NONE), COVEY_NONE);
        assert_stamped(set);
        set_finish(set, &heap);
    }
}

static void an_ordered_set_is_full_until_it_is_compacted(void **state) {
    (void)state;
    test_heap heap = { 0 };
    covey_sparse_set *set = full_set_create(&heap, COVEY_ORDERED);
    covey_sparse_set_erase(set, id(3));
    assert_int_equal(covey_sparse_set_push(set, id_of(3, 2), NULL), COVEY_ERROR_FULL);
    covey_entity range[] = { id_of(3, 2) };
    assert_int_equal(covey_sparse_set_push_range(set, range, 1, NULL), COVEY_ERROR_FULL);
    assert_int_equal(covey_sparse_set_current(set, 3), 0);
    test_set_is_valid(set);
    covey_sparse_set_compact(set);
    push_stamped(set, id_of(3, 2));
    assert_int_equal(covey_sparse_set_find(set, id_of(3, 2)), COVEY_NONE - 1);
    set_finish(set, &heap);
}

static void an_in_place_set_takes_no_more_at_the_back_when_it_is_full(void **state) {
    (void)state;
    test_heap heap = { 0 };
    covey_sparse_set *set = full_set_create(&heap, COVEY_IN_PLACE);
    covey_sparse_set_erase(set, id(3));
    assert_int_equal(covey_sparse_set_push_to(set, id(3), NULL, true), COVEY_ERROR_FULL);
    test_set_is_valid(set);
    set_finish(set, &heap);
}

static void a_full_set_takes_an_element_for_each_that_left(void **state) {
    (void)state;
    static const covey_policy policies[] = { COVEY_SWAP_AND_POP, COVEY_IN_PLACE, COVEY_SWAP_ONLY };
    for (uint32_t i = 0; i < 3; i++) {
        test_heap heap = { 0 };
        covey_sparse_set *set = full_set_create(&heap, policies[i]);
        for (uint32_t index = 0; index < COVEY_NONE; index += 100) {
            covey_sparse_set_erase(set, id(index));
            push_stamped(set, id_of(index, 2));
        }
        assert_int_equal(covey_sparse_set_count(set), COVEY_NONE);
        set_finish(set, &heap);
    }
}

static void a_full_swap_only_set_takes_back_a_range_that_left(void **state) {
    (void)state;
    test_heap heap = { 0 };
    covey_sparse_set *set = full_set_create(&heap, COVEY_SWAP_ONLY);
    covey_entity range[] = { id_of(5, 2), id_of(900, 2) };
    covey_sparse_set_erase(set, id(5));
    covey_sparse_set_erase(set, id(900));
    assert_int_equal(covey_sparse_set_push_range(set, range, 2, NULL), COVEY_OK);
    assert_int_equal(covey_sparse_set_count(set), COVEY_NONE);
    set_finish(set, &heap);
}

#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_policies_have_the_numbers_of_the_reference),
        cmocka_unit_test(swap_back_moves_exactly_one_element),
        cmocka_unit_test(the_only_element_can_be_removed_and_added_again),
        cmocka_unit_test(removing_the_last_element_touches_no_other),
        cmocka_unit_test(erase_ordered_does_what_erasing_from_a_list_does),
        cmocka_unit_test(erase_ordered_keeps_the_order_around_holes),
        cmocka_unit_test(erase_ordered_is_not_for_in_place_and_swap_only),
        cmocka_unit_test(marks_and_one_compaction_keep_the_order_of_a_list),
        cmocka_unit_test(compaction_of_a_set_with_only_holes_leaves_it_empty),
        cmocka_unit_test(in_place_values_never_move),
        cmocka_unit_test(a_walk_never_meets_a_hole),
        cmocka_unit_test(a_hole_is_filled_without_memory),
        cmocka_unit_test(erased_places_are_zeroed_where_asked_for),
        cmocka_unit_test(shifts_compaction_and_clear_zero_what_they_leave_behind),
        cmocka_unit_test(swap_only_reuses_the_place_of_an_index_it_keeps),
        cmocka_unit_test(swap_only_takes_another_generation_than_the_one_it_keeps),
        cmocka_unit_test(the_generation_after_the_last_is_the_first),
        cmocka_unit_test(swap_only_takes_the_value_of_an_element_it_keeps),
#if COVEY_INDEX_BITS <= 12
        cmocka_unit_test(a_set_holds_every_index_there_is),
        cmocka_unit_test(an_ordered_set_is_full_until_it_is_compacted),
        cmocka_unit_test(an_in_place_set_takes_no_more_at_the_back_when_it_is_full),
        cmocka_unit_test(a_full_set_takes_an_element_for_each_that_left),
        cmocka_unit_test(a_full_swap_only_set_takes_back_a_range_that_left),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
