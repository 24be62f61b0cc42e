/* Runs a schedule on one thread and on three, and prints a number for the bytes of the images after each run. It is the
 * same for both, with every compiler, whatever the sizes and the byte order of the machine. test/portable/run.sh
 * compares them. */
#include "tools.h"

#include <covey/fields.h>
#include <covey/schedule.h>
#include <covey/image.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Place {
    int32_t x;
    int64_t y;
} Place;
typedef struct Speed {
    int16_t x, y;
} Speed;
typedef struct Goal {
    covey_entity who;
    uint32_t near;
} Goal;
COVEY_FIELDS_DEFINE(Place, i32(x), i64(y));
COVEY_FIELDS_DEFINE(Speed, i16(x), i16(y));
COVEY_FIELDS_DEFINE(Goal, entity(who), u32(near));
COVEY_COMPONENT_DEFINE(Place, .fields = &covey_fields_Place, .ticks = true);
COVEY_COMPONENT_DEFINE(Speed, .fields = &covey_fields_Speed, .storage = COVEY_STORAGE_SPARSE, .ticks = true);
COVEY_COMPONENT_DEFINE(Goal, .fields = &covey_fields_Goal, .storage = COVEY_STORAGE_SPARSE);

enum { ENTITIES = 3000, RUNS = 24 };

/* What pieces add up: quarters, which every machine adds exactly, and a number that depends on the order. */
typedef struct Sum {
    double quarters;
    uint64_t chain;
} Sum;

static void fail(const char *why) {
    fprintf(stderr, "%s\n", why);
    exit(EXIT_FAILURE);
}

static uint64_t mix(uint64_t digest, uint64_t number) {
    for (uint32_t shift = 0; shift < 64; shift += 8)
        digest = (digest ^ (number >> shift & 0xFF)) * UINT64_C(0x100000001B3);
    return digest;
}

/* A number for an entity in a run, from which all decisions are made. */
static uint32_t number_of(const covey_job *job, covey_entity e, uint32_t salt) {
    test_random random = { (uint64_t)e.generation << 40 | (uint64_t)salt << 56 | e.index };
    random.state += job->run * 1000003;
    return test_next(&random);
}

/* ---- Systems ------------------------------------------------------------------------------------------------------*/

static void move(covey_job *job, void *context) {
    (void)context;
    while (covey_next(&job->it)) {
        Place *places = covey_field(&job->it, 0, Place);
        const Speed *speeds = covey_field_const(&job->it, 1, Speed);
        for (uint32_t i = 0; i < job->it.count; i++) {
            places[i].x += speeds[i].x;
            places[i].y += (int64_t)speeds[i].y * places[i].x;
        }
    }
}

static void sum(covey_job *job, void *context) {
    Sum *to = job->scratch;
    (void)context;
    for (covey_row row = { 0 }; covey_next_row(&job->it, &row);) {
        const Place *place = covey_row_field_const(&job->it, row, 0, Place);
        to->quarters += (double)(place->x % 1000) / 4;
        to->chain = mix(to->chain, (uint64_t)place->y + covey_row_entity(&job->it, row).index);
    }
}

static void add_sums(void *total, const void *scratch, void *context) {
    Sum *to = total;
    const Sum *from = scratch;
    (void)context;
    to->quarters += from->quarters;
    to->chain = mix(to->chain, from->chain);
}

static void spawn(covey_job *job, void *context) {
    uint32_t made = 0;
    (void)context;
    for (covey_row row = { 0 }; covey_next_row(&job->it, &row);) {
        covey_entity e = covey_row_entity(&job->it, row);
        uint32_t number = number_of(job, e, 1);
        if (number % 40 != 0 || made == 8) continue;
        covey_entity child = covey_record_create(job->commands);
        made++;
        covey_record_add(job->commands, child, Place, { (int32_t)(number % 100), number });
        covey_record_add(job->commands, child, Goal, { e, number % 50 });
    }
}

static void thin(covey_job *job, void *context) {
    (void)context;
    for (covey_row row = { 0 }; covey_next_row(&job->it, &row);) {
        covey_entity e = covey_row_entity(&job->it, row);
        uint32_t number = number_of(job, e, 2);
        if (number % 60 == 0) covey_record_destroy(job->commands, e);
        else if (number % 60 == 1) covey_record_remove(job->commands, e, Speed);
        else if (number % 60 < 5) covey_record_set(job->commands, e, Speed, { (int16_t)(number % 9), 1 });
    }
}

/* Alone: what others record is there, and structure may change. */
static void refill(covey_job *job, void *context) {
    (void)context;
    for (uint32_t i = 0; i < 30; i++) {
        covey_entity e = covey_create(job->world);
        covey_add(job->world, e, Place, { (int32_t)i, (int64_t)job->run });
        if (i % 2 == 0) covey_add(job->world, e, Speed, { 1, (int16_t)i });
    }
}

#define ADD(...) \
    if (covey_system_add(schedule, &(covey_system){ __VA_ARGS__ }) != COVEY_OK) fail(covey_schedule_failure(schedule))

static covey_schedule *make_schedule(covey_world *world, uint32_t threads, Sum *total) {
    covey_schedule *schedule = covey_schedule_create(world, &(covey_schedule_desc){ .threads = threads });
    if (!schedule) fail("no schedule");
    ADD(.name = "sum", .run = sum, .split = true, .piece = 64, .scratch = sizeof *total, .merge = add_sums,
        .total = total, .view = { .with = { covey_id(Place) }, .read = { covey_id(Place) } });
    ADD(.name = "move", .run = move, .split = true, .piece = 200,
        .view = { .with = { covey_id(Place), covey_id(Speed) }, .read = { covey_id(Speed) } });
    ADD(.name = "spawn", .run = spawn, .split = true, .piece = 128, .creates = 8,
        .view = { .with = { covey_id(Speed) }, .read = { covey_id(Speed) } });
    ADD(.name = "refill", .run = refill, .every = 3, .exclusive = true);
    if (covey_phase_add(schedule, &(covey_phase){ .name = "steps", .step = 0.5 }) != COVEY_OK) fail("no phase");
    ADD(.name = "thin", .run = thin, .split = true,
        .view = {
            .with = { covey_id(Place) }, .optional = { covey_id(Goal) }, .read = { covey_id(Place), covey_id(Goal) } });
    return schedule;
}

/* ---- Digests ------------------------------------------------------------------------------------------------------*/

static uint64_t mix_image(uint64_t digest, covey_world *world) {
    covey_buffer image = { 0 };
    covey_report report;
    if (covey_save_to_buffer(world, &image, NULL, &report) != COVEY_OK) fail(report.text);
    for (size_t i = 0; i < image.size; i++) digest = (digest ^ image.bytes[i]) * UINT64_C(0x100000001B3);
    covey_buffer_free(&image);
    return digest;
}

static void populate(covey_world *world) {
    test_random random = { 7 };
    for (uint32_t i = 0; i < ENTITIES; i++) {
        covey_entity e = covey_create(world);
        uint32_t number = test_next(&random);
        if (covey_is_null(e)) return; /* constants of one's own may leave few indices */
        covey_add(world, e, Place, { (int32_t)(number % 2000), (int64_t)number });
        if (i % 3 != 0) covey_add(world, e, Speed, { (int16_t)(number % 7), (int16_t)(number % 5) });
        if (COVEY_INDEX_BITS < 16 && i == 300) return;
    }
}

static uint64_t digest_on(uint32_t threads) {
    covey_world *world = covey_world_create(NULL);
    uint64_t digest = UINT64_C(0xCBF29CE484222325);
    Sum total = { 0 };
    const char *why = NULL;
    if (!world) fail("no memory for a world");
    populate(world);
    covey_schedule *schedule = make_schedule(world, threads, &total);
    for (uint32_t run = 0; run < RUNS; run++) {
        covey_tick_advance(world);
        covey_result result = covey_schedule_run_for(schedule, 0.375);
        if (!covey_world_validate(world, &why)) fail(why);
        digest = mix(digest, (uint64_t)result);
        digest = mix(mix(digest, total.chain), (uint64_t)(int64_t)(total.quarters * 4));
        digest = mix_image(digest, world);
    }
    printf("program with systems, %" PRIu32 " threads, %" PRIu32 " entities: %016" PRIx64 "\n", threads,
           covey_entity_count(world), digest);
    covey_schedule_destroy(schedule);
    covey_world_destroy(world);
    return digest;
}

int main(void) {
    uint64_t one = digest_on(1), three = digest_on(3);
    if (one != three) fail("the number of threads shows");
    return EXIT_SUCCESS;
}
