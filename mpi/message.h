/* What all messages have in common: their parts begin at multiples of 64 bytes, so that values are used where they
 * arrive, and nothing is read beyond their end. */
#ifndef COVEY_MPI_MESSAGE_H
#define COVEY_MPI_MESSAGE_H

#include "dist.h"

enum { COVEY__MPI_ALIGN = 64 };

static inline uint64_t covey__mpi_aligned(uint64_t size) {
    return (size + COVEY__MPI_ALIGN - 1) / COVEY__MPI_ALIGN * COVEY__MPI_ALIGN;
}

/* A message while it is read. */
typedef struct covey__mpi_reading {
    unsigned char *bytes;
    uint64_t at, size;
    bool fails;
} covey__mpi_reading;

/* So many bytes, and the rest up to where the next part begins; NULL, and nothing more, when there are fewer. */
static inline void *covey__mpi_take(covey__mpi_reading *r, uint64_t count, uint64_t each) {
    if (r->fails || (each != 0 && count > (r->size - r->at) / each)) r->fails = true;
    if (r->fails) return NULL;
    unsigned char *part = r->bytes + r->at;
    r->at = covey__mpi_aligned(r->at + count * each);
    r->fails = r->at > r->size;
    return r->fails ? NULL : part;
}

#endif
