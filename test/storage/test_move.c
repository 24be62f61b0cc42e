/* Values that memcpy must not move: they have a pointer into themselves, which only their hook mends. Whatever happens
 * to them, each of them points to itself, and the number of living values is right. */
#include "fixture.h"

#include <covey/commands.h>
#include <covey/history.h>

/* ---- A value that points to itself --------------------------------------------------------------------------------*/

typedef struct Knot {
    uint32_t number, check;
    uint32_t *self; /* its number */
} Knot;

static int32_t alive;
static uint32_t moves, copies_left;

static void assert_knot(const Knot *knot) {
    assert_ptr_equal(knot->self, &knot->number);
    assert_int_equal(knot->check, ~knot->number);
}

static void tie(Knot *knot, uint32_t number) {
    knot->number = number;
    knot->check = ~number;
    knot->self = &knot->number;
    alive++;
}

static void untie(Knot *knot) {
    assert_knot(knot);
    memset(knot, 0xDD, sizeof *knot);
    alive--;
}

static void drop(void *value, void *context) {
    (void)context;
    untie(value);
}

static void move(void *to, void *from, void *context) {
    (void)context;
    const Knot *knot = from;
    assert_knot(knot);
    uint32_t number = knot->number;
    memset(from, 0xEE, sizeof(Knot));
    alive--;
    tie(to, number);
    moves++;
}

static bool copy(void *to, const void *from, void *context) {
    (void)context;
    assert_knot(from);
    if (copies_left == 0) return false;
    copies_left--;
    tie(to, ((const Knot *)from)->number);
    return true;
}

#define KNOT .move = move, .drop = drop, .copy = copy
typedef Knot InBlocks;
typedef Knot InSet;
typedef Knot InPlace;
typedef Knot InOrder;
typedef Knot Shelved;
typedef Knot Still;
typedef Knot Wiped;
COVEY_COMPONENT_DEFINE(InBlocks, KNOT);
COVEY_COMPONENT_DEFINE(InSet, .storage = COVEY_STORAGE_SPARSE, KNOT);
COVEY_COMPONENT_DEFINE(InPlace, .policy = COVEY_IN_PLACE, KNOT);
COVEY_COMPONENT_DEFINE(InOrder, .policy = COVEY_ORDERED, KNOT);
COVEY_COMPONENT_DEFINE(Shelved, .policy = COVEY_SWAP_ONLY, KNOT);
COVEY_COMPONENT_DEFINE(Still, .storage = COVEY_STORAGE_PINNED, KNOT);
COVEY_COMPONENT_DEFINE(Wiped, .storage = COVEY_STORAGE_SPARSE, .zero_erased = true, KNOT);
static const covey_type *const types[] = { covey_id(InBlocks), covey_id(InSet), covey_id(InPlace), covey_id(InOrder),
                                           covey_id(Shelved),  covey_id(Still), covey_id(Wiped) };
enum { TYPES = 7, ENTITIES = 200 };

/* ---- What should be there -----------------------------------------------------------------------------------------*/

static covey_entity e[ENTITIES];
static uint32_t expected[ENTITIES][TYPES]; /* the number, or 0 for none */

static void begin(void) {
    alive = 0;
    copies_left = UINT32_MAX;
    memset(expected, 0, sizeof expected);
    assert_true(covey_create_many(world, e, ENTITIES));
}

static void check(void) {
    int32_t count = 0;
    test_world_is_valid(world);
    for (uint32_t i = 0; i < ENTITIES; i++)
        for (uint32_t t = 0; t < TYPES; t++) {
            const Knot *knot = covey_get_raw(world, e[i], types[t]);
            assert_int_equal(knot != NULL, expected[i][t] != 0);
            if (!knot) continue;
            assert_knot(knot);
            assert_int_equal(knot->number, expected[i][t]);
            count++;
        }
    assert_int_equal(alive, count);
}

/* Adds or sets by a value that is handed over; the caller has it back when that fails. */
static bool give(uint32_t i, uint32_t t, uint32_t number, bool set) {
    Knot knot;
    tie(&knot, number);
    bool given =
        set ? covey_set_raw(world, e[i], types[t], &knot) != NULL : covey_add_raw(world, e[i], types[t], &knot) != NULL;
    if (given) expected[i][t] = number;
    else untie(&knot);
    return given;
}

/* ---- One by one ---------------------------------------------------------------------------------------------------*/

static void test_each_verb_moves_values(void **state) {
    (void)state;
    begin();
    for (uint32_t t = 0; t < TYPES; t++) {
        assert_true(give(0, t, 1, false));
        assert_false(give(0, t, 2, false)); /* it is there */
        assert_true(give(0, t, 3, true));
        check();
        Knot other;
        tie(&other, 4);
        assert_true(covey_replace_raw(world, e[0], types[t], &other));
        assert_knot(&other);
        assert_int_equal(other.number, 3);
        expected[0][t] = 4;
        untie(&other);
        check();
        assert_true(covey_take_raw(world, e[0], types[t], &other));
        assert_knot(&other);
        assert_int_equal(other.number, 4);
        expected[0][t] = 0;
        untie(&other);
        assert_true(give(0, t, 5, false));
        assert_true(covey_remove_raw(world, e[0], types[t]));
        expected[0][t] = 0;
        check();
    }
    covey_destroy_all(world);
    assert_int_equal(alive, 0);
}

static void test_two_values_swap_their_positions(void **state) {
    (void)state;
    begin();
    for (uint32_t t = 0; t < TYPES; t++) {
        covey_pool *pool = covey_pool_of_raw(world, types[t]);
        for (uint32_t i = 0; i < 3; i++) assert_true(give(i, t, 10 + i, false));
        if (types[t] == covey_id(InBlocks) || types[t] == covey_id(InPlace) || types[t] == covey_id(Still)) continue;
        assert_int_equal(covey_pool_swap(pool, e[0], e[2]), COVEY_OK);
        assert_same(covey_pool_ids(pool)[0], e[2]);
        assert_same(covey_pool_ids(pool)[2], e[0]);
        check();
    }
    covey_destroy_all(world);
    assert_int_equal(alive, 0);
}

static void test_resources_are_moved(void **state) {
    (void)state;
    begin();
    Knot knot;
    for (uint32_t number = 1; number < 3; number++) {
        tie(&knot, number);
        const Knot *set = covey_resource_set_raw(world, covey_id(InBlocks), &knot);
        assert_knot(set);
        assert_int_equal(set->number, number);
        assert_int_equal(alive, 1);
    }
    assert_true(covey_resource_take(world, InBlocks, &knot));
    assert_knot(&knot);
    untie(&knot);
    tie(&knot, 7);
    assert_non_null(covey_resource_set_raw(world, covey_id(InBlocks), &knot));
    assert_true(covey_resource_remove(world, InBlocks));
    assert_int_equal(alive, 0);
}

/* ---- Many ---------------------------------------------------------------------------------------------------------*/

static void test_arrays_are_moved_and_come_back_when_one_is_there(void **state) {
    (void)state;
    static Knot array[ENTITIES];
    begin();
    for (uint32_t t = 0; t < TYPES; t++) {
        for (uint32_t i = 0; i < ENTITIES; i++) tie(&array[i], i + 1);
        assert_true(give(ENTITIES - 5, t, 99, false));
        assert_false(covey_add_array_raw(world, e, ENTITIES, types[t], array));
        for (uint32_t i = 0; i < ENTITIES; i++) {
            assert_knot(&array[i]);
            assert_int_equal(array[i].number, i + 1);
        }
        assert_int_equal(alive - ENTITIES, (int32_t)(t == 0 ? 1 : 1 + t * ENTITIES));
        assert_true(covey_remove_raw(world, e[ENTITIES - 5], types[t]));
        assert_true(covey_add_array_raw(world, e, ENTITIES, types[t], array));
        for (uint32_t i = 0; i < ENTITIES; i++) expected[i][t] = i + 1;
        check();
    }
    covey_clear_components(world);
    memset(expected, 0, sizeof expected);
    check();
}

static void test_copies_are_made_by_the_other_hook(void **state) {
    (void)state;
    begin();
    for (uint32_t t = 0; t < TYPES; t++) {
        Knot knot;
        tie(&knot, 8);
        copies_left = 100;
        assert_false(covey_add_copies_raw(world, e, ENTITIES, types[t], &knot));
        assert_failed(COVEY_ERROR_COPY);
        copies_left = UINT32_MAX;
        alive--; /* not one of the world's */
        check();
        alive++;
        assert_true(covey_add_copies_raw(world, e, ENTITIES, types[t], &knot));
        for (uint32_t i = 0; i < ENTITIES; i++) expected[i][t] = 8;
        untie(&knot);
        check();
    }
    covey_entity twin;
    assert_true(covey_clone(world, e[3], &twin, 1));
    for (uint32_t t = 0; t < TYPES; t++) assert_knot(covey_get_raw(world, twin, types[t]));
    assert_int_equal(alive, (ENTITIES + 1) * TYPES);
    covey_destroy(world, twin);
    check();
    covey_world *other = covey_world_clone(world, NULL);
    assert_non_null(other);
    assert_int_equal(alive, 2 * ENTITIES * TYPES);
    for (uint32_t t = 0; t < TYPES; t++) assert_knot(covey_get_raw(other, e[9], types[t]));
    covey_world_destroy(other);
    check();
    covey_destroy_all(world);
}

/* ---- By chance ----------------------------------------------------------------------------------------------------*/

static void change_one(test_random *random, uint32_t number) {
    uint32_t i = test_below(random, ENTITIES), t = test_below(random, TYPES), kind = test_below(random, 10);
    Knot knot;
    if (kind < 4) {
        give(i, t, number, kind == 0);
    } else if (kind < 7) {
        if (covey_remove_raw(world, e[i], types[t])) expected[i][t] = 0;
    } else if (kind == 7) {
        if (!covey_take_raw(world, e[i], types[t], &knot)) return;
        expected[i][t] = 0;
        untie(&knot);
    } else if (kind == 8) {
        tie(&knot, number);
        if (covey_replace_raw(world, e[i], types[t], &knot)) expected[i][t] = number;
        untie(&knot);
    } else {
        covey_destroy(world, e[i]);
        e[i] = covey_create(world);
        if (covey_is_null(e[i])) e[i] = covey_create(world); /* memory is there again */
        memset(expected[i], 0, sizeof expected[i]);
    }
}

/* Those that lack a component get it in one call; if that fails, their values are where they were. */
static void change_many(test_random *random, uint32_t number) {
    static Knot array[ENTITIES];
    covey_entity to[ENTITIES];
    uint32_t t = test_below(random, TYPES), first = test_below(random, ENTITIES), count = 0, which[ENTITIES];
    for (uint32_t i = 0; i < 60; i++) {
        uint32_t at = (first + i * 7) % ENTITIES;
        if (expected[at][t] != 0 || test_below(random, 4) == 0) continue;
        tie(&array[count], number + count);
        which[count] = at;
        to[count++] = e[at];
    }
    bool added = covey_add_array_raw(world, to, count, types[t], array);
    for (uint32_t i = 0; i < count; i++) {
        if (added) expected[which[i]][t] = number + i;
        else untie(&array[i]);
    }
}

static void ignore_move(covey_entity moved, const void *from, void *to, void *context) {
    (void)moved, (void)from, (void)to, (void)context;
}

static void change_order(test_random *random) {
    covey_pool *pool = covey_pool_of_raw(world, types[test_below(random, TYPES)]);
    covey_order by_number = { .key = COVEY_KEY_U32, .descending = test_below(random, 2) == 0 };
    if (!pool) return;
    switch (test_below(random, 9)) {
    case 0: (void)covey_pool_sort(pool, &by_number); break;
    case 1:
    case 8: (void)covey_pool_keep_sorted(pool, &by_number); break;
    case 2: (void)covey_pool_keep_sorted(pool, NULL); break;
    case 3: covey_pool_compact(pool, NULL, NULL); break;
    case 4: covey_pool_shrink(pool); break;
    case 5:
        (void)covey_pool_convert(pool, test_below(random, 2) == 0 ? COVEY_STORAGE_BLOCK : COVEY_STORAGE_SPARSE);
        break;
    case 6: covey_pool_reserve(pool, covey_pool_count(pool) + test_below(random, 100)); break;
    default: covey_pool_compact(pool, ignore_move, NULL); break;
    }
}

static void change_groups(test_random *random) {
    uint32_t groups = covey_world_group_count(world);
    if (groups > 2) covey_group_destroy(covey_world_group(world, test_below(random, groups)));
    switch (test_below(random, 4)) {
    case 0: (void)covey_group_create(world, &(covey_group_desc){ .own = { covey_id(InSet), covey_id(Wiped) } }); break;
    case 1:
        (void)covey_group_create(world,
                                 &(covey_group_desc){ .own = { covey_id(InBlocks) }, .with = { covey_id(InSet) } });
        break;
    case 2:
        (void)covey_group_create(world,
                                 &(covey_group_desc){ .own = { covey_id(InSet) }, .without = { covey_id(Still) } });
        break;
    default:
        if (groups != 0) (void)covey_group_sort(covey_world_group(world, 0), 0, &(covey_order){ .key = COVEY_KEY_U32 });
    }
}

static void run(uint64_t seed, bool fails) {
    test_random random = { seed };
    uint32_t failures = 0;
    begin();
    for (uint32_t step = 1; step < 4000; step++) {
        uint32_t kind = test_below(&random, 40);
        if (fails && test_below(&random, 4) == 0)
            test_fail_at(&heap, 1 + test_below(&random, 3), test_below(&random, 2) == 0);
        if (kind == 0) change_order(&random);
        else if (kind == 1) change_groups(&random);
        else if (kind == 2) change_many(&random, step);
        else change_one(&random, step);
        failures += heap.failed;
        heap.failed = false;
        test_fail_never(&heap);
        if (step % 400 == 0) covey_compact(world);
        if (step % 64 == 0) check();
    }
    check();
    assert_true(moves > 1000 && (failures > 5) == fails);
    covey_destroy_all(world);
    assert_int_equal(alive, 0);
}

static void test_values_among_random_changes(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed < 6; seed++) {
        run(seed, false);
        world_teardown(NULL);
        world_setup(NULL);
    }
}

static void test_values_among_random_changes_without_memory(void **state) {
    (void)state;
    for (uint64_t seed = 11; seed < 16; seed++) {
        run(seed, true);
        world_teardown(NULL);
        world_setup(NULL);
    }
}

/* ---- Going back ---------------------------------------------------------------------------------------------------*/

static void test_rollback_moves_its_copies_in(void **state) {
    (void)state;
    static uint32_t then[ENTITIES][TYPES];
    covey_entity were[ENTITIES];
    test_random random = { 5 };
    begin();
    covey_history *history = covey_history_create(world, 4);
    for (uint32_t round = 0; round < 20; round++) {
        for (uint32_t i = 0; i < 100; i++) change_one(&random, round * 100 + i + 1);
        memcpy(then, expected, sizeof then);
        memcpy(were, e, sizeof were);
        assert_true(covey_history_save(history));
        for (uint32_t i = 0; i < 100; i++) change_one(&random, 9000 + i);
        assert_true(covey_history_restore(history, 0));
        memcpy(expected, then, sizeof then);
        memcpy(e, were, sizeof were);
        test_world_is_valid(world);
        for (uint32_t i = 0; i < ENTITIES; i++)
            for (uint32_t t = 0; t < TYPES; t++) {
                const Knot *knot = covey_get_raw(world, e[i], types[t]);
                assert_int_equal(knot ? knot->number : 0, expected[i][t]);
                if (knot) assert_knot(knot);
            }
    }
    covey_history_destroy(history);
    check();
    covey_destroy_all(world);
    assert_int_equal(alive, 0);
}

/* ---- What is refused ----------------------------------------------------------------------------------------------*/

static void test_types_that_cannot_have_the_hook(void **state) {
    (void)state;
    static const covey_type raw = { .name = "Raw", .size = 4, .align = 4, .as_bytes = true, .move = move };
    static const covey_type tag = { .name = "Tag", .move = move };
    static const covey_type large = { .name = "Large", .size = COVEY_MOVE_MAX + 4, .align = 4, .move = move };
    static const covey_type largest = { .name = "Largest", .size = COVEY_MOVE_MAX, .align = 4, .move = move };
    assert_null(covey_pool_of_raw(world, &raw));
    assert_failed(COVEY_ERROR_TYPE);
    assert_null(covey_pool_of_raw(world, &tag));
    assert_null(covey_pool_of_raw(world, &large));
    assert_non_null(covey_pool_of_raw(world, &largest));
    static const covey_type alone = { .name = "Alone", .size = sizeof(Knot), .align = _Alignof(Knot), .move = move };
    Knot knot;
    covey_entity one = covey_create(world);
    tie(&knot, 3);
    assert_non_null(covey_add_raw(world, one, &alone, &knot));
    covey_entity twin;
    assert_false(covey_clone(world, one, &twin, 1)); /* it cannot be copied */
    assert_failed(COVEY_ERROR_COPY);
    assert_true(covey_take_raw(world, one, &alone, &knot));
    untie(&knot);
}

/* A buffer moves bytes: it takes no value over, whatever the assertion level. */
static void test_command_buffers_refuse_values(void **state) {
    (void)state;
    Knot knot;
    begin();
    covey_commands *commands = covey_commands_create(world, NULL);
    tie(&knot, 3);
    assert_false(covey_record_add_value(commands, e[0], InBlocks, &knot));
    assert_false(covey_record_set_value(commands, e[0], InSet, &knot));
    assert_false(covey_record_add(commands, e[0], Still, { 1, ~1u, NULL }));
    assert_false(covey_record_add_raw(commands, e[0], covey_id(InBlocks), NULL));
    assert_int_equal(covey_commands_result(commands), COVEY_ERROR_REFUSED);
    assert_int_equal(covey_commands_count(commands), 0);
    covey_replay replay = covey_commands_replay(commands);
    assert_int_equal(replay.result, COVEY_ERROR_REFUSED);
    assert_int_equal(replay.lost, 4);
    assert_non_null(strstr(heard.text, "record a function that adds one"));
    assert_knot(&knot);
    assert_non_null(covey_add_raw(world, e[0], covey_id(InBlocks), &knot));
    expected[0][0] = 3;
    assert_true(covey_record_remove(commands, e[0], InBlocks)); /* needs no value */
    assert_int_equal(covey_commands_replay(commands).done, 1);
    expected[0][0] = 0;
    covey_commands_destroy(commands);
    check();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_each_verb_moves_values),
        WORLD_TEST(test_two_values_swap_their_positions),
        WORLD_TEST(test_resources_are_moved),
        WORLD_TEST(test_arrays_are_moved_and_come_back_when_one_is_there),
        WORLD_TEST(test_copies_are_made_by_the_other_hook),
        WORLD_TEST(test_values_among_random_changes),
        WORLD_TEST(test_values_among_random_changes_without_memory),
        WORLD_TEST(test_rollback_moves_its_copies_in),
        WORLD_TEST(test_types_that_cannot_have_the_hook),
        WORLD_TEST(test_command_buffers_refuse_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
