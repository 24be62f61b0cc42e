/* What a query finds, in the order of indices, without looking at everything in one poll.
 *
 * A scan walks through all indices and keeps how many match in each chunk of 4,096, so that any offset is found without
 * walking from the start. It goes on from poll to poll, within the budget. When it has been through once it is complete; it
 * then begins again after a while, as long as somebody asks, and replaces one count after the other. Rows are always looked up
 * when they are asked for. */
#ifndef COVEY_INSPECT_SCAN_H
#define COVEY_INSPECT_SCAN_H

#include "query.h"

enum { INSPECT__CHUNK = 4096 };

typedef struct inspect__scan {
    char key[INSPECT__QUERY_BYTES]; /* the text of the query */
    const covey_world *world;       /* that it is about: in the past, only while a request is answered */
    bool past;                      /* that is a past state, which stays as it is; */
    uint64_t snapshot;              /* the number of this snapshot */
    inspect__query query;
    uint32_t *counts; /* of each chunk */
    uint32_t chunks, capacity;
    uint64_t total;    /* of all counts */
    uint64_t next;     /* the index to go on with: the first of a chunk */
    bool complete;     /* it was through once */
    bool resting;      /* it is through, and waits to begin again */
    bool failed;       /* no memory for counts */
    uint32_t users;    /* requests that have it in hand */
    uint64_t asked_at; /* by a request, the last time; ns, as all that follow */
    uint64_t ended_at; /* through, the last time */
    uint64_t spent;    /* on this pass, or on the last one */
} inspect__scan;

/* The scan of a query, for a request, until it is released. NULL: the request is refused, because the query is wrong (422,
 * QUERY), memory is out, or too many others are asked for at the same time (503, BUSY). */
inspect__scan *inspect__scan_of(inspect__request *request, const covey_world *world, const char *text);
void inspect__scan_release(inspect__scan *scan); /* NULL is fine */

/* Goes on until so many matches are known, or all, or time is up. False: time is up. */
bool inspect__scan_advance(inspect__scan *scan, covey_inspector *inspector, uint64_t enough);
/* Where to look for the match number `offset`: an index, and how many matches from there on come before it. */
uint64_t inspect__scan_seek(const inspect__scan *scan, uint64_t offset, uint64_t *before);

/* The next match from an index on. */
typedef enum inspect__found { INSPECT__FOUND, INSPECT__FOUND_END, INSPECT__FOUND_LATER } inspect__found;
/* *index becomes the one behind the match, or the one to go on with in the next poll. */
inspect__found inspect__scan_next(const inspect__scan *scan, const covey_inspector *inspector, uint64_t *index,
                                  covey_entity *e);

/* What is left of the budget is for scans that are not complete, or old, and that somebody asked for lately. */
void inspect__scans_work(covey_inspector *inspector);
void inspect__scans_free(covey_inspector *inspector);

#endif
