/* A client of the inspector, for tests. It uses plain sockets, so that it can send what a browser would not. While it
 * waits it polls the inspector, as a program does once a frame. */
#ifndef COVEY_INSPECT_CLIENT_H
#define COVEY_INSPECT_CLIENT_H

#include "fixture.h"

#include <covey/inspect.h>
#include <jansson.h>

/* The world of fixture.h, and an inspector of it, which has its own allocator. */
extern covey_inspector *inspector;
extern test_heap inspector_heap;

void inspect_open(const covey_inspect_desc *desc); /* sets the allocator of the desc */
void inspect_close(void);                          /* asserts that all its memory is freed; may be called twice */
int inspect_setup(void **state);                   /* world_setup, and opens an inspector with .write */
int inspect_teardown(void **state);
#define INSPECT_TEST(test) cmocka_unit_test_setup_teardown(test, inspect_setup, inspect_teardown)

size_t inspector_bytes(void); /* the size of its memory; safe while the server runs */
void inspect_fail_at(test_heap *fails, uint64_t at, bool for_good); /* test_fail_at, safe while the server runs */
bool inspect_fail_never(test_heap *fails); /* test_fail_never; returns whether an allocation has failed */
void poll_for(uint32_t milliseconds);      /* without a request */

uint16_t inspect_port(void);
const char *inspect_token(void);

typedef struct reply {
    int status; /* 0: the connection was closed instead */
    char *head; /* status line and headers */
    char *body; /* with a zero after it */
    size_t length;
} reply;
void reply_free(reply *r);
/* The value of a header, up to its end of line, or NULL. */
const char *reply_header(const reply *r, const char *name, char *value, size_t size);

int client_connect(void);
void client_send(int socket, const char *bytes, size_t count); /* stops when the server closes the connection */
bool client_is_closed(int socket, int milliseconds);           /* whether the server closes it within this time */
/* Waits for one reply, and polls the inspector while it waits. Without a reply within 20 seconds, the test fails. */
reply client_reply(int socket);
/* Sends a valid request, with Host, token and length. A `body` of NULL means none. */
void client_ask(int socket, const char *method, const char *path, const char *body);

/* Sends a request on a new connection. */
reply ask(const char *method, const char *path, const char *body);
reply ask_raw(const char *request);
/* The answer, which must be valid JSON; json_decref it. */
json_t *ask_json(const char *method, const char *path, const char *body, int status);
json_t *get_json(const char *path);
/* GET path?key=text, with the text URL-encoded. */
json_t *get_json_with(const char *path, const char *key, const char *text, int status);
void encode(char *to, size_t size, const char *text);
/* A member of an object, which must have it. */
json_t *member(const json_t *object, const char *key);
json_t *element(const json_t *object, const char *key, size_t number); /* an element of a member that is an array */
int64_t number_of(const json_t *object, const char *key);
const char *text_of(const json_t *object, const char *key);
/* Asserts that a request is refused with this status and code. */
void assert_refused(const char *method, const char *path, const char *body, int status, const char *code);

#endif
