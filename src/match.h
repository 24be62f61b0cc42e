/* Which entities match a view: one of them, or those of a page of ids. */
#ifndef COVEY_MATCH_H
#define COVEY_MATCH_H

#include "observers.h"
#include "storage.h"

#include <covey/covey.h>

/* Whether the component of an index counts as there. That something may be disabled is handed down as a constant, so
 * that the question vanishes where nothing is. */
COVEY_HOT bool covey__counts(const covey_pool *pool, uint32_t index, bool hides) {
    return covey__has_index(pool, index) && !(hides && covey__component_is_disabled(pool, index));
}

/* Whether an entity matches, by its index. */
bool covey__matches(const covey_iter *it, uint32_t index);

extern const covey__block_page covey__no_page; /* of a pool that does not reach so far, or is not in blocks */

/* The pages of the pools in blocks that entities must be in. */
typedef struct covey__page_list {
    const covey__block_page *pages[COVEY_TERMS];
    uint32_t count;
    bool full; /* all ids of the page match */
} covey__page_list;

/* The blocks of the next page that has matches, which are in it->matches; 0 at the end. Those that are looked up later
 * may not match in the end. */
uint64_t covey__next_page(covey_iter *it, covey__page_list *list);

#endif
