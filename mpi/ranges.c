/* Ranges of indices: reserving them, and finding the home of a handle. */
#include "internal.h"

/* A 256th of all indices, rounded down to whole pages if it is larger than one. */
uint32_t covey__mpi_default_range_size(uint32_t first) {
    uint32_t size = (COVEY_NONE - first) / 256;
    if (size > 4096) size -= size % 4096;
    return size != 0 ? size : 1;
}

static bool reserve(covey_mpi *mpi, uint64_t first, uint64_t end, covey_range *range) {
    if (first >= end) return true;
    *range = covey_range_reserve(mpi->world, (uint32_t)first, (uint32_t)(end - first));
    return range->count != 0;
}

/* Each extra range of this rank is reserved on its own, for covey_mpi_range_reserve. */
covey_result covey__mpi_ranges_reserve(covey_mpi *mpi) {
    if ((uint32_t)mpi->size > mpi->range_count)
        return covey__mpi_fail(mpi, COVEY_ERROR_RANGE,
                               "%d ranks need more indices than there are; make .range_size smaller", mpi->size);
    covey_range between;
    uint64_t own = mpi->first_index + (uint64_t)mpi->rank * mpi->range_size, end = own + mpi->range_size;
    mpi->own_first = (uint32_t)own;
    mpi->own_end = (uint32_t)end;
    mpi->first_ranges_end = mpi->first_index + (uint64_t)mpi->size * mpi->range_size;
    bool done = covey_entity_count(mpi->world) == 0 && reserve(mpi, 0, own, &between);
    while (done && mpi->extra_count < COVEY_MPI_RANGES - 1) {
        uint64_t next = own + (mpi->extra_count + UINT64_C(1)) * (uint64_t)mpi->size * mpi->range_size;
        if (next + mpi->range_size > COVEY_NONE) break;
        done = reserve(mpi, end, next, &between) &&
               reserve(mpi, next, next + mpi->range_size, &mpi->extra_ranges[mpi->extra_count]);
        mpi->extra_count += done;
        end = next + mpi->range_size;
    }
    if (done && reserve(mpi, end, COVEY_NONE, &between)) return COVEY_OK;
    covey_result result = covey_world_result(mpi->world);
    if (result == COVEY_ERROR_MEMORY) return covey__mpi_fail(mpi, result, "no memory to reserve indices");
    return covey__mpi_fail(mpi, COVEY_ERROR_TAKEN, "the world had entities or reserved ranges; use a new world");
}

int covey_mpi_home(const covey_mpi *mpi, covey_entity e) {
    if (covey_is_null(e) || e.index < mpi->first_index) return -1;
    uint32_t range = (e.index - mpi->first_index) / mpi->range_size;
    return range < mpi->range_count ? (int)(range % (uint32_t)mpi->size) : -1;
}

bool covey_mpi_owns(const covey_mpi *mpi, covey_entity e) {
    return covey_alive(mpi->world, e) && !covey_pool_has(mpi->away, e) && !covey_pool_has(mpi->ghost, e);
}

uint32_t covey_mpi_owned_count(const covey_mpi *mpi) {
    covey_view_desc desc = { .with = { covey_id(covey_ghost) },
                             .without = { covey_id(covey_away) },
                             .include_disabled = true };
    covey_view others =
        covey_view_make_const(mpi->world, &desc, NULL); /* a ghost whose home is here has covey_away, too */
    return covey_entity_count(mpi->world) - covey_pool_count(mpi->away) - covey_view_count(&others);
}

covey_range covey_mpi_range_reserve(covey_mpi *mpi) {
    if (mpi->extra_used == mpi->extra_count) return (covey_range){ 0, 0 };
    return mpi->extra_ranges[mpi->extra_used++];
}
