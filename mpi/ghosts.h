/* What the files about ghosts share (ghosts*.c).
 *
 * The rank where an entity lives keeps a record of each ghost that the entity has on another rank. Both ranks know the
 * ghost by the same slot, a number, so that a message needs eight bytes to say "new values for slots 7 to 70". */
#ifndef COVEY_MPI_GHOSTS_H
#define COVEY_MPI_GHOSTS_H

#include "internal.h"

enum { COVEY__MPI_GHOST_TYPES = COVEY_TERMS - 2 };

typedef enum covey__mpi_record_state {
    RECORD_FREE = 0,
    RECORD_BEGINS, /* the message under way creates the ghost; the record is not in the list of its entity yet */
    RECORD_LIVE,   /* in the list of its entity */
    RECORD_ENDED   /* the entity was destroyed or lost a component; in the list of its rank, until that rank is told */
} covey__mpi_record_state;

/* A ghost that another rank has of an entity that lives here. */
typedef struct covey__mpi_record {
    covey_entity entity;
    int32_t rank;
    uint32_t slot;
    uint32_t next; /* the next record of the same list; 0: none */
    uint8_t state;
    bool ending; /* the message under way removes the ghost */
} covey__mpi_record;

/* A page of a table, by index, of the ghosts that entities of this rank have. */
enum { COVEY__MPI_HEADS = 4096 };
typedef struct covey__mpi_heads {
    /* For an entity with one ghost: COVEY__MPI_KEY of the ghost, so that consecutive slots have consecutive keys.
     * 0: no ghosts. COVEY__MPI_SEVERAL: the records say more. */
    uint64_t keys[COVEY__MPI_HEADS];
    uint32_t records[COVEY__MPI_HEADS]; /* the first record of each entity; 0: none */
} covey__mpi_heads;
#define COVEY__MPI_SEVERAL UINT64_MAX
#define COVEY__MPI_KEY(rank, slot) (((uint64_t)(rank) + 1) << 32 | (slot))

/* The ghosts between this rank and another one. */
typedef struct covey__mpi_neighbour {
    /* Ghosts there of entities that live here: */
    uint32_t slots, live;  /* slots in use or free; ghosts that exist */
    uint32_t free, ended;  /* heads of lists of records */
    uint32_t begins, ends; /* in the message under way */
    uint32_t slots_before; /* `slots` before that message was packed */
    /* Ghosts here of entities that live there: */
    covey_entity *ghosts; /* by slot; null: the slot is free */
    uint32_t ghost_count, ghost_room;
} covey__mpi_neighbour;

/* Consecutive slots. */
typedef struct covey__mpi_run {
    uint32_t slot, count;
} covey__mpi_run;

/* The values of one type in a message, run by run. */
typedef struct covey__mpi_ghost_update {
    uint32_t count, run_count;
    const covey__mpi_run *runs;
    unsigned char *values;
} covey__mpi_ghost_update;

/* A received message. */
typedef struct covey__mpi_ghost_message {
    int source;
    uint32_t ends, begins;
    const uint32_t *end_slots;
    uint32_t *begin_slots;
    covey_entity *entities; /* that get a ghost */
    unsigned char *values[COVEY__MPI_GHOST_TYPES];
    covey__mpi_ghost_update updates[COVEY__MPI_GHOST_TYPES];
    uint32_t
        fresh; /* the first `fresh` entities are new here; the others are ghosts already, of another rank or slot */
    bool created;
} covey__mpi_ghost_message;

/* A growing list of numbers. */
typedef struct covey__mpi_numbers {
    uint32_t *at;
    uint32_t count, room;
} covey__mpi_numbers;

typedef struct covey__mpi_ghosts {
    const covey__mpi_column *columns[COVEY__MPI_GHOST_TYPES];
    uint32_t column_count;
    covey_mpi_near_fn *near;
    void *context;
    covey_connection connections[COVEY__MPI_GHOST_TYPES];
    covey__mpi_neighbour *neighbours; /* one for each rank */
    covey__mpi_record *records;       /* record 0 is never used */
    uint32_t record_count, record_room, records_before;
    covey__mpi_heads **heads;
    uint32_t head_pages;
    covey__mpi_numbers begins, ends; /* records that the message under way begins and ends */
    uint64_t seen, packed;           /* the ticks of the last refresh, and of the one under way */
    covey_result result;             /* of the steps so far */
    unsigned char *send, *received;
} covey__mpi_ghosts;

static inline const covey__mpi_heads *covey__mpi_heads_of(const covey__mpi_ghosts *g, uint32_t index) {
    return index / COVEY__MPI_HEADS < g->head_pages ? g->heads[index / COVEY__MPI_HEADS] : NULL;
}
static inline uint64_t covey__mpi_key(const covey__mpi_ghosts *g, uint32_t index) {
    const covey__mpi_heads *heads = covey__mpi_heads_of(g, index);
    return heads ? heads->keys[index % COVEY__MPI_HEADS] : 0;
}
static inline uint32_t covey__mpi_first_record(const covey__mpi_ghosts *g, uint32_t index) {
    const covey__mpi_heads *heads = covey__mpi_heads_of(g, index);
    return heads ? heads->records[index % COVEY__MPI_HEADS] : 0;
}

/* Records (ghosts_records.c). Both of these add to the message under way, and return false when memory is out. */
bool covey__mpi_record_begin(covey_mpi *mpi, covey_entity e, int rank); /* a ghost of `e` on a rank */
bool covey__mpi_record_end(covey_mpi *mpi, uint32_t record);
void covey__mpi_records_commit(covey_mpi *mpi); /* the message was received; never fails */
void covey__mpi_records_cancel(covey_mpi *mpi); /* the message was not sent, or was refused */
/* A listener with the covey__mpi_ghosts as context: ends the records of entities that lose a component. */
void covey__mpi_records_component_removed(const covey_event *event, void *context);

/* Grows an array to at least `needed` elements, and sets *room. Returns NULL when memory is out. */
void *covey__mpi_grow(const covey_mpi *mpi, void *block, uint32_t *room, uint32_t needed, size_t size);
/* Makes room for slots of ghosts of another rank. Returns false when memory is out. */
bool covey__mpi_neighbour_reserve(covey_mpi *mpi, covey__mpi_neighbour *n, uint32_t slots);
/* Removes ghosts from this world. Those whose home is here keep their tag. SCRATCH_GUESTS has room for `count`. */
void covey__mpi_ghosts_remove(covey_mpi *mpi, const covey_entity *ghosts, uint32_t count);

/* Reads the message of a rank. Returns false when it is invalid; *why completes "refused: ". */
bool covey__mpi_ghost_message_read(covey_mpi *mpi, int source, unsigned char *bytes, uint64_t size,
                                   covey__mpi_ghost_message *message, const char **why);

/* The header of a message. */
#define COVEY__MPI_GHOST_MAGIC UINT64_C(0x31304759495643)
typedef struct covey__mpi_ghost_header {
    uint64_t magic, checksum; /* the checksum covers everything from `bytes` on */
    uint64_t bytes;           /* of the message, a multiple of 64 */
    uint32_t ends, begins, columns, unused;
} covey__mpi_ghost_header;
/* The header of a column of values: their number, the number of runs, and whether the runs are those of the previous
 * column. */
typedef struct covey__mpi_ghost_update_header {
    uint32_t count, run_count, same_runs;
} covey__mpi_ghost_update_header;
uint64_t covey__mpi_ghost_message_checksum(const unsigned char *bytes, uint64_t size);

#endif
