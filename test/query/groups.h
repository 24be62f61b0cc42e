/* What the tests of groups share: types, groups of many shapes, and a look at all that must hold of each group. Each
 * test program has groups that own sparse pools; most are made again, with groups that own pools in blocks. */
#ifndef COVEY_TEST_GROUPS_H
#define COVEY_TEST_GROUPS_H

#include "fixture.h"

#ifndef IN_BLOCKS
#define IN_BLOCKS 0
#endif
#define OWNED .storage = IN_BLOCKS ? COVEY_STORAGE_BLOCK : COVEY_STORAGE_SPARSE

typedef Value A;
typedef Value B;
typedef Value C;
typedef Value D;
typedef Value E;
typedef Value X; /* stored as these are, and in most groups it is excluded */
typedef Value Y; /* the same, always in blocks */
COVEY_COMPONENT_DECLARE(A);
COVEY_COMPONENT_DECLARE(B);
COVEY_COMPONENT_DECLARE(C);
COVEY_COMPONENT_DECLARE(D);
COVEY_COMPONENT_DECLARE(E);
COVEY_COMPONENT_DECLARE(X);
COVEY_COMPONENT_DECLARE(Y);
COVEY_TAG_DECLARE(Label); /* in blocks; Marked is sparse */

extern const covey_type *const types[15];

#define GROUP(...) covey_group_create(world, &(covey_group_desc){ __VA_ARGS__ })
#define AB covey_id(A), covey_id(B)

/* ---- Entities -----------------------------------------------------------------------------------------------------*/

enum { COUNT = 90 };
extern covey_entity e[COUNT];

int group_setup(void **state);
#define GROUP_TEST(test) cmocka_unit_test_setup_teardown(test, group_setup, world_teardown)
void next_world(void);

/* The number in a component: scattered, so that sorting by it has something to do. */
uint32_t number_for(covey_entity of, const covey_type *type);
void *give(covey_entity to, const covey_type *type);
bool take(covey_entity from, const covey_type *type);
void give_to(uint32_t first, uint32_t end, const covey_type *type);
/* Every entity has some of these types, another set each. */
void scatter(const covey_type *const *some, uint32_t count, uint64_t seed);
/* The same for all types; each ninth entity has what a group asks for. */
void scatter_for(const covey_group_desc *desc, uint64_t seed);
/* Changes a component, and rarely an entity or a pool. */
void change_something(test_random *random);

/* ---- Groups -------------------------------------------------------------------------------------------------------*/

/* All of them ask for A and B. */
extern const covey_group_desc shapes[17];

/* Groups that may be made together. */
enum { FAMILIES = 9, MEMBERS = 4 };
extern const covey_group_desc families[FAMILIES][MEMBERS];
uint32_t family_size(uint32_t family);
/* Makes the groups of a family in one of the possible orders: `order` chooses the next group among the remaining
 * ones. */
void make_family(uint32_t family, uint32_t order, covey_group **made);

covey_group *make_group(const covey_group_desc *desc);
covey_group *first_group(void);
bool is_wanted(const covey_group *group, covey_entity of);
/* Checks who the members of a group are; what must hold of the world and of all groups. */
void check_members(const covey_group *group);
void check_all(void);
/* Checks the spans of a group, and lists the entities that they visit. Returns how many. */
uint32_t check_spans(const covey_group *group, covey_entity *visited);
void assert_number(const void *value, covey_entity of, const covey_type *type);
int compare_numbers(const void *a, const void *b, void *context);

#endif
