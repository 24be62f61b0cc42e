/* Schedules that run out of memory: each allocation fails in turn, once and for good. A call that failed has changed
 * nothing; a run that failed leaves a valid world, and the next one does all there is to do. */
#include "oom.h"
#include "scheduled.h"

enum { ENTITIES = 300 };

static void run_nothing(covey_job *job, void *context) { (void)job, (void)context; }

static void add_up(void *total, const void *scratch, void *context) {
    (void)context;
    *(uint32_t *)total += *(const uint32_t *)scratch;
}

/* ---- Making and adding --------------------------------------------------------------------------------------------*/

static covey_schedule *made; /* for the operation that is tried */

static void prepare_nothing(scene *s) {
    s->world = covey_world_create(&(covey_world_desc){ .allocator = test_allocator(&s->heap) });
    assert_non_null(s->world);
    for (uint32_t i = 0; i < 9; i++) s->e[i] = covey_create(s->world);
}

static void prepare_empty(scene *s) {
    prepare_nothing(s);
    made = covey_schedule_create(s->world, &(covey_schedule_desc){ .threads = 2, .allocator = scene_allocator(s) });
    assert_non_null(made);
}

static void prepare_schedule(scene *s) {
    prepare_empty(s);
    assert_int_equal(covey_system_add(made, &(covey_system){ .name = "there", .run = run_nothing, .after = { "new" } }),
                     COVEY_OK);
}

/* A failed call leaves the schedule as it was: the same call succeeds later. */
static bool end_if(covey_result result) {
    if (result != COVEY_OK) assert_int_equal(result, COVEY_ERROR_MEMORY);
    if (result == COVEY_OK) covey_schedule_destroy(made);
    return result == COVEY_OK;
}

static bool try_create(scene *s) {
    made = covey_schedule_create(s->world, &(covey_schedule_desc){ .threads = 3 });
    return made && end_if(COVEY_OK);
}

static bool try_phase(scene *s) {
    (void)s;
    return end_if(covey_phase_add(made, &(covey_phase){ .name = "a phase with a name" }));
}

static bool try_system(scene *s) {
    (void)s;
    return end_if(covey_system_add(made, &(covey_system){ .name = "new",
                                                          .run = run_nothing,
                                                          .split = true,
                                                          .view.with = { covey_id(Packed) },
                                                          .after = { "one" },
                                                          .before = { "two", "three" } }));
}

static void prepare_run(scene *s) {
    static uint32_t total;
    prepare_empty(s);
    assert_non_null(covey_add(s->world, s->e[0], Packed, { 1, ~1u }));
    assert_non_null(covey_add(s->world, s->e[1], Blocked, { 1, ~1u }));
    add_system(made, (covey_system){ .name = "a", .run = run_nothing, .writes = { covey_id(Packed) }, .creates = 3 });
    add_system(made, (covey_system){ .name = "b",
                                     .run = run_nothing,
                                     .split = true,
                                     .piece = 64,
                                     .creates = 2,
                                     .scratch = sizeof(uint32_t),
                                     .merge = add_up,
                                     .total = &total,
                                     .view.with = { covey_id(Packed) },
                                     .after = { "c" } });
    add_system(made,
               (covey_system){ .name = "c", .run = run_nothing, .split = true, .view.with = { covey_id(Blocked) } });
    assert_int_equal(covey_phase_add(made, &(covey_phase){ .name = "p", .every = 2 }), COVEY_OK);
}

/* Plans, cuts, buffers and scratch: nothing else asks for memory where bodies do nothing. */
static bool try_run(scene *s) {
    (void)s;
    return end_if(covey_schedule_run(made));
}

/* ---- Running ------------------------------------------------------------------------------------------------------*/

/* Bodies whose work can be done again: a run that failed, and one that does not, are as good as one. */
static void record_number(covey_job *job, void *context) {
    (void)context;
    for (covey_row row = { 0 }; covey_next_row(&job->it, &row);) {
        covey_entity e = covey_row_entity(&job->it, row);
        bool recorded = covey_record_set(job->commands, e, Blocked, { e.index, ~e.index }) &&
                        covey_record_remove(job->commands, e, Kept);
        if (!recorded) job->result = covey_commands_result(job->commands);
    }
    if (job->scratch) *(uint32_t *)job->scratch = 1;
}

static void pin_directly(covey_job *job, void *context) {
    (void)context;
    for (covey_entity e = { 0, 0 }; !covey_is_null(e = covey_entity_next(job->world, e));)
        if (e.index % 7 == 0 && !covey_set(job->world, e, Pinned, { e.index, ~e.index }))
            job->result = covey_world_result(job->world);
}

static covey_schedule *make_running(uint32_t threads, uint32_t *total) {
    for (uint32_t i = 0; i < ENTITIES; i++) {
        covey_entity e = create_with(covey_id(Packed), i);
        if (i % 2 == 0) assert_non_null(add_value(e, covey_id(Kept), i));
    }
    covey_schedule *schedule = schedule_on(threads);
    covey_view_desc packed = { .with = { covey_id(Packed) }, .read = { covey_id(Packed) } };
    add_system(schedule, (covey_system){ .name = "record",
                                         .run = record_number,
                                         .split = true,
                                         .piece = 64,
                                         .creates = 2,
                                         .scratch = sizeof *total,
                                         .merge = add_up,
                                         .total = total,
                                         .view = packed });
    add_system(schedule,
               (covey_system){ .name = "again", .run = record_number, .view = packed, .after = { "record" } });
    add_system(schedule, (covey_system){ .name = "main", .run = record_number, .view = packed, .main_thread = true });
    assert_int_equal(covey_phase_add(schedule, &(covey_phase){ .name = "then" }), COVEY_OK);
    add_system(schedule, (covey_system){ .name = "pin", .run = pin_directly, .exclusive = true });
    covey_schedule_trace(schedule, 2);
    return schedule;
}

/* Lets an allocation of a run fail. Returns whether there was one. */
static bool run_fails_at(uint32_t threads, uint64_t at, bool for_good, uint64_t *digest) {
    uint32_t total = 0;
    assert_int_equal(world_setup(NULL), 0);
    covey_schedule *schedule = make_running(threads, &total);
    if (at != 0) test_fail_at(&heap, at, for_good);
    covey_result result = covey_schedule_run(schedule);
    bool failed = at != 0 && heap.failed;
    test_fail_never(&heap);
    test_world_is_valid(world);
    if (result != COVEY_OK) {
        assert_true(failed);
        assert_int_equal(result, COVEY_ERROR_MEMORY);
        assert_string_not_equal(covey_schedule_failure(schedule), "");
    } else if (failed) {
        assert_string_equal(heard.text, "a trace ended early: an allocation failed"); /* which is not a failure */
    }
    /* What was lost while other commands were left is told when those are done. */
    if (result != COVEY_OK && covey_schedule_run(schedule) != COVEY_OK) assert_says(schedule, "could not be recorded");
    run_well(schedule);
    assert_int_equal(total, (ENTITIES + 63) / 64);
    uint64_t found = world_digest(world);
    covey_schedule_destroy(schedule);
    world_teardown(NULL);
    if (*digest == 0) *digest = found;
    assert_int_equal(found, *digest);
    return failed;
}

static void a_run_survives_each_failure(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        uint64_t once = 1, for_good = 1, digest = 0;
        assert_false(run_fails_at(threads, 0, false, &digest));
        while (run_fails_at(threads, once, false, &digest)) once++;
        while (run_fails_at(threads, for_good, true, &digest)) for_good++;
        assert_in_range(once, 30, 10000);
        assert_true(for_good >= once);
    }
}

/* ---- Turns --------------------------------------------------------------------------------------------------------*/

static void count_run(covey_job *job, void *context) {
    (void)job;
    ++*(uint32_t *)context;
}

/* A stage that could not be cut: its systems, due or not, and later ones, keep their turns. */
static void a_turn_that_could_not_be_had_is_not_lost(void **state) {
    (void)state;
    bool failed = true;
    for (uint64_t at = 1; failed; at++) {
        uint32_t counts[4] = { 0 };
        assert_int_equal(world_setup(NULL), 0);
        covey_schedule *schedule = schedule_on(1);
        covey_system_stats stats[4];
        add_system(schedule, (covey_system){ .name = "once", .run = count_run, .context = &counts[0], .once = true });
        add_system(schedule, (covey_system){ .name = "second", .run = count_run, .context = &counts[1], .every = 2 });
        run_well(schedule);
        add_system(schedule, (covey_system){
                                 .name = "new", .run = count_run, .context = &counts[2], .once = true, .creates = 5 });
        add_system(schedule, (covey_system){ .name = "each", .run = count_run, .context = &counts[3] });
        test_fail_at(&heap, at, false);
        covey_result result = covey_schedule_run(schedule);
        failed = heap.failed;
        test_fail_never(&heap);
        assert_int_equal(result, failed ? COVEY_ERROR_MEMORY : COVEY_OK);
        if (failed) {
            assert_int_equal(counts[2] + counts[3], 0);
            run_well(schedule);
        }
        run_well(schedule);
        assert_int_equal(counts[0], 1);
        assert_int_equal(counts[1], 2); /* the first and the third turn */
        assert_int_equal(counts[2], 1);
        assert_int_equal(counts[3], 2);
        assert_int_equal(covey_schedule_stats(schedule, stats, 4), 4);
        for (uint32_t i = 0; i < 4; i++) assert_int_equal(stats[i].runs, counts[i]);
        covey_schedule_destroy(schedule);
        world_teardown(NULL);
    }
}

/* Creates a page of entities, so that the next ids need memory. */
static void create_page(covey_job *job, void *context) {
    ++*(uint32_t *)context;
    for (uint32_t i = 0; i < COVEY_PAGE_SIZE; i++) covey_record_create(job->commands);
}

/* A run whose ids could not be refilled succeeds. The next run takes them first: it fails as a whole, or not at all. */
static void ids_that_could_not_be_refilled_are_taken_before_the_next_run(void **state) {
    (void)state;
    bool failed = true;
    for (uint64_t at = 1; failed; at++) {
        uint32_t runs = 0;
        assert_int_equal(world_setup(NULL), 0);
        covey_schedule *schedule = schedule_on(1);
        add_system(schedule, (covey_system){
                                 .name = "create", .run = create_page, .context = &runs, .creates = COVEY_PAGE_SIZE });
        run_well(schedule);
        test_fail_at(&heap, 1, true);
        run_well(schedule);
        assert_true(heap.failed);
        test_fail_at(&heap, at, false);
        covey_result result = covey_schedule_run(schedule);
        failed = heap.failed;
        test_fail_never(&heap);
        if (result != COVEY_OK) {
            assert_int_equal(result, COVEY_ERROR_MEMORY);
            assert_says(schedule, "system create could not be cut into pieces: an allocation failed");
            assert_int_equal(runs, 2);
            run_well(schedule);
        }
        assert_true(result == COVEY_OK || failed);
        assert_int_equal(runs, 3);
        assert_int_equal(covey_entity_count(world), 3 * COVEY_PAGE_SIZE);
        covey_schedule_destroy(schedule);
        world_teardown(NULL);
    }
}

static void ids_that_are_out_are_told_from_memory(void **state) {
    (void)state;
    if (COVEY_INDEX_BITS > 16) skip(); /* there are too many to take them all */
    assert_int_equal(world_setup(NULL), 0);
    covey_schedule *schedule = schedule_on(1);
    add_system(schedule, (covey_system){ .name = "greedy", .run = run_nothing, .creates = COVEY_NONE });
    covey_create(world);
    assert_int_equal(covey_schedule_run(schedule), COVEY_ERROR_FULL);
    assert_says(schedule, "system greedy could not be cut into pieces: not enough ids are left for its .creates");
    covey_schedule_destroy(schedule);
    world_teardown(NULL);
}

int main(void) {
    static const operation operations[] = {
        { "create a schedule", prepare_nothing, try_create },
        { "add a phase", prepare_schedule, try_phase },
        { "add a system", prepare_schedule, try_system },
        { "run", prepare_run, try_run },
    };
    ADD_TRIALS(operations, COVEY_SWAP_AND_POP, FAILS_IN_TURN);
    add_test((struct CMUnitTest)cmocka_unit_test(a_run_survives_each_failure));
    add_test((struct CMUnitTest)cmocka_unit_test(a_turn_that_could_not_be_had_is_not_lost));
    add_test((struct CMUnitTest)cmocka_unit_test(ids_that_could_not_be_refilled_are_taken_before_the_next_run));
    add_test((struct CMUnitTest)cmocka_unit_test(ids_that_are_out_are_told_from_memory));
    return run_trials();
}
