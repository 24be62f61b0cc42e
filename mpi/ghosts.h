/* What ghosts.c, ghosts_send.c, ghosts_apply.c and promote.c share.
 *
 * The rank where an entity lives keeps a note of each ghost that it has on another rank. Both ranks number the ghosts
 * between them with slots, so that a message says "the values of slots 7 to 70 are these now" in eight bytes. */
#ifndef COVEY_MPI_GHOSTS_H
#define COVEY_MPI_GHOSTS_H

#include "dist.h"

enum { COVEY__MPI_GHOST_TYPES = COVEY_TERMS - 2 };

typedef enum covey__mpi_note_state {
    NOTE_FREE = 0,
    NOTE_BEGINS, /* told in the message that is under way; not in the list of its entity yet */
    NOTE_LIVE,   /* in the list of its entity */
    NOTE_ENDED   /* its entity is gone, or lost a component; in the list of its rank, until that rank is told */
} covey__mpi_note_state;

/* A ghost that another rank has of an entity that lives here. */
typedef struct covey__mpi_note {
    covey_entity entity;
    int32_t rank;
    uint32_t slot;
    uint32_t next; /* in the list that it is in; 0: none */
    uint8_t state;
    bool told; /* the message that is under way ends it */
} covey__mpi_note;

/* What is known of the ghosts of entities that live here, by index. */
enum { COVEY__MPI_HEADS = 4096 };
typedef struct covey__mpi_heads {
    /* Of an entity with one ghost: its rank and its slot, so that those of neighbours follow each other; 0 for one
     * without ghosts, COVEY__MPI_SEVERAL for one whose notes have to be looked at. */
    uint64_t keys[COVEY__MPI_HEADS];
    uint32_t notes[COVEY__MPI_HEADS]; /* the first of each; 0: none */
} covey__mpi_heads;
#define COVEY__MPI_SEVERAL UINT64_MAX
#define COVEY__MPI_KEY(rank, slot) (((uint64_t)(rank) + 1) << 32 | (slot))

/* The ghosts between this rank and another one. */
typedef struct covey__mpi_neighbour {
    /* of entities that live here: */
    uint32_t slots, live;  /* numbers that were given away; ghosts that are there */
    uint32_t free, ended;  /* lists of notes */
    uint32_t begins, ends; /* in the message under way */
    uint32_t slots_before; /* when it was packed */
    /* of entities that live there: */
    covey_entity *ghosts; /* by slot; null: none */
    uint32_t ghost_count, ghost_room;
} covey__mpi_neighbour;

/* Slots that follow each other. */
typedef struct covey__mpi_run {
    uint32_t slot, count;
} covey__mpi_run;

/* The values of one type in a message, run by run. */
typedef struct covey__mpi_update {
    uint32_t count, run_count;
    const covey__mpi_run *runs;
    unsigned char *values;
} covey__mpi_update;

/* A message that was read. */
typedef struct covey__mpi_news {
    int source;
    uint32_t ends, begins;
    const uint32_t *end_slots;
    uint32_t *begin_slots;
    covey_entity *entities; /* those that begin */
    unsigned char *values[COVEY__MPI_GHOST_TYPES];
    covey__mpi_update updates[COVEY__MPI_GHOST_TYPES];
    uint32_t fresh; /* so many of those that begin are new here; the others are ghosts of another rank's, or slot's */
    bool created;
} covey__mpi_news;

/* A list of numbers that grows. */
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
    covey__mpi_note *notes;           /* the first is never used */
    uint32_t note_count, note_room, notes_before;
    covey__mpi_heads **heads;
    uint32_t head_pages;
    covey__mpi_numbers begins, ends; /* notes, of the message under way */
    uint64_t seen, packed;           /* ticks: of the last refresh, and of the one under way */
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
static inline uint32_t covey__mpi_first_note(const covey__mpi_ghosts *g, uint32_t index) {
    const covey__mpi_heads *heads = covey__mpi_heads_of(g, index);
    return heads ? heads->notes[index % COVEY__MPI_HEADS] : 0;
}

/* The note of a ghost that begins with this message; false: memory is out. */
bool covey__mpi_note_begin(covey_mpi *mpi, covey_entity e, int rank);
bool covey__mpi_note_end(covey_mpi *mpi, uint32_t note); /* the message ends this one */
void covey__mpi_notes_commit(covey_mpi *mpi);            /* the message arrived; never fails */
void covey__mpi_notes_cancel(covey_mpi *mpi);            /* it did not */
bool covey__mpi_neighbour_reach(covey_mpi *mpi, covey__mpi_neighbour *n, uint32_t slots); /* false: memory is out */
/* Ends ghosts here: destroys them, or, at home, removes what ghosts have. Room for a list was asked for before. */
void covey__mpi_ghosts_end(covey_mpi *mpi, const covey_entity *ghosts, uint32_t count);

/* Reads the message of a rank; false: *why says what is wrong. */
bool covey__mpi_news_read(covey_mpi *mpi, int source, unsigned char *bytes, uint64_t size, covey__mpi_news *news,
                          const char **why);

/* Messages: their first bytes. */
#define COVEY__MPI_NEWS_MAGIC UINT64_C(0x31304759495643)
typedef struct covey__mpi_news_header {
    uint64_t magic, checksum,
        bytes; /* the checksum is of all from `bytes` on; all messages are multiples of 64 bytes */
    uint32_t ends, begins, columns, unused;
} covey__mpi_news_header;
/* Before each column of values: how many there are, in how many runs, and whether these are those of the column before. */
typedef struct covey__mpi_update_header {
    uint32_t count, run_count, same_runs;
} covey__mpi_update_header;
uint64_t covey__mpi_news_checksum(const unsigned char *bytes, uint64_t size);

#endif
