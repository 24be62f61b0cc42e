/* The first program: ten things, five of which move. */
#include <covey/covey.h>
#include <stdio.h>

typedef struct {
    float x, y;
} Position;
typedef struct {
    float x, y;
} Velocity;
COVEY_COMPONENT_DEFINE(Position);
COVEY_COMPONENT_DEFINE(Velocity);

int main(void) {
    covey_world *world = covey_world_create(NULL);
    for (int i = 0; i < 10; i++) {
        covey_entity e = covey_create(world);
        covey_add(world, e, Position, { (float)i, 0 });
        if (i % 2 == 0) covey_add(world, e, Velocity, { 1, 0.5f });
    }

    covey_pool *moving = covey_pool_of(world, Velocity);
    const covey_entity *ids = covey_pool_ids(moving);
    const Velocity *v = covey_pool_values(moving, Velocity); /* v[i] belongs to ids[i] */
    for (uint32_t i = 0; i < covey_pool_count(moving); i++) {
        Position *p = covey_get(world, ids[i], Position);
        p->x += v[i].x;
        p->y += v[i].y;
        printf("entity %u is at %g, %g\n", ids[i].index, p->x, p->y);
    }
    covey_world_destroy(world);
    return 0;
}
