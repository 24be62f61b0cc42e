/* What threads may do at the same time without structural changes: any number read, several write values of component
 * types that no other thread uses, and each records commands into its own buffer. ThreadSanitizer (make tsan) sees that
 * nothing races. */
#include "support.h"

#include <covey/commands.h>

#include <pthread.h>

typedef struct {
    uint32_t sum;
} Left, Right, Common;
COVEY_TAG_DEFINE(Nowhere); /* which the world never meets */
COVEY_COMPONENT_DEFINE(Left);
COVEY_COMPONENT_DEFINE(Right, .policy = COVEY_IN_PLACE);
COVEY_COMPONENT_DEFINE(Common, .policy = COVEY_ORDERED);

enum { ENTITIES = 250, ROUNDS = 20 };

typedef struct {
    covey_world *world;
    covey_entity entities[ENTITIES];
    uint64_t seen[2];
} shared_world;

/* Every entity has a Left, each `every`-th a Right, and two of three have a Common. */
static void begin_world(shared_world *shared, uint32_t every) {
    shared->world = covey_world_create(NULL);
    assert_true(covey_create_many(shared->world, shared->entities, ENTITIES));
    for (uint32_t i = 0; i < ENTITIES; i++) {
        assert_non_null(covey_add(shared->world, shared->entities[i], Left, { 0 }));
        if (i % every == 0) assert_non_null(covey_add(shared->world, shared->entities[i], Right, { 0 }));
        if (i % 3 != 0) assert_non_null(covey_add(shared->world, shared->entities[i], Common, { i }));
    }
}

static uint64_t read_common(const shared_world *shared) {
    uint64_t sum = 0;
    for (int i = 0; i < ENTITIES; i++) {
        const Common *common = covey_get(shared->world, shared->entities[i], Common);
        if (common && covey_alive(shared->world, shared->entities[i])) sum += common->sum;
        sum += covey_has(shared->world, shared->entities[i], Common);
        sum += covey_has(shared->world, shared->entities[i], Nowhere);
    }
    return sum;
}

static void *write_left(void *context) {
    shared_world *shared = context;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < ENTITIES; i++) covey_get(shared->world, shared->entities[i], Left)->sum++;
        shared->seen[0] += read_common(shared);
    }
    return NULL;
}

static void *write_right(void *context) {
    shared_world *shared = context;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < ENTITIES; i++) covey_get(shared->world, shared->entities[i], Right)->sum++;
        shared->seen[1] += read_common(shared);
    }
    return NULL;
}

static void threads_read_together_and_write_types_of_their_own(void **state) {
    (void)state;
    static shared_world shared;
    begin_world(&shared, 1);
    uint64_t expected = read_common(&shared) * ROUNDS;
    pthread_t left, right;
    assert_int_equal(pthread_create(&left, NULL, write_left, &shared), 0);
    assert_int_equal(pthread_create(&right, NULL, write_right, &shared), 0);
    pthread_join(left, NULL);
    pthread_join(right, NULL);
    assert_true(shared.seen[0] == expected && shared.seen[1] == expected);
    for (int i = 0; i < ENTITIES; i++) {
        assert_int_equal(covey_get(shared.world, shared.entities[i], Left)->sum, ROUNDS);
        assert_int_equal(covey_get(shared.world, shared.entities[i], Right)->sum, ROUNDS);
    }
    test_world_is_valid(shared.world);
    covey_world_destroy(shared.world);
}

/* ---- Views -------------------------------------------------------------------------------------------------------*/

/* Readers make views of a const world, of types that it knows and one that it does not, and iterate them. */
static uint64_t sum_of(const covey_world *world) {
    uint64_t sum = 0;
    covey_view_desc desc = { .with = { covey_id(Left), covey_id(Right) },
                             .optional = { covey_id(Common) },
                             .without = { covey_id(Nowhere) } };
    covey_view_desc wrong = { .with = { covey_id(Left), covey_id(Left) } };
    const char *why = NULL;
    covey_view view = covey_view_make_const(world, &desc, &why), none = covey_view_make_const(world, &wrong, &why);
    covey_iter it = covey_view_iter(&view);
    while (covey_next(&it))
        for (uint32_t i = 0; i < it.count; i++) sum += covey_field_const(&it, 1, Right)[i].sum;
    it = covey_view_iter(&view);
    for (covey_row row = { 0 }; covey_next_row(&it, &row);) {
        const Common *common = covey_row_field_const(&it, row, 2, Common);
        sum += common ? common->sum : 0;
    }
    return sum + covey_view_count(&view) + covey_view_valid(&none) + (why ? 0 : 1000);
}

static void *read_views(void *context) {
    shared_world *shared = context;
    uint64_t sum = 0;
    for (int round = 0; round < ROUNDS; round++) sum += sum_of(shared->world);
    return (void *)(uintptr_t)sum;
}

static void threads_view_a_const_world(void **state) {
    (void)state;
    static shared_world shared;
    begin_world(&shared, 2);
    pthread_t readers[3];
    for (int i = 0; i < 3; i++) assert_int_equal(pthread_create(&readers[i], NULL, read_views, &shared), 0);
    for (int i = 0; i < 3; i++) {
        void *sum;
        pthread_join(readers[i], &sum);
        assert_true((uintptr_t)sum == ROUNDS * sum_of(shared.world));
    }
    assert_int_equal(covey_world_result(shared.world), COVEY_OK);
    covey_world_destroy(shared.world);
}

/* ---- Commands ----------------------------------------------------------------------------------------------------*/

/* A thread writes values of one type, and records what depends on them. */
typedef struct writer {
    shared_world *shared;
    covey_commands *commands;
    const covey_type *type;
    bool right;
} writer;

static void *write_and_record(void *context) {
    writer *w = context;
    covey_world *world = w->shared->world;
    w->right = true;
    for (uint32_t i = 0; i < ENTITIES; i++) {
        covey_entity e = w->shared->entities[i];
        uint32_t *sum = covey_get_raw(world, e, w->type);
        *sum += i;
        if (*sum % 3 == 0) w->right &= covey_record_remove_raw(w->commands, e, w->type);
        if (*sum % 7 != 0) continue;
        covey_entity made = covey_record_create(w->commands);
        w->right &= !covey_is_null(made) && covey_record_add(w->commands, made, Common, { *sum });
        w->right &= covey_record_destroy(w->commands, w->shared->entities[(i + 1) % ENTITIES]);
    }
    return NULL;
}

static void *read_only(void *context) {
    shared_world *shared = context;
    shared->seen[0] = read_common(shared);
    return NULL;
}

static void record(writer *left, writer *right, bool together) {
    pthread_t threads[3];
    if (!together) {
        write_and_record(left);
        write_and_record(right);
        return;
    }
    assert_int_equal(pthread_create(&threads[0], NULL, write_and_record, left), 0);
    assert_int_equal(pthread_create(&threads[1], NULL, write_and_record, right), 0);
    assert_int_equal(pthread_create(&threads[2], NULL, read_only, left->shared), 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
}

/* A number for all entities and their values, in the order of indices. */
static uint64_t world_number(covey_world *world) {
    uint64_t number = 0;
    covey_entity e = { 0, 0 };
    while (!covey_is_null(e = covey_entity_next(world, e))) {
        const Left *left = covey_get(world, e, Left);
        const Right *right = covey_get(world, e, Right);
        const Common *common = covey_get(world, e, Common);
        number = number * 31 + e.index * 7 + e.generation;
        number = number * 31 + (left ? left->sum : 1000);
        number = number * 31 + (right ? right->sum : 2000);
        number = number * 31 + (common ? common->sum : 3000);
    }
    return number;
}

static uint64_t record_and_replay(bool together) {
    static shared_world shared;
    shared.world = covey_world_create(NULL);
    assert_true(covey_create_many(shared.world, shared.entities, ENTITIES));
    for (uint32_t i = 0; i < ENTITIES; i++) {
        assert_non_null(covey_add(shared.world, shared.entities[i], Left, { i }));
        assert_non_null(covey_add(shared.world, shared.entities[i], Right, { i * 5 }));
    }
    covey_commands_desc desc = { .entities = ENTITIES };
    writer left = { &shared, covey_commands_create(shared.world, &desc), covey_id(Left), false };
    writer right = { &shared, covey_commands_create(shared.world, &desc), covey_id(Right), false };
    assert_true(left.commands && right.commands);
    record(&left, &right, together);
    assert_true(left.right && right.right);
    assert_int_equal(covey_commands_replay(left.commands).result, COVEY_OK);
    assert_int_equal(covey_commands_replay(right.commands).result, COVEY_OK);
    test_world_is_valid(shared.world);
    uint64_t number = world_number(shared.world);
    covey_world_destroy(shared.world);
    return number;
}

static void threads_record_and_the_result_does_not_depend_on_timing(void **state) {
    (void)state;
    if (COVEY_NONE < 4 * ENTITIES) skip();
    uint64_t wanted = record_and_replay(false);
    for (int i = 0; i < 5; i++) assert_true(record_and_replay(true) == wanted);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_read_together_and_write_types_of_their_own),
        cmocka_unit_test(threads_view_a_const_world),
        cmocka_unit_test(threads_record_and_the_result_does_not_depend_on_timing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
