/* Runs a fuzz target over inputs without libFuzzer: files, all files of folders, and all members of tar files, which is
 * how scripts/corpus packs the corpus. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *path, const char *why) {
    fprintf(stderr, "%s: %s\n", path, why);
    exit(EXIT_FAILURE);
}

static FILE *open_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) fail(path, strerror(errno));
    return file;
}

/* Runs the target on the next bytes of a file. They are in a block of exactly that size, so that AddressSanitizer sees
 * reads beyond it. */
static void run_bytes(FILE *file, size_t size, const char *path) {
    uint8_t *data = malloc(size);
    if (!data && size > 0) fail(path, "an input is too large for the memory");
    if (fread(data, 1, size, file) != size) fail(path, "truncated");
    LLVMFuzzerTestOneInput(data, size);
    free(data);
}

/* Prints the name of an input before it runs: after a crash, the last name is the input that caused it. */
static void announce(const char *path, const char *member) {
    printf("%s%s%s\n", path, *member ? ": " : "", member);
    fflush(stdout);
}

static void run_file(const char *path) {
    FILE *file = open_file(path);
    if (fseek(file, 0, SEEK_END) != 0) fail(path, strerror(errno));
    long size = ftell(file);
    if (size < 0) fail(path, strerror(errno));
    rewind(file);
    announce(path, "");
    run_bytes(file, (size_t)size, path);
    fclose(file);
}

/* ---- Tar files ----------------------------------------------------------------------------------------------------
 *
 *     header     a record of 512 bytes: name, size and sum of the bytes of the header in octal digits, kind, "ustar"
 *     input      bytes, filled up to whole records
 *     ...        further headers and inputs
 *     end        two records of zeros
 *
 * Any other file is refused, so that no input is skipped silently. */

enum {
    RECORD = 512,
    NAME_BYTES = 100, /* from the first byte on */
    SIZE = 124,
    SIZE_BYTES = 12,
    SUM = 148,
    SUM_BYTES = 8,
    KIND = 156,
    MAGIC = 257
};

typedef struct tar {
    FILE *file;
    const char *path;
    unsigned char record[RECORD];
} tar;

static void read_record(tar *t) {
    if (fread(t->record, 1, RECORD, t->file) != RECORD) fail(t->path, "truncated");
}

static bool is_zero(const tar *t) {
    for (size_t i = 0; i < RECORD; i++) {
        if (t->record[i] != 0) return false;
    }
    return true;
}

static uint64_t octal(const tar *t, size_t at, size_t bytes) {
    uint64_t number = 0;
    for (size_t i = at; i < at + bytes && t->record[i] >= '0' && t->record[i] <= '7'; i++) {
        number = number * 8 + (uint64_t)(t->record[i] - '0');
    }
    return number;
}

/* The bytes of the sum itself count as spaces. */
static uint64_t sum_of(const tar *t) {
    uint64_t sum = 0;
    for (size_t i = 0; i < RECORD; i++) sum += i >= SUM && i < SUM + SUM_BYTES ? ' ' : t->record[i];
    return sum;
}

static void run_member(tar *t) {
    if (octal(t, SUM, SUM_BYTES) != sum_of(t) || memcmp(t->record + MAGIC, "ustar", 5) != 0) fail(t->path, "damaged");
    if (t->record[KIND] != '0') fail(t->path, "a member is not a plain file");
    char name[NAME_BYTES + 1] = "";
    memcpy(name, t->record, NAME_BYTES);
    announce(t->path, name);
    size_t size = (size_t)octal(t, SIZE, SIZE_BYTES), filling = (RECORD - size % RECORD) % RECORD;
    run_bytes(t->file, size, t->path);
    if (fseek(t->file, (long)filling, SEEK_CUR) != 0) fail(t->path, strerror(errno));
}

static int run_tar(const char *path) {
    tar t = { .file = open_file(path), .path = path };
    int inputs = 0;
    for (read_record(&t); !is_zero(&t); read_record(&t)) {
        run_member(&t);
        inputs++;
    }
    read_record(&t);
    if (!is_zero(&t) || fgetc(t.file) != EOF) fail(path, "bytes behind the end: pack it with scripts/corpus");
    fclose(t.file);
    return inputs;
}

/* ---- Paths --------------------------------------------------------------------------------------------------------*/

static int run_path(const char *path);

static int run_folder(DIR *folder, const char *path) {
    int inputs = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        size_t length = strlen(path) + strlen(entry->d_name) + 2;
        char *name = malloc(length);
        if (!name) fail(path, strerror(errno));
        snprintf(name, length, "%s/%s", path, entry->d_name);
        inputs += run_path(name);
        free(name);
    }
    closedir(folder);
    return inputs;
}

static bool is_tar(const char *path) {
    size_t length = strlen(path);
    return length >= 4 && strcmp(path + length - 4, ".tar") == 0;
}

/* Returns the number of inputs. */
static int run_path(const char *path) {
    DIR *folder = opendir(path);
    if (folder) return run_folder(folder, path);
    if (is_tar(path)) return run_tar(path);
    run_file(path);
    return 1;
}

int main(int argc, char **argv) {
    int inputs = 0;
    for (int i = 1; i < argc; i++) inputs += run_path(argv[i]);
    printf("%d inputs\n", inputs);
    return inputs > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
