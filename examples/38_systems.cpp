// Systems in C++: the parameters of a lambda declare what it reads and writes.
#include <covey/schedule.hpp>

#include <cstdio>

struct Position {
    float x, y;
};
struct Velocity {
    float x, y;
};
struct Fuel {
    int left;
};
struct Landed {};
COVEY_CPP_DEFINE(Position);
COVEY_CPP_DEFINE(Velocity);
COVEY_CPP_DEFINE(Fuel);
COVEY_CPP_DEFINE(Landed);

int main() {
    covey::world world;
    covey::schedule schedule(world); // a thread for each core
    float dt = 0.25f;
    double height = 0;

    // References are written, const references and values are read, pointers may be missing.
    schedule.add("thrust").split().without<Landed>().each(
        [](Velocity &v, Fuel *fuel) { v.y += fuel && fuel->left-- > 0 ? 1.f : -1.f; });
    schedule.add("move").split().without<Landed>().each([dt](Position &p, const Velocity &v) {
        p.x += v.x * dt;
        p.y += v.y * dt;
    });
    // Structural changes are recorded.
    schedule.add("land").split().without<Landed>().each([](covey::entity e, const Position &p, covey_job &job) {
        if (p.y < 0) covey::commands(job.commands).add<Landed>(e);
    });
    // A reduction: the same sum for every number of threads.
    schedule.add("measure").split().total(height).spans([](size_t n, const Position *p, double &sum) {
        for (size_t i = 0; i < n; i++) sum += static_cast<double>(p[i].y);
    });
    // What a system uses besides its parameters must be declared, unless the system is exclusive.
    schedule.phase("reports");
    schedule.add("report").every(4).reads<Landed>().run(
        [&] { std::printf("%u have landed, the sum of heights is %.2f\n", world.view<Landed>().count(), height); });
    schedule.print_plan();

    for (int i = 0; i < 1000; i++) {
        covey::entity e = world.create_with(Position{ 0, 1 }, Velocity{ 1, 0 });
        if (i % 2 == 0) world.add<Fuel>(e, { i % 10 });
    }
    for (int i = 0; i < 40; i++)
        if (schedule.run() != COVEY_OK) return std::printf("%s\n", schedule.failure()), 1;
    return world.view<Landed>().count() == 1000 ? 0 : 1;
}
