/* The same 32 bytes of each entity in one component, in two and in four: what splitting costs, and what it saves. */
#include "bench.h"

#include <stdlib.h>

typedef struct {
    float f[8]; /* position, velocity, heat, spin: two each */
} Whole;
typedef struct {
    float f[4];
} Half;
typedef struct {
    float f[2];
} Quarter;
typedef Half FirstHalf, SecondHalf;
typedef Quarter Place, Speed, Warmth, Turn;
COVEY_COMPONENT_DEFINE(Whole);
COVEY_COMPONENT_DEFINE(FirstHalf);
COVEY_COMPONENT_DEFINE(SecondHalf);
COVEY_COMPONENT_DEFINE(Place);
COVEY_COMPONENT_DEFINE(Speed);
COVEY_COMPONENT_DEFINE(Warmth);
COVEY_COMPONENT_DEFINE(Turn);

static const Whole whole_value = { { 1, 2, 3, 4, 5, 6, 7, 8 } };
static const Half first_value = { { 1, 2, 3, 4 } }, second_value = { { 5, 6, 7, 8 } };
static const Quarter place_value = { { 1, 2 } }, speed_value = { { 3, 4 } };
static const Quarter warmth_value = { { 5, 6 } }, turn_value = { { 7, 8 } };

typedef struct fixture {
    bench_entities whole, two, four;
    covey_view whole_view, two_view, two_part, four_view, four_part;
} fixture;

/* ---- Creating and destroying --------------------------------------------------------------------------------------*/

static void add_whole(covey_world *w, covey_entity e) { covey_add_value(w, e, Whole, &whole_value); }
static void add_two(covey_world *w, covey_entity e) {
    covey_add_value(w, e, FirstHalf, &first_value);
    covey_add_value(w, e, SecondHalf, &second_value);
}
static void add_four(covey_world *w, covey_entity e) {
    covey_add_value(w, e, Place, &place_value);
    covey_add_value(w, e, Speed, &speed_value);
    covey_add_value(w, e, Warmth, &warmth_value);
    covey_add_value(w, e, Turn, &turn_value);
}

#define CREATE_AND_DESTROY(kind)                                                                        \
    static void empty_##kind(void *context) { covey_destroy_all(((fixture *)context)->kind.world); }    \
    BENCH_TIMED static uint64_t create_##kind(void *context) {                                          \
        bench_entities *e = &((fixture *)context)->kind;                                                \
        for (uint32_t i = 0; i < e->n; i++) add_##kind(e->world, e->order[i] = covey_create(e->world)); \
        return covey_entity_count(e->world);                                                            \
    }                                                                                                   \
    static void refill_##kind(void *context) {                                                          \
        empty_##kind(context);                                                                          \
        create_##kind(context);                                                                         \
    }                                                                                                   \
    BENCH_TIMED static uint64_t destroy_##kind(void *context) {                                         \
        bench_entities *e = &((fixture *)context)->kind;                                                \
        for (uint32_t i = 0; i < e->n; i++) covey_destroy(e->world, e->order[i]);                       \
        return covey_entity_count(e->world);                                                            \
    }

CREATE_AND_DESTROY(whole)
CREATE_AND_DESTROY(two)
CREATE_AND_DESTROY(four)

/* ---- Iterating ----------------------------------------------------------------------------------------------------*/

static inline void add(float *to, const float *from) {
    to[0] += from[0];
    to[1] += from[1];
}

BENCH_TIMED static uint64_t iterate_whole(void *context) {
    uint64_t visited = 0;
    covey_iter it = covey_view_iter(&((fixture *)context)->whole_view);
    for (; covey_next(&it); visited += it.count) {
        Whole *w = covey_field(&it, 0, Whole);
        for (uint32_t i = 0; i < it.count; i++) {
            add(w[i].f, w[i].f + 2);
            add(w[i].f + 4, w[i].f + 6);
        }
    }
    return visited;
}

BENCH_TIMED static uint64_t iterate_two(void *context) {
    uint64_t visited = 0;
    covey_iter it = covey_view_iter(&((fixture *)context)->two_view);
    for (; covey_next(&it); visited += it.count) {
        FirstHalf *m = covey_field(&it, 0, FirstHalf);
        SecondHalf *s = covey_field(&it, 1, SecondHalf);
        for (uint32_t i = 0; i < it.count; i++) {
            add(m[i].f, m[i].f + 2);
            add(s[i].f, s[i].f + 2);
        }
    }
    return visited;
}

BENCH_TIMED static uint64_t iterate_four(void *context) {
    uint64_t visited = 0;
    covey_iter it = covey_view_iter(&((fixture *)context)->four_view);
    for (; covey_next(&it); visited += it.count) {
        Place *p = covey_field(&it, 0, Place);
        const Speed *v = covey_field(&it, 1, Speed);
        Warmth *w = covey_field(&it, 2, Warmth);
        const Turn *t = covey_field(&it, 3, Turn);
        for (uint32_t i = 0; i < it.count; i++) {
            add(p[i].f, v[i].f);
            add(w[i].f, t[i].f);
        }
    }
    return visited;
}

BENCH_TIMED static uint64_t part_whole(void *context) {
    uint64_t visited = 0;
    covey_iter it = covey_view_iter(&((fixture *)context)->whole_view);
    for (; covey_next(&it); visited += it.count) {
        Whole *w = covey_field(&it, 0, Whole);
        for (uint32_t i = 0; i < it.count; i++) add(w[i].f, w[i].f + 2);
    }
    return visited;
}

BENCH_TIMED static uint64_t part_two(void *context) {
    uint64_t visited = 0;
    covey_iter it = covey_view_iter(&((fixture *)context)->two_part);
    for (; covey_next(&it); visited += it.count) {
        FirstHalf *m = covey_field(&it, 0, FirstHalf);
        for (uint32_t i = 0; i < it.count; i++) add(m[i].f, m[i].f + 2);
    }
    return visited;
}

BENCH_TIMED static uint64_t part_four(void *context) {
    uint64_t visited = 0;
    covey_iter it = covey_view_iter(&((fixture *)context)->four_part);
    for (; covey_next(&it); visited += it.count) {
        Place *p = covey_field(&it, 0, Place);
        const Speed *v = covey_field(&it, 1, Speed);
        for (uint32_t i = 0; i < it.count; i++) add(p[i].f, v[i].f);
    }
    return visited;
}

/* ---- Reading all bytes of an entity -------------------------------------------------------------------------------*/

static inline uint64_t sum(const float *f, uint32_t count) {
    float total = 0;
    for (uint32_t i = 0; i < count; i++) total += f[i];
    return (uint64_t)total;
}

BENCH_TIMED static uint64_t get_whole(void *context) {
    const bench_entities *e = &((fixture *)context)->whole;
    uint64_t total = 0;
    for (uint32_t i = 0; i < e->n; i++) total += sum(covey_get(e->world, e->order[i], Whole)->f, 8);
    return total;
}

BENCH_TIMED static uint64_t get_two(void *context) {
    const bench_entities *e = &((fixture *)context)->two;
    uint64_t total = 0;
    for (uint32_t i = 0; i < e->n; i++)
        total += sum(covey_get(e->world, e->order[i], FirstHalf)->f, 4) +
                 sum(covey_get(e->world, e->order[i], SecondHalf)->f, 4);
    return total;
}

BENCH_TIMED static uint64_t get_four(void *context) {
    const bench_entities *e = &((fixture *)context)->four;
    uint64_t total = 0;
    for (uint32_t i = 0; i < e->n; i++) {
        covey_entity id = e->order[i];
        total += sum(covey_get(e->world, id, Place)->f, 2) + sum(covey_get(e->world, id, Speed)->f, 2) +
                 sum(covey_get(e->world, id, Warmth)->f, 2) + sum(covey_get(e->world, id, Turn)->f, 2);
    }
    return total;
}

/* ---- The scenarios ------------------------------------------------------------------------------------------------*/

static void convert(covey_world *world, const covey_type *const *types, const char *storage) {
    if (strcmp(storage, "block") == 0) return;
    for (; *types; types++)
        if (covey_pool_convert(covey_pool_of_raw(world, *types), COVEY_STORAGE_SPARSE) != COVEY_OK)
            bench_fail("a pool could not be converted");
}

/* A world whose entities have these components. */
static void open_world(bench_entities *e, const bench_scenario *scenario, uint32_t n, const covey_type *const *types,
                       void (*fill)(covey_world *, covey_entity)) {
    bench_entities_open(e, scenario, n);
    convert(e->world, types, scenario->storage);
    for (uint32_t i = 0; i < n; i++) fill(e->world, e->all[i]);
}

static void *open(const bench_scenario *scenario, uint32_t n) {
    static const covey_type *const whole[] = { covey_id(Whole), NULL };
    static const covey_type *const two[] = { covey_id(FirstHalf), covey_id(SecondHalf), NULL };
    static const covey_type *const four[] = { covey_id(Place), covey_id(Speed), covey_id(Warmth), covey_id(Turn),
                                              NULL };
    fixture *f = bench_alloc(1, sizeof *f);
    open_world(&f->whole, scenario, n, whole, add_whole);
    open_world(&f->two, scenario, n, two, add_two);
    open_world(&f->four, scenario, n, four, add_four);
    f->whole_view = covey_view_make(f->whole.world, &(covey_view_desc){ .with = { covey_id(Whole) } });
    f->two_view =
        covey_view_make(f->two.world, &(covey_view_desc){ .with = { covey_id(FirstHalf), covey_id(SecondHalf) } });
    f->two_part = covey_view_make(f->two.world, &(covey_view_desc){ .with = { covey_id(FirstHalf) } });
    f->four_view = covey_view_make(f->four.world, &(covey_view_desc){ .with = { covey_id(Place), covey_id(Speed),
                                                                                covey_id(Warmth), covey_id(Turn) } });
    f->four_part = covey_view_make(f->four.world, &(covey_view_desc){ .with = { covey_id(Place), covey_id(Speed) } });
    return f;
}

static void close(void *context) {
    fixture *f = context;
    bench_entities_close(&f->whole);
    bench_entities_close(&f->two);
    bench_entities_close(&f->four);
    free(f);
}

#define CONTESTANTS(list, prepares, runs)                                     \
    static const bench_contestant list[] = {                                  \
        { .name = "covey", .prepare = prepares(whole), .run = runs##_whole }, \
        { .name = "two", .prepare = prepares(two), .run = runs##_two },       \
        { .name = "four", .prepare = prepares(four), .run = runs##_four },    \
        { .name = NULL },                                                     \
    }
#define NOTHING(kind) NULL
#define EMPTY(kind) empty_##kind
#define REFILL(kind) refill_##kind

CONTESTANTS(iterating, NOTHING, iterate);
CONTESTANTS(iterating_part, NOTHING, part);
CONTESTANTS(getting, NOTHING, get);
CONTESTANTS(creating, EMPTY, create);
CONTESTANTS(destroying, REFILL, destroy);

#define SCENARIO(text, who, ...)                                                                           \
    { .name = text,                                                                                        \
      .storage = "block",                                                                                  \
      .sizes = { 100000, 1000000 },                                                                        \
      .contestants = who,                                                                                  \
      .open = open,                                                                                        \
      .close = close,                                                                                      \
      __VA_ARGS__ },                                                                                       \
    {                                                                                                      \
        .name = text, .storage = "sparse", .sizes = { 100000, 1000000 }, .contestants = who, .open = open, \
        .close = close, __VA_ARGS__                                                                        \
    }

static const bench_scenario scenarios[] = {
    SCENARIO("split_iterate", iterating, .order = BENCH_ORDERED),
    SCENARIO("split_iterate_part", iterating_part, .order = BENCH_ORDERED),
    SCENARIO("split_get", getting, .order = BENCH_SHUFFLED),
    SCENARIO("split_create", creating, .order = BENCH_ORDERED),
    SCENARIO("split_destroy", destroying, .order = BENCH_ORDERED),
};

const bench_suite bench_split = { scenarios, sizeof scenarios / sizeof *scenarios };
