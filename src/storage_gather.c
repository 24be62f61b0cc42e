/* Copying the values of many entities: by blocks of 64 indices where they are neighbours, and in runs where their values
 * lie side by side. */
#include "block_store.h"
#include "storage.h"
#include "stretch.h"
#include "type.h"

/* What was found so far. */
typedef struct gathering {
    const covey_pool *pool;
    const covey_entity *entities;
    size_t size;
    char *to;
    uint32_t *positions; /* or NULL */
    uint32_t found;
} gathering;

/* Notes entities of the list that follow each other. */
static void note(gathering *g, uint32_t first, uint32_t count) {
    for (uint32_t i = 0; g->positions && i < count; i++) g->positions[g->found + i] = first + i;
    g->found += count;
}

static void gather_run(gathering *g, uint32_t first, uint32_t count, const void *values) {
    if (g->size != 0) memcpy(g->to + g->found * g->size, values, count * g->size);
    note(g, first, count);
}

static void gather_one(gathering *g, uint32_t at, const void *value) {
    if (g->size != 0) covey__copy(g->to + g->found * g->size, value, g->size);
    note(g, at, 1);
}

static void gather_stretch(gathering *g, uint32_t first, const covey__stretch *s) {
    const covey__block_store *blocks = &g->pool->blocks;
    uint32_t index = g->entities[first].index, block = covey__block_of(index);
    const covey__block_page *page = covey__block_page_of(blocks, index);
    uint64_t bits = s->bits & page->masks[block];
    if (bits == s->bits && s->in_order && (page->direct >> block & 1) != 0) {
        gather_run(g, first, s->count, page->chunks[block].data + index % 64 * g->size);
        return;
    }
    for (uint32_t i = 0; i < s->count && bits != 0; i++) {
        index = g->entities[first + i].index;
        if ((bits >> index % 64 & 1) != 0) gather_one(g, first + i, covey__block_value(blocks, index, g->size));
    }
}

static void gather_blocks(gathering *g, uint32_t count) {
    covey__lookup lookup = covey__lookup_in(g->pool->world, g->pool);
    for (uint32_t i = 0; i < count;) {
        covey__stretch s = { 0, 0, true };
        if (covey__has_neighbour(g->entities + i, count - i))
            s = covey__next_stretch(g->pool->world, g->entities + i, count - i);
        if (s.count > 1) {
            if (!covey__block_is_empty(&g->pool->blocks, g->entities[i].index)) gather_stretch(g, i, &s);
            i += s.count;
            continue;
        }
        const void *value = covey__lookup_get(&lookup, g->entities[i], g->size);
        if (value) gather_one(g, i, value);
        i++;
    }
}

/* How many entities from one on have the positions that follow `at`, with values in one array. */
static uint32_t run_from(const gathering *g, uint32_t first, uint32_t count, uint64_t at) {
    const covey_sparse_set *set = &g->pool->set;
    uint64_t most = set->paged ? COVEY_PAGE_SIZE - at % COVEY_PAGE_SIZE : set->end - at;
    uint32_t run = 1;
    if (most > count - first) most = count - first;
    while (run < most && covey__position(set, g->entities[first + run]) == at + run) run++;
    return run;
}

static void gather_set(gathering *g, uint32_t count) {
    const covey_sparse_set *set = &g->pool->set;
    for (uint32_t i = 0; i < count;) {
        uint64_t at = covey__position(set, g->entities[i]);
        if (at >= set->end) {
            i++;
            continue;
        }
        uint32_t run = run_from(g, i, count, at);
        const void *values = g->size != 0 ? covey__value_at(set, (size_t)at, g->size) : NULL;
        if (run == 1) gather_one(g, i, values);
        else gather_run(g, i, run, values);
        i += run;
    }
}

uint32_t covey_gather_raw(const covey_world *world, const covey_entity *entities, uint32_t count,
                          const covey_type *type, void *values, uint32_t *positions) {
    const covey_pool *pool = covey__pool_known(world, type);
    if (!pool || covey_pool_count(pool) == 0) return 0;
    gathering g = { .pool = pool, .entities = entities, .to = values, .positions = positions };
    if (values) {
        COVEY__USES(world, type, COVEY__ACCESS_READ);
        g.size = pool->size;
    }
    if (covey__in_blocks(pool)) gather_blocks(&g, count);
    else gather_set(&g, count);
    return g.found;
}
