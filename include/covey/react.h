/* Covey: signals, queues and reactive sets. Part of covey/covey.h. */
#include <covey/covey.h> /* before the guard: covey.h includes this file where it belongs */

#ifndef COVEY_API_REACT_H
#define COVEY_API_REACT_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Signals ---------------------------------------------------------------------------------------------------
 *
 * A listener is a function that is called for each change of a kind, at once, inside the call that makes the change.
 *
 *     static void body_added(const covey_event *event, void *physics) {
 *         physics_insert(physics, *event->entities, (Body *)event->values);
 *     }
 *     covey_connect(world, &(covey_listener){
 *         .type = covey_id(Body), .signals = COVEY_ON_ADD, .call = body_added, .context = physics });
 *
 * Listeners are called in the order in which they were connected; for COVEY_ON_REMOVE and COVEY_ON_DESTROY, in the
 * opposite order. Without listeners, signals cost nothing.
 *
 * Listeners may be re-entrant: create entities, add, set and remove components of any entity, destroy any entity, sort,
 * convert, compact and shrink pools, connect and disconnect. A listener that did so looks values up again; so does the
 * call that it was called from. If a listener removes or destroys what it was called for, the remaining listeners are
 * called first: each listener is told of every change once, in the order of the changes. An entity that is being
 * destroyed gets no new components (DEAD), and destroying it again does nothing. A listener must not destroy the world,
 * clear or convert the pool that is being cleared, or break the rules of an iteration under way. docs/signals.md has
 * the table. */
typedef enum covey_signal {
    COVEY_ON_ADD = 1,      /* after a component was added, with its value */
    COVEY_ON_SET = 2,      /* after an existing value was set, replaced or patched */
    COVEY_ON_REMOVE = 4,   /* before a component is removed, also when its entity is destroyed or its pool cleared */
    COVEY_ON_CREATE = 8,   /* after an entity was created */
    COVEY_ON_DESTROY = 16, /* before an entity is destroyed, with all its components; their COVEY_ON_REMOVE follow */
    /* After a value was patched; a listener that names it is told of patches as this, not as COVEY_ON_SET. */
    COVEY_ON_PATCH = 32
} covey_signal;

/* What happened, and to which entities. What a program has sent itself (covey/events.h) has no signal, which is 0, and
 * no entities. */
typedef struct covey_event {
    covey_world *world;
    covey_signal signal;
    const covey_type *type;       /* of the component; NULL for signals of entities */
    const covey_entity *entities; /* the first of `count`; 1, unless the listener sets .spans */
    /* Of the entities, one after the other; NULL for signals of entities, and from queues without .values. */
    void *values;
    uint32_t count;
} covey_event;

typedef void covey_listener_fn(const covey_event *event, void *context);

typedef struct covey_listener {
    const covey_type *type;  /* of the components; NULL for signals of entities */
    uint32_t signals;        /* a set of covey_signal */
    covey_listener_fn *call; /* called for each change */
    void *context;
    covey_queue *queue; /* or: keeps the events for later */
    bool spans;         /* call once for several entities, if one call changed them and their values are contiguous */
    bool values;        /* queue only: each event has a copy of the value at that time */
} covey_listener;

/* Identifies a connection. { 0 } is null: connected to nothing. It belongs to the world in which it was made; using it
 * in another world breaks a contract, and counts as not connected. */
typedef struct covey_connection {
    const covey_world *world;
    covey_pool *pool;
    uint64_t number;
} covey_connection;

/* Connects a listener. Returns null on failure: MEMORY; TYPE, LAYOUT (of its type); RANGE when signals and type do not
 * fit; REFUSED for the tag of a reactive set; COPY for a queue with .values if the type has hooks, no_copy or
 * zero_erased, because a queue copies bytes. With a queue, O(components of the type, or entities, that exist). */
COVEY_API covey_connection covey_connect(covey_world *world, const covey_listener *listener);
/* Ends a connection, also from inside its listener, which is then not called again. Returns whether it was
 * connected. */
COVEY_API bool covey_disconnect(covey_world *world, covey_connection connection);
COVEY_API bool covey_connected(const covey_world *world, covey_connection connection);

/* A queue keeps events until the program handles them. It allocates what a removal will need when the component is
 * added: so adding may fail for lack of memory, and removing never does. */
COVEY_NODISCARD COVEY_API covey_queue *covey_queue_create(covey_world *world); /* NULL: MEMORY */
COVEY_API void covey_queue_destroy(covey_queue *queue); /* also ends its connections; NULL is allowed */
COVEY_API uint32_t covey_queue_count(const covey_queue *queue);
/* Removes the oldest event from a queue and writes it to *event; false when there is none. Its entity may be dead by
 * now, or have another value. event->entities, and the copy at event->values, are valid until the queue changes. A tag
 * has no copy. */
COVEY_API bool covey_queue_next(covey_queue *queue, covey_event *event);
COVEY_API void covey_queue_clear(covey_queue *queue);

/* ---- Reactive sets ---------------------------------------------------------------------------------------------
 *
 * A reactive set collects the entities to which something happened, until it is cleared.
 *
 *     covey_reactive *moved = covey_reactive_create(world, &(covey_reactive_desc){
 *         .added = { covey_id(Position) }, .set = { covey_id(Position) },
 *         .match = { .with = { covey_id(Position) } } });
 *     covey_iter it = covey_reactive_iter(moved);
 *     while (covey_next(&it)) { ... covey_field(&it, 0, Position) ... }
 *     covey_reactive_clear(moved);
 *
 * It is a tag that the library adds: one bit for each entity. Marking never allocates, because the memory for the bit
 * is allocated when the component is added. An entity is in the set once, and leaves it when it is destroyed; to know
 * about destroyed ones, use .keep_destroyed, a listener or a queue. covey_set, covey_replace and covey_patch count as
 * set; writing through a pointer does not. */

/* Returns whether the entity is collected for this event, which has one entity and its value, as for a listener. An
 * entity that is in the set already stays, whatever is returned. Must not change the world. */
typedef bool covey_decide_fn(const covey_event *event, void *context);

typedef struct covey_reactive_desc {
    const covey_type *added[COVEY_TERMS];   /* collect entities that get one of these, */
    const covey_type *set[COVEY_TERMS];     /* or whose value of one of these is set, */
    const covey_type *patched[COVEY_TERMS]; /* or patched, which counts as set as well, */
    const covey_type *removed[COVEY_TERMS]; /* or that lose one of these and live on */
    covey_decide_fn *decide;                /* optional: collect only if it returns true */
    void *context;                          /* passed to the function */
    /* Keep the handles of collected entities that are destroyed, for covey_reactive_destroyed. */
    bool keep_destroyed;
    covey_view_desc match; /* iterate only those that match, with these fields */
} covey_reactive_desc;

/* Returns NULL on failure: MEMORY; TYPE, LAYOUT (of the types, or of the view); REFUSED for the tag of another reactive
 * set. O(components of these types). */
COVEY_NODISCARD COVEY_API covey_reactive *covey_reactive_create(covey_world *world, const covey_reactive_desc *desc);
COVEY_API void covey_reactive_destroy(covey_reactive *reactive); /* NULL is allowed */
/* Also collects for these signals of a type, a set of covey_signal, from now on. MEMORY; TYPE, LAYOUT; REFUSED for the
 * tag of a reactive set; RANGE for signals of entities, or none. O(components of the type). */
#define covey_reactive_listen(reactive, T, signals) covey_reactive_listen_raw((reactive), covey_id(T), (signals))
COVEY_API covey_result covey_reactive_listen_raw(covey_reactive *reactive, const covey_type *type, uint32_t signals);
/* How many entities were collected, whether they match or not. */
COVEY_API uint32_t covey_reactive_count(const covey_reactive *reactive);
COVEY_API bool covey_reactive_contains(const covey_reactive *reactive, covey_entity e); /* whether it matches or not */
/* Begins an iteration of the entities that match, in index order, as for a view. O(collected), and a step for each
 * 4,096 indices. */
COVEY_API covey_iter covey_reactive_iter(const covey_reactive *reactive);
/* The entities that were destroyed while they were in the set, or were collected because they lost a component by being
 * destroyed. Returns how many there are since the set was cleared, and sets *handles to an array of their handles, in
 * the order in which they were destroyed. None of them resolves, unless covey_create_exact has brought it back. The
 * array is valid until one more is destroyed or the set is cleared. 0 without .keep_destroyed. */
COVEY_API uint32_t covey_reactive_destroyed(const covey_reactive *reactive, const covey_entity **handles);
/* Empties the set. To remove one entity: covey_remove_raw(world, e, covey_reactive_type(reactive)). */
COVEY_API void covey_reactive_clear(covey_reactive *reactive);
/* The tag, which can be a term of any view of this world, but not of a group. */
COVEY_API const covey_type *covey_reactive_type(const covey_reactive *reactive);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_API_REACT_H */
