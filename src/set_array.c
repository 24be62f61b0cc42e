/* Setting the components of many entities. */
#include "bits.h"
#include "guard.h"
#include "observers.h"
#include "storage.h"
#include "storage_write.h"
#include "tick.h"
#include "unchecked.h"

/* Whether a value is just bytes, and nobody is told when it is set; ticks do not count. */
static bool is_plain(const covey_pool *pool) {
    const covey__observers *observers = pool->observers;
    return !pool->type->drop && !pool->type->move && !(observers && (observers->listeners.signals & COVEY_ON_SET) != 0);
}

static uint32_t set_plainly(covey_pool *pool, const covey_entity *entities, uint32_t count, const char *values) {
    uint32_t set = 0;
    for (uint32_t i = 0; i < count;) {
        covey__stretch stretch = covey__next_stretch(pool->world, entities + i, count - i);
        if (stretch.count == 0) {
            i++;
            continue;
        }
        uint64_t found = covey__storage_write(pool, entities + i, stretch, values + (size_t)i * pool->size);
        if (found != 0 && pool->type->ticks)
            covey__ticks_note_ids(pool, entities[i].index / COVEY__BLOCK_IDS * COVEY__BLOCK_IDS, found);
        set += covey__bits_in(found);
        i += stretch.count;
    }
    return set;
}

/* Listeners may do anything, so that each entity is asked for when its turn comes. */
static uint32_t set_each(covey_pool *pool, const covey_entity *entities, uint32_t count, const char *values) {
    uint32_t set = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = entities[i].index, generation = entities[i].generation;
        void *to = covey_pool_has(pool, entities[i]) ? covey__pool_renew(pool, index, generation) : NULL;
        if (!to) continue; /* or there is no memory to tell a queue of it */
        covey__storage_move_in(pool, to, values + (size_t)i * pool->size);
        covey__pool_renewed(pool, index, generation);
        set++;
    }
    return set;
}

uint32_t covey_set_array_raw(covey_world *world, const covey_entity *entities, uint32_t count, const covey_type *type,
                             const void *values) {
    COVEY__CONTRACT(NULL, world && type, "a call needs a world and a type");
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
