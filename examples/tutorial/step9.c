/* Step 9 of the tutorial: who hunts whom, and which sheep are in a part of the meadow. */
#include <covey/fields.h>
#include <covey/lookup.h>
#include <stdio.h>

enum { WIDTH = 24, WOLVES = 3 };

typedef struct {
    int32_t x;
} Sheep, Wolf;
typedef struct {
    covey_entity prey; /* a relation: the wolf is the source, the sheep is the target */
} Hunts;
COVEY_FIELDS_DEFINE(Sheep, i32(x));
COVEY_FIELDS_DEFINE(Hunts, entity(prey));
COVEY_COMPONENT_DEFINE(Sheep, .fields = &covey_fields_Sheep, .ticks = true);
COVEY_COMPONENT_DEFINE(Hunts, .fields = &covey_fields_Hunts, .ticks = true);
COVEY_COMPONENT_DEFINE(Wolf);

static void choose_prey(covey_world *world, covey_lookup *flock) {
    covey_view idle =
        covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Wolf) }, .without = { covey_id(Hunts) } });
    covey_iter it = covey_view_iter(&idle);
    for (covey_row row = { 0 }; covey_next_row(&it, &row);) {
        /* The first sheep to the right of the wolf; if there is none, the last one of the meadow. */
        const Wolf *wolf = covey_row_field_const(&it, row, 0, Wolf);
        covey_search right = covey_lookup_range(flock, &wolf->x, NULL);
        covey_entity prey = covey_search_next(&right) ? right.entities[0] : covey_lookup_last(flock);
        if (!covey_is_null(prey)) covey_add(world, covey_row_entity(&it, row), Hunts, { prey });
    }
}

/* Wolves take two steps, and eat the sheep that they reach. */
static void hunt(covey_world *world) {
    covey_entity caught[WOLVES];
    uint32_t count = 0;
    covey_view hunting =
        covey_view_make(world, &(covey_view_desc){ .with = { covey_ids(Wolf, Hunts) }, .read = { covey_id(Hunts) } });
    covey_iter it = covey_view_iter(&hunting);
    while (covey_next(&it))
        for (uint32_t i = 0; i < it.count; i++) {
            Wolf *wolf = &covey_field(&it, 0, Wolf)[i];
            covey_entity prey = covey_field(&it, 1, Hunts)[i].prey;
            const Sheep *sheep = covey_get(world, prey, Sheep);
            for (int steps = 0; steps < 2; steps++) wolf->x += (wolf->x < sheep->x) - (wolf->x > sheep->x);
            if (wolf->x == sheep->x) caught[count++] = prey;
        }
    /* The other hunters of a sheep lose their component Hunts, so this must not happen inside of the loop. */
    covey_destroy_many(world, caught, count);
}

/* Prints how many wolves hunt each sheep. */
static void show(covey_world *world, covey_lookup *flock, covey_lookup *hunters) {
    char meadow[WIDTH];
    memset(meadow, '.', sizeof meadow);
    covey_search sheep = covey_lookup_range(flock, NULL, NULL);
    while (covey_search_next(&sheep))
        for (uint32_t i = 0; i < sheep.count; i++)
            meadow[covey_get(world, sheep.entities[i], Sheep)->x] =
                (char)('0' + covey_lookup_count(hunters, &sheep.entities[i]));
    covey_view wolves = covey_view_of(world, Wolf);
    covey_iter it = covey_view_iter(&wolves);
    while (covey_next(&it))
        for (uint32_t i = 0; i < it.count; i++) meadow[covey_field(&it, 0, Wolf)[i].x] = 'W';
    printf("%.*s\n", WIDTH, meadow);
}

int main(void) {
    static const int32_t sheep[] = { 3, 9, 10, 21 }, wolves[] = { 0, 6, 14 };
    covey_world *world = covey_world_create(NULL);
    if (!world) return 1;
    for (int i = 0; i < 4; i++) covey_create_with(world, covey_with(Sheep, { sheep[i] }));
    for (int i = 0; i < WOLVES; i++) covey_create_with(world, covey_with(Wolf, { wolves[i] }));

    covey_lookup *flock =
        covey_lookup_create(world, &(covey_lookup_desc){ .type = covey_id(Sheep), .field = "x", .ordered = true });
    covey_lookup *hunters = covey_lookup_create(
        world,
        &(covey_lookup_desc){ .type = covey_id(Hunts), .field = "prey", .when_target_ends = COVEY_TARGET_REMOVE });
    if (!flock || !hunters) return 1;
    for (int day = 0; day < 5; day++) {
        choose_prey(world, flock);
        show(world, flock, hunters);
        hunt(world);
    }
    covey_world_destroy(world); /* and its lookups */
    return 0;
}
