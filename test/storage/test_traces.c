/* Golden traces: what a reference implementation, EnTT 3.13, was seen to do under its three policies, step by step, and
 * the same for the policy that only Covey has. REQ-44 to REQ-51. */
#include "sets.h"

#include <stdio.h>

/* Commands of set_run, the state of the set afterwards, and answers that it then gives. */

typedef struct step {
    const char *commands, *state, *answers;
} step;

typedef struct trace {
    covey_policy policy;
    const char *name;
    step steps[10];
} trace;

static const trace traces[] = {
    { COVEY_SWAP_AND_POP,
      "swap and pop",
      {
          { "push 10..14", "[10 11 12 13 14] head=null", "size=5 contiguous=1" },
          { "erase 11", "[10 14 12 13] head=null", "contains(11)=0 size=4" },
          { "erase 14", "[10 13 12] head=null", "contains(14)=0" },
          { "push 20, push 11v1", "[10 13 12 20 11:v1] head=null", "contains(11)=0 contains(11v1)=1" },
          { "push 21, erase 10", "[21 13 12 20 11:v1] head=null", "" },
      } },
    { COVEY_SWAP_ONLY,
      "swap only",
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
    { COVEY_SWAP_ONLY,
      "swap only, behind the dead",
      {
          { "push 10..12, erase 11", "[10 12 | 11:v1] head=2", "" },
          { "emplace 20 fb=0", "[10 12 | 11:v1 20] head=2", "contains(20)=1 live(20)=0" },
          { "emplace 21 fb=1", "[10 12 21 | 20 11:v1] head=3", "live(21)=1" },
      } },
    { COVEY_IN_PLACE,
      "in place",
      {
          { "push 10..14, erase 11", "[10 <null,T> 12 13 14] head=1", "contiguous=0" },
          { "erase 14", "[10 <null,T> 12 13 <1,T>] head=4", "" },
          { "push 20", "[10 <null,T> 12 13 20] head=1", "" },
          { "push 11v1", "[10 11:v1 12 13 20] head=null", "contiguous=1" },
          { "push 21, erase 10, erase 12", "[<null,T> 11:v1 <0,T> 13 20 21] head=2", "contiguous=0" },
          { "emplace 30 fb=1", "[<null,T> 11:v1 <0,T> 13 20 21 30] head=2", "" },
          { "compact", "[21 11:v1 30 13 20] head=null", "contiguous=1" },
      } },
    { COVEY_IN_PLACE,
      "in place, last in first out",
      {
          { "push 0..5, erase 1, erase 4, erase 3", "[0 <null,T> 2 <4,T> <1,T> 5] head=3", "" },
          { "push 10", "[0 <null,T> 2 10 <1,T> 5] head=4", "" },
          { "push 11", "[0 <null,T> 2 10 11 5] head=1", "" },
          { "push 12", "[0 12 2 10 11 5] head=null", "" },
          { "push 13", "[0 12 2 10 11 5 13] head=null", "" },
      } },
    { COVEY_IN_PLACE,
      "in place, a hole at the end",
      {
          { "push 0..7, erase 1, erase 3, erase 7, compact", "[0 5 2 6 4] head=null", "size=5" },
      } },
    /* The policy that the reference does not have. */
    { COVEY_ORDERED,
      "ordered",
      {
          { "push 10..14, erase 11", "[10 <T> 12 13 14] head=null", "contiguous=0 size=5 contains(11)=0" },
          { "erase 13, push 20", "[10 <T> 12 <T> 14 20] head=null", "" },
          { "push 11v1", "[10 <T> 12 <T> 14 20 11:v1] head=null", "contains(11)=0 contains(11v1)=1" },
          { "compact", "[10 12 14 20 11:v1] head=null", "contiguous=1 size=5" },
          { "erase 10, erase 11v1, compact", "[12 14 20] head=null", "" },
      } },
};

static uint32_t answer_of(const covey_sparse_set *set, const char *question, covey_entity e) {
    if (strcmp(question, "contains") == 0) return covey_sparse_set_contains(set, e);
    if (strcmp(question, "live") == 0) return covey_sparse_set_live(set, e);
    if (strcmp(question, "current") == 0) return covey_sparse_set_current(set, e.index) - 1;
    if (strcmp(question, "size") == 0) return covey_sparse_set_position_count(set);
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

static void run_trace(const trace *t, uint32_t size) {
    test_heap heap = { 0 };
    covey_sparse_set *set = set_create(&heap, size, t->policy);
    for (const step *s = t->steps; s < t->steps + 10 && s->commands; s++) {
        set_run(set, s->commands);
        if (strcmp(set_text(set).at, s->state) != 0) print_error("trace \"%s\", step \"%s\"\n", t->name, s->commands);
        assert_set(set, s->state);
        check_answers(set, s->answers);
        if (size != 0) assert_stamped(set);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_traces_of_sets_with_values),
        cmocka_unit_test(golden_traces_of_sets_of_ids_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
