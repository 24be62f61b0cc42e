/* Without memory in other libraries: each malloc of libmicrohttpd, jansson and the C library fails in turn, while the
 * server starts and on its thread, once and persistently. The inspector is not opened, or the client is answered,
 * refused or disconnected; afterwards a valid request is answered. */
#include "stage.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* The functions of glibc, which those of this program call. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *ptr, size_t size);

static atomic_uint calls, fail_at; /* 0: none fails */
static atomic_bool for_good, failed;
static _Thread_local bool exempt; /* set on the thread of the test, whose calls never fail */

static bool fails(void) {
    unsigned at = atomic_load(&fail_at);
    if (exempt || at == 0) return false;
    unsigned call = atomic_fetch_add(&calls, 1) + 1;
    if (call != at && !(call > at && atomic_load(&for_good))) return false;
    atomic_store(&failed, true);
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails() ? NULL : __libc_calloc(count, size); }
void *realloc(void *ptr, size_t size) { return fails() ? NULL : __libc_realloc(ptr, size); }

static void begin_failing(unsigned at, bool always) {
    atomic_store(&calls, 0);
    atomic_store(&failed, false);
    atomic_store(&for_good, always);
    atomic_store(&fail_at, at);
}

static bool end_failing(void) {
    atomic_store(&fail_at, 0);
    return atomic_load(&failed);
}

/* Counts sockets only: libmicrohttpd 0.9.75 leaks another file descriptor in one of these cases. */
static int open_sockets(void) {
    int count = 0;
    struct stat file;
    for (int i = 0; i < 256; i++) count += fstat(i, &file) == 0 && S_ISSOCK(file.st_mode);
    return count;
}

static void test_the_server_starts_without_memory(void **state) {
    (void)state;
    inspect_close();
    int sockets = open_sockets();
    for (int always = 0; always < 2; always++) {
        bool fell = true;
        for (unsigned at = 1; fell; at++) {
            begin_failing(at, always != 0);
            exempt = false;
            inspector =
                covey_inspect_open(world, &(covey_inspect_desc){ .allocator = test_allocator(&inspector_heap) });
            exempt = true;
            fell = end_failing();
            if (!inspector) assert_failed(COVEY_ERROR_MEMORY);
            assert_true(inspector || fell);
            if (inspector && !always) json_decref(get_json("world"));
            inspect_close();
            assert_int_equal(open_sockets(), sockets);
        }
    }
    inspect_open(&(covey_inspect_desc){ 0 });
}

static void test_requests_without_memory(void **state) {
    (void)state;
    static const struct {
        const char *method, *path, *body;
    } requests[] = { { "GET", "world", NULL },
                     { "GET", "entities?query=Position&columns=Position", NULL },
                     { "POST", "edit",
                       "{\"do\":\"set\",\"e\":\"0:1\",\"type\":\"Position\",\"value\":{\"x\":1,\"y\":[1,2]}}" },
                     { "POST", "undo", "{\"undo\":7}" } };
    stage_types();
    covey_add(world, covey_create(world), Position, { 1, 2 });
    for (uint32_t i = 0; i < COUNT_OF(requests) * 2; i++) {
        bool fell = true;
        for (unsigned at = 1; fell && at < 200; at++) {
            int socket = client_connect();
            begin_failing(at, i % 2 != 0);
            client_ask(socket, requests[i / 2].method, requests[i / 2].path, requests[i / 2].body);
            reply r = client_reply(socket);
            fell = end_failing();
            assert_true(fell || r.status == 200 || r.status == 422 || r.status == 409);
            reply_free(&r);
            close(socket);
            test_world_is_valid(world);
        }
        json_decref(get_json("world"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        INSPECT_TEST(test_the_server_starts_without_memory),
        INSPECT_TEST(test_requests_without_memory),
    };
    exempt = true;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
