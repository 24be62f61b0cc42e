/* Schedules and images: a loaded world continues like the saved one, whatever memory either has reserved. */
#include "scheduled.h"

#include <covey/image.h>

typedef struct Heat {
    float number;
} Heat;
typedef struct Child {
    uint32_t of;
} Child;
COVEY_COMPONENT_DEFINE(Heat, .as_bytes = true);
COVEY_COMPONENT_DEFINE(Child, .as_bytes = true);

enum { ENTITIES = COVEY_INDEX_BITS > 10 ? 20000 : 300, RUNS = 3 };

/* Changes all, adds them up, and lets some have children and end. Depends on values and indices alone. */
static void glow(covey_job *job, void *context) {
    float *sum = job->scratch;
    (void)context;
    while (covey_next(&job->it)) {
        Heat *heat = covey_field(&job->it, 0, Heat);
        for (uint32_t i = 0; i < job->it.count; i++) {
            covey_entity e = covey_span_entity(&job->it, i);
            heat[i].number = heat[i].number * 0.9f + 0.1f;
            *sum += heat[i].number;
            if (e.index % 50 != job->run) continue;
            covey_entity child = covey_record_create(job->commands);
            covey_record_add(job->commands, child, Heat, { 1.f / (float)(e.index + 3) });
            covey_record_add(job->commands, child, Child, { e.index });
            if (e.index % 3 == 0) covey_record_destroy(job->commands, e);
        }
    }
}

static void add_sums(void *total, const void *scratch, void *context) {
    (void)context;
    *(float *)total += *(const float *)scratch;
}

static covey_buffer image_of(covey_world *of) {
    covey_buffer image = { 0 };
    assert_int_equal(covey_save_to_buffer(of, &image, NULL, NULL), COVEY_OK);
    return image;
}

/* Runs the system on a world. Returns an image of it, and the sum of the last run. */
static covey_buffer run_on(covey_world *on, uint32_t threads, float *sum) {
    covey_schedule *schedule = covey_schedule_create(on, &(covey_schedule_desc){ .threads = threads });
    assert_non_null(schedule);
    covey_system system = { .name = "glow", .run = glow, .split = true, .piece = 64, .creates = 4 };
    system.view.with[0] = covey_id(Heat);
    system.creates_with[0] = covey_id(Child);
    system.scratch = sizeof(float), system.merge = add_sums, system.total = sum;
    assert_int_equal(covey_system_add(schedule, &system), COVEY_OK);
    for (uint32_t i = 0; i < RUNS; i++) assert_int_equal(covey_schedule_run(schedule), COVEY_OK);
    covey_schedule_destroy(schedule);
    const char *why = "";
    if (!covey_world_validate(on, &why)) fail_msg("%s", why);
    return image_of(on);
}

static void assert_same_image(const covey_buffer *a, const covey_buffer *b) {
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->bytes, b->bytes, a->size);
}

static void test_a_loaded_world_goes_on_as_the_saved_one(void **state) {
    (void)state;
    static covey_entity all[ENTITIES];
    const covey_type *types[] = { covey_id(Heat), covey_id(Child), NULL };
    for (uint32_t i = 0; i < ENTITIES; i++) {
        all[i] = covey_create(world);
        assert_non_null(covey_add(world, all[i], Heat, { 1.f / (float)(1 + i * 7 % ENTITIES) }));
    }
    for (uint32_t i = ENTITIES / 2; i < ENTITIES; i++)
        covey_remove(world, all[i], Heat); /* memory stays reserved for them */
    covey_buffer image = image_of(world);
    float saved = 0, sum = 0;
    covey_buffer wanted = run_on(world, 1, &saved);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        covey_world *fresh = covey_world_create(NULL);
        covey_load_desc desc = { .types = types };
        assert_non_null(fresh);
        assert_int_equal(covey_load_from_memory(fresh, image.bytes, image.size, &desc, NULL), COVEY_OK);
        if (threads == 2) covey_shrink(fresh);
        covey_buffer found = run_on(fresh, threads, &sum);
        assert_memory_equal(&sum, &saved, sizeof sum);
        assert_same_image(&found, &wanted);
        covey_buffer_free(&found);
        covey_world_destroy(fresh);
    }
    covey_buffer_free(&wanted);
    covey_buffer_free(&image);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_a_loaded_world_goes_on_as_the_saved_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
