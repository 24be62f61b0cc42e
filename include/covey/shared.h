/* Covey, optional: entities that several worlds share, for libraries that keep worlds in step; covey::mpi does this.
 *
 * An entity may move from one world to another, and have copies in others. A relation (covey/lookup.h) may then name a
 * target that lives in another world. Only the end of an entity is the end of a target: it is none if the entity moves,
 * or if a copy is destroyed. */
#ifndef COVEY_SHARED_H
#define COVEY_SHARED_H

#include <covey/covey.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Destroys entities that live on in another world, as covey_destroy_many does, but as targets they do not end: their
 * sources stay as they are. What listeners destroy meanwhile ends as usual. */
COVEY_API uint32_t covey_leave_many(covey_world *world, const covey_entity *entities, uint32_t count);
/* Says that the entities with this component are copies: policies of lookups do not change them when a target ends,
 * because the world where the entity lives does. NULL: there are none. Returns false when memory is out. */
COVEY_API bool covey_copies_are(covey_world *world, const covey_type *type);
/* The targets that are not alive in this world, or are copies, and have sources here that are none, in the lookups with
 * a policy. Writes at most so many, in any order, and one in two lookups twice. Returns how many there are. */
COVEY_API uint32_t covey_targets_elsewhere(covey_world *world, covey_entity *targets, uint32_t most);
/* These entities were destroyed in another world: does what lookups say to their sources here. Never fails. */
COVEY_API void covey_targets_end(covey_world *world, const covey_entity *targets, uint32_t count);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_SHARED_H */
