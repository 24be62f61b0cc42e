/* What a snapshot keeps of a storage, of any kind, and how the storage is restored. The history decides when, and saves
 * and restores values that are not bytes. */
#ifndef COVEY_STORAGE_SNAPSHOT_H
#define COVEY_STORAGE_SNAPSHOT_H

#include "storage/block_snapshot.h"
#include "storage/set_snapshot.h"

typedef struct covey__storage_snapshot {
    covey_storage kind;
    uint32_t count;          /* components */
    covey__units forms;      /* in blocks */
    covey__set_snapshot set; /* packed */
    covey__units values;     /* empty for tags */
} covey__storage_snapshot;

#define COVEY__EMPTY_STORAGE \
    { .set = COVEY__EMPTY_SET }

/* What the first step of restoring has made. */
typedef struct covey__storage_plan {
    covey__set_plan set;
    covey__block_plan blocks;
} covey__storage_plan;

void covey__storage_snapshot_visit(covey__unit_store *store, covey__storage_snapshot *snapshot, covey__units_fn *visit,
                                   void *context);
/* The first index with a component in the snapshot, or COVEY_NONE at the end. *from begins with 0, and is set behind
 * it. */
uint32_t covey__storage_snapshot_next(const covey__storage_snapshot *snapshot, uint64_t *from);
/* How many positions of the pool have their values in one unit: unit i begins at the position i times that. */
uint32_t covey__storage_unit_size(const covey_pool *pool);

/* Saves a storage; shares units with the snapshot before. Without `bytes`, the list of values stays without units, and
 * the caller fills it. False when an allocation fails. */
bool covey__storage_save(covey__unit_store *store, const covey_pool *pool, bool bytes,
                         const covey__storage_snapshot *before, covey__storage_snapshot *snapshot);

/* The pool has the kind of the snapshot, or the snapshot is COVEY__EMPTY_STORAGE. Prepares: allocates everything that
 * restoring needs, and changes nothing visible. Restores, which cannot fail; without `bytes`, values are uninitialised
 * afterwards. Undoes what preparing did, instead of restoring. Frees the plan in any case. */
covey_result covey__storage_prepare_restore(covey__heap *heap, covey__storage_plan *plan, covey_pool *pool,
                                            const covey__storage_snapshot *snapshot);
void covey__storage_restore(covey__copier *copier, const covey__storage_plan *plan, covey_pool *pool, bool bytes,
                            const covey__storage_snapshot *snapshot);
void covey__storage_undo_prepare(covey__storage_plan *plan, covey_pool *pool);
void covey__storage_plan_free(covey__heap *heap, covey__storage_plan *plan);

/* The same for the marks of a reactive set, which are saved as any storage and need no plan. */
covey_result covey__marks_prepare_restore(covey_pool *tags, const covey__storage_snapshot *snapshot);
void covey__marks_restore(covey_pool *tags, const covey__storage_snapshot *snapshot);

#endif
