/* Images in files. */
#include "memory/inner.h"
#include "image/file.h"

#include "image/image.h"

static bool write_to_file(const void *bytes, size_t size, void *file) { return covey__file_write(file, bytes, size); }

static void save_to(covey_world *world, covey__file *file, const covey_save_desc *desc, covey_report *report) {
    covey__silence(world, true); /* covey_save_to_file logs one message */
    (void)covey_save_to_stream(world, write_to_file, file, desc, report);
    covey__silence(world, false);
    if (report->result == COVEY_OK) covey__file_finish(file);
    else covey__file_abandon(file);
}

covey_result covey_save_to_file(covey_world *world, const char *path, const covey_save_desc *desc,
                                covey_report *report) {
    COVEY__CONTRACT(NULL, world && path, "a call needs a world, and a path");
    covey_report unheard, of_file = { 0 };
    covey__heap heap = { world->inner->heap.allocator, 0, NULL };
    covey__file file;
    if (!report) report = &unheard;
    *report = (covey_report){ 0 };
    if (covey__file_create(&file, &covey__os_real, &heap, path, desc ? desc->zstd_level : 0, &of_file))
        save_to(world, &file, desc, report);
    if (of_file.result != COVEY_OK) *report = of_file;
    return covey__report_to(world, report, report->result, "the world could not be saved");
}

typedef covey_result load_fn(covey_world *world, const void *bytes, size_t size, const covey_load_desc *desc,
                             covey_report *report);

static covey_result load_file(covey_world *world, const char *path, const covey_load_desc *desc, covey_report *report,
                              load_fn *load) {
    COVEY__CONTRACT(NULL, world && path, "a call needs a world, and a path");
    covey_report unheard;
    covey_buffer buffer = { .allocator = world->inner->heap.allocator };
    covey_load_desc rest = desc ? *desc : (covey_load_desc){ 0 };
    if (!report) report = &unheard;
    *report = (covey_report){ 0 };
    if (!covey__file_read(&covey__os_real, path, rest.limit_bytes, &buffer, &rest.limit_bytes, report))
        return covey__report_to(world, report, report->result, "the file could not be loaded");
    covey_result result = load(world, buffer.bytes, buffer.size, &rest, report);
    covey_buffer_free(&buffer);
    return result;
}

covey_result covey_load_from_file(covey_world *world, const char *path, const covey_load_desc *desc,
                                  covey_report *report) {
    return load_file(world, path, desc, report, covey_load_from_memory);
}

covey_result covey_merge_from_file(covey_world *world, const char *path, const covey_load_desc *desc,
                                   covey_report *report) {
    return load_file(world, path, desc, report, covey_merge_from_memory);
}
