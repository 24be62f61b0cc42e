/* Reading files into memory, and loading images into worlds. */
#include "snap.h"

bool snap_file_read(snap_image *image, const char *path, const snap_settings *settings, covey_report *report) {
    *image = (snap_image){ .path = path };
    if (covey_file_read(path, settings->limit_bytes, &image->bytes, report) != COVEY_OK) return false;
    if (!snap_file_size(path, &image->file_bytes)) image->file_bytes = image->bytes.size;
    return true;
}

bool snap_image_read(snap_image *image, const char *path, const snap_settings *settings, covey_report *report) {
    if (!snap_file_read(image, path, settings, report)) return false;
    return !snap_is_checkpoint(&image->bytes) || snap_checkpoint_read(image, settings, report);
}

uint64_t snap_limit(const snap_settings *settings, uint64_t file_bytes) {
    if (settings->limit_bytes != 0) return settings->limit_bytes;
    return COVEY_LIMIT_AT_LEAST + COVEY_LIMIT_FOR_EACH * file_bytes;
}

/* The limit minus the image itself. At least 1, because 0 is the default of the library. */
static uint64_t limit_left(const snap_image *image, const snap_settings *settings) {
    uint64_t limit = snap_limit(settings, image->file_bytes), size = image->bytes.size;
    if (limit == UINT64_MAX) return limit;
    return limit > size ? limit - size : 1;
}

/* The world is quiet, because the report has the reason of a failure. */
covey_world *snap_image_load(const snap_image *image, const snap_settings *settings, covey_report *report) {
    covey_world *world = covey_world_create(&(covey_world_desc){ .quiet = true });
    if (!world) {
        *report = (covey_report){ .result = COVEY_ERROR_MEMORY, .text = "no memory for a world" };
        return NULL;
    }
    snap_progress progress = snap_progress_begin(settings, "reading", image->path, false);
    covey_load_desc desc = { .unknown = COVEY_UNKNOWN_KEEP,
                             .limit_bytes = limit_left(image, settings),
                             .limit_entities = settings->limit_entities,
                             .progress = snap_progress_tell,
                             .progress_context = &progress };
    covey_result result = covey_load_from_memory(world, image->bytes.bytes, image->bytes.size, &desc, report);
    if (result == COVEY_OK) snap_progress_tell(1, 1, &progress);
    snap_progress_end(&progress);
    if (result == COVEY_OK) return world;
    covey_world_destroy(world);
    return NULL;
}

covey_world *snap_world_read(const char *path, const snap_settings *settings) {
    snap_image image;
    covey_report report;
    covey_world *world = NULL;
    if (snap_image_read(&image, path, settings, &report)) world = snap_image_load(&image, settings, &report);
    if (!world) snap_trouble_with(path, &report);
    covey_buffer_free(&image.bytes);
    return world;
}

bool snap_is_internal(const covey_type *type) { return strncmp(type->name, "covey.", 6) == 0; }
