/* What a snapshot keeps of a block store: for each page a form, and values, COVEY__UNIT_BLOCKS blocks to a unit. Values
 * are packed: in a direct block by index, in a compact one by slot.
 *
 * As a sparse set, it is restored in two steps. The first allocates pages and chunks; the second cannot fail. Pages
 * that have the form of the snapshot keep their chunks. */
#ifndef COVEY_BLOCK_SNAPSHOT_H
#define COVEY_BLOCK_SNAPSHOT_H

#include "memory/copier.h"
#include "storage/unit.h"

#include <covey/covey.h>

#define COVEY__UNIT_BLOCKS (COVEY__PAGE_BLOCKS < 8 ? COVEY__PAGE_BLOCKS : 8)
#define COVEY__UNITS_OF_PAGE (COVEY__PAGE_BLOCKS / COVEY__UNIT_BLOCKS)

/* Chunks for blocks whose capacity will change, in the order of the blocks. */
typedef struct covey__block_plan {
    char **chunks;
    uint32_t count, capacity;
} covey__block_plan;

/* Saving shares units with the snapshot before. `forms` has a NULL for each page, and `values`, unless it is NULL, one
 * for each unit. False when an allocation fails. */
bool covey__blocks_save(covey__unit_store *store, const covey__block_store *blocks, const covey__units *forms_before,
                        covey__units *forms, const covey__units *values_before, covey__units *values);

/* The first index from *from on that has a component in the snapshot, or COVEY_NONE; sets *from behind it. */
uint32_t covey__forms_next(const covey__units *forms, uint64_t *from);
const uint64_t *covey__form_masks(const covey__units *forms, uint32_t page); /* the occupancy masks of a page */

covey_result covey__blocks_prepare_restore(covey__heap *heap, covey__block_plan *plan, covey_pool *pool,
                                           const covey__units *forms);
/* Restores all but the values, and the presence of the pool. */
void covey__blocks_restore(covey_pool *pool, const covey__block_plan *plan, const covey__units *forms, uint32_t count);
void covey__blocks_restore_values(covey__copier *copier, const covey__block_store *blocks, const covey__units *values);
void covey__block_plan_return(covey__block_plan *plan,
                              covey__block_store *blocks); /* its chunks, instead of restoring */
void covey__block_plan_free(covey__heap *heap, covey__block_plan *plan);

#endif
