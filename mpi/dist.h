/* What the files of covey::mpi share. Only public API of Covey is used here. */
#ifndef COVEY_MPI_DIST_H
#define COVEY_MPI_DIST_H

#include <covey/mpi.h>

/* Memory for one message, or a list; what was in it is lost when it grows. */
typedef struct covey__mpi_buffer {
    unsigned char *bytes;
    size_t capacity;
} covey__mpi_buffer;

/* Bytes of a value that do not travel: members that images leave out, and what lies between members. */
typedef struct covey__mpi_gap {
    uint32_t at, bytes;
} covey__mpi_gap;

/* A type whose components travel. */
typedef struct covey__mpi_column {
    const covey_type *type;
    covey_pool *pool;
    bool by_image;        /* its values travel in an image: functions save and load them */
    bool fills;           /* gaps are more than what lies between members: they get their defaults on arrival */
    covey__mpi_gap *gaps; /* of a type with fields that travels as bytes */
    uint32_t gap_count;
} covey__mpi_column;

/* What an exchange works with; kept from one to the next. */
typedef enum covey__mpi_scratch {
    SCRATCH_LEAVING, /* handles, by the rank that they go to */
    SCRATCH_GUESTS,  /* those at home elsewhere, of a list */
    SCRATCH_POSITIONS,
    SCRATCH_SORTED, /* handles of one destination by index */
    SCRATCH_SEND,
    SCRATCH_RECEIVE,
    SCRATCH_INCOMING, /* messages that came */
    SCRATCH_REQUESTS,
    SCRATCH_LISTED,  /* entities of one column */
    SCRATCH_TARGETS, /* ranks */
    SCRATCH_VALUE,   /* one, on its way from an image */
    SCRATCH_TREES,   /* handles with all below them */
    SCRATCH_PARTS,   /* of all messages that came */
    SCRATCH_NEAR,    /* ranks that one entity is near to */
    SCRATCH_TELLING, /* lists of entities with ghosts, by rank */
    SCRATCH_RUNS,    /* of slots of ghosts, by rank */
    SCRATCH_GHOSTS,  /* values of covey_ghost */
    SCRATCH_GROUPED, /* ghosts that begin, by rank */
    SCRATCH_FRONTS,  /* what a restart tells each rank, and */
    SCRATCH_BEFORE,  /* the bytes that takes */
    SCRATCH_COUNT
} covey__mpi_scratch;

struct covey_mpi {
    covey_dependent dependent; /* the first member: attached to the world until either of them ends */
    MPI_Comm comm;
    int rank, size;
    covey_world *world;
    covey_allocator allocator;
    covey_mpi_trees trees;
    uint32_t first, span, shares; /* the indices of all ranks */
    covey_range more[COVEY_MPI_SHARES - 1];
    uint32_t more_count, more_used;
    covey__mpi_column *columns; /* the types, then the tag of what is disabled */
    uint32_t column_count, column_room;
    covey_pool *away, *ghost;
    struct covey__mpi_ghosts *ghosts; /* NULL: nothing was said about them */
    bool refreshing;                  /* a refresh of ghosts has begun, and not ended */
    uint64_t **guests; /* pages of bits: indices of who came from elsewhere, until it leaves or its home is told */
    uint32_t guest_pages;
    uint32_t own, own_end; /* the first share of this rank */
    uint64_t firsts_end;   /* the end of the first shares of all ranks */
    covey__mpi_buffer scratch[SCRATCH_COUNT];
    covey_buffer images;                         /* what travels by image, of one destination behind the other */
    uint64_t *sizes, *offsets, *coming, *starts; /* of the message to, and from, each rank */
    uint64_t *image_ends;                        /* of the image for each rank */
    uint32_t *parts;                             /* where the entities that go to a rank begin; one more than ranks */
    uint32_t since_collect;
    uint64_t tidied; /* a number of the path where nothing is left of earlier jobs; 0: none */
    covey_report report;
    covey_mpi_stats stats;
};

/* Which collective call a rank is in. */
typedef enum covey__mpi_call {
    CALL_MIGRATE = 1,
    CALL_COLLECT,
    CALL_FOLD_I64,
    CALL_FOLD_F64,
    CALL_COUNT,
    CALL_DIGEST,
    CALL_SAVE,
    CALL_LOAD,
    CALL_GHOSTS,
    CALL_REFRESH,
    CALL_PARTITION,
    CALL_PARTITION_MIGRATE,
    CALL_PARTITION_BALANCE,
} covey__mpi_call;

/* Resizes a block with the allocator of the description; NULL when memory is out, or for a size of 0, which frees. */
void *covey__mpi_resize(const covey_allocator *allocator, void *block, size_t old_size, size_t new_size);
/* The bytes of a scratch buffer, at least so many, aligned to 64; NULL when memory is out. */
void *covey__mpi_reach(covey_mpi *mpi, covey__mpi_scratch which, uint64_t bytes);

void covey__mpi_scratch_free(covey_mpi *mpi); /* with images */

covey_world *covey__mpi_world(const covey_mpi *mpi); /* one of its own, for a while; NULL: memory is out */
/* Memory that an image of so many bytes may take there: the default, and tables for the indices of all ranks. */
uint64_t covey__mpi_limit(const covey_mpi *mpi, uint64_t bytes);

/* Waiting (wait.c). All calls of MPI that wait for others are made with these: they let others run, and count the time. */
void covey__mpi_poll(MPI_Request *requests, int count);
void covey__mpi_wait(covey_mpi *mpi, MPI_Request *requests, int count); /* the same, noted in stats.waited */
void covey__mpi_reduce(covey_mpi *mpi, void *values, int count, MPI_Datatype type, MPI_Op op); /* in place, on all */
void covey__mpi_spread(covey_mpi *mpi, void *values, int count, MPI_Datatype type, int from);  /* to all */
void covey__mpi_collate(covey_mpi *mpi, const void *values, int count, MPI_Datatype type,
                        void *all);         /* by rank, on all */
void covey__mpi_tell_sizes(covey_mpi *mpi); /* `sizes`, of messages to each rank, become `coming` there */

/* Notes why this rank cannot go on, and returns the result. */
covey_result covey__mpi_fail(covey_mpi *mpi, covey_result result, const char *format, ...);
/* Collective: the worst result of all ranks. If it is not OK, all have the report of the first rank that has it. */
covey_result covey__mpi_agree(covey_mpi *mpi, covey_result mine);
/* Begins a collective call, and ends a refresh of ghosts that is under way. Checks at assertion level 1 that all ranks are
 * in the same call. */
covey_result covey__mpi_enter(covey_mpi *mpi, covey__mpi_call call);

/* How a type travels: false when its components cannot be saved. */
bool covey__mpi_column_make(covey_mpi *mpi, covey__mpi_column *column, const covey_type *type, covey_result *result);
void covey__mpi_columns_free(covey_mpi *mpi);
/* A number for what ranks must agree on about a type. */
uint64_t covey__mpi_layout(const covey_type *type);
uint64_t covey__mpi_hash(uint64_t seed, const void *bytes, size_t size);
const covey__mpi_column *covey__mpi_column_of(const covey_mpi *mpi,
                                              const covey_type *type); /* NULL: it does not travel */
/* Gives the bytes of values that do not travel their defaults. */
void covey__mpi_fill_gaps(const covey__mpi_column *column, unsigned char *values, uint32_t count);

/* Sums of bytes, for the checksum of a message. */
enum { COVEY__MPI_SUMMED = 32 };
typedef struct covey__mpi_sum {
    uint64_t words[4], sums[4];
} covey__mpi_sum;
void covey__mpi_sum_up(covey__mpi_sum *sum, const unsigned char *bytes, size_t size); /* a multiple of 32 bytes */

/* Collective: sends sizes[r] bytes from send + offsets[r] to each rank; what comes is at *received + starts[r], coming[r]
 * bytes. `mine` is how packing went. Agreed on by all. */
covey_result covey__mpi_exchange(covey_mpi *mpi, const unsigned char *send, covey_result mine,
                                 unsigned char **received);

enum { COVEY__MPI_GUESTS = 4096 }; /* indices of a page of guests */
bool covey__mpi_guests_reach(covey_mpi *mpi, const covey_entity *guests, uint32_t count); /* false: memory is out */
void covey__mpi_guests_set(covey_mpi *mpi, const covey_entity *guests, uint32_t count,
                           bool are_here);     /* when reached */
void covey__mpi_guests_forget(covey_mpi *mpi); /* all */
void covey__mpi_guests_free(covey_mpi *mpi);

/* Whether this rank is the home of a handle: most are in a first share, where that is clear without a division. */
static inline bool covey__mpi_is_home(const covey_mpi *mpi, covey_entity e) {
    if (e.index < mpi->firsts_end) return e.index >= mpi->own && e.index < mpi->own_end;
    return covey_mpi_home(mpi, e) == mpi->rank;
}
/* Whether the world has any parents and children, or names. */
bool covey__mpi_any_places(const covey_mpi *mpi);

/* As covey_mpi_migrate, inside of a collective call; `mine` is how making the lists went on this rank. */
covey_result covey__mpi_migrate(covey_mpi *mpi, const covey_entity *entities, const int *ranks, uint32_t count,
                                covey_result mine);
covey_result covey__mpi_collect(covey_mpi *mpi); /* as covey_mpi_collect, inside of a collective call */

/* A refresh of ghosts in three steps (ghosts_send.c, ghosts_apply.c). The first and the last change the world; between them
 * it may be changed in any way. All ranks make all three, whatever they return; the result of the last is the same on all
 * ranks. Any other collective call ends a refresh that is under way, as if it had not begun; the last step is REFUSED
 * then. */
covey_result covey__mpi_ghosts_pack(covey_mpi *mpi);     /* asks who is near, and packs what has changed */
covey_result covey__mpi_ghosts_transfer(covey_mpi *mpi); /* sends and receives: does not look at the world */
covey_result covey__mpi_ghosts_apply(covey_mpi *mpi);    /* makes the changes */
/* The next refresh asks for all entities and sends all values. */
void covey__mpi_ghosts_ask_again(covey_mpi *mpi);
void covey__mpi_ghosts_cancel(covey_mpi *mpi); /* as if it had not begun */
void covey__mpi_ghosts_free(covey_mpi *mpi);
/* Ends ghosts whose indices belong to these entities now: their own are gone, and they would end at the next refresh. */
void covey__mpi_ghosts_yield(covey_mpi *mpi, const covey_entity *entities, uint32_t count);

/* Ghosts of entities that arrive here for good (promote.c): they become the entities. */
struct covey__mpi_incoming;
uint32_t covey__mpi_ghosts_among(const covey_mpi *mpi, const covey_entity *entities, uint32_t count);
covey_result covey__mpi_promote_column(covey_mpi *mpi, struct covey__mpi_incoming *in, uint32_t column);
void covey__mpi_promote_undo(covey_mpi *mpi, const struct covey__mpi_incoming *in);
void covey__mpi_promote_settle(covey_mpi *mpi, const struct covey__mpi_incoming *in);

/* Entities by where they go (depart.c): entities[parts[r]] to entities[parts[r + 1] - 1] go to rank r. */
typedef struct covey__mpi_departure {
    const covey_entity *entities;
    uint32_t count;
} covey__mpi_departure;
/* Sorts by destination, without those that go to the rank `stays`; those for one destination stay in their order. */
covey_result covey__mpi_sort_departure(covey_mpi *mpi, const covey_entity *entities, const int *ranks, uint32_t count,
                                       int stays, covey__mpi_departure *d);
/* Packs a message for each rank that gets some, of sizes[r] bytes at *send + offsets[r]. Leaves before[r] bytes free in
 * front of each, a multiple of 64, which count; also for a rank that gets none. NULL: none. */
covey_result covey__mpi_pack_departure(covey_mpi *mpi, const covey__mpi_departure *d, const uint64_t *before,
                                       unsigned char **send);

/* How entities leave and arrive (arrive.c). Arriving may fail, and can be taken back; the others never fail. */
covey_result covey__mpi_arrive(covey_mpi *mpi, struct covey__mpi_incoming *in);
void covey__mpi_settle(covey_mpi *mpi, const struct covey__mpi_incoming *in);        /* they live here from now on */
void covey__mpi_turn_away(covey_mpi *mpi, const struct covey__mpi_incoming *in);     /* takes an arrival back */
void covey__mpi_strip(covey_mpi *mpi, const covey_entity *entities, uint32_t count); /* of everything but the tag */
/* Ends entities here. Those that are at home here stay, without anything but their tag. */
void covey__mpi_leave(covey_mpi *mpi, const covey_entity *entities, uint32_t count);

/* ---- Messages of a migration -------------------------------------------------------------------------------------*/

/* The components of one type in a message. */
typedef struct covey__mpi_part {
    uint32_t count;
    unsigned char *values;     /* in the message; NULL for tags and types that travel in the image */
    const uint32_t *positions; /* of the entities that have one, among those of the message; NULL: all have */
} covey__mpi_part;

typedef struct covey__mpi_link {
    uint32_t child, parent; /* positions in the message */
} covey__mpi_link;

/* A component that is disabled. */
typedef struct covey__mpi_off {
    uint32_t position, column;
} covey__mpi_off;

/* Entities by where they are at home: elsewhere, or here. */
typedef struct covey__mpi_homes {
    const covey_entity *guests, *own;
    uint32_t guest_count, own_count;
} covey__mpi_homes;

/* A message that was read. */
typedef struct covey__mpi_incoming {
    int source;
    uint32_t count, offs, links, names;
    const covey_entity *entities;
    covey__mpi_part *parts; /* one for each column */
    const covey__mpi_off *off;
    const covey__mpi_link *link;
    const unsigned char *name; /* of each: position 4, length 4, text, padded to 4 */
    const unsigned char *image;
    uint64_t name_bytes, image_bytes;
    covey__mpi_homes homes; /* known when they arrive */
    bool created;           /* for taking its arrival back: those at home elsewhere exist, */
    bool noted;             /* and are noted as guests */
    uint32_t ghosts;        /* how many have ghosts here, */
    uint32_t promoted;      /* which have their values in so many columns */
} covey__mpi_incoming;

/* The bytes that a message of these entities needs at most, without an image. */
uint64_t covey__mpi_pack_room(const covey_mpi *mpi, const covey_entity *entities, uint32_t count);
/* Writes it, with the image of what does not travel in columns; *size is what it took. */
covey_result covey__mpi_pack(covey_mpi *mpi, const covey_entity *entities, uint32_t count, const void *image,
                             uint64_t image_bytes, unsigned char *to, uint64_t *size);
/* Sets the size and the checksum of a message. */
void covey__mpi_sign(const covey_mpi *mpi, unsigned char *bytes, uint64_t size);
/* Reads a message; `parts` has room for all columns. Checks everything but handles. False: *why says what is wrong. Bytes
 * of values that do not travel are set to their defaults. */
bool covey__mpi_unpack(const covey_mpi *mpi, unsigned char *bytes, uint64_t size, covey__mpi_incoming *incoming,
                       covey__mpi_part *parts, const char **why);

#endif
