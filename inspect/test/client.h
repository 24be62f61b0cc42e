/* A client of the inspector, on plain sockets, for tests: what browsers would not send has to be sent, too. While it waits it
 * polls the inspector, as a program does once a frame. */
#ifndef COVEY_INSPECT_CLIENT_H
#define COVEY_INSPECT_CLIENT_H

#include "fixture.h"

#include <covey/inspect.h>
#include <jansson.h>

/* The world of fixture.h, and an inspector of it, with an allocator of its own. */
extern covey_inspector *inspector;
extern test_heap inspector_heap;

void inspect_open(const covey_inspect_desc *desc); /* its allocator is set */
void inspect_close(void);                          /* and all its memory has come back; no matter if it is not open */
int inspect_setup(void **state);                   /* world_setup, and an inspector that may write */
int inspect_teardown(void **state);
#define INSPECT_TEST(test) cmocka_unit_test_setup_teardown(test, inspect_setup, inspect_teardown)

size_t inspector_bytes(void);                                       /* of its memory, while the server may be at work */
void inspect_fail_at(test_heap *fails, uint64_t at, bool for_good); /* test_fail_at, while the server may be at work; */
bool inspect_fail_never(test_heap *fails); /* test_fail_never. Whether an allocation has failed */
void poll_for(uint32_t milliseconds);      /* as a program does that nobody asks */

uint16_t inspect_port(void);
const char *inspect_token(void);

typedef struct reply {
    int status; /* 0: the connection was closed instead */
    char *head; /* status line and headers */
    char *body; /* ends with a zero that does not count */
    size_t length;
} reply;
void reply_free(reply *r);
/* The value of a header, up to its end of line, or NULL. */
const char *reply_header(const reply *r, const char *name, char *value, size_t size);

int client_connect(void);
void client_send(int socket, const char *bytes, size_t count); /* those that the server still takes */
bool client_is_closed(int socket, int milliseconds);           /* by the other side, within this time */
/* Waits for one reply, and polls meanwhile: `polls` times at most, so that a reply that never comes fails a test. */
reply client_reply(int socket);
/* A request as it should be: with Host, token and length. `body` NULL: none. */
void client_ask(int socket, const char *method, const char *path, const char *body);

/* Asks on a connection of its own. */
reply ask(const char *method, const char *path, const char *body);
reply ask_raw(const char *request);
/* The answer as JSON, which has to be whole; json_decref it. */
json_t *ask_json(const char *method, const char *path, const char *body, int status);
json_t *get_json(const char *path);
/* GET with a text that is encoded for the address: path?key=text. */
json_t *get_json_with(const char *path, const char *key, const char *text, int status);
void encode(char *to, size_t size, const char *text);
/* The member of an object that must have it. */
json_t *member(const json_t *object, const char *key);
json_t *element(const json_t *object, const char *key, size_t number); /* of a member that is an array */
int64_t number_of(const json_t *object, const char *key);
const char *text_of(const json_t *object, const char *key);
/* The request is refused with this status and code. */
void assert_refused(const char *method, const char *path, const char *body, int status, const char *code);

#endif
