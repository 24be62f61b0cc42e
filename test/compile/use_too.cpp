#include "position.h"

const Position *add(covey_world *world, covey_entity e);

const Position *add(covey_world *world, covey_entity e) {
    Position position = { 1, 2 };
    return covey_add_value(world, e, Position, &position);
}
