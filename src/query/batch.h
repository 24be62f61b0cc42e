/* The matches of an iteration, in batches: a span, or a list of scattered rows. */
#ifndef COVEY_BATCH_H
#define COVEY_BATCH_H

#include <covey/covey.h>

/* The next batch of spans, after deciding how the iteration walks. Returns false at the end. */
bool covey__find_batch(covey_iter *it);

/* After the last span or row: tells lookups that no row is written any more. */
void covey__close_rows(const covey_iter *it);

/* Called before the first batch of an array, which may have changed since the iteration was made. */
void covey__array_begin(covey_iter *it);
/* Remembers the last entity to visit. */
void covey__note_last(covey_iter *it);

/* A batch of rows, at most it->walk.most, from the current place on: a list of values; or it->flat says which rows have
 * contiguous values. Returns false at the end. */
bool covey__list_rows_of_array(covey_iter *it);
bool covey__list_rows_of_ids(covey_iter *it);
bool covey__list_slots(covey_iter *it);
/* The same for the next positions if so many are known to have contiguous values, from those on that the first entries
 * of the lists say. At most a block of them is listed; _along lists more, which follow. */
bool covey__list_flat(covey_iter *it, uint32_t count);
bool covey__list_along(covey_iter *it);
/* Returns to the place behind the current row of such a list, after values have moved. */
void covey__slots_anew(covey_iter *it);
/* The next matching position, in a batch of one, without its fields. Returns false at the end. */
bool covey__next_position(covey_iter *it);

/* How many handles from a place on have consecutive indices, from `index` on, up to `most`. */
uint32_t covey__run_of_indices(const covey_entity *handles, uint32_t index, uint32_t most);

/* Whether the entity at a position matches. */
bool covey__matches_at(const covey_iter *it, uint32_t at);

#endif
