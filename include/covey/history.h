/* Covey, optional: going back to an earlier state of a world.
 *
 *     covey_history *history = covey_history_create(world, 8);
 *     covey_history_save(history);                                      before each step, say
 *     covey_history_restore(history, 3);                                the world as it was three steps ago
 *
 * A history keeps the last snapshots of a world in memory. A snapshot shares with the one before what did not change:
 * it takes the bytes of what did, in parts of a few kilobytes. Restoring writes into the storages that are there; where
 * the same entities have the same components, it copies values and compares the rest.
 *
 * A snapshot has: entities, the order of free indices, and reserved ranges; components, their order and holes, and the
 * storage of their pool; what is disabled; the tick, and when components were changed; resources; parents, children and
 * names; the members of groups in their order; the marks of reactive sets; events in queues; and the ids that command
 * buffers have ready. So the same calls give the same results again, spans and rows in the same order included.
 *
 * It does not have who listens, which groups, queues, reactive sets and command buffers there are, what these have
 * recorded, and in which order a pool is kept. That stays as it is, and fits what comes back: a group that was made
 * since has the members that it would have had, a pool that is kept in order since is sorted, and a queue, a reactive
 * set or a buffer that was made since has nothing. Types that the world has met since stay known, without components.
 *
 * Values of types with hooks are copied by `copy` when they are saved and again when they are restored, and end with
 * `drop`. Nobody shares them.
 *
 * A handle that was made after a snapshot is issued again after it was restored, maybe for another entity: whoever
 * keeps handles outside of the world has to go back with it. docs/rollback.md has more. */
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

/* Saves the state of the world; the oldest snapshot goes when there are more than the capacity. Fails with MEMORY;
 * COPY when a component or resource cannot be copied, or its hook said no; REFUSED while listeners are told of
 * something or commands are replayed, and while entities are recorded that were not made yet. Changes nothing of the
 * world. O(bytes of the world): all of them are compared with the snapshot before, and those of parts that differ are
 * copied. */
COVEY_API bool covey_history_save(covey_history *history);

/* Gives the world the state of a snapshot: 0 is the one saved last, 1 the one before. Later ones are dropped; this
 * one stays. Nobody is told of what comes and goes. Fails with ABSENT when there is no such snapshot; MEMORY and COPY;
 * REFUSED as covey_history_save does, and when a pool that was in blocks then is owned by a group or kept in an order
 * now. A restore that fails changes nothing. Invalidates iterators, and addresses of components; those of pinned ones
 * that are there before and after stay, unless the pool was converted, and so do those of resources. Pools and groups
 * stay valid. O(bytes of the snapshot). */
COVEY_API bool covey_history_restore(covey_history *history, uint32_t back);

/* Makes a world of its own that has the state of a snapshot, to look at it while the first world goes on: 0 is the snapshot
 * saved last, 1 the one before. As covey_world_clone does, it has the allocator, log and handlers of `desc`, or, for NULL, of
 * the first world; groups, queues, reactive sets and all that listens stay behind. A pool that was kept in an order is kept
 * in it. NULL: ABSENT when there is no such snapshot, MEMORY, COPY. Neither the first world nor the history is changed.
 * O(bytes of the snapshot). */
COVEY_API covey_world *covey_history_world(covey_history *history, uint32_t back, const covey_world_desc *desc);

/* What a snapshot is about. */
typedef struct covey_snapshot_info {
    uint64_t number;   /* snapshots that the history had saved before: stays the same while further ones are saved */
    uint64_t tick;
    uint32_t entities; /* that were alive */
    size_t bytes;      /* that no other snapshot shares: what dropping this one would free */
} covey_snapshot_info;
/* Returns false when there is no such snapshot. O(units of the snapshot). */
COVEY_API bool covey_history_info(const covey_history *history, uint32_t back, covey_snapshot_info *info);

/* How many snapshots there are, and how many there can be. */
COVEY_API uint32_t covey_history_count(const covey_history *history);
COVEY_API uint32_t covey_history_capacity(const covey_history *history);
/* The bytes of the history: exactly what the allocator has handed out for it. They are not part of
 * covey_world_memory. */
COVEY_API size_t covey_history_memory(const covey_history *history);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
