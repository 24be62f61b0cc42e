/* Covey, optional: parents and children, and names.
 *
 *     covey_name_set(world, ship, "ship");
 *     covey_name_set(world, gun, "gun");
 *     covey_parent_set(world, gun, ship);
 *     covey_find_path(world, COVEY_NULL, "ship/gun")                        the gun again
 *     for (covey_entity e = ship; !covey_is_null(e); e = covey_tree_next(world, ship, e))
 *     covey_destroy_tree(world, ship);
 *
 * Any entity may have a parent, children and a name. An entity without a parent is a root. Worlds that do not use this
 * pay nothing. Others take 28 bytes for each entity that got a parent or children, and 24 bytes and the text for each
 * name.
 *
 * Destroying an entity ends its name and its place in the tree; its children become roots. covey_clear_components also
 * removes all names and parents. Neither is a component: covey_types_of does not list them, and an entity that has
 * nothing else has no components (covey_is_empty).
 *
 * A null, stale or never issued handle has no parent, no children and no name. See docs/hierarchy.md. */
#ifndef COVEY_HIERARCHY_H
#define COVEY_HIERARCHY_H

#include <covey/covey.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Parents and children ----------------------------------------------------------------------------------------*/

/* Makes an entity the last child of a parent; a null parent makes it a root. DEAD; CYCLE when the parent is the child
 * or below it; PRESENT when a sibling there has the child's name; MEMORY. O(depth of the parent) for a child that has
 * children, otherwise O(1). */
COVEY_API covey_result covey_parent_set(covey_world *world, covey_entity child, covey_entity parent);
/* The parent, or null. */
COVEY_API covey_entity covey_parent(const covey_world *world, covey_entity e);

/* Moves a child directly before a sibling, or, if that is null, to the end. DEAD; ABSENT when the child has no parent
 * or the other is not a sibling. Never allocates. O(1). */
COVEY_API covey_result covey_child_move(covey_world *world, covey_entity child, covey_entity before);

/* Children are in the order in which they were added, unless they were moved. Null is the end. */
COVEY_API uint32_t covey_child_count(const covey_world *world, covey_entity e);
COVEY_API covey_entity covey_child_first(const covey_world *world, covey_entity e);
COVEY_API covey_entity covey_child_last(const covey_world *world, covey_entity e);
COVEY_API covey_entity covey_child_next(const covey_world *world, covey_entity child); /* roots have no siblings */
COVEY_API covey_entity covey_child_previous(const covey_world *world, covey_entity child);

/* The number of ancestors: 0 for roots. O(depth). */
COVEY_API uint32_t covey_depth(const covey_world *world, covey_entity e);
/* Whether the first is the parent of the second, or the parent's parent, and so on. An entity is not its own ancestor.
 * O(depth). */
COVEY_API bool covey_is_ancestor(const covey_world *world, covey_entity ancestor, covey_entity e);

/* Iterates an entity and all below it, parents before their children and siblings in their order. Null is the end.
 *     for (covey_entity e = root; !covey_is_null(e); e = covey_tree_next(world, root, e))
 * Meanwhile, `e` and its ancestors must stay alive and keep their parents; anything else may change. To destroy or move
 * `e`, get the next entity first. O(1) for a step on average. */
COVEY_API covey_entity covey_tree_next(const covey_world *world, covey_entity root, covey_entity e);

/* Destroys an entity and all below it, children before their parents. Returns how many, without those that listeners
 * destroyed meanwhile and those that were being destroyed already. Entities that a listener moves out of the tree stay,
 * and so does the rest if a listener destroys the root. Never allocates, never fails. O(entities); with listeners,
 * O(entities * depth). */
COVEY_API uint32_t covey_destroy_tree(covey_world *world, covey_entity root);

/* Copies an entity and all below it into another world, or the same, as covey_clone_into does: with parents, the order
 * of children, names and what is disabled. Handles in fields that name one of them then name its copy. The copy of the
 * root is a root, without its name if another root has that. Returns it, or null with the result in `to`. O(the tree),
 * and, temporarily, pages up to its largest index. */
COVEY_API covey_entity covey_clone_tree_into(covey_world *to, const covey_world *from, covey_entity root,
                                             const covey_clone_desc *desc);

/* Sorts a sparse pool by depth, so that parents come before their children: roots first, and entities outside any
 * hierarchy are roots. Stable. MEMORY, REFUSED as covey_pool_sort. O(n) if all ancestors are in the pool, too, and a
 * step for each one that is not. */
COVEY_NODISCARD COVEY_API covey_result covey_pool_sort_by_depth(covey_pool *pool);

/* ---- Names ---------------------------------------------------------------------------------------------------------
 *
 * A name is a string of bytes that ends with zero, for example UTF-8. It is unique among siblings, and roots are
 * siblings of each other. A child that becomes a root because its parent was destroyed keeps its name, unless a root
 * has that name already: then the child has none. */

/* Sets the name of an entity; NULL or "" removes it, which never fails for a living entity. Copies the text. DEAD;
 * PRESENT when a sibling has this name; RANGE when it is longer than 65535 bytes or has a meaning in paths: it contains
 * '/', begins with '#' or is ".."; MEMORY. */
COVEY_API covey_result covey_name_set(covey_world *world, covey_entity e, const char *name);
/* The name, or NULL. Changing or removing the name, or destroying the entity, invalidates it. */
COVEY_API const char *covey_name(const covey_world *world, covey_entity e);

/* The child with this name, or null. With a null parent: the root with this name. O(length) expected. */
COVEY_API covey_entity covey_find_child(const covey_world *world, covey_entity parent, const char *name);
/* Follows names that are separated by '/', from an entity, or, if that is null, from the roots. Returns null when one
 * is not found. ".." means the parent, "#index:generation" the child with this handle, and "" is `from` itself. */
COVEY_API covey_entity covey_find_path(const covey_world *world, covey_entity from, const char *path);
/* Writes the path of an entity from its root on, as snprintf does; an entity without a name is written as
 * #index:generation. covey_find_path finds the entity again from null. Returns the full length: 0 for dead entities,
 * and below 0 if it does not fit into an int. O(depth). */
COVEY_API int covey_path_print(char *text, size_t size, const covey_world *world, covey_entity e);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
