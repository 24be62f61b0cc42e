/* What an inspector keeps between requests: traces, event counters and past states, as long as clients ask for them;
 * and the log of failed calls, always. Only the thread that owns the world uses these, except the log. */
#ifndef COVEY_INSPECT_WATCHING_H
#define COVEY_INSPECT_WATCHING_H

#include <covey/inspect.h>

#include <pthread.h>
#include <stdatomic.h>

enum {
    INSPECT__LOG_LINES = 256,  /* lines that the log keeps */
    INSPECT__LOG_LENGTH = 256, /* of a line, with its zero; longer ones are cut off */
    INSPECT__SECONDS = 60,     /* seconds for which event counts are kept */
    INSPECT__PAST_WORLDS = 3   /* past states that are kept for further requests */
};

/* ---- Systems (systems.c) ------------------------------------------------------------------------------------------*/

typedef struct inspect__trace {
    uint32_t runs; /* runs that the schedule traces; 0: tracing is off */
    uint64_t asked_at;
} inspect__trace;

/* ---- Events (events.c) --------------------------------------------------------------------------------------------*/

enum { INSPECT__ADDED, INSPECT__SET, INSPECT__REMOVED, INSPECT__KINDS };

/* Counts the events of a component type. The counter without a type counts created and destroyed entities. */
typedef struct inspect__counter {
    struct inspect__counter *next;
    const covey_type *type; /* NULL: entities */
    covey_connection connection;
    atomic_uint now[INSPECT__KINDS];                    /* in the current second */
    uint32_t seconds[INSPECT__SECONDS][INSPECT__KINDS]; /* a ring, by the number of the second */
} inspect__counter;

typedef struct inspect__events {
    inspect__counter *counters; /* of entities, then of types in the order of pools; NULL: no client asks */
    uint32_t pools;             /* pools that have a counter, or are internal */
    uint64_t first;             /* the second in which counting began, counted from the opening */
    uint64_t second;            /* the current second */
    uint64_t asked_at;
} inspect__events;

/* ---- Past states (time.c) -----------------------------------------------------------------------------------------*/

typedef struct inspect__past {
    covey_world *world; /* NULL: free */
    uint64_t number;    /* of its snapshot */
    uint64_t asked_at;
} inspect__past;

/* ---- The log (log.c) ----------------------------------------------------------------------------------------------*/

typedef struct inspect__line {
    uint64_t frame;
    uint32_t times; /* how often in a row */
    covey_result code;
    char text[INSPECT__LOG_LENGTH];
} inspect__line;

typedef struct inspect__log {
    covey_log_listener listener;
    pthread_mutex_t lock; /* calls can fail on any thread */
    inspect__line *lines; /* a ring */
    uint64_t count;       /* lines that were ever written */
} inspect__log;

/* ---- All of them --------------------------------------------------------------------------------------------------*/

typedef struct inspect__watching {
    uint64_t opened_at;
    inspect__trace trace;
    inspect__events events;
    inspect__past past[INSPECT__PAST_WORLDS];
    inspect__log log;
} inspect__watching;

bool inspect__watching_begin(covey_inspector *inspector); /* false: no memory */
/* Updates all of them. Called in each poll while a client is active, and once after that. */
void inspect__watching_update(covey_inspector *inspector, uint64_t now);
void inspect__watching_end(covey_inspector *inspector);

void inspect__trace_update(covey_inspector *inspector, uint64_t now);
void inspect__events_update(covey_inspector *inspector, uint64_t now);
void inspect__past_update(covey_inspector *inspector, uint64_t now);
void inspect__trace_end(covey_inspector *inspector);
void inspect__events_end(covey_inspector *inspector);
void inspect__past_end(covey_inspector *inspector);
bool inspect__log_begin(covey_inspector *inspector);
void inspect__log_end(covey_inspector *inspector);

#endif
