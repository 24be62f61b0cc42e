/* Covey: change ticks, which say when values were changed. Part of covey/covey.h.
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
#include <covey/covey.h> /* before the guard: covey.h includes this file where it belongs */

#ifndef COVEY_API_TICK_H
#define COVEY_API_TICK_H

#ifdef __cplusplus
extern "C" {
#endif

/* The current tick, which changes are marked with: 1 in a new world. */
COVEY_API uint64_t covey_tick(const covey_world *world);
/* Ends the current tick and returns it. Later changes are marked with a larger one. */
COVEY_API uint64_t covey_tick_advance(covey_world *world);
/* The tick of the last change of a component; 0 if it is absent or its type has no ticks. */
#define covey_changed_at(world, e, T) covey_changed_at_raw(COVEY__WORLD(world), (e), covey_id(T))
COVEY_API uint64_t covey_changed_at_raw(const covey_world *world, covey_entity e, const covey_type *type);
/* As covey_view_iter, but visits only entities with a component that was changed after this tick, among the view's
 * `changed` types; 0 means all. Visits them by index, unless the tick is 0. Skips blocks of 64 indices without a
 * change, and does not read their values: O(indices / 64), and the changes. Whether the iteration finds changes that
 * its own loop makes to other entities is not specified. */
COVEY_API covey_iter covey_view_iter_since(const covey_view *view, uint64_t tick);
/* As covey_gather, but only components that were changed after this tick; all, if the tick is 0 or the type has no
 * ticks. */
#define covey_gather_since(world, entities, count, T, tick, values, positions)            \
    covey_gather_since_raw(COVEY__WORLD(world), (entities), (count), covey_id(T), (tick), \
                           COVEY__EXPECTS_POINTER_TO(T, values), (positions))
COVEY_API uint32_t covey_gather_since_raw(const covey_world *world, const covey_entity *entities, uint32_t count,
                                          const covey_type *type, uint64_t tick, void *values, uint32_t *positions);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_API_TICK_H */
