/* Removing files of jobs that were killed while they saved. The next complete checkpoint at the same path does it. A
 * killed job can leave these files:
 *
 *     path.8.1.tmp-1a2b-0     an unfinished image
 *     path.8.1                an image whose manifest was not renamed
 *     path.8.new              that manifest, with or without its text
 *     path.6.1, path.7.1      images of earlier checkpoints, whose manifest was replaced
 *
 * A file is removed if it has such a name, with a number up to that of the checkpoint; if it is a regular file of
 * this user; and if it begins like an image or a manifest. Unfinished images and manifests may also be empty. */
#define _POSIX_C_SOURCE 200809L
#include "checkpoint.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static bool begins_as(covey__leftover kind, const unsigned char *bytes, size_t size) {
    covey_image_info info;
    covey_report report = { .result = COVEY_OK };
    if (size == 0) return kind != COVEY__LEFTOVER_IMAGE;
    if (kind == COVEY__LEFTOVER_DRAFT) return covey__manifest_begins(bytes, size);
    covey_image_read_info(bytes, size, &info, &report);
    return report.fault != COVEY_FAULT_NOT_AN_IMAGE;
}

static bool is_ours(int folder, const char *name, covey__leftover kind) {
    unsigned char bytes[16];
    struct stat about;
    if (fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode) || about.st_uid != geteuid())
        return false;
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t size = read(file, bytes, sizeof bytes);
    close(file);
    return size >= 0 && begins_as(kind, bytes, (size_t)size);
}

void covey__mpi_leftovers_remove(const char *path, const covey__manifest *m) {
    char folder[COVEY__MPI_PATH + 1];
    const char *base = covey__mpi_folder_of(path, folder);
    DIR *files = opendir(folder);
    if (!files) return;
    for (const struct dirent *file = readdir(files); file; file = readdir(files)) {
        covey__leftover kind = covey__manifest_leftover(file->d_name, base, m);
        if (kind != COVEY__LEFTOVER_NONE && is_ours(dirfd(files), file->d_name, kind))
            unlinkat(dirfd(files), file->d_name, 0);
    }
    closedir(files);
}
