/* The presence index: which pools may have anything in a block of 64 indices. */
#ifndef COVEY_PRESENCE_H
#define COVEY_PRESENCE_H

#include "memory/inner.h"
#include "storage/shortcut_off.h"

typedef struct covey__presence_page {
    size_t words; /* for each block */
    uint64_t bits[];
} covey__presence_page;
extern const covey__presence_page covey__presence_none; /* has no words: stands for pages that are missing */
#define covey__presence_missing ((covey__presence_page *)(uintptr_t)&covey__presence_none)

static inline covey__presence_page *covey__presence_page_of(const covey_world *world, uint32_t index) {
    uint32_t at = index / COVEY__BLOCK_PAGE;
    return at < world->inner->presence_count ? world->inner->presence_pages[at] : covey__presence_missing;
}

/* Visits the pools that are present in the block of an index, by number.
 *
 *     for (covey__present p = covey__present_at(world, index, 0); covey__present_next(&p);) p.pool
 *
 * The body may mark and unmark other pools, because the loop reads the bits of 64 pools at a time. */
typedef struct covey__present {
    covey_pool *const *pools; /* the 64 whose bits are `left` */
    const uint64_t *bits, *end;
    uint64_t left;
    covey_pool *pool;
} covey__present;

/* The pools from a number on. */
static inline covey__present covey__present_at(const covey_world *world, uint32_t index, uint32_t number) {
    const covey__presence_page *page = covey__presence_page_of(world, index);
    covey__present p = { .bits = page->bits, .end = page->bits };
    if (number / 64 >= page->words) return p;
    p.pools = world->pools + number / 64 * 64;
    p.bits += covey__block_of(index) * page->words;
    p.end = p.bits + page->words;
    p.bits += number / 64;
    p.left = *p.bits & UINT64_MAX << number % 64;
    return p;
}

/* Unless some of the current 64 pools are left, advances to the next 64 pools that have one in the block. */
static inline bool covey__present_next_word(covey__present *p) {
    while (p->left == 0) {
        if (p->end - p->bits <= 1) return false;
        p->left = *++p->bits;
        p->pools += 64;
    }
    return true;
}

static inline bool covey__present_next(covey__present *p) {
    if (!covey__present_next_word(p)) return false;
    p->pool = p->pools[covey__lowest_bit(p->left)];
    p->left &= p->left - 1;
    return true;
}

/* Whether a pool is marked in the block of an index; whether there is memory for its mark. */
bool covey__presence_has(const covey_world *world, uint32_t pool, uint32_t index);
bool covey__presence_has_room(const covey_world *world, uint32_t pool, uint32_t index);
bool covey__presence_reserve(covey_world *world, uint32_t pool, uint32_t index); /* false when an allocation fails */
bool covey__presence_mark(covey_world *world, uint32_t pool, uint32_t index);    /* the same */
/* Marks a pool; covey__presence_reserve has made room for the mark. */
static inline void covey__presence_set(covey_world *world, uint32_t pool, uint32_t index) {
    covey__presence_page *page = world->inner->presence_pages[index / COVEY__BLOCK_PAGE];
    covey__fast_destroy_off(world);
    page->bits[covey__block_of(index) * page->words + pool / 64] |= (uint64_t)1 << pool % 64;
}
void covey__presence_unmark(covey_world *world, uint32_t pool, uint32_t index);
void covey__presence_unmark_all(covey_world *world, uint32_t pool);
void covey__presence_free(covey_world *world);
size_t covey__presence_bytes(const covey_world *world);

#endif
