/* Queues: events that are kept until the program reads them. */
#ifndef COVEY_QUEUE_H
#define COVEY_QUEUE_H

#include "observe/observers.h"

#include <covey/covey.h>

typedef struct covey__queued {
    covey_entity entity;
    uint32_t pool;   /* its number; COVEY_NONE: about an entity */
    uint32_t signal; /* a covey_signal; and COVEY__WITH_VALUE, if there is a copy of the value */
} covey__queued;

#define COVEY__WITH_VALUE (UINT32_C(1) << 31)

/* A connection that sends events to a queue. */
typedef struct covey__source_of_events {
    const covey_pool *pool; /* NULL: entities */
    uint32_t signals;
    uint64_t number; /* of the connection */
} covey__source_of_events;

/* A ring that always has room for the removal of all present components, and the destruction of all entities, that it
 * listens to. */
struct covey_queue {
    covey_world *world;
    uint64_t number; /* unique among all queues, reactive sets and command buffers of the world */
    covey_queue *next;
    covey__queued *events;
    uint32_t first, count, capacity;
    char *values;           /* copies of values, one place for each event; NULL if it never keeps any */
    uint32_t stride, align; /* size and alignment of a place, for the largest type; 0 and 1 for none */
    covey__source_of_events *sources;
    uint32_t source_count, source_capacity;
};

bool covey__queue_reserve(covey_queue *queue,
                          uint64_t more);             /* in addition to that room; false when an allocation fails */
uint64_t covey__queue_owed(const covey_queue *queue); /* the room that must remain */
bool covey__queue_attach(covey_queue *queue, const covey_pool *pool, const covey__listener *listener);
void covey__queue_detach(covey_queue *queue, uint64_t number);
/* `value` is copied if there is one. */
void covey__queue_push(covey_queue *queue, const covey_pool *pool, covey_signal signal, covey_entity e,
                       const void *value);
void covey__queue_free(covey_queue *queue);
size_t covey__queues_bytes(const covey_world *world);

bool covey__queues_valid(const covey_world *world, const char **why);

#endif
