/* Worlds saved to bytes and loaded from bytes, against memcpy of as many bytes as the image has. Raw types are copied;
 * described types have padding and are converted. Memory is allocated beforehand: the buffer of the image, and an arena
 * for the loaded world. */
#include "bench.h"

#include <covey/fields.h>
#include <covey/image.h>
#include <stdlib.h>
#include <string.h>

typedef struct RawPose {
    float x, y;
} RawPose;
typedef struct RawSpeed {
    float x, y;
} RawSpeed;
typedef struct RawColor {
    float red, green, blue;
} RawColor;
COVEY_COMPONENT_DEFINE(RawPose, .as_bytes = true);
COVEY_COMPONENT_DEFINE(RawSpeed, .as_bytes = true);
COVEY_COMPONENT_DEFINE(RawColor, .as_bytes = true);

typedef struct Pose {
    float x, y;
} Pose;
typedef struct Body {
    double mass;
    int32_t hits;
} Body;
typedef struct Target {
    covey_entity who;
    float distance;
    bool seen;
} Target;
COVEY_FIELDS_DEFINE(Pose, f32(x), f32(y));
COVEY_FIELDS_DEFINE(Body, f64(mass), i32(hits));
COVEY_FIELDS_DEFINE(Target, entity(who), f32(distance), boolean(seen));
COVEY_COMPONENT_DEFINE(Pose, .fields = &covey_fields_Pose);
COVEY_COMPONENT_DEFINE(Body, .fields = &covey_fields_Body);
COVEY_COMPONENT_DEFINE(Target, .fields = &covey_fields_Target);

static const covey_type *const types[] = {
    covey_id(RawPose), covey_id(RawSpeed), covey_id(RawColor), covey_id(Pose), covey_id(Body), covey_id(Target), NULL,
};

/* Memory that is handed out from the beginning again for each world. */
typedef struct arena {
    char *bytes;
    size_t used, size;
} arena;

static void *take(void *context, void *ptr, size_t old_size, size_t new_size, size_t align) {
    arena *a = context;
    size_t at = (a->used + align - 1) / align * align;
    if (new_size == 0 || new_size > a->size - at) return NULL;
    a->used = at + new_size;
    if (ptr) memcpy(a->bytes + at, ptr, old_size < new_size ? old_size : new_size);
    return a->bytes + at;
}

typedef struct fixture {
    bench_entities entities;
    unsigned char *image, *copy;
    size_t size;
    arena arena;
    covey_world *loaded;
} fixture;

static bool add_raw(covey_world *world, covey_entity e, uint32_t i) {
    float number = (float)i;
    return covey_add(world, e, RawPose, { number, 1 }) && covey_add(world, e, RawSpeed, { 2, number }) &&
           covey_add(world, e, RawColor, { number, 3, 4 });
}

static bool add_described(covey_world *world, covey_entity e, uint32_t i) {
    float number = (float)i;
    return covey_add(world, e, Pose, { number, 1 }) && covey_add(world, e, Body, { 2, (int32_t)i }) &&
           covey_add(world, e, Target, { e, number, i % 2 == 0 });
}

static void *open_with(const bench_scenario *scenario, uint32_t n,
                       bool (*add)(covey_world *world, covey_entity e, uint32_t i)) {
    fixture *f = bench_alloc(1, sizeof *f);
    bench_entities_open(&f->entities, scenario, n);
    for (uint32_t i = 0; i < n; i++)
        if (!add(f->entities.world, f->entities.all[i], i)) bench_fail("no component");
    f->size = covey_save_to_memory(f->entities.world, NULL, 0, NULL, NULL);
    f->image = bench_alloc(f->size, 1);
    f->copy = bench_alloc(f->size, 1);
    if (covey_save_to_memory(f->entities.world, f->image, f->size, NULL, NULL) != f->size) bench_fail("no image");
    f->arena.size = f->size * 3 + ((size_t)1 << 20);
    f->arena.bytes = bench_alloc(f->arena.size, 1);
    return f;
}

static void *open_raw(const bench_scenario *scenario, uint32_t n) { return open_with(scenario, n, add_raw); }
static void *open_described(const bench_scenario *scenario, uint32_t n) {
    return open_with(scenario, n, add_described);
}

static void close(void *context) {
    fixture *f = context;
    bench_entities_close(&f->entities);
    free(f->image);
    free(f->copy);
    free(f->arena.bytes);
    free(f);
}

BENCH_TIMED static uint64_t save(void *context) {
    fixture *f = context;
    return covey_save_to_memory(f->entities.world, f->image, f->size, NULL, NULL);
}

static void empty(void *context) {
    fixture *f = context;
    f->arena.used = 0;
    f->loaded = covey_world_create(&(covey_world_desc){ .allocator = { take, &f->arena } });
    if (!f->loaded) bench_fail("no world");
}

BENCH_TIMED static uint64_t load(void *context) {
    fixture *f = context;
    covey_report report;
    if (covey_load_from_memory(f->loaded, f->image, f->size, &(covey_load_desc){ .types = types }, &report) != COVEY_OK)
        bench_fail("%s", report.text);
    return f->size;
}

BENCH_TIMED static uint64_t copy(void *context) {
    fixture *f = context;
    memcpy(f->copy, f->image, f->size);
    return f->size;
}

static const bench_contestant saving[] = {
    { .name = "covey", .run = save },
    { .name = "memcpy", .run = copy },
    { .name = NULL },
};

static const bench_contestant loading[] = {
    { .name = "covey", .prepare = empty, .run = load },
    { .name = "memcpy", .run = copy },
    { .name = NULL },
};

#define SIZES \
    { 1000, 100000, 1000000 }

static const bench_scenario scenarios[] = {
    { .name = "image_save_raw",
      .storage = "block",
      .sizes = SIZES,
      .contestants = saving,
      .open = open_raw,
      .close = close,
      .bars = { { "memcpy", 1000000, 2 } } },
    { .name = "image_load_raw",
      .storage = "block",
      .sizes = SIZES,
      .contestants = loading,
      .open = open_raw,
      .close = close,
      .bars = { { "memcpy", 1000000, 2 } } },
    { .name = "image_save_fields",
      .storage = "block",
      .sizes = SIZES,
      .contestants = saving,
      .open = open_described,
      .close = close,
      .bars = { { "memcpy", 1000000, 5 } } },
    { .name = "image_load_fields",
      .storage = "block",
      .sizes = SIZES,
      .contestants = loading,
      .open = open_described,
      .close = close,
      .bars = { { "memcpy", 1000000, 5 } } },
};

const bench_suite bench_image = { scenarios, sizeof scenarios / sizeof *scenarios };
