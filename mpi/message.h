/* What all messages have in common: each part begins at a multiple of 64 bytes, so that values are used in place, and
 * nothing is read beyond the end. */
#ifndef COVEY_MPI_MESSAGE_H
#define COVEY_MPI_MESSAGE_H

#include "internal.h"

enum { COVEY__MPI_ALIGN = 64 };

static inline uint64_t covey__mpi_aligned(uint64_t size) {
    return (size + COVEY__MPI_ALIGN - 1) / COVEY__MPI_ALIGN * COVEY__MPI_ALIGN;
}

/* A message that is being read. */
typedef struct covey__mpi_reading {
    unsigned char *bytes;
    uint64_t at, size;
    bool fails;
} covey__mpi_reading;

/* Returns the next part, `count` elements of `each` bytes, and advances to the part behind it. Returns NULL and sets
 * `fails` when the message is too short. */
static inline void *covey__mpi_take(covey__mpi_reading *r, uint64_t count, uint64_t each) {
    if (r->fails || (each != 0 && count > (r->size - r->at) / each)) r->fails = true;
    if (r->fails) return NULL;
    unsigned char *part = r->bytes + r->at;
    r->at = covey__mpi_aligned(r->at + count * each);
    r->fails = r->at > r->size;
    return r->fails ? NULL : part;
}

#endif
