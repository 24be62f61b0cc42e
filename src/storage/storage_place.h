/* Making places for components: one, or many at once. Marks the pool in the presence index. */
#ifndef COVEY_STORAGE_PLACE_H
#define COVEY_STORAGE_PLACE_H

#include "storage/storage.h"

/* Makes a place for a living entity: at the end, in a hole, or in its block. *source may be the address of a value of
 * the storage, and is updated if that value moves. After PRESENT, MEMORY or FULL, the storage may have more capacity,
 * but its components are the same. */
covey_result covey__storage_place(covey_pool *pool, covey_entity e, const void **source, void **value);
/* The same where there is room, so that nothing moves. NULL: there is none, or the component is present. */
void *covey__storage_place_in_room(covey_pool *pool, covey_entity e);
/* covey__storage_place for the component of a new entity, which fills no hole; only if the first function returns
 * true. */
static inline bool covey__storage_appends(const covey_pool *pool) {
    return (pool->uses & COVEY__USE_REACTIVE) == 0 && pool->sparse_set.dead == 0;
}
covey_result covey__storage_append(covey_pool *pool, covey_entity e, const void **source, void **value);
/* The same for the first of several pools of a new entity, as long as they are in blocks that have room, and the values
 * are moved in. Returns how many. */
uint32_t covey__storage_append_each(covey_pool *const *pools, const covey_component *components, uint32_t count,
                                    covey_entity e);
/* Erases the place that was made last. */
void covey__storage_erase_placed(covey_pool *pool, covey_entity e);

/* A call that places many components and writes their values. */
typedef struct covey__placing {
    covey_pool *pool;
    const covey_entity *entities;
    uint32_t count;
    const void *values;   /* `stride` bytes apart; NULL: zero bytes */
    size_t stride;        /* 0: one value for all */
    covey__source source; /* finds the values if they are in the pool and move */
    bool copies;          /* copy values, by the hook of the type if it has one; otherwise they are moved */
    bool later;           /* the caller writes the values after this call */
    bool is_new;          /* the entities were created by one call, and are in that order */
    bool fills_hole;      /* in place: a single component fills a hole, as a normal add does */
    bool is_claimed;      /* set by covey__place_many, as all that follow: covey__place_claimed is to be called */
    bool in_hole;
    uint32_t placed, made; /* how many entities have a place; how many have a value */
} covey__placing;

/* Places the components, or only claims their indices (`is_claimed`): then call covey__place_claimed. After DEAD,
 * MEMORY, FULL, PRESENT or COPY, call covey__erase_placed_many. */
covey_result covey__place_many(covey__placing *placing);
covey_result covey__place_claimed(covey__placing *placing);
/* Erases what was placed. Drops values that hooks have copied; the others still belong to the caller. */
void covey__erase_placed_many(covey__placing *placing);

#endif
