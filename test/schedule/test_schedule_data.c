/* The plan of a schedule and what was traced, as data. */
#include "scheduled.h"

static void run_nothing(covey_job *job, void *context) { (void)job, (void)context; }

/* ---- Plans --------------------------------------------------------------------------------------------------------*/

static covey_schedule *make_planned(void) {
    covey_schedule *schedule = schedule_on(2);
    add_system(schedule, (covey_system){ .name = "input", .run = run_nothing, .resource_writes = { covey_id(Kept) } });
    assert_int_equal(covey_phase_add(schedule, &(covey_phase){ .name = "game" }), COVEY_OK);
    add_system(schedule,
               (covey_system){ .name = "move",
                               .run = run_nothing,
                               .split = true,
                               .view = { .with = { covey_id(Packed), covey_id(Fixed) }, .read = { covey_id(Fixed) } },
                               .resource_reads = { covey_id(Kept) } });
    add_system(schedule, (covey_system){
                             .name = "look", .run = run_nothing, .main_thread = true, .reads = { covey_id(Packed) } });
    add_system(schedule, (covey_system){ .name = "turn", .run = run_nothing, .writes = { covey_id(Packed) } });
    add_system(schedule, (covey_system){ .name = "last", .run = run_nothing, .after = { "turn" }, .disabled = true });
    add_system(schedule, (covey_system){ .name = "push", .run = run_nothing, .writes = { covey_id(Packed) } });
    add_system(schedule, (covey_system){ .name = "end", .run = run_nothing, .exclusive = true });
    return schedule;
}

static void a_plan_has_systems_in_their_order(void **state) {
    (void)state;
    static const char *const names[] = { "input", "move", "look", "turn", "last", "push", "end" };
    static const uint32_t stages[] = { 0, 1, 1, 1, 1, 1, 2 };
    covey_schedule *schedule = make_planned();
    covey_planned_system systems[8];
    memset(systems, 0x5a, sizeof systems);
    assert_int_equal(covey_schedule_plan(schedule, NULL, 0), 7);
    assert_int_equal(covey_schedule_plan(schedule, systems, 2), 7);
    assert_int_equal(systems[2].stage, 0x5a5a5a5a); /* not more than there is room for */
    assert_int_equal(covey_schedule_plan(schedule, systems, 8), 7);
    for (uint32_t i = 0; i < 7; i++) {
        assert_string_equal(systems[i].name, names[i]);
        assert_int_equal(systems[i].stage, stages[i]);
        assert_int_equal(systems[i].enabled, i != 4);
        assert_int_equal(systems[i].split, i == 1);
        assert_int_equal(systems[i].exclusive, i == 6);
        assert_int_equal(systems[i].main_thread, i == 2);
        if (i == 0) assert_null(systems[i].phase);
        else assert_string_equal(systems[i].phase, "game");
    }
    assert_true(covey_system_remove(schedule, "look"));
    assert_int_equal(covey_schedule_plan(schedule, systems, 8), 6);
    assert_string_equal(systems[2].name, "turn");
    covey_schedule_destroy(schedule);
}

static void systems_say_what_they_use(void **state) {
    (void)state;
    covey_schedule *schedule = make_planned();
    covey_system_use uses[4];
    assert_int_equal(covey_schedule_uses(schedule, 1, uses, 4), 3);
    for (uint32_t i = 0; i < 3; i++) {
        bool packed = uses[i].type == covey_id(Packed);
        assert_true(packed || uses[i].type == covey_id(Fixed) || uses[i].type == covey_id(Kept));
        assert_int_equal(uses[i].writes, packed);
        assert_int_equal(uses[i].resource, uses[i].type == covey_id(Kept));
    }
    uses[1].type = NULL;
    assert_int_equal(covey_schedule_uses(schedule, 1, uses, 1), 3);
    assert_null(uses[1].type);
    assert_int_equal(covey_schedule_uses(schedule, 6, uses, 4), 0); /* uses nothing */
    assert_int_equal(covey_schedule_uses(schedule, 7, uses, 4), 0); /* is not there */
    covey_schedule_destroy(schedule);
}

static void systems_say_which_entities_they_iterate(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(1);
    covey_group *group = covey_group_create(world, &(covey_group_desc){ .with = { covey_id(Packed), covey_id(Kept) } });
    covey_view_desc without_fixed = { .with = { covey_id(Packed) }, .without = { covey_id(Fixed) } };
    add_system(schedule, (covey_system){ .name = "view", .run = run_nothing, .view = without_fixed });
    add_system(schedule, (covey_system){ .name = "group", .run = run_nothing, .group = group });
    add_system(schedule, (covey_system){ .name = "none", .run = run_nothing, .reads = { covey_id(Packed) } });
    covey_entity e = create_with(covey_id(Packed), 1);
    assert_true(covey_schedule_contains(schedule, 0, e));
    assert_false(covey_schedule_contains(schedule, 1, e));
    assert_non_null(covey_add_raw(world, e, covey_id(Kept), NULL));
    assert_true(covey_schedule_contains(schedule, 1, e));
    assert_false(covey_schedule_contains(schedule, 2, e)); /* it iterates nothing */
    assert_false(covey_schedule_contains(schedule, 3, e)); /* is not there */
    assert_non_null(covey_add_raw(world, e, covey_id(Fixed), NULL));
    assert_false(covey_schedule_contains(schedule, 0, e));
    covey_destroy(world, e);
    assert_false(covey_schedule_contains(schedule, 1, e));
    covey_schedule_destroy(schedule);
}

static void waits_have_reasons(void **state) {
    (void)state;
    static const covey_planned_wait expected[] = {
        { 1, 2, COVEY_WAIT_WRITTEN_THEN_READ, covey_id(Packed) },
        { 2, 3, COVEY_WAIT_READ_THEN_WRITTEN, covey_id(Packed) },
        { 3, 4, COVEY_WAIT_LINKED, NULL },
        { 3, 5, COVEY_WAIT_BOTH_WRITE, covey_id(Packed) },
    };
    covey_schedule *schedule = make_planned();
    covey_planned_wait waits[8] = { 0 };
    assert_int_equal(covey_schedule_waits(schedule, NULL, 0), COUNT_OF(expected));
    assert_int_equal(covey_schedule_waits(schedule, waits, 8), COUNT_OF(expected));
    for (uint32_t i = 0; i < COUNT_OF(expected); i++) {
        assert_int_equal(waits[i].first, expected[i].first);
        assert_int_equal(waits[i].then, expected[i].then);
        assert_int_equal(waits[i].why, expected[i].why);
        assert_ptr_equal(waits[i].type, expected[i].type);
    }
    memset(waits, 0, sizeof waits);
    assert_int_equal(covey_schedule_waits(schedule, waits, 1), COUNT_OF(expected));
    assert_int_equal(waits[1].then, 0);
    covey_schedule_destroy(schedule);
}

static void without_a_plan_there_is_nothing(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(1);
    covey_planned_system system;
    covey_system_use use;
    covey_planned_wait wait;
    assert_int_equal(covey_schedule_plan(schedule, &system, 1), 0);
    add_system(schedule, (covey_system){ .name = "a", .run = run_nothing, .after = { "nobody" } });
    assert_int_equal(covey_schedule_plan(schedule, &system, 1), 0);
    assert_int_equal(covey_schedule_uses(schedule, 0, &use, 1), 0);
    assert_int_equal(covey_schedule_waits(schedule, &wait, 1), 0);
    assert_false(covey_schedule_contains(schedule, 0, create_with(covey_id(Packed), 1)));
    assert_says(schedule, "nobody");
    covey_schedule_destroy(schedule);
}

/* ---- Traces -------------------------------------------------------------------------------------------------------*/

enum { PER_RUN = 4 + 1 + 1 }; /* pieces of "record", a replay, "other" */

static covey_schedule *make_traced(void) {
    covey_schedule *schedule = schedule_on(2);
    add_recorder(schedule);
    add_system(schedule, (covey_system){ .name = "other", .run = run_nothing });
    return schedule;
}

/* All events of a run, once each, in times that make sense. */
static void check_run(const covey_trace_event *events, uint64_t run, uint64_t *latest) {
    uint32_t pieces = 0, replays = 0, others = 0;
    for (uint32_t i = 0; i < PER_RUN; i++) {
        assert_int_equal(events[i].run, run);
        assert_true(events[i].begin <= events[i].end && events[i].begin >= *latest);
        assert_true(events[i].thread < 2);
        if (strcmp(events[i].system, "other") == 0) others++;
        else if (events[i].replay) replays += events[i].piece == 1;
        else pieces |= 1u << events[i].piece;
    }
    for (uint32_t i = 0; i < PER_RUN; i++) *latest = events[i].end > *latest ? events[i].end : *latest;
    assert_true(pieces == 15 && replays == 1 && others == 1);
}

static void check_runs(const covey_schedule *schedule, uint64_t first, uint32_t runs) {
    covey_trace_event events[PER_RUN];
    uint64_t latest = 0;
    assert_int_equal(covey_schedule_traced(schedule, 0, NULL, 0), runs * PER_RUN);
    for (uint32_t i = 0; i < runs; i++) {
        assert_int_equal(covey_schedule_traced(schedule, i * PER_RUN, events, PER_RUN), runs * PER_RUN);
        check_run(events, first + i, &latest);
    }
}

static void a_trace_is_there_as_data(void **state) {
    (void)state;
    covey_schedule *schedule = make_traced();
    run_well(schedule);
    covey_schedule_trace(schedule, 3);
    for (uint32_t i = 0; i < 5; i++) run_well(schedule);
    check_runs(schedule, 1, 3);
    covey_trace_event events[2];
    memset(events, 0x5a, sizeof events);
    covey_trace_event untouched = events[1];
    assert_int_equal(covey_schedule_traced(schedule, 3 * PER_RUN - 1, events, 2), 3 * PER_RUN);
    assert_int_equal(events[0].run, 3);
    assert_memory_equal(&events[1], &untouched, sizeof untouched); /* there is none behind the last */
    assert_int_equal(covey_schedule_traced(schedule, 3 * PER_RUN, events, 2), 3 * PER_RUN);
    assert_int_equal(covey_schedule_traced(schedule, UINT32_MAX, events, 2), 3 * PER_RUN);
    covey_schedule_destroy(schedule);
}

static void the_last_runs_are_kept(void **state) {
    (void)state;
    covey_schedule *schedule = make_traced();
    covey_schedule_trace_last(schedule, 4);
    for (uint32_t i = 1; i <= 50; i++) {
        run_well(schedule);
        check_runs(schedule, i < 4 ? 0 : i - 4, i < 4 ? i : 4);
    }
    covey_schedule_trace_last(schedule, 1); /* begins anew */
    assert_int_equal(covey_schedule_traced(schedule, 0, NULL, 0), 0);
    for (uint32_t i = 50; i < 60; i++) {
        run_well(schedule);
        check_runs(schedule, i, 1);
    }
    covey_schedule_trace(schedule, 2); /* from here on with an end */
    for (uint32_t i = 60; i < 70; i++) run_well(schedule);
    check_runs(schedule, 60, 2);
    covey_schedule_trace_last(schedule, 0);
    run_well(schedule);
    assert_int_equal(covey_schedule_traced(schedule, 0, NULL, 0), 0);
    covey_schedule_destroy(schedule);
}

/* What is printed is what is kept. */
static void what_was_forgotten_is_not_printed(void **state) {
    (void)state;
    static page out;
    covey_schedule *schedule = make_traced();
    covey_schedule_trace_last(schedule, 2);
    for (uint32_t i = 0; i < 9; i++) run_well(schedule);
    out = (page){ 0 };
    covey_schedule_print_trace(schedule, write_page, &out);
    uint32_t count = 0;
    for (const char *at = out.text; (at = strstr(at, "\"name\":\"other\"")); at++) count++;
    assert_int_equal(count, 2);
    assert_non_null(strstr(out.text, "\"ts\":0.000"));
    covey_schedule_destroy(schedule);
}

/* Runs without a system also push older runs out of the trace. */
static void idle_runs_push_others_out(void **state) {
    (void)state;
    covey_schedule *schedule = make_traced();
    covey_schedule_trace_last(schedule, 3);
    run_well(schedule);
    assert_true(covey_system_enable(schedule, "record", false) && covey_system_enable(schedule, "other", false));
    for (uint32_t i = 0; i < 2; i++) run_well(schedule);
    check_runs(schedule, 0, 1);
    run_well(schedule);
    assert_int_equal(covey_schedule_traced(schedule, 0, NULL, 0), 0);
    covey_schedule_destroy(schedule);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(a_plan_has_systems_in_their_order),
        WORLD_TEST(systems_say_what_they_use),
        WORLD_TEST(systems_say_which_entities_they_iterate),
        WORLD_TEST(waits_have_reasons),
        WORLD_TEST(without_a_plan_there_is_nothing),
        WORLD_TEST(a_trace_is_there_as_data),
        WORLD_TEST(the_last_runs_are_kept),
        WORLD_TEST(what_was_forgotten_is_not_printed),
        WORLD_TEST(idle_runs_push_others_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
