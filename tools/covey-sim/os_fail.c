#define _GNU_SOURCE
#include "os_fail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static os_plan plan;
static os_told told;
static bool counting;

void os_begin(const os_plan *wanted) {
    plan = *wanted;
    told = (os_told){ 0 };
    counting = true;
}

os_told os_end(void) {
    counting = false;
    return told;
}

#if defined(SIM_WRAPS)

/* Whether this call is one that does not go as usual. */
static bool is_hit(void) {
    if (!counting || plan.at == 0) return false;
    uint32_t number = ++told.calls;
    return number == plan.at || (plan.for_good && number > plan.at);
}

static void die_if_wanted(void) {
    if (plan.how == OS_KILL) _exit(OS_KILLED);
}

/* Whether this call fails. `repeats`: the library repeats, or accepts, a call that is interrupted. */
static bool fails(bool repeats, bool matters) {
    if (!is_hit()) return false;
    die_if_wanted();
    if (plan.how == OS_PARTLY) return false;
    bool interrupted = plan.how == OS_INTERRUPTED;
    if (interrupted && plan.for_good) plan.at = 0; /* a call that is interrupted for ever is repeated for ever */
    told.failed = true;
    if (matters && !(interrupted && repeats)) told.fatally = true;
    errno = interrupted ? EINTR : plan.error;
    return true;
}

static size_t part_of(size_t size) { return size > 1 ? size / 2 : size; }

ssize_t __real_write(int file, const void *bytes, size_t size);
ssize_t __wrap_write(int file, const void *bytes, size_t size);
ssize_t __wrap_write(int file, const void *bytes, size_t size) {
    if (!counting || plan.how == OS_ERROR || plan.how == OS_INTERRUPTED)
        return fails(true, true) ? -1 : __real_write(file, bytes, size);
    if (!is_hit()) return __real_write(file, bytes, size);
    told.failed = true;
    ssize_t written = __real_write(file, bytes, part_of(size));
    die_if_wanted();
    return written;
}

ssize_t __real_read(int file, void *bytes, size_t size);
ssize_t __wrap_read(int file, void *bytes, size_t size);
ssize_t __wrap_read(int file, void *bytes, size_t size) {
    if (!counting || plan.how != OS_PARTLY) return fails(true, true) ? -1 : __real_read(file, bytes, size);
    if (!is_hit()) return __real_read(file, bytes, size);
    told.failed = true;
    return __real_read(file, bytes, part_of(size));
}

/* Nothing is lost by leaving it out: the machine goes on. */
int __wrap_fsync(int file);
int __wrap_fsync(int file) {
    (void)file;
    return fails(true, true) ? -1 : 0;
}

static bool is_written(int file) { return (fcntl(file, F_GETFL) & O_ACCMODE) == O_WRONLY; }

/* Leftovers are opened so, to be locked: nothing depends on them. */
static bool is_leftover(int flags) { return (flags & O_NOFOLLOW) != 0; }

/* The file is closed in any case. A failure matters only for a file that was written, and is not yet in its place. */
int __real_close(int file);
int __wrap_close(int file);
int __wrap_close(int file) {
    int flags = counting && !told.renamed ? fcntl(file, F_GETFL) : O_RDONLY;
    bool writes = (flags & O_ACCMODE) == O_WRONLY && !is_leftover(flags);
    bool failed = fails(true, writes);
    int error = errno, status = __real_close(file);
    errno = error;
    return failed ? -1 : status;
}

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to) {
    if (fails(false, true)) return -1;
    int status = __real_rename(from, to);
    if (counting && status == 0) told.renamed = true;
    return status;
}

int __real_unlink(const char *path);
int __wrap_unlink(const char *path);
int __wrap_unlink(const char *path) {
    if (!fails(false, false)) return __real_unlink(path);
    told.not_removed = true;
    return -1;
}

int __real_fchmod(int file, mode_t mode);
int __wrap_fchmod(int file, mode_t mode);
int __wrap_fchmod(int file, mode_t mode) { return fails(false, true) ? -1 : __real_fchmod(file, mode); }

/* A name that cannot be read as a link is none. */
ssize_t __real_readlink(const char *path, char *to, size_t size);
ssize_t __wrap_readlink(const char *path, char *to, size_t size);
ssize_t __wrap_readlink(const char *path, char *to, size_t size) {
    return fails(false, false) ? -1 : __real_readlink(path, to, size);
}

/* These have a second name for programs with large files. */
#define WRAP_OPEN(open)                                                              \
    int __real_##open(const char *path, int flags, ...);                             \
    int __wrap_##open(const char *path, int flags, ...);                             \
    int __wrap_##open(const char *path, int flags, ...) {                            \
        mode_t mode = 0;                                                             \
        if ((flags & O_CREAT) != 0) {                                                \
            va_list rest;                                                            \
            va_start(rest, flags);                                                   \
            mode = va_arg(rest, mode_t);                                             \
            va_end(rest);                                                            \
        }                                                                            \
        told.leftovers |= counting && is_leftover(flags);                            \
        if (!fails(false, !told.leftovers)) return __real_##open(path, flags, mode); \
        told.perhaps |= told.leftovers;                                              \
        return -1;                                                                   \
    }
#define WRAP_STAT(stat, fstat, info)                                   \
    int __real_##stat(const char *path, info *found);                  \
    int __wrap_##stat(const char *path, info *found);                  \
    int __wrap_##stat(const char *path, info *found) {                 \
        if (fails(false, true)) return -1;                             \
        return __real_##stat(path, found);                             \
    }                                                                  \
    int __real_##fstat(int file, info *found);                         \
    int __wrap_##fstat(int file, info *found);                         \
    int __wrap_##fstat(int file, info *found) {                        \
        bool saves = counting && is_written(file);                     \
        if (!fails(false, !saves)) return __real_##fstat(file, found); \
        told.perhaps |= saves;                                         \
        return -1;                                                     \
    }

WRAP_OPEN(open)
WRAP_STAT(stat, fstat, struct stat)
#if defined(__GLIBC__)
WRAP_OPEN(open64)
WRAP_STAT(stat64, fstat64, struct stat64)
#endif

#endif
