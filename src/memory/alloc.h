/* The only way to memory. Counts of elements, so that products are checked in one place. */
#ifndef COVEY_ALLOC_H
#define COVEY_ALLOC_H

#include <covey/covey.h>

#ifndef COVEY_GROW /* the next capacity of a growing array */
#define COVEY_GROW(capacity) ((capacity) < 16 ? 16 : (capacity)*2)
#endif
#define COVEY__ALIGN_MAX 64

/* Resizes an array, keeping its elements. NULL (and the old array untouched) when memory is out or the size overflows;
 * NULL also for a new count or element size of 0, which frees. */
void *covey__resize(covey__heap *heap, void *array, size_t old_count, size_t new_count, size_t size, size_t align);
void covey__free(covey__heap *heap, void *array, size_t count, size_t size, size_t align);
/* The capacity to grow to so that `wanted` fit, at most `limit`. wanted <= limit. */
uint32_t covey__grown(uint32_t capacity, uint32_t wanted, uint32_t limit);
/* Grows a table of pointers so that entry `at` exists; new entries are `filler`. Returns the table, or NULL. */
void *covey__reach(covey__heap *heap, void *table, uint32_t *capacity, uint32_t at, uint32_t limit, void *filler);

/* Until the end, the heaps of a budget take at most so many bytes, while an array grows with its old memory;
 * allocations beyond that fail. UINT64_MAX: no limit. */
void covey__budget_begin(covey__budget *budget, uint64_t most);
bool covey__budget_take(covey__budget *budget, uint64_t bytes); /* for others; false: there are not so many left */
bool covey__budget_end(covey__budget *budget);                  /* whether it was exceeded */

#endif
