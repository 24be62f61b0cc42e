/* Files that are whole or absent, while each call of the operating system fails in turn. */
#define _XOPEN_SOURCE 700
#include "memory/alloc.h"
#include "image/file.h"
#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(COVEY_WITH_ZSTD)
#include <zstd.h>
#endif

/* ---- An operating system that says no -----------------------------------------------------------------------------*/

static struct {
    int calls, fail_at, die_at; /* the number of the call that fails, or does not come back; 0: none */
    int error;                  /* what it says then */
    const char *failed;         /* name of the last call that failed */
    size_t at_once;             /* bytes that are read or written at most; 0: any number */
    bool interrupt;             /* every other call is interrupted first */
    bool interrupted;
    int renames;
    int open; /* files */
    uint64_t host;
} os;

static bool says_no(const char *name) {
    os.calls++;
    if (os.calls == os.die_at) _exit(0);
    if (os.calls != os.fail_at) return false;
    os.failed = name;
    errno = os.error;
    return true;
}

static bool interrupts(void) {
    os.interrupted = os.interrupt && !os.interrupted;
    if (os.interrupted) errno = EINTR;
    return os.interrupted;
}

static size_t cut(size_t size) { return os.at_once && size > os.at_once ? os.at_once : size; }

#define REAL(name, ...) return says_no(#name) ? -1 : covey__os_real.name(__VA_ARGS__)
#define REAL_OPEN(name, path) return says_no(#name) ? -1 : opened(covey__os_real.name(path))

static int opened(int file) {
    os.open += file >= 0;
    return file;
}

static int os_resolve(const char *path, char *to) { REAL(resolve, path, to); }
static int os_look(const char *path, covey__file_info *info) { REAL(look, path, info); }
static int os_create(const char *path) { REAL_OPEN(create, path); }
static int os_claim(int file, const char *path) {
    return says_no("claim") ? -1 : opened(covey__os_real.claim(file, path));
}
static int os_discard(const char *path) { REAL(discard, path); }
static int os_permit(int file, uint32_t mode) { REAL(permit, file, mode); }
static int os_open_folder(const char *path) { REAL_OPEN(open_folder, path); }
static int os_open(const char *path) { REAL_OPEN(open, path); }
static int os_measure(int file, covey__file_info *info) { REAL(measure, file, info); }

static ptrdiff_t os_write(int file, const void *bytes, size_t size) {
    if (interrupts()) return -1;
    REAL(write, file, bytes, cut(size));
}

static ptrdiff_t os_read(int file, void *bytes, size_t size) {
    if (interrupts()) return -1;
    REAL(read, file, bytes, cut(size));
}

/* The disk is left alone: this is what takes time. */
static int os_sync(int file) {
    (void)file;
    return interrupts() || says_no("sync") ? -1 : 0;
}

static int os_sync_folder(int file) {
    (void)file;
    return interrupts() || says_no("sync_folder") ? -1 : 0;
}

/* Closes the file even if it then fails, as systems do. */
static int os_close(int file) {
    bool no = says_no("close");
    os.open--;
    int error = errno, status = covey__os_real.close(file);
    errno = error;
    return no ? -1 : status;
}

static int os_rename(const char *from, const char *to) {
    os.renames++;
    REAL(rename, from, to);
}

static int os_remove(const char *path) { REAL(remove, path); }

static uint32_t os_process(void) { return 77; }
static uint64_t os_host(void) { return os.host; }
static void os_explain(int error, char *text, size_t bytes) { covey__os_real.explain(error, text, bytes); }

static const covey__os unkind = {
    .separators = "/",
    .resolve = os_resolve,
    .look = os_look,
    .create = os_create,
    .claim = os_claim,
    .discard = os_discard,
    .permit = os_permit,
    .write = os_write,
    .sync = os_sync,
    .close = os_close,
    .rename = os_rename,
    .remove = os_remove,
    .open_folder = os_open_folder,
    .sync_folder = os_sync_folder,
    .open = os_open,
    .measure = os_measure,
    .read = os_read,
    .process = os_process,
    .host = os_host,
    .explain = os_explain,
};

/* ---- What the tests share -----------------------------------------------------------------------------------------*/

static test_heap heap;
static covey_report report;

static int setup(void **state) {
    memset(&os, 0, sizeof os);
    os.error = EIO;
    heap = (test_heap){ 0 };
    report = (covey_report){ 0 };
    return folder_setup(state);
}

static int teardown(void **state) {
    assert_int_equal(heap.bytes, 0);
    assert_int_equal(os.open, 0);
    return folder_teardown(state);
}

/* Bytes that do not compress well, and are others for other seeds. */
static unsigned char *some_bytes(size_t size, uint64_t seed) {
    unsigned char *bytes = malloc(size + 1);
    assert_non_null(bytes);
    test_random random = { seed };
    for (size_t i = 0; i < size; i++) bytes[i] = (unsigned char)(test_next(&random) & 0x3F);
    return bytes;
}

/* Writes a file in parts of all sizes. */
static bool write_file(const covey__os *system, const char *path, const unsigned char *bytes, size_t size, int level) {
    covey__heap own = { test_allocator(&heap), 0, NULL };
    covey__file file;
    size_t part = 1;
    if (!covey__file_create(&file, system, &own, path, level, &report)) return false;
    for (size_t at = 0; at < size; at += part, part = part * 3 % 150001) {
        if (part > size - at) part = size - at;
        if (!covey__file_write(&file, bytes + at, part)) return false;
    }
    bool finished = covey__file_finish(&file);
    assert_int_equal(own.bytes, 0);
    return finished;
}

static covey_buffer buffer;
static uint64_t left; /* of the limit */

static bool read_file(const covey__os *system, const char *path, uint64_t limit) {
    buffer = (covey_buffer){ .allocator = test_allocator(&heap) };
    return covey__file_read(system, path, limit, &buffer, &left, &report);
}

static void free_buffer(void) {
    covey__heap own = { buffer.allocator, buffer.capacity, NULL };
    if (buffer.bytes) covey__free(&own, buffer.bytes, buffer.capacity, 1, _Alignof(max_align_t));
    buffer.bytes = NULL;
}

static void reads(const char *path, uint64_t limit, const void *bytes, size_t size) {
    if (!read_file(&covey__os_real, path, limit)) fail_msg("%s", report.text);
    assert_int_equal(buffer.size, size);
    assert_memory_equal(buffer.bytes, bytes, size);
    free_buffer();
}

static void does_not_read(const char *path, uint64_t limit, covey_result result) {
    report = (covey_report){ 0 };
    assert_false(read_file(&covey__os_real, path, limit));
    assert_int_equal(report.result, result);
    assert_true(report.text[0]);
    assert_null(buffer.bytes);
    assert_int_equal(buffer.size + buffer.capacity, 0);
    assert_int_equal(heap.bytes, 0);
}

static void says(const char *words) {
    if (!strstr(report.text, words)) fail_msg("\"%s\" does not say \"%s\"", report.text, words);
}

/* ---- Writing ------------------------------------------------------------------------------------------------------*/

enum { LARGE = 1000000 };

static const size_t sizes[] = { 0, 1, 3, 4, 5, 1000, 131071, 131072, 131073, LARGE };
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static void what_is_written_is_there(void **state) {
    (void)state;
    unsigned char *bytes = some_bytes(LARGE, 1);
    for (int i = 0; i < SIZES; i++) {
        assert_true(write_file(&covey__os_real, in_folder("a"), bytes, sizes[i], 0));
        assert_true(file_has("a", bytes, sizes[i]));
        reads(in_folder("a"), 0, bytes, sizes[i]);
        assert_int_equal(files_in_folder(false), 1);
    }
    free(bytes);
}

static void short_and_interrupted_calls_go_on(void **state) {
    (void)state;
    unsigned char *bytes = some_bytes(3000, 1);
    os.at_once = 7, os.interrupt = true;
    assert_true(write_file(&unkind, in_folder("a"), bytes, 3000, 0));
    assert_true(file_has("a", bytes, 3000));
    assert_true(read_file(&unkind, in_folder("a"), 0));
    assert_int_equal(buffer.size, 3000);
    assert_memory_equal(buffer.bytes, bytes, 3000);
    free_buffer();
    free(bytes);
}

/* What a report says of a call that failed. */
static const struct {
    const char *call, *words;
} steps[] = {
    { "resolve", "find the file" },
    { "look", "look at the file" },
    { "create", "create the temporary file" },
    { "claim", "create the temporary file" },
    { "permit", "rights" },
    { "write", "write the temporary file" },
    { "sync", "sync the temporary file" },
    { "close", "close the temporary file" },
    { "open_folder", "open the folder" },
    { "rename", "rename the temporary file" },
    { "sync_folder", "sync the folder; the new file exists" },
};
enum { STEPS = sizeof steps / sizeof steps[0] };

static const char *words_of(const char *call) {
    for (int i = 0; i < STEPS; i++)
        if (strcmp(steps[i].call, call) == 0) return steps[i].words;
    fail_msg("%s should not be called", call);
    return NULL;
}

/* Each call fails in turn. The old file is there, or the new one if it failed after that, and nothing else is. */
static uint32_t each_call_fails(const unsigned char *old, const unsigned char *bytes, size_t size, int level) {
    uint32_t seen = 0;
    for (int at = 1;; at++) {
        if (old) put_file("a", old, 500);
        else unlink(in_folder("a"));
        os.calls = os.renames = 0, os.fail_at = at, os.failed = NULL;
        bool done = write_file(&unkind, in_folder("a"), bytes, size, level);
        if (!os.failed) break;
        bool was_last = os.renames > 0 && strcmp(os.failed, "close") == 0; /* of the folder, and the lock: nothing */
        bool tidied = strcmp(os.failed, "discard") == 0;                   /* depends on these, nor on leftovers */
        assert_int_equal(done, was_last || tidied);
        if (done) continue;
        assert_int_equal(report.result, COVEY_ERROR_FILE);
        says(words_of(os.failed));
        says(strerror(EIO));
        for (uint32_t i = 0; i < STEPS; i++) seen |= (uint32_t)(strcmp(steps[i].call, os.failed) == 0) << i;
        bool replaced = strcmp(os.failed, "sync_folder") == 0;
        if (!replaced && old) assert_true(file_has("a", old, 500));
        if (replaced && level == 0) assert_true(file_has("a", bytes, size));
        assert_int_equal(files_in_folder(false), replaced || old ? 1 : 0);
    }
    os.fail_at = 0;
    return seen;
}

static void a_failed_call_leaves_the_old_file(void **state) {
    (void)state;
    unsigned char *old = some_bytes(500, 1), *bytes = some_bytes(LARGE, 2);
    assert_int_equal(each_call_fails(old, bytes, LARGE, 0), (1 << STEPS) - 1);
    assert_int_equal(each_call_fails(old, bytes, 10, 0), (1 << STEPS) - 1);
    free(old);
    free(bytes);
}

static void a_failed_call_leaves_nothing_where_nothing_was(void **state) {
    (void)state;
    unsigned char *bytes = some_bytes(LARGE, 2);
    assert_int_equal(each_call_fails(NULL, bytes, LARGE, 0), ((1 << STEPS) - 1) & ~(1 << 4)); /* no rights to copy */
    free(bytes);
}

/* A process ends at any call: the whole old file is there, or the whole new one. The next process that writes the file
 * removes what is left. */
static void a_process_that_ends_leaves_a_whole_file(void **state) {
    (void)state;
    unsigned char *old = some_bytes(500, 1), *bytes = some_bytes(LARGE, 2);
    int olds = 0, news = 0, leftovers = 0;
    for (int at = 1, status = 0; status == 0; at++) {
        files_in_folder(true);
        put_file("a", old, 500);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            os.die_at = at;
            os.host = covey__os_real.host();
            _exit(write_file(&unkind, in_folder("a"), bytes, LARGE, 0) ? 1 : 2);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        bool is_old = file_has("a", old, 500);
        assert_true(is_old || file_has("a", bytes, LARGE));
        olds += is_old, news += !is_old;
        leftovers += files_in_folder(false) - 1;
        assert_true(write_file(&covey__os_real, in_folder("a"), old, 500, 0));
        assert_int_equal(files_in_folder(false), 1);
    }
    assert_true(olds > 8 && leftovers > 5);
    assert_int_equal(news, 4); /* sync of the folder, its close and that of the lock, and the one that ended well */
    free(old);
    free(bytes);
}

static ptrdiff_t write_nothing(int file, const void *bytes, size_t size) {
    (void)file, (void)bytes, (void)size;
    return 0;
}

static void a_write_that_writes_nothing_is_an_error(void **state) {
    (void)state;
    covey__os lazy = covey__os_real;
    lazy.write = write_nothing;
    assert_false(write_file(&lazy, in_folder("a"), (const unsigned char *)"abc", 3, 0));
    says("cannot write");
    assert_int_equal(files_in_folder(false), 0);
}

static void an_abandoned_file_leaves_the_old_one(void **state) {
    (void)state;
    covey__heap own = { test_allocator(&heap), 0, NULL };
    covey__file file;
    put_file("a", "old", 3);
    assert_true(covey__file_create(&file, &covey__os_real, &own, in_folder("a"), 0, &report));
    assert_true(covey__file_write(&file, "new", 3));
    assert_int_equal(files_in_folder(false), 2);
    covey__file_abandon(&file);
    covey__file_abandon(&file);
    assert_int_equal(files_in_folder(false), 1);
    assert_true(file_has("a", "old", 3));
    assert_int_equal(own.bytes, 0);
}

static void rights_of_the_old_file_stay(void **state) {
    (void)state;
    struct stat found;
    mode_t mask = umask(027);
    assert_true(write_file(&covey__os_real, in_folder("a"), (const unsigned char *)"abc", 3, 0));
    assert_int_equal(stat(in_folder("a"), &found), 0);
    assert_int_equal(found.st_mode & 0777, 0640);
    assert_int_equal(chmod(in_folder("a"), 0606), 0);
    assert_true(write_file(&covey__os_real, in_folder("a"), (const unsigned char *)"abcd", 4, 0));
    assert_int_equal(stat(in_folder("a"), &found), 0);
    assert_int_equal(found.st_mode & 0777, 0606);
    umask(mask);
}

static void a_link_stays_and_its_file_is_replaced(void **state) {
    (void)state;
    struct stat found;
    put_file("a", "old", 3);
    assert_int_equal(symlink("a", in_folder("link")), 0);
    assert_int_equal(symlink("link", in_folder("chain")), 0);
    assert_true(write_file(&covey__os_real, in_folder("chain"), (const unsigned char *)"new", 3, 0));
    assert_true(file_has("a", "new", 3));
    assert_int_equal(lstat(in_folder("link"), &found), 0);
    assert_true(S_ISLNK(found.st_mode));
    assert_int_equal(files_in_folder(false), 3);
}

static void a_link_that_leads_nowhere_is_replaced(void **state) {
    (void)state;
    struct stat found;
    assert_int_equal(symlink("nowhere", in_folder("link")), 0);
    assert_true(write_file(&covey__os_real, in_folder("link"), (const unsigned char *)"new", 3, 0));
    assert_int_equal(lstat(in_folder("link"), &found), 0);
    assert_true(S_ISREG(found.st_mode));
    assert_int_equal(files_in_folder(false), 1);
}

static void a_link_to_itself_is_refused(void **state) {
    (void)state;
    assert_int_equal(symlink("link", in_folder("link")), 0);
    assert_false(write_file(&covey__os_real, in_folder("link"), (const unsigned char *)"new", 3, 0));
    assert_int_equal(report.result, COVEY_ERROR_FILE);
    says("cannot find the file");
}

static void folders_and_devices_are_not_replaced(void **state) {
    (void)state;
    struct stat found;
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    assert_false(write_file(&covey__os_real, in_folder("pipe"), (const unsigned char *)"new", 3, 0));
    says("it is not a regular file");
    assert_int_equal(stat(in_folder("pipe"), &found), 0);
    assert_true(S_ISFIFO(found.st_mode));
    assert_false(write_file(&covey__os_real, folder, (const unsigned char *)"new", 3, 0));
    says("it is not a regular file");
    assert_int_equal(files_in_folder(false), 1);
}

static bool begin_writing(covey__file *file, covey__heap *own, const char *name) {
    *own = (covey__heap){ test_allocator(&heap), 0, NULL };
    return covey__file_create(file, &covey__os_real, own, in_folder(name), 0, &report);
}

/* Each has a name of its own while it writes, and none removes that of another. */
static void several_write_one_file_at_once(void **state) {
    (void)state;
    enum { WRITERS = 12 }; /* more than have names that are used again */
    covey__file files[WRITERS];
    covey__heap own[WRITERS];
    char text[] = "from 0";
    for (int i = 0; i < WRITERS; i++) {
        text[5] = (char)('a' + i);
        assert_true(begin_writing(&files[i], &own[i], "a"));
        assert_true(covey__file_write(&files[i], text, 6));
        assert_int_equal(files_in_folder(false), i + 1);
    }
    for (int i = WRITERS; i-- != 0;) {
        text[5] = (char)('a' + i);
        assert_true(covey__file_finish(&files[i]));
        assert_true(file_has("a", text, 6));
    }
    assert_int_equal(files_in_folder(false), 1);
}

/* Leaves the file of a process that is killed while it writes, and lets others write meanwhile. */
static void leave(const char *name, int others) {
    int ready[2], status;
    char byte = 0;
    covey__file files[8];
    covey__heap own[8];
    for (int i = 0; i < others; i++) assert_true(begin_writing(&files[i], &own[i], name));
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        covey__file file;
        covey__heap heap_of_child;
        bool began = begin_writing(&file, &heap_of_child, name) && covey__file_write(&file, "half", 4);
        if (!began || write(ready[1], &byte, 1) != 1) _exit(1);
        for (;;) pause();
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    for (int i = 0; i < others; i++) covey__file_abandon(&files[i]);
}

static void what_killed_writers_leave_is_removed(void **state) {
    (void)state;
    for (int i = 0; i < 5; i++) {
        leave("a", 0);
        assert_int_equal(files_in_folder(false), 1);
    }
    leave("a", 3);
    leave("b", 0);
    assert_int_equal(files_in_folder(false),
                     2 + 0); /* the first of "a" went when others began; one behind them, one of b */
    assert_true(write_file(&covey__os_real, in_folder("a"), (const unsigned char *)"new", 3, 0));
    assert_true(file_has("a", "new", 3));
    assert_int_equal(files_in_folder(false), 2); /* that of another name stays */
    assert_true(write_file(&covey__os_real, in_folder("b"), (const unsigned char *)"new", 3, 0));
    assert_int_equal(files_in_folder(false), 2);
}

enum { WRITTEN = 5000 };

/* Writes the file again and again until it is killed; ends on its own only when it could not. */
static pid_t begin_process(char with) {
    pid_t parent = getpid(), child = fork();
    assert_true(child >= 0);
    if (child != 0) return child;
    unsigned char bytes[WRITTEN];
    memset(bytes, with, sizeof bytes);
    while (getppid() == parent && write_file(&unkind, in_folder("a"), bytes, sizeof bytes, 0)) {
    }
    fprintf(stderr, "%s\n", report.text);
    _exit(1);
}

/* All its bytes are of one writer. */
static void is_whole(void) {
    unsigned char bytes[WRITTEN + 1];
    FILE *file = fopen(in_folder("a"), "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_int_equal(size, WRITTEN);
    for (size_t i = 1; i < size; i++) assert_int_equal(bytes[i], bytes[0]);
}

/* Three processes write one file, and are killed at any time. */
static void writers_that_are_killed_leave_a_whole_file(void **state) {
    (void)state;
    test_random random = { 1 };
    unsigned char bytes[WRITTEN];
    memset(bytes, 'a', sizeof bytes);
    assert_true(write_file(&unkind, in_folder("a"), bytes, sizeof bytes, 0));
    for (uint64_t i = 0; i < test_scaled(100); i++) {
        pid_t children[3];
        int status;
        for (int k = 0; k < 3; k++) children[k] = begin_process((char)('a' + k));
        struct timespec time = { .tv_nsec = (long)test_below(&random, 3000000) };
        nanosleep(&time, NULL);
        is_whole();
        for (int k = 0; k < 3; k++) assert_int_equal(kill(children[k], SIGKILL), 0);
        for (int k = 0; k < 3; k++) {
            assert_int_equal(waitpid(children[k], &status, 0), children[k]);
            assert_true(WIFSIGNALED(status));
        }
        is_whole();
    }
    assert_true(write_file(&unkind, in_folder("a"), bytes, sizeof bytes, 0));
    assert_int_equal(files_in_folder(false), 1);
}

/* It may live: its locks may not be seen here. */
static void what_another_host_writes_is_left_alone(void **state) {
    (void)state;
    covey__file file;
    covey__heap own = { test_allocator(&heap), 0, NULL };
    os.host = 1;
    assert_true(covey__file_create(&file, &unkind, &own, in_folder("a"), 0, &report));
    os.host = 2;
    close(file.claim), close(file.handle); /* what is left has no lock */
    os.open -= 2;
    file.claim = file.handle = -1;
    assert_true(write_file(&unkind, in_folder("a"), (const unsigned char *)"new", 3, 0));
    assert_int_equal(files_in_folder(false), 2);
    covey__file_abandon(&file);
    assert_int_equal(files_in_folder(false), 1);
}

/* Names of all lengths that the file system has, in one and more bytes a character. */
static void names_may_have_any_length(void **state) {
    (void)state;
    for (size_t length = 1; length <= 255; length += length < 90 || length > 230 ? 1 : 7) {
        char name[256] = "";
        for (size_t i = 0; i + 1 < length; i += 2) memcpy(name + i, "\xC3\xA4", 2);
        if (length % 2 != 0) name[length - 1] = 'a';
        assert_true(write_file(&covey__os_real, in_folder(name), (const unsigned char *)"abc", 3, 0));
        assert_true(file_has(name, "abc", 3));
        assert_int_equal(files_in_folder(true), 1);
    }
    char name[257];
    memset(name, 'a', 256);
    name[256] = '\0';
    assert_false(write_file(&covey__os_real, in_folder(name), (const unsigned char *)"abc", 3, 0));
    says(strerror(ENAMETOOLONG));
    assert_int_equal(files_in_folder(false), 0);
}

/* Long names that differ only at their ends are written at once. */
static void long_names_are_told_apart(void **state) {
    (void)state;
    char names[2][256];
    covey__file files[2];
    covey__heap own[2];
    for (int i = 0; i < 2; i++) {
        memset(names[i], 'a', 255);
        names[i][254] = (char)('a' + i);
        names[i][255] = '\0';
        assert_true(begin_writing(&files[i], &own[i], names[i]));
        assert_true(covey__file_write(&files[i], names[i] + 254, 1));
    }
    for (int i = 0; i < 2; i++) assert_true(covey__file_finish(&files[i]));
    for (int i = 0; i < 2; i++) assert_true(file_has(names[i], i == 0 ? "a" : "b", 1));
    assert_int_equal(files_in_folder(false), 2);
}

static void a_path_without_a_name_is_refused(void **state) {
    (void)state;
    assert_false(write_file(&unkind, "", (const unsigned char *)"new", 3, 0));
    assert_int_equal(report.result, COVEY_ERROR_FILE);
    says("the path is empty: it must name a file");
    assert_false(write_file(&unkind, in_folder("none/"), (const unsigned char *)"new", 3, 0));
    says("the path ends with a slash: it must name a file");
    assert_int_equal(os.calls, 0);
}

/* A link with the name of a temporary file is not followed, and what has that name without being a file stays. */
static void what_is_no_leftover_is_left_alone(void **state) {
    (void)state;
    covey__file file;
    covey__heap own;
    char taken[2][COVEY__TEMPORARY_BYTES];
    put_file("mine", "mine", 4);
    assert_true(begin_writing(&file, &own, "a"));
    snprintf(taken[0], sizeof taken[0], "%s", file.temporary);
    covey__file_abandon(&file);
    snprintf(taken[1], sizeof taken[1], "%s", taken[0]);
    taken[1][strlen(taken[1]) - 1] = '1';
    assert_int_equal(symlink("mine", taken[0]), 0);
    assert_int_equal(mkfifo(taken[1], 0600), 0);
    assert_true(write_file(&covey__os_real, in_folder("a"), (const unsigned char *)"new", 3, 0));
    assert_true(file_has("mine", "mine", 4));
    assert_true(file_has("a", "new", 3));
    assert_int_equal(files_in_folder(false), 4);
}

static int no_lock(const char *path) {
    (void)path;
    errno = ENOTSUP;
    return -1;
}

/* Where files cannot be locked, nothing is removed, and writing goes on. */
static void without_locks_leftovers_stay(void **state) {
    (void)state;
    covey__os lockless = covey__os_real;
    lockless.discard = no_lock;
    for (int i = 1; i <= 12; i++) {
        covey__file file;
        covey__heap own = { test_allocator(&heap), 0, NULL };
        assert_true(covey__file_create(&file, &lockless, &own, in_folder("a"), 0, &report));
        file.temporary[0] = '\0'; /* stays */
        covey__file_abandon(&file);
        assert_int_equal(files_in_folder(false), i);
    }
    assert_true(write_file(&lockless, in_folder("a"), (const unsigned char *)"new", 3, 0));
    assert_int_equal(files_in_folder(false), 13);
}

static int all_taken(const char *path) {
    (void)path;
    os.calls++;
    errno = EEXIST;
    return -1;
}

static void there_is_an_end_to_names(void **state) {
    (void)state;
    covey__os crowded = covey__os_real;
    crowded.create = all_taken;
    assert_false(write_file(&crowded, in_folder("a"), (const unsigned char *)"new", 3, 0));
    says("File exists");
    assert_int_equal(os.calls, 108);
}

static void a_folder_that_is_missing_or_closed_is_an_error(void **state) {
    (void)state;
    assert_false(write_file(&covey__os_real, in_folder("none/a"), (const unsigned char *)"new", 3, 0));
    says("No such file or directory");
    assert_int_equal(chmod(folder, 0555), 0);
    bool root = geteuid() == 0;
    if (root) assert_int_equal(seteuid(65534), 0); /* a user who needs permissions */
    bool done = write_file(&covey__os_real, in_folder("a"), (const unsigned char *)"new", 3, 0);
    if (root) assert_int_equal(seteuid(0), 0);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_false(done);
    says("Permission denied");
    assert_int_equal(files_in_folder(false), 0);
}

static void a_path_that_is_too_long_is_refused(void **state) {
    (void)state;
    char path[COVEY__PATH_BYTES + 1];
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    assert_false(write_file(&covey__os_real, path, (const unsigned char *)"new", 3, 0));
    says(strerror(ENAMETOOLONG));
    assert_false(read_file(&covey__os_real, path, 0));
    says(strerror(ENAMETOOLONG));
}

static void a_file_beside_the_program_needs_no_folder(void **state) {
    (void)state;
    char back[4096];
    assert_non_null(getcwd(back, sizeof back));
    assert_int_equal(chdir(folder), 0);
    bool done = write_file(&covey__os_real, "a", (const unsigned char *)"new", 3, 0);
    assert_int_equal(chdir(back), 0);
    assert_true(done);
    assert_true(file_has("a", "new", 3));
}

static char opened_folder[400];

static int create_elsewhere(const char *path) {
    (void)path;
    return covey__os_real.create(in_folder("a"));
}

static int rename_nothing(const char *from, const char *to) {
    (void)from, (void)to;
    return 0;
}

static int open_noted(const char *path) {
    snprintf(opened_folder, sizeof opened_folder, "%s", path);
    return covey__os_real.open_folder(".");
}

static void the_folder_of_the_file_is_synced(void **state) {
    (void)state;
    static const char *const folders[][2] = {
        { "/no such file", "/" }, { "no such file", "." }, { "./a/b", "./a" }, { "/a/b/c", "/a/b" }
    };
    covey__os elsewhere = covey__os_real;
    elsewhere.create = create_elsewhere;
    elsewhere.claim = NULL;
    elsewhere.rename = rename_nothing;
    elsewhere.open_folder = open_noted;
    for (int i = 0; i < 4; i++) {
        assert_true(write_file(&elsewhere, folders[i][0], (const unsigned char *)"new", 3, 0));
        assert_string_equal(opened_folder, folders[i][1]);
        assert_int_equal(unlink(in_folder("a")), 0);
    }
}

/* Each allocation fails in turn, in writing. */
static void writing_runs_out_of_memory(int level) {
    unsigned char *bytes = some_bytes(LARGE, 2);
    put_file("a", "old", 3);
    for (uint64_t at = 1;; at++) {
        test_fail_at(&heap, at, false);
        report = (covey_report){ 0 };
        bool done = write_file(&unkind, in_folder("a"), bytes, LARGE, level);
        assert_int_equal(done, !heap.failed);
        if (done) break;
        assert_int_equal(report.result, COVEY_ERROR_MEMORY);
        assert_int_equal(heap.bytes, 0);
        assert_int_equal(files_in_folder(false), 1);
        assert_true(file_has("a", "old", 3));
    }
    test_fail_never(&heap);
    reads(in_folder("a"), 0, bytes, LARGE);
    free(bytes);
}

static void plain_writing_runs_out_of_memory(void **state) {
    (void)state;
    writing_runs_out_of_memory(0);
}

/* ---- Reading ------------------------------------------------------------------------------------------------------*/

static void the_limit_is_a_number_of_bytes(void **state) {
    (void)state;
    unsigned char *bytes = some_bytes(LARGE, 1);
    for (int i = 1; i < SIZES; i++) {
        put_file("a", bytes, sizes[i]);
        reads(in_folder("a"), sizes[i], bytes, sizes[i]);
        reads(in_folder("a"), UINT64_MAX, bytes, sizes[i]);
        heap.peak = 0;
        if (sizes[i] > 1) does_not_read(in_folder("a"), sizes[i] - 1, COVEY_ERROR_LIMIT);
        if (sizes[i] > 1) does_not_read(in_folder("a"), 1, COVEY_ERROR_LIMIT);
        assert_int_equal(heap.peak, 0); /* the size is known before */
    }
    free(bytes);
}

static void what_is_not_a_file_with_bytes(void **state) {
    (void)state;
    does_not_read(in_folder("none"), 0, COVEY_ERROR_FILE);
    says("No such file or directory");
    does_not_read(folder, 0, COVEY_ERROR_FILE);
    says("Is a directory");
    put_file("empty", "", 0);
    reads(in_folder("empty"), 0, "", 0);
    reads(in_folder("empty"), 1, "", 0);
    reads("/dev/null", 1, "", 0);
    heap.peak = 0;
    does_not_read("/dev/zero", 100000, COVEY_ERROR_LIMIT); /* it has no size, and no end */
    assert_true(heap.peak < 100100);
}

static void the_public_call_reads_and_reports(void **state) {
    (void)state;
    buffer = (covey_buffer){ .allocator = test_allocator(&heap) };
    put_file("a", "bytes", 5);
    report.result = COVEY_ERROR_FULL;
    assert_int_equal(covey_file_read(in_folder("a"), 5, &buffer, &report), COVEY_OK);
    assert_int_equal(report.result, COVEY_OK);
    assert_int_equal(buffer.size, 5);
    assert_memory_equal(buffer.bytes, "bytes", 5);
    free_buffer();
    buffer = (covey_buffer){ .allocator = test_allocator(&heap) };
    assert_int_equal(covey_file_read(in_folder("none"), 0, &buffer, &report), COVEY_ERROR_FILE);
    says("No such file");
    assert_int_equal(covey_file_read(in_folder("a"), 4, &buffer, NULL), COVEY_ERROR_LIMIT);
}

static int measure_less(int file, covey__file_info *info) {
    int status = covey__os_real.measure(file, info);
    info->size /= 3;
    return status;
}

static void a_file_may_grow_while_it_is_read(void **state) {
    (void)state;
    unsigned char *bytes = some_bytes(LARGE, 1);
    covey__os growing = covey__os_real;
    growing.measure = measure_less;
    put_file("a", bytes, LARGE);
    assert_true(read_file(&growing, in_folder("a"), 0));
    assert_int_equal(buffer.size, LARGE);
    assert_memory_equal(buffer.bytes, bytes, LARGE);
    free_buffer();
    assert_false(read_file(&growing, in_folder("a"), LARGE - 1));
    assert_int_equal(report.result, COVEY_ERROR_LIMIT);
    free(bytes);
}

/* Each call of the system and each allocation fails in turn, in reading. */
static void reading_fails(const char *path, const unsigned char *bytes, size_t size) {
    static const char *const words[][2] = { { "open", "open the file" },
                                            { "measure", "measure the file" },
                                            { "read", "read the file" } };
    for (int at = 1;; at++) {
        os.calls = 0, os.fail_at = at, os.failed = NULL;
        bool done = read_file(&unkind, path, 0);
        if (done) free_buffer();
        if (!os.failed) break;
        assert_int_equal(done, strcmp(os.failed, "close") == 0);
        if (done) continue;
        assert_int_equal(report.result, COVEY_ERROR_FILE);
        for (int i = 0; i < 3; i++)
            if (strcmp(os.failed, words[i][0]) == 0) says(words[i][1]);
        assert_int_equal(heap.bytes, 0);
    }
    os.fail_at = 0;
    for (uint64_t at = 1;; at++) {
        test_fail_at(&heap, at, false);
        bool done = read_file(&covey__os_real, path, 0);
        assert_int_equal(done, !heap.failed);
        if (done) break;
        assert_int_equal(report.result, COVEY_ERROR_MEMORY);
        assert_int_equal(heap.bytes, 0);
    }
    test_fail_never(&heap);
    assert_int_equal(buffer.size, size);
    assert_memory_equal(buffer.bytes, bytes, size);
    free_buffer();
}

static void plain_reading_fails(void **state) {
    (void)state;
    unsigned char *bytes = some_bytes(LARGE, 1);
    put_file("a", bytes, LARGE);
    reading_fails(in_folder("a"), bytes, LARGE);
    free(bytes);
}

/* ---- Compression --------------------------------------------------------------------------------------------------*/

static const unsigned char small_frame[] = { 0x28, 0xB5, 0x2F, 0xFD, 0x20, 0x03, 0x19, 0x00, 0x00, 'a', 'b', 'c' };

#if defined(COVEY_WITH_ZSTD)

static void what_is_compressed_comes_back(void **state) {
    (void)state;
    static const int levels[] = { -1, 1, 3, 19 };
    unsigned char *bytes = some_bytes(LARGE, 1);
    struct stat found;
    for (int l = 0; l < 4; l++) {
        for (int i = levels[l] > 3 ? SIZES - 1 : 0; i < SIZES; i++) {
            assert_true(write_file(&unkind, in_folder("a"), bytes, sizes[i], levels[l]));
            reads(in_folder("a"), sizes[i], bytes, sizes[i]);
            if (sizes[i] > 1) does_not_read(in_folder("a"), sizes[i] - 1, COVEY_ERROR_LIMIT);
        }
        assert_int_equal(stat(in_folder("a"), &found), 0);
        assert_true(levels[l] < 0 || found.st_size < LARGE * 4 / 5);
    }
    free(bytes);
}

static void compressed_files_are_whole_or_not_there(void **state) {
    (void)state;
    unsigned char *old = some_bytes(500, 1), *bytes = some_bytes(LARGE, 2);
    assert_int_equal(each_call_fails(old, bytes, LARGE, 3), (1 << STEPS) - 1);
    writing_runs_out_of_memory(3);
    reading_fails(in_folder("a"), bytes, LARGE);
    free(old);
    free(bytes);
}

static void compressed_files_in_short_reads(void **state) {
    (void)state;
    unsigned char *bytes = some_bytes(5000, 1);
    os.at_once = 7, os.interrupt = true;
    assert_true(write_file(&unkind, in_folder("a"), bytes, 5000, 1));
    assert_true(read_file(&unkind, in_folder("a"), 5000));
    assert_int_equal(buffer.size, 5000);
    assert_memory_equal(buffer.bytes, bytes, 5000);
    free_buffer();
    free(bytes);
}

static size_t get(const char *path, unsigned char *bytes, size_t most) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, most, file);
    fclose(file);
    return size;
}

static void a_compressed_file_that_is_cut_off_is_refused(void **state) {
    (void)state;
    unsigned char *bytes = some_bytes(200, 1), packed[400];
    assert_true(write_file(&covey__os_real, in_folder("a"), bytes, 200, 3));
    size_t size = get(in_folder("a"), packed, sizeof packed);
    for (size_t cut_off = 4; cut_off < size; cut_off++) {
        put_file("b", packed, cut_off);
        does_not_read(in_folder("b"), 0, COVEY_ERROR_IMAGE);
        assert_int_equal(report.fault, COVEY_FAULT_SIZE);
    }
    put_file("b", packed, 3); /* too short to tell that it is compressed */
    reads(in_folder("b"), 0, packed, 3);
    free(bytes);
}

static void a_compressed_file_that_is_damaged_is_refused(void **state) {
    (void)state;
    unsigned char *bytes = some_bytes(70, 1), packed[400];
    assert_true(write_file(&covey__os_real, in_folder("a"), bytes, 70, 3));
    size_t size = get(in_folder("a"), packed, sizeof packed), refused = 0;
    for (size_t bit = 32; bit < size * 8; bit++) {
        packed[bit / 8] ^= (unsigned char)(1 << bit % 8);
        put_file("b", packed, size);
        bool read = read_file(&covey__os_real, in_folder("b"), 100000);
        if (read) { /* bits of the frame's head that change no byte */
            assert_int_equal(buffer.size, 70);
            assert_memory_equal(buffer.bytes, bytes, 70);
            free_buffer();
        }
        refused += !read;
        packed[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    assert_true(refused > (size - 6) * 8 - 8);
    free(bytes);
}

static void frames_come_one_after_the_other(void **state) {
    (void)state;
    static const unsigned char skipped[] = { 0x50, 0x2A, 0x4D, 0x18, 2, 0, 0, 0, 'x', 'y' };
    unsigned char packed[100];
    size_t size = 0;
    memcpy(packed, small_frame, sizeof small_frame), size += sizeof small_frame;
    memcpy(packed + size, skipped, sizeof skipped), size += sizeof skipped;
    memcpy(packed + size, small_frame, sizeof small_frame), size += sizeof small_frame;
    put_file("a", packed, size);
    reads(in_folder("a"), 6, "abcabc", 6);
    does_not_read(in_folder("a"), 5, COVEY_ERROR_LIMIT);
    memcpy(packed + size, skipped, sizeof skipped), size += sizeof skipped;
    put_file("a", packed, size);
    reads(in_folder("a"), 6, "abcabc", 6);
}

static void what_follows_the_last_frame_is_refused(void **state) {
    (void)state;
    unsigned char packed[100] = { 0 };
    memcpy(packed, small_frame, sizeof small_frame);
    for (size_t more = 1; more < 30; more++) {
        put_file("a", packed, sizeof small_frame + more);
        does_not_read(in_folder("a"), 0, COVEY_ERROR_IMAGE);
    }
    put_file("a", "garbage", 7); /* not compressed: the reader of the image refuses it, not the reader of the file */
    reads(in_folder("a"), 0, "garbage", 7);
}

/* Frames one after the other that fill the buffers exactly, and those that almost do. */
static void frames_end_anywhere(void **state) {
    (void)state;
    enum { MOST = 131074 * 2 };
    unsigned char *bytes = some_bytes(MOST, 1), *packed = malloc(ZSTD_compressBound(MOST) * 2);
    assert_non_null(packed);
    for (size_t each = 131070; each <= 131074; each++) {
        size_t size = ZSTD_compress(packed, ZSTD_compressBound(MOST), bytes, each, 1);
        size += ZSTD_compress(packed + size, ZSTD_compressBound(MOST), bytes + each, each, 1);
        put_file("a", packed, size);
        reads(in_folder("a"), 2 * each, bytes, 2 * each);
        reads(in_folder("a"), 0, bytes, 2 * each);
        does_not_read(in_folder("a"), 2 * each - 1, COVEY_ERROR_LIMIT);
    }
    free(packed);
    free(bytes);
}

static void a_bomb_is_refused(void **state) {
    (void)state;
    enum { PART = 1 << 20, PARTS = 1024, LIMIT = 1000000 };
    unsigned char *zeros = calloc(1, PART);
    covey__heap own = { test_allocator(&heap), 0, NULL };
    covey__file file;
    struct stat found;
    assert_true(covey__file_create(&file, &covey__os_real, &own, in_folder("a"), 1, &report));
    for (int i = 0; i < PARTS; i++) assert_true(covey__file_write(&file, zeros, PART));
    assert_true(covey__file_finish(&file));
    free(zeros);
    assert_int_equal(stat(in_folder("a"), &found), 0);
    assert_true(found.st_size < PART);
    heap.peak = 0;
    does_not_read(in_folder("a"), LIMIT, COVEY_ERROR_LIMIT);
    assert_true(heap.peak < 8 * PART);
}

/* A frame that says that it is large is refused before memory is asked for it. */
static void a_large_claim_is_refused(void **state) {
    (void)state;
    enum { SIZE = 50000000 };
    unsigned char *zeros = calloc(1, SIZE), packed[10000];
    size_t size = ZSTD_compress(packed, sizeof packed, zeros, SIZE, 1);
    assert_false(ZSTD_isError(size));
    put_file("a", packed, size);
    heap.peak = 0;
    does_not_read(in_folder("a"), SIZE - 1, COVEY_ERROR_LIMIT);
    assert_true(heap.peak < 1000000);
    reads(in_folder("a"), SIZE, zeros, SIZE);
    free(zeros);
}

/* Without a limit of the caller, 64 MB may come of a file, and 64 bytes for each of its own. */
static void a_claim_without_end_is_refused(void **state) {
    (void)state;
    /* A small window, eight bytes that say how much is in it, and one byte: 64 MB and 1,153 bytes, of 18. */
    unsigned char frame[18] = { 0x28, 0xB5, 0x2F, 0xFD, 0xC0, 0, 0x81, 4, 0, 4, 0, 0, 0, 0, 9, 0, 0, 'a' };
    put_file("a", frame, sizeof frame);
    heap.peak = 0;
    does_not_read(in_folder("a"), 0, COVEY_ERROR_LIMIT);
    says("more than 67110016 bytes: raise limit_bytes");
    assert_true(heap.peak < 1000000);
    does_not_read(in_folder("a"), UINT64_MAX, COVEY_ERROR_IMAGE); /* it has not what it says */
    frame[6]--;
    put_file("a", frame, sizeof frame);
    does_not_read(in_folder("a"), 0, COVEY_ERROR_IMAGE);
}

/* The rest of the limit is for the world that is loaded from the image. */
static void the_limit_counts_the_bytes_of_a_compressed_file(void **state) {
    (void)state;
    enum { SIZE = 3000000 };
    unsigned char *zeros = calloc(1, SIZE), packed[10000];
    size_t size = ZSTD_compress(packed, sizeof packed, zeros, SIZE, 1);
    assert_false(ZSTD_isError(size));
    put_file("a", packed, size);
    reads(in_folder("a"), 0, zeros, SIZE);
    assert_int_equal(left, COVEY_LIMIT_AT_LEAST + COVEY_LIMIT_FOR_EACH * size - SIZE);
    reads(in_folder("a"), SIZE, zeros, SIZE);
    assert_int_equal(left, 1);
    reads(in_folder("a"), UINT64_MAX, zeros, SIZE);
    assert_true(left == UINT64_MAX);
    put_file("a", zeros, SIZE);
    reads(in_folder("a"), 0, zeros, SIZE);
    assert_int_equal(left, COVEY_LIMIT_AT_LEAST + (COVEY_LIMIT_FOR_EACH - 1) * (uint64_t)SIZE);
    free(zeros);
}

static void a_large_window_is_refused(void **state) {
    (void)state;
    static const unsigned char frame[] = { 0x28, 0xB5, 0x2F, 0xFD, 0x00, 21 << 3, 0x19, 0x00, 0x00, 'a', 'b', 'c' };
    put_file("a", frame, sizeof frame);
    heap.peak = 0;
    does_not_read(in_folder("a"), 0, COVEY_ERROR_LIMIT);
    says("of limit_bytes: raise limit_bytes");
    assert_true(heap.peak < 1000000);
}

#define ZSTD_TESTS                                                                                             \
    TEST(what_is_compressed_comes_back), TEST(compressed_files_are_whole_or_not_there),                        \
        TEST(compressed_files_in_short_reads), TEST(a_compressed_file_that_is_cut_off_is_refused),             \
        TEST(a_compressed_file_that_is_damaged_is_refused), TEST(frames_come_one_after_the_other),             \
        TEST(what_follows_the_last_frame_is_refused), TEST(frames_end_anywhere), TEST(a_bomb_is_refused),      \
        TEST(a_large_claim_is_refused), TEST(a_claim_without_end_is_refused), TEST(a_large_window_is_refused), \
        TEST(the_limit_counts_the_bytes_of_a_compressed_file)

#else

static void a_build_without_zstd_says_so(void **state) {
    (void)state;
    put_file("a", small_frame, sizeof small_frame);
    does_not_read(in_folder("a"), 0, COVEY_ERROR_IMAGE);
    assert_int_equal(report.fault, COVEY_FAULT_VERSION);
    says("compressed with zstd, but this build of covey has no zstd");
    assert_false(write_file(&covey__os_real, in_folder("b"), (const unsigned char *)"abc", 3, 1));
    assert_int_equal(report.result, COVEY_ERROR_FILE);
    says("this build of covey has no");
    assert_int_equal(files_in_folder(false), 1);
}

#define ZSTD_TESTS TEST(a_build_without_zstd_says_so)

#endif

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(what_is_written_is_there),
        TEST(short_and_interrupted_calls_go_on),
        TEST(a_failed_call_leaves_the_old_file),
        TEST(a_failed_call_leaves_nothing_where_nothing_was),
        TEST(a_process_that_ends_leaves_a_whole_file),
        TEST(a_write_that_writes_nothing_is_an_error),
        TEST(an_abandoned_file_leaves_the_old_one),
        TEST(rights_of_the_old_file_stay),
        TEST(a_link_stays_and_its_file_is_replaced),
        TEST(a_link_that_leads_nowhere_is_replaced),
        TEST(a_link_to_itself_is_refused),
        TEST(folders_and_devices_are_not_replaced),
        TEST(several_write_one_file_at_once),
        TEST(what_killed_writers_leave_is_removed),
        TEST(writers_that_are_killed_leave_a_whole_file),
        TEST(what_another_host_writes_is_left_alone),
        TEST(names_may_have_any_length),
        TEST(long_names_are_told_apart),
        TEST(a_path_without_a_name_is_refused),
        TEST(what_is_no_leftover_is_left_alone),
        TEST(without_locks_leftovers_stay),
        TEST(there_is_an_end_to_names),
        TEST(a_folder_that_is_missing_or_closed_is_an_error),
        TEST(a_path_that_is_too_long_is_refused),
        TEST(a_file_beside_the_program_needs_no_folder),
        TEST(the_folder_of_the_file_is_synced),
        TEST(plain_writing_runs_out_of_memory),
        TEST(the_limit_is_a_number_of_bytes),
        TEST(what_is_not_a_file_with_bytes),
        TEST(the_public_call_reads_and_reports),
        TEST(a_file_may_grow_while_it_is_read),
        TEST(plain_reading_fails),
        ZSTD_TESTS,
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
