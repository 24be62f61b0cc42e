/* Step 3 of the tutorial: tags, excluded and optional types, and rows for structural changes. */
#include <covey/covey.h>
#include <stdio.h>

enum { WIDTH = 24, HEIGHT = 3 };

typedef struct {
    int x, y;
} Position;
typedef struct {
    int x, y;
} Velocity;
typedef struct {
    int left;
} Energy;
COVEY_COMPONENT_DEFINE(Position);
COVEY_COMPONENT_DEFINE(Velocity);
COVEY_COMPONENT_DEFINE(Energy);
COVEY_TAG_DEFINE(Asleep);

/* An excluded tag: sleeping sheep do not move. */
static void move(covey_world *world) {
    covey_view awake = covey_view_make(
        world, &(covey_view_desc){ .with = { covey_ids(Position, Velocity) }, .without = { covey_id(Asleep) } });
    covey_iter it = covey_view_iter(&awake);
    while (covey_next(&it)) {
        Position *p = covey_field(&it, 0, Position);
        const Velocity *v = covey_field(&it, 1, Velocity);
        for (uint32_t i = 0; i < it.count; i++) p[i].x = (p[i].x + v[i].x) % WIDTH;
    }
}

/* Rows: one entity at a time, which may get and lose components meanwhile. */
static void tire(covey_world *world) {
    covey_view tired = covey_view_of(world, Energy);
    covey_iter it = covey_view_iter(&tired);
    covey_row row = { 0 };
    while (covey_next_row(&it, &row)) {
        Energy *energy = covey_row_field(&it, row, 0, Energy);
        covey_entity e = covey_row_entity(&it, row);
        bool sleeps = covey_has(world, e, Asleep);
        energy->left += sleeps ? 2 : -1;
        if (energy->left <= 0) covey_add_tag(world, e, Asleep);
        else if (sleeps && energy->left >= 4) covey_remove(world, e, Asleep);
    }
}

/* An optional type: its field is NULL in spans that do not have it. */
static void draw(covey_world *world) {
    char meadow[HEIGHT][WIDTH];
    memset(meadow, '.', sizeof meadow);
    covey_view sheep =
        covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Position) }, .optional = { covey_id(Asleep) } });
    covey_iter it = covey_view_iter(&sheep);
    while (covey_next(&it)) {
        const Position *p = covey_field(&it, 0, Position);
        bool asleep = covey_field(&it, 1, Asleep) != NULL;
        for (uint32_t i = 0; i < it.count; i++) meadow[p[i].y][p[i].x] = asleep ? 'z' : 's';
    }
    for (int y = 0; y < HEIGHT; y++) printf("%.*s\n", WIDTH, meadow[y]);
}

int main(void) {
    covey_world *world = covey_world_create(NULL);
    if (!world) return 1;
    for (int i = 0; i < HEIGHT; i++)
        covey_create_with(world, covey_with(Position, { 0, i }), covey_with(Velocity, { 2, 0 }),
                          covey_with(Energy, { 2 + i }));
    covey_view asleep = covey_view_of(world, Asleep);
    for (int frame = 0; frame <= 6; frame++) {
        if (frame % 2 == 0) {
            printf("frame %d, asleep: %u\n", frame, covey_view_count(&asleep));
            draw(world);
        }
        move(world);
        tire(world);
    }
    covey_world_destroy(world);
    return 0;
}
