/* Access, HTTP, and opening and closing an inspector. */
#include "client.h"

#include <covey/fields.h>
#include <covey/hierarchy.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- Access --------------------------------------------------------------------------------------------------*/

/* Requests the world with these headers; "%u" in the first is the port, "%s" in the second the token. */
static int status_with(const char *host, const char *authorization, const char *more) {
    char request[1024], line[256];
    int length = snprintf(request, sizeof request, "GET /api/v1/world HTTP/1.1\r\n");
    snprintf(line, sizeof line, host, (unsigned)inspect_port());
    if (*host) length += snprintf(request + length, sizeof request - (size_t)length, "Host: %s\r\n", line);
    snprintf(line, sizeof line, authorization, inspect_token());
    if (*authorization)
        length += snprintf(request + length, sizeof request - (size_t)length, "Authorization: %s\r\n", line);
    snprintf(request + length, sizeof request - (size_t)length, "%s\r\n", more);
    reply r = ask_raw(request);
    int status = r.status;
    reply_free(&r);
    return status;
}

#define OWN "127.0.0.1:%u"
#define TOKEN "Bearer %s"

static void test_only_who_knows_the_token_is_answered(void **state) {
    (void)state;
    assert_int_equal(strlen(inspect_token()), 32);
    assert_int_equal(status_with(OWN, TOKEN, ""), 200);
    assert_int_equal(status_with(OWN, "bearer %s", ""), 200);
    assert_int_equal(status_with(OWN, "", ""), 401);
    assert_int_equal(status_with(OWN, "%s", ""), 401);
    assert_int_equal(status_with(OWN, "Basic %s", ""), 401);
    assert_int_equal(status_with(OWN, "Bearer", ""), 401);
    assert_int_equal(status_with(OWN, "Bearer 0", ""), 401);
    assert_int_equal(status_with(OWN, TOKEN "0", ""), 401);
    assert_int_equal(status_with(OWN, "Bearer 00000000000000000000000000000000", ""), 401);
    char nearly[64];
    for (size_t i = 0; i < 32; i++) { /* each digit counts */
        snprintf(nearly, sizeof nearly, "Bearer %s", inspect_token());
        nearly[7 + i] = nearly[7 + i] == '0' ? '1' : '0';
        assert_int_equal(status_with(OWN, nearly, ""), 401);
    }
}

static void test_each_inspector_has_a_token_of_its_own(void **state) {
    (void)state;
    char first[64];
    snprintf(first, sizeof first, "%s", inspect_token());
    inspect_close();
    inspect_open(&(covey_inspect_desc){ 0 });
    assert_string_not_equal(first, inspect_token());
}

static void test_only_our_own_host_is_answered(void **state) {
    (void)state;
    assert_int_equal(status_with("localhost:%u", TOKEN, ""), 200);
    assert_int_equal(status_with("LocalHost:%u", TOKEN, ""), 200);
    assert_int_equal(status_with("evil.example:%u", TOKEN, ""), 403);
    assert_int_equal(status_with("127.0.0.1", TOKEN, ""), 403);
    assert_int_equal(status_with("127.0.0.1:1", TOKEN, ""), 403);
    assert_int_equal(status_with("127.0.0.1:%u.evil.example", TOKEN, ""), 403);
    assert_int_equal(status_with("192.168.0.1:%u", TOKEN, ""), 403);
    assert_int_equal(status_with("localhost.evil.example:%u", TOKEN, ""), 403);
    assert_true(status_with("", TOKEN, "") >= 400);
}

static void test_pages_of_other_sites_may_not_ask(void **state) {
    (void)state;
    char own[128];
    snprintf(own, sizeof own, "Origin: http://127.0.0.1:%u\r\n", (unsigned)inspect_port());
    assert_int_equal(status_with(OWN, TOKEN, own), 200);
    snprintf(own, sizeof own, "Origin: http://localhost:%u\r\n", (unsigned)inspect_port());
    assert_int_equal(status_with(OWN, TOKEN, own), 200);
    snprintf(own, sizeof own, "Origin: https://127.0.0.1:%u\r\n", (unsigned)inspect_port());
    assert_int_equal(status_with(OWN, TOKEN, own), 403);
    assert_int_equal(status_with(OWN, TOKEN, "Origin: http://evil.example\r\n"), 403);
    assert_int_equal(status_with(OWN, TOKEN, "Origin: null\r\n"), 403);
    assert_int_equal(status_with(OWN, TOKEN, "Origin:\r\n"), 403);
}

static void test_on_all_addresses_any_address_in_numbers_is_a_host(void **state) {
    (void)state;
    inspect_close();
    inspect_open(&(covey_inspect_desc){ .address = "0.0.0.0" });
    assert_non_null(strstr(covey_inspect_address(inspector), "http://127.0.0.1:"));
    assert_int_equal(status_with(OWN, TOKEN, ""), 200);
    assert_int_equal(status_with("192.168.0.1:%u", TOKEN, ""), 200);
    assert_int_equal(status_with("[fe80::1]:%u", TOKEN, ""), 200);
    assert_int_equal(status_with("evil.example:%u", TOKEN, ""), 403);
    assert_int_equal(status_with("1.2.3.4.evil.example:%u", TOKEN, ""), 403);
}

/* ---- HTTP ---------------------------------------------------------------------------------------------------------*/

static void assert_header(const reply *r, const char *name, const char *expected) {
    char value[512];
    assert_non_null(reply_header(r, name, value, sizeof value));
    assert_string_equal(value, expected);
}

static void test_answers_say_that_they_are_json_and_for_nobody_else(void **state) {
    (void)state;
    reply r = ask("GET", "world", NULL);
    assert_int_equal(r.status, 200);
    assert_header(&r, "Content-Type", "application/json");
    assert_header(&r, "X-Content-Type-Options", "nosniff");
    assert_header(&r, "Referrer-Policy", "no-referrer");
    assert_header(&r, "Cache-Control", "no-store");
    char value[512];
    assert_non_null(reply_header(&r, "Content-Security-Policy", value, sizeof value));
    assert_non_null(strstr(value, "default-src 'none'"));
    assert_null(strstr(value, "unsafe"));
    assert_null(reply_header(&r, "Access-Control-Allow-Origin", value, sizeof value));
    reply_free(&r);
}

static void test_what_is_not_there_is_refused(void **state) {
    (void)state;
    assert_refused("GET", "nothing", NULL, 404, "ABSENT");
    assert_refused("GET", "", NULL, 404, "ABSENT");
    assert_refused("GET", "world/", NULL, 404, "ABSENT");
    assert_refused("GET", "../../etc/passwd", NULL, 404, "ABSENT");
    assert_refused("POST", "world", "{}", 405, "METHOD");
    assert_refused("DELETE", "world", NULL, 405, "METHOD");
    assert_refused("OPTIONS", "world", NULL, 405, "METHOD");
    reply r = ask("PUT", "types", "{}");
    assert_header(&r, "Allow", "GET");
    reply_free(&r);
}

static void test_the_page_is_served_without_a_token(void **state) {
    (void)state;
    char request[256];
    snprintf(request, sizeof request, "GET / HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n\r\n", (unsigned)inspect_port());
    reply r = ask_raw(request);
    assert_int_equal(r.status, 200);
    assert_header(&r, "Content-Type", "text/html; charset=utf-8");
    assert_non_null(strstr(r.body, "<!doctype html>"));
    reply_free(&r);
    static const char *const others[] = { "/etc/passwd", "/../CMakeLists.txt", "/index.html/", "/index.htm", "//" };
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost:%u\r\n\r\n", others[i],
                 (unsigned)inspect_port());
        r = ask_raw(request);
        assert_int_equal(r.status, 404);
        reply_free(&r);
    }
    snprintf(request, sizeof request, "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    r = ask_raw(request);
    assert_int_equal(r.status, 403);
    reply_free(&r);
    snprintf(request, sizeof request, "POST / HTTP/1.1\r\nHost: localhost:%u\r\nContent-Length: 0\r\n\r\n",
             (unsigned)inspect_port());
    r = ask_raw(request);
    assert_int_equal(r.status, 405);
    reply_free(&r);
}

static void test_a_connection_serves_many_requests(void **state) {
    (void)state;
    int socket = client_connect();
    for (int i = 0; i < 20; i++) {
        client_ask(socket, "GET", i % 2 ? "world" : "types", NULL);
        reply r = client_reply(socket);
        assert_int_equal(r.status, 200);
        reply_free(&r);
    }
    close(socket);
}

static void test_more_requests_a_second_than_the_limit_are_refused(void **state) {
    (void)state;
    inspect_close();
    inspect_open(&(covey_inspect_desc){ .requests = 5 });
    int socket = client_connect(), refused = 0;
    for (int i = 0; i < 12; i++) { /* at most ten are answered, even if a second ends in between */
        client_ask(socket, "GET", "world", NULL);
        reply r = client_reply(socket);
        assert_true(r.status == 200 || r.status == 429);
        refused += r.status == 429;
        reply_free(&r);
    }
    assert_true(refused >= 2 && refused <= 7);
    close(socket);
}

static void test_arguments_have_limits(void **state) {
    (void)state;
    char path[256] = "world?a=1";
    for (int i = 0; i < 16; i++) strcat(path, "&b=2");
    assert_refused("GET", path, NULL, 400, "ARGUMENT");
    assert_refused("GET", "world?a=%00", NULL, 400, "ARGUMENT");
    json_decref(get_json("world?a&b=&=c"));
}

static void test_an_answer_that_is_too_long_is_refused(void **state) {
    (void)state;
    inspect_close();
    inspect_open(&(covey_inspect_desc){ .answer_bytes = 100 });
    assert_refused("GET", "world", NULL, 413, "LIMIT");
}

static void test_a_get_has_no_body(void **state) {
    (void)state;
    assert_refused("GET", "world", "{}", 413, "LIMIT");
}

/* ---- The first endpoints ------------------------------------------------------------------------------------------*/

static void test_the_world_in_numbers(void **state) {
    (void)state;
    create_with(covey_id(Packed), 1);
    create_with(covey_id(Blocked), 2);
    json_t *answer = get_json("world");
    assert_int_equal(number_of(answer, "version"), 1);
    assert_string_equal(text_of(answer, "title"), "Covey");
    assert_int_equal(number_of(answer, "entities"), 2);
    assert_int_equal(number_of(answer, "pools"), covey_world_pool_count(world));
    assert_int_equal(number_of(answer, "bytes"), covey_world_memory(world));
    assert_int_equal(number_of(answer, "tick"), 1);
    assert_true(json_is_true(member(answer, "write")));
    assert_true(json_is_false(member(answer, "paused")));
    assert_true(json_is_false(member(answer, "schedule")));
    assert_true(json_is_false(member(answer, "history")));
    json_decref(answer);
}

static void test_a_title_may_be_anything(void **state) {
    (void)state;
    inspect_close();
    inspect_open(&(covey_inspect_desc){ .title = "a \"b\" \\ \n </script> \xc3\xa4 \xff \xed\xa0\x80" });
    json_t *answer = get_json("world");
    assert_string_equal(text_of(answer, "title"),
                        "a \"b\" \\ \n </script> \xc3\xa4 \xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    json_decref(answer);
}

typedef struct Inner {
    float at[3];
} Inner;
COVEY_FIELDS_DEFINE(Inner, array(f32, at));
typedef struct Described {
    Inner inner;
    uint8_t flags;
    uint8_t unused[3];
} Described;
COVEY_FIELDS_DEFINE(Described, nested(Inner, inner), u8(flags), padding(uint8_t, unused));
COVEY_COMPONENT_DEFINE(Described, .fields = &covey_fields_Described, .ticks = true);

static void test_types_with_their_fields(void **state) {
    (void)state;
    covey_pool_of(world, Described);
    covey_pool_of(world, Marked);
    json_t *answer = get_json("types"), *types = member(answer, "types");
    size_t count = json_array_size(types);
    assert_int_equal(count, covey_world_pool_count(world));
    json_t *described = json_array_get(types, count - 2), *marked = json_array_get(types, count - 1);
    assert_string_equal(text_of(described, "name"), "Described");
    assert_int_equal(number_of(described, "size"), sizeof(Described));
    assert_string_equal(text_of(described, "storage"), "block");
    assert_true(json_is_true(member(described, "ticks")));
    assert_true(json_is_false(member(described, "tag")));
    json_t *inner = json_array_get(member(described, "fields"), 0);
    assert_string_equal(text_of(inner, "kind"), "struct");
    json_t *at = json_array_get(member(inner, "fields"), 0);
    assert_string_equal(text_of(at, "name"), "at");
    assert_string_equal(text_of(at, "kind"), "f32");
    assert_int_equal(number_of(at, "count"), 3);
    json_t *flags = json_array_get(member(described, "fields"), 1);
    assert_int_equal(number_of(flags, "offset"), 12);
    assert_string_equal(text_of(marked, "storage"), "sparse");
    assert_true(json_is_true(member(marked, "tag")));
    assert_true(json_is_null(member(marked, "fields")));
    json_decref(answer);
}

/* How a field is shown, if its kind can be shown so. */
static void test_types_say_how_their_fields_are_shown(void **state) {
    (void)state;
    static const covey_field at[] = {
        { "level", COVEY_KIND_F32, 0, 1, NULL, { COVEY_SHOW_RANGE, -1, 2.5, NULL } },
        { "turn", COVEY_KIND_F32, 4, 1, NULL, { COVEY_SHOW_ANGLE, 0, 0, NULL } },
        { "mode", COVEY_KIND_U8, 8, 1, NULL, { COVEY_SHOW_CHOICE, 0, 0, "off,  on ,blinking" } },
        { "tint", COVEY_KIND_U32, 12, 1, NULL, { COVEY_SHOW_COLOUR, 0, 0, NULL } },
        { "mix", COVEY_KIND_U8, 16, 4, NULL, { COVEY_SHOW_COLOUR, 0, 0, NULL } },
        { "wrong", COVEY_KIND_U8, 20, 2, NULL, { COVEY_SHOW_COLOUR, 0, 0, NULL } },
        { "none", COVEY_KIND_F32, 24, 1, NULL, { COVEY_SHOW_CHOICE, 0, 0, "a, b" } },
        { "plain", COVEY_KIND_F32, 28, 1, NULL, { COVEY_SHOW_PLAIN, 0, 0, NULL } },
    };
    static const char *const words[] = { "range", "angle", "choice", "colour", "colour" };
    const covey_fields fields = { 32, COUNT_OF(at), at };
    const covey_type *type =
        covey_type_create(world, &(covey_type){ .name = "Shown", .size = 32, .align = 4, .fields = &fields });
    covey_pool_of_raw(world, type);
    json_t *answer = get_json("types"), *types = member(answer, "types"), *show;
    json_t *shown = json_array_get(types, json_array_size(types) - 1);
    for (uint32_t i = 0; i < COUNT_OF(words); i++)
        assert_string_equal(text_of(member(element(shown, "fields", i), "show"), "as"), words[i]);
    for (uint32_t i = COUNT_OF(words); i < COUNT_OF(at); i++)
        assert_null(json_object_get(element(shown, "fields", i), "show"));
    show = member(element(shown, "fields", 0), "show");
    assert_true(json_number_value(member(show, "least")) == -1 && json_number_value(member(show, "most")) == 2.5);
    show = member(element(shown, "fields", 2), "show");
    assert_int_equal(json_array_size(member(show, "names")), 3);
    assert_string_equal(json_string_value(element(show, "names", 0)), "off");
    assert_string_equal(json_string_value(element(show, "names", 1)), "on");
    assert_string_equal(json_string_value(element(show, "names", 2)), "blinking");
    json_decref(answer);
}

/* ---- Opening and closing ------------------------------------------------------------------------------------------*/

static void test_a_poll_says_how_many_frames_to_run(void **state) {
    (void)state;
    for (int i = 0; i < 100; i++) assert_int_equal(covey_inspect_poll(inspector), 1);
    assert_int_equal(covey_inspect_poll(NULL), 1); /* a program runs without an inspector */
    json_t *answer = get_json("world");
    assert_true(number_of(answer, "frame") >= 100);
    json_decref(answer);
}

static void test_a_port_that_is_taken_is_a_reason(void **state) {
    (void)state;
    covey_inspect_desc desc = { .port = inspect_port() };
    assert_null(covey_inspect_open(world, &desc));
    assert_failed(COVEY_ERROR_FILE);
    assert_non_null(strstr(heard.text, "in use"));
}

static void test_an_address_that_is_none_is_a_reason(void **state) {
    (void)state;
    static const char *const none[] = { "", "Localhost", "example.com", "1.2.3", "1.2.3.4:80", "[::1]" };
    for (size_t i = 0; i < COUNT_OF(none); i++) {
        assert_null(covey_inspect_open(world, &(covey_inspect_desc){ .address = none[i] }));
        assert_failed(COVEY_ERROR_RANGE);
        assert_non_null(strstr(heard.text, ".address is \""));
        assert_non_null(strstr(heard.text, none[i]));
        assert_non_null(strstr(heard.text, "127.0.0.1"));
    }
    assert_non_null(strstr(covey_result_text(COVEY_ERROR_RANGE), "an argument is not valid"));
    assert_null(covey_inspect_open(
        world, &(covey_inspect_desc){ .address = "203.0.113.1" })); /* an address of no machine (RFC 5737) */
    assert_failed(COVEY_ERROR_FILE);
    assert_null(covey_inspect_open(world, &(covey_inspect_desc){ .connections = 65 }));
    assert_failed(COVEY_ERROR_RANGE);
}

static void test_localhost_is_an_address(void **state) {
    (void)state;
    inspect_close();
    inspect_open(&(covey_inspect_desc){ .address = "localhost" });
    assert_non_null(strstr(covey_inspect_address(inspector), "http://127.0.0.1:"));
    json_decref(get_json("world"));
}

static void test_closing_refuses_what_was_asked(void **state) {
    (void)state;
    int sockets[4];
    for (int i = 0; i < 4; i++) {
        sockets[i] = client_connect();
        client_ask(sockets[i], "GET", "world", NULL);
    }
    usleep(50000); /* the server has them, or they are on their way */
    inspect_close();
    for (int i = 0; i < 4; i++) close(sockets[i]);
    covey_inspect_close(NULL);
}

static uint32_t broken;
static char contract[128];

static void note_broken(const char *what, const char *file, int line, void *context) {
    (void)file, (void)line, (void)context;
    if (broken++ == 0) snprintf(contract, sizeof contract, "%s", what);
}

/* Breaks a contract; pending requests are refused, and the inspector never uses the world again. */
static void test_an_inspector_that_is_left_lets_go_of_its_world(void **state) {
    (void)state;
    covey_world *before = world;
    inspect_close();
    world = covey_world_create(&(covey_world_desc){ .on_assert = note_broken });
    covey_schedule *schedule = covey_schedule_create(world, NULL);
    covey_history *history = covey_history_create(world, 2);
    assert_true(covey_history_save(history));
    inspect_open(&(covey_inspect_desc){ .write = true, .schedule = schedule, .history = history });
    static const char *const asked[] = { "world", "events", "log", "timeline", "world?snapshot=0" };
    for (uint32_t i = 0; i < COUNT_OF(asked); i++) {
        reply r = ask("GET", asked[i], NULL);
        reply_free(&r);
    }
    int socket = client_connect();
    client_ask(socket, "GET", "world", NULL);
    usleep(50000); /* the server has it, or it is on its way */
    broken = 0;
    covey_world_destroy(world);
    world = before;
    if (COVEY_ASSERT_LEVEL >= 1) assert_int_equal(broken, 2); /* the schedule breaks one, too */
    if (COVEY_ASSERT_LEVEL >= 1) assert_non_null(strstr(contract, "covey_inspect_close first"));
    for (int i = 0; i < 10; i++) assert_int_equal(covey_inspect_poll(inspector), 1);
    assert_true(client_is_closed(socket, 5000));
    close(socket);
    inspect_close();
    covey_schedule_destroy(schedule);
}

static void test_a_client_that_leaves_is_forgotten(void **state) {
    (void)state;
    for (int i = 0; i < 20; i++) {
        int socket = client_connect();
        client_ask(socket, "GET", "types", NULL);
        close(socket);
        if (i % 3 == 0) covey_inspect_poll(inspector);
    }
    json_decref(get_json("world"));
}

static void test_many_inspectors_one_after_the_other(void **state) {
    (void)state;
    for (int i = 0; i < 20; i++) {
        inspect_close();
        inspect_open(&(covey_inspect_desc){ 0 });
    }
    json_decref(get_json("world"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        INSPECT_TEST(test_only_who_knows_the_token_is_answered),
        INSPECT_TEST(test_each_inspector_has_a_token_of_its_own),
        INSPECT_TEST(test_only_our_own_host_is_answered),
        INSPECT_TEST(test_pages_of_other_sites_may_not_ask),
        INSPECT_TEST(test_on_all_addresses_any_address_in_numbers_is_a_host),
        INSPECT_TEST(test_answers_say_that_they_are_json_and_for_nobody_else),
        INSPECT_TEST(test_what_is_not_there_is_refused),
        INSPECT_TEST(test_the_page_is_served_without_a_token),
        INSPECT_TEST(test_a_connection_serves_many_requests),
        INSPECT_TEST(test_more_requests_a_second_than_the_limit_are_refused),
        INSPECT_TEST(test_arguments_have_limits),
        INSPECT_TEST(test_an_answer_that_is_too_long_is_refused),
        INSPECT_TEST(test_a_get_has_no_body),
        INSPECT_TEST(test_the_world_in_numbers),
        INSPECT_TEST(test_a_title_may_be_anything),
        INSPECT_TEST(test_types_with_their_fields),
        INSPECT_TEST(test_types_say_how_their_fields_are_shown),
        INSPECT_TEST(test_a_poll_says_how_many_frames_to_run),
        INSPECT_TEST(test_a_port_that_is_taken_is_a_reason),
        INSPECT_TEST(test_an_address_that_is_none_is_a_reason),
        INSPECT_TEST(test_localhost_is_an_address),
        INSPECT_TEST(test_closing_refuses_what_was_asked),
        INSPECT_TEST(test_an_inspector_that_is_left_lets_go_of_its_world),
        INSPECT_TEST(test_a_client_that_leaves_is_forgotten),
        INSPECT_TEST(test_many_inspectors_one_after_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
