/* Covey, optional: rollback, which returns a world to an earlier state.
 *
 *     covey_history *history = covey_history_create(world, 8);
 *     covey_history_save(history);                                      before each step, for example
 *     covey_history_restore(history, 3);                                the world as it was three steps ago
 *
 * A history keeps the last snapshots of a world in memory. A snapshot shares unchanged parts with the one before: it
 * takes the bytes of the parts that changed, in units of a few kilobytes. Restoring writes into the existing storages;
 * where the same entities have the same components, it copies values and compares the rest.
 *
 * A snapshot contains: entities, the generations of all indices, reserved ranges, and what decides which indices new
 * entities get; components, their order and holes, and the storage of their pool; what is disabled; the tick, and when
 * components were changed; resources; parents, children and names; the members of groups in their order; the marks of
 * reactive sets; events in queues; the ids that command buffers have ready; and which entities followers have made
 * (covey/image.h). So the same calls give the same results again, spans and rows in the same order included.
 *
 * It does not contain listeners, recorded commands, or the order in which a pool is kept; nor does it contain which
 * groups, queues, reactive sets, command buffers and followers exist. These stay, and adapt to the restored state: a
 * newer group collects its members, a pool that is kept in order now is sorted, and a newer queue, reactive set or
 * command buffer is empty. A newer follower has made no entities; entities that a destroyed follower had made belong to
 * the world. Newer types stay known, without components.
 *
 * `copy` hooks copy values when they are saved, and again when they are restored; `drop` hooks end the copies.
 * Snapshots never share such values.
 *
 * Handles that were issued after the snapshot are issued again after restoring it, maybe for other entities. This is an
 * exception to the rule that a stale handle never resolves: also restore or discard the handles that you keep outside
 * the world. See docs/rollback.md. */
#ifndef COVEY_HISTORY_H
#define COVEY_HISTORY_H

#include <covey/covey.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct covey_history covey_history;

/* Creates a history for the last `capacity` snapshots of a world; it has none yet. It uses the allocator of the world,
 * which destroys it at the latest. Returns NULL on failure: MEMORY; RANGE when the capacity is 0. */
COVEY_NODISCARD COVEY_API covey_history *covey_history_create(covey_world *world, uint32_t capacity);
/* Drops all snapshots. NULL is allowed. */
COVEY_API void covey_history_destroy(covey_history *history);

/* Saves the state of the world as a snapshot; beyond the capacity, drops the oldest one. Fails with MEMORY; COPY when a
 * component or resource cannot be copied, or its hook returns false; REFUSED while listeners are called, commands are
 * replayed or a follower reads an image, and while a command buffer has recorded entities that are not created yet.
 * Does not change the world. O(bytes of the world): compares all of them with the snapshot before, and copies the parts
 * that differ. */
COVEY_NODISCARD COVEY_API bool covey_history_save(covey_history *history);

/* Returns the world to the state of a snapshot: 0 is the last one saved, 1 the one before. Drops later snapshots; this
 * one stays. Calls no listeners. Fails with ABSENT when there is no such snapshot; MEMORY and COPY; REFUSED as
 * covey_history_save, and when a pool that was in blocks then is owned by a group or kept in order now. A restore that
 * fails changes nothing. Invalidates iterators, and addresses of components. The addresses of resources stay valid, and
 * those of pinned components that exist before and after, unless the pool was converted. Pools and groups stay valid.
 * O(bytes of the snapshot). */
COVEY_NODISCARD COVEY_API bool covey_history_restore(covey_history *history, uint32_t back);

/* Makes a separate world with the state of a snapshot, to inspect it while the first world continues: 0 is the last
 * snapshot saved, 1 the one before. As with covey_world_clone, it has the allocator, log and handlers of `desc`, or,
 * for NULL, of the first world, and no groups, queues, reactive sets and listeners. A pool that was kept sorted is
 * kept sorted. Returns NULL on failure: ABSENT when there is no such snapshot, MEMORY, COPY. Changes neither the
 * first world nor the history. O(bytes of the snapshot). */
COVEY_NODISCARD COVEY_API covey_world *covey_history_world(covey_history *history, uint32_t back,
                                                           const covey_world_desc *desc);

/* Facts about a snapshot. */
typedef struct covey_snapshot_info {
    uint64_t number; /* how many snapshots the history had saved before; stays the same */
    uint64_t tick;
    uint32_t entities; /* how many were alive */
    size_t bytes;      /* not shared with other snapshots: dropping this one frees them */
} covey_snapshot_info;
/* Returns false when there is no such snapshot. O(units of the snapshot). */
COVEY_API bool covey_history_info(const covey_history *history, uint32_t back, covey_snapshot_info *info);

/* The number of snapshots, and the most that the history keeps. */
COVEY_API uint32_t covey_history_count(const covey_history *history);
COVEY_API uint32_t covey_history_capacity(const covey_history *history);
/* The bytes that the history has allocated, exactly. covey_world_memory does not count them. */
COVEY_API size_t covey_history_memory(const covey_history *history);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
