/* Millions of random steps, on the library and on an oracle. A failure names the seed of its program:
 * COVEY_TEST_SEED=<seed> runs that program alone, in each test. */
#include "model_world.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>

typedef model_report run_fn(const model_options *options);

static void run_programs(run_fn *run, model_options options, uint64_t steps) {
    const char *replay = getenv("COVEY_TEST_SEED");
    options.seed = replay ? strtoull(replay, NULL, 10) : 1;
    for (uint64_t done = 0; done < steps; options.seed++) {
        model_report report = run(&options);
        if (!report.agreed) fail_msg("COVEY_TEST_SEED=%llu: %s", (unsigned long long)options.seed, report.text);
        if (replay) return;
        done += report.steps;
    }
}

static const model_options small = { .steps = 3000, .crowd = 200, .validate_every = 1, .compare_every = 16 };
static const model_options tiny = { .steps = 1000, .crowd = 12, .validate_every = 1, .compare_every = 4 };
static const model_options large = { .steps = 20000, .crowd = 30000, .validate_every = 1000, .compare_every = 1000 };

static const model_options small_with_groups = {
    .steps = 3000, .crowd = 200, .validate_every = 1, .compare_every = 16, .group_every = 3
};

/* Validated after every step. */
static void tiny_worlds(void **state) {
    (void)state;
    run_programs(model_run_world, tiny, test_scaled(300000));
}

static void small_worlds(void **state) {
    (void)state;
    run_programs(model_run_world, small, test_scaled(250000));
}

/* The same with longer programs, which compare everything less often, so that there is time for more steps. */
static void long_worlds(void **state) {
    model_options options = small;
    options.steps = 10000;
    options.compare_every = 100;
    (void)state;
    run_programs(model_run_world, options, test_scaled(3500000));
}

static void large_worlds(void **state) {
    (void)state;
    run_programs(model_run_world, large, test_scaled(1000000));
}

/* Every third step is about a view, and the types are of all storages. */
static void worlds_with_views(void **state) {
    model_options options = { .steps = 3000, .crowd = 200, .validate_every = 8, .compare_every = 32, .view_every = 3 };
    (void)state;
    run_programs(model_run_world, options, test_scaled(300000));
    options.crowd = 12;
    options.steps = 500;
    run_programs(model_run_world, options, test_scaled(100000));
}

/* Every third step is about a group or an order, and most types are such that a group can own them. */
static void worlds_with_groups(void **state) {
    (void)state;
    run_programs(model_run_world, small_with_groups, test_scaled(250000));
    model_options options = small_with_groups;
    options.crowd = 12;
    options.steps = 1000;
    options.compare_every = 4;
    run_programs(model_run_world, options, test_scaled(300000));
    options.crowd = 3000;
    options.steps = 2000;
    options.validate_every = options.compare_every = 100;
    run_programs(model_run_world, options, test_scaled(20000));
}

/* Every second step is about what only some programs are about; now and then also about groups. */
static void run_subject(const struct model_subject *subject) {
    model_options options = small;
    options.subject = subject;
    options.subject_every = 2;
    run_programs(model_run_world, options, test_scaled(60000));
    options.group_every = 5;
    run_programs(model_run_world, options, test_scaled(60000));
    options.steps = 1000;
    options.crowd = 12;
    options.compare_every = 4;
    run_programs(model_run_world, options, test_scaled(60000));
    options.group_every = 0;
    run_programs(model_run_world, options, test_scaled(60000));
}

static void worlds_with_commands(void **state) {
    (void)state;
    run_subject(&model_commands);
}

static void worlds_with_copies(void **state) {
    (void)state;
    run_subject(&model_copies);
}

static void worlds_with_hierarchies(void **state) {
    (void)state;
    run_subject(&model_hierarchy);
}

/* Every fourth step is about listeners, queues or reactive sets, or has a listener that changes the world. */
static void worlds_with_signals(void **state) {
    model_options options = small;
    (void)state;
    options.subject = &model_signals;
    options.subject_every = 4;
    run_programs(model_run_world, options, test_scaled(120000));
    options.group_every = 3;
    run_programs(model_run_world, options, test_scaled(80000));
    options = tiny;
    options.subject = &model_signals;
    options.subject_every = 3;
    run_programs(model_run_world, options, test_scaled(120000));
    options.group_every = 4;
    run_programs(model_run_world, options, test_scaled(60000));
}

/* Entities without components, and listeners to them: the quick path for worlds without observers must not be taken. */
static void worlds_of_entities_alone(void **state) {
    model_options options = tiny;
    (void)state;
    options.bare = true;
    options.subject = &model_ends;
    options.subject_every = 3;
    run_programs(model_run_world, options, test_scaled(60000));
    options.crowd = 100;
    run_programs(model_run_world, options, test_scaled(30000));
}

/* Every second or third step is about many entities at once; in others come groups, listeners and what is disabled.
 * In the hard configuration the last worlds run out of indices: then there are no kinds any more. */
static void worlds_with_many(void **state) {
    model_options options = small;
    (void)state;
    options.crowd = 500;
    options.many_every = 2;
    options.validate_every = 4;
    run_programs(model_run_world, options, test_scaled(60000));
    options.many_every = 3;
    options.group_every = 5;
    run_programs(model_run_world, options, test_scaled(40000));
    options.subject = &model_signals;
    options.subject_every = 4;
    run_programs(model_run_world, options, test_scaled(40000));
    options.group_every = 0;
    options.subject = &model_visible;
    run_programs(model_run_world, options, test_scaled(30000));
    options.subject = &model_commands;
    run_programs(model_run_world, options, test_scaled(30000));
    options = tiny;
    options.many_every = 2;
    run_programs(model_run_world, options, test_scaled(60000));
    options = large;
    options.steps = 500;
    options.many_every = 2;
    options.validate_every = options.compare_every = 100;
    run_programs(model_run_world, options, test_scaled(250000));
}

/* Every third step makes, ends or asks a lookup. */
static void worlds_with_lookups(void **state) {
    (void)state;
    run_subject(&model_lookups);
}

/* Every third step makes a channel, sends, records, delivers or listens. */
static void worlds_with_events(void **state) {
    (void)state;
    run_subject(&model_events);
}

/* All of these in one program. */
static void worlds_with_everything(void **state) {
    (void)state;
    run_subject(&model_all);
}

/* The world goes back to earlier states; the oracle has copies of them. */
static void worlds_with_histories(void **state) {
    (void)state;
    run_subject(&model_history);
}

/* Saved and loaded again and again, and gone on in what was loaded. */
static void worlds_from_images(void **state) {
    (void)state;
    static const struct model_subject *const subjects[] = { NULL, &model_all, &model_history };
    for (uint32_t i = 0; i < 12; i++) {
        model_options options = i % 2 == 0 ? small : tiny;
        options.image_every = i % 2 == 0 ? 24 : 10;
        options.group_every = i / 2 % 2 == 0 ? 0 : 5;
        options.subject = subjects[i / 4];
        options.subject_every = options.subject ? 2 : 0;
        run_programs(model_run_world, options, test_scaled(50000));
    }
    model_options options = large;
    options.image_every = 2000;
    run_programs(model_run_world, options, test_scaled(100000));
}

/* Every second step is about what is disabled, or about ticks. */
static void worlds_with_disabled(void **state) {
    (void)state;
    for (uint32_t groups = 0; groups < 2; groups++) {
        model_options options = groups != 0 ? small_with_groups : small;
        options.subject = &model_visible;
        options.subject_every = 2;
        options.view_every = 5;
        run_programs(model_run_world, options, test_scaled(200000));
        options.crowd = 12;
        options.steps = 1000;
        options.compare_every = 4;
        run_programs(model_run_world, options, test_scaled(200000));
    }
    model_options options = large;
    options.subject = &model_visible;
    options.subject_every = 2;
    run_programs(model_run_world, options, test_scaled(100000));
}

static void run_sets(covey_policy policy) {
    model_options options = small;
    options.policy = policy;
    run_programs(model_run_set, options, test_scaled(1050000));
    options = tiny;
    options.policy = policy;
    run_programs(model_run_set, options, test_scaled(150000));
    options.far = true;
    options.steps = 30;
    run_programs(model_run_set, options, test_scaled(30));
    options = large;
    options.policy = policy;
    run_programs(model_run_set, options, test_scaled(100000));
}

static void swap_and_pop_sets(void **state) {
    (void)state;
    run_sets(COVEY_SWAP_AND_POP);
}

static void in_place_sets(void **state) {
    (void)state;
    run_sets(COVEY_IN_PLACE);
}

static void swap_only_sets(void **state) {
    (void)state;
    run_sets(COVEY_SWAP_ONLY);
}

static void ordered_sets(void **state) {
    (void)state;
    run_sets(COVEY_ORDERED);
}

/* ---- The oracle lies ----------------------------------------------------------------------------------------------*/

/* Generations wide enough are never used up. */
static bool can_show(oracle_fault fault) { return fault != ORACLE_RETIRES_LATE || COVEY_GENERATION_BITS <= 8; }

static bool is_about_groups(oracle_fault fault) { return fault >= ORACLE_SORTS_UNSTABLY; }

static bool is_about_kinds(oracle_fault fault) {
    return fault == ORACLE_IGNORES_KINDS || fault == ORACLE_KEEPS_EXTENTS;
}

static bool is_noticed(oracle_fault fault) {
    model_options options = is_about_groups(fault) ? small_with_groups : small;
    options.fault = fault;
    if (is_about_kinds(fault)) options.many_every = 2;
    if (fault == ORACLE_LOOKS_UP_LESS) options.subject = &model_lookups;
    if (fault == ORACLE_LOSES_EVENTS) options.subject = &model_events;
    if (options.subject) options.subject_every = 3;
    for (options.seed = 1; options.seed <= 40; options.seed++)
        if (!model_run_world(&options).agreed) return true;
    return false;
}

static void every_lie_is_noticed(void **state) {
    (void)state;
    for (oracle_fault fault = ORACLE_TRUTHFUL + 1; fault < ORACLE_FAULTS; fault++)
        if (can_show(fault) && !is_noticed(fault)) fail_msg("nobody noticed: the oracle %s", oracle_fault_name(fault));
}

static bool is_noticed_in_set(oracle_fault fault, covey_policy policy) {
    model_options options = small;
    options.fault = fault;
    options.policy = policy;
    for (options.seed = 1; options.seed <= 10; options.seed++)
        if (!model_run_set(&options).agreed) return true;
    return false;
}

static void every_lie_about_sets_is_noticed(void **state) {
    (void)state;
    assert_true(is_noticed_in_set(ORACLE_SHIFTS_ON_SWAP, COVEY_SWAP_AND_POP));
    assert_true(is_noticed_in_set(ORACLE_FILLS_OLDEST_HOLE, COVEY_IN_PLACE));
    assert_true(is_noticed_in_set(ORACLE_COMPACTS_FROM_FRONT, COVEY_IN_PLACE));
    assert_true(is_noticed_in_set(ORACLE_FILLS_ORDERED_HOLES, COVEY_ORDERED));
    assert_true(is_noticed_in_set(ORACLE_COMPACTS_FROM_FRONT, COVEY_ORDERED));
    assert_true(is_noticed_in_set(ORACLE_KEEPS_NO_DEAD, COVEY_SWAP_ONLY));
    for (covey_policy policy = COVEY_SWAP_AND_POP; policy <= COVEY_ORDERED; policy++)
        assert_true(is_noticed_in_set(ORACLE_SWAPS_IDS_ONLY, policy));
}

/* ---- What the programs reach --------------------------------------------------------------------------------------*/

/* Every step of growth, direct blocks, and capacities that only compaction gives. */
static void blocks_take_every_form(void **state) {
    (void)state;
    static const uint32_t capacities[] = { 4, 8, 12, 20, 32, 36, 64 };
    uint64_t seen = 0;
    model_options options = small;
    for (options.seed = 1; options.seed <= 40; options.seed++) seen |= model_run_world(&options).block_forms;
    for (uint32_t i = 0; i < sizeof capacities / sizeof capacities[0]; i++)
        if ((seen >> capacities[i] % 64 & 1) == 0) fail_msg("no block had a capacity of %u", capacities[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_lie_is_noticed),
        cmocka_unit_test(every_lie_about_sets_is_noticed),
        cmocka_unit_test(tiny_worlds),
        cmocka_unit_test(small_worlds),
        cmocka_unit_test(long_worlds),
        cmocka_unit_test(large_worlds),
        cmocka_unit_test(worlds_with_views),
        cmocka_unit_test(worlds_with_groups),
        cmocka_unit_test(worlds_with_commands),
        cmocka_unit_test(worlds_with_copies),
        cmocka_unit_test(worlds_with_hierarchies),
        cmocka_unit_test(worlds_with_many),
        cmocka_unit_test(worlds_with_lookups),
        cmocka_unit_test(worlds_with_events),
        cmocka_unit_test(worlds_with_everything),
        cmocka_unit_test(worlds_with_histories),
        cmocka_unit_test(worlds_from_images),
        cmocka_unit_test(worlds_with_signals),
        cmocka_unit_test(worlds_of_entities_alone),
        cmocka_unit_test(worlds_with_disabled),
        cmocka_unit_test(swap_and_pop_sets),
        cmocka_unit_test(in_place_sets),
        cmocka_unit_test(swap_only_sets),
        cmocka_unit_test(ordered_sets),
        cmocka_unit_test(blocks_take_every_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
