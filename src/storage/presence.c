/* The presence index: for each block of 64 ids, a bit for each pool that has anything there. Destroying visits only
 * those pools. Block pools set their bit when a block gets its first id and clear it with the last, so that other adds
 * and removals cost nothing more. Sparse pools set it where their table has a page, and clear it when the page is
 * freed. */
#include "storage/presence.h"

#include "memory/inner.h"
#include "memory/alloc.h"

#include <stdalign.h>

#define TABLE_LIMIT ((COVEY_NONE - 1) / COVEY__BLOCK_PAGE + 1)

const covey__presence_page covey__presence_none;

static size_t page_bytes(size_t words) {
    return sizeof(covey__presence_page) + COVEY__PAGE_BLOCKS * words * sizeof(uint64_t);
}

/* Copies a page into one with more words for each block. */
static covey__presence_page *widened(covey_world *world, const covey__presence_page *old, size_t words) {
    covey__presence_page *page =
        covey__resize(&world->inner->heap, NULL, 0, page_bytes(words), 1, alignof(covey__presence_page));
    if (!page) return NULL;
    memset(page, 0, page_bytes(words));
    page->words = words;
    for (uint32_t block = 0; block < COVEY__PAGE_BLOCKS; block++)
        if (old->words != 0)
            memcpy(page->bits + block * words, old->bits + block * old->words, old->words * sizeof(uint64_t));
    return page;
}

bool covey__presence_has_room(const covey_world *world, uint32_t pool, uint32_t index) {
    return pool / 64 < covey__presence_page_of(world, index)->words;
}

bool covey__presence_has(const covey_world *world, uint32_t pool, uint32_t index) {
    const covey__presence_page *page = covey__presence_page_of(world, index);
    if (pool / 64 >= page->words) return false;
    return (page->bits[covey__block_of(index) * page->words + pool / 64] >> pool % 64 & 1) != 0;
}

bool covey__presence_reserve(covey_world *world, uint32_t pool, uint32_t index) {
    uint32_t at = index / COVEY__BLOCK_PAGE;
    covey__presence_page **pages =
        covey__reach(&world->inner->heap, world->inner->presence_pages, &world->inner->presence_count, at, TABLE_LIMIT,
                     covey__presence_missing);
    if (!pages) return false;
    world->inner->presence_pages = pages;
    if (pages[at]->words <= pool / 64) {
        covey__presence_page *old = pages[at], *page = widened(world, old, pool / 64 + 1);
        if (!page) return false;
        if (old != covey__presence_missing)
            covey__free(&world->inner->heap, old, page_bytes(old->words), 1, alignof(covey__presence_page));
        pages[at] = page;
    }
    return true;
}

bool covey__presence_mark(covey_world *world, uint32_t pool, uint32_t index) {
    if (!covey__presence_has_room(world, pool, index) && !covey__presence_reserve(world, pool, index)) return false;
    covey__presence_set(world, pool, index);
    return true;
}

void covey__presence_unmark(covey_world *world, uint32_t pool, uint32_t index) {
    covey__presence_page *page = covey__presence_page_of(world, index);
    if (page->words > pool / 64)
        page->bits[covey__block_of(index) * page->words + pool / 64] &= ~((uint64_t)1 << pool % 64);
}

void covey__presence_unmark_all(covey_world *world, uint32_t pool) {
    for (uint32_t i = 0; i < world->inner->presence_count; i++) {
        covey__presence_page *page = world->inner->presence_pages[i];
        for (uint32_t block = 0; block < COVEY__PAGE_BLOCKS && page->words > pool / 64; block++)
            page->bits[block * page->words + pool / 64] &= ~((uint64_t)1 << pool % 64);
    }
}

void covey__presence_free(covey_world *world) {
    for (uint32_t i = 0; i < world->inner->presence_count; i++)
        if (world->inner->presence_pages[i] != covey__presence_missing)
            covey__free(&world->inner->heap, world->inner->presence_pages[i],
                        page_bytes(world->inner->presence_pages[i]->words), 1, alignof(covey__presence_page));
    covey__free(&world->inner->heap, world->inner->presence_pages, world->inner->presence_count,
                sizeof *world->inner->presence_pages, alignof(void *));
}

size_t covey__presence_bytes(const covey_world *world) {
    size_t bytes = world->inner->presence_count * sizeof *world->inner->presence_pages;
    for (uint32_t i = 0; i < world->inner->presence_count; i++)
        if (world->inner->presence_pages[i] != covey__presence_missing)
            bytes += page_bytes(world->inner->presence_pages[i]->words);
    return bytes;
}
