/* Step 6 of the tutorial: signals, which are called at once, and reactive sets, which wait. */
#include <covey/covey.h>
#include <stdio.h>

enum { WIDTH = 24 };

typedef struct {
    int x;
} Position;
typedef struct {
    int count;
} Census; /* a resource: one value for the whole world */
COVEY_COMPONENT_DEFINE(Position);
COVEY_COMPONENT_DEFINE(Census);
COVEY_TAG_DEFINE(Sheep);

/* A listener: called inside every call that adds or removes the tag. */
static void counted(const covey_event *event, void *context) {
    (void)context;
    covey_resource_get(event->world, Census)->count += event->signal == COVEY_ON_ADD ? 1 : -1;
}

/* A reactive set collects the entities that moved since it was cleared, each once. Only these are drawn again. */
static void repaint(covey_reactive *moved, char *meadow) {
    uint32_t cells = 0;
    covey_iter it = covey_reactive_iter(moved);
    while (covey_next(&it)) {
        const Position *p = covey_field(&it, 0, Position);
        for (uint32_t i = 0; i < it.count; i++) meadow[p[i].x] = 's';
        cells += it.count;
    }
    covey_reactive_clear(moved);
    printf("%.*s  painted: %u\n", WIDTH, meadow, cells);
}

static void step(covey_world *world, covey_entity e, char *meadow) {
    int x = covey_get(world, e, Position)->x;
    meadow[x] = '.';
    covey_set(world, e, Position, { (x + 1) % WIDTH }); /* writing through the pointer would send no signal */
}

int main(void) {
    covey_world *world = covey_world_create(NULL);
    if (!world) return 1;
    covey_resource_set(world, Census, { 0 });
    covey_connection counting = covey_connect(
        world,
        &(covey_listener){ .type = covey_id(Sheep), .signals = COVEY_ON_ADD | COVEY_ON_REMOVE, .call = counted });
    covey_reactive *moved =
        covey_reactive_create(world, &(covey_reactive_desc){ .added = { covey_id(Position) },
                                                             .set = { covey_id(Position) },
                                                             .match = { .with = { covey_ids(Position, Sheep) } } });
    if (!moved || !covey_connected(world, counting)) return 1;

    char meadow[WIDTH];
    memset(meadow, '.', sizeof meadow);
    covey_entity flock[5];
    for (int i = 0; i < 5; i++)
        flock[i] = covey_create_with(world, covey_with(Position, { 4 * i }), covey_with_tag(Sheep));
    repaint(moved, meadow);

    step(world, flock[0], meadow);
    step(world, flock[0], meadow); /* twice, but painted once */
    step(world, flock[3], meadow);
    repaint(moved, meadow);
    repaint(moved, meadow);

    printf("sheep: %d\n", covey_resource_get(world, Census)->count);
    covey_destroy(world, flock[4]);
    covey_remove(world, flock[1], Sheep);
    printf("one is gone, one is a wolf: %d\n", covey_resource_get(world, Census)->count);
    covey_world_destroy(world); /* its listeners are first told of the end of all entities */
    return 0;
}
