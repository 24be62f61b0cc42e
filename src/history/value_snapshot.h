/* Values that are not saved as bytes: those of types with hooks are copied; names are saved as records. */
#ifndef COVEY_VALUE_SNAPSHOT_H
#define COVEY_VALUE_SNAPSHOT_H

#include "history/snapshot.h"

bool covey__saves_bytes(const covey_pool *pool); /* whether the values of a pool are saved as bytes */

/* Copies the values of a unit, with their hook. On failure the result is noted, and the unit, or NULL, is returned. */
covey__unit *covey__copy_unit(covey__rollback *r, const covey_type *type, const covey__unit *from);

/* The rest is for pools whose values are not, but covey__end_values. */
bool covey__save_values(covey__saving *s, const covey_pool *pool, const covey__units *before, covey__units *values);
bool covey__prepare_values(covey__rollback *r, const covey_pool *pool, covey__pool_plan *plan);
/* Ends all values of a pool whose values are not bytes: drops them, or frees the texts of names. */
void covey__end_values(const covey_pool *pool);
/* Moves the prepared values into the pool, which has the ids of the snapshot. */
void covey__restore_values(const covey_pool *pool, covey__units *values);
void covey__undo_values(covey__rollback *r, const covey_pool *pool, covey__pool_plan *plan);

#endif
