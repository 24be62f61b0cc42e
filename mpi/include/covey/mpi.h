/* Covey, optional: one world over many processes, by MPI.
 *
 * Each rank has a world of its own. An entity lives on one rank. It can move to another rank with all its
 * components, and keeps its handle.
 *
 *     MPI_Init(NULL, NULL);
 *     covey_world *world = covey_world_create(NULL);
 *     const covey_type *types[] = { covey_id(Position), covey_id(Velocity), NULL };
 *     covey_mpi *mpi = covey_mpi_create(MPI_COMM_WORLD, world, &(covey_mpi_desc){ .types = types }, NULL);
 *     covey_entity e = covey_create(world);                  the handle is unique over all ranks
 *     covey_mpi_migrate(mpi, &e, &(int){ 1 }, 1);            now the entity lives on rank 1, with the same handle
 *
 * Rules
 *   - All ranks of the communicator make calls marked "collective", in the same order. Where assertions are on,
 *     ranks that call different functions all get REFUSED, and the report names the functions.
 *   - A collective call returns the same result on all ranks. If it fails on one rank, it changes nothing on any
 *     rank; the report names the rank and the reason.
 *   - Only the thread that may call MPI makes these calls, and never inside a listener or hook. Systems that make
 *     collective calls are added with covey_mpi_system_add.
 *
 * docs/mpi.md has the rules of handles, the steps of an exchange, and a first program. */
#ifndef COVEY_MPI_H
#define COVEY_MPI_H

#include <covey/covey.h>
#include <covey/image.h>
#include <covey/schedule.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct covey_mpi covey_mpi;

/* ---- A world of many ranks -----------------------------------------------------------------------------------------
 *
 * The indices from `first_index` on are divided into ranges of `range_size` indices. Range r belongs to rank r %
 * size, the home of its entities: only the home creates entities in it. covey_create, covey_create_many and command
 * buffers use the first range of their rank, and send no message. When that range is full they fail (FULL);
 * covey_mpi_range_reserve then returns another range.
 *
 * An entity that lives on another rank stays alive at its home, with nothing but the tag covey_away, so that its
 * index is not used again. */

/* A tag of entities whose home is this rank, and which live on another rank now. */
typedef struct covey_away covey_away;
typedef char COVEY__SIZE_TYPE(covey_away)[0 + 1];
COVEY_API extern const covey_type covey_type_covey_away;

/* How entities move that have a parent or children. */
typedef enum covey_mpi_trees {
    COVEY_MPI_TREES_REFUSE = 0, /* they cannot move (REFUSED) */
    COVEY_MPI_TREES_MOVE = 1 /* a root moves with all its descendants; other entities of a tree cannot move (REFUSED) */
} covey_mpi_trees;

/* Zero means default. All ranks give the same description. */
typedef struct covey_mpi_desc {
    /* The components that move with their entities, ended by NULL. Each type can be saved (see covey/image.h).
     * Transient components do not move; they are removed when their entity leaves. */
    const covey_type *const *types;
    uint32_t first_index; /* of the first range */
    uint32_t range_size;  /* 0: a 256th of all indices, which is enough for 256 ranks */
    covey_mpi_trees trees;
    covey_allocator allocator; /* for messages and bookkeeping; zero: the C library */
} covey_mpi_desc;

/* The number of ranges in which a rank can create entities. */
#define COVEY_MPI_RANGES 4

/* Collective. Compares versions, constants and types of all ranks, and reserves the indices of the other ranks in
 * `world`, which never had an entity. Keeps a duplicate of the communicator. `report` may be NULL. Returns NULL on
 * all ranks: MEMORY; TYPE for a type that cannot be saved; LAYOUT when ranks differ, and the report names one; TAKEN
 * when a world had entities; RANGE when there are not enough indices. */
COVEY_NODISCARD COVEY_API covey_mpi *covey_mpi_create(MPI_Comm comm, covey_world *world, const covey_mpi_desc *desc,
                                                      covey_report *report);
/* Collective. Call it before the world is destroyed; the world stays, with everything in it. After MPI_Finalize it only
 * frees memory. NULL is fine, if it is NULL on all ranks. Destroying the world first breaks a contract (level 1); then
 * this is the only call that is still allowed. */
COVEY_API void covey_mpi_destroy(covey_mpi *mpi);

COVEY_API int covey_mpi_rank(const covey_mpi *mpi);
COVEY_API int covey_mpi_size(const covey_mpi *mpi);
/* Why the last collective call failed, the same on all ranks. Its result is OK if the call did not fail. */
COVEY_API const covey_report *covey_mpi_report(const covey_mpi *mpi);

/* The rank that is the home of a handle. -1 when the index is outside all ranges. */
COVEY_API int covey_mpi_home(const covey_mpi *mpi, covey_entity e);
/* Whether the entity lives here: it is alive, and neither away nor a ghost. */
COVEY_API bool covey_mpi_owns(const covey_mpi *mpi, covey_entity e);
/* How many entities live here. */
COVEY_API uint32_t covey_mpi_owned_count(const covey_mpi *mpi);
/* Another range of indices of this rank, for covey_create_in. Available COVEY_MPI_RANGES - 1 times; then returns {
 * 0, 0 }. Not collective. */
COVEY_API covey_range covey_mpi_range_reserve(covey_mpi *mpi);

/* ---- Migration ---------------------------------------------------------------------------------------------------*/

/* Collective. Moves entities that live here: entities[i] to the rank ranks[i]. They move with the components of
 * `types`, with what is disabled, and with their names. Handles stay valid, also those in fields. Entities that are
 * on their rank already stay. `count` may be 0. Listeners see arrivals as new entities and components; they see
 * departures as destroyed entities or, at home, as removed components. The tick of arrived components is that of the
 * arrival. A name that a sibling has on the new rank is dropped.
 *
 * All or nothing: DEAD for a handle that is not alive or does not live here; PRESENT for one that occurs twice;
 * RANGE for a rank that does not exist; TYPE for a component that is neither transient nor one of `types`; REFUSED
 * for trees; IMAGE for a damaged message; MEMORY. */
COVEY_API covey_result covey_mpi_migrate(covey_mpi *mpi, const covey_entity *entities, const int *ranks,
                                         uint32_t count);

/* Collective. Reclaims the indices of entities that were destroyed away from home, so that their homes use them again.
 * Every 64th migration does the same. MEMORY. */
COVEY_API covey_result covey_mpi_reclaim(covey_mpi *mpi);

/* ---- Relations ---------------------------------------------------------------------------------------------------
 *
 * A lookup (covey/lookup.h) finds the entities and ghosts of this rank. A target that moves does not end: its sources
 * stay as they are, on all ranks. When a target is destroyed, its sources on the same rank are dealt with at once, and
 * those on other ranks by the next call of this: */

/* Collective. Deals with all sources whose target was destroyed, on any rank, as the lookups of their own rank say; and
 * with their sources, if they are destroyed. Ghosts stay as they are until the next refresh. Reclaims indices, as
 * covey_mpi_reclaim does. MEMORY: then some are not dealt with yet. Three exchanges, and three more for each step of a
 * chain of targets that changes ranks. */
COVEY_API covey_result covey_mpi_targets_end(covey_mpi *mpi);

/* ---- Ghosts --------------------------------------------------------------------------------------------------------
 *
 * A ghost is a read-only copy of an entity on another rank, for neighbours across a border. It has the handle of the
 * entity, some of its components, and covey_ghost. Programs do not change ghosts; views of the entities that a rank
 * owns exclude them:
 *
 *     covey_mpi_ghosts_define(mpi, &(covey_mpi_ghosts_desc){ .types = seen, .near = who_sees, .context = &model });
 *     covey_view own = covey_view_make(world, &(covey_view_desc){
 *         .with = { covey_id(Position) }, .without = { covey_id(covey_ghost) } });
 *     ... each step: change own entities, covey_mpi_migrate, covey_mpi_ghosts_refresh, and read all
 *
 * A refresh sends what changed since the previous one: new ghosts, removed ghosts, and changed values. Only types
 * with `.ticks` know which values changed; all values of other types are sent. */

/* The component of ghosts: the rank where the entity lives, and the number by which both ranks know the ghost. */
typedef struct covey_ghost {
    int32_t rank;
    uint32_t slot;
} covey_ghost;
typedef char COVEY__SIZE_TYPE(covey_ghost)[sizeof(covey_ghost) + 1u];
COVEY_API extern const covey_type covey_type_covey_ghost;

/* Chooses the ranks that have a ghost of an entity. Writes them to `ranks`, which has room for all, and returns how
 * many; this rank is ignored. The answer depends only on the components of `.types`: it is asked for again when one
 * of them changed, or at each refresh if one of the types has no ticks. Must not change the world. */
typedef uint32_t covey_mpi_near_fn(const covey_world *world, covey_entity e, int *ranks, void *context);

typedef struct covey_mpi_ghosts_desc {
    /* The components of ghosts, ended by NULL: at most 14 of the types that move, without functions for saving,
     * copying or dropping. Only entities that have all of them have ghosts. */
    const covey_type *const *types;
    covey_mpi_near_fn *near;
    void *context; /* for near */
} covey_mpi_ghosts_desc;

/* Collective. Defines which entities have ghosts. Removes existing ghosts; the next refresh creates the new ones.
 * With NULL there are no ghosts any more. TYPE for a type that ghosts cannot have; RANGE for too many types; LAYOUT
 * when ranks give different types; MEMORY. */
COVEY_API covey_result covey_mpi_ghosts_define(covey_mpi *mpi, const covey_mpi_ghosts_desc *desc);

/* Collective. Brings all ghosts up to date in one exchange, and advances the tick of the world. Values are set as if
 * by covey_set_array. All or nothing: RANGE when `near` names a rank that does not exist; REFUSED when no ghosts are
 * defined; TAKEN when the home destroyed an entity that is away; IMAGE for a damaged message; MEMORY. */
COVEY_API covey_result covey_mpi_ghosts_refresh(covey_mpi *mpi);
/* The same, but calls `near` for all entities and sends all values. For when the answers of `near` change for other
 * reasons, such as new borders. */
COVEY_API covey_result covey_mpi_ghosts_refresh_all(covey_mpi *mpi);

/* What this rank has done so far. */
typedef struct covey_mpi_stats {
    uint64_t exchanges; /* collective calls that sent messages */
    uint64_t entities_sent, entities_received;
    uint64_t ghosts_created; /* on other ranks */
    uint64_t values_sent;    /* to existing ghosts */
    uint64_t bytes_sent, bytes_received;
    double seconds_waited; /* in MPI calls that wait for other ranks */
    uint64_t files_read;   /* of checkpoints */
} covey_mpi_stats;
COVEY_API covey_mpi_stats covey_mpi_stats_of(const covey_mpi *mpi);

/* ---- Over all ranks ----------------------------------------------------------------------------------------------*/

typedef enum covey_mpi_operation { COVEY_MPI_SUM = 0, COVEY_MPI_MIN = 1, COVEY_MPI_MAX = 2 } covey_mpi_operation;

/* Collective. Reduces each of `count` numbers over all ranks, in place: all ranks get the sum, minimum or maximum.
 * Doubles are added in the order of ranks, so that the same ranks always give the same sum. MEMORY. */
COVEY_API covey_result covey_mpi_reduce_i64(covey_mpi *mpi, covey_mpi_operation operation, int64_t *values,
                                            uint32_t count);
COVEY_API covey_result covey_mpi_reduce_f64(covey_mpi *mpi, covey_mpi_operation operation, double *values,
                                            uint32_t count);

/* Collective. How many entities of all ranks match the view. Ghosts do not count. */
COVEY_API covey_result covey_mpi_count(covey_mpi *mpi, const covey_view *view, uint64_t *count);

/* Collective. A checksum of the given components, ended by NULL, over all entities that have every one of them. It
 * does not depend on the ranks of entities or on their handles. TYPE for a type with functions to save it, or with
 * members that images leave out. */
COVEY_API covey_result covey_mpi_digest(covey_mpi *mpi, const covey_type *const *types, uint64_t *digest);

/* ---- Checkpoints -------------------------------------------------------------------------------------------------*/

/* Collective. Saves the entities of each rank to an image beside `path`: the components of `types`, names and
 * parents. Then writes a manifest to `path`, which covey-snap reads as one world. At any moment, even when a rank is
 * killed, `path` is the last complete checkpoint, or does not exist yet. The first call with a path removes files
 * beside it that killed jobs left behind. FILE; MEMORY; IMAGE when `path` is some other file. */
COVEY_API covey_result covey_mpi_save(covey_mpi *mpi, const char *path);

/* Chooses the rank of an entity of a checkpoint. `world` has the contents of its file. Called once for each root, on
 * the rank that reads its file; descendants go where their root goes. */
typedef int covey_mpi_place_fn(const covey_world *world, covey_entity e, void *context);

/* Collective. Loads a checkpoint, saved by any number of ranks, into worlds without entities. If `place` is NULL,
 * entities of rank r live on rank r % size. Handles stay the same, and stale handles stay stale. REFUSED when a
 * world has entities; RANGE when .first_index or .range_size differ, or `place` returns no rank; FILE, IMAGE,
 * MEMORY. After a failure the worlds have no entities. */
COVEY_API covey_result covey_mpi_load(covey_mpi *mpi, const char *path, covey_mpi_place_fn *place, void *context);

/* ---- Partition -----------------------------------------------------------------------------------------------------
 *
 * A partition gives each rank a box of a space with one to three axes, or leaves the choice to a function.
 *
 *     covey_mpi_partition *p = covey_mpi_partition_create(mpi, &(covey_mpi_partition_desc){
 *         .type = covey_id(Position), .cuts = COVEY_MPI_BISECTION, .halo = 5,
 *         .axes = { { .field = "x", .high = 1000, .wraps = true }, { .field = "y", .high = 500 } } });
 *     covey_mpi_partition_migrate(p);      entities outside the box of their rank move to the rank that has their box
 *
 * Each point belongs to exactly one rank. Boxes are half-open: a point on a cut belongs to the higher box. A
 * position outside the space wraps around where the axis wraps, and otherwise belongs to the nearest box. NaN counts
 * as the low end of its axis; so does an infinity where the axis wraps. */
typedef struct covey_mpi_partition covey_mpi_partition;

#define COVEY_MPI_AXES 3

typedef enum covey_mpi_cuts {
    /* Boxes of equal size in rows and columns, with the shortest borders. */
    COVEY_MPI_GRID = 0,
    /* Each box is cut across its longest side (the last one, if several are equal), in proportion to the ranks of both
     * parts: by size at first, and by load in covey_mpi_partition_balance. */
    COVEY_MPI_BISECTION = 1
} covey_mpi_cuts;

/* One axis of the space. */
typedef struct covey_mpi_axis {
    const char
        *field;      /* the name of a number among the .fields of the type; NULL: `kind` and `offset` say where it is */
    covey_kind kind; /* an integer or a floating-point number; 64-bit integers are rounded to double beyond 2^53 */
    uint32_t offset;
    double low, high; /* the ends; `high` itself is outside. The first axis with both 0 ends the list */
    /* Cuts are at low + k * cell, and boxes are at least one cell wide. 0: 1 for integers, and a 2^20th of the axis for
     * other numbers. For integers, low, high and cell are whole numbers. */
    double cell;
    bool wraps; /* the two ends are the same place */
} covey_mpi_axis;

/* Zero means default. All ranks give the same description. */
typedef struct covey_mpi_partition_desc {
    /* The component with the position, one of the .types of covey_mpi_create. Entities without it do not move. */
    const covey_type *type;
    covey_mpi_cuts cuts;
    covey_mpi_axis axes[COVEY_MPI_AXES];
    double halo; /* for covey_mpi_partition_near */
    /* Instead of cuts and axes: chooses the rank of each entity that lives here and, unless `type` is NULL, has it. */
    covey_mpi_place_fn *place;
    void *context;
} covey_mpi_partition_desc;

/* Collective. Returns NULL on all ranks: TYPE for a type that does not move with entities, or a field that is not a
 * number; RANGE for axes that cannot be cut into as many boxes as there are ranks; LAYOUT when ranks give different
 * descriptions; MEMORY. covey_mpi_report says why. Destroy it before the covey_mpi; destroying the world first breaks a
 * contract (level 1). */
COVEY_API covey_mpi_partition *covey_mpi_partition_create(covey_mpi *mpi, const covey_mpi_partition_desc *desc);
/* NULL is fine. Not collective. */
COVEY_API void covey_mpi_partition_destroy(covey_mpi_partition *partition);

/* The rank of a point, which has a number for each axis. -1 if the partition has a .place function. */
COVEY_API int covey_mpi_partition_rank(const covey_mpi_partition *partition, const double *point);
/* The box of a rank, with a number for each axis. Returns false when there is no such rank, or if the partition has a
 * .place function. */
COVEY_API bool covey_mpi_partition_box(const covey_mpi_partition *partition, int rank, double *low, double *high);

/* The rank of an entity, for covey_mpi_load; `context` is the partition. Without a position, the home of the entity. */
COVEY_API int covey_mpi_partition_place(const covey_world *world, covey_entity e, void *context);

/* The other ranks whose boxes are within `halo` of an entity along each axis, for covey_mpi_ghosts_define; `context`
 * is the partition. Writes each rank once to `ranks`, which has room for all, and returns how many: none without a
 * position, or if the partition has a .place function. Exact for integers; for other numbers it may include a box
 * that is too far by a rounding error. Costs a few comparisons for entities deep inside the box of this rank. */
COVEY_API uint32_t covey_mpi_partition_near(const covey_world *world, covey_entity e, int *ranks, void *context);

/* Collective. Moves all entities that live here and belong to another rank. Entities with a parent go where their root
 * goes. Fails as covey_mpi_migrate does. O(entities), about a nanosecond for each entity that stays. */
COVEY_API covey_result covey_mpi_partition_migrate(covey_mpi_partition *partition);

/* Collective. Makes new cuts when the load of ranks is uneven, and moves entities to match. `seconds` is the time
 * that the work of this rank took since the last call; each of its entities weighs an equal part of it. Does nothing
 * unless the longest time is more than (1 + limit) times the mean. A `limit` below 0 always makes new cuts. If all
 * times are 0, all entities weigh the same. The weight on either side of a cut differs from its share by at most
 * half of the weight in one layer of cells, unless boxes of one cell leave no choice. Deterministic: the same
 * entities and seconds give the same cuts. Sets *moved, which may be NULL, to the number of entities that moved on
 * all ranks together. After new cuts, the next refresh of ghosts is a complete one. REFUSED unless .cuts is
 * COVEY_MPI_BISECTION; RANGE for seconds that are negative or not finite, and for a limit that is NaN or differs
 * between ranks; otherwise fails as covey_mpi_migrate does. A failure leaves the cuts as they were. */
COVEY_API covey_result covey_mpi_partition_balance(covey_mpi_partition *partition, double seconds, double limit,
                                                   uint64_t *moved);

/* ---- Systems -------------------------------------------------------------------------------------------------------
 *
 * Exchanges as systems of a schedule. They run on the thread that runs the schedule. All ranks have the same ones,
 * in the same order. Their statistics and traces include the bytes sent and received, and the time spent waiting for
 * other ranks. A run fails with the result of the exchange, which is the same on all ranks; covey_mpi_report says
 * why.
 *
 *     covey_mpi_system_add(schedule, &(covey_mpi_system){ .mpi = mpi, .partition = p,
 *         .system = { .name = "exchange" } });
 *     covey_mpi_system_add(schedule, &(covey_mpi_system){ .mpi = mpi,
 *         .system = { .name = "count", .run = count_sick, .reads = { covey_id(Health) } } });
 *     covey_mpi_system_add(schedule, &(covey_mpi_system){ .mpi = mpi, .ghosts = true,
 *         .system = { .name = "ghosts" } });
 *     covey_system_add(schedule, &(covey_system){ .name = "think", .run = think, .before = { "ghosts" } });
 *
 * Here `think` runs on other threads while the messages about ghosts are in transit. */
typedef struct covey_mpi_system {
    covey_mpi *mpi;
    /* As for covey_system_add. `.run` makes collective calls, the same ones on all ranks. Unless it is `.exclusive`, it
     * gets `.main_thread`, and other threads run systems that do not conflict with it; it then must not make structural
     * changes, such as covey_mpi_migrate. `.when`, `.every` and the like decide the same on all ranks. */
    covey_system system;
    /* Instead of `.run`: calls covey_mpi_partition_migrate, exclusively. */
    covey_mpi_partition *partition;
    /* Instead of `.run` and `.partition`: refreshes ghosts, in three systems. NAME.pack is exclusive; `.after`,
     * `.every` and `.when` apply to it. NAME.transfer sends and receives, while other threads run the systems in
     * between. NAME is exclusive and applies the changes; `.before` applies to it. Systems that are added later with
     * NAME in their .before run in between: they see the old ghosts, and what they write is sent by the next
     * refresh. */
    bool ghosts;
} covey_mpi_system;

/* Adds a system. Not collective. Fails as covey_system_add does; TYPE without `.name`, and unless exactly one of .run,
 * .partition and .ghosts is given. Destroy the schedule before the partition and the covey_mpi. */
COVEY_API covey_result covey_mpi_system_add(covey_schedule *schedule, const covey_mpi_system *system);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_MPI_H */
