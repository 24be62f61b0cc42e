/* Schedules: when systems and phases have their turn, and what time has to do with it. */
#include "scheduled.h"

/* How often a system ran, and what its job said the last time. */
typedef struct counts {
    uint32_t runs;
    double step;
    uint64_t run;
    bool fails, says_yes;
    uint32_t asked, dropped;
} counts;

static void count(covey_job *job, void *context) {
    counts *c = context;
    c->runs++;
    c->step = job->step;
    c->run = job->run;
    job->result = c->fails ? COVEY_ERROR_FULL : COVEY_OK;
}

static bool ask(const covey_world *of, void *context) {
    counts *c = context;
    assert_ptr_equal(of, world);
    c->asked++;
    return c->says_yes;
}

static void add_counting(covey_schedule *schedule, const char *name, counts *c, covey_system system) {
    system.name = name;
    system.run = count;
    system.context = c;
    add_system(schedule, system);
}

static void add_phase(covey_schedule *schedule, covey_phase phase) {
    assert_int_equal(covey_phase_add(schedule, &phase), COVEY_OK);
}

static void run_times(covey_schedule *schedule, uint32_t times) {
    while (times-- != 0) run_well(schedule);
}

/* ---- Systems ------------------------------------------------------------------------------------------------------*/

static void a_system_runs_every_so_many_times(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(2);
    counts each = { 0 }, one = { 0 }, third = { 0 };
    add_counting(schedule, "each", &each, (covey_system){ .every = 0 });
    add_counting(schedule, "one", &one, (covey_system){ .every = 1 });
    add_counting(schedule, "third", &third, (covey_system){ .every = 3 });
    for (uint32_t run = 1; run <= 10; run++) {
        run_well(schedule);
        assert_int_equal(each.runs, run);
        assert_int_equal(each.run, run - 1);
        assert_int_equal(one.runs, run);
        assert_int_equal(third.runs, (run + 2) / 3); /* the first time, and then each third */
    }
    covey_schedule_destroy(schedule);
}

static void a_system_runs_once(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(2);
    counts once = { 0 };
    add_counting(schedule, "once", &once, (covey_system){ .once = true });
    run_times(schedule, 5);
    assert_int_equal(once.runs, 1);
    assert_true(covey_system_remove(schedule, "once"));
    add_counting(schedule, "once", &once, (covey_system){ .once = true });
    run_times(schedule, 5);
    assert_int_equal(once.runs, 2);
    covey_schedule_destroy(schedule);
}

static void a_system_is_switched_on_and_off(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(2);
    counts off = { 0 };
    covey_system_stats stats;
    add_counting(schedule, "off", &off, (covey_system){ .disabled = true });
    run_times(schedule, 3);
    assert_int_equal(off.runs, 0);
    assert_int_equal(covey_schedule_stats(schedule, &stats, 1), 1);
    assert_false(stats.enabled);
    assert_true(covey_system_enable(schedule, "off", true));
    run_times(schedule, 3);
    assert_int_equal(off.runs, 3);
    assert_true(covey_system_enable(schedule, "off", false));
    run_times(schedule, 3);
    assert_int_equal(off.runs, 3);
    assert_false(covey_system_enable(schedule, "nobody", true));
    covey_schedule_destroy(schedule);
}

static void switch_other_off(covey_job *job, void *context) {
    (void)job;
    covey_system_enable(context, "other", false);
}

static void a_system_may_be_switched_while_the_schedule_runs(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(2);
    counts other = { 0 };
    add_system(schedule, (covey_system){ .name = "switch", .run = switch_other_off, .context = schedule });
    add_phase(schedule, (covey_phase){ .name = "then" });
    add_counting(schedule, "other", &other, (covey_system){ .phase = "then" });
    run_times(schedule, 2);
    assert_int_equal(other.runs, 0);
    covey_schedule_destroy(schedule);
}

static void a_condition_decides_each_time(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(2);
    counts c = { .says_yes = true };
    add_counting(schedule, "maybe", &c, (covey_system){ .when = ask });
    run_times(schedule, 2);
    c.says_yes = false;
    run_times(schedule, 3);
    assert_int_equal(c.runs, 2);
    assert_int_equal(c.asked, 5);
    covey_system_enable(schedule, "maybe", false);
    run_times(schedule, 3);
    assert_int_equal(c.asked, 5); /* a system that is off is not asked */
    covey_schedule_destroy(schedule);
}

static void once_waits_for_its_condition(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(1);
    counts c = { 0 };
    add_counting(schedule, "start", &c, (covey_system){ .once = true, .when = ask });
    run_times(schedule, 3);
    assert_int_equal(c.runs, 0);
    c.says_yes = true;
    run_times(schedule, 3);
    assert_int_equal(c.runs, 1);
    assert_int_equal(c.asked, 4);
    covey_schedule_destroy(schedule);
}

static void every_asks_only_when_it_is_time(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(1);
    counts c = { .says_yes = true };
    add_counting(schedule, "third", &c, (covey_system){ .every = 3, .when = ask });
    run_times(schedule, 7);
    assert_int_equal(c.asked, 3);
    assert_int_equal(c.runs, 3);
    covey_schedule_destroy(schedule);
}

static void note_drop(void *context) { ((counts *)context)->dropped++; }

static void a_context_ends_with_its_system(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(1);
    counts first = { 0 }, second = { 0 }, refused = { 0 };
    add_counting(schedule, "first", &first, (covey_system){ .drop = note_drop });
    add_counting(schedule, "second", &second, (covey_system){ .drop = note_drop });
    assert_int_equal(
        covey_system_add(schedule,
                         &(covey_system){ .name = "first", .run = count, .context = &refused, .drop = note_drop }),
        COVEY_ERROR_PRESENT);
    assert_int_equal(covey_system_add(schedule, &(covey_system){ .name = "circle",
                                                                 .run = count,
                                                                 .context = &refused,
                                                                 .drop = note_drop,
                                                                 .after = { "circle" } }),
                     COVEY_ERROR_CYCLE);
    assert_true(covey_system_remove(schedule, "first"));
    assert_int_equal(first.dropped, 1);
    assert_int_equal(second.dropped, 0);
    covey_schedule_destroy(schedule);
    assert_int_equal(first.dropped, 1);
    assert_int_equal(second.dropped, 1);
    assert_int_equal(refused.dropped, 0); /* it stays the caller's */
}

/* ---- Phases -------------------------------------------------------------------------------------------------------*/

static void phases_have_turns_as_systems_have(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(2);
    counts every = { 0 }, once = { 0 }, off = { 0 }, when = { 0 };
    add_phase(schedule, (covey_phase){ .name = "every", .every = 2 });
    add_counting(schedule, "a", &every, (covey_system){ .name = NULL });
    add_phase(schedule, (covey_phase){ .name = "once", .once = true });
    add_counting(schedule, "b", &once, (covey_system){ .name = NULL });
    add_phase(schedule, (covey_phase){ .name = "off", .disabled = true });
    add_counting(schedule, "c", &off, (covey_system){ .name = NULL });
    add_phase(schedule, (covey_phase){ .name = "when", .when = ask, .context = &when });
    add_counting(schedule, "d", &when, (covey_system){ .every = 2 });
    run_times(schedule, 4);
    assert_int_equal(every.runs, 2);
    assert_int_equal(once.runs, 1);
    assert_int_equal(off.runs, 0);
    assert_int_equal(when.runs, 0);
    assert_int_equal(when.asked, 4);
    when.says_yes = true;
    assert_true(covey_phase_enable(schedule, "off", true));
    assert_true(covey_phase_enable(schedule, "every", false));
    assert_false(covey_phase_enable(schedule, "nobody", false));
    run_times(schedule, 4);
    assert_int_equal(every.runs, 2);
    assert_int_equal(off.runs, 4);
    assert_int_equal(when.runs, 2); /* each second of the phase's turns */
    covey_schedule_destroy(schedule);
}

/* ---- Time ---------------------------------------------------------------------------------------------------------*/

static void a_step_is_made_as_often_as_it_fits(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(2);
    counts physics = { 0 }, frame = { 0 };
    add_counting(schedule, "frame", &frame, (covey_system){ .name = NULL });
    add_phase(schedule, (covey_phase){ .name = "physics", .step = 0.25 });
    add_counting(schedule, "move", &physics, (covey_system){ .name = NULL });
    static const struct {
        double seconds, fraction;
        uint32_t runs;
    } times[] = { { 0.125, 0.5, 0 }, { 0.125, 0, 1 }, { 0.625, 0.5, 3 }, { 0, 0.5, 3 }, { -1, 0.5, 3 }, { 1, 0.5, 7 } };
    for (uint32_t i = 0; i < COUNT_OF(times); i++) {
        assert_int_equal(covey_schedule_run_for(schedule, times[i].seconds), COVEY_OK);
        assert_int_equal(physics.runs, times[i].runs);
        assert_true(covey_phase_fraction(schedule, "physics") == times[i].fraction);
        assert_int_equal(frame.runs, i + 1);
        assert_true(frame.step == (times[i].seconds > 0 ? times[i].seconds : 0));
    }
    assert_true(physics.step == 0.25);
    assert_true(covey_phase_fraction(schedule, "nobody") == 0);
    run_well(schedule);
    assert_int_equal(physics.runs, 7);
    volatile double zero = 0;
    assert_int_equal(covey_schedule_run_for(schedule, zero / zero), COVEY_OK);
    assert_int_equal(physics.runs, 7);
    covey_schedule_destroy(schedule);
}

static void time_that_is_too_much_is_dropped(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(1);
    counts eight = { 0 }, two = { 0 };
    add_phase(schedule, (covey_phase){ .name = "eight", .step = 1 });
    add_counting(schedule, "a", &eight, (covey_system){ .name = NULL });
    add_phase(schedule, (covey_phase){ .name = "two", .step = 1, .most = 2 });
    add_counting(schedule, "b", &two, (covey_system){ .name = NULL });
    assert_int_equal(covey_schedule_run_for(schedule, 2.5), COVEY_OK);
    assert_int_equal(eight.runs, 2);
    assert_int_equal(two.runs, 2);
    assert_true(covey_phase_fraction(schedule, "two") == 0.5);
    assert_int_equal(covey_schedule_run_for(schedule, 100), COVEY_OK);
    assert_int_equal(eight.runs, 10);
    assert_int_equal(two.runs, 4);
    assert_true(covey_phase_fraction(schedule, "eight") == 0);
    volatile double zero = 0;
    assert_int_equal(covey_schedule_run_for(schedule, 1 / zero), COVEY_OK);
    assert_int_equal(eight.runs, 18);
    assert_int_equal(covey_schedule_run_for(schedule, 1), COVEY_OK);
    assert_int_equal(eight.runs, 19);
    covey_schedule_destroy(schedule);
}

static void once_in_a_phase_of_steps_is_one_step(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(1);
    counts once = { 0 }, second = { 0 };
    add_phase(schedule, (covey_phase){ .name = "steps", .step = 1 });
    add_counting(schedule, "once", &once, (covey_system){ .once = true });
    add_counting(schedule, "second", &second, (covey_system){ .every = 2 });
    assert_int_equal(covey_schedule_run_for(schedule, 4), COVEY_OK);
    assert_int_equal(once.runs, 1);
    assert_int_equal(second.runs, 2);
    covey_schedule_destroy(schedule);
}

static void steps_behind_a_failure_are_made_the_next_time(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(1);
    counts c = { .fails = true };
    add_phase(schedule, (covey_phase){ .name = "steps", .step = 1 });
    add_counting(schedule, "fails", &c, (covey_system){ .name = NULL });
    assert_int_equal(covey_schedule_run_for(schedule, 4.5), COVEY_ERROR_FULL);
    assert_int_equal(c.runs, 1);
    assert_true(covey_phase_fraction(schedule, "steps") == 1); /* and not more, though three are left */
    c.fails = false;
    run_well(schedule);
    assert_int_equal(c.runs, 4);
    assert_true(covey_phase_fraction(schedule, "steps") == 0.5);
    covey_schedule_destroy(schedule);
}

static void add_one(covey_job *job, void *context) {
    counts *c = context;
    c->runs++;
    c->asked = covey_entity_count(world);
    covey_entity e = covey_record_create(job->commands);
    covey_record_add(job->commands, e, Blocked, { c->runs, ~c->runs });
}

static void commands_of_a_step_are_replayed_before_the_next(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(2);
    counts c = { 0 };
    add_phase(schedule, (covey_phase){ .name = "steps", .step = 1 });
    add_system(schedule, (covey_system){ .name = "add", .run = add_one, .context = &c, .creates = 1 });
    assert_int_equal(covey_schedule_run_for(schedule, 3), COVEY_OK);
    assert_int_equal(c.runs, 3);
    assert_int_equal(c.asked, 2); /* those of the two steps before */
    covey_schedule_destroy(schedule);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(a_system_runs_every_so_many_times),
        WORLD_TEST(a_system_runs_once),
        WORLD_TEST(a_system_is_switched_on_and_off),
        WORLD_TEST(a_system_may_be_switched_while_the_schedule_runs),
        WORLD_TEST(a_condition_decides_each_time),
        WORLD_TEST(once_waits_for_its_condition),
        WORLD_TEST(every_asks_only_when_it_is_time),
        WORLD_TEST(a_context_ends_with_its_system),
        WORLD_TEST(phases_have_turns_as_systems_have),
        WORLD_TEST(a_step_is_made_as_often_as_it_fits),
        WORLD_TEST(time_that_is_too_much_is_dropped),
        WORLD_TEST(once_in_a_phase_of_steps_is_one_step),
        WORLD_TEST(steps_behind_a_failure_are_made_the_next_time),
        WORLD_TEST(commands_of_a_step_are_replayed_before_the_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
