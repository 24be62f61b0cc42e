/* Atomic files, for saving and loading. */
#ifndef COVEY_FILE_H
#define COVEY_FILE_H

#include <covey/covey.h>

#include <covey/image.h>

enum { COVEY__PATH_BYTES = 4096, COVEY__TEMPORARY_BYTES = COVEY__PATH_BYTES + 48 };

typedef struct covey__file_info {
    bool regular;
    uint32_t mode; /* permissions */
    uint64_t size;
} covey__file_info;

/* os.c: calls of the operating system, as a table, so that tests can make them fail. Files are small numbers. Functions
 * that fail return -1 and set errno. */
typedef struct covey__os {
    const char *separators;                     /* in paths */
    int (*resolve)(const char *path, char *to); /* follows symbolic links; otherwise copies the path */
    int (*look)(const char *path, covey__file_info *info);
    int (*create)(const char *path); /* EEXIST if it exists */
    /* Locks a file that was just created. Returns a second file: the lock lasts until both are closed, or until the
     * process ends in any way. EEXIST: another process has removed the file. The function is NULL on systems where open
     * files are locked. */
    int (*claim)(int file, const char *path);
    int (*discard)(const char *path); /* removes a file that no process has claimed */
    int (*permit)(int file, uint32_t mode);
    ptrdiff_t (*write)(int file, const void *bytes, size_t size);
    int (*sync)(int file); /* returns when the data is on the disk */
    int (*close)(int file);
    int (*rename)(const char *from, const char *to); /* replaces `to` in one step */
    int (*remove)(const char *path);
    int (*open_folder)(const char *path); /* this and the next are NULL where folders need no sync */
    int (*sync_folder)(int folder);
    int (*open)(const char *path); /* to read */
    int (*measure)(int file, covey__file_info *info);
    ptrdiff_t (*read)(int file, void *bytes, size_t size);
    uint32_t (*process)(void);                            /* a number that no other process of this host has */
    uint64_t (*host)(void);                               /* a number that other hosts are unlikely to have */
    void (*explain)(int error, char *text, size_t bytes); /* errno in words */
} covey__os;

extern const covey__os covey__os_real;

/* file.c */

/* A file that is being written, under a temporary name until covey__file_finish. */
typedef struct covey__file {
    const covey__os *os;
    covey__heap *heap;
    covey_report *report; /* gets the first failure */
    int handle, folder;   /* -1: not open */
    int claim;            /* keeps the lock of the temporary file; -1: not open */
    char *buffer;         /* bytes that are not written yet */
    size_t filled;
    void *zstd; /* the compressor; NULL: none */
    char target[COVEY__PATH_BYTES];
    char temporary[COVEY__TEMPORARY_BYTES]; /* its name; empty if there is none */
} covey__file;

/* Begins a file that will replace the one at a path. `level` is that of zstd; 0 does not compress. If any of these
 * three functions returns false, it has filled in the report and abandoned the file. */
bool covey__file_create(covey__file *file, const covey__os *os, covey__heap *heap, const char *path, int level,
                        covey_report *report);
bool covey__file_write(covey__file *file, const void *bytes, size_t size);
bool covey__file_finish(covey__file *file); /* syncs and renames it */
/* Discards a file; an old file at the path stays. Does nothing after covey__file_finish. */
void covey__file_abandon(covey__file *file);

/* The default of limit_bytes, for a file or an image of this size. */
static inline uint64_t covey__usual_bytes(uint64_t size) {
    uint64_t most = (UINT64_MAX - COVEY_LIMIT_AT_LEAST) / COVEY_LIMIT_FOR_EACH;
    return size < most ? COVEY_LIMIT_AT_LEAST + size * COVEY_LIMIT_FOR_EACH : UINT64_MAX;
}

/* Reads a whole file into an empty buffer, as covey_file_read does. Sets *left to what is left of the limit, or of its
 * default. On failure returns false, fills in the report and leaves the buffer empty. */
bool covey__file_read(const covey__os *os, const char *path, uint64_t limit, covey_buffer *buffer, uint64_t *left,
                      covey_report *report);

#endif
