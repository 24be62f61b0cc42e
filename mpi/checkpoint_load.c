/* Loading a checkpoint. One rank reads each file, in rounds: in round k, rank r reads file k * size + r, if there is
 * one, into a temporary world, and sends each rank what it needs (checkpoint_message.c). Files are applied in the
 * order of their numbers, for any number of ranks.
 *
 * A rank that fails reports it in the next exchange, or at the end, and all ranks stop. So no rank reads more than
 * one file in vain. */
#include "checkpoint.h"
#include "message.h"

#include <covey/hierarchy.h>

/* The front of the message for one rank, about the file that this rank reads. */
typedef struct front {
    uint32_t away_count, freed_count;
    covey_entity *next_away, *next_freed; /* where the next handle is written */
} front;

typedef struct loading {
    covey_mpi *mpi;
    const char *path;
    covey_mpi_place_fn *place;
    void *context;
    covey__manifest from;
    uint64_t file;       /* the file that this rank reads in this round */
    covey_mpi reader;    /* its world has the contents of that file */
    uint32_t count;      /* entities of the file, in SCRATCH_TREES of the reader; SCRATCH_TARGETS has their ranks */
    covey_entity *freed; /* the last handles of free indices whose home is here */
    size_t freed_count, freed_room;
} loading;

static covey_result out_of_memory(covey_mpi *mpi) {
    return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory to load a checkpoint");
}

/* Adds the name of a file to the report. */
static covey_result add_file_name(loading *l, uint64_t file, covey_result result) {
    char name[COVEY__MPI_FILE];
    covey_report report = l->mpi->report;
    if (result == COVEY_OK) return result;
    covey__manifest_file(name, sizeof name, l->path, l->from.number, (uint32_t)file);
    return covey__mpi_fail(l->mpi, result, "%s: %s", name, strchr(report.text, ':') + 2);
}

/* ---- The reader ----------------------------------------------------------------------------------------------------
 *
 * A covey_mpi with a temporary world for one file, which can be packed. It shares the sizes and offsets of messages
 * with the covey_mpi of the rank. */

static bool reader_make(covey_mpi *reader, const covey_mpi *mpi) {
    *reader = (covey_mpi){ .allocator = mpi->allocator,
                           .images.allocator = mpi->allocator,
                           .rank = mpi->rank,
                           .size = mpi->size,
                           .first_index = mpi->first_index,
                           .range_size = mpi->range_size,
                           .range_count = mpi->range_count,
                           .send_sizes = mpi->send_sizes,
                           .send_offsets = mpi->send_offsets,
                           .image_ends = mpi->image_ends,
                           .target_starts = mpi->target_starts,
                           .trees = COVEY_MPI_TREES_MOVE,
                           .column_count = mpi->column_count };
    size_t bytes = mpi->column_count * sizeof *mpi->columns;
    reader->columns = covey__mpi_resize(&mpi->allocator, NULL, 0, bytes);
    if (reader->columns) memcpy(reader->columns, mpi->columns, bytes);
    return reader->columns != NULL;
}

static void reader_free(covey_mpi *reader) {
    covey__mpi_scratch_free(reader);
    if (reader->columns)
        covey__mpi_resize(&reader->allocator, reader->columns, reader->column_count * sizeof *reader->columns, 0);
}

static covey_result reader_load(covey_mpi *reader, const char *name) {
    covey_report report;
    covey_buffer image = { .allocator = reader->allocator };
    covey_result result = covey_file_read(name, 0, &image, &report);
    if (result == COVEY_OK) {
        covey_load_desc desc = { .limit_bytes = covey__mpi_image_limit(reader, image.size) };
        result = covey_load_from_memory(reader->world, image.bytes, image.size, &desc, &report);
        covey_buffer_free(&image);
    }
    return result == COVEY_OK ? COVEY_OK : covey__mpi_fail(reader, result, "%s", report.text);
}

static covey_result reader_open(covey_mpi *reader, const char *name) {
    reader->world = covey__mpi_world_create(reader);
    if (!reader->world) return out_of_memory(reader);
    for (uint32_t c = 0; c < reader->column_count; c++) {
        reader->columns[c].pool = covey_pool_of_raw(reader->world, reader->columns[c].type);
        if (!reader->columns[c].pool) return out_of_memory(reader);
    }
    return reader_load(reader, name);
}

static void reader_close(covey_mpi *reader) {
    covey_world_destroy(reader->world);
    reader->world = NULL;
}

/* ---- Placing entities --------------------------------------------------------------------------------------------*/

static covey_entity *entities_of(loading *l) { return (covey_entity *)(void *)l->reader.scratch[SCRATCH_TREES].bytes; }
static int *targets_of(loading *l) { return (int *)(void *)l->reader.scratch[SCRATCH_TARGETS].bytes; }
static front *fronts_of(loading *l) { return (front *)(void *)l->reader.scratch[SCRATCH_FRONTS].bytes; }

static covey_result place_root(loading *l, covey_entity root, int *rank) {
    *rank = l->place ? l->place(l->reader.world, root, l->context) : l->mpi->rank;
    if (*rank >= 0 && *rank < l->mpi->size) return COVEY_OK;
    return covey__mpi_fail(&l->reader, COVEY_ERROR_RANGE, "%u:%u cannot be placed on rank %d: there are %d ranks",
                           root.index, root.generation, *rank, l->mpi->size);
}

static covey_result place_tree(loading *l, covey_entity root) {
    int rank = 0;
    covey_result result = place_root(l, root, &rank);
    for (covey_entity e = root; result == COVEY_OK && !covey_is_null(e);
         e = covey_tree_next(l->reader.world, root, e)) {
        entities_of(l)[l->count] = e;
        targets_of(l)[l->count++] = rank;
    }
    return result;
}

/* Lists all entities of the file: each root, followed by its descendants. */
static covey_result place_all(loading *l) {
    const covey_world *from = l->reader.world;
    covey_entity none = { 0, 0 };
    covey_result result = COVEY_OK;
    uint64_t count = covey_entity_count(from);
    l->count = 0;
    if (!covey__mpi_scratch_reserve(&l->reader, SCRATCH_TREES, count * sizeof(covey_entity)) ||
        !covey__mpi_scratch_reserve(&l->reader, SCRATCH_TARGETS, count * sizeof(int)))
        return out_of_memory(&l->reader);
    for (covey_entity root = covey_entity_next(from, none); !covey_is_null(root) && result == COVEY_OK;
         root = covey_entity_next(from, root))
        if (covey_is_null(covey_parent(from, root))) result = place_tree(l, root);
    return result;
}

/* ---- Fronts ------------------------------------------------------------------------------------------------------*/

/* Counts, for each home, the entities that will live on another rank. */
static covey_result count_away(loading *l) {
    const covey_entity *entities = entities_of(l);
    for (uint32_t i = 0; i < l->count; i++) {
        int home = covey_mpi_home(l->mpi, entities[i]);
        if (home < 0)
            return covey__mpi_fail(&l->reader, COVEY_ERROR_RANGE, "the index of %u:%u is in no range",
                                   entities[i].index, entities[i].generation);
        fronts_of(l)[home].away_count += home != targets_of(l)[i];
    }
    return COVEY_OK;
}

static void list_away(loading *l) {
    const covey_entity *entities = entities_of(l);
    for (uint32_t i = 0; i < l->count; i++) {
        int home = covey_mpi_home(l->mpi, entities[i]);
        if (home != targets_of(l)[i]) *fronts_of(l)[home].next_away++ = entities[i];
    }
}

/* The first free index from `index` on that was used before, and its home. COVEY_NONE if there is none. Each file
 * has the generations of the ranges whose home was its rank. */
static uint32_t find_freed(const loading *l, uint32_t index, int *home) {
    const covey_mpi *mpi = l->mpi;
    const covey_world *from = l->reader.world;
    for (index = covey_index_next(from, index); index != COVEY_NONE; index = covey_index_next(from, index + 1)) {
        if (!covey_is_null(covey_entity_at(from, index))) continue;
        uint32_t range = (index - mpi->first_index) / mpi->range_size;
        *home = (int)(range % (uint32_t)mpi->size);
        if (range < mpi->range_count && range % l->from.ranks == l->file) break;
    }
    return index;
}

static void count_freed(loading *l) {
    int home;
    for (uint32_t i = find_freed(l, l->mpi->first_index, &home); i != COVEY_NONE; i = find_freed(l, i + 1, &home))
        fronts_of(l)[home].freed_count++;
}

static void list_freed(loading *l) {
    int home;
    for (uint32_t i = find_freed(l, l->mpi->first_index, &home); i != COVEY_NONE; i = find_freed(l, i + 1, &home))
        *fronts_of(l)[home].next_freed++ = covey_entity_make(i, covey_generation_at(l->reader.world, i));
}

/* ---- Messages ----------------------------------------------------------------------------------------------------*/

/* Computes the size of each front. */
static covey_result size_fronts(loading *l, uint64_t **before) {
    uint64_t ranks = (uint64_t)l->mpi->size;
    front *fronts = covey__mpi_scratch_reserve(&l->reader, SCRATCH_FRONTS, ranks * sizeof *fronts);
    *before = covey__mpi_scratch_reserve(&l->reader, SCRATCH_FRONT_SIZES, ranks * sizeof **before);
    if (!fronts || !*before) return out_of_memory(&l->reader);
    memset(fronts, 0, (size_t)ranks * sizeof *fronts);
    covey_result result = count_away(l);
    if (result != COVEY_OK) return result;
    count_freed(l);
    for (int r = 0; r < l->mpi->size; r++) {
        bool any = fronts[r].away_count + (uint64_t)fronts[r].freed_count != 0 ||
                   l->mpi->target_starts[r + 1] != l->mpi->target_starts[r];
        (*before)[r] = any ? covey__mpi_restart_front_size(fronts[r].away_count, fronts[r].freed_count) : 0;
    }
    return COVEY_OK;
}

static void fill_fronts(loading *l, unsigned char *send, const uint64_t *before) {
    front *fronts = fronts_of(l);
    for (int r = 0; r < l->mpi->size; r++) {
        unsigned char *to = send + l->mpi->send_offsets[r];
        if (before[r] == 0) continue;
        memset(to, 0, (size_t)before[r]);
        fronts[r].next_away = (covey_entity *)(void *)(to + covey__mpi_restart_front_size(0, 0));
        fronts[r].next_freed = (covey_entity *)(void *)(to + covey__mpi_restart_front_size(fronts[r].away_count, 0));
    }
    list_away(l);
    list_freed(l);
    for (int r = 0; r < l->mpi->size; r++)
        if (before[r] != 0)
            covey__mpi_restart_message_sign(send + l->mpi->send_offsets[r], l->mpi->send_sizes[r], fronts[r].away_count,
                                            fronts[r].freed_count);
}

static covey_result pack_file(loading *l, unsigned char **send) {
    covey__mpi_departures d;
    uint64_t *before = NULL;
    covey_result result = place_all(l);
    if (result == COVEY_OK)
        result = covey__mpi_departures_sort(&l->reader, entities_of(l), targets_of(l), l->count, -1, &d);
    if (result == COVEY_OK) result = size_fronts(l, &before);
    if (result == COVEY_OK) result = covey__mpi_departures_pack(&l->reader, &d, before, send);
    if (result == COVEY_OK) fill_fronts(l, *send, before);
    return result;
}

/* Reads the file of this rank, if there is one in this round, and packs messages. */
static covey_result read_file(loading *l, unsigned char **send) {
    char name[COVEY__MPI_FILE];
    memset(l->mpi->send_sizes, 0, (size_t)l->mpi->size * sizeof *l->mpi->send_sizes);
    if (l->file >= l->from.ranks) return COVEY_OK;
    covey__manifest_file(name, sizeof name, l->path, l->from.number, (uint32_t)l->file);
    l->mpi->stats.files_read++;
    covey_result result = reader_open(&l->reader, name);
    if (result == COVEY_OK) result = pack_file(l, send);
    reader_close(&l->reader);
    if (result == COVEY_OK) return COVEY_OK;
    l->mpi->report = l->reader.report;
    return add_file_name(l, l->file, result);
}

/* ---- Arriving ----------------------------------------------------------------------------------------------------*/

static covey_result keep_freed(loading *l, const covey__mpi_restart_message *h) {
    size_t size = sizeof *l->freed, wanted = l->freed_count + h->freed_count;
    if (wanted > l->freed_room) {
        size_t room = wanted + wanted / 2;
        covey_entity *freed = covey__mpi_resize(&l->mpi->allocator, l->freed, l->freed_room * size, room * size);
        if (!freed) return out_of_memory(l->mpi);
        l->freed = freed;
        l->freed_room = room;
    }
    if (h->freed_count != 0) memcpy(l->freed + l->freed_count, h->freed, h->freed_count * size);
    l->freed_count = wanted;
    return COVEY_OK;
}

static covey_result apply_message(loading *l, int reader, unsigned char *bytes, uint64_t size) {
    covey_mpi *mpi = l->mpi;
    covey__mpi_restart_message h;
    const char *why;
    covey__mpi_part *parts = covey__mpi_scratch_reserve(mpi, SCRATCH_PARTS, mpi->column_count * sizeof *parts);
    if (!parts) return out_of_memory(mpi);
    if (!covey__mpi_restart_message_read(mpi, bytes, size, &h, parts, &why))
        return covey__mpi_fail(mpi, COVEY_ERROR_IMAGE, "the message of rank %d is refused: %s", reader, why);
    h.in.source = reader;
    covey_result result = covey__mpi_restart_message_apply(mpi, &h);
    return result == COVEY_OK ? keep_freed(l, &h) : result;
}

/* Applies messages in the order of files. The message of this rank to itself was not sent. */
static covey_result apply_messages(loading *l, unsigned char *own, uint64_t own_size, unsigned char *received) {
    covey_mpi *mpi = l->mpi;
    covey_result result = COVEY_OK;
    for (int r = 0; r < mpi->size && result == COVEY_OK; r++) {
        unsigned char *bytes = r == mpi->rank ? own : received + mpi->receive_offsets[r];
        uint64_t size = r == mpi->rank ? own_size : mpi->receive_sizes[r];
        if (size == 0) continue;
        result = add_file_name(l, l->file - (uint64_t)mpi->rank + (uint64_t)r, apply_message(l, r, bytes, size));
    }
    return result;
}

/* ---- Loading -----------------------------------------------------------------------------------------------------*/

static covey_result load_files(loading *l) {
    covey_mpi *mpi = l->mpi;
    covey_result mine = reader_make(&l->reader, mpi) ? COVEY_OK : out_of_memory(mpi);
    for (uint64_t first = 0; first < l->from.ranks; first += (uint64_t)mpi->size) {
        unsigned char *send = NULL, *received = NULL;
        l->file = first + (uint64_t)mpi->rank;
        if (mine == COVEY_OK) mine = read_file(l, &send);
        uint64_t own_size = mpi->send_sizes[mpi->rank];
        mpi->send_sizes[mpi->rank] = 0;
        covey_result result = covey__mpi_exchange(mpi, send, mine, &received);
        if (result != COVEY_OK) return result;
        mine = apply_messages(l, send ? send + mpi->send_offsets[mpi->rank] : NULL, own_size, received);
    }
    return covey__mpi_agree(mpi, mine == COVEY_OK ? covey__mpi_restart_skip_generations(mpi, l->freed, l->freed_count)
                                                  : mine);
}

static covey_result check_fits(covey_mpi *mpi, const covey__manifest *from) {
    if (covey_entity_count(mpi->world) != 0)
        return covey__mpi_fail(mpi, COVEY_ERROR_REFUSED, "a checkpoint needs a world without entities");
    if (from->first == mpi->first_index && from->span == mpi->range_size) return COVEY_OK;
    return covey__mpi_fail(
        mpi, COVEY_ERROR_RANGE,
        "the checkpoint has .first_index = %u and .range_size = %u; create the covey_mpi with the same", from->first,
        from->span);
}

covey_result covey_mpi_load(covey_mpi *mpi, const char *path, covey_mpi_place_fn *place, void *context) {
    loading l = { .mpi = mpi, .path = path, .place = place, .context = context };
    covey_result result = covey__mpi_manifest_read(mpi, CALL_LOAD, path, true, &l.from);
    if (result == COVEY_OK) result = covey__mpi_agree(mpi, check_fits(mpi, &l.from));
    if (result != COVEY_OK) return result;
    result = load_files(&l);
    reader_free(&l.reader);
    if (l.freed) covey__mpi_resize(&mpi->allocator, l.freed, l.freed_room * sizeof *l.freed, 0);
    if (result == COVEY_OK) return COVEY_OK;
    covey_destroy_all(mpi->world);
    covey__mpi_guests_clear(mpi);
    return result;
}
