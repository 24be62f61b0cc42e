/* A scan counts the matches of a query, in index order, over as many polls as it takes.
 *
 * It counts the matches in each chunk of 4,096 indices, so that a list can seek to any offset without starting at the
 * first index. Each poll continues it, within the budget. The scan is complete after its first pass over all indices.
 * While clients ask for it, it starts a new pass from time to time, which replaces the counts one by one. Rows are not
 * cached: each request looks them up. */
#ifndef COVEY_INSPECT_SCAN_H
#define COVEY_INSPECT_SCAN_H

#include "query.h"

enum { INSPECT__CHUNK = 4096 };

typedef struct inspect__scan {
    char key[INSPECT__QUERY_BYTES]; /* the text of the query */
    const covey_world *world;       /* a past world is valid only while a request is answered */
    bool past;                      /* the world is a past state, which does not change: */
    uint64_t snapshot;              /* the number of its snapshot */
    inspect__query query;
    uint32_t *counts; /* matches in each chunk */
    uint32_t chunks, capacity;
    uint64_t total;    /* the sum of all counts */
    uint64_t next;     /* the index to continue with: the first of a chunk */
    bool complete;     /* at least one pass has ended */
    bool resting;      /* between two passes */
    bool failed;       /* no memory for counts */
    uint32_t users;    /* requests that use it */
    uint64_t asked_at; /* time of the last request, in ns */
    uint64_t ended_at; /* time at which the last pass ended, in ns */
    uint64_t spent;    /* ns spent on this pass, or on the last one while resting */
} inspect__scan;

/* Finds or makes the scan of a query; the request uses it until it releases it. Returns NULL, and refuses the request,
 * if the query is invalid (422, QUERY), there is no memory, or all scans are in use (503, BUSY). */
inspect__scan *inspect__scan_of(inspect__request *request, const covey_world *world, const char *text);
void inspect__scan_release(inspect__scan *scan); /* NULL is allowed */

/* Continues the scan until it has counted `enough` matches or all of them. Returns false if the budget is used up
 * before. */
bool inspect__scan_advance(inspect__scan *scan, covey_inspector *inspector, uint64_t enough);
/* Where to look for match number `offset`: returns an index, and in *before how many matches from there on to skip. */
uint64_t inspect__scan_seek(const inspect__scan *scan, uint64_t offset, uint64_t *before);

/* What inspect__scan_next found: a match; no more matches; none yet, because the budget is used up. */
typedef enum inspect__found { INSPECT__FOUND, INSPECT__FOUND_END, INSPECT__FOUND_LATER } inspect__found;
/* Finds the next match at *index or above. Sets *index to the one after the match, or to the one where the next poll
 * continues. */
inspect__found inspect__scan_next(const inspect__scan *scan, const covey_inspector *inspector, uint64_t *index,
                                  covey_entity *e);

/* Spends the rest of the budget on scans that were requested recently, and are incomplete or due for a new pass. */
void inspect__scans_work(covey_inspector *inspector);
void inspect__scans_free(covey_inspector *inspector);

#endif
