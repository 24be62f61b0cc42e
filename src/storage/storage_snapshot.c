/* Saves and restores the storage of a pool, of any kind. */
#include "storage/storage_snapshot.h"

#include "storage/block_store.h"
#include "storage/marks.h"
#include "storage/storage.h"

void covey__storage_snapshot_visit(covey__unit_store *store, covey__storage_snapshot *snapshot, covey__units_fn *visit,
                                   void *context) {
    visit(store, &snapshot->forms, context);
    covey__set_snapshot_visit(store, &snapshot->set, visit, context);
    visit(store, &snapshot->values, context);
}

uint32_t covey__storage_snapshot_next(const covey__storage_snapshot *snapshot, uint64_t *from) {
    if (!covey__is_packed_in(snapshot->kind)) return covey__forms_next(&snapshot->forms, from);
    while (*from < snapshot->set.end) {
        covey_entity e = covey__set_snapshot_at(&snapshot->set, (uint32_t)(*from)++);
        if (e.generation != 0) return e.index;
    }
    return COVEY_NONE;
}

uint32_t covey__storage_unit_size(const covey_pool *pool) {
    return covey__in_blocks(pool) ? COVEY__UNIT_BLOCKS * COVEY__BLOCK_IDS : COVEY__UNIT;
}

/* ---- Saving ------------------------------------------------------------------------------------------------------*/

static bool save_blocks(covey__unit_store *store, const covey_pool *pool, bool bytes,
                        const covey__storage_snapshot *before, covey__storage_snapshot *snapshot) {
    uint32_t pages = pool->blocks.page_count, units = pool->size != 0 ? pages * COVEY__UNITS_OF_PAGE : 0;
    if (!covey__units_create(store, &snapshot->forms, pages)) return false;
    if (!covey__units_create(store, &snapshot->values, units)) return false;
    return covey__blocks_save(store, &pool->blocks, &before->forms, &snapshot->forms, &before->values,
                              bytes && units != 0 ? &snapshot->values : NULL);
}

static bool save_set(covey__unit_store *store, const covey_pool *pool, bool bytes,
                     const covey__storage_snapshot *before, covey__storage_snapshot *snapshot) {
    uint32_t size = pool->size != 0 ? covey_sparse_set_position_count(&pool->set) : 0;
    if (!covey__set_save(store, &pool->set, &before->set, &snapshot->set)) return false;
    if (!covey__units_create(store, &snapshot->values, covey__parts_of(size, COVEY__UNIT))) return false;
    return !bytes || covey__set_save_values(store, &pool->set, &before->values, &snapshot->values);
}

bool covey__storage_save(covey__unit_store *store, const covey_pool *pool, bool bytes,
                         const covey__storage_snapshot *before, covey__storage_snapshot *snapshot) {
    snapshot->kind = (covey_storage)pool->storage;
    snapshot->count = covey_pool_count(pool);
    if (covey__in_blocks(pool)) return save_blocks(store, pool, bytes, before, snapshot);
    return save_set(store, pool, bytes, before, snapshot);
}

/* ---- Restoring ---------------------------------------------------------------------------------------------------*/

covey_result covey__storage_prepare_restore(covey__heap *heap, covey__storage_plan *plan, covey_pool *pool,
                                            const covey__storage_snapshot *snapshot) {
    if (covey__in_blocks(pool)) return covey__blocks_prepare_restore(heap, &plan->blocks, pool, &snapshot->forms);
    return covey__set_prepare_restore(heap, &plan->set, &pool->set, pool, &snapshot->set);
}

void covey__storage_restore(covey__copier *copier, const covey__storage_plan *plan, covey_pool *pool, bool bytes,
                            const covey__storage_snapshot *snapshot) {
    if (covey__in_blocks(pool)) {
        covey__blocks_restore(pool, &plan->blocks, &snapshot->forms, snapshot->count);
        if (bytes) covey__blocks_restore_values(copier, &pool->blocks, &snapshot->values);
    } else {
        covey__set_restore(&pool->set, &plan->set, &snapshot->set);
        if (bytes) covey__set_restore_values(copier, &pool->set, &snapshot->values);
    }
}

void covey__storage_undo_prepare(covey__storage_plan *plan, covey_pool *pool) {
    covey__block_plan_return(&plan->blocks, &pool->blocks);
}

void covey__storage_plan_free(covey__heap *heap, covey__storage_plan *plan) {
    covey__set_plan_free(heap, &plan->set);
    covey__block_plan_free(heap, &plan->blocks);
}

/* ---- Marks -------------------------------------------------------------------------------------------------------*/

covey_result covey__marks_prepare_restore(covey_pool *tags, const covey__storage_snapshot *snapshot) {
    covey_result result = COVEY_OK;
    for (uint32_t page = 0; page < snapshot->forms.count && result == COVEY_OK; page++)
        if (snapshot->forms.at[page]) result = covey__reactive_reserve(tags, page * COVEY__BLOCK_PAGE);
    return result;
}

void covey__marks_restore(covey_pool *tags, const covey__storage_snapshot *snapshot) {
    covey__block_store *blocks = &tags->blocks;
    for (uint32_t i = 0; i < blocks->page_count; i++) {
        covey__block_page *page = blocks->pages[i];
        if (!covey__blocks_have_page(blocks, i)) continue;
        memcpy(page->masks, covey__form_masks(&snapshot->forms, i), sizeof page->masks);
        page->summary = 0;
        for (uint32_t block = 0; block < COVEY__PAGE_BLOCKS; block++)
            page->summary |= (uint64_t)(page->masks[block] != 0) << block;
    }
    blocks->count = snapshot->count;
}
