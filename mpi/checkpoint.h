/* What saving (checkpoint_save.c) and loading (checkpoint_load.c) share, and the messages of a restart. */
#ifndef COVEY_MPI_CHECKPOINT_H
#define COVEY_MPI_CHECKPOINT_H

#include "internal.h"
#include "../common/manifest.h"

/* The longest path of a checkpoint, and of a file that belongs to one, in bytes. */
enum { COVEY__MPI_PATH = 4000, COVEY__MPI_FILE = COVEY__MPI_PATH + COVEY__MANIFEST_NAME };

/* Begins a collective call about a checkpoint: rank 0 reads the manifest, and all ranks get it. Without a file,
 * fails if one is needed, and otherwise sets the number of the manifest to 0. */
covey_result covey__mpi_manifest_read(covey_mpi *mpi, covey__mpi_call call, const char *path, bool needed,
                                      covey__manifest *m);

/* Writes the folder of a path to `folder`, and returns the file name in it. */
const char *covey__mpi_folder_of(const char *path, char folder[COVEY__MPI_PATH + 1]);
/* Removes files that killed jobs left behind at this path. `m` is the checkpoint that is there now. */
void covey__mpi_leftovers_remove(const char *path, const covey__manifest *m);

/* A message about one file, from the rank that reads it to another rank. */
typedef struct covey__mpi_restart_message {
    const covey_entity *away;  /* entities whose home is the receiver, and which will live elsewhere */
    const covey_entity *freed; /* the last handles of free indices whose home is the receiver */
    uint32_t away_count, freed_count;
    bool arrivals;          /* whether `in` is there */
    covey__mpi_incoming in; /* entities that will live on the receiver */
} covey__mpi_restart_message;

/* The bytes in front of `in`. */
uint64_t covey__mpi_restart_front_size(uint32_t away, uint32_t freed);
/* Writes the header. Everything behind it is there already. */
void covey__mpi_restart_message_sign(unsigned char *bytes, uint64_t size, uint32_t away, uint32_t freed);
/* Reads a message. `parts` has room for all columns. Checks everything but generations and whether handles are in use.
 * Returns false when the message is invalid; *why completes "refused: ". */
bool covey__mpi_restart_message_read(const covey_mpi *mpi, unsigned char *bytes, uint64_t size,
                                     covey__mpi_restart_message *h, covey__mpi_part *parts, const char **why);
/* Creates the entities of a message. When this fails, some of them may exist. */
covey_result covey__mpi_restart_message_apply(covey_mpi *mpi, covey__mpi_restart_message *h);
/* Makes the generations of freed handles unusable. Call it once for all files, when all entities exist. */
covey_result covey__mpi_restart_skip_generations(covey_mpi *mpi, const covey_entity *freed, size_t count);

#endif
