/* Room for components that several entities are about to get: all that can fail comes before any of them has its value,
 * so that a call which adds to several pools is all or nothing. */
#include "room.h"

#include "pool.h"
#include "sparse_set.h"
#include "storage.h"
#include "watch.h"

static void unmark_pages(covey_pool *pool, const covey_entity *to, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) covey__storage_unmark_page(pool, to[i].index);
}

/* New entities often follow each other: one mark does for all of a page. */
static covey_result mark_pages(covey_pool *pool, const covey_entity *to, uint32_t count) {
    for (uint32_t i = 0, marked = COVEY_NONE; i < count; i++) {
        if (to[i].index / COVEY_PAGE_SIZE == marked) continue;
        if (!covey__storage_mark_page(pool, to[i].index)) return COVEY_ERROR_MEMORY;
        marked = to[i].index / COVEY_PAGE_SIZE;
    }
    return COVEY_OK;
}

/* What is appended is claimed. */
static bool goes_to_back(const covey_sparse_set *set, bool append) { return append || set->policy != COVEY_IN_PLACE; }

static covey_result prepare_set(covey_pool *pool, const covey_entity *to, uint32_t count, bool append) {
    covey_sparse_set *set = &pool->set;
    covey_result result = mark_pages(pool, to, count);
    if (result == COVEY_OK) result = covey__watch_prepare_copies(pool, to, count);
    if (result == COVEY_OK)
        result =
            append ? covey__set_claim(set, to, count) : covey__set_prepare(set, to->index, goes_to_back(set, append));
    if (result == COVEY_OK) return COVEY_OK;
    unmark_pages(pool, to, count);
    covey__pool_moved(pool, false); /* one of the arrays may have grown */
    return result;
}

static void erase(covey_pool *pool, const covey_entity *to, uint32_t count) {
    while (count-- != 0) covey__pool_erase(pool, to[count]);
}

static covey_result place_in_block(covey_pool *pool, covey_entity e) {
    const void *none = NULL;
    bool reached = e.index / COVEY__BLOCK_PAGE < pool->blocks.page_count;
    void *value = reached ? covey__block_append(&pool->blocks, e.index, pool->size) : NULL;
    if (!value) return covey__pool_place(pool, e, &none, &value);
    COVEY__TRACE(pool->added, e.index);
    return COVEY_OK;
}

/* Blocks have no room to make but the place itself. */
static covey_result prepare_blocks(covey_pool *pool, const covey_entity *to, uint32_t count) {
    covey_result result = covey__watch_prepare_copies(pool, to, count);
    for (uint32_t i = 0; i < count && result == COVEY_OK; i++) {
        result = place_in_block(pool, to[i]);
        if (result != COVEY_OK) erase(pool, to, i);
    }
    return result;
}

covey_result covey__room_make(covey_pool *pool, const covey_entity *to, uint32_t count, bool append) {
    if (covey__in_blocks(pool)) return prepare_blocks(pool, to, count);
    return prepare_set(pool, to, count, append);
}

void covey__room_forget(covey_pool *pool, const covey_entity *to, uint32_t count, bool append) {
    if (covey__in_blocks(pool)) {
        erase(pool, to, count);
        return;
    }
    if (append) covey__set_release(&pool->set, to, count);
    unmark_pages(pool, to, count);
}

void *covey__room_take(covey_pool *pool, covey_entity e, bool append) {
    covey_sparse_set *set = &pool->set;
    if (covey__in_blocks(pool)) return covey__value_of_index(pool, e.index);
    COVEY__TRACE(pool->added, e.index);
    return covey__value_at(set, covey__set_place(set, e, goes_to_back(set, append)), set->size);
}
