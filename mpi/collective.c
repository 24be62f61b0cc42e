/* Waiting for other ranks. MPI's own calls may spin until all have come, and never give up the processor: where there are
 * more ranks than cores, each waits for one that cannot run. So all calls here begin and return at once, and what waits
 * for them lets others run after a while. */
#include "internal.h"

#ifdef _WIN32
#include <windows.h>
static void give_way(void) { SwitchToThread(); }
#else
#include <sched.h>
static void give_way(void) { sched_yield(); }
#endif

enum {
    PATIENCE = 2000
}; /* times that it asks before it lets others run: longer than two ranks with a core each need */

void covey__mpi_wait_for(MPI_Request *requests, int count) {
    uint32_t asked = 0;
    for (int i = 0; i < count; i++) {
        MPI_Status status; /* of no use; gcc takes MPICH's MPI_STATUSES_IGNORE for an array that is too small */
        int done = 0;
        for (; MPI_Test(&requests[i], &done, &status), !done; asked++)
            if (asked >= PATIENCE) give_way();
    }
}

void covey__mpi_wait_timed(covey_mpi *mpi, MPI_Request *requests, int count) {
    double begun = MPI_Wtime();
    covey__mpi_wait_for(requests, count);
    mpi->stats.seconds_waited += MPI_Wtime() - begun;
}

void covey__mpi_allreduce(covey_mpi *mpi, void *values, int count, MPI_Datatype type, MPI_Op op) {
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, values, count, type, op, mpi->comm, &request);
    covey__mpi_wait_timed(mpi, &request, 1);
}

void covey__mpi_broadcast(covey_mpi *mpi, void *values, int count, MPI_Datatype type, int from) {
    MPI_Request request;
    MPI_Ibcast(values, count, type, from, mpi->comm, &request);
    covey__mpi_wait_timed(mpi, &request, 1);
}

void covey__mpi_allgather(covey_mpi *mpi, const void *values, int count, MPI_Datatype type, void *all) {
    MPI_Request request;
    MPI_Iallgather(values, count, type, all, count, type, mpi->comm, &request);
    covey__mpi_wait_timed(mpi, &request, 1);
}

void covey__mpi_exchange_sizes(covey_mpi *mpi) {
    MPI_Request request;
    MPI_Ialltoall(mpi->send_sizes, 1, MPI_UINT64_T, mpi->receive_sizes, 1, MPI_UINT64_T, mpi->comm, &request);
    covey__mpi_wait_timed(mpi, &request, 1);
}
