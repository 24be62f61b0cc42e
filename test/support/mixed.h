/* Random worlds for tests of views: types of every storage and size, in every density, with a history. The world is
 * that of the fixture. */
#ifndef COVEY_TEST_MIXED_H
#define COVEY_TEST_MIXED_H

#include "fixture.h"

enum { MIXED_TYPES = 6, MIXED_GROUPS = 2, MIXED_BYTES = 64 };

typedef struct mixed_world {
    test_random random;
    const covey_type *types[MIXED_TYPES]; /* the world need not have met all of them */
    bool kept[MIXED_TYPES];               /* in an order */
    uint32_t type_count;
    bool hides; /* some entities or components are disabled */
    covey_group *groups[MIXED_GROUPS];
    covey_group_desc group_descs[MIXED_GROUPS];
    uint32_t group_count;
    covey_entity *all; /* the living, by index, as of mixed_list */
    uint32_t count;
    covey_entity *stale; /* some that are not alive */
    uint32_t stale_count, capacity;
} mixed_world;

/* Makes a world from a seed: entities, components, a history of changes, groups. */
void mixed_begin(mixed_world *s, uint64_t seed);
void mixed_end(mixed_world *s);

/* One more change of a random kind. */
void mixed_change(mixed_world *s);
/* Finds the living entities. */
void mixed_list(mixed_world *s);

uint32_t mixed_below(mixed_world *s, uint32_t limit);
bool mixed_chance(mixed_world *s, uint32_t percent);
const covey_type *mixed_type(mixed_world *s);
/* A living entity, or null. */
covey_entity mixed_entity(mixed_world *s);

/* A component whose bytes say whose it is. False when it is there already, or there is no memory. */
bool mixed_give(covey_entity e, const covey_type *type);
/* Whether the bytes at an address are those. */
bool mixed_is_value(covey_entity e, const covey_type *type, const void *value);
/* Whether a group owns the pool of a type, or it is kept sorted. */
bool mixed_is_bound(const mixed_world *s, const covey_type *type);

/* What is loaded from an image of the world; or NULL. */
covey_world *mixed_load(const mixed_world *s);

#endif
