/* Images made to cost time (test/support/hostile.h), loaded, validated and destroyed; against the same with two images
 * of half the size. Linear work costs the same; quadratic work costs half. And names as programs have them: set and
 * found, against a hash table with lists in its buckets. */
#include "bench.h"

#include "../test/support/hostile.h"

#include <covey/hierarchy.h>
#include <stdlib.h>
#include <string.h>

/* ---- Hostile images -----------------------------------------------------------------------------------------------*/

typedef struct images {
    covey_buffer whole, half;
} images;

static void *open_images(const bench_scenario *scenario, uint32_t n) {
    images *f = bench_alloc(1, sizeof *f);
    hostile_kind kind = HOSTILE_NAMES;
    while (kind < HOSTILE_KINDS && strcmp(hostile_names[kind], scenario->name + strlen("load_hostile_")) != 0) kind++;
    if (kind == HOSTILE_KINDS) bench_fail("%s is no hostile image", scenario->name);
    if (!hostile_make(&f->whole, kind, n) || !hostile_make(&f->half, kind, n / 2)) bench_fail("no image");
    return f;
}

static void close_images(void *context) {
    images *f = context;
    covey_buffer_free(&f->whole);
    covey_buffer_free(&f->half);
    free(f);
}

static void load(const covey_buffer *image) {
    covey_world *world = covey_world_create(NULL);
    covey_report report;
    const char *why = "";
    covey_load_desc desc = { .unknown = COVEY_UNKNOWN_KEEP };
    if (covey_load_from_memory(world, image->bytes, image->size, &desc, &report) != COVEY_OK)
        bench_fail("%s", report.text);
    if (!covey_world_validate(world, &why)) bench_fail("%s", why);
    covey_world_destroy(world);
}

BENCH_TIMED static uint64_t load_whole(void *context) {
    const images *f = context;
    load(&f->whole);
    return 0;
}

BENCH_TIMED static uint64_t load_halves(void *context) {
    const images *f = context;
    load(&f->half);
    load(&f->half);
    return 0;
}

static const bench_contestant loading[] = {
    { .name = "covey", .run = load_whole },
    { .name = "halves", .run = load_halves },
    { .name = NULL },
};

/* ---- Names of programs --------------------------------------------------------------------------------------------*/

enum { TEXT = 24 };

typedef struct entry {
    char *text;
    uint32_t hash, next, index;
} entry;

typedef struct names {
    bench_entities entities;
    char (*texts)[TEXT];
    uint32_t *order; /* in which they are looked for */
    entry *entries;
    uint32_t *buckets, bucket_count, n;
} names;

static void forget(names *f) {
    for (uint32_t i = 0; i < f->n; i++) {
        free(f->entries[i].text);
        f->entries[i].text = NULL;
    }
    memset(f->buckets, 0xFF, f->bucket_count * sizeof *f->buckets);
}

static void *open_names(const bench_scenario *scenario, uint32_t n) {
    names *f = bench_alloc(1, sizeof *f);
    uint64_t state = 7;
    bench_entities_open(&f->entities, scenario, n);
    f->n = n;
    f->texts = bench_alloc(n, sizeof *f->texts);
    f->order = bench_alloc(n, sizeof *f->order);
    f->entries = bench_alloc(n, sizeof *f->entries);
    f->bucket_count = 8;
    while (f->bucket_count < n) f->bucket_count *= 2;
    f->buckets = bench_alloc(f->bucket_count, sizeof *f->buckets);
    forget(f);
    for (uint32_t i = 0; i < n; i++) {
        snprintf(f->texts[i], TEXT, "turret_%u", i);
        f->order[i] = bench_random(&state, n);
    }
    return f;
}

static void close_names(void *context) {
    names *f = context;
    forget(f);
    bench_entities_close(&f->entities);
    free(f->texts);
    free(f->order);
    free(f->entries);
    free(f->buckets);
    free(f);
}

static uint32_t hash_of(const char *text) {
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001B3);
    return (uint32_t)(hash ^ hash >> 32);
}

static uint32_t find(const names *f, const char *text) {
    uint32_t hash = hash_of(text), at = f->buckets[hash & (f->bucket_count - 1)];
    while (at != UINT32_MAX && (f->entries[at].hash != hash || strcmp(f->entries[at].text, text) != 0))
        at = f->entries[at].next;
    return at;
}

static void unname(void *context) {
    names *f = context;
    for (uint32_t i = 0; i < f->n; i++) covey_name_set(f->entities.world, f->entities.all[i], NULL);
    covey_shrink(f->entities.world);
}

static void empty(void *context) { forget(context); }

BENCH_TIMED static uint64_t set_names(void *context) {
    names *f = context;
    for (uint32_t i = 0; i < f->n; i++)
        if (covey_name_set(f->entities.world, f->entities.all[i], f->texts[i]) != COVEY_OK) bench_fail("no name");
    return f->n;
}

/* Its buckets are there from the beginning. */
BENCH_TIMED static uint64_t list_names(void *context) {
    names *f = context;
    for (uint32_t i = 0; i < f->n; i++) {
        if (find(f, f->texts[i]) != UINT32_MAX) bench_fail("a name twice");
        uint32_t hash = hash_of(f->texts[i]), *bucket = &f->buckets[hash & (f->bucket_count - 1)];
        size_t length = strlen(f->texts[i]) + 1;
        f->entries[i] = (entry){ memcpy(malloc(length), f->texts[i], length), hash, *bucket, i };
        *bucket = i;
    }
    return f->n;
}

BENCH_TIMED static uint64_t find_names(void *context) {
    const names *f = context;
    covey_entity none = { 0, 0 };
    uint64_t sum = 0;
    for (uint32_t i = 0; i < f->n; i++) sum += covey_find_child(f->entities.world, none, f->texts[f->order[i]]).index;
    return sum;
}

BENCH_TIMED static uint64_t find_in_lists(void *context) {
    const names *f = context;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < f->n; i++) sum += f->entries[find(f, f->texts[f->order[i]])].index;
    return sum;
}

static void name_all(void *context) {
    if (covey_is_null(covey_find_child(((names *)context)->entities.world, (covey_entity){ 0, 0 }, "turret_0")))
        set_names(context);
}

static void list_all(void *context) {
    const names *f = context;
    if (!f->entries[0].text) empty(context), list_names(context);
}

static const bench_contestant setting[] = {
    { .name = "covey", .prepare = unname, .run = set_names },
    { .name = "lists", .prepare = empty, .run = list_names },
    { .name = NULL },
};

static const bench_contestant finding[] = {
    { .name = "covey", .prepare = name_all, .run = find_names },
    { .name = "lists", .prepare = list_all, .run = find_in_lists },
    { .name = NULL },
};

/* ---- Scenarios ----------------------------------------------------------------------------------------------------*/

#define HOSTILE(kind)                                                                                        \
    {                                                                                                        \
        .name = "load_hostile_" #kind, .storage = "block", .sizes = { 1000, 10000 }, .contestants = loading, \
        .open = open_images, .close = close_images, .bars = {                                                \
            { "halves", 10000, 1.5 }                                                                         \
        }                                                                                                    \
    }

static const bench_scenario scenarios[] = {
    HOSTILE(names),
    HOSTILE(types),
    HOSTILE(resources),
    HOSTILE(ranges),
    HOSTILE(deep),
    HOSTILE(wide),
    HOSTILE(free),
    { .name = "name_set",
      .storage = "block",
      .sizes = { 1000, 100000 },
      .contestants = setting,
      .open = open_names,
      .close = close_names },
    { .name = "name_find",
      .storage = "block",
      .sizes = { 1000, 100000 },
      .contestants = finding,
      .open = open_names,
      .close = close_names },
};

const bench_suite bench_hostile = { scenarios, sizeof scenarios / sizeof *scenarios };
