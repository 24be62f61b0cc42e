/* Queues: events that are kept until somebody asks for them. */
#ifndef COVEY_QUEUE_H
#define COVEY_QUEUE_H

#include "listeners.h"

#include <covey/covey.h>

typedef struct covey__queued {
    covey_entity entity;
    uint32_t pool; /* its number; COVEY_NONE: about an entity */
    covey_signal signal;
} covey__queued;

/* Where events come from. */
typedef struct covey__source_of_events {
    const covey_pool *pool; /* NULL: entities */
    uint32_t signals;
    uint64_t number; /* of the connection */
} covey__source_of_events;

/* A ring, in which there is always room for the removal of all that is there. */
struct covey_queue {
    covey_world *world;
    uint64_t number; /* among all queues, reactive sets and command buffers that were ever made */
    covey_queue *next;
    covey__queued *events;
    uint32_t first, count, capacity;
    covey__source_of_events *sources;
    uint32_t source_count, source_capacity;
};

bool covey__queue_reserve(covey_queue *queue, uint64_t more); /* besides that; false: no memory */
uint64_t covey__queue_owed(const covey_queue *queue);         /* the room that there must be */
bool covey__queue_attach(covey_queue *queue, const covey_pool *pool, const covey__listener *listener);
void covey__queue_detach(covey_queue *queue, uint64_t number);
void covey__queue_push(covey_queue *queue, const covey_pool *pool, covey_signal signal, covey_entity e);
void covey__queue_free(covey_queue *queue);
void covey__queues_free(covey_world *world);
size_t covey__queues_bytes(const covey_world *world);

bool covey__queues_valid(const covey_world *world, const char **why);

#endif
