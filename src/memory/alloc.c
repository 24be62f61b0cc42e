/* The only code that allocates: checks products for overflow, counts bytes, and uses the C library by default. */
#include "memory/alloc.h"

#include <stdalign.h>
#include <stdlib.h>

#if defined(_WIN32)
#include <malloc.h>
static void *aligned_resize(void *ptr, size_t old_size, size_t new_size, size_t align) {
    (void)old_size;
    if (new_size != 0) return _aligned_realloc(ptr, new_size, align);
    _aligned_free(ptr);
    return NULL;
}
#else
static void *aligned_resize(void *ptr, size_t old_size, size_t new_size, size_t align) {
    void *fresh = NULL;
    if (new_size != 0) {
        if (new_size > SIZE_MAX - align) return NULL;
        fresh = aligned_alloc(align, (new_size + align - 1) / align * align);
        if (!fresh) return NULL;
        if (ptr) memcpy(fresh, ptr, old_size < new_size ? old_size : new_size);
    }
    free(ptr);
    return fresh;
}
#endif

static void *libc_resize(void *ptr, size_t old_size, size_t new_size, size_t align) {
    if (align > alignof(max_align_t)) return aligned_resize(ptr, old_size, new_size, align);
    if (new_size != 0) return realloc(ptr, new_size);
    free(ptr);
    return NULL;
}

/* ---- Budgets -----------------------------------------------------------------------------------------------------*/

void covey__budget_begin(covey__budget *budget, uint64_t most) {
    *budget = (covey__budget){ .is_set = true, .left = most < UINT64_MAX / 2 ? most : UINT64_MAX / 2 };
}

bool covey__budget_end(covey__budget *budget) {
    budget->is_set = false;
    return budget->exceeded;
}

static bool has_left(covey__budget *budget, uint64_t bytes) {
    budget->exceeded |= bytes > budget->left;
    return bytes <= budget->left;
}

bool covey__budget_take(covey__budget *budget, uint64_t bytes) {
    if (!has_left(budget, bytes)) return false;
    budget->left -= bytes;
    return true;
}

/* ---- Arrays ------------------------------------------------------------------------------------------------------*/

void *covey__resize(covey__heap *heap, void *array, size_t old_count, size_t new_count, size_t size, size_t align) {
    if (size != 0 && new_count > SIZE_MAX / size) return NULL;
    size_t old_size = old_count * size, new_size = new_count * size;
    if (!array && new_size == 0) return NULL;
    if (!array) old_size = 0;
    covey__budget *budget = heap->budget && heap->budget->is_set ? heap->budget : NULL;
    if (budget && new_size > old_size && !has_left(budget, new_size)) return NULL;
    const covey_allocator *a = &heap->allocator;
    void *fresh =
        a->fn ? a->fn(a->context, array, old_size, new_size, align) : libc_resize(array, old_size, new_size, align);
    if (!fresh && new_size != 0) return NULL;
    heap->bytes = heap->bytes - old_size + new_size;
    if (budget) budget->left = budget->left + old_size - new_size;
    return fresh;
}

void covey__free(covey__heap *heap, void *array, size_t count, size_t size, size_t align) {
    covey__resize(heap, array, count, 0, size, align);
}

uint32_t covey__grown(uint32_t capacity, uint32_t wanted, uint32_t limit) {
    uint64_t grown = COVEY_GROW((uint64_t)capacity);
    if (grown < wanted) grown = wanted;
    return grown < limit ? (uint32_t)grown : limit;
}

void *covey__reach(covey__heap *heap, void *table, uint32_t *capacity, uint32_t at, uint32_t limit, void *filler) {
    if (at < *capacity) return table;
    uint32_t grown = covey__grown(*capacity, at + 1, limit);
    void **fresh = covey__resize(heap, table, *capacity, grown, sizeof(void *), alignof(void *));
    if (!fresh) return NULL;
    for (uint32_t i = *capacity; i < grown; i++) fresh[i] = filler;
    *capacity = grown;
    return fresh;
}
