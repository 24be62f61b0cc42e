/* What a schedule keeps.
 *
 *     systems.c         what all of these need
 *     plan.c            who runs before whom: order, stages, conflicts
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

/* One piece of a system: on a line of its own, because threads write to neighbours. */
typedef struct covey__piece {
    alignas(64) covey_commands *commands;
    uint64_t start, end;
    uint64_t bytes; /* as its body says */
    double blocked; /* nanoseconds */
    uint32_t thread;
    covey_result result;
    bool recorded; /* there may be commands to replay */
} covey__piece;

/* The pieces of a split system that a thread takes before it helps others: the same ones in each run and each system, so
 * that it often finds their components in its caches. */
typedef struct covey__share {
    alignas(64) atomic_uint taken;
} covey__share;

/* When a system or a phase has its turn. */
typedef struct covey__turns {
    uint64_t count;  /* how often it was asked, */
    uint64_t before; /* and before the last time */
    uint32_t every;
    bool once, enabled;
    covey_when_fn *when;
    void *context;
} covey__turns;

typedef struct covey__system covey__system;
struct covey__system {
    covey_system desc; /* names are the schedule's */
    uint32_t phase;
    covey__turns turns;
    covey_view view;
    covey_iter *whole; /* of a split system: what is cut into pieces */
    covey_system_use uses[COVEY__SYSTEM_USES];
    uint32_t use_count;
    /* The plan. */
    covey__system **followers; /* those of its stage that wait for it */
    uint32_t follower_count, follower_capacity, leaders;
    /* The turn that is under way. */
    bool due;
    covey__piece *pieces;
    uint32_t piece_count, piece_capacity, buffer_count; /* that run; that there are; that have a buffer */
    uint32_t first, size; /* of a split system: the index or position of its first piece; the length of each */
    char *scratch;
    size_t scratch_lines, stride;       /* lines of 64 bytes that there are; that a piece has */
    covey__share *shares;               /* of a split system: one for each thread */
    alignas(64) atomic_uint unfinished; /* pieces */
    atomic_bool taken;     /* the only piece of any other is; or whoever came first ends one without pieces */
    atomic_uint waits_for; /* leaders that are not done */
    atomic_bool moves;     /* a body has said at some time that it moved bytes, or was blocked */
    /* Statistics. */
    uint64_t runs;
    double last, total, worst, busy, waited, blocked, blocked_total;
    uint64_t bytes, bytes_total;
    uint32_t threads;
};

typedef struct covey__phase {
    covey_phase desc; /* the name is the schedule's */
    covey__turns turns;
    double passed; /* seconds that no step was made for */
} covey__phase;

/* Systems between two sync points. */
typedef struct covey__stage {
    uint32_t first, end; /* of the order */
    uint32_t phase;
    bool exclusive; /* one system that is */
} covey__stage;

typedef struct covey__kept_name covey__kept_name;
struct covey__kept_name {
    covey__kept_name *next;
    size_t bytes;
    char text[];
};

/* Where systems of a stage are listed that may run. */
typedef enum covey__lane_number { COVEY__LANE_ANY, COVEY__LANE_MAIN, COVEY__LANES } covey__lane_number;
typedef struct covey__lane {
    alignas(64) atomic_uint head; /* the first of them that may have pieces to take */
    atomic_uint count;
} covey__lane;

/* What a thread needs to run pieces. */
typedef struct covey__worker {
    covey_job job; /* bytes and blocked are 0 before a body */
    uint64_t now;  /* when it ended its last piece, or began to look for one */
} covey__worker;

struct covey_schedule {
    covey_dependent dependent; /* the first member; its world is NULL when that has ended; busy while systems run */
    covey__heap heap;
    covey_jobs jobs;
    covey_profiler profiler;
    uint32_t threads;
    covey__crew *crew; /* NULL: a pool of the program's, or one thread */
    covey__patience patience;
    covey__worker *workers;
    covey__kept_name *names; /* a list of all that were ever used: traces point to them */
    covey__phase *phases;
    uint32_t phase_count, phase_capacity; /* the first one is without a name, before all others */
    covey__system **systems;              /* as they were added */
    uint32_t system_count, system_capacity;
    /* The plan. */
    bool planned;
    covey__system **order;
    uint32_t order_capacity;
    covey__stage *stages;
    uint32_t stage_count, stage_capacity;
    /* The run that is under way. */
    bool has_left; /* commands of an earlier run may be there */
    uint64_t runs;
    double seconds;
    uint64_t stage_start;
    _Atomic(covey__system *) *ready; /* lane by lane: systems that may run, in the order in which they became ready */
    uint32_t ready_capacity, ready_most; /* systems of the stage: room for all of them in each lane */
    covey__lane lanes[COVEY__LANES];
    alignas(64) atomic_uint unfinished; /* systems of the stage */
    atomic_uint open;                   /* with a pool of the program: those listed for any thread, and not finished */
    atomic_uint events;                 /* changes that threads without work wait for */
    atomic_uint asleep;                 /* such threads */
    covey__gate gate;                   /* where they are; and the lock of the allocator */
    char failure[256];
    /* The trace. */
    covey_trace_event *events_noted;
    uint32_t event_first, event_count, event_capacity; /* those before the first are forgotten */
    uint32_t traced_runs;                              /* still to be noted */
    uint32_t kept_runs;                                /* not 0: these are all, and only so many are kept */
};

/* An address is not enough: two shared libraries may each have a descriptor of one name. */
static inline bool covey__is_same_type(const covey_type *a, const covey_type *b) {
    return a == b || strcmp(a->name, b->name) == 0;
}
covey__system *covey__system_find(const covey_schedule *s, const char *name); /* or NULL */
void covey__system_iter(const covey__system *system, covey_iter *it);         /* begins the iteration of its entities */
/* Fails as covey__fail does; the sentence is also that of covey_schedule_failure. */
covey_result covey__schedule_fail(covey_schedule *s, covey_result result, const char *format, ...) COVEY__PRINTF(3, 4);
/* Makes sure that an array of elements of `size` bytes has room for so many: returns it, where it is then; or NULL. */
void *covey__schedule_reach(covey_schedule *s, void *array, uint32_t *capacity, uint32_t wanted, size_t size);
void covey__schedule_free(covey_schedule *s, void *array, uint32_t capacity, size_t size);

#endif
