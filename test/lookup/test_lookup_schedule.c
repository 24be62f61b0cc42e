/* Lookups in schedules: several systems ask at the same time what others wrote before, and the answers are the same for
 * every number of threads. */
#include "scheduled.h"

#include <covey/fields.h>
#include <covey/lookup.h>

typedef struct Spot {
    double x, y;
    covey_entity owner;
    int32_t number;
    char name[8];
} Spot;
COVEY_FIELDS_DEFINE(Spot, f64(x), f64(y), entity(owner), i32(number), array(character, name));
typedef Spot Block;
typedef Spot Sparse;
typedef struct Asker {
    uint64_t sum;
} Asker;
#define FIELDS .fields = &covey_fields_Spot, .ticks = true
COVEY_COMPONENT_DEFINE(Block, FIELDS);
COVEY_COMPONENT_DEFINE(Sparse, FIELDS, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Asker);

enum { COUNT = COVEY_INDEX_BITS > 16 ? 2000 : 500, RUNS = 6, QUESTIONS = 4 };
static covey_entity e[COUNT];

/* What the systems of a schedule share. */
typedef struct course {
    const covey_type *type;
    covey_lookup *places, *owners, *numbers, *names;
    uint64_t sums[QUESTIONS];
    uint32_t run;
} course;

/* The padding is zero, too: digests are of all bytes. */
static Spot spot_at(double x, double y, int32_t number, covey_entity owner) {
    Spot spot;
    memset(&spot, 0, sizeof spot);
    spot.x = x;
    spot.y = y;
    spot.number = number;
    spot.owner = owner;
    return spot;
}

static uint64_t add(uint64_t sum, uint64_t number) { return (sum ^ number) * UINT64_C(0x9E3779B97F4A7C15) + 1; }

static uint64_t add_all(uint64_t sum, covey_search search) {
    while (covey_search_next(&search))
        for (uint32_t i = 0; i < search.count; i++) sum = add(sum, search.entities[i].index);
    return sum;
}

/* ---- Systems that write ------------------------------------------------------------------------------------------*/

static void change(Spot *spot, uint32_t index, uint32_t run) {
    test_random random = { index * 1000003 + run };
    spot->x += test_below(&random, 100) * 0.01;
    spot->y += test_below(&random, 100) * 0.01;
    spot->number = (int32_t)test_below(&random, 50);
    spot->owner = e[test_below(&random, 40)];
    spot->name[0] = (char)('a' + test_below(&random, 20));
}

/* Over spans, in several pieces. */
static void write_spans(covey_job *job, void *context) {
    const course *c = context;
    while (covey_next(&job->it)) {
        Spot *spots = covey_field_raw(&job->it, 0);
        for (uint32_t i = 0; i < job->it.count; i++)
            if (i % 3 != 0) change(&spots[i], covey_span_entity(&job->it, i).index, c->run);
    }
}

/* Over rows, and asks meanwhile. */
static void write_rows(covey_job *job, void *context) {
    course *c = context;
    covey_row row = { 0 };
    while (covey_next_row(&job->it, &row)) {
        Spot *spot = covey_row_field_raw(&job->it, row, 0);
        uint32_t index = covey_row_entity(&job->it, row).index;
        if (index % 7 != 0) continue;
        spot->number = 1000;
        if (covey_lookup_count(c->numbers, &(int32_t){ 1000 }) != 1) c->sums[0] = 0;
        change(spot, index, c->run + 100);
    }
}

/* Records what changes structure: it is replayed before the systems that ask. */
static void record(covey_job *job, void *context) {
    const course *c = context;
    for (covey_row row = { 0 }; covey_next_row(&job->it, &row);) {
        covey_entity at = covey_row_entity(&job->it, row);
        Spot spot = spot_at(at.index % 30, c->run, (int32_t)c->run, e[at.index % 9]);
        if (at.index % 11 == c->run) covey_record_remove_raw(job->commands, at, c->type);
        if (at.index % 11 == c->run + 3) covey_record_set_raw(job->commands, at, c->type, &spot);
    }
}

/* ---- Systems that ask --------------------------------------------------------------------------------------------*/

static void ask_pairs(covey_job *job, void *context) {
    course *c = context;
    covey_pairs pairs = covey_lookup_pairs(c->places, 0.6);
    (void)job;
    while (covey_pairs_next(&pairs))
        for (uint32_t i = 0; i < pairs.count; i++)
            c->sums[0] = add(c->sums[0], (uint64_t)pairs.a[i].index << 32 | pairs.b[i].index);
}
static void ask_owners(covey_job *job, void *context) {
    course *c = context;
    (void)job;
    for (uint32_t i = 0; i < 40; i++) {
        c->sums[1] = add(c->sums[1], covey_lookup_count(c->owners, &e[i]));
        c->sums[1] = add_all(c->sums[1], covey_lookup_find(c->owners, &e[i]));
    }
    c->sums[1] = add_all(c->sums[1], covey_lookup_find_below(c->owners, e[3]));
}
static void ask_numbers(covey_job *job, void *context) {
    course *c = context;
    (void)job;
    for (int32_t i = 0; i < 50; i += 7)
        c->sums[2] = add_all(c->sums[2], covey_lookup_range(c->numbers, &i, &(int32_t){ i + 3 }));
    c->sums[2] = add(c->sums[2], covey_lookup_first(c->numbers).index);
}
static void ask_names(covey_job *job, void *context) {
    course *c = context;
    (void)job;
    c->sums[3] = add_all(c->sums[3], covey_lookup_range(c->names, "c", "k"));
    c->sums[3] = add_all(c->sums[3], covey_lookup_find(c->names, "m"));
    c->sums[3] = add(c->sums[3], covey_lookup_size(c->names));
}

/* Pieces that ask at the same time, each for its own rows. */
static void ask_near(covey_job *job, void *context) {
    const course *c = context;
    while (covey_next(&job->it)) {
        Asker *askers = covey_field(&job->it, 0, Asker);
        for (uint32_t i = 0; i < job->it.count; i++) {
            double point[2] = { covey_span_entity(&job->it, i).index % 30, 3 };
            covey_entity near[5];
            uint32_t count = covey_lookup_nearest(c->places, point, 5, near, NULL, 5);
            for (uint32_t k = 0; k < count; k++) askers[i].sum = add(askers[i].sum, near[k].index);
        }
    }
}

/* ---- Runs --------------------------------------------------------------------------------------------------------*/

static covey_system asking(const course *c, const char *name, covey_system_fn *run, void *context) {
    return (covey_system){ .name = name, .run = run, .context = context, .reads = { c->type } };
}

static covey_system over_type(const course *c, const char *name, covey_system_fn *run, void *context) {
    return (covey_system){ .name = name, .run = run, .context = context, .view.with = { c->type } };
}

static void add_systems(covey_schedule *schedule, course *c) {
    covey_system spans = over_type(c, "spans", write_spans, c), recorder = over_type(c, "record", record, c);
    spans.piece = recorder.piece = 128;
    spans.split = recorder.split = true;
    recorder.view.read[0] = c->type;
    add_system(schedule, recorder);
    assert_int_equal(covey_phase_add(schedule, &(covey_phase){ .name = "then" }), COVEY_OK);
    add_system(schedule, asking(c, "early owners", ask_owners, c)); /* right after the replay */
    add_system(schedule, asking(c, "early names", ask_names, c));
    add_system(schedule, spans);
    add_system(schedule, asking(c, "pairs", ask_pairs, c));
    add_system(schedule, asking(c, "owners", ask_owners, c));
    add_system(schedule, asking(c, "numbers", ask_numbers, c));
    add_system(schedule, asking(c, "names", ask_names, c));
    covey_system near = {
        .name = "near", .run = ask_near, .context = c, .view.with = { covey_id(Asker) }, .reads = { c->type }
    };
    near.split = true;
    near.piece = 64;
    add_system(schedule, near);
    add_system(schedule, over_type(c, "rows", write_rows, c));
    add_system(schedule, asking(c, "late pairs", ask_pairs, c));
    add_system(schedule, asking(c, "late numbers", ask_numbers, c));
}

static void make_world(course *c) {
    assert_int_equal(world_setup(NULL), 0);
    for (uint32_t i = 0; i < COUNT; i++) {
        Spot spot = spot_at(i % 37, i % 41, (int32_t)i % 50, i > 40 ? e[i % 40] : COVEY_NULL);
        e[i] = covey_create(world);
        if (i % 4 != 0) assert_non_null(covey_add_raw(world, e[i], c->type, &spot));
        if (i % 3 != 0) assert_non_null(covey_add(world, e[i], Asker, { 0 }));
    }
    c->places = covey_lookup_create(world, &(covey_lookup_desc){ .type = c->type, .place = { "x", "y" }, .cell = 1 });
    c->owners = covey_lookup_create(world, &(covey_lookup_desc){ .type = c->type, .field = "owner" });
    c->numbers =
        covey_lookup_create(world, &(covey_lookup_desc){ .type = c->type, .field = "number", .ordered = true });
    c->names = covey_lookup_create(world, &(covey_lookup_desc){ .type = c->type, .field = "name", .ordered = true });
    assert_true(c->places && c->owners && c->numbers && c->names);
}

static uint64_t run_course(const covey_type *type, uint32_t threads) {
    course c = { .type = type };
    make_world(&c);
    covey_schedule *schedule = schedule_on(threads);
    add_systems(schedule, &c);
    for (c.run = 0; c.run < RUNS; c.run++) {
        run_well(schedule);
        test_world_is_valid(world);
    }
    uint64_t sum = world_digest(world);
    for (uint32_t i = 0; i < QUESTIONS; i++) {
        assert_true(c.sums[i] != 0);
        sum = add(sum, c.sums[i]);
    }
    covey_schedule_destroy(schedule);
    world_teardown(NULL);
    return sum;
}

static void test_systems_that_ask_at_the_same_time(void **state) {
    static const covey_type *const types[] = { covey_id(Block), covey_id(Sparse) };
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t sum = run_course(types[i], 1);
        for (uint32_t threads = 2; threads <= 8; threads++) assert_true(run_course(types[i], threads) == sum);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_systems_that_ask_at_the_same_time) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
