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
    if (!covey__pages_reach(heap, &filing->changed, index, limit, COVEY__CHANGED_BYTES)) return false;
    if (filing->changed.count <= old) return true;
    uint64_t *pages = covey__resize(heap, filing->pages, old, filing->changed.count, sizeof *pages, alignof(uint64_t));
    if (!pages) {
        covey__pages_drop(heap, &filing->changed, index / COVEY__BLOCK_PAGE, COVEY__CHANGED_BYTES);
        return false;
    }
    memset(pages + old, 0, (filing->changed.count - old) * sizeof *pages);
    filing->pages = pages;
    filing->page_count = filing->changed.count;
    return true;
}

void covey__filing_free(covey_world *world, covey__filing *filing) {
    covey__heap *heap = &world->inner->heap;
    covey__pages_free(heap, &filing->changed, COVEY__CHANGED_BYTES);
    covey__free(heap, filing->pages, filing->page_count, sizeof *filing->pages, alignof(uint64_t));
    covey__free(heap, filing, 1, sizeof *filing, alignof(covey__filing));
}

size_t covey__filing_bytes(const covey__filing *filing) {
    return sizeof *filing + covey__pages_bytes(&filing->changed, COVEY__CHANGED_BYTES) +
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

static covey__open *open_of(covey__filing *filing, const void *loop) {
    for (uint32_t i = 0; i < COVEY__OPEN; i++)
        if (filing->open[i].loop == loop) return &filing->open[i];
    return NULL;
}

void covey__filing_open(const covey_pool *pool, const void *loop, uint32_t first, uint32_t last, uint32_t count) {
    covey__filing *filing = pool->observers->filing;
    covey__open *open = open_of(filing, loop);
    if (!open) open = open_of(filing, NULL);
    if (!open) open = &filing->open[filing->opened++ % COVEY__OPEN];
    filing->any |= COVEY__OPENED;
    if (covey__packed_in(pool)) {
        *open = (covey__open){ loop, covey__position_of(pool, first), count };
        return;
    }
    uint32_t low = (first < last ? first : last) / COVEY__BLOCK_IDS, high = (first < last ? last : first);
    *open = (covey__open){ loop, low * COVEY__BLOCK_IDS, (high / COVEY__BLOCK_IDS + 1 - low) * COVEY__BLOCK_IDS };
}

void covey__filing_close(covey__filing *filing, const void *loop) {
    covey__open *open = open_of(filing, loop);
    if (open) open->loop = NULL;
}

void covey__filing_close_all(covey__filing *filing) {
    for (uint32_t i = 0; i < COVEY__OPEN; i++) filing->open[i].loop = NULL;
}

void covey__filing_forget(covey__filing *filing) {
    for (uint32_t i = 0; i < filing->page_count; i++) {
        if (filing->pages[i] != 0) memset(filing->changed.at[i], 0, COVEY__CHANGED_BYTES);
        filing->pages[i] = 0;
    }
    filing->any = 0;
    filing->some_removed = false;
}

uint32_t covey__open_index(const covey_pool *pool, const covey__open *open, uint32_t number) {
    const covey_sparse_set *set = covey__packed_in(pool);
    uint32_t at = open->first + number;
    if (set && at >= set->end) return COVEY_NONE;
    uint32_t index = covey__index_at(pool, at);
    return covey__has_index(pool, index) && covey__position_of(pool, index) == at ? index : COVEY_NONE;
}

bool covey__filing_has(const covey_pool *pool, uint32_t index) {
    const covey__filing *filing = pool->observers->filing;
    const uint64_t *page = covey__page_at(&filing->changed, index);
    return page && (page[covey__block_of(index)] >> index % COVEY__BLOCK_IDS & 1) != 0;
}
