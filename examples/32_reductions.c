/* Reductions: each piece adds up its own entities, and the sums are merged in the order of pieces, so that sums of
 * floats are the same for every number of threads. */
#include <covey/schedule.h>
#include <stdio.h>
#include <stdlib.h>

typedef float Weight;
COVEY_COMPONENT_DEFINE(Weight);

typedef struct {
    double sum;
    float most;
    uint32_t count;
} Total;

enum { WEIGHTS = 50000 };

/* The scratch of a piece begins with zero bytes. */
static void weigh(covey_job *job, void *context) {
    Total *part = job->scratch;
    (void)context;
    while (covey_next(&job->it)) {
        const Weight *weight = covey_field_const(&job->it, 0, Weight);
        for (uint32_t i = 0; i < job->it.count; i++) {
            part->sum += (double)weight[i];
            if (weight[i] > part->most) part->most = weight[i];
        }
        part->count += job->it.count;
    }
}

static void merge(void *total, const void *scratch, void *context) {
    Total *all = total;
    const Total *part = scratch;
    (void)context;
    all->sum += part->sum;
    all->count += part->count;
    if (part->most > all->most) all->most = part->most;
}

/* Runs when the total is complete: it writes what `weigh` reads, and waits for it. Otherwise, `.after` would make it
 * wait. */
static void normalise(covey_job *job, void *context) {
    const Total *total = context;
    while (covey_next(&job->it)) {
        Weight *weight = covey_field(&job->it, 0, Weight);
        for (uint32_t i = 0; i < job->it.count; i++) weight[i] /= total->most;
    }
}

static Total run(uint32_t threads) {
    static Total total;
    covey_world *world = covey_world_create(NULL);
    covey_schedule *schedule = covey_schedule_create(world, &(covey_schedule_desc){ .threads = threads });
    covey_system weighing = { .name = "weigh", .run = weigh, .split = true, .piece = 1024 };
    covey_system normalising = { .name = "normalise", .run = normalise, .context = &total, .split = true };
    weighing.view = (covey_view_desc){ .with = { covey_id(Weight) }, .read = { covey_id(Weight) } };
    weighing.scratch = sizeof(Total), weighing.merge = merge, weighing.total = &total;
    normalising.view = (covey_view_desc){ .with = { covey_id(Weight) } };
    if (!schedule || covey_system_add(schedule, &weighing) || covey_system_add(schedule, &normalising))
        exit(EXIT_FAILURE);
    for (uint32_t i = 0; i < WEIGHTS; i++)
        covey_add(world, covey_create(world), Weight, { 1.f / (float)(1 + i * 7919 % WEIGHTS) });
    for (int i = 0; i < 2; i++)
        if (covey_schedule_run(schedule) != COVEY_OK) exit(EXIT_FAILURE);
    covey_schedule_destroy(schedule);
    covey_world_destroy(world);
    return total;
}

int main(void) {
    Total one = run(1);
    bool same = one.count == WEIGHTS;
    printf("1 thread:  %.17g\n", one.sum);
    for (uint32_t threads = 2; threads <= 8; threads *= 2) {
        Total total = run(threads);
        printf("%u threads: %.17g\n", threads, total.sum);
        same = same && memcmp(&total.sum, &one.sum, sizeof one.sum) == 0 && total.count == one.count;
    }
    return same ? EXIT_SUCCESS : EXIT_FAILURE;
}
