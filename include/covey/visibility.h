/* Covey: change ticks; disabling entities and components. Part of covey/covey.h. */
#include <covey/covey.h> /* before the guard: covey.h includes this file where it belongs */

#ifndef COVEY_API_VISIBILITY_H
#define COVEY_API_VISIBILITY_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Change ticks ----------------------------------------------------------------------------------------------
 *
 * A type with `.ticks = true` remembers when each of its values was changed. The unit of time is the world's tick,
 * which the program advances when it likes.
 *
 *     covey_view moved = covey_view_make(world, &(covey_view_desc){
 *         .with = { covey_id(Position) }, .read = { covey_id(Position) }, .changed = { covey_id(Position) } });
 *     covey_iter it = covey_view_iter_since(&moved, seen);
 *     while (covey_next(&it)) { ... }
 *     seen = covey_tick_advance(world);
 *
 * These change a value: add, set, replace, patch, get_or_add if it adds, add_array and add_copies. So do views and
 * groups that write, in fields that are not in `.read`, whether the loop then writes or not: covey_next marks the rows
 * of each span, and covey_row_field marks the value that it returns. covey_get marks nothing: after writing through its
 * pointer, call covey_patch(world, e, T, NULL, NULL). Disabling and enabling are not changes. A tag is changed when it
 * is added or set.
 *
 * Ticks take 8.5 bytes for each index in the pages of 4096 indices in which the type has components. Where these lie in
 * a few blocks of 64 indices, a page has room for 1, 4 or 16 blocks only: 0.6, 2.2 or 8.8 KB instead of 35. */

/* The current tick, which changes are marked with: 1 in a new world. */
COVEY_API uint64_t covey_tick(const covey_world *world);
/* Ends the current tick and returns it. Later changes are marked with a larger one. */
COVEY_API uint64_t covey_tick_advance(covey_world *world);
/* The tick of the last change of a component; 0 if it is absent or its type has no ticks. */
#define covey_changed_at(world, e, T) covey_changed_at_raw(COVEY__WORLD(world), (e), covey_id(T))
COVEY_API uint64_t covey_changed_at_raw(const covey_world *world, covey_entity e, const covey_type *type);
/* As covey_view_iter, but visits only entities with a component that was changed after this tick, among the view's
 * `changed` types; 0 means all. Visits them by index, unless the tick is 0. Skips blocks of 64 indices without a change,
 * and does not read their values: O(indices / 64), and the changes. Whether the iteration finds changes that its own
 * loop makes to other entities is not specified. */
COVEY_API covey_iter covey_view_iter_since(const covey_view *view, uint64_t tick);
/* As covey_gather, of those whose component was changed after this tick; of all, if the tick is 0 or the type has no
 * ticks. */
#define covey_gather_since(world, entities, count, T, tick, values, positions)            \
    covey_gather_since_raw(COVEY__WORLD(world), (entities), (count), covey_id(T), (tick), \
                           COVEY__EXPECTS_POINTER_TO(T, values), (positions))
COVEY_API uint32_t covey_gather_since_raw(const covey_world *world, const covey_entity *entities, uint32_t count,
                                          const covey_type *type, uint64_t tick, void *values, uint32_t *positions);

/* ---- Enabling --------------------------------------------------------------------------------------------------
 *
 * What is disabled stays in place, with its data: has, get, set and remove work as before. Views and groups skip it: a
 * disabled entity matches no view and is in no group, and a disabled component counts as absent: `with` does not match,
 * the field of `optional` is NULL, `without` matches. A view with `.disabled` sees everything. A view that names the
 * tag covey_disabled as a term of any kind sees disabled entities as that term says:
 *
 *     covey_view sleepers = covey_view_make(world, &(covey_view_desc){
 *         .with = { covey_ids(Position, covey_disabled) } });
 *
 * While rows are visited, disabling counts as removing the component, or as adding the tag. */

/* The tag of disabled entities. Adding it does what covey_disable does (but fails with PRESENT if e is disabled
 * already), removing it does what covey_enable does, and covey_clear enables all. Groups cannot name it (TYPE). */
typedef struct covey_disabled covey_disabled;
typedef char COVEY__SIZE_TYPE(covey_disabled)[0 + 1];
COVEY_API extern const covey_type covey_type_covey_disabled;

/* Hides an entity from all views, except those that ask for disabled ones, and removes it from all groups. Succeeds if
 * it is disabled already. DEAD, MEMORY. O(1), and the groups. New entities are enabled. */
COVEY_API covey_result covey_disable(covey_world *world, covey_entity e);
/* Enables it again. DEAD. Never allocates. */
COVEY_API covey_result covey_enable(covey_world *world, covey_entity e);
/* Whether the entity is alive and not disabled. */
COVEY_API bool covey_is_enabled(const covey_world *world, covey_entity e);

/* The same for one component of an entity (ABSENT if it does not have it), whether the entity itself is disabled or
 * not. A component that is added is enabled, also if a disabled one was removed before. Takes a bit for each index in
 * the pages of 4096 indices in which a component was ever disabled. */
#define covey_component_disable(world, e, T) covey_component_disable_raw(COVEY__WORLD(world), (e), covey_id(T))
COVEY_API covey_result covey_component_disable_raw(covey_world *world, covey_entity e, const covey_type *type);
#define covey_component_enable(world, e, T) covey_component_enable_raw(COVEY__WORLD(world), (e), covey_id(T))
COVEY_API covey_result covey_component_enable_raw(covey_world *world, covey_entity e, const covey_type *type);
/* Whether the component is present and not disabled. */
#define covey_component_is_enabled(world, e, T) covey_component_is_enabled_raw(COVEY__WORLD(world), (e), covey_id(T))
COVEY_API bool covey_component_is_enabled_raw(const covey_world *world, covey_entity e, const covey_type *type);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_API_VISIBILITY_H */
