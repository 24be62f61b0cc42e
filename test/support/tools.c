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

/* ---- Walking ------------------------------------------------------------------------------------------------------*/

static void walk_view(const covey_view *view, test_visit_fn *visit, void *context) {
    covey_iter spans = covey_view_iter(view), rows = covey_view_iter(view);
    covey_row row = { 0 };
    while (covey_next(&spans))
        for (uint32_t i = 0; i < spans.count; i++) visit(covey_span_entity(&spans, i), context);
    visit((covey_entity){ 0, 0 }, context);
    while (covey_next_row(&rows, &row)) visit(covey_row_entity(&rows, row), context);
    visit((covey_entity){ 0, 0 }, context);
}

/* The type of the user's that is met next, or NULL. */
static const covey_type *next_type(const covey_world *world, uint32_t *number) {
    const covey_pool *pool;
    while ((pool = covey_world_pool(world, (*number)++)) != NULL)
        if (covey_pool_count(pool) != 0 && strncmp(covey_pool_type(pool)->name, "covey.", 6) != 0)
            return covey_pool_type(pool);
    return NULL;
}

void test_walk(const covey_world *world, test_visit_fn *visit, void *context) {
    covey_world *walked = (covey_world *)(uintptr_t)world;
    uint32_t number = 0;
    for (const covey_type *last = NULL, *type; (type = next_type(world, &number)) != NULL; last = type) {
        covey_view_desc alone = { .with = { type }, .read = { type } };
        covey_view_desc both = { .with = { last, type }, .read = { last, type } };
        covey_view view = covey_view_make(walked, &alone);
        walk_view(&view, visit, context);
        if (!last) continue;
        view = covey_view_make(walked, &both);
        walk_view(&view, visit, context);
    }
}

uint64_t test_scaled(uint64_t steps) {
    const char *scale = getenv("COVEY_TEST_SCALE");
    double percent = scale ? strtod(scale, NULL) : 100;
    uint64_t scaled = (uint64_t)((double)steps * percent / 100);
    return scaled != 0 ? scaled : 1;
}
