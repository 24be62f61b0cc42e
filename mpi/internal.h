/* What the files of covey::mpi share. They use only the public API of Covey, and common/. */
#ifndef COVEY_MPI_INTERNAL_H
#define COVEY_MPI_INTERNAL_H

#include <covey/mpi.h>

/* Memory for one message or list. Growing it discards the contents. */
typedef struct covey__mpi_buffer {
    unsigned char *bytes;
    size_t capacity;
} covey__mpi_buffer;

/* Bytes of a value that are not sent: members that images leave out, and padding between members. */
typedef struct covey__mpi_gap {
    uint32_t at, bytes;
} covey__mpi_gap;

/* A type whose components move with their entities. */
typedef struct covey__mpi_column {
    const covey_type *type;
    covey_pool *pool;
    bool by_image;        /* values are sent in an image, because functions save and load them */
    bool fills;           /* some gaps are members, which get their defaults on arrival */
    covey__mpi_gap *gaps; /* of a type with fields that is sent as bytes */
    uint32_t gap_count;
} covey__mpi_column;

/* Scratch buffers, kept from one exchange to the next. */
typedef enum covey__mpi_scratch {
    SCRATCH_LEAVING, /* handles, sorted by the rank they go to */
    SCRATCH_GUESTS,  /* handles of a list, sorted by whether their home is here */
    SCRATCH_POSITIONS,
    SCRATCH_SORTED, /* handles for one rank, sorted by index */
    SCRATCH_SEND,
    SCRATCH_RECEIVE,
    SCRATCH_INCOMING, /* descriptions of received messages */
    SCRATCH_REQUESTS,
    SCRATCH_LISTED,      /* entities or types, for one call */
    SCRATCH_TARGETS,     /* ranks */
    SCRATCH_VALUE,       /* one value or name that arrives */
    SCRATCH_TREES,       /* handles, each followed by its descendants */
    SCRATCH_PARTS,       /* the parts of all received messages */
    SCRATCH_NEAR,        /* ranks near one entity */
    SCRATCH_CHANGED,     /* lists of changed entities that have ghosts, by rank */
    SCRATCH_RUNS,        /* runs of ghost slots, by rank */
    SCRATCH_GHOSTS,      /* values of covey_ghost */
    SCRATCH_GROUPED,     /* records of ghosts that begin, by rank */
    SCRATCH_FRONTS,      /* the front of the restart message for each rank */
    SCRATCH_FRONT_SIZES, /* and its bytes */
    SCRATCH_COUNT
} covey__mpi_scratch;

struct covey_mpi {
    covey_dependent dependent; /* the first member: attached to the world until either of them is destroyed */
    MPI_Comm comm;
    int rank, size;
    covey_world *world;
    covey_allocator allocator;
    covey_mpi_trees trees;
    uint32_t first_index, range_size, range_count; /* the ranges of all ranks */
    covey_range extra_ranges[COVEY_MPI_RANGES - 1];
    uint32_t extra_count, extra_used;
    covey__mpi_column *columns; /* the types, then the tag of disabled entities */
    uint32_t column_count, column_room;
    covey_pool *away, *ghost;
    struct covey__mpi_ghosts *ghosts; /* NULL: no ghosts are defined */
    bool refreshing;                  /* between the first and the last step of a refresh of ghosts */
    uint64_t **guests; /* a bit for each index of a guest, until the guest leaves or its home is told; in pages */
    uint32_t guest_pages;
    uint32_t own_first, own_end; /* the first range of this rank */
    uint64_t first_ranges_end;   /* the end of the first ranges of all ranks */
    covey__mpi_buffer scratch[SCRATCH_COUNT];
    covey_buffer images;                       /* the images for all ranks, one after another */
    uint64_t *send_sizes, *send_offsets;       /* of the message to each rank */
    uint64_t *receive_sizes, *receive_offsets; /* of the message from each rank */
    uint64_t *image_ends;                      /* of the image for each rank */
    uint32_t *target_starts; /* of the entities for each rank in a sorted list, and the end of that list */
    uint32_t since_reclaim;  /* migrations */
    uint64_t cleaned_path;   /* a hash of the path from which files of killed jobs were removed; 0: none */
    covey_report report;
    covey_mpi_stats stats;
};

/* The collective calls. */
typedef enum covey__mpi_call {
    CALL_MIGRATE = 1,
    CALL_RECLAIM,
    CALL_TARGETS_END,
    CALL_REDUCE_I64,
    CALL_REDUCE_F64,
    CALL_COUNT,
    CALL_DIGEST,
    CALL_SAVE,
    CALL_LOAD,
    CALL_GHOSTS_DEFINE,
    CALL_GHOSTS_REFRESH,
    CALL_PARTITION,
    CALL_PARTITION_MIGRATE,
    CALL_PARTITION_BALANCE,
} covey__mpi_call;

/* ---- Memory (memory.c) -------------------------------------------------------------------------------------------*/

/* Resizes a block with the allocator of the description. A size of 0 frees it. Returns NULL then, and when memory is
 * out. */
void *covey__mpi_resize(const covey_allocator *allocator, void *block, size_t old_size, size_t new_size);
/* A scratch buffer of at least this many bytes, aligned to 64. Returns NULL when memory is out. */
void *covey__mpi_scratch_reserve(covey_mpi *mpi, covey__mpi_scratch which, uint64_t bytes);
/* Frees all scratch buffers, and `images`. */
void covey__mpi_scratch_free(covey_mpi *mpi);

/* A temporary world. Returns NULL when memory is out. */
covey_world *covey__mpi_world_create(const covey_mpi *mpi);
/* The memory that an image of this many bytes may take in such a world: the default limit, and tables for the
 * indices of all ranks. */
uint64_t covey__mpi_image_limit(const covey_mpi *mpi, uint64_t bytes);

/* ---- Talking to other ranks (collective.c, agree.c, exchange.c) --------------------------------------------------*/

/* covey::mpi makes all blocking MPI calls through these. They yield the processor while they wait. */
void covey__mpi_wait_for(MPI_Request *requests, int count);
/* The same; adds the time to stats.seconds_waited. */
void covey__mpi_wait_timed(covey_mpi *mpi, MPI_Request *requests, int count);
/* Reduces values over all ranks, in place. */
void covey__mpi_allreduce(covey_mpi *mpi, void *values, int count, MPI_Datatype type, MPI_Op op);
/* Sends the values of rank `from` to all ranks. */
void covey__mpi_broadcast(covey_mpi *mpi, void *values, int count, MPI_Datatype type, int from);
/* Sends the values of each rank to all ranks; `all` has them in the order of ranks. */
void covey__mpi_allgather(covey_mpi *mpi, const void *values, int count, MPI_Datatype type, void *all);
/* Fills receive_sizes with what the other ranks have in send_sizes for this rank. */
void covey__mpi_exchange_sizes(covey_mpi *mpi);

/* Writes the report of this rank, and returns `result`. */
covey_result covey__mpi_fail(covey_mpi *mpi, covey_result result, const char *format, ...);
/* Collective. Returns the worst result of all ranks. Unless it is OK, all get the report of the first rank that has
 * it. */
covey_result covey__mpi_agree(covey_mpi *mpi, covey_result mine);
/* Begins a collective call, and cancels a refresh of ghosts that is under way. At assertion level 1 and above, checks
 * that all ranks are in the same call. */
covey_result covey__mpi_enter(covey_mpi *mpi, covey__mpi_call call);

/* Collective. Sends send_sizes[r] bytes at send + send_offsets[r] to each rank r. The message from rank r is then at
 * *received + receive_offsets[r], and has receive_sizes[r] bytes. Sends nothing unless `mine`, the result of this
 * rank so far, is OK on all ranks. Returns the same result on all ranks. */
covey_result covey__mpi_exchange(covey_mpi *mpi, const unsigned char *send, covey_result mine,
                                 unsigned char **received);

/* ---- Types (column.c), hashes and checksums (hash.c) -------------------------------------------------------------*/

/* Decides how values of a type are sent. Returns false and sets *result when they cannot be saved, or memory is out. */
bool covey__mpi_column_make(covey_mpi *mpi, covey__mpi_column *column, const covey_type *type, covey_result *result);
void covey__mpi_columns_free(covey_mpi *mpi);
/* The column of a type. Returns NULL when the type does not move with entities. */
const covey__mpi_column *covey__mpi_column_of(const covey_mpi *mpi, const covey_type *type);
/* Sets the bytes of values that are not sent to their defaults. */
void covey__mpi_fill_gaps(const covey__mpi_column *column, unsigned char *values, uint32_t count);
/* A hash of everything about a type that must be equal on all ranks. */
uint64_t covey__mpi_layout_hash(const covey_type *type);

uint64_t covey__mpi_hash(uint64_t seed, const void *bytes, size_t size);
/* The state of a checksum over the body of a message. */
enum { COVEY__MPI_CHECKSUM_STEP = 32 };
typedef struct covey__mpi_checksum {
    uint64_t words[4], sums[4];
} covey__mpi_checksum;
/* `size` is a multiple of COVEY__MPI_CHECKSUM_STEP. */
void covey__mpi_checksum_add(covey__mpi_checksum *sum, const unsigned char *bytes, size_t size);

/* ---- Ranges of indices (ranges.c) and guests (guests.c) ----------------------------------------------------------*/

/* The range size for programs that give none. */
uint32_t covey__mpi_default_range_size(uint32_t first_index);
/* Reserves all indices in the world, except for the first range of this rank. */
covey_result covey__mpi_ranges_reserve(covey_mpi *mpi);

/* Whether this rank is the home of a handle. Most handles are in a first range, where this needs no division. */
static inline bool covey__mpi_is_home(const covey_mpi *mpi, covey_entity e) {
    if (e.index < mpi->first_ranges_end) return e.index >= mpi->own_first && e.index < mpi->own_end;
    return covey_mpi_home(mpi, e) == mpi->rank;
}

enum { COVEY__MPI_GUEST_PAGE = 4096 }; /* indices of one page */
/* Makes room for the bits of these guests. Returns false when memory is out. */
bool covey__mpi_guests_reserve(covey_mpi *mpi, const covey_entity *guests, uint32_t count);
/* Sets or clears the bits of guests. Room for them was reserved. */
void covey__mpi_guests_set(covey_mpi *mpi, const covey_entity *guests, uint32_t count, bool are_here);
void covey__mpi_guests_clear(covey_mpi *mpi);
void covey__mpi_guests_free(covey_mpi *mpi);
/* covey_mpi_reclaim, inside of a collective call. */
covey_result covey__mpi_reclaim(covey_mpi *mpi);

/* ---- Ghosts ------------------------------------------------------------------------------------------------------*/

/* A refresh has three steps (ghosts_send.c, ghosts_apply.c). The program may change the world between the first and
 * the last step. All ranks make all three steps, whatever the results; the result of the last step is the same on
 * all ranks. Any other collective call cancels a refresh that is under way; its last step then returns REFUSED. */
covey_result covey__mpi_ghosts_pack(covey_mpi *mpi);     /* calls `near`, and packs changes */
covey_result covey__mpi_ghosts_transfer(covey_mpi *mpi); /* sends and receives; does not access the world */
covey_result covey__mpi_ghosts_apply(covey_mpi *mpi);    /* applies what was received */
void covey__mpi_ghosts_cancel(covey_mpi *mpi);           /* ends a refresh without any effect */
/* Lets the next refresh call `near` for all entities, and send all values. */
void covey__mpi_ghosts_mark_all(covey_mpi *mpi);
void covey__mpi_ghosts_free(covey_mpi *mpi);
/* Removes ghosts that have the index of one of these entities and a lower generation. Their own entities are destroyed
 * already. */
void covey__mpi_ghosts_remove_stale(covey_mpi *mpi, const covey_entity *entities, uint32_t count);
/* How many of these entities are ghosts here. */
uint32_t covey__mpi_ghosts_count_among(const covey_mpi *mpi, const covey_entity *entities, uint32_t count);

/* Turns the ghosts of arriving entities into the entities (ghosts_promote.c), one column at a time. */
struct covey__mpi_incoming;
covey_result covey__mpi_ghosts_promote_column(covey_mpi *mpi, struct covey__mpi_incoming *in, uint32_t column);
void covey__mpi_ghosts_promote_undo(covey_mpi *mpi, const struct covey__mpi_incoming *in);
void covey__mpi_ghosts_promote_commit(covey_mpi *mpi, const struct covey__mpi_incoming *in);

/* ---- Migration (migrate.c, migrate_depart.c, migrate_arrive.c) ---------------------------------------------------*/

/* covey_mpi_migrate, inside of a collective call. `mine` is the result of this rank so far. */
covey_result covey__mpi_migrate(covey_mpi *mpi, const covey_entity *entities, const int *ranks, uint32_t count,
                                covey_result mine);

/* Entities sorted by destination: those from entities[target_starts[r]] up to entities[target_starts[r + 1]] go to
 * rank r. */
typedef struct covey__mpi_departures {
    const covey_entity *entities;
    uint32_t count;
} covey__mpi_departures;
/* Sorts entities by destination, and leaves out those that go to the rank `stays`. The sort is stable. */
covey_result covey__mpi_departures_sort(covey_mpi *mpi, const covey_entity *entities, const int *ranks, uint32_t count,
                                        int stays, covey__mpi_departures *d);
/* Packs a message for each rank, of send_sizes[r] bytes at *send + send_offsets[r]. Each message begins with before[r]
 * bytes for the caller, a multiple of 64, even if no entities follow. `before` may be NULL: no such bytes. */
covey_result covey__mpi_departures_pack(covey_mpi *mpi, const covey__mpi_departures *d, const uint64_t *before,
                                        unsigned char **send);
/* Removes entities that left. Those whose home is here lose all but their tag; the others are destroyed. Never
 * fails. */
void covey__mpi_departures_remove(covey_mpi *mpi, const covey_entity *entities, uint32_t count);

/* Creates the entities of a message. When this fails, `undo` removes what was created. */
covey_result covey__mpi_arrivals_create(covey_mpi *mpi, struct covey__mpi_incoming *in);
void covey__mpi_arrivals_commit(covey_mpi *mpi, const struct covey__mpi_incoming *in);
void covey__mpi_arrivals_undo(covey_mpi *mpi, const struct covey__mpi_incoming *in);

/* Removes everything but covey_away from entities. */
void covey__mpi_remove_components(covey_mpi *mpi, const covey_entity *entities, uint32_t count);
/* Whether any entity may have a parent, children or a name. */
bool covey__mpi_uses_hierarchy(const covey_mpi *mpi);

/* ---- Messages of a migration (migrate_message.c) -----------------------------------------------------------------*/

/* The components of one type in a message. */
typedef struct covey__mpi_part {
    uint32_t count;
    unsigned char *values;     /* in the message; NULL for tags, and for types that are sent in the image */
    const uint32_t *positions; /* positions in the message of the entities that have one; NULL: all have one */
} covey__mpi_part;

typedef struct covey__mpi_link {
    uint32_t child, parent; /* positions in the message */
} covey__mpi_link;

/* A disabled component. */
typedef struct covey__mpi_disabled {
    uint32_t position, column;
} covey__mpi_disabled;

/* A list of entities, split into guests and those whose home is here. */
typedef struct covey__mpi_homes {
    const covey_entity *guests, *own;
    uint32_t guest_count, own_count;
} covey__mpi_homes;

/* A received message. */
typedef struct covey__mpi_incoming {
    int source;
    uint32_t count, disabled_count, link_count, name_count;
    const covey_entity *entities;
    covey__mpi_part *parts; /* one for each column */
    const covey__mpi_disabled *disabled;
    const covey__mpi_link *links;
    const unsigned char *names; /* for each: 4 bytes of position, 4 bytes of length, the text, padding to 4 */
    const unsigned char *image;
    uint64_t name_bytes, image_bytes;
    /* How far the arrivals are, for undoing them: */
    covey__mpi_homes homes;
    bool created;      /* the guests exist */
    bool noted;        /* the bits of the guests are set */
    uint32_t ghosts;   /* entities that had a ghost here */
    uint32_t promoted; /* columns that were swapped with those of the ghosts */
} covey__mpi_incoming;

/* An upper bound for the bytes of a message with these entities, without its image. */
uint64_t covey__mpi_message_room(const covey_mpi *mpi, const covey_entity *entities, uint32_t count);
/* Writes a message, with an image of the components that are not sent in columns. *size is the bytes written. */
covey_result covey__mpi_message_write(covey_mpi *mpi, const covey_entity *entities, uint32_t count, const void *image,
                                      uint64_t image_bytes, unsigned char *to, uint64_t *size);
/* Sets the size and the checksum in the header of a message. */
void covey__mpi_message_sign(const covey_mpi *mpi, unsigned char *bytes, uint64_t size);
/* Reads a message, and sets bytes of values that are not sent to their defaults. `parts` has room for all columns.
 * Checks everything but the handles. Returns false when the message is invalid; *why completes "refused: ". */
bool covey__mpi_message_read(const covey_mpi *mpi, unsigned char *bytes, uint64_t size, covey__mpi_incoming *incoming,
                             covey__mpi_part *parts, const char **why);

#endif
