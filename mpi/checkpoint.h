/* What saving (checkpoint.c) and loading (restart.c) share, and the messages of a restart. */
#ifndef COVEY_MPI_CHECKPOINT_H
#define COVEY_MPI_CHECKPOINT_H

#include "dist.h"
#include "../common/manifest.h"

enum { COVEY__MPI_PATH = 4000, COVEY__MPI_FILE = COVEY__MPI_PATH + COVEY__MANIFEST_NAME }; /* bytes of names, at most */

/* Begins a collective call about a checkpoint: what rank 0 reads, all know. No file is a manifest of number 0, unless one
 * is needed. */
covey_result covey__mpi_manifest_read(covey_mpi *mpi, covey__mpi_call call, const char *path, bool needed,
                                      covey__manifest *m);

/* Splits a path into its folder and the name in it, which is returned. */
const char *covey__mpi_folder_of(const char *path, char folder[COVEY__MPI_PATH + 1]);
/* Removes what killed jobs left behind which saved at this path, where there is this checkpoint now. */
void covey__mpi_leftovers_remove(const char *path, const covey__manifest *m);

/* What the rank that reads a file tells another one. */
typedef struct covey__mpi_handover {
    const covey_entity *homes;  /* who is at home there, and is to live elsewhere */
    const covey_entity *graves; /* the last handles of indices at home there that nobody in the file has */
    uint32_t home_count, grave_count;
    bool arrivals;          /* whether there are any: */
    covey__mpi_incoming in; /* who is to live there */
} covey__mpi_handover;

/* The bytes in front of those who are to live there. */
uint64_t covey__mpi_handover_front(uint32_t homes, uint32_t graves);
/* Writes the header, when all that follows is written. */
void covey__mpi_handover_sign(unsigned char *bytes, uint64_t size, uint32_t homes, uint32_t graves);
/* Reads a message; `parts` has room for all columns. Checks everything but generations, and whether handles are taken.
 * False: *why says what is wrong. */
bool covey__mpi_handover_read(const covey_mpi *mpi, unsigned char *bytes, uint64_t size, covey__mpi_handover *h,
                              covey__mpi_part *parts, const char **why);
/* Makes the entities of a message, but not the graves. When it fails, some may have been made. */
covey_result covey__mpi_handover_apply(covey_mpi *mpi, covey__mpi_handover *h);
/* Uses up the generations of graves that are not alive. For those of all files, when all entities are made. */
covey_result covey__mpi_handover_bury(covey_mpi *mpi, const covey_entity *graves, size_t count);

#endif
