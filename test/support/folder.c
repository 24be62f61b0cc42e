#define _XOPEN_SOURCE 700
#include "folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(_WIN32)
#include <io.h>
static char *mkdtemp(char *name) { return _mktemp(name) && mkdir(name) == 0 ? name : NULL; }
#endif

char folder[] = "test_folder.XXXXXX";

int folder_setup(void **state) {
    (void)state;
    memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
    return mkdtemp(folder) ? 0 : -1;
}

int folder_teardown(void **state) {
    (void)state;
    files_in_folder(true);
    return rmdir(folder);
}

const char *in_folder(const char *name) {
    static char paths[4][400];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

int files_in_folder(bool remove) {
    int count = 0;
    DIR *opened = opendir(folder);
    assert_non_null(opened);
    for (struct dirent *entry = readdir(opened); entry; entry = readdir(opened)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (remove) assert_int_equal(unlink(in_folder(entry->d_name)), 0);
        count++;
    }
    closedir(opened);
    return count;
}

void put_file(const char *name, const void *bytes, size_t size) {
    FILE *file = fopen(in_folder(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

bool file_has(const char *name, const void *bytes, size_t size) {
    FILE *file = fopen(in_folder(name), "rb");
    if (!file) return false;
    unsigned char *found = malloc(size + 1);
    assert_non_null(found);
    bool same = fread(found, 1, size + 1, file) == size && memcmp(found, bytes, size) == 0;
    free(found);
    fclose(file);
    return same;
}
