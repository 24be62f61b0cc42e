/* Saving a checkpoint: an image for each rank, and then a manifest that names them (common/manifest.h). Each
 * checkpoint has a new number, so that the files of the previous one stay as they are until the new manifest
 * replaces the old one. */
#define _POSIX_C_SOURCE 200809L
#include "checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* ---- The manifest ------------------------------------------------------------------------------------------------*/

/* Returns false when the file is invalid; *why completes a sentence that begins with its name. */
static bool parse_file(FILE *file, covey__manifest *m, const char **why) {
    char text[COVEY__MANIFEST_BYTES];
    size_t size = fread(text, 1, sizeof text, file);
    *why = "cannot be read";
    return !ferror(file) && covey__manifest_parse(text, size, m, why);
}

static covey_result read_here(covey_mpi *mpi, const char *path, bool needed, covey__manifest *m) {
    const char *why;
    FILE *file = fopen(path, "rb");
    if (!file && !needed && errno == ENOENT) return COVEY_OK;
    if (!file) return covey__mpi_fail(mpi, COVEY_ERROR_FILE, "%s cannot be read: %s", path, strerror(errno));
    bool read = parse_file(file, m, &why);
    fclose(file);
    return read ? COVEY_OK : covey__mpi_fail(mpi, COVEY_ERROR_IMAGE, "%s %s", path, why);
}

covey_result covey__mpi_manifest_read(covey_mpi *mpi, covey__mpi_call call, const char *path, bool needed,
                                      covey__manifest *m) {
    *m = (covey__manifest){ 0 };
    covey_result result = covey__mpi_enter(mpi, call);
    if (result != COVEY_OK) return result;
    if (strlen(path) > COVEY__MPI_PATH)
        result = covey__mpi_fail(mpi, COVEY_ERROR_RANGE, "the path has more than %d bytes", COVEY__MPI_PATH);
    else if (mpi->rank == 0) result = read_here(mpi, path, needed, m);
    result = covey__mpi_agree(mpi, result);
    covey__mpi_broadcast(mpi, m, (int)sizeof *m, MPI_BYTE, 0);
    return result;
}

/* ---- Saving ---------------------------------------------------------------------------------------------------------
 *
 * 1. Each rank writes its image under a number that no manifest has, and syncs the file and its folder. Rank 0 writes
 *    and syncs the manifest under a temporary name.
 * 2. All ranks agree that this succeeded.
 * 3. Rank 0 renames the manifest to `path`, which atomically replaces the previous checkpoint, and syncs the folder.
 * 4. All ranks agree again. Only now do they remove the images of the previous checkpoint: after a power failure before
 *    this point, the disk may still have the old manifest.
 *
 * Whenever a rank is killed, `path` is a complete checkpoint. Files that no manifest names may remain
 * (checkpoint_leftovers.c). */

/* Writes and syncs a file. */
static bool write_file(const char *name, const char *text, size_t size) {
    FILE *file = fopen(name, "wb");
    if (!file) return false;
    bool written = fwrite(text, 1, size, file) == size && fflush(file) == 0 && fsync(fileno(file)) == 0;
    return fclose(file) == 0 && written;
}

static covey_result draft_manifest(covey_mpi *mpi, const char *draft, const covey__manifest *m) {
    char text[COVEY__MANIFEST_BYTES];
    if (write_file(draft, text, covey__manifest_print(text, m))) return COVEY_OK;
    return covey__mpi_fail(mpi, COVEY_ERROR_FILE, "the manifest %s cannot be written: %s", draft, strerror(errno));
}

const char *covey__mpi_folder_of(const char *path, char folder[COVEY__MPI_PATH + 1]) {
    const char *slash = strrchr(path, '/');
    if (slash) snprintf(folder, COVEY__MPI_PATH + 1, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    else memcpy(folder, ".", 2);
    return slash ? slash + 1 : path;
}

/* Some file systems do not sync folders and return an error; that is fine. */
static bool sync_folder(const char *path) {
    char folder[COVEY__MPI_PATH + 1];
    covey__mpi_folder_of(path, folder);
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
                           *renamed ? "the manifest %s is written, but cannot be synced: %s"
                                    : "the manifest %s cannot be renamed: %s",
                           path, strerror(errno));
}

static covey_result save_own(covey_mpi *mpi, const char *name) {
    const covey_type **types =
        covey__mpi_scratch_reserve(mpi, SCRATCH_LISTED, (mpi->column_count + UINT64_C(1)) * sizeof *types);
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

/* Removes the images of a checkpoint. No manifest names them. */
static void remove_images(const covey_mpi *mpi, const char *path, const covey__manifest *m) {
    char name[COVEY__MPI_FILE];
    for (uint64_t r = (uint64_t)mpi->rank; r < m->ranks; r += (uint64_t)mpi->size) {
        covey__manifest_file(name, sizeof name, path, m->number, (uint32_t)r);
        remove(name);
    }
}

static covey_result write_images(covey_mpi *mpi, const char *path, const char *draft, const covey__manifest *m) {
    char name[COVEY__MPI_FILE];
    covey__manifest_file(name, sizeof name, path, m->number, (uint32_t)mpi->rank);
    covey_result result = mpi->rank == 0 ? draft_manifest(mpi, draft, m) : COVEY_OK;
    return covey__mpi_agree(mpi, result == COVEY_OK ? save_own(mpi, name) : result);
}

/* A job leaves no files behind while it runs, unless a call fails. So one cleanup is enough. */
static void clean_once(covey_mpi *mpi, const char *path, const covey__manifest *m) {
    uint64_t number = covey__mpi_hash(0, path, strlen(path)) | 1;
    if (mpi->rank == 0 && mpi->cleaned_path != number) covey__mpi_leftovers_remove(path, m);
    mpi->cleaned_path = number;
}

covey_result covey_mpi_save(covey_mpi *mpi, const char *path) {
    covey__manifest last;
    char draft[COVEY__MPI_FILE];
    int renamed = 0;
    covey_result result = covey__mpi_manifest_read(mpi, CALL_SAVE, path, false, &last);
    if (result != COVEY_OK) return result;
    covey__manifest m = {
        .number = last.number + 1, .ranks = (uint32_t)mpi->size, .first = mpi->first_index, .span = mpi->range_size
    };
    covey__manifest_draft(draft, sizeof draft, path, m.number);
    result = write_images(mpi, path, draft, &m);
    if (result == COVEY_OK) {
        result = covey__mpi_agree(mpi, mpi->rank == 0 ? publish(mpi, draft, path, &renamed) : COVEY_OK);
        if (result != COVEY_OK) covey__mpi_broadcast(mpi, &renamed, 1, MPI_INT, 0);
    }
    if (result == COVEY_OK) {
        remove_images(mpi, path, &last);
        clean_once(mpi, path, &m);
        return COVEY_OK;
    }
    mpi->cleaned_path = 0;
    if (renamed) return result;
    remove_images(mpi, path, &m);
    if (mpi->rank == 0) remove(draft);
    return result;
}
