/* The specification of sparse sets in docs/design.md (section 4, "Specification"), as a program. */
#ifndef COVEY_TEST_SPEC_SET_H
#define COVEY_TEST_SPEC_SET_H

#include <covey/sparse_set.h>

enum { SPEC_MOST = 16 };

typedef struct spec_element {
    uint8_t index, generation;
    uint8_t value; /* each of its bytes */
    uint8_t hole;
} spec_element;

/* Unused elements are all zeros: equal sets have equal bytes. */
typedef struct spec_set {
    uint8_t policy, zeroes;
    uint8_t end, dead;        /* positions of live elements and holes; behind them, of dead elements */
    uint8_t holes[SPEC_MOST]; /* their positions, in the order in which they were made */
    uint8_t hole_count;
    spec_element at[SPEC_MOST];
} spec_set;

void spec_set_begin(spec_set *s, covey_policy policy, bool zeroes);
uint32_t spec_set_positions(const spec_set *s);
/* The position of an index, of an element, of a live element; or COVEY_NONE. */
uint32_t spec_set_where(const spec_set *s, uint32_t index);
uint32_t spec_set_find(const spec_set *s, covey_entity e);
uint32_t spec_set_live(const spec_set *s, covey_entity e);

covey_result spec_set_push(spec_set *s, covey_entity e, uint8_t value, bool back);
covey_result spec_set_push_range(spec_set *s, const covey_entity *list, uint32_t count, const uint8_t *values);
bool spec_set_remove(spec_set *s, covey_entity e);
bool spec_set_erase_ordered(spec_set *s, covey_entity e);
void spec_set_clear(spec_set *s);
covey_result spec_set_bump(spec_set *s, covey_entity e);
covey_result spec_set_move_border(spec_set *s, uint32_t count);
covey_result spec_set_swap(spec_set *s, covey_entity a, covey_entity b);
covey_result spec_set_sort(spec_set *s, bool descending); /* by index */
void spec_set_compact(spec_set *s);

#endif
