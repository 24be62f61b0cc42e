/* Covey: sorting sparse pools. Part of covey/covey.h.
 *
 * You control the order of the components in a sparse pool: sort them once, and every loop over the pool follows, and
 * every view that the pool leads. Sorting is stable. Sorting an almost sorted pool costs little more than reading it.
 *
 *     covey_pool_sort(sprites, &(covey_order){ .key = COVEY_KEY_F32, .offset = offsetof(Sprite, depth) });
 *
 * REFUSED for pools in blocks, which are always in index order; for in-place pools, whose values do not move; for pools
 * that a group owns (use covey_group_sort); for pools that are kept sorted; and for pools with holes (compact them
 * first). */
#include <covey/covey.h> /* before the guard: covey.h includes this file where it belongs */

#ifndef COVEY_API_SORT_H
#define COVEY_API_SORT_H

#ifdef __cplusplus
extern "C" {
#endif

/* The kind of a key: the entity's index, or a C number. For floats, -0 equals 0, and NaN comes last. */
typedef enum covey_key {
    COVEY_KEY_INDEX = 0,
    COVEY_KEY_F32 = 1,
    COVEY_KEY_F64 = 2,
    COVEY_KEY_I32 = 3,
    COVEY_KEY_I64 = 4,
    COVEY_KEY_U32 = 5,
    COVEY_KEY_U64 = 6
} covey_key;

/* Writes the key of a value to *key: a number of the kind that the order names. Must not change the world. */
typedef void covey_key_fn(void *key, const void *value, void *context);
/* Returns less than 0 if a comes before b, more than 0 if after, 0 if either may. Must not change the world. */
typedef int covey_compare_fn(const void *a, const void *b, void *context);
/* The same with the entities, to look up their other components. Must not change the world. */
typedef void covey_entity_key_fn(void *key, covey_entity e, const void *value, void *context);
typedef int covey_entity_compare_fn(covey_entity a, const void *a_value, covey_entity b, const void *b_value,
                                    void *context);

/* What components are ordered by; { 0 } is by index. Give at most one of the four functions. To sort by two fields,
 * compare the second if the first is equal; or, faster, combine both into one key: layer << 32 | depth, as
 * COVEY_KEY_U64. */
typedef struct covey_order {
    covey_key key;                             /* the kind of the key */
    uint32_t offset;                           /* of the key in the value */
    covey_key_fn *key_of;                      /* or: makes the key from the value */
    covey_entity_key_fn *key_of_entity;        /* or: makes the key from the entity and the value */
    covey_compare_fn *compare;                 /* or: compares values instead of keys */
    covey_entity_compare_fn *compare_entities; /* or: compares entities and values */
    void *context;                             /* passed to the functions */
    bool descending;
    uint32_t from, count; /* sort only `count` components from this position on; a count of 0 means all that follow */
} covey_order;

/* Sorts a pool. MEMORY (scratch: up to 42 bytes for each component, and the ids and values that move), REFUSED, RANGE
 * (the key has no kind or is not inside the value; two functions; a part that ends behind the last component). O(n)
 * with a key, O(n log n) with a function that compares. */
COVEY_NODISCARD COVEY_API covey_result covey_pool_sort(covey_pool *pool, const covey_order *order);
/* Moves the components whose entities are also in `other` to the front, in the order of `other`. The other pool may be
 * in blocks. O(n + size of the other). */
COVEY_NODISCARD COVEY_API covey_result covey_pool_sort_as(covey_pool *pool, const covey_pool *other);
/* Sorts a swap-remove pool and keeps it sorted: adding inserts a component in its place, and removing keeps the order
 * of the others. Both are O(n) from then on. After changing a key in place, call this again. NULL ends it. */
COVEY_NODISCARD COVEY_API covey_result covey_pool_keep_sorted(covey_pool *pool, const covey_order *order);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_API_SORT_H */
