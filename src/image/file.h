/* Files that are whole or not there, for the sources that save and load. */
#ifndef COVEY_FILE_H
#define COVEY_FILE_H

#include <covey/covey.h>

#include <covey/image.h>

enum { COVEY__PATH_BYTES = 4096, COVEY__TEMPORARY_BYTES = COVEY__PATH_BYTES + 48 };

typedef struct covey__file_info {
    bool regular;
    uint32_t mode; /* who may do what */
    uint64_t size;
} covey__file_info;

/* os.c: what is asked of the operating system, so that tests can say no in its place. Files are small numbers. Functions
 * that fail return -1 and set errno. */
typedef struct covey__os {
    const char *separators;                     /* in paths */
    int (*resolve)(const char *path, char *to); /* the path itself; of a symbolic link, that of the file it leads to */
    int (*look)(const char *path, covey__file_info *info);
    int (*create)(const char *path); /* EEXIST when it is there */
    /* Locks a file that was just created. The lock lasts until the file that this returns is closed, too, or the process
     * has ended, however it ends. EEXIST: another process has removed it. NULL where files that are open are locked. */
    int (*claim)(int file, const char *path);
    int (*discard)(const char *path); /* removes a file that no process has claimed */
    int (*permit)(int file, uint32_t mode);
    ptrdiff_t (*write)(int file, const void *bytes, size_t size);
    int (*sync)(int file); /* until it is on the disk */
    int (*close)(int file);
    int (*rename)(const char *from, const char *to); /* replaces `to` in one step */
    int (*remove)(const char *path);
    int (*open_folder)(const char *path); /* NULL, as the next one, where folders need no sync */
    int (*sync_folder)(int folder);
    int (*open)(const char *path); /* to read */
    int (*measure)(int file, covey__file_info *info);
    ptrdiff_t (*read)(int file, void *bytes, size_t size);
    uint32_t (*process)(void);                            /* a number that other processes of this host do not have */
    uint64_t (*host)(void);                               /* a number that other hosts most likely do not have */
    void (*explain)(int error, char *text, size_t bytes); /* errno in words */
} covey__os;

extern const covey__os covey__os_real;

/* file.c */

/* A file on its way to its name. It is a temporary one until the end. */
typedef struct covey__file {
    const covey__os *os;
    covey__heap *heap;
    covey_report *report; /* of the first failure */
    int handle, folder;   /* -1: not open */
    int claim;            /* keeps the lock of the temporary file; -1: not open */
    char *buffer;         /* bytes that go out next */
    size_t filled;
    void *zstd; /* the compressor; NULL: none */
    char target[COVEY__PATH_BYTES];
    char temporary[COVEY__TEMPORARY_BYTES]; /* empty: there is none */
} covey__file;

/* Begins a file that will replace that of a path; level: of zstd, 0 does not compress. Of these three, each that returns
 * false has filled in the report and abandoned the file. */
bool covey__file_create(covey__file *file, const covey__os *os, covey__heap *heap, const char *path, int level,
                        covey_report *report);
bool covey__file_write(covey__file *file, const void *bytes, size_t size);
bool covey__file_finish(covey__file *file); /* it now has its name, and is on the disk */
/* Ends a file that is not wanted: what had the name before keeps it. Also of one that has ended. */
void covey__file_abandon(covey__file *file);

/* The memory that a file or an image of so many bytes may take, unless the caller says how much. */
static inline uint64_t covey__usual_bytes(uint64_t size) {
    uint64_t most = (UINT64_MAX - COVEY_LIMIT_AT_LEAST) / COVEY_LIMIT_FOR_EACH;
    return size < most ? COVEY_LIMIT_AT_LEAST + size * COVEY_LIMIT_FOR_EACH : UINT64_MAX;
}

/* Reads a whole file into an empty buffer, as covey_file_read does; *left becomes what the buffer leaves of the limit, or
 * of its default. False: the report is filled in, the buffer empty. */
bool covey__file_read(const covey__os *os, const char *path, uint64_t limit, covey_buffer *buffer, uint64_t *left,
                      covey_report *report);

#endif
