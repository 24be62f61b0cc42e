/* Channels: the events that a program sends. covey/detail/events.h has the structures. */
#ifndef COVEY_INTERNAL_EVENTS_H
#define COVEY_INTERNAL_EVENTS_H

#include "memory/inner.h"

#include <covey/covey.h>
#include <covey/events.h>

/* Makes room for so many events in a list of a channel; false when an allocation fails. */
bool covey__events_reserve(covey_events *events, covey__event_list *list, uint64_t count);
void covey__events_drop(const covey_events *events, covey__event_list *list); /* all of a list */

/* The listener of a channel that has this connection, or NULL. */
static inline covey__event_listener *covey__event_listener_numbered(const covey_world *world, uint64_t number) {
    for (const covey_events *events = world->inner->channels; events && number != 0; events = events->next)
        for (uint32_t i = 0; i < events->listener_count; i++)
            if (events->listeners[i].number == number) return &events->listeners[i];
    return NULL;
}

/* Whether a listener of a channel is being called. */
static inline bool covey__is_delivering(const covey_world *world) {
    const covey_events *events = world->inner->channels;
    while (events && !events->delivering) events = events->next;
    return events != NULL;
}

size_t covey__events_bytes(const covey_world *world);
bool covey__events_valid(const covey_world *world, const char **why);

#endif
