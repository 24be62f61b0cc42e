/* Structural changes from systems: bodies record them, each piece into its own buffer, and the schedule replays
 * the buffers at the next sync point in the order of systems, then pieces. Ids are the same for every number of
 * threads. */
#include <covey/schedule.h>
#include <stdio.h>
#include <stdlib.h>

typedef int Fuse;           /* frames until it is burnt down */
typedef covey_entity Spark; /* the rocket that left it */
COVEY_COMPONENT_DEFINE(Fuse);
COVEY_COMPONENT_DEFINE(Spark);

enum { ROCKETS = 640, PIECE = 64, SPARKS = 2 };

/* A rocket whose fuse has burnt down is destroyed, and leaves sparks. An entity that is recorded has its handle at
 * once: `.creates` says how many a piece needs at most. */
static void burn(covey_job *job, void *context) {
    (void)context;
    while (covey_next(&job->it)) {
        Fuse *fuse = covey_field(&job->it, 0, Fuse);
        for (uint32_t i = 0; i < job->it.count; i++) {
            if (--fuse[i] > 0) continue;
            covey_entity rocket = covey_span_entity(&job->it, i);
            for (int k = 0; k < SPARKS; k++) {
                covey_entity spark = covey_record_create(job->commands);
                covey_record_add_value(job->commands, spark, Spark, &rocket);
            }
            covey_record_destroy(job->commands, rocket);
        }
    }
}

/* Sparks of the same run exist here: the phase begins with a sync point. */
static void count(covey_job *job, void *context) {
    uint32_t *sparks = context;
    while (covey_next(&job->it)) *sparks += job->it.count;
}

/* Runs until all rockets are destroyed. Returns a checksum of all handles. */
static uint64_t run(uint32_t threads) {
    uint32_t sparks = 0;
    uint64_t digest = 0;
    covey_world *world = covey_world_create(NULL);
    covey_schedule *schedule = covey_schedule_create(world, &(covey_schedule_desc){ .threads = threads });
    covey_system burning = { .name = "burn",
                             .run = burn,
                             .view = { .with = { covey_id(Fuse) } },
                             .split = true,
                             .piece = PIECE,
                             .creates = PIECE * SPARKS };
    covey_system counting = { .name = "count",
                              .run = count,
                              .context = &sparks,
                              .view = { .with = { covey_id(Spark) }, .read = { covey_id(Spark) } } };
    if (!schedule || covey_system_add(schedule, &burning) ||
        covey_phase_add(schedule, &(covey_phase){ .name = "counting" }) || covey_system_add(schedule, &counting))
        exit(EXIT_FAILURE);
    for (int i = 0; i < ROCKETS; i++) covey_add(world, covey_create(world), Fuse, { 1 + i * 7 % 5 });
    for (int frame = 0; frame < 5; frame++) {
        sparks = 0;
        if (covey_schedule_run(schedule) != COVEY_OK) exit(EXIT_FAILURE);
        printf("%6u", sparks);
    }
    const covey_pool *pool = covey_pool_find(world, Spark);
    for (uint32_t p = covey_pool_next(pool, 0); p != COVEY_NONE; p = covey_pool_next(pool, p + 1)) {
        covey_entity e = covey_pool_at(pool, p), from = *covey_pool_value_at(pool, p, Spark);
        digest = digest * 31 + e.index + from.index * 7 + e.generation;
    }
    covey_schedule_destroy(schedule);
    covey_world_destroy(world);
    printf("  sparks with %u threads, digest %016llx\n", threads, (unsigned long long)digest);
    return sparks == ROCKETS * SPARKS ? digest : 0;
}

int main(void) {
    uint64_t one = run(1), two = run(2), five = run(5);
    return one != 0 && one == two && one == five ? EXIT_SUCCESS : EXIT_FAILURE;
}
