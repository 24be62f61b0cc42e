/* Queues: rings of events that the program reads later. */
#include "observe/queue.h"

#include "memory/inner.h"
#include "memory/alloc.h"
#include "memory/result.h"

#include <stdalign.h>

uint64_t covey__queue_owed(const covey_queue *queue) {
    uint64_t owed = 0;
    for (uint32_t i = 0; i < queue->source_count; i++) {
        const covey__source_of_events *source = &queue->sources[i];
        if ((source->signals & COVEY_ON_REMOVE) != 0) owed += covey_pool_count(source->pool);
        if ((source->signals & COVEY_ON_DESTROY) != 0) owed += queue->world->alive;
    }
    return owed;
}

static void free_values(covey_queue *queue) {
    if (queue->stride != 0)
        covey__free(&queue->world->inner->heap, queue->values, queue->capacity, queue->stride, queue->align);
}

static uint32_t ring_place(const covey_queue *queue, uint32_t number) {
    uint32_t at = queue->first + number;
    return at < queue->capacity && at >= queue->first ? at : at - queue->capacity;
}

/* Moves copies of values to an array with larger places. Copies at the end of the old ring go to the end of the new
 * one. */
static void move_copies(covey_queue *queue, char *values, uint32_t capacity, uint32_t stride) {
    uint32_t behind = queue->capacity - queue->first;
    for (uint32_t i = 0; i < queue->count && queue->stride != 0; i++) {
        uint32_t from = ring_place(queue, i);
        uint32_t to = queue->count > behind && i < behind ? capacity - behind + i : from;
        memcpy(values + (size_t)to * stride, queue->values + (size_t)from * queue->stride, queue->stride);
    }
    free_values(queue);
    queue->values = values;
}

static bool grow_queue(covey_queue *queue, uint32_t wanted) {
    covey__heap *heap = &queue->world->inner->heap;
    uint32_t capacity = covey__grown(queue->capacity, wanted, UINT32_MAX), stride = queue->stride;
    char *values = stride ? covey__resize(heap, NULL, 0, capacity, stride, queue->align) : NULL;
    covey__queued *events = stride && !values ? NULL
                                              : covey__resize(heap, queue->events, queue->capacity, capacity,
                                                              sizeof *events, alignof(covey__queued));
    if (!events) {
        if (values) covey__free(heap, values, capacity, stride, queue->align);
        return false;
    }
    uint32_t behind =
        queue->capacity - queue->first; /* events at the end of the old ring go to the end of the new one */
    move_copies(queue, values, capacity, stride);
    if (queue->count > behind) {
        memmove(events + capacity - behind, events + queue->first, behind * sizeof *events);
        queue->first = capacity - behind;
    }
    queue->events = events;
    queue->capacity = capacity;
    return true;
}

/* Makes the places of copies large enough for a type. */
static bool fit_values(covey_queue *queue, const covey_type *type) {
    uint32_t align = type->align > queue->align ? type->align : queue->align;
    uint32_t size = type->size > queue->stride ? type->size : queue->stride;
    uint32_t stride = (size + align - 1) / align * align;
    if (stride == queue->stride && align == queue->align) return true;
    char *values = covey__resize(&queue->world->inner->heap, NULL, 0, queue->capacity, stride, align);
    if (!values && queue->capacity != 0) return false;
    move_copies(queue, values, queue->capacity, stride);
    queue->stride = stride;
    queue->align = align;
    return true;
}

bool covey__queue_reserve(covey_queue *queue, uint64_t more) {
    uint64_t wanted = queue->count + covey__queue_owed(queue) + more;
    return wanted <= queue->capacity || (wanted <= UINT32_MAX && grow_queue(queue, (uint32_t)wanted));
}

void covey__queue_push(covey_queue *queue, const covey_pool *pool, covey_signal signal, covey_entity e,
                       const void *value) {
    uint32_t at = ring_place(queue, queue->count++), flag = value ? COVEY__WITH_VALUE : 0;
    queue->events[at] = (covey__queued){ e, pool ? pool->number : COVEY_NONE, (uint32_t)signal | flag };
    if (queue->stride == 0) return;
    char *copy = queue->values + (size_t)at * queue->stride;
    memset(copy, 0, queue->stride); /* histories compare all bytes */
    if (value) memcpy(copy, value, pool->size);
}

bool covey__queue_attach(covey_queue *queue, const covey_pool *pool, const covey__listener *listener) {
    covey__heap *heap = &queue->world->inner->heap;
    covey__source_of_events *sources = queue->sources;
    if (queue->source_count == queue->source_capacity) {
        uint32_t capacity = covey__grown(queue->source_capacity, queue->source_count + 1, UINT32_MAX);
        sources = covey__resize(heap, sources, queue->source_capacity, capacity, sizeof *sources,
                                alignof(covey__source_of_events));
        if (!sources) return false;
        queue->sources = sources;
        queue->source_capacity = capacity;
    }
    if (listener->values && !fit_values(queue, pool->type)) return false;
    sources[queue->source_count++] = (covey__source_of_events){ pool, listener->signals, listener->number };
    bool ready = covey__queue_reserve(queue, 0);
    if (!ready) queue->source_count--;
    return ready;
}

void covey__queue_detach(covey_queue *queue, uint64_t number) {
    uint32_t at = 0;
    while (queue->sources[at].number != number) at++;
    queue->sources[at] = queue->sources[--queue->source_count];
}

static void end_queues(covey_world *world) {
    while (world->inner->queues) {
        covey_queue *queue = world->inner->queues;
        world->inner->queues = queue->next;
        covey__queue_free(queue);
    }
}

static const covey__feature queues = { .end = end_queues };

covey_queue *covey_queue_create(covey_world *world) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    if (COVEY__IN_HOOK(world)) return NULL;
    covey_queue *queue = covey__resize(&world->inner->heap, NULL, 0, 1, sizeof *queue, alignof(covey_queue));
    if (!queue) {
        covey__fail(world, COVEY_ERROR_MEMORY, "a queue could not be created: an allocation failed");
        return NULL;
    }
    *queue =
        (covey_queue){ .world = world, .number = ++world->inner->numbered, .next = world->inner->queues, .align = 1 };
    world->inner->queues = queue;
    world->inner->features[COVEY__QUEUES] = &queues;
    return queue;
}

void covey__queue_free(covey_queue *queue) {
    covey__heap *heap = &queue->world->inner->heap;
    free_values(queue);
    covey__free(heap, queue->events, queue->capacity, sizeof *queue->events, alignof(covey__queued));
    covey__free(heap, queue->sources, queue->source_capacity, sizeof *queue->sources, alignof(covey__source_of_events));
    covey__free(heap, queue, 1, sizeof *queue, alignof(covey_queue));
}

uint32_t covey_queue_count(const covey_queue *queue) {
    COVEY__CONTRACT(NULL, queue, "a call needs a queue");
    return queue->count;
}

bool covey_queue_next(covey_queue *queue, covey_event *event) {
    if (covey_queue_count(queue) == 0) return false;
    const covey__queued *queued = &queue->events[queue->first];
    bool valued = (queued->signal & COVEY__WITH_VALUE) != 0;
    *event = (covey_event){
        .world = queue->world,
        .signal = (covey_signal)(queued->signal & ~COVEY__WITH_VALUE),
        .type = queued->pool != COVEY_NONE ? queue->world->pools[queued->pool]->type : NULL,
        .entities = &queued->entity,
        .values = valued ? queue->values + (size_t)queue->first * queue->stride : NULL,
        .count = 1,
    };
    queue->count--;
    queue->first = queue->first + 1 < queue->capacity ? queue->first + 1 : 0;
    return true;
}

void covey_queue_clear(covey_queue *queue) {
    COVEY__CONTRACT(NULL, queue, "a call needs a queue");
    queue->count = 0;
}

size_t covey__queues_bytes(const covey_world *world) {
    size_t bytes = 0;
    for (const covey_queue *queue = world->inner->queues; queue; queue = queue->next)
        bytes += sizeof *queue + queue->capacity * (sizeof *queue->events + queue->stride) +
                 queue->source_capacity * sizeof *queue->sources;
    return bytes;
}

bool covey__queues_valid(const covey_world *world, const char **why) {
    for (const covey_queue *queue = world->inner->queues; queue; queue = queue->next) {
        REQUIRE(queue->world == world && queue->count <= queue->capacity,
                "queue: the count is larger than the capacity");
        REQUIRE(queue->capacity == 0 || queue->first < queue->capacity, "queue: begins nowhere");
        REQUIRE(world->inner->emission || queue->count + covey__queue_owed(queue) <= queue->capacity,
                "queue: no room is left for the removals that are still to come");
    }
    return true;
}
