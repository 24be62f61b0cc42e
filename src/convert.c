/* Changing the storage of a pool in a running world: the components are moved to a new one, which then takes the place
 * of the old. */
#include "block_store.h"
#include "pool.h"
#include "result.h"
#include "sparse_set.h"
#include "type.h"
#include "watch.h"

static covey_result place_in_set(covey_pool *to, covey_entity e, void **value) {
    covey_result result = covey__set_prepare(&to->set, e.index, true);
    if (result == COVEY_OK) *value = covey__value_at(&to->set, covey__set_place(&to->set, e, true), to->size);
    return result;
}

static covey_result place_in_blocks(covey_pool *to, covey_entity e, void **value) {
    const void *none = NULL;
    return covey__blocks_place(&to->blocks, e.index, covey__block_limit(to->world), &none, value);
}

static covey_result move_all(const covey_pool *from, covey_pool *to) {
    covey_result result = COVEY_OK;
    if (!covey__in_blocks(to)) result = covey_sparse_set_reserve(&to->set, covey_pool_count(from));
    for (uint32_t at = 0; result == COVEY_OK && (at = covey_pool_next(from, at)) != COVEY_NONE; at++) {
        void *value = NULL;
        result = (covey__in_blocks(to) ? place_in_blocks : place_in_set)(to, covey_pool_at(from, at), &value);
        if (result == COVEY_OK) memcpy(value, covey_pool_value_at_raw(from, at, from->size), from->size);
    }
    return result;
}

/* Frees a storage whose values live elsewhere now, or are still the caller's. */
static void forget(covey_pool *pool) {
    if (!covey__in_blocks(pool)) covey_sparse_set_clear(&pool->set); /* zeroes what is vacated */
    covey__pool_free(pool);
}

static bool is_refused(const covey_pool *pool, covey_storage storage) {
    bool policy = pool->type->policy != COVEY_SWAP_AND_POP;
    if (pool->watch && (pool->watch->is_owned || pool->watch->keeps_order)) return true;
    return (pool->uses & (COVEY_USE_STABLE | COVEY__USE_REACTIVE)) != 0 || (policy && storage != COVEY_STORAGE_SPARSE);
}

covey_result covey_pool_convert(covey_pool *pool, covey_storage storage) {
    covey_result result = COVEY_OK;
    COVEY__COSTLY_CONTRACT(pool->world, !covey__is_cleared(pool), COVEY__IS_CLEARED);
    if (storage == COVEY_STORAGE_DEFAULT) storage = covey__type_storage(pool->type);
    if (storage == (covey_storage)pool->storage) return COVEY_OK;
    covey_pool fresh = *pool;
    if ((uint32_t)storage > COVEY_STORAGE_PINNED) result = COVEY_ERROR_RANGE;
    else if (is_refused(pool, storage)) result = COVEY_ERROR_REFUSED;
    if (result == COVEY_OK) {
        covey__pool_init(&fresh, storage);
        result = move_all(pool, &fresh);
        if (result != COVEY_OK) forget(&fresh);
    }
    if (result != COVEY_OK) {
        covey__fail(pool->world, result, "%s could not change its storage: %s", pool->type->name,
                    covey_result_text(result));
        return result;
    }
    forget(pool);
    *pool = fresh;
    pool->world->moves++;
    covey__pool_mark_all(pool);
    covey__pool_moved(pool, true);
    COVEY__CHANGED(pool->world);
    return COVEY_OK;
}
