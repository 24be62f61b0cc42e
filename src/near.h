/* The presence index: which pools may have anything among 64 indices. */
#ifndef COVEY_NEAR_H
#define COVEY_NEAR_H

#include <covey/covey.h>

typedef struct covey__near_page {
    size_t words; /* for each block */
    uint64_t bits[];
} covey__near_page;
extern covey__near_page covey__near_missing; /* stands for pages that are missing */

static inline covey__near_page *covey__near_page_of(const covey_world *world, uint32_t index) {
    uint32_t at = index / COVEY__BLOCK_PAGE;
    return at < world->near_count ? world->near_pages[at] : &covey__near_missing;
}

/* The pools that may have something in the block of an index: a bit for each, in *words words. */
static inline const uint64_t *covey__near(const covey_world *world, uint32_t index, size_t *words) {
    const covey__near_page *page = covey__near_page_of(world, index);
    *words = page->words;
    return page->bits + covey__block_of(index) * page->words;
}

bool covey__near_reserve(covey_world *world, uint32_t pool, uint32_t index); /* false when memory is out */
bool covey__near_mark(covey_world *world, uint32_t pool, uint32_t index);    /* the same */
/* Marks where there is a place for it. */
static inline void covey__near_set(covey_world *world, uint32_t pool, uint32_t index) {
    covey__near_page *page = world->near_pages[index / COVEY__BLOCK_PAGE];
    world->moves++; /* for what is known of the entity destroyed last */
    page->bits[covey__block_of(index) * page->words + pool / 64] |= (uint64_t)1 << pool % 64;
}
void covey__near_unmark(covey_world *world, uint32_t pool, uint32_t index);
void covey__near_unmark_all(covey_world *world, uint32_t pool);
void covey__near_free(covey_world *world);
size_t covey__near_bytes(const covey_world *world);

#endif
