/* Reductions over all ranks: numbers, counts and digests. */
#include "internal.h"

/* ---- Numbers -----------------------------------------------------------------------------------------------------*/

covey_result covey_mpi_reduce_i64(covey_mpi *mpi, covey_mpi_operation operation, int64_t *values, uint32_t count) {
    covey_result result = covey__mpi_enter(mpi, CALL_REDUCE_I64);
    if (result != COVEY_OK) return result;
    MPI_Op op = operation == COVEY_MPI_SUM ? MPI_SUM : operation == COVEY_MPI_MIN ? MPI_MIN : MPI_MAX;
    covey__mpi_allreduce(mpi, values, (int)count, MPI_INT64_T, op);
    return COVEY_OK;
}

static double reduced(covey_mpi_operation operation, double a, double b) {
    if (operation == COVEY_MPI_SUM) return a + b;
    return (operation == COVEY_MPI_MIN ? b < a : b > a) ? b : a;
}

/* MPI may add in any order. This adds in the order of ranks. */
covey_result covey_mpi_reduce_f64(covey_mpi *mpi, covey_mpi_operation operation, double *values, uint32_t count) {
    covey_result result = covey__mpi_enter(mpi, CALL_REDUCE_F64);
    if (result != COVEY_OK) return result;
    uint64_t ranks = (uint64_t)mpi->size;
    double *all = covey__mpi_scratch_reserve(mpi, SCRATCH_RECEIVE, ranks * count * sizeof *all);
    if (!all) result = covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for %u numbers from each rank", count);
    result = covey__mpi_agree(mpi, result);
    if (result != COVEY_OK) return result;
    covey__mpi_allgather(mpi, values, (int)count, MPI_DOUBLE, all);
    for (uint32_t i = 0; i < count; i++) values[i] = all[i];
    for (uint64_t r = 1; r < ranks; r++)
        for (uint32_t i = 0; i < count; i++) values[i] = reduced(operation, values[i], all[r * count + i]);
    return COVEY_OK;
}

static uint64_t count_own(const covey_mpi *mpi, const covey_view *view) {
    uint64_t count = covey_view_count(view);
    for (uint32_t p = covey_pool_next(mpi->ghost, 0); p != COVEY_NONE; p = covey_pool_next(mpi->ghost, p + 1))
        count -= covey_view_contains(view, covey_pool_at(mpi->ghost, p));
    return count;
}

covey_result covey_mpi_count(covey_mpi *mpi, const covey_view *view, uint64_t *count) {
    covey_result result = covey__mpi_enter(mpi, CALL_COUNT);
    if (result != COVEY_OK) return result;
    *count = count_own(mpi, view);
    covey__mpi_allreduce(mpi, count, 1, MPI_UINT64_T, MPI_SUM);
    return COVEY_OK;
}

/* ---- Digest ------------------------------------------------------------------------------------------------------*/

static covey_result make_digest_view(covey_mpi *mpi, const covey_type *const *types, covey_view *view) {
    covey_view_desc desc = { .without = { covey_ids(covey_away, covey_ghost) }, .include_disabled = true };
    uint32_t count = 0;
    for (; types && types[count]; count++) {
        const covey__mpi_column *column = covey__mpi_column_of(mpi, types[count]);
        if (count == COVEY_TERMS - 2) return covey__mpi_fail(mpi, COVEY_ERROR_RANGE, "a digest has at most 14 types");
        if (!column || column->by_image || column->gap_count != 0)
            return covey__mpi_fail(mpi, COVEY_ERROR_TYPE, "%s cannot be in a digest: %s", types[count]->name,
                                   column ? "it has functions, or bytes that are not part of its value"
                                          : "it is not one of .types");
        desc.with[count] = desc.read[count] = types[count];
    }
    const char *why = NULL;
    *view = covey_view_make_const(mpi->world, &desc, &why);
    return covey_view_valid(view) ? COVEY_OK : covey__mpi_fail(mpi, COVEY_ERROR_TYPE, "no view for a digest: %s", why);
}

static uint64_t own_digest(const covey_view *view) {
    uint64_t sum = 0;
    uint32_t fields = covey_view_fields(view);
    covey_iter it = covey_view_iter(view);
    while (covey_next(&it))
        for (uint32_t i = 0; i < it.count; i++) {
            uint64_t hash = 0;
            for (uint32_t f = 0; f < fields; f++) {
                size_t size = covey_view_type(view, f)->size;
                const unsigned char *values = covey_field_raw(&it, f);
                hash = covey__mpi_hash(hash, values + i * size, size);
            }
            sum += hash;
        }
    return sum;
}

covey_result covey_mpi_digest(covey_mpi *mpi, const covey_type *const *types, uint64_t *digest) {
    covey_view view;
    covey_result result = covey__mpi_enter(mpi, CALL_DIGEST);
    if (result == COVEY_OK) result = covey__mpi_agree(mpi, make_digest_view(mpi, types, &view));
    if (result != COVEY_OK) return result;
    *digest = own_digest(&view);
    covey__mpi_allreduce(mpi, digest, 1, MPI_UINT64_T, MPI_SUM);
    return COVEY_OK;
}
