/* The values of many entities in one array: gathering copies them to an array, all values or those that changed since a
 * tick; setting copies them from an array. */
#include "change/pool.h"
#include "memory/bits.h"
#include "observe/guard.h"
#include "observe/notify.h"
#include "observe/observers.h"
#include "observe/signal.h"
#include "storage/storage_list.h"
#include "observe/tick.h"
#include "storage/type.h"

/* ---- Gathering ---------------------------------------------------------------------------------------------------*/

/* What was found so far. */
typedef struct gathering {
    size_t size; /* of a value; 0 if no values are copied */
    char *to;
    uint32_t *positions; /* in the list of entities; or NULL */
    uint32_t found;
    const covey_pool *ticked; /* NULL: all values are copied */
    uint64_t since;
    uint32_t first; /* the first index of the block that was asked last */
    uint64_t ids;   /* its ids that changed since that tick */
} gathering;

static void copy_run(gathering *g, uint32_t first, uint32_t count, const char *values) {
    if (g->size != 0) covey__copy(g->to + g->found * g->size, values, count * g->size);
    for (uint32_t i = 0; g->positions && i < count; i++) g->positions[g->found + i] = first + i;
    g->found += count;
}

/* Which ids of a block changed, from this index on: bit 0 is the index itself. */
static uint64_t changed_from(gathering *g, uint32_t index) {
    uint32_t first = index - index % COVEY__BLOCK_IDS;
    if (first != g->first) g->ids = covey__ticks_since(g->ticked, first, UINT64_MAX, g->since);
    g->first = first;
    return g->ids >> index % COVEY__BLOCK_IDS;
}

/* Copies the changed values of entities with consecutive indices, in runs. */
static void copy_changed_neighbours(gathering *g, uint32_t index, const covey__listed *run) {
    uint64_t ids = changed_from(g, index) & UINT64_MAX >> (COVEY__BLOCK_IDS - run->count);
    while (ids != 0) {
        uint32_t from = covey__lowest_bit(ids), count = covey__ones_from(ids, from);
        copy_run(g, run->first + from, count, run->values + from * g->size);
        ids &= ~(UINT64_MAX >> (COVEY__BLOCK_IDS - count) << from);
    }
}

static void copy_changed(gathering *g, const covey_entity *entities, const covey__listed *run) {
    if (run->neighbours) {
        copy_changed_neighbours(g, entities[run->first].index, run);
        return;
    }
    for (uint32_t i = 0; i < run->count; i++)
        if ((changed_from(g, entities[run->first + i].index) & 1) != 0)
            copy_run(g, run->first + i, 1, run->values + i * g->size);
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
        if (g.ticked) copy_changed(&g, entities, &run);
        else copy_run(&g, run.first, run.count, run.values);
    return g.found;
}

uint32_t covey_gather_raw(const covey_world *world, const covey_entity *entities, uint32_t count,
                          const covey_type *type, void *values, uint32_t *positions) {
    return covey_gather_since_raw(world, entities, count, type, 0, values, positions);
}

/* ---- Setting -----------------------------------------------------------------------------------------------------*/

/* Whether setting copies bytes, and calls nothing that may change the world. Old values may be dropped, ticks noted,
 * and entities marked in reactive sets. */
static bool sets_plainly(const covey_pool *pool) {
    const covey__observers *observers = pool->observers;
    bool heard = observers && (observers->listeners.signals & COVEY_ON_SET) != 0;
    if (pool->type->move) return false;
    return !heard || (pool->uses & COVEY__USE_MARK_ON_SET) != 0;
}

/* The changed ids of one block, until their ticks are noted together. */
typedef struct noting {
    const covey_pool *pool;
    uint32_t first;
    uint64_t ids;
} noting;

static void note_block(noting *n) {
    if (n->ids != 0) covey__ticks_note_ids(n->pool, n->first, n->ids);
    n->ids = 0;
}

static void note_ids(noting *n, uint32_t index, uint64_t ids) {
    uint32_t first = index - index % COVEY__BLOCK_IDS;
    if (first != n->first) note_block(n);
    n->first = first;
    n->ids |= ids << index % COVEY__BLOCK_IDS;
}

static void note_run(noting *n, const covey_entity *entities, const covey__listed *run) {
    if (run->neighbours) note_ids(n, entities->index, UINT64_MAX >> (COVEY__BLOCK_IDS - run->count));
    for (uint32_t i = 0; !run->neighbours && i < run->count; i++) note_ids(n, entities[i].index, 1);
}

static void drop_run(const covey_pool *pool, const covey__listed *run) {
    for (uint32_t i = 0; i < run->count; i++) covey__pool_drop_value(pool, run->values + i * pool->size);
}

static uint32_t set_plainly(covey_pool *pool, const covey_entity *entities, uint32_t count, const char *values) {
    covey__listing list = covey__listing_of(pool, entities, count);
    noting changes = { .pool = pool };
    bool marks = (pool->uses & COVEY__USE_MARK_ON_SET) != 0;
    uint32_t set = 0;
    for (covey__listed run; covey__listed_next(&list, &run); set += run.count) {
        if (pool->type->drop) drop_run(pool, &run);
        if (pool->size != 0) covey__copy(run.values, values + run.first * pool->size, run.count * pool->size);
        if (pool->type->ticks) note_run(&changes, entities + run.first, &run);
        for (uint32_t i = 0; i < run.count && marks; i++) covey__pool_mark_set(pool, entities[run.first + i].index);
    }
    note_block(&changes);
    return set;
}

/* Makes room in queues for the events of all entities. If that fails, nothing is set. */
static bool prepare_sets(covey_pool *pool, const covey_entity *entities, uint32_t count) {
    uint32_t there = 0;
    if (!pool->observers || (pool->observers->listeners.queued & COVEY_ON_SET) == 0) return true;
    for (uint32_t i = 0; i < count; i++) there += covey_pool_has(pool, entities[i]);
    covey_result result = covey__observers_prepare_set(pool, COVEY_ON_SET, there);
    if (result != COVEY_OK)
        covey__fail(pool->world, result, "%s of %u entities could not be set: %s", pool->type->name, there,
                    covey__reason(result));
    return result == COVEY_OK;
}

/* Looks each entity up when its turn comes, because listeners are re-entrant; they may also use up the room. */
static uint32_t set_and_call(covey_pool *pool, const covey_entity *entities, uint32_t count, const char *values) {
    covey__emission emission;
    uint32_t set = 0;
    if (!prepare_sets(pool, entities, count)) return 0;
    covey__series_begin(&emission, pool, COVEY_ON_SET);
    for (uint32_t i = 0; i < count; i++) {
        if (!covey_pool_has(pool, entities[i])) continue;
        if (!covey__may_be_set(pool, COVEY_ON_SET, entities[i])) break;
        covey__pool_drop(pool, entities[i]);
        void *to = covey__value_of_index(pool, entities[i].index);
        covey__storage_move_in(pool, to, values + (size_t)i * pool->size);
        if (pool->type->ticks) covey__ticks_note(pool, entities[i].index);
        bool called = covey__series_set(&emission, &entities[i]);
        if (called && !covey_pool_has(pool, entities[i])) covey__found_again(pool, entities[i]);
        COVEY__CHANGED(pool->world);
        set++;
    }
    covey__series_end(&emission);
    return set;
}

static bool calls_functions(const covey_pool *pool) {
    return pool->observers && (pool->observers->listeners.called & COVEY_ON_SET) != 0;
}

/* For values that a function moves, and for what is only recorded in queues and reactive sets. */
static uint32_t set_and_record(covey_pool *pool, const covey_entity *entities, uint32_t count, const char *values) {
    covey__listing list = covey__listing_of(pool, entities, count);
    uint32_t set = 0;
    covey__check_set(pool, COVEY_ON_SET);
    if (!prepare_sets(pool, entities, count)) return 0;
    for (covey__listed run; covey__listed_next(&list, &run); set += run.count)
        for (uint32_t i = 0; i < run.count; i++) {
            char *value = run.values + i * pool->size;
            if (pool->type->drop) covey__pool_drop_value(pool, value);
            if (pool->size != 0) covey__storage_move_in(pool, value, values + (size_t)(run.first + i) * pool->size);
            covey__observers_after_set(pool, COVEY_ON_SET, entities[run.first + i]);
        }
    return set;
}

uint32_t covey_set_array_raw(covey_world *world, const covey_entity *entities, uint32_t count, const covey_type *type,
                             const void *values) {
    COVEY__CONTRACT(NULL, world && type, "a call needs a world and a type");
    COVEY__NEEDS_ARRAY(world, entities, count);
    COVEY__USES(world, type, COVEY__ACCESS_WRITE);
    if (COVEY__IN_HOOK(world)) return 0;
    covey_pool *pool = covey__pool_known(world, type);
    if (!pool || count == 0) return 0;
    COVEY__CONTRACT(world, values || pool->size == 0, "an array needs values");
    if (!values) values = ""; /* of a tag: none of its bytes is read */
    uint32_t set = (sets_plainly(pool)      ? set_plainly
                    : calls_functions(pool) ? set_and_call
                                            : set_and_record)(pool, entities, count, values);
    COVEY__CHANGED(world);
    return set;
}
