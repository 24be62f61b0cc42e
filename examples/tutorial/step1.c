/* Step 1 of the tutorial: a world, entities and components. */
#include <covey/covey.h>
#include <stdio.h>

typedef struct {
    int x, y;
} Position;
typedef struct {
    int wool;
} Sheep;
COVEY_COMPONENT_DEFINE(Position);
COVEY_COMPONENT_DEFINE(Sheep);

static covey_entity add_sheep(covey_world *world, int x, int y) {
    return covey_create_with(world, covey_with(Position, { x, y }), covey_with(Sheep, { .wool = 10 }));
}

static void show(const covey_world *world, const char *name, covey_entity e) {
    char handle[32];
    covey_entity_print(handle, sizeof handle, e);
    const Position *p = covey_get(world, e, Position);
    if (p) printf("%s (%s) is at %d, %d\n", name, handle, p->x, p->y);
    else printf("%s (%s) is nowhere\n", name, handle);
}

int main(void) {
    covey_world *world = covey_world_create(NULL);
    if (!world) return 1;
    covey_entity dolly = add_sheep(world, 2, 1), molly = add_sheep(world, 5, 3);
    covey_entity stone = covey_create_with(world, covey_with(Position, { 4, 0 }));

    covey_get(world, dolly, Position)->x += 1;
    show(world, "Dolly", dolly);
    printf("the stone %s a sheep\n", covey_has(world, stone, Sheep) ? "is" : "is not");

    /* Molly leaves. Polly gets her index with another generation, so Molly's handle is stale. */
    covey_destroy(world, molly);
    covey_entity polly = add_sheep(world, 7, 2);
    show(world, "Molly", molly);
    show(world, "Polly", polly);

    /* What fails returns NULL, false or a null handle, and the world knows why. */
    if (!covey_add(world, polly, Position, { 0, 0 }))
        printf("a second position: %s\n", covey_result_text(covey_world_result(world)));
    covey_world_destroy(world);
    return 0;
}
