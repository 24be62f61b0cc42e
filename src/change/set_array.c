/* Setting the components of many entities. */
#include "observe/guard.h"
#include "observe/observe.h"
#include "observe/observers.h"
#include "storage/storage_list.h"
#include "observe/tick.h"

/* Whether a value is just bytes, and nobody is told when it is set; ticks do not count. */
static bool is_plain(const covey_pool *pool) {
    const covey__observers *observers = pool->observers;
    return !pool->type->drop && !pool->type->move && !(observers && (observers->listeners.signals & COVEY_ON_SET) != 0);
}

/* Changes in one block that are not noted yet. */
typedef struct noting {
    const covey_pool *pool;
    uint32_t first;
    uint64_t ids;
} noting;

static void note_all(noting *n) {
    if (n->ids != 0) covey__ticks_note_ids(n->pool, n->first, n->ids);
    n->ids = 0;
}

static void note(noting *n, uint32_t index, uint64_t ids) {
    uint32_t first = index - index % COVEY__BLOCK_IDS;
    if (first != n->first) note_all(n);
    n->first = first;
    n->ids |= ids << index % COVEY__BLOCK_IDS;
}

static void note_run(noting *n, const covey_entity *entities, const covey__listed *run) {
    if (run->neighbours) note(n, entities->index, UINT64_MAX >> (COVEY__BLOCK_IDS - run->count));
    for (uint32_t i = 0; !run->neighbours && i < run->count; i++) note(n, entities[i].index, 1);
}

static uint32_t set_plainly(covey_pool *pool, const covey_entity *entities, uint32_t count, const char *values) {
    covey__listing list = covey__listing_of(pool, entities, count);
    noting changes = { .pool = pool };
    uint32_t set = 0;
    for (covey__listed run; covey__listed_next(&list, &run); set += run.count) {
        if (pool->size != 0) covey__copy(run.values, values + run.first * pool->size, run.count * pool->size);
        if (pool->type->ticks) note_run(&changes, entities + run.first, &run);
    }
    note_all(&changes);
    return set;
}

/* Room for what queues are told of all; or nothing is set. */
static bool prepare_all(covey_pool *pool, const covey_entity *entities, uint32_t count) {
    uint32_t there = 0;
    for (uint32_t i = 0; i < count; i++) there += covey_pool_has(pool, entities[i]);
    covey_result result = covey__observers_prepare_set(pool, COVEY_ON_SET, there);
    if (result != COVEY_OK)
        covey__fail(pool->world, result, "%s of %u entities could not be set: %s", pool->type->name, there,
                    covey__reason(result));
    return result == COVEY_OK;
}

/* Listeners may do anything, so that each entity is asked for when its turn comes; and they may use up the room. */
static uint32_t set_each(covey_pool *pool, const covey_entity *entities, uint32_t count, const char *values) {
    uint32_t set = 0;
    if (!prepare_all(pool, entities, count)) return 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = entities[i].index, generation = entities[i].generation;
        if (!covey_pool_has(pool, entities[i])) continue;
        void *to = covey__pool_renew(pool, index, generation);
        if (!to) break;
        covey__storage_move_in(pool, to, values + (size_t)i * pool->size);
        covey__pool_renewed(pool, index, generation);
        set++;
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
    uint32_t set = (is_plain(pool) ? set_plainly : set_each)(pool, entities, count, values);
    COVEY__CHANGED(world);
    return set;
}
