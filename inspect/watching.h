/* What an inspector keeps beyond single requests: traces, listeners and past states, while somebody asks about them; and
 * the log of failed calls, always. All but the log is used only by the thread that owns the world. */
#ifndef COVEY_INSPECT_WATCHING_H
#define COVEY_INSPECT_WATCHING_H

#include <covey/inspect.h>

#include <pthread.h>
#include <stdatomic.h>

enum {
    INSPECT__LOG_LINES = 256,  /* that are kept */
    INSPECT__LOG_LENGTH = 256, /* of a text, with its end; longer ones are cut off */
    INSPECT__SECONDS = 60,     /* for which events are counted */
    INSPECT__PAST_WORLDS = 3   /* that are kept for further questions */
};

/* ---- Systems (systems.c) -------------------------------------------------------------------------------------------*/

typedef struct inspect__trace {
    uint32_t runs; /* that the schedule keeps for us; 0: none */
    uint64_t asked_at;
} inspect__trace;

/* ---- Events (events.c) ---------------------------------------------------------------------------------------------*/

enum { INSPECT__ADDED, INSPECT__SET, INSPECT__REMOVED, INSPECT__KINDS };

/* Counts what happens to one type; or, without a type, to entities, of which none is ever set. */
typedef struct inspect__ear {
    struct inspect__ear *next;
    const covey_type *type;
    covey_connection connection;
    atomic_uint now[INSPECT__KINDS];                    /* in the second that is under way */
    uint32_t seconds[INSPECT__SECONDS][INSPECT__KINDS]; /* by the number of the second */
} inspect__ear;

typedef struct inspect__events {
    inspect__ear *ears; /* of entities, then of types as the world has met them; NULL: nobody asks */
    uint32_t pools;     /* that were looked at */
    uint64_t first;     /* second, counted from the opening, */
    uint64_t second;    /* and the one under way */
    uint64_t asked_at;
} inspect__events;

/* ---- Past states (time.c) ------------------------------------------------------------------------------------------*/

typedef struct inspect__past {
    covey_world *world; /* NULL: free */
    uint64_t number;    /* of the snapshot */
    uint64_t asked_at;
} inspect__past;

/* ---- The log (log.c) -----------------------------------------------------------------------------------------------*/

typedef struct inspect__line {
    uint64_t frame;
    uint32_t times; /* in a row */
    covey_result code;
    char text[INSPECT__LOG_LENGTH];
} inspect__line;

typedef struct inspect__log {
    covey_log_listener listener;
    pthread_mutex_t lock; /* calls fail on any thread */
    inspect__line *lines; /* a ring */
    uint64_t count;       /* that there ever were */
} inspect__log;

/* ---- All of them ---------------------------------------------------------------------------------------------------*/

typedef struct inspect__watching {
    uint64_t opened_at;
    inspect__trace trace;
    inspect__events events;
    inspect__past past[INSPECT__PAST_WORLDS];
    inspect__log log;
} inspect__watching;

bool inspect__watching_begin(covey_inspector *inspector); /* false: no memory */
/* In each poll while somebody looks at anything, and once more when nobody does any longer. */
void inspect__watching_attend(covey_inspector *inspector, uint64_t now);
void inspect__watching_end(covey_inspector *inspector);

void inspect__trace_attend(covey_inspector *inspector, uint64_t now);
void inspect__events_attend(covey_inspector *inspector, uint64_t now);
void inspect__past_attend(covey_inspector *inspector, uint64_t now);
void inspect__trace_end(covey_inspector *inspector);
void inspect__events_end(covey_inspector *inspector);
void inspect__past_end(covey_inspector *inspector);
bool inspect__log_begin(covey_inspector *inspector);
void inspect__log_end(covey_inspector *inspector);

#endif
