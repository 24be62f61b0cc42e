/* Schedules: what must not be done while they run, and what a body must not do beside others. An assertion reports it,
 * and the call does nothing. */
#include "scheduled.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* A world whose assertions are counted, and go on. */
static struct {
    atomic_uint broken, logged;
    char text[256];
    pthread_mutex_t lock;
} alarm = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void count_broken(const char *what, const char *file, int line, void *context) {
    (void)file, (void)line, (void)context;
    pthread_mutex_lock(&alarm.lock);
    memset(alarm.text, 0, sizeof alarm.text);
    memcpy(alarm.text, what, strlen(what) < sizeof alarm.text ? strlen(what) : sizeof alarm.text - 1);
    pthread_mutex_unlock(&alarm.lock);
    atomic_fetch_add(&alarm.broken, 1);
}

static void count_logged(covey_result result, const char *text, void *context) {
    (void)result, (void)text, (void)context;
    atomic_fetch_add(&alarm.logged, 1);
}

static int lenient_setup(void **state) {
    (void)state;
    heap = (test_heap){ 0 };
    atomic_store(&alarm.broken, 0);
    covey_world_desc desc = world_desc();
    desc.on_assert = count_broken;
    desc.log = count_logged;
    world = covey_world_create(&desc);
    return world ? 0 : -1;
}
#define LENIENT_TEST(test) cmocka_unit_test_setup_teardown(test, lenient_setup, world_teardown)

/* A body that tries something with the schedule that runs it, and what came of it. */
typedef struct trial {
    covey_schedule *schedule;
    covey_result (*run)(covey_schedule *schedule);
    covey_result result;
} trial;

static void try_it(covey_job *job, void *context) {
    trial *t = context;
    (void)job;
    t->result = t->run(t->schedule);
}

static covey_result run_again(covey_schedule *s) { return covey_schedule_run(s); }
static covey_result run_for_again(covey_schedule *s) { return covey_schedule_run_for(s, 1); }
static covey_result add_another(covey_schedule *s) {
    return covey_system_add(s, &(covey_system){ .name = "another", .run = try_it });
}
static covey_result add_a_phase(covey_schedule *s) { return covey_phase_add(s, &(covey_phase){ .name = "another" }); }
static covey_result remove_itself(covey_schedule *s) {
    return covey_system_remove(s, "try") ? COVEY_OK : COVEY_ERROR_REFUSED;
}
static covey_result destroy_itself(covey_schedule *s) {
    covey_schedule_destroy(s);
    return COVEY_ERROR_REFUSED;
}

static void a_schedule_is_left_alone_while_it_runs(void **state) {
    (void)state;
    static covey_result (*const runs[])(covey_schedule *) = { run_again,   run_for_again, add_another,
                                                              add_a_phase, remove_itself, destroy_itself };
    for (uint32_t i = 0; i < 2 * COUNT_OF(runs); i++) {
        trial t = { schedule_on(2), runs[i / 2], COVEY_OK };
        add_system(t.schedule, (covey_system){ .name = "try", .run = try_it, .context = &t, .exclusive = i % 2 != 0 });
        uint32_t broken = atomic_load(&alarm.broken);
        run_well(t.schedule);
        assert_int_equal(t.result, COVEY_ERROR_REFUSED);
        assert_int_equal(atomic_load(&alarm.broken), broken + 1);
        assert_int_equal(covey_schedule_stats(t.schedule, NULL, 0), 1);
        covey_schedule_destroy(t.schedule);
    }
}

static void skip_inside(covey_job *job, void *context) {
    (void)job;
    if (covey_schedule_skip(context)) abort();
}

static void nothing_is_skipped_while_it_runs(void **state) {
    (void)state;
    covey_schedule *schedule = schedule_on(1);
    add_system(schedule, (covey_system){ .name = "skip", .run = skip_inside, .context = schedule });
    run_well(schedule);
    covey_schedule_destroy(schedule);
}

static void note_run(covey_job *job, void *context) {
    (void)job;
    ++*(uint32_t *)context;
}

/* Another schedule of the same world runs inside of a system: only if that is exclusive. */
static void a_schedule_inside_of_another_needs_an_exclusive_system(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t runs = 0;
        trial t = { schedule_on(2), run_again, COVEY_OK };
        covey_schedule *outer = schedule_on(2);
        add_system(t.schedule, (covey_system){ .name = "inner", .run = note_run, .context = &runs });
        add_system(outer, (covey_system){ .name = "outer", .run = try_it, .context = &t, .exclusive = i == 0 });
        run_well(outer);
        assert_int_equal(t.result, i == 0 ? COVEY_OK : COVEY_ERROR_REFUSED);
        assert_int_equal(runs, i == 0);
        covey_schedule_destroy(outer);
        covey_schedule_destroy(t.schedule);
    }
}

static covey_result create_inside(covey_schedule *s) {
    (void)s;
    covey_schedule *inside = covey_schedule_create(world, NULL);
    covey_schedule_destroy(inside);
    return inside ? COVEY_OK : COVEY_ERROR_REFUSED;
}

static void a_schedule_is_made_beside_no_system(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        trial t = { schedule_on(2), create_inside, COVEY_OK };
        add_system(t.schedule, (covey_system){ .name = "try", .run = try_it, .context = &t, .exclusive = i == 0 });
        run_well(t.schedule);
        assert_int_equal(t.result, i == 0 ? COVEY_OK : COVEY_ERROR_REFUSED);
        covey_schedule_destroy(t.schedule);
    }
}

static void change_structure(covey_job *job, void *context) {
    atomic_uint *changed = context;
    for (covey_row row = { 0 }; covey_next_row(&job->it, &row);) {
        covey_entity e = covey_row_entity(&job->it, row);
        if (covey_add(job->world, e, Blocked, { 0, 0 }) || covey_destroy(job->world, e)) atomic_fetch_add(changed, 1);
    }
    if (!covey_is_null(covey_create(job->world))) atomic_fetch_add(changed, 1);
}

static void structure_is_not_changed_beside_others(void **state) {
    (void)state;
    atomic_uint changed = 0;
    make_crowd();
    for (uint32_t threads = 1; threads <= 3; threads++) {
        covey_schedule *schedule = schedule_on(threads);
        uint32_t broken = atomic_load(&alarm.broken);
        add_system(schedule, over_crowd("greedy", change_structure, &changed));
        run_well(schedule);
        assert_int_equal(atomic_load(&changed), 0);
        assert_int_equal(covey_entity_count(world), CROWD);
        assert_int_equal(atomic_load(&alarm.broken), broken + 2 * CROWD + CROWD_PIECES);
        assert_string_equal(
            alarm.text, "system greedy makes a structural change: mark it .exclusive, or record into job->commands");
        covey_schedule_destroy(schedule);
    }
    assert_false(covey_is_null(covey_create(world))); /* and may be, when it has ended */
}

/* A body that runs a schedule of another world is still that of its own system afterwards. */
static void run_other_and_change(covey_job *job, void *context) {
    if (covey_schedule_run(context) != COVEY_OK || !covey_is_null(covey_create(job->world)))
        job->result = COVEY_ERROR_REFUSED;
}

static void a_schedule_of_another_world_runs_inside_of_a_system(void **state) {
    (void)state;
    uint32_t runs = 0;
    covey_world *other = covey_world_create(NULL);
    covey_schedule *inner = covey_schedule_create(other, &(covey_schedule_desc){ .threads = 1 }),
                   *outer = schedule_on(1);
    add_system(inner, (covey_system){ .name = "inner", .run = note_run, .context = &runs });
    add_system(outer, (covey_system){ .name = "outer", .run = run_other_and_change, .context = inner });
    run_well(outer);
    assert_int_equal(runs, 1);
    assert_string_equal(alarm.text,
                        "system outer makes a structural change: mark it .exclusive, or record into job->commands");
    covey_schedule_destroy(outer);
    covey_schedule_destroy(inner);
    covey_world_destroy(other);
}

/* ---- What was not declared ----------------------------------------------------------------------------------------*/

#if COVEY_ASSERT_LEVEL >= 2
static void use_blocked(covey_job *job) { (void)covey_get(job->world, crowd[0], Blocked); }
static void write_packed(covey_job *job) { (void)covey_set(job->world, crowd[0], Packed, { 1, ~1u }); }
static void use_resource(covey_job *job) { (void)covey_resource_get(job->world, Kept); }

static void walk_view(covey_job *job, covey_view_desc desc) {
    const char *why;
    covey_view view = covey_view_make_const(job->world, &desc, &why);
    covey_iter it = covey_view_iter(&view);
    while (covey_next(&it)) {
    }
}
static void walk_blocked(covey_job *job) { walk_view(job, (covey_view_desc){ .with = { covey_id(Blocked) } }); }

static void use_what_is_declared(covey_job *job) {
    (void)covey_get(job->world, crowd[0], Packed);
    (void)covey_get(job->world, crowd[0], Pinned);
    (void)covey_set(job->world, crowd[0], Pinned, { 1, ~1u });
    (void)covey_has(job->world, crowd[0], Blocked); /* every thread may ask */
    walk_view(job, (covey_view_desc){ .with = { covey_id(Packed) }, .without = { covey_id(Blocked) } });
    while (covey_next(&job->it)) {
    }
}

/* A body that does one of these. */
typedef void use_fn(covey_job *job);
static void use_it(covey_job *job, void *context) { (*(use_fn *const *)context)(job); }

static void a_body_that_uses_what_it_did_not_declare_is_told(void **state) {
    (void)state;
    static const struct {
        use_fn *use;
        const char *text; /* NULL: nothing is wrong */
    } uses[] = {
        { use_what_is_declared, NULL },
        { use_blocked, "system greedy uses Blocked, which it did not declare: add it to .reads" },
        { walk_blocked, "system greedy uses Blocked, which it did not declare: add it to .reads" },
        { write_packed, "system greedy writes Packed, which it declared as read: add it to .writes" },
        { use_resource, "system greedy uses the resource Kept, which it did not declare: add it to .resource_reads" },
    };
    make_crowd();
    add_value(crowd[0], covey_id(Blocked), 1);
    add_value(crowd[0], covey_id(Pinned), 1);
    assert_non_null(covey_resource_set(world, Kept, { 1, ~1u }));
    for (uint32_t i = 0; i < COUNT_OF(uses); i++)
        for (uint32_t exclusive = 0; exclusive < 2; exclusive++) {
            covey_schedule *schedule = schedule_on(2);
            covey_system system = over_crowd("greedy", use_it, (void *)(uintptr_t)&uses[i].use);
            system.split = false;
            system.exclusive = exclusive != 0;
            system.writes[0] = covey_id(Pinned);
            alarm.text[0] = '\0';
            add_system(schedule, system);
            run_well(schedule);
            bool told = uses[i].text && !exclusive; /* no system runs beside an exclusive one */
            if (told) assert_string_equal(alarm.text, uses[i].text);
            else assert_string_equal(alarm.text, "");
            covey_schedule_destroy(schedule);
        }
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        LENIENT_TEST(a_schedule_is_left_alone_while_it_runs),
        LENIENT_TEST(nothing_is_skipped_while_it_runs),
        LENIENT_TEST(a_schedule_inside_of_another_needs_an_exclusive_system),
        LENIENT_TEST(a_schedule_is_made_beside_no_system),
        LENIENT_TEST(structure_is_not_changed_beside_others),
        LENIENT_TEST(a_schedule_of_another_world_runs_inside_of_a_system),
#if COVEY_ASSERT_LEVEL >= 2
        LENIENT_TEST(a_body_that_uses_what_it_did_not_declare_is_told),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
