/* Every call for many entities beside the loop of single calls, in every storage, with everything that can observe a
 * pool. Three arrays describe the table: calls, storages and observers. All their valid combinations are measured.
 *
 * Each of the two contestants of a cell has a world of its own, and entities with up to two components. */
#include "bench.h"
#include "components.h"

#include <stdlib.h>

#define ENTITIES 10000
#define TYPES 2

typedef enum run {
    DESTROY_MANY,
    DESTROY_ALL,
    DESTROY_EACH,
    ADD_COPIES,
    ADD_EACH,
    ADD_ARRAY,
    ADD_EACH_VALUE,
    SET_ARRAY,
    SET_EACH,
    REMOVE_MANY,
    CLEAR,
    REMOVE_EACH,
    CREATE_MANY_WITH,
    CREATE_WITH,
    CREATE_AND_ADD,
    RUNS
} run;

/* The types of a storage, and what is timed with them. */
typedef struct many_calls {
    const covey_type *types[TYPES];
    uint64_t (*runs[RUNS])(void *side);
} many_calls;

/* ---- One side of a cell -------------------------------------------------------------------------------------------*/

typedef struct side {
    covey_world *world;
    const many_calls *calls;
    covey_group *group;
    covey_queue *queue;
    covey_reactive *reactive;
    uint64_t dropped, heard;    /* what hooks and listeners have counted */
    covey_entity *made, *order; /* in the order of creation, or of the call */
    const uint32_t *positions;  /* in `made`, of each in `order` */
    const Vec2 *values;
    uint32_t n;
} side;

typedef struct fixture {
    side sides[2]; /* many, single */
    uint32_t *positions;
    Vec2 *values;
} fixture;

static Vec2 value_of(uint32_t i) { return (Vec2){ (float)(i % 64), 2 }; }

/* ---- The types and their calls ------------------------------------------------------------------------------------*/

static uint64_t dropped; /* values, in all worlds */

static void count_drop(void *value, void *context) {
    (void)value;
    ++*(uint64_t *)context;
}

/* As in most programs, the compiler does not see what the hook does. */
__attribute__((noinline)) static bool copy(void *to, const void *from, void *context) {
    (void)context;
    memcpy(to, from, sizeof(Vec2));
    return true;
}

static uint64_t components(const side *s) {
    uint64_t count = covey_entity_count(s->world);
    for (int t = 0; t < TYPES; t++) count += covey_pool_count(covey_pool_find_raw(s->world, s->calls->types[t]));
    return count;
}

#define RUN(name, ...)                                \
    BENCH_TIMED static uint64_t name(void *context) { \
        side *s = context;                            \
        covey_world *world = s->world;                \
        covey_entity *made = s->made;                 \
        const covey_entity *order = s->order;         \
        const Vec2 *values = s->values;               \
        uint32_t n = s->n;                            \
        __VA_ARGS__;                                  \
        (void)made, (void)order, (void)values;        \
        return components(s);                         \
    }
#define LOOP(name, statement) RUN(name, for (uint32_t i = 0; i < n; i++) statement)

static const Vec2 start = { 1, 2 };

#define DROPS .drop = count_drop, .copy = copy, .context = &dropped

#define MANY block
#define MANY_TYPE .storage = COVEY_STORAGE_BLOCK
#include "many_calls.h"
#define MANY block_drop
#define MANY_TYPE .storage = COVEY_STORAGE_BLOCK, DROPS
#include "many_calls.h"

#define MANY sparse
#define MANY_TYPE .storage = COVEY_STORAGE_SPARSE
#include "many_calls.h"
#define MANY sparse_drop
#define MANY_TYPE .storage = COVEY_STORAGE_SPARSE, DROPS
#include "many_calls.h"

#define MANY inplace
#define MANY_TYPE .storage = COVEY_STORAGE_SPARSE, .policy = COVEY_IN_PLACE
#include "many_calls.h"
#define MANY inplace_drop
#define MANY_TYPE .storage = COVEY_STORAGE_SPARSE, .policy = COVEY_IN_PLACE, DROPS
#include "many_calls.h"

#define MANY swaponly
#define MANY_TYPE .storage = COVEY_STORAGE_SPARSE, .policy = COVEY_SWAP_ONLY
#include "many_calls.h"
#define MANY swaponly_drop
#define MANY_TYPE .storage = COVEY_STORAGE_SPARSE, .policy = COVEY_SWAP_ONLY, DROPS
#include "many_calls.h"

#define MANY ordered
#define MANY_TYPE .storage = COVEY_STORAGE_SPARSE, .policy = COVEY_ORDERED
#include "many_calls.h"
#define MANY ordered_drop
#define MANY_TYPE .storage = COVEY_STORAGE_SPARSE, .policy = COVEY_ORDERED, DROPS
#include "many_calls.h"

#define MANY pinned
#define MANY_TYPE .storage = COVEY_STORAGE_PINNED
#include "many_calls.h"
#define MANY pinned_drop
#define MANY_TYPE .storage = COVEY_STORAGE_PINNED, DROPS
#include "many_calls.h"

/* ---- The observers ------------------------------------------------------------------------------------------------*/

static void count_event(const covey_event *event, void *context) { *(uint64_t *)context += event->count; }

static bool add_group(side *s) {
    s->group = covey_group_create(s->world, &(covey_group_desc){ .own = { s->calls->types[0], s->calls->types[1] } });
    return s->group != NULL;
}

static bool connect(side *s, covey_listener listener) {
    listener.signals = COVEY_ON_ADD | COVEY_ON_SET | COVEY_ON_REMOVE;
    for (int t = 0; t < TYPES; t++) {
        listener.type = s->calls->types[t];
        if (!covey_connect(s->world, &listener).world) return false;
    }
    return true;
}

static bool add_listener(side *s) { return connect(s, (covey_listener){ .call = count_event, .context = &s->heard }); }

static bool add_queue(side *s) {
    s->queue = covey_queue_create(s->world);
    return s->queue && connect(s, (covey_listener){ .queue = s->queue });
}

static bool add_reactive(side *s) {
    s->reactive = covey_reactive_create(
        s->world, &(covey_reactive_desc){ .added = { s->calls->types[0], s->calls->types[1] },
                                          .set = { s->calls->types[0], s->calls->types[1] },
                                          .removed = { s->calls->types[0], s->calls->types[1] } });
    return s->reactive != NULL;
}

/* ---- The table ----------------------------------------------------------------------------------------------------*/

typedef struct storage {
    const char *name;
    bool groups;                              /* a group can own it */
    const many_calls *calls, *calls_dropping; /* without and with a drop hook */
} storage;

static const storage storages[] = {
    { "block", true, &calls_block_8, &calls_block_drop_8 },
    { "sparse", true, &calls_sparse_8, &calls_sparse_drop_8 },
    { "inplace", false, &calls_inplace_8, &calls_inplace_drop_8 },
    { "swaponly", false, &calls_swaponly_8, &calls_swaponly_drop_8 },
    { "ordered", false, &calls_ordered_8, &calls_ordered_drop_8 },
    { "pinned", false, &calls_pinned_8, &calls_pinned_drop_8 },
};

typedef struct observer {
    const char *name;
    bool drops;             /* the types have a drop hook */
    bool groups;            /* only where a group can own the pools */
    bool (*attach)(side *); /* NULL: nothing */
} observer;

static const observer observers[] = {
    { .name = "plain" },
    { .name = "drop", .drops = true },
    { .name = "group", .groups = true, .attach = add_group },
    { .name = "listener", .attach = add_listener },
    { .name = "queue", .attach = add_queue },
    { .name = "reactive", .attach = add_reactive },
};

/* ---- Before a run -------------------------------------------------------------------------------------------------*/

static void forget_events(side *s) {
    if (s->queue) covey_queue_clear(s->queue);
    if (s->reactive) covey_reactive_clear(s->reactive);
}

static void set_order(side *s) {
    for (uint32_t i = 0; i < s->n; i++) s->order[i] = s->made[s->positions[i]];
}

/* No entities; sparse pools have neither components nor holes. */
static void prepare_none(void *context) {
    side *s = context;
    covey_destroy_all(s->world);
    covey_compact(s->world);
    forget_events(s);
}

/* Entities without components, in index order. */
static void prepare_empty(void *context) {
    side *s = context;
    prepare_none(s);
    if (!covey_create_many(s->world, s->made, s->n)) bench_fail("no entities");
    set_order(s);
    forget_events(s);
}

/* Entities with both components, in index order. */
static void prepare_full(void *context) {
    side *s = context;
    prepare_empty(s);
    for (uint32_t i = 0; i < s->n; i++) {
        Vec2 value = value_of(i);
        for (int t = 0; t < TYPES; t++) covey_add_raw(s->world, s->made[i], s->calls->types[t], &value);
    }
    if (components(s) != (TYPES + 1) * (uint64_t)s->n) bench_fail("a component is missing");
    forget_events(s);
}

typedef struct call {
    const char *name;
    bench_order order;
    double limit;
    void (*prepare)(void *side);
    run many, single;
} call;

static const call calls[] = {
    { "destroy", BENCH_ORDERED, 0.8, prepare_full, DESTROY_MANY, DESTROY_EACH },
    { "destroy_mixed", BENCH_SHUFFLED, 0.8, prepare_full, DESTROY_MANY, DESTROY_EACH },
    { "destroy_all", BENCH_ORDERED, 0.8, prepare_full, DESTROY_ALL, DESTROY_EACH },
    { "copies", BENCH_ORDERED, 0.8, prepare_empty, ADD_COPIES, ADD_EACH },
    { "copies_mixed", BENCH_SHUFFLED, 0.8, prepare_empty, ADD_COPIES, ADD_EACH },
    { "array", BENCH_ORDERED, 0.8, prepare_empty, ADD_ARRAY, ADD_EACH_VALUE },
    { "array_mixed", BENCH_SHUFFLED, 0.8, prepare_empty, ADD_ARRAY, ADD_EACH_VALUE },
    { "set", BENCH_ORDERED, 0.8, prepare_full, SET_ARRAY, SET_EACH },
    { "remove", BENCH_ORDERED, 0.8, prepare_full, REMOVE_MANY, REMOVE_EACH },
    { "remove_mixed", BENCH_SHUFFLED, 0.8, prepare_full, REMOVE_MANY, REMOVE_EACH },
    { "clear", BENCH_ORDERED, 0.8, prepare_full, CLEAR, REMOVE_EACH },
    { "create", BENCH_ORDERED, 0.8, prepare_none, CREATE_MANY_WITH, CREATE_AND_ADD },
    { "with", BENCH_ORDERED, 0.85, prepare_none, CREATE_WITH, CREATE_AND_ADD },
};

/* ---- A cell -------------------------------------------------------------------------------------------------------*/

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define MOST_CELLS (COUNT(calls) * COUNT(storages) * COUNT(observers))

typedef struct cell {
    const storage *in;
    const observer *by;
    char name[40];
    bench_contestant contestants[3];
} cell;

static cell cells[MOST_CELLS];
static bench_scenario scenarios[MOST_CELLS];
static size_t cell_count;

static void open_side(fixture *f, int number, const cell *c, uint32_t n) {
    side *s = &f->sides[number];
    *s = (side){ .world = covey_world_create(NULL),
                 .calls = c->by->drops ? c->in->calls_dropping : c->in->calls,
                 .made = bench_alloc(n, sizeof *s->made),
                 .order = bench_alloc(n, sizeof *s->order),
                 .positions = f->positions,
                 .values = f->values,
                 .n = n };
    if (!s->world) bench_fail("no memory for a world");
    for (int t = 0; t < TYPES; t++)
        if (!covey_pool_of_raw(s->world, s->calls->types[t])) bench_fail("no pool");
    if (c->by->attach && !c->by->attach(s)) bench_fail("%s: no observer", c->name);
}

static bool same_values(const fixture *f, uint32_t i) {
    for (int t = 0; t < TYPES; t++) {
        const Vec2 *of[2];
        for (int k = 0; k < 2; k++)
            of[k] = covey_get_raw(f->sides[k].world, f->sides[k].made[i], f->sides[k].calls->types[t]);
        if (of[0] && of[1] ? memcmp(of[0], of[1], sizeof(Vec2)) != 0 : of[0] || of[1]) return false;
    }
    return true;
}

/* What a group, hooks, listeners, a queue and a reactive set know afterwards. */
static bool same_observed(const side *a, const side *b) {
    return a->dropped == b->dropped && a->heard == b->heard &&
           (!a->group || covey_group_count(a->group) == covey_group_count(b->group)) &&
           (!a->queue || covey_queue_count(a->queue) == covey_queue_count(b->queue)) &&
           (!a->reactive || covey_reactive_count(a->reactive) == covey_reactive_count(b->reactive));
}

static void *part(void *context, size_t contestant) { return &((fixture *)context)->sides[contestant]; }

static void run_once(const bench_scenario *scenario, fixture *f, int k) {
    scenario->contestants[k].prepare(&f->sides[k]);
    uint64_t before = dropped;
    scenario->contestants[k].run(&f->sides[k]);
    f->sides[k].dropped = dropped - before;
}

static void *open(const bench_scenario *scenario, uint32_t n) {
    const cell *c = &cells[scenario - scenarios];
    fixture *f = bench_alloc(1, sizeof *f);
    f->positions = bench_alloc(n, sizeof *f->positions);
    f->values = bench_alloc(n, sizeof *f->values);
    for (uint32_t i = 0; i < n; i++) f->values[i] = value_of(i + 1);
    bench_positions(f->positions, n, scenario->order);
    for (int k = 0; k < 2; k++) open_side(f, k, c, n);
    for (int k = 0; k < 2; k++) run_once(scenario, f, k);
    bool same = same_observed(&f->sides[0], &f->sides[1]);
    for (uint32_t i = 0; i < n; i++) same = same && same_values(f, i);
    if (!same) bench_fail("%s, %s: the call and the loop differ", scenario->name, scenario->storage);
    return f;
}

static void close(void *context) {
    fixture *f = context;
    for (int k = 0; k < 2; k++) {
        covey_world_destroy(f->sides[k].world);
        free(f->sides[k].made);
        free(f->sides[k].order);
    }
    free(f->positions);
    free(f->values);
    free(f);
}

/* ---- The scenarios ------------------------------------------------------------------------------------------------*/

static void add_cell(const call *how, const storage *in, const observer *by) {
    cell *c = &cells[cell_count];
    const many_calls *typed = by->drops ? in->calls_dropping : in->calls;
    *c = (cell){ .in = in,
                 .by = by,
                 .contestants = {
                     { .name = "covey", .prepare = how->prepare, .run = typed->runs[how->many] },
                     { .name = "loop", .prepare = how->prepare, .run = typed->runs[how->single] },
                 } };
    snprintf(c->name, sizeof c->name, "many_%s_%s", how->name, by->name);
    scenarios[cell_count++] = (bench_scenario){
        .name = c->name,
        .storage = in->name,
        .sizes = { ENTITIES },
        .contestants = c->contestants,
        .open = open,
        .close = close,
        .part = part,
        .order = how->order,
        .short_time = true,
        .in_table = true,
        .bars = { { .baseline = "loop", .n = ENTITIES, .limit = how->limit } },
    };
}

bench_suite bench_many_suite(void) {
    if (cell_count == 0)
        for (const call *how = calls; how < calls + COUNT(calls); how++)
            for (const storage *in = storages; in < storages + COUNT(storages); in++)
                for (const observer *by = observers; by < observers + COUNT(observers); by++)
                    if (in->groups || !by->groups) add_cell(how, in, by);
    return (bench_suite){ scenarios, cell_count };
}
