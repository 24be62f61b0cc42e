/* Snapshots in files. */
#define _XOPEN_SOURCE 700
#include "fixture.h"
#include "folder.h"

#include <covey/image.h>
#if !defined(_WIN32)
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

typedef struct Place {
    int32_t x, y;
} Place;
COVEY_COMPONENT_DEFINE(Place, .as_bytes = true);

#if defined(_WIN32)
enum { LONGEST = 150 }; /* 260 with all folders */
#define FOLDER_IS_NO_FILE "Permission denied"
#else
enum { LONGEST = 255 };
#define FOLDER_IS_NO_FILE "Is a directory"
#endif

/* A type that cannot be saved. */
typedef struct Pointing {
    void *pointer;
} Pointing;
COVEY_COMPONENT_DEFINE(Pointing);

static const covey_type *const types[] = { covey_id(Place), NULL };
static covey_report report;
static covey_world *fresh;

static int setup(void **state) {
    if (folder_setup(state) != 0 || world_setup(state) != 0) return -1;
    report = (covey_report){ 0 };
    for (int32_t i = 0; i < 100; i++) covey_add(world, covey_create(world), Place, { i, -i });
    covey_world_desc desc = world_desc();
    fresh = covey_world_create(&desc);
    return fresh ? 0 : -1;
}

static int teardown(void **state) {
    test_world_is_valid(fresh);
    covey_world_destroy(fresh);
    return world_teardown(state) + folder_teardown(state);
}

static covey_result load(const char *name, uint64_t limit) {
    covey_load_desc desc = { .types = types, .limit_bytes = limit };
    return covey_load_from_file(fresh, in_folder(name), &desc, &report);
}

/* The call failed, the log was called once, and the report has these words. */
static void failed(covey_result result, covey_result expected, const char *words) {
    assert_int_equal(result, expected);
    assert_int_equal(report.result, expected);
    assert_int_equal(heard.result, expected);
    assert_int_equal(heard.times, 1);
    assert_non_null(strstr(report.text, words));
    assert_non_null(strstr(heard.text, words));
    heard.times = 0;
}

static void a_world_comes_back(void **state) {
    (void)state;
    assert_int_equal(covey_save_to_file(world, in_folder("a"), NULL, NULL), COVEY_OK);
    assert_int_equal(load("a", 0), COVEY_OK);
    assert_int_equal(world_digest(fresh), world_digest(world));
    assert_int_equal(files_in_folder(false), 1);
    assert_int_equal(heard.times, 0);
}

static void a_world_is_merged(void **state) {
    (void)state;
    assert_int_equal(covey_save_to_file(world, in_folder("a"), NULL, NULL), COVEY_OK);
    covey_load_desc desc = { .types = types };
    for (uint32_t times = 1; times <= 2; times++) {
        assert_int_equal(covey_merge_from_file(fresh, in_folder("a"), &desc, &report), COVEY_OK);
        assert_int_equal(covey_entity_count(fresh), times * 100);
    }
    failed(covey_merge_from_file(fresh, in_folder("none"), &desc, &report), COVEY_ERROR_FILE, "No such file");
    put_file("b", "something else, and rather longer than that", 40);
    failed(covey_merge_from_file(fresh, in_folder("b"), &desc, &report), COVEY_ERROR_IMAGE, "");
    assert_int_equal(covey_entity_count(fresh), 200);
}

static void the_file_is_the_image(void **state) {
    (void)state;
    covey_buffer image = { .allocator = test_allocator(&heap) };
    assert_int_equal(covey_save_to_buffer(world, &image, NULL, NULL), COVEY_OK);
    assert_int_equal(covey_save_to_file(world, in_folder("a"), NULL, &report), COVEY_OK);
    assert_true(file_has("a", image.bytes, image.size));
    covey_buffer_free(&image);
}

static void a_world_that_cannot_be_saved_leaves_the_old_file(void **state) {
    (void)state;
    put_file("a", "old", 3);
    covey_add(world, covey_create(world), Pointing, { NULL });
    failed(covey_save_to_file(world, in_folder("a"), NULL, &report), COVEY_ERROR_TYPE, "Pointing");
    assert_true(file_has("a", "old", 3));
    assert_int_equal(files_in_folder(false), 1);
}

static bool say_no(uint64_t done, uint64_t all, void *context) {
    (void)done, (void)all, (void)context;
    return false;
}

static void a_save_that_is_cancelled_leaves_the_old_file(void **state) {
    (void)state;
    enum { MANY = COVEY_NONE / 2 < 200000 ? COVEY_NONE / 2 : 200000 };
    put_file("a", "old", 3);
    for (uint32_t i = 0; i < MANY; i++) covey_add(world, covey_create(world), Place, { 1, 2 });
    covey_save_desc desc = { .progress = say_no };
    covey_result result = covey_save_to_file(world, in_folder("a"), &desc, &report);
    if (MANY < 200000) return; /* done before the first question */
    failed(result, COVEY_ERROR_CANCELLED, "");
    assert_true(file_has("a", "old", 3));
    assert_int_equal(files_in_folder(false), 1);
}

static void a_file_that_cannot_be_written(void **state) {
    (void)state;
    failed(covey_save_to_file(world, in_folder("none/a"), NULL, &report), COVEY_ERROR_FILE, "No such file");
    failed(covey_save_to_file(world, folder, NULL, &report), COVEY_ERROR_FILE, "it is not a regular file");
}

static void files_that_cannot_be_loaded(void **state) {
    (void)state;
    uint64_t before = world_digest(fresh);
    failed(load("none", 0), COVEY_ERROR_FILE, "No such file");
    failed(covey_load_from_file(fresh, folder, NULL, &report), COVEY_ERROR_FILE, FOLDER_IS_NO_FILE);
    put_file("a", "", 0);
    failed(load("a", 0), COVEY_ERROR_IMAGE, "");
    put_file("a", "something else, and rather longer than that", 40);
    failed(load("a", 0), COVEY_ERROR_IMAGE, "");
    assert_int_equal(report.fault, COVEY_FAULT_NOT_AN_IMAGE);
    assert_int_equal(world_digest(fresh), before);
}

static void a_file_beyond_the_limit_is_refused(void **state) {
    (void)state;
    assert_int_equal(covey_save_to_file(world, in_folder("a"), NULL, NULL), COVEY_OK);
    failed(load("a", 100), COVEY_ERROR_LIMIT, "limit");
    assert_int_equal(report.fault, COVEY_FAULT_LIMIT);
    assert_int_equal(load("a", 1000000), COVEY_OK);
    assert_int_equal(world_digest(fresh), world_digest(world));
}

/* The world's own memory is the same as before: what a file needs is given back. */
static void memory_runs_out(void **state) {
    (void)state;
    put_file("a", "old", 3);
    size_t bytes = heap.bytes, counted = covey_world_memory(world);
    for (uint64_t at = 1;; at++) {
        test_fail_at(&heap, at, false);
        covey_result result = covey_save_to_file(world, in_folder("a"), NULL, &report);
        if (!heap.failed) break;
        failed(result, COVEY_ERROR_MEMORY, "an allocation failed");
        assert_int_equal(heap.bytes, bytes);
        assert_int_equal(covey_world_memory(world), counted);
        assert_true(file_has("a", "old", 3));
        assert_int_equal(files_in_folder(false), 1);
    }
    test_fail_never(&heap);
    for (uint64_t at = 1;; at++) {
        test_fail_at(&heap, at, false);
        covey_result result = load("a", 0);
        if (!heap.failed) break;
        assert_int_equal(result, COVEY_ERROR_MEMORY);
        assert_int_equal(heard.times, 1);
        heard.times = 0;
        test_world_is_valid(fresh);
        assert_int_equal(covey_entity_count(fresh), 0);
    }
    test_fail_never(&heap);
    assert_int_equal(world_digest(fresh), world_digest(world));
    assert_int_equal(heap.bytes, covey_world_memory(world) + covey_world_memory(fresh));
}

static void a_name_may_be_as_long_as_the_file_system_allows(void **state) {
    (void)state;
    for (size_t length = LONGEST - 25; length <= LONGEST; length++) {
        char name[LONGEST + 1];
        memset(name, 'a', length);
        name[length] = '\0';
        assert_int_equal(covey_save_to_file(world, in_folder(name), NULL, NULL), COVEY_OK);
        assert_int_equal(files_in_folder(true), 1);
    }
}

static void an_empty_name_is_refused(void **state) {
    (void)state;
    failed(covey_save_to_file(world, "", NULL, &report), COVEY_ERROR_FILE, "the path is empty: it must name a file");
}

#if !defined(_WIN32)
static bool kill_saver(const covey_world *saved, covey_entity e, void *context) {
    (void)saved, (void)e, (void)context;
    raise(SIGKILL);
    return true;
}

static void what_a_killed_saver_leaves_goes_with_the_next_save(void **state) {
    (void)state;
    int status;
    for (int i = 0; i < 10; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            _exit((int)covey_save_to_file(world, in_folder("a"), &(covey_save_desc){ .choose = kill_saver }, NULL));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
    }
    assert_int_equal(covey_save_to_file(world, in_folder("a"), NULL, NULL), COVEY_OK);
    assert_int_equal(files_in_folder(false), 1);
    assert_int_equal(load("a", 0), COVEY_OK);
}
#endif

static void a_compressed_world_comes_back(void **state) {
    (void)state;
    covey_result result = covey_save_to_file(world, in_folder("a"), &(covey_save_desc){ .zstd_level = 3 }, &report);
#if defined(COVEY_WITH_ZSTD)
    assert_int_equal(result, COVEY_OK);
    failed(load("a", 100), COVEY_ERROR_LIMIT, "limit");
    assert_int_equal(load("a", 0), COVEY_OK);
    assert_int_equal(world_digest(fresh), world_digest(world));
#else
    failed(result, COVEY_ERROR_FILE, "zstd");
    put_file("a", "\x28\xB5\x2F\xFD", 4);
    failed(load("a", 0), COVEY_ERROR_IMAGE, "zstd");
#endif
}

#if defined(COVEY_WITH_ZSTD)
typedef struct Page {
    uint8_t bytes[10000];
} Page;
COVEY_COMPONENT_DEFINE(Page, .as_bytes = true);

/* 40 MB of zeros in a few KB take 80 MB: the image, and the world. */
static void a_compressed_world_takes_no_more_than_its_file_allows(void **state) {
    (void)state;
    const covey_type *const all[] = { covey_id(Place), covey_id(Page), NULL };
    covey_load_desc desc = { .types = all };
    for (uint32_t i = 0; i < 4000; i++)
        assert_non_null(covey_add_raw(world, covey_create(world), covey_id(Page), NULL));
    assert_int_equal(covey_save_to_file(world, in_folder("a"), &(covey_save_desc){ .zstd_level = 3 }, NULL), COVEY_OK);
    size_t before = heap.peak = heap.bytes;
    covey_result result = covey_load_from_file(fresh, in_folder("a"), &desc, &report);
    failed(result, COVEY_ERROR_LIMIT, "raise limit_bytes");
    result = covey_merge_from_file(fresh, in_folder("a"), &desc, &report);
    failed(result, COVEY_ERROR_LIMIT, "raise limit_bytes");
    uint64_t limit = COVEY_LIMIT_AT_LEAST + COVEY_LIMIT_FOR_EACH * 40000;
    assert_true(heap.peak - before <= limit * 2); /* where realloc copies, there are two buffers for a moment */
    desc.limit_bytes = UINT64_C(120) << 20;
    assert_int_equal(covey_load_from_file(fresh, in_folder("a"), &desc, NULL), COVEY_OK);
    assert_int_equal(covey_entity_count(fresh), covey_entity_count(world));
}
#endif

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_world_comes_back),
        TEST(a_world_is_merged),
        TEST(the_file_is_the_image),
        TEST(a_world_that_cannot_be_saved_leaves_the_old_file),
        TEST(a_save_that_is_cancelled_leaves_the_old_file),
        TEST(a_file_that_cannot_be_written),
        TEST(files_that_cannot_be_loaded),
        TEST(a_file_beyond_the_limit_is_refused),
        TEST(memory_runs_out),
        TEST(a_name_may_be_as_long_as_the_file_system_allows),
        TEST(an_empty_name_is_refused),
#if !defined(_WIN32)
        TEST(what_a_killed_saver_leaves_goes_with_the_next_save),
#endif
        TEST(a_compressed_world_comes_back),
#if defined(COVEY_WITH_ZSTD)
        TEST(a_compressed_world_takes_no_more_than_its_file_allows),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
