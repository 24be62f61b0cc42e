/* When systems run: every n-th time, once, on a condition, switched on and off; and phases, with a fixed time step. */
#include <covey/schedule.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    double before, now; /* the last two states: drawing interpolates between them */
} Height;
COVEY_COMPONENT_DEFINE(Height);

typedef struct {
    int calls;
    bool open;
} Counter;

static void count(covey_job *job, void *context) { ((Counter *)context)->calls += job->pieces != 0; }

static bool is_open(const covey_world *world, void *context) { return world && ((Counter *)context)->open; }

/* In a phase with a step, `job->step` is that step, however much time has passed. */
static void rise(covey_job *job, void *context) {
    (void)context;
    while (covey_next(&job->it)) {
        Height *height = covey_field(&job->it, 0, Height);
        for (uint32_t i = 0; i < job->it.count; i++)
            height[i] = (Height){ height[i].now, height[i].now + 10 * job->step };
    }
}

/* Draws between two steps: covey_phase_fraction returns how much of the next step has passed. */
static void draw(covey_job *job, void *context) {
    double part = covey_phase_fraction(context, "physics");
    while (covey_next(&job->it)) {
        const Height *height = covey_field_const(&job->it, 0, Height);
        for (uint32_t i = 0; i < job->it.count; i++)
            printf("  %.3f", height[i].before + (height[i].now - height[i].before) * part);
    }
}

static bool add(covey_schedule *schedule, covey_system system) {
    return covey_system_add(schedule, &system) == COVEY_OK;
}

static bool fill(covey_schedule *s, Counter *start, Counter *third, Counter *asked, Counter *off) {
    covey_view_desc write = { .with = { covey_id(Height) } }, read = write;
    read.read[0] = covey_id(Height);
    return add(s, (covey_system){ .name = "start", .run = count, .context = start, .once = true }) &&
           add(s, (covey_system){ .name = "third", .run = count, .context = third, .every = 3 }) &&
           add(s, (covey_system){ .name = "asked", .run = count, .context = asked, .when = is_open }) &&
           add(s, (covey_system){ .name = "off", .run = count, .context = off, .disabled = true }) &&
           /* As many steps of 1/64 s as have passed, at most 4 in one run: time that is left then is dropped. */
           covey_phase_add(s, &(covey_phase){ .name = "physics", .step = 1.0 / 64, .most = 4 }) == COVEY_OK &&
           add(s, (covey_system){ .name = "rise", .run = rise, .view = write }) &&
           covey_phase_add(s, &(covey_phase){ .name = "drawing" }) == COVEY_OK &&
           add(s, (covey_system){ .name = "draw", .run = draw, .context = s, .view = read });
}

int main(void) {
    covey_world *world = covey_world_create(NULL);
    covey_schedule *schedule = covey_schedule_create(world, NULL);
    Counter start = { 0 }, third = { 0 }, asked = { 0 }, off = { 0 };
    bool right = schedule && fill(schedule, &start, &third, &asked, &off);
    covey_entity balloon = covey_create(world);
    covey_add(world, balloon, Height, { 0, 0 });
    for (int run = 0; run < 6 && right; run++) {
        asked.open = run >= 4;
        if (run == 5) covey_system_enable(schedule, "off", true);
        right = covey_schedule_run_for(schedule, run == 3 ? 1 : 1.0 / 40) == COVEY_OK; /* one frame is late */
    }
    double height = covey_get(world, balloon, Height)->now; /* 1 + 2 + 1 steps, then 4, then 1 + 2 */
    printf("\nthe balloon is at %.5f, after %.0f steps\n", height, height / 10 * 64);
    printf("start %d, third %d, asked %d, off %d\n", start.calls, third.calls, asked.calls, off.calls);
    right = right && start.calls == 1 && third.calls == 2 && asked.calls == 2 && off.calls == 1;
    covey_schedule_destroy(schedule);
    covey_world_destroy(world);
    return right && height > 10 * 10.5 / 64 && height < 10 * 11.5 / 64 ? EXIT_SUCCESS : EXIT_FAILURE;
}
