/* Schedules: what a system needs, which systems wait for each other, and in which order they run. */
#include "scheduled.h"

#include <stdatomic.h>

COVEY_TAG_DEFINE(Flag);
COVEY_TAG_DEFINE(Ticked, .ticks = true);

/* The systems that ran, in order, as one letter each: the first of the system's name. Only for systems that wait for
 * each other. */
static char trace[64];

static void run_traced(covey_job *job, void *context) {
    (void)job;
    if (trace[0] == '\0') nap_for(1000); /* the first is slow: others overtake it where they may */
    size_t length = strlen(trace);
    if (length + 1 < sizeof trace) trace[length] = *(const char *)context;
}

static void assert_trace(covey_schedule *schedule, const char *expected) {
    memset(trace, 0, sizeof trace);
    run_well(schedule);
    assert_string_equal(trace, expected);
}

#define SYSTEM(...) ((covey_system){ __VA_ARGS__ })

/* A system that traces itself, and writes Blocked: each waits for those before it. */
static covey_system traced(covey_system system) {
    system.run = run_traced;
    system.context = (void *)(uintptr_t)system.name;
    system.writes[0] = covey_id(Blocked);
    return system;
}
#define TRACED(...) traced(SYSTEM(__VA_ARGS__))

/* ---- Adding -------------------------------------------------------------------------------------------------------*/

static void run_nothing(covey_job *job, void *context) { (void)job, (void)context; }

static void add_up(void *total, const void *scratch, void *context) { (void)total, (void)scratch, (void)context; }

static void a_schedule_without_systems_runs(void **state) {
    (void)state;
    covey_schedule *schedule = covey_schedule_create(world, NULL);
    assert_non_null(schedule);
    assert_true(covey_schedule_threads(schedule) >= 1);
    run_well(schedule);
    run_well(schedule);
    assert_int_equal(covey_schedule_stats(schedule, NULL, 0), 0);
    covey_schedule_destroy(schedule);
    covey_schedule_destroy(NULL);
}

static void threads_are_counted_with_the_one_that_calls(void **state) {
    (void)state;
    covey_schedule *schedule = covey_schedule_create(world, &(covey_schedule_desc){ .threads = 1000 });
    assert_int_equal(covey_schedule_threads(schedule), COVEY_THREADS);
    covey_schedule_destroy(schedule);
    schedule = covey_schedule_create(world, &(covey_schedule_desc){ .jobs = pool_in_reverse() });
    assert_int_equal(covey_schedule_threads(schedule), 3);
    covey_schedule_destroy(schedule);
    schedule = covey_schedule_create(world, &(covey_schedule_desc){ .threads = 2, .jobs = pool_in_reverse() });
    assert_int_equal(covey_schedule_threads(schedule), 2);
    covey_schedule_destroy(schedule);
    covey_jobs silent = { .run = pool_in_reverse().run }; /* says nothing of threads */
    schedule = covey_schedule_create(world, &(covey_schedule_desc){ .jobs = silent });
    assert_int_equal(covey_schedule_threads(schedule), 1);
    covey_schedule_destroy(schedule);
}

static void count_rows(covey_job *job, void *context) {
    for (covey_row row = { 0 }; covey_next_row(&job->it, &row);) ++*(uint32_t *)context;
}

static void a_system_without_entities_may_visit_rows(void **state) {
    (void)state;
    uint32_t rows = 0;
    covey_schedule *schedule = covey_schedule_create(world, &(covey_schedule_desc){ .threads = 1 });
    covey_system system = { .name = "rows", .run = count_rows, .context = &rows, .view.with = { covey_id(Flag) } };
    assert_int_equal(covey_system_add(schedule, &system), COVEY_OK);
    run_well(schedule);
    assert_int_equal(rows, 0);
    covey_schedule_destroy(schedule);
}

static void refuse(covey_schedule *schedule, covey_system system, covey_result result, const char *words) {
    assert_int_equal(covey_system_add(schedule, &system), result);
    assert_failed(result);
    assert_says(schedule, words);
    assert_string_equal(covey_schedule_failure(schedule), heard.text);
}

static void what_is_wrong_with_a_system_is_said(void **state) {
    (void)state;
    static uint64_t total;
    covey_schedule *schedule = schedule_on(1);
    covey_group *group = covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Packed) } });
    covey_type nameless = { .size = 4, .align = 4 };
    assert_int_equal(covey_system_add(schedule, NULL), COVEY_ERROR_TYPE);
    assert_says(schedule, "a system needs a name: set .name");
#define REFUSE(words, ...) refuse(schedule, (covey_system){ __VA_ARGS__ }, COVEY_ERROR_TYPE, words)
#define VIEW .view = {.with = { covey_id(Blocked) } }
    REFUSE("a system needs a name: set .name", .run = run_nothing);
    REFUSE("system x has no function: set .run", .name = "x");
    REFUSE("has a view and a group", .name = "x", .run = run_nothing, .group = group, VIEW);
    REFUSE("is .split and .exclusive", .name = "x", .run = run_nothing, .split = true, .exclusive = true, VIEW);
    REFUSE("is .split and .main_thread", .name = "x", .run = run_nothing, .split = true, .main_thread = true, VIEW);
    REFUSE("has no view or group", .name = "x", .run = run_nothing, .split = true);
    REFUSE("no .scratch or no .total", .name = "x", .run = run_nothing, .merge = add_up, .total = &total);
    REFUSE("no .scratch or no .total", .name = "x", .run = run_nothing, .merge = add_up, .scratch = 8);
    REFUSE("has .total, but no .merge", .name = "x", .run = run_nothing, .scratch = 8, .total = &total);
    REFUSE("scratch that is too large", .name = "x", .run = run_nothing, .scratch = SIZE_MAX / 2 + 1);
    REFUSE("view that is not valid", .name = "x", .run = run_nothing,
           .view = { .with = { covey_id(Blocked), covey_id(Blocked) } });
    REFUSE("a type without a name", .name = "x", .run = run_nothing, .reads = { &nameless });
    REFUSE("a type without a name", .name = "x", .run = run_nothing,
           .resource_writes = { covey_id(Blocked), &nameless });
    refuse(schedule, (covey_system){ .name = "x", .run = run_nothing, .phase = "later" }, COVEY_ERROR_ABSENT,
           "system x is to be in phase later, which was not added");
    assert_int_equal(covey_schedule_stats(schedule, NULL, 0), 0);
    covey_schedule_destroy(schedule);
}

static void a_name_is_taken_once(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(1);
    covey_system system = { .name = "a", .run = run_nothing };
    add_system(schedule, system);
    refuse(schedule, system, COVEY_ERROR_PRESENT, "a system named a exists already");
    assert_int_equal(covey_phase_add(schedule, &(covey_phase){ .name = "a" }), COVEY_OK);
    assert_int_equal(covey_phase_add(schedule, &(covey_phase){ .name = "a" }), COVEY_ERROR_PRESENT);
    assert_says(schedule, "a phase named a exists already");
    assert_int_equal(covey_schedule_stats(schedule, NULL, 0), 1);
    covey_schedule_destroy(schedule);
}

static void names_and_descriptions_are_copied(void **state) {
    (void)state;
    char name[] = "a", other[] = "b", phase[] = "p";
    covey_schedule *schedule = schedule_on(1);
    assert_int_equal(covey_phase_add(schedule, &(covey_phase){ .name = phase }), COVEY_OK);
    covey_system system = TRACED(.name = "a", .phase = phase, .after = { other });
    system.name = name;
    add_system(schedule, system);
    add_system(schedule, TRACED(.name = "b"));
    memset(&system, 0xff, sizeof system);
    name[0] = other[0] = phase[0] = '?';
    assert_trace(schedule, "ba");
    covey_system_stats stats[2];
    assert_int_equal(covey_schedule_stats(schedule, stats, 2), 2);
    assert_string_equal(stats[1].name, "a");
    assert_string_equal(stats[1].phase, "p");
    covey_schedule_destroy(schedule);
}

static void a_phase_needs_a_name_and_a_step_that_is_a_time(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(1);
    assert_int_equal(covey_phase_add(schedule, NULL), COVEY_ERROR_TYPE);
    assert_int_equal(covey_phase_add(schedule, &(covey_phase){ 0 }), COVEY_ERROR_TYPE);
    assert_int_equal(covey_phase_add(schedule, &(covey_phase){ .name = "p", .step = -1 }), COVEY_ERROR_TYPE);
    assert_int_equal(covey_phase_add(schedule, &(covey_phase){ .name = "p", .step = 1e10 }), COVEY_ERROR_TYPE);
    volatile double zero = 0;
    assert_int_equal(covey_phase_add(schedule, &(covey_phase){ .name = "p", .step = zero / zero }), COVEY_ERROR_TYPE);
    assert_says(schedule, "a phase needs a name, and a step from 0 to 1e9 seconds");
    covey_schedule_destroy(schedule);
}

static void a_system_is_removed_by_its_name(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(1);
    add_system(schedule, TRACED(.name = "a"));
    add_system(schedule, TRACED(.name = "b"));
    add_system(schedule, TRACED(.name = "c"));
    add_system(schedule, TRACED(.name = "d"));
    assert_trace(schedule, "abcd");
    assert_true(covey_system_remove(schedule, "b"));
    assert_false(covey_system_remove(schedule, "b"));
    assert_trace(schedule, "acd");
    add_system(schedule, TRACED(.name = "b"));
    assert_trace(schedule, "acdb");
    covey_schedule_destroy(schedule);
}

/* ---- Order --------------------------------------------------------------------------------------------------------*/

static void conflicting_systems_run_in_the_order_in_which_they_were_added(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        covey_schedule *schedule = schedule_on(threads);
        add_system(schedule, TRACED(.name = "c"));
        add_system(schedule, TRACED(.name = "a"));
        add_system(schedule, TRACED(.name = "b"));
        for (uint32_t run = 0; run < 20; run++) assert_trace(schedule, "cab");
        covey_schedule_destroy(schedule);
    }
}

static void links_change_the_order(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        covey_schedule *schedule = schedule_on(threads);
        add_system(schedule, TRACED(.name = "a", .after = { "c" })); /* which is added later */
        add_system(schedule, TRACED(.name = "b"));
        add_system(schedule, TRACED(.name = "c"));
        add_system(schedule, TRACED(.name = "d", .before = { "b", "c" }));
        for (uint32_t run = 0; run < 20; run++) assert_trace(schedule, "dbca");
        covey_schedule_destroy(schedule);
    }
}

static void a_link_holds_between_systems_that_do_not_conflict(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(3);
    add_system(schedule, (covey_system){ .name = "b", .run = run_traced, .context = "b", .after = { "a" } });
    add_system(schedule, (covey_system){ .name = "a", .run = run_traced, .context = "a" });
    for (uint32_t run = 0; run < 20; run++) assert_trace(schedule, "ab");
    covey_schedule_destroy(schedule);
}

static void a_system_has_so_many_links(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(2);
    static const char *const letters[] = { "b", "c", "d", "e", "f", "g", "h", "i" };
    covey_system first = TRACED(.name = "a"), last = TRACED(.name = "z");
    for (uint32_t i = 0; i < COVEY_SYSTEM_LINKS; i++) first.before[i] = last.after[i] = letters[i];
    add_system(schedule, last);
    for (uint32_t i = 0; i < COVEY_SYSTEM_LINKS; i++) add_system(schedule, TRACED(.name = letters[i]));
    add_system(schedule, first);
    assert_trace(schedule, "abcdefghiz");
    assert_true(covey_system_remove(schedule, "i"));
    assert_int_equal(covey_schedule_run(schedule), COVEY_ERROR_ABSENT);
    covey_schedule_destroy(schedule);
}

static void a_link_to_nobody_is_said_when_it_runs(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(1);
    add_system(schedule, TRACED(.name = "a", .after = { "b" }));
    add_system(schedule, TRACED(.name = "c", .before = { "a" }));
    memset(trace, 0, sizeof trace);
    assert_int_equal(covey_schedule_run(schedule), COVEY_ERROR_ABSENT);
    assert_failed(COVEY_ERROR_ABSENT);
    assert_says(schedule, "system a is to run after b, which does not exist");
    assert_string_equal(trace, "");
    assert_false(covey_schedule_skip(schedule));
    add_system(schedule, TRACED(.name = "b"));
    assert_trace(schedule, "cba");
    assert_true(covey_system_remove(schedule, "a"));
    assert_int_equal(covey_schedule_run(schedule), COVEY_ERROR_ABSENT);
    assert_says(schedule, "system c is to run before a, which does not exist");
    covey_schedule_destroy(schedule);
}

static void a_circle_is_refused_and_all_in_it_are_named(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(1);
    refuse(schedule, TRACED(.name = "a", .after = { "a" }), COVEY_ERROR_CYCLE, "a");
    add_system(schedule, TRACED(.name = "first"));
    add_system(schedule, TRACED(.name = "left", .after = { "right" }));
    add_system(schedule, TRACED(.name = "middle", .after = { "left" }));
    refuse(schedule, TRACED(.name = "right", .after = { "middle" }), COVEY_ERROR_CYCLE, "left");
    assert_says(schedule, "a cycle: each system waits for the next, by phase or link: ");
    assert_says(schedule, "middle");
    assert_says(schedule, "right");
    assert_null(strstr(covey_schedule_failure(schedule), "first"));
    refuse(schedule, TRACED(.name = "right", .before = { "left" }, .after = { "left" }), COVEY_ERROR_CYCLE, "right");
    add_system(schedule, TRACED(.name = "right"));
    assert_trace(schedule, "frlm");
    covey_schedule_destroy(schedule);
}

static void long_names_in_a_circle_are_cut_short(void **state) {
    (void)state;
    enum { NAMES = 6, LENGTH = 100 };
    covey_schedule *schedule = schedule_on(1);
    char names[NAMES][LENGTH + 1] = { "" };
    for (uint32_t i = 0; i < NAMES; i++) memset(names[i], 'a' + (int)i, LENGTH);
    for (uint32_t i = 0; i + 2 < NAMES; i++) add_system(schedule, TRACED(.name = names[i], .after = { names[i + 1] }));
    refuse(schedule, TRACED(.name = names[NAMES - 2], .after = { names[0] }), COVEY_ERROR_CYCLE, ", aaaa");
    assert_says(schedule, "aaaa...");
    covey_schedule_destroy(schedule);
}

static void phases_come_one_after_the_other(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(2);
    add_system(schedule, TRACED(.name = "a"));
    assert_int_equal(covey_phase_add(schedule, &(covey_phase){ .name = "early" }), COVEY_OK);
    add_system(schedule, TRACED(.name = "b"));
    assert_int_equal(covey_phase_add(schedule, &(covey_phase){ .name = "late" }), COVEY_OK);
    add_system(schedule, TRACED(.name = "c"));
    add_system(schedule, TRACED(.name = "d", .phase = "early"));
    assert_trace(schedule, "abdc");
    covey_schedule_destroy(schedule);
}

static void a_link_to_another_phase_agrees_with_it_or_is_refused(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(1);
    assert_int_equal(covey_phase_add(schedule, &(covey_phase){ .name = "early" }), COVEY_OK);
    assert_int_equal(covey_phase_add(schedule, &(covey_phase){ .name = "late" }), COVEY_OK);
    add_system(schedule, TRACED(.name = "a", .phase = "late"));
    add_system(schedule, TRACED(.name = "b", .phase = "early", .before = { "a" }));
    refuse(schedule, TRACED(.name = "c", .phase = "early", .after = { "a" }), COVEY_ERROR_CYCLE, "by phase or link");
    assert_says(schedule, "c");
    assert_trace(schedule, "ba");
    covey_schedule_destroy(schedule);
}

/* ---- Conflicts ----------------------------------------------------------------------------------------------------*/

/* What the plan says of a second system: why it waits for the first; NULL when it does not. */
static const char *reason(covey_system first, covey_system second) {
    static page plan;
    covey_schedule *schedule = schedule_on(1);
    first.name = "first", second.name = "second";
    first.run = second.run = run_nothing;
    add_system(schedule, first);
    add_system(schedule, second);
    plan.length = 0;
    covey_schedule_print_plan(schedule, write_page, &plan);
    covey_schedule_destroy(schedule);
    char *found = strstr(plan.text, "after first ("), *end = found ? strchr(found, ')') : NULL;
    if (!found) return NULL;
    *end = '\0';
    return found + strlen("after first (");
}

#define assert_waits(first, second, why)             \
    do {                                             \
        const char *found = reason((first), second); \
        assert_non_null(found);                      \
        assert_string_equal(found, why);             \
    } while (0)
#define assert_free(first, second) assert_null(reason((first), (second)))

static void systems_wait_where_one_writes_what_the_other_uses(void **state) {
    (void)state;
    const covey_system writes = SYSTEM(.view.with = { covey_id(Blocked) });
    const covey_system reads = SYSTEM(.view = { .with = { covey_id(Blocked) }, .read = { covey_id(Blocked) } });
    const covey_system by_handle = SYSTEM(.writes = { covey_id(Packed), covey_id(Blocked) });
    const covey_system looks = SYSTEM(.reads = { covey_id(Packed), covey_id(Blocked) });
    assert_waits(writes, writes, "Blocked: both write");
    assert_waits(writes, reads, "Blocked: written, then read");
    assert_waits(reads, writes, "Blocked: read, then written");
    assert_free(reads, reads);
    assert_waits(by_handle, reads, "Blocked: written, then read");
    assert_waits(writes, looks, "Blocked: written, then read");
    assert_waits(looks, by_handle, "Packed: read, then written");
    assert_free(looks, reads);
    assert_waits(writes, SYSTEM(.view.optional = { covey_id(Blocked) }), "Blocked: both write");
    assert_waits(reads, SYSTEM(.view.any = { covey_id(Kept), covey_id(Blocked) }), "Blocked: read, then written");
    assert_free(writes, SYSTEM(.view.with = { covey_id(Packed) }));
    assert_free(writes, SYSTEM(.exclusive = false));
}

static void what_has_no_value_to_write_is_shared(void **state) {
    (void)state;
    const covey_system tagged = SYSTEM(.view.with = { covey_id(Flag) });
    assert_free(tagged, tagged);
    assert_free(SYSTEM(.view.with = { covey_id(Blocked) }),
                SYSTEM(.view = { .with = { covey_id(Packed) }, .without = { covey_id(Blocked) } }));
    assert_waits(SYSTEM(.view.with = { covey_id(Ticked) }), SYSTEM(.view.with = { covey_id(Ticked) }),
                 "Ticked: both write"); /* when it was changed */
    assert_waits(SYSTEM(.writes = { covey_id(Flag) }), tagged, "Flag: written, then read");
}

static void a_resource_is_not_the_component_of_its_type(void **state) {
    (void)state;
    const covey_system writes = SYSTEM(.resource_writes = { covey_id(Blocked) });
    const covey_system reads = SYSTEM(.resource_reads = { covey_id(Blocked) });
    assert_waits(writes, reads, "Blocked: written, then read");
    assert_waits(reads, writes, "Blocked: read, then written");
    assert_free(reads, reads);
    assert_free(writes, SYSTEM(.view.with = { covey_id(Blocked) }));
    assert_free(writes, SYSTEM(.writes = { covey_id(Blocked) }));
}

static void two_descriptors_of_one_name_are_one_type(void **state) {
    (void)state;
    covey_type twin = *covey_id(Blocked);
    assert_waits(SYSTEM(.view.with = { covey_id(Blocked) }), SYSTEM(.reads = { &twin }), "Blocked: written, then read");
    assert_waits(SYSTEM(.resource_writes = { &twin }), SYSTEM(.resource_writes = { covey_id(Blocked) }),
                 "Blocked: both write");
}

static void a_group_writes_what_its_members_have(void **state) {
    (void)state;
    covey_group *group = covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Packed) },
                                                                        .with = { covey_id(Blocked) },
                                                                        .without = { covey_id(Kept) } });
    assert_non_null(group);
    const covey_system members = SYSTEM(.group = group);
    assert_waits(members, SYSTEM(.reads = { covey_id(Packed) }), "Packed: written, then read");
    assert_waits(members, SYSTEM(.reads = { covey_id(Blocked) }), "Blocked: written, then read");
    assert_free(members, SYSTEM(.writes = { covey_id(Kept) }));
}

static void all_terms_of_a_system_count(void **state) {
    (void)state;
    static char names[COVEY_TERMS][8];
    static covey_type types[COVEY_TERMS];
    covey_system all = { 0 };
    for (uint32_t i = 0; i < COVEY_TERMS; i++) {
        names[i][0] = (char)('A' + i);
        types[i] = (covey_type){ .name = names[i], .size = 4, .align = 4, .storage = COVEY_STORAGE_BLOCK };
        all.view.with[i] = all.reads[i] = all.writes[i] = all.resource_reads[i] = all.resource_writes[i] = &types[i];
    }
    assert_waits(all, SYSTEM(.reads = { &types[COVEY_TERMS - 1] }), "P: written, then read");
    assert_waits(all, SYSTEM(.resource_reads = { &types[COVEY_TERMS - 1] }), "P: written, then read");
}

/* ---- At the same time ---------------------------------------------------------------------------------------------*/

/* Systems that meet wait for each other, for ten seconds at most. */
static atomic_uint arrived, met;

static void meet(covey_job *job, void *context) {
    (void)job, (void)context;
    atomic_fetch_add(&arrived, 1);
    for (uint32_t i = 0; i < 100000 && atomic_load(&arrived) != 2; i++) nap_for(100);
    if (atomic_load(&arrived) == 2) atomic_fetch_add(&met, 1);
}

static void meet_on_two_threads(covey_schedule *schedule) {
    atomic_store(&arrived, 0);
    atomic_store(&met, 0);
    run_well(schedule);
    assert_int_equal(atomic_load(&met), 2);
    covey_schedule_destroy(schedule);
}

static void systems_that_do_not_conflict_run_at_the_same_time(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(2);
    add_system(schedule, SYSTEM(.name = "a", .run = meet, .writes = { covey_id(Blocked) }));
    add_system(schedule, SYSTEM(.name = "b", .run = meet, .writes = { covey_id(Packed) }));
    meet_on_two_threads(schedule);
}

static void pieces_of_a_system_run_at_the_same_time(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(2);
    for (uint32_t i = 0; i < 100; i++) create_with(covey_id(Packed), i);
    add_system(schedule,
               SYSTEM(.name = "a", .run = meet, .split = true, .piece = 64, .view.with = { covey_id(Packed) }));
    meet_on_two_threads(schedule);
}

static void be_slow(covey_job *job, void *context) {
    (void)job, (void)context;
    nap_for(5000);
}

/* The thread that has nothing to do meanwhile is woken. */
static void those_behind_one_system_run_at_the_same_time(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(2);
    add_system(schedule, SYSTEM(.name = "slow", .run = be_slow, .writes = { covey_id(Blocked), covey_id(Packed) }));
    add_system(schedule, SYSTEM(.name = "a", .run = meet, .writes = { covey_id(Blocked) }));
    add_system(schedule, SYSTEM(.name = "b", .run = meet, .writes = { covey_id(Packed) }));
    meet_on_two_threads(schedule);
}

/* A chain of three beside one that conflicts with none of them: the chain goes on while that one runs. */
static void see_three(covey_job *job, void *context) {
    (void)job, (void)context;
    for (uint32_t i = 0; i < 100000 && atomic_load(&arrived) != 3; i++) nap_for(100);
    if (atomic_load(&arrived) == 3) atomic_fetch_add(&met, 1);
}

static void arrive(covey_job *job, void *context) {
    (void)job, (void)context;
    atomic_fetch_add(&arrived, 1);
}

static void those_that_wait_go_on_as_soon_as_they_may(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(2);
    add_system(schedule, SYSTEM(.name = "slow", .run = see_three, .writes = { covey_id(Packed) }));
    for (uint32_t i = 0; i < 3; i++)
        add_system(schedule, SYSTEM(.name = (const char *[]){ "a", "b", "c" }[i], .run = arrive,
                                    .writes = { covey_id(Blocked) }));
    atomic_store(&arrived, 0);
    atomic_store(&met, 0);
    run_well(schedule);
    assert_int_equal(atomic_load(&met), 1);
    covey_schedule_destroy(schedule);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(a_schedule_without_systems_runs),
        WORLD_TEST(a_system_without_entities_may_visit_rows),
        WORLD_TEST(threads_are_counted_with_the_one_that_calls),
        WORLD_TEST(what_is_wrong_with_a_system_is_said),
        WORLD_TEST(a_name_is_taken_once),
        WORLD_TEST(names_and_descriptions_are_copied),
        WORLD_TEST(a_phase_needs_a_name_and_a_step_that_is_a_time),
        WORLD_TEST(a_system_is_removed_by_its_name),
        WORLD_TEST(conflicting_systems_run_in_the_order_in_which_they_were_added),
        WORLD_TEST(links_change_the_order),
        WORLD_TEST(a_link_holds_between_systems_that_do_not_conflict),
        WORLD_TEST(a_system_has_so_many_links),
        WORLD_TEST(a_link_to_nobody_is_said_when_it_runs),
        WORLD_TEST(a_circle_is_refused_and_all_in_it_are_named),
        WORLD_TEST(long_names_in_a_circle_are_cut_short),
        WORLD_TEST(phases_come_one_after_the_other),
        WORLD_TEST(a_link_to_another_phase_agrees_with_it_or_is_refused),
        WORLD_TEST(systems_wait_where_one_writes_what_the_other_uses),
        WORLD_TEST(what_has_no_value_to_write_is_shared),
        WORLD_TEST(a_resource_is_not_the_component_of_its_type),
        WORLD_TEST(two_descriptors_of_one_name_are_one_type),
        WORLD_TEST(a_group_writes_what_its_members_have),
        WORLD_TEST(all_terms_of_a_system_count),
        WORLD_TEST(systems_that_do_not_conflict_run_at_the_same_time),
        WORLD_TEST(pieces_of_a_system_run_at_the_same_time),
        WORLD_TEST(those_behind_one_system_run_at_the_same_time),
        WORLD_TEST(those_that_wait_go_on_as_soon_as_they_may),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
