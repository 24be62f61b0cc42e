/* Schedules: systems, their order, what they may do, and what becomes of it. */
#include "fixture.h"

#include <covey/schedule.h>

typedef struct {
    uint32_t number;
} Speed;
COVEY_COMPONENT_DEFINE(Speed);

/* Adds the speed of each to its value. */
static void move(covey_job *job, void *context) {
    (void)context;
    while (covey_next(&job->it)) {
        Value *value = covey_field(&job->it, 0, Blocked);
        const Speed *speed = covey_field_const(&job->it, 1, Speed);
        for (uint32_t i = 0; i < job->it.count; i++) value[i] = value_of(value[i].number + speed[i].number);
    }
}

static const covey_system moving = { .name = "move",
                                     .run = move,
                                     .split = true,
                                     .piece = 64,
                                     .view = { .with = { &covey_type_Blocked, &covey_type_Speed },
                                               .read = { &covey_type_Speed } } };

static void a_split_system_visits_all(void **state) {
    (void)state;
    enum { COUNT = 1000 };
    covey_entity all[COUNT];
    covey_schedule *schedule = covey_schedule_create(world, &(covey_schedule_desc){ .threads = 3 });
    assert_non_null(schedule);
    assert_int_equal(covey_system_add(schedule, &moving), COVEY_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
        all[i] = create_with(covey_id(Blocked), i);
        assert_non_null(covey_add(world, all[i], Speed, { 1000 }));
    }
    for (uint32_t run = 1; run <= 20; run++) {
        assert_int_equal(covey_schedule_run(schedule), COVEY_OK);
        for (uint32_t i = 0; i < COUNT; i++) assert_value(all[i], covey_id(Blocked), i + run * 1000);
    }
    covey_schedule_destroy(schedule);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(a_split_system_visits_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
