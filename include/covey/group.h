/* Covey: groups, which keep the components of their members side by side. Part of covey/covey.h.
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
#include <covey/covey.h> /* before the guard: covey.h includes this file where it belongs */

#ifndef COVEY_API_GROUP_H
#define COVEY_API_GROUP_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct covey_group_desc {
    const covey_type *own[COVEY_TERMS];     /* members have these, in the group's order: all sparse, or all in blocks */
    const covey_type *with[COVEY_TERMS];    /* members have these, too; their order is not changed */
    const covey_type *without[COVEY_TERMS]; /* members do not have these */
} covey_group_desc;

/* Makes a group and fills it with the entities that match already. It needs at least one required type, and names at
 * most 16. Returns NULL on failure, and nothing has changed: MEMORY; TYPE, LAYOUT (of a type or the description);
 * CONFLICT, and the log names the other group; REFUSED when a pool cannot be owned, and the log says why and what to
 * do: it is pinned, a tag in blocks, sparse with a policy other than COVEY_SWAP_AND_POP, kept sorted, or in another
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

#endif /* COVEY_API_GROUP_H */
