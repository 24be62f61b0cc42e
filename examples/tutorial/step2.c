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

static void add_sheep(covey_world *world, int x, int y, int speed) {
    covey_create_with(world, covey_with(Position, { x, y }), covey_with(Look, { 's' }),
                      covey_with(Velocity, { speed, 0 }));
}

/* Stones stay where they are. */
static void add_stone(covey_world *world, int x, int y) {
    covey_create_with(world, covey_with(Position, { x, y }), covey_with(Look, { '#' }));
}

int main(void) {
    covey_world *world = covey_world_create(NULL);
    if (!world) return 1;
    for (int i = 0; i < 6; i++) {
        if (i % 3 == 2) add_stone(world, 3 * i, i % HEIGHT);
        else add_sheep(world, 3 * i, i % HEIGHT, 1 + i % 2);
    }
    for (int frame = 0; frame < 3; frame++) {
        printf("frame %d\n", frame);
        draw(world);
        move(world);
    }
    covey_world_destroy(world);
    return 0;
}
