/* Places of a kind: where each of its pools has the components of the block in which the next entity is created, for
 * kinds that take turns. Without them, an entity takes a search for each of its types, and three cache lines for the
 * block of each component.
 *
 * A row (row.h) belongs to the kind that was created twice in a row, and has fewer conditions to check. */
#ifndef COVEY_KIND_PLACES_H
#define COVEY_KIND_PLACES_H

#include <covey/covey.h>

typedef struct covey__kind_place {
    const covey_type *type;
    covey_pool *pool;
    uint64_t *mask; /* of the block */
    char *data;     /* its values */
} covey__kind_place;

/* Valid while `moves` is the world's number. */
typedef struct covey__kind_places {
    uint64_t moves;
    uint32_t block; /* an index / COVEY__BLOCK_IDS */
    uint32_t count; /* COVEY_NONE: adding to a pool takes more than a bit and the value */
    covey__kind_place at[];
} covey__kind_places;

static inline size_t covey__kind_places_bytes(uint32_t count) {
    return sizeof(covey__kind_places) + count * sizeof(covey__kind_place);
}
static inline void covey__kind_places_none(covey__kind_places *places) { places->count = COVEY_NONE; }
/* Finds them after an entity with these components, listed in this order, was created at this index. */
void covey__kind_places_find(covey__kind_places *places, const covey_component *components, covey_pool *const *pools,
                             uint32_t count, uint32_t index);
/* Whether an entity with these components, whose index is in the same block as this one, can be created there without a
 * further step. Creates the components of an entity. */
bool covey__kind_places_take(const covey__kind_places *places, const covey_world *world, uint32_t index,
                             const covey_component *components);
void covey__kind_places_append(const covey__kind_places *places, const covey_component *components, covey_entity e);
bool covey__kind_places_valid(const covey__kind_places *places, const covey_world *world, const char **why);

#endif
