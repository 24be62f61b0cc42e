/* Enabling: disabled entities and components keep their data, and views and groups skip them. */
#include <covey/covey.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    float x, y;
} Position;
typedef struct {
    int size;
} Collider;
COVEY_COMPONENT_DEFINE(Position, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Collider, .storage = COVEY_STORAGE_SPARSE);

enum { ENTITIES = 8 };

static uint32_t show(const covey_view *view, const char *what) {
    uint32_t count = 0;
    printf("%-28s", what);
    covey_iter it = covey_view_iter(view);
    for (; covey_next(&it); count += it.count)
        for (uint32_t i = 0; i < it.count; i++) printf(" %u", covey_span_entity(&it, i).index);
    printf("\n");
    return count;
}

int main(void) {
    covey_world *world = covey_world_create(NULL);
    covey_entity e[ENTITIES];
    if (!world || !covey_create_many(world, e, ENTITIES)) return EXIT_FAILURE;
    for (uint32_t i = 0; i < ENTITIES; i++) {
        covey_add(world, e[i], Position, { (float)i, 0 });
        covey_add(world, e[i], Collider, { 1 });
    }
    covey_view solid = covey_view_of(world, Position, Collider);
    covey_view ghosts =
        covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Position) }, .without = { covey_id(Collider) } });
    covey_view sleepers = covey_view_of(world, Position, covey_disabled);
    covey_view all =
        covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Position) }, .include_disabled = true });
    covey_group *group = covey_group_create(world, &(covey_group_desc){ .own = { covey_ids(Position, Collider) } });

    bool right = group && covey_disable(world, e[2]) == COVEY_OK;
    right = right && covey_component_disable(world, e[5], Collider) == COVEY_OK;
    right = right && show(&solid, "2 sleeps, 5 is a ghost:") == 6;
    right = right && show(&ghosts, "without a collider:") == 1;
    right = right && show(&sleepers, "asleep:") == 1;
    right = right && show(&all, "all of them:") == ENTITIES;
    printf("%-28s %u\n", "in the group:", covey_group_count(group));
    right = right && covey_group_count(group) == 6;
    right = right && covey_get(world, e[5], Collider)->size == 1; /* it is still there */

    right = right && covey_enable(world, e[2]) == COVEY_OK; /* needs no memory, so it cannot fail */
    right = right && covey_component_enable(world, e[5], Collider) == COVEY_OK;
    right = right && show(&solid, "all awake and solid:") == ENTITIES && covey_group_count(group) == ENTITIES;
    covey_world_destroy(world);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
