/* Step 8 of the tutorial: saving and loading, and going back in time. */
#include <covey/history.h>
#include <covey/image.h>
#include <stdio.h>

enum { WIDTH = 24, FRAMES = 6 };

typedef struct {
    int32_t x, speed;
} Sheep;
typedef struct {
    int32_t x;
    covey_entity prey; /* handles are fields, too: they name the same entity after loading */
} Wolf;
COVEY_FIELDS_DEFINE(Sheep, i32(x), i32(speed));
COVEY_FIELDS_DEFINE(Wolf, i32(x), entity(prey));
COVEY_COMPONENT_DEFINE(Sheep, .fields = &covey_fields_Sheep);
COVEY_COMPONENT_DEFINE(Wolf, .fields = &covey_fields_Wolf);

/* The whistle frightens all sheep, which turn round. */
static void step(covey_world *world, bool whistle) {
    covey_view flock = covey_view_of(world, Sheep);
    covey_iter it = covey_view_iter(&flock);
    while (covey_next(&it)) {
        Sheep *sheep = covey_field(&it, 0, Sheep);
        for (uint32_t i = 0; i < it.count; i++) {
            if (whistle) sheep[i].speed = -sheep[i].speed;
            sheep[i].x = (sheep[i].x + sheep[i].speed + WIDTH) % WIDTH;
        }
    }
    Wolf *wolf = covey_get(world, covey_first(world, Wolf), Wolf);
    wolf->x += covey_get(world, wolf->prey, Sheep)->x < wolf->x ? -1 : 1;
}

static void show(covey_world *world, const char *when) {
    char meadow[WIDTH];
    memset(meadow, '.', sizeof meadow);
    covey_view flock = covey_view_of(world, Sheep);
    covey_iter it = covey_view_iter(&flock);
    while (covey_next(&it))
        for (uint32_t i = 0; i < it.count; i++) meadow[covey_field(&it, 0, Sheep)[i].x] = 's';
    meadow[covey_get(world, covey_first(world, Wolf), Wolf)->x] = 'W';
    printf("%.*s  %s\n", WIDTH, meadow, when);
}

int main(void) {
    covey_world *world = covey_world_create(NULL);
    if (!world) return 1;
    covey_entity prey = covey_create_with(world, covey_with(Sheep, { 4, 1 }));
    covey_create_with(world, covey_with(Sheep, { 9, 2 }));
    covey_create_with(world, covey_with(Wolf, { 20, prey }));
    show(world, "at the beginning");

    /* Saves a snapshot before each step, in memory, so that a late whistle can be replayed at its own step. */
    covey_history *history = covey_history_create(world, FRAMES);
    for (int frame = 0; frame < FRAMES; frame++) {
        if (!covey_history_save(history)) return 1;
        step(world, false);
    }
    show(world, "six steps later");
    if (!covey_history_restore(history, 3)) return 1;
    show(world, "four steps back");
    for (int frame = 2; frame < FRAMES; frame++) step(world, frame == 2);
    show(world, "again, with a whistle");

    /* A file has the whole world, handles included, and says what is wrong if it does not fit. */
    covey_report report;
    if (covey_save_to_file(world, "meadow.covey", NULL, &report) != COVEY_OK) return puts(report.text), 1;
    covey_world *fresh = covey_world_create(NULL);
    const covey_type *types[] = { covey_id(Sheep), covey_id(Wolf), NULL };
    if (covey_load_from_file(fresh, "meadow.covey", &(covey_load_desc){ .types = types }, &report) != COVEY_OK)
        return puts(report.text), 1;
    remove("meadow.covey");
    step(fresh, false);
    show(fresh, "loaded, and one step more");
    covey_world_destroy(fresh);
    covey_world_destroy(world); /* and its history */
    return 0;
}
