/* What fails in a schedule, and how to continue: a body that reports a failure, a command that cannot be done. */
#include <covey/schedule.h>
#include <stdio.h>
#include <stdlib.h>

typedef int Coins;
COVEY_COMPONENT_DEFINE(Coins);
COVEY_TAG_DEFINE(Poor);

/* A body fails with a result of its choice. The run ends after the next sync point. */
static void pay(covey_job *job, void *context) {
    const int *price = context;
    while (covey_next(&job->it)) {
        Coins *coins = covey_field(&job->it, 0, Coins);
        for (uint32_t i = 0; i < job->it.count; i++) {
            if (coins[i] < *price) job->result = COVEY_ERROR_RANGE;
            else coins[i] -= *price;
        }
    }
}

/* Adds a tag to all: the command fails for an entity that has it already. */
static void mark(covey_job *job, void *context) {
    (void)context;
    while (covey_next(&job->it))
        for (uint32_t i = 0; i < job->it.count; i++)
            covey_record_add_tag(job->commands, covey_span_entity(&job->it, i), Poor);
}

static covey_result run(covey_schedule *schedule) {
    covey_result result = covey_schedule_run(schedule);
    printf("%s\n", result == COVEY_OK ? "all is well" : covey_schedule_failure(schedule));
    return result;
}

int main(void) {
    int price = 2;
    covey_world *world = covey_world_create(&(covey_world_desc){ .quiet = true }); /* it fails on purpose */
    covey_schedule *schedule = covey_schedule_create(world, &(covey_schedule_desc){ .threads = 2 });
    covey_view_desc all = { .with = { covey_id(Coins) } };
    covey_system paying = { .name = "pay", .run = pay, .context = &price, .view = all };
    covey_system marking = { .name = "mark", .run = mark, .view = all, .once = true };
    covey_entity a = covey_create(world), b = covey_create(world), c = covey_create(world);
    covey_add(world, a, Coins, { 5 });
    covey_add(world, b, Coins, { 3 });
    covey_add(world, c, Coins, { 9 });
    covey_add_tag(world, b, Poor);
    if (!schedule || covey_system_add(schedule, &paying) != COVEY_OK) return EXIT_FAILURE;

    bool right = run(schedule) == COVEY_OK && run(schedule) == COVEY_ERROR_RANGE; /* b has one coin */
    covey_system_enable(schedule, "pay", false);

    /* The first of the three commands is done. The second fails, and stays in the buffer with the third. */
    right = right && covey_system_add(schedule, &marking) == COVEY_OK && run(schedule) == COVEY_ERROR_PRESENT;
    right = right && covey_has(world, a, Poor) && !covey_has(world, c, Poor);
    right = right && run(schedule) == COVEY_ERROR_PRESENT;                       /* it fails again */
    right = right && covey_schedule_skip(schedule) && run(schedule) == COVEY_OK; /* the next run begins with the rest */
    right = right && covey_has(world, c, Poor) && *covey_get(world, c, Coins) == 5;
    covey_schedule_destroy(schedule);
    covey_world_destroy(world);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
