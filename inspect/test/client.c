#include "client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

covey_inspector *inspector;
test_heap inspector_heap;
static pthread_mutex_t heap_lock =
    PTHREAD_MUTEX_INITIALIZER; /* guards the heap: the server uses it while the test reads its size */

/* ---- The inspector ------------------------------------------------------------------------------------------------*/

static void *allocate(void *context, void *ptr, size_t old_size, size_t new_size, size_t align) {
    covey_allocator allocator = test_allocator(&inspector_heap);
    (void)context;
    pthread_mutex_lock(&heap_lock);
    void *found = allocator.fn(allocator.context, ptr, old_size, new_size, align);
    pthread_mutex_unlock(&heap_lock);
    return found;
}

size_t inspector_bytes(void) {
    pthread_mutex_lock(&heap_lock);
    size_t bytes = inspector_heap.bytes;
    pthread_mutex_unlock(&heap_lock);
    return bytes;
}

void inspect_fail_at(test_heap *fails, uint64_t at, bool for_good) {
    pthread_mutex_lock(&heap_lock);
    test_fail_at(fails, at, for_good);
    pthread_mutex_unlock(&heap_lock);
}

bool inspect_fail_never(test_heap *fails) {
    pthread_mutex_lock(&heap_lock);
    bool failed = fails->failed;
    test_fail_never(fails);
    pthread_mutex_unlock(&heap_lock);
    return failed;
}

void poll_for(uint32_t milliseconds) {
    for (uint32_t i = 0; i < milliseconds; i++) {
        covey_inspect_poll(inspector);
        usleep(1000);
    }
}

void inspect_open(const covey_inspect_desc *given) {
    covey_inspect_desc desc = *given;
    desc.allocator = (covey_allocator){ allocate, NULL };
    if (desc.requests == 0) desc.requests = 1000000; /* tests send many requests in a second */
    inspector = covey_inspect_open(world, &desc);
    assert_non_null(inspector);
}

void inspect_close(void) {
    covey_inspect_close(inspector);
    inspector = NULL;
    assert_int_equal(inspector_heap.bytes, 0);
    assert_int_equal(inspector_heap.blocks, 0);
}

int inspect_setup(void **state) {
    if (world_setup(state) != 0) return -1;
    inspector_heap = (test_heap){ 0 };
    inspect_open(&(covey_inspect_desc){ .write = true });
    return 0;
}

int inspect_teardown(void **state) {
    inspect_close();
    return world_teardown(state);
}

uint16_t inspect_port(void) {
    const char *colon = strrchr(covey_inspect_address(inspector), ':');
    return (uint16_t)strtoul(colon + 1, NULL, 10);
}

const char *inspect_token(void) { return strstr(covey_inspect_address(inspector), "token=") + strlen("token="); }

/* ---- Sockets ------------------------------------------------------------------------------------------------------*/

int client_connect(void) {
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(inspect_port()) };
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int made = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(made >= 0);
    assert_int_equal(connect(made, (struct sockaddr *)&address, sizeof address), 0);
    return made;
}

void client_send(int socket, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t sent = send(socket, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return;
        bytes += sent;
        count -= (size_t)sent;
    }
}

bool client_is_closed(int socket, int milliseconds) {
    for (int i = 0; i < milliseconds; i++) {
        struct pollfd waits = { .fd = socket, .events = POLLIN };
        char bytes[256];
        covey_inspect_poll(inspector);
        if (poll(&waits, 1, 1) > 0 && recv(socket, bytes, sizeof bytes, 0) <= 0) return true;
    }
    return false;
}

/* ---- Replies ------------------------------------------------------------------------------------------------------*/

void reply_free(reply *r) {
    free(r->head);
    free(r->body);
    *r = (reply){ 0 };
}

const char *reply_header(const reply *r, const char *name, char *value, size_t size) {
    size_t length = strlen(name);
    for (const char *line = strstr(r->head, "\r\n"); line; line = strstr(line + 2, "\r\n")) {
        if (strncasecmp(line + 2, name, length) != 0 || line[2 + length] != ':') continue;
        const char *from = line + 2 + length + 1 + strspn(line + 2 + length + 1, " ");
        snprintf(value, size, "%.*s", (int)strcspn(from, "\r"), from);
        return value;
    }
    return NULL;
}

typedef struct received {
    char *bytes;
    size_t length, capacity;
} received;

/* Receives more bytes. Returns false if the connection is closed. */
static bool receive(int socket, received *all) {
    if (all->capacity - all->length < 65536) {
        all->capacity = all->capacity * 2 + 131072;
        all->bytes = realloc(all->bytes, all->capacity);
        assert_non_null(all->bytes);
    }
    for (uint32_t waited = 0; waited < 20000; waited++) {
        struct pollfd waits = { .fd = socket, .events = POLLIN };
        covey_inspect_poll(inspector);
        if (poll(&waits, 1, 1) <= 0) continue;
        ssize_t count = recv(socket, all->bytes + all->length, all->capacity - all->length - 1, 0);
        if (count <= 0) return false;
        all->length += (size_t)count;
        all->bytes[all->length] = '\0';
        return true;
    }
    fail_msg("no reply within 20 seconds");
    return false;
}

reply client_reply(int socket) {
    received all = { 0 };
    reply r = { 0 };
    const char *end = NULL;
    while (!end && receive(socket, &all)) end = strstr(all.bytes, "\r\n\r\n");
    if (end) {
        char value[32];
        size_t head = (size_t)(end - all.bytes) + 4;
        r.head = calloc(1, head + 1);
        assert_non_null(r.head);
        memcpy(r.head, all.bytes, head);
        assert_int_equal(sscanf(r.head, "HTTP/1.1 %d", &r.status), 1);
        if (r.status == 100) { /* 100 Continue: the reply follows */
            reply_free(&r);
            free(all.bytes);
            return client_reply(socket);
        }
        r.length = reply_header(&r, "Content-Length", value, sizeof value) ? strtoul(value, NULL, 10) : 0;
        while (all.length < head + r.length && receive(socket, &all)) continue;
        assert_true(all.length >= head + r.length);
        r.body = calloc(1, r.length + 1);
        assert_non_null(r.body);
        memcpy(r.body, all.bytes + head, r.length);
    }
    free(all.bytes);
    return r;
}

/* ---- Requests -----------------------------------------------------------------------------------------------------*/

void client_ask(int socket, const char *method, const char *path, const char *body) {
    size_t length = body ? strlen(body) : 0, size = strlen(path) + length + 512;
    char *text = malloc(size);
    assert_non_null(text);
    int written = snprintf(text, size, "%s /api/v1/%s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nAuthorization: Bearer %s\r\n",
                           method, path, (unsigned)inspect_port(), inspect_token());
    written += snprintf(text + written, size - (size_t)written,
                        body ? "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n" : "\r\n", length);
    memcpy(text + written, body ? body : "", length);
    client_send(socket, text, (size_t)written + length);
    free(text);
}

reply ask(const char *method, const char *path, const char *body) {
    int socket = client_connect();
    client_ask(socket, method, path, body);
    reply r = client_reply(socket);
    close(socket);
    return r;
}

reply ask_raw(const char *request) {
    int socket = client_connect();
    client_send(socket, request, strlen(request));
    reply r = client_reply(socket);
    close(socket);
    return r;
}

json_t *ask_json(const char *method, const char *path, const char *body, int status) {
    json_error_t error;
    reply r = ask(method, path, body);
    json_t *found = json_loadb(r.body ? r.body : "", r.length, JSON_REJECT_DUPLICATES, &error);
    if (r.status != status || !found) print_message("%s %s: %d %s\n", method, path, r.status, r.body ? r.body : "");
    assert_int_equal(r.status, status);
    assert_non_null(found);
    reply_free(&r);
    return found;
}

json_t *get_json(const char *path) { return ask_json("GET", path, NULL, 200); }

void encode(char *to, size_t size, const char *text) {
    size_t at = 0;
    for (; *text != '\0' && at + 4 < size; text++)
        at += (size_t)snprintf(to + at, size - at, "%%%02x", (unsigned char)*text);
    assert_int_equal(*text, '\0');
    to[at] = '\0';
}

json_t *get_json_with(const char *path, const char *key, const char *text, int status) {
    char encoded[4096], whole[5000];
    encode(encoded, sizeof encoded, text);
    snprintf(whole, sizeof whole, "%s%c%s=%s", path, strchr(path, '?') ? '&' : '?', key, encoded);
    return ask_json("GET", whole, NULL, status);
}

json_t *member(const json_t *object, const char *key) {
    json_t *found = json_object_get(object, key);
    if (!found) print_message("there is no %s\n", key);
    assert_non_null(found);
    return found;
}

json_t *element(const json_t *object, const char *key, size_t number) {
    json_t *found = json_array_get(member(object, key), number);
    assert_non_null(found);
    return found;
}

int64_t number_of(const json_t *object, const char *key) {
    const json_t *found = member(object, key);
    assert_true(json_is_integer(found));
    return json_integer_value(found);
}

const char *text_of(const json_t *object, const char *key) {
    const json_t *found = member(object, key);
    assert_true(json_is_string(found));
    return json_string_value(found);
}

void assert_refused(const char *method, const char *path, const char *body, int status, const char *code) {
    json_t *answer = ask_json(method, path, body, status);
    assert_string_equal(text_of(member(answer, "error"), "code"), code);
    assert_true(strlen(text_of(member(answer, "error"), "text")) > 5);
    json_decref(answer);
}
