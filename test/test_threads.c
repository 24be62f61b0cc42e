/* What threads may do at the same time while nobody changes the structure: any number read, and several write values of
 * component types that no other thread touches. ThreadSanitizer (make tsan) sees that nothing races. */
#include "support.h"

#include <pthread.h>

typedef struct {
    uint32_t sum;
} Left, Right, Common;
COVEY_COMPONENT_DEFINE(Left);
COVEY_COMPONENT_DEFINE(Right, .policy = COVEY_IN_PLACE);
COVEY_COMPONENT_DEFINE(Common, .policy = COVEY_ORDERED);

enum { ENTITIES = 300, ROUNDS = 20 };

typedef struct {
    covey_world *world;
    covey_entity entities[ENTITIES];
    uint64_t seen[2];
} shared_world;

static uint64_t read_common(const shared_world *shared) {
    uint64_t sum = 0;
    for (int i = 0; i < ENTITIES; i++) {
        const Common *common = covey_get(shared->world, shared->entities[i], Common);
        if (common && covey_alive(shared->world, shared->entities[i])) sum += common->sum;
        sum += covey_has(shared->world, shared->entities[i], Common);
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
    shared.world = covey_world_create(NULL);
    assert_true(covey_create_many(shared.world, shared.entities, ENTITIES));
    for (uint32_t i = 0; i < ENTITIES; i++) {
        assert_non_null(covey_add(shared.world, shared.entities[i], Left, { 0 }));
        assert_non_null(covey_add(shared.world, shared.entities[i], Right, { 0 }));
        if (i % 3 != 0) assert_non_null(covey_add(shared.world, shared.entities[i], Common, { i }));
    }
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_read_together_and_write_types_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
