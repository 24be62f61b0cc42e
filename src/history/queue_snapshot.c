/* Saves and restores the events of queues. */
#include "memory/inner.h"
#include "history/snapshot.h"

#include "observe/queue.h"

/* Returns NULL if there was none. */
static const covey__queue_snapshot *snapshot_of(const covey__snapshot *snapshot, const covey_queue *queue) {
    for (uint32_t i = 0; i < snapshot->queue_count; i++)
        if (snapshot->queues[i].number == queue->number) return &snapshot->queues[i];
    return NULL;
}

/* ---- Saving ------------------------------------------------------------------------------------------------------*/

/* Saves the elements of a ring, from the first to the last, as one unit. */
static bool save_ring(covey__saving *s, const covey_queue *queue, const char *ring, size_t size,
                      const covey__units *before, covey__units *list) {
    uint32_t behind = queue->capacity - queue->first, straight = queue->count < behind ? queue->count : behind;
    if (queue->count == 0) return true;
    if (!covey__units_create(s->store, list, 1)) return false;
    covey__unit *unit = covey__unit_create(s->store, queue->count * size, NULL);
    if (!unit) return false;
    memcpy(covey__unit_bytes(unit), ring + queue->first * size, straight * size);
    memcpy(covey__unit_bytes(unit) + straight * size, ring, (queue->count - straight) * size);
    list->at[0] = covey__unit_share_equal(s->store, before, 0, unit);
    return true;
}

static bool save_queue(covey__saving *s, const covey_queue *queue, covey__queue_snapshot *snapshot) {
    static const covey__queue_snapshot none;
    const covey__queue_snapshot *before = snapshot_of(s->before, queue);
    if (!before) before = &none;
    snapshot->number = queue->number;
    snapshot->count = queue->count;
    snapshot->stride = queue->stride;
    bool saved =
        save_ring(s, queue, (const char *)queue->events, sizeof *queue->events, &before->events, &snapshot->events) &&
        (queue->stride == 0 || save_ring(s, queue, queue->values, queue->stride, &before->values, &snapshot->values));
    return saved || covey__save_lacks_memory(s);
}

bool covey__save_queues(covey__saving *s) {
    covey__snapshot *snapshot = s->snapshot;
    uint32_t count = 0, at = 0;
    for (const covey_queue *queue = s->world->inner->queues; queue; queue = queue->next) count++;
    snapshot->queues = covey__make_parts(s, &snapshot->queue_count, count, sizeof *snapshot->queues);
    for (const covey_queue *queue = s->world->inner->queues; queue && s->result == COVEY_OK; queue = queue->next)
        save_queue(s, queue, &snapshot->queues[at++]);
    return s->result == COVEY_OK;
}

/* ---- Restoring ---------------------------------------------------------------------------------------------------*/

/* How many events follow if all restored entities and components end. */
static uint64_t owed_then(const covey__rollback *r, const covey_queue *queue) {
    uint64_t owed = 0;
    for (uint32_t i = 0; i < queue->source_count; i++) {
        const covey__source_of_events *source = &queue->sources[i];
        if ((source->signals & COVEY_ON_REMOVE) != 0) owed += r->pools[source->pool->number].snapshot->storage.count;
        if ((source->signals & COVEY_ON_DESTROY) != 0) owed += r->snapshot->alive;
    }
    return owed;
}

bool covey__prepare_queues(covey__rollback *r) {
    for (covey_queue *queue = r->world->inner->queues; queue; queue = queue->next) {
        const covey__queue_snapshot *snapshot = snapshot_of(r->snapshot, queue);
        uint64_t now = queue->count + covey__queue_owed(queue);
        uint64_t then = owed_then(r, queue) + (snapshot ? snapshot->count : 0);
        if (!covey__queue_reserve(queue, then > now ? then - now : 0)) return covey__rollback_lacks_memory(r);
    }
    return true;
}

static void restore_queue(covey_queue *queue, const covey__queue_snapshot *snapshot) {
    queue->first = 0;
    queue->count = snapshot ? snapshot->count : 0;
    if (queue->count == 0) return;
    memcpy(queue->events, covey__unit_bytes(snapshot->events.at[0]), queue->count * sizeof *queue->events);
    const covey__unit *values = covey__unit_at(&snapshot->values, 0);
    for (uint32_t i = 0; values && i < queue->count; i++) /* the stride may be larger now */
        memcpy(queue->values + (size_t)i * queue->stride, covey__unit_bytes(values) + (size_t)i * snapshot->stride,
               snapshot->stride);
}

void covey__restore_queues(const covey__rollback *r) {
    for (covey_queue *queue = r->world->inner->queues; queue; queue = queue->next)
        restore_queue(queue, snapshot_of(r->snapshot, queue));
}
