/* Lookups: which entities have a value of a field, or are at a place.
 *
 *     pool -> filing    which components were changed since they were filed (observe/filing.h)
 *     lookup            the field, and
 *       buckets           by value and by target: the indices of entities (buckets.h)
 *       sorted            or, if it is ordered: values and indices in one order (sorted.h)
 *       grid              or, of places: the indices by cell (grid.h)
 *
 * Adding a component reserves the memory for filing it. Changes and removals are only noted. When something is asked,
 * settle takes out what was removed, reads the values that may have changed, and files those under another key anew.
 *
 *     lookup.c        makes lookups, and keeps them up to date
 *     search.c        answers about values
 *     place.c         and about places
 *     pairs.c         and about pairs
 *     target.c        what happens to the sources of a target that is destroyed
 *     describe.c      says what lookups there are
 *     lookup_valid.c  invariants */
#ifndef COVEY_LOOKUP_INTERNAL_H
#define COVEY_LOOKUP_INTERNAL_H

#include "lookup/buckets.h"
#include "lookup/field.h"
#include "lookup/grid.h"
#include "lookup/sorted.h"
#include "memory/result.h"
#include "observe/filing.h"
#include "observe/observers.h"
#include "storage/storage.h"

#include <covey/lookup.h>

/* Distances are the same everywhere: between these two, compilers do not fuse a multiplication with an addition. */
#if defined(__clang__)
#define COVEY__EXACT_BEGIN _Pragma("STDC FP_CONTRACT OFF")
#define COVEY__EXACT_END
#elif defined(__GNUC__) && !defined(__TINYC__)
#define COVEY__EXACT_BEGIN _Pragma("GCC push_options") _Pragma("GCC optimize(\"fp-contract=off\")")
#define COVEY__EXACT_END _Pragma("GCC pop_options")
#else
#define COVEY__EXACT_BEGIN
#define COVEY__EXACT_END
#endif

struct covey_lookup {
    covey_world *world;
    covey_pool *pool;
    covey_lookup *next;          /* of the pool, */
    covey_lookup *next_of_world; /* and of the world, in the order of creation */
    covey__key_field field;
    covey__place place; /* its count is 0 if there is a field */
    bool ordered;
    uint8_t when_target_ends; /* a covey_target_end */
    uint8_t name_count;
    char *names; /* of the fields, one after the other, each with its zero */
    size_t names_size;
    covey__buckets buckets;
    uint32_t keyless; /* about how many components have a null target */
    covey__sorted sorted;
    covey__grid grid;
    covey_entity *ending; /* targets that were destroyed, whose sources are not dealt with yet */
    uint32_t ending_count, ending_capacity;
};

/* For how many there is memory. */
static inline uint32_t covey__lookup_capacity(const covey_lookup *lookup) {
    uint32_t capacity = lookup->place.count != 0 ? lookup->grid.capacity
                        : lookup->ordered        ? lookup->sorted.capacity
                                                 : lookup->buckets.capacity;
    bool lists = lookup->when_target_ends != COVEY_TARGET_KEEP;
    return lists && lookup->ending_capacity < capacity ? lookup->ending_capacity : capacity;
}

/* How many entities are filed. */
static inline uint32_t covey__lookup_filed(const covey_lookup *lookup) {
    if (lookup->place.count != 0) return lookup->grid.count;
    return lookup->ordered ? lookup->sorted.count : lookup->buckets.count;
}

/* The cell of a value in a lookup of places. False: it has a NaN, and is not filed. */
static inline bool covey__lookup_cell_of(const covey_lookup *lookup, const void *value, int32_t *cell) {
    double point[COVEY__DIMENSIONS];
    covey__point_of(&lookup->place, value, point);
    return covey__cell_of(&lookup->grid, point, cell);
}

/* Files what has changed. */
void covey__lookup_settle_now(const covey_pool *pool);
static inline void covey__lookup_settle(const covey_lookup *lookup) {
    const covey_pool *pool = lookup->pool;
    COVEY__USES(lookup->world, pool->type, COVEY__ACCESS_READ);
    if (!COVEY__LIKELY(COVEY__GET_WORD(pool->observers->filing->any) == 0)) covey__lookup_settle_now(pool);
}

/* The handle of a filed index; null while it is being destroyed. */
static inline covey_entity covey__found_at(const covey_world *world, uint32_t index) {
    uint32_t generation = covey__generation_of(world, index);
    return covey__entity(index, (generation & 1) != 0 ? generation : 0);
}

/* Adds an entity to what a search has found, unless it is being destroyed. */
static inline void covey__find(covey_search *search, uint32_t index) {
    covey_entity e = covey__found_at(search->lookup->world, index);
    search->entities[search->count] = e;
    search->count += e.generation != 0;
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

#define COVEY__TINY 1e-150                      /* the squares of smaller distances are not exact */
bool covey__place_next(covey_search *search);   /* the next entities of a box, or near a point */
bool covey__finds_places(covey_lookup *lookup); /* otherwise reports that */
bool covey__cells_are_many(const covey_lookup *lookup, double cells); /* so that looking at all entities is faster */

/* describe.c: copies the names of a description. False: no memory. */
bool covey__lookup_keep_names(covey_lookup *lookup, const covey_lookup_desc *desc);

/* target.c: room for as many targets as can have sources; and the functions of covey__looking. */
bool covey__targets_reserve(covey_lookup *lookup, uint32_t count);
void covey__targets_shrink(covey_lookup *lookup, uint32_t count);
void covey__target_is_ending(covey_world *world, covey_entity target);
void covey__targets_have_ended(covey_world *world);
uint32_t covey__targets_elsewhere(covey_world *world, covey_entity *targets, uint32_t most);

size_t covey__lookups_bytes(const covey_world *world);
bool covey__lookups_valid(const covey_world *world, const char **why);

#endif
