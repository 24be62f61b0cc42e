/* Agreeing on the results of collective calls. */
#include "internal.h"

#include <stdarg.h>
#include <stdio.h>

covey_result covey__mpi_fail(covey_mpi *mpi, covey_result result, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    mpi->report = (covey_report){ .result = result };
    int length = snprintf(mpi->report.text, sizeof mpi->report.text, "rank %d: ", mpi->rank);
    vsnprintf(mpi->report.text + length, sizeof mpi->report.text - (size_t)length, format, arguments);
    va_end(arguments);
    return result;
}

covey_result covey__mpi_agree(covey_mpi *mpi, covey_result mine) {
    struct {
        int result, rank;
    } worst = { (int)mine, mpi->rank };
    covey__mpi_allreduce(mpi, &worst, 1, MPI_2INT, MPI_MAXLOC);
    if (worst.result != COVEY_OK)
        covey__mpi_broadcast(mpi, &mpi->report, (int)sizeof mpi->report, MPI_BYTE, worst.rank);
    return (covey_result)worst.result;
}

covey_result covey__mpi_enter(covey_mpi *mpi, covey__mpi_call call) {
    mpi->report = (covey_report){ .result = COVEY_OK };
    if (mpi->refreshing) covey__mpi_ghosts_cancel(mpi);
#if COVEY_ASSERT_LEVEL > 0
    static const char *const names[] = {
        [CALL_MIGRATE] = "covey_mpi_migrate",
        [CALL_RECLAIM] = "covey_mpi_reclaim",
        [CALL_TARGETS_END] = "covey_mpi_targets_end",
        [CALL_REDUCE_I64] = "covey_mpi_reduce_i64",
        [CALL_REDUCE_F64] = "covey_mpi_reduce_f64",
        [CALL_COUNT] = "covey_mpi_count",
        [CALL_DIGEST] = "covey_mpi_digest",
        [CALL_SAVE] = "covey_mpi_save",
        [CALL_LOAD] = "covey_mpi_load",
        [CALL_GHOSTS_DEFINE] = "covey_mpi_ghosts_define",
        [CALL_GHOSTS_REFRESH] = "covey_mpi_ghosts_refresh",
        [CALL_PARTITION] = "covey_mpi_partition_create",
        [CALL_PARTITION_MIGRATE] = "covey_mpi_partition_migrate",
        [CALL_PARTITION_BALANCE] = "covey_mpi_partition_balance",
    };
    int most[2] = { (int)call, -(int)call };
    covey__mpi_allreduce(mpi, most, 2, MPI_INT, MPI_MAX);
    if (most[0] != -most[1])
        return covey__mpi_fail(mpi, COVEY_ERROR_REFUSED, "calls %s, while another rank calls %s", names[call],
                               names[most[0] != (int)call ? most[0] : -most[1]]);
#else
    (void)call;
#endif
    return COVEY_OK;
}

const covey_report *covey_mpi_report(const covey_mpi *mpi) { return &mpi->report; }
