/* Which components lookups have to file: a bit for each index. */
#include "observe/filing.h"

#include "memory/alloc.h"
#include "storage/block_store.h"

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
