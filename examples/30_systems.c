/* Systems: functions that declare what they use. A schedule plans which systems wait for each other, and runs the
 * others at the same time. */
#include <covey/schedule.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    float x, y;
} Position;
typedef Position Velocity;
typedef float Ground; /* its height: a resource */
typedef covey_entity Aim;
COVEY_COMPONENT_DEFINE(Position);
COVEY_COMPONENT_DEFINE(Velocity);
COVEY_COMPONENT_DEFINE(Ground);
COVEY_COMPONENT_DEFINE(Aim);

/* The body is an ordinary loop over a view: `job->it` iterates over the entities. */
static void move(covey_job *job, void *context) {
    const float *seconds = context;
    while (covey_next(&job->it)) {
        Position *p = covey_field(&job->it, 0, Position);
        const Velocity *v = covey_field_const(&job->it, 1, Velocity);
        for (uint32_t i = 0; i < job->it.count; i++) p[i].x += v[i].x * *seconds, p[i].y += v[i].y * *seconds;
    }
}

static void fall(covey_job *job, void *context) {
    (void)context;
    while (covey_next(&job->it)) {
        Velocity *v = covey_field(&job->it, 0, Velocity);
        for (uint32_t i = 0; i < job->it.count; i++) v[i].y -= 1;
    }
}

/* Reads positions of others by handle, which `.reads` declares. */
static void aim(covey_job *job, void *context) {
    (void)context;
    while (covey_next(&job->it)) {
        const Aim *aims = covey_field_const(&job->it, 0, Aim);
        for (uint32_t i = 0; i < job->it.count; i++) {
            const Position *p = covey_get(job->world, aims[i], Position);
            if (p) printf("  the target is at %.1f, %.1f\n", (double)p->x, (double)p->y);
        }
    }
}

/* An exclusive system runs alone, and may change the structure of the world. */
static void bury(covey_job *job, void *context) {
    (void)context;
    covey_row row = { 0 };
    float ground = *covey_resource_get(job->world, Ground);
    while (covey_next_row(&job->it, &row))
        if (covey_row_field(&job->it, row, 0, Position)->y < ground)
            covey_destroy(job->world, covey_row_entity(&job->it, row));
}

int main(void) {
    covey_world *world = covey_world_create(&(covey_world_desc){ .quiet = true }); /* it fails on purpose */
    covey_schedule *schedule = world ? covey_schedule_create(world, NULL) : NULL;  /* a thread for each core */
    if (!schedule) return EXIT_FAILURE;
    static float seconds = 0.5f;
    covey_view_desc moving = { .with = { covey_ids(Position, Velocity) }, .read = { covey_id(Velocity) } };
    covey_view_desc falling = { .with = { covey_id(Velocity) } }, buried = { .with = { covey_id(Position) } };
    covey_view_desc aiming = { .with = { covey_id(Aim) }, .read = { covey_id(Aim) } };
    const covey_system systems[] = {
        { .name = "move", .run = move, .context = &seconds, .view = moving },
        { .name = "fall", .run = fall, .view = falling, .before = { "move" } },
        { .name = "aim", .run = aim, .view = aiming, .reads = { covey_id(Position) } },
        { .name = "bury", .run = bury, .view = buried, .resource_reads = { covey_id(Ground) }, .exclusive = true },
    };
    for (int i = 0; i < 4; i++)
        if (covey_system_add(schedule, &systems[i]) != COVEY_OK) return EXIT_FAILURE;
    covey_schedule_print_plan(schedule, NULL, NULL);

    covey_resource_set(world, Ground, { -4 });
    covey_entity stone = covey_create(world), archer = covey_create(world);
    covey_add(world, stone, Position, { 0, 0 });
    covey_add(world, stone, Velocity, { 1, 0 });
    covey_add_value(world, archer, Aim, &stone);
    covey_result result = COVEY_OK;
    for (int i = 0; i < 4 && result == COVEY_OK; i++) result = covey_schedule_run(schedule);
    bool right = result == COVEY_OK && !covey_alive(world, stone) && covey_alive(world, archer);

    /* Links that form a cycle are refused; the log names the systems. */
    covey_system late = { .name = "late", .run = fall, .after = { "move" }, .before = { "fall" } };
    right = right && covey_system_add(schedule, &late) == COVEY_ERROR_CYCLE;
    printf("%s\n", covey_schedule_failure(schedule));
    covey_schedule_destroy(schedule); /* before its world */
    covey_world_destroy(world);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
