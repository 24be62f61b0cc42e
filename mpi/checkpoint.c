/* Checkpoints: an image for each rank, and a manifest that names them, written last (manifest.h). The number of a checkpoint
 * is one more than that of the last, so that no file of the last is touched before the manifest has the new name. */
#define _POSIX_C_SOURCE 200809L
#include "dist.h"

#include "manifest.h"

#include <covey/hierarchy.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum { PATH_MOST = 4000 };

/* ---- The manifest ------------------------------------------------------------------------------------------------*/

/* False: *why ends a sentence about the file. */
static bool parse_file(FILE *file, covey__manifest *m, const char **why) {
    char text[COVEY__MANIFEST_BYTES];
    size_t size = fread(text, 1, sizeof text, file);
    *why = "cannot be read";
    return !ferror(file) && covey__manifest_parse(text, size, m, why);
}

/* What rank 0 reads, all know. No file is a manifest of number 0, if that is fine. */
static covey_result read_manifest(covey_mpi *mpi, const char *path, bool needed, covey__manifest *m) {
    covey_result result = COVEY_OK;
    const char *why;
    *m = (covey__manifest){ 0 };
    FILE *file = mpi->rank == 0 ? fopen(path, "rb") : NULL;
    if (mpi->rank == 0 && !file && (needed || errno != ENOENT))
        result = covey__mpi_fail(mpi, COVEY_ERROR_FILE, "%s cannot be read: %s", path, strerror(errno));
    if (file && !parse_file(file, m, &why)) result = covey__mpi_fail(mpi, COVEY_ERROR_IMAGE, "%s %s", path, why);
    if (file) fclose(file);
    result = covey__mpi_agree(mpi, result);
    covey__mpi_spread(mpi, m, (int)sizeof *m, MPI_BYTE, 0);
    return result;
}

/* ---- Saving ------------------------------------------------------------------------------------------------------
 *
 * 1. Each rank writes its image under a number that no manifest has, and brings it to the disk, name included. Rank 0
 *    writes the text of the manifest under another name, and brings it to the disk.
 * 2. All agree that they have.
 * 3. Rank 0 renames the manifest: `path` was the checkpoint before, and is this one. It brings that to the disk, too.
 * 4. All agree again. Only now are the images of the checkpoint before removed: if power failed earlier, the disk could
 *    still have the old manifest.
 *
 * Whoever is killed when, `path` is a checkpoint all of whose images are there. What may be left over is files that no
 * manifest names: images of a number, which the next checkpoint of this number replaces; those of the one before, which
 * the next one removes; and temporary files. */

/* A file that is on the disk when this returns true. */
static bool write_file(const char *name, const char *text, size_t size) {
    FILE *file = fopen(name, "wb");
    if (!file) return false;
    bool written = fwrite(text, 1, size, file) == size && fflush(file) == 0 && fsync(fileno(file)) == 0;
    return fclose(file) == 0 && written;
}

static covey_result draft_manifest(covey_mpi *mpi, const char *draft, uint64_t number) {
    char text[COVEY__MANIFEST_BYTES];
    covey__manifest m = { .number = number, .ranks = (uint32_t)mpi->size, .first = mpi->first, .span = mpi->span };
    if (write_file(draft, text, covey__manifest_print(text, &m))) return COVEY_OK;
    return covey__mpi_fail(mpi, COVEY_ERROR_FILE, "the manifest %s cannot be written: %s", draft, strerror(errno));
}

/* Some file systems have nothing to do for this, and say so. */
static bool sync_folder(const char *path) {
    char folder[PATH_MOST + 1] = ".";
    const char *slash = strrchr(path, '/');
    if (slash) snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return false;
    bool synced = fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP;
    close(file);
    return synced;
}

static covey_result publish(covey_mpi *mpi, const char *draft, const char *path, int *renamed) {
    *renamed = rename(draft, path) == 0;
    if (*renamed && sync_folder(path)) return COVEY_OK;
    return covey__mpi_fail(mpi, COVEY_ERROR_FILE,
                           *renamed ? "the manifest %s is there, but may not last: %s"
                                    : "the manifest %s cannot be renamed: %s",
                           path, strerror(errno));
}

static covey_result save_own(covey_mpi *mpi, const char *name) {
    const covey_type **types = covey__mpi_reach(mpi, SCRATCH_LISTED, (mpi->column_count + UINT64_C(1)) * sizeof *types);
    if (!types) return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for a list of types");
    for (uint32_t c = 0; c < mpi->column_count; c++) types[c] = mpi->columns[c].type;
    types[mpi->column_count] = NULL;
    covey_report report;
    static const covey_type *const elsewhere[] = { covey_id(covey_away), covey_id(covey_ghost), NULL };
    bool any = covey_pool_count(mpi->away) + covey_pool_count(mpi->ghost) != 0;
    covey_save_desc desc = { .types = types, .without = any ? elsewhere : NULL };
    if (covey_save_to_file(mpi->world, name, &desc, &report) == COVEY_OK) return COVEY_OK;
    return covey__mpi_fail(mpi, report.result, "%s", report.text);
}

/* The images of a checkpoint that no manifest names. */
static void remove_images(const covey_mpi *mpi, const char *path, uint64_t number, uint32_t ranks) {
    char name[PATH_MOST + COVEY__MANIFEST_NAME];
    for (uint32_t r = (uint32_t)mpi->rank; number != 0 && r < ranks; r += (uint32_t)mpi->size) {
        covey__manifest_file(name, sizeof name, path, number, r);
        if (remove(name) != 0 && ranks == UINT32_MAX) return;
    }
}

static covey_result write_images(covey_mpi *mpi, const char *path, const char *draft, uint64_t number) {
    char name[PATH_MOST + COVEY__MANIFEST_NAME];
    covey__manifest_file(name, sizeof name, path, number, (uint32_t)mpi->rank);
    covey_result result = mpi->rank == 0 ? draft_manifest(mpi, draft, number) : COVEY_OK;
    return covey__mpi_agree(mpi, result == COVEY_OK ? save_own(mpi, name) : result);
}

covey_result covey_mpi_save(covey_mpi *mpi, const char *path) {
    covey__manifest last;
    char draft[PATH_MOST + COVEY__MANIFEST_NAME];
    int renamed = 0;
    covey_result result = covey__mpi_enter(mpi, CALL_SAVE);
    if (result == COVEY_OK && strlen(path) > PATH_MOST)
        result = covey__mpi_fail(mpi, COVEY_ERROR_RANGE, "the path has more than %d bytes", PATH_MOST);
    if (result == COVEY_OK) result = read_manifest(mpi, path, false, &last);
    if (result != COVEY_OK) return result;
    uint64_t number = last.number + 1;
    snprintf(draft, sizeof draft, "%s.%" PRIu64 ".new", path, number);
    result = write_images(mpi, path, draft, number);
    if (result == COVEY_OK) {
        result = covey__mpi_agree(mpi, mpi->rank == 0 ? publish(mpi, draft, path, &renamed) : COVEY_OK);
        if (result != COVEY_OK) MPI_Bcast(&renamed, 1, MPI_INT, 0, mpi->comm);
    }
    if (result == COVEY_OK) {
        remove_images(mpi, path, last.number, last.ranks);
        if (last.number != 0) remove_images(mpi, path, last.number - 1, UINT32_MAX); /* if one was killed before this */
    } else if (!renamed) {
        remove_images(mpi, path, number, (uint32_t)mpi->size);
        if (mpi->rank == 0) remove(draft);
    }
    return result;
}

/* ---- The other side ------------------------------------------------------------------------------------------------
 *
 * A world that a file was loaded into, with what packing asks for. */

static void reader_free(covey_mpi *reader) {
    covey__mpi_scratch_free(reader);
    if (reader->columns)
        covey__mpi_resize(&reader->allocator, reader->columns, reader->column_count * sizeof *reader->columns, 0);
    covey_world_destroy(reader->world);
    *reader = (covey_mpi){ 0 };
}

static bool reader_make(covey_mpi *reader, const covey_mpi *mpi) {
    size_t bytes = mpi->column_count * sizeof *mpi->columns;
    *reader = (covey_mpi){ .allocator = mpi->allocator,
                           .images.allocator = mpi->allocator,
                           .rank = mpi->rank,
                           .trees = COVEY_MPI_TREES_MOVE,
                           .column_count = mpi->column_count };
    reader->world = covey__mpi_world(mpi);
    reader->columns = covey__mpi_resize(&mpi->allocator, NULL, 0, bytes);
    if (!reader->world || !reader->columns) return false;
    memcpy(reader->columns, mpi->columns, bytes);
    for (uint32_t c = 0; c < mpi->column_count; c++) {
        reader->columns[c].pool = covey_pool_of_raw(reader->world, mpi->columns[c].type);
        if (!reader->columns[c].pool) return false;
    }
    return true;
}

/* ---- Loading -----------------------------------------------------------------------------------------------------
 *
 * Each rank reads all files, one after the other, into a world of its own, and takes from it who is to live here: as a
 * message from that world. */

typedef struct grave {
    uint32_t index, generation;
} grave;

typedef struct loading {
    covey_mpi *mpi;
    covey_mpi_place_fn *place;
    void *context;
    int source; /* whose file it is */
    covey__manifest from;
    covey_mpi reader; /* the other side: the world of the file */
    grave *graves;    /* of indices at home here: the last generation, if that is not alive */
    size_t grave_count, grave_room;
} loading;

static covey_result out_of_memory(loading *l) {
    return covey__mpi_fail(l->mpi, COVEY_ERROR_MEMORY, "no memory to load a checkpoint");
}

static covey_result dig(loading *l, uint32_t index, uint32_t generation) {
    if (l->grave_count == l->grave_room) {
        size_t room = l->grave_room * 2 + 64, size = sizeof *l->graves;
        grave *graves = covey__mpi_resize(&l->mpi->allocator, l->graves, l->grave_room * size, room * size);
        if (!graves) return out_of_memory(l);
        l->graves = graves;
        l->grave_room = room;
    }
    l->graves[l->grave_count++] = (grave){ index, generation };
    return COVEY_OK;
}

/* The file of a rank knows the generations of the shares that were that rank's. */
static covey_result dig_graves(loading *l) {
    const covey_mpi *mpi = l->mpi;
    const covey_world *from = l->reader.world;
    covey_result result = COVEY_OK;
    for (uint32_t i = covey_index_next(from, mpi->first); i != COVEY_NONE && result == COVEY_OK;
         i = covey_index_next(from, i + 1)) {
        uint32_t share = (i - mpi->first) / mpi->span;
        bool known = share < mpi->shares && share % l->from.ranks == (uint32_t)l->source;
        if (known && share % (uint32_t)mpi->size == (uint32_t)mpi->rank)
            result = dig(l, i, covey_generation_at(from, i));
    }
    return result;
}

/* Those that are not alive: their generations were used, and are used up. */
static covey_result fill_graves(loading *l) {
    covey_world *world = l->mpi->world;
    for (size_t i = l->grave_count; i-- != 0;) {
        grave g = l->graves[i];
        if (covey_generation_at(world, g.index) >= g.generation) continue;
        covey_entity e = covey_create_exact(world, covey_entity_make(g.index, g.generation));
        if (covey_is_null(e)) return out_of_memory(l);
        covey_destroy(world, e);
    }
    return COVEY_OK;
}

/* Everybody who is at home here, wherever it is to live. */
static covey_result make_homes(loading *l) {
    covey_mpi *mpi = l->mpi;
    covey_world *from = l->reader.world;
    covey_entity none = { 0, 0 };
    covey_entity *list = covey__mpi_reach(mpi, SCRATCH_TREES, covey_entity_count(from) * sizeof *list);
    uint32_t count = 0;
    if (!list) return out_of_memory(l);
    for (covey_entity e = covey_entity_next(from, none); !covey_is_null(e); e = covey_entity_next(from, e))
        if (covey__mpi_is_home(mpi, e)) list[count++] = e;
    if (!covey_create_again(mpi->world, list, count) ||
        !covey_add_array_raw(mpi->world, list, count, covey_id(covey_away), NULL))
        return covey__mpi_fail(mpi, covey_world_result(mpi->world), "entities of rank %d cannot be made", l->source);
    return COVEY_OK;
}

static covey_result place_of(loading *l, covey_entity root, int *rank) {
    *rank = l->place ? l->place(l->reader.world, root, l->context) : l->source % l->mpi->size;
    if (*rank >= 0 && *rank < l->mpi->size) return COVEY_OK;
    return covey__mpi_fail(l->mpi, COVEY_ERROR_RANGE, "%u:%u cannot be placed on rank %d", root.index, root.generation,
                           *rank);
}

/* Who is to live here: roots, each followed by all below it. */
static covey_result choose_own(loading *l, covey_entity **list, uint32_t *count) {
    covey_world *from = l->reader.world;
    covey_entity none = { 0, 0 };
    int rank = 0;
    *list = covey__mpi_reach(l->mpi, SCRATCH_LEAVING, covey_entity_count(from) * sizeof **list);
    if (!*list) return out_of_memory(l);
    for (covey_entity root = covey_entity_next(from, none); !covey_is_null(root);
         root = covey_entity_next(from, root)) {
        if (covey_mpi_home(l->mpi, root) < 0)
            return covey__mpi_fail(l->mpi, COVEY_ERROR_RANGE, "%u:%u is of no rank", root.index, root.generation);
        if (!covey_is_null(covey_parent(from, root))) continue;
        covey_result result = place_of(l, root, &rank);
        if (result != COVEY_OK) return result;
        for (covey_entity e = root; rank == l->mpi->rank && !covey_is_null(e); e = covey_tree_next(from, root, e))
            (*list)[(*count)++] = e;
    }
    return COVEY_OK;
}

/* A message from the world of the file, as another rank would send it. */
static covey_result take_over(loading *l, const covey_entity *list, uint32_t count) {
    covey_mpi *mpi = l->mpi;
    covey__mpi_incoming in;
    const char *why;
    unsigned char *message = NULL;
    uint64_t size = 0;
    covey__mpi_part *parts = covey__mpi_reach(mpi, SCRATCH_PARTS, mpi->column_count * sizeof *parts);
    if (!parts || !covey__mpi_reach(mpi, SCRATCH_GUESTS, (uint64_t)count * sizeof *list)) return out_of_memory(l);
    covey_result result = covey__mpi_message_make(&l->reader, list, count, &message, &size);
    if (result != COVEY_OK) {
        mpi->report = l->reader.report;
        return result;
    }
    if (!covey__mpi_unpack(mpi, message, size, &in, parts, &why))
        return covey__mpi_fail(mpi, COVEY_ERROR_IMAGE, "entities of rank %d are refused: %s", l->source, why);
    in.source = l->source;
    result = covey__mpi_arrive(mpi, &in);
    if (result == COVEY_OK) covey__mpi_settle(mpi, &in);
    return result;
}

static covey_result load_file(loading *l, const char *path) {
    covey_mpi *mpi = l->mpi;
    covey_report report;
    char name[PATH_MOST + COVEY__MANIFEST_NAME];
    covey_entity *list = NULL;
    uint32_t count = 0;
    covey_result result = reader_make(&l->reader, mpi) ? COVEY_OK : out_of_memory(l);
    covey__manifest_file(name, sizeof name, path, l->from.number, (uint32_t)l->source);
    if (result == COVEY_OK && covey_load_from_file(l->reader.world, name, NULL, &report) != COVEY_OK)
        result = covey__mpi_fail(mpi, report.result, "%s: %s", name, report.text);
    if (result == COVEY_OK) result = choose_own(l, &list, &count);
    if (result == COVEY_OK) result = make_homes(l);
    if (result == COVEY_OK) result = take_over(l, list, count);
    if (result == COVEY_OK) result = dig_graves(l);
    reader_free(&l->reader);
    return result;
}

static covey_result check_fits(covey_mpi *mpi, const covey__manifest *from) {
    if (covey_entity_count(mpi->world) != 0)
        return covey__mpi_fail(mpi, COVEY_ERROR_REFUSED, "a checkpoint is loaded into a world without entities");
    if (from->first == mpi->first && from->span == mpi->span) return COVEY_OK;
    return covey__mpi_fail(mpi, COVEY_ERROR_RANGE,
                           "the checkpoint has .first = %u and .span = %u; create with the same", from->first,
                           from->span);
}

covey_result covey_mpi_load(covey_mpi *mpi, const char *path, covey_mpi_place_fn *place, void *context) {
    loading l = { .mpi = mpi, .place = place, .context = context };
    covey_result result = covey__mpi_enter(mpi, CALL_LOAD);
    if (result == COVEY_OK && strlen(path) > PATH_MOST)
        result = covey__mpi_fail(mpi, COVEY_ERROR_RANGE, "the path has more than %d bytes", PATH_MOST);
    if (result == COVEY_OK) result = read_manifest(mpi, path, true, &l.from);
    if (result != COVEY_OK) return result;
    result = covey__mpi_agree(mpi, check_fits(mpi, &l.from));
    if (result != COVEY_OK) return result;
    for (l.source = 0; (uint32_t)l.source < l.from.ranks && result == COVEY_OK; l.source++)
        result = load_file(&l, path);
    if (result == COVEY_OK) result = fill_graves(&l);
    if (l.graves) covey__mpi_resize(&mpi->allocator, l.graves, l.grave_room * sizeof *l.graves, 0);
    result = covey__mpi_agree(mpi, result);
    if (result == COVEY_OK) return COVEY_OK;
    covey_destroy_all(mpi->world);
    covey__mpi_guests_forget(mpi);
    return result;
}
