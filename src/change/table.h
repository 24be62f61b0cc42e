/* The table of entities: a page for every COVEY_PAGE_SIZE indices, with a generation and two bits for each.
 *
 *     an index      generation                         bits
 *     never used    0                                  free
 *     alive         odd                                none
 *     free          even                               free
 *     set aside     even: of the last entity, or 0     aside
 *     retired       0                                  none
 *
 * A word has the bits of 64 indices, or of a whole page if that is smaller. */
#ifndef COVEY_TABLE_H
#define COVEY_TABLE_H

#include "memory/inner.h"

#include <covey/covey.h>

#define COVEY__TABLE_ALL (UINT64_MAX >> (64 - COVEY__TABLE_WORD)) /* all bits of a word */

/* The page of an index; NULL if it is missing. */
covey__entity_page *covey__entity_page_of(const covey_world *world, uint32_t index);
/* The page of an index that has one. */
static inline covey__entity_page *covey__existing_page(const covey_world *world, uint32_t index) {
    return world->pages[index / COVEY_PAGE_SIZE];
}
/* Stands for missing pages: no index is alive or free. It is never written. */
covey__entity_page *covey__missing_page(void);
/* A cursor at a word of a page; if that is missing, it issues nothing. */
static inline covey__cursor covey__cursor_at(covey__entity_page *page, uint32_t at, uint64_t issues) {
    uint32_t first = at % COVEY_PAGE_SIZE;
    return (covey__cursor){ page, &page->free[first / 64], &page->generation[first], issues, at };
}
/* Whether the parts of a cursor are of the same word; for validators. */
static inline bool covey__cursor_is_whole(const covey__cursor *cursor) {
    covey__cursor same = covey__cursor_at(cursor->page, cursor->at, cursor->issues);
    return cursor->free == same.free && cursor->generations == same.generations;
}
/* Makes the page of an index if it is missing: all its indices are free. False when an allocation fails. */
bool covey__entities_reach(covey_world *world, uint32_t index);
void covey__entity_page_reset(covey__entity_page *page); /* none of its indices was ever used, all are common */
bool covey__pages_clone(const covey_world *from, covey_world *to); /* false when an allocation fails */
void covey__pages_end(covey_world *world);                         /* frees the table */
/* Sets the generations of indices of one page, as an image has them: those with generation 0 are retired. False when an
 * allocation fails. */
bool covey__entities_load(covey_world *world, uint32_t index, const uint32_t *generations, uint32_t count,
                          bool past_caches);

static inline bool covey__is_free(const covey__entity_page *page, uint32_t index) {
    return (page->free[index % COVEY_PAGE_SIZE / 64] & covey__table_bit(index)) != 0;
}
static inline bool covey__is_common(const covey__entity_page *page, uint32_t index) {
    return page->extent[index % COVEY_PAGE_SIZE / 64] == 0;
}
static inline bool covey__is_set_aside(const covey__entity_page *page, uint32_t index) {
    return (page->aside[index % COVEY_PAGE_SIZE / 64] & covey__table_bit(index)) != 0;
}
static inline bool covey__was_used(const covey__entity_page *page, uint32_t index) {
    return page->generation[index % COVEY_PAGE_SIZE] != 0 || !covey__is_free(page, index);
}
static inline bool covey__is_retired(const covey__entity_page *page, uint32_t index) {
    return page->generation[index % COVEY_PAGE_SIZE] == 0 && !covey__is_free(page, index) &&
           !covey__is_set_aside(page, index);
}
/* Marks a free index as not free. */
static inline void covey__table_take(covey__entity_page *page, uint32_t index) {
    page->free[index % COVEY_PAGE_SIZE / 64] &= ~covey__table_bit(index);
}

uint32_t covey__entities_end(const covey_world *world);    /* one more than the highest living index */
bool covey__entities_never_used(const covey_world *world); /* no index was ever used or reserved */
/* The first page of a block store from this one on for which the table has a page. */
uint32_t covey__entities_next_page(const covey_world *world, uint32_t page);

/* ---- Open pages ----------------------------------------------------------------------------------------------------
 *
 * A bit for each page. A page that is closed has no free index; one that is open, or missing, may have some. The same
 * holds for the words of a page. A range closes the word that it leaves, and what it finds full on its way. */

void covey__pages_open_all(covey_world *world);
static inline void covey__page_close(const covey_world *world, uint32_t index) {
    uint32_t page = index / COVEY_PAGE_SIZE;
    world->inner->open[page / 64] &= ~((uint64_t)1 << page % 64);
}
uint64_t covey__open_from(const covey_world *world,
                          uint64_t index); /* the first index from this one on in an open page */

bool covey__table_valid(const covey_world *world, const char **why);

#endif
