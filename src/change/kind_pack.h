/* Kinds as an array of numbers, for snapshots, clones and images. Equal states give equal numbers.
 *
 *     kinds | of each, by the hash of its types: types | pool ... | extents | extent ... |
 *     places for candidates | since | candidates | of each, by its place: place | candidate
 *
 * An extent is its slot, its first index, and a bit for each of its words, from that index on. */
#ifndef COVEY_KIND_PACK_H
#define COVEY_KIND_PACK_H

#include "change/kind.h"

/* What an image or a clone has of kinds. */
typedef struct covey__kinds_choice {
    uint32_t (*type)(const void *context, uint32_t pool); /* the number of a type; COVEY_NONE leaves out its kinds */
    bool (*extent)(const void *context, const covey__extent *extent);
    const void *context;
} covey__kinds_choice;

/* Writes kinds, and returns how many numbers they are; 0 for the state of a new world. `to` may be NULL. Without a
 * choice, types have the numbers of their pools. */
size_t covey__kinds_pack(const struct covey__kinds *kinds, const covey__kinds_choice *choice, uint32_t *to);
/* Makes kinds for another world from those that were packed in the first one, or in an earlier state of the same world.
 * A world with ids in order has none. NULL when an allocation fails. */
struct covey__kinds *covey__kinds_unpack(covey_world *to, const covey_world *from, const uint32_t *packed);
/* Gives a clone the kinds of a world. It has the same entities and types. False when an allocation fails. */
bool covey__kinds_clone(const covey_world *from, covey_world *to);

static inline uint32_t covey__extent_first(const covey__extent *extent) {
    return extent->page * COVEY_PAGE_SIZE + covey__lowest_bit(extent->words) * COVEY__TABLE_WORD;
}

#endif
