/* What a snapshot keeps of a sparse set: ids and values by position, COVEY__UNIT positions to a unit.
 *
 * A set is restored in two steps. The first makes a plan, allocates what the set will need and changes nothing visible;
 * the second cannot fail. Only parts whose ids differ are written to the table of the set. */
#ifndef COVEY_SET_SNAPSHOT_H
#define COVEY_SET_SNAPSHOT_H

#include "memory/copier.h"
#include "storage/unit.h"

#include <covey/covey.h>

#define COVEY__UNIT (COVEY_PAGE_SIZE < 512 ? COVEY_PAGE_SIZE : 512) /* values of a unit are contiguous in the set */

typedef struct covey__set_snapshot {
    uint32_t end, dead, holes, hole; /* as in a covey_sparse_set */
    covey__units ids, marks;         /* of marks, 64 words to a unit */
} covey__set_snapshot;

#define COVEY__EMPTY_SET \
    { .hole = COVEY_NONE }

/* Which parts differ from the snapshot. */
typedef struct covey__set_plan {
    uint64_t *differs; /* a bit for each part: whether its ids may differ */
    uint32_t parts;
} covey__set_plan;

/* The id at a position; null for a hole. */
covey_entity covey__set_snapshot_at(const covey__set_snapshot *snapshot, uint32_t position);
void covey__set_snapshot_visit(covey__unit_store *store, covey__set_snapshot *snapshot, covey__units_fn *visit,
                               void *context);

/* Saving shares units with the snapshot before. False when an allocation fails. */
bool covey__set_save(covey__unit_store *store, const covey_sparse_set *set, const covey__set_snapshot *before,
                     covey__set_snapshot *snapshot);
/* Saves the values as bytes into a list that has a NULL for each unit. */
bool covey__set_save_values(covey__unit_store *store, const covey_sparse_set *set, const covey__units *before,
                            covey__units *values);

covey_result covey__set_plan_create(covey__heap *heap, covey__set_plan *plan, const covey_sparse_set *set,
                                    const covey__set_snapshot *snapshot);
void covey__set_plan_free(covey__heap *heap, covey__set_plan *plan);
/* Makes the plan, and room for all elements of the snapshot. `pool` has the set, and is marked present; or NULL. */
covey_result covey__set_prepare_restore(covey__heap *heap, covey__set_plan *plan, covey_sparse_set *set,
                                        covey_pool *pool, const covey__set_snapshot *snapshot);
/* Restores all but the values; zeroes values that are erased if the type asks for it. */
void covey__set_restore(covey_sparse_set *set, const covey__set_plan *plan, const covey__set_snapshot *snapshot);
void covey__set_restore_values(covey__copier *copier, const covey_sparse_set *set, const covey__units *values);

#endif
