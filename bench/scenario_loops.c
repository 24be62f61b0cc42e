/* What a loop costs as a whole where there is little to loop over: nothing, one entity, 64, or 1,000. And what a row
 * costs for each further field. */
#include "bench.h"
#include "components.h"

#include <stdlib.h>

#define TERMS 16

typedef Vec2 Term0, Term1, Term2, Term3, Term4, Term5, Term6, Term7, Term8, Term9, Term10, Term11, Term12, Term13,
    Term14, Term15, Dense0, Dense1;
COVEY_COMPONENT_DEFINE(Term0);
COVEY_COMPONENT_DEFINE(Term1);
COVEY_COMPONENT_DEFINE(Term2);
COVEY_COMPONENT_DEFINE(Term3);
COVEY_COMPONENT_DEFINE(Term4);
COVEY_COMPONENT_DEFINE(Term5);
COVEY_COMPONENT_DEFINE(Term6);
COVEY_COMPONENT_DEFINE(Term7);
COVEY_COMPONENT_DEFINE(Term8);
COVEY_COMPONENT_DEFINE(Term9);
COVEY_COMPONENT_DEFINE(Term10);
COVEY_COMPONENT_DEFINE(Term11);
COVEY_COMPONENT_DEFINE(Term12);
COVEY_COMPONENT_DEFINE(Term13);
COVEY_COMPONENT_DEFINE(Term14);
COVEY_COMPONENT_DEFINE(Term15);
COVEY_COMPONENT_DEFINE(Dense0, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Dense1, .storage = COVEY_STORAGE_SPARSE);

static const covey_type *const blocks[TERMS] = { covey_ids(Term0, Term1, Term2, Term3, Term4, Term5, Term6, Term7)
                                                     covey_ids(Term8, Term9, Term10, Term11, Term12, Term13, Term14,
                                                               Term15) };
static const covey_type *const sparse[2] = { covey_ids(Dense0, Dense1) };
static const covey_type *const mixed[2] = { covey_ids(Term0, Dense1) };

/* ---- The fixture --------------------------------------------------------------------------------------------------*/

typedef struct fixture {
    bench_entities entities;
    const covey_type *const *types;
    int terms;
    covey_view view;
    covey_group *group; /* if there is one */
    Vec2 *arrays[TERMS];
    uint32_t *ids; /* of the entities that match, in the arrays; by index */
    uint32_t matches;
} fixture;

static Vec2 value_of(int term, uint32_t index) { return (Vec2){ .x = (float)(index % 64), .y = (float)(term + 1) }; }

static void make_loop(fixture *f, bool grouped) {
    covey_view_desc view = { 0 };
    covey_group_desc group = { 0 };
    for (int t = 0; t < f->terms; t++) {
        if (!covey_pool_of_raw(f->entities.world, f->types[t])) bench_fail("no pool");
        view.with[t] = group.own[t] = f->types[t];
    }
    f->view = covey_view_make(f->entities.world, &view);
    if (grouped) f->group = covey_group_create(f->entities.world, &group);
    if (!covey_view_valid(&f->view) || (grouped && !f->group)) bench_fail("no view");
}

static void add(fixture *f, int term, uint32_t index) {
    Vec2 value = value_of(term, index);
    if (!covey_add_raw(f->entities.world, f->entities.all[index], f->types[term], &value)) bench_fail("no component");
}

/* All entities have the first component; those that match have the others, too. */
static void fill(fixture *f, uint32_t n) {
    bool *matching = bench_alloc(n, sizeof *matching);
    for (uint32_t i = 0; i < f->entities.order_count; i++) matching[f->entities.order[i].index] = true;
    for (uint32_t i = 0; i < n; i++) {
        for (int t = 0; t < (matching[i] ? f->terms : 1); t++) add(f, t, i);
        if (matching[i]) f->ids[f->matches++] = i;
    }
    free(matching);
}

/* In a group the values of its members lie side by side, and so they do in the arrays. */
static void fill_arrays(fixture *f, uint32_t n) {
    for (int t = 0; t < f->terms; t++) {
        f->arrays[t] = bench_alloc(n, sizeof *f->arrays[t]);
        uint32_t count = f->group ? f->matches : n;
        for (uint32_t i = 0; i < count; i++) f->arrays[t][i] = value_of(t, f->group ? f->ids[i] : i);
    }
}

static float sum_after(const fixture *f, uint32_t index) {
    float x = value_of(0, index).x + (f->terms == 1 ? 1.0f : 0.0f);
    for (int t = 1; t < f->terms; t++) x += value_of(t, index).x;
    return x;
}

static void check(const bench_scenario *scenario, fixture *f) {
    bench_run_each(scenario, f);
    for (uint32_t i = 0; i < f->matches; i++) {
        uint32_t index = f->ids[i];
        const Vec2 *value = covey_get_raw(f->entities.world, f->entities.all[index], f->types[0]);
        float expected = sum_after(f, index);
        if (!value || value->x != expected || f->arrays[0][f->group ? i : index].x != expected)
            bench_fail("%s, %s: the value of entity %u is wrong", scenario->name, scenario->storage, index);
    }
}

static void *open_loop(const bench_scenario *scenario, uint32_t n, const covey_type *const *types, int terms,
                       bool grouped, bool empty) {
    fixture *f = bench_alloc(1, sizeof *f);
    f->types = types;
    f->terms = terms;
    bench_entities_open(&f->entities, scenario, n);
    f->ids = bench_alloc(n, sizeof *f->ids);
    make_loop(f, grouped);
    if (!empty) fill(f, n);
    fill_arrays(f, n);
    check(scenario, f);
    return f;
}

static void close(void *context) {
    fixture *f = context;
    bench_entities_close(&f->entities);
    for (int t = 0; t < f->terms; t++) free(f->arrays[t]);
    free(f->ids);
    free(f);
}

#define OPEN(name, ...) \
    static void *name(const bench_scenario *scenario, uint32_t n) { return open_loop(scenario, n, __VA_ARGS__); }

/* ---- Two components -----------------------------------------------------------------------------------------------*/

static inline void step(Vec2 *a, const Vec2 *b) { a->x += b->x; }

/* Both forms of the loop, and worlds with and without entities. */
#define LOOPS(kind, A, B, types, grouped, begin)                        \
    BENCH_TIMED static uint64_t spans_##kind(void *context) {           \
        const fixture *f = context;                                     \
        uint64_t matches = 0;                                           \
        covey_iter it = begin;                                          \
        while (covey_next(&it)) {                                       \
            A *a = covey_field(&it, 0, A);                              \
            const B *b = covey_field(&it, 1, B);                        \
            for (uint32_t i = 0; i < it.count; i++) step(&a[i], &b[i]); \
            matches += it.count;                                        \
        }                                                               \
        return matches;                                                 \
    }                                                                   \
    BENCH_TIMED static uint64_t rows_##kind(void *context) {            \
        const fixture *f = context;                                     \
        uint64_t matches = 0;                                           \
        covey_iter it = begin;                                          \
        covey_row row = { 0 };                                          \
        while (covey_next_row(&it, &row)) {                             \
            A *a = covey_row_field(&it, row, 0, A);                     \
            const B *b = covey_row_field(&it, row, 1, B);               \
            step(a, b);                                                 \
            matches++;                                                  \
        }                                                               \
        return matches;                                                 \
    }                                                                   \
    OPEN(open_##kind, types, 2, grouped, false)                         \
    OPEN(open_empty_##kind, types, 2, grouped, true)

LOOPS(block, Term0, Term1, blocks, false, covey_view_iter(&f->view))
LOOPS(sparse, Dense0, Dense1, sparse, false, covey_view_iter(&f->view))
LOOPS(mixed, Term0, Dense1, mixed, false, covey_view_iter(&f->view))
LOOPS(group_sparse, Dense0, Dense1, sparse, true, covey_group_iter(f->group))
LOOPS(group_block, Term0, Term1, blocks, true, covey_group_iter(f->group))

/* Two arrays from the first value to the last, or the values that a list of ids names. */
BENCH_TIMED static uint64_t raw_all(void *context) {
    const fixture *f = context;
    Vec2 *a = f->arrays[0];
    const Vec2 *b = f->arrays[1];
    uint32_t count = f->matches;
    for (uint32_t i = 0; i < count; i++) step(&a[i], &b[i]);
    return count;
}

BENCH_TIMED static uint64_t raw_listed(void *context) {
    const fixture *f = context;
    Vec2 *a = f->arrays[0];
    const Vec2 *b = f->arrays[1];
    const uint32_t *ids = f->ids;
    uint32_t count = f->matches;
    for (uint32_t i = 0; i < count; i++) step(&a[ids[i]], &b[ids[i]]);
    return count;
}

/* ---- Rows of several components -----------------------------------------------------------------------------------*/

#define SUM_1(V) 1
#define SUM_2(V) V(1)
#define SUM_3(V) SUM_2(V) + V(2)
#define SUM_4(V) SUM_3(V) + V(3)
#define SUM_5(V) SUM_4(V) + V(4)
#define SUM_6(V) SUM_5(V) + V(5)
#define SUM_7(V) SUM_6(V) + V(6)
#define SUM_8(V) SUM_7(V) + V(7)
#define SUM_16(V) SUM_8(V) + V(8) + V(9) + V(10) + V(11) + V(12) + V(13) + V(14) + V(15)

#define ROW(k) covey_row_field(&it, row, k, Term##k)->x
#define DENSE_ROW(k) covey_row_field(&it, row, k, Dense##k)->x
#define ARRAY(k) arrays[k][i].x

#define ROWS(name, field, sum)                        \
    BENCH_TIMED static uint64_t name(void *context) { \
        const fixture *f = context;                   \
        uint64_t matches = 0;                         \
        covey_iter it = covey_view_iter(&f->view);    \
        covey_row row = { 0 };                        \
        while (covey_next_row(&it, &row)) {           \
            field(0) += sum(field);                   \
            matches++;                                \
        }                                             \
        return matches;                               \
    }

#define FIELDS(count)                                                                                   \
    ROWS(rows_fields_##count, ROW, SUM_##count)                                                         \
    BENCH_TIMED static uint64_t raw_fields_##count(void *context) {                                     \
        const fixture *f = context;                                                                     \
        Vec2 *const *arrays = f->arrays;                                                                \
        uint32_t n = f->matches;                                                                        \
        for (uint32_t i = 0; i < n; i++) ARRAY(0) += SUM_##count(ARRAY);                                \
        return n;                                                                                       \
    }                                                                                                   \
    OPEN(open_fields_##count, blocks, count, false, false)                                              \
    static const bench_contestant fields_##count[] = { { .name = "covey", .run = rows_fields_##count }, \
                                                       { .name = "raw", .run = raw_fields_##count },    \
                                                       { .name = NULL } };

FIELDS(1)
FIELDS(2)
FIELDS(3)
FIELDS(4)
FIELDS(5)
FIELDS(6)
FIELDS(7)
FIELDS(8)
FIELDS(16)

ROWS(rows_fields_sparse, DENSE_ROW, SUM_1)
OPEN(open_fields_sparse, sparse, 1, false, false)
static const bench_contestant fields_sparse[] = {
    { .name = "covey", .run = rows_fields_sparse },
    { .name = "raw", .run = raw_fields_1 },
    { .name = NULL },
};

/* ---- The scenarios ------------------------------------------------------------------------------------------------*/

#define CONTESTANTS(kind, form, raw_run)                             \
    static const bench_contestant form##_of_##kind##_##raw_run[] = { \
        { .name = "covey", .run = form##_##kind },                   \
        { .name = "raw", .run = raw_run },                           \
        { .name = NULL },                                            \
    };

CONTESTANTS(block, spans, raw_all)
CONTESTANTS(block, rows, raw_all)
CONTESTANTS(sparse, spans, raw_all)
CONTESTANTS(sparse, rows, raw_all)
CONTESTANTS(mixed, spans, raw_all)
CONTESTANTS(mixed, rows, raw_all)
CONTESTANTS(group_sparse, spans, raw_all)
CONTESTANTS(group_sparse, rows, raw_all)
CONTESTANTS(group_block, spans, raw_all)
CONTESTANTS(group_block, rows, raw_all)
CONTESTANTS(block, spans, raw_listed)
CONTESTANTS(block, rows, raw_listed)
CONTESTANTS(sparse, spans, raw_listed)
CONTESTANTS(sparse, rows, raw_listed)
CONTESTANTS(mixed, spans, raw_listed)
CONTESTANTS(mixed, rows, raw_listed)

#define SCENARIO(text, in, size, matching, who, filled, ratio, more)                                        \
    {                                                                                                       \
        .name = text, .storage = in, .sizes = { size }, .contestants = who, .open = filled, .close = close, \
        .order = BENCH_SHUFFLED, .percent = matching, .whole = true, .bars = {                              \
            { .baseline = "raw", .n = size, .limit = ratio, .ns = more }                                    \
        }                                                                                                   \
    }

#define FIXED(kind, in, most)                                                                          \
    SCENARIO("loop_fixed_0_spans", in, 1, 0, spans_of_##kind##_raw_all, open_empty_##kind, 0, most),   \
        SCENARIO("loop_fixed_0_rows", in, 1, 0, rows_of_##kind##_raw_all, open_empty_##kind, 0, most), \
        SCENARIO("loop_fixed_1_spans", in, 1, 0, spans_of_##kind##_raw_all, open_##kind, 0, most),     \
        SCENARIO("loop_fixed_1_rows", in, 1, 0, rows_of_##kind##_raw_all, open_##kind, 0, most)

/* Loops over all entities, and where a random half has the second component. */
#define SIZED(kind, in, half, size, spans_most, rows_most, more)                                                  \
    SCENARIO("iterate2_" #size "_spans", in, size, 0, spans_of_##kind##_raw_all, open_##kind, spans_most, more),  \
        SCENARIO("iterate2_" #size "_rows", in, size, 0, rows_of_##kind##_raw_all, open_##kind, rows_most, more), \
        SCENARIO("iterate2_" #size "_50_spans", in, size, 50, spans_of_##kind##_##half, open_##kind, spans_most,  \
                 more),                                                                                           \
        SCENARIO("iterate2_" #size "_50_rows", in, size, 50, rows_of_##kind##_##half, open_##kind, rows_most, more)

#define AT_64(kind, in, half_run) SIZED(kind, in, half_run, 64, 1.5, 1.5, 15)
#define AT_1000(kind, in, half_run) SIZED(kind, in, half_run, 1000, 1.15, 0, 0)

#define ROWS_OF(count)                                                                                        \
    {                                                                                                         \
        .name = "rows_fields_" #count, .storage = "block", .sizes = { 10000 }, .contestants = fields_##count, \
        .open = open_fields_##count, .close = close                                                           \
    }

static const bench_scenario scenarios[] = {
    FIXED(block, "block", 15),
    FIXED(sparse, "sparse", 15),
    FIXED(mixed, "mixed", 15),
    FIXED(group_sparse, "group", 8),
    FIXED(group_block, "groupblk", 8),
    AT_64(block, "block", raw_listed),
    AT_64(sparse, "sparse", raw_listed),
    AT_64(mixed, "mixed", raw_listed),
    AT_64(group_sparse, "group", raw_all),
    AT_64(group_block, "groupblk", raw_all),
    AT_1000(block, "block", raw_listed),
    AT_1000(sparse, "sparse", raw_listed),
    AT_1000(mixed, "mixed", raw_listed),
    AT_1000(group_sparse, "group", raw_all),
    AT_1000(group_block, "groupblk", raw_all),
    ROWS_OF(1),
    ROWS_OF(2),
    ROWS_OF(3),
    ROWS_OF(4),
    ROWS_OF(5),
    ROWS_OF(6),
    ROWS_OF(7),
    ROWS_OF(8),
    ROWS_OF(16),
    { .name = "rows_fields_1",
      .storage = "sparse",
      .sizes = { 10000 },
      .contestants = fields_sparse,
      .open = open_fields_sparse,
      .close = close,
      .bars = { { .baseline = "raw", .n = 10000, .ns = 0.7 } } },
};

const bench_suite bench_loops = { scenarios, sizeof scenarios / sizeof *scenarios };
