/* Copying the values of many entities to an array: of all, or of those that changed. */
#include "memory/bits.h"
#include "observe/guard.h"
#include "observe/observers.h"
#include "storage/storage_list.h"
#include "observe/tick.h"
#include "storage/type.h"

/* What was found so far. */
typedef struct gathering {
    size_t size;
    char *to;
    uint32_t *positions; /* or NULL */
    uint32_t found;
    const covey_pool *ticked; /* NULL: ticks do not matter */
    uint64_t since;
    uint32_t first; /* of a block, */
    uint64_t ids;   /* and who changed in it */
} gathering;

static void take(gathering *g, uint32_t first, uint32_t count, const char *values) {
    if (g->size != 0) covey__copy(g->to + g->found * g->size, values, count * g->size);
    for (uint32_t i = 0; g->positions && i < count; i++) g->positions[g->found + i] = first + i;
    g->found += count;
}

/* Who changed in the block of an index, from that index on. */
static uint64_t changed_from(gathering *g, uint32_t index) {
    uint32_t first = index - index % COVEY__BLOCK_IDS;
    if (first != g->first) g->ids = covey__ticks_since(g->ticked, first, UINT64_MAX, g->since);
    g->first = first;
    return g->ids >> index % COVEY__BLOCK_IDS;
}

/* Values of neighbours: those that changed, in runs. */
static void take_neighbours(gathering *g, uint32_t index, const covey__listed *run) {
    uint64_t ids = changed_from(g, index) & UINT64_MAX >> (COVEY__BLOCK_IDS - run->count);
    while (ids != 0) {
        uint32_t from = covey__lowest_bit(ids), count = covey__ones_from(ids, from);
        take(g, run->first + from, count, run->values + from * g->size);
        ids &= ~(UINT64_MAX >> (COVEY__BLOCK_IDS - count) << from);
    }
}

static void take_changed(gathering *g, const covey_entity *entities, const covey__listed *run) {
    if (run->neighbours) {
        take_neighbours(g, entities[run->first].index, run);
        return;
    }
    for (uint32_t i = 0; i < run->count; i++)
        if ((changed_from(g, entities[run->first + i].index) & 1) != 0)
            take(g, run->first + i, 1, run->values + i * g->size);
}

uint32_t covey_gather_since_raw(const covey_world *world, const covey_entity *entities, uint32_t count,
                                const covey_type *type, uint64_t tick, void *values, uint32_t *positions) {
    COVEY__NEEDS_ARRAY(world, entities, count);
    const covey_pool *pool = covey__pool_known(world, type);
    if (!pool || covey_pool_count(pool) == 0) return 0;
    if (values) COVEY__USES(world, type, COVEY__ACCESS_READ);
    gathering g = { .size = values ? pool->size : 0, .to = values, .positions = positions };
    if (tick != 0 && pool->type->ticks) g.ticked = pool;
    g.since = tick;
    g.first = COVEY_NONE;
    covey__listing list = covey__listing_of(pool, entities, count);
    for (covey__listed run; covey__listed_next(&list, &run);)
        if (g.ticked) take_changed(&g, entities, &run);
        else take(&g, run.first, run.count, run.values);
    return g.found;
}

uint32_t covey_gather_raw(const covey_world *world, const covey_entity *entities, uint32_t count,
                          const covey_type *type, void *values, uint32_t *positions) {
    return covey_gather_since_raw(world, entities, count, type, 0, values, positions);
}
