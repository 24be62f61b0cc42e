/* Places for components: one, or many at once. The pool is marked in the presence index wherever they are. */
#ifndef COVEY_STORAGE_PLACE_H
#define COVEY_STORAGE_PLACE_H

#include "storage.h"

/* Makes a place for an entity that is alive: at the end, in a hole, or in its block. *source may be the address of a
 * value of the storage: it follows when values move. PRESENT, MEMORY, FULL: the storage may have grown, but has no
 * other components. */
covey_result covey__storage_place(covey_pool *pool, covey_entity e, const void **source, void **value);
/* Takes back the place that was made last. */
void covey__storage_erase_placed(covey_pool *pool, covey_entity e);

/* Components that get their places and values together. */
typedef struct covey__placing {
    covey_pool *pool;
    const covey_entity *entities;
    uint32_t count;
    const void *values;   /* `stride` bytes apart; NULL: zero bytes */
    size_t stride;        /* 0: one value for all */
    covey__source source; /* of the values, from before anything moved */
    bool copies;          /* made by the type's hook, if it has one; otherwise values move, and no hook is called */
    bool later;           /* the caller writes them when all have their places */
    bool fills_hole;      /* the only one goes where an add would put it: in place, into a hole */
    bool is_claimed;      /* written by these functions from here on: indices are taken, places follow */
    bool in_hole;
    uint32_t placed, made; /* entities that have a place; a value */
} covey__placing;

/* Makes the places, or claims them, which covey__place_claimed ends. DEAD, MEMORY, FULL, PRESENT, COPY: covey__erase_placed_many
 * follows. */
covey_result covey__place_many(covey__placing *placing);
covey_result covey__place_claimed(covey__placing *placing);
/* Takes back what was placed; values that hooks have made are dropped, others are still the caller's. */
void covey__erase_placed_many(covey__placing *placing);

#endif
