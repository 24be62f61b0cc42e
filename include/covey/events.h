/* Covey, optional: events of the program's own, which are sent now and handled later.
 *
 * An event is a value of a type that is defined as components are. The world keeps the events of a type in a channel:
 *
 *     typedef struct { covey_entity target; float damage; } Hit;
 *     COVEY_COMPONENT_DEFINE(Hit);
 *
 *     covey_events *hits = covey_events_of(world, Hit);
 *     covey_events_send(hits, Hit, { target, 3 });              anywhere
 *     covey_events_deliver(hits);                               once a frame
 *     const Hit *hit = covey_events_current(hits, Hit);
 *     for (uint32_t i = 0; i < covey_events_count(hits); i++) ... hit[i] ...
 *
 *     | sent since the last delivery |  deliver >  | current until the next one |  deliver >  dropped
 *
 * A delivery makes the events that were sent the current ones, drops the current ones of before, and calls the
 * functions that are connected to the channel. Between two deliveries the current events stay where they are, and any
 * number of threads may read them.
 *
 * Systems send with covey_record_send(job->commands, Hit, { target, 3 }). The sync point sends what was recorded in the
 * order of systems, then pieces: so the events, and their order, are the same for every number of threads. A system
 * that is exclusive delivers:
 *
 *     covey_system_add(schedule, &(covey_system){
 *         .name = "hits", .run = covey_events_run, .context = hits, .exclusive = true });
 *
 * Events belong to the state of a world: a rollback restores those that were sent and those that are current. Clones of
 * a world and images have none. See docs/events.md. */
#ifndef COVEY_EVENTS_H
#define COVEY_EVENTS_H

#include <covey/commands.h>
#include <covey/covey.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct covey_events covey_events;

/* The channel of T, which is valid as long as its world. Makes it if the world does not have it yet, which only the
 * thread that owns the world may do. As for pools, types with the same name and layout share one. Returns NULL on
 * failure: MEMORY, TYPE, LAYOUT. O(channels). */
#define covey_events_of(world, T) covey_events_of_raw(COVEY__WORLD(world), covey_id(T))
COVEY_API covey_events *covey_events_of_raw(covey_world *world, const covey_type *type);

/* ---- Sending -----------------------------------------------------------------------------------------------------*/

/* Sends an event. Only the thread that owns the world; in a listener of the channel, the event waits for the next
 * delivery. Takes the value over, as covey_add does; NULL stands for zero bytes. On failure returns false, sends
 * nothing, and the caller keeps the value: MEMORY; REFUSED in a hook, and in a system that runs in parallel with others
 * (level 1). Amortised O(1). */
#define covey_events_send(events, T, ...) \
    covey__send(COVEY__EVENTS_OF(events, T), COVEY__EXPECTS_BRACES(T, __VA_ARGS__), COVEY__SIZE(T), true)
#define covey_events_send_value(events, T, value) \
    covey__send(COVEY__EVENTS_OF(events, T), COVEY__EXPECTS_POINTER_TO(T, value), COVEY__SIZE(T), false)
#define covey_events_send_tag(events, T) \
    covey__send(COVEY__EVENTS_OF(events, T), ((void)COVEY__EXPECTS_TAG(T), NULL), 0, false)
COVEY_HOT bool covey_events_send_raw(covey_events *events, const void *value);

/* Records the sending of an event, from any thread that may record into the buffer. Replaying makes the channel if
 * there is none. Results are those of other recordings (covey/commands.h); types with a `move` hook are refused. */
#define covey_record_send(commands, T, ...) \
    covey__record_send((commands), covey_id(T), COVEY__EXPECTS_BRACES(T, __VA_ARGS__), COVEY__SIZE(T), true)
#define covey_record_send_value(commands, T, value) \
    covey__record_send((commands), covey_id(T), COVEY__EXPECTS_POINTER_TO(T, value), COVEY__SIZE(T), false)
#define covey_record_send_tag(commands, T) covey__record_send((commands), COVEY__EXPECTS_TAG(T), NULL, 0, false)
COVEY_HOT bool covey_record_send_raw(covey_commands *commands, const covey_type *type, const void *value);

/* How many events wait for the next delivery. */
COVEY_INLINE uint32_t covey_events_sent(const covey_events *events);

/* ---- Delivering --------------------------------------------------------------------------------------------------*/

/* Drops the current events, makes those that were sent the current ones, in the order in which they were sent, and
 * calls the listeners. Returns how many events are current now, so that a loop delivers what listeners send, too:
 *
 *     while (covey_events_deliver(hits) != 0) continue;
 *
 * Allocates nothing. Does nothing and returns 0 in a listener of the same channel, in a hook, and in a system that runs
 * in parallel with others: that breaks a contract. Invalidates the array of the current events. O(1) and the calls;
 * O(events that are dropped) if their type has a `drop` hook or `zero_erased`. */
COVEY_API uint32_t covey_events_deliver(covey_events *events);

/* The body of an exclusive system that delivers the channel that is its context. */
struct covey_job;
COVEY_API void covey_events_run(struct covey_job *job, void *events);

/* The current events: how many there are, and an array of them, which is NULL for none. Valid until the next delivery,
 * covey_events_clear or rollback. */
COVEY_INLINE uint32_t covey_events_count(const covey_events *events);
#define covey_events_current(events, T) ((const T *)covey_events_current_raw(COVEY__EVENTS_OF(events, T)))
COVEY_INLINE const void *covey_events_current_raw(const covey_events *events);

/* Lets a function be called in each delivery that has events, once for all of them, after those that were connected
 * before it. event->values and event->count are the current events, which it only reads; event->type is their type,
 * event->entities NULL and event->signal 0. It may change the world, send, connect and disconnect; what it connects is
 * called from the next delivery on. It must not destroy the world, or clear or deliver the same channel.
 * covey_disconnect ends the connection. Returns null on failure: MEMORY. */
COVEY_API covey_connection covey_events_connect(covey_events *events, covey_listener_fn *call, void *context);

/* Drops all events, those that were sent and the current ones. Keeps the memory, which covey_shrink frees. Does nothing
 * in a listener of the channel, or in a hook: that breaks a contract. */
COVEY_API void covey_events_clear(covey_events *events);

#ifdef __cplusplus
} /* extern "C" */
#endif

#include <covey/detail/events.h>

#endif /* COVEY_EVENTS_H */
