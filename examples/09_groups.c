/* Groups: the matches of a view, kept up to date. What a group owns lies side by side, in the same order, so a loop
 * over it is a loop over plain arrays. Adding and removing cost more. A group owns sparse pools, as here, or pools in
 * blocks. */
#include <covey/covey.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    float x, y;
} Position;
typedef struct {
    float x, y;
} Velocity;
COVEY_COMPONENT_DEFINE(Position, .storage = COVEY_STORAGE_SPARSE); /* in blocks, members come first in each block */
COVEY_COMPONENT_DEFINE(Velocity, .storage = COVEY_STORAGE_SPARSE);
COVEY_TAG_DEFINE(Frozen); /* not owned by the group: its storage does not matter */

enum { ENTITIES = 12 };

/* The members of the group come first in each pool that it owns. */
static void show(const covey_group *group, const covey_pool *pool, const char *when) {
    printf("%-16s %-8s [", when, covey_pool_type(pool)->name);
    for (uint32_t i = 0; i < covey_pool_position_count(pool); i++)
        printf("%s %2u", i == covey_group_count(group) ? " |" : "", covey_pool_ids(pool)[i].index);
    printf(" ]\n");
}

/* The group owns all its fields: one span. */
static uint32_t move(const covey_group *moving) {
    uint32_t spans = 0;
    covey_iter it = covey_group_iter(moving);
    for (; covey_next(&it); spans++) {
        Position *p = covey_field(&it, 0, Position);
        const Velocity *v = covey_field(&it, 1, Velocity);
        for (uint32_t i = 0; i < it.count; i++) p[i].x += v[i].x;
    }
    return spans;
}

int main(void) {
    covey_world *world = covey_world_create(NULL);
    covey_entity e[ENTITIES];
    if (!world || !covey_create_many(world, e, ENTITIES)) return EXIT_FAILURE;
    for (uint32_t i = 0; i < ENTITIES; i++) {
        covey_add(world, e[i], Position, { (float)i, 0 });
        if (i % 2 == 1) covey_add(world, e[i], Velocity, { 1, 0 });
    }

    const covey_group_desc desc = { .own = { covey_ids(Position, Velocity) }, .without = { covey_id(Frozen) } };
    covey_group *moving = covey_group_create(world, &desc);
    if (!moving) return EXIT_FAILURE;
    const covey_pool *positions = covey_pool_of(world, Position), *velocities = covey_pool_of(world, Velocity);
    show(moving, positions, "made");
    covey_add(world, e[4], Velocity, { 1, 0 });
    show(moving, positions, "4 moves");
    covey_add_tag(world, e[3], Frozen);
    show(moving, positions, "3 is frozen");

    bool right = move(moving) == 1 && covey_get(world, e[4], Position)->x == 5;
    right = right && covey_get(world, e[3], Position)->x == 3;

    /* The entity of a row may be changed and destroyed. */
    covey_iter it = covey_group_iter(moving);
    covey_row row = { 0 };
    while (covey_next_row(&it, &row))
        if (covey_row_field(&it, row, 0, Position)->x > 9) covey_destroy(world, covey_row_entity(&it, row));
    show(moving, positions, "9, 11 destroyed");
    right = right && covey_group_count(moving) == 4 && !covey_group_contains(moving, e[11]);

    /* The description finds the group again. Its members may be put in the order of any pool. */
    right = right && covey_group_find(world, &desc) == moving;
    right = right && covey_group_sort_as(moving, velocities) == COVEY_OK;

    char text[80];
    covey_group_print(text, sizeof text, moving);
    printf("%s: %u entities\n", text, covey_group_count(moving));
    covey_group_destroy(moving); /* the components stay */
    right = right && covey_has(world, e[4], Velocity);
    covey_world_destroy(world);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
