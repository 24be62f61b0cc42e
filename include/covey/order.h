/* Covey: sorting pools, and groups. Part of covey/covey.h. */
#include <covey/covey.h> /* before the guard: covey.h includes this file where it belongs */

#ifndef COVEY_API_ORDER_H
#define COVEY_API_ORDER_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Order -----------------------------------------------------------------------------------------------------
 *
 * You control the order of the components in a sparse pool: sort them once, and every loop over the pool follows, and
 * every view that the pool leads. Sorting is stable. Sorting an almost sorted pool costs little more than reading it.
 *
 *     covey_pool_sort(sprites, &(covey_order){ .key = COVEY_KEY_F32, .offset = offsetof(Sprite, depth) });
 *
 * REFUSED for pools in blocks, which are always in index order; for in-place pools, whose values do not move; for pools
 * that a group owns (use covey_group_sort); for pools that are kept in order; and for pools with holes (compact them
 * first). */

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
COVEY_NODISCARD COVEY_API covey_result covey_pool_keep(covey_pool *pool, const covey_order *order);

/* ---- Groups ----------------------------------------------------------------------------------------------------
 *
 * A group keeps the matches of a view up to date. In each pool that it owns, the members lie side by side and in the
 * same order: at the front of a sparse pool, or at the front of each block of 64 ids. So a group that owns all its
 * pools has one span, or one for each block, and iterating it needs no lookups.
 *
 *     covey_group *moving = covey_group_create(world, &(covey_group_desc){
 *         .own = { covey_ids(Position, Velocity) }, .without = { covey_id(Frozen) } });
 *     covey_iter it = covey_group_iter(moving);
 *     while (covey_next(&it)) { ... covey_field(&it, 0, Position) ... }
 *
 * Each add to, and each removal from, a pool of a group checks the entity, and may move values in all pools that the
 * group owns. Groups that own the same pool must be nested: the inner one requires everything that the outer one
 * requires. */

typedef struct covey_group_desc {
    const covey_type *own[COVEY_TERMS];     /* members have these, in the group's order: all sparse, or all in blocks */
    const covey_type *with[COVEY_TERMS];    /* members have these, too; their order is not changed */
    const covey_type *without[COVEY_TERMS]; /* members do not have these */
} covey_group_desc;

/* Makes a group and fills it with the entities that match already. It needs at least one required type, and names at
 * most 16. Returns NULL on failure, and nothing has changed: MEMORY; TYPE, LAYOUT (of a type or the description);
 * CONFLICT, and the log names the other group; REFUSED when a pool cannot be owned, and the log says why and what to
 * do: it is pinned, a tag in blocks, sparse with a policy other than COVEY_SWAP_AND_POP, kept in order, or in another
 * storage than the others. O(n). */
COVEY_NODISCARD COVEY_API covey_group *covey_group_create(covey_world *world, const covey_group_desc *desc);
/* An existing group with this description, or NULL: it owns and requires the same types in the same order, so its
 * fields have the same numbers, and excludes the same types in any order. Code that shares a group with other code
 * looks for it first, and makes it only if there is none. */
COVEY_API covey_group *covey_group_find(const covey_world *world, const covey_group_desc *desc);
/* Ends a group; the components stay. NULL is allowed. */
COVEY_API void covey_group_destroy(covey_group *group);

COVEY_API uint32_t covey_group_count(const covey_group *group); /* O(1) */
COVEY_API uint32_t covey_group_owned(const covey_group *group); /* the number of types that it owns: its first fields */
COVEY_API covey_entity covey_group_first(const covey_group *group);
COVEY_API bool covey_group_contains(const covey_group *group, covey_entity e);
/* The group's description as a view, with the same fields and types. Iterating it searches the pools again. */
COVEY_API const covey_view *covey_group_view(const covey_group *group);
/* Begins an iteration, as for a view. Fields are those of `own`, then those of `with`. Spans and rows go from the first
 * member to the last. The entity of a row may be changed and destroyed; no other member may leave meanwhile, and no
 * entity may join a group inside this one, or leave it and stay in this one. While a span is open, make no structural
 * change to a pool of the group. */
COVEY_API covey_iter covey_group_iter(const covey_group *group);
/* Sorts the members of a group by the values of a field: in all owned pools, or, for a group that owns none, in its own
 * list. A part in the order counts members. MEMORY, RANGE; REFUSED if an inner group keeps its members at the front,
 * and for pools in blocks. */
COVEY_NODISCARD COVEY_API covey_result covey_group_sort(covey_group *group, uint32_t field, const covey_order *order);
/* Moves the members that are also in a pool to the front, in the order of that pool, which may be any pool of the
 * world. MEMORY; REFUSED as above. O(members + size of the pool). */
COVEY_NODISCARD COVEY_API covey_result covey_group_sort_as(covey_group *group, const covey_pool *pool);
/* Writes the description, for example "own Position, Velocity without Frozen". Truncates and returns the full length,
 * as snprintf does. */
COVEY_API int covey_group_print(char *text, size_t size, const covey_group *group);
/* All groups, outer before inner. */
COVEY_API uint32_t covey_world_group_count(const covey_world *world);
COVEY_API covey_group *covey_world_group(const covey_world *world, uint32_t number);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_API_ORDER_H */
