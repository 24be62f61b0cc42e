/* Runs a fuzz target over files, and over all files of directories, without libFuzzer. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *path) {
    perror(path);
    exit(EXIT_FAILURE);
}

static void run_file(const char *path) {
    /* Shown before the run: if it crashes, this is the culprit. */
    puts(path);
    fflush(stdout);

    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) fail(path);
    long end = ftell(file);
    if (end < 0) fail(path);
    rewind(file);

    /* A block of exactly that size, so that AddressSanitizer sees reads beyond it. */
    size_t size = (size_t)end;
    uint8_t *data = malloc(size);
    if ((!data && size > 0) || fread(data, 1, size, file) != size) fail(path);
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
}

/* Returns the number of files. */
static int run_path(const char *path) {
    DIR *dir = opendir(path);
    if (!dir) {
        run_file(path);
        return 1;
    }
    int files = 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        size_t length = strlen(path) + strlen(entry->d_name) + 2;
        char *name = malloc(length);
        if (!name) fail(path);
        snprintf(name, length, "%s/%s", path, entry->d_name);
        files += run_path(name);
        free(name);
    }
    closedir(dir);
    return files;
}

int main(int argc, char **argv) {
    int files = 0;
    for (int i = 1; i < argc; i++) files += run_path(argv[i]);
    printf("%d inputs\n", files);
    return files > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
