/* Covey, optional: looking into a running world with a browser. A library of its own, covey::inspect, on libmicrohttpd and
 * jansson.
 *
 *     covey_inspector *inspector = covey_inspect_open(world, &(covey_inspect_desc){ .schedule = schedule });
 *     if (inspector) printf("open %s\n", covey_inspect_address(inspector));
 *     while (running) {
 *         for (uint32_t n = covey_inspect_poll(inspector); n > 0; n--) covey_schedule_run(schedule);
 *         draw();
 *     }
 *     covey_inspect_close(inspector);
 *
 * An inspector serves one page, and a JSON interface that other programs can use as well (docs/inspect.md), to this machine
 * only, unless .address says otherwise. Whoever knows the token in its address may look; nobody may change anything unless
 * .write is set.
 *
 * A thread of the inspector does the network. It never touches the world: what is asked about the world is answered by
 * covey_inspect_poll, on the thread that calls it, within a budget. So there is no lock, and a slow client costs a frame
 * nothing. */
#ifndef COVEY_INSPECT_H
#define COVEY_INSPECT_H

#include <covey/covey.h>
#include <covey/history.h>
#include <covey/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct covey_inspector covey_inspector;

/* Zero means default. The text is copied; the schedule and the history stay the caller's. */
typedef struct covey_inspect_desc {
    const char *address; /* an IPv4 or IPv6 address to listen on; NULL: 127.0.0.1, so that only this machine can ask */
    uint16_t port;       /* 0: one that is free */
    bool write;          /* the page may change the world, pause it and go back in time; otherwise it only looks */
    covey_schedule *schedule; /* optional: the page shows its systems */
    covey_history *history;   /* optional: the page shows its snapshots */
    const char *title;        /* NULL: "Covey" */
    double budget;         /* seconds that one poll works at most, about; 0: 0.002. Longer answers go on in the next */
    uint32_t connections;  /* at the same time, 64 at most; 0: 16 */
    uint32_t requests;     /* a second; 0: 500 */
    uint32_t answer_bytes; /* of one answer at most; 0: 4 MB */
    uint32_t body_bytes;   /* of the body of a request at most; 0: 64 KB */
    uint32_t timeout;      /* seconds after which a silent client is dropped; 0: 10 */
    covey_allocator allocator; /* zero: the C library. Two threads call it, one at a time */
} covey_inspect_desc;

/* Opens an inspector of a world; NULL for `desc` means all defaults. Returns NULL, with the reason in the world's result
 * and log: MEMORY; FILE when it cannot listen (the port is in use, or is not ours to take); RANGE when .address is no
 * address of this machine, or a limit is too large. Changes nothing of the world. */
COVEY_NODISCARD COVEY_API covey_inspector *covey_inspect_open(covey_world *world, const covey_inspect_desc *desc);

/* Answers what was asked since the last time, within the budget. Call it once a frame, on the thread that owns the world,
 * where the world may be changed: not inside of a listener, hook, system or iteration. Returns how many frames to run now:
 * 1; 0 while the page has paused the program; n at n times the speed. NULL is fine: 1. A poll without a request costs a few
 * nanoseconds. */
COVEY_API uint32_t covey_inspect_poll(covey_inspector *inspector);

/* Where it is, such as "http://127.0.0.1:41234/#token=0f3c...", to be opened in a browser. Whoever has it may ask, so it is
 * for the person at this machine, and not for logs. Valid until the inspector is closed. */
COVEY_API const char *covey_inspect_address(const covey_inspector *inspector);

/* Ends an inspector; what was asked and not answered is refused. By the thread that polls, before the schedule, the history
 * and the world are destroyed. If it is left when its world is destroyed, a contract (level 1) says so, the server stops, and
 * polls return 1 (covey_world_destroy). NULL is fine. */
COVEY_API void covey_inspect_close(covey_inspector *inspector);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
