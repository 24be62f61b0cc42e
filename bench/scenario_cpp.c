/* Each form of C++ beside its form in C, in one process, from one entity on. The forms of C++ are in cpp_forms.cpp. */
#include "bench.h"
#include "cpp_forms.h"

#include <stdlib.h>

COVEY_COMPONENT_DEFINE(Point);
COVEY_COMPONENT_DEFINE(Step);
COVEY_COMPONENT_DEFINE(Extra);
COVEY_COMPONENT_DEFINE(DensePoint, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(DenseStep, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(DenseExtra, .storage = COVEY_STORAGE_SPARSE);

typedef struct fixture {
    cpp_fixture shared; /* first: contestants get this */
    bench_entities entities;
    covey_view view;
    void (*end_view)(const void *view);
} fixture;

static void close(void *context) {
    fixture *f = context;
    f->end_view(f->shared.cpp_view);
    bench_entities_close(&f->entities);
    free(f);
}

/* ---- The forms of C -----------------------------------------------------------------------------------------------*/

#define SPANS(name, begin, P, S)                                      \
    BENCH_TIMED static uint64_t name(void *context) {                 \
        const cpp_fixture *f = context;                               \
        uint64_t matches = 0;                                         \
        covey_iter it = begin;                                        \
        while (covey_next(&it)) {                                     \
            P *p = covey_field(&it, 0, P);                            \
            const S *s = covey_field(&it, 1, S);                      \
            for (uint32_t i = 0; i < it.count; i++) p[i].x += s[i].x; \
            matches += it.count;                                      \
        }                                                             \
        return matches;                                               \
    }
#define ROWS(name, begin, P, S)                           \
    BENCH_TIMED static uint64_t name(void *context) {     \
        const cpp_fixture *f = context;                   \
        uint64_t matches = 0;                             \
        covey_iter it = begin;                            \
        covey_row row = { 0 };                            \
        while (covey_next_row(&it, &row)) {               \
            P *p = covey_row_field(&it, row, 0, P);       \
            const S *s = covey_row_field(&it, row, 1, S); \
            p->x += s->x;                                 \
            matches++;                                    \
        }                                                 \
        return matches;                                   \
    }
#define VERB(name, call)                                          \
    BENCH_TIMED static uint64_t name(void *context) {             \
        const cpp_fixture *f = context;                           \
        covey_world *world = f->world;                            \
        uint64_t result = 0;                                      \
        for (uint32_t i = 0; i < f->count; i++) result += (call); \
        return result;                                            \
    }

#define FORMS(storage, P, S, T)                                                                                        \
    SPANS(spans_##storage, covey_view_iter(f->view), P, S)                                                             \
    ROWS(rows_##storage, covey_view_iter(f->view), P, S)                                                               \
    SPANS(group_spans_##storage, covey_group_iter(f->group), P, S)                                                     \
    ROWS(group_rows_##storage, covey_group_iter(f->group), P, S)                                                       \
    VERB(create_with_##storage,                                                                                        \
         !covey_is_null(covey_create_with(world, covey_with(P, { (float)i, 2 }), covey_with(S, { 1, 0 }))))            \
    VERB(add_##storage, covey_add(world, f->entities[i], T, { (float)i, 1 }) != NULL)                                  \
    VERB(set_##storage, covey_set(world, f->entities[i], P, { (float)i, 1 }) != NULL)                                  \
    VERB(has_##storage, covey_has(world, f->entities[i], P))                                                           \
    VERB(remove_##storage, covey_remove(world, f->entities[i], T))                                                     \
    BENCH_TIMED static uint64_t create_add_##storage(void *context) {                                                  \
        const cpp_fixture *f = context;                                                                                \
        covey_world *world = f->world;                                                                                 \
        uint64_t made = 0;                                                                                             \
        for (uint32_t i = 0; i < f->count; i++) {                                                                      \
            covey_entity e = covey_create(world);                                                                      \
            covey_add(world, e, P, { (float)i, 2 });                                                                   \
            covey_add(world, e, S, { 1, 0 });                                                                          \
            made += !covey_is_null(e);                                                                                 \
        }                                                                                                              \
        return made;                                                                                                   \
    }                                                                                                                  \
    BENCH_TIMED static uint64_t get_##storage(void *context) {                                                         \
        const cpp_fixture *f = context;                                                                                \
        covey_world *world = f->world;                                                                                 \
        uint64_t found = 0;                                                                                            \
        for (uint32_t i = 0; i < f->count; i++) {                                                                      \
            const P *p = covey_get(world, f->entities[i], P);                                                          \
            if (p) found += p->y == 2;                                                                                 \
        }                                                                                                              \
        return found;                                                                                                  \
    }                                                                                                                  \
    BENCH_TIMED static uint64_t get_both_##storage(void *context) {                                                    \
        const cpp_fixture *f = context;                                                                                \
        covey_world *world = f->world;                                                                                 \
        uint64_t found = 0;                                                                                            \
        for (uint32_t i = 0; i < f->count; i++) {                                                                      \
            P *p;                                                                                                      \
            S *s;                                                                                                      \
            if (covey_get_all(world, f->entities[i], covey_into(P, p), covey_into(S, s))) found += p->y > s->y;        \
        }                                                                                                              \
        return found;                                                                                                  \
    }                                                                                                                  \
    VERB(create_##storage, !covey_is_null(covey_create(world)))                                                        \
    BENCH_TIMED static uint64_t pool_get_##storage(void *context) {                                                    \
        const cpp_fixture *f = context;                                                                                \
        const covey_pool *pool = covey_pool_find(f->world, P);                                                         \
        uint64_t found = 0;                                                                                            \
        for (uint32_t i = 0; i < f->count; i++) {                                                                      \
            const P *p = covey_pool_get(pool, f->entities[i], P);                                                      \
            if (p) found += p->y == 2;                                                                                 \
        }                                                                                                              \
        return found;                                                                                                  \
    }                                                                                                                  \
    static void empty_##storage(void *context) { covey_destroy_all(((cpp_fixture *)context)->world); }                 \
    static void without_##storage(void *context) { covey_clear(((cpp_fixture *)context)->world, T); }                  \
    static void with_##storage(void *context) {                                                                        \
        const cpp_fixture *f = context;                                                                                \
        for (uint32_t i = 0; i < f->count; i++) covey_set(f->world, f->entities[i], T, { 1, 1 });                      \
    }                                                                                                                  \
    static void *open_##storage(const bench_scenario *scenario, uint32_t n) {                                          \
        fixture *f = bench_alloc(1, sizeof *f);                                                                        \
        bench_entities_open(&f->entities, scenario, n);                                                                \
        cpp_fixture *s = &f->shared;                                                                                   \
        s->world = f->entities.world;                                                                                  \
        s->entities = f->entities.all;                                                                                 \
        s->count = n;                                                                                                  \
        if (strstr(scenario->name, "group"))                                                                           \
            s->group = covey_group_create(s->world, &(covey_group_desc){ .own = { covey_ids(P, S) } });                \
        for (uint32_t i = 0; i < n; i++) covey_add(s->world, s->entities[i], P, { (float)i, 2 });                      \
        for (uint32_t i = 0; i < f->entities.order_count; i++) covey_add(s->world, f->entities.order[i], S, { 1, 0 }); \
        f->view =                                                                                                      \
            covey_view_make(s->world, &(covey_view_desc){ .with = { covey_ids(P, S) }, .read = { covey_id(S) } });     \
        s->view = &f->view;                                                                                            \
        s->cpp_view = cpp_view_##storage(s->world);                                                                    \
        f->end_view = cpp_view_end_##storage;                                                                          \
        return f;                                                                                                      \
    }

FORMS(block, Point, Step, Extra)
FORMS(sparse, DensePoint, DenseStep, DenseExtra)

/* ---- The scenarios ------------------------------------------------------------------------------------------------*/

#define PAIR(form, against, before, storage)                                 \
    static const bench_contestant form##_like_##against##_##storage[] = {    \
        { .name = "C++", .run = cpp_##form##_##storage, .prepare = before }, \
        { .name = "C", .run = against##_##storage, .prepare = before },      \
        { .name = NULL },                                                    \
    };
#define PAIRS(storage)                                       \
    PAIR(rows, rows, NULL, storage)                          \
    PAIR(each_entity, rows, NULL, storage)                   \
    PAIR(each, rows, NULL, storage)                          \
    PAIR(each, spans, NULL, storage)                         \
    PAIR(spans, spans, NULL, storage)                        \
    PAIR(group_rows, group_rows, NULL, storage)              \
    PAIR(group_each, group_spans, NULL, storage)             \
    PAIR(group_spans, group_spans, NULL, storage)            \
    PAIR(create_with, create_with, empty_##storage, storage) \
    PAIR(create_with, create_add, empty_##storage, storage)  \
    PAIR(create, create, empty_##storage, storage)           \
    PAIR(pool_get, pool_get, NULL, storage)                  \
    PAIR(add, add, without_##storage, storage)               \
    PAIR(remove, remove, with_##storage, storage)            \
    PAIR(set, set, NULL, storage)                            \
    PAIR(get, get, NULL, storage)                            \
    PAIR(get_both, get_both, NULL, storage)                  \
    PAIR(has, has, NULL, storage)
PAIRS(block)
PAIRS(sparse)

#define BAR(size, most) \
    { .baseline = "C", .n = size, .limit = most }
#define SCENARIO(text, where, form, against, matching, loops, most)                                                   \
    {                                                                                                                 \
        .name = text, .storage = #where, .sizes = { 1, 64, 1000, 100000 }, .open = open_##where, .close = close,      \
        .contestants = form##_like_##against##_##where, .order = BENCH_SHUFFLED, .percent = matching, .whole = loops, \
        .bars = {                                                                                                     \
            BAR(1, most),                                                                                             \
            BAR(64, most),                                                                                            \
            BAR(1000, most),                                                                                          \
            BAR(100000, most)                                                                                         \
        }                                                                                                             \
    }
/* Over all entities, and where a random half has both components. */
#define LOOP(text, where, form, against, most)                  \
    SCENARIO("cpp_" text, where, form, against, 0, true, most), \
        SCENARIO("cpp_" text "_50", where, form, against, 50, true, most)
#define SCENARIOS(where)                                                                                            \
    LOOP("rows", where, rows, rows, 1.05), LOOP("each_entity", where, each_entity, rows, 1.05),                     \
        LOOP("each_of_rows", where, each, rows, 1.1), LOOP("each_of_spans", where, each, spans, 1.1),               \
        LOOP("spans", where, spans, spans, 1.05), LOOP("group_rows", where, group_rows, group_rows, 1.05),          \
        LOOP("group_each", where, group_each, group_spans, 1.1),                                                    \
        LOOP("group_spans", where, group_spans, group_spans, 1.05),                                                 \
        SCENARIO("cpp_create_with", where, create_with, create_with, 0, false, 1.05),                               \
        SCENARIO("cpp_create_with_of_adds", where, create_with, create_add, 0, false, 0.85),                        \
        SCENARIO("cpp_create", where, create, create, 0, false, 1.05),                                              \
        SCENARIO("cpp_pool_get", where, pool_get, pool_get, 0, false, 1.05),                                        \
        SCENARIO("cpp_add", where, add, add, 0, false, 1.05),                                                       \
        SCENARIO("cpp_remove", where, remove, remove, 0, false, 1.05),                                              \
        SCENARIO("cpp_set", where, set, set, 0, false, 1.05), SCENARIO("cpp_get", where, get, get, 0, false, 1.05), \
        SCENARIO("cpp_get_both", where, get_both, get_both, 0, false, 1.05),                                        \
        SCENARIO("cpp_has", where, has, has, 0, false, 1.05)

static const bench_scenario scenarios[] = { SCENARIOS(block), SCENARIOS(sparse) };

const bench_suite bench_cpp = { scenarios, sizeof scenarios / sizeof *scenarios };
