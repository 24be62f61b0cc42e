/* Order and groups. */
#ifndef COVEY_API_ORDER_H
#define COVEY_API_ORDER_H

#include <covey/covey.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Order -----------------------------------------------------------------------------------------------------
 *
 * The components of a sparse pool lie in an order that is yours: sort them once, and every loop over the pool, and
 * every view that it leads, follows. Sorting is stable, and sorting what is almost sorted costs little more than looking
 * at it.
 *
 *     covey_pool_sort(sprites, &(covey_order){ .key = COVEY_KEY_F32, .offset = offsetof(Sprite, depth) });
 *
 * Pools in blocks are always in the order of indices, and in-place pools do not move values: both refuse (REFUSED), as
 * do pools that a group owns, which covey_group_sort is for, pools that are kept in an order, and pools with holes,
 * which want compaction first. */

/* What a key is: the entity's index, or a number of C's. Of floats, -0 is 0, and what is not a number comes last. */
typedef enum covey_key {
    COVEY_KEY_INDEX = 0,
    COVEY_KEY_F32 = 1,
    COVEY_KEY_F64 = 2,
    COVEY_KEY_I32 = 3,
    COVEY_KEY_I64 = 4,
    COVEY_KEY_U32 = 5,
    COVEY_KEY_U64 = 6
} covey_key;

/* Writes the key of a value: a number of the kind that the order names. Must not change the world. */
typedef void covey_key_fn(void *key, const void *value, void *context);
/* Below 0 if a comes before b, above 0 if behind it, 0 if either may. Must not change the world. */
typedef int covey_compare_fn(const void *a, const void *b, void *context);
/* The same with the entities, to look up what else they have. Must not change the world. */
typedef void covey_entity_key_fn(void *key, covey_entity e, const void *value, void *context);
typedef int covey_entity_compare_fn(covey_entity a, const void *a_value, covey_entity b, const void *b_value,
                                    void *context);

/* By which components are ordered: { 0 } is by index. At most one of the four functions is given. To sort by two fields,
 * compare the second where the first is equal; or, faster, make one key of both: layer << 32 | depth, as COVEY_KEY_U64. */
typedef struct covey_order {
    covey_key key;                             /* of what kind the key is */
    uint32_t offset;                           /* where it is in the value */
    covey_key_fn *key_of;                      /* or what makes it from the value, */
    covey_entity_key_fn *key_of_entity;        /* or from the entity and the value */
    covey_compare_fn *compare;                 /* or what compares values instead of keys, */
    covey_entity_compare_fn *compare_entities; /* or entities and values */
    void *context;                             /* for the functions */
    bool descending;
    uint32_t from, count; /* only a part: so many from this position on; a count of 0 is all that follow */
} covey_order;

/* Sorts a pool. MEMORY (for scratch: up to 42 bytes a component, and the ids and values that move), REFUSED, RANGE (a
 * key that is not inside of the value, or has no kind; two functions; a part that ends behind the last component). O(n)
 * with a key, O(n log n) with a function that compares. */
COVEY_API covey_result covey_pool_sort(covey_pool *pool, const covey_order *order);
/* Puts the components of entities that `other` has, too, into the order of `other`, before the rest. The other pool may
 * be in blocks. O(n + size of the other). */
COVEY_API covey_result covey_pool_sort_as(covey_pool *pool, const covey_pool *other);
/* Sorts a pool (swap and pop) and keeps it sorted: components are inserted where they belong, and removed without
 * disturbing the others. Both are O(n) from then on. Who changes a key in place calls this again. NULL ends it. */
COVEY_API covey_result covey_pool_keep(covey_pool *pool, const covey_order *order);

/* ---- Groups ----------------------------------------------------------------------------------------------------
 *
 * A group keeps the answer of a view up to date. The members of a group that owns pools lie side by side in each of
 * them, in the same order: at the front of a sparse pool, at the front of each block of 64 ids otherwise. So a group that
 * owns all its pools has one span, or one for each block, and nothing is looked up.
 *
 *     covey_group *moving = covey_group_create(world, &(covey_group_desc){
 *         .own = { covey_ids(Position, Velocity) }, .without = { covey_id(Frozen) } });
 *     covey_iter it = covey_group_iter(moving);
 *     while (covey_next(&it)) { ... covey_field(&it, 0, Position) ... }
 *
 * Each add to, and removal from, a pool of a group checks the entity, and may move values of all pools that the group
 * owns. Groups that own the same pool are nested: all that the outer one asks for, the inner one does, too. */

typedef struct covey_group_desc {
    const covey_type *own[COVEY_TERMS];     /* in it, and kept in the group's order: all sparse, or all in blocks */
    const covey_type *with[COVEY_TERMS];    /* in it as well, kept anyhow */
    const covey_type *without[COVEY_TERMS]; /* not in it */
} covey_group_desc;

/* Makes a group, of all entities that there are already. At least one type is asked for, and 16 are named at most.
 * Returns NULL, and nothing has changed: MEMORY; TYPE, LAYOUT (of the types, or of the description); CONFLICT, and the
 * log names the other group; REFUSED when a pool cannot be owned, and the log says why and what to do: it is pinned, a
 * tag in blocks, sparse with another policy than swap and pop, kept sorted, or stored otherwise than the others. O(n). */
COVEY_API covey_group *covey_group_create(covey_world *world, const covey_group_desc *desc);
/* The group of this description that there is already, or NULL: one that owns and asks for the same types, in the same
 * order, so that its fields have the same numbers, and excludes the same, in whatever order. covey_group_of makes it when
 * there is none, as covey_group_create does; so a second call with the same description gives the same group. */
COVEY_API covey_group *covey_group_find(const covey_world *world, const covey_group_desc *desc);
COVEY_API covey_group *covey_group_of(covey_world *world, const covey_group_desc *desc);
/* Ends a group; the components stay. NULL is fine. */
COVEY_API void covey_group_destroy(covey_group *group);

COVEY_API uint32_t covey_group_count(const covey_group *group); /* O(1) */
COVEY_API uint32_t covey_group_owned(const covey_group *group); /* how many types it owns: its first fields */
COVEY_API covey_entity covey_group_first(const covey_group *group);
COVEY_API bool covey_group_contains(const covey_group *group, covey_entity e);
/* What the group is about, as a view: its fields and their types; iterated as such, it asks all pools again. */
COVEY_API const covey_view *covey_group_view(const covey_group *group);
/* Begins an iteration, as of a view: fields are those of `own`, then those of `with`. Spans and rows go
 * from the first member to the last. The entity of a row may be changed and destroyed; nobody else leaves meanwhile, and
 * nobody joins a group inside of this one, or leaves it and stays in this one. While a span is open, no pool of the group
 * changes. */
COVEY_API covey_iter covey_group_iter(const covey_group *group);
/* Sorts the entities of a group by the values of a field: all owned pools, or the order of a group that owns none. A
 * part of an order is one of the members. MEMORY, RANGE; REFUSED where an inner group has its entities at the front, and
 * for pools in blocks. */
COVEY_API covey_result covey_group_sort(covey_group *group, uint32_t field, const covey_order *order);
/* Puts the entities of a group that a pool has, too, into the order of that pool, before the rest. The pool may be any
 * of the world's. MEMORY; REFUSED as above. O(entities of the group + size of the pool). */
COVEY_API covey_result covey_group_sort_as(covey_group *group, const covey_pool *pool);
/* Writes what a group is about, as snprintf does: "own Position, Velocity without Frozen". */
COVEY_API int covey_group_print(char *text, size_t size, const covey_group *group);
/* All groups, from the outer to the inner. */
COVEY_API uint32_t covey_world_group_count(const covey_world *world);
COVEY_API covey_group *covey_world_group(const covey_world *world, uint32_t number);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_API_ORDER_H */
