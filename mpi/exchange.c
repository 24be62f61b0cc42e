/* Sending a message to each rank, and receiving one from each. */
#include "message.h"

enum { MOST = 1 << 30 }; /* bytes in one MPI message, whose count is an int */

static uint32_t pieces_of(uint64_t bytes) { return (uint32_t)((bytes + MOST - 1) / MOST); }

typedef struct posting {
    covey_mpi *mpi;
    MPI_Request *requests;
    int count;
} posting;

static void post(posting *p, int rank, unsigned char *bytes, uint64_t size, bool sends) {
    for (int tag = 0; size != 0; tag++) {
        int part = size < MOST ? (int)size : MOST;
        if (sends) MPI_Isend(bytes, part, MPI_BYTE, rank, tag, p->mpi->comm, &p->requests[p->count++]);
        else MPI_Irecv(bytes, part, MPI_BYTE, rank, tag, p->mpi->comm, &p->requests[p->count++]);
        bytes += part;
        size -= (uint64_t)part;
    }
}

static void transfer(covey_mpi *mpi, const unsigned char *send, unsigned char *receive, MPI_Request *requests) {
    posting p = { .mpi = mpi, .requests = requests };
    for (int r = 0; r < mpi->size; r++) post(&p, r, receive + mpi->receive_offsets[r], mpi->receive_sizes[r], false);
    for (int i = 1; i <= mpi->size;
         i++) { /* begins with the next rank, so that ranks do not all send to the same one */
        int r = (mpi->rank + i) % mpi->size;
        post(&p, r, (unsigned char *)(uintptr_t)send + mpi->send_offsets[r], mpi->send_sizes[r], true);
    }
    covey__mpi_wait_timed(mpi, requests, p.count);
    mpi->stats.exchanges++;
}

/* Allocates memory for messages from other ranks, and for the requests. */
static covey_result make_room(covey_mpi *mpi, unsigned char **received, MPI_Request **requests) {
    uint64_t room = 0, posts = 0;
    for (int r = 0; r < mpi->size; r++) {
        mpi->receive_offsets[r] = room;
        room += covey__mpi_aligned(mpi->receive_sizes[r]);
        posts += pieces_of(mpi->receive_sizes[r]) + pieces_of(mpi->send_sizes[r]);
        mpi->stats.bytes_sent += mpi->send_sizes[r];
        mpi->stats.bytes_received += mpi->receive_sizes[r];
    }
    *received = covey__mpi_scratch_reserve(mpi, SCRATCH_RECEIVE, room);
    *requests = covey__mpi_scratch_reserve(mpi, SCRATCH_REQUESTS, posts * sizeof **requests);
    if (*received && *requests) return COVEY_OK;
    return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for %llu bytes from other ranks",
                           (unsigned long long)room);
}

covey_result covey__mpi_exchange(covey_mpi *mpi, const unsigned char *send, covey_result mine,
                                 unsigned char **received) {
    MPI_Request *requests = NULL;
    if (mine != COVEY_OK) memset(mpi->send_sizes, 0, (size_t)mpi->size * sizeof *mpi->send_sizes);
    covey__mpi_exchange_sizes(mpi);
    if (mine == COVEY_OK) mine = make_room(mpi, received, &requests);
    covey_result result = covey__mpi_agree(mpi, mine);
    if (result == COVEY_OK) transfer(mpi, send, *received, requests);
    return result;
}
