#include "position.h"

const Position *add(covey_world *world, covey_entity e); // in use_too.cpp

int main() {
    covey_world *world = covey_world_create(nullptr);
    covey_entity e = covey_create(world);
    const Position *position = add(world, e);
    bool ok =
        covey_version() == COVEY_VERSION && position && position == covey_get(world, e, Position) && position->y == 2;
    covey_world_destroy(world);
    return ok ? 0 : 1;
}
