/* Splitting: one system on several threads at once. Its entities are cut into pieces of whole blocks. */
#include <covey/schedule.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    float x, y;
} Point;
COVEY_COMPONENT_DEFINE(Point);

enum { POINTS = 300000, RUNS = 10 };

/* Enough work for each point to be worth a second thread. The body runs once for each piece. */
static void rotate(covey_job *job, void *context) {
    (void)context;
    while (covey_next(&job->it)) {
        Point *p = covey_field(&job->it, 0, Point);
        for (uint32_t i = 0; i < job->it.count; i++) {
            float x = p[i].x, y = p[i].y;
            for (int step = 0; step < 8; step++) {
                float turned = x - 0.125f * y;
                y = (y + 0.125f * x) * 0.9921875f;
                x = turned * 0.9921875f;
            }
            p[i] = (Point){ x, y };
        }
    }
}

/* Returns the microseconds of the fastest run, and writes all points to `end`. */
static double measure(uint32_t threads, uint32_t piece, Point *end) {
    double best = 0;
    covey_system_stats stats = { 0 };
    covey_world *world = covey_world_create(NULL);
    covey_schedule *s = covey_schedule_create(world, &(covey_schedule_desc){ .threads = threads });
    covey_system system = { .name = "rotate", .run = rotate, .split = true, .piece = piece };
    system.view.with[0] = covey_id(Point);
    if (!s || covey_system_add(s, &system) != COVEY_OK) exit(EXIT_FAILURE);
    for (int i = 0; i < POINTS; i++) covey_add(world, covey_create(world), Point, { (float)i, 1 });
    for (int i = 0; i < RUNS; i++) {
        if (covey_schedule_run(s) != COVEY_OK) exit(EXIT_FAILURE);
        covey_schedule_stats(s, &stats, 1);
        if (i == 0 || stats.last < best) best = stats.last;
    }
    printf("%u of %u threads ran %u pieces: %.0f us\n", stats.threads, threads, stats.pieces, best / 1e3);
    const covey_pool *pool = covey_pool_find(world, Point);
    for (uint32_t i = 0; i < POINTS; i++) end[i] = *covey_pool_value_at(pool, i, Point);
    covey_schedule_destroy(s);
    covey_world_destroy(world);
    return best;
}

int main(void) {
    static Point one[POINTS], two[POINTS], small[POINTS];
    double alone = measure(1, 0, one), together = measure(2, 0, two); /* 0: the schedule chooses the pieces */
    measure(2, 64, small);                                            /* the smallest pieces: what dispatching costs */
    printf("two threads are %.2f times as fast as one\n", alone / together);
    bool same = memcmp(one, two, sizeof one) == 0 && memcmp(one, small, sizeof one) == 0;
    printf("the points are %s\n", same ? "the same" : "not the same");
    return same ? EXIT_SUCCESS : EXIT_FAILURE;
}
