/* Covey, optional: one world over many processes, by MPI.
 *
 * Each rank has a world of its own. Entities live on one rank, move between ranks with all their components, and keep
 * their handles.
 *
 *     MPI_Init(NULL, NULL);
 *     covey_world *world = covey_world_create(NULL);
 *     const covey_type *types[] = { covey_id(Position), covey_id(Velocity), NULL };
 *     covey_mpi *mpi = covey_mpi_create(MPI_COMM_WORLD, world, &(covey_mpi_desc){ .types = types }, NULL);
 *     covey_entity e = covey_create(world);                  its handle is that of no entity of another rank
 *     covey_mpi_migrate(mpi, &e, &(int){ 1 }, 1);            now it lives on rank 1, by the same handle
 *
 * Rules
 *   - Calls marked "collective" are made by all ranks of the communicator, in the same order. Where assertions are on,
 *     ranks that call different functions all get REFUSED, and the report names the functions.
 *   - A collective call has the same result on all ranks. Where it fails on one, all are as before; the report names the
 *     rank and says why.
 *   - Only the thread that may call MPI makes these calls, and none of them inside of a listener or hook. Systems that
 *     make them are added by covey_mpi_system_add.
 *
 * docs/mpi.md has the rules of handles, what happens in an exchange, and a first program. */
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
 * The indices from `first` on are cut into shares of `span` indices. Share s belongs to rank s % size, which is the home
 * of its entities: only the home makes entities in it. covey_create, covey_create_many and command buffers use the first
 * share of their rank, without any message; when it is used up they fail (FULL), and covey_mpi_more has another one.
 *
 * An entity that is away is still alive at home, where it has nothing but a tag, so that nobody gets its index. */

/* What entities have, at home, that live on another rank now. */
typedef struct covey_away covey_away;
typedef char COVEY__SIZE_TYPE(covey_away)[0 + 1];
COVEY_API extern const covey_type covey_type_covey_away;

/* What becomes of entities that have a parent or children. */
typedef enum covey_mpi_trees {
    COVEY_MPI_TREES_REFUSE = 0, /* they do not move (REFUSED) */
    COVEY_MPI_TREES_MOVE = 1 /* a root moves with all below it; who has a parent does not move without it (REFUSED) */
} covey_mpi_trees;

/* Zero means default. All ranks give the same. */
typedef struct covey_mpi_desc {
    const covey_type *const
        *types;     /* of components that move with their entities, ended by NULL; each can be saved (see
                                     * covey/image.h). Transient components stay behind, and end there */
    uint32_t first; /* index of the first share */
    uint32_t span;  /* indices of a share. 0: a 256th of all; then there are at most 256 ranks */
    covey_mpi_trees trees;
    covey_allocator allocator; /* for messages and what is kept between them; zero: the C library */
} covey_mpi_desc;

#define COVEY_MPI_SHARES 4 /* of a rank, from which it can create */

/* Collective. Compares versions, constants and types of all ranks, and reserves the indices of the others in `world`,
 * which never had an entity; keeps a duplicate of the communicator. NULL on all ranks: MEMORY; TYPE for a type that
 * cannot be saved; LAYOUT when a rank differs, which is named; TAKEN when a world had entities; RANGE when there are not
 * enough indices. `report` may be NULL. */
COVEY_NODISCARD COVEY_API covey_mpi *covey_mpi_create(MPI_Comm comm, covey_world *world, const covey_mpi_desc *desc,
                                                      covey_report *report);
/* Collective, before the world is destroyed; after MPI_Finalize it only frees memory. The world stays, with all that is in
 * it. NULL is fine, if it is NULL on all ranks. A world that is destroyed first breaks a contract (level 1); from then on
 * this is the only call that is allowed. */
COVEY_API void covey_mpi_destroy(covey_mpi *mpi);

COVEY_API int covey_mpi_rank(const covey_mpi *mpi);
COVEY_API int covey_mpi_size(const covey_mpi *mpi);
/* Why the last collective call failed, the same on all ranks; its result is OK when it did not fail. */
COVEY_API const covey_report *covey_mpi_report(const covey_mpi *mpi);

/* The rank that is the home of a handle; -1 when it lies outside of all shares. */
COVEY_API int covey_mpi_home(const covey_mpi *mpi, covey_entity e);
/* Whether the entity lives here: it is alive, not away, and no ghost. */
COVEY_API bool covey_mpi_owns(const covey_mpi *mpi, covey_entity e);
/* How many entities live here. */
COVEY_API uint32_t covey_mpi_owned(const covey_mpi *mpi);
/* One more share of this rank, for covey_create_in; at most COVEY_MPI_SHARES - 1 times. { 0, 0 } when there is none. Not
 * collective. */
COVEY_API covey_range covey_mpi_more(covey_mpi *mpi);

/* ---- Migration ---------------------------------------------------------------------------------------------------*/

/* Collective. Moves entities that live here, each to the rank at the same place of `ranks`: with all components of
 * `types`, what is disabled, and names. Handles stay as they are, also those in fields. An entity that is to go where it
 * is stays. `count` may be 0. Arrivals are announced as new entities with their components are; departures as destroyed
 * ones, or, at home, as components that are removed. Ticks are those of the arrival.
 *
 * All or nothing: DEAD and PRESENT for handles that are not alive, do not live here, or come twice; RANGE for a rank that does
 * not exist; TYPE for a component that is neither transient nor one of `types`; REFUSED for trees; IMAGE for a message
 * that is damaged; MEMORY. A name that a sibling has on the other rank is not given. */
COVEY_API covey_result covey_mpi_migrate(covey_mpi *mpi, const covey_entity *entities, const int *ranks,
                                         uint32_t count);

/* Collective. Tells homes which of their entities were destroyed on other ranks, so that their indices are used again.
 * Each 64th migration does it, too. MEMORY. */
COVEY_API covey_result covey_mpi_collect(covey_mpi *mpi);

/* ---- Ghosts --------------------------------------------------------------------------------------------------------
 *
 * A ghost is a copy, on another rank, of an entity that lives here: for neighbours across a border. It has the handle of
 * the entity, some of its components, and covey_ghost. Programs read ghosts, and do not change them; views of what a rank
 * owns exclude them:
 *
 *     covey_mpi_ghosts(mpi, &(covey_mpi_ghosts_desc){ .types = seen, .near = who_sees, .context = &model });
 *     covey_view own = covey_view_make(world, &(covey_view_desc){
 *         .with = { covey_id(Position) }, .without = { covey_id(covey_ghost) } });
 *     ... each step: move the own ones, covey_mpi_migrate, covey_mpi_refresh, and look at all
 *
 * A refresh sends what has changed since the one before: ghosts begin and end, and get the values that changed. Types with
 * `.ticks` know which did; values of other types are all sent. */

/* What ghosts have: the rank where the entity lives, and the number by which both ranks know the ghost. */
typedef struct covey_ghost {
    int32_t rank;
    uint32_t slot;
} covey_ghost;
typedef char COVEY__SIZE_TYPE(covey_ghost)[sizeof(covey_ghost) + 1u];
COVEY_API extern const covey_type covey_type_covey_ghost;

/* Chooses the ranks that have a ghost of an entity that lives here: writes them, at most one for each rank, and returns how
 * many; this rank does not count. Depends on the values of `.types` only, and is asked again when one of them changed; if
 * one of them has no ticks, at each refresh. Must not change the world. */
typedef uint32_t covey_mpi_near_fn(const covey_world *world, covey_entity e, int *ranks, void *context);

typedef struct covey_mpi_ghosts_desc {
    /* What ghosts have, ended by NULL: at most 14 of the types that move, without functions for saving, copying or
     * dropping. Only entities that have all of them have ghosts. */
    const covey_type *const *types;
    covey_mpi_near_fn *near;
    void *context; /* for near */
} covey_mpi_ghosts_desc;

/* Collective. Says what ghosts are from now on; they come with the next refresh. Ends those that there are. With NULL there
 * are no ghosts any more. TYPE for a type that cannot be in ghosts, RANGE for too many, LAYOUT when ranks give other types, MEMORY. */
COVEY_API covey_result covey_mpi_ghosts(covey_mpi *mpi, const covey_mpi_ghosts_desc *desc);

/* Collective. Brings all ghosts up to date, in one exchange; ends the world's tick. All or nothing: RANGE when `near` names
 * a rank that does not exist; REFUSED when nothing was said about ghosts; TAKEN when an entity that is away was destroyed at
 * home; IMAGE for a message that is damaged; MEMORY. Values come as if by covey_set_array. */
COVEY_API covey_result covey_mpi_refresh(covey_mpi *mpi);
/* The same, but asks for all entities again and sends all values: for when the answers of `near` change for other reasons,
 * such as new borders. */
COVEY_API covey_result covey_mpi_refresh_all(covey_mpi *mpi);

/* What this rank has done so far. */
typedef struct covey_mpi_stats {
    uint64_t exchanges;      /* collective calls that sent messages */
    uint64_t sent, received; /* entities that moved */
    uint64_t ghosts, values; /* ghosts that began on other ranks, and values that were sent to those there were */
    uint64_t bytes_sent, bytes_received;
    double waited;  /* seconds, in calls of MPI that wait for others */
    uint64_t files; /* of checkpoints, that it has read */
} covey_mpi_stats;
COVEY_API covey_mpi_stats covey_mpi_stats_of(const covey_mpi *mpi);

/* ---- Over all ranks ----------------------------------------------------------------------------------------------*/

typedef enum covey_mpi_fold { COVEY_MPI_SUM = 0, COVEY_MPI_MIN = 1, COVEY_MPI_MAX = 2 } covey_mpi_fold;

/* Collective. Folds `count` numbers of each rank into those of all, in place, on all ranks. Numbers of type double are
 * added in the order of ranks, so that the same ranks always give the same sum. MEMORY. */
COVEY_API covey_result covey_mpi_fold_i64(covey_mpi *mpi, covey_mpi_fold fold, int64_t *values, uint32_t count);
COVEY_API covey_result covey_mpi_fold_f64(covey_mpi *mpi, covey_mpi_fold fold, double *values, uint32_t count);

/* Collective. How many entities match the view, on all ranks. Ghosts do not count. */
COVEY_API covey_result covey_mpi_count(covey_mpi *mpi, const covey_view *view, uint64_t *count);

/* Collective. A number of all values of these types, ended by NULL, that entities have which have all of them: equal when
 * the values are, however entities are spread over ranks, and whatever their handles are. TYPE for a type that has
 * functions to save it, or members that images leave out. */
COVEY_API covey_result covey_mpi_digest(covey_mpi *mpi, const covey_type *const *types, uint64_t *digest);

/* ---- Checkpoints -------------------------------------------------------------------------------------------------*/

/* Collective. Writes what lives on each rank, the components of `types` with names and parents, to an image beside `path`,
 * and then a manifest at `path`, which covey-snap reads as one world. Whatever happens, even that a rank is killed, `path` is
 * the last checkpoint that is whole, or was never there. The first call with a path removes files beside it that killed jobs
 * left behind. FILE, MEMORY; IMAGE when `path` is another file. */
COVEY_API covey_result covey_mpi_save(covey_mpi *mpi, const char *path);

/* Where an entity of a checkpoint is to live. `world` has what the file has. Asked for roots: all below one come with it.
 * Each is asked for once, on the rank that reads its file. */
typedef int covey_mpi_place_fn(const covey_world *world, covey_entity e, void *context);

/* Collective. Loads a checkpoint, of any number of ranks, into worlds without entities. `place` NULL: those of rank r live
 * on rank r % size. Handles are what they were, and stale ones stay stale. REFUSED when a world has entities; RANGE when
 * .first or .span is another one, or `place` names no rank; FILE, IMAGE, MEMORY. When it fails, worlds have no entities. */
COVEY_API covey_result covey_mpi_load(covey_mpi *mpi, const char *path, covey_mpi_place_fn *place, void *context);

/* ---- Partition -----------------------------------------------------------------------------------------------------
 *
 * A partition gives each rank a box of a space with one to three axes, or leaves the choice to a function.
 *
 *     covey_mpi_partition *p = covey_mpi_partition_create(mpi, &(covey_mpi_partition_desc){
 *         .type = covey_id(Position), .cuts = COVEY_MPI_BISECTION, .halo = 5,
 *         .axes = { { .field = "x", .high = 1000, .wraps = true }, { .field = "y", .high = 500 } } });
 *     covey_mpi_partition_migrate(p);      entities that walked out of their box move to the rank that has them now
 *
 * Each point belongs to exactly one rank. Boxes are half-open: a point on a cut belongs to the higher box. A position
 * outside of the space is wrapped around where the axis wraps, and otherwise belongs to the nearest box. NaN counts as the
 * low end of its axis; so does an infinity where the axis wraps. */
typedef struct covey_mpi_partition covey_mpi_partition;

#define COVEY_MPI_AXES 3

typedef enum covey_mpi_cuts {
    COVEY_MPI_GRID = 0, /* boxes of equal size in rows and columns, with the shortest borders */
    COVEY_MPI_BISECTION =
        1 /* each box is cut across its longest side (of equal ones, the last), in proportion to the ranks
                             * of both parts: at first its size, later its load (covey_mpi_partition_balance) */
} covey_mpi_cuts;

/* One direction of the space. */
typedef struct covey_mpi_axis {
    const char *field; /* the name of a number among the .fields of the type; NULL: a `kind` at `offset` of the value */
    covey_kind kind;   /* an integer or a floating-point number; 64-bit integers are rounded to double beyond 2^53 */
    uint32_t offset;
    double low, high; /* the ends; `high` itself is outside. Axes end at the first with both 0 */
    double cell; /* cuts are at low + k * cell, and boxes at least one cell wide. 0: 1 for integers, and a 2^20th of
                       * the axis for others. For integers, low, high and cell are whole numbers */
    bool wraps;  /* the ends meet */
} covey_mpi_axis;

/* Zero means default. All ranks give the same. */
typedef struct covey_mpi_partition_desc {
    const covey_type
        *type; /* the component with the position, one of the .types of covey_mpi_create; entities without it
                             * stay where they are */
    covey_mpi_cuts cuts;
    covey_mpi_axis axes[COVEY_MPI_AXES];
    double halo;               /* for covey_mpi_partition_near */
    covey_mpi_place_fn *place; /* instead of cuts and axes: where each entity is to live, asked for those that live here
                                * and have a component of `type`, if that is not NULL */
    void *context;
} covey_mpi_partition_desc;

/* Collective. NULL on all ranks: TYPE for a type that does not move with entities or a field that is not a number; RANGE
 * for axes that cannot be cut into as many boxes as there are ranks; LAYOUT when ranks give different descriptions;
 * MEMORY. covey_mpi_report says why. Destroy it before the covey_mpi; one that is left when the world is destroyed breaks a
 * contract (level 1). */
COVEY_API covey_mpi_partition *covey_mpi_partition_create(covey_mpi *mpi, const covey_mpi_partition_desc *desc);
/* NULL is fine. Not collective. */
COVEY_API void covey_mpi_partition_destroy(covey_mpi_partition *partition);

/* The rank that a point belongs to; it has a number for each axis. -1 when a function decides. */
COVEY_API int covey_mpi_partition_rank(const covey_mpi_partition *partition, const double *point);
/* The box of a rank: a number for each axis. False when there is no such rank, or a function decides. */
COVEY_API bool covey_mpi_partition_box(const covey_mpi_partition *partition, int rank, double *low, double *high);

/* The rank that an entity belongs to, for covey_mpi_load: `context` is the partition. Its home if it has no position. */
COVEY_API int covey_mpi_partition_place(const covey_world *world, covey_entity e, void *context);

/* The other ranks whose boxes are within `halo` of an entity along each axis, for covey_mpi_ghosts: `context` is the
 * partition. Writes each once to `ranks`, which has room for all, and returns how many. None without a position, or when a
 * function decides. Integers are compared exactly; for others a box may be included that is too far by a rounding error. A
 * few compares for entities that are deep in the box of this rank. */
COVEY_API uint32_t covey_mpi_partition_near(const covey_world *world, covey_entity e, int *ranks, void *context);

/* Collective. Moves all entities that live here and belong to another rank. Those with a parent go where their root goes.
 * Fails as covey_mpi_migrate does. O(entities), about a nanosecond for those that stay. */
COVEY_API covey_result covey_mpi_partition_migrate(covey_mpi_partition *partition);

/* Collective. Makes new cuts when ranks are loaded unevenly, and moves entities to match. `seconds` is what the work of
 * this rank took since the last call; each of its entities weighs the same part of that. Nothing happens unless the most
 * of a rank is more than (1 + limit) times the mean; a `limit` below 0 always makes new cuts, and when no rank took any
 * time, all entities weigh the same. After a cut, the weight of one side differs from its share by at most half of what
 * lies in one layer of cells, unless boxes of one cell leave no choice. The same entities and seconds give the same cuts.
 * *moved is how many entities moved, on all ranks together; it may be NULL. After new cuts, the next refresh of ghosts is
 * one of all.
 * REFUSED unless .cuts is COVEY_MPI_BISECTION; RANGE for seconds that are negative or not finite, and for a limit that
 * differs between ranks or is NaN; otherwise fails as covey_mpi_migrate does, and cuts are then as before. */
COVEY_API covey_result covey_mpi_partition_balance(covey_mpi_partition *partition, double seconds, double limit,
                                                   uint64_t *moved);

/* ---- Systems -------------------------------------------------------------------------------------------------------
 *
 * Exchanges as systems of a schedule, on the thread that runs it. All ranks have the same ones, in the same order. Their
 * statistics and traces have the bytes that were sent and received, and the time that was waited for others. A run fails
 * with the result of the exchange, which is the same on all ranks; covey_mpi_report says why.
 *
 *     covey_mpi_system_add(schedule, &(covey_mpi_system){ .mpi = mpi, .partition = p, .system = { .name = "exchange" } });
 *     covey_mpi_system_add(schedule, &(covey_mpi_system){ .mpi = mpi,
 *         .system = { .name = "count", .run = count_sick, .reads = { covey_id(Health) } } });
 *     covey_mpi_system_add(schedule, &(covey_mpi_system){ .mpi = mpi, .ghosts = true, .system = { .name = "ghosts" } });
 *     covey_system_add(schedule, &(covey_system){ .name = "think", .run = think, .before = { "ghosts" } });
 *
 * Here `think` runs on other threads while ghosts are on their way. */
typedef struct covey_mpi_system {
    covey_mpi *mpi;
    /* As for covey_system_add. `.run` makes collective calls, as many on all ranks. If it is not `.exclusive`, it gets
     * `.main_thread`, and other threads run what does not conflict with it; it calls nothing then that changes the
     * structure, such as covey_mpi_migrate. `.when`, `.every` and the like have the same answers on all ranks. */
    covey_system system;
    /* Instead of `.run`: covey_mpi_partition_migrate, alone. */
    covey_mpi_partition *partition;
    /* Instead of both: refreshes ghosts. These are three systems: NAME.pack, alone, at which `.after` and turns apply;
     * NAME.transfer, which sends and receives while other threads run all that is between the two; and NAME, alone, which
     * makes the changes, and to which `.before` applies. A system is between them that is added later and has NAME in its
     * .before. It sees ghosts as they were, and what it writes is sent by the next refresh. */
    bool ghosts;
} covey_mpi_system;

/* Adds it; not collective. Fails as covey_system_add does; TYPE without `.name`, and unless there is exactly one of .run,
 * .partition and .ghosts. Destroy the schedule before the partition and the covey_mpi. */
COVEY_API covey_result covey_mpi_system_add(covey_schedule *schedule, const covey_mpi_system *system);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_MPI_H */
