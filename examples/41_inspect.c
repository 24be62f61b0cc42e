/* The inspector: a page in the browser that inspects a running world. This program opens it for some frames; a game
 * polls it once in each frame, for as long as it runs. docs/inspect.md has more. */
#include <covey/fields.h>
#include <covey/hierarchy.h>
#include <covey/inspect.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    float x, y;
} Position;
typedef struct {
    float x, y;
} Velocity;

/* With its fields described, the page shows values by name, and can edit them: velocities with a slider. */
COVEY_FIELDS_DEFINE(Position, f32(x), f32(y));
COVEY_FIELDS_DEFINE(Velocity, range(f32, x, -2, 2), range(f32, y, -2, 2));
COVEY_COMPONENT_DEFINE(Position, .fields = &covey_fields_Position);
COVEY_COMPONENT_DEFINE(Velocity, .fields = &covey_fields_Velocity);

static void move(covey_job *job, void *context) {
    (void)context;
    while (covey_next(&job->it)) {
        Position *p = covey_field(&job->it, 0, Position);
        const Velocity *v = covey_field(&job->it, 1, Velocity);
        for (uint32_t i = 0; i < job->it.count; i++) p[i].x += v[i].x, p[i].y += v[i].y;
    }
}

static void must(const covey_world *world, bool done) {
    if (done) return;
    fprintf(stderr, "41_inspect: %s\n", covey_result_text(covey_world_result(world)));
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv) {
    uint32_t frames = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 10;
    covey_world *world = covey_world_create(NULL);
    covey_schedule *schedule = covey_schedule_create(world, NULL);
    covey_history *history = covey_history_create(world, 16);
    must(world, schedule && history);
    for (int i = 0; i < 100; i++)
        must(world, !covey_is_null(covey_create_with(world, covey_with(Position, { (float)i, 0 }),
                                                     covey_with(Velocity, { 0, 1 }))));
    must(world, covey_name_set(world, covey_entity_at(world, 0), "first") == COVEY_OK);
    covey_view_desc moves = { .with = { covey_id(Position), covey_id(Velocity) }, .read = { covey_id(Velocity) } };
    must(world, covey_system_add(schedule, &(covey_system){ .name = "move", .run = move, .view = moves }) == COVEY_OK);

    /* The page may change the world. It shows systems and restores snapshots, because it has a schedule and a
     * history. */
    covey_inspect_desc desc = { .write = true, .schedule = schedule, .history = history, .title = "Example" };
    covey_inspector *inspector = covey_inspect_open(world, &desc);
    must(world, inspector != NULL);
    if (frames > 10)
        printf("open %s\n", covey_inspect_address(inspector)); /* contains the token: do not write it to log files */

    /* A poll returns how many frames to run: 1, or 0 while the page has paused the program, or more at a higher
     * speed. */
    for (uint32_t done = 0; done < frames;)
        for (uint32_t n = covey_inspect_poll(inspector); n != 0; n--, done++) {
            must(world, covey_history_save(history));
            must(world, covey_schedule_run(schedule) == COVEY_OK);
        }
    printf("%u frames: the first is at %g\n", frames, (double)covey_get(world, covey_entity_at(world, 0), Position)->y);

    covey_inspect_close(inspector); /* before the schedule, the history and the world */
    covey_schedule_destroy(schedule);
    covey_world_destroy(world);
    return EXIT_SUCCESS;
}
