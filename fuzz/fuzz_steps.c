/* Images and files from the input: all operations on them take at most a fixed number of steps for each byte (steps.h),
 * whether they are refused or not. The first byte has options: bit 0 corrects the checksums, bit 1 reads the rest as a
 * file, which may be compressed, and bit 2 skips unknown types. */
#include "images.h"
#include "steps.h"

#include "image/file.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Sanitizers add branches. */
#if defined(__has_feature)
#define HAS_FEATURE(feature) __has_feature(feature)
#else
#define HAS_FEATURE(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || HAS_FEATURE(address_sanitizer) || \
    HAS_FEATURE(thread_sanitizer)
enum { BRANCHES = 5 };
#else
enum { BRANCHES = 1 };
#endif

/* A byte of an image may need 256 bytes of memory, which nine operations fill, check and empty. */
enum { STEPS_AT_LEAST = 2000000 * BRANCHES, STEPS_EACH = 2000 * BRANCHES };
enum { BYTES_AT_LEAST = 1 << 20, BYTES_EACH = 256 };

static void check(uint64_t before, size_t bytes, const char *what) {
    uint64_t steps = steps_taken() - before;
    if (steps <= STEPS_AT_LEAST + (uint64_t)STEPS_EACH * bytes) return;
    fprintf(stderr, "%s takes %llu steps for %zu bytes\n", what, (unsigned long long)steps, bytes);
    abort();
}

/* ---- A file in memory ---------------------------------------------------------------------------------------------*/

static const uint8_t *file_bytes;
static size_t file_size, file_at;

static int open_file(const char *path) {
    (void)path;
    file_at = 0;
    return 3;
}

static int close_file(int file) {
    (void)file;
    return 0;
}

static int measure_file(int file, covey__file_info *info) {
    (void)file;
    *info = (covey__file_info){ .regular = true, .size = file_size };
    return 0;
}

static ptrdiff_t read_file(int file, void *bytes, size_t size) {
    (void)file;
    size_t some = file_size - file_at < size ? file_size - file_at : size;
    if (some != 0) memcpy(bytes, file_bytes + file_at, some);
    file_at += some;
    return (ptrdiff_t)some;
}

static void explain(int error, char *text, size_t size) {
    (void)error;
    snprintf(text, size, "no reason");
}

static bool read_image(const uint8_t *data, size_t size, covey_buffer *image) {
    static const covey__os os = {
        .open = open_file, .close = close_file, .measure = measure_file, .read = read_file, .explain = explain
    };
    covey_report report;
    uint64_t left, before = steps_taken();
    file_bytes = data;
    file_size = size;
    bool done = covey__file_read(&os, "input", BYTES_AT_LEAST + (uint64_t)BYTES_EACH * size, image, &left, &report);
    check(before, size + image->size, "reading");
    return done;
}

/* ---- Operations ---------------------------------------------------------------------------------------------------*/

static void validate(const covey_world *world) {
    const char *why = "";
    if (covey_world_validate(world, &why)) return;
    fprintf(stderr, "%s\n", why);
    abort();
}

/* Runs twice, so that the second run uses a world that is not new. */
static void load(const covey_buffer *image, const covey_load_desc *desc) {
    covey_world *world = covey_world_create(&(covey_world_desc){ .quiet = true });
    for (int i = 0; i < 2; i++) {
        (void)covey_load_from_memory(world, image->bytes, image->size, desc, NULL);
        validate(world);
        covey_destroy_all(world);
        for (uint32_t k = covey_world_resource_count(world); k-- != 0;)
            covey_resource_remove_raw(world, covey_world_resource(world, k));
    }
    covey_world_destroy(world);
}

static void merge(const covey_buffer *image, const covey_load_desc *desc) {
    covey_world *world = covey_world_create(&(covey_world_desc){ .quiet = true });
    covey_create(world);
    for (int i = 0; i < 2; i++) (void)covey_merge_from_memory(world, image->bytes, image->size, desc, NULL);
    covey_world_destroy(world);
}

static void follow(const covey_buffer *image, const covey_load_desc *desc) {
    covey_world *world = covey_world_create(&(covey_world_desc){ .quiet = true });
    covey_follower *follower = covey_follower_create(world);
    for (int i = 0; i < 2; i++) (void)covey_follow_from_memory(follower, image->bytes, image->size, desc, NULL);
    covey_follower_destroy(follower);
    covey_world_destroy(world);
}

static void run(const covey_buffer *image, covey_unknown unknown) {
    covey_load_desc desc = { .unknown = unknown, .limit_bytes = BYTES_AT_LEAST + (uint64_t)BYTES_EACH * image->size };
    uint64_t before = steps_taken();
    load(image, &desc);
    check(before, image->size, "loading");
    before = steps_taken();
    merge(image, &desc);
    check(before, image->size, "merging");
    before = steps_taken();
    follow(image, &desc);
    check(before, image->size, "following");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    covey_buffer image = { 0 };
    if ((data[0] & 2) != 0) {
        if (!read_image(data + 1, size - 1, &image)) return 0;
    } else {
        image.bytes = malloc(size);
        if (!image.bytes) abort();
        image.size = image.capacity = size - 1;
        memcpy(image.bytes, data + 1, size - 1);
    }
    if ((data[0] & 1) != 0 && image.size != 0) image_mend(image.bytes, image.size);
    run(&image, (data[0] & 4) != 0 ? COVEY_UNKNOWN_SKIP : COVEY_UNKNOWN_KEEP);
    if ((data[0] & 2) != 0) covey_buffer_free(&image);
    else free(image.bytes);
    return 0;
}
