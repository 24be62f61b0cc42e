/* Signals: functions that are called at once for each change of a kind. Here a grid follows the positions, an entity
 * without health is destroyed, and a listener counts every destroyed entity. */
#include <covey/covey.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    uint32_t x;
} Place;
typedef struct {
    int points;
} Health;
COVEY_COMPONENT_DEFINE(Place);
COVEY_COMPONENT_DEFINE(Health);

enum { CELLS = 8 };
typedef struct {
    uint32_t here[CELLS];
} Grid;

/* One function may listen to several signals. Before a component is removed, its value can still be read. */
static void follow(const covey_event *event, void *context) {
    Grid *grid = context;
    const Place *place = event->values;
    if (event->signal == COVEY_ON_ADD) grid->here[place->x]++;
    if (event->signal == COVEY_ON_REMOVE) grid->here[place->x]--;
}

/* A listener may change the world: destroy the entity that it is called for, for example. */
static void judge(const covey_event *event, void *context) {
    const Health *health = event->values;
    (void)context;
    if (health->points <= 0) covey_destroy(event->world, *event->entities);
}

/* Called before an entity is destroyed: all its components can still be read. */
static void mourn(const covey_event *event, void *context) {
    const Place *place = covey_get(event->world, *event->entities, Place);
    uint32_t *dead = context;
    printf("entity %u ends at cell %u\n", event->entities->index, place ? place->x : 0);
    ++*dead;
}

static void show(const Grid *grid, const char *when) {
    printf("%-20s [", when);
    for (uint32_t i = 0; i < CELLS; i++) printf(" %u", grid->here[i]);
    printf(" ]\n");
}

static void hurt(void *value, void *context) { ((Health *)value)->points -= *(int *)context; }

int main(void) {
    covey_world *world = covey_world_create(&(covey_world_desc){ .quiet = true }); /* it fails on purpose */
    Grid grid = { { 0 } };
    uint32_t dead = 0;
    covey_connection following = covey_connect(world, &(covey_listener){ .type = covey_id(Place),
                                                                         .signals = COVEY_ON_ADD | COVEY_ON_REMOVE,
                                                                         .call = follow,
                                                                         .context = &grid });
    covey_connect(world, &(covey_listener){ .type = covey_id(Health), .signals = COVEY_ON_SET, .call = judge });
    covey_connect(world, &(covey_listener){ .signals = COVEY_ON_DESTROY, .call = mourn, .context = &dead });
    covey_entity e[6];
    if (!covey_create_many(world, e, 6)) return EXIT_FAILURE;
    for (uint32_t i = 0; i < 6; i++) {
        covey_add(world, e[i], Place, { i / 2 });
        covey_add(world, e[i], Health, { 10 + (int)i });
    }
    show(&grid, "six are placed");
    /* patch says that a value was changed; writing through a pointer does not. */
    for (uint32_t i = 0; i < 6; i++) covey_patch(world, e[i], Health, hurt, &(int){ 12 });
    show(&grid, "all were hurt");
    bool right = dead == 3 && grid.here[0] == 0 && grid.here[1] == 1 && grid.here[2] == 2;

    covey_disconnect(world, following);
    covey_destroy_all(world);
    right = right && dead == 6 && grid.here[2] == 2;
    covey_world_destroy(world);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
