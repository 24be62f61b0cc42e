/* MPI's collective operations, made with nonblocking calls. Blocking ones may spin without yielding the processor; with
 * more ranks than cores, each rank would wait for one that cannot run. The calls here poll for a while, then yield. */
#include "internal.h"

#ifdef _WIN32
#include <windows.h>
static void yield_processor(void) { SwitchToThread(); }
#else
#include <sched.h>
static void yield_processor(void) { sched_yield(); }
#endif

/* Polls before the first yield: more than two ranks with a core each need. */
enum { PATIENCE = 2000 };

void covey__mpi_wait_for(MPI_Request *requests, int count) {
    uint32_t polls = 0;
    for (int i = 0; i < count; i++) {
        MPI_Status status; /* not used; gcc warns that MPICH's MPI_STATUS_IGNORE is too small an array */
        int done = 0;
        for (; MPI_Test(&requests[i], &done, &status), !done; polls++)
            if (polls >= PATIENCE) yield_processor();
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
