/* The inspector: what its files share.
 *
 *     thread of the server (server.c)             thread that owns the world (poll.c)
 *     network, HTTP, who may ask (guard.c),
 *     arguments, body; the page (page.c)
 *             |  request                                  |
 *             +---- inbox, behind a lock ---------------->|  endpoints, by the table in endpoints.c
 *             |<--- MHD_resume_connection ----------------+  write the answer (json.h), within the budget
 *     sends the answer, frees the request
 *
 * A request belongs to one of the two threads at a time. Only what is marked below is used by both. */
#ifndef COVEY_INSPECT_INSPECTOR_H
#define COVEY_INSPECT_INSPECTOR_H

#include "json.h"
#include "watching.h"

#include <jansson.h>
#include <locale.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

#if defined(__GNUC__)
#define INSPECT__PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define INSPECT__PRINTF(text, first)
#endif

enum {
    INSPECT__TOKEN_DIGITS = 32,  /* 128 bits */
    INSPECT__HOST_LENGTH = 64,   /* of "[address]:port", at most */
    INSPECT__REFUSAL = 4096,     /* bytes that a refusal always has room for */
    INSPECT__ARGUMENTS = 16,     /* of a request, at most */
    INSPECT__CONNECTIONS = 64,   /* that can be asked for */
    INSPECT__SPARE = 16,         /* that are open beyond the limit for a moment, until another one is dropped */
    INSPECT__SCANS = 16,         /* queries whose counts are kept */
    INSPECT__WATCHED_SECONDS = 5 /* so long after the last request, somebody is thought to look */
};

typedef struct inspect__request inspect__request;

/* ---- Endpoints (endpoints.c) ---------------------------------------------------------------------------------------*/

/* Writes the answer to request->json, or a part of it. True when it is whole; false to be called again, in this poll or a
 * later one, when inspect__request_pauses said that time is up: what has to be known then is kept in inspect__request_state. A
 * request is refused with inspect__refuse, which returns true. */
typedef bool inspect__answer_fn(inspect__request *request, covey_world *world);

typedef struct inspect__endpoint {
    const char *method, *path; /* below /api/v1/ */
    inspect__answer_fn *answer;
    bool write; /* only with .write */
} inspect__endpoint;

extern const inspect__endpoint inspect__endpoints[];
extern const uint32_t inspect__endpoint_count;

/* What a request is about: NULL, and *known tells whether another method would do. */
const inspect__endpoint *inspect__endpoint_find(const char *method, const char *path, bool *known);

/* world.c */
bool inspect__answer_world(inspect__request *request, covey_world *world);
/* types.c */
bool inspect__answer_types(inspect__request *request, covey_world *world);
/* storage.c */
bool inspect__answer_storage(inspect__request *request, covey_world *world);
bool inspect__answer_map(inspect__request *request, covey_world *world);
bool inspect__answer_storage_change(inspect__request *request, covey_world *world);
/* systems.c, timeline.c */
bool inspect__answer_systems(inspect__request *request, covey_world *world);
bool inspect__answer_plan(inspect__request *request, covey_world *world);
bool inspect__answer_timeline(inspect__request *request, covey_world *world);
bool inspect__answer_systems_change(inspect__request *request, covey_world *world);
bool inspect__answer_run(inspect__request *request, covey_world *world);
/* time.c, diff.c */
bool inspect__answer_time(inspect__request *request, covey_world *world);
bool inspect__answer_diff(inspect__request *request, covey_world *world);
bool inspect__answer_time_change(inspect__request *request, covey_world *world);
/* space.c */
bool inspect__answer_space(inspect__request *request, covey_world *world);
/* events.c, log.c */
bool inspect__answer_events(inspect__request *request, covey_world *world);
bool inspect__answer_log(inspect__request *request, covey_world *world);

/* ---- Requests (request.c) ------------------------------------------------------------------------------------------*/

typedef struct inspect__argument {
    const char *key, *value; /* valid as long as the request is there; value is not NULL */
} inspect__argument;

struct inspect__request {
    covey_inspector *inspector;
    inspect__request *next; /* in the inbox, or among those under way */
    struct MHD_Connection *connection;
    const inspect__endpoint *endpoint;
    inspect__argument arguments[INSPECT__ARGUMENTS];
    uint32_t argument_count;
    char *body;
    size_t body_length, body_capacity;
    json_t *parsed; /* of a POST: an object */

    inspect__json json;               /* the answer */
    const struct inspect__file *file; /* or a file of the page */
    unsigned status;                  /* of HTTP; 0: not answered yet */
    const char *type;                 /* MIME */
    const char *allow;                /* with status 405 */

    void *state; /* of an answer that goes on */
    size_t state_size;
    void (*drop)(covey_inspector *inspector, void *state);
    uint64_t past;    /* the number of the snapshot that it is about (time.c), */
    bool past_chosen; /* once that is known */
    bool handed_over; /* to the thread that owns the world, and answered by it */
};

/* An argument of the address, or NULL. */
const char *inspect__request_text(const inspect__request *request, const char *key);
/* A number from 0 to `most`: `otherwise`, where there is no such argument. False: it is none, and the request is refused. */
bool inspect__request_number(inspect__request *request, const char *key, uint64_t otherwise, uint64_t most,
                             uint64_t *number);
/* The entity that an argument names, "index:generation"; null where there is none, or it is "null". False as above. */
bool inspect__request_entity(inspect__request *request, const char *key, covey_entity *e);
/* Of the body, for POST: a member, or NULL; the text of one, or NULL. */
const json_t *inspect__request_member(const inspect__request *request, const char *key);
const char *inspect__request_member_text(const inspect__request *request, const char *key);

/* Reads "index:generation", or "null". False when the text is neither. */
bool inspect__entity_read(const char *text, covey_entity *e);

/* Makes {"error":{"code","text"}} the answer; returns true. */
bool inspect__refuse(inspect__request *request, unsigned status, const char *code, const char *format, ...)
    INSPECT__PRINTF(4, 5);
/* The same, and says where in a text the fault is. */
bool inspect__refuse_at(inspect__request *request, unsigned status, const char *code, size_t at, size_t length,
                        const char *format, ...) INSPECT__PRINTF(6, 7);
/* The same for a call of the world that has failed: 409 and "DEAD", "PRESENT" and so on; 500 for MEMORY. */
bool inspect__refuse_result(inspect__request *request, covey_result result, const char *format, ...)
    INSPECT__PRINTF(3, 4);
/* "DEAD", "PRESENT" and so on. */
const char *inspect__result_code(covey_result result);

/* Whether the budget of this poll is used up. */
bool inspect__request_pauses(const inspect__request *request);
/* Zeroed memory of the request, which lasts until it is answered: the same when it is called again. `drop` frees what is
 * in it, and may be NULL. NULL: memory is out, and the request is refused. */
void *inspect__request_state(inspect__request *request, size_t size,
                             void (*drop)(covey_inspector *inspector, void *state));

/* By the thread that owns the world. */
void inspect__request_drop_state(inspect__request *request);

inspect__request *inspect__request_create(covey_inspector *inspector, struct MHD_Connection *connection);
void inspect__request_destroy(inspect__request *request); /* NULL is fine */

/* ---- The inspector (open.c, poll.c) --------------------------------------------------------------------------------*/

typedef struct inspect__client {
    struct MHD_Connection *connection; /* NULL: free */
    int socket;
    uint64_t since; /* when it came, or asked last */
    bool asking;    /* the thread that owns the world has its request */
} inspect__client;

struct covey_inspector {
    covey_dependent dependent; /* the first member; its world is NULL when that has ended */

    /* Of both threads. */
    covey_allocator allocator;
    pthread_mutex_t memory; /* around calls of the allocator */
    pthread_mutex_t door;   /* around the two that follow */
    inspect__request *inbox, **inbox_end;
    bool closing;
    _Atomic uint32_t waiting; /* requests that are not answered */

    /* Constant. */
    covey_inspect_desc desc; /* with defaults filled in */
    char *title;
    char token[INSPECT__TOKEN_DIGITS + 1];
    char host[INSPECT__HOST_LENGTH]; /* "127.0.0.1:41234" */
    uint16_t port;
    bool any_address; /* it listens on all addresses of this machine */
    char address[INSPECT__HOST_LENGTH + INSPECT__TOKEN_DIGITS + 32];
    locale_t plain_numbers; /* with a point in them, whatever the program's locale is */

    /* Of the thread of the server. */
    struct MHD_Daemon *daemon;
    inspect__client clients[INSPECT__CONNECTIONS + INSPECT__SPARE];
    uint64_t second; /* that is counted */
    uint32_t asked;  /* requests in it */

    /* Of the thread that owns the world. */
    inspect__request *jobs, **jobs_end; /* under way */
    uint64_t deadline;                  /* of this poll */
    uint64_t asked_at;                  /* when a request came last */
    bool watched;                       /* somebody looks: frames are timed */
    _Atomic uint64_t frame;             /* frames that polls have asked for; the log reads it on any thread */
    uint64_t polled_at, frame_time;     /* ns; 0: not known */
    struct inspect__undos *undos;       /* NULL: nothing was edited yet */
    struct inspect__scan *scans[INSPECT__SCANS];
    bool paused;
    uint32_t steps; /* frames to run although it is paused */
    double speed;   /* 1: as it is; 2: two frames a poll; 0.5: each second poll */
    double owed;    /* part of a frame */
    inspect__watching watching;
};

/* open.c: an inspector without a server, which tests use as it is. Making it asks for nothing but its memory (NULL: there is
 * none); preparing it does the rest, but for the network. */
covey_inspector *inspect__make(covey_world *world, const covey_inspect_desc *desc);
bool inspect__prepare(covey_inspector *inspector);
void inspect__release(covey_inspector *inspector);

/* memory.c. Under a lock, so that the caller's allocator need not have one. */
void *inspect__resize(covey_inspector *inspector, void *ptr, size_t old_size, size_t new_size);
void *inspect__zeroed(covey_inspector *inspector, size_t size);
void inspect__free(covey_inspector *inspector, void *ptr, size_t size); /* NULL is fine */

/* clock.c: nanoseconds of a clock that never goes back. */
uint64_t inspect__now(void);

/* guard.c: who may ask. Texts are of a request, and hostile; NULL where the header is missing. */
bool inspect__host_allowed(const covey_inspector *inspector, const char *host);
bool inspect__origin_allowed(const covey_inspector *inspector, const char *origin);
bool inspect__token_allowed(const covey_inspector *inspector, const char *authorization);
bool inspect__token_make(char token[INSPECT__TOKEN_DIGITS + 1]);

/* listen.c: a socket that listens, and what the address is called in "Host:". -1: errno, or EINVAL where .address is none. */
int inspect__listen(covey_inspector *inspector);

/* server.c. Starting takes the socket over, also where it fails. */
bool inspect__server_start(covey_inspector *inspector, int socket);
void inspect__server_stop(covey_inspector *inspector);

/* poll.c: answers a request, or refuses it; then it is the server's again. */
void inspect__request_finish(inspect__request *request);

/* page.c: the files of the page. NULL: there is none of this path. */
typedef struct inspect__file inspect__file;
struct inspect__file {
    const char *path, *type;
    const unsigned char *bytes;
    size_t size;
    const unsigned char *packed; /* the same with gzip, or NULL */
    size_t packed_size;
};
extern const inspect__file inspect__page_files[]; /* made by embed.cmake */
extern const uint32_t inspect__page_file_count;
const inspect__file *inspect__page_find(const char *path);

/* watching.c: whether nobody has asked for something for a while. */
bool inspect__is_over(uint64_t asked_at, uint64_t now);

/* time.c: a world with the state of a snapshot, by its number; valid until the next request. NULL: *result says why. */
covey_world *inspect__past_world(covey_inspector *inspector, uint64_t number, covey_result *result);
/* The one that a request names, by `back` or `number`. NULL: it is refused. */
covey_world *inspect__past_asked(inspect__request *request);
/* The number of the snapshot that an argument is about: how far it is back. False: there is none, and it is refused. */
bool inspect__snapshot_back(inspect__request *request, const char *key, uint64_t *number);

/* value.c */
bool inspect__is_internal(const covey_type *type); /* one of the library's own */
const char *inspect__storage_name(covey_storage storage);
const char *inspect__policy_name(covey_policy policy);

#endif
