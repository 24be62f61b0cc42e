/* A view with scattered matches has spans of one entity. covey_view_advise reports it, and what a group would do: over
 * pools in blocks, the default, its members come first in each block of 64 ids, so that each block is one span. */
#include <covey/covey.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    float degrees;
} Heat;
typedef struct {
    float litres;
} Fuel;
COVEY_COMPONENT_DEFINE(Heat);
COVEY_COMPONENT_DEFINE(Fuel);

enum { ENTITIES = 1000 };

/* The loop is the same for both. Returns the number of spans. */
static uint32_t burn(covey_iter it) {
    uint32_t spans = 0;
    for (; covey_next(&it); spans++) {
        Heat *heat = covey_field(&it, 0, Heat);
        Fuel *fuel = covey_field(&it, 1, Fuel);
        for (uint32_t i = 0; i < it.count; i++) heat[i].degrees += 1, fuel[i].litres -= 0.25f;
    }
    return spans;
}

int main(void) {
    covey_world *world = covey_world_create(NULL);
    covey_entity e[ENTITIES];
    if (!world || !covey_create_many(world, e, ENTITIES)) return EXIT_FAILURE;
    for (uint32_t i = 0; i < ENTITIES; i++) {
        covey_add(world, e[i], Heat, { 20 });
        if (i % 2 == 1) covey_add(world, e[i], Fuel, { 1 });
    }

    covey_view burning = covey_view_of(world, Heat, Fuel);
    covey_view_advice advice = covey_view_advise(&burning);
    char line[200];
    covey_view_advice_print(line, sizeof line, &advice);
    printf("%s\n", line);
    bool right = burn(covey_view_iter(&burning)) == advice.spans;

    covey_group *group = covey_group_create(world, &(covey_group_desc){ .own = { covey_ids(Heat, Fuel) } });
    right = right && group && burn(covey_group_iter(group)) == advice.group_spans;

    /* An entity that joins or leaves moves inside its block. */
    right = right && covey_add(world, e[10], Fuel, { 2 }) && covey_remove(world, e[11], Fuel);
    right = right && covey_group_contains(group, e[10]) && !covey_group_contains(group, e[11]);
    printf("%u members in %u spans\n", covey_group_count(group), burn(covey_group_iter(group)));
    right = right && covey_get(world, e[10], Heat)->degrees == 21 && covey_get(world, e[13], Heat)->degrees == 23;
    covey_world_destroy(world);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
