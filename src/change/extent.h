/* Extents: words of the table that belong to a kind. */
#ifndef COVEY_EXTENT_H
#define COVEY_EXTENT_H

#include "change/kind_set.h"
#include "change/range.h"

#define COVEY__ALL_WORDS (UINT64_MAX >> (64 - COVEY__TABLE_WORDS)) /* the words of a page */

/* The first index of a word of a page. */
static inline uint32_t covey__word_index(uint32_t page, uint32_t word) {
    return page * COVEY_PAGE_SIZE + word * COVEY__TABLE_WORD;
}
/* Words for this many bits. */
static inline uint32_t covey__words_for(uint32_t bits) { return bits / 64 + (bits % 64 != 0); }

/* Whether all indices of some words are free. */
bool covey__words_are_vacant(const covey__entity_page *page, uint64_t words);
void covey__note_vacant(covey_world *world, uint32_t number, uint64_t words); /* words of a page that are vacant */

/* Gives a kind another extent, and points its cursor there; `count` entities are about to be created. MEMORY, FULL. */
covey_result covey__extent_acquire(covey_world *world, covey__kind *kind, uint32_t count);
/* Points the cursor of a kind at the first word of an extent with a free index, and closes the words before it; false
 * if there is none. A shortcut frees indices without opening their words, so the caller ends it. */
bool covey__extent_point(covey_world *world, covey__kind *kind, uint32_t slot);
void covey__extent_open(covey_world *world, covey__extent *extent, uint64_t words); /* makes words of it common */
/* Makes an extent common, and forgets its kind if it was the last one. */
void covey__extent_release(covey_world *world, uint32_t number);

/* Building kinds, from a snapshot or an image: adds an extent, whose words must be in the table; false when an
 * allocation fails. covey__extent_close then takes its words out of the common ones. */
bool covey__kinds_add_extent(covey__heap *heap, struct covey__kinds *kinds, covey__kind *kind, uint32_t slot,
                             uint32_t page, uint64_t words);
void covey__extent_close(covey_world *world, const covey__extent *extent, uint32_t number);

#endif
