/* Events in schedules: what systems on several threads record is the same, in the same order, on every number of
 * threads; an exclusive system delivers it, and the systems after it read it. */
#include "scheduled.h"

#include <covey/events.h>
#include <covey/history.h>

typedef struct Hit {
    covey_entity target;
    uint32_t damage;
} Hit;
COVEY_COMPONENT_DEFINE(Hit);
COVEY_TAG_DEFINE(Bell);

enum { RUNS = 8 };

static covey_events *hits;

/* Some of the entities of each piece hit another one. */
static void strike(covey_job *job, void *context) {
    uint32_t salt = *(const uint32_t *)context;
    nap(job->piece + salt);
    for (covey_row row = { 0 }; covey_next_row(&job->it, &row);) {
        uint32_t number = covey_row_field_const(&job->it, row, 0, Packed)->number;
        uint32_t other = (number * 7 + salt + (uint32_t)job->run) % CROWD;
        if (other % 3 == 0) assert_true(covey_record_send(job->commands, Hit, { crowd[other], number }));
    }
    assert_true(covey_record_send_tag(job->commands, Bell));
}

/* Each piece reads all current events, and applies those of its own entities. */
static void suffer(covey_job *job, void *context) {
    const Hit *hit = covey_events_current(hits, Hit);
    uint32_t count = covey_events_count(hits);
    (void)context;
    for (covey_row row = { 0 }; covey_next_row(&job->it, &row);) {
        Packed *value = covey_row_field(&job->it, row, 0, Packed);
        for (uint32_t i = 0; i < count; i++)
            if (covey_same(hit[i].target, covey_row_entity(&job->it, row)))
                value->check = value->check * 31 + hit[i].damage; /* depends on the order */
    }
}

typedef struct heard_hits {
    uint64_t digest;
    uint32_t calls, events;
} heard_hits;

static void note(const covey_event *event, void *context) {
    heard_hits *noted = context;
    const Hit *hit = event->values;
    noted->calls++;
    noted->events += event->count;
    for (uint32_t i = 0; i < event->count; i++)
        noted->digest = (noted->digest ^ hit[i].damage ^ (uint64_t)hit[i].target.index << 32) * UINT64_C(0x100000001B3);
}

static covey_system delivering(const char *name, covey_events *events) {
    return (covey_system){ .name = name, .run = covey_events_run, .context = events, .exclusive = true };
}

/* Two systems strike, the hits are delivered, the entities suffer. */
static heard_hits run_on(uint32_t threads, uint64_t *digest) {
    static const uint32_t salts[] = { 1, 5 };
    heard_hits noted = { 0 };
    assert_int_equal(world_setup(NULL), 0);
    make_crowd();
    hits = covey_events_of(world, Hit);
    covey_events *bells = covey_events_of(world, Bell);
    covey_events_connect(hits, note, &noted);
    covey_schedule *schedule = schedule_on(threads);
    add_system(schedule, over_crowd("strike", strike, (void *)(uintptr_t)&salts[0]));
    add_system(schedule, over_crowd("strike again", strike, (void *)(uintptr_t)&salts[1]));
    add_system(schedule, delivering("hits", hits));
    add_system(schedule, delivering("bells", bells));
    covey_system suffering = over_crowd("suffer", suffer, NULL);
    suffering.view.read[0] = NULL;
    add_system(schedule, suffering);
    for (uint32_t run = 0; run < RUNS; run++) {
        run_well(schedule);
        assert_int_equal(covey_events_count(bells), 2 * CROWD_PIECES);
        assert_int_equal(covey_events_sent(hits), 0);
        assert_int_equal(covey_events_count(hits), 2 * CROWD / 3);
        test_world_is_valid(world);
    }
    *digest = world_digest(world);
    covey_schedule_destroy(schedule);
    world_teardown(NULL);
    return noted;
}

static void events_are_the_same_on_every_number_of_threads(void **state) {
    static const uint32_t threads[] = { 1, 2, 3, 8 };
    uint64_t first_digest, digest;
    (void)state;
    heard_hits first = run_on(1, &first_digest);
    assert_int_equal(first.calls, RUNS);
    assert_int_equal(first.events, RUNS * 2 * CROWD / 3);
    for (uint32_t i = 0; i < COUNT_OF(threads); i++) {
        heard_hits noted = run_on(threads[i], &digest);
        assert_int_equal(noted.calls, first.calls);
        assert_int_equal(noted.events, first.events);
        assert_true(noted.digest == first.digest);
        assert_true(digest == first_digest);
    }
}

/* The buffers of the schedule have memory of their own, so that recording succeeds when sending does not. */
static covey_schedule *striking(test_heap *other) {
    static const uint32_t salt = 1;
    make_crowd();
    hits = covey_events_of(world, Hit);
    covey_schedule_desc desc = { .threads = 2, .allocator = test_allocator(other) };
    covey_schedule *schedule = covey_schedule_create(world, &desc);
    assert_non_null(schedule);
    add_system(schedule, over_crowd("strike", strike, (void *)(uintptr_t)&salt));
    return schedule;
}

/* An event that cannot be sent stops the run; the next one sends it, and those behind it. */
static void a_run_continues_with_events_that_could_not_be_sent(void **state) {
    test_heap other = { 0 };
    (void)state;
    covey_schedule *schedule = striking(&other);
    add_system(schedule, delivering("hits", hits));
    run_well(schedule);
    covey_events_clear(hits);
    covey_shrink(world);
    test_fail_at(&heap, 1, true);
    assert_int_equal(covey_schedule_run(schedule), COVEY_ERROR_MEMORY);
    test_fail_never(&heap);
    assert_says(schedule, "strike");
    assert_int_equal(covey_events_count(hits), 0);
    run_well(schedule);
    assert_int_equal(covey_events_count(hits), 2 * CROWD / 3); /* of both runs */
    covey_schedule_destroy(schedule);
}

/* Discarding the commands of a schedule drops events that were not sent. */
static void a_schedule_ends_with_unsent_events(void **state) {
    test_heap other = { 0 };
    (void)state;
    covey_schedule *schedule = striking(&other);
    run_well(schedule);
    covey_shrink(world);
    test_fail_at(&heap, 1, true);
    covey_result result;
    do result = covey_schedule_run(schedule); /* until the room is full */
    while (result == COVEY_OK);
    test_fail_never(&heap);
    assert_int_equal(result, COVEY_ERROR_MEMORY);
    assert_true(covey_schedule_skip(schedule));
    covey_schedule_destroy(schedule);
    assert_int_equal(other.bytes, 0);
}

#if COVEY_ASSERT_LEVEL >= 1
static uint32_t broken;
static void note_broken(const char *what, const char *file, int line, void *context) {
    (void)what, (void)file, (void)line, (void)context;
    broken++;
}

static void send_directly(covey_job *job, void *context) {
    (void)job, (void)context;
    assert_false(covey_events_send(hits, Hit, { crowd[0], 1 }));
    assert_int_equal(covey_events_deliver(hits), 0);
}

static void parallel_systems_only_record(void **state) {
    (void)state;
    covey_world_desc desc = world_desc();
    desc.on_assert = note_broken;
    covey_world *in = covey_world_create(&desc);
    hits = covey_events_of(in, Hit);
    covey_schedule *schedule = covey_schedule_create(in, &(covey_schedule_desc){ .threads = 2 });
    add_system(schedule, (covey_system){ .name = "direct", .run = send_directly });
    run_well(schedule);
    assert_int_equal(broken, 2);
    assert_int_equal(covey_events_sent(hits), 0);
    covey_system wrong = delivering("not exclusive", hits);
    wrong.exclusive = false;
    add_system(schedule, wrong);
    run_well(schedule);
    assert_int_equal(broken, 5);
    covey_schedule_destroy(schedule);
    covey_world_destroy(in);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_the_same_on_every_number_of_threads),
        WORLD_TEST(a_run_continues_with_events_that_could_not_be_sent),
        WORLD_TEST(a_schedule_ends_with_unsent_events),
#if COVEY_ASSERT_LEVEL >= 1
        WORLD_TEST(parallel_systems_only_record),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
