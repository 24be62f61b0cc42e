#include "position.h"

int main(void) {
    covey_world *world = covey_world_create(NULL);
    covey_entity e = covey_create(world);
    covey_add(world, e, Position, { 1, 2 });
    const Position *position = covey_get(world, e, Position);
    bool ok = covey_version() == COVEY_VERSION && position && position->y == 2;
    covey_world_destroy(world);
    return ok ? 0 : 1;
}
