/* Pages of ticks: when the components of COVEY__BLOCK_PAGE indices were last changed. A page has memory only for blocks
 * in which the pool has, or had, a component:
 *
 *     there, room, places | a covey__tick_block for each place | 64 ticks for each place
 *
 * The tick of an id is that of its last change, unless its whole block was changed later. A page has room for 1, 4, 16
 * or all blocks: an id that is far from all others takes 624 bytes, and several such ids in one page take at most 2 KB
 * each. A full page has all blocks, and the place of a block is its number. */
#ifndef COVEY_TICK_PAGE_H
#define COVEY_TICK_PAGE_H

#include "memory/pages.h"

#include <covey/covey.h>

/* When the components of a block were changed. */
typedef struct covey__tick_block {
    uint64_t latest; /* the last change of any component, */
    uint64_t newest; /* which ids were changed then, */
    uint64_t before; /* and the last change before that; equal to `latest` if `newest` is not known */
    uint64_t whole;  /* the tick at which all components of the block were changed */
} covey__tick_block;

typedef struct covey__tick_page {
    uint64_t there;                     /* which blocks have a place */
    uint32_t room;                      /* number of places; unused places are zero */
    uint8_t places[COVEY__PAGE_BLOCKS]; /* by block: its place, if it has one */
    covey__tick_block blocks[];         /* by place; the ticks follow, also by place */
} covey__tick_page;

static inline bool covey__tick_page_is_full(const covey__tick_page *page) { return page->room == COVEY__PAGE_BLOCKS; }

static inline bool covey__has_tick_block(const covey__tick_page *page, uint32_t block) {
    return page && (page->there >> block & 1) != 0;
}

/* A block that has a place, and the ticks of its ids from an index on. */
typedef struct covey__ticked {
    covey__tick_block *block;
    uint64_t *ticks;
} covey__ticked;

static inline covey__ticked covey__ticked_at(const covey__tick_page *page, uint32_t index) {
    covey__tick_block *blocks = (covey__tick_block *)(uintptr_t)page->blocks;
    uint32_t place = page->places[covey__block_of(index)];
    uint64_t *ticks = (uint64_t *)(blocks + page->room);
    return (covey__ticked){ &blocks[place], ticks + place * COVEY__BLOCK_IDS + index % COVEY__BLOCK_IDS };
}

/* The same for a full page: faster, because it does not read `places`. */
static inline covey__ticked covey__ticked_in_full(const covey__tick_page *page, uint32_t index) {
    covey__tick_block *blocks = (covey__tick_block *)(uintptr_t)page->blocks;
    uint64_t *ticks = (uint64_t *)(blocks + COVEY__PAGE_BLOCKS);
    return (covey__ticked){ &blocks[covey__block_of(index)], ticks + index % COVEY__BLOCK_PAGE };
}

size_t covey__tick_page_bytes(const covey__tick_page *page);
void covey__tick_page_clear(covey__tick_page *page); /* as if nothing was ever changed */
void covey__tick_page_copy(covey__tick_page *to,
                           const covey__tick_page *from);                    /* `to` has at least the room of `from` */
bool covey__tick_page_valid(const covey__tick_page *page, const char **why); /* without the ticks */

/* Tables of such pages. Both return a page, and add or enlarge it if necessary: reach, so that it has the block of an
 * index; reach_room, so that it has room for `room` blocks. If an allocation fails, they return NULL and change
 * nothing. */
covey__tick_page *covey__tick_pages_reach(covey__heap *heap, covey__pages *pages, uint32_t index, uint32_t limit);
covey__tick_page *covey__tick_pages_reach_room(covey__heap *heap, covey__pages *pages, uint32_t number, uint32_t limit,
                                               uint32_t room);
void covey__tick_pages_drop(covey__heap *heap, covey__pages *pages, uint32_t number); /* one page */
void covey__tick_pages_free(covey__heap *heap, covey__pages *pages);
size_t covey__tick_pages_bytes(const covey__pages *pages);

#endif
