/* What removal does to a sparse set under each policy: recorded traces of a reference implementation, and programs
 * compared with naive lists. REQ-33 and REQ-38 to REQ-55. */
#include "support.h"

#include <stdio.h>

static covey_entity id_of(uint32_t index, uint32_t generation) { return (covey_entity){ index, generation }; }
static covey_entity id(uint32_t index) { return id_of(index, 1); }

static covey_sparse_set *set_create(test_heap *heap, uint32_t size, covey_policy policy) {
    covey_sparse_set_desc desc = { .size = size, .align = size ? 4 : 0, .policy = policy, .allocator = test_allocator(heap) };
    covey_sparse_set *set = covey_sparse_set_create(&desc);
    assert_non_null(set);
    return set;
}

/* Ends a test: the set is sound, and all its memory comes back. */
static void set_finish(covey_sparse_set *set, const test_heap *heap) {
    test_set_is_valid(set);
    assert_int_equal(covey_sparse_set_memory(set), heap->bytes);
    covey_sparse_set_destroy(set);
    assert_int_equal(heap->bytes, 0);
    assert_int_equal(heap->blocks, 0);
}

/* A value that tells whose it is. */
static uint32_t stamp_of(uint32_t index) { return index * 7 + 1; }

static void push(covey_sparse_set *set, covey_entity e) {
    uint32_t stamp = stamp_of(e.index);
    assert_int_equal(covey_sparse_set_push(set, e, &stamp), COVEY_OK);
}

static void push_first(covey_sparse_set *set, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) push(set, id(i));
}

static uint32_t stamp_at(const covey_sparse_set *set, uint32_t position) {
    return *(const uint32_t *)covey_sparse_set_value_at(set, position);
}

/* ---- Sets as text --------------------------------------------------------------------------------------------------
 *
 * "[10 13 12 | 14:v1 11:v1] head=3": version N of an id is generation N + 1, "|" is before the dead, and <next,T> is a
 * hole with the position of the next one; <T> where holes are in no list. */

#define TEXT_SIZE 1024

typedef struct text {
    char at[TEXT_SIZE];
    size_t length;
} text;

static void append_number(text *to, uint32_t number) {
    const char *format = number == COVEY_NONE ? "null" : "%u";
    to->length += (size_t)snprintf(to->at + to->length, TEXT_SIZE - to->length, format, number);
}

static void append(text *to, const char *words) {
    to->length += (size_t)snprintf(to->at + to->length, TEXT_SIZE - to->length, "%s", words);
}

static void append_id(text *to, const covey_sparse_set *set, covey_entity e) {
    if (e.generation == 0) {
        append(to, "<");
        if (covey_sparse_set_policy(set) == COVEY_IN_PLACE) {
            append_number(to, e.index);
            append(to, ",");
        }
        append(to, "T>");
        return;
    }
    append_number(to, e.index);
    if (e.generation == 1) return;
    append(to, ":v");
    append_number(to, e.generation - 1);
}

static text text_of(const covey_sparse_set *set) {
    text out = { "", 0 };
    bool swap_only = covey_sparse_set_policy(set) == COVEY_SWAP_ONLY;
    append(&out, "[");
    for (uint32_t i = 0; i < covey_sparse_set_size(set); i++) {
        if (i != 0) append(&out, " ");
        if (swap_only && i == covey_sparse_set_head(set)) append(&out, "| ");
        append_id(&out, set, covey_sparse_set_at(set, i));
    }
    append(&out, "] head=");
    append_number(&out, covey_sparse_set_head(set));
    return out;
}

static void expect(const covey_sparse_set *set, const char *expected) {
    text actual = text_of(set);
    assert_string_equal(actual.at, expected);
}

/* ---- Golden traces (REQ-44 to REQ-51) ------------------------------------------------------------------------------
 *
 * A step is a list of commands, the state that they lead to, and answers: "push 10..14", "erase 11", "push 11v1",
 * "emplace 20 fb=0", "compact", "clear". */

typedef struct step {
    const char *commands, *state, *answers;
} step;

typedef struct trace {
    covey_policy policy;
    const char *name;
    step steps[10];
} trace;

static const trace traces[] = {
    { COVEY_SWAP_AND_POP, "swap and pop",
      {
          { "push 10..14", "[10 11 12 13 14] head=null", "size=5 contiguous=1" },
          { "erase 11", "[10 14 12 13] head=null", "contains(11)=0 size=4" },
          { "erase 14", "[10 13 12] head=null", "contains(14)=0" },
          { "push 20, push 11v1", "[10 13 12 20 11:v1] head=null", "contains(11)=0 contains(11v1)=1" },
          { "push 21, erase 10", "[21 13 12 20 11:v1] head=null", "" },
      } },
    { COVEY_SWAP_ONLY, "swap only",
      {
          { "push 10..14", "[10 11 12 13 14] head=5", "" },
          { "erase 11", "[10 14 12 13 | 11:v1] head=4", "size=5" },
          { "erase 14", "[10 13 12 | 14:v1 11:v1] head=3",
            "contains(11)=0 contains(11v1)=1 current(11)=1 live(11v1)=0 live(11)=0" },
          { "push 20", "[10 13 12 20 | 11:v1 14:v1] head=4", "" },
          { "push 11v1", "[10 13 12 20 11:v1 | 14:v1] head=5", "live(11v1)=1" },
          { "push 21", "[10 13 12 20 11:v1 21 | 14:v1] head=6", "" },
          { "erase 10", "[21 13 12 20 11:v1 | 10:v1 14:v1] head=5", "contains(10)=0 contains(10v1)=1 live(10v1)=0" },
          { "clear", "[] head=0", "contains(14v1)=0 contains(11v1)=0 size=0" },
      } },
    { COVEY_SWAP_ONLY, "swap only, behind the dead",
      {
          { "push 10..12, erase 11", "[10 12 | 11:v1] head=2", "" },
          { "emplace 20 fb=0", "[10 12 | 11:v1 20] head=2", "contains(20)=1 live(20)=0" },
          { "emplace 21 fb=1", "[10 12 21 | 20 11:v1] head=3", "live(21)=1" },
      } },
    { COVEY_IN_PLACE, "in place",
      {
          { "push 10..14, erase 11", "[10 <null,T> 12 13 14] head=1", "contiguous=0" },
          { "erase 14", "[10 <null,T> 12 13 <1,T>] head=4", "" },
          { "push 20", "[10 <null,T> 12 13 20] head=1", "" },
          { "push 11v1", "[10 11:v1 12 13 20] head=null", "contiguous=1" },
          { "push 21, erase 10, erase 12", "[<null,T> 11:v1 <0,T> 13 20 21] head=2", "contiguous=0" },
          { "emplace 30 fb=1", "[<null,T> 11:v1 <0,T> 13 20 21 30] head=2", "" },
          { "compact", "[21 11:v1 30 13 20] head=null", "contiguous=1" },
      } },
    { COVEY_IN_PLACE, "in place, last in first out",
      {
          { "push 0..5, erase 1, erase 4, erase 3", "[0 <null,T> 2 <4,T> <1,T> 5] head=3", "" },
          { "push 10", "[0 <null,T> 2 10 <1,T> 5] head=4", "" },
          { "push 11", "[0 <null,T> 2 10 11 5] head=1", "" },
          { "push 12", "[0 12 2 10 11 5] head=null", "" },
          { "push 13", "[0 12 2 10 11 5 13] head=null", "" },
      } },
    { COVEY_IN_PLACE, "in place, a hole at the end",
      {
          { "push 0..7, erase 1, erase 3, erase 7, compact", "[0 5 2 6 4] head=null", "size=5" },
      } },
    /* The policy that the reference does not have. */
    { COVEY_ORDERED, "ordered",
      {
          { "push 10..14, erase 11", "[10 <T> 12 13 14] head=null", "contiguous=0 size=5 contains(11)=0" },
          { "erase 13, push 20", "[10 <T> 12 <T> 14 20] head=null", "" },
          { "push 11v1", "[10 <T> 12 <T> 14 20 11:v1] head=null", "contains(11)=0 contains(11v1)=1" },
          { "compact", "[10 12 14 20 11:v1] head=null", "contiguous=1 size=5" },
          { "erase 10, erase 11v1, compact", "[12 14 20] head=null", "" },
      } },
};

static void act(covey_sparse_set *set, const char *verb, covey_entity e, bool force_back) {
    uint32_t stamp = stamp_of(e.index);
    if (strcmp(verb, "push") == 0) push(set, e);
    else if (strcmp(verb, "erase") == 0) covey_sparse_set_erase(set, e);
    else if (strcmp(verb, "emplace") == 0)
        assert_int_equal(covey_sparse_set_push_to(set, e, &stamp, force_back), COVEY_OK);
    else if (strcmp(verb, "compact") == 0) covey_sparse_set_compact(set);
    else if (strcmp(verb, "clear") == 0) covey_sparse_set_clear(set);
    else fail_msg("unknown command: %s", verb);
}

/* "verb", "verb 1", "verb 1..9", "verb 1v2", "verb 1 fb=0", separated by ", ". */
static void run_commands(covey_sparse_set *set, const char *at) {
    while (*at) {
        char verb[16] = "";
        uint32_t first = 0, last = 0, version = 0, force_back = 1;
        int length = 0;
        if (sscanf(at, "%15[a-z] %u%n", verb, &first, &length) < 1) fail_msg("no command: %s", at);
        at += length != 0 ? (size_t)length : strlen(verb);
        last = first;
        if (sscanf(at, "..%u%n", &last, &length) == 1) at += length;
        else if (sscanf(at, "v%u%n", &version, &length) == 1) at += length;
        if (sscanf(at, " fb=%u%n", &force_back, &length) == 1) at += length;
        for (uint32_t i = first; i <= last; i++) act(set, verb, id_of(i, version + 1), force_back != 0);
        at += strspn(at, ", ");
    }
}

static uint32_t answer_of(const covey_sparse_set *set, const char *question, covey_entity e) {
    if (strcmp(question, "contains") == 0) return covey_sparse_set_contains(set, e);
    if (strcmp(question, "live") == 0) return covey_sparse_set_live(set, e);
    if (strcmp(question, "current") == 0) return covey_sparse_set_current(set, e.index) - 1;
    if (strcmp(question, "size") == 0) return covey_sparse_set_size(set);
    if (strcmp(question, "contiguous") == 0) return covey_sparse_set_contiguous(set);
    fail_msg("unknown question: %s", question);
    return 0;
}

/* "size=5 contains(11)=0 contains(11v1)=1" */
static void check_answers(const covey_sparse_set *set, const char *at) {
    while (*at) {
        char question[16] = "";
        uint32_t index = 0, version = 0, expected = 0;
        int length = 0;
        sscanf(at, "%15[a-z]%n", question, &length);
        at += length;
        if (sscanf(at, "(%u%n", &index, &length) == 1) at += length;
        if (sscanf(at, "v%u%n", &version, &length) == 1) at += length;
        at += strspn(at, ")=");
        if (sscanf(at, "%u%n", &expected, &length) != 1) fail_msg("no answer: %s", at);
        at += length + (int)strspn(at + length, " ");
        assert_int_equal(answer_of(set, question, id_of(index, version + 1)), expected);
    }
}

static void check_values(const covey_sparse_set *set) {
    for (uint32_t p = covey_sparse_set_next(set, 0); p != COVEY_NONE; p = covey_sparse_set_next(set, p + 1))
        assert_int_equal(stamp_at(set, p), stamp_of(covey_sparse_set_at(set, p).index));
}

static void run_trace(const trace *t, uint32_t size) {
    test_heap heap = { 0 };
    covey_sparse_set *set = set_create(&heap, size, t->policy);
    for (const step *s = t->steps; s < t->steps + 10 && s->commands; s++) {
        run_commands(set, s->commands);
        text actual = text_of(set);
        if (strcmp(actual.at, s->state) != 0) print_error("trace \"%s\", step \"%s\"\n", t->name, s->commands);
        assert_string_equal(actual.at, s->state);
        check_answers(set, s->answers);
        if (size != 0) check_values(set);
        test_set_is_valid(set);
    }
    set_finish(set, &heap);
}

static void golden_traces_of_sets_with_values(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof traces / sizeof traces[0]; i++) run_trace(&traces[i], sizeof(uint32_t));
}

static void golden_traces_of_sets_of_ids_only(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof traces / sizeof traces[0]; i++) run_trace(&traces[i], 0);
}

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

/* ---- Swap and pop (REQ-39 to REQ-42) -------------------------------------------------------------------------------*/

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
            push(set, id(5));
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

/* The last position is only given up: its bytes are the proof that nothing was written, nor copied onto itself. */
static void removing_the_last_element_touches_no_other(void **state) {
    (void)state;
    test_heap heap = { 0 };
    covey_sparse_set *set = set_create(&heap, 4, COVEY_SWAP_AND_POP);
    push_first(set, 5);
    uint32_t *values = covey_sparse_set_values(set);
    assert_true(covey_sparse_set_remove(set, id(4)));
    expect(set, "[0 1 2 3] head=null");
    for (uint32_t i = 0; i < 5; i++) assert_int_equal(values[i], stamp_of(i));
    set_finish(set, &heap);
}

/* ---- Shifting removal (REQ-38) -------------------------------------------------------------------------------------*/

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

static void erase_ordered_shifts_holes_as_well(void **state) {
    (void)state;
    test_heap heap = { 0 };
    covey_sparse_set *set = set_create(&heap, 4, COVEY_ORDERED);
    run_commands(set, "push 0..6, erase 2, erase 5");
    assert_true(covey_sparse_set_erase_ordered(set, id(1)));
    expect(set, "[0 <T> 3 4 <T> 6] head=null");
    check_values(set);
    assert_true(covey_sparse_set_erase_ordered(set, id(6)));
    expect(set, "[0 <T> 3 4 <T>] head=null");
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

/* ---- Ordered (REQ-54) ----------------------------------------------------------------------------------------------*/

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
                push(set, id(next++));
            } else if (dice < 9 && l.count != 0) {
                uint32_t position = test_below(&random, l.count);
                assert_true(covey_sparse_set_remove(set, id(l.at[position])));
                list_erase(&l, position);
            } else {
                covey_sparse_set_compact(set);
                assert_true(covey_sparse_set_contiguous(set));
                assert_int_equal(covey_sparse_set_size(set), l.count);
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
        run_commands(set, "push 0..4, erase 3, erase 0, erase 4, erase 1, erase 2, compact");
        expect(set, "[] head=null");
        push(set, id(3));
        expect(set, "[3] head=null");
        set_finish(set, &heap);
    }
}

/* ---- In place (REQ-49 to REQ-52) -----------------------------------------------------------------------------------*/

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
            push(set, id(index));
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
        push(set, id(i));
        assert_int_equal(heap.calls, calls);
    }
    set_finish(set, &heap);
}

/* ---- Vacated places (REQ-41) ---------------------------------------------------------------------------------------*/

static uint32_t bytes_left_behind(covey_policy policy, bool zero_vacated) {
    test_heap heap = { 0 };
    covey_sparse_set_desc desc = { 4, 4, policy, zero_vacated, test_allocator(&heap) };
    covey_sparse_set *set = covey_sparse_set_create(&desc);
    assert_non_null(set);
    push_first(set, 5);
    uint32_t *values = policy == COVEY_IN_PLACE ? covey_sparse_set_page(set, 0) : covey_sparse_set_values(set);
    uint32_t vacated = policy == COVEY_IN_PLACE || policy == COVEY_ORDERED ? 1 : 4;
    covey_sparse_set_erase(set, id(1));
    uint32_t left = values[vacated % COVEY_PAGE_SIZE];
    if (policy != COVEY_IN_PLACE) left = values[vacated];
    check_values(set);
    set_finish(set, &heap);
    return left;
}

static void vacated_places_are_zeroed_where_asked_for(void **state) {
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
    } cases[] = { { erase_ordered_first, COVEY_SWAP_AND_POP }, { erase_ordered_first, COVEY_ORDERED },
                  { erase_and_compact, COVEY_ORDERED },        { clear, COVEY_SWAP_AND_POP },
                  { clear, COVEY_SWAP_ONLY },                  { clear, COVEY_ORDERED } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        test_heap heap = { 0 };
        covey_sparse_set_desc desc = { 4, 4, cases[i].policy, true, test_allocator(&heap) };
        covey_sparse_set *set = covey_sparse_set_create(&desc);
        assert_non_null(set);
        push_first(set, 5);
        const uint32_t *values = covey_sparse_set_values(set);
        cases[i].run(set);
        for (uint32_t at = covey_sparse_set_size(set); at < 5; at++) assert_int_equal(values[at], 0);
        check_values(set);
        set_finish(set, &heap);
    }
}

/* ---- Swap only (REQ-45 to REQ-48) ----------------------------------------------------------------------------------*/

static void swap_only_reuses_the_place_of_an_index_it_keeps(void **state) {
    (void)state;
    test_heap heap = { 0 };
    covey_sparse_set *set = set_create(&heap, 4, COVEY_SWAP_ONLY);
    push_first(set, 6);
    for (uint32_t round = 0; round < 20; round++) {
        covey_sparse_set_erase(set, id_of(round % 6, covey_sparse_set_current(set, round % 6)));
        push(set, id_of(round % 6, covey_sparse_set_current(set, round % 6)));
        assert_int_equal(covey_sparse_set_size(set), 6);
        assert_int_equal(covey_sparse_set_count(set), 6);
        check_values(set);
        test_set_is_valid(set);
    }
    set_finish(set, &heap);
}

static void swap_only_takes_another_generation_than_the_one_it_keeps(void **state) {
    (void)state;
    test_heap heap = { 0 };
    covey_sparse_set *set = set_create(&heap, 4, COVEY_SWAP_ONLY);
    run_commands(set, "push 0..2, erase 1");
    expect(set, "[0 2 | 1:v1] head=2");
    push(set, id_of(1, COVEY_GENERATION_MAX));
    assert_true(covey_sparse_set_live(set, id_of(1, COVEY_GENERATION_MAX)));
    assert_false(covey_sparse_set_contains(set, id_of(1, 2)));
    assert_int_equal(covey_sparse_set_size(set), 3);
    set_finish(set, &heap);
}

static void the_generation_after_the_last_is_the_first(void **state) {
    (void)state;
    test_heap heap = { 0 };
    covey_sparse_set *set = set_create(&heap, 4, COVEY_SWAP_ONLY);
    push(set, id_of(7, COVEY_GENERATION_MAX));
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
    run_commands(set, "push 0..4, erase 4, erase 3");
    expect(set, "[0 1 2 | 3:v1 4:v1] head=3");
    assert_int_equal(covey_sparse_set_push(set, id_of(4, 2), covey_sparse_set_get(set, id_of(4, 2))), COVEY_OK);
    expect(set, "[0 1 2 4:v1 | 3:v1] head=4");
    assert_int_equal(*(uint32_t *)covey_sparse_set_get(set, id_of(4, 2)), stamp_of(4));
    assert_int_equal(covey_sparse_set_push(set, id(9), covey_sparse_set_get(set, id_of(3, 2))), COVEY_OK);
    expect(set, "[0 1 2 4:v1 9 | 3:v1] head=5");
    assert_int_equal(*(uint32_t *)covey_sparse_set_get(set, id(9)), stamp_of(3));
    set_finish(set, &heap);
}

/* ---- The end of the positions --------------------------------------------------------------------------------------*/

#if COVEY_INDEX_BITS <= 12

static covey_sparse_set *full_set_create(test_heap *heap, covey_policy policy) {
    covey_sparse_set *set = set_create(heap, 4, policy);
    push_first(set, COVEY_NONE);
    assert_int_equal(covey_sparse_set_size(set), COVEY_NONE);
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
        check_values(set);
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
    push(set, id_of(3, 2));
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
            push(set, id_of(index, 2));
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
        cmocka_unit_test(golden_traces_of_sets_with_values),
        cmocka_unit_test(golden_traces_of_sets_of_ids_only),
        cmocka_unit_test(the_policies_have_the_numbers_of_the_reference),
        cmocka_unit_test(swap_back_moves_exactly_one_element),
        cmocka_unit_test(the_only_element_can_be_removed_and_added_again),
        cmocka_unit_test(removing_the_last_element_touches_no_other),
        cmocka_unit_test(erase_ordered_does_what_erasing_from_a_list_does),
        cmocka_unit_test(erase_ordered_shifts_holes_as_well),
        cmocka_unit_test(erase_ordered_is_not_for_in_place_and_swap_only),
        cmocka_unit_test(marks_and_one_compaction_keep_the_order_of_a_list),
        cmocka_unit_test(compaction_of_a_set_with_only_holes_leaves_it_empty),
        cmocka_unit_test(in_place_values_never_move),
        cmocka_unit_test(a_walk_never_meets_a_hole),
        cmocka_unit_test(a_hole_is_filled_without_memory),
        cmocka_unit_test(vacated_places_are_zeroed_where_asked_for),
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
