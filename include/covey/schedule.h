/* Systems on all cores.
 *
 * A system is a function and a description of what it uses: a view that it iterates, and the other types and resources
 * that it reads or writes. A schedule runs systems. Those that do not conflict run at the same time, a system that is
 * `.split` runs on several threads at once, and the result is the same for every number of threads, byte for byte.
 *
 *     static void move(covey_job *job, void *context) {
 *         const Frame *frame = context;
 *         while (covey_next(&job->it)) {
 *             Position *p = covey_field(&job->it, 0, Position);
 *             const Velocity *v = covey_field(&job->it, 1, Velocity);
 *             for (uint32_t i = 0; i < job->it.count; i++) p[i].x += v[i].x * frame->dt;
 *         }
 *     }
 *
 *     covey_schedule *schedule = covey_schedule_create(world, NULL);
 *     covey_system_add(schedule, &(covey_system){
 *         .name = "move", .run = move, .context = &frame, .split = true,
 *         .view = { .with = { covey_ids(Position, Velocity) }, .read = { covey_id(Velocity) } } });
 *     covey_schedule_run(schedule);
 *     covey_schedule_destroy(schedule);
 *
 * Two systems conflict when one writes what the other reads or writes. Conflicting systems run in the order in which they
 * were added, unless `.after` and `.before` say otherwise.
 *
 * A body changes values of its own types directly, and records structural changes into `job->commands`. Commands are
 * replayed at the next sync point, in the order of systems, then pieces. Sync points are: before each phase, before and
 * after each exclusive system, and the end of a run. docs/threads.md says more. */
#ifndef COVEY_SCHEDULE_H
#define COVEY_SCHEDULE_H

#include <covey/commands.h>
#include <covey/covey.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct covey_schedule covey_schedule;

/* ---- Threads -----------------------------------------------------------------------------------------------------*/

#define COVEY_THREADS 64 /* of a schedule, at most */

/* A thread pool of your own, such as an engine's. */
typedef void covey_task_fn(void *context, uint32_t number);
typedef struct covey_jobs {
    /* Calls task(context, number) for each number below `count`, on any threads and in any order, at the same time where
     * it can, and returns when all calls have returned. A call may wait for others that have begun, never for one that
     * has not. */
    void (*run)(void *pool, uint32_t count, covey_task_fn *task, void *context);
    void *pool;
    uint32_t threads; /* how many calls can run at the same time */
} covey_jobs;

/* Hears when a piece of a system begins and ends, on the thread that runs it: for profilers. Either may be NULL. */
typedef struct covey_profiler {
    void (*begin)(const char *system, uint32_t piece, void *context);
    void (*end)(const char *system, uint32_t piece, void *context);
    void *context;
} covey_profiler;

/* ---- Schedules ---------------------------------------------------------------------------------------------------*/

typedef struct covey_schedule_desc {
    uint32_t threads;          /* including the one that calls covey_schedule_run; 0: one for each core */
    covey_jobs jobs;           /* zero: threads that the schedule starts, and ends with it */
    covey_profiler profiler;   /* zero: none */
    covey_allocator allocator; /* for all that the schedule keeps; zero: the world's. One thread at a time calls it */
} covey_schedule_desc;

/* Makes a schedule without systems; NULL for `desc` means all defaults. Where fewer threads can be started than asked for,
 * it goes on with those, and the log says so. NULL: MEMORY. Destroy it before its world. */
COVEY_API covey_schedule *covey_schedule_create(covey_world *world, const covey_schedule_desc *desc);
/* Ends its threads, and clears commands that were not replayed. Not while it runs; NULL is fine. */
COVEY_API void covey_schedule_destroy(covey_schedule *schedule);
COVEY_API uint32_t covey_schedule_threads(const covey_schedule *schedule);

/* ---- Systems -----------------------------------------------------------------------------------------------------*/

/* What a body works with: one piece of a system's entities. */
typedef struct covey_job {
    covey_iter it; /* the entities of this piece: for covey_next, or covey_next_row */
    covey_world *world;
    covey_commands *commands; /* of this piece */
    void *scratch;            /* `.scratch` bytes of this piece, zeroed and aligned to 64; NULL without */
    double step;              /* seconds: the phase's `.step`, or else what covey_schedule_run_for was told */
    uint64_t run;             /* runs of the schedule before this one */
    uint32_t piece, pieces;   /* which one of how many */
    uint32_t thread;          /* which one of covey_schedule_threads */
    covey_result result; /* set it where the body fails: the run ends after the next sync point, with this result */
} covey_job;

typedef void covey_system_fn(covey_job *job, void *context);
/* Whether a system, or a phase, runs this time. Called by the thread that runs the schedule. */
typedef bool covey_when_fn(const covey_world *world, void *context);
/* Adds the scratch of one piece to a total. */
typedef void covey_merge_fn(void *total, const void *scratch, void *context);

#define COVEY_SYSTEM_LINKS 8

/* Zero means default. Names and descriptions are copied; context, total, group and types stay the caller's. */
typedef struct covey_system {
    const char *name; /* of which a schedule has one */
    covey_system_fn *run;
    void *context;
    void (*drop)(void *context); /* optional: ends the context, when the system is removed or its schedule destroyed */

    /* What the body iterates as job->it: the fields are read if they are in `.read`, and written otherwise. A zeroed view:
     * nothing, and the body runs once. A group instead of a view: its members. */
    covey_view_desc view;
    const covey_group *group;
    /* What else it uses: components by handle or through further views, and resources. */
    const covey_type *reads[COVEY_TERMS], *writes[COVEY_TERMS];
    const covey_type *resource_reads[COVEY_TERMS], *resource_writes[COVEY_TERMS];

    bool split; /* several threads at once: the body runs once for each piece of its entities */
    uint32_t
        piece; /* indices, or positions, of a piece: rounded up to a multiple of 64; 0: chosen by how many there are */
    bool exclusive; /* alone, on the thread that runs the schedule: it may change the structure of the world */
    /* Entities that one piece may create in one go: so many ids are kept ready for each; more fail the run (FULL). A system
     * that is exclusive takes ids from the world when this is 0. */
    uint32_t creates;

    /* A reduction: each piece fills its scratch. When all are done, a zeroed total is merged with one after the other, in
     * their order, and copied to `total`: zero bytes if there was no piece. */
    size_t scratch;
    covey_merge_fn *merge;
    void *total;

    const char *phase;                                                  /* NULL: the one that was added last */
    const char *after[COVEY_SYSTEM_LINKS], *before[COVEY_SYSTEM_LINKS]; /* names of systems of the same phase */

    uint32_t every;      /* only each n-th time; 0 and 1: each time */
    bool once;           /* only the first time */
    bool off;            /* not before covey_system_enable */
    covey_when_fn *when; /* only when this says so; gets `context` */
} covey_system;

/* Adds a system. TYPE where the description is not complete, a view is wrong or a name is missing; PRESENT for a name that
 * is taken; ABSENT for a phase that is not there; CYCLE where `.after` and `.before` lead in a circle; MEMORY; REFUSED while
 * the schedule runs. The log names what is wrong. `.after` and `.before` may name systems that are added later. */
COVEY_API covey_result covey_system_add(covey_schedule *schedule, const covey_system *system);
/* Removes one, with its commands that were not replayed. False when there is none of this name, or the schedule runs. */
COVEY_API bool covey_system_remove(covey_schedule *schedule, const char *name);
/* Switches a system on or off, from its next turn on. False when there is none of this name. */
COVEY_API bool covey_system_enable(covey_schedule *schedule, const char *name, bool on);

/* A phase: a named sync point, and the systems behind it up to the next one. Systems that are added before the first phase
 * come before it. */
typedef struct covey_phase {
    const char *name;
    double step;   /* seconds: the phase runs as often as this fits into the time that has passed; 0: once a run */
    uint32_t most; /* with a step, times in one run; 0: 8. Time that is left then is dropped, and does not pile up */
    uint32_t every;
    bool once, off; /* as of systems; time that passes in runs without its turn does not count for the step */
    covey_when_fn *when;
    void *context;
} covey_phase;

/* Adds a phase behind the others. TYPE, PRESENT, MEMORY, REFUSED as above. */
COVEY_API covey_result covey_phase_add(covey_schedule *schedule, const covey_phase *phase);
COVEY_API bool covey_phase_enable(covey_schedule *schedule, const char *name, bool on);
/* Of a phase with a step: which part of the next step has passed, from 0 to 1; for drawing between two states. */
COVEY_API double covey_phase_fraction(const covey_schedule *schedule, const char *name);

/* ---- Running -----------------------------------------------------------------------------------------------------*/

/* Runs all systems that are due, and returns when they are done and their commands replayed. By the thread that owns the
 * world; run_for says how many seconds have passed since the last time, for phases with a step.
 *
 * Another result than COVEY_OK: a body failed (its result), a command could not be recorded or replayed (as
 * covey_commands_replay says), memory or ids for pieces are out (MEMORY, FULL), a name in `.after` or `.before` is of no
 * system (ABSENT), or the schedule runs already (REFUSED). The run ends at the sync point where this shows, and the world is
 * valid; covey_schedule_failure has a sentence with the name of the system. Systems behind it have not had their turn; steps
 * of a phase that are left are made in the next run. Commands that were not replayed stay, and the next run begins with
 * them; covey_schedule_skip drops the one that failed. */
COVEY_API covey_result covey_schedule_run(covey_schedule *schedule);
COVEY_API covey_result covey_schedule_run_for(covey_schedule *schedule, double seconds);
/* Why the last run failed, or adding a system or phase since then; "" when none of them did. */
COVEY_API const char *covey_schedule_failure(const covey_schedule *schedule);
/* Clears the first command that is left, as covey_commands_skip does; false when there is none. */
COVEY_API bool covey_schedule_skip(covey_schedule *schedule);

/* ---- What it does ------------------------------------------------------------------------------------------------*/

/* Times are in nanoseconds. */
typedef struct covey_system_stats {
    const char *name, *phase; /* phase: NULL for systems before the first one */
    bool on;
    uint64_t runs;            /* how often it had its turn */
    double last, mean, worst; /* from the start of its first piece to the end of its last */
    double busy;              /* the last time: of all pieces together; busy / last is how many threads were worth it */
    double waited;            /* the last time: from the sync point before it to its first piece */
    uint32_t pieces, threads; /* the last time: how many there were, and how many threads took part */
    uint32_t entities;        /* that match now */
} covey_system_stats;

/* In the order in which systems run. Writes at most `capacity`, and returns how many there are. O(matches / 64) each. */
COVEY_API uint32_t covey_schedule_stats(const covey_schedule *schedule, covey_system_stats *stats, uint32_t capacity);
/* The same as a table. `write` NULL is stdout, here and below. */
COVEY_API void covey_schedule_print(const covey_schedule *schedule, covey_write_fn *write, void *context);
/* The plan: phases, systems in their order, and for each what it waits for and why; as text, or as a graph for Graphviz. */
COVEY_API void covey_schedule_print_plan(const covey_schedule *schedule, covey_write_fn *write, void *context);
COVEY_API void covey_schedule_print_dot(const covey_schedule *schedule, covey_write_fn *write, void *context);

/* The plan as data. Systems have numbers here: their places in the order, from 0 on, until a system is added or removed. All
 * of these write at most `capacity` and return how many there are: 0 where there is no plan (covey_schedule_failure says
 * why). They may make the plan, which needs memory. */
typedef struct covey_planned_system {
    const char *name, *phase; /* phase: NULL for systems before the first one */
    uint32_t stage;           /* systems of the same stage have no sync point between them; stages follow each other */
    bool on, exclusive, split;
} covey_planned_system;
COVEY_API uint32_t covey_schedule_plan(const covey_schedule *schedule, covey_planned_system *systems,
                                       uint32_t capacity);
/* What a system uses: the types of its view, and those that it has declared. None for a number that is too large. */
typedef struct covey_system_use {
    const covey_type *type;
    bool writes, resource;
} covey_system_use;
COVEY_API uint32_t covey_schedule_uses(const covey_schedule *schedule, uint32_t system, covey_system_use *uses,
                                       uint32_t capacity);
/* Who waits for whom within a stage, and why. Waits that follow from others are left out. */
typedef enum covey_wait_reason {
    COVEY_WAIT_LINKED = 0, /* .after or .before says so */
    COVEY_WAIT_BOTH_WRITE = 1,
    COVEY_WAIT_WRITTEN_THEN_READ = 2,
    COVEY_WAIT_READ_THEN_WRITTEN = 3
} covey_wait_reason;
typedef struct covey_planned_wait {
    uint32_t first, then; /* systems: the second waits for the first */
    covey_wait_reason why;
    const covey_type *type; /* what both use; NULL: they are linked */
} covey_planned_wait;
COVEY_API uint32_t covey_schedule_waits(const covey_schedule *schedule, covey_planned_wait *waits, uint32_t capacity);

/* Notes what happens in the next so many runs: each piece, with its thread and its times, and each replay. Forgets what was
 * noted before; 0 ends it. Where memory is out, it ends early, and the log says so. */
COVEY_API void covey_schedule_trace(covey_schedule *schedule, uint32_t runs);
/* The same without an end: notes all runs from now on, and keeps the last so many. */
COVEY_API void covey_schedule_trace_last(covey_schedule *schedule, uint32_t runs);
/* What was noted, as data: by run; times are in nanoseconds of a clock that only goes forward. */
typedef struct covey_trace_event {
    const char *system;
    uint64_t run; /* runs of the schedule before this one */
    uint64_t begin, end;
    uint32_t thread, piece;
    bool replay; /* of the piece's commands; otherwise its body */
} covey_trace_event;
/* Writes at most `capacity` events from number `first` on, and returns how many were noted. */
COVEY_API uint32_t covey_schedule_traced(const covey_schedule *schedule, uint32_t first, covey_trace_event *events,
                                         uint32_t capacity);
/* Writes what was noted in the format of Chrome's traces, which Perfetto opens. */
COVEY_API void covey_schedule_print_trace(const covey_schedule *schedule, covey_write_fn *write, void *context);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_SCHEDULE_H */
