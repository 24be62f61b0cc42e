/* The inspector: systems, their plan, the timeline, pause and speed. */
#include "client.h"

#include <stdio.h>

static covey_schedule *schedule;

static void spend(covey_job *job, void *context) {
    (void)context;
    while (covey_next(&job->it))
        for (uint32_t i = 0; i < job->it.count; i++) (void)covey_span_entity(&job->it, i);
}

static void record(covey_job *job, void *context) {
    (void)context;
    for (covey_row row = { 0 }; covey_next_row(&job->it, &row);)
        if (job->piece == 0) covey_record_set(job->commands, covey_row_entity(&job->it, row), Blocked, { 1, ~1u });
}

static void send_bytes(covey_job *job, void *context) {
    (void)context;
    job->bytes = 1200;
    job->blocked = 0.5;
}

static void add(covey_system system) { assert_int_equal(covey_system_add(schedule, &system), COVEY_OK); }

static int systems_setup(void **state) {
    if (inspect_setup(state) != 0) return -1;
    inspect_close();
    schedule = covey_schedule_create(world, &(covey_schedule_desc){ .threads = 2 });
    for (uint32_t i = 0; i < 200; i++) create_with(covey_id(Packed), i);
    add((covey_system){ .name = "input", .run = spend, .resource_writes = { covey_id(Kept) } });
    assert_int_equal(covey_phase_add(schedule, &(covey_phase){ .name = "game" }), COVEY_OK);
    add((covey_system){
        .name = "record", .run = record, .split = true, .piece = 64, .view.with = { covey_id(Packed) } });
    add((covey_system){ .name = "look", .run = spend, .reads = { covey_id(Packed) } });
    add((covey_system){ .name = "then", .run = send_bytes, .main_thread = true, .after = { "look" } });
    inspect_open(&(covey_inspect_desc){ .write = true, .schedule = schedule });
    return 0;
}

static int systems_teardown(void **state) {
    inspect_close();
    covey_schedule_destroy(schedule);
    return inspect_teardown(state);
}
#define SYSTEMS_TEST(test) cmocka_unit_test_setup_teardown(test, systems_setup, systems_teardown)

static void run(void) { assert_int_equal(covey_schedule_run(schedule), COVEY_OK); }

/* ---- Systems and their plan ---------------------------------------------------------------------------------------*/

static void test_the_systems_of_an_entity(void **state) {
    (void)state;
    json_t *answer = get_json("entity/systems?e=0:1"), *system = element(answer, "systems", 0);
    assert_int_equal(json_array_size(member(answer, "systems")), 1);
    assert_string_equal(text_of(system, "name"), "record");
    assert_string_equal(text_of(system, "phase"), "game");
    assert_true(json_is_true(member(system, "on")));
    assert_string_equal(json_string_value(element(system, "writes", 0)), "Packed");
    json_decref(answer);
    covey_remove(world, covey_entity_at(world, 0), Packed);
    answer = get_json("entity/systems?e=0:1");
    assert_int_equal(json_array_size(member(answer, "systems")), 0);
    json_decref(answer);
    assert_refused("GET", "entity/systems?e=x", NULL, 422, "ARGUMENT");
    inspect_close();
    inspect_open(&(covey_inspect_desc){ 0 });
    assert_refused("GET", "entity/systems?e=0:1", NULL, 409, "ABSENT");
}

static void test_systems_with_their_times(void **state) {
    (void)state;
    run();
    run();
    json_t *answer = get_json("systems");
    covey_system_stats stats[4];
    assert_int_equal(covey_schedule_stats(schedule, stats, 4), 4);
    assert_int_equal(json_array_size(member(answer, "systems")), 4);
    for (uint32_t i = 0; i < 4; i++) {
        const json_t *system = element(answer, "systems", i);
        assert_string_equal(text_of(system, "name"), stats[i].name);
        assert_int_equal(number_of(system, "runs"), 2);
        assert_int_equal(number_of(system, "pieces"), stats[i].pieces);
        assert_int_equal(number_of(system, "entities"), stats[i].entities);
        assert_true(json_number_value(member(system, "last")) == stats[i].last);
        assert_true(json_number_value(member(system, "worst")) == stats[i].worst);
        assert_true(json_is_true(member(system, "on")));
        assert_int_equal(number_of(system, "bytes"), i == 3 ? 1200 : 0);
        assert_int_equal(number_of(system, "bytes_total"), i == 3 ? 2400 : 0);
        assert_true(json_number_value(member(system, "blocked")) == (i == 3 ? 0.5e9 : 0));
        assert_true(json_number_value(member(system, "blocked_total")) == (i == 3 ? 1e9 : 0));
        if (stats[i].phase) assert_string_equal(text_of(system, "phase"), stats[i].phase);
        else assert_true(json_is_null(member(system, "phase")));
    }
    assert_int_equal(number_of(answer, "threads"), 2);
    json_decref(answer);
}

static void test_the_plan_as_a_graph(void **state) {
    (void)state;
    json_t *answer = get_json("plan");
    assert_int_equal(json_array_size(member(answer, "phases")), 1);
    assert_string_equal(json_string_value(element(answer, "phases", 0)), "game");
    assert_int_equal(json_array_size(member(answer, "systems")), 4);
    const json_t *input = element(answer, "systems", 0), *written = element(answer, "systems", 1);
    assert_string_equal(json_string_value(element(input, "resource_writes", 0)), "Kept");
    assert_int_equal(json_array_size(member(input, "writes")), 0);
    assert_string_equal(json_string_value(element(written, "writes", 0)), "Packed");
    assert_true(json_is_true(member(written, "split")));
    assert_true(json_is_false(member(written, "main_thread")));
    assert_true(json_is_true(member(element(answer, "systems", 3), "main_thread")));
    assert_int_equal(number_of(input, "stage"), 0);
    assert_int_equal(number_of(written, "stage"), 1);
    assert_int_equal(json_array_size(member(answer, "edges")), 2);
    assert_int_equal(number_of(element(answer, "edges", 0), "from"), 1);
    assert_int_equal(number_of(element(answer, "edges", 0), "to"), 2);
    assert_string_equal(text_of(element(answer, "edges", 0), "why"), "Packed: written, then read");
    assert_string_equal(text_of(element(answer, "edges", 1), "why"), "linked");
    json_decref(answer);
}

static void test_a_plan_that_cannot_be_made_says_why(void **state) {
    (void)state;
    add((covey_system){ .name = "lost", .run = spend, .after = { "nobody" } });
    json_t *answer = ask_json("GET", "plan", NULL, 409);
    assert_non_null(strstr(text_of(member(answer, "error"), "text"), "nobody"));
    json_decref(answer);
    json_decref(get_json("systems"));
}

static void test_without_a_schedule_there_is_nothing_to_show(void **state) {
    (void)state;
    inspect_close();
    inspect_open(&(covey_inspect_desc){ .write = true });
    assert_refused("GET", "systems", NULL, 409, "ABSENT");
    assert_refused("GET", "plan", NULL, 409, "ABSENT");
    assert_refused("GET", "timeline", NULL, 409, "ABSENT");
    assert_refused("POST", "systems", "{\"name\":\"look\",\"on\":true}", 409, "ABSENT");
}

static void test_systems_are_switched_on_and_off(void **state) {
    (void)state;
    json_decref(ask_json("POST", "systems", "{\"name\":\"look\",\"on\":false}", 200));
    run();
    json_t *answer = get_json("systems");
    assert_true(json_is_false(member(element(answer, "systems", 2), "on")));
    assert_int_equal(number_of(element(answer, "systems", 2), "runs"), 0);
    json_decref(answer);
    json_decref(ask_json("POST", "systems", "{\"name\":\"look\",\"on\":true}", 200));
    json_decref(ask_json("POST", "systems", "{\"phase\":\"game\",\"on\":false}", 200));
    run();
    answer = get_json("systems");
    assert_int_equal(number_of(element(answer, "systems", 0), "runs"), 2);
    assert_int_equal(number_of(element(answer, "systems", 1), "runs"), 1);
    json_decref(answer);
    assert_refused("POST", "systems", "{\"name\":\"nobody\",\"on\":true}", 409, "ABSENT");
    assert_refused("POST", "systems", "{\"phase\":\"nobody\",\"on\":true}", 409, "ABSENT");
    assert_refused("POST", "systems", "{\"name\":\"look\"}", 422, "ARGUMENT");
    assert_refused("POST", "systems", "{\"name\":\"look\",\"on\":1}", 422, "ARGUMENT");
    assert_refused("POST", "systems", "{\"on\":true}", 422, "ARGUMENT");
    assert_refused("POST", "systems", "{\"name\":\"look\",\"phase\":\"game\",\"on\":true}", 422, "ARGUMENT");
}

/* ---- The timeline -------------------------------------------------------------------------------------------------*/

/* Checks the pieces of a frame: their times are within the frame, and their threads exist. */
static void check_frame(const json_t *answer, const json_t *frame) {
    size_t i, replays = 0, pieces[4] = { 0 };
    const json_t *piece, *names = member(answer, "systems");
    int64_t length = number_of(frame, "length");
    json_array_foreach(member(frame, "pieces"), i, piece) {
        const char *name = json_string_value(json_array_get(names, (size_t)number_of(piece, "system")));
        assert_non_null(name);
        assert_true(number_of(piece, "begin") >= 0 && number_of(piece, "end") <= length);
        assert_true(number_of(piece, "begin") <= number_of(piece, "end"));
        assert_in_range(number_of(piece, "thread"), 0, number_of(answer, "threads") - 1);
        bool moves = strcmp(name, "then") == 0;
        assert_int_equal(json_integer_value(json_object_get(piece, "bytes")), moves ? 1200 : 0);
        assert_true(json_number_value(json_object_get(piece, "blocked")) == (moves ? 0.5e9 : 0));
        if (json_object_get(piece, "replay")) replays++;
        else pieces[strcmp(name, "record") == 0]++;
    }
    assert_int_equal(pieces[1], 4);
    assert_int_equal(pieces[0], 3);
    assert_int_equal(replays, 1);
}

static void check_timeline(const char *path, size_t frames, uint64_t first) {
    size_t i;
    json_t *frame, *answer = get_json(path);
    int64_t end = 0;
    assert_int_equal(json_array_size(member(answer, "frames")), frames);
    json_array_foreach(member(answer, "frames"), i, frame) {
        assert_int_equal(number_of(frame, "frame"), first + i);
        assert_true(i == 0 ? number_of(frame, "at") == 0 : number_of(frame, "at") >= end);
        end = number_of(frame, "at") + number_of(frame, "length");
        check_frame(answer, frame);
    }
    assert_int_equal(number_of(answer, "threads"), 2);
    json_decref(answer);
}

static void test_the_timeline_has_the_last_frames(void **state) {
    (void)state;
    run();
    assert_int_equal(covey_schedule_traced(schedule, 0, NULL, 0), 0);
    check_timeline("timeline?frames=3", 0, 0); /* tracing starts now */
    run();
    check_timeline("timeline?frames=3", 1, 1);
    for (uint32_t i = 0; i < 10; i++) run();
    check_timeline("timeline?frames=3", 3, 9);
    check_timeline("timeline?frames=2", 2, 10);
    assert_refused("GET", "timeline?frames=121", NULL, 422, "ARGUMENT");
    inspect_close();
    run();
    assert_int_equal(covey_schedule_traced(schedule, 0, NULL, 0), 0); /* tracing has stopped */
    inspect_open(&(covey_inspect_desc){ .schedule = schedule, .budget = 1e-9 });
    check_timeline("timeline?frames=3", 0, 0);
    for (uint32_t i = 0; i < 10; i++) run();
    check_timeline("timeline?frames=3", 3, 20);
}

/* Tracing ends some seconds after the last request for the timeline. */
static void test_a_trace_ends_when_nobody_asks(void **state) {
    (void)state;
    json_decref(get_json("timeline"));
    run();
    assert_true(covey_schedule_traced(schedule, 0, NULL, 0) != 0);
    poll_for(5300);
    run();
    assert_int_equal(covey_schedule_traced(schedule, 0, NULL, 0), 0);
}

/* ---- Running ------------------------------------------------------------------------------------------------------*/

static void set_pace(const char *body) { json_decref(ask_json("POST", "run", body, 200)); }

static uint32_t frames_in(uint32_t polls) {
    uint32_t frames = 0;
    while (polls-- != 0) frames += covey_inspect_poll(inspector);
    return frames;
}

static void test_the_page_pauses_and_steps(void **state) {
    (void)state;
    assert_int_equal(frames_in(10), 10);
    set_pace("{\"paused\":true}");
    assert_int_equal(frames_in(10), 0);
    json_t *answer = get_json("world");
    assert_true(json_is_true(member(answer, "paused")));
    int64_t frame = number_of(answer, "frame");
    json_decref(answer);
    set_pace("{\"step\":3}");
    assert_true(frames_in(10) <= 3); /* some polls were made before the answer arrived */
    answer = get_json("world");
    assert_int_equal(number_of(answer, "frame"), frame + 3);
    json_decref(answer);
    set_pace("{\"paused\":false}");
    assert_int_equal(frames_in(10), 10);
    set_pace("{\"step\":1}"); /* stops, too */
    frames_in(1);
    assert_int_equal(frames_in(10), 0);
}

static void test_the_page_sets_the_speed(void **state) {
    (void)state;
    set_pace("{\"speed\":4}");
    assert_int_equal(frames_in(10), 40);
    set_pace("{\"speed\":0.25}");
    assert_in_range(frames_in(40), 9, 10);
    set_pace("{\"speed\":1,\"paused\":false}");
    assert_int_equal(frames_in(10), 10);
}

static void test_a_pace_that_is_none_is_refused(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "{}",           "{\"speed\":0}",  "{\"speed\":-1}",   "{\"speed\":1e9}", "{\"speed\":\"fast\"}",
        "{\"step\":0}", "{\"step\":1.5}", "{\"step\":10001}", "{\"paused\":1}",  "{\"paused\":true,\"speed\":0}"
    };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) assert_refused("POST", "run", wrong[i], 422, "ARGUMENT");
    assert_int_equal(frames_in(10), 10);
    inspect_close();
    inspect_open(&(covey_inspect_desc){ .schedule = schedule });
    assert_refused("POST", "run", "{\"paused\":true}", 403, "READ_ONLY");
    assert_refused("POST", "systems", "{\"name\":\"look\",\"on\":false}", 403, "READ_ONLY");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SYSTEMS_TEST(test_the_systems_of_an_entity),
        SYSTEMS_TEST(test_systems_with_their_times),
        SYSTEMS_TEST(test_the_plan_as_a_graph),
        SYSTEMS_TEST(test_a_plan_that_cannot_be_made_says_why),
        SYSTEMS_TEST(test_without_a_schedule_there_is_nothing_to_show),
        SYSTEMS_TEST(test_systems_are_switched_on_and_off),
        SYSTEMS_TEST(test_the_timeline_has_the_last_frames),
        SYSTEMS_TEST(test_a_trace_ends_when_nobody_asks),
        SYSTEMS_TEST(test_the_page_pauses_and_steps),
        SYSTEMS_TEST(test_the_page_sets_the_speed),
        SYSTEMS_TEST(test_a_pace_that_is_none_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
