/* Iterating over entities with one to five components: the first changes by the sum of the others. Each contestant has
 * the same components of the same entities, and what one run of each has changed is compared before the clock starts. */
#include "components.h"
#include "steps.h"

#define BASELINE_T Vec2
#include "baselines.h"

#define TYPES 5

static const covey_type *const types[TYPES] = { BENCH_ID(Position), BENCH_ID(Velocity), BENCH_ID(Force), BENCH_ID(Spin),
                                                BENCH_ID(Heat) };

typedef struct fixture {
    bench_entities entities; /* `order`: those that match come first, by index; then the others, by index */
    covey_view view;
    covey_pool *pools[TYPES];
    textbook sets[TYPES];
    Vec2 *arrays[TYPES]; /* what `raw` has: values by index, or by position in `ids` */
    uint32_t *ids;       /* those that match */
} fixture;

/* ---- Filling ------------------------------------------------------------------------------------------------------*/

static void make_pools(fixture *f, int with, int without) {
    covey_view_desc desc = { 0 };
    for (int t = 0; t < with + without; t++) {
        f->pools[t] = covey_pool_of_raw(f->entities.world, types[t]);
        f->arrays[t] = bench_alloc(f->entities.n, sizeof *f->arrays[t]);
        if (!f->pools[t]) bench_fail("no pool");
        if (t < with) desc.with[t] = types[t];
        else desc.without[t - with] = types[t];
    }
    f->view = covey_view_make(f->entities.world, &desc);
    if (!covey_view_valid(&f->view)) bench_fail("no view");
}

static Vec2 value_of(int type, covey_entity e) { return (Vec2){ .x = (float)(e.index % 64), .y = (float)(type + 1) }; }

static void add(fixture *f, int type, const covey_entity *entities, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        Vec2 value = value_of(type, entities[i]);
        if (!covey_pool_add_raw(f->pools[type], entities[i], &value, sizeof value)) bench_fail("no component");
        textbook_add(&f->sets[type], entities[i].index, value);
        f->arrays[type][entities[i].index] = value;
    }
}

static int compare_indices(const void *a, const void *b) {
    uint32_t left = ((const covey_entity *)a)->index, right = ((const covey_entity *)b)->index;
    return (left > right) - (left < right);
}

static void sort_parts(bench_entities *entities) {
    uint32_t first = entities->order_count;
    qsort(entities->order, first, sizeof *entities->order, compare_indices);
    qsort(entities->order + first, entities->n - first, sizeof *entities->order, compare_indices);
}

static fixture *open_pools(const bench_scenario *scenario, uint32_t n, int with, int without) {
    fixture *f = bench_alloc(1, sizeof *f);
    bench_entities_open(&f->entities, scenario, n);
    sort_parts(&f->entities);
    make_pools(f, with, without);
    f->ids = bench_alloc(n, sizeof *f->ids);
    for (uint32_t i = 0; i < f->entities.order_count; i++) f->ids[i] = f->entities.order[i].index;
    return f;
}

/* Runs each contestant once: all then have the same values. */
static fixture *checked(fixture *f, const bench_scenario *scenario) {
    bench_run_each(scenario, f);
    for (uint32_t i = 0; i < f->entities.n; i++) {
        const Vec2 *value = covey_pool_get_raw(f->pools[0], f->entities.all[i], sizeof *value);
        bool same = memcmp(value, textbook_get(&f->sets[0], i), sizeof *value) == 0 &&
                    memcmp(value, &f->arrays[0][i], sizeof *value) == 0;
        if (!same) bench_fail("%s, n = %u: the values of entity %u differ", scenario->name, f->entities.n, i);
    }
    return f;
}

static fixture *open_all(const bench_scenario *scenario, uint32_t n, int with) {
    fixture *f = open_pools(scenario, n, with, 0);
    for (int t = 0; t < with; t++) add(f, t, f->entities.all, n);
    return checked(f, scenario);
}

static void *open1(const bench_scenario *scenario, uint32_t n) { return open_all(scenario, n, 1); }
static void *open2(const bench_scenario *scenario, uint32_t n) { return open_all(scenario, n, 2); }

static void close(void *context) {
    fixture *f = context;
    bench_entities_close(&f->entities);
    for (int t = 0; t < TYPES; t++) {
        textbook_free(&f->sets[t]);
        free(f->arrays[t]);
    }
    free(f->ids);
    free(f);
}

/* ---- All entities have all components -----------------------------------------------------------------------------*/

/* The loop of covey.h, section 9. */
#define SPANS(name, fields, statement)                         \
    BENCH_TIMED static uint64_t name(void *context) {          \
        const fixture *f = context;                            \
        uint64_t matches = 0;                                  \
        covey_iter it = covey_view_iter(&f->view);             \
        while (covey_next(&it)) {                              \
            fields;                                            \
            for (uint32_t i = 0; i < it.count; i++) statement; \
            matches += it.count;                               \
        }                                                      \
        return matches;                                        \
    }

#define ARRAYS(name, arrays, statement)               \
    BENCH_TIMED static uint64_t name(void *context) { \
        const fixture *f = context;                   \
        arrays;                                       \
        uint32_t n = f->entities.n;                   \
        for (uint32_t i = 0; i < n; i++) statement;   \
        return n;                                     \
    }

/* Leads with the first set, and looks the others up. */
#define SETS(name, statement)                         \
    BENCH_TIMED static uint64_t name(void *context) { \
        const fixture *f = context;                   \
        const textbook *sets = f->sets;               \
        const uint32_t *packed = sets[0].packed;      \
        Vec2 *a = sets[0].data;                       \
        uint32_t n = sets[0].count;                   \
        for (uint32_t i = 0; i < n; i++) statement;   \
        (void)packed;                                 \
        return n;                                     \
    }

#define FIELD1 Position *a = covey_field(&it, 0, Position)
#define FIELD2 \
    FIELD1;    \
    const Velocity *b = covey_field(&it, 1, Velocity)
#define ARRAY1 Vec2 *a = f->arrays[0]
#define ARRAY2 \
    ARRAY1;    \
    const Vec2 *b = f->arrays[1]
#define LOOKUP(set) textbook_get(&sets[set], packed[i])

SPANS(iterate1_covey, FIELD1, step1(&a[i]))
ARRAYS(iterate1_raw, ARRAY1, step1(&a[i]))
SETS(iterate1_textbook, step1(&a[i]))

SPANS(iterate2_covey, FIELD2, step2(&a[i], &b[i]))
ARRAYS(iterate2_raw, ARRAY2, step2(&a[i], &b[i]))
SETS(iterate2_textbook, step2(&a[i], LOOKUP(1)))

#if BENCH_SIZE == 8
static void *open3(const bench_scenario *scenario, uint32_t n) { return open_all(scenario, n, 3); }
static void *open5(const bench_scenario *scenario, uint32_t n) { return open_all(scenario, n, 5); }

/* Each pool in a random order of its own. */
static void *open_shuffled(const bench_scenario *scenario, uint32_t n) {
    fixture *f = open_pools(scenario, n, 2, 0);
    for (int t = 0; t < 2; t++) {
        bench_shuffle(f->entities.order, n);
        add(f, t, f->entities.order, n);
    }
    return checked(f, scenario);
}

#define FIELD3 \
    FIELD2;    \
    const Force *c = covey_field(&it, 2, Force)
#define FIELD5                                 \
    FIELD3;                                    \
    const Spin *d = covey_field(&it, 3, Spin); \
    const Heat *e = covey_field(&it, 4, Heat)
#define ARRAY3 \
    ARRAY2;    \
    const Vec2 *c = f->arrays[2]
#define ARRAY5                    \
    ARRAY3;                       \
    const Vec2 *d = f->arrays[3]; \
    const Vec2 *e = f->arrays[4]

SPANS(iterate3_covey, FIELD3, step3(&a[i], &b[i], &c[i]))
ARRAYS(iterate3_raw, ARRAY3, step3(&a[i], &b[i], &c[i]))
SETS(iterate3_textbook, step3(&a[i], LOOKUP(1), LOOKUP(2)))

SPANS(iterate5_covey, FIELD5, step5(&a[i], &b[i], &c[i], &d[i], &e[i]))
ARRAYS(iterate5_raw, ARRAY5, step5(&a[i], &b[i], &c[i], &d[i], &e[i]))
SETS(iterate5_textbook, step5(&a[i], LOOKUP(1), LOOKUP(2), LOOKUP(3), LOOKUP(4)))

/* ---- Some have the second -----------------------------------------------------------------------------------------*/

static void *open_some(const bench_scenario *scenario, uint32_t n) {
    fixture *f = open_pools(scenario, n, 2, 0);
    uint32_t matches = f->entities.order_count;
    add(f, 0, f->entities.all, n);
    add(f, 1, f->entities.order, matches);
    for (uint32_t i = 0; i < matches; i++) f->arrays[1][i] = f->arrays[1][f->ids[i]]; /* i is not above the id */
    return checked(f, scenario);
}

BENCH_TIMED static uint64_t some_covey(void *context) {
    const fixture *f = context;
    uint64_t matches = 0;
    covey_iter it = covey_view_iter(&f->view);
    covey_row row = { 0 };
    while (covey_next_row(&it, &row)) {
        step2(covey_row_field(&it, row, 0, Position), covey_row_field(&it, row, 1, Velocity));
        matches++;
    }
    return matches;
}

BENCH_TIMED static uint64_t some_raw(void *context) {
    const fixture *f = context;
    Vec2 *a = f->arrays[0];
    const Vec2 *b = f->arrays[1];
    const uint32_t *ids = f->ids;
    uint32_t matches = f->entities.order_count;
    for (uint32_t i = 0; i < matches; i++) step2(&a[ids[i]], &b[i]);
    return matches;
}

/* Leads with the smaller set. */
BENCH_TIMED static uint64_t some_textbook(void *context) {
    const fixture *f = context;
    const textbook *all = &f->sets[0], *lead = &f->sets[1];
    for (uint32_t i = 0; i < lead->count; i++) step2(textbook_get(all, lead->packed[i]), &lead->data[i]);
    return lead->count;
}

/* ---- All have the first two, some have a third, which others must not have ----------------------------------------*/

static void *open_exclude(const bench_scenario *scenario, uint32_t n) {
    fixture *f = open_pools(scenario, n, 2, 1);
    uint32_t matches = f->entities.order_count;
    add(f, 0, f->entities.all, n);
    add(f, 1, f->entities.all, n);
    add(f, 2, f->entities.order + matches, n - matches);
    return checked(f, scenario);
}

BENCH_TIMED static uint64_t exclude_raw(void *context) {
    const fixture *f = context;
    ARRAY2;
    const uint32_t *ids = f->ids;
    uint32_t matches = f->entities.order_count;
    for (uint32_t i = 0; i < matches; i++) step2(&a[ids[i]], &b[ids[i]]);
    return matches;
}

BENCH_TIMED static uint64_t exclude_textbook(void *context) {
    const fixture *f = context;
    const textbook *lead = &f->sets[0], *second = &f->sets[1], *unwanted = &f->sets[2];
    uint64_t matches = 0;
    for (uint32_t i = 0; i < lead->count; i++) {
        uint32_t id = lead->packed[i];
        if (textbook_find(unwanted, id) != TEXTBOOK_NONE) continue;
        step2(&lead->data[i], textbook_get(second, id));
        matches++;
    }
    return matches;
}
#endif

/* ---- The scenarios ------------------------------------------------------------------------------------------------*/

#define CONTESTANTS(covey, raw, textbook)                                                                            \
    {                                                                                                                \
        { .name = "covey", .run = covey }, { .name = "raw", .run = raw }, { .name = "textbook", .run = textbook }, { \
            .name = NULL                                                                                             \
        }                                                                                                            \
    }

static const bench_contestant one[] = CONTESTANTS(iterate1_covey, iterate1_raw, iterate1_textbook);
static const bench_contestant two[] = CONTESTANTS(iterate2_covey, iterate2_raw, iterate2_textbook);
#if BENCH_SIZE == 8
static const bench_contestant three[] = CONTESTANTS(iterate3_covey, iterate3_raw, iterate3_textbook);
static const bench_contestant five[] = CONTESTANTS(iterate5_covey, iterate5_raw, iterate5_textbook);
static const bench_contestant some[] = CONTESTANTS(some_covey, some_raw, some_textbook);
static const bench_contestant excluding[] = CONTESTANTS(iterate2_covey, exclude_raw, exclude_textbook);
#endif

#define SCENARIO(text, who, filled, matching, against, most)                                                       \
    {                                                                                                              \
        .name = BENCH_SCENARIO(text), .storage = BENCH_STORAGE_TEXT, .sizes = { 1000, 100000, 1000000 },           \
        .contestants = who, .open = filled, .close = close, .order = BENCH_SHUFFLED, .percent = matching, .bar = { \
            .baseline = against,                                                                                   \
            .n = 100000,                                                                                           \
            .limit = most                                                                                          \
        }                                                                                                          \
    }

static const bench_scenario scenarios[] = {
#if BENCH_SIZE == 8
    SCENARIO("iterate1", one, open1, 100, "raw", BENCH_LIMIT(1.1, 1.1)),
    SCENARIO("iterate2", two, open2, 100, "raw", BENCH_LIMIT(0, 1.3)),
    SCENARIO("iterate3", three, open3, 100, "raw", BENCH_LIMIT(0, 1.3)),
    SCENARIO("iterate5", five, open5, 100, "raw", BENCH_LIMIT(0, 1.3)),
    SCENARIO("iterate2_shuffled", two, open_shuffled, 100, "raw", BENCH_LIMIT(0, 1.6)),
    SCENARIO("iterate2_50", some, open_some, 50, "textbook", BENCH_LIMIT(0, 1.2)),
    SCENARIO("iterate2_10", some, open_some, 10, "textbook", BENCH_LIMIT(0, 1.2)),
    SCENARIO("iterate2_1", some, open_some, 1, "textbook", BENCH_LIMIT(0, 2.5)),
    SCENARIO("iterate2_exclude", excluding, open_exclude, 90, "textbook", 0),
#else
    SCENARIO("iterate1", one, open1, 100, "raw", 0),
    SCENARIO("iterate2", two, open2, 100, "raw", 0),
#endif
};

const bench_suite BENCH_NAME(bench_iterate) = { scenarios, sizeof scenarios / sizeof *scenarios };
