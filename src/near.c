/* Which pools have anything near an entity: for each 64 ids, a bit for each pool. Destroying visits those pools only.
 * Block pools set their bit when a block gets its first id and clear it with the last, so it costs adding and removing
 * nothing. Sparse pools set it where their table has a page, and clear it when that is returned. */
#include "near.h"

#include "alloc.h"

#include <stdalign.h>

#define TABLE_LIMIT ((COVEY_NONE - 1) / COVEY__BLOCK_PAGE + 1)

covey__near_page covey__near_missing; /* has no words; never written */

static size_t bytes_of(size_t words) {
    return sizeof(covey__near_page) + COVEY__PAGE_BLOCKS * words * sizeof(uint64_t);
}

/* A page with more words for each block, and what the old one had. */
static covey__near_page *widened(covey_world *world, const covey__near_page *old, size_t words) {
    covey__near_page *page = covey__resize(&world->heap, NULL, 0, bytes_of(words), 1, alignof(covey__near_page));
    if (!page) return NULL;
    memset(page, 0, bytes_of(words));
    page->words = words;
    for (uint32_t block = 0; block < COVEY__PAGE_BLOCKS; block++)
        if (old->words != 0)
            memcpy(page->bits + block * words, old->bits + block * old->words, old->words * sizeof(uint64_t));
    return page;
}

bool covey__near_reserve(covey_world *world, uint32_t pool, uint32_t index) {
    uint32_t at = index / COVEY__BLOCK_PAGE;
    covey__near_page **pages =
        covey__reach(&world->heap, world->near_pages, &world->near_count, at, TABLE_LIMIT, &covey__near_missing);
    if (!pages) return false;
    world->near_pages = pages;
    if (pages[at]->words <= pool / 64) {
        covey__near_page *old = pages[at], *page = widened(world, old, pool / 64 + 1);
        if (!page) return false;
        if (old != &covey__near_missing)
            covey__free(&world->heap, old, bytes_of(old->words), 1, alignof(covey__near_page));
        pages[at] = page;
    }
    return true;
}

bool covey__near_mark(covey_world *world, uint32_t pool, uint32_t index) {
    if (!covey__near_reserve(world, pool, index)) return false;
    covey__near_set(world, pool, index);
    return true;
}

void covey__near_unmark(covey_world *world, uint32_t pool, uint32_t index) {
    covey__near_page *page = covey__near_page_of(world, index);
    if (page->words > pool / 64)
        page->bits[covey__block_of(index) * page->words + pool / 64] &= ~((uint64_t)1 << pool % 64);
}

void covey__near_unmark_all(covey_world *world, uint32_t pool) {
    for (uint32_t i = 0; i < world->near_count; i++) {
        covey__near_page *page = world->near_pages[i];
        for (uint32_t block = 0; block < COVEY__PAGE_BLOCKS && page->words > pool / 64; block++)
            page->bits[block * page->words + pool / 64] &= ~((uint64_t)1 << pool % 64);
    }
}

void covey__near_free(covey_world *world) {
    for (uint32_t i = 0; i < world->near_count; i++)
        if (world->near_pages[i] != &covey__near_missing)
            covey__free(&world->heap, world->near_pages[i], bytes_of(world->near_pages[i]->words), 1,
                        alignof(covey__near_page));
    covey__free(&world->heap, world->near_pages, world->near_count, sizeof *world->near_pages, alignof(void *));
}

size_t covey__near_bytes(const covey_world *world) {
    size_t bytes = world->near_count * sizeof *world->near_pages;
    for (uint32_t i = 0; i < world->near_count; i++)
        if (world->near_pages[i] != &covey__near_missing) bytes += bytes_of(world->near_pages[i]->words);
    return bytes;
}
