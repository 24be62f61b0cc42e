/* The model: what a world should contain, as plain lists. Everything is found by searching. */
#ifndef COVEY_SIM_NAIVE_H
#define COVEY_SIM_NAIVE_H

#include <covey/covey.h>

enum { NAIVE_TYPES = 24, NAIVE_NAME = 8 };

typedef struct naive_component {
    uint32_t seed;     /* of the value */
    covey_entity link; /* the handle in it, for types with an entity field */
    uint64_t tick;     /* of the last change, for types with ticks */
    bool present, disabled;
} naive_component;

typedef struct naive_entity {
    covey_entity e, parent;
    uint64_t rank; /* children of a parent are ordered by it */
    char name[NAIVE_NAME];
    bool disabled;
    naive_component at[NAIVE_TYPES];
} naive_entity;

typedef struct naive_world {
    naive_entity *list; /* by index */
    uint32_t count, capacity;
    naive_component resources[NAIVE_TYPES];
    uint64_t tick, last_rank;
} naive_world;

naive_world *naive_create(void);
naive_world *naive_copy(const naive_world *world);
void naive_destroy(naive_world *world); /* NULL is allowed */
bool naive_is_same(const naive_world *a, const naive_world *b);

/* NULL if it is not alive. */
naive_entity *naive_find(const naive_world *world, covey_entity e);
naive_entity *naive_insert(naive_world *world, covey_entity e);
/* Children of the entity become roots, and lose names that a root has. */
void naive_erase(naive_world *world, covey_entity e);
naive_component *naive_component_of(const naive_world *world, covey_entity e, uint32_t type); /* NULL: absent */
uint32_t naive_count(const naive_world *world, uint32_t type);
/* The last child of its parent. */
void naive_append_child(naive_world *world, naive_entity *child, covey_entity parent);
/* The child with the lowest rank above this one, or NULL. */
naive_entity *naive_next_child(const naive_world *world, covey_entity parent, uint64_t rank);
/* The sibling with this name, or NULL; a null parent means roots. */
naive_entity *naive_named(const naive_world *world, covey_entity parent, const char *name);

#endif
