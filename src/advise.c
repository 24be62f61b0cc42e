/* Which storage would be best for a pool. */
#include "marks.h"
#include "storage.h"

#include <stdio.h>

static covey_advice advice_for(covey_pool *pool) {
    covey_advice advice = {
        .pool = pool,
        .storage = (covey_storage)pool->storage,
        .best = (covey_storage)pool->storage,
        .uses = pool->uses & (COVEY_USE_ORDER | COVEY_USE_STABLE | COVEY_USE_GROUP),
        .bytes = covey_pool_memory(pool),
        .best_bytes = sizeof *pool + covey__storage_bytes_as(pool, (covey_storage)pool->storage),
        .ids = covey__storage_ids(pool),
    };
    if (covey__is_reactive(pool)) advice.best_bytes = advice.bytes; /* what is unused is reserved */
    if ((pool->uses & (COVEY_USE_ORDER | COVEY_USE_GROUP | COVEY__USE_REACTIVE)) != 0) return advice;
    covey_storage other = covey__storage_alternative(pool);
    size_t bytes = sizeof *pool + covey__storage_bytes_as(pool, other);
    if (bytes >= advice.best_bytes) return advice;
    advice.best = other;
    advice.best_bytes = bytes;
    return advice;
}

uint32_t covey_world_advise(const covey_world *world, covey_advice *advice, uint32_t capacity) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    for (uint32_t i = 0; i < world->pool_count && i < capacity; i++) advice[i] = advice_for(world->pools[i]);
    return world->pool_count;
}

int covey_advice_print(char *text, size_t size, const covey_advice *advice) {
    static const char *const names[] = { "DEFAULT", "SPARSE", "BLOCK", "PINNED" };
    const char *type = covey_pool_type(advice->pool)->name, *best = names[advice->best];
    size_t saved = advice->bytes > advice->best_bytes ? advice->bytes - advice->best_bytes : 0;
    if (saved == 0) return snprintf(text, size, "%s: %zu bytes, the least of all storages", type, advice->bytes);
    if (advice->best == advice->storage)
        return snprintf(text, size, "%s: %zu bytes; covey_pool_compact and covey_pool_shrink would save %zu", type,
                        advice->bytes, saved);
    if ((advice->uses & COVEY_USE_STABLE) != 0)
        return snprintf(text, size, "%s: %zu bytes; .storage = COVEY_STORAGE_%s in its type would save %zu", type,
                        advice->bytes, best, saved);
    return snprintf(text, size, "%s: %zu bytes; covey_pool_convert(pool, COVEY_STORAGE_%s) would save %zu", type,
                    advice->bytes, best, saved);
}
