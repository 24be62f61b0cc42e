/* Creating and destroying a covey_mpi, and comparing the settings of all ranks. */
#include "internal.h"

#include <covey/shared.h>
#include <stdio.h>

const covey_type covey_type_covey_away = {
    .name = "covey_mpi.away", .align = 1, .storage = COVEY_STORAGE_BLOCK, .transient = true
};

const covey_type covey_type_covey_ghost = { .name = "covey_mpi.ghost",
                                            .size = sizeof(covey_ghost),
                                            .align = _Alignof(covey_ghost),
                                            .storage = COVEY_STORAGE_BLOCK,
                                            .transient = true };

/* ---- Comparing ranks ----------------------------------------------------------------------------------------------*/

/* The settings that must be equal on all ranks. */
typedef struct settings {
    uint64_t version, bits, order, first_index, range_size, trees, types;
} settings;
typedef struct type_settings {
    uint64_t layout;
    uint32_t size;
    char name[116]; /* truncated if it is longer */
} type_settings;

static settings settings_of(const covey_mpi *mpi) {
    uint64_t order = UINT64_C(0x0102030405060708);
    unsigned char lowest;
    memcpy(&lowest, &order, 1);
    return (settings){ .version = COVEY_VERSION,
                       .bits = COVEY_INDEX_BITS * 100 + COVEY_GENERATION_BITS,
                       .order = lowest,
                       .first_index = mpi->first_index,
                       .range_size = mpi->range_size,
                       .trees = mpi->trees,
                       .types = mpi->column_count };
}

static type_settings type_settings_of(const covey_type *type) {
    type_settings t = { .layout = covey__mpi_layout_hash(type), .size = type->size };
    snprintf(t.name, sizeof t.name, "%s", type->name);
    return t;
}

static const char *first_difference(const settings *a, const settings *b) {
    if (a->version != b->version) return "the version of Covey";
    if (a->bits != b->bits) return "COVEY_INDEX_BITS or COVEY_GENERATION_BITS";
    if (a->order != b->order) return "the byte order";
    if (a->first_index != b->first_index || a->range_size != b->range_size) return ".first_index or .range_size";
    if (a->trees != b->trees) return ".trees";
    return a->types != b->types ? "the number of types" : NULL;
}

static covey_result compare_type(covey_mpi *mpi, const covey_type *type) {
    type_settings mine = type_settings_of(type), first = mine;
    covey__mpi_broadcast(mpi, &first, (int)sizeof first, MPI_BYTE, 0);
    if (strcmp(mine.name, first.name) != 0)
        return covey__mpi_fail(mpi, COVEY_ERROR_LAYOUT, "has the type %s where rank 0 has %s", mine.name, first.name);
    if (mine.size != first.size)
        return covey__mpi_fail(mpi, COVEY_ERROR_LAYOUT, "%s has %u bytes here, and %u on rank 0", mine.name, mine.size,
                               first.size);
    if (mine.layout != first.layout)
        return covey__mpi_fail(mpi, COVEY_ERROR_LAYOUT, "%s has different fields here and on rank 0", mine.name);
    return COVEY_OK;
}

/* All ranks take part in each step, even after they found a difference. */
static covey_result compare_ranks(covey_mpi *mpi) {
    settings mine = settings_of(mpi), first = mine;
    covey__mpi_broadcast(mpi, &first, (int)sizeof first, MPI_BYTE, 0);
    const char *difference = first_difference(&mine, &first);
    covey_result result = COVEY_OK;
    if (difference) result = covey__mpi_fail(mpi, COVEY_ERROR_LAYOUT, "%s differs from that of rank 0", difference);
    result = covey__mpi_agree(mpi, result);
    for (uint32_t i = 0; i < mpi->column_count && result == COVEY_OK; i++)
        result = covey__mpi_agree(mpi, compare_type(mpi, mpi->columns[i].type));
    return result;
}

/* ---- Creating -----------------------------------------------------------------------------------------------------*/

static void *make(const covey_mpi *mpi, size_t count, size_t size) {
    void *block = covey__mpi_resize(&mpi->allocator, NULL, 0, count * size);
    if (block) memset(block, 0, count * size);
    return block;
}

static void drop(const covey_mpi *mpi, void *block, size_t size) {
    if (block) covey__mpi_resize(&mpi->allocator, block, size, 0);
}

static uint32_t count_types(const covey_type *const *types) {
    uint32_t count = 0;
    while (types && types[count]) count++;
    return count;
}

static covey_result make_columns(covey_mpi *mpi, const covey_type *const *types) {
    uint32_t count = count_types(types) + 1;
    mpi->columns = make(mpi, count, sizeof *mpi->columns);
    if (!mpi->columns) return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for %u types", count);
    mpi->column_room = count;
    for (mpi->column_count = 0; mpi->column_count < count; mpi->column_count++) {
        const covey_type *type = mpi->column_count + 1 < count ? types[mpi->column_count] : covey_id(covey_disabled);
        covey_result result = COVEY_OK;
        if (!covey__mpi_column_make(mpi, &mpi->columns[mpi->column_count], type, &result)) return result;
    }
    return COVEY_OK;
}

static covey_result make_lists(covey_mpi *mpi) {
    size_t ranks = (size_t)mpi->size;
    mpi->send_sizes = make(mpi, ranks, sizeof *mpi->send_sizes);
    mpi->send_offsets = make(mpi, ranks, sizeof *mpi->send_offsets);
    mpi->receive_sizes = make(mpi, ranks, sizeof *mpi->receive_sizes);
    mpi->receive_offsets = make(mpi, ranks, sizeof *mpi->receive_offsets);
    mpi->image_ends = make(mpi, ranks, sizeof *mpi->image_ends);
    mpi->target_starts = make(mpi, ranks + 1, sizeof *mpi->target_starts);
    mpi->away = covey_pool_of(mpi->world, covey_away);
    mpi->ghost = covey_pool_of(mpi->world, covey_ghost);
    bool done = mpi->send_sizes && mpi->send_offsets && mpi->receive_sizes && mpi->receive_offsets && mpi->image_ends &&
                mpi->target_starts;
    return done && mpi->away && mpi->ghost && covey_copies_are(mpi->world, covey_id(covey_ghost))
               ? COVEY_OK
               : covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for %d ranks", mpi->size);
}

/* MPI_Finalize frees communicators. */
static void free_comm(MPI_Comm *comm) {
    int ended = 0;
    MPI_Finalized(&ended);
    if (!ended) MPI_Comm_free(comm);
}

/* The world is destroyed first: releases everything that refers to it. */
static void end_world(covey_dependent *dependent) { covey__mpi_ghosts_free((covey_mpi *)(void *)dependent); }

static void release(covey_mpi *mpi) {
    size_t ranks = (size_t)mpi->size;
    covey_dependent_detach(&mpi->dependent);
    covey__mpi_ghosts_free(mpi);
    covey__mpi_scratch_free(mpi);
    drop(mpi, mpi->send_sizes, ranks * sizeof *mpi->send_sizes);
    drop(mpi, mpi->send_offsets, ranks * sizeof *mpi->send_offsets);
    drop(mpi, mpi->receive_sizes, ranks * sizeof *mpi->receive_sizes);
    drop(mpi, mpi->receive_offsets, ranks * sizeof *mpi->receive_offsets);
    drop(mpi, mpi->image_ends, ranks * sizeof *mpi->image_ends);
    drop(mpi, mpi->target_starts, (ranks + 1) * sizeof *mpi->target_starts);
    covey__mpi_columns_free(mpi);
    covey__mpi_guests_free(mpi);
    free_comm(&mpi->comm);
    covey_allocator allocator = mpi->allocator;
    covey__mpi_resize(&allocator, mpi, sizeof *mpi, 0);
}

static covey_result prepare(covey_mpi *mpi, const covey_mpi_desc *desc) {
    mpi->trees = desc->trees;
    mpi->first_index = desc->first_index;
    mpi->range_size = desc->range_size != 0 ? desc->range_size : covey__mpi_default_range_size(desc->first_index);
    mpi->range_count = (COVEY_NONE - mpi->first_index) / mpi->range_size;
    covey_result result = covey__mpi_agree(mpi, make_columns(mpi, desc->types));
    if (result == COVEY_OK) result = compare_ranks(mpi);
    if (result == COVEY_OK) result = covey__mpi_agree(mpi, make_lists(mpi));
    return result == COVEY_OK ? covey__mpi_agree(mpi, covey__mpi_ranges_reserve(mpi)) : result;
}

/* Allocates a covey_mpi on all ranks, or on none. covey__mpi_agree cannot be used yet. */
static covey_mpi *allocate_on_all(MPI_Comm comm, const covey_mpi_desc *desc) {
    covey_mpi *mpi = covey__mpi_resize(&desc->allocator, NULL, 0, sizeof *mpi);
    int all = mpi != NULL;
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm, &request);
    covey__mpi_wait_for(&request, 1);
    if (all) return mpi;
    if (mpi) covey__mpi_resize(&desc->allocator, mpi, sizeof *mpi, 0);
    return NULL;
}

covey_mpi *covey_mpi_create(MPI_Comm comm, covey_world *world, const covey_mpi_desc *desc, covey_report *report) {
    static const covey_mpi_desc defaults;
    if (!desc) desc = &defaults;
    if (report) *report = (covey_report){ .result = COVEY_ERROR_MEMORY, .text = "no memory on one of the ranks" };
    covey_mpi *mpi = allocate_on_all(comm, desc);
    if (!mpi) return NULL;
    *mpi = (covey_mpi){ .world = world, .allocator = desc->allocator, .images.allocator = desc->allocator };
    MPI_Request request;
    MPI_Comm_idup(comm, &mpi->comm, &request);
    covey__mpi_wait_for(&request, 1);
    MPI_Comm_rank(mpi->comm, &mpi->rank);
    MPI_Comm_size(mpi->comm, &mpi->size);
    covey_result result = prepare(mpi, desc);
    if (report) *report = result == COVEY_OK ? (covey_report){ .result = COVEY_OK } : mpi->report;
    if (result != COVEY_OK) {
        release(mpi);
        return NULL;
    }
    mpi->dependent.left = "a world is destroyed before its covey_mpi: call covey_mpi_destroy first";
    mpi->dependent.ended = end_world;
    covey_dependent_attach(world, &mpi->dependent);
    return mpi;
}

void covey_mpi_destroy(covey_mpi *mpi) {
    if (mpi) release(mpi);
}

int covey_mpi_rank(const covey_mpi *mpi) { return mpi->rank; }
int covey_mpi_size(const covey_mpi *mpi) { return mpi->size; }
covey_mpi_stats covey_mpi_stats_of(const covey_mpi *mpi) { return mpi->stats; }
