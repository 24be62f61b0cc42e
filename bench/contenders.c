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
    uint32_t *sets;            /* mixed worlds: the types of each entity, by number */
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

/* Of mixed worlds: some entities get the late type. Each run of `create` finds a world without entities. */
static uint32_t late_count(const part *p) { return p->fixture->n / 10; }
static uint64_t run_systems(const part *p) { return p->contender->mixed->run(p->world); }
static uint64_t run_late_add(const part *p) {
    return p->contender->mixed->add(p->world, CONTENDER_LATE_TYPE, p->fixture->order, late_count(p));
}
static uint64_t run_late_remove(const part *p) {
    return p->contender->mixed->remove(p->world, CONTENDER_LATE_TYPE, p->fixture->order, late_count(p));
}
static uint64_t run_mixed_create(const part *p) {
    return p->contender->mixed->create(p->world, p->fixture->ordered, p->fixture->sets, p->fixture->n);
}
static uint64_t run_mixed_destroy(const part *p) {
    return p->contender->mixed->destroy(p->world, p->fixture->order, p->fixture->n);
}
static void prepare_late_add(const part *p) { run_late_remove(p); }
static void prepare_late_remove(const part *p) { run_late_add(p); }
static void prepare_mixed_create(const part *p) { run_mixed_destroy(p); }
static void prepare_mixed_destroy(const part *p) { run_mixed_create(p); }

static bool adds(const contender *c) { return c->add; }
static bool removes(const contender *c) { return c->remove; }
static bool gets(const contender *c) { return c->get; }
static bool asks(const contender *c) { return c->has; }
static bool iterates(const contender *c) { return c->iterate && c->get; }
static bool creates(const contender *c) { return c->create; }
static bool creates_many(const contender *c) { return c->create_many; }
static bool destroys(const contender *c) { return c->create && c->destroy; }
static bool destroys_many(const contender *c) { return c->create && c->destroy_many; }

static bool mixes(const contender *c) { return c->mixed; }

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

static const operation systems = { NULL, run_systems, mixes, false };
static const operation late_adding = { prepare_late_add, run_late_add, mixes, false };
static const operation late_removing = { prepare_late_remove, run_late_remove, mixes, false };
static const operation mixed_creating = { prepare_mixed_create, run_mixed_create, mixes, false };
static const operation mixed_destroying = { prepare_mixed_destroy, run_mixed_destroy, mixes, false };

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

/* What happens in a mixed world before it is measured. */
typedef void mix_fn(fixture *f, const uint32_t *kinds, uint64_t *random);
static mix_fn mix_fresh, mix_churned, mix_changed, mix_late, mix_gone;

/* What a scenario is about: an operation, and whether the entities have components before. Half, and so on, have the
 * second type. */
static const struct {
    const char *name;
    const operation *operation;
    bool filled;
    bench_order order;
    uint32_t percent;
    mix_fn *mix; /* NULL: no mixed world */
} list[] = {
    { "versus_iterate1", &iterating1, true, BENCH_ORDERED, 0, NULL },
    { "versus_iterate2", &iterating2, true, BENCH_ORDERED, 0, NULL },
    { "versus_iterate3", &iterating3, true, BENCH_ORDERED, 0, NULL },
    { "versus_iterate2_shuffled", &iterating2, true, BENCH_SHUFFLED, 0, NULL },
    { "versus_iterate2_50", &iterating2, true, BENCH_ORDERED, 50, NULL },
    { "versus_iterate2_10", &iterating2, true, BENCH_ORDERED, 10, NULL },
    { "versus_iterate2_1", &iterating2, true, BENCH_ORDERED, 1, NULL },
    { "versus_get", &getting, true, BENCH_SHUFFLED, 0, NULL },
    { "versus_has", &asking, true, BENCH_SHUFFLED, 0, NULL },
    { "versus_add", &adding, false, BENCH_ORDERED, 0, NULL },
    { "versus_add_shuffled", &adding, false, BENCH_SHUFFLED, 0, NULL },
    { "versus_remove", &removing, false, BENCH_ORDERED, 0, NULL },
    { "versus_remove_shuffled", &removing, false, BENCH_SHUFFLED, 0, NULL },
    { "versus_create3", &creating, false, BENCH_ORDERED, 0, NULL },
    { "versus_create3_many", &creating_many, false, BENCH_ORDERED, 0, NULL },
    { "versus_destroy3", &destroying, false, BENCH_ORDERED, 0, NULL },
    { "versus_destroy3_shuffled", &destroying, false, BENCH_SHUFFLED, 0, NULL },
    { "versus_destroy3_many", &destroying_many, false, BENCH_ORDERED, 0, NULL },
    { "versus_kinds64_iterate", &systems, .order = BENCH_SHUFFLED, .mix = mix_fresh },
    { "versus_kinds64_churned", &systems, .order = BENCH_SHUFFLED, .mix = mix_churned },
    { "versus_kinds64_changed", &systems, .order = BENCH_SHUFFLED, .mix = mix_changed },
    { "versus_kinds64_add", &late_adding, .order = BENCH_SHUFFLED, .mix = mix_late },
    { "versus_kinds64_remove", &late_removing, .order = BENCH_SHUFFLED, .mix = mix_fresh },
    { "versus_kinds64_create", &mixed_creating, .order = BENCH_SHUFFLED, .mix = mix_fresh },
    { "versus_kinds64_destroy", &mixed_destroying, .order = BENCH_SHUFFLED, .mix = mix_gone },
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
        .contestants = contestants[number],
        .open = open_worlds,
        .close = close_worlds,
        .part = part_of,
        .order = list[number].order,
        .percent = list[number].percent,
        .per_result = list[number].mix, /* matches, or calls */
    };
    static const uint32_t sizes[] = { 64, 1000, 100000, 1000000 };
    size_t first = list[number].mix ? 1 : 0; /* there are as many kinds */
    memcpy(scenarios[number].sizes, sizes + first, sizeof sizes - first * sizeof *sizes);
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

/* ---- Mixed worlds -------------------------------------------------------------------------------------------------*/

enum { KINDS = 64, CREATED_TYPES = CONTENDER_LATE_TYPE, CHURNED_TIMES = 10, VALUES_UP_TO = 100000 };

/* The kinds of kinds64_iterate: different sets, none of them empty; each type is in four of ten. */
static void draw_kinds(uint32_t kinds[KINDS]) {
    bool drawn[1 << CREATED_TYPES] = { true };
    uint64_t random = KINDS; /* the same kinds whatever n is */
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        uint32_t has = 0;
        while (drawn[has]) {
            has = 0;
            for (uint32_t t = 0; t < CREATED_TYPES; t++) has |= (bench_random(&random, 10) < 4 ? 1u : 0u) << t;
        }
        drawn[has] = true;
        kinds[kind] = has;
    }
}

static void create_mixed(const fixture *f, const uint32_t *ids, uint32_t count) {
    uint32_t *sets = bench_alloc(count, sizeof *sets);
    for (uint32_t i = 0; i < count; i++) sets[i] = f->sets[ids[i]];
    for (uint32_t i = 0; i < f->count; i++) f->parts[i].contender->mixed->create(f->parts[i].world, ids, sets, count);
    free(sets);
}

static void draw_sets(fixture *f, const uint32_t *ids, uint32_t count, const uint32_t *kinds, uint64_t *random) {
    for (uint32_t i = 0; i < count; i++) f->sets[ids[i]] = kinds[bench_random(random, KINDS)];
}

static void mix_fresh(fixture *f, const uint32_t *kinds, uint64_t *random) {
    draw_sets(f, f->ordered, f->n, kinds, random);
    create_mixed(f, f->ordered, f->n);
}

/* A random half is destroyed and made anew, of other kinds. */
static void mix_churned(fixture *f, const uint32_t *kinds, uint64_t *random) {
    mix_fresh(f, kinds, random);
    for (uint32_t times = 0; times < CHURNED_TIMES; times++) {
        shuffle(f->order, f->n, bench_random(random, UINT32_MAX));
        for (uint32_t i = 0; i < f->count; i++)
            f->parts[i].contender->mixed->destroy(f->parts[i].world, f->order, f->n / 2);
        draw_sets(f, f->order, f->n / 2, kinds, random);
        create_mixed(f, f->order, f->n / 2);
    }
}

/* Each of a random tenth loses a component of a random type, or gets it. */
static void mix_changed(fixture *f, const uint32_t *kinds, uint64_t *random) {
    mix_fresh(f, kinds, random);
    for (const uint32_t *id = f->order; id < f->order + f->n / 10; id++) {
        uint32_t type = bench_random(random, CREATED_TYPES);
        for (uint32_t i = 0; i < f->count; i++) {
            const contender_mixed *mixed = f->parts[i].contender->mixed;
            (f->sets[*id] >> type & 1 ? mixed->remove : mixed->add)(f->parts[i].world, type, id, 1);
        }
        f->sets[*id] ^= 1u << type;
    }
}

/* As a run of `late_adding` leaves it, and of `mixed_destroying`. */
static void mix_late(fixture *f, const uint32_t *kinds, uint64_t *random) {
    mix_fresh(f, kinds, random);
    for (uint32_t i = 0; i < f->count; i++) run_late_add(&f->parts[i]);
}
static void mix_gone(fixture *f, const uint32_t *kinds, uint64_t *random) {
    mix_fresh(f, kinds, random);
    for (uint32_t i = 0; i < f->count; i++) run_mixed_destroy(&f->parts[i]);
}

/* A number of all values; the same for all contenders that have done the same work. */
static uint64_t mixed_values(const fixture *f, const part *p) {
    uint64_t hash = 0;
    for (uint32_t id = 0; id < f->n; id++)
        for (uint32_t t = 0; t < CREATED_TYPES; t++)
            if (f->sets[id] >> t & 1) hash = hash * 31 + p->contender->mixed->get(p->world, t, &id, 1);
    return hash;
}

static void compare_mixed(const fixture *f, const bench_scenario *scenario) {
    uint64_t matches = 0, values = 0;
    for (const part *p = f->parts; p < f->parts + f->count; p++) {
        uint64_t matched = run_systems(p), valued = f->n <= VALUES_UP_TO ? mixed_values(f, p) : 0;
        if (p == f->parts) matches = matched, values = valued;
        if (matched != matches || valued != values)
            bench_fail("%s, n = %u: %s has other matches or values than %s", scenario->name, f->n, p->contender->name,
                       f->parts[0].contender->name);
    }
}

static void mix(fixture *f, const bench_scenario *scenario) {
    uint32_t kinds[KINDS];
    uint64_t random = f->n;
    draw_kinds(kinds);
    f->sets = bench_alloc(f->n, sizeof *f->sets);
    list[scenario - scenarios].mix(f, kinds, &random);
    if (list[scenario - scenarios].operation == &systems) compare_mixed(f, scenario);
}

/* ---- Opening and closing ------------------------------------------------------------------------------------------*/

static void *open_world(const contender *c, const bench_scenario *scenario, uint32_t n) {
    void *world = list[scenario - scenarios].mix ? c->mixed->open(n) : c->open(n);
    if (!world) bench_fail("%s could not make a world of %u entities", c->name, n);
    return world;
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
        f->parts[f->count] = (part){ c, f, what, open_world(c, scenario, n) };
    }
    if (list[scenario - scenarios].mix) mix(f, scenario);
    if (list[scenario - scenarios].filled) fill(f, scenario);
    if (what->iterates) compare_values(f, scenario);
    return f;
}

static void close_worlds(void *context) {
    fixture *f = context;
    for (const part *p = f->parts; p < f->parts + f->count; p++)
        (f->sets ? p->contender->mixed->close : p->contender->close)(p->world);
    free(f->ordered);
    free(f->order);
    free(f->sets);
    free(f);
}
