/* Reactive sets: their marks, and the destroyed entities that they keep. */
#ifndef COVEY_REACTIVE_SNAPSHOT_H
#define COVEY_REACTIVE_SNAPSHOT_H

#include "history/snapshot.h"

/* Saves what a set has besides its marks, which are saved as any storage. */
bool covey__save_reactive(covey__saving *s, const covey_pool *tags, const covey__pool_snapshot *before,
                          covey__pool_snapshot *snapshot);
/* The snapshot of a set: an empty one if the set is newer, or was reused since. */
const covey__pool_snapshot *covey__reactive_snapshot_of(const covey_pool *tags, const covey__pool_snapshot *snapshot);
/* Room for entities that the set keeps when they are destroyed. All pools have a plan. */
bool covey__prepare_ended(covey__rollback *r, covey_pool *tags);
/* Room for the marks of all sets that listen to a pool, on all its components. */
bool covey__prepare_marks_of(covey__rollback *r, const covey_pool *pool, const covey__pool_snapshot *snapshot);
void covey__restore_reactive(covey_pool *tags, const covey__pool_snapshot *snapshot);

#endif
