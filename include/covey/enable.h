/* Covey: disabling and enabling entities and components. Part of covey/covey.h.
 *
 * What is disabled stays in place, with its data: has, get, set and remove work as before. Views and groups skip it: a
 * disabled entity matches no view and is in no group, and a disabled component counts as absent: `with` does not match,
 * the field of `optional` is NULL, `without` matches. A view with `.include_disabled` sees everything. A view that
 * names the tag covey_disabled as a term of any kind sees disabled entities as that term says:
 *
 *     covey_view sleepers = covey_view_make(world, &(covey_view_desc){
 *         .with = { covey_ids(Position, covey_disabled) } });
 *
 * While rows are visited, disabling counts as removing the component, or as adding the tag. */
#include <covey/covey.h> /* before the guard: covey.h includes this file where it belongs */

#ifndef COVEY_API_ENABLE_H
#define COVEY_API_ENABLE_H

#ifdef __cplusplus
extern "C" {
#endif

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

#endif /* COVEY_API_ENABLE_H */
