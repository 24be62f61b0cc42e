/* Covey, optional: going back to an earlier state of a world.
 *
 *     covey_history *history = covey_history_create(world, 8);
 *     covey_history_save(history);                                          before each step, say
 *     covey_history_restore(history, 3)                                     the world as it was three steps ago
 *
 * A history keeps the last snapshots of a world in memory. A snapshot shares what did not change with the one before: it
 * takes the bytes of what did, in parts of a few kilobytes. Restoring writes into the storages that are there, so pools
 * and groups stay valid; where the same entities have the same components, it is little more than copying the values.
 *
 * A snapshot has: entities, with the generations and indices that are free, and reserved ranges; components, their order
 * and holes, and the storage of their pool; what is disabled; the tick, and when components were changed; resources;
 * parents, children and names; the marks of reactive sets; events in queues; and the members of groups, in their order.
 *
 * It does not have: who listens; which groups, queues, reactive sets and command buffers there are; whether a pool is kept
 * in an order. These stay as they are, and fit the restored state: a group that was made since has the members that it
 * would have had then, and a queue or reactive set that was made since is empty. Types that the world has met since stay
 * known, and have no components.
 *
 * Values of types with hooks are copied by `copy` when they are saved and when they are restored, and end with `drop`.
 *
 * A handle that was made after the save, and lost by the restore, is issued again: for another entity. Whoever keeps
 * handles outside of the world goes back with it. docs/rollback.md has more. */
#ifndef COVEY_HISTORY_H
#define COVEY_HISTORY_H

#include <covey/covey.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct covey_history covey_history;

/* Makes a history that keeps the last `capacity` snapshots of a world, and has none yet. It uses the world's allocator,
 * and ends with the world at the latest. NULL: MEMORY; RANGE when the capacity is 0. */
COVEY_API covey_history *covey_history_create(covey_world *world, uint32_t capacity);
/* Drops all snapshots. NULL is fine. */
COVEY_API void covey_history_destroy(covey_history *history);

/* Saves the state of the world; the oldest snapshot goes if there are more than the capacity. Fails with MEMORY; COPY when
 * a component or resource cannot be copied, or its hook said no; REFUSED while listeners are told of something or commands
 * are replayed, and while a command buffer has ids ready or recorded. Changes nothing of the world. O(bytes of the
 * world); what is the same as in the snapshot before is only compared. */
COVEY_API bool covey_history_save(covey_history *history);

/* Gives the world the state of a snapshot: 0 is the one saved last, 1 that before. Later ones are dropped; this one stays.
 * Nobody hears of what comes and goes. Fails with ABSENT when there is no such snapshot; MEMORY and COPY; REFUSED as
 * covey_history_save does, and when a pool that was in blocks is owned by a group or kept in an order now. A restore that
 * fails changes nothing. Invalidates iterators and addresses of components, but for pinned and in-place ones that are
 * there before and after; resources that were there keep their addresses. O(bytes of the snapshot). */
COVEY_API bool covey_history_restore(covey_history *history, uint32_t back);

/* How many snapshots there are. */
COVEY_API uint32_t covey_history_count(const covey_history *history);
/* The bytes of the history: exactly what the allocator has handed out for it. They are not part of
 * covey_world_memory. */
COVEY_API size_t covey_history_memory(const covey_history *history);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
