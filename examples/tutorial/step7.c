/* Step 7 of the tutorial: systems that say what they use, on all cores, with the same result for every number. */
#include <covey/schedule.h>
#include <stdio.h>

enum { SHEEP = 20000, WIDTH = 1000 };

typedef struct {
    int x;
} Position;
typedef struct {
    int x;
} Velocity;
typedef struct {
    int left;
} Grass; /* in the stomach */
COVEY_COMPONENT_DEFINE(Position);
COVEY_COMPONENT_DEFINE(Velocity);
COVEY_COMPONENT_DEFINE(Grass);

static void move(covey_job *job, void *context) {
    (void)context;
    while (covey_next(&job->it)) {
        Position *p = covey_field(&job->it, 0, Position);
        const Velocity *v = covey_field(&job->it, 1, Velocity);
        for (uint32_t i = 0; i < job->it.count; i++) p[i].x = (p[i].x + v[i].x) % WIDTH;
    }
}

/* Structural changes wait in the commands of the job until all systems of the phase are done. */
static void digest(covey_job *job, void *context) {
    (void)context;
    while (covey_next(&job->it)) {
        Grass *grass = covey_field(&job->it, 0, Grass);
        for (uint32_t i = 0; i < job->it.count; i++)
            if (--grass[i].left == 0) covey_record_destroy(job->commands, covey_span_entity(&job->it, i));
    }
}

static void graze(covey_job *job, void *context) {
    (void)context;
    while (covey_next(&job->it)) {
        Grass *grass = covey_field(&job->it, 0, Grass);
        const Position *p = covey_field(&job->it, 1, Position);
        for (uint32_t i = 0; i < job->it.count; i++)
            if (p[i].x % 10 == 0) grass[i].left += 5;
    }
}

/* A number for the whole world: equal worlds have equal ones. */
static uint64_t sum(covey_world *world) {
    uint64_t sum = 0;
    covey_view all = covey_view_of(world, Position, Grass);
    covey_iter it = covey_view_iter(&all);
    while (covey_next(&it))
        for (uint32_t i = 0; i < it.count; i++)
            sum = sum * 31 + (uint64_t)(covey_field(&it, 0, Position)[i].x + covey_field(&it, 1, Grass)[i].left);
    return sum;
}

static uint64_t play(uint32_t threads, bool print) {
    covey_world *world = covey_world_create(NULL);
    covey_schedule *schedule = covey_schedule_create(world, &(covey_schedule_desc){ .threads = threads });
    const covey_view_desc moving = { .with = { covey_ids(Position, Velocity) }, .read = { covey_id(Velocity) } };
    const covey_view_desc eating = { .with = { covey_ids(Grass, Position) }, .read = { covey_id(Position) } };
    covey_system_add(schedule, &(covey_system){ .name = "move", .run = move, .view = moving, .split = true });
    covey_system_add(
        schedule, &(covey_system){ .name = "digest", .run = digest, .view.with = { covey_id(Grass) }, .split = true });
    covey_system_add(schedule, &(covey_system){ .name = "graze", .run = graze, .view = eating, .split = true });
    for (int i = 0; i < SHEEP; i++)
        covey_create_with(world, covey_with(Position, { i % WIDTH }), covey_with(Velocity, { 1 + i % 7 }),
                          covey_with(Grass, { 8 + i % 5 }));
    if (print) covey_schedule_print_plan(schedule, NULL, NULL);
    for (int frame = 0; frame < 40; frame++)
        if (covey_schedule_run(schedule) != COVEY_OK) printf("failed: %s\n", covey_schedule_failure(schedule));
    if (print) printf("after 40 frames, %u of %d sheep are left\n", covey_entity_count(world), SHEEP);
    uint64_t result = sum(world);
    covey_schedule_destroy(schedule); /* before its world */
    covey_world_destroy(world);
    return result;
}

int main(void) {
    bool same = play(1, true) == play(4, false);
    printf("one thread and four: the meadow is %s\n", same ? "the same" : "another one");
    return same ? 0 : 1;
}
