/* What scenarios that iterate share: a world, sets and arrays with the same components of the same entities, the loops
 * over them, and a check that every contestant changes all that match and nothing else. */
#ifndef BENCH_ITERATE_H
#define BENCH_ITERATE_H

#include "components.h"
#include "steps.h"

#define BASELINE_T Vec2
#include "baselines.h"

#define TYPES 5

static const covey_type *const types[TYPES] = { BENCH_ID(Position), BENCH_ID(Velocity), BENCH_ID(Force), BENCH_ID(Spin),
                                                BENCH_ID(Heat) };

typedef struct fixture fixture;
struct fixture {
    bench_entities entities; /* `order`: those that match come first, by index; then the others, by index */
    covey_view view;
    covey_pool *pools[TYPES];
    textbook sets[TYPES];
    Vec2 *arrays[TYPES]; /* what `raw` has: values by index, or by position in `ids` */
    uint32_t *ids;       /* those that match */
    int with;            /* components that an entity must have */
    bool packed;         /* the first array is by position in `ids` */
    fixture *twin;       /* the same again, for the contestant `rows`: no two share memory that is in a cache */
};

/* ---- Filling ------------------------------------------------------------------------------------------------------*/

/* Puts both parts of the order by index: the first `order_count`, which match, and the others. */
static inline void sort_parts(fixture *f) {
    bench_entities *entities = &f->entities;
    bool *matches = bench_alloc(entities->n, sizeof *matches);
    for (uint32_t i = 0; i < entities->order_count; i++) matches[entities->order[i].index] = true;
    uint32_t match = 0, other = entities->order_count;
    for (uint32_t i = 0; i < entities->n; i++) {
        if (matches[i]) f->ids[match] = i;
        entities->order[matches[i] ? match++ : other++] = entities->all[i];
    }
    free(matches);
}

static inline void make_pools(fixture *f, int with, int without) {
    covey_view_desc desc = { 0 };
    for (int t = 0; t < with + without; t++) {
        f->pools[t] = covey_pool_of_raw(f->entities.world, types[t]);
        f->arrays[t] = bench_alloc(f->entities.n, sizeof *f->arrays[t]);
        if (!f->pools[t]) bench_fail("no pool");
        if (t < with) desc.with[t] = types[t];
        else desc.without[t - with] = types[t];
    }
    f->with = with;
    f->view = covey_view_make(f->entities.world, &desc);
    if (!covey_view_valid(&f->view)) bench_fail("no view");
}

/* A random part of the entities, as large as the scenario wants, is first in their order. */
static inline fixture *open_pools(const bench_scenario *scenario, uint32_t n, int with, int without) {
    fixture *f = bench_alloc(1, sizeof *f);
    bench_entities_open(&f->entities, scenario, n);
    f->ids = bench_alloc(n, sizeof *f->ids);
    sort_parts(f);
    make_pools(f, with, without);
    return f;
}

static inline Vec2 value_of(int type, covey_entity e) {
    return (Vec2){ .x = (float)(e.index % 64), .y = (float)(type + 1) };
}

static inline void add(fixture *f, int type, const covey_entity *entities, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        Vec2 value = value_of(type, entities[i]);
        if (!covey_pool_add_raw(f->pools[type], entities[i], &value)) bench_fail("no component");
        textbook_add(&f->sets[type], entities[i].index, value);
        f->arrays[type][entities[i].index] = value;
    }
}

static inline void close_pools(void *context) {
    fixture *f = context;
    if (f->twin) close_pools(f->twin);
    bench_entities_close(&f->entities);
    for (int t = 0; t < TYPES; t++) {
        textbook_free(&f->sets[t]);
        free(f->arrays[t]);
    }
    free(f->ids);
    free(f);
}

/* ---- Checking -----------------------------------------------------------------------------------------------------*/

typedef enum container { IN_POOL, IN_TWIN, IN_SET, IN_ARRAY, CONTAINERS } container;

/* The first component of the i-th entity of the order; NULL where it has none, or the scenario does not use it. */
static inline Vec2 *first_of(const fixture *f, container where, uint32_t i) {
    if (where == IN_TWIN) return f->twin ? first_of(f->twin, IN_POOL, i) : NULL;
    covey_entity e = f->entities.order[i];
    Vec2 *value = covey_pool_get_raw(f->pools[0], e);
    if (!value || where == IN_POOL) return value;
    if (where == IN_SET) return textbook_get(&f->sets[0], e.index);
    if (f->packed && i >= f->entities.order_count) return NULL;
    return &f->arrays[0][f->packed ? i : e.index];
}

static inline Vec2 value_after(const fixture *f, covey_entity e) {
    Vec2 value = value_of(0, e);
    if (f->with == 1) step1(&value);
    for (int t = 1; t < f->with; t++) {
        Vec2 other = value_of(t, e);
        step2(&value, &other);
    }
    return value;
}

static inline void reset_values(const fixture *f) {
    for (uint32_t i = 0; i < f->entities.n; i++)
        for (container where = 0; where < CONTAINERS; where++) {
            Vec2 *value = first_of(f, where, i);
            if (value) *value = value_of(0, f->entities.order[i]);
        }
}

/* Fails unless all that match, and nothing else, have changed. Returns false where nothing has. */
static inline bool check_container(const fixture *f, container where, const char *scenario, const char *who) {
    Vec2 before = value_of(0, f->entities.order[0]);
    const Vec2 *first = first_of(f, where, 0);
    bool changed = first && memcmp(first, &before, sizeof before) != 0;
    for (uint32_t i = 0; i < f->entities.n; i++) {
        covey_entity e = f->entities.order[i];
        const Vec2 *value = first_of(f, where, i);
        Vec2 expected = changed && i < f->entities.order_count ? value_after(f, e) : value_of(0, e);
        if (value && memcmp(value, &expected, sizeof expected) != 0)
            bench_fail("%s, n = %u: %s gives entity %u the wrong value", scenario, f->entities.n, who, e.index);
    }
    return changed;
}

static inline bool has_contestant(const bench_scenario *scenario, const char *name) {
    for (const bench_contestant *contestant = scenario->contestants; contestant->name; contestant++)
        if (strcmp(contestant->name, name) == 0) return true;
    return false;
}

#define CHECKED_UP_TO 100000 /* the loops are the same for more, and looking at each value takes long */

/* Runs each contestant once, from the same values. */
static inline void check(fixture *f, const bench_scenario *scenario) {
    for (const bench_contestant *contestant = scenario->contestants; contestant->name; contestant++) {
        reset_values(f);
        contestant->run(f);
        int changed = 0;
        for (container where = 0; where < CONTAINERS; where++)
            changed += check_container(f, where, scenario->name, contestant->name);
        if (changed != 1) bench_fail("%s, n = %u: %s changed nothing", scenario->name, f->entities.n, contestant->name);
    }
}

/* What `fill` makes, once for all contestants and once more for `rows`. */
static inline fixture *open_checked(const bench_scenario *scenario, uint32_t n,
                                    fixture *(*fill)(const bench_scenario *scenario, uint32_t n)) {
    fixture *f = fill(scenario, n);
    if (has_contestant(scenario, "rows")) f->twin = fill(scenario, n);
    if (n <= CHECKED_UP_TO) check(f, scenario);
    return f;
}

#define OPEN(name, fill) \
    static void *name(const bench_scenario *scenario, uint32_t n) { return open_checked(scenario, n, fill); }

/* ---- The loops ----------------------------------------------------------------------------------------------------*/

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

/* The same, row by row. */
#define ROWS(name, statement)                         \
    BENCH_TIMED static uint64_t name(void *context) { \
        const fixture *f = context;                   \
        if (f->twin) f = f->twin;                     \
        uint64_t matches = 0;                         \
        covey_iter it = covey_view_iter(&f->view);    \
        covey_row row = { 0 };                        \
        while (covey_next_row(&it, &row)) {           \
            statement;                                \
            matches++;                                \
        }                                             \
        return matches;                               \
    }

#define ARRAYS(name, arrays, statement)               \
    BENCH_TIMED static uint64_t name(void *context) { \
        const fixture *f = context;                   \
        arrays;                                       \
        const uint32_t *ids = f->ids;                 \
        uint32_t n = f->entities.order_count;         \
        for (uint32_t i = 0; i < n; i++) statement;   \
        (void)ids;                                    \
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
#define FIELD3 \
    FIELD2;    \
    const Force *c = covey_field(&it, 2, Force)
#define FIELD5                                 \
    FIELD3;                                    \
    const Spin *d = covey_field(&it, 3, Spin); \
    const Heat *e = covey_field(&it, 4, Heat)

#define ROW_FIELD(field, T) covey_row_field(&it, row, field, T)

#define ARRAY1 Vec2 *a = f->arrays[0]
#define ARRAY2 \
    ARRAY1;    \
    const Vec2 *b = f->arrays[1]
#define ARRAY3 \
    ARRAY2;    \
    const Vec2 *c = f->arrays[2]
#define ARRAY5                    \
    ARRAY3;                       \
    const Vec2 *d = f->arrays[3]; \
    const Vec2 *e = f->arrays[4]

#define LOOKUP(set) textbook_get(&sets[set], packed[i])

#define SPANS1(name) SPANS(name, FIELD1, step1(&a[i]))
#define SPANS2(name) SPANS(name, FIELD2, step2(&a[i], &b[i]))
#define SPANS3(name) SPANS(name, FIELD3, step3(&a[i], &b[i], &c[i]))
#define ROWS1(name) ROWS(name, step1(ROW_FIELD(0, Position)))
#define ROWS2(name) ROWS(name, step2(ROW_FIELD(0, Position), ROW_FIELD(1, Velocity)))
#define ROWS3(name) ROWS(name, step3(ROW_FIELD(0, Position), ROW_FIELD(1, Velocity), ROW_FIELD(2, Force)))
#define ARRAYS1(name) ARRAYS(name, ARRAY1, step1(&a[i]))
#define ARRAYS3(name) ARRAYS(name, ARRAY3, step3(&a[i], &b[i], &c[i]))
#define SETS1(name) SETS(name, step1(&a[i]))
#define SETS3(name) SETS(name, step3(&a[i], LOOKUP(1), LOOKUP(2)))

/* ---- The scenarios ------------------------------------------------------------------------------------------------*/

/* The contestants of both forms: WHO_spans and WHO_rows. */
#define CONTESTANTS(who, spans, rows, raw_run, textbook_run) \
    static const bench_contestant who##_spans[] = {          \
        { .name = "covey", .run = spans },                   \
        { .name = "raw", .run = raw_run },                   \
        { .name = "textbook", .run = textbook_run },         \
        { .name = "rows", .run = rows },                     \
        { .name = NULL },                                    \
    };                                                       \
    static const bench_contestant who##_rows[] = {           \
        { .name = "covey", .run = rows },                    \
        { .name = "raw", .run = raw_run },                   \
        { .name = "textbook", .run = textbook_run },         \
        { .name = NULL },                                    \
    }

/* A scenario of one form: its name, whose end says so, contestants, how it is filled, percent that match, bars. */
#define SCENARIO(text, in, who, filled, matching, ...)                                                       \
    {                                                                                                        \
        .name = text, .storage = in, .sizes = { 1000, 100000, 1000000 }, .contestants = who, .open = filled, \
        .close = close_pools, .order = BENCH_SHUFFLED, .percent = matching, .bars = {                        \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }

#endif
