/* Covey, optional: systems, run by a schedule on several threads.
 *
 * A system is a function and a description of what it uses: a view that it iterates, and the other types and resources
 * that it reads or writes. A schedule runs systems. Systems without a conflict run at the same time, a `.split` system
 * runs on several threads at once, and the result is the same for every number of threads, byte for byte.
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
 * Two systems conflict if one writes what the other reads or writes. Conflicting systems run in the order in which they
 * were added, unless `.after` and `.before` say otherwise.
 *
 * A body writes values of its own types directly, and records structural changes into `job->commands`. Commands are
 * replayed at the next sync point, in the order of systems, then pieces. Sync points are: before each phase, before and
 * after each exclusive system, and the end of a run. See docs/threads.md. */
#ifndef COVEY_SCHEDULE_H
#define COVEY_SCHEDULE_H

#include <covey/commands.h>
#include <covey/covey.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct covey_schedule covey_schedule;

/* ---- Threads -----------------------------------------------------------------------------------------------------*/

#define COVEY_THREADS 64 /* maximum for a schedule */

/* A thread pool of your own, for example that of an engine. */
typedef void covey_task_fn(void *context, uint32_t number);
typedef struct covey_jobs {
    /* Calls task(context, number) for each number below `count`, on any threads and in any order, in parallel if it
     * can, and returns when all calls have returned. A call may wait for others that have begun, never for one that has
     * not. */
    void (*run)(void *pool, uint32_t count, covey_task_fn *task, void *context);
    void *pool;
    uint32_t threads; /* how many calls can run at the same time */
} covey_jobs;

/* Called when a piece of a system begins and ends, on the thread that runs it. For profilers. Either may be NULL. */
typedef struct covey_profiler {
    void (*begin)(const char *system, uint32_t piece, void *context);
    void (*end)(const char *system, uint32_t piece, void *context);
    void *context;
} covey_profiler;

/* ---- Schedules ---------------------------------------------------------------------------------------------------*/

typedef struct covey_schedule_desc {
    uint32_t threads;        /* including the one that calls covey_schedule_run; 0: one for each core */
    covey_jobs jobs;         /* zero: threads that the schedule starts and ends */
    covey_profiler profiler; /* zero: none */
    /* For everything that the schedule allocates; zero: the world's. One thread at a time calls it. */
    covey_allocator allocator;
} covey_schedule_desc;

/* Makes a schedule without systems. NULL for `desc` means all defaults. If not all threads can be started, it continues
 * with those that were, and the log says so. Returns NULL on failure: MEMORY. Destroy it before its world. */
COVEY_NODISCARD COVEY_API covey_schedule *covey_schedule_create(covey_world *world, const covey_schedule_desc *desc);
/* Ends its threads, and discards commands that were not replayed. Not while it runs. NULL is allowed. */
COVEY_API void covey_schedule_destroy(covey_schedule *schedule);
COVEY_API uint32_t covey_schedule_threads(const covey_schedule *schedule);

/* ---- Systems -----------------------------------------------------------------------------------------------------*/

/* What a body works with: one piece of the system's entities. */
typedef struct covey_job {
    covey_iter it; /* the entities of this piece: for covey_next or covey_next_row */
    covey_world *world;
    covey_commands *commands; /* of this piece */
    void *scratch;            /* `.scratch` bytes for this piece, zeroed and aligned to 64; else NULL */
    double step;              /* seconds: the `.step` of the phase, or else the argument of covey_schedule_run_for */
    uint64_t run;             /* number of earlier runs of the schedule */
    uint32_t piece, pieces;   /* number of this piece; how many there are */
    uint32_t thread;          /* number of the thread, below covey_schedule_threads */
    covey_result result;      /* set it if the body fails: the run ends after the next sync point, with this result */
    /* For statistics and traces: a body that sends, receives, reads or writes sets how many bytes it moved, and how
     * many seconds it only waited for them. */
    uint64_t bytes;
    double blocked;
} covey_job;

typedef void covey_system_fn(covey_job *job, void *context);
/* Returns whether a system or phase runs this time. Called by the thread that runs the schedule. */
typedef bool covey_when_fn(const covey_world *world, void *context);
/* Adds the scratch of one piece to a total. */
typedef void covey_merge_fn(void *total, const void *scratch, void *context);

#define COVEY_SYSTEM_LINKS 8

/* Zero means default. Names and descriptions are copied; context, total, group and types must stay valid. */
typedef struct covey_system {
    const char *name; /* unique in the schedule */
    covey_system_fn *run;
    void *context;
    void (*drop)(void *context); /* optional: frees the context, when the system is removed or the schedule destroyed */

    /* What the body iterates as job->it. Fields in `.read` are read, the others are written. With a zeroed view there
     * is nothing to iterate, and the body runs once. With a group instead of a view: its members. */
    covey_view_desc view;
    const covey_group *group;
    /* What else it uses: components by handle or through other views, and resources. */
    const covey_type *reads[COVEY_TERMS], *writes[COVEY_TERMS];
    const covey_type *resource_reads[COVEY_TERMS], *resource_writes[COVEY_TERMS];

    bool split; /* on several threads: the body runs once for each piece of its entities */
    /* Indices, or positions, of a piece, rounded up to a multiple of 64; 0: chosen by how many there are. */
    uint32_t piece;
    bool exclusive; /* alone, on the thread that runs the schedule: it may make structural changes */
    /* Not split, and only on the thread that runs the schedule, which takes it first, while other threads run systems
     * without a conflict. For libraries that one thread calls: MPI, windows, graphics. */
    bool main_thread;
    /* How many entities one piece may create in one run: that many ids are kept ready for each piece, as far as the
     * world has them, and creating more fails the run (FULL). An exclusive system with 0 takes ids from the world. */
    uint32_t creates;
    /* The types that these entities will get, if they are known: their ids are then beside those of other entities with
     * these types, as for covey_create_for. */
    const covey_type *creates_with[COVEY_TERMS];

    /* A reduction: each piece fills its scratch. When all are done, the pieces are merged in order into a zeroed total,
     * which is copied to `total`: zero bytes if there was no piece. */
    size_t scratch;
    covey_merge_fn *merge;
    void *total;

    const char *phase;                                                  /* NULL: the phase that was added last */
    const char *after[COVEY_SYSTEM_LINKS], *before[COVEY_SYSTEM_LINKS]; /* names of systems of the same phase */

    uint32_t every;      /* only every n-th time; 0 and 1: every time */
    bool once;           /* only the first time */
    bool disabled;       /* does not run until covey_system_enable */
    covey_when_fn *when; /* only when it returns true; gets `context` */
} covey_system;

/* Adds a system. TYPE when the description is incomplete, its view is invalid or it has no name; PRESENT when the name
 * is taken; ABSENT when the phase does not exist; CYCLE when `.after` and `.before` form a cycle; MEMORY; REFUSED while
 * the schedule runs. The log names the mistake. `.after` and `.before` may name systems that are added later. */
COVEY_API covey_result covey_system_add(covey_schedule *schedule, const covey_system *system);
/* Removes a system, with its commands that were not replayed. False if the name is unknown, or the schedule runs. */
COVEY_API bool covey_system_remove(covey_schedule *schedule, const char *name);
/* Enables or disables a system, from its next turn on. False if the name is unknown. */
COVEY_API bool covey_system_enable(covey_schedule *schedule, const char *name, bool enabled);

/* A phase: a named sync point, and the systems after it up to the next one. Systems that are added before the first
 * phase run before it. */
typedef struct covey_phase {
    const char *name;
    double step; /* seconds: the phase runs as often as this fits into the elapsed time; 0: once in each run */
    /* Limit for a phase with a step, in one run; 0: 8. Time beyond it is dropped and does not accumulate. */
    uint32_t most;
    uint32_t every;
    bool once, disabled; /* as for systems; time that passes in runs without its turn does not count for the step */
    covey_when_fn *when;
    void *context;
} covey_phase;

/* Adds a phase after the others. TYPE, PRESENT, MEMORY, REFUSED as above. */
COVEY_API covey_result covey_phase_add(covey_schedule *schedule, const covey_phase *phase);
COVEY_API bool covey_phase_enable(covey_schedule *schedule, const char *name, bool enabled);
/* For a phase with a step: the elapsed part of the next step, from 0 to 1. For drawing between two states. */
COVEY_API double covey_phase_fraction(const covey_schedule *schedule, const char *name);

/* ---- Running -----------------------------------------------------------------------------------------------------*/

/* Runs all systems that are due, and returns when they are done and their commands replayed. Only the thread that owns
 * the world. run_for takes the seconds since the last run, for phases with a step.
 *
 * Returns a result other than COVEY_OK when a body failed (its result), a command could not be recorded or replayed (as
 * covey_commands_replay), memory or ids for pieces ran out (MEMORY, FULL), `.after` or `.before` names an unknown
 * system (ABSENT), or the schedule runs already (REFUSED). The run ends at the sync point where this is found, and the
 * world is valid; covey_schedule_failure returns a sentence with the name of the system. Later systems have not run;
 * remaining steps of a phase are made in the next run. Commands that were not replayed stay, and the next run begins
 * with them; covey_schedule_skip discards the one that failed. */
COVEY_NODISCARD COVEY_API covey_result covey_schedule_run(covey_schedule *schedule);
COVEY_NODISCARD COVEY_API covey_result covey_schedule_run_for(covey_schedule *schedule, double seconds);
/* Why the last run failed, or adding a system or phase since then; "" if none did. */
COVEY_API const char *covey_schedule_failure(const covey_schedule *schedule);
/* Discards the first remaining command, as covey_commands_skip does; false if there is none. */
COVEY_API bool covey_schedule_skip(covey_schedule *schedule);

/* ---- What it does ------------------------------------------------------------------------------------------------*/

/* Times are in nanoseconds. */
typedef struct covey_system_stats {
    const char *name, *phase; /* phase: NULL for systems before the first phase */
    bool enabled;
    uint64_t runs;                 /* how often it ran */
    double last, mean, worst;      /* from the start of its first piece to the end of its last */
    double busy;                   /* the last time, all pieces added up; busy / last is how many threads were useful */
    double waited;                 /* the last time: from the sync point before it to its first piece */
    uint32_t pieces, threads;      /* the last time: number of pieces, and of threads that took part */
    uint32_t entities;             /* how many match now */
    uint64_t bytes, bytes_total;   /* job->bytes of all pieces: the last time, and of all runs */
    double blocked, blocked_total; /* the same for job->blocked */
} covey_system_stats;

/* Statistics of the systems, in the order in which they run. Writes at most `capacity` and returns how many there are.
 * O(matches / 64) each. */
COVEY_API uint32_t covey_schedule_stats(const covey_schedule *schedule, covey_system_stats *stats, uint32_t capacity);
/* The same as a table. Here and below, NULL for `write` means stdout. */
COVEY_API void covey_schedule_print(const covey_schedule *schedule, covey_write_fn *write, void *context);
/* The plan: phases, systems in order, and what each waits for and why. As text, or as a graph for Graphviz. */
COVEY_API void covey_schedule_print_plan(const covey_schedule *schedule, covey_write_fn *write, void *context);
COVEY_API void covey_schedule_print_dot(const covey_schedule *schedule, covey_write_fn *write, void *context);

/* The plan as data. Systems are numbered by their place in the order, from 0 on, until a system is added or removed.
 * Each call writes at most `capacity` and returns how many there are: 0 if there is no plan (covey_schedule_failure
 * says why). The calls may make the plan, which allocates. */
typedef struct covey_planned_system {
    const char *name, *phase; /* phase: NULL for systems before the first phase */
    uint32_t stage;           /* between systems of the same stage there is no sync point; stages follow each other */
    bool enabled, exclusive, split, main_thread;
} covey_planned_system;
COVEY_API uint32_t covey_schedule_plan(const covey_schedule *schedule, covey_planned_system *systems,
                                       uint32_t capacity);
/* What a system uses: the types of its view, and those that it declares. None for a number that is too large. */
typedef struct covey_system_use {
    const covey_type *type;
    bool writes, resource;
} covey_system_use;
COVEY_API uint32_t covey_schedule_uses(const covey_schedule *schedule, uint32_t system, covey_system_use *uses,
                                       uint32_t capacity);
/* Whether a system iterates an entity: it matches the view, or is a member of the group. False for a system that has
 * neither, and for a number that is too large. */
COVEY_API bool covey_schedule_contains(const covey_schedule *schedule, uint32_t system, covey_entity e);
/* Which system waits for which within a stage, and why. Waits that follow from others are left out. */
typedef enum covey_wait_reason {
    COVEY_WAIT_LINKED = 0, /* .after or .before says so */
    COVEY_WAIT_BOTH_WRITE = 1,
    COVEY_WAIT_WRITTEN_THEN_READ = 2,
    COVEY_WAIT_READ_THEN_WRITTEN = 3
} covey_wait_reason;
typedef struct covey_planned_wait {
    uint32_t first, then; /* numbers of systems: `then` waits for `first` */
    covey_wait_reason why;
    const covey_type *type; /* what both use; NULL if they are linked */
} covey_planned_wait;
COVEY_API uint32_t covey_schedule_waits(const covey_schedule *schedule, covey_planned_wait *waits, uint32_t capacity);

/* Records a trace of the next `runs` runs: each piece, with its thread and times, and each replay. Discards the trace
 * before; 0 ends it. If memory runs out, it ends early, and the log says so. */
COVEY_API void covey_schedule_trace(covey_schedule *schedule, uint32_t runs);
/* The same without an end: traces all runs from now on, and keeps the last `runs`. */
COVEY_API void covey_schedule_trace_last(covey_schedule *schedule, uint32_t runs);
/* An event of the trace, ordered by run. Times are in nanoseconds of a monotonic clock. */
typedef struct covey_trace_event {
    const char *system;
    uint64_t run; /* number of earlier runs of the schedule */
    uint64_t begin, end;
    uint32_t thread, piece;
    bool replay; /* of the piece's commands; otherwise its body */
    uint64_t bytes;
    double blocked; /* nanoseconds; both as the body says */
} covey_trace_event;
/* Writes at most `capacity` events from number `first` on, and returns how many the trace has. */
COVEY_API uint32_t covey_schedule_traced(const covey_schedule *schedule, uint32_t first, covey_trace_event *events,
                                         uint32_t capacity);
/* Writes the trace in the format of Chrome's traces, which Perfetto opens. */
COVEY_API void covey_schedule_print_trace(const covey_schedule *schedule, covey_write_fn *write, void *context);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_SCHEDULE_H */
