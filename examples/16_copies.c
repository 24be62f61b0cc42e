/* Copies of entities, and of a whole world: prefabs, and trying what would happen. */
#include <covey/covey.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    float x, y;
} Position;
typedef struct {
    int health;
} Monster;
typedef struct {
    int *items; /* owned: the type needs hooks for drop and copy */
    int count;
} Bag;

static void bag_drop(void *value, void *context) {
    (void)context;
    free(((Bag *)value)->items);
}

static bool bag_copy(void *to, const void *from, void *context) {
    const Bag *bag = from;
    Bag copy = { malloc((size_t)bag->count * sizeof(int)), bag->count };
    (void)context;
    if (!copy.items) return false; /* the whole call fails, and drops the copies that it has made */
    for (int i = 0; i < copy.count; i++) copy.items[i] = bag->items[i];
    *(Bag *)to = copy;
    return true;
}

COVEY_COMPONENT_DEFINE(Position);
COVEY_COMPONENT_DEFINE(Monster);
COVEY_COMPONENT_DEFINE(Bag, .drop = bag_drop, .copy = bag_copy);
COVEY_TAG_DEFINE(Prefab, .no_copy = true);

int main(void) {
    covey_world *world = covey_world_create(&(covey_world_desc){ .quiet = true }); /* it fails on purpose */

    /* A prefab is an entity like any other. */
    Bag bag = { malloc(2 * sizeof(int)), 2 };
    if (!bag.items) return EXIT_FAILURE;
    bag.items[0] = 7, bag.items[1] = 11;
    covey_entity orc = covey_create_with(world, covey_with(Monster, { 30 }), covey_with_array(Bag, &bag)), orcs[3];

    /* Three at once, each with its own bag. */
    if (!covey_clone(world, orc, orcs, 3)) return EXIT_FAILURE;
    for (int i = 0; i < 3; i++) covey_add(world, orcs[i], Position, { (float)i, 0 });
    covey_get(world, orcs[1], Bag)->items[0] = 99;
    printf("items: %d %d\n", covey_get(world, orcs[0], Bag)->items[0], covey_get(world, orcs[1], Bag)->items[0]);

    /* Onto an existing entity: overwrites components that both have, and keeps the others. */
    covey_get(world, orcs[2], Monster)->health = 1;
    covey_copy(world, orc, orcs[2]);
    printf("healed: %d at %.0f\n", covey_get(world, orcs[2], Monster)->health, covey_get(world, orcs[2], Position)->x);

    /* A second world, in which the same handles are valid, to see what would happen. */
    covey_world *maybe = covey_world_clone(world, NULL);
    if (!maybe) return EXIT_FAILURE;
    covey_destroy(maybe, orcs[0]);
    printf("orcs: %u here, %u there\n", covey_entity_count(world) - 1, covey_entity_count(maybe) - 1);
    covey_entity next = covey_create(world), same = covey_create(maybe);
    printf("the next entity: %u here, %u there, where one was freed\n", next.index, same.index);
    covey_world_destroy(maybe);

    /* Into a world that has other entities. covey_clone_tree_into copies a tree. */
    covey_world *other = covey_world_create(NULL);
    covey_create(other);
    covey_entity guest = covey_clone_into(other, world, orc, NULL);
    if (covey_is_null(guest)) return EXIT_FAILURE;
    printf("a guest: %u, with %d items\n", guest.index, covey_get(other, guest, Bag)->count);
    covey_world_destroy(other);

    /* A type with no_copy is refused, and nothing has changed. */
    covey_add_tag(world, orc, Prefab);
    if (!covey_clone(world, orc, orcs, 3)) printf("no clones: %s\n", covey_result_text(covey_world_result(world)));
    covey_world_destroy(world);
    return 0;
}
