/* Files of the operating system: the only source of images that needs more than the C library. */
#if !defined(_WIN32)
#define _XOPEN_SOURCE 700 /* POSIX 2008, and realpath */
#define _FILE_OFFSET_BITS 64
#define _DARWIN_C_SOURCE 1 /* flock, which POSIX does not have */
#define __BSD_VISIBLE 1
#endif

#include "image/file.h"
#include "memory/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

/* The most bytes that are read or written at once. */
#define AT_ONCE ((size_t)1 << 30)

static unsigned at_once(size_t size) { return (unsigned)(size < AT_ONCE ? size : AT_ONCE); }

static int copy_path(const char *path, char *to) {
    size_t length = strlen(path);
    if (length >= COVEY__PATH_BYTES) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(to, path, length + 1);
    return 0;
}

#if defined(_WIN32)

#include <io.h>
#include <process.h>
#include <time.h>
#include <windows.h>

static int look(const char *path, covey__file_info *info) {
    struct _stat64 found;
    if (_stat64(path, &found) != 0) return -1;
    *info = (covey__file_info){ (found.st_mode & _S_IFMT) == _S_IFREG, found.st_mode & 0777, (uint64_t)found.st_size };
    return 0;
}

static int measure(int file, covey__file_info *info) {
    struct _stat64 found;
    if (_fstat64(file, &found) != 0) return -1;
    *info = (covey__file_info){ (found.st_mode & _S_IFMT) == _S_IFREG, found.st_mode & 0777, (uint64_t)found.st_size };
    return 0;
}

static int create(const char *path) {
    return _open(path, _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY | _O_NOINHERIT, _S_IREAD | _S_IWRITE);
}

/* On Windows, open files cannot be removed, so they need no lock. A temporary file is closed before it is renamed:
 * files that were written within this time are not removed. */
enum { LEFTOVER_SECONDS = 60 };

static int discard(const char *path) {
    struct _stat64 found;
    if (_stat64(path, &found) != 0) return -1;
    if (_time64(NULL) - found.st_mtime >= LEFTOVER_SECONDS) return _unlink(path);
    errno = EACCES;
    return -1;
}

static uint64_t host(void) {
    char name[MAX_COMPUTERNAME_LENGTH + 1] = "";
    DWORD size = sizeof name;
    return GetComputerNameA(name, &size) ? covey__hash(name, strlen(name), 0) : 0;
}

/* On Windows, files inherit the permissions of their folder. */
static int permit(int file, uint32_t mode) {
    (void)file, (void)mode;
    return 0;
}

static ptrdiff_t write_bytes(int file, const void *bytes, size_t size) { return _write(file, bytes, at_once(size)); }
static ptrdiff_t read_bytes(int file, void *bytes, size_t size) { return _read(file, bytes, at_once(size)); }
static int open_file(const char *path) { return _open(path, _O_RDONLY | _O_BINARY | _O_NOINHERIT); }

static int rename_file(const char *from, const char *to) {
    if (MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)) return 0;
    errno = GetLastError() == ERROR_ACCESS_DENIED ? EACCES : EIO;
    return -1;
}

static uint32_t process(void) { return (uint32_t)_getpid(); }
static void explain(int error, char *text, size_t bytes) { strerror_s(text, bytes, error); }

const covey__os covey__os_real = {
    .separators = "/\\:",
    .resolve = copy_path,
    .look = look,
    .create = create,
    .discard = discard,
    .permit = permit,
    .write = write_bytes,
    .sync = _commit,
    .close = _close,
    .rename = rename_file,
    .remove = _unlink,
    .open = open_file,
    .measure = measure,
    .read = read_bytes,
    .process = process,
    .host = host,
    .explain = explain,
};

#else

#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

/* A symbolic link to a file that does not exist is treated as a normal name: it will be replaced. */
static int resolve(const char *path, char *to) {
    char byte, found[PATH_MAX];
    if (readlink(path, &byte, 1) < 0) return copy_path(path, to);
    if (realpath(path, found)) return copy_path(found, to);
    return errno == ENOENT ? copy_path(path, to) : -1;
}

static int describe_file(int status, const struct stat *found, covey__file_info *info) {
    if (status != 0) return -1;
    *info = (covey__file_info){ S_ISREG(found->st_mode), found->st_mode & 0777, (uint64_t)found->st_size };
    return 0;
}

static int look(const char *path, covey__file_info *info) {
    struct stat found;
    return describe_file(stat(path, &found), &found, info);
}

static int measure(int file, covey__file_info *info) {
    struct stat found;
    return describe_file(fstat(file, &found), &found, info);
}

static int create(const char *path) { return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); }

/* Returns -1 if another process has the lock (EWOULDBLOCK), or if the file system has no locks. */
static int lock(int file) {
#if defined(LOCK_EX)
    return flock(file, LOCK_EX | LOCK_NB);
#else
    (void)file;
    errno = ENOTSUP;
    return -1;
#endif
}

/* Whether a path still leads to an open file. */
static bool leads_to(const char *path, int file) {
    struct stat there, own;
    return lstat(path, &there) == 0 && fstat(file, &own) == 0 && S_ISREG(own.st_mode) && there.st_dev == own.st_dev &&
           there.st_ino == own.st_ino;
}

/* Between creating and locking the file, another process may have removed it as a leftover. On file systems without
 * locks, no file is ever removed as a leftover, so a failed lock is not an error. */
static int claim(int file, const char *path) {
    bool lost = lock(file) != 0 && errno == EWOULDBLOCK;
    if (!lost && leads_to(path, file)) return fcntl(file, F_DUPFD_CLOEXEC, 0);
    errno = EEXIST;
    return -1;
}

/* Only the process that has the lock of a file may rename or remove it, so the path still names this file when it is
 * removed. */
static int discard(const char *path) {
    int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, file = open(path, O_WRONLY | flags);
    if (file < 0 && errno == EACCES) file = open(path, O_RDONLY | flags);
    if (file < 0) return -1;
    int status = lock(file) == 0 && leads_to(path, file) ? unlink(path) : -1;
    close(file);
    return status;
}

static uint64_t host(void) {
    char name[256] = "";
    return gethostname(name, sizeof name - 1) == 0 ? covey__hash(name, strlen(name), 0) : 0;
}

static int permit(int file, uint32_t mode) { return fchmod(file, (mode_t)mode); }
static ptrdiff_t write_bytes(int file, const void *bytes, size_t size) { return write(file, bytes, at_once(size)); }
static ptrdiff_t read_bytes(int file, void *bytes, size_t size) { return read(file, bytes, at_once(size)); }
static int open_file(const char *path) { return open(path, O_RDONLY | O_CLOEXEC); }

/* Some file systems cannot sync a folder, and need not. */
static int open_folder(const char *path) { return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC); }
static int sync_folder(int folder) { return fsync(folder) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : -1; }

/* If a signal interrupts it, the file is closed nevertheless. */
static int close_file(int file) { return close(file) == 0 || errno == EINTR ? 0 : -1; }

static uint32_t process(void) { return (uint32_t)getpid(); }

/* With _GNU_SOURCE, glibc declares its own strerror_r, which returns the text. */
static void explain(int error, char *text, size_t bytes) {
#if defined(__GLIBC__) && defined(_GNU_SOURCE)
    const char *found = strerror_r(error, text, bytes);
    if (found != text) snprintf(text, bytes, "%s", found);
#else
    if (strerror_r(error, text, bytes) != 0) snprintf(text, bytes, "error %d", error);
#endif
}

const covey__os covey__os_real = {
    .separators = "/",
    .resolve = resolve,
    .look = look,
    .create = create,
    .claim = claim,
    .discard = discard,
    .permit = permit,
    .write = write_bytes,
    .sync = fsync,
    .close = close_file,
    .rename = rename,
    .remove = unlink,
    .open_folder = open_folder,
    .sync_folder = sync_folder,
    .open = open_file,
    .measure = measure,
    .read = read_bytes,
    .process = process,
    .host = host,
    .explain = explain,
};

#endif
