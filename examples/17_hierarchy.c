/* Hierarchy: parents and children, walks from the root down, transforms that follow their parents, destroying a
 * tree. */
#include <covey/hierarchy.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    float x, y;
} Local; /* seen from the parent */
typedef struct {
    float x, y;
} Global;
COVEY_COMPONENT_DEFINE(Local);
COVEY_COMPONENT_DEFINE(Global, .storage = COVEY_STORAGE_SPARSE);

static covey_entity make(covey_world *world, float x, float y, covey_entity parent) {
    covey_entity e = covey_create(world);
    covey_add(world, e, Local, { x, y });
    covey_add(world, e, Global, { 0, 0 });
    covey_parent_set(world, e, parent);
    return e;
}

/* Parents come before their children, so that the transform of the parent is already computed. */
static void update(covey_world *world, covey_pool *pool) {
    if (covey_pool_sort_by_depth(pool) != COVEY_OK) return;
    Global *globals = covey_pool_values(pool, Global);
    for (uint32_t i = 0; i < covey_pool_position_count(pool); i++) {
        covey_entity e = covey_pool_ids(pool)[i];
        const Local *local = covey_get(world, e, Local);
        const Global *parent = covey_get(world, covey_parent(world, e), Global);
        globals[i] = (Global){ local->x + (parent ? parent->x : 0), local->y + (parent ? parent->y : 0) };
    }
}

static void show(const covey_world *world, covey_entity root) {
    for (covey_entity e = root; !covey_is_null(e); e = covey_tree_next(world, root, e)) {
        const Global *at = covey_get(world, e, Global);
        printf("%*sentity %u at %g, %g\n", 2 * (int)covey_depth(world, e), "", e.index, at->x, at->y);
    }
}

int main(void) {
    covey_world *world = covey_world_create(&(covey_world_desc){ .quiet = true }); /* it fails on purpose */
    const covey_entity none = { 0, 0 };
    if (!world) return EXIT_FAILURE;
    covey_entity gun = make(world, 0, 1, none); /* before its parents, on purpose */
    covey_entity ship = make(world, 100, 100, none), turret = make(world, 5, 0, ship);
    make(world, -5, 0, ship);
    bool right = covey_parent_set(world, gun, turret) == COVEY_OK;
    covey_pool *globals = covey_pool_of(world, Global);
    update(world, globals);
    show(world, ship);
    right = right && covey_get(world, gun, Global)->x == 105 && covey_depth(world, gun) == 2;

    /* A cycle is refused, and nothing changes. */
    right = right && covey_parent_set(world, ship, gun) == COVEY_ERROR_CYCLE;
    printf("a ship on its own gun: %s\n", covey_result_text(covey_world_result(world)));

    /* A tree can be copied, here into its own world. */
    covey_entity copy = covey_clone_tree_into(world, world, ship, NULL);
    right = right && covey_child_count(world, copy) == 2;
    printf("a copy of %u entities\n", covey_destroy_tree(world, copy));

    /* Children of a destroyed entity become roots; covey_destroy_tree destroys them, too. */
    covey_destroy(world, turret);
    right = right && covey_is_null(covey_parent(world, gun)) && covey_child_count(world, ship) == 1;
    covey_parent_set(world, gun, ship);
    uint32_t destroyed = covey_destroy_tree(world, ship);
    printf("%u destroyed, %u left\n", destroyed, covey_entity_count(world));
    right = right && destroyed == 3 && covey_entity_count(world) == 0;
    covey_world_destroy(world);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
