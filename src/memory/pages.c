/* Tables from an index to its page: of bits, of ticks. */
#include "memory/pages.h"

#include "memory/alloc.h"

#include <stdalign.h>

/* Allocates the page first, so that a pool without pages never has a table. */
void *covey__pages_reach(covey__heap *heap, covey__pages *pages, uint32_t index, uint32_t limit, size_t size) {
    uint32_t number = index / COVEY__BLOCK_PAGE;
    void *page = covey__page_at(pages, index);
    if (page) return page;
    page = covey__resize(heap, NULL, 0, 1, size, alignof(uint64_t));
    if (!page) return NULL;
    void **table = covey__reach(heap, pages->at, &pages->count, number, limit, NULL);
    if (!table) {
        covey__free(heap, page, 1, size, alignof(uint64_t));
        return NULL;
    }
    pages->at = table;
    return table[number] = memset(page, 0, size);
}

void covey__pages_drop(covey__heap *heap, covey__pages *pages, uint32_t number, size_t size) {
    covey__free(heap, pages->at[number], 1, size, alignof(uint64_t));
    pages->at[number] = NULL;
}

void covey__pages_free(covey__heap *heap, covey__pages *pages, size_t size) {
    for (uint32_t i = 0; i < pages->count; i++) covey__pages_drop(heap, pages, i, size);
    covey__free(heap, pages->at, pages->count, sizeof *pages->at, alignof(void *));
    *pages = (covey__pages){ NULL, 0 };
}

size_t covey__pages_bytes(const covey__pages *pages, size_t size) {
    size_t bytes = pages->count * sizeof *pages->at;
    for (uint32_t i = 0; i < pages->count; i++) bytes += pages->at[i] ? size : 0;
    return bytes;
}
