/* Nodes: the places of entities in the hierarchy. */
#include "tree/node.h"

covey_entity covey__handle_of(const covey_world *world, uint32_t index) {
    if (index == COVEY_NONE) return (covey_entity){ 0, 0 };
    covey_entity e = covey__entity(index, covey__generation_of(world, index));
    return (e.generation & 1) != 0 ? e : (covey_entity){ 0, 0 };
}
