/* The swarm with an inspector. Runs until Ctrl-C, or for the given number of frames. */
#include "swarm.h"

#ifdef SWARM_INSPECT

#include <covey/inspect.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

enum { SNAPSHOTS = 8, FRAMES_A_SECOND = 60 };

static volatile sig_atomic_t ended;

static void end(int number) {
    (void)number;
    ended = 1;
}

/* Runs one frame, and saves a snapshot once a second. */
static void run_frame(Swarm *s, covey_schedule *schedule, covey_history *history) {
    if (s->frame++ % FRAMES_A_SECOND == 0 && !covey_history_save(history)) die("saving", "no memory");
    covey_tick_advance(s->world);
    s->gust = s->frame % 2 == 0 ? (Velocity){ 1e-4f, 5e-5f } : (Velocity){ -1e-4f, -5e-5f };
    if (covey_schedule_run(schedule) != COVEY_OK) die("running", covey_schedule_failure(schedule));
}

static struct timespec now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t;
}

/* Sleeps for the rest of the frame that began at that time. */
static void wait_for_next(struct timespec begin) {
    struct timespec end_of_work = now();
    long long worked =
        (long long)(end_of_work.tv_sec - begin.tv_sec) * 1000000000 + end_of_work.tv_nsec - begin.tv_nsec;
    long long left = 1000000000 / FRAMES_A_SECOND - worked;
    if (left > 0) nanosleep(&(struct timespec){ .tv_nsec = (long)left }, NULL);
}

void inspect_swarm(Swarm *s, covey_schedule *schedule, uint32_t frames) {
    covey_history *history = covey_history_create(s->world, SNAPSHOTS);
    if (!history) die("making a history", "no memory");
    covey_inspect_desc desc = { .write = true, .schedule = schedule, .history = history, .title = "Swarm" };
    covey_inspector *inspector = covey_inspect_open(s->world, &desc);
    if (!inspector) die("opening the inspector", covey_result_text(covey_world_result(s->world)));
    signal(SIGINT, end);
    signal(SIGTERM, end);
    printf("%u birds. Open %s\nCtrl-C ends it.\n", s->n, covey_inspect_address(inspector));
    fflush(stdout);
    while (!ended && (frames == 0 || s->frame < frames)) {
        struct timespec begin = now();
        for (uint32_t n = covey_inspect_poll(inspector); n != 0 && !ended; n--) run_frame(s, schedule, history);
        if (frames == 0) wait_for_next(begin);
    }
    covey_inspect_close(inspector);
    covey_history_destroy(history);
}

#else

void inspect_swarm(Swarm *s, covey_schedule *schedule, uint32_t frames) {
    (void)s, (void)schedule, (void)frames;
    die("--inspect", "this program was built without the inspector, which needs libmicrohttpd and jansson");
}

#endif
