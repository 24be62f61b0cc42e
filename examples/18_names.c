/* Names: found among siblings and by path, and what happens to them when parents are destroyed. */
#include <covey/hierarchy.h>
#include <stdio.h>
#include <stdlib.h>

static const covey_entity none = { 0, 0 };

static covey_entity make(covey_world *world, const char *name, covey_entity parent) {
    covey_entity e = covey_create(world);
    if (covey_parent_set(world, e, parent) != COVEY_OK || covey_name_set(world, e, name) != COVEY_OK)
        printf("%s: %s\n", name, covey_result_text(covey_world_result(world)));
    return e;
}

static void show_path(const covey_world *world, covey_entity e) {
    char path[80];
    covey_path_print(path, sizeof path, world, e);
    printf("%u:%u is %s\n", e.index, e.generation, path);
}

int main(void) {
    covey_world *world = covey_world_create(&(covey_world_desc){ .quiet = true }); /* it fails on purpose */
    if (!world) return EXIT_FAILURE;
    covey_entity ship = make(world, "ship", none), left = make(world, "left", ship), right = make(world, "right", ship);
    covey_entity guns[] = { make(world, "gun", left), make(world, "gun", right) };
    show_path(world, guns[0]);
    show_path(world, guns[1]);

    /* Down, up, and across. */
    bool fine = covey_same(covey_find_path(world, none, "ship/left/gun"), guns[0]);
    fine = fine && covey_same(covey_find_path(world, ship, "right/gun"), guns[1]);
    fine = fine && covey_same(covey_find_path(world, guns[0], "../../right/gun"), guns[1]);
    fine = fine && covey_same(covey_find_child(world, ship, "left"), left);
    fine = fine && covey_is_null(covey_find_path(world, none, "ship/middle/gun"));

    /* Siblings have different names. So a gun cannot move to a parent that has a child of the same name. */
    fine = fine && covey_parent_set(world, guns[0], right) == COVEY_ERROR_PRESENT;
    covey_name_set(world, guns[0], "second gun");
    fine = fine && covey_parent_set(world, guns[0], right) == COVEY_OK;
    show_path(world, guns[0]);

    /* The path of an entity without a name contains its handle. Such a path can be looked up, too. */
    covey_name_set(world, right, NULL);
    show_path(world, guns[1]);
    char path[80];
    covey_path_print(path, sizeof path, world, guns[1]);
    fine = fine && covey_same(covey_find_path(world, none, path), guns[1]);

    /* The children of a destroyed entity become roots. A child loses its name if a root has it already. */
    make(world, "gun", none);
    covey_destroy(world, right);
    show_path(world, guns[0]);
    show_path(world, guns[1]);
    fine = fine && covey_name(world, guns[0]) && !covey_name(world, guns[1]);
    covey_world_print(world, NULL, NULL);
    covey_world_destroy(world);
    return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
