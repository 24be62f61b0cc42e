/* What only the library reads of a world; include/covey/detail/layout.h has the part for inline code. */
#ifndef COVEY_INNER_H
#define COVEY_INNER_H

#include "memory/feature.h"

#include <covey/covey.h>

#define COVEY__UNKNOWN 32 /* names of types that a world remembers as unknown; a power of two */

typedef struct covey__inner {
    covey__heap heap;
    covey__budget budget; /* of its heaps */
    covey_result result;

    /* ---- Entities ---- */
    uint64_t *open; /* a bit for each page of entities: whether it may have free indices */
    uint32_t open_words;
    covey__range *reserved; /* in the order of reservation */
    uint32_t reserved_count, reserved_capacity, reserved_root;
    struct covey__kinds *kinds; /* NULL while no entity was created with components */
    bool ids_in_order;          /* there are no kinds */

    /* ---- Types and pools ---- */
    uint32_t type_count;
    uint32_t pool_capacity;
    uint32_t pool_root;   /* of the tree of pools, by the names of their types */
    covey_group **groups; /* outer before inner */
    uint32_t group_count, group_capacity;
    struct covey__presence_page **presence_pages; /* the presence index */
    uint32_t presence_count;
    struct covey__made_types *made_types; /* NULL while there never were any */
    /* Names that were looked up and have no pool. Several readers may write one at the same time: each is one word,
     * which is read and written as a whole. Making a pool empties the list. */
    const char *unknown[COVEY__UNKNOWN];

    /* ---- Listeners ---- */
    struct covey__emission *emission; /* the current call of listeners; NULL for none */
    struct covey__emission *first;    /* the outermost one; they nest */
    uint32_t nested;                  /* nesting of listeners: each is called for a change of another one */
    uint32_t heard;            /* listeners without those of reactive sets, and lookups that do something for targets */
    uint64_t connections;      /* how many were ever made */
    covey_queue *queues;       /* a list of all */
    covey_reactive *reactives; /* a list of all, with those that may be reused */
    struct covey_events *channels; /* as a list */
    const char *hook;              /* assertion level 1: the kind of the last call that world->hooks counts, */
    const covey_type *hook_type;   /* and its type */

    /* ---- Ticks and enabling ---- */
    uint64_t tick;
    uint64_t shared_tick; /* the last tick at which several threads may have visited parts of an array; 0: never */
    covey_pool *disabled; /* the disabled entities; NULL while none ever was */
    uint32_t hiding;      /* pools with components that were ever disabled */

    /* ---- Hierarchy, names, resources ---- */
    covey_pool *nodes;                               /* of the hierarchy; NULL while there is none */
    uint64_t relinked;                               /* how often a node got a parent, or a child became a root */
    struct covey__names *names;                      /* NULL while no entity was named */
    struct covey__resources *resources, *references; /* NULL while there never were any */

    /* ---- Lookups ---- */
    struct covey_lookup *lookups;       /* as a list, in the order of creation */
    uint32_t target_lookups;            /* those that do something when a target is destroyed */
    uint32_t ending_targets;            /* targets that are destroyed, and whose sources are not dealt with yet */
    bool ending;                        /* they are being dealt with, */
    bool held;                          /* or later, because a tree is being destroyed, which needs its root */
    bool leaving;                       /* what is destroyed leaves for another world, and is no target that ends, */
    struct covey__emission *leaving_in; /* unless a listener destroys it: then this is not the current call of them */
    const covey_pool *copies;           /* its entities are copies of others, which policies do not change; or NULL */

    /* ---- What depends on the world ---- */
    struct covey_commands *commands;  /* the buffers, as a list */
    struct covey_history *histories;  /* as a list */
    struct covey_follower *followers; /* as a list */
    covey_dependent *dependents;      /* as a list */
    uint64_t numbered;                /* queues, reactive sets, command buffers and followers ever made */
    size_t borrowed;                  /* bytes of current calls, and of values of kept types */

    /* ---- Features: NULL until the program uses them, and so absent from programs that do not ---- */
    const struct covey__grouping *grouping;     /* observe/members.h */
    const struct covey__signalling *signalling; /* observe/signal.h */
    const struct covey__ordering *ordering;     /* storage/order.h */
    const struct covey__looking *looking;       /* observe/filing.h */
    const covey__feature *features[COVEY__FEATURES];

    /* ---- Failures ---- */
    covey_log_fn *log;
    void *log_context;
    covey_log_listener *log_listeners;
    uint32_t silenced; /* calls under way that log their failures themselves (covey__silence) */
    uint32_t failures; /* without a log function: failures so far; the first ones are printed to stderr, */
    bool quiet;        /* unless this is set */
    covey_assert_fn *on_assert;
    void *assert_context;
} covey__inner;

/* A world as it is allocated; world.inner points to the other part. */
typedef struct covey__whole_world {
    covey_world world;
    covey__inner inner;
} covey__whole_world;

#endif
