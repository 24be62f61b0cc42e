/* Lookups: which entities have a value of a field, or are at a place.
 *
 *     pool -> filing    which components were changed since they were filed (observe/filing.h)
 *     lookup            the field, and
 *       buckets           by value, by target and by cell: the indices of entities (buckets.h)
 *       sorted            or, if it is ordered: values and indices in one order (sorted.h)
 *
 * Adding a component reserves the memory for filing it. Removing one takes it out at once. Everything else waits until
 * something is asked: then settle reads the values that may have changed, and files those under another key anew. */
#ifndef COVEY_LOOKUP_INTERNAL_H
#define COVEY_LOOKUP_INTERNAL_H

#include "lookup/buckets.h"
#include "lookup/field.h"
#include "lookup/sorted.h"
#include "observe/filing.h"
#include "observe/observers.h"

#include <covey/lookup.h>

struct covey_lookup {
    covey_world *world;
    covey_pool *pool;
    covey_lookup *next;          /* of the pool */
    covey_lookup *next_of_world; /* in the order of creation */
    covey__key_field field;
    covey__place place; /* its count is 0 if there is a field */
    bool ordered;
    uint8_t when_target_ends; /* a covey_target_end */
    covey__buckets buckets;
    covey__sorted sorted;
    /* Targets that were destroyed, whose sources are not dealt with yet. There is room for as many as indices can be
     * filed. */
    covey_entity *ending;
    uint32_t ending_count, ending_capacity;
};

/* How many entities are filed. */
static inline uint32_t covey__lookup_filed(const covey_lookup *lookup) {
    return lookup->ordered ? lookup->sorted.count : lookup->buckets.count;
}

/* Files what has changed. */
void covey__lookup_settle_now(const covey_lookup *lookup);
static inline void covey__lookup_settle(const covey_lookup *lookup) {
    if (COVEY__GET_WORD(lookup->pool->observers->filing->any) != 0) covey__lookup_settle_now(lookup);
}

/* The handle of a filed index; null while it is being destroyed. */
static inline covey_entity covey__found_at(const covey_lookup *lookup, uint32_t index) {
    uint32_t generation = covey__generation_of(lookup->world, index);
    return covey__entity(index, (generation & 1) != 0 ? generation : 0);
}

/* What a search asks for. */
typedef enum covey__asked {
    COVEY__ASKED_NOTHING,
    COVEY__ASKED_VALUE,
    COVEY__ASKED_RANGE,
    COVEY__ASKED_BELOW,
    COVEY__ASKED_BOX,
    COVEY__ASKED_NEAR
} covey__asked;

bool covey__place_next(covey_search *search); /* the next entities of a box, or near a point */

/* target.c */
bool covey__targets_reserve(covey_lookup *lookup, uint32_t count);
void covey__target_is_ending(covey_world *world, covey_entity target);
void covey__targets_have_ended(covey_world *world);

size_t covey__lookups_bytes(const covey_world *world);
bool covey__lookups_valid(const covey_world *world, const char **why);

#endif
