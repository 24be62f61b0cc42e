/* What images take in memory: entities whose indices are far apart, and files that zstd has made small. The tables of
 * docs/images.md. */
#include <covey/hierarchy.h>
#include <covey/image.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Memory in use ------------------------------------------------------------------------------------------------*/

static size_t in_use, peak;

/* As realloc does where it cannot grow in place: for a moment, both are there. */
static void *count(void *context, void *old, size_t old_size, size_t size, size_t align) {
    (void)context;
    void *fresh = NULL;
    if (align < 16) align = 16;
    if (size != 0) fresh = aligned_alloc(align, (size + align - 1) / align * align);
    if (size != 0 && !fresh) return NULL;
    if (fresh && old) memcpy(fresh, old, old_size < size ? old_size : size);
    in_use += size;
    if (in_use > peak) peak = in_use;
    if (old) in_use -= old_size;
    free(old);
    return fresh;
}

static covey_world *make_world(void) { return covey_world_create(&(covey_world_desc){ .allocator = { count, NULL } }); }

/* ---- Scattered entities -------------------------------------------------------------------------------------------*/

typedef struct Value {
    uint32_t a, b;
} Value;
typedef Value InBlocks;
typedef Value InPins;
typedef Value InSparse;
typedef Value WithTicks;
COVEY_TAG_DEFINE(Tag);
COVEY_TAG_DEFINE(SparseTag, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(InBlocks, .as_bytes = true);
COVEY_COMPONENT_DEFINE(InPins, .as_bytes = true, .storage = COVEY_STORAGE_PINNED);
COVEY_COMPONENT_DEFINE(InSparse, .as_bytes = true, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(WithTicks, .as_bytes = true, .ticks = true);

enum { SCATTERED = 10000, APART = 4096 };

static const struct row {
    const char *what;
    const covey_type *type; /* NULL: none, */
    bool named, child;      /* or one of these */
} rows[] = {
    { "no component", NULL, false, false },
    { "a tag", covey_id(Tag), false, false },
    { "8 bytes in blocks", covey_id(InBlocks), false, false },
    { "8 bytes, pinned", covey_id(InPins), false, false },
    { "a sparse tag", covey_id(SparseTag), false, false },
    { "8 bytes, sparse", covey_id(InSparse), false, false },
    { "8 bytes with ticks", covey_id(WithTicks), false, false },
    { "a name", NULL, true, false },
    { "a parent", NULL, false, true },
};

static const covey_type *const types[] = {
    covey_id(Tag), covey_id(SparseTag), covey_id(InBlocks), covey_id(InPins), covey_id(InSparse), covey_id(WithTicks),
    NULL
};

static void fill(covey_world *world, const struct row *row) {
    covey_entity before = COVEY_NULL;
    for (uint32_t i = 0; i < SCATTERED; i++) {
        covey_entity e = covey_create_at(world, i * APART);
        char name[16];
        snprintf(name, sizeof name, "n%u", i);
        if (row->type) covey_add_raw(world, e, row->type, row->type->size != 0 ? &(Value){ i, i } : NULL);
        if (row->named) covey_name_set(world, e, name);
        if (row->child && i != 0) covey_parent_set(world, e, before);
        before = e;
    }
}

typedef enum way { LOAD, MERGE, FOLLOW, WAYS } way;

/* The most memory that was in use while the image came into a world. */
static size_t bytes_taken(const covey_buffer *image, way by) {
    covey_load_desc desc = { .types = types, .limit_bytes = UINT64_MAX };
    in_use = peak = 0;
    covey_world *world = make_world();
    covey_follower *follower = covey_follower_create(world);
    covey_result result = by == LOAD    ? covey_load_from_memory(world, image->bytes, image->size, &desc, NULL)
                          : by == MERGE ? covey_merge_from_memory(world, image->bytes, image->size, &desc, NULL)
                                        : covey_follow_from_memory(follower, image->bytes, image->size, &desc, NULL);
    covey_follower_destroy(follower);
    covey_world_destroy(world);
    return result == COVEY_OK ? peak : 0;
}

static void measure_scattered(const struct row *row) {
    covey_world *world = make_world();
    covey_buffer image = { 0 };
    fill(world, row);
    (void)covey_save_to_buffer(world, &image, NULL, NULL);
    covey_world_destroy(world);
    printf("| %s | %.0f |", row->what, (double)image.size / (double)SCATTERED);
    for (int by = 0; by < WAYS; by++) printf(" %zu |", bytes_taken(&image, (way)by) / SCATTERED);
    printf("\n");
    covey_buffer_free(&image);
}

/* ---- Compressed files ---------------------------------------------------------------------------------------------*/

static const struct save {
    const char *what;
    uint32_t entities, components, values; /* how many; of 1 to 4; different ones */
} saves[] = {
    { "1,000,000 entities, zeros in two components", 1000000, 2, 1 },
    { "1,000,000 entities, zeros in three", 1000000, 3, 1 },
    { "the same, and one is sparse", 1000000, 4, 1 },
    { "three components of two values", 1000000, 3, 2 },
    { "three components of 100 values", 1000000, 3, 100 },
    { "5,000,000 entities, zeros in three components", 5000000, 3, 1 },
    { "three components of two values", 5000000, 3, 2 },
    { "three components of 100 values", 5000000, 3, 100 },
};

static void fill_save(covey_world *world, const struct save *save) {
    static const covey_type *const all[] = { covey_id(InBlocks), covey_id(InPins), covey_id(WithTicks),
                                             covey_id(InSparse) };
    uint32_t random = 1;
    for (uint32_t i = 0; i < save->entities; i++) {
        covey_entity e = covey_create(world);
        for (uint32_t k = 0; k < save->components; k++) {
            random = random * 1664525 + 1013904223;
            covey_add_raw(world, e, all[k], &(Value){ (random >> 8) % save->values, 0 });
        }
    }
}

static size_t file_size(const char *path) {
    long size = 0;
    FILE *file = fopen(path, "rb");
    if (file && fseek(file, 0, SEEK_END) == 0) size = ftell(file);
    if (file) fclose(file);
    return size > 0 ? (size_t)size : 0;
}

static void say_nothing(covey_result item, const char *text, void *context) { (void)item, (void)text, (void)context; }

/* The memory of the world; 0 if the limit is too low, or something else fails. */
static size_t load_within(const char *path, uint64_t limit) {
    covey_load_desc desc = { .types = types, .limit_bytes = limit };
    covey_world *world = covey_world_create(&(covey_world_desc){ .log = say_nothing });
    covey_result result = covey_load_from_file(world, path, &desc, NULL);
    size_t bytes = result == COVEY_OK ? covey_world_memory(world) : 0;
    covey_world_destroy(world);
    return bytes;
}

static void measure_save(const struct save *save, const char *path) {
    covey_world *world = covey_world_create(NULL);
    fill_save(world, save);
    size_t image = covey_save_to_memory(world, NULL, 0, NULL, NULL);
    (void)covey_save_to_file(world, path, &(covey_save_desc){ .zstd_level = 3 }, NULL);
    covey_world_destroy(world);
    size_t file = file_size(path), loaded = load_within(path, UINT64_MAX);
    bool by_default = load_within(path, 0) != 0;
    printf("| %s | %.1f | %.2f | %.1f | %.1f | %s |\n", save->what, (double)image / 1e6, (double)file / 1e6,
           (double)(image + loaded) / 1e6, (double)(COVEY_LIMIT_AT_LEAST + COVEY_LIMIT_FOR_EACH * file) / 1e6,
           by_default ? "yes" : "no");
    remove(path);
}

int main(int argument_count, char **arguments) {
    const char *path = argument_count > 1 ? arguments[1] : "limits.covey";
    printf("Bytes for an entity that is %d indices away from the next, and has\n\n", APART);
    printf("| | in the image | loading | merging | following |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) measure_scattered(&rows[i]);
    printf("\nMB of files that are compressed with level 3\n\n");
    printf("| | image | file | image and world | default limit | loads |\n|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof saves / sizeof *saves; i++) measure_save(&saves[i], path);
    return 0;
}
