/* One world with the strict allocator, a log and an assertion handler that cmocka understands, for tests that need no
 * more. Setting up and tearing down check that no memory is lost and that the world is valid in the end. */
#ifndef COVEY_TEST_FIXTURE_H
#define COVEY_TEST_FIXTURE_H

#include "support.h"

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

extern test_heap heap;
extern covey_world *world;

/* The last message of the world's log, and the number of messages. */
typedef struct test_heard {
    uint32_t times;
    covey_result result;
    char text[256];
} test_heard;
extern test_heard heard;

int world_setup(void **state);
int world_teardown(void **state);
#define WORLD_TEST(test) cmocka_unit_test_setup_teardown(test, world_setup, world_teardown)

/* The description of the world that world_setup makes. Its assertion handler ends in expect_assert_failure. */
covey_world_desc world_desc(void);

/* A number for all that a caller can see of a world: entities, the order of free ids, pools, ids and values, and what
 * views visit, in both forms. Capacities do not count. Values of components must have no padding. */
uint64_t world_digest(const covey_world *of);

covey_entity entity(uint32_t index, uint32_t generation);
void assert_same(covey_entity a, covey_entity b);
void assert_no_entity(covey_entity e);

/* The last failure had this reason, and the log was told of it. */
void assert_failed(covey_result reason);

/* One sparse component for each policy, one in blocks, one that is pinned, and a sparse tag. */
typedef struct Value {
    uint32_t number, check;
} Value;
typedef Value Packed;
typedef Value Fixed;
typedef Value Kept;
typedef Value Ordered;
typedef Value Blocked;
typedef Value Pinned;
COVEY_COMPONENT_DECLARE(Packed);
COVEY_COMPONENT_DECLARE(Fixed);
COVEY_COMPONENT_DECLARE(Kept);
COVEY_COMPONENT_DECLARE(Ordered);
COVEY_COMPONENT_DECLARE(Blocked);
COVEY_COMPONENT_DECLARE(Pinned);
COVEY_TAG_DECLARE(Marked);
extern const covey_type *const policy_types[4];  /* the sparse ones */
extern const covey_type *const storage_types[6]; /* and those in blocks */

/* Runs a test with each of the sparse ones, in a world of its own. */
void for_each_policy(void (*test)(const covey_type *type));
/* The same, and with those in blocks: for all that does not ask for packed arrays. */
void for_each_storage(void (*test)(const covey_type *type));

Value value_of(uint32_t number);
Value *add_value(covey_entity e, const covey_type *type, uint32_t number);
covey_entity create_with(const covey_type *type, uint32_t number);
Value *get_value(covey_entity e, const covey_type *type);
bool remove_value(covey_entity e, const covey_type *type);
/* The entity has this value, and its bytes are whole. */
void assert_value(covey_entity e, const covey_type *type, uint32_t number);

/* Gives a living entity without components the last generation of its index, as if it had lived many times. */
covey_entity last_life(covey_entity e);

/* The validator refuses the world for this reason. */
void assert_reason(const char *reason);
/* Puts other bytes somewhere, expects this reason, and puts the old ones back. */
void break_world(void *place, const void *bytes, size_t size, const char *reason);
void break_id(covey_entity *place, covey_entity id, const char *reason);
#define BREAK(type, place, value, reason) break_world(&(place), &(type){ value }, sizeof(type), reason)

#endif
