/* Groups: iterating what lies side by side, and what adding and removing cost when a group has to be kept up to date.
 * Components are added in random orders, another one for each pool, so that the group has to move them. The file is
 * compiled for sparse pools and for pools in blocks. */
#include "components.h"
#include "bench.h"
#include "steps.h"

#include <stdlib.h>

#define TYPES 5

static const covey_type *const types[TYPES] = { BENCH_ID(Position), BENCH_ID(Velocity), BENCH_ID(Force), BENCH_ID(Spin),
                                                BENCH_ID(Heat) };

/* A world with or without a group. */
typedef struct side {
    bench_entities entities;
    covey_pool *pools[TYPES];
    covey_group *group;
    covey_view view; /* of what the group is about */
} side;

typedef struct fixture {
    side grouped, plain;
    covey_entity *mixed; /* for orders in which components are added */
    Vec2 *arrays[TYPES]; /* what `raw` has: the values of the entities that match; what `gather` has: those of all */
    uint32_t *matches;   /* for `gather`: indices of the entities that match */
} fixture;

/* ---- Filling ------------------------------------------------------------------------------------------------------*/

static void open_side(side *s, const bench_scenario *scenario, uint32_t n, uint32_t own, uint32_t with, bool grouped) {
    covey_group_desc group = { 0 };
    covey_view_desc view = { 0 };
    bench_entities_open(&s->entities, scenario, n);
    for (uint32_t t = 0; t < own + with; t++) {
        s->pools[t] = covey_pool_of_raw(s->entities.world, types[t]);
        if (!s->pools[t]) bench_fail("no pool");
        view.with[t] = types[t];
        if (t < own) group.own[t] = types[t];
        else group.with[t - own] = types[t];
    }
    s->view = covey_view_make(s->entities.world, &view);
    if (grouped) s->group = covey_group_create(s->entities.world, &group);
    if (!covey_view_valid(&s->view) || (grouped && !s->group)) bench_fail("no group");
}

static Vec2 value_of(uint32_t type, covey_entity e) {
    return (Vec2){ .x = (float)(e.index % 64), .y = (float)(type + 1) };
}

static void add(side *s, uint32_t type, const covey_entity *entities, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        Vec2 value = value_of(type, entities[i]);
        if (!covey_pool_add_raw(s->pools[type], entities[i], &value)) bench_fail("no component");
    }
}

static fixture *make_fixture(uint32_t n) {
    fixture *f = bench_alloc(1, sizeof *f);
    f->mixed = bench_alloc(n, sizeof *f->mixed);
    return f;
}

static void close(void *context) {
    fixture *f = context;
    bench_entities_close(&f->grouped.entities);
    if (f->plain.entities.world) bench_entities_close(&f->plain.entities);
    for (uint32_t t = 0; t < TYPES; t++) free(f->arrays[t]);
    free(f->matches);
    free(f->mixed);
    free(f);
}

/* ---- A group that owns all its pools ------------------------------------------------------------------------------*/

static void check_arrays(const fixture *f, const bench_scenario *scenario) {
    const side *s = &f->grouped;
    for (uint32_t i = 0; i < s->entities.order_count; i++) {
        const Vec2 *value = covey_pool_get_raw(s->pools[0], s->entities.order[i]);
        if (!value || memcmp(value, &f->arrays[0][i], sizeof *value) != 0)
            bench_fail("%s, n = %u: the values of entity %u differ", scenario->name, s->entities.n,
                       s->entities.order[i].index);
    }
}

/* Adds a component to the first of the entities, in an order of its own. */
static void add_mixed(fixture *f, uint32_t type, uint32_t count) {
    memcpy(f->mixed, f->grouped.entities.order, count * sizeof *f->mixed);
    for (uint32_t i = 0; i <= type; i++) bench_shuffle(f->mixed, count);
    add(&f->grouped, type, f->mixed, count);
}

/* All have the first component; those that match have the others, too. */
static fixture *open_owning(const bench_scenario *scenario, uint32_t n, uint32_t own) {
    fixture *f = make_fixture(n);
    side *s = &f->grouped;
    open_side(s, scenario, n, own, 0, true);
    uint32_t matches = s->entities.order_count;
    for (uint32_t t = 0; t < own; t++) {
        f->arrays[t] = bench_alloc(matches, sizeof *f->arrays[t]);
        for (uint32_t i = 0; i < matches; i++) f->arrays[t][i] = value_of(t, s->entities.order[i]);
        add_mixed(f, t, t == 0 ? n : matches);
    }
    if (covey_group_count(s->group) != matches) bench_fail("%s, n = %u: the group is not complete", scenario->name, n);
    bench_run_each(scenario, f);
    check_arrays(f, scenario);
    return f;
}

static void *open2(const bench_scenario *scenario, uint32_t n) { return open_owning(scenario, n, 2); }
static void *open3(const bench_scenario *scenario, uint32_t n) { return open_owning(scenario, n, 3); }
static void *open5(const bench_scenario *scenario, uint32_t n) { return open_owning(scenario, n, 5); }

/* The loop of covey.h, section 11. */
#define SPANS(name, begin, fields, statement)                  \
    BENCH_TIMED static uint64_t name(void *context) {          \
        const fixture *f = context;                            \
        uint64_t matches = 0;                                  \
        covey_iter it = begin;                                 \
        while (covey_next(&it)) {                              \
            fields;                                            \
            for (uint32_t i = 0; i < it.count; i++) statement; \
            matches += it.count;                               \
        }                                                      \
        return matches;                                        \
    }

/* The same, row by row. */
#define ROWS(name, begin, statement)                  \
    BENCH_TIMED static uint64_t name(void *context) { \
        const fixture *f = context;                   \
        uint64_t matches = 0;                         \
        covey_iter it = begin;                        \
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
        uint32_t n = f->grouped.entities.order_count; \
        for (uint32_t i = 0; i < n; i++) statement;   \
        return n;                                     \
    }

#define FIELD2                                   \
    Position *a = covey_field(&it, 0, Position); \
    const Velocity *b = covey_field(&it, 1, Velocity)
#define FIELD3 \
    FIELD2;    \
    const Force *c = covey_field(&it, 2, Force)
#define FIELD5                                 \
    FIELD3;                                    \
    const Spin *d = covey_field(&it, 3, Spin); \
    const Heat *e = covey_field(&it, 4, Heat)
#define ARRAY2              \
    Vec2 *a = f->arrays[0]; \
    const Vec2 *b = f->arrays[1]
#define ARRAY3 \
    ARRAY2;    \
    const Vec2 *c = f->arrays[2]
#define ARRAY5                    \
    ARRAY3;                       \
    const Vec2 *d = f->arrays[3]; \
    const Vec2 *e = f->arrays[4]

#define ROW_FIELD(field, T) covey_row_field(&it, row, field, T)
#define ROW2 step2(ROW_FIELD(0, Position), ROW_FIELD(1, Velocity))
#define ROW3 step3(ROW_FIELD(0, Position), ROW_FIELD(1, Velocity), ROW_FIELD(2, Force))
#define ROW5 \
    step5(ROW_FIELD(0, Position), ROW_FIELD(1, Velocity), ROW_FIELD(2, Force), ROW_FIELD(3, Spin), ROW_FIELD(4, Heat))

#define GROUP covey_group_iter(f->grouped.group)

SPANS(group2_spans, GROUP, FIELD2, step2(&a[i], &b[i]))
ROWS(group2_rows, GROUP, ROW2)
ARRAYS(group2_raw, ARRAY2, step2(&a[i], &b[i]))
SPANS(group3_spans, GROUP, FIELD3, step3(&a[i], &b[i], &c[i]))
ROWS(group3_rows, GROUP, ROW3)
ARRAYS(group3_raw, ARRAY3, step3(&a[i], &b[i], &c[i]))
SPANS(group5_spans, GROUP, FIELD5, step5(&a[i], &b[i], &c[i], &d[i], &e[i]))
ROWS(group5_rows, GROUP, ROW5)
ARRAYS(group5_raw, ARRAY5, step5(&a[i], &b[i], &c[i], &d[i], &e[i]))

/* ---- A group over scattered entities ------------------------------------------------------------------------------*/

/* All entities have the first component. The matching ones also have the second, added in another order. `gather` has
 * arrays of all entities, and follows a list of the matching ones. */
static fixture *open_scattered(const bench_scenario *scenario, uint32_t n, bool alternate) {
    fixture *f = make_fixture(n);
    side *s = &f->grouped;
    open_side(s, scenario, n, 2, 0, true);
    f->matches = bench_alloc(n, sizeof *f->matches);
    if (alternate) s->entities.order_count = (n + 1) / 2;
    bool *taken = bench_alloc(n, sizeof *taken);
    for (uint32_t i = 0; i < s->entities.order_count; i++) {
        if (alternate) s->entities.order[i] = s->entities.all[2 * i];
        taken[s->entities.order[i].index] = true;
    }
    for (uint32_t i = 0, at = 0; i < n; i++)
        if (taken[i]) f->matches[at++] = i;
    free(taken);
    for (uint32_t t = 0; t < 2; t++) {
        f->arrays[t] = bench_alloc(n, sizeof *f->arrays[t]);
        for (uint32_t i = 0; i < n; i++) f->arrays[t][i] = value_of(t, s->entities.all[i]);
    }
    add(s, 0, s->entities.all, n);
    add_mixed(f, 1, s->entities.order_count);
    bench_run_each(scenario, f);
    return f;
}

static void *open_some(const bench_scenario *scenario, uint32_t n) { return open_scattered(scenario, n, false); }
static void *open_alternate(const bench_scenario *scenario, uint32_t n) { return open_scattered(scenario, n, true); }

BENCH_TIMED static uint64_t group2_gather(void *context) {
    const fixture *f = context;
    uint32_t n = f->grouped.entities.order_count;
    for (uint32_t i = 0; i < n; i++) step2(&f->arrays[0][f->matches[i]], &f->arrays[1][f->matches[i]]);
    return n;
}

/* ---- A group that owns one of two pools ---------------------------------------------------------------------------*/

static void check_sides(const fixture *f, const bench_scenario *scenario) {
    const side *grouped = &f->grouped, *plain = &f->plain;
    for (uint32_t i = 0; i < plain->entities.n; i++)
        for (uint32_t t = 0; t < 2; t++) {
            const Vec2 *one = covey_pool_get_raw(grouped->pools[t], grouped->entities.all[i]);
            const Vec2 *two = covey_pool_get_raw(plain->pools[t], plain->entities.all[i]);
            bool same = !one == !two && (!one || memcmp(one, two, sizeof *one) == 0);
            if (!same) bench_fail("%s, n = %u: the values of entity %u differ", scenario->name, plain->entities.n, i);
        }
}

/* The owned pool is filled last: entities join in the order of that pool, which is not the order of the other one. */
static void fill_partial(fixture *f, side *s) {
    uint32_t n = s->entities.n;
    memcpy(f->mixed, s->entities.order, n * sizeof *f->mixed);
    add(s, 1, f->mixed, n);
    bench_shuffle(f->mixed, n);
    add(s, 0, f->mixed, n);
}

static void *open_partial(const bench_scenario *scenario, uint32_t n) {
    fixture *f = make_fixture(n);
    open_side(&f->grouped, scenario, n, 1, 1, true);
    open_side(&f->plain, scenario, n, 1, 1, false);
    fill_partial(f, &f->grouped);
    fill_partial(f, &f->plain);
    bench_run_each(scenario, f);
    check_sides(f, scenario);
    return f;
}

#define VIEW covey_view_iter(&f->plain.view)

SPANS(view_spans, VIEW, FIELD2, step2(&a[i], &b[i]))
ROWS(view_rows, VIEW, ROW2)

/* ---- Keeping a group up to date -----------------------------------------------------------------------------------*/

static void *open_changing(const bench_scenario *scenario, uint32_t n) {
    fixture *f = make_fixture(n);
    open_side(&f->grouped, scenario, n, 2, 0, true);
    open_side(&f->plain, scenario, n, 2, 0, false);
    bench_run_each(scenario, f);
    check_sides(f, scenario);
    if (covey_group_count(f->grouped.group) != covey_pool_count(f->grouped.pools[1]))
        bench_fail("%s, n = %u: the group is not what it should be", scenario->name, n);
    return f;
}

/* All entities have the first component, by index; none has the second. */
static void fill_first(side *s) {
    covey_clear(s->entities.world, Velocity);
    covey_clear(s->entities.world, Position);
    add(s, 0, s->entities.all, s->entities.n);
}

/* All entities have both, by index. */
static void fill_both(side *s) {
    fill_first(s);
    add(s, 1, s->entities.all, s->entities.n);
}

static void fill_first_grouped(void *context) { fill_first(&((fixture *)context)->grouped); }
static void fill_first_plain(void *context) { fill_first(&((fixture *)context)->plain); }
static void fill_both_grouped(void *context) { fill_both(&((fixture *)context)->grouped); }
static void fill_both_plain(void *context) { fill_both(&((fixture *)context)->plain); }

#define CHANGE(name, world_of, statement)                       \
    BENCH_TIMED static uint64_t name(void *context) {           \
        const fixture *f = context;                             \
        covey_pool *pool = f->world_of.pools[1];                \
        const covey_entity *order = f->world_of.entities.order; \
        uint32_t n = f->world_of.entities.n;                    \
        for (uint32_t i = 0; i < n; i++) statement;             \
        return covey_pool_count(pool);                          \
    }

#define ADD (void)covey_pool_add(pool, order[i], Velocity, { .x = 3, .y = 4 })
#define REMOVE covey_pool_remove(pool, order[i], Velocity)

CHANGE(add_grouped, grouped, ADD)
CHANGE(add_plain, plain, ADD)
CHANGE(remove_grouped, grouped, REMOVE)
CHANGE(remove_plain, plain, REMOVE)

/* ---- Joining a group of three -------------------------------------------------------------------------------------*/

static void check3(const fixture *f, const bench_scenario *scenario, uint32_t n) {
    uint32_t count = covey_group_count(f->grouped.group);
    for (uint32_t t = 0; t < 3; t++)
        if (covey_pool_count(f->grouped.pools[t]) != n || covey_pool_count(f->plain.pools[t]) != n || count != n)
            bench_fail("%s, n = %u: the group is not what it should be", scenario->name, n);
}

static void *open_joining(const bench_scenario *scenario, uint32_t n) {
    fixture *f = make_fixture(n);
    open_side(&f->grouped, scenario, n, 3, 0, true);
    open_side(&f->plain, scenario, n, 3, 0, false);
    bench_run_each(scenario, f);
    check3(f, scenario, n);
    return f;
}

static void empty_grouped(void *context) { covey_destroy_all(((fixture *)context)->grouped.entities.world); }
static void empty_plain(void *context) { covey_destroy_all(((fixture *)context)->plain.entities.world); }

static const Vec2 start3[] = { { .x = 1, .y = 2 }, { .x = 3, .y = 4 }, { .x = 5, .y = 6 } };
#define VALUES3                                                                         \
    covey_with(Position, { .x = 1, .y = 2 }), covey_with(Velocity, { .x = 3, .y = 4 }), \
        covey_with(Force, { .x = 5, .y = 6 })
#define COPIES3                                                                       \
    covey_with_copies(Position, &start3[0]), covey_with_copies(Velocity, &start3[1]), \
        covey_with_copies(Force, &start3[2])

/* Creates n entities, and returns how many there are. */
#define CREATE(name, world_of, statement)                \
    BENCH_TIMED static uint64_t name(void *context) {    \
        fixture *f = context;                            \
        covey_world *world = f->world_of.entities.world; \
        covey_entity *made = f->world_of.entities.all;   \
        uint32_t n = f->world_of.entities.n;             \
        statement;                                       \
        (void)made, (void)n;                             \
        return covey_entity_count(world);                \
    }
#define EACH(statement)                \
    for (uint32_t i = 0; i < n; i++) { \
        statement;                     \
    }

CREATE(create_with_grouped, grouped, EACH(made[i] = covey_create_with(world, VALUES3)))
CREATE(create_with_plain, plain, EACH(made[i] = covey_create_with(world, VALUES3)))
CREATE(many_with_grouped, grouped, (void)covey_create_many_with(world, made, n, COPIES3))
CREATE(many_with_plain, plain, (void)covey_create_many_with(world, made, n, COPIES3))
CREATE(create_single_grouped, grouped,
       EACH(made[i] = covey_create(world); covey_add(world, made[i], Position, { .x = 1, .y = 2 });
            covey_add(world, made[i], Velocity, { .x = 3, .y = 4 });
            covey_add(world, made[i], Force, { .x = 5, .y = 6 })))

/* All entities have the first two components, by index; none has the third. */
static void fill_two(side *s) {
    covey_destroy_all(s->entities.world);
    if (!covey_create_many(s->entities.world, s->entities.all, s->entities.n)) bench_fail("no entities");
    for (uint32_t t = 0; t < 2; t++) add(s, t, s->entities.all, s->entities.n);
}

static void fill_two_grouped(void *context) { fill_two(&((fixture *)context)->grouped); }
static void fill_two_plain(void *context) { fill_two(&((fixture *)context)->plain); }

#define ADD_THIRD(name, world_of)                                                             \
    BENCH_TIMED static uint64_t name(void *context) {                                         \
        const fixture *f = context;                                                           \
        const side *s = &f->world_of;                                                         \
        for (uint32_t i = 0; i < s->entities.n; i++)                                          \
            (void)covey_pool_add(s->pools[2], s->entities.all[i], Force, { .x = 5, .y = 6 }); \
        return covey_pool_count(s->pools[2]);                                                 \
    }

ADD_THIRD(add_third_grouped, grouped)
ADD_THIRD(add_third_plain, plain)

/* ---- The scenarios ------------------------------------------------------------------------------------------------*/

#define AGAINST_RAW(covey, raw) \
    { { .name = "covey", .run = covey }, { .name = "raw", .run = raw }, { .name = NULL }, }

#define AGAINST_GATHER(covey) \
    { { .name = "covey", .run = covey }, { .name = "gather", .run = group2_gather }, { .name = NULL }, }

static const bench_contestant two_spans[] = AGAINST_RAW(group2_spans, group2_raw);
static const bench_contestant two_rows[] = AGAINST_RAW(group2_rows, group2_raw);
static const bench_contestant three_spans[] = AGAINST_RAW(group3_spans, group3_raw);
static const bench_contestant three_rows[] = AGAINST_RAW(group3_rows, group3_raw);
static const bench_contestant five_spans[] = AGAINST_RAW(group5_spans, group5_raw);
static const bench_contestant five_rows[] = AGAINST_RAW(group5_rows, group5_raw);
static const bench_contestant scattered_spans[] = AGAINST_GATHER(group2_spans);
static const bench_contestant scattered_rows[] = AGAINST_GATHER(group2_rows);
static const bench_contestant partial_spans[] = {
    { .name = "covey", .run = group2_spans },
    { .name = "view", .run = view_spans },
    { .name = NULL },
};
static const bench_contestant partial_rows[] = {
    { .name = "covey", .run = group2_rows },
    { .name = "view", .run = view_rows },
    { .name = NULL },
};
static const bench_contestant adding[] = {
    { .name = "covey", .prepare = fill_first_grouped, .run = add_grouped },
    { .name = "without", .prepare = fill_first_plain, .run = add_plain },
    { .name = NULL },
};
static const bench_contestant removing[] = {
    { .name = "covey", .prepare = fill_both_grouped, .run = remove_grouped },
    { .name = "without", .prepare = fill_both_plain, .run = remove_plain },
    { .name = NULL },
};

static const bench_contestant creating3[] = {
    { .name = "covey", .prepare = empty_grouped, .run = create_with_grouped },
    { .name = "without", .prepare = empty_plain, .run = create_with_plain },
    { .name = "single", .prepare = empty_grouped, .run = create_single_grouped },
    { .name = NULL },
};
static const bench_contestant creating3_many[] = {
    { .name = "covey", .prepare = empty_grouped, .run = many_with_grouped },
    { .name = "without", .prepare = empty_plain, .run = many_with_plain },
    { .name = "single", .prepare = empty_grouped, .run = create_single_grouped },
    { .name = NULL },
};
static const bench_contestant adding3[] = {
    { .name = "covey", .prepare = fill_two_grouped, .run = add_third_grouped },
    { .name = "without", .prepare = fill_two_plain, .run = add_third_plain },
    { .name = NULL },
};

#define SCENARIO(text, who, filled, way, matching, against, most)                                                      \
    {                                                                                                                  \
        .name = text, .storage = BENCH_STORAGE_TEXT, .sizes = { 100000, 1000000 }, .contestants = who, .open = filled, \
        .close = close, .order = way, .percent = matching, .bars = {                                                   \
            BENCH_BAR(against, most)                                                                                   \
        }                                                                                                              \
    }

/* A scenario for each form, with the bar of spans and that of rows. */
#define BOTH(text, who, filled, matching, against, spans, rows)                             \
    SCENARIO(text "_spans", who##_spans, filled, BENCH_SHUFFLED, matching, against, spans), \
        SCENARIO(text "_rows", who##_rows, filled, BENCH_SHUFFLED, matching, against, rows)

/* With a bar in nanoseconds, to be read beside a baseline. */
#define JOINING(text, who, bar, against, most)                                                         \
    {                                                                                                  \
        .name = text, .storage = BENCH_STORAGE_TEXT, .sizes = { 100000, 1000000 }, .contestants = who, \
        .open = open_joining, .close = close, .order = BENCH_ORDERED, .bars = {                        \
            { .baseline = against, .n = 100000, .ns = most },                                          \
            bar                                                                                        \
        }                                                                                              \
    }

static const bench_scenario scenarios[] = {
    BOTH("group2", two, open2, 100, "raw", BENCH_LIMIT(1.1, 0), 0),
    BOTH("group3", three, open3, 100, "raw", BENCH_LIMIT(1.1, 0), 0),
    BOTH("group5", five, open5, 100, "raw", BENCH_LIMIT(1.1, 0), 0),
    BOTH("group2_50", scattered, open_some, 50, "gather", BENCH_LIMIT(0, 1.0), 0),
    BOTH("group2_alternate", scattered, open_alternate, 50, "gather", BENCH_LIMIT(0, 1.0), 0),
#if BENCH_BLOCK
    BOTH("group2_10", scattered, open_some, 10, "gather", 2.0, 0),
#else
    BOTH("group2_10", two, open2, 10, "raw", 1.1, 0),
#endif
    BOTH("group2_partial", partial, open_partial, 100, "view", 0, BENCH_LIMIT(0.5, 0)),
    JOINING("group3_create_with", creating3, BENCH_BAR("without", BENCH_LIMIT(1.2, 1.8)), "single",
            BENCH_LIMIT(14, 21)),
    JOINING("group3_many_with", creating3_many, BENCH_NO_BAR, "single", BENCH_LIMIT(4, 6)),
    JOINING("group3_add", adding3, BENCH_NO_BAR, "without", BENCH_LIMIT(9, 13.5)),
    SCENARIO("group_add", adding, open_changing, BENCH_ORDERED, 100, "without", 2.5),
    SCENARIO("group_remove", removing, open_changing, BENCH_ORDERED, 100, "without", 2.5),
    SCENARIO("group_add_shuffled", adding, open_changing, BENCH_SHUFFLED, 100, "without", BENCH_LIMIT(0, 2.5)),
    SCENARIO("group_remove_shuffled", removing, open_changing, BENCH_SHUFFLED, 100, "without", BENCH_LIMIT(0, 2.5)),
};

const bench_suite BENCH_NAME(bench_group) = { scenarios, sizeof scenarios / sizeof *scenarios };
