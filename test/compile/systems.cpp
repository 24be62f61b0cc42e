#include <covey/schedule.hpp>

#include "position.h"

COVEY_CPP_COMPONENT(Position);

int main() {
    covey::world world;
    covey::entity e = world.create();
    world.add<Position>(e, { 1, 2 });
    covey::schedule schedule(world, 2);
    float by = 3;
    schedule.add("each").split().each([by](Position &p) { p.x += by; });
    schedule.add("spans").spans([](size_t n, Position *p) {
        for (size_t i = 0; i < n; i++) p[i].x += 4;
    });
    schedule.add("run").reads<Position>().run([](covey_job &job) { return job.result; });
    schedule.add("rows").exclusive().each([&](covey::entity each, const Position &p) {
        if (p.x > 7) world.destroy(each);
    });
    return schedule.run() == COVEY_OK && !world.alive(e) ? 0 : 1;
}
