/* The inspector without memory: each allocation of an answer fails in turn, once and persistently, in the inspector and
 * in the world. The request is refused or answered, the world is unchanged, and the next request is answered. */
#include "client.h"

#include <covey/fields.h>
#include <covey/hierarchy.h>
#include <covey/lookup.h>

typedef struct Spot {
    float x, y;
} Spot;
COVEY_FIELDS_DEFINE(Spot, f32(x), f32(y));
COVEY_COMPONENT_DEFINE(Spot, .fields = &covey_fields_Spot, .ticks = true);

static covey_schedule *schedule;
static covey_history *history;

static void spend(covey_job *job, void *context) {
    (void)context;
    while (covey_next(&job->it)) continue;
}

static void open_again(void) {
    inspect_open(&(covey_inspect_desc){ .write = true, .schedule = schedule, .history = history });
}

static int oom_setup(void **state) {
    if (inspect_setup(state) != 0) return -1;
    inspect_close();
    schedule = covey_schedule_create(world, &(covey_schedule_desc){ .threads = 1 });
    history = covey_history_create(world, 4);
    for (uint32_t i = 0; i < 100; i++) {
        covey_entity e = create_with(covey_id(Packed), i);
        add_value(e, covey_id(Blocked), i);
        assert_non_null(covey_add(world, e, Spot, { 1, 2 }));
        if (i % 10 == 0) add_value(e, covey_id(Ordered), i);
    }
    for (uint32_t i = 0; i < 40; i++) /* a kind */
        assert_false(covey_is_null(covey_create_with(world, covey_with(Spot, { 3, 4 }))));
    assert_int_equal(covey_name_set(world, covey_entity_at(world, 1), "one"), COVEY_OK);
    assert_non_null(
        covey_lookup_create(world, &(covey_lookup_desc){ .type = covey_id(Spot), .place = { "x", "y" }, .cell = 0.5 }));
    covey_system_add(schedule, &(covey_system){ .name = "a", .run = spend, .view.with = { covey_id(Packed) } });
    covey_system_add(schedule, &(covey_system){ .name = "b", .run = spend, .writes = { covey_id(Packed) } });
    assert_true(covey_history_save(history));
    remove_value(covey_entity_at(world, 5), covey_id(Packed));
    assert_true(covey_history_save(history));
    open_again();
    return 0;
}

static int oom_teardown(void **state) {
    inspect_close();
    covey_schedule_destroy(schedule);
    covey_history_destroy(history);
    return inspect_teardown(state);
}
#define OOM_TEST(test) cmocka_unit_test_setup_teardown(test, oom_setup, oom_teardown)

static const struct {
    const char *method, *path, *body;
} requests[] = {
    { "GET", "world", NULL },
    { "GET", "types", NULL },
    { "GET", "entities?query=Packed,name&columns=Blocked", NULL },
    { "GET", "entities?sort=Spot.x", NULL },
    { "GET", "complete?query=Pa", NULL },
    { "GET", "tree", NULL },
    { "GET", "tree?parent=1:1", NULL },
    { "GET", "entity?e=1:1", NULL },
    { "GET", "entity/systems?e=1:1", NULL },
    { "GET", "several?e=1:1,2:1", NULL },
    { "GET", "values?watch=1:1.Packed", NULL },
    { "GET", "resources", NULL },
    { "GET", "time/entities?query=Packed", NULL },
    { "GET", "time/entity?e=1:1", NULL },
    { "GET", "storage", NULL },
    { "GET", "map?type=Blocked", NULL },
    { "GET", "systems", NULL },
    { "GET", "plan", NULL },
    { "GET", "timeline?frames=5", NULL },
    { "GET", "time", NULL },
    { "GET", "time/diff?a=1&b=0", NULL },
    { "GET", "time/diff?a=1", NULL },
    { "GET", "space?x=Spot.x&y=Spot.y", NULL },
    { "GET", "space?x=Spot.x&y=Spot.y&query=Packed&limit=10", NULL },
    { "GET", "lookups", NULL },
    { "GET", "cells?limit=8", NULL },
    { "GET", "events", NULL },
    { "GET", "log", NULL },
    { "POST", "run", "{\"paused\":false}" },
    { "POST", "systems", "{\"name\":\"a\",\"on\":true}" },
    { "POST", "storage", "{\"type\":\"Blocked\",\"do\":\"shrink\"}" },
    { "POST", "time", "{\"back\":0}" },
};

/* Status 0: there was no memory for a refusal. */
static void check_status(const char *path, int status, bool failed) {
    bool fine = status == 200 || (failed && (status == 500 || status == 503 || status == 409 || status == 0));
    if (!fine) fail_msg("%s: %d", path, status);
}

/* Returns whether an allocation has failed. */
static bool try_with(test_heap *fails, uint32_t number, uint64_t at, bool for_good) {
    uint64_t digest = world_digest(world);
    inspect_fail_at(fails, at, for_good);
    reply r = ask(requests[number].method, requests[number].path, requests[number].body);
    bool failed = inspect_fail_never(fails);
    check_status(requests[number].path, r.status, failed);
    reply_free(&r);
    assert_int_equal(world_digest(world), digest);
    test_world_is_valid(world);
    return failed;
}

static void answers_again(uint32_t number) {
    reply r = ask(requests[number].method, requests[number].path, requests[number].body);
    assert_int_equal(r.status, 200);
    reply_free(&r);
    assert_int_equal(covey_schedule_run(schedule), COVEY_OK);
}

static void try_all(test_heap *fails, bool for_good) {
    for (uint32_t i = 0; i < COUNT_OF(requests); i++) {
        bool failed = true;
        for (uint64_t at = 1; failed; at++) {
            inspect_close(); /* so that nothing is cached */
            open_again();
            failed = try_with(fails, i, at, for_good);
            answers_again(i);
        }
    }
}

static void test_the_inspector_has_no_memory(void **state) {
    (void)state;
    try_all(&inspector_heap, false);
    try_all(&inspector_heap, true);
}

static void test_the_world_has_no_memory(void **state) {
    (void)state;
    try_all(&heap, false);
    try_all(&heap, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        OOM_TEST(test_the_inspector_has_no_memory),
        OOM_TEST(test_the_world_has_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
