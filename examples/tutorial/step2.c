/* Step 2 of the tutorial: a view, and a loop over its spans. */
#include <covey/covey.h>
#include <stdio.h>

enum { WIDTH = 24, HEIGHT = 4 };

typedef struct {
    int x, y;
} Position;
typedef struct {
    int x, y;
} Velocity;
typedef struct {
    char symbol;
} Look;
COVEY_COMPONENT_DEFINE(Position);
COVEY_COMPONENT_DEFINE(Velocity);
COVEY_COMPONENT_DEFINE(Look);

/* All entities with a position and a velocity. One that reaches a side comes back on the other one. */
static void move(covey_world *world) {
    covey_view moving = covey_view_of(world, Position, Velocity);
    covey_iter it = covey_view_iter(&moving);
    while (covey_next(&it)) {
        Position *p = covey_field(&it, 0, Position);
        const Velocity *v = covey_field(&it, 1, Velocity);
        for (uint32_t i = 0; i < it.count; i++) {
            p[i].x = (p[i].x + v[i].x + WIDTH) % WIDTH;
            p[i].y = (p[i].y + v[i].y + HEIGHT) % HEIGHT;
        }
    }
}

static void draw(covey_world *world) {
    char meadow[HEIGHT][WIDTH];
    memset(meadow, '.', sizeof meadow);
    covey_view visible = covey_view_of(world, Position, Look);
    covey_iter it = covey_view_iter(&visible);
    while (covey_next(&it)) {
        const Position *p = covey_field(&it, 0, Position);
        const Look *look = covey_field(&it, 1, Look);
        for (uint32_t i = 0; i < it.count; i++) meadow[p[i].y][p[i].x] = look[i].symbol;
    }
    for (int y = 0; y < HEIGHT; y++) printf("%.*s\n", WIDTH, meadow[y]);
}

int main(void) {
    covey_world *world = covey_world_create(NULL);
    if (!world) return 1;
    for (int i = 0; i < 6; i++) {
        covey_entity e = covey_create(world);
        covey_add(world, e, Position, { 3 * i, i % HEIGHT });
        covey_add(world, e, Look, { i % 3 == 2 ? '#' : 's' });
        if (i % 3 != 2) covey_add(world, e, Velocity, { 1 + i % 2, 0 }); /* stones stay where they are */
    }
    for (int frame = 0; frame < 3; frame++) {
        printf("frame %d\n", frame);
        draw(world);
        move(world);
    }
    covey_world_destroy(world);
    return 0;
}
