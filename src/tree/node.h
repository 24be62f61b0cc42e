/* Nodes: the places of entities in the hierarchy. */
#ifndef COVEY_NODE_H
#define COVEY_NODE_H

#include "storage/storage.h"

#include <covey/covey.h>

/* The value of a covey.node. Links are indices of entities that have one, too, or COVEY_NONE. An entity may
 * do without a node: it then is a root without children. */
typedef struct covey__node {
    uint32_t self; /* its own: a drop hook does not know the entity */
    uint32_t parent;
    uint32_t first, last, count; /* of its children */
    uint32_t next, previous;     /* of its siblings; roots have none */
} covey__node;

static inline covey__node *covey__node_of(const covey_world *world, uint32_t index) { /* NULL when it has none */
    return covey__has_index(world->nodes, index) ? covey__value_of_index(world->nodes, index) : NULL;
}

/* The index of its parent, or COVEY_NONE. */
static inline uint32_t covey__parent_of(const covey_world *world, uint32_t index) {
    const covey__node *node = covey__node_of(world, index);
    return node ? node->parent : COVEY_NONE;
}

/* The entity of an index; null for COVEY_NONE, and for one that is just being destroyed. */
covey_entity covey__handle_of(const covey_world *world, uint32_t index);

#endif
