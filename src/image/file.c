/* Atomic files: complete or absent. A file is written under a temporary name in the same folder, synced and renamed;
 * then the folder is synced, too. If a process is killed meanwhile, the next one that writes the same file removes the
 * leftover. Reading reads a whole file into memory, within a limit. Files may be compressed with zstd, if the library
 * is built with it. */
#include "image/file.h"

#include "memory/alloc.h"
#include "memory/hash.h"
#include "memory/result.h"

#include <errno.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>

/* HEAD_BYTES: the most that the head of a zstd frame has. */
enum { BUFFER_BYTES = 1 << 17, HEAD_BYTES = 18 };

static const unsigned char zstd_magic[4] = { 0x28, 0xB5, 0x2F, 0xFD };

/* ---- What went wrong ----------------------------------------------------------------------------------------------*/

static bool fail_file(covey_report *report, covey_result result, covey_fault fault, const char *format, ...)
    COVEY__PRINTF(4, 5);

static bool fail_file(covey_report *report, covey_result result, covey_fault fault, const char *format, ...) {
    *report = (covey_report){ .result = result, .fault = fault };
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->text, sizeof report->text, format, arguments);
    va_end(arguments);
    return false;
}

/* Reports that the last call of the operating system failed. */
static bool fail_os(const covey__os *os, covey_report *report, const char *what, const char *path) {
    char reason[80];
    os->explain(errno, reason, sizeof reason);
    return fail_file(report, COVEY_ERROR_FILE, COVEY_FAULT_NONE, "cannot %s: %s (%s)", what, reason, path);
}

static bool fail_memory(covey_report *report, const char *path) {
    return fail_file(report, COVEY_ERROR_MEMORY, COVEY_FAULT_NONE, "an allocation failed (%s)", path);
}

/* ---- Compression --------------------------------------------------------------------------------------------------*/

static bool flush_file(covey__file *file);

#if defined(COVEY_WITH_ZSTD)

#define ZSTD_STATIC_LINKING_ONLY /* for allocators */
#include <zstd.h>
#include <zstd_errors.h>

/* Holds the size of an allocation, because zstd does not pass it when it frees. */
typedef struct header {
    alignas(max_align_t) size_t size;
} header;

static void *allocate_for_zstd(void *heap, size_t size) {
    header *block = NULL;
    if (size <= SIZE_MAX - sizeof *block)
        block = covey__resize(heap, NULL, 0, size + sizeof *block, 1, alignof(max_align_t));
    if (!block) return NULL;
    block->size = size;
    return block + 1;
}

static void free_for_zstd(void *heap, void *memory) {
    header *block = memory;
    if (block) block--, covey__free(heap, block, block->size + sizeof *block, 1, alignof(max_align_t));
}

static ZSTD_customMem memory_of(covey__heap *heap) {
    return (ZSTD_customMem){ allocate_for_zstd, free_for_zstd, heap };
}

static bool fail_compression(covey__file *file, size_t code) {
    if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation) return fail_memory(file->report, file->target);
    return fail_file(file->report, COVEY_ERROR_FILE, COVEY_FAULT_NONE, "cannot compress: %s (%s)",
                     ZSTD_getErrorName(code), file->target);
}

static bool begin_compression(covey__file *file, int level) {
    if (level == 0) return true;
    ZSTD_CCtx *zstd = file->zstd = ZSTD_createCCtx_advanced(memory_of(file->heap));
    if (!zstd) return fail_memory(file->report, file->target);
    size_t code = ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, level);
    if (!ZSTD_isError(code)) code = ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
    return !ZSTD_isError(code) || fail_compression(file, code);
}

static bool compress(covey__file *file, const void *bytes, size_t size, ZSTD_EndDirective end) {
    ZSTD_inBuffer in = { bytes, size, 0 };
    size_t left;
    do {
        ZSTD_outBuffer out = { file->buffer, BUFFER_BYTES, file->filled };
        left = ZSTD_compressStream2(file->zstd, &out, &in, end);
        if (ZSTD_isError(left)) return fail_compression(file, left);
        file->filled = out.pos;
        if (out.pos == out.size && !flush_file(file)) return false;
    } while (in.pos < in.size || (end == ZSTD_e_end && left > 0));
    return true;
}

static bool write_compressed(covey__file *file, const void *bytes, size_t size) {
    return compress(file, bytes, size, ZSTD_e_continue);
}

static bool end_compression(covey__file *file) { return !file->zstd || compress(file, NULL, 0, ZSTD_e_end); }

static void free_compressor(covey__file *file) {
    ZSTD_freeCCtx(file->zstd);
    file->zstd = NULL;
}

#else

static bool begin_compression(covey__file *file, int level) {
    return level == 0 ||
           fail_file(file->report, COVEY_ERROR_FILE, COVEY_FAULT_NONE,
                     "cannot compress: this build of covey has no zstd; set zstd_level to 0 (%s)", file->target);
}

static bool write_compressed(covey__file *file, const void *bytes, size_t size) {
    (void)file, (void)bytes, (void)size;
    return false;
}

static bool end_compression(covey__file *file) { return file->zstd == NULL; }
static void free_compressor(covey__file *file) { (void)file; }

#endif

/* ---- Writing ------------------------------------------------------------------------------------------------------*/

static bool fail_at(covey__file *file, const char *what, const char *path) {
    return fail_os(file->os, file->report, what, path);
}

static bool write_all(covey__file *file, const char *bytes, size_t size) {
    while (size > 0) {
        ptrdiff_t written = file->os->write(file->handle, bytes, size);
        if (written == 0) errno = EIO; /* regular files never return 0 */
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return fail_at(file, "write the temporary file", file->temporary);
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

static bool flush_file(covey__file *file) {
    size_t size = file->filled;
    file->filled = 0;
    return write_all(file, file->buffer, size);
}

static bool write_plain(covey__file *file, const void *bytes, size_t size) {
    if (size > BUFFER_BYTES - file->filled && !flush_file(file)) return false;
    if (size >= BUFFER_BYTES) return write_all(file, bytes, size);
    covey__copy(file->buffer + file->filled, bytes, size);
    file->filled += size;
    return true;
}

/* ---- Temporary files -----------------------------------------------------------------------------------------------
 *
 * Beside saves/game.covey:    saves/game.covey.tmp-0123456789abcdef-0    saves/game.covey.tmp-0123456789abcdef-1
 *
 * The name is truncated, so that it is never too long; the first number is a hash of the whole name and the host.
 * Processes that write the same file at the same time take different last numbers. Each locks its temporary file until
 * it is renamed, and the system ends the lock with the process: a file without a lock is a leftover, and is removed. On
 * file systems without locks, leftovers stay, and when all numbers are taken, the name contains the number of the
 * process. Files of other hosts are never removed, because locks may not work across hosts. */

enum { SLOTS = 8, NAMES_TRIED = 100, NAME_KEPT = 100 };

/* The part of a path after the last separator. */
static const char *name_in(const covey__os *os, const char *path) {
    const char *name = path;
    for (; *path; path++)
        if (strchr(os->separators, *path)) name = path + 1;
    return name;
}

/* How many bytes of a name are kept. Never cuts inside a UTF-8 character, because some file systems refuse such
 * names. */
static size_t kept_bytes(const char *name) {
    size_t length = strlen(name);
    if (length <= NAME_KEPT) return length;
    length = NAME_KEPT;
    while (length > NAME_KEPT - 4 && ((unsigned char)name[length] & 0xC0) == 0x80) length--;
    return length;
}

static void name_temporary(covey__file *file, uint64_t slot) {
    const char *name = name_in(file->os, file->target);
    snprintf(file->temporary, sizeof file->temporary, "%.*s.tmp-%016llx-%llu",
             (int)((size_t)(name - file->target) + kept_bytes(name)), file->target,
             (unsigned long long)covey__hash(name, strlen(name), file->os->host()), (unsigned long long)slot);
}

static bool claim_temporary(covey__file *file) {
    file->handle = file->os->create(file->temporary);
    if (file->handle < 0 || !file->os->claim) return file->handle >= 0;
    file->claim = file->os->claim(file->handle, file->temporary);
    if (file->claim >= 0) return true;
    int error = errno;
    file->os->close(file->handle);
    if (error != EEXIST) file->os->remove(file->temporary);
    file->handle = -1;
    errno = error;
    return false;
}

static bool take_slot(covey__file *file, uint64_t slot) {
    name_temporary(file, slot);
    if (claim_temporary(file)) return true;
    if (errno != EEXIST) return false;
    if (file->os->discard(file->temporary) == 0 && claim_temporary(file)) return true;
    errno = EEXIST; /* try the next name */
    return false;
}

/* Removes leftovers with numbers above the one that was taken. */
static void discard_leftovers(covey__file *file, uint64_t slot) {
    char own[COVEY__TEMPORARY_BYTES];
    memcpy(own, file->temporary, sizeof own);
    for (slot++; slot < SLOTS; slot++) {
        name_temporary(file, slot);
        file->os->discard(file->temporary);
    }
    memcpy(file->temporary, own, sizeof own);
}

static bool create_temporary(covey__file *file) {
    for (uint64_t slot = 0; slot < SLOTS + NAMES_TRIED; slot++) {
        bool shared = slot < SLOTS;
        if (take_slot(file, shared ? slot : ((uint64_t)file->os->process() + 1) * 1000 + slot)) {
            if (shared) discard_leftovers(file, slot);
            return true;
        }
        if (errno != EEXIST) break;
    }
    fail_at(file, "create the temporary file", file->temporary);
    file->temporary[0] = '\0';
    return false;
}

/* ---- Beginning and ending -----------------------------------------------------------------------------------------*/

/* Finds the file to replace. It must be a regular file or not exist: folders and devices are never replaced. */
static bool find_target(covey__file *file, const char *path, covey__file_info *old) {
    *old = (covey__file_info){ 0 };
    if (name_in(file->os, path)[0] == '\0')
        return fail_file(file->report, COVEY_ERROR_FILE, COVEY_FAULT_NONE, "the path %s: it must name a file (%s)",
                         path[0] == '\0' ? "is empty" : "ends with a slash", path);
    if (file->os->resolve(path, file->target) != 0) return fail_at(file, "find the file", path);
    if (file->os->look(file->target, old) != 0)
        return errno == ENOENT || fail_at(file, "look at the file", file->target);
    return old->regular || fail_file(file->report, COVEY_ERROR_FILE, COVEY_FAULT_NONE,
                                     "cannot replace it: it is not a regular file (%s)", file->target);
}

static bool begin_file(covey__file *file, const char *path, int level) {
    covey__file_info old;
    if (!find_target(file, path, &old) || !begin_compression(file, level)) return false;
    file->buffer = covey__resize(file->heap, NULL, 0, BUFFER_BYTES, 1, 1);
    if (!file->buffer) return fail_memory(file->report, file->target);
    if (!create_temporary(file)) return false;
    return !old.regular || file->os->permit(file->handle, old.mode) == 0 ||
           fail_at(file, "give the temporary file the rights of the old one", file->temporary);
}

bool covey__file_create(covey__file *file, const covey__os *os, covey__heap *heap, const char *path, int level,
                        covey_report *report) {
    *file = (covey__file){ .os = os, .heap = heap, .report = report, .handle = -1, .folder = -1, .claim = -1 };
    if (begin_file(file, path, level)) return true;
    covey__file_abandon(file);
    return false;
}

bool covey__file_write(covey__file *file, const void *bytes, size_t size) {
    if (file->zstd ? write_compressed(file, bytes, size) : write_plain(file, bytes, size)) return true;
    covey__file_abandon(file);
    return false;
}

static bool sync_file(covey__file *file) {
    while (file->os->sync(file->handle) != 0)
        if (errno != EINTR) return fail_at(file, "sync the temporary file", file->temporary);
    return true;
}

static bool close_file(covey__file *file) {
    int handle = file->handle;
    file->handle = -1;
    return file->os->close(handle) == 0 || fail_at(file, "close the temporary file", file->temporary);
}

/* Called before the file is renamed, so that a failure leaves the old file unchanged. */
static bool open_folder(covey__file *file) {
    if (!file->os->open_folder) return true;
    char folder[COVEY__PATH_BYTES];
    int length = (int)(name_in(file->os, file->target) - file->target);
    if (length > 1) length--; /* the slash, unless it is the root */
    if (length != 0) snprintf(folder, sizeof folder, "%.*s", length, file->target);
    else memcpy(folder, ".", 2);
    file->folder = file->os->open_folder(folder);
    return file->folder >= 0 || fail_at(file, "open the folder", folder);
}

static bool replace(covey__file *file) {
    if (file->os->rename(file->temporary, file->target) != 0)
        return fail_at(file, "rename the temporary file", file->target);
    file->temporary[0] = '\0';
    return true;
}

static bool sync_folder(covey__file *file) {
    if (file->folder < 0) return true;
    while (file->os->sync_folder(file->folder) != 0)
        if (errno != EINTR)
            return fail_at(file, "sync the folder; the new file exists, but a crash may lose it", file->target);
    return true;
}

bool covey__file_finish(covey__file *file) {
    bool finished = end_compression(file) && flush_file(file) && sync_file(file) && close_file(file) &&
                    open_folder(file) && replace(file) && sync_folder(file);
    covey__file_abandon(file); /* frees resources; does not remove a file that was renamed */
    return finished;
}

void covey__file_abandon(covey__file *file) {
    if (file->handle >= 0) file->os->close(file->handle);
    if (file->folder >= 0) file->os->close(file->folder);
    if (file->temporary[0]) file->os->remove(file->temporary);
    if (file->claim >= 0) file->os->close(file->claim); /* after its name was removed or renamed */
    if (file->buffer) covey__free(file->heap, file->buffer, BUFFER_BYTES, 1, 1);
    free_compressor(file);
    file->handle = file->folder = file->claim = -1;
    file->temporary[0] = '\0';
    file->buffer = NULL;
}

/* ---- Reading ------------------------------------------------------------------------------------------------------*/

typedef struct reader {
    const covey__os *os;
    const char *path;
    covey__heap heap;
    covey_buffer *buffer;
    covey_report *report;
    size_t most;    /* maximum size of the buffer; below SIZE_MAX */
    uint64_t limit; /* 0: the default */
    int handle;
} reader;

static bool fail_limit(reader *r) {
    fail_file(r->report, COVEY_ERROR_LIMIT, COVEY_FAULT_LIMIT,
              "the image has more than %llu bytes: raise limit_bytes, or --limit-bytes of covey-snap (%s)",
              (unsigned long long)r->most, r->path);
    r->report->offset = r->most;
    return false;
}

static bool set_capacity(reader *r, size_t capacity) {
    void *bytes = covey__resize(&r->heap, r->buffer->bytes, r->buffer->capacity, capacity, 1, alignof(max_align_t));
    if (!bytes) return fail_memory(r->report, r->path);
    r->buffer->bytes = bytes;
    r->buffer->capacity = capacity;
    return true;
}

/* Makes room for one byte more than allowed, to detect files that are too large. */
static bool reserve_input(reader *r) {
    size_t capacity = r->buffer->capacity, all = r->most + 1;
    if (r->buffer->size < capacity) return true;
    if (capacity < BUFFER_BYTES / 2) capacity = BUFFER_BYTES / 2;
    return set_capacity(r, capacity > all / 2 ? all : capacity * 2);
}

static bool take_bytes(reader *r, size_t size) {
    r->buffer->size += size;
    return r->buffer->size <= r->most || fail_limit(r);
}

/* Reads some bytes: at least one, unless the file has ended. */
static bool read_some(reader *r, void *bytes, size_t size, size_t *read) {
    ptrdiff_t count;
    do count = r->os->read(r->handle, bytes, size);
    while (count < 0 && errno == EINTR);
    if (count < 0) return fail_os(r->os, r->report, "read the file", r->path);
    *read = (size_t)count;
    return true;
}

/* Reads `size` bytes, or all if the file has fewer. */
static bool read_first(reader *r, unsigned char *bytes, size_t size, size_t *all) {
    size_t read = 1;
    for (*all = 0; *all < size && read > 0; *all += read)
        if (!read_some(r, bytes + *all, size - *all, &read)) return false;
    return true;
}

static bool read_plain(reader *r, const unsigned char *first, size_t count) {
    covey__file_info info;
    if (r->os->measure(r->handle, &info) != 0) return fail_os(r->os, r->report, "measure the file", r->path);
    uint64_t expected = info.regular && info.size > count ? info.size : count;
    if (expected > r->most) return fail_limit(r);
    if (!set_capacity(r, (size_t)expected + 1)) return false;
    memcpy(r->buffer->bytes, first, count);
    r->buffer->size = count;
    for (size_t read = 1; read > 0;) {
        if (!reserve_input(r)) return false;
        size_t room = r->buffer->capacity - r->buffer->size;
        if (!read_some(r, r->buffer->bytes + r->buffer->size, room, &read) || !take_bytes(r, read)) return false;
    }
    return true;
}

#if defined(COVEY_WITH_ZSTD)

static bool fail_decompression(reader *r, size_t code) {
    switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_memory_allocation: return fail_memory(r->report, r->path);
    case ZSTD_error_frameParameter_windowTooLarge:
        return fail_file(r->report, COVEY_ERROR_LIMIT, COVEY_FAULT_LIMIT,
                         "its compression window is larger than a quarter of limit_bytes: raise limit_bytes (%s)",
                         r->path);
    default:
        fail_file(r->report, COVEY_ERROR_IMAGE, COVEY_FAULT_STRUCTURE, "cannot decompress: %s (%s)",
                  ZSTD_getErrorName(code), r->path);
        r->report->offset = r->buffer->size;
        return false;
    }
}

static bool fail_truncated(reader *r) {
    fail_file(r->report, COVEY_ERROR_IMAGE, COVEY_FAULT_SIZE, "the compressed file ends too early (%s)", r->path);
    r->report->offset = r->buffer->size;
    return false;
}

/* A frame may state its size. If the stated size exceeds the limit, the file is refused at once; otherwise the size is
 * not trusted. */
static bool check_claim(reader *r, const ZSTD_inBuffer *in) {
    unsigned long long claim = ZSTD_getFrameContentSize((const char *)in->src + in->pos, in->size - in->pos);
    bool told = claim != ZSTD_CONTENTSIZE_UNKNOWN && claim != ZSTD_CONTENTSIZE_ERROR;
    return !told || claim <= r->most - r->buffer->size || fail_limit(r);
}

/* Decompresses frame by frame, to the end of the file. `input` has BUFFER_BYTES, and its first `count` bytes are read
 * already. */
static bool decompress(reader *r, ZSTD_DCtx *zstd, void *input, size_t count) {
    ZSTD_inBuffer in = { input, count, 0 };
    size_t left = 0; /* 0: a frame has ended, or none has begun */
    for (bool full = false;;) {
        if (in.pos == in.size && (left == 0 || !full)) {
            if (!read_some(r, input, BUFFER_BYTES, &in.size)) return false;
            if (in.size == 0) return left == 0 || fail_truncated(r);
            in.pos = 0;
        }
        if ((left == 0 && !check_claim(r, &in)) || !reserve_input(r)) return false;
        ZSTD_outBuffer out = { r->buffer->bytes, r->buffer->capacity, r->buffer->size };
        left = ZSTD_decompressStream(zstd, &out, &in);
        if (ZSTD_isError(left)) return fail_decompression(r, left);
        if (!take_bytes(r, out.pos - r->buffer->size)) return false;
        full = out.pos == out.size;
    }
}

/* Sets the default limit, from the size of the compressed file: a small file can decompress to a very large one. */
static bool bound_by_file(reader *r) {
    covey__file_info info;
    if (r->os->measure(r->handle, &info) != 0) return fail_os(r->os, r->report, "measure the file", r->path);
    r->limit = covey__usual_bytes(info.regular ? info.size : 0);
    if (r->limit < r->most) r->most = (size_t)r->limit;
    return true;
}

/* Allows windows of 8 MB, which all levels up to 19 use, and larger ones up to a quarter of the limit. */
static ZSTD_DCtx *make_decompressor(reader *r) {
    int log = 23;
    while (log < 27 && r->most / 4 >= (size_t)2 << log) log++;
    ZSTD_DCtx *zstd = ZSTD_createDCtx_advanced(memory_of(&r->heap));
    if (zstd) ZSTD_DCtx_setParameter(zstd, ZSTD_d_windowLogMax, log);
    return zstd;
}

static bool read_compressed(reader *r, const unsigned char *first, size_t count) {
    if (r->limit == 0 && !bound_by_file(r)) return false;
    char *input = covey__resize(&r->heap, NULL, 0, BUFFER_BYTES, 1, 1);
    ZSTD_DCtx *zstd = make_decompressor(r);
    if (input) memcpy(input, first, count);
    bool done = input && zstd ? decompress(r, zstd, input, count) : fail_memory(r->report, r->path);
    ZSTD_freeDCtx(zstd);
    if (input) covey__free(&r->heap, input, BUFFER_BYTES, 1, 1);
    return done && set_capacity(r, r->buffer->size + 1);
}

#else

static bool read_compressed(reader *r, const unsigned char *first, size_t count) {
    (void)first, (void)count;
    return fail_file(r->report, COVEY_ERROR_IMAGE, COVEY_FAULT_VERSION,
                     "the file is compressed with zstd, but this build of covey has no zstd: decompress it first (%s)",
                     r->path);
}

#endif

static bool read_all(reader *r) {
    unsigned char first[HEAD_BYTES];
    size_t count;
    if (!read_first(r, first, sizeof first, &count)) return false;
    bool compressed = count >= sizeof zstd_magic && memcmp(first, zstd_magic, sizeof zstd_magic) == 0;
    return compressed ? read_compressed(r, first, count) : read_plain(r, first, count);
}

/* How much of the limit is left after the buffer: at least 1, because 0 means the default. */
static uint64_t left_of(const reader *r) {
    uint64_t size = r->buffer->size, limit = r->limit != 0 ? r->limit : covey__usual_bytes(size);
    if (limit == UINT64_MAX) return limit;
    return limit > size ? limit - size : 1;
}

bool covey__file_read(const covey__os *os, const char *path, uint64_t limit, covey_buffer *buffer, uint64_t *left,
                      covey_report *report) {
    reader r = { .os = os, .path = path, .heap.allocator = buffer->allocator, .buffer = buffer, .report = report };
    r.limit = limit;
    r.most = limit == 0 || limit >= SIZE_MAX ? SIZE_MAX - 1 : (size_t)limit;
    r.handle = os->open(path);
    if (r.handle < 0) return fail_os(os, report, "open the file", path);
    bool done = read_all(&r);
    os->close(r.handle); /* a failure does not matter: everything was read */
    if (!done && buffer->bytes) covey__free(&r.heap, buffer->bytes, buffer->capacity, 1, alignof(max_align_t));
    if (!done) *buffer = (covey_buffer){ .allocator = buffer->allocator };
    *left = left_of(&r);
    return done;
}

covey_result covey_file_read(const char *path, uint64_t limit, covey_buffer *buffer, covey_report *report) {
    covey_report unheard;
    uint64_t left;
    if (!report) report = &unheard;
    COVEY__CONTRACT(NULL, path && buffer && buffer->size == 0, "covey_file_read needs a path and an empty buffer");
    *report = (covey_report){ 0 };
    covey__file_read(&covey__os_real, path, limit, buffer, &left, report);
    return report->result;
}
