/* Sparse sets in tests: made with the strict allocator, written as text, and driven by small scripts. */
#ifndef COVEY_TEST_SETS_H
#define COVEY_TEST_SETS_H

#include "support.h"

covey_entity id_of(uint32_t index, uint32_t generation);
covey_entity id(uint32_t index); /* generation 1 */

/* Values of a size that 4 divides, or none. */
covey_sparse_set *set_create(test_heap *heap, uint32_t size, covey_policy policy);
/* Ends a test: the set is valid, and all its memory comes back. */
void set_finish(covey_sparse_set *set, const test_heap *heap);

/* Runs a test on a set of numbers under each policy, and finishes the set. */
typedef void policy_test(covey_sparse_set *set, test_heap *heap);
void under_each_policy(policy_test *test);

#define POLICY_TEST(name)                                       \
    static void name##_policy(covey_sparse_set *, test_heap *); \
    static void name(void **state) {                            \
        (void)state;                                            \
        under_each_policy(name##_policy);                       \
    }                                                           \
    static void name##_policy(covey_sparse_set *set, test_heap *heap)

/* Adds and reads numbers. */
void push_number(covey_sparse_set *set, covey_entity e, uint32_t value);
uint32_t number_of(const covey_sparse_set *set, covey_entity e);

/* A stamp is a value that tells whose it is. */
uint32_t stamp_of(uint32_t index);
void push_stamped(covey_sparse_set *set, covey_entity e);
void push_first(covey_sparse_set *set, uint32_t count); /* indices from 0 on, with their stamps */
uint32_t stamp_at(const covey_sparse_set *set, uint32_t position);
void assert_stamped(const covey_sparse_set *set); /* every live element has its own value */

/* A set as text: "[10 13 12 | 14:v1 11:v1] head=3". Version N of an id is generation N + 1, "|" comes before the dead,
 * and <next,T> is a hole with the position of the next one; <T> where holes are in no list. */
typedef struct set_text_of {
    char at[1024];
    size_t length;
} set_text_of;
set_text_of set_text(const covey_sparse_set *set);
void assert_set(const covey_sparse_set *set, const char *expected);

/* Runs "push 10..14", "erase 11", "push 11v1", "emplace 20 fb=0", "compact", "clear", separated by commas. What is
 * pushed gets its stamp. */
void set_run(covey_sparse_set *set, const char *commands);

#endif
