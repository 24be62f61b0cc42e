/* Covey, optional: parents and children, and names.
 *
 *     covey_name_set(world, ship, "ship");
 *     covey_name_set(world, gun, "gun");
 *     covey_parent_set(world, gun, ship);
 *     covey_find_path(world, none, "ship/gun")                              the gun again
 *     for (covey_entity e = ship; !covey_is_null(e); e = covey_tree_next(world, ship, e))
 *     covey_destroy_tree(world, ship);
 *
 * Any entity may have a parent, children and a name. An entity without a parent is a root. Worlds that use none of this
 * pay nothing for it; others pay 28 bytes for each entity that got a parent or children, and 24, with its text, for each
 * that has a name.
 *
 * What an entity is destroyed with: its name and its place. Its children become roots. covey_clear_all ends all names
 * and parents, too. They are no components: covey_types_of does not list them, and an entity that has nothing else is
 * empty (covey_is_empty).
 *
 * A null, stale or never issued handle has no parent, no children and no name. docs/hierarchy.md has more. */
#ifndef COVEY_HIERARCHY_H
#define COVEY_HIERARCHY_H

#include <covey/covey.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Parents and children ----------------------------------------------------------------------------------------*/

/* Makes an entity the last child of a parent; a null parent makes it a root. Fails with DEAD, CYCLE when the parent is
 * the child or below it, PRESENT when a sibling there has the child's name, MEMORY. O(depth of the parent) for a child
 * that has children, otherwise O(1). */
COVEY_API covey_result covey_parent_set(covey_world *world, covey_entity child, covey_entity parent);
/* The parent, or null. */
COVEY_API covey_entity covey_parent(const covey_world *world, covey_entity e);

/* Moves a child right before a sibling; to the end, if that is null. Fails with DEAD, ABSENT when the child has no
 * parent or the other is no sibling. Never allocates. O(1). */
COVEY_API covey_result covey_child_move(covey_world *world, covey_entity child, covey_entity before);

/* Children are in the order in which they came, unless they were moved. Null is the end. */
COVEY_API uint32_t covey_child_count(const covey_world *world, covey_entity e);
COVEY_API covey_entity covey_child_first(const covey_world *world, covey_entity e);
COVEY_API covey_entity covey_child_last(const covey_world *world, covey_entity e);
COVEY_API covey_entity covey_child_next(const covey_world *world, covey_entity child); /* roots have no siblings */
COVEY_API covey_entity covey_child_previous(const covey_world *world, covey_entity child);

/* How many ancestors an entity has: 0 for roots. O(depth). */
COVEY_API uint32_t covey_depth(const covey_world *world, covey_entity e);
/* Whether the first is the parent of the second, or the parent's parent, and so on. An entity is not its own ancestor.
 * O(depth). */
COVEY_API bool covey_is_ancestor(const covey_world *world, covey_entity ancestor, covey_entity e);

/* Goes through an entity and all below it, parents before their children and siblings in their order. Null is the end.
 *     for (covey_entity e = root; !covey_is_null(e); e = covey_tree_next(world, root, e))
 * Anything may change meanwhile but the parents and the lives of `e` and its ancestors: ask for the next one before `e`
 * is destroyed or moved. O(1) a step on average. */
COVEY_API covey_entity covey_tree_next(const covey_world *world, covey_entity root, covey_entity e);
/* The same by level: the root, its children, all their children. Parents do not change meanwhile. Nothing is kept from
 * one step to the next, so each looks for its way again: O(entities below the root * levels) for a whole walk, and a
 * step that begins a level, or skips a long part without any, is O(entities above the level). */
COVEY_API covey_entity covey_tree_next_by_level(const covey_world *world, covey_entity root, covey_entity e);

/* Destroys an entity and all below it, children before their parents. Returns how many, without those that listeners
 * destroyed meanwhile and those whose end is being announced. Who is moved out of the tree by a listener stays, as does
 * what is left when a listener destroys the root. Never allocates, never fails. O(entities); where anybody listens,
 * O(entities * depth). */
COVEY_API uint32_t covey_destroy_tree(covey_world *world, covey_entity root);

/* Copies an entity and all below it into another world, or the same, as covey_clone_into does: with parents, the order of
 * children, names and what is disabled. Handles in fields that name one of them name its copy. The copy of the root is a
 * root; it has no name where a root has that already. Returns it, or null, with the result in `to`. O(the tree), and pages
 * for its largest index, for a while. */
COVEY_API covey_entity covey_clone_tree_into(covey_world *to, const covey_world *from, covey_entity root,
                                             const covey_clone_desc *desc);

/* Sorts a sparse pool by depth, so that parents come before their children: roots first, and those outside of any
 * hierarchy are roots. Stable. Fails with MEMORY, REFUSED as covey_pool_sort does. O(n) where the ancestors of an entity
 * are in the pool, too; otherwise a step for each that is not. */
COVEY_API covey_result covey_pool_sort_by_depth(covey_pool *pool);

/* ---- Names ---------------------------------------------------------------------------------------------------------
 *
 * Bytes that end with a zero: UTF-8, or whatever the program likes. A name is unique among siblings, and roots are
 * siblings of each other. A child that becomes a root because its parent was destroyed keeps its name, unless a root has
 * it already: then it loses it. */

/* Names an entity; NULL or "" takes the name away, which never fails for who is alive. Copies the text. Fails with DEAD,
 * PRESENT when a sibling has this name, RANGE when it is longer than 65535 bytes or means something in a path: it
 * contains '/', begins with '#' or is "..", MEMORY. */
COVEY_API covey_result covey_name_set(covey_world *world, covey_entity e, const char *name);
/* The name, or NULL. Valid until the name is changed or lost, or the entity is destroyed. */
COVEY_API const char *covey_name(const covey_world *world, covey_entity e);

/* The child of this name, or null; of a null parent, the root. O(length) expected. */
COVEY_API covey_entity covey_find_child(const covey_world *world, covey_entity parent, const char *name);
/* Follows names that are separated by '/', from an entity or, if that is null, from the roots; null when one is not
 * found. ".." goes to the parent, "#index:generation" to the child that this handle names. "" is `from` itself. */
COVEY_API covey_entity covey_find_path(const covey_world *world, covey_entity from, const char *path);
/* Writes the path of an entity from its root on, as snprintf does; who has no name is #index:generation. From null,
 * covey_find_path finds the entity again. Returns the length of the whole text: 0 for the dead, and below 0 when it is
 * more than an int holds. O(depth). */
COVEY_API int covey_path_print(char *text, size_t size, const covey_world *world, covey_entity e);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
