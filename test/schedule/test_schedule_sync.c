/* Schedules: sync points. When commands are replayed and in which order, who may change structure, and what becomes of
 * failures. */
#include "owned.h"
#include "scheduled.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef Owned Mine;
COVEY_COMPONENT_DEFINE(Mine, .drop = drop_owned, .copy = copy_owned);

static uint32_t count_of(const covey_type *type) {
    const covey_pool *pool = covey_pool_find_raw(world, type);
    return pool ? covey_pool_count(pool) : 0;
}

/* ---- Sync points --------------------------------------------------------------------------------------------------*/

static void give_blocked(covey_job *job, void *context) {
    (void)context;
    for (covey_row row = { 0 }; covey_next_row(&job->it, &row);)
        covey_record_add(job->commands, covey_row_entity(&job->it, row), Blocked, { 1, ~1u });
}

static void count_blocked(covey_job *job, void *context) {
    (void)job;
    *(uint32_t *)context = count_of(covey_id(Blocked));
}

static covey_system counting(const char *name, uint32_t *found) {
    *found = 999;
    return (covey_system){ .name = name, .run = count_blocked, .context = found, .reads = { covey_id(Blocked) } };
}

static void commands_are_replayed_before_the_next_phase(void **state) {
    (void)state;
    uint32_t before, after;
    make_crowd();
    covey_schedule *schedule = schedule_on(3);
    add_system(schedule, over_crowd("give", give_blocked, NULL));
    covey_system same_stage = counting("same", &before);
    same_stage.after[0] = "give";
    add_system(schedule, same_stage);
    assert_int_equal(covey_phase_add(schedule, &(covey_phase){ .name = "then" }), COVEY_OK);
    add_system(schedule, counting("then", &after));
    run_well(schedule);
    assert_int_equal(before, 0);
    assert_int_equal(after, CROWD);
    covey_schedule_destroy(schedule);
}

static void commands_are_replayed_at_the_end_of_a_run(void **state) {
    (void)state;
    make_crowd();
    covey_schedule *schedule = schedule_on(2);
    add_system(schedule, over_crowd("give", give_blocked, NULL));
    run_well(schedule);
    assert_int_equal(count_of(covey_id(Blocked)), CROWD);
    covey_schedule_destroy(schedule);
}

static void give_one_directly(covey_job *job, void *context) {
    pthread_t *thread = context;
    *thread = pthread_self();
    covey_entity e = covey_create(job->world);
    covey_add(job->world, e, Blocked, { 2, ~2u });
    covey_record_destroy(job->commands, e);
}

static void an_exclusive_system_stands_between_two_sync_points(void **state) {
    (void)state;
    uint32_t before, between, after;
    pthread_t thread;
    make_crowd();
    covey_schedule *schedule = schedule_on(3);
    covey_system exclusive = counting("between", &between);
    exclusive.exclusive = true;
    add_system(schedule, over_crowd("give", give_blocked, NULL));
    add_system(schedule, counting("before", &before)); /* nothing has been replayed yet */
    add_system(schedule, exclusive);
    add_system(schedule,
               (covey_system){ .name = "one", .run = give_one_directly, .context = &thread, .exclusive = true });
    add_system(schedule, counting("after", &after));
    run_well(schedule);
    assert_int_equal(before, 0);
    assert_int_equal(between, CROWD);
    assert_int_equal(after, CROWD); /* what it made directly is gone again: its own commands were replayed, too */
    assert_true(pthread_equal(thread, pthread_self()));
    covey_schedule_destroy(schedule);
}

/* An exclusive system walks its view, and changes structure as any loop over rows may. */
static void destroy_half(covey_job *job, void *context) {
    (void)context;
    for (covey_row row = { 0 }; covey_next_row(&job->it, &row);) {
        covey_entity e = covey_row_entity(&job->it, row);
        if (covey_row_field(&job->it, row, 0, Packed)->number % 2 == 0) covey_destroy(job->world, e);
    }
}

static void an_exclusive_system_may_change_what_it_walks(void **state) {
    (void)state;
    make_crowd();
    covey_schedule *schedule = schedule_on(3);
    add_system(
        schedule,
        (covey_system){ .name = "half", .run = destroy_half, .exclusive = true, .view.with = { covey_id(Packed) } });
    run_well(schedule);
    assert_int_equal(count_of(covey_id(Packed)), CROWD / 2);
    covey_schedule_destroy(schedule);
}

/* ---- The order of commands ----------------------------------------------------------------------------------------*/

/* What was replayed: numbers of 100 * system + piece. */
static uint32_t replayed[200], replayed_count;

static covey_result note_replay(covey_world *of, void *data) {
    if (of && replayed_count < COUNT_OF(replayed)) replayed[replayed_count++] = *(uint32_t *)data;
    return COVEY_OK;
}

static void record_number(covey_job *job, void *context) {
    uint32_t number = *(const uint32_t *)context * 100 + job->piece;
    nap(number);
    covey_record_call(job->commands, note_replay, &number, sizeof number);
}

static void commands_are_replayed_by_system_then_by_piece(void **state) {
    (void)state;
    static const uint32_t numbers[] = { 0, 1, 2 }, threads[] = { 1, 2, 3, 8 };
    static const char *const names[] = { "a", "b", "c" };
    make_crowd();
    for (uint32_t i = 0; i < COUNT_OF(threads); i++) {
        covey_schedule *schedule = schedule_on(threads[i]);
        for (uint32_t k = 0; k < 3; k++)
            add_system(schedule, over_crowd(names[k], record_number, (void *)(uintptr_t)&numbers[k]));
        for (uint32_t run = 0; run < 10; run++) {
            replayed_count = 0;
            run_well(schedule);
            assert_int_equal(replayed_count, 3 * CROWD_PIECES);
            for (uint32_t at = 0; at < 3 * CROWD_PIECES; at++)
                assert_int_equal(replayed[at], at / CROWD_PIECES * 100 + at % CROWD_PIECES);
        }
        covey_schedule_destroy(schedule);
    }
}

static void spawn(covey_job *job, void *context) {
    (void)context;
    nap(job->piece);
    for (covey_row row = { 0 }; covey_next_row(&job->it, &row);) {
        uint32_t number = covey_row_field_const(&job->it, row, 0, Packed)->number;
        if (number % 50 != 0) continue;
        covey_entity e = covey_record_create(job->commands);
        covey_record_add(job->commands, e, Blocked, { number, ~number });
    }
}

static uint64_t spawn_on(uint32_t threads) {
    assert_int_equal(world_setup(NULL), 0);
    make_crowd();
    covey_schedule *schedule = schedule_on(threads);
    covey_system system = over_crowd("spawn", spawn, NULL);
    system.creates = 4;
    add_system(schedule, system);
    for (uint32_t run = 0; run < 5; run++) run_well(schedule);
    assert_int_equal(count_of(covey_id(Blocked)), 5 * CROWD / 50);
    uint64_t digest = world_digest(world);
    covey_schedule_destroy(schedule);
    world_teardown(NULL);
    return digest;
}

static void entities_get_the_ids_that_one_thread_would_give_them(void **state) {
    (void)state;
    uint64_t digest = spawn_on(1);
    for (uint32_t threads = 2; threads <= 5; threads++) assert_int_equal(spawn_on(threads), digest);
}

/* ---- Bodies that fail ---------------------------------------------------------------------------------------------*/

static void fail_late(covey_job *job, void *context) {
    const covey_result *results = context;
    nap_for(job->piece < 2 ? 2000 : 1); /* later ones fail first */
    job->result = results[job->piece];
    covey_record_set(job->commands, crowd[job->piece], Blocked, { 1, ~1u });
}

static void the_first_failure_in_order_is_told(void **state) {
    (void)state;
    static const covey_result results[CROWD_PIECES] = { COVEY_OK, COVEY_ERROR_LIMIT, COVEY_ERROR_FILE,
                                                        COVEY_ERROR_FULL };
    static const covey_result one[CROWD_PIECES] = { COVEY_ERROR_RANGE };
    uint32_t later = 999;
    make_crowd();
    for (uint32_t threads = 1; threads <= 4; threads++) {
        covey_schedule *schedule = schedule_on(threads);
        covey_system second = over_crowd("second", fail_late, (void *)(uintptr_t)one);
        second.split = false; /* and fails first */
        add_system(schedule, over_crowd("first", fail_late, (void *)(uintptr_t)results));
        add_system(schedule, second);
        assert_int_equal(covey_phase_add(schedule, &(covey_phase){ .name = "then" }), COVEY_OK);
        add_system(schedule, counting("then", &later));
        assert_int_equal(covey_schedule_run(schedule), COVEY_ERROR_LIMIT);
        assert_says(schedule, "system first failed: ");
        assert_says(schedule, covey_result_text(COVEY_ERROR_LIMIT));
        assert_says(schedule, "(piece 1 of 5)");
        assert_failed(COVEY_ERROR_LIMIT);
        assert_int_equal(later, 999);                                /* the run ended, */
        assert_int_equal(count_of(covey_id(Blocked)), CROWD_PIECES); /* behind the sync point */
        covey_schedule_destroy(schedule);
        covey_clear_raw(world, covey_id(Blocked));
    }
}

static void a_failure_is_forgotten_by_the_next_run(void **state) {
    (void)state;
    static covey_result results[CROWD_PIECES] = { COVEY_ERROR_LIMIT };
    make_crowd();
    covey_schedule *schedule = schedule_on(2);
    add_system(schedule, over_crowd("a", fail_late, results));
    assert_int_equal(covey_schedule_run(schedule), COVEY_ERROR_LIMIT);
    results[0] = COVEY_OK;
    covey_clear_raw(world, covey_id(Blocked));
    run_well(schedule);
    covey_schedule_destroy(schedule);
}

/* ---- Commands that fail -------------------------------------------------------------------------------------------*/

/* Records so many adds for as many entities, beginning with the one of its number. */
static void give_three(covey_job *job, void *context) {
    uint32_t first = *(const uint32_t *)context;
    for (uint32_t i = first; i < first + 3; i++) covey_record_add(job->commands, crowd[i], Blocked, { i, ~i });
}

/* How many there were when the last run began. */
static uint32_t at_first;

/* a: 0 1 2, b: 2 3 4, c: 5 6 7. The first of b is there already. */
static covey_schedule *collide(uint32_t *later) {
    static const uint32_t firsts[] = { 0, 2, 5 };
    static const char *const names[] = { "a", "b", "c" };
    covey_schedule *schedule = schedule_on(2);
    add_system(schedule, counting("first", &at_first));
    for (uint32_t i = 0; i < 3; i++)
        add_system(schedule,
                   (covey_system){
                       .name = names[i], .run = give_three, .context = (void *)(uintptr_t)&firsts[i], .once = true });
    assert_int_equal(covey_phase_add(schedule, &(covey_phase){ .name = "then" }), COVEY_OK);
    add_system(schedule, counting("then", later));
    assert_int_equal(covey_schedule_run(schedule), COVEY_ERROR_PRESENT);
    assert_says(schedule, "commands of system b, piece 0: ");
    assert_says(schedule, "3 left");
    assert_int_equal(*later, 999);
    assert_int_equal(count_of(covey_id(Blocked)), 3);
    return schedule;
}

static void what_could_not_be_replayed_comes_first_the_next_time(void **state) {
    (void)state;
    uint32_t later;
    make_crowd();
    covey_schedule *schedule = collide(&later);
    assert_int_equal(covey_schedule_run(schedule), COVEY_ERROR_PRESENT);
    assert_int_equal(later, 999);
    assert_true(remove_value(crowd[2], covey_id(Blocked)));
    assert_int_equal(at_first, 0);
    run_well(schedule);
    assert_int_equal(at_first, 8);
    assert_int_equal(later, 8);
    assert_value(crowd[2], covey_id(Blocked), 2);
    run_well(schedule);
    assert_int_equal(later, 8);
    covey_schedule_destroy(schedule);
}

static void a_command_that_fails_can_be_skipped(void **state) {
    (void)state;
    uint32_t later;
    make_crowd();
    covey_schedule *schedule = collide(&later);
    assert_true(covey_schedule_skip(schedule));
    run_well(schedule);
    assert_int_equal(later, 8);
    assert_false(covey_schedule_skip(schedule));
    covey_schedule_destroy(schedule);
}

static void all_that_is_left_can_be_skipped(void **state) {
    (void)state;
    uint32_t later, skipped = 0;
    make_crowd();
    covey_schedule *schedule = collide(&later);
    while (covey_schedule_skip(schedule)) skipped++;
    assert_int_equal(skipped, 6);
    run_well(schedule);
    assert_int_equal(later, 3);
    covey_schedule_destroy(schedule);
}

static void a_new_system_does_not_change_what_is_left(void **state) {
    (void)state;
    uint32_t later, number = 0;
    make_crowd();
    covey_schedule *schedule = collide(&later);
    add_system(schedule, (covey_system){ .name = "d", .run = record_number, .context = &number });
    assert_true(covey_system_remove(schedule, "a"));
    assert_int_equal(covey_schedule_run(schedule), COVEY_ERROR_PRESENT);
    assert_true(covey_system_remove(schedule, "b"));
    run_well(schedule);
    assert_int_equal(later, 6); /* those of a and of c */
    covey_schedule_destroy(schedule);
}

/* Creates more than it said it would, in each piece but the first. */
static void create_three(covey_job *job, void *context) {
    (void)context;
    for (uint32_t i = 0; i < (job->piece == 0 ? 1 : 3); i++) {
        covey_entity e = covey_record_create(job->commands);
        covey_record_add(job->commands, e, Blocked, { i, ~i });
    }
}

static void what_could_not_be_recorded_is_told_once(void **state) {
    (void)state;
    uint32_t later;
    make_crowd();
    for (uint32_t threads = 1; threads <= 3; threads++) {
        covey_schedule *schedule = schedule_on(threads);
        covey_system system = over_crowd("create", create_three, NULL);
        uint32_t before = count_of(covey_id(Blocked));
        system.creates = 2;
        add_system(schedule, system);
        assert_int_equal(covey_phase_add(schedule, &(covey_phase){ .name = "then" }), COVEY_OK);
        add_system(schedule, counting("then", &later));
        assert_int_equal(covey_schedule_run(schedule), COVEY_ERROR_FULL);
        assert_says(schedule, "2 commands of system create, piece 1, could not be recorded");
        assert_says(schedule, "give it more .creates");
        assert_int_equal(count_of(covey_id(Blocked)),
                         before + 1 + 2 * (CROWD_PIECES - 1)); /* all others were replayed */
        assert_int_equal(later, 999);
        covey_system_enable(schedule, "create", false);
        run_well(schedule); /* and nothing is left */
        covey_schedule_destroy(schedule);
    }
}

/* Creates as many as its number says. */
static void create_some(covey_job *job, void *context) {
    for (uint32_t i = 0; i < *(const uint32_t *)context; i++) covey_record_create(job->commands);
}

/* a and c create more than they said they would, b and d do not: all that was recorded is done. */
static void what_could_not_be_recorded_stops_no_other_system(void **state) {
    (void)state;
    static const uint32_t creates[] = { 3, 1, 4, 1 };
    static const char *const names[] = { "a", "b", "c", "d" };
    for (uint32_t threads = 1; threads <= 3; threads++) {
        uint32_t before = covey_entity_count(world), later;
        covey_schedule *schedule = schedule_on(threads);
        for (uint32_t i = 0; i < COUNT_OF(names); i++)
            add_system(schedule, (covey_system){ .name = names[i],
                                                 .run = create_some,
                                                 .context = (void *)(uintptr_t)&creates[i],
                                                 .creates = 1,
                                                 .once = true });
        assert_int_equal(covey_phase_add(schedule, &(covey_phase){ .name = "then" }), COVEY_OK);
        add_system(schedule, counting("then", &later));
        assert_int_equal(covey_schedule_run(schedule), COVEY_ERROR_FULL);
        assert_says(schedule, "2 commands of system a, piece 0, could not be recorded"); /* the first failure */
        assert_int_equal(covey_entity_count(world), before + 4);
        assert_int_equal(later, 999);
        assert_false(covey_schedule_skip(schedule));
        run_well(schedule);
        assert_int_equal(covey_entity_count(world), before + 4);
        assert_int_equal(later, 0);
        covey_schedule_destroy(schedule);
    }
}

/* With few indices: a piece whose ids could not be refilled gets them before it next runs. */
static void ids_that_were_missing_are_there_once_the_world_has_some(void **state) {
    (void)state;
    if (COVEY_NONE > 100000) skip();
    uint32_t count = COVEY_NONE - 2, creates = 2;
    covey_entity *all = test_calloc(count, sizeof *all);
    assert_true(covey_create_many(world, all, count));
    covey_schedule *schedule = schedule_on(2);
    add_system(schedule, (covey_system){ .name = "create", .run = create_some, .context = &creates, .creates = 2 });
    run_well(schedule);
    assert_int_equal(covey_entity_count(world), COVEY_NONE); /* and no id is ready now */
    assert_true(covey_destroy(world, all[3]));
    assert_true(covey_destroy(world, all[7]));
    run_well(schedule);
    assert_int_equal(covey_entity_count(world), COVEY_NONE);
    creates = 0;
    run_well(schedule); /* a system that creates nothing needs none */
    creates = 1;
    assert_int_equal(covey_schedule_run(schedule), COVEY_ERROR_FULL);
    assert_says(schedule, "1 commands of system create, piece 0, could not be recorded");
    assert_says(schedule, "if the world has no index left, destroy entities");
    assert_true(covey_destroy(world, all[5]));
    run_well(schedule);
    assert_int_equal(covey_entity_count(world), COVEY_NONE);
    covey_schedule_destroy(schedule);
    test_free(all);
}

static void without_creates_nothing_is_created(void **state) {
    (void)state;
    make_crowd();
    for (uint32_t threads = 1; threads <= 3; threads++) {
        covey_schedule *schedule = schedule_on(threads);
        add_system(schedule, over_crowd("create", create_three, NULL));
        assert_int_equal(covey_schedule_run(schedule), COVEY_ERROR_FULL);
        assert_says(schedule, "2 commands of system create, piece 0, could not be recorded");
        assert_int_equal(covey_entity_count(world), CROWD);
        covey_schedule_destroy(schedule);
    }
}

/* Values of commands that are never replayed are dropped. */
static void give_owned(covey_job *job, void *context) {
    (void)context;
    for (uint32_t i = 0; i < 2; i++) {
        Owned value = { i, ~i };
        if (covey_record_add_raw(job->commands, crowd[0], covey_id(Mine), &value)) owned.alive++;
    }
}

static covey_schedule *leave_owned(void) {
    make_crowd();
    covey_schedule *schedule = schedule_on(2);
    add_system(schedule, (covey_system){ .name = "give", .run = give_owned });
    assert_int_equal(covey_schedule_run(schedule), COVEY_ERROR_PRESENT);
    assert_int_equal(owned.alive, 2);
    return schedule;
}

static void a_schedule_that_ends_drops_what_is_left(void **state) {
    (void)state;
    covey_schedule_destroy(leave_owned());
    assert_int_equal(owned.alive, 1);
}

static void a_system_that_is_removed_drops_what_is_left(void **state) {
    (void)state;
    covey_schedule *schedule = leave_owned();
    assert_true(covey_system_remove(schedule, "give"));
    assert_int_equal(owned.alive, 1);
    run_well(schedule);
    covey_schedule_destroy(schedule);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(commands_are_replayed_before_the_next_phase),
        WORLD_TEST(commands_are_replayed_at_the_end_of_a_run),
        WORLD_TEST(an_exclusive_system_stands_between_two_sync_points),
        WORLD_TEST(an_exclusive_system_may_change_what_it_walks),
        WORLD_TEST(commands_are_replayed_by_system_then_by_piece),
        cmocka_unit_test(entities_get_the_ids_that_one_thread_would_give_them),
        WORLD_TEST(the_first_failure_in_order_is_told),
        WORLD_TEST(a_failure_is_forgotten_by_the_next_run),
        WORLD_TEST(what_could_not_be_replayed_comes_first_the_next_time),
        WORLD_TEST(a_command_that_fails_can_be_skipped),
        WORLD_TEST(all_that_is_left_can_be_skipped),
        WORLD_TEST(a_new_system_does_not_change_what_is_left),
        WORLD_TEST(what_could_not_be_recorded_is_told_once),
        WORLD_TEST(what_could_not_be_recorded_stops_no_other_system),
        WORLD_TEST(ids_that_were_missing_are_there_once_the_world_has_some),
        WORLD_TEST(without_creates_nothing_is_created),
        OWNED_TEST(a_schedule_that_ends_drops_what_is_left),
        OWNED_TEST(a_system_that_is_removed_drops_what_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
