/* Allocation. Callers pass counts of elements, so that products are checked for overflow in one place. */
#ifndef COVEY_ALLOC_H
#define COVEY_ALLOC_H

#include <covey/covey.h>

#ifndef COVEY_GROW /* the next capacity of a growing array */
#define COVEY_GROW(capacity) ((capacity) < 16 ? 16 : (capacity)*2)
#endif
#define COVEY__ALIGN_MAX 64

/* Resizes an array and keeps its elements. Returns NULL, and leaves the old array unchanged, when an allocation fails
 * or the size overflows. A new count or element size of 0 frees the array and returns NULL. */
void *covey__resize(covey__heap *heap, void *array, size_t old_count, size_t new_count, size_t size, size_t align);
void covey__free(covey__heap *heap, void *array, size_t count, size_t size, size_t align);
/* The capacity to grow to: at least `wanted`, at most `limit`. Needs wanted <= limit. */
uint32_t covey__grown(uint32_t capacity, uint32_t wanted, uint32_t limit);
/* Grows a table of pointers so that entry `at` exists; new entries are `filler`. Returns the table, or NULL. */
void *covey__reach(covey__heap *heap, void *table, uint32_t *capacity, uint32_t at, uint32_t limit, void *filler);

/* Between begin and end, the heaps of a budget may allocate at most `most` bytes; further allocations fail. While an
 * array grows, its old memory counts as well. UINT64_MAX means no limit. */
void covey__budget_begin(covey__budget *budget, uint64_t most);
bool covey__budget_take(covey__budget *budget, uint64_t bytes); /* counts memory of other allocators; false: exceeded */
bool covey__budget_end(covey__budget *budget);                  /* whether it was exceeded */

#endif
