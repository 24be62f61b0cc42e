/* Calls of the operating system: terminals, folders and file sizes. */
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#endif

#include "snap.h"

#include <sys/stat.h>
#include <sys/types.h>
#if defined(_WIN32)
#include <direct.h>
#include <io.h>
typedef struct _stat64 status;
static bool look(const char *path, status *found) { return _stat64(path, found) == 0; }
static bool is_folder(const status *found) { return (found->st_mode & _S_IFDIR) != 0; }
bool snap_is_terminal(FILE *stream) { return _isatty(_fileno(stream)) != 0; }
bool snap_make_folder(const char *path) { return _mkdir(path) == 0; }
#else
#include <unistd.h>
typedef struct stat status;
static bool look(const char *path, status *found) { return stat(path, found) == 0; }
static bool is_folder(const status *found) { return S_ISDIR(found->st_mode); }
bool snap_is_terminal(FILE *stream) { return isatty(fileno(stream)) != 0; }
bool snap_make_folder(const char *path) { return mkdir(path, 0777) == 0; }
#endif

bool snap_is_folder(const char *path) {
    status found;
    return look(path, &found) && is_folder(&found);
}

bool snap_file_size(const char *path, uint64_t *size) {
    status found;
    if (!look(path, &found) || found.st_size < 0) return false;
    *size = (uint64_t)found.st_size;
    return true;
}
