#include <covey/covey.h>

#include <stdio.h>

typedef struct Position {
    float x, y;
} Position;

COVEY_COMPONENT_DEFINE(Position);

int main(void) {
    covey_world *world = covey_world_create(NULL);
    covey_entity e = covey_create(world);
    covey_add(world, e, Position, { 1, 2 });
    bool ok = covey_version() == COVEY_VERSION && covey_get(world, e, Position)->y == 2;
    covey_world_destroy(world);
    printf("covey %u: %s\n", (unsigned)covey_version(), ok ? "ok" : "wrong");
    return ok ? 0 : 1;
}
