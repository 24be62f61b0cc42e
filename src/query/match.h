/* Which entities match a view: one of them, or those of a page of ids. */
#ifndef COVEY_MATCH_H
#define COVEY_MATCH_H

#include "observe/observers.h"
#include "storage/storage.h"

#include <covey/covey.h>

/* Whether the component of an index is present and not hidden. Whether anything can be hidden is passed as a constant,
 * so that views without disabled components do not check. */
COVEY_HOT bool covey__counts(const covey_pool *pool, uint32_t index, bool hides) {
    return covey__has_index(pool, index) && !(hides && covey__component_is_disabled(pool, index));
}

/* Whether an entity matches, by its index. */
bool covey__matches(const covey_iter *it, uint32_t index);

extern const covey__block_page covey__no_page; /* for a pool that has no such page, or is not in blocks */

/* The pages of the required pools that are in blocks. */
typedef struct covey__page_list {
    const covey__block_page *pages[COVEY_TERMS];
    uint32_t count;
    bool full; /* all ids of the page match */
} covey__page_list;

/* The blocks of the next page with matches, which are in it->matches; 0 at the end. Terms that are looked up later may
 * still reject some. */
uint64_t covey__next_page(covey_iter *it, covey__page_list *list);
/* The first page from this one on that is not missing where the walk looks: for changes, and in pools in blocks. */
uint32_t covey__page_from(const covey__walk *walk, uint32_t page);

#endif
