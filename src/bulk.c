/* Adding to many entities at once, all or nothing. A sparse set claims every index before the first value moves; a
 * block store places one after the other and takes them out again when one cannot be. */
#include "pool.h"
#include "result.h"
#include "signal.h"
#include "sparse_set.h"
#include "storage.h"
#include "type.h"
#include "watch.h"

/* Copies through the hook where there is one. */
static bool copy_value(const covey_type *type, void *to, const void *from) {
    if (type->copy && from) return type->copy(to, from, type->context);
    covey__fill(to, from, type->size);
    return true;
}

/* Takes out what was placed; values that were made are dropped, others are still the caller's. */
static void take_back_blocks(covey_pool *pool, const covey_entity *entities, uint32_t count, bool copies) {
    while (count-- != 0) {
        if (copies) covey__pool_drop(pool, entities[count]);
        covey__pool_erase(pool, entities[count]);
    }
}

static covey_result place_in_blocks(covey_pool *pool, const covey_entity *entities, uint32_t count, const void *from,
                                    size_t stride, bool copies) {
    covey_result result = covey__watch_prepare_many(pool, entities, count); /* watchers hear of all in the end */
    for (uint32_t i = 0; i < count && result == COVEY_OK; i++) {
        void *to = NULL;
        result = covey__pool_place(pool, entities[i], &from, &to);
        if (result == COVEY_OK) {
            const void *value = from ? (const char *)from + i * stride : NULL;
            if (!copies) covey__fill(to, value, pool->blocks.size);
            else if (!copy_value(pool->type, to, value)) {
                covey__pool_erase(pool, entities[i]);
                result = COVEY_ERROR_COPY;
            }
        }
        if (result != COVEY_OK) take_back_blocks(pool, entities, i, copies);
    }
    return result;
}

/* Puts the claimed entities in, `stride` bytes apart in `from`; takes all out again when a copy fails. */
static covey_result place_claimed(covey_pool *pool, const covey_entity *entities, uint32_t count, const char *from,
                                  size_t stride, bool copies) {
    covey_sparse_set *set = &pool->set;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = covey__set_place(set, entities[i], true);
        COVEY__TRACE(pool->added, entities[i].index);
        void *to = covey__value_at(set, at, set->size);
        const void *value = from ? from + i * stride : NULL;
        if (!copies) covey__fill(to, value, set->size);
        else if (!copy_value(pool->type, to, value)) {
            covey__set_unplace(set, entities[i]);
            covey__set_release(set, entities + i + 1, count - i - 1);
            while (i-- != 0) {
                covey__pool_drop(pool, entities[i]);
                covey__set_unplace(set, entities[i]);
            }
            return COVEY_ERROR_COPY;
        }
    }
    return COVEY_OK;
}

static covey_result place_in_set(covey_pool *pool, const covey_entity *entities, uint32_t count, const void *from,
                                 size_t stride, bool copies) {
    covey__source source = covey__set_source(&pool->set, from);
    covey_result result = COVEY_OK;
    for (uint32_t i = 0; i < count && result == COVEY_OK; i++)
        if (!covey__storage_mark_page(pool, entities[i].index)) result = COVEY_ERROR_MEMORY;
    if (result == COVEY_OK) result = covey__watch_prepare_many(pool, entities, count);
    if (result == COVEY_OK) result = covey__set_claim(&pool->set, entities, count);
    if (result != COVEY_OK) {
        for (uint32_t i = 0; i < count; i++) covey__storage_unmark_page(pool, entities[i].index);
        return result;
    }
    return place_claimed(pool, entities, count, covey__set_resolve(&pool->set, &source), stride, copies);
}

static bool add_many(covey_world *world, const covey_entity *entities, uint32_t count, const covey_type *type,
                     const void *values, size_t size, bool copies) {
    COVEY__CONTRACT(NULL, world && type, "a call needs a world and a type");
    for (uint32_t i = 0; i < count; i++) {
        if (covey__takes_components(world, entities[i])) continue;
        covey__fail(world, COVEY_ERROR_DEAD, "entity %u of %u is not alive", i, count);
        return false;
    }
    covey_pool *pool = covey_pool_of_raw(world, type);
    if (!pool) return false;
    COVEY__CONTRACT(world, size == pool->size, "the size is not that of the type");
    covey_result result = COVEY_OK;
    if (copies && !covey__type_can_copy(pool->type)) result = COVEY_ERROR_COPY;
    bool block = covey__in_blocks(pool);
    if (result == COVEY_OK)
        result = (block ? place_in_blocks : place_in_set)(pool, entities, count, values, copies ? 0 : size, copies);
    if (result != COVEY_OK)
        covey__fail(world, result, "%s could not be added to %u entities: %s", pool->type->name, count,
                    covey_result_text(result));
    for (uint32_t i = 0; i < count && pool->watch && result == COVEY_OK; i++)
        covey__watch_added(pool, entities[i].index);
    if (pool->watch && result == COVEY_OK) covey__emit(world, pool, COVEY_ON_ADD, entities, count);
    COVEY__CHANGED(pool->world);
    return result == COVEY_OK;
}

bool covey_add_array_raw(covey_world *world, const covey_entity *entities, uint32_t count, const covey_type *type,
                         const void *values, size_t size) {
    return add_many(world, entities, count, type, values, size, false);
}

bool covey_add_copies_raw(covey_world *world, const covey_entity *entities, uint32_t count, const covey_type *type,
                          const void *value, size_t size) {
    return add_many(world, entities, count, type, value, size, true);
}
