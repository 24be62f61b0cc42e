/* A world of many ranks: comparing them at the start, shares of indices, and agreeing on results. */
#include "dist.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { ALIGN = 64 };

const covey_type covey_type_covey_away = {
    .name = "covey_mpi.away", .align = 1, .storage = COVEY_STORAGE_BLOCK, .transient = true
};

const covey_type covey_type_covey_ghost = { .name = "covey_mpi.ghost",
                                            .size = sizeof(covey_ghost),
                                            .align = _Alignof(covey_ghost),
                                            .storage = COVEY_STORAGE_BLOCK,
                                            .transient = true };

/* ---- Memory ------------------------------------------------------------------------------------------------------*/

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

void *covey__mpi_reach(covey_mpi *mpi, covey__mpi_scratch which, uint64_t bytes) {
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

static void *make(const covey_mpi *mpi, size_t count, size_t size) {
    void *block = covey__mpi_resize(&mpi->allocator, NULL, 0, count * size);
    if (block) memset(block, 0, count * size);
    return block;
}

static void drop(const covey_mpi *mpi, void *block, size_t size) {
    if (block) covey__mpi_resize(&mpi->allocator, block, size, 0);
}

/* ---- Results -----------------------------------------------------------------------------------------------------*/

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
    covey__mpi_reduce(mpi, &worst, 1, MPI_2INT, MPI_MAXLOC);
    if (worst.result != COVEY_OK) covey__mpi_spread(mpi, &mpi->report, (int)sizeof mpi->report, MPI_BYTE, worst.rank);
    return (covey_result)worst.result;
}

covey_result covey__mpi_enter(covey_mpi *mpi, covey__mpi_call call) {
    mpi->report = (covey_report){ .result = COVEY_OK };
    if (mpi->refreshing) covey__mpi_ghosts_cancel(mpi);
#if COVEY_ASSERT_LEVEL > 0
    static const char *const names[] = {
        [CALL_MIGRATE] = "covey_mpi_migrate",
        [CALL_COLLECT] = "covey_mpi_collect",
        [CALL_FOLD_I64] = "covey_mpi_fold_i64",
        [CALL_FOLD_F64] = "covey_mpi_fold_f64",
        [CALL_COUNT] = "covey_mpi_count",
        [CALL_DIGEST] = "covey_mpi_digest",
        [CALL_SAVE] = "covey_mpi_save",
        [CALL_LOAD] = "covey_mpi_load",
        [CALL_GHOSTS] = "covey_mpi_ghosts",
        [CALL_REFRESH] = "covey_mpi_refresh",
        [CALL_PARTITION] = "covey_mpi_partition_create",
        [CALL_PARTITION_MIGRATE] = "covey_mpi_partition_migrate",
        [CALL_PARTITION_BALANCE] = "covey_mpi_partition_balance",
    };
    int most[2] = { (int)call, -(int)call };
    covey__mpi_reduce(mpi, most, 2, MPI_INT, MPI_MAX);
    if (most[0] != -most[1])
        return covey__mpi_fail(mpi, COVEY_ERROR_REFUSED, "calls %s, while others call %s", names[call],
                               names[most[0] != (int)call ? most[0] : -most[1]]);
#else
    (void)call;
#endif
    return COVEY_OK;
}

const covey_report *covey_mpi_report(const covey_mpi *mpi) { return &mpi->report; }

/* A world of the library's own: what fails there is in the report. */
covey_world *covey__mpi_world(const covey_mpi *mpi) {
    return covey_world_create(&(covey_world_desc){ .allocator = mpi->allocator, .quiet = true });
}

/* The world has two tables, and each pool has one; while one grows, there are two of it. */
uint64_t covey__mpi_limit(const covey_mpi *mpi, uint64_t bytes) {
    uint64_t indices = mpi->first + (uint64_t)mpi->span * mpi->shares;
    uint64_t table = (indices / COVEY_PAGE_SIZE + 1) * 2 * sizeof(void *);
    return COVEY_LIMIT_AT_LEAST + COVEY_LIMIT_FOR_EACH * bytes + (mpi->column_count + UINT64_C(2)) * table;
}

/* ---- Comparing ranks ---------------------------------------------------------------------------------------------*/

/* What ranks must agree on. */
typedef struct start {
    uint64_t version, bits, order, first, span, trees, types;
} start;
typedef struct type_start {
    uint64_t layout;
    uint32_t size;
    char name[116]; /* cut off if it is longer */
} type_start;

static start start_of(const covey_mpi *mpi) {
    uint64_t order = UINT64_C(0x0102030405060708);
    unsigned char lowest;
    memcpy(&lowest, &order, 1);
    return (start){ .version = COVEY_VERSION,
                    .bits = COVEY_INDEX_BITS * 100 + COVEY_GENERATION_BITS,
                    .order = lowest,
                    .first = mpi->first,
                    .span = mpi->span,
                    .trees = mpi->trees,
                    .types = mpi->column_count };
}

static type_start type_start_of(const covey_type *type) {
    type_start t = { .layout = covey__mpi_layout(type), .size = type->size };
    snprintf(t.name, sizeof t.name, "%s", type->name);
    return t;
}

static const char *first_difference(const start *a, const start *b) {
    if (a->version != b->version) return "version of Covey";
    if (a->bits != b->bits) return "COVEY_INDEX_BITS or COVEY_GENERATION_BITS";
    if (a->order != b->order) return "byte order";
    if (a->first != b->first || a->span != b->span) return ".first or .span";
    if (a->trees != b->trees) return ".trees";
    return a->types != b->types ? "number of types" : NULL;
}

static covey_result compare_type(covey_mpi *mpi, const covey_type *type) {
    type_start mine = type_start_of(type), first = mine;
    covey__mpi_spread(mpi, &first, (int)sizeof first, MPI_BYTE, 0);
    if (strcmp(mine.name, first.name) != 0)
        return covey__mpi_fail(mpi, COVEY_ERROR_LAYOUT, "has the type %s where rank 0 has %s", mine.name, first.name);
    if (mine.size != first.size)
        return covey__mpi_fail(mpi, COVEY_ERROR_LAYOUT, "%s has %u bytes, and %u on rank 0", mine.name, mine.size,
                               first.size);
    if (mine.layout != first.layout)
        return covey__mpi_fail(mpi, COVEY_ERROR_LAYOUT, "%s has other fields than on rank 0", mine.name);
    return COVEY_OK;
}

/* All ranks take part in each step, whatever they have found. */
static covey_result compare_ranks(covey_mpi *mpi) {
    start mine = start_of(mpi), first = mine;
    covey__mpi_spread(mpi, &first, (int)sizeof first, MPI_BYTE, 0);
    const char *difference = first_difference(&mine, &first);
    covey_result result = COVEY_OK;
    if (difference) result = covey__mpi_fail(mpi, COVEY_ERROR_LAYOUT, "has another %s than rank 0", difference);
    result = covey__mpi_agree(mpi, result);
    for (uint32_t i = 0; i < mpi->column_count && result == COVEY_OK; i++)
        result = covey__mpi_agree(mpi, compare_type(mpi, mpi->columns[i].type));
    return result;
}

/* ---- Shares ------------------------------------------------------------------------------------------------------*/

/* A 256th of all indices, in whole pages where that is possible. */
static uint32_t usual_span(uint32_t first) {
    uint32_t span = (COVEY_NONE - first) / 256;
    if (span > 4096) span -= span % 4096;
    return span != 0 ? span : 1;
}

static bool reserve(covey_mpi *mpi, uint64_t first, uint64_t end, covey_range *range) {
    if (first >= end) return true;
    *range = covey_range_reserve(mpi->world, (uint32_t)first, (uint32_t)(end - first));
    return range->count != 0;
}

/* Everything but the first share of this rank is reserved, and its other shares each on its own. */
static covey_result reserve_shares(covey_mpi *mpi) {
    if ((uint32_t)mpi->size > mpi->shares)
        return covey__mpi_fail(mpi, COVEY_ERROR_RANGE, "%d ranks need more indices than there are; make .span smaller",
                               mpi->size);
    covey_range between;
    uint64_t own = mpi->first + (uint64_t)mpi->rank * mpi->span, end = own + mpi->span;
    mpi->own = (uint32_t)own;
    mpi->own_end = (uint32_t)end;
    mpi->firsts_end = mpi->first + (uint64_t)mpi->size * mpi->span;
    bool done = covey_entity_count(mpi->world) == 0 && reserve(mpi, 0, own, &between);
    while (done && mpi->more_count < COVEY_MPI_SHARES - 1) {
        uint64_t next = own + (mpi->more_count + UINT64_C(1)) * (uint64_t)mpi->size * mpi->span;
        if (next + mpi->span > COVEY_NONE) break;
        done = reserve(mpi, end, next, &between) && reserve(mpi, next, next + mpi->span, &mpi->more[mpi->more_count]);
        mpi->more_count += done;
        end = next + mpi->span;
    }
    if (done && reserve(mpi, end, COVEY_NONE, &between)) return COVEY_OK;
    covey_result result = covey_world_result(mpi->world);
    if (result == COVEY_ERROR_MEMORY) return covey__mpi_fail(mpi, result, "no memory to reserve indices");
    return covey__mpi_fail(mpi, COVEY_ERROR_TAKEN, "the world had entities or ranges; give one that is new");
}

int covey_mpi_home(const covey_mpi *mpi, covey_entity e) {
    if (covey_is_null(e) || e.index < mpi->first) return -1;
    uint32_t share = (e.index - mpi->first) / mpi->span;
    return share < mpi->shares ? (int)(share % (uint32_t)mpi->size) : -1;
}

bool covey_mpi_owns(const covey_mpi *mpi, covey_entity e) {
    return covey_alive(mpi->world, e) && !covey_pool_has(mpi->away, e) && !covey_pool_has(mpi->ghost, e);
}

uint32_t covey_mpi_owned(const covey_mpi *mpi) {
    covey_view_desc desc = { .with = { covey_id(covey_ghost) },
                             .without = { covey_id(covey_away) },
                             .include_disabled = true };
    covey_view others = covey_view_make_const(mpi->world, &desc, NULL); /* those that are at home here are away, too */
    return covey_entity_count(mpi->world) - covey_pool_count(mpi->away) - covey_view_count(&others);
}

covey_range covey_mpi_more(covey_mpi *mpi) {
    if (mpi->more_used == mpi->more_count) return (covey_range){ 0, 0 };
    return mpi->more[mpi->more_used++];
}

int covey_mpi_rank(const covey_mpi *mpi) { return mpi->rank; }
int covey_mpi_size(const covey_mpi *mpi) { return mpi->size; }
covey_mpi_stats covey_mpi_stats_of(const covey_mpi *mpi) { return mpi->stats; }

/* ---- Creating ----------------------------------------------------------------------------------------------------*/

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
    mpi->sizes = make(mpi, ranks, sizeof *mpi->sizes);
    mpi->offsets = make(mpi, ranks, sizeof *mpi->offsets);
    mpi->coming = make(mpi, ranks, sizeof *mpi->coming);
    mpi->starts = make(mpi, ranks, sizeof *mpi->starts);
    mpi->image_ends = make(mpi, ranks, sizeof *mpi->image_ends);
    mpi->parts = make(mpi, ranks + 1, sizeof *mpi->parts);
    mpi->away = covey_pool_of(mpi->world, covey_away);
    mpi->ghost = covey_pool_of(mpi->world, covey_ghost);
    bool done = mpi->sizes && mpi->offsets && mpi->coming && mpi->starts && mpi->image_ends && mpi->parts;
    return done && mpi->away && mpi->ghost
               ? COVEY_OK
               : covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for %d ranks", mpi->size);
}

void covey__mpi_scratch_free(covey_mpi *mpi) {
    for (uint32_t i = 0; i < SCRATCH_COUNT; i++) drop(mpi, mpi->scratch[i].bytes, mpi->scratch[i].capacity);
    covey_buffer_free(&mpi->images);
}

/* MPI_Finalize has freed it already, if that was first. */
static void free_comm(MPI_Comm *comm) {
    int ended = 0;
    MPI_Finalized(&ended);
    if (!ended) MPI_Comm_free(comm);
}

/* The world ends first: nothing of it is used from then on. */
static void end_world(covey_dependent *dependent) { covey__mpi_ghosts_free((covey_mpi *)(void *)dependent); }

static void release(covey_mpi *mpi) {
    size_t ranks = (size_t)mpi->size;
    covey_dependent_detach(&mpi->dependent);
    covey__mpi_ghosts_free(mpi);
    covey__mpi_scratch_free(mpi);
    drop(mpi, mpi->sizes, ranks * sizeof *mpi->sizes);
    drop(mpi, mpi->offsets, ranks * sizeof *mpi->offsets);
    drop(mpi, mpi->coming, ranks * sizeof *mpi->coming);
    drop(mpi, mpi->starts, ranks * sizeof *mpi->starts);
    drop(mpi, mpi->image_ends, ranks * sizeof *mpi->image_ends);
    drop(mpi, mpi->parts, (ranks + 1) * sizeof *mpi->parts);
    covey__mpi_columns_free(mpi);
    covey__mpi_guests_free(mpi);
    free_comm(&mpi->comm);
    covey_allocator allocator = mpi->allocator;
    covey__mpi_resize(&allocator, mpi, sizeof *mpi, 0);
}

static covey_result begin(covey_mpi *mpi, const covey_mpi_desc *desc) {
    mpi->trees = desc->trees;
    mpi->first = desc->first;
    mpi->span = desc->span != 0 ? desc->span : usual_span(desc->first);
    mpi->shares = (COVEY_NONE - mpi->first) / mpi->span;
    covey_result result = covey__mpi_agree(mpi, make_columns(mpi, desc->types));
    if (result == COVEY_OK) result = compare_ranks(mpi);
    if (result == COVEY_OK) result = covey__mpi_agree(mpi, make_lists(mpi));
    return result == COVEY_OK ? covey__mpi_agree(mpi, reserve_shares(mpi)) : result;
}

/* Before there is anything to agree with: whether all ranks have memory for it. */
static covey_mpi *make_one(MPI_Comm comm, const covey_mpi_desc *desc) {
    covey_mpi *mpi = covey__mpi_resize(&desc->allocator, NULL, 0, sizeof *mpi);
    int all = mpi != NULL;
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm, &request);
    covey__mpi_poll(&request, 1);
    if (all) return mpi;
    if (mpi) covey__mpi_resize(&desc->allocator, mpi, sizeof *mpi, 0);
    return NULL;
}

covey_mpi *covey_mpi_create(MPI_Comm comm, covey_world *world, const covey_mpi_desc *desc, covey_report *report) {
    static const covey_mpi_desc defaults;
    if (!desc) desc = &defaults;
    if (report) *report = (covey_report){ .result = COVEY_ERROR_MEMORY, .text = "no memory on one of the ranks" };
    covey_mpi *mpi = make_one(comm, desc);
    if (!mpi) return NULL;
    *mpi = (covey_mpi){ .world = world, .allocator = desc->allocator, .images.allocator = desc->allocator };
    MPI_Request request;
    MPI_Comm_idup(comm, &mpi->comm, &request);
    covey__mpi_poll(&request, 1);
    MPI_Comm_rank(mpi->comm, &mpi->rank);
    MPI_Comm_size(mpi->comm, &mpi->size);
    covey_result result = begin(mpi, desc);
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
