/* Making places for components: one, or many at once. Marks the pool in the presence index. */
#ifndef COVEY_STORAGE_PLACE_H
#define COVEY_STORAGE_PLACE_H

#include "storage/storage.h"

/* Makes a place for a living entity: at the end, in a hole, or in its block. *source may be the address of a value of
 * the storage, and is updated if that moves. PRESENT, MEMORY, FULL: the storage may have grown, but has no other
 * components. */
covey_result covey__storage_place(covey_pool *pool, covey_entity e, const void **source, void **value);
/* Erases the place that was made last. */
void covey__storage_erase_placed(covey_pool *pool, covey_entity e);

/* Components that are placed, and get their values, in one call. */
typedef struct covey__placing {
    covey_pool *pool;
    const covey_entity *entities;
    uint32_t count;
    const void *values;   /* `stride` bytes apart; NULL: zero bytes */
    size_t stride;        /* 0: one value for all */
    covey__source source; /* of the values, taken before anything moved */
    bool copies;          /* made by the type's hook, if it has one; otherwise values move, and no hook is called */
    bool later;           /* the caller writes the values after all are placed */
    bool fills_hole;      /* a single component goes where an add would put it: in place, into a hole */
    bool is_claimed;      /* written by these functions from here on: indices are taken, places follow */
    bool in_hole;
    uint32_t placed, made; /* how many entities have a place; how many have a value */
} covey__placing;

/* Makes the places, or only claims them: then covey__place_claimed follows. After DEAD, MEMORY, FULL, PRESENT or COPY,
 * call covey__erase_placed_many. */
covey_result covey__place_many(covey__placing *placing);
covey_result covey__place_claimed(covey__placing *placing);
/* Erases what was placed. Drops values that hooks have made; others still belong to the caller. */
void covey__erase_placed_many(covey__placing *placing);

#endif
