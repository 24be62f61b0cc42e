// Step 4 of the tutorial: destroying, and command buffers for changes that have to wait.
#include <covey/covey.hpp>
#include <cstdio>
#include <cstring>

constexpr int width = 24;

struct Position {
    int x;
};
struct Velocity {
    int x;
};
struct Look {
    char symbol;
};
struct Sheep {};
COVEY_CPP_DEFINE(Position);
COVEY_CPP_DEFINE(Velocity);
COVEY_CPP_DEFINE(Look);
COVEY_CPP_DEFINE(Sheep);

static void move(covey::world_ref world) {
    world.view<Position, const Velocity>().each(
        [](Position &p, const Velocity &v) { p.x = (p.x + v.x + width) % width; });
}

// Rows may change their own entity only, and the wool is another one: so the hunt is recorded.
static void hunt(covey::world_ref world, const covey::commands &commands, int wolf) {
    for (auto [e, p, sheep] : world.view<const Position, const Sheep>()) {
        if (p.x < wolf - 1 || p.x > wolf + 1) continue;
        commands.destroy(e);
        covey::entity wool = commands.create();
        commands.add<Position>(wool, p.x);
        commands.add<Look>(wool, '*');
    }
}

static void draw(covey::const_world_ref world) {
    char meadow[width];
    std::memset(meadow, '.', sizeof meadow);
    for (auto [e, p, look] : world.view<Position, Look>()) meadow[p.x] = look.symbol;
    std::printf("%.*s", width, meadow);
}

int main() {
    covey::world world;
    covey_commands_desc ready = {};
    ready.entities = 8; // ids kept ready
    covey::commands commands(world, ready);
    if (!commands) return 1;
    for (int i = 0; i < 5; i++) {
        covey::entity sheep = world.create_with(Position{ 2 + 4 * i }, Look{ 's' }, Sheep{});
        if (i % 2 == 0) world.add<Velocity>(sheep, 1);
    }
    covey::entity wolf = world.create_with(Position{ 23 }, Velocity{ -3 }, Look{ 'W' });
    for (int frame = 0; frame < 6; frame++) {
        draw(world);
        move(world);
        hunt(world, commands, world.get<Position>(wolf)->x);
        covey_replay replay = commands.replay();
        std::printf("  %u commands replayed\n", replay.done);
        if (replay.result != COVEY_OK) return 1;
    }
}
