/* Kinds: entities that are created with the same types get neighbouring indices. So the blocks of their pools are full
 * or empty, and loops over them have long spans. Nothing moves, and a handle says nothing about a kind: it only decides
 * which index a new entity gets.
 *
 *     words of the table     | common | A  A  A  A | common | B | A  A  A  A  A  A  A  A | common ...
 *                                      extent 0             1   extent 2
 *
 * A word of the table (64 indices) is common, or belongs to an extent: up to 16 neighbouring words of a page that a
 * kind owns. covey_create issues indices of common words only. A kind issues the lowest free index of its first extent
 * with one. If there is none, it gets another extent, about twice as long as all that it has: the lowest common words
 * all of whose indices are free. A large kind gets whole pages: the page behind its last extent, or the first of a
 * group of four. When the last entity of an extent is destroyed, its words become common again; a kind without extents
 * is forgotten. kind_set.h says which sets of types are kinds. */
#ifndef COVEY_KIND_H
#define COVEY_KIND_H

#include "change/extent.h"

/* ---- Creating ----------------------------------------------------------------------------------------------------*/

/* Whether the next `count` entities with these types get indices of a kind. *result: MEMORY. */
bool covey__kind_is_due(covey_world *world, const covey__kind_key *key, uint32_t count, covey_result *result);
/* The kind of `count` entities that are about to be created with these types; NULL if they get common indices. A new
 * kind gets an extent, from which the caller takes an index at once. *result: MEMORY. */
covey__kind *covey__kind_for(covey_world *world, const covey__kind_key *key, uint32_t count, covey_result *result);
/* A cursor with a free index: of *kind, or that of covey_create if *kind is NULL. If no indices are left for the kind,
 * *kind becomes NULL; if no common ones are left, the cursor is at the lowest free index of all kinds. Returns NULL:
 * MEMORY, FULL. */
const covey__cursor *covey__next_cursor(covey_world *world, covey__kind **kind, covey_result *result);
/* Takes an index from the next cursor; or returns COVEY_NONE: MEMORY, FULL. */
uint32_t covey__index_take(covey_world *world, covey__kind **kind, covey_result *result);

/* ---- Freeing -----------------------------------------------------------------------------------------------------*/

/* After indices of a word became free: opens it. */
void covey__word_freed(covey_world *world, uint32_t index);
/* Whether freeing indices of one word and range, which then are `free`, is only a matter of their bits: the word is
 * open, and in use. */
static inline bool covey__word_stays(const covey_world *world, uint32_t index, uint64_t free) {
    const covey__entity_page *page = world->pages[index / COVEY_PAGE_SIZE];
    bool open = ((page->words | page->held) >> index % COVEY_PAGE_SIZE / 64 & 1) != 0;
    return open && free != COVEY__TABLE_ALL && world->inner->reserved_count == 0;
}
/* Frees indices of one word and range. */
static inline void covey__index_free_word(covey_world *world, uint32_t index, uint64_t bits) {
    covey__entity_page *page = world->pages[index / COVEY_PAGE_SIZE];
    uint64_t free = page->free[index % COVEY_PAGE_SIZE / 64] |= bits;
    if (!COVEY__LIKELY(covey__word_stays(world, index, free))) covey__word_freed(world, index);
}
static inline void covey__index_free(covey_world *world, uint32_t index) {
    covey__index_free_word(world, index, covey__table_bit(index));
}
/* Whether covey__index_free only sets a bit. */
static inline bool covey__index_frees_quickly(const covey_world *world, uint32_t index) {
    const covey__entity_page *page = world->pages[index / COVEY_PAGE_SIZE];
    uint64_t free = page->free[index % COVEY_PAGE_SIZE / 64] | covey__table_bit(index);
    return covey__word_stays(world, index, free);
}
/* Before a range of indices is reserved: makes their words common. */
void covey__kinds_leave(covey_world *world, uint32_t first, uint32_t end);
/* Makes the vacant words of all extents common. */
void covey__kinds_trim(covey_world *world);

/* ---- As a whole --------------------------------------------------------------------------------------------------*/

covey_entity_kind covey__kind_describe(const covey_world *world, uint32_t number); /* a number that is used */
size_t covey__kinds_bytes(const covey_world *world);
bool covey__kinds_valid(const covey_world *world, const char **why);

/* Replaces the kinds of the world, and returns the old ones. Either may be NULL. */
struct covey__kinds *covey__kinds_exchange(covey_world *world, struct covey__kinds *kinds);

#endif
