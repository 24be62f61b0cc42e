/* Three storages: blocks, the default; pinned blocks, whose addresses are stable; and sparse sets, with packed arrays
 * in an order that the program controls. What covey_world_advise reports, and how a pool is converted. */
#include <covey/covey.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    float x, y;
} Position;
typedef struct {
    float mass, matrix[9];
} Body; /* another library keeps the addresses */
typedef struct {
    int layer;
} Sprite; /* handed to another library as one array */
typedef struct {
    int team;
} Team; /* few random entities have it */
COVEY_COMPONENT_DEFINE(Position);
COVEY_COMPONENT_DEFINE(Body, .storage = COVEY_STORAGE_PINNED);
COVEY_COMPONENT_DEFINE(Sprite, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Team, .storage = COVEY_STORAGE_SPARSE);

enum { ENTITIES = 10000 };

static void print_advice(const covey_world *world) {
    covey_advice advice[8];
    char line[200];
    uint32_t count = covey_world_advise(world, advice, 8);
    for (uint32_t i = 0; i < count; i++) {
        covey_advice_print(line, sizeof line, &advice[i]);
        printf("  %s\n", line);
    }
}

int main(void) {
    covey_world *world = covey_world_create(&(covey_world_desc){ .quiet = true }); /* it fails on purpose */
    covey_entity *all = malloc(ENTITIES * sizeof *all);
    if (!world || !all || !covey_create_many(world, all, ENTITIES)) return EXIT_FAILURE;
    for (uint32_t i = 0; i < ENTITIES; i++) {
        covey_add(world, all[i], Position, { (float)i, 0 });
        if (i % 2 == 0) covey_add(world, all[i], Body, { .mass = 1 });
        if (i % 5 == 0) covey_add(world, all[i], Sprite, { (int)i });
        if (i % 100 == 0) covey_add(world, all[i], Team, { 1 });
    }

    /* A pinned component keeps its address until it is removed. */
    const Body *kept = covey_get(world, all[0], Body);
    for (uint32_t i = 2; i < ENTITIES; i += 4) covey_remove(world, all[i], Body);
    covey_compact(world);
    bool right = covey_get(world, all[0], Body) == kept;
    printf("the body of entity 0 %s\n", right ? "is where it was" : "moved");

    /* Values of a sparse pool are one array; covey_pool_swap changes their order. */
    covey_pool *sprites = covey_pool_of(world, Sprite);
    right = right && covey_pool_swap(sprites, all[0], all[5]) == COVEY_OK;
    printf("%u sprites, the first is of entity %d\n", covey_pool_position_count(sprites),
           covey_pool_values(sprites, Sprite)[0].layer);

    printf("entity 0 is at position %u, and no group %s the pool\n", covey_pool_position(sprites, all[0]),
           covey_pool_owner(sprites) ? "but one owns" : "owns");

    printf("advice:\n");
    print_advice(world);
    covey_pool *teams = covey_pool_of(world, Team);
    right = right && covey_pool_convert(teams, COVEY_STORAGE_BLOCK) == COVEY_OK;
    right = right && covey_pool_storage(teams) == COVEY_STORAGE_BLOCK; /* although its type says otherwise */
    covey_compact(world);
    covey_shrink(world);
    printf("after it was taken:\n");
    print_advice(world);

    right = right && covey_get(world, all[100], Team)->team == 1; /* handles stay valid */
    right = right && covey_pool_convert(covey_pool_of(world, Body), COVEY_STORAGE_BLOCK) == COVEY_ERROR_REFUSED;
    covey_world_destroy(world);
    free(all);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
