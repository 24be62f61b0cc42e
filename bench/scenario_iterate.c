/* Iterating where every entity has all of one to five components. */
#include "iterate.h"

static fixture *fill(const bench_scenario *scenario, uint32_t n, int with) {
    fixture *f = open_pools(scenario, n, with, 0);
    for (int t = 0; t < with; t++) add(f, t, f->entities.all, n);
    return f;
}

static fixture *fill1(const bench_scenario *scenario, uint32_t n) { return fill(scenario, n, 1); }
static fixture *fill2(const bench_scenario *scenario, uint32_t n) { return fill(scenario, n, 2); }

OPEN(open1, fill1)
OPEN(open2, fill2)

SPANS1(spans1)
ROWS1(rows1)
ARRAYS1(raw1)
SETS1(textbook1)
CONTESTANTS(one, spans1, rows1, raw1, textbook1);

SPANS2(spans2)
ROWS2(rows2)
ARRAYS(raw2, ARRAY2, step2(&a[i], &b[i]))
SETS(textbook2, step2(&a[i], LOOKUP(1)))
CONTESTANTS(two, spans2, rows2, raw2, textbook2);

#if BENCH_SIZE == 8
static fixture *fill3(const bench_scenario *scenario, uint32_t n) { return fill(scenario, n, 3); }
static fixture *fill5(const bench_scenario *scenario, uint32_t n) { return fill(scenario, n, 5); }

/* Each pool in a random order of its own. */
static fixture *fill_shuffled(const bench_scenario *scenario, uint32_t n) {
    fixture *f = open_pools(scenario, n, 2, 0);
    covey_entity *mixed = bench_alloc(n, sizeof *mixed);
    memcpy(mixed, f->entities.all, n * sizeof *mixed);
    for (int t = 0; t < 2; t++) {
        bench_shuffle(mixed, n);
        add(f, t, mixed, n);
    }
    free(mixed);
    return f;
}

OPEN(open3, fill3)
OPEN(open5, fill5)
OPEN(open_shuffled, fill_shuffled)

SPANS3(spans3)
ROWS3(rows3)
ARRAYS3(raw3)
SETS3(textbook3)
CONTESTANTS(three, spans3, rows3, raw3, textbook3);

SPANS(spans5, FIELD5, step5(&a[i], &b[i], &c[i], &d[i], &e[i]))
ROWS(rows5,
     step5(ROW_FIELD(0, Position), ROW_FIELD(1, Velocity), ROW_FIELD(2, Force), ROW_FIELD(3, Spin), ROW_FIELD(4, Heat)))
ARRAYS(raw5, ARRAY5, step5(&a[i], &b[i], &c[i], &d[i], &e[i]))
SETS(textbook5, step5(&a[i], LOOKUP(1), LOOKUP(2), LOOKUP(3), LOOKUP(4)))
CONTESTANTS(five, spans5, rows5, raw5, textbook5);
#endif

/* ---- The scenarios ------------------------------------------------------------------------------------------------*/

/* A scenario for each form: the bars of spans in parentheses, then those of rows. */
#define BOTH(text, who, filled, spans, rows)                                                                   \
    SCENARIO(BENCH_SCENARIO(text "_spans"), BENCH_STORAGE_TEXT, who##_spans, filled, 100, BENCH_UNPACK spans), \
        SCENARIO(BENCH_SCENARIO(text "_rows"), BENCH_STORAGE_TEXT, who##_rows, filled, 100, BENCH_UNPACK rows)

/* Sparse pools look the other components up, as the textbook does. */
#define SPARSE BENCH_BARS("textbook", BENCH_LIMIT(1.6, 0))

static const bench_scenario scenarios[] = {
#if BENCH_SIZE == 8
    BOTH("iterate1", one, open1, (BENCH_BAR("raw", BENCH_LIMIT(1.1, 1.1))), (BENCH_NO_BAR)),
    BOTH("iterate2", two, open2, (BENCH_BAR("raw", BENCH_LIMIT(0, 1.3)), SPARSE), (SPARSE)),
    BOTH("iterate3", three, open3, (BENCH_BAR("raw", BENCH_LIMIT(0, 1.3))), (BENCH_NO_BAR)),
    BOTH("iterate5", five, open5, (BENCH_BAR("raw", BENCH_LIMIT(0, 1.3))), (BENCH_NO_BAR)),
    BOTH("iterate2_shuffled", two, open_shuffled, (BENCH_BAR("raw", BENCH_LIMIT(0, 1.6)), SPARSE), (SPARSE)),
#else
    BOTH("iterate1", one, open1, (BENCH_NO_BAR), (BENCH_NO_BAR)),
    BOTH("iterate2", two, open2, (BENCH_NO_BAR), (BENCH_NO_BAR)),
#endif
};

const bench_suite BENCH_NAME(bench_iterate) = { scenarios, sizeof scenarios / sizeof *scenarios };
