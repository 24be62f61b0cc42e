#include "tools.h"

#include <stdio.h>
#include <stdlib.h>

/* In front of each block, far enough for the largest alignment. */
typedef struct block_header {
    size_t size, align;
    void *start;
} block_header;

static void stop(const char *what) {
    fprintf(stderr, "test allocator: %s\n", what);
    abort();
}

static block_header *header_of(void *block) { return (block_header *)(void *)((char *)block - sizeof(block_header)); }

/* Through a pointer that compilers know nothing of, so that they do not leave it out before a free. */
static void *(*const volatile overwrite)(void *, int, size_t) = memset;

static void *block_create(size_t size, size_t align) {
    size_t room = sizeof(block_header) + align;
    char *start = malloc(size + room);
    if (!start) return NULL;
    uintptr_t at = ((uintptr_t)start + room) / align * align;
    char *block = start + (at - (uintptr_t)start);
    *header_of(block) = (block_header){ size, align, start };
    overwrite(block, 0xA5, size);
    return block;
}

static void *test_resize(void *context, void *ptr, size_t old_size, size_t new_size, size_t align) {
    test_heap *heap = context;
    if (align == 0 || (align & (align - 1)) != 0) stop("an alignment that is no power of two");
    if (align < sizeof(void *)) align = sizeof(void *);
    if (ptr && (header_of(ptr)->size != old_size || header_of(ptr)->align != align))
        stop("a wrong old size or alignment");
    if (!ptr && old_size != 0) stop("an old size without a block");
    if (!ptr && new_size == 0) stop("nothing to free");
    void *fresh = NULL;
    if (new_size != 0) {
        heap->calls++;
        if (heap->fail_at != 0 && (heap->calls == heap->fail_at || (heap->fail_on && heap->calls > heap->fail_at))) {
            heap->failed = true;
            return NULL;
        }
        fresh = block_create(new_size, align);
        if (!fresh) return NULL;
        if (ptr) memcpy(fresh, ptr, old_size < new_size ? old_size : new_size);
        heap->bytes += new_size;
        if (heap->peak < heap->bytes) heap->peak = heap->bytes;
        heap->blocks++;
    }
    if (ptr) {
        heap->bytes -= old_size;
        heap->blocks--;
        void *start = header_of(ptr)->start;
        overwrite(ptr, 0x5A, old_size);
        free(start);
    }
    return fresh;
}

covey_allocator test_allocator(test_heap *heap) { return (covey_allocator){ test_resize, heap }; }

void test_fail_at(test_heap *heap, uint64_t at, bool for_good) {
    heap->fail_at = heap->calls + at;
    heap->fail_on = for_good;
    heap->failed = false;
}

void test_fail_never(test_heap *heap) { heap->fail_at = 0; }

uint32_t test_next(test_random *random) {
    uint64_t z = random->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)((z ^ (z >> 31)) >> 32);
}

uint32_t test_below(test_random *random, uint32_t limit) {
    return (uint32_t)(((uint64_t)test_next(random) * limit) >> 32);
}

uint64_t test_scaled(uint64_t steps) {
    const char *scale = getenv("COVEY_TEST_SCALE");
    double percent = scale ? strtod(scale, NULL) : 100;
    uint64_t scaled = (uint64_t)((double)steps * percent / 100);
    return scaled != 0 ? scaled : 1;
}
