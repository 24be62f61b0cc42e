/* Tables from an index to its page of COVEY__BLOCK_PAGE indices: of bits, of ticks. */
#ifndef COVEY_PAGES_H
#define COVEY_PAGES_H

#include <covey/covey.h>

typedef struct covey__pages {
    void **at; /* NULL for missing pages */
    uint32_t count;
} covey__pages;

static inline void *covey__page_at(const covey__pages *pages, uint32_t index) {
    return index / COVEY__BLOCK_PAGE < pages->count ? pages->at[index / COVEY__BLOCK_PAGE] : NULL;
}

/* The page of an index; a missing one is added, with zeros. The table has at most `limit` pages. NULL when an
 * allocation fails. */
void *covey__pages_reach(covey__heap *heap, covey__pages *pages, uint32_t index, uint32_t limit, size_t size);
void covey__pages_drop(covey__heap *heap, covey__pages *pages, uint32_t number, size_t size); /* one page */
void covey__pages_free(covey__heap *heap, covey__pages *pages, size_t size);
size_t covey__pages_bytes(const covey__pages *pages, size_t size);

#endif
