/* Change ticks and enabling. */
#ifndef COVEY_API_VISIBILITY_H
#define COVEY_API_VISIBILITY_H

#include <covey/covey.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Change ticks ----------------------------------------------------------------------------------------------
 *
 * A type with `.ticks = true` knows when each of its values was changed, in a time that the program sets: the world has
 * a tick, which the program advances when it likes.
 *
 *     covey_view moved = covey_view_make(world, &(covey_view_desc){
 *         .with = { covey_id(Position) }, .read = { covey_id(Position) }, .changed = { covey_id(Position) } });
 *     covey_iter it = covey_view_iter_since(&moved, seen);
 *     while (covey_next(&it)) { ... }
 *     seen = covey_tick_advance(world);
 *
 * A value is changed by add, set, replace, patch, get_or_add if it adds, add_array and add_copies; and by views and
 * groups that write: covey_next marks the rows of each span, and covey_row_field the row's value when it is asked for,
 * in fields that are not in `.read`, whether the loop then writes or not. covey_get marks nothing: who writes through
 * its pointer calls covey_patch(world, e, T, NULL, NULL) afterwards. Being disabled or enabled is no change. A tag is
 * changed when it is added, or set.
 *
 * Ticks take 8 bytes for each index in the pages of 4096 indices in which the type has components, and 1 KB a page. */

/* The tick that changes get now: 1 in a new world. */
COVEY_API uint64_t covey_tick(const covey_world *world);
/* Ends the current tick and returns it: changes from now on have a larger one. */
COVEY_API uint64_t covey_tick_advance(covey_world *world);
/* The tick of the last change of a component; 0 when it is absent, or its type has no ticks. */
#define covey_changed_at(world, e, T) covey_changed_at_raw((world), (e), covey_id(T))
COVEY_API uint64_t covey_changed_at_raw(const covey_world *world, covey_entity e, const covey_type *type);
/* As covey_view_iter, of the entities of which any of the view's `changed` types was changed after this tick; 0 is all.
 * Blocks of 64 indices without a change are skipped without looking at their values. Whether changes that the loop
 * makes to others are found by the same iteration is not specified. */
COVEY_API covey_iter covey_view_iter_since(const covey_view *view, uint64_t tick);

/* ---- Enabling --------------------------------------------------------------------------------------------------
 *
 * What is disabled is still there, with its data: has, get, set and remove work as before. Views and groups do not see
 * it. An entity that is disabled matches no view and is in no group. A component that is disabled counts as not there:
 * `with` does not match, the field of `optional` is NULL, `without` does match. A view with `.disabled` sees all. One
 * that names the tag covey_disabled as a term, of whatever kind, sees disabled entities as that term has it:
 *
 *     covey_view sleepers = covey_view_make(world, &(covey_view_desc){
 *         .with = { covey_ids(Position, covey_disabled) } });
 *
 * While rows are visited, disabling counts as removing the component, or as adding the tag. */

/* What entities have that are disabled. Adding this tag is the same as covey_disable (but PRESENT, when it is there),
 * removing it is the same as covey_enable, covey_clear enables all. Groups cannot name it (TYPE). */
typedef struct covey_disabled covey_disabled;
typedef char covey__size_covey_disabled[0 + 1];
COVEY_API extern const covey_type covey_type_covey_disabled;

/* Hides an entity from all views that do not ask, and takes it out of all groups; if it is disabled already, that is
 * fine. DEAD, MEMORY. O(1), and the groups. A new entity is enabled. */
COVEY_API covey_result covey_disable(covey_world *world, covey_entity e);
/* Shows it again. DEAD. Never allocates. */
COVEY_API covey_result covey_enable(covey_world *world, covey_entity e);
/* Whether the entity is alive and not disabled. */
COVEY_API bool covey_is_enabled(const covey_world *world, covey_entity e);

/* The same for one component of an entity (ABSENT when it does not have it), whether the entity itself is disabled or
 * not. A component that is added is enabled, also where one was disabled and removed. Takes a bit for each index in the
 * pages of 4096 indices in which one was ever disabled. */
#define covey_component_disable(world, e, T) covey_component_disable_raw((world), (e), covey_id(T))
COVEY_API covey_result covey_component_disable_raw(covey_world *world, covey_entity e, const covey_type *type);
#define covey_component_enable(world, e, T) covey_component_enable_raw((world), (e), covey_id(T))
COVEY_API covey_result covey_component_enable_raw(covey_world *world, covey_entity e, const covey_type *type);
/* Whether the component is there and not disabled. */
#define covey_component_is_enabled(world, e, T) covey_component_is_enabled_raw((world), (e), covey_id(T))
COVEY_API bool covey_component_is_enabled_raw(const covey_world *world, covey_entity e, const covey_type *type);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_API_VISIBILITY_H */
