/* Changing the storage of a pool in a running world: the components move to a new storage, which then replaces the old
 * one. */
#include "observe/observers.h"
#include "change/pool.h"
#include "memory/result.h"
#include "storage/shortcut_off.h"
#include "storage/storage_place.h"
#include "storage/type.h"

/* Makes places for all components first, then moves the values: move hooks run when nothing can fail any more, and not
 * while some places have no value. */
static covey_result move_components(const covey_pool *from, covey_pool *to) {
    covey_result result = covey__storage_reserve(to, covey_pool_count(from));
    covey__mover mover = covey__storage_set_mover(to, (covey__mover){ NULL, NULL });
    for (uint32_t at = 0; result == COVEY_OK && (at = covey_pool_next(from, at)) != COVEY_NONE; at++) {
        const void *none = NULL;
        void *value = NULL;
        result = covey__storage_place(to, covey_pool_at(from, at), &none, &value);
    }
    for (uint32_t at = 0; result == COVEY_OK && (at = covey_pool_next(from, at)) != COVEY_NONE; at++) {
        uint32_t index = covey_pool_at(from, at).index;
        covey__relocate(&mover, covey__value_of_index(to, index), covey_pool_value_at_raw(from, at), from->size);
    }
    covey__storage_set_mover(to, mover);
    return result;
}

/* Why a pool cannot change its storage; NULL if it can. */
static const char *storage_objection(const covey_pool *pool, covey_storage storage) {
    if (pool->observers && pool->observers->is_owned) return "a group owns it: destroy the group first";
    if (pool->observers && pool->observers->keeps_order)
        return "it is kept sorted: end that with covey_pool_keep_sorted";
    if ((pool->uses & COVEY_USE_STABLE) != 0) return "it was asked for stable addresses";
    if ((pool->uses & COVEY__USE_REACTIVE) != 0) return "it is a reactive set";
    if (pool->type->policy != COVEY_SWAP_AND_POP && !covey__is_packed_in(storage))
        return "its type has a .policy, which only sparse sets have";
    return NULL;
}

covey_result covey_pool_convert(covey_pool *pool, covey_storage storage) {
    COVEY__NEEDS_POOL(pool);
    if (COVEY__IN_HOOK(pool->world)) return COVEY_ERROR_REFUSED;
    covey_result result = COVEY_OK;
    COVEY__COSTLY_CONTRACT(pool->world, !covey__is_cleared(pool), COVEY__IS_CLEARED);
    if (storage == COVEY_STORAGE_DEFAULT) storage = covey__type_storage(pool->type);
    if (storage == (covey_storage)pool->storage) return COVEY_OK;
    covey_pool fresh = *pool;
    const char *why = storage_objection(pool, storage);
    if (!covey__storage_exists(storage)) result = COVEY_ERROR_RANGE;
    else if (why) result = COVEY_ERROR_REFUSED;
    if (result == COVEY_OK) {
        covey__pool_init(&fresh, storage);
        result = move_components(pool, &fresh);
        if (result != COVEY_OK) covey__storage_end(&fresh);
        covey__storage_mark_all(result == COVEY_OK ? &fresh : pool); /* so far, where either of them is */
    }
    if (result != COVEY_OK) {
        covey__fail(pool->world, result, "%s could not change its storage: %s", pool->type->name,
                    result == COVEY_ERROR_RANGE ? "there is no such storage: use a value of covey_storage"
                    : why                       ? why
                                                : covey__reason(result));
        return result;
    }
    covey__storage_end(pool);
    *pool = fresh;
    covey__fast_destroy_off(pool->world);
    covey__values_moved(pool->world);
    covey__pool_moved(pool, true);
    COVEY__CHANGED(pool->world);
    return COVEY_OK;
}
