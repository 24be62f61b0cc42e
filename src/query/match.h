/* Which entities match a view: the pools of an iteration, and the matches among one or a page of ids. */
#ifndef COVEY_MATCH_H
#define COVEY_MATCH_H

#include "memory/inner.h"
#include "observe/observers.h"
#include "memory/zeros.h"
#include "storage/storage.h"

#include <covey/covey.h>

/* Finds the pools of terms whose types were new to the world, and notes which may have disabled components or ticks. */
void covey__walk_find_pools(covey__walk *walk);
/* Notes which terms, and whether the lead pool, can have disabled components, for views that skip these. */
void covey__walk_find_hidden(covey__walk *walk);
/* A number that changes when the world gets a new type, or when the first component of a type is disabled. */
static inline uint32_t covey__pools_known(const covey_world *world) { return world->pool_count + world->inner->hiding; }
/* Whether no entity or component is disabled. */
static inline bool covey__nothing_hides(const covey_world *world) {
    return world->inner->hiding == 0 && !world->inner->disabled;
}
/* Whether the world has new types since the pools were found, which may be terms of the view. */
bool covey__walk_is_old(const covey__walk *walk);
/* Finds the pools again in that case. */
void covey__walk_renew(covey__walk *walk);

/* The blocks of a page that are visited: at the edges of a part, some belong to other parts. */
static inline uint64_t covey__walk_blocks(const covey__walk *walk, uint32_t page) {
    uint64_t all = UINT64_MAX >> (64 - COVEY__PAGE_BLOCKS), blocks = all;
    if (COVEY__LIKELY(walk->to == COVEY__NO_BLOCK && walk->from == 0)) return blocks;
    uint32_t first = page * COVEY__PAGE_BLOCKS, last = first + COVEY__PAGE_BLOCKS - 1;
    if (walk->from > first) blocks <<= walk->from - first;
    if (walk->to <= last) blocks &= ((uint64_t)1 << (walk->to - first)) - 1;
    return blocks & all;
}

/* Whether the component of an index is present and not hidden. Whether anything can be hidden is passed as a constant,
 * so that views without disabled components do not check. */
COVEY_HOT bool covey__counts(const covey_pool *pool, uint32_t index, bool hides) {
    return covey__has_index(pool, index) && !(hides && covey__component_is_disabled(pool, index));
}

/* Whether an entity matches, by its index. */
bool covey__matches(const covey_iter *it, uint32_t index);

/* A page of a pool in blocks. */
static inline const covey__block_page *covey__pool_page(const covey_pool *pool, uint32_t page) {
    return page < pool->block_store.page_count ? pool->block_store.pages[page] : &covey__zeros.blocks;
}
void covey__prefetch_page(const covey_pool *pool, uint32_t page); /* what is read to match it */

/* The pages of the required pools that are in blocks. */
typedef struct covey__page_list {
    const covey__block_page *pages[COVEY_TERMS];
    uint32_t count;
    uint64_t full; /* blocks all of whose ids match: in all of them, they are direct */
} covey__page_list;

/* Opens the next page with matches, for spans and rows alike: renews the pools, points the columns to the page and puts
 * the matches into it->matches. Returns the blocks with matches; 0 at the end. Terms that are looked up later may still
 * reject some. */
uint64_t covey__open_page(covey_iter *it, covey__page_list *list);
/* Intersects the masks of some blocks of these pages. Returns the blocks with matches. */
uint64_t covey__match_page(covey_iter *it, const covey__page_list *list, uint64_t blocks);
/* The first page from this one on that exists in all pools in blocks and, if the walk asks for changes, has ticks. */
uint32_t covey__page_from(const covey__walk *walk, uint32_t page);

#endif
