/* A contender without a library: an array of values and an array of flags for each type, indexed by entity. It shows
 * how to write a contender, and how far plain arrays go. */
#include "contender.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct arrays {
    contender_value *values[CONTENDER_TYPES];
    bool *present[CONTENDER_TYPES];
    uint64_t counts[CONTENDER_TYPES];
    uint32_t n;
} arrays;

static void arrays_close(void *world) {
    arrays *a = world;
    for (uint32_t t = 0; t < CONTENDER_TYPES; t++) {
        free(a->values[t]);
        free(a->present[t]);
    }
    free(a);
}

static void *arrays_open(uint32_t n) {
    arrays *a = calloc(1, sizeof *a);
    if (!a) return NULL;
    a->n = n;
    for (uint32_t t = 0; t < CONTENDER_TYPES; t++) {
        a->values[t] = calloc(n, sizeof **a->values);
        a->present[t] = calloc(n, sizeof **a->present);
        if (a->values[t] && a->present[t]) continue;
        arrays_close(a);
        return NULL;
    }
    return a;
}

static void arrays_clear(void *world, uint32_t type) {
    arrays *a = world;
    memset(a->present[type], 0, a->n * sizeof **a->present);
    a->counts[type] = 0;
}

static void arrays_empty(void *world) {
    for (uint32_t t = 0; t < CONTENDER_TYPES; t++) arrays_clear(world, t);
}

static uint64_t arrays_add(void *world, uint32_t type, const uint32_t *ids, uint32_t count) {
    arrays *a = world;
    contender_value value = contender_value_of(type);
    for (uint32_t i = 0; i < count; i++) {
        a->present[type][ids[i]] = true;
        a->values[type][ids[i]] = value;
    }
    return a->counts[type] += count;
}

static uint64_t arrays_remove(void *world, uint32_t type, const uint32_t *ids, uint32_t count) {
    arrays *a = world;
    for (uint32_t i = 0; i < count; i++) a->present[type][ids[i]] = false;
    return a->counts[type] -= count;
}

static uint64_t arrays_get(void *world, uint32_t type, const uint32_t *ids, uint32_t count) {
    const arrays *a = world;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        if (a->present[type][ids[i]]) sum += contender_number_of(a->values[type][ids[i]]);
    return sum;
}

static uint64_t arrays_has(void *world, uint32_t type, const uint32_t *ids, uint32_t count) {
    const arrays *a = world;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) sum += a->present[type][ids[i]];
    return sum;
}

/* The loops are written out, as those of every contender are. */
static uint64_t iterate1(arrays *a) {
    uint64_t visited = 0;
    contender_value *p = a->values[0];
    for (uint32_t i = 0; i < a->n; i++) {
        if (!a->present[0][i]) continue;
        p[i].x += 1;
        p[i].y += 1;
        visited++;
    }
    return visited;
}

static uint64_t iterate2(arrays *a) {
    uint64_t visited = 0;
    contender_value *p = a->values[0];
    const contender_value *v = a->values[1];
    for (uint32_t i = 0; i < a->n; i++) {
        if (!a->present[0][i] || !a->present[1][i]) continue;
        p[i].x += v[i].x;
        p[i].y += v[i].y;
        visited++;
    }
    return visited;
}

static uint64_t iterate3(arrays *a) {
    uint64_t visited = 0;
    contender_value *p = a->values[0];
    const contender_value *v = a->values[1], *w = a->values[2];
    for (uint32_t i = 0; i < a->n; i++) {
        if (!a->present[0][i] || !a->present[1][i] || !a->present[2][i]) continue;
        p[i].x += v[i].x + w[i].x;
        p[i].y += v[i].y + w[i].y;
        visited++;
    }
    return visited;
}

static uint64_t arrays_iterate(void *world, uint32_t fields) {
    return fields == 1 ? iterate1(world) : fields == 2 ? iterate2(world) : iterate3(world);
}

static uint64_t arrays_create(void *world) {
    arrays *a = world;
    for (uint32_t i = 0; i < a->n; i++)
        for (uint32_t t = 0; t < CONTENDER_TYPES; t++) {
            a->present[t][i] = true;
            a->values[t][i] = contender_value_of(t);
        }
    for (uint32_t t = 0; t < CONTENDER_TYPES; t++) a->counts[t] = a->n;
    return a->counts[0];
}

static uint64_t arrays_destroy(void *world, const uint32_t *ids, uint32_t count) {
    arrays *a = world;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t t = 0; t < CONTENDER_TYPES; t++) {
            a->counts[t] -= a->present[t][ids[i]];
            a->present[t][ids[i]] = false;
        }
    return a->counts[0];
}

static const contender arrays_contender = {
    .name = "arrays",
    .open = arrays_open,
    .close = arrays_close,
    .empty = arrays_empty,
    .clear = arrays_clear,
    .add = arrays_add,
    .remove = arrays_remove,
    .get = arrays_get,
    .has = arrays_has,
    .iterate = arrays_iterate,
    .create = arrays_create,
    .destroy = arrays_destroy,
};

contender_listing contender_list(void) {
    static const contender *const all[] = { &arrays_contender, NULL };
    return (contender_listing){ .version = CONTENDER_VERSION, .contenders = all };
}
