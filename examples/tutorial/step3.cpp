// Step 3 of the tutorial: tags, excluded and optional types, and rows for structural changes.
#include <covey/covey.hpp>
#include <cstdio>
#include <cstring>

constexpr int width = 24, height = 3;

struct Position {
    int x, y;
};
struct Velocity {
    int x, y;
};
struct Energy {
    int left;
};
COVEY_CPP_DEFINE(Position);
COVEY_CPP_DEFINE(Velocity);
COVEY_CPP_DEFINE(Energy);
struct Asleep {};
COVEY_CPP_DEFINE(Asleep);

// An excluded tag: sleeping sheep do not move.
static void move(covey::world_ref world) {
    auto awake = world.view<Position, const Velocity>().without<Asleep>();
    awake.each([](Position &p, const Velocity &v) { p.x = (p.x + v.x) % width; });
}

// Rows: one entity at a time, which may get and lose components meanwhile.
static void tire(covey::world_ref world) {
    for (auto [e, energy] : world.view<Energy>()) {
        bool sleeps = world.has<Asleep>(e);
        energy.left += sleeps ? 2 : -1;
        if (energy.left <= 0) world.add<Asleep>(e);
        else if (sleeps && energy.left >= 4) world.remove<Asleep>(e);
    }
}

// An optional type: its field is a pointer, which is null where it is absent.
static void draw(covey::const_world_ref world) {
    char meadow[height][width];
    std::memset(meadow, '.', sizeof meadow);
    for (auto [e, p, asleep] : world.view<Position>().optional<Asleep>()) meadow[p.y][p.x] = asleep ? 'z' : 's';
    for (const char(&line)[width] : meadow) std::printf("%.*s\n", width, line);
}

int main() {
    covey::world world;
    if (!world) return 1;
    for (int i = 0; i < height; i++) world.create_with(Position{ 0, i }, Velocity{ 2, 0 }, Energy{ 2 + i });
    auto asleep = world.view<Asleep>();
    for (int frame = 0; frame <= 6; frame++) {
        if (frame % 2 == 0) {
            std::printf("frame %d, asleep: %u\n", frame, asleep.count());
            draw(world);
        }
        move(world);
        tire(world);
    }
}
