/* Hostile, slow and too many clients. Whatever they do, the next valid request is answered, and closing the inspector
 * frees all its memory. */
#include "stage.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static void assert_serves(void) { json_decref(get_json("world")); }

static void head(char *text, size_t size, const char *method, const char *path, const char *more) {
    snprintf(text, size, "%s /api/v1/%s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nAuthorization: Bearer %s\r\n%s\r\n", method,
             path, (unsigned)inspect_port(), inspect_token(), more);
}

/* ---- Slow and silent ----------------------------------------------------------------------------------------------*/

static void test_a_request_may_come_byte_by_byte(void **state) {
    (void)state;
    char text[512];
    head(text, sizeof text, "GET", "world", "");
    int socket = client_connect();
    for (size_t i = 0; i < strlen(text); i++) {
        client_send(socket, text + i, 1);
        if (i % 16 == 0) poll_for(1);
    }
    reply r = client_reply(socket);
    assert_int_equal(r.status, 200);
    reply_free(&r);
    close(socket);
}

static void test_who_is_silent_is_dropped(void **state) {
    (void)state;
    inspect_close();
    inspect_open(&(covey_inspect_desc){ .timeout = 1 });
    int silent = client_connect(), halfway = client_connect();
    client_send(halfway, "GET /api/v1/wor", 15);
    assert_true(client_is_closed(silent, 5000));
    assert_true(client_is_closed(halfway, 5000));
    close(silent);
    close(halfway);
    assert_serves();
}

/* They never time out, because they send a byte now and then; later clients replace them. */
static void test_who_sends_a_byte_now_and_then_keeps_nobody_out(void **state) {
    (void)state;
    int slow[64];
    inspect_close();
    inspect_open(&(covey_inspect_desc){ .connections = 8 });
    for (int i = 0; i < 64; i++) {
        slow[i] = client_connect();
        client_send(slow[i], "GET / HTTP/1.1\r\nX-", 18);
    }
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 64; i++) client_send(slow[i], "a", 1);
        assert_serves();
    }
    int closed = 0;
    for (int i = 0; i < 64; i++) {
        closed += client_is_closed(slow[i], 2);
        close(slow[i]);
    }
    assert_true(closed >= 32);
}

static void test_who_does_not_read_keeps_nobody_out(void **state) {
    (void)state;
    stage_types();
    for (uint32_t i = 0; i < 600; i++) covey_add(world, covey_create(world), Everything, { .text = "a long row" });
    inspect_close();
    inspect_open(&(covey_inspect_desc){ .connections = 4 });
    int deaf[12];
    for (int i = 0; i < 12; i++) {
        deaf[i] = client_connect();
        int small = 1024;
        setsockopt(deaf[i], SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
        for (int k = 0; k < 20; k++) client_ask(deaf[i], "GET", "entities?columns=Everything&limit=500", NULL);
        poll_for(3);
    }
    assert_serves();
    for (int i = 0; i < 12; i++) close(deaf[i]);
    assert_serves();
}

/* ---- Half open and closed -----------------------------------------------------------------------------------------*/

static void test_who_closes_one_side_is_answered(void **state) {
    (void)state;
    int socket = client_connect();
    client_ask(socket, "GET", "types", NULL);
    shutdown(socket, SHUT_WR);
    reply r = client_reply(socket);
    assert_true(r.status == 200 || r.status == 0);
    reply_free(&r);
    close(socket);
    assert_serves();
}

static void test_who_leaves_without_a_word_is_forgotten(void **state) {
    (void)state;
    for (int i = 0; i < 50; i++) {
        int socket = client_connect();
        client_ask(socket, "GET", i % 2 ? "types" : "entities", NULL);
        struct linger now = { 1, 0 };
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, sizeof now);
        if (i % 3 == 0) poll_for(1);
        close(socket); /* with a reset */
    }
    assert_serves();
}

static void test_a_body_that_never_ends_is_not_waited_for(void **state) {
    (void)state;
    char text[512];
    inspect_close();
    inspect_open(&(covey_inspect_desc){ .write = true, .timeout = 1 });
    head(text, sizeof text, "POST", "edit", "Content-Length: 100\r\n");
    int socket = client_connect();
    client_send(socket, text, strlen(text));
    client_send(socket, "{\"do\":", 6);
    assert_true(client_is_closed(socket, 5000));
    close(socket);
    assert_serves();
}

/* ---- Too much -----------------------------------------------------------------------------------------------------*/

/* A thousand connections at once; only some send a request. */
static void test_a_thousand_connections(void **state) {
    (void)state;
    enum { MANY = 1000 };
    static int sockets[MANY];
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max < 4000 ? limit.rlim_max : 4000;
    setrlimit(RLIMIT_NOFILE, &limit);
    int many = limit.rlim_cur > MANY + 200 ? MANY : (int)limit.rlim_cur - 200;
    for (int i = 0; i < many; i++) {
        sockets[i] = client_connect();
        if (i % 3 == 0) client_ask(sockets[i], "GET", "world", NULL);
        if (i % 3 == 1) client_send(sockets[i], "GET /", 5);
        if (i % 50 == 0) assert_serves();
    }
    assert_serves();
    for (int i = 0; i < many; i++) close(sockets[i]);
    assert_serves();
}

static void test_a_head_that_is_too_long_is_refused(void **state) {
    (void)state;
    char *text = malloc(200000);
    assert_non_null(text);
    head(text, 1000, "GET", "world", "X-Long: ");
    size_t length = strlen(text) - 2;
    memset(text + length, 'a', 100000);
    memcpy(text + length + 100000, "\r\n\r\n", 5);
    int socket = client_connect();
    client_send(socket, text, strlen(text));
    reply r = client_reply(socket);
    assert_true(r.status == 0 || r.status >= 400);
    reply_free(&r);
    close(socket);
    free(text);
    assert_serves();
}

static void test_a_body_that_is_too_long_is_refused(void **state) {
    (void)state;
    char *body = malloc(70001);
    assert_non_null(body);
    memset(body, ' ', 70000);
    body[70000] = '\0';
    assert_refused("POST", "edit", body, 413, "LIMIT");
    body[65536] = '\0'; /* as long as allowed, but not JSON */
    assert_refused("POST", "edit", body, 400, "JSON");
    body[0] = '{';
    body[65535] = '}';
    assert_refused("POST", "edit", body, 422, "ARGUMENT");
    free(body);
    char text[512], chunk[1100];
    head(text, sizeof text, "POST", "edit", "Transfer-Encoding: chunked\r\n");
    int socket = client_connect();
    client_send(socket, text, strlen(text));
    memset(chunk, ' ', sizeof chunk);
    memcpy(chunk, "400\r\n", 5);
    memcpy(chunk + 5 + 1024, "\r\n", 2);
    for (int i = 0; i < 70; i++) client_send(socket, chunk, 5 + 1024 + 2);
    assert_true(client_is_closed(socket, 3000));
    close(socket);
    assert_serves();
}

static void test_json_that_is_too_deep_is_refused(void **state) {
    (void)state;
    char *body = malloc(60001);
    assert_non_null(body);
    memset(body, '[', 60000);
    body[60000] = '\0';
    assert_refused("POST", "edit", body, 400, "JSON");
    free(body);
}

static void test_many_requests_in_one_piece_are_answered_in_their_order(void **state) {
    (void)state;
    enum { PIECES = 20 };
    char text[PIECES * 256], *at = text;
    for (int i = 0; i < PIECES; i++) {
        head(at, 256, "GET", i % 2 ? "world" : "nothing", "");
        at += strlen(at);
    }
    int socket = client_connect(), answered = 0;
    client_send(socket, text, strlen(text));
    char found[PIECES * 2048] = "";
    size_t length = 0;
    for (int waited = 0; waited < 5000 && answered < PIECES; waited++) {
        covey_inspect_poll(inspector);
        ssize_t count = recv(socket, found + length, sizeof found - length - 1, MSG_DONTWAIT);
        if (count > 0) found[length += (size_t)count] = '\0';
        else usleep(1000);
        answered = 0;
        for (const char *next = found; (next = strstr(next, "HTTP/1.1 ")) != NULL; next++, answered++)
            assert_int_equal(atoi(next + 9), answered % 2 ? 200 : 404);
    }
    assert_int_equal(answered, PIECES);
    close(socket);
}

/* ---- Nonsense -----------------------------------------------------------------------------------------------------*/

static void test_bytes_that_are_no_http(void **state) {
    (void)state;
    test_random random = { 7 };
    for (uint64_t i = 0; i < test_scaled(300); i++) {
        char bytes[600];
        size_t length = test_below(&random, 500);
        head(bytes, sizeof bytes, "GET", "entities?query=Position", "");
        if (i % 2) { /* a request with some bytes changed */
            length = strlen(bytes);
            for (int k = 0; k < 4; k++) bytes[test_below(&random, (uint32_t)length)] = (char)test_next(&random);
        } else {
            for (size_t k = 0; k < length; k++) bytes[k] = (char)test_next(&random);
        }
        int socket = client_connect();
        client_send(socket, bytes, length);
        if (i % 8 == 0) poll_for(1);
        close(socket);
    }
    assert_serves();
}

static void test_odd_requests_are_answered_or_dropped(void **state) {
    (void)state;
    static const char *const odd[] = {
        "GET / HTTP/1.1\r\nHost: localhost:%u\r\nHost: evil.example\r\n\r\n",
        "GET http://evil.example/ HTTP/1.1\r\nHost: localhost:%u\r\n\r\n",
        "GET /%%2e%%2e/%%2e%%2e/etc/passwd HTTP/1.1\r\nHost: localhost:%u\r\n\r\n",
        "GET /index.html%%00.js HTTP/1.1\r\nHost: localhost:%u\r\n\r\n",
        "get / HTTP/1.1\r\nHost: localhost:%u\r\n\r\n",
        "CONNECT localhost:%u HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "TRACE / HTTP/1.1\r\nHost: localhost:%u\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost:%u\r\nContent-Length: -1\r\n\r\n",
        "POST /api/v1/edit HTTP/1.1\r\nHost: localhost:%u\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost:%u\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET / HTTP/0.9\r\nHost: localhost:%u\r\n\r\n",
        "GET / HTTP/9.9\r\nHost: localhost:%u\r\n\r\n",
        "\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: localhost:%u\r\n\r\n",
        "GET /?a=%%zz&b=%% HTTP/1.1\r\nHost: localhost:%u\r\n\r\n",
    };
    for (uint32_t i = 0; i < COUNT_OF(odd); i++) {
        char text[512];
        snprintf(text, sizeof text, odd[i], (unsigned)inspect_port());
        int socket = client_connect();
        client_send(socket, text, strlen(text));
        shutdown(socket, SHUT_WR);
        reply r = client_reply(socket);
        assert_true(r.status < 500 || r.status == 505); /* 505: an unknown version of HTTP */
        if (strstr(text, "passwd")) assert_int_equal(r.status, 404);
        reply_free(&r);
        close(socket);
    }
    assert_serves();
}

/* ---- Both threads at once -----------------------------------------------------------------------------------------*/

typedef struct crowd {
    atomic_int left;
    atomic_int answered;
    uint16_t port;
    const char *token;
} crowd;

/* A client on its own thread, which does not poll. */
static void *ask_often(void *context) {
    static const char *const paths[] = { "world",   "types",   "entities?query=Position.x+<+500&columns=Position",
                                         "tree",    "storage", "entity?e=3:1",
                                         "nothing", "log" };
    crowd *c = context;
    for (int i = 0; i < 30; i++) {
        char text[512], answer[65536];
        int socket = client_connect();
        head(text, sizeof text, "GET", paths[i % 8], "Connection: close\r\n");
        client_send(socket, text, strlen(text));
        if (i % 10 != 9) { /* every tenth closes without waiting for its reply */
            ssize_t count, all = 0;
            while ((count = recv(socket, answer, sizeof answer, 0)) > 0) all += count;
            if (all > 0) atomic_fetch_add(&c->answered, 1);
        }
        close(socket);
    }
    atomic_fetch_sub(&c->left, 1);
    return NULL;
}

static void test_clients_ask_while_the_world_changes(void **state) {
    (void)state;
    enum { THREADS = 4 };
    stage_types();
    crowd c = { .port = inspect_port(), .token = inspect_token() };
    atomic_store(&c.left, THREADS);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, ask_often, &c), 0);
    test_random random = { 1 };
    for (uint32_t i = 0; i < 100; i++) /* kinds, whose entities come and go */
        covey_create_with(world, covey_with(Position, { (float)i, 0 }), covey_with(Blob, { { i } }));
    for (uint32_t frame = 0; atomic_load(&c.left) > 0; frame++) {
        covey_entity e = covey_entity_at(world, test_below(&random, 900));
        if (covey_is_null(e)) {
            e = covey_create_at(world, test_below(&random, 900));
            if (!covey_is_null(e)) covey_add(world, e, Position, { (float)frame, 0 });
        } else if (frame % 2 && COVEY_GENERATION_BITS > 8) covey_destroy(world, e);
        covey_inspect_poll(inspector);
        usleep(100);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&c.answered), THREADS * 27);
    test_world_is_valid(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        INSPECT_TEST(test_a_request_may_come_byte_by_byte),
        INSPECT_TEST(test_who_is_silent_is_dropped),
        INSPECT_TEST(test_who_sends_a_byte_now_and_then_keeps_nobody_out),
        INSPECT_TEST(test_who_does_not_read_keeps_nobody_out),
        INSPECT_TEST(test_who_closes_one_side_is_answered),
        INSPECT_TEST(test_who_leaves_without_a_word_is_forgotten),
        INSPECT_TEST(test_a_body_that_never_ends_is_not_waited_for),
        INSPECT_TEST(test_a_thousand_connections),
        INSPECT_TEST(test_a_head_that_is_too_long_is_refused),
        INSPECT_TEST(test_a_body_that_is_too_long_is_refused),
        INSPECT_TEST(test_json_that_is_too_deep_is_refused),
        INSPECT_TEST(test_many_requests_in_one_piece_are_answered_in_their_order),
        INSPECT_TEST(test_bytes_that_are_no_http),
        INSPECT_TEST(test_odd_requests_are_answered_or_dropped),
        INSPECT_TEST(test_clients_ask_while_the_world_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
