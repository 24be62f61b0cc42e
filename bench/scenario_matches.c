/* Iterating where some entities match: scattered, in runs, after removals, and where one pool is in blocks and the
 * other is a sparse set. */
#include "iterate.h"

/* What a pool becomes where a view is about both storages. */
#define OTHER_STORAGE (BENCH_BLOCK ? COVEY_STORAGE_SPARSE : COVEY_STORAGE_BLOCK)

/* From the type `first` on, `raw` has the values of the matching entities, packed. */
static void pack(fixture *f, int first) {
    for (int t = first; t < f->with; t++)
        for (uint32_t i = 0; i < f->entities.order_count; i++)
            f->arrays[t][i] = f->arrays[t][f->ids[i]]; /* ids[i] >= i */
    f->packed = first == 0;
}

/* ---- One component, of which some were removed --------------------------------------------------------------------*/

/* Removes a component from the entities that do not match, in random order. */
static void remove_others(fixture *f) {
    uint32_t matches = f->entities.order_count, others = f->entities.n - matches;
    bench_shuffle(f->entities.order + matches, others);
    for (uint32_t i = matches; i < f->entities.n; i++) {
        covey_pool_remove_raw(f->pools[0], f->entities.order[i]);
        textbook_remove(&f->sets[0], f->entities.order[i].index);
    }
    sort_parts(f);
}

static fixture *fill_half(const bench_scenario *scenario, uint32_t n) {
    fixture *f = open_pools(scenario, n, 1, 0);
    add(f, 0, f->entities.all, n);
    remove_others(f);
    pack(f, 0);
    return f;
}

static fixture *fill_half_compact(const bench_scenario *scenario, uint32_t n) {
    fixture *f = fill_half(scenario, n);
    covey_compact(f->entities.world);
    return f;
}

OPEN(open_half, fill_half)
OPEN(open_half_compact, fill_half_compact)
SPANS1(spans1)
ROWS1(rows1)
ARRAYS1(raw1)
SETS1(textbook1)
CONTESTANTS(one, spans1, rows1, raw1, textbook1);

/* ---- Three components, where entities are destroyed and created as wholes -----------------------------------------*/

#define RECYCLED_TIMES 8

static void destroy_last(fixture *f) {
    covey_entity e = f->entities.order[--f->entities.order_count];
    covey_destroy(f->entities.world, e);
    for (int t = 0; t < f->with; t++) textbook_remove(&f->sets[t], e.index);
}

static void create_next(fixture *f) {
    covey_entity e = covey_create(f->entities.world);
    f->entities.all[e.index] = f->entities.order[f->entities.order_count++] = e;
    for (int t = 0; t < f->with; t++) add(f, t, &e, 1);
}

/* The first of the order live; a quarter of n survives each time. */
static void recycle(fixture *f, uint32_t survivors) {
    uint32_t n = f->entities.n;
    for (int i = 0; i < RECYCLED_TIMES; i++) {
        bench_shuffle(f->entities.order, f->entities.order_count);
        while (f->entities.order_count > n / 4) destroy_last(f);
        while (f->entities.order_count < survivors) create_next(f);
    }
}

static fixture *fill_recycled(const bench_scenario *scenario, uint32_t n) {
    fixture *f = open_pools(scenario, n, 3, 0);
    uint32_t survivors = f->entities.order_count;
    for (int t = 0; t < f->with; t++) add(f, t, f->entities.all, n);
    f->entities.order_count = n;
    recycle(f, survivors);
    sort_parts(f);
    pack(f, 0);
    covey_compact(f->entities.world);
    return f;
}

OPEN(open_recycled, fill_recycled)
SPANS3(spans3)
ROWS3(rows3)
ARRAYS3(raw3)
SETS3(textbook3)
CONTESTANTS(three, spans3, rows3, raw3, textbook3);

/* ---- All have the first, some have the second ---------------------------------------------------------------------*/

static fixture *add_both(fixture *f) {
    add(f, 0, f->entities.all, f->entities.n);
    add(f, 1, f->entities.order, f->entities.order_count);
    pack(f, 1);
    return f;
}

static fixture *fill_some(const bench_scenario *scenario, uint32_t n) {
    return add_both(open_pools(scenario, n, 2, 0));
}

static fixture *fill_mixed(const bench_scenario *scenario, uint32_t n) {
    fixture *f = open_pools(scenario, n, 2, 0);
    if (covey_pool_convert(f->pools[1], OTHER_STORAGE) != COVEY_OK) bench_fail("the pool keeps its storage");
    return add_both(f);
}

/* Of every second run of so many ids. */
static fixture *fill_runs(const bench_scenario *scenario, uint32_t n, uint32_t length) {
    fixture *f = open_pools(scenario, n, 2, 0);
    uint32_t match = 0;
    for (uint32_t i = 0; match < f->entities.order_count; i++)
        if (i / length % 2 == 0) f->entities.order[match++] = f->entities.all[i];
    sort_parts(f);
    return add_both(f);
}

static fixture *fill_alternate(const bench_scenario *scenario, uint32_t n) { return fill_runs(scenario, n, 1); }
static fixture *fill_half_runs(const bench_scenario *scenario, uint32_t n) { return fill_runs(scenario, n, 32); }

OPEN(open_some, fill_some)
OPEN(open_mixed, fill_mixed)
OPEN(open_alternate, fill_alternate)
OPEN(open_half_runs, fill_half_runs)
SPANS2(spans2)
ROWS2(rows2)
ARRAYS(some_raw, ARRAY2, step2(&a[ids[i]], &b[i]))

/* Knows that ids come in runs of 32. */
BENCH_TIMED static uint64_t runs_raw(void *context) {
    const fixture *f = context;
    uint32_t n = f->entities.order_count;
    for (uint32_t at = 0; at < n; at += 32) {
        Vec2 *a = f->arrays[0] + f->ids[at];
        const Vec2 *b = f->arrays[1] + at;
        uint32_t count = n - at < 32 ? n - at : 32;
        for (uint32_t i = 0; i < count; i++) step2(&a[i], &b[i]);
    }
    return n;
}

/* Leads with the smaller set. */
BENCH_TIMED static uint64_t some_textbook(void *context) {
    const fixture *f = context;
    const textbook *all = &f->sets[0], *lead = &f->sets[1];
    for (uint32_t i = 0; i < lead->count; i++) step2(textbook_get(all, lead->packed[i]), &lead->data[i]);
    return lead->count;
}

CONTESTANTS(some, spans2, rows2, some_raw, some_textbook);
CONTESTANTS(runs, spans2, rows2, runs_raw, some_textbook);

/* ---- All have the first two, some have a third, which others must not have ----------------------------------------*/

static fixture *fill_exclude(const bench_scenario *scenario, uint32_t n) {
    fixture *f = open_pools(scenario, n, 2, 1);
    uint32_t matches = f->entities.order_count;
    add(f, 0, f->entities.all, n);
    add(f, 1, f->entities.all, n);
    add(f, 2, f->entities.order + matches, n - matches);
    return f;
}

OPEN(open_exclude, fill_exclude)
ARRAYS(exclude_raw, ARRAY2, step2(&a[ids[i]], &b[ids[i]]))

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

CONTESTANTS(excluding, spans2, rows2, exclude_raw, exclude_textbook);

/* ---- The scenarios ------------------------------------------------------------------------------------------------*/

/* A scenario for each form: the bars of spans in parentheses, then those of rows. */
#define BOTH_IN(in, text, who, filled, matching, spans, rows)                       \
    SCENARIO(text "_spans", in, who##_spans, filled, matching, BENCH_UNPACK spans), \
        SCENARIO(text "_rows", in, who##_rows, filled, matching, BENCH_UNPACK rows)
#define BOTH(...) BOTH_IN(BENCH_STORAGE_TEXT, __VA_ARGS__)

/* Scattered matches: sparse pools look up, as the textbook does; spans of blocks are at most a little slower than
 * rows. */
#define SCATTERED(text, matching, rows)                                                           \
    BOTH(text, some, open_some, matching,                                                         \
         (BENCH_BARS("textbook", BENCH_LIMIT(1.6, 0)), BENCH_BARS("rows", BENCH_LIMIT(0, 1.15))), \
         (BENCH_BARS("textbook", BENCH_LIMIT(1.6, rows))))

static const bench_scenario scenarios[] = {
    BOTH("iterate1_half", one, open_half, 50, (BENCH_BARS("raw", BENCH_LIMIT(0, 3.5))), (BENCH_NO_BAR)),
    BOTH("iterate1_half_compact", one, open_half_compact, 50, (BENCH_BARS("raw", BENCH_LIMIT(0, 1.8))), (BENCH_NO_BAR)),
    BOTH("iterate3_recycled_50", three, open_recycled, 50, (BENCH_BARS("raw", BENCH_LIMIT(0, 1.8))), (BENCH_NO_BAR)),
    BOTH("iterate3_recycled_90", three, open_recycled, 90, (BENCH_NO_BAR), (BENCH_NO_BAR)),
    SCATTERED("iterate2_50", 50, 1.2),
    SCATTERED("iterate2_10", 10, 1.2),
    SCATTERED("iterate2_1", 1, 2.5),
    BOTH("iterate2_alternate", some, open_alternate, 50, (BENCH_BARS("rows", BENCH_LIMIT(0, 1.1))), (BENCH_NO_BAR)),
    BOTH("iterate2_half_runs", runs, open_half_runs, 50, (BENCH_BARS("raw", BENCH_LIMIT(0, 1.4))), (BENCH_NO_BAR)),
    BOTH("iterate2_exclude", excluding, open_exclude, 90, (BENCH_NO_BAR), (BENCH_NO_BAR)),
#if BENCH_BLOCK /* the first in blocks, the second sparse; and the other way round */
    BOTH_IN("mixed", "iterate2_mixed_50", some, open_mixed, 50, (BENCH_BARS("textbook", 1.8)),
            (BENCH_BARS("textbook", 1.8))),
#else
    BOTH_IN("mixed", "iterate2_mixed_50r", some, open_mixed, 50, (BENCH_BARS("textbook", 1.8)),
            (BENCH_BARS("textbook", 1.8))),
#endif
};

const bench_suite BENCH_NAME(bench_matches) = { scenarios, sizeof scenarios / sizeof *scenarios };
