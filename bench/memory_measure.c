/* Takes the bytes of pools, from an allocator that counts. */
#include "memory.h"

#include <stdlib.h>

/* ---- The allocator ------------------------------------------------------------------------------------------------*/

typedef struct counter {
    size_t bytes, peak;
} counter;

static void *fresh_block(counter *c, size_t size, size_t align) {
    size_t least = align < sizeof(void *) ? sizeof(void *) : align;
    void *block = aligned_alloc(least, (size + least - 1) / least * least);
    if (!block) return NULL;
    c->bytes += size;
    if (c->bytes > c->peak) c->peak = c->bytes;
    return block;
}

/* A block that is resized moves, and is there twice for a moment: no allocator needs more than that. */
static void *count_bytes(void *context, void *ptr, size_t old_size, size_t new_size, size_t align) {
    counter *c = context;
    void *fresh = new_size != 0 ? fresh_block(c, new_size, align) : NULL;
    if (new_size != 0 && !fresh) return NULL;
    if (!ptr) return fresh;
    if (fresh) memcpy(fresh, ptr, old_size < new_size ? old_size : new_size);
    c->bytes -= old_size;
    free(ptr);
    return fresh;
}

/* ---- One pool -----------------------------------------------------------------------------------------------------*/

/* A world of its own for each pool, so that nothing is left over from another. */
typedef struct subject {
    counter counter;
    covey_world *world;
    covey_pool *pool;
} subject;

static void need(const covey_world *world, bool done, const char *what) {
    covey_result why = world ? covey_world_result(world) : COVEY_ERROR_MEMORY;
    if (!done) bench_fail("cannot %s: %s", what, covey_result_text(why));
}

static void open_subject(subject *s, covey_entity *all, uint32_t n, uint32_t size, covey_storage storage) {
    *s = (subject){ { 0, 0 }, NULL, NULL };
    s->world = covey_world_create(&(covey_world_desc){ .allocator = { count_bytes, &s->counter } });
    need(s->world, s->world && covey_create_many(s->world, all, n), "make the entities");
    covey_type type = { .name = "Value", .size = size, .align = 8, .storage = storage };
    const covey_type *made = covey_type_create(s->world, &type);
    s->pool = made ? covey_pool_of_raw(s->world, made) : NULL;
    need(s->world, s->pool != NULL, "make a pool");
}

/* What the pool has; the world has the rest of what the allocator counted. */
static size_t bytes_of(const subject *s) {
    size_t counted = s->counter.bytes, said = covey_world_memory(s->world);
    if (counted != said) bench_fail("a world says it has %zu bytes, but it was given %zu", said, counted);
    return covey_pool_memory(s->pool);
}

static memory_fill measure_fill(covey_entity *all, uint32_t n, const covey_entity *order, uint32_t count, uint32_t size,
                                covey_storage storage) {
    subject s;
    memory_fill fill;
    open_subject(&s, all, n, size, storage);
    for (uint32_t i = 0; i < count; i++)
        need(s.world, covey_pool_add_raw(s.pool, order[i], NULL) != NULL, "add a component");
    fill.filled = bytes_of(&s);
    size_t rest = s.counter.bytes - fill.filled; /* the world's, which compaction leaves alone */
    s.counter.peak = s.counter.bytes;
    covey_pool_compact(s.pool, NULL, NULL);
    fill.peak = s.counter.peak - rest;
    fill.compact = bytes_of(&s);
    covey_pool_shrink(s.pool);
    fill.shrunk = bytes_of(&s);
    covey_world_destroy(s.world);
    return fill;
}

/* ---- All of them --------------------------------------------------------------------------------------------------*/

/* The handles of a world of n entities: by index, shuffled, and the first so many of the shuffled by index. */
typedef struct handles {
    covey_entity *all, *shuffled, *ordered;
    bool *chosen;
    uint32_t n, count;
} handles;

static handles make_handles(uint32_t n) {
    size_t bytes = sizeof(covey_entity);
    handles h = { bench_alloc(n, bytes), bench_alloc(n, bytes), bench_alloc(n, bytes), bench_alloc(n, 1), n, 0 };
    covey_world *world = covey_world_create(NULL);
    need(world, world && covey_create_many(world, h.all, n), "make the entities");
    covey_world_destroy(world);
    memcpy(h.shuffled, h.all, n * bytes);
    bench_shuffle(h.shuffled, n);
    return h;
}

static void free_handles(handles *h) {
    free(h->all);
    free(h->shuffled);
    free(h->ordered);
    free(h->chosen);
}

/* Those who are chosen stay so when more are. */
static void choose(handles *h, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) h->chosen[h->shuffled[i].index] = true;
    h->count = 0;
    for (uint32_t i = 0; i < h->n; i++)
        if (h->chosen[i]) h->ordered[h->count++] = h->all[i];
}

static void measure_cell(memory_cell *cell, handles *h, uint32_t size, double utilisation) {
    bench_progress("n = %u, utilisation %.1f, size %u", h->n, utilisation, size);
    *cell = (memory_cell){
        .n = h->n,
        .size = size,
        .utilisation = utilisation,
        .model = memory_model_make(size, h->n, utilisation),
        .ordered = measure_fill(h->all, h->n, h->ordered, h->count, size, COVEY_STORAGE_BLOCK),
        .shuffled = measure_fill(h->all, h->n, h->shuffled, h->count, size, COVEY_STORAGE_BLOCK),
    };
}

void memory_measure(memory_table *table, uint32_t n) {
    handles h = make_handles(n);
    table->n = n;
    for (uint32_t share = 1; share <= MEMORY_SHARES; share++) {
        choose(&h, (uint32_t)((uint64_t)n * share / MEMORY_SHARES));
        for (uint32_t i = 0; i < MEMORY_SIZES; i++)
            measure_cell(&table->cells[i][share - 1], &h, 8 * (i + 1), (double)share / MEMORY_SHARES);
    }
    bench_progress_end();
    free_handles(&h);
}

size_t memory_measure_sparse(uint32_t n) {
    handles h = make_handles(n);
    size_t bytes = measure_fill(h.all, n, h.all, n, 8, COVEY_STORAGE_SPARSE).shrunk;
    free_handles(&h);
    return bytes;
}

/* ---- What came out ------------------------------------------------------------------------------------------------*/

size_t memory_compact_bytes(const memory_cell *cell) {
    size_t ordered = cell->ordered.compact, shuffled = cell->shuffled.compact;
    return ordered > shuffled ? ordered : shuffled;
}

uint64_t memory_smallest(const memory_cell *cell) {
    const memory_model *m = &cell->model;
    return m->smallest == MEMORY_LINEAR ? m->linear : m->smallest == MEMORY_BITMASK ? m->bitmask : m->sparse;
}

double memory_ratio(const memory_cell *cell) {
    return (double)memory_compact_bytes(cell) / (double)memory_smallest(cell);
}

memory_class memory_class_of(const memory_cell *cell) {
    if (memory_compact_bytes(cell) < memory_smallest(cell)) return MEMORY_BELOW_ALL;
    return memory_ratio(cell) <= MEMORY_CLOSE ? MEMORY_WITHIN : MEMORY_OVER;
}
