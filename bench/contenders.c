/* Loading contenders, and the scenarios that measure them. */
#include "contenders.h"

#include <dlfcn.h>
#include <stdlib.h>

static struct {
    const contender *all[BENCH_MAX_CONTESTANTS];
    uint32_t count;
} known;

/* ---- Loading ------------------------------------------------------------------------------------------------------*/

static void add_contender(const contender *c, const char *path) {
    if (!c->name || !c->open || !c->close || !c->empty || !c->clear || !c->add)
        bench_fail("%s: a contender lacks a name, open, close, empty, clear or add", path);
    if (known.count == BENCH_MAX_CONTESTANTS)
        bench_fail("%s: %s is one contender too many; beside Covey's, %d can be measured at once", path, c->name,
                   BENCH_MAX_CONTESTANTS - BENCH_COVEY_CONTENDERS);
    known.all[known.count++] = c;
}

void bench_contenders_load(const char *path) {
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object) bench_fail("cannot load %s: %s", path, dlerror());
    contender_listing (*list)(void);
    *(void **)&list = dlsym(object, "contender_list"); /* as POSIX writes it */
    if (!list) bench_fail("%s does not export contender_list; see bench/contender.h", path);
    contender_listing listing = list();
    if (listing.version != CONTENDER_VERSION)
        bench_fail("%s was compiled for version %u of bench/contender.h, which is %d by now: compile it again", path,
                   listing.version, CONTENDER_VERSION);
    for (uint32_t i = known.count; i < BENCH_COVEY_CONTENDERS; i++)
        add_contender(&bench_covey_contenders[i], "covey-bench");
    for (const contender *const *c = listing.contenders; *c; c++) add_contender(*c, path);
}

/* ---- What contestants work with -----------------------------------------------------------------------------------*/

typedef struct fixture fixture;

/* What one of them gets. */
typedef struct part {
    const contender *contender;
    const fixture *fixture;
    const struct operation *operation;
    void *world;
} part;

struct fixture {
    part parts[BENCH_MAX_CONTESTANTS];
    uint32_t count; /* of these */
    uint32_t n;
    uint32_t *ordered, *order; /* all ids; the same in the order of the scenario */
};

static void *part_of(void *context, size_t number) { return &((fixture *)context)->parts[number]; }

/* ---- Operations ---------------------------------------------------------------------------------------------------*/

typedef struct operation {
    void (*prepare)(const part *p);
    uint64_t (*run)(const part *p);
    bool (*offered)(const contender *c);
    bool iterates;
} operation;

static void prepare_clear(const part *p) { p->contender->clear(p->world, 0); }
static void prepare_fill(const part *p) {
    prepare_clear(p);
    p->contender->add(p->world, 0, p->fixture->ordered, p->fixture->n);
}
static void prepare_empty(const part *p) { p->contender->empty(p->world); }
static void prepare_create(const part *p) {
    prepare_empty(p);
    p->contender->create(p->world);
}

static uint64_t run_add(const part *p) { return p->contender->add(p->world, 0, p->fixture->order, p->fixture->n); }
static uint64_t run_remove(const part *p) {
    return p->contender->remove(p->world, 0, p->fixture->order, p->fixture->n);
}
static uint64_t run_get(const part *p) { return p->contender->get(p->world, 0, p->fixture->order, p->fixture->n); }
static uint64_t run_has(const part *p) { return p->contender->has(p->world, 1, p->fixture->order, p->fixture->n); }
static uint64_t run_one(const part *p) { return p->contender->iterate(p->world, 1); }
static uint64_t run_two(const part *p) { return p->contender->iterate(p->world, 2); }
static uint64_t run_three(const part *p) { return p->contender->iterate(p->world, 3); }
static uint64_t run_create(const part *p) { return p->contender->create(p->world); }
static uint64_t run_create_many(const part *p) { return p->contender->create_many(p->world); }
static uint64_t run_destroy(const part *p) { return p->contender->destroy(p->world, p->fixture->order, p->fixture->n); }
static uint64_t run_destroy_many(const part *p) { return p->contender->destroy_many(p->world); }

static bool adds(const contender *c) { return c->add; }
static bool removes(const contender *c) { return c->remove; }
static bool gets(const contender *c) { return c->get; }
static bool asks(const contender *c) { return c->has; }
static bool iterates(const contender *c) { return c->iterate && c->get; }
static bool creates(const contender *c) { return c->create; }
static bool creates_many(const contender *c) { return c->create_many; }
static bool destroys(const contender *c) { return c->create && c->destroy; }
static bool destroys_many(const contender *c) { return c->create && c->destroy_many; }

static const operation adding = { prepare_clear, run_add, adds, false };
static const operation removing = { prepare_fill, run_remove, removes, false };
static const operation getting = { NULL, run_get, gets, false };
static const operation asking = { NULL, run_has, asks, false };
static const operation iterating1 = { NULL, run_one, iterates, true };
static const operation iterating2 = { NULL, run_two, iterates, true };
static const operation iterating3 = { NULL, run_three, iterates, true };
static const operation creating = { prepare_empty, run_create, creates, false };
static const operation creating_many = { prepare_empty, run_create_many, creates_many, false };
static const operation destroying = { prepare_create, run_destroy, destroys, false };
static const operation destroying_many = { prepare_create, run_destroy_many, destroys_many, false };

static void prepare_part(void *context) {
    const part *p = context;
    p->operation->prepare(p);
}

static uint64_t run_part(void *context) {
    const part *p = context;
    return p->operation->run(p);
}

/* ---- Scenarios ----------------------------------------------------------------------------------------------------*/

static void *open_worlds(const bench_scenario *scenario, uint32_t n);
static void close_worlds(void *context);

/* What a scenario is about: an operation, and whether the entities have components before. Half, and so on, have the
 * second type. */
static const struct {
    const char *name;
    const operation *operation;
    bool filled;
    bench_order order;
    uint32_t percent;
} list[] = {
    { "versus_iterate1", &iterating1, true, BENCH_ORDERED, 0 },
    { "versus_iterate2", &iterating2, true, BENCH_ORDERED, 0 },
    { "versus_iterate3", &iterating3, true, BENCH_ORDERED, 0 },
    { "versus_iterate2_shuffled", &iterating2, true, BENCH_SHUFFLED, 0 },
    { "versus_iterate2_50", &iterating2, true, BENCH_ORDERED, 50 },
    { "versus_iterate2_10", &iterating2, true, BENCH_ORDERED, 10 },
    { "versus_iterate2_1", &iterating2, true, BENCH_ORDERED, 1 },
    { "versus_get", &getting, true, BENCH_SHUFFLED, 0 },
    { "versus_has", &asking, true, BENCH_SHUFFLED, 0 },
    { "versus_add", &adding, false, BENCH_ORDERED, 0 },
    { "versus_add_shuffled", &adding, false, BENCH_SHUFFLED, 0 },
    { "versus_remove", &removing, false, BENCH_ORDERED, 0 },
    { "versus_remove_shuffled", &removing, false, BENCH_SHUFFLED, 0 },
    { "versus_create3", &creating, false, BENCH_ORDERED, 0 },
    { "versus_create3_many", &creating_many, false, BENCH_ORDERED, 0 },
    { "versus_destroy3", &destroying, false, BENCH_ORDERED, 0 },
    { "versus_destroy3_shuffled", &destroying, false, BENCH_SHUFFLED, 0 },
    { "versus_destroy3_many", &destroying_many, false, BENCH_ORDERED, 0 },
};

enum { SCENARIOS = sizeof list / sizeof *list };

static bench_scenario scenarios[SCENARIOS];
static bench_contestant contestants[SCENARIOS][BENCH_MAX_CONTESTANTS + 1];
static const contender *takers[SCENARIOS][BENCH_MAX_CONTESTANTS]; /* the ones that take part, in the order of
                                                                   * contestants */

static void make_scenario(uint32_t number) {
    const operation *what = list[number].operation;
    uint32_t count = 0;
    for (uint32_t i = 0; i < known.count; i++) {
        if (!what->offered(known.all[i])) continue;
        takers[number][count] = known.all[i];
        contestants[number][count++] = (bench_contestant){ .name = known.all[i]->name,
                                                           .prepare = what->prepare ? prepare_part : NULL,
                                                           .run = run_part };
    }
    scenarios[number] = (bench_scenario){
        .name = list[number].name,
        .storage = "block",
        .sizes = { 1000, 100000, 1000000 },
        .contestants = contestants[number],
        .open = open_worlds,
        .close = close_worlds,
        .part = part_of,
        .order = list[number].order,
        .percent = list[number].percent,
    };
}

bench_suite bench_contenders_suite(void) {
    if (known.count == 0) return (bench_suite){ NULL, 0 };
    for (uint32_t i = 0; i < SCENARIOS; i++) make_scenario(i);
    return (bench_suite){ scenarios, SCENARIOS };
}

/* ---- Worlds -------------------------------------------------------------------------------------------------------*/

static uint32_t *make_ids(uint32_t n) {
    uint32_t *ids = bench_alloc(n, sizeof *ids);
    for (uint32_t i = 0; i < n; i++) ids[i] = i;
    return ids;
}

static void shuffle(uint32_t *ids, uint32_t count, uint64_t seed) {
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = bench_random(&seed, i), moved = ids[i - 1];
        ids[i - 1] = ids[j];
        ids[j] = moved;
    }
}

static int compare_ids(const void *a, const void *b) {
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/* All have the first type, in the order of the scenario, and the third; some, or half where that is asked for, have the
 * second, in an order of its own if the scenario has one. */
static void fill(const fixture *f, const bench_scenario *scenario) {
    uint32_t *second = make_ids(f->n), count = f->n;
    bool half = list[scenario - scenarios].operation == &asking;
    if (scenario->percent || half) count = (uint32_t)((uint64_t)f->n * (half ? 50 : scenario->percent) / 100);
    shuffle(second, f->n, 7);
    if (scenario->order != BENCH_SHUFFLED) qsort(second, count, sizeof *second, compare_ids);
    for (uint32_t i = 0; i < f->count; i++) {
        const part *p = &f->parts[i];
        p->contender->add(p->world, 0, f->order, f->n);
        p->contender->add(p->world, 1, second, count);
        p->contender->add(p->world, 2, f->ordered, f->n);
    }
    free(second);
}

/* After one iteration, all contenders have the same values; otherwise one of them has not done the same work. */
static void compare_values(fixture *f, const bench_scenario *scenario) {
    bench_run_each(scenario, f);
    uint64_t first = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        const part *p = &f->parts[i];
        uint64_t sum = p->contender->get(p->world, 0, f->ordered, f->n);
        if (i == 0) first = sum;
        if (sum != first)
            bench_fail("%s, n = %u: the values of %s add up to %llu, but those of %s to %llu", scenario->name, f->n,
                       p->contender->name, (unsigned long long)sum, f->parts[0].contender->name,
                       (unsigned long long)first);
    }
}

static void *open_worlds(const bench_scenario *scenario, uint32_t n) {
    const operation *what = list[scenario - scenarios].operation;
    fixture *f = bench_alloc(1, sizeof *f);
    f->n = n;
    f->ordered = make_ids(n);
    f->order = make_ids(n);
    if (scenario->order == BENCH_SHUFFLED) shuffle(f->order, n, 3);
    for (; scenario->contestants[f->count].name; f->count++) {
        const contender *c = takers[scenario - scenarios][f->count];
        f->parts[f->count] = (part){ c, f, what, c->open(n) };
        if (!f->parts[f->count].world) bench_fail("%s could not make a world of %u entities", c->name, n);
    }
    if (list[scenario - scenarios].filled) fill(f, scenario);
    if (what->iterates) compare_values(f, scenario);
    return f;
}

static void close_worlds(void *context) {
    fixture *f = context;
    for (uint32_t i = 0; i < f->count; i++) f->parts[i].contender->close(f->parts[i].world);
    free(f->ordered);
    free(f->order);
    free(f);
}
