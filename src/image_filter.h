/* Which entities and components are saved, if not all of them. */
#ifndef COVEY_IMAGE_FILTER_H
#define COVEY_IMAGE_FILTER_H

#include "bits.h"
#include "image.h"

typedef struct covey__filter {
    const covey_world *world;
    uint64_t since;     /* components of types with ticks that were changed later; 0: all */
    uint64_t *chosen;   /* a bit for each index; NULL: all */
    uint64_t *freed;    /* those that are left out, and whose index is free in the image */
    uint64_t *nameless; /* of those that are chosen: whose name another root has that is in the image, too */
    size_t words;       /* of each of these */
    uint32_t count;     /* of entities that are chosen */
    bool retires;       /* some that are left out had the last generation of their index */
} covey__filter;

/* Asks the choose function about each entity, once. False: memory is out. */
bool covey__filter_make(covey__filter *filter, covey__heap *heap, const covey_world *world,
                        const covey_save_desc *desc);
void covey__filter_free(covey__filter *filter, covey__heap *heap);

static inline bool covey__filter_has(const covey__filter *filter, uint32_t index) { /* an entity that is alive */
    return !filter->chosen || covey__has_bit(filter->chosen, index);
}
bool covey__filter_names(const covey__filter *filter, uint32_t index); /* whether it keeps its name */
bool covey__filter_takes_all(const covey__filter *filter, const covey_pool *pool);
/* Of components of a block, those that are saved. */
uint64_t covey__filter_mask(const covey__filter *filter, const covey_pool *pool, uint32_t first, uint64_t mask);
/* The first position from one on whose component is saved, or COVEY_NONE; how many there are. */
uint32_t covey__filter_next(const covey__filter *filter, const covey_pool *pool, uint32_t from);
uint32_t covey__filter_count(const covey__filter *filter, const covey_pool *pool);
/* Lists the indices that are saved of a packed pool, from a position on, which it moves on; 0 at the end. */
uint32_t covey__filter_ids(const covey__filter *filter, const covey_pool *pool, uint32_t *from, uint32_t *list,
                           uint32_t most);
/* Generations of indices from one on, as the image has them. */
void covey__filter_generations(const covey__filter *filter, uint32_t first, const uint32_t *from, uint32_t count,
                               uint32_t *to);
/* Of the next block of indices from *first on, those of a range that are free because their entities are left out; sets
 * *first to its first index. 0 at the end. In the image they were freed last, the lowest one at the end. */
uint64_t covey__filter_freed(const covey__filter *filter, const covey_world *world, const covey__range *range,
                             uint64_t *first);

#endif
