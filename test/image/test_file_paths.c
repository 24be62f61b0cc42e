/* Where files are written: separators of paths, relative and absolute ones, long names, and what others left there. The
 * operating system is the real one, also Windows. */
#define _XOPEN_SOURCE 700
#include "folder.h"
#include "image/file.h"
#include "memory/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#if defined(_WIN32)
#include <sys/utime.h>
#define utimbuf _utimbuf
#define utime _utime
#else
#include <utime.h>
#endif

static test_heap out;
static covey__heap memory;
static covey__file file;
static covey_report report;

static int setup(void **state) {
    memory = (covey__heap){ .allocator = test_allocator(&out) };
    return folder_setup(state);
}

/* Begins to write a file with five bytes. */
static void begin(const char *path) {
    if (!covey__file_create(&file, &covey__os_real, &memory, path, 0, &report)) fail_msg("%s", report.text);
    assert_true(covey__file_write(&file, "hello", 5));
}

static void finish(void) {
    if (!covey__file_finish(&file)) fail_msg("%s", report.text);
}

static void save(const char *path) {
    begin(path);
    finish();
}

static bool is_there(const char *path) {
    struct stat found;
    return stat(path, &found) == 0;
}

static void a_file_is_written_in_the_current_folder(void **state) {
    (void)state;
    const char *name = "test_file_paths.bytes";
    save(name);
    assert_true(is_there(name));
    assert_int_equal(remove(name), 0);
}

static void a_file_is_written_by_its_absolute_path(void **state) {
    (void)state;
    char here[1024], path[1100];
    assert_non_null(getcwd(here, sizeof here));
    snprintf(path, sizeof path, "%s/%s", here, in_folder("a"));
    save(path);
    assert_true(file_has("a", "hello", 5));
}

/* The temporary file, which is renamed, is in the same folder: in another one it could be on another disk. */
static void the_temporary_file_is_beside_the_file(void **state) {
    (void)state;
    begin(in_folder("a"));
    assert_int_equal(files_in_folder(false), 1);
    assert_false(file_has("a", "hello", 5));
    finish();
    assert_int_equal(files_in_folder(false), 1);
    assert_true(file_has("a", "hello", 5));
}

/* On Windows it separates; elsewhere it is a letter of a name. */
static void a_backslash_in_a_path(void **state) {
    (void)state;
    char path[400];
#if defined(_WIN32)
    snprintf(path, sizeof path, "%s\\a", folder);
#else
    snprintf(path, sizeof path, "%s/one\\a", folder);
#endif
    begin(path);
    assert_int_equal(files_in_folder(false), 1);
    finish();
    assert_int_equal(files_in_folder(false), 1);
    assert_true(is_there(path));
}

/* Only the name is cut for the temporary file, not the folder, however long that is. */
static void a_long_name_behind_each_separator(void **state) {
    (void)state;
    char name[111] = "";
    memset(name, 'n', 110);
#if defined(_WIN32)
    const char *separators = "/\\";
#else
    const char *separators = "/";
#endif
    for (; *separators; separators++) {
        char path[400] = "";
        int used = 0;
        for (int i = 0; i < 45; i++) used += snprintf(path + used, sizeof path - (size_t)used, ".%c", *separators);
        snprintf(path + used, sizeof path - (size_t)used, "%s%c%s", folder, *separators, name);
        begin(path);
        assert_int_equal(files_in_folder(false), 1);
        assert_null(strstr(file.temporary, name));
        finish();
        assert_true(file_has(name, "hello", 5));
        assert_int_equal(files_in_folder(true), 1);
    }
}

static void a_folder_that_is_not_there(void **state) {
    (void)state;
    assert_false(covey__file_create(&file, &covey__os_real, &memory, in_folder("none/a"), 0, &report));
    assert_non_null(strstr(report.text, "No such file"));
}

/* Somebody who reads a file gets either the old or the new one. Windows may refuse to replace a file that is open. */
static void a_file_that_is_read_meanwhile(void **state) {
    (void)state;
    char bytes[6] = "";
    put_file("a", "older", 5);
    FILE *reader = fopen(in_folder("a"), "rb");
    assert_non_null(reader);
    begin(in_folder("a"));
    bool replaced = covey__file_finish(&file);
    assert_int_equal(fread(bytes, 1, 5, reader), 5);
    assert_string_equal(bytes, "older");
    fclose(reader);
    assert_true(file_has("a", replaced ? "hello" : "older", 5));
    assert_int_equal(files_in_folder(false), 1);
#if !defined(_WIN32)
    assert_true(replaced);
#endif
}

/* Writes the beginning of a file and ends there, as a process does that is killed. */
static void leave_behind(const char *name, int seconds_ago) {
    char temporary[sizeof file.temporary];
    begin(in_folder(name));
    memcpy(temporary, file.temporary, sizeof temporary);
    file.temporary[0] = '\0'; /* so that it is not removed */
    covey__file_abandon(&file);
    time_t then = time(NULL) - seconds_ago;
    assert_int_equal(utime(temporary, &(struct utimbuf){ then, then }), 0);
}

static void what_others_left_is_removed(void **state) {
    (void)state;
    leave_behind("a", 3600);
    assert_int_equal(files_in_folder(false), 1);
    save(in_folder("a"));
    assert_int_equal(files_in_folder(false), 1);
    assert_true(file_has("a", "hello", 5));
}

/* Two write the same file: each has a temporary file of its own, and the last one stays. */
static void two_that_write_the_same_file(void **state) {
    (void)state;
    begin(in_folder("a"));
    covey__file first = file;
    save(in_folder("a"));
    assert_int_equal(files_in_folder(false), 2);
    assert_true(covey__file_write(&first, "!", 1));
    assert_true(covey__file_finish(&first));
    assert_int_equal(files_in_folder(false), 1);
    assert_true(file_has("a", "hello!", 6));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, folder_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_file_is_written_in_the_current_folder),
        TEST(a_file_is_written_by_its_absolute_path),
        TEST(the_temporary_file_is_beside_the_file),
        TEST(a_backslash_in_a_path),
        TEST(a_long_name_behind_each_separator),
        TEST(a_folder_that_is_not_there),
        TEST(a_file_that_is_read_meanwhile),
        TEST(what_others_left_is_removed),
        TEST(two_that_write_the_same_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
