/* In place: components keep their addresses, so that other values may point to them. Removal leaves holes, which later
 * adds fill. One call closes all holes and reports the values that moved, so that pointers can be updated. */
#include <covey/covey.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    float health;
} Creature;
COVEY_COMPONENT_DEFINE(Creature, .policy = COVEY_IN_PLACE);

enum { CREATURES = 10 };

/* Pointers to components, by the index of the entity, as another library might keep them. */
static const Creature *targets[CREATURES];

static void follow(covey_entity e, const void *from, void *to, void *context) {
    uint32_t *moved = context;
    if (targets[e.index] == from) targets[e.index] = to;
    ++*moved;
}

static bool all_are_right(const covey_world *world, const covey_entity *e) {
    for (uint32_t i = 0; i < CREATURES; i++)
        if (targets[i] != covey_get(world, e[i], Creature)) return false;
    return true;
}

int main(void) {
    covey_world *world = covey_world_create(NULL);
    covey_entity e[CREATURES];
    if (!world || !covey_create_many(world, e, CREATURES)) return EXIT_FAILURE;
    for (uint32_t i = 0; i < CREATURES; i++) targets[i] = covey_add(world, e[i], Creature, { (float)i });

    covey_pool *pool = covey_pool_of(world, Creature);
    for (uint32_t i = 0; i < CREATURES; i += 3) {
        covey_remove(world, e[i], Creature);
        targets[i] = NULL;
    }
    bool right = all_are_right(world, e); /* no other has moved */
    printf("%u creatures at %u positions\n", covey_pool_count(pool), covey_pool_position_count(pool));

    covey_pool_compact(pool, NULL, NULL); /* removes holes after the last value, and moves no value */
    right = right && all_are_right(world, e);
    uint32_t moved = 0;
    right = right && covey_pool_compact(pool, follow, &moved) == COVEY_OK && all_are_right(world, e);
    right = right && covey_pool_position_count(pool) == covey_pool_count(pool);
    printf("%u creatures at %u positions: %u have moved, and those who point to them know\n", covey_pool_count(pool),
           covey_pool_position_count(pool), moved);
    covey_world_destroy(world);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
