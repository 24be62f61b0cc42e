// Step 7 of the tutorial: systems that say what they use, on all cores, with the same result for every number.
#include <covey/schedule.hpp>
#include <cstdio>

constexpr int flock = 20000, width = 1000;

struct Position {
    int x;
};
struct Velocity {
    int x;
};
struct Grass {
    int left;
}; // in the stomach
COVEY_CPP_DEFINE(Position);
COVEY_CPP_DEFINE(Velocity);
COVEY_CPP_DEFINE(Grass);

static void add_systems(covey::schedule &schedule) {
    schedule.add("move").split().each([](Position &p, const Velocity &v) { p.x = (p.x + v.x) % width; });
    // Structural changes wait in the commands of the job until all systems of the phase are done.
    schedule.add("digest").split().each([](covey::entity e, covey_job &job, Grass &grass) {
        if (--grass.left == 0) covey::commands(job.commands).destroy(e);
    });
    schedule.add("graze").split().each([](Grass &grass, const Position &p) {
        if (p.x % 10 == 0) grass.left += 5;
    });
}

// A number for the whole world: equal worlds have equal ones.
static uint64_t sum(covey::const_world_ref world) {
    uint64_t sum = 0;
    for (auto [e, p, grass] : world.view<Position, Grass>()) sum = sum * 31 + static_cast<uint64_t>(p.x + grass.left);
    return sum;
}

static uint64_t play(uint32_t threads, bool print) {
    covey::world world;
    covey::schedule schedule(world, threads); // ends before its world
    add_systems(schedule);
    for (int i = 0; i < flock; i++) world.create_with(Position{ i % width }, Velocity{ 1 + i % 7 }, Grass{ 8 + i % 5 });
    if (print) schedule.print_plan();
    for (int frame = 0; frame < 40; frame++)
        if (!schedule.run()) std::printf("failed: %s\n", schedule.failure());
    if (print) std::printf("after 40 frames, %u of %d sheep are left\n", world.entity_count(), flock);
    return sum(world);
}

int main() {
    bool same = play(1, true) == play(4, false);
    std::printf("one thread and four: the meadow is %s\n", same ? "the same" : "another one");
    return same ? 0 : 1;
}
