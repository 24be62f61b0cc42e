/* The structures of a schedule.
 *
 *     systems.c         functions that all of these use
 *     plan.c            order, stages and conflicts of systems
 *     schedule_run.c    runs a plan
 *     schedule_work.c   the bodies of a stage, on one thread or several
 *     schedule_data.c   plans and traces as data
 *     schedule_print.c  statistics, plans and traces as text
 *     schedule.c        makes schedules, adds and removes systems and phases
 */
#ifndef COVEY_SYSTEMS_H
#define COVEY_SYSTEMS_H

#include "schedule/crew.h"
#include "memory/result.h"
#include "schedule/threads.h"

#include <covey/schedule.h>

#include <stdalign.h>
#include <stdatomic.h>

#define COVEY__NO_PHASE UINT32_MAX
#define COVEY__SYSTEM_USES (5 * COVEY_TERMS)

/* One piece of a system. It has its own cache lines, because different threads write to neighbouring pieces. */
typedef struct covey__piece {
    alignas(64) covey_commands *commands;
    uint64_t start, end;
    uint64_t bytes; /* as its body reports */
    double blocked; /* nanoseconds */
    uint32_t thread;
    covey_result result;
    bool recorded; /* it may have commands to replay */
} covey__piece;

/* The pieces of a split system that a thread takes before it takes those of others. They are the same in each run and
 * each system, so their components are often in the thread's caches. */
typedef struct covey__share {
    alignas(64) atomic_uint taken;
} covey__share;

/* When a system or a phase has its turn. */
typedef struct covey__turns {
    uint64_t count;  /* turns so far, */
    uint64_t before; /* and before the last one */
    uint32_t every;
    bool once, enabled;
    covey_when_fn *when;
    void *context;
} covey__turns;

typedef struct covey__system covey__system;
struct covey__system {
    covey_system desc; /* with names that the schedule keeps */
    uint32_t phase;
    covey__turns turns;
    covey_view view;
    covey_iter *whole; /* of a split system: the iteration that is cut into pieces */
    covey_system_use uses[COVEY__SYSTEM_USES];
    uint32_t use_count;
    /* The plan. */
    covey__system **followers; /* systems of its stage that wait for it */
    uint32_t follower_count, follower_capacity, leaders;
    /* The current turn. */
    bool due;
    covey__piece *pieces;
    uint32_t piece_count, piece_capacity, buffer_count; /* pieces of this turn; capacity; pieces with a buffer */
    uint32_t first, size; /* of a split system: the index or position of its first piece; the length of each */
    char *scratch;
    size_t scratch_lines, stride;       /* lines of 64 bytes: in total; of a piece */
    covey__share *shares;               /* of a split system: one for each thread */
    alignas(64) atomic_uint unfinished; /* pieces */
    atomic_bool taken;     /* not split: its only piece is taken; without pieces: a thread is finishing it */
    atomic_uint waits_for; /* leaders that are not finished */
    atomic_bool moves;     /* a body has ever reported bytes or blocked time */
    /* Statistics. */
    uint64_t runs;
    double last, total, worst, busy, waited, blocked, blocked_total;
    uint64_t bytes, bytes_total;
    uint32_t threads;
};

typedef struct covey__phase {
    covey_phase desc; /* with a name that the schedule keeps */
    covey__turns turns;
    double passed; /* elapsed seconds for which no step was made yet */
} covey__phase;

/* Systems between two sync points. */
typedef struct covey__stage {
    uint32_t first, end; /* in the order */
    uint32_t phase;
    bool exclusive; /* it is one exclusive system */
} covey__stage;

typedef struct covey__kept_name covey__kept_name;
struct covey__kept_name {
    covey__kept_name *next;
    size_t bytes;
    char text[];
};

/* The lists of systems that are ready to run: for any thread, and for the main thread. */
typedef enum covey__lane_number { COVEY__LANE_ANY, COVEY__LANE_MAIN, COVEY__LANES } covey__lane_number;
typedef struct covey__lane {
    alignas(64) atomic_uint head; /* the first system that may have pieces to take */
    atomic_uint count;
} covey__lane;

/* What a thread needs to run pieces. */
typedef struct covey__worker {
    covey_job job; /* bytes and blocked are 0 before a body */
    uint64_t now;  /* when its last piece ended, or when it began to look for one */
} covey__worker;

struct covey_schedule {
    covey_dependent dependent; /* the first member. Its world is NULL after that has ended; busy while systems run */
    covey__heap heap;
    covey_jobs jobs;
    covey_profiler profiler;
    uint32_t threads;
    covey__crew *crew; /* NULL: a pool of the program, or only one thread */
    covey__patience patience;
    covey__worker *workers;
    covey__kept_name *names; /* a list of all names ever used, because traces point to them */
    covey__phase *phases;
    uint32_t phase_count, phase_capacity; /* the first phase has no name, and comes before all others */
    covey__system **systems;              /* in the order of adding */
    uint32_t system_count, system_capacity;
    /* The plan. */
    bool planned;
    covey__system **order;
    uint32_t order_capacity;
    covey__stage *stages;
    uint32_t stage_count, stage_capacity;
    /* The current run. */
    bool has_left; /* commands of an earlier run may be left */
    uint64_t runs;
    double seconds;
    uint64_t stage_start;
    _Atomic(covey__system *) *ready; /* lane by lane: systems that are ready, in the order in which they became so */
    uint32_t ready_capacity, ready_most; /* ready_most: systems of the stage, which is the room of each lane */
    covey__lane lanes[COVEY__LANES];
    alignas(64) atomic_uint unfinished; /* unfinished systems of the stage */
    atomic_uint open;                   /* pool of the program: unfinished systems that are listed for any thread */
    atomic_uint events;                 /* changes that threads without work wait for */
    atomic_uint asleep;                 /* threads that sleep until then */
    covey__gate gate;                   /* where they sleep; also the lock of the allocator */
    char failure[256];
    /* The trace. */
    covey_trace_event *events_noted;
    uint32_t event_first, event_count, event_capacity; /* events before the first are discarded */
    uint32_t traced_runs;                              /* runs that are still to be traced */
    uint32_t kept_runs;                                /* not 0: all runs are traced, and this many are kept */
};

/* Compares names if the addresses differ: two shared libraries may each define the type. */
static inline bool covey__is_same_type(const covey_type *a, const covey_type *b) {
    return a == b || strcmp(a->name, b->name) == 0;
}
covey__system *covey__system_find(const covey_schedule *s, const char *name); /* NULL if there is none */
void covey__system_iter(const covey__system *system, covey_iter *it);         /* begins to iterate its entities */
/* Fails as covey__fail does; covey_schedule_failure returns the same sentence. */
covey_result covey__schedule_fail(covey_schedule *s, covey_result result, const char *format, ...) COVEY__PRINTF(3, 4);
/* Makes sure that an array has room for `wanted` elements of `size` bytes. Returns the array, which may have moved, or
 * NULL. */
void *covey__schedule_reach(covey_schedule *s, void *array, uint32_t *capacity, uint32_t wanted, size_t size);
void covey__schedule_free(covey_schedule *s, void *array, uint32_t capacity, size_t size);

#endif
