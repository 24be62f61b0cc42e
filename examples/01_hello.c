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
    for (uint32_t i = covey_pool_next(moving, 0); i != COVEY_NONE; i = covey_pool_next(moving, i + 1)) {
        covey_entity e = covey_pool_at(moving, i);
        const Velocity *v = covey_pool_value_at(moving, i, Velocity);
        Position *p = covey_get(world, e, Position);
        p->x += v->x;
        p->y += v->y;
        printf("entity %u is at %g, %g\n", e.index, p->x, p->y);
    }
    covey_world_destroy(world);
    return 0;
}
