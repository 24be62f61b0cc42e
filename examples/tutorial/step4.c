/* Step 4 of the tutorial: destroying, and command buffers for changes that have to wait. */
#include <covey/commands.h>
#include <stdio.h>

enum { WIDTH = 24 };

typedef struct {
    int x;
} Position;
typedef struct {
    int x;
} Velocity;
typedef struct {
    char symbol;
} Look;
COVEY_COMPONENT_DEFINE(Position);
COVEY_COMPONENT_DEFINE(Velocity);
COVEY_COMPONENT_DEFINE(Look);
COVEY_TAG_DEFINE(Sheep);

static void move(covey_world *world) {
    covey_view moving = covey_view_of(world, Position, Velocity);
    covey_iter it = covey_view_iter(&moving);
    while (covey_next(&it)) {
        Position *p = covey_field(&it, 0, Position);
        const Velocity *v = covey_field(&it, 1, Velocity);
        for (uint32_t i = 0; i < it.count; i++) p[i].x = (p[i].x + v[i].x + WIDTH) % WIDTH;
    }
}

/* While a span is open, nothing may be added to its pools or removed from them: so the hunt is recorded. */
static void hunt(covey_world *world, covey_commands *commands, int wolf) {
    covey_view flock = covey_view_of(world, Position, Sheep);
    covey_iter it = covey_view_iter(&flock);
    while (covey_next(&it)) {
        const Position *p = covey_field(&it, 0, Position);
        for (uint32_t i = 0; i < it.count; i++) {
            if (p[i].x < wolf - 1 || p[i].x > wolf + 1) continue;
            covey_record_destroy(commands, covey_span_entity(&it, i));
            covey_entity wool = covey_record_create(commands);
            covey_record_add(commands, wool, Position, { p[i].x });
            covey_record_add(commands, wool, Look, { '*' });
        }
    }
}

static void draw(covey_world *world) {
    char meadow[WIDTH];
    memset(meadow, '.', sizeof meadow);
    covey_view visible = covey_view_of(world, Position, Look);
    covey_iter it = covey_view_iter(&visible);
    while (covey_next(&it)) {
        const Position *p = covey_field(&it, 0, Position);
        const Look *look = covey_field(&it, 1, Look);
        for (uint32_t i = 0; i < it.count; i++) meadow[p[i].x] = look[i].symbol;
    }
    printf("%.*s", WIDTH, meadow);
}

int main(void) {
    covey_world *world = covey_world_create(NULL);
    covey_commands *commands =
        world ? covey_commands_create(world, &(covey_commands_desc){ .entities = 8 }) : NULL; /* ids kept ready */
    if (!commands) return 1;
    for (int i = 0; i < 5; i++) {
        covey_entity sheep = covey_create_with(world, covey_with(Position, { 2 + 4 * i }), covey_with(Look, { 's' }),
                                               covey_with_tag(Sheep));
        if (i % 2 == 0) covey_add(world, sheep, Velocity, { 1 });
    }
    covey_entity wolf =
        covey_create_with(world, covey_with(Position, { 23 }), covey_with(Velocity, { -3 }), covey_with(Look, { 'W' }));
    for (int frame = 0; frame < 6; frame++) {
        draw(world);
        move(world);
        hunt(world, commands, covey_get(world, wolf, Position)->x);
        covey_replay replay = covey_commands_replay(commands);
        printf("  %u commands replayed\n", replay.done);
        if (replay.result != COVEY_OK) return 1;
    }
    covey_world_destroy(world); /* and its command buffers */
    return 0;
}
