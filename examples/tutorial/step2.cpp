// Step 2 of the tutorial: a view, and loops over it.
#include <covey/covey.hpp>
#include <cstdio>
#include <cstring>

constexpr int width = 24, height = 4;

struct Position {
    int x, y;
};
struct Velocity {
    int x, y;
};
struct Look {
    char symbol;
};
COVEY_CPP_DEFINE(Position);
COVEY_CPP_DEFINE(Velocity);
COVEY_CPP_DEFINE(Look);

// All entities with a position and a velocity. One that reaches a side comes back on the other one.
static void move(covey::world_ref world) {
    world.view<Position, const Velocity>().each([](Position &p, const Velocity &v) {
        p.x = (p.x + v.x + width) % width;
        p.y = (p.y + v.y + height) % height;
    });
}

static void draw(covey::const_world_ref world) {
    char meadow[height][width];
    std::memset(meadow, '.', sizeof meadow);
    for (auto [e, p, look] : world.view<Position, Look>()) meadow[p.y][p.x] = look.symbol;
    for (const char(&line)[width] : meadow) std::printf("%.*s\n", width, line);
}

static void add_sheep(covey::world_ref world, int x, int y, int speed) {
    world.create_with(Position{ x, y }, Look{ 's' }, Velocity{ speed, 0 });
}

// Stones stay where they are.
static void add_stone(covey::world_ref world, int x, int y) { world.create_with(Position{ x, y }, Look{ '#' }); }

int main() {
    covey::world world;
    if (!world) return 1;
    for (int i = 0; i < 6; i++) {
        if (i % 3 == 2) add_stone(world, 3 * i, i % height);
        else add_sheep(world, 3 * i, i % height, 1 + i % 2);
    }
    for (int frame = 0; frame < 3; frame++) {
        std::printf("frame %d\n", frame);
        draw(world);
        move(world);
    }
}
