// Step 1 of the tutorial: a world, entities and components.
#include <covey/covey.hpp>
#include <cstdio>

struct Position {
    int x, y;
};
struct Sheep {
    int wool;
};
COVEY_CPP_DEFINE(Position);
COVEY_CPP_DEFINE(Sheep);

static covey::entity add_sheep(covey::world_ref world, int x, int y) {
    return world.create_with(Position{ x, y }, Sheep{ 10 });
}

static void show(covey::const_world_ref world, const char *name, covey::entity e) {
    char handle[32];
    covey_entity_print(handle, sizeof handle, e);
    const Position *p = world.get<Position>(e);
    if (p) std::printf("%s (%s) is at %d, %d\n", name, handle, p->x, p->y);
    else std::printf("%s (%s) is nowhere\n", name, handle);
}

int main() {
    covey::world world;
    if (!world) return 1;
    covey::entity dolly = add_sheep(world, 2, 1), molly = add_sheep(world, 5, 3);
    covey::entity stone = world.create_with(Position{ 4, 0 });

    world.get<Position>(dolly)->x += 1;
    show(world, "Dolly", dolly);
    std::printf("the stone %s a sheep\n", world.has<Sheep>(stone) ? "is" : "is not");

    // Molly leaves. Polly gets her index with another generation, so Molly's handle is stale.
    world.destroy(molly);
    covey::entity polly = add_sheep(world, 7, 2);
    show(world, "Molly", molly);
    show(world, "Polly", polly);

    // What fails returns null or false, and the world knows why.
    if (!world.add<Position>(polly, 0, 0)) std::printf("a second position: %s\n", world.result().text());
}
