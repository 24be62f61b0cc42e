/* Ranges: which index a new entity gets. Each index belongs to one range: a reserved one, or the range of the world,
 * which has all other indices from its first one on. A range issues its lowest free index. */
#ifndef COVEY_RANGE_H
#define COVEY_RANGE_H

#include "memory/inner.h"
#include "change/table.h"

covey__range covey__range_from(uint32_t first); /* a range of all indices from this one on */
/* The range that an index belongs to. The second function also finds the end of the range's consecutive indices
 * there. */
const covey__range *covey__range_of(const covey_world *world, uint32_t index);
const covey__range *covey__range_run(const covey_world *world, uint32_t index, uint32_t *end);

/* Moves a range to the word with its lowest free index, and makes the page if it is missing. FULL, MEMORY. */
covey_result covey__range_seek(covey_world *world, covey__range *range);
/* The indices of a word that covey_create may issue: those that are in no reserved range. */
uint64_t covey__issued_in(const covey_world *world, uint32_t word);
/* Takes the lowest free index of a range, or returns COVEY_NONE. Logs nothing: callers report. */
uint32_t covey__range_take(covey_world *world, covey__range *range, covey_result *result);
/* After indices of one common word and range became free: moves the range back if they are below its position. */
void covey__range_return(covey_world *world, uint32_t index);
/* Opens a common word after indices of one range became free. */
static inline void covey__range_open(covey_world *world, uint32_t index) {
    uint32_t number = index / COVEY_PAGE_SIZE, word = index % COVEY_PAGE_SIZE / 64;
    world->pages[number]->words |= (uint64_t)1 << word;
    world->inner->open[number / 64] |= (uint64_t)1 << number % 64;
    if (!COVEY__LIKELY(world->inner->reserved_count == 0 && index >= world->range.cursor.at))
        covey__range_return(world, index);
}

/* Reserves [first, end). TAKEN: an index was used or reserved before; MEMORY. */
covey_result covey__range_add(covey_world *world, uint32_t first, uint32_t end);
/* Room for this many more ranges; false when an allocation fails. */
bool covey__ranges_reserve(covey_world *world, uint32_t count);
bool covey__ranges_clone(const covey_world *from, covey_world *to); /* false when an allocation fails */
void covey__ranges_end(covey_world *world);
/* After pages or ranges were replaced: each range seeks from where it is. */
void covey__ranges_renew(covey_world *world);

bool covey__ranges_valid(const covey_world *world, const char **why);

#endif
