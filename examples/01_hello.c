/* The first program: ten things; five of them move. */
#include <covey/covey.h>
#include <stdio.h>

typedef struct {
    float x, y;
} Position, Velocity;
COVEY_COMPONENT_DEFINE(Position);
COVEY_COMPONENT_DEFINE(Velocity);

int main(void) {
    covey_world *world = covey_world_create(NULL);
    for (int i = 0; i < 5; i++) {
        covey_create_with(world, covey_with(Position, { (float)i, 0 }), covey_with(Velocity, { 1, 0.5f }));
        covey_create_with(world, covey_with(Position, { (float)i, 1 }));
    }

    covey_view moving = covey_view_of(world, Position, Velocity);
    covey_iter it = covey_view_iter(&moving);
    while (covey_next(&it)) {
        Position *p = covey_field(&it, 0, Position);
        const Velocity *v = covey_field(&it, 1, Velocity);
        for (uint32_t i = 0; i < it.count; i++) {
            p[i].x += v[i].x;
            p[i].y += v[i].y;
            printf("entity %u is at %g, %g\n", covey_span_entity(&it, i).index, p[i].x, p[i].y);
        }
    }
    covey_world_destroy(world);
    return 0;
}
