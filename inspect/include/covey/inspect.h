/* Covey, optional: inspects a running world in a browser. A separate library, covey::inspect, which needs libmicrohttpd
 * and jansson.
 *
 *     covey_inspector *inspector = covey_inspect_open(world, &(covey_inspect_desc){ .schedule = schedule });
 *     if (inspector) printf("open %s\n", covey_inspect_address(inspector));
 *     while (running) {
 *         for (uint32_t n = covey_inspect_poll(inspector); n > 0; n--) covey_schedule_run(schedule);
 *         draw();
 *     }
 *     covey_inspect_close(inspector);
 *
 * An inspector serves a web page, and a JSON interface for other programs (docs/inspect.md). It accepts connections
 * from this machine only, unless .address says otherwise. Every client that sends the token of its address can read the
 * world; clients can change the world only if .write is set.
 *
 * The inspector has its own thread for the network. That thread never accesses the world: covey_inspect_poll answers
 * the requests, on the thread that calls it, within a time budget. The world needs no lock, and a slow client does not
 * slow down a frame. */
#ifndef COVEY_INSPECT_H
#define COVEY_INSPECT_H

#include <covey/covey.h>
#include <covey/history.h>
#include <covey/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct covey_inspector covey_inspector;

/* Zero means default. Strings are copied; the caller keeps ownership of the schedule and the history. */
typedef struct covey_inspect_desc {
    const char *address;      /* IPv4 or IPv6 address to listen on; NULL or "localhost": 127.0.0.1, for this machine */
    uint16_t port;            /* 0: any free port */
    bool write;               /* clients may change the world, pause it and restore snapshots; false: read only */
    covey_schedule *schedule; /* optional: the page shows its systems */
    covey_history *history;   /* optional: the page shows its snapshots */
    const char *title;        /* NULL: "Covey" */
    double budget;         /* seconds that one poll may take, roughly; 0: 0.002. Longer answers continue in the next */
    uint32_t connections;  /* connections that can be open at a time, at most 64; 0: 16 */
    uint32_t requests;     /* requests that are accepted in a second; 0: 500 */
    uint32_t answer_bytes; /* size limit of an answer; 0: 4 MB */
    uint32_t body_bytes;   /* size limit of the body of a request; 0: 64 KB */
    uint32_t timeout;      /* seconds after which an inactive connection is closed; 0: 10 */
    covey_allocator allocator; /* zero: the C library. Two threads call it, never at the same time */
} covey_inspect_desc;

/* Opens an inspector of a world; a `desc` of NULL means all defaults. Does not change the world. Fails with NULL, and
 * sets the world's result and log: MEMORY; FILE if it cannot listen (the port is in use or not permitted); RANGE if
 * .address is not an address of this machine, or a limit is too large. */
COVEY_NODISCARD COVEY_API covey_inspector *covey_inspect_open(covey_world *world, const covey_inspect_desc *desc);

/* Answers pending requests, within the budget. Call it once a frame, on the thread that owns the world, at a point
 * where the world may be changed: not inside a listener, hook, system or iteration. Returns how many frames to run now:
 * 1; 0 while the page has paused the program; n at n times the speed. NULL is allowed, and returns 1. Without a
 * request, a poll takes a few nanoseconds. */
COVEY_API uint32_t covey_inspect_poll(covey_inspector *inspector);

/* Returns the address to open in a browser, such as "http://127.0.0.1:41234/#token=0f3c...". It contains the token,
 * which gives access to the inspector: show it to the user, do not write it to logs. Valid until the inspector is
 * closed. */
COVEY_API const char *covey_inspect_address(const covey_inspector *inspector);

/* Closes an inspector, and refuses the requests that are pending. Call it on the thread that polls, before the
 * schedule, the history and the world are destroyed. Destroying the world first breaks a contract (level 1): the server
 * stops, and later polls return 1. NULL is allowed. */
COVEY_API void covey_inspect_close(covey_inspector *inspector);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
