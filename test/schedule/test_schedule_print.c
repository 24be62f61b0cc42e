/* Schedules: what they say of themselves. Statistics, plans, graphs and traces. */
#include "scheduled.h"

#include <ctype.h>
#include <stdatomic.h>
#include <stdlib.h>

COVEY_TAG_DEFINE(Flag);

static void run_nothing(covey_job *job, void *context) {
    (void)context;
    while (covey_next(&job->it)) {
    }
}

static page text;

typedef void print_fn(const covey_schedule *schedule, covey_write_fn *write, void *context);

static const char *print(covey_schedule *schedule, print_fn *print_it) {
    text.length = 0;
    text.text[0] = '\0';
    print_it(schedule, write_page, &text);
    return text.text;
}

/* ---- Plans --------------------------------------------------------------------------------------------------------*/

static covey_schedule *make_schedule(void) {
    covey_schedule *schedule = schedule_on(2);
    add_system(schedule, (covey_system){ .name = "input", .run = run_nothing, .resource_writes = { covey_id(Kept) } });
    assert_int_equal(covey_phase_add(schedule, &(covey_phase){ .name = "update" }), COVEY_OK);
    add_system(schedule, (covey_system){ .name = "move",
                                         .run = run_nothing,
                                         .split = true,
                                         .view = { .with = { covey_id(Packed), covey_id(Blocked), covey_id(Flag) },
                                                   .read = { covey_id(Blocked) } },
                                         .resource_reads = { covey_id(Kept) } });
    add_system(schedule, (covey_system){ .name = "look", .run = run_nothing, .reads = { covey_id(Packed) } });
    add_system(schedule, (covey_system){ .name = "last", .run = run_nothing, .after = { "look" } });
    add_system(schedule, (covey_system){ .name = "send", .run = run_nothing, .main_thread = true });
    add_system(schedule, (covey_system){ .name = "end", .run = run_nothing, .exclusive = true });
    add_system(schedule, (covey_system){ .name = "rest", .run = run_nothing, .disabled = true });
    assert_int_equal(covey_phase_add(schedule, &(covey_phase){ .name = "draw" }), COVEY_OK);
    add_system(schedule, (covey_system){ .name = "draw", .run = run_nothing, .reads = { covey_id(Packed) } });
    return schedule;
}

static void a_plan_says_who_waits_for_whom_and_why(void **state) {
    (void)state;
    covey_schedule *schedule = make_schedule();
    assert_string_equal(print(schedule, covey_schedule_print_plan),
                        "    input  writes Kept (resource)\n"
                        "phase update\n"
                        "    move  split  writes Packed  reads Blocked, Flag, Kept (resource)\n"
                        "    look  reads Packed\n"
                        "        after move (Packed: written, then read)\n"
                        "    last\n"
                        "        after look (linked)\n"
                        "    send  main thread\n"
                        "sync\n"
                        "    end  alone\n"
                        "sync\n"
                        "    rest  disabled\n"
                        "phase draw\n"
                        "    draw  reads Packed\n");
    covey_schedule_destroy(schedule);
}

static void a_graph_has_an_edge_for_each_wait(void **state) {
    (void)state;
    covey_schedule *schedule = make_schedule();
    assert_string_equal(print(schedule, covey_schedule_print_dot), "digraph schedule {\n"
                                                                   "    rankdir=LR;\n"
                                                                   "    node [shape=box];\n"
                                                                   "    \"input\";\n"
                                                                   "    \"move\" [peripheries=2];\n"
                                                                   "    \"move\" -> \"look\";\n"
                                                                   "    \"look\";\n"
                                                                   "    \"look\" -> \"last\";\n"
                                                                   "    \"last\";\n"
                                                                   "    \"send\" [style=dashed];\n"
                                                                   "    \"end\" [style=bold];\n"
                                                                   "    \"rest\";\n"
                                                                   "    \"draw\";\n"
                                                                   "    \"input\" -> sync1;\n"
                                                                   "    sync1 [shape=point];\n"
                                                                   "    sync1 -> \"move\";\n"
                                                                   "    \"last\" -> sync2;\n"
                                                                   "    sync1 -> \"send\";\n"
                                                                   "    \"send\" -> sync2;\n"
                                                                   "    sync2 [shape=point];\n"
                                                                   "    sync2 -> \"end\";\n"
                                                                   "    \"end\" -> sync3;\n"
                                                                   "    sync3 [shape=point];\n"
                                                                   "    sync3 -> \"rest\";\n"
                                                                   "    \"rest\" -> sync4;\n"
                                                                   "    sync4 [shape=point];\n"
                                                                   "    sync4 -> \"draw\";\n"
                                                                   "}\n");
    covey_schedule_destroy(schedule);
}

static void a_plan_keeps_only_the_waits_that_say_something(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(1);
    static const char *const names[] = { "a", "b", "c" };
    for (uint32_t i = 0; i < 3; i++)
        add_system(schedule, (covey_system){ .name = names[i], .run = run_nothing, .writes = { covey_id(Packed) } });
    assert_string_equal(print(schedule, covey_schedule_print_plan), "    a  writes Packed\n"
                                                                    "    b  writes Packed\n"
                                                                    "        after a (Packed: both write)\n"
                                                                    "    c  writes Packed\n"
                                                                    "        after b (Packed: both write)\n");
    covey_schedule_destroy(schedule);
}

static void without_systems_there_is_little_to_print(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(1);
    assert_string_equal(print(schedule, covey_schedule_print_plan), "");
    covey_schedule_print_dot(schedule, NULL, NULL); /* to stdout */
    assert_string_equal(print(schedule, covey_schedule_print_dot),
                        "digraph schedule {\n    rankdir=LR;\n    node [shape=box];\n}\n");
    covey_schedule_destroy(schedule);
}

static void what_has_no_plan_says_why(void **state) {
    (void)state;
    static const char why[] =
        "no plan: system a is to run after b, which does not exist: add that system, or remove the link\n";
    covey_schedule *schedule = schedule_on(1);
    covey_system_stats stats;
    add_system(schedule, (covey_system){ .name = "a", .run = run_nothing, .after = { "b" } });
    assert_string_equal(print(schedule, covey_schedule_print_plan), why);
    assert_string_equal(print(schedule, covey_schedule_print_dot), why);
    assert_string_equal(print(schedule, covey_schedule_print), why);
    assert_int_equal(covey_schedule_stats(schedule, &stats, 1), 1);
    assert_string_equal(stats.name, "a");
    covey_schedule_destroy(schedule);
}

static void quotes_and_control_characters_are_escaped(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(1);
    add_system(schedule, (covey_system){ .name = "a \"b\"\\\n\x01 100%s", .run = run_nothing });
    assert_non_null(
        strstr(print(schedule, covey_schedule_print_dot), "    \"a \\\"b\\\"\\\\\\u000a\\u0001 100%s\";\n"));
    covey_schedule_trace(schedule, 1);
    run_well(schedule);
    assert_non_null(strstr(print(schedule, covey_schedule_print_trace),
                           "{\"name\":\"a \\\"b\\\"\\\\\\u000a\\u0001 100%s\",\"cat\""));
    covey_schedule_destroy(schedule);
}

/* ---- Statistics ---------------------------------------------------------------------------------------------------*/

static void take_time(covey_job *job, void *context) {
    (void)job, (void)context;
    nap_for(200);
}

static void statistics_say_what_happened(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(3);
    covey_system_stats stats[3];
    for (uint32_t i = 0; i < 200; i++) create_with(covey_id(Packed), i);
    add_system(
        schedule,
        (covey_system){ .name = "a", .run = take_time, .split = true, .piece = 64, .view.with = { covey_id(Packed) } });
    assert_int_equal(covey_phase_add(schedule, &(covey_phase){ .name = "then" }), COVEY_OK);
    add_system(schedule, (covey_system){ .name = "b", .run = run_nothing, .disabled = true });
    assert_int_equal(covey_schedule_stats(schedule, stats, 3), 2);
    assert_int_equal(stats[0].runs, 0);
    assert_true(stats[0].mean == 0 && stats[0].last == 0 && stats[0].worst == 0);
    for (uint32_t run = 0; run < 5; run++) run_well(schedule);
    assert_int_equal(covey_schedule_stats(schedule, stats, 1), 2);
    assert_string_equal(stats[0].name, "a");
    assert_null(stats[0].phase);
    assert_true(stats[0].enabled);
    assert_int_equal(stats[0].runs, 5);
    assert_int_equal(stats[0].pieces, 4);
    assert_in_range(stats[0].threads, 1, 3);
    assert_int_equal(stats[0].entities, 200);
    assert_true(stats[0].last >= 200e3 && stats[0].last <= stats[0].worst);
    assert_true(stats[0].mean >= 200e3 && stats[0].mean <= stats[0].worst);
    assert_true(stats[0].busy >= 4 * 200e3 && stats[0].waited >= 0);
    assert_int_equal(covey_schedule_stats(schedule, stats, 3), 2);
    assert_string_equal(stats[1].name, "b");
    assert_string_equal(stats[1].phase, "then");
    assert_false(stats[1].enabled);
    assert_int_equal(stats[1].runs, 0);
    assert_int_equal(stats[1].pieces, 0);
    covey_schedule_destroy(schedule);
}

static void a_group_is_counted_by_its_members(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(1);
    covey_system_stats stats;
    covey_group *group = covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Packed) } });
    for (uint32_t i = 0; i < 7; i++) create_with(covey_id(Packed), i);
    add_system(schedule, (covey_system){ .name = "a", .run = run_nothing, .group = group });
    covey_schedule_stats(schedule, &stats, 1);
    assert_int_equal(stats.entities, 7);
    covey_schedule_destroy(schedule);
}

static void a_table_has_a_line_for_each_system(void **state) {
    (void)state;
    covey_schedule *schedule = make_schedule();
    uint32_t lines = 0;
    run_well(schedule);
    const char *table = print(schedule, covey_schedule_print);
    assert_int_equal(strncmp(table, "2 threads, 1 runs; times in microseconds\nsystem ", 48), 0);
    for (const char *at = table; *at; at++) lines += *at == '\n';
    assert_int_equal(lines, 2 + 8);
    assert_null(strstr(table, "bytes")); /* no body has said anything of them */
    assert_non_null(strstr(table, "\nmove                 "));
    assert_non_null(strstr(table, "  disabled\n"));
    covey_schedule_destroy(schedule);
}

/* Says that it moved 100 bytes for each piece before it, and more in later runs; and waited a microsecond. */
static void move_bytes(covey_job *job, void *context) {
    (void)context;
    if (job->bytes != 0 || job->blocked > 0) job->result = COVEY_ERROR_LIMIT;
    job->bytes = 100 * job->piece + job->run;
    job->blocked = job->piece == 1 ? 1e-6 : 0;
}

static covey_schedule *make_moving(void) {
    covey_schedule *schedule = schedule_on(2);
    make_crowd();
    add_system(schedule, over_crowd("move", move_bytes, NULL));
    add_system(schedule, (covey_system){ .name = "other", .run = run_nothing });
    return schedule;
}

static void statistics_have_what_bodies_say_of_bytes(void **state) {
    (void)state;
    enum { ALL = 100 * (CROWD_PIECES * (CROWD_PIECES - 1) / 2) };
    covey_schedule *schedule = make_moving();
    covey_system_stats stats[2];
    for (uint32_t run = 0; run < 3; run++) run_well(schedule);
    assert_int_equal(covey_schedule_stats(schedule, stats, 2), 2);
    assert_int_equal(stats[0].bytes, ALL + 2 * CROWD_PIECES);
    assert_int_equal(stats[0].bytes_total, 3 * ALL + (0 + 1 + 2) * CROWD_PIECES);
    assert_true(stats[0].blocked > 999 && stats[0].blocked < 1001);
    assert_true(stats[0].blocked_total > 2999 && stats[0].blocked_total < 3001);
    assert_true(stats[1].bytes == 0 && stats[1].bytes_total == 0 && stats[1].blocked_total == 0);
    const char *table = print(schedule, covey_schedule_print);
    assert_non_null(strstr(table, "   entities        bytes   blocked\n"));
    assert_non_null(strstr(table, "         1010       1.0\n"));
    assert_non_null(strstr(table, "            0       0.0\n"));
    covey_schedule_destroy(schedule);
}

static void wait_only(covey_job *job, void *context) {
    (void)context;
    job->blocked = 1e-6;
}

static void a_table_has_the_time_that_a_body_was_blocked(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(1);
    add_system(schedule, (covey_system){ .name = "wait", .run = wait_only });
    run_well(schedule);
    assert_non_null(strstr(print(schedule, covey_schedule_print), "blocked\n"));
    assert_non_null(strstr(print(schedule, covey_schedule_print), "            0       1.0\n"));
    covey_schedule_destroy(schedule);
}

/* ---- Traces -------------------------------------------------------------------------------------------------------*/

/* A small reader of JSON: each function returns what is behind a value, or NULL where there is none. */
static const char *skip_space(const char *at) {
    while (at && isspace((unsigned char)*at)) at++;
    return at;
}

static const char *expect(const char *at, char c) {
    at = skip_space(at);
    return at && *at == c ? at + 1 : NULL;
}

static const char *skip_string(const char *at) {
    for (at = expect(at, '"'); at && *at != '"'; at++) {
        if ((unsigned char)*at < 32) return NULL;
        if (*at != '\\') continue;
        if (*++at == 'u') {
            for (uint32_t i = 0; i < 4; i++)
                if (!isxdigit((unsigned char)*++at)) return NULL;
        } else if (*at == '\0' || !strchr("\"\\/bfnrt", *at)) {
            return NULL;
        }
    }
    return at ? at + 1 : NULL;
}

static const char *skip_number(const char *at) {
    char *end;
    at = skip_space(at);
    if (!at || (*at != '-' && !isdigit((unsigned char)*at))) return NULL;
    (void)strtod(at, &end);
    return end;
}

static const char *skip_value(const char *at);

static const char *skip_list(const char *at, char open, char close) {
    at = skip_space(expect(at, open));
    if (at && *at == close) return at + 1;
    while (at) {
        if (open == '{') at = expect(skip_string(at), ':');
        at = skip_space(skip_value(at));
        if (at && *at == close) return at + 1;
        at = expect(at, ',');
    }
    return NULL;
}

static const char *skip_value(const char *at) {
    at = skip_space(at);
    if (!at) return NULL;
    if (*at == '{') return skip_list(at, '{', '}');
    if (*at == '[') return skip_list(at, '[', ']');
    return *at == '"' ? skip_string(at) : skip_number(at);
}

static bool is_json(const char *json) {
    const char *end = skip_space(skip_value(json));
    return end && *end == '\0';
}

static void the_reader_of_json_can_say_no(void **state) {
    (void)state;
    assert_true(is_json(" {\"a\":[1,-2.5,\"\\u000a\\\"\"],\"b\":{}}\n"));
    static const char *const wrong[] = { "",        "{",       "{\"a\"}",     "[1,]", "[1 2]", "\"\n\"",
                                         "\"\\x\"", "\"\\a\"", "\"\\u00g0\"", "{}x",  "{a:1}" };
    for (uint32_t i = 0; i < COUNT_OF(wrong); i++) assert_false(is_json(wrong[i]));
}

static uint32_t count_words(const char *in, const char *words) {
    uint32_t count = 0;
    while ((in = strstr(in, words))) in++, count++;
    return count;
}

static covey_schedule *make_traced(void) {
    covey_schedule *schedule = schedule_on(2);
    add_recorder(schedule);
    add_system(schedule, (covey_system){ .name = "other", .run = take_time });
    return schedule;
}

static void a_trace_has_each_piece_and_each_replay(void **state) {
    (void)state;
    covey_schedule *schedule = make_traced();
    run_well(schedule);
    covey_schedule_trace(schedule, 3);
    for (uint32_t run = 0; run < 5; run++) run_well(schedule);
    const char *trace = print(schedule, covey_schedule_print_trace);
    assert_true(is_json(trace));
    assert_int_equal(count_words(trace, "{\"name\":\"record\",\"cat\":\"system\",\"ph\":\"X\",\"pid\":1,\"tid\":"),
                     3 * 4);
    assert_int_equal(count_words(trace, "{\"name\":\"other\",\"cat\":\"system\""), 3);
    assert_int_equal(count_words(trace, "{\"name\":\"record\",\"cat\":\"replay\""), 3);
    assert_int_equal(count_words(trace, "\"ts\":0.000"), 1);
    assert_int_equal(count_words(trace, "\"thread_name\""), 2);
    assert_int_equal(count_words(trace, "\"args\":{\"piece\":3}"), 3);
    assert_null(strstr(trace, "\"tid\":2"));
    covey_schedule_destroy(schedule);
}

static void a_trace_has_what_bodies_say_of_bytes(void **state) {
    (void)state;
    covey_schedule *schedule = make_moving();
    covey_trace_event events[CROWD_PIECES + 1];
    covey_schedule_trace(schedule, 1);
    run_well(schedule);
    assert_int_equal(covey_schedule_traced(schedule, 0, events, COUNT_OF(events)), COUNT_OF(events));
    for (uint32_t i = 0; i < CROWD_PIECES; i++) {
        assert_int_equal(events[i].bytes, 100 * i);
        assert_true(i == 1 ? events[i].blocked > 999 && events[i].blocked < 1001 : events[i].blocked == 0);
    }
    assert_true(events[CROWD_PIECES].bytes == 0 && events[CROWD_PIECES].blocked == 0);
    const char *trace = print(schedule, covey_schedule_print_trace);
    assert_true(is_json(trace));
    assert_non_null(strstr(trace, "\"args\":{\"piece\":1,\"bytes\":100,\"blocked\":1.000}}"));
    assert_non_null(strstr(trace, "\"args\":{\"piece\":2,\"bytes\":200}}"));
    assert_int_equal(count_words(trace, "\"args\":{\"piece\":0}}"), 2);
    covey_schedule_destroy(schedule);
}

static void a_trace_can_begin_anew_and_end(void **state) {
    (void)state;
    covey_schedule *schedule = make_traced();
    assert_true(is_json(print(schedule, covey_schedule_print_trace)));
    covey_schedule_trace(schedule, 100);
    run_well(schedule);
    covey_schedule_trace(schedule, 1);
    run_well(schedule);
    run_well(schedule);
    assert_int_equal(count_words(print(schedule, covey_schedule_print_trace), "\"other\""), 1);
    covey_schedule_trace(schedule, 10);
    run_well(schedule);
    covey_schedule_trace(schedule, 0);
    run_well(schedule);
    assert_int_equal(count_words(print(schedule, covey_schedule_print_trace), "\"other\""), 0);
    covey_schedule_destroy(schedule);
}

static void a_trace_names_systems_that_are_gone(void **state) {
    (void)state;
    covey_schedule *schedule = make_traced();
    covey_schedule_trace(schedule, 1);
    run_well(schedule);
    assert_true(covey_system_remove(schedule, "other"));
    assert_int_equal(count_words(print(schedule, covey_schedule_print_trace), "\"other\""), 1);
    covey_schedule_destroy(schedule);
}

/* ---- Profilers ----------------------------------------------------------------------------------------------------*/

typedef struct profile {
    atomic_uint begun, ended, wrong;
    atomic_uint pieces; /* bits */
} profile;

static void note_begin(const char *system, uint32_t piece, void *context) {
    profile *p = context;
    if (strcmp(system, "record") != 0 && strcmp(system, "other") != 0) atomic_fetch_add(&p->wrong, 1);
    if (strcmp(system, "record") == 0) atomic_fetch_or(&p->pieces, 1u << piece);
    atomic_fetch_add(&p->begun, 1);
}

static void note_end(const char *system, uint32_t piece, void *context) {
    profile *p = context;
    (void)system, (void)piece;
    if (atomic_fetch_add(&p->ended, 1) >= atomic_load(&p->begun)) atomic_fetch_add(&p->wrong, 1);
}

static void a_profiler_hears_of_each_piece(void **state) {
    (void)state;
    profile p = { 0 };
    covey_profiler profiler = { note_begin, note_end, &p };
    covey_schedule *schedule =
        covey_schedule_create(world, &(covey_schedule_desc){ .threads = 2, .profiler = profiler });
    add_recorder(schedule);
    add_system(schedule, (covey_system){ .name = "other", .run = take_time });
    run_well(schedule);
    run_well(schedule);
    assert_int_equal(atomic_load(&p.begun), 2 * 5);
    assert_int_equal(atomic_load(&p.ended), 2 * 5);
    assert_int_equal(atomic_load(&p.wrong), 0);
    assert_int_equal(atomic_load(&p.pieces), 15);
    covey_schedule_destroy(schedule);
}

static void half_a_profiler_is_enough(void **state) {
    (void)state;
    profile p = { 0 };
    for (uint32_t i = 0; i < 2; i++) {
        covey_profiler profiler = { i == 0 ? note_begin : NULL, i == 0 ? NULL : note_end, &p };
        covey_schedule *schedule =
            covey_schedule_create(world, &(covey_schedule_desc){ .threads = 2, .profiler = profiler });
        add_system(schedule, (covey_system){ .name = "other", .run = run_nothing });
        run_well(schedule);
        covey_schedule_destroy(schedule);
    }
    assert_int_equal(atomic_load(&p.begun), 1);
    assert_int_equal(atomic_load(&p.ended), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(a_plan_says_who_waits_for_whom_and_why),
        WORLD_TEST(a_graph_has_an_edge_for_each_wait),
        WORLD_TEST(a_plan_keeps_only_the_waits_that_say_something),
        WORLD_TEST(without_systems_there_is_little_to_print),
        WORLD_TEST(what_has_no_plan_says_why),
        WORLD_TEST(quotes_and_control_characters_are_escaped),
        WORLD_TEST(statistics_say_what_happened),
        WORLD_TEST(a_group_is_counted_by_its_members),
        WORLD_TEST(a_table_has_a_line_for_each_system),
        WORLD_TEST(statistics_have_what_bodies_say_of_bytes),
        WORLD_TEST(a_table_has_the_time_that_a_body_was_blocked),
        cmocka_unit_test(the_reader_of_json_can_say_no),
        WORLD_TEST(a_trace_has_each_piece_and_each_replay),
        WORLD_TEST(a_trace_has_what_bodies_say_of_bytes),
        WORLD_TEST(a_trace_can_begin_anew_and_end),
        WORLD_TEST(a_trace_names_systems_that_are_gone),
        WORLD_TEST(a_profiler_hears_of_each_piece),
        WORLD_TEST(half_a_profiler_is_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
