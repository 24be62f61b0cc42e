// Step 6 of the tutorial: signals, which are called at once, and reactive sets, which wait.
#include <covey/covey.hpp>
#include <cstdio>
#include <cstring>

constexpr int width = 24;

struct Position {
    int x;
};
struct Census {
    int count;
}; // a resource: one value for the whole world
struct Sheep {};
COVEY_CPP_DEFINE(Position);
COVEY_CPP_DEFINE(Census);
COVEY_CPP_DEFINE(Sheep);

// A reactive set collects the entities that moved since it was cleared, each once. Only these are drawn again.
static void repaint(const covey::reactive<const Position, const Sheep> &moved, char *meadow) {
    uint32_t cells = 0;
    for (auto [e, p, sheep] : moved) {
        meadow[p.x] = 's';
        cells++;
    }
    moved.clear();
    std::printf("%.*s  painted: %u\n", width, meadow, cells);
}

static void step(covey::world_ref world, covey::entity e, char *meadow) {
    int x = world.get<Position>(e)->x;
    meadow[x] = '.';
    world.set<Position>(e, (x + 1) % width); // writing through the pointer would send no signal
}

int main() {
    covey::world world;
    if (!world) return 1;
    world.resource_set<Census>(0);
    // A listener: called inside every call that adds or removes the tag, for as long as `counting` exists.
    auto counting = world.on<Sheep>().connect(COVEY_ON_ADD | COVEY_ON_REMOVE, [&](const covey_event &event) {
        world.resource_get<Census>()->count += event.signal == COVEY_ON_ADD ? 1 : -1;
    });
    auto moved = world.reactive().added<Position>().set<Position>().with<const Position, const Sheep>().make();
    if (!moved || !counting.connected()) return 1;

    char meadow[width];
    std::memset(meadow, '.', sizeof meadow);
    covey::entity flock[5];
    for (int i = 0; i < 5; i++) flock[i] = world.create_with(Position{ 4 * i }, Sheep{});
    repaint(moved, meadow);

    step(world, flock[0], meadow);
    step(world, flock[0], meadow); // twice, but painted once
    step(world, flock[3], meadow);
    repaint(moved, meadow);
    repaint(moved, meadow);

    std::printf("sheep: %d\n", world.resource_get<Census>()->count);
    world.destroy(flock[4]);
    world.remove<Sheep>(flock[1]);
    std::printf("one is gone, one is a wolf: %d\n", world.resource_get<Census>()->count);
}
