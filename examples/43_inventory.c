/* Inventory: relations, which are components with a handle in a field. A lookup finds the sources of a target, and what
 * happens to them when the target is destroyed is part of its description. */
#include <covey/fields.h>
#include <covey/lookup.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    covey_entity player;
} OwnedBy; /* a thing lies on the ground when its owner is destroyed */
typedef struct {
    covey_entity caster;
} CastBy; /* a spell ends with its caster */
typedef struct {
    uint32_t grams;
} Weight;
COVEY_FIELDS_DEFINE(OwnedBy, entity(player));
COVEY_FIELDS_DEFINE(CastBy, entity(caster));
COVEY_COMPONENT_DEFINE(OwnedBy, .fields = &covey_fields_OwnedBy, .ticks = true);
COVEY_COMPONENT_DEFINE(CastBy, .fields = &covey_fields_CastBy, .ticks = true);
COVEY_COMPONENT_DEFINE(Weight);

/* The things of a player that have a weight: a view, iterated over what a search finds. */
static uint32_t weight_of(const covey_view *weights, covey_lookup *owned, covey_entity player) {
    uint32_t grams = 0;
    covey_search things = covey_lookup_find(owned, &player);
    covey_iter it = covey_view_iter_search(weights, &things);
    while (covey_next(&it)) {
        const Weight *weight = covey_field(&it, 0, Weight);
        for (uint32_t i = 0; i < it.count; i++) grams += weight[i].grams;
    }
    return grams;
}

int main(void) {
    covey_world *world = covey_world_create(NULL);
    if (!world) return EXIT_FAILURE;
    covey_lookup *owned = covey_lookup_create(
        world,
        &(covey_lookup_desc){ .type = covey_id(OwnedBy), .field = "player", .when_target_ends = COVEY_TARGET_REMOVE });
    covey_lookup *cast = covey_lookup_create(
        world,
        &(covey_lookup_desc){ .type = covey_id(CastBy), .field = "caster", .when_target_ends = COVEY_TARGET_DESTROY });
    if (!owned || !cast) return EXIT_FAILURE;
    covey_view weights =
        covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Weight) }, .read = { covey_id(Weight) } });

    const covey_entity ann = covey_create(world), ben = covey_create(world);
    covey_entity sword = covey_create_with(world, covey_with(OwnedBy, { ann }), covey_with(Weight, { 1400 }));
    covey_create_with(world, covey_with(OwnedBy, { ann }), covey_with(Weight, { 300 }));
    covey_create_with(world, covey_with(OwnedBy, { ann })); /* a map, which weighs nothing */
    covey_entity shield = covey_create_with(world, covey_with(CastBy, { ann }));
    printf("Ann has %u things, of %u g\n", covey_lookup_count(owned, &ann), weight_of(&weights, owned, ann));
    bool right = covey_lookup_count(owned, &ann) == 3 && weight_of(&weights, owned, ann) == 1700;

    /* Giving is setting the component. There is no second list to keep in step. */
    covey_set(world, sword, OwnedBy, { ben });
    printf("Ann has %u, Ben has %u\n", covey_lookup_count(owned, &ann), covey_lookup_count(owned, &ben));
    right = right && covey_lookup_count(owned, &ann) == 2 && covey_lookup_count(owned, &ben) == 1;

    /* After writing through the pointer of covey_get, say so. */
    covey_get(world, sword, OwnedBy)->player = ann;
    covey_patch(world, sword, OwnedBy, NULL, NULL);
    covey_search things = covey_lookup_find(owned, &ann);
    while (covey_search_next(&things))
        for (uint32_t i = 0; i < things.count; i++) printf("entity %u belongs to Ann\n", things.entities[i].index);

    covey_destroy(world, ann);
    printf("without Ann: %u things with an owner, %u with a weight; her shield is %s\n", covey_lookup_size(owned),
           covey_view_count(&weights), covey_alive(world, shield) ? "there" : "gone");
    right = right && covey_lookup_size(owned) == 0 && covey_view_count(&weights) == 2 && !covey_alive(world, shield) &&
            covey_alive(world, sword);
    covey_world_destroy(world); /* and its lookups */
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
