/* Signals and reactive sets. */
#ifndef COVEY_API_REACT_H
#define COVEY_API_REACT_H

#include <covey/covey.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Signals ---------------------------------------------------------------------------------------------------
 *
 * Who is connected to a signal is called for each change of its kind, at once, inside the call that makes the change.
 *
 *     static void body_added(const covey_event *event, void *physics) {
 *         physics_insert(physics, *event->entities, (Body *)event->values);
 *     }
 *     covey_connect(world, &(covey_listener){
 *         .type = covey_id(Body), .signals = COVEY_ON_ADD, .call = body_added, .context = physics });
 *
 * Listeners are called in the order in which they were connected; for COVEY_ON_REMOVE and COVEY_ON_DESTROY, in the
 * opposite order. A pool without listeners does not notice that there are signals.
 *
 * A listener may change the world: create entities, add, set and remove components of any entity, destroy any entity,
 * sort, convert, compact and shrink pools, connect and disconnect. It then looks values up again, as does the call that
 * it was called by. When it removes, or destroys, what it was called for, those that were still to be told are told
 * first: everybody hears of everything once, in the order in which it happened. An entity that is being destroyed takes
 * no new component (DEAD), and destroying it again does nothing. What a listener must not do: destroy the world, clear
 * or convert the pool that is being cleared, or break the rules of an iteration under way. docs/signals.md has the
 * table. */
typedef enum covey_signal {
    COVEY_ON_ADD = 1,      /* after a component was added, when its value is there */
    COVEY_ON_SET = 2,      /* after a value was set, replaced or patched that was there before */
    COVEY_ON_REMOVE = 4,   /* before a component is removed, also because its entity is destroyed or its pool cleared */
    COVEY_ON_CREATE = 8,   /* after an entity was created */
    COVEY_ON_DESTROY = 16, /* before an entity is destroyed, with all its components; their COVEY_ON_REMOVE follow */
    COVEY_ON_PATCH =
        32 /* after a value was patched: who names this hears of patches as this, and not as COVEY_ON_SET */
} covey_signal;

/* What happened, to whom. */
typedef struct covey_event {
    covey_world *world;
    covey_signal signal;
    const covey_type *type;       /* of the component; NULL when it is about entities */
    const covey_entity *entities; /* the first of `count`: 1, unless the listener takes spans */
    void *values; /* theirs, one after the other; NULL when it is about entities, and from queues without .values */
    uint32_t count;
} covey_event;

typedef void covey_listener_fn(const covey_event *event, void *context);

typedef struct covey_listener {
    const covey_type *type;  /* whose components it hears of; NULL for entities */
    uint32_t signals;        /* a set of covey_signal */
    covey_listener_fn *call; /* either this */
    void *context;
    covey_queue *queue; /* or this, which keeps the events for later */
    bool spans;         /* to be called once for many, where they come from one call and their values lie in a row */
    bool values;        /* of a queue: each event has a copy of the value as it was then */
} covey_listener;

/* { 0 } is null: connected to nothing. It is of the world in which it was made, and must not be given to another. */
typedef struct covey_connection {
    covey_pool *pool;
    uint64_t number;
} covey_connection;

/* Connects a listener. Null: MEMORY; TYPE, LAYOUT of its type; RANGE when signals and type do not go together; REFUSED
 * for the tag of a reactive set; COPY when a queue is to have values of a type with hooks, or one that says no_copy or
 * zero_vacated: it copies bytes. With a queue, O(components that are there, or entities). */
COVEY_API covey_connection covey_connect(covey_world *world, const covey_listener *listener);
/* Ends a connection, also while its listener is called: it is not called again. Returns whether there was one. */
COVEY_API bool covey_disconnect(covey_world *world, covey_connection connection);
COVEY_API bool covey_connected(const covey_world *world, covey_connection connection);

/* Keeps events, for one place in a program that deals with all of them. What it will need for removals it asks for
 * beforehand, when components are added: adding may fail for want of it, removing does not. */
COVEY_API covey_queue *covey_queue_create(covey_world *world); /* NULL: MEMORY */
COVEY_API void covey_queue_destroy(covey_queue *queue);        /* its connections end; NULL is fine */
COVEY_API uint32_t covey_queue_count(const covey_queue *queue);
/* Takes the oldest event out of a queue; false when there is none. Its entity may be dead by now, or have another value;
 * event->entities, and the copy at event->values, are valid until the queue changes. A tag has no copy. */
COVEY_API bool covey_queue_next(covey_queue *queue, covey_event *event);
COVEY_API void covey_queue_clear(covey_queue *queue);

/* ---- Reactive sets ---------------------------------------------------------------------------------------------
 *
 * A reactive set collects the entities to which something happened, until it is cleared.
 *
 *     covey_reactive *moved = covey_reactive_create(world, &(covey_reactive_desc){
 *         .added = { covey_id(Position) }, .set = { covey_id(Position) }, .match = { .with = { covey_id(Position) } } });
 *     covey_iter it = covey_reactive_iter(moved);
 *     while (covey_next(&it)) { ... covey_field(&it, 0, Position) ... }
 *     covey_reactive_clear(moved);
 *
 * It is a tag that the library adds: one bit for each entity. Marking never allocates, because the bit's place is made
 * when the component is added. An entity is in it once, and leaves it when it is destroyed: who has to know of those
 * says .keep_destroyed, listens, or has a queue. covey_set, covey_replace and covey_patch count as set; writing through a pointer does not. */

/* Whether an entity is collected for what has happened to it: one entity and its value, as a listener is told of it. An
 * entity that was collected before stays, whatever the answer is. Must not change the world. */
typedef bool covey_decide_fn(const covey_event *event, void *context);

typedef struct covey_reactive_desc {
    const covey_type *added[COVEY_TERMS];   /* entities that get one of these, */
    const covey_type *set[COVEY_TERMS];     /* that have one of these set anew, */
    const covey_type *patched[COVEY_TERMS]; /* or patched, which counts as set as well, */
    const covey_type *removed[COVEY_TERMS]; /* that lose one of these and live on */
    covey_decide_fn *decide;                /* optional: of these, only those for which it says yes */
    void *context;                          /* for the function */
    bool keep_destroyed;                    /* covey_reactive_destroyed has those that were collected and destroyed */
    covey_view_desc match;                  /* when it is iterated: only those that match, with these fields */
} covey_reactive_desc;

/* NULL: MEMORY; TYPE, LAYOUT (of the types, or of the view); REFUSED for the tag of another reactive set. O(components
 * that are there). */
COVEY_API covey_reactive *covey_reactive_create(covey_world *world, const covey_reactive_desc *desc);
COVEY_API void covey_reactive_destroy(covey_reactive *reactive); /* NULL is fine */
/* Collects from now on also for these signals of a type, a set of covey_signal. MEMORY; TYPE, LAYOUT; REFUSED for the
 * tag of a reactive set; RANGE for signals of entities, or none. O(components that are there). */
#define covey_reactive_listen(reactive, T, signals) covey_reactive_listen_raw((reactive), covey_id(T), (signals))
COVEY_API covey_result covey_reactive_listen_raw(covey_reactive *reactive, const covey_type *type, uint32_t signals);
/* How many were collected, whether they match or not. */
COVEY_API uint32_t covey_reactive_count(const covey_reactive *reactive);
COVEY_API bool covey_reactive_contains(const covey_reactive *reactive, covey_entity e); /* whether it matches or not */
/* Begins an iteration of those that match, as of a view, by index. O(what was collected), and a step for each 4,096
 * indices. */
COVEY_API covey_iter covey_reactive_iter(const covey_reactive *reactive);
/* The entities that were destroyed while they were collected, or that were collected because they lost a component by
 * being destroyed: how many since the set was cleared, and, in *handles, an array of their handles, in the
 * order of their ends; none resolves, unless covey_create_again has brought it back. Valid until one more is destroyed or
 * the set is cleared. 0 without .keep_destroyed. */
COVEY_API uint32_t covey_reactive_destroyed(const covey_reactive *reactive, const covey_entity **handles);
/* Forgets all; or one: covey_remove_raw(world, e, covey_reactive_type(reactive)). */
COVEY_API void covey_reactive_clear(covey_reactive *reactive);
/* The tag, which may be a term of any view of this world, but not of a group. */
COVEY_API const covey_type *covey_reactive_type(const covey_reactive *reactive);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_API_REACT_H */
