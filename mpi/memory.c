/* Memory: the allocator, scratch buffers, and temporary worlds. */
#include "internal.h"

#include <stdlib.h>

enum { ALIGN = 64 };

static size_t rounded(size_t size) { return (size + ALIGN - 1) / ALIGN * ALIGN; }

void *covey__mpi_resize(const covey_allocator *allocator, void *block, size_t old_size, size_t new_size) {
    if (new_size > SIZE_MAX - ALIGN) return NULL;
    if (allocator->fn) return allocator->fn(allocator->context, block, rounded(old_size), rounded(new_size), ALIGN);
    void *resized = new_size != 0 ? aligned_alloc(ALIGN, rounded(new_size)) : NULL;
    if (new_size != 0 && !resized) return NULL;
    if (block && resized) memcpy(resized, block, old_size < new_size ? old_size : new_size);
    free(block);
    return resized;
}

void *covey__mpi_scratch_reserve(covey_mpi *mpi, covey__mpi_scratch which, uint64_t bytes) {
    covey__mpi_buffer *buffer = &mpi->scratch[which];
    if (bytes < ALIGN) bytes = ALIGN;
    if (bytes <= buffer->capacity) return buffer->bytes;
    if (bytes > SIZE_MAX / 2) return NULL;
    size_t wanted = (size_t)bytes + (size_t)bytes / 4;
    covey__mpi_resize(&mpi->allocator, buffer->bytes, buffer->capacity, 0);
    *buffer = (covey__mpi_buffer){ NULL, 0 };
    buffer->bytes = covey__mpi_resize(&mpi->allocator, NULL, 0, wanted);
    if (buffer->bytes) buffer->capacity = wanted;
    return buffer->bytes;
}

void covey__mpi_scratch_free(covey_mpi *mpi) {
    for (uint32_t i = 0; i < SCRATCH_COUNT; i++)
        if (mpi->scratch[i].bytes)
            covey__mpi_resize(&mpi->allocator, mpi->scratch[i].bytes, mpi->scratch[i].capacity, 0);
    covey_buffer_free(&mpi->images);
}

/* Quiet, because failures are reported by covey__mpi_fail. */
covey_world *covey__mpi_world_create(const covey_mpi *mpi) {
    return covey_world_create(&(covey_world_desc){ .allocator = mpi->allocator, .quiet = true });
}

/* The world has two tables, and each pool has one. A table that grows exists twice. */
uint64_t covey__mpi_image_limit(const covey_mpi *mpi, uint64_t bytes) {
    uint64_t indices = mpi->first_index + (uint64_t)mpi->range_size * mpi->range_count;
    uint64_t table = (indices / COVEY_PAGE_SIZE + 1) * 2 * sizeof(void *);
    return COVEY_LIMIT_AT_LEAST + COVEY_LIMIT_FOR_EACH * bytes + (mpi->column_count + UINT64_C(2)) * table;
}
