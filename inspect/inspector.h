/* The inspector: declarations that its files share.
 *
 *     thread of the server (server.c)             thread that owns the world (poll.c)
 *     network, HTTP, access (guard.c),
 *     arguments, body; the page (page.c)
 *             |  request                                  |
 *             +---- inbox, behind a lock ---------------->|  endpoints, by the table in endpoints.c
 *             |<--- MHD_resume_connection ----------------+  write the answer (json.h), within the budget
 *     sends the answer, frees the request
 *
 * One of the two threads owns a request at a time. Both use only the fields that are marked so below. */
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
    INSPECT__HOST_LENGTH = 64,   /* of "[address]:port" with its zero, at most */
    INSPECT__REFUSAL = 4096,     /* bytes that an error answer may have, whatever the limit is */
    INSPECT__ARGUMENTS = 16,     /* arguments of a request, at most */
    INSPECT__CONNECTIONS = 64,   /* the largest limit for open connections */
    INSPECT__SPARE = 16,         /* connections over the limit, until the oldest one is closed */
    INSPECT__SCANS = 16,         /* queries whose counts are cached */
    INSPECT__WATCHED_SECONDS = 5 /* seconds after the last request for which a client counts as active */
};

typedef struct inspect__request inspect__request;

/* ---- Endpoints (endpoints.c) --------------------------------------------------------------------------------------*/

/* Writes the answer, or the next part of it, to request->json. Returns true when the answer is complete. Returns false
 * to be called again, in this poll or a later one, after inspect__request_pauses has reported that the budget is used
 * up; inspect__request_state keeps what the next call needs. inspect__refuse refuses a request and returns true. */
typedef bool inspect__answer_fn(inspect__request *request, covey_world *world);

typedef struct inspect__endpoint {
    const char *method, *path; /* below /api/v1/ */
    inspect__answer_fn *answer;
    bool write; /* needs .write */
} inspect__endpoint;

extern const inspect__endpoint inspect__endpoints[];
extern const uint32_t inspect__endpoint_count;

/* Returns the endpoint of a method and path, or NULL. *known: whether the path has an endpoint, for this or another
 * method. */
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
bool inspect__answer_systems_of(inspect__request *request, covey_world *world);
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
/* lookups.c */
bool inspect__answer_lookups(inspect__request *request, covey_world *world);
bool inspect__answer_cells(inspect__request *request, covey_world *world);
/* events.c, log.c */
bool inspect__answer_events(inspect__request *request, covey_world *world);
bool inspect__answer_log(inspect__request *request, covey_world *world);

/* ---- Requests (request.c) -----------------------------------------------------------------------------------------*/

typedef struct inspect__argument {
    const char *key, *value; /* valid as long as the request; value is never NULL */
} inspect__argument;

struct inspect__request {
    covey_inspector *inspector;
    inspect__request *next; /* in the inbox, or in the list of jobs */
    struct MHD_Connection *connection;
    const inspect__endpoint *endpoint;
    inspect__argument arguments[INSPECT__ARGUMENTS];
    uint32_t argument_count;
    char *body;
    size_t body_length, body_capacity;
    json_t *parsed; /* the body of a POST: an object */

    inspect__json json;               /* the answer */
    const struct inspect__file *file; /* the answer, if it is a file of the page */
    unsigned status;                  /* HTTP status; 0: not answered yet */
    const char *type;                 /* MIME type */
    const char *allow;                /* the allowed methods, with status 405 */

    void *state; /* of an answer that takes several polls */
    size_t state_size;
    void (*drop)(covey_inspector *inspector, void *state);
    uint64_t past;    /* the number of the snapshot that it asks about (time.c); */
    bool past_chosen; /* `past` is set */
    bool handed_over; /* the thread that owns the world answers it */
};

/* An argument of the URL, or NULL. */
const char *inspect__request_text(const inspect__request *request, const char *key);
/* Reads an argument that is a number from 0 to `most`; without the argument, *number is `otherwise`. Returns false, and
 * refuses the request, if the argument is not such a number. */
bool inspect__request_number(inspect__request *request, const char *key, uint64_t otherwise, uint64_t most,
                             uint64_t *number);
/* Reads an argument that is an entity, "index:generation" or "null"; without the argument, *e is null. Returns false,
 * and refuses the request, if it is neither. */
bool inspect__request_entity(inspect__request *request, const char *key, covey_entity *e);
/* A member of the body of a POST, or NULL; the string in one, or NULL. */
const json_t *inspect__request_member(const inspect__request *request, const char *key);
const char *inspect__request_member_text(const inspect__request *request, const char *key);

/* Reads "index:generation", or "null". False when the text is neither. */
bool inspect__entity_read(const char *text, covey_entity *e);

/* Refuses a request: its answer becomes {"error":{"code","text"}}. Returns true. */
bool inspect__refuse(inspect__request *request, unsigned status, const char *code, const char *format, ...)
    INSPECT__PRINTF(4, 5);
/* The same, with the position of the fault in the text that the client sent. */
bool inspect__refuse_at(inspect__request *request, unsigned status, const char *code, size_t at, size_t length,
                        const char *format, ...) INSPECT__PRINTF(6, 7);
/* The same for a call to the library that failed: status 409 and the name of the result, "DEAD" for example; status 500
 * for MEMORY. */
bool inspect__refuse_result(inspect__request *request, covey_result result, const char *format, ...)
    INSPECT__PRINTF(3, 4);
/* The name of a result, such as "DEAD" or "PRESENT". */
const char *inspect__result_code(covey_result result);

/* Whether the budget of this poll is used up. */
bool inspect__request_pauses(const inspect__request *request);
/* Returns the state of a request, which lasts until the request is answered. The first call allocates it, zeroed.
 * `drop` frees what the state owns, and may be NULL. Returns NULL, and refuses the request, if there is no memory. */
void *inspect__request_state(inspect__request *request, size_t size,
                             void (*drop)(covey_inspector *inspector, void *state));

/* Call it on the thread that owns the world. */
void inspect__request_drop_state(inspect__request *request);

inspect__request *inspect__request_create(covey_inspector *inspector, struct MHD_Connection *connection);
void inspect__request_destroy(inspect__request *request); /* NULL is allowed */

/* ---- The inspector (open.c, poll.c) -------------------------------------------------------------------------------*/

typedef struct inspect__client {
    struct MHD_Connection *connection; /* NULL: free */
    int socket;
    uint64_t since; /* time of its connection, or of its last request */
    bool asking;    /* its request waits for the thread that owns the world */
} inspect__client;

struct covey_inspector {
    covey_dependent dependent; /* must be first. Its world is NULL after the world was destroyed */

    /* Used by both threads. */
    covey_allocator allocator;
    pthread_mutex_t memory; /* guards calls of the allocator */
    pthread_mutex_t door;   /* guards inbox, inbox_end and closing */
    inspect__request *inbox, **inbox_end;
    bool closing;
    _Atomic uint32_t waiting; /* unanswered requests that were handed over */

    /* Constant. */
    covey_inspect_desc desc; /* with defaults filled in */
    char *title;
    char token[INSPECT__TOKEN_DIGITS + 1];
    char host[INSPECT__HOST_LENGTH]; /* "127.0.0.1:41234" */
    uint16_t port;
    bool any_address; /* listens on all addresses of this machine */
    char address[INSPECT__HOST_LENGTH + INSPECT__TOKEN_DIGITS + 32];
    locale_t plain_numbers; /* a locale with a decimal point, whatever the program's is */

    /* Used by the thread of the server. */
    struct MHD_Daemon *daemon;
    inspect__client clients[INSPECT__CONNECTIONS + INSPECT__SPARE];
    uint64_t second; /* for which `asked` counts */
    uint32_t asked;  /* requests in that second */

    /* Used by the thread that owns the world. */
    inspect__request *jobs, **jobs_end; /* requests that are being answered */
    uint64_t deadline;                  /* when the budget of this poll is used up */
    uint64_t asked_at;                  /* time of the last request */
    bool watched;                       /* a client is active: frames are timed */
    _Atomic uint64_t frame;             /* frames that polls have returned; the log reads it on any thread */
    uint64_t polled_at, frame_time;     /* ns; 0: unknown */
    struct inspect__undos *undos;       /* NULL: there was no edit yet */
    struct inspect__scan *scans[INSPECT__SCANS];
    bool paused;
    uint32_t steps; /* frames to run while paused */
    double speed;   /* frames for each poll: 2: two; 0.5: one in every second poll */
    double owed;    /* the fraction of a frame that later polls still return */
    inspect__watching watching;
};

/* open.c: an inspector without a server; tests use it like this. inspect__make only allocates it, and returns NULL
 * without memory; inspect__prepare sets up everything except the network. */
covey_inspector *inspect__make(covey_world *world, const covey_inspect_desc *given);
bool inspect__prepare(covey_inspector *inspector);
void inspect__release(covey_inspector *inspector);

/* memory.c. Holds a lock, so that the caller's allocator does not need one. */
void *inspect__resize(covey_inspector *inspector, void *ptr, size_t old_size, size_t new_size);
void *inspect__zeroed(covey_inspector *inspector, size_t size);
void inspect__free(covey_inspector *inspector, void *ptr, size_t size); /* NULL is allowed */

/* clock.c: nanoseconds of a monotonic clock. */
uint64_t inspect__now(void);

/* guard.c: access. The strings are headers of a request, so they may be hostile; NULL: the header is missing. */
bool inspect__host_allowed(const covey_inspector *inspector, const char *host);
bool inspect__origin_allowed(const covey_inspector *inspector, const char *origin);
bool inspect__token_allowed(const covey_inspector *inspector, const char *authorization);
bool inspect__token_make(char token[INSPECT__TOKEN_DIGITS + 1]);

/* listen.c: opens the listening socket, and sets inspector->host. Returns -1 and sets errno on failure; EINVAL means
 * that .address is not an IP address. */
int inspect__listen(covey_inspector *inspector);

/* server.c. Starting the server takes ownership of the socket, even if it fails. */
bool inspect__server_start(covey_inspector *inspector, int socket);
void inspect__server_stop(covey_inspector *inspector);

/* poll.c: completes a request, answered or refused, and returns it to the server. */
void inspect__request_finish(inspect__request *request);

/* page.c: the files of the page. inspect__page_find returns NULL for an unknown path. */
typedef struct inspect__file inspect__file;
struct inspect__file {
    const char *path, *type;
    const unsigned char *bytes;
    size_t size;
    const unsigned char *packed; /* compressed with gzip, or NULL */
    size_t packed_size;
};
extern const inspect__file inspect__page_files[]; /* generated by embed.cmake */
extern const uint32_t inspect__page_file_count;
const inspect__file *inspect__page_find(const char *path);

/* watching.c: whether the last request for something was more than INSPECT__WATCHED_SECONDS ago. */
bool inspect__is_idle(uint64_t asked_at, uint64_t now);

/* time.c: a world with the state of the snapshot of this number, valid until the next request. NULL: *result says
 * why. */
covey_world *inspect__past_world(covey_inspector *inspector, uint64_t number, covey_result *result);
/* The past world that a request names, by the arguments `back` or `number`. Returns NULL, and refuses the request, if
 * there is none. */
covey_world *inspect__past_asked(inspect__request *request);
/* The number of the snapshot that an argument names by how many snapshots it is back. Returns false, and refuses the
 * request, if there is none. */
bool inspect__snapshot_back(inspect__request *request, const char *key, uint64_t *number);

/* value.c */
bool inspect__is_internal(const covey_type *type); /* the library's own type */
const char *inspect__storage_name(covey_storage storage);
const char *inspect__policy_name(covey_policy policy);

#endif
