/* What a schedule does: a table of times, the plan as a graph, a trace that Perfetto opens, and hooks for profilers.
 *
 *     36_trace [FILE]      writes the trace to a file; without one, only its size is printed */
#include <covey/schedule.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef float Left, Right;
COVEY_COMPONENT_DEFINE(Left);
COVEY_COMPONENT_DEFINE(Right);

static void raise_all(covey_job *job, void *context) {
    (void)context;
    while (covey_next(&job->it)) {
        float *value = covey_field_raw(&job->it, 0);
        for (uint32_t i = 0; i < job->it.count; i++) value[i] = value[i] * 0.5f + 1;
    }
}

/* A profiler is called when each piece begins and ends, on the thread that runs it: for zones of Tracy, for example. */
static void begin(const char *system, uint32_t piece, void *context) {
    (void)system, (void)piece;
    atomic_fetch_add((atomic_uint *)context, 1);
}

static void to_file(const char *text, void *context) { fputs(text, context); }
static void to_size(const char *text, void *context) { *(size_t *)context += strlen(text); }

int main(int argc, char **argv) {
    atomic_uint pieces = 0;
    covey_world *world = covey_world_create(NULL);
    covey_schedule *schedule = covey_schedule_create(
        world, &(covey_schedule_desc){ .threads = 2, .profiler = { .begin = begin, .context = &pieces } });
    if (!schedule) return EXIT_FAILURE;
    covey_system left = { .name = "left", .run = raise_all, .split = true, .view = { .with = { covey_id(Left) } } };
    covey_system right = { .name = "right", .run = raise_all, .split = true, .view = { .with = { covey_id(Right) } } };
    covey_system again = { .name = "again", .run = raise_all, .view = { .with = { covey_id(Left) } } };
    bool done = !covey_system_add(schedule, &left) && !covey_system_add(schedule, &right) &&
                !covey_system_add(schedule, &again);
    for (int i = 0; i < 200000; i++) {
        covey_entity e = covey_create(world);
        covey_add(world, e, Left, { 0 });
        covey_add(world, e, Right, { 0 });
    }
    for (int i = 0; i < 20 && done; i++) {
        if (i == 17) covey_schedule_trace(schedule, 3); /* traces the next three runs */
        done = covey_schedule_run(schedule) == COVEY_OK;
    }
    covey_schedule_print(schedule, NULL, NULL);
    printf("\nthe plan, for `dot -Tsvg`:\n\n");
    covey_schedule_print_dot(schedule, NULL, NULL);

    size_t size = 0;
    FILE *file = argc > 1 ? fopen(argv[1], "w") : NULL;
    if (file) covey_schedule_print_trace(schedule, to_file, file);
    if (file) fclose(file);
    covey_schedule_print_trace(schedule, to_size, &size);
    printf("\n%u pieces ran; the trace of three runs has %zu bytes\n", atomic_load(&pieces), size);

    covey_system_stats stats[3];
    done = done && covey_schedule_stats(schedule, stats, 3) == 3 && stats[0].runs == 20 && stats[0].entities == 200000;
    done = done && atomic_load(&pieces) == 20 * (stats[0].pieces + stats[1].pieces + stats[2].pieces) && size > 1000;
    covey_schedule_destroy(schedule);
    covey_world_destroy(world);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
