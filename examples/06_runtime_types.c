/* Component types made at run time, as by a script or an editor, and a world as text. */
#include <covey/covey.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    float x, y;
} Position;
COVEY_COMPONENT_DEFINE(Position); /* a type of the program, next to those of the script */

/* What a script might define. */
static const struct {
    const char *name;
    uint32_t size, align;
} script[] = { { "Mana", 4, 4 }, { "Inventory", 64, 16 }, { "Hidden", 0, 1 } };

int main(void) {
    covey_world *world = covey_world_create(&(covey_world_desc){ .quiet = true }); /* it fails on purpose */
    covey_entity wizard = covey_create(world), chest = covey_create(world);
    covey_add(world, wizard, Position, { 1, 2 });

    /* The world copies the description, and its name. */
    for (size_t i = 0; i < sizeof script / sizeof *script; i++) {
        covey_type description = { .name = script[i].name, .size = script[i].size, .align = script[i].align };
        if (!covey_type_create(world, &description)) return EXIT_FAILURE;
    }

    /* The _raw functions take the type as an argument. */
    const covey_type *mana = covey_type_find(world, "Mana"), *hidden = covey_type_find(world, "Hidden");
    const covey_type *inventory = covey_type_find(world, "Inventory");
    int32_t value = 30;
    covey_add_raw(world, wizard, mana, &value);
    covey_add_raw(world, wizard, inventory, NULL); /* NULL: all bytes zero */
    covey_add_raw(world, chest, inventory, NULL);
    covey_add_raw(world, chest, hidden, NULL);
    *(int32_t *)covey_get_raw(world, wizard, mana) -= 12;
    printf("mana: %d\n", (int)*(int32_t *)covey_get_raw(world, wizard, mana));

    /* The same name with another layout is refused; with the same layout it is the same type. */
    covey_type again = { .name = "Mana", .size = 4, .align = 4 }, other = { .name = "Mana", .size = 8, .align = 8 };
    printf("again: %s\n", covey_type_create(world, &again) == mana ? "the same type" : "another type");
    if (!covey_type_create(world, &other)) printf("other: %s\n", covey_result_text(covey_world_result(world)));

    /* Lists the components of the wizard. */
    const covey_type *types[8];
    uint32_t count = covey_types_of(world, wizard, types, 8);
    printf("the wizard has:");
    for (uint32_t i = 0; i < count && i < 8; i++) printf(" %s (%u bytes)", types[i]->name, types[i]->size);
    printf("\n\n");

    covey_world_print(world, NULL, NULL);
    covey_world_destroy(world);
    return 0;
}
