/* Which components lookups have to file: a bit for each index. */
#include "observe/filing.h"

#include "memory/alloc.h"
#include "storage/sparse_set.h"
#include "storage/storage.h"

#include <stdalign.h>

bool covey__filing_reach(covey_world *world, covey__filing *filing, uint32_t index) {
    covey__heap *heap = &world->inner->heap;
    uint32_t limit = covey__block_limit(world), old = filing->page_count;
    if (covey__page_at(&filing->changed, index)) return true;
    if (!covey__pages_reach(heap, &filing->changed, index, limit, sizeof(covey__changed_page))) return false;
    if (filing->changed.count <= old) return true;
    uint64_t *pages = covey__resize(heap, filing->pages, old, filing->changed.count, sizeof *pages, alignof(uint64_t));
    if (!pages) {
        covey__pages_drop(heap, &filing->changed, index / COVEY__BLOCK_PAGE, sizeof(covey__changed_page));
        return false;
    }
    memset(pages + old, 0, (filing->changed.count - old) * sizeof *pages);
    filing->pages = pages;
    filing->page_count = filing->changed.count;
    return true;
}

void covey__filing_free(covey_world *world, covey__filing *filing) {
    covey__heap *heap = &world->inner->heap;
    covey__pages_free(heap, &filing->changed, sizeof(covey__changed_page));
    covey__free(heap, filing->pages, filing->page_count, sizeof *filing->pages, alignof(uint64_t));
    covey__free(heap, filing, 1, sizeof *filing, alignof(covey__filing));
}

size_t covey__filing_bytes(const covey__filing *filing) {
    return sizeof *filing + covey__pages_bytes(&filing->changed, sizeof(covey__changed_page)) +
           filing->page_count * sizeof *filing->pages;
}

/* ---- Noting ------------------------------------------------------------------------------------------------------*/

void covey__filing_note_all(const covey_pool *pool) {
    uint64_t index = 0, mask;
    while ((mask = covey__storage_next_mask(pool, &index)) != 0) {
        covey__filing_note(pool->observers->filing, (uint32_t)index, mask, false);
        index += COVEY__BLOCK_IDS;
    }
}

/* ---- Open rows ---------------------------------------------------------------------------------------------------*/

/* Whether values may have left the positions. */
static bool has_moved(const covey_pool *pool, const covey__open *open) {
    return open->positions && (!covey__packed_in(pool) || open->shifts != pool->world->shifts);
}

void covey__filing_forget(covey__filing *filing) {
    for (uint32_t i = 0; i < filing->page_count; i++) {
        covey__changed_page *page = filing->pages[i] != 0 ? filing->changed.at[i] : NULL;
        for (uint32_t k = page ? covey__next_changed(page, 0) : COVEY__PAGE_BLOCKS; k < COVEY__PAGE_BLOCKS;
             k = covey__next_changed(page, k + 1)) {
            page->ids[k] = 0;
            page->blocks[k] = 0;
        }
        filing->pages[i] = 0;
    }
    filing->any = 0;
    filing->some_removed = false;
}

uint32_t covey__open_index(const covey_pool *pool, const covey__open *open, uint32_t number) {
    uint32_t at = open->first + number;
    if (!open->positions) return covey__has_index(pool, at) ? at : COVEY_NONE;
    if (at >= covey__packed_in(pool)->end) return COVEY_NONE;
    uint32_t index = covey__index_at(pool, at);
    return covey__has_index(pool, index) && covey__position_of(pool, index) == at ? index : COVEY_NONE;
}

/* Marks what may have been written after it was filed. */
static void close(const covey_pool *pool, covey__open *open) {
    bool marks = open->loop && open->filed, all = marks && has_moved(pool, open);
    if (all) covey__filing_note_all(pool);
    for (uint32_t i = 0; marks && !all && i < open->count; i++) {
        uint32_t index = covey__open_index(pool, open, i);
        uint64_t bit = (uint64_t)1 << index % COVEY__BLOCK_IDS;
        if (index != COVEY_NONE) covey__filing_note(pool->observers->filing, index, bit, false);
    }
    open->loop = NULL;
    open->turn = 0;
}

/* The rows of a loop; or those to replace, if it has none. */
static covey__open *open_for(covey__filing *filing, const void *loop) {
    covey__open *oldest = filing->open;
    for (uint32_t i = 0; i < COVEY__OPEN; i++) {
        covey__open *open = &filing->open[i];
        if (open->loop == loop) return open;
        if (open->turn < oldest->turn) oldest = open;
    }
    return oldest;
}

/* The position of a single row may change while the loop goes on: so it is an index in any pool. */
void covey__filing_open(const covey_pool *pool, const void *loop, uint32_t first, uint32_t last, uint32_t count) {
    covey__filing *filing = pool->observers->filing;
    covey__open *open = open_for(filing, loop);
    close(pool, open);
    filing->any |= COVEY__OPENED;
    *open = (covey__open){ .loop = loop, .turn = ++filing->turns, .first = first, .count = count };
    if (count == 1) return;
    if (covey__packed_in(pool)) {
        open->positions = true;
        open->shifts = pool->world->shifts;
        open->first = covey__position_of(pool, first);
        return;
    }
    uint32_t low = (first < last ? first : last) / COVEY__BLOCK_IDS, high = (first < last ? last : first);
    open->first = low * COVEY__BLOCK_IDS;
    open->count = (high / COVEY__BLOCK_IDS + 1 - low) * COVEY__BLOCK_IDS;
}

void covey__filing_close(const covey_pool *pool, const void *loop) {
    covey__open *open = open_for(pool->observers->filing, loop);
    if (open->loop == loop) close(pool, open);
}

void covey__filing_close_all(const covey_pool *pool) {
    for (uint32_t i = 0; i < COVEY__OPEN; i++) close(pool, &pool->observers->filing->open[i]);
}

void covey__filing_close_moved(const covey_pool *pool) {
    for (uint32_t i = 0; i < COVEY__OPEN; i++) {
        covey__open *open = &pool->observers->filing->open[i];
        if (!open->loop || !has_moved(pool, open)) continue;
        open->filed = true;
        close(pool, open);
    }
}

bool covey__filing_is_open(const covey_pool *pool, uint32_t index) {
    for (uint32_t i = 0; i < COVEY__OPEN; i++) {
        const covey__open *open = &pool->observers->filing->open[i];
        uint32_t at = open->positions && covey__packed_in(pool) ? covey__position_of(pool, index) : index;
        if (open->loop && (has_moved(pool, open) || at - open->first < open->count)) return true;
    }
    return false;
}

bool covey__filing_has(const covey_pool *pool, uint32_t index) {
    const covey__filing *filing = pool->observers->filing;
    const covey__changed_page *page = covey__page_at(&filing->changed, index);
    return page && (page->ids[covey__block_of(index)] >> index % COVEY__BLOCK_IDS & 1) != 0;
}
