/* A node: the links of one entity to its parent, its children and its siblings. hierarchy.c changes them, and name.c
 * follows them. */
#ifndef COVEY_NODE_H
#define COVEY_NODE_H

#include "memory/inner.h"
#include "storage/storage.h"

#include <covey/covey.h>

/* The value of a covey.node component. A link is the index of an entity that has a node, or COVEY_NONE. An entity
 * without a node is a root without children. */
typedef struct covey__node {
    uint32_t self; /* the index of its entity, which a drop hook does not get */
    uint32_t parent;
    uint32_t first, last, count; /* of its children */
    uint32_t next, previous;     /* of its siblings; roots have none */
} covey__node;

/* NULL if the entity has no node. */
static inline covey__node *covey__node_of(const covey_world *world, uint32_t index) {
    return covey__has_index(world->inner->nodes, index) ? covey__value_of_index(world->inner->nodes, index) : NULL;
}

/* The index of its parent, or COVEY_NONE. */
static inline uint32_t covey__parent_of(const covey_world *world, uint32_t index) {
    const covey__node *node = covey__node_of(world, index);
    return node ? node->parent : COVEY_NONE;
}

/* The entity of an index; null for COVEY_NONE, and for an entity that is being destroyed. */
static inline covey_entity covey__handle_of(const covey_world *world, uint32_t index) {
    if (index == COVEY_NONE) return (covey_entity){ 0, 0 };
    covey_entity e = covey__entity(index, covey__generation_of(world, index));
    return (e.generation & 1) != 0 ? e : (covey_entity){ 0, 0 };
}

#endif
